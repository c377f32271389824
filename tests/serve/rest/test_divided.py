"""People of one installation on several servers: their tokens lead to wherever they lie."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from doorbell import Front, front
from psycopg.conninfo import conninfo_to_dict
from saying import Say
from sharing import administrator, bearer, moved_in

import servers
from saegim import Saegim
from saegim.errors import BadInput, QuotaReached, SaegimError, SettingsError
from saegim.memory.memory import Scope
from saegim.messages import translated
from saegim.mind import Mind
from saegim.serve import access
from saegim.sleep import scheduler
from saegim.store.tables.people_table import Quota

SAVE = "/v1/memories"


@pytest.fixture
def places() -> tuple[str, str]:
    """Return the addresses of two stores: of `main`, and of `busan`."""
    return servers.server(15).fresh(), servers.server(15).fresh()


@pytest.fixture
def divided(places: tuple[str, str], tmp_path: Path) -> Iterator[Front]:
    """A server of an installation with two stores."""
    main, busan = places
    with front(tmp_path / "served", server_store=main, stores=f"busan={busan}") as served:
        yield served


def test_a_person_who_was_moved_is_led_there_by_the_same_token(
    divided: Front, places: tuple[str, str]
) -> None:
    """The administrator moves them; nobody else notices, and nothing is left behind."""
    minji, hyunwoo = moved_in(divided, "minji"), moved_in(divided, "hyunwoo")
    id, other = minji.save("알레르기: 새우"), hyunwoo.save("kettle")
    admin = bearer(administrator(divided))
    told = divided.ask("POST", "/v1/users/minji/move", {"to": "busan"}, **admin)
    assert (told.status, told.json["store"], told.json["memories"]) == (200, "busan", 1)
    assert minji.ask("GET", f"{SAVE}/{id}").json["memory"]["text"] == "알레르기: 새우"
    later = minji.save("보리는 산책을 좋아한다")
    found = minji.ask("POST", "/v1/search", {"query": "산책"}).body.decode()
    assert later in found
    assert hyunwoo.ask("GET", f"{SAVE}/{other}").status == 200
    assert hyunwoo.ask("GET", f"{SAVE}/{id}").status == 404
    people = divided.ask("GET", "/v1/users", **admin).json["users"]
    assert {each["name"]: each["store"] for each in people} == {"minji": "busan", "hyunwoo": "main"}
    for place, count in zip(places, (0, 2), strict=True):
        with Saegim.open(place, user="nobody", background=False) as memory:
            assert memory.mind.store.memories.held("minji")[0] == count
    back = divided.ask("POST", "/v1/users/minji/move", {"to": "main"}, **admin)
    assert (back.status, back.json["memories"]) == (200, 2)
    assert minji.ask("GET", f"{SAVE}/{later}").status == 200


def test_only_the_administrator_moves_people(divided: Front) -> None:
    """Neither a person nor whose machine it is, over HTTP; bad wishes change nothing."""
    minji = moved_in(divided, "minji")
    minji.save("tea")
    assert minji.ask("POST", "/v1/users/minji/move", {"to": "busan"}).status == 403
    assert divided.ask("POST", "/v1/users/minji/move", {"to": "busan"}).status == 403
    admin = bearer(administrator(divided))
    for path, body, status in (
        ("minji", {"to": "seoul"}, 422),
        ("minji", {"to": "main"}, 422),
        ("minji", {"to": 3}, 422),
        ("minji", {}, 422),
        ("nobody", {"to": "busan"}, 404),
    ):
        heard = divided.ask("POST", f"/v1/users/{path}/move", body, **admin)
        assert heard.status == status, heard
    assert divided.house.memory.maintenance.placement.where("minji") == "main"


def test_limits_hold_for_who_lies_elsewhere(divided: Front) -> None:
    """Memories are counted where they lie, model calls and tokens in main."""
    minji = moved_in(divided, "minji", Quota(memories=2, model_calls=1))
    minji.save("one")
    memory = divided.house.memory
    access.move_person(memory, "minji", "busan")
    minji.save("two")
    assert minji.ask("POST", SAVE, {"text": "three", "source": "user"}).status == 507
    mind = memory.within(user="minji").mind
    assert mind.store is not memory.mind.store
    assert mind.store.people.reserve_model_call("minji", mind.now()) is None
    assert mind.store.people.reserve_model_call("minji", mind.now()) == 1
    with pytest.raises(QuotaReached):
        divided.house.access.refuse_full(access.Grant("minji", quota=Quota(memories=2)), {})


def test_everyone_sleeps_wherever_they_lie(divided: Front, monkeypatch: pytest.MonkeyPatch) -> None:
    """One watch looks at every store; the control, without the others, finds main's alone."""
    minji, hyunwoo = moved_in(divided, "minji"), moved_in(divided, "hyunwoo")
    minji.save("tea in the garden")
    hyunwoo.save("coffee")
    memory = divided.house.memory
    access.move_person(memory, "minji", "busan")
    plain = scheduler.sleep_if_due

    def looked(**watch: Any) -> dict[str, str]:
        seen: dict[str, str] = {}

        def noted(scope: Scope, mind: Mind) -> Any:
            seen[scope.user] = mind.store.place
            return plain(scope, mind)

        monkeypatch.setattr(scheduler, "sleep_if_due", noted)
        watching = scheduler.Scheduler(memory.maintenance.placement.home, keep=False, **watch)
        watching.look()
        assert watching.trouble == ""
        return seen

    places = memory.maintenance.placement.all(_raise)
    main, busan = (each.store.place for each in places)
    assert looked() == {"hyunwoo": main}
    assert looked(minds=memory.maintenance.placement.all) == {"hyunwoo": main, "minji": busan}


def _raise(error: SaegimError) -> None:
    raise error


def test_a_store_that_is_away_is_named_by_nights_and_doctor(
    places: tuple[str, str], tmp_path: Path
) -> None:
    """Nobody is passed over in silence; the control is the same store once it answers again."""
    name = str(conninfo_to_dict(places[1])["dbname"])
    told = f"busan={places[1]}"
    with front(tmp_path / "served", server_store=places[0], stores=told) as served:
        memory = served.house.memory
        moved_in(served, "minji").save("tea in the garden")
        access.move_person(memory, "minji", "busan")
        watching = scheduler.Scheduler(memory.mind, keep=False, minds=_stores(memory))

        def looked() -> tuple[str, list[str], list[str]]:
            watching.look()
            found = [each for each in memory.doctor() if each.name == "stores"]
            return watching.trouble, [each.case for each in found], [each.detail for each in found]

        assert looked()[:2] == ("", ["ok"])
        servers.server(15).execute(
            f"ALTER DATABASE {name} ALLOW_CONNECTIONS false",
            f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'",
        )
        trouble, cases, details = looked()
        assert "'busan'" in trouble
        assert cases == ["error"]
        assert "'busan'" in details[0]
        korean = translated(trouble, "ko")
        assert "저장소 'busan'을 건너뛰었습니다" in korean
        servers.server(15).execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS true")
        assert looked()[:2] == ("", ["ok"])


def _stores(memory: Saegim) -> scheduler.Minds:
    return memory.maintenance.placement.all


def test_what_is_in_mind_goes_along(places: tuple[str, str]) -> None:
    """A session that is open while its user is moved is put down, and goes on over there."""
    main, busan = places
    with Saegim.open(main, stores=f"busan={busan}", background=False, user="minji") as memory:
        memory.working.upsert_query("walk", "산책은 어디로 갈까?")
        memory.maintenance.placement.move("minji", "busan")
        with pytest.raises(SaegimError, match="busan"):
            memory.remember("in the old store")
        there = memory.within(user="you").within(user="minji")
        assert there.mind.store is not memory.mind.store
        there.working.upsert_query("walk", "한강은 어떨까?")
        record = json.dumps(there.working.export("walk", "snapshot"), ensure_ascii=False)
        assert "산책" in record
        assert "한강" in record
        ended = there.working.finalize_session("walk")
        assert ended is not None
    with Saegim.open(busan, background=False, user="minji") as memory:
        assert [each.id for each in memory.sessions.recent(5)] == ["walk"]


def test_what_the_users_of_an_agent_share_is_read_from_everywhere(divided: Front) -> None:
    """It lies in main, and who was moved still finds it, and adds to it there."""
    memory = divided.house.memory
    shared = Scope("agent:barista", "barista")
    at_main = memory.within(user="agent:barista", agent="barista")
    made = at_main.remember("the grinder is set to seven", visibility="shared")
    moved_in(divided, "minji").save("tea")
    access.move_person(memory, "minji", "busan")
    minji = memory.within(user="minji", agent="barista")
    assert made.id in [hit.memory.id for hit in minji.recall("what is the grinder set to").hits]
    assert minji.get(made.id).text == "the grinder is set to seven"
    with pytest.raises(BadInput, match="agent:"):
        memory.maintenance.placement.move(shared.user, "busan")


def test_a_store_that_the_settings_do_not_name_is_said(
    places: tuple[str, str], tmp_path: Path
) -> None:
    """Whoever lies there is not taken for somebody without memories."""
    main, busan = places
    with Saegim.open(main, stores=f"busan={busan}", background=False) as memory:
        memory.remember("tea")
        memory.maintenance.placement.move("me", "busan")
        assert [each.text for each in memory.within(user="you").within(user="me").recent().memories]
    with pytest.raises(SettingsError, match="busan"):
        Saegim.open(main, background=False)
    with Saegim.open(main, stores=f"busan={busan}", background=False) as memory:
        assert [each.text for each in memory.recent().memories] == ["tea"]


@pytest.mark.parametrize("stores", ["busan", "main=postgresql://x", "a=x", "A=postgresql://x"])
def test_stores_that_cannot_be_read_are_refused(stores: str, tmp_path: Path) -> None:
    """Each with its own next step."""
    with pytest.raises(SettingsError, match="stores"):
        Saegim.open(tmp_path / "memory.db", stores=stores)


def test_a_file_is_not_divided(tmp_path: Path, places: tuple[str, str]) -> None:
    """It is said what to do first."""
    with Saegim.open(tmp_path / "memory.db", stores=f"busan={places[1]}") as memory:
        memory.remember("tea")
        with pytest.raises(SaegimError, match="file"):
            memory.maintenance.placement.move("me", "busan")


def test_the_command_line_moves_a_person(
    places: tuple[str, str], tmp_path: Path, say: Say, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`saegim user move NAME --to STORE`, and every other command finds them there."""
    main, busan = places
    monkeypatch.setenv("SAEGIM_HOME", str(tmp_path / "cli"))
    monkeypatch.setenv("SAEGIM_STORE", main)
    monkeypatch.setenv("SAEGIM_STORES", f"busan={busan}")

    def said(*arguments: str, code: int = 0) -> str:
        answer = say(*arguments)
        assert answer.code == code, answer.err
        return answer.out + answer.err

    said("user", "add", "minji")
    said("--user", "minji", "remember", "알레르기: 새우")
    assert "busan" in said("user", "move", "minji", "--to", "busan")
    assert "새우" in said("--user", "minji", "recall", "알레르기")
    (told,) = json.loads(said("--json", "user", "list"))["users"]
    assert (told["store"], told["memories"]) == ("busan", 1)
    assert "busan" in said("user", "list")
    assert "main" in said("user", "move", "minji", code=2)

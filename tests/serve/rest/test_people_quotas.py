"""How much one of several people may have and ask: clear refusals, and nobody else is touched."""

from __future__ import annotations

from pathlib import Path

import pytest
from doorbell import Front
from sharing import moved_in

from saegim import FixedClock, Saegim
from saegim.engines.llm.models import Scripted
from saegim.errors import QuotaReached
from saegim.serve import access
from saegim.sleep.scheduler import Scheduler
from saegim.store.tables.people_table import Quota

SAVE = "/v1/memories"


def test_as_many_memories_as_a_person_may_have(door: Front) -> None:
    """One more is refused with what to do; letting one go for good, or a new limit, makes room."""
    minji = moved_in(door, "minji", Quota(memories=3))
    hyunwoo = moved_in(door, "hyunwoo")
    ids = [minji.save(f"the {word} of the harbour") for word in ("lamp", "rope", "bell")]
    heard = minji.ask("POST", SAVE, {"text": "the gull of the harbour", "source": "user"})
    assert (heard.status, heard.json["kind"]) == (507, "QuotaReached")
    assert "3" in heard.json["detail"]
    assert "--memories" in heard.json["next_step"]
    korean = minji.ask(
        "POST", SAVE, {"text": "항구의 갈매기", "source": "user"}, Accept_Language="ko"
    )
    assert "한도" in korean.json["detail"]
    # What is there can be read, corrected by nobody else, and let go.
    assert minji.ask("GET", f"{SAVE}/{ids[0]}").status == 200
    assert minji.ask("DELETE", f"{SAVE}/{ids[0]}").status == 200
    hyunwoo.save("the gull of the harbour")
    door.save("the gull of the harbour")
    door.house.memory.mind.store.people.limit("minji", Quota(memories=4))
    minji.save("the gull of the harbour")


def test_as_many_bytes_as_a_person_may_have(door: Front) -> None:
    """Counted in bytes, so that Korean counts as what it takes."""
    minji = moved_in(door, "minji", Quota(bytes=60))
    minji.save("항구의 등대지기")
    heard = minji.ask("POST", SAVE, {"text": "항구의 등대지기가 " * 3, "source": "user"})
    assert (heard.status, "--bytes" in heard.json["next_step"]) == (507, True)
    minji.save("짧은 말")
    count, size = door.house.memory.mind.store.memories.held("minji")
    assert (count, size) == (2, len("항구의 등대지기짧은 말".encode()))


def test_as_many_requests_as_a_person_may_make_in_a_day(door: Front) -> None:
    """Then 429 and how long to wait; others go on, and the next process knows how many it were."""
    minji = moved_in(door, "minji", Quota(requests=3))
    hyunwoo = moved_in(door, "hyunwoo")
    assert [minji.ask("GET", SAVE).status for _ in range(5)] == [200, 200, 200, 429, 429]
    heard = minji.ask("GET", SAVE)
    assert heard.json["kind"] == "QuotaReached"
    assert 0 < int(heard.headers["retry-after"]) <= 86_400
    assert hyunwoo.ask("GET", SAVE).status == 200
    assert door.ask("GET", SAVE).status == 200
    door.house.access.flush()
    another = access.Access(lambda: door.house.memory)
    with pytest.raises(QuotaReached):
        another.by_token(minji.token)


def test_requests_of_two_processes_are_counted_together(door: Front) -> None:
    """Once a minute each writes what it counted, and reads what everybody did."""
    minji = moved_in(door, "minji", Quota(requests=4))
    one, other = (access.Access(lambda: door.house.memory) for _ in range(2))
    for each in (one, one, other, other):
        assert each.by_token(minji.token) is not None
    one.flush()
    other.flush()
    one.flush()
    for each in (other, access.Access(lambda: door.house.memory)):
        with pytest.raises(QuotaReached):
            each.by_token(minji.token)


def test_as_many_model_calls_as_a_person_may_have(tmp_path: Path) -> None:
    """One person's are spent and wait for tomorrow; another's are made, and so are the owner's."""
    model, clock = Scripted(lambda _: {"facts": []}), FixedClock()
    with Saegim.open(tmp_path / "s.db", clock=clock, model=model, background=False) as memory:
        access.add_person(memory, "minji", Quota(model_calls=1))
        access.add_person(memory, "hyunwoo", Quota())
        said = "지민이는 커피를 마시지 않고 보리차를 좋아한다고 했다. 내일 부산에 간다."
        for user in ("minji", "hyunwoo", "me"):
            theirs = memory.within(user=user)
            for number in range(2):
                theirs.remember(f"{said} {number}번째로 한 말이다.")
        done = list(memory.maintenance.work())
        by = {user: [] for user in ("minji", "hyunwoo", "me")}
        for each in done:
            by[each.job.scope.user].append(each.outcome)
        assert sorted(by["minji"]) == ["done", "put off"]
        assert by["hyunwoo"] == by["me"] == ["done", "done"]
        assert model.calls == 5
        clock.forward(days=1)
        assert [each.outcome for each in memory.maintenance.work()] == ["done"]


def test_the_nights_of_everyone_are_slept(tmp_path: Path) -> None:
    """Each owner's own night, by the one scheduler of the server; nobody's is slept for another."""
    clock = FixedClock()
    with Saegim.open(tmp_path / "s.db", clock=clock, background=False) as memory:
        people = ("minji", "hyunwoo", "sora")
        for name in people:
            access.add_person(memory, name, Quota())
            memory.within(user=name).remember(f"the lamp of {name} burns all night")
        Scheduler.once(memory.mind)
        clock.forward(days=1, hours=1)
        looked = Scheduler.once(memory.mind)
        assert looked.trouble == ""
        for name in people:
            nights = memory.within(user=name).nights.latest()
            assert len(nights) == 1, name
        assert memory.nights.latest() == []

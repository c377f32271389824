"""Several people, one server: whose memory it is, the token says, and nothing else."""

from __future__ import annotations

import http.client
import json
import subprocess
import sys
from pathlib import Path

import pytest
from doorbell import BOTH, Front, front
from sharing import administrator, bearer, moved_in

from saegim import Saegim
from saegim.serve import access
from saegim.store.tables.people_table import Quota
from stand_ins import wait_until

SAVE = "/v1/memories"
REVOKE = """
import sys
from saegim import Saegim
with Saegim.open(sys.argv[1], background=False) as memory:
    memory.mind.store.tokens.revoke(sys.argv[2], None, memory.mind.now())
"""


def test_each_token_opens_its_own_memory(door: Front) -> None:
    """What minji keeps, hyunwoo does not find, and whose machine it is does not either."""
    minji, hyunwoo = moved_in(door, "minji"), moved_in(door, "hyunwoo")
    id = minji.save("알레르기: 새우")
    own = door.save("the boiler is serviced in May")
    assert minji.ask("GET", f"{SAVE}/{id}").json["memory"]["text"] == "알레르기: 새우"
    assert minji.ask("GET", f"{SAVE}?limit=9").json["scope"]["user"] == "minji"
    for who in (hyunwoo, door):
        heard = who.ask("GET", f"{SAVE}/{id}")
        assert (heard.status, "새우" in heard.body.decode()) == (404, False)
        assert "새우" not in who.ask("POST", "/v1/search", {"query": "알레르기"}).body.decode()
    assert minji.ask("GET", f"{SAVE}/{own}").status == 404
    with Saegim.open(door.home / "saegim.db", user="minji", background=False) as theirs:
        assert theirs.get(id).text == "알레르기: 새우"


def test_a_single_person_s_server_stays_as_it_was(door: Front) -> None:
    """Without people the token file opens the default user's memory, and no row is written."""
    door.save("barley tea")
    assert door.ask("GET", f"{SAVE}?limit=1").json["scope"]["user"] == "me"
    assert door.ask("GET", SAVE, Saegim_User="someone").status == 200
    store = door.house.memory.mind.store
    assert not store.people.is_shared()
    assert store.tokens.all() == []
    assert not door.house.access.is_shared()


@pytest.mark.parametrize("where", ["header", "query", "body", "call", "arguments"])
def test_a_token_of_one_with_the_name_of_another_is_403(shared: Front, where: str) -> None:
    """FAULTS 38: whoever names somebody else is refused, and so is whose machine it is."""
    minji = moved_in(shared, "minji")
    moved_in(shared, "hyunwoo")
    for who, other in ((minji, "hyunwoo"), (minji, "me"), (shared, "minji")):
        asked: dict[str, tuple[str, str, object]] = {
            "header": ("GET", SAVE, None),
            "query": ("GET", f"{SAVE}?user={other}", None),
            "body": ("POST", "/v1/search", {"query": "tea", "user": other}),
            "call": ("POST", "/v1/call/memory_list", {"user": other}),
            "arguments": ("POST", "/v1/call/memory_list", {"arguments": {"owner": other}}),
        }
        heard = who.ask(*asked[where], Saegim_User=other if where == "header" else None)
        assert heard.status == 403, (who, heard)
        assert heard.json["kind"] == "Forbidden"
        assert heard.json["next_step"]
    # One's own name is no lie.
    assert minji.ask("GET", SAVE, Saegim_User="minji").status == 200


def test_a_revoked_token_opens_nothing_with_the_next_request(door: Front) -> None:
    """Another process revoked it a moment ago: nothing is believed from before."""
    minji, other = moved_in(door, "minji"), moved_in(door, "minji")
    assert [each.ask("GET", SAVE).status for each in (minji, other)] == [200, 200]
    line = [sys.executable, "-c", REVOKE, str(door.home / "saegim.db"), minji.id]
    subprocess.run(line, check=True, timeout=240)
    assert [each.ask("GET", SAVE).status for each in (minji, other)] == [401, 200]
    assert minji.ask("GET", "/mcp", Accept=BOTH).status == 401


def test_a_removed_person_s_token_opens_nothing(door: Front) -> None:
    """Not even after somebody is added under the same name: the tokens are gone."""
    minji = moved_in(door, "minji")
    minji.save("a letter")
    memory = door.house.memory
    memory.mind.store.people.remove("minji")
    assert minji.ask("GET", SAVE).status == 401
    access.add_person(memory, "minji", Quota(), with_memories=True)
    assert minji.ask("GET", SAVE).status == 401


def test_a_token_ends_with_its_day(door: Front) -> None:
    """One of a day opens nothing after it; one without an end goes on."""
    minji = moved_in(door, "minji", days=1)
    lasting = moved_in(door, "minji")
    mind = door.house.memory.mind
    digest = access.digest_of(minji.token)
    row, _ = mind.store.tokens.find(digest, mind.now()) or (None, None)
    assert row is not None
    assert row.expires_at is not None
    assert mind.store.tokens.find(digest, row.expires_at) is None
    with mind.store.database.writing() as connection:
        connection.execute("UPDATE access_token SET expires_at = 1 WHERE id = ?", (minji.id,))
    assert minji.ask("GET", SAVE).status == 401
    assert lasting.ask("GET", SAVE).status == 200


@pytest.mark.parametrize(
    "said",
    [
        "",
        "Bearer",
        "Bearer ",
        "Bearer saegim_",
        "Bearer {token} {token}",
        "Bearer {token},Bearer {token}",
        "Bearer {token}x",
        "Bearer {lower}",
        "Basic {token}",
        "{token}",
    ],
)
def test_a_token_that_is_not_whole_is_refused(shared: Front, said: str) -> None:
    """Empty, doubled, longer or otherwise written tokens open nothing."""
    minji = moved_in(shared, "minji")
    written = said.format(token=minji.token, lower=minji.token.swapcase())
    assert shared.ask("GET", SAVE, Authorization=written).status == 401
    assert minji.ask("GET", SAVE).status == 200


def test_two_tokens_at_once_are_refused(shared: Front) -> None:
    """Of two headers nobody can say which counts; both of the same person neither."""
    minji = moved_in(shared, "minji")
    connection = http.client.HTTPConnection("127.0.0.1", shared.port, timeout=60)
    connection.putrequest("GET", SAVE)
    for _ in range(2):
        connection.putheader("Authorization", f"Bearer {minji.token}")
    connection.endheaders()
    assert connection.getresponse().status == 401
    connection.close()


def test_a_token_in_an_address_is_refused(shared: Front) -> None:
    """Where others read it, it is not taken; and nobody hears whether it was one."""
    minji = moved_in(shared, "minji")
    heard = minji.ask("GET", f"{SAVE}?q={minji.token}")
    assert (heard.status, heard.json["kind"]) == (400, "TokenInAddress")


def test_only_a_digest_of_a_token_is_kept(tmp_path: Path) -> None:
    """Nobody who reads the file can use what stands there; the token itself opens."""
    home = tmp_path / "served"
    with front(home) as door:
        minji = moved_in(door, "minji", label="laptop")
        cookie = minji.cookie().partition("=")[2]
        assert minji.ask("GET", SAVE).status == 200
    files = b"".join(each.read_bytes() for each in home.rglob("*") if each.is_file())
    assert access.digest_of(minji.token).encode() in files
    assert b"laptop" in files
    for secret in (minji.token, minji.token.removeprefix("saegim_"), cookie):
        assert secret.encode() not in files


def test_a_token_may_only_do_what_it_has_the_right_to(shared: Front) -> None:
    """One that reads does not write, and one that writes does not read."""
    reader = moved_in(shared, "minji", rights=["read"])
    writer = moved_in(shared, "minji", rights=["write"])
    asked = {"text": "the keys are with Sora", "source": "user"}
    heard = reader.ask("POST", SAVE, asked)
    assert (heard.status, heard.json["kind"]) == (403, "Forbidden")
    assert writer.ask("POST", SAVE, asked).status == 200
    assert writer.ask("POST", "/v1/search", {"query": "keys"}).status == 403
    assert writer.ask("GET", "/v1/export").status == 403
    assert reader.ask("GET", "/v1/export").status == 200
    assert "Sora" in reader.ask("POST", "/v1/search", {"query": "keys"}).body.decode()


def test_the_last_use_of_a_token_is_known(door: Front) -> None:
    """It is written behind the answer, and not with every request."""
    minji = moved_in(door, "minji")
    tokens = door.house.memory.mind.store.tokens
    assert tokens.all("minji")[0].used_at is None
    minji.ask("GET", SAVE)
    wait_until(lambda: tokens.all("minji")[0].used_at is not None)
    first = tokens.all("minji")[0].used_at
    for _ in range(5):
        minji.ask("GET", SAVE)
    assert tokens.all("minji")[0].used_at == first


# -- the administrator ----------------------------------------------------------------------------


def test_an_administrator_makes_people_and_reads_nothing(door: Front) -> None:
    """Over HTTP: a person, a token, a link, limits, revoking, removing; and no memory."""
    boss = bearer(administrator(door))
    assert door.ask("POST", "/v1/users", {"name": "minji", "memories": 5}, **boss).status == 200
    made = door.ask("POST", "/v1/users/minji/tokens", {"label": "phone", "days": 3}, **boss)
    assert made.json["token"].startswith("saegim_")
    theirs = bearer(made.json["token"])
    kept = door.ask("POST", SAVE, {"text": "비밀 일기", "source": "user"}, **theirs)
    assert kept.status == 200
    for method, path, body in (
        ("GET", SAVE, None),
        ("GET", f"{SAVE}/{kept.json['id']}", None),
        ("POST", "/v1/search", {"query": "일기"}),
        ("POST", "/v1/call/memory_list", {}),
        ("GET", "/v1/export", None),
        ("GET", "/v1/stats", None),
        ("POST", "/v1/backups", {}),
        ("GET", "/v1/backups", None),
    ):
        heard = door.ask(method, path, body, **boss)
        assert heard.status == 403, (path, heard)
        assert "일기" not in heard.body.decode()
    listed = door.ask("GET", "/v1/users/minji/tokens", **boss)
    assert made.json["token"] not in listed.body.decode()
    assert door.ask("GET", "/v1/users", **boss).json["users"][0]["limits"]["memories"] == 5
    link = door.ask("POST", "/v1/users/minji/links", {}, **boss).json["link"]
    path = link.partition(str(door.port))[2]
    assert door.ask("GET", path, Authorization=None).status == 303
    assert door.ask("GET", path, Authorization=None).status == 403, "a link works once"
    changed = door.ask("PUT", "/v1/users/minji", {"memories": None}, **boss)
    assert changed.json["user"]["limits"]["memories"] is None
    gone = door.ask("DELETE", f"/v1/users/minji/tokens/{made.json['id']}", **boss)
    assert gone.json["revoked_at"]
    assert door.ask("GET", SAVE, **theirs).status == 401
    assert door.ask("DELETE", "/v1/users/minji", **boss).status == 200
    assert door.ask("GET", "/v1/users/minji/tokens", **boss).status == 404


def test_nobody_else_makes_people(shared: Front) -> None:
    """Neither a person nor the token that every program of this machine can read."""
    minji = moved_in(shared, "minji")
    for who in (minji, shared):
        for method, path, body in (
            ("GET", "/v1/users", None),
            ("POST", "/v1/users", {"name": "sora"}),
            ("POST", "/v1/users/minji/tokens", {}),
            ("POST", "/v1/users/minji/links", {}),
            ("DELETE", "/v1/users/minji", None),
        ):
            assert who.ask(method, path, body).status == 403, path
    assert shared.ask("POST", "/v1/users", {"name": "sora"}, **bearer(administrator(shared))).status
    assert minji.ask("GET", SAVE).status == 200


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"name": 7},
        {"name": "sora", "memories": "many"},
        {"name": "sora", "memories": True},
        {"name": "sora", "memories": -1},
        {"name": "sora", "memories": 2**70},
        {"name": "sora", "colour": "red"},
        {"name": ""},
        {"name": "s" * 4000},
        {"name": "so'ra"},
        {"name": 'so"ra'},
        {"name": "so%ra"},
        {"name": "so\u0000ra"},
        {"name": "../sora"},
        {"name": "agent:shop"},
        [],
    ],
)
def test_a_person_who_cannot_be_is_refused(shared: Front, body: object) -> None:
    """Each with what is wrong and what to do, and nothing is changed."""
    boss = bearer(administrator(shared))
    before = shared.ask("GET", "/v1/users", **boss).json
    heard = shared.ask("POST", "/v1/users", body, **boss)
    assert heard.status == 422, heard
    assert heard.json["next_step"]
    assert shared.ask("GET", "/v1/users", **boss).json == before


# -- what tells of the machine --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "/v1/status", None),
        ("POST", "/v1/doctor", {}),
        ("POST", "/v1/backups", {}),
        ("GET", "/v1/backups", None),
        ("GET", "/v1/federation", None),
        ("GET", "/v1/usage", None),
        ("POST", "/v1/imports", {"path": "/tmp"}),
        ("POST", "/v1/hook", {"event": "session-start", "told": {}}),
        ("GET", "/metrics", None),
    ],
)
def test_what_tells_of_the_machine_is_for_whose_it_is(
    shared: Front, method: str, path: str, body: object
) -> None:
    """No other person learns its paths, its size or its disk; whose machine it is, does."""
    minji = moved_in(shared, "minji")
    heard = minji.ask(method, path, body)
    assert heard.status == 403, heard
    assert str(shared.home) not in heard.body.decode()
    assert shared.ask(method, path, body).status in (200, 409, 422)


def test_a_folder_of_the_server_is_not_looked_at_for_others(shared: Front, tmp_path: Path) -> None:
    """Whether there is a project in it would tell them of a disk that is not theirs."""
    (tmp_path / "pyproject.toml").touch()
    minji = moved_in(shared, "minji")
    heard = minji.ask("GET", SAVE, Saegim_Folder=str(tmp_path))
    assert (heard.status, "Saegim-Project" in heard.json["next_step"]) == (422, True)
    assert shared.ask("GET", SAVE, Saegim_Folder=str(tmp_path)).status == 200


# -- keys that make a request one -----------------------------------------------------------------


def test_the_same_key_of_two_people_is_two_requests(door: Front) -> None:
    """FAULTS 42: neither hears the other's answer, nor that the key was used; each their own."""
    minji, hyunwoo = moved_in(door, "minji"), moved_in(door, "hyunwoo")
    first = minji.ask("POST", SAVE, {"text": "tea", "source": "user"}, Idempotency_Key="k1")
    other = hyunwoo.ask("POST", SAVE, {"text": "coffee", "source": "user"}, Idempotency_Key="k1")
    again = minji.ask("POST", SAVE, {"text": "tea", "source": "user"}, Idempotency_Key="k1")
    assert [each.status for each in (first, other, again)] == [200, 200, 200]
    assert other.json["id"] != first.json["id"]
    assert again.json["id"] == first.json["id"]
    assert json.loads(again.body) == first.json
    reader = moved_in(door, "minji", rights=["read"])
    kept = reader.ask("POST", SAVE, {"text": "tea", "source": "user"}, Idempotency_Key="k1")
    assert kept.status == 403, "an answer that is kept is not read without the right to ask"

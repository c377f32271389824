"""What users of such systems suffered from, tried on the whole of ours through its facade."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import unicodedata
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saegim import FixedClock, Recollection, Saegim
from saegim.engines.embedder import Role, Vector
from saegim.errors import BadInput, NotFound, SaegimError, Unavailable
from saegim.store import store as upkeep
from saegim.store.rows import Params, Where
from stand_ins import Toy, rounds, shelve, wait_until

TESTS = Path(__file__).parents[1]


def python(code: str, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a piece of Python in a process of its own, with our packages and stand-ins."""
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONPATH": str(TESTS), **environment},
        check=False,
    )


def answer(found: Recollection) -> list[tuple[str, float]]:
    """Return what a recall found, in order, with the scores."""
    return [(hit.memory.id, round(hit.score, 6)) for hit in found.hits]


# -- U1: stored means stored ----------------------------------------------------------------------


class OneAtATime(Toy):
    """A remote server that takes one text per request and fails every third."""

    def embed(self, texts: Sequence[str], role: Role) -> list[Vector]:
        """Refuse batches; count and answer single texts."""
        if len(texts) > 1:
            raise Unavailable("One text at a time.")
        return super().embed(texts, role)


def test_an_embedder_that_fails_every_third_time_costs_no_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """U1.2: 30 stored, each with its state, failures counted, recovery with no user action."""
    monkeypatch.setattr(upkeep, "_IDLE_SECONDS", 0.02)
    clock, remote = FixedClock(), OneAtATime(local=False)
    remote.fails = lambda call: call % 3 == 0
    with Saegim.open(tmp_path / "m.db", clock=clock, embedder=remote) as memory:
        # Of two digits each: letters inside a word find it as well (seed A §5.2).
        kept = [memory.remember(f"주전자 kettle word{n:02}") for n in range(30)]
        assert {(each.status, each.indexed) for each in kept} == {("stored", "pending")}
        assert memory.recent().total == 30

        def index() -> tuple[int, int, int]:
            held = memory.status()["index"]
            return held["ready"], held["pending"], held["failed"]

        wait_until(lambda: index()[1] == 0)
        assert index() == (20, 0, 10)
        assert "out for call" in memory.status()["index"]["error"]
        assert all(memory.search(f"word{n:02}")[0].id == kept[n].id for n in range(30))
        before = (
            memory.maintenance.verify(),
            [(each.id, each.time) for each in memory.recent(30).memories],
        )
        remote.fails = lambda _: False
        clock.forward(seconds=5)
        wait_until(lambda: index() == (30, 0, 0))
        after = (
            memory.maintenance.verify(),
            [(each.id, each.time) for each in memory.recent(30).memories],
        )
        assert after == before
        assert all(hit.vector > 0 for hit in memory.recall("kettle word07").hits[:1])


@pytest.mark.parametrize("text", ["", "   ", "\n\t", "\u3000", "\u200b"])
def test_nothing_is_told_as_nothing(memory: Saegim, text: str) -> None:
    """U1.3: an empty text is an error with its reason, never a success without an id."""
    with pytest.raises(BadInput, match="empty"):
        memory.remember(text)
    assert memory.maintenance.verify()[0] == 0


def test_every_other_outcome_has_a_code_and_an_id(memory: Saegim) -> None:
    """U1.3: stored, duplicate and repeated are told apart, each with the id to find it by."""
    stored = memory.remember("보리차", key="a")
    duplicate = memory.remember("보리차 ")
    repeated = memory.remember("보리차", key="a")
    outcomes = [(each.status, each.duplicate_of, each.id) for each in (stored, duplicate, repeated)]
    assert outcomes == [
        ("stored", None, stored.id),
        ("duplicate", stored.id, stored.id),
        ("repeated", stored.id, stored.id),
    ]
    assert memory.recent().total == 1


# -- U3: one text, however it is typed ------------------------------------------------------------


def wide(text: str) -> str:
    """Write ASCII the way an East Asian keyboard may."""
    return "".join(chr(ord(char) + 0xFEE0) if "!" <= char <= "~" else char for char in text)


def test_every_way_to_type_a_question_gives_the_same_answer(memory: Saegim) -> None:
    """U3.3: recall(NFC) == recall(NFD) == recall(full-width)."""
    texts = (
        "보리차를 파란 주전자에 끓였다 Kettle 20.04",
        "Notion에 회의록을 정리했다",
        "What the API key is for",
        "한강에서 자전거를 탔다",
    )
    for text in texts:
        memory.remember(unicodedata.normalize("NFD", text) if "Notion" in text else text)
    for question in ("보리차 주전자", "What is the kettle 20.04?", "notion 회의록", "자전거 한강"):
        nfc = memory.recall(question)
        assert nfc.hits
        for typed in (
            unicodedata.normalize("NFD", question),
            wide(question),
            f" {question}\u200b ",
        ):
            other = memory.recall(typed)
            assert answer(other) == answer(nfc), typed
            assert memory.search(typed) == memory.search(question)


@pytest.mark.parametrize(
    "text",
    [
        unicodedata.normalize("NFD", "각도를 잰다"),
        "ＡＢＣ　１２３",
        "a\u200bb\ufeff",
        " x \r\n",
        "👩\u200d👧",
    ],
    ids=range(5),
)
def test_the_original_is_kept_byte_for_byte(memory: Saegim, tmp_path: Path, text: str) -> None:
    """U3.3: normalising is for finding; what was said stays as it was said."""
    kept = memory.remember(text)
    assert memory.get(kept.id).text == text
    memory.export_to(tmp_path / "out.jsonl")
    exported = (tmp_path / "out.jsonl").read_text(encoding="utf-8")
    assert any(
        json.loads(line).get("memory", {}).get("text") == text for line in exported.splitlines()
    )


# -- U5: only the identical is collapsed ----------------------------------------------------------

PAIRS = [
    *((f"회의는 {n}시에 시작한다", f"회의는 {n + 1}시에 시작한다") for n in range(1, 41, 2)),
    *((f"The parcel number is {n}", f"The parcel number is {n + 1}") for n in range(1000, 1040, 2)),
    *((f"2026년 {n}월 3일에 만난다", f"2026년 {n}월 4일에 만난다") for n in range(1, 13)),
    *((f"Due on 2026-{n:02}-10", f"Due on 2026-{n:02}-11") for n in range(1, 13)),
    *((f"서버는 버전 3.{n}.1 이다", f"서버는 버전 3.{n}.2 이다") for n in range(20)),
    *((f"We run release 1.{n}", f"We run release 1.{n}.0") for n in range(20)),
    *((f"{a} 씨 {n}호 예약", f"{b} 씨 {n}호 예약") for a, b in ("김이", "박최") for n in range(8)),
    *((f"{a} booked room {n}", f"{b} booked room {n}") for a, b in (("Ann", "Anna"), ("Jo", "Joe"))
      for n in range(8)),
    *((f"나는 {x}를 좋아한다", f"나는 {x}를 좋아하지 않는다") for x in "차개배새게파무해초소"),
    *((f"She eats {x}", f"She never eats {x}") for x in "abcdefghij"),
    *((f"{x}호실은 비었다", f"{x}호실은 안 비었다") for x in range(100, 120)),
    *((f"Room {x} is free", f"Room {x} is not free") for x in range(100, 120)),
    *((f"요금은 {n},000원", f"요금은 {n},500원") for n in range(1, 11)),
    *((f"It costs {n} EUR", f"It costs {n} USD") for n in range(1, 11)),
]  # fmt: skip


def test_near_but_distinct_texts_are_all_kept(tmp_path: Path) -> None:
    """U5.2: another number, date, version, name or negation is another memory: none lost."""
    assert len(PAIRS) >= 200
    texts = list(dict.fromkeys(text for pair in PAIRS for text in pair))
    assert len(texts) >= 390
    with Saegim.open(tmp_path / "m.db", durability="fast") as memory:
        kept = {text: memory.remember(text) for text in texts}
        assert {each.status for each in kept.values()} == {"stored"}
        living = {"states": ["active", "superseded"]}
        assert memory.recent(**living).total == len(texts)
        assert all(memory.get(each.id, exact=True).text == text for text, each in kept.items())
        # What was made outdated by its opposite is no twin when it is said again.
        held = [text for text in texts[::20] if not memory.history(kept[text].id).versions[1:]]
        twins = [memory.remember(f"  {text.upper()}\u200b") for text in held]
        assert {each.status for each in twins} == {"duplicate"}
        assert [each.duplicate_of for each in twins] == [kept[text].id for text in held]
        assert memory.recent(**living).total == len(texts)


def test_the_same_words_from_elsewhere_are_kept_apart(memory: Saegim) -> None:
    """U5.2: another author, project, agent, user or time is never collapsed."""
    memory.remember("tea at four")
    others: list[Callable[[], Any]] = [
        lambda: memory.remember("tea at four", author="지민"),
        lambda: memory.remember("tea at four", project="alpha"),
        lambda: memory.remember("tea at four", agent="codex"),
        lambda: memory.remember("tea at four", happened_at="2020-01-01"),
        lambda: memory.within(user="you").remember("tea at four"),
    ]
    assert [other().status for other in others] == ["stored"] * 5
    assert [other().status for other in others[:3]] == ["duplicate"] * 3


# -- U7: another embedder -------------------------------------------------------------------------


@pytest.mark.parametrize("dimension", [384, 768, 1024, 4096])
def test_the_dimension_is_measured_never_configured(tmp_path: Path, dimension: int) -> None:
    """U7.1: any model works with no setting but itself."""
    toy = Toy(dimension)
    with Saegim.open(tmp_path / "m.db", embedder=toy) as memory:
        kept = memory.remember("blue kettle")
        memory.remember("something else entirely")
        assert memory.recall("blue kettle").hits[0].memory.id == kept.id
        assert memory.recall("blue kettle").hits[0].vector == pytest.approx(1.0, abs=1e-3)
        assert memory.status()["index"]["dimension"] == dimension


def test_two_models_of_one_dimension_are_never_compared(tmp_path: Path) -> None:
    """U7.2: after a switch no vector of the old model is used; words answer meanwhile."""
    path, old = tmp_path / "m.db", Toy(64, model="old")
    with Saegim.open(path, embedder=old) as memory:
        ids = [memory.remember(f"kettle word{n}").id for n in range(20)]
    new = Toy(64, model="new", local=False)
    new.fails = lambda call: call > 1
    with Saegim.open(path, embedder=new) as memory:
        found = memory.recall("kettle word7")
        assert found.hits[0].memory.id == ids[7]
        assert {hit.vector for hit in found.hits} == {0.0}
        assert "20 memories are not embedded yet" in str(found.paths)
        new.fails = lambda _: False
        finish(memory, new)
        again = memory.recall("kettle word7").hits[0]
        assert again.memory.id == ids[7]
        assert again.vector == pytest.approx(1.0, abs=1e-3)


def finish(memory: Saegim, embedder: Toy) -> None:
    """Wait until everything has its vector; failures may be tried again at once."""
    store = memory.mind.store

    def complete() -> bool:
        store.keep_indexed(embedder, lambda: datetime.now(UTC) + timedelta(days=1))
        return store.vectors.coverage(embedder.identity).complete

    wait_until(complete, 60)


KILLED = """
import os, signal, sys
from pathlib import Path
from saegim import Saegim
from stand_ins import Toy

class Dying(Toy):
    def embed(self, texts, role):
        if len(self.calls) >= int(sys.argv[2]):
            os.kill(os.getpid(), signal.SIGKILL)
        return super().embed(texts, role)

memory = Saegim.open(sys.argv[1], embedder=Dying(32, model="new"))
memory.mind.store._upkeep._thread.join(60)
"""


def test_a_new_model_is_taken_up_in_the_background_and_survives_a_kill(tmp_path: Path) -> None:
    """U7.3: killed at 40 %, resumed to 100 % by the next process; the old model stays usable."""
    path, count = tmp_path / "m.db", rounds(2000, 1000)
    old, new = Toy(32, model="old"), Toy(32, model="new")
    with Saegim.open(path, embedder=old) as memory:
        ids = shelve(memory, [f"kettle word{n}x on shelf {n % 7}" for n in range(count)])
    killed = python(KILLED, str(path), str(count * 4 // 10))
    assert killed.returncode == -9, killed.stderr
    half = Toy(32, model="new", local=False)
    half.fails = lambda call: call % 2 == 0
    with Saegim.open(path, embedder=half) as memory:
        assert 0.3 * count < memory.mind.store.vectors.coverage(new.identity).ready < 0.5 * count
        for n in range(0, count, 97):
            found = memory.recall(f"word{n}x", limit=5)
            assert found.hits[0].memory.id == ids[n]
    with Saegim.open(path, embedder=new) as memory:
        finish(memory, new)
        assert memory.mind.store.vectors.coverage(new.identity).ready == count
        assert memory.recall(f"kettle word{count - 1}x").hits[0].vector > 0.5
        memory.maintenance.verify()
    with Saegim.open(path, embedder=old) as memory:
        assert memory.mind.store.vectors.waiting(old.identity) == 0
        assert memory.recall(f"kettle word{count - 1}x").hits[0].vector > 0.5


# -- U20: time ------------------------------------------------------------------------------------

ZONES = """
import json, re, sys
from datetime import datetime, timedelta, timezone
from pathlib import Path
from saegim import FixedClock, Saegim

home = Path(sys.argv[1])
clock = FixedClock()
told = []
with Saegim.open(home / "m.db", clock=clock, timezone="Asia/Seoul") as memory:
    for n, at in enumerate((
        "2026-01-01", "2026-01-01T00:30:00+09:00", "2025-12-31T23:30:00-08:00",
        "2026-03-08T02:30:00-08:00", "2026-03-29T01:30:00Z", "1988-05-08T02:30:00+10:00",
        "2038-01-19T03:14:08Z", "0002-01-01T00:00:00+14:00", "9998-12-31T00:00:00-12:00",
    )):
        clock.forward(minutes=1)
        memory.remember(f"kettle {n} 주전자", happened_at=at, session="s", tags=[f"t{n}"])
    memory.remember("now 지금")
    told += [(m.text, m.time.happened_at.isoformat(), m.time.recorded_at.isoformat())
             for m in memory.recent(50).memories]
    for since, until in (("2026-01-01", "2026-01-02"), ("2025-12-31T15:00:00Z", None),
                         (None, "2026-01-01T00:00:00+09:00")):
        told.append([m.text for m in memory.search("kettle", since=since, until=until)])
    told.append([(h.memory.text, round(h.score, 6)) for h in memory.recall("kettle 3").hits])
    told.append(memory.status()["ledger"]["at"])
    memory.remember("naive", happened_at=datetime(2026, 1, 1))
    told.append(memory.get(memory.search("naive")[0].id).time.happened_at.isoformat())
    memory.export_to(home / "out.jsonl")
    text = (home / "out.jsonl").read_text(encoding="utf-8")
    told.append(re.sub(r"mem_\\w+|[0-9a-f]{64}", "ID", text))
    told.append(re.sub(r"_[0-9a-f]{16}", "", " ".join(sorted(re.findall(r"mem_\\w+", text)))))
    clock.forward(days=7)
    told.append([m.life.expires_at.isoformat() for m in memory.recent(3).memories])
print(json.dumps(told, ensure_ascii=False))
"""


def test_the_zone_of_the_machine_changes_nothing(tmp_path: Path) -> None:
    """U20.1: identical results under UTC, Seoul and Los Angeles, where the person names a zone.

    A time without a zone was refused here; seed A (A3) reads it on the person's own clock.
    """
    told = {}
    for zone in ("UTC", "Asia/Seoul", "America/Los_Angeles"):
        home = tmp_path / zone.replace("/", "-")
        home.mkdir()
        done = python(ZONES, str(home), TZ=zone, PYTHONUTF8="1")
        assert done.returncode == 0, done.stderr
        told[zone] = done.stdout
    assert told["UTC"] == told["Asia/Seoul"] == told["America/Los_Angeles"]
    assert "2026-01-01T00:00:00+09:00" in told["UTC"]
    assert "2025-12-31T23:30:00-08:00" in told["UTC"]


# -- U21: ten users in one file -------------------------------------------------------------------

USERS = [f"user{n}" for n in range(10)]


def canary(user: str) -> str:
    """Return a word that only one user ever says."""
    return f"canary{user}zq"


def settle(memory: Saegim) -> dict[str, list[str]]:
    """Give ten users memories that look alike but for a word of their own; return the ids."""
    ids: dict[str, list[str]] = {}
    for user in USERS:
        room = memory.within(user=user)
        texts = [f"blue kettle {n} 주전자 {canary(user)} note {n}" for n in range(12)]
        ids[user] = shelve(room, texts, tags=["shared", canary(user)], author=canary(user))
        ids[user] += shelve(room, [f"turn {canary(user)}"], session="same", domain=canary(user))
        room.forget(ids[user][0])
        ids[user].append(room.update(ids[user][1], f"corrected kettle {canary(user)}").id)
    return ids


def readers(place: Path) -> dict[str, Callable[[Saegim, Random, str], Any]]:
    """Return every public way to read, each given a user's view, chance and any id."""

    def get(view: Saegim, _: Random, id: str) -> Any:
        try:
            return view.get(id), view.get(id, exact=True), view.history(id)
        except NotFound:
            return None

    def export(view: Saegim, chance: Random, _: str) -> str:
        target = place / f"{chance.random()}.jsonl"
        view.export_to(target)
        return target.read_text(encoding="utf-8")

    def folder(view: Saegim, chance: Random, _: str) -> str:
        target = place / f"{chance.random()}"
        view.export_to(target, form="coordinates")
        return "".join(path.read_text("utf-8") for path in target.rglob("*") if path.is_file())

    def asked(chance: Random) -> str:
        return chance.choice(["kettle", "주전자", canary(chance.choice(USERS)), "blue note 7"])

    states = ["active", "leaving", "superseded"]
    return {
        "recall": lambda view, c, _: view.recall(asked(c), limit=c.choice([1, 10, 200])),
        "recall states": lambda view, c, _: view.recall(asked(c), states=states, everywhere=True),
        "search": lambda view, c, _: view.search(asked(c), limit=100),
        "search tags": lambda view, c, _: view.search(tags=["shared"], limit=100),
        "recent": lambda view, c, _: view.recent(c.choice([1, 50]), states=states),
        "recent author": lambda view, c, _: view.recent(5, author=canary(c.choice(USERS))),
        "session": lambda view, c, _: view.by_session("same"),
        "sessions": lambda view, c, _: view.sessions.ids(),
        "status": lambda view, c, _: view.status(),
        "verify": lambda view, c, _: view.maintenance.verify(),
        "preview": lambda view, c, _: view.forgetting.matching(asked(c), states=states),
        "get": get,
        "export": export,
        "export folder": folder,
    }


def leaks(memory: Saegim, ids: dict[str, list[str]], place: Path, operations: int) -> list[str]:
    """Read at random as every user; return each answer that carries a word of someone else."""
    chance, ways = Random(7), readers(place)
    rare = ("export", "export folder", "status", "verify")
    names = [name for name in ways if name not in rare] * 12 + list(rare)
    found = []
    for _ in range(operations):
        user, name = chance.choice(USERS), chance.choice(names)
        other = chance.choice(ids[chance.choice(USERS)])
        told = str(ways[name](memory.within(user=user), chance, other))
        found += [
            f"{name} told {user} of {each}"
            for each in USERS
            if each != user and canary(each) in told.replace(f"asked={canary(each)}", "")
        ]
    return found


def test_no_way_of_reading_shows_one_user_the_memory_of_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """U21.1: 20,000 reads of ten users by night, no leak; without the wall the same reads leak."""
    with Saegim.open(tmp_path / "m.db", durability="fast") as memory:
        ids = settle(memory)
        assert leaks(memory, ids, tmp_path, rounds(20_000, 500)) == []
        whole = Where.sql

        def without_wall(self: Where) -> tuple[str, Params]:
            sql, params = whole(self)
            return sql.replace("m.owner = :owner AND ", "", 1), params

        monkeypatch.setattr(Where, "sql", without_wall)
        assert leaks(memory, ids, tmp_path, 300) != []


def test_writes_do_not_reach_another_user(tmp_path: Path) -> None:
    """U21.1: correcting, forgetting and restoring by someone else's id finds nothing."""
    with Saegim.open(tmp_path / "m.db", durability="fast") as memory:
        ids = settle(memory)
        heads = {user: memory.within(user=user).maintenance.verify() for user in USERS}
        view = memory.within(user="user0")
        for id in ids["user1"]:
            for verb in (view.forget, view.restore, lambda id: view.update(id, "mine")):
                with pytest.raises(NotFound):
                    verb(id)
        assert {user: memory.within(user=user).maintenance.verify() for user in USERS} == heads


def test_one_match_behind_thousands_of_foreign_ones_is_found(tmp_path: Path) -> None:
    """U21.2: filters apply before top-k, for words, meaning and both together."""
    with Saegim.open(tmp_path / "m.db", durability="fast") as memory:
        shelve(
            memory.within(user="you"),
            [f"blue kettle in kitchen {n}" for n in range(rounds(3000, 600))],
        )
        mine = memory.remember("somewhere there was a blue kettle, I think, in the kitchen")
        for question in ("blue kettle in kitchen 7", "kettle", "blue kettle in the kitchen"):
            assert [hit.memory.id for hit in memory.recall(question).hits] == [mine.id]
            assert [each.id for each in memory.search("kettle kitchen")] == [mine.id]
        shelve(memory, [f"blue kettle in kitchen {n}" for n in range(rounds(1000, 200))])
        rare = memory.remember("an old kettle", tags=["rare"], kind="experience")
        found = memory.recall("blue kettle in kitchen", tags=["rare"], kind="experience", limit=1)
        assert [hit.memory.id for hit in found.hits] == [rare.id]


# -- U29: any string is a question ----------------------------------------------------------------

SPECIAL = {
    "agentic-os": "We moved the runner to agentic-os last week",
    "C++": "The renderer is written in C++ for speed",
    "C#": "The importer was ported to C# by the other team",
    ".env": "Never commit the .env file of the staging host",
    "ubuntu 20.04": "The build machine still runs ubuntu 20.04",
    "/usr/local/bin/tool": "Installed to /usr/local/bin/tool by the script",
    "C:\\Users\\홍 길동": "설정은 C:\\Users\\홍 길동 폴더에 있다",
    "KeyError: 'session_id'": "It failed with KeyError: 'session_id' in line 42",
    "foo::bar<T>": "Call foo::bar<T> before the loop",
    "O'Brien": "O'Brien signs the contract",
    "pre-edit": "Run the pre-edit hook first",
    "3,000원": "점심은 3,000원이다",
    "🐕": "오늘은 🐕 산책을 했다",
    "ㅋㅋㅋ": "그는 ㅋㅋㅋ 하고 웃었다",
    'say "hello world"': 'The bot must say "hello world" at start',
    "naïve café": "The naïve café plan was dropped",
    "user@example.com": "Write to user@example.com about it",
    "SELECT * FROM memory": "He typed SELECT * FROM memory into the chat",
    "日本語": "日本語の資料は棚にある",
}


def test_special_strings_find_their_memory(memory: Saegim) -> None:
    """U29.1: versions, paths, languages, quotes and stack traces are found by themselves."""
    kept = {query: memory.remember(text).id for query, text in SPECIAL.items()}
    for n in range(30):
        memory.remember(f"a distractor about plans and machines, number {n}")
    for query, id in kept.items():
        assert memory.recall(query, limit=3).hits[0].memory.id == id, query
        assert id in {each.id for each in memory.search(query)}, query


OPERATORS = st.sampled_from(
    [
        *"\"'()*:^+-~{}[]<>|&;,.?!@#$%=\\/`_",
        *("AND", "OR", "NOT", "NEAR", "NEAR(", "text:", "scope :", "rowid", "*", '""', "--", "/*"),
        *("\x00", "\ud800", "\udfff", "\u200b", "\ufeff", "\u202e", "😀", "👩\u200d👧", "ㄱ", "ㅏ"),
        *(
            "ᄀ",
            "각",
            "가",
            "はな",
            "漢",
            "ﬁ",
            "ｗ",
            "é",
            "ß",
            "İ",
            "kettle",
            "보리차는",
            "20.04",
            "\n",
        ),
        *("m.owner", ":owner", "?1", "%s", "{0}", "';DROP TABLE memory;--", "a" * 300, "가" * 300),
    ]
)
ANYTHING = st.text(st.characters(exclude_categories=()), max_size=8)
QUESTIONS = st.lists(OPERATORS | ANYTHING, max_size=12)


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Return one memory with a few texts, for questions that change nothing."""
    with Saegim.open(tmp_path_factory.mktemp("fuzz") / "m.db", clock=FixedClock()) as memory:
        shelve(memory, [*SPECIAL.values(), "kettle", "보리차는 맛있다"], session="s")
        yield memory


@settings(max_examples=rounds(6_250, 30))
@given(st.lists(QUESTIONS.map(" ".join) | QUESTIONS.map("".join), min_size=8, max_size=8))
def test_any_string_is_a_valid_question(shelf: Saegim, questions: list[str]) -> None:
    """U29.1: strings of operators, quotes, jamo, emoji, NUL, halves; 50,000 by night: no error."""
    for question in questions:
        found = shelf.recall(question)
        assert all(hit.memory.scope.user == "me" for hit in found.hits)
        assert isinstance(shelf.search(question), list)


@pytest.mark.parametrize("part", ["kettle ", "가", '"', "AND ", "\x00", "a-"])
def test_a_hundred_kilobytes_are_a_valid_question(shelf: Saegim, part: str) -> None:
    """U29.1: a pasted document is a question too."""
    question = part * (100_000 // len(part))
    shelf.recall(question)
    shelf.search(question)


@settings(max_examples=rounds(2000, 50))
@given(text=st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=40))
def test_any_whole_text_is_kept_or_refused_and_what_is_kept_comes_back(
    shelf: Saegim, text: str
) -> None:
    """U1.1 and U29.1: every string is a memory or a clear error, and a memory is exact."""
    view = shelf.within(user="writer")
    try:
        kept = view.remember(text, happened_at="2026-01-01")
    except BadInput:
        return
    assert view.get(kept.id).text == text


# -- U30: lists -----------------------------------------------------------------------------------


def test_a_long_list_is_walked_whole_while_it_grows(tmp_path: Path) -> None:
    """U30.1: 2,500 rows by night, by cursor while 100 are added: no gap, no repeat, true totals."""
    clock, many = FixedClock(), rounds(2500, 600)
    with Saegim.open(tmp_path / "m.db", clock=clock, durability="fast") as memory:
        ids: list[str] = []
        for start in range(0, many, many // 10):
            clock.forward(seconds=1)
            ids += shelve(memory, [f"note {n}" for n in range(start, start + many // 10)])
        seen: list[str] = []
        cursor, added = None, 0
        while True:
            page = memory.recent(many // 25, cursor=cursor)
            assert page.total == many + added
            seen += [each.id for each in page.memories]
            if page.next is None:
                break
            cursor = page.next
            clock.forward(seconds=1)
            for n in range(4):
                memory.remember(f"late {added} {n}")
            added += 4
            if added <= 8:
                memory.remember(f"old {added}", happened_at="2000-01-01")
                added += 1
        assert added >= 90
        assert [id for id in seen if id in set(ids)] == list(reversed(ids))
        assert len(seen) == len(set(seen))
        assert memory.recent(1).total == many + added


@pytest.mark.parametrize("cursor", ["x", "", 5, "bm9wZQ==", "W10="])
def test_a_cursor_that_is_none_is_an_error(memory: Saegim, cursor: Any) -> None:
    """U30.1: never taken as the first page."""
    with pytest.raises(BadInput, match="cursor"):
        memory.recent(cursor=cursor)


# -- U33: nothing leaves the machine --------------------------------------------------------------


def test_nothing_is_asked_of_the_network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """U33.2 and U4.6: with every road to the network closed and watched, everything works."""
    asked: list[Any] = []

    def closed(*arguments: Any, **_: Any) -> Any:
        asked.append(arguments)
        raise OSError("there is no network")

    for name in ("getaddrinfo", "gethostbyname", "create_connection"):
        monkeypatch.setattr(socket, name, closed)
    for name in ("connect", "connect_ex", "sendto", "bind"):
        monkeypatch.setattr(socket.socket, name, closed)
    with pytest.raises(OSError, match="no network"):
        socket.create_connection(("127.0.0.1", 9))
    assert asked.pop()
    with Saegim.open(tmp_path / "m.db") as memory:
        kept = memory.remember("보리차를 끓였다", tags=["tea"], session="s")
        memory.update(kept.id, "홍차를 끓였다")
        assert memory.recall("홍차").hits
        memory.search("홍차")
        memory.forget(kept.id)
        memory.restore(kept.id)
        memory.history(kept.id)
        memory.export_to(tmp_path / "out.jsonl")
        memory.import_from(tmp_path / "out.jsonl")
        memory.maintenance.restore_backup(memory.maintenance.backup().path)
        list(memory.maintenance.rebuild())
        memory.status()
        assert all(found.ok for found in memory.doctor())
    assert asked == []


# -- seed A ---------------------------------------------------------------------------------------


def test_what_is_added_is_found_by_its_id(memory: Saegim) -> None:
    """Seed A §9.2 scenario 1: store, then get by id."""
    kept = memory.remember("AGI memory design", persona="synthesis", session="sess_1")
    assert memory.get(kept.id).id == kept.id


def test_conditions_are_searched_together(memory: Saegim) -> None:
    """Seed A §9.2 scenario 2: query, persona, time range, importance and limit at once."""
    inside, outside = "2025-10-11T09:00:00Z", "2025-10-20T09:00:00Z"
    for n in range(5):
        for persona in ("thesis", "synthesis"):
            for at in (inside, outside):
                for importance in (0.4, 0.6):
                    memory.remember(
                        f"AGI memory note {n} {persona} {at} {importance}",
                        persona=persona,
                        happened_at=at,
                        importance=importance,
                    )
    found = memory.search(
        "AGI memory",
        persona_id="synthesis",
        time_range=(datetime(2025, 10, 10, tzinfo=UTC), datetime(2025, 10, 12, tzinfo=UTC)),
        min_importance=0.5,
        limit=3,
    )
    assert len(found) == 3
    assert all(each.agent.persona == "synthesis" for each in found)
    assert all(each.worth.importance >= 0.5 for each in found)
    assert all(each.time.happened_at.isoformat() == "2025-10-11T09:00:00+00:00" for each in found)


def test_a_keyword_with_a_persona_finds_only_that_persona(memory: Saegim) -> None:
    """Seed A §9.1-2: "synthesis" returns the memories of that persona alone."""
    for persona in ("thesis", "antithesis", "synthesis"):
        for n in range(5):
            memory.remember(f"{persona} speaks of synthesis, turn {n}", persona=persona)
    found = memory.search("synthesis", persona_id="synthesis", limit=50)
    assert len(found) == 5
    assert {each.agent.persona for each in found} == {"synthesis"}
    hits = memory.recall("synthesis", persona_id="synthesis", limit=50).hits
    assert {hit.memory.agent.persona for hit in hits} == {"synthesis"}


def test_five_thousand_memories_are_searched(tmp_path: Path) -> None:
    """Seed A §9.1-1 and §9.1-4: ten sessions, each of five hundred by night, by every path."""
    each_has = rounds(500, 100)
    with Saegim.open(tmp_path / "m.db", durability="fast") as memory:
        for session in range(10):
            shelve(
                memory,
                [
                    f"session {session} turn {n} about topic{n % 50} 주제{n % 50}"
                    for n in range(each_has)
                ],
                session=f"sess_{session}",
            )
        needle = memory.remember("the needle is a blue kettle 파란 주전자")
        assert memory.recent(1).total == 10 * each_has + 1
        assert [each.id for each in memory.search("blue kettle")] == [needle.id]
        assert memory.recall("파란 주전자").hits[0].memory.id == needle.id
        assert len(memory.search("topic7", limit=1000)) == each_has // 5
        assert len(memory.by_session("sess_3")) == each_has
        assert len(memory.sessions.ids()) == 10
        found = memory.recall("session 4 turn 57 about topic7", limit=5)
        assert found.hits[0].memory.text.startswith("session 4 turn 57")
        assert all(path.ran for path in found.paths)


# -- bad input, verb by verb ----------------------------------------------------------------------

HUGE = "x" * 5_000_000
REFUSED: dict[str, Callable[[Saegim, str], Any]] = {
    "remember nothing": lambda m, id: m.remember(""),
    "remember blank": lambda m, id: m.remember(" \n "),
    "remember unseen": lambda m, id: m.remember("\u200b\ufeff"),
    "remember NUL": lambda m, id: m.remember("a\x00b"),
    "remember half": lambda m, id: m.remember("a\ud800"),
    "remember 5 MB": lambda m, id: m.remember(HUGE),
    "remember a number": lambda m, id: m.remember(5),  # type: ignore[arg-type]
    "remember None": lambda m, id: m.remember(None),  # type: ignore[arg-type]
    "remember bytes": lambda m, id: m.remember(b"tea"),  # type: ignore[arg-type]
    "remember a list": lambda m, id: m.remember(["tea"]),  # type: ignore[arg-type]
    "unknown word": lambda m, id: m.remember("x", colour="red"),
    "bad tag": lambda m, id: m.remember("x", tags=[""]),
    "one tag": lambda m, id: m.remember("x", tags="tea"),
    "many tags": lambda m, id: m.remember("x", tags=[str(n) for n in range(65)]),
    "bad kind": lambda m, id: m.remember("x", kind="thing"),
    "bad tier": lambda m, id: m.remember("x", tier="M1"),
    "a number as time": lambda m, id: m.remember("x", happened_at=20260101),
    "no time": lambda m, id: m.remember("x", happened_at="soon"),
    "30 February": lambda m, id: m.remember("x", happened_at="2026-02-30"),
    "NaN importance": lambda m, id: m.remember("x", importance=float("nan")),
    "rating 6": lambda m, id: m.remember("x", rating=6),
    "bad visibility": lambda m, id: m.remember("x", visibility="everyone"),
    "bad session": lambda m, id: m.remember("x", session="a\x00"),
    "bad key": lambda m, id: m.remember("x", key="\ud800"),
    "correct to nothing": lambda m, id: m.update(id, " "),
    "correct to 5 MB": lambda m, id: m.update(id, HUGE),
    "correct nothing": lambda m, id: m.update("mem_none", "x"),
    "correct no id": lambda m, id: m.update("no id", "x"),
    "ask a number": lambda m, id: m.recall(5),  # type: ignore[arg-type]
    "ask for none": lambda m, id: m.recall("tea", limit=0),
    "ask for too many": lambda m, id: m.recall("tea", limit=10**6),
    "bad filter": lambda m, id: m.recall("tea", colour="red"),
    "bad filter value": lambda m, id: m.search("tea", kind="thing"),
    "time of another sort": lambda m, id: m.search("tea", since=timedelta(days=1)),
    "half filter": lambda m, id: m.recent(author="\ud800"),
    "NaN filter": lambda m, id: m.recent(min_importance=float("nan")),
    "bad page": lambda m, id: m.recent(0),
    "bad cursor": lambda m, id: m.recent(cursor="x"),
    "get nothing": lambda m, id: m.get(""),
    "get unknown": lambda m, id: m.get("mem_none"),
    "history unknown": lambda m, id: m.history("mem_none"),
    "no session": lambda m, id: m.by_session(""),
    "forget nothing": lambda m, id: m.forget(),
    "forget unknown": lambda m, id: m.forget(id, "mem_none"),
    "forget no id": lambda m, id: m.forget(id, "'; DROP TABLE memory; --"),
    "forget all": lambda m, id: m.forgetting.matching(confirm=True),
    "forget no session": lambda m, id: m.forgetting.session(None, confirm=True),  # type: ignore[arg-type]
    "restore nothing": lambda m, id: m.restore(),
    "restore unknown": lambda m, id: m.restore(id, "mem_none"),
    "no backup": lambda m, id: m.maintenance.restore_backup("/nowhere/x.db"),
    "no import": lambda m, id: m.import_from("/nowhere/x.jsonl"),
    "bad form": lambda m, id: m.export_to("/nowhere", form="xml"),
    "bad user": lambda m, id: m.within(user="").remember("x"),
}


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Return one memory that every refusal leaves as it is, and the id of what it holds."""
    with Saegim.open(
        tmp_path_factory.mktemp("bad") / "m.db", clock=FixedClock(), background=False
    ) as memory:
        yield memory, memory.remember("tea").id


@pytest.mark.parametrize("name", REFUSED)
def test_bad_input_is_named_has_a_next_step_and_changes_nothing(
    guarded: tuple[Saegim, str], name: str
) -> None:
    """Bad input: our own error, what is wrong, what to do; the ledger's head stays."""
    memory, id = guarded
    before = memory.maintenance.verify(), memory.status()["memories"]
    with pytest.raises(SaegimError) as caught:
        REFUSED[name](memory, id)
    assert len(caught.value.message) > 10
    assert len(str(caught.value)) < 600
    assert caught.value.next_step
    assert (memory.maintenance.verify(), memory.status()["memories"]) == before
    assert memory.get(id).text == "tea"

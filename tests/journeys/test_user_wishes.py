"""What users of such systems suffered from, tried on the whole of ours through its facade."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
import unicodedata
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import apsw
import pytest

from saegim import FixedClock, Recollection, Saegim
from saegim.engines.embedder import Role, Vector
from saegim.errors import BadInput, Unavailable
from saegim.store import store as upkeep
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

    wait_until(complete)


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
memory.mind.store._upkeep._thread.join(280)
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
    memory.mind.traces.flush()
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
    # A thread that an earlier test left behind may still be looking for its server.
    others = set(threading.enumerate()) - {threading.current_thread()}

    def closed(*arguments: Any, **_: Any) -> Any:
        if threading.current_thread() not in others:
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


QUESTIONS = ("17호실 열쇠는 누가 받았지?", "who has the key of room17?")


def traced(memory: Saegim, ask: Callable[[], object]) -> list[dict[str, Any]]:
    """Return what the database reports of every statement it ends while somebody asks."""
    seen: list[dict[str, Any]] = []
    database = memory.mind.store.database
    with database.reading() as connection:
        connection.trace_v2(apsw.SQLITE_TRACE_PROFILE, seen.append)
    try:
        ask()
    finally:
        with database.reading() as connection:
            connection.trace_v2(0, None)
    assert seen
    return seen


def walked_through(memory: Saegim, ask: Callable[[], object]) -> int:
    """Return how many rows the database came by on its way through whole tables."""
    return sum(
        each["stmt_status"]["SQLITE_STMTSTATUS_FULLSCAN_STEP"] for each in traced(memory, ask)
    )


def steps(memory: Saegim, ask: Callable[[], object]) -> int:
    """Return how many steps the database takes.

    Statements that the word index keeps for itself go on counting from run to run: added up as
    they are told, they would seem to grow with the square of the runs.
    """
    taken, before = 0, dict[int, int]()
    for each in traced(memory, ask):
        count = each["stmt_status"]["SQLITE_STMTSTATUS_VM_STEP"]
        own = "'main'.'words_" in each["sql"]
        taken += count - before.get(each["id"], count) if own else count
        before[each["id"]] = count
    return taken


def test_finding_walks_through_no_table(tmp_path: Path) -> None:
    """U10.2: by words and by meaning, in Korean and English, every statement goes by an index.

    How long it takes at 100,000 memories is measured in `bench/latency.py`.
    """
    count = 300
    with Saegim.open(tmp_path / "m.db", durability="fast") as memory:
        korean = [f"{n}호실은 사람{n}" for n in range(0, count, 2)]
        shelve(memory, [*korean, *(f"room{n} has person{n}" for n in range(1, count, 2))])
        for question in QUESTIONS:
            # The vectors are read once, when the first asks.
            memory.recall(question)
            assert walked_through(memory, partial(memory.recall, question)) == 0
            assert walked_through(memory, partial(memory.search, question)) == 0
        # Control: what does look at every memory is seen to.
        sql = "SELECT count(*) FROM memory WHERE text LIKE '%z%'"
        every = partial(memory.mind.store.database.rows, sql)
        assert walked_through(memory, every) >= count - 1


def test_a_larger_store_costs_a_recall_only_its_postings(tmp_path: Path) -> None:
    """U10.2: a word that all hold is read once a memory, up to `bm25.MAX_POSTINGS`, no more."""
    taken: dict[str, list[int]] = {}
    for count in (300, 900):
        path = tmp_path / f"{count}.db"
        settings = {"durability": "fast", "background": False, "embedder": "static"}
        with Saegim.open(path, **settings) as memory:
            korean = [f"{n}호실은 사람{n}" for n in range(0, count, 2)]
            shelve(memory, [*korean, *(f"room{n} has person{n}" for n in range(1, count, 2))])
            for question in QUESTIONS:
                memory.recall(question)
                ask = partial(memory.recall, question)
                taken.setdefault(question, []).append(steps(memory, ask))
            # Control: what no word finds is looked for letter by letter in every text.
            ask = partial(memory.search, "wxyz")
            taken.setdefault("", []).append(steps(memory, ask))
    each = {question: (large - small) / 600 for question, (small, large) in taken.items()}
    assert each.pop("") > 10
    assert all(grown < 4 for grown in each.values()), each

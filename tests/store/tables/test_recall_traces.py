"""What was shown is noted behind the answer: nobody waits for it, and no memory depends on it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import apsw
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from readonly import read_only
from saegim import FixedClock, Saegim, Scope
from saegim.errors import NotFound, StoreBusy
from saegim.memory.changes import Archived, Erased
from saegim.store import recall_traces
from saegim.store.commit import Batch, Committed
from saegim.store.recall_traces import TraceWriter
from saegim.store.store import Store
from stand_ins import PATIENCE, shelve, wait_until

# Nothing is written before the test says so.
NEVER = 3600.0
# A hang guard, not a measurement: closing takes milliseconds, and the lock is kept for longer.
HANGS = 30.0


@pytest.fixture
def traces(memory: Saegim) -> Iterator[TraceWriter]:
    """Traces of a fresh memory, which write only when they are told to."""
    made = TraceWriter(memory.mind.store.commit, gather=NEVER)
    yield made
    made.close()


@pytest.fixture
def ids(memory: Saegim) -> list[str]:
    """Five memories."""
    return shelve(memory, [f"kettle number {n}" for n in range(5)])


def recalled(memory: Saegim, id: str) -> int:
    """Return how often the memory counts as recalled."""
    found = memory.mind.store.memories.get(memory.scope, id)
    assert found is not None
    return found.worth.recalled


@contextmanager
def held(path: Path) -> Iterator[apsw.Connection]:
    """Hold the write lock of a store, as another program would."""
    raw = apsw.Connection(str(path))
    raw.execute("BEGIN IMMEDIATE")
    try:
        yield raw
        assert raw.in_transaction
    finally:
        raw.close()


# -- what is written --------------------------------------------------------------------------


def test_a_trace_replays_the_same_ids_in_the_same_order(
    memory: Saegim, traces: TraceWriter, ids: list[str], clock: FixedClock
) -> None:
    """U32.2: the log of an answer gives back the ids it showed, best first."""
    order = [ids[3], ids[0], ids[4]]
    name = traces.note(memory.scope, order, clock.now())
    assert name.startswith("rec_")
    assert traces.flush() == 1
    assert memory.mind.store.traces.shown(memory.scope, name) == tuple(order)
    with pytest.raises(NotFound):
        memory.mind.store.traces.shown(memory.scope, "rec_of_nothing")
    with pytest.raises(NotFound):
        memory.mind.store.traces.shown(Scope("someone else"), name)


def test_what_was_shown_counts_as_recalled_once_for_each_answer(
    memory: Saegim, traces: TraceWriter, ids: list[str], clock: FixedClock
) -> None:
    """Seed E `touch_node`: counts and last times move; nothing else of a memory does."""
    before = memory.get(ids[0])
    traces.note(memory.scope, ids[:2], clock.now())
    last = clock.forward(hours=1)
    traces.note(memory.scope, [ids[0], ids[0]], last)
    traces.flush()
    after = memory.get(ids[0])
    assert (after.worth.recalled, after.worth.recalled_at) == (2, last)
    assert [recalled(memory, id) for id in ids] == [2, 1, 0, 0, 0]
    assert after.evolve(worth=before.worth) == before


def test_a_burst_of_answers_shares_one_commit(
    memory: Saegim, traces: TraceWriter, ids: list[str], clock: FixedClock
) -> None:
    """Ten answers with the same memory leave ten lines, none of them about the memory itself."""
    names = [traces.note(memory.scope, ids[:1], clock.forward(seconds=1)) for _ in range(10)]
    commits = memory.mind.store._upkeep._commits
    assert traces.flush() == 10
    assert memory.mind.store._upkeep._commits == commits + 1
    lines = list(memory.mind.store.ledger.entries(memory.scope, subject=ids[0]))
    assert [line.change for line in lines] == ["Saved"]
    assert recalled(memory, ids[0]) == 10
    assert len(set(names)) == 10
    assert traces.flush() == 0


def test_a_long_queue_is_written_in_short_commits(
    memory: Saegim,
    traces: TraceWriter,
    ids: list[str],
    clock: FixedClock,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """U2: what has gathered for hours does not keep the write lock from everyone else."""
    monkeypatch.setattr(recall_traces, "AT_ONCE", 6)
    names = [traces.note(memory.scope, ids[:size], clock.now()) for size in (5, 5, 1, 3)]
    before = memory.mind.store._upkeep._commits
    assert traces.flush() == 4
    assert memory.mind.store._upkeep._commits == before + 3
    sizes = [len(memory.mind.store.traces.shown(memory.scope, name)) for name in names]
    assert sizes == [5, 5, 1, 3]
    assert recalled(memory, ids[0]) == 4


def test_the_ledger_holds_no_word_of_what_was_shown(
    memory: Saegim, traces: TraceWriter, clock: FixedClock, tmp_path: Path
) -> None:
    """U32.2: an answer is logged by id, without content."""
    (id,) = shelve(memory, ["보리차는 부엌 선반에 있다"])
    name = traces.note(memory.scope, [id], clock.now())
    traces.flush()
    with apsw.Connection(str(tmp_path / "memory.db")) as raw:
        lines = json.dumps(raw.execute("SELECT * FROM ledger").fetchall(), ensure_ascii=False)
    assert (name in lines, id in lines) == (True, True)
    assert not any(word in lines for word in memory.get(id).text.split())


def test_each_user_has_a_ledger_of_their_own(memory: Saegim, clock: FixedClock) -> None:
    """U13: what one user was shown is written under that user, and counts nowhere else."""
    store, other = memory.mind.store, memory.within(user="jimin", agent="claude")
    mine, theirs = memory.remember("my kettle").id, other.remember("their kettle").id
    traces = TraceWriter(store.commit, gather=NEVER)
    traces.note(memory.scope, [mine], clock.now())
    name = traces.note(other.scope, [theirs, mine], clock.now())
    assert traces.flush() == 2
    assert store.traces.shown(other.scope, name) == (theirs, mine)
    assert (recalled(memory, mine), recalled(other, theirs)) == (1, 1)
    line = next(store.ledger.entries(other.scope, subject=name))
    assert line.actor == "claude"
    assert list(store.ledger.entries(memory.scope, subject=name)) == []
    traces.close()


def test_what_is_gone_meanwhile_counts_nothing(
    memory: Saegim, traces: TraceWriter, ids: list[str], clock: FixedClock
) -> None:
    """A memory archived or erased after it was shown is passed over; the others are counted."""
    store, now = memory.mind.store, clock.now()
    name = traces.note(memory.scope, [*ids[:3], "mem_of_nobody"], now)
    gone = [Archived(ids[0], now), Erased(ids[1])]
    store.commit(Batch(memory.scope.user, gone, actor="test", at=now))
    assert traces.flush() == 1
    assert traces.unwritten == 0
    assert [recalled(memory, id) for id in ids] == [0, 0, 1, 0, 0]
    assert store.traces.shown(memory.scope, name) == (*ids[:3], "mem_of_nobody")
    memory.maintenance.verify()


def test_nothing_shown_is_nothing_noted(
    memory: Saegim, traces: TraceWriter, clock: FixedClock
) -> None:
    """An empty answer leaves no line."""
    assert traces.note(memory.scope, [], clock.now()) == ""
    assert (traces.waiting, traces.flush(), memory.maintenance.verify()[0]) == (0, 0, 0)


@settings(max_examples=25)
@given(
    answers=st.lists(st.tuples(st.lists(st.integers(0, 4), max_size=6), st.booleans()), max_size=12)
)
def test_counts_and_traces_always_agree(answers: list[tuple[list[int], bool]]) -> None:
    """However answers and flushes follow each other, a count is the number of traces with it."""
    clock = FixedClock()
    with (
        tempfile.TemporaryDirectory() as folder,
        Saegim.open(f"{folder}/memory.db", clock=clock, embedder="hashed") as memory,
    ):
        ids = shelve(memory, [f"kettle {n}" for n in range(5)])
        traces = TraceWriter(memory.mind.store.commit, gather=NEVER)
        names = []
        for picked, flushes in answers:
            names.append(traces.note(memory.scope, [ids[n] for n in picked], clock.now()))
            clock.forward(seconds=1)
            if flushes:
                traces.flush()
        traces.close()
        store = memory.mind.store
        for id in ids:
            said = sum(id in store.traces.shown(memory.scope, name) for name in names if name)
            assert recalled(memory, id) == said
        memory.maintenance.verify()


@pytest.mark.usefixtures("traces_come_by_themselves")
def test_what_was_shown_is_written_by_itself(tmp_path: Path) -> None:
    """U32.2: nobody has to ask for it, close or sleep; it comes a second behind the answer."""
    with Saegim.open(tmp_path / "m.db", clock=FixedClock()) as memory:
        id = memory.remember("blue kettle").id
        name = memory.recall("kettle").trace
        wait_until(lambda: written(memory) == [name])
        assert recalled(memory, id) == 1


# -- who waits --------------------------------------------------------------------------------


def untouchable(*asked: object, **how: object) -> Committed:
    """Refuse to commit anything."""
    raise AssertionError(f"the store was asked for {asked} {how}")


def test_noting_touches_no_store(clock: FixedClock) -> None:
    """DESIGN §5: on the read path there is no lock of the file and no I/O."""
    traces = TraceWriter(untouchable, gather=NEVER)
    assert traces.note(Scope("me"), ["mem_1"], clock.now())
    assert traces.waiting == 1
    with pytest.raises(AssertionError):
        traces.flush()


def test_an_answer_does_not_wait_for_a_writer_and_its_trace_arrives_later(
    tmp_path: Path, clock: FixedClock
) -> None:
    """U2.2: with the write lock held, recall answers and notes; the trace comes when it is free."""
    path = tmp_path / "memory.db"
    with Saegim.open(path, clock=clock) as memory:
        kept = memory.remember("the blue kettle")
        traces = TraceWriter(memory.mind.store.commit, gather=0.01, patience=0.0)
        with held(path):
            assert [hit.memory.id for hit in memory.recall("kettle").hits] == [kept.id]
            name = traces.note(memory.scope, [kept.id], clock.now())
            wait_until(lambda: "for 0 s" in traces.trouble)
        wait_until(lambda: not traces.waiting and not traces.trouble)
        assert memory.mind.store.traces.shown(memory.scope, name) == (kept.id,)
        traces.close()


def test_closing_does_not_wait_for_a_writer(tmp_path: Path, clock: FixedClock) -> None:
    """U2.2: closing tries once with a short patience of its own, counts what it gave up."""
    path = tmp_path / "memory.db"
    with Saegim.open(path, clock=clock, busy_seconds=600.0) as memory:
        kept = memory.remember("the blue kettle")
        traces = TraceWriter(memory.mind.store.commit, gather=NEVER, patience=0.01)
        with held(path):
            for user in ("me", "jimin", "minho"):
                traces.note(Scope(user), [kept.id], clock.now())
            closing = threading.Thread(target=traces.close)
            closing.start()
            closing.join(HANGS)
            assert not closing.is_alive()
        assert (traces.unwritten, traces.waiting) == (3, 0)
        assert "busy" in traces.trouble
        assert "for 0.01 s" in traces.trouble
        assert recalled(memory, kept.id) == 0


def test_the_lock_was_a_real_one(tmp_path: Path, clock: FixedClock) -> None:
    """U2.2 control: a write with the store's own patience is turned away by the same lock."""
    path = tmp_path / "memory.db"
    with Saegim.open(path, clock=clock, busy_seconds=0.05) as memory:
        traces = TraceWriter(memory.mind.store.commit, gather=NEVER, patience=0.001)
        traces.note(memory.scope, [memory.remember("the blue kettle").id], clock.now())
        with held(path):
            assert traces.flush() == 0
            with pytest.raises(StoreBusy, match=r"for 0\.05 s"):
                memory.remember("words that must wait")
        assert traces.flush() == 1


class Slow:
    """A store whose commits wait for a word."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.entered, self.released = threading.Event(), threading.Event()

    def __getattr__(self, name: str) -> object:
        return getattr(self._store, name)

    def commit(self, batch: Batch, **more: float) -> object:
        """Wait, then commit."""
        self.entered.set()
        assert self.released.wait(30)
        return self._store.commit(batch, **more)  # type: ignore[arg-type]


def test_a_flush_waits_for_the_one_in_hand(
    memory: Saegim, ids: list[str], clock: FixedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When flush or close returns, what was noted before is written or counted, not in flight."""
    monkeypatch.setattr(recall_traces, "_FAREWELL_SECONDS", PATIENCE)
    slow = Slow(memory.mind.store)
    traces = TraceWriter(slow.commit, gather=0.001)  # type: ignore[arg-type]
    name = traces.note(memory.scope, ids, clock.now())
    assert slow.entered.wait(30)
    seconds = [threading.Thread(target=traces.flush), threading.Thread(target=traces.close)]
    for each in seconds:
        each.start()
    seconds[0].join(0.1)
    assert [each.is_alive() for each in seconds] == [True, True]
    slow.released.set()
    for each in seconds:
        each.join()
    assert (traces.unwritten, traces.waiting) == (0, 0)
    assert memory.mind.store.traces.shown(memory.scope, name) == tuple(ids)


def test_a_thread_that_writes_is_not_waited_for_either(
    memory: Saegim, ids: list[str], clock: FixedClock
) -> None:
    """A long write of this very process holds no trace back, and the usual patience returns."""
    traces = TraceWriter(memory.mind.store.commit, gather=NEVER, patience=0.01)
    traces.note(memory.scope, ids, clock.now())
    entered, leave = threading.Event(), threading.Event()

    def write() -> None:
        with memory.mind.store.database.writing():
            entered.set()
            leave.wait(30)

    writer = threading.Thread(target=write)
    writer.start()
    assert entered.wait(30)
    assert traces.flush() == 0
    assert "another thread" in traces.trouble
    leave.set()
    writer.join()
    assert traces.flush() == 1
    assert traces.trouble == ""
    memory.remember("a write that waits as long as it should")


def test_a_store_that_can_only_be_read_breaks_nothing(tmp_path: Path, clock: FixedClock) -> None:
    """A trace that cannot be written is given up when the store closes, with the reason."""
    folder = tmp_path / "house"
    with Saegim.open(folder / "memory.db", clock=clock) as memory:
        kept = memory.remember("the blue kettle")
    with read_only(folder) as place, Saegim.open(place / "memory.db", clock=clock) as memory:
        traces = TraceWriter(memory.mind.store.commit, gather=NEVER)
        assert memory.recall("kettle").hits
        traces.note(memory.scope, [kept.id], clock.now())
        assert traces.flush() == 0
        assert "cannot be written" in traces.trouble
        traces.close()
        assert traces.unwritten == 1


def test_a_full_disk_breaks_nothing_and_room_heals_it(
    memory: Saegim, traces: TraceWriter, clock: FixedClock
) -> None:
    """U2: with no room left a trace waits; when there is room again it is written."""
    kept = memory.remember("the blue kettle")
    store = memory.mind.store
    assert isinstance(store, Store)
    with store.database.writing() as connection:
        ((pages,),) = connection.execute("PRAGMA page_count").fetchall()
    connection.execute(f"PRAGMA max_page_count = {pages}").fetchall()
    many = ["mem_" + f"{n:0120}" for n in range(500)]
    name = traces.note(memory.scope, [kept.id, *many], clock.now())
    assert traces.flush() == 0
    assert "room" in traces.trouble
    assert memory.recall("kettle").hits[0].memory.worth.recalled == 0
    connection.execute("PRAGMA max_page_count = 1000000").fetchall()
    assert traces.flush() == 1
    assert traces.trouble == ""
    assert store.traces.shown(memory.scope, name)[0] == kept.id
    memory.maintenance.verify()


def test_a_closed_store_breaks_nothing(memory: Saegim, ids: list[str], clock: FixedClock) -> None:
    """Closing in the wrong order costs traces, and says so; a note after the end is no error."""
    traces = TraceWriter(memory.mind.store.commit, gather=NEVER)
    traces.note(memory.scope, ids, clock.now())
    memory.mind.store.close()
    traces.close()
    traces.close()
    assert (traces.unwritten, "closed" in traces.trouble) == (1, True)
    assert traces.note(memory.scope, ids, clock.now()) == ""


def test_closing_writes_what_is_left(memory: Saegim, ids: list[str], clock: FixedClock) -> None:
    """What was noted a moment before the end is there at the next start."""
    traces = TraceWriter(memory.mind.store.commit, gather=NEVER)
    name = traces.note(memory.scope, ids, clock.now())
    traces.close()
    assert traces.unwritten == 0
    assert memory.mind.store.traces.shown(memory.scope, name) == tuple(ids)


def test_what_waits_is_bounded_and_the_oldest_goes_first(
    memory: Saegim,
    traces: TraceWriter,
    ids: list[str],
    clock: FixedClock,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A store that takes nothing for hours does not fill the memory of the process."""
    monkeypatch.setattr(recall_traces, "MOST_WAITING", 6)
    names = [traces.note(memory.scope, ids[:2], clock.forward(seconds=1)) for _ in range(10)]
    assert (traces.waiting, traces.unwritten) == (3, 7)
    memory.mind.store.database.readonly = True
    assert traces.flush() == 0
    names.append(traces.note(memory.scope, ids[:2], clock.forward(seconds=1)))
    assert (traces.waiting, traces.unwritten) == (3, 8)
    memory.mind.store.database.readonly = False
    assert traces.flush() == 3
    assert memory.mind.store.traces.shown(memory.scope, names[-1]) == tuple(ids[:2])
    with pytest.raises(NotFound):
        memory.mind.store.traces.shown(memory.scope, names[7])


def test_many_threads_note_at_once_and_each_counts_once(
    memory: Saegim, ids: list[str], clock: FixedClock
) -> None:
    """U2.1: no note is lost or written twice, whoever flushes meanwhile."""
    traces = TraceWriter(memory.mind.store.commit, gather=0.001)
    names: list[str] = []
    at = clock.now() + timedelta(seconds=1)

    def ask() -> None:
        for _ in range(25):
            names.append(traces.note(memory.scope, ids[:1], at))
            traces.flush()

    asking = [threading.Thread(target=ask) for _ in range(4)]
    for each in asking:
        each.start()
    for each in asking:
        each.join()
    traces.close()
    assert (len(set(names)), recalled(memory, ids[0]), traces.unwritten) == (100, 100, 0)
    memory.maintenance.verify()


# -- what a crash costs -----------------------------------------------------------------------

_CHILD = """
import sys
from saegim import Saegim
from saegim.store.recall_traces import TraceWriter
path, gather, flushes = sys.argv[1], float(sys.argv[2]), sys.argv[3]
memory = Saegim.open(path, embedder="hashed", durability="fast")
traces = TraceWriter(memory.mind.store.commit, gather=gather)
ids = [memory.remember(f"kettle {n}").id for n in range(3)]
for turn in range(10**9 if flushes == "always" else 5):
    name = traces.note(memory.scope, ids, memory.mind.now())
    if flushes != "never":
        traces.flush()
    print(name, flush=True)
print("ready", *ids, flush=True)
sys.stdin.read()
"""


def killed(path: Path, *, gather: float, flushes: str, after: str) -> list[str]:
    """Let a process remember and note, and kill it at a word; return everything it said."""
    child = subprocess.Popen(
        [sys.executable, "-c", _CHILD, str(path), str(gather), flushes],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert child.stdout is not None
    said = []
    for line in child.stdout:
        said.append(line.strip())
        if line.startswith(after) and (after != "rec_" or len(said) >= 7):
            break
    os.kill(child.pid, signal.SIGKILL)
    said += [line.strip() for line in child.stdout]
    child.communicate()
    return said


def written(memory: Saegim) -> list[str]:
    """Return the traces in the ledger."""
    lines = memory.mind.store.ledger.entries(memory.scope)
    return [line.subject for line in lines if line.change == "Recalled"]


def test_a_kill_between_note_and_flush_costs_traces_only(tmp_path: Path) -> None:
    """U1.1: killed before the flush, no memory is lost and the ledger verifies."""
    said = killed(tmp_path / "m.db", gather=NEVER, flushes="never", after="ready")
    with Saegim.open(tmp_path / "m.db") as memory:
        assert [memory.get(id).worth.recalled for id in said[-1].split()[1:]] == [0, 0, 0]
        assert written(memory) == []
        memory.maintenance.verify()


def test_a_kill_after_the_flush_costs_nothing(tmp_path: Path) -> None:
    """U1.1 control: the same kill after a flush finds every trace: it is the flush that counts."""
    said = killed(tmp_path / "m.db", gather=NEVER, flushes="each", after="ready")
    with Saegim.open(tmp_path / "m.db") as memory:
        assert written(memory) == said[:5]
        assert [memory.get(id).worth.recalled for id in said[-1].split()[1:]] == [5, 5, 5]
        memory.maintenance.verify()


def test_a_kill_amid_flushes_leaves_whole_traces(tmp_path: Path) -> None:
    """U1.1: killed at any moment, a trace is there with all its counts or not at all."""
    said = killed(tmp_path / "m.db", gather=0.001, flushes="always", after="rec_")
    with Saegim.open(tmp_path / "m.db") as memory:
        names = written(memory)
        confirmed = [name for name in said if name.startswith("rec_")]
        assert set(confirmed) <= set(names)
        for each in memory.recent(3).memories:
            assert each.worth.recalled == len(names)
        memory.maintenance.verify()

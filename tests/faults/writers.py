"""What the children of fault tests do; each act takes the wire to its test first."""

from __future__ import annotations

import json
import os
import random
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import apsw

import read_once
import saegim.serve.cli.app  # noqa: F401 - loaded once in the warm process, not in each child
from faults.processes import Wire
from faults.stores import OWNER, opened
from saegim.engines.brain.model import Static
from saegim.errors import SaegimError
from saegim.guard.guard import screen
from saegim.language.extract import extract
from saegim.language.features import read_signs
from saegim.language.feelings import feel
from saegim.language.times import spans
from saegim.language.words import Basic
from saegim.memory.changes import Reweighed, Saved
from saegim.perceive.build import placed
from saegim.perceive.flow import UNDERSTAND, read_words
from saegim.perceive.moment import moment_of
from saegim.recall.read_unread import read_unread
from saegim.saegim import Saegim
from saegim.store.backup import back_up
from saegim.store.commit import Batch
from saegim.store.database import Database
from saegim.store.migrate import Migration, migrate, steps

# As the imports above: read once in the warm process, shared by all its children; so are the
# patterns that the first text compiles.
BRAIN = Static().brain
read_once.in_use()
_TEXT = "산에서 마신 차와 the kettle on the stove"
screen(_TEXT)
spans(_TEXT, datetime.now(UTC))
_SIGNS = read_signs(_TEXT, emotion=feel(_TEXT, None), reading=None, analyser=Basic())
for _text in (_TEXT, "I like tea"):
    extract(_text, analyser=Basic(), signs=_SIGNS)


def live(wire: Wire, path: str, name: str, early: bool = False) -> None:
    """Remember, and now and then let go, without end; confirm each act when it is durable.

    With `early`, be broken on purpose: confirm before the commit.
    """
    memory = opened(path)
    wire.say(json.dumps("open"))
    keep = _confirm_early if early else _confirm
    for turn in count():
        mark = f"mark{name}n{turn}end"  # no mark begins another
        id = keep(wire, memory, f"{mark} 산에서 마신 차와 the kettle on the stove", mark)
        if turn % 4 == 3 and not early:
            memory.forget(id)
            wire.say(json.dumps(["left", id, mark]))


def _confirm(wire: Wire, memory: Saegim, text: str, mark: str) -> str:
    id = memory.remember(text).memory.id
    wire.say(json.dumps(["kept", id, mark]))
    return id


def _confirm_early(wire: Wire, memory: Saegim, text: str, mark: str) -> str:
    mind = memory.mind
    born = placed(moment_of(memory.scope, text, {}), mind)
    wire.say(json.dumps(["kept", born.id, mark]))
    mind.store.commit(Batch(OWNER, [Saved(born)], actor=OWNER, at=mind.now()))
    return born.id


def keep_unread(wire: Wire, path: str, name: str, early: bool = False) -> None:
    """Keep without waiting and read what waits, without end; confirm what is durable.

    With `early`, be broken on purpose: take the work off the table before it is done.
    """
    memory = opened(path, background=False)
    wire.say(json.dumps("open"))
    for turn in count():
        mark = f"mark{name}n{turn}end"
        id = memory.remember(f"Jane likes {mark}.", wait=False).id
        wire.say(json.dumps(["kept", id, mark]))
        if turn % 3 == 2:
            for _ in _finished_early(memory) if early else read_unread(memory.mind):
                pass


def _finished_early(memory: Saegim) -> Iterator[int]:
    desk, mind = memory.mind.store.jobs, memory.mind
    while job := desk.take(mind.now(), (UNDERSTAND,)):
        desk.finish(job)
        read_words(mind.store.memories.get(job.scope, job.subject), None, mind)
        # What it read would be written here; whoever dies before has nobody to do it again.
        yield 1


def write_on(wire: Wire, path: str, name: str, count: int) -> None:
    """Remember a number of texts whatever happens; tell each id, or why there is none.

    At the end tell what is there and what is wrong with it.
    """
    with opened(path) as memory:
        for turn in range(count):
            try:
                kept = memory.remember(f"mark{name}n{turn}end words on a shaky disk")
                wire.say(json.dumps(["kept", kept.memory.id, memory.mind.store.warnings]))
            except SaegimError as error:
                wire.say(json.dumps(["failed", str(error), memory.mind.store.warnings]))


def read_on(wire: Wire, path: str, id: str, count: int) -> None:
    """Read one memory again and again through new eyes; tell its text, or why there is none."""
    for _ in range(count):
        try:
            with opened(path) as memory:
                wire.say(json.dumps(["read", memory.get(id).text, []]))
        except SaegimError as error:
            wire.say(json.dumps(["failed", str(error), []]))


def visit(wire: Wire, path: str, id: str, uid: int | None) -> None:
    """Look at a store that may only be read, as a user who is not its owner; tell what happened."""
    if uid is not None:
        # Everything is loaded before: the new user may not be allowed to read Python itself.
        with tempfile.TemporaryDirectory() as folder, opened(f"{folder}/memory.db") as other:
            looked_at(other, other.remember("barley").memory.id)
        os.setgid(uid)
        os.setuid(uid)
    with opened(path) as memory:
        told = looked_at(memory, id)
        try:
            memory.remember("words that must not arrive")
            told["write"] = "written"
        except SaegimError as error:
            told["write"] = [type(error).__name__, str(error)]
        wire.say(json.dumps(told))


def looked_at(memory: Saegim, id: str) -> dict[str, Any]:
    """Ask everything that only reads; return the answers."""
    return {
        "recall": [hit.memory.id for hit in memory.recall("barley kettle").hits],
        "search": [each.id for each in memory.search("barley")],
        "recent": memory.recent(5).total,
        "get": memory.get(id).text,
        "status": memory.status()["memories"]["state"],
    }


def add(wire: Wire, path: str, name: str, count: int) -> None:
    """Wait for the word, then remember a number of texts; tell their ids."""
    with opened(path) as memory:
        wire.say(json.dumps("open"))
        wire.hear()
        ids = [
            memory.remember(f"mark{name}n{turn}end 산책 and tea").memory.id for turn in range(count)
        ]
        wire.say(json.dumps(ids))


def reinforce(wire: Wire, path: str, id: str, count: int) -> None:
    """Wait for the word, then give one memory a number of reasons to be kept."""
    with opened(path) as memory:
        mind = memory.mind
        wire.say(json.dumps("open"))
        wire.hear()
        for _ in range(count):
            more = Reweighed(memory=id, at=mind.now(), repeat=1.0)
            mind.store.commit(Batch(OWNER, [more], actor=OWNER, at=mind.now()))
        wire.say(json.dumps("done"))


def careless(wire: Wire, path: str, id: str, count: int) -> None:
    """Do as `reinforce` does, but broken: read, add one, and write back in a second statement."""
    raw = apsw.Connection(path)
    raw.set_busy_timeout(60_000)
    wire.say(json.dumps("open"))
    wire.hear()
    for _ in range(count):
        held = raw.execute("SELECT repeated FROM memory WHERE id = ?", (id,)).fetchall()[0][0]
        raw.execute("UPDATE memory SET repeated = ? WHERE id = ?", (held + 1, id)).fetchall()
    wire.say(json.dumps("done"))


def ask(wire: Wire, path: str, count: int) -> None:
    """Wait for the word, then ask a number of questions; tell how the total grew."""
    with opened(path) as memory:
        wire.say(json.dumps("open"))
        wire.hear()
        totals = []
        for _ in range(count):
            memory.recall("tea 산책")
            totals.append(memory.recent(3).total)
        wire.say(json.dumps(totals))


def hold(wire: Wire, path: str) -> None:
    """Take the write lock, keep it until told otherwise, and tell whether it was kept."""
    raw = apsw.Connection(path)
    raw.execute("BEGIN IMMEDIATE")
    wire.say(json.dumps("held"))
    wire.hear()
    # Only who holds the lock can write here without waiting.
    raw.execute("INSERT INTO house VALUES ('held', 'yes')").fetchall()
    wire.say(json.dumps(raw.in_transaction))
    raw.execute("ROLLBACK")


def look(wire: Wire, path: str, id: str) -> None:
    """Start afresh, ask everything that only reads, and tell the answers."""
    with opened(path) as memory:
        wire.say(json.dumps(looked_at(memory, id)))


def migrating(wire: Wire, path: str, sql: list[str], together: bool, backups: str) -> None:
    """Tell when the migration begins, bring the store to the next schema, and tell that it is done.

    Without `together`, be broken on purpose: run each statement by itself.
    """
    database = Database(Path(path))
    if not together:
        raw = apsw.Connection(path)
        wire.say(json.dumps("begin"))
        for statement in [*sql, f"PRAGMA user_version = {steps()[-1].number + 1}"]:
            raw.execute(statement).fetchall()
        wire.say(json.dumps("done"))
        return
    make = partial(back_up, database, Path(backups), datetime.now(UTC))
    wire.say(json.dumps("begin"))
    migrate(database, to=[*steps(), Migration(steps()[-1].number + 1, "\n".join(sql))], backup=make)
    wire.say(json.dumps("done"))
    database.close()


def rebuild_on(wire: Wire, path: str) -> None:
    """Begin to rebuild the indexes, tell of the first step, and wait to be killed."""
    with opened(path) as memory:
        work = memory.maintenance.rebuild()
        next(work)
        wire.say(json.dumps("step"))
        wire.hear()


def keyed(wire: Wire, path: str, count: int, keyed: bool) -> None:
    """Remember wishes and never answer, as if every answer were lost on its way."""
    memory = opened(path, durability="fast")
    wire.say(json.dumps("open"))
    for number in range(count):
        at = datetime(2026, 3, 1, tzinfo=UTC) + timedelta(seconds=number)
        key = f"wish-{number}" if keyed else None
        memory.remember(f"wish number{number}end", key=key, happened_at=at)
    wire.hear()


def judge(wire: Wire, path: str, id: str, rounds: int) -> None:
    """Praise a memory, rate it, and say so with a note, again and again."""
    memory = opened(path, durability="fast")
    wire.say(json.dumps("open"))
    wire.hear()
    for turn in range(rounds):
        memory.feedback(id, "up")
        memory.feedback(id, "rating", rating=turn % 5 + 1)
        memory.feedback(id, "wrong", note=f"note {os.getpid()} of {turn}")
    wire.say(json.dumps("done"))


def append_on(wire: Wire, path: str, name: str, lists: int, seed: int, careless: bool) -> None:
    """Append to lists and read them without end; tell what is tried, what is done, what is seen.

    With `careless`, be broken on purpose: read the list, then write it back with one more.
    """
    dice = random.Random(seed)
    with opened(path) as memory:
        store = memory.mind.store
        wire.say(json.dumps(["open", "", []]))
        for turn in count():
            session = f"list{dice.randrange(lists)}"
            if dice.random() < 0.5:
                wire.say(json.dumps(["read", session, list_of(memory, session, careless)]))
                continue
            element = f"{name}n{turn}"
            wire.say(json.dumps(["try", session, [element]]))
            if careless:
                held = [*list_of(memory, session, careless), element]
                with store.database.writing() as connection:
                    connection.execute(
                        "INSERT OR REPLACE INTO house VALUES (?, ?)", (session, json.dumps(held))
                    )
            else:
                memory.remember(f"{element} {_TEXT}", session=session, key=element)
            wire.say(json.dumps(["done", session, [element]]))


def list_of(memory: Saegim, session: str, careless: bool = False) -> list[str]:
    """Return the elements of a list in their order."""
    if careless:
        held = memory.mind.store.database.rows("SELECT value FROM house WHERE name = ?", (session,))
        return list(json.loads(held[0][0])) if held else []
    return [each.text.split()[0] for each in memory.by_session(session)]

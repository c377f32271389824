"""The spool is worked off: each turn is judged and kept once, however often it was heard."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from saegim.errors import BadInput, NotFound, Refused
from saegim.language.words import parts
from saegim.memory.clock import micros
from saegim.memory.text import canonical_key
from saegim.perceive.turn_context import AGAIN
from saegim.saegim import Saegim
from saegim.serve.hooks import journal
from saegim.serve.hooks.deadlines import Deadline
from saegim.serve.hooks.memory_access import HookCall, project_at
from saegim.serve.hooks.spool import Sheet, Spool, SpoolEntry, settled, store_in
from saegim.serve.hooks.transcript_position import FOLDER as MARKS
from saegim.session.snapshot import sweep
from saegim.store.rows import ALL_STATES, Where

PLATFORM: Final = "claude-code"
_EVENT: Final = "drain"


@dataclass(slots=True)
class Drained:
    """What became of the spool: turns that were heard, and files that still wait."""

    heard: int = 0
    waiting: int = 0
    # Whether another process is at it.
    elsewhere: bool = False


@dataclass(slots=True)
class _KeptTurns:
    """Which turns of a session are kept already: by their instant, and a person's by its words."""

    instants: set[tuple[str, int]] = field(default_factory=set)
    words: set[str] = field(default_factory=set)


def drain(home: Path, memory: Callable[[], Saegim], pace: Deadline) -> Drained:
    """Work off the spool while there is time; what is left waits for the next one."""
    spool = Spool(home)
    done = Drained()
    if not spool.waiting():
        return done
    for folder in (spool.folder, home / MARKS):
        sweep(folder)
    others: set[Path] = set()
    with spool.held() as alone:
        done.elsewhere = not alone
        while alone and pace.left and (files := _left(spool, others)):
            heard = _work_off(files[0], spool, home, memory, pace)
            if heard is None:
                others.add(files[0])
            done.heard += heard or 0
    done.waiting = len(_left(spool, others))
    return done


def _left(spool: Spool, others: set[Path]) -> list[Path]:
    return [each for each in spool.waiting() if each not in others]


def _work_off(
    file: Path, spool: Spool, home: Path, memory: Callable[[], Saegim], pace: Deadline
) -> int | None:
    """Do what one file says, as far as the time goes; return how many turns were heard.

    None where it belongs to another store, or nobody can say whose it is.
    """
    try:
        sheet = spool.read(file)
    except ValueError:
        spool.set_apart(file)
        journal.note(home, _EVENT, "a file of the spool cannot be read; it was set apart")
        return 0
    backend = memory()
    owner = settled(sheet.owner, backend.home)
    if not owner.user or owner.store != store_in(home, backend.mind.store.path):
        return None
    try:
        # Each one's words go to their own side of the wall, whoever works them off.
        backend = backend.within(user=owner.user, agent=owner.agent)
        backend = backend.within(project=_project(sheet, backend, home))
    except BadInput as error:
        spool.set_apart(file)
        journal.note(home, _EVENT, f"a file was set apart: {journal.named(error)}")
        return 0
    heard, known = 0, _known(backend, sheet.session)
    for place, entry in enumerate(sheet.entries):
        if not pace.left:
            spool.shorten(file, replace(sheet, entries=sheet.entries[place:]))
            return heard
        try:
            heard += _do(entry, sheet, backend, known)
        except (BadInput, Refused) as error:
            journal.note(home, _EVENT, f"one {entry.act} was refused: {journal.named(error)}")
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            spool.set_apart(file)
            journal.note(home, _EVENT, f"a file was set apart: {journal.named(error)}")
            return heard
    spool.done(file)
    return heard


def _project(sheet: Sheet, memory: Saegim, home: Path) -> str:
    """Return the project of a sheet; of a folder the store knows it now, if it did not then."""
    if not sheet.folder:
        return sheet.project
    return project_at(sheet.folder, HookCall(home=home), memory)


def _do(entry: SpoolEntry, sheet: Sheet, memory: Saegim, known: _KeptTurns) -> int:
    if entry.act == "begin":
        memory.sessions.start(sheet.session, platform=PLATFORM)
        return 0
    if entry.act == "end":
        _end(sheet.session, memory)
        return 0
    if _is_kept(entry, memory, known):
        return 0
    seen = memory.observe(
        entry.text,
        role=entry.role,
        session=sheet.session or None,
        said_at=entry.at,
        key=entry.key or None,
        live=True,
    )
    _note(entry, memory, known)
    return int(AGAIN not in seen.decision.why)


def _end(session: str, memory: Saegim) -> None:
    try:
        memory.sessions.end(session)
    except NotFound:
        # Its beginning was not told, as when hooks are new to a running session.
        memory.sessions.start(session, platform=PLATFORM)
        memory.sessions.end(session)


# -- what is kept already -------------------------------------------------------------------------


def _known(memory: Saegim, session: str) -> _KeptTurns:
    """Read what a session holds, in any state: what was let go is not heard again."""
    known = _KeptTurns()
    if not session:
        return known
    where = Where(scope=memory.scope, session=session, states=ALL_STATES, everywhere=True)
    for _, each in memory.mind.store.memories.walk(where):
        known.instants.add((each.agent.role, micros(each.time.said_at or each.time.happened_at)))
        if each.agent.role == "user":
            known.words.add(canonical_key(each.text))
    return known


def _is_kept(entry: SpoolEntry, memory: Saegim, known: _KeptTurns) -> bool:
    if entry.at is not None and (entry.role, micros(entry.at)) in known.instants:
        return True
    key = _key(entry, memory)
    # A prompt is heard twice: when it is sent, and in the transcript. Its key tells that better.
    if entry.role == "user" and not entry.key and key in known.words:
        return True
    # A session that was branched off carries the words of the first one in its transcript.
    return entry.copied and bool(memory.mind.store.memories.known_keys(memory.scope, [key]))


def _note(entry: SpoolEntry, memory: Saegim, known: _KeptTurns) -> None:
    if entry.at is not None:
        known.instants.add((entry.role, micros(entry.at)))
    if entry.role == "user":
        known.words.add(_key(entry, memory))


def _key(entry: SpoolEntry, memory: Saegim) -> str:
    """Return the key under which the store would know these words."""
    return canonical_key(parts(entry.text, memory.mind.settings.turn_limit)[0])

"""What sessions hold of erased memories, in mind and on paper, goes too.

A node that says the words, or a part of them, or all of them and more, is dropped with its answers;
what says the same in other words cannot be known here.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from saegim.errors import BadInput, NotFound
from saegim.memory.keys import normalise
from saegim.memory.scope import Scope
from saegim.mind import Mind
from saegim.session.checkpoint import file_of
from saegim.session.files import read_json, write_whole
from saegim.session.node import ANSWER, ENTITY, FEEDBACK
from saegim.session.snapshot import written
from saegim.store.erase import says

if TYPE_CHECKING:
    from saegim.session.working import WorkingMemory

REWRITTEN, REMOVED = "rewritten", "removed"
# Shorter texts are part of too many others to say anything when they are found inside one.
_TELLING = 8
_LISTS = ("topQueries", "nodes")


@dataclass(frozen=True, slots=True, kw_only=True)
class Cleaned:
    """A file of a session that held words: rewritten without them, or removed."""

    name: str
    how: str


@dataclass(frozen=True, slots=True)
class Words:
    """What must not stay in a session, normalised: whole texts, names, ids."""

    texts: tuple[str, ...] = ()
    names: frozenset[str] = frozenset()
    ids: tuple[str, ...] = ()

    def in_node(self, type: str, text: str, aliases: Iterable[str] = ()) -> bool:
        """Say whether something in mind says or names what is erased."""
        if type == ENTITY:
            return not self.names.isdisjoint(normalise(each) for each in (text, *aliases))
        plain = normalise(text)
        return bool(plain) and (
            any(plain == each or says(each, plain) for each in self.texts) or self.in_raw(plain)
        )

    def in_raw(self, plain: str) -> bool:
        """Say whether a normalised text holds a whole erased one, or its id."""
        return any(len(each) >= _TELLING and each in plain for each in self.texts) or any(
            each in plain for each in self.ids
        )


@dataclass(slots=True)
class Swept:
    """What was done outside the store: files, those that could not be written, sessions in mind."""

    files: dict[str, Cleaned] = field(default_factory=dict)
    failed: set[str] = field(default_factory=set)
    sessions: set[str] = field(default_factory=set)
    # Every session that this process has in mind: none of them holds the words any more.
    here: set[str] = field(default_factory=set)


def sweep(
    swept: Swept,
    words: Words,
    folder: Path,
    scope: Scope,
    mind: Mind,
    running: Sequence[WorkingMemory],
) -> None:
    """Take words out of sessions, first those in mind, which would be written down again."""
    if not (words.texts or words.names):
        return
    for working in running:
        for session in working.active_sessions():
            swept.here.add(session)
            held = working.graph(session).held().nodes
            if any(words.in_node(each.type, each.text, each.aliases) for each in held):
                working.forget(session)
                swept.sessions.add(session)
    if not folder.is_dir():
        return
    others = _files_of_others(folder, scope, mind)
    for file in sorted(folder.iterdir()):
        if file.is_file() and not file.is_symlink() and file not in others:
            try:
                if (how := _clean(file, words)) is not None:
                    swept.files[file.name] = Cleaned(name=file.name, how=how)
            except (BadInput, OSError):
                swept.failed.add(file.name)


def _files_of_others(folder: Path, scope: Scope, mind: Mind) -> set[Path]:
    """Return the checkpoints of other users' sessions; a name given by hand tells no owner."""
    found = set()
    for user in mind.store.nights.owners():
        for held in mind.store.sessions.recent(Scope(user), -1) if user != scope.user else ():
            whose = Scope(user, held.agent, held.project)
            found.add(file_of(folder, whose, held.id))
    return found


def _clean(file: Path, words: Words) -> str | None:
    """Rewrite a file without the words, or remove it where it is nothing else; None: not in it."""
    try:
        record = read_json(file)
    except (BadInput, NotFound):
        record = None
    if not isinstance(record, dict):
        if not words.in_raw(normalise(file.read_text(encoding="utf-8", errors="replace"))):
            return None
        file.unlink(missing_ok=True)
        return REMOVED
    left, dropped = _without(record, words)
    if not dropped:
        return None
    if not any(left.get(name) for name in _LISTS):
        file.unlink(missing_ok=True)
        return REMOVED
    pretty = file.read_text(encoding="utf-8-sig").startswith("{\n")
    write_whole(file, written(left, pretty=pretty))
    return REWRITTEN


def _without(record: dict[str, Any], words: Words) -> tuple[dict[str, Any], int]:
    """Return a snapshot or a checkpoint without what holds the words, and how much that was."""
    edges = [each for each in record.get("edges") or () if isinstance(each, dict)]
    lists = {name: _dicts(record[name]) for name in _LISTS if name in record}
    nodes = [*(each["node"] for each in edges if isinstance(each.get("node"), dict))]
    nodes += [each for held in lists.values() for each in held]
    gone = {
        str(each.get("id"))
        for each in nodes
        if words.in_node(
            str(each.get("type")),
            str(each.get("text", "")),
            [name for name in each.get("aliases") or () if isinstance(name, str)],
        )
    }
    # What was answered to a question, and how it was judged, goes with the question.
    hanging = {str(e.get("to")) for e in edges if str(e.get("from")) in gone} - gone
    hanging -= {str(e.get("to")) for e in edges if str(e.get("from")) not in gone}
    gone |= {str(n.get("id")) for n in nodes if n.get("type") in (ANSWER, FEEDBACK)} & hanging
    kept = [each for each in edges if gone.isdisjoint((str(each.get("from")), str(each.get("to"))))]
    left = {
        name: [each for each in held if str(each.get("id")) not in gone]
        for name, held in lists.items()
    }
    return {**record, **left, "edges": kept}, len(gone)


def _dicts(value: object) -> list[dict[str, Any]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []

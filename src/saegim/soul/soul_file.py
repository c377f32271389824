"""SOUL.md (seed D §4, §5, §8): the map of the self, written only after a person's yes.

It is rendered from the approved self, in the layout of the seed, and read back. What a person
changes in it by hand is never written over: it is offered back as proposals.
"""

from __future__ import annotations

import difflib
import glob
import hashlib
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final

from saegim.errors import BadInput, Refused
from saegim.filesystem import replacing
from saegim.memory.changes import Change, Written
from saegim.memory.entities import Page
from saegim.memory.memory import Memory, Scope
from saegim.memory.text import normalise
from saegim.mind import Mind
from saegim.soul import beliefs, islands
from saegim.soul.consent import Consent, recorded
from saegim.soul.core_memories import cores
from saegim.soul.proposals import SOUL_FILE, WITHDRAWN, Proposal, answered, put, waiting

KIND: Final = "soul"
_BELIEFS, _ISLANDS, _CORES = "## Sense of Self", "## Personality Islands", "## Core Memories"
_QUOTED: Final = 120
_BELIEF_LINE: Final = re.compile(r"- (?P<statement>.+?)(?: \(confidence: (?P<sure>[\d.]+)\))?$")
_ISLAND_LINE: Final = re.compile(r"### (?P<emoji>\S+) (?P<name>.+)$")
_FOUNDER: Final = re.compile(r"M0-\d{3,}")
# A line that reads so much like another is that one in other words.
_REWORDED: Final = 0.6
_LARGEST: Final = 1 << 20


class FileStatus(StrEnum):
    """How the file stands beside the self."""

    UNSET = "unset"
    MISSING = "missing"
    CURRENT = "current"
    # Approved, but the file was not written before the process ended.
    UNWRITTEN = "unwritten"
    OUTDATED = "outdated"
    EDITED = "edited"


@dataclass(frozen=True, slots=True)
class IslandText:
    """An island as the file tells it."""

    emoji: str
    name: str
    description: str = ""
    founders: tuple[str, ...] = ()
    status: str = ""
    strength: float = 0.0


@dataclass(frozen=True, slots=True)
class SoulText:
    """What a SOUL.md says."""

    beliefs: tuple[str, ...]
    islands: tuple[IslandText, ...]
    cores: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SoulFile:
    """The file: where it is, how it stands, and what a yes would change in it."""

    status: FileStatus
    path: str = ""
    rendered: str = ""
    disk: str = ""
    difference: str = ""


# -- rendering and reading ------------------------------------------------------------------------


def _quote(text: str) -> str:
    line = " ".join(text.split()).replace('"', "'")
    return f'"{line if len(line) <= _QUOTED else line[: _QUOTED - 1] + "…"}"'


def rendered(scope: Scope, mind: Mind) -> str:
    """Write the approved self in the layout of seed D §4."""
    held = cores(scope, mind)
    if not held and not islands.islands(scope, mind) and not beliefs.current(scope, mind).beliefs:
        return "# SOUL\n\n(nothing is approved yet)\n"
    numbers = {memory.id: number for number, memory in held.items()}
    lines = ["# SOUL", "", _BELIEFS, ""]
    for belief in beliefs.current(scope, mind).beliefs:
        lines.append(f"- {belief.statement} (confidence: {belief.confidence:g})")
    lines += ["", _ISLANDS, ""]
    for each in islands.islands(scope, mind):
        founders = [
            f"{numbers[id]} ({_quote(held[numbers[id]].text)})"
            for id in each.founders
            if id in numbers
        ]
        lines += [f"### {each.emoji} {each.name}"]
        lines += [f"> {each.description}"] if each.description else []
        lines += [f"- Founded by: {', '.join(founders) or '–'}"]
        lines += [f"- Strength: {each.strength:g}", f"- Status: {each.status.value}", ""]
    lines += [_CORES, ""]
    lines += [f"- {number}: {_quote(memory.text)}" for number, memory in held.items()]
    return "\n".join(lines).rstrip() + "\n"


def read_back(text: str) -> SoulText:
    """Read what a SOUL.md says; what is not in its layout is nobody's belief."""
    part, believed, told, core = "", [], [], []
    for line in map(str.rstrip, text.splitlines()):
        if line.startswith("## "):
            part = line
        elif part == _BELIEFS and (found := _BELIEF_LINE.match(line)):
            believed.append(found["statement"].strip())
        elif part == _ISLANDS and (found := _ISLAND_LINE.match(line)):
            told.append(IslandText(found["emoji"], found["name"].strip()))
        elif part == _ISLANDS and told:
            told[-1] = _with_line(told[-1], line)
        elif part == _CORES and (number := _FOUNDER.match(line.removeprefix("- "))):
            core.append(number[0])
    return SoulText(tuple(believed), tuple(told), tuple(core))


def _with_line(each: IslandText, line: str) -> IslandText:
    """Return an island with what one more line says of it."""
    name, _, value = line.removeprefix("- ").partition(": ")
    held = {what: getattr(each, what) for what in each.__slots__}
    if line.startswith("> "):
        held["description"] = line[2:].strip()
    elif name == "Founded by":
        held["founders"] = tuple(_FOUNDER.findall(re.sub(r'"[^"]*"', "", value)))
    elif name == "Status":
        held["status"] = value.strip()
    elif name == "Strength" and re.fullmatch(r"[\d.]{1,6}", value.strip()):
        held["strength"] = float(value) if value.count(".") <= 1 else 0.0
    return IslandText(**held)


# -- the file beside the self ---------------------------------------------------------------------


def place(scope: Scope, mind: Mind) -> Path | None:
    """Return where the person wants the file; None where they named no place.

    The settings are of whose machine it is: their file is shown to nobody else who shares it.
    """
    named = mind.settings.soul_path if scope.user == mind.settings.user else ""
    return mind.store.path.parent / Path(named).expanduser() if named else None


def _mark(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _on_disk(path: Path) -> str:
    """Return what the file says; "" where there is none."""
    try:
        if path.stat().st_size > _LARGEST:
            raise BadInput("soul.file_too_large", path=path)
        return path.read_text(encoding="utf-8-sig", errors="replace")
    except FileNotFoundError:
        return ""
    except OSError as error:
        raise BadInput("soul.file_unreadable", path=path, reason=error.strerror or "") from error


def _approved(scope: Scope, mind: Mind) -> Page | None:
    """Return the page of the text that was last approved, unless its words were erased."""
    pages = mind.store.pages.of(scope, key=KIND)
    return pages[-1] if pages and pages[-1].body else None


def _same(one: str, other: str) -> bool:
    """Say whether two texts tell the same self; strength moves with every night."""
    return re.sub(r"- Strength: .*", "", one) == re.sub(r"- Strength: .*", "", other)


def check(scope: Scope, mind: Mind) -> SoulFile:
    """Compare the file with what was approved and with the self as it is now."""
    text, path = rendered(scope, mind), place(scope, mind)
    if path is None:
        return SoulFile(FileStatus.UNSET, rendered=text)
    disk, page = _on_disk(path), _approved(scope, mind)
    lines = disk.splitlines(), text.splitlines()
    named = str(path), "SOUL.md"
    difference = "\n".join(difflib.unified_diff(*lines, *named, lineterm="", n=1))
    if not disk:
        unwritten = page is not None and not page.data.get("previous")
        status = FileStatus.UNWRITTEN if unwritten else FileStatus.MISSING
    elif page is not None and disk == page.body:
        status = FileStatus.CURRENT if _same(disk, text) else FileStatus.OUTDATED
    elif page is not None and _mark(disk) == page.data.get("previous"):
        status = FileStatus.UNWRITTEN
    else:
        status = FileStatus.EDITED
    return SoulFile(status, str(path), text, disk, difference)


def proposed(scope: Scope, mind: Mind, *, why: str) -> list[Change]:
    """Return the proposal to write the file as the self is now; nothing where it says so already.

    One waits at a time: an older text that nobody answered is withdrawn for the new one.
    """
    found = check(scope, mind)
    if found.status is FileStatus.UNSET:
        raise BadInput("soul.no_path")
    if found.status in (FileStatus.CURRENT, FileStatus.UNWRITTEN):
        return []
    asked = _mark(found.disk) if found.disk else ""
    if found.status is FileStatus.EDITED and not _settled(asked, scope, mind):
        raise Refused("soul.file_was_edited", path=found.path)
    older = waiting(SOUL_FILE, scope, mind)
    for each in older:
        if _same(each.text, found.rendered) and each.details.get("disk", "") == asked:
            return []
    self_now = beliefs.current(scope, mind)
    sources = [id for each in self_now.beliefs for id in each.supporting]
    sources += [memory.id for memory in cores(scope, mind).values()]
    new = Proposal(
        id=mind.new_id(KIND),
        about=SOUL_FILE,
        text=found.rendered,
        reasons=(why,),
        details={"path": found.path, "disk": asked, "difference": found.difference},
        sources=tuple(dict.fromkeys(sources)),
    )
    return [put(new), *(answered(each, WITHDRAWN, by=scope.user) for each in older)]


def approve(consent: Consent) -> None:
    """Write the file as it was approved, unless somebody changed it since it was shown."""
    proposal, mind = consent.proposal, consent.mind
    path = place(consent.scope, mind)
    if path is None or str(path) != proposal.details.get("path"):
        raise Refused("soul.path_changed", path=proposal.details.get("path"))
    disk = _on_disk(path)
    if (_mark(disk) if disk else "") != proposal.details.get("disk", ""):
        raise Refused("soul.file_changed_meanwhile", path=path)
    before = _approved(consent.scope, mind)
    if disk and (before is None or before.body != disk):
        _keep_aside(path, disk)
    data = {"path": str(path), "previous": _mark(disk) if disk else "", "by": consent.person}
    page = Page(key=KIND, kind=KIND, body=proposal.text, data=data, derived_from=proposal.sources)
    consent.commit([Written(page)])
    _write(path, proposal.text)


def _keep_aside(path: Path, disk: str) -> None:
    """Keep what a person wrote by hand beside the file: nothing of theirs is written over."""
    aside = path.with_name(f"{path.stem}.{_mark(disk)[:8]}{path.suffix}")
    if not aside.exists():
        _write(aside, disk)


def _write(path: Path, text: str) -> None:
    os.makedirs(path.parent, exist_ok=True)
    with replacing(path) as file:
        file.write(text)


def finish(scope: Scope, mind: Mind) -> bool:
    """Write the file that was approved and not written, as after a crash; say whether it was."""
    found, page, path = check(scope, mind), _approved(scope, mind), place(scope, mind)
    if found.status is not FileStatus.UNWRITTEN or page is None or path is None:
        return False
    _write(path, page.body)
    return True


# -- what a person changed by hand ----------------------------------------------------------------


def _settled(mark: str, scope: Scope, mind: Mind) -> bool:
    """Say whether an edit was offered back, and everything of it answered."""
    offered = mind.store.pages.of(scope, key=f"{KIND}:edit")
    still = any(beliefs.FROM_FILE in each.reasons for each in _every_open(scope, mind))
    return bool(offered) and offered[-1].data.get("mark") == mark and not still


def _every_open(scope: Scope, mind: Mind) -> Iterator[Proposal]:
    for about in ("belief", "island"):
        yield from waiting(about, scope, mind)


def offers(scope: Scope, mind: Mind) -> list[Change]:
    """Return proposals for what a person changed in the file by hand; none where nothing is new."""
    found = check(scope, mind)
    if found.status is not FileStatus.EDITED:
        return []
    page = Page(key=f"{KIND}:edit", kind="soul_edit", data={"mark": _mark(found.disk)})
    seen = mind.store.pages.of(scope, key=page.key)
    if seen and seen[-1].data == page.data:
        return []
    approved = _approved(scope, mind)
    before = read_back(approved.body if approved else found.rendered)
    after = read_back(found.disk)
    made = [*_offered_beliefs(before, after, scope, mind), *_offered_names(after, scope, mind)]
    return [*made, Written(page)]


def _offered_beliefs(
    before: SoulText, after: SoulText, scope: Scope, mind: Mind
) -> Iterator[Change]:
    known = {normalise(each.statement): each for each in beliefs.current(scope, mind).beliefs}
    new = [each for each in after.beliefs if normalise(each) not in known]
    told = {normalise(each) for each in after.beliefs}
    gone = [
        known[key] for each in before.beliefs if (key := normalise(each)) in known.keys() - told
    ]
    for held in gone:
        near = difflib.get_close_matches(held.statement, new, 1, _REWORDED)
        text = near[0] if near else ""
        if near:
            new.remove(text)
        made = beliefs.asked(
            text, scope, mind, belief=held.id, remove=not near, why=beliefs.FROM_FILE
        )
        yield from [made] if made else []
    for text in new:
        if beliefs.is_sound(text) and (
            made := beliefs.asked(text, scope, mind, why=beliefs.FROM_FILE)
        ):
            yield made


def _offered_names(after: SoulText, scope: Scope, mind: Mind) -> Iterator[Change]:
    """Yield proposals to call islands as the file does; they are known by their founders."""
    ids = {number: memory.id for number, memory in cores(scope, mind).items()}
    for each in islands.islands(scope, mind):
        for told in after.islands:
            if {ids.get(number) for number in told.founders} & set(each.founders):
                made = islands.proposed(
                    each, scope, mind, name=told.name, emoji=told.emoji,
                    description=told.description, why=beliefs.FROM_FILE,
                )  # fmt: skip
                yield from [made] if made else []


# -- erasing --------------------------------------------------------------------------------------


def holds(ids: Iterable[str], scope: Scope, mind: Mind) -> SoulFile | None:
    """Return the file if the text that was approved came from any of these memories."""
    page = _approved(scope, mind)
    if page is None or not set(ids) & set(page.derived_from):
        return None
    return check(scope, mind)


def kept_aside(gone: Sequence[Memory], scope: Scope, mind: Mind) -> list[Path]:
    """Return the hand-edited files beside SOUL.md that quote any of these memories."""
    path = place(scope, mind)
    if path is None:
        return []
    found = path.parent.glob(f"{glob.escape(path.stem)}.{'[0-9a-f]' * 8}{glob.escape(path.suffix)}")
    quotes = [_quote(each.text) for each in gone if each.text]
    return [each for each in sorted(found) if any(one in _on_disk(each) for one in quotes)]


@dataclass(frozen=True, slots=True)
class ToldOf:
    """What SOUL.md may have told of the self, at any time: beliefs, and islands by their names."""

    beliefs: Mapping[str, str]
    islands: Mapping[str, frozenset[tuple[str, str]]]


def told_of(scope: Scope, mind: Mind) -> ToldOf:
    """Return what the file may tell, before something is erased."""
    named: dict[str, set[tuple[str, str]]] = {}
    for page in mind.store.pages.of(scope, kind=islands.KIND):
        heading = f"### {page.data['emoji']} {page.title}" if page.data else ""
        named.setdefault(page.key.partition(":")[2], set()).add((heading, f"> {page.body}"))
    believed = {each.id: each.statement for each in beliefs.current(scope, mind).beliefs}
    return ToldOf(believed, {id: frozenset(each) for id, each in named.items()})


def unsay(
    found: SoulFile, gone: Sequence[Memory], before: ToldOf, scope: Scope, mind: Mind, by: str
) -> bool:
    """Take erased words out of the file; False where a person edited it, and they must do it."""
    path = place(scope, mind)
    if path is None or not found.disk:
        return True
    if found.status not in (FileStatus.CURRENT, FileStatus.OUTDATED):
        return False
    self_now = beliefs.current(scope, mind)
    held = {each.id for each in self_now.beliefs}
    text = found.disk
    for quote in (re.escape(_quote(memory.text)) for memory in gone):
        text = re.sub(rf"^- M0-\d{{3,}}: {quote}\n", "", text, flags=re.MULTILINE)
        text = re.sub(rf"(?:, )?M0-\d{{3,}} \({quote}\)", "", text).replace(": , M0-", ": M0-")
    lost = tuple(f"- {each} (confidence: " for id, each in before.beliefs.items() if id not in held)
    lines = [line for line in text.splitlines() if not (lost and line.startswith(lost))]
    lines = ["- Founded by: –" if line.strip() == "- Founded by:" else line for line in lines]
    text = "\n".join(_without_names(lines, before, scope, mind)) + "\n"
    _write(path, text)
    sources = [id for each in self_now.beliefs for id in each.supporting]
    sources += [memory.id for memory in cores(scope, mind).values()]
    page = Page(
        key=KIND, kind=KIND, body=text, data={"path": str(path), "by": by},
        derived_from=tuple(dict.fromkeys(sources)),
    )  # fmt: skip
    recorded([Written(page)], by, scope, mind)
    return True


def _without_names(lines: Sequence[str], before: ToldOf, scope: Scope, mind: Mind) -> Iterator[str]:
    """Yield the lines without islands that are gone, the others by the names they have now."""
    now = {each.id: each for each in islands.islands(scope, mind)}
    called: dict[str, str] = {}
    for id, names in before.islands.items():
        each = now.get(id)
        for heading, meaning in names:
            called[heading] = f"### {each.emoji} {each.name}" if each else ""
            called[meaning] = f"> {each.description}" if each else ""
    is_gone = False
    for line in lines:
        if line.startswith("#"):
            is_gone = called.get(line) == ""
        if not is_gone:
            yield called.get(line, line)

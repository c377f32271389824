"""Memories as a person likes to read them: sentences and tables that fit the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.cells import cell_len
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from saegim.memory.memory import Lifetime
from saegim.serve.terminal import console, has_width, one_line, visible

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from saegim.memory.memory import Memory, Scope
    from saegim.project_memories import ProjectMove, ProjectSummary
    from saegim.recall.compose.card import Nearness
    from saegim.recall.listing import History
    from saegim.recall.usage import Used
    from saegim.serve.speech import Speech
    from saegim.sleep.forget import Farewell
    from saegim.store.tables.memory_table import Slice
    from saegim.store.tables.session_table import Session

Json = dict[str, Any]
Parts = list[RenderableType]

# So wide is what names a memory at least: its handle and its project.
ID_WIDTH = 24
_LONG_ID = 36

# So much of a memory's words is shown in a list that is piped; `get` and JSON show all of them.
_PIPED_WORDS = 160

# So wide is a terminal in which a list also says how long each memory is kept.
_ROOMY = 100

# The latest uses that are told beside a memory; `history` tells all.
_USES = 3


def memories(
    found: Sequence[Memory],
    speech: Speech,
    none: str = "nothing yet",
    near: Nearness | None = None,
) -> Parts:
    """Show a list of memories, each with the id that names it; of long ones what is `near`."""
    if not found:
        return [speech(none)]
    table = grid()
    memory_column(table, speech)
    table.add_column(speech("column date"), no_wrap=True)
    for each in found:
        table.add_row(named(each, speech, near), placed(each, speech))
    return [table]


def page(part: Slice, speech: Speech) -> Parts:
    """Show a part of the list, how much there is in all, and how to go on."""
    shown = memories(part.memories, speech)
    if part.total:
        count = len(part.memories)
        shown.append(speech("of total", count=count, memories=speech.memories(part.total)))
    if part.next:
        shown.append(speech("go on", cursor=part.next))
    return shown


def memory(each: Memory, speech: Speech, uses: Sequence[Used] = ()) -> Parts:
    """Show one memory whole: its words, then everything that is known about them."""
    worth, life, origin = each.worth, each.life, each.provenance
    facts = {
        "id": " · ".join(dict.fromkeys((speech.handle(each.id), each.id))),
        "kind": speech.named("kind", each.kind.value),
        "state": speech.named("state", life.state.value),
        "tier": life.tier.value + (f" · {speech('pinned')}" if life.pinned else ""),
        "happened": speech.moment(each.time.happened_at),
        "recorded": speech.moment(each.time.recorded_at),
        "lifetime": speech.lifetime(each),
        "expires": speech.moment(life.expires_at) if _ends(each) and life.expires_at else "",
        "leaves": speech.moment(life.leaving_until) if life.leaving_until else "",
        "session": each.scope.session,
        "project": each.scope.project,
        "agent": each.scope.agent,
        "author": origin.author,
        "origin": f"{speech.word('origin', origin.origin.value)} · {origin.trust:.1f}",
        "tags": ", ".join(each.content.tags),
        "importance": f"{worth.importance:.2f}",
        "used": used(worth.used, uses, speech),
    }
    return [each.text, "", pairs({speech(f"field {name}"): said for name, said in facts.items()})]


def _ends(each: Memory) -> bool:
    return each.life.lifetime is not Lifetime.LASTING and not each.life.pinned


def used(count: int, uses: Sequence[Used], speech: Speech) -> str:
    """Say how often something was used, and why the latest uses count as such."""
    if not count:
        return ""
    told = [use_told(each, speech) for each in reversed(uses)]
    more = [speech("uses before", count=len(told) - _USES)] if len(told) > _USES else []
    reasons = "; ".join([*told[:_USES], *more])
    return f"{count}×: {reasons}" if reasons else f"{count}×"


def use_told(each: Used, speech: Speech) -> str:
    """Say in a few words why something counts as used."""
    said = speech(f"use {each.because}", day=speech.date(each.at))
    return f"{said} ({', '.join(each.words)})" if each.words else said


def names(sessions: Sequence[str], speech: Speech, held: Mapping[str, Session]) -> Parts:
    """Show the names of sessions, the latest first, and what is known of those that were held."""
    if not sessions:
        return [speech("no sessions")]
    lines: Parts = []
    for name in sessions:
        parts = [one_line(name)]
        if known := held.get(name):
            parts += [one_line(known.platform), speech.date(known.started_at)]
            parts.append(speech("turns", count=known.turns))
            parts += [one_line(known.topic)] if known.topic else []
            parts += [] if known.ended_at else [speech("session open")]
        lines.append(" · ".join(parts))
    return lines


def history(told: History, speech: Speech) -> Parts:
    """Show every version and what the ledger saw of them."""
    versions = grid()
    versions.add_column("", style="bold", no_wrap=True)
    memory_column(versions, speech)
    versions.add_column(speech("field recorded"), no_wrap=True)
    numbers = {}
    for number, each in enumerate(told.versions, 1):
        numbers[each.id] = str(number)
        state = (speech.word("state", each.life.state.value), "cyan")
        at = Text.assemble(speech.moment(each.time.recorded_at), "\n", state)
        versions.add_row(str(number), named(each, speech), at)
    lines = grid(fill=False)
    for column in ("line", "when", "version", "change"):
        lines.add_column(speech(f"column {column}"), no_wrap=True)
    lines.add_column(speech("column actor"), overflow="fold")
    for entry in told.entries:
        change = speech.change(entry.change, entry.facts)
        version = numbers.get(entry.subject, "")
        at_line = (str(entry.seq), speech.moment(entry.at), version, change, visible(entry.actor))
        lines.add_row(*at_line)
    shown: Parts = [versions, "", speech("ledger lines"), lines]
    if told.uses:
        shown += ["", speech("why used"), *(use_told(each, speech) for each in told.uses)]
    return shown


def farewell(gone: Farewell, speech: Speech) -> Parts:
    """Say what left, until when it can be called back, and how."""
    if not gone.memories:
        return [speech("nothing to forget")]
    count = speech.memories(len(gone.memories))
    ids = " ".join(speech.handle(each.id) for each in gone.memories[:3])
    how = "call back" if len(gone.memories) <= 3 else "call back many"
    return [
        speech("left", memories=count, until=speech.moment(gone.until)),
        speech(how, ids=ids),
    ]


def restored(told: Json, speech: Speech) -> Parts:
    """Say what is here again."""
    return [line(speech("back", id=each["id"], text=each["text"])) for each in told["memories"]]


def grid(*, header: bool = True, gap: int = 2, fill: bool = True) -> Table:
    """Return an empty table without lines; if it is to fill, as wide as the terminal."""
    return Table(
        box=None,
        expand=fill and has_width(),
        show_header=header,
        header_style="dim",
        pad_edge=False,
        padding=(0, gap, 0, 0),
    )


def memory_column(table: Table, speech: Speech, name: str = "memory") -> None:
    """Add the column that takes what the others leave, but never cuts what names a memory."""
    table.add_column(
        speech(f"column {name}"),
        ratio=1,
        no_wrap=True,
        overflow="ellipsis",
        min_width=ID_WIDTH if speech.handle is not str else _LONG_ID,
        max_width=None if has_width() else _PIPED_WORDS,
    )


def named(each: Memory, speech: Speech, near: Nearness | None = None) -> Text:
    """Return the words of a memory on one line, its handle and its project on the next."""
    words = one_line(each.text) if near is None else _nearest(each.text, near)
    pin = "📌 " if each.life.pinned else ""
    home = f" · {one_line(each.scope.project)}" if each.scope.project else ""
    name = (speech.handle(each.id) + home, "cyan")
    return Text.assemble((pin + words, "bold"), "\n", name)


def _nearest(text: str, near: Nearness) -> str:
    """Return a text on one line; of one that is longer, the words that answer."""
    from saegim.recall.compose.card import excerpt

    words = one_line(text)
    # Beside the words stand at least a day and often a reason.
    room, wide = (console().width // 2 if has_width() else _PIPED_WORDS), cell_len(words)
    if wide <= room:
        return words
    found = one_line(excerpt(text, near, max(len(words) * room // wide - 4, ID_WIDTH // 2)))
    return found if found.startswith("…") else words


def placed(each: Memory, speech: Speech) -> Text:
    """Return the day of a memory, and under it its kind, or its state if it is not active."""
    state = each.life.state.value
    said = (
        speech.word("kind", each.kind.value) if state == "active" else speech.word("state", state)
    )
    if state == "active" and console().width >= _ROOMY:
        said += f" · {speech.lifetime(each)}"
    return Text.assemble(speech.date(each.time.happened_at), "\n", (said, "cyan"))


def line(said: str) -> Text:
    """Return a sentence that stays on one line, cut where the terminal ends."""
    line = Text(one_line(said))
    most = console().width if has_width() else ID_WIDTH + _PIPED_WORDS
    line.truncate(most, overflow="ellipsis")
    return line


def pairs(held: Mapping[str, str]) -> Table:
    """Return names and what stands behind them, one pair a line; empty ones are left out."""
    table = grid(header=False)
    table.add_column("", style="dim", no_wrap=True)
    table.add_column("", overflow="fold", ratio=1)
    for name, said in held.items():
        if said:
            table.add_row(name, Text(visible(said)))
    return table


def size(count: float) -> str:
    """Write a number of bytes for a person."""
    for unit in ("B", "kB", "MB"):
        if count < 1000:
            return f"{count:.0f} {unit}"
        count /= 1000
    return f"{count:.1f} GB"


# -- which project is at hand, and what projects hold

# So many other projects are named.
_NAMED = 3


def others(counts: Mapping[str, int], speech: Speech) -> Parts:
    """Say how much other projects hold that this one does not."""
    if not counts:
        return []
    names = ", ".join(one_line(each) for each in list(counts)[:_NAMED])
    more = f"{names}, …" if len(counts) > _NAMED else names
    return [speech("elsewhere", count=sum(counts.values()), names=more)]


def at_hand(scope: Scope, speech: Speech) -> Parts:
    """Say which project is at hand; nothing where there is none."""
    return [speech("in project", project=one_line(scope.project))] if scope.project else []


def kept_where(kept: Sequence[Memory], scope: Scope, speech: Speech) -> Parts:
    """Say whether what was kept is found in every project or in one, and how to change that."""
    if not kept:
        return at_hand(scope, speech)
    first = kept[0]
    if first.scope.project:
        project = one_line(first.scope.project)
        return [speech("kept in project", project=project, id=first.id)]
    if scope.project:
        return [speech("kept for all", project=one_line(scope.project), id=first.id)]
    return []


def projects(held: Sequence[ProjectSummary], here: str, speech: Speech) -> Parts:
    """Show every project, how much it holds, and which one is at hand."""
    if not held:
        return [speech("no projects")]
    table = grid(fill=False)
    table.add_column(speech("column project"), overflow="fold")
    table.add_column(speech("column memories"), justify="right", no_wrap=True)
    table.add_column(speech("column last kept"), no_wrap=True)
    table.add_column("", no_wrap=True)
    for each in held:
        mark = Text(speech("project here") if here and each.project == here else "", style="cyan")
        last = speech.date(each.changed_at) if each.changed_at else ""
        table.add_row(Text(_called(each.project, speech)), f"{each.memories:,}", last, mark)
    return [table]


def went(done: ProjectMove, speech: Speech) -> Parts:
    """Say what moved or would move, from where, and how to take it back."""
    to = _called(done.to, speech)
    if not done.count and not done.places:
        return [speech("nothing to move", to=to)]
    sentence = "was moved" if done.done else "would move"
    said: Parts = [speech(sentence, to=to, memories=speech.memories(done.count))]
    said += [
        speech("moved from", project=_called(each, speech), count=count)
        for each, count in done.memories.items()
    ]
    if done.places:
        said.append(speech("moved places", to=to, count=done.places))
    if done.id:
        said.append(speech("move back", id=done.id, until=speech.moment(done.until)))
    return said


def _called(project: str, speech: Speech) -> str:
    return one_line(project) if project else speech("all projects")

"""Values as a person likes to read them: sentences and tables that fit the terminal."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console, RenderableType
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from saegim.health import Finding
from saegim.importers.flow import Report
from saegim.memory.memory import Memory
from saegim.perceive.moment import Kept
from saegim.recall.flow import Recollection
from saegim.recall.gather import Path as Way
from saegim.recall.listing import History
from saegim.recall.score import Hit
from saegim.serve.safe import one_line, quoted, visible
from saegim.serve.speech import Speech
from saegim.sleep.leave import Farewell
from saegim.store.backup import Backup
from saegim.store.read import Slice

Parts = list[RenderableType]
# Without a terminal there is no width to fit; lines stay whole up to this many columns.
_PIPED_WIDTH = 200
# How many cases of one sort are told; a broken file may have thousands.
_CASES = 10


def console(*, error: bool = False) -> Console:
    """Return where to print: plain text when piped, and no markup read in anyone's words."""
    stream = sys.stderr if error else sys.stdout
    fixed = None if stream.isatty() or os.environ.get("COLUMNS") else _PIPED_WIDTH
    return Console(file=stream, width=fixed, markup=False, emoji=False, highlight=False)


def put(where: Console, part: RenderableType) -> None:
    """Print one part; a sentence is made safe and left to the terminal to wrap."""
    if isinstance(part, str):
        where.print(Text(visible(part)), soft_wrap=True)
    else:
        where.print(part)


def complain(message: str, next_step: str, speech: Speech) -> None:
    """Print what went wrong and what to do about it on standard error."""
    where = console(error=True)
    line = Text.assemble((speech("error"), "bold red"), " ", visible(message))
    where.print(line, soft_wrap=True)
    if next_step:
        where.print(Text(f"  → {visible(next_step)}"), soft_wrap=True)


# -- memories -------------------------------------------------------------------------------------


def memories(found: Sequence[Memory], speech: Speech, none: str = "nothing yet") -> Parts:
    """Show a list of memories, each with the id that names it."""
    if not found:
        return [speech(none)]
    table = _table()
    table.add_column(speech("column memory"), ratio=1, no_wrap=True, overflow="ellipsis")
    table.add_column(speech("column date"), no_wrap=True)
    table.add_column(speech("column kind"), no_wrap=True)
    for each in found:
        table.add_row(_named(each), speech.date(each.time.happened_at), _sort(each, speech))
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


def memory(each: Memory, speech: Speech) -> Parts:
    """Show one memory whole: its words, then everything that is known about them."""
    worth, life, origin = each.worth, each.life, each.provenance
    facts = {
        "id": each.id,
        "kind": speech.word("kind", each.kind.value),
        "state": speech.word("state", life.state.value),
        "tier": life.tier.value + (f" · {speech('pinned')}" if life.pinned else ""),
        "happened": speech.moment(each.time.happened_at),
        "recorded": speech.moment(each.time.recorded_at),
        "expires": speech.moment(life.expires_at) if life.expires_at else "",
        "leaves": speech.moment(life.leaving_until) if life.leaving_until else "",
        "session": each.scope.session,
        "project": each.scope.project,
        "agent": each.scope.agent,
        "author": origin.author,
        "origin": f"{speech.word('origin', origin.origin.value)} · {origin.trust:.1f}",
        "tags": ", ".join(each.content.tags),
        "importance": f"{worth.importance:.2f}",
    }
    lines = Text(visible(each.text), style="bold")
    return [lines, "", _pairs({speech(f"field {name}"): said for name, said in facts.items()})]


def names(sessions: Sequence[str], speech: Speech) -> Parts:
    """Show the names of sessions, the latest first."""
    return [one_line(each) for each in sessions] or [speech("no sessions")]


def kept(done: Kept, speech: Speech) -> Parts:
    """Say in one line what became of a text."""
    words = quoted(done.memory.text)
    said = speech(f"kept {done.status}", id=done.id, text=words)
    return [said, *([speech("index follows")] if done.indexed != "ready" else [])]


def corrected(done: Kept, old: str, speech: Speech) -> Parts:
    """Say what a memory says from now on."""
    return [speech("corrected", id=done.id, text=quoted(done.memory.text), old=old)]


def history(told: History, speech: Speech) -> Parts:
    """Show every version and what the ledger saw of them."""
    versions = _table()
    versions.add_column("", style="bold", no_wrap=True)
    versions.add_column(speech("column memory"), ratio=1, no_wrap=True, overflow="ellipsis")
    versions.add_column(speech("field recorded"), no_wrap=True)
    versions.add_column(speech("field state"), no_wrap=True)
    for number, each in enumerate(told.versions, 1):
        state = speech.word("state", each.life.state.value)
        versions.add_row(str(number), _named(each), speech.moment(each.time.recorded_at), state)
    lines = _table()
    for column in ("column line", "column when", "column change", "column actor", "field id"):
        lines.add_column(speech(column), no_wrap=True, overflow="ellipsis")
    for entry in told.entries:
        change = speech.word("change", entry.change)
        at = speech.moment(entry.at)
        lines.add_row(str(entry.seq), at, change, visible(entry.actor), visible(entry.subject))
    return [versions, "", speech("ledger lines"), lines]


def farewell(gone: Farewell, speech: Speech) -> Parts:
    """Say what left, until when it can be called back, and how."""
    if not gone.memories:
        return [speech("nothing to forget")]
    count = speech.memories(len(gone.memories))
    ids = " ".join(each.id for each in gone.memories[:3])
    how = "call back" if len(gone.memories) <= 3 else "call back many"
    return [
        speech("left", memories=count, until=speech.moment(gone.until)),
        speech(how, ids=ids),
    ]


def restored(back: Sequence[Memory], speech: Speech) -> Parts:
    """Say what is here again."""
    return [speech("back", id=each.id, text=quoted(each.text)) for each in back]


# -- answers --------------------------------------------------------------------------------------


def recollection(found: Recollection, speech: Speech, *, explain: bool = False) -> Parts:
    """Show what came back, best first, and why; or say whether anything was searched at all."""
    if not found.searched:
        return [speech("could not search"), *_ways(found.paths, speech)]
    if not found.hits:
        shown: Parts = [speech("nothing found")]
    elif explain:
        shown = [_explained(found.hits, speech)]
    else:
        shown = [_answers(found.hits, speech)]
    if explain or not found.hits:
        shown += ["", *_ways(found.paths, speech), _scope_of(found, speech)]
    return shown


def why(hit: Hit, speech: Speech) -> str:
    """Say in one line why a memory came back."""
    parts = []
    if hit.matched:
        shared = ", ".join(dict.fromkeys(hit.matched))
        parts.append(speech("why words", words=visible(shared)))
    if hit.vector > 0:
        parts.append(speech("why vector", cosine=f"{hit.vector:.2f}"))
    if hit.context > 0:
        parts.append(speech("why context"))
    return " · ".join(parts) or speech("why weak")


def _answers(hits: Iterable[Hit], speech: Speech) -> Table:
    table = _table()
    table.add_column("", style="bold", no_wrap=True)
    table.add_column(speech("column memory"), ratio=5, no_wrap=True, overflow="ellipsis")
    table.add_column(speech("column date"), no_wrap=True)
    table.add_column(speech("column kind"), no_wrap=True)
    table.add_column(speech("column why"), ratio=3, style="green", overflow="fold")
    for rank, hit in enumerate(hits, 1):
        each = hit.memory
        day = speech.date(each.time.happened_at)
        table.add_row(str(rank), _named(each), day, _sort(each, speech), why(hit, speech))
    return table


def _explained(hits: Iterable[Hit], speech: Speech) -> Table:
    """Show the numbers as columns; what would not fit beside them stands under the words."""
    table = _table()
    table.add_column("", style="bold", no_wrap=True)
    table.add_column(speech("column memory"), ratio=1, no_wrap=True, overflow="ellipsis")
    numbers = ("words", "vector", "context", "recency", "importance", "score")
    for name in numbers:
        table.add_column(speech(f"column {name}"), justify="right", no_wrap=True)
    for rank, hit in enumerate(hits, 1):
        each, weighed = hit.memory, hit.weighed
        cell = _named(each)
        cell.append(f"\n{speech.date(each.time.happened_at)} · {_sort(each, speech)}")
        cell.append(f"\n{why(hit, speech)}", style="green")
        held = (hit.words, hit.vector, hit.context, weighed.recency, weighed.importance, hit.score)
        table.add_row(str(rank), cell, *(f"{number:.2f}" for number in held))
    return table


def _ways(ways: Iterable[Way], speech: Speech) -> list[str]:
    """Say for each path whether it ran, what it found, and why not if it did not."""
    told = []
    for way in ways:
        name = speech(f"path {way.name}")
        reason = speech.echo(way.why)
        if way.ran:
            line = speech("path ran", name=name, found=way.found)
            told.append(f"{line} ({reason})" if reason else line)
        else:
            told.append(speech("path did not run", name=name, why=reason))
    return told


def _scope_of(found: Recollection, speech: Speech) -> str:
    rooms = ("user", "agent", "project", "session")
    held = ((name, getattr(found.scope, name)) for name in rooms)
    said = " · ".join(f"{speech(f'field {name}')} {value}" for name, value in held if value)
    return speech("looked in", scope=said)


# -- care -----------------------------------------------------------------------------------------


def state(held: dict[str, Any], speech: Speech) -> Parts:
    """Show the state of the memory, group by group."""
    pairs: dict[str, str] = {}
    for name, value in held.items():
        said = _said(value, speech)
        if said:
            pairs[speech.word("field", name)] = said
    return [_pairs(pairs)]


def findings(tried: Sequence[Finding], speech: Speech) -> Parts:
    """Show everything the doctor tried, and under each fault what would help."""
    table = _table(header=False)
    table.add_column("", no_wrap=True)
    table.add_column("", no_wrap=True)
    table.add_column("", ratio=1, overflow="fold")
    for each in tried:
        mark = Text("✓", style="green") if each.ok else Text("✗", style="bold red")
        said = Text(visible(speech.echo(each.detail)))
        if each.fix and not each.ok:
            said.append(f"\n→ {visible(speech.echo(each.fix))}", style="bold")
        table.add_row(mark, visible(speech.word("check", each.name)), said)
    faults = sum(not each.ok for each in tried)
    summary = "all well" if not faults else "not well"
    return [table, speech(summary, faults=faults, count=len(tried))]


def backed_up(made: Backup, speech: Speech) -> Parts:
    """Say where a backup lies, what it holds, and the heads to keep elsewhere."""
    count = speech.memories(made.memories)
    size = _size(made.bytes)
    heads = [speech("head of", user=user, head=head) for user, head in made.heads.items()]
    return [speech("backed up", path=made.path, memories=count, size=size), *heads]


def put_back(restored: Backup, aside: Path | None, speech: Speech) -> Parts:
    """Say what was restored and where the store as it was is kept."""
    count = speech.memories(restored.memories)
    said: Parts = [speech("put back", memories=count, path=restored.path)]
    return [*said, speech("kept aside", path=aside)] if aside else said


def report(read: Report, speech: Speech) -> Parts:
    """Say what an import read, kept, knew already and could not read."""
    said: Parts = [
        speech(
            "would import" if read.dry_run else "imported",
            read=read.read,
            added=read.added,
            known=read.known,
            conflicts=len(read.conflicts),
            problems=len(read.problems),
        )
    ]
    if read.trusted:
        said.append(speech("imported trust", trusted=read.trusted))
    for sort, cases in (("conflict", read.conflicts), ("problem", read.problems)):
        said += [speech(sort, case=case) for case in cases[:_CASES]]
        if len(cases) > _CASES:
            said.append(speech("and more", count=len(cases) - _CASES))
    return said


def progress(steps: Iterable[tuple[int, int]], speech: Speech) -> Iterator[tuple[int, int]]:
    """Hand the steps on while a bar on standard error moves with them."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console(error=True), transient=True) as bar:
        task = bar.add_task(speech("rebuilding"), total=None)
        for done, total in steps:
            bar.update(task, completed=done, total=total)
            yield done, total


# -- pieces ---------------------------------------------------------------------------------------


def _table(*, header: bool = True) -> Table:
    """Return an empty table without lines, as wide as the terminal if there is one."""
    wide = sys.stdout.isatty()
    return Table(
        box=None,
        expand=wide,
        show_header=header,
        header_style="dim",
        pad_edge=False,
        padding=(0, 2, 0, 0),
    )


def _named(each: Memory) -> Text:
    """Return the words of a memory on one line and its id on the next."""
    pin = "📌 " if each.life.pinned else ""
    return Text.assemble((pin + one_line(each.text), "bold"), "\n", (each.id, "dim"))


def _sort(each: Memory, speech: Speech) -> str:
    """Return the kind of a memory, and its state if it is not simply there."""
    kind = speech.word("kind", each.kind.value)
    state = each.life.state.value
    return kind if state == "active" else f"{kind}, {speech.word('state', state)}"


def _pairs(held: dict[str, str]) -> Table:
    """Return names and what stands behind them, one pair a line; empty ones are left out."""
    table = _table(header=False)
    table.add_column("", style="dim", no_wrap=True)
    table.add_column("", overflow="fold", ratio=1)
    for name, said in held.items():
        if said:
            table.add_row(name, Text(visible(said)))
    return table


def _said(value: Any, speech: Speech) -> str:
    if isinstance(value, bool):
        return speech("yes" if value else "no")
    if isinstance(value, dict):
        return ", ".join(f"{name} {_said(each, speech)}" for name, each in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(_said(each, speech) for each in value)
    if isinstance(value, int):
        return f"{value:,}"
    return "" if value is None else speech.echo(str(value))


def _size(count: float) -> str:
    for unit in ("B", "KB", "MB"):
        if count < 1024:
            return f"{count:.0f} {unit}"
        count /= 1024
    return f"{count:.1f} GB"

"""What recall has to tell, as plain data for JSON and as a person likes to read it."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from saegim.language.times import Span
from saegim.memory.clock import iso
from saegim.recall.asked.understanding import Understanding
from saegim.recall.explain import features_of, numbers, reason, signs
from saegim.recall.flow import InMind, Recollection
from saegim.recall.gather import Path as Way
from saegim.recall.handle import handle_of
from saegim.recall.related import is_entity
from saegim.recall.score import Hit
from saegim.serve.answers import plain
from saegim.serve.answers.shown import ID_WIDTH, Parts, grid, line, memory_column, named, placed
from saegim.serve.terminal import console, visible
from saegim.serve.words.speech import Speech

__all__ = ["features_of"]

Json = dict[str, Any]
Features = Sequence[Mapping[str, float]]

# From this width on every number has a column of its own, under its whole name.
_WIDE = 110
_NUMBERS = (
    "words", "vector", "context", "graph", "time", "fit", "recency", "importance", "score",
)  # fmt: skip
# In a narrower terminal two of them share a column, one below the other, as do their names.
_STACKED = (
    ("words", "graph"), ("vector", "time"), ("context", "fit"), ("recent", "worth"), ("score", ""),
)  # fmt: skip
_LONG = {"recent": "recency", "worth": "importance"}
_BETWEEN = " · "
_NOTHING = Text("–", style="dim")
# The least that is left to the reasons, however long the handles are.
_LEAST_REASON = 12


class Packed:
    """Short pieces, as many on a line as fit, each whole as long as it fits on one."""

    def __init__(self, parts: Sequence[str], between: str = _BETWEEN) -> None:
        self._parts = parts
        self._between = between

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        lines = [self._parts[0]]
        for part in self._parts[1:]:
            longer = f"{lines[-1]}{self._between}{part}"
            if cell_len(longer) <= options.max_width:
                lines[-1] = longer
            else:
                lines.append(part)
        yield Text("\n".join(lines), style="green", no_wrap=False, overflow="fold")

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        widths = [cell_len(part) for part in self._parts]
        whole = sum(widths) + cell_len(self._between) * (len(widths) - 1)
        most = options.max_width
        return Measurement(min(max(widths), most), min(whole, most))


# -- plain data -----------------------------------------------------------------------------------


def recollection(found: Recollection, features: Features = ()) -> Json:
    """Return the hits in rank order with every number, and how they were looked for."""
    hits = [
        {
            "memory": plain.memory(hit.memory),
            "handle": handle_of(hit.number, hit.memory.id),
            **numbers(hit),
            "reason": reason(hit),
        }
        for hit in found.hits
    ]
    for hit, each in zip(hits, features, strict=False):
        hit["features"] = dict(each)
    return {
        "searched": found.searched,
        "in_mind": [each.as_dict() for each in found.in_mind],
        "hits": hits,
        "below_floor": found.below_floor,
        "hidden": found.hidden,
        "paths": [
            {"name": path.name, "ran": path.ran, "found": path.found, "why": path.why}
            for path in found.paths
        ],
        "scope": plain.scope(found.scope),
        "candidates": found.candidates,
        "understood": _understood(found.understood),
        "trace": found.trace,
    }


def _understood(asked: Understanding) -> Json:
    return {
        "spans": [
            {"start": iso(span.start), "end": iso(span.end), "words": span.words}
            for span in asked.spans
        ],
        "only_time": asked.only_time,
        "names": list(asked.names),
        "phrases": list(asked.phrases),
    }


# -- answers --------------------------------------------------------------------------------------


def told(
    found: Recollection, speech: Speech, *, explain: bool = False, features: Features = ()
) -> Parts:
    """Show what came back, best first, and why; or say whether anything was searched at all."""
    if not found.searched:
        return [speech("could not search"), *_ways(found.paths, speech)]
    shown: Parts = _in_mind(found.in_mind, speech)
    if found.hits:
        shown += [_explained(found.hits, speech) if explain else _answers(found.hits, speech)]
    elif not shown:
        shown = [speech("nothing found")]
    if weak := found.below_floor - found.hidden:
        shown.append(speech("one weak" if weak == 1 else "many weak", count=weak))
    if found.hidden:
        shown.append(speech("near misses", count=found.hidden))
    if features:
        shown += ["", *_features(features, speech)]
    if explain or not found.hits:
        shown += ["", *_asked(found.understood, speech), *_ways(found.paths, speech)]
        shown.append(_scope_of(found, speech))
        if found.trace:
            shown.append(speech("traced", trace=found.trace))
    return shown


def _in_mind(said: Sequence[InMind], speech: Speech) -> Parts:
    """Show what was said in the session at hand, before what is long remembered."""
    shown: Parts = []
    for each in said:
        shown.append(line(speech("in mind", text=each.text)))
        if each.answer:
            shown.append(line(speech("in mind answered", text=each.answer)))
    return shown


def why(hit: Hit, speech: Speech) -> str:
    """Say in one line why a memory came back."""
    return _BETWEEN.join(_signs(hit, speech, {}))


def _signs(hit: Hit, speech: Speech, known: Mapping[str, str], *, short: bool = True) -> list[str]:
    """Say each sign by itself; `known` names other memories by their handles."""
    return [_sign(name, values, speech, known) for name, values in signs(hit, short=short)]


def _sign(name: str, values: Json, speech: Speech, known: Mapping[str, str]) -> str:
    """Say one sign in the reader's language."""
    said = dict(values)
    if name == "words":
        said["words"] = ", ".join(values["words"])
    if name in ("tie", "ties"):
        said["via"] = ", ".join(speech.word("tie", each) for each in values["via"])
    if name == "conflict":
        others = (known.get(id, speech("another")) for id in values["others"])
        said["others"] = ", ".join(dict.fromkeys(others))
    if name == "superseded since":
        said["day"] = speech.date(values["day"])
    return visible(speech(f"why {name}", **said))


def _answers(hits: Sequence[Hit], speech: Speech) -> Table:
    known = _known(hits)
    table = grid()
    table.add_column("", no_wrap=True)
    memory_column(table, speech)
    table.add_column(speech("column date"), no_wrap=True)
    reasons = [_signs(hit, speech, known) for hit in hits]
    # Words and reason share what the rest leaves; the reason may take more lines instead.
    longest = max(cell_len(part) for said in reasons for part in said)
    room = room_beside(longest, taken=max(map(len, known.values())) + 10)
    table.add_column(speech("column why"), width=room)
    for rank, (hit, said) in enumerate(zip(hits, reasons, strict=True), 1):
        number = ranked(rank, known[hit.memory.id])
        table.add_row(number, named(hit.memory), placed(hit.memory, speech), Packed(said))
    return table


def _known(hits: Iterable[Hit]) -> dict[str, str]:
    return {hit.memory.id: handle_of(hit.number, hit.memory.id) for hit in hits}


def ranked(rank: int, handle: str) -> Text:
    """Return a place in a list and, under it, the short name of what stands there."""
    return Text.assemble((str(rank), "bold"), "\n", (handle, "cyan"))


def room_beside(longest: int, *, taken: int) -> int | None:
    """Return how wide a column of sentences is: a third of the terminal, if ids stay whole."""
    if not sys.stdout.isatty():
        return None
    width = console().width
    return max(min(longest + 2, width // 3, width - taken - ID_WIDTH - 6), _LEAST_REASON)


# -- explained ------------------------------------------------------------------------------------


def _explained(hits: Sequence[Hit], speech: Speech) -> Table:
    """Show the numbers as columns; what would not fit beside them stands under the words."""
    known = _known(hits)
    table = grid(gap=1)
    table.add_column("", no_wrap=True)
    memory_column(table, speech)
    columns = tuple((name,) for name in _NUMBERS) if console().width >= _WIDE else _STACKED
    for names in columns:
        head = "\n".join(speech(f"column {name}") if name else "" for name in names)
        table.add_column(head, justify="right", no_wrap=True)
    for rank, hit in enumerate(hits, 1):
        held = _numbers(hit)
        cells = (_cell([held[_LONG.get(name, name)] for name in names if name])
                 for names in columns)  # fmt: skip
        number = ranked(rank, known[hit.memory.id])
        table.add_row(number, _told_of(hit, speech, known), *cells)
    return table


def _numbers(hit: Hit) -> dict[str, Text]:
    """Return every number as it is written; what a path did not say is no number."""
    weighed = hit.weighed
    said = {name: getattr(hit, name) for name in ("words", "vector", "context", "graph")}
    written = {name: Text(f"{value:.2f}") if value else _NOTHING for name, value in said.items()}
    written["time"] = Text("✓") if hit.during else _NOTHING
    written["fit"] = Text(f"{hit.fit:+.2f}") if hit.fit else _NOTHING
    counted = {"recency": weighed.recency, "importance": weighed.importance, "score": hit.score}
    return written | {name: Text(f"{value:.2f}") for name, value in counted.items()}


def _cell(numbers: Sequence[Text]) -> Text:
    return Text("\n", justify="right").join(numbers)


def _told_of(hit: Hit, speech: Speech, known: Mapping[str, str]) -> RenderableType:
    """Return a memory, its day and kind, and its reason, which wraps instead of being cut."""
    day, sort = placed(hit.memory, speech).plain.split("\n")
    reasons = Packed(_signs(hit, speech, known, short=False))
    return Group(named(hit.memory), Text(f"{day} · {sort}"), reasons)


def _features(features: Features, speech: Speech) -> Parts:
    """Show the features as lines and the hits as columns, as many beside each other as fit."""
    names = list(features[0])
    beside = max((console().width - max(map(len, names))) // 5, 1)
    shown: Parts = []
    for first in range(0, len(features), beside):
        table = grid(gap=1, fill=False)
        table.add_column(speech("column feature"), no_wrap=True)
        part = features[first : first + beside]
        for rank in range(first + 1, first + len(part) + 1):
            table.add_column(str(rank), justify="right", no_wrap=True, min_width=4)
        for name in names:
            table.add_row(name, *(_feature(each[name]) for each in part))
        shown.append(table)
    return shown


def _feature(value: float) -> Text:
    return Text(f"{value:.0f}" if value == int(value) else f"{value:.2f}") if value else _NOTHING


def _asked(asked: Understanding, speech: Speech) -> list[str]:
    """Say what was understood: times, names, quoted words."""
    said = [speech("time asked", stretch=stretch(span), words=span.words) for span in asked.spans]
    if asked.only_time:
        said.append(speech("only time"))
    if asked.names:
        said.append(speech("names asked", names=", ".join(map(spelled, asked.names))))
    if asked.phrases:
        said.append(
            speech("phrases asked", phrases=", ".join(f"“{each}”" for each in asked.phrases))
        )
    return said


def stretch(span: Span) -> str:
    """Write a stretch of time on the clock it was understood by: whole days without hours."""
    if span.start.time() == span.end.time() == datetime.min.time():
        first, last = f"{span.start:%Y-%m-%d}", f"{span.end - timedelta(days=1):%Y-%m-%d}"
        return first if first == last else f"{first} – {last}"
    return f"{span.start:%Y-%m-%d %H:%M} – {span.end:%Y-%m-%d %H:%M}"


def _ways(ways: Iterable[Way], speech: Speech) -> list[str]:
    """Say for each path whether it ran, what it found, and why not if it did not."""
    told = []
    for way in ways:
        name = speech(f"path {way.name}")
        reason = speech.translated(way.why)
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


def spelled(key: str) -> str:
    """Return the name that a key of someone or something holds."""
    name = key.rpartition(":")[2] if is_entity(key) else key
    return name.replace("%3a", ":").replace("%25", "%")

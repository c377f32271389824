"""Answers to a question, their reasons, ties and traces, for people."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.measure import Measurement
from rich.text import Text

from saegim.serve.catalogue.answers import Features
from saegim.serve.cli.render_memories import (
    ID_WIDTH,
    Parts,
    grid,
    line,
    memory_column,
    named,
    placed,
    use_told,
)
from saegim.serve.terminal import console, has_width, one_line, visible

if TYPE_CHECKING:
    from rich.table import Table

    from saegim.language.times import Span
    from saegim.language.words import Analyser
    from saegim.recall.compose.compose import Context
    from saegim.recall.explain import Replay
    from saegim.recall.feedback import Judgement
    from saegim.recall.flow import InMind, Recollection
    from saegim.recall.gather import RecallPath as Way
    from saegim.recall.rank import Hit
    from saegim.recall.related import Relation, Step
    from saegim.recall.understand import Understanding
    from saegim.serve.speech import Speech

Json = dict[str, Any]


def left_out(made: Context, speech: Speech) -> list[str]:
    """Say what a block costs, and what was left out of it for what reason."""
    about = {"tokens": made.tokens, "budget": made.budget}
    said = [speech("composed", memories=speech.memories(len(made.cards)), **about)]
    if not made.cards:
        said = [speech("not composed")]
    reasons = {**made.reasons, "below": made.below_floor}
    said += [speech("left out", count=count, why=speech.word("left", name))
             for name, count in reasons.items() if count]  # fmt: skip
    return [*said, speech("traced", trace=made.trace)] if made.trace else said


def judged_told(done: Judgement, speech: Speech) -> Parts:
    """Say what a judgement did, and what can follow."""
    each = done.memory
    label = speech.word("label", done.label)
    said: Parts = [line(speech("judged", label=label, id=each.id, text=each.text))]
    said.append(speech("judged worth", importance=done.importance))
    if len(done.changed) > 1:
        said.append(speech("judged beside", memories=speech.memories(len(done.changed) - 1)))
    if done.woken:
        said.append(speech("judged woken"))
    if done.correctable:
        said.append(speech("judged wrong", id=each.id))
    return said


def relations(found: Sequence[Relation], known: Mapping[str, str], speech: Speech) -> Parts:
    """Show what something is tied to, the nearest first, with the way there as arrows."""
    if not found:
        return [speech("nothing tied")]
    names = {each.key: one_line(each.entity.name) for each in found if each.entity}
    ways = [_arrows(each, {**names, **known}, speech) for each in found]
    table = grid()
    table.add_column(speech("column ties"), no_wrap=True)
    memory_column(table, speech, name="what")
    room = room_beside(max(map(cell_len, ways)), taken=10)
    table.add_column(speech("column way"), style="green", overflow="fold", width=room)
    table.add_column(speech("column weight"), justify="right", no_wrap=True)
    for each, way in zip(found, ways, strict=True):
        weight = Text(f"{each.weight:.2f}", justify="right")
        if each.negative:
            weight.append(f"\n{speech('negative')}", style="bold red")
        table.add_row(ranked(each.hops), _end(each, speech), way, weight)
    return [table]


def _end(each: Relation, speech: Speech) -> Text:
    """Return what stands at the end of a way, and the key it is called by."""
    if each.memory:
        return named(each.memory, speech)
    name, sort = (each.entity.name, each.entity.type) if each.entity else (spelled(each.key), "")
    said = f" · {speech.word('entity', sort)}" if sort else ""
    return Text.assemble((one_line(name), "bold"), said, "\n", (visible(each.key), "dim"))


def _arrows(each: Relation, names: Mapping[str, str], speech: Speech) -> str:
    """Write the ties as arrows in the direction they point, and what lies between them by name."""
    parts: list[str] = []
    here = each.key
    for step in reversed(each.path):
        came, arrow = _arrow(step, here, speech)
        between = [] if here == each.key else [names.get(here, spelled(here))]
        parts = [arrow, *between, *parts]
        here = came
    return visible(" ".join(parts))


def _arrow(step: Step, here: str, speech: Speech) -> tuple[str, str]:
    """Return where a tie comes from when walked to `here`, and how it is drawn."""
    source, type, target = step
    name = speech.word("tie", type)
    return (source, f"—{name}→") if target == here else (target, f"←{name}—")


def again(told: Replay, known: Mapping[str, str], speech: Speech) -> Parts:
    """Show what an answer showed."""
    table = grid()
    table.add_column("", no_wrap=True)
    memory_column(table, speech)
    table.add_column(speech("column date"), no_wrap=True)
    for rank, (id, memory) in enumerate(told.shown, 1):
        gone = Text.assemble((speech("gone since"), "dim"), "\n", (id, "dim"))
        table.add_row(
            ranked(rank),
            named(memory, speech) if memory else gone,
            placed(memory, speech) if memory else "",
        )
    uses = [
        visible(f"{known.get(each.memory, each.memory)}: {use_told(each, speech)}")
        for each in told.used
    ]
    shown: Parts = [speech("was shown", at=speech.moment(told.at)), table]
    return [*shown, "", speech("why used"), *uses] if uses else shown


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


class PackedLine:
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


def told(
    found: Recollection,
    speech: Speech,
    analyser: Analyser | None = None,
    *,
    explain: bool = False,
    features: Features = (),
) -> Parts:
    """Show what came back, best first, and why; or say whether anything was searched at all."""
    if not found.searched:
        return [speech("could not search"), *_ways(found.paths, speech)]
    shown: Parts = _in_mind(found.in_mind, speech)
    if found.hits:
        shown += [(_explained if explain else _answers)(found.hits, speech, analyser)]
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
    from saegim.recall.explain import signs

    return [_sign(name, values, speech, known) for name, values in signs(hit, short=short)]


def _sign(name: str, values: Json, speech: Speech, known: Mapping[str, str]) -> str:
    """Say one sign in the reader's language."""
    said = dict(values)
    if name == "words":
        said["words"] = ", ".join(values["words"])
    if name in ("tie", "ties"):
        said["via"] = ", ".join(speech.word("tie", each) for each in values["via"])
    if name == "sources":
        shares = (each.split(" ", 1) for each in values["sources"])
        said["sources"] = ", ".join(f"{speech(f'path {path}')} {by}" for path, by in shares)
    if name == "conflict":
        others = (known.get(id, speech("another")) for id in values["others"])
        said["others"] = ", ".join(dict.fromkeys(others))
    if name == "superseded since":
        said["day"] = speech.date(values["day"])
    return visible(speech(f"why {name}", **said))


def _answers(hits: Sequence[Hit], speech: Speech, analyser: Analyser | None) -> Table:
    known = _known(hits)
    table = grid()
    table.add_column("", no_wrap=True)
    memory_column(table, speech)
    table.add_column(speech("column date"), no_wrap=True)
    reasons = [_signs(hit, speech, known) for hit in hits]
    # Words and reason share what the rest leaves; the reason may take more lines instead.
    longest = max(cell_len(part) for said in reasons for part in said)
    room = room_beside(longest, taken=12)
    table.add_column(speech("column why"), width=room)
    for rank, (hit, said) in enumerate(zip(hits, reasons, strict=True), 1):
        words, day = _words(hit, speech, analyser), placed(hit.memory, speech)
        table.add_row(ranked(rank), words, day, PackedLine(said))
    return table


def _known(hits: Iterable[Hit]) -> dict[str, str]:
    from saegim.recall.handle import handle_of

    return {hit.memory.id: handle_of(hit.number, hit.memory.id) for hit in hits}


def ranked(rank: int) -> Text:
    """Return a place in a list; the name of what stands there is under its words."""
    return Text(str(rank), "bold")


def room_beside(longest: int, *, taken: int) -> int | None:
    """Return how wide a column of sentences is: a third of the terminal, if ids stay whole."""
    if not has_width():
        return None
    width = console().width
    return max(min(longest + 2, width // 3, width - taken - ID_WIDTH - 6), _LEAST_REASON)


def _explained(hits: Sequence[Hit], speech: Speech, analyser: Analyser | None) -> Table:
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
        words = _words(hit, speech, analyser)
        table.add_row(ranked(rank), _told_of(hit, words, speech, known), *cells)
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


def _words(hit: Hit, speech: Speech, analyser: Analyser | None) -> Text:
    """Return the words of a hit; of a long one those that it was found by."""
    from saegim.recall.compose.card import holding

    near = holding(hit.matched, analyser) if analyser and hit.matched else None
    return named(hit.memory, speech, near)


def _told_of(hit: Hit, words: Text, speech: Speech, known: Mapping[str, str]) -> RenderableType:
    """Return a memory, its day and kind, and its reason, which wraps instead of being cut."""
    day, sort = placed(hit.memory, speech).plain.split("\n")
    reasons = PackedLine(_signs(hit, speech, known, short=False))
    return Group(words, Text(f"{day} · {sort}"), reasons)


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
    from saegim.recall.related import is_entity

    name = key.rpartition(":")[2] if is_entity(key) else key
    return name.replace("%3a", ":").replace("%25", "%")

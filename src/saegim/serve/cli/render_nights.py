"""What nights did and what rose, for people."""

from __future__ import annotations

from collections import Counter
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.text import Text

from saegim.serve.catalogue.night_answers import IDS, KnownMemory, Living
from saegim.serve.cli.render_memories import Parts, grid, line, pairs
from saegim.serve.terminal import console, has_width
from saegim.sleep.stages.housekeeping import ROUTINE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from datetime import datetime, timedelta

    from saegim.serve.speech import Speech
    from saegim.sleep.flow import Tell
    from saegim.sleep.night import NightStep, Stage
    from saegim.sleep.stages.year_report import Year
    from saegim.soul.promotions import Promotion
    from saegim.store.tables.night_table import NightRow


def promotions(found: Sequence[Promotion], known: Living, speech: Speech) -> Parts:
    """Say what rose lately, from where to where and why."""
    if not found:
        return [speech("no promotions")]
    said: Parts = [speech("promotions listed", count=len(found))]
    for each in found:
        said.append(Text(f"  {speech.date(each.at)}  {rise(each, speech)}"))
        said += words(each, known)
    return said


def rise(each: Promotion, speech: Speech) -> str:
    """Say one rise without its words."""
    return speech(
        "promoted" if len(each.sources) > 1 else "promoted alone",
        source=each.source_tier.value,
        tier=each.tier.value,
        why=speech.word("reason", each.why),
        count=len(each.sources),
    )


def words(each: Promotion, known: Living) -> Parts:
    """Return the words of what a rise made, if it lives."""
    held = known.get(each.memory)
    return [indented(held.memory.text, held.handle)] if held else []


def of_a_night(found: Sequence[Promotion], known: Living, speech: Speech) -> Parts:
    """Return the rises of one night, to stand under its count."""
    said: Parts = []
    for each in found:
        said.append(indented(rise(each, speech)))
        said += words(each, known)
    return said


def read_out(each: Year, known: Sequence[Year], speech: Speech) -> Parts:
    """Say in plain words what a year came to."""
    since, until = speech.date(each.since), speech.date(each.until)
    said: Parts = [
        Text(speech("year title", name=each.name, since=since, until=until), style="bold")
    ]
    happened: Parts = []
    for what, counts, group in (
        ("kept", each.kept, "tier"),
        ("rose", each.rose, "tier"),
        ("left", each.left, "left"),
    ):
        if count := sum(counts.values()):
            parts = f" ({_counted(counts, group, speech)})"
            happened.append(speech(f"year {what}", count=count, parts=parts))
    if each.restored:
        happened.append(speech("year restored", count=each.restored))
    if each.forgotten or each.erased:
        happened.append(speech("year forgotten", count=each.forgotten, erased=each.erased))
    if each.replaced:
        happened.append(speech("year replaced", count=each.replaced))
    said += happened or [speech("year nothing")]
    if each.now:
        said.append(speech("year now", parts=_counted(each.now, "state", speech)))
    if each.tiers:
        said.append(speech("year tiers", parts=_counted(each.tiers, "tier", speech)))
    if len(known) > 1:
        said.append(speech("years known", years=", ".join(str(one.name) for one in known)))
    return said


def _counted(counts: Mapping[str, int], group: str, speech: Speech) -> str:
    return ", ".join(f"{speech.word(group, name)} {count:,}" for name, count in counts.items())


# How many memories are shown under one sentence.
_SHOWN = 5

_TROUBLE = "trouble"

# What happens once or not at all; a number beside it would say nothing.
_ONCE = frozenset(("quiet", "shrunk_file", "backed_up", "year", "learned")) | ROUTINE

# What leaves nothing behind that could be taken back.
_NO_WAY_BACK = _ONCE | {"marked", "core", "model_failed", "overtaken", "erased"}


def troubled(row: NightRow) -> bool:
    """Say whether a stage of the night failed."""
    return any(_TROUBLE in did for did in row.told.values())


def report(
    row: NightRow,
    known: Living,
    speech: Speech,
    *,
    until: datetime,
    now: datetime,
    undone: bool = False,
    rose: Parts | None = None,
) -> Parts:
    """Say in plain words what a night did, to which memories, and how to take it back."""
    from saegim.sleep.stages.housekeeping import eventful

    at = speech.moment(row.began_at)
    said: Parts = [
        speech("still asleep", at=at)
        if row.ended_at is None
        else speech("slept", at=at, took=_took(row.ended_at - row.began_at, speech))
    ]
    if not eventful(row.told):
        return [*said, speech("quiet night")]
    counts, ids = _gathered(row)
    for why, count in counts.items():
        if why not in ROUTINE and not _settled(why, row, counts):
            said.append(speech(f"did {why}", count=count, until=speech.moment(until)))
            said += rose if why == "rose" and rose else _listed(ids.get(why, ()), known)
    said += [
        speech(
            "trouble in stage",
            stage=speech.word("stage", stage),
            trouble=speech.translated(trouble),
        )
        for stage, trouble in _troubles(row)
    ]
    if counts.keys() - _NO_WAY_BACK:
        over = now >= until
        said.append("")
        said.append(
            speech("way back ended")
            if over
            else speech("night undone")
            if undone
            else speech("take back night", id=row.id, until=speech.moment(until))
        )
    return said


def _settled(why: str, row: NightRow, counts: Mapping[str, int]) -> bool:
    """Say whether what was marked was taken up in the same night, and is told there."""
    if why == "marked":
        return {"distil", "deepen"} <= set(row.done)
    return why == "core" and "proposed" in counts


def in_a_line(row: NightRow, speech: Speech) -> str:
    """Say in a few words what a night did."""
    counts, _ = _gathered(row)
    words: Counter[str] = Counter()
    for why, count in counts.items():
        if why not in ROUTINE and not _settled(why, row, counts):
            words[speech(f"short {why}")] += 0 if why in _ONCE else count
    said = [f"{word} {count:,}" if count else word for word, count in words.items()]
    if troubled(row):
        said.append(speech("trouble"))
    return " · ".join(said) or speech("nothing to tell")


def _gathered(row: NightRow) -> tuple[dict[str, int], dict[str, list[str]]]:
    """Return counts and examples of each reason, in the order of the stages."""
    from saegim.sleep.flow import NIGHT

    counts: Counter[str] = Counter()
    ids: dict[str, list[str]] = {}
    for stage in [each.name for each in NIGHT if each.name in row.told]:
        for what, value in row.told[stage].items():
            if what.endswith(IDS):
                ids.setdefault(what.removesuffix(IDS), []).extend(value)
            elif what != _TROUBLE:
                counts[what] += value
    return dict(counts), ids


def _troubles(row: NightRow) -> Iterator[tuple[str, str]]:
    for stage, did in row.told.items():
        if _TROUBLE in did:
            yield stage, str(did[_TROUBLE])


def _listed(ids: Iterable[str], known: Living) -> Parts:
    """Show the first few of the memories that live, each once."""
    shown = {known[id].memory.id: known[id] for id in ids if id in known}
    return [_one(each) for each in list(shown.values())[:_SHOWN]]


def _one(each: KnownMemory, note: str = "") -> Text:
    return indented(f"{each.memory.text} ({note})" if note else each.memory.text, each.handle)


def indented(said: str, handle: str = "") -> Text:
    """Return a line that stands under a sentence, cut where the terminal ends."""
    shown = Text("    ")
    if handle:
        shown.append(handle, style="cyan").append("  ")
    shown.append_text(line(said))
    if has_width():
        shown.truncate(console().width, overflow="ellipsis")
    return shown


def _took(time: timedelta, speech: Speech) -> str:
    seconds = round(time.total_seconds())
    if seconds < 1:
        return speech("took no time")
    if seconds < 120:
        return speech("took seconds", count=seconds)
    return speech("took minutes", count=round(seconds / 60))


def rehearsed(taken: Sequence[tuple[Stage, NightStep]], known: Living, speech: Speech) -> Parts:
    """Say what a night would do and why, stage by stage, each memory with its words."""
    piles: dict[str, dict[str, list[NightStep]]] = {}
    for stage, step in taken:
        if step.why not in ROUTINE:
            piles.setdefault(stage.name, {}).setdefault(step.why, []).append(step)
    if not piles:
        return [speech("nothing to rehearse")]
    said: Parts = [speech("rehearsal")]
    for name, reasons in piles.items():
        said += ["", Text(speech.named("stage", name), style="bold")]
        for why, pile in reasons.items():
            said.append(f"  {speech(f'would {why}', count=len(pile))}")
            shown = [_would(step, known, speech) for step in pile[:_SHOWN]]
            said += [each for each in shown if each is not None]
            if len(pile) > _SHOWN and shown[0] is not None:
                said.append(f"    {speech('and so on', count=len(pile) - _SHOWN)}")
    return said


def to_show(taken: Sequence[tuple[Stage, NightStep]]) -> list[str]:
    """Return the ids of the memories that a rehearsal shows."""
    seen: Counter[tuple[str, str]] = Counter()
    ids: list[str] = []
    for stage, step in taken:
        seen[stage.name, step.why] += 1
        if seen[stage.name, step.why] <= _SHOWN:
            ids += step.about[:_SHOWN]
            ids += [str(step.details["into"])] if "into" in step.details else []
    return ids


def _would(step: NightStep, known: Living, speech: Speech) -> Text | None:
    """Show what a step would happen to, or what it would make, with what it was decided by."""
    note = " · ".join(_notes(step, known, speech))
    if "text" in step.details:
        made = f"“{step.details['text']}”"
        return indented(f"{made} ({note})" if note else made)
    each = next((known[id] for id in step.about if id in known), None)
    if each is not None:
        return _one(each, note)
    return indented(note) if note else None


def _notes(step: NightStep, known: Living, speech: Speech) -> Iterator[str]:
    for name, value in step.details.items():
        if name == "text":
            continue
        said = str(value)
        if name in ("because", "reasons"):
            said = reasons(said.split(", "), speech)
        elif name == "into" and said in known:
            said = known[said].handle
        elif name == "trouble":
            said = speech.translated(said)
        yield speech(f"detail {name}", value=said)


def reasons(names: Iterable[str], speech: Speech) -> str:
    """Say in words why something rises."""
    return ", ".join(speech.word("reason", each) for each in names)


def nights(
    rows: Sequence[NightRow], due: Mapping[str, datetime], speech: Speech, *, paused: bool
) -> Parts:
    """Show the latest nights, when each stage is due next, and whether they are paused."""
    shown: Parts = [speech("no nights")] if not rows else [_table(rows, speech)]
    shown += ["", speech("due next"), pairs(_by_time(due, speech))]
    return [*shown, speech("paused" if paused else "not paused")]


def _table(rows: Sequence[NightRow], speech: Speech) -> Any:
    from saegim.store.tables.night_table import DONE

    table = grid()
    table.add_column(speech("column when"), no_wrap=True)
    table.add_column(speech("column night"), no_wrap=True)
    table.add_column(speech("column did"), overflow="fold", ratio=1)
    for row in rows:
        said = in_a_line(row, speech)
        if row.state != DONE:
            said = f"{speech('not ended')} · {said}"
        table.add_row(speech.moment(row.began_at), Text(row.id, style="dim"), Text(said))
    return table


def _by_time(due: Mapping[str, datetime], speech: Speech) -> dict[str, str]:
    """Return which stages are due when, the soonest first."""
    times: dict[datetime, list[str]] = {}
    for stage, at in sorted(due.items(), key=lambda each: each[1]):
        times.setdefault(at, []).append(speech.word("stage", stage))
    return {f"  {speech.moment(at)}": ", ".join(names) for at, names in times.items()}


def soonest(due: Mapping[str, datetime], speech: Speech) -> tuple[str, str]:
    """Return when the next stages are due, and which."""
    at, names = next(iter(_by_time(due, speech).items()))
    return at.strip(), names


def taken_back(done: Mapping[str, Any], speech: Speech) -> Parts:
    """Say what was taken back, what could not be, and how to take that back."""
    counts = done["taken_back"]
    what = " · ".join(f"{speech.word('change', each)} {n:,}" for each, n in counts.items())
    said: Parts = [speech("undone", what=what) if what else speech("undone nothing")]
    if done["left"]:
        said.append(speech("undone left", count=done["left"]))
    if counts:
        said.append(speech("undo again", id=done["undo"]))
    return said


@contextmanager
def progress(stages: Sequence[str], speech: Speech, *, shown: bool) -> Iterator[Tell]:
    """Move a bar on standard error with the stages of a night, if anyone looks on."""
    from saegim.sleep.flow import NIGHT

    if not shown:
        yield lambda *_: None
        return
    names = [each.name for each in NIGHT if not stages or each.name in stages]
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=console(error=True), transient=True) as bar:
        task = bar.add_task(speech("sleeping"), total=len(names))
        yield _moving(bar, task, names, speech)


def _moving(bar: Progress, task: Any, names: Sequence[str], speech: Speech) -> Tell:
    def tell(stage: str, taken: int) -> None:
        said = speech.word("stage", stage)
        place = names.index(stage) if stage in names else 0
        bar.update(task, completed=place, description=f"{said} {taken:,}" if taken else said)

    return tell

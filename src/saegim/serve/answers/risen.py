"""What rose, and what a year came to: as plain data, and as a person likes to read it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.text import Text

from saegim.memory.clock import iso
from saegim.serve.answers.shown import Parts
from saegim.serve.answers.slept import Living, indented
from saegim.serve.words.speech import Speech
from saegim.sleep.distil.promotions import Promotion
from saegim.sleep.stages.year import Year

Json = dict[str, Any]


def promotion(each: Promotion, known: Living) -> Json:
    """Return one rise as plain data, with the words of what it made."""
    held = known.get(each.memory)
    return {
        "memory": each.memory,
        "handle": held.handle if held else each.memory,
        "text": held.memory.text if held else "",
        "from": each.source_tier.value,
        "to": each.tier.value,
        "why": each.why,
        "sources": list(each.sources),
        "at": iso(each.at),
        "night": each.night,
    }


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


# -- the year -------------------------------------------------------------------------------------


def year(each: Year, known: Sequence[Year]) -> Json:
    """Return the report of a year as plain data, and which years there are."""
    return {
        "year": each.name,
        "since": iso(each.since),
        "until": iso(each.until),
        "kept": dict(each.kept),
        "rose": dict(each.rose),
        "left": dict(each.left),
        "restored": each.restored,
        "forgotten": each.forgotten,
        "erased": each.erased,
        "replaced": each.replaced,
        "now": dict(each.now),
        "tiers": dict(each.tiers),
        "years": [one.name for one in known],
    }


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

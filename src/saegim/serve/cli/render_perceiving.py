"""What became of a turn, who is known and what waits for thought, for people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.text import Text

from saegim.serve.cli.render_memories import Parts, grid, line, memories, page, pairs
from saegim.serve.terminal import one_line, visible

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from saegim.memory.entities import Entity, SentimentPoint
    from saegim.memory.memory import Memory
    from saegim.perceive.known_entities import TrustRecord
    from saegim.perceive.model_worker import Done
    from saegim.perceive.moment import Kept
    from saegim.perceive.quarantine import Separated
    from saegim.perceive.turn import Observed
    from saegim.profile.portrait import PersonProfile, Trait
    from saegim.serve.speech import Speech
    from saegim.store.tables.memory_table import Slice

_MOST_REFUSALS = 10
# How what stands for a phone number begins (`guard/guard.py`).
_PRIVATE = "[private:"


def lent(told: Mapping[str, Any], speech: Speech) -> Parts:
    """Show what waits for thought, and how to answer."""
    if not told["jobs"]:
        return [speech("nothing lent")]
    shown: Parts = [
        line(speech("lent", job=each["job"], text=each["quoted"][0])) for each in told["jobs"]
    ]
    return [*shown, speech("hand in")]


def handed_in(told: Mapping[str, Any], speech: Speech) -> Parts:
    """Say what was kept of an answer, and why not the rest."""
    kept, rejected = len(told["kept"]), told["rejected"]
    shown: Parts = [speech("handed in", kept=kept, rejected=len(rejected))]
    return [*shown, *_refusals([(each["fact"], each["reason"]) for each in rejected], speech)]


def _refusals(rejected: Sequence[tuple[str, str]], speech: Speech) -> Parts:
    """Say of what was left out what it was and why, as far as a person wants to read."""
    said: Parts = [
        line(speech("not kept because", fact=fact, why=speech(f"refused {reason}")))
        for fact, reason in rejected[:_MOST_REFUSALS]
    ]
    more = len(rejected) - _MOST_REFUSALS
    return [*said, speech("more not kept", count=more)] if more > 0 else said


def kept(done: Kept, speech: Speech) -> Parts:
    """Say what became of a text, and what it means for others."""
    said: Parts = [line(speech(f"kept {done.status}", id=done.id, text=done.memory.text))]
    if done.added_tags:
        said.append(speech("added tags", tags=", ".join(map(visible, done.added_tags))))
    if not done.quarantined:
        said.append(speech("how long", how=speech.lifetime(done.memory)))
    if done.indexed != "ready":
        said.append(speech("index follows"))
    if done.quarantined:
        said.append(speech("kept apart", ids=done.id))
    return said + joined(done, speech) + _masked([done], done.masked, done.held, speech)


def corrected(done: Kept, old: str, speech: Speech) -> Parts:
    """Say what a memory says from now on."""
    now = speech("corrected", id=done.id, text=done.memory.text)
    said: Parts = [line(now), speech("corrects", old=old)]
    return said + _masked([done], done.masked, done.held, speech)


def told(seen: Observed, speech: Speech) -> Parts:
    """Say what became of a turn, why, and what was found in it."""
    said: Parts = [] if seen.quarantined else [seen.decision.words(speech.language)]
    said += [line(speech(f"kept {each.status}", id=each.id, text=each.memory.text))
             for each in (*seen.kept, *seen.quoted)]  # fmt: skip
    if seen.kept and not seen.quarantined:
        said.append(speech("how long", how=speech.lifetime(seen.kept[0].memory)))
    said += [line(speech("fact kept", text=each.memory.text)) for each in seen.facts]
    for each in (*seen.kept, *seen.facts):
        said += joined(each, speech)
    if apart := [each.id for each in (*seen.kept, *seen.quoted) if each.quarantined]:
        said.append(speech("kept apart", ids=" ".join(apart)))
    said += _let_go(seen, speech)
    if seen.echoes:
        said.append(speech("echoes", count=seen.echoes))
    if seen.used:
        said.append(speech("counts as used", ids=" ".join(seen.used)))
    if seen.feedback:
        said.append(speech(f"heard {seen.feedback}"))
    # A turn takes no such option: what it held is kept by hand.
    written = (*seen.kept, *seen.quoted)
    return said + _masked(
        written, seen.masked, seen.needs_confirmation, speech, again="again by hand"
    )


def _let_go(seen: Observed, speech: Speech) -> Parts:
    """Say what a turn that asks to forget took away, called back, or did not find."""
    said: Parts = [line(speech("told back", id=each.id, text=each.text)) for each in seen.restored]
    said += [line(speech("told away", id=each.id, text=each.text)) for each in seen.forgotten]
    if seen.forgotten:
        said.append(speech("told away back", ids=" ".join(each.id for each in seen.forgotten)))
    elif seen.perhaps:
        said += [line(speech("told perhaps", id=e.id, text=e.text)) for e in seen.perhaps]
        said.append(speech("told choose"))
    elif seen.decision.forgets:
        said.append(speech("told nothing"))
    return said


def _masked(
    written: Sequence[Kept], count: int, held: int, speech: Speech, again: str = "again as is"
) -> Parts:
    """Say what was replaced on the way in, and how a person keeps what is theirs to keep."""
    said: Parts = []
    if count:
        said.append(speech("masked", count=count))
    if held:
        said.append(speech("held back", count=held, again=speech(again)))
    elif count and any(_PRIVATE in each.memory.text for each in written):
        said.append(speech("private masked", again=speech(again)))
    return said


def joined(kept: Kept, speech: Speech) -> Parts:
    """Say what a new memory made outdated, disagrees with, or nearly repeats."""
    ties = (("outdated", kept.supersedes), ("contradicts", kept.contradicts),
            ("similar", kept.similar_to))  # fmt: skip
    return [speech(name, ids=" ".join(ids)) for name, ids in ties if ids]


def acquaintances(found: Sequence[Entity], speech: Speech) -> Parts:
    """Show whom and what memories speak about, the most met first."""
    if not found:
        return [speech("nobody yet")]
    shown = grid()
    shown.add_column(speech("column name"), no_wrap=True, overflow="ellipsis", ratio=1)
    for column in ("entity type", "met", "feeling", "last met"):
        shown.add_column(speech(f"column {column}"), no_wrap=True)
    for each in found:
        others = f" ({one_line(', '.join(each.aliases))})" if each.aliases else ""
        shown.add_row(
            Text.assemble((one_line(each.name), "bold"), (others, "dim")),
            speech.word("entity", each.type),
            str(each.interactions),
            _feeling(each, speech),
            speech.date(each.last_seen_at) if each.last_seen_at else "",
        )
    return [shown]


def profile(
    each: Entity, points: Sequence[SentimentPoint], held: TrustRecord, speech: Speech
) -> Parts:
    """Show everything that is known of one of them, and how the feeling moved."""
    trust = speech(
        "trust rests on",
        trust=each.trust,
        confirmed=len(held.confirmed),
        contradicted=len(held.contradicted),
        wrong=len(held.wrong),
    )
    facts = {
        "column name": each.display_name or each.name,
        "column entity type": speech.word("entity", each.type),
        "also called": ", ".join(each.aliases),
        "about them": each.summary,
        "interests": ", ".join(each.interests),
        "notes": each.personality_notes,
        "column met": str(each.interactions),
        "first met": speech.date(each.first_seen_at) if each.first_seen_at else "",
        "column last met": speech.date(each.last_seen_at) if each.last_seen_at else "",
        "column feeling": _feeling(each, speech),
        "trust": trust if held.signs else f"{each.trust:.1f}",
    }
    shown: Parts = [pairs({speech(name): visible(said) for name, said in facts.items()})]
    for at in points[-12:]:
        bar = "█" * round(abs(at.score) * 10)
        shown.append(f"{speech.date(at.at)}  {_signed(at.score)} {bar}")
    return shown


def portrayed(each: PersonProfile, speech: Speech) -> Parts:
    """Tell of someone in the person's own words; before each the memory that says so."""
    name = visible(each.name or speech("profile.you"))
    others = ", ".join(map(visible, each.names))
    shown: Parts = [Text(f"{name} ({others})" if others else name, style="bold")]
    if not each.traits and each.is_self and not each.unread:
        return [speech("profile.nothing_known")]
    for slot, traits in each.current.items():
        shown.append(Text(speech.word("slot", slot), style="bold"))
        shown += [_trait(trait, speech) for trait in _each_once(traits)]
    if each.past:
        shown.append(Text(speech("profile.before"), style="bold"))
        shown += [_trait(trait, speech) for trait in _each_once(each.past)]
    if each.unread:
        shown.append(Text(speech("profile.unread", count=each.unread), style="dim"))
    return shown


def _each_once(traits: Sequence[Trait]) -> list[Trait]:
    """Return traits of different words: one sentence may say two things of a kind."""
    return list({(each.memory, each.text): each for each in reversed(traits)}.values())[::-1]


def _trait(trait: Trait, speech: Speech) -> Text:
    from saegim.recall.handle import handle_of

    handle = handle_of(trait.number, trait.memory)
    shown = Text("  ").append(f"{handle}  ", style="cyan").append(visible(trait.text))
    if trait.last_date is None:
        return shown
    return shown.append(f" ({speech.day(trait.last_date, trait.since.year)})", style="dim")


def _feeling(each: Entity, speech: Speech) -> str:
    return f"{speech.word('feeling', each.sentiment)} {_signed(each.sentiment_score)}"


def _signed(score: float) -> str:
    """Write a score with its sign; nothing has none."""
    return f"{score:+.2f}" if abs(score) >= 0.005 else "0.00"


def apart(held: Slice, speech: Speech) -> Parts:
    """Show what is kept apart, and how to let it out."""
    if not held.total:
        return [speech("nothing apart")]
    return [*page(held, speech), speech("let out")]


def separated(found: Sequence[Memory], speech: Speech) -> Parts:
    """Say how many were kept apart, and how to undo it."""
    if not found:
        return [speech("nothing to keep apart")]
    ids = " ".join(each.id for each in found[:3])
    return [speech("were kept apart", memories=speech.memories(len(found)), ids=ids)]


def released(done: Separated, speech: Speech) -> Parts:
    """Show what recall may show again, and what still reads like an order."""
    said: Parts = []
    if done.memories:
        said += [speech("were released" if done.done else "would be released")]
        said += memories(done.memories, speech)
    elif not done.suspect:
        said.append(speech("nothing to let out"))
    if done.suspect:
        said += [speech("still suspect"), *memories(done.suspect, speech)]
    return said


def worked(ended: Sequence[Done], model: Mapping[str, Any], speech: Speech) -> Parts:
    """Say what the language model did, what waits, what was given up and why, and the cost."""
    said: Parts = []
    if not model["name"]:
        said.append(speech("no model"))
    for each in ended:
        about = {"id": each.job.subject, "why": each.why, "facts": len(each.facts)}
        said.append(line(speech(f"work {each.outcome}", rejected=len(each.rejected), **about)))
        said += _refusals(each.rejected, speech)
        if each.unread:
            said.append(speech("work unread", count=each.unread))
    for job in model["jobs"]:
        key = "work waits" if job["state"] == "waiting" else "work parked"
        said.append(line(speech(key, id=job["memory"], why=job["error"])))
    for spent in model["spent"][:7]:
        said.append(speech("spent", **spent))
    return said or [speech("no work")]

"""What leaves, is erased, taken back, proposed or audited, for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.padding import Padding
from rich.text import Text

from saegim.serve.catalogue.night_answers import PILES
from saegim.serve.cli.render_memories import Json, Parts, grid, line, memories, memory_column, named
from saegim.serve.terminal import one_line, visible

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import timedelta

    from saegim.memory.memory import Memory
    from saegim.saegim import Saegim
    from saegim.serve.speech import Speech
    from saegim.sleep.erase import EraseReceipt, Unreachable
    from saegim.sleep.forget import ArchivedWords, Queued
    from saegim.sleep.sources import Reverted
    from saegim.soul.proposals import Proposal

# So many memories of each sort are shown before something is taken back.
_SHOWN = 10


def queue(found: Sequence[Queued], law: str, speech: Speech) -> Parts:
    """Show what is leaving, what goes first first, and by which law."""
    if not found:
        return [speech("queue empty"), speech.law(law)]
    table = grid()
    memory_column(table, speech)
    table.add_column(speech("column leaves"), no_wrap=True)
    table.add_column(speech("column left"), no_wrap=True, justify="right")
    for each in found:
        why = (speech.word("leaves", each.reason), "cyan")
        kept = (speech.lifetime(each.memory), "dim")
        table.add_row(
            named(each.memory, speech), Text.assemble(why, "\n", kept), _left(each.left, speech)
        )
    return [table, speech.law(law), speech("call one back")]


def _left(time: timedelta, speech: Speech) -> str:
    """Say how long it is, as finely as it helps."""
    minutes = int(time.total_seconds() // 60)
    if minutes >= 24 * 60:
        return speech("left days", count=minutes // 1440, hours=minutes % 1440 // 60)
    if minutes >= 60:
        return speech("left hours", count=minutes // 60)
    return speech("left minutes", count=minutes) if minutes else speech("left over")


def archive(found: Sequence[ArchivedWords], speech: Speech) -> Parts:
    """Show what was forgotten and can still be called back."""
    if not found:
        return [speech("archive empty")]
    table = grid()
    memory_column(table, speech)
    table.add_column(speech("column since"), no_wrap=True)
    table.add_column(speech("column until"), no_wrap=True)
    for each in found:
        words = Text.assemble((one_line(each.text), "bold"), "\n", (speech.handle(each.id), "dim"))
        table.add_row(words, speech.date(each.since), speech.date(each.until))
    return [table, speech("call one back")]


def erasure(told: EraseReceipt, held: Sequence[Memory], speech: Speech) -> Parts:
    """Say what goes, what goes with it, and where the words may still be."""
    said: Parts = [speech("was erased" if told.done else "would erase", count=len(told.ids))]
    for name in ("versions", "derived", "protected"):
        if count := len(getattr(told, name)):
            said.append(speech(f"erased {name}", count=count))
    if held:
        said += _some(held, speech)
    parts = (speech(f"erased {name}", count=count) for name, count in told.counts.items() if count)
    if what := " · ".join(parts):
        said.append(speech("erased with", what=what))
    said += [speech("erased file", name=visible(each.name)) for each in told.files]
    if told.leaving:
        said.append(speech("erased in part", ids=" ".join(told.leaving)))
    if told.sources_left:
        said.append(speech("erased from", ids=" ".join(told.sources_left)))
    said += [speech("out of reach"), *(_reach(each, speech) for each in told.unreachable)]
    said.append(speech("reach elsewhere"))
    if told.done:
        said += [] if told.log_emptied else [speech("log not emptied")]
        said.append(speech("receipt", digest=told.digest))
    return said


def _reach(each: Unreachable, speech: Speech) -> str:
    at = speech.moment(each.at) if each.at else ""
    return speech(f"reach {each.what}", name=each.name, at=at, after=each.leaves_after)


def source_taken_back(done: Reverted, speech: Speech) -> Parts:
    """Say what leaves with a source, what was made of it, and what holds again."""
    if not any(getattr(done, name) for name in PILES):
        return [speech("revert nothing")]
    first = "was reverted" if done.done else "would revert"
    sentences = (first, "revert derived", "revert returned", "revert kept back")
    said: Parts = []
    for name, sentence in zip(PILES, sentences, strict=True):
        if pile := getattr(done, name):
            said += [speech(sentence, count=len(pile)), *_some(pile, speech)]
    if not done.done:
        said.append(speech("revert how"))
    elif done.maker:
        said.append(speech("revert back", id=done.maker, until=speech.moment(done.until)))
    return said


def _some(pile: Sequence[Memory], speech: Speech) -> Parts:
    more = len(pile) - _SHOWN
    shown = memories(pile[:_SHOWN], speech)
    return [*shown, speech("and so on", count=more)] if more > 0 else shown


def proposals(found: Sequence[Proposal], memory: Saegim, speech: Speech) -> Parts:
    """Show what waits for a yes, and how to give it."""
    from saegim.soul.proposals import OPEN

    if not found:
        return [speech("no proposals")]
    shown = [part for each in found for part in one_proposal(each, memory, speech)]
    waits = any(each.state == OPEN for each in found)
    return [*shown, speech("answer proposals")] if waits else shown


def one_proposal(each: Proposal, memory: Saegim, speech: Speech) -> Parts:
    """Show one question, with all the words it is about: nothing is cut where the line ends."""
    from saegim.serve.catalogue.proposal_questions import question
    from saegim.soul.proposals import OPEN

    asked, *told = question(each, memory, speech)
    said = f"{speech.handle(each.id)}: {asked}"
    if each.state != OPEN:
        answer = speech.word("proposal state", each.state)
        said = f"{said} · {answer}{f' ({visible(each.note)})' if each.note else ''}"
    return [Text(said, style="bold"), *(Padding(Text(line), (0, 0, 0, 4)) for line in told)]


def audit_findings(found: Json, speech: Speech) -> Parts:
    """Show what deserves a look, with a few ids and what helps."""
    said: Parts = [speech("audited", memories=speech.memories(found["of"]))]
    counted = [each for each in found["findings"] if each["count"]]
    if not counted:
        return [*said, speech("audit clean")]
    table = grid(header=False)
    table.add_column("", justify="right", style="bold", no_wrap=True)
    table.add_column("", overflow="fold", ratio=1)
    for each in counted:
        table.add_row(f"{each['count']:,}", _finding(each, speech))
    fine = [speech.word("audit", each["what"]) for each in found["findings"] if not each["count"]]
    return [*said, table, *([speech("audit fine", names=", ".join(fine))] if fine else [])]


def _finding(each: Json, speech: Speech) -> Text:
    step = speech(f"doctor.step.{each['what']}")
    said = Text.assemble((speech.word("audit", each["what"]), "bold"))
    for id in each["samples"]:
        said.append(f"\n{visible(speech.handle(id))}", style="dim")
    return said.append(f"\n→ {step}")


def held(told: Json, speech: Speech, *, sentence: str) -> Parts:
    """Say of each memory what became of it."""
    return [line(speech(sentence, id=each["id"], text=each["text"])) for each in told["memories"]]

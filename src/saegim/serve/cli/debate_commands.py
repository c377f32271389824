"""The commands of the voices: let them debate, read it again, go on, rate."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.text import Text

import saegim
from saegim.errors import Refused
from saegim.serve.catalogue import debate_functions as answers
from saegim.serve.catalogue.debate_functions import NO_MODEL, personas_named
from saegim.serve.cli.render_memories import Parts, grid
from saegim.serve.cli.talk import Number, Talk, given_text
from saegim.serve.terminal import OTHER, one_line, visible

if TYPE_CHECKING:
    from saegim.personas.debate import Debate, DebateRecord
    from saegim.personas.debates import AskedPrompt
    from saegim.serve.speech import Speech

Asked = Annotated[list[str], typer.Argument(metavar="TEXT | show ID | resume ID")]
Depth = Annotated[int | None, typer.Option("--depth", metavar="N")]
Chosen = Annotated[str | None, typer.Option("--personas", metavar="A,B,C")]
Rate = Annotated[int | None, typer.Option("--rate", metavar="1..5")]
Answered = Annotated[int | None, typer.Option("--answer", metavar="N")]
SHOW, RESUME = "show", "resume"
# One colour a voice, in the order of the cycle.
_COLOURS = ("cyan", "magenta", "green", "yellow", "blue", "red")


def debate(
    talk: Talk,
    asked: Asked,
    depth: Depth = None,
    personas: Chosen = None,
    rate: Rate = None,
    answer: Answered = None,
) -> None:
    """Let voices debate a question; or show one, or go on with it."""
    verb = asked[0] if len(asked) == 2 and asked[0] in (SHOW, RESUME) else ""
    with talk.memory(new=not verb, here=not verb) as memory:
        if verb == SHOW:
            record = memory.debates.get(asked[1])
        elif verb == RESUME:
            record = _carried_out(talk, memory, memory.debates.get(asked[1]).debate)
        else:
            question, chosen = given_text(" ".join(asked)), personas_named(personas)
            try:
                begun = memory.debates.begin(question, depth=depth, personas=chosen)
            except Refused as error:
                if error.key != NO_MODEL:
                    raise
                shown = memory.debates.rehearse(question, depth=depth, personas=chosen)
                _would_ask(talk, error, shown)
                return
            record = _carried_out(talk, memory, begun)
            rate = rate or _asked_for_stars(talk)
        if rate is not None:
            memory.debates.rate(record.debate.id, rate, answer=answer)
            record = memory.debates.get(record.debate.id)
    streamed = not talk.as_json and verb != SHOW
    talk.answer(
        {"debate": answers.record(record)},
        lambda: _ended(record, talk.speech) if streamed else _shown(record, talk.speech),
    )
    if not record.answer:
        raise typer.Exit(OTHER)


def debates(talk: Talk, limit: Number = 20) -> None:
    """List the debates."""
    with talk.memory() as memory:
        found = memory.debates.all()[:limit]
    talk.answer(
        {"debates": [answers.in_short(each) for each in found]},
        lambda: _listed(found, talk.speech),
    )


def _carried_out(talk: Talk, memory: saegim.Saegim, run: Debate) -> DebateRecord:
    """Go on with a run, each answer shown as it comes; broken off, say how to go on."""
    if not talk.as_json:
        voices = ", ".join(run.order)
        talk.answer(
            None,
            lambda: [talk.speech("debate begins", id=run.id, depth=run.depth, voices=voices)],
        )

    def tell(entry: Mapping[str, Any]) -> None:
        if not talk.as_json:
            talk.answer(None, lambda: _spoken(entry, run.order, talk.speech))

    try:
        return memory.debates.resume(run.id, tell=tell)
    except KeyboardInterrupt as stopped:
        talk.tell("debate broken off", id=run.id)
        raise typer.Exit(OTHER) from stopped
    except Refused:
        talk.tell("debate broken off", id=run.id)
        raise


def _asked_for_stars(talk: Talk) -> int | None:
    """Ask the person at the terminal for one to five stars (seed A §10.3); nothing is an answer."""
    if not talk.asks:
        return None
    sys.stderr.write(f"{talk.speech('debate stars')} ")
    sys.stderr.flush()
    said = sys.stdin.readline().strip()
    return int(said) if said in ("1", "2", "3", "4", "5") else None


def _would_ask(talk: Talk, error: Refused, shown: list[AskedPrompt]) -> None:
    """Say that no model is there, and show what it would be asked."""
    message, step = talk.speech.trouble(error)

    def parts() -> Parts:
        told: Parts = [message, f"  → {step}", "", talk.speech("debate would ask")]
        for at, each in enumerate(shown):
            told += ["", _heading(each.name, each.role, at)]
            told.append(Text(visible(each.prompt)))
        return told

    prompts = [answers.asked_prompt(each) for each in shown]
    talk.answer({"status": "no_model", "next_step": step, "prompts": prompts}, parts)


def _heading(name: str, role: str, at: int) -> Text:
    told = f"{one_line(name)} ({one_line(role)})" if role else one_line(name)
    return Text(told, style=f"bold {_COLOURS[at % len(_COLOURS)]}")


def _spoken(entry: Mapping[str, Any], order: tuple[str, ...], speech: Speech) -> Parts:
    """Show one answer: who speaks, in which role, and what was said."""
    at = order.index(entry["persona"]) if entry["persona"] in order else 0
    heading = _heading(entry["name"], entry["role"], at)
    heading.append(f"  {entry['depth_index']}.{entry['step_index']}", style="dim")
    words = entry["content"] or speech("debate forgotten")
    marks = []
    if entry["injection_applied"]:
        marks.append(Text(speech("debate injected"), style="dim"))
    if entry["withheld"]:
        marks.append(Text(speech("debate withheld"), style="yellow"))
    failed = "red" if entry["error_occurred"] else ""
    return ["", heading, *marks, Text(visible(words), style=failed)]


def _shown(record: DebateRecord, speech: Speech) -> Parts:
    """Show a whole debate again."""
    run = record.debate
    # As they began: a round may have changed the order since.
    voices = ", ".join(each.persona_name for each in run.at_depth(1)) or ", ".join(run.order)
    told: Parts = [speech("debate begins", id=run.id, depth=run.depth, voices=voices)]
    told.append(one_line(record.question) or speech("debate forgotten"))
    for entry in record.history:
        told += _spoken(entry, run.order, speech)
    return told + _ended(record, speech)


def _ended(record: DebateRecord, speech: Speech) -> Parts:
    """Say how a debate ended, how the order changed, and how it is rated or gone on with."""
    run = record.debate
    told: Parts = [""]
    names = {each.persona: one_line(each.persona_name) for each in run.steps}
    for each in run.rounds:
        if each.new_order:
            order = ", ".join(names.get(voice, voice) for voice in each.new_order)
            told.append(speech("debate reordered", depth=each.depth_index, order=order))
    if run.state != "done":
        return [*told, speech("debate open", id=run.id)]
    if not run.final:
        return [*told, speech("debate unanswered")]
    scores = run.rounds[-1].scores
    told.append(
        speech(
            "debate judged",
            impact=scores.impact_score,
            transparency=scores.transparency,
            verifiability=scores.verifiability,
        )
    )
    rated = record.ratings.get(run.final)
    told.append(speech("debate rated", rating=rated) if rated else speech("debate rate", id=run.id))
    return told


def _listed(found: list[tuple[Debate, str]], speech: Speech) -> Parts:
    if not found:
        return [speech("debate none")]
    table = grid()
    for name in ("column debate", "column question", "column answers"):
        table.add_column(speech(name), overflow="fold", no_wrap=name == "column debate")
    for run, question in found:
        words = one_line(question) or speech("debate forgotten")
        state = "" if run.state == "done" else " …"
        table.add_row(run.id, Text(words), f"{len(run.steps)}{state}")
    return [table]

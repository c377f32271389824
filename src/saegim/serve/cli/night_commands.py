"""The commands of the night: sleep, what the nights did, and taking one back."""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Annotated

import typer

import saegim
from saegim.errors import BadInput
from saegim.serve.catalogue import night_answers
from saegim.serve.catalogue import night_functions as night_entries
from saegim.serve.cli import render_nights
from saegim.serve.cli.catalogue_commands import made_from
from saegim.serve.cli.talk import Option, Talk, said_words
from saegim.serve.terminal import OTHER

if TYPE_CHECKING:
    from saegim.sleep.scheduler import Scheduler
    from saegim.store.tables.night_table import NightRow

Stages = Annotated[list[str] | None, Option("--stage", metavar="STAGE", read=said_words("stage"))]
# How often the book of nights is looked at while keeping watch.
_LOOK_SECONDS = 1.0


def sleep(
    talk: Talk,
    stages: Stages = None,
    rehearse: Annotated[bool, typer.Option("--rehearse")] = False,
    watch: Annotated[bool, typer.Option("--watch")] = False,
    pause: Annotated[bool, typer.Option("--pause")] = False,
    resume: Annotated[bool, typer.Option("--resume")] = False,
) -> None:
    """Sleep now: settle, rise, fade, leave."""
    wishes = (rehearse, watch, pause, resume)
    if sum(wishes) > 1 or (stages and (watch or pause or resume)):
        raise BadInput("command.sleep_can_be_asked")
    with talk.memory() as memory:
        if watch:
            _watch(talk, memory)
        elif pause or resume:
            _pause(talk, memory, paused=pause)
        elif rehearse:
            _rehearse(talk, memory, stages or [])
        else:
            _sleep(talk, memory, stages or [])


def nights(
    talk: Talk,
    count: Annotated[int, typer.Argument(metavar="[N]")] = 10,
) -> None:
    """List the latest nights."""
    with talk.memory() as memory:
        rows = memory.nights.latest(count)
        due, paused = memory.nights.due(), memory.nights.paused
    talk.answer(
        night_answers.book(rows, due, paused=paused),
        lambda: render_nights.nights(rows, due, talk.speech, paused=paused),
    )


def night(talk: Talk, id: Annotated[str | None, typer.Argument(metavar="[ID]")] = None) -> None:
    """Show again what a night did."""
    with talk.memory() as memory:
        latest = [memory.nights.one(id.strip())] if id else memory.nights.latest(1)
        if latest:
            _tell(talk, memory, latest[0])
        else:
            talk.answer({"night": None}, lambda: [talk.speech("no nights")])


def promotions(
    talk: Talk,
    count: Annotated[int, typer.Argument(metavar="[N]")] = 20,
) -> None:
    """List what rose lately, and why."""
    with talk.memory() as memory:
        found = memory.nights.promotions(count)
        ids = [each.memory for each in found]
        known = night_answers.living(ids, scope=memory.scope, mind=memory.mind)
    talk.answer(
        {"promotions": [night_answers.promotion(each, known) for each in found]},
        lambda: render_nights.promotions(found, known, talk.speech),
    )


def year(talk: Talk, year: Annotated[str | None, typer.Argument(metavar="[YEAR]")] = None) -> None:
    """Read the report of a year."""
    with talk.memory() as memory:
        found, known = memory.nights.year(year), memory.nights.years()
    talk.answer(
        night_answers.year(found, known), lambda: render_nights.read_out(found, known, talk.speech)
    )


undo = made_from(
    night_entries.undo,
    render_nights.taken_back,
    tells="told",
    names={"id": "name"},
    id=typer.Argument(metavar="NAME"),
)


def _sleep(talk: Talk, memory: saegim.Saegim, stages: list[str]) -> None:
    """Sleep with a bar for whoever looks on; then tell what was done."""
    looked_on = sys.stderr.isatty() and not talk.as_json
    with render_nights.progress(stages, talk.speech, shown=looked_on) as tell:
        row = memory.sleep(*stages, tell=tell)
    if row is None:
        talk.answer({"night": None}, lambda: [talk.speech("asleep elsewhere")])
        raise typer.Exit(OTHER)
    _tell(talk, memory, row)
    if render_nights.troubled(row):
        raise typer.Exit(OTHER)


def _tell(talk: Talk, memory: saegim.Saegim, row: NightRow) -> None:
    """Tell what a night did, with the words of what still lives."""
    mind = memory.mind
    known = night_answers.living(night_answers.samples(row), scope=memory.scope, mind=mind)
    rose = memory.nights.promotions(night=row.id)
    risen = night_answers.living([each.memory for each in rose], scope=memory.scope, mind=mind)
    until = row.at + timedelta(days=mind.settings.forgetting_days)
    undone = not mind.store.undo.can_undo(memory.scope.user, row.id)
    talk.answer(
        {
            "night": night_answers.night(
                row, known, [night_answers.promotion(each, risen) for each in rose]
            )
        },
        lambda: render_nights.report(
            row,
            known,
            talk.speech,
            until=until,
            now=mind.now(),
            undone=undone,
            rose=render_nights.of_a_night(rose, risen, talk.speech),
        ),
    )


def _rehearse(talk: Talk, memory: saegim.Saegim, stages: list[str]) -> None:
    taken = list(memory.nights.rehearse(*stages))
    shown = render_nights.to_show(taken)
    known = night_answers.living(shown, scope=memory.scope, mind=memory.mind)
    talk.answer(
        {"rehearsed": True, "steps": night_answers.night_steps(taken)},
        lambda: render_nights.rehearsed(taken, known, talk.speech),
    )


def _pause(talk: Talk, memory: saegim.Saegim, *, paused: bool) -> None:
    (memory.nights.pause if paused else memory.nights.resume)()
    sentence = "was paused" if paused else "was resumed"
    talk.answer({"paused": paused}, lambda: [talk.speech(sentence)])


# -- keeping watch --------------------------------------------------------------------------------


def _watch(talk: Talk, memory: saegim.Saegim) -> None:
    """Sleep whenever something is due, and tell each night in a line, until Ctrl-C."""
    if talk.as_json:
        raise BadInput("command.watch_tells_as_goes")
    began = memory.mind.now()
    with _until_asked_to_stop():
        at, stages = render_nights.soonest(memory.nights.due(), talk.speech)
        _say(talk, "watching", at=at, stages=stages)
        if memory.nights.paused:
            _say(talk, "paused")
        with closing(memory.nights.watch()) as keeping:
            _look_on(talk, memory, keeping, began)
    _say(talk, "watch ended")


def _look_on(talk: Talk, memory: saegim.Saegim, keeping: Scheduler, began: datetime) -> None:
    told: set[str] = set()
    trouble = ""
    while True:
        for row in reversed(memory.nights.latest(20)):
            if row.ended_at is not None and row.ended_at >= began and row.id not in told:
                told.add(row.id)
                did = render_nights.in_a_line(row, talk.speech)
                _say(talk, "watched night", at=talk.speech.moment(row.ended_at), did=did, id=row.id)
        if keeping.trouble != trouble:
            trouble = keeping.trouble
            if trouble:
                talk.tell("watch trouble", trouble=talk.speech.translated(trouble))
        time.sleep(_LOOK_SECONDS)


def _say(talk: Talk, sentence: str, **values: object) -> None:
    """Say something now: whoever reads along does not wait for the end."""
    talk.answer(None, lambda: [talk.speech(sentence, **values)])


@contextmanager
def _until_asked_to_stop() -> Iterator[None]:
    """Let Ctrl-C, or whoever runs this as a daemon, end what happens here."""
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    except KeyboardInterrupt:
        pass
    finally:
        signal.signal(signal.SIGTERM, before)

"""The commands of leaving: queue, archive, erasing, taking back a source, a person's yes."""

from __future__ import annotations

import os
import re
import secrets
import unicodedata
from calendar import monthrange
from collections.abc import Iterable
from datetime import date, timedelta
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

import saegim
from saegim.errors import BadInput, Refused
from saegim.serve.catalogue import (
    answers,
    lifecycle_functions,
    maintenance_functions,
    night_answers,
)
from saegim.serve.catalogue.proposal_questions import kind_of, question, refusal
from saegim.serve.cli import render_forgetting, render_memories
from saegim.serve.cli.catalogue_commands import made_from
from saegim.serve.cli.talk import Name, Talk, When, given
from saegim.serve.speech import Speech
from saegim.serve.terminal import put, told_on_desktop, visible
from saegim.soul.consent import Channel, PersonAnswer
from saegim.soul.proposals import CORE

if TYPE_CHECKING:
    from rich.console import RenderableType

    from saegim.memory.memory import Memory
    from saegim.mind import Mind
    from saegim.soul.proposals import Proposal

Ids = Annotated[list[str], typer.Argument(metavar="ID...")]
ProposalId = Annotated[str, typer.Argument(metavar="ID")]
MemoryId = Annotated[str, typer.Argument(metavar="ID")]
Confirm = Annotated[bool, typer.Option("--confirm")]
# Whole words, in either language: what they set going is not taken back by another key.
_ERASE = frozenset({"erase", "지우기"})
YES = frozenset({"yes", "네", "예"})
# Typed once for each notice, six digits are not guessed.
_CODE_DIGITS = 6
# More than this no desktop shows.
_NOTICE_LETTERS = 200
# How long, as people write it.
_SPAN = re.compile(r"(?P<count>[0-9]{1,6}) ?(?P<unit>d|w|mo|y|일|주|개월|달|년)")
_DAYS_OF = {"d": 1, "일": 1, "w": 7, "주": 7}
_MOST_OF_A_SPAN = 5000


def queue(talk: Talk) -> None:
    """Show what is leaving."""
    with talk.memory() as memory:
        found, law = memory.forgetting.queue(), memory.mind.settings.forgetting
    talk.answer(
        {
            "queue": [night_answers.queued(each) for each in found],
            "forgetting": answers.forgetting(law, talk.speech),
        },
        lambda: render_forgetting.queue(found, law, talk.speech),
    )


def archive(
    talk: Talk,
    count: Annotated[int, typer.Argument(metavar="[N]")] = 20,
) -> None:
    """Show what lies in the archive."""
    with talk.memory() as memory:
        found = memory.forgetting.archive(count)
    talk.answer(
        {"archive": [night_answers.archived(each) for each in found]},
        lambda: render_forgetting.archive(found, talk.speech),
    )


_MEMORIES = typer.Argument(metavar="ID...")
restore = made_from(lifecycle_functions.memory_restore, render_memories.restored, ids=_MEMORIES)
pin = made_from(
    lifecycle_functions.memory_pin,
    partial(render_forgetting.held, sentence="was pinned"),
    ids=_MEMORIES,
)
unpin = made_from(
    lifecycle_functions.memory_unpin,
    partial(render_forgetting.held, sentence="was unpinned"),
    ids=_MEMORIES,
)
audit = made_from(maintenance_functions.audit, render_forgetting.audit_findings, tells="told")


def keep(
    talk: Talk,
    ids: Ids,
    span: Annotated[str | None, typer.Option("--for", metavar="TIME")] = None,
    until: When = None,
    passing: Annotated[bool, typer.Option("--passing")] = False,
) -> None:
    """Keep memories for good, for a time, or until a date."""
    if span is not None and (until is not None or passing):
        raise BadInput("command.only_one_of_days_until")
    with talk.memory() as memory:
        last = until if span is None else _after(span, memory.mind)
        held = memory.forgetting.keep(*ids, until=last, passing=passing)
    talk.answer(
        {"memories": [answers.memory(each) for each in held]},
        lambda: [render_memories.line(_said_kept(each, talk.speech)) for each in held],
    )


def _said_kept(each: Memory, speech: Speech) -> str:
    return speech("was kept", how=speech.lifetime(each), id=each.id, text=each.text)


def _after(span: str, mind: Mind) -> date:
    """Return the day that lies so far ahead: 90d, 12w, 3mo, 1y, 90일, 12주, 3개월, 1년."""
    read = _SPAN.fullmatch(unicodedata.normalize("NFC", span).strip().lower())
    count = int(read["count"]) if read else 0
    if read is None or not 1 <= count <= _MOST_OF_A_SPAN:
        raise BadInput("command.no_span_of_time", span=span)
    today = mind.here(mind.now()).date()
    if read["unit"] in _DAYS_OF:
        return today + timedelta(days=count * _DAYS_OF[read["unit"]])
    months = today.month - 1 + count * (12 if read["unit"] in ("y", "년") else 1)
    year, month = today.year + months // 12, months % 12 + 1
    return date(year, month, min(today.day, monthrange(year, month)[1]))


def erase(talk: Talk, ids: Ids, confirm: Confirm = False) -> None:
    """Leave nothing of memories."""
    if confirm:
        refuse_without_a_person(talk, f"saegim erase {' '.join(ids)} --confirm")
    with talk.memory() as memory:
        told = memory.forgetting.erase(*ids)
        held = night_answers.going(told, scope=memory.scope, mind=memory.mind)
        if confirm:
            _show(render_forgetting.erasure(told, held, talk.speech))
            if not talk.typed("type erase", _ERASE):
                raise typer.Abort
            told, held = memory.forgetting.erase(*ids, confirm=True, by=memory.scope.user), []
    hint = [] if told.done else [talk.speech("not erased yet")]
    talk.answer(
        night_answers.receipt(told, held),
        lambda: [*render_forgetting.erasure(told, held, talk.speech), *hint],
    )


def revert(
    talk: Talk,
    author: Name = None,
    origin: Name = None,
    session: Name = None,
    domain: Name = None,
    since: When = None,
    confirm: Confirm = False,
) -> None:
    """Take back what a source brought."""
    source: dict[str, Any] = given(author=author, origin=origin, session=session, domain=domain)
    with talk.memory() as memory:
        done = memory.sources.revert(since=since, confirm=confirm, **source)
    talk.answer(
        night_answers.reverted(done), lambda: render_forgetting.source_taken_back(done, talk.speech)
    )


def proposals(talk: Talk, every: Annotated[bool, typer.Option("--all")] = False) -> None:
    """List what waits for a yes."""
    with talk.memory() as memory:
        found = memory.proposals.all() if every else memory.proposals.open()
        ids = [id for each in found for id in (each.memory, each.replaces)]
        known = night_answers.living(ids, scope=memory.scope, mind=memory.mind)
        shown = render_forgetting.proposals(found, memory, talk.speech)
    talk.answer(
        {"proposals": [night_answers.proposal(each, known) for each in found]}, lambda: shown
    )


def propose(talk: Talk, id: MemoryId) -> None:
    """Ask that a memory be kept for ever."""
    with talk.memory() as memory:
        made = memory.proposals.propose(id)
        known = night_answers.living([made.memory], scope=memory.scope, mind=memory.mind)
        shown = render_forgetting.proposals([made], memory, talk.speech)
    talk.answer({"proposal": night_answers.proposal(made, known)}, lambda: shown)


def accept(
    talk: Talk,
    id: ProposalId,
    text: Annotated[str | None, typer.Option("--text", metavar="TEXT")] = None,
) -> None:
    """Say yes to a proposal."""
    refuse_without_a_person(talk, f"saegim accept {id}")
    with talk.memory() as memory:
        found, shown = _shown(talk, memory, id)
        _vouched(talk, found, memory)
        kept = _answered(memory, found.id, shown["version"], yes=True, text=text or "")
        done = [*_accepted(found, kept, memory, talk.speech)]
    told = {"proposal": found.id, "memory": answers.memory(kept) if kept else None}
    talk.answer(told, lambda: done)


def _accepted(
    found: Proposal, kept: Memory | None, memory: saegim.Saegim, speech: Speech
) -> Iterable[RenderableType]:
    """Say what a yes did, what stands on it, and how what can be taken back is taken back."""
    said = "accepted" if found.about == CORE else f"accepted {found.about}"
    if kept is None:
        yield speech(said)
        return
    yield render_memories.line(speech(said, id=kept.id, text=kept.text))
    if found.about != CORE:
        yield speech(f"undo {found.about}", id=kept.id, proposal=found.id)
    numbers = {each.id: number for number, each in memory.soul.cores().items()}
    for each in memory.soul.held_up_by(kept.id) if found.about == CORE else ():
        name = f"{each.emoji} {visible(each.name)}"
        yield speech("accepted home", number=numbers[kept.id], island=name)


def refuse(
    talk: Talk,
    id: ProposalId,
    note: Annotated[str | None, typer.Option("--note", metavar="TEXT")] = None,
) -> None:
    """Say no to a proposal."""
    refuse_without_a_person(talk, f"saegim refuse {id}")
    with talk.memory() as memory:
        found, shown = _shown(talk, memory, id)
        if not talk.typed("type yes to refuse", YES):
            raise typer.Abort
        _answered(memory, found.id, shown["version"], yes=False, note=note or "")
        done = next(each for each in memory.proposals.all() if each.id == found.id)
    said = talk.speech(refusal(found))
    talk.answer({"proposal": night_answers.proposal(done, {})}, lambda: [said])


def refuse_without_a_person(talk: Talk, command: str) -> None:
    """Refuse what no program may say for a person, before anything is opened."""
    if not talk.person:
        raise Refused("command.only_person_at_terminal_may", command=command)
    talk.refuse_agents(command)


def _shown(talk: Talk, memory: saegim.Saegim, id: str) -> tuple[Proposal, dict[str, Any]]:
    """Show a proposal; return it, and its answer with the version of the words that were shown."""
    found: Proposal = night_answers.answerable(id, scope=memory.scope, mind=memory.mind)
    ids = [found.memory, found.replaces]
    known = night_answers.living(ids, scope=memory.scope, mind=memory.mind)
    _show(render_forgetting.one_proposal(found, memory, talk.speech))
    return found, night_answers.proposal(found, known)


def _vouched(talk: Talk, found: Proposal, memory: saegim.Saegim) -> None:
    """Go on only with a code that was shown beside this terminal; where nothing is, with a yes."""
    code = f"{secrets.randbelow(10**_CODE_DIGITS):0{_CODE_DIGITS}}"
    title = talk.speech("code notice", code=code)
    words = "\n".join(question(found, memory, talk.speech))
    if told_on_desktop(title, words[:_NOTICE_LETTERS], os.environ):
        agreed = talk.typed("type the code", {code})
    else:
        talk.tell("no second channel")
        agreed = talk.typed(f"type yes to accept {kind_of(found)}", YES)
    if not agreed:
        raise typer.Abort


def _answered(
    memory: saegim.Saegim, id: str, version: str, *, yes: bool, note: str = "", text: str = ""
) -> Memory | None:
    said = PersonAnswer(yes, memory.scope.user, Channel.TERMINAL, version, note, text)
    return memory.proposals.answer(id, said)


def _show(parts: Iterable[RenderableType]) -> None:
    """Show what a question is about, beside the answer that is still to come."""
    for part in parts:
        put(part, error=True)

"""What the beginning of a session is told: what is planned, approved, or not sure."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

from saegim.errors import Refused, StoreError
from saegim.guard.injection import suspicion
from saegim.language.times import spans
from saegim.memory.changes import Written
from saegim.memory.clock import day_ended_by, parse_instant
from saegim.memory.entities import Page
from saegim.memory.memory import PERSON, Memory
from saegim.memory.text import lazy_pattern
from saegim.recall.compose.card import block, quoted, shortened
from saegim.recall.compose.prompt import persona_text
from saegim.saegim import Saegim
from saegim.serve.speech import Speech
from saegim.soul.islands import Status
from saegim.soul.promotions import APPROVED, Promotion, told_to, untold
from saegim.soul.proposals import ACCEPTED, proposals, unanswered
from saegim.store.commit import Batch
from saegim.store.rows import Where

if TYPE_CHECKING:
    from saegim.serve.catalogue.entry import CallContext

TOPIC = 80
_HEADER = "News of the memory itself. Tell the user; 사용자에게 알려 주세요."
# Less would leave no room for what was asked.
_GREETS_FROM = 800
# The rest waits for the next session.
_AT_ONCE = 5
_REMINDED = "reminders:told"
# Days that come back every year, in the words that people use for them.
_YEARLY = ("생일", "생신", "기념일", "제사", "기일", "birthday", "anniversary")
# 만기일 and 문제사항 hold such words, and are none.
_COMES_BACK = lazy_pattern(
    r"(?i)생일|생신|기념일|(?<![가-힣])(?:기제사|제사|제삿날|기일)|birthday|b-?day|anniversary"
)
_LOOKED_AT = 32
# A stretch that was told by its beginning may end so long after it.
_LONGEST = timedelta(days=62)
_FROM = lazy_pattern(r"부터|\d\s?박|(?i:\bfrom\b)")


def greeted(at: CallContext, budget: int) -> str:
    """Return what a client that has no hooks is told, once in its session."""
    known = at.door != "mcp" or not at.session or at.session in at.greeted
    if known or budget < _GREETS_FROM:
        return ""
    at.greeted.add(at.session)
    try:
        near = reminders(at.memory, at.session)
        news = [*(each.line for each in near), *core_notices(at.memory, at.session)]
    except StoreError:
        # Busy, or read only: it is told when it can be noted that it was.
        news = []
    told = [*claim_notices(at.memory, at.claims), *self_notices(at.memory), *news]
    return block(_HEADER, told)


# -- what is planned ------------------------------------------------------------------------------


class Reminder(NamedTuple):
    """A day that is near, and the memory that speaks of it."""

    day: date
    left: int
    memory: Memory

    @property
    def line(self) -> str:
        """Return it as a session is told."""
        words = quoted(shortened(self.memory.text, TOPIC))
        return f"reminder {self.day} days_left={self.left} memory={words} id={self.memory.id}"


def reminders(memory: Saegim, session: str) -> list[Reminder]:
    """Return what a person planned for the next days and no other session was told; note it."""
    scope, mind = memory.scope, memory.mind
    if mind.settings.remind_days < 0:
        return []
    versions = mind.store.pages.of(scope, key=_REMINDED)
    told: dict[str, str] = dict(versions[-1].data["told"]) if versions else {}
    today = mind.here(mind.now()).date()
    names = {f"{each.memory.id} {each.day}": each for each in _near(memory, today)}
    near = sorted(names, key=lambda name: names[name].day)
    new = [name for name in near if told.get(name, session) == session][:_AT_ONCE]
    if any(name not in told for name in new):
        held = {name: who for name, who in told.items() if name[-10:] >= str(today)}
        page = Page(
            key=_REMINDED, kind=_REMINDED, data={"told": held | dict.fromkeys(new, session)}
        )
        # Of two sessions that begin at once, one tells it.
        written = Written(page, after=versions[-1].version if versions else 0)
        try:
            mind.store.commit(Batch(scope.user, [written], actor="notice", at=mind.now()))
        except Refused:
            return []
    return [names[name] for name in new]


def _near(memory: Saegim, today: date) -> Iterator[Reminder]:
    """Yield what is kept until one of the next days, and what comes back every year."""
    mind, most = memory.mind, memory.mind.settings.remind_days
    where = Where(scope=memory.scope, origins=PERSON)
    begin, end = mind.now(), mind.now() + timedelta(days=most + 1)
    ahead = mind.store.memories.planned(where, begin, end + _LONGEST, _LOOKED_AT)
    dated = [(each, _first_day(each, each.life.last_date or end)) for each in ahead]
    for each in (found for word in _YEARLY for found in memory.search(word, limit=_LOOKED_AT)):
        if each.provenance.origin in PERSON and _COMES_BACK.search(each.text):
            named = spans(each.text, mind.here(begin), ahead=True)
            dated += [(each, span.start.date()) for span in named[:1]]
    # A turn and the sentence that was read out of it speak of one plan: the sentence says it.
    twice = {(each.provenance.turn, day) for each, day in dated}
    for each, day in dated:
        if (each.id, day) in twice:
            continue
        if 0 <= (day - today).days <= most and not suspicion(each.text):
            yield Reminder(day, (day - today).days, each)


def _first_day(memory: Memory, last: datetime) -> date:
    """Return the day to speak of: what was told by its beginning lasts until its end."""
    said = memory.time.said_at or memory.time.recorded_at
    for each in memory.time.mentions if _FROM.search(memory.text) else ():
        start, _, end = each.partition("/")
        first = parse_instant(start)
        if parse_instant(end) == last and first > said and last - first > timedelta(days=1):
            return day_ended_by(first + timedelta(days=1))
    return day_ended_by(last)


def claim_notices(memory: Saegim, claimed: str) -> Iterator[str]:
    """Yield that a folder names the origin of a known project without having its history."""
    if claimed:
        here = memory.scope.project
        yield (
            f"project_unconfirmed project={quoted(here)} same_origin_as={quoted(claimed)} "
            "history=other treated_as=separate "
            f"confirm={quoted(f'saegim merge {shlex.quote(here)} --into {shlex.quote(claimed)}')}"
        )


def self_notices(memory: Saegim) -> Iterator[str]:
    """Yield who the agent is, which island shakes, and what has waited long for a yes.

    The self was approved word by word; it is told as what it is, and not cut into cards.
    """
    scope, mind = memory.scope, memory.mind
    if told := persona_text(scope, mind):
        yield from told.splitlines()
    speech = Speech.of(mind.settings.language)
    for each in memory.soul.islands():
        if each.status is Status.SHAKING:
            yield speech("island is shaking", name=each.name)
    if late := unanswered(scope, mind):
        oldest = str(late[0].made_at)[:10]
        yield f'proposals_waiting_long={len(late)} oldest={oldest} list="saegim proposals"'


def core_notices(memory: Saegim, session: str) -> list[str]:
    """Return a line for each core memory no other session was told of: by whom, how, its undo."""
    scope, mind = memory.scope, memory.mind
    lines: list[str] = []
    told: list[Promotion] = []
    for each, line in _cores(memory, session):
        if len(lines) < _AT_ONCE:
            lines.append(line)
            told.append(each)
    told_to(session, told, scope=scope, mind=mind)
    return lines


def _cores(memory: Saegim, session: str) -> Iterator[tuple[Promotion, str]]:
    scope, mind = memory.scope, memory.mind
    new = [each for each in untold(scope, mind, session) if each.why == APPROVED]
    answers = {each.memory: each for each in proposals(scope, mind, state=ACCEPTED)} if new else {}
    for each in new:
        made = mind.store.memories.get(scope, each.memory)
        said = answers.get(each.sources[0])
        # An answer of before channels were noted is old news.
        if made is None or said is None or not said.channel:
            continue
        if made.scope.project not in ("", scope.project):
            continue
        words = "" if suspicion(made.text) else f" memory={quoted(shortened(made.text, TOPIC))}"
        yield (
            each,
            f"core_memory_added {each.at.date().isoformat()} by={quoted(said.answered_by)} "
            f'channel={said.channel} id={made.id}{words} undo="saegim forget {made.id}"',
        )

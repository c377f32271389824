"""What waits for a person's yes: one durable queue, for everything that needs one.

A proposal is a page: each answer is a new version of it, so that who said what stays readable. It
says what would change (`about`, `text`, `details`), why (`reasons`) and from which memories.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any, Final, Protocol, TypeVar

from saegim.errors import BadInput, NotFound, Refused
from saegim.memory.changes import Change, Tiered, Written
from saegim.memory.entities import Page
from saegim.memory.memory import FINDABLE, Memory, Scope, expiry
from saegim.messages import Message
from saegim.mind import Mind

KIND: Final = "proposal"
# A memory proposed to be kept for ever; a core memory to be changed, or to be let go.
CORE, CORE_CHANGE, CORE_LETTING_GO = "core", "core_change", "core_letting_go"
# Words that a model wants in the place of a person's, or a person's words that it wants to let go.
CORRECTION, LETTING_GO = "correction", "letting_go"
# The self: something it believes, an island's name, the file.
BELIEF, ISLAND, SOUL_FILE = "belief", "island", "soul_file"
CHANGE: Final = "change"
_NAMES: Final = (CORE, CHANGE, BELIEF, ISLAND, "soul")
# The reason of a proposal that someone made, not the night.
ASKED: Final = "asked"
# More than a person would read through; a model that asks for more is asked to wait.
MOST_WAITING: Final = 40
OPEN, ACCEPTED, REFUSED, WITHDRAWN = "open", "accepted", "refused", "withdrawn"
# Who withdraws what nobody answered, and when that may be asked again.
NIGHT: Final = "night"
_AGAIN: Final = timedelta(days=180)


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """Something that happens only if a person says yes."""

    id: str
    about: str
    memory: str = ""
    reasons: tuple[str, ...] = ()
    state: str = OPEN
    made_at: datetime | None = None
    answered_by: str = ""
    answered_at: datetime | None = None
    note: str = ""
    # How the person was asked, and which version of the words they were shown.
    channel: str = ""
    version: str = ""
    # Of a correction: the memory in whose place the other would stand.
    replaces: str = ""
    # The words that a yes writes into the self; none where a memory has them.
    text: str = ""
    # The belief or island that would change, and what else a yes sets.
    target: str = ""
    details: Mapping[str, Any] = field(default_factory=dict)
    sources: tuple[str, ...] = ()
    # The version of the page it was read from: an answer counts upon that one alone.
    page: int = 0


def is_proposal(id: str) -> bool:
    """Say whether an id or a short name is that of a proposal, and not of a memory."""
    return id.startswith(tuple(f"{name}{mark}" for name in _NAMES for mark in "_-"))


class HasId(Protocol):
    """What is called by an id."""

    @property
    def id(self) -> str:
        """Its id: what it is, when it was made, and digits that are drawn."""


Named = TypeVar("Named", bound=HasId)


def short_name(id: str) -> str:
    """Return what a person types for an id of the self, such as `belief-3f09ac`; others stay."""
    kind = id.partition("_")[0]
    return f"{kind}-{id[-6:]}" if kind in (*_NAMES, "b") and kind != id else id


def called(name: str, among: Iterable[Named]) -> Named | None:
    """Return the one of these that an id or a short name calls; two of one short name are none."""
    name = name.strip()
    every = list(among)
    found = [each for each in every if each.id == name]
    found = found or [each for each in every if short_name(each.id) == name.lower()]
    if len(found) > 1:
        raise BadInput("soul.name_of_several", name=name, ids=" ".join(each.id for each in found))
    return found[0] if found else None


def version_of(proposal: Proposal, memory: Memory | None) -> str:
    """Return the name of the words a proposal shows now; "" where there are none to read."""
    words = proposal.text or (memory.text if memory else "")
    if not words:
        return ""
    parts = (proposal.id, proposal.about, proposal.replaces, memory.id if memory else "", words)
    shown = "\n".join(parts)
    if proposal.details or proposal.target:
        shown += f"\n{proposal.target}\n{json.dumps(dict(proposal.details), sort_keys=True)}"
    return hashlib.blake2b(shown.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def proposals(scope: Scope, mind: Mind, *, state: str | None = OPEN) -> list[Proposal]:
    """Return what waits for an answer, or what was answered; the oldest first."""
    newest: dict[str, Page] = {}
    born: dict[str, datetime | None] = {}
    for page in mind.store.pages.of(scope, kind=KIND):
        newest[page.key] = page
        born.setdefault(page.key, page.written_at)
    found = [_read(page, born[key]) for key, page in newest.items()]
    wanted = [each for each in found if state is None or each.state == state]
    return sorted(wanted, key=lambda each: (str(each.made_at), each.id))


def waiting(about: str, scope: Scope, mind: Mind) -> list[Proposal]:
    """Return what waits of one kind."""
    return [each for each in proposals(scope, mind) if each.about == about]


def _read(page: Page, made_at: datetime | None) -> Proposal:
    data: Mapping[str, Any] = page.data
    state = str(data.get("state", OPEN))
    named = "about memory answered_by note channel version replaces target".split()
    return Proposal(
        id=page.key.partition(":")[2],
        **{name: str(data.get(name, "")) for name in named},
        reasons=tuple(data.get("reasons", ())),
        state=state,
        made_at=made_at,
        answered_at=None if state == OPEN else page.written_at,
        text=page.body,
        details=dict(data.get("details", {})),
        sources=tuple(data.get("sources", ())),
        page=page.version,
    )


def room_for_more(scope: Scope, mind: Mind, *, asked: bool = False) -> int:
    """Return how many core memories can still be laid before a person: by the night, or asked for.

    What others ask for takes no room from the night, and what is gone takes none at all.
    """
    count = 0
    for each in waiting(CORE, scope, mind):
        if (ASKED in each.reasons) is asked:
            memory = mind.store.memories.get(scope, each.memory)
            count += memory is not None and memory.life.state in FINDABLE
    return max(0, mind.settings.core_most - count)


def one(id: str, scope: Scope, mind: Mind) -> Proposal:
    """Return a proposal by its id or its short name; what still waits is meant first."""
    every = proposals(scope, mind, state=None)
    found = called(id, [each for each in every if each.state == OPEN]) or called(id, every)
    if found is None:
        raise NotFound("soul.no_proposal", id=str(id)[:60])
    return found


def still_open(proposal: Proposal) -> Proposal:
    """Return the proposal if it can still be answered."""
    if proposal.state != OPEN:
        how = Message(f"proposal state {proposal.state}")
        raise Refused("soul.answered_already", id=proposal.id, state=how)
    return proposal


def a_person(by: object) -> str:
    """Return the name of the person who answers; without one there is no answer."""
    if not isinstance(by, str) or not by.strip():
        raise BadInput("soul.nobody_is_named_who_says")
    return by.strip()


def made(
    id: str, about: str, memory: str, reasons: tuple[str, ...], *, replaces: str = ""
) -> Written:
    """Return the Change that puts a proposal about a memory into the queue."""
    return put(Proposal(id=id, about=about, memory=memory, reasons=reasons, replaces=replaces))


def put(proposal: Proposal) -> Written:
    """Return the Change that puts a proposal into the queue."""
    return _written(replace(proposal, state=OPEN), after=0)


def answered(
    proposal: Proposal,
    state: str,
    *,
    by: str,
    note: str = "",
    channel: str = "",
    version: str = "",
) -> Written:
    """Return the Change that answers a proposal; of two answers at once, one is written."""
    return _written(
        replace(
            proposal,
            state=state,
            answered_by=by,
            note=note,
            channel=channel,
            version=version,
        ),
        after=proposal.page,
    )


def _written(proposal: Proposal, *, after: int) -> Written:
    names = "about memory state answered_by note channel version replaces target".split()
    data = {name: getattr(proposal, name) for name in names}
    data |= {"reasons": list(proposal.reasons), "sources": list(proposal.sources)}
    data["details"] = dict(proposal.details)
    page = Page(
        key=f"{KIND}:{proposal.id}",
        kind=KIND,
        body=proposal.text,
        data={name: value for name, value in data.items() if value},
        derived_from=tuple(
            dict.fromkeys(filter(None, (proposal.memory, proposal.replaces, *proposal.sources)))
        ),
    )
    return Written(page, after=after)


# -- what nobody answers --------------------------------------------------------------------------


def overdue(scope: Scope, mind: Mind, at: datetime) -> Iterator[tuple[Change, ...]]:
    """Yield the Changes that withdraw what nobody answered in time: no answer is no yes.

    Nor is it a no: what could have become a core memory has its tier's time once more.
    """
    for each in proposals(scope, mind):
        if each.made_at and at - each.made_at >= timedelta(days=mind.settings.proposal_days):
            page = answered(each, WITHDRAWN, by=NIGHT)
            memory = mind.store.memories.get(scope, each.memory) if each.about == CORE else None
            if memory is not None and memory.life.state in FINDABLE:
                end = expiry(memory.life.tier, at, memory.life.last_date)
                yield page, Tiered(memory.id, memory.life.tier, end)
            else:
                yield (page,)


def asked_about(scope: Scope, mind: Mind) -> set[str]:
    """Return what need not be proposed again: it was answered, or not answered lately."""
    long_ago = mind.now() - _AGAIN
    return {
        each.memory
        for each in proposals(scope, mind, state=None)
        if each.answered_by != NIGHT or each.answered_at is None or each.answered_at > long_ago
    }


def unanswered(scope: Scope, mind: Mind) -> list[Proposal]:
    """Return what has waited so long that the person is reminded of it."""
    since = mind.now() - timedelta(days=mind.settings.reminder_days)
    return [each for each in proposals(scope, mind) if each.made_at and each.made_at <= since]

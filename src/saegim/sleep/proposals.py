"""What waits for a person's yes: one durable queue, for core memories and changes of their words.

A proposal is a page: each answer is a new version of it, so that who said what stays readable. It
holds ids and reasons, never words.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from saegim.errors import BadInput, NotFound, Refused
from saegim.memory.changes import Written
from saegim.memory.entities import Page
from saegim.memory.memory import FINDABLE, Memory, Scope
from saegim.mind import Mind

KIND = "proposal"
# A memory proposed to be kept for ever.
CORE = "core"
# Words that a model wants in the place of a person's, or a person's words that it wants to let go.
CORRECTION, LETTING_GO = "correction", "letting_go"
CHANGE = "change"
# The reason of a proposal that someone made, not the night.
ASKED = "asked"
OPEN, ACCEPTED, REFUSED, WITHDRAWN = "open", "accepted", "refused", "withdrawn"


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """Something that happens only if a person says yes."""

    id: str
    about: str
    memory: str
    reasons: tuple[str, ...]
    state: str
    made_at: datetime | None
    answered_by: str = ""
    note: str = ""
    # How the person was asked, and which version of the words they were shown.
    channel: str = ""
    version: str = ""
    # Of a correction: the memory in whose place the other would stand.
    replaces: str = ""


def is_proposal(id: str) -> bool:
    """Say whether an id names a proposal, and not a memory."""
    return id.startswith((f"{CORE}_", f"{CHANGE}_"))


def version_of(proposal: Proposal, memory: Memory | None) -> str:
    """Return the name of the words a proposal shows now; "" where there are none to read."""
    if memory is None or not memory.text:
        return ""
    shown = "\n".join((proposal.id, proposal.about, proposal.replaces, memory.id, memory.text))
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


def _read(page: Page, made_at: datetime | None) -> Proposal:
    data: Mapping[str, Any] = page.data
    return Proposal(
        id=page.key.partition(":")[2],
        about=str(data.get("about", "")),
        memory=str(data.get("memory", "")),
        reasons=tuple(data.get("reasons", ())),
        state=str(data.get("state", OPEN)),
        made_at=made_at,
        answered_by=str(data.get("answered_by", "")),
        note=str(data.get("note", "")),
        channel=str(data.get("channel", "")),
        version=str(data.get("version", "")),
        replaces=str(data.get("replaces", "")),
    )


def room_for_more(scope: Scope, mind: Mind, *, asked: bool = False) -> int:
    """Return how many core memories can still be laid before a person: by the night, or asked for.

    What others ask for takes no room from the night, and what is gone takes none at all.
    """
    waiting = 0
    for each in proposals(scope, mind):
        if each.about == CORE and (ASKED in each.reasons) is asked:
            memory = mind.store.memories.get(scope, each.memory)
            waiting += memory is not None and memory.life.state in FINDABLE
    return max(0, mind.settings.core_most - waiting)


def one(id: str, scope: Scope, mind: Mind) -> Proposal:
    """Return a proposal by its id."""
    for each in proposals(scope, mind, state=None):
        if each.id == id:
            return each
    raise NotFound("sleep.no_proposal", id=str(id)[:60])


def still_open(proposal: Proposal) -> Proposal:
    """Return the proposal if it can still be answered."""
    if proposal.state != OPEN:
        raise Refused("sleep.answered_already", id=proposal.id, state=proposal.state)
    return proposal


def a_person(by: object) -> str:
    """Return the name of the person who answers; without one there is no answer."""
    if not isinstance(by, str) or not by.strip():
        raise BadInput("sleep.nobody_is_named_who_says")
    return by.strip()


def made(
    id: str, about: str, memory: str, reasons: tuple[str, ...], *, replaces: str = ""
) -> Written:
    """Return the Change that puts a proposal into the queue."""
    return _written(
        Proposal(
            id=id,
            about=about,
            memory=memory,
            reasons=reasons,
            state=OPEN,
            made_at=None,
            replaces=replaces,
        )
    )


def answered(
    proposal: Proposal,
    state: str,
    *,
    by: str,
    note: str = "",
    channel: str = "",
    version: str = "",
) -> Written:
    """Return the Change that answers a proposal."""
    return _written(
        replace(
            proposal,
            state=state,
            answered_by=by,
            note=note,
            channel=channel,
            version=version,
        )
    )


def _written(proposal: Proposal) -> Written:
    data = {
        "about": proposal.about,
        "memory": proposal.memory,
        "reasons": list(proposal.reasons),
        "state": proposal.state,
        "answered_by": proposal.answered_by,
        "note": proposal.note,
        "channel": proposal.channel,
        "version": proposal.version,
        "replaces": proposal.replaces,
    }
    kept = {name: value for name, value in data.items() if value}
    page = Page(
        key=f"{KIND}:{proposal.id}",
        kind=KIND,
        data=kept,
        derived_from=tuple(filter(None, (proposal.memory, proposal.replaces))),
    )
    return Written(page)

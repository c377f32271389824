"""`Conversation`: the items of one conversation, exactly and in order, kept beside the memory.

An item is no memory: most are calls and answers of tools. They are pages, so that they are not
recalled, and yet exported and erased. One memory stands for the conversation and is not recalled
either; when it is let go, so are the items. What the person said is heard as well, and what is
worth it is remembered; its item goes with that memory.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import xxhash

from saegim.adapters.documents import Document, Documents, json_text, screened
from saegim.errors import BadInput
from saegim.memory.changes import Written
from saegim.memory.entities import Page
from saegim.memory.memory import BOOKKEEPING, MAX_TEXT, Kind, checked_name
from saegim.perceive.turn import turn_of
from saegim.recall.usage import count
from saegim.saegim import Saegim

KIND = "conversation"
_ADDED, _TAKEN = "added", "taken"
# Sealed by the provider, who refuses it if a letter changes.
_SEALED = frozenset({"encrypted_content"})
_TRIES = 10


# An item's place: the version of the page and the position in it.
_Place = tuple[int, int]


class Conversation:
    """One conversation, by its name, in one room (user, agent, project) of a memory."""

    def __init__(
        self, memory: Saegim, name: str, *, observe: bool = True, keep_private: bool = False
    ) -> None:
        self.name = name
        self._memory, self._observe, self._keep_private = memory, observe, keep_private
        self._documents = Documents(memory, KIND, keep_private=keep_private)
        self._session = _session(name)

    def items(self, limit: int | None = None) -> list[Any]:
        """Return the items, oldest first; with a limit the last so many."""
        held = self._documents.one(self.name)
        if held is None or (limit is not None and limit <= 0):
            return []
        items = [item for _, item in self._lines(held)]
        return items if limit is None else items[-limit:]

    def add(self, items: Sequence[Any]) -> None:
        """Add items at the end: all of them, or none."""
        if not items:
            return
        clean = [
            screened(each, keep_private=self._keep_private, spared=_SEALED).value for each in items
        ]
        # Heard first: if that fails nothing is added, and a second try adds nothing twice.
        heard = [self._heard(each) for each in clean]
        # One memory stands for the conversation; it tells nothing, so it is never shown.
        text = f"Conversation {self.name}, kept item by item."
        about = {"kind": Kind.EPISODE, "session": self._session, "importance": 0.0}
        held = self._documents.made(self.name, text, tags=[BOOKKEEPING], **about)
        pages: list[Page] = []
        for item, memories in zip(clean, heard, strict=True):
            sources = memories or (self._id(held),)
            if pages and pages[-1].derived_from == sources:
                together = [*json.loads(pages.pop().body), item]
            else:
                together = [item]
            pages.append(self._page(held, _ADDED, json_text(together), sources))
        self._documents.commit([Written(page) for page in pages])

    def pop(self) -> Any:
        """Take the last item away and return it; None if there is none."""
        for _ in range(_TRIES):
            held = self._documents.one(self.name)
            lines = [] if held is None else self._lines(held)
            if held is None or not lines:
                return None
            place, item = lines[-1]
            mark = self._memory.forgetting.mind.new_id()
            body = json_text({"place": place, "by": mark})
            taken = self._page(held, _TAKEN, body, (self._id(held),))
            self._documents.commit([Written(taken)])
            # Of two that took the same item at the same time, the first has it.
            if self._taken(held).get(place) == mark:
                return item
        raise BadInput("adapter.others_keep_taking_items_from", name=self.name)

    def clear(self) -> None:
        """Let the conversation go; what was remembered of it stays."""
        held = self._documents.one(self.name)
        if held is not None:
            self._documents.drop([held])

    # -- how --------------------------------------------------------------------------------------

    def _heard(self, item: Any) -> tuple[str, ...]:
        """Hear what the person says in an item; return the memories that hold its words.

        Of a reply nothing is kept but which of the memories that were shown it uses.
        """
        if self._observe and (reply := said_by(item, "assistant")[:MAX_TEXT]).strip():
            about = {"role": "assistant", "session": self._session}
            count(turn_of(self._memory.scope, reply, about), mind=self._memory.mind)
        said = said_by(item, "user") if self._observe else ""
        if not said.strip() or len(said) > MAX_TEXT:
            return ()
        seen = self._memory.observe(said, role="user", session=self._session)
        return tuple(kept.id for kept in seen.kept)

    def _id(self, held: Document) -> str:
        return self._documents.first(held)[0]

    def _page(self, held: Document, event: str, body: str, sources: tuple[str, ...]) -> Page:
        return Page(
            key=f"{KIND}:{self._id(held)}",
            kind=KIND,
            title=event,
            body=body,
            derived_from=sources,
        )

    def _pages(self, held: Document, event: str) -> Iterator[tuple[int, Any]]:
        """Return what the pages of one kind of event say; one that was erased says nothing."""
        store = self._memory.forgetting.mind.store
        for page in store.pages.of(self._memory.scope, key=f"{KIND}:{self._id(held)}"):
            if page.title == event and page.body:
                yield page.version, json.loads(page.body)

    def _lines(self, held: Document) -> list[tuple[_Place, Any]]:
        taken = self._taken(held)
        return [
            ((version, at), item)
            for version, items in self._pages(held, _ADDED)
            for at, item in enumerate(items)
            if (version, at) not in taken
        ]

    def _taken(self, held: Document) -> dict[_Place, str]:
        """Return which items were taken away, and by which act first."""
        taken: dict[_Place, str] = {}
        for _, said in self._pages(held, _TAKEN):
            version, at = said["place"]
            taken.setdefault((version, at), said["by"])
        return taken


def said_by(item: Any, role: str) -> str:
    """Return the words of the person or the assistant in an item, or nothing if it holds none."""
    if not isinstance(item, Mapping) or item.get("role") != role:
        return ""
    content = item.get("content")
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    said = [each.get("text") for each in parts if isinstance(each, Mapping)]
    return "\n".join(each for each in said if isinstance(each, str))


def _session(name: str) -> str:
    """Return the session that memories of the conversation belong to: its name, if it can be."""
    try:
        return checked_name("session", name)
    except BadInput:
        return f"{KIND}-{xxhash.xxh3_128_hexdigest(name.encode('utf-8', 'surrogatepass'))}"

"""What was decided and asked in the last turns of each session: kept in mind, never written."""

from __future__ import annotations

import threading
from collections import OrderedDict, deque
from collections.abc import Sequence
from datetime import datetime

# Seed C looks at recent turns; ten of them are about a screenful of talk.
_TURNS = 10
_SESSIONS = 256
# Of a prompt so much is kept in mind, and so many of one turn: as it was asked, as it was heard.
_PROMPT = 8_000
_PROMPTS = 4


class Recently:
    """The last actions of the latest sessions; it forgets the oldest session first."""

    def __init__(self) -> None:
        self._sessions: OrderedDict[tuple[str, ...], deque[str]] = OrderedDict()
        self._forgotten: OrderedDict[tuple[str, ...], tuple[str, ...]] = OrderedDict()
        self._prompts: OrderedDict[tuple[str, ...], deque[tuple[datetime, str]]] = OrderedDict()
        self._answered: set[tuple[str, ...]] = set()
        self._lock = threading.Lock()

    def note(self, session: tuple[str, ...], action: str) -> None:
        """Remember one decision."""
        with self._lock:
            held = self._sessions.setdefault(session, deque(maxlen=_TURNS))
            held.append(action)
            self._sessions.move_to_end(session)
            while len(self._sessions) > _SESSIONS:
                self._sessions.popitem(last=False)

    def note_forgotten(self, session: tuple[str, ...], ids: tuple[str, ...]) -> None:
        """Remember what the last turn of a session asked to forget; nothing forgets it again."""
        with self._lock:
            if ids:
                self._forgotten[session] = ids
            else:
                self._forgotten.pop(session, None)
            while len(self._forgotten) > _SESSIONS:
                self._forgotten.popitem(last=False)

    def forgotten(self, session: tuple[str, ...]) -> tuple[str, ...]:
        """Return what the last turn of a session asked to forget."""
        with self._lock:
            return self._forgotten.get(session, ())

    def count(self, session: tuple[str, ...], action: str) -> int:
        """Return how often this was decided lately."""
        with self._lock:
            return sum(each == action for each in self._sessions.get(session, ()))

    def ask(self, session: tuple[str, ...], prompt: str, at: datetime) -> None:
        """Remember what a person asks; the first words after a reply begin a new turn."""
        with self._lock:
            held = self._prompts.setdefault(session, deque(maxlen=_PROMPTS))
            if session in self._answered:
                self._answered.discard(session)
                held.clear()
            held.append((at, prompt[:_PROMPT]))
            self._prompts.move_to_end(session)
            while len(self._prompts) > _SESSIONS:
                gone, _ = self._prompts.popitem(last=False)
                self._answered.discard(gone)

    def asked(self, sessions: Sequence[tuple[str, ...]], since: datetime) -> list[str]:
        """Return what was asked in these sessions since then, in the turn that is answered now."""
        with self._lock:
            held = [each for key in sessions for each in self._prompts.get(key, ())]
        return [prompt for at, prompt in held if at >= since]

    def answer(self, sessions: Sequence[tuple[str, ...]]) -> None:
        """Remember that the turn of these sessions is answered."""
        with self._lock:
            self._answered.update(each for each in sessions if each in self._prompts)

    def counts(self, user: str) -> dict[str, int]:
        """Return how often each action was decided lately in the sessions of a user."""
        with self._lock:
            held = [each for key, acts in self._sessions.items() if key[0] == user for each in acts]
        return {action: held.count(action) for action in sorted(set(held))}

"""`Sessions`: the sessions that were held, each with its turns, its topic and its summary (seed E).

No model is asked: the topic is what was spoken of most, in the words it was spoken of.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import islice, repeat
from typing import Final

from saegim.errors import BadInput
from saegim.guard.guard import screen
from saegim.language import language
from saegim.language.words import Analyser
from saegim.memory.clock import new_id
from saegim.memory.memory import STRANGERS, Emotion, Origin, Scope, checked_name, checked_text
from saegim.mind import Mind
from saegim.store.rows import Where
from saegim.store.tables.session_table import Session, unknown_session

# Three words name a topic, three sentences tell of a session; of many turns the last count.
_TOPIC: Final = 3
_SUMMARY: Final = 3
_LONGEST_PART: Final = 100
_READ: Final = 50
_MAX_SUMMARY: Final = 10_000
_MOST: Final = 1000


class Sessions:
    """The sessions of one user."""

    def __init__(
        self, mind: Mind, scope: Scope, close: Callable[[str], object] | None = None
    ) -> None:
        self.mind = mind
        self._scope = scope
        # Carries over what is in mind of a session before it is over.
        self._close = close

    def start(self, id: str | None = None, *, platform: str = "chat") -> Session:
        """Begin a session, or take one up again; `unfinished` says that it was never ended."""
        now = self.mind.now()
        scope = self._of(new_id(now, "sess") if id is None else id)
        return self.mind.store.sessions.start(scope, checked_name("platform", platform), now)

    def turn(self, id: str, count: int = 1) -> int:
        """Count a turn, or several at once; return how many there are."""
        if isinstance(count, bool) or not isinstance(count, int) or not 0 <= count <= 1_000_000:
            raise BadInput("session.turns_cannot_be_counted", count=count)
        return self.mind.store.sessions.turn(self._of(id), count)

    def end(self, id: str, *, topic: str | None = None, summary: str | None = None) -> Session:
        """End a session; what it was about is read in its memories where nobody says."""
        scope = self._of(id)
        if self._close is not None:
            self._close(id)
        if topic is None or summary is None:
            said = self._said(scope)
            analyser = self.mind.store.words.analyser()
            topic = (
                topic_of(zip(said, repeat(1.0), strict=False), analyser) if topic is None else topic
            )
            summary = summary_of(said) if summary is None else summary
        return self.mind.store.sessions.end(
            scope, self.mind.now(), topic=_kept(topic, "topic"), summary=_kept(summary, "summary")
        )

    def one(self, id: str) -> Session:
        """Return a session by its name."""
        found = self.mind.store.sessions.get(self._scope, checked_name("session", id))
        if found is None:
            raise unknown_session(id)
        return found

    def ids(self) -> list[str]:
        """Return the sessions that hold living memories, the latest first (seed A)."""
        return self.mind.store.memories.sessions(self._scope)

    def recent(self, n: int = 10, *, platform: str = "") -> list[Session]:
        """Return the latest sessions first."""
        if isinstance(n, bool) or not isinstance(n, int) or not 1 <= n <= _MOST:
            raise BadInput("session.n_cannot_be", n=n, most=_MOST)
        return self.mind.store.sessions.recent(self._scope, n, platform)

    def unended(self) -> list[Session]:
        """Return the sessions of this agent and project that nobody has ended, the oldest first."""
        every = self.mind.store.sessions.unended(self._scope)
        rooms = self._scope.agent, self._scope.project
        return [each for each in every if (each.agent, each.project) == rooms]

    def forget(self, id: str) -> bool:
        """Forget that a session was held, not what was remembered in it; say if it was known."""
        return self.mind.store.sessions.drop(self._scope, checked_name("session", id))

    def _of(self, id: str) -> Scope:
        checked = checked_name("session", id)
        if screen(checked, told=False).masked:
            raise BadInput("session.name_of_session_holds_what")
        return replace(self._scope, session=checked)

    def _said(self, scope: Scope) -> list[str]:
        """Return what the memories of a session say, the latest first."""
        # What strangers said in it is not what it was about.
        known = tuple(each for each in Origin if each not in STRANGERS)
        where = Where(scope=scope, session=scope.session, everywhere=True, origins=known)
        return [
            memory.text for memory in self.mind.store.memories.page(where, limit=_READ).memories
        ]


def topic_of(texts: Iterable[tuple[str, float]], analyser: Analyser) -> str:
    """Return what texts speak of most, each with its weight: a few nouns, in their language."""
    often: Counter[str] = Counter()
    for text, weight in islice(texts, _READ):
        signs = language.features(text, emotion=Emotion(), reading=None, analyser=analyser)
        for word in signs.keywords:
            # Whole numbers only, so that what was said first comes first among equals.
            often[word] += round(weight)
    return " · ".join(word for word, _ in often.most_common(_TOPIC))


def summary_of(texts: Sequence[str]) -> str:
    """Return the first few texts, shortened, as they were said."""
    return " / ".join(map(_short, texts[:_SUMMARY]))


def _short(text: str) -> str:
    plain = " ".join(text.split())
    if len(plain) <= _LONGEST_PART:
        return plain
    cut = plain.rfind(" ", 0, _LONGEST_PART)
    return plain[: cut if cut > _LONGEST_PART // 2 else _LONGEST_PART - 1].rstrip(" ,;:-") + "…"


def _kept(text: str, what: str) -> str:
    """Return a text about a session as it may be written down."""
    return screen(checked_text(text, what, _MAX_SUMMARY)).text if text else ""

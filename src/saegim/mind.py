"""`Mind`: the parts a verb may use. Flows take the Mind; leaves take only what they use."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo

from saegim.engines.brain.heads import Heads
from saegim.engines.brain.turns import TurnReading
from saegim.engines.embedder import Embedder
from saegim.engines.llm.llm import Answer, LanguageModel, Request
from saegim.errors import EngineError, Refused
from saegim.learn.recently import Recently
from saegim.learn.reranker import Reranker
from saegim.memory.clock import Clock, new_id
from saegim.memory.emotion import SentenceReading
from saegim.memory.memory import Memory
from saegim.memory.scope import Scope
from saegim.memory.tiers import FINDABLE
from saegim.settings import Settings
from saegim.store.desk.traces import Traces
from saegim.store.sqlite import Sqlite


@dataclass(frozen=True, slots=True)
class Mind:
    """Store, engines, clock and settings: at most ten fields, so that it stays a mind."""

    store: Sqlite
    embedder: Embedder
    clock: Clock
    settings: Settings
    # None while the person has turned no model on: nothing is asked, and everything works.
    model: LanguageModel | None = None
    # None where the model file cannot be read: then the word lists read feelings alone.
    heads: Heads | None = None
    recently: Recently = field(default_factory=Recently)
    # None until one has been trained that beats the rule: then the order is the score's own.
    reranker: Reranker | None = None
    # None where nothing may be written, or the person wants no traces.
    traces: Traces | None = None

    def now(self) -> datetime:
        """Return the present instant."""
        return self.clock.now()

    def here(self, at: datetime) -> datetime:
        """Return an instant on the person's own clock, where yesterday begins at midnight."""
        return at.astimezone(self.zone)

    @property
    def zone(self) -> tzinfo | None:
        """The zone of the person's own clock; none where it is that of this machine."""
        return ZoneInfo(self.settings.timezone) if self.settings.timezone else None

    def end_of(self, day: date) -> datetime:
        """Return the end of a day on the person's own clock; of an instant, of the day it is in."""
        if isinstance(day, datetime) and day.tzinfo is not None:
            day = self.here(day)
        end = datetime(day.year, day.month, day.day) + timedelta(days=1)
        zone = self.settings.timezone
        return end.replace(tzinfo=ZoneInfo(zone)) if zone else end.astimezone()

    def new_id(self, prefix: str = "mem") -> str:
        """Return the id of a memory, or of a night, that begins now."""
        return new_id(self.now(), prefix)

    def shown(self, scope: Scope, ids: Sequence[str], said: Sequence[tuple[int, ...]] = ()) -> str:
        """Note what an answer shows, to be written behind it; return the trace.

        `said` names the words of the first that the question said itself, by their places.
        """
        return self.traces.note(scope, ids, self.now(), said) if self.traces else ""

    def opened(self, scope: Scope, memory: Memory) -> Memory:
        """Note that someone opened a memory that lives, to be counted behind the answer."""
        if self.traces and memory.life.state in FINDABLE:
            at = self.now()
            self.traces.note_opened(scope, memory.id, at, day=f"{self.here(at):%Y-%m-%d}")
        return memory

    def surprise(self, word: str) -> float:
        """Return how unlikely a word is, in nats; nought if the model file cannot be used."""
        try:
            return self.heads.surprise(word) if self.heads else 0.0
        except EngineError:
            return 0.0

    def read(self, text: str) -> SentenceReading | None:
        """Return what the heads read in a text, or nothing if they cannot be used."""
        try:
            return self.heads.read(text) if self.heads else None
        except EngineError:
            return None

    def read_turn(self, text: str, *, assistant: bool = False) -> TurnReading | None:
        """Return what a turn holds, or nothing if the reader's file cannot be used."""
        try:
            return self.heads.turns.read(text, assistant=assistant) if self.heads else None
        except EngineError:
            return None

    def ask(self, purpose: str, request: Request) -> Answer:
        """Ask the language model once, counted before it is asked and under the day's cap.

        Never inside a transaction: the answer may take minutes.
        """
        if self.model is None:
            raise Refused("engine.no_language_model_is_turned")
        name, at = f"{self.model.provider}:{self.model.model}", self.now()
        if not self.store.spending.reserve(at, purpose, name, self.settings.model_daily_calls):
            raise Refused("engine.model_calls_of_day", most=self.settings.model_daily_calls)
        tokens, failed = (0, 0), True
        try:
            answer = self.model.ask(request)
            tokens, failed = (answer.tokens_in, answer.tokens_out), False
            return answer
        finally:
            self.store.spending.note(at, purpose, name, tokens=tokens, failed=failed)

    def close(self) -> None:
        """Write what was shown, and let go of the model and the store."""
        if self.traces is not None:
            self.traces.close()
        if self.model is not None:
            self.model.close()
        self.store.close()

"""`Mind`: the parts a verb may use, and how they are opened.

Flows take the Mind; leaves take only what they use. What opens is what settings name: the store,
never a silently empty one, the embedder, the model.
"""

from __future__ import annotations

import contextlib
import threading
import unicodedata
from collections import Counter, OrderedDict, deque
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta, tzinfo
from functools import lru_cache, partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeVar, cast
from zoneinfo import ZoneInfo

import numpy as np
from numpy.typing import NDArray

from saegim.engines.brain.heads import Heads
from saegim.engines.brain.model import Static
from saegim.engines.embedder import Embedder, Vector
from saegim.errors import (
    BadInput,
    EngineError,
    MissingExtra,
    QuotaReached,
    Refused,
    SettingsError,
    StoreCorrupt,
    StoreError,
    StoreMissing,
)
from saegim.language import language
from saegim.language.words import Analyser, Basic
from saegim.learn.parts import LearnedCache
from saegim.memory.clock import Clock, new_id
from saegim.memory.memory import FINDABLE, Memory, Scope, SentenceReading
from saegim.messages import Message
from saegim.settings import BACKUPS, STORE, Settings
from saegim.store.databases.server_clock import clock_of
from saegim.store.recall_traces import SaidPlaces, TraceWriter
from saegim.store.store import Store
from saegim.store.tables.entity_table import PageTable
from saegim.store.transfer import counted, is_arriving, move

if TYPE_CHECKING:
    from saegim.engines.brain.asked_reader import AskedReader, FoodReader
    from saegim.engines.brain.claim_reader import ClaimReader, Understood
    from saegim.engines.brain.feedback_reader import FeedbackReader, FeedbackReading
    from saegim.engines.brain.turn_reader import TurnReading
    from saegim.engines.llm.models import Answer, LanguageModel, Request

BUILT_IN: dict[str, dict[str, str]] = {
    "saegim.embedders": {
        "encoder": "saegim.engines.brain.encoder:Contextual",
        "static": "saegim.engines.brain.model:Static",
        "hashed": "saegim.engines.hashed:Hashed",
        "bag": "saegim.engines.hashed:Bag",
        "ollama": "saegim.engines.remote:OllamaEmbedder",
        "openai": "saegim.engines.remote:OpenAIEmbedder",
    },
    "saegim.analysers": {
        "basic": "saegim.language.words:Basic",
        "kiwi": "saegim.language.kiwi:Kiwi",
    },
    # Where a store may be but in a file, by how its address begins.
    "saegim.stores": {
        "postgresql": "saegim.store.databases.postgres:PostgresDatabase",
        "postgres": "saegim.store.databases.postgres:PostgresDatabase",
    },
    "saegim.models": {
        "ollama": "saegim.engines.llm.models:OllamaModel",
        "openai": "saegim.engines.llm.models:OpenAIModel",
        "anthropic": "saegim.engines.llm.models:Anthropic",
        "scripted": "saegim.engines.llm.models:Scripted",
    },
}


def find(group: str, name: str) -> Any:
    """Return the class of that name, loading nothing else."""
    if (path := BUILT_IN[group].get(name)) is not None:
        module, _, attribute = path.partition(":")
        return getattr(import_module(module), attribute)
    # Loads the reader of a mail's head: only who names what is not built in waits for that.
    for point in import_module("importlib.metadata").entry_points(group=group, name=name):
        return point.load()
    raise SettingsError(
        "settings.no_such_part",
        part=group.rpartition(".")[2][:-1],
        name=name,
        known=", ".join(BUILT_IN[group]),
    )


# -- `Mind`: the parts a verb may use, and how they are opened

# Seed C looks at recent turns; ten of them are about a screenful of talk.
_TURNS = 10
_SESSIONS = 256
Decided = tuple[datetime, str, tuple[str, ...]]  # when, what, and the codes of its reasons
# Of a prompt so much is kept in mind, and so many of one turn: as it was asked, as it was heard.
_PROMPT = 8_000
_PROMPTS = 4
# What was said last is read along with what is said next: so much of it, and not for long.
_SAID = 300
_STILL_SAID = timedelta(minutes=10)


@dataclass(frozen=True, slots=True)
class LastReply:
    """What the last reply of a session leaned on: its trace, the first shown, what came back."""

    trace: str
    ids: tuple[str, ...]
    used: tuple[str, ...]
    at: datetime
    # What it answered, in this process alone; whether talk went on after it, or it was judged.
    asked: tuple[str, ...] = ()
    taken_up: bool = False
    judged: bool = False


class Recently:
    """The last actions of the latest sessions; it forgets the oldest session first."""

    def __init__(self) -> None:
        self._sessions: OrderedDict[tuple[str, ...], deque[Decided]] = OrderedDict()
        self._forgotten: OrderedDict[tuple[str, ...], tuple[str, ...]] = OrderedDict()
        self._prompts: OrderedDict[tuple[str, ...], deque[tuple[datetime, str]]] = OrderedDict()
        self._answered: set[tuple[str, ...]] = set()
        self._replies: OrderedDict[tuple[str, ...], LastReply] = OrderedDict()
        self._said: OrderedDict[tuple[str, ...], tuple[datetime, str]] = OrderedDict()
        self._lock = threading.Lock()

    def note(self, session: tuple[str, ...], decided: Decided) -> None:
        """Remember one decision."""
        with self._lock:
            held = self._sessions.setdefault(session, deque(maxlen=_TURNS))
            held.append(decided)
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
            return sum(each[1] == action for each in self._sessions.get(session, ()))

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

    def note_reply(self, sessions: Sequence[tuple[str, ...]], reply: LastReply) -> None:
        """Remember what the last reply of a session leaned on."""
        with self._lock:
            self._replies[sessions[0]] = reply
            self._replies.move_to_end(sessions[0])
            while len(self._replies) > _SESSIONS:
                self._replies.popitem(last=False)

    def last_reply(self, sessions: Sequence[tuple[str, ...]]) -> LastReply | None:
        """Return what the last reply of a session leaned on, if this process heard it."""
        with self._lock:
            return self._replies.get(sessions[0])

    def note_said(self, session: tuple[str, ...], text: str, at: datetime) -> None:
        """Remember the end of what was said last in a session, its secrets masked."""
        with self._lock:
            self._said[session] = at, text[-_SAID:]
            self._said.move_to_end(session)
            while len(self._said) > _SESSIONS:
                self._said.popitem(last=False)

    def said(self, session: tuple[str, ...], now: datetime) -> str:
        """Return the end of what was said a moment ago in a session."""
        with self._lock:
            at, text = self._said.get(session, (now, ""))
        return text if abs(now - at) <= _STILL_SAID else ""

    def decisions(self, user: str) -> list[Decided]:
        """Return what was decided lately in the sessions of a user, and why, the last first."""
        with self._lock:
            held = [each for key, acts in self._sessions.items() if key[0] == user for each in acts]
        return sorted(held, reverse=True)

    def counts(self, user: str) -> dict[str, int]:
        """Return how often each action was decided lately in the sessions of a user."""
        return dict(sorted(Counter(each[1] for each in self.decisions(user)).items()))


# Where nights write what was learned.
POLICY_PAGE: Final = "weights:policy"
RERANKER_PAGE: Final = "weights:reranker"

# -- What a learned reranker looks at, and what it must be able to say

# Seed C, layer 2: the eleven features, in the seed's order and by its names.
FEATURES: Final = (
    "chroma_similarity",
    "keyword_overlap",
    "category_match",
    "recency",
    "access_frequency",
    "content_length_ratio",
    "has_related",
    "resolution_available",
    "graph_connection_count",
    "graph_hop_distance",
    "has_negative_relation",
)

Rows = NDArray[np.float32]


class Reranker(Protocol):
    """Says how well each memory answers, from its eleven features."""

    # An untrained one is noise: nobody asks it.
    trained: bool

    def scores(self, features: Rows) -> NDArray[np.float32]:
        """Return one number for each row of features; more is better."""
        ...


# -- `Mind`: the parts a verb may use, and how they are opened


@dataclass(frozen=True, slots=True)
class Mind:
    """Store, engines, clock and settings: at most ten fields, so that it stays a mind."""

    store: Store
    embedder: Embedder
    clock: Clock
    settings: Settings
    # None while the person has turned no model on: nothing is asked, and everything works.
    model: LanguageModel | None = None
    # None where the model file cannot be read: then the word lists read feelings alone.
    heads: Heads | None = None
    recently: Recently = field(default_factory=Recently)
    # One that is given from outside; what was learned here is asked for by `reranker_for`.
    reranker: Reranker | None = None
    # None where nothing may be written, or the person wants no traces.
    traces: TraceWriter | None = None
    # What was learned from each person, as far as this process has asked for it.
    learned: LearnedCache = field(default_factory=LearnedCache)

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

    def shown(
        self, scope: Scope, ids: Sequence[str], said: Callable[[], SaidPlaces] = tuple
    ) -> str:
        """Note what an answer shows, to be written behind it; return the trace.

        `said` finds the words of the first that the question said itself, by their places.
        """
        return self.traces.note(scope, ids, self.now(), said) if self.traces else ""

    def opened(self, scope: Scope, memory: Memory) -> Memory:
        """Note that someone opened a memory that lives, to be counted behind the answer."""
        if self.traces and memory.life.state in FINDABLE:
            at = self.now()
            self.traces.note_opened(scope, memory.id, at, day=f"{self.here(at):%Y-%m-%d}")
        return memory

    def may_rerank(self, owner: str, pages: PageTable) -> bool:
        """Say whether a learned order may be in charge; before a night has compared, none is."""
        wanted = self.settings.reranker
        if wanted == "fused" or not self.settings.experience_rows:
            return False
        return wanted == "learned" or pages.newest(owner, RERANKER_PAGE) > 0

    @property
    def patience(self) -> float:
        """How many seconds a question waits for meaning."""
        loading = self.settings.loading_patience if self.embedder.local else 0.0
        return max(self.settings.semantic_patience, loading)

    def previous_embedder(self) -> Embedder | None:
        """Return the embedder whose vectors answer while those of a new one are being made."""
        own = self.embedder.identity.key
        before = (_of_identity(key) for key in self.store.vectors.spaces() if key != own)
        return next((each for each in before if each is not None), None)

    @property
    def claim_reader(self) -> ClaimReader | None:
        """The reader of claims; none where its file cannot be used: then nobody is portrayed."""
        return _claim_reader()

    def surprise(self, word: str) -> float:
        """Return how unlikely a word is, in nats; nought if the model file cannot be used."""
        return _unless_damaged(lambda: self.heads.surprise(word) if self.heads else 0.0) or 0.0

    def alike(self, one: str, other: str) -> float | None:
        """Return how near two values lie in meaning; None where only their sound is known."""
        known = None if self.embedder.lexical else self.heads
        return _unless_damaged(lambda: known.alike(one, other) if known else None)

    def read(self, text: str) -> SentenceReading | None:
        """Return what the heads read in a text, or nothing if they cannot be used."""
        return _unless_damaged(lambda: self.heads.read(text) if self.heads else None)

    def names_in(self, text: str) -> list[tuple[str, str]] | None:
        """Return who and what a reader finds named, with the type; None where there is none."""
        if (found := self.claims_in(text)) is None:
            return None
        text = unicodedata.normalize("NFC", text)
        return [(text[slice(*each.place)], each.type) for each in found.names]

    def wishes(self, text: str) -> bool:
        """Return whether a short text tells how its speaker wants to be answered."""
        found = self.claims_in(text) if len(text) <= _SHORT_WISH else None
        return found is not None and found.wishes

    def claims_in(self, text: str) -> Understood | None:
        """Return what the reader of claims finds in a text; None where it cannot be used."""
        reader, text = self.claim_reader, unicodedata.normalize("NFC", text)
        return _unless_damaged(lambda: _claims_in(reader, text) if reader else None)

    def read_feedback(self, text: str) -> FeedbackReading | None:
        """Return whether a turn praises or blames an answer; nothing without its reader."""
        reader = _feedback_reader()
        return _unless_damaged(lambda: reader.read(text) if reader else None)

    def asks_memory(self, text: str) -> bool:
        """Return whether a text asks for what was said before; never, with another embedder."""
        return self._asked(text, "asks") is True

    def asks_nothing(self, text: str) -> bool | None:
        """Return whether neither that is asked nor what to eat; None with another embedder."""
        return self._asked(text, "asks_nothing") and self.eating_limits(text) is None

    def _asked(self, text: str, what: str) -> bool | None:
        reader: AskedReader | None = _reader_on(cast(Hashable, self.embedder), "AskedReader")
        return _unless_damaged(lambda: bool(getattr(reader, what)(text)) if reader else None)

    def eating_limits(self, text: str) -> tuple[Vector, float] | None:
        """Return what to search what one may not eat with, where a request is about food."""
        known = cast(Hashable, self.embedder)
        food: FoodReader | None = _reader_on(known, "FoodReader")
        asked: AskedReader | None = _reader_on(known, "AskedReader")
        wanted = _unless_damaged(lambda: food and asked and food.is_wanted(text, asked))
        return food.limits if food and wanted else None

    def read_turn(
        self, text: str, *, assistant: bool = False, whole: bool = True
    ) -> TurnReading | None:
        """Return what a turn holds, or nothing if the reader's file cannot be used.

        Without `whole` only the quick reader is asked: it sees the words and little of the rest.
        """
        if self.heads is None:
            return None
        text = language.nearer_days(text)
        try:
            said = self.heads.turns.read(text, assistant=assistant)
        except EngineError:
            return None
        found = None if assistant or not whole else self.claims_in(text)
        if found is None:
            return said
        made = self.heads.turns.beside(said, found.turn)
        return replace(made, project=0.0) if found.introduces else made

    def ask(self, purpose: str, request: Request, *, owner: str = "") -> Answer:
        """Ask the language model once, counted before it is asked and under the day's cap.

        Who shares a store may have a limit of their own: `owner` says for whom it is asked.
        Never inside a transaction: the answer may take minutes.
        """
        if self.model is None:
            raise Refused("engine.no_language_model_is_turned")
        name, at = f"{self.model.provider}:{self.model.model}", self.now()
        most = self.store.people.reserve_model_call(owner, at) if owner else None
        if most is not None:
            raise QuotaReached("people.model_calls_of_day", most=most, retry_after=_left_of_day(at))
        cap = self.settings.model_daily_calls
        if not self.store.usage.reserve(at, purpose, name, cap, owner=owner):
            raise Refused("engine.model_calls_of_day", most=cap)
        tokens, failed = (0, 0), True
        try:
            answer = self.model.ask(request)
            tokens, failed = (answer.tokens_in, answer.tokens_out), False
            return answer
        finally:
            self.store.usage.note(at, purpose, name, tokens=tokens, failed=failed, owner=owner)

    def close(self) -> None:
        """Write what was shown, and let go of the model and the store."""
        if self.traces is not None:
            self.traces.close()
        if self.model is not None:
            self.model.close()
        # Closed already, or damaged, which whoever used it was told: let go of it all the same.
        with contextlib.suppress(StoreError):
            note_known(self.store, self.settings)
        self.store.close()


def _left_of_day(at: datetime) -> float:
    return 86_400 - (at.hour * 3600 + at.minute * 60 + at.second)


# -- opening -------------------------------------------------------------------------------------

# Where each kind of model server is when nobody says; an OpenAI-compatible one has no such place.
MODEL_URLS: Final = {
    "ollama": "http://127.0.0.1:11434",
    "openai": "",
    "anthropic": "https://api.anthropic.com",
}


def open_store(file: Path, settings: Settings, clock: Clock) -> Store:
    """Open the store in this file; make it only where none has been before."""
    if settings.store:
        return _open_on_server(file, settings, clock)
    if file.is_dir():
        raise BadInput("settings.folder_store_is_file", file=file, inside=file / STORE)
    mark = file.with_name(f".{file.name}.known")
    # Asked twice: another process may be making it between the two looks.
    if not file.exists() and not file.is_symlink() and mark.exists() and not file.exists():
        raise StoreMissing(
            "store.gone", file=file, candidates=_candidates(file, settings), mark=mark
        )
    if not file.parent.exists():
        file.parent.mkdir(parents=True, mode=0o700, exist_ok=True)
    is_new = not file.exists()
    if is_new:
        # Of a small store that somebody deleted: a new one begins a ledger of its own.
        file.with_name(f".{file.name}.head").unlink(missing_ok=True)
    store = Store(
        file,
        analysers=open_analysers(settings),
        busy_seconds=settings.busy_seconds,
        synchronous="FULL" if settings.durability == "durable" else "NORMAL",
        backups=file.parent / BACKUPS,
        now=clock.now,
        resident=settings.resident_memories,
    )
    if is_new and not store.readonly:
        with contextlib.suppress(OSError):
            file.chmod(0o600)
    note_known(store, settings)
    return store


def _open_on_server(file: Path, settings: Settings, clock: Clock) -> Store:
    """Open the store on the server that the settings name; what is local lies beside the file."""
    kind, separator, _ = settings.store.partition("://")
    if not separator:
        known = " ".join(f"{each}://" for each in BUILT_IN["saegim.stores"])
        raise SettingsError("settings.store_is_no_server", known=known)
    try:
        server = find("saegim.stores", kind)
    except ImportError as error:
        raise MissingExtra("settings.postgres_is_missing") from error
    if not file.parent.exists():
        file.parent.mkdir(parents=True, mode=0o700, exist_ok=True)
    opened = server(
        settings.store,
        server.beside(settings.store, file.parent),
        busy_seconds=settings.busy_seconds,
        durable=settings.durability == "durable",
        most=settings.store_connections,
        prepare=settings.store_prepared,
    )
    return Store(
        file,
        analysers=open_analysers(settings),
        now=clock.now,
        resident=settings.resident_memories,
        server=opened,
    )


@dataclass(frozen=True, slots=True)
class MovedStore:
    """What was carried to where: memories, rows by table, and each owner's last line."""

    place: str
    memories: int
    rows: Mapping[str, int]
    heads: Mapping[str, str]
    done: bool


def move_store(mind: Mind, to: str, *, dry_run: bool) -> MovedStore:
    """Carry a whole store into an empty database on a server, or into a new file.

    One that was interrupted goes on.
    """
    if dry_run:
        rows = counted(mind.store.database)
        return MovedStore(server_or_file(to), rows["memory"], rows, {}, False)
    here = Path(to).expanduser().absolute() if "://" not in to else mind.store.path
    if "://" not in to and here.exists() and not is_arriving(here, mind.store.place):
        raise BadInput("store.file_is_there", path=here)
    settings = replace(mind.settings, store=to if "://" in to else "")
    target = open_store(here, settings, mind.clock)
    try:
        if mind.traces is not None:
            mind.traces.flush()
        carried = move(mind.store.database, target.database)
        heads = {owner: last[1] for owner, last in carried.heads.items()}
        return MovedStore(target.place, carried.rows["memory"], carried.rows, heads, True)
    finally:
        target.close()


def server_or_file(to: str) -> str:
    """Return what to call a place to move to: a server without its password."""
    return str(Settings(store=to).shown()["store"]) if "://" in to else to


# A script's own store of so few memories may be deleted to begin again; more would be missed.
_HANDFUL: Final = 20


def note_known(store: Store, settings: Settings) -> None:
    """Write down that a store lives here, so that it is missed and not made anew, should it go.

    That is the store of this machine, one with more than a handful of memories, and one that
    somebody backed up.
    """
    file = store.path
    mark = file.with_name(f".{file.name}.known")
    if store.database.is_server or store.readonly or mark.exists() or not file.exists():
        return
    if file.name != STORE and not any(
        any(folder.glob("saegim-*.db")) for folder in settings.backup_folders(file.parent)
    ):
        held = store.memories.count_up_to(Scope(user=settings.user), _HANDFUL + 1)
        if held <= _HANDFUL:
            return
    with contextlib.suppress(OSError):
        mark.write_text("A Saegim store lives beside this file.\n", encoding="utf-8")


def _candidates(file: Path, settings: Settings) -> Message:
    """Name what may be the missing store: backups, and files like it nearby."""
    folders = settings.backup_folders(file.parent)
    made = (each for folder in folders for each in folder.glob("saegim-*.db"))
    found = sorted(made, key=lambda each: each.name)[-3:]
    found += [each for each in sorted(file.parent.glob("*.db*")) if each.suffix == ".db"][:3]
    if not found:
        return Message("store.no_candidates")
    return Message("store.candidates", files=", ".join(map(str, found)))


def open_analysers(settings: Settings) -> list[Analyser]:
    """Return the built-in analyser and, if asked for, Kiwi, which loads in the background."""
    if settings.words == "basic":
        return [Basic()]
    try:
        kiwi = find("saegim.analysers", settings.words)()
    except MissingExtra:
        # The built-in analyser answers the same questions; status says that Kiwi is absent.
        return [Basic()]
    kiwi.warm()
    return [Basic(), kiwi]


def open_embedder(settings: Settings) -> Embedder:
    """Return the embedder the settings name, such as `encoder`, `static:128` or `ollama:MODEL`."""
    name, _, model = settings.embedder.partition(":")
    kind = find("saegim.embedders", name)
    if name in ("encoder", "static") and model:
        try:
            prefix: Embedder = kind(int(model))
        except ValueError as error:
            raise SettingsError("settings.no_embedder", embedder=settings.embedder) from error
        return prefix
    if name not in ("ollama", "openai"):
        made: Embedder = kind()
        return made
    if not model:
        raise SettingsError("settings.embedder_needs_model", name=name)
    default = "http://127.0.0.1:11434" if name == "ollama" else ""
    url = settings.embedder_url or default
    if not url:
        raise SettingsError("settings.embedder_openai_needs_address")
    options = {"key": settings.embedder_key} if name == "openai" else {}
    remote: Embedder = kind(url=url, model=model, **options)
    return remote


def open_model(settings: Settings) -> LanguageModel | None:
    """Return the language model the settings name, such as `ollama:qwen3:4b`; None is the default.

    Only Saegim's own settings count: an API key that lies in the environment turns nothing on.
    """
    name, _, model = settings.model.strip().partition(":")
    if not name:
        return None
    kind = find("saegim.models", name)
    if name not in MODEL_URLS:
        made: LanguageModel = kind(model=model) if model else kind()
        return made
    if not model:
        raise SettingsError("settings.language_model_needs_name", name=name)
    url = settings.model_url or MODEL_URLS[name]
    if not url:
        raise SettingsError("settings.language_model_openai_needs_address")
    if url == MODEL_URLS["anthropic"] and not settings.model_key:
        raise SettingsError("settings.language_model_anthropic_needs_key")
    remote: LanguageModel = kind(
        url=url, model=model, key=settings.model_key, seconds=settings.model_timeout
    )
    return remote


@lru_cache(maxsize=1)
def _claim_reader() -> ClaimReader | None:
    """Return the reader of claims that ships; its numbers are loaded with the first turn."""
    try:
        made: ClaimReader = import_module("saegim.engines.brain.claim_reader").ClaimReader()
        return made
    except EngineError:
        return None


_Found = TypeVar("_Found")


def _unless_damaged(read: Callable[[], _Found | None]) -> _Found | None:
    """Return what a reader finds; nothing where its file cannot be used."""
    try:
        return read()
    except EngineError:
        return None


# How somebody wants to be answered is told in a sentence or two.
_SHORT_WISH: Final = 300


@lru_cache(maxsize=8)
def _claims_in(reader: ClaimReader, text: str) -> Understood:
    """Read a turn once, whoever asks: what is worth keeping, who is named, what is wished."""
    return reader.read(text)


@lru_cache(maxsize=1)
def _feedback_reader() -> FeedbackReader | None:
    """Return the reader of praise and blame that ships."""
    try:
        encoder = import_module("saegim.engines.brain.encoder").Contextual()
        module = import_module("saegim.engines.brain.feedback_reader")
        made: FeedbackReader = module.FeedbackReader(encoder)
        return made
    except EngineError:
        return None


@lru_cache(maxsize=8)
def _reader_on(embedder: Hashable, name: str) -> Any:
    """Return a reader of questions that ships, if it was taught on this embedder."""
    try:
        return getattr(import_module("saegim.engines.brain.asked_reader"), name)(embedder)
    except EngineError:
        return None


@lru_cache(maxsize=8)
def _of_identity(key: str) -> Embedder | None:
    """Return the built-in embedder whose vectors have this identity."""
    for name in "encoder encoder:192 static static:128 static:64 hashed bag".split():
        # One whose file is damaged cannot answer; that must not keep the others from it.
        with contextlib.suppress(EngineError):
            built = open_embedder(Settings(embedder=name))
            if built.identity.key == key:
                return built
    return None


def open_heads(embedder: Embedder) -> Heads | None:
    """Return the heads that read feelings, on the embedder's own model if it is the same one."""
    static = embedder if type(embedder) is Static else Static()
    try:
        return Heads(static)
    except EngineError:
        # Without them the word lists read feelings; doctor says what is wrong with the file.
        return None


def open_mind(
    file: Path,
    settings: Settings,
    clock: Clock,
    embedder: Embedder | None = None,
    model: LanguageModel | None = None,
) -> Mind:
    """Put the parts together: those that were given, and the others as the settings name them."""
    embeds = embedder or open_embedder(settings)
    store = open_store(file, settings, clock)
    clock = clock_of(store.database, clock)
    asks = model or open_model(settings)
    traces = _open_traces(store, settings)
    mind = Mind(store, embeds, clock, settings, asks, open_heads(embeds), traces=traces)
    _keep_indexed(mind)
    return mind


def over(store: Store, mind: Mind) -> Mind:
    """Return the same mind over another store of the installation.

    People, their tokens, what models cost and what the users of an agent share stay where they are.
    """
    home = mind.store
    store.people, store.tokens, store.visits = home.people, home.tokens, home.visits
    store.usage, store.common = home.usage, home
    traces = _open_traces(store, mind.settings)
    made = replace(mind, store=store, traces=traces, learned=LearnedCache())
    _keep_indexed(made)
    return made


def _open_traces(store: Store, settings: Settings) -> TraceWriter | None:
    if not settings.traces or store.readonly:
        return None
    learns = partial(store.experience.write, most=settings.experience_rows)
    return TraceWriter(store.commit, learns=learns if settings.experience_rows else None)


def _keep_indexed(mind: Mind) -> None:
    """Make missing vectors behind the verbs.

    A remote embedder is not even asked its name before something needs a vector; and a damaged
    store opens too, so that what can be read of it can be saved.
    """
    with contextlib.suppress(StoreCorrupt):
        if mind.embedder.local and mind.store.vectors.waiting(mind.embedder.identity):
            mind.store.keep_indexed(mind.embedder, mind.now)

"""`Embedder`: text becomes vectors, and every vector knows where it came from."""

from __future__ import annotations

import hashlib
import re
import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Final, Literal, Protocol
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from saegim.engines.tokens import REFERENCE, WORDPIECE, Rates
from saegim.errors import SaegimError, Unavailable

Dense = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Sparse:
    """A sparse vector: strictly rising indices (uint32) and their values (float32)."""

    indices: npt.NDArray[np.uint32]
    values: npt.NDArray[np.float32]
    dimension: int

    def pairs(self) -> list[list[float]]:
        """Return `[[i, v], …]`, the form in which snapshots carry sparse vectors."""
        return [[int(i), float(v)] for i, v in zip(self.indices.tolist(), self.values, strict=True)]


Vector = Dense | Sparse


def cosine(a: Vector, b: Vector) -> float:
    """Return the cosine of two vectors of unit length."""
    if isinstance(a, Sparse) and isinstance(b, Sparse):
        _, in_a, in_b = np.intersect1d(
            a.indices, b.indices, assume_unique=True, return_indices=True
        )
        return float(a.values[in_a] @ b.values[in_b])
    if isinstance(a, Sparse) or isinstance(b, Sparse):
        raise TypeError("a dense and a sparse vector have no common space")
    return float(a @ b)


def unit(vector: Dense) -> Dense:
    """Scale a dense vector to length one; refuse what has no direction."""
    length = float(np.linalg.norm(vector))
    if not np.isfinite(length) or length == 0.0:
        raise ValueError("a vector of length zero, NaN or infinity has no direction")
    return (vector / length).astype(np.float32)


# -- `Embedder`: text becomes vectors, and every vector knows where it came from

Role = Literal["query", "document"]


@dataclass(frozen=True, slots=True)
class Identity:
    """What must be equal before two vectors may be compared."""

    provider: str
    model: str
    digest: str
    dimension: int
    policy: str

    @property
    def key(self) -> str:
        """Name this identity in a few characters, the same in every process."""
        parts = (self.provider, self.model, self.digest, str(self.dimension), self.policy)
        return hashlib.sha256("\x1f".join(parts).encode()).hexdigest()[:16]


class Embedder(Protocol):
    """Turns text into vectors of unit length.

    `local` embedders are quick and never leave the process, so a memory is written together with
    its vector; the others are asked afterwards, outside any transaction.
    `at_once` characters are read while somebody waits; the vector of a longer text follows.
    `lexical` embedders compare spelling: what shares no word with the question is far from it, so
    where words have found enough, no neighbour needs to be looked for.
    `floor` is the cosine below which two texts are, for this embedder, strangers, and `ask` the one
    that means "this answers the question"; both differ much between embedders.
    """

    local: bool
    at_once: int
    lexical: bool
    floor: float
    ask: float

    @property
    def identity(self) -> Identity:
        """Say which space the vectors live in; the dimension is measured, never configured."""
        ...

    def embed(self, texts: Sequence[str], role: Role) -> list[Vector]:
        """Return one unit vector per text, in order, or raise an EngineError."""
        ...


# -- What each family of embedding models wants written before a question and before a document

_ANSWERS: Final = "Given a web search query, retrieve relevant passages that answer the query"
_REPRESENT: Final = "Represent this sentence for searching relevant passages: "


@dataclass(frozen=True, slots=True)
class Family:
    """Models that read alike: their prefixes, how much they read, how dearly they count."""

    name: str
    pattern: str
    query: str = ""
    document: str = ""
    limit: int = 512
    rates: Rates = REFERENCE

    def prefix(self, role: Role) -> str:
        """Return what is written before a text of this role."""
        return self.query if role == "query" else self.document

    @property
    def english_only(self) -> bool:
        """Say whether it was taught English alone: those are the ones that cut by word pieces."""
        return self.rates is WORDPIECE

    @property
    def policy(self) -> str:
        """Say in one line what happens to a text before, and to a vector after, the model."""
        return f"{self.name};query={self.query!r};document={self.document!r};parts=mean;l2"


PLAIN: Final = Family("plain", "")

# Looked through in order; the first whose pattern is found in the lower-case model name is taken.
# Limits are those of the common servers: where a model could read more, longer texts are averaged.
FAMILIES: Final = (
    Family("nomic-2", r"nomic-embed-text-?v2", "search_query: ", "search_document: ", 512),
    Family("nomic", r"nomic-embed", "search_query: ", "search_document: ", 2048, WORDPIECE),
    Family("e5-instruct", r"\be5\b.*instruct", f"Instruct: {_ANSWERS}\nQuery: ", "", 512),
    Family("e5-multilingual", r"multilingual-e5\b", "query: ", "passage: ", 512),
    Family("e5", r"\be5\b", "query: ", "passage: ", 512, WORDPIECE),
    Family("qwen3", r"qwen3-embed", f"Instruct: {_ANSWERS}\nQuery:", "", 4096),
    Family("gte-qwen", r"gte-qwen", f"Instruct: {_ANSWERS}\nQuery: ", "", 4096),
    Family(
        "embeddinggemma",
        r"embeddinggemma",
        "task: search result | query: ",
        "title: none | text: ",
        2048,
    ),
    Family("mxbai", r"mxbai-embed", _REPRESENT, "", 512, WORDPIECE),
    Family("arctic-2", r"arctic-(embed2|embed-\w+-v2|ko)", "query: ", "", 4096),
    Family("arctic", r"arctic-embed", _REPRESENT, "", 512, WORDPIECE),
    Family("bge-m3", r"bge-m3|\bkure\b", "", "", 4096),
    Family("bge-en", r"\bbge-(small|base|large)-en", _REPRESENT, "", 512, WORDPIECE),
    Family("minilm", r"all-minilm|all-mpnet", "", "", 256, WORDPIECE),
    Family("paraphrase", r"paraphrase-multilingual", "", "", 128),
    Family("openai", r"text-embedding-(3|ada)", "", "", 8000),
    Family("gte-multilingual", r"gte-multilingual", "", "", 4096),
    Family("granite", r"granite-embedding", "", "", 512),
)


def family_of(model: str) -> Family:
    """Return the family of a model by its name; a stranger gets no prefix and a small limit."""
    name = model.lower().replace("_", "-")
    return next((family for family in FAMILIES if re.search(family.pattern, name)), PLAIN)


# -- Asking an embedder without waiting for it: late is as good as never

WARMING: Final = "semantic: warming"
# A question that came back late is often asked again; older ones are not.
_KEPT_ANSWERS: Final = 8
# Whatever an embedder fails with belongs to the one who asked, not to the thread.
_TROUBLES: Final = (
    SaegimError,
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    MemoryError,
    OSError,
    RuntimeError,
    TypeError,
    ValueError,
)

Answer = tuple[Vector, Identity]


def embed_by_deadline(embedder: Embedder, text: str, seconds: float) -> Answer:
    """Return the vector of a question and the space it lies in, or raise within so many seconds.

    A local embedder that has answered before is loaded, and is asked directly.
    """
    return _patience_with(embedder).ask(embedder, text, min(seconds, _HURRY.get()))


# Whoever asks for somebody in a hurry has less time than the settings of their own memory give.
_HURRY: ContextVar[float] = ContextVar("hurry", default=float("inf"))


@contextmanager
def in_a_hurry(seconds: float) -> Iterator[None]:
    """Let no question that is asked in here wait for its vector longer than this."""
    before = _HURRY.set(seconds)
    try:
        yield
    finally:
        _HURRY.reset(before)


def is_warming(embedder: Embedder) -> bool:
    """Say whether a question to this embedder is still unanswered after its time."""
    return _patience_with(embedder).is_overdue


class _Asked:
    """One question on its way: answered, failed, or still open."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.ended = threading.Event()
        self.late = False
        self.answer: Answer | None = None
        self.trouble: BaseException | None = None

    def run(self, embedder: Embedder) -> None:
        """Ask and keep what comes back, whoever still waits for it."""
        try:
            self.answer = embedder.embed([self.text], "query")[0], embedder.identity
        except _TROUBLES as trouble:
            self.trouble = trouble
        finally:
            self.ended.set()

    def told(self) -> Answer:
        """Return the answer, or raise what came instead."""
        if self.trouble is not None:
            raise self.trouble
        if self.answer is None:
            raise Unavailable("engine.embedder_gave_no_answer")
        return self.answer


class Patience:
    """What is known of one embedder: whether it is loaded, and which questions are open."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loaded = False
        self._open: list[_Asked] = []
        self._answers: OrderedDict[str, Answer] = OrderedDict()

    @property
    def is_overdue(self) -> bool:
        """Say whether somebody has stopped waiting for a question that is still open."""
        with self._lock:
            self._take_in()
            return any(each.late for each in self._open)

    def ask(self, embedder: Embedder, text: str, seconds: float) -> Answer:
        """Return the answer if it comes in time."""
        if self._loaded and embedder.local:
            return embedder.embed([text], "query")[0], embedder.identity
        with self._lock:
            self._take_in()
            if text in self._answers:
                return self._answers.pop(text)
            if any(each.late for each in self._open):
                # One that hangs is enough: a second would hang beside it.
                raise _warming()
            asked = _Asked(text)
            self._open.append(asked)
        # A process may end while a server hangs, but not while a model is being loaded: a thread
        # that is cut off inside a library ends the process with an abort.
        may_end = not embedder.local
        threading.Thread(
            target=asked.run, args=(embedder,), name="saegim-question", daemon=may_end
        ).start()
        if not asked.ended.wait(seconds):
            asked.late = True
            raise _warming()
        answer = asked.told()
        self._loaded = True
        return answer

    def _take_in(self) -> None:
        """Let go of what has ended, and keep the answers that nobody waited for."""
        for each in self._open:
            if each.late and each.ended.is_set() and each.answer is not None:
                self._loaded = True
                self._answers[each.text] = each.answer
        self._open = [each for each in self._open if not each.ended.is_set()]
        while len(self._answers) > _KEPT_ANSWERS:
            self._answers.popitem(last=False)


def _warming() -> Unavailable:
    return Unavailable("engine.words_answered_alone", warming=WARMING)


# As many as there are living embedders.
_PATIENCE: WeakKeyDictionary[Embedder, Patience] = WeakKeyDictionary()
_MAKING: Final = threading.Lock()


def _patience_with(embedder: Embedder) -> Patience:
    try:
        with _MAKING:
            held = _PATIENCE.get(embedder)
            if held is None:
                held = _PATIENCE[embedder] = Patience()
            return held
    except TypeError:
        # One that can be neither hashed nor referred to is asked as if for the first time.
        return Patience()

"""The small embedding model: its file of arrays, its tokenizer, and the vectors it makes.

Nothing in it can run; any safetensors reader opens it; arrays are mapped, not copied.
"""

from __future__ import annotations

import json
import math
import mmap
import os
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain
from pathlib import Path
from threading import Lock
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import xxhash

from saegim.engines.embedder import Dense, Identity, Role, Vector
from saegim.errors import BadInput, EngineError
from saegim.memory.text import NORM_VERSION, normalise
from saegim.messages import Message

Array = npt.NDArray[Any]

KINDS: Final = {"I8": np.int8, "U8": np.uint8, "F16": np.float16, "F32": np.float32}
_NAMES: Final = {np.dtype(kind): name for name, kind in KINDS.items()}
_LONGEST_HEADER: Final = 1 << 20
_ALIGNED: Final = 64


@dataclass(frozen=True, slots=True)
class Tensors:
    """What a file says of itself, and where its arrays lie."""

    path: Path
    # Compared but not hashed: equal headers at one place are one model, loaded once.
    notes: Mapping[str, str] = field(hash=False)
    entries: Mapping[str, Mapping[str, Any]] = field(hash=False)
    begins: int

    def arrays(self) -> dict[str, Array]:
        """Map the file, check every byte against its checksum, and return the arrays."""
        try:
            with self.path.open("rb") as file:
                mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except (OSError, ValueError) as error:
            raise damaged(self.path, Message("engine.file_cannot_be_read_any_more")) from error
        body = memoryview(mapped)[self.begins :]
        if xxhash.xxh3_128_hexdigest(body) != self.notes.get("checksum"):
            raise damaged(self.path, Message("engine.file_its_numbers_do_not_match"))
        if hasattr(mmap, "MADV_DONTNEED"):
            # Every page was read for the checksum; a text needs few of them, which come back.
            mapped.madvise(mmap.MADV_DONTNEED)
        return {name: _array(body, entry) for name, entry in self.entries.items()}


def read(path: Path) -> Tensors:
    """Read the header of a file; the numbers stay where they are."""
    try:
        with path.open("rb") as file:
            size = int.from_bytes(file.read(8), "little")
            if size > _LONGEST_HEADER:
                raise damaged(path, Message("engine.file_its_header_too_long_be"))
            header = json.loads(file.read(size))
            rest = os.fstat(file.fileno()).st_size - 8 - size
    except FileNotFoundError as error:
        raise EngineError("engine.model_file", name=path.name) from error
    except (OSError, ValueError, RecursionError) as error:
        raise damaged(path, Message("engine.file_its_header_cannot_be_read")) from error
    try:
        notes = header.pop("__metadata__")
        if not all(isinstance(note, str) for note in notes.values()):
            raise damaged(path, Message("engine.file_its_notes_are_not_text"))
        if not _filled(header, rest):
            raise damaged(path, Message("engine.file_its_arrays_are_not_where"))
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise damaged(path, Message("engine.file_its_header_not_one_ours")) from error
    return Tensors(path, notes, header, 8 + size)


def _filled(entries: Mapping[str, Mapping[str, Any]], size: int) -> bool:
    """Say whether the arrays lie one after the other, as long as their shapes, to the very end."""
    at = 0
    for entry in sorted(entries.values(), key=lambda entry: entry["data_offsets"]):
        (first, last), shape = entry["data_offsets"], entry["shape"]
        counted = all(type(number) is int and number >= 0 for number in (first, last, *shape))
        width = np.dtype(KINDS[entry["dtype"]]).itemsize
        if not counted or first != at or last - first != math.prod(shape) * width:
            return False
        at = last
    return at == size


def write(path: Path, arrays: Mapping[str, Array], notes: Mapping[str, str]) -> None:
    """Write arrays and notes; the same input gives the same bytes."""
    entries: dict[str, Any] = {}
    parts: list[bytes] = []
    at = 0
    # Wide numbers first: so each array is aligned without the holes that the layout forbids.
    for name, array in sorted(arrays.items(), key=lambda item: (-item[1].itemsize, item[0])):
        kind, ends = _NAMES[array.dtype], at + array.nbytes
        entries[name] = {"dtype": kind, "shape": list(array.shape), "data_offsets": [at, ends]}
        parts.append(np.ascontiguousarray(array).tobytes())
        at = ends
    body = b"".join(parts)
    marked = {**notes, "checksum": xxhash.xxh3_128_hexdigest(body)}
    header = json.dumps({"__metadata__": marked, **entries}, sort_keys=True).encode()
    header += b" " * (-(len(header) + 8) % _ALIGNED)
    path.write_bytes(len(header).to_bytes(8, "little") + header + body)


def damaged(path: Path, why: Message) -> EngineError:
    """Return the error for a file that cannot be trusted."""
    return EngineError("engine.model_file_is_damaged", name=path.name, why=why)


def _array(body: memoryview, entry: Mapping[str, Any]) -> Array:
    first, last = entry["data_offsets"]
    return np.frombuffer(body[first:last], KINDS[entry["dtype"]]).reshape(entry["shape"])


# -- Text cut into known pieces: whole words, parts of words, single jamo

# Part of every embedder's identity: when the same text falls into other pieces, this must change.
CUT_VERSION: Final = "1"

# One run of Hangul, of jamo, of other letters or of digits, or a single sign: "API를 3번" falls
# into "api", "를", "3", "번". Pieces never cross these borders; how Korean is spaced, which people
# do as they like, leaves no trace. A run longer than 64 is nobody's word; cutting it keeps the
# cost of a text linear.
RUN: Final = re.compile(
    r"[가-힣]{1,64}|[ㄱ-ㅎㅏ-ㅣ]{1,64}|[^\W\d_가-힣ㄱ-ㅎㅏ-ㅣ]{1,64}|\d{1,64}|[^\w\s]|\S"
)
_KNOWN_RUNS: Final = 50_000
# Worse than any learned piece, so that a fallback is used only where nothing else fits.
_FALLBACK: Final = 12.0


def byte_piece(byte: int) -> str:
    """Return the name of the piece for one byte of UTF-8; no text can spell it."""
    return f"\x00{byte:02x}"


JAMO: Final = tuple(
    map(chr, [*range(0x1100, 0x1113), *range(0x1161, 0x1176), *range(0x11A8, 0x11C3)])
)
FALLBACKS: Final = (*JAMO, *map(byte_piece, range(256)))


def runs(text: str) -> list[str]:
    """Return the runs of the normalised text."""
    return RUN.findall(normalise(text))


def marked(run: str) -> str:
    """Return the run as pieces spell it: words of letters begin with a space, Hangul does not.

    So "in" the word and "in" inside a word are two pieces, and "숙소" is one wherever it stands.
    """
    first = run[0]
    return f" {run}" if first.isalpha() and not "ㄱ" <= first <= "힣" else run


class Pieces:
    """Cuts text into the pieces of one vocabulary, the likeliest cut first."""

    def __init__(self, names: Sequence[str], scores: Sequence[float]) -> None:
        self.names = names
        self._ids = {name: at for at, name in enumerate(names)}
        self._scores = scores
        self._longest = max(map(len, names))
        self._worst = min(scores) - _FALLBACK
        self._known: dict[str, tuple[int, ...]] = {}

    def ids(self, text: str) -> list[int]:
        """Return the numbers of the text's pieces in order; only a text without signs has none."""
        known = self._known
        found = []
        for run in runs(text):
            cut = known.get(run)
            if cut is None:
                if len(known) >= _KNOWN_RUNS:
                    known.clear()
                cut = known[run] = self._cut(run)
            found.append(cut)
        return list(chain.from_iterable(found))

    def surprise(self, word: str) -> float:
        """Return how unlikely a word is, in nats: what everybody says tells nothing."""
        cut = (self._ids[marked(run)] for run in runs(word) if marked(run) in self._ids)
        whole = [-self._scores[at] for at in cut]
        # A word that is in no vocabulary is as rare as they come, however it is spelled.
        return sum(whole) if len(whole) == len(runs(word)) and whole else -self._worst - _FALLBACK

    def _cut(self, run: str) -> tuple[int, ...]:
        run = marked(run)
        whole = self._ids.get(run)
        return (whole,) if whole is not None else tuple(self._best(run))

    def _best(self, run: str) -> list[int]:
        """Return the cut whose pieces are together likeliest (Viterbi over the run)."""
        known, size, longest = self._ids.get, len(run), self._longest
        scores = self._scores
        total = [0.0] + [-math.inf] * size
        begins = [0] * (size + 1)
        chosen: list[int | None] = [None] * (size + 1)
        for start in range(size):
            here = total[start]
            # One character by itself is always possible, spelled if no piece stands for it.
            if here + self._worst > total[start + 1]:
                total[start + 1], begins[start + 1] = here + self._worst, start
                chosen[start + 1] = None
            for end in range(start + 1, min(size, start + longest) + 1):
                at = known(run[start:end])
                if at is not None and (score := here + scores[at]) > total[end]:
                    total[end], begins[end], chosen[end] = score, start, at
        found: list[int] = []
        end = size
        while end:
            at = chosen[end]
            found[:0] = self._spelled(run[end - 1]) if at is None else (at,)
            end = begins[end]
        return found

    def _spelled(self, character: str) -> Sequence[int]:
        """Return a character no piece begins with as jamo or bytes; a space alone says nothing."""
        if character == " ":
            return ()
        if "가" <= character <= "힣":
            return [self._ids[jamo] for jamo in unicodedata.normalize("NFD", character)]
        return [self._ids[byte_piece(b)] for b in character.encode("utf-8", "surrogatepass")]


# -- The small brain: what words mean in Korean and English, from a table inside the package

SHIPPED: Final = Path(__file__).with_name("static-ko-en-1.safetensors")
PREFIXES: Final = (64, 128, 256)
# Pieces summed at once, so that a book does not ask for a gigabyte.
_AT_ONCE: Final = 4096
# Two threads that need the table at the same moment load it once.
_LOADING: Final = Lock()


@dataclass(frozen=True, slots=True)
class Brain:
    """The learned numbers, as they lie in the file."""

    pieces: Pieces
    table: npt.NDArray[np.int8]
    # What a step of the table is worth, per piece; questions weigh their words differently.
    steps: dict[Role, Dense]
    inner: Dense
    inner_bias: Dense
    outer: Dense

    def mean(self, ids: Sequence[int], role: Role) -> Dense:
        """Return the direction of the weighted sum of the pieces."""
        total = self._sum(ids[:_AT_ONCE], role)
        for at in range(_AT_ONCE, len(ids), _AT_ONCE):
            total += self._sum(ids[at : at + _AT_ONCE], role)
        return unit(total)

    def _sum(self, ids: Sequence[int], role: Role) -> Dense:
        some = np.array(ids, np.intp)
        summed: Dense = self.steps[role].take(some) @ self.table.take(some, axis=0).astype(
            np.float32
        )
        return summed

    def bent(self, mean: Dense) -> Dense:
        """Return the vector of a text, not yet of unit length, from its mean."""
        hidden: Dense = mean @ self.inner
        hidden += self.inner_bias
        np.maximum(hidden, 0.0, out=hidden)
        return mean + hidden @ self.outer


def unit(vector: Dense) -> Dense:
    """Return the direction of a vector."""
    length = math.sqrt(vector @ vector)
    if length == 0.0:
        # Pieces that cancel out exactly: any direction is as true as another, none is not one.
        vector = vector + np.float32(1.0)
        length = math.sqrt(len(vector))
    return vector / np.float32(length)


@lru_cache(maxsize=1)
def think(tensors: Tensors) -> Brain:
    """Load the numbers of a model file; memories opened side by side share them."""
    found = tensors.arrays()
    try:
        names = bytes(found["pieces"]).decode("utf-8", "surrogatepass").split("\n")
        steps = found["steps"].astype(np.float32)
        asking = steps * np.exp(found["asking"].astype(np.float32))
        table, scores = found["table"], found["scores"]
        rows = {len(names), len(table), len(scores), len(asking)}
        if rows != {len(names)} or table.shape[1:] != (PREFIXES[-1],):
            raise damaged(tensors.path, Message("engine.file_its_arrays_do_not_fit"))
        return Brain(
            pieces=Pieces(names, scores.astype(np.float32).tolist()),
            table=table,
            steps={"document": steps, "query": asking},
            inner=_wide(found["inner"]),
            inner_bias=_wide(found["inner_bias"]),
            outer=_wide(found["outer"]),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise damaged(tensors.path, Message("engine.file_not_model_this_kind")) from error


def _wide(array: Array) -> Dense:
    return np.ascontiguousarray(array, dtype=np.float32)


class Static:
    """Embeds Korean and English by meaning, in microseconds; the first text loads the table."""

    local = True
    at_once = 1_000_000_000
    lexical = False

    def __init__(self, dimension: int = PREFIXES[-1], path: Path = SHIPPED) -> None:
        if dimension not in PREFIXES:
            raise BadInput("engine.small_brain_has_no_prefix", dimension=dimension)
        self.dimension = dimension
        self._tensors = read(path)
        self._brain: Brain | None = None
        notes = self._tensors.notes
        try:
            self.floor = float(notes[f"floor_{dimension}"])
            self.ask = float(notes[f"ask_{dimension}"])
            model, digest = notes["model"], notes["checksum"][:12]
        except (KeyError, ValueError) as error:
            raise damaged(path, Message("engine.file_not_model_this_kind")) from error
        policy = f"l2,norm-{NORM_VERSION},cut-{CUT_VERSION}"
        self._identity = Identity("saegim", model, digest, dimension, policy)

    @property
    def identity(self) -> Identity:
        """Say which space the vectors live in."""
        return self._identity

    @property
    def brain(self) -> Brain:
        """The learned numbers, loaded when first needed."""
        if self._brain is None:
            with _LOADING:
                self._brain = think(self._tensors)
        return self._brain

    def embed(self, texts: Sequence[str], role: Role) -> list[Vector]:
        """Return one unit vector per text; a question weighs its words by what answers share."""
        return [self._one(text, role) for text in texts]

    def _one(self, text: str, role: Role) -> Dense:
        # Text by text: a product of many rows may round otherwise than that of one, and the
        # company a text is embedded in must not change its vector.
        brain = self.brain
        ids = brain.pieces.ids(text)
        if not ids:
            raise BadInput("engine.empty_text_has_no_vector")
        return unit(brain.bent(brain.mean(ids, role))[: self.dimension])

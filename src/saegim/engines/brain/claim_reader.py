"""What a turn claims, of whom, and who is named in it: a small tagger on the encoder's states.

A text is cut into units, single syllables of Korean and whole words of other scripts; each knows
the piece of the encoder it lies in. The encoder's first layers read for both; the last two are
this reader's own, taught further on labelled talk. Tags then say where a value, a name or someone
else's words begin and end. How it was taught: `training/claims.py`.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from saegim.engines.brain import encoder
from saegim.engines.brain.layers import Layers, own_layers
from saegim.engines.brain.model import RUN, Pieces, damaged, read
from saegim.engines.embedder import Dense
from saegim.errors import EngineError
from saegim.language.ko.words import without_particle
from saegim.messages import Message
from saegim.one_thread import ALONE

SHIPPED: Final = Path(__file__).with_name("claims-ko-en-2.safetensors")
SLOTS: Final = (
    "name", "age", "birthday", "home", "work", "role", "school", "partner", "family", "pet",
    "health", "diet", "likes", "dislikes", "skill", "language", "answer", "possession", "plan",
    "goal", "habit", "belief", "event", "other",
)  # fmt: skip
TYPES: Final = ("person", "pet", "place", "organisation", "product", "event", "work", "kin")
# What is said of a whole turn.
TURN: Final = (
    "keep", "asks", "project", "forget", "refuse", "wish", "correct", "paste",
    "lasting", "until", "passing",
)  # fmt: skip
_WHO: Final = frozenset(("name", "age", "home", "work", "role", "school"))
_ANSWERS: Final = frozenset(("answer",))
_SURELY: Final = 0.6
# What is said of one value: it does not hold, it is not sure, it ends what was said before.
MARKS: Final = ("denied", "unsure", "changes")
MOST_PIECES: Final = 160
MOST_UNITS: Final = 320
ROWS: Final = 4096
SHAPES: Final = 12
FAR: Final = 16

_SYLLABLES: Final = re.compile("[가-힣]+")
# How "is" begins behind a noun: 이야, 이에요, 인데, 이래, 입니다, 일까, 였어, 예요.
_COPULA: Final = frozenset("이인입일임였예")
_ARTICLES: Final = frozenset(("a", "an", "the", "my", "our", "his", "her", "their", "your"))
_QUOTES: Final = re.compile(r"[\"“”「」『』]")
Ints = npt.NDArray[np.int64]
Place = tuple[int, int]


def wide(found: dict[str, Any], name: str) -> Dense:
    """Return a product's numbers as they are multiplied: int8 has a step for each column."""
    array = found[name].astype(np.float32)
    if found[name].dtype == np.int8:
        array *= found[f"{name}.steps"].astype(np.float32)
    return np.ascontiguousarray(array)


@dataclass(frozen=True, slots=True)
class Units:
    """A text as the reader sees it."""

    pieces: Ints
    # Where each unit stands in the text, in which piece, which rows speak of it, and its shape.
    places: tuple[Place, ...]
    inside: Ints
    rows: Ints
    shapes: Dense
    # Whether the window holds all of it.
    whole: bool


def units_of(text: str, pieces: Pieces) -> Units:
    """Cut a text into units."""
    ids: list[int] = []
    places: list[Place] = []
    inside: list[int] = []
    whole = True
    for run in RUN.finditer(text):
        found = pieces.ids(run.group())
        if len(ids) + len(found) > MOST_PIECES or len(places) >= MOST_UNITS:
            whole = False
            break
        start, end = run.span()
        if not found:
            continue
        if not "가" <= text[start] <= "힣":
            places.append((start, end))
            inside.append(len(ids))
        else:
            places += [(at, at + 1) for at in range(start, end)]
            inside += [len(ids) + own for own in _pieces_of_syllables(found, end - start, pieces)]
        ids += found
    if not places:
        # Nothing to see says nothing: it is read as a full stop.
        return replace(units_of(".", pieces), places=((0, len(text)),), whole=whole)
    return Units(
        pieces=np.array(ids, np.int64),
        places=tuple(places),
        inside=np.array(inside, np.int64),
        rows=np.array([_rows(text[start:end]) for start, end in places], np.int64),
        shapes=np.array([_shape(text, each) for each in places], np.float32),
        whole=whole,
    )


def _pieces_of_syllables(found: Sequence[int], size: int, pieces: Pieces) -> list[int]:
    """Return in which piece each syllable of a run lies; by its share where one is spelled out."""
    sizes = [len(pieces.names[each]) for each in found]
    if sum(sizes) != size:
        return [at * len(found) // size for at in range(size)]
    return [at for at, each in enumerate(sizes) for _ in range(each)]


def _rows(unit: str) -> tuple[int, int, int]:
    """Return the rows that speak of a unit: itself, its beginning, its end."""
    low = unit.lower()
    return tuple(  # type: ignore[return-value]
        zlib.crc32(each.encode("utf-8", "surrogatepass")) % ROWS
        for each in (low, f"^{low[:3]}", f"{low[-3:]}$")
    )


def _shape(text: str, place: Place) -> tuple[float, ...]:
    start, end = place
    unit, head = text[start:end], text[start]
    before, after = text[start - 1 : start], text[end : end + 1]
    korean = "가" <= head <= "힣"
    return tuple(
        map(
            float,
            (
                not before or before.isspace(),
                not after or after.isspace(),
                before == "\n" or not before,
                korean,
                head.isalpha() and not korean,
                head.isdigit(),
                not unit[0].isalnum(),
                head.isupper(),
                len(unit) > 1 and unit.isupper(),
                len(_QUOTES.findall(text[:start])) % 2 == 1,
                after in (".", "!", "?", ",", "~"),
                min(start, 200) / 200,
            ),
        )
    )


@dataclass(frozen=True, slots=True)
class ReadName:
    """A name, or a word for a relative, where it stands."""

    place: Place
    type: str


@dataclass(frozen=True, slots=True)
class ReadClaim:
    """A value, what it is, of whom, and how it was said."""

    place: Place
    slot: str
    # "user", the place of a name in the text, or None for someone this text does not name.
    subject: str | Place | None
    denied: bool
    unsure: bool
    # How likely it ends what was said before, and how sure the reader is of value and slot.
    changes: float
    sure: float


@dataclass(frozen=True, slots=True)
class Understood:
    """What the reader found in one turn."""

    claims: tuple[ReadClaim, ...]
    names: tuple[ReadName, ...]
    quoted: tuple[Place, ...]
    # What is said of the whole; of a turn longer than a window not whether it is worth keeping.
    turn: Mapping[str, float]

    @property
    def introduces(self) -> bool:
        """Say whether the person tells who they are, whatever field their work is in."""
        return self._says(_WHO)

    @property
    def wishes(self) -> bool:
        """Say whether the person tells how they want to be answered."""
        return self._says(_ANSWERS)

    def _says(self, slots: frozenset[str]) -> bool:
        own = (each for each in self.claims if each.subject == "user" and each.slot in slots)
        # "No emojis" is a wish as well; "I don't live in Leeds" tells nobody who one is.
        return any(each.sure >= _SURELY and (slots is _ANSWERS or not each.denied) for each in own)


@dataclass(frozen=True, slots=True)
class ClaimWeights:
    """The learned numbers; the table of pieces is the encoder's."""

    state: Dense
    rows: Dense
    row: Dense
    shape: Dense
    conv: tuple[Dense, ...]
    values: Dense
    values_bias: Dense
    names: Dense
    names_bias: Dense
    quoted: Dense
    quoted_bias: Dense
    marks: Dense
    marks_bias: Dense
    asks: Dense
    keys: Dense
    own: Dense
    own_bias: Dense
    far: Dense
    turn: Dense
    turn_bias: Dense


class ClaimReader:
    """Reads a turn in a few milliseconds; the first loads its file and the encoder's."""

    def __init__(self, path: Path = SHIPPED) -> None:
        self._tensors = read(path)
        self._last: tuple[str, Understood] | None = None
        notes = self._tensors.notes
        try:
            self.value_bias = float(notes["value_bias"])
            self._taught_on = notes["encoder"]
            # What was read with other numbers is read again.
            self.name = f"{notes['model']}-{notes['checksum'][:12]}"
        except (KeyError, ValueError) as error:
            raise self._damaged() from error

    def read(self, text: str) -> Understood:
        """Read one turn of the person; the same text asked for again is not read again."""
        last = self._last
        if last is None or last[0] != text:
            last = self._last = (text, self._read(text))
        return last[1]

    def _read(self, text: str) -> Understood:
        """Read as much of a text as one window holds."""
        words, learned = self._words, self._learned
        units = units_of(text, words.words.pieces)
        with ALONE:
            x = self._states(units)
            told = x @ learned.values + learned.values_bias
            tagged = spans_of(best_path(log_shares(told, self.value_bias)))
            values = [bare(text, units, each) for each in whole_words(text, units, tagged)]
            named = spans_of(best_path(log_shares(x @ learned.names + learned.names_bias, 0.0)))
            named = whole_words(text, units, named)
            alien = x @ learned.quoted[:, 0] + learned.quoted_bias[0] > 0
            turn = self._of_turn(x)
            if not units.whole:
                turn.pop("keep")
            mentions = [(first, last) for first, last, _ in named]
            claims = [
                self._claim(x, told, units, (first, last, slot), mentions, (start, end))
                for (first, last, slot), (start, end, _) in zip(values, tagged, strict=True)
            ]
        return Understood(
            claims=tuple(claims),
            names=tuple(ReadName(_place(units, each), TYPES[each[2]]) for each in named),
            quoted=tuple(_runs(alien, units)),
            turn=turn,
        )

    def _states(self, units: Units) -> Dense:
        """Return a state for each unit: what it means here."""
        learned = self._learned
        middle, _ = self._words.states(units.pieces.tolist(), "document")
        (states,) = self._layers.read(middle)
        x = encoder.seen_of(middle, states)
        x = x.take(units.inside, axis=0) @ learned.state
        x += learned.rows[units.rows].mean(axis=1) @ learned.row + units.shapes @ learned.shape
        near = np.pad(encoder.rms_even(x), ((1, 1), (0, 0)))
        seen = sum(near[at : at + len(x)] @ part for at, part in enumerate(learned.conv))
        x = x + np.maximum(np.asarray(seen, np.float32), 0.0)
        return encoder.rms_even(x)

    def _of_turn(self, x: Dense) -> dict[str, float]:
        learned = self._learned
        pooled = np.concatenate([x.max(axis=0), x.mean(axis=0)])
        shares = _shares(pooled @ learned.turn + learned.turn_bias)
        return dict(zip(TURN, shares.tolist(), strict=True))

    def _claim(
        self,
        x: Dense,
        told: Dense,
        units: Units,
        value: tuple[int, int, int],
        mentions: Sequence[tuple[int, int]],
        tagged: tuple[int, int],
    ) -> ReadClaim:
        learned, (first, last, slot) = self._learned, value
        mean = x[first:last].mean(axis=0)
        denied, unsure, changes = _shares(mean @ learned.marks + learned.marks_bias).tolist()
        scores = (mean @ learned.own + learned.own_bias).tolist()
        if mentions:
            keys = np.stack([x[a:b].mean(axis=0) for a, b in mentions]) @ learned.keys
            apart = [max(-FAR, min(FAR, a - first)) + FAR for a, _ in mentions]
            asked = keys @ (mean @ learned.asks) * np.float32(keys.shape[1] ** -0.5)
            scores += (asked + learned.far[apart]).tolist()
        who = int(np.argmax(scores))
        subject: str | Place | None = "user" if who == 0 else None
        if who > 1:
            subject = _place(units, mentions[who - 2])
        shares = np.exp(log_shares(told[slice(*tagged)], 0.0))
        return ReadClaim(
            place=_place(units, value),
            slot=SLOTS[slot],
            subject=subject,
            denied=denied > 0.5,
            unsure=unsure > 0.5,
            changes=changes,
            sure=float(shares[:, 1 + 2 * slot : 3 + 2 * slot].sum(axis=1).mean()),
        )

    @cached_property
    def _words(self) -> encoder.EncoderWeights:
        return encoder.taught_on(self._taught_on, self._tensors.path)

    @cached_property
    def _layers(self) -> Layers:
        """The last layers, which are this reader's own."""
        return own_layers(self._tensors)

    @cached_property
    def _learned(self) -> ClaimWeights:
        found = self._tensors.arrays()
        names = [each for each in ClaimWeights.__dataclass_fields__ if each != "conv"]
        try:
            return ClaimWeights(
                conv=tuple(wide(found, f"conv.{at}") for at in range(3)),
                **{name: wide(found, name) for name in names},
            )
        except (KeyError, TypeError, ValueError) as error:
            raise self._damaged() from error

    def _damaged(self) -> EngineError:
        return damaged(self._tensors.path, Message("engine.file_not_model_this_kind"))


def _place(units: Units, span: Sequence[int]) -> Place:
    return units.places[span[0]][0], units.places[span[1] - 1][1]


def whole_words(
    text: str, units: Units, spans: Sequence[tuple[int, int, int]]
) -> list[tuple[int, int, int]]:
    """Return spans; what stops after one syllable of a word goes on to where a particle begins.

    "보리는" may be 보 with something behind it for all a tagger knows; no name is 보.
    """
    ends = [*(first for first, _, _ in spans[1:]), len(units.places)]
    return [_whole_word(text, units, *each) for each in zip(spans, ends, strict=False)]


def _whole_word(
    text: str, units: Units, span: tuple[int, int, int], most: int
) -> tuple[int, int, int]:
    first, _, which = span
    start, end = _place(units, span)
    run = _SYLLABLES.match(text, start)
    if end - start != 1 or run is None or text[start - 1 : start].isalpha():
        return span
    word = run.group()
    known = without_particle(word)
    # "형이야" is 형, and "망했어" no name: only before a particle, or alone, goes a word on.
    goes_on = len(known) == 2 and word[1] not in _COPULA and (known != word or len(word) == 2)
    return (first, first + 2, which) if goes_on and first + 2 <= most else span


def bare(text: str, units: Units, span: tuple[int, int, int]) -> tuple[int, int, int]:
    """Return a value without the article before it: "our landlord" is a landlord."""
    first, last, which = span
    while last - first > 1 and text[slice(*units.places[first])].lower() in _ARTICLES:
        first += 1
    return first, last, which


def _runs(marked: npt.NDArray[np.bool_], units: Units) -> Iterator[Place]:
    """Return the places of units that are marked one after another."""
    first = None
    for at, each in enumerate([*marked.tolist(), False]):
        if each and first is None:
            first = at
        elif not each and first is not None:
            yield _place(units, (first, at))
            first = None


def _shares(logits: Dense) -> Dense:
    shares: Dense = np.float32(1.0) / (np.float32(1.0) + np.exp(-np.clip(logits, -30.0, 30.0)))
    return shares


def log_shares(logits: Dense, bias: float) -> Dense:
    """Return how likely each tag is at each unit; a bias makes "no tag" likelier."""
    logits = logits.copy()
    logits[:, 0] += bias
    logits -= logits.max(axis=1, keepdims=True)
    shares: Dense = logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))
    return shares


def best_path(shares: Dense) -> Ints:
    """Return the likeliest tags in which nothing goes on that did not begin (Viterbi)."""
    count, tags = shares.shape
    inner = np.arange(2, tags, 2)
    total = shares[0].copy()
    total[inner] = -np.inf
    back = np.zeros((count, tags), np.int64)
    for at in range(1, count):
        best = int(total.argmax())
        back[at] = best
        step = np.full(tags, total[best], np.float32)
        # What goes on comes from its own beginning or from itself.
        own = np.maximum(total[inner - 1], total[inner])
        back[at, inner] = np.where(total[inner - 1] >= total[inner], inner - 1, inner)
        step[inner] = own
        total = (step + shares[at]).astype(np.float32)
    path = np.zeros(count, np.int64)
    path[-1] = int(total.argmax())
    for at in range(count - 1, 0, -1):
        path[at - 1] = back[at, path[at]]
    return path


def spans_of(tags: Sequence[int] | Ints) -> list[tuple[int, int, int]]:
    """Return the spans of tags as (first, after the last, which)."""
    found: list[tuple[int, int, int]] = []
    for at, tag in enumerate(tags):
        if tag and tag % 2:
            found.append((at, at + 1, int(tag) // 2))
        elif tag and found and found[-1][1] == at:
            found[-1] = (found[-1][0], at + 1, found[-1][2])
    return found

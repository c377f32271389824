"""What the reader of secrets told in passing learns from: labelled lines, frames, plain talk.

Each line is read as the guard reads it: in parts, each behind what precedes it. A told line is also
read in the middle of other talk, with its values masked, and behind another message; what was told
in several messages is read message by message, the ones before masked or still in clear.
"""

from __future__ import annotations

import itertools
import json
import multiprocessing
import os
import random
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np

from saegim.engines.brain import encoder
from saegim.engines.brain.model import Static, read
from saegim.engines.brain.secret_reader import windows_of
from saegim.guard.passwords import passwords
from saegim.guard.secrets import private_numbers, secrets
from saegim.guard.told_secrets import SIGHTS, parts_of, runs_of, shaped_secrets
from saegim.guard.visible_text import see
from told_frames import Draw, framed, redrawn

HERE: Final = Path(__file__).parents[1]
TUNED: Final = HERE / "tests" / "data" / "soft_secrets_tune.jsonl"
RULED: Final = HERE / "tests" / "data" / "secrets_tune.jsonl"
OWN: Final = Path(__file__).parent / "told_secrets"
# Hands whose talk is only watched.
WATCHED: Final = ("hand_9", "hand_15", "hand_16", "claims_16", "claims_19")
SEED, VARIANTS, AMID, DRAWN = 7, 4, 3, 9
PIECES, WIDTH, MOST_RUNS = 24_000, 96, 160
MASK: Final = "[held:password#1]"

Row = Mapping[str, Any]
Spots = list[tuple[int, int]]


@dataclass(slots=True)
class Numbers:
    """A part of a text as both nets see it, and which of its runs are secret."""

    ends: np.ndarray
    sights: np.ndarray
    goal: np.ndarray
    # The window of pieces that the runs lie in, their first and last piece in it, its states.
    pieces: tuple[int, ...]
    places: np.ndarray
    middle: np.ndarray


@dataclass(frozen=True, slots=True)
class Said:
    """A text, where its secrets stand, and what was said before it, with its own."""

    text: str
    spots: Sequence[tuple[int, int]] = ()
    before: str = ""
    told_before: Sequence[tuple[int, int]] = ()
    # Where the labelled line stands in it: parts without any of it are left out.
    own: tuple[int, int] = (0, 1_000_000)


@dataclass(slots=True)
class Line:
    """A labelled line in several variants, each in its parts."""

    row: Row
    hand: str
    said: list[Said] = field(default_factory=list)
    others: list[Said] = field(default_factory=list)
    variants: list[list[Numbers]] = field(default_factory=list)
    beside: list[list[Numbers]] = field(default_factory=list)

    @property
    def told(self) -> bool:
        """Say whether it tells a secret."""
        return bool(values_of(self.row))


def rows_in(path: Path) -> list[Row]:
    """Return the lines of a file."""
    return [json.loads(each) for each in path.read_text("utf-8").splitlines() if each.strip()]


def messages_of(row: Row) -> list[str]:
    """Return what was said, one message after the other."""
    return list(row["text"]) if isinstance(row["text"], list) else [row["text"]]


def values_of(row: Row) -> list[str]:
    """Return what of it is secret."""
    value = row.get("value")
    return list(value) if isinstance(value, list) else [value] if value else []


def rows() -> Iterator[tuple[str, Row]]:
    """Yield every labelled line with its hand."""
    for row in rows_in(TUNED):
        yield str(row["hand"]), row
    for path in sorted(OWN.glob("hand_*.jsonl")):
        yield from ((path.stem[5:], row) for row in rows_in(path))
    sys.path.insert(0, str(HERE / "tests" / "guard"))
    import harmless
    import tellings

    for text in (*harmless.LOOK_ALIKES, *harmless.TALK.strip().splitlines()):
        yield "tests", {"text": text, "value": None, "lang": "", "class": "harmless"}
    drawn = random.Random(SEED)
    kinds = (tellings.PASSWORDS, 0), (tellings.CODES, 4), (tellings.ONE_TIME, 6)
    for telling, length in ((one, length) for some, length in kinds for one in some):
        value = tellings.code(drawn, length) if length else tellings.password(drawn)
        yield "tests", {"text": telling.format(value), "value": value, "lang": "", "class": "ruled"}
    for row in rows_in(RULED):
        if row["tier"] == "held":
            value = "".join(row["value"])
            yield "rules", {**row, "text": row["text"].replace("‹v›", value), "value": value}
        elif row["tier"] == "none":
            yield "rules", {**row, "value": None}


def talk() -> Iterator[tuple[str, str]]:
    """Yield talk in which nothing is told, and where it comes from."""
    for path in sorted((HERE / "training" / "scenes").glob("*.jsonl")):
        for row in rows_in(path):
            for part in ("turns", "asks", "near"):
                for texts in row.get(part, {}).values():
                    yield from ((path.stem, text) for text in texts)
    for path in sorted((HERE / "training" / "turns").glob("*.jsonl")):
        yield from (("turns", row["text"]) for row in rows_in(path))
    for path in sorted((HERE / "training" / "claims" / "talk").glob("*.jsonl")):
        hand = f"claims_{path.stem.split('_')[1]}"
        yield from ((hand, row["text"]) for row in rows_in(path) if row["role"] == "user")


def spots_in(text: str, values: Sequence[str]) -> Spots:
    """Return where the values stand, each behind the one before where it can."""
    found: Spots = []
    at = 0
    for value in values:
        start = text.find(value, at)
        start = text.find(value) if start < 0 else start
        if start >= 0:
            found.append((start, start + len(value)))
            at = start + len(value)
    return found


def ruled(text: str) -> Spots:
    """Return what is found without the network."""
    seen = see(text)
    parts = (secrets(seen), private_numbers(seen), passwords(seen), shaped_secrets(seen))
    return [(spot.start, spot.end) for part in parts for spot in part]


@cache
def pieces_known() -> tuple[Any, dict[str, int], list[str], np.ndarray]:
    """Return the pieces of a text, those that the glance knows, and what it knows of each."""
    brain = Static().brain
    vectors = brain.table.astype(np.float32) * brain.steps["document"][:, None]
    scores = np.array(brain.pieces._scores)
    usable = [at for at, name in enumerate(brain.pieces.names) if name[0] != "\x00" and name != " "]
    chosen = sorted(usable, key=lambda at: -scores[at])
    names = [brain.pieces.names[at] for at in chosen[:PIECES]]
    # Directions in which the table differs most, over a wide choice of pieces.
    wide = vectors[chosen[:40_000]]
    wide /= np.linalg.norm(wide, axis=1, keepdims=True) + 1e-9
    wide -= wide.mean(axis=0)
    strength, turned = np.linalg.eigh(wide.T @ wide)
    table = wide @ turned[:, np.argsort(-strength)[:WIDTH]]
    table = (table / table.std())[:PIECES]
    table = np.vstack([np.zeros((1, WIDTH)), table]).astype(np.float32)
    return brain.pieces, {name: at for at, name in enumerate(names, 1)}, names, table


def numbers_of(said: Said) -> list[Numbers]:
    """Read a text as the guard does and the nets see it."""
    pieces, known, *_ = pieces_known()
    seen, before = see(said.text), said.before
    if len(seen.text) != len(said.text) or (before and len(see(before).text) != len(before)):
        return []
    shipped = encoder.learned(read(encoder.SHIPPED))
    found = []
    for part, own, moved in parts_of(seen, before):
        start = moved if moved > 0 else 0
        if not (start < said.own[1] and said.own[0] < len(part.low) + moved):
            continue
        spots = [(first - moved, last - moved) for first, last in said.spots]
        if moved < 0:  # behind a message, of which only the end is read
            gone = len(before) - (own - 2)
            spots += [(max(0, first - gone), last - gone) for first, last in said.told_before]
        runs = runs_of(part, known)[:MOST_RUNS]
        if not runs:
            continue
        windows, rows = windows_of(part.low, runs, pieces)
        # One window is enough to learn from.
        runs = [run for run, row in zip(runs, rows, strict=True) if row[0] == 0]
        sights = np.zeros((len(runs), SIGHTS), np.uint8)
        for at, run in enumerate(runs):
            sights[at, list(run.sights)] = 1
        goal = [any(run.start < end and at < run.end for at, end in spots) for run in runs]
        ends = np.array([(run.first, run.last) for run in runs])
        places = np.array([row[1:] for row in rows if row[0] == 0])
        middle = shipped.states(windows[0], "document")[0] if windows[0] else np.zeros((1, 384))
        found.append(
            Numbers(ends, sights, np.array(goal, np.float32), tuple(windows[0]), places,
                    middle.astype(np.float16))
        )  # fmt: skip
    return found


class Data:
    """Everything that is learned from."""

    def __init__(self) -> None:
        texts = list(talk())
        spoken = " ".join(text for where, text in texts if where.startswith("hand_"))
        english = Counter(re.findall(r"(?<![A-Za-z])[a-z]{4,9}(?![A-Za-z])", spoken))
        korean = Counter(re.findall(r"(?<![가-힣])([가-힣]{2,3})(?:을|를) ", spoken))
        self.words = sorted(word for word, count in english.items() if count >= 3)
        self.nouns = sorted(word for word, count in korean.items() if count >= 2)
        self.drawn = random.Random(SEED)
        self.draw = Draw(self.drawn, False, self.words, self.nouns)
        self.drawn.shuffle(texts)
        self.watched = [text for where, text in texts if where in WATCHED][:3_000]
        learned = [text for where, text in texts if where not in WATCHED]
        digits = [text for text in learned if re.search(r"\d", text)][:6_000]
        words = [text for text in learned if not re.search(r"\d", text)][:7_000]
        plain = [text for text in (*digits, *words) if not ruled(text)]
        self.around = {
            language: [e for e in plain if ("가" <= max(e) <= "힣") == (language == "ko")]
            for language in ("ko", "en")
        }
        self.lines = [self._line(hand, row) for hand, row in rows()]
        self._beside()
        frames = [
            Said(row["text"], spots_in(row["text"], values_of(row)))
            for row in framed(DRAWN, self.words, self.nouns, SEED + 4)
        ]
        self.calm = [Said(text) for text in plain]
        self.calm += [self._amid(Said(text), other) for text, other in zip(
            plain[::4], itertools.cycle(("ko", "en")))]  # fmt: skip
        self.frames, self.talk = [[], []]
        self._read(frames)

    def _read(self, frames: list[Said]) -> None:
        """Read everything, on all processors."""
        told = [said for line in self.lines for said in (*line.said, *line.others)]
        everything = [*told, *frames, *self.calm]
        pieces_known()
        os.environ["OMP_NUM_THREADS"] = "1"
        with multiprocessing.get_context("fork").Pool() as pool:
            made = iter(pool.map(numbers_of, everything, chunksize=200))
        for line in self.lines:
            line.variants = [found for found in itertools.islice(made, len(line.said)) if found]
            line.beside = [found for found in itertools.islice(made, len(line.others)) if found]
        self.frames = [e for found in itertools.islice(made, len(frames)) for e in found]
        self.talk = [found for found in made if found]

    def _line(self, hand: str, row: Row) -> Line:
        """Return a line as it was written, and with its values drawn anew."""
        line, values = Line(row, hand), values_of(row)
        messages = messages_of(row)
        for number in range(VARIANTS):
            told: list[tuple[str, Spots]] = []
            for message in messages:
                spots = spots_in(message, [v for v in values if v in message])
                told.append(self._noised(message, spots) if number else (message, spots))
            line.said.append(Said(*told[0]))
            # Behind the message before it, as it is masked, or what slipped through.
            for (before, known), (text, spots) in itertools.pairwise(told):
                if self.drawn.random() < 0.6:
                    before, known = masked(before, known), []
                line.said.append(Said(text, spots, before, known))
            if len(told) > 1 and not number:
                joined, spots = "\n\n".join(text for text, _ in told), Spots()
                at = 0
                for text, some in told:
                    spots += [(at + start, at + end) for start, end in some]
                    at += len(text) + 2
                line.said.append(Said(joined, spots))
        return line

    def _noised(self, text: str, spots: Spots) -> tuple[str, Spots]:
        """Draw values anew, sometimes write all small, sometimes leave the last sign out."""
        drawn, made, moved, at = self.drawn, "", Spots(), 0
        for start, end in sorted(spots):
            value = text[start:end]
            value = redrawn(value, self.draw) if drawn.random() < 0.75 else value
            made += text[at:start]
            moved.append((len(made), len(made) + len(value)))
            made, at = made + value, end
        made += text[at:]
        if not spots and drawn.random() < 0.6:
            made = re.sub(r"\d", lambda _: str(drawn.randrange(10)), made)
        if drawn.random() < 0.12 and len(made.lower()) == len(made):
            made = made.lower()
        ends = moved and moved[-1][1] == len(made)
        return (
            made[:-1] if drawn.random() < 0.2 and made[-1:] in ".!?" and not ends else made
        ), moved

    def _amid(self, said: Said, language: str) -> Said:
        """Return what was said, between other talk."""
        drawn, around = self.drawn, self.around[language]
        mark = drawn.choice((" ", " ", "\n", ". "))
        first = "".join(drawn.choice(around) + mark for _ in range(drawn.choice((0, 1, 1, 2, 3))))[
            -400:
        ]
        least = 0 if first else 1
        rest = "".join(mark + drawn.choice(around) for _ in range(drawn.randint(least, 3)))[:400]
        spots = [(start + len(first), end + len(first)) for start, end in said.spots]
        own = len(first), len(first) + len(said.text)
        return Said(f"{first}{said.text}{rest}", spots, "", (), own)

    def _beside(self) -> None:
        """Add lines amid other talk, with what they told masked, and behind other messages."""
        drawn = self.drawn
        calm = [
            line for line in self.lines if not line.told and line.hand not in ("tests", "rules")
        ]
        alone = [line for line in self.lines if isinstance(line.row["text"], str)]
        for line in self.lines:
            single = isinstance(line.row["text"], str)
            language = line.row["lang"] or (
                "ko" if "가" <= max(line.said[0].text) <= "힣" else "en"
            )
            if single and language in self.around:
                line.others += [self._amid(drawn.choice(line.said), language) for _ in range(AMID)]
            said = drawn.choice(line.said)
            if line.told and said.spots:
                line.others.append(Said(masked(said.text, said.spots), (), said.before))
                other = drawn.choice(calm).said[0]
                line.others.append(Said(other.text, other.spots, masked(said.text, said.spots), ()))
            if single:
                before = (
                    drawn.choice(calm).said[0].text if drawn.random() < 0.6
                    else drawn.choice(self.around[language if language in self.around else "en"])
                )  # fmt: skip
                line.others.append(Said(said.text, said.spots, before))
            if not line.told and single:
                other = drawn.choice(alone)
                text = other.said[0].text
                if other.told:
                    text = masked(text, other.said[0].spots)
                line.others.append(Said(said.text, (), text))


def masked(text: str, spots: Sequence[tuple[int, int]]) -> str:
    """Return a text as it is when what it tells was found."""
    for start, end in sorted(spots, reverse=True):
        text = text[:start] + MASK + text[end:]
    return text

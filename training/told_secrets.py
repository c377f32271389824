"""Step 17: teach the reader of secrets that are told in passing.

    python training/told_secrets.py measure FOLDER   # thirds of the hands left out in turn
    python training/told_secrets.py bounds FOLDER    # what each choice of bounds holds there
    python training/told_secrets.py teach [both]     # on all hands; writes the file that ships

Learns from tests/data/soft_secrets_tune.jsonl and training/told_secrets/*.jsonl (a hand each),
lines drawn from training/told_secrets/frames.txt, the tuning half of the secrets, what the tests of the
rules hold, and, as talk that tells nothing, training/scenes, training/turns and training/claims/talk. The scenes of three
hands, the talk of two and the lives of bench/data/lives are not learned from: alarms are counted there.
Needs torch and onnx; two cores need about ten minutes for one pair of nets.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import random
import re
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np

from claims import own_layers
from saegim.engines.brain import encoder
from saegim.engines.brain.model import Static, read, write
from saegim.engines.brain.secret_reader import SHIPPED, Bounds, SecretReader, windows_of
from saegim.guard import guard, told_secrets
from saegim.guard.passwords import passwords
from saegim.guard.secrets import private_numbers, secrets
from saegim.guard.told_secrets import SIGHTS, runs_of, shaped_secrets
from saegim.guard.visible_text import see
from told_frames import Draw, framed, redrawn

HERE: Final = Path(__file__).parents[1]
TUNED: Final = HERE / "tests" / "data" / "soft_secrets_tune.jsonl"
RULED: Final = HERE / "tests" / "data" / "secrets_tune.jsonl"
OWN: Final = Path(__file__).parent / "told_secrets"
CARD: Final = OWN / "card.json"
# Hands whose talk is only watched.
WATCHED: Final = ("hand_9", "hand_15", "hand_16", "claims_16", "claims_19")
MODEL, LICENCE = "told-secrets-ko-en-2", "Apache-2.0"
SEED, VARIANTS, DRAWN = 7, 4, 9
PIECES, WIDTH, HIDDEN, MOST_RUNS = 24_000, 96, 96, 160
EPOCHS, BATCH, RATE, PULL, DROP = 9, 96, 2.5e-3, 0.02, 0.3
TALK, FRAMES, SLOWEST = 3_000, 3_000, 0.998
# The look: two layers that begin as the encoder's last, and a head that begins anew.
TUNED_LAYERS, LOOK, LOOK_EPOCHS, LOOK_BATCH, LOOK_RATE, SLOWER = 2, 128, 6, 32, 1e-3, 0.12
NARROW_FROM = 3  # from this round on it learns with the few bits it will have
MASK: Final = "[held:password#1]"

Row = Mapping[str, Any]
Spots = list[tuple[int, int]]


@dataclass(slots=True)
class Numbers:
    """A text as both nets see it, and which of its runs are secret."""

    ends: np.ndarray
    sights: np.ndarray
    goal: np.ndarray
    # The window of pieces that the runs lie in, their first and last piece in it, its states.
    pieces: tuple[int, ...]
    places: np.ndarray
    middle: np.ndarray | None = None


@dataclass(slots=True)
class Line:
    """A labelled line in several variants; one told over several messages also message by message."""

    row: Row
    hand: str
    messages: list[Numbers]
    variants: list[Numbers] = field(default_factory=list)
    beside: list[Numbers] = field(default_factory=list)
    spots: list[tuple[str, Spots]] = field(default_factory=list)

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


class Data:
    """Everything that is learned from."""

    def __init__(self) -> None:
        brain = Static().brain
        vectors = brain.table.astype(np.float32) * brain.steps["document"][:, None]
        scores = np.array(brain.pieces._scores)
        usable = [
            at for at, name in enumerate(brain.pieces.names) if name[0] != "\x00" and name != " "
        ]
        chosen = sorted(usable, key=lambda at: -scores[at])
        self.names = [brain.pieces.names[at] for at in chosen[:PIECES]]
        # Directions in which the table differs most, over a wide choice of pieces.
        wide = vectors[chosen[:40_000]]
        wide /= np.linalg.norm(wide, axis=1, keepdims=True) + 1e-9
        wide -= wide.mean(axis=0)
        strength, turned = np.linalg.eigh(wide.T @ wide)
        table = wide @ turned[:, np.argsort(-strength)[:WIDTH]]
        table = (table / table.std())[:PIECES]
        self.table = np.vstack([np.zeros((1, WIDTH)), table]).astype(np.float32)
        self.known = {name: at for at, name in enumerate(self.names, 1)}
        self.pieces = brain.pieces
        texts = list(talk())
        spoken = " ".join(text for where, text in texts if where.startswith("hand_"))
        english = Counter(re.findall(r"(?<![A-Za-z])[a-z]{4,9}(?![A-Za-z])", spoken))
        korean = Counter(re.findall(r"(?<![가-힣])([가-힣]{2,3})(?:을|를) ", spoken))
        self.words = sorted(word for word, count in english.items() if count >= 3)
        self.nouns = sorted(word for word, count in korean.items() if count >= 2)
        self.draw = Draw(random.Random(SEED), False, self.words, self.nouns)
        self.lines = [self._line(hand, row) for hand, row in rows()]
        self._beside()
        self.frames = [
            made
            for row in framed(DRAWN, self.words, self.nouns, SEED + 4)
            if (made := self.numbers(row["text"], spots_in(row["text"], values_of(row))))
        ]
        drawn = random.Random(SEED)
        drawn.shuffle(texts)
        self.watched = [text for where, text in texts if where in WATCHED][:6_000]
        learned = [text for where, text in texts if where not in WATCHED]
        digits = [text for text in learned if re.search(r"\d", text)][:6_000]
        words = [text for text in learned if not re.search(r"\d", text)][:7_000]
        self.talk = self._plain([*digits, *words])

    def numbers(self, text: str, spots: Spots) -> Numbers | None:
        """Read a text as the nets do."""
        seen = see(text)
        runs = runs_of(seen, self.known)[:MOST_RUNS]
        if not runs or len(seen.text) != len(text):
            return None
        parts, rows = windows_of(seen.low, runs, self.pieces)
        # One window is enough to learn from.
        runs = [run for run, row in zip(runs, rows, strict=True) if row[0] == 0]
        sights = np.zeros((len(runs), SIGHTS), np.uint8)
        for at, run in enumerate(runs):
            sights[at, list(run.sights)] = 1
        goal = [any(run.start < end and start < run.end for start, end in spots) for run in runs]
        ends = np.array([(run.first, run.last) for run in runs])
        places = np.array([row[1:] for row in rows if row[0] == 0])
        return Numbers(ends, sights, np.array(goal, np.float32), tuple(parts[0]), places)

    def _plain(self, texts: Any) -> list[Numbers]:
        found = (self.numbers(text, []) for text in texts if not ruled(text))
        return [each for each in found if each and len(each.ends) <= 100]

    def _line(self, hand: str, row: Row) -> Line:
        messages, values = messages_of(row), values_of(row)
        apart = [self.numbers(m, spots_in(m, [v for v in values if v in m])) for m in messages]
        line = Line(row, hand, [e for e in apart if e])
        text = "\n\n".join(messages)
        for number in range(VARIANTS):
            spots = spots_in(text, values)
            said = self._noised(text, spots) if number else (text, spots)
            if made := self.numbers(*said):
                line.variants.append(made)
                line.spots.append(said)
        return line

    def _noised(self, text: str, spots: Spots) -> tuple[str, Spots]:
        """Draw values anew, sometimes write all small, sometimes leave the last sign out."""
        drawn, made, moved, at = self.draw.drawn, "", Spots(), 0
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

    def _beside(self) -> None:
        """Add lines whose secret is masked already, and lines behind another harmless one."""
        drawn = random.Random(SEED)
        calm = [line for line in self.lines if not line.told and line.variants]
        for line in self.lines:
            if line.told and line.spots:
                text, spots = drawn.choice(line.spots)
                for start, end in sorted(spots, reverse=True):
                    text = text[:start] + MASK + text[end:]
                line.beside += [made] if (made := self.numbers(text, [])) else []
            other = drawn.choice(calm)
            if other.hand != "tests" and line.spots and drawn.random() < 0.5:
                (text, spots), (first, _) = drawn.choice(line.spots), other.spots[0]
                first += drawn.choice(("\n", "\n\n", "\n\n", " "))
                spots = [(start + len(first), end + len(first)) for start, end in spots]
                line.beside += [made] if (made := self.numbers(first + text, spots)) else []

    def texts(self) -> Iterator[Numbers]:
        """Yield every text once."""
        for line in self.lines:
            yield from line.messages
            yield from line.variants
            yield from line.beside
        yield from self.frames
        yield from self.talk


def with_states(data: Data) -> None:
    """Add what the encoder's first layers make of each text, as they are when it is read."""
    shipped = encoder.learned(read(encoder.SHIPPED))
    for each in data.texts():
        middle = shipped.states(each.pieces, "document")[0] if each.pieces else np.zeros((1, 384))
        each.middle = middle.astype(np.float16)


def rounds_of(data: Data, lines: Sequence[Line], drawn: random.Random, size: int
              ) -> list[list[Numbers]]:  # fmt: skip
    """Return what is learned from in one round, in groups of texts of like length."""
    chosen = [drawn.choice(line.variants) for line in lines if line.variants]
    chosen += [each for line in lines if len(line.messages) > 1 for each in line.messages]
    chosen += [drawn.choice(e.beside) for e in lines if e.beside and drawn.random() < 0.3]
    chosen += [e for line in lines if line.hand == "tests" for e in line.variants[:3]]
    chosen += drawn.sample(data.talk, TALK) + drawn.sample(data.frames, FRAMES)
    drawn.shuffle(chosen)
    groups = []
    for at in range(0, len(chosen), 16 * size):
        alike = sorted(chosen[at : at + 16 * size], key=lambda each: len(each.pieces))
        groups += [alike[start : start + size] for start in range(0, len(alike), size)]
    drawn.shuffle(groups)
    return groups


def taught(data: Data, lines: Sequence[Line], net: Any, look: bool) -> dict[str, np.ndarray]:
    """Teach a net on lines, talk and frames; return its weights, as a running mean of them."""
    import torch
    from torch.nn import functional

    drawn, epochs = random.Random(SEED), LOOK_EPOCHS if look else EPOCHS
    slow = [each for name, each in net.named_parameters() if name.startswith("below.")]
    fast = [each for name, each in net.named_parameters() if not name.startswith("below.")]
    rate = LOOK_RATE if look else RATE
    groups = [{"params": fast, "lr": rate, "weight_decay": PULL}]
    groups += [{"params": slow, "lr": rate * SLOWER, "weight_decay": PULL}] if slow else []
    moves = torch.optim.AdamW(groups)
    mean, steps = {name: each.clone() for name, each in net.state_dict().items()}, 0
    course: Any = None
    for epoch in range(epochs):
        some = rounds_of(data, lines, drawn, LOOK_BATCH if look else BATCH)
        if course is None:
            most = int((1.02 * len(some) + 2) * epochs)
            course = torch.optim.lr_scheduler.OneCycleLR(
                moves, [group["lr"] for group in groups], total_steps=most, pct_start=0.15
            )
        net.train()
        net.narrow = epoch >= NARROW_FROM
        total_loss = 0.0
        for group in some:
            said, mask, goal = net(*(look_batch(group) if look else glance_batch(data, group)))
            loss = functional.binary_cross_entropy_with_logits(
                said, goal, reduction="none", pos_weight=torch.tensor(2.0)
            )
            # What counts is whether a line is touched at all: its loudest run.
            loudest = torch.logsumexp(2 * said.masked_fill(mask == 0, -30.0), 1) / 2
            whole = functional.binary_cross_entropy_with_logits(loudest, (goal.sum(1) > 0).float())
            total = 4 * ((loss * mask).sum(1) / mask.sum(1)).mean() + whole
            moves.zero_grad()
            total.backward()
            torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            moves.step()
            course.step()
            total_loss += float(whole.detach())
            steps += 1
            share = min(SLOWEST, steps / (steps + 10))
            with torch.no_grad():
                for name, each in net.state_dict().items():
                    mean[name].mul_(share).add_(each, alpha=1 - share)
        print(time.strftime("%X"), f"{total_loss / len(some):.4f}", end=" ", flush=True)
    print()
    return {name: each.numpy() for name, each in mean.items()}


def glance_net() -> Any:
    """Return the glance: one layer per run, two convolutions, the whole text beside each run."""
    import torch
    from torch import nn

    class Glance(nn.Module):
        """Says of each run whether it belongs to a secret."""

        def __init__(self) -> None:
            super().__init__()
            self.inp = nn.Linear(2 * WIDTH + SIGHTS, HIDDEN)
            self.c1 = nn.Conv1d(HIDDEN, HIDDEN, 5, padding=2)
            self.c2 = nn.Conv1d(HIDDEN, HIDDEN, 5, padding=6, dilation=3)
            self.whole = nn.Linear(2 * HIDDEN, HIDDEN)
            self.mid = nn.Linear(2 * HIDDEN, HIDDEN)
            self.out = nn.Linear(HIDDEN, 1)
            self.drop = nn.Dropout(DROP)

        def forward(self, seen: Any, mask: Any, goal: Any) -> Any:
            there = mask[:, None]
            x = self.drop(torch.relu(self.inp(seen)) * mask[..., None]).transpose(1, 2)
            x = self.drop((x + torch.relu(self.c1(x))) * there)
            x = (x + torch.relu(self.c2(x))) * there
            pooled = torch.cat([x.sum(2) / there.sum(2), x.max(2).values], 1)
            about = torch.relu(self.whole(self.drop(pooled)))
            each = torch.cat([x.transpose(1, 2), about[:, None].expand(-1, x.shape[2], -1)], 2)
            return self.out(torch.relu(self.mid(self.drop(each))))[..., 0], mask, goal

    torch.manual_seed(SEED)
    return Glance()


def look_net() -> Any:
    """Return the look: the encoder's last layers, free to learn on, and a head over runs."""
    import torch
    from torch import nn

    from encoder_model import Layer, Shape

    class Look(nn.Module):
        """Says of each run whether it belongs to a secret, from the states of its pieces."""

        def __init__(self) -> None:
            super().__init__()
            self.below = nn.ModuleDict(
                {"tuned": nn.ModuleList(Layer(Shape(), 0.1) for _ in range(TUNED_LAYERS))}
            )
            self.inp = nn.Linear(3 * 384 + SIGHTS, LOOK)
            self.near = nn.Conv1d(LOOK, LOOK, 5, padding=2)
            self.out = nn.Linear(LOOK, 1)
            self.drop, self.narrow = nn.Dropout(DROP), False

        def forward(self, x: Any, seen: Any, places: Any, sights: Any, mask: Any, goal: Any) -> Any:
            for layer in self.below["tuned"]:
                x = layer(x, seen, self.narrow)
            wide = places[..., None].expand(-1, -1, -1, x.shape[-1])
            ends = [torch.gather(x, 1, wide[:, :, which]) for which in (0, 1)]
            about = x[:, :1].expand(-1, places.shape[1], -1)
            x = torch.cat([self.drop(torch.cat([*ends, about], 2)), sights], 2)
            x = self.drop(torch.relu(self.inp(x)) * mask[..., None])
            beside = torch.relu(self.near(x.transpose(1, 2))).transpose(1, 2)
            return self.out(self.drop(x + beside))[..., 0], mask, goal

    torch.manual_seed(SEED)
    net = Look()
    for layer, at in zip(net.below["tuned"], (4, 5), strict=True):
        held = encoder_layer(at)
        with torch.no_grad():
            for name, value in layer.named_parameters():
                value.copy_(torch.tensor(held[name]))
    return net


def encoder_layer(at: int) -> dict[str, np.ndarray]:
    """Return the numbers of a layer of the encoder that ships, as they are multiplied."""
    import onnx

    graph = onnx.load_from_string(read(encoder.SHIPPED).arrays()["layers"].tobytes())
    held = {each.name: onnx.numpy_helper.to_array(each) for each in graph.graph.initializer}
    found = {}
    for name in ("looks", "joined", "inner", "outer"):
        steps = held[f"{at}.{name}.s"][None]
        found[f"{name}.weight"] = (held[f"{at}.{name}.w"].astype(np.float32) * steps).T.copy()
        found[f"{name}.bias"] = held[f"{at}.{name}.b"]
    for name in ("norm_joined", "norm_outer"):
        found[f"{name}.weight"], found[f"{name}.bias"] = (
            held[f"{at}.{name}.g"],
            held[f"{at}.{name}.b"],
        )
    return found


def glance_batch(data: Data, group: Sequence[Numbers]) -> tuple[Any, ...]:
    """Return some texts side by side for the glance; some words and sights are left out."""
    import torch

    longest = max(len(each.ends) for each in group)
    ends = np.zeros((len(group), longest, 2), np.int64)
    sights = np.zeros((len(group), longest, SIGHTS), np.float32)
    mask, goal = np.zeros((2, len(group), longest), np.float32)
    for at, each in enumerate(group):
        size = len(each.ends)
        ends[at, :size], sights[at, :size] = each.ends, each.sights
        mask[at, :size], goal[at, :size] = 1, each.goal
    known, seen = torch.tensor(ends), torch.tensor(sights)
    known = known * (torch.rand(*known.shape[:2], 1) > 0.1)
    seen = seen * (torch.rand_like(seen) > 0.05)
    vectors = torch.from_numpy(data.table)[known].flatten(2)
    return torch.cat([vectors, seen], 2), torch.tensor(mask), torch.tensor(goal)


def look_batch(group: Sequence[Numbers]) -> tuple[Any, ...]:
    """Return some texts side by side for the look; some pieces and sights are left out."""
    import torch

    longest, pieces = max(len(e.ends) for e in group), max(len(e.middle) for e in group)
    x = np.zeros((len(group), pieces, 384), np.float32)
    there = np.zeros((len(group), pieces), bool)
    places = np.zeros((len(group), longest, 2), np.int64)
    sights = np.zeros((len(group), longest, SIGHTS), np.float32)
    mask, goal = np.zeros((2, len(group), longest), np.float32)
    for at, each in enumerate(group):
        size = len(each.ends)
        x[at, : len(each.middle)], there[at, : len(each.middle)] = each.middle, True
        places[at, :size], sights[at, :size] = 1 + each.places, each.sights
        mask[at, :size], goal[at, :size] = 1, each.goal
    states, seen = torch.tensor(x), torch.tensor(sights)
    lost = torch.rand(states.shape[:2]) < 0.06
    lost[:, 0] = False
    seen = seen * (torch.rand_like(seen) > 0.05)
    return (states.masked_fill(lost[..., None], 0.0), torch.tensor(there), torch.tensor(places),
            seen, torch.tensor(mask), torch.tensor(goal))  # fmt: skip


def pair_of(data: Data, lines: Sequence[Line]) -> dict[str, np.ndarray]:
    """Teach a glance and a look; return what the file holds of them."""
    glance = taught(data, lines, glance_net(), look=False)
    look = taught(data, lines, look_net(), look=True)
    steps = np.maximum(np.abs(data.table).max(axis=0), 1e-6) / 127
    made = {
        "pieces": np.frombuffer("\n".join(data.names).encode(), np.uint8),
        "glance_table": np.round(data.table / steps).astype(np.int8),
        "glance.steps": steps.astype(np.float32),
    }
    for prefix, held, wide in (("glance", glance, {"c1": "near", "c2": "far"}),
                               ("look", look, {"near": "near"})):  # fmt: skip
        for name, array in held.items():
            part, _, which = name.rpartition(".")
            if part.startswith("below"):
                continue
            to = f"{prefix}.{wide.get(part, part)}"
            if which == "bias":
                made[f"{to}_bias"] = array.astype(np.float32)
            else:
                turned = array.transpose(2, 1, 0) if part in wide else array.T
                made[to] = np.ascontiguousarray(turned).astype(np.float16)
    below = {name: array for name, array in look.items() if name.startswith("below.")}
    made["layers"] = np.frombuffer(own_layers(below), np.uint8)
    return made


def pack(arrays: Mapping[str, np.ndarray], bounds: Mapping[str, float], into: Path) -> None:
    """Write what was taught as a file that can be read."""
    notes = {
        "model": MODEL, "licence": LICENCE, "encoder": read(encoder.SHIPPED).notes["checksum"],
        **{name: str(float(bounds[name])) for name in Bounds._fields},
    }  # fmt: skip
    write(into, dict(arrays), notes)
    raw = into.read_bytes()
    print(f"{into.name}: {len(raw):,} bytes, sha256 {hashlib.sha256(raw).hexdigest()}")


# -- Choosing: hands that a pair of nets has not seen


def thirds(data: Data) -> list[set[str]]:
    """Return the hands in three parts, old and new ones in each."""
    hands = sorted({line.hand for line in data.lines} - {"tests", "rules"}, key=int)
    return [set(hands[at::3]) for at in range(3)]


class Remembering(SecretReader):
    """Reads each text once, however often its bounds are changed."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._said: dict[Any, Any] = {}

    def glance(self, runs: Any, sights: int) -> Any:
        """Return what was said before."""
        key = tuple(runs)
        if key not in self._said:
            self._said[key] = super().glance(runs, sights)
        return self._said[key]

    def look(self, text: str, runs: Any, sights: int) -> Any:
        """Return what was said before."""
        key = text, tuple(runs)
        if key not in self._said:
            self._said[key] = super().look(text, runs, sights)
        return self._said[key]


def choices() -> Iterator[Bounds]:
    """Yield what is tried."""
    for least, more, share in itertools.product((0.0, 1.0, 2.0), (0.5, 1.0), (0.25, 0.4)):
        yield Bounds(gate=-5.0, least=least, word=least + more, beside=least - 1.0, share=share,
                     alone=0.8, odd=2.0, plain=4.0)  # fmt: skip


def chosen_among(data: Data, folder: Path, tried: Sequence[Bounds]) -> None:
    """Print what each choice of bounds holds of the hands left out, and how much talk it touches."""
    sys.path.insert(0, str(HERE / "bench"))
    import told_secrets as bench

    del sys.path[0]
    counts = {each: Counter() for each in tried}
    for third, hands in enumerate(thirds(data)):
        learned = Remembering(folder / f"third_{third}.safetensors")
        told_secrets.reader = lambda learned=learned: learned
        lines = [line for line in data.lines if line.hand in hands]
        for each in tried:
            learned.bounds = each
            guard._CLEAN.clear()
            for line in lines:
                for kind, made in bench.judged(line.row).items():
                    of = f"{line.row['lang']} {kind}"
                    counts[each][of] += made
                    counts[each][f"of {of}"] += 1
                    counts[each][f"{line.hand} {kind}"] += made
                    counts[each][f"of {line.hand} {kind}"] += 1
            for name, texts in (("watched", data.watched), ("lives", bench.plain_turns())):
                counts[each][name] += sum(bool(guard.screen(text).held) for text in texts)
                counts[each][f"of {name}"] += len(texts)
    for each, found in counts.items():
        shares = {
            name: round(100 * found[name] / found[f"of {name}"], 1)
            for name in sorted(found)
            if not name.startswith("of ") and not name[0].isdigit()
        }
        print(each, json.dumps(shares), flush=True)
        if len(tried) == 1:
            print({name: (found[name], found[f"of {name}"]) for name in sorted(found)
                   if name[0].isdigit()})  # fmt: skip


def main() -> None:
    """Do one step."""
    step, *rest = sys.argv[1:]
    data, noted = Data(), json.loads(CARD.read_text("utf-8"))
    print(f"{len(data.lines)} lines, {len(data.frames)} of frames, {len(data.talk)} of talk")
    if step == "bounds":
        chosen_among(data, Path(rest[0]), [Bounds(**noted["bounds"])] if rest[1:] else [*choices()])
        return
    with_states(data)
    if step == "teach":
        made = pair_of(data, data.lines)
        if not rest:  # the glance that ships was taught on fewer hands and touches less talk
            held = read(SHIPPED).arrays()
            made |= {name: held[name].copy() for name in held if name.startswith("glance")}
        pack(made, noted["bounds"], SHIPPED)
        return
    for third, hands in enumerate(thirds(data)):
        lines = [line for line in data.lines if line.hand not in hands]
        into = Path(rest[0]) / f"third_{third}.safetensors"
        pack(pair_of(data, lines), noted["bounds"], into)


if __name__ == "__main__":
    main()

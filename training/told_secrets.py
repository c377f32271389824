"""Step 17: teach the reader of secrets that are told in passing.

    python training/told_secrets.py measure [HAND ...]  # leave each hand out, print what is found
    python training/told_secrets.py teach               # on all hands; writes the file that ships
    python training/told_secrets.py teach on            # goes on from that file for a few rounds

Learns from tests/data/soft_secrets_tune.jsonl and training/told_secrets/*.jsonl (a hand each),
lines drawn from training/told_secrets/frames.txt, the tuning half of the secrets, what the tests of the
rules hold, and, as talk that tells nothing, training/scenes and training/turns. The scenes of three hands are left out and the
lives of bench/data/lives are not learned from: alarms are counted there. Needs torch; two cores
need about ten minutes for one net.
"""

from __future__ import annotations

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

from saegim.engines.brain.model import Static, read, write
from saegim.guard.passwords import passwords
from saegim.guard.secrets import private_numbers, secrets
from saegim.guard.told_secrets import SHIPPED, SIGHTS, runs_of, shaped_secrets
from saegim.guard.visible_text import see
from told_frames import Draw, framed, redrawn

HERE: Final = Path(__file__).parents[1]
TUNED: Final = HERE / "tests" / "data" / "soft_secrets_tune.jsonl"
RULED: Final = HERE / "tests" / "data" / "secrets_tune.jsonl"
OWN: Final = Path(__file__).parent / "told_secrets"
CARD: Final = OWN / "card.json"
WATCHED: Final = ("hand_9", "hand_15", "hand_16")
# Hands 7, 8 and 9 knew the lines of 1, 2 and 5, and the frames those of 11 to 17: 18 knew none.
LEFT_OUT: Final = ("1", "2", "5", "18")
NAME: Final = "told-secrets-ko-en-1"
SEED, VARIANTS, DRAWN = 7, 6, 30
PIECES, WIDTH, HIDDEN, MOST_RUNS = 24_000, 96, 96, 160
EPOCHS, BATCH, RATE, PULL, DROP = 13, 96, 2.5e-3, 0.02, 0.3
TALK, FRAMES, GOING_ON, SLOWEST = 2_500, 4_000, 4, 0.998
LEASTS: Final = (0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0)
MASK: Final = "[held:password#1]"

Row = Mapping[str, Any]
Spots = list[tuple[int, int]]


@dataclass(slots=True)
class Numbers:
    """A text as the network sees it, and which of its runs are secret."""

    text: str
    spots: Spots
    at: list[tuple[int, int]]
    ends: np.ndarray
    sights: np.ndarray
    goal: np.ndarray


@dataclass(slots=True)
class Line:
    """A labelled line in several variants; one told over several messages also message by message."""

    row: Row
    hand: str
    ruled: list[Spots]
    messages: list[Numbers]
    variants: list[Numbers] = field(default_factory=list)
    beside: list[Numbers] = field(default_factory=list)

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
    for path in sorted((HERE / "bench" / "data" / "lives").glob("*.jsonl")):
        for row in rows_in(path):
            for turn in row.get("turns", ()):
                if turn["role"] == "user" and not turn.get("secret"):
                    yield "life", turn["text"]


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
    """Everything that is learned from or measured on."""

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
        watched = [text for where, text in texts if where in WATCHED][:5_000]
        learned = [text for where, text in texts if where not in (*WATCHED, "life")]
        digits = [text for text in learned if re.search(r"\d", text)][:11_000]
        words = [text for text in learned if not re.search(r"\d", text)][:14_000]
        self.talk = self._plain([*digits, *words])
        self.scenes = self._plain(watched)
        self.lives = self._plain(text for where, text in texts if where == "life")

    def numbers(self, text: str, spots: Spots) -> Numbers | None:
        """Read a text as the network does."""
        seen = see(text)
        runs = runs_of(seen, self.known)[:MOST_RUNS]
        if not runs or len(seen.text) != len(text):
            return None
        sights = np.zeros((len(runs), SIGHTS), np.uint8)
        for at, run in enumerate(runs):
            sights[at, list(run.sights)] = 1
        goal = [any(run.start < end and start < run.end for start, end in spots) for run in runs]
        places = [(run.start, run.end) for run in runs]
        ends = np.array([(run.first, run.last) for run in runs])
        return Numbers(text, spots, places, ends, sights, np.array(goal, np.float32))

    def _plain(self, texts: Any) -> list[Numbers]:
        found = (self.numbers(text, []) for text in texts if not screen_rules(text))
        return [each for each in found if each and len(each.at) <= 100]

    def _line(self, hand: str, row: Row) -> Line:
        messages, values = messages_of(row), values_of(row)
        apart = [self.numbers(m, spots_in(m, [v for v in values if v in m])) for m in messages]
        line = Line(row, hand, [ruled(each) for each in messages], [e for e in apart if e])
        text = "\n\n".join(messages)
        for number in range(VARIANTS):
            spots = spots_in(text, values)
            made = self.numbers(*(self._noised(text, spots) if number else (text, spots)))
            line.variants += [made] if made else []
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
            for each in (
                drawn.sample(line.variants, min(2, len(line.variants))) if line.told else ()
            ):
                text = each.text
                for start, end in sorted(each.spots, reverse=True):
                    text = text[:start] + MASK + text[end:]
                line.beside += [made] if (made := self.numbers(text, [])) else []
            other = drawn.choice(calm)
            if other.hand in (line.hand, "7") and line.variants:
                each, first = drawn.choice(line.variants), other.variants[0].text
                first += drawn.choice(("\n", "\n\n", " "))
                spots = [(start + len(first), end + len(first)) for start, end in each.spots]
                line.beside += [made] if (made := self.numbers(first + each.text, spots)) else []


def screen_rules(text: str) -> bool:
    """Say whether the rules find anything: then it is no plain talk."""
    return bool(ruled(text))


def fitted(data: Data, lines: Sequence[Line], *, taught: Any = None, seed: int = 0) -> Any:
    """Teach a net on lines, talk and frames; one that was taught before goes on, more slowly."""
    import torch
    from torch.nn import functional

    torch.manual_seed(seed)
    drawn, net = random.Random(seed), taught or network()
    epochs, rate = (GOING_ON, RATE / 4) if taught else (EPOCHS, RATE)
    moves = torch.optim.AdamW(net.parameters(), lr=rate, weight_decay=PULL)
    # What is kept is a running mean of the weights: it swings less than the last of them.
    mean, steps = {name: each.clone() for name, each in net.state_dict().items()}, 0
    course: Any = None
    for _ in range(epochs):
        chosen = [drawn.choice(line.variants) for line in lines if line.variants]
        chosen += [each for line in lines if len(line.messages) > 1 for each in line.messages]
        chosen += [drawn.choice(e.beside) for e in lines if e.beside and drawn.random() < 0.3]
        chosen += [e for line in lines if line.hand == "tests" for e in line.variants[:3]]
        chosen += drawn.sample(data.talk, TALK) + drawn.sample(data.frames, FRAMES)
        drawn.shuffle(chosen)
        groups = []
        for at in range(0, len(chosen), 16 * BATCH):
            alike = sorted(chosen[at : at + 16 * BATCH], key=lambda each: len(each.at))
            groups += [alike[start : start + BATCH] for start in range(0, len(alike), BATCH)]
        drawn.shuffle(groups)
        if course is None:
            most = int((1.02 * len(groups) + 2) * epochs)
            course = torch.optim.lr_scheduler.OneCycleLR(moves, rate, total_steps=most)
        print(time.strftime("%X"), end=" ", flush=True)
        net.train()
        for group in groups:
            seen, mask, goal = batch(data, group, torch, blurred=True)
            said = net(seen, mask)
            loss = functional.binary_cross_entropy_with_logits(
                said, goal, reduction="none", pos_weight=torch.tensor(2.0)
            )
            # What counts is whether a line is touched at all: its loudest run.
            loudest = torch.logsumexp(2 * said.masked_fill(mask == 0, -30.0), 1) / 2
            whole = functional.binary_cross_entropy_with_logits(loudest, (goal.sum(1) > 0).float())
            total = 4 * ((loss * mask).sum(1) / mask.sum(1)).mean() + whole
            moves.zero_grad()
            total.backward()
            moves.step()
            course.step()
            steps += 1
            share = min(SLOWEST, steps / (steps + 10))
            for name, each in net.state_dict().items():
                mean[name].mul_(share).add_(each, alpha=1 - share)
    net.load_state_dict(mean)
    return net.eval()


def network() -> Any:
    """Return the net: one layer per run, two convolutions, the whole text beside each run."""
    import torch
    from torch import nn

    class Net(nn.Module):
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

        def forward(self, seen: Any, mask: Any) -> Any:
            there = mask[:, None]
            x = self.drop(torch.relu(self.inp(seen)) * mask[..., None]).transpose(1, 2)
            x = self.drop((x + torch.relu(self.c1(x))) * there)
            x = (x + torch.relu(self.c2(x))) * there
            pooled = torch.cat([x.sum(2) / there.sum(2), x.max(2).values], 1)
            about = torch.relu(self.whole(self.drop(pooled)))
            each = torch.cat([x.transpose(1, 2), about[:, None].expand(-1, x.shape[2], -1)], 2)
            return self.out(torch.relu(self.mid(self.drop(each))))[..., 0]

    return Net()


def batch(
    data: Data, group: Sequence[Numbers], torch: Any, *, blurred: bool = False
) -> tuple[Any, ...]:
    """Return some texts side by side; blurred, some words and sights are left out."""
    longest = max(len(each.at) for each in group)
    ends = np.zeros((len(group), longest, 2), np.int64)
    sights = np.zeros((len(group), longest, SIGHTS), np.float32)
    mask, goal = np.zeros((2, len(group), longest), np.float32)
    for at, each in enumerate(group):
        size = len(each.at)
        ends[at, :size], sights[at, :size] = each.ends, each.sights
        mask[at, :size], goal[at, :size] = 1, each.goal
    known, seen = torch.tensor(ends), torch.tensor(sights)
    if blurred:
        known = known * (torch.rand(*known.shape[:2], 1) > 0.1)
        seen = seen * (torch.rand_like(seen) > 0.05)
    vectors = torch.from_numpy(data.table)[known].flatten(2)
    return torch.cat([vectors, seen], 2), torch.tensor(mask), torch.tensor(goal)


def said_of(data: Data, net: Any, texts: Sequence[Numbers]) -> list[np.ndarray]:
    """Return what a net says of every run of every text."""
    import torch

    found: list[np.ndarray] = [np.empty(0)] * len(texts)
    order = sorted(range(len(texts)), key=lambda at: len(texts[at].at))
    with torch.no_grad():
        for start in range(0, len(order), BATCH):
            group = order[start : start + BATCH]
            seen, mask, _ = batch(data, [texts[at] for at in group], torch)
            for at, said in zip(group, net(seen, mask).numpy(), strict=True):
                found[at] = said[: len(texts[at].at)]
    return found


@dataclass(slots=True)
class Judged:
    """A line of a hand that was left out, and what the others made of its messages."""

    line: Line
    said: list[np.ndarray]

    def held(self, least: float) -> bool:
        """Say whether every value is touched, by the rules or by the network."""
        return all(
            any(a < end and start < b for a, b in [*rules, *_over(each, said, least)])
            for each, said, rules in zip(
                self.line.messages, self.said, self.line.ruled, strict=True
            )
            for start, end in each.spots
        )

    def alarmed(self, least: float) -> bool:
        """Say whether anything at all is touched."""
        return any(self.line.ruled) or any(said.max() > least for said in self.said)


def _over(text: Numbers, said: np.ndarray, least: float) -> Spots:
    return [place for place, one in zip(text.at, said, strict=True) if one > least]


def measured(data: Data, hands: Sequence[str] = LEFT_OUT) -> dict[str, Any]:
    """Leave each hand out in turn; print and return what is held at each threshold."""
    judged: list[Judged] = []
    alarms: dict[str, list[float]] = {"scenes": [], "lives": []}
    for hand in hands:
        began = time.time()
        net = fitted(data, [line for line in data.lines if line.hand != hand])
        judged += [
            Judged(line, said_of(data, net, line.messages))
            for line in data.lines
            if line.hand == hand
        ]
        for name, texts in (("scenes", data.scenes), ("lives", data.lives)):
            alarms[name] += [float(said.max()) for said in said_of(data, net, texts)]
        print(f"hand {hand}: {time.time() - began:.0f} s", flush=True)
    found: dict[str, Any] = {}
    for least in LEASTS:
        told = {g: [e.held(least) for e in judged if e.line.told and e.line.row["lang"] == g]
                for g in ("ko", "en")}  # fmt: skip
        calm = {g: [e.alarmed(least) for e in judged if not e.line.told and e.line.row["lang"] == g]
                for g in ("ko", "en")}  # fmt: skip
        quiet = {
            name: sum(one > least for one in said) / len(said) for name, said in alarms.items()
        }
        found[str(least)] = {
            "held": {g: [sum(each), len(each)] for g, each in told.items()},
            "alarms": {g: [sum(each), len(each)] for g, each in calm.items()},
            "talk": {name: round(share, 5) for name, share in quiet.items()},
        }
        print(least, json.dumps(found[str(least)]), flush=True)
    return found


def pack(data: Data, weights: Mapping[str, np.ndarray], bounds: Mapping[str, float]) -> None:
    """Write what was taught as the file that ships."""
    steps = np.maximum(np.abs(data.table).max(axis=0), 1e-6) / 127
    arrays = {
        "pieces": np.frombuffer("\n".join(data.names).encode(), np.uint8),
        "table": np.round(data.table / steps).astype(np.int8),
        "steps": steps.astype(np.float32),
    }
    for name, as_named in (("inp", "inp"), ("whole", "whole"), ("mid", "mid"), ("out", "out")):
        arrays[as_named] = weights[f"{name}.weight"].T.astype(np.float16)
        arrays[f"{as_named}_bias"] = weights[f"{name}.bias"].astype(np.float32)
    for name, as_named in (("c1", "near"), ("c2", "far")):
        arrays[as_named] = weights[f"{name}.weight"].transpose(2, 1, 0).astype(np.float16)
        arrays[f"{as_named}_bias"] = weights[f"{name}.bias"].astype(np.float32)
    notes = {"model": NAME, "licence": "Apache-2.0", **{k: str(v) for k, v in bounds.items()}}
    write(SHIPPED, arrays, notes)
    print(f"{SHIPPED.name}: {SHIPPED.stat().st_size:,} bytes")


def unpacked() -> Any:
    """Return the net of the file that ships."""
    import torch

    arrays, net = read(SHIPPED).arrays(), network()
    named = {"c1": "near", "c2": "far"}
    weights = {}
    for name in ("inp", "c1", "c2", "whole", "mid", "out"):
        held = arrays[named.get(name, name)].astype(np.float32)
        held = held.transpose(2, 1, 0) if name in named else held.T
        weights[f"{name}.weight"] = torch.tensor(held.copy())
        weights[f"{name}.bias"] = torch.tensor(arrays[f"{named.get(name, name)}_bias"].copy())
    net.load_state_dict(weights)
    return net


def main() -> None:
    """Measure, or teach on everything and write the file."""
    step, *hands = sys.argv[1:]
    data = Data()
    print(f"{len(data.lines)} lines, {len(data.frames)} of frames, {len(data.talk)} of talk")
    if step == "measure":
        measured(data, hands or LEFT_OUT)
        return
    net = fitted(data, data.lines, taught=unpacked() if hands else None)
    for name, texts in (("scenes", data.scenes), ("lives", data.lives)):
        loudest = np.array([said.max() for said in said_of(data, net, texts)])
        shares = {least: round(float((loudest > least).mean()), 4) for least in LEASTS}
        print(name, shares, flush=True)
    weights = {name: value.numpy() for name, value in net.state_dict().items()}
    noted = json.loads(CARD.read_text("utf-8"))
    pack(data, weights, noted["bounds"])


if __name__ == "__main__":
    main()

"""Step 21: teach the reader of feedback (praise, blame or neither) on lines written for it.

    python training/feedback.py measure   # leaves the open hands out in four groups and prints how they are read
    python training/feedback.py curve     # the same, with a quarter, a half and all of the other hands
    python training/feedback.py teach     # on all open hands; writes the file that ships
    python training/feedback.py held      # reads the frozen half, and counts that it was read

Learns from tests/data/feedback_tune.jsonl (hands 1 to 3 and 7 to 61), lines drawn from training/feedback/frames.txt, and,
as talk that judges nothing, the turns of training/turns that tell something. The encoder's first four layers stay as they
are, so their states are reckoned once; its last two go on learning, as this reader's own. Seeded;
that a second run writes the same bytes was not tried. On an accelerator (torch, numpy, onnx) a minute; on two cores some six minutes, `measure` four times as long.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from claims import own_layers
from encoder_model import Layer, Shape
from saegim.engines.brain.encoder import Contextual
from saegim.engines.brain.feedback_reader import (
    LABELS,
    ROWS,
    SHIPPED,
    FeedbackReader,
    FeedbackSigns,
    signs,
)
from saegim.engines.brain.model import write
from told_secrets import encoder_layer

HERE: Final = Path(__file__).parents[1]
OPEN: Final = HERE / "tests" / "data" / "feedback_tune.jsonl"
FROZEN: Final = HERE / "tests" / "data" / "feedback_held.jsonl"
READINGS: Final = Path(__file__).parent / "feedback" / "readings.txt"
FRAMES: Final = Path(__file__).parent / "feedback" / "frames.txt"
TURNS: Final = Path(__file__).parent / "turns"
SEED: Final = 7
DRAWN, TALK = 1500, 900
# What a line by a hand, a drawn line and a line of talk count.
WEIGHTS: Final = {"hand": 4.0, "drawn": 1.0, "talk": 0.7}
EPOCHS, BATCH = 4, 96
# How fast the layers, what looks at their states and the hashed words learn, and what is left out
# while they do.
RATES: Final = {
    "below": 7e-4,
    "look": 2e-3,
    "out": 2e-3,
    "scores": 2e-2,
    "plain": 2e-2,
    "bias": 2e-2,
}
TUNED, NARROW_FROM = 2, 2  # from this round on it learns with the few bits it will have
PULL, SMOOTH = 0.02, 0.02
DROP, FORGET, POOLED, FORGET_ROWS = 0.15, 0.05, 0.2, 0.1
DEVICE: Final = "cuda" if torch.cuda.is_available() else "cpu"
# Hands that are left out together.
GROUPS: Final = (
    (1, 7, 10, 13, 17, *range(24, 68, 4)),
    (2, 8, 11, 14, 18, *range(21, 68, 4)),
    (3, 9, 12, 15, 19, *range(22, 68, 4)),
    (16, 20, *range(23, 68, 4)),
)

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Line:
    """A line to learn from, and what the reader sees of it."""

    row: Row
    seen: FeedbackSigns


def rows_in(path: Path) -> list[Row]:
    """Return the lines of a file."""
    return [json.loads(each) for each in path.read_text("utf-8").splitlines() if each.strip()]


def drawn() -> list[Row]:
    """Draw lines from the frames."""
    words: dict[str, list[str]] = {}
    frames: dict[tuple[str, str], list[str]] = {}
    for line in FRAMES.read_text("utf-8").splitlines():
        if line.startswith("#") or not line.strip():
            continue
        if found := re.fullmatch(r"(\w+) = (.*)", line):
            words[found[1]] = [each.strip() for each in found[2].split("|")]
        else:
            lang, mark, frame = line.split(" ", 2)
            frames.setdefault((lang, mark), []).append(frame)
    chance = random.Random(SEED)
    labels = {"+": "positive", "-": "negative", "0": "none"}
    found_rows = []
    for (lang, mark), some in sorted(frames.items()):
        for _ in range(DRAWN // 6):
            frame = chance.choice(some)
            text = re.sub(r"\{(\w+)\}", lambda each: chance.choice(words[each[1]]), frame)
            text += chance.choice(("", "", ".", "!", "~", " ㅋㅋ" if lang == "ko" else " lol"))
            if chance.random() < 0.3:
                text = text[:1].upper() + text[1:]
            row = {"text": text, "lang": lang, "label": labels[mark], "from": "drawn"}
            found_rows.append(row)
    return found_rows


def talk() -> list[Row]:
    """Return turns that tell or ask something: neither praise nor blame."""
    rows = [
        {"text": row["text"], "lang": path.stem[:2], "label": "none", "from": "talk"}
        for path in sorted(TURNS.glob("*.jsonl"))
        for row in rows_in(path)
        if row["role"] == "user"
        and len(row["text"]) < 100
        and (row["keep"] >= 0.5 or row.get("asks"))
        and row.get("act", "none") in ("none", "wish")
    ]
    return random.Random(SEED).sample(rows, TALK)


def every_line() -> list[Line]:
    """Return all that may be learned from."""
    encoder = Contextual()
    hands = [{**each, "from": "hand"} for each in rows_in(OPEN)]
    return [Line(row, signs(row["text"], encoder)) for row in [*hands, *drawn(), *talk()]]


class Net(nn.Module):
    """Two layers that begin as the encoder's last, what matters of them, hashed words beside it."""

    def __init__(self) -> None:
        super().__init__()
        width, plain = Shape().width, len(signs(".", Contextual()).plain)
        self.below = nn.ModuleDict(
            {"tuned": nn.ModuleList(Layer(Shape(), DROP) for _ in range(TUNED))}
        )
        self.look = nn.Parameter(torch.zeros(2 * width, 2))
        wide = 8 * width
        self.out = nn.Parameter(torch.randn(wide, len(LABELS)) * 0.2 * wide**-0.5)
        # A row more than there are, for none.
        self.scores = nn.Parameter(torch.zeros(ROWS + 1, len(LABELS)))
        self.plain = nn.Parameter(torch.zeros(plain, len(LABELS)))
        self.bias = nn.Parameter(torch.zeros(len(LABELS)))
        self.narrow = False
        for layer, at in zip(self.below["tuned"], range(6 - TUNED, 6), strict=True):
            held = encoder_layer(at)
            with torch.no_grad():
                for name, value in layer.named_parameters():
                    value.copy_(torch.tensor(held[name]))

    def forward(self, lines: Sequence[Line]) -> torch.Tensor:
        """Return what each line is taken for."""
        size = max(len(each.seen.middle) for each in lines)
        states = np.zeros((len(lines), size, Shape().width), np.float32)
        hidden = torch.ones(len(lines), size, dtype=torch.bool)
        rows = torch.full((len(lines), max(len(each.seen.rows) for each in lines)), ROWS)
        for at, each in enumerate(lines):
            states[at, : len(each.seen.middle)] = each.seen.middle
            hidden[at, : len(each.seen.middle)] = False
            rows[at, : len(each.seen.rows)] = torch.from_numpy(each.seen.rows)
        if self.training:
            hidden |= torch.rand(hidden.shape) < FORGET
            hidden[:, :2] = False
            rows = rows.masked_fill(torch.rand(rows.shape) < FORGET_ROWS, ROWS)
        middle, hidden, rows = (
            torch.from_numpy(states).to(DEVICE),
            hidden.to(DEVICE),
            rows.to(DEVICE),
        )
        x = middle
        for layer in self.below["tuned"]:
            x = layer(x, ~hidden, self.narrow)
        x = torch.cat([middle, x], -1)
        x = x * torch.rsqrt(x.square().mean(-1, keepdim=True) + 1.1920929e-07)
        sign, x, nowhere = x[:, 0], x[:, 1:], hidden[:, 1:, None]
        matters = torch.softmax((x @ self.look).masked_fill(nowhere, -1e4), 1)
        looked = torch.einsum("btk,btd->bkd", matters, x).flatten(1)
        most = x.masked_fill(nowhere, -1e4).max(1).values
        pooled = torch.cat([looked, most, sign], -1)
        told = functional.dropout(pooled, POOLED, self.training) @ self.out
        plain = torch.from_numpy(np.stack([each.seen.plain for each in lines])).to(DEVICE)
        share = torch.tensor([each.seen.share for each in lines], device=DEVICE)[:, None]
        known = self.scores * (torch.arange(ROWS + 1, device=DEVICE) < ROWS)[:, None]
        words = share * functional.embedding(rows, known).sum(1)
        return told + plain @ self.plain + words + self.bias


def in_batches(lines: Sequence[Line], chance: random.Random) -> list[list[Line]]:
    """Return lines in batches of about one length each."""
    some, made = list(lines), []
    chance.shuffle(some)
    for at in range(0, len(some), 20 * BATCH):
        block = sorted(some[at : at + 20 * BATCH], key=lambda each: len(each.seen.middle))
        made += [block[start : start + BATCH] for start in range(0, len(block), BATCH)]
    chance.shuffle(made)
    return made


def taught(lines: Sequence[Line]) -> Net:
    """Return a net that learned from these lines."""
    torch.manual_seed(SEED)
    chance, net = random.Random(SEED), Net().to(DEVICE)
    groups = [
        {
            "params": [each for own, each in net.named_parameters() if own.split(".")[0] == name],
            "lr": rate,
        }
        for name, rate in RATES.items()
    ]
    optimiser = torch.optim.AdamW(groups, weight_decay=PULL, betas=(0.9, 0.98))
    rounds = [in_batches(lines, chance) for _ in range(EPOCHS)]
    plan = [(at, each) for at, some in enumerate(rounds) for each in some]
    course = torch.optim.lr_scheduler.OneCycleLR(
        optimiser, list(RATES.values()), total_steps=len(plan) + 1, pct_start=0.1
    )
    net.train()
    for at, some in plan:
        net.narrow = at >= NARROW_FROM
        weight = torch.tensor([WEIGHTS[each.row["from"]] for each in some], device=DEVICE)
        goal = torch.tensor([LABELS.index(each.row["label"]) for each in some], device=DEVICE)
        off = functional.cross_entropy(net(some), goal, reduction="none", label_smoothing=SMOOTH)
        optimiser.zero_grad(set_to_none=True)
        ((off * weight).sum() / weight.sum()).backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimiser.step()
        course.step()
    return net.eval()


def judged(net: Net, lines: Sequence[Line]) -> np.ndarray:
    """Return the label of each line."""
    with torch.no_grad():
        parts = [net(lines[at : at + BATCH]).argmax(1) for at in range(0, len(lines), BATCH)]
    return torch.cat(parts).cpu().numpy()


def f1(goal: np.ndarray, said: np.ndarray) -> tuple[float, float, float]:
    """Return F1 of praise, of blame, and their mean."""
    both = []
    for label in (0, 1):
        right = int(((goal == label) & (said == label)).sum())
        both.append(2 * right / max(int((goal == label).sum() + (said == label).sum()), 1))
    return both[0], both[1], sum(both) / 2


def show(name: str, rows: Sequence[Row], said: np.ndarray) -> None:
    """Print F1 in each language."""
    goal = np.array([LABELS.index(each["label"]) for each in rows])
    for lang in ("ko", "en"):
        at = np.array([each["lang"] == lang for each in rows])
        good, bad, mean = f1(goal[at], said[at])
        print(
            f"{name} {lang}: positive {good:.3f} negative {bad:.3f} mean {mean:.3f}"
            f" accuracy {(said[at] == goal[at]).mean():.3f} of {at.sum()}",
            flush=True,
        )


def show_hands(rows: Sequence[Row], said: np.ndarray, hands: Sequence[int]) -> None:
    """Print F1 of one hand after another."""
    for hand in hands:
        at = np.array([each["hand"] == hand for each in rows])
        show(f"  hand {hand}", [row for row, own in zip(rows, at, strict=True) if own], said[at])


def measure(lines: Sequence[Line], share: float, aloud: bool) -> None:
    """Print how each group of hands is read by what a share of the others taught."""
    hands = [each for each in lines if each.row["from"] == "hand"]
    rows = [each.row for each in hands]
    kept = random.Random(SEED).sample(range(len(hands)), int(share * len(hands)))
    learns = [*(hands[at] for at in sorted(kept)), *lines[len(hands) :]]
    said = np.zeros(len(hands), np.int64)
    for group in GROUPS:
        out = np.array([each.row["hand"] in group for each in hands])
        net = taught([each for each in learns if each.row.get("hand") not in group])
        said[out] = judged(net, [each for each in hands if each.row["hand"] in group])
    for name, first, last in (("hands 1 to 20", 1, 20), ("21 to 45", 21, 45), ("46 to 61", 46, 61)):
        at = np.array([first <= each["hand"] <= last for each in rows])
        show(
            f"left out, {share:.2f} learned, {name}",
            [r for r, own in zip(rows, at, strict=True) if own],
            said[at],
        )
    if aloud:
        show_hands(rows, said, sorted({each["hand"] for each in rows}))
        for row, one in zip(rows, said, strict=True):
            if LABELS[one] != row["label"]:
                print(" ", row["hand"], row["label"], "->", LABELS[one], "|", row["text"])


def pack(net: Net) -> None:
    """Write the file that ships."""
    found = {name: each.detach().cpu().numpy() for name, each in net.named_parameters()}
    arrays = {name: found[name].astype(np.float16) for name in ("look", "out", "plain", "bias")}
    arrays["scores"] = found["scores"][:ROWS].astype(np.float16)
    below = {name: each for name, each in found.items() if name.startswith("below.")}
    arrays["layers"] = np.frombuffer(own_layers(below), np.uint8)
    told = hashlib.sha256(OPEN.read_bytes() + FRAMES.read_bytes()).hexdigest()[:16]
    notes = {"name": SHIPPED.stem, "embedder": Contextual().identity.digest, "lines": told}
    write(SHIPPED, arrays, notes)
    print(SHIPPED.name, SHIPPED.stat().st_size, "bytes")


def held() -> None:
    """Read the frozen half with the file that ships, and count that it was read."""
    rows = rows_in(FROZEN)
    reader = FeedbackReader(Contextual())
    said = np.array([LABELS.index(reader.read(each["text"]).label) for each in rows])
    show("frozen", rows, said)
    show_hands(rows, said, sorted({each["hand"] for each in rows}))
    with READINGS.open("a", encoding="utf-8") as file:
        file.write(f"{hashlib.sha256(SHIPPED.read_bytes()).hexdigest()[:16]} read\n")


def main() -> None:
    """Measure, teach, or read the frozen half."""
    torch.set_num_threads(2)
    torch.use_deterministic_algorithms(True)
    what = sys.argv[1]
    if what == "held":
        held()
    elif what == "teach":
        pack(taught(every_line()))
    else:
        lines = every_line()
        for share in (0.25, 0.5, 1.0) if what == "curve" else (1.0,):
            measure(lines, share, "-v" in sys.argv)


if __name__ == "__main__":
    main()

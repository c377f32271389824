"""Step 12: teach the reader of turns (keep, asks, how long, whose) on turns written for it.

    python training/turns.py prepare W/turns.npz     # turns as numbers; needs Saegim
    python training/turns.py teach W/turns.npz W/taught.npz [all|5]  # needs torch; a GPU helps
    python training/turns.py pack W/taught.npz       # writes the file that ships

Reads `training/turns/*.jsonl`, a file for each hand that wrote and labelled it, and the tuning half
of the capture set. Every hand is first left out and read by what the others taught, which is what
the printed table tells; then all of them teach the file that ships. Behind the paths, a number
leaves the hands out in so many groups instead of one by one, and `all` leaves none out. No life of
`bench/data/lives` is learned from.
"""

from __future__ import annotations

import hashlib
import json
import sys
import time
from pathlib import Path
from typing import Any, Final

import numpy as np

FOLDER: Final = Path(__file__).parent / "turns"
CAPTURE: Final = Path(__file__).parent.parent / "tests" / "data" / "capture_tune.jsonl"
NAME: Final = "turns-ko-en-1"
LIFETIMES: Final = ("lasting", "until", "passing")
ACTS: Final = ("forget", "refuse", "wish", "correct", "paste")
HEADS: Final = ("keep", "result", "asks", *LIFETIMES, "project", *ACTS)
ROWS, MOST_PIECES = 8192, 200
# How far each part is stretched; chosen, as the rest, by leaving hands out.
STRETCH: Final = {"rows": 3.0, "vector": 3.0, "plain": 0.5}
PULL, CONV_PULL = 3e-4, 1e-4
FILTERS, WIDTHS = 128, (1, 3)
DROP, DROP_PIECES = 0.5, 0.2
EPOCHS, BATCH, RATE = 30, 256, 0.003
# A forget request is rare: its yes counts this much more than its no.
ACT_WEIGHT: Final = 3.0


def wanted(turn: dict[str, Any]) -> dict[str, float]:
    """Return what each head should say of a turn; what is not labelled is not taught."""
    keep = float(turn["keep"])
    if turn["role"] == "assistant":
        return {"result": keep}
    said = {"keep": keep, "asks": float(turn.get("asks", 0))}
    if keep >= 0.5 and turn.get("lifetime") in LIFETIMES:
        said |= {each: float(turn["lifetime"] == each) for each in LIFETIMES}
        said["project"] = float(turn.get("whose") == "project")
    act = turn.get("act", "none")
    said |= {each: float(act == each) for each in ACTS}
    if turn.get("pasted"):
        said["paste"] = 1.0
    return said


def read() -> tuple[list[dict[str, Any]], str]:
    """Return every labelled turn with its hand, and the hash of all files."""
    turns, digest = [], hashlib.sha256()
    for path in sorted(FOLDER.glob("*.jsonl")):
        raw = path.read_bytes()
        digest.update(raw)
        rows = [json.loads(line) for line in raw.decode("utf-8").splitlines() if line.strip()]
        turns += [{**row, "hand": path.stem} for row in rows]
    raw = CAPTURE.read_bytes()
    digest.update(raw)
    for line in raw.decode("utf-8").splitlines():
        row = json.loads(line)
        if row["role"] == "user":
            keep, asks = row["label"] == "save", row["label"] == "retrieve"
            about = {"keep": float(keep), "asks": float(asks), "hand": f"tune_{row['lang']}"}
            turns.append({"role": "user", "text": row["text"], **about})
    return turns, digest.hexdigest()[:16]


def prepare(into: Path) -> None:
    """Write the turns as numbers: pieces and their vectors, hashed rows, the vector, the shape."""
    from saegim.engines.brain.model import Static
    from saegim.engines.brain.turn_reader import MOST_PIECES, dense, glance, rows_of, shape

    static = Static()
    turns, digest = read()
    texts = [glance(each["text"]) for each in turns]
    ids = [static.brain.pieces.ids(text) for text in texts]
    pieces = [each[:MOST_PIECES] or (0,) for each in ids]
    used = sorted({id for each in pieces for id in each})
    place = {id: at for at, id in enumerate(used)}
    brain = static.brain
    vectors = brain.table[used].astype(np.float32) * brain.steps["document"][used][:, None]
    rows = [rows_of(text) for text in texts]
    goal = np.full((len(turns), len(HEADS)), np.nan, np.float32)
    for at, turn in enumerate(turns):
        for name, share in wanted(turn).items():
            goal[at, HEADS.index(name)] = share
    np.savez_compressed(
        into,
        pieces=np.concatenate([[place[id] for id in each] for each in pieces]).astype(np.int32),
        piece_counts=np.array([len(each) for each in pieces]),
        vectors=vectors,
        rows=np.concatenate(rows).astype(np.int32),
        row_counts=np.array([len(each) for each in rows]),
        dense=np.stack([dense(static, each) for each in ids]),
        plain=np.stack([shape(text) for text in texts]),
        goal=goal,
        hands=np.array([each["hand"] for each in turns]),
        notes=np.array([digest, static.identity.digest, str(len(turns))]),
    )


def groups_of(hands: np.ndarray, how: str) -> list[list[str]]:
    """Return the hands that are left out together; files of one number stay together."""
    every = sorted(set(hands))
    if not how:
        return [[each] for each in every]
    numbers = sorted({each.split("_")[1] for each in every})
    count = 0 if how == "all" else int(how)
    return [
        [each for each in every if numbers.index(each.split("_")[1]) % count == at]
        for at in range(count)
    ]


def teach(source: Path, into: Path, how: Path | None = None) -> None:
    """Leave hands out in turn and print how they are read, then teach on all."""
    import torch
    from torch.nn import functional

    # Each array once: what is packed is unpacked whenever it is asked for.
    held = dict(np.load(source))
    device = "cuda" if torch.cuda.is_available() else "cpu"
    goal = torch.tensor(held["goal"], device=device)
    count = len(goal)
    pieces, mask = np.zeros((count, MOST_PIECES), np.int64), np.zeros((count, MOST_PIECES))
    rows = np.zeros((count, ROWS), np.float32)
    at_piece = at_row = 0
    for at in range(count):
        size = held["piece_counts"][at]
        pieces[at, :size] = held["pieces"][at_piece : at_piece + size]
        mask[at, :size] = 1
        at_piece += size
        size = held["row_counts"][at]
        rows[at, held["rows"][at_row : at_row + size]] = max(size, 1) ** -0.5
        at_row += size
    given = {
        "pieces": torch.tensor(pieces, device=device),
        "mask": torch.tensor(mask, dtype=torch.float32, device=device),
        "rows": torch.tensor(rows, device=device),
        "dense": torch.tensor(held["dense"], device=device),
        "plain": torch.tensor(held["plain"], device=device),
    }
    vectors = torch.tensor(held["vectors"], device=device)
    scale = float(vectors.norm(dim=1).mean())
    vectors = vectors / scale
    counts_more = torch.ones(len(HEADS), device=device)
    for name in ACTS:
        counts_more[HEADS.index(name)] = ACT_WEIGHT

    class Net(torch.nn.Module):
        """Linear over rows, vector and shape; beside it a small convolution over the pieces."""

        def __init__(self) -> None:
            super().__init__()
            heads = len(HEADS)
            self.rows = torch.nn.Linear(ROWS, heads, bias=False)
            self.dense = torch.nn.Linear(256, heads, bias=False)
            self.plain = torch.nn.Linear(given["plain"].shape[1], heads, bias=False)
            for part in (self.rows, self.dense, self.plain):
                torch.nn.init.zeros_(part.weight)
            self.convs = torch.nn.ModuleList(
                [torch.nn.Conv1d(256, FILTERS, width, padding=width // 2) for width in WIDTHS]
            )
            self.out = torch.nn.Linear(2 * FILTERS * len(WIDTHS), heads)

        def pooled(self, told: Any, places: Any, seen: Any) -> Any:
            """Return what the filters see anywhere in these turns, and on average."""
            longest = max(int(seen.sum(1).max()), 1)
            places, seen = places[:, :longest], seen[:, :longest]
            read = seen
            if self.training:
                read = seen * (torch.rand(seen.shape, device=device) > DROP_PIECES)
            pooled = []
            for conv, taps in zip(self.convs, told, strict=True):
                reach, found = len(taps) // 2, conv.bias
                for step, tap in enumerate(taps):
                    line = tap[places] * read[..., None]
                    ahead = step - reach
                    line = functional.pad(line, (0, 0, max(-ahead, 0), max(ahead, 0)))
                    found = found + line[:, max(ahead, 0) :][:, :longest]
                found = torch.relu(found) * seen[..., None]
                mean = found.sum(1) / seen.sum(1, keepdim=True).clamp(min=1)
                pooled += [found.max(1).values, mean]
            return torch.cat(pooled, 1)

        def forward(self, chosen: Any) -> Any:
            said = STRETCH["rows"] * self.rows(given["rows"][chosen])
            said = said + STRETCH["vector"] * self.dense(given["dense"][chosen])
            said = said + STRETCH["plain"] * self.plain(given["plain"][chosen])
            # Each piece is multiplied once, however often it stands in these turns.
            ids, places = given["pieces"][chosen].unique(return_inverse=True)
            line = vectors[ids]
            taps = [[line @ each.T for each in conv.weight.unbind(2)] for conv in self.convs]
            # Turns of like length together: nothing is computed where there is nothing to read.
            seen = given["mask"][chosen]
            order = seen.sum(1).argsort()
            parts = [self.pooled(taps, places[part], seen[part]) for part in order.split(64)]
            pooled = torch.cat(parts)[order.argsort()]
            told = self.out(functional.dropout(pooled, DROP, self.training))
            # What an assistant's result is shows in its words: the order overfits there.
            told[:, HEADS.index("result")] = 0.0
            return said + told

    def fitted(chosen: np.ndarray) -> Any:
        torch.manual_seed(0)
        net = Net().to(device)
        moves = torch.optim.Adam(net.parameters(), lr=RATE)
        these = torch.tensor(chosen, device=device)
        known = ~torch.isnan(goal[these])
        target = torch.nan_to_num(goal[these])
        for _ in range(EPOCHS):
            order = torch.randperm(len(these), device=device)
            for start in range(0, len(order), BATCH):
                part = order[start : start + BATCH]
                loss = functional.binary_cross_entropy_with_logits(
                    net(these[part]), target[part], reduction="none", pos_weight=counts_more
                )
                seen = known[part]
                total = ((loss * seen).sum(0) / seen.sum(0).clamp(min=1)).sum()
                total = total + PULL * ((net.rows.weight**2).sum() + (net.dense.weight**2).sum())
                total = total + CONV_PULL * (net.out.weight**2).sum()
                total = total + CONV_PULL * sum((each.weight**2).sum() for each in net.convs)
                moves.zero_grad()
                total.backward()
                moves.step()
        return net.eval()

    began, hands, every = time.time(), held["hands"], np.arange(count)
    said = np.full(held["goal"].shape, np.nan, np.float32)
    groups = groups_of(hands, str(how or ""))
    for group in groups:
        left = np.isin(hands, group)
        net = fitted(every[~left])
        with torch.no_grad():
            said[left] = net(torch.tensor(every[left], device=device)).cpu().numpy()
        print(f"left out {' '.join(group)}: {time.time() - began:.0f} s", flush=True)
    if groups:
        report(hands, said, held["goal"])
    net = fitted(every)
    taken = {name: value.cpu().numpy() for name, value in net.state_dict().items()}
    np.savez_compressed(into, scale=scale, notes=held["notes"], said=said, **taken)
    print(f"{time.time() - began:.0f} s on {device}")


def area(said: np.ndarray, goal: np.ndarray) -> float:
    """Return how often a yes stands above a no (ROC)."""
    yes, no = said[goal > 0.5], said[goal < 0.5]
    if not len(yes) or not len(no):
        return float("nan")
    return float((yes[:, None] > no[None, :]).mean() + 0.5 * (yes[:, None] == no[None, :]).mean())


def report(hands: np.ndarray, said: np.ndarray, goal: np.ndarray) -> None:
    """Print for each hand, left out, how well it is read."""
    for hand in [*sorted(set(hands)), "all"]:
        there = (hands == hand) | (hand == "all")
        line = [
            f"{name} {area(said[there, at], goal[there, at]):.2f}" for at, name in enumerate(HEADS)
        ]
        for bar in (0.3, 0.4, 0.5):
            over = said[there, 0] >= np.log(bar / (1 - bar))
            keep = goal[there, 0]
            kept, junk = over[keep == 1].mean(), over[keep == 0].mean()
            line.append(f"@{bar} {kept:.2f}/{junk:.2f}")
        life = goal[there][:, 3:6]
        if (told := ~np.isnan(life[:, 0])).any():
            right = said[there][told][:, 3:6].argmax(axis=1) == life[told].argmax(axis=1)
            line.append(f"lifetime {right.mean():.2f}")
        print(f"{hand:8} {' '.join(line)}")


def pack(source: Path) -> None:
    """Write what was taught as the file that ships."""
    from saegim.engines.brain.model import write
    from saegim.engines.brain.turn_reader import SHIPPED

    held = np.load(source)
    rows = held["rows.weight"].T * STRETCH["rows"]
    steps = np.maximum(np.abs(rows).max(axis=0), 1e-6) / 127
    arrays = {
        "scores": np.round(rows / steps).astype(np.int8),
        "steps": steps.astype(np.float32),
        "vector": (held["dense.weight"].T * STRETCH["vector"]).astype(np.float16),
        "plain": (held["plain.weight"].T * STRETCH["plain"]).astype(np.float16),
        "out": held["out.weight"].T.astype(np.float16),
        "out_bias": held["out.bias"].astype(np.float32),
    }
    for at, width in enumerate(WIDTHS):
        # (filters, 256, width) -> (width, 256, filters); the scale of the pieces goes in with it.
        weights = held[f"convs.{at}.weight"].transpose(2, 1, 0) / float(held["scale"])
        arrays[f"conv_{width}"] = weights.astype(np.float16)
        arrays[f"conv_{width}_bias"] = held[f"convs.{at}.bias"].astype(np.float32)
    digest, embedder, turns = held["notes"].tolist()
    notes = {"model": NAME, "licence": "Apache-2.0", "embedder": embedder,
             "columns": " ".join(HEADS), "turns": turns, "data": digest}  # fmt: skip
    write(SHIPPED, arrays, notes)
    print(f"{SHIPPED.name}: {SHIPPED.stat().st_size:,} bytes, {turns} turns, data {digest}")


if __name__ == "__main__":
    step, *paths = sys.argv[1:]
    {"prepare": prepare, "teach": teach, "pack": pack}[step](*map(Path, paths))

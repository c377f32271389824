"""Step 14: tune the large teacher to what a memory is asked, and ask it where every text lies.

    python training/encoder_teach.py --data W/enc --into W/vectors [--leave-out 9]

The teacher (`encoder_teacher.py`) is a language model: it knows both languages, and does not know
which turn answers a question. Small changes of its products learn that from the scenes, from what
is said in two languages, from twins and from pairs that ask and answer; then every text gets a
vector, as said, and those that ask another, as asked.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch

from encoder_teacher import Teacher, load
from encoder_train import apart, chosen, matched, ordered, unit, unpacked

SEED: Final = 20261119
RANK: Final = 32
OUT: Final = 384
CHUNKS: Final = 6
AT_ONCE: Final = 160_000  # pieces read together


class Taught:
    """The texts as the teacher's pieces, and what it is tuned on."""

    def __init__(self, folder: Path, leave_out: int, device: str) -> None:
        told = unpacked(folder / "teacher.npz.xz")
        self.data = unpacked(folder / "student.npz.xz")
        self.sizes = told["taught_sizes"].astype(np.int64)
        self.starts = np.cumsum(self.sizes) - self.sizes
        self.flat, self.special = told["taught"], told["special"]
        self.device = device
        self.chance = np.random.default_rng(SEED)
        hands = self.data["hands"]
        self.kept = np.flatnonzero(hands != leave_out) if leave_out >= 0 else np.arange(len(hands))
        self.left = np.flatnonzero(hands == leave_out)

    def cut(self, row: int) -> np.ndarray:
        """Return the pieces of a text."""
        return self.flat[self.starts[row] : self.starts[row] + self.sizes[row]]

    def batch(self, texts: list[np.ndarray], asks: np.ndarray
              ) -> tuple[torch.Tensor, torch.Tensor]:  # fmt: skip
        """Return texts with the signs around them as one array, and how long each is."""
        *before, after = self.special
        sizes = np.array([len(each) for each in texts]) + 1 + len(before) * asks
        ids = np.zeros((len(texts), sizes.max()), np.int64)
        for row, text, asked, size in zip(ids, texts, asks, sizes, strict=True):
            if asked:
                row[: len(before)] = before
            row[size - 1 - len(text) : size - 1] = text
            row[size - 1] = after
        return (torch.tensor(ids).to(self.device, non_blocking=True),
                torch.tensor(sizes).to(self.device, non_blocking=True))  # fmt: skip

    def vectors(self, model: Teacher, rows: np.ndarray, asks: np.ndarray) -> torch.Tensor:
        """Return the vectors of some texts, those of like length together."""
        order = np.argsort(self.sizes[rows] + 2 * asks, kind="stable")
        parts = []
        for some in np.array_split(order, CHUNKS):
            parts.append(model(*self.batch([self.cut(row) for row in rows[some]], asks[some])))
        back = torch.tensor(np.argsort(order, kind="stable"), device=self.device)
        return torch.cat(parts)[back]

    def pick(self, name: str, count: int) -> np.ndarray:
        """Return some rows of an array, by chance."""
        array = self.data[name]
        return array[self.chance.integers(len(array), size=count)]

    def scene(self, count: int) -> tuple[np.ndarray, ...]:
        """Return for some scenes a question, a turn that answers it, two that do not."""
        scene = self.kept[self.chance.integers(len(self.kept), size=count)]
        korean = self.chance.random(count) < 0.5
        also = korean ^ (self.chance.random(count) < 0.25)
        ask, turn = self.chance.integers(3, size=count), self.chance.integers(2, size=count)

        def taken(name: str, korean: np.ndarray, at: np.ndarray | int) -> np.ndarray:
            return np.where(korean, self.data[f"{name}_ko"][scene, at],
                            self.data[f"{name}_en"][scene, at])  # fmt: skip

        return (scene, taken("asks", korean, ask), taken("turns", also, turn),
                taken("near", also, 0), taken("near", also, 1))  # fmt: skip

    def losses(self, model: Teacher, n: int) -> dict[str, torch.Tensor]:
        """Return the losses of one step."""
        scene, asks, turn, near, other = self.scene(n)
        pairs = self.pick("parallel", n // 2)
        twins = self.pick("twins", n // 4)
        which = self.chance.integers(2, size=len(twins))
        same = which ^ (self.chance.random(len(twins)) < 0.25)
        at = np.arange(len(twins))
        answers, alike = self.pick("answers", n // 2), self.pick("alike", n // 4)
        judged = self.pick("judged", n // 2)
        blocks = [
            (asks, True), (turn, False), (near, False), (other, False), (pairs[:, 0], False),
            (pairs[:, 1], False), (twins[at, 0, which], False), (twins[at, 1, same], False),
            (twins[at, 2, which], False), (answers[:, 0], True), (answers[:, 1], False),
            (alike[:, 0], False), (alike[:, 1], False), (judged[:, 0].astype(np.int64), False),
            (judged[:, 1].astype(np.int64), False),
        ]  # fmt: skip
        rows = np.concatenate([rows for rows, _ in blocks]).astype(np.int64)
        asking = np.concatenate([np.full(len(rows), asks) for rows, asks in blocks])
        made = self.vectors(model, rows, asking).split([len(rows) for rows, _ in blocks])
        q, t, u, v, k, e, text, alike_text, trap, a, d, w1, w2, j1, j2 = made
        known = torch.tensor(scene, device=self.device)
        return {
            "scenes": chosen(q, (t, u, v), known),
            "pairs": 0.3 * matched(k, e),
            "twins": 0.5 * apart(text, alike_text, trap),
            "answers": 0.15 * matched(a, d),
            "alike": 0.1 * matched(w1, w2),
            "judged": 0.05 * ordered(j1, j2, torch.tensor(judged[:, 2], device=self.device)),
        }


def tune(model: Teacher, taught: Taught, asked: argparse.Namespace) -> None:
    """Let the small changes learn."""
    learned = [p for p in model.parameters() if p.requires_grad]
    optimiser = torch.optim.AdamW(learned, lr=asked.rate, betas=(0.9, 0.98), weight_decay=0.0)
    began, steps = time.monotonic(), asked.steps
    for step in range(steps):
        share = min(1.0, (step + 1) / (0.1 * steps)) * 0.5 * (1 + math.cos(math.pi * step / steps))
        optimiser.param_groups[0]["lr"] = asked.rate * (0.98 * share + 0.02)
        losses = taught.losses(model, asked.batch)
        total = sum(losses.values())
        optimiser.zero_grad(set_to_none=True)
        total.backward()
        torch.nn.utils.clip_grad_norm_(learned, 1.0)
        optimiser.step()
        if step % 20 == 0 or step == steps - 1:
            told = " ".join(f"{name} {float(each.detach()):.3f}" for name, each in losses.items())
            print(f"{step} {time.monotonic() - began:.0f}s {told}", flush=True)


@torch.inference_mode()
def everything(model: Teacher, taught: Taught, rows: np.ndarray, asks: bool) -> torch.Tensor:
    """Return the vectors of many texts, in halves."""
    order = rows[np.argsort(taught.sizes[rows], kind="stable")]
    made = torch.empty(len(rows), model.table.shape[1], dtype=torch.float16, device=taught.device)
    place = np.empty(len(taught.sizes), np.int64)
    place[rows] = np.arange(len(rows))
    at = 0
    while at < len(order):
        count = max(1, AT_ONCE // (int(taught.sizes[order[min(at + 4000, len(order) - 1)]]) + 4))
        some = order[at : at + count]
        ids, sizes = taught.batch([taught.cut(row) for row in some], np.full(len(some), asks))
        where = torch.tensor(place[some], device=taught.device)
        made[where] = model(ids, sizes).half()
        at += count
    return made


def reduced(said: torch.Tensor, asked: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the vectors around their middle, turned so that the first numbers say most."""
    middle = said[::7].float().mean(0), asked[::7].float().mean(0)
    sample = unit(said[::11].float() - middle[0], OUT * 9)
    # On the processor: the accelerator is full of what the teacher has read.
    _, turn = torch.linalg.eigh((sample.T @ sample).double().cpu())
    turn = turn.flip(1)[:, :OUT].float().to(said.device)
    made = []
    for whole, mean in ((said, middle[0]), (asked, middle[1])):
        parts = [unit(some.float() - mean, OUT * 9) @ turn for some in whole.split(65_536)]
        made.append(torch.cat(parts))
    kept = float(made[0][::11].square().sum(1).mean())
    print(f"the first {OUT} directions keep {kept:.3f}", flush=True)
    return unit(made[0], OUT).half(), unit(made[1], OUT).half()


@torch.inference_mode()
def looked(model: Teacher, taught: Taught, path: Path) -> dict[str, Any]:
    """Return how often the evidence is among the first ten turns of each open life."""
    found: dict[str, Any] = {}
    for name, life in json.loads(path.read_text()).items():
        sides = []
        for kind, asks in (("taught_asks", True), ("taught_turns", False)):
            texts = [np.array(each) for each in life[kind]]
            parts = [model(*taught.batch(texts[at : at + 100], np.full(len(texts[at : at + 100]), asks)))
                     for at in range(0, len(texts), 100)]  # fmt: skip
            whole = torch.cat(parts)
            sides.append(unit(whole - whole.mean(0), OUT * 9))
        top = (sides[0] @ sides[1].T).topk(10, dim=1).indices.tolist()
        hits = [bool(set(row) & set(right)) for row, right in zip(top, life["right"], strict=True)]
        found[name] = round(sum(hits) / len(hits), 3)
    if len(taught.left):
        for language in ("ko", "en"):
            rows = {slot: taught.data[f"{slot}_{language}"][taught.left] for slot in
                    ("turns", "near", "asks")}  # fmt: skip
            said = np.concatenate([rows["turns"].ravel(), rows["near"].ravel()]).astype(np.int64)
            asks = rows["asks"].ravel().astype(np.int64)
            near = (taught.vectors(model, asks, np.full(len(asks), True))
                    @ taught.vectors(model, said, np.full(len(said), False)).T)  # fmt: skip
            first = near.argmax(1).cpu().numpy()
            right = (first < rows["turns"].size) & (first // 2 == np.arange(len(asks)) // 3)
            found[f"{language}>{language}"] = round(float(right.mean()), 3)
    return found


def main() -> None:
    """Write `said.npy`, a row for each text, and `asked.npy`, a row for each that asks."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--into", type=Path, required=True)
    parser.add_argument("--device", default="cuda")
    for name, kind, value in (
        ("layers", int, 20), ("steps", int, 135), ("batch", int, 192), ("rate", float, 2e-4),
        ("leave_out", int, -1), ("few", int, 0),
    ):  # fmt: skip
        parser.add_argument(f"--{name.replace('_', '-')}", type=kind, default=value)
    asked = parser.parse_args()
    torch.manual_seed(SEED)
    began = time.monotonic()
    half = torch.bfloat16 if asked.device == "cuda" else torch.float32
    taught = Taught(asked.data, asked.leave_out, asked.device)
    model = load(asked.data / "teacher", asked.layers, asked.device, half, RANK).to(asked.device)
    print(f"loaded after {time.monotonic() - began:.0f}s", flush=True)
    tune(model, taught, asked)
    for each in model.modules():
        if hasattr(each, "settle"):
            each.settle()
    print(looked(model, taught, asked.data / "lives.json"), flush=True)
    rows = np.arange(len(taught.sizes))
    said = everything(model, taught, rows[: asked.few or None], asks=False)
    print(f"said after {time.monotonic() - began:.0f}s", flush=True)
    asks = everything(
        model, taught, taught.data["asking"][: asked.few or None].astype(np.int64), asks=True
    )
    del model
    torch.cuda.empty_cache() if asked.device == "cuda" else None
    said, asks = reduced(said, asks)
    asked.into.mkdir(parents=True, exist_ok=True)
    np.save(asked.into / "said.npy", said.cpu().numpy())
    np.save(asked.into / "asked.npy", asks.cpu().numpy())
    print(f"{len(said):,} and {len(asks):,} vectors after {time.monotonic() - began:.0f}s")


if __name__ == "__main__":
    main()

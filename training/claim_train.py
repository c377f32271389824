"""Step 19: teach the reader of claims on an accelerator; only torch and numpy are needed there.

    python training/claim_train.py --work W --encoder FOLDER/6x384x1536 --out FOLDER

Reads W/claims.npz (training/claims.py) and the encoder as `encoder_train.py` wrote it. Its first
layers stay as they are; the last ones (`--tune`) go on learning, as this reader's own.
"""

from __future__ import annotations

import argparse
import copy
import json
import os
import random
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")

import numpy as np
import torch
from torch import nn
from torch.nn import functional

import encoder_model

SEEN = 768  # the encoder's states in the middle and at the end
WIDTH, ROW, ASK = 256, 64, 64
FAR, ROWS, SHAPES = 16, 4096, 12
SLOTS, TYPES, MARKS, TURN = 24, 8, 3, 11
SEED, BATCH = 11, 64
RATE, DROP, FORGET, SLOWER = 1e-3, 0.2, 0.08, 0.15
Numbers = dict[str, Any]


def even(x: torch.Tensor) -> torch.Tensor:
    """Return each row at the same size."""
    return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + 1.1920929e-07)


class Below(nn.Module):
    """The encoder as it ships; the last layers may go on learning."""

    def __init__(self, source: Path, tuned: int, drop: float) -> None:
        super().__init__()
        shape = encoder_model.Shape(**json.loads(Path(f"{source}.json").read_text())["shape"])
        with np.load(f"{source}.table.npz") as table, np.load(f"{source}.rest.npz") as rest:
            rows = table["table"].reshape(len(table["table"]), -1, encoder_model.GROUP)
            rows = rows * table["steps"].astype(np.float32)[..., None]
            found = dict(rest)
        self.first = len(shape.layers) - 2
        for name, array in (
            ("table", rows.reshape(len(rows), -1)), ("role", found["role"][0]),
            ("places", found["places"]), ("gain", found["norm.weight"]),
            ("bias", found["norm.bias"]),
        ):  # fmt: skip
            self.register_buffer(name, torch.tensor(array), persistent=False)
        made = [encoder_model.Layer(shape, drop) for _ in shape.layers]
        for at, layer in enumerate(made):
            for name, each in layer.named_parameters():
                array = found[f"layers.{at}.{name}"]
                if array.dtype == np.int8:
                    array = array * found[f"layers.{at}.{name}.steps"][:, None]
                each.data = torch.tensor(array.astype(np.float32))
        # Those that learn are written; those that do not are the encoder's.
        self.tuned = nn.ModuleList(made[len(made) - tuned :])
        self.frozen = made[: len(made) - tuned]
        for layer in self.frozen:
            layer.requires_grad_(False).eval()

    def to(self, device: str) -> Below:  # type: ignore[override]
        """Move the frozen layers along."""
        self.frozen = [layer.to(device) for layer in self.frozen]
        return super().to(device)

    def forward(self, ids: torch.Tensor, hidden: torch.Tensor) -> torch.Tensor:
        """Return the states of each piece in the middle and at the end."""
        seen = functional.pad(~hidden, (1, 0), value=True)
        with torch.no_grad():
            found = self.table[ids]
            x = torch.cat([self.role.expand(len(ids), 1, -1), found], 1)
            x = x + self.places[: x.shape[1]]
            x = functional.layer_norm(x, x.shape[-1:], self.gain, self.bias, encoder_model.EPSILON)
        middle = x
        for at, layer in enumerate([*self.frozen, *self.tuned]):
            if at == self.first:
                middle = x
            x = layer(x, seen, True)
        return torch.cat([middle, x], -1)[:, 1:]


class Net(nn.Module):
    """What the layers leave of each piece, units, heads."""

    def __init__(self, below: Below, drop: float, forget: float) -> None:
        super().__init__()
        self.forget, self.below = forget, below
        self.state = nn.Parameter(torch.randn(SEEN, WIDTH) * SEEN**-0.5)
        self.rows = nn.Parameter(torch.randn(ROWS, ROW) * 0.3)
        self.row = nn.Parameter(torch.randn(ROW, WIDTH) * ROW**-0.5)
        self.shape = nn.Parameter(torch.randn(SHAPES, WIDTH) * 0.3)
        self.conv = nn.Parameter(torch.randn(3, WIDTH, WIDTH) * (3 * WIDTH) ** -0.5)
        small = WIDTH**-0.5

        def head(out: int, wide: int = WIDTH) -> nn.Parameter:
            return nn.Parameter(torch.randn(wide, out) * small)

        self.values, self.values_bias = (
            head(1 + 2 * SLOTS),
            nn.Parameter(torch.zeros(1 + 2 * SLOTS)),
        )
        self.names, self.names_bias = head(1 + 2 * TYPES), nn.Parameter(torch.zeros(1 + 2 * TYPES))
        self.quoted, self.quoted_bias = head(1), nn.Parameter(torch.zeros(1))
        self.marks, self.marks_bias = head(MARKS), nn.Parameter(torch.zeros(MARKS))
        self.asks, self.keys = head(ASK), head(ASK)
        self.own, self.own_bias = head(2), nn.Parameter(torch.zeros(2))
        self.far = nn.Parameter(torch.zeros(2 * FAR + 1))
        self.turn, self.turn_bias = head(TURN, 2 * WIDTH), nn.Parameter(torch.zeros(TURN))
        self.drop = drop

    def forward(self, batch: Numbers) -> torch.Tensor:
        """Return the states of all units."""
        x = even(self.below(batch["pieces"], batch["no_piece"]))
        if self.training and self.forget:
            lost = torch.rand(x.shape[:2], device=x.device) < self.forget
            x = x.masked_fill(lost[..., None], 0.0)
        x = torch.gather(x, 1, batch["inside"][..., None].expand(-1, -1, SEEN))
        rows = self.rows[batch["rows"]].mean(2)
        if self.training and self.forget:
            lost = torch.rand(rows.shape[:2], device=x.device) < 2 * self.forget
            rows = rows.masked_fill(lost[..., None], 0.0)
        x = functional.dropout(x, self.drop, self.training) @ self.state
        x = x + rows @ self.row + batch["shapes"] @ self.shape
        x = x.masked_fill(batch["no_unit"][..., None], 0.0)
        near = even(x).masked_fill(batch["no_unit"][..., None], 0.0)
        near = functional.pad(near, (0, 0, 1, 1))
        size = x.shape[1]
        seen = sum(near[:, at : at + size] @ self.conv[at] for at in range(3))
        x = x + functional.dropout(torch.relu(seen), self.drop, self.training)
        return functional.dropout(even(x), self.drop, self.training)

    def of_turn(self, x: torch.Tensor, no_unit: torch.Tensor) -> torch.Tensor:
        """Return what is said of each turn as a whole."""
        most = x.masked_fill(no_unit[..., None], -1e4).max(1).values
        here = (~no_unit).float()[..., None]
        mean = (x * here).sum(1) / here.sum(1).clamp(min=1)
        return torch.cat([most, mean], -1) @ self.turn + self.turn_bias


class Turns:
    """One variant of all turns, each as its own arrays."""

    def __init__(self, found: Any, which: int) -> None:
        part = {
            name.split(".", 1)[1]: found[name]
            for name in found.files
            if name.startswith(f"{which}.")
        }
        pieces, units = part["sizes"].astype(np.int64).cumsum(0).T
        cut = {"pieces": pieces}
        self.arrays = {
            name: np.split(part[name], cut.get(name, units)[:-1])
            for name in (
                "pieces",
                "inside",
                "rows",
                "shapes",
                "values",
                "names",
                "quoted",
            )
        }
        self.turn, self.count = part["turn"], len(part["sizes"])
        self.spans: list[list[Any]] = [[] for _ in range(self.count)]
        self.mentions: list[list[Any]] = [[] for _ in range(self.count)]
        for at, *rest in part["spans"].tolist():
            self.spans[at].append(rest)
        for at, *rest in part["mentions"].tolist():
            self.mentions[at].append(rest)

    def batch(self, some: Sequence[int], device: str) -> Numbers:
        """Stack some turns of different lengths."""
        n = len(some)
        most = max(len(self.arrays["pieces"][at]) for at in some)
        units = max(len(self.arrays["inside"][at]) for at in some)
        none = {"values": -100, "names": -100, "quoted": -1}
        made = {
            name: np.full(
                (
                    n,
                    most if name == "pieces" else units,
                    *self.arrays[name][0].shape[1:],
                ),
                none.get(name, 0),
                np.float32 if name in ("shapes", "quoted") else np.int64,
            )
            for name in self.arrays
        }
        made["no_piece"], made["no_unit"] = np.ones((n, most), bool), np.ones((n, units), bool)
        for row, at in enumerate(some):
            for name, arrays in self.arrays.items():
                own = arrays[at]
                if name in none and own[0] < 0:
                    continue
                made[name][row, : len(own)] = own
            made["no_piece"][row, : len(self.arrays["pieces"][at])] = False
            made["no_unit"][row, : len(self.arrays["inside"][at])] = False
        made["turn"] = self.turn[list(some)]
        spans = [(row, *each) for row, at in enumerate(some) for each in self.spans[at]]
        first = np.cumsum([0, *(len(self.mentions[at]) for at in some)])
        made["spans"] = np.array(spans, np.int64).reshape(-1, 7)
        made["mentions"] = np.array(
            [(row, *each) for row, at in enumerate(some) for each in self.mentions[at]], np.int64
        ).reshape(-1, 3)
        pairs = [
            (which, int(first[row]) + col, col)
            for which, (row, *_) in enumerate(spans)
            for col in range(len(self.mentions[some[row]]))
        ]
        made["pairs"] = np.array(pairs, np.int64).reshape(-1, 3)
        return {name: torch.from_numpy(each).to(device) for name, each in made.items()}


def joined(one: Turns, *others: Turns) -> Turns:
    """Return turns with others behind them."""
    made = copy.copy(one)
    made.arrays = {name: [*each] for name, each in one.arrays.items()}
    made.spans, made.mentions, made.turn = [*one.spans], [*one.mentions], one.turn
    for other in others:
        for name, each in other.arrays.items():
            made.arrays[name] += each
        made.spans += other.spans
        made.mentions += other.mentions
        made.turn = np.concatenate([made.turn, other.turn])
    made.count = len(made.spans)
    return made


def means(x: torch.Tensor, spans: torch.Tensor) -> torch.Tensor:
    """Return the mean state of each span (turn, first, after the last)."""
    at = torch.arange(x.shape[1], device=x.device)[None]
    here = ((at >= spans[:, 1:2]) & (at < spans[:, 2:3])).float()
    return torch.einsum("su,suw->sw", here, x[spans[:, 0]]) / here.sum(1, keepdim=True).clamp(min=1)


def loss_of(net: Net, batch: Numbers) -> torch.Tensor:
    """Return how wrong the net is about a batch."""
    x = net(batch)
    judged = functional.cross_entropy
    sure = functional.binary_cross_entropy_with_logits
    total = x.sum() * 0
    # Only units that are labelled, in one row: for these the loss is the same each time.
    for name, weight in (("values", 2.0), ("names", 1.0)):
        here = batch[name] >= 0
        if here.any():
            told = x[here] @ getattr(net, name) + getattr(net, f"{name}_bias")
            total = total + weight * judged(told, batch[name][here])
    if (batch["quoted"] >= 0).any():
        alien, known = (x @ net.quoted + net.quoted_bias).squeeze(-1), batch["quoted"] >= 0
        total = total + 0.5 * sure(alien[known], batch["quoted"][known])
    said, known = net.of_turn(x, batch["no_unit"]), batch["turn"] >= 0
    if known.any():
        total = total + 1.5 * sure(said[known], batch["turn"][known])
    spans = batch["spans"]
    if len(spans):
        values = means(x, spans)
        total = total + sure(values @ net.marks + net.marks_bias, spans[:, 4:].float())
        scores = subjects(net, x, values, batch)
        total = total + judged(scores, spans[:, 3])
    return total


def subjects(net: Net, x: torch.Tensor, values: torch.Tensor, batch: Numbers) -> torch.Tensor:
    """Return how likely each value is said of the user, of nobody here, of each mention."""
    spans, mentions, pairs = batch["spans"], batch["mentions"], batch["pairs"]
    most = int(pairs[:, 2].max()) + 1 if len(pairs) else 0
    own = values @ net.own + net.own_bias
    if not most:
        return own
    keys, asks = means(x, mentions) @ net.keys, values @ net.asks
    which, whom, column = pairs.T
    apart = (mentions[whom, 1] - spans[which, 1]).clamp(-FAR, FAR) + FAR
    told = (keys[whom] * asks[which]).sum(-1) * ASK**-0.5 + net.far[apart]
    beside = own.new_full((len(spans), most), -1e4).index_put((which, column), told)
    return torch.cat([own, beside], 1)


def watched(net: Net, turns: Turns, device: str) -> str:
    """Say, unit by unit, how well turns are read that were not learned from."""
    right: dict[str, np.ndarray] = {}
    net.eval()
    with torch.no_grad():
        for at in range(0, turns.count, BATCH):
            batch = turns.batch(range(at, min(at + BATCH, turns.count)), device)
            x = net(batch)
            for name in ("values", "names"):
                known = batch[name] >= 0
                best = (x @ getattr(net, name) + getattr(net, f"{name}_bias")).argmax(-1)[known]
                gold = batch[name][known]
                same = ((best + 1) // 2 == (gold + 1) // 2) & (gold > 0)
                found = torch.stack([same.sum(), (best > 0).sum(), (gold > 0).sum()])
                right[name] = right.get(name, np.zeros(3)) + found.cpu().numpy()
            if len(batch["spans"]):
                who = subjects(net, x, means(x, batch["spans"]), batch).argmax(1)
                same = (who == batch["spans"][:, 3]).sum().item()
                told = np.array([same, len(who), len(who)])
                right["subjects"] = right.get("subjects", np.zeros(3)) + told
    net.train()
    return " ".join(
        f"{name} {2 * each[0] / max(each[1] + each[2], 1):.3f}" for name, each in right.items()
    )


def main() -> None:
    """Teach one net, watch it, write the mean of its last steps."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--encoder", type=Path, required=True)
    parser.add_argument("--tune", type=int, default=2)
    parser.add_argument("--name", default="net")
    parser.add_argument("--steps", type=int, default=4000)
    parser.add_argument("--rate", type=float, default=RATE)
    parser.add_argument("--drop", type=float, default=DROP)
    parser.add_argument("--forget", type=float, default=FORGET)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--device", default="cuda")
    asked = parser.parse_args()
    torch.manual_seed(SEED)
    torch.use_deterministic_algorithms(True)
    found = np.load(asked.work / "claims.npz")
    sets = 1 + max(int(name.split(".")[0]) for name in found.files)
    every = [Turns(found, at) for at in range(sets)]
    own = [each for each in every if each.count == every[0].count]
    left = every[len(own) :]
    if asked.all:
        # What was watched is learned from as well, as it was said.
        own = [joined(each, *left) for each in own]
    print(
        f"{own[0].count} turns in {len(own)} variants, {sum(each.count for each in left)} watched"
    )
    below = Below(asked.encoder, asked.tune, asked.drop / 2).to(asked.device)
    net = Net(below, asked.drop, asked.forget).to(asked.device)
    # What was taught before learns in smaller steps.
    slow = list(below.parameters())
    known = {id(each) for each in slow}
    rates = [asked.rate, asked.rate * SLOWER][: 1 + bool(slow)]
    optimiser = torch.optim.AdamW(
        [{"params": some} for some in
         ([each for each in net.parameters() if id(each) not in known], slow) if some],
        lr=asked.rate, weight_decay=0.02, betas=(0.9, 0.98),
    )  # fmt: skip
    plan = torch.optim.lr_scheduler.OneCycleLR(
        optimiser, rates, total_steps=asked.steps, pct_start=0.1
    )
    # What is labelled claim by claim is seen twice as often as what is labelled as a whole.
    often = [
        at
        for at in range(own[0].count)
        for _ in range(2 if own[0].arrays["names"][at][0] >= 0 else 1)
    ]
    draw, order, epoch, mean = random.Random(SEED), [], 0, {}
    began = time.monotonic()
    for step in range(asked.steps):
        if not order:
            variant = own[epoch % len(own)]
            draw.shuffle(often)
            wide_blocks = [often[at : at + 40 * BATCH] for at in range(0, len(often), 40 * BATCH)]
            for block in wide_blocks:
                block.sort(key=lambda at: len(variant.arrays["pieces"][at]))
                order += [block[at : at + BATCH] for at in range(0, len(block), BATCH)]
            draw.shuffle(order)
            epoch += 1
        loss = loss_of(net, variant.batch(order.pop(), asked.device))
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimiser.step()
        plan.step()
        if step >= asked.steps // 5:
            with torch.no_grad():
                for name, each in net.state_dict().items():
                    mean[name] = each.clone() if name not in mean else mean[name].lerp_(each, 0.005)
        if step % 500 == 0:
            print(f"step {step} epoch {epoch} loss {loss.item():.3f} {time.monotonic() - began:.0f}s",
                  *(watched(net, each, asked.device) for each in left), flush=True)  # fmt: skip
    net.load_state_dict(mean)
    print("at the end:", *(watched(net, each, asked.device) for each in left), flush=True)
    asked.out.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(asked.out / f"{asked.name}.npz", **{
        name: each.cpu().numpy().astype(np.float16)
        for name, each in net.state_dict().items()
    })  # fmt: skip


if __name__ == "__main__":
    main()

"""Step 15: teach the encoder.

    python training/encoder_train.py --data W/enc --vectors VECTORS --into FOLDER [--layers 3 …]

What it learns at once: to lie where the teacher lies (English, its Korean twin, and texts with some
words in the other language), to bring a question near the turn that answers it and not near one that
only looks alike, to keep Korean that has no twin in the order that the static table gives it, and
how alike people found two sentences.
"""

from __future__ import annotations

import argparse
import json
import lzma
import math
import os
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")  # before torch: the same sums each time

import numpy as np
import torch
from torch.nn import functional

from encoder_model import Encoder, Shape

SEED: Final = 20261117
PREFIXES: Final = (128, 256)
CHUNKS: Final = 6
SHARPNESS: Final = 0.05


class Corpus:
    """Texts as padded numbers, on the device."""

    def __init__(self, data: dict[str, np.ndarray], device: str) -> None:
        sizes = data["ids_sizes"].astype(np.int64)
        self.sizes = torch.tensor(sizes, device=device)
        ends = np.cumsum(sizes)
        self.starts = torch.tensor(ends - sizes, device=device)
        self.flat = torch.tensor(data["ids"].astype(np.int32), device=device)
        self.device = device

    def padded(self, rows: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the pieces of some texts and where there are none."""
        sizes = self.sizes[rows]
        at = torch.arange(int(sizes.max()), device=self.device)
        hidden = at[None] >= sizes[:, None]
        where = (self.starts[rows][:, None] + at[None]).clamp(max=len(self.flat) - 1)
        return self.flat[where].long().masked_fill(hidden, 0), hidden


class Mixed:
    """Puts some words of a text into the other language, by what the static table holds alike."""

    def __init__(self, table: torch.Tensor, korean: torch.Tensor, english: torch.Tensor) -> None:
        self.other = torch.arange(len(table), device=table.device)[:, None].repeat(1, 3)
        unit = functional.normalize(table, dim=1)
        for one, two in ((korean, english), (english, korean)):
            for rows in one.split(4096):
                near, which = (unit[rows] @ unit[two].T).topk(3, dim=1)
                found = two[which]
                good = near > 0.6
                good[:, 0] &= True
                found = torch.where(good, found, torch.where(good[:, :1], found[:, :1],
                                                             rows[:, None]))  # fmt: skip
                self.other[rows] = found

    def __call__(self, ids: torch.Tensor, share: float, chance: torch.Generator) -> torch.Tensor:
        """Return the pieces with about this share of them changed."""
        kind = torch.randint(3, ids.shape, generator=chance, device=ids.device)
        changed = self.other[ids].gather(-1, kind[..., None]).squeeze(-1)
        swap = torch.rand(ids.shape, generator=chance, device=ids.device) < share
        return torch.where(swap, changed, ids)


def static_parts(path: Path, device: str) -> dict[str, torch.Tensor]:
    """Return the arrays of the static table's file."""
    raw = path.read_bytes()
    size = int.from_bytes(raw[:8], "little")
    header = json.loads(raw[8 : 8 + size])
    kinds = {"I8": np.int8, "U8": np.uint8, "F16": np.float16, "F32": np.float32}
    made = {}
    for name, entry in header.items():
        if name != "__metadata__":
            first, last = entry["data_offsets"]
            array = np.frombuffer(raw[8 + size + first : 8 + size + last], kinds[entry["dtype"]])
            made[name] = array.reshape(entry["shape"])
    names = made.pop("pieces").tobytes().decode("utf-8", "surrogatepass").split("\n")
    parts = {k: torch.tensor(v.astype(np.float32), device=device) for k, v in made.items()}
    hangul = [at for at, name in enumerate(names) if len(name) > 1 and "가" <= name[0] <= "힣"]
    words = [at for at, name in enumerate(names) if len(name) > 3 and name[0] == " "]
    parts["korean"] = torch.tensor(hangul, device=device)
    parts["words"] = torch.tensor(words, device=device)
    return parts


class Lessons:
    """Everything there is to learn, and the loss of one step."""

    def __init__(
        self, data: dict[str, np.ndarray], vectors: Path, asked: argparse.Namespace
    ) -> None:
        device = asked.device
        self.device, self.asked = device, asked
        self.corpus = Corpus(data, device)
        self.chance = torch.Generator(device).manual_seed(SEED)
        self.static = static_parts(asked.static, device)
        table = self.static["table"] * self.static["steps"][:, None]
        self.rough = table
        self.mixed = Mixed(table, self.static["korean"], self.static["words"])
        english = np.full(len(data["english"]), -1, np.int64)
        english[data["english"]] = np.arange(int(data["english"].sum()))
        self.english = torch.tensor(english, device=device)
        self.said, self.asks_said = self._space(vectors)
        self.parallel = torch.tensor(data["parallel"].astype(np.int64), device=device)
        self.answers = torch.tensor(data["answers"].astype(np.int64), device=device)
        self.alike = torch.tensor(data["alike"].astype(np.int64), device=device)
        self.judged = torch.tensor(data["judged"], device=device)
        self.alone_ko = torch.tensor(data["alone_ko"].astype(np.int64), device=device)
        self.alone_en = torch.tensor(data["alone_en"].astype(np.int64), device=device)
        self.asking = torch.zeros(len(english), dtype=torch.bool, device=device)
        self.asking[torch.tensor(data["asking"].astype(np.int64), device=device)] = True
        hands = data["hands"]
        kept = np.ones(len(hands), bool) if asked.leave_out < 0 else hands != asked.leave_out
        names = [name for name in data if name.split("_")[0] in ("turns", "asks", "near")]
        self.scenes, self.left_out = (
            {name: torch.tensor(data[name][some].astype(np.int64), device=device)
             for name in names} if some.any() else {}
            for some in (kept, ~kept)
        )  # fmt: skip

    def _space(self, folder: Path) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the teacher's vectors, centred and turned so that the first numbers say most."""
        said = torch.tensor(np.load(folder / "said.npy"), device=self.device).float()
        asks = torch.tensor(np.load(folder / "asked.npy"), device=self.device).float()
        middle, middle_asked = said.mean(0), asks.mean(0)
        said = functional.normalize(said - middle, dim=1)
        asks = functional.normalize(asks - middle_asked, dim=1)
        sample = said[:: max(1, len(said) // 100_000)]
        _, turn = torch.linalg.eigh(sample.T @ sample)
        turn = turn.flip(1)[:, : PREFIXES[-1]]
        said, asks = said @ turn, asks @ turn
        print(f"the first {PREFIXES[-1]} directions keep {float(said.square().sum(1).mean()):.3f}")
        return functional.normalize(said, dim=1).half(), functional.normalize(asks, dim=1).half()

    def pick(self, rows: torch.Tensor, count: int) -> torch.Tensor:
        """Return so many of these rows, by chance."""
        at = torch.randint(len(rows), (count,), generator=self.chance, device=self.device)
        return rows[at]

    def target(self, english: torch.Tensor, asks: torch.Tensor) -> torch.Tensor:
        """Return where the teacher puts these English texts."""
        at = self.english[english]
        return torch.where(asks[:, None], self.asks_said[at], self.said[at]).float()

    def static_of(self, rows: torch.Tensor) -> torch.Tensor:
        """Return the vectors that the static table gives."""
        ids, hidden = self.corpus.padded(rows)
        mean = (self.rough[ids] * ~hidden[..., None]).sum(1)
        mean = functional.normalize(mean, dim=1)
        bent = torch.relu(mean @ self.static["inner"] + self.static["inner_bias"])
        return functional.normalize(mean + bent @ self.static["outer"], dim=1)

    def encode(self, model: Encoder, rows: torch.Tensor, asks: torch.Tensor, swap: torch.Tensor
               ) -> torch.Tensor:  # fmt: skip
        """Return the vectors of many texts, those of like length together."""
        order = torch.argsort(self.corpus.sizes[rows], stable=True)
        parts = []
        table = model.rows()
        for some in order.chunk(CHUNKS):
            ids, hidden = self.corpus.padded(rows[some])
            changed = self.mixed(ids, 0.4, self.chance)
            ids = torch.where(swap[some][:, None], changed, ids)
            if model.training:
                gone = torch.rand(ids.shape, generator=self.chance, device=ids.device)
                kept = hidden | (gone < self.asked.forget)
                hidden = torch.where(kept.all(1, keepdim=True), hidden, kept)
            parts.append(model(ids, hidden, asks[some], table))
        return torch.cat(parts)[torch.argsort(order, stable=True)]

    def step(self, model: Encoder) -> dict[str, torch.Tensor]:
        """Return the losses of one step, each by its name."""
        n = self.asked.batch
        english = self.pick(self.alone_en, n)
        english_asks = self.asking[english]
        pairs = self.pick(self.parallel, n)
        korean, twin = pairs[:, 0], pairs[:, 1]
        pair_asks = self.asking[twin]
        alone = self.pick(self.alone_ko, n)
        judged = self.pick(self.judged, n // 8)
        answers = torch.cat([self.pick(self.answers, n // 4), self.pick(self.alike, n // 8)])
        scene = torch.randperm(len(self.scenes["turns_ko"]), generator=self.chance,
                               device=self.device)[: n // 8]  # fmt: skip
        asks, turn, near, other, asks_en, turn_en = self._scene(scene)
        no = lambda rows: torch.zeros(len(rows), dtype=torch.bool, device=self.device)  # noqa: E731
        yes = lambda rows: ~no(rows)  # noqa: E731
        first_asks = torch.cat([yes(answers[: n // 4]), no(answers[n // 4 :])])
        blocks = [
            (english, english_asks), (korean, pair_asks), (twin, pair_asks), (alone, no(alone)),
            (judged[:, 0].long(), no(judged)), (judged[:, 1].long(), no(judged)),
            (answers[:, 0], first_asks), (answers[:, 1], no(answers)),
            (asks, yes(asks)), (turn, no(turn)), (near, no(near)), (other, no(other)),
        ]  # fmt: skip
        rows = torch.cat([rows for rows, _ in blocks])
        asking = torch.cat([each for _, each in blocks])
        swap = torch.rand(len(rows), generator=self.chance, device=self.device)
        swap = swap < self.asked.mixed
        swap[len(english) + 2 * n : len(english) + 3 * n] = False  # alone: must match the table
        made = iter(self.encode(model, rows, asking, swap).split([len(r) for r, _ in blocks]))
        e, k, t, a, j1, j2, q, d, sq, st, sn, so = made
        return {
            "english": away(e, self.target(english, english_asks)),
            "korean": away(k, self.target(twin, pair_asks)),
            "twin": away(t, self.target(twin, pair_asks)),
            "pairs": matched(k, t),
            "alone": likewise(a, self.static_of(alone)),
            "judged": ordered(j1, j2, judged[:, 2]),
            "answers": matched(q, d),
            "scenes": chosen(sq, st, sn, so),
            "scene asks": away(sq, self.target(asks_en, yes(asks_en))),
            "scene turns": away(st, self.target(turn_en, no(turn_en))),
        }

    def _scene(self, scene: torch.Tensor) -> tuple[torch.Tensor, ...]:
        """Return for some scenes a question, a turn that answers it, two that do not."""

        def which(most: int) -> torch.Tensor:
            return torch.randint(most, (len(scene),), generator=self.chance, device=self.device)

        def taken(name: str, korean: torch.Tensor, at: torch.Tensor) -> torch.Tensor:
            ko = self.scenes[f"{name}_ko"][scene].gather(1, at[:, None]).squeeze(1)
            en = self.scenes[f"{name}_en"][scene].gather(1, at[:, None]).squeeze(1)
            return torch.where(korean, ko, en)

        in_korean = which(2).bool()
        # A question in the other language than the turn, one time in four.
        also = in_korean ^ (which(4) == 0)
        ask_at, turn_at = which(3), which(2)
        zero = torch.zeros_like(ask_at)
        never = torch.zeros_like(in_korean)
        return (
            taken("asks", in_korean, ask_at), taken("turns", also, turn_at),
            taken("near", also, zero), taken("near", also, zero + 1),
            taken("asks", never, ask_at), taken("turns", never, turn_at),
        )  # fmt: skip


def unit(x: torch.Tensor, size: int = PREFIXES[-1]) -> torch.Tensor:
    """Return the direction of the first numbers."""
    return functional.normalize(x[:, :size], dim=1)


def away(made: torch.Tensor, wanted: torch.Tensor) -> torch.Tensor:
    """Return how far vectors are from where they should be, for each length of vector."""
    return sum(
        (1 - (unit(made, size) * unit(wanted, size)).sum(1)).mean() for size in PREFIXES
    ) / len(PREFIXES)


def matched(one: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
    """Return how badly each finds its partner among all partners, both ways."""
    at = torch.arange(len(one), device=one.device)
    total = one.new_zeros(())
    for size in PREFIXES:
        near = unit(one, size) @ unit(other, size).T / SHARPNESS
        total = total + functional.cross_entropy(near, at) + functional.cross_entropy(near.T, at)
    return total / (2 * len(PREFIXES))


def chosen(asks: torch.Tensor, turns: torch.Tensor, near: torch.Tensor, other: torch.Tensor
           ) -> torch.Tensor:  # fmt: skip
    """Return how badly a question finds its turn among all turns and all that look alike."""
    at = torch.arange(len(asks), device=asks.device)
    total = asks.new_zeros(())
    for size in PREFIXES:
        against = torch.cat([unit(each, size) for each in (turns, near, other)])
        total = total + functional.cross_entropy(unit(asks, size) @ against.T / SHARPNESS, at)
    return total / len(PREFIXES)


def likewise(made: torch.Tensor, known: torch.Tensor) -> torch.Tensor:
    """Return how differently two spaces order the same texts by nearness."""
    n = len(made)
    self_pairs = torch.eye(n, dtype=torch.bool, device=made.device)
    mine = (unit(made) @ unit(made).T / SHARPNESS).masked_fill(self_pairs, -1e4)
    theirs = (known @ known.T / SHARPNESS).masked_fill(self_pairs, -1e4)
    return functional.kl_div(
        functional.log_softmax(mine, 1), functional.softmax(theirs, 1), reduction="batchmean"
    )


def ordered(one: torch.Tensor, other: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
    """Return how often a pair that people found less alike lies nearer (CoSENT)."""
    near = (unit(one) * unit(other)).sum(1) * 20
    wrong = (near[:, None] - near[None])[scores[:, None] < scores[None]]
    return torch.logsumexp(torch.cat([wrong.new_zeros(1), wrong]), 0)


WEIGHTS: Final = {
    "english": 4.0, "korean": 4.0, "twin": 2.0, "pairs": 0.5, "alone": 0.3, "judged": 0.05,
    "answers": 0.3, "scenes": 0.5, "scene asks": 1.0, "scene turns": 1.0,
}  # fmt: skip


def begun(lessons: Lessons, shape: Shape, asked: argparse.Namespace) -> Encoder:
    """Return an encoder that starts from the static table."""
    rows = lessons.rough
    length = rows.norm(dim=1, keepdim=True).clamp_min(1e-6)
    table = rows / length * 16.0
    weights = (length / length.median()).log().squeeze(1).clamp(-4, 4)
    return Encoder(table, weights, shape, asked.dropout).to(asked.device)


def taught(lessons: Lessons, shape: Shape, asked: argparse.Namespace) -> Encoder:
    """Return the encoder after so many steps."""
    torch.manual_seed(SEED)
    model = begun(lessons, shape, asked)
    slow = [model.table, model.weights]
    fast = [p for n, p in model.named_parameters() if n not in ("table", "weights")]
    optimiser = torch.optim.AdamW(
        [{"params": fast, "lr": asked.rate}, {"params": slow, "lr": asked.rate * asked.table_rate}],
        betas=(0.9, 0.98), weight_decay=0.01, fused=asked.device == "cuda",
    )  # fmt: skip
    rates = [group["lr"] for group in optimiser.param_groups]
    weights = WEIGHTS | json.loads(asked.weights)
    began, shown = time.monotonic(), 0.0
    for step in range(asked.steps):
        share = min(1.0, (step + 1) / (0.05 * asked.steps))
        share *= 0.5 * (1 + math.cos(math.pi * step / asked.steps)) * 0.95 + 0.05
        for group, rate in zip(optimiser.param_groups, rates, strict=True):
            group["lr"] = rate * share
        with torch.autocast(asked.device, torch.bfloat16, enabled=asked.device == "cuda"):
            losses = lessons.step(model)
        total = sum(weights[name] * loss for name, loss in losses.items())
        optimiser.zero_grad(set_to_none=True)
        total.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        if step == 20 or step == asked.steps - 1 or time.monotonic() - shown > 30:
            shown = time.monotonic()
            told = " ".join(f"{name} {float(loss.detach()):.3f}" for name, loss in losses.items())
            print(f"{step} {shown - began:.0f}s {told}", flush=True)
    return model


def paced(lessons: Lessons, shape: Shape, asked: argparse.Namespace) -> int:
    """Return how many steps fit into the seconds there are, in hundreds."""
    wanted, asked.steps = asked.steps, 40
    taught(lessons, shape, asked)
    torch.cuda.synchronize()
    began = time.monotonic()
    taught(lessons, shape, asked)
    torch.cuda.synchronize()
    fit = int(asked.seconds / ((time.monotonic() - began) / 40)) // 100 * 100
    print(f"{fit} steps fit", flush=True)
    lessons.chance.manual_seed(SEED)
    return min(wanted, fit)


@torch.no_grad()
def measured(model: Encoder, lessons: Lessons, path: Path) -> dict[str, Any]:
    """Return how often the evidence is among the first ten turns of each life."""
    model.eval()
    table = model.rows()
    found: dict[str, Any] = {}
    for name, life in json.loads(path.read_text()).items():

        def vectors(texts: list[list[int]], asks: bool) -> torch.Tensor:
            longest = max(map(len, texts))
            ids = torch.zeros(len(texts), longest, dtype=torch.long, device=lessons.device)
            hidden = torch.ones_like(ids, dtype=torch.bool)
            for at, each in enumerate(texts):
                ids[at, : len(each)] = torch.tensor(each)
                hidden[at, : len(each)] = False
            flags = torch.full((len(texts),), asks, device=lessons.device)
            return unit(model(ids, hidden, flags, table))

        near = vectors(life["asks"], True) @ vectors(life["turns"], False).T
        top = near.topk(10, dim=1).indices.tolist()
        hits = [bool(set(row) & set(right)) for row, right in zip(top, life["right"], strict=True)]
        found[name] = round(sum(hits) / len(hits), 3)
    for asks, turns in (("ko", "ko"), ("en", "en"), ("ko", "en"), ("en", "ko")):
        if lessons.left_out:
            found[f"{asks}>{turns}"] = first_of_scenes(model, lessons, asks, turns)
    model.train()
    return found


def first_of_scenes(model: Encoder, lessons: Lessons, asks: str, turns: str) -> float:
    """Return how often the question of a scene finds its turn first, among all of the hand."""
    rows = {name: part.flatten() for name, part in lessons.left_out.items()}
    said = torch.cat([rows[f"turns_{turns}"], rows[f"near_{turns}"]])
    asked = rows[f"asks_{asks}"]

    def vectors(some: torch.Tensor, asking: bool) -> torch.Tensor:
        no = torch.zeros(len(some), dtype=torch.bool, device=lessons.device)
        return unit(lessons.encode(model, some, ~no if asking else no, no))

    first = (vectors(asked, True) @ vectors(said, False).T).argmax(1)
    count = len(rows[f"turns_{turns}"])
    right = (first < count) & (first // 2 == torch.arange(len(asked), device=first.device) // 3)
    return round(float(right.float().mean()), 3)


def main() -> None:
    """Teach one encoder and write its numbers, its shape and what it reaches."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--vectors", type=Path, required=True)
    parser.add_argument("--static", type=Path,
                        default=Path("src/saegim/engines/brain/static-ko-en-1.safetensors"))  # fmt: skip
    parser.add_argument("--into", type=Path, required=True)
    parser.add_argument("--lives", type=Path)
    parser.add_argument("--device", default="cuda")
    for name, kind, value in (
        ("layers", int, 3), ("width", int, 256), ("inner", int, 512), ("heads", int, 4),
        ("steps", int, 6000), ("batch", int, 1024), ("rate", float, 2e-3),
        ("table_rate", float, 1.0), ("dropout", float, 0.1), ("forget", float, 0.1),
        ("mixed", float, 0.25), ("leave_out", int, -1), ("seconds", int, 0),
    ):  # fmt: skip
        parser.add_argument(f"--{name.replace('_', '-')}", type=kind, default=value)
    parser.add_argument("--weights", default="{}", help="losses to weigh otherwise, as JSON")
    parser.add_argument("--keep", action="store_true")
    asked = parser.parse_args()
    torch.use_deterministic_algorithms(mode=True)
    torch.utils.deterministic.fill_uninitialized_memory = False  # costs half of the time
    with lzma.open(asked.data / "student.npz.xz") as file:
        data = dict(np.load(file))
    lessons = Lessons(data, asked.vectors, asked)
    shape = Shape(asked.layers, asked.width, asked.inner, asked.heads)
    if asked.seconds:
        asked.steps = paced(lessons, shape, asked)
    model = taught(lessons, shape, asked)
    asked.into.mkdir(parents=True, exist_ok=True)
    figures = measured(model, lessons, asked.lives) if asked.lives else {}
    print(asdict(shape), figures, flush=True)
    name = f"{asked.layers}x{asked.width}x{asked.inner}"
    (asked.into / f"{name}.json").write_text(
        json.dumps({"shape": asdict(shape), "lives": figures, "steps": asked.steps})
    )
    arrays = {k: v.detach().float().cpu().numpy() for k, v in model.state_dict().items()}
    if asked.keep:
        # The table in int8 with a step a row, the rest in halves: so the files travel.
        table = arrays.pop("table")
        steps = np.abs(table).max(1) / 127
        np.savez(asked.into / f"{name}.table.npz", steps=steps.astype(np.float32),
                 table=np.round(table / steps[:, None]).astype(np.int8))  # fmt: skip
        np.savez(
            asked.into / f"{name}.rest.npz", **{k: v.astype(np.float16) for k, v in arrays.items()}
        )


if __name__ == "__main__":
    main()

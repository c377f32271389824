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
from collections.abc import Callable
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
CHUNKS: Final = 8  # texts of like length are read together, each part padded to a fixed length
LONGEST: Final = 64
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

    def padded(self, rows: torch.Tensor, longest: int = LONGEST
               ) -> tuple[torch.Tensor, torch.Tensor]:  # fmt: skip
        """Return the first pieces of some texts and where there are none."""
        sizes = self.sizes[rows]
        at = torch.arange(longest, device=self.device)
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
        self.twins = torch.tensor(data["twins"].astype(np.int64), device=device)
        known = [self.static_of(rows) for rows in self.alone_ko.split(8192)]
        self.known_ko = torch.cat(known).half()
        self.lengths = self._lengths()

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
        lengths = self.lengths if model.training else [LONGEST] * CHUNKS
        parts = []
        for some, longest in zip(order.chunk(CHUNKS), lengths, strict=False):
            ids, hidden = self.corpus.padded(rows[some], longest)
            changed = self.mixed(ids, 0.4, self.chance)
            ids = torch.where(swap[some][:, None], changed, ids)
            if model.training:
                gone = torch.rand(ids.shape, generator=self.chance, device=ids.device)
                kept = hidden | (gone < self.asked.forget)
                hidden = torch.where(kept.all(1, keepdim=True), hidden, kept)
            parts.append((ids, hidden, asks[some]))
        return torch.cat(model.all(parts))[torch.argsort(order, stable=True)]

    @torch.no_grad()
    def _lengths(self) -> list[int]:
        """Return how long the texts of each part of a step are, at most, over some steps."""
        longest = torch.zeros(CHUNKS, dtype=torch.long, device=self.device)
        for _ in range(50):
            rows = torch.cat([rows for rows, _ in self.drawn()[0]])
            sizes = self.corpus.sizes[rows].sort().values.chunk(CHUNKS)
            longest = torch.maximum(longest, torch.stack([part[-1] for part in sizes]))
        return [min(LONGEST, -(-int(each) // 4) * 4) for each in longest]

    def drawn(self) -> tuple[list[tuple[torch.Tensor, torch.Tensor]], dict[str, torch.Tensor]]:
        """Return the texts of one step, block by block with who asks, and what is wanted."""
        n = self.asked.batch
        english = self.pick(self.alone_en, n)
        pairs = self.pick(self.parallel, n)
        korean, twin = pairs[:, 0], pairs[:, 1]
        where = torch.randint(len(self.alone_ko), (n,), generator=self.chance, device=self.device)
        alone = self.alone_ko[where]
        judged = self.pick(self.judged, n // 8)
        answers = torch.cat([self.pick(self.answers, n // 4), self.pick(self.alike, n // 8)])
        scene = torch.randint(len(self.scenes["turns_ko"]), (n // 4,), generator=self.chance,
                              device=self.device)  # fmt: skip
        asks, turn, near, other, asks_en, turn_en = self._scene(scene)
        text, same, unlike = self._twins(n // 8)
        no = lambda rows: torch.zeros(len(rows), dtype=torch.bool, device=self.device)  # noqa: E731
        yes = lambda rows: ~no(rows)  # noqa: E731
        first_asks = torch.cat([yes(answers[: n // 4]), no(answers[n // 4 :])])
        blocks = [
            (english, self.asking[english]), (korean, self.asking[twin]), (twin, self.asking[twin]),
            (alone, no(alone)),
            (judged[:, 0].long(), no(judged)), (judged[:, 1].long(), no(judged)),
            (answers[:, 0], first_asks), (answers[:, 1], no(answers)),
            (asks, yes(asks)), (turn, no(turn)), (near, no(near)), (other, no(other)),
            (text, no(text)), (same, no(same)), (unlike, no(unlike)),
        ]  # fmt: skip
        wanted = {
            "english": self.target(english, self.asking[english]),
            "twin": self.target(twin, self.asking[twin]),
            "alone": self.known_ko[where].float(),
            "judged": judged[:, 2], "scene": scene,
            "asks": self.target(asks_en, yes(asks_en)), "turns": self.target(turn_en, no(turn_en)),
        }  # fmt: skip
        return blocks, wanted

    def step(self, model: Encoder) -> dict[str, torch.Tensor]:
        """Return the losses of one step, each by its name."""
        n = self.asked.batch
        blocks, wanted = self.drawn()
        rows = torch.cat([rows for rows, _ in blocks])
        asking = torch.cat([each for _, each in blocks])
        swap = torch.rand(len(rows), generator=self.chance, device=self.device)
        swap = swap < self.asked.mixed
        swap[3 * n : 4 * n] = False  # alone: must match the table
        swap[-3 * (n // 8) :] = False  # twins: a word apart is what they are about
        made = iter(self.encode(model, rows, asking, swap).split([len(r) for r, _ in blocks]))
        e, k, t, a, j1, j2, q, d, sq, st, sn, so, wt, ws, wo = made
        return {
            "english": away(e, wanted["english"]),
            "korean": away(k, wanted["twin"]),
            "twin": away(t, wanted["twin"]),
            "order en": likewise(e, wanted["english"]),
            "order ko": likewise(k, wanted["twin"]),
            "pairs": matched(k, t),
            "alone": likewise(a, wanted["alone"]),
            "judged": ordered(j1, j2, wanted["judged"]),
            "answers": matched(q, d),
            "scenes": chosen(sq, (st, sn, so), wanted["scene"]),
            "scene asks": away(sq, wanted["asks"]),
            "scene turns": away(st, wanted["turns"]),
            "twins": apart(wt, ws, wo),
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

    def _twins(self, count: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Return texts, others that mean the same, and others that only have the same words."""
        some = self.pick(self.twins, count)
        language = torch.randint(2, (count,), generator=self.chance, device=self.device)
        # The same in the other language, one time in four; the trap has the words of the text.
        crossed = torch.randint(4, (count,), generator=self.chance, device=self.device) == 0
        same = language ^ crossed.long()
        return tuple(
            some[:, at].gather(1, lang[:, None]).squeeze(1)
            for at, lang in ((0, language), (1, same), (2, language))
        )


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


def chosen(asks: torch.Tensor, said: tuple[torch.Tensor, ...], scene: torch.Tensor
           ) -> torch.Tensor:  # fmt: skip
    """Return how badly a question finds its turn among all turns and all that look alike."""
    at = torch.arange(len(asks), device=asks.device)
    again = (scene[:, None] == scene[None]) & (at[:, None] != at[None])  # drawn twice
    total = asks.new_zeros(())
    for size in PREFIXES:
        against = torch.cat([unit(each, size) for each in said])
        near = unit(asks, size) @ against.T / SHARPNESS
        near = near.masked_fill(again.repeat(1, len(said)), -1e4)
        total = total + functional.cross_entropy(near, at)
    return total / len(PREFIXES)


def apart(text: torch.Tensor, same: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
    """Return how badly a text and its twin find each other before what has the same words."""
    total = text.new_zeros(())
    for size in PREFIXES:
        one, two, trap = (unit(each, size) for each in (text, same, other))
        right = (one * two).sum(1)
        for wrong in ((one * trap).sum(1), (two * trap).sum(1)):
            total = total + functional.softplus((wrong - right) / SHARPNESS).mean()
    return total / (2 * len(PREFIXES))


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
    wrong = (near[:, None] - near[None]).masked_fill(scores[:, None] >= scores[None], -1e4)
    return torch.logsumexp(torch.cat([wrong.new_zeros(1), wrong.flatten()]), 0)


WEIGHTS: Final = {
    "english": 4.0, "korean": 4.0, "twin": 2.0, "order en": 0.1, "order ko": 0.1, "pairs": 0.5,
    "alone": 0.3, "judged": 0.05, "answers": 0.3, "scenes": 0.3, "scene asks": 1.0,
    "scene turns": 1.0, "twins": 0.2,
}  # fmt: skip


def begun(lessons: Lessons, shape: Shape, asked: argparse.Namespace) -> Encoder:
    """Return an encoder that starts from the static table."""
    rows = lessons.rough
    length = rows.norm(dim=1, keepdim=True).clamp_min(1e-6)
    table = rows / length * 16.0
    weights = (length / length.median()).log().squeeze(1).clamp(-4, 4)
    return Encoder(table, weights, shape, asked.dropout).to(asked.device)


class Learner:
    """One encoder and what moves it. On an accelerator a step is recorded once and played again:

    launching its small products one by one would take ten times as long as running them.
    """

    def __init__(self, lessons: Lessons, shape: Shape, asked: argparse.Namespace) -> None:
        torch.manual_seed(SEED)
        lessons.chance.manual_seed(SEED)
        self.lessons, self.asked = lessons, asked
        self.model = begun(lessons, shape, asked)
        self.weights = WEIGHTS | json.loads(asked.weights)
        slow = [self.model.table, self.model.weights]
        fast = [p for n, p in self.model.named_parameters() if n not in ("table", "weights")]
        self.playing = asked.device == "cuda"
        self.rates = [asked.rate, asked.rate * asked.table_rate]
        self.optimiser = torch.optim.AdamW(
            [{"params": some, "lr": torch.tensor(rate, device=asked.device)}
             for some, rate in zip((fast, slow), self.rates, strict=True)],
            betas=(0.9, 0.98), weight_decay=0.01, fused=self.playing, capturable=self.playing,
        )  # fmt: skip
        self.losses: dict[str, torch.Tensor] = {}

    def _once(self) -> None:
        with torch.autocast(self.asked.device, torch.bfloat16, enabled=self.playing):
            losses = self.lessons.step(self.model)
        total = sum(self.weights[name] * loss for name, loss in losses.items())
        self.optimiser.zero_grad(set_to_none=True)
        total.backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimiser.step()
        self.losses = {name: loss.detach() for name, loss in losses.items()}

    def _recorded(self) -> torch.cuda.CUDAGraph:
        """Return one step as a recording, after some that only warm up (their rate is nought)."""
        self._pace(0.0)
        aside = torch.cuda.Stream()
        aside.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(aside):
            for _ in range(3):
                self._once()
        torch.cuda.current_stream().wait_stream(aside)
        recording = torch.cuda.CUDAGraph()
        recording.register_generator_state(self.lessons.chance)
        with torch.cuda.graph(recording):
            self._once()
        return recording

    def _pace(self, share: float) -> None:
        for group, rate in zip(self.optimiser.param_groups, self.rates, strict=True):
            group["lr"].fill_(rate * share)

    def taught(self) -> Encoder:
        """Return the encoder after so many steps, or so many seconds, whichever ends first."""
        steps = self.asked.steps
        play = self._recorded().replay if self.playing else self._once
        if self.asked.seconds:
            steps = min(steps, self._fitting(play))
        began, shown = time.monotonic(), 0.0
        for step in range(steps):
            share = min(1.0, (step + 1) / (0.05 * steps))
            self._pace(share * (0.5 * (1 + math.cos(math.pi * step / steps)) * 0.98 + 0.02))
            play()
            if step % 100 == 0 or step == steps - 1:
                torch.cuda.synchronize() if self.playing else None
                if time.monotonic() - shown > 30 or step == steps - 1:
                    shown = time.monotonic()
                    told = " ".join(f"{k} {float(v):.3f}" for k, v in self.losses.items())
                    print(f"{step} {shown - began:.0f}s {told}", flush=True)
        self.asked.steps = steps
        return self.model

    def _fitting(self, play: Callable[[], None]) -> int:
        """Return how many steps fit into the seconds there are, in hundreds."""
        torch.cuda.synchronize()
        began = time.monotonic()
        for _ in range(50):
            play()
        torch.cuda.synchronize()
        each = (time.monotonic() - began) / 50
        print(f"{1000 * each:.1f} ms a step, parts of {self.lessons.lengths}", flush=True)
        return int(self.asked.seconds / each) // 100 * 100


@torch.no_grad()
def measured(model: Encoder, lessons: Lessons, path: Path) -> dict[str, Any]:
    """Return how often the evidence is among the first ten turns of each life."""
    model.eval()
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
            return unit(model.all([(ids, hidden, flags)])[0])

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
        ("steps", int, 5_500), ("batch", int, 768), ("rate", float, 3e-3),
        ("table_rate", float, 1.0), ("dropout", float, 0.2), ("forget", float, 0.2),
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
    model = Learner(lessons, shape, asked).taught()
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

"""Step 15: teach the encoder.

    python training/encoder_train.py --data W/enc --vectors VECTORS --into FOLDER [--layers 0,2,5 …]

What it learns at once: to lie where the teacher lies (Korean and English, also with slips of the
finger and with some words in the other language), to order what lies near a text as the teacher
does, and to bring a question near the turn that answers it and not near one that only looks alike.
"""

from __future__ import annotations

import argparse
import io
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

from encoder_model import GROUP, LAYER_MOST, TABLE_MOST, Encoder, Shape

SEED: Final = 20261119
PREFIXES: Final = (128, 384)
CHUNKS: Final = 8  # texts of like length are read together, each part padded to a fixed length
LONGEST: Final = 64
SHARPNESS: Final = 0.05
POOL: Final = 260_000  # texts among which the nearest of others are looked for
NEIGHBOURS: Final = 16
ANCHORS: Final = 200_000


def unpacked(path: Path) -> dict[str, np.ndarray]:
    """Return the arrays of a file that travelled."""
    with np.load(io.BytesIO(lzma.decompress(path.read_bytes()))) as found:
        return dict(found)


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
        self.rough = self.static["table"] * self.static["steps"][:, None]
        self.mixed = Mixed(self.rough, self.static["korean"], self.static["words"])
        self.said = self.rows_of(np.load(vectors / "said.npy", mmap_mode="r")).half()
        self.asks_said = self.rows_of(np.load(vectors / "asked.npy", mmap_mode="r")).half()
        asking = self.rows_of(data["asking"]).long()
        base = len(data["english"])
        self.question = torch.full((base,), -1, dtype=torch.long, device=device)
        self.question[asking] = torch.arange(len(asking), device=device)
        own = torch.arange(base, device=device)
        self.aim = torch.cat([own, self.rows_of(data["slips"]).long()])
        for name in ("parallel", "answers", "alike", "talk", "twins", "alone_ko", "alone_en"):
            setattr(self, name, self.rows_of(data[name]).long())
        self.judged = self.rows_of(data["judged"])
        self.slips = torch.arange(base, len(self.aim), device=device)
        hands = data["hands"]
        kept = np.ones(len(hands), bool) if asked.leave_out < 0 else hands != asked.leave_out
        names = [name for name in data if name.split("_")[0] in ("turns", "asks", "near")]
        self.scenes, self.left_out = (
            {name: self.rows_of(data[name][some]).long() for name in names} if some.any() else {}
            for some in (kept, ~kept)
        )
        self.neighbours()
        self.lengths = self._lengths()

    def rows_of(self, array: np.ndarray) -> torch.Tensor:
        """Return an array on the device."""
        return torch.tensor(np.ascontiguousarray(array), device=self.device)

    @torch.no_grad()
    def neighbours(self) -> None:
        """Look for what the teacher finds nearest to every question and to many other texts."""

        def few(rows: torch.Tensor, most: int) -> torch.Tensor:
            order = torch.randperm(len(rows), generator=self.chance, device=self.device)
            return rows[order[:most]]

        everything = torch.arange(len(self.said), device=self.device)
        pool = few(everything, POOL)
        pool = pool[: len(pool) // 64 * 64]
        near = self.said[pool].bfloat16()
        asking = torch.nonzero(self.question >= 0).squeeze(1)
        telling = few(everything, ANCHORS)
        self.anchors = torch.cat([asking, telling])
        self.anchors_ask = torch.arange(len(self.anchors), device=self.device) < len(asking)
        made = []
        for rows, asks in ((asking, True), (telling, False)):
            for some in rows.split(4096):
                to = (self.asks_said[self.question[some]] if asks else self.said[some]).bfloat16()
                alike = to @ near.T
                alike.masked_fill_(pool[None] == some[:, None], -2.0)
                parts = alike.view(len(some), -1, 64)
                groups = parts.amax(2).topk(min(NEIGHBOURS, parts.shape[1]), 1).indices
                inside = parts.gather(1, groups[..., None].expand(-1, -1, 64)).flatten(1)
                best = inside.topk(NEIGHBOURS, 1).indices
                at = groups.gather(1, best // 64) * 64 + best % 64
                made.append(pool[at].int())
        self.nearest = torch.cat(made)

    def pick(self, rows: torch.Tensor, count: int) -> torch.Tensor:
        """Return so many of these rows, by chance."""
        return rows[self.numbers(len(rows), count)]

    def numbers(self, most: int, count: int) -> torch.Tensor:
        """Return numbers below the most, by chance."""
        return torch.randint(most, (count,), generator=self.chance, device=self.device)

    def target(self, rows: torch.Tensor, asks: torch.Tensor) -> torch.Tensor:
        """Return where the teacher puts these texts, as asked where it was asked with them."""
        base = self.aim[rows]
        question = self.question[base]
        as_asked = asks & (question >= 0)
        found = self.asks_said[question.clamp_min(0)]
        return torch.where(as_asked[:, None], found, self.said[base]).float()

    def static_of(self, ids: torch.Tensor, hidden: torch.Tensor) -> torch.Tensor:
        """Return the vectors that the static table gives."""
        mean = functional.normalize((self.rough[ids] * ~hidden[..., None]).sum(1), dim=1)
        bent = torch.relu(mean @ self.static["inner"] + self.static["inner_bias"])
        return functional.normalize(mean + bent @ self.static["outer"], dim=1)

    def encode(self, model: Encoder, rows: torch.Tensor, asks: torch.Tensor, noisy: torch.Tensor
               ) -> torch.Tensor:  # fmt: skip
        """Return the vectors of many texts, those of like length together."""
        order = torch.argsort(self.corpus.sizes[rows], stable=True)
        lengths = self.lengths if model.training else [LONGEST] * CHUNKS
        parts = []
        for some, longest in zip(order.chunk(CHUNKS), lengths, strict=False):
            ids, hidden = self.corpus.padded(rows[some], longest)
            if model.training:
                swap = torch.rand(len(some), generator=self.chance, device=ids.device)
                swap = (swap < self.asked.mixed) & noisy[some]
                ids = torch.where(swap[:, None], self.mixed(ids, 0.4, self.chance), ids)
                gone = torch.rand(ids.shape, generator=self.chance, device=ids.device)
                kept = hidden | ((gone < self.asked.forget) & noisy[some][:, None])
                hidden = torch.where(kept.all(1, keepdim=True), hidden, kept)
            parts.append((ids, hidden, asks[some]))
        return torch.cat(model.all(parts))[torch.argsort(order, stable=True)]

    @torch.no_grad()
    def _lengths(self) -> list[int]:
        """Return how long the texts of each part of a step are, at most, over some steps."""
        longest = torch.zeros(CHUNKS, dtype=torch.long, device=self.device)
        for _ in range(50):
            rows = torch.cat([rows for rows, _ in self.drawn().values()])
            sizes = self.corpus.sizes[rows].sort().values.chunk(CHUNKS)
            longest = torch.maximum(longest, torch.stack([part[-1] for part in sizes]))
        return [min(LONGEST, -(-int(each) // 4) * 4) for each in longest]

    def drawn(self) -> dict[str, tuple[torch.Tensor, torch.Tensor]]:
        """Return the texts of one step, block by block, and which of them are asked."""
        n = self.asked.batch

        def plain(rows: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
            return rows, torch.zeros(len(rows), dtype=torch.bool, device=self.device)

        def asked(rows: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
            return rows, torch.ones(len(rows), dtype=torch.bool, device=self.device)

        pairs = self.pick(self.parallel, n)
        judged = self.judged[self.numbers(len(self.judged), n // 4)]
        answers, alike = self.pick(self.answers, n // 2), self.pick(self.alike, n // 4)
        at = self.numbers(len(self.anchors), n)
        which = torch.randint(NEIGHBOURS, (n, 3), generator=self.chance, device=self.device)
        near = self.nearest[at].gather(1, which).long()
        self.scene = self.numbers(len(self.scenes["turns_ko"]), n // 2)
        self.scores = judged[:, 2]
        asks, turn, look, other = self._scene(self.scene)
        text, same, unlike = self._twins(n // 4)
        return {
            "en": plain(self.pick(self.alone_en, 2 * n)),
            "ko": plain(self.pick(self.alone_ko, 2 * n)),
            "talk": plain(self.pick(self.talk, n)), "slips": plain(self.pick(self.slips, n)),
            "anchors": (self.anchors[at], self.anchors_ask[at]), "near": plain(near.flatten()),
            "asks": asked(asks), "turns": plain(turn), "look": plain(look), "other": plain(other),
            "answers": asked(answers[:, 0]), "answered": plain(answers[:, 1]),
            "korean": plain(pairs[:, 0]), "english": plain(pairs[:, 1]),
            "alike": plain(alike[:, 0]), "likewise": plain(alike[:, 1]),
            "judged": plain(judged[:, 0].long()), "with": plain(judged[:, 1].long()),
            "text": plain(text), "same": plain(same), "unlike": plain(unlike),
        }  # fmt: skip

    def step(self, model: Encoder) -> dict[str, torch.Tensor]:
        """Return the losses of one step, each by its name."""
        blocks = self.drawn()
        rows = torch.cat([rows for rows, _ in blocks.values()])
        asks = torch.cat([each for _, each in blocks.values()])
        # Twins: a word apart is what they are about.
        exact = ("text", "same", "unlike", "judged", "with")
        noisy = torch.cat([torch.full_like(each, name not in exact)
                           for name, (_, each) in blocks.items()])  # fmt: skip
        sizes = [len(rows) for rows, _ in blocks.values()]
        with torch.autocast(self.device, torch.bfloat16, enabled=self.device == "cuda"):
            found = self.encode(model, rows, asks, noisy)
        made = dict(zip(blocks, found.split(sizes), strict=True))
        want = dict(zip(blocks, self.target(rows, asks).split(sizes), strict=True))
        both = functional.normalize(want["korean"] + want["english"], dim=1)
        want["korean"] = want["english"] = both
        place = torch.cat([away(made[name], want[name]) for name in blocks if name not in exact])
        near, wanted_near = made["near"], want["near"]
        said = [torch.cat([of[name] for name in ("turns", "look", "other")]) for of in (made, want)]
        return {
            "place": place.mean(),
            "order": likewise(made["anchors"], near, want["anchors"], wanted_near),
            "order en": likewise(made["en"], made["en"], want["en"], want["en"]),
            "order ko": likewise(made["ko"], made["ko"], want["ko"], want["ko"]),
            "order scenes": likewise(made["asks"], said[0], want["asks"], said[1]),
            "pairs": matched(made["korean"], made["english"]),
            "answers": matched(made["answers"], made["answered"]),
            "alike": matched(made["alike"], made["likewise"]),
            "judged": ordered(made["judged"], made["with"], self.scores),
            "scenes": chosen(
                made["asks"], (made["turns"], made["look"], made["other"]), self.scene
            ),
            "twins": apart(made["text"], made["same"], made["unlike"]),
        }

    def _scene(self, scene: torch.Tensor) -> tuple[torch.Tensor, ...]:
        """Return for some scenes a question, a turn that answers it, two that do not."""

        def taken(name: str, korean: torch.Tensor, at: torch.Tensor) -> torch.Tensor:
            ko = self.scenes[f"{name}_ko"][scene].gather(1, at[:, None]).squeeze(1)
            en = self.scenes[f"{name}_en"][scene].gather(1, at[:, None]).squeeze(1)
            return torch.where(korean, ko, en)

        in_korean = self.numbers(2, len(scene)).bool()
        # A question in the other language than the turn, one time in four.
        also = in_korean ^ (self.numbers(4, len(scene)) == 0)
        ask_at, turn_at = self.numbers(3, len(scene)), self.numbers(2, len(scene))
        zero = torch.zeros_like(ask_at)
        return (
            taken("asks", in_korean, ask_at), taken("turns", also, turn_at),
            taken("near", also, zero), taken("near", also, zero + 1),
        )  # fmt: skip

    def _twins(self, count: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Return texts, others that mean the same, and others that only have the same words."""
        some = self.pick(self.twins, count)
        language = self.numbers(2, count)
        # The same in the other language, one time in four; the trap has the words of the text.
        same = language ^ (self.numbers(4, count) == 0).long()
        return tuple(
            some[:, at].gather(1, lang[:, None]).squeeze(1)
            for at, lang in ((0, language), (1, same), (2, language))
        )


def unit(x: torch.Tensor, size: int = PREFIXES[-1]) -> torch.Tensor:
    """Return the direction of the first numbers."""
    return functional.normalize(x[:, :size], dim=1)


def away(made: torch.Tensor, wanted: torch.Tensor) -> torch.Tensor:
    """Return how far each vector is from where it should be, over the lengths of vectors."""
    return sum(1 - (unit(made, size) * unit(wanted, size)).sum(1) for size in PREFIXES) / len(
        PREFIXES
    )


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


def likewise(one: torch.Tensor, other: torch.Tensor, wanted: torch.Tensor,
             wanted_other: torch.Tensor) -> torch.Tensor:  # fmt: skip
    """Return how differently two spaces order some texts by nearness to others."""
    itself = one is other
    total = one.new_zeros(())
    for size in PREFIXES:
        mine = unit(one, size) @ unit(other, size).T / SHARPNESS
        theirs = unit(wanted) @ unit(wanted_other).T / SHARPNESS
        if itself:
            same = torch.eye(len(one), dtype=torch.bool, device=one.device)
            mine, theirs = mine.masked_fill(same, -1e4), theirs.masked_fill(same, -1e4)
        total = total + functional.kl_div(
            functional.log_softmax(mine, 1), functional.softmax(theirs, 1), reduction="batchmean"
        )
    return total / len(PREFIXES)


def ordered(one: torch.Tensor, other: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
    """Return how often a pair that people found less alike lies nearer (CoSENT)."""
    near = (unit(one) * unit(other)).sum(1) * 20
    wrong = (near[:, None] - near[None]).masked_fill(scores[:, None] >= scores[None], -1e4)
    return torch.logsumexp(torch.cat([wrong.new_zeros(1), wrong.flatten()]), 0)


WEIGHTS: Final = {
    "place": 6.0, "order": 0.4, "order en": 0.1, "order ko": 0.1, "order scenes": 0.2,
    "pairs": 0.2, "answers": 0.05, "alike": 0.05, "judged": 0.05, "scenes": 0.1, "twins": 0.1,
}  # fmt: skip


@torch.no_grad()
def begun(lessons: Lessons, shape: Shape, asked: argparse.Namespace) -> Encoder:
    """Return an encoder that begins with MiniLM's layers, turned towards the teacher's space."""
    length = lessons.rough.norm(dim=1).clamp_min(1e-6)
    weights = (length / length.median()).log().clamp(-2, 2).cpu()
    with np.load(asked.data / "begin.npz") as begin:
        model = Encoder(dict(begin), weights, shape, asked.dropout).to(asked.device).eval()
    model.last.weight.copy_(torch.eye(shape.width, device=asked.device)[: shape.out])
    rows = lessons.pick(lessons.alone_en, 40_000)
    found = []
    for some in rows.split(4_000):
        no = torch.zeros(len(some), dtype=torch.bool, device=asked.device)
        found.append(lessons.encode(model, some, no, no))
    given, wanted = torch.cat(found).double(), lessons.said[rows].double()
    square = given.T @ given
    fit = torch.linalg.solve(square + 1e-3 * square.diagonal().mean() * torch.eye(
        len(square), device=asked.device, dtype=torch.double), given.T @ wanted)  # fmt: skip
    model.last.weight.copy_(fit.T[: shape.out].float())
    near = functional.cosine_similarity(given @ fit, wanted).mean()
    print(f"begins at a cosine of {float(near):.3f} to the teacher in English", flush=True)
    return model.train()


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
        table = [self.model.table, self.model.weights]
        known = list(self.model.layers.parameters())
        ends = [p for n, p in self.model.named_parameters()
                if n.split(".")[0] not in ("table", "weights", "layers")]  # fmt: skip
        self.playing = asked.device == "cuda"
        self.rates = [asked.rate, asked.rate * asked.table_rate, 2 * asked.rate]
        self.optimiser = torch.optim.AdamW(
            [{"params": some, "lr": torch.tensor(rate, device=asked.device)}
             for some, rate in zip((known, table, ends), self.rates, strict=True)],
            betas=(0.9, 0.98), weight_decay=0.01, fused=self.playing, capturable=self.playing,
        )  # fmt: skip
        self.losses: dict[str, torch.Tensor] = {}

    def _once(self) -> None:
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
            if step == int(0.8 * steps):  # the last fifth with the numbers the file can hold
                self.model.narrow = True
                play = self._recorded().replay if self.playing else self._once
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

        def vectors(texts: list[list[int]], asks: bool) -> tuple[torch.Tensor, torch.Tensor]:
            longest = max(map(len, texts))
            ids = torch.zeros(len(texts), longest, dtype=torch.long, device=lessons.device)
            hidden = torch.ones_like(ids, dtype=torch.bool)
            for at, each in enumerate(texts):
                ids[at, : len(each)] = torch.tensor(each)
                hidden[at, : len(each)] = False
            flags = torch.full((len(texts),), asks, device=lessons.device)
            return model.all([(ids, hidden, flags)])[0], lessons.static_of(ids, hidden)

        (asks, asks_known), (turns, turns_known) = (
            vectors(life["asks"], True), vectors(life["turns"], False))  # fmt: skip
        known = asks_known @ turns_known.T
        for size in PREFIXES:
            near = unit(asks, size) @ unit(turns, size).T
            for kind, alike in (("", near), ("+", near + known)):
                top = alike.topk(10, dim=1).indices.tolist()
                hits = [bool(set(row) & set(right))
                        for row, right in zip(top, life["right"], strict=True)]  # fmt: skip
                found[f"{name} {size}{kind}"] = round(sum(hits) / len(hits), 3)
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
    parser.add_argument("--layers", default="0,1,2,3,4,5", help="MiniLM's layers to begin with")
    for name, kind, value in (
        ("inner", int, 1536), ("steps", int, 5_900), ("batch", int, 256), ("rate", float, 6e-4),
        ("table_rate", float, 5.0), ("dropout", float, 0.05), ("forget", float, 0.1),
        ("mixed", float, 0.15), ("leave_out", int, -1), ("seconds", int, 0),
    ):  # fmt: skip
        parser.add_argument(f"--{name.replace('_', '-')}", type=kind, default=value)
    parser.add_argument("--weights", default="{}", help="losses to weigh otherwise, as JSON")
    parser.add_argument("--keep", action="store_true")
    asked = parser.parse_args()
    torch.use_deterministic_algorithms(mode=True)
    torch.utils.deterministic.fill_uninitialized_memory = False  # costs half of the time
    lessons = Lessons(unpacked(asked.data / "student.npz.xz"), asked.vectors, asked)
    shape = Shape(tuple(map(int, asked.layers.split(","))), inner=asked.inner)
    model = Learner(lessons, shape, asked).taught()
    asked.into.mkdir(parents=True, exist_ok=True)
    figures = measured(model, lessons, asked.lives) if asked.lives else {}
    print(asdict(shape), figures, flush=True)
    name = f"{len(shape.layers)}x{shape.width}x{shape.inner}"
    (asked.into / f"{name}.json").write_text(
        json.dumps({"shape": asdict(shape), "lives": figures, "steps": asked.steps})
    )
    if asked.keep:
        arrays = {k: v.detach().float().cpu().numpy() for k, v in model.state_dict().items()}
        for part, kept in parts_of(arrays).items():
            np.savez_compressed(asked.into / f"{name}.{part}.npz", **kept)


def parts_of(arrays: dict[str, np.ndarray]) -> dict[str, dict[str, np.ndarray]]:
    """Return the numbers in the bits they will have, in two parts that travel."""
    table = arrays.pop("table")
    groups = table.reshape(len(table), -1, GROUP)
    steps = np.maximum(np.abs(groups).max(-1), 1e-8) / TABLE_MOST
    few = np.round(groups / steps[..., None]).astype(np.int8).reshape(table.shape)
    rest: dict[str, np.ndarray] = {}
    for name, value in arrays.items():
        if value.ndim == 2 and name.startswith("layers."):
            row = np.maximum(np.abs(value).max(1), 1e-8) / LAYER_MOST
            rest[name] = np.round(value / row[:, None]).astype(np.int8)
            rest[f"{name}.steps"] = row.astype(np.float32)
        else:
            rest[name] = value.astype(np.float32)
    return {"table": {"table": few, "steps": steps.astype(np.float16)}, "rest": rest}


if __name__ == "__main__":
    main()

"""Steps 5 and 6: the student learns the teacher's space, then from pairs that belong together.

    python training/distil.py --work FOLDER [--hidden 256] [--epochs 30] [--cpu]

First it copies: each sentence's direction, and how near sentences lie to one another, judged
among neighbours, where the differences matter. Then it sees pairs (translations, paraphrases,
questions with their answers), while still copying. Everything is seeded.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import random
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from rich.progress import track
from torch.nn.functional import cross_entropy, kl_div, log_softmax, normalize, softmax

from noise import asked as question_of
from noise import slipped
from recipe import SEED, Recipe
from saegim.engines.brain.model import Pieces
from student import PREFIXES, Bags, Student

SIZE: Final = 256
LONGEST: Final = 128
NEIGHBOURS: Final = 16
CANDIDATES: Final = 700_000
# A cosine above this is the sentence itself, or its twin.
ITSELF: Final = 0.995
# A pair of which the teacher thinks less than this is not one.
ABSURD: Final = 0.2
# Pairs that share an intent, not a meaning: good sentences, bad lessons in what belongs together.
LOOSE: Final = frozenset({"same-intent-en"})
# Translations and answers side by side; only of pure translations are the two voices made one.
MIXED: Final = frozenset({"own-everyday"})
_pieces: Any = None


def _start(names: Sequence[str], scores: Sequence[float]) -> None:
    global _pieces  # one cutter a process
    _pieces = Pieces(names, scores)


def _cut(text: str) -> list[int]:
    return _pieces.ids(text)[:LONGEST]


def cut(work: Path, texts: Sequence[str]) -> list[list[int]]:
    """Return the piece numbers of each text."""
    known = json.loads((work / "pieces.json").read_text())
    with multiprocessing.Pool(initializer=_start, initargs=(known["pieces"], known["scores"])) as p:
        return list(track(p.imap(_cut, texts, chunksize=2000), "pieces", total=len(texts)))


def principal(vectors: np.ndarray, size: int) -> np.ndarray:
    """Return the directions that keep most of the teacher (no centring: cosines stay cosines)."""
    sample = vectors[:: max(1, len(vectors) // 200_000)].astype(np.float32)
    _, found = np.linalg.eigh(sample.T @ sample)
    return found[:, ::-1][:, :size].copy()


@torch.no_grad()
def neighbours(teacher: torch.Tensor, count: int) -> torch.Tensor:
    """Return for each sentence its nearest ones among a sample, without itself."""
    found = torch.empty((len(teacher), count), dtype=torch.int32, device=teacher.device)
    step = max(1, len(teacher) // CANDIDATES)
    among = teacher[::step].T.contiguous()
    for at in track(range(0, len(teacher), 4096), "neighbours"):
        near = teacher[at : at + 4096] @ among
        near[near > ITSELF] = -1.0
        found[at : at + 4096] = near.topk(count, dim=1).indices.int() * step
    return found


def started(teacher_pieces: np.ndarray, basis: np.ndarray, bags: Bags) -> torch.Tensor:
    """Return the first table: what the teacher says of each piece, rare ones louder."""
    device = bags.ids.device
    counts = torch.bincount(bags.ids.long(), minlength=len(teacher_pieces)).float()
    share = counts / counts.sum()
    table = torch.tensor(teacher_pieces.astype(np.float32) @ basis, device=device)
    return normalize(table, dim=1) * (1e-4 / (1e-4 + share))[:, None]


def copying(made: torch.Tensor, taught: torch.Tensor, basis: torch.Tensor, r: Recipe) -> Any:
    """Return how far the student is from the teacher: directions, distances, nearness."""
    alike = taught @ taught.T
    hide = torch.eye(len(made), device=made.device, dtype=torch.bool)
    target = softmax((alike / r.sharpness).masked_fill(hide, -1e4), dim=1)
    goal = taught @ basis
    total = 0.0
    for size, weight in zip(PREFIXES, (0.25, 0.5, 1.0), strict=True):
        unit = normalize(made[:, :size], dim=1)
        own = unit @ unit.T
        nearness = kl_div(
            log_softmax((own / r.sharpness).masked_fill(hide, -1e4), dim=1),
            target,
            reduction="batchmean",
        )
        distance = ((own - alike) ** 2).mean()
        direction = (1 - (unit * normalize(goal[:, :size], dim=1)).sum(1)).mean()
        total = total + weight * (
            r.direction * direction + r.distance * distance + r.nearness * nearness
        )
    return total


def twins(lines: torch.Tensor) -> torch.Tensor:
    """Say which pairs share a text, so that neither is held against the other."""
    same = (lines[:, None] == lines[None]).any(dim=2)
    return same & ~torch.eye(len(lines), dtype=torch.bool, device=lines.device)


def belonging(first: torch.Tensor, second: torch.Tensor, hide: torch.Tensor, sharp: float) -> Any:
    """Return how badly each text picks its partner out of the batch."""
    total = 0.0
    right = torch.arange(len(first), device=first.device)
    for size, weight in zip(PREFIXES, (0.25, 0.5, 1.0), strict=True):
        a, b = normalize(first[:, :size], dim=1), normalize(second[:, :size], dim=1)
        scores = (a @ b.T / sharp).masked_fill(hide, -1e4)
        total = total + weight * (cross_entropy(scores, right) + cross_entropy(scores.T, right)) / 2
    return total


@dataclass(slots=True)
class Lessons:
    """Everything the student learns from, on the device."""

    bags: Bags
    noisy: Bags
    noisy_rows: torch.Tensor
    teacher: torch.Tensor
    near: torch.Tensor
    pairs: torch.Tensor
    asks: tuple[Bags, torch.Tensor]
    basis: torch.Tensor


def read_texts(work: Path) -> tuple[list[str], list[str]]:
    """Return the languages and the texts."""
    with (work / "texts.tsv").open(encoding="utf-8") as lines:
        rows = [line.rstrip("\n").split("\t", 2) for line in lines]
    return [row[0] for row in rows], [row[2] for row in rows]


def read_pairs(work: Path) -> tuple[list[str], np.ndarray]:
    """Return the sources and the lines of pairs that belong together."""
    with (work / "pairs.tsv").open(encoding="utf-8") as lines:
        rows = [line.rstrip("\n").split("\t") for line in lines]
    rows = [row for row in rows if row[1] == "1" and row[0] not in LOOSE]
    return [row[0] for row in rows], np.array([[int(row[2]), int(row[3])] for row in rows])


def agreed(pairs: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """Say which pairs the teacher does not find absurd; misaligned lines are weeded out so."""
    near = [
        (vectors[some[:, 0]].astype(np.float32) * vectors[some[:, 1]].astype(np.float32)).sum(1)
        for some in np.array_split(pairs, max(1, len(pairs) // 50_000))
    ]
    return np.concatenate(near) > ABSURD


def in_one_voice(vectors: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """Return the teacher's vectors, translations sharing the mean of what it says of each."""
    vectors = np.array(vectors)
    shared = vectors[pairs[:, 0]].astype(np.float32) + vectors[pairs[:, 1]].astype(np.float32)
    shared /= np.linalg.norm(shared, axis=1, keepdims=True)
    vectors[pairs[:, 0]] = vectors[pairs[:, 1]] = shared.astype(np.float16)
    return vectors


def lessons(work: Path, recipe: Recipe, device: str) -> Lessons:
    """Prepare what the student learns from."""
    chance = random.Random(SEED)
    languages, texts = read_texts(work)
    vectors = np.load(work / "teacher.npy", mmap_mode="r")
    basis = principal(vectors, SIZE)
    noisy = [at for at in range(len(texts)) if chance.random() < recipe.slips]
    slips = [slipped(texts[at], chance) for at in noisy]
    sources, pairs = read_pairs(work)
    sound = agreed(pairs, vectors)
    across = [languages[a] != languages[b] for a, b in pairs]
    mixed = np.array([name in MIXED for name in sources])
    vectors = in_one_voice(vectors, pairs[sound & np.array(across) & ~mixed])
    pairs = pairs[sound]
    questions = [(at, question_of(texts[at], languages[at], chance)) for at in range(len(texts))]
    questions = [(at, q) for at, q in questions if q and len(texts[at]) > 15]
    everything = cut(work, [*texts, *slips, *(q for _, q in questions)])
    bounds = np.cumsum([0, len(texts), len(slips), len(questions)])
    parts = [everything[a:b] for a, b in pairwise(bounds)]
    bags = [Bags.of(part, device) for part in parts]
    # Half precision is what a GPU multiplies fastest, and what a CPU multiplies slowest.
    kind = torch.float16 if device == "cuda" else torch.float32
    teacher = torch.tensor(np.asarray(vectors), device=device, dtype=kind)
    return Lessons(
        bags=bags[0],
        noisy=bags[1],
        noisy_rows=torch.tensor(noisy, device=device),
        teacher=teacher,
        near=neighbours(teacher, NEIGHBOURS),
        pairs=torch.tensor(pairs, device=device),
        asks=(bags[2], torch.tensor([at for at, _ in questions], device=device)),
        basis=torch.tensor(basis, device=device),
    )


def batches(count: int, size: int, device: torch.device) -> Iterator[torch.Tensor]:
    """Yield shuffled rows, a batch at a time."""
    order = torch.randperm(count, device=device)
    for at in range(0, count - size + 1, size):
        yield order[at : at + size]


def copied(student: Student, given: Lessons, rows: torch.Tensor, recipe: Recipe) -> Any:
    """Return the loss on some sentences and, for each, one of its neighbours."""
    pick = torch.randint(0, given.near.shape[1], (len(rows),), device=rows.device)
    rows = torch.cat([rows, given.near[rows, pick].long()])
    made = student(given.bags.pick(rows))
    taught = given.teacher[rows].float()
    loss = copying(made, taught, given.basis, recipe)
    if len(given.noisy) > len(rows):
        slips = torch.randint(0, len(given.noisy), (len(rows) // 8,), device=rows.device)
        made = student(given.noisy.pick(slips))
        goal = given.teacher[given.noisy_rows[slips]].float() @ given.basis
        loss = loss + (1 - (normalize(made, dim=1) * normalize(goal, dim=1)).sum(1)).mean() / 4
    return loss


def learn(given: Lessons, recipe: Recipe, table: torch.Tensor, show: bool = True) -> Student:
    """Return the student after both stages."""
    torch.manual_seed(SEED)
    student = Student(table, recipe.hidden)
    device = table.device
    kept = [p for n, p in student.named_parameters() if n != "asking"]
    optimiser = torch.optim.Adam(kept, lr=recipe.rate)
    steps = recipe.epochs * (len(given.bags) // recipe.batch)
    falling = torch.optim.lr_scheduler.OneCycleLR(
        optimiser, recipe.rate, total_steps=steps + 1, pct_start=0.05
    )
    began = time.time()
    for epoch in range(recipe.epochs):
        total, count = 0.0, 0
        for rows in batches(len(given.bags), recipe.batch, device):
            loss = copied(student, given, rows, recipe)
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            falling.step()
            total, count = total + float(loss.detach()), count + 1
        if show and (epoch % 5 == 4 or epoch == recipe.epochs - 1):
            print(
                f"copy {epoch + 1}: {total / count:.4f} ({time.time() - began:.0f} s)", flush=True
            )
    for turn in range(recipe.pair_rounds):
        # Each round starts with a fresh memory of its steps.
        if turn:
            torch.manual_seed(SEED + turn + 1)
        paired(student, given, recipe, show)
    return student


def paired(student: Student, given: Lessons, recipe: Recipe, show: bool) -> None:
    """Teach the pairs and the weights of questions, while the copying goes on."""
    device = given.pairs.device
    kept = [p for n, p in student.named_parameters() if n != "asking"]
    optimiser = torch.optim.Adam(
        [{"params": kept, "lr": recipe.rate / 6}, {"params": [student.asking], "lr": 0.02}]
    )
    size = 1024
    questions, answers = given.asks
    began = time.time()
    for epoch in range(recipe.pair_epochs):
        total, count = 0.0, 0
        texts = batches(len(given.bags), recipe.batch, device)
        for rows in batches(len(given.pairs), size, device):
            copy_rows = next(texts, None)
            if copy_rows is None:
                texts = batches(len(given.bags), recipe.batch, device)
                copy_rows = next(texts)
            first, second = (student(given.bags.pick(given.pairs[rows, side])) for side in (0, 1))
            hide = twins(given.pairs[rows])
            loss = recipe.pair_weight * belonging(first, second, hide, recipe.sharpness)
            some = torch.randint(0, len(answers), (size,), device=device)
            with torch.no_grad():
                told = normalize(student(given.bags.pick(answers[some])), dim=1)
            ask = normalize(student(questions.pick(some), asks=True), dim=1)
            right = torch.arange(size, device=device)
            loss = loss + cross_entropy(ask @ told.T / recipe.sharpness, right) / 10
            loss = loss + copied(student, given, copy_rows, recipe)
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            total, count = total + float(loss.detach()), count + 1
        if show:
            print(
                f"pairs {epoch + 1}: {total / count:.4f} ({time.time() - began:.0f} s)", flush=True
            )


def save(student: Student, path: Path) -> None:
    """Write the learned numbers."""
    arrays = {
        name: each.detach().cpu().numpy().astype(np.float32)
        for name, each in student.named_parameters()
    }
    np.savez(path, **arrays)


def main() -> None:
    """Learn and save."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--hidden", type=int, default=Recipe.hidden)
    parser.add_argument("--epochs", type=int, default=Recipe.epochs)
    parser.add_argument("--cpu", action="store_true")
    asked = parser.parse_args()
    device = "cuda" if torch.cuda.is_available() and not asked.cpu else "cpu"
    recipe = Recipe(hidden=asked.hidden, epochs=asked.epochs)
    torch.backends.cuda.matmul.allow_tf32 = True
    given = lessons(asked.work, recipe, device)
    pieces = np.load(asked.work / "teacher_pieces.npy")
    table = started(pieces, given.basis.cpu().numpy(), given.bags)
    save(learn(given, recipe, table), asked.work / "student.npz")
    (asked.work / "recipe.json").write_text(json.dumps(asdict(recipe), indent=1))


if __name__ == "__main__":
    main()

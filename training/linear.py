"""Small heads while they learn: examples as numbers, the fit, and where a feeling begins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import torch
from rich.progress import track

from examples import SEED, Example
from saegim.engines.brain.heads import OTHERS, rows_of
from saegim.engines.brain.heads import features as vector_of
from saegim.engines.brain.model import Static
from saegim.language.language import LANGUAGES

PAIR_ROWS: Final = 32_768
# One hidden layer beside the linear one: two points of F1 for the rarer feelings, held out.
INNER: Final = 64
EPOCHS: Final = 3
BATCH: Final = 512
RATES: Final = {"scores": 0.02, "weights": 0.005, "inner": 0.002}
# Pull towards nought, per step; a rare piece must earn its score.
PULLS: Final = {"scores": 1e-6, "weights": 3e-5}
# KOTE has few rows, and they are people's own remarks: they count more than film reviews, which
# praise what makes one cry.
WEIGHTS: Final = {"kote-validation": 3.0, "nsmc-raw": 0.3}
# A unit vector of 256 numbers is stretched so that each is about one.
STRETCH: Final = 16.0
# Scores are rounded to 127 steps up to here: one loud piece must not coarsen all others.
HIGHEST: Final = 8.0


@dataclass(slots=True)
class Batches:
    """The examples as numbers: rows of the score table, vectors, and what is wanted of them."""

    columns: Sequence[str]
    rows: list[np.ndarray]
    # Rows of the score table: the pieces and the hashed pairs.
    size: int
    vectors: np.ndarray
    wanted: np.ndarray
    weights: np.ndarray
    languages: np.ndarray

    def at(self, chosen: np.ndarray) -> tuple[torch.Tensor, ...]:
        """Return rows, where each text begins, their share, vectors and languages."""
        rows = [self.rows[each] for each in chosen]
        sizes = np.array([len(each) for each in rows])
        begins = np.concatenate(([0], np.cumsum(sizes)[:-1]))
        # A text of n pieces has n + 1 pairs and three endings.
        shares = np.repeat(((sizes - 4) / 2) ** -0.5, sizes).astype(np.float32)
        given = (np.concatenate(rows), begins, shares, self.vectors[chosen], self.languages[chosen])
        return tuple(map(torch.from_numpy, given))


def numbered(examples: Sequence[Example], columns: Sequence[str], static: Static) -> Batches:
    """Cut and embed every example."""
    brain, size = static.brain, len(static.brain.pieces.names)
    wanted = np.full((len(examples), len(columns)), np.nan, np.float32)
    vectors = np.empty((len(examples), brain.table.shape[1]), np.float32)
    rows = []
    for at, example in enumerate(track(examples, description="features")):
        ids = brain.pieces.ids(example.text)
        rows.append(rows_of(example.text, ids, size, PAIR_ROWS))
        vectors[at] = vector_of(brain, ids) * STRETCH
        for name, share in example.wanted.items():
            wanted[at, columns.index(name)] = share
    weights = np.array([WEIGHTS.get(e.source, 1.0) for e in examples], np.float32)
    languages = np.array([LANGUAGES.index(e.language) for e in examples])
    return Batches(columns, rows, size + PAIR_ROWS, vectors, wanted, weights, languages)


class Model(torch.nn.Module):
    """The heads while they learn."""

    def __init__(self, rows: int, size: int, columns: int) -> None:
        super().__init__()
        self.scores = torch.nn.Parameter(torch.zeros(rows, columns))
        self.inner = torch.nn.Linear(size, INNER)
        self.weights = torch.nn.Parameter(torch.zeros(len(LANGUAGES), size + INNER, columns))
        self.bias = torch.nn.Parameter(torch.zeros(len(LANGUAGES), columns))

    def forward(self, rows, begins, shares, vectors, languages) -> torch.Tensor:  # type: ignore[no-untyped-def]
        """Return the logits of some texts."""
        said = torch.nn.functional.embedding_bag(
            rows, self.scores, begins, mode="sum", per_sample_weights=shares
        )
        known = torch.cat((vectors, torch.relu(self.inner(vectors))), dim=1)
        dense = torch.einsum("nd,gdc->ngc", known, self.weights) + self.bias
        return said + dense[torch.arange(len(languages)), languages]

    def pull(self) -> torch.Tensor:
        """Return what large numbers cost."""
        return PULLS["scores"] * (self.scores**2).sum() + PULLS["weights"] * (self.weights**2).sum()


def taught(batches: Batches, chosen: np.ndarray) -> Model:
    """Return heads that learned from the chosen examples."""
    torch.set_num_threads(1)
    torch.manual_seed(SEED)
    order = np.random.default_rng(SEED)
    model = Model(batches.size, batches.vectors.shape[1], len(batches.columns))
    groups = [
        {"params": [model.scores], "lr": RATES["scores"]},
        {"params": [model.weights, model.bias], "lr": RATES["weights"]},
        {"params": model.inner.parameters(), "lr": RATES["inner"]},
    ]
    learner = torch.optim.Adam(groups, betas=(0.9, 0.99))
    steps = EPOCHS * (len(chosen) // BATCH)
    slower = torch.optim.lr_scheduler.LambdaLR(learner, lambda step: max(0.02, 1 - step / steps))
    for epoch in range(EPOCHS):
        mixed = order.permutation(chosen)
        for at in track(range(0, len(mixed) - BATCH + 1, BATCH), description=f"epoch {epoch + 1}"):
            some = mixed[at : at + BATCH]
            wanted = torch.from_numpy(batches.wanted[some])
            counted = torch.from_numpy(batches.weights[some])[:, None] * ~wanted.isnan()
            lost = torch.nn.functional.binary_cross_entropy_with_logits(
                model(*batches.at(some)), wanted.nan_to_num(), weight=counted, reduction="sum"
            )
            learner.zero_grad()
            (lost / BATCH + model.pull()).backward()
            learner.step()
            slower.step()
    return model


def begins(said: np.ndarray, wanted: np.ndarray) -> tuple[float, float]:
    """Return the logit from which on a feeling is present, and the F1 that this gives."""
    order = np.argsort(-said, kind="stable")
    hits = np.cumsum(wanted[order])
    score = 2 * hits / (np.arange(1, len(hits) + 1) + wanted.sum())
    # The peak of a smoothed curve: the highest single point is luck where a feeling is rare.
    width = max(1, len(hits) // 200)
    smooth = np.convolve(score, np.ones(width) / width, mode="same")
    best = int(np.argmax(smooth))
    return float(said[order[best]]), float(score[best])


def said_of(model: Model, batches: Batches, chosen: np.ndarray) -> np.ndarray:
    """Return the logits of the chosen examples."""
    parts = np.array_split(chosen, 1 + len(chosen) // 4096)
    with torch.no_grad():
        return np.concatenate([model(*batches.at(part)).numpy() for part in parts])


def joined(first: Batches, second: Batches) -> Batches:
    """Return two sets of examples as one."""
    arrays = ("vectors", "wanted", "weights", "languages")
    both = {name: np.concatenate((getattr(first, name), getattr(second, name))) for name in arrays}
    return Batches(first.columns, first.rows + second.rows, first.size, **both)


def thresholds(model: Model, batches: Batches, held: np.ndarray) -> np.ndarray:
    """Return per language and head the logit to subtract, so that 0.5 is where a feeling begins."""
    said = said_of(model, batches, held)
    found = np.zeros((len(LANGUAGES), len(batches.columns)), np.float32)
    for g, language in enumerate(LANGUAGES):
        for c, name in enumerate(batches.columns):
            wanted = batches.wanted[held, c]
            here = (batches.languages[held] == g) & ~np.isnan(wanted) & (wanted != 0.5)
            if not here.any():
                continue
            if name in OTHERS:
                score = ((said[here, c] > 0) == (wanted[here] > 0.5)).mean()
            else:
                found[g, c], score = begins(said[here, c], wanted[here])
            print(f"held out: {language} {name:10} {score:.3f} from {found[g, c]:+.2f}")
    return found


def arrays_of(model: Model, shift: np.ndarray) -> dict[str, np.ndarray]:
    """Return what the file holds."""
    stored = {name: each.detach().numpy() for name, each in model.named_parameters()}
    scores, size = stored["scores"], stored["inner.weight"].shape[1]
    # The stretch of the vectors is folded into what they are multiplied with.
    stretched = np.concatenate((np.full(size, STRETCH), np.ones(INNER)))[:, None]
    steps = np.minimum(np.abs(scores).max(axis=0), HIGHEST) / 127
    arrays = {
        "scores": np.clip(np.round(scores / steps), -127, 127).astype(np.int8),
        "steps": steps.astype(np.float32),
        "inner": (stored["inner.weight"].T * STRETCH).astype(np.float16),
        "inner_bias": stored["inner.bias"].astype(np.float32),
    }
    for g, language in enumerate(LANGUAGES):
        arrays[f"weights_{language}"] = (stored["weights"][g] * stretched).astype(np.float16)
        arrays[f"bias_{language}"] = (stored["bias"][g] - shift[g]).astype(np.float32)
    return arrays

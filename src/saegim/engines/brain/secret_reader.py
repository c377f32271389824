"""How likely each run of a text belongs to a secret that somebody tells: a glance, then a look.

The glance is a small net that sees what the first and last piece of a run mean by themselves. It is
cheap and is asked of every text. Where it is not sure that nothing is told, the look reads the text
as the encoder does: the encoder's first layers, two of its own, and the states of a run's pieces.
How both were taught: `training/told_secrets.py`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from saegim.engines.brain import encoder
from saegim.engines.brain.claim_reader import wide
from saegim.engines.brain.layers import Layers, own_layers
from saegim.engines.brain.model import RUN, Pieces, damaged, read
from saegim.engines.embedder import Dense
from saegim.errors import EngineError
from saegim.messages import Message

SHIPPED: Final = Path(__file__).with_name("told-secrets-ko-en-2.safetensors")
# Pieces that are read together; a run is never cut, so a little less than the encoder has places.
WINDOW: Final = 180
# What stands where a value was masked before is read as one sign.
_MASKED: Final = "\x00"


# A run as the guard cuts it: where it begins and ends, its first and last piece for the glance, and
# what is seen of it.
Run = tuple[int, int, int, int, tuple[int, ...]]


class Bounds(NamedTuple):
    """From which scores on something is done; what was chosen on what is in the card."""

    # From which glance on a text is looked at.
    gate: float
    # From which score on a run begins a finding (a plain word must be surer than a value that is
    # none), and from which its neighbours belong to it.
    least: float
    word: float
    beside: float
    # What part of a score is the glance's.
    share: float
    # How much surer it must be where no word speaks of opening anything, and where no value is
    # there that is no word, either.
    odd: float
    plain: float


class Windows(NamedTuple):
    """Windows of pieces, and for each run its window, its first and its last piece in it."""

    pieces: list[list[int]]
    runs: list[tuple[int, int, int]]


def windows_of(text: str, runs: Sequence[Run], pieces: Pieces) -> Windows:
    """Cut a text into windows of pieces and find the runs in them."""
    parts: list[list[int]] = [[]]
    placed: list[tuple[int, int, int]] = []  # where a piece's run begins, its window, its place
    masked = -1
    for match in RUN.finditer(text):
        run = match[0]
        if run == _MASKED:
            if match.start() == masked:
                masked = match.end()
                continue
            run, masked = "*", match.end()
        found = pieces.ids(run)
        if len(parts[-1]) + len(found) > WINDOW:
            parts.append([])
        # Pieces have no places of their own: each takes an even share of its run.
        size = match.end() - match.start()
        for at in range(len(found)):
            begins = match.start() + at * size // len(found)
            placed.append((begins, len(parts) - 1, len(parts[-1]) + at))
        parts[-1] += found
    rows: list[tuple[int, int, int]] = []
    at = 0
    for start, end, *_ in runs:
        while at + 1 < len(placed) and placed[at + 1][0] <= start:
            at += 1
        last = at
        while last + 1 < len(placed) and placed[last + 1][0] < end:
            last += 1
        # A run in two windows is read where it begins.
        window, first = placed[at][1:] if placed else (0, -1)
        inside = placed and placed[last][1] == window
        rows.append((window, first, placed[last][2] if inside else first))
    return Windows(parts, rows)


class SecretReader:
    """Reads runs; the first text loads the glance's numbers, the first doubt the look's."""

    def __init__(self, path: Path = SHIPPED) -> None:
        self._tensors = read(path)
        try:
            notes = self._tensors.notes
            self.bounds = Bounds(*(float(notes[name]) for name in Bounds._fields))
            self._taught_on = notes["encoder"]
            names = bytes(self._arrays["pieces"]).decode("utf-8").split("\n")
            self.known = {name: at for at, name in enumerate(names, 1)}
            self._glance = {
                name.removeprefix("glance."): wide(self._arrays, name)
                for name in self._arrays
                if name.startswith("glance.")
            }
        except (KeyError, ValueError) as error:
            raise self._damaged() from error

    def glance(self, runs: Sequence[Run], sights: int) -> Dense:
        """Return for each run how likely it belongs to a secret, as a logit."""
        numbers = self._glance
        seen = _sights(runs, sights)
        table, steps = self._arrays["glance_table"], numbers["steps"]
        ends = [table.take([run[part] for run in runs], axis=0) * steps for part in (2, 3)]
        x = _kept(np.concatenate([*ends, seen], axis=1) @ numbers["inp"] + numbers["inp_bias"])
        for name, apart in (("near", 1), ("far", 3)):
            x = x + _kept(_beside(x, numbers[name], apart) + numbers[f"{name}_bias"])
        whole = np.concatenate([x.mean(axis=0), x.max(axis=0)])
        about = _kept(whole @ numbers["whole"] + numbers["whole_bias"])
        each = np.concatenate([x, np.broadcast_to(about, x.shape)], axis=1)
        said = _kept(each @ numbers["mid"] + numbers["mid_bias"]) @ numbers["out"]
        found: Dense = said[:, 0] + numbers["out_bias"]
        return found

    def look(self, text: str, runs: Sequence[Run], sights: int) -> Dense:
        """Return the same, read as the encoder reads: slower, and with more sense."""
        numbers, (parts, rows) = self._look, windows_of(text, runs, self._words.words.pieces)
        states = [self._layers.read(self.middle(part))[0] for part in parts if part]
        if not states:
            return np.full(len(runs), -np.inf, np.float32)
        ends = [np.stack([states[row[0]][1 + row[which]] for row in rows]) for which in (1, 2)]
        about = np.stack([states[row[0]][0] for row in rows])
        seen = np.concatenate([*ends, about, _sights(runs, sights)], axis=1)
        x = _kept(seen @ numbers["inp"] + numbers["inp_bias"])
        x = x + _kept(_beside(x, numbers["near"], 1) + numbers["near_bias"])
        found: Dense = (x @ numbers["out"])[:, 0] + numbers["out_bias"]
        return found

    def middle(self, part: Sequence[int]) -> Dense:
        """Return the states after the encoder's first layers."""
        return self._words.states(part, "document")[0]

    @cached_property
    def _arrays(self) -> dict[str, npt.NDArray[Any]]:
        return self._tensors.arrays()

    @cached_property
    def _words(self) -> encoder.EncoderWeights:
        return encoder.taught_on(self._taught_on, self._tensors.path)

    @cached_property
    def _layers(self) -> Layers:
        """The last layers, which are this reader's own."""
        return own_layers(self._tensors)

    @cached_property
    def _look(self) -> Mapping[str, Dense]:
        found = self._arrays
        try:
            return {
                name: wide(found, f"look.{name}")
                for name in ("inp", "inp_bias", "near", "near_bias", "out", "out_bias")
            }
        except KeyError as error:
            raise self._damaged() from error

    def _damaged(self) -> EngineError:
        return damaged(self._tensors.path, Message("engine.file_not_model_this_kind"))


def _sights(runs: Sequence[Run], count: int) -> Dense:
    seen = np.zeros((len(runs), count), np.float32)
    for at, run in enumerate(runs):
        seen[at, list(run[4])] = 1.0
    return seen


def _beside(x: Dense, taps: Dense, apart: int) -> Dense:
    """Return what five neighbours, so far apart, say of each row."""
    # By hand: for rows as few as these `np.pad` takes longer than the products.
    reach = 2 * apart
    padded = np.zeros((len(x) + 2 * reach, x.shape[1]), np.float32)
    padded[reach : reach + len(x)] = x
    seen: Dense = padded[: len(x)] @ taps[0]
    for tap in range(1, 5):
        seen += padded[tap * apart : tap * apart + len(x)] @ taps[tap]
    return seen


def _kept(x: Dense) -> Dense:
    kept: Dense = x.clip(min=0.0)
    return kept

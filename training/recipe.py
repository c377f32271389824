"""How the student learns: every number of the two stages, in one place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

SEED: Final = 20261115


@dataclass(frozen=True, slots=True)
class Recipe:
    """How the student learns; every number was chosen by trying, see the model card."""

    hidden: int = 256
    epochs: int = 34
    batch: int = 4096
    rate: float = 3e-3
    # How sharply nearness is judged: at 0.05 the few nearest sentences count most.
    sharpness: float = 0.05
    direction: float = 1.0
    nearness: float = 0.1
    distance: float = 10.0
    pair_epochs: int = 3
    pair_rounds: int = 2
    pair_weight: float = 0.2
    slips: float = 0.15

"""One update out of many, some of which may lie: clip, guard, and the robust rules.

A rule holds while at most `faulty` of `n` updates are bad and n >= 2 * faulty + 3; fewer are
refused. Distances and means are reckoned in float64. The caller gives the rows in one order that
all houses share (by key), so that all of them reckon the very same numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from saegim.errors import BadInput, Refused

Updates = NDArray[np.float64]
Update = NDArray[np.float64]
Rule = Callable[[Updates, int], Update]
_FAR: Final = 1e100


def least_members(faulty: int) -> int:
    """Return how many updates a round needs to outvote so many bad ones (Krum's bound)."""
    return 2 * faulty + 3


def clipped(update: Update, most: float) -> Update:
    """Return an update no longer than `most` (L2), its direction kept."""
    length = float(np.linalg.norm(update))
    return update * (most / length) if length > most else update


def is_sane(update: NDArray[np.floating]) -> bool:
    """Say whether all of it are numbers whose squares are numbers too."""
    return bool(np.isfinite(update).all()) and float(np.abs(update).max(initial=0.0)) < _FAR


def stacked(updates: Sequence[NDArray[np.floating]], most: float = 0.0) -> Updates:
    """Return the updates that are numbers as rows, each clipped; leave out NaN and infinity."""
    wide = [np.asarray(each, dtype=np.float64).reshape(-1) for each in updates]
    if len({each.size for each in wide}) > 1:
        raise BadInput("federation.updates_differ_in_length")
    sane = [each for each in wide if is_sane(each)]
    rows = [clipped(each, most) for each in sane] if most > 0 else sane
    return np.stack(rows) if rows else np.empty((0, wide[0].size if wide else 0))


def median(rows: Updates, faulty: int) -> Update:  # noqa: ARG001
    """Return the median of each coordinate."""
    return np.asarray(np.median(rows, axis=0), dtype=np.float64)


def trimmed_mean(rows: Updates, faulty: int) -> Update:
    """Return the mean of each coordinate without its `faulty` smallest and largest numbers."""
    ordered = np.sort(rows, axis=0)
    return np.asarray(ordered[faulty : len(rows) - faulty].mean(axis=0))


def distances(rows: Updates) -> NDArray[np.float64]:
    """Return the squared distance of each pair of rows."""
    # By differences and not by products: near rows must not lose their digits.
    return np.stack([((rows - each) ** 2).sum(axis=1) for each in rows])


def krum_scores(rows: Updates, faulty: int) -> NDArray[np.float64]:
    """Return for each row the sum of the squared distances to its n - faulty - 2 nearest others."""
    away = distances(rows)
    np.fill_diagonal(away, np.inf)
    near = max(1, len(rows) - faulty - 2)
    return np.asarray(np.sort(away, axis=1)[:, :near].sum(axis=1))


def krum(rows: Updates, faulty: int) -> Update:
    """Return the row that stands nearest to the others; costs accuracy, never the default."""
    return np.asarray(rows[int(np.argmin(krum_scores(rows, faulty)))])


def multi_krum(rows: Updates, faulty: int) -> Update:
    """Return the mean of the n - faulty rows that stand nearest to the others."""
    best = np.argsort(krum_scores(rows, faulty), kind="stable")[: len(rows) - faulty]
    return np.asarray(rows[np.sort(best)].mean(axis=0))


def nearest_mixed(rows: Updates, faulty: int) -> Updates:
    """Return each row as the mean of its n - faulty nearest, itself among them (NNM)."""
    order = np.argsort(distances(rows), axis=1, kind="stable")[:, : len(rows) - faulty]
    return np.stack([rows[np.sort(each)].mean(axis=0) for each in order])


def mixed_trimmed_mean(rows: Updates, faulty: int) -> Update:
    """Return the trimmed mean of rows mixed with their nearest: the default."""
    return trimmed_mean(nearest_mixed(rows, faulty), faulty)


# What a swarm may choose. Measured with two liars of ten: the first loses nothing in six of seven
# attacks; Krum alone costs 18 points of accuracy without any liar.
RULES: Final[dict[str, Rule]] = {
    "nnm+trimmed_mean": mixed_trimmed_mean,
    "multi_krum": multi_krum,
    "trimmed_mean": trimmed_mean,
    "median": median,
    "krum": krum,
}
DEFAULT_RULE: Final = "nnm+trimmed_mean"


def aggregated(
    updates: Sequence[NDArray[np.floating]], rule: str, faulty: int, most: float
) -> Update:
    """Make one update of many: guarded, clipped, by the rule; refuse too few of them."""
    if rule not in RULES:
        raise BadInput("federation.no_rule", rule=rule, known=", ".join(RULES))
    rows = stacked(updates, most)
    if faulty < 0 or len(rows) < least_members(faulty):
        raise Refused(
            "federation.too_few_updates",
            count=len(rows),
            faulty=faulty,
            needed=least_members(max(0, faulty)),
        )
    return RULES[rule](rows, faulty)

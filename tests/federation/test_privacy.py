"""What sharing costs: the accountant, the noise, and a budget that nothing brings back."""

from __future__ import annotations

import json
import math
import os
import shutil
from pathlib import Path

import numpy as np
import pytest

from saegim import Saegim
from saegim.errors import BadInput, Refused, StoreError
from saegim.federation.privacy import (
    Budget,
    PrivacyLedger,
    delta_of,
    epsilon_of,
    gaussian,
    noise_for,
    noised,
)
from stand_ins import rounds

GENEROUS = Budget(epsilon=8.0, delta=1e-5, shares_a_month=1000)


def slow_delta(epsilon: float, mu: float) -> float:
    """Return delta by its definition: what the one density has above e^eps times the other."""
    x = np.linspace(-12.0, 12.0 + mu, 400_001)
    one = np.exp(-0.5 * (x - mu) ** 2)
    other = np.exp(-0.5 * x**2)
    above = np.maximum(0.0, one - math.exp(epsilon) * other)
    return float(above.sum() * (x[1] - x[0]) / math.sqrt(2 * math.pi))


def test_the_closed_form_is_the_definition() -> None:
    """F-06: epsilon found by integrating the two densities differs by less than 0.01."""
    for sigma in (0.5, 1.0, 2.0, 4.0, 16.0):
        for shares in (1, 5, 20) if rounds(3, 1) == 3 else (5,):
            mu = math.sqrt(shares) / sigma
            epsilon = epsilon_of(mu, 1e-5)
            assert slow_delta(epsilon + 0.01, mu) <= 1e-5 * (1 + 1e-3)
            if epsilon > 0.01:
                assert slow_delta(epsilon - 0.01, mu) >= 1e-5 * (1 - 1e-3)


@pytest.mark.parametrize(
    ("sigma", "shares", "epsilon"),
    [(0.5, 20, 77), (1, 20, 28), (2, 20, 11.5), (4, 20, 5.0), (16, 20, 1.05)],
)
def test_the_table_that_others_reckoned(sigma: float, shares: int, epsilon: float) -> None:
    """F-06: the points that an accountant of another hand gave (privacy loss distributions)."""
    assert epsilon_of(math.sqrt(shares) / sigma, 1e-5) == pytest.approx(epsilon, rel=0.02)


def test_more_shares_cost_more_and_none_cost_nothing() -> None:
    """The accountant is monotone, also far out, and says infinity where nothing was noised."""
    found = [epsilon_of(math.sqrt(shares) / 3.0, 1e-5) for shares in range(1, 200)]
    assert found == sorted(found)
    assert epsilon_of(0.0, 1e-5) == 0.0
    assert epsilon_of(math.inf, 1e-5) == math.inf
    assert delta_of(1.0, 0.0) == 0.0
    assert math.isfinite(epsilon_of(60.0, 1e-5))


def test_the_noise_that_a_budget_needs_is_just_enough() -> None:
    """Sigma for a number of shares lets exactly these through, and not one more."""
    for epsilon, shares in ((1.0, 1), (3.0, 5), (8.0, 20)):
        sigma = noise_for(epsilon, 1e-5, shares)
        assert epsilon_of(math.sqrt(shares) / sigma, 1e-5) <= epsilon
        assert epsilon_of(math.sqrt(shares) / (sigma * 0.999), 1e-5) > epsilon


def test_noise_is_normal_and_of_the_size_it_claims() -> None:
    """F-08: Kolmogorov-Smirnov does not tell it from a normal one; variance within 2 %."""
    count = rounds(1_000_000, 200_000)
    drawn = np.sort(gaussian(count))
    assert drawn.var() == pytest.approx(1.0, rel=0.02)
    assert abs(drawn.mean()) < 0.02
    below = np.array([0.5 * math.erfc(-x / math.sqrt(2)) for x in drawn[:: count // 2000]])
    expected = np.arange(0, count, count // 2000)[: len(below)] / count
    # The critical distance at p = 0.01 is 1.63 / sqrt(n); a millionth part of chance beyond it.
    assert np.abs(below - expected).max() < 3.0 / math.sqrt(count) + 1 / 2000
    # Control: noise a tenth too small is seen.
    assert (0.9 * drawn).var() != pytest.approx(1.0, rel=0.02)


def test_an_update_is_clipped_before_the_noise_and_rounded_after() -> None:
    """F-08: two updates of any size are at most two clips apart, and no digit is left below."""
    far = np.full(64, 1e6)
    assert np.linalg.norm(noised(far, 1.0, 0.0)) == pytest.approx(1.0, abs=1e-2)
    made = np.stack([noised(far, 0.5, 2.0) for _ in range(rounds(2000, 300))])
    assert made.std() == pytest.approx(2.0 * 2 * 0.5, rel=0.05)
    grid = made / (2.0**-12 * 0.5)
    assert np.array_equal(grid, np.round(grid))
    with pytest.raises(BadInput):
        noised(np.array([np.nan]), 1.0, 1.0)


def test_nobody_learns_more_than_the_budget_says() -> None:
    """F-07: whoever guesses whether a canary was there is right no more often than epsilon lets."""
    runs, sigma = rounds(20_000, 4000), 1.0
    canary = np.ones(1)
    # The two farthest updates that clipping lets through.
    with_it = np.array([noised(canary, 1.0, sigma)[0] for _ in range(runs)])
    without = np.array([noised(-canary, 1.0, sigma)[0] for _ in range(runs)])
    epsilon, delta = epsilon_of(1 / sigma, 1e-5), 1e-5
    worst = -math.inf
    for cut in np.linspace(-3, 3, 25):
        hit, false = float((with_it > cut).mean()), float((without > cut).mean())
        # Bounds that hold with more than 99.9 %: three and a half deviations of the counts.
        low = hit - 3.5 * math.sqrt(hit * (1 - hit) / runs)
        high = false + 3.5 * math.sqrt(max(false * (1 - false), 1 / runs) / runs)
        if low - delta > 0:
            worst = max(worst, math.log((low - delta) / high))
    assert 0.2 < worst <= epsilon
    # Control: with a tenth of the noise the same guesser breaks the promise.
    weak = [np.array([noised(s * canary, 1.0, 0.1)[0] for _ in range(500)]) for s in (1, -1)]
    assert math.log(float((weak[0] > 0).mean()) / max(float((weak[1] > 0).mean()), 1e-5)) > epsilon


def spend(ledger: PrivacyLedger, sigma: float = 2.0, **budget: float) -> int:
    """Pay for one share."""
    held = Budget(**{"epsilon": 8.0, "shares_a_month": 1000, **budget})  # type: ignore[arg-type]
    return ledger.spend(sigma, held, "2026-11", "s", ledger.spent().shares + 1)


def until_spent(store: Path) -> int:
    """Share until the ledger says no; each time as a new process would."""
    before = PrivacyLedger(store).spent().shares

    def on_and_on() -> None:
        while True:
            spend(PrivacyLedger(store))

    with pytest.raises(Refused, match="sharing has stopped"):
        on_and_on()
    return PrivacyLedger(store).spent().shares - before


def test_the_budget_ends_the_sharing_and_a_restart_changes_nothing(tmp_path: Path) -> None:
    """F-06: the hard stop is where the closed form says, also when every share is a new process."""
    store = tmp_path / "saegim.db"
    count = until_spent(store)
    assert epsilon_of(math.sqrt(count) / 2.0, 1e-5) <= 8.0
    assert epsilon_of(math.sqrt(count + 1) / 2.0, 1e-5) > 8.0
    assert until_spent(store) == 0
    assert oct(os.stat(PrivacyLedger(store).path).st_mode & 0o777) == "0o600"


def test_a_restored_backup_brings_no_budget_back(memory: Saegim, tmp_path: Path) -> None:
    """F-06: the file beside the store is not in the backup, and a restore leaves it alone."""
    store = tmp_path / "memory.db"
    memory.remember("나는 부산에 산다")
    made = memory.maintenance.backup()
    spent = until_spent(store)
    memory.remember("이 말은 백업에 없다")
    memory.maintenance.restore_backup(made.path)
    assert PrivacyLedger(store).spent().shares == spent
    assert until_spent(store) == 0
    # Control: what lies in the store itself did go back.
    assert [each.text for each in memory.recent(10).memories] == ["나는 부산에 산다"]


def test_a_clone_shares_nothing_until_a_person_says_which_is_the_one(tmp_path: Path) -> None:
    """F-15, F-06: a copy of everything on the disk cannot spend what is left a second time."""
    store, copy = tmp_path / "one" / "saegim.db", tmp_path / "two" / "saegim.db"
    store.parent.mkdir()
    spend(PrivacyLedger(store))
    shutil.copytree(store.parent, copy.parent)
    clone = PrivacyLedger(copy)
    with pytest.raises(Refused, match="copied"):
        spend(clone)
    assert spend(PrivacyLedger(store)) == 2
    clone.moved()
    assert spend(clone) == 2
    assert not clone.is_copy()


def test_a_lost_file_a_torn_line_and_a_full_disk_give_nothing_away(tmp_path: Path) -> None:
    """What is missing is told by what was shared; a torn line was never a share."""
    store = tmp_path / "saegim.db"
    ledger = PrivacyLedger(store)
    spend(ledger)
    spend(ledger)
    ledger.refuse_loss(2)
    with ledger.path.open("ab") as file:
        file.write(b'\n{"what": "share", "numb')
    assert spend(ledger) == 3
    ledger.path.unlink()
    with pytest.raises(Refused, match="fewer shares"):
        ledger.refuse_loss(3)
    ledger.path.mkdir()
    with pytest.raises(StoreError):
        spend(ledger)


def test_the_month_has_its_own_limit_and_a_swarm_without_noise_needs_a_word(
    tmp_path: Path,
) -> None:
    """A clock set back changes nothing: the lifetime budget counts lines, not days."""
    ledger = PrivacyLedger(tmp_path / "saegim.db")
    for _ in range(2):
        spend(ledger, shares_a_month=2)
    with pytest.raises(Refused, match="month"):
        spend(ledger, shares_a_month=2)
    with pytest.raises(Refused, match="no noise"):
        spend(ledger, sigma=0.0)
    assert spend(ledger, sigma=0.0, epsilon=0.0) == 3
    assert ledger.spent().epsilon(1e-5) == math.inf
    # Once shared without noise, no later budget can be kept any more.
    with pytest.raises(Refused):
        spend(ledger, sigma=100.0)
    lines = [json.loads(each) for each in ledger.path.read_bytes().split(b"\n") if each]
    assert {"share", "place"} == {each["what"] for each in lines}

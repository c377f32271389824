"""The power goes: what was confirmed is on the disk, and what is on the disk fits together."""

from __future__ import annotations

import itertools
from collections import Counter
from pathlib import Path

import pytest

from faults.power import Cut, ForgetfulDisk
from faults.stores import OWNER, on_disk, sentences
from saegim import Scope
from saegim.errors import SaegimError
from saegim.store import store as background
from saegim.store.rows import Where
from saegim.store.store import Store

_names = itertools.count()


@pytest.fixture(autouse=True)
def _busy_upkeep(monkeypatch: pytest.MonkeyPatch) -> None:
    """Checkpoints and merges happen all the time, so that cuts fall into them too."""
    monkeypatch.setattr(background, "CHECKPOINT_PAGES", 60)
    monkeypatch.setattr(background, "_MERGE_EVERY", 8)


def lived(
    folder: Path, images: int, *, lies: bool = False, synchronous: str = "FULL", seed: int = 1
) -> list[Cut]:
    """Remember through a forgetful disk until it has taken this many pictures of a power cut."""
    disk = ForgetfulDisk(f"forgetful-{next(_names)}", lies=lies)
    memory = on_disk(folder / "memory.db", disk.name, synchronous=synchronous)
    # What is lost is what came after: the store itself had been there for long.
    disk.settle()
    disk.tremble(0.03, seed)
    for text in sentences(1000, seed):
        disk.confirmed.append(memory.remember(text).memory.id)
        if len(disk.cuts) >= images:
            break
    disk.tremble(0.0, seed)
    memory.close()
    return disk.cuts


def judged(cut: Cut, folder: Path) -> str:
    """Start again after a power cut: whole, or has it lost something, or is it corrupt."""
    scope = Scope(OWNER)
    try:
        store = Store(cut.lay_out(folder))
        try:
            if store.check() or store.survey.unfindable("basic-1", all_read=True):
                return "corrupt"
            store.ledger.verify(scope)
            held = {memory.id for _, memory in store.memories.walk(Where(scope=scope))}
        finally:
            store.close()
    except SaegimError:
        return "corrupt"
    return "whole" if held.issuperset(cut.confirmed) else "lost"


def after(cuts: list[Cut], folder: Path) -> Counter[str]:
    """Start again after each power cut; count how it went."""
    return Counter(judged(cut, folder / f"cut{at}") for at, cut in enumerate(cuts))


def test_a_power_cut_takes_nothing_that_was_confirmed(tmp_path: Path) -> None:
    """R-04, U8.2: of 120 power cuts in the durable class none loses or corrupts anything."""
    cuts = lived(tmp_path, 120)
    assert len(cuts) >= 120
    assert len({cut.confirmed for cut in cuts}) > 10
    # The store itself changed too: checkpoints were among what was cut.
    assert len({cut.files["memory.db"] for cut in cuts}) > 3
    assert after(cuts, tmp_path) == {"whole": len(cuts)}


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(2, 7))
def test_many_power_cuts_take_nothing(tmp_path: Path, seed: int) -> None:
    """R-04, U8.2: the same, 500 times."""
    cuts = lived(tmp_path, 100, seed=seed)
    assert after(cuts, tmp_path) == {"whole": len(cuts)}


def test_a_disk_that_lies_about_syncs_is_seen_to_lose(tmp_path: Path) -> None:
    """R-04 control: where a sync does nothing, more than half of the cuts lose."""
    cuts = lived(tmp_path, 40, lies=True)
    assert after(cuts, tmp_path)["whole"] < len(cuts) / 2


def test_the_fast_class_may_lose_the_last_moments_but_never_fits_badly(tmp_path: Path) -> None:
    """R-04 control: without a sync at each commit some cuts lose, and none corrupts."""
    result = after(lived(tmp_path, 60, synchronous="NORMAL"), tmp_path)
    assert result["lost"] > 0
    assert result["corrupt"] == 0

"""The power goes: what was confirmed is on the disk, and what is on the disk fits together."""

from __future__ import annotations

import itertools
from collections import Counter
from pathlib import Path

import pytest

from faults.power import Cut, ForgetfulDisk
from faults.stores import OWNER, on_disk, opened, sentences
from saegim import Scope
from saegim.errors import SaegimError
from saegim.store import store as background
from saegim.store.rows import Where
from saegim.store.store import Store

_names = itertools.count()
ROOT = Path(__file__).parents[2]


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
    for number, text in enumerate(sentences(1000, seed)):
        disk.confirmed.append(memory.remember(text).memory.id)
        if number % 4 == 3:
            # Cuts must fall into checkpoints too, and the thread that makes them comes when it can.
            memory.mind.store.database.checkpoint()
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
    """R-05, R-04 control: without a sync at each commit some cuts lose, and none corrupts."""
    result = after(lived(tmp_path, 60, synchronous="NORMAL"), tmp_path)
    assert result["lost"] > 0
    assert result["corrupt"] == 0


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(2, 7))
def test_many_power_cuts_of_the_fast_class_never_fit_badly(tmp_path: Path, seed: int) -> None:
    """R-05: the same, 500 times: some of the last moments are gone, nothing is corrupt."""
    result = after(lived(tmp_path, 100, synchronous="NORMAL", seed=seed), tmp_path)
    assert result["lost"] > 0
    assert result["corrupt"] == 0


def test_the_fast_class_on_a_disk_that_lies_is_seen_to_fit_badly(tmp_path: Path) -> None:
    """R-05 control: where even the sync of a checkpoint does nothing, some cuts corrupt."""
    assert after(lived(tmp_path, 60, lies=True, synchronous="NORMAL"), tmp_path)["corrupt"] > 0


@pytest.mark.parametrize(("durability", "synchronous"), [("durable", 2), ("fast", 1)])
def test_each_class_of_durability_syncs_as_it_says(
    tmp_path: Path, durability: str, synchronous: int
) -> None:
    """R-05: `durable` waits for the disk at each commit; `fast` does so only at checkpoints."""
    with opened(tmp_path / "memory.db", durability=durability) as memory:
        memory.remember("words")
        with memory.mind.store.database.writing() as writer:
            assert writer.execute("PRAGMA synchronous").fetchall() == [(synchronous,)]


def test_the_pages_say_what_the_fast_class_may_lose() -> None:
    """R-05: whoever chooses `fast` has read that the last moments may be missing afterwards."""
    page = (ROOT / "docs/howto/several-processes.md").read_text(encoding="utf-8")
    assert "the last moments may be missing afterwards, the store itself stays whole" in page
    assert "fast: the last may be" in " ".join(
        (ROOT / "docs/reference/settings.md").read_text(encoding="utf-8").split()
    )

"""What was masked on its way in is in nothing that leaves: exports, backups, reports."""

from __future__ import annotations

import json
import random
from itertools import cycle, islice
from pathlib import Path

from guard.needles import CARRIERS, NUMBERS, TOKENS
from guard.test_masking import bytes_of
from saegim import Saegim
from stand_ins import rounds

PLAIN = "lighthouse"


def planted(memory: Saegim, many: int) -> list[str]:
    """Remember many texts that each hold a secret or a personal number; return those."""
    dice = random.Random(30)
    kinds = [("the key is {} for now", make) for make in TOKENS.values()]
    kinds += [*CARRIERS.values(), *NUMBERS.values()]
    needles = []
    for number, (carrier, make) in enumerate(islice(cycle(kinds), many)):
        needle = make(dice)
        if memory.remember(f"{PLAIN} {number}: {carrier.format(needle)}").masked:
            needles.append(needle)
    return needles


def let_out(memory: Saegim, folder: Path) -> None:
    """Write everything that leaves: each form of export, a backup, what status and doctor say."""
    folder.mkdir()
    for form in ("jsonl", "orbs", "coordinates"):
        memory.export_to(folder / form, form=form)
    memory.maintenance.backup(folder / "backup")
    told = {"status": memory.status(), "doctor": [repr(each) for each in memory.doctor()]}
    (folder / "report.json").write_text(json.dumps(told, default=str), encoding="utf-8")


def test_no_planted_secret_leaves_with_an_export_a_backup_or_a_report(tmp_path: Path) -> None:
    """FAULTS 30: of 500 planted needles (fewer by day) none is in anything that leaves."""
    with Saegim.open(tmp_path / "m" / "memory.db", embedder="hashed", background=False) as memory:
        needles = planted(memory, rounds(560, 90))
        let_out(memory, tmp_path / "out")
    assert len(needles) >= rounds(500, 80)
    found = bytes_of(tmp_path / "out")
    assert found.count(PLAIN.encode()) >= 3 * len(needles)
    assert [each for each in needles if each.encode() in found] == []


def test_without_the_guard_they_would_all_leave(tmp_path: Path) -> None:
    """FAULTS 30 control: words that no guard knows leave with every export and every backup."""
    with Saegim.open(tmp_path / "m" / "memory.db", embedder="hashed", background=False) as memory:
        memory.remember(f"the {PLAIN} keeper")
        let_out(memory, tmp_path / "out")
    for name in ("jsonl", "orbs", "coordinates", "backup"):
        place = tmp_path / "out" / name
        held = bytes_of(place) if place.is_dir() else place.read_bytes()
        assert PLAIN.encode() in held, name

"""The files of the resonance ledger: of each year that is over, one file (seed A §6.1)."""

from __future__ import annotations

from collections.abc import Iterator

from saegim.importers.events import ResonanceLedger
from saegim.sleep.night import Night, Step


def ledgers(night: Night) -> Iterator[Step]:
    """Pack what past years logged into files; without `log_path` there is none."""
    if night.rehearsed:
        return
    for packed in ResonanceLedger(night.mind, night.scope).compress():
        yield Step(why="packed", details={"file": packed.name})

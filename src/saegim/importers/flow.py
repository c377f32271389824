"""Memories from a file or folder, and back out: nothing twice, nothing overwritten, nothing hidden.

Trust: our own export keeps every origin as it is written, because it is the user's own backup and
must come back as it was. A file can claim anything, though, so the report counts in `trusted` how
many of the added say that a person said or confirmed them, and a dry run shows that number before
anything is kept. The origin of a memory that is here already is never changed by an import. What
comes from any other system is of origin `import`, whoever said it there.
"""

from __future__ import annotations

from pathlib import Path

from saegim.errors import BadInput
from saegim.importers import coordinate_folder, jsonl, orbs
from saegim.importers.formats import NAMES, WRITTEN, chosen, unknown
from saegim.importers.intake import BATCH, BATCH_CHARACTERS, ORBS, OWN, Intake, Report
from saegim.importers.jsonl import HowFar, untold
from saegim.importers.source.source import reading
from saegim.memory.memory import Scope
from saegim.mind import Mind

__all__ = ["BATCH", "BATCH_CHARACTERS", "FORMS", "Intake", "Report", "read_in", "write_out"]

FORMS = NAMES


def read_in(
    path: Path, form: str, *, scope: Scope, mind: Mind, dry_run: bool, tell: HowFar = untold
) -> Report:
    """Read memories from a file or folder of a known form; what is here already is left alone.

    `tell` is told now and then how many were read so far.
    """
    read_as = chosen(path, form)
    source = reading(path, read_as.name, scope, mind.store, mind.now())
    intake = Intake(scope, mind, read_as.name, dry_run)
    try:
        for found in read_as.read(path, source):
            intake.take(found)
            tell(intake.read)
    except OSError as error:
        raise BadInput(
            "import.cannot_be_read", path=path, reason=error.strerror or error
        ) from error
    return intake.finish()


def write_out(path: Path, form: str, *, scope: Scope, mind: Mind, tell: HowFar = untold) -> int:
    """Write everything this user has; return the number of memories written."""
    if form not in WRITTEN:
        raise unknown(form, WRITTEN)
    if form == OWN:
        return jsonl.write(path, scope=scope, store=mind.store, tell=tell)
    if form == ORBS:
        return orbs.write(path, scope=scope, store=mind.store, tell=tell)
    analyser = mind.store.words.analyser()
    return coordinate_folder.write(
        path, scope=scope, store=mind.store, analyser=analyser, now=mind.now()
    )

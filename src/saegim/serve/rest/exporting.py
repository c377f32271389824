"""Everything a user has, written to a file that nobody can find, and sent line by line."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from saegim.errors import StoreError
from saegim.importers.admission import ORBS, OWN
from saegim.importers.forms import unknown
from saegim.serve.house import AtHome

_PART = 64 * 1024
# What can be sent as one file, and what kind of file it is.
MEDIA = {OWN: "application/x-ndjson", ORBS: "application/json"}


def exported(house: AtHome, form: str = OWN) -> Iterator[bytes]:
    """Write an export and return its parts; no file is left, whatever becomes of the reader."""
    if form not in MEDIA:
        raise unknown(form, tuple(MEDIA))
    memory = house.memory
    try:
        with tempfile.TemporaryDirectory(prefix="saegim-", ignore_cleanup_errors=True) as folder:
            file = Path(folder) / "export"
            memory.export_to(file, form=form)
            held = file.open("rb")
    except OSError as error:
        raise StoreError("server.export_could_not_be_written", reason=error.strerror) from error
    return _parts(held)


def _parts(held: BinaryIO) -> Iterator[bytes]:
    with held:
        while part := held.read(_PART):
            yield part

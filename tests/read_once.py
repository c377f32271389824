"""The reader of claims, with a memory: a text that many tests speak of is read once a process.

Reading takes six milliseconds, and a night reads all that nobody has read: of a store that a
hundred tests have copied, the same sixty texts each time. What is read is what the reader reads.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import saegim.mind
from saegim.engines.brain.claim_reader import ClaimReader, Understood

_loaded = saegim.mind._claim_reader


class ReadOnce:
    """A reader as it ships, which knows what it has read."""

    def __init__(self, reader: ClaimReader) -> None:
        self._reader = reader
        self.read = lru_cache(maxsize=4096)(self._read)

    def _read(self, text: str) -> Understood:
        return self._reader.read(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._reader, name)


@lru_cache(maxsize=1)
def claim_reader() -> Any:
    """Return the reader that ships, or none where its file cannot be used."""
    reader = _loaded()
    return reader if reader is None else ReadOnce(reader)


def in_use() -> None:
    """Let every memory of this process, and of what is forked from it, share the reader."""
    saegim.mind._claim_reader = claim_reader

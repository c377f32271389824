"""The readers that take longest, with a memory: by day a text is read by each once a process.

The reader of claims takes six milliseconds, and a night reads all that nobody has read: of a store
that a hundred tests have copied, the same sixty texts each time. The reader of secrets takes as
much for every hundred letters, and one turn passes it five times. What is remembered is what they
read; at night every text is read as often as it is asked for.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import saegim.mind
from saegim.engines.brain.claim_reader import ClaimReader, Understood
from saegim.guard import told_secrets
from saegim.guard.visible_text import Seen, Spot
from stand_ins import NIGHTLY

_MOST = 2048
_loaded = saegim.mind._claim_reader
real_secrets = told_secrets.read_secrets


class ReadOnce:
    """A reader of claims as it ships, which knows what it has read."""

    def __init__(self, reader: ClaimReader) -> None:
        self._reader = reader
        self.read = lru_cache(_MOST)(self._read)

    def _read(self, text: str) -> Understood:
        return self._reader.read(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._reader, name)


@lru_cache(maxsize=1)
def claim_reader() -> Any:
    """Return the reader that ships, or none where its file cannot be used."""
    reader = _loaded()
    return reader if reader is None else ReadOnce(reader)


@lru_cache(_MOST)
def _secrets_in(text: str, low: str, before: str) -> tuple[Spot, ...]:
    return tuple(real_secrets(Seen(text, low), before))


def read_secrets(seen: Seen, before: str = "") -> Iterator[Spot]:
    """Find what the reader takes for a secret."""
    return iter(_secrets_in(seen.text, seen.low, before))


def in_use() -> None:
    """Let every memory of this process, and of what is forked from it, read once."""
    if not NIGHTLY:
        saegim.mind._claim_reader = claim_reader
        told_secrets.read_secrets = read_secrets

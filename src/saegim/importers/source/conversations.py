"""Exports of conversations: one array of them, plain or in a zip, read one at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime
from pathlib import Path
from typing import Any

from saegim.errors import BadInput
from saegim.importers.jsonl import Problem
from saegim.importers.source.archive import documents
from saegim.importers.source.elements import elements
from saegim.importers.source.source import Entries, Reading, Told, kept

# Whom each side of a conversation speaks to.
OTHER = {"user": "assistant", "assistant": "user"}


def conversations(
    path: Path, source: Reading, turns_of: Callable[[str, Any], Iterable[Told | Problem]]
) -> Entries:
    """Yield one memory for each turn of each conversation, in the order they were said."""
    for document, file in documents(path):
        with file:
            for item, conversation in elements(file):
                where = f"{document} {item}"
                try:
                    if isinstance(conversation, BadInput):
                        raise conversation
                    turns = list(turns_of(where, conversation))
                except BadInput as error:
                    yield Problem(where, error.message)
                    continue
                for told in turns:
                    yield kept(told, source) if isinstance(told, Told) else told


def minutes(began: datetime | None, at: datetime | None) -> float | None:
    """Return how far into its conversation a turn was said."""
    return round((at - began).total_seconds() / 60, 3) if began and at else None

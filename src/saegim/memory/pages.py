"""`Page`: a versioned document derived from memories."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from saegim.errors import BadInput


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """One version of a document: island, belief set, SOUL.md, policy weights, night report."""

    key: str
    kind: str
    title: str = ""
    body: str = ""
    data: Mapping[str, Any] = field(default_factory=dict)
    derived_from: tuple[str, ...] = ()
    version: int = 0
    written_at: datetime | None = None

    def __post_init__(self) -> None:
        for what in ("key", "kind"):
            if not getattr(self, what):
                raise BadInput("memory.page_needs", what=what)

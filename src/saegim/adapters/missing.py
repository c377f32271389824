"""What is said when the framework of an adapter is not installed."""

from __future__ import annotations

from saegim.errors import MissingExtra


def missing(package: str, extra: str) -> MissingExtra:
    """Return the error for an adapter whose framework is not there, or is too old."""
    return MissingExtra("adapter.adapter_needs_which", package=package, extra=extra)

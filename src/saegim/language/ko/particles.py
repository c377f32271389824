"""Lists of words in either language."""

from __future__ import annotations

from collections.abc import Sequence

from saegim.korean_particles import with_particle


def listed(words: Sequence[str], language: str) -> str:
    """Return words as a list one reads: 등산과 커피, hiking and coffee."""
    if len(words) < 2:
        return "".join(words)
    if language != "ko":
        return f"{', '.join(words[:-1])} and {words[-1]}"
    return f"{', '.join((*words[:-2], with_particle(words[-2], '과/와', guess=False)))} {words[-1]}"

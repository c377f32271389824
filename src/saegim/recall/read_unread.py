"""Read what was kept before it was read: in the background, on request, or by night."""

from __future__ import annotations

from collections.abc import Iterator

from saegim.language.same import difference
from saegim.mind import Mind
from saegim.perceive.keep_turn import read_rest
from saegim.perceive.understand_later import understand_rest
from saegim.recall.usage import said_again


def read_unread(mind: Mind) -> Iterator[int]:
    """Read memories, each of which may say something again, then the parts of long turns."""
    yield from understand_rest(mind, lambda kept: said_again([kept], mind=mind, differs=difference))
    yield from read_rest(mind)

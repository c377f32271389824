"""The marks around what we put into a prompt, so that it is quoted data and known again later."""

from __future__ import annotations

import re

from saegim.memory.late import late

# The word before the boundary is ours alone; the boundary makes a block impossible to close from
# inside. Whoever captures a conversation finds our own words by these marks.
NAME = "saegim-memory"
OPEN = f"<{NAME}"
CLOSE = f"</{NAME}"
BLOCK = late(
    rf"<{NAME}(?:\s+boundary=\"?(?P<boundary>[\w-]+)\"?)?[^>]*>.*?</{NAME}(?(boundary)\s+(?P=boun"
    rf"dary))\s*>",
    re.DOTALL | re.IGNORECASE,
)


def opening(boundary: str) -> str:
    """Return the mark that opens a block."""
    return f'{OPEN} boundary="{boundary}">'


def closing(boundary: str) -> str:
    """Return the mark that closes the block of this boundary."""
    return f"{CLOSE} {boundary}>"

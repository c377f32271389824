"""Notes in a file which modules are loaded whenever the server is about to write to its client."""

from __future__ import annotations

import os
import sys
from typing import Any

_plain = os.fdopen


class _Seen:
    def __init__(self, end: Any) -> None:
        self._end = end

    def write(self, data: Any) -> int:
        with open(os.environ["LOADED"], "a", encoding="utf-8") as notes:
            notes.write(" ".join(sorted(sys.modules)) + "\n")
        return int(self._end.write(data))

    def fileno(self) -> int:
        return int(self._end.fileno())


def _fdopen(descriptor: int, mode: str = "r", *given: Any, **more: Any) -> Any:
    end = _plain(descriptor, mode, *given, **more)
    return _Seen(end) if mode == "wb" else end


os.fdopen = _fdopen  # type: ignore[assignment]

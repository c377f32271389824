"""Patterns that are compiled when they are first used: most commands never need most of them."""

from __future__ import annotations

import re
from typing import Any, cast

_METHODS = ("findall", "finditer", "fullmatch", "match", "search", "split", "sub", "subn")


def lazy_pattern(source: str, flags: re.RegexFlag | int = 0) -> re.Pattern[str]:
    """Return what behaves like the compiled pattern and is compiled on first use."""
    return cast("re.Pattern[str]", _Late(source, flags))


class _Late:
    """A promise of a pattern; after the first use its methods are the pattern's own."""

    __slots__ = (*_METHODS, "_flags", "pattern")

    def __init__(self, source: str, flags: re.RegexFlag | int) -> None:
        self.pattern, self._flags = source, flags

    def __getattr__(self, name: str) -> Any:
        if name not in _METHODS:
            raise AttributeError(name)
        made = re.compile(self.pattern, self._flags)
        # From now on nobody comes here.
        for method in _METHODS:
            setattr(self, method, getattr(made, method))
        return getattr(made, name)

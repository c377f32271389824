"""Word lists out of `data/`: plain text that a speaker of the language can read and mend.

A file holds sections; `=== name` opens one, a line that starts with `# ` says why it is there. A
file is read once, when the first module that needs it is imported.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Final

_DATA: Final = Path(__file__).with_name("data")
_OPENS: Final = "=== "
_NAMED: Final = re.compile("{([a-z_]+)}")


class WordLists:
    """The sections of one file."""

    def __init__(self, text: str) -> None:
        self._sections: dict[str, list[str]] = {}
        lines: list[str] = []
        for line in text.splitlines():
            if line.startswith(_OPENS):
                lines = self._sections.setdefault(line.removeprefix(_OPENS), [])
            elif line and not line.startswith("# "):
                lines.append(line)

    def lines(self, name: str) -> tuple[str, ...]:
        """Return the lines of a section, in order."""
        return tuple(self._sections[name])

    def text(self, name: str) -> str:
        """Return a section as it is written."""
        return "\n".join(self._sections[name])

    def row(self, name: str) -> tuple[str, ...]:
        """Return the words of a section, in order."""
        return tuple(self.text(name).split())

    def words(self, name: str) -> frozenset[str]:
        """Return the words of a section."""
        return frozenset(self.row(name))

    def pattern(self, name: str, **given: str) -> str:
        """Return a section as one pattern; `{word}` in it is what is given, or that section."""
        whole = "".join(self._sections[name])
        return _NAMED.sub(lambda m: given.get(m[1]) or self.pattern(m[1], **given), whole)

    def pairs(self, name: str) -> dict[str, str]:
        """Return what each word stands for: `word, other word = meaning`."""
        found: dict[str, str] = {}
        for line in self._sections[name]:
            words, _, meaning = line.rpartition(" = ")
            found.update(dict.fromkeys(words.split(", "), meaning))
        return found

    def numbers(self, name: str) -> dict[str, int]:
        """Return the number that each word stands for: `word, other word = 3`."""
        return {word: int(meaning) for word, meaning in self.pairs(name).items()}


@cache
def read_lists(name: str) -> WordLists:
    """Return the lists of a file: `ko/words`, or `both/names` where one list is of both."""
    return WordLists((_DATA / f"{name}.txt").read_text(encoding="utf-8"))

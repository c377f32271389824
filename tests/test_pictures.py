"""The pictures that the READMEs show: there, small, and each with words beside it."""

from __future__ import annotations

import re
from pathlib import Path

from pictures import FOLDER, PICTURES

ROOT = Path(__file__).parents[1]
_SHOWN = re.compile(r"!\[([^\]]+)\]\((docs/pictures/[\w-]+\.png)\)")
_MOST_BYTES = 300_000


def test_every_picture_is_shown_small_and_described() -> None:
    """Both READMEs show pictures in their own language; none lies about that nobody shows."""
    shown: set[str] = set()
    for name, ending in (("README.md", ""), ("README.ko.md", "-ko")):
        found = _SHOWN.findall((ROOT / name).read_text("utf-8"))
        assert len(found) >= 3, name
        for words, path in found:
            assert len(words) > 20, path
            assert path.endswith(f"{ending}.png")
            assert ("-ko" in path) == bool(ending)
            shown.add(Path(path).name)
    there = {each.name for each in FOLDER.iterdir()}
    assert shown == there == {f"{each[0]}.png" for each in PICTURES}
    for each in FOLDER.iterdir():
        held = each.read_bytes()
        assert held.startswith(b"\x89PNG")
        assert len(held) <= _MOST_BYTES, each.name

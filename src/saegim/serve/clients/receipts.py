"""What we made in other programs' files, kept in our own folder so that it can be undone exactly.

Nothing of anyone's configuration is in it but the white space and comments of what was empty.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from saegim.filesystem import replacing

FILE = "clients.json"


@dataclass(frozen=True, slots=True)
class Receipt:
    """What was there before us in one file: no file, no folder, empty objects."""

    made: bool = False
    folders: list[str] = field(default_factory=list)
    was: dict[str, str | None] = field(default_factory=dict)


def receipt(home: Path, path: Path) -> Receipt:
    """Return what is known of a file; without a note of it we undo with more care."""
    held = _read(home).get(os.path.realpath(path))
    if not isinstance(held, dict) or not isinstance(held.get("was"), dict):
        return Receipt()
    was = {str(key): each if isinstance(each, str) else None for key, each in held["was"].items()}
    folders = [str(each) for each in held.get("folders") or ()]
    return Receipt(held.get("made") is True, folders, was)


def keep(home: Path, path: Path, kept: Receipt | None) -> None:
    """Note what is known of a file, or forget it."""
    held = _read(home)
    held.pop(os.path.realpath(path), None)
    if kept is not None:
        held[os.path.realpath(path)] = {
            "made": kept.made,
            "folders": kept.folders,
            "was": kept.was,
        }
    file = home / FILE
    if not held:
        file.unlink(missing_ok=True)
        return
    home.mkdir(parents=True, exist_ok=True, mode=0o700)
    with replacing(file) as out:
        json.dump(held, out, ensure_ascii=False, indent=1)


def _read(home: Path) -> dict[str, Any]:
    try:
        held = json.loads((home / FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return held if isinstance(held, dict) else {}

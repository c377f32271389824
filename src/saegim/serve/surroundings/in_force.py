"""The settings in force: what the file and the environment set, and what they set in vain."""

from __future__ import annotations

import difflib
import os
import stat
import tomllib
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Final

from saegim.doctor.findings import Finding
from saegim.errors import SettingsError
from saegim.serve.hooks.deadlines import VARIABLE
from saegim.serve.surroundings.sentences import found
from saegim.settings import FILE, Settings, read_settings

_PREFIX: Final = "SAEGIM_"
# Variables that are no settings: where the home is, how long a hook may take, the tests at night.
_OTHERS: Final = frozenset({"SAEGIM_HOME", "SAEGIM_NIGHTLY", VARIABLE})


def examine(home: Path, environment: Mapping[str, str]) -> list[Finding]:
    """Say which settings differ from their defaults; that they cannot be read is told elsewhere."""
    try:
        shown = read_settings(home, environment).shown()
    except (SettingsError, OSError):
        return []
    file = home / FILE
    known = {f"{_PREFIX}{each.name.upper()}": each.name for each in fields(Settings)}
    strange = sorted(
        each
        for each in environment
        if each.startswith(_PREFIX) and each not in known.keys() | _OTHERS
    )
    if strange:
        near = difflib.get_close_matches(strange[0], [*known, *_OTHERS], 1)
        perhaps = f" ({near[0]}?)" if near else ""
        return [found("in_force.stranger", variable=strange[0], perhaps=perhaps)]
    held = _of_file(file)
    if _is_open(file) and any(name.endswith("_key") and held[name] for name in held):
        return [found("in_force.exposed", file=str(file))]
    here = {name: variable for variable, name in known.items() if variable in environment}
    told = [f"{name} = {shown[name]!r} ({here.get(name, FILE)})" for name in {**held, **here}]
    if not told:
        return [found("in_force.needless")]
    return [found("in_force.ok", settings=", ".join(told))]


def _of_file(file: Path) -> dict[str, object]:
    return tomllib.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}


def _is_open(file: Path) -> bool:
    return os.name == "posix" and file.is_file() and bool(file.stat().st_mode & stat.S_IROTH)

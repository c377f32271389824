"""What an install costs: the README's own figures, checked against the installed packages."""

from __future__ import annotations

import importlib.metadata as metadata
import re
import tomllib
from fnmatch import fnmatch
from pathlib import Path

from packaging.requirements import Requirement

from saegim.engines.brain.model import SHIPPED

ROOT = Path(__file__).parents[1]
HOUSE = ROOT / "src" / "saegim"
README = ROOT / "README.md"
SAID = re.compile(r"The base install is (\d+) packages and about (\d+) MB")
# U33.1 names 60 MB for the wheels; numpy alone unpacks to three times its wheel.
MOST_MEGABYTES = 240
HEAVY = {"torch", "transformers", "tensorflow", "scipy", "pandas"}


def closure(
    name: str, seen: dict[str, int], extras: frozenset[str] = frozenset()
) -> dict[str, int]:
    """Every package a base install brings, with the bytes it unpacks to."""
    found = metadata.distribution(name)
    key = found.metadata["Name"].lower().replace("_", "-")
    if key in seen:
        return seen
    seen[key] = sum(file.size or 0 for file in found.files or [])
    if key == "saegim" and not any(file.name == SHIPPED.name for file in found.files or []):
        # Installed to be worked on: the files lie here and are not on the list.
        here = (file for file in HOUSE.rglob("*") if "__pycache__" not in file.parts)
        seen[key] += sum(file.stat().st_size for file in here if file.is_file())
    for line in found.requires or []:
        needed = Requirement(line)
        wanted = ("", *extras)
        if needed.marker is None or any(needed.marker.evaluate({"extra": e}) for e in wanted):
            closure(needed.name, seen, frozenset(needed.extras))
    return seen


def test_the_readme_says_what_the_base_install_really_is() -> None:
    """U33.1: package count and size in the README are true; nothing heavy is among them."""
    packages = closure("saegim", {})
    said = SAID.search(README.read_text("utf-8"))
    assert said is not None
    megabytes = sum(packages.values()) / 1e6
    assert int(said[1]) == len(packages), sorted(packages)
    # Wheels differ a little between platforms; a fifth is more than any of them.
    assert abs(int(said[2]) - megabytes) <= 0.2 * megabytes
    assert megabytes <= MOST_MEGABYTES
    assert HEAVY.isdisjoint(packages)


def test_the_model_travels_with_the_package() -> None:
    """U33.1, U27.2: nothing is fetched: the wheel is the whole folder, with the model in it."""
    assert SHIPPED.parent == HOUSE / "engines" / "brain"
    build = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["hatch"]["build"]
    assert build["targets"]["wheel"] == {"packages": ["src/saegim"]}
    assert "src" in build["targets"]["sdist"]["include"]
    assert left_out("__pycache__")
    assert not left_out(SHIPPED.name)
    assert "exclude" not in build


def left_out(name: str) -> bool:
    """Say whether the list of ignored files, which the build heeds, holds this name."""
    lines = (ROOT / ".gitignore").read_text("utf-8").splitlines()
    return any(fnmatch(name, line.strip().strip("/")) for line in lines if line.strip())

"""docs/seeds.md is complete and true: every item of the seeds, every name of ours, every proof."""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from typer.main import get_command

from saegim.serve.cli import app
from seed_items import ITEMS
from source_trees import names_in

ROOT = Path(__file__).parents[1]
TABLES = ROOT / "docs" / "seeds.md"
ROOMS = frozenset(
    "engines perceive recall session importers reflect soul imagine personas learn sleep "
    "federation serve web".split()
)
CODE = re.compile(r"`([^`]+)`")
LATER = re.compile(r"\barrives? with (\w+)")
HOUSE = ROOT / "src" / "saegim"
SHORT = {"Settings": "saegim.settings.Settings", "Saegim": "saegim.saegim.Saegim"}


@dataclass(frozen=True)
class Row:
    """One line of a table: what a seed says, what we call it, why, and what proves it."""

    section: str
    item: str
    ours: str
    reason: str
    proof: str

    @property
    def names(self) -> list[str]:
        """Return everything of ours that the line names."""
        named = [
            code
            for code in CODE.findall(self.reason)
            if re.match(r"saegim\.|Saegim\.|Settings\.", code)
        ]
        return [*CODE.findall(self.ours), *named]


def rows(text: str) -> list[Row]:
    """Read the tables of the page."""
    found, section = [], ""
    for line in text.splitlines():
        if line.startswith("### "):
            section = line[4:].strip()
        elif line.startswith("| `"):
            cells = [cell.strip() for cell in line.strip().removeprefix("|").split("|")[:-1]]
            first = CODE.search(cells[0])
            assert first is not None, line
            assert len(cells) == 4, line
            found.append(Row(section, first[1], *cells[1:]))
    return found


ROWS = rows(TABLES.read_text(encoding="utf-8"))


def resolves(name: str) -> bool:
    """Say whether a symbol, a command or a file of that name exists."""
    if name.startswith("saegim "):
        return _is_command(name.split()[1:])
    if (ROOT / name).exists():
        return True
    first, _, rest = name.partition(".")
    parts = f"{SHORT.get(first, first)}{'.' * bool(rest)}{rest}".split(".")
    held: Any = import_module("saegim")
    at = "saegim"
    for part in parts[1:]:
        at = f"{at}.{part}"
        try:
            held = import_module(at)
        except ModuleNotFoundError:
            if not hasattr(held, part):
                return False
            held = getattr(held, part)
    return parts[0] == "saegim"


def _is_command(words: list[str]) -> bool:
    command: Any = get_command(app.app)
    called = command.get_command(None, words[0])
    options = {name for each in getattr(called, "params", ()) for name in each.opts}
    return called is not None and all(word in options for word in words if word.startswith("-"))


def proves(reference: str) -> bool:
    """Say whether `path::name` is a test that exists, or a benchmark that does."""
    path, _, name = reference.partition("::")
    if not (ROOT / path).is_file():
        return False
    return name in names_in(ROOT / path) if name else path.startswith("bench/")


# -- the page is true -----------------------------------------------------------------------------


def test_every_name_on_the_page_exists() -> None:
    """What docs/seeds.md calls ours can be imported, typed or opened."""
    wrong = [(r.section, r.item, name) for r in ROWS for name in r.names if not resolves(name)]
    assert wrong == []


def test_every_proof_on_the_page_exists() -> None:
    """Each test that docs/seeds.md names is in the file it names."""
    assert [
        (row.section, row.item, code)
        for row in ROWS
        for code in CODE.findall(row.proof)
        if not proves(code)
    ] == []


def test_everything_that_is_built_names_its_proof() -> None:
    """A line has a name and a proof, or says which room brings it, or why it was not adopted."""
    unproved = []
    for row in ROWS:
        later = LATER.search(f"{row.ours} {row.reason}")
        if row.ours.startswith("not adopted"):
            complete = bool(row.reason)
        else:
            complete = bool(later) or bool(CODE.search(row.ours) and CODE.search(row.proof))
        if not complete:
            unproved.append((row.section, row.item))
    assert unproved == []


def test_only_rooms_of_the_house_are_promised() -> None:
    """What has not arrived yet arrives with a room that the design has."""
    promised = {room for row in ROWS for room in LATER.findall(f"{row.ours} {row.reason}")}
    assert promised <= ROOMS


def built(room: str, house: Path = HOUSE) -> bool:
    """Say whether a room is there: a folder or a module of the house, or of its doors."""
    places = (house / room, house / "serve" / room)
    return any(at.with_suffix(".py").is_file() or any(at.glob("*.py")) for at in places)


def test_what_is_promised_for_later_is_not_there_yet() -> None:
    """Once a room exists, a line names what it brought, and no longer that it will."""
    assert [
        (row.section, row.item, room)
        for row in ROWS
        for room in LATER.findall(f"{row.ours} {row.reason}")
        if built(room)
    ] == []


def test_a_room_that_was_built_would_be_seen(tmp_path: Path) -> None:
    """Control: a folder, a module and a room among the doors are seen; an empty folder is none."""
    for name in ("soul", "serve/web"):
        (tmp_path / name).mkdir(parents=True)
        assert not built(Path(name).name, tmp_path)
        (tmp_path / name / "__init__.py").touch()
    (tmp_path / "imagine.py").touch()
    assert [built(room, tmp_path) for room in ("soul", "web", "imagine")] == [True, True, True]
    assert not built("federation", tmp_path)
    assert built("serve")


def test_every_item_of_the_seeds_has_its_line() -> None:
    """No field, formula, threshold, API name, setting or criterion of a seed is left out."""
    listed = {(section, item) for section, items in ITEMS.items() for item in items.split()}
    told = [(row.section, row.item) for row in ROWS]
    assert (listed - set(told), set(told) - listed) == (set(), set())
    assert len(told) == len(set(told))


def test_a_wrong_page_would_be_seen() -> None:
    """Control: names, proofs and lines that do not exist are noticed."""
    assert not resolves("saegim.memory.memory.Memory.colour")
    assert not resolves("saegim.nowhere.Memory")
    assert not resolves("Settings.max_dreams")
    assert not resolves("saegim recall --max-sessions")
    assert not proves("tests/test_seeds.py::test_that_nobody_wrote")
    assert not proves("tests/test_nothing.py::test_a_wrong_page_would_be_seen")
    assert rows("### A\n| `x` | `saegim.x` | why | |") == [Row("A", "x", "`saegim.x`", "why", "")]

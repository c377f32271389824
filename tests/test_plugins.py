"""Parts by name: ours, then those of other packages."""

from __future__ import annotations

import importlib.metadata
import subprocess
import sys
from importlib.metadata import EntryPoint, EntryPoints

import pytest

from saegim.engines.hashed import Hashed
from saegim.errors import SettingsError
from saegim.mind import BUILT_IN, find


@pytest.mark.parametrize(
    ("group", "name"), [(group, name) for group, parts in BUILT_IN.items() for name in parts]
)
def test_every_part_of_ours_can_be_found(group: str, name: str) -> None:
    """A name in the table leads to a class that exists."""
    assert isinstance(find(group, name), type)


def test_a_part_of_another_package_is_found_by_its_entry_point(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """U33: someone else's embedder is added by installing it."""
    point = EntryPoint("theirs", "saegim.engines.hashed:Hashed", "saegim.embedders")

    def points(group: str, name: str) -> EntryPoints:
        return EntryPoints([point]).select(group=group, name=name)

    monkeypatch.setattr(importlib.metadata, "entry_points", points)
    assert find("saegim.embedders", "theirs") is Hashed
    with pytest.raises(SettingsError):
        find("saegim.analysers", "theirs")


def test_an_unknown_name_lists_those_there_are() -> None:
    """Bad input: the error names what was asked for and what exists."""
    with pytest.raises(SettingsError, match="embedder called 'nonsense'") as caught:
        find("saegim.embedders", "nonsense")
    assert "hashed" in caught.value.next_step


def test_finding_loads_only_what_was_asked_for() -> None:
    """U6.1: naming one embedder does not import the others."""
    before = {name for name in sys.modules if name.startswith("saegim.engines")}
    find("saegim.embedders", "hashed")
    assert "saegim.engines.hashed" in sys.modules
    assert {name for name in sys.modules if name.startswith("saegim.engines")} - before <= {
        "saegim.engines.hashed"
    }


def test_a_late_module_is_imported_when_it_is_used() -> None:
    """U6.1: opening and asking load nothing that only listening, importing or healing needs."""
    code = (
        "import sys, tempfile\n"
        "from saegim import Saegim\n"
        "memory = Saegim.open(tempfile.mkdtemp() + '/s.db')\n"
        "memory.recall('tea')\n"
        "late = {'saegim.perceive.flow', 'saegim.importers.flow', 'saegim.doctor.health'}\n"
        "assert not late & set(sys.modules), late & set(sys.modules)\n"
        "memory.remember('tea')\n"
        "assert 'saegim.perceive.flow' in sys.modules\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr

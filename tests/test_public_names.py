"""The public face: what `saegim` exports, and what importing it costs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import saegim


def test_all_is_sorted_and_every_name_resolves() -> None:
    """`__all__` equals what is visible, sorted, and each name can be loaded."""
    assert saegim.__all__ == sorted(saegim.__all__)
    assert dir(saegim) == saegim.__all__
    assert [name for name in saegim.__all__ if getattr(saegim, name, None) is None] == []


def test_an_unknown_name_is_an_attribute_error() -> None:
    """A misspelt name fails as in any other module."""
    with pytest.raises(AttributeError, match="Saegimm"):
        saegim.Saegimm  # noqa: B018


def test_importing_loads_nothing_but_the_standard_library() -> None:
    """U33.3: `import saegim` loads no third-party package, opens no file, starts no thread."""
    code = (
        "import sys, threading, os\n"
        "before = set(sys.modules)\n"
        "import saegim\n"
        "new = {name.split('.')[0] for name in set(sys.modules) - before}\n"
        "foreign = new - set(sys.stdlib_module_names) - {'saegim'}\n"
        "assert not foreign, foreign\n"
        "assert threading.active_count() == 1\n"
        "assert len([n for n in sys.modules if n.startswith('saegim')]) == 1\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_importing_works_where_nothing_can_be_written(tmp_path: Path) -> None:
    """U33.3: importing creates no file, not even in the data directory."""
    code = "import saegim; print(saegim.__version__)"
    subprocess.run(
        [sys.executable, "-B", "-c", code],
        check=True,
        capture_output=True,
        env={"SAEGIM_HOME": str(tmp_path / "home"), "PATH": "/usr/bin:/bin", "HOME": str(tmp_path)},
    )
    assert list(tmp_path.iterdir()) == []

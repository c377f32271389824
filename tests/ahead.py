"""Byte-code of the house and its tests, made once before the workers start.

In a fresh clone every worker would compile the same modules and rewrite the asserts of the same
test files at the same time: seventeen seconds of each processor that has a worker. Here each core
takes a part of them; a file that is ready is left as it is.
"""

from __future__ import annotations

import compileall
import os
import subprocess
import sys
from pathlib import Path

from _pytest.assertion import rewrite

_HERE = Path(__file__).parent
_HOUSE = _HERE.parent / "src"


def compile_all(cores: int) -> None:
    """Let every core make its part, and wait for all of them."""
    words = [sys.executable, __file__]
    parts = [subprocess.Popen([*words, str(part), str(cores)]) for part in range(cores)]
    for each in parts:
        # What could not be made is made, and complained of, by who needs it.
        each.wait()


def compile_part(part: int, parts: int) -> None:
    """Make the byte-code of every so-manieth file, as Python and as pytest will look for it."""
    files = sorted([*_HOUSE.rglob("*.py"), *_HERE.rglob("*.py")])
    for path in files[part::parts]:
        if _is_rewritten(path):
            _rewrite(path)
        else:
            compileall.compile_file(path, quiet=2)


def _is_rewritten(path: Path) -> bool:
    return path.is_relative_to(_HERE) and (path.name == "conftest.py" or path.name[:5] == "test_")


def _rewrite(path: Path) -> None:
    folder = rewrite.get_cache_dir(path)
    ready = folder / f"{path.stem}{rewrite.PYC_TAIL}"
    if rewrite._read_pyc(path, ready) is None:
        folder.mkdir(parents=True, exist_ok=True)
        source, code = rewrite._rewrite_test(path, None)  # type: ignore[arg-type]
        passing = folder / f"{ready.name}.{os.getpid()}"
        with passing.open("wb") as file:
            rewrite._write_pyc_fp(file, source, code)
        passing.replace(ready)


if __name__ == "__main__":
    compile_part(int(sys.argv[1]), int(sys.argv[2]))

"""A folder in which nothing can be written, whoever runs the test."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_NOBODY = 65534


@contextmanager
def read_only(folder: Path) -> Iterator[Path]:
    """Yield a folder with the same files that this process cannot write.

    Permissions do not bind root, so root mounts the folder read-only, or, where mounting is not
    allowed, becomes nobody for a while.
    """
    if os.geteuid() != 0:
        with _forbidden(folder):
            yield folder
    elif _mount("--bind", str(folder), str(folder)):
        try:
            assert _mount("-o", "remount,ro,bind", str(folder))
            yield folder
        finally:
            subprocess.run(["umount", "-l", str(folder)], check=True)
    else:
        with _as_nobody(folder) as copy:
            yield copy


def _mount(*arguments: str) -> bool:
    program = shutil.which("mount")
    return (
        bool(program)
        and subprocess.run([str(program), *arguments], capture_output=True, check=False).returncode
        == 0
    )


@contextmanager
def _forbidden(folder: Path) -> Iterator[None]:
    modes = {path: path.stat().st_mode for path in (folder, *folder.rglob("*"))}
    for path, mode in modes.items():
        path.chmod(mode & ~0o222)
    try:
        yield
    finally:
        for path, mode in modes.items():
            path.chmod(mode)


@contextmanager
def _as_nobody(folder: Path) -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as outer:
        copy = Path(shutil.copytree(folder, Path(outer, folder.name)))
        for path in (Path(outer), copy, *copy.rglob("*")):
            os.chown(path, _NOBODY, _NOBODY)
        with _forbidden(copy):
            os.setresuid(_NOBODY, _NOBODY, 0)
            try:
                yield copy
            finally:
                os.setresuid(0, 0, 0)

"""A git repository, read by hand: its common directory, its origin, its name; nothing is run.

An odd, broken or unreadable file is as good as none: nothing here raises because of one.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from typing import Final

# Pointers are one line; a config longer than this has its origin near the beginning all the same.
_MOST_BYTES: Final = 1 << 16
_POINTER: Final = re.compile(r"gitdir:[ \t]*(.+)")
_SECTION: Final = re.compile(r'\[\s*remote\s+"origin"\s*\]', re.IGNORECASE)
_URL: Final = re.compile(r"url\s*=\s*(.*)", re.IGNORECASE)
_COMMENT: Final = re.compile(r"\s[#;].*$")
_DRIVE: Final = re.compile(r"[A-Za-z]:[\\/]")
_GIT: Final = ".git"


@dataclass(frozen=True, slots=True)
class Repository:
    """What tells one repository from another, whichever of its folders one stands in."""

    # The main checkout where there is one, else the common directory.
    path: str
    name: str
    # Host and path of the `origin`, without user, password, port and query; "" if it has none.
    origin: str = ""
    # The folder of this machine it was cloned from, if it was.
    cloned_from: str = ""
    # Which directory it is on the disk, whatever it is called; "" if that cannot be known.
    mark: str = ""


def repository_at(folder: str) -> Repository | None:
    """Return the repository that has its checkout, or a worktree, exactly here."""
    entry = os.path.join(folder, _GIT)
    if os.path.isdir(entry):
        return _read(entry, folder) if _is_git(entry) else None
    if os.path.isfile(entry):
        return _pointed(entry, folder)
    return _read(folder, folder) if _is_git(folder) else None


def _is_git(directory: str) -> bool:
    """Say whether a directory holds what git keeps: a linked worktree's has no objects."""
    has = [os.path.exists(os.path.join(directory, each)) for each in ("HEAD", "objects", "refs")]
    return all(has) or (has[0] and os.path.isfile(os.path.join(directory, "commondir")))


def _pointed(entry: str, folder: str) -> Repository | None:
    """Follow the `.git` file of a worktree or a submodule, also to where nothing is any more."""
    found = _POINTER.match(_text(entry))
    if found is None:
        return None
    target = os.path.normpath(os.path.join(folder, found[1].strip()))
    if _is_git(target):
        return _read(target, folder)
    # The main checkout was renamed or is gone: what it was is known by where it was.
    parent, linked = os.path.split(os.path.dirname(target))
    common = parent if linked == "worktrees" else target
    path, name = _place(common, folder)
    return Repository(path, name)


def _read(directory: str, folder: str) -> Repository:
    shared = _text(os.path.join(directory, "commondir")).strip()
    common = os.path.realpath(os.path.join(directory, shared) if shared else directory)
    path, name = _place(common, "" if shared else folder)
    url = url_of(_text(os.path.join(common, "config")))
    origin, near = normalised(url), _near(url)
    called = origin.rpartition("/")[2] or name
    return Repository(path, called, origin, near, _mark(common))


def _place(common: str, folder: str) -> tuple[str, str]:
    """Return where a repository is at home, and what that place is called."""
    parent, last = os.path.split(common)
    if last == _GIT:
        return parent, os.path.basename(parent)
    if folder and os.path.realpath(folder) != common:
        # A submodule, or a git directory kept elsewhere: the checkout bears the name.
        return common, os.path.basename(folder)
    bare = last.removesuffix(_GIT)
    hidden = not bare or bare.startswith(".")
    return common, os.path.basename(parent) if hidden else bare


def _mark(common: str) -> str:
    """Return the inode and the time of birth: inodes are given out again, devices renumbered."""
    found = _stat(common)
    if found is None or not found.st_ino:
        return ""
    # Git writes this file once, when the repository is made, and a rename does not touch it.
    born = _stat(os.path.join(common, "description"))
    return f"{found.st_ino}:{born.st_mtime_ns if born else found.st_dev}"


def _stat(path: str) -> os.stat_result | None:
    try:
        return os.stat(path)
    except (OSError, ValueError):
        return None


# -- the origin -----------------------------------------------------------------------------------


def url_of(config: str) -> str:
    """Return the address of `origin` that a git config names, or nothing."""
    inside = False
    for line in map(str.strip, config.splitlines()):
        if line.startswith("["):
            inside = bool(_SECTION.match(line))
        elif inside and (found := _URL.match(line)):
            return _COMMENT.sub("", found[1]).strip().strip('"')
    return ""


def normalised(url: str) -> str:
    """Return host and path of an address, the same for every way to write it; no credentials."""
    _, marked, rest = url.partition("://")
    # Who asks stands before the last @ of what comes before the path.
    first, slash, path = (rest if marked else url).partition("/")
    first = first.rpartition("@")[2]
    if not marked:
        host, _, path = f"{first}{slash}{path}".partition(":")
    elif first.startswith("["):
        host = first.partition("]")[0] + "]"
    else:
        host = first.partition(":")[0]
    plain = re.split(r"[?#]", path, maxsplit=1)[0].strip("/").removesuffix(_GIT).strip("/")
    if _is_near(url) or not host or not plain or "/" in host:
        return ""
    return f"{host.casefold()}/{plain}"


def _is_near(url: str) -> bool:
    """Say whether an address is a folder of this machine."""
    return bool(_DRIVE.match(url)) or url.startswith(("/", "\\", ".", "~", "file:"))


def _near(url: str) -> str:
    """Return the folder that an address names, unless it depends on where one stands."""
    path = url.removeprefix("file://")
    if not _is_near(url) or not os.path.isabs(path):
        return ""
    return os.path.realpath(path.rstrip("/").removesuffix(f"/{_GIT}"))


def _text(path: str) -> str:
    """Read the beginning of a small file; nothing where there is none."""
    try:
        # A pipe of that name would never end.
        if not os.path.isfile(path):
            return ""
        with open(path, "rb") as file:
            return file.read(_MOST_BYTES).decode("utf-8", "surrogateescape")
    except (OSError, ValueError):
        return ""

"""A git repository, read by hand: its common directory, its origin, its name; nothing is run.

An odd, broken or unreadable file is as good as none: nothing here raises because of one.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Final

# Pointers are one line; a config longer than this has its origin near the beginning all the same.
_MOST_BYTES: Final = 1 << 16
_POINTER: Final = re.compile(r"gitdir:[ \t]*(.+)")
_ORIGIN: Final = re.compile(r'\[\s*remote\s+"origin"\s*\]', re.IGNORECASE)
_CORE: Final = re.compile(r"\[\s*core\s*\]", re.IGNORECASE)
_COMMENT: Final = re.compile(r"\s[#;].*$")
_DRIVE: Final = re.compile(r"[A-Za-z]:[\\/]")
_GIT: Final = ".git"


@dataclass(frozen=True, slots=True)
class Repository:
    """What tells one repository from another, whichever of its folders one stands in."""

    # The main checkout where there is one, else the common directory; "" if neither is sure.
    path: str
    name: str
    # Host and path of the `origin`, without user, password, port and query; "" if it has none.
    origin: str = ""
    # The folder of this machine it was cloned from, if it was.
    cloned_from: str = ""
    # Which directory it is on the disk, whatever it is called; "" if that cannot be known.
    mark: str = ""
    # A checkout that points elsewhere, and where to: one repository has many of them.
    tree: str = field(default="", compare=False)


def repository_at(folder: str, above: Iterable[str] | None = None) -> Repository | None:
    """Return the repository that has its checkout, or a worktree, exactly here.

    `above` are the folders around it that may be another repository; without it all of them.
    """
    entry = os.path.join(folder, _GIT)
    if os.path.isdir(entry):
        return _read(entry, folder) if _is_git(entry) else None
    if os.path.isfile(entry):
        return _pointed(entry, folder)
    # Any repository can hold files that are laid out like a bare one, with a config of its own.
    if not _is_git(folder) or not _is_bare(folder):
        return None
    around = _above(folder) if above is None else above
    inside = any(os.path.lexists(os.path.join(each, _GIT)) for each in around)
    return None if inside else _read(folder, folder)


def _above(folder: str) -> Iterator[str]:
    here = os.path.realpath(folder)
    while (parent := os.path.dirname(here)) != here:
        yield (here := parent)


def _is_git(directory: str) -> bool:
    """Say whether a directory holds what git keeps of a whole repository."""
    return all(
        os.path.exists(os.path.join(directory, each)) for each in ("HEAD", "objects", "refs")
    )


def _is_bare(directory: str) -> bool:
    said = _setting(_text(os.path.join(directory, "config")), _CORE, "bare")
    return said.casefold() in ("true", "yes", "on", "1")


def _pointed(entry: str, folder: str) -> Repository | None:
    """Follow the `.git` file of a worktree or a submodule to what says that it is its own.

    Anyone can write a path: what does not point back lends nothing, and the checkout is known by
    itself. So is a worktree whose main checkout was renamed; it was noted while that was there.
    """
    found = _POINTER.match(_text(entry))
    if found is None:
        return None
    target = os.path.normpath(os.path.join(folder, found[1].strip()))
    tree = f"{folder}\n{target}"
    if common := _common(target, entry):
        return replace(_read(common, ""), tree=tree)
    if _is_git(target) and _serves(target, folder):
        return _read(target, folder)
    return Repository("", os.path.basename(folder), tree=tree)


def _common(target: str, entry: str) -> str:
    """Return what a linked worktree shares with its repository, if that knows of the worktree."""
    back = _text(os.path.join(target, "gitdir")).strip()
    shared = _text(os.path.join(target, "commondir")).strip()
    common = os.path.join(target, shared)
    listed = os.path.join(common, "worktrees", os.path.basename(target))
    known = back and shared and _is_git(common) and _same(listed, target)
    return common if known and _same(os.path.join(target, back), entry) else ""


def _serves(directory: str, folder: str) -> bool:
    """Say whether a git directory lies in this checkout, or names it as its own."""
    inside = os.path.join(os.path.realpath(folder), "")
    if os.path.realpath(directory).startswith(inside):
        return True
    texts = (_text(os.path.join(directory, each)) for each in ("config", "config.worktree"))
    named = (_setting(each, _CORE, "worktree") for each in texts)
    return any(each and _same(os.path.join(directory, each), folder) for each in named)


def _read(directory: str, folder: str) -> Repository:
    common = os.path.realpath(directory)
    path, name = _place(common, folder)
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


def _same(one: str, other: str) -> bool:
    """Say whether two paths lead to the same thing on the disk."""
    first, second = _stat(one), _stat(other)
    return first is not None and second is not None and os.path.samestat(first, second)


# -- the origin -----------------------------------------------------------------------------------


def url_of(config: str) -> str:
    """Return the address of `origin` that a git config names, or nothing."""
    return _setting(config, _ORIGIN, "url")


def _setting(config: str, section: re.Pattern[str], name: str) -> str:
    """Return the first value that a section of a git config gives a name, or nothing."""
    inside = False
    for line in map(str.strip, config.splitlines()):
        key, equals, value = line.partition("=")
        if line.startswith("["):
            inside = bool(section.match(line))
        elif inside and equals and key.strip().casefold() == name:
            return _COMMENT.sub("", value).strip().strip('"')
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

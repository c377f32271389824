"""`project_of`: which project is at hand; the same answer at every door (U13.1).

In this order: what was named, what the environment names, the git repository around the folder
(one for all its worktrees and subfolders), the folder that is marked as a project. A repository is
recognised by its origin and by its directory on the disk, so that a renamed folder keeps its
project; which place is which project is noted in the store at first sight.
"""

from __future__ import annotations

import hashlib
import os
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from saegim.errors import StoreError
from saegim.memory.scope import checked_name
from saegim.projects.naming import project_name
from saegim.projects.repository import Repository, repository_at

if TYPE_CHECKING:
    from saegim.store.store import Store

How = Literal["explicit", "environment", "git", "folder", "none"]

NAMED: Final = "SAEGIM_PROJECT"
# Claude Code tells its hooks in which folder it was started.
STARTED_IN: Final = "CLAUDE_PROJECT_DIR"
# A folder that holds one of these is a project; one that holds none, such as Downloads, is not.
MARKERS: Final = (
    ".git", ".hg", ".svn", "pyproject.toml", "package.json", "Cargo.toml", "go.mod", "pom.xml",
    "CLAUDE.md", "AGENTS.md", ".claude", ".vscode", ".idea", "Makefile",
)  # fmt: skip
# These are recognised; nothing is put there.
_TEMPORARY: Final = ("/tmp", "/var/tmp")  # noqa: S108


@dataclass(frozen=True, slots=True)
class Resolved:
    """Which project is at hand ("" is none: memories for all of them), and what decided it."""

    project: str
    how: How


@dataclass(frozen=True, slots=True)
class _Spot:
    """A place that is a project: what it is called, and by what it is known, the surest first."""

    called: str
    places: tuple[str, ...]
    how: How


def project_of(
    folder: Path | None,
    environment: Mapping[str, str],
    *,
    explicit: str | None = None,
    store: Store | None = None,
    user: str = "me",
) -> Resolved:
    """Return the project at hand; "" where there is none, such as in the home folder.

    Without a store, or with one that cannot be written, the answer is the name that the place
    would be given.
    """
    for given, how in ((explicit, "explicit"), (environment.get(NAMED), "environment")):
        if given is not None:
            name = checked_name("project", given) if given else ""
            return Resolved(name, "explicit" if how == "explicit" else "environment")
    started = environment.get(STARTED_IN)
    if started and os.path.isdir(started):
        found = _spot(started, environment)
        name = _known_as(found, store, user) if found else ""
        return Resolved(name, "environment")
    found = _spot(os.fspath(folder), environment) if folder is not None else None
    return Resolved(_known_as(found, store, user), found.how) if found else Resolved("", "none")


def _known_as(spot: _Spot, store: Store | None, user: str) -> str:
    """Return under which name a place is known; note it if it is seen for the first time."""
    wanted = project_name(spot.called)
    if store is None:
        return wanted
    try:
        return store.projects.name_of(user, spot.places, wanted)
    except StoreError:
        return wanted


# -- places ---------------------------------------------------------------------------------------


def _spot(folder: str, environment: Mapping[str, str]) -> _Spot | None:
    """Find the repository around a folder, else the nearest folder that is marked."""
    try:
        around = list(_around(folder, environment))
        for at, each in enumerate(around, start=1):
            if repository := repository_at(each, around[at:]):
                return _Spot(repository.name, tuple(_places(repository)), "git")
        for each in around:
            if any(os.path.lexists(os.path.join(each, marker)) for marker in MARKERS):
                return _Spot(os.path.basename(each), (_path(each),), "folder")
    except (OSError, ValueError):
        pass  # a name no file system knows, a folder that is gone: no place to be
    return None


def _around(folder: str, environment: Mapping[str, str]) -> Iterator[str]:
    """Yield a folder and those around it, up to the first that is never a project."""
    ends = _ends(environment)
    here = os.path.realpath(os.path.expanduser(folder))
    while os.path.normcase(here) not in ends and (parent := os.path.dirname(here)) != here:
        yield here
        here = parent


def _ends(environment: Mapping[str, str]) -> set[str]:
    """Return the folders that are never a project: home, and where temporary files lie."""
    named = (environment.get(each) for each in ("HOME", "USERPROFILE", "TMPDIR", "TEMP", "TMP"))
    ends = (os.path.expanduser("~"), *_TEMPORARY, *named)
    return {os.path.normcase(os.path.realpath(each)) for each in ends if each}


def _places(repository: Repository) -> Iterator[str]:
    """Yield by what a repository is known, the surest first."""
    if repository.origin:
        yield _digest("origin", repository.origin.casefold())
    if repository.cloned_from:
        yield _path(repository.cloned_from)
    if repository.mark:
        yield _digest("mark", repository.mark)
    if repository.tree:
        yield _path(repository.tree)
    if repository.path:
        yield _path(repository.path)


def _path(path: str) -> str:
    return _digest("path", unicodedata.normalize("NFC", os.path.normcase(path)))


def _digest(kind: str, text: str) -> str:
    """Name a place by a digest: neither paths nor addresses are kept."""
    whole = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16)
    return f"{kind}:{whole.hexdigest()}"

"""Real git repositories for tests, free of the settings of whoever runs them."""

from __future__ import annotations

import hashlib
import os
import subprocess
import zlib
from pathlib import Path

_ALONE = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "a",
    "GIT_AUTHOR_EMAIL": "a@example.org",
    "GIT_COMMITTER_NAME": "a",
    "GIT_COMMITTER_EMAIL": "a@example.org",
}


def git(folder: Path, *words: str) -> None:
    """Run git in a folder."""
    base = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    subprocess.run(
        ["git", "-c", "protocol.file.allow=always", *words],
        cwd=folder,
        env=base | _ALONE,
        check=True,
        capture_output=True,
    )


def repository(folder: Path, origin: str = "") -> Path:
    """Make a repository with one commit, and an origin if one is given."""
    folder.mkdir(parents=True)
    git(folder, "init", "-q")
    git(folder, "commit", "-q", "--allow-empty", "-m", "first")
    if origin:
        git(folder, "remote", "add", "origin", origin)
    return folder


def sketched(folder: Path, url: str = "", history: str = "") -> Path:
    """Make what git would take for a repository, without running it: many are made quickly.

    With a history it has a first commit of that message, and one after it.
    """
    for each in ("objects", "refs/heads"):
        (folder / ".git" / each).mkdir(parents=True)
    if history:
        committed(folder / ".git", "later", committed(folder / ".git", history))
    (folder / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (folder / ".git" / "description").write_text("Unnamed repository\n")
    remote = f'[remote "origin"]\n\turl = {url}\n' if url else ""
    (folder / ".git" / "config").write_text(f"[core]\n\tbare = false\n{remote}")
    return folder


def committed(git_directory: Path, message: str, parent: str = "") -> str:
    """Write a commit as git would, let the main branch point to it, and return its id."""
    tree = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
    above = f"parent {parent}\n" if parent else ""
    who = "a <a@example.org> 1767225600 +0000"
    content = f"tree {tree}\n{above}author {who}\ncommitter {who}\n\n{message}\n".encode()
    whole = b"commit %d\0" % len(content) + content
    id = hashlib.sha1(whole, usedforsecurity=False).hexdigest()
    place = git_directory / "objects" / id[:2] / id[2:]
    place.parent.mkdir(exist_ok=True)
    place.write_bytes(zlib.compress(whole))
    (git_directory / "refs" / "heads" / "main").write_text(f"{id}\n")
    return id

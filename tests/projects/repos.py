"""Real git repositories for tests, free of the settings of whoever runs them."""

from __future__ import annotations

import os
import subprocess
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


def sketched(folder: Path, url: str = "") -> Path:
    """Make what git would take for a repository, without running it: many are made quickly."""
    for each in ("objects", "refs"):
        (folder / ".git" / each).mkdir(parents=True)
    (folder / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (folder / ".git" / "description").write_text("Unnamed repository\n")
    remote = f'[remote "origin"]\n\turl = {url}\n' if url else ""
    (folder / ".git" / "config").write_text(f"[core]\n\tbare = false\n{remote}")
    return folder

"""Git read by hand: addresses without credentials, marks that survive a rename, odd files."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from projects.repos import git, repository, sketched
from saegim.projects import normalised, project_of, repository_at, url_of

SECRET = "hunter2TOKEN"


@pytest.mark.parametrize(
    "url",
    [
        "https://github.com/acme/App.git",
        "https://github.com/acme/App/",
        f"https://me:{SECRET}@github.com/acme/App.git",
        f"https://{SECRET}@GitHub.com:443/acme/App",
        f"https://me:p@{SECRET}@github.com/acme/App.git",
        f"https://github.com/acme/App.git?token={SECRET}",
        "git@github.com:acme/App.git",
        f"me:{SECRET}@github.com:acme/App.git",
        "ssh://git@github.com:2222/acme/App.git",
        "git://github.com/acme/App.git#main",
    ],
)
def test_every_way_to_write_an_origin_is_the_same_one(url: str) -> None:
    """U13.1: one repository is one project however it was cloned; no credentials are kept."""
    assert normalised(url) == "github.com/acme/App"


@pytest.mark.parametrize("url", ["", "../app", "./app", "/srv/app.git", "C:\\work\\app", "nothing"])
def test_what_names_no_host_is_no_origin(url: str) -> None:
    """U13.1: a path is told from an address."""
    assert normalised(url) == ""


@pytest.mark.parametrize(
    ("config", "url"),
    [
        ('[remote "origin"]\n\turl = git@h:a/b\n', "git@h:a/b"),
        ('[remote "up"]\n url = x:y\n[remote "origin"]\n fetch = +x\n URL="h:a b" ; note', "h:a b"),
        ('[remote "up"]\n\turl = x:y\n[branch "origin"]\n\turl = z:z\n', ""),
        ("", ""),
        ("\x00\udcff[remote", ""),
    ],
)
def test_the_origin_is_found_in_a_config(config: str, url: str) -> None:
    """U13.1: only the remote that is called origin counts."""
    assert url_of(config) == url


def test_a_real_config_is_read_as_git_wrote_it(tmp_path: Path) -> None:
    """U13.1: what git itself writes is understood."""
    made = repository(tmp_path / "app", f"https://me:{SECRET}@github.com/acme/aurora.git")
    found = repository_at(str(made))
    assert found is not None
    assert (found.origin, found.name) == ("github.com/acme/aurora", "aurora")
    assert SECRET not in repr(found)


def test_a_mark_survives_a_rename_and_not_a_new_repository(tmp_path: Path) -> None:
    """U13.1: an inode that is given out again does not bring an old project back."""
    made = sketched(tmp_path / "a")
    before = repository_at(str(made))
    made.rename(tmp_path / "b")
    after = repository_at(str(tmp_path / "b"))
    assert before is not None
    assert after is not None
    assert before.mark == after.mark != ""
    # The same inode, as if another repository had been made in its place.
    os.utime(tmp_path / "b" / ".git" / "description", (1, 1))
    again = repository_at(str(tmp_path / "b"))
    assert again is not None
    assert again.mark.rpartition(":")[0] == before.mark.rpartition(":")[0]
    assert again.mark != before.mark


def test_worktrees_of_a_bare_repository_bear_its_name(tmp_path: Path) -> None:
    """U13.1: also without a main checkout there is one repository, whichever way it is kept."""
    seed = repository(tmp_path / "seed")
    for bare, name in (("aurora.git", "aurora"), ("lighthouse/.bare", "lighthouse")):
        git(tmp_path, "clone", "-q", "--bare", str(seed), bare)
        git(tmp_path / bare, "remote", "remove", "origin")
        git(tmp_path / bare, "worktree", "add", "-q", str(tmp_path / f"tree-{name}"))
        inside = repository_at(str(tmp_path / f"tree-{name}"))
        assert inside == repository_at(str(tmp_path / bare))
        assert inside is not None
        assert inside.name == name


BROKEN = {
    "empty": b"",
    "binary": bytes(range(256)),
    "nothing": b"gitdir:",
    "nul": b"gitdir: a\x00b\n",
    "huge": b"gitdir: " + b"x" * 100_000,
}


@pytest.mark.parametrize("content", BROKEN.values(), ids=BROKEN)
def test_a_broken_git_file_raises_nothing(tmp_path: Path, content: bytes) -> None:
    """U13.1: whatever stands in a `.git` file, the answer is a repository or none."""
    (tmp_path / ".git").write_bytes(content)
    found = repository_at(str(tmp_path))
    assert found is None or (found.mark, found.origin) == ("", "")


def test_odd_directories_raise_nothing(tmp_path: Path) -> None:
    """U13.1: an empty `.git` is none; a pipe is not waited for; a config of bytes has no origin."""
    (tmp_path / "empty" / ".git").mkdir(parents=True)
    assert repository_at(str(tmp_path / "empty")) is None
    odd = sketched(tmp_path / "odd")
    (odd / ".git" / "config").unlink()
    if hasattr(os, "mkfifo"):
        os.mkfifo(odd / ".git" / "config")
    (odd / ".git" / "commondir").write_bytes(b"\xff\xfe/../..")
    assert repository_at(str(odd)) is not None
    spoilt = sketched(tmp_path / "spoilt")
    (spoilt / ".git" / "config").write_bytes(b'[remote "origin"]\nurl = \xff\xfe\x00')
    found = repository_at(str(spoilt))
    assert found is not None
    assert found.origin == ""


# -- what a stranger put there --------------------------------------------------------------------

PRIVATE = "https://github.com/me/private.git"


def bare_layout(folder: Path, url: str = PRIVATE, *, bare: str = "bare = true") -> Path:
    """Lay files out as a bare repository does: anyone can commit such files."""
    for each in ("objects", "refs"):
        (folder / each).mkdir(parents=True)
    (folder / "HEAD").write_text("ref: refs/heads/main\n")
    (folder / "config").write_text(f'[core]\n\t{bare}\n[remote "origin"]\n\turl = {url}\n')
    return folder


def test_files_laid_out_as_a_bare_repository_lend_nothing(tmp_path: Path) -> None:
    """U13.1: what a clone contains does not say which project it is."""
    clone = sketched(tmp_path / "evil", "https://github.com/evil/evil.git")
    docs = bare_layout(clone / "deep" / "docs")
    assert repository_at(str(docs)) is None
    assert project_of(docs, {}).project == "evil"
    plain = bare_layout(tmp_path / "plain.git", bare="bare = false")
    assert repository_at(str(plain)) is None
    # Control: by itself, and saying so, it is a repository; also in a home that is one.
    real = repository_at(str(bare_layout(tmp_path / "alone.git")))
    assert real is not None
    assert real.origin == "github.com/me/private"
    home = sketched(tmp_path / "house")
    inner = bare_layout(home / "srv" / "private.git")
    assert project_of(inner, {"HOME": str(home)}).project == "private"


def test_a_bare_repository_does_not_lead_elsewhere(tmp_path: Path) -> None:
    """U13.1: a `commondir` is believed in a linked worktree and nowhere else."""
    victim = sketched(tmp_path / "victim", PRIVATE)
    for folder in (
        bare_layout(tmp_path / "evil.git", "https://github.com/evil/evil.git"),
        sketched(tmp_path / "evil", "https://github.com/evil/evil.git") / ".git",
    ):
        (folder / "commondir").write_text(str(victim / ".git"))
        found = repository_at(str(folder.parent if folder.name == ".git" else folder))
        assert found is not None
        assert found.origin == "github.com/evil/evil"


def pointing(folder: Path, target: Path) -> Path:
    """Make a folder with a `.git` file."""
    folder.mkdir()
    (folder / ".git").write_text(f"gitdir: {target}\n")
    return folder


def test_a_git_file_lends_nothing_that_does_not_point_back(tmp_path: Path) -> None:
    """U13.1: whoever writes the path of another repository into a file is not in its project."""
    victim = repository(tmp_path / "victim", PRIVATE)
    git(victim, "worktree", "add", "-q", "--detach", str(tmp_path / "tree"))
    bare_layout(victim / ".git" / "modules" / "library")
    forged = tmp_path / "forged"
    forged.mkdir()
    (forged / "HEAD").touch()
    (forged / "gitdir").write_text(str(tmp_path / "evil4" / ".git"))
    (forged / "commondir").write_text(str(victim / ".git"))
    targets = (
        victim / ".git",
        victim / ".git" / "worktrees" / "tree",
        victim / ".git" / "worktrees" / "gone",
        victim / ".git" / "modules" / "library",
        forged,
        tmp_path / "nowhere" / ".git" / "worktrees" / "x",
    )
    for at, target in enumerate(targets):
        found = repository_at(str(pointing(tmp_path / f"evil{at}", target)))
        assert found is not None
        assert (found.path, found.name, found.origin, found.mark) == ("", f"evil{at}", "", "")
    # Control: the worktree itself, which the repository knows.
    real = repository_at(str(tmp_path / "tree"))
    assert real == repository_at(str(victim))
    assert real is not None
    assert real.origin == "github.com/me/private"


def test_a_git_directory_that_names_its_checkout_is_believed(tmp_path: Path) -> None:
    """U13.1: one kept elsewhere counts if it says whose it is, one inside the checkout as it is."""
    apart = pointing(tmp_path / "apart", bare_layout(tmp_path / "kept", bare="bare = false"))
    found = repository_at(str(apart))
    assert found is not None
    assert found.origin == ""
    git(
        tmp_path, "config", "--file", str(tmp_path / "kept" / "config"), "core.worktree", "../apart"
    )
    found = repository_at(str(apart))
    assert found is not None
    assert found.origin == "github.com/me/private"
    within = pointing(tmp_path / "within", Path(".bare"))
    bare_layout(within / ".bare")
    found = repository_at(str(within))
    assert found is not None
    assert found.origin == "github.com/me/private"
    (tmp_path / "linked").mkdir()
    (tmp_path / "linked" / ".git").write_text("gitdir: .bare\n")
    (tmp_path / "linked" / ".bare").symlink_to(within / ".bare")
    found = repository_at(str(tmp_path / "linked"))
    assert found is not None
    assert found.origin == ""

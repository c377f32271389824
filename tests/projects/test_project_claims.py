"""What a folder says it is a clone of counts only with the history that belongs to it."""

from __future__ import annotations

import os
import shutil
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from projects.repos import committed, git, repository, sketched
from saegim import projects
from saegim.projects import (
    UNKNOWABLE,
    CommitHistory,
    Resolved,
    keep_apart,
    project_of,
    repository_at,
)
from saegim.store.store import Store

ORIGIN = "git@github.com:me/private.git"
Ask = Callable[[Path], Resolved]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A store in which places are noted."""
    (tmp_path / "data").mkdir()
    opened = Store(tmp_path / "data" / "store.db", synchronous="OFF")
    yield opened
    opened.close()


@pytest.fixture
def ask(store: Store) -> Ask:
    """Ask which project a folder is, and which it claims to be."""
    return lambda folder: project_of(folder, {}, store=store)


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """A folder for repositories."""
    (tmp_path / "work").mkdir()
    return tmp_path / "work"


def history(folder: Path) -> CommitHistory:
    """Return the history of a repository."""
    found = repository_at(str(folder))
    assert found is not None
    return CommitHistory(found)


# -- an unpacked archive --------------------------------------------------------------------------


@pytest.mark.parametrize("other", ["", "another beginning"])
def test_an_unpacked_archive_that_names_a_known_origin_is_a_project_of_its_own(
    work: Path, ask: Ask, other: str
) -> None:
    """Anyone can write an origin into a config: without the history it opens no project."""
    assert ask(sketched(work / "private", ORIGIN, "first")).project == "private"
    evil = sketched(work / "evil", ORIGIN, other)
    for _ in range(2):
        assert ask(evil) == Resolved("private-2", "git", "private")
    # What the person really has goes on as before.
    assert ask(work / "private") == Resolved("private", "git")


def test_without_the_look_at_the_history_an_archive_would_be_let_in(
    work: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Control: it is the history that keeps the stranger out."""
    ask(sketched(work / "private", ORIGIN, "first"))
    monkeypatch.setattr(CommitHistory, "holds", lambda *_: True)
    assert ask(sketched(work / "evil", ORIGIN, "other")) == Resolved("private", "git")


def test_a_stranger_who_comes_first_does_not_get_what_the_person_keeps_later(
    work: Path, ask: Ask
) -> None:
    """An origin or a source that was named before its repository was seen leads nobody astray."""
    real = sketched(work / "private", ORIGIN, "first")
    evil = sketched(work / "evil", ORIGIN, "other")
    near = sketched(work / "near", str(real), "other")
    first, second = ask(evil).project, ask(near).project
    assert ask(real).project not in (first, second)


def test_a_source_on_this_machine_is_no_more_than_a_claim(work: Path, ask: Ask) -> None:
    """A config that names the person's own folder as where it was cloned from opens nothing."""
    real = repository(work / "private")
    assert ask(real).project == "private"
    evil = sketched(work / "evil", f"file://{real}", "other")
    assert ask(evil) == Resolved("evil", "git", "private")
    git(work, "clone", "-q", str(real), "clone")
    assert ask(work / "clone") == Resolved("private", "git")


@pytest.mark.parametrize("way", ["git", "objects", "object", "pack", "alternates"])
def test_a_link_to_a_private_repository_shows_no_history(work: Path, ask: Ask, way: str) -> None:
    """An archive may hold links to where a repository lies; what is behind them is not its own."""
    real = repository(work / "private", ORIGIN)
    if way == "pack":
        git(real, "gc", "-q")
    assert ask(real).project == "private"
    evil = sketched(work / "evil", ORIGIN, "other")
    mine, theirs = evil / ".git", real / ".git"
    if way == "git":
        shutil.rmtree(mine)
        mine.symlink_to(theirs)
        assert ask(evil) == Resolved("evil", "git")
        return
    if way in ("objects", "pack"):
        shutil.rmtree(mine / "objects")
        (mine / "objects").symlink_to(theirs / "objects")
    elif way == "object":
        root = history(real).root()
        (mine / "objects" / root[:2]).mkdir(exist_ok=True)
        (mine / "objects" / root[:2] / root[2:]).symlink_to(
            theirs / "objects" / root[:2] / root[2:]
        )
    else:
        (mine / "objects" / "info").mkdir()
        (mine / "objects" / "info" / "alternates").write_text(f"{theirs / 'objects'}\n")
    assert ask(evil) == Resolved("private-2", "git", "private")


def test_the_name_of_a_commit_is_not_the_commit(work: Path, ask: Ask) -> None:
    """A file of that name with other content is refused: the hash is counted again."""
    real = sketched(work / "private", ORIGIN, "first")
    ask(real)
    root = history(real).root()
    evil = sketched(work / "evil", ORIGIN, "other")
    place = evil / ".git" / "objects" / root[:2] / root[2:]
    place.parent.mkdir(exist_ok=True)
    place.write_bytes(zlib.compress(b"commit 6\0forged"))
    assert ask(evil).project == "private-2"
    # Control: what really bears the name is the history.
    shutil.copy(real / ".git" / "objects" / root[:2] / root[2:], place)
    assert ask(evil).project == "private"


# -- the person's own -----------------------------------------------------------------------------


@pytest.mark.parametrize("packed", [False, True])
def test_a_second_clone_a_moved_folder_and_a_worktree_go_on_working(
    work: Path, ask: Ask, packed: bool
) -> None:
    """What shares its first commit is the same project, loose or packed, with deltas or without."""
    real = repository(work / "private", ORIGIN)
    for number in range(30):
        text = f"change {number} of the same long message " * 20
        git(real, "commit", "-q", "--allow-empty", "-m", text)
    if packed:
        git(real, "gc", "-q", "--aggressive")
    assert ask(real) == Resolved("private", "git")
    git(work, "clone", "-q", "--no-local", str(real), "second")
    git(work / "second", "remote", "set-url", "origin", ORIGIN)
    git(work / "second", "commit", "-q", "--allow-empty", "-m", "of the clone")
    assert ask(work / "second") == Resolved("private", "git")
    git(real, "worktree", "add", "-q", "--detach", str(work / "tree"))
    assert ask(work / "tree") == Resolved("private", "git")
    (work / "elsewhere").mkdir()
    # As over to another disk: another directory at another path.
    shutil.copytree(work / "second", work / "elsewhere" / "copied")
    shutil.rmtree(work / "second")
    os.utime(work / "elsewhere" / "copied" / ".git" / "description", (1, 1))
    assert ask(work / "elsewhere" / "copied") == Resolved("private", "git")
    assert history(work / "elsewhere" / "copied").root() == history(real).root()


def test_a_store_from_before_learns_the_beginning_where_the_person_works(
    work: Path, ask: Ask, store: Store
) -> None:
    """Places that were noted without a history keep their project, and clones of them come in."""
    real = sketched(work / "private", ORIGIN, "first")
    ask(real)
    with store.database.writing("me") as connection:
        connection.execute("DELETE FROM place WHERE place LIKE 'root:%'")
    assert ask(real) == Resolved("private", "git")
    assert ask(sketched(work / "clone", ORIGIN, "first")) == Resolved("private", "git")


def test_a_repository_without_commits_is_known_once_it_has_one(work: Path, ask: Ask) -> None:
    """`git init`, a session, the first commit, a clone: one project."""
    real = sketched(work / "private", ORIGIN)
    assert ask(real).project == "private"
    committed(real / ".git", "first")
    assert ask(real).project == "private"
    assert ask(sketched(work / "clone", ORIGIN, "first")) == Resolved("private", "git")


def test_a_shallow_clone_cannot_show_its_beginning_and_is_asked_about(
    work: Path, ask: Ask, store: Store
) -> None:
    """What was cut off is not guessed: it is a project of its own until a person says otherwise."""
    real = repository(work / "private", ORIGIN)
    git(real, "commit", "-q", "--allow-empty", "-m", "second")
    ask(real)
    git(work, "clone", "-q", "--depth", "1", f"file://{real}", "shallow")
    git(work / "shallow", "remote", "set-url", "origin", ORIGIN)
    assert history(work / "shallow").root() == UNKNOWABLE
    assert ask(work / "shallow") == Resolved("private-2", "git", "private")
    keep_apart(work / "shallow", {}, store, "me")
    assert ask(work / "shallow") == Resolved("private-2", "git")


def test_a_history_that_is_too_long_is_not_walked(
    work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No hook waits for a hundred thousand commits; and it is not tried at every prompt."""
    real = sketched(work / "private", ORIGIN, "first")
    monkeypatch.setattr(projects, "_MOST_COMMITS", 1)
    assert history(real).root() == UNKNOWABLE


def test_a_known_project_that_names_another_origin_stays_what_it_was(work: Path, ask: Ask) -> None:
    """A remote that is set to a known project's, without its history, moves nobody over."""
    ask(sketched(work / "private", ORIGIN, "first"))
    other = sketched(work / "mine", "", "mine")
    assert ask(other) == Resolved("mine", "git")
    config = '[core]\n\tbare = false\n[remote "origin"]\n\turl = ' + ORIGIN
    (other / ".git" / "config").write_text(config)
    assert ask(other) == Resolved("mine", "git")


@pytest.mark.parametrize(
    "spoil",
    [b"", b"\xfftOc\0\0\0\2", b"\xfftOc\0\0\0\2" + b"\xff" * 3000, bytes(range(256)) * 9],
)
def test_broken_packs_raise_nothing(work: Path, spoil: bytes) -> None:
    """Whatever lies there instead of objects, the answer is a commit or none."""
    odd = sketched(work / "odd", ORIGIN)
    (odd / ".git" / "refs" / "heads" / "main").write_text("ab" * 20)
    packs = odd / ".git" / "objects" / "pack"
    packs.mkdir()
    (packs / "pack-x.idx").write_bytes(spoil)
    (packs / "pack-x.pack").write_bytes(spoil or b"PACK")
    assert history(odd).root() == UNKNOWABLE
    assert not history(odd).holds("ff" * 20)


def test_no_hook_and_no_program_of_a_foreign_folder_is_run(work: Path, ask: Ask) -> None:
    """Git is read, never run: neither hooks nor a config can start anything."""
    evil, ran = repository(work / "evil", ORIGIN), work / "ran"
    line = f"#!/bin/sh\ntouch {ran}\n"
    for name in ("post-checkout", "reference-transaction", "fsmonitor"):
        hook = evil / ".git" / "hooks" / name
        hook.parent.mkdir(exist_ok=True)
        hook.write_text(line)
        hook.chmod(0o755)
    git(evil, "config", "core.fsmonitor", str(evil / ".git" / "hooks" / "fsmonitor"))
    assert ask(evil).project == "private"
    assert not ran.exists()
    # Control: git itself would run it.
    git(evil, "status")
    assert ran.exists()

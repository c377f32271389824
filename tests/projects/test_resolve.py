"""Which project is at hand: one answer for every folder of a repository, wherever one stands."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import apsw
import pytest

from projects.repos import git, repository, sketched
from readonly import read_only
from saegim.errors import BadInput
from saegim.projects import MARKERS, Resolved, project_of
from saegim.store.database import Database
from saegim.store.migrate import migrate, steps
from saegim.store.store import Store

SECRET = "hunter2TOKEN"
SPACED = "홍 길동 (회사)"
Ask = Callable[..., str]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A store in which places are noted."""
    (tmp_path / "data").mkdir()
    opened = Store(tmp_path / "data" / "store.db", synchronous="OFF")
    yield opened
    opened.close()


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """A folder for repositories: a plain folder, and no project."""
    folder = tmp_path / "work"
    folder.mkdir()
    return folder


@pytest.fixture
def ask(store: Store) -> Ask:
    """Ask which project a folder is."""

    def asked(folder: Path, environment: Mapping[str, str] | None = None) -> str:
        return project_of(folder, environment or {}, store=store).project

    return asked


def noted(store: Store) -> list[tuple[str, str]]:
    """Return every place that was noted, and as what."""
    return store.database.rows("SELECT place, project FROM place ORDER BY place")


def version(watcher: apsw.Connection) -> int:
    """Return a number that grows whenever another connection has committed."""
    return int(watcher.pragma("data_version"))


# -- the matrix -----------------------------------------------------------------------------------


@pytest.mark.parametrize("origin", ["", "git@github.com:acme/{name}.git"])
@pytest.mark.parametrize("name", ["aurora", SPACED])
def test_every_folder_of_a_repository_is_one_project(
    work: Path, ask: Ask, name: str, origin: str
) -> None:
    """U13.1, U15.2: main checkout, two worktrees, a subfolder and a renamed folder are one."""
    main = repository(work / name, origin.format(name=name))
    inner = main / "src" / "깊은 곳"
    inner.mkdir(parents=True)
    for tree in ("tree one", "나무 둘"):
        git(main, "worktree", "add", "-q", "--detach", str(work / tree))
    folders = [main, inner, main / ".git", work / "tree one", work / "나무 둘"]
    assert {ask(each) for each in folders} == {name}
    main.rename(work / "renamed")
    # The worktrees still point to where the main checkout was.
    trees = [work / "tree one", work / "나무 둘"]
    assert {ask(each) for each in (work / "renamed", work / "renamed" / "src", *trees)} == {name}
    (work / "elsewhere").mkdir()
    moved = Path(shutil.move(work / "renamed", work / "elsewhere" / "moved"))
    git(moved, "worktree", "repair", *map(str, trees))
    assert {ask(each) for each in (moved, moved / "src", *trees)} == {name}
    assert ask(work) == ""


def test_without_the_registry_a_renamed_folder_would_be_another_project(work: Path) -> None:
    """U13.1 control: it is the noted places that keep the name, not the folder."""
    main = repository(work / "aurora")
    assert project_of(main, {}).project == "aurora"
    main.rename(work / "renamed")
    assert project_of(work / "renamed", {}).project == "renamed"


def test_the_home_folder_is_no_project_even_if_it_is_a_repository(tmp_path: Path, ask: Ask) -> None:
    """U13.1: notes made at home belong to all projects; a repository below it is one."""
    home = repository(tmp_path / "house")
    (home / "CLAUDE.md").touch()
    (home / "Downloads").mkdir()
    inner = repository(home / "aurora")
    for name in ("HOME", "USERPROFILE"):
        assert ask(home, {name: str(home)}) == ""
        assert ask(home / "Downloads", {name: str(home)}) == ""
        assert ask(inner, {name: str(home)}) == "aurora"
    # Control: to everyone else it is a repository like any other.
    assert ask(home / "Downloads", {"HOME": str(tmp_path)}) == "house"


def test_the_root_and_the_temporary_folder_are_no_project(tmp_path: Path, ask: Ask) -> None:
    """U13.1: what lies at the top of a disk says nothing about what is being worked on."""
    assert ask(Path(tmp_path.anchor)) == ""
    (tmp_path / "Makefile").touch()
    (tmp_path / "below").mkdir()
    assert ask(tmp_path / "below", {"TMPDIR": str(tmp_path)}) == ""
    assert ask(tmp_path / "below") != ""


def test_a_submodule_is_its_own_project(work: Path, ask: Ask) -> None:
    """U13.1: what has its own history is its own project."""
    library = repository(work / "library")
    outer = repository(work / "outer")
    git(outer, "submodule", "add", "-q", str(library), "vendor/library")
    inner = outer / "vendor" / "library"
    assert ask(outer) == "outer"
    assert ask(outer / "vendor") == "outer"
    # It was cloned from the library beside it: one project.
    assert ask(inner) == ask(library) == "library"
    git(inner, "remote", "set-url", "origin", "https://example.org/other/thing.git")
    assert ask(inner) == "library"
    git(inner, "worktree", "add", "-q", str(work / "tree"))
    assert ask(work / "tree") == "library"


# -- the order ------------------------------------------------------------------------------------


def test_what_is_named_comes_before_what_is_found(work: Path, store: Store) -> None:
    """U13.1: the name, the environment, the folder a session began in, git, then the folder."""
    begun, here, plain = repository(work / "begun"), repository(work / "here"), work / "plain"
    plain.mkdir()
    (plain / "package.json").touch()
    environment = {"SAEGIM_PROJECT": "set", "CLAUDE_PROJECT_DIR": str(begun)}
    asked = [
        project_of(here, environment, explicit="said", store=store),
        project_of(here, environment, store=store),
        project_of(here, {"CLAUDE_PROJECT_DIR": str(begun)}, store=store),
        project_of(here, {}, store=store),
        project_of(plain, {}, store=store),
        project_of(work, {}, store=store),
        project_of(None, {}, store=store),
    ]
    assert asked == [
        Resolved("said", "explicit"),
        Resolved("set", "environment"),
        Resolved("begun", "environment"),
        Resolved("here", "git"),
        Resolved("plain", "folder"),
        Resolved("", "none"),
        Resolved("", "none"),
    ]


def test_an_empty_name_means_all_projects(work: Path) -> None:
    """U13.1: whoever says that there is no project is believed, in any folder."""
    here = repository(work / "here")
    assert project_of(here, {}, explicit="") == Resolved("", "explicit")
    assert project_of(here, {"SAEGIM_PROJECT": ""}) == Resolved("", "environment")
    # A folder that is not there decides nothing.
    assert project_of(here, {"CLAUDE_PROJECT_DIR": str(work / "gone")}).project == "here"
    for given in ({"explicit": "a*b"}, {"explicit": " a"}):
        with pytest.raises(BadInput, match="project"):
            project_of(here, {}, **given)
    with pytest.raises(BadInput, match="project"):
        project_of(here, {"SAEGIM_PROJECT": "../x"})


@pytest.mark.parametrize("marker", MARKERS)
def test_a_marked_folder_is_a_project_and_a_plain_one_is_not(
    work: Path, ask: Ask, marker: str
) -> None:
    """U13.1: the nearest folder with a project file decides; Downloads is no project."""
    inner = work / "노트 (초안)" / "a" / "b"
    inner.mkdir(parents=True)
    assert ask(inner) == ""
    (work / "노트 (초안)" / marker).touch()
    assert ask(inner) == "노트 (초안)"


def test_a_symlink_leads_to_the_project_behind_it(work: Path, ask: Ask) -> None:
    """U13.1: the way one came does not matter."""
    main = repository(work / "aurora")
    (main / "src").mkdir()
    (work / "link").symlink_to(main / "src")
    assert ask(work / "link") == ask(main) == "aurora"


# -- recognising ----------------------------------------------------------------------------------


def test_two_of_the_same_name_stay_apart(work: Path, ask: Ask) -> None:
    """U13.1: a name belongs to one project; the next one is numbered, and keeps its number."""
    first, second, third = (sketched(work / each / "App") for each in "abc")
    (work / "c" / "App").rename(work / "c" / "app")
    assert [ask(first), ask(second), ask(third.with_name("app"))] == ["App", "App-2", "app-3"]
    assert [ask(second), ask(first)] == ["App-2", "App"]


def test_two_clones_of_one_origin_are_one_project(work: Path, ask: Ask, store: Store) -> None:
    """U13.1: however it was cloned; and no address, password or path is kept."""
    urls = (
        f"https://me:{SECRET}@github.com/acme/aurora.git",
        "git@github.com:Acme/Aurora.git",
        f"ssh://{SECRET}@github.com:22/acme/aurora/",
    )
    clones = [sketched(work / f"clone{at}", url, "first") for at, url in enumerate(urls)]
    assert {ask(each) for each in clones} == {"aurora"}
    assert ask(sketched(work / "clone9", "git@gitlab.com:acme/aurora.git")) == "aurora-2"
    store.close()
    kept = b"".join(file.read_bytes() for file in store.path.parent.iterdir() if file.is_file())
    assert b"aurora" in kept
    for word in (SECRET, "github.com", "acme", "clone0", str(work)):
        assert word.encode() not in kept


def test_a_changed_remote_keeps_the_project(work: Path, ask: Ask) -> None:
    """U13.1: a repository that got an origin, or moved to another host, is still the same."""
    main = repository(work / "aurora")
    assert ask(main) == "aurora"
    git(main, "remote", "add", "origin", "https://one.example/acme/borealis.git")
    assert ask(main) == "aurora"
    git(main, "remote", "set-url", "origin", "https://two.example/acme/australis.git")
    assert ask(main) == "aurora"
    git(work, "clone", "-q", str(main), "clone")
    git(work / "clone", "remote", "set-url", "origin", "https://one.example/acme/borealis.git")
    assert ask(work / "clone") == "aurora"


def test_another_repository_at_the_same_path_is_another_project(work: Path, ask: Ask) -> None:
    """U13.1: a path that was used before does not mix two projects."""
    here = work / "app"
    assert ask(sketched(here, "https://example.org/acme/aurora.git", "one")) == "aurora"
    shutil.rmtree(here)
    assert ask(sketched(here, "https://example.org/acme/lighthouse.git", "two")) == "lighthouse"
    shutil.rmtree(here)
    assert ask(sketched(here, "https://example.org/acme/aurora.git", "one")) == "aurora"


def test_a_path_that_was_left_and_used_again_is_another_project(work: Path, ask: Ask) -> None:
    """U13.1: who starts anew beside a renamed repository mixes nothing."""
    assert ask(sketched(work / "app")) == "app"
    (work / "app").rename(work / "app-old")
    assert ask(work / "app-old") == "app"
    assert ask(sketched(work / "app")) == "app-2"
    assert [ask(work / each) for each in ("app-old", "app")] == ["app", "app-2"]
    # As on another machine: the same path, another directory, and nobody else has it.
    shutil.copytree(work / "app", work / "copy")
    shutil.rmtree(work / "app")
    (work / "copy").rename(work / "app")
    os.utime(work / "app" / ".git" / "description", (1, 1))
    assert ask(work / "app") == "app-2"


def test_a_marked_folder_that_becomes_a_repository_stays_the_project(work: Path, ask: Ask) -> None:
    """U13.1: `git init` changes nothing about what is being worked on."""
    plain = work / "notes"
    plain.mkdir()
    (plain / "AGENTS.md").touch()
    assert ask(plain) == "notes"
    git(plain, "init", "-q")
    assert ask(plain) == "notes"


def test_a_git_file_that_names_a_project_is_not_in_it(work: Path, ask: Ask) -> None:
    """U13.1: also a path at which a known project was does not let a stranger into it."""
    main = repository(work / "private", "git@github.com:me/private.git")
    git(main, "worktree", "add", "-q", "--detach", str(work / "tree"))
    assert ask(main) == ask(work / "tree") == "private"
    targets = (main / ".git", main / ".git" / "worktrees" / "tree")
    for at, target in enumerate(targets):
        (work / f"evil{at}").mkdir()
        (work / f"evil{at}" / ".git").write_text(f"gitdir: {target}\n")
        assert ask(work / f"evil{at}") == f"evil{at}"
    main.rename(work / "moved")
    (work / "evil9").mkdir()
    (work / "evil9" / ".git").write_text(f"gitdir: {targets[1]}\n")
    assert ask(work / "evil9") == "evil9"
    assert ask(work / "tree") == "private", "it was seen while its main checkout was there"
    # Another repository where the worktree was is another project.
    shutil.rmtree(work / "tree")
    assert ask(sketched(work / "tree")) == "tree"


def test_users_do_not_share_their_places(work: Path, store: Store) -> None:
    """U13.1: a user is a wall, also around the names of projects."""
    here = sketched(work / "app")
    there = sketched(work / "other" / "app")
    assert project_of(here, {}, store=store, user="minji").project == "app"
    assert project_of(there, {}, store=store, user="hyunwoo").project == "app"
    assert project_of(there, {}, store=store, user="minji").project == "app-2"


@pytest.mark.parametrize(
    "folder", ["/no/such/folder/anywhere", "a\x00b", "x" * 5000, "", "~nobody-"]
)
def test_an_odd_folder_is_no_project(
    ask: Ask, folder: str, work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """U13.1: where one cannot stand there is no project, and nothing raises."""
    monkeypatch.chdir(work)
    assert ask(Path(folder)) == ""


def test_broken_repositories_are_known_by_their_folder(work: Path, ask: Ask) -> None:
    """U13.1: a `.git` that says nothing still marks a project."""
    (work / "torn").mkdir()
    (work / "torn" / ".git").write_bytes(b"\xff\x00 torn")
    assert ask(work / "torn") == "torn"
    long = work / ("길" * 80)
    (long / ".git").mkdir(parents=True)
    assert ask(long) == long.name


# -- the store ------------------------------------------------------------------------------------


def test_only_the_first_sight_writes(work: Path, store: Store, ask: Ask) -> None:
    """U13.1: asking takes no write lock and leaves the file alone, once a place is known."""
    main = repository(work / "aurora", "git@github.com:acme/aurora.git")
    git(main, "worktree", "add", "-q", "--detach", str(work / "tree"))
    main = main.rename(work / "moved")
    plain = work / "plain"
    plain.mkdir()
    (plain / "Makefile").touch()
    places = [main, plain, work / "tree"]
    watcher = apsw.Connection(str(store.path))
    before = version(watcher)
    names = [ask(each) for each in places]
    seen = version(watcher)
    assert seen != before
    assert [ask(each) for _ in range(3) for each in places] == 3 * names
    assert version(watcher) == seen
    watcher.execute("BEGIN IMMEDIATE")
    assert [ask(each) for each in places] == names
    watcher.close()


def test_a_busy_store_is_not_waited_for(work: Path, store: Store, ask: Ask) -> None:
    """U13.1: who cannot note a place is told its name all the same, and notes it later."""
    assert ask(sketched(work / "a" / "app")) == "app"
    held = noted(store)
    writer = apsw.Connection(str(store.path))
    writer.execute("BEGIN IMMEDIATE")
    other = sketched(work / "b" / "app")
    assert ask(other) == "app-2"
    writer.execute("ROLLBACK")
    writer.close()
    assert noted(store) == held
    assert ask(other) == "app-2"
    assert noted(store) != held


def test_a_store_that_can_only_be_read_still_answers(work: Path, tmp_path: Path) -> None:
    """U13.1, R-10: known places keep their names, new ones get theirs, nothing is written."""
    known, fresh = sketched(work / "a" / "app"), sketched(work / "b" / "app")
    (tmp_path / "shelf").mkdir()
    path = tmp_path / "shelf" / "store.db"
    opened = Store(path)
    project_of(known, {}, store=opened)
    known.rename(work / "a" / "renamed")
    opened.close()
    with read_only(path.parent) as folder:
        store = Store(folder / "store.db")
        assert project_of(work / "a" / "renamed", {}, store=store).project == "app"
        assert project_of(fresh, {}, store=store).project == "app-2"
        assert store.warnings == []
        store.close()


def test_an_older_store_that_can_only_be_read_still_answers(work: Path, tmp_path: Path) -> None:
    """U13.1, R-10: a store without the registry is no reason to fail, nor called damaged."""
    (tmp_path / "shelf").mkdir()
    older = Database(tmp_path / "shelf" / "store.db")
    migrate(older, to=steps()[:4])
    older.close()
    with read_only(tmp_path / "shelf") as folder:
        store = Store(folder / "store.db")
        assert project_of(sketched(work / "app"), {}, store=store).project == "app"
        assert store.projects.places("me", "app") == []
        assert store.projects.all("me") == []
        assert store.warnings == []
        store.close()


_CHILD = """
import json, sys
from pathlib import Path
from saegim.projects import project_of
from saegim.store.store import Store
store = Store(Path(sys.argv[1]))
print("ready", flush=True)
folders = json.loads(sys.stdin.readline())
print(json.dumps([project_of(Path(each), {}, store=store).project for each in folders]))
store.close()
"""


def test_two_processes_that_come_first_together_give_one_name(work: Path, store: Store) -> None:
    """U13.1: of two repositories called the same, each gets one name, whoever is quicker."""
    places = [sketched(work / f"{at}" / f"app{at // 2}") for at in range(24)]
    children = [
        subprocess.Popen(
            [sys.executable, "-c", _CHILD, str(store.path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    for child in children:
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
    # One of them goes through the pairs the other way round.
    orders = [list(places), [places[at ^ 1] for at in range(24)]]
    for child, order in zip(children, orders, strict=True):
        assert child.stdin is not None
        child.stdin.write(json.dumps([os.fspath(each) for each in order]) + "\n")
        child.stdin.flush()
    said = [json.loads(child.communicate(timeout=240)[0]) for child in children]
    named = [
        dict(zip(order, names, strict=True)) for order, names in zip(orders, said, strict=True)
    ]
    assert named[0] == named[1]
    assert len(set(named[0].values())) == 24

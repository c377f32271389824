"""Moving memories between projects, merging projects, and taking both back exactly."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from projects.repos import sketched
from saegim import Saegim
from saegim import project_memories as module
from saegim.errors import BadInput, NotFound, StoreFull
from saegim.memory.changes import Archived, Change, Dozed, Quarantined
from saegim.projects import project_of
from saegim.store.commit import Batch, Committed

SECRET = "오로라PROJECT"


def commit(memory: Saegim, *changes: Change) -> None:
    """Make changes true that no verb makes at once."""
    mind = memory.mind
    mind.store.commit(Batch("me", changes, actor="me", at=mind.now()))


def filled(memory: Saegim, project: str = SECRET) -> dict[str, str]:
    """Fill a project with a memory in every state; return their ids by state."""
    room = memory.within(project=project)
    states = "active dormant leaving forgotten quarantined superseded".split()
    ids = {state: room.remember(f"{state} note about the harbour").id for state in states}
    memory.update(ids["superseded"], "what holds now about the harbour")
    memory.forget(ids["leaving"], ids["forgotten"])
    commit(
        memory,
        Dozed(ids["dormant"]),
        Quarantined(ids["quarantined"]),
        Archived(ids["forgotten"], memory.mind.now()),
    )
    return ids


def exported(memory: Saegim, folder: Path) -> bytes:
    """Return the bytes of an export."""
    memory.export_to(folder / "export.jsonl")
    return (folder / "export.jsonl").read_bytes()


def everything(memory: Saegim) -> dict[str, list[Any]]:
    """Return every row of memories, the archive and places, also of what no export holds."""
    read = memory.mind.store.database.rows
    return {
        table: read(f"SELECT * FROM {table} ORDER BY 1, 2")
        for table in ("memory", "archive", "place")
    }


def homes(memory: Saegim) -> set[str]:
    """Return which projects hold memories, in whatever state."""
    rows = memory.mind.store.database.rows("SELECT DISTINCT project FROM memory")
    return {row[0] for row in rows}


# -- the list -------------------------------------------------------------------------------------


def test_the_list_counts_what_lives(memory: Saegim, tmp_path: Path) -> None:
    """U13.3: every project with its living memories and its last one; also one only seen so far."""
    filled(memory)
    memory.remember("for all of them")
    project_of(sketched(tmp_path / "quiet"), {}, store=memory.mind.store)
    now = memory.mind.now()
    assert memory.maintenance.projects.all() == [("", 1, now), ("quiet", 0, None), (SECRET, 3, now)]
    assert memory.within(user="other").maintenance.projects.all() == []


# -- moving ---------------------------------------------------------------------------------------


def test_a_memory_moves_with_its_versions_and_comes_back(memory: Saegim, tmp_path: Path) -> None:
    """U13.3: it is found there and no longer here; undone, the export is the same to the byte."""
    room, there = memory.within(project="a"), memory.within(project="b")
    first = room.remember("Deploy with make ship").id
    kept = memory.update(first, "Deploy with make harbour")
    room.remember("An unrelated note about lamps")
    before, rows = exported(memory, tmp_path), everything(memory)
    done = memory.maintenance.projects.move(first, to="b")
    assert (done.count, dict(done.memories), done.done) == (2, {"a": 2}, True)
    assert {memory.get(id, exact=True).scope.project for id in (first, kept.id)} == {"b"}
    assert [hit.memory.id for hit in there.recall("deploy").hits] == [kept.id]
    assert room.search("Deploy") == []
    assert [entry.change for entry in memory.history(first).entries].count("Rehomed") == 2
    assert exported(memory, tmp_path) != before
    undone = memory.nights.undo(done.id)
    assert (dict(undone.taken_back), undone.left) == ({"Rehomed": 2}, 0)
    assert (exported(memory, tmp_path), everything(memory)) == (before, rows)
    memory.nights.undo(undone.maker)
    assert memory.get(kept.id).scope.project == "b"
    memory.maintenance.verify()


def test_a_preview_changes_nothing(memory: Saegim) -> None:
    """U13.3: what would move is said, and not a line is written."""
    ids = filled(memory)
    memory.remember("already for all", project="")
    head, rows = memory.maintenance.verify(), everything(memory)
    projects = memory.maintenance.projects
    would = projects.move(ids["active"], to="", dry_run=True)
    assert (would.id, would.count, would.done) == ("", 1, False)
    would = projects.merge(SECRET, "b", dry_run=True)
    assert (would.id, would.count, would.done) == ("", 7, False)
    assert (memory.maintenance.verify(), everything(memory)) == (head, rows)


def test_what_is_there_already_is_not_moved(memory: Saegim) -> None:
    """U13.3: nothing to do is no act that could be taken back."""
    id = memory.within(project="a").remember("harbour").id
    head = memory.maintenance.verify()
    done = memory.maintenance.projects.move(id, to="a")
    assert (done.id, done.count, done.done) == ("", 0, True)
    assert memory.maintenance.verify() == head


def test_a_handle_names_a_memory_and_the_empty_name_all_projects(memory: Saegim) -> None:
    """U13.3: any way to name a memory will do; for all projects is a place to move to."""
    room = memory.within(project="a")
    room.remember("The harbour lamp is green")
    handle = memory.context("harbour lamp").cards[0].handle
    memory.maintenance.projects.move(handle, to="")
    assert memory.within(project="b").recall("harbour lamp").hits


def test_a_memory_that_moved_on_stays_where_it_is(memory: Saegim) -> None:
    """U13.3: undoing an older move does not take back a newer one."""
    id = memory.within(project="a").remember("harbour").id
    first = memory.maintenance.projects.move(id, to="b")
    second = memory.maintenance.projects.move(id, to="c")
    memory.nights.undo(first.id)
    assert memory.get(id).scope.project == "c"
    memory.nights.undo(second.id)
    assert memory.get(id).scope.project == "b"


@pytest.mark.parametrize(
    ("act", "error"),
    [
        (lambda projects: projects.move("mem_missing", to="b"), NotFound),
        (lambda projects: projects.move(to="b"), BadInput),
        (lambda projects: projects.move("mem_missing", to="a*b"), BadInput),
        (lambda projects: projects.merge("nowhere", "b"), NotFound),
        (lambda projects: projects.merge("", "b"), BadInput),
        (lambda projects: projects.merge("a", "a"), BadInput),
        (lambda projects: projects.merge("a", "../b"), BadInput),
    ],
)
def test_what_cannot_be_moved_is_refused(
    memory: Saegim, act: Callable[[Any], object], error: type[Exception]
) -> None:
    """U13.3: bad names and missing things are named, and nothing is changed."""
    memory.within(project="a").remember("harbour")
    head = memory.maintenance.verify()
    with pytest.raises(error):
        act(memory.maintenance.projects)
    assert memory.maintenance.verify() == head


# -- merging --------------------------------------------------------------------------------------


def test_a_merge_takes_everything_and_undo_gives_it_back(memory: Saegim, tmp_path: Path) -> None:
    """U13.3: every state moves, places too; undone, export and rows are the same to the byte."""
    store = memory.mind.store
    folder, other = sketched(tmp_path / SECRET), sketched(tmp_path / "b")
    assert [project_of(each, {}, store=store).project for each in (folder, other)] == [SECRET, "b"]
    filled(memory)
    memory.within(project="b").remember("the lighthouse has a keeper")
    rows = everything(memory)
    done = memory.maintenance.projects.merge(SECRET, "b")
    assert (done.count, done.places) == (7, 2)
    assert homes(memory) == {"b"}
    assert project_of(folder, {}, store=store).project == "b"
    assert memory.within(project="b").recall("active note harbour").hits
    memory.restore(next(row[2] for row in rows["memory"] if row[2] and "forgotten" in str(row)))
    undone = memory.nights.undo(done.id)
    assert undone.left == 0
    assert project_of(folder, {}, store=store).project == SECRET
    assert project_of(other, {}, store=store).project == "b"
    assert homes(memory) == {SECRET, "b"}
    memory.maintenance.verify()


def test_an_undone_merge_leaves_no_trace_but_in_the_ledger(memory: Saegim, tmp_path: Path) -> None:
    """U13.3: rows, archive and places are what they were; the ledger has lines without words."""
    project_of(sketched(tmp_path / SECRET), {}, store=memory.mind.store)
    filled(memory)
    before, rows = exported(memory, tmp_path), everything(memory)
    length, _ = memory.maintenance.verify()
    done = memory.maintenance.projects.merge(SECRET, "두번째SECRET")
    # Control: the comparison does see a merge that was not taken back.
    assert exported(memory, tmp_path) != before
    assert everything(memory) != rows
    memory.nights.undo(done.id)
    assert (exported(memory, tmp_path), everything(memory)) == (before, rows)
    entries = list(memory.mind.store.ledger.entries(memory.scope, since=length))
    assert {entry.change for entry in entries} == {"Rehomed"}
    told = repr(entries)
    assert SECRET not in told
    assert "두번째SECRET" not in told
    assert memory.maintenance.verify()[0] == length + len(entries) == length + 18


def test_a_merge_into_a_new_name_renames_a_project(memory: Saegim, tmp_path: Path) -> None:
    """U13.3: the folder bears the new name from then on, also after it is renamed itself."""
    store = memory.mind.store
    folder = sketched(tmp_path / "old")
    assert project_of(folder, {}, store=store).project == "old"
    done = memory.maintenance.projects.merge("old", "new")
    assert (done.count, done.places) == (0, 2)
    folder.rename(tmp_path / "third")
    assert project_of(tmp_path / "third", {}, store=store).project == "new"
    # The name is free again for another folder.
    assert project_of(sketched(tmp_path / "old"), {}, store=store).project == "old"


def test_a_project_can_be_given_up(memory: Saegim, tmp_path: Path) -> None:
    """U13.3: merged into all projects, its folder is none any more."""
    store = memory.mind.store
    folder = sketched(tmp_path / "sandbox")
    project_of(folder, {}, store=store)
    memory.maintenance.projects.merge("sandbox", "")
    assert project_of(folder, {}, store=store).project == ""


class Parts:
    """The commits of a store: how large each was, and which of them finds no room."""

    def __init__(self, memory: Saegim) -> None:
        self._real = memory.mind.store.commit
        self.sizes: list[int] = []
        self.full_at = -1

    def commit(self, batch: Batch, **more: Any) -> Committed:
        """Commit for real, unless the disk is full by now."""
        if len(self.sizes) == self.full_at:
            raise StoreFull("No room left.", next_step="Free some.")
        self.sizes.append(len(batch.changes))
        return self._real(batch, **more)


@pytest.fixture
def parts(memory: Saegim, monkeypatch: pytest.MonkeyPatch) -> Parts:
    """Eight memories in a project, of which three are moved in one commit."""
    for number in range(8):
        memory.within(project="a").remember(f"harbour note number {number}")
    watched = Parts(memory)
    monkeypatch.setattr(module, "_AT_ONCE", 3)
    monkeypatch.setattr(memory.mind.store, "commit", watched.commit)
    return watched


def test_a_merge_goes_in_parts_that_others_can_wait_for(memory: Saegim, parts: Parts) -> None:
    """U13.3: however much a project holds, no commit is large, and one name takes all back."""
    done = memory.maintenance.projects.merge("a", "b")
    assert parts.sizes == [3, 3, 2]
    assert memory.nights.undo(done.id).taken_back == {"Rehomed": 8}
    assert homes(memory) == {"a"}


def stopped(memory: Saegim, parts: Parts, *, after: int) -> str:
    """Let the disk be full after so many commits of a merge; return what the error advises."""
    parts.sizes.clear()
    parts.full_at = after
    with pytest.raises(StoreFull) as caught:
        memory.maintenance.projects.merge("a", "b")
    parts.full_at = -1
    return caught.value.next_step


def test_a_merge_that_stops_half_way_can_be_taken_back_or_finished(
    memory: Saegim, parts: Parts
) -> None:
    """U13.3: the error says under which name; asked again, the rest follows."""
    assert "undo" not in stopped(memory, parts, after=0)
    said = stopped(memory, parts, after=2)
    assert homes(memory) == {"a", "b"}
    memory.nights.undo(said.partition("saegim undo ")[2].partition("`")[0])
    assert homes(memory) == {"a"}
    stopped(memory, parts, after=1)
    assert memory.maintenance.projects.merge("a", "b").count == 5
    assert homes(memory) == {"b"}


def test_an_erased_memory_does_not_come_back_with_an_undo(memory: Saegim) -> None:
    """U13.3, U26: what was erased after a merge stays erased, and the rest comes back."""
    room = memory.within(project="a")
    gone, stays = room.remember("harbour one").id, room.remember("lamp two").id
    done = memory.maintenance.projects.merge("a", "b")
    memory.forgetting.erase(gone, confirm=True, by="me")
    memory.nights.undo(done.id)
    assert memory.get(stays).scope.project == "a"
    rows = memory.mind.store.database.rows("SELECT text, project FROM memory WHERE id = ?", (gone,))
    assert rows == [(None, "")]

"""Reading in and writing out: nothing twice, nothing overwritten, nothing hidden."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from saegim import Saegim
from saegim.engines.hashed import Hashed
from saegim.errors import BadInput, NotFound, StoreReadOnly
from saegim.importers import intake
from saegim.importers.flow import Intake
from saegim.importers.jsonl import JsonlRecord, Problem, compact
from saegim.memory.changes import Change, Erased, Linked, Saved, Written
from saegim.memory.entities import REFERS_TO, SUPERSEDES, Entity, Link, Page
from saegim.memory.memory import Life, Memory, Origin, Provenance, Scope, State, Time, Worth
from saegim.memory.record import to_record
from saegim.store.commit import Batch
from stand_ins import wait_until

AT = datetime(2026, 5, 4, 9, 30, tzinfo=UTC)
HEADER = '{"saegim":"export","version":1}'

BATCH = 60


@pytest.fixture(autouse=True)
def _small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """What holds across two batches holds across two small ones."""
    monkeypatch.setattr(intake, "BATCH", BATCH)


def told(number: int, text: str = "", **fields: Any) -> Memory:
    """A memory of its own number."""
    at = AT + timedelta(minutes=number)
    held = {
        "id": f"mem_{number}",
        "scope": Scope("me"),
        "text": text or f"memory number {number}",
        "time": Time(happened_at=at, recorded_at=at),
    }
    return Memory(**{**held, **fields})


def commit(memory: Saegim, *changes: Change) -> None:
    """Make changes true, as any part of the house may."""
    mind = memory.mind
    mind.store.commit(Batch(memory.scope.user, changes, "test", mind.now()))


def file_of(path: Path, *values: Any) -> Path:
    """Write an export that holds these values."""
    nouns = {Memory: "memory", Link: "link", Entity: "entity", Page: "page"}
    lines = [compact({nouns[type(value)]: to_record(value)}) for value in values]
    path.write_text("\n".join([HEADER, *lines]) + "\n", encoding="utf-8")
    return path


class Distant(Hashed):
    """An embedder that must be asked outside any transaction."""

    local = False
    lexical = False


def fingerprint(folder: Path) -> dict[str, str]:
    """The bytes of every file of a store."""
    return {
        file.name: hashlib.sha256(file.read_bytes()).hexdigest()
        for file in sorted(folder.glob("memory.db*"))
        if not file.name.endswith("-shm")  # the index of the log holds the marks of readers
    }


def test_a_dry_run_says_what_would_happen_and_changes_nothing(
    memory: Saegim, tmp_path: Path
) -> None:
    """A rehearsal gives the report of the real thing and leaves every byte as it was (U24.2)."""
    commit(memory, Saved(told(0)), Saved(told(1, "mine")))
    values: list[Any] = [told(n) for n in range(1, 2 * BATCH)]
    values += [told(5), told(6, "another"), Link(source="mem_1", type=REFERS_TO, target="mem_2")]
    values += [values[-1], Entity(name="민호"), Entity(name="민호"), Page(key="k", kind="island")]
    path = file_of(tmp_path / "in.jsonl", *values)
    before, ledger = fingerprint(tmp_path), memory.maintenance.verify()
    rehearsed = memory.import_from(path, dry_run=True)
    assert fingerprint(tmp_path) == before
    assert memory.maintenance.verify() == ledger
    assert rehearsed.dry_run
    done = memory.import_from(path)
    assert fingerprint(tmp_path) != before
    for name in ("read", "added", "known", "links", "entities", "pages", "problems", "trusted"):
        assert getattr(rehearsed, name) == getattr(done, name), name
    assert (done.added, done.known, done.links, done.entities) == (2 * BATCH - 2, 1, 1, 1)
    assert len(done.conflicts) == len(rehearsed.conflicts) == 2
    assert not done.dry_run


def test_a_memory_of_the_same_id_is_never_overwritten(memory: Saegim, tmp_path: Path) -> None:
    """Other words under a known id are a conflict that names both; what is here stays (U35.2)."""
    commit(memory, Saved(told(1, "차를 좋아한다")))
    report = memory.import_from(file_of(tmp_path / "in.jsonl", told(1, "차를 싫어한다"), told(2)))
    assert report.conflicts == ("line 2: mem_1 is here with another text",)
    assert (report.read, report.added, report.known) == (2, 1, 0)
    assert memory.get("mem_1").text == "차를 좋아한다"


def test_a_life_lived_here_is_no_conflict(memory: Saegim, tmp_path: Path) -> None:
    """Recalls and ratings move on; the memory is still the same one, and keeps them (U24.2)."""
    commit(memory, Saved(told(1, worth=Worth(recalled=7, rating=5), life=Life(pinned=True))))
    report = memory.import_from(file_of(tmp_path / "in.jsonl", told(1)))
    assert (report.known, report.conflicts) == (1, ())
    assert memory.get("mem_1").worth.recalled == 7


def test_a_state_that_differs_is_listed(memory: Saegim, tmp_path: Path) -> None:
    """What was superseded there and holds here is for a person to settle (U35.2)."""
    commit(memory, Saved(told(1)))
    old = told(1, life=Life(state=State.SUPERSEDED))
    report = memory.import_from(file_of(tmp_path / "in.jsonl", old))
    assert report.conflicts == (
        "line 2: mem_1 is here with another state (superseded there, active here)",
    )


def test_what_was_erased_here_does_not_come_back(memory: Saegim, tmp_path: Path) -> None:
    """An old export brings back neither an erased memory nor its ties (attack 33)."""
    commit(memory, Saved(told(1, "비밀")), Saved(told(2)))
    commit(memory, Linked(Link(source="mem_2", type=REFERS_TO, target="mem_1")))
    memory.export_to(tmp_path / "old.jsonl")
    commit(memory, Erased("mem_1"))
    report = memory.import_from(tmp_path / "old.jsonl")
    assert report.conflicts == ("line 2: mem_1 was forgotten here and stays so",)
    assert (report.added, report.links) == (0, 0)
    assert memory.mind.store.links.all(memory.scope) == []
    memory.export_to(tmp_path / "new.jsonl")
    assert "비밀" not in (tmp_path / "new.jsonl").read_text(encoding="utf-8")


def test_two_houses_that_went_apart_become_one(memory: Saegim, tmp_path: Path) -> None:
    """Two stores merge by id in both directions: nothing is lost, nothing doubled (U35.2)."""
    commit(memory, Saved(told(1)), Saved(told(2)))
    memory.export_to(tmp_path / "start.jsonl")
    with Saegim.open(tmp_path / "other.db", clock=memory.mind.clock) as other:
        other.import_from(tmp_path / "start.jsonl")
        commit(memory, Saved(told(3)), Linked(Link(source="mem_3", type=REFERS_TO, target="mem_1")))
        commit(other, Saved(told(4)), Linked(Link(source="mem_4", type=SUPERSEDES, target="mem_9")))
        memory.export_to(tmp_path / "one.jsonl")
        other.export_to(tmp_path / "two.jsonl")
        there = other.import_from(tmp_path / "one.jsonl")
        here = memory.import_from(tmp_path / "two.jsonl")
        assert (there.added, there.known, there.links) == (1, 2, 1)
        assert (here.added, here.known, here.links) == (1, 2, 1)
        everything = [{each.id for each in house.recent(10).memories} for house in (memory, other)]
        assert everything == [{"mem_1", "mem_2", "mem_3", "mem_4"}] * 2
        links = [house.mind.store.links.all(house.scope) for house in (memory, other)]
        assert links[0] == links[1]


def test_ids_times_and_provenance_are_kept(memory: Saegim, tmp_path: Path) -> None:
    """A restored memory is what it was, and it can be found at once (U24.2)."""
    kept = told(1, "홍차와 우유", provenance=Provenance(origin=Origin.WEB, author="a", turn="7"))
    report = memory.import_from(file_of(tmp_path / "in.jsonl", kept))
    assert memory.get("mem_1") == kept
    assert report.trusted == 0
    assert [hit.memory.id for hit in memory.recall("홍차").hits] == ["mem_1"]
    assert memory.mind.store.vectors.waiting(memory.mind.embedder.identity) == 0


def test_the_user_becomes_the_one_who_imports(memory: Saegim, tmp_path: Path) -> None:
    """A memory crosses the wall between people only as the importer's own; rooms stay (U21.1)."""
    theirs = told(1, scope=Scope("someone", "cli", "garden", "s1"))
    memory.import_from(file_of(tmp_path / "in.jsonl", theirs))
    assert memory.get("mem_1").scope == Scope("me", "cli", "garden", "s1")
    assert memory.within(user="someone").recent(10).total == 0


def test_an_export_holds_one_user_only(memory: Saegim, tmp_path: Path) -> None:
    """The wall between people holds for exports, whatever room one looks from (U21.1)."""
    memory.remember("mine", project="garden")
    memory.within(user="other").remember("canary")
    assert memory.within(project="kitchen", agent="cli").export_to(tmp_path / "out.jsonl") == 1
    assert "canary" not in (tmp_path / "out.jsonl").read_text(encoding="utf-8")


def test_trust_is_never_raised_in_silence(memory: Saegim, tmp_path: Path) -> None:
    """A file cannot lift what is here, and what it claims for the new is counted (FAULTS M1)."""
    web, sworn = (Provenance(origin=each) for each in (Origin.WEB, Origin.USER_CONFIRMED))
    commit(memory, Saved(told(1, provenance=web)))
    path = file_of(tmp_path / "in.jsonl", told(1, provenance=sworn), told(2, provenance=sworn))
    assert memory.import_from(path, dry_run=True).trusted == 1
    report = memory.import_from(path)
    assert report.conflicts == ("line 2: mem_1 is here with another provenance.origin",)
    assert report.trusted == 1
    assert memory.get("mem_1").provenance.origin is Origin.WEB


def test_pages_grow_by_their_next_version_only(memory: Saegim, tmp_path: Path) -> None:
    """A page that went another way here is a conflict; a known one is left alone (U35.2)."""
    pages = [Page(key="a", kind="island", body=f"{n}", version=n, written_at=AT) for n in (1, 2)]
    mine = Page(key="b", kind="island", body="mine")
    commit(memory, Written(pages[0]), Written(mine))
    theirs = [Page(key="b", kind="island", body=f"theirs {n}", version=n) for n in (1, 2)]
    report = memory.import_from(file_of(tmp_path / "in.jsonl", *pages, *theirs))
    assert report.pages == 1
    assert report.conflicts == ("line 4: page b, version 1, is here with other words",)
    assert report.problems == ("line 5: version 2 of b does not follow",)
    store = memory.mind.store
    assert [page.body for page in store.pages.of(memory.scope)] == ["1", "2", "mine"]


def test_an_entity_known_otherwise_is_a_conflict(memory: Saegim, tmp_path: Path) -> None:
    """A profile is not overwritten by a file, and the same file twice adds nothing (U24.2)."""
    path = file_of(tmp_path / "in.jsonl", Entity(name="민호", summary="차"))
    assert memory.import_from(path).entities == 1
    again = memory.import_from(path)
    assert (again.entities, again.conflicts) == (0, ())
    other = file_of(tmp_path / "other.jsonl", Entity(name="민호", summary="커피"))
    assert memory.import_from(other).conflicts == (
        f"line 2: {Entity(name='민호').key} is here with another profile",
    )
    assert memory.mind.store.entities.of(memory.scope)[0].summary == "차"


def test_two_imports_at_once_keep_everything_once(memory: Saegim, tmp_path: Path) -> None:
    """Between looking and keeping another process may be faster; nothing is doubled (U24.2)."""
    late = Intake(memory.scope, memory.mind, "jsonl", dry_run=False)
    tie = Link(source="mem_1", type=REFERS_TO, target="mem_2")
    for value in (told(1), told(2), told(3), tie, Page(key="k", kind="island")):
        late.take(JsonlRecord("late", value))
    commit(memory, Saved(told(2)), Saved(told(3, "other words")))
    report = late.finish()
    assert (report.read, report.added, report.known) == (3, 1, 1)
    assert report.conflicts == ("late: mem_3 is here with another text",)
    assert (report.links, report.pages, report.problems) == (1, 1, ())
    assert memory.recent(10).total == 3


def test_problems_are_passed_on(memory: Saegim) -> None:
    """What a reader could not use stands in the report (U8.4)."""
    intake = Intake(memory.scope, memory.mind, "jsonl", dry_run=False)
    intake.take(Problem("line 7", "It is a riddle."))
    assert intake.finish().problems == ("line 7: It is a riddle.",)


def test_repeated_tags_do_not_stop_an_import(memory: Saegim, tmp_path: Path) -> None:
    """A tag that stands twice counts once (U8.4)."""
    path = tmp_path / "in.jsonl"
    record = to_record(told(1)) | {"content": {"tags": ["tea", " tea", "tea"]}}
    path.write_text(f"{HEADER}\n{compact({'memory': record})}\n", encoding="utf-8")
    assert memory.import_from(path).added == 1
    assert memory.get("mem_1").content.tags == ("tea",)
    assert memory.import_from(path).known == 1


def test_the_form_is_read_from_the_path(memory: Saegim, tmp_path: Path) -> None:
    """A file is our export, a folder is seed A's; what is neither is named (U8.4)."""
    file = file_of(tmp_path / "in.jsonl", told(1))
    (tmp_path / "folder" / "sessions").mkdir(parents=True)
    (tmp_path / "empty").mkdir()
    assert memory.import_from(file).form == "jsonl"
    assert memory.import_from(tmp_path / "folder").form == "coordinates"
    for path, form, named in (
        (tmp_path / "empty", "auto", "sessions"),
        (tmp_path / "folder", "jsonl", "is a folder"),
        (file, "coordinates", "is a file"),
        (file, "csv", "'csv'"),
    ):
        with pytest.raises(BadInput, match=named):
            memory.import_from(path, form=form)
    with pytest.raises(BadInput, match="'csv'"):
        memory.export_to(tmp_path / "out", form="csv")
    with pytest.raises(NotFound, match="nowhere"):
        memory.import_from(tmp_path / "nowhere")


def test_the_many_links_of_one_hub_come_back_once(memory: Saegim, tmp_path: Path) -> None:
    """Ties are told apart by their key across batches (U24.2)."""
    ties = [Link(source="hub", type=REFERS_TO, target=f"mem_{n}") for n in range(2 * BATCH + 1)]
    path = file_of(tmp_path / "in.jsonl", *ties, *ties)
    assert memory.import_from(path).links == len(ties)
    assert memory.import_from(path).links == 0
    assert {tie.weight for tie in memory.mind.store.links.all(memory.scope)} == {1.0}


def test_a_store_that_cannot_be_written_is_said_so(memory: Saegim, tmp_path: Path) -> None:
    """A rehearsal works on a store that can only be read; the real thing is refused (U8.4)."""
    path = file_of(tmp_path / "in.jsonl", told(1))
    memory.mind.store.database.readonly = True
    assert memory.import_from(path, dry_run=True).added == 1
    with pytest.raises(StoreReadOnly):
        memory.import_from(path)


def test_a_distant_embedder_is_asked_after_the_import(tmp_path: Path) -> None:
    """An import does not wait for a server; the vectors are filled in behind it (U24.2)."""
    embedder = Distant()
    with Saegim.open(tmp_path / "far.db", embedder=embedder) as memory:
        assert memory.import_from(file_of(tmp_path / "in.jsonl", told(1), told(2))).added == 2
        wait_until(lambda: not memory.mind.store.vectors.waiting(embedder.identity))
        coverage = memory.mind.store.vectors.coverage(embedder.identity)
        assert (coverage.ready, coverage.complete) == (2, True)

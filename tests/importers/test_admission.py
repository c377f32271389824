"""What may come in: secrets masked, orders kept apart, our own export trusted as far as it goes."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

from elsewhere import ORDER, SECRET, as_lines, as_sqlite
from saegim import Saegim
from saegim.importers.jsonl import compact
from saegim.memory.changes import Met
from saegim.memory.entities import Entity
from saegim.memory.memory import Memory, Origin, Provenance, Scope, State, Time
from saegim.memory.record import to_record
from saegim.store.commit import Batch

AT = datetime(2026, 5, 4, 9, 30, tzinfo=UTC)
PHONE = "010-2345-6789"


def told(number: int, text: str) -> Memory:
    """A memory from the web, as an export may hold it."""
    return Memory(
        id=f"mem_{number}",
        scope=Scope("me"),
        text=text,
        time=Time(happened_at=AT, recorded_at=AT),
        provenance=Provenance(origin=Origin.WEB),
    )


def export(path: Path, *values: Memory | Entity) -> Path:
    """Write an export of ours by hand."""
    nouns = {Memory: "memory", Entity: "entity"}
    lines = ['{"saegim":"export","version":1}']
    lines += [compact({nouns[type(each)]: to_record(each)}) for each in values]
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def folder(path: Path, *texts: str) -> Path:
    """Write a folder of coordinates by hand."""
    (path / "sessions").mkdir(parents=True)
    shapes = (
        {
            "memory_id": f"mem_{number}",
            "timestamp": "2024-03-05T09:30:00Z",
            "time": {"session_id": "s"},
            "content": {"response_full": text},
            "relations": {"related_memory_ids": ["mem_0"]},
        }
        for number, text in enumerate(texts)
    )
    as_lines(path / "sessions" / "s.jsonl", shapes)
    return path


def test_our_own_export_keeps_what_its_person_kept(memory: Saegim, tmp_path: Path) -> None:
    """A number kept on purpose comes back; a credential never does; nothing is quarantined."""
    path = export(
        tmp_path / "x.jsonl", told(1, f"call {PHONE}"), told(2, f"key {SECRET}"), told(3, ORDER)
    )
    report = memory.import_from(path)
    assert (report.added, report.masked, report.quarantined) == (3, 1, 0)
    assert memory.get("mem_1").text == f"call {PHONE}"
    assert SECRET not in memory.get("mem_2").text
    assert memory.get("mem_3").life.state is State.ACTIVE
    again = memory.import_from(path)
    assert (again.known, again.masked, again.conflicts) == (3, 0, ())


def test_a_folder_of_another_system_is_screened_in_full(memory: Saegim, tmp_path: Path) -> None:
    """Personal numbers are masked too, orders are kept apart and tie themselves to nothing."""
    path = folder(tmp_path / "f", "first", f"call {PHONE}", ORDER)
    report = memory.import_from(path)
    assert (report.added, report.masked, report.quarantined) == (3, 1, 1)
    assert PHONE not in memory.get("mem_1").text
    assert memory.get("mem_2").life.state is State.QUARANTINED
    links = memory.mind.store.links.all(memory.scope)
    assert {tie.source for tie in links} == {"mem_0", "mem_1"}
    again = memory.import_from(path)
    assert (again.known, again.links, again.conflicts) == (3, 0, ())
    assert memory.mind.store.links.all(memory.scope) == links


def test_what_lies_beside_the_sessions_is_screened_once(memory: Saegim, tmp_path: Path) -> None:
    """The config and the ledger of a folder bring no secret in, and not again and again."""
    path = folder(tmp_path / "f", "first")
    (path / "config.json").write_text(json.dumps({"key": SECRET}), encoding="utf-8")
    (path / "resonance_ledger").mkdir()
    line = {"timestamp": "2024-03-05", "event_type": f"used {SECRET}"}
    as_lines(path / "resonance_ledger" / "ledger-20240305.jsonl", [line])
    memory.import_from(path)
    pages = memory.mind.store.pages.of(memory.scope)
    assert SECRET not in str(pages)
    assert "[secret:" in str(pages)
    assert memory.import_from(path).pages == 0
    assert memory.mind.store.pages.of(memory.scope) == pages


def test_a_room_cannot_be_named_after_a_secret(memory: Saegim, tmp_path: Path) -> None:
    """A name cannot carry a placeholder, so the line is refused and named (M4)."""
    report = memory.import_from(
        export(
            tmp_path / "x.jsonl",
            told(1, "a").evolve(scope=Scope("me", project=SECRET)),
            Entity(name=SECRET),
            told(2, "b"),
        )
    )
    assert (report.added, report.entities) == (1, 0)
    assert [each.partition(":")[0] for each in report.problems] == ["line 2", "line 3"]
    assert SECRET not in str(report.problems)


def test_someone_met_again_since_is_still_the_same(memory: Saegim, tmp_path: Path) -> None:
    """Living on is no conflict with the file one came from; another profile is (U24.3)."""
    line = {"type": "entity", "name": "지민", "entityType": "person", "observations": []}
    path = as_lines(tmp_path / "x.jsonl", [line])
    assert memory.import_from(path).entities == 1
    mind = memory.mind
    again = Entity(name="지민", aliases=("Jimin",), last_seen_at=AT, sentiment_score=0.5)
    mind.store.commit(Batch("me", [Met(again, again=True)], "test", mind.now()))
    assert mind.store.entities.of(memory.scope)[0].aliases == ("Jimin",)
    assert memory.import_from(path).conflicts == ()
    # Whom the file knows better than we do is for a person to settle.
    tables = "CREATE TABLE bot_memory (entity_name, interaction_count, notes)"
    rows = [("INSERT INTO bot_memory VALUES (?, ?, ?)", ("지민", 42, "warm"))]
    report = memory.import_from(as_sqlite(tmp_path / "b.db", tables, rows=rows))
    assert report.conflicts == ("bot_memory row 1: entity:지민 is here with another profile",)

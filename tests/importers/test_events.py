"""Seed A's resonance ledger as something to write into: events, files, years (A §3.3, §6.1)."""

from __future__ import annotations

import json
import stat
import zipfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from saegim import FixedClock, Saegim
from saegim.errors import BadInput, NotFound, StoreError
from saegim.importers.resonance_ledger import EVENT_TYPES

COORDINATE = {
    "time": "2025-10-12T10:30:00Z",
    "space": "AGI_prototype",
    "agent": "synthesis",
    "emotion": {"affect": 0.68, "keywords": ["clarity", "risk"]},
    "rhythm_phase": "integration",
}
PLAN = {
    "trigger": "rune_feedback",
    "action": "reorder_persona_cycle",
    "details": {"new_order": ["thesis", "synthesis", "antithesis"]},
}


@pytest.fixture
def logged(tmp_path: Path, clock: FixedClock) -> Iterator[Saegim]:
    """A memory whose events are also written into files."""
    path = tmp_path / "home" / "m.db"
    with Saegim.open(path, clock=clock, log_path="resonance_ledger") as memory:
        yield memory


def lines(file: Path) -> list[dict[str, Any]]:
    """What a file holds."""
    return [json.loads(each) for each in file.read_text("utf-8").splitlines()]


def test_an_event_of_the_seed_is_logged_with_all_its_fields(memory: Saegim) -> None:
    """A6: §7.1's call and §3.3's line; every type the seed names, and names of one's own."""
    kept = memory.remember("합: 골라 모으자", persona="synthesis")
    made = memory.maintenance.resonance.log_event(
        session_id="sess_20251012_090000",
        event_type="synthesis_report",
        persona_id="synthesis",
        memory_id=kept.id,
        bqi_coordinate=COORDINATE,
        evaluation={"score": 0.8},
        plan_adjustment=PLAN,
        impact_score=0.74,
        transparency=0.9,
        reproducibility=0.85,
        verifiability=0.8,
    )
    assert made == {
        "timestamp": "2026-01-01T09:00:00Z",
        "session_id": "sess_20251012_090000",
        "event_type": "synthesis_report",
        "persona_id": "synthesis",
        "memory_id": kept.id,
        "bqi_coordinate": COORDINATE,
        "evaluation": {"score": 0.8},
        "impact_score": 0.74,
        "transparency": 0.9,
        "reproducibility": 0.85,
        "verifiability": 0.8,
        "memory_refs": [kept.id],
        "plan_adjustment": PLAN,
    }
    for each in (*EVENT_TYPES, "my_own_event", "나의_사건"):
        memory.maintenance.resonance.log_event(event_type=each)
    found = memory.maintenance.resonance.recent(50)
    assert [each["event_type"] for each in found[-1:]] == ["synthesis_report"]
    assert {each["event_type"] for each in found} >= set(EVENT_TYPES)
    memory.maintenance.verify()


def test_events_go_out_with_a_folder_and_come_in_again(memory: Saegim, tmp_path: Path) -> None:
    """A6: exports write them, an import brings them back once; no event is told twice."""
    kept = memory.remember("모으자", type="persona_response", session="s")
    other = memory.remember("고르자", type="persona_response", session="s")
    log = memory.maintenance.resonance.log_event
    log(event_type="persona_response", session_id="s", memory_id=kept.id)
    log(event_type="tool_call", session_id="s")
    memory.export_to(tmp_path / "out", form="coordinates")
    told = lines(tmp_path / "out" / "resonance_ledger" / "ledger-20260101.jsonl")
    responses = [each for each in told if each["event_type"] == "persona_response"]
    assert [each["memory_refs"] for each in responses] == [[kept.id], [other.id]]
    assert len(told) == 3
    with Saegim.open(tmp_path / "other.db") as there:
        assert there.import_from(tmp_path / "out").pages == 3
        assert there.import_from(tmp_path / "out").pages == 0
        assert len(there.maintenance.resonance.recent(9)) == 3


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"event_type": ""}, "type"),
        ({"event_type": "tool call"}, "type"),
        ({"event_type": 5}, "type"),
        ({"event_type": "x" * 65}, "type"),
        ({"memory_id": "mem_nothing"}, "mem_nothing"),
        ({"memory_refs": ["mem_nothing"]}, "mem_nothing"),
        ({"memory_refs": "mem_nothing"}, "memory_refs"),
        ({"memory_refs": [f"mem_{n}" for n in range(300)]}, "too many"),
        ({"evaluation": "good"}, "evaluation"),
        ({"evaluation": {"score": float("nan")}}, "evaluation"),
        ({"plan_adjustment": {"text": "x" * 70_000}}, "plan_adjustment"),
        ({"bqi_coordinate": {"x": {1, 2}}}, "bqi_coordinate"),
        ({"impact_score": 1.5}, "impact_score"),
        ({"colour": 1.0}, "colour"),
        ({"timestamp": "soon"}, "timestamp"),
        ({"session_id": "a\nb"}, "session"),
    ],
)
def test_what_is_no_event_is_refused_by_name(
    wrong: dict[str, Any], named: str, logged: Saegim, tmp_path: Path
) -> None:
    """U1.3: nothing is kept, neither in the store nor in a file."""
    before = logged.maintenance.verify()
    with pytest.raises((BadInput, NotFound), match=named) as caught:
        logged.maintenance.resonance.log_event(**{"event_type": "tool_call", **wrong})
    assert caught.value.next_step
    assert logged.maintenance.verify() == before
    assert not list((tmp_path / "home").rglob("ledger-*"))


def test_a_secret_is_not_logged(logged: Saegim, tmp_path: Path) -> None:
    """No way in is open to a key; an id keeps its digits."""
    key = "sk-ant-" + "api03-Zx8Wq2Lm5Nv7Rt1Yb4Kc6Hd9Jf3Ps0Qa8We5Rt2Yu7Io4Pa1Sd6Fg9Hj"
    kept = logged.remember("하나")
    made = logged.maintenance.resonance.log_event(
        event_type="tool_call", memory_id=kept.id, evaluation={"used": f"with {key}"}
    )
    assert made["memory_id"] == kept.id
    assert key not in str(made)
    assert key not in (tmp_path / "home/resonance_ledger/ledger-20260101.jsonl").read_text("utf-8")


def test_each_event_is_written_into_the_file_of_its_day(
    logged: Saegim, clock: FixedClock, tmp_path: Path
) -> None:
    """A6 `log_path`: as the seed's own ledger writes, a line as it happens, for its owner alone."""
    log = logged.maintenance.resonance.log_event
    first, second = log(event_type="user_input"), log(event_type="tool_call")
    clock.forward(days=1)
    # When it happened is told in the line; the file is that of the day it was logged.
    third = log(event_type="evaluation", timestamp="2025-12-24")
    folder = tmp_path / "home" / "resonance_ledger"
    assert lines(folder / "ledger-20260101.jsonl") == [first, second]
    assert lines(folder / "ledger-20260102.jsonl") == [third]
    assert stat.S_IMODE((folder / "ledger-20260101.jsonl").stat().st_mode) == 0o600
    # Another user of the same store has a folder of their own.
    logged.within(user="yuna").maintenance.resonance.log_event(event_type="user_input")
    assert len(lines(folder / "ledger-20260102.jsonl")) == 1
    assert len(lines(folder / "yuna" / "ledger-20260102.jsonl")) == 1


def test_without_a_path_no_file_is_written(memory: Saegim, tmp_path: Path) -> None:
    """The control: the store alone holds it."""
    memory.maintenance.resonance.log_event(event_type="user_input")
    assert memory.maintenance.resonance.compress() == []
    assert not list(tmp_path.rglob("ledger-*"))
    assert len(memory.maintenance.resonance.recent()) == 1


def test_a_file_that_cannot_be_written_keeps_the_event_out(tmp_path: Path) -> None:
    """An event is in both places or in none."""
    (tmp_path / "taken").write_text("in the way", encoding="utf-8")
    with Saegim.open(tmp_path / "m.db", log_path=str(tmp_path / "taken")) as memory:
        with pytest.raises(StoreError, match="taken"):
            memory.maintenance.resonance.log_event(event_type="tool_call")
        assert memory.maintenance.resonance.recent() == []


def test_the_files_of_a_past_year_are_packed_by_night(
    logged: Saegim, clock: FixedClock, tmp_path: Path
) -> None:
    """A §6.1: one file a year, nothing lost, the running year left alone; twice changes nothing."""
    folder = tmp_path / "home" / "resonance_ledger"
    log = logged.maintenance.resonance.log_event
    clock.at = datetime(2025, 6, 1, 9, tzinfo=UTC)
    june = [log(event_type="tool_call"), log(event_type="evaluation")]
    clock.at = datetime(2025, 12, 31, 23, 59, tzinfo=UTC)
    december = log(event_type="rune_report")
    clock.at = datetime(2026, 1, 1, 3, 30, tzinfo=UTC)
    assert (
        logged.maintenance.resonance.compress() == []
    )  # a day of grace for whoever is still writing
    clock.at = datetime(2026, 1, 3, 3, 30, tzinfo=UTC)
    log(event_type="user_input")
    night = logged.sleep("ledgers")
    assert night is not None
    assert night.told["ledgers"] == {"packed": 1}
    assert sorted(each.name for each in folder.iterdir()) == [
        "ledger-2025.zip", "ledger-20260103.jsonl",
    ]  # fmt: skip
    with zipfile.ZipFile(folder / "ledger-2025.zip") as packed:
        held = {name: packed.read(name).decode("utf-8") for name in packed.namelist()}
    assert [json.loads(each) for each in held["ledger-20250601.jsonl"].splitlines()] == june
    assert json.loads(held["ledger-20251231.jsonl"]) == december
    raw = (folder / "ledger-2025.zip").read_bytes()
    assert logged.maintenance.resonance.compress() == []
    # Interrupted before the daily file went, it is not packed twice; a later line is.
    (folder / "ledger-20251231.jsonl").write_text(held["ledger-20251231.jsonl"], encoding="utf-8")
    logged.maintenance.resonance.compress()
    assert (folder / "ledger-2025.zip").read_bytes() == raw
    (folder / "ledger-20251230.jsonl").write_text('{"event_type":"late"}\n', encoding="utf-8")
    assert [each.name for each in logged.maintenance.resonance.compress()] == ["ledger-2025.zip"]
    with zipfile.ZipFile(folder / "ledger-2025.zip") as packed:
        assert len(packed.namelist()) == 3


def test_a_packed_year_is_read_again(logged: Saegim, clock: FixedClock, tmp_path: Path) -> None:
    """What is packed can be imported as it was, beside days that are not; a torn one is named."""
    home = tmp_path / "home"
    clock.at = datetime(2025, 6, 1, 9, tzinfo=UTC)
    logged.maintenance.resonance.log_event(event_type="tool_call", persona_id="정")
    clock.at = datetime(2026, 2, 1, 9, tzinfo=UTC)
    logged.maintenance.resonance.log_event(event_type="evaluation")
    assert len(logged.maintenance.resonance.compress()) == 1
    (home / "sessions").mkdir()
    with Saegim.open(tmp_path / "there.db") as there:
        report = there.import_from(home, form="coordinates")
        assert (report.pages, report.problems) == (2, ())
        assert there.maintenance.resonance.recent() == logged.maintenance.resonance.recent()
        assert there.import_from(home, form="coordinates").pages == 0
    (home / "resonance_ledger" / "ledger-2025.zip").write_bytes(b"torn")
    with Saegim.open(tmp_path / "again.db") as again:
        report = again.import_from(home, form="coordinates")
        assert report.pages == 1
        assert "ledger-2025.zip" in report.problems[0]


def test_what_is_erased_leaves_the_store_and_is_named_in_the_files(
    logged: Saegim, tmp_path: Path
) -> None:
    """U26.3: the words of an event go with the memory; a file out of reach is named."""
    kept = logged.remember("지울 것")
    logged.maintenance.resonance.log_event(
        event_type="persona_response", memory_id=kept.id, bqi_coordinate=COORDINATE
    )
    logged.maintenance.resonance.log_event(event_type="tool_call")
    told = logged.forgetting.erase(kept.id, confirm=True, by="me")
    assert "clarity" not in str(logged.maintenance.resonance.recent())
    assert len(logged.maintenance.resonance.recent()) == 2
    assert [each.name for each in told.unreachable if each.what == "ledger_file"] == [
        str(tmp_path / "home" / "resonance_ledger" / "ledger-20260101.jsonl")
    ]


def test_a_forgotten_memory_takes_its_feeling_words_out_of_its_events(
    memory: Saegim, clock: FixedClock
) -> None:
    """The event stays, exempt from forgetting (A §6.1); the words of feeling do not."""
    kept = memory.remember("떠날 것")
    memory.maintenance.resonance.log_event(
        event_type="persona_response", memory_id=kept.id, bqi_coordinate=COORDINATE
    )
    memory.forget(kept.id)
    clock.forward(days=8)
    memory.sleep("forget")
    (event,) = memory.maintenance.resonance.recent()
    assert event["bqi_coordinate"]["emotion"] == {"affect": 0.68, "keywords": []}

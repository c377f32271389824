"""Seed D's orbs as a file: memories with tier and colours, and the forgetting queue (D §1, §6)."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from elsewhere import ORDER, SECRET
from saegim import Saegim
from saegim.errors import BadInput
from saegim.importers.orbs import VERSION
from saegim.memory.clock import FixedClock
from saegim.memory.entities import PROMOTED_FROM
from saegim.memory.memory import Feeling, Lifetime, Origin, Reason, Source, State, Tier
from saegim.memory.seed_json import from_entry, to_entry

DAY_MS = 86_400_000
# The clock of the tests stands on 1 January 2026.
BORN = 1_767_200_000_000
ORB: dict[str, Any] = {
    "id": "M0-001",
    "content": "삐돌이가 떠나기 전에 칭찬해줬다",
    "tier": "M0",
    "emotions": ["joy", "sadness"],
    "intensity": 0.9,
    "createdAt": BORN,
    "expiresAt": None,
    "promotedFrom": "mem_orb_0",
    "referenceCount": 7,
    "lastReferencedAt": BORN + 1000,
    "personalityIsland": "주인과의 유대",
    "source": "distillation",
}


def orb(**fields: Any) -> dict[str, Any]:
    """A memory in seed D's shape, young and plain unless said otherwise."""
    plain = {
        "id": "mem_orb_2",
        "content": "Bbidol drinks an americano at the café",
        "tier": "M30",
        "emotions": [],
        "intensity": 0.0,
        "expiresAt": BORN + 30 * DAY_MS,
        "promotedFrom": None,
        "referenceCount": 0,
        "lastReferencedAt": None,
        "personalityIsland": None,
        "source": "conversation",
    }
    return {**ORB, **plain, **fields}


def entry(**fields: Any) -> dict[str, Any]:
    """A ForgettingEntry of seed D §6."""
    held = {"memory": orb(id="mem_orb_3", content="비가 와서 우산을 샀다"), "reason": "expired"}
    return {**held, "enteredAt": BORN, "expiresAt": BORN + 7 * DAY_MS, **fields}


def put(path: Path, value: Any) -> Path:
    """Write a file of JSON."""
    path.write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8")
    return path


def whole(*orbs: dict[str, Any], queue: tuple[dict[str, Any], ...] = ()) -> dict[str, Any]:
    """A whole file of orbs."""
    return {
        "form": "orbs",
        "version": VERSION,
        "memories": list(orbs),
        "forgettingQueue": {"memories": list(queue)},
    }


def test_a_file_of_orbs_comes_back_as_it_was(memory: Saegim, tmp_path: Path) -> None:
    """In and out again: every field of every memory and of the queue (seed D §1, §6)."""
    file = put(tmp_path / "a.json", whole(ORB, orb(), queue=(entry(),)))
    report = memory.import_from(file)
    assert (report.form, report.read, report.added, report.problems) == ("orbs", 3, 3, ())
    assert memory.export_to(tmp_path / "b.json", form="orbs") == 3
    assert json.loads((tmp_path / "b.json").read_text("utf-8")) == json.loads(
        file.read_text("utf-8")
    )


def test_an_orb_is_a_whole_memory_here(memory: Saegim, tmp_path: Path) -> None:
    """Tier, colours, use, island and ancestry are where the house looks for them."""
    memory.import_from(put(tmp_path / "a.json", [ORB]))
    held = memory.get("M0-001")
    assert held.emotion.feelings == (Feeling.JOY, Feeling.SADNESS)
    assert held.emotion.blend is Feeling.NOSTALGIA
    assert (held.life.tier, held.life.island, held.worth.used) == (Tier.M0, "주인과의 유대", 7)
    assert (held.provenance.source, held.provenance.origin) == (
        Source.DISTILLATION,
        Origin.IMPORT,
    )
    [tie] = memory.mind.store.links.of(memory.scope, [held.id], (PROMOTED_FROM,))
    assert tie.target == "mem_orb_0"


def test_the_queue_comes_back_with_its_time_and_can_be_called_back(
    memory: Saegim, tmp_path: Path
) -> None:
    """An entry waits here as it waited there: why, since when, how long; restore works."""
    memory.import_from(put(tmp_path / "a.json", {"memories": [entry()]}))
    [queued] = memory.forgetting.queue()
    assert (queued.memory.text, queued.reason) == ("비가 와서 우산을 샀다", "expired")
    assert queued.memory.life.leaving_until == queued.since + timedelta(days=7)
    memory.restore("mem_orb_3")
    assert memory.get("mem_orb_3").life.state is State.ACTIVE
    assert memory.forgetting.queue() == []


def test_what_was_born_here_goes_out_and_comes_back_elsewhere(
    memory: Saegim, tmp_path: Path, clock: FixedClock
) -> None:
    """Own memories, one of them let go, told as orbs and read into an empty store."""
    kept = memory.remember("엄마 생신은 4월 12일이야")
    gone = memory.remember("The tent is in the cellar")
    memory.forget(gone.memory.id)
    memory.export_to(tmp_path / "a.json", form="orbs")
    with Saegim.open(tmp_path / "other.db", clock=clock) as other:
        assert other.import_from(tmp_path / "a.json").added == 2
        assert other.get(kept.memory.id).text == kept.memory.text
        assert other.get(kept.memory.id).life.lifetime is Lifetime.LASTING
        assert [each.memory.id for each in other.forgetting.queue()] == [gone.memory.id]
        other.export_to(tmp_path / "b.json", form="orbs")
    assert (tmp_path / "b.json").read_bytes() == (tmp_path / "a.json").read_bytes()


def test_what_lasts_has_no_end_and_what_has_none_lasts(memory: Saegim, tmp_path: Path) -> None:
    """`expiresAt` null means for good, in whatever tier (seed D §1: M0 = null)."""
    memory.import_from(put(tmp_path / "a.json", [orb(expiresAt=None)]))
    assert memory.get("mem_orb_2").life.lifetime is Lifetime.LASTING
    memory.export_to(tmp_path / "b.json", form="orbs")
    [told] = json.loads((tmp_path / "b.json").read_text("utf-8"))["memories"]
    assert told["expiresAt"] is None


def test_read_twice_it_adds_nothing_and_changes_nothing(memory: Saegim, tmp_path: Path) -> None:
    """The second import knows them all; other words under a known id are a conflict."""
    file = put(tmp_path / "a.json", whole(ORB, queue=(entry(),)))
    memory.import_from(file)
    again = memory.import_from(file)
    assert (again.added, again.known, again.conflicts) == (0, 2, ())
    other = memory.import_from(put(tmp_path / "b.json", [{**ORB, "content": "다른 말"}]))
    assert other.added == 0
    assert "content" in other.conflicts[0]
    assert memory.get("M0-001").text == ORB["content"]


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"tier": "M7"}, "tier 'M7'"),
        ({"emotions": ["bliss"]}, "feeling 'bliss'"),
        ({"intensity": 1.5}, "intensity"),
        ({"createdAt": None}, "createdAt is missing"),
        ({"createdAt": "yesterday"}, "'yesterday' is no time"),
        ({"expiresAt": 1e30}, "is no time"),
        ({"colour": "gold"}, "'colour'"),
    ],
)
def test_a_bad_orb_is_named_and_the_others_come_in(
    memory: Saegim, tmp_path: Path, fields: dict[str, Any], said: str
) -> None:
    """A field that cannot be read is a problem of that orb alone."""
    report = memory.import_from(put(tmp_path / "a.json", whole(orb(**fields), ORB)), form="orbs")
    assert report.added == 1
    assert said in report.problems[0]


def test_a_bad_entry_is_named(memory: Saegim, tmp_path: Path) -> None:
    """An entry without its times, or of an unknown reason, is a problem."""
    queue = (entry(enteredAt=None), entry(reason="bored"), entry(memory=3))
    report = memory.import_from(put(tmp_path / "a.json", whole(queue=queue)))
    assert report.added == 0
    assert [
        part in each for part, each in zip(("enteredAt", "bored", ""), report.problems, strict=True)
    ]
    assert len(report.problems) == 3


def test_secrets_and_orders_are_treated_as_from_anywhere(memory: Saegim, tmp_path: Path) -> None:
    """A file can claim anything: secrets are masked and orders are kept apart (U27)."""
    shapes = (orb(content=f"key {SECRET}"), orb(id="mem_orb_9", content=ORDER))
    report = memory.import_from(put(tmp_path / "a.json", list(shapes)))
    assert (report.masked, report.quarantined, report.trusted) == (1, 1, 0)
    memory.export_to(tmp_path / "b.json", form="orbs")
    written = (tmp_path / "b.json").read_text("utf-8")
    assert SECRET not in written
    assert "evil@example.com" not in written


def test_a_newer_file_is_refused_before_anything_is_read(memory: Saegim, tmp_path: Path) -> None:
    """Version 2 is not guessed at."""
    file = put(tmp_path / "a.json", {**whole(ORB), "version": 2})
    with pytest.raises(BadInput, match="version 2"):
        memory.import_from(file)
    assert memory.recent().total == 0


def test_a_memory_that_stays_is_no_entry_of_the_queue(memory: Saegim) -> None:
    """Only what is leaving can be told as a ForgettingEntry; any reason of ours comes back."""
    kept = memory.remember("홍차를 좋아해")
    with pytest.raises(BadInput, match="is not leaving"):
        to_entry(kept.memory)
    for reason in Reason:
        shape = entry(reason=reason.value)
        assert to_entry(from_entry(shape, "me")) == shape

"""mem0's JSON: lists, pages of results, histories and relations."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from elsewhere import (
    AT,
    ORDER,
    SECRET,
    as_json,
    everything,
    mem0,
    memories,
    problems,
    texts,
    twice_the_same,
)
from saegim import Saegim
from saegim.importers.source.memory_servers import read_mem0
from saegim.memory.entities import SUPERSEDES, Link
from saegim.memory.memory import Kind, Origin, State


def found(tmp_path: Path, value: Any) -> list[Any]:
    """Read a file of mem0."""
    return everything(read_mem0, as_json(tmp_path / "mem0.json", value), "mem0")


def event(number: int, kind: str, old: str | None, new: str | None) -> dict[str, Any]:
    """A line of mem0's history."""
    return {
        "id": f"e-{number}-{kind}-{old}",
        "memory_id": f"9b2e-{number}",
        "event": kind,
        "old_memory": old,
        "new_memory": new,
        "created_at": "2024-03-05T01:30:00-08:00",
        "updated_at": "2024-04-01T00:00:00Z",
    }


def test_a_memory_keeps_its_owner_its_time_and_its_labels(tmp_path: Path) -> None:
    """What mem0 knows about a memory is not lost; its origin is import (U24.3)."""
    item = mem0(1, "홍차를 좋아한다", run_id="run-7", metadata={"category": "preference", "n": 3})
    [only] = (each.value for each in memories(found(tmp_path, [item])))
    assert (only.text, only.kind, only.provenance.author) == (
        "홍차를 좋아한다",
        Kind.PREFERENCE,
        "dana",
    )
    assert only.time.happened_at == AT
    assert only.scope.session == "run-7"
    assert only.content.tags == ("food", "category:preference", "n:3")
    assert only.provenance.origin is Origin.IMPORT


def test_every_shape_of_the_export_is_read(tmp_path: Path) -> None:
    """A list, results, memories, and the names the words go by (U24.3)."""
    words = [{"id": "a", name: f"said as {name}"} for name in ("memory", "text", "data")]
    for value in (words, {"results": words}, {"count": 3, "next": None, "memories": words}):
        assert texts(found(tmp_path, value)) == [
            "said as memory",
            "said as text",
            "said as data",
        ]


def test_a_history_is_kept_as_what_was_superseded(memory: Saegim, tmp_path: Path) -> None:
    """What it said before is there, ended and tied to what it says now (U24.3, U19.1)."""
    item = mem0(1, "lives in Busan")
    past = [event(1, "ADD", None, "lives in Seoul")]
    past.append(event(1, "UPDATE", "lives in Seoul", "lives in Busan"))
    # Beside the memories, or inside each of them.
    for at, value in enumerate(({"results": [item], "history": past}, [item | {"history": past}])):
        view = memory.within(user=f"user{at}")
        view.import_from(as_json(tmp_path / f"{at}.json", value))
        new, old = sorted(
            view.recent(10, states=list(State)).memories, key=lambda each: each.life.state
        )
        assert (new.text, new.life.state) == ("lives in Busan", State.ACTIVE)
        assert (old.text, old.life.state) == ("lives in Seoul", State.SUPERSEDED)
        assert f"{old.time.valid_to:%Y-%m-%d}" == "2024-04-01"
        [tie] = view.mind.store.links.all(view.scope)
        assert tie.key == Link(source=new.id, type=SUPERSEDES, target=old.id).key


def test_what_was_deleted_there_does_not_come(tmp_path: Path) -> None:
    """A deleted memory, and what it once said, stay deleted (U26)."""
    items = [mem0(1, "kept"), mem0(2, "gone", deleted_at="2024-05-01T00:00:00Z")]
    history = [
        event(3, "UPDATE", "once said", "said then"),
        event(3, "DELETE", "said then", None),
    ]
    assert texts(found(tmp_path, {"results": items, "history": history})) == ["kept"]
    # Control: without the deletion its past is read.
    assert texts(found(tmp_path, {"results": items, "history": history[:1]})) == [
        "kept",
        "once said",
    ]


def test_relations_become_ties_with_their_denials(tmp_path: Path) -> None:
    """Who likes what comes along, and who does not (U24.3)."""
    relations = [
        {"source": "Dana", "relationship": "likes", "target": "tea"},
        {"source": "Dana", "relationship": "dislikes", "destination": "Coffee"},
        {"source": "", "relationship": "likes", "target": "x"},
    ]
    every = found(tmp_path, {"results": [], "relations": relations})
    ties = [each.value for each in every[:2]]
    assert [(tie.source, tie.type, tie.target, tie.negative) for tie in ties] == [
        ("entity:dana", "likes", "entity:tea", False),
        ("entity:dana", "dislikes", "entity:coffee", True),
    ]
    assert problems(every) == ["relations 3: An entity needs a name."]


def test_strange_items_are_named_and_the_rest_is_read(tmp_path: Path) -> None:
    """Every bad item is a problem of its own (U24.3)."""
    odd = [7, {"id": "x"}, mem0(1, ""), mem0(2, "  "), mem0(3, "fine", metadata=[], user_id=9)]
    every = found(tmp_path, odd)
    assert texts(every) == ["fine"]
    assert [each.partition(":")[0] for each in problems(every)] == [
        "item 1",
        "item 2",
        "item 3",
        "item 4",
    ]


def test_an_export_comes_in_once_and_what_changed_is_new(memory: Saegim, tmp_path: Path) -> None:
    """The second time nothing; a changed memory comes beside the old one (U24.3)."""
    path = as_json(tmp_path / "x.json", {"results": [mem0(n, f"fact {n}") for n in range(5)]})
    twice_the_same(memory, path, "mem0", 5)
    changed = as_json(tmp_path / "y.json", [mem0(0, "fact 0, revised"), mem0(1, "fact 1")])
    report = memory.import_from(changed)
    assert (report.added, report.known) == (1, 1)
    assert memory.recent(10).total == 6


def test_secrets_in_labels_and_orders_in_tags_do_not_come_in(
    memory: Saegim, tmp_path: Path
) -> None:
    """What stands around the words is screened as they are (M4, M6)."""
    items = [
        mem0(1, "plain", metadata={"key": SECRET}),
        mem0(2, "harmless", categories=[ORDER]),
    ]
    report = memory.import_from(as_json(tmp_path / "x.json", items))
    assert (report.added, report.masked, report.quarantined) == (2, 1, 1)
    memory.export_to(tmp_path / "out.jsonl")
    assert SECRET not in (tmp_path / "out.jsonl").read_text(encoding="utf-8")

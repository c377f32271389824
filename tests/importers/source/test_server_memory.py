"""The MCP reference server's file: entities, observations, relations."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from elsewhere import (
    NOW,
    ORDER,
    SECRET,
    as_lines,
    entities,
    everything,
    memories,
    problems,
    texts,
    twice_the_same,
)
from saegim import Saegim
from saegim.importers.source.memory_servers import read_server_memory
from saegim.memory.entities import REFERS_TO

LINES: list[Any] = [
    {
        "type": "entity",
        "name": "지민",
        "entityType": "person",
        "observations": ["홍차를 좋아한다", "부산에 산다"],
    },
    {"type": "entity", "name": "Acme", "entityType": "Organization", "observations": []},
    {"type": "relation", "from": "지민", "to": "Acme", "relationType": "works at"},
    {"type": "relation", "from": "지민", "to": "Coffee", "relationType": "dislikes"},
]


def found(tmp_path: Path, lines: list[Any]) -> list[Any]:
    """Read a file of the server."""
    return everything(
        read_server_memory, as_lines(tmp_path / "memory.json", lines), "server-memory"
    )


def test_each_observation_is_a_memory_tied_to_its_entity(tmp_path: Path) -> None:
    """An observation does not name whom it is about; the tie and the keyword do (U24.3)."""
    every = found(tmp_path, LINES)
    assert [(each.name, each.type) for each in entities(every)] == [
        ("지민", "person"),
        ("Acme", "organisation"),
    ]
    first, second = memories(every)
    assert texts(every) == ["홍차를 좋아한다", "부산에 산다"]
    assert [tie.key for tie in first.ties] == [f"{first.value.id}::{REFERS_TO}::entity:지민"]
    assert first.value.content.keywords == ("지민",)
    # The file knows no times: the id has none, and it was said when the file was written.
    assert first.value.id.startswith("mem_undated_")
    assert second.value.time.recorded_at == NOW


def test_relations_are_ties_between_entities_with_their_denials(tmp_path: Path) -> None:
    """Likes and dislikes are not the same tie (U24.3)."""
    ties = [each.value for each in found(tmp_path, LINES)[-2:]]
    assert [(tie.key, tie.negative) for tie in ties] == [
        ("entity:지민::works at::entity:acme", False),
        ("entity:지민::dislikes::entity:coffee", True),
    ]


def test_broken_lines_are_named_and_the_rest_is_read(tmp_path: Path) -> None:
    """A line of anything is a problem of its own (U24.3)."""
    path = as_lines(tmp_path / "memory.json", LINES[:1])
    broken = [
        "not json",
        '{"type":"entity","name":"","entityType":"x","observations":[]}',
        '{"type":"entity","name":"b","observations":"one text"}',
        '{"type":"entity","name":"c","observations":[7,"fine",""]}',
        '{"type":"relation","from":"a","to":"b"}',
        '{"type":"memo"}',
        "[]",
    ]
    with path.open("a", encoding="utf-8") as file:
        file.write("\n".join(broken))
    every = everything(read_server_memory, path, "server-memory")
    assert texts(every) == ["홍차를 좋아한다", "부산에 산다", "fine"]
    assert [each.partition(":")[0] for each in problems(every)] == [
        "line 2",
        "line 3",
        "line 4",
        "line 5 observation 1",
        "line 5 observation 3",
        "line 6",
        "line 7",
        "line 8",
    ]


def test_a_file_comes_in_once(memory: Saegim, tmp_path: Path) -> None:
    """Entities, observations and relations: rehearsed, imported, then nothing (U24.3)."""
    path = as_lines(tmp_path / "memory.jsonl", LINES)
    twice_the_same(memory, path, "server-memory", 2)
    store = memory.mind.store
    assert len(store.links.all(memory.scope)) == 4
    assert [each.name for each in store.entities.named(memory.scope, ["acme"])["acme"]] == ["Acme"]
    # Found by the name that the words themselves do not say.
    assert memory.recall("지민").hits[0].memory.content.keywords == ("지민",)


def test_a_name_with_a_secret_and_a_profile_that_orders_are_refused(
    memory: Saegim, tmp_path: Path
) -> None:
    """A name cannot carry a placeholder, and nobody is called an order (M4, M6)."""
    lines = [
        {"type": "entity", "name": SECRET, "entityType": "key", "observations": ["used daily"]},
        {"type": "entity", "name": ORDER, "entityType": "x", "observations": []},
        {"type": "relation", "from": SECRET, "to": "Acme", "relationType": "opens"},
        {"type": "entity", "name": "fine", "entityType": "x", "observations": [ORDER]},
    ]
    report = memory.import_from(as_lines(tmp_path / "x.jsonl", lines))
    assert (report.added, report.entities, report.links) == (2, 1, 0)
    assert report.quarantined == 1
    assert [each.partition(":")[0] for each in report.problems] == ["line 1", "line 2", "line 3"]
    memory.export_to(tmp_path / "out.jsonl")
    assert SECRET not in (tmp_path / "out.jsonl").read_text(encoding="utf-8")

"""Checkpoints: exactly the fields of the seed, and back to the same main queries and edges."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from saegim import FixedClock, Saegim, Scope
from saegim.engines.hashed import Hashed
from saegim.errors import BadInput, NotFound
from saegim.memory.text import canonical_key
from saegim.session.graph import SessionGraph, file_of
from saegim.session.nodes import SessionSettings
from session.minds import SECRET, questions, working

FIELDS = [
    "version",
    "agentId",
    "sessionId",
    "createdAt",
    "topQueries",
    "edges",
    "embedderState",
    "canonicalMeta",
]


def talked(memory: Saegim, folder: Path, **options: Any) -> Any:
    """Return a working memory in which a session was held."""
    made = working(memory, folder, **options)
    graph = made.graph("talk")
    graph.upsert_entity("민수")
    ids = [
        made.upsert_query("talk", text)
        for text in ("민수가 맡은 API 오류 원인이 뭐야?", "API 오류 원인이 뭐야?", *questions(6))
    ]
    made.record_answer("talk", ids[0], "연결이 끊겼습니다")
    made.record_feedback("talk", ids[0], "up", "고마워요")
    made.record_feedback("talk", ids[3], "retry")
    return made


def main(graph: SessionGraph, most: int) -> tuple[Any, Any]:
    """Return the main queries of a graph and everything they are tied to."""
    best = graph.best(most)
    ids = {node.id for node in best}
    edges = {
        edge.key: (edge.weight, edge.created_at, edge.touched_at)
        for edge in graph.edges()
        if edge.source in ids and (edge.type != "similar_to" or edge.target in ids)
    }
    return {node.id: node for node in best}, edges


@pytest.mark.parametrize("top", [30, 3])
def test_a_checkpoint_reloads_to_the_same_main_nodes_and_edges(
    memory: Saegim, tmp_path: Path, top: int
) -> None:
    """D3: main queries with their weights, their edges, answers, judgements and entities."""
    made = talked(memory, tmp_path / "c", settings=SessionSettings(checkpoint_top=top))
    made.checkpoint("talk")
    nodes, edges = main(made.graph("talk"), top)
    again = made.load_checkpoint("talk")
    assert main(again, top) == (nodes, edges)
    assert len(again.nodes("query")) == len(nodes) == min(top, 8)
    beside = {node.id for node in again.nodes()} - set(nodes)
    assert all(again.node(id) == made.graph("talk").node(id) for id in beside)
    assert {again.node(id).type for id in beside} == {"answer", "feedback", "entity"}


def test_a_checkpoint_has_exactly_the_fields_of_the_seed(memory: Saegim, tmp_path: Path) -> None:
    """B §4.4: eight fields, readable by eye, each query and each edge on a line of its own."""
    agent = memory.within(agent="bara")
    made = talked(agent, tmp_path / "c")
    file = made.checkpoint("talk")
    text = file.read_text(encoding="utf-8")
    record = json.loads(text)
    assert list(record) == FIELDS
    assert (record["version"], record["agentId"], record["sessionId"]) == (1, "bara", "talk")
    assert record["createdAt"] == 1767258000000
    assert record["canonicalMeta"] == {"normVersion": "1", "hashAlgo": "xxh3_128", "seed": 0}
    assert record["topQueries"]
    for query in record["topQueries"]:
        assert query["canonicalKey"] == canonical_key(query["text"])
    assert record["embedderState"]["identity"]["model"] == "static-ko-en-1"
    for edge in record["edges"]:
        assert edge["id"] == f"{edge['from']}::{edge['type']}::{edge['to']}"
    lines = text.count("\n")
    assert lines == len(record["topQueries"]) + len(record["edges"]) + len(FIELDS) + 4
    plain = talked(agent, tmp_path / "p", settings=SessionSettings(checkpoint_pretty=False))
    assert plain.checkpoint("talk").read_text(encoding="utf-8").count("\n") == 1


def test_the_best_queries_are_in_it(memory: Saegim, tmp_path: Path) -> None:
    """B checkpoint.topK: the highest ranks, best first, and no more."""
    made = talked(memory, tmp_path / "c", settings=SessionSettings(checkpoint_top=3))
    record = json.loads(made.checkpoint("talk").read_text(encoding="utf-8"))
    graph = made.graph("talk")
    ranks = [graph.rank(node["id"]) for node in record["topQueries"]]
    assert ranks == sorted((graph.rank(node.id) for node in graph.nodes("query")), reverse=True)[:3]


def test_a_checkpoint_of_another_embedder_stays_comparable(
    tmp_path: Path, clock: FixedClock
) -> None:
    """D2: written with hashed n-grams, read where the small brain is at home."""
    with Saegim.open(tmp_path / "memory.db", clock=clock, embedder="hashed") as memory:
        made = talked(memory, tmp_path / "c")
        file = made.checkpoint("talk")
        wanted = [m.id for m in made.load_checkpoint(file).search_similar_queries("API 오류", 5)]
    with Saegim.open(tmp_path / "memory.db", clock=clock) as memory:
        again = working(memory, tmp_path / "c").load_checkpoint("talk")
        assert again.embedder.identity == Hashed().identity
        assert [m.id for m in again.search_similar_queries("API 오류", 5)] == wanted


def test_no_secret_reaches_the_disk(memory: Saegim, tmp_path: Path) -> None:
    """U22.1: neither the checkpoint nor the store holds what the guard masks."""
    made = talked(memory, tmp_path / "c")
    id = made.upsert_query("talk", f"열쇠는 {SECRET} 이야")
    made.record_answer("talk", id, f"{SECRET} 확인")
    made.record_feedback("talk", id, "up", SECRET)
    made.graph("talk").adjust_weights(id, repeat_delta=9.0)
    made.finalize_session("talk")
    for file in [*(tmp_path / "c").iterdir(), *tmp_path.glob("memory.db*")]:
        assert SECRET.encode() not in file.read_bytes()


@pytest.mark.parametrize("name", ["a/b", "회의 (3차)", "x:y", "CON", "a" * 200, "가" * 200, "1#"])
def test_any_name_of_a_session_is_a_file_in_the_folder(
    memory: Saegim, tmp_path: Path, name: str
) -> None:
    """R-29: slashes, spaces, long and Korean names stay inside the folder and are found again."""
    made = working(memory, tmp_path / "c")
    made.upsert_query(name, "배포는 언제?")
    file = made.finalize_session(name).checkpoint
    assert file is not None
    assert file.parent == tmp_path / "c"
    assert len(file.name.encode()) <= 255
    assert re.fullmatch(r"[\w-]+\.json", file.name)
    assert made.open(name).resumed


@pytest.mark.parametrize("name", ["../x", "a/../../x", "", "x\n"])
def test_a_name_that_leads_elsewhere_is_refused(memory: Saegim, tmp_path: Path, name: str) -> None:
    """R-29: no checkpoint is written outside its folder."""
    made = talked(memory, tmp_path / "c")
    with pytest.raises(BadInput):
        made.finalize_session("talk", checkpoint_name=name)
    assert made.active_sessions() == ["talk"], "it can be ended under another name"
    assert not (tmp_path / "c").exists()


def test_users_agents_and_sessions_never_share_a_file() -> None:
    """U21.1: the same name under another user, agent or project is another file."""
    folder = Path("c")
    scopes = [
        Scope("me"),
        Scope("you"),
        Scope("me", agent="bara"),
        Scope("me", project="bara"),
    ]
    files = {file_of(folder, scope, "talk") for scope in scopes}
    files |= {file_of(folder, scopes[0], "Talk"), file_of(folder, scopes[0], "talk/")}
    assert len(files) == 6


BROKEN = {
    "half": lambda text: text[: len(text) // 2],
    "empty": lambda text: "",
    "foreign": lambda text: '{"version": 1}',
    "newer": lambda text: text.replace('"version": 1', '"version": 9', 1),
    "another session": lambda text: text.replace('"sessionId": "talk"', '"sessionId": "x"', 1),
    "a query lost": lambda text: json.dumps({**json.loads(text), "topQueries": []}),
    "made at no time": lambda text: json.dumps({**json.loads(text), "createdAt": None}),
    "no list": lambda text: json.dumps({**json.loads(text), "edges": {}}),
    "agent is a number": lambda text: json.dumps({**json.loads(text), "agentId": 7}),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_checkpoint_is_named_and_left_alone(
    memory: Saegim, tmp_path: Path, name: str
) -> None:
    """R-11: the session is not opened over it; without it, it is, when a person says so."""
    made = talked(memory, tmp_path / "c")
    file = made.finalize_session("talk").checkpoint
    file.write_text(BROKEN[name](file.read_text(encoding="utf-8")), encoding="utf-8")
    before = file.read_bytes()
    for act in (made.open, made.graph):
        with pytest.raises(BadInput, match=file.name) as caught:
            act("talk")
        assert caught.value.next_step
    assert made.active_sessions() == []
    assert file.read_bytes() == before
    opened = made.open("talk", resume=False)
    assert (opened.resumed, made.graph("talk").stats().nodes) == (False, 0)


def test_a_checkpoint_that_is_not_there_is_said_to_be_missing(
    memory: Saegim, tmp_path: Path
) -> None:
    """NotFound names the file that was looked for."""
    with pytest.raises(NotFound, match="nowhere"):
        working(memory, tmp_path / "c").load_checkpoint("nowhere")


def test_what_a_killed_process_had_begun_is_swept_away(memory: Saegim, tmp_path: Path) -> None:
    """U26.3: an unfinished file may hold words; an old one goes, one being written stays."""
    folder = tmp_path / "c"
    folder.mkdir()
    old, new, other = (folder / name for name in (".saegim-a.new", ".saegim-b.new", "mine.txt"))
    for each in (old, new, other):
        each.write_text("half of a checkpoint")
    os.utime(old, (1, 1))
    os.utime(other, (1, 1))
    made = working(memory, folder)
    made.upsert_query("talk", "배포는 언제?")
    made.checkpoint("talk")
    assert [each.exists() for each in (old, new, other)] == [False, True, True]

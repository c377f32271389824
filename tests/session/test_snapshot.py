"""A graph on paper: it comes back as it was, in one space of vectors, or nothing is changed."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from saegim import FixedClock
from saegim.engines.brain.model import Static
from saegim.engines.embedder import Embedder, Sparse
from saegim.engines.hashed import Bag, Hashed, HashedSettings
from saegim.errors import BadInput, NotFound
from saegim.memory.text import NORM_VERSION, canonical_key
from saegim.session.graph import SessionGraph
from saegim.session.snapshot import recreated
from session.minds import SECRET, graph, questions, shape
from stand_ins import Toy

ASKED = ["배포 일정", "budget report", *questions(5), "고객 서버 오류"]


def lived(clock: FixedClock, embedder: Embedder | None = None, **settings: Any) -> SessionGraph:
    """Return a graph in which much was said: every kind of node, weights, pins and aliases."""
    made = graph(clock, embedder, **settings)
    who = made.upsert_entity("김민수", ["민수", "Minsu"])
    ids = []
    for text in ["민수가 맡은 배포 일정은?", "민수의 배포 일정을 알려줘", *questions(20)]:
        clock.forward(minutes=3, microseconds=1)
        ids.append(made.upsert_query(text))
    made.record_answer(ids[0], "화요일 오후 3시입니다")
    made.record_feedback(ids[0], "up", "정확해요")
    made.record_feedback(ids[3], "down")
    made.pin(ids[5])
    made.link(ids[4], who, "refers_to_entity")
    return made


def answers(made: SessionGraph) -> list[Any]:
    """Return what a graph answers to some questions."""
    return [made.search_similar_queries(asked, 8) for asked in ASKED]


@pytest.mark.parametrize("embedder", [Hashed(), Bag(), Static()], ids=["hashed", "bag", "static"])
@pytest.mark.parametrize("indexed", [False, True])
def test_a_snapshot_comes_back_and_answers_the_same(
    tmp_path: Path, embedder: Embedder, indexed: bool
) -> None:
    """D1: saved and loaded, every node, edge and search result is the same."""
    clock = FixedClock()
    made = lived(clock, embedder, inverted_index=indexed)
    assert made.save_to_file(tmp_path / "graph.json")
    again = graph(clock, embedder, inverted_index=indexed)
    again.load_from_file(tmp_path / "graph.json")
    assert shape(again) == shape(made)
    assert answers(again) == answers(made)
    assert again.stats() == made.stats()
    assert again.to_snapshot() == made.to_snapshot()
    later = again.upsert_query("민수에게 물어볼 것")
    assert again.degree(later) == 1, "names are known again"


def test_embeddings_are_sparse_pairs_and_bring_their_embedder_along() -> None:
    """D1, D2: `[[i, v], …]`, the embedder's identity and settings, and how keys are made."""
    made = lived(FixedClock())
    record = json.loads(json.dumps(made.to_snapshot()))
    node = next(each for each in record["nodes"] if each["type"] == "query")
    vector = made.node(node["id"]).vector
    assert isinstance(vector, Sparse)
    assert [i for i, _ in node["embedding"]] == vector.indices.tolist()
    assert [v for _, v in node["embedding"]] == pytest.approx(vector.values.tolist())
    assert record["embedderState"]["settings"] == Hashed().export_state()
    assert record["embedderState"]["identity"]["model"] == "hashed-ngram"
    assert record["canonicalMeta"] == {
        "normVersion": NORM_VERSION,
        "hashAlgo": "xxh3_128",
        "seed": 0,
    }
    assert {"id", "type", "text", "canonicalKey", "createdAt", "lastAccess"} <= set(node)
    assert node["weights"].keys() == {"repeat", "feedback"}


def test_the_same_text_has_the_same_vector_everywhere(tmp_path: Path) -> None:
    """D2: an embedding is reproduced bit by bit, also through a file."""
    made = lived(FixedClock())
    made.save_to_file(tmp_path / "graph.json")
    again = graph()
    again.load_from_file(tmp_path / "graph.json")
    for node in again.nodes("query"):
        (fresh,) = Hashed().embed([node.text], "document")
        assert isinstance(fresh, Sparse)
        assert isinstance(node.vector, Sparse)
        assert node.vector.indices.tobytes() == fresh.indices.tobytes()
        assert node.vector.values.tobytes() == fresh.values.tobytes()


# -- other spaces ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "other",
    [Hashed(HashedSettings(low=2, high=4, dimension=4096, seed=7)), Bag(), Static(64)],
    ids=["other settings", "other kind", "shorter meanings"],
)
def test_the_embedder_of_a_snapshot_is_made_again(tmp_path: Path, other: Embedder) -> None:
    """D2: a snapshot of other settings is compared in its own space, and answers as it did."""
    clock = FixedClock()
    made = lived(clock, other)
    made.save_to_file(tmp_path / "graph.json")
    again = graph(clock, Hashed())
    again.load_from_file(tmp_path / "graph.json")
    assert again.embedder.identity == other.identity
    assert answers(again) == answers(made)
    again.upsert_query("그 뒤에 새로 물은 것")
    assert again.to_snapshot()["embedderState"]["identity"]["model"] == other.identity.model


def test_an_embedder_that_cannot_be_made_is_replaced_and_the_texts_read_anew() -> None:
    """D2: vectors of two spaces are never compared, even where their dimension is the same."""
    clock = FixedClock()
    made = lived(clock, Toy(64, model="gone"))
    here = Toy(64, model="here")
    again = graph(clock, here)
    again.from_snapshot(made.to_snapshot())
    assert again.embedder is here
    for node in again.nodes("query"):
        assert node.vector == pytest.approx(here._vector(node.text))
    known = made.nodes("query")[0]
    assert again.search_similar_queries(known.text, 1)[0].id == known.id


def test_a_factory_may_make_what_the_house_cannot() -> None:
    """D2: an embedder of a person's own is recreated by a factory of their own."""
    clock = FixedClock()
    made = lived(clock, Toy(64, model="own"))
    again = SessionGraph(
        Hashed(), clock, recreate=lambda identity, _: Toy(64, model=identity.model)
    )
    again.from_snapshot(made.to_snapshot())
    assert again.embedder.identity == Toy(64, model="own").identity
    assert answers(again) == answers(made)


def test_nobody_asks_the_embedder_what_the_file_brings(tmp_path: Path) -> None:
    """A model of this machine may still be loading, and a session is taken up without it.

    The control: a text that is new is read by it.
    """
    made = lived(FixedClock(), Toy(64))
    assert made.save_to_file(tmp_path / "graph.json")
    here = Toy(64)
    again = SessionGraph(here, FixedClock())
    again.load_from_file(tmp_path / "graph.json")
    assert here.calls == []
    assert shape(again) == shape(made)
    again.upsert_query("Where does the kettle stand?")
    assert here.calls


def test_a_factory_that_makes_another_space_is_not_believed() -> None:
    """D2 control: what comes back under another identity is not used with the old vectors."""
    clock = FixedClock()
    made = lived(clock, Toy(64, model="own"))
    again = SessionGraph(Hashed(), clock, recreate=lambda *_: Toy(64, model="impostor"))
    again.from_snapshot(made.to_snapshot())
    assert again.embedder.identity == Hashed().identity
    assert all(isinstance(node.vector, Sparse) for node in again.nodes("query"))


def test_only_the_very_same_settings_make_the_same_space() -> None:
    """D2: an identity whose settings say something else is not made."""
    other = Hashed(HashedSettings(seed=9))
    assert recreated(other.identity, other.export_state()) is not None
    assert recreated(other.identity, Hashed().export_state()) is None
    assert recreated(other.identity, {}) is None
    assert recreated(Toy().identity, {}) is None


def test_keys_of_an_older_normaliser_are_made_anew_and_twins_become_one() -> None:
    """D2: canonical keys are read from the words; what is one by today's rules is one."""
    clock = FixedClock()
    made = graph(clock, embedder=Hashed())
    one, two = made.upsert_query("배포는 언제?"), made.upsert_query("점심 뭐 먹지?")
    made.record_answer(two, "김밥")
    record = made.to_snapshot()
    record["canonicalMeta"]["normVersion"] = "0"
    for node in record["nodes"]:
        node["canonicalKey"] = f"0:{node['id']}"
        if node["id"] == two:
            node["text"] = "배포는  언제?"
    again = graph(clock)
    again.from_snapshot(record)
    (node,) = again.nodes("query")
    assert (node.id, node.canonical_key) == (one, canonical_key("배포는 언제?"))
    assert [edge.source for edge in again.edges()] == [one]


# -- files ----------------------------------------------------------------------------------------


def test_only_what_changed_is_written(tmp_path: Path) -> None:
    """D1 onlyIfDirty: the same graph is not written twice, unless its file is gone or another."""
    made, file = lived(FixedClock()), tmp_path / "graph.json"
    assert made.save_to_file(file)
    stamp = file.stat().st_ino
    assert not made.save_to_file(file)
    assert file.stat().st_ino == stamp
    assert made.save_to_file(file, only_if_dirty=False)
    assert made.save_to_file(tmp_path / "other.json")
    made.upsert_query("one more")
    assert made.save_to_file(file)
    file.unlink()
    assert made.save_to_file(file)


def test_changes_in_quick_succession_are_written_together(tmp_path: Path) -> None:
    """D1, §4.5: with a pause between writes, many changes cost one write and none is lost."""
    clock = FixedClock()
    made, file = graph(clock), tmp_path / "graph.json"
    pause = timedelta(seconds=5)
    writes = []
    for text in questions(30):
        clock.forward(seconds=1)
        made.upsert_query(text)
        writes.append(made.save_to_file(file, at_most_every=pause))
    assert sum(writes) == 6
    made.save_to_file(file)
    again = graph(clock)
    again.load_from_file(file)
    assert shape(again) == shape(made)


def test_a_file_is_replaced_whole_and_only_ours_to_read(tmp_path: Path) -> None:
    """D1: written beside and moved into place; a write that fails leaves what was there."""
    made, file = lived(FixedClock()), tmp_path / "graph.json"
    made.save_to_file(file)
    assert file.stat().st_mode & 0o777 == 0o600
    assert [each.name for each in tmp_path.iterdir()] == ["graph.json"]
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "inside").touch()
    with pytest.raises(BadInput, match="taken"):
        made.save_to_file(tmp_path / "taken")
    assert sorted(each.name for each in tmp_path.iterdir()) == ["graph.json", "taken"]
    with pytest.raises(BadInput, match="cannot be written"):
        made.save_to_file(Path(os.devnull) / "graph.json")


def test_a_secret_in_a_file_does_not_come_in() -> None:
    """U22.1: a file can hold anything; its texts pass the guard as all others do."""
    made = lived(FixedClock())
    record = made.to_snapshot()
    record["nodes"][1]["text"] = f"열쇠는 {SECRET}"
    again = graph()
    again.from_snapshot(record)
    assert SECRET not in str(again.to_snapshot())


WHOLE = json.dumps(lived(FixedClock()).to_snapshot()).encode()


def spoilt(change: Callable[[dict[str, Any]], None]) -> bytes:
    """Return a snapshot in which something is wrong."""
    record = json.loads(WHOLE)
    change(record)
    return json.dumps(record).encode()


def query(record: dict[str, Any]) -> dict[str, Any]:
    """Return the first query of a record."""
    return next(node for node in record["nodes"] if node["type"] == "query")


BAD = {
    "empty": b"",
    "half": WHOLE[: len(WHOLE) // 2],
    "not text": WHOLE[:50] + b"\xff\xfe" + WHOLE[50:],
    "not JSON": b"graph",
    "NaN": WHOLE.replace(b'"repeat": 0.0', b'"repeat": NaN', 1),
    "endless number": WHOLE.replace(b'"repeat": 0.0', b'"repeat": 1e999', 1),
    "nested": b"[" * 100_000,
    "a list": b"[]",
    "foreign": b'{"name": "package", "version": "1.0.0"}',
    "another form": spoilt(lambda r: r.update(form="checkpoint")),
    "newer": spoilt(lambda r: r.update(version=2)),
    "no nodes": spoilt(lambda r: r.pop("nodes")),
    "nodes are an object": spoilt(lambda r: r.update(nodes={})),
    "a node is a text": spoilt(lambda r: r["nodes"].append("x")),
    "no id": spoilt(lambda r: query(r).pop("id")),
    "an id of a key": spoilt(lambda r: query(r).update(id="a::b")),
    "two of one id": spoilt(lambda r: r["nodes"].append(dict(query(r)))),
    "unknown type": spoilt(lambda r: query(r).update(type="dream")),
    "no text": spoilt(lambda r: query(r).update(text="")),
    "text is a number": spoilt(lambda r: query(r).update(text=7)),
    "no weights": spoilt(lambda r: query(r).pop("weights")),
    "weight is a text": spoilt(lambda r: query(r)["weights"].update(repeat="1")),
    "time out of the calendar": spoilt(lambda r: query(r).update(createdAt=1e300)),
    "pinned is a number": spoilt(lambda r: query(r).update(pinned=1)),
    "embedding of texts": spoilt(lambda r: query(r).update(embedding=[["a", "b"]])),
    "embedding too far": spoilt(lambda r: query(r).update(embedding=[[99_999_999, 1.0]])),
    "embedding out of order": spoilt(lambda r: query(r)["embedding"].reverse()),
    "embedding of no length": spoilt(lambda r: query(r).update(embedding=[[1, 0.0]])),
    "a tie to nobody": spoilt(lambda r: r["edges"][0].update(to="nobody")),
    "a tie that means nothing": spoilt(lambda r: r["edges"][0].update(type="has_feedback")),
    "no embedder": spoilt(lambda r: r.pop("embedderState")),
    "half an embedder": spoilt(lambda r: r["embedderState"]["identity"].pop("model")),
    "dimension of nothing": spoilt(lambda r: r["embedderState"]["identity"].update(dimension=-1)),
    "made at no time": spoilt(lambda r: r.update(createdAt="today")),
    "decayed at no time": spoilt(lambda r: r.update(decayedAt=1e15)),
    "NaN in what is not read": WHOLE.replace(b'"config": {', b'"config": {"x": NaN, ', 1),
    "no meta": spoilt(lambda r: r.update(canonicalMeta=None)),
}


@pytest.mark.parametrize("name", BAD)
def test_a_file_that_cannot_be_used_changes_nothing(tmp_path: Path, name: str) -> None:
    """R-11, R-22: broken, partial, foreign and newer files are named, with what to do."""
    file = tmp_path / "graph.json"
    file.write_bytes(BAD[name])
    clock = FixedClock()
    made = lived(clock)
    before, version = shape(made), made.version
    with pytest.raises(BadInput) as caught:
        made.load_from_file(file)
    assert str(file) in caught.value.message
    assert caught.value.next_step
    assert (shape(made), made.version) == (before, version)
    assert file.read_bytes() == BAD[name]


def test_the_whole_file_would_be_read(tmp_path: Path) -> None:
    """Control: what the others spoil is readable as it stands."""
    (tmp_path / "graph.json").write_bytes(WHOLE)
    made = graph()
    made.load_from_file(tmp_path / "graph.json")
    assert made.stats().nodes > 20
    with pytest.raises(NotFound):
        made.load_from_file(tmp_path / "nothing.json")


def test_a_larger_graph_is_cut_to_the_bounds_of_this_one() -> None:
    """D1: a snapshot of a larger mind is held as far as it fits, the best of it; pins must fit."""
    clock = FixedClock()
    made = lived(clock)
    pinned = next(node for node in made.nodes() if node.pinned)
    small = graph(clock, max_nodes=8, max_edges=32)
    small.from_snapshot(made.to_snapshot())
    assert small.stats().nodes <= 8
    assert small.node(pinned.id).pinned
    for node in made.nodes("query")[:6]:
        made.pin(node.id)
    with pytest.raises(BadInput, match="pinned"):
        small.from_snapshot(made.to_snapshot())
    assert small.stats().pinned == 1

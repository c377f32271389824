"""Seed A's folder: read, written, and the same after both."""

from __future__ import annotations

import json
import tempfile
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saegim import FixedClock, Saegim
from saegim.errors import BadInput, Refused
from saegim.guard.guard import screen
from saegim.importers.coordinate_folder import CONFIG, file_names
from saegim.importers.jsonl import compact
from saegim.memory.changes import Archived, Change, Dozed, Linked, Written
from saegim.memory.entities import PARENT, Link, Page
from saegim.memory.memory import Origin, Source, Tier
from saegim.memory.text import normalise
from saegim.store.commit import Batch
from stand_ins import rounds

# Seed A §3.3, with what its comments leave open.
RESONANCE: dict[str, Any] = {
    "timestamp": "2025-10-12T10:31:45.124Z",
    "session_id": "sess_20251012_090000",
    "event_type": "synthesis_report",
    "bqi_coordinate": {
        "time": "2025-10-12T10:30:00Z",
        "space": "AGI_prototype",
        "agent": "synthesis",
        "emotion": {"affect": 0.68, "keywords": ["clarity", "risk"]},
        "rhythm_phase": "integration",
    },
    "impact_score": 0.74,
    "transparency": 0.9,
    "reproducibility": 0.85,
    "verifiability": 0.8,
    "memory_refs": ["mem_20251012_093022_a4f3", "mem_20251012_093145_c9k1"],
    "plan_adjustment": {
        "trigger": "rune_feedback",
        "action": "reorder_persona_cycle",
        "details": {"new_order": ["thesis", "synthesis", "antithesis"]},
    },
}


def coordinate(id: str, **changes: dict[str, Any]) -> dict[str, Any]:
    """A MemoryCoordinate of seed A §3.1 with some parts changed."""
    shape: dict[str, Any] = {
        "memory_id": id,
        "timestamp": "2025-10-12T09:30:22.123456Z",
        "time": {"session_id": "sess_1", "sequence": 15, "relative_time_minutes": 3.5},
        "space": {
            "project": "persona_orchestration",
            "domain": "AGI_prototype",
            "file_context": ["orchestration/persona_orchestrator.py"],
            "depth_index": 1,
        },
        "agent": {
            "persona_id": "synthesis",
            "persona_name": "Fractal Synthesiser",
            "role": "Integrator",
            "backend": "local_lmstudio",
        },
        "emotion": {
            "affect_amplitude": 0.65,
            "sentiment_score": 0.12,
            "confidence": 0.8,
            "keywords": ["hope", "growth"],
        },
        "content": {
            "type": "persona_response",
            "prompt_digest": "System instruction: reconcile both",
            "response_full": f"정과 반을 함께 놓고 보면: {id}",
            "response_summary": None,
            "token_count": 342,
        },
        "metadata": {
            "importance": 0.7,
            "tags": ["synthesis", "memory_system"],
            "user_rating": None,
            "phase_injection_applied": False,
            "error_occurred": False,
        },
        "relations": {
            "parent_memory_id": None,
            "child_memory_ids": [],
            "related_memory_ids": [],
        },
    }
    for part, fields in changes.items():
        shape[part] = {**shape[part], **fields}
    return shape


def put(folder: Path, shapes: list[Any], ledger: list[Any] | None = None) -> Path:
    """Write seed A's tree by hand: sessions by their ids, and one day of the ledger."""
    sessions = folder / "memory" / "sessions"
    sessions.mkdir(parents=True, exist_ok=True)
    for shape in shapes:
        with (sessions / f"{shape['time']['session_id']}.jsonl").open(
            "a", encoding="utf-8"
        ) as file:
            file.write(json.dumps(shape, ensure_ascii=False) + "\n")
    if ledger is not None:
        (folder / "resonance_ledger").mkdir(exist_ok=True)
        text = "".join(json.dumps(line) + "\n" for line in ledger)
        (folder / "resonance_ledger" / "ledger-20251012.jsonl").write_text(text, encoding="utf-8")
    return folder


def lines(file: Path) -> list[Any]:
    """The parsed lines of a file."""
    return [json.loads(line) for line in file.read_text(encoding="utf-8").split("\n") if line]


def contents(folder: Path) -> dict[str, Any]:
    """Everything a tree of seed A holds, parsed, but the time of its making."""
    held: dict[str, Any] = {
        str(file.relative_to(folder)): lines(file) for file in folder.rglob("*.jsonl")
    }
    for file in folder.rglob("*.json"):
        held[file.name] = json.loads(file.read_text(encoding="utf-8"))
    held.get("index.json", {}).pop("last_updated", None)
    return held


def commit(memory: Saegim, *changes: Change) -> None:
    """Make changes true, as any part of the house may."""
    mind = memory.mind
    mind.store.commit(Batch(memory.scope.user, changes, "test", mind.now()))


def written(memory: Saegim, folder: Path) -> dict[str, Any]:
    """Export as seed A's tree and return what it holds."""
    memory.export_to(folder, form="coordinates")
    return contents(folder)


# -- there and back -------------------------------------------------------------------------------


def test_a_folder_comes_back_as_it_was(memory: Saegim, tmp_path: Path) -> None:
    """Every field of seed A §3.1 and every line of §3.3 survives the way through the store."""
    shapes = [
        coordinate("mem_b", relations={"child_memory_ids": ["mem_z", "mem_a"]}),
        coordinate("mem_a", relations={"parent_memory_id": "mem_b"}),
        # A child that two claim, and a parent that does not know its child.
        coordinate("mem_z", relations={"parent_memory_id": "mem_a"}),
        coordinate("mem_c", time={"session_id": "sess_2"}, metadata={"user_rating": 4}),
        coordinate(
            "mem_d",
            metadata={"bqi_snapshot": {"rhythm_phase": "rest", "emotion": {"keywords": ["calm"]}}},
            relations={"related_memory_ids": ["mem_z", "mem_b", "elsewhere"]},
        ),
    ]
    ledger = [RESONANCE, {"event_type": "tool_call", "extra": [1, 2.5, None]}, RESONANCE]
    source = put(tmp_path / "a", shapes, ledger)
    config = {**CONFIG, "retention_policy": {"max_sessions": 10, "note": "mine"}}
    (source / "memory" / "config.json").write_text(json.dumps(config), encoding="utf-8")
    report = memory.import_from(source)
    assert (report.form, report.read, report.added) == ("coordinates", 5, 5)
    assert (report.problems, report.conflicts, report.pages) == ((), (), 3)
    original = contents(source)
    back = written(memory, tmp_path / "b")
    assert {name: back[name] for name in original} == original
    assert set(back) - set(original) == {"index.json"}


def test_a_folder_read_again_adds_nothing(memory: Saegim, tmp_path: Path) -> None:
    """Re-import adds 0, from the original as from our own export of it (U24.2)."""
    source = put(tmp_path / "a", [coordinate(f"mem_{n}") for n in range(3)], [RESONANCE, {}])
    memory.import_from(source)
    memory.export_to(tmp_path / "b", form="coordinates")
    for folder in (source, tmp_path / "b", tmp_path / "b" / "memory"):
        before = memory.maintenance.verify()
        again = memory.import_from(folder)
        assert (again.added, again.known, again.links, again.pages) == (0, 3, 0, 0)
        assert (again.conflicts, again.problems) == ((), ())
        assert memory.maintenance.verify() == before


def test_a_grown_folder_adds_what_is_new(memory: Saegim, tmp_path: Path) -> None:
    """Sessions and ledger are append-only; the next import takes up where the last one ended."""
    source = put(tmp_path / "a", [coordinate("mem_1")], [RESONANCE])
    memory.import_from(source)
    later = coordinate("mem_2", relations={"parent_memory_id": "mem_1"})
    put(source, [later], [RESONANCE, {"event_type": "evaluation"}, RESONANCE])
    report = memory.import_from(source)
    assert (report.added, report.known, report.links, report.pages) == (1, 1, 1, 2)
    held, original = written(memory, tmp_path / "b"), contents(source)
    assert held["memory/sessions/sess_1.jsonl"] == original["memory/sessions/sess_1.jsonl"]
    ledger = held["resonance_ledger/ledger-20251012.jsonl"]
    assert sorted(map(compact, ledger)) == sorted(
        map(compact, original["resonance_ledger/ledger-20251012.jsonl"])
    )


def test_memories_born_here_go_through_a_folder_and_back(memory: Saegim, tmp_path: Path) -> None:
    """Ours to seed A to ours to seed A is the same tree, with one ledger line for each memory."""
    for number in range(4):
        memory.remember(
            f"차 {number}", session=f"s{number % 2}", type="system_event", affect=0.5, phase="rest"
        )
    memory.remember("세션이 없다")
    first = written(memory, tmp_path / "a")
    assert len(first["memory/sessions/no_session.jsonl"]) == 1
    ledger = first["resonance_ledger/ledger-20260101.jsonl"]
    assert [line["event_type"] for line in ledger].count("system_event") == 4
    assert ledger[0]["bqi_coordinate"]["rhythm_phase"] == "rest"
    assert ledger[0]["bqi_coordinate"]["emotion"] == {"affect": 0.5, "keywords": []}
    own = memory.import_from(tmp_path / "a")
    assert (own.added, own.known, own.pages) == (0, 5, 0)
    with Saegim.open(tmp_path / "other.db") as other:
        assert other.import_from(tmp_path / "a").added == 5
        assert written(other, tmp_path / "b") == first


# Without characters that nobody sees (Cf): a text that hides some is rightly kept in quarantine.
texts = st.text(
    st.characters(exclude_categories=["Cs", "Cf"], exclude_characters="\0"), max_size=12
).filter(lambda each: not screen(each).findings)  # what looks told is masked, and stays so
names = st.from_regex(r"[a-z0-9가-힣]{1,8}", fullmatch=True)
IDS = tuple(f"mem_{letter}" for letter in "abcde")
shares = st.none() | st.floats(0, 1)


@st.composite
def folders(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Draw a few coordinates with any text, any session and any relations among them."""
    shapes = []
    for id in draw(st.permutations(IDS)):
        others = [other for other in (*IDS, "mem_elsewhere") if other != id]
        some = st.lists(st.sampled_from(others), unique=True, max_size=3)
        shapes.append(
            coordinate(
                id,
                time={
                    "session_id": draw(st.sampled_from(("s1", "s2"))),
                    "sequence": draw(st.none() | st.integers(0, 99)),
                    "relative_time_minutes": draw(st.none() | st.integers(0, 9) | st.floats(0, 9)),
                },
                space={"domain": draw(texts), "file_context": draw(st.lists(texts, max_size=2))},
                agent={"persona_id": draw(texts), "role": draw(texts)},
                emotion={"affect_amplitude": draw(shares), "keywords": draw(st.lists(texts))},
                content={
                    "response_full": draw(texts.filter(normalise)),
                    "response_summary": draw(st.none() | texts.filter(bool)),
                },
                metadata={
                    "importance": draw(st.floats(0, 1)),
                    "tags": draw(st.lists(names, unique=True, max_size=3)),
                    "error_occurred": draw(st.booleans()),
                },
                relations={
                    "parent_memory_id": draw(st.none() | st.sampled_from(others)),
                    "child_memory_ids": draw(some),
                    "related_memory_ids": draw(some),
                },
            )
        )
    return shapes


@settings(max_examples=12)
@given(folders())
def test_any_folder_comes_back(shapes: list[dict[str, Any]]) -> None:
    """Whatever a folder says, and however its relations disagree, it is written back as it was."""
    with tempfile.TemporaryDirectory() as place:
        path = Path(place)
        with Saegim.open(path / "m.db") as memory:
            report = memory.import_from(put(path / "a", shapes))
            assert (report.added, report.problems) == (len(shapes), ())
            back = written(memory, path / "b")
            for name, original in contents(path / "a").items():
                assert back[name] == original


# -- what it becomes here -------------------------------------------------------------------------


def test_an_old_chat_is_young_here(memory: Saegim, clock: FixedClock, tmp_path: Path) -> None:
    """Its own time stays, the clocks of its life start now, its origin is import (DESIGN 4b)."""
    memory.import_from(put(tmp_path / "a", [coordinate("mem_1")]))
    kept = memory.get("mem_1")
    assert kept.time.happened_at.isoformat() == "2025-10-12T09:30:22.123456+00:00"
    assert kept.time.recorded_at == clock.now()
    assert kept.life.expires_at == clock.now() + timedelta(days=90)
    assert kept.life.tier is Tier.M90
    assert (kept.provenance.origin, kept.provenance.source) == (Origin.IMPORT, Source.CONVERSATION)
    assert [each.id for each in memory.search("정과 반을", persona="synthesis")] == ["mem_1"]


def test_ties_born_here_are_told_beside_those_of_the_folder(memory: Saegim, tmp_path: Path) -> None:
    """A later tie joins the relations; a tie taken away leaves them."""
    shapes = [coordinate(f"mem_{n}", relations={"child_memory_ids": []}) for n in (1, 2)]
    shapes[0]["relations"]["child_memory_ids"] = ["mem_2", "mem_9"]
    memory.import_from(put(tmp_path / "a", shapes))
    commit(memory, Linked(Link(source="mem_3", type=PARENT, target="mem_1")))
    session = written(memory, tmp_path / "b")["memory/sessions/sess_1.jsonl"]
    assert session[0]["relations"]["child_memory_ids"] == ["mem_2", "mem_9", "mem_3"]
    assert session[1]["relations"]["parent_memory_id"] is None


# -- the index, the config, the ledger ------------------------------------------------------------


def test_the_index_is_current_after_a_thousand_memories(memory: Saegim, tmp_path: Path) -> None:
    """1,000 memories by night are stored and index.json names them all (seed A §9.1-1)."""
    many = rounds(1000, 200)
    shapes = [
        coordinate(
            f"mem_{n:04d}",
            agent={"persona_id": ("thesis", "antithesis", "synthesis")[n % 3]},
            metadata={"importance": n / 1000, "tags": [f"tag{n % 5}"]},
            content={"response_full": f"Banana bread number {n}"},
            time={"session_id": f"sess_{n % 10}"},
        )
        for n in range(many)
    ]
    assert memory.import_from(put(tmp_path / "a", shapes)).added == many
    assert memory.export_to(tmp_path / "b", form="coordinates") == many
    index = json.loads((tmp_path / "b" / "memory" / "index.json").read_text(encoding="utf-8"))
    assert index["index_version"] == "1.0"
    assert index["last_updated"] == "2026-01-01T09:00:00Z"
    assert index["total_memories"] == many
    assert len(index["keyword_index"]["banana"]) == many
    assert index["keyword_index"]["tag3"][:2] == ["mem_0003", "mem_0008"]
    assert {day: len(ids) for day, ids in index["time_index"].items()} == {"2025-10-12": many}
    assert len(index["persona_index"]["synthesis"]) == many // 3
    assert len(index["importance_index"]) == 100
    first = {"memory_id": f"mem_{many - 1:04d}", "importance": (many - 1) / 1000}
    assert index["importance_index"][0] == first
    memory.remember("one more", session="sess_0", tags=["tag3"])
    memory.export_to(tmp_path / "b", form="coordinates")
    index = json.loads((tmp_path / "b" / "memory" / "index.json").read_text(encoding="utf-8"))
    assert index["total_memories"] == many + 1
    assert len(index["keyword_index"]["tag3"]) == many // 5 + 1


def test_only_what_is_alive_is_written(memory: Saegim, tmp_path: Path) -> None:
    """Leaving and superseded memories are in no session; dormant ones are in no index."""
    gone, old, asleep = (memory.remember(text).id for text in ("bye", "before", "asleep"))
    memory.forget(gone)
    new = memory.update(old, "after").id
    commit(memory, Dozed(asleep))
    held = written(memory, tmp_path / "a")
    assert [each["memory_id"] for each in held["memory/sessions/no_session.jsonl"]] == [asleep, new]
    assert held["index.json"]["total_memories"] == 2
    assert held["index.json"]["time_index"] == {"2026-01-01": [new]}
    assert set(held["index.json"]["keyword_index"]) == {"after"}


def test_a_ledger_line_loses_its_feeling_words_with_its_memory(
    memory: Saegim, tmp_path: Path
) -> None:
    """Ledger exports take words from living memories; once forgotten, they are empty (DESIGN 6)."""
    shape = coordinate(RESONANCE["memory_refs"][0])
    memory.import_from(put(tmp_path / "a", [shape], [RESONANCE]))
    name = "resonance_ledger/ledger-20251012.jsonl"
    assert written(memory, tmp_path / "b")[name] == [RESONANCE]
    commit(memory, Archived(shape["memory_id"], memory.mind.now()))
    quiet = written(memory, tmp_path / "c")[name]
    assert quiet[0]["bqi_coordinate"]["emotion"] == {"affect": 0.68, "keywords": []}
    assert quiet[0]["memory_refs"] == RESONANCE["memory_refs"]


def test_the_config_tells_our_own_values(memory: Saegim, tmp_path: Path) -> None:
    """Without a config of its own a folder gets ours, with every key of seed A §4.2."""
    config = written(memory, tmp_path / "a")["config.json"]
    assert config == CONFIG
    assert config["retention_policy"]["max_sessions"] is None
    assert set(config["storage"]) == {"format", "compression", "backup_enabled", "backup_path"}


# -- bad input ------------------------------------------------------------------------------------


def broken(part: str, **fields: Any) -> dict[str, Any]:
    """A coordinate with one part spoilt."""
    return coordinate("mem_bad", **{part: fields})


def without(*path: str) -> dict[str, Any]:
    """A coordinate with one field missing."""
    shape = coordinate("mem_bad")
    held = shape
    for name in path[:-1]:
        held = held[name]
    del held[path[-1]]
    return shape


BAD_LINES: dict[str, tuple[Any, str]] = {
    "no id": (without("memory_id"), "memory_id"),
    "no time": (without("timestamp"), "timestamp"),
    "no words": (without("content", "response_full"), "response_full"),
    "empty words": (broken("content", response_full=" "), "empty"),
    "words of a wrong type": (broken("content", response_full=5), "5"),
    "an unknown field": (coordinate("mem_bad") | {"colour": 1}, "'colour'"),
    "an unknown inner field": (broken("space", colour=1), "'colour'"),
    "a part of a wrong type": (coordinate("mem_bad") | {"space": "here"}, "space"),
    "a text for a list": (broken("metadata", tags="tea"), "tags must be a list"),
    "a text for files": (broken("space", file_context="a.py"), "file_context must be a list"),
    "a text for children": (broken("relations", child_memory_ids="mem_1"), "child_memory_ids"),
    "a sequence of letters": (broken("time", sequence="third"), "third"),
    "a persona of a wrong type": (broken("agent", persona_id=[1]), "[1]"),
    "a snapshot of a wrong type": (broken("metadata", bqi_snapshot=[1]), "type"),
    "a rating of nine": (broken("metadata", user_rating=9), "rating"),
    "a session that climbs": (broken("time", session_id="../../up"), "../../up"),
    "an id that climbs": (coordinate("../up"), "../up"),
    "a NUL": (broken("content", response_full="a\0b"), "NUL"),
    "a lone surrogate": (broken("agent", role="\ud800"), "half of a character"),
    "not an object": ([1], "not a JSON object"),
}


@pytest.mark.parametrize("name", BAD_LINES)
def test_a_bad_line_is_named_and_the_rest_is_imported(
    memory: Saegim, tmp_path: Path, name: str
) -> None:
    """One bad record does not stop the others, and is named with its place and reason (U8.4)."""
    shape, named = BAD_LINES[name]
    folder = put(tmp_path / "a", [coordinate("mem_1")])
    file = folder / "memory" / "sessions" / "sess_1.jsonl"
    with file.open("a", encoding="utf-8") as appended:
        appended.write(f"{json.dumps(shape)}\n{json.dumps(coordinate('mem_2'))}\n{{cut")
    report = memory.import_from(folder)
    assert report.added == 2
    first, second = report.problems
    assert first.startswith("sessions/sess_1.jsonl line 2: ")
    assert named in first
    assert second.startswith("sessions/sess_1.jsonl line 4: It is not JSON")
    memory.export_to(tmp_path / "b", form="coordinates")


def test_a_newer_folder_is_refused_before_anything_is_written(
    memory: Saegim, tmp_path: Path
) -> None:
    """A format we do not know is not guessed at (U8.4)."""
    folder = put(tmp_path / "a", [coordinate("mem_1")])
    (folder / "memory" / "index.json").write_text('{"index_version":"2.0"}', encoding="utf-8")
    before = memory.maintenance.verify()
    with pytest.raises(BadInput, match=r"'2\.0'"):
        memory.import_from(folder)
    assert memory.maintenance.verify() == before
    (folder / "memory" / "index.json").write_text("{stale", encoding="utf-8")
    assert memory.import_from(folder).added == 1


def test_other_words_under_a_known_id_are_a_conflict(memory: Saegim, tmp_path: Path) -> None:
    """An import overwrites nothing; ratings and importance given here are no conflict (U35.2)."""
    memory.import_from(put(tmp_path / "a", [coordinate("mem_1")]))
    other = coordinate("mem_1", content={"response_full": "other"}, metadata={"importance": 0.1})
    report = memory.import_from(put(tmp_path / "b", [other]))
    assert report.conflicts == (
        "sessions/sess_1.jsonl line 1: mem_1 is here with another content.response_full",
    )
    rated = coordinate("mem_1", metadata={"importance": 0.1, "user_rating": 5})
    assert memory.import_from(put(tmp_path / "c", [rated])).known == 1


def test_bad_files_beside_the_good_are_named(memory: Saegim, tmp_path: Path) -> None:
    """Links, odd names and broken files are left unread and said so (U8.4, attack 60)."""
    folder = put(tmp_path / "a", [coordinate("mem_1")], [RESONANCE])
    outside = tmp_path / "outside.jsonl"
    outside.write_text(json.dumps(coordinate("mem_out")) + "\n", encoding="utf-8")
    (folder / "memory" / "sessions" / "link.jsonl").symlink_to(outside)
    (folder / "resonance_ledger" / "ledger-today.jsonl").write_text("{}", encoding="utf-8")
    (folder / "resonance_ledger" / "ledger-20251013.jsonl").write_text("[]\n{x", encoding="utf-8")
    (folder / "memory" / "config.json").write_text('{"a": NaN}', encoding="utf-8")
    report = memory.import_from(folder)
    assert (report.added, report.pages) == (1, 1)
    assert [problem.partition(":")[0] for problem in report.problems] == [
        "config.json",
        "ledger-20251013.jsonl line 1",
        "ledger-20251013.jsonl line 2",
        "ledger-today.jsonl",
        "sessions/link.jsonl",
    ]


# -- names and places -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "session",
    ["a/../../b", "/etc/passwd", "..\\up", "%2e%2e", "a\0b", "CON", "nul", "x" * 300, "a.", "a／b",
     "-rf", "세션 하나", "a:b", "no_session", "", "No_Session", "."],
)  # fmt: skip
def test_a_session_name_never_leads_out_of_the_folder(session: str, tmp_path: Path) -> None:
    """Only letters, digits, _ and - of at most 64 reach the file system (attack 60)."""
    names = file_names(["plain", session])
    assert names["plain"] == "plain"
    name = names[session]
    assert set(name) <= set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")
    assert 0 < len(name) <= 64
    assert not name.startswith("-")
    assert (name.lower() == "no_session") == (session == "")
    assert name.lower() not in ("con", "nul")
    assert (tmp_path / f"{name}.jsonl").resolve().parent == tmp_path.resolve()


def test_sessions_that_differ_only_in_case_have_files_of_their_own(
    memory: Saegim, tmp_path: Path
) -> None:
    """On a file system that knows no case, no session overwrites another (attack 60)."""
    for number, session in enumerate(("Tea", "tea", "TEA", "tea/pot", "tea pot")):
        memory.remember(f"cup {number}", session=session)
    memory.export_to(tmp_path / "a", form="coordinates")
    files = sorted((tmp_path / "a" / "memory" / "sessions").iterdir())
    assert len({file.name.lower() for file in files}) == 5
    with Saegim.open(tmp_path / "other.db") as other:
        other.import_from(tmp_path / "a")
        assert set(other.sessions.ids()) == {"Tea", "tea", "TEA", "tea/pot", "tea pot"}


def test_a_page_from_elsewhere_cannot_name_a_file(memory: Saegim, tmp_path: Path) -> None:
    """A crafted page that came with an export neither escapes nor stops the next (attack 60)."""
    for key in ("resonance:../../up:1", "resonance", "resonance:20251012:1:2", "resonance:x:y"):
        commit(memory, Written(Page(key=key, kind="resonance", data={"a": 1})))
    commit(memory, Written(Page(key="coordinates:x", kind="coordinates", data={"memories": 5})))
    held = written(memory, tmp_path / "out" / "a")
    assert set(held) == {"config.json", "index.json"}
    assert {each.name for each in (tmp_path / "out").iterdir()} == {"a"}


def test_an_export_does_not_mix_with_strangers(memory: Saegim, tmp_path: Path) -> None:
    """Files of another export stay where they are and are named; nothing is deleted (U24.2)."""
    memory.remember("here", session="s1")
    memory.export_to(tmp_path / "a", form="coordinates")
    stranger = tmp_path / "a" / "memory" / "sessions" / "other.jsonl"
    stranger.write_text("theirs", encoding="utf-8")
    with pytest.raises(Refused, match=r"other\.jsonl"):
        memory.export_to(tmp_path / "a", form="coordinates")
    assert stranger.read_text(encoding="utf-8") == "theirs"


def test_an_export_does_not_follow_links_out(memory: Saegim, tmp_path: Path) -> None:
    """A link inside the folder that leads elsewhere is refused (attack 60)."""
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "a" / "memory").mkdir(parents=True)
    (tmp_path / "a" / "memory" / "sessions").symlink_to(tmp_path / "elsewhere")
    memory.remember("here")
    with pytest.raises(Refused, match="leads out"):
        memory.export_to(tmp_path / "a", form="coordinates")
    assert list((tmp_path / "elsewhere").iterdir()) == []

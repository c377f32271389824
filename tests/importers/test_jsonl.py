"""Our own export: complete, streamed, strict, and the same bytes after a round trip."""

from __future__ import annotations

import json
import tempfile
from datetime import UTC, datetime, timedelta, timezone
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from demo_life import spoken_days
from saegim import FixedClock, Saegim, filesystem
from saegim.errors import BadInput, NotFound
from saegim.importers import jsonl
from saegim.memory.changes import Archived, Change, Erased, Linked, Met, Saved, Written
from saegim.memory.entities import DERIVED_FROM, REFERS_TO, SUPERSEDES, Entity, Link, Page
from saegim.memory.memory import (
    Content,
    Emotion,
    Feeling,
    Kind,
    Life,
    Memory,
    Origin,
    Provenance,
    Reason,
    Rhythm,
    Scope,
    State,
    Tier,
    Time,
    Worth,
)
from saegim.memory.record import to_record
from saegim.memory.text import normalise
from saegim.store.commit import Batch
from stand_ins import rounds

AT = datetime(2026, 5, 4, 18, 30, 0, 123456, tzinfo=timezone(timedelta(hours=9)))
HEADER = '{"saegim":"export","version":1}'


def commit(memory: Saegim, *changes: Change) -> None:
    """Make changes true, as any part of the house may."""
    mind = memory.mind
    owner = memory.scope.user
    vectors: dict[str, Any] = {}
    for change in changes:
        if isinstance(change, Saved):
            vectors[change.memory.id] = mind.embedder.embed([change.memory.text], "document")[0]
    identity = mind.embedder.identity if vectors else None
    mind.store.commit(Batch(owner, changes, "test", mind.now(), vectors=vectors, identity=identity))


def numbered(number: int, **fields: Any) -> Memory:
    """A memory of its own number, at its own minute."""
    at = AT + timedelta(minutes=number)
    scope = Scope(
        "me", "cli" if number % 2 else "", "garden" if number % 3 else "", f"s{number % 7}"
    )
    held = {
        "id": f"mem_{number:06d}",
        "scope": scope,
        "text": f'{number}번째 기억: tea at {number} o\'clock\nand "more" \u2028 🌱',
        "time": Time(happened_at=at, recorded_at=at.astimezone(UTC), sequence=number),
    }
    return Memory(**{**held, **fields})


def varied(number: int) -> Memory:
    """A memory whose state, worth and coordinates depend on its number."""
    later = AT + timedelta(days=number)
    state = jsonl.KEPT_STATES[number % len(jsonl.KEPT_STATES)]
    leaving = state is State.LEAVING
    return numbered(
        number,
        kind=list(Kind)[number % len(Kind)],
        visibility="shared" if number % 11 == 0 else "private",
        provenance=Provenance(origin=list(Origin)[number % len(Origin)], author="민호", turn="t1"),
        emotion=Emotion(feelings=(Feeling.JOY, Feeling.SADNESS), intensity=0.5, affect=1),
        content=Content(tags=("tea", f"n{number}"), brief="차", triples=(("나", "마신다", "차"),)),
        worth=Worth(importance=number % 10 / 10, rating=number % 5 + 1, recalled=number, used=1),
        life=Life(
            tier=list(Tier)[number % len(Tier)],
            state=state,
            pinned=number % 2 == 0,
            immutable=number % 13 == 0,
            expires_at=later,
            leaving_since=AT if leaving else None,
            leaving_until=later if leaving else None,
            leaving_reason=Reason.MANUAL if leaving else None,
        ),
        rhythm=Rhythm(phase="integration", words=("clarity",), snapshot={"depth": [1, 1.0, None]}),
    )


def filled(memory: Saegim, count: int) -> None:
    """Fill a memory with all nouns in all states."""
    for start in range(0, count, 500):
        commit(memory, *(Saved(varied(n)) for n in range(start, min(start + 500, count))))
    ties = [
        Link(source="mem_000001", type=SUPERSEDES, target="mem_000000", weight=2.5, created_at=AT),
        Link(source="entity:chat:minho", type="likes", target="tea", negative=True),
        Link(source="mem_000002", type=DERIVED_FROM, target="mem_000001", touched_at=AT),
    ]
    commit(memory, *map(Linked, ties), Linked(ties[0]))
    for days, score in ((0, 0.5), (1, -0.25), (2, 1.0)):
        friend = Entity(
            name="민호",
            platform="chat",
            aliases=("Minho",),
            first_seen_at=AT,
            last_seen_at=AT + timedelta(days=days),
            interactions=days + 1,
            sentiment_score=score,
            sentiment=f"day {days}",
        )
        commit(memory, Met(friend))
    for version in (1, 2, 3):
        data = {"strength": version / 2, "whole": version}
        commit(memory, Written(Page(key="island:home", kind="island", data=data, body="집")))


def export(memory: Saegim, path: Path) -> bytes:
    """Export and return the bytes."""
    memory.export_to(path)
    return path.read_bytes()


def test_an_export_comes_back_byte_for_byte(memory: Saegim, tmp_path: Path) -> None:
    """Export, import, export gives the same bytes: every state, version, tie and time (U24.2)."""
    # More than one chunk of an export by day too.
    many = rounds(2000, 600)
    filled(memory, many)
    first = export(memory, tmp_path / "first.jsonl")
    assert first.count(b"\n") == 1 + many + 3 + 1 + 3
    # Another hour and another zone of the clock must leave no trace.
    clock = FixedClock(AT + timedelta(days=400))
    with Saegim.open(tmp_path / "other.db", clock=clock) as other:
        report = other.import_from(tmp_path / "first.jsonl")
        assert (report.read, report.added, report.known) == (many, many, 0)
        assert (report.links, report.entities, report.pages) == (3, 1, 3)
        assert (report.conflicts, report.problems, report.form) == ((), (), "jsonl")
        assert export(other, tmp_path / "second.jsonl") == first
        key = other.mind.store.entities.of(other.scope)[0].key
        assert other.mind.store.entities.sentiment_history(
            other.scope, key
        ) == memory.mind.store.entities.sentiment_history(memory.scope, key)
        again = other.import_from(tmp_path / "first.jsonl")
        assert (again.added, again.known, again.links, again.entities, again.pages) == (
            (0, many, 0, 0, 0)
        )
        assert again.conflicts == ()
        assert other.maintenance.verify()[0] > many


@pytest.mark.parametrize("language", ["en", "ko"])
def test_what_was_felt_in_a_life_comes_back_as_it_was(
    language: str, memory: Saegim, tmp_path: Path
) -> None:
    """No meeting takes on how they stand now: of who was met often, those are two numbers."""
    for day in spoken_days(language):
        at = AT - timedelta(days=day["ago"])
        memory.remember(day["text"], kind=day["kind"], happened_at=at)
    first = export(memory, tmp_path / "first.jsonl")
    entities = memory.mind.store.entities
    met = {each.key: each.sentiment_score for each in entities.of(memory.scope)}
    felt = {each: entities.sentiment_history(memory.scope, each) for each in met}
    assert any(points[-1].score != met[each] for each, points in felt.items())
    with Saegim.open(tmp_path / "other.db") as other:
        other.import_from(tmp_path / "first.jsonl")
        theirs = other.mind.store.entities
        assert {each: theirs.sentiment_history(other.scope, each) for each in met} == felt
        assert export(other, tmp_path / "second.jsonl") == first


def test_a_tampered_export_does_not_come_back_byte_for_byte(memory: Saegim, tmp_path: Path) -> None:
    """The comparison of bytes notices one changed number (negative control of U24.2)."""
    filled(memory, 10)
    first = export(memory, tmp_path / "first.jsonl")
    tampered = first.replace(b'"recalled":5', b'"recalled":6', 1)
    assert tampered != first
    (tmp_path / "tampered.jsonl").write_bytes(tampered)
    with Saegim.open(tmp_path / "other.db") as other:
        other.import_from(tmp_path / "tampered.jsonl")
        assert export(other, tmp_path / "second.jsonl") != first


texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20)


@settings(max_examples=15)
@given(
    text=texts.filter(normalise),
    author=texts,
    tags=st.lists(texts.map(str.strip).filter(normalise), max_size=3, unique=True).map(tuple),
    snapshot=st.dictionaries(texts, st.none() | st.floats(-9, 9) | st.integers(0, 9) | texts),
    affect=st.none() | st.floats(0, 1) | st.sampled_from((0, 1)),
    minutes=st.none() | st.floats(0, 1e4) | st.integers(0, 90),
)
def test_any_memory_survives_the_store_and_the_file(
    text: str,
    author: str,
    tags: tuple[str, ...],
    snapshot: dict[str, Any],
    affect: Any,
    minutes: Any,
) -> None:
    """Whatever text and numbers a memory carries, the second export equals the first (U24.2)."""
    kept = Memory(
        id="mem_1",
        scope=Scope("me"),
        text=text,
        time=Time(happened_at=AT, recorded_at=AT, minutes_into_session=minutes),
        provenance=Provenance(author=author),
        content=Content(tags=tags),
        emotion=Emotion(affect=affect),
        rhythm=Rhythm(snapshot=snapshot),
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder)
        with Saegim.open(path / "a.db") as one, Saegim.open(path / "b.db") as two:
            commit(one, Saved(kept))
            first = export(one, path / "first.jsonl")
            assert two.import_from(path / "first.jsonl").problems == ()
            assert export(two, path / "second.jsonl") == first
            assert two.get("mem_1").text == text
            assert two.get("mem_1").time.happened_at.utcoffset() == timedelta(hours=9)


def test_the_format_is_plain_text_in_its_own_letters(memory: Saegim, tmp_path: Path) -> None:
    """An export is UTF-8, one compact object a line, and names no time of its own (U24.2)."""
    commit(memory, Saved(numbered(1, text="새김")))
    raw = export(memory, tmp_path / "out.jsonl")
    header, line = raw.decode("utf-8").splitlines()
    assert header == HEADER
    assert '"text":"새김"' in line
    assert line == json.dumps(json.loads(line), ensure_ascii=False, separators=(",", ":"))
    memory.mind.clock.forward(days=3)  # type: ignore[attr-defined]
    assert export(memory, tmp_path / "later.jsonl") == raw


def test_forgotten_words_are_not_in_an_export(memory: Saegim, tmp_path: Path) -> None:
    """What left the live store for the archive, or was erased, is not exported (DESIGN 4b)."""
    commit(memory, Saved(numbered(1, text="비밀")), Saved(numbered(2)), Saved(numbered(3)))
    commit(memory, Archived("mem_000001", AT), Erased("mem_000003"))
    raw = export(memory, tmp_path / "out.jsonl").decode()
    assert "비밀" not in raw
    assert [json.loads(line)["memory"]["id"] for line in raw.split("\n")[1:-1]] == ["mem_000002"]


def test_an_export_is_made_line_by_line(memory: Saegim) -> None:
    """Export holds a chunk, not the store: what comes while it runs is still met (U24.2)."""
    commit(memory, *(Saved(numbered(n)) for n in range(600)))
    lines = jsonl.lines(memory.scope, memory.mind.store)
    assert len(list(islice(lines, 2))) == 2
    commit(memory, Saved(numbered(600)))
    rest = list(lines)
    assert len(rest) == 600
    assert '"mem_000600"' in rest[-1]


def test_a_file_is_read_line_by_line(tmp_path: Path) -> None:
    """Import holds a line, not the file: what is appended while it runs is still met (U24.2)."""
    path = tmp_path / "in.jsonl"
    line = jsonl.compact({"memory": to_record(numbered(1))})
    path.write_text("\n".join([HEADER, *[line] * 2000]) + "\n", encoding="utf-8")
    found = jsonl.read(path, "me")
    assert isinstance(next(found), jsonl.JsonlRecord)
    with path.open("a", encoding="utf-8") as file:
        file.write(line + "\n")
    assert len(list(found)) == 2000


def test_a_line_too_long_to_hold_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A line without an end cannot fill the memory; the lines after it are read (U8.4)."""
    monkeypatch.setattr(jsonl, "MAX_LINE", 1000)
    path = tmp_path / "in.jsonl"
    good = jsonl.compact({"link": to_record(Link(source="a", type=REFERS_TO, target="b"))})
    path.write_text("\n".join([HEADER, "x" * 2000, good]), encoding="utf-8")
    bad, found = jsonl.read(path, "me")
    assert bad == jsonl.Problem("line 2", "The line is longer than 1,000 bytes.")
    assert isinstance(found, jsonl.JsonlRecord)
    assert found.where == "line 3"


def test_a_failed_export_leaves_the_old_file_whole(memory: Saegim, tmp_path: Path) -> None:
    """An export is written beside its place and renamed, so no half of one is ever seen (U24.2)."""
    path = tmp_path / "out.jsonl"
    path.write_text("old", encoding="utf-8")

    def fail_half_way() -> None:
        with filesystem.replacing(path) as file:
            file.write("half")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail_half_way()
    assert path.read_text(encoding="utf-8") == "old"
    assert export(memory, path).startswith(HEADER.encode())
    assert sorted(each.name for each in tmp_path.glob("*.jsonl")) == ["out.jsonl"]
    assert list(tmp_path.glob(".saegim-*")) == []


def test_an_export_into_nowhere_is_refused(memory: Saegim, tmp_path: Path) -> None:
    """A folder that is not there is named, not made (U24.2)."""
    with pytest.raises(BadInput, match="missing"):
        memory.export_to(tmp_path / "missing" / "out.jsonl")


# -- bad input ------------------------------------------------------------------------------------


def state(memory: Saegim) -> tuple[Any, ...]:
    """Everything an import could have changed."""
    store = memory.mind.store
    return memory.maintenance.verify(), memory.recent(100).total, len(store.links.all(memory.scope))


@pytest.mark.parametrize(
    ("content", "named"),
    [
        (b"", "is empty"),
        (b"\n\n", "is empty"),
        (b'{"memory":{}}\n', "not an export"),
        (b"id,text\n1,hello\n", "not an export"),
        (b"\x00\x01\x02", "not an export"),
        (b"\xff\xfe{\x00", "not an export"),
        (b'{"saegim":"export","version":2}\n', "version 2"),
        (b'{"saegim":"export","version":"1"}\n', "not an export"),
        (b'{"saegim":"export","version":true}\n', "not an export"),
        (b'{"saegim":"export","version":1,"with":"love"}\n', "not an export"),
        (b'{"saegim":"backup","version":1}\n', "not an export"),
        (b"[" * 100_000, "not an export"),
    ],
)
def test_a_file_that_is_not_ours_is_refused_before_anything_is_written(
    memory: Saegim, tmp_path: Path, content: bytes, named: str
) -> None:
    """Another format or a newer version is refused whole, naming the file (U8.4)."""
    commit(memory, Saved(numbered(1)))
    path = tmp_path / "in.jsonl"
    good = jsonl.compact({"memory": to_record(numbered(2))}).encode()
    path.write_bytes(content + good * content.startswith(b"{"))
    before = state(memory)
    with pytest.raises(BadInput, match=named) as raised:
        memory.import_from(path)
    assert str(path) in raised.value.message
    assert raised.value.next_step
    assert state(memory) == before


def test_a_missing_file_is_named(memory: Saegim, tmp_path: Path) -> None:
    """There is nothing to read where nothing is (U8.4)."""
    with pytest.raises(NotFound, match="nowhere"):
        memory.import_from(tmp_path / "nowhere.jsonl")


def record(**changes: Any) -> dict[str, Any]:
    """The record of a good memory with something changed."""
    return {**to_record(numbered(9)), **changes}


def spoilt(**changes: Any) -> str:
    """The line of a memory with something changed, in ASCII."""
    return json.dumps({"memory": record(**changes)})


BAD_LINES: dict[str, tuple[str | bytes, str]] = {
    "not JSON": ("{oops", "not JSON"),
    "cut short": (spoilt()[:60], "not JSON"),
    "not UTF-8": (b'{"memory":"\xff"}', "not UTF-8"),
    "a raw NUL": (b'{"memory":{"text":"a\x00b"}}', "control character"),
    "an escaped NUL": (spoilt(text="a\0b"), "NUL"),
    "a NUL in a tag": (spoilt(content={"tags": ["a\0"]}), "NUL"),
    "a lone surrogate": (spoilt(text="a\ud800"), "half of a character"),
    "a surrogate in an author": (spoilt(provenance={"author": "\udfff"}), "half of a character"),
    "a list": ("[]", "not an object"),
    "nothing": ("{}", "not an object"),
    "a number": ("7", "not an object"),
    "another noun": ('{"dream":{}}', "'dream'"),
    "two nouns": ('{"memory":{},"link":{}}', "'link'"),
    "an unknown field": (spoilt(colour="gold"), "'colour'"),
    "an unknown inner field": (spoilt(life={"colour": 1}), "'colour'"),
    "a field twice": ('{"memory":{"id":"a","id":"b"}}', "'id' stands twice"),
    "no words": (spoilt(text="  "), "empty"),
    "words of a wrong type": (spoilt(text=5), "5"),
    "no text": ('{"memory":{"id":"mem_9"}}', "'text'"),
    "a bad id": (spoilt(id="../up"), "../up"),
    "a bad project": (spoilt(scope={"project": "../up"}), "../up"),
    "no date": (spoilt(time={"happened_at": "soon", "recorded_at": "soon"}), "'soon'"),
    "a date out of the calendar": (
        spoilt(
            time={"happened_at": "0001-01-01T00:00:00+09:00", "recorded_at": "2026-01-01T00:00:00Z"}
        ),
        "happened_at",
    ),
    "a kind unheard of": (spoilt(kind="rumour"), "rumour"),
    "a text for a list": (spoilt(content={"tags": "tea"}), "tags must be a list"),
    "a triple of two": (spoilt(content={"triples": [["a", "b"]]}), "triple"),
    "a triple of letters": (spoilt(content={"triples": ["abc"]}), "triple"),
    "a text for an object": (spoilt(rhythm={"snapshot": "abc"}), "snapshot"),
    "importance too high": (spoilt(worth={"importance": 2}), "importance"),
    "not a number": (spoilt(worth={"repeat": float("nan")}), "NaN"),
    "a number without end": (spoilt(worth={"repeat": 5}).replace("5}", "1e999}"), "too large"),
    "an integer too large": (spoilt(worth={"recalled": 10**30}), "too large"),
    "an integer of 5,000 digits": ('{"memory":' + "9" * 5000 + "}", "too large"),
    "nested too deeply": ("[" * 100_000, "deep"),
    "forgotten": (spoilt(life={"state": "forgotten"}), "forgotten"),
    "a text too long": (spoilt(text="x" * 1_000_001), "1,000,001"),
    "a link to nothing": ('{"link":{"source":"a","type":"t","target":""}}', "target"),
    "a link with ::": ('{"link":{"source":"a::b","type":"t","target":"c"}}', "source"),
    "a link before the calendar": (
        '{"link":{"source":"a","type":"t","target":"b","created_at":"0001-01-01T00:00:00+09:00"}}',
        "created_at",
    ),
    "an entity without a name": ('{"entity":{"name":" "}}', "name"),
    "a history of a wrong type": ('{"entity":{"name":"a"},"history":"x"}', "history"),
    "a page without a kind": ('{"page":{"key":"a","kind":""}}', "kind"),
    "a page of text": ('{"page":{"key":"a","kind":"b","data":"c"}}', "data"),
    "a later page": ('{"page":{"key":"a","kind":"b","version":3}}', "version 3"),
}


@pytest.mark.parametrize("name", BAD_LINES)
def test_a_bad_line_is_named_and_the_rest_is_imported(
    memory: Saegim, tmp_path: Path, name: str
) -> None:
    """One bad record does not stop the others, and is named with its line and reason (U8.4)."""
    line, named = BAD_LINES[name]
    raw = line if isinstance(line, bytes) else line.encode()
    good = [jsonl.compact({"memory": to_record(numbered(n))}).encode() for n in (1, 2)]
    path = tmp_path / "in.jsonl"
    path.write_bytes(b"\r\n".join([b"\xef\xbb\xbf" + HEADER.encode(), good[0], raw, b"", good[1]]))
    report = memory.import_from(path)
    assert report.added == 2
    assert len(report.problems) == 1
    assert report.problems[0].startswith("line 3: ")
    assert named in report.problems[0]
    assert memory.recent(10).total == 2
    assert [each.id for each in memory.search("tea")] == ["mem_000002", "mem_000001"]
    memory.maintenance.verify()
    memory.export_to(tmp_path / "out.jsonl")

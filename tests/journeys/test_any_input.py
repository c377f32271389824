"""Any string is a question (U29), and what is refused is named, verb by verb."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saegim import FixedClock, Saegim
from saegim.errors import BadInput, SaegimError
from stand_ins import rounds, shelve

# -- U29: any string is a question ----------------------------------------------------------------

SPECIAL = {
    "agentic-os": "We moved the runner to agentic-os last week",
    "C++": "The renderer is written in C++ for speed",
    "C#": "The importer was ported to C# by the other team",
    ".env": "Never commit the .env file of the staging host",
    "ubuntu 20.04": "The build machine still runs ubuntu 20.04",
    "/usr/local/bin/tool": "Installed to /usr/local/bin/tool by the script",
    "C:\\Users\\홍 길동": "설정은 C:\\Users\\홍 길동 폴더에 있다",
    "KeyError: 'session_id'": "It failed with KeyError: 'session_id' in line 42",
    "foo::bar<T>": "Call foo::bar<T> before the loop",
    "O'Brien": "O'Brien signs the contract",
    "pre-edit": "Run the pre-edit hook first",
    "3,000원": "점심은 3,000원이다",
    "🐕": "오늘은 🐕 산책을 했다",
    "ㅋㅋㅋ": "그는 ㅋㅋㅋ 하고 웃었다",
    'say "hello world"': 'The bot must say "hello world" at start',
    "naïve café": "The naïve café plan was dropped",
    "user@example.com": "Write to user@example.com about it",
    "SELECT * FROM memory": "He typed SELECT * FROM memory into the chat",
    "日本語": "日本語の資料は棚にある",
}


def test_special_strings_find_their_memory(memory: Saegim) -> None:
    """U29.1: versions, paths, languages, quotes and stack traces are found by themselves."""
    kept = {query: memory.remember(text).id for query, text in SPECIAL.items()}
    for n in range(30):
        memory.remember(f"a distractor about plans and machines, number {n}")
    for query, id in kept.items():
        assert memory.recall(query, limit=3).hits[0].memory.id == id, query
        assert id in {each.id for each in memory.search(query)}, query


OPERATORS = st.sampled_from(
    [
        *"\"'()*:^+-~{}[]<>|&;,.?!@#$%=\\/`_",
        *("AND", "OR", "NOT", "NEAR", "NEAR(", "text:", "scope :", "rowid", "*", '""', "--", "/*"),
        *("\x00", "\ud800", "\udfff", "\u200b", "\ufeff", "\u202e", "😀", "👩\u200d👧", "ㄱ", "ㅏ"),
        *(
            "ᄀ",
            "각",
            "가",
            "はな",
            "漢",
            "ﬁ",
            "ｗ",
            "é",
            "ß",
            "İ",
            "kettle",
            "보리차는",
            "20.04",
            "\n",
        ),
        *("m.owner", ":owner", "?1", "%s", "{0}", "';DROP TABLE memory;--", "a" * 300, "가" * 300),
    ]
)
ANYTHING = st.text(st.characters(exclude_categories=()), max_size=8)
QUESTIONS = st.lists(OPERATORS | ANYTHING, max_size=12)


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Return one memory with a few texts, for questions that change nothing."""
    with Saegim.open(tmp_path_factory.mktemp("fuzz") / "m.db", clock=FixedClock()) as memory:
        shelve(memory, [*SPECIAL.values(), "kettle", "보리차는 맛있다"], session="s")
        yield memory


@settings(max_examples=rounds(6_250, 30))
@given(st.lists(QUESTIONS.map(" ".join) | QUESTIONS.map("".join), min_size=8, max_size=8))
def test_any_string_is_a_valid_question(shelf: Saegim, questions: list[str]) -> None:
    """U29.1: strings of operators, quotes, jamo, emoji, NUL, halves; 50,000 by night: no error."""
    for question in questions:
        found = shelf.recall(question)
        assert all(hit.memory.scope.user == "me" for hit in found.hits)
        assert isinstance(shelf.search(question), list)


@pytest.mark.parametrize("part", ["kettle ", "가", '"', "AND ", "\x00", "a-"])
def test_a_hundred_kilobytes_are_a_valid_question(shelf: Saegim, part: str) -> None:
    """U29.1: a pasted document is a question too."""
    question = part * (100_000 // len(part))
    shelf.recall(question)
    shelf.search(question)


@settings(max_examples=rounds(2000, 50))
@given(text=st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=40))
def test_any_whole_text_is_kept_or_refused_and_what_is_kept_comes_back(
    shelf: Saegim, text: str
) -> None:
    """U1.1 and U29.1: every string is a memory or a clear error, and a memory is exact."""
    view = shelf.within(user="writer")
    try:
        kept = view.remember(text, happened_at="2026-01-01")
    except BadInput:
        return
    assert view.get(kept.id).text == text


# -- bad input, verb by verb ----------------------------------------------------------------------

HUGE = "x" * 5_000_000
REFUSED: dict[str, Callable[[Saegim, str], Any]] = {
    "remember nothing": lambda m, id: m.remember(""),
    "remember blank": lambda m, id: m.remember(" \n "),
    "remember unseen": lambda m, id: m.remember("\u200b\ufeff"),
    "remember NUL": lambda m, id: m.remember("a\x00b"),
    "remember half": lambda m, id: m.remember("a\ud800"),
    "remember 5 MB": lambda m, id: m.remember(HUGE),
    "remember a number": lambda m, id: m.remember(5),  # type: ignore[arg-type]
    "remember None": lambda m, id: m.remember(None),  # type: ignore[arg-type]
    "remember bytes": lambda m, id: m.remember(b"tea"),  # type: ignore[arg-type]
    "remember a list": lambda m, id: m.remember(["tea"]),  # type: ignore[arg-type]
    "unknown word": lambda m, id: m.remember("x", colour="red"),
    "bad tag": lambda m, id: m.remember("x", tags=[""]),
    "one tag": lambda m, id: m.remember("x", tags="tea"),
    "many tags": lambda m, id: m.remember("x", tags=[str(n) for n in range(65)]),
    "bad kind": lambda m, id: m.remember("x", kind="thing"),
    "bad tier": lambda m, id: m.remember("x", tier="M1"),
    "a number as time": lambda m, id: m.remember("x", happened_at=20260101),
    "no time": lambda m, id: m.remember("x", happened_at="soon"),
    "30 February": lambda m, id: m.remember("x", happened_at="2026-02-30"),
    "NaN importance": lambda m, id: m.remember("x", importance=float("nan")),
    "rating 6": lambda m, id: m.remember("x", rating=6),
    "bad visibility": lambda m, id: m.remember("x", visibility="everyone"),
    "bad session": lambda m, id: m.remember("x", session="a\x00"),
    "bad key": lambda m, id: m.remember("x", key="\ud800"),
    "correct to nothing": lambda m, id: m.update(id, " "),
    "correct to 5 MB": lambda m, id: m.update(id, HUGE),
    "correct nothing": lambda m, id: m.update("mem_none", "x"),
    "correct no id": lambda m, id: m.update("no id", "x"),
    "ask a number": lambda m, id: m.recall(5),  # type: ignore[arg-type]
    "ask for none": lambda m, id: m.recall("tea", limit=0),
    "ask for too many": lambda m, id: m.recall("tea", limit=10**6),
    "bad filter": lambda m, id: m.recall("tea", colour="red"),
    "bad filter value": lambda m, id: m.search("tea", kind="thing"),
    "time of another sort": lambda m, id: m.search("tea", since=timedelta(days=1)),
    "half filter": lambda m, id: m.recent(author="\ud800"),
    "NaN filter": lambda m, id: m.recent(min_importance=float("nan")),
    "bad page": lambda m, id: m.recent(0),
    "bad cursor": lambda m, id: m.recent(cursor="x"),
    "get nothing": lambda m, id: m.get(""),
    "get unknown": lambda m, id: m.get("mem_none"),
    "history unknown": lambda m, id: m.history("mem_none"),
    "no session": lambda m, id: m.by_session(""),
    "forget nothing": lambda m, id: m.forget(),
    "forget unknown": lambda m, id: m.forget(id, "mem_none"),
    "forget no id": lambda m, id: m.forget(id, "'; DROP TABLE memory; --"),
    "forget all": lambda m, id: m.forgetting.matching(confirm=True),
    "forget no session": lambda m, id: m.forgetting.session(None, confirm=True),  # type: ignore[arg-type]
    "restore nothing": lambda m, id: m.restore(),
    "restore unknown": lambda m, id: m.restore(id, "mem_none"),
    "no backup": lambda m, id: m.maintenance.restore_backup("/nowhere/x.db"),
    "no import": lambda m, id: m.import_from("/nowhere/x.jsonl"),
    "bad form": lambda m, id: m.export_to("/nowhere", form="xml"),
    "bad user": lambda m, id: m.within(user="").remember("x"),
}


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Return one memory that every refusal leaves as it is, and the id of what it holds."""
    with Saegim.open(
        tmp_path_factory.mktemp("bad") / "m.db", clock=FixedClock(), background=False
    ) as memory:
        yield memory, memory.remember("tea").id


@pytest.mark.parametrize("name", REFUSED)
def test_bad_input_is_named_has_a_next_step_and_changes_nothing(
    guarded: tuple[Saegim, str], name: str
) -> None:
    """Bad input: our own error, what is wrong, what to do; the ledger's head stays."""
    memory, id = guarded
    before = memory.maintenance.verify(), memory.status()["memories"]
    with pytest.raises(SaegimError) as caught:
        REFUSED[name](memory, id)
    assert len(caught.value.message) > 10
    assert len(str(caught.value)) < 600
    assert caught.value.next_step
    assert (memory.maintenance.verify(), memory.status()["memories"]) == before
    # Looked at without counting it as used: that is written down when there is time for it.
    assert memory.get(id, counts=False).text == "tea"

"""Words in SQLite: quoted, counted, bounded, and scored in one way."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saegim.errors import BadInput
from saegim.language.words import Basic, Term
from saegim.memory.changes import Erased, Saved
from saegim.memory.memory import Scope
from saegim.store.database import Database
from saegim.store.rows import Where
from saegim.store.search import bm25
from saegim.store.search import bm25 as word_index
from saegim.store.search.bm25 import (
    Counts,
    IndexInFile,
    WordHits,
    WordSearch,
    affordable,
    phrase,
    scope_token,
    usable,
)
from store.places import ME, commit, furnished, keep, memory, tamper

HERE = Where(scope=ME)
NAME = Basic.name


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """Return an empty database."""
    made = furnished(tmp_path / "store.db")
    yield made
    made.close()


def asked(text: str) -> list[Term]:
    """Cut a question into words."""
    return Basic().query(text)


def search(
    database: Database, counts: Counts, terms: list[Term], where: Where, limit: int
) -> WordHits:
    """Ask the index in the file."""
    counts.refresh(database, "words_basic")
    held = IndexInFile(database, "words_basic", where, counts)
    return bm25.search(held, terms, where, limit)


def test_each_analyser_has_a_table_of_its_own() -> None:
    """U3.4: words of two analysers never mix; one without a table is refused."""
    assert word_index.table_of(NAME) != word_index.table_of("kiwi-1")
    with pytest.raises(BadInput, match="other-1"):
        word_index.table_of("other-1")


@given(st.text(max_size=20))
def test_a_phrase_is_quoted_whatever_it_holds(text: str) -> None:
    """U29.1, FAULTS 57: no character of a word is syntax."""
    for term in (Term((text,), text), Term((text, text), text, prefix=True)):
        quoted = phrase(term)
        assert quoted.startswith('"')
        assert quoted.rstrip("*").endswith('"')
        assert '"' not in quoted.rstrip("*")[1:-1]
        assert quoted.endswith("*") is term.prefix


@given(st.sampled_from(["me", "ME", "m e", "민호", "a@b", "a:b"]), st.text("ab@:", min_size=1))
def test_the_token_of_an_owner_is_its_own(one: str, other: str) -> None:
    """U21.1: two owners never share a scope token, and it is one word to the tokenizer."""
    assert (word_index.scope_token(one) == word_index.scope_token(other)) == (one == other)
    assert word_index.scope_token(one).isalnum()


def test_terms_are_asked_once_and_not_without_end() -> None:
    """FAULTS 57: a long question adds cost, not meaning."""
    many = [Term((f"w{n % 50}",), "w") for n in range(200)]
    assert len(usable(many)) == bm25.MAX_TERMS
    assert usable([Term((), "x"), Term(("a",), "a"), Term(("a",), "A")]) == [Term(("a",), "A")]


def test_the_rarest_words_are_asked_first_and_one_always() -> None:
    """FAULTS 57: what is too common to search for is weighed afterwards, and named."""
    rare, common, commoner = (Term((name,), name) for name in ("rare", "common", "commoner"))
    counted = [(commoner, 90_000), (rare, 3), (common, bm25.MAX_POSTINGS - 3)]
    assert affordable(counted) == ([rare, common], [commoner])
    assert affordable([(commoner, 90_000)]) == ([commoner], [])


def test_scores_are_the_same_whether_a_word_was_looked_for_or_weighed_afterwards(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The order does not depend on whether a word was cheap enough for the index to score."""
    for n in range(60):
        keep(database, f"common word number {n} {'rare ' if n % 20 == 0 else ''}{'filler ' * n}")
    straight = search(database, Counts(), asked("common rare"), HERE, 60)
    monkeypatch.setattr(bm25, "MAX_POSTINGS", 10)
    completed = search(database, Counts(), asked("common rare"), HERE, 60)
    assert completed.left_out == ("common",)
    assert straight.left_out == ()
    assert completed.bound == straight.bound
    top = {hit.number: hit.bm25 for hit in straight.hits}
    assert len(completed.hits) >= 3
    for hit in completed.hits:
        assert hit.bm25 == top[hit.number]


def test_words_are_weighed_in_one_way_with_and_without_filters(database: Database) -> None:
    """Issue 20: a question that narrows nothing is scored by the same counts as one that does."""
    for n in range(30):
        keep(database, f"green tea {n}" if n % 3 else f"tea green tea tea {n}")
    plain = search(database, Counts(), asked("green tea 녹차"), HERE, 40)
    narrow = Where(scope=ME, pinned=False)
    assert search(database, Counts(), asked("green tea 녹차"), narrow, 40) == plain


def test_a_word_that_follows_itself_counts_each_time() -> None:
    """Three times tea in a row says it three times, not twice."""
    form = [(" tea ", 1.0)]
    assert bm25.bm25(" tea tea tea | ", 1.0, form) == bm25.bm25(" tea a tea b tea | ", 1.0, form)
    assert bm25.bm25(" tea tea tea | ", 1.0, form) > bm25.bm25(" tea tea | ", 1.0, form)


def test_a_small_owner_is_searched_inside_its_own_part(database: Database) -> None:
    """U21.2: whether the scope token is used or not, the answer is the same."""
    for n in range(40):
        keep(database, f"blue kettle {n}", scope=Scope("you"))
    mine = keep(database, "blue kettle")
    counts = Counts()
    assert len(search(database, counts, asked("kettle"), HERE, 50).hits) == 1
    theirs = Where(scope=Scope("you"))
    assert len(search(database, counts, asked("kettle"), theirs, 50).hits) == 40
    assert mine.scope.user == "me"


def test_counts_are_remembered_and_renewed(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Counts are asked for once, forgotten when the store has changed, and bounded."""
    keep(database, "kettle")
    counts = Counts()
    counts.refresh(database, "words_basic")
    ((kettle,),) = (term.tokens for term in asked("kettle"))
    assert counts.token(database, "words_basic", kettle) == 1
    counts.refresh(database, "words_basic")
    assert counts.held == {kettle: 1}
    keep(database, "kettle again")
    counts.refresh(database, "words_basic")
    assert counts.token(database, "words_basic", kettle) == 2
    monkeypatch.setattr(bm25, "_REMEMBERED_COUNTS", 1)
    assert counts.token(database, "words_basic", "again") == 1
    assert len(counts.held) == 1


def test_a_word_nobody_wrote_costs_nothing_and_is_not_remembered(database: Database) -> None:
    """U1.1: that a word was missing yesterday does not hide it today."""
    keep(database, "tea")
    counts = Counts()
    nothing = search(database, counts, asked("kettle"), HERE, 5)
    assert (nothing.hits, nothing.bound > 0) == ([], True)
    assert counts.held.keys() == {scope_token("me")}
    keep(database, "kettle")
    assert len(search(database, counts, asked("kettle"), HERE, 5).hits) == 1


def test_a_prefix_finds_the_beginning_of_a_word(database: Database) -> None:
    """A term may ask for words that begin with it."""
    keep(database, "kettledrum")
    beginning = [Term(("kettl",), "kettl", prefix=True)]
    hits = search(database, Counts(), beginning, HERE, 5)
    assert [hit.number for hit in hits.hits] == [1]
    assert WordSearch(database, [Basic()]).matched(ME, [1], beginning) == {1: ("kettl",)}


def test_removed_words_are_gone(database: Database) -> None:
    """U26.3: after an erasure neither the index nor its vocabulary knows the word."""
    kept = keep(database, "zqxv kettle")
    keep(database, "other kettle")
    commit(database, Erased(kept.id), Erased(kept.id))
    assert database.rows("SELECT doc FROM words_basic_vocab WHERE term = 'zqxv'") == []
    assert database.rows("SELECT count(*) FROM analysed") == [(1,)]


@pytest.mark.parametrize(
    "harm",
    [
        "UPDATE words_basic_data SET block = zeroblob(100)",
        "DROP TABLE words_basic_idx",
        "DROP TABLE words_basic_config",
        "DELETE FROM words_basic_config",
    ],
)
def test_words_can_be_thrown_away_unread(tmp_path: Path, harm: str) -> None:
    """U8.1: a rebuild never opens the broken index first."""
    database = furnished(tmp_path / "harmed.db")
    keep(database, "kettle")
    database.close()
    tamper(database.path, harm)
    database = Database(database.path)
    with database.writing() as connection:
        word_index.rebuild(connection)
    assert database.rows("SELECT count(*) FROM words_basic") == [(0,)]
    assert database.rows("SELECT count(*) FROM analysed") == [(0,)]
    options = dict(database.rows("SELECT k, v FROM words_basic_config"))
    assert (options["automerge"], options["secure-delete"]) == (0, 1)
    keep(database, "kettle again")
    assert len(search(database, Counts(), asked("kettle"), HERE, 5).hits) == 1
    database.close()


def test_an_empty_index_has_totals_too(database: Database) -> None:
    """A store without memories can be searched."""
    assert bm25.totals(database, "words_basic")[0] == 0
    assert Counts().mean == 1.0
    assert search(database, Counts(), asked("tea"), HERE, 5).hits == []
    assert bm25.idf(10, 10) > 0


def test_a_merge_keeps_every_word(database: Database) -> None:
    """Merging in the background loses nothing."""
    commit(database, *(Saved(memory(f"kettle {n}")) for n in range(30)))
    for n in range(30):
        keep(database, f"kettle {n + 30}")
    with database.writing() as connection:
        word_index.merge(connection, 100)
    assert len(search(database, Counts(), asked("kettle"), HERE, 100).hits) == 60

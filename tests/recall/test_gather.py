"""Each path says whether it ran, what it found, and why not."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from saegim import FixedClock, Recollection, Saegim
from saegim import mind as mind_module
from saegim.engines.brain.model import Static
from saegim.engines.embedder import Embedder, Vector
from saegim.errors import EngineError, StoreCorrupt
from saegim.mind import Mind
from saegim.recall import gather as gathering
from saegim.recall import rank as ranking
from saegim.recall.gather import RecallPath as Way
from saegim.recall.gather import scale_of
from saegim.settings import Settings
from saegim.store.store import Store
from stand_ins import Odd, Toy, wait_until
from store.places import tamper

TEXTS = ("보리는 우리 강아지", "파란 주전자에 물을 끓였다", "blue kettle in the kitchen")


def ways(found: Recollection) -> dict[str, Way]:
    """Return the paths by name."""
    return {path.name: path for path in found.paths}


def spoil(place: Path, sql: str, embedder: Embedder | None = None) -> Saegim:
    """Open a memory whose store was changed from outside."""
    path = place / "memory.db"
    with Saegim.open(path, clock=FixedClock(), embedder=embedder) as memory:
        for text in TEXTS:
            memory.remember(text)
    tamper(path, sql)
    return Saegim.open(path, clock=FixedClock(), embedder=embedder)


def test_when_everything_works_the_paths_say_so(memory: Saegim) -> None:
    """U12.1: words, vector, context and graph are each named with what they found."""
    for text in TEXTS:
        memory.remember(text, session="s")
    answer = memory.recall("kettle kitchen")
    told = ways(answer)
    assert answer.hits[0].memory.text == TEXTS[2]
    assert [(name, way.ran) for name, way in told.items()] == [
        ("words", True),
        ("vector", True),
        ("context", True),
        ("graph", True),
    ]
    assert told["words"].found == 1
    assert told["vector"].found >= 1
    assert told["words"].why == told["vector"].why == ""


@pytest.mark.parametrize("question", ["", "   ", "\u200b", "\x00", "\n"])
def test_an_empty_question_searches_nothing_and_says_so(memory: Saegim, question: str) -> None:
    """U12.3: nothing searched is not the same as nothing found."""
    memory.remember(TEXTS[0])
    found = memory.recall(question)
    assert not found.searched
    assert found.hits == ()
    assert ways(found)["vector"].why == "the question is empty"
    assert ways(found)["words"].why == "the question has no words to look for"


def test_a_question_of_endings_alone_is_not_looked_up(memory: Saegim) -> None:
    """U3.2: endings and particles are no words to look for; the reason is given."""
    memory.remember("보리는 한다")
    way = ways(memory.recall("한다"))["words"]
    assert not way.ran
    assert "no words" in way.why


def fails(made: list[Vector]) -> list[Vector]:
    """Answer with what cannot be compared."""
    return [each * np.nan for each in made]


BROKEN_EMBEDDERS: list[tuple[str, Callable[[], Embedder], str]] = [
    ("down", lambda: down(), "out for call"),
    ("nan", lambda: Odd(fails, local=False), "direction"),
    ("short", lambda: Odd(lambda made: [each[:5] for each in made], local=False), "5 numbers"),
    ("zero", lambda: Odd(lambda made: [each * 0 for each in made], local=False), "length 0"),
]


def down() -> Embedder:
    """Return an embedder that does not answer."""
    toy = Toy(local=False)
    toy.fails = lambda _: True
    return toy


@pytest.mark.parametrize(("name", "make", "why"), BROKEN_EMBEDDERS)
def test_with_a_broken_embedder_the_words_answer(
    tmp_path: Path, name: str, make: Callable[[], Embedder], why: str
) -> None:
    """U12.1: the vector path says why it did not run; the answer is right all the same."""
    with Saegim.open(tmp_path / "m.db", clock=FixedClock(), embedder=make()) as memory:
        kept = [memory.remember(text).id for text in TEXTS]
        found = memory.recall("kettle")
        assert [hit.memory.id for hit in found.hits] == [kept[2]]
        assert ways(found)["words"].ran
        assert not ways(found)["vector"].ran
        assert why in ways(found)["vector"].why
        assert found.searched


@pytest.mark.parametrize(
    "sql",
    [
        # Fixed noise: among random bytes some would read as an index without this word.
        f"UPDATE words_basic_data SET block = x'{'ff' * 300}' WHERE id > 10",
        "DELETE FROM words_basic_data",
        "DROP TABLE words_basic_data",
    ],
)
def test_with_a_broken_word_index_the_vectors_answer(tmp_path: Path, sql: str) -> None:
    """U12.1 and U8.1: the words say why they did not run; a rebuild brings them back."""
    with spoil(tmp_path, sql) as memory:
        found = memory.recall("blue kettle in the kitchen")
        assert found.hits[0].memory.text == TEXTS[2]
        assert not ways(found)["words"].ran
        assert "memory.db" in ways(found)["words"].why
        assert ways(found)["vector"].ran
        list(memory.maintenance.rebuild())
        assert ways(memory.recall("kettle"))["words"].found == 1


@pytest.mark.parametrize(
    "sql",
    ["UPDATE vector SET data = randomblob(9)", "UPDATE vector SET data = x'', live = 1"],
)
def test_with_torn_vectors_the_words_answer(tmp_path: Path, sql: str) -> None:
    """U12.1 and U8.1: torn vectors hide nothing that the words can find."""
    with spoil(tmp_path, sql) as memory:
        found = memory.recall("kettle")
        assert [hit.memory.text for hit in found.hits] == [TEXTS[2]]
        assert [hit.vector for hit in found.hits] == [0.0]
        list(memory.maintenance.rebuild())
        assert memory.recall("kettle").hits[0].vector > 0


def test_a_store_that_is_damaged_itself_is_an_error(tmp_path: Path) -> None:
    """U12.3: when no path can run, it is not told as "nothing found"."""
    with spoil(tmp_path, "SELECT 1") as memory:
        assert memory.recall("kettle").searched
        tamper(tmp_path / "memory.db", "ALTER TABLE memory RENAME TO elsewhere")
        with pytest.raises(StoreCorrupt, match="memory"):
            memory.recall("kettle")


def test_memories_that_are_not_embedded_yet_are_counted(tmp_path: Path) -> None:
    """U12.1: while vectors are missing, the path says how many."""
    toy = Toy(local=False)
    toy.fails = lambda call: call <= 10
    with Saegim.open(tmp_path / "m.db", clock=FixedClock(), embedder=toy) as memory:
        memory.remember("blue kettle")
        memory.mind.store._upkeep.close()
        toy.fails = lambda _: False
        told = ways(memory.recall("kettle"))
        assert told["vector"].ran
        assert "1 memories are not embedded yet" in told["vector"].why
        assert told["words"].found == 1


def test_a_question_may_be_waiting_for_its_vectors_only_once(tmp_path: Path) -> None:
    """U1.2: a recall that meets missing vectors has them made, with no user action."""
    path = tmp_path / "m.db"
    with Saegim.open(path, clock=FixedClock()) as memory:
        memory.remember("blue kettle")
    toy = Toy(local=False)
    with Saegim.open(path, clock=FixedClock(), embedder=toy) as memory:
        assert toy.calls == []
        memory.recall("kettle")
        wait_until(lambda: memory.status()["index"]["pending"] == 0)
        assert ways(memory.recall("kettle"))["vector"].why == ""


FLOORS = st.floats(0.0, 0.9)


@given(st.floats(-1, 1), st.floats(-1, 1), FLOORS, st.floats(0.0, 0.09))
def test_a_nearer_text_never_says_less(one: float, other: float, floor: float, gap: float) -> None:
    """What a cosine says is a share that grows with it, for any floor and `ask`."""
    low, high = sorted(scale_of(floor, floor + gap)(each) for each in (one, other))
    assert 0.0 <= low <= high <= 1.0
    assert scale_of(floor, floor + gap)(min(one, other)) == low
    assert scale_of(floor, floor + gap)(1.0) == 1.0


@pytest.mark.parametrize(("floor", "ask"), [(0.14, 0.35), (0.33, 0.49), (0.75, 0.85)])
def test_a_stranger_says_almost_nothing_for_every_embedder(floor: float, ask: float) -> None:
    """Embedders differ in what a cosine means; their floor and `ask` make it one scale."""
    assert scale_of(floor, ask)(floor) < 0.13
    assert scale_of(floor, ask)(floor - (ask - floor)) < 0.01
    assert scale_of(floor, ask)(ask) > 3 * scale_of(floor, ask)(floor)


def test_what_a_text_says_does_not_depend_on_what_else_was_found(tmp_path: Path) -> None:
    """With every rival filtered away, a memory is exactly as relevant as among them."""
    with Saegim.open(tmp_path / "m.db", clock=FixedClock(), embedder=Toy()) as memory:
        memory.remember("blue kettle in the kitchen", tags=["one"])
        for at in range(40):
            memory.remember(f"the blue kettle {at}")
        among = memory.recall("kettle blue kitchen", limit=50).hits
        alone = memory.recall("kettle blue kitchen", tags=["one"]).hits
        same = [hit.weighed.relevance for hit in among if hit.memory.id == alone[0].memory.id]
        assert (len(among), len(alone)) == (41, 1)
        assert same == pytest.approx([alone[0].weighed.relevance])


@pytest.mark.parametrize(("lexical", "asked"), [(True, "tea"), (False, "What is tea?")])
def test_only_an_embedder_of_spelling_is_spared_the_words_that_ask(
    tmp_path: Path, *, lexical: bool, asked: str
) -> None:
    """An embedder that knows meaning reads the whole question."""
    toy = Toy()
    toy.lexical = lexical
    with Saegim.open(tmp_path / "m.db", clock=FixedClock(), embedder=toy) as memory:
        memory.recall("What is tea?")
    assert toy.calls == [(asked, "query")]


def test_a_stranger_found_by_vector_alone_is_no_result(tmp_path: Path) -> None:
    """U12.3: below the embedder's floor nothing is an answer; just above it, it is."""
    toy = Toy()
    with Saegim.open(tmp_path / "m.db", clock=FixedClock(), embedder=toy) as memory:
        memory.remember("blue kettle")
        memory.remember("quiet kettle")
        toy.floor = 0.9
        assert [hit.memory.text for hit in memory.recall("quiet!").hits] == ["quiet kettle"]
        assert memory.recall("silent").hits == ()
        toy.floor = -1.0
        assert len(memory.recall("silent").hits) == 2


def test_one_known_name_does_not_outvote_what_a_foreign_question_means(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where hardly a word of the question is known, words lose their share to meaning."""
    with Saegim.open(tmp_path / "m.db", clock=FixedClock(), embedder="static") as memory:
        for text in ("Tom", "He has a puppy called Bori", "unrelated invoice", "weather"):
            memory.remember(text)
        asked = "Tom 강아지 이름"
        assert memory.recall(asked).hits[0].memory.text == "He has a puppy called Bori"
        # Control: with the words' full share, the one name that matches wins.
        monkeypatch.setattr(gathering, "ENOUGH_KNOWN", 1e-3)
        assert memory.recall(asked).hits[0].memory.text == "Tom"


def test_a_memory_without_its_vector_is_judged_by_its_words(tmp_path: Path) -> None:
    """U7.2: the very sentence that was asked for comes first, embedded or not."""
    path = tmp_path / "m.db"
    with Saegim.open(path, clock=FixedClock(), embedder="static") as memory:
        kept = memory.remember("the blue kettle leaks at the lid")
        for at in range(5):
            memory.remember(f"the blue kettle leaks at the lid again {at}")
    tamper(path, "DELETE FROM vector WHERE number = 1")
    with Saegim.open(path, clock=FixedClock(), embedder="static") as memory:
        found = memory.recall("the blue kettle leaks at the lid").hits
        assert found[0].memory.id == kept.id
        assert found[0].vector == 0.0
        assert found[1].vector > 0.0


def test_a_tag_finds_what_lives_behind_many_that_have_left(memory: Saegim) -> None:
    """U21.2: the index of tags knows nothing of states; those that left crowd nobody out."""
    gone = [memory.remember(f"the kettle whistles {at}", tags=["tea"]).id for at in range(150)]
    memory.forget(*gone)
    kept = {memory.remember(f"a kettle of mine {at}", tags=["tea"]).id for at in range(3)}
    for at in range(150):
        memory.remember(f"the kettle whistles elsewhere {at}")
    hits = memory.recall("the kettle whistles", tags=["tea"]).hits
    assert {hit.memory.id for hit in hits} == kept
    assert all(hit.words > 0 and hit.vector > 0 for hit in hits)


def test_near_misses_are_counted_and_shown_when_asked_for(memory: Saegim) -> None:
    """U17.2: what lies just below the embedder's floor is never hidden silently."""
    kept = memory.remember("My sister is a nurse in Busan")
    found = memory.recall("sibling's occupation")
    assert (found.hits, found.below_floor) == ((), 1)
    shown = memory.recall("sibling's occupation", near_misses=True)
    assert [hit.memory.id for hit in shown.hits] == [kept.id]
    assert shown.hits[0].vector < memory.mind.embedder.floor


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("우리 집 강아지가 어제 새로 산 운동화를 물어뜯었어", "반려견이 망가뜨린 신발"),
        ("my puppy chewed up the new sneakers", "which shoes did the dog destroy"),
    ],
)
def test_the_embedder_before_answers_until_the_new_one_has_read_everything(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: str, asked: str
) -> None:
    """A store that moves to another embedder is found by meaning on every day of the move."""
    path = tmp_path / "m.db"
    with Saegim.open(path, clock=FixedClock(), embedder="static") as memory:
        kept = memory.remember(said)
        memory.remember("송장 번호는 아직 안 나왔어. The invoice is not out yet.")
    monkeypatch.setattr(Store, "keep_indexed", lambda *_: None)  # the move has not begun
    with Saegim.open(path, clock=FixedClock(), embedder="encoder") as memory:
        found = memory.recall(asked)
        assert [hit.memory.id for hit in found.hits if hit.vector > 0][:1] == [kept.id]
        assert "not embedded yet" in next(each.why for each in found.paths if each.name == "vector")
        # What is told meanwhile has the new vector, and both are found side by side.
        new = memory.remember(said + "!!")
        assert {hit.memory.id for hit in memory.recall(asked).hits} >= {kept.id, new.id}
        # Control: without the embedder before, meaning knows nothing of the first.
        monkeypatch.setattr(Mind, "previous_embedder", lambda _: None)
        vectors = {hit.memory.id: hit.vector for hit in memory.recall(asked).hits}
        assert vectors.get(kept.id, 0.0) == 0.0


@pytest.mark.parametrize("asked", ["Where is the boiler key?", "보일러 열쇠 어디 있지?"])
def test_what_meaning_alone_finds_far_behind_is_a_near_miss(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, asked: str
) -> None:
    """U17.2: a stranger at the end of the list is counted, not shown; unless one asks for it."""
    with Saegim.open(tmp_path / "m.db", clock=FixedClock(), embedder="encoder") as memory:
        kept = memory.remember("The boiler key hangs behind the cellar door")
        memory.remember("There is mould on the bathroom wall")
        found = memory.recall(asked)
        assert [hit.memory.id for hit in found.hits] == [kept.id]
        assert found.below_floor >= 1
        assert len(memory.recall(asked, near_misses=True).hits) == 2
        # Control: where nothing counts as far behind, it stands there.
        monkeypatch.setattr(ranking, "FAR_BEHIND", 0.0)
        assert len(memory.recall(asked).hits) == 2


def test_a_damaged_embedder_of_before_costs_no_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While a store moves, a model file that nobody uses may be broken: the others answer."""
    path = tmp_path / "m.db"
    with Saegim.open(path, clock=FixedClock(), embedder="bag") as memory:
        kept = memory.remember("the blue kettle leaks")
    monkeypatch.setattr(Store, "keep_indexed", lambda *_: None)
    mind_module._of_identity.cache_clear()
    built = mind_module.open_embedder

    def broken(settings: Settings) -> Embedder:
        if settings.embedder.startswith("encoder"):
            raise EngineError("engine.words_answered_alone", warming="broken")
        return built(settings)

    monkeypatch.setattr(mind_module, "open_embedder", broken)
    with Saegim.open(path, clock=FixedClock(), embedder=Static()) as memory:
        assert memory.recall("blue kettle").hits[0].memory.id == kept.id
        assert memory.mind.previous_embedder() is not None
        # Control: the vectors of a stranger's embedder have nobody who could answer for them.
        tamper(path, "UPDATE embedder SET key = 'stranger'")
        assert memory.mind.previous_embedder() is None
    mind_module._of_identity.cache_clear()

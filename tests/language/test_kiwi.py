"""Word analysis by the Kiwi dictionary, with the real dictionary."""

from __future__ import annotations

import sys
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engines.korean_queries import CASES
from engines.shelf import Shelf, false_positives, labelled_shelf, recall
from saegim.errors import MissingExtra, Unavailable
from saegim.language.kiwi import Kiwi
from saegim.language.words import Analyser
from stand_ins import rounds

LOADING = 120.0  # seconds; far more than the dictionary takes
QUESTIONS = st.sampled_from([case.query for case in CASES])


@pytest.fixture(scope="module")
def kiwi() -> Kiwi:
    """Give the analyser with its dictionary loaded."""
    analyser = Kiwi()
    assert analyser.wait(LOADING)
    return analyser


@pytest.fixture(scope="module")
def shelf(kiwi: Kiwi) -> Shelf:
    """Give the labelled set in a real full-text table."""
    return labelled_shelf(kiwi)


@pytest.mark.parametrize("held_out", [False, True])
def test_korean_and_mixed_questions_find_their_memory(shelf: Shelf, held_out: bool) -> None:
    """U3.1: with morphemes, recall@5 is at least 0.95, held out or not."""
    found = recall(shelf, lambda case: case.language != "en" and case.held_out is held_out)
    assert found >= 0.95


def test_english_questions_find_their_memory(shelf: Shelf) -> None:
    """U3.1: the English control is the same as without the dictionary."""
    assert recall(shelf, lambda case: case.language == "en") >= 0.95


def test_a_shared_ending_is_no_answer(shelf: Shelf) -> None:
    """U3.2: at most 5 % of the questions that share only endings or particles get an answer."""
    assert false_positives(shelf) <= 0.05


def test_a_verb_is_read_from_the_words_around_it(kiwi: Kiwi) -> None:
    """U3.1: what the dictionary adds: 산다 is living in one sentence and buying in another."""
    assert "~살" in kiwi.index("나는 지금 서울에서 산다")
    assert "~살" not in kiwi.index("시장에서 우산을 산다")
    assert "~사" in kiwi.index("시장에서 우산을 산다")


def test_the_dictionary_loads_behind_and_says_when_it_is_there() -> None:
    """U3.4: before the dictionary is there, asking it is refused and nobody is made to wait."""
    analyser = Kiwi()
    assert not analyser.ready()
    with pytest.raises(Unavailable, match="not loaded yet"):
        analyser.index("회의")
    analyser.warm()
    analyser.warm()
    assert not analyser.wait(0.0)
    assert analyser.wait(LOADING)
    assert analyser.ready()
    assert analyser.index("회의는") == ["회의"]


def test_a_missing_package_is_named_with_the_command_that_brings_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """U3.4: without the extra, the error says what to install."""
    monkeypatch.setitem(sys.modules, "kiwipiepy", None)
    with pytest.raises(MissingExtra, match=r"pip install 'saegim\[kiwi\]'"):
        Kiwi()


def test_a_dictionary_that_does_not_load_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    """U3.4: a broken installation is an error of its own, and loading may be tried again."""
    analyser = Kiwi()
    with monkeypatch.context() as broken:
        broken.setitem(sys.modules, "kiwipiepy", None)
        assert not analyser.wait(LOADING)
        with pytest.raises(Unavailable, match="could not be loaded"):
            analyser.query("회의")
    assert analyser.wait(LOADING)


@settings(max_examples=rounds(60, 20))
@given(st.text(st.characters(exclude_categories=()), max_size=40) | QUESTIONS)
def test_any_string_is_a_document_and_a_question(kiwi: Kiwi, text: str) -> None:
    """U29.1, U3.3: nothing is refused, tokens fit the index, NFC and NFD are the same."""
    tokens = kiwi.index(text)
    terms = kiwi.query(text)
    for token in tokens + [token for term in terms for token in term.tokens]:
        assert token
        assert not any(char.isspace() or char in "\"'\x00" for char in token)
    assert kiwi.query(unicodedata.normalize("NFD", text)) == terms
    assert Shelf(kiwi, [text]).ask(text) in ([], [text])


@pytest.mark.parametrize(
    "unit", ["가", "가나다라마바사아자차카타파하" * 2, "a", "水", "!", "회의는 3시다\n"]
)
def test_long_input_is_read(kiwi: Kiwi, unit: str) -> None:
    """U29.1: what has no space for a hundred thousand characters does not stop the dictionary."""
    size = 2_000 if "\n" in unit else 100_000
    text = unit * (size // len(unit))
    assert len(kiwi.index(text)) <= 2 * len(text)
    assert len(kiwi.query(text)) <= 64


def test_a_long_text_is_read_as_its_parts_are(kiwi: Kiwi) -> None:
    """U29.1: cutting a long text into pieces loses no word at the seams."""
    line = "월요일 회의는 오전 열 시에 시작한다\n"
    assert kiwi.index(line * 200) == kiwi.index(line) * 200


def test_the_kiwi_analyser_keeps_the_protocol(kiwi: Kiwi) -> None:
    """U3.4: both analysers have one interface, and each names the index it writes."""
    analyser: Analyser = kiwi
    assert analyser.name == "kiwi-1"

"""Lists of phrases find what is said, and nothing beside it."""

from __future__ import annotations

import pytest

from saegim.language.en import features as english_words
from saegim.language.ko import features as korean_words
from saegim.language.lexicons import Phrases, patterns, words_of


def korean(listed: str, text: str) -> bool:
    """Say whether a list finds one of its phrases in a Korean sentence."""
    return korean_words.said(listed).within(korean_words.prepared(text))


def english(listed: str, text: str) -> bool:
    """Say whether a list finds one of its phrases in an English sentence."""
    return english_words.said(listed).within(english_words.prepared(text))


@pytest.mark.parametrize(
    ("listed", "yes", "no"),
    [
        ("기억_해", "꼭 기억해", "꼭 기어해"),
        ("기억_해", "꼭 기억 해", "꼭 기억  도 해"),
        ("^나는", "그리고 나는 가", "어쩌나는 가"),
        ("딸/", "우리 딸", "우리 딸기"),
        ("해$", "일해", "해가 뜬다"),
        ("ㅆ어", "먹었어", "겠어"),
        ("ㄹ_거야", "갈 거야", "가 거야"),
        ("#월", "10월에", "시월에"),
        ("말…하자", "말은 나중에 하자", "말은 하고"),
        ("(가|나)자", "나자", "다자"),
        ("[이가]_좋", "네가 좋아", "네게 좋아"),
        ("외?할머니", "외할머니 댁", "외할아버지 댁"),
    ],
)
def test_korean_signs_mean_what_they_say(listed: str, yes: str, no: str) -> None:
    """U3.1: each sign of the small language for Korean phrases finds and refuses."""
    assert korean(listed, yes)
    assert not korean(listed, no)


@pytest.mark.parametrize(
    ("listed", "yes", "no"),
    [
        ("i_like", "well, I like tea".lower(), "wiki likes it"),
        ("^stop", "please stop that", "we stop that"),
        ("prefer*", "she preferred it", "she is pref"),
        ("due…monday", "due on monday", "due monda"),
        ("to_~see|know)\\w+", "to fly", "to see"),
        ("(my|our)_(\\w+_)?dog", "our old dog", "her dog"),
        ("ends$", "it ends", "it ends here"),
    ],
)
def test_english_signs_mean_what_they_say(listed: str, yes: str, no: str) -> None:
    """U4.6: each sign of the small language for English phrases finds and refuses."""
    assert english(listed, yes)
    assert not english(listed, no)


def test_a_list_may_break_its_lines_inside_a_phrase() -> None:
    """DESIGN 2: lists are laid out for the reader, so white space behind ( and | says nothing."""
    assert words_of("a b(\n c|\n d)e  f") == ["a", "b(c|d)e", "f"]


def test_a_phrase_that_is_not_closed_is_refused() -> None:
    """DESIGN 2: a slip in a list is found when it is compiled, not when it misses."""
    with pytest.raises(ValueError, match="not closed"):
        patterns("(a|b", korean_words.spelling())


@pytest.mark.parametrize("words", [korean_words, english_words])
def test_every_list_compiles_and_finds_nothing_in_nothing(words: object) -> None:
    """U4.6: no list has a phrase that is empty, which would be found everywhere."""
    lists = [each for each in vars(words).values() if isinstance(each, Phrases)]
    assert len(lists) > 25
    assert [each for each in lists if each.within("") or each.within("\n z")] == []


def test_phrases_can_be_counted_and_taken_away() -> None:
    """Seed C layer 1: a greeting is what leaves nothing when the fillers are taken away."""
    fruit = korean_words.said("사과 배/")
    text = korean_words.prepared("사과 배 사과 감")
    assert fruit.all(text) == {"사과", "배"}
    assert fruit.without(text).split() == ["감"]

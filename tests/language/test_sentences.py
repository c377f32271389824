"""Sentences and parts: where a text is cut, and that nothing is lost."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saegim.errors import BadInput
from saegim.language.words import parts, sentences

# A bar stands where a sentence ends.
CUT = [
    "어제 갔다. | 그리고 왔어요! | 정말이죠? | 네",
    "밥 먹었음. | 배부름.",
    "파이썬 3.11을 써요. | 버전 2.0.1이 나왔네요.",
    "https://a.com/x?y=1.2 봐. | 끝",
    "node.js를 써요. | OK?",
    "갔다. | 그리고 왔다",
    "음... 그게 말이야… | 좋았어… | 그래서",
    "좋았어ㅋㅋㅋ | 다음에 또 가자ㅎㅎ",
    "너무 슬퍼ㅠㅠ | 왜 그랬을까",
    "축하해!! 🎉🎉 | 고마워",
    "좋아요 😀 | 그런데 말이죠",
    "2024. 3. 5. 오후에 갔다. | 끝.",
    '"갔어?" 라고 물었다. | 그랬다.',
    "Dr. Kim met J. Smith at 3 p.m. yesterday. | It was e.g. fine.",
    "I came at 5 p.m. | Then I left.",
    '"Stop!" he said. | Then he left.',
    "Wow!!! | Really?? | yes",
    "It costs 3.50 dollars. | Fine.",
    "He works at Apple Inc. in Korea. | I don't.",
    "1. 사과를 산다. | 2. 배를 산다.",
]
WORDS = st.sampled_from(
    [
        "어제 ",
        "갔다. ",
        "왔어요! ",
        "\n",
        "\n\n",
        "a ",
        "End. ",
        "3.11 ",
        "👨‍👩‍👧‍👦",
        "🇰🇷",
        "각",
        "é",
        "\r\n",
    ]
)
TEXTS = st.lists(WORDS | st.text(max_size=6), max_size=30).map("".join)


@pytest.mark.parametrize("marked", CUT)
def test_a_sentence_ends_where_a_reader_would_stop(marked: str) -> None:
    """Korean and English ends are found; decimals, versions, addresses and Dr. are not ends."""
    wanted = marked.split(" | ")
    assert sentences(" ".join(wanted)) == wanted


def test_lines_and_missing_spaces_end_sentences_too() -> None:
    """A line break ends a sentence, and so does a Korean ending whose space was forgotten."""
    assert sentences("1. 사과\n2. 배\n\n3. 귤\n") == ["1. 사과", "2. 배", "3. 귤"]
    assert sentences("갔다.그리고 왔어요!끝") == ["갔다.", "그리고 왔어요!", "끝"]
    assert sentences(" \n ") == []


@given(TEXTS)
def test_sentences_lose_nothing_but_white_space(text: str) -> None:
    """All characters of a text are in its sentences, in their order."""
    assert "".join("".join(sentences(text)).split()) == "".join(text.split())


@given(TEXTS, st.integers(1, 40))
def test_parts_are_the_text_again(text: str, limit: int) -> None:
    """U4.3: parts keep to the limit, none is empty, and joined they are the text."""
    found = parts(text, limit)
    assert "".join(found) == text
    assert all(0 < len(part) <= limit for part in found)


def test_a_long_turn_is_cut_where_its_paragraphs_end() -> None:
    """U4.3: a turn of 6,000 characters is cut between paragraphs, not inside a sentence."""
    paragraph = "나는 어제 부산에 갔다. 바다가 좋았어요! " * 20
    text = (paragraph.strip() + "\n\n") * 13
    assert len(text) > 6000
    found = parts(text, 2000)
    assert "".join(found) == text
    assert len(found) >= 4
    assert all(part.endswith("\n\n") for part in found)


def test_without_paragraphs_a_part_ends_with_a_sentence_then_with_a_word() -> None:
    """The second choice is the end of a sentence, then the end of a word, then any place."""
    assert parts("하나다. 둘 셋 넷 다섯.", 9) == ["하나다. ", "둘 셋 넷 다섯."]
    assert parts("하나 둘 셋 넷 다섯", 6) == ["하나 둘 ", "셋 넷 다섯"]
    assert parts("가" * 5, 2) == ["가가", "가가", "가"]
    assert parts("짧다", 2000) == ["짧다"]
    assert parts("", 5) == []


@pytest.mark.parametrize(
    "letter",
    [
        "👨‍👩‍👧‍👦",
        "👍🏽",
        "🇰🇷",
        "e\u0301",
        unicodedata.normalize("NFD", "각"),
        "\ud83d\ude00",
        "\r\n",
        "❤️",
    ],
)
def test_a_hard_cut_never_falls_into_a_letter(letter: str) -> None:
    """Families, flags, accents, decomposed Hangul and pairs of surrogates stay whole."""
    for size in range(len(letter), 3 * len(letter) + 1):
        for part in parts("x" + letter * 9, size + 1):
            assert part.lstrip("x").replace(letter, "") == "", (size, part)


def test_a_letter_without_end_is_cut_all_the_same() -> None:
    """A thousand accents on one letter stop nothing."""
    text = "a" + "\u0301" * 1000
    assert "".join(parts(text, 50)) == text
    assert max(map(len, parts(text, 50))) == 50


def test_a_limit_below_one_is_refused() -> None:
    """No part can hold less than a character."""
    with pytest.raises(BadInput):
        parts("어제", 0)


def test_a_wall_of_line_breaks_is_one_step() -> None:
    """Many blank lines are one border, and the text after them is found."""
    assert sentences("가." + "\n" * 60000 + "나.") == ["가.", "나."]
    assert "".join(parts("\n" * 60000, 2000)) == "\n" * 60000

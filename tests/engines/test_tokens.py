"""The token estimate: never too few for Hangul, and cuts that break nothing."""

from __future__ import annotations

import base64
import random
import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.token_samples import CALIBRATION, HELD_OUT, Row
from saegim.engines.tokens import (
    REFERENCE,
    WORDPIECE,
    Rates,
    _at_once,
    _piecewise,
    cut,
    estimate,
    estimates,
    split,
)

HANGUL = re.compile("[가-힣ㄱ-ㆎ]")
MEASURED = [row for row in CALIBRATION + HELD_OUT if row[1] >= 8]
writing = st.text(
    alphabet=st.sampled_from("가뷁는ㅋ aZbX09_-./\n\t  漢あ😀\u200d\u0301é\u1100\u1161\u11a8"),
    max_size=80,
)


def ratios(rows: tuple[Row, ...]) -> list[float]:
    """Return estimate by reference for each row that is long enough to judge."""
    return [estimate(text) / count for _, count, text in rows if count >= 8]


def flat(text: str) -> int:
    """Estimate as many tools do: four characters are a token."""
    return len(text) // 4


@pytest.mark.parametrize(("kind", "count", "text"), [r for r in MEASURED if HANGUL.search(r[2])])
def test_hangul_is_never_counted_more_than_a_tenth_too_low(
    kind: str, count: int, text: str
) -> None:
    """U3.6: no text with Hangul costs over ten percent more than its estimate."""
    assert estimate(text) >= 0.9 * count, kind


def test_the_sample_is_large_enough_and_half_of_it_was_held_out() -> None:
    """U3.6: the promise is checked on 200 texts, about half of them unseen by the calibration."""
    assert len(CALIBRATION + HELD_OUT) >= 200
    assert len(HELD_OUT) >= 90
    assert len({text for _, _, text in CALIBRATION + HELD_OUT}) == len(CALIBRATION + HELD_OUT)


@pytest.mark.parametrize("rows", [CALIBRATION, HELD_OUT], ids=["calibration", "held out"])
@pytest.mark.parametrize("kind", ["korean", "mixed", "code", "english"])
def test_the_estimate_does_not_waste_the_budget(kind: str, rows: tuple[Row, ...]) -> None:
    """U3.6: an estimate that is safe because it is absurd would leave the prompt empty."""
    found = ratios(tuple(row for row in rows if row[0] == kind))
    assert sum(found) / len(found) <= 1.6


def test_four_characters_a_token_would_break_the_promise() -> None:
    """U3.6, negative control: the usual rule counts most Korean texts far too low."""
    korean = [row for row in MEASURED if row[0] == "korean"]
    low = [row for row in korean if flat(row[2]) < 0.9 * row[1]]
    assert len(low) > 0.9 * len(korean)


def test_decomposed_hangul_costs_what_its_jamo_cost() -> None:
    """U3.6: text from a file system that decomposes syllables is dearer, not free."""
    text = "오늘은 회의가 세 시에 있어요."
    assert estimate(unicodedata.normalize("NFD", text)) > 2 * estimate(text)


def test_an_english_wordpiece_vocabulary_pays_for_each_jamo() -> None:
    """U18.1: models that spell Hangul in jamo get shorter parts, English stays as it was."""
    assert estimate("한국어", WORDPIECE) == 9
    assert estimate("plain English words", WORDPIECE) == estimate("plain English words")
    assert Rates() == REFERENCE


@pytest.mark.parametrize(
    "text", ["", " ", "\n", "a", "가", "ㅋ", "😀", "\ud800", "\x00", "漢", "é"]
)
def test_every_character_has_a_price(text: str) -> None:
    """U3.6: no character, however odd, stops the count or counts below zero."""
    assert estimate(text) >= (1 if text.strip() else 0)


mixed = st.text(
    alphabet=st.one_of(
        st.sampled_from('가뷁는ㅋ aZbX09_-./{}":,\n\r\t  漢あ😀\u200d\u0301é\u1100\x0b\x7f…'),
        st.characters(),
    ),
    max_size=300,
)


@given(mixed, st.sampled_from([REFERENCE, WORDPIECE]))
def test_a_text_costs_the_same_counted_at_once_or_piece_by_piece(text: str, rates: Rates) -> None:
    """Long texts are counted with tables; not one hundredth of a token may come or go."""
    assert _at_once(text, rates) == _piecewise(text, rates)


@pytest.mark.parametrize(
    "word", ["A" + "a" * 256, "B" * 256 + "c", "a" * 600, " " * 300, "x9" * 400]
)
def test_endless_runs_have_a_price(word: str) -> None:
    """A capital before the longest piece is one letter more than that."""
    assert _at_once(word, REFERENCE) == _piecewise(word, REFERENCE) > 0


def test_every_character_of_the_first_plane_costs_the_same_either_way() -> None:
    """The tables beside the pattern say what the pattern says."""
    for start in range(0x20, 0xD800, 64):
        block = " ".join(map(chr, range(start, start + 64)))
        assert _at_once(block, REFERENCE) == _piecewise(block, REFERENCE), hex(start)


@given(st.lists(mixed, min_size=1, max_size=5))
def test_texts_counted_together_cost_what_each_costs(texts: list[str]) -> None:
    """However they begin and end."""
    assert estimates(texts) == [estimate(text) for text in texts]


@given(writing, writing)
def test_a_longer_text_never_costs_less(start: str, end: str) -> None:
    """U3.6: a prefix fits wherever the whole fits."""
    assert estimate(start) <= estimate(start + end)


@given(writing, st.integers(min_value=0, max_value=60))
def test_a_cut_is_a_prefix_within_the_budget(text: str, budget: int) -> None:
    """U3.6: what is cut never costs more than was allowed."""
    kept = cut(text, budget)
    assert text.startswith(kept)
    assert estimate(kept) <= budget
    assert kept == text or estimate(text) > budget


@given(writing, st.integers(min_value=0, max_value=40))
def test_parts_join_to_the_whole_text(text: str, budget: int) -> None:
    """U18.1: splitting drops nothing, whatever the budget."""
    parts = split(text, budget)
    assert "".join(parts) == text
    assert all(parts)


def test_a_cut_prefers_the_space_between_words() -> None:
    """U3.6: a text is not broken inside a word when a space is near."""
    text = "오늘 오후 세 시에 개발팀 회의가 있어요 그리고 내일은 쉽니다"
    kept = cut(text, 20)
    assert kept.rstrip() in text
    assert text[len(kept.rstrip())] == " "


@pytest.mark.parametrize("cluster", ["👨‍👩‍👧‍👦", "👍🏽", "e\u0301", "\u1100\u1161\u11a8", "🇰🇷"])
def test_a_cut_never_splits_what_a_reader_sees_as_one_character(cluster: str) -> None:
    """U3.6: families, skin tones, accents, conjoining jamo and flags stay whole."""
    text = ("가" * 50 + cluster) * 3
    for budget in range(1, estimate(text)):
        rest = text[len(cut(text, budget)) :]
        assert rest.startswith(("가", cluster))


@pytest.mark.parametrize(
    "text",
    [
        "기억은 사라지지 않는다. " * 3500,
        "가" * 17_000,
        base64.b64encode(random.Random(7).randbytes(37_500)).decode(),
        "- 이름: 값\n  목록: [1, 2, 3]\n" * 1500,
        "aB" * 25_000,
    ],
    ids=["korean", "no spaces", "base64", "yaml", "alternating"],
)
def test_fifty_kilobytes_split_into_parts_that_fit(text: str) -> None:
    """U18.1: long Korean, base64 and YAML become parts that each fit, and nothing is lost."""
    parts = split(text, 512)
    assert "".join(parts) == text
    assert max(map(estimate, parts)) <= 512
    assert len(parts) <= 2 * estimate(text) / 512 + 1

"""The shared normaliser and the canonical key."""

from __future__ import annotations

import sys
import unicodedata

import pytest
import xxhash
from hypothesis import given
from hypothesis import strategies as st

from saegim.memory.text import NORM_VERSION, canonical_key, fold, normalise

ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=40)
KOREAN = st.text("가각갂힣각을를ㅋㅠㄱ 한글ABCabc09-+.\u200b\u3000éß", max_size=30)


def full_width(text: str) -> str:
    """Write ASCII the way an East Asian keyboard may."""
    return "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in text)


@given(ANY_TEXT | KOREAN)
def test_normalising_twice_changes_nothing_more(text: str) -> None:
    """U3.3: the normaliser is idempotent on any string, lone surrogates and NUL included."""
    once = normalise(text)
    assert normalise(once) == once


def test_every_single_character_normalises_once_and_for_all() -> None:
    """U3.3: idempotence holds for all of Unicode, not only for what a generator happens to draw."""
    assert sys.maxunicode == 0x10FFFF
    # Planes 4 to 13 are unassigned and 15 to 16 private: nothing in them can fold.
    for start in (*range(0, 0x34000, 4096), 0xE0000):
        block = " ".join("x" + chr(code) + "\u0301y" for code in range(start, start + 4096))
        once = normalise(block)
        assert normalise(once) == once, hex(start)
        assert unicodedata.is_normalized("NFC", once), hex(start)


@given(KOREAN)
def test_all_ways_to_type_a_text_normalise_to_the_same(text: str) -> None:
    """U3.3: NFC, NFD, full-width and upper case are one text."""
    plain = normalise(text)
    assert normalise(unicodedata.normalize("NFD", text)) == plain
    assert normalise(unicodedata.normalize("NFC", text)) == plain
    assert normalise(full_width(text)) == plain
    assert normalise(text.upper()) == plain


@given(ANY_TEXT)
def test_the_result_is_nfc_and_singly_spaced(text: str) -> None:
    """U3.3: what comes out is NFC, trimmed, and has no run of white space."""
    plain = normalise(text)
    assert unicodedata.is_normalized("NFC", plain)
    assert plain == " ".join(plain.split())


@given(
    st.text("가나다abc ", min_size=1, max_size=20),
    st.sampled_from("\u200b\u200d\ufeff\u00ad\u2060"),
)
def test_what_is_not_seen_tells_no_texts_apart(text: str, unseen: str) -> None:
    """U3.3: zero-width characters, byte order marks and soft hyphens vanish."""
    assert normalise(unseen.join(text)) == normalise(text)
    assert unseen not in normalise(unseen + text)


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("ㅋㅋㅋ ㅠㅠ", "ㅋㅋㅋ ㅠㅠ"),
        ("Ｃ＋＋ ＡＰＩ　３시", "c++ api 3시"),
        ("ｶﾞｲﾄﾞ", "ガイド"),
        ("ﾡﾡ", "ㄱㄱ"),
        (" \t한\r\n글\u00a0 x ", "한 글 x"),
        ("Straße", "strasse"),
        ("a\x00b", "a\x00b"),
        ("①㎏", "①㎏"),
        ("", ""),
    ],
)
def test_known_texts_become_what_they_should(text: str, plain: str) -> None:
    """U3.3: width and case fold, compatibility jamo and circled digits stay as they are."""
    assert normalise(text) == plain


@given(ANY_TEXT)
def test_a_key_is_the_version_and_the_hash_of_the_normal_text(text: str) -> None:
    """U3.3: equal keys mean equal normal texts, and a key says by which rules it was made."""
    digest = xxhash.xxh3_128(normalise(text).encode("utf-8", "surrogatepass")).hexdigest()
    assert canonical_key(text) == f"{NORM_VERSION}:{digest}"
    assert canonical_key(normalise(text)) == canonical_key(text)


@given(KOREAN)
def test_folding_keeps_the_case_and_loses_the_way_it_was_typed(text: str) -> None:
    """U3.3: what splits words sees capitals, yet NFC, NFD and full-width are one text to it."""
    assert fold(unicodedata.normalize("NFD", text)) == fold(text)
    assert fold(full_width(text)) == fold(text)
    assert normalise(fold(text)) == normalise(text)
    assert fold("ＡＰＩ") == "API"


def test_different_words_have_different_keys() -> None:
    """U3.3, negative control: the key does not swallow a difference that a reader sees."""
    texts = ["회의", "회의 3시", "회의 4시", "c", "c++", "c#", "ㅋㅋ", "ㅋㅋㅋ"]
    assert len({canonical_key(text) for text in texts}) == len(texts)

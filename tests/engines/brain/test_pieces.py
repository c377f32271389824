"""Every text falls into pieces: whole words where they are known, jamo and bytes where not."""

from __future__ import annotations

import unicodedata
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saegim.engines.brain.model import (
    CUT_VERSION,
    FALLBACKS,
    Pieces,
    Static,
    byte_piece,
    marked,
    runs,
)

WORDS = {" tea": -3.0, " te": -5.0, "a": -6.0, "t": -7.0, "차": -4.0, "녹차": -5.0, "를": -2.0}
TOY = Pieces([*WORDS, *FALLBACKS], [*WORDS.values(), *[-20.0] * len(FALLBACKS)])


def names(cut: Pieces, text: str) -> list[str]:
    """Return the pieces of a text by name."""
    return [cut.names[at] for at in cut.ids(text)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("API를 3번", ["api", "를", "3", "번"]),
        ("ㅋㅋ 좋아ㅠㅠ", ["ㅋㅋ", "좋아", "ㅠㅠ"]),
        ("don't", ["don", "'", "t"]),
        ("a_b", ["a", "_", "b"]),
        ("  ", []),
        ("가" * 70, ["가" * 64, "가" * 6]),
    ],
)
def test_a_text_falls_into_runs(text: str, found: list[str]) -> None:
    """Hangul, jamo, letters, digits and signs are kept apart, and no run is endless."""
    assert runs(text) == found


def test_only_words_of_letters_are_marked() -> None:
    """A word "in" is not "in" inside a word; a Korean noun is one wherever it stands."""
    assert [marked(run) for run in ("in", "숙소", "ㅋㅋ", "3", "?")] == [
        " in",
        "숙소",
        "ㅋㅋ",
        "3",
        "?",
    ]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("tea", [" tea"]),
        ("teat", [" tea", "t"]),
        ("녹차를", ["녹차", "를"]),
        ("녹 차 를", [*unicodedata.normalize("NFD", "녹"), "차", "를"]),
        ("강", list(unicodedata.normalize("NFD", "강"))),
        ("é", [byte_piece(0xC3), byte_piece(0xA9)]),
    ],
)
def test_the_likeliest_cut_wins_and_nothing_is_lost(text: str, found: list[str]) -> None:
    """Known words whole, then parts, then jamo, then bytes."""
    assert names(TOY, text) == found


@given(st.text(alphabet="tea차녹를é ", max_size=12))
def test_the_cut_is_the_best_of_all_cuts(text: str) -> None:
    """No other way to cut a run into known pieces scores higher."""

    def best(run: str) -> float:
        total = [0.0]
        for end in range(1, len(run) + 1):
            ways = [total[at] + WORDS[run[at:end]] for at in range(end) if run[at:end] in WORDS]
            total.append(max([*ways, total[end - 1] - 32.0]))
        return total[-1]

    def worth(run: str) -> float:
        found = names(TOY, run)
        # A space that no piece takes up is dropped, at the price of a character spelled out.
        dropped = marked(run) != run and not found[0].startswith(" ")
        known = sum(WORDS.get(name, float("-inf")) for name in found)
        return known - 32.0 * dropped

    for run in runs(text):
        if worth(run) > float("-inf"):
            assert worth(run) == pytest.approx(best(marked(run)))


@given(st.text(min_size=1))
def test_whatever_is_seen_has_pieces(text: str) -> None:
    """Any script, any sign; only a text of spaces and unseen characters has none."""
    assert bool(TOY.ids(text)) is bool(runs(text))


def test_korean_spacing_leaves_no_trace() -> None:
    """U3.2: people space Korean as they like; the pieces are the same."""
    cut = Static().brain.pieces
    assert cut.ids("숙소 근처 식당") == cut.ids("숙소근처식당")
    assert cut.ids("new york") != cut.ids("newyork")


def test_how_text_is_cut_is_part_of_the_identity() -> None:
    """U7.2: vectors of another cut are not compared; whoever changes the cut changes its version.

    The cuts below are those of version 1. If this fails, raise it and teach the heads again.
    """
    cut = Static().brain.pieces
    assert CUT_VERSION == "1"
    assert "cut-1" in Static().identity.policy
    assert [
        "|".join(names(cut, text))
        for text in ("숙소가 깨끗해요", "제습기를 3번", "It's a dehumidifier")
    ] == [
        "숙소|가|깨끗|해요",
        "제습기|를|3|번",
        " it|'| s| a| dehumidifier",
    ]


def test_a_run_is_cut_once() -> None:
    """A known run costs one look; what it falls into never changes."""
    cut = Pieces([*WORDS, *FALLBACKS], [*WORDS.values(), *[-20.0] * len(FALLBACKS)])
    assert all(one == other for one, other in pairwise(cut.ids("녹차를 tea") for _ in range(3)))

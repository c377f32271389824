"""Korean particles that fit, also after Latin letters and digits."""

from __future__ import annotations

import pytest

from saegim.korean_particles import with_particle
from saegim.language.wording import listed


@pytest.mark.parametrize(
    ("word", "pair", "said"),
    [
        ("민수", "은/는", "민수는"), ("하은", "은/는", "하은은"), ("등산", "을/를", "등산을"),
        ("커피", "을/를", "커피를"), ("서울", "으로/로", "서울로"), ("부산", "으로/로", "부산으로"),
        ("사람", "이다/다", "사람이다"), ("주제", "이다/다", "주제다"), ("Emma", "은/는", "Emma는"),
        ("Tom", "은/는", "Tom은"), ("Docker", "은/는", "Docker는"),
        ("Docker", "으로/로", "Docker로"), ("Rust", "이다/다", "Rust다"),
        ("코덱 7", "과/와", "코덱 7과"), ("방 2", "과/와", "방 2와"),
        ("'기타'", "을/를", "'기타'를"),
    ],
)  # fmt: skip
def test_the_particle_fits_the_word(word: str, pair: str, said: str) -> None:
    """U16: Korean sentences are written as a Korean writes them."""
    assert with_particle(word, pair) == said


def test_words_are_listed_as_one_reads_them() -> None:
    """A list ends with 과, 와 or and."""
    assert listed(("등산", "커피"), "ko") == "등산과 커피"
    assert listed(("차", "등산", "커피"), "ko") == "차, 등산과 커피"
    assert listed(("tea", "hiking", "coffee"), "en") == "tea, hiking and coffee"
    assert (listed(("tea",), "en"), listed((), "ko")) == ("tea", "")

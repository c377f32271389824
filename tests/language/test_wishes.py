"""The wish to keep something is no part of what is kept."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saegim.language.occasions import without_wish

GOES = """나는 땅콩 알레르기가 있어. 꼭 기억해줘 -> 나는 땅콩 알레르기가 있어.
기억해: 비상금은 책장 뒤에 있어 -> 비상금은 책장 뒤에 있어
이거 꼭 기억해 줘. 문은 두 번 잠가야 해 -> 문은 두 번 잠가야 해
내가 왼손잡이라는 거 잊지 마 -> 내가 왼손잡이다
나는 커피를 못 마신다는 걸 기억해 -> 나는 커피를 못 마신다
우리 딸은 우유를 못 먹어, 잊지 마세요 -> 우리 딸은 우유를 못 먹어
Please remember that I'm left-handed -> I'm left-handed
Remember this: the key is under the mat -> The key is under the mat
I hate mint, remember that -> I hate mint
My knee is bad. Don't forget it. -> My knee is bad.""".splitlines()
STAYS = """나는 그날의 바다를 아직도 기억해
우산 챙기는 거 잊지 마
Remember to call mom
I remember the sea
Don't forget to water the plants
기억해줘
Remember that""".splitlines()


@pytest.mark.parametrize("line", GOES)
def test_the_wish_goes(line: str) -> None:
    """Seed D §3, condition 4: 기억해 is why it is kept, not what is kept."""
    text, _, kept = line.partition(" -> ")
    assert without_wish(text) == kept


@pytest.mark.parametrize("text", STAYS)
def test_what_is_no_wish_stays(text: str) -> None:
    """A thing to do, a memory of one's own, or a wish alone, is left as it is."""
    assert without_wish(text) == text


@given(st.text(max_size=200))
def test_any_text_is_left_with_something(text: str) -> None:
    """No text breaks it, and none with words is emptied."""
    kept = without_wish(text)
    assert len(kept) <= len(text) + 1
    assert bool(kept) or not any(letter.isascii() and letter.isalnum() for letter in text)

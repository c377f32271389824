"""A few wishes about how to be answered can be checked on a reply; of others nothing is said."""

from __future__ import annotations

import pytest

from saegim.recall.usage import follows, wishes

FOLLOWED = [
    ("Always answer in three points.", "1. Milk\n2. Bread\n3. Eggs", "Milk, bread and eggs."),
    ("답은 세 가지로 정리해 줘", "- 우유\n- 빵\n- 달걀", "- 우유\n- 빵"),
    ("Please don't use emojis.", "Sure, done.", "Sure, done 😀"),
    ("이모지는 쓰지 마", "네, 끝냈어요.", "네, 끝냈어요 🙂"),
    ("I prefer short answers.", "Yes, at nine.", "Yes. It opens at nine. " * 5),
    ("답은 항상 짧게 해 줘", "네, 9시예요.", "네, 그렇습니다. " * 8),
    ("Reply in two sentences.", "It rains. Take a coat.", "It rains. Take a coat. Go."),
    ("답은 두 문장으로 해 줘", "비가 와요. 우산 챙기세요.", "비가 와요. 추워요. 우산 챙기세요."),
    ("Always answer in English.", "It rains today.", "오늘은 비가 와요."),
    ("한국어로 답해 줘", "오늘은 비가 와요.", "It rains today."),
    ("나한테는 존댓말로 말해 줘", "네, 알겠습니다. 내일 뵐게요.", "응, 알겠어. 내일 봐."),
    ("우리 반말로 하자, 반말로 답해", "응, 알겠어. 내일 봐.", "네, 알겠습니다."),
    ("Use metric units.", "It is 5 km away.", "It is 3 miles away."),
    ("온도는 섭씨로 알려 줘", "지금 21℃예요.", "지금 화씨 70도예요."),
]


@pytest.mark.parametrize(("wish", "follows_it", "does_not"), FOLLOWED)
def test_a_reply_follows_a_wish_or_does_not(wish: str, follows_it: str, does_not: str) -> None:
    """Each kind in both languages, with a reply beside it that does the opposite."""
    assert follows(wish, follows_it)
    assert not follows(wish, does_not)


@pytest.mark.parametrize(
    "text",
    [
        "My boss always answers in English.",
        "I want to write a letter in English.",
        "Be warm and honest with me.",
        "I like short dogs.",
        "따뜻하게 대해 줘",
        "내 보고서는 세 가지로 나뉜다",
        "",
    ],
)
def test_what_is_no_checkable_wish_is_never_followed(text: str) -> None:
    """Of others, of letters, of warmth: nothing is claimed."""
    assert not follows(text, "네, 알겠습니다. Yes.")


def test_units_need_a_unit_and_politeness_a_korean_sentence() -> None:
    """A reply in which a wish cannot show does not follow it."""
    assert [each.kind for each in wishes("Use metric units.")] == ["units"]
    assert not follows("Use metric units.", "Sure, no problem.")
    assert not follows("존댓말로 답해 줘", "Sure, no problem.")

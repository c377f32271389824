"""Questions for the whole of something, and for what the agent itself said."""

from __future__ import annotations

from datetime import timedelta

import pytest

from recall.test_score import facts
from saegim import Saegim, Settings
from saegim.language.questions import asks_for_the_agents_words, topic_of
from saegim.recall.rank import SAID_BY_THE_AGENT, fit, shares_of, wanted

BROAD = {
    "이사 준비가 어떻게 진행됐는지 순서대로 정리해줘": "이사 준비가",
    "그동안 내가 다이어트에 대해 얘기한 거 요약해줘": "다이어트에",
    "Can you give me a detailed summary of everything about my thesis?": "thesis",
    "In what order did I visit the cities in Spain?": "visit cities Spain",
    "How has my opinion on remote work changed over time?": "opinion remote work",
}
NARROW = [
    "우리 강아지 이름이 뭐지?",
    "what is my dog's name?",
    "이사 언제 했지?",
    "요약해줘",
    "회의록 요약 방식은 어떻게 하기로 했지?",
    "Where do I keep the spare key?",
]
YOURS = [
    "what did you recommend for the trip?",
    "네가 추천한 식당 어디였지",
    "아까 알려준 레시피 다시",
    "너가 짜준 운동 루틴 뭐였지",
    "the plan you made for me",
    "어제 추천해줬던 영화",
    "your list of hotels",
    "당신이 말한 책 제목이 뭐였죠",
]
THEIRS = [
    "내가 추천한 책이 뭐였지",
    "엄마가 말해준 병원 어디지",
    "수진이가 추천해준 카페",
    "Which book did Sue recommend?",
    "what do you know about me?",
    "what did you say my dog's name was?",
    "작년에 선생님이 알려주신 공식",
]


@pytest.mark.parametrize(("question", "topic"), BROAD.items())
def test_a_question_for_the_whole_is_about_its_topic(question: str, topic: str) -> None:
    """The frame is taken off, in both languages."""
    assert topic_of(question) == topic


@pytest.mark.parametrize("question", NARROW)
def test_any_other_question_stays_whole(question: str) -> None:
    """What asks for one thing has no frame to take off; neither has a frame around nothing."""
    assert topic_of(question) == ""


@pytest.mark.parametrize(
    "question", ["텃밭 얘기 순서대로 정리해줘", "Summarise everything about my garden in order"]
)
def test_the_answer_to_a_broad_question_stands_in_order_of_time(
    memory: Saegim, question: str
) -> None:
    """More than a narrow question gets, the oldest first; the narrow one goes by relevance."""
    korean = "텃밭" in question
    now = memory.mind.now()
    words = (
        ["상추", "토마토", "고추", "가지", "오이"]
        if korean
        else ["lettuce", "tomatoes", "peppers", "beans", "kale"]
    )
    for days, word in zip((3, 40, 12, 25, 8), words, strict=True):
        text = f"텃밭에 {word} 심었어" if korean else f"planted {word} in the garden"
        memory.remember(text, happened_at=now - timedelta(days=days))
    cards = memory.context(question).cards
    assert len(cards) == len(words)
    assert [card.date for card in cards] == sorted(card.date for card in cards)
    narrow = memory.context(
        "텃밭에 상추 심었나?" if korean else "did I plant lettuce in the garden?"
    ).cards
    assert words[0] in narrow[0].words


@pytest.mark.parametrize("question", YOURS)
def test_who_asks_for_the_agents_words_gets_them(question: str) -> None:
    """What stands behind the person's words otherwise is what is asked for here."""
    said = facts(origin="agent_inferred", source="conversation")
    assert asks_for_the_agents_words(question)
    assert fit(wanted(question), said) == -SAID_BY_THE_AGENT


@pytest.mark.parametrize("question", THEIRS)
def test_what_others_said_is_not_the_agents(question: str) -> None:
    """A third person's recommendation, one's own, and what the agent knows are the person's."""
    assert not asks_for_the_agents_words(question)


@pytest.mark.parametrize(
    ("own", "told", "question", "narrow"),
    [
        (
            "부산 여행에서 국밥 먹고 싶어",
            "부산 여행이라면 초량의 돼지국밥집을 추천해요",
            "부산 여행 때 네가 추천한 국밥집 어디였지?",
            "부산 여행에서 뭐 먹고 싶다고 했지?",
        ),
        (
            "I want to eat noodles on the Busan trip",
            "For the Busan trip I suggest the noodle house in Choryang",
            "which noodle place did you suggest for the Busan trip?",
            "what do I want to eat on the Busan trip?",
        ),
    ],
)
def test_the_agents_recommendation_leads_where_it_is_asked_for(
    memory: Saegim, own: str, told: str, question: str, narrow: str
) -> None:
    """And only there."""
    mine = memory.remember(own).id
    yours = memory.remember(told, origin="agent_inferred").id
    assert memory.recall(question).hits[0].memory.id == yours
    assert memory.recall(narrow).hits[0].memory.id == mine


def test_a_question_that_says_much_goes_by_its_words() -> None:
    """The share of words grows with the question, never beyond what nothing is left of meaning."""
    settings = Settings()
    short = shares_of(settings, "where do I live").words
    long = shares_of(settings, " ".join(["word"] * 20)).words
    longer = shares_of(settings, " ".join(["word"] * 200)).words
    assert short == settings.words_share < long == longer < 1.0
    for fixed in (0.0, 1.0):
        assert shares_of(Settings(words_share=fixed), " ".join(["word"] * 20)).words == fixed


LONG = (
    "오늘은 회의가 길었다. 아침에는 분기 목표를 얘기했고 다들 피곤해 보였다. 점심은 "
    "구내식당에서 먹었는데 줄이 길었다. 오후에는 보고서 초안을 고쳤다. 표가 자꾸 "
    "밀려서 한참 걸렸다. 참고로 우리 집 와이파이 공유기는 거실 책장 맨 아래 칸으로 "
    "옮겼다. 저녁에는 동료들과 산책을 했다. 날씨가 선선해서 좋았다. 돌아오는 길에 "
    "우유와 달걀을 샀다. 집에 와서 빨래를 돌리고 드라마를 한 편 봤다. 주인공이 너무 "
    "답답해서 중간에 껐다. 내일은 일찍 일어나야 하니까 이만 자야겠다. 알람을 여섯 "
    "시에 맞춰 두었다. 요즘 들어 아침이 점점 힘들어진다."
)


def test_of_a_long_turn_the_sentence_that_answers_is_shown(memory: Saegim) -> None:
    """What was said in passing is shown, and not the page it was said in."""
    memory.remember(LONG)
    (card,) = memory.context("공유기 어디로 옮겼지?").cards
    assert card.form == "excerpt"
    assert "책장 맨 아래 칸" in card.words
    assert len(card.words) < len(LONG)
    assert card.words.startswith("… ")
    assert card.words.endswith(" …")


@pytest.mark.parametrize(
    ("before", "says", "question", "answers"),
    [
        ("오늘은 {}번째로 걸었다. ", "엄마 금고는 옷장 뒤에 있다.", "금고가 어디 있어?", "옷장 뒤"),
        ("That was walk {}. ", "The berry jar is in the attic.", "Where are the berries?", "attic"),
        ("그리고 {}번째로 걷고 ", "엄마 금고는 옷장 뒤에 두고 ", "금고가 어디 있어?", "옷장 뒤"),
    ],
    ids=["ko", "en", "one endless sentence"],
)
def test_of_a_page_the_sentence_is_shown_that_holds_the_word_in_another_form(
    memory: Saegim, before: str, says: str, question: str, answers: str
) -> None:
    """What is too long to be read for meaning is still read as the search read it."""
    told = "".join(before.format(n) for n in range(150))
    memory.remember(f"{told}{says} {told}")
    (card,) = memory.context(question).cards
    assert card.form == "excerpt"
    assert answers in card.words


def test_a_short_turn_is_shown_whole(memory: Saegim) -> None:
    """The control: nothing is cut that is no page."""
    memory.remember("공유기는 거실 책장 맨 아래 칸으로 옮겼어. 오늘은 회의가 길었다.")
    (card,) = memory.context("공유기 어디로 옮겼지?").cards
    assert card.form == "text"

"""The signs of a sentence, in Korean and English, with and without the help of the heads."""

from __future__ import annotations

import unicodedata
from dataclasses import fields

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saegim.engines.brain.heads import Heads
from saegim.engines.brain.model import Static
from saegim.language.features import Signs, read_signs
from saegim.language.feelings import feel
from saegim.language.words import Basic
from saegim.memory.memory import Emotion, Feeling, SentenceReading
from stand_ins import rounds

BASIC = Basic()


@pytest.fixture(scope="module")
def heads() -> Heads:
    """Return the heads that ship."""
    return Heads(Static())


def signs(text: str, emotion: Emotion = Emotion(), asks: float | None = None) -> Signs:
    """Read the signs of a text; `asks` is what the question head would say."""
    reading = None if asks is None else SentenceReading(0.0, 0.0, {}, asks, None)
    return read_signs(text, emotion=emotion, reading=reading, analyser=BASIC)


def borne(text: str, asks: float | None = None) -> set[str]:
    """Return the names of the signs a text bears."""
    found = signs(text, asks=asks)
    return {each.name for each in fields(found) if getattr(found, each.name) is True}


TOLD = {
    "personal": [
        "저는 세종에서 태어나 지금은 전주에 살아요",
        "우리 남편은 소방관이야",
        "난 새우 알레르기가 있어",
        "제 생일은 11월 2일이에요",
        "할머니가 매일 손주를 봐 주세요",
        "고양이 두 마리 키우고 있어",
        "I'm a retired welder and I live in Leeds",
        "My daughter is allergic to nuts",
        "I can't do stairs because of my hip",
        "Anna is allergic to shellfish",
        "The spare key is under the flower pot",
    ],
    "preference": [
        "나는 고수 정말 싫어해",
        "매운 건 잘 못 먹어요",
        "전화보다 문자가 더 편해요",
        "앞으로 답변은 짧게 해 줘",
        "답할 때 이모지 쓰지 말아줘",
        "I prefer short answers",
        "not a fan of cilantro",
        "Please stop starting every answer with praise",
        "From now on, use metric units",
        "Don't use emoji when you write to me",
    ],
    "technical": [
        "DB는 SQLite로 정했어",
        "서버 배포가 막혔어",
        "run_tests.py 안에 있어",
        "We moved to Postgres",
        "numpy 1.26 is the newest that works",
    ],
    "finding": [
        "로컬에선 포트 8099 씁니다",
        "시간은 전부 UTC로 저장하고 화면에서 변환해",
        "로그인 버그 원인은 캐시였고 고쳤어",
        "Node is pinned at 18 until the SDK supports 20",
        "the leak came from the cache, and dropping the listener fixed it",
    ],
    "decision": [
        "앱 이름은 등대로 확정됐어요",
        "주간 회의를 수요일로 옮기기로 했어",
        "We decided to keep the logs for thirty days",
        "The launch has been moved to Tuesday",
    ],
    "experience": [
        "어제 처음으로 한라산에 올랐어",
        "자전거를 도둑맞아서 신고했어요",
        "면접 최종에서 떨어졌어요",
        "I broke my wrist skateboarding",
        "got laid off this morning",
        "Our baby took her first steps today",
    ],
    "plan": [
        "다음 달에 제주도로 이사 갈 예정이야",
        "금요일까지 초고를 넘겨야 돼",
        "12월에 언니 결혼식이 있어",
        "We're getting married next June",
        "The deadline is October 31",
        "Dentist Tuesday at 9",
    ],
    "question": [
        "내 신발 사이즈가 몇이었지?",
        "회의실은 누가 예약하나요",
        "그 버그 어떻게 해결했더라",
        "어디 갔었는지 혹시 알아",
        "비가 올까",
        "which hotel did we stay at",
        "is that possible",
        "what's my dog's birthday",
    ],
    "marker": [
        "아까 말한 예산으로 다시 계산해 줘",
        "지난번이랑 똑같은 포맷으로 부탁해",
        "하던 얘기 이어서 하자",
        "내 취향 알잖아, 영화 하나 골라줘",
        "as I said before, same rules here",
        "use the style guide I gave you earlier",
        "pick up from yesterday",
    ],
    "wish": [
        "내 사번은 4821이야, 기억해 줘",
        "이건 꼭 잊지 마",
        "메모해 둬: 열쇠는 화분 밑",
        "기억해둬 우리 기념일 5월 4일",
        "Remember that I park on level 3",
        "For the record, the budget is 4k",
        "don't forget that the gate code changed",
    ],
    "refusal": [
        "방금 한 얘기는 저장하지 말아줘",
        "이건 기억하지 마",
        "기억 안 해도 돼",
        "Please don't remember this, but I skipped the gym",
        "off the record: Mondays should be illegal",
        "no need to save that",
    ],
    "chatter": [
        "안녕하세요!",
        "넵 감사합니다 ㅎㅎ",
        "ㅋㅋㅋㅋ",
        "이거 영어로 번역해줘",
        "3줄 요약 부탁",
        "만약에 로또 되면 섬을 산다",
        "아 배고파 죽겠다",
        "thanks a lot!",
        "lol okay",
        "fix this please",
        "summarise the above",
        "If I lived in Tokyo I'd eat ramen every day",
        "...",
        "",
    ],
}
NOT_TOLD = {
    "personal": ["김치는 발효 식품이다.", "Whales are mammals.", "이 함수는 목록을 반환합니다."],
    "preference": [
        "오 좋다 좋아 그걸로",
        "네가 좋아하는 노래네",
        "I love it, ship it",
        "I prefer option B here, go with that one",
        "don't worry about the noise",
        "Many people prefer tea",
    ],
    "technical": ["I drink tea", "오늘 병원에 갔어", "he is 1.8 m tall"],
    "finding": ["Redis is a tool for a cache and a queue", "이 오류 왜 나는지 모르겠어"],
    "decision": [
        "네, 코드를 수정했습니다.",
        "그 단체는 창립자가 물러난 뒤 본부를 다른 도시로 옮기기로 결정했고 이름도 바꾸었다",
    ],
    "experience": ["이해했어요", "The movie was a bit too long.", "세종대왕은 한글을 만들었다."],
    "plan": ["물은 백 도에서 끓는다.", "Water boils at one hundred degrees."],
    "question": ["창가보다 복도가 좋더라", "표로 정리해줄래?", "When you write, use grams"],
    "marker": ["아까 병원에 다녀왔어", "As a child I lived abroad", "어제 말차를 마셨어"],
    "wish": ["기억나?", "이건 기억하지 마", "I don't remember that", "결과를 파일로 저장해 줘"],
    "refusal": ["I don't remember this song", "불 끄는 거 잊지 마", "don't forget this"],
    "chatter": ["저 비건이에요", "I'm deaf in my left ear", "앞으로 반말로 해줘"],
}


@pytest.mark.parametrize(("sign", "text"), [(s, t) for s, texts in TOLD.items() for t in texts])
def test_a_sentence_bears_its_sign(sign: str, text: str) -> None:
    """Seed C layer 1, U4.6: each sign is read from words alone, in both languages."""
    assert sign in borne(text)


@pytest.mark.parametrize(("sign", "text"), [(s, t) for s, texts in NOT_TOLD.items() for t in texts])
def test_a_sentence_does_not_bear_what_it_only_sounds_like(sign: str, text: str) -> None:
    """Seed C layer 1: a word of the kind is not yet the sign; the sentence must mean it."""
    assert sign not in borne(text)


def test_what_is_felt_is_taken_from_the_emotion_and_must_be_strong_enough() -> None:
    """Seed C layer 1: emotion is a sign when a feeling is there and is in the words."""
    text = "요즘 코딩이 재미가 없어요"
    strong = Emotion(feelings=(Feeling.ENNUI,), intensity=0.6)
    assert signs(text, strong).emotion
    assert not signs(text, Emotion(feelings=(Feeling.ENNUI,), intensity=0.2)).emotion
    assert not signs(text, Emotion(feelings=(Feeling.NEUTRAL,), intensity=0.6)).emotion


def test_the_question_head_helps_where_words_leave_it_open() -> None:
    """Seed C phase 0: without a mark, words point to a question and the head may object."""
    assert "question" in borne("이거 어디서 살 수 있어", asks=0.8)
    assert "question" not in borne("이거 어디서 살 수 있어", asks=0.01)
    assert "question" in borne("그게 돼", asks=0.95)
    assert "question" not in borne("그게 돼", asks=0.5)
    # The head alone does not overrule what the sentence tells.
    assert "question" not in borne("나 다음 주에 부산 놀러 가", asks=0.95)


def test_a_sentence_may_tell_and_then_ask() -> None:
    """U1.4: what is told before a question is not lost to the question."""
    for text in (
        "제가 임신 18주차인데 회 먹어도 되는 거예요?",
        "12월에 부모님 모시고 부산 가는데 숙소 언제쯤 예약할까",
        "I like my recipes in grams, what is a cup of flour?",
    ):
        found = signs(text)
        assert (found.tells, found.question) == (True, True), text
    asked = signs("그 식당 이름이 뭐였는데 기억나?")
    assert (asked.tells, asked.question) == (False, True)


def test_what_is_pointed_back_to_only_to_add_something_is_news() -> None:
    """Seed C phase 0: a marker asks for what was said; one that brings a decision does not."""
    assert "marker" in borne("아까 말한 회의 얘기 이어서 하자")
    assert "marker" not in borne("아까 말한 회의는 금요일로 확정됐어")


def test_a_quotation_is_not_what_the_speaker_says() -> None:
    """U4.3: words put into another's mouth are not the speaker's own."""
    assert "preference" in borne("나는 바다를 미워하고 산을 좋아해")
    assert not borne('소설 속 인물이 "나는 바다를 싫어해"라고 말하는 장면 써줘') & {
        "preference",
        "personal",
    }
    assert "preference" not in borne('표지에 "나는 바다를 싫어해" 문구가 있네')
    assert "personal" not in borne('write a poem that says "I am a keeper in Maine"')
    # Who says nothing but a quotation says it.
    assert "preference" in borne('"나는 바다를 싫어해"')


@pytest.mark.parametrize("text", ["나는 서울에 살고 매운 걸 못 먹어", "앞으로 반말로 해줘"])
def test_one_text_has_the_same_signs_however_it_is_encoded(text: str) -> None:
    """U3.3: decomposed Hangul, full width and unseen characters change nothing."""
    plain = signs(text)
    assert plain.preference
    assert signs(unicodedata.normalize("NFD", text)) == plain
    assert signs(text.replace(" ", "\u3000")) == plain
    assert signs("\u200b".join(text)) == plain


def test_a_wish_with_a_question_mark_asks_whether_it_was_kept() -> None:
    """Seed D rule 4: 기억해 is a wish, 기억해? is a question."""
    assert "wish" in borne("우리 기념일은 5월 4일이야, 기억해")
    assert "wish" not in borne("우리 기념일 기억해?")
    assert "question" in borne("우리 기념일 기억해?")


def test_lost_spaces_and_laughter_do_not_hide_a_sign() -> None:
    """Seed C layer 1, U3.1: people write without spaces and laugh at the end."""
    assert "preference" in borne("매운거 못먹어 ㅋㅋㅋ")
    assert "wish" in borne("이거 기억해둬ㅎㅎ")
    assert "question" in borne("비가 올까ㅠㅠ")


def test_keywords_are_bare_nouns_and_names_come_first() -> None:
    """Seed C layer 3: particles are taken off, Latin stays as written, names before nouns."""
    found = signs("우리는 데이터베이스를 PostgreSQL로 바꾸기로 결정했어 ㅋㅋ").keywords
    assert found[0] == "PostgreSQL"
    assert set(found) == {"PostgreSQL", "데이터베이스", "결정"}
    assert signs("3시에 치과에서 만나").keywords == ("치과", "3시")
    many = " ".join(f"과일{number}번은" for number in range(40))
    assert len(signs(many).keywords) == 12


def test_density_is_the_share_of_nouns() -> None:
    """Seed C layer 1: a sentence of nouns is dense, one of fillers is not."""
    dense, thin = signs("서울 지하철 노선도").density, signs("그냥 뭐 좀 그래").density
    assert dense == 1.0
    assert thin < 0.3
    assert 0.0 < signs("나는 오늘 그 책을 다 읽었어").density < 1.0


def test_of_a_long_text_the_beginning_and_the_end_are_read() -> None:
    """FAULTS 2.5 no. 58: the work is bounded, and a wish at the end is still heard."""
    middle = "가나다 라마바 " * 60_000
    assert "wish" in borne(middle + "꼭 기억해 줘")
    assert "preference" in borne("나는 고수를 싫어해. " + middle)
    assert "wish" not in borne(middle + "꼭 기억해 줘. " + middle)


@pytest.mark.parametrize("unit", ["가", "ㅋ", "는데 ", "i ", "my ", '"', "'a ", "/-", ". ", "\n"])
def test_no_repetition_makes_the_work_explode(unit: str) -> None:
    """FAULTS 2.5 no. 58: half a megabyte of one pattern comes back at all."""
    assert not signs(unit * (500_000 // len(unit))).wish


@settings(max_examples=rounds(200, 40), deadline=None)
@given(st.text(max_size=200) | st.text("나는저어제가좋아해줘?!. ,\n\"'ㅋiIam my'", max_size=80))
def test_any_text_is_read(text: str) -> None:
    """U4.6: whatever is said, signs come back, within their bounds."""
    found = signs(text)
    assert 0.0 <= found.density <= 1.0
    assert len(found.keywords) <= 12
    assert all(found.keywords)


def test_the_examples_of_the_seed_bear_the_seeds_signs(heads: Heads) -> None:
    """Seed C layer 1: the five rows of the importance table, read as they ship."""
    rows = {
        "내 이름은 서윤이야": "personal",
        "나는 서울에 살아": "personal",
        "나는 Python을 좋아해": "preference",
        "React 18에서 Suspense는 서버 렌더링을 지원해": "technical",
        "요즘 번아웃이 심해": "emotion",
    }
    for text, sign in rows.items():
        found = read_signs(
            text, emotion=feel(text, heads), reading=heads.read(text), analyser=BASIC
        )
        assert getattr(found, sign), text
        assert not found.question

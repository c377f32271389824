"""Which words of feeling stand in a text, in Korean, in English and in signs."""

from __future__ import annotations

import pytest

from saegim.language import feelings as faces
from saegim.language.en import feelings as english_reading
from saegim.language.ko import feelings as korean_reading
from saegim.language.lexicons import FeelingWord, Way
from saegim.memory.memory import Feeling

J, S, A, F = Feeling.JOY, Feeling.SADNESS, Feeling.ANGER, Feeling.FEAR


def korean(text: str) -> list[FeelingWord]:
    """The Korean words of feeling that are no homonyms."""
    return [each for each in korean_reading.found(text) if each.sense.way is not Way.HOMONYM]


def english(text: str) -> list[FeelingWord]:
    """The English words of feeling that are no homonyms."""
    return [each for each in english_reading.found(text) if each.sense.way is not Way.HOMONYM]


@pytest.mark.parametrize(
    "forms",
    [
        "슬프다 슬퍼 슬펐어 슬픈 슬플 슬픔 슬픕니다 슬퍼서요",
        "무섭다 무서워 무서웠다 무서운 무서울 무섭습니다 무서움",
        "불안하다 불안해 불안했 불안합니다 불안함",
        "설레 설렌다 설렜어 지쳤다 지친 지쳐 떨려요 빡친다",
        "그립다 그리워 그리운 기쁘네요 기뻤어 나빠 아파요",
        "화나 화났어 화가나 짜증나 못참겠어 열받아 눈물나",
    ],
)
def test_korean_forms_lead_to_their_stem(forms: str) -> None:
    """Endings, politeness, irregular stems and missing spaces do not hide a feeling."""
    assert [form for form in forms.split() if not korean(form)] == []


@pytest.mark.parametrize(
    "text",
    [
        "문화나 영화나 마찬가지다",
        "나이별로 정리했다",
        "배열 받아서 처리한다",
        "시스템을 구축하고 압축하는 과정",
        "아파트와 아파치 서버",
        "감사 로그를 남긴다",
        "오후회의와 투자책임자",
        "수치가 떨어졌다",
        "일부러 부러뜨렸다",
        "재무서류를 냈다",
        "참가여부를 알려라",
        "배우려고 한다",
        "접속상태를 본다",
        "불안정한 연결",
        "서울에서 겨울을 보냈다",
        "세부 지침을 따른다",
        "최고 온도는 30도",
    ],
)
def test_korean_words_that_only_look_like_feelings_are_not(text: str) -> None:
    """A stem inside another word is no feeling."""
    assert korean(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "the happy path and the worst case",
        "garbage collection after a kernel panic",
        "gross income and past tense",
        "the stress test tears down the host",
        "classic assassins mad-e of glass",
        "anger management",
    ],
)
def test_english_words_that_only_look_like_feelings_are_not(text: str) -> None:
    """A phrase of the trade, or a part of a word, is no feeling."""
    assert english(text) == []


def test_a_homonym_is_told_of_all_the_same() -> None:
    """The reader of the words learns that something only looked like a feeling."""
    assert [each.sense.way for each in korean_reading.found("분노 조절 책")] == [Way.HOMONYM]
    assert [each.sense.way for each in english_reading.found("a stress test")] == [Way.HOMONYM]


@pytest.mark.parametrize(
    ("text", "denied"),
    [
        ("안 좋아", True),
        ("안좋아", True),
        ("좋지 않아", True),
        ("좋지는 않네요", True),
        ("좋지 못했다", True),
        ("좋은 건 아니야", True),
        ("좋은 게 아니라", True),
        ("걱정 마", True),
        ("걱정하지 마세요", True),
        ("걱정은 안 돼", True),
        ("걱정 없이", True),
        ("무서워할 필요 없어", True),
        ("기쁘지도 슬프지도 않아", True),
        ("좋지만", False),
        ("이게 더 좋지 않을까", False),
        ("안 좋아할 수 없다", False),
        ("동안 좋았다", False),
        ("좋은 마음", False),
        ("재미없다", False),
        ("어이없다", False),
    ],
)
def test_korean_denial(text: str, denied: bool) -> None:
    """Korean denies before the word, behind it, and twice."""
    assert [each.denied for each in korean(text)][:1] == [denied]


@pytest.mark.parametrize(
    ("text", "denied"),
    [
        ("not happy", True),
        ("not really very happy", True),
        ("isn't great", True),
        ("isnt great", True),
        ("never happy", True),
        ("no longer afraid", True),
        ("without fear", True),
        ("anything but happy", True),
        ("far from happy", True),
        ("less afraid", True),
        ("I don't know why I'm sad", False),
        ("can't stop crying", False),
        ("not only angry", False),
        ("never been happier", False),
        ("never been so proud", False),
        ("never been happy", True),
        ("it did not work and I am sad", False),
        ("No. I'm sad", False),
        ("can't wait", False),
    ],
)
def test_english_denial(text: str, denied: bool) -> None:
    """English denies within a clause, and some denials deny something else."""
    assert [each.denied for each in english(text)][:1] == [denied]


def test_drawn_out_and_unmarked_words_are_known() -> None:
    """Letters are drawn out and apostrophes are left out, in haste and in anger."""
    assert english("soooo haaappyyy")[0].sense.feelings[0][0] is J
    assert english("sooo happy")[0].weight > english("happy")[0].weight
    assert english("i dont love it")[0].denied
    assert english("cant wait")[0].sense.feelings[0][0] is J


def test_who_feels_it_is_seen() -> None:
    """A state belongs to its subject; a view belongs to the speaker."""
    assert english("she is angry")[0].elsewhere
    assert not english("she makes me angry")[0].elsewhere
    assert not english("she is annoying")[0].elsewhere
    assert korean("아이가 무서워했다")[0].elsewhere
    assert not korean("나는 그 사람을 그리워했다")[0].elsewhere


def test_what_is_past_supposed_or_told_weighs_less() -> None:
    """At first, if, would, and a story about it are not the feeling itself."""
    now, once = korean("지금은 기뻐"), korean("처음엔 기뻐")
    assert once[0].weight < now[0].weight
    now, once = english("now it is annoying"), english("at first it was annoying")
    assert once[0].weight < now[0].weight
    for text in ("I would be sad", "it might be annoying", "I saw sad movies", "still sad?"):
        assert english(text)[0].elsewhere, text
    for text in (
        "슬픈 영화",
        "슬프면 말해",
        "만약 슬퍼도",
        "슬프다고 했다",
        "지루할 수 있다",
        "슬퍼?",
    ):
        assert korean(text)[0].elsewhere, text
    assert not english("I am sad, the story is long")[0].elsewhere
    assert not korean("슬퍼서 영화를 껐다")[0].elsewhere


def test_signs_are_found_and_weigh_little_against_words() -> None:
    """Laughter, tears and faces are signs, loud when repeated."""
    assert [each.sense.feelings[0][0] for each in faces.faces_in("ㅋㅋ ㅠㅠ 😡 😱")] == [J, S, A, F]
    quiet, loud = next(faces.faces_in("ㅋㅋ")), next(faces.faces_in("ㅋㅋㅋㅋㅋ"))
    assert quiet.weight < loud.weight
    assert list(faces.faces_in("http://host:8080/a_b 10:30")) == []


def test_words_stand_in_their_places() -> None:
    """Each word found is a piece of the text, where it is said to be."""
    for text in ("정말 기쁘고 안 무서워", "Really HAPPY and not scared"):
        for each in (*korean(text), *english(text)):
            assert each.words in text
            assert text[each.at] in each.words

"""Passwords, PINs and codes that people tell each other."""

from __future__ import annotations

import random

import pytest
from harmless import TALK
from tellings import CARD_CODES, CODES, ONE_TIME, PASSWORDS, code, password

from saegim.guard.guard import screen
from saegim.guard.passwords import REACH, passwords
from saegim.guard.visible_text import see
from stand_ins import rounds


def kinds(text: str) -> list[str]:
    """Return what the text tells, in order."""
    return [spot.kind for spot in sorted(passwords(see(text)), key=lambda spot: spot.start)]


@pytest.mark.parametrize("telling", PASSWORDS)
def test_a_told_password_is_held_and_its_sentence_stays(telling: str) -> None:
    """FAULTS 22: conversational passwords in both languages are pending and masked."""
    rng = random.Random(telling)
    before, after = telling.split("{}")
    for _ in range(6):
        screened = screen(telling.format(password(rng)))
        assert screened.text == f"{before}[held:password#1]{after}"
        assert (screened.held, screened.masked) == (1, 0)


@pytest.mark.parametrize(
    ("telling", "kind", "length"),
    [(telling, "pin|password", 4) for telling in CODES]
    + [(telling, "otp", 6) for telling in ONE_TIME]
    + [(telling, "cvc", 3) for telling in CARD_CODES],
)
def test_a_told_code_is_held(telling: str, kind: str, length: int) -> None:
    """FAULTS 22: PINs, door codes, one-time codes and card codes are digits with a word."""
    rng = random.Random(telling)
    for _ in range(6):
        told = kinds(telling.format(code(rng, length)))
        assert len(told) == 1
        assert told[0] in kind.split("|")


@pytest.mark.parametrize("line", TALK.strip().splitlines())
def test_speaking_about_passwords_tells_none(line: str) -> None:
    """FAULTS 23: mentions stay; the same sentence followed by a telling is held."""
    assert kinds(line) == []
    assert screen(f"{line}\n비번은 tiger!904야").text == f"{line}\n비번은 [held:password#1]야"


@pytest.mark.parametrize("word", ["주문", "질문", "논문", "방문", "신문"])
@pytest.mark.parametrize("between", ["", " "])
def test_the_number_of_an_order_is_not_that_of_a_door(word: str, between: str) -> None:
    """FAULTS 23: what merely ends in the letters of a door stays."""
    for text in (f"{word}{between}번호 4471", f"{word}{between}번호 20931558 확인해 주세요"):
        assert screen(text).text == text


@pytest.mark.parametrize(
    "door", ["문", "현관문", "대문", "출입문", "뒷문", "정문", "철문", "금고문", "우리집문"]
)
@pytest.mark.parametrize("between", ["", " "])
def test_the_number_of_a_door_is_held(door: str, between: str) -> None:
    """FAULTS 22: a door is one under every name it has."""
    assert screen(f"{door}{between}번호 4471").text == f"{door}{between}번호 [held:pin#1]"


@pytest.mark.parametrize(
    "text",
    [
        "비번은 '푸른 하늘'이야",
        '비번: "은하수 여행"',
        "비번은 강아지0412야",
        "암호는 일이삼사야",
        "현관 비번 공칠삼일",
        "현관 *1204# 누르고 들어와",
        "공동현관 비번 1379*",
        "door code 5531#",
        "one-time code: 776 120",
        "bike lock is 7-4-1-9",
        "the safe combination is 12-34-56",
        "PIN four two seven nine",
        "passphrase: correct horse battery staple",
        "the password is opensesame",
        'password is "swordfish"',
        "비번은 letmein이야",
        "비밀번호\nQwmz!482k",
        "비밀번호: sjt!prtm",
    ],
)
def test_unusual_values_are_held_too(text: str) -> None:
    """FAULTS 22: quoted words, Hangul, spelled digits, door signs, phrases and plain words."""
    assert screen(text).held == 1


@pytest.mark.parametrize("gap", ["\u200b", "\u2060", "\ufeff"])
def test_hidden_characters_do_not_hide_the_keyword(gap: str) -> None:
    """FAULTS 13 and 22: zero-width characters inside the word and the value change nothing."""
    screened = screen(f"비{gap}밀번{gap}호는 tiger{gap}!904 입니다")
    assert screened.text == f"비{gap}밀번{gap}호는 [held:password#1] 입니다"


def test_the_account_name_beside_a_password_is_kept() -> None:
    """FAULTS 22: who may come in is no secret, only what opens the door."""
    assert screen("아이디 kim2024 비번 tiger!904").text == "아이디 kim2024 비번 [held:password#1]"
    assert screen("login jane77x / tiger!904").text == "login jane77x / [held:password#1]"


def test_a_keyword_reaches_only_so_far() -> None:
    """FAULTS 2.4: a value outside the window of its keyword is not held."""
    near = "password " + "x " * ((REACH - 12) // 2) + "tiger!904"
    far = "password " + "x " * (REACH // 2 + 4) + "tiger!904"
    assert kinds(near) == ["password"]
    assert kinds(far) == []


def test_what_is_typed_in_and_refused_is_held() -> None:
    """FAULTS 22: told by the way, with the word that announces it far behind."""
    told = "I keep typing heron-Lamp-88 as I have done for years now and it says incorrect password"
    assert kinds(told) == ["password"]
    assert kinds(told.replace("keep typing", "like the name")) == []


@pytest.mark.parametrize(
    ("told", "kind"),
    [
        ("gate's 1975 like always, tell Sam", "pin"),
        ("key safe by the back door, 0-4-1-9, for the carers", "pin"),
        ("the safe is left 22 right 8 left 41", "pin"),
        ("they texted me 771204, do i type that in", "otp"),
        ("i use Dolphins1987 for everything, is that bad", "password"),
        ("my login for the choir mail is heron77 all one word", "password"),
        ("와이파이 비번 새로 바꿨는데 moonrabbit77 이거 안내문 좀 만들어줘", "password"),
    ],
)
def test_what_is_told_without_ceremony_is_held(told: str, kind: str) -> None:
    """FAULTS 22: people tell what opens something as they tell anything else."""
    assert kinds(told) == [kind]


@pytest.mark.parametrize(
    "plain",
    [
        "the gate is 1200 mm wide",
        "the door is 12 years old",
        "she texted me 3 times about the 2026 trip",
        "I use Python3 for most things",
        "the garage is 20 minutes away",
        "비번 바꾸는 법 알려줘 윈도우11에서",
    ],
)
def test_numbers_of_other_things_are_not_held(plain: str) -> None:
    """The control: the same words, and nothing that opens."""
    assert kinds(plain) == []


def test_the_next_sentence_is_not_reached_without_a_tie() -> None:
    """FAULTS 23: a value in another sentence is held only when something hands it over."""
    assert kinds("비번 바꿨어. 내일은 model iris9042x 사러 갈 거야") == []
    assert kinds("비번 바꿨어. 이제 iris9042x야") == ["password"]


@pytest.mark.parametrize(
    "piece",
    ["비번 ", "password ", "pw a1b2c3 ", "pin 1234 ", "비번 '", "passphrase is a ", '"', "일이삼 "],
)
def test_no_talk_is_read_again_and_again(piece: str) -> None:
    """FAULTS 58: texts made of keywords end, and the first password is still found."""
    text = (piece * 40_000)[: rounds(40_000)]
    assert screen(f"비번은 tiger!904야.\n\n{text}").text.startswith("비번은 [held:password#1]야.")

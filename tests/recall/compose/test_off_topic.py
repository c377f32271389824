"""Where memory has nothing to say, it says nothing (U17.1)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from recall.compose.blocks import context, rows
from saegim import FixedClock, Saegim
from saegim.settings import Settings
from stand_ins import shelve


def a_life() -> list[str]:
    """Return several hundred things people wished to be remembered."""
    texts = [each["text"] for each in rows("worth_keeping") if each["keep"]]
    for name in ("tune", "held"):
        texts += [each["text"] for each in rows(f"capture_{name}") if each["label"] == "save"]
        texts += [each[what] for each in rows(f"changes_{name}") for what in ("old", "new")]
    texts += [each[what] for each in rows("probe") for what in ("text", "near", "far")]
    return list(dict.fromkeys(texts))


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Saegim]:
    """A memory as it comes that holds a life, read to its end; both tests only ask it."""
    place = tmp_path_factory.mktemp("lived") / "memory.db"
    named = Settings().embedder
    with Saegim.open(place, clock=FixedClock(), embedder=named) as memory:
        assert memory.mind.settings.embedder == named
        shelve(memory, a_life())
        for _ in memory.maintenance.index():
            pass
        assert memory.status()["index"]["pending"] == 0
        yield memory


def test_questions_about_other_things_inject_nothing(lived: Saegim) -> None:
    """U17.1: of 100 off-topic questions, 50 Korean and 50 English, at most 5 inject anything."""
    assert lived.recent(1).total > 700
    asked = [each["text"] for name in ("ko", "en") for each in rows(f"offtopic_{name}")]
    assert len(asked) == 100
    spoken = [each for each in asked if context(lived, each).text]
    assert len(spoken) <= 5, spoken


def test_questions_about_one_s_own_life_are_answered(lived: Saegim) -> None:
    """U17.1, the control: the same floor lets through what was asked for."""
    asked = [each["ask"] for name in ("tune", "held") for each in rows(f"changes_{name}")
             if "ask" in each]  # fmt: skip
    silent = [each for each in asked if not context(lived, each).text]
    assert len(silent) <= len(asked) // 5, silent


@pytest.mark.parametrize(
    "chatter", ["How are you today?", "what day is it today?", "이번 주 어때?", "오늘 뭐 하지?"]
)
def test_small_talk_about_today_injects_nothing(memory: Saegim, chatter: str) -> None:
    """U17.1: a time word alone asks for no memory; a time that is over does."""
    memory.remember("배포는 화요일에만 한다")
    memory.remember("Minho drinks barley tea")
    assert memory.context(chatter).text == ""
    memory.remember("수영을 배웠다", happened_at="2025-12-10T03:00:00+00:00")
    assert "수영" in memory.context("지난달에 뭐 했지?").text


# What people say to an agent between two matters; it asks nothing and tells nothing.
CHATTER = [
    "ㅋㅋㅋㅋㅋ", "고마워 진짜", "아 배고프다", "오늘 왜 이렇게 춥냐", "ㅇㅋ 이제 잘게",
    "와 글 잘 쓴다 너", "아이고 허리야", "졸리네요", "비가 그쳤네", "수고하셨습니다",
    "lol nice one", "cheers mate", "right, off to bed", "i'm starving", "ugh, mondays",
    "it's pouring out there", "you're a star", "ok that'll do", "brr, chilly today", "haha fair",
]  # fmt: skip
REQUESTS = [
    "우리 가족이 사는 곳", "내 생일이 언제더라", "회사 어디 다닌다고 했지",
    "where do I work again", "what do I like to drink", "my sister's name",
]  # fmt: skip


def test_between_two_matters_nothing_is_shown(lived: Saegim) -> None:
    """U17.1: a laugh, a thanks, the weather; what asks, in however few words, gets its block."""
    shown = [each for each in CHATTER if context(lived, each).text]
    assert len(shown) <= 2, shown
    silent = [each for each in REQUESTS if not context(lived, each).text]
    assert silent == []


def test_without_the_reader_of_asking_chatter_is_answered(
    lived: Saegim, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The control: by the reader of turns alone, a good part of the same chatter gets memories."""
    monkeypatch.setattr(type(lived.mind), "asks_nothing", lambda *_: None)
    assert len([each for each in CHATTER if context(lived, each).text]) > 5


@pytest.mark.usefixtures("default_embedder")
def test_a_word_or_a_name_that_something_holds_is_no_small_talk(tmp_path: Path) -> None:
    """However few they are: what one memory holds whole, and what is asked of somebody known."""
    with Saegim.open(tmp_path / "memory.db", clock=FixedClock()) as memory:
        told = ["Torvald moved into the mill house", "my brother Casper is learning the tuba"]
        told += ["My cat Tom is afraid of thunder.", "haha fair, I owe Kim twenty euros"]
        shelve(memory, [*told, "벽시계는 성북동 시계방 물건이야", "서랍 손잡이는 놋쇠야"])
        for _ in memory.maintenance.index():
            pass
        asked = ("who is Casper?", "what about Torvald?", "Tom", "Kim", "벽시계", "손잡이")
        assert [each for each in asked if not context(memory, each).text] == []
        chatter = ["haha" if each == "haha fair" else each for each in CHATTER]
        assert [each for each in chatter if context(memory, each).text] == []

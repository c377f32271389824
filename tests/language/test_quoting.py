"""Which words of a turn are someone else's: blocks, texts to work on, speech; and which are not."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saegim.language import quoting
from saegim.language.quoting import Quotation, quotation, unmarked
from saegim.language.words import sentences
from stand_ins import rounds

DATA = Path(__file__).parents[1] / "data"


def rows(half: str) -> list[dict[str, Any]]:
    """Return a half of the labelled turns."""
    lines = (DATA / f"quoted_{half}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def letters(text: str, places: Iterable[tuple[int, int]]) -> set[int]:
    """Return where the letters of these places stand."""
    return {at for start, end in places for at in range(start, end) if text[at].isalnum()}


def figures(half: str) -> tuple[float, float, int]:
    """Return precision and recall of what is someone else's, and how many own words are lost."""
    both = have = want = lost = 0
    for row in rows(half):
        text, read = row["text"], quotation(row["text"])
        found = letters(text, (*read.pasted, *read.reported))
        wanted: set[int] = set()
        for each in (*row["quoted"], *row["reported"]):
            at = text.index(each)
            wanted |= letters(text, [(at, at + len(each))])
        both, have, want = both + len(found & wanted), have + len(found), want + len(wanted)
        gone = letters(text, read.pasted)
        for own in row["own"]:
            at = text.index(own)
            lost += not gone.isdisjoint(range(at, at + len(own)))
    return both / have, both / want, lost


def test_the_turns_we_tuned_on_are_told_apart() -> None:
    """143 labelled turns in two languages; two statements of the person's are lost."""
    precision, recall, lost = figures("tune")
    assert precision >= 0.98
    assert recall >= 0.99
    assert lost <= 2


def test_turns_that_nobody_tuned_on_are_told_apart_nearly_as_well() -> None:
    """Looked at once; of 128 turns 97.9 % precision, 93.8 % recall, two statements lost."""
    precision, recall, lost = figures("held")
    assert precision >= 0.97
    assert recall >= 0.93
    assert lost <= 2


@pytest.mark.parametrize("part", ["_blocks", "_work"])
def test_without_a_part_of_the_reader_strangers_words_pass(
    part: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Control: what each part finds is found by no other."""
    empty: dict[str, Any] = {"_blocks": lambda *_, **__: iter(()), "_work": lambda *_: ([], [])}
    monkeypatch.setattr(quoting, part, empty[part])
    assert figures("tune")[1] < 0.85


@pytest.mark.parametrize(
    "text",
    [
        '내 별명은 "콩이"야',
        'I call him "Bear"',
        '"꼭" 기억해, 나는 페니실린 알레르기가 있어',
        "나는 커피 > 홍차 순으로 좋아해",
        "Remember this: my blood type is O negative",
        "앞으로 회의록은 꼭 세 줄로 요약해 줘",
        "제목: 없음",
        "- 우유\n- 달걀",
        "I don't think it's Sam's, it's my wife's",
    ],
)
def test_a_word_in_marks_and_a_list_are_the_persons_own(text: str) -> None:
    """Emphasis, names, comparisons, lists and standing wishes stay the user's."""
    assert quotation(text) == Quotation(text)


def test_what_is_left_and_what_is_cut_out_are_the_whole() -> None:
    """The person's words stay as they were typed; inside a line three dots mark the gap."""
    read = quotation('나는 서울에 살아.\n> 나는 부산에 살아.\n\n"저는 콩을 못 먹어요"를 번역해 줘')
    assert read.own == '나는 서울에 살아.\n\n"…"를 번역해 줘'
    assert read.others == ("> 나는 부산에 살아.", "저는 콩을 못 먹어요")


def test_speech_of_several_sentences_is_not_cut() -> None:
    """What somebody said belongs to the sentence that tells it, full stops and all."""
    text = 'She said "I hate snow. I love rain. Bye" yesterday. I like snow.'
    assert sentences(text)[1:2] == ["I love rain."], "control: by full stops it is cut"
    assert quotation(text).sentences == [
        'She said "I hate snow. I love rain. Bye" yesterday.',
        "I like snow.",
    ]
    assert quotation(text).spoken == 'She said "…" yesterday. I like snow.'


@pytest.mark.parametrize("unseen", ["\u200b", "\ufeff", " \u2060\t"])
def test_a_mark_behind_what_nobody_sees_is_a_mark(unseen: str) -> None:
    """Attack 13: an invisible letter before a line does not make it the person's."""
    assert quotation(f"{unseen}> I live in Oslo.\nI live in Rome.").own == "I live in Rome."


def test_what_is_asked_for_outright_is_read_for_messages_alone() -> None:
    """A direct wish means its quotations and requests; a mail in it is still someone else's."""
    for text in ("Translate to Korean: I live in Leeds.", '"I never read the news, ever."'):
        assert quotation(text).pasted
        assert not quotation(text, asked_for=True).pasted
    assert quotation("From: Jo\nSubject: hi\n\nI moved.", asked_for=True).pasted


def test_names_lose_their_marks_and_speech_does_not() -> None:
    """Said aloud, a name has no marks."""
    assert unmarked('내 별명은 "콩이"야') == "내 별명은 콩이야"
    assert unmarked("나는 콩을 먹어") == "나는 콩을 먹어"
    long = 'She said "I would never ever do that"'
    assert unmarked(long) == long


HARD = [
    '"',
    "'",
    ">",
    "```",
    "---",
    "said ",
    "라고 ",
    "요약해줘 ",
    "From: a\n",
    "\n",
    " ",
    "a. ",
    "가",
]


@given(st.lists(st.sampled_from(HARD) | st.text(max_size=6), max_size=40).map("".join))
def test_any_text_is_divided_without_loss(text: str) -> None:
    """U18.1: places are in order and apart, and no letter is lost between the two parts."""
    read = quotation(text)
    for one, two in zip(read.pasted, read.pasted[1:], strict=False):
        assert one[0] < one[1] <= two[0] < two[1]
    cut = letters(text, read.pasted)
    left = [letter for at, letter in enumerate(text) if letter.isalnum() and at not in cut]
    assert [letter for letter in read.own if letter.isalnum()] == left


@pytest.mark.parametrize(
    "piece",
    ['said "x y" ', "'a ", "> \n", "---\n", '"a b c d"라고 ', "요약해줘\n", "From: a\n", " "],
)
def test_no_turn_is_gone_over_again_and_again(piece: str) -> None:
    """Attack 58: a turn made to be slow is read within the test's patience."""
    assert quotation(piece * (rounds(30_000) // len(piece)) + '"').text

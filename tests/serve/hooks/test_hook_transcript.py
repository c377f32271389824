"""Transcripts: whose words they are, what is nobody's, and where reading goes on."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from attending import BEGAN, assistant, user, written

from saegim.serve.hooks.transcript import MOST_TEXT, read_on

NOW = datetime.now(UTC)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A transcript that has not begun."""
    return tmp_path / "one.jsonl"


def said(file: Path) -> list[tuple[str, str]]:
    """Return who said what."""
    return [(each.role, each.text) for each in read_on(str(file), 0, NOW).said]


def test_a_persons_words_are_a_persons_and_an_agents_an_agents(file: Path) -> None:
    """U31.2: each turn keeps its speaker, and the parts of one message stay together."""
    parts = [{"type": "text", "text": "one"}, {"type": "image"}, {"type": "text", "text": "two"}]
    written(file, user("나는 부산에 산다."), assistant("Noted."), user(parts, 2))
    assert said(file) == [
        ("user", "나는 부산에 산다."),
        ("assistant", "Noted."),
        ("user", "one\n\ntwo"),
    ]


@pytest.mark.parametrize(
    "line",
    [
        user(
            [{"type": "tool_result", "content": "I live in Rome."}, {"type": "text", "text": "x"}]
        ),
        user("I live in Rome.", toolUseResult={"stdout": ""}),
        user("This session is continued: the user lives in Rome.", isCompactSummary=True),
        user("I live in Rome.", isMeta=True),
        user("I live in Rome.", isSidechain=True),
        assistant("API Error: I live in Rome.", isApiErrorMessage=True),
        user("<command-name>/compact</command-name>\n<command-args>Rome</command-args>"),
        user("<local-command-stdout>I live in Rome.</local-command-stdout>"),
        user("[Request interrupted by user for tool use]"),
        {**user("I live in Rome."), "message": {"role": "assistant", "content": "Rome"}},
        {**user("I live in Rome."), "type": "attachment"},
        {"type": "queue-operation", "content": "I live in Rome."},
        user(["I live in Rome."]),
        user(None),
        b'{"type": "user", "message": {"role": "user", "content": "I live in Ro',
        b"[" * 100_000 + b'"message"',
        b'"message"',
        b"\xff\xfe\x00",
    ],
)
def test_what_nobody_said_is_not_heard(file: Path, line: Any) -> None:
    """U31.2: results of tools, summaries, commands and broken lines never become a person's."""
    written(file, line, user("my own words", 7))
    assert said(file) == [("user", "my own words")]


def test_reminders_of_the_client_are_cut_out_of_a_persons_words(file: Path) -> None:
    """What the client puts between tags was not said, whether it closes them or not."""
    written(file, user("Hello <system-reminder>Rome</system-reminder>there<ide_selection>Rome"))
    assert said(file) == [("user", "Hello there")]


def test_reading_goes_on_where_it_stopped_and_waits_for_a_whole_line(file: Path) -> None:
    """A line that is still being written is heard once, when it is whole."""
    written(file, user("first", 1))
    first = read_on(str(file), 0, NOW)
    with file.open("ab") as whole:
        whole.write(b'{"type": "user", "message": {"role": "user"')
    second = read_on(str(file), first.offset, NOW)
    assert (second.said, second.offset, second.more) == ((), first.offset, False)
    with file.open("ab") as whole:
        whole.write(b', "content": "second"}}\n')
    third = read_on(str(file), second.offset, NOW)
    assert [each.text for each in third.said] == ["second"]
    assert read_on(str(file), third.offset, NOW).said == ()


def test_a_long_transcript_is_read_in_bounded_bites(file: Path) -> None:
    """U31.3: one call reads so much and says that there is more; a line beyond it is passed."""
    written(file, *(user(f"turn {n}", n) for n in range(40)), user("x" * 9000, 41), user("end", 42))
    texts, offset, more = [], 0, True
    while more:
        found = read_on(str(file), offset, NOW, most=4000)
        assert found.offset > offset
        texts += [each.text for each in found.said]
        offset, more = found.offset, found.more
    assert texts == [*(f"turn {n}" for n in range(40)), "end"]


def test_a_transcript_that_was_written_anew_is_read_from_its_beginning(file: Path) -> None:
    """A shorter file than before is another one."""
    written(file, user("one"), user("two"))
    offset = read_on(str(file), 0, NOW).offset
    file.unlink()
    written(file, user("three"))
    assert [each.text for each in read_on(str(file), offset, NOW).said] == ["three"]


def test_the_instant_names_the_message(file: Path) -> None:
    """The same message has the same instant in every copy, and another message another."""
    written(file, user("one", 1), {**user("two", 1), "uuid": "other"}, user("one", 1))
    first, other, again = (each.at for each in read_on(str(file), 0, NOW).said)
    assert first == again != other
    assert first is not None
    assert first.replace(microsecond=0) == BEGAN + timedelta(seconds=1)


@pytest.mark.parametrize(
    "told", ["", "yesterday", "9999-12-31T23:59:59Z", "0001-01-01T00:00:00Z", 7]
)
def test_a_wrong_clock_tells_no_time(file: Path, told: Any) -> None:
    """A message whose time cannot be is heard without one."""
    written(file, user("hello", timestamp=told))
    assert [each.at for each in read_on(str(file), 0, NOW).said] == [None]


def test_halves_of_characters_and_endless_texts_are_bounded(file: Path) -> None:
    """U15.1: half a character is marked, a whole one written in two halves is joined."""
    written(file, user("\ud83d\ude00 \ud83d end"), user("가" * (MOST_TEXT + 9), 1))
    first, second = (each.text for each in read_on(str(file), 0, NOW).said)
    assert first == "😀 \ufffd end"
    assert len(second) == MOST_TEXT

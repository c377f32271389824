"""Transcripts: whose words they are, what is nobody's, and where reading goes on."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from attending import BEGAN, OTHER, assistant, attend, event, heard, spooled, user, written

from elsewhere import SECRET
from saegim.guard.echo import closing, opening
from saegim.serve.hooks import capture, transcript
from saegim.serve.hooks.event import Event
from saegim.serve.hooks.memory_access import HookCall
from saegim.serve.hooks.spool import Spool
from saegim.serve.hooks.transcript import LOOKED_AT, MOST_TEXT, read_on
from saegim.serve.hooks.transcript_position import Mark
from stand_ins import rounds

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
    written(file, user("\ud83d\ude00 \ud83d end"), user("가" * (LOOKED_AT + 9), 1))
    first, second = (each.text for each in read_on(str(file), 0, NOW).said)
    assert first == "😀 \ufffd end"
    assert len(second) == LOOKED_AT


# -- long texts and secrets -----------------------------------------------------------------------


def filled(text: str, most: int) -> str:
    """Return the text with plain words and a space behind it, up to a length."""
    return (text + " plain words" * most)[: most - 1] + " "


PEM = "-----BEGIN RSA PRIVATE KEY-----\n" + "MIIEpAIBAAKCAQEA7bq2\n" * 60
END = "-----END RSA PRIVATE KEY-----\n"
# By day a long text is an eighth as long, and so is what is kept and looked at of it.
EIGHTHS = rounds(8, 1)
KEPT, SEEN = MOST_TEXT * EIGHTHS // 8, LOOKED_AT * EIGHTHS // 8
BLOCK = f"{opening('abcd')}\n{'ours ' * 250 * EIGHTHS}\n{closing('abcd')}\n"
LONG = {
    "a key": (filled("", KEPT - 9), SECRET),
    "a key whose name comes first": (filled("", KEPT - 30) + " password: ", "hunter2-" * 8),
    "a block of a key": (filled("", KEPT - 500) + "\n", PEM),
    "at the end of all that is looked at": (filled("", SEEN - 9), SECRET),
    "behind our own words": (filled(BLOCK, SEEN - 9), SECRET),
    "behind many keys": (filled((PEM + END) * (EIGHTHS + 2), SEEN - 9), SECRET),
}


@pytest.mark.parametrize("heard_in", ["prompt", "transcript"])
@pytest.mark.parametrize("case", LONG)
def test_a_long_text_is_cut_after_its_secrets_are_masked(
    tmp_path: Path, file: Path, monkeypatch: pytest.MonkeyPatch, case: str, heard_in: str
) -> None:
    """A secret that lies across the end of what is kept is no less one; no half of it is kept."""
    monkeypatch.setattr(capture, "MOST_TEXT", KEPT)
    for module in (capture, transcript):
        monkeypatch.setattr(module, "LOOKED_AT", SEEN)
    before, secret = LONG[case]
    text = f"{before}{secret} and the rest " + "of it " * 250 * EIGHTHS
    if heard_in == "prompt":
        told = Event(name="user-prompt-submit", at=NOW, session="s", prompt=text)
        capture.hear_prompt(told, "", HookCall(home=tmp_path))
    else:
        mark = Mark(session="s", begun="", transcript=str(written(file, user(text))))
        capture.hear_on(mark, tmp_path, NOW)
    (sheet,) = spooled(tmp_path)
    kept = Spool(tmp_path).read(sheet).entries[0].text
    assert secret[:9] not in kept
    assert "plain words" in kept
    assert len(kept) <= KEPT


TEXTS = (f"A {SECRET} in it", filled("", MOST_TEXT), filled("plain", 2 * LOOKED_AT))


def test_a_long_text_without_secrets_is_kept_as_far_as_it_may_be(tmp_path: Path) -> None:
    """The control: nothing is cut but what is too much, and a mask counts as what it stands for."""
    for number, text in enumerate(TEXTS):
        home = tmp_path / str(number)
        told = Event(name="user-prompt-submit", at=NOW, session="s", prompt=text)
        capture.hear_prompt(told, "", HookCall(home=home))
        kept = Spool(home).read(spooled(home)[0]).entries[0].text
        assert kept == text.replace(SECRET, "[secret:aws_key#1]").strip()[:MOST_TEXT]


# -- what is no file ------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["pipe", "device", "folder"])
def test_what_is_no_file_is_not_waited_for(tmp_path: Path, kind: str) -> None:
    """A pipe into which nobody writes ends a hook as quickly as no transcript at all."""
    path = {"device": "/dev/zero", "folder": str(tmp_path)}.get(kind)
    if path is None:
        path = str(tmp_path / "pipe")
        os.mkfifo(path)
    home = tmp_path / "home"
    told = event(tmp_path, path, prompt="I live in Busan.")
    assert attend("stop", told, home).ended
    assert attend("session-start", event(tmp_path, session_id=OTHER), home).ended
    assert heard(home) == []


def test_what_waits_is_worked_off_before_other_sessions_are_heard(
    tmp_path: Path, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A disk on which another session's transcript hangs keeps nothing waiting that was heard."""
    home = tmp_path / "home"
    attend("session-start", event(tmp_path, written(file, user("I live in Busan."))), home)
    waited: list[int] = []
    really = capture.hear_on

    def hear_on(mark: Mark, home: Path, now: datetime) -> tuple[Mark, bool]:
        waited.append(len(spooled(home)))
        return really(mark, home, now)

    monkeypatch.setattr(capture, "hear_on", hear_on)
    attend("session-start", event(tmp_path, session_id=OTHER), home)
    assert waited == [0]
    assert [each.text for each in heard(home)] == ["I live in Busan."]


def test_a_transcript_that_cannot_be_read_keeps_no_other_from_being_heard(
    tmp_path: Path, file: Path
) -> None:
    """Of several sessions that were left, each is heard by itself."""
    sister = "My sister Dana moved to Oslo in May."
    home = tmp_path / "home"
    attend("session-start", event(tmp_path, written(file, user("I live in Busan."))), home)
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    attend("session-start", event(tmp_path, loop, session_id="a third one"), home)
    written(file, user(sister, 2))
    attend("session-start", event(tmp_path, session_id=OTHER), home)
    assert [each.text for each in heard(home)] == ["I live in Busan.", sister]

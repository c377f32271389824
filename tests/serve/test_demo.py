"""The demo: a newcomer sees it all in one screen, and nothing of theirs is touched."""

from __future__ import annotations

import re
import socket
import tempfile
from pathlib import Path

import pytest
from rich.cells import cell_len
from saying import Say

from saegim import Saegim
from saegim.serve.cli import demo
from saegim.serve.speech import Speech


@pytest.fixture
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """Any attempt to reach another machine fails the test."""

    def refuse(*_: object) -> None:
        raise AssertionError("something tried to reach the network")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)


@pytest.mark.usefixtures("no_network")
@pytest.mark.parametrize("language", ["en", "ko"])
def test_the_story_is_true(language: str) -> None:
    """U3.5: both questions find the other language, the correction holds, the forgotten is back."""
    remember, ask, correct, forget, end = demo.play(Speech(language))
    assert len(remember.lines) == len(demo.FACTS)
    assert all(re.match(r"\d{4}-\d\d-\d\d  ", line) for line in remember.lines)
    assert [line for line in ask.lines if line.startswith("→")] == [
        f"→ {demo.FACTS[demo.TEA][2]}",
        f"→ {demo.FACTS[demo.LAUNCH][2]}",
    ]
    assert correct.lines[1] == f"→ {demo.CORRECTION}"
    assert demo.FACTS[demo.LAUNCH][2] in correct.lines[2]
    assert [re.findall(r"\d+(?=개?$)", line) for line in forget.lines] == [["0"], ["1"]]
    assert any("saegim remember" in line for line in end.lines)


def test_no_word_of_the_story_gives_the_answer_away(tmp_path: Path) -> None:
    """Control: spelling alone finds neither answer; what the story shows is meaning."""
    with Saegim.open(tmp_path / "spelling.db", embedder="hashed") as memory:
        for _, _, text in demo.FACTS:
            memory.remember(text)
        assert [memory.recall(question).hits for question in demo.QUESTIONS] == [(), ()]


@pytest.mark.usefixtures("no_network")
def test_the_network_would_have_been_noticed() -> None:
    """Negative control: the tripwire of these tests holds."""
    with pytest.raises(AssertionError, match="network"):
        socket.create_connection(("127.0.0.1", 9))


@pytest.mark.parametrize("language", ["en", "ko"])
def test_the_story_fits_one_screen(say: Say, language: str) -> None:
    """24 lines of 80 columns hold the whole story, wide Hangul counted as wide."""
    told = say("--language", language, "demo")
    assert (told.code, told.err) == (0, "")
    lines = told.out.splitlines()
    assert len(lines) < 24
    assert [line for line in lines if cell_len(line) > 80] == []


def test_the_story_leaves_nothing_behind_and_reads_no_settings_of_the_user(
    say: Say, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The user's store is not made, the temporary one is gone, a remote embedder is not asked."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    monkeypatch.setenv("SAEGIM_EMBEDDER", "ollama:none")
    monkeypatch.setenv("SAEGIM_PROJECT", "theirs")
    story = say("--json", "demo").json["story"]
    assert len(story) == 5
    assert list(folder.iterdir()) == []
    assert not (tmp_path / "home").exists()

"""Where a server runs, a prompt is answered there; where it is gone, here."""

from __future__ import annotations

from pathlib import Path

import pytest
from attending import attend, event, heard, spooled

from saegim import Saegim
from serve.rest.doorbell import front

PROMPT = "What is my dog called?"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder of a project."""
    made = tmp_path / "kettle"
    (made / ".git").mkdir(parents=True)
    return made


def test_a_prompt_asks_next_door_and_opens_nothing(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """U10.3: the server answers from the same project; the words wait for a hook with time."""
    home = tmp_path / "served"
    with front(home) as served:
        served.house.memory.remember("My dog is called Bori.")
        attend("session-start", event(folder, source="startup"), home)
        with monkeypatch.context() as patch:
            patch.setattr(Saegim, "open", None)
            told = attend("user-prompt-submit", event(folder, prompt=PROMPT), home)
        assert "Bori" in told.context
        assert served.house.tally.calls["auto_search"] == 1
        assert len(spooled(home)) == 1
        attend("stop", event(folder), home)
        assert spooled(home) == []
    again = attend("user-prompt-submit", event(folder, prompt=PROMPT), home)
    assert "Bori" in again.context


def test_who_is_someone_else_does_not_ask_the_server(tmp_path: Path, folder: Path) -> None:
    """The server serves one person: under another name a hook looks for itself."""
    home = tmp_path / "served"
    with front(home) as served:
        served.house.memory.remember("My dog is called Bori.")
        attend("session-start", event(folder, source="startup"), home, user="mina")
        told = attend("user-prompt-submit", event(folder, prompt=PROMPT), home, user="mina")
        assert told.said == b"{}\n"
        assert served.house.tally.calls["auto_search"] == 0


def test_a_plate_that_lies_costs_nothing(tmp_path: Path, folder: Path) -> None:
    """A server that was killed left its plate behind: the memory is opened here."""
    home = tmp_path / "home"
    with Saegim.open(home / "saegim.db", background=False) as memory:
        memory.remember("My dog is called Bori.")
    (home / "server.json").write_text('{"pid": 1, "port": 9, "token_file": "/nowhere"}')
    attend("session-start", event(folder, source="startup"), home)
    assert "Bori" in attend("user-prompt-submit", event(folder, prompt=PROMPT), home).context
    assert heard(home) == []

"""However much another system holds, reading it holds no more of it at once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from elsewhere import as_array, as_lines, as_sqlite, as_zip, chatgpt, claude, mem0, peak
from saegim.guard.guard import Screened
from saegim.importers.source import chats as chatgpt_form
from saegim.importers.source import chats as claude_form
from saegim.importers.source import markdown, memory_servers, old_tables, source
from stand_ins import NIGHTLY, rounds

FEW, MANY = rounds(2_000), rounds(20_000, 1_000)
# Few things may not fill the window through which a file is read; many do.
WINDOW = 1_000_000


@pytest.fixture(autouse=True)
def _unguarded(monkeypatch: pytest.MonkeyPatch) -> None:
    """By day nobody looks for secrets: what is held at once is what the readers hold.

    Looking takes nine tenths of the time; at night every text is looked at as it is read.
    """
    if not NIGHTLY:
        for module in (source, markdown, memory_servers):
            monkeypatch.setattr(module, "screen", lambda text, **_: Screened(text, ()))


def _chatgpt(path: Path, count: int) -> Path:
    turns = [f"turn {n} of the talk" for n in range(10)]
    return as_array(path, (chatgpt(n, *turns) for n in range(count // 10)))


def _claude(path: Path, count: int) -> Path:
    turns = [f"turn {n} of the talk" for n in range(10)]
    talks = [claude(n, *turns) for n in range(count // 10)]
    return as_zip(path, conversations_json=talks)


def _mem0(path: Path, count: int) -> Path:
    return as_array(path, (mem0(n, f"fact number {n}") for n in range(count)))


def _server_memory(path: Path, count: int) -> Path:
    return as_lines(
        path,
        (
            {"type": "entity", "name": f"n{n}", "entityType": "x", "observations": [f"fact {n}"]}
            for n in range(count)
        ),
    )


def _bara(path: Path, count: int) -> Path:
    insert = "INSERT INTO collected_info VALUES (?, ?)"
    return as_sqlite(
        path,
        "CREATE TABLE collected_info (id INTEGER PRIMARY KEY, content TEXT)",
        rows=((insert, (n, f"fact number {n}")) for n in range(count)),
    )


def _markdown(path: Path, count: int) -> Path:
    for folder in range(count // 200):
        place = path / f"{folder:03}"
        place.mkdir(parents=True)
        for note in range(10):
            text = "\n".join(f"# Part {n}\nwords {n}\n" for n in range(20))
            (place / f"note {note}.md").write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("form", "read", "make"),
    [
        ("chatgpt", chatgpt_form.read_chatgpt, _chatgpt),
        ("claude", claude_form.read_claude, _claude),
        ("mem0", memory_servers.read_mem0, _mem0),
        ("server-memory", memory_servers.read_server_memory, _server_memory),
        ("bara", old_tables.read, _bara),
        ("markdown", markdown.read, _markdown),
    ],
)
def test_ten_times_as_much_takes_no_more_memory(
    tmp_path: Path, form: str, read: Any, make: Callable[[Path, int], Path]
) -> None:
    """Many things are read in the memory of few; at night twenty thousand (U24.2, U24.3)."""
    few = peak(read, make(tmp_path / "few", FEW), form)
    many = peak(read, make(tmp_path / "many", MANY), form)
    assert (few[0], many[0]) == (FEW, MANY)
    assert many[1] < 1.5 * few[1] + WINDOW


def test_reading_everything_at_once_would_be_seen(tmp_path: Path) -> None:
    """Control: a reader that holds the list takes ten times the memory for ten times the list."""

    def greedy(path: Path, run: Any) -> Any:
        return iter(list(memory_servers.read_mem0(path, run)))

    few = peak(greedy, _mem0(tmp_path / "few", FEW), "mem0")
    many = peak(greedy, _mem0(tmp_path / "many", MANY), "mem0")
    assert many[1] > 1.5 * few[1] + WINDOW

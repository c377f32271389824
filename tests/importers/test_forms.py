"""Which form a path has is read from what it holds; what is unclear is asked, not guessed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from elsewhere import as_lines, as_sqlite, as_zip, chatgpt, claude, mem0
from saegim import Saegim
from saegim.errors import BadInput, NotFound
from saegim.importers.formats import NAMES, chosen

ENTITY = {"type": "entity", "name": "a", "entityType": "x", "observations": []}


def file(path: Path, content: Any) -> Path:
    """Write a file of JSON or text, and the folders above it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = content if isinstance(content, str) else json.dumps(content)
    path.write_text(text, encoding="utf-8")
    return path


def test_each_form_is_recognised_by_what_it_holds(tmp_path: Path) -> None:
    """Names of files say nothing; the first thing in them does (U24.3)."""
    made = {
        "jsonl": file(tmp_path / "a.bin", '{"saegim":"export","version":1}\n'),
        "bara": as_sqlite(tmp_path / "b.dat", "CREATE TABLE good_examples (response)"),
        "server-memory": as_lines(tmp_path / "memory.json", [ENTITY]),
        "orbs": file(tmp_path / "o.json", {"form": "orbs", "version": 1, "memories": []}),
        "mem0": file(tmp_path / "c.json", {"count": 1, "results": [mem0(1, "x")]}),
        "chatgpt": file(tmp_path / "d.json", [chatgpt(1, "a")]),
        "claude": file(tmp_path / "e.json", [claude(1, "a")]),
        "claude-code": file(tmp_path / "one" / "CLAUDE.md", "x"),
        "markdown": file(tmp_path / "two" / "note.md", "x"),
        "coordinates": file(tmp_path / "three" / "sessions" / "s.jsonl", "").parents[1],
    }
    assert set(made) == set(NAMES)
    assert {name: chosen(path, "auto").name for name, path in made.items()} == {
        name: name for name in made
    }


def test_the_same_form_is_recognised_however_it_lies(tmp_path: Path) -> None:
    """In an archive, in a folder, as a list or as an object, with a mark of order (U24.3)."""
    for name, path in (
        ("chatgpt", as_zip(tmp_path / "a.zip", conversations_json=[chatgpt(1, "a")])),
        ("claude", as_zip(tmp_path / "b.zip", x_json=[], conversations_json=[claude(1, "a")])),
        ("chatgpt", file(tmp_path / "c" / "conversations.json", [chatgpt(1, "a")]).parent),
        ("mem0", file(tmp_path / "d.json", [mem0(1, "x")])),
        ("mem0", file(tmp_path / "e.json", {"memories": []})),
        ("server-memory", file(tmp_path / "f.json", "\ufeff\n\n" + json.dumps(ENTITY))),
        ("claude-code", file(tmp_path / "g" / "CLAUDE.md", "x").parent),
        ("claude-code", file(tmp_path / "h" / ".claude" / "CLAUDE.md", "x").parents[1]),
        ("claude-code", file(tmp_path / "i" / "MEMORY.md", "x").parent),
        ("markdown", file(tmp_path / "j" / "deep" / "er" / "note.markdown", "x").parents[2]),
        ("coordinates", file(tmp_path / "k" / "memory" / "sessions" / "s.jsonl", "").parents[2]),
    ):
        assert chosen(path, "auto").name == name, path


def test_what_could_be_two_things_is_asked(tmp_path: Path) -> None:
    """An empty list is anyone's, and a project has notes of its own and of Claude Code (U24.3)."""
    project = file(tmp_path / "p" / "CLAUDE.md", "x").parent
    file(project / "README.md", "y")
    mixed = file(tmp_path / "m" / "conversations.json", [claude(1, "a")]).parent
    file(mixed / "note.md", "z")
    for path, names in (
        (file(tmp_path / "a.json", []), ("mem0", "chatgpt", "claude")),
        (file(tmp_path / "b.json", [chatgpt(1, "a", chat_messages=[])]), ("chatgpt", "claude")),
        (project, ("claude-code", "markdown")),
        (mixed, ("claude", "markdown")),
    ):
        with pytest.raises(BadInput, match="could be") as raised:
            chosen(path, "auto")
        assert " or ".join(names) in raised.value.message
        assert "--form" in raised.value.next_step
        for name in names:
            assert chosen(path, name).name == name


@pytest.mark.parametrize(
    "content",
    [
        "id,text\n1,hello\n",
        "{}",
        "[1, 2]",
        '[{"role":"user","content":"hi"}]',
        '[{"id":1,"title":"x"}]',
        '{"results":[{"title":"x"}]}',
        '{"type":"message"}',
        "[[",
    ],
)
def test_what_is_nothing_known_is_refused_with_the_choices(tmp_path: Path, content: str) -> None:
    """Nothing is read as something it is not (U8.4)."""
    path = file(tmp_path / "x.json", content)
    with pytest.raises(BadInput, match="is not an export") as raised:
        chosen(path, "auto")
    assert str(path) in raised.value.message
    assert all(name in raised.value.next_step for name in NAMES)


def test_a_form_that_does_not_fit_its_place_is_refused(tmp_path: Path) -> None:
    """A folder is no file, and a file no folder (U8.4)."""
    note = file(tmp_path / "x" / "note.md", "x")
    for name in ("jsonl", "bara", "server-memory", "mem0"):
        with pytest.raises(BadInput, match="is a folder"):
            chosen(note.parent, name)
    with pytest.raises(BadInput, match="is a file"):
        chosen(note, "coordinates")
    with pytest.raises(BadInput, match="'xml'"):
        chosen(note, "xml")
    with pytest.raises(NotFound, match="nowhere"):
        chosen(tmp_path / "nowhere", "markdown")
    (tmp_path / "empty").mkdir()
    with pytest.raises(BadInput, match="no Markdown notes"):
        chosen(tmp_path / "empty", "auto")


def test_an_explicit_form_reads_what_is_there(memory: Saegim, tmp_path: Path) -> None:
    """Whoever says the form gets its problems, item by item (U8.4)."""
    path = file(tmp_path / "x.json", [chatgpt(1, "a")])
    report = memory.import_from(path, form="claude")
    assert (report.form, report.added, len(report.problems)) == ("claude", 0, 1)
    plain = file(tmp_path / "notes.txt", "# Plain\n\nwords")
    assert memory.import_from(plain, form="markdown").added == 1


def test_a_file_that_may_not_be_read_is_named(
    memory: Saegim, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the system says is told in our words, whichever form was asked for (U8.4)."""
    path = file(tmp_path / "locked.json", [])
    opened = Path.open

    def refuse(self: Path, *rest: Any, **more: Any) -> Any:
        if self.name == path.name:
            raise PermissionError(13, "Permission denied")
        return opened(self, *rest, **more)

    monkeypatch.setattr(Path, "open", refuse)
    for form in ("auto", "jsonl", "mem0", "chatgpt", "claude"):
        with pytest.raises(BadInput, match=r"locked\.json cannot be read: Permission denied"):
            memory.import_from(path, form=form)
    assert memory.import_from(path, form="markdown").problems == (
        "locked.json: It cannot be read: Permission denied.",
    )

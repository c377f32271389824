"""A path that can be none gets a clear answer at every door, never a traceback."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from saegim import Saegim
from saegim.errors import BadInput, NotFound, Refused, SaegimError
from saegim.filesystem import named_path, replacing
from saegim.serve.backend import Call, LocalBackend
from saegim.serve.cli.app import run

ODD: dict[str, Callable[[Path], str]] = {
    "empty": lambda _: "",
    "blank": lambda _: " \t",
    "a NUL": lambda _: "notes\0.md",
    "4,000 letters": lambda _: f"{'x' * 4000}.md",
    "4,000 letters in a folder": lambda there: str(there / ("가" * 1300) / "n.md"),
    "an unknown user": lambda _: "~nobody-of-that-name/notes.md",
    "a link to itself": lambda there: str(there / "loop"),
    "inside a link to itself": lambda there: str(there / "loop" / "notes.md"),
    "a pipe": lambda there: str(there / "pipe"),
}


@pytest.fixture
def there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with odd things in it."""
    made = tmp_path / "there"
    made.mkdir()
    (made / "loop").symlink_to(made / "loop")
    os.mkfifo(made / "pipe")
    monkeypatch.chdir(made)
    return made


@pytest.mark.parametrize("kind", ODD)
def test_the_library_says_what_is_wrong_with_a_path(memory: Saegim, there: Path, kind: str) -> None:
    """Every verb that takes a path refuses one that is none, with an error of ours."""
    path = ODD[kind](there)
    verbs: tuple[Callable[[str], object], ...] = (
        memory.import_from,
        lambda each: memory.import_from(each, form="jsonl"),
        lambda each: memory.import_from(each, dry_run=True),
        memory.maintenance.restore_backup,
        memory.maintenance.migrate,
    )
    for verb in verbs:
        with pytest.raises((BadInput, NotFound, SaegimError)) as caught:
            verb(path)
        assert caught.value.next_step
    assert memory.recent().total == 0


@pytest.mark.parametrize("kind", ["empty", "a NUL", "4,000 letters", "inside a link to itself"])
def test_nothing_is_written_where_no_file_can_be(memory: Saegim, there: Path, kind: str) -> None:
    """Exports and backups refuse such a path too."""
    path = ODD[kind](there)
    for form in ("jsonl", "coordinates", "orbs"):
        with pytest.raises(BadInput):
            memory.export_to(path, form=form)
    with pytest.raises(SaegimError):
        memory.maintenance.backup(path)


@pytest.mark.parametrize("kind", ODD)
def test_the_command_line_says_it_in_one_line(
    there: Path, kind: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A usage error, not a fault; the path is shown shortened."""
    assert run(("import", ODD[kind](there))) in (2, 3)
    said = capsys.readouterr().err
    assert "Traceback" not in said
    assert "→" in said
    assert len(said) < 6000


@pytest.mark.parametrize("door", ["rest", "mcp"])
@pytest.mark.parametrize("kind", ODD)
def test_the_doors_of_agents_refuse_it_too(
    tmp_path: Path, there: Path, kind: str, door: str
) -> None:
    """memory_import answers with an error of ours: REST tells it as 4xx, MCP as a refusal."""
    house = LocalBackend(tmp_path / "home" / "saegim.db", background=False)
    wish = Call(name="memory_import", arguments={"path": ODD[kind](there)}, door=door)
    try:
        with pytest.raises((BadInput, NotFound, Refused)):
            house.call(wish)
    finally:
        house.close()


def test_a_real_path_is_taken_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is not there yet may be named; `~` is a home folder where that is asked for."""
    assert named_path(tmp_path / "new" / "file") == tmp_path / "new" / "file"
    monkeypatch.setenv("HOME", str(tmp_path))
    assert named_path("~/notes", expand=True) == tmp_path / "notes"
    assert named_path("~/notes") == Path("~/notes")


def test_what_is_no_file_is_not_replaced_by_one(memory: Saegim, there: Path) -> None:
    """An export over a pipe or a device is refused; the thing is still there."""
    for path in (there / "pipe", there):
        with pytest.raises(BadInput, match="cannot be written"):
            memory.export_to(path)
    assert (there / "pipe").is_fifo()
    with replacing(there / "new.txt") as file:
        file.write("tea")
    assert (there / "new.txt").read_text() == "tea"


def test_without_that_look_a_pipe_is_replaced(
    memory: Saegim, there: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The control: moving a file into place takes away whatever was there."""
    monkeypatch.setattr("saegim.filesystem.stat.S_ISREG", lambda _: True)
    memory.export_to(there / "pipe")
    assert (there / "pipe").is_file()


def test_an_export_folder_is_for_its_owner_alone(memory: Saegim, tmp_path: Path) -> None:
    """A folder that an export makes, and every file in it, is closed to others."""
    memory.remember("tea", session="s")
    before = os.umask(0)
    try:
        memory.export_to(tmp_path / "out" / "tree", form="coordinates")
    finally:
        os.umask(before)
    made = [tmp_path / "out", *(tmp_path / "out").rglob("*")]
    loose = [each for each in made if each.stat().st_mode & 0o077]
    assert loose == []

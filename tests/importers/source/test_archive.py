"""Archives: nothing is unpacked, nothing leads out, nothing explodes."""

from __future__ import annotations

import struct
import zipfile
from pathlib import Path

import pytest

from elsewhere import as_json, as_zip
from saegim.errors import BadInput, Refused
from saegim.importers.source import archive
from saegim.importers.source.archive import documents


def names(path: Path) -> list[str]:
    """Open every file of conversations and close it again."""
    found = []
    for name, file in documents(path):
        with file:
            found.append(f"{name} {file.read(2)!r}")
    return found


def packed(path: Path, name: str | zipfile.ZipInfo, content: bytes) -> Path:
    """An archive with one entry beside its conversations."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr("conversations.json", "[]")
        made.writestr(name, content)
    return path


def test_an_export_is_read_from_a_file_a_folder_or_an_archive(tmp_path: Path) -> None:
    """However it comes, the conversations are found, in order (U24.3)."""
    plain = as_json(tmp_path / "any name.json", [])
    zipped = as_zip(tmp_path / "a.zip", chat_html="", conversations_json=[], user_json={})
    folder = tmp_path / "folder"
    folder.mkdir()
    for name in ("conversations-001.json", "conversations-000.json", "user.json"):
        as_json(folder / name, [])
    assert names(plain) == ["any name.json b'[]'"]
    assert names(zipped) == ["conversations.json b'[]'"]
    assert names(folder) == ["conversations-000.json b'[]'", "conversations-001.json b'[]'"]


@pytest.mark.parametrize(
    "name",
    [
        "../../etc/conversations.json",
        "/etc/passwd",
        "..\\..\\boot.ini",
        "C:\\x",
        "a/../../b",
        "C:x",
    ],
)
def test_an_entry_that_leads_out_refuses_the_archive(tmp_path: Path, name: str) -> None:
    """A slip out of the folder is refused although nothing is written (attacks 60, 61)."""
    path = packed(tmp_path / "slip.zip", name, b"x")
    with pytest.raises(Refused, match="leads out"):
        names(path)
    assert names(packed(tmp_path / "fine.zip", "images/a..b.png", b"x"))


def test_a_link_in_an_archive_is_refused(tmp_path: Path) -> None:
    """An entry that is a link could stand for any file (attack 61)."""
    link = zipfile.ZipInfo("conversations-1.json")
    link.external_attr = 0o120777 << 16
    with pytest.raises(Refused, match="leads out"):
        names(packed(tmp_path / "link.zip", link, b"/etc/passwd"))


def test_a_bomb_is_refused_before_it_is_lit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What grows two hundredfold, or beyond any export, is refused unread (attack 61)."""
    bomb = packed(tmp_path / "bomb.zip", "conversations-1.json", b" " * 3_000_000)
    with pytest.raises(Refused, match="would grow from"):
        names(bomb)
    monkeypatch.setattr(archive, "MAX_RATIO", 10_000)
    assert len(names(bomb)) == 2  # control: the ratio is what refused it
    monkeypatch.setattr(archive, "MAX_ENTRY", 2_000_000)
    with pytest.raises(Refused, match="would grow from"):
        names(bomb)


def test_an_archive_of_a_million_files_is_refused_unread(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The directory is measured before it is held, also in a large archive (attack 61)."""
    path = as_zip(tmp_path / "many.zip", conversations_json=[], **{f"f{n}": 0 for n in range(99)})
    assert len(names(path)) == 1
    monkeypatch.setattr(archive, "MAX_DIRECTORY", 1000)
    with pytest.raises(Refused, match="too many files"):
        names(path)
    monkeypatch.undo()
    # The record of a large archive: the true length stands in it, the short one is all ones.
    whole = bytearray(path.read_bytes())
    at = whole.rfind(b"PK\x05\x06")
    whole[at + 12 : at + 16] = b"\xff" * 4
    large = struct.pack("<4sQHHLLQQQQ", b"PK\x06\x06", 44, 45, 45, 0, 0, 10**6, 10**6, 10**8, 0)
    path.write_bytes(bytes(whole[:at]) + large + bytes(whole[at:]))
    with pytest.raises(Refused, match="too many files"):
        names(path)


def test_an_encrypted_entry_is_named(tmp_path: Path) -> None:
    """What cannot be read without a password is said, not guessed (U8.4)."""
    path = as_zip(tmp_path / "locked.zip", conversations_json=[])
    raw = bytearray(path.read_bytes())
    raw[raw.index(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(bytes(raw))
    with pytest.raises(BadInput, match="is encrypted"):
        names(path)


def test_a_broken_archive_and_a_strange_one_are_named(tmp_path: Path) -> None:
    """An archive cut short, or of something else, is refused with its name (U8.4)."""
    path = as_zip(tmp_path / "a.zip", conversations_json=["x" * 1000])
    path.write_bytes(path.read_bytes()[:-30])
    with pytest.raises(BadInput, match="broken archive"):
        names(path)
    with pytest.raises(BadInput, match=r"holds no conversations\.json"):
        names(as_zip(tmp_path / "other.zip", photo_png=1))


def test_a_folder_does_not_lead_out_through_a_link(tmp_path: Path) -> None:
    """conversations.json may not stand for a file elsewhere (attack 60)."""
    outside = as_json(tmp_path / "private.json", [])
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "conversations.json").symlink_to(outside)
    with pytest.raises(Refused, match="is a link"):
        names(tmp_path / "folder")

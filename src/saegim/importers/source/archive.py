"""The conversations of an export: a JSON file, a folder, or an archive that is never unpacked.

An archive is a stranger's: it is looked at whole before one byte of it is read, and refused if it
could lead out of itself, fill the memory, or hide what it holds.
"""

from __future__ import annotations

import re
import stat
import struct
import zipfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import IO, Final

from saegim.errors import BadInput, Refused

MAGIC: Final = b"PK\x03\x04"
# Larger than any export that was seen, small enough to be read in an afternoon.
MAX_ENTRY: Final = 2 * 1024**3
# JSON of conversations shrinks to a tenth; a bomb to a thousandth.
MAX_RATIO: Final = 200
# An entry of the directory takes at least 46 bytes, so this is at most 350,000 entries.
MAX_DIRECTORY: Final = 16 * 1024**2
_NAME: Final = re.compile(r"conversations(?:[-_ ]?\d{1,4})?\.json")
# The end of an archive: its record, and a comment of at most 65,535 bytes.
_END, _END_SIZE, _LONGEST_COMMENT = b"PK\x05\x06", 22, 65_535
_END_64: Final = b"PK\x06\x06"


def documents(path: Path) -> Iterator[tuple[str, IO[bytes]]]:
    """Yield each file of conversations with its name, open for reading; nothing is written."""
    if path.is_dir():
        for file in sorted(each for each in path.iterdir() if _NAME.fullmatch(each.name)):
            yield file.name, _opened(file)
    elif is_archive(path):
        with _archive(path) as archive:
            for entry in conversations(archive):
                yield entry.filename, _entered(archive, entry)
    else:
        yield path.name, _opened(path)


def is_archive(path: Path) -> bool:
    """Say whether a file begins as a zip archive does."""
    with path.open("rb") as file:
        return file.read(len(MAGIC)) == MAGIC


def holds_conversations(folder: Path) -> bool:
    """Say whether a folder holds the files of an export that was unpacked."""
    return any(_NAME.fullmatch(each.name) for each in folder.iterdir() if each.is_file())


def conversations(archive: zipfile.ZipFile) -> list[zipfile.ZipInfo]:
    """Return the entries that hold conversations; refuse an archive that is not what it seems."""
    for entry in archive.infolist():
        _refuse_odd_name(entry)
    found = [
        entry
        for entry in archive.infolist()
        if not entry.is_dir() and _NAME.fullmatch(PurePosixPath(entry.filename).name)
    ]
    if not found:
        raise BadInput("import.holds_no_conversations_json", filename=archive.filename)
    for entry in found:
        _refuse_bomb(entry)
    return sorted(found, key=lambda entry: entry.filename)


def _opened(path: Path) -> IO[bytes]:
    if path.is_symlink():
        raise Refused("import.is_a_link", path=path)
    return path.open("rb")


def _entered(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> IO[bytes]:
    try:
        return archive.open(entry)
    except (zipfile.BadZipFile, OSError, NotImplementedError, RuntimeError) as error:
        raise BadInput(
            "import.cannot_be_read_ask_service", filename=entry.filename, error=error
        ) from error


def _archive(path: Path) -> zipfile.ZipFile:
    _refuse_long_directory(path)
    try:
        return zipfile.ZipFile(path)
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        raise BadInput("import.broken_archive", path=path, error=error) from error


def _refuse_long_directory(path: Path) -> None:
    """Refuse a directory too long to be held, before it is read: a million empty files."""
    with path.open("rb") as file:
        size = file.seek(0, 2)
        file.seek(max(0, size - _END_SIZE - _LONGEST_COMMENT))
        tail = file.read()
    at = tail.rfind(_END)
    if at < 0 or at + _END_SIZE > len(tail):
        raise BadInput("import.broken_archive_has_no_end", path=path)
    length: int = struct.unpack_from("<L", tail, at + 12)[0]
    large = tail.rfind(_END_64, 0, at)
    if large >= 0 and large + 48 <= len(tail):
        length = max(length % 0xFFFFFFFF, struct.unpack_from("<Q", tail, large + 40)[0])
    if length > MAX_DIRECTORY:
        raise Refused("import.holds_too_many_files", path=path)


def _refuse_odd_name(entry: zipfile.ZipInfo) -> None:
    name = entry.filename
    path = PurePosixPath(name.replace("\\", "/"))
    leads_out = path.is_absolute() or ".." in path.parts or bool(re.match(r"[A-Za-z]:", name))
    if leads_out or stat.S_ISLNK(entry.external_attr >> 16):
        raise Refused("import.archive_holds_which_leads_out", name=name)


def _refuse_bomb(entry: zipfile.ZipInfo) -> None:
    if entry.flag_bits & 0x1:
        raise BadInput("import.encrypted", filename=entry.filename)
    packed = max(entry.compress_size, 1)
    if entry.file_size > MAX_ENTRY or entry.file_size > MAX_RATIO * packed:
        raise Refused(
            "import.would_grow_from_to_bytes",
            filename=entry.filename,
            packed=packed,
            file_size=entry.file_size,
        )

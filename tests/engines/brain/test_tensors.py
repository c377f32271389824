"""The file of arrays: a plain layout that anyone can read, and nothing that is not whole."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from saegim.engines.brain.model import Array, read, write
from saegim.errors import EngineError

ARRAYS: dict[str, Array] = {
    "bytes": np.frombuffer("새김".encode(), np.uint8),
    "half": np.arange(3, dtype=np.float16),
    "small": np.arange(-6, 6, dtype=np.int8).reshape(3, 4),
    "wide": np.array([[0.5, -2.0]], np.float32),
}
FORMATS = {"I8": "b", "U8": "B", "F16": "e", "F32": "f"}

Header = dict[str, Any]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Return a small file of arrays."""
    path = tmp_path / "small.safetensors"
    write(path, ARRAYS, {"model": "small", "licence": "Apache-2.0"})
    return path


def parted(path: Path) -> tuple[Header, bytes]:
    """Return the header and the body of a file, read by hand."""
    data = path.read_bytes()
    (size,) = struct.unpack("<Q", data[:8])
    return json.loads(data[8 : 8 + size]), data[8 + size :]


def by_hand(path: Path) -> dict[str, list[float]]:
    """Read every array with nothing but the layout's description: no numpy, none of our code."""
    header, body = parted(path)
    found = {}
    for name, entry in header.items():
        if name != "__metadata__":
            first, last = entry["data_offsets"]
            format = FORMATS[entry["dtype"]]
            count = (last - first) // struct.calcsize(format)
            found[name] = list(struct.unpack(f"<{count}{format}", body[first:last]))
    return found


def put(path: Path, header: Any, body: bytes) -> None:
    """Write a file with this header, whatever it says."""
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + body)


def refused(path: Path) -> str:
    """Return why a file is refused; the error always says what to do."""
    with pytest.raises(EngineError) as caught:
        read(path)
    assert path.name in caught.value.message
    assert "hashed" in caught.value.next_step
    return caught.value.message


def test_a_hand_written_reader_sees_the_same_numbers(file: Path) -> None:
    """U33.1: the layout is the public one; nothing of ours is needed to read it."""
    tensors = read(file)
    assert tensors.notes["model"] == "small"
    for name, array in tensors.arrays().items():
        assert by_hand(file)[name] == array.ravel().tolist()
        assert array.dtype == ARRAYS[name].dtype
        assert np.array_equal(array, ARRAYS[name])


def test_arrays_lie_without_holes_each_where_its_width_asks(file: Path) -> None:
    """U33.1: other readers refuse holes, and processors dislike numbers off their step."""
    header, body = parted(file)
    notes = header.pop("__metadata__")
    assert set(notes) == {"model", "licence", "checksum"}
    spans = sorted(tuple(entry["data_offsets"]) for entry in header.values())
    assert [first for first, _ in spans] == [0, *(last for _, last in spans[:-1])]
    assert spans[-1][1] == len(body)
    assert (file.stat().st_size - len(body)) % 64 == 0
    for name, entry in header.items():
        assert entry["data_offsets"][0] % ARRAYS[name].itemsize == 0


def test_the_same_arrays_give_the_same_bytes(file: Path, tmp_path: Path) -> None:
    """U7.2: a file made again is the same file; one number more or less is another."""
    again, other = tmp_path / "again", tmp_path / "other"
    write(again, dict(reversed(ARRAYS.items())), {"licence": "Apache-2.0", "model": "small"})
    assert again.read_bytes() == file.read_bytes()
    write(other, {**ARRAYS, "half": ARRAYS["half"] + 1}, {"model": "small"})
    assert read(other).notes["checksum"] != read(file).notes["checksum"]


def test_arrays_are_mapped_and_cannot_be_written(file: Path) -> None:
    """U6.1: several processes share one copy of the numbers, and none can spoil it."""
    for array in read(file).arrays().values():
        assert not array.flags.owndata
        assert not array.flags.writeable


def without_notes(header: Header) -> Any:
    """Return the header of a file that someone else made."""
    del header["__metadata__"]
    return header


def small(**change: Any) -> Callable[[Header], Any]:
    """Return a way to change what the header says of one array."""

    def changed(header: Header) -> Any:
        header["small"] |= change
        return header

    return changed


BROKEN: dict[str, Callable[[Header], Any]] = {
    "a list": lambda header: [header],
    "a number": lambda header: 7,
    "without notes": without_notes,
    "notes that are a list": lambda header: {**header, "__metadata__": []},
    "notes that are numbers": lambda header: {**header, "__metadata__": {"model": 1}},
    "an unknown kind of number": small(dtype="BF16"),
    "another width": small(dtype="F32"),
    "kind missing": lambda header: {**header, "small": {"shape": [3, 4]}},
    "an entry that is a text": lambda header: {**header, "small": "12"},
    "another shape": small(shape=[3, 5]),
    "a shape below zero": small(shape=[-3, -4]),
    "a shape of truths": small(shape=[True, 12]),
    "a shape that is a number": small(shape=12),
    "behind the end": small(data_offsets=[1000, 1012]),
    "before the beginning": small(data_offsets=[-12, 0]),
    "backwards": small(data_offsets=[12, 0]),
    "three offsets": small(data_offsets=[0, 6, 12]),
    "offsets with a point": lambda header: {
        **header,
        "wide": header["wide"] | {"data_offsets": [0.0, 8.0]},
    },
    "overlapping": lambda header: {**header, "again": header["wide"]},
    "a hole": lambda header: {name: header[name] for name in header if name != "half"},
}


@pytest.mark.parametrize("broken", BROKEN.values(), ids=BROKEN)
def test_a_header_that_lies_is_refused_at_once(file: Path, broken: Callable[[Header], Any]) -> None:
    """R-11, FAULTS 79: a damaged or foreign header is refused before one number is used."""
    header, body = parted(file)
    put(file, broken(header), body)
    assert "damaged" in refused(file)


def test_the_same_header_untouched_is_accepted(file: Path) -> None:
    """Control: what refuses the broken ones does accept the whole one, written the same way."""
    put(file, *parted(file))
    assert set(read(file).arrays()) == set(ARRAYS)


@pytest.mark.parametrize(
    "cut",
    [
        lambda data: b"",
        lambda data: data[:5],
        lambda data: data[:40],
        lambda data: data[:-1],
        lambda data: data + b"\0",
        lambda data: b"\xff" * 8 + data[8:],
        lambda data: b"PK\x03\x04" + data,
        lambda data: data[:8] + b"\xff" + data[9:],
        lambda data: struct.pack("<Q", 200_000) + b"[" * 200_000,
    ],
    ids="empty|half a size|half a header|short|long|huge|zip|not text|too deep".split("|"),
)
def test_a_torn_or_foreign_file_is_refused(file: Path, cut: Callable[[bytes], bytes]) -> None:
    """R-11: whatever lies there instead, the error names the file and the way out."""
    file.write_bytes(cut(file.read_bytes()))
    assert "damaged" in refused(file)


def test_what_is_not_a_file_is_refused(file: Path, tmp_path: Path) -> None:
    """R-11: a missing file is called missing; a folder is no file."""
    assert "not there" in refused(tmp_path / "none.safetensors")
    assert "damaged" in refused(tmp_path)


@pytest.mark.parametrize("spoiled", ["one bit", "emptied", "gone"])
def test_numbers_that_changed_are_refused_when_they_are_first_used(
    file: Path, spoiled: str
) -> None:
    """R-11: the header is read first, the numbers are checked, all of them, before any is used."""
    tensors = read(file)
    if spoiled == "one bit":
        data = bytearray(file.read_bytes())
        data[-1] ^= 1
        file.write_bytes(data)
        read(file)
    elif spoiled == "emptied":
        file.write_bytes(b"")
    else:
        file.unlink()
    with pytest.raises(EngineError, match="damaged") as caught:
        tensors.arrays()
    assert "Install Saegim again" in caught.value.next_step

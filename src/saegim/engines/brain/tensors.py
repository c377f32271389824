"""A plain file of arrays (the safetensors layout): a JSON header, then the numbers as they are.

Nothing in it can run; any safetensors reader opens it; arrays are mapped, not copied.
"""

from __future__ import annotations

import json
import math
import mmap
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import xxhash

from saegim.errors import EngineError
from saegim.messages import Message

Array = npt.NDArray[Any]

KINDS: Final = {"I8": np.int8, "U8": np.uint8, "F16": np.float16, "F32": np.float32}
_NAMES: Final = {np.dtype(kind): name for name, kind in KINDS.items()}
_LONGEST_HEADER: Final = 1 << 20
_ALIGNED: Final = 64


@dataclass(frozen=True, slots=True)
class Tensors:
    """What a file says of itself, and where its arrays lie."""

    path: Path
    # Compared but not hashed: equal headers at one place are one model, loaded once.
    notes: Mapping[str, str] = field(hash=False)
    entries: Mapping[str, Mapping[str, Any]] = field(hash=False)
    begins: int

    def arrays(self) -> dict[str, Array]:
        """Map the file, check every byte against its checksum, and return the arrays."""
        try:
            with self.path.open("rb") as file:
                mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except (OSError, ValueError) as error:
            raise damaged(self.path, Message("engine.file_cannot_be_read_any_more")) from error
        body = memoryview(mapped)[self.begins :]
        if xxhash.xxh3_128_hexdigest(body) != self.notes.get("checksum"):
            raise damaged(self.path, Message("engine.file_its_numbers_do_not_match"))
        if hasattr(mmap, "MADV_DONTNEED"):
            # Every page was read for the checksum; a text needs few of them, which come back.
            mapped.madvise(mmap.MADV_DONTNEED)
        return {name: _array(body, entry) for name, entry in self.entries.items()}


def read(path: Path) -> Tensors:
    """Read the header of a file; the numbers stay where they are."""
    try:
        with path.open("rb") as file:
            size = int.from_bytes(file.read(8), "little")
            if size > _LONGEST_HEADER:
                raise damaged(path, Message("engine.file_its_header_too_long_be"))
            header = json.loads(file.read(size))
            rest = os.fstat(file.fileno()).st_size - 8 - size
    except FileNotFoundError as error:
        raise EngineError("engine.model_file", name=path.name) from error
    except (OSError, ValueError, RecursionError) as error:
        raise damaged(path, Message("engine.file_its_header_cannot_be_read")) from error
    try:
        notes = header.pop("__metadata__")
        if not all(isinstance(note, str) for note in notes.values()):
            raise damaged(path, Message("engine.file_its_notes_are_not_text"))
        if not _filled(header, rest):
            raise damaged(path, Message("engine.file_its_arrays_are_not_where"))
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise damaged(path, Message("engine.file_its_header_not_one_ours")) from error
    return Tensors(path, notes, header, 8 + size)


def _filled(entries: Mapping[str, Mapping[str, Any]], size: int) -> bool:
    """Say whether the arrays lie one after the other, as long as their shapes, to the very end."""
    at = 0
    for entry in sorted(entries.values(), key=lambda entry: entry["data_offsets"]):
        (first, last), shape = entry["data_offsets"], entry["shape"]
        counted = all(type(number) is int and number >= 0 for number in (first, last, *shape))
        width = np.dtype(KINDS[entry["dtype"]]).itemsize
        if not counted or first != at or last - first != math.prod(shape) * width:
            return False
        at = last
    return at == size


def write(path: Path, arrays: Mapping[str, Array], notes: Mapping[str, str]) -> None:
    """Write arrays and notes; the same input gives the same bytes."""
    entries: dict[str, Any] = {}
    parts: list[bytes] = []
    at = 0
    # Wide numbers first: so each array is aligned without the holes that the layout forbids.
    for name, array in sorted(arrays.items(), key=lambda item: (-item[1].itemsize, item[0])):
        kind, ends = _NAMES[array.dtype], at + array.nbytes
        entries[name] = {"dtype": kind, "shape": list(array.shape), "data_offsets": [at, ends]}
        parts.append(np.ascontiguousarray(array).tobytes())
        at = ends
    body = b"".join(parts)
    marked = {**notes, "checksum": xxhash.xxh3_128_hexdigest(body)}
    header = json.dumps({"__metadata__": marked, **entries}, sort_keys=True).encode()
    header += b" " * (-(len(header) + 8) % _ALIGNED)
    path.write_bytes(len(header).to_bytes(8, "little") + header + body)


def damaged(path: Path, why: Message) -> EngineError:
    """Return the error for a file that cannot be trusted."""
    return EngineError("engine.model_file_is_damaged", name=path.name, why=why)


def _array(body: memoryview, entry: Mapping[str, Any]) -> Array:
    first, last = entry["data_offsets"]
    return np.frombuffer(body[first:last], KINDS[entry["dtype"]]).reshape(entry["shape"])

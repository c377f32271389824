"""Handles: a short name for a memory that a person can read aloud and any verb takes for its id.

`m` + the row number + one letter that guards the number + two that come from the id. A row keeps
its number for ever and no other row gets it, so no two memories of a store share a handle. The
guard finds every single slip in the number and every two neighbours that changed places; the id's
letters find the rest, and a handle that belongs to another store.
"""

from __future__ import annotations

import re
from typing import Final

import xxhash

from saegim.errors import NotFound
from saegim.memory.clock import checked_id
from saegim.memory.memory import Scope
from saegim.store.store import Store

PREFIX: Final = "m"
# Crockford's alphabet: no i, l, o, u. What is easily taken for another is read as that.
_DIGITS: Final = "0123456789abcdefghjkmnpqrstvwxyz"
_VALUES: Final = {digit: value for value, digit in enumerate(_DIGITS)} | {"o": 0, "i": 1, "l": 1}
# At most twelve digits: 2^60 rows, more than a store will ever have.
_FORM: Final = re.compile(r"m([0-9a-hjkmnp-tv-zoil]{1,12})([0-9a-hjkmnp-tv-zoil]{3})")
# x^5 + x^2 + 1: with it the 32 digits are a field in which 2 is a generator, so that neighbouring
# places weigh differently and no single change can cancel itself.
_FIELD: Final = 0b100101
_MOST_DIGITS: Final = 12


def _doubled(value: int) -> int:
    value <<= 1
    return value ^ _FIELD if value & 32 else value


def _weights() -> tuple[tuple[int, ...], ...]:
    """Return what each digit counts at each place, the last place first."""
    places = [tuple(_doubled(digit) for digit in range(32))]
    while len(places) < _MOST_DIGITS:
        places.append(tuple(map(_doubled, places[-1])))
    return tuple(places)


_WEIGHTS: Final = _weights()


def handle_of(number: int, id: str) -> str:
    """Return the handle of the memory in this row."""
    written, guard, place = "", 0, 0
    while number:
        number, digit = divmod(number, 32)
        written = _DIGITS[digit] + written
        guard ^= _WEIGHTS[place][digit]
        place += 1
    return f"{PREFIX}{written}{_DIGITS[guard]}{_from_id(id)}"


def number_of(handle: str) -> int | None:
    """Return the row a handle names; None for what is no handle or is misspelt in its number."""
    read = _read(handle)
    return None if read is None else read[0]


def named_id(name: str, *, scope: Scope, store: Store) -> str:
    """Return the id of what a person or a prompt calls by its id or its short handle."""
    if isinstance(name, str) and number_of(name) is not None:
        return resolved(name, scope=scope, store=store)
    return checked_id(name)


def resolved(text: str, *, scope: Scope, store: Store) -> str:
    """Return the id that a handle or an id names; nobody reaches a memory of another user."""
    # Handles first: an imported id that looks like one must not stand in for another memory.
    if isinstance(text, str) and (read := _read(text)) is not None:
        number, check = read
        memory = store.memories.by_numbers(scope, [number]).get(number)
        if memory is not None and _from_id(memory.id) == check:
            return memory.id
    id = checked_id(text)
    if store.memories.get(scope, id) is None:
        raise NotFound("recall.no_memory_copy_handle", id=id)
    return id


def _read(handle: str) -> tuple[int, str] | None:
    """Return the number and the id's letters, if the guard fits the number."""
    found = _FORM.fullmatch(handle.strip().lower())
    if found is None:
        return None
    digits = [_VALUES[each] for each in found[1]]
    guard, *check = (_VALUES[each] for each in found[2])
    number, rest = 0, guard
    for place, digit in enumerate(reversed(digits)):
        number += digit << 5 * place
        rest ^= _WEIGHTS[place][digit]
    # One number has one handle: a zero in front would make a second.
    if rest or not digits[0]:
        return None
    return number, "".join(_DIGITS[each] for each in check)


def _from_id(id: str) -> str:
    check = xxhash.xxh3_64_intdigest(id.encode()) & 1023
    return _DIGITS[check >> 5] + _DIGITS[check & 31]

"""Histories of lists: however many append, read and die, each list has one order for everyone.

After the idea of Elle: an element is appended once and never moves, so whatever anyone saw of a
list must be how the whole list begins, and what was confirmed must be in it.
"""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from faults.processes import Child, Warm
from faults.stores import opened
from faults.writers import list_of
from stand_ins import rounds

CLIENTS = 8


@dataclass(slots=True)
class Told:
    """What the clients told: what they tried, what was confirmed, and what they saw."""

    tried: Counter[str] = field(default_factory=Counter)
    done: dict[str, list[str]] = field(default_factory=dict)
    seen: list[tuple[str, list[str]]] = field(default_factory=list)

    def note(self, what: str, name: str, elements: list[str]) -> None:
        """Note one line of a client."""
        if what == "read":
            self.seen.append((name, elements))
        elif what == "try":
            self.tried.update(elements)
        elif what == "done":
            self.done.setdefault(name, []).extend(elements)


def history(warm: Warm, path: Path, turns: int, lists: int, *, careless: bool = False) -> Told:
    """Let clients append and read, and kill them at random instants, again and again."""
    told, dice = Told(), random.Random(14)
    for turn in range(turns):
        clients: list[Child] = [
            warm.start(
                "append_on",
                path=str(path),
                name=f"t{turn}c{number}",
                lists=lists,
                seed=CLIENTS * turn + number,
                careless=careless,
            )
            for number in range(CLIENTS)
        ]
        # Each has appended before the first dies, however slow the machine is.
        for client in clients:
            while (line := client.told())[0] != "done":
                told.note(*line)
            told.note(*line)
        for client in clients:
            time.sleep(dice.uniform(0.0, 0.05))
            client.kill()
            for line in client.rest():
                told.note(*line)
    return told


def faults(told: Told, whole: dict[str, list[str]]) -> Iterator[str]:
    """Yield what is wrong with a history: lost, twice, from nowhere, or seen in another order."""
    for name, elements in told.done.items():
        yield from (f"lost {each}" for each in elements if each not in whole[name])
    for name, elements in whole.items():
        for element, times in Counter(elements).items():
            if times > 1:
                yield f"twice {element} in {name}"
            if element not in told.tried:
                yield f"from nowhere {element}"
    for name, elements in told.seen:
        if whole[name][: len(elements)] != elements:
            yield f"reordered {name}"


def at_the_end(path: Path, lists: int, *, careless: bool = False) -> dict[str, list[str]]:
    """Return every list as the next process reads it; the store is whole."""
    with opened(path) as memory:
        assert memory.mind.store.check() == []
        memory.maintenance.verify()
        names = [f"list{number}" for number in range(lists)]
        return {name: list_of(memory, name, careless) for name in names}


def test_every_list_has_one_order_for_all_who_append_read_and_die(
    warm: Warm, tmp_path: Path
) -> None:
    """R-14: 8 clients, 64 lists by night, kills: nothing lost, twice or in another order."""
    path, lists, turns = tmp_path / "memory.db", rounds(64, 16), rounds(60, 2)
    opened(path).close()
    told = history(warm, path, turns, lists)
    assert list(faults(told, at_the_end(path, lists))) == []
    assert sum(map(len, told.done.values())) >= CLIENTS * turns
    assert any(len(elements) > 1 for _, elements in told.seen)


def test_lists_that_are_written_back_whole_are_seen_to_lose(warm: Warm, tmp_path: Path) -> None:
    """R-14 control: who reads a list and writes it back with one more loses those of others."""

    def seen(path: Path) -> list[str]:
        opened(path).close()
        told = history(warm, path, 2, 2, careless=True)
        return list(faults(told, at_the_end(path, 2, careless=True)))

    # They need only get into each other's way once.
    assert any(seen(tmp_path / f"{number}.db") for number in range(20))

"""Ten users in one file (U21): nobody sees, changes or crowds out what is another's."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from saegim import Saegim
from saegim.errors import NotFound
from saegim.store.rows import Params, Where
from stand_ins import rounds, shelve

USERS = [f"user{n}" for n in range(10)]


def canary(user: str) -> str:
    """Return a word that only one user ever says."""
    return f"canary{user}zq"


def settle(memory: Saegim) -> dict[str, list[str]]:
    """Give ten users memories that look alike but for a word of their own; return the ids."""
    ids: dict[str, list[str]] = {}
    for user in USERS:
        room = memory.within(user=user)
        texts = [f"blue kettle {n} 주전자 {canary(user)} note {n}" for n in range(12)]
        ids[user] = shelve(room, texts, tags=["shared", canary(user)], author=canary(user))
        ids[user] += shelve(room, [f"turn {canary(user)}"], session="same", domain=canary(user))
        room.forget(ids[user][0])
        ids[user].append(room.update(ids[user][1], f"corrected kettle {canary(user)}").id)
    return ids


def readers(place: Path) -> dict[str, Callable[[Saegim, Random, str], Any]]:
    """Return every public way to read, each given a user's view, chance and any id."""

    def get(view: Saegim, _: Random, id: str) -> Any:
        try:
            return view.get(id), view.get(id, exact=True), view.history(id)
        except NotFound:
            return None

    def export(view: Saegim, chance: Random, _: str) -> str:
        target = place / f"{chance.random()}.jsonl"
        view.export_to(target)
        return target.read_text(encoding="utf-8")

    def folder(view: Saegim, chance: Random, _: str) -> str:
        target = place / f"{chance.random()}"
        view.export_to(target, form="coordinates")
        return "".join(path.read_text("utf-8") for path in target.rglob("*") if path.is_file())

    def asked(chance: Random) -> str:
        return chance.choice(["kettle", "주전자", canary(chance.choice(USERS)), "blue note 7"])

    states = ["active", "leaving", "superseded"]
    return {
        "recall": lambda view, c, _: view.recall(asked(c), limit=c.choice([1, 10, 200])),
        "recall states": lambda view, c, _: view.recall(asked(c), states=states, everywhere=True),
        "search": lambda view, c, _: view.search(asked(c), limit=100),
        "search tags": lambda view, c, _: view.search(tags=["shared"], limit=100),
        "recent": lambda view, c, _: view.recent(c.choice([1, 50]), states=states),
        "recent author": lambda view, c, _: view.recent(5, author=canary(c.choice(USERS))),
        "session": lambda view, c, _: view.by_session("same"),
        "sessions": lambda view, c, _: view.sessions.ids(),
        "status": lambda view, c, _: view.status(),
        "verify": lambda view, c, _: view.maintenance.verify(),
        "preview": lambda view, c, _: view.forgetting.matching(asked(c), states=states),
        "get": get,
        "export": export,
        "export folder": folder,
    }


def leaks(memory: Saegim, ids: dict[str, list[str]], place: Path, operations: int) -> list[str]:
    """Read at random as every user; return each answer that carries a word of someone else."""
    chance, ways = Random(7), readers(place)
    rare = ("export", "export folder", "status", "verify")
    names = [name for name in ways if name not in rare] * 12 + list(rare)
    found = []
    for _ in range(operations):
        user, name = chance.choice(USERS), chance.choice(names)
        other = chance.choice(ids[chance.choice(USERS)])
        told = str(ways[name](memory.within(user=user), chance, other))
        found += [
            f"{name} told {user} of {each}"
            for each in USERS
            if each != user and canary(each) in told.replace(f"asked={canary(each)}", "")
        ]
    return found


def test_no_way_of_reading_shows_one_user_the_memory_of_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """U21.1: 20,000 reads of ten users by night, no leak; without the wall the same reads leak."""
    with Saegim.open(tmp_path / "m.db", durability="fast") as memory:
        ids = settle(memory)
        assert leaks(memory, ids, tmp_path, rounds(20_000, 500)) == []
        whole = Where.sql

        def without_wall(self: Where) -> tuple[str, Params]:
            sql, params = whole(self)
            return sql.replace("m.owner = :owner AND ", "", 1), params

        monkeypatch.setattr(Where, "sql", without_wall)
        assert leaks(memory, ids, tmp_path, 300) != []


def test_writes_do_not_reach_another_user(tmp_path: Path) -> None:
    """U21.1: correcting, forgetting and restoring by someone else's id finds nothing."""
    with Saegim.open(tmp_path / "m.db", durability="fast") as memory:
        ids = settle(memory)
        heads = {user: memory.within(user=user).maintenance.verify() for user in USERS}
        view = memory.within(user="user0")
        for id in ids["user1"]:
            for verb in (view.forget, view.restore, lambda id: view.update(id, "mine")):
                with pytest.raises(NotFound):
                    verb(id)
        assert {user: memory.within(user=user).maintenance.verify() for user in USERS} == heads


def test_one_match_behind_thousands_of_foreign_ones_is_found(tmp_path: Path) -> None:
    """U21.2: filters apply before top-k, for words, meaning and both together."""
    with Saegim.open(tmp_path / "m.db", durability="fast") as memory:
        shelve(
            memory.within(user="you"),
            [f"blue kettle in kitchen {n}" for n in range(rounds(3000, 600))],
        )
        mine = memory.remember("somewhere there was a blue kettle, I think, in the kitchen")
        for question in ("blue kettle in kitchen 7", "kettle", "blue kettle in the kitchen"):
            assert [hit.memory.id for hit in memory.recall(question).hits] == [mine.id]
            assert [each.id for each in memory.search("kettle kitchen")] == [mine.id]
        shelve(memory, [f"blue kettle in kitchen {n}" for n in range(rounds(1000, 200))])
        rare = memory.remember("an old kettle", tags=["rare"], kind="experience")
        found = memory.recall("blue kettle in kitchen", tags=["rare"], kind="experience", limit=1)
        assert [hit.memory.id for hit in found.hits] == [rare.id]

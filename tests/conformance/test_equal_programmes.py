"""R-27: the same programme on a file and on servers gives the same answers and the same chain."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from conformance.store_parts import AT, EVERYTHING, HERE, ME, postgres15, postgres18, sqlite
from saegim.errors import SaegimError
from saegim.memory.changes import (
    Archived,
    Change,
    Dozed,
    Erased,
    Leaving,
    Linked,
    Met,
    Pinned,
    Recalled,
    Restored,
    Retold,
    Reweighed,
    Saved,
    Superseded,
    Tagged,
    Tiered,
    Unlinked,
    Woken,
)
from saegim.memory.entities import RELATED, Entity, Link
from saegim.memory.memory import Content, Memory, Reason, Scope, Tier, Time
from saegim.store import ledger
from saegim.store.commit import Batch
from saegim.store.store import Store
from stand_ins import Toy, rounds

WORDS = (
    "tea 보리 한강 coffee kettle 서울 산책 meeting 화요일 dog C++ 20.04 can't 걸었다 blue café "
    "김치 node.js 100% a_b"
).split()
STEPS = 50


def programme(seed: int) -> Iterator[Callable[[list[str]], list[Change]]]:
    """Yield steps; each is given the ids so far and says what to change."""
    draw = random.Random(seed)

    def saved(at: int) -> Change:
        text = " ".join(draw.choices(WORDS, k=draw.randint(1, 9)))
        when = AT + timedelta(hours=draw.randint(0, 500))
        return Saved(
            Memory(
                id=f"mem_{seed}_{at}",
                scope=Scope("me", "", draw.choice(("", "p")), draw.choice(("", "s"))),
                text=text,
                time=Time(happened_at=when, recorded_at=AT),
                content=Content(
                    tags=tuple(sorted(set(draw.choices(WORDS[:5], k=draw.randint(0, 2))))),
                    triples=(("보리", "likes", draw.choice(WORDS)),) if draw.random() < 0.3 else (),
                ),
            )
        )

    def changed(ids: list[str]) -> list[Change]:
        id, other = draw.choice(ids), draw.choice(ids)
        link = Link(source=id, type=RELATED, target=other, weight=draw.choice((0.5, 1.0)))
        kinds: list[Callable[[], Change]] = [
            lambda: Reweighed(memory=id, at=AT, used=1, importance=draw.random()),
            lambda: Pinned(id, draw.random() < 0.5),
            lambda: Superseded(id, other, AT),
            lambda: Leaving(id, Reason.MANUAL, AT, AT + timedelta(days=7)),
            lambda: Restored(id, AT + timedelta(days=30)),
            lambda: Archived(id, AT),
            lambda: Erased(id),
            lambda: Dozed(id),
            lambda: Woken(id),
            lambda: Linked(link),
            lambda: Unlinked(link),
            lambda: Tiered(id, draw.choice(tuple(Tier)), None),
            lambda: Tagged(id, (draw.choice(WORDS),)),
            lambda: Retold(id, "short", (("보리", "likes", "tea"),)),
            lambda: Met(Entity(name=draw.choice(("보리", "Minho"))), memory=id),
            lambda: Recalled(trace=f"t{draw.random()}", memories=(id, other)),
        ]
        return [draw.choice(kinds)()]

    for at in range(STEPS):
        if at < 8 or draw.random() < 0.45:
            made = saved(at)
            yield lambda _, made=made: [made]  # type: ignore[misc]
        else:
            yield changed


def carried_out(store: Store, seed: int) -> list[Any]:
    """Carry a programme out; return everything that was answered on the way."""
    toy, told, kept = Toy(), [], []
    for at, step in enumerate(programme(seed)):
        changes = step(kept)
        kept += [each.memory.id for each in changes if isinstance(each, Saved)]
        vectors = {
            each.memory.id: toy.embed([each.memory.text], "document")[0]
            for each in changes
            if isinstance(each, Saved)
        }
        identity = toy.identity if vectors else None
        try:
            done = store.commit(Batch("me", changes, "me", AT, vectors, identity, collapse=True))
            told.append((dict(done.same), dict(done.tagged)))
        except SaegimError as error:
            told.append((type(error).__name__, error.key))
        if at % 5 == 4:
            told.append(answers(store, toy, at))
    store.prepare(ME)
    return [*told, answers(store, toy, 0), store.ledger.verify(ME)]


def answers(store: Store, toy: Toy, at: int) -> list[Any]:
    """Ask everything that a recall asks: order, scores and ties included."""
    asked = f"{WORDS[at % len(WORDS)]} {WORDS[(at * 7) % len(WORDS)]}"
    said: list[Any] = []
    for tables in (store, store.at_hand(ME)):
        terms = store.words.analyser().query(asked)
        hits = tables.words.matching(terms, HERE, limit=10).hits
        names = store.memories.ids_of(ME, [hit.number for hit in hits])
        said.append([(names[hit.number], round(hit.bm25, 9)) for hit in hits])
        (vector,) = toy.embed([asked], "query")
        near = tables.vectors.near(vector, toy.identity, HERE, limit=10)
        names = store.memories.ids_of(ME, [hit.number for hit in near])
        said.append([(names[hit.number], round(hit.cosine, 6)) for hit in near])
    said.append(
        [(each.id, each.life.state, each.worth) for _, each in store.memories.walk(EVERYTHING)]
    )
    said.append(
        [(link.source, link.type, link.target, link.weight) for link in store.links.all(ME)]
    )
    found = store.words.containing(["e"], HERE, limit=5)
    said.append([store.memories.ids_of(ME, found)[number] for number in found])
    said.append(store.memories.tally(ME))
    said.append(sorted(store.entities.keys_named(ME, ["보리", "minho"]).items()))
    said.append(
        [(each.slot, each.value, each.id) for each in store.memories.claimed(ME, ["보리|likes"])]
    )
    return said


@pytest.fixture
def plain_salts(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Let every store draw the same salts, so that the same programme makes the same chain."""

    def begin() -> None:
        count = iter(range(10**9))
        monkeypatch.setattr(ledger, "new_salt", lambda: f"{next(count):032x}")

    return begin


@pytest.mark.parametrize("seed", range(rounds(50, 2)))
def test_the_same_programme_gives_the_same_answers_on_every_store(
    seed: int, tmp_path: Path, plain_salts: Callable[[], None]
) -> None:
    """R-27: answers, refusals, order, ties and heads are equal on the file, on 15 and on 18."""
    told = []
    for make in (sqlite, postgres15, postgres18):
        plain_salts()
        place = tmp_path / make.__name__
        place.mkdir()
        store = make(place)
        try:
            told.append(carried_out(store, seed))
        finally:
            store.close()
    for other in told[1:]:
        for one, two in zip(told[0], other, strict=True):
            assert one == two


def test_another_programme_gives_other_answers(
    tmp_path: Path, plain_salts: Callable[[], None]
) -> None:
    """The control: answers of two programmes differ, so equality above says something."""
    told = []
    for seed in (1, 2):
        plain_salts()
        place = tmp_path / str(seed)
        place.mkdir()
        store = sqlite(place)
        told.append(carried_out(store, seed))
        store.close()
    assert told[0] != told[1]

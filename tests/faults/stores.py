"""Stores for fault tests: full of small sentences, quickly made, and asked many questions."""

from __future__ import annotations

import hashlib
import random
from pathlib import Path

import apsw

from saegim import FixedClock, Saegim, Scope, Settings
from saegim.engines.hashed import Hashed
from saegim.memory.changes import Saved
from saegim.memory.clock import SystemClock
from saegim.mind import Mind
from saegim.perceive.build import embedded, placed
from saegim.perceive.moment import moment_of
from saegim.store.commit import Batch
from saegim.store.store import Store

OWNER = "owner"
_WORDS = (
    "barley kettle garden river bridge letter lamp violin bicycle window harbour apple winter "
    "market candle thunder 보리차 주전자 정원 강가 다리 편지 등불 바이올린 자전거 창문 항구 "
    "사과 겨울 시장 촛불 천둥 산책 도서관"
).split()


def opened(path: str | Path, **settings: object) -> Saegim:
    """Open a memory as every fault test does."""
    return Saegim.open(path, user=OWNER, **settings)


def steady(path: str | Path) -> Saegim:
    """Open a memory whose clock stands still, so that the same question scores the same."""
    return opened(path, clock=FixedClock())


def on_disk(path: Path, disk: str | None = None, **options: object) -> Saegim:
    """Open a memory on a disk (a VFS) of the test's own."""
    store = Store(path, vfs=disk, **options)
    return Saegim(Mind(store, Hashed(), SystemClock(), Settings()), Scope(OWNER), path.parent)


def sentences(count: int, seed: int = 1) -> list[str]:
    """Return different small texts, always the same ones for a seed."""
    dice = random.Random(seed)
    return [f"{' '.join(dice.sample(_WORDS, 6))} mark{seed}n{number}end" for number in range(count)]


def questions(count: int, seed: int = 2) -> list[str]:
    """Return different small questions, always the same ones for a seed."""
    dice = random.Random(seed)
    return [" ".join(dice.sample(_WORDS, dice.randint(1, 3))) for _ in range(count)]


def grown(memory: Saegim, texts: list[str]) -> list[str]:
    """Keep many texts in one transaction; return their ids."""
    mind = memory.mind
    born = [placed(moment_of(memory.scope, text, {}), mind) for text in texts]
    vectors = embedded(born, mind)
    mind.store.commit(
        Batch(
            OWNER,
            [Saved(each) for each in born],
            actor=OWNER,
            at=mind.now(),
            vectors=vectors,
            identity=mind.embedder.identity,
        )
    )
    return [each.id for each in born]


def answers(memory: Saegim, asked: list[str]) -> list[list[str]]:
    """Return the ids of the best ten for each question."""
    return [[hit.memory.id for hit in memory.recall(each, limit=10).hits] for each in asked]


def digests(path: Path) -> list[tuple[str, str]]:
    """Return every memory's id and digest, as the file has them."""
    with apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY) as raw:
        return raw.execute("SELECT id, digest FROM memory ORDER BY id").fetchall()


def tampered(path: Path, *statements: str) -> None:
    """Change the file from outside, as no part of the library would."""
    raw = apsw.Connection(str(path))
    for statement in statements:
        raw.execute(statement).fetchall()
    raw.close()


def fingerprint(folder: Path) -> dict[str, str]:
    """Return a digest of every file in a folder, SQLite's shared memory left out."""
    return {
        each.name: hashlib.sha256(each.read_bytes()).hexdigest()
        for each in sorted(folder.iterdir())
        if each.is_file() and not each.name.endswith("-shm")
    }


def born(memory: Saegim) -> int:
    """Count the memories that the ledger saw being born, after walking all of it."""
    memory.maintenance.verify()
    entries = memory.mind.store.ledger.entries(memory.scope)
    return sum(entry.change == "Saved" for entry in entries)

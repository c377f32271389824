"""Faults inside the file and in the engines: each is found, and nothing sound is blamed."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import apsw
import numpy as np
import pytest

from doctor.furnished import TEXTS, House, furnished, troubles
from engines.embedding_server import EmbeddingServer
from saegim import Saegim
from saegim.doctor import store_checks
from saegim.engines.brain import claim_reader
from saegim.engines.embedder import Identity, Role, Sparse, Vector
from saegim.engines.hashed import Bag, Hashed
from saegim.engines.http import WireSettings
from saegim.engines.remote import OllamaEmbedder
from saegim.errors import Unavailable
from saegim.language.words import Basic
from stand_ins import wait_until


@pytest.fixture
def house(tmp_path: Path) -> House:
    """A furnished store in which a test may break things."""
    return furnished(tmp_path / "house")


FIRST = "(SELECT min(number) FROM memory WHERE owner = 'me' AND state = 'active')"

INSIDE: dict[str, tuple[tuple[str, ...], set[str]]] = {
    "the blocks of the word index are overwritten": (
        ("UPDATE words_basic_data SET block = zeroblob(length(block)) WHERE id > 10",),
        {"integrity.damaged", "roundtrip.error", "upkeep.trouble"},
    ),
    "a row of the word index is removed": (
        (f"DELETE FROM words_basic WHERE rowid = {FIRST}",),
        {"words.missing"},
    ),
    "the content behind the word index is removed": (
        (f"DELETE FROM words_basic_content WHERE id = {FIRST}",),
        {"integrity.damaged", "words.missing"},
    ),
    "the word index holds other words": (
        (f"UPDATE words_basic SET text = 'xyz' WHERE rowid = {FIRST}",),
        {"words.stale"},
    ),
    "the note that a memory was read is removed": (
        (f"DELETE FROM analysed WHERE number = {FIRST}",),
        {"words.missing"},
    ),
    "vectors are removed": (
        (f"DELETE FROM vector WHERE number = {FIRST}",),
        {"vectors.lost"},
    ),
    "the bytes of a vector are removed": (
        (f"UPDATE vector SET data = NULL WHERE number = {FIRST}",),
        {"vectors.lost"},
    ),
    "a vector is hidden": (
        (f"UPDATE vector SET live = 0 WHERE number = {FIRST}",),
        {"vectors.lost"},
    ),
    "a vector is NaN": (
        (f"UPDATE vector SET data = X'530100007E' WHERE number = {FIRST}",),
        {"vectors.unusable"},
    ),
    "a vector is torn": (
        (f"UPDATE vector SET data = substr(data, 1, 40) WHERE number = {FIRST}",),
        {"vectors.unusable"},
    ),
    "a line of the ledger is altered": (
        ("UPDATE ledger SET actor = 'someone' WHERE owner = 'me' AND seq = 3",),
        {"ledger.broken"},
    ),
    "a line of the ledger is removed": (
        (
            "DELETE FROM ledger WHERE owner = 'me' AND seq = (SELECT seq FROM ledger "
            "WHERE owner = 'me' AND change = 'Saved' ORDER BY seq LIMIT 1 OFFSET 2)",
        ),
        {"ledger.broken", "memories.unsworn"},
    ),
    "the end of the ledger is cut off": (
        ("DELETE FROM ledger WHERE owner = 'me' AND seq >= 5",),
        {"ledger.broken", "memories.unsworn"},
    ),
    "the text of a memory is altered": (
        (f"UPDATE memory SET text = text || ' 고래' WHERE number = {FIRST}",),
        {"ledger.broken", "words.stale"},
    ),
    "the time of a memory is altered": (
        (f"UPDATE memory SET happened_at = 0 WHERE number = {FIRST}",),
        {"ledger.broken"},
    ),
    "a memory is removed": (
        (f"DELETE FROM memory WHERE number = {FIRST}",),
        {"ledger.broken", "memories.lost"},
    ),
    "a memory is emptied": (
        (f"UPDATE memory SET text = NULL WHERE number = {FIRST}",),
        {"ledger.broken", "memories.lost"},
    ),
    "a memory is altered and its salt removed": (
        (f"UPDATE memory SET happened_at = 0, salt = NULL WHERE number = {FIRST}",),
        {"ledger.broken", "memories.unsworn"},
    ),
    "the memory of another user is altered": (
        ("UPDATE memory SET author = 'x' WHERE owner <> 'me'",),
        {"ledger.other"},
    ),
    "a table is dropped": (
        ("DROP TABLE link",),
        {"ledger.error", "roundtrip.error", "upkeep.trouble"},
    ),
}


@pytest.mark.parametrize("fault", INSIDE)
def test_a_fault_inside_the_file_is_found_by_the_finding_of_its_name(
    house: House, fault: str
) -> None:
    """Damage to index, vectors, ledger or memories is found, nothing sound blamed (U12.2)."""
    statements, expected = INSIDE[fault]
    house.sql(*statements)
    findings = house.examined()
    assert troubles(findings) == expected
    assert all(each.detail_ko and each.fix and each.fix_ko for each in findings if each.fix)


def test_overwritten_pages_are_found(house: House) -> None:
    """Garbage in the middle of the file is found by the integrity check (R-20)."""
    with contextlib.closing(apsw.Connection(str(house.file))) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        root = connection.execute(
            "SELECT rootpage FROM sqlite_schema WHERE name = 'memory_by_time'"
        ).fetchall()[0][0]
    with house.file.open("r+b") as file:
        file.seek((int(str(root)) - 1) * 4096)
        file.write(b"\xff" * 4096)
    found = troubles(house.examined())
    assert found & {"integrity.damaged", "integrity.error"}


def test_a_reader_that_cannot_read_is_found(
    house: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A spoilt file of the reader of claims is named; a sound one is not."""
    assert "embedder.error" not in troubles(house.examined())
    raw = bytearray(claim_reader.SHIPPED.read_bytes())
    raw[-100] ^= 0xFF
    spoilt = tmp_path / "claims.safetensors"
    spoilt.write_bytes(raw)
    monkeypatch.setattr(store_checks, "ClaimReader", partial(claim_reader.ClaimReader, spoilt))
    assert "embedder.error" in troubles(house.examined())


def test_vectors_that_wait_are_a_warning(house: House) -> None:
    """A new embedder has everything before it: said, with the count, but nothing is broken."""
    with house.open() as memory:
        newcomer = Saegim(replace(memory.mind, embedder=Bag()), memory.scope, memory.home)
        pending = next(each for each in house.examined(newcomer) if each.name == "vectors")
    assert (pending.case, pending.level, pending.ok) == ("pending", "warning", True)
    assert pending.detail.startswith("8 of 8")


# -- faults of the engines -----------------------------------------------------------------------


class Spoiled(Hashed):
    """An embedder with a fault."""

    def __init__(self, spoil: Callable[[str], Vector | None]) -> None:
        super().__init__()
        self._spoil = spoil

    def embed(self, texts: Sequence[str], role: Role) -> list[Vector]:
        """Embed, unless the fault has something to say."""
        return [
            self._one(text) if (spoiled := self._spoil(text)) is None else spoiled for text in texts
        ]


def unavailable(text: str) -> Vector | None:
    """Refuse every text."""
    raise Unavailable("The embedder is asleep.", next_step="Wake it.")


def not_a_number(text: str) -> Vector | None:
    """Return a vector without direction."""
    return Sparse(np.array([1], np.uint32), np.array([np.nan], np.float32), 16_384)


def refuses_boris(text: str) -> Vector | None:
    """Refuse one text only."""
    return unavailable(text) if text == TEXTS[0] else None


@pytest.mark.parametrize("spoil", [unavailable, not_a_number])
def test_an_embedder_that_fails_is_found_and_the_words_still_tried(
    house: House, spoil: Callable[[str], Vector | None]
) -> None:
    """A failing embedder is named with its own words, and the rest is examined without it."""
    with house.open() as memory:
        broken = Saegim(replace(memory.mind, embedder=Spoiled(spoil)), memory.scope, memory.home)
        findings = house.examined(broken)
    assert troubles(findings) == {"embedder.error", "vectors.unknown", "roundtrip.partial"}
    embedder = next(each for each in findings if each.name == "embedder")
    assert not embedder.ok
    assert spoil is not unavailable or ("asleep" in embedder.detail and embedder.fix == "Wake it.")


def test_memories_that_could_not_be_embedded_are_counted(house: House) -> None:
    """A text the embedder refuses is counted, with the reason."""
    with house.open(embedder=Spoiled(refuses_boris)) as memory:
        list(memory.maintenance.rebuild())
        findings = house.examined(memory)
    assert troubles(findings) == {"vectors.failed"}
    assert "asleep" in next(each.detail for each in findings if each.name == "vectors")


def test_a_remote_embedder_is_really_asked(house: House) -> None:
    """The doctor calls the server; when it is gone, says so and what to do."""
    with EmbeddingServer() as server, house.open(embedder=OllamaEmbedder(server.url)) as memory:
        assert troubles(house.examined(memory)) == {"vectors.pending"}
        assert server.texts
    alone = WireSettings(container_marks=())
    with house.open(embedder=OllamaEmbedder(server.url, settings=alone)) as memory:
        findings = house.examined(memory)
    assert troubles(findings) == {"embedder.error", "vectors.unknown", "roundtrip.partial"}
    assert "ollama serve" in next(each.fix for each in findings if each.name == "embedder")


class Slow(Basic):
    """An analyser that takes its time to load, under the name of the large one."""

    name = "kiwi-1"

    def __init__(self, loaded: bool) -> None:
        self.loaded = loaded

    def ready(self) -> bool:
        """Say whether it can be used."""
        return self.loaded


@pytest.mark.parametrize(
    ("extra", "expected"),
    [([], "absent"), ([Slow(False)], "loading"), ([Slow(True)], "unread")],
)
def test_an_analyser_that_is_not_the_configured_one_is_named(
    house: House, extra: list[Basic], expected: str
) -> None:
    """Status and doctor say when Kiwi is set but absent, loading, or not through yet (U3.4)."""
    with house.open() as memory:
        memory.mind.store.analysers.extend(extra)
        settings = replace(memory.mind.settings, words="kiwi")
        kiwi = Saegim(replace(memory.mind, settings=settings), memory.scope, memory.home)
        assert troubles(house.examined(kiwi)) == {f"analyser.{expected}"}
        told = kiwi.status()["words"]
    assert (told["configured"], told["in_use"], told["as_configured"]) == ("kiwi", "basic-1", False)


def test_trouble_in_the_background_is_passed_on(house: House) -> None:
    """What the background thread could not do is a finding and a warning of status."""

    class Nameless(Spoiled):
        @property
        def identity(self) -> Identity:
            raise Unavailable("The embedder lost its name.")

    with house.open() as memory:
        memory.mind.store.keep_indexed(Nameless(unavailable), memory.mind.now)
        wait_until(lambda: bool(memory.status()["warnings"]))
        assert "upkeep.trouble" in troubles(house.examined(memory))

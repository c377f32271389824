"""What a person is told about the health of a memory, and that telling it changes nothing."""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
import select
import socket
from dataclasses import asdict, replace
from pathlib import Path

import apsw
import pytest

from doctor.furnished import House, furnished, troubles
from saegim import FixedClock, Saegim, SaegimError
from saegim.doctor import server_checks
from saegim.doctor.health import examine_unopened
from saegim.engines.remote import OllamaEmbedder
from saegim.messages import entries
from saegim.store.migrate import steps
from stand_ins import Toy

_DOCTOR = entries("doctor", "en")
# What a doctor tries, and every outcome of it.
# What is looked at in a file; a server has a check of its own (tests/faults/test_server.py).
WHAT = {key.removeprefix("what.") for key in _DOCTOR if key.startswith("what.")} - {
    *(each.__name__ for each in server_checks.ALL),
    "stores",
}
CASES = {key: said for key, said in _DOCTOR.items() if not key.startswith(("what.", "step."))}


@pytest.fixture
def house(tmp_path: Path) -> House:
    """A furnished store in which a test may break things."""
    return furnished(tmp_path / "house")


def test_a_healthy_store_raises_no_alarm(house: House) -> None:
    """0 false alarms on a store with Korean and English memories (U12.2)."""
    findings = house.examined()
    assert troubles(findings) == set()
    assert all(each.ok and not each.fix for each in findings)
    assert {each.name for each in findings} == WHAT


def test_an_empty_store_raises_no_alarm(tmp_path: Path) -> None:
    """A store that was only just made needs no backup and has nothing wrong (U12.2)."""
    fresh = House(tmp_path / "new", FixedClock())
    assert troubles(fresh.examined()) == set()


def test_the_facade_hands_out_the_same_findings(house: House) -> None:
    """`Saegim.doctor` and `Saegim.status` are these very functions."""
    with house.open() as memory:
        assert troubles(memory.doctor()) == set()
        assert memory.status()["memories"]["state"] == {"active": 5, "leaving": 1, "superseded": 1}


def contents(folder: Path) -> dict[str, str]:
    """Return a digest of every file; the shared-memory index of the log is nobody's data."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.name.endswith("-shm")
    }


def test_an_examination_changes_nothing(house: House) -> None:
    """The ledger, every row, every word and every byte of the files stay as they are (U12.2)."""
    with house.open() as memory:
        memory.remember("아직 로그에만 있는 기억")
        answer = memory.recall("보리 산책 kettle")
        # What was shown is written a second after it was: that is none of the examination's.
        assert memory.mind.traces is not None
        memory.mind.traces.flush()
        before = contents(house.folder), memory.maintenance.verify(), memory.status()["memories"]
        assert troubles(house.examined(memory)) == set()
        after = contents(house.folder), memory.maintenance.verify(), memory.status()["memories"]
        assert after == before
        again = memory.recall("보리 산책 kettle")
        assert [hit.memory.id for hit in again.hits] == [hit.memory.id for hit in answer.hits]
        assert memory.within(user="saegim-doctor").recent().total == 0


def test_a_rehearsal_that_is_kept_would_be_noticed(house: House) -> None:
    """The control of the test before: one more memory changes the bytes and the ledger."""
    with house.open() as memory:
        before = contents(house.folder), memory.maintenance.verify()
        memory.remember("하나 더")
        assert contents(house.folder) != before[0]
        assert memory.maintenance.verify() != before[1]


# -- a store that does not open ------------------------------------------------------------------


def not_opened(house: House) -> list[str]:
    """Open the store, which fails, and examine what can be examined; failures first."""
    with pytest.raises(SaegimError) as caught:
        house.open()
    findings = examine_unopened(caught.value, house.file, house.folder)
    assert len({each.name for each in findings}) == len(findings)
    return [f"{each.name}.{each.case}" for each in findings if each.level != "ok"]


def test_an_empty_file_is_found(house: House) -> None:
    """A file of no bytes is not taken for a fresh store (U12.2)."""
    house.file.write_bytes(b"")
    assert not_opened(house) == ["file.error"]


def test_a_database_of_another_program_is_found(house: House) -> None:
    """A foreign file is named and left alone."""
    house.file.unlink()
    with contextlib.closing(apsw.Connection(str(house.file))) as connection:
        connection.execute("CREATE TABLE notes (text)").fetchall()
    house.file.chmod(0o600)
    before = house.file.read_bytes()
    assert not_opened(house) == ["file.error"]
    assert house.file.read_bytes() == before


def test_a_file_that_is_no_database_is_found(house: House) -> None:
    """Random bytes are refused, and the sound backup is shown."""
    house.file.write_bytes(b"\xff" * 8192)
    assert not_opened(house) == ["file.error"]


def test_a_store_of_a_newer_version_is_found(house: House) -> None:
    """A schema from the future is refused with the way out."""
    house.sql("PRAGMA user_version = 99")
    assert not_opened(house) == ["file.error"]


def test_a_store_that_is_gone_is_found(house: House) -> None:
    """A store that was here before is not silently made anew."""
    house.file.unlink()
    assert not_opened(house) == ["file.error"]


def test_settings_that_cannot_be_read_are_found(house: House) -> None:
    """A broken settings file keeps the store closed, and is the one thing named."""
    (house.folder / "settings.toml").write_text("pool = 'many'", encoding="utf-8")
    assert not_opened(house) == ["settings.error"]


# -- what is told --------------------------------------------------------------------------------


def test_findings_travel_as_json_in_both_languages(house: House) -> None:
    """Every finding is ready for JSON, and has both languages (U12.2)."""
    house.sql("DELETE FROM vector")
    sent = json.loads(json.dumps([asdict(each) for each in house.examined()], ensure_ascii=False))
    assert all(re.search("[가-힣]", each["detail_ko"]) for each in sent)
    assert not any(re.search("[가-힣]", each["detail"]) for each in sent)
    assert [each["name"] for each in sent if not each["ok"]] == ["vectors"]


def test_both_languages_say_the_same() -> None:
    """Every finding has a way out unless all is well, in both languages, and a known name."""
    korean = entries("doctor", "ko")
    for key, said in CASES.items():
        fine = key.endswith((".ok", ".needless", ".untried"))
        assert bool(said.next_step) is bool(korean[key].next_step) is not fine
    on_server = {each.__name__ for each in server_checks.ALL}
    known = {*WHAT, *on_server, "stores", "error", "unexplained"}
    assert {key.partition(".")[0] for key in CASES} == known - {
        name for name in WHAT if f"{name}.ok" not in CASES
    }


def test_status_tells_everything_and_travels_as_json(house: House) -> None:
    """Status names place, sizes, counts, coverage, ledger, backup and settings (U12.2)."""
    with house.open(embedder_key="sk-secret") as memory:
        state = json.loads(json.dumps(memory.status()))
        length, head = memory.maintenance.verify()
    assert state["path"] == str(house.file)
    assert state["bytes"]["store"] == house.file.stat().st_size
    assert state["bytes"]["backups"] > 0
    assert state["bytes"]["free"] > 0
    assert (state["schema"], state["readonly"], state["warnings"]) == (
        steps()[-1].number,
        False,
        [],
    )
    assert sum(state["memories"]["kind"].values()) == 5
    assert {name: state["index"][name] for name in ("memories", "ready", "pending", "failed")} == {
        "memories": 8,
        "ready": 8,
        "pending": 0,
        "failed": 0,
    }
    assert (state["ledger"]["length"], state["ledger"]["head"]) == (length, head)
    assert state["backup"]["age_seconds"] == 0
    assert state["words"]["as_configured"] is True
    assert "sk-secret" not in json.dumps(state)


def test_status_of_a_remote_embedder_asks_no_network(house: House) -> None:
    """Status tells what the store knows of a remote embedder and opens no connection."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        remote = OllamaEmbedder(f"http://127.0.0.1:{server.getsockname()[1]}", "bge-m3")
        with house.open() as memory:
            settings = replace(memory.mind.settings, embedder="ollama:bge-m3")
            mind = replace(memory.mind, embedder=remote, settings=settings)
            index = Saegim(mind, memory.scope, memory.home).status()["index"]
        asked, _, _ = select.select([server], [], [], 0)
    assert asked == []
    assert (index["embedder"], index["ready"], index["pending"]) == ("ollama:bge-m3", 0, 8)


def test_status_of_a_damaged_store_says_what_it_cannot_tell(house: House) -> None:
    """Where a part cannot be read, status shows the rest and the reason (U12.3)."""
    house.sql("DROP TABLE ledger")
    with house.open() as memory:
        state = memory.status()
    assert state["ledger"] is None
    assert "ledger" in state["warnings"][0]
    assert state["memories"]["state"]["active"] == 5


@pytest.mark.parametrize(
    ("model", "text", "warned"),
    [
        ("all-minilm", "보리차를 마신다", True),
        ("nomic-embed-text", "보리차를 마신다", True),
        ("bge-m3", "보리차를 마신다", False),
        ("all-minilm", "barley tea", False),
    ],
)
def test_an_english_embedder_among_korean_memories_is_warned_of(
    tmp_path: Path, model: str, text: str, warned: bool
) -> None:
    """U3.5: status names the embedder and a choice that knows both languages."""
    with Saegim.open(tmp_path / "s.db", embedder=Toy(8, model=model, local=False)) as memory:
        memory.remember(text)
        said = [each for each in memory.status()["warnings"] if "English only" in each]
    assert bool(said) is warned
    assert all(model in each and "bge-m3" in each for each in said)

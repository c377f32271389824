"""A prompt does not wait for an embedder, a writer or a slow disk: it gets what there is."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import apsw
import pytest
from attending import SESSION, attend, event, heard, journal, spooled, user, written

from engines.embedding_server import EmbeddingServer
from saegim import Saegim
from saegim.serve.hooks import spool_worker
from saegim.serve.hooks.memory_access import Answered, Here
from saegim.serve.hooks.spool import Spool, SpoolEntry, sheets
from stand_ins import wait_until

HOME = "home"
# By who says it: what stands before and behind our own words.
WORTH_KEEPING = {
    "user": ("I decided to keep bees.", "I live in Busan."),
    "assistant": (
        "Three bakeries in Busan that I recommend: Momos, Werk and Treasures.",
        "All are open until 9 pm.",
    ),
}


@pytest.fixture
def server() -> Iterator[EmbeddingServer]:
    """An embedding server that hangs at the next questions."""
    with EmbeddingServer() as running:
        running.fail(*["silence"] * 50)
        yield running


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home with two memories in it."""
    made = tmp_path / HOME
    with Saegim.open(made / "saegim.db", background=False) as memory:
        memory.remember("My dog is called Bori.")
        memory.remember("우리 강아지 보리는 천둥을 무서워한다.")
    return made


@pytest.fixture
def hanging(
    home: Path, server: EmbeddingServer, monkeypatch: pytest.MonkeyPatch
) -> EmbeddingServer:
    """The server that this home is told to ask."""
    monkeypatch.delenv("SAEGIM_EMBEDDER")
    (home / "settings.toml").write_text(
        f'embedder = "openai:some-model"\nembedder_url = "{server.url}/v1"\n', encoding="utf-8"
    )
    return server


@pytest.mark.parametrize(("prompt", "word"), [("dog called?", "Bori"), ("강아지 보리", "천둥")])
def test_words_answer_while_the_embedder_hangs(
    home: Path, tmp_path: Path, hanging: EmbeddingServer, prompt: str, word: str
) -> None:
    """U10.3: keyword results while the server is still silent, and the journal says so."""
    told = attend("user-prompt-submit", event(tmp_path, prompt=prompt), home)
    assert word in told.context
    assert hanging.seen
    assert not hanging.released.is_set()
    assert "cut short: words answered alone" in journal(home)


def test_remembering_does_not_wait_for_a_slow_embedder(
    home: Path, hanging: EmbeddingServer
) -> None:
    """U10.1: what is told is durable and found by its words while the embedder is asked."""
    with Saegim.open(home / "saegim.db", background=False, semantic_patience=0.01) as memory:
        memory.remember("My cat is called Nabi.")
        assert memory.recall("Nabi").hits[0].memory.text == "My cat is called Nabi."
        assert not hanging.released.is_set()
        hanging.released.set()


def test_a_prompt_that_cannot_be_answered_in_time_is_handed_over(
    home: Path, tmp_path: Path
) -> None:
    """U10.3, U31.3: no time at all: an empty answer, a line in the journal, and nothing lost."""
    attend("session-start", event(tmp_path, source="startup"), home)
    told = attend("user-prompt-submit", event(tmp_path, prompt="I live in Busan."), home, seconds=0)
    assert told.said == b"{}\n"
    assert "cut short: nothing could be told in time" in journal(home)
    # The thread that came too late may still be at it; a process would have ended.
    wait_until(lambda: not any(each.name == "saegim-hook" for each in threading.enumerate()))
    with Saegim.open(home / "saegim.db", background=False) as memory:
        spool_worker.worked_off(home, memory)
    assert [each.text for each in heard(home)] == ["I live in Busan."]


def test_a_prompt_is_handed_over_while_its_answer_hangs(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """U31.3: whoever watches the clock puts the prompt on the spool, not the one who hangs."""
    attend("session-start", event(tmp_path, source="startup"), home)
    hangs = threading.Event()

    def told(*_: object) -> Answered:
        assert hangs.wait(30)
        return Answered("")

    monkeypatch.setattr(Here, "context", told)
    file = tmp_path / "t.jsonl"
    asked = event(tmp_path, file, prompt="I live in Busan.")
    attend("user-prompt-submit", asked, home, seconds=2)
    assert not hangs.is_set()
    assert len(spooled(home)) == 1
    hangs.set()
    wait_until(lambda: not any(each.name == "saegim-hook" for each in threading.enumerate()))
    with Saegim.open(home / "saegim.db", background=False) as memory:
        # Whoever hung does not hear it a second time.
        assert spool_worker.worked_off(home, memory).heard == 1
    assert [each.text for each in heard(home)] == ["I live in Busan."]


def test_a_store_that_another_process_writes_to_is_handed_over_to(
    home: Path, tmp_path: Path
) -> None:
    """U31.3: while the store is locked the words wait on the spool, and are kept afterwards."""
    file = written(tmp_path / "t.jsonl", user("I live in Busan.", 1))
    attend("session-start", event(tmp_path, file, source="startup"), home)
    before = [each.text for each in heard(home)]
    written(file, user("My sister Mina works as a nurse in Busan.", 2))
    writer = apsw.Connection(str(home / "saegim.db"))
    writer.execute("BEGIN IMMEDIATE")
    told = attend("stop", event(tmp_path, file), home, seconds=3)
    assert (told.context, told.ended) == ("", False)
    assert "1 remembered" in told.told["systemMessage"], "what was kept before is read, not locked"
    assert spooled(home)
    assert [each.text for each in heard(home)] == before
    writer.execute("COMMIT")
    writer.close()
    wait_until(lambda: not any(each.name == "saegim-hook" for each in threading.enumerate()))
    with Saegim.open(home / "saegim.db", background=False) as memory:
        done = spool_worker.worked_off(home, memory)
        assert (done.waiting, done.elsewhere) == (0, False)
    both = ["I live in Busan.", "My sister Mina works as a nurse in Busan."]
    assert [each.text for each in heard(home)] == both


def test_two_do_not_work_off_the_spool_at_once(home: Path, tmp_path: Path) -> None:
    """The second leaves it to the first, and nothing is kept twice."""
    spool = Spool(home)
    for sheet in sheets(
        SESSION, "", [SpoolEntry(act="turn", role="user", text="I live in Busan.")]
    ):
        spool.put(sheet, sheet_time())
    with Saegim.open(home / "saegim.db", background=False) as memory:
        with spool.held() as alone:
            assert alone
            done = spool_worker.worked_off(home, memory)
            assert (done.elsewhere, done.heard, done.waiting) == (True, 0, 1)
        assert spool_worker.worked_off(home, memory).heard == 1


@pytest.mark.parametrize("role", WORTH_KEEPING)
def test_a_turn_is_kept_once_however_often_it_lies_on_the_spool(home: Path, role: str) -> None:
    """A turn is known by its instant, also where a part of it was our own words.

    An agent's turn is kept for its result alone, so both say what is worth keeping of them.
    """
    with Saegim.open(home / "saegim.db", background=False) as memory:
        memory.remember("You prefer tea to coffee in the morning.")
        first, last = WORTH_KEEPING[role]
        text = f"{first} You prefer tea to coffee in the morning. {last}"
        entry = SpoolEntry(act="turn", role=role, text=text, at=sheet_time())
        for _ in range(2):
            for sheet in sheets(SESSION, "", [entry]):
                Spool(home).put(sheet, sheet_time())
            spool_worker.worked_off(home, memory)
        kept = memory.by_session(SESSION)
    assert len(kept) == 1
    assert ("tea" in kept[0].text) == (role == "user")


def sheet_time() -> datetime:
    """Return an instant for a sheet that has none."""
    return datetime(2026, 11, 16, tzinfo=UTC)

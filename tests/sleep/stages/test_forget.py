"""Forgetting: the end of the queue is the archive, the end of the archive is the end."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest

from saegim import FixedClock, Saegim
from saegim.errors import NotFound
from saegim.sleep.erase import Swept
from sleep.stages.ageing import findable, kept, lines, night, stands, state

Opened = Callable[..., Saegim]
WORDS = "등대지기의 비밀 정원"


def let_go(memory: Saegim, clock: FixedClock, *, days: float = 0) -> str:
    """Keep something in M30 until it leaves by itself, then let so many days go by."""
    id = kept(memory, WORDS, tier="M30")
    clock.forward(days=30)
    night(memory, "leave")
    clock.forward(days=days)
    return id


def test_the_queue_holds_seven_days_and_not_an_hour_less(memory: Saegim, clock: FixedClock) -> None:
    """Seed D §6: on the sixth day the words are here, on the seventh they are in the archive."""
    id = let_go(memory, clock, days=6.95)
    assert night(memory, "forget") == {}
    assert stands(memory, id).text == WORDS
    clock.forward(days=0.05)
    assert night(memory, "forget") == {"archived": 1}
    assert (state(memory, id), stands(memory, id).text) == ("forgotten", "")


def test_the_archived_is_out_of_the_live_store(memory: Saegim, clock: FixedClock) -> None:
    """DESIGN 4b: no word, vector or brief of it is searched; the tombstone and the ledger stay."""
    id = let_go(memory, clock, days=7)
    night(memory, "forget")
    with pytest.raises(NotFound):
        memory.get(id)
    assert memory.search(WORDS) == []
    assert findable(memory, WORDS) == set()
    assert memory.forgetting.queue() == []
    database = memory.mind.store.database
    number = database.rows("SELECT number FROM memory WHERE id = ?", (id,))[0][0]
    assert database.rows("SELECT 1 FROM vector WHERE number = ? AND data NOT NULL", (number,)) == []
    assert [each.change for each in lines(memory) if each.subject == id] == [
        "Saved",
        "Leaving",
        "Archived",
    ]
    memory.maintenance.verify()


def test_the_archive_gives_back_what_it_took(memory: Saegim, clock: FixedClock) -> None:
    """DESIGN 4b: back from the archive, it is whole, findable, in its tier with its full time."""
    id = let_go(memory, clock, days=7)
    before = stands(memory, id)
    night(memory, "forget")
    (shelved,) = memory.forgetting.archive()
    assert (shelved.id, shelved.text) == (id, WORDS)
    assert (shelved.since, shelved.until) == (clock.at, clock.at + timedelta(days=180))
    clock.forward(days=100)
    memory.restore(id)
    back = stands(memory, id)
    assert (back.text, back.life.state.value, back.life.tier.value) == (WORDS, "active", "M30")
    assert back.life.expires_at == clock.at + timedelta(days=30)
    assert back.content == before.content
    assert findable(memory, WORDS) == {id}
    assert memory.forgetting.archive() == []
    memory.maintenance.verify()


def test_after_a_hundred_and_eighty_days_it_is_erased(memory: Saegim, clock: FixedClock) -> None:
    """Seed A §4.2 delete_after_days: on day 180 it can be called back, after it nothing is left."""
    id = let_go(memory, clock, days=7)
    night(memory, "forget")
    clock.forward(days=180)
    assert night(memory, "forget") == {}
    assert [each.id for each in memory.forgetting.archive()] == [id]
    clock.forward(hours=1)
    assert night(memory, "forget") == {"erased": 1}
    assert memory.forgetting.archive() == []
    with pytest.raises(NotFound):
        memory.restore(id)
    assert [each.change for each in lines(memory, "Archived", "Erased")] == ["Archived", "Erased"]
    memory.maintenance.verify()


def test_no_byte_of_the_erased_is_left_in_the_file(memory: Saegim, clock: FixedClock) -> None:
    """U26.3: after the erasing night and its tidying, the raw file holds none of the words."""
    let_go(memory, clock, days=7)
    night(memory, "checkpoint")
    assert holding(memory), "while it is in the queue its words are there"
    night(memory, "forget")
    assert len(memory.forgetting.archive()) == 1
    clock.forward(days=181)
    night(memory, "forget", "checkpoint")
    assert holding(memory) == []


def holding(memory: Saegim) -> list[str]:
    """Return which files of the store hold the words as they were written."""
    path = memory.mind.store.path
    files = [each for each in path.parent.glob(f"{path.name}*") if each.is_file()]
    return [each.name for each in files if WORDS.encode() in each.read_bytes()]


def test_without_the_archive_the_end_of_the_queue_is_the_end(
    opened: Opened, clock: FixedClock
) -> None:
    """Seed D §6, archive off: seven days, then complete deletion; on the sixth day still here."""
    memory = opened(archive=False)
    id = let_go(memory, clock, days=6)
    assert night(memory, "forget") == {}
    assert stands(memory, id).text == WORDS
    clock.forward(days=1)
    assert night(memory, "forget") == {"erased": 1}
    assert memory.forgetting.archive() == []
    with pytest.raises(NotFound):
        memory.restore(id)
    memory.maintenance.verify()


def test_the_lengths_are_settings(opened: Opened, clock: FixedClock) -> None:
    """Seeds A and D: the days of the queue and of the archive can be argued with."""
    memory = opened(forgetting_days=2.0, archive_days=10.0)
    id = let_go(memory, clock, days=1)
    assert night(memory, "forget") == {}
    clock.forward(days=1)
    assert night(memory, "forget") == {"archived": 1}
    clock.forward(days=10)
    assert night(memory, "forget") == {}
    clock.forward(hours=1)
    assert night(memory, "forget") == {"erased": 1}
    assert state(memory, id) == "forgotten"


def test_what_was_called_back_is_not_forgotten(memory: Saegim, clock: FixedClock) -> None:
    """Seed D §6: restored on the last day, the end of its old queue means nothing to it."""
    id = let_go(memory, clock, days=6)
    memory.restore(id)
    clock.forward(days=5)
    assert night(memory, "forget") == {}
    assert state(memory, id) == "active"


def test_what_a_person_lets_go_takes_the_same_way(memory: Saegim, clock: FixedClock) -> None:
    """Seed D §6, reason manual: seven days, the archive, and a way back from there."""
    id = kept(memory, WORDS)
    memory.forget(id)
    clock.forward(days=7)
    assert night(memory, "forget") == {"archived": 1}
    memory.restore(id)
    assert stands(memory, id).text == WORDS


def spoken(memory: Saegim) -> str:
    """Speak of it in a session that ends and is written down; return what stands on paper."""
    working = memory.working
    for text in (f"기억해: {WORDS}", "오늘 점심은 뭐 먹지"):
        working.upsert_query("talk", text)
    assert working.finalize_session("talk", promote=False).checkpoint is not None
    return on_paper(memory)


def on_paper(memory: Saegim) -> str:
    """Return everything that sessions left on paper."""
    files = (memory.home / "sessions").rglob("*.json")
    return "\n".join(each.read_text("utf-8") for each in files)


@pytest.mark.parametrize("archive", [True, False])
def test_words_that_leave_by_night_leave_the_sessions_too(
    opened: Opened, clock: FixedClock, archive: bool
) -> None:
    """U26.3: what a night archives or erases stands in no checkpoint; what else was said does."""
    memory = opened(archive=archive)
    let_go(memory, clock, days=7)
    assert WORDS in spoken(memory)
    list(memory.nights.rehearse("forget"))
    assert WORDS in on_paper(memory)
    night(memory, "forget")
    assert WORDS not in on_paper(memory)
    assert "점심" in on_paper(memory)


def test_words_stay_in_sessions_if_the_night_does_not_look_there(
    memory: Saegim, clock: FixedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """U26.3 control: without the look, a checkpoint brings back what was forgotten."""
    monkeypatch.setattr("saegim.sleep.stages.leave.sweep_for_night", lambda *_: Swept())
    let_go(memory, clock, days=7)
    spoken(memory)
    night(memory, "forget")
    assert WORDS in on_paper(memory)


def test_a_session_file_that_cannot_be_written_is_told_of(
    memory: Saegim, clock: FixedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The report of the night names what may still hold forgotten words."""

    def refused(*_: object) -> str:
        raise OSError("no")

    monkeypatch.setattr("saegim.sleep.erase._clean", refused)
    let_go(memory, clock, days=7)
    spoken(memory)
    assert night(memory, "forget")["not_swept"] == 1

"""Taking back a night: everything stands as before, what a person did since stays, and it holds."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from saegim import Saegim
from saegim.errors import NotFound
from saegim.memory.changes import Pinned, Saved
from saegim.memory.memory import Source, State, Tier
from saegim.soul.proposals import WITHDRAWN
from saegim.store.tables.night_table import NightRow
from sleep.bedtime import NIGHT, OWNER, commit, note, opened, rows

MORNING = NIGHT + timedelta(hours=5)
DAY = timedelta(days=1)
# What of a memory a night may move, and undoing moves back.
STANDING = "state tier importance recalled used repeated feedback pinned details valid_to text"
STANDING += " leaving_since leaving_until leaving_reason"
# Every kind of Change the night makes on this store.
KINDS = {
    "Saved",
    "Superseded",
    "Linked",
    "Reweighed",
    "Retold",
    "Shrunk",
    "Dozed",
    "Leaving",
    "Archived",
    "Erased",
    "Portrayed",
    "Written",
}


@pytest.fixture
def memory(seed: Path, tmp_path: Path) -> Iterator[Saegim]:
    """A copy of it, at bedtime."""
    shutil.copytree(seed, tmp_path / "night")
    with opened(tmp_path / "night" / "memory.db") as found:
        yield found


def slept(memory: Saegim, *stages: str, at: datetime = NIGHT) -> NightRow:
    """Sleep at an instant; the clock stands at the morning after it."""
    memory.mind.clock.at = at
    row = memory.sleep(*stages)
    assert row is not None
    memory.mind.clock.at = at + (MORNING - NIGHT)
    return row


def standing(memory: Saegim) -> dict[str, dict[str, Any]]:
    """Return how every memory stands, in what a night may move."""
    found = rows(memory.mind.store.path, "SELECT * FROM memory WHERE owner = ?", OWNER)
    for row in found:
        more = json.loads(row["details"] or "{}")
        row["details"] = {name: value for name, value in more.items() if value}
    return {row["id"]: {name: row[name] for name in STANDING.split()} for row in found}


def ends(memory: Saegim) -> dict[str, int | None]:
    """Return when the time of every memory ends."""
    found = rows(memory.mind.store.path, "SELECT id, expires_at FROM memory")
    return {row["id"]: row["expires_at"] for row in found}


def ties(memory: Saegim) -> set[tuple[str, str, str, float]]:
    """Return every tie with its weight."""
    found = rows(memory.mind.store.path, "SELECT * FROM link WHERE owner = ?", OWNER)
    return {(row["source"], row["type"], row["target"], row["weight"]) for row in found}


def portraits(memory: Saegim) -> dict[str, tuple[str, str]]:
    """Return how everyone is portrayed."""
    found = rows(memory.mind.store.path, "SELECT key, details FROM entity")
    held = {row["key"]: json.loads(row["details"]) for row in found}
    return {key: (each["summary"], each["personality_notes"]) for key, each in held.items()}


def shrunk(memory: Saegim) -> set[str]:
    """Return which memories are offered in their short form."""
    ids = standing(memory)
    return memory.mind.store.memories.shrunk(memory.scope, ids)


def line_of(memory: Saegim, change: str, id: str) -> str:
    """Return the number of the last line of the ledger of a kind about a memory."""
    found = rows(
        memory.mind.store.path,
        "SELECT seq FROM before WHERE owner = ? AND change = ? AND target = ? ORDER BY seq DESC",
        OWNER,
        change,
        id,
    )
    return str(found[0]["seq"])


def moved(before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    """Return what does not stand as before, number by number."""
    return {
        id: {name: (was[name], after[id][name]) for name in was if was[name] != after[id][name]}
        for id, was in before.items()
        if was != after[id]
    }


# -- a whole night --------------------------------------------------------------------------------


def test_the_night_makes_every_kind_of_change(memory: Saegim) -> None:
    """What is taken back here is everything a night does."""
    row = slept(memory)
    found = rows(memory.mind.store.path, "SELECT change FROM before WHERE maker = ?", row.id)
    # What is erased has no way back, and so no image.
    assert {each["change"] for each in found} >= KINDS - {"Erased"}


def test_a_whole_night_is_taken_back(memory: Saegim) -> None:
    """DESIGN §4b: states, counts, worth, words, ties, portraits and proposals stand as before."""
    before, tied, drawn = standing(memory), ties(memory), portraits(memory)
    row = slept(memory)
    after = standing(memory)
    made = set(after) - set(before)
    assert len(moved(before, after)) > 15
    assert len(made) >= 6
    memory.nights.undo(row.id)
    left = moved(before, standing(memory))
    # For good: the end of the archive. Awake: what slept too long, or lay at the queue's end.
    assert set(left) <= {"mem_archive", "mem_asleep", "mem_queue"}
    assert {memory.get(id).life.state for id in ("mem_asleep", "mem_queue")} == {State.ACTIVE}
    assert memory.get("mem_queue").text == "The old phone contract ran out"
    assert {memory.get(id, exact=True).life.state for id in made} == {State.LEAVING}
    lasting = {each for each in ties(memory) if each[0] not in made and each[1] != "merged_from"}
    assert lasting == tied
    assert portraits(memory) == drawn
    assert shrunk(memory) == {"mem_strong"}
    assert {each.state for each in memory.proposals.all()} == {WITHDRAWN}
    memory.maintenance.verify()
    assert memory.mind.store.check() == []


def test_what_is_taken_back_has_no_less_time_than_before(memory: Saegim) -> None:
    """DESIGN §4b: restore keeps the tier and resets its time; it is never shortened."""
    before = ends(memory)
    row = slept(memory)
    memory.nights.undo(row.id)
    after = ends(memory)
    shorter = {
        id: (end, after[id])
        for id, end in before.items()
        if end is not None and (after[id] is None or after[id] < end)
    }
    assert shorter == {}
    now = memory.mind.now()
    held = [id for id, each in standing(memory).items() if each["state"] == State.ACTIVE]
    over = [id for id in held if memory.get(id, exact=True).life.expires_at <= now]
    assert over == [], "or the next night would let them go again"


def test_undo_says_what_it_took_back_and_what_is_gone_for_good(memory: Saegim) -> None:
    """A person reads how much was taken back, by kind, and how much could not be."""
    row = slept(memory)
    undone = memory.nights.undo(row.id)
    assert undone.name == row.id
    made = {"Superseded": 3, "Dozed": 2, "Archived": 1, "Portrayed": 1, "Retold": 1, "Saved": 6}
    assert {kind: undone.taken_back.get(kind) for kind in made} == made
    assert undone.taken_back["Leaving"] == 8
    assert undone.left == 1, "what the archive had to give up"


def test_a_second_undo_is_refused(memory: Saegim) -> None:
    """Each line is taken back once; nothing is changed by asking again."""
    row = slept(memory)
    memory.nights.undo(row.id)
    head = memory.maintenance.verify()
    with pytest.raises(NotFound) as told:
        memory.nights.undo(row.id)
    assert row.id in told.value.message
    assert told.value.next_step
    assert memory.maintenance.verify() == head


@pytest.mark.parametrize("name", ["night_of_nobody", "999999", "", "0", "١٢"])
def test_what_was_never_done_cannot_be_taken_back(name: str, memory: Saegim) -> None:
    """A wrong name is told as a wrong name, whatever it looks like."""
    slept(memory, "fade")
    with pytest.raises(NotFound):
        memory.nights.undo(name)


def test_after_the_queues_end_there_is_no_way_back(memory: Saegim) -> None:
    """A night can be undone for seven days; afterwards it is said so, with the next step."""
    row = slept(memory)
    slept(memory, "forget", at=NIGHT + 6 * DAY)
    assert rows(memory.mind.store.path, "SELECT 1 FROM before WHERE maker = ?", row.id)
    slept(memory, "forget", at=NIGHT + 7 * DAY)
    with pytest.raises(NotFound) as told:
        memory.nights.undo(row.id)
    assert "seven days" in told.value.next_step


def test_a_night_of_someone_else_is_not_taken_back(memory: Saegim) -> None:
    """A night belongs to its owner."""
    row = slept(memory)
    with pytest.raises(NotFound):
        memory.within(user="someone else").nights.undo(row.id)


# -- one line -------------------------------------------------------------------------------------

LINES: dict[str, tuple[str, Callable[[Saegim], object]]] = {
    "Superseded": ("mem_tea2", lambda memory: memory.get("mem_tea2", exact=True).life.state),
    "Dozed": ("mem_weak", lambda memory: memory.get("mem_weak").life.state),
    "Shrunk": ("mem_pale", lambda memory: "mem_pale" in shrunk(memory)),
    "Leaving": ("mem_over", lambda memory: memory.get("mem_over").life.state),
    "Retold": ("mem_boiler", lambda memory: memory.get("mem_boiler").content.brief),
    "Reweighed": ("mem_leant", lambda memory: memory.get("mem_leant").worth.importance),
}


@pytest.mark.parametrize("change", sorted(LINES))
def test_one_line_is_taken_back_alone(change: str, memory: Saegim) -> None:
    """One thing a night did is taken back by its line; the rest of the night stays."""
    id, look = LINES[change]
    before = look(memory)
    slept(memory)
    others = standing(memory)
    assert look(memory) != before
    undone = memory.nights.undo(line_of(memory, change, id))
    assert look(memory) == before
    assert undone.taken_back == {change: 1}
    assert set(moved(others, standing(memory))) <= {id}
    with pytest.raises(NotFound):
        memory.nights.undo(undone.name)


def test_one_made_memory_is_taken_back_alone(memory: Saegim) -> None:
    """One essence leaves by its line, with seven days to change one's mind; the others stay."""
    row = slept(memory)
    one, *others = row.told["distil"]["rose:ids"]
    memory.nights.undo(line_of(memory, "Saved", one))
    assert memory.get(one).life.state is State.LEAVING
    assert {memory.get(each).life.state for each in others} == {State.ACTIVE}


def test_one_portrait_one_tie_and_one_proposal_are_taken_back_alone(memory: Saegim) -> None:
    """What a night wrote beside the memories is taken back by its line, too."""
    tied, drawn = ties(memory), portraits(memory)
    slept(memory, "merge", "promote", "reflect", "propose")
    (key,) = [key for key, each in portraits(memory).items() if each != drawn[key]]
    memory.nights.undo(line_of(memory, "Portrayed", key))
    assert portraits(memory) == drawn
    (near,) = [each for each in ties(memory) - tied if each[1] == "similar_to"]
    memory.nights.undo(line_of(memory, "Linked", near[0]))
    assert near not in ties(memory)
    one, other = memory.proposals.open()
    memory.nights.undo(line_of(memory, "Written", f"proposal:{one.id}"))
    assert memory.proposals.open() == [other]


def test_one_line_and_then_the_rest(memory: Saegim) -> None:
    """A line that was taken back alone does not stop the rest from being taken back."""
    before = standing(memory)
    row = slept(memory, "fade", "leave")
    memory.nights.undo(line_of(memory, "Leaving", "mem_over"))
    memory.nights.undo(row.id)
    assert set(moved(before, standing(memory))) <= {"mem_asleep"}


# -- undo of an undo ------------------------------------------------------------------------------


def test_an_undo_can_be_undone(memory: Saegim) -> None:
    """Second thoughts about second thoughts: everything stands as the night had left it."""
    row = slept(memory)
    after, tied, drawn, small = standing(memory), ties(memory), portraits(memory), shrunk(memory)
    undone = memory.nights.undo(row.id)
    memory.nights.undo(undone.maker)
    now = standing(memory)
    states = {id: (was["state"], now[id]["state"]) for id, was in after.items()}
    # Called back and sent away again, what was forgotten is on its way out once more.
    away = (State.FORGOTTEN.value, State.LEAVING.value)
    odd = {id: both for id, both in states.items() if both[0] != both[1] and both != away}
    assert odd == {}
    numbers = ("importance", "recalled", "used", "repeated", "details")
    assert not {
        id for id, was in after.items() for name in numbers if was[name] != now[id][name]
    } - {"mem_queue"}
    assert ties(memory) == tied
    assert portraits(memory) == drawn
    assert shrunk(memory) == small
    memory.maintenance.verify()


def test_an_undone_shrinking_undone_is_a_shrinking(memory: Saegim) -> None:
    """What was offered short is offered short again; it does not fall asleep by it."""
    row = slept(memory, "fade")
    assert "mem_pale" in shrunk(memory)
    undone = memory.nights.undo(row.id)
    assert "mem_pale" not in shrunk(memory)
    memory.nights.undo(undone.maker)
    assert memory.get("mem_pale").life.state is State.ACTIVE
    assert "mem_pale" in shrunk(memory)


# -- what a person did meanwhile ------------------------------------------------------------------


def test_what_a_person_did_since_stays(memory: Saegim) -> None:
    """A pin, a wish to forget, a restore, a correction and praise survive the undo of the night."""
    row = slept(memory)
    commit(memory, [Pinned("mem_tea1", True)], memory.mind.now())
    memory.restore("mem_over")
    memory.forget("mem_pale")
    memory.feedback("mem_leant", "up", rating=5)
    newer = memory.update("mem_key2", "창고 열쇠는 이제 빨간 화분 밑에 있다").memory
    mine = memory.remember("I said this after the night").memory
    worth = memory.get("mem_leant").worth
    memory.nights.undo(row.id)
    assert memory.get("mem_tea1").life.pinned
    assert memory.get("mem_over").life.state is State.ACTIVE
    assert memory.get("mem_pale").life.state is State.LEAVING
    assert memory.get("mem_leant").worth.rating == 5
    assert memory.get("mem_leant").worth.feedback == worth.feedback
    assert memory.get("mem_leant").worth.importance == pytest.approx(worth.importance - 0.05)
    assert memory.get("mem_key2").id == newer.id
    assert memory.get("mem_key1", exact=True).life.state is State.ACTIVE
    assert memory.get(mine.id).life.state is State.ACTIVE
    memory.maintenance.verify()


def test_recalls_since_the_merge_stay_with_who_was_recalled(memory: Saegim) -> None:
    """Counts are taken back as counts: what was used after the merge stays used."""
    row = slept(memory, "merge")
    assert memory.get("mem_tea1").worth.recalled == 4
    for _ in range(2):
        memory.feedback("mem_tea1", "used")
    used = memory.get("mem_tea1").worth.used
    memory.nights.undo(row.id)
    assert memory.get("mem_tea1").worth.recalled == 3
    assert memory.get("mem_tea1").worth.used == used
    assert memory.get("mem_tea2", exact=True).worth.recalled == 1


def test_what_a_later_night_did_stays(memory: Saegim) -> None:
    """Undoing an older night does not undo what a newer one wrote over it."""
    row = slept(memory, "reflect")
    (key,) = [key for key, drawn in portraits(memory).items() if any(drawn)][:1]
    memory.mind.clock.at = NIGHT + DAY
    for number in range(22):
        memory.remember(f"민수랑 {number}번째로 등산 이야기를 나눴다")
    slept(memory, "reflect", at=NIGHT + 2 * DAY)
    newer = portraits(memory)[key]
    memory.nights.undo(row.id)
    assert portraits(memory)[key] == newer


# -- the following night --------------------------------------------------------------------------


AGAIN = {
    "merge": {"merged", "tied"},
    "renew": {"retold"},
    "importance": {"reweighed"},
    "promote": {"marked", "core"},
    "distil": {"rose", "rose_again"},
    "deepen": {"rose", "rose_again"},
    "fade": {"shrunk", "dozed"},
    "leave": {"expired", "faded", "pruned"},
    "forget": {"archived", "erased"},
    "reflect": {"insight", "portrayed"},
    "propose": {"proposed"},
}


@pytest.mark.parametrize("stage", sorted(AGAIN))
def test_the_next_night_does_not_do_again_what_was_undone(stage: str, memory: Saegim) -> None:
    """A person's no holds: nothing merges, rises, shrinks, leaves or is proposed a second time."""
    first = slept(memory)
    assert AGAIN[stage] & set(first.told[stage])
    memory.nights.undo(first.id)
    commit(memory, [Saved(note("fresh", "A quite new thought about nothing"))], memory.mind.now())
    again = slept(memory, at=NIGHT + DAY)
    assert AGAIN[stage] & set(again.told[stage]) == set()


def test_the_next_night_does_not_displace_again_what_was_called_back(memory: Saegim) -> None:
    """A person's no holds where a session is too full, too: whoever goes, it is not these."""
    first = slept(memory)
    undone = set(first.told["leave"]["displaced:ids"])
    assert len(undone) == 3
    memory.nights.undo(first.id)
    again = slept(memory, at=NIGHT + DAY)
    assert not undone & set(again.told["leave"].get("displaced:ids", ()))


def test_undone_twins_stay_two_when_everything_is_looked_at_anew(memory: Saegim) -> None:
    """A merge that was taken back stays taken back, also when a third twin comes."""
    row = slept(memory, "merge")
    memory.nights.undo(row.id)
    twin = note("tea4", "I drink barley tea every morning on the balcony…", -1)
    commit(memory, [Saved(twin)], memory.mind.now())
    slept(memory, "merge", at=NIGHT + 2 * DAY)
    for id in ("mem_tea1", "mem_tea2", "mem_tea3"):
        assert memory.get(id, exact=True).life.state is State.ACTIVE


def test_without_the_tie_that_stays_twins_are_seen_to_merge_again(
    memory: Saegim, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Control: if the undo forgot that they had been one, the next look would merge them again."""
    monkeypatch.setattr("saegim.sleep.undo._stays", lambda *_: False)
    row = slept(memory, "merge")
    memory.nights.undo(row.id)
    with memory.mind.store.database.writing() as raw:
        raw.execute("UPDATE rota SET place = '' WHERE stage = 'merge'")
    slept(memory, "merge", at=NIGHT + DAY)
    assert memory.get("mem_tea2", exact=True).life.state is State.SUPERSEDED


def test_what_rose_and_was_taken_back_is_told_as_leaving_by_hand(memory: Saegim) -> None:
    """What a night made leaves as everything leaves: it can be called back for seven days."""
    row = slept(memory)
    made = set(row.told["distil"]["rose:ids"])
    memory.nights.undo(row.id)
    for id in made:
        each = memory.get(id)
        assert each.provenance.source is Source.DISTILLATION
        assert each.life.leaving_reason == "manual"
        assert each.life.leaving_until == memory.mind.now() + 7 * DAY
    risen = memory.restore(*made)
    assert {each.life.state for each in risen} == {State.ACTIVE}
    assert {each.life.tier for each in risen} == {Tier.M90}

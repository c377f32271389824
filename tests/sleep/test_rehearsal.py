"""A rehearsal tells the truth: what it shows is what the night right after it does."""

from __future__ import annotations

import random
import shutil
from collections import Counter
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import apsw
import pytest

from engines.llm_server import LLMServer
from saegim import Saegim
from saegim.errors import BadInput
from saegim.memory.changes import Change, Linked, Saved, Shrunk
from saegim.memory.entities import RELATED, Link
from saegim.memory.memory import Memory, Tier
from saegim.sleep.flow import NIGHT as STAGES
from saegim.sleep.night import Night, NightStep
from sleep.bedtime import DAYS, NIGHT, commit, counted, note, opened, rows

# Told as (stage, why, ids); what a rehearsal does not do, it does not tell.
Told = tuple[str, str, tuple[str, ...]]
UNREHEARSED = {"checkpoint", "backup", "year", "report"}


@pytest.fixture
def memory(seed: Path, tmp_path: Path) -> Iterator[Saegim]:
    """A copy of it, at bedtime."""
    shutil.copytree(seed, tmp_path / "night")
    with opened(tmp_path / "night" / "memory.db") as found:
        yield found


def everything(path: Path) -> dict[str, list[Any]]:
    """Return every row of every table of the file."""
    tables = rows(path, "SELECT name FROM sqlite_schema WHERE type = 'table'")
    names = [each["name"] for each in tables if not each["name"].endswith("_vocab")]
    return {name: sorted(map(repr, rows(path, f"SELECT * FROM {name}"))) for name in names}


def told(stage: str, step: NightStep, known: set[str]) -> Told:
    """Return what a step says; what the night itself makes has no name yet."""
    return stage, step.why, tuple(id if id in known else "new" for id in step.about)


def ids(memory: Saegim) -> set[str]:
    """Return the id of everything there is."""
    return {row["id"] for row in rows(memory.mind.store.path, "SELECT id FROM memory")}


def rehearsed(memory: Saegim, *stages: str) -> list[Told]:
    """Return what a night would do."""
    known = ids(memory)
    return [told(stage.name, step, known) for stage, step in memory.nights.rehearse(*stages)]


def done(memory: Saegim, monkeypatch: pytest.MonkeyPatch, *stages: str) -> list[Told]:
    """Sleep, and return what the night did, step by step."""
    known, found = ids(memory), []
    noted = Night.note

    def note_(night: Night, stage: str, step: NightStep) -> None:
        found.append(told(stage, step, known))
        noted(night, stage, step)

    with monkeypatch.context() as patch:
        patch.setattr(Night, "note", note_)
        row = memory.sleep(*stages)
    assert row is not None
    did = {(stage, why): n for stage, each in counted(row.told).items() for why, n in each.items()}
    assert did == Counter((stage, why) for stage, why, _ in found), "all of it was committed"
    return [each for each in found if each[0] not in UNREHEARSED]


def assert_true(memory: Saegim, monkeypatch: pytest.MonkeyPatch, *stages: str) -> list[Told]:
    """A rehearsal and the night right after it say the same, in the same order."""
    shown = rehearsed(memory, *stages)
    did = done(memory, monkeypatch, *stages)
    missing, extra = Counter(did) - Counter(shown), Counter(shown) - Counter(did)
    assert (missing, extra) == (Counter(), Counter()), "(not shown, not done)"
    assert shown == did
    return did


def test_a_rehearsal_shows_what_the_night_then_does(
    memory: Saegim, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a store with work for every stage, stage, reason and ids are the same."""
    did = assert_true(memory, monkeypatch)
    reasons = {(stage, why) for stage, why, _ in did}
    assert len(reasons) > 18


@pytest.mark.parametrize("stage", [each.name for each in STAGES])
def test_each_stage_alone_is_rehearsed_truly(
    stage: str, memory: Saegim, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where a person asks for one stage only."""
    assert_true(memory, monkeypatch, stage)


def test_a_second_night_is_rehearsed_truly(memory: Saegim, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where every stage goes on from where it had looked the last time."""
    memory.sleep()
    memory.mind.clock.at = NIGHT + timedelta(days=8)
    twin = note("tea9", "I drink barley tea every morning on the balcony.", -8)
    commit(memory, [Saved(twin)], memory.mind.now())
    did = assert_true(memory, monkeypatch)
    assert ("forget", "archived") in {(stage, why) for stage, why, _ in did}


def test_a_rehearsal_changes_nothing(memory: Saegim) -> None:
    """Every row of every table, the head of the ledger and the folder stay as they are."""
    path = memory.mind.store.path
    before, files = everything(path), sorted(each.name for each in path.parent.rglob("*"))
    head = memory.maintenance.verify()
    assert rehearsed(memory)
    assert everything(path) == before
    assert memory.maintenance.verify() == head
    assert sorted(each.name for each in path.parent.rglob("*")) == files
    assert memory.nights.latest() == []


def test_a_rehearsal_needs_no_write_lock(memory: Saegim) -> None:
    """U2.2: someone else may be writing all the while."""
    raw = apsw.Connection(str(memory.mind.store.path))
    try:
        raw.execute("BEGIN IMMEDIATE")
        assert rehearsed(memory)
    finally:
        raw.close()


def test_a_rehearsal_asks_no_model(memory: Saegim) -> None:
    """A look costs nothing, also where the night itself would ask; nothing is spent."""
    path = memory.mind.store.path
    with LLMServer() as server:
        settings = {"model": "openai:m", "model_url": f"{server.url}/v1", "background": False}
        with opened(path, **settings) as thinking:
            shown = rehearsed(thinking)
            assert ("distil", "rose") in {(stage, why) for stage, why, _ in shown}
            assert server.seen == []
            assert rows(path, "SELECT * FROM spending") == []
            thinking.sleep("promote", "distil")
            assert server.seen, "the night itself does ask"


def test_an_unknown_stage_is_named(memory: Saegim) -> None:
    """A wrong name is told with the right ones, before anything is shown."""
    with pytest.raises(BadInput) as wrong:
        list(memory.nights.rehearse("dream"))
    assert "dream" in wrong.value.message
    assert "merge" in wrong.value.next_step


# -- where one stage changes what another sees ----------------------------------------------------


def with_notes(memory: Saegim, *changes: Change) -> None:
    """Keep these beside the rest, as of yesterday."""
    commit(memory, changes, NIGHT - timedelta(days=1))


@pytest.fixture
def bare(tmp_path: Path) -> Iterator[Saegim]:
    """A store with nothing in it, at bedtime."""
    with opened(tmp_path / "bare" / "memory.db") as found:
        yield found


def test_a_merge_that_takes_a_reference_away_is_foreseen(
    bare: Saegim, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What only the merged one referred to is weighed anew in the same night."""
    with_notes(
        bare,
        Saved(note("one", "I drink barley tea every morning on the balcony", recalled=2)),
        Saved(note("two", "I drink barley tea every morning on the balcony.")),
        Saved(note("far", "The kettle is made of copper")),
        Linked(Link(source="mem_two", type=RELATED, target="mem_far")),
    )
    bare.sleep("importance")
    assert_true(bare, monkeypatch)


def test_a_merge_that_takes_a_tie_away_is_foreseen(
    bare: Saegim, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was held up by a tie to the merged one fades in the same night."""
    days = 58  # A strength of 0.31 alone; without its tie 0.05 less.
    with_notes(
        bare,
        Saved(note("one", "I drink barley tea every morning on the balcony", recalled=2)),
        Saved(note("two", "I drink barley tea every morning on the balcony.")),
        Saved(note("far", "The kettle is made of copper", days + 8, tier=Tier.M365)),
        Linked(Link(source="mem_two", type=RELATED, target="mem_far")),
    )
    bare.sleep("importance")
    assert_true(bare, monkeypatch)


def test_what_dozes_tonight_is_not_news_tonight(
    bare: Saegim, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fading comes before reflecting; what fell asleep is no longer thought about."""
    told = [
        Saved(note(f"day{n}", text, 150 if n < 10 else 5, tier=Tier.M365, language="ko"))
        for n, text in enumerate(DAYS)
    ]
    with_notes(bare, *told)
    assert_true(bare, monkeypatch)


def test_what_rises_tonight_holds_its_sources(
    bare: Saegim, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The ties of an essence strengthen what it was made of, in the same night."""
    deep = note("deep", "Jonas repairs violins in his workshop", 80, used=6)
    with_notes(bare, Saved(deep), Shrunk("mem_deep", True))
    assert_true(bare, monkeypatch)


# -- random stores --------------------------------------------------------------------------------

WORDS = "kettle garden river bridge letter lamp violin bicycle window harbour apple market".split()


def random_notes(seed: int) -> tuple[list[Memory], list[Change]]:
    """Return memories of any age, tier, use and session, some of them twins, with some ties."""
    dice = random.Random(seed)
    found: list[Memory] = []
    for number in range(30):
        words = " ".join(dice.sample(WORDS, 5))
        text = f"The {words} number {dice.randint(1, 3)}"
        if found and dice.random() < 0.25:
            text = dice.choice(found).text + dice.choice((".", "!", " "))
        found.append(
            note(
                f"n{number:02}",
                text.strip(),
                dice.choice((1, 5, 20, 35, 62, 70, 95, 130, 200)),
                tier=dice.choice((Tier.M30, Tier.M90, Tier.M365)),
                session=dice.choice(("", "", "talk", "walk")),
                importance=dice.choice((0.1, 0.3, 0.6)),
                recalled=dice.choice((0, 0, 1, 4)),
                used=dice.choice((0, 0, 3, 6, 11)),
                pinned=dice.random() < 0.1,
                immutable=dice.random() < 0.05,
            )
        )
    known = [each.id for each in found]
    ties: list[Change] = []
    for _ in range(20):
        source, target = dice.sample(known, 2)
        ties.append(Linked(Link(source=source, type=RELATED, target=target)))
    return found, ties


@pytest.mark.parametrize("seed", range(4))
def test_random_stores_are_rehearsed_truly(
    seed: int, bare: Saegim, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever is in the store, the rehearsal of two nights shows what they do."""
    found, ties = random_notes(seed)
    with_notes(bare, *(Saved(each) for each in found), *ties)
    assert_true(bare, monkeypatch)
    bare.mind.clock.at = NIGHT + timedelta(days=9)
    assert_true(bare, monkeypatch)

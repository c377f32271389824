"""A year in one house, day by day: memories climb, fade, leave and are rescued as it is written."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import pytest

from saegim import FixedClock, Saegim
from saegim.memory.memory import Memory, Origin
from saegim.sleep.flow import sleep_if_due
from saegim.store.ledger import LedgerEntry
from saegim.store.tables.night_table import NightRow
from sleep.stages.ageing import (
    everything,
    findable,
    kept,
    lines,
    made_by_night,
    open_at,
    recalled,
    recounted,
    report_page,
    said,
    stands,
    state,
    without_settings,
)

# A Thursday; the nights of the year are looked at each morning at nine.
BEGAN = datetime(2026, 1, 1, 9, 0, tzinfo=UTC)
LAST = 372
VISITS = {
    "ko": "1월 {day}일 민수는 한강공원에 갔다",
    "en": "On January {day} Minho went to the library",
}
HABIT = {"ko": "민수는 한강공원에 자주 간다", "en": "Minho often goes to the library"}
PORTRAIT = {"ko": "민수: 한강공원에 자주 감", "en": "Minho: often at the library"}
WISH = {
    "ko": "내 여권은 둘째 서랍에 있어. 꼭 기억해",
    "en": "Remember this: my passport is in the desk",
}
TWINS = ("민지는 오후에 보리차를 마신다", "민지는 오후에 보리차를 마신다.")
LONG_AGO = "2016-01-01T00:00:00Z"
both = pytest.mark.parametrize("language", ["ko", "en"])


@dataclass
class House:
    """The house, what was kept in it under which name, and the nights that were slept."""

    memory: Saegim
    clock: FixedClock
    ids: dict[str, str] = field(default_factory=dict)
    # What was distilled, as it was when it was young; the year takes its words.
    essences: dict[str, Memory] = field(default_factory=dict)
    nights: list[NightRow] = field(default_factory=list)

    @property
    def today(self) -> int:
        """Return how many days have gone by."""
        return (self.clock.at - BEGAN).days

    def morning(self) -> None:
        """Begin the next day with what the night before had to do."""
        self.clock.forward(days=1)
        row = sleep_if_due(self.memory.scope, self.memory.mind)
        assert row is not None
        self.nights.append(row)

    def days(self, name: str, *changes: str) -> list[tuple[int, str]]:
        """Return on which days which of these things happened to a memory."""
        found = lines(self.memory, *changes)
        id = self.ids.get(name, name)
        return [
            ((each.at - BEGAN).days, str(each.facts.get("reason", each.change)))
            for each in found
            if each.subject == id
        ]

    def look(self, tier: str) -> None:
        """Note what the nights have distilled into a tier so far."""
        self.essences |= {each.text: each for each in made_by_night(self.memory, tier)}


# -- the year -------------------------------------------------------------------------------------


def first_day(house: House) -> None:
    """Keep one memory for every way a life can take."""
    memory = house.memory
    short: dict[str, dict[str, object]] = {"used": {}, "hardly_used": {}, "rescued": {}}
    short |= {"felt": {"intensity": 0.9, "feelings": ["joy"]}, "calm": {"intensity": 0.7}}
    short |= {"pinned": {"pinned": True}, "immutable": {"immutable": True}}
    for at, (name, about) in enumerate(short.items()):
        house.ids[name] = kept(memory, f"짧은 기억 {'가나다라마바사'[at]}", tier="M30", **about)
    middle: dict[str, dict[str, object]] = {"plain": {}, "changed": {}}
    middle |= {"island": {"island": "island_home"}}
    middle |= {"deep": {"intensity": 0.9, "feelings": ["joy", "sadness"]}}
    middle |= {"one_feeling": {"intensity": 0.9, "feelings": ["joy"]}}
    middle |= {"old_story": {"happened_at": LONG_AGO}}
    for at, (name, about) in enumerate(middle.items()):
        house.ids[name] = kept(memory, f"중간 기억 {'가나다라마바'[at]}", **about)
    long: dict[str, dict[str, object]] = {
        "yes": {},
        "no": {},
        "dozer": {},
        "trifle": {"importance": 0.1},
    }
    for at, (name, about) in enumerate(long.items()):
        house.ids[name] = kept(memory, f"긴 기억 {'가나다라'[at]}", tier="M365", **about)
    for language, text in WISH.items():
        house.ids[f"wish_{language}"] = memory.observe(text).kept[0].id


def a_day(house: House) -> None:
    """Do what belongs to this day."""
    memory, day = house.memory, house.today
    if day in (1, 3, 6):
        for language, text in VISITS.items():
            kept_now = memory.remember(text.format(day=day + 1), tier="M30")
            house.ids[f"visit_{language}_{day}"] = kept_now.id
    if day in (1, 2):
        memory.feedback(house.ids["hardly_used"], "used")
        memory.feedback(house.ids["used"], "used")
    if day == 2:
        memory.feedback(house.ids["used"], "used")
    if day == 5:
        house.ids |= {f"twin_{at}": kept(memory, text) for at, text in enumerate(TWINS)}
        recalled(memory, house.ids["twin_1"])
    if day == 10:
        memory.feedback(house.ids["changed"], "changed_behaviour")
    if day == 20:
        house.look("M90")
    if 20 <= day < 25:
        for text in HABIT.values():
            memory.feedback(house.essences[text].id, "used")
    if day == 40:
        house.look("M365")
    if day in (36, 100):
        memory.restore(house.ids["rescued"])
    if day % 30 == 0:
        for name in ("yes", "no"):
            recalled(memory, house.ids[name])
    if day == 366:
        answer(house)


def answer(house: House) -> None:
    """Say yes to one proposal and no to the other."""
    asked = {each.memory: each.id for each in house.memory.proposals.open()}
    core = house.memory.proposals.accept(asked[house.ids["yes"]], by="지민")
    house.ids["core"] = core.id
    house.memory.proposals.refuse(asked[house.ids["no"]], by="지민")


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """Live the year and a week more."""
    clock = FixedClock(BEGAN)
    with pytest.MonkeyPatch.context() as patch:
        without_settings(patch)
        path = tmp_path_factory.mktemp("house") / "house.db"
        with open_at(path, clock, away_days=45.0, traces=False) as memory:
            lived = House(memory, clock)
            # The first look plans the rota; nothing has been missed yet.
            assert sleep_if_due(memory.scope, memory.mind) is None
            first_day(lived)
            while lived.today < LAST:
                lived.morning()
                a_day(lived)
            yield lived


# -- climbing -------------------------------------------------------------------------------------


@both
def test_three_visits_became_a_habit_and_the_habit_a_portrait(house: House, language: str) -> None:
    """Seed D §3: M30 three times → M90 on the Sunday after; used five times → M365 next month."""
    habit, portrait = house.essences[HABIT[language]], house.essences[PORTRAIT[language]]
    visits = [house.ids[f"visit_{language}_{day}"] for day in (1, 3, 6)]
    assert habit.life.promoted_from == visits[0]
    assert habit.time.recorded_at == datetime(2026, 1, 11, 9, 0, tzinfo=UTC)
    assert portrait.time.recorded_at == datetime(2026, 2, 1, 9, 0, tzinfo=UTC)
    assert portrait.life.promoted_from == habit.id
    assert portrait.provenance.origin is habit.provenance.origin is Origin.AGENT_INFERRED
    assert house.days(habit.id, "Leaving") == [(100, "expired")], "ninety days after it rose"
    for day, id in zip((1, 3, 6), visits, strict=True):
        assert house.days(id, "Leaving") == [(day + 30, "expired")], "the sources aged on"


def test_single_memories_rose_for_what_they_were_worth(house: House) -> None:
    """Seed D §3: used three times, or felt strongly; a little less of either, and none did."""
    rose = {each.life.promoted_from for each in made_by_night(house.memory, "M90")}
    names = {name for name, id in house.ids.items() if id in rose}
    assert {"used", "felt"} <= names
    assert not {"hardly_used", "calm", "rescued"} & names
    for name in ("used", "felt", "hardly_used", "calm"):
        assert house.days(name, "Leaving") == [(30, "expired")], name


@both
def test_what_was_asked_to_be_kept_lived_as_what_is_remembered(house: House, language: str) -> None:
    """Seed D §3, condition 4: a turn with the wish stood in M90 and left after ninety days."""
    name = f"wish_{language}"
    assert stands(house.memory, house.ids[name]).life.tier.value == "M90"
    assert house.days(name, "Leaving") == [(90, "expired")]


def test_the_middle_rose_on_the_first_of_the_month(house: House) -> None:
    """Seed D §3: changed behaviour, an island, or felt deeply in several ways; nothing else."""
    made = {each.life.promoted_from: each for each in made_by_night(house.memory, "M365")}
    rose = {name: made[id] for name, id in house.ids.items() if id in made}
    assert {"changed", "island", "deep"} <= set(rose)
    assert not {"plain", "one_feeling", "old_story"} & set(rose)
    for name in ("changed", "island", "deep"):
        assert rose[name].time.recorded_at == datetime(2026, 2, 1, 9, 0, tzinfo=UTC)
        assert house.days(name, "Leaving") == [(90, "expired")], "the source went its way"


def test_nothing_became_a_core_memory_but_by_a_persons_yes(house: House) -> None:
    """Seed D §3: a year old, it was proposed on day 365 and became M0 when a person said so."""
    memory = house.memory
    core = [each for each in everything(memory).values() if each.life.tier.value == "M0"]
    assert [(each.id, each.life.promoted_from) for each in core] == [
        (house.ids["core"], house.ids["yes"])
    ]
    assert (core[0].life.expires_at, core[0].life.state.value) == (None, "active")
    assert core[0].time.recorded_at == BEGAN + timedelta(days=366)
    saved = [each for each in lines(memory, "Saved") if each.facts["tier"] == "M0"]
    assert [each.actor for each in saved] == ["지민"]
    asked = {each.memory: each for each in memory.proposals.all()}
    assert {asked[house.ids[name]].state for name in ("yes", "no")} == {"accepted", "refused"}
    assert all("a_year" in asked[house.ids[name]].reasons for name in ("yes", "no"))
    for name in ("yes", "no"):
        assert house.days(name, "Leaving") == [(367, "expired")], "spared until it was answered"


# -- fading and leaving ---------------------------------------------------------------------------


def test_what_nobody_asked_for_faded_step_by_step(house: House) -> None:
    """Seed C layer 4: shrunk, dormant, leaving, archived, erased, each on its day and once."""
    assert house.days("dozer", *("Shrunk", "Dozed", "Leaving", "Archived", "Erased")) == [
        (61, "Shrunk"),
        (116, "Dozed"),
        (146, "faded"),
        (153, "Archived"),
        (334, "Erased"),
    ]


def test_what_never_mattered_was_pruned(house: House) -> None:
    """Seed E 4-1: after more than sixty days; seven later in the archive, 180 later gone."""
    assert house.days("trifle", "Leaving", "Archived", "Erased") == [
        (61, "pruned"),
        (68, "Archived"),
        (249, "Erased"),
    ]


def test_what_was_called_back_lived_its_time_again(house: House) -> None:
    """Seed D §6: rescued from the queue on its sixth day, and later from the archive."""
    assert house.days("rescued", "Leaving", "Restored", "Archived", "Erased") == [
        (30, "expired"),
        (36, "Restored"),
        (66, "expired"),
        (73, "Archived"),
        (100, "Restored"),
        (130, "expired"),
        (137, "Archived"),
        (318, "Erased"),
    ]


def test_what_was_made_to_stay_stayed(house: House) -> None:
    """U26.1: pinned and immutable M30 are active, whole and found after more than a year."""
    for name in ("pinned", "immutable"):
        id = house.ids[name]
        assert state(house.memory, id) == "active"
        assert house.days(name, "Leaving", "Dozed", "Shrunk", "Superseded") == []
        assert id in findable(house.memory, stands(house.memory, id).text)


def test_an_old_story_was_young(house: House) -> None:
    """DESIGN 4b: told today of ten years ago, it lived as long as what happened today."""
    for name in ("plain", "old_story"):
        assert house.days(name, "Leaving") == [(90, "expired")], name


def test_twins_became_one(house: House) -> None:
    """Seed C layer 4: the next night, and the one that had been recalled stayed."""
    assert house.days("twin_0", "Superseded") == [(6, "Superseded")]
    assert house.days("twin_1", "Superseded") == []


# -- what is told of it ---------------------------------------------------------------------------


def test_every_night_told_the_truth(house: House) -> None:
    """Seed C's report: what each of the nights counts is what the ledger says it did."""
    assert len(house.nights) == LAST
    done: dict[str, list[LedgerEntry]] = {row.id: [] for row in house.nights}
    for entry in lines(house.memory):
        done.get(entry.actor, []).append(entry)
    for row in house.nights:
        assert said(row.told) == recounted(done[row.id]), row.at


def test_the_report_of_the_year_came_on_new_years_morning(house: House) -> None:
    """Seed D §3, yearly: one page, of day 365, that counts every leaving of the year."""
    (page,) = report_page(house.memory, "year_report")
    assert page["until"] == "2027-01-01T09:00:00Z"
    written = [each for each in lines(house.memory, "Written") if each.subject == "year:2027"]
    left = [each for each in lines(house.memory, "Leaving") if each.seq < written[0].seq]
    told = {key: count for key, count in page["happened"].items() if key.startswith("Leaving")}
    assert sum(told.values()) == len(left)
    assert told["Leaving:pruned"] == 1
    assert told["Leaving:faded"] == sum(each.facts["reason"] == "faded" for each in left)


def test_the_ledger_of_the_year_is_whole(house: House) -> None:
    """The chain verifies after a year, and nothing was erased but the end of the archive."""
    house.memory.maintenance.verify()
    for entry in lines(house.memory, "Erased"):
        before = [each.change for each in lines(house.memory) if each.subject == entry.subject]
        assert before[-3:] == ["Leaving", "Archived", "Erased"]

"""The gentle law (decision 0012): what lasts, what waits for its day, what passes."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import apsw
import pytest

from saegim import FixedClock, Saegim
from saegim.errors import BadInput, NotFound, Refused
from saegim.memory.changes import Change, LifetimeSet, Superseded, Tiered
from saegim.memory.memory import Lifetime, Memory, Tier, expiry
from sleep.stages.ageing import commit, counts, night, open_at, shrunk, stands, state, tie, why
from stand_ins import NIGHTLY

ALLERGY = "나는 땅콩 알레르기가 있어"
PLAN = "The conference in Berlin is on June 20, 2026"
WALK = "오늘 강가를 걸었다"
JANUARY = datetime(2026, 1, 1, 9, 0, tzinfo=UTC)


@pytest.fixture
def clock() -> FixedClock:
    """Return a clock that stands on the first day of the year."""
    return FixedClock(JANUARY)


@pytest.fixture
def memory(tmp_path: Path, clock: FixedClock) -> Iterator[Saegim]:
    """Return a memory under the gentle law."""
    with open_at(tmp_path / "gentle.db", clock, forgetting="gentle") as opened:
        yield opened


def days(memory: Saegim, clock: FixedClock, count: int) -> None:
    """Let so many days go by, a night after each.

    Of a long time, by day every tenth night is slept after the first forty, and the last two: in
    between everything sleeps and only waits.
    """
    for day in range(1, count + 1):
        clock.forward(days=1)
        if NIGHTLY or day <= 40 or day % 10 == 0 or day + 1 >= count:
            memory.sleep("fade", "leave", "forget")


def passing(memory: Saegim, text: str = WALK, **about: object) -> str:
    """Keep a happening for its tier's time; return its id."""
    return memory.remember(text, tier="M30", lifetime="passing", **about).id


def written(memory: Saegim) -> None:
    """Let what was shown be written down, which otherwise follows behind the answer."""
    assert memory.mind.traces is not None
    memory.mind.traces.flush()


def life(memory: Saegim, id: str) -> tuple[str, str | None]:
    """Return the lifetime of a memory and its last day."""
    held = stands(memory, id).life
    last = held.last_date
    return held.lifetime.value, last and (last - timedelta(hours=1)).date().isoformat()


# -- a year, day by day ---------------------------------------------------------------------------


def test_what_lasts_is_as_good_as_new_after_a_year_and_what_passes_is_not(
    memory: Saegim, clock: FixedClock
) -> None:
    """DESIGN 4b: no night of a year shrinks, dozes or lets go of what lasts."""
    lasting = [memory.remember(ALLERGY).id, memory.remember("My name is Ada", tier="M30").id]
    control = passing(memory)
    for _ in range(365):
        days(memory, clock, 1)
        assert [state(memory, id) for id in lasting] == ["active", "active"]
        assert not any(shrunk(memory, id) for id in lasting)
    assert state(memory, control) != "active"
    assert [hit.memory.id for hit in memory.recall("땅콩 알레르기").hits] == [lasting[0]]


def test_a_plan_stays_until_its_day_and_a_month_and_sleeps_then(
    memory: Saegim, clock: FixedClock
) -> None:
    """DESIGN 4b: 20 June and 30 days; it goes to sleep by itself and never into the queue."""
    plan = memory.remember(PLAN, tier="M30", lifetime="until").id
    assert life(memory, plan) == ("until", "2026-06-20")
    while clock.at < datetime(2026, 7, 20, 9, tzinfo=UTC):
        days(memory, clock, 1)
        assert state(memory, plan) == "active", clock.at
        assert not shrunk(memory, plan)
    days(memory, clock, 2)
    assert state(memory, plan) == "dormant"
    assert memory.forgetting.queue() == []


def test_a_plan_that_is_still_asked_about_stays_awake(memory: Saegim, clock: FixedClock) -> None:
    """DESIGN 4b control: what is used a month after its day is not put to sleep."""
    asked, control = (
        memory.remember(text, tier="M30", lifetime="until", last_date="2026-01-10").id
        for text in ("the dentist of the tenth", "the plumber of the tenth")
    )
    days(memory, clock, 35)
    memory.feedback(asked, "used")
    days(memory, clock, 10)
    assert (state(memory, asked), state(memory, control)) == ("active", "dormant")


def test_what_passes_goes_by_the_queue_a_long_sleep_and_the_archive(
    memory: Saegim, clock: FixedClock
) -> None:
    """Seed D §6 and DESIGN 4b: 30 days, 7 in sight, 180 asleep, 180 in the archive, then gone."""
    id = passing(memory)
    days(memory, clock, 29)
    assert state(memory, id) == "active"
    days(memory, clock, 1)
    ((queued,),) = [memory.forgetting.queue()]
    assert (queued.memory.id, queued.reason, queued.left.days) == (id, "expired", 7)
    assert memory.recall("강가").hits == ()
    days(memory, clock, 7)
    assert state(memory, id) == "dormant"
    assert memory.forgetting.queue() == []
    days(memory, clock, 179)
    assert state(memory, id) == "dormant"
    days(memory, clock, 1)
    assert state(memory, id) == "forgotten"
    assert [each.id for each in memory.forgetting.archive()] == [id]
    days(memory, clock, 180)
    assert [each.id for each in memory.forgetting.archive()] == [id]
    days(memory, clock, 1)
    assert memory.forgetting.archive() == []


def test_one_touch_calls_back_what_was_leaving_with_all_its_time(
    memory: Saegim, clock: FixedClock
) -> None:
    """Seed D §6: restored from the queue, a passing memory has its tier's time again."""
    back, control = passing(memory), passing(memory, "오늘 시장에 갔다")
    days(memory, clock, 33)
    memory.restore(back)
    days(memory, clock, 29)
    assert (state(memory, back), state(memory, control)) == ("active", "dormant")
    days(memory, clock, 1)
    assert why(memory, back) == "expired"


def test_what_a_person_lets_go_is_not_kept_asleep(memory: Saegim, clock: FixedClock) -> None:
    """DESIGN 4b: one's own wish ends in the archive at the end of the queue; age does not."""
    let_go, lasting, aged = passing(memory), memory.remember(ALLERGY).id, passing(memory, "x y z")
    memory.forget(let_go)
    memory.forget(lasting)
    days(memory, clock, 7)
    assert (state(memory, let_go), state(memory, lasting)) == ("forgotten", "forgotten")
    days(memory, clock, 30)
    assert state(memory, aged) == "dormant"


def test_what_a_limit_displaces_goes_into_the_archive_passing_things_first(
    tmp_path: Path, clock: FixedClock
) -> None:
    """Seed A §6.1: a limit is a person's wish; what lasts is the last to make room."""
    limits = {"max_memories_per_session": 2, "protected_days": 0.001}
    with open_at(tmp_path / "limits.db", clock, forgetting="gentle", **limits) as memory:
        lasting = memory.remember(ALLERGY, session="s", importance=0.1).id
        others = [passing(memory, text, session="s", importance=0.9) for text in ("가 나", "다 라")]
        days(memory, clock, 1)
        assert state(memory, lasting) == "active"
        gone = [id for id in others if why(memory, id) == "displaced"]
        assert len(gone) == 1
        days(memory, clock, 7)
        assert state(memory, gone[0]) == "forgotten"


# -- asleep ---------------------------------------------------------------------------------------


def test_what_sleeps_answers_where_nothing_living_does_and_says_that_it_is_old(
    memory: Saegim, clock: FixedClock
) -> None:
    """DESIGN 4b: a last resort, marked; something living that answers keeps it out."""
    passing(memory, "The boat trip to Jeju was rainy")
    memory.remember("The dentist is called Kim")
    days(memory, clock, 40)
    found = memory.recall("boat trip to Jeju")
    assert [hit.memory.life.state.value for hit in found.hits] == ["dormant"]
    (card,) = memory.context("boat trip to Jeju").cards
    assert "old" in card.marks
    memory.remember("Another boat trip to Jeju is paid")
    assert [hit.memory.life.state.value for hit in memory.recall("boat trip to Jeju").hits] == [
        "active"
    ]
    assert memory.recall("zebra quantum").hits == ()


@pytest.mark.parametrize(
    ("happened", "living", "asked"),
    [
        (
            "The boat trip to Jeju was rainy and I lost my umbrella",
            "The harbour on Jeju has new lamps",
            "where did I lose my umbrella on Jeju?",
        ),
        (
            "제주도 배 여행에서 비가 와서 우산을 잃어버렸어",
            "제주도 항구에 새 등이 켜졌어",
            "제주도에서 우산을 어디서 잃어버렸지?",
        ),
    ],
)
def test_what_sleeps_answers_where_it_lies_clearly_nearer(
    memory: Saegim, clock: FixedClock, happened: str, living: str, asked: str
) -> None:
    """Decision 0052: something living that only touches the question hides no answer."""
    asleep = passing(memory, happened)
    memory.remember(living)
    days(memory, clock, 40)
    assert state(memory, asleep) == "dormant"
    found = memory.recall(asked).hits
    assert found[0].memory.id == asleep
    assert "active" in [hit.memory.life.state.value for hit in found if not hit.weak]
    written(memory)
    # Control: what lives and says the same leaves it asleep.
    other = passing(memory, happened.replace("umbrella", "scarf").replace("우산", "목도리"))
    days(memory, clock, 40)
    memory.remember(happened.replace("umbrella", "scarf").replace("우산", "목도리") + "!!")
    again = memory.recall(asked.replace("umbrella", "scarf").replace("우산", "목도리")).hits
    assert other not in [hit.memory.id for hit in again]


def test_the_bare_clocks_leave_what_sleeps_alone(tmp_path: Path, clock: FixedClock) -> None:
    """Control: under seed a dormant memory is found only where it is asked for."""
    with open_at(tmp_path / "seed.db", clock) as memory:
        id = memory.remember("The boat trip to Jeju was rainy", tier="M365").id
        days(memory, clock, 125)
        assert state(memory, id) == "dormant"
        assert memory.recall("boat trip to Jeju").hits == ()
        assert memory.recall("boat trip to Jeju", state="dormant").hits


def test_a_sleeper_that_was_recalled_is_awake_with_its_time_anew(
    memory: Saegim, clock: FixedClock
) -> None:
    """DESIGN 4b: asked for, it does not leave the next night because its old time is over."""
    asked, control = passing(memory, "The boat trip to Jeju was rainy"), passing(memory)
    days(memory, clock, 40)
    assert (state(memory, asked), state(memory, control)) == ("dormant", "dormant")
    assert memory.recall("boat trip to Jeju").hits
    written(memory)
    days(memory, clock, 29)
    assert (state(memory, asked), state(memory, control)) == ("active", "dormant")
    days(memory, clock, 3)
    assert why(memory, asked) == "expired"


def test_what_sleeps_and_lasts_wakes_and_what_wakes_is_not_archived(
    memory: Saegim, clock: FixedClock
) -> None:
    """DESIGN 4b: a lifetime that changed while it slept wakes it, however long it slept."""
    woken, control = passing(memory), passing(memory, "오늘 시장에 갔다")
    days(memory, clock, 40)
    commit(memory, LifetimeSet(woken, Lifetime.LASTING, None, None))
    clock.forward(days=200)
    planned = {step.about[0]: step.why for _, step in memory.nights.rehearse() if step.about}
    assert (planned.get(woken), planned.get(control)) == ("woken", "archived")
    assert night(memory, "fade", "leave", "forget") == {"woken": 1, "archived": 1}
    assert (state(memory, woken), state(memory, control)) == ("active", "forgotten")


# -- who decides ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "turn",
    [
        "항상 존댓말로 답해 줘. 기억해",
        "내 여권은 서랍에 있어. 꼭 기억해",
        "Remember this: always answer me in metric units",
        "Never call me before nine, please remember",
        "엄마 생신은 3월 2일이야, 까먹으면 안 돼",
    ],
)
def test_a_wish_in_a_turn_lasts(memory: Saegim, turn: str) -> None:
    """DESIGN 4b: "always", "never", "꼭", "까먹으면 안 돼"."""
    seen = memory.observe(turn)
    assert seen.kept
    assert {each.memory.life.lifetime.value for each in (*seen.kept, *seen.facts)} == {"lasting"}


@pytest.mark.parametrize(
    ("turn", "kept"),
    [
        ("모레 병원 예약 있어", ("until", "2026-01-03")),
        ("글피에 병원 예약 있어", ("until", "2026-01-04")),
        ("글피 저녁에 지수 만나", ("until", "2026-01-04")),
        ("글피에 이사해", ("until", "2026-01-04")),
        ("글피가 면접이야", ("until", "2026-01-04")),
        ("그글피에 엄마 수술 있어", ("until", "2026-01-05")),
    ],
)
def test_a_day_with_a_rare_name_is_a_day(memory: Saegim, turn: str, kept: tuple[str, str]) -> None:
    """DESIGN 4b: a plan is kept until its day, by whichever word the day is named."""
    (seen,) = memory.observe(turn).kept
    assert life(memory, seen.id) == kept


def test_a_wish_lasts_also_where_seed_c_decides_what_is_kept(
    tmp_path: Path, clock: FixedClock
) -> None:
    """DESIGN 4b: how long is another question than whether."""
    chosen = {"forgetting": "gentle", "capture": "seed"}
    with open_at(tmp_path / "seed_c.db", clock, **chosen) as memory:
        seen = memory.observe("내 여권은 서랍에 있어. 꼭 기억해")
        assert {each.memory.life.lifetime.value for each in seen.kept} == {"lasting"}


@pytest.mark.parametrize("text", [ALLERGY, "오늘 점심은 김밥이었다", PLAN, "I felt tired today"])
def test_whatever_a_person_asks_to_remember_lasts(memory: Saegim, text: str) -> None:
    """DESIGN 4b: `remember` is a wish, whatever it is about."""
    kept = memory.remember(text).memory
    assert kept.life.lifetime is Lifetime.LASTING
    assert kept.life.tier.value == "M90"


def test_a_caller_may_say_how_long(memory: Saegim) -> None:
    """DESIGN 4b: lifetime and last_date are arguments, and a date alone means until."""
    assert life(memory, memory.remember("a b", lifetime="passing").id) == ("passing", None)
    assert life(memory, memory.remember("c d", lifetime="lasting").id) == ("lasting", None)
    for day in ("2026-05-30", date(2026, 5, 30), datetime(2026, 5, 30, 14, tzinfo=UTC)):
        kept = memory.remember(f"until {day}", last_date=day).id
        assert life(memory, kept) == ("until", "2026-05-30")
        end = stands(memory, kept).life.expires_at
        assert end == datetime(2026, 6, 30, tzinfo=UTC)
    assert life(memory, memory.remember(PLAN, lifetime="until").id) == ("until", "2026-06-20")


@pytest.mark.parametrize(
    "about",
    [
        {"lifetime": "until"},
        {"lifetime": "lasting", "last_date": "2026-05-30"},
        {"last_date": "the thirtieth"},
        {"last_date": "9999-12-31"},
        {"lifetime": "for ever"},
    ],
)
def test_a_lifetime_that_means_nothing_is_refused(memory: Saegim, about: dict[str, str]) -> None:
    """A clear word, and nothing is kept."""
    with pytest.raises(BadInput):
        memory.remember("nothing says when", **about)
    assert memory.recent().total == 0


# -- the longer lifetime holds --------------------------------------------------------------------


def test_said_again_the_longer_lifetime_holds(memory: Saegim) -> None:
    """DESIGN 4b: asked for now, what was overheard in passing lasts; never the other way round."""
    text = "the shed key hangs behind the door"
    first = memory.remember(text, lifetime="passing").id
    memory.remember(text, lifetime="passing")
    assert life(memory, first) == ("passing", None)
    for day, last in (("2026-05-30", "2026-05-30"), ("2026-04-01", "2026-05-30")):
        assert memory.remember(text, last_date=day).duplicate_of == first
        assert life(memory, first) == ("until", last)
    end = stands(memory, first).life.expires_at
    assert end == datetime(2026, 6, 30, tzinfo=UTC)
    memory.remember(text, lifetime="passing")
    assert stands(memory, first).life.expires_at == end
    memory.remember(text)
    memory.remember(text, last_date="2026-05-30")
    assert life(memory, first) == ("lasting", None)


def test_twins_that_become_one_keep_the_longer_lifetime(memory: Saegim, clock: FixedClock) -> None:
    """DESIGN 4b: whichever of the two survives the night."""
    for lifetimes in (("passing", "lasting"), ("lasting", "passing")):
        room = memory.within(user=f"person_{lifetimes[0]}")
        texts = ("민지는 오후에 보리차를 마신다", "민지는 오후에 보리차를 마신다.")
        ids = [
            room.remember(text, lifetime=each).id
            for text, each in zip(texts, lifetimes, strict=True)
        ]
        clock.forward(days=1)
        assert night(room, "merge") == {"merged": 1}
        survivor = next(id for id in ids if state(room, id) == "active")
        assert life(room, survivor) == ("lasting", None)


def test_a_corrected_plan_is_kept_until_its_new_day_and_its_old_version_passes(
    memory: Saegim, clock: FixedClock
) -> None:
    """DESIGN 4b: the day moved; what it said before leaves when that time is over."""
    plan = memory.remember(PLAN, tier="M30", lifetime="until")
    moved = memory.update(plan.id, "The conference in Berlin is on July 5, 2026").id
    assert life(memory, moved) == ("until", "2026-07-05")
    days(memory, clock, 30 * 7)
    assert state(memory, plan.id) in ("leaving", "forgotten")
    assert state(memory, moved) == "active"


def test_what_a_lasting_memory_said_before_lasts_with_it(memory: Saegim, clock: FixedClock) -> None:
    """U19.1: where someone lived is asked for years later; a passing one's older words leave."""
    home = memory.remember("I live in Leeds")
    memory.update(home.id, "I live in York")
    mood = memory.remember("The soup was salty today", lifetime="passing")
    commit(memory, *_superseded(memory, mood.memory))
    days(memory, clock, 120)
    assert state(memory, home.id) == "superseded"
    assert state(memory, mood.id) == "forgotten"


def _superseded(memory: Saegim, old: Memory) -> list[Change]:
    """Return what puts something else in the place of a memory, without a new lifetime."""
    newer = memory.remember("The soup was fine after all").id
    tie(memory, newer, "supersedes", old.id)
    return [Superseded(old.id, by=newer, at=memory.mind.now())]


# -- keep -----------------------------------------------------------------------------------------


def test_keep_is_for_good_for_a_time_until_a_day_or_as_before(
    memory: Saegim, clock: FixedClock
) -> None:
    """DESIGN 4b: one word changes how long, and the nights go by it."""
    id, control = passing(memory), passing(memory, "오늘 시장에 갔다")
    assert memory.forgetting.keep(id)[0].life.lifetime is Lifetime.LASTING
    days(memory, clock, 60)
    assert (state(memory, id), state(memory, control)) == ("active", "dormant")
    memory.forgetting.keep(id, days=10)
    assert life(memory, id) == ("until", "2026-03-12")
    assert stands(memory, id).life.expires_at == datetime(2026, 4, 12, tzinfo=UTC)
    memory.forgetting.keep(id, until="2026-03-20")
    assert life(memory, id) == ("until", "2026-03-20")
    memory.forgetting.keep(id, passing=True)
    assert life(memory, id) == ("passing", None)
    days(memory, clock, 30)
    assert why(memory, id) == "expired"


def test_keep_calls_back_from_the_queue_from_sleep_and_from_the_archive(
    memory: Saegim, clock: FixedClock
) -> None:
    """DESIGN 4b: whoever keeps something wants to have it."""
    for age, stood in ((31, "leaving"), (40, "dormant"), (30 + 7 + 180, "forgotten")):
        id = passing(memory, f"a passing thing of {stood} words")
        days(memory, clock, age)
        assert state(memory, id) == stood
        memory.forgetting.keep(id)
        assert (state(memory, id), life(memory, id)) == ("active", ("lasting", None))
        assert [each.id for each in memory.search(f"{stood} words")] == [id]
    days(memory, clock, 60)
    assert memory.forgetting.queue() == []


def test_keep_names_what_it_cannot_do_and_changes_nothing(
    memory: Saegim, tmp_path: Path, clock: FixedClock
) -> None:
    """A clear word each time: two ways at once, a day that is over, nothing there, a stranger."""
    id = passing(memory)
    before = stands(memory, id)
    for wrong in (
        {"days": 0},
        {"days": 3, "passing": True},
        {"until": "2025-01-01"},
        {"until": "x"},
    ):
        with pytest.raises(BadInput):
            memory.forgetting.keep(id, **wrong)  # type: ignore[arg-type]
    with pytest.raises(BadInput):
        memory.forgetting.keep()
    with pytest.raises(NotFound):
        memory.forgetting.keep(id, "mem_20250101_000000_0000000000000000")
    fast = memory.remember("made to stay", immutable=True).id
    assert memory.forgetting.keep(fast)[0].id == fast
    with pytest.raises(Refused, match="made to stay"):
        memory.forgetting.keep(id, fast, days=3)
    assert stands(memory, id) == before
    with open_at(tmp_path / "seed.db", clock) as by_seed:
        other = by_seed.remember("tea").id
        with pytest.raises(Refused, match="seed") as refused:
            by_seed.forgetting.keep(other)
        assert "pin" in refused.value.next_step
        with pytest.raises(Refused, match="seed"):
            by_seed.remember("coffee", lifetime="lasting")
        assert by_seed.recent().total == 1


# -- nights taken back and rehearsed --------------------------------------------------------------


def test_a_night_that_put_plans_and_queue_to_sleep_is_taken_back(
    memory: Saegim, clock: FixedClock
) -> None:
    """U5.1: undo wakes them, and the next night does not do it again at once."""
    plan = memory.remember("x", lifetime="until", last_date="2026-01-05", tier="M30").id
    gone = passing(memory)
    clock.forward(days=31)
    memory.sleep("fade", "leave", "forget")
    clock.forward(days=7)
    slept = memory.sleep("fade", "leave", "forget")
    assert slept is not None
    assert counts(slept) == {"past": 1, "dozed": 1}
    memory.nights.undo(slept.id)
    assert (state(memory, plan), state(memory, gone)) == ("active", "active")
    days(memory, clock, 1)
    assert (state(memory, plan), state(memory, gone)) == ("active", "active")


def test_a_merge_that_lengthened_a_lifetime_is_taken_back(
    memory: Saegim, clock: FixedClock
) -> None:
    """U5.1: the survivor has its own lifetime again."""
    ids = [
        memory.remember("민지는 오후에 보리차를 마신다", lifetime="passing").id,
        memory.remember("민지는 오후에 보리차를 마신다.", lifetime="lasting").id,
    ]
    clock.forward(days=1)
    slept = memory.sleep("merge")
    assert slept is not None
    memory.nights.undo(slept.id)
    assert [life(memory, id)[0] for id in ids] == ["passing", "lasting"]
    assert {state(memory, id) for id in ids} == {"active"}


@pytest.mark.parametrize("away", [31, 38, 60, 150, 230])
def test_a_rehearsal_says_what_the_night_does(memory: Saegim, clock: FixedClock, away: int) -> None:
    """U5.1: after days or months, with something of every lifetime in every state."""
    passing(memory)
    passing(memory, "The boat trip to Jeju was rainy")
    memory.remember(ALLERGY)
    memory.remember("the dentist", lifetime="until", last_date="2026-01-20", tier="M30")
    memory.remember("a long story", lifetime="passing", tier="M365")
    clock.forward(days=31)
    memory.sleep("fade", "leave", "forget")
    clock.forward(days=away)
    memory.recall("boat trip to Jeju")
    written(memory)
    told = {
        (step.why, step.about)
        for _, step in memory.nights.rehearse("fade", "leave", "forget")
        if step.about
    }
    row = memory.sleep("fade", "leave", "forget")
    assert row is not None
    done = {
        (what.removesuffix(":ids"), (id,))
        for stage in row.told.values()
        for what, ids in stage.items()
        if what.endswith(":ids")
        for id in ids
    }
    assert told == done


# -- older stores ---------------------------------------------------------------------------------


def test_an_older_store_keeps_for_good_what_a_person_asked_to_keep(
    tmp_path: Path, clock: FixedClock
) -> None:
    """U25.1: a file of schema 5 knows no lifetimes; wishes, facts and likings last from then on."""
    path = tmp_path / "older.db"
    with open_at(path, clock) as memory:
        asked = memory.remember("오늘 점심은 김밥이었다", kind="experience").id
        wish = memory.observe("내 여권은 서랍에 있어. 꼭 기억해").kept[0].id
        seen = memory.remember("The soup was salty", kind="experience", source="observation").id
        tool = memory.remember("build 7 is green", origin="tool_output").id
        commit_tier(memory, seen)
    connection = apsw.Connection(str(path))
    for name in ("lifetime", "last_date"):
        connection.execute(f"ALTER TABLE memory DROP COLUMN {name}")
    later = "seal profile profile_read experience decision_count"
    people = "person access_token page_visit person_use"
    for name in f"{later} {people}".split():
        connection.execute(f"DROP TABLE {name}")
    connection.execute("DROP INDEX spending_by_day")
    connection.execute("DELETE FROM house WHERE name = 'seal_key'")
    connection.execute("PRAGMA user_version = 5")
    connection.close()
    with open_at(path, clock, forgetting="gentle") as memory:
        assert [life(memory, id)[0] for id in (asked, wish)] == ["lasting", "lasting"]
        assert [life(memory, id)[0] for id in (seen, tool)] == ["passing", "passing"]
        assert memory.maintenance.verify()
        days(memory, clock, 100)
        assert state(memory, asked) == "active"
        assert state(memory, tool) == "dormant"


def commit_tier(memory: Saegim, id: str) -> None:
    """Let a memory be in M30, as what is overheard is."""
    commit(memory, Tiered(id, Tier.M30, expiry(Tier.M30, memory.mind.now())))


def test_an_export_carries_lifetimes_and_an_older_one_is_read_as_its_store_would(
    tmp_path: Path, memory: Saegim, clock: FixedClock
) -> None:
    """U24.2: what lasts lasts elsewhere; a file from before lifetimes gets those of schema 6."""
    ids = {
        "passing": passing(memory),
        "until": memory.remember("x y", last_date="2026-05-30").id,
        "lasting": memory.remember("tea at noon").id,
    }
    path = tmp_path / "export.jsonl"
    memory.export_to(path)
    with open_at(tmp_path / "other.db", clock, forgetting="gentle") as other:
        other.import_from(path)
        for name, id in ids.items():
            assert life(other, id) == life(memory, id)
            assert life(other, id)[0] == name
    older = path.read_text(encoding="utf-8")
    for name in ids:
        older = older.replace(f',"lifetime":"{name}"', "").replace(f'"lifetime":"{name}",', "")
    path.write_text(older, encoding="utf-8")
    assert "lifetime" not in older
    with open_at(tmp_path / "third.db", clock, forgetting="gentle") as third:
        third.import_from(path)
        assert life(third, ids["lasting"])[0] == "lasting"


# -- the seeds' own clocks ------------------------------------------------------------------------


def test_under_the_seeds_clocks_everything_passes(tmp_path: Path, clock: FixedClock) -> None:
    """Seed D §6: `forgetting = "seed"` knows no lifetimes; 90 days end what was asked for."""
    with open_at(tmp_path / "seed.db", clock) as memory:
        id = memory.remember(ALLERGY).id
        plan = memory.observe("내 여권은 서랍에 있어. 꼭 기억해").kept[0].id
        assert (life(memory, id), life(memory, plan)) == (("passing", None), ("passing", None))
        days(memory, clock, 90)
        assert why(memory, id) == "expired"
        days(memory, clock, 7)
        assert state(memory, id) == "forgotten"

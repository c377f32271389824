"""Origin (M1): what is made of several sources is no more trusted than the least of them."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import pytest

from saegim import FixedClock, Saegim
from saegim.language.tell import Distilled
from saegim.memory.changes import Change, Linked, Reweighed, Saved
from saegim.memory.entities import DERIVED_FROM, MERGED_FROM, PROMOTED_FROM, SUPERSEDES, Link
from saegim.memory.memory import (
    TRUST,
    Kind,
    Life,
    Memory,
    Origin,
    Provenance,
    Scope,
    State,
    Tier,
    Time,
    Worth,
    expiry,
)
from saegim.mind import Mind
from saegim.perceive import model_worker
from saegim.perceive.build import embedded
from saegim.perceive.model_extraction import ModelFact
from saegim.sleep.flow import sleep
from saegim.sleep.night import Night
from saegim.sleep.reflect.insight import Insight
from saegim.sleep.stages import distil
from saegim.sleep.stages import reflect as reflecting
from saegim.store.commit import Batch
from saegim.store.rows import ALL_STATES, Where
from stand_ins import rounds

GRAPHS = rounds(10_000)
TEXT = "tea is here"
PERSON = (Origin.USER_SAID, Origin.USER_CONFIRMED)
Derive = Callable[[Sequence[Memory], Night], Memory]


# -- the ways in which a memory is made of others -------------------------------------------------


def distilled(sources: Sequence[Memory], night: Night) -> Memory:
    """Distil several, or reword one: an inference."""
    essence = Distilled(TEXT, Kind.FACT, "en")
    return distil._memory(essence, sources, Tier.M90, night, quoted=False)


def lifted(sources: Sequence[Memory], night: Night) -> Memory:
    """Lift a single memory in its own words."""
    essence = Distilled(sources[0].text, Kind.FACT, "en")
    return distil._memory(essence, sources[:1], Tier.M365, night, quoted=True)


def reflected(sources: Sequence[Memory], night: Night) -> Memory:
    """Notice something in several memories."""
    insight = Insight(TEXT, "en", ("tea",), tuple(sources), "topic.way")
    return reflecting._memory(insight, night)


def read_by_model(sources: Sequence[Memory], night: Night) -> Memory:
    """Read a fact in one memory with a language model."""
    fact = ModelFact(text=TEXT, kind=Kind.FACT, importance=0.5, confidence=0.9)
    return model_worker._fact(fact, sources[0], night.mind)


def most_trusted(sources: Sequence[Memory], night: Night) -> Memory:
    """A wrong way: take the most trusted of the origins."""
    origin = max((each.provenance.origin for each in sources), key=TRUST.__getitem__)
    made = distilled(sources, night)
    return made.evolve(provenance=replace(made.provenance, origin=origin))


def as_the_first(sources: Sequence[Memory], night: Night) -> Memory:
    """A wrong way: speak in the name of the first."""
    made = distilled(sources, night)
    return made.evolve(provenance=sources[0].provenance)


WAYS: tuple[Derive, ...] = (distilled, lifted, reflected, read_by_model)


# -- random lineages ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Made:
    """A derived memory, what it was directly made of, and the least trust among its ancestors."""

    memory: Memory
    sources: tuple[Memory, ...]
    least: float


def graph(dice: random.Random, ways: Sequence[Derive], night: Night) -> list[Made]:
    """Return a lineage: a few memories of any origin, and some made of those, and of these."""
    origins = tuple(Origin)
    least: dict[int, float] = {}
    pool: list[Memory] = []
    for _ in range(dice.randint(1, 4)):
        pool.append(_told(dice.choice(origins), night))
        least[id(pool[-1])] = pool[-1].provenance.trust
    made = []
    for _ in range(dice.randint(1, 3)):
        sources = tuple(dice.sample(pool, dice.randint(1, len(pool))))
        way = dice.choice(ways)
        if way in (lifted, read_by_model):
            sources = sources[:1]
        memory = way(sources, night)
        made.append(Made(memory, sources, min(least[id(each)] for each in sources)))
        least[id(memory)] = made[-1].least
        pool.append(memory)
    return made


def _told(origin: Origin, night: Night) -> Memory:
    return Memory(
        id=f"mem_{origin.value}",
        scope=Scope("me"),
        text=TEXT,
        time=Time(happened_at=night.at, recorded_at=night.at),
        provenance=Provenance(origin=origin, author=origin.value),
    )


def wrong_of(made: Made) -> bool:
    """Say whether a derived memory is trusted more than any of its sources, near or far."""
    trust = made.memory.provenance.trust
    return trust > made.least or any(trust > each.provenance.trust for each in made.sources)


@pytest.fixture
def night(memory: Saegim) -> Night:
    """A night whose feelings are read by word lists alone: they have no say in trust."""
    mind = replace(memory.mind, heads=None)
    return Night(scope=Scope("me"), mind=mind, id="night_test", at=mind.now())


def test_a_derived_memory_is_never_more_trusted_than_its_sources(night: Night) -> None:
    """M1, attack 5: random lineages, 10,000 by night, through every way of making one of many."""
    dice = random.Random(20260101)
    seen: set[tuple[Origin, Origin]] = set()
    for _ in range(GRAPHS):
        for made in graph(dice, WAYS, night):
            assert not wrong_of(made), made
            assert made.memory.provenance.origin not in PERSON or _quotes(made)
            seen |= {(e.provenance.origin, made.memory.provenance.origin) for e in made.sources}
    assert {source for source, _ in seen} == set(Origin)


def _quotes(made: Made) -> bool:
    """Say whether it is one memory of a person in its own words."""
    (source,) = made.sources
    return source.provenance.origin in PERSON and source.text == made.memory.text


@pytest.mark.parametrize("wrong", [most_trusted, as_the_first])
def test_a_derivation_that_raises_trust_is_noticed(night: Night, wrong: Derive) -> None:
    """M1, control: among right ways, one wrong way is caught by the same look."""
    dice = random.Random(7)
    found = [made for _ in range(300) for made in graph(dice, (*WAYS, wrong), night)]
    assert sum(map(wrong_of, found)) > 20


# -- through real nights --------------------------------------------------------------------------

# What is said, by whom, and whether it is used often enough to rise alone.
SAID = (
    ("Emma and I went climbing at the wall", Origin.USER_SAID, 0),
    ("2월 15일 삐돌이가 카페에서 아메리카노 마심", Origin.USER_SAID, 0),
    ("2월 18일 삐돌이가 카페에서 라떼 마심", Origin.USER_SAID, 0),
    ("2월 22일 삐돌이가 카페에 감", Origin.WEB, 0),
    ("어제 헬스장에서 운동했다", Origin.USER_SAID, 0),
    ("오늘 아침에 헬스장에서 운동했어", Origin.USER_SAID, 0),
    ("지난 토요일에 헬스장 가서 운동했다", Origin.USER_SAID, 0),
    ("Emma lent me her climbing shoes", Origin.USER_SAID, 0),
    ("보리차는 둘째 칸에 있다", Origin.USER_SAID, 8),
    ("커피콩은 첫째 서랍에 있다", Origin.WEB, 8),
    ("민지는 초록색 우산을 좋아한다", Origin.USER_SAID, 8),
    ("민지는 초록색 우산을 좋아한다.", Origin.WEB, 8),
    ("Minji likes the harbour walk in spring", Origin.WEB, 0),
    ("Minji likes the harbour walk in autumn", Origin.USER_SAID, 0),
    ("Minji likes the harbour walk in winter", Origin.USER_SAID, 0),
    ("Booked a climbing course together with Emma", Origin.USER_SAID, 0),
)
# Words that only the page said.
OF_THE_PAGE = ("커피콩", "서랍", "spring", "22일")


def everything(mind: Mind) -> dict[str, Memory]:
    """Return all memories, whatever became of them."""
    where = Where(scope=Scope("me"), states=ALL_STATES)
    return {each.id: each for _, each in mind.store.memories.walk(where)}


def used(memory: Memory, times: int, mind: Mind) -> None:
    """Let a memory be used, and a page be recalled far more often than anything else."""
    often = 50 if memory.provenance.origin is Origin.WEB else 1
    change = Reweighed(memory=memory.id, at=mind.now(), used=times, recalled=often)
    mind.store.commit(Batch("me", [change], actor="me", at=mind.now()))


def raised(mind: Mind) -> list[str]:
    """Return each tie by which trust was raised, or a more trusted memory lost its place."""
    held = everything(mind)
    wrong = []
    for link in mind.store.links.all(Scope("me")):
        if link.type in (DERIVED_FROM, PROMOTED_FROM):
            this, least = held[link.source], held[link.target]
        elif link.type in (MERGED_FROM, SUPERSEDES):
            # The one that was replaced may not have been worth more trust than its successor.
            this, least = held[link.target], held[link.source]
        else:
            continue
        if this.provenance.trust > least.provenance.trust:
            wrong.append(link.key)
    return wrong


def test_nights_never_make_the_words_of_a_page_a_persons_own(
    memory: Saegim, clock: FixedClock
) -> None:
    """M1, attack 5: distilled, deepened, reflected on, merged for a month, a page stays a page."""
    mind = replace(memory.mind, settings=replace(memory.mind.settings, reflection_threshold=5))
    scope = Scope("me")
    me = memory.within(user="me")
    for text, origin, times in SAID:
        kept = me.remember(text, tier="M30", origin=origin.value)
        used(kept.memory, times, mind)
        clock.forward(hours=5)
    done: set[str] = set()
    for _ in range(3):
        clock.forward(days=8)
        night = sleep(scope, mind)
        assert night is not None
        done |= {stage for stage, told in night.told.items() if {"rose", "insight"} & set(told)}
        assert raised(mind) == []
        for each in everything(mind).values():
            used(each, 8, mind)
    made = [each for each in everything(mind).values() if each.provenance.source != "user"]
    assert done >= {"distil", "deepen", "reflect"}
    assert {each.provenance.origin for each in made} >= {Origin.WEB, Origin.USER_SAID}
    for each in made:
        if any(word in each.text for word in OF_THE_PAGE):
            assert each.provenance.origin is Origin.WEB, each.text
    # Control: the same look notices a memory that speaks in a person's name for the page.
    page = next(each for each in made if each.provenance.origin is Origin.WEB)
    forged = _told(Origin.USER_SAID, Night(scope=scope, mind=mind, id="n", at=mind.now()))
    link = Link(source=forged.id, type=DERIVED_FROM, target=page.id)
    mind.store.commit(Batch("me", [Saved(forged), Linked(link)], actor="me", at=mind.now()))
    assert raised(mind)


@pytest.mark.parametrize(
    ("origins", "left"),
    [
        ((Origin.USER_SAID, Origin.WEB), 2),
        ((Origin.USER_SAID, Origin.AGENT_INFERRED), 2),
        ((Origin.USER_CONFIRMED, Origin.USER_SAID), 2),
        ((Origin.WEB, Origin.WEB), 1),
        ((Origin.USER_SAID, Origin.USER_SAID), 1),
    ],
)
def test_a_twin_never_survives_one_that_is_trusted_more(
    memory: Saegim, clock: FixedClock, origins: tuple[Origin, Origin], left: int
) -> None:
    """M1: word for word the same and recalled far more often, the page does not take over.

    Control: of one origin, the same twins are merged, and the more recalled one stays.
    """
    mind = memory.mind
    twins = [
        _told(origin, Night(scope=Scope("me"), mind=mind, id="n", at=mind.now())).evolve(
            id=f"mem_{n}",
            provenance=Provenance(origin=origin),
            worth=Worth(recalled=50 * n, used=9 * n),
            life=Life(tier=Tier.M90, expires_at=expiry(Tier.M90, mind.now())),
        )
        for n, origin in enumerate(origins)
    ]
    changes: list[Change] = [Saved(each) for each in twins]
    vectors = embedded(twins, mind)
    identity = mind.embedder.identity
    mind.store.commit(
        Batch("me", changes, actor="me", at=mind.now(), vectors=vectors, identity=identity)
    )
    clock.forward(days=1)
    assert sleep(Scope("me"), mind, stages=["merge"]) is not None
    held = everything(mind).values()
    living = [each for each in held if each.life.state is State.ACTIVE]
    assert len(living) == left
    assert max(each.provenance.trust for each in living) == max(TRUST[each] for each in origins)
    assert left == 2 or [each.id for each in living] == ["mem_1"]
    assert raised(mind) == []

"""Merging by night: twins become one and lose nothing; what differs in a detail stays two."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from saegim import FixedClock, Saegim
from saegim.engines.embedder import cosine
from saegim.memory.entities import MERGED_FROM, SIMILAR_TO, SUPERSEDES
from saegim.sleep.stages import deduplicate
from sleep.stages.ageing import (
    everything,
    findable,
    kept,
    lines,
    made_by_night,
    night,
    pin,
    recalled,
    stands,
    state,
    ties,
    used,
)
from stand_ins import NIGHTLY, rounds, shelve

Opened = Callable[..., Saegim]
TWINS = {
    "ko": ("민지는 오후에 보리차를 마신다", "민지는 오후에 보리차를 마신다."),
    "en": ("Minji drinks barley tea in the afternoon", "Minji drinks barley tea in the afternoon!"),
}
LABELLED = Path(__file__).parents[2] / "language"


def pairs(name: str) -> list[dict[str, str]]:
    """Return the labelled pairs of one set."""
    text = (LABELLED / f"{name}.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def near(memory: Saegim, *texts: str) -> float:
    """Return how near two texts are to the embedder of this store."""
    one, two = memory.mind.embedder.embed(texts, "document")
    return cosine(one, two)


@pytest.mark.parametrize("language", ["ko", "en"])
@pytest.mark.parametrize("favoured", [0, 1])
def test_of_twins_the_more_recalled_one_stays(
    memory: Saegim, clock: FixedClock, language: str, favoured: int
) -> None:
    """Seed C layer 4: the higher access_count survives; the other is superseded, not deleted."""
    ids = []
    for text in TWINS[language]:
        ids.append(kept(memory, text))
        clock.forward(hours=1)
    stays, goes = ids[favoured], ids[1 - favoured]
    recalled(memory, stays, 2)
    recalled(memory, goes)
    used(memory, goes, 1)
    assert night(memory, "merge")["merged"] == 1
    assert (state(memory, stays), state(memory, goes)) == ("active", "superseded")
    assert ties(memory, stays, MERGED_FROM, SUPERSEDES) == {
        (stays, MERGED_FROM, goes),
        (stays, SUPERSEDES, goes),
    }
    worth = stands(memory, stays).worth
    assert (worth.recalled, worth.used) == (3, 1), "what both were worth counts together"
    assert memory.get(goes).id == stays, "the old id leads to what holds now"
    assert memory.get(goes, exact=True).text == TWINS[language][1 - favoured]
    assert goes not in findable(memory, TWINS[language][0])


def test_of_equal_twins_the_older_one_stays(memory: Saegim, clock: FixedClock) -> None:
    """Seed C layer 4, where nobody was recalled: the id that others may hold is the one kept."""
    older = kept(memory, TWINS["ko"][0])
    clock.forward(days=1)
    newer = kept(memory, TWINS["ko"][1])
    night(memory, "merge")
    assert (state(memory, older), state(memory, newer)) == ("active", "superseded")


def test_a_group_of_twins_becomes_one(memory: Saegim, clock: FixedClock) -> None:
    """Seed C layer 4: three that say the same are one after the night, and all three readable."""
    texts = (*TWINS["ko"], "민지는 오후에 보리차를 마신다!")
    ids = []
    for text in texts:
        ids.append(kept(memory, text))
        clock.forward(hours=1)
    night(memory, "merge")
    assert sorted(state(memory, id) for id in ids) == ["active", "superseded", "superseded"]
    assert {memory.get(id).id for id in ids} == {ids[0]}
    assert {memory.get(id, exact=True).text for id in ids} == set(texts)


def test_twins_are_merged_once(memory: Saegim) -> None:
    """Run again at once or the next night, merging adds no line to the ledger."""
    for text in TWINS["en"]:
        kept(memory, text)
    night(memory, "merge")
    before = memory.maintenance.verify()
    assert night(memory, "merge") == {}
    assert memory.maintenance.verify() == before


def test_evolution_off_merges_nothing(opened: Opened) -> None:
    """Seed E evolution_enabled: a person who says no gets no merging; the same store with yes."""
    for evolution, left in ((False, 2), (True, 1)):
        memory = opened(evolution=evolution)
        for text in TWINS["ko"]:
            kept(memory, text)
        night(memory, "merge")
        assert memory.recent().total == left


def test_a_merge_makes_nobody_older(memory: Saegim, clock: FixedClock) -> None:
    """Seed C layer 4: taking in a twin is no sign of life, and takes no sign of life away."""
    stays = kept(memory, TWINS["ko"][0], tier="M365")
    clock.forward(days=100)
    used(memory, stays, 2)
    last = stands(memory, stays).worth.used_at
    assert last == clock.at
    goes = kept(memory, TWINS["ko"][1], tier="M365")
    used(memory, goes, 1)
    clock.forward(days=1)
    assert night(memory, "merge")["merged"] == 1
    assert stands(memory, stays).worth.used_at == last
    clock.forward(days=20)
    night(memory, "fade")
    assert state(memory, stays) == "active", "used three weeks ago"


@pytest.mark.parametrize("way", ["pinned", "immutable"])
def test_what_was_made_to_stay_is_not_taken_in(memory: Saegim, way: str) -> None:
    """DESIGN 4b: pinned and immutable memories are never superseded, however little recalled."""
    for plain in (kept(memory, TWINS["ko"][0]), kept(memory, TWINS["en"][0])):
        recalled(memory, plain, 5)
    ids = [kept(memory, TWINS["ko"][1], **{way: True}), kept(memory, TWINS["en"][1])]
    night(memory, "merge")
    assert state(memory, ids[0]) == "active"
    assert state(memory, ids[1]) == "superseded", "the one that was not"


def test_two_pinned_twins_stay_two(memory: Saegim) -> None:
    """U26.1: a pin is never undone by a twin that is pinned too; unpinned, one of them goes."""
    one, two = (kept(memory, text, pinned=True) for text in TWINS["ko"])
    assert night(memory, "merge") == {}
    pin(memory, two, False)
    other = kept(memory, "민지는 오후에 보리차를 마신다!!")
    night(memory, "merge")
    assert (state(memory, one), state(memory, other)) == ("active", "superseded")


@pytest.mark.parametrize(
    "apart",
    [
        {"origin": "web"},
        {"author": "Jihun"},
        {"project": "alpha"},
        {"agent": "other"},
        {"tags": ["tea"]},
        {"kind": "imagined"},
        {"tier": "M365"},
    ],
)
def test_the_same_words_from_elsewhere_stay_two(memory: Saegim, apart: dict[str, object]) -> None:
    """M1 and U5.2: another origin, author, room, label or lifetime is a difference too."""
    recalled(memory, kept(memory, TWINS["ko"][0]), 3)
    other = kept(memory, TWINS["ko"][1], **apart)
    night(memory, "merge")
    assert state(memory, other) == "active"


def test_what_was_distilled_does_not_swallow_its_source(memory: Saegim) -> None:
    """Seed D §3: an essence in the same words as its source leaves the source to age on."""
    source = kept(memory, TWINS["en"][0], tier="M30")
    used(memory, source, 3)
    night(memory, "promote", "distil")
    (essence,) = made_by_night(memory, "M90")
    assert essence.text == TWINS["en"][0]
    recalled(memory, essence.id, 3)
    assert night(memory, "merge") == {}
    assert (state(memory, source), state(memory, essence.id)) == ("active", "active")


def test_near_twins_are_tied_and_stay_two(memory: Saegim) -> None:
    """DESIGN 4b: between 0.85 and 0.92 two memories are linked `similar_to`, never merged."""
    same = next(
        (pair["one"], pair["two"])
        for pair in pairs("same")
        if 0.86 < near(memory, pair["one"], pair["two"]) < 0.91
    )
    one, two = shelve(memory, same)
    assert ties(memory, one, SIMILAR_TO) == set()
    assert night(memory, "merge") == {"tied": 1}
    assert ties(memory, one, SIMILAR_TO) == {(two, SIMILAR_TO, one)}
    assert (state(memory, one), state(memory, two)) == ("active", "active")
    assert night(memory, "merge") == {}, "tied once"


def test_what_is_far_apart_is_not_even_tied(memory: Saegim) -> None:
    """The control of the test above: below 0.85 nothing is said of two memories."""
    one, two = shelve(memory, ["고양이는 낮잠을 잔다", "The quarterly budget was approved"])
    assert near(memory, "고양이는 낮잠을 잔다", "The quarterly budget was approved") < 0.85
    night(memory, "merge")
    assert ties(memory, one, SIMILAR_TO) == ties(memory, two, SIMILAR_TO) == set()


def test_no_near_but_distinct_pair_is_lost(memory: Saegim) -> None:
    """U5.2: over 300 pairs that differ in a number, date, version or name pass a whole night."""
    every = [(pair["one"], pair["two"]) for pair in pairs("near_but_distinct")]
    assert len(every) > 300
    # By day every fourth of them; what their words say is asked of all of them in `test_same`.
    distinct = every[:: 1 if NIGHTLY else 4]
    texts = sorted({text for pair in distinct for text in pair})
    ids = shelve(memory, [*texts, *TWINS["ko"]])
    night(memory, "merge", "renew", "importance", "fade", "leave")
    close = [pair for pair in distinct if near(memory, *pair) >= 0.92]
    assert len(close) > rounds(50, 12), "near enough that only their words can tell them apart"
    assert [id for id in ids[:-2] if state(memory, id) != "active"] == []
    twins = sorted(state(memory, id) for id in ids[-2:])
    assert twins == ["active", "superseded"], "true twins among them were merged"
    lost = [text for text in texts if text not in _texts(memory, text)]
    assert lost == []


def _texts(memory: Saegim, words: str) -> set[str]:
    return {each.text for each in memory.search(words, limit=50)}


def test_without_its_caution_the_night_would_lose_them(
    memory: Saegim, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The control of the test above: by cosine alone, two numbers would become one."""
    close = next(
        (pair["one"], pair["two"])
        for pair in pairs("near_but_distinct")
        if pair["why"] == "number" and near(memory, pair["one"], pair["two"]) > 0.93
    )
    ids = shelve(memory, close)
    monkeypatch.setattr(deduplicate, "may_become", lambda *_, **__: "")
    night(memory, "merge")
    assert sorted(state(memory, id) for id in ids) == ["active", "superseded"]


def test_the_ledger_has_a_line_for_each_merge(memory: Saegim) -> None:
    """U5.1: one Superseded line for each that was taken in, and the words of all are here."""
    texts = [text for pair in TWINS.values() for text in pair]
    for text in texts:
        kept(memory, text)
    row = memory.sleep("merge")
    assert row is not None
    gone = [each.subject for each in lines(memory, "Superseded", actor=row.id)]
    assert len(gone) == len(set(gone)) == 2
    assert sorted(each.text for each in everything(memory).values()) == sorted(texts)

"""Erasing: what goes along, what stays, who may, and what the receipt says."""

from __future__ import annotations

import dataclasses
import hashlib
import random
from pathlib import Path
from typing import Any

import pytest

from saegim import FixedClock, Saegim
from saegim.errors import BadInput, NotFound, Refused
from saegim.memory.changes import Archived, Change, Erased, Linked, Met, Portrayed, Saved, Written
from saegim.memory.clock import iso
from saegim.memory.entities import (
    DERIVED_FROM,
    MERGED_FROM,
    PROMOTED_FROM,
    REFERS_TO,
    SUPERSEDES,
    Entity,
    Link,
    Page,
)
from saegim.memory.memory import Content, Life, Memory, Scope, State, Tier, Time
from saegim.sleep.erase import EraseReceipt, erase, made_of_them_alone
from saegim.soul.proposals import CORE, OPEN, WITHDRAWN, made, proposals
from saegim.store.commit import Batch
from saegim.store.rows import Where


def commit(memory: Saegim, *changes: Change, **more: Any) -> None:
    """Make Changes true for the user of this memory."""
    batch = Batch(memory.scope.user, list(changes), "test", memory.mind.now(), **more)
    memory.mind.store.commit(batch)


def asked(memory: Saegim, *ids: str, confirm: bool = True, **more: Any) -> EraseReceipt:
    """Erase, or only ask."""
    return erase(
        ids, scope=memory.scope, mind=memory.mind, confirm=confirm, home=memory.home, **more
    )


def gone(memory: Saegim, id: str) -> bool:
    """Say whether nothing of a memory can be read, here or in the archive."""
    found = memory.mind.store.memories.get(memory.scope, id)
    assert found is not None
    return not found.text and not memory.mind.store.memories.in_archive(memory.scope, id)


def tie(source: str, type: str, target: str) -> Linked:
    """Return the Change that ties two things."""
    return Linked(Link(source=source, type=type, target=target))


# -- what goes along ------------------------------------------------------------------------------


def test_a_preview_names_everything_and_changes_nothing(memory: Saegim) -> None:
    """U26.3: without a confirmation the receipt only says what would go."""
    old = memory.remember("the desk is 1234")
    new = memory.update(old.id, "the desk is 5678")
    insight = memory.remember("desks have numbers").id
    commit(memory, tie(insight, DERIVED_FROM, new.id))
    before = memory.maintenance.verify(), memory.recent(9).total
    look = asked(memory, old.id, confirm=False)
    assert not look.done
    assert not look.digest
    assert (look.named, look.versions, look.derived) == ((old.id,), (new.id,), (insight,))
    assert (memory.maintenance.verify(), memory.recent(9).total) == before
    done = asked(memory, old.id)
    assert done.done
    assert done.ids == look.ids
    assert all(gone(memory, id) for id in done.ids)
    assert memory.recent(9).total == 0


def test_every_version_and_every_merged_twin_goes(memory: Saegim) -> None:
    """U26.3: by whichever of its ids a memory is named, none of its versions stays."""
    for pick in range(4):
        ids = [memory.remember(f"desk number {pick}{at}").id for at in range(4)]
        commit(
            memory,
            tie(ids[1], SUPERSEDES, ids[0]),
            tie(ids[2], SUPERSEDES, ids[1]),
            tie(ids[2], MERGED_FROM, ids[3]),
        )
        assert set(asked(memory, ids[pick]).ids) == set(ids)


def test_what_is_only_alike_stays(memory: Saegim) -> None:
    """U26.3: erasing is about a memory, not about everything like it."""
    kept = memory.remember("the desk is oak").id
    other = memory.remember("the desk is old").id
    commit(memory, tie(kept, "similar_to", other), tie(kept, "related", other))
    assert asked(memory, kept).ids == (kept,)
    assert memory.get(other).text == "the desk is old"


def test_automatic_erasing_leaves_what_was_distilled(memory: Saegim) -> None:
    """DESIGN 4b: at the end of the archive a distillate outlives its sources."""
    source, essence = (memory.remember(text).id for text in ("oak desk in May", "desks are oak"))
    commit(memory, tie(essence, DERIVED_FROM, source), tie(essence, PROMOTED_FROM, source))
    commit(memory, Erased(source))
    assert memory.get(essence).text == "desks are oak"


def test_sources_that_stay_are_named(memory: Saegim) -> None:
    """U26.3: who erases a fact learns which turn still says it."""
    turn, fact = (memory.remember(text).id for text in ("so I moved to Busan", "lives in Busan"))
    commit(memory, tie(fact, DERIVED_FROM, turn))
    assert asked(memory, fact).sources_left == (turn,)


def born(memory: Saegim, id: str, text: str = "a small text", **more: Any) -> Saved:
    """Return the Change that keeps a memory of that id."""
    at = memory.mind.now()
    time = Time(happened_at=at, recorded_at=at)
    return Saved(Memory(id=id, scope=memory.scope, text=text, time=time, **more))


@dataclasses.dataclass
class Derivations:
    """Memories derived from each other at random: their sources, and which of them are there."""

    sources: dict[str, set[str]]
    there: set[str]
    lost: list[str]
    changes: list[Change]


def derivations(memory: Saegim, dice: random.Random, name: str) -> Derivations:
    """Return a few memories; some lie in the archive, some will be lost before."""
    ids = [f"{name}m{n}" for n in range(dice.randint(3, 9))]
    sources: dict[str, set[str]] = {id: set() for id in ids}
    changes: list[Change] = [born(memory, id) for id in ids]
    for id in ids:
        for source in dice.sample([*ids, "nobody", "elsewhere"], dice.choice([0, 1, 1, 2, 3])):
            if source != id:
                sources[id].add(source)
                both = dice.sample([DERIVED_FROM, PROMOTED_FROM], dice.choice([1, 2]))
                changes += [tie(id, type, source) for type in both]
    changes += [Archived(id, memory.mind.now()) for id in dice.sample(ids, len(ids) // 4)]
    lost = dice.sample(ids, len(ids) // 5)
    # An erased memory takes its ties along; those to it are gone as well.
    left = {id: held - set(lost) for id, held in sources.items() if id not in lost}
    return Derivations(left, set(ids) - set(lost), lost, changes)


def closure(sources: dict[str, set[str]], there: set[str], start: set[str]) -> set[str]:
    """Return what goes with a start, by looking again and again until nothing changes."""
    went = set(start)
    while True:
        more = {
            id
            for id, held in sources.items()
            if id in there - went and held & went and not (held - went) & there
        }
        if not more:
            return went
        went |= more


def test_what_was_made_of_erased_memories_alone_goes_exactly(memory: Saegim) -> None:
    """DESIGN 4b: 300 random derivations, archived, erased and unknown sources among them."""
    dice = random.Random(11)
    graphs = [derivations(memory, dice, f"g{n}") for n in range(300)]
    commit(memory, *(change for each in graphs for change in each.changes))
    commit(memory, *(Erased(id) for each in graphs for id in each.lost))
    longest = 0
    for number, each in enumerate(graphs):
        start = set(dice.sample(sorted(each.there), dice.randint(1, 2)))
        wanted = closure(each.sources, each.there, start)
        found = made_of_them_alone(start, memory.scope, memory.mind)
        assert start.isdisjoint(found)
        assert start | set(found) == wanted, number
        longest = max(longest, len(found))
        if number % 30 == 0:
            assert set(asked(memory, *start).ids) == wanted
            assert all(gone(memory, id) == (id in wanted) for id in each.there)
    assert longest > 3


def test_another_users_identical_memory_stays(memory: Saegim) -> None:
    """FAULTS 36, U26.3: an erase stays inside the wall, and their id is as good as none."""
    text = "Zephyrine likes lanternmoths"
    other = memory.within(user="other")
    mine, theirs = memory.remember(text).id, other.remember(text).id
    for each in (memory, other):
        each.working.upsert_query("talk", text)
        each.working.finalize_session("talk", promote=False)
    head, people = other.maintenance.verify(), other.entities.all()
    asked(memory, mine)
    assert (other.maintenance.verify(), other.entities.all()) == (head, people)
    assert other.get(theirs).text == text
    assert [hit.memory.id for hit in other.recall("lanternmoths").hits] == [theirs]
    assert [node.text for node in other.working.graph("talk").best(1)] == [text]
    assert memory.working.graph("talk").best(1) == ()
    with pytest.raises(NotFound, match=theirs):
        asked(memory, theirs)


# -- who may --------------------------------------------------------------------------------------


@pytest.mark.parametrize("life", [Life(tier=Tier.M0), Life(immutable=True)])
def test_only_a_person_erases_what_was_made_to_stay(memory: Saegim, life: Life) -> None:
    """DESIGN 4b: core and immutable memories go only if someone is named, also as derived ones."""
    source, core = memory.remember("oak desk").id, "mem_core"
    commit(memory, born(memory, core, life=life), tie(core, DERIVED_FROM, source))
    assert asked(memory, source, confirm=False).protected == (core,)
    head = memory.maintenance.verify()
    for wish in (source, core):
        with pytest.raises(Refused) as caught:
            asked(memory, wish)
        assert "by=" in (caught.value.next_step or "")
    assert memory.maintenance.verify() == head
    receipt = asked(memory, source, by="Ada")
    assert receipt.by == "Ada"
    assert gone(memory, core)
    last = list(memory.mind.store.ledger.entries(memory.scope))[-1]
    assert (last.change, last.actor) == ("Erased", "Ada")


@pytest.mark.parametrize("ids", [(), ("mem_none",), ("mem 1",), (5,), (None,)])
def test_what_is_not_there_is_named_and_nothing_goes(memory: Saegim, ids: Any) -> None:
    """U5.4: every id is looked at before anything is erased."""
    kept = memory.remember("tea").id
    with pytest.raises((BadInput, NotFound)) as caught:
        asked(memory, *((kept, *ids) if ids else ()))
    assert caught.value.next_step
    assert memory.get(kept).text == "tea"


@pytest.mark.parametrize("by", [5, "  ", ["Ada"]])
def test_who_erases_is_a_name(memory: Saegim, by: Any) -> None:
    """Bad input: a name that is none is refused before anything is erased."""
    kept = memory.remember("tea").id
    with pytest.raises(BadInput):
        asked(memory, kept, by=by)
    assert not gone(memory, kept)


def test_what_was_erased_is_not_there_to_erase_again(memory: Saegim) -> None:
    """U26.3: a second wish is told that there is nothing."""
    kept = memory.remember("tea").id
    asked(memory, kept)
    with pytest.raises(NotFound):
        asked(memory, kept)


def test_a_proposal_about_it_is_withdrawn(memory: Saegim) -> None:
    """DESIGN 4b: nobody is asked any more whether to keep what is gone; another is."""
    kept, other = (memory.remember(text).id for text in ("tea", "coffee"))
    commit(memory, *(made(f"p-{id}", CORE, id, ("used",)) for id in (kept, other)))
    receipt = asked(memory, kept, by="Ada")
    assert receipt.counts["proposals"] == 1
    found = {each.memory: each for each in proposals(memory.scope, memory.mind, state=None)}
    assert (found[kept].state, found[kept].answered_by) == (WITHDRAWN, "Ada")
    assert found[other].state == OPEN


# -- whom they spoke of ---------------------------------------------------------------------------


@pytest.fixture
def friends(memory: Saegim, clock: FixedClock) -> list[str]:
    """Three memories about the same two people, who are tied by the first alone."""
    ids = ["m0", "m1", "m2"]
    texts = (
        "Zephyrine, the Zeph, adores 하늘나래 and orchids",
        "Zephyrine paints, 하늘나래가 본다",
        "Zeph sings",
    )
    triples = {"m0": (("Zephyrine", "adores", "하늘나래"),), "m1": ()}
    friend = Entity(name="Zephyrine", aliases=("Zeph", "Zephy"), interests=("orchids", "paints"))
    for id, text in zip(ids, texts, strict=True):
        commit(
            memory,
            born(memory, id, text, content=Content(triples=triples.get(id, ()))),
            Met(friend, id, again=True),
            tie(id, REFERS_TO, friend.key),
        )
        clock.forward(days=1)
    commit(
        memory,
        Met(Entity(name="하늘나래"), "m0"),
        *(tie(id, REFERS_TO, "entity:하늘나래") for id in ids[:2]),
        tie(friend.key, "adores", "entity:하늘나래"),
        # Stronger than who states it: an import may have counted it twice.
        tie(friend.key, "adores", "entity:하늘나래"),
        Portrayed(friend.key, "she adores someone", "warm"),
    )
    return ids


def profile(memory: Saegim, name: str) -> Entity | None:
    """Return who goes by a name."""
    found = memory.entities.named(name)
    return found[0] if found else None


def links_of(memory: Saegim, key: str) -> set[tuple[str, str, str]]:
    """Return the ties of an entity."""
    links = memory.mind.store.links.of(memory.scope, [key])
    return {(each.source, each.type, each.target) for each in links}


def test_a_profile_keeps_only_what_other_memories_say(memory: Saegim, friends: list[str]) -> None:
    """U26.3: names and likings nobody else states go, and what was summed up is written anew."""
    asked(memory, friends[0])
    left = profile(memory, "Zephyrine")
    assert left is not None
    assert left.aliases == ("Zeph",)
    assert left.interests == ("paints",)
    assert (left.summary, left.personality_notes) == ("", "")
    assert profile(memory, "Zephy") is None
    assert [each.memory for each in memory.entities.trajectory("Zeph")] == ["m1", "m2"]


def test_no_older_portrait_can_be_taken_back(memory: Saegim, friends: list[str]) -> None:
    """U26.3: what a summary said before the night renewed it is not kept to undo it."""
    until = memory.mind.now()
    commit(memory, Portrayed("entity:zephyrine", "new", ""), maker="night", until=until)
    undo = memory.mind.store.undo
    (image,) = undo.images(memory.scope.user, maker="night")
    assert image.held["summary"] == "she adores someone"
    asked(memory, friends[0])
    assert undo.images(memory.scope.user, maker="night") == []


def test_a_tie_goes_with_the_last_memory_that_states_it(memory: Saegim, friends: list[str]) -> None:
    """U26.3: how two people are tied is a word of the memory that says so."""
    adores = ("entity:zephyrine", "adores", "entity:하늘나래")
    asked(memory, friends[2])
    assert adores in links_of(memory, adores[0])
    asked(memory, friends[0])
    assert adores not in links_of(memory, adores[0])
    assert profile(memory, "하늘나래") is not None


def test_who_is_spoken_of_no_more_is_forgotten(memory: Saegim, friends: list[str]) -> None:
    """U26.3: with the last memory about someone go names, feelings, ties and profile."""
    receipt = asked(memory, *friends[:2])
    assert receipt.counts["entities"] == 1
    assert profile(memory, "하늘나래") is None
    assert links_of(memory, "entity:하늘나래") == set()
    asked(memory, friends[2])
    assert memory.entities.all() == []
    store = memory.mind.store
    assert store.entities.sentiment_history(memory.scope, "entity:zephyrine") == []
    assert store.links.all(memory.scope) == []


def test_who_was_named_by_erased_memories_alone_gets_another_name(
    memory: Saegim, friends: list[str]
) -> None:
    """U26.3: whom the remaining memories call Zeph is not kept under a name they never say."""
    asked(memory, *friends[:2])
    left = profile(memory, "Zeph")
    assert left is not None
    assert (left.name, left.key, left.aliases) == ("Zeph", "entity:zeph", ())
    assert profile(memory, "Zephyrine") is None
    assert links_of(memory, "entity:zeph") == {("m2", REFERS_TO, "entity:zeph")}
    assert [each.memory for each in memory.entities.trajectory("Zeph")] == ["m2"]


def test_an_archived_memory_still_speaks_of_someone(memory: Saegim, friends: list[str]) -> None:
    """DESIGN 4b: what can be called back keeps whom it names."""
    commit(memory, Archived(friends[1], memory.mind.now()))
    asked(memory, friends[0], friends[2])
    left = profile(memory, "Zephyrine")
    assert left is not None
    assert left.interests == ("paints",)
    commit(memory, Erased(friends[1]))
    assert memory.entities.all() == []


def test_a_short_latin_name_is_not_found_inside_another_word(memory: Saegim) -> None:
    """U26.3: "Al" is not said by "also"; 민수 is said by 민수가."""
    for id, text in (("m0", "Al and 민수 met"), ("m1", "also 민수가 왔다")):
        commit(
            memory,
            born(memory, id, text),
            Met(Entity(name="민수", aliases=("Al",)), id, again=True),
            tie(id, REFERS_TO, "entity:민수"),
        )
    asked(memory, "m0")
    assert profile(memory, "민수") is not None
    assert profile(memory, "Al") is None


# -- pages, sessions, receipts --------------------------------------------------------------------


def test_pages_that_were_made_of_it_are_emptied(memory: Saegim) -> None:
    """U26.3: an imported line or a page about erased memories says nothing; others stay."""
    kept, other = (memory.remember(text).id for text in ("tea", "coffee"))
    felt = {"emotion": {"affect": 0.5, "keywords": ["calm"]}}
    lines = ((1, [kept]), (2, [kept, other]), (3, [other]))
    together = Page(key="note:2", kind="note", title="t", body="b", derived_from=(kept, other))
    commit(
        memory,
        Written(Page(key="note:1", kind="note", title="t", body="b", derived_from=(kept,))),
        *(Written(page) for page in (together, together)),
        Written(Page(key="note:3", kind="note", title="t", body="b", derived_from=(other,))),
        *(
            Written(
                Page(
                    key=f"resonance:20260101:{n:06d}",
                    kind="resonance",
                    data={"space": "work", "bqi_coordinate": felt, "memory_refs": refs},
                )
            )
            for n, refs in lines
        ),
    )
    assert asked(memory, kept, confirm=False).counts["pages"] == 3
    assert asked(memory, kept).counts["pages"] == 3
    store = memory.mind.store
    bodies = {
        page.key: page.title + page.body for page in store.pages.of(memory.scope, kind="note")
    }
    assert bodies == {"note:1": "", "note:2": "", "note:3": "tb"}
    first, second, third = (page.data for page in store.pages.of(memory.scope, kind="resonance"))
    assert first == {"memory_refs": [kept]}
    assert second["space"] == "work"
    assert second["bqi_coordinate"]["emotion"]["keywords"] == []
    assert third["bqi_coordinate"] == felt


def test_a_key_of_the_caller_is_dropped_with_its_memory(memory: Saegim) -> None:
    """U26.3: the key under which it was kept may be a word, and is free again."""
    kept = memory.remember("tea", key="the tea of Tuesday")
    asked(memory, kept.id)
    assert memory.remember("coffee", key="the tea of Tuesday").status == "stored"


def test_a_session_in_mind_that_holds_the_words_is_forgotten(memory: Saegim) -> None:
    """U26.3: what this process has in mind is not written down again; other sessions stay."""
    text = "the lanternmoth sleeps under the oak desk"
    kept = memory.remember(text, session="first").id
    working = memory.working
    working.upsert_query("first", f"you said: {text}!")
    working.checkpoint("first")
    working.upsert_query("second", "what about tea")
    assert [each.name for each in asked(memory, kept, confirm=False).unreachable] == ["first"]
    receipt = asked(memory, kept, running=[working])
    assert receipt.counts["sessions"] == 1
    assert receipt.unreachable == ()
    assert working.active_sessions() == ["second"]
    assert not list((memory.home / "sessions").rglob("first*"))


def test_a_snapshot_loses_the_question_with_its_answers(memory: Saegim) -> None:
    """U26.3: what was answered and judged goes with the question; a shared answer stays."""
    text = "the lanternmoth sleeps under the oak desk"
    kept = memory.remember(text).id
    graph = memory.working.graph("talk")
    asks = [graph.upsert_query(each) for each in (text, "what is for lunch")]
    for query, answer in ((asks[0], "it does"), (asks[0], "surely"), (asks[1], "surely")):
        graph.record_answer(query, answer)
    graph.record_feedback(asks[0], "up", "good to know")
    file = memory.home / "sessions" / "memory" / "mine.json"
    graph.save_to_file(file)
    asked(memory, kept)
    fresh = memory.working.graph("fresh")
    fresh.load_from_file(file)
    assert {each.text for each in fresh.held().nodes} == {"what is for lunch", "surely"}


def test_a_named_person_is_dropped_from_a_checkpoint_too(memory: Saegim) -> None:
    """U26.3: an entity that is forgotten does not stay in a session's file."""
    kept = memory.remember("Minsu dislikes Java").id
    working = memory.working
    query = working.upsert_query("talk", "where does Minsu work")
    working.upsert_query("talk", "what is for lunch")
    assert any(each.text == "Minsu" for each in working.graph("talk").held().nodes)
    file = working.finalize_session("talk", promote=False).checkpoint
    assert file is not None
    receipt = asked(memory, kept)
    assert [each.how for each in receipt.files] == ["rewritten"]
    left = working.load_checkpoint(file).held().nodes
    assert "Minsu" not in {each.text for each in left}
    assert query in {each.id for each in left}


def test_a_short_text_does_not_sweep_everything(memory: Saegim) -> None:
    """U26.3: erasing "tea" drops the question "tea", not every question with those letters."""
    kept = memory.remember("tea").id
    working = memory.working
    for text in ("tea", "who is my team lead", "a cup of tea please"):
        working.upsert_query("talk", text)
    file = working.finalize_session("talk", promote=False).checkpoint
    asked(memory, kept)
    assert file is not None
    left = {each.text for each in working.load_checkpoint(file).held().nodes}
    assert left == {"who is my team lead", "a cup of tea please"}


# -- the receipt ----------------------------------------------------------------------------------


def test_the_receipt_can_be_filed_and_checked(memory: Saegim, clock: FixedClock) -> None:
    """U26.3: plain data, a digest over ids and instant, a line in the ledger for each id."""
    ids = tuple(memory.remember(text).id for text in ("tea", "coffee"))
    receipt = asked(memory, *ids, by="Ada")
    plain = dataclasses.asdict(receipt)
    assert plain["ids"] == ids
    assert receipt.at == clock.now()
    sworn = "\n".join((*ids, iso(receipt.at))).encode()
    assert receipt.digest == hashlib.sha256(sworn).hexdigest()
    lines = [
        each for each in memory.mind.store.ledger.entries(memory.scope) if each.change == "Erased"
    ]
    assert [each.subject for each in lines] == list(ids)
    assert memory.maintenance.verify()[0] > 0
    assert receipt.counts["words"] == receipt.counts["vectors"] == 2
    assert receipt.log_emptied


def test_backups_are_named_with_when_they_leave(memory: Saegim, clock: FixedClock) -> None:
    """U26.3: what cannot be reached is listed: by name, by date, by how many backups more."""
    kept = memory.remember("tea").id
    names = []
    for _ in range(3):
        names.append(memory.maintenance.backup().path.name)
        clock.forward(hours=1)
    (memory.home / "backups" / "saegim-20260101-000000-000000.db.unfinished").write_bytes(b"")
    for confirm in (False, True):
        told = asked(memory, kept, confirm=confirm).unreachable
        most = memory.mind.settings.backups_kept
        assert [(each.what, each.name, each.leaves_after) for each in told] == [
            ("backup", names[0], most - 2),
            ("backup", names[1], most - 1),
            ("backup", names[2], most),
            ("unfinished_backup", "saegim-20260101-000000-000000.db.unfinished", None),
        ]
        assert told[2].at == clock.now() - (told[1].at - told[0].at)  # type: ignore[operator]


def test_a_backup_leaves_after_as_many_more_as_was_said(memory: Saegim, clock: FixedClock) -> None:
    """U26.3: the count in the receipt is the count it takes."""
    kept = memory.remember("tea").id
    file = memory.maintenance.backup().path
    (told,) = asked(memory, kept).unreachable
    assert told.leaves_after is not None
    for made_since in range(told.leaves_after):
        assert file.exists(), made_since
        clock.forward(hours=1)
        memory.maintenance.backup()
    assert not file.exists()


def test_nearness_in_memory_forgets_it_too(memory: Saegim) -> None:
    """U26.3: the vectors that a process holds for searching do not bring it back."""
    ids = [memory.remember(text).id for text in ("oak desk", "oak table", "blue kettle")]
    mind = memory.mind
    (vector,) = mind.embedder.embed(["oak desk"], "query")

    def near() -> set[str]:
        found = mind.store.vectors.near(
            vector, mind.embedder.identity, Where(scope=memory.scope), limit=9
        )
        rows = mind.store.memories.by_numbers(memory.scope, [hit.number for hit in found])
        return {each.id for each in rows.values()}

    assert ids[0] in near()
    asked(memory, ids[0])
    assert ids[0] not in near()
    shard = mind.store.vectors._shards.of(memory.scope.user, 1, mind.embedder.identity.dimension)
    assert len(shard) == 2


def test_many_memories_of_one_person_go_in_one_commit(memory: Saegim) -> None:
    """FAULTS 34: one transaction; whom all of them speak of is looked at once."""
    changes: list[Change] = []
    for n in range(400):
        changes += [born(memory, f"m{n}", f"the hub {n}"), tie(f"m{n}", REFERS_TO, "entity:hub")]
    commit(memory, *changes, Met(Entity(name="hub", aliases=("center",)), "m0"))
    ids = [f"m{n}" for n in range(1, 400)]
    receipt = asked(memory, *ids)
    assert len(receipt.ids) == 399
    at = {
        each.at
        for each in memory.mind.store.ledger.entries(memory.scope)
        if each.change == "Erased"
    }
    assert len(at) == 1
    assert profile(memory, "hub") is not None
    asked(memory, "m0")
    assert memory.entities.all() == []
    assert memory.mind.store.check() == []


def test_scopes_of_one_user_share_the_wish(memory: Saegim, tmp_path: Path) -> None:
    """U26.3: whose memory it is decides, not from which project someone asks."""
    kept = memory.remember("tea", project="alpha").id
    elsewhere = memory.within(project="beta")
    assert asked(elsewhere, kept).ids == (kept,)
    assert memory.mind.store.memories.get(Scope(memory.scope.user), kept) is not None
    held = memory.mind.store.memories.get(memory.scope, kept)
    assert held is not None
    assert held.life.state is State.FORGOTTEN

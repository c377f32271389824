"""What every database promises; it speaks only through the `Store` protocol (`store_parts`)."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from conformance.store_parts import (
    AT,
    EVERYTHING,
    FULL,
    HERE,
    ME,
    Make,
    commit,
    found,
    head,
    ids,
    keep,
    keep_near,
    memory,
    near,
)
from saegim.errors import BadInput, NotFound, Refused, SaegimError, StoreError
from saegim.memory.changes import (
    Archived,
    Change,
    Dozed,
    Erased,
    Leaving,
    Linked,
    Met,
    Pinned,
    Quarantined,
    Recalled,
    Released,
    Restored,
    Retold,
    Reweighed,
    Saved,
    Superseded,
    Tiered,
    Unlinked,
    Woken,
    Written,
)
from saegim.memory.entities import RELATED, SIMILAR_TO, SUPERSEDES, Entity, Link, Page
from saegim.memory.memory import (
    Content,
    Life,
    Provenance,
    Reason,
    Scope,
    State,
    Tier,
    Worth,
)
from saegim.store.commit import Batch, IdempotencyKey
from saegim.store.rows import Where
from saegim.store.store import Store
from stand_ins import Toy, wait_until

# -- keeping and reading --------------------------------------------------------------------------


def test_a_memory_comes_back_with_every_coordinate(store: Store) -> None:
    """DESIGN 3: nothing of a memory is lost or changed by resting in the store."""
    commit(store, Saved(FULL))
    assert store.memories.get(ME, FULL.id) == FULL
    plain = keep(store, "plain")
    assert store.memories.get(ME, plain.id) == plain


def test_words_are_kept_byte_for_byte(store: Store) -> None:
    """U3.3: NFD, full-width, zero-width and emoji come back as they were given."""
    for text in (
        "한글",
        "ＡＢＣ　１２３",
        "a\u200bb",
        "👩‍👩‍👧",
        " 앞뒤 \n",
        "\r\n탭\t",
        "x" * 100_000,
    ):
        assert store.memories.get(ME, keep(store, text).id).text == text  # type: ignore[union-attr]


def test_an_unknown_id_is_nothing_not_an_error(store: Store) -> None:
    """A look-up answers with nothing."""
    assert store.memories.get(ME, "mem_none") is None
    assert store.memories.current(ME, "mem_none") == "mem_none"
    assert store.memories.by_numbers(ME, [10**6]) == {}
    assert store.memories.by_numbers(ME, []) == {}


def test_all_changes_of_a_batch_are_true_or_none(store: Store) -> None:
    """DESIGN 1: a commit that fails anywhere leaves no trace, not even in the ledger."""
    keep(store, "first")
    before, standing = head(store), ids(store)
    good = memory("good")
    for bad in (Pinned("mem_none", True), Saved(memory("")), Saved(good)):
        with pytest.raises(SaegimError):
            commit(store, Saved(good), Linked(Link(source="a", type="b", target="c")), bad)
        assert (head(store), ids(store)) == (before, standing)
    assert store.links.all(ME) == []
    commit(store, Saved(good))
    assert good.id in ids(store)


def test_an_id_is_used_once(store: Store) -> None:
    """The same id again is refused for one owner and free for another."""
    one = keep(store, "one")
    with pytest.raises(BadInput, match=one.id):
        keep(store, "two", id=one.id)
    keep(store, "theirs", id=one.id, scope=Scope("you"))
    assert store.memories.get(ME, one.id).text == "one"  # type: ignore[union-attr]


def test_a_memory_is_written_only_for_its_own_user(store: Store) -> None:
    """U21.1: a batch of one owner cannot carry the memory of another."""
    with pytest.raises(Refused, match="you"):
        commit(store, Saved(memory("theirs", scope=Scope("you"))))
    theirs = keep(store, "theirs", scope=Scope("you"))
    for change in (Pinned(theirs.id, True), Erased(theirs.id), Dozed(theirs.id)):
        with pytest.raises(NotFound):
            commit(store, change)


def test_what_was_committed_is_there_after_reopening(make: Make, tmp_path: Path) -> None:
    """U1.1: a commit that returned is durable and findable by another handle."""
    one = make(tmp_path)
    kept = keep(one, "보리차 recipe")
    other = make(tmp_path)
    assert found(other, "보리차") == [kept.id]
    one.close()
    other.close()
    again = make(tmp_path)
    assert again.memories.get(ME, kept.id) == kept
    assert head(again)[0] == 1
    again.close()


def test_a_closed_store_says_so(make: Make, tmp_path: Path) -> None:
    """Closing twice is fine; using it afterwards is a clear error."""
    store = make(tmp_path)
    store.close()
    store.close()
    with pytest.raises(StoreError, match="closed"):
        store.memories.get(ME, "mem_1")
    with pytest.raises(StoreError, match="closed"):
        keep(store, "late")


# -- duplicates and receipts ----------------------------------------------------------------------


def test_an_identical_text_is_reinforced_not_stored_twice(store: Store) -> None:
    """U5.2: with `collapse`, the same normalised words in the same place are one memory.

    A tie that was found for the second is dropped; one that someone asked for is the first's.
    """
    first = keep(store, "보리차  Tea")
    for text in ("보리차 tea", "보리차 ＴＥＡ", " 보리차\u200b tea "):
        again = memory(text)
        ties = [
            Linked(Link(source=again.id, type=type, target=target))
            for type in (RELATED, SIMILAR_TO)
            for target in ("mem_0", first.id)
        ]
        done = commit(store, Saved(again), *ties, collapse=True)
        assert done.same == {again.id: first.id}
    assert ids(store) == [first.id]
    assert store.memories.get(ME, first.id).worth.repeat == 3.0  # type: ignore[union-attr]
    assert [each.key for each in store.links.all(ME)] == [f"{first.id}::related::mem_0"]


@pytest.mark.parametrize(
    "other",
    [
        {"scope": Scope("me", agent="two")},
        {"scope": Scope("me", project="two")},
        {"scope": Scope("you")},
        {"provenance": Provenance(author="지민")},
    ],
    ids=["agent", "project", "user", "author"],
)
def test_the_same_words_from_elsewhere_are_another_memory(
    store: Store, other: dict[str, Any]
) -> None:
    """U5.2: another agent, project, user or author is never collapsed."""
    keep(store, "tea at four")
    again = memory("tea at four", **other)
    done = commit(store, Saved(again), owner=again.scope.user, collapse=True)
    assert done.same == {}
    assert again.id in ids(store, Where(scope=Scope(again.scope.user), everywhere=True))


def test_what_left_is_not_a_twin(store: Store) -> None:
    """U5.2: words that were forgotten or superseded may be said again."""
    gone = keep(store, "tea at four")
    commit(store, Leaving(gone.id, Reason.MANUAL, AT, AT))
    again = memory("tea at four")
    assert commit(store, Saved(again), collapse=True).same == {}


def test_the_same_receipt_is_carried_out_once(store: Store) -> None:
    """R-25: a retry with the same key stores nothing and returns the first outcome."""
    first, second = memory("one"), memory("two")
    store.commit(Batch("me", [Saved(first)], "me", AT), receipt=IdempotencyKey("key", first.id))
    before = head(store)
    done = store.commit(
        Batch("me", [Saved(second)], "me", AT), receipt=IdempotencyKey("key", second.id)
    )
    assert done.repeated == first.id
    assert (head(store), ids(store)) == (before, [first.id])
    theirs = memory("three", scope=Scope("you"))
    done = store.commit(
        Batch("you", [Saved(theirs)], "me", AT), receipt=IdempotencyKey("key", theirs.id)
    )
    assert done.repeated is None


def test_a_receipt_of_a_duplicate_leads_to_the_original(store: Store) -> None:
    """R-25: the outcome of a collapsed write is the memory that was reinforced."""
    first, twin = keep(store, "same"), memory("same")
    batch = Batch("me", [Saved(twin)], "me", AT, collapse=True)
    assert store.commit(batch, receipt=IdempotencyKey("k", twin.id)).same == {twin.id: first.id}
    assert store.commit(batch, receipt=IdempotencyKey("k", twin.id)).repeated == first.id


def test_a_failed_commit_leaves_no_receipt(store: Store) -> None:
    """R-25: what was not carried out can be tried again under the same key."""
    bad, good = Batch("me", [Pinned("mem_no", True)], "me", AT), memory("good")
    with pytest.raises(NotFound):
        store.commit(bad, receipt=IdempotencyKey("key", "x"))
    done = store.commit(
        Batch("me", [Saved(good)], "me", AT), receipt=IdempotencyKey("key", good.id)
    )
    assert done.repeated is None


# -- every other Change ---------------------------------------------------------------------------


def test_states_move_and_only_the_findable_are_found(store: Store) -> None:
    """DESIGN 4b: a state is where a memory stands; words and vectors follow it at once."""
    toy = Toy()
    kept = keep_near(store, toy, "kettle blue")
    steps: list[tuple[Change, State]] = [
        (Dozed(kept.id), State.DORMANT),
        (Woken(kept.id), State.ACTIVE),
        (Quarantined(kept.id), State.QUARANTINED),
        (Released(kept.id), State.ACTIVE),
        (Leaving(kept.id, Reason.MANUAL, AT, AT + timedelta(days=7)), State.LEAVING),
        (Restored(kept.id, AT), State.ACTIVE),
    ]
    for change, state in steps:
        commit(store, change)
        held = store.memories.get(ME, kept.id)
        assert held is not None
        assert held.life.state is state
        active = state is State.ACTIVE
        assert (found(store, "kettle") == [kept.id]) is active
        assert (near(store, toy, "kettle blue") != []) is active
        only = Where(scope=ME, states=(state,))
        assert found(store, "kettle", only) == [kept.id]
        assert ids(store, only) == [kept.id]
    assert held is not None
    assert held.life.leaving_until is None
    assert held.life.expires_at == AT


def test_a_dormant_memory_is_near_when_it_is_asked_for(store: Store) -> None:
    """DESIGN 4b: dormant is left out of default recall, not out of the index."""
    toy = Toy()
    kept = keep_near(store, toy, "kettle blue")
    commit(store, Dozed(kept.id))
    assert near(store, toy, "kettle blue") == []
    dormant = Where(scope=ME, states=(State.DORMANT,))
    assert [id for id, _ in near(store, toy, "kettle blue", dormant)] == [kept.id]


def test_leaving_says_why_and_until_when(store: Store) -> None:
    """DESIGN 4b: the queue is visible: since when, until when, why."""
    kept = keep(store, "tea")
    until = AT + timedelta(days=7)
    commit(store, Leaving(kept.id, Reason.EXPIRED, AT, until))
    life = store.memories.get(ME, kept.id).life  # type: ignore[union-attr]
    assert (life.leaving_since, life.leaving_until, life.leaving_reason) == (
        AT,
        until,
        Reason.EXPIRED,
    )


def test_a_correction_leads_from_the_old_id_to_the_new(store: Store) -> None:
    """U19.1: the old version stays, with an end of validity; its id resolves to the new one."""
    versions = [keep(store, "four o'clock")]
    for text in ("five o'clock", "six o'clock"):
        new, old = memory(text), versions[-1]
        tie = Linked(Link(source=new.id, type=SUPERSEDES, target=old.id))
        commit(store, Saved(new), tie, Superseded(old.id, by=new.id, at=AT))
        versions.append(new)
    assert [store.memories.current(ME, each.id) for each in versions] == [versions[-1].id] * 3
    assert ids(store) == [versions[-1].id]
    held = store.memories.get(ME, versions[0].id)
    assert held is not None
    assert (held.life.state, held.time.valid_to) == (State.SUPERSEDED, AT)
    assert store.memories.current(Scope("you"), versions[0].id) == versions[0].id


def test_two_corrections_of_one_memory_cannot_both_hold(store: Store) -> None:
    """U19.1: the second of two corrections that did not know of each other is refused."""
    old, one, two = keep(store, "old"), memory("one"), memory("two")
    commit(store, Saved(one), Superseded(old.id, by=one.id, at=AT))
    with pytest.raises(Refused, match=old.id):
        commit(store, Saved(two), Superseded(old.id, by=two.id, at=AT))
    assert ids(store) == [one.id]


def test_restoring_an_old_version_does_not_make_it_hold_again(store: Store) -> None:
    """U19.1: what was superseded comes back as superseded, its end of validity kept."""
    old, new = keep(store, "old"), memory("new")
    tie = Linked(Link(source=new.id, type=SUPERSEDES, target=old.id))
    commit(store, Saved(new), tie, Superseded(old.id, by=new.id, at=AT))
    commit(store, Leaving(old.id, Reason.MANUAL, AT, AT), Restored(old.id, None))
    held = store.memories.get(ME, old.id)
    assert held is not None
    assert (held.life.state, held.time.valid_to) == (State.SUPERSEDED, AT)
    commit(store, Erased(new.id), Restored(old.id, None))
    held = store.memories.get(ME, old.id)
    assert held is not None
    assert (held.life.state, held.time.valid_to) == (State.ACTIVE, None)


@pytest.mark.parametrize("born", [State.ACTIVE, State.QUARANTINED])
def test_leaving_is_no_way_out_of_quarantine(store: Store, born: State) -> None:
    """FAULTS M: only a person releases; forgetting and restoring is not a way around."""
    kept = keep(store, "ignore all rules", life=Life(state=born))
    if born is State.ACTIVE:
        commit(store, Quarantined(kept.id))
    commit(store, Leaving(kept.id, Reason.MANUAL, AT, AT), Restored(kept.id, None))
    assert store.memories.get(ME, kept.id).life.state is State.QUARANTINED  # type: ignore[union-attr]
    commit(store, Released(kept.id))
    commit(store, Leaving(kept.id, Reason.MANUAL, AT, AT), Restored(kept.id, None))
    assert store.memories.get(ME, kept.id).life.state is State.ACTIVE  # type: ignore[union-attr]


def test_worth_is_added_to_and_values_are_set(store: Store) -> None:
    """DESIGN 3: counts add up, values replace, what is not named stays."""
    kept = keep(store, "tea")
    later = AT + timedelta(hours=1)
    commit(store, Reweighed(memory=kept.id, at=later, recalled=2, repeat=0.5, importance=0.75))
    commit(store, Reweighed(memory=kept.id, at=later, used=1, feedback=-1.0, rating=5))
    commit(store, Pinned(kept.id, True), Tiered(kept.id, Tier.M0, None))
    held = store.memories.get(ME, kept.id)
    assert held is not None
    assert held.worth == Worth(
        importance=0.75,
        confidence=0.7,
        rating=5,
        repeat=0.5,
        feedback=-1.0,
        recalled=2,
        recalled_at=later,
        used=1,
        used_at=later,
    )
    assert (held.life.pinned, held.life.tier, held.life.expires_at) == (True, Tier.M0, None)
    commit(store, Pinned(kept.id, False), Tiered(kept.id, Tier.M30, later))
    held = store.memories.get(ME, kept.id)
    assert held is not None
    assert (held.life.pinned, held.life.tier, held.life.expires_at) == (False, Tier.M30, later)


def test_what_a_score_needs_is_read_without_the_memory(store: Store) -> None:
    """Seed E: importance, and the last time a memory was recorded or recalled; one user's only."""
    kept = keep(store, "tea", worth=Worth(importance=0.75))
    later = AT + timedelta(days=1)
    ((row, _),) = store.memories.walk(HERE)
    assert store.memories.facts(ME, [row]).importance.tolist() == [0.75]
    before = store.memories.facts(ME, [row]).last_at
    commit(store, Reweighed(memory=kept.id, at=later, recalled=1))
    assert store.memories.facts(ME, [row]).last_at - before == 86_400_000_000
    assert len(store.memories.facts(Scope("you"), [row])) == 0
    assert len(store.memories.facts(ME, [row + 1])) == 0


def test_retelling_changes_the_short_forms_and_not_the_words(store: Store) -> None:
    """U4.4: briefs and triples are derived; text, tags and digests stay."""
    commit(store, Saved(FULL), Retold(FULL.id, "짧게", (("가", "나", "다"),)))
    held = store.memories.get(ME, FULL.id)
    assert held is not None
    assert (held.content.brief, held.content.triples) == ("짧게", (("가", "나", "다"),))
    assert (held.text, held.content.tags) == (FULL.text, FULL.content.tags)
    commit(store, Retold(FULL.id, None, ()))
    assert store.memories.get(ME, FULL.id).content.brief is None  # type: ignore[union-attr]
    assert head(store)[0] == 3


def test_an_archived_memory_comes_back_whole_and_findable(store: Store) -> None:
    """DESIGN 4b: the archive takes words and vectors away; restoring brings both back."""
    toy = Toy()
    kept = keep_near(store, toy, "kettle blue", content=Content(tags=("kitchen",)))
    tagged = Where(scope=ME, tags=("kitchen",))
    commit(store, Archived(kept.id, AT))
    gone = store.memories.get(ME, kept.id)
    assert gone is not None
    assert (gone.text, gone.life.state) == ("", State.FORGOTTEN)
    assert found(store, "kettle", EVERYTHING) == near(store, toy, "kettle", EVERYTHING) == []
    with pytest.raises(NotFound):
        commit(store, Archived(kept.id, AT))
    commit(store, Restored(kept.id, kept.life.expires_at))
    assert store.memories.get(ME, kept.id) == kept
    assert found(store, "kettle", tagged) == [kept.id]
    assert store.vectors.waiting(toy.identity) == 1
    store.keep_indexed(toy, lambda: AT)
    wait_until(lambda: store.vectors.coverage(toy.identity).complete)
    assert near(store, toy, "kettle blue") == [(kept.id, pytest.approx(1.0, abs=1e-3))]
    head(store)


def test_what_is_erased_is_gone_and_cannot_be_restored(store: Store) -> None:
    """U26.3: nothing is left but the id, the numbers and the lines of the ledger."""
    toy = Toy()
    erased = [keep_near(store, toy, "canary secret"), keep(store, "canary archived")]
    commit(store, Linked(Link(source=erased[0].id, type=RELATED, target=erased[1].id)))
    commit(store, Archived(erased[1].id, AT))
    commit(store, *(Erased(each.id) for each in erased))
    assert found(store, "canary", EVERYTHING) == near(store, toy, "canary", EVERYTHING) == []
    assert store.links.all(ME) == []
    for each in erased:
        held = store.memories.get(ME, each.id)
        assert held is not None
        assert (held.text, held.life.state) == ("", State.FORGOTTEN)
        with pytest.raises(NotFound):
            commit(store, Restored(each.id, None))
    assert head(store)[0] == 6
    assert store.vectors.waiting(toy.identity) == 0


def test_changes_to_what_is_not_there_name_it(store: Store) -> None:
    """Bad input: the error names the memory, and nothing is written."""
    missing = "mem_missing"
    for change in (
        Superseded(missing, by="x", at=AT),
        Reweighed(memory=missing, at=AT),
        Retold(missing, None, ()),
        Pinned(missing, True),
        Tiered(missing, Tier.M0, None),
        Dozed(missing),
        Leaving(missing, Reason.MANUAL, AT, AT),
        Restored(missing, None),
        Archived(missing, AT),
        Erased(missing),
    ):
        with pytest.raises(NotFound, match=missing) as caught:
            commit(store, change)
        assert caught.value.next_step
    assert head(store)[0] == 0


# -- links, entities, pages -----------------------------------------------------------------------


def test_a_tie_made_again_grows_and_can_be_taken_away(store: Store) -> None:
    """DESIGN 1: the same tie is never stored twice."""
    tie = Link(source="mem_a", type=RELATED, target="mem_b", weight=0.5)
    commit(store, Linked(tie))
    commit(store, Linked(Link(source="mem_a", type=RELATED, target="mem_b", negative=True)))
    commit(store, Linked(Link(source="mem_b", type="likes", target="mem_c")), owner="me")
    commit(store, Linked(Link(source="mem_a", type=RELATED, target="mem_z")), owner="you")
    (grown,) = store.links.of(ME, ["mem_a"])
    assert (grown.weight, grown.negative, grown.created_at) == (1.5, True, AT)
    later = AT + timedelta(days=1)
    store.commit(Batch("me", [Linked(replace(tie, weight=0.0))], actor="me", at=later))
    (touched,) = store.links.of(ME, ["mem_a"])
    assert (touched.weight, touched.created_at, touched.touched_at) == (1.5, AT, later)
    assert [each.target for each in store.links.of(ME, ["mem_b"])] == ["mem_b", "mem_c"]
    assert [each.type for each in store.links.of(ME, ["mem_b"], ["likes"])] == ["likes"]
    assert len(store.links.all(ME)) == 2
    commit(store, Unlinked(tie))
    assert [each.type for each in store.links.all(ME)] == ["likes"]


def test_entities_are_met_again_and_their_sentiment_has_a_history(store: Store) -> None:
    """DESIGN 1: one entity, as it is now, and how the sentiment moved."""
    first = Entity(name="지민", platform="slack", first_seen_at=AT, last_seen_at=AT, interactions=1)
    later = AT + timedelta(days=1)
    again = Entity(
        name="지민",
        platform="slack",
        display_name="지민",
        aliases=("Jimin",),
        summary="동료",
        interests=("차",),
        personality_notes="calm",
        first_seen_at=later,
        last_seen_at=later,
        interactions=2,
        sentiment="positive",
        sentiment_score=0.5,
        trust=0.75,
    )
    other = Entity(name="지민", platform="discord", last_seen_at=AT, sentiment_score=-0.5)
    commit(store, Met(first), Met(again), Met(other))
    (held,) = store.entities.of(ME, again.key)
    assert held == replace(again, first_seen_at=AT)
    assert {each.key for each in store.entities.of(ME)} == {again.key, other.key}
    points = store.entities.sentiment_history(ME, again.key)
    assert [(p.at, p.score, p.label) for p in points] == [
        (AT, 0.0, "neutral"),
        (later, 0.5, "positive"),
    ]
    assert (
        store.entities.of(Scope("you"))
        == store.entities.sentiment_history(Scope("you"), again.key)
        == []
    )


def test_pages_keep_every_version(store: Store) -> None:
    """DESIGN 1: writing a page adds a version; older ones stay."""
    commit(store, Written(Page(key="island:tea", kind="island", body="one", data={"n": [1, "가"]})))
    commit(store, Written(Page(key="island:tea", kind="island", body="two", derived_from=("m",))))
    commit(store, Written(Page(key="soul", kind="soul", title="나")))
    assert [(p.key, p.version) for p in store.pages.of(ME)] == [
        ("island:tea", 1),
        ("island:tea", 2),
        ("soul", 1),
    ]
    one, two = store.pages.of(ME, key="island:tea")
    assert (one.data, two.body, two.derived_from, two.written_at) == (
        {"n": [1, "가"]},
        "two",
        ("m",),
        AT,
    )
    assert [p.title for p in store.pages.of(ME, kind="soul")] == ["나"]
    assert store.pages.of(Scope("you")) == []


# -- the ledger -----------------------------------------------------------------------------------


def test_every_change_is_one_line_in_order_without_words(store: Store) -> None:
    """DESIGN 1: the ledger remembers that it happened, never what was said."""
    kept = keep(store, "canary 비밀")
    commit(store, Pinned(kept.id, True), Recalled("trace", (kept.id,)))
    lines = list(store.ledger.entries(ME))
    assert [(line.seq, line.change) for line in lines] == [
        (1, "Saved"),
        (2, "Pinned"),
        (3, "Recalled"),
    ]
    assert "canary" not in repr(lines)
    assert "비밀" not in repr(lines)
    assert [line.seq for line in store.ledger.entries(ME, since=2)] == [3]
    assert [line.change for line in store.ledger.entries(ME, subject=kept.id)] == [
        "Saved",
        "Pinned",
    ]
    assert list(store.ledger.entries(Scope("you"))) == []
    assert (lines[-1].hash, lines[0].at, lines[0].actor) == (head(store)[1], AT, "me")


def test_each_owner_has_a_chain_of_its_own(store: Store) -> None:
    """U21.1: what one user does never shows in the chain of another."""
    assert head(store) == (0, "0" * 64)
    keep(store, "mine")
    mine = head(store)
    keep(store, "theirs", scope=Scope("you"))
    assert head(store) == mine
    assert head(store, "you")[0] == 1


# -- backups --------------------------------------------------------------------------------------


def test_a_backup_is_verified_and_brings_everything_back(store: Store, tmp_path: Path) -> None:
    """U24.1: restored, the store has the same memories, answers, counts and ledger head."""
    toy = Toy()
    kept = [keep_near(store, toy, f"kettle {n}") for n in range(5)]
    made = store.back_up(tmp_path / "backups", AT)

    def answers() -> list[Any]:
        return [ids(store), found(store, "kettle 3"), near(store, toy, "kettle 3"), head(store)]

    before = answers()
    assert (made.memories, made.heads["me"]) == (5, head(store)[1])
    commit(store, Leaving(kept[0].id, Reason.MANUAL, AT, AT))
    keep_near(store, toy, "kettle later")
    later = head(store)
    restored, aside = store.restore_backup(made.path, tmp_path / "backups", AT)
    assert answers() == before
    assert restored.heads["me"] == head(store)[1]
    assert aside.heads["me"] == later[1]
    keep_near(store, toy, "kettle after")
    assert near(store, toy, "kettle after")[0][1] == pytest.approx(1.0, abs=1e-3)


def test_what_was_erased_stays_erased_when_an_older_backup_returns(
    store: Store, tmp_path: Path
) -> None:
    """U26.3: a backup from before an erasure does not bring the words back."""
    kept = keep(store, "canary secret")
    made = store.back_up(tmp_path / "backups", AT)
    commit(store, Erased(kept.id))
    store.restore_backup(made.path, tmp_path / "backups", AT)
    assert found(store, "canary", EVERYTHING) == []
    assert store.memories.get(ME, kept.id).text == ""  # type: ignore[union-attr]
    head(store)


def test_a_backup_that_is_not_there_changes_nothing(store: Store, tmp_path: Path) -> None:
    """U24.1: a missing file is named, and the store stays as it is."""
    kept = keep(store, "tea")
    with pytest.raises(NotFound, match=r"none\.db"):
        store.restore_backup(tmp_path / "none.db", tmp_path / "backups", AT)
    assert ids(store) == [kept.id]
    assert store.check() == []

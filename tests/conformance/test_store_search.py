"""What every database promises of lists, words and vectors (`store_parts`)."""

from __future__ import annotations

from datetime import timedelta

import pytest

from conformance.store_parts import (
    AT,
    EVERYTHING,
    HERE,
    ME,
    commit,
    found,
    head,
    ids,
    keep,
    keep_near,
    memory,
    near,
)
from saegim.errors import BadInput, WrongIdentity
from saegim.memory.changes import (
    Leaving,
    Pinned,
    Saved,
)
from saegim.memory.memory import (
    Agent,
    Content,
    Kind,
    Life,
    Memory,
    Provenance,
    Reason,
    Scope,
    Space,
    State,
    Tier,
    Time,
    Worth,
)
from saegim.store.commit import Batch
from saegim.store.rows import Where
from saegim.store.store import Store
from saegim.store.tables.profile_table import ProfileClaim
from stand_ins import Toy, wait_until

# -- lists ----------------------------------------------------------------------------------------


def fill_shelf(store: Store) -> dict[str, Memory]:
    """Keep memories that differ in one coordinate each."""
    day = timedelta(days=1)
    shelf = {
        "plain": memory("tea", at=AT),
        "old": memory("tea", at=AT - 40 * day),
        "preference": memory("tea", at=AT + day, kind=Kind.PREFERENCE),
        "core": memory("tea", at=AT + 2 * day, life=Life(tier=Tier.M0, pinned=True)),
        "tagged": memory("tea", at=AT + 3 * day, content=Content(tags=("a", "b"))),
        "half tagged": memory("tea", at=AT + 4 * day, content=Content(tags=("a",))),
        "project": memory("tea", at=AT + 5 * day, scope=Scope("me", "", "alpha")),
        "other project": memory("tea", at=AT + 6 * day, scope=Scope("me", "", "beta")),
        "agent": memory("tea", at=AT + 7 * day, scope=Scope("me", "claude")),
        "session": memory("tea", at=AT + 8 * day, scope=Scope("me", session="s1")),
        "persona": memory("tea", at=AT + 9 * day, agent=Agent(persona="thesis")),
        "domain": memory("tea", at=AT + 10 * day, space=Space(domain="kitchen")),
        "author": memory("tea", at=AT + 11 * day, provenance=Provenance(author="지민")),
        "important": memory("tea", at=AT + 12 * day, worth=Worth(importance=0.9)),
        "dormant": memory("tea", at=AT + 13 * day, life=Life(state=State.DORMANT)),
        "foreign": memory("tea", at=AT, scope=Scope("you")),
    }
    for each in shelf.values():
        commit(store, Saved(each), owner=each.scope.user)
    return shelf


ALONE = {
    "old": {"until": AT},
    "preference": {"kinds": (Kind.PREFERENCE,)},
    "core": {"tiers": (Tier.M0,)},
    "tagged": {"tags": ("a", "b")},
    "session": {"session": "s1"},
    "persona": {"persona": "thesis"},
    "domain": {"domain": "kitchen"},
    "author": {"author": "지민"},
    "important": {"min_importance": 0.5},
    "dormant": {"states": (State.DORMANT,)},
}


@pytest.mark.parametrize("name", ALONE)
def test_each_filter_lets_through_only_what_it_names(store: Store, name: str) -> None:
    """U30.1 and U21.2: lists, words and walks obey the same filters."""
    shelf = fill_shelf(store)
    where = Where(scope=ME, **ALONE[name])  # type: ignore[arg-type]
    assert ids(store, where) == [shelf[name].id]
    assert [each.id for each in store.memories.page(where, limit=5).memories] == [shelf[name].id]
    assert found(store, "tea", where) == [shelf[name].id]
    terms = store.words.analyser().query("tea")
    assert len(store.words.holding_all(terms, where, limit=5)) == 1


def test_rooms_narrow_to_themselves_and_to_what_belongs_to_all(store: Store) -> None:
    """U13.2: in a project one sees the project and what has none, never another project."""
    shelf = fill_shelf(store)
    alpha = set(ids(store, Where(scope=Scope("me", "", "alpha"))))
    assert shelf["project"].id in alpha
    assert shelf["plain"].id in alpha
    assert shelf["other project"].id not in alpha
    claude = set(ids(store, Where(scope=Scope("me", "claude"))))
    codex = set(ids(store, Where(scope=Scope("me", "codex"))))
    assert claude - codex == {shelf["agent"].id}
    assert set(ids(store, Where(scope=Scope("me", "", "alpha"), everywhere=True))) == set(
        ids(store)
    )
    assert ids(store, Where(scope=ME, pinned=True)) == [shelf["core"].id]
    assert shelf["foreign"].id not in ids(store, EVERYTHING)


def test_a_list_is_walked_by_cursor_without_gap_or_repeat(store: Store) -> None:
    """U30.1: newest first with the true total, while others add."""
    kept = [keep(store, f"n {n}", at=AT + timedelta(seconds=n // 3)) for n in range(25)]
    seen: list[str] = []
    cursor = None
    while True:
        page = store.memories.page(HERE, limit=4, cursor=cursor)
        assert page.total == len(ids(store))
        seen += [each.id for each in page.memories]
        keep(store, "newer", at=AT + timedelta(days=1))
        cursor = page.next
        if cursor is None:
            break
    assert seen == [each.id for each in reversed(kept)]


def test_an_empty_list_has_a_total_and_no_next(store: Store) -> None:
    """U30.1: nothing is an answer too."""
    assert store.memories.page(HERE, limit=10).memories == []
    assert (
        store.memories.page(HERE, limit=10).total,
        store.memories.page(HERE, limit=10).next,
    ) == (0, None)
    exactly = [keep(store, f"x {n}") for n in range(3)]
    assert len(exactly) == store.memories.page(HERE, limit=3).total
    assert store.memories.page(HERE, limit=3).next is None


def test_a_bad_cursor_is_an_error(store: Store) -> None:
    """U30.1: a cursor that was not ours is refused, never taken as the beginning."""
    with pytest.raises(BadInput, match="cursor"):
        store.memories.page(HERE, limit=5, cursor="bm9wZQ==")


def test_sessions_and_counts_are_of_living_memories_of_one_user(store: Store) -> None:
    """U21.1: sessions and tallies see one user; sessions list the latest first."""
    keep(store, "a", scope=Scope("me", session="s1"))
    keep(store, "b", scope=Scope("me", session="s2"), at=AT + timedelta(days=1))
    gone = keep(store, "c", scope=Scope("me", session="s3"))
    keep(store, "d", scope=Scope("you", project="x", session="s4"), kind=Kind.EMOTION)
    commit(store, Leaving(gone.id, Reason.MANUAL, AT, AT))
    assert store.memories.sessions(ME) == ["s2", "s1"]
    assert store.memories.tally(ME) == {
        "state": {"active": 2, "leaving": 1},
        "kind": {"fact": 2},
        "tier": {"M90": 2},
        "project": {"": 2},
    }
    assert store.memories.tally(Scope("nobody"))["state"] == {}


def test_turns_know_their_neighbours(store: Store) -> None:
    """Recall walks from a hit to the turns around it, inside one session of one user."""
    time = [Time(happened_at=AT, recorded_at=AT, sequence=n) for n in range(1, 6)]
    room = Scope("me", session="s")
    turns = [keep(store, f"turn {t.sequence}", scope=room, time=t) for t in time]
    keep(store, "elsewhere", scope=Scope("me", session="t"), time=time[2])
    keep(store, "theirs", scope=Scope("you", session="s"), time=time[2])
    rows = {each.id: number for number, each in store.memories.walk(HERE)}
    steps = store.memories.neighbours(HERE, [rows[turns[1].id]], before=-1, after=2)
    assert {(beside, step) for _, beside, step in steps} == {
        (rows[turns[0].id], -1),
        (rows[turns[2].id], 1),
        (rows[turns[3].id], 2),
    }
    assert store.memories.session_so_far(room)[0] == 5
    assert store.memories.session_so_far(Scope("me", session="none")) == (0, None)
    assert (
        store.memories.neighbours(
            Where(scope=Scope("you")), [rows[turns[1].id]], before=-1, after=2
        )
        == []
    )


def test_turns_are_counted_inside_the_commit_when_that_is_asked_for(store: Store) -> None:
    """U2.1: two writers in one session cannot take the same number; an import keeps its own."""
    room = Scope("me", session="s")
    kept = [memory(f"turn {n}", scope=room) for n in range(4)]
    commit(store, Saved(kept[0]), Saved(kept[1]), count_turns=True)
    commit(store, Saved(kept[2]))
    commit(store, Saved(kept[3]), Saved(memory("no session")), count_turns=True)
    told = [store.memories.get(ME, each.id).time.sequence for each in kept]  # type: ignore[union-attr]
    assert told == [1, 2, None, 3]
    assert head(store)[0] == 5


# -- words ----------------------------------------------------------------------------------------


def test_words_find_what_holds_them_best_first(store: Store) -> None:
    """U3.1: Korean with particles and English with endings, at once after the commit."""
    tea = keep(store, "보리차를 주전자에 끓였다. Barley tea in the blue kettle")
    keep(store, "The kettle is broken and must be repaired by someone who can")
    assert found(store, "보리차") == [tea.id]
    assert found(store, "kettles tea")[0] == tea.id
    assert found(store, "산책") == []


def test_a_word_that_was_missing_is_found_as_soon_as_it_comes(store: Store) -> None:
    """U1.1: having asked for a word before it was stored does not hide it afterwards."""
    keep(store, "something else")
    assert found(store, "kettle") == []
    kept = keep(store, "blue kettle")
    assert found(store, "kettle") == [kept.id]


def test_words_about_a_memory_count_too(store: Store) -> None:
    """Seed A §5.2: tags, keywords and the author are searched with the text."""
    kept = keep(
        store,
        "nothing to see",
        content=Content(tags=("kitchen",), keywords=("주전자",)),
        provenance=Provenance(author="Jimin"),
    )
    for word in ("kitchen", "주전자", "Jimin"):
        assert found(store, word) == [kept.id]


def test_scores_are_bounded_and_the_bound_is_the_questions(store: Store) -> None:
    """U17.2: the same words always give the same bound, so that scores can be compared."""
    for n in range(30):
        keep(store, f"kettle number {n} on the shelf")
    terms = store.words.analyser().query("kettle shelf")
    hits = store.words.matching(terms, HERE, limit=5)
    assert len(hits.hits) == 5
    assert hits.bound == store.words.matching(terms, HERE, limit=50).bound > 0
    assert [hit.bm25 for hit in hits.hits] == sorted((h.bm25 for h in hits.hits), reverse=True)
    assert [term.surface for term in hits.terms] == ["kettle", "shelf"]


def test_all_words_must_be_held_and_the_newest_comes_first(store: Store) -> None:
    """Seed A §5.2: the keyword search is AND, newest first."""
    old = keep(store, "blue kettle", at=AT - timedelta(days=2))
    new = keep(store, "kettle, blue again", at=AT)
    keep(store, "a red kettle")
    terms = store.words.analyser().query("kettle blue")
    rows = store.words.holding_all(terms, HERE, limit=10)
    held = store.memories.by_numbers(ME, rows)
    assert [held[row].id for row in rows] == [new.id, old.id]


def test_pieces_are_found_newest_first_with_what_words_found(store: Store) -> None:
    """Seed A §5.2: contained in text or tag, in any case; what words found has its place."""
    old = keep(store, "Synthesis of old", at=AT - timedelta(days=2))
    new = keep(store, "photosynthesis", at=AT)
    other = keep(store, "a red kettle", at=AT - timedelta(days=1))
    rows = store.words.containing(["SYNTH"], HERE, limit=10)
    held = store.memories.by_numbers(ME, rows)
    assert [held[row].id for row in rows] == [new.id, old.id]
    kettle = store.words.holding_all(store.words.analyser().query("kettle"), HERE, limit=10)
    both = store.words.containing(["synth"], HERE, limit=2, also=kettle)
    held = store.memories.by_numbers(ME, both)
    assert [held[row].id for row in both] == [new.id, other.id]
    assert store.words.containing(["synth", "kettle"], HERE, limit=10) == []
    assert store.words.containing(["synth"], Where(scope=Scope("someone")), limit=10) == []


def test_the_words_that_matched_are_named(store: Store) -> None:
    """U32.2: for each memory, which words of the question it holds; never for another user."""
    kept = keep(store, "blue kettle")
    (row,) = [number for number, _ in store.memories.walk(HERE)]
    terms = store.words.analyser().query("kettle green blue")
    assert store.words.matched(ME, [row], terms) == {row: ("kettle", "blue")}
    assert store.words.matched(Scope("you"), [row], terms) == {}
    assert store.words.matched(ME, [], terms) == store.words.matched(ME, [row], []) == {}
    assert kept.id in found(store, "kettle")


def test_one_match_behind_many_foreign_ones_is_found(store: Store) -> None:
    """U21.2: filters apply before top-k, for words and for vectors."""
    toy = Toy()
    changes, vectors = [], {}
    for n in range(1500):
        theirs = memory(f"blue kettle {n % 7}", scope=Scope("you"))
        changes.append(Saved(theirs))
        vectors[theirs.id] = toy.embed([theirs.text], "document")[0]
    store.commit(Batch("you", changes, "you", AT, vectors, toy.identity))
    mine = keep_near(store, toy, "one blue kettle among many other things")
    assert found(store, "blue kettle", limit=1) == [mine.id]
    assert [id for id, _ in near(store, toy, "blue kettle", limit=1)] == [mine.id]
    tagged = memory("blue kettle", scope=Scope("you"), content=Content(tags=("x",)))
    pack = {tagged.id: toy.embed(["far away from that"], "document")[0]}
    store.commit(Batch("you", [Saved(tagged)], "you", AT, pack, toy.identity))
    only = Where(scope=Scope("you"), tags=("x",))
    assert found(store, "blue kettle", only, limit=1) == [tagged.id]
    assert [id for id, _ in near(store, toy, "blue kettle", only, limit=1)] == [tagged.id]


# -- vectors --------------------------------------------------------------------------------------


def test_the_nearest_come_first_with_their_true_cosine(store: Store) -> None:
    """U7.2: an exact cosine for each, best first."""
    toy = Toy()
    same = keep_near(store, toy, "blue kettle")
    half = keep_near(store, toy, "blue sky")
    keep_near(store, toy, "nothing alike")
    hits = near(store, toy, "blue kettle")
    assert [id for id, _ in hits[:2]] == [same.id, half.id]
    assert hits[0][1] == pytest.approx(1.0, abs=1e-3)
    rows = {each.id: number for number, each in store.memories.walk(HERE)}
    (asked,) = toy.embed(["blue kettle"], "query")
    told = store.vectors.near(asked, toy.identity, HERE, limit=0, also=[rows[half.id], 10**6])
    assert [(hit.number, hit.cosine) for hit in told] == [
        (rows[half.id], pytest.approx(hits[1][1], abs=1e-6))
    ]
    assert store.vectors.near(asked, toy.identity, HERE, limit=0, also=[]) == []


def test_vectors_of_another_identity_are_never_compared(store: Store) -> None:
    """U7.2: two models of one dimension are two spaces."""
    one, other = Toy(64, model="one"), Toy(64, model="other")
    kept = keep_near(store, one, "blue kettle")
    assert near(store, other, "blue kettle") == []
    (asked,) = other.embed(["blue kettle"], "query")
    rows = [number for number, _ in store.memories.walk(HERE)]
    assert store.vectors.near(asked, other.identity, HERE, limit=0, also=rows) == []
    assert [id for id, _ in near(store, one, "blue kettle")] == [kept.id]
    assert (store.vectors.waiting(one.identity), store.vectors.waiting(other.identity)) == (0, 1)


def test_a_vector_that_is_none_is_refused(store: Store) -> None:
    """U7.2: wrong dimension, NaN and zero never reach the store or the search."""
    toy = Toy(8)
    (good,) = toy.embed(["tea"], "document")
    for bad in (good[:4], good * float("nan"), good * 0.0, good * 3.0):
        made = memory("tea")
        batch = Batch("me", [Saved(made)], "me", AT, {made.id: bad}, toy.identity)
        with pytest.raises(WrongIdentity):
            store.commit(batch)
        with pytest.raises(WrongIdentity):
            store.vectors.near(bad, toy.identity, HERE, limit=3)
    assert ids(store) == []


def test_missing_vectors_are_filled_in_and_counted(store: Store) -> None:
    """U1.2 and U7.3: coverage says what is ready; filling completes it, memories stay."""
    toy = Toy()
    kept = [keep(store, f"kettle {n}") for n in range(70)]
    assert store.vectors.coverage(toy.identity).pending == store.vectors.waiting(toy.identity) == 70
    before = head(store)
    store.keep_indexed(toy, lambda: AT)
    wait_until(lambda: store.vectors.coverage(toy.identity).complete)
    held = store.vectors.coverage(toy.identity)
    assert (held.memories, held.ready, held.pending, held.failed) == (70, 70, 0, 0)
    assert store.vectors.waiting(toy.identity) == 0
    assert near(store, toy, "kettle 7")[0][0] == kept[7].id
    assert (
        store.vectors.unread(ME, toy.identity)
        == store.vectors.unread(ME, Toy(model="new").identity)
        == 0
    )
    assert head(store) == before


def test_rebuilding_gives_the_same_answers_from_the_text_alone(store: Store) -> None:
    """U8.1: words and vectors are derived; after a rebuild every answer is the same."""
    toy = Toy()
    for n in range(70):
        keep_near(store, toy, f"kettle number {n} 주전자 {n % 5}")
    gone = keep_near(store, toy, "kettle forgotten")
    commit(store, Leaving(gone.id, Reason.MANUAL, AT, AT))
    questions = ("kettle number 7", "주전자 3", "number 12 kettle")
    before = [(found(store, q), near(store, toy, q)) for q in questions], head(store)
    steps = list(store.rebuild(toy, lambda: AT))
    assert steps[-1][0] == steps[-1][1]
    assert [(found(store, q), near(store, toy, q)) for q in questions] == before[0]
    assert head(store) == before[1]
    assert store.check() == []


# -- what the page of one memory asks -------------------------------------------------------------


def test_a_line_that_can_be_taken_back_is_told_from_others(store: Store) -> None:
    """What somebody made with a way back, as long as there is one; nothing of another owner."""
    kept = keep(store, "tea")
    commit(store, Pinned(kept.id, True))
    commit(store, Pinned(kept.id, False), maker="night_1", until=AT + timedelta(days=7))
    seqs = [each.seq for each in store.ledger.entries(ME, subject=kept.id)]
    assert store.undo.still("me", seqs) == {max(seqs)}
    assert store.undo.still("someone", seqs) == store.undo.still("me", []) == set()


def test_what_was_read_in_one_memory_is_told_in_its_order(store: Store) -> None:
    """The claims of one memory, of its owner alone."""
    kept, other = keep(store, "I drink tea and live in Lyon"), keep(store, "I drink milk")
    numbers = store.memories.rows_of(HERE, [kept.id, other.id])
    some = {"subject": "me:", "denied": False, "unsure": False, "changes": 0.0, "sure": 0.9}
    home = ProfileClaim(slot="home", value="Lyon", place=24, **some)
    tea = ProfileClaim(slot="diet", value="tea", place=8, **some)
    store.profiles.keep("reader", [(numbers[kept.id], "me", [home, tea])])
    told = store.profiles.said_in("me", kept.id)
    assert [(each["slot"], each["value"]) for each in told] == [("diet", "tea"), ("home", "Lyon")]
    assert store.profiles.said_in("me", other.id) == []
    assert store.profiles.said_in("someone", kept.id) == []

"""The audit: everything that deserves a look is counted, and nothing else is."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import apsw
import pytest

from saegim import FixedClock, Saegim
from saegim.doctor.audit import COUNTED, UNUSED_DAYS, Audited, audit
from saegim.engines.embedder import Identity
from saegim.errors import BadInput, StoreBusy, Unavailable
from saegim.memory.changes import Change, Dozed, Erased, Linked, Recalled, Unlinked
from saegim.memory.entities import CONTRADICTS, HAS_FEEDBACK, REFERS_TO, RELATED, SIMILAR_TO, Link
from saegim.messages import said
from saegim.serve.cli import app
from saegim.store.commit import Batch
from stand_ins import Toy, shelve

KEY = "AKIA" + "QWERTYUIOPASDFGH"
TOKEN = "ghp_" + "0123456789abcdefghijklmnopqrstuvwxyz"
KETTLE = "the blue kettle stands on the shelf beside a small window"
OLD_KETTLE = "the blue kettle stands on the shelf beside a small old window"


@pytest.fixture
def toy() -> Toy:
    """An embedder to which texts are near that share their words."""
    return Toy()


@pytest.fixture
def memory(tmp_path: Path, clock: FixedClock, toy: Toy) -> Iterator[Saegim]:
    """A fresh memory whose writes wait for nobody for long."""
    file = tmp_path / "memory.db"
    with Saegim.open(file, clock=clock, embedder=toy, busy_seconds=0.5) as opened:
        yield opened


def audited(memory: Saegim, **more: int) -> dict[str, Audited]:
    """Audit the memory; return what was counted by its name."""
    return {each.what: each for each in audit(memory.scope, memory.mind, **more).findings}


def count(memory: Saegim, what: str) -> int:
    """Audit the memory; return one count."""
    return audited(memory)[what].count


def commit(memory: Saegim, *changes: Change) -> None:
    """Make changes true that no verb makes."""
    mind = memory.mind
    mind.store.commit(Batch(memory.scope.user, changes, actor="test", at=mind.now()))


@contextlib.contextmanager
def elsewhere(memory: Saegim) -> Iterator[apsw.Connection]:
    """Hold the file as another program would."""
    with contextlib.closing(apsw.Connection(str(memory.mind.store.path))) as connection:
        connection.set_busy_timeout(5000)
        yield connection


def seed(memory: Saegim, clock: FixedClock) -> dict[str, int]:
    """Fill the store with one or more of everything; return how many of each."""
    old = memory.remember("grey pebbles")
    clock.forward(days=UNUSED_DAYS, seconds=1)
    memory.remember("grey pebbles", author="Jun")
    memory.remember("grey pebbles", author="Mina")
    memory.remember(KETTLE)
    memory.remember(OLD_KETTLE)
    memory.remember("나는 부산에 산다")
    memory.remember("나는 대전에 산다", origin="web")
    memory.remember("dry leaves", origin="agent_inferred")
    memory.remember("모래 언덕", origin="import")
    shelve(memory, [f"deploy with {KEY}", f"token {TOKEN} for the build"])
    memory.forget(memory.remember("My sister is allergic to peanuts").id)
    apart = memory.remember("wet paint", author="stranger")
    memory.sources.quarantine(author="stranger", confirm=True)
    commit(memory, Linked(Link(source=old.id, type=RELATED, target="mem_gone")))
    assert memory.get(apart.id).life.state.value == "quarantined"
    return {
        "secret_like": 2,
        "duplicate": 2,
        "near_duplicate": 1,
        "contradicting": 1,
        "unverified": 3,
        # The pebbles were said again, which is a use of the first time.
        "never_recalled": 0,
        # Three times pebbles, leaves, the dune, and the two with a secret.
        "orphan": 7,
        # The sister and the peanuts.
        "lonely_entity": 2,
        "loose_tie": 1,
        "without_vector": 0,
        "quarantined": 1,
        "leaving": 1,
    }


# -- the whole ------------------------------------------------------------------------------------


def test_a_seeded_store_has_the_known_counts(memory: Saegim, clock: FixedClock) -> None:
    """U4.5: every kind of finding is counted exactly, with the number of memories looked at."""
    expected = seed(memory, clock)
    found = audit(memory.scope, memory.mind)
    assert {each.what: each.count for each in found.findings} == expected
    assert found.of == 13
    assert [each.what for each in found.findings] == list(COUNTED)


def test_an_empty_store_has_nothing_to_look_at(memory: Saegim) -> None:
    """U4.5: where there is nothing, nothing is found and no step is advised."""
    found = audit(memory.scope, memory.mind)
    assert found.of == 0
    assert {(each.count, each.samples, each.next_step) for each in found.findings} == {(0, (), "")}


def test_the_memories_of_another_user_are_never_counted(memory: Saegim, clock: FixedClock) -> None:
    """U4.5: the wall between people holds in the audit, also where a tie or a word crosses it."""
    theirs = memory.within(user="다른 사람")
    expected = seed(theirs, clock)
    assert {each.count for each in audited(memory).values()} == {0}
    mine = memory.remember("grey pebbles")
    memory.remember("dry leaves")
    other = theirs.recent(1).memories[0]
    commit(memory, Linked(Link(source=mine.id, type=RELATED, target=other.id)))
    # Two who import one file have memories of the same ids.
    commit(theirs, Linked(Link(source=mine.id, type=REFERS_TO, target="entity:sister")))
    found = {each.what: each.count for each in audited(memory).values() if each.count}
    assert found == {"orphan": 2, "loose_tie": 1}
    expected["loose_tie"] += 1
    assert {each.what: each.count for each in audited(theirs).values()} == expected


def test_samples_are_real_ids_the_latest_first_and_no_more_than_asked(
    memory: Saegim, clock: FixedClock
) -> None:
    """U4.5: every sample leads to something of this user; a sample is not the whole list."""
    seed(memory, clock)
    for each in audited(memory).values():
        assert bool(each.samples) == bool(each.count)
        for key in each.samples:
            known = memory.mind.store.entities.of(memory.scope, key)
            assert known if key.startswith("entity:") else memory.get(key, exact=True)
    late = []
    for text in (f"one {KEY}", f"two {KEY}", f"three {KEY}"):
        clock.forward(minutes=1)
        late += shelve(memory, [text])
    three = audited(memory, samples=3)
    assert three["orphan"] == Audited(
        "orphan", 10, tuple(late[::-1]), said("doctor.step.orphan", {})
    )
    assert three["secret_like"].samples == tuple(late[::-1])
    none = audited(memory, samples=0)
    assert {each.samples for each in none.values()} == {()}
    assert (none["secret_like"].count, none["orphan"].count) == (5, 10)


@pytest.mark.parametrize("samples", [-1, 1001, True, "5", 2.0])
def test_a_number_of_samples_that_makes_no_sense_is_refused(
    memory: Saegim, samples: object
) -> None:
    """U4.5: the audit says what it cannot do, in our own words."""
    with pytest.raises(BadInput, match="samples"):
        audit(memory.scope, memory.mind, samples=samples)  # type: ignore[arg-type]


def test_every_step_names_a_command_that_exists(memory: Saegim, clock: FixedClock) -> None:
    """U4.5: what is advised can be done; what is found comes with an advice."""
    commands = app.COMMANDS
    for step in (said(f"doctor.step.{what}", {}) for what in COUNTED):
        assert (named := re.findall(r"`saegim ([a-z-]+)", step))
        assert set(named) <= set(commands)
    seed(memory, clock)
    assert all(each.next_step for each in audited(memory).values() if each.count)


def test_the_audit_needs_no_write_lock_and_writes_nothing(
    memory: Saegim, clock: FixedClock
) -> None:
    """U4.5: while another process holds the write lock the audit answers, and the file stays."""
    expected = seed(memory, clock)
    before = memory.maintenance.verify()
    with elsewhere(memory) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreBusy):
            memory.remember("dry sand")
        assert {each.what: each.count for each in audited(memory).values()} == expected
        other.execute("ROLLBACK")
    assert memory.maintenance.verify() == before


def test_all_numbers_are_of_one_moment(memory: Saegim) -> None:
    """U4.5: what another process writes meanwhile does not make the numbers disagree."""
    for text in ("grey pebbles", "dry leaves"):
        memory.remember(text)
    reader = memory.mind.store.database._reader()
    with elsewhere(memory) as other:

        def meddle() -> bool:
            other.execute("UPDATE memory SET state = 'quarantined'")
            return False

        # Called while the first question is being answered, and then again and again.
        reader.set_progress_handler(meddle, 20)
        found = {each.what: each.count for each in audit(memory.scope, memory.mind).findings}
        reader.set_progress_handler(None)
    assert (found["orphan"], found["quarantined"]) == (2, 0)
    found = {each.what: each.count for each in audit(memory.scope, memory.mind).findings}
    assert (found["orphan"], found["quarantined"]) == (0, 2)


def test_a_spoilt_record_does_not_hide_the_others(memory: Saegim) -> None:
    """U4.5: a letter that is spoilt on the disk stops no audit."""
    spoilt, _ = shelve(memory, ["grey pebbles", f"deploy with {KEY}"])
    with elsewhere(memory) as raw:
        raw.execute("UPDATE memory SET text = CAST(X'67FF79' AS TEXT) WHERE id = ?", (spoilt,))
    assert count(memory, "secret_like") == 1


# -- one by one, each with what makes it less -----------------------------------------------------


def test_a_copy_in_the_same_room_is_a_duplicate(memory: Saegim) -> None:
    """U4.5: identical words are counted beyond the first, inside one agent and project only."""
    memory.remember("Grey  pebbles")
    copy = memory.remember("grey pebbles", author="Jun")
    memory.remember("grey pebbles", project="harbour")
    memory.remember("grey pebbles", agent="coder")
    found = audited(memory)["duplicate"]
    assert (found.count, found.samples) == (1, (copy.id,))
    memory.forget(copy.id)
    assert count(memory, "duplicate") == 0


def test_near_twins_are_counted_as_pairs(memory: Saegim) -> None:
    """U4.5: two that nearly say the same are one pair, whichever way they are tied."""
    first, second = memory.remember(KETTLE), memory.remember(OLD_KETTLE)
    assert second.similar_to == (first.id,)
    back = Link(source=first.id, type=SIMILAR_TO, target=second.id, weight=0.9)
    commit(memory, Linked(back))
    found = audited(memory)["near_duplicate"]
    assert (found.count, found.samples) == (1, (second.id,))
    mind = memory.mind
    strict = replace(mind, settings=replace(mind.settings, similar_from=0.99))
    counts = {each.what: each.count for each in audit(memory.scope, strict).findings}
    assert counts["near_duplicate"] == 0
    memory.forget(first.id)
    assert count(memory, "near_duplicate") == 0


def test_contradicting_pairs_are_counted_until_one_of_them_goes(memory: Saegim) -> None:
    """U4.5: two that cannot both hold are one pair; a memory cannot contradict itself."""
    first = memory.remember("나는 부산에 산다")
    second = memory.remember("나는 대전에 산다", origin="web")
    commit(memory, Linked(Link(source=first.id, type=CONTRADICTS, target=first.id)))
    found = audited(memory)["contradicting"]
    assert (found.count, found.samples) == (1, (second.id,))
    memory.forget(second.id)
    assert count(memory, "contradicting") == 0


def test_what_no_person_said_is_unverified_until_one_says_it(memory: Saegim) -> None:
    """U4.5: every origin but a person's own counts; the same words from a person confirm it."""
    origins = ("agent_inferred", "tool_output", "web", "import", "peer")
    for number, origin in enumerate(origins):
        memory.remember(f"pebble {number}", origin=origin)
    assert count(memory, "unverified") == 5
    memory.within(project="harbour").remember("pebble 0")
    assert count(memory, "unverified") == 5
    memory.remember("Pebble 0")
    assert count(memory, "unverified") == 4


def test_what_was_never_recalled_or_used_is_counted_after_a_while(
    memory: Saegim, clock: FixedClock
) -> None:
    """U4.5: a memory of thirty days that nobody needed is counted; one recall or use ends that."""
    recalled, used, asleep = (memory.remember(f"pebble {n}").id for n in range(3))
    commit(memory, Dozed(asleep))
    clock.forward(days=UNUSED_DAYS)
    assert count(memory, "never_recalled") == 0
    clock.forward(seconds=1)
    memory.remember("dry leaves")
    assert count(memory, "never_recalled") == 3
    memory.feedback(used, "used")
    assert count(memory, "never_recalled") == 2
    commit(memory, Recalled("trace", (recalled,)))
    assert audited(memory)["never_recalled"].samples == (asleep,)


def test_an_orphan_has_no_tie_to_a_memory_or_entity_that_is_here(memory: Saegim) -> None:
    """U4.5: judgements, ties to itself and ties to nothing leave a memory alone."""
    lone, other = memory.remember("grey pebbles").id, memory.remember("dry leaves").id
    named = memory.remember("My sister is allergic to peanuts").id
    memory.feedback(lone, "up")
    commit(
        memory,
        Linked(Link(source=lone, type=RELATED, target=lone)),
        Linked(Link(source=lone, type=RELATED, target="mem_gone")),
        Linked(Link(source=lone, type=HAS_FEEDBACK, target=other)),
    )
    assert set(audited(memory)["orphan"].samples) == {lone, other}
    tie = Link(source=lone, type=RELATED, target=other)
    commit(memory, Linked(tie))
    assert count(memory, "orphan") == 0
    commit(memory, Unlinked(tie))
    assert count(memory, "orphan") == 2
    memory.forget(named)
    assert count(memory, "orphan") == 2


def test_an_entity_is_lonely_when_no_living_memory_speaks_of_it(memory: Saegim) -> None:
    """U4.5: whom only what is gone spoke of is counted apart from memories; a return ends it."""
    kept = memory.remember("My sister is allergic to peanuts")
    assert count(memory, "lonely_entity") == 0
    memory.forget(kept.id)
    memory.within(user="다른 사람").remember("My sister is allergic to peanuts")
    found = audited(memory)["lonely_entity"]
    assert (found.count, set(found.samples)) == (2, {"entity:sister", "entity:peanuts"})
    memory.restore(kept.id)
    commit(memory, Dozed(kept.id))
    assert count(memory, "lonely_entity") == 0


def test_a_tie_into_nothing_is_loose(memory: Saegim) -> None:
    """U4.5: a tie whose memory is not here is counted; labels and entities are no memories."""
    here = memory.remember("My sister is allergic to peanuts").id
    memory.feedback(here, "up")
    assert count(memory, "loose_tie") == 0
    ties = (
        Link(source=here, type=RELATED, target="mem_gone"),
        Link(source="mem_gone", type=REFERS_TO, target="entity:sister"),
        Link(source="mem_gone", type=HAS_FEEDBACK, target="feedback:up"),
    )
    commit(memory, *map(Linked, ties))
    found = audited(memory)["loose_tie"]
    assert (found.count, set(found.samples)) == (3, {here, "entity:sister"})
    commit(memory, *map(Unlinked, ties[:2]))
    assert count(memory, "loose_tie") == 1


def test_what_waits_for_its_vector_is_counted(memory: Saegim, toy: Toy) -> None:
    """U4.5: what cannot be found by meaning is counted until its vector is made, or when lost."""
    memory.remember("grey pebbles")
    toy.fails = lambda _: True
    waits = memory.remember("dry leaves")
    found = audited(memory)["without_vector"]
    assert (found.count, found.samples) == (1, (waits.id,))
    toy.fails = lambda _: False
    for _ in memory.maintenance.rebuild():
        pass
    assert count(memory, "without_vector") == 0
    with elsewhere(memory) as raw:
        raw.execute("UPDATE vector SET data = NULL")
    assert count(memory, "without_vector") == 2


def test_a_remote_embedder_is_not_asked(memory: Saegim) -> None:
    """U4.5: no network; whose vectors these are is what the store remembers."""

    class Far(Toy):
        @property
        def identity(self) -> Identity:
            raise Unavailable("The network was asked.")

    memory.remember("grey pebbles")

    def seen_by(embedder: Toy) -> int:
        found = audit(memory.scope, replace(memory.mind, embedder=embedder)).findings
        return {each.what: each.count for each in found}["without_vector"]

    assert seen_by(Far(local=False)) == 0
    assert seen_by(Far(local=False, model="never met")) == 1
    with pytest.raises(Unavailable):
        seen_by(Far(local=True))


def test_what_is_kept_apart_and_what_is_leaving_are_counted(memory: Saegim) -> None:
    """U4.5: both queues show in the audit until a person has decided."""
    apart = memory.remember("wet paint", author="stranger")
    gone = memory.remember("dry leaves")
    memory.sources.quarantine(author="stranger", confirm=True)
    memory.forget(gone.id)
    found = audited(memory)
    assert (found["quarantined"].samples, found["leaving"].samples) == ((apart.id,), (gone.id,))
    assert (found["quarantined"].count, found["leaving"].count) == (1, 1)
    memory.sources.release(apart.id)
    memory.restore(gone.id)
    found = audited(memory)
    assert (found["quarantined"].count, found["leaving"].count) == (0, 0)


def test_a_secret_is_found_wherever_its_words_still_lie_and_never_shown(
    memory: Saegim, monkeypatch: pytest.MonkeyPatch
) -> None:
    """U4.5: apart, asleep, outdated or leaving, it counts until erased; only its id is told."""
    monkeypatch.setattr("saegim.store.tables.audit_table._CHUNK", 2)
    texts = [f"deploy with {KEY}", "grey pebbles", f"sand {TOKEN}", "dry leaves", f"key {KEY} 셋"]
    plain, _, asleep, _, apart = shelve(memory, texts, author="stranger")
    commit(memory, Dozed(asleep))
    memory.sources.quarantine(author="stranger", confirm=True)
    memory.sources.release(plain)
    found = audit(memory.scope, memory.mind)
    by_name = {each.what: each for each in found.findings}
    assert by_name["secret_like"].count == 3
    assert set(by_name["secret_like"].samples) == {plain, asleep, apart}
    assert KEY not in repr(found)
    assert TOKEN not in repr(found)
    memory.update(plain, "deploy with care")
    assert count(memory, "secret_like") == 3
    memory.forget(apart)
    assert count(memory, "secret_like") == 3
    commit(memory, Erased(plain), Erased(apart))
    assert audited(memory)["secret_like"].samples == (asleep,)


def test_a_mask_is_no_secret_nor_what_a_person_wished_to_keep(memory: Saegim) -> None:
    """U4.5: what came in through the front door is not blamed; the same words raw are."""
    kept = memory.remember(f"deploy with {KEY}")
    assert kept.masked == 1
    memory.remember("Jun's number is 010-2345-6789", keep_private=True)
    assert count(memory, "secret_like") == 0
    shelve(memory, [f"deploy with {KEY}"])
    assert count(memory, "secret_like") == 1

"""The graph of entities is kept in step with the memories that state it."""

from __future__ import annotations

from saegim import Saegim
from saegim.memory.changes import Archived, Change, Erased, Restored
from saegim.store.commit import Batch


def ties(memory: Saegim) -> dict[tuple[str, str], tuple[float, bool]]:
    """Return the ties between entities: how strong each is, and whether it is negative."""
    links = memory.mind.store.links.all(memory.scope)
    return {
        (link.source, link.target): (link.weight, link.negative)
        for link in links
        if link.source.startswith("entity:")
    }


def commit(memory: Saegim, *changes: Change) -> None:
    """Make Changes true."""
    at = memory.mind.now()
    memory.mind.store.commit(Batch("me", list(changes), actor="me", at=at))


DISLIKE = ("entity:minsu", "entity:java")


def test_a_forgotten_memory_takes_its_tie_with_it_and_brings_it_back(memory: Saegim) -> None:
    """Seed C, layer 3: saving and deleting keep the knowledge graph in step."""
    kept = memory.remember("Minsu dislikes Java")
    before = ties(memory)
    assert before[DISLIKE] == (1.0, True)
    memory.forget(kept.id)
    assert DISLIKE not in ties(memory)
    memory.restore(kept.id)
    assert ties(memory) == before


def test_what_two_memories_state_stays_until_the_last_is_gone(memory: Saegim) -> None:
    """A tie is as strong as those who state it."""
    days = ("2026-01-01T00:00:00+00:00", "2026-01-02T00:00:00+00:00")
    first, second = (memory.remember("Minsu dislikes Java", happened_at=day) for day in days)
    assert ties(memory)[DISLIKE] == (2.0, True)
    memory.forget(first.id)
    assert ties(memory)[DISLIKE] == (1.0, True)
    memory.forget(second.id)
    assert DISLIKE not in ties(memory)


def test_an_erased_memory_leaves_no_tie_behind(memory: Saegim) -> None:
    """U26.3: what is erased is not told by the graph either; archived ties come back."""
    kept = memory.remember("Minsu dislikes Java")
    before, at = ties(memory), memory.mind.now()
    commit(memory, Archived(kept.id, at))
    assert DISLIKE not in ties(memory)
    commit(memory, Restored(kept.id, None))
    assert ties(memory) == before
    commit(memory, Erased(kept.id))
    assert DISLIKE not in ties(memory)


def test_a_correction_ends_the_tie_of_the_older_version(memory: Saegim) -> None:
    """U19: the graph does not tell what no longer holds."""
    kept = memory.remember("민수는 부산에 산다")
    assert ("entity:민수", "entity:부산") in ties(memory)
    memory.update(kept.id, "민수는 대구에 산다")
    assert ("entity:민수", "entity:부산") not in ties(memory)
    assert ("entity:민수", "entity:대구") in ties(memory)

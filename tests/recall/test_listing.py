"""Lists: newest first, by every word, and the story of one memory."""

from __future__ import annotations

from typing import Any

import pytest

from saegim import FixedClock, Saegim
from saegim.errors import BadInput, NotFound


def test_the_newest_come_first_with_the_true_total(memory: Saegim, clock: FixedClock) -> None:
    """U30.1: a page, its total and the way on."""
    ids = []
    for n in range(7):
        clock.forward(minutes=1)
        ids.append(memory.remember(f"tea {n}").id)
    page = memory.recent(3)
    assert [each.id for each in page.memories] == ids[:-4:-1]
    assert page.total == 7
    rest = memory.recent(100, cursor=page.next)
    assert [each.id for each in rest.memories] == ids[3::-1]
    assert rest.next is None


@pytest.mark.parametrize("count", [0, -1, 1001, True, "3", 2.5, None])
def test_a_page_has_a_size(memory: Saegim, count: Any) -> None:
    """Bad input: the error names the limit."""
    with pytest.raises(BadInput, match="limit"):
        memory.recent(count)


def test_a_search_without_words_lists_the_newest(memory: Saegim) -> None:
    """Seed A §5.1: the query is optional; filters alone are a search."""
    memory.remember("tea", tags=["hot"])
    memory.remember("ice")
    assert [each.text for each in memory.search()] == ["ice", "tea"]
    assert [each.text for each in memory.search(tags=["hot"])] == ["tea"]
    assert [each.text for each in memory.search("  ", tags=["hot"])] == ["tea"]


@pytest.mark.parametrize("query", ["???", "!!", "에서", "한다", "...", "—"])
def test_a_search_for_marks_or_endings_finds_nothing(memory: Saegim, query: str) -> None:
    """U3.2: what holds no word to look for never means "everything"."""
    memory.remember("보리는 집에서 산책을 한다")
    assert memory.search(query) == []


def test_the_story_of_a_memory_has_every_version_and_line(memory: Saegim) -> None:
    """U5.1: history shows both, oldest first, whichever id is asked for."""
    first = memory.remember("at four")
    second = memory.update(first.id, "at five")
    third = memory.update(first.id, "at six")
    memory.forget(third.id)
    for id in (first.id, second.id, third.id):
        story = memory.history(id)
        assert [each.text for each in story.versions] == ["at four", "at five", "at six"]
        changes = [line.change for line in story.entries]
        assert changes == ["Saved", "Saved", "Superseded", "Saved", "Superseded", "Leaving"]
        assert [line.seq for line in story.entries] == sorted(line.seq for line in story.entries)


def test_an_unknown_memory_has_no_story(memory: Saegim) -> None:
    """Bad input: the error names the id."""
    with pytest.raises(NotFound, match="mem_none"):
        memory.history("mem_none")

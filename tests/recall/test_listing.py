"""Lists: newest first, by every word, and the story of one memory."""

from __future__ import annotations

import unicodedata
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
def test_a_search_for_marks_or_endings_finds_only_what_contains_them(
    memory: Saegim, query: str
) -> None:
    """U3.2: what holds no word to look for never means "everything".

    Endings found nothing here; now A §5.2 holds: it finds what contains them, and nothing else.
    """
    held = "보리는 집에서 산책을 한다"
    memory.remember(held)
    memory.remember("보리차 a b")
    assert [each.text for each in memory.search(query)] == [held] * (query in held)
    assert memory.forgetting.matching(query).memories == ()


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("synth", "The Synthesis of both"),
        ("SYNTH", "the synthesis of both"),
        ("thesis", "The Synthesis of both"),
        ("esis of", "The Synthesis of both"),
        ("동차", "새 자동차를 샀다"),
        ("주전", "파란 주전자가 있다"),
        ("그런", "그런데 비가 온다"),
        ("자동 샀", "새 자동차를 샀다"),
        ("%까", "할인은 50%까지"),
        ("a_b", "the file a_b.txt"),
        ("c:\\", "on c:\\temp it lies"),
        ("ÉCOLE", "une école à Lyon"),
        ("моск", "Зима в Москве"),
        ("주전", unicodedata.normalize("NFD", "파란 주전자가 있다")),
        ("café", unicodedata.normalize("NFD", "Le Café noir")),
    ],
)
def test_a_piece_of_a_word_finds_the_word(memory: Saegim, query: str, text: str) -> None:
    """A §5.2: contained in the text, whatever the case; marks of SQL mean themselves."""
    memory.remember(text)
    memory.remember("50 percent of axb and of nothing else, 차를 마셨다")
    assert [each.text for each in memory.search(query)] == [text]


def test_a_piece_of_a_tag_finds_the_memory(memory: Saegim, clock: FixedClock) -> None:
    """A §5.2: tags are looked at as the text is, each piece where it stands."""
    old = memory.remember("first", tags=["AGI_design", "회의록"])
    clock.forward(minutes=1)
    new = memory.remember("second design", tags=["other"])
    assert [each.id for each in memory.search("design")] == [new.id, old.id]
    assert [each.id for each in memory.search("agi_des")] == [old.id]
    assert [each.id for each in memory.search("회의")] == [old.id]
    assert [each.id for each in memory.search("irst 의록")] == [old.id]
    assert memory.search("first other") == []
    theirs = memory.within(user="yuna")
    theirs.remember("third", tags=["AGI_design"])
    assert len(memory.search("agi_des")) == 1


def test_words_and_pieces_stand_in_one_list(memory: Saegim, clock: FixedClock) -> None:
    """Newest first over both ways, each memory once, cut at the limit, within every filter."""
    ids = []
    for n in range(12):
        clock.forward(minutes=1)
        # Even ones hold the word, odd ones only its letters.
        words = "run a test" if n % 2 == 0 else "the fastest contest"
        ids.append(memory.remember(f"{words} {n}", session=f"s{n % 3}").id)
    newest = ids[::-1]
    assert [each.id for each in memory.search("test", limit=50)] == newest
    for limit in (1, 2, 5):
        assert [each.id for each in memory.search("test", limit=limit)] == newest[:limit]
    wanted = [id for n, id in enumerate(ids) if n % 3 == 1][::-1]
    assert [each.id for each in memory.search("test", session="s1")] == wanted
    # By words alone, which is how things are let go, the odd ones are not found.
    gone = {each.id for each in memory.forgetting.matching("test").memories}
    assert gone == set(ids[::2])


def test_a_long_text_is_looked_for_as_it_stands(memory: Saegim) -> None:
    """A page as a query costs one look, not one for each of its words."""
    text = " ".join(f"word{n}" for n in range(100))
    memory.remember(f"before {text} after")
    assert len(memory.search(text)) == 1
    pieces = [f"ord{n}" for n in range(20)]
    assert len(memory.search(" ".join(pieces[:10]))) == 1
    assert memory.search(" ".join(pieces)) == []


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

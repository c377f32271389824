"""Users of one store: no question, cache, count or syntax reaches over the wall between them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from saegim import Saegim
from saegim.errors import BadInput
from stand_ins import shelve

TEA = "barley tea on the second shelf"
# What FTS5 or LIKE would read as a column, a wildcard or another owner.
CROSSING = (
    "owner:you tea",
    "{text owner}: tea",
    'owner : "you" tea',
    'tea" OR owner:you OR "x',
    "tea OR 1=1",
    "% _ * tea",
    "you tea",
)


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Saegim, Saegim]]:
    """One store: I have three memories of tea, you have three hundred."""
    path = tmp_path_factory.mktemp("both") / "memory.db"
    with Saegim.open(path, user="me", embedder="hashed", background=False) as mine:
        yours = mine.within(user="you")
        shelve(mine, [f"{TEA} number {number} of mine" for number in range(3)])
        shelve(yours, [f"{TEA} number {number} of yours" for number in range(300)])
        yield mine, yours


def texts(memory: Saegim, question: str) -> set[str]:
    """Return everything a question finds, by every way of asking."""
    found = {hit.memory.text for hit in memory.recall(question, limit=50).hits}
    found |= {each.text for each in memory.search(question, limit=50)}
    return found | {card.words for card in memory.context(question).cards}


@pytest.mark.parametrize("question", CROSSING)
def test_no_syntax_in_a_question_reaches_another_user(
    both: tuple[Saegim, Saegim], question: str
) -> None:
    """FAULTS 39: columns, wildcards and the other's name are words like any other."""
    mine, yours = both
    assert not {text for text in texts(mine, question) if text.endswith("yours")}
    assert {text for text in texts(yours, TEA) if text.endswith("yours")}, "there is much to find"


def test_the_wall_is_part_of_the_search_and_not_behind_it(both: tuple[Saegim, Saegim]) -> None:
    """FAULTS 40: three of mine among three hundred nearer ones are all found, and counted alone."""
    mine, _ = both
    found = mine.recall(TEA, limit=5)
    assert {hit.memory.text for hit in found.hits} == {
        f"{TEA} number {number} of mine" for number in range(3)
    }
    assert found.candidates <= 3
    assert mine.recent(1).total == 3


def test_a_question_asked_by_another_first_answers_nothing_of_theirs(
    both: tuple[Saegim, Saegim],
) -> None:
    """FAULTS 42: counts and vectors that are held for one user are never shown to another."""
    mine, yours = both
    theirs = texts(yours, TEA)
    ours = texts(mine, TEA)
    assert len(theirs) > 3
    assert len(ours) == 3
    assert not theirs & ours
    assert texts(yours, TEA) == theirs


@pytest.mark.parametrize("user", ["", " ", "*", "%", "../you", "you\x00", "y\nou"])
def test_a_user_who_could_be_several_is_refused(both: tuple[Saegim, Saegim], user: str) -> None:
    """FAULTS 37: no user, a wildcard, a path or a control character opens nobody's memories."""
    with pytest.raises(BadInput):
        both[0].within(user=user)


@pytest.mark.parametrize("user", ["You", "YOU", "уou", "ｙｏｕ", "y\u200bou"])
def test_a_user_who_only_looks_alike_is_another(both: tuple[Saegim, Saegim], user: str) -> None:
    """FAULTS 37: another case, script, width or a hidden letter is refused or finds nothing."""
    try:
        seen = both[0].within(user=user)
    except BadInput:
        return
    assert texts(seen, TEA) == set()
    assert seen.recent(1).total == 0

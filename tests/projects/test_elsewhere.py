"""Projects do not bleed into each other, and one that is silent says how much others hold."""

from __future__ import annotations

from typing import Any

import pytest

from saegim import Saegim
from saegim.recall.listing import found_elsewhere, recalled_elsewhere
from saegim.store.rows import Where

PROJECTS = {
    "aurora": ("Deploy the service with make ship", "배포 서버는 남쪽 방에 있다"),
    "lighthouse": ("Deploy the service with make lamp", "배포 서버는 북쪽 탑에 있다"),
    "harbour": ("Deploy the service with make boat", "배포 서버는 서쪽 부두에 있다"),
}
QUESTIONS = ("how do I deploy the service?", "배포 서버는 어디에 있어?")


@pytest.fixture
def three(memory: Saegim) -> Saegim:
    """Three projects that say nearly the same, and one thing that holds for all."""
    for project, texts in PROJECTS.items():
        for text in texts:
            memory.within(project=project).remember(text)
    memory.remember("Deploy the service only after lunch, for every project")
    return memory


def homes(found: Any) -> set[str]:
    """Return the projects of what was found."""
    return {each.scope.project for each in found}


@pytest.mark.parametrize("project", PROJECTS)
@pytest.mark.parametrize("question", QUESTIONS)
def test_no_project_sees_another(three: Saegim, project: str, question: str) -> None:
    """U13.2: by default only this project and what holds for all; 0 cross hits in any list."""
    room = three.within(project=project)
    inside = {project, ""}
    found = room.recall(question, limit=50)
    assert project in homes(hit.memory for hit in found.hits)
    assert homes(hit.memory for hit in found.hits) <= inside
    assert homes(room.search("deploy", limit=50)) == inside
    assert homes(room.recent(50).memories) == inside
    cards = room.context(question).cards
    assert cards
    assert homes(three.get(card.id) for card in cards) <= inside


@pytest.mark.parametrize("question", QUESTIONS)
def test_everywhere_finds_what_others_hold(three: Saegim, question: str) -> None:
    """U13.2 control: the others are there, each labelled, for whoever asks for all projects."""
    room = three.within(project="aurora")
    found = room.recall(question, limit=50, everywhere=True)
    assert set(PROJECTS) <= homes(hit.memory for hit in found.hits)
    assert homes(room.search("deploy", limit=50, everywhere=True)) == {*PROJECTS, ""}


def test_a_silent_project_says_how_much_others_hold(three: Saegim) -> None:
    """U13.2: counted by project, without what holds for all, and never past the user."""
    mind = three.mind
    three.within(user="other", project="aurora").remember("deploy the service elsewhere")
    empty = three.within(project="empty")
    where = Where(scope=empty.scope)
    assert set(recalled_elsewhere(QUESTIONS[0], where, mind=mind)) == set(PROJECTS)
    assert found_elsewhere("deploy service", where, mind=mind) == dict.fromkeys(PROJECTS, 1)
    assert found_elsewhere("nowhere", where, mind=mind) == {}
    # Who looks everywhere, or stands in no project, has no elsewhere.
    wide = Where(scope=empty.scope, everywhere=True)
    for each in (wide, Where(scope=three.scope)):
        assert recalled_elsewhere(QUESTIONS[0], each, mind=mind) == {}
        assert found_elsewhere("deploy service", each, mind=mind) == {}


def test_counting_is_not_recalling(three: Saegim) -> None:
    """U13.2: what was only counted was not shown: no trace, and no recall is added."""
    mind = three.mind
    where = Where(scope=three.within(project="empty").scope)
    assert recalled_elsewhere(QUESTIONS[0], where, mind=mind)
    assert mind.traces is not None
    mind.traces.flush()
    every = three.recent(50).memories
    assert {each.worth.recalled for each in every} == {0}
    # Control: an answer that is shown is counted.
    three.recall(QUESTIONS[0])
    mind.traces.flush()
    assert sum(each.worth.recalled for each in three.recent(50).memories) > 0

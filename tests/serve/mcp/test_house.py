"""One open memory for many callers: opened late, closed when nobody asks, opened again."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from saegim.engines.brain.model import think
from saegim.errors import BadInput, NotFound, StoreError
from saegim.serve.backend import Call, LocalBackend
from saegim.serve.mcp.client_info import ClientInfo


def save(house: LocalBackend, text: str) -> str:
    """Keep a text; return its id."""
    return str(house.call(Call(name="memory_save", arguments={"text": text}))["id"])


def test_a_house_opens_nothing_before_it_is_asked(tmp_path: Path) -> None:
    """U6.1: making a house makes no file and opens none."""
    house = LocalBackend(tmp_path / "deep" / "saegim.db")
    assert not house.is_open
    assert not (tmp_path / "deep").exists()
    house.close()
    assert not (tmp_path / "deep").exists()


def test_a_house_nobody_asks_rests_and_wakes(tmp_path: Path) -> None:
    """U11.2: the store and what it loaded are given back when idle; the next call opens it."""
    house = LocalBackend(tmp_path / "saegim.db")
    assert not house.rest(0)
    kept = save(house, "보리차가 좋아")
    assert house.is_open
    assert not house.rest(3600)
    assert think.cache_info().currsize == 1
    assert house.rest(0)
    assert not house.is_open
    assert think.cache_info().currsize == 0
    assert house.call(Call(name="memory_get", arguments={"id": kept}))["memory"]["id"] == kept
    assert house.is_open
    house.close()


def test_a_house_at_work_does_not_rest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """U11.2: whoever is being answered keeps the store open until they are."""
    house = LocalBackend(tmp_path / "saegim.db")
    inside, go = threading.Event(), threading.Event()
    memory = house.memory

    def slow(*_: object, **__: object) -> object:
        inside.set()
        go.wait(60)
        raise NotFound("nothing")

    monkeypatch.setattr(type(memory), "get", slow)

    def ask() -> None:
        with pytest.raises(NotFound):
            house.call(Call(name="memory_get", arguments={"id": "x"}))

    caller = threading.Thread(target=ask)
    caller.start()
    assert inside.wait(60)
    assert not house.rest(0)
    go.set()
    caller.join()
    assert house.rest(0)
    house.close()


def test_a_house_that_keeps_the_nights_stays_open(tmp_path: Path) -> None:
    """U11.2: a server that watches for the night does not rest: nobody else would begin it."""
    house = LocalBackend(tmp_path / "saegim.db", watch=True)
    save(house, "nobody else would begin the night")
    assert not house.rest(0)
    house.close()


def test_a_call_is_seen_from_the_callers_project_and_agent(tmp_path: Path) -> None:
    """U13.2: one house serves callers of several projects, each in its own scope."""
    house = LocalBackend(tmp_path / "saegim.db")
    for project, agent in (("river", "coder"), ("lake", "writer")):
        told = house.call(
            Call(
                name="memory_save",
                arguments={"text": f"the {project} is deep"},
                project=project,
                agent=agent,
            )
        )
        assert (told["scope"]["project"], told["scope"]["agent"]) == (project, agent)
    found = house.call(
        Call(name="memory_search", arguments={"query": "is deep"}, project="river", agent="coder")
    )
    assert [each["text"] for each in found["hits"]] == ["the river is deep"]
    house.close()


def test_a_folder_says_which_project_it_is(tmp_path: Path) -> None:
    """U13.2: without a project, the folder the caller stands in decides, looked at once."""
    house = LocalBackend(tmp_path / "saegim.db")
    folder = tmp_path / "강가 (새 프로젝트)"
    (folder / ".git").mkdir(parents=True)
    wish = Call(name="memory_stats", folder=str(folder))
    project = house.call(wish)["scope"]["project"]
    assert project
    (folder / ".git").rmdir()
    assert house.call(wish)["scope"]["project"] == project
    house.close()


def test_calls_are_counted_with_their_failures(tmp_path: Path) -> None:
    """What is asked of a house is counted by function, failures by kind; no words are kept."""
    house = LocalBackend(tmp_path / "saegim.db")
    save(house, "보리차")
    for arguments in ({"text": ""}, {"contnt": "x"}):
        with pytest.raises(BadInput):
            house.call(Call(name="memory_save", arguments=arguments))
    with pytest.raises(NotFound):
        house.call(Call(name="no_such_function"))
    assert dict(house.tally.calls) == {"memory_save": 3}
    assert dict(house.tally.failures) == {("memory_save", "BadInput"): 2}
    assert house.tally.seconds["memory_save"] > 0
    house.close()


def test_a_store_that_cannot_be_opened_is_an_error_of_ours(tmp_path: Path) -> None:
    """U1.3: a path that cannot be used is said so, and asked again it is tried again."""
    (tmp_path / "file").write_text("x", encoding="utf-8")
    house = LocalBackend(tmp_path / "file" / "saegim.db")
    for _ in range(2):
        with pytest.raises(StoreError, match="cannot be used"):
            house.call(Call(name="memory_stats"))
    house.close()


def test_many_callers_share_one_opening(tmp_path: Path) -> None:
    """U11.3: callers that come at once open the memory once."""
    house = LocalBackend(tmp_path / "saegim.db")
    seen: list[object] = []
    callers = [threading.Thread(target=lambda: seen.append(house.memory)) for _ in range(8)]
    for each in callers:
        each.start()
    for each in callers:
        each.join()
    assert len(seen) == 8
    assert len({id(each) for each in seen}) == 1
    house.close()


def test_a_guest_has_a_profile_that_exists() -> None:
    """A misspelt profile is refused by name."""
    assert ClientInfo("core").wish("x", {"name": 1, "self": 2}).arguments == {"name": 1, "self": 2}
    with pytest.raises(BadInput, match="There is no profile 'ful'"):
        ClientInfo("ful")

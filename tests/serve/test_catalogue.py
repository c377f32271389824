"""The catalogue itself: every function is found at every door, and seed C's twelve are the menu."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from saegim import Saegim
from saegim.errors import BadInput, NotFound, SettingsError
from saegim.serve.catalogue.catalogue import CATALOGUE, entry_of, shown_to
from saegim.serve.catalogue.entry import CallContext, Door, Effect, Profile, part
from saegim.serve.cli import app

# Seed C, "MCP 도구 (12개)".
TWELVE = (
    "auto_search memory_save memory_search memory_update memory_delete memory_get_related "
    "memory_pin memory_unpin memory_stats sleep_cycle_run policy_status policy_decide"
).split()


def test_the_default_menu_is_seed_cs_and_core_is_its_beginning() -> None:
    """Seed C: twelve tools by name; five of them for crowded clients."""
    assert [each.name for each in shown_to("default")] == TWELVE
    assert [each.name for each in shown_to("core")] == TWELVE[:5]
    assert set(TWELVE) < {each.name for each in shown_to("full")}
    assert all(each.profile is not Profile.PEOPLE for each in shown_to("full"))
    with pytest.raises(SettingsError, match="everything"):
        shown_to("everything")


def test_the_twelve_tools_do_what_seed_c_says(memory: Saegim) -> None:
    """Seed C, MCP tools: save, find, correct, tie, hold, let go, count, sleep and judge."""
    at = CallContext(memory, Door.MCP)

    def told(name: str, **given: Any) -> Any:
        return CATALOGUE[name].call(at, **given)

    tea = told("memory_save", text="지민은 보리차를 좋아한다")["id"]
    shelf = told("memory_save", text="It is in the left cupboard.", related=[tea])["id"]
    assert memory.get(tea).text == "지민은 보리차를 좋아한다"
    assert told("memory_search", query="보리차")["hits"][0]["id"] == tea
    assert "보리차" in told("auto_search", query="지민은 무슨 차를 좋아해?")["context"]
    assert shelf in [each["key"] for each in told("memory_get_related", id=tea)["relations"]]
    told("memory_pin", ids=[tea])
    assert memory.get(tea).life.pinned
    told("memory_unpin", ids=[tea])
    assert not memory.get(tea).life.pinned
    new = told("memory_update", id=tea, text="지민은 홍차를 좋아한다")
    assert memory.get(tea).id == new["id"]
    assert memory.get(tea).text == "지민은 홍차를 좋아한다"
    assert told("memory_delete", ids=[shelf])["done"]
    assert [each.id for each in memory.recent().memories] == [new["id"]]
    assert told("memory_stats")["by_state"] == {"active": 1, "leaving": 1, "superseded": 1}
    night = told("sleep_cycle_run")["night"]
    assert (night["state"], night["done"]) == ("done", night["stages"])
    assert [each.id for each in memory.nights.latest(1)] == [night["id"]]


def test_the_policy_of_seed_c_is_shown_and_asked(memory: Saegim) -> None:
    """Seed C: what decides and by which borders; a message is judged and nothing is kept."""
    at = CallContext(memory, Door.MCP)
    memory.remember("지민은 보리차를 좋아한다")
    memory.observe("ㅋㅋㅋ")
    stands = CATALOGUE["policy_status"].call(at)
    assert (stands["policy"], stands["learned"], stands["epsilon"]) == ("rules", False, 0.0)
    assert stands["actions"] == {"skip": 1}
    assert stands["thresholds"] == {"save_from": 0.7, "skip_to": 0.1}
    asked = ("내 이름은 하준이야", "ㅋㅋㅋ", "지민이 뭘 좋아하더라?")
    made = [CATALOGUE["policy_decide"].call(at, text=each) for each in asked]
    assert [each["action"] for each in made] == ["save", "skip", "retrieve"]
    assert len(made[0]["state"]) == 10
    assert memory.recent().total == 1


def test_every_function_has_a_command_an_address_and_a_reason() -> None:
    """One catalogue, every door: nothing can be asked at one of them only."""
    commands = set(app.COMMANDS)
    assert [each.name for each in CATALOGUE.values() if each.command not in commands] == []
    routes = [each.route for each in CATALOGUE.values()]
    assert len(set(routes)) == len(routes)
    assert all(method in ("GET", "POST", "PATCH") and path[0] == "/" for method, path in routes)
    assert all(len(each.description) > 30 for each in CATALOGUE.values())
    # What is asked with GET changes nothing.
    changing = [each.name for each in CATALOGUE.values() if each.effect is not Effect.READS]
    assert [name for name in changing if CATALOGUE[name].route[0] == "GET"] == []
    with pytest.raises(NotFound, match="memory_delete_all"):
        entry_of("memory_delete_all")


def test_arguments_are_refused_by_name() -> None:
    """U30.1: an unknown, a missing and a wrong argument are each named, with what to do."""
    save = CATALOGUE["memory_save"]
    for given, said in (
        ({"text": "x", "colour": "red"}, "takes no 'colour'"),
        ({}, "needs text"),
        ({"text": 7}, "text cannot be used"),
        ({"text": "x", "related": [f"mem_{n}" for n in range(1000)]}, "related"),
    ):
        with pytest.raises(BadInput, match=said) as caught:
            save.read(given)
        assert caught.value.next_step
    assert save.read({"text": "x"})["source"] == "agent"


def test_who_stands_at_the_door_decides_how_far_words_are_trusted(tmp_path: Path) -> None:
    """A model's claim that the user said so is a claim; a person's program may say it."""
    save = CATALOGUE["memory_save"]
    with Saegim.open(tmp_path / "s.db") as memory:
        for door, source, origin in (
            (Door.MCP, "user", "agent_inferred"),
            (Door.MCP, "web", "web"),
            (Door.REST, "user", "user_said"),
            (Door.REST, "agent", "agent_inferred"),
        ):
            told = save.call(CallContext(memory, door), text=f"{door} {source}", source=source)
            assert memory.get(told["id"]).provenance.origin == origin


def test_a_list_goes_on_where_it_was_left() -> None:
    """U30.1: a cursor is the last that was shown, so what is added before it moves nothing."""
    items = [f"n{number}" for number in range(7)]
    first = part(items, 3, None, key=str)
    assert (first["items"], first["total"], first["next"]) == (["n0", "n1", "n2"], 7, "n2")
    later = part(["new", *items], 3, first["next"], key=str)
    assert later["items"] == ["n3", "n4", "n5"]
    assert part(items, 3, "n5", key=str) == {"items": ["n6"], "total": 7, "next": None}
    with pytest.raises(BadInput, match="n99"):
        part(items, 3, "n99", key=str)

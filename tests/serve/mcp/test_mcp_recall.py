"""What a model gets when it asks: within its budget, from the right project, page by page."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hanging import Hanging

from faults.stores import questions, sentences, tampered
from saegim import Saegim
from saegim.engines.tokens import estimate
from saegim.errors import BadInput
from saegim.serve.backend import Call, LocalBackend
from saegim.serve.catalogue import memory_functions
from saegim.serve.catalogue.entry import MOST_TEXT
from saegim.serve.mcp.results import result_of
from stand_ins import rounds, shelve

# U9.1 asks for 10,000 memories and 200 questions; by day a fifth of them must do.
MEMORIES, QUESTIONS = rounds(10_000, 400), rounds(200, 20)
BUDGET = 1500


def asked(house: LocalBackend, tool: str, **arguments: Any) -> dict[str, Any]:
    """What a tool answers to a model."""
    return house.call(Call(name=tool, arguments=arguments, door="mcp"))


def words(house: LocalBackend, tool: str, **arguments: Any) -> str:
    """The words in which a client receives the answer of a tool."""
    (part,) = result_of(asked(house, tool, **arguments)).content
    return str(part.text)


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalBackend]:
    """A large store with short and long memories in both languages."""
    house = LocalBackend(tmp_path_factory.mktemp("shelf") / "saegim.db", durability="fast")
    dice = random.Random(5)
    texts = sentences(MEMORIES)
    for at in range(0, MEMORIES, 5):
        texts[at] = " ".join([texts[at], *sentences(dice.randint(5, 40), seed=at + 9)])
    shelve(house.memory, texts)
    yield house
    house.close()


@pytest.mark.parametrize("tool", ["auto_search", "memory_search"])
def test_no_answer_is_longer_than_its_budget(shelf: LocalBackend, tool: str) -> None:
    """U9.1: of many questions in Korean and English, none is answered over its budget."""
    for at, question in enumerate(questions(QUESTIONS)):
        # Most clients name no budget: then it is 1,500.
        budget = (BUDGET, 300, 700, 4000)[at % 4]
        given = {} if budget == BUDGET else {"budget": budget}
        text = words(shelf, tool, query=question, **given)
        assert estimate(text) <= budget, (tool, question, budget)


def test_an_answer_that_shows_everything_would_be_too_long(
    shelf: LocalBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    """U9.1 control: without the count, answers are over their budget and the test sees it."""

    def fill(told: Any, hits: Any) -> None:
        told["hits"] = [memory_functions._card(hit) for hit in hits]

    monkeypatch.setattr(memory_functions, "_fill", fill)
    over = [estimate(words(shelf, "memory_search", query=each)) for each in questions(20)]
    assert max(over) > BUDGET


def test_an_answer_says_what_it_left_out(shelf: LocalBackend) -> None:
    """U9.1: cards are short and carry ids; what found no room is counted; get shows it whole."""
    told = asked(shelf, "memory_search", query="barley kettle 보리차 주전자", limit=50)
    assert told["hits"]
    assert len(told["hits"]) + told["left_out"] == 50
    cut = [each for each in told["hits"] if each["cut"]]
    few = asked(shelf, "memory_search", query="barley kettle", budget=0)
    assert few["hits"] == []
    assert few["left_out"] > 0
    for each in cut:
        whole = asked(shelf, "memory_get", id=each["id"])["memory"]["text"]
        assert len(whole) > len(each["text"])
        assert whole.startswith(each["text"][:-1])


# -- which paths ran ------------------------------------------------------------------------------


@pytest.fixture
def house(tmp_path: Path) -> Iterator[LocalBackend]:
    """A fresh memory in a house."""
    made = LocalBackend(tmp_path / "saegim.db")
    yield made
    made.close()


@pytest.mark.parametrize("tool", ["auto_search", "memory_search"])
def test_nothing_found_is_not_nothing_searched(house: LocalBackend, tool: str) -> None:
    """U12.3: an empty store was searched; an empty question was not, and the answer says so."""
    nothing = asked(house, tool, query="보리차")
    assert nothing["searched"] is True
    unsearched = asked(house, tool, query="   ")
    assert unsearched["searched"] is False
    for told in (nothing, unsearched):
        assert told.get("hits", []) == []
        assert told.get("ids", []) == []


@pytest.mark.parametrize("tool", ["auto_search", "memory_search"])
def test_every_message_may_be_asked_with(house: LocalBackend, tool: str) -> None:
    """FAULTS M10: the call of every turn is not refused where one pasted a log before asking."""
    kept = house.memory.remember("우리 강아지 이름은 보리다").id
    pasted = "우리 강아지 이름 강아지 이름 " * 600
    told = asked(house, tool, query=f"{pasted}\n우리 강아지 이름이 뭐였지?"[-MOST_TEXT:])
    assert told["searched"] is True
    assert kept in [*told.get("ids", []), *(each["id"] for each in told.get("hits", []))]
    with pytest.raises(BadInput, match=str(MOST_TEXT)):
        asked(house, tool, query="가" * (MOST_TEXT + 1))


def _as_it_should_be(_: Path) -> dict[str, str]:
    return {}


def _no_embedder(_: Path) -> dict[str, str]:
    return {"embedder": "ollama:none", "embedder_url": "http://127.0.0.1:9"}


def _no_words(path: Path) -> dict[str, str]:
    tampered(path, "DROP TABLE words_basic")
    return {}


@pytest.mark.parametrize(
    ("broken", "missing"), [(_as_it_should_be, ""), (_no_embedder, "vector"), (_no_words, "words")]
)
@pytest.mark.parametrize("tool", ["auto_search", "memory_search"])
def test_an_answer_says_which_paths_ran_and_why_not(
    tmp_path: Path, tool: str, broken: Any, missing: str
) -> None:
    """U12.1: with each part broken in turn, the answer names the path that did not run and why."""
    path = tmp_path / "saegim.db"
    with Saegim.open(path, background=False) as memory:
        memory.remember("보리차를 주전자에 끓였다")
    house = LocalBackend(path, **broken(path))
    try:
        told = asked(house, tool, query="보리차 주전자")
    finally:
        house.close()
    paths = {each["name"]: each for each in told["paths"]}
    assert told["searched"] is True
    for name in ("words", "vector"):
        assert paths[name]["ran"] is (name != missing)
        assert bool(paths[name]["why"]) is (name == missing)
    assert (told["semantic"] == "ready") is (missing != "vector")


@pytest.mark.parametrize("tool", ["auto_search", "memory_search"])
def test_a_model_that_loads_keeps_nobody_waiting(tmp_path: Path, tool: str) -> None:
    """U6.2: while the embedder hangs, the words answer, and the answer says what is missing."""
    with Hanging() as server:
        given = {"embedder": "ollama:x", "embedder_url": server.url}
        house = LocalBackend(tmp_path / "saegim.db", semantic_patience=0.05, **given)
        asked(house, "memory_save", text="보리차를 주전자에 끓였다")
        told = asked(house, tool, query="보리차 주전자")
        assert server.hangs
        assert told["semantic"] == "warming"
        assert told.get("hits") or told.get("ids")
        # Nor does anything else of every day wait for it.
        for other in ("memory_stats", "policy_status", "memory_list"):
            asked(house, other)
        assert server.hangs
        server.released.set()
        house.close()


# -- projects -------------------------------------------------------------------------------------


def test_a_project_sees_its_own_and_hears_how_much_is_elsewhere(house: LocalBackend) -> None:
    """U13.2: no other project's memories, but their number where one's own has nothing."""
    for project in ("river", "harbour", ""):
        for at in range(3):
            text = f"{project or 'everywhere'} {at}: the deploy runs on Tuesday"
            call = Call(name="memory_save", arguments={"text": text}, project=project)
            house.call(call)

    def search(here: str, **more: Any) -> dict[str, Any]:
        given = {"query": "when does the deploy run", **more}
        return house.call(Call(name="memory_search", arguments=given, project=here, door="mcp"))

    here = search("river")
    assert {each["project"] for each in here["hits"]} == {"river", ""}
    assert here["elsewhere"] == 0
    assert {each["project"] for each in search("river", project="*")["hits"]} == {
        "river",
        "harbour",
        "",
    }
    house.call(
        Call(name="memory_save", arguments={"text": "violin at the lake"}, project="harbour")
    )
    lonely = house.call(
        Call(name="memory_search", arguments={"query": "violin at the lake"}, project="river")
    )
    assert "violin at the lake" not in [each["text"] for each in lonely["hits"]]
    assert lonely["elsewhere"] == 1
    block = house.call(
        Call(name="auto_search", arguments={"query": "violin at the lake"}, project="river")
    )
    assert "violin" not in block["context"]


# -- pages ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("tool", ["memory_list", "timeline"])
def test_a_list_is_walked_without_gap_or_repeat_while_it_grows(
    house: LocalBackend, tool: str
) -> None:
    """U30.1: a cursor walks all of a list once, with a true total, while more is added."""
    ids = shelve(house.memory, sentences(250))
    seen: list[str] = []
    cursor = None
    for turn in range(50):
        given = {"limit": 17, **({"cursor": cursor} if cursor else {})}
        page = asked(house, tool, **given)
        assert page["total"] == 250 + 5 * turn
        seen += [each["id"] for each in page["memories"]]
        shelve(house.memory, sentences(5, seed=100 + turn))
        cursor = page["next"]
        if cursor is None:
            break
    assert len(seen) == len(set(seen))
    assert set(ids) <= set(seen)


def test_every_other_list_is_walked_too(house: LocalBackend) -> None:
    """U30.1: lists that are made whole are walked by what was last seen, and know their total."""
    names = "민수 지우 서연 하준 도윤 유진 은지 태호 수빈 재현 예린 준서".split()
    for name in names:
        house.memory.remember(f"{name} 씨를 만났다", session=f"s-{name}", project=f"p-{name}")
    house.memory.forget(*[each.id for each in house.memory.recent(5, everywhere=True).memories])
    walked = {}
    for tool in ("entity_list", "project_list", "session_list", "forgetting_queue", "night_list"):
        items: list[Any] = []
        cursor = None
        while True:
            page = asked(house, tool, limit=2, **({"cursor": cursor} if cursor else {}))
            items += page["items"]
            cursor = page["next"]
            if cursor is None:
                break
        assert len(items) == page["total"]
        kept = [str(each) for each in items]
        assert len(set(kept)) == len(kept)
        walked[tool] = len(items)
    assert (walked["project_list"], walked["forgetting_queue"]) == (12 - 5, 5)
    assert (walked["entity_list"], walked["session_list"]) >= (12, 12)
    with pytest.raises(ValueError, match="There is no place"):
        asked(house, "project_list", cursor="nowhere")

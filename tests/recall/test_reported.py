"""What a model saves because the user said it is found as well as what a person's program saved."""

from __future__ import annotations

from pathlib import Path

import pytest

from saegim import Saegim
from saegim.memory.memory import Origin, Source
from saegim.serve.catalogue.catalogue import CATALOGUE
from saegim.serve.catalogue.entry import CallContext, Door

# What was said, and what is asked about it later, mostly in other words.
FACTS = (
    (
        "나는 새우 알레르기가 있어서 해산물 식당은 조심해야 해",
        "회식에서 내가 못 먹는 건 뭐지?",
    ),
    ("우리 딸 이름은 서윤이고 초등학교 2학년이야", "우리 아이는 몇 학년이지?"),
    ("차는 지하 3층 B구역 42번에 세워 뒀어", "주차한 자리가 어디였지?"),
    ("부모님은 전주에서 한옥을 고쳐 살고 계셔", "부모님 댁은 어느 도시야?"),
    ("혈압약은 아침 식사 뒤에 먹기로 했어", "약은 언제 먹기로 했더라?"),
    ("회사에서는 결제 서버를 맡고 있어", "내가 회사에서 무슨 일을 맡고 있지?"),
    ("I am allergic to penicillin", "Which medicine must I never be given?"),
    ("My sister Hannah works as a nurse in Leeds", "What does my sister do for a living?"),
    ("The wifi at the cabin is called pinecone", "What is the network at the cabin?"),
    ("We booked the ferry to Jersey for the 14th of June", "When do we take the ferry?"),
    ("I prefer short answers without bullet lists", "How do I like answers to be written?"),
    ("Our dog Biscuit is afraid of thunder", "What is the dog scared of?"),
)
# What else lies there: the agent's advice and the person's small things about the same matters.
AROUND = (
    "해산물 식당은 예약하는 것이 좋습니다",
    "초등학교 2학년 수학 문제집을 추천해 드릴까요",
    "지하 주차장은 저녁 7시 이후에 붐빕니다",
    "전주 한옥마을에는 볼거리가 많습니다",
    "약을 먹을 때는 물을 충분히 드세요",
    "결제 서버 점검은 보통 새벽에 합니다",
    "Seafood restaurants can be noisy",
    "Nurses often work night shifts",
    "The cabin has a nice fireplace",
    "Ferries can be delayed by wind",
    "Lists can make answers easier to read",
    "Dogs often dislike loud noises",
)


def found(memory: Saegim, *, among: int) -> int:
    """Count the facts that a question about them brings among the first."""
    told = 0
    for fact, question in FACTS:
        hits = memory.recall(question, limit=among).hits
        told += any(hit.memory.text == fact for hit in hits)
    return told


def worth(memory: Saegim) -> float:
    """Return what the facts score, together, for the questions about them."""
    return sum(
        hit.score
        for fact, question in FACTS
        for hit in memory.recall(question).hits
        if hit.memory.text == fact
    )


def saved(path: Path, *, door: Door | None, source: str = "user") -> Saegim:
    """A store that was told the facts: by Python, or through a door of the catalogue."""
    memory = Saegim.open(path)
    for fact, _ in FACTS:
        if door is None:
            memory.remember(fact)
        else:
            CATALOGUE["memory_save"].call(CallContext(memory, door), text=fact, source=source)
    for each in AROUND:
        memory.remember(each)
    return memory


@pytest.mark.parametrize("among", [1, 3, 10])
def test_a_models_report_is_found_as_well_as_the_persons_own_words(
    among: int, tmp_path: Path
) -> None:
    """Twelve facts in both languages, saved both ways: the same number is found."""
    with saved(tmp_path / "python.db", door=None) as python:
        own = found(python, among=among)
    with saved(tmp_path / "mcp.db", door=Door.MCP) as mcp:
        assert found(mcp, among=among) == own
        kept = {each.text: each for each in mcp.recent(50).memories}
        for fact, _ in FACTS:
            # The trust stays that of a claim.
            assert kept[fact].provenance.origin is Origin.AGENT_INFERRED
            assert kept[fact].provenance.source is Source.REPORTED
            assert kept[fact].provenance.trust == 0.6
    assert own >= 7


def test_a_prompt_holds_a_models_report_where_it_holds_the_persons_words(tmp_path: Path) -> None:
    """The same, through `context`: what is asked for stands in the block both times."""
    held = []
    for name, door in (("python", None), ("mcp", Door.MCP)):
        with saved(tmp_path / f"{name}.db", door=door) as memory:
            held.append([fact for fact, asked in FACTS if fact in memory.context(asked).text])
    assert held[0] == held[1]
    assert len(held[0]) >= 8


def test_what_the_agent_thought_of_itself_stands_behind(tmp_path: Path) -> None:
    """The control: the same words as the agent's own are worth less, as a report they are not."""
    with saved(tmp_path / "python.db", door=None) as python:
        own = worth(python)
    with saved(tmp_path / "agent.db", door=Door.MCP, source="agent") as thought:
        assert worth(thought) < 0.9 * own
    with saved(tmp_path / "mcp.db", door=Door.MCP) as reported:
        assert worth(reported) > 0.99 * own


def test_what_is_reported_of_one_conversation_is_not_cut_off_in_a_prompt(tmp_path: Path) -> None:
    """A prompt holds few cards of one stranger's conversation; a report is the person's telling."""
    things = ("kettle", "teapot", "saucer", "spoon", "jug", "bowl")
    with Saegim.open(tmp_path / "mcp.db") as memory:
        talk = memory.within(session="s")
        for thing in things:
            CATALOGUE["memory_save"].call(
                CallContext(talk, Door.MCP), text=f"My kitchen holds a blue {thing}", source="user"
            )
        text = memory.context("What does my kitchen hold that is blue?").text
        assert [thing for thing in things if thing not in text] == []


def test_a_model_that_corrects_the_person_reports(tmp_path: Path) -> None:
    """The corrected words are a claim from now on, and no less findable for it."""
    with Saegim.open(tmp_path / "s.db") as memory:
        own = memory.remember("I live in Busan")
        update = CATALOGUE["memory_update"]
        told = update.call(CallContext(memory, Door.MCP), id=own.id, text="I live in Daegu")
        now = memory.get(told["id"])
        assert (now.provenance.origin, now.provenance.source) == (
            Origin.AGENT_INFERRED,
            Source.REPORTED,
        )
        by_hand = memory.update(now.id, "I live in Daejeon")
        assert by_hand.memory.provenance.source is Source.REPORTED

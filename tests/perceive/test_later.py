"""What a model adds later: durable, counted, grounded, and never the price of a memory."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any, ClassVar

import pytest

from saegim import FixedClock, Origin, Saegim
from saegim.engines.llm.models import Request, Scripted
from saegim.errors import BadReply, EngineError, Unavailable
from saegim.memory.entities import CONTRADICTS, DERIVED_FROM, SUPERSEDES
from saegim.memory.memory import State
from saegim.perceive.model_worker import MOST_TRIES
from stand_ins import wait_until, waiting

SAID = "나는 판교에 있는 회사에서 백엔드 개발자로 일하고, 주말마다 딸과 수영장에 간다"
FACTS = {
    "facts": [
        {"fact": "사용자는 판교에 있는 회사에서 백엔드 개발자로 일한다", "type": "fact",
         "importance": 0.8, "confidence": 0.9},
        {"fact": "사용자는 주말마다 딸과 수영장에 간다", "type": "experience",
         "importance": 0.6, "confidence": 0.9},
    ]
}  # fmt: skip


class Still:
    """A Saegim whose model works only when the test says so; it is closed after the test."""

    opened: ClassVar[list[Saegim]] = []

    def __init__(self, path: Path, model: Any, **settings: Any) -> None:
        self.clock = FixedClock()
        self.model = model
        self.memory = Saegim.open(path, clock=self.clock, model=model, background=False, **settings)
        self.opened.append(self.memory)

    def outcomes(self) -> list[str]:
        """Do what is due and say how each piece ended."""
        return [done.outcome for done in self.memory.maintenance.work()]


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    """No thread of a store outlives its test."""
    yield
    while Still.opened:
        Still.opened.pop().close()


@pytest.fixture
def still(tmp_path: Path) -> Iterator[Still]:
    """Return a memory with a model that reads the two facts."""
    made = Still(tmp_path / "s.db", Scripted(lambda _: FACTS))
    yield made
    made.memory.close()


def test_facts_come_later_and_lead_back_to_their_text(still: Still) -> None:
    """U4.4 and M1: derived, linked, no more trusted than an inference; the text stays as it was."""
    kept = still.memory.remember(SAID)
    assert still.model.calls == 0, "nothing is asked on the way in"
    (done,) = still.memory.maintenance.work()
    assert (done.outcome, len(done.facts)) == ("done", 2)
    facts = [still.memory.get(id) for id in done.facts]
    assert {each.provenance.origin for each in facts} == {Origin.AGENT_INFERRED}
    assert {each.provenance.turn for each in facts} == {kept.id}
    links = still.memory.mind.store.links.of(still.memory.scope, [kept.id], [DERIVED_FROM])
    assert {each.source for each in links} == set(done.facts)
    assert still.memory.get(kept.id).text == SAID
    assert waiting(still.memory) == []
    assert still.outcomes() == []


def test_no_facts_is_no_loss(tmp_path: Path) -> None:
    """U1.4: a model that finds nothing costs nothing; the words are there and findable."""
    still = Still(tmp_path / "s.db", Scripted([{"facts": []}]))
    kept = still.memory.remember(SAID)
    assert still.outcomes() == ["done"]
    assert still.memory.recall("백엔드 개발자").hits[0].memory.id == kept.id
    assert len(still.memory.recent().memories) == 1


def test_what_a_model_invents_is_not_kept(tmp_path: Path) -> None:
    """U4.2: a name or number that is not in the text is no fact; the others are."""
    lies = [{"fact": "사용자는 2019년에 결혼했다", "type": "fact"},
            {"fact": "사용자의 딸 이름은 수아이다", "type": "fact"}]  # fmt: skip
    still = Still(tmp_path / "s.db", Scripted([{"facts": [*FACTS["facts"], *lies]}]))
    still.memory.remember(SAID)
    (done,) = still.memory.maintenance.work()
    assert len(done.facts) == 2
    assert [reason for _, reason in done.rejected] == ["date", "name"]
    assert not [each for each in still.memory.recent(50).memories if "수아" in each.text]


def test_lesser_facts_are_left_out(tmp_path: Path) -> None:
    """Seed E: below the importance or the confidence that is asked for, nothing is kept."""
    weak = [{**FACTS["facts"][0], "importance": 0.2}, {**FACTS["facts"][1], "confidence": 0.3}]
    still = Still(tmp_path / "s.db", Scripted([{"facts": weak}]))
    still.memory.remember(SAID)
    (done,) = still.memory.maintenance.work()
    assert done.facts == ()
    assert [reason for _, reason in done.rejected] == ["weak", "weak"]


def test_a_server_that_is_down_is_asked_again_and_then_left_alone(tmp_path: Path) -> None:
    """R-23: five tries with growing pauses, then parked with the reason; the memory is there."""
    still = Still(tmp_path / "s.db", Scripted(lambda _: Unavailable("It sleeps.")))
    still.memory.remember(SAID)
    for tried in range(1, MOST_TRIES):
        assert still.outcomes() == ["put off"]
        (job,) = waiting(still.memory)
        assert job.due_at == still.clock.now() + timedelta(seconds=5 * 4 ** (tried - 1))
        assert still.outcomes() == [], "not before it is due"
        still.clock.at = job.due_at
    assert still.outcomes() == ["parked"]
    (job,) = waiting(still.memory)
    assert (job.state, "It sleeps." in job.error) == ("parked", True)
    still.clock.forward(days=30)
    assert still.outcomes() == []
    assert still.model.calls == MOST_TRIES
    assert still.memory.recall("수영장").hits
    still.model._script = lambda _: FACTS
    assert [done.outcome for done in still.memory.maintenance.work(parked=True)] == ["done"]


def test_a_server_that_says_when_is_believed(tmp_path: Path) -> None:
    """R-23: Retry-After is kept to."""
    still = Still(tmp_path / "s.db", Scripted([Unavailable("Busy.", retry_after=120.0), FACTS]))
    still.memory.remember(SAID)
    still.outcomes()
    assert waiting(still.memory)[0].due_at == still.clock.now() + timedelta(seconds=120)


def test_nonsense_is_tried_twice_and_no_more(tmp_path: Path) -> None:
    """U14.2: an answer that cannot be read twice parks the work; calls are bounded."""
    still = Still(tmp_path / "s.db", Scripted(lambda _: BadReply("Not JSON.")))
    still.memory.remember(SAID)
    for _ in range(6):
        still.outcomes()
        still.clock.forward(hours=1)
    assert still.model.calls == 2
    assert waiting(still.memory)[0].state == "parked"


def test_a_wrong_key_is_not_asked_twice(tmp_path: Path) -> None:
    """U18.4: what trying again cannot mend is parked at once, with what would mend it."""
    wrong = EngineError("The key was refused.", next_step="Set a valid key.")
    still = Still(tmp_path / "s.db", Scripted(lambda _: wrong))
    still.memory.remember(SAID)
    assert still.outcomes() == ["parked"]
    assert "Set a valid key." in waiting(still.memory)[0].error


def test_the_days_calls_are_capped_and_shown(tmp_path: Path) -> None:
    """U9.2: a hard cap, counted by purpose and model; tomorrow it goes on by itself."""
    still = Still(tmp_path / "s.db", Scripted(lambda _: {"facts": []}), model_daily_calls=2)
    for n in range(3):
        still.memory.remember(f"나는 {n}층에서 일한다")
    assert still.outcomes() == ["done", "done", "put off"]
    assert still.model.calls == 2
    (spent,) = still.memory.status()["model"]["spent"]
    assert (spent["purpose"], spent["model"], spent["calls"]) == ("facts", "scripted:scripted", 2)
    assert spent["tokens_in"] > 0
    assert still.outcomes() == []
    still.clock.forward(days=1)
    assert still.outcomes() == ["done"]


def test_no_model_no_calls_no_jobs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, clock: FixedClock
) -> None:
    """U9.2 and U4.6: keys in the environment turn nothing on; everything works without."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-" + "x" * 40)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-" + "x" * 40)
    with Saegim.open(tmp_path / "s.db", clock=clock) as memory:
        memory.remember(SAID)
        assert waiting(memory) == []
        assert list(memory.maintenance.work()) == []
        assert memory._shared.workers == {}


def test_an_erased_text_is_not_read_by_anyone(still: Still) -> None:
    """Attack 32: work about a memory that is gone ends without a call."""
    kept = still.memory.remember(SAID)
    still.memory.forget(kept.id)
    assert still.outcomes() == ["gone"]
    assert still.model.calls == 0


def test_secrets_never_reach_the_model(still: Still) -> None:
    """M8: the model sees the placeholder, because there is nothing else to see."""
    key = "AKIA" + "QWERTYUIOPASDFGH"
    still.memory.remember(f"{SAID}. 배포 키는 {key} 이다")
    list(still.memory.maintenance.work())
    asked = "".join(f"{each.system}{each.prompt}" for each in still.model.requests)
    assert key not in asked
    assert "[secret:aws_key#1]" in asked


def test_the_worker_does_it_by_itself(tmp_path: Path) -> None:
    """U10.1: the call returns first; the facts are there a moment later."""
    model = Scripted(lambda _: FACTS)
    with Saegim.open(tmp_path / "s.db", model=model) as memory:
        memory.remember(SAID)
        wait_until(lambda: len(memory.recent(50).memories) == 3)
        assert waiting(memory) == []
    assert model.closed


WORKS = """
import os, sys, time
from saegim import Saegim
from saegim.engines.llm.models import Request, Scripted

def slow(request):
    os.write(1, b"asked\\n")
    time.sleep(600)

memory = Saegim.open(sys.argv[1], model=Scripted(slow))
memory.remember(sys.argv[2])
os.write(1, b"kept\\n")
time.sleep(600)
"""


def test_killed_in_the_middle_of_a_call_nothing_is_lost(tmp_path: Path) -> None:
    """U2.3 and U2.4: the text is there, nobody waits for a lock, the work is taken up later."""
    path = tmp_path / "s.db"
    child = subprocess.Popen(
        [sys.executable, "-c", WORKS, str(path), SAID], stdout=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    told = {child.stdout.readline().strip() for _ in range(2)}
    assert told == {"kept", "asked"}
    with Saegim.open(path) as memory:
        assert memory.remember("그 사이에도 쓸 수 있다").status == "stored"
    os.kill(child.pid, signal.SIGKILL)
    child.wait()
    child.stdout.close()
    clock = FixedClock()
    clock.at = memory.mind.clock.now() + timedelta(minutes=11)
    model = Scripted(lambda _: FACTS)
    with Saegim.open(path, clock=clock, model=model) as memory:
        wait_until(lambda: model.calls > 0 or bool(list(memory.maintenance.work())))
        wait_until(lambda: waiting(memory) == [])
        assert [each for each in memory.recent(50).memories if "딸과" in each.text]


def test_a_fact_that_is_known_in_nearly_the_same_words_is_left_out(still: Still) -> None:
    """Seed E, phase 3: duplicates are found by their vectors; what is new is kept."""
    still.memory.remember("사용자는 주말마다 딸과 수영장에 간다.", kind="fact")
    list(still.memory.maintenance.work())
    still.memory.remember(SAID)
    done = list(still.memory.maintenance.work())[-1]
    assert [still.memory.get(id).text for id in done.facts] == [FACTS["facts"][0]["fact"]]


def test_what_a_model_was_not_shown_is_said(still: Still) -> None:
    """U1.3: a text longer than a small model can read is kept whole, and the rest is counted."""
    still.memory.remember("\n\n".join(f"{n}. {SAID}." for n in range(400)))
    (long,) = still.memory.maintenance.work()
    still.memory.remember(SAID)
    (short,) = still.memory.maintenance.work()
    assert long.unread > 0
    assert short.unread == 0


def read_by(tmp_path: Path, said: str, fact: str, triple: list[str], **about: Any) -> Saegim:
    """Keep a text, let a model read this fact in it, and return the memory."""
    line = {"facts": [{"fact": fact, "triple": triple, "importance": 0.9, "confidence": 0.9}]}
    still = Still(tmp_path / "s.db", Scripted(lambda _: line))
    still.memory.remember(said, **about)
    assert still.outcomes() == ["done"]
    return still.memory


@pytest.mark.parametrize("origin", ["user_said", "import"])
@pytest.mark.parametrize(("said", "fact", "value"), [
    ("I live in Leeds but my office is in York",
     "The user lives in Leeds but their office is in York", "York"),
    ("작년에 판교에서 수원으로 이사했어", "사용자는 판교에서 수원으로 이사했다", "판교"),
])  # fmt: skip
def test_rules_and_model_that_disagree_are_two_candidates(
    tmp_path: Path, said: str, fact: str, value: str, origin: str
) -> None:
    """The rules' reading is the floor: a model's stands beside it, marked, and changes nothing."""
    korean = value == "판교"
    triple = ["사용자", "이사함", value] if korean else ["The user", "lives in", value]
    memory = read_by(tmp_path, said, fact, triple, origin=origin)
    model, rules = memory.recent(5).memories
    assert (model.text, rules.text) == (fact, said)
    assert tuple(triple) in model.content.triples
    assert value not in [value for _, predicate, value in rules.content.triples if predicate
                         in ("lives in", "이사함")]  # fmt: skip
    assert {each.life.state for each in (model, rules)} == {State.ACTIVE}
    links = memory.mind.store.links.of(memory.scope, [rules.id], [CONTRADICTS, SUPERSEDES])
    assert [(each.source, each.type) for each in links] == [(model.id, CONTRADICTS)]
    memory.close()


def test_rules_and_model_that_agree_do_not_disagree(tmp_path: Path) -> None:
    """The control: the same reading twice is no contradiction."""
    said, fact = "나는 판교에 살아", "사용자는 판교에 산다"
    memory = read_by(tmp_path, said, fact, ["사용자", "산다", "판교"])
    ids = [each.id for each in memory.recent(5).memories]
    assert len(ids) == 2
    assert not memory.mind.store.links.of(memory.scope, ids, [CONTRADICTS, SUPERSEDES])
    memory.close()


def test_what_a_model_leaves_out_rules_still_read(tmp_path: Path) -> None:
    """The rules' reading is the floor: a fact without ties of the model's has theirs."""
    memory = read_by(tmp_path, "나 수원 살아, 회사는 멀어", "사용자는 수원에 산다", [])
    (fact,) = [each for each in memory.recent(5).memories if each.text.startswith("사용자")]
    assert ("사용자", "거주함", "수원") in fact.content.triples
    memory.close()


def test_what_nearly_repeats_a_fact_and_says_another_number_is_kept(tmp_path: Path) -> None:
    """Seed E: a fact is known if it says the same, not if it only looks the same."""
    told = {"두": "나는 매일 아침 혈압약을 두 알 먹어", "세": "이제 매일 아침 혈압약을 세 알 먹어"}
    fact = "사용자는 매일 아침 혈압약을 {} 알 먹는다"

    def line(request: Request) -> dict[str, Any]:
        count = next(count for count, said in told.items() if said in request.prompt)
        return {"facts": [{"fact": fact.format(count), "importance": 0.9, "confidence": 0.9}]}

    still = Still(tmp_path / "s.db", Scripted(line))
    for count, said in told.items():
        still.memory.remember(said)
        (done,) = still.memory.maintenance.work()
        assert [still.memory.get(id).text for id in done.facts] == [fact.format(count)]
        still.clock.forward(days=1)
    still.memory.remember("아 참, 이제 매일 아침 혈압약을 세 알 먹어")
    (done,) = still.memory.maintenance.work()
    assert [reason for _, reason in done.rejected] == ["known"], "the control: the same is known"
    still.memory.close()

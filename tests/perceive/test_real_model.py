"""Real small models: at night one that runs here, by day what such models answered, replayed.

Asked is the structure only: what is kept stands in its source, what is not has a reason, the
language stays, the cap of the day holds and the ledger verifies. A small model is often wrong; that
is what the checks are for.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from engines.llama_server import MODEL, model_file, serving
from engines.llm_server import LLMServer, Turn
from language.labelled import group
from saegim import FixedClock, Saegim
from saegim.engines.http import WireSettings
from saegim.engines.llm.json_repair import items
from saegim.engines.llm.models import Answer, OpenAIModel, Request
from saegim.errors import BadReply, EngineError
from saegim.guard.injection import suspicion
from saegim.language.grounding import Ground
from saegim.language.language import script_of
from saegim.memory.entities import DERIVED_FROM
from saegim.memory.memory import Memory, Tier
from saegim.messages import entries
from saegim.perceive.agent_extraction import hand_in, lend
from saegim.sleep.reflect.reflect_by_model import (
    ModelQuestioner,
    cited,
    insights_request,
    profile_request,
    tidy,
)
from saegim.sleep.stages.distil import distilled_by_model, wrong_with

KOREAN = """나는 커피는 이제 안 마시고 보리차만 마셔.
우리 딸 서아는 올해 초등학교 2학년이야.
지난주 토요일에 동생이랑 북한산에 올라갔다 왔어.
저는 전주에서 작은 책방을 하고 있어요.
새우 알레르기가 있어서 해물라면은 못 먹어.
다음 달 12일에 허리 검사 예약했어.
회의록은 항상 표로 정리해 줘.
남편은 야간 근무라 아침 7시에 들어와.
기타를 배우고 싶은데 아직 시작은 못 했어.
키우던 앵무새 이름은 초롱이였고 작년에 떠났어.""".splitlines()
ENGLISH = """I don't eat red meat any more, mostly lentils and fish.
My brother Callum runs a bike shop in Bristol.
We adopted a greyhound called Pepper last spring.
I'm allergic to penicillin, so please keep that in mind.
I switched from Jira to Linear at work in January.
My flight to Lisbon is on 14 May at seven in the morning.
Please answer me in short bullet points.
I wanted to be a pilot, but I became a physiotherapist.
Our rent went up to 1,450 pounds, so we may move to Leeds.
I play the cello on Thursdays with two neighbours.""".splitlines()
GROUPS = {
    "서아": """3월 2일 서아가 도서관에서 공룡 책을 빌렸다
3월 9일 서아가 도서관에서 별자리 책을 빌렸다
3월 16일 서아가 도서관에서 만화책을 읽었다""".splitlines(),
    "Callum": """On March 3 Callum fixed a bike at the shop
On March 10 Callum sold a bike at the shop
On March 17 Callum painted a bike at the shop""".splitlines(),
}
REASONS = {name.removeprefix("refused ") for name in entries("cli", "en") if "refused " in name}
ANSWER = 160
PATIENT = WireSettings(read_seconds=600, total_seconds=600, container_marks=())


@dataclass
class Overheard:
    """A model that asks a server and remembers what it answered to each question."""

    server: OpenAIModel
    answers: dict[str, Answer] = field(default_factory=dict)
    provider: str = "openai-compatible"
    model: str = MODEL
    local: bool = True

    def ask(self, request: Request) -> Answer:
        """Ask the server, and keep its answer."""
        found = self.server.ask(request)
        self.answers[request.prompt] = found
        return found

    def close(self) -> None:
        """Let go of the server."""
        self.server.close()

    def said_to(self, text: str) -> str:
        """Return what was answered to the question about a text."""
        return next(each.text for prompt, each in self.answers.items() if text in prompt)


@pytest.fixture
def small() -> Iterator[Overheard]:
    """Run the small model on one thread."""
    with serving(model_file()) as url:
        model = Overheard(OpenAIModel(f"{url}/v1", MODEL, "", settings=PATIENT))
        yield model
        model.close()


def assert_grounded(facts: list[Memory], source: Memory) -> None:
    """What was kept says what its source says, in its language."""
    ground = Ground(source.text, order_in=suspicion, said_at=source.time.said)
    for each in facts:
        assert ground.wrong_with(each.text) == "", each.text
        assert script_of(each.text) == script_of(source.text), each.text
        assert each.provenance.trust <= source.provenance.trust


def facts_of(memory: Saegim, source: Memory) -> list[Memory]:
    """Return what was read in a text."""
    links = memory.mind.store.links.of(memory.scope, [source.id], [DERIVED_FROM])
    return [memory.get(each.source) for each in links if each.target == source.id]


@pytest.mark.nightly
def test_a_small_model_goes_through_every_path(
    small: Overheard, clock: FixedClock, tmp_path: Path
) -> None:
    """Twenty sentences, read by the worker, by an agent, in the night and in reflection."""
    said = [*KOREAN, *ENGLISH]
    settings: dict[str, Any] = {"background": False, "model_max_tokens": ANSWER}
    with Saegim.open(tmp_path / "read.db", model=small, clock=clock, **settings) as memory:
        kept = {memory.remember(each).id: each for each in said}
        done = list(memory.maintenance.work())
        clock.forward(minutes=1)
        # What could not be read is asked for once more, and then parked.
        done += memory.maintenance.work()
        assert {each.job.subject for each in done} == set(kept)
        for each in done:
            assert each.outcome == "done" or each.why
            assert {reason for _, reason in each.rejected} <= REASONS
            source = memory.get(each.job.subject)
            assert source.text == kept[source.id]
            assert_grounded([memory.get(id) for id in each.facts], source)
        assert sum(len(each.rejected) for each in done) == sum(
            memory.status()["model"]["left_out"].values()
        )
        assert_by_night(memory, small)
        memory.maintenance.verify()
        spent = sum(each["calls"] for each in memory.status()["model"]["spent"])
        assert spent == len(small.answers) + sum(
            each["failed"] for each in memory.status()["model"]["spent"]
        )
    assert_by_agent(small, said, tmp_path)
    with Saegim.open(
        tmp_path / "read.db", model=small, clock=clock, model_daily_calls=spent, **settings
    ) as memory:
        memory.remember("나는 매주 수요일에 도자기를 배워.")
        asked = len(small.answers)
        assert "put off" in {each.outcome for each in memory.maintenance.work()}
        assert len(small.answers) == asked, "the cap of the day holds"
        memory.maintenance.verify()


def distilled(
    sources: list[Memory], ask: Callable[[Request], Answer], tier: Tier
) -> tuple[str, str]:
    """Return the essence a model tells, or why it is not believed."""
    try:
        made = distilled_by_model(sources, ask=ask, to=tier, max_tokens=ANSWER, who=MODEL)
    except BadReply as refused:
        return "", refused.message
    return made.text, ""


def assert_by_night(memory: Saegim, model: Overheard) -> None:
    """Distil and reflect with the model: a grounded sentence, or a reason why there is none."""
    for name, texts in GROUPS.items():
        sources = group(*texts)
        for tier in (Tier.M90, Tier.M365):
            made, why = distilled(sources, lambda request: memory.mind.ask("distil", request), tier)
            assert made or MODEL in why
            assert not made or wrong_with(made, sources) == ""
            assert not made or script_of(made) == script_of(texts[0])
        for ask in (insights_request, profile_request):
            request, shown = ask(
                name, sources, language="ko" if name == "서아" else "en", max_tokens=ANSWER
            )
            memory.mind.ask("reflect", request)
            assert model.answers[request.prompt].text
            assert shown == sources
    for text in GROUPS["서아"]:
        memory.remember(text, tier="M30")
    night = memory.sleep()
    assert night.ended_at is not None
    for each in memory.recent(100).memories:
        assert "주말마다 강가를" not in each.text, "the example of the question is no insight"


def assert_by_agent(model: Overheard, said: list[str], folder: Path) -> None:
    """Hand the same answers in as a calling agent would; they are held against the turns alike."""
    with Saegim.open(folder / "lent.db") as memory:
        for each in said:
            memory.observe(each, session="s")
        turns = 0
        while work := lend(memory.scope, memory.mind, limit=10):
            for lent in work:
                turns += 1
                text = next(each for each in said if each in lent.quoted[0])
                try:
                    found = items(model.said_to(text))
                except EngineError:
                    found = []
                done = hand_in(memory.scope, memory.mind, lent.job, found)
                assert done.state == "done"
                assert {reason for _, reason in done.rejected} <= REASONS
        assert turns >= len(said) // 2
        for source in memory.recent(100).memories:
            assert_grounded(facts_of(memory, source), source)
        memory.maintenance.verify()


# -- by day: what real models answered, replayed ---------------------------------------------------

RECORDED = [
    json.loads(line)
    for line in (Path(__file__).parents[1] / "data" / "model_answers.jsonl")
    .read_text("utf-8")
    .splitlines()
]


@pytest.fixture
def replaying() -> Iterator[LLMServer]:
    """Run a server that says what the test gives it."""
    with LLMServer() as running:
        yield running


def by_path(*paths: str) -> list[Any]:
    """Return the recorded answers of these paths, each under a name of its own."""
    chosen = [(at, each) for at, each in enumerate(RECORDED) if each["path"] in paths]
    return [pytest.param(each, id=f"{at}-{each['path']}-{each['lang']}") for at, each in chosen]


def replayed(server: LLMServer, recorded: dict[str, Any]) -> OpenAIModel:
    """Return a model behind the server, which answers as the real one did."""
    ended = "stop" if recorded["finished"] else "length"
    server.turn = Turn(text=recorded["answer"], ended=ended)
    return OpenAIModel(f"{server.url}/v1", recorded["model"], "", settings=PATIENT)


@pytest.mark.parametrize("recorded", by_path("facts"))
def test_what_a_real_model_read_is_taken_and_refused_as_it_deserves(
    replaying: LLMServer, clock: FixedClock, tmp_path: Path, recorded: dict[str, Any]
) -> None:
    """U4.2: of each recorded answer exactly these are kept, and the rest for these reasons."""
    model = replayed(replaying, recorded)
    with Saegim.open(tmp_path / "s.db", model=model, clock=clock, background=False) as memory:
        source = memory.remember(recorded["said"]).memory
        (done,) = memory.maintenance.work()
        assert len(replaying.seen) == 1
        assert (recorded["why"] in done.why) if recorded["why"] else done.why == ""
        assert [memory.get(id).text for id in done.facts] == recorded["kept"]
        assert [list(each) for each in done.rejected] == recorded["refused"]
        assert_grounded([memory.get(id) for id in done.facts], source)
        memory.maintenance.verify()


@pytest.mark.parametrize("recorded", by_path("distil", "deepen"))
def test_what_a_real_model_distilled(replaying: LLMServer, recorded: dict[str, Any]) -> None:
    """U4.2: an essence that tells what its sources tell is taken, every other has its reason."""
    tier = Tier.M90 if recorded["path"] == "distil" else Tier.M365
    made, why = distilled(group(*recorded["said"]), replayed(replaying, recorded).ask, tier)
    assert ([made] if made else []) == recorded["kept"]
    assert (recorded["why"] in why) if recorded["why"] else why == ""


@pytest.mark.parametrize("recorded", by_path("insights", "profile"))
def test_what_a_real_model_noticed(
    replaying: LLMServer, clock: FixedClock, tmp_path: Path, recorded: dict[str, Any]
) -> None:
    """U4.2: an insight or a profile needs two sources that say it; why not is counted."""
    model = replayed(replaying, recorded)
    with Saegim.open(tmp_path / "s.db", model=model, clock=clock, background=False) as memory:
        asking, sources = ModelQuestioner(memory.mind, memory.scope.user), group(*recorded["said"])
        several = recorded["path"] == "insights"
        ask, many = (insights_request, "insights") if several else (profile_request, "profiles")
        request, shown = ask(
            recorded["name"], sources, language=recorded["lang"], max_tokens=ANSWER
        )
        found = asking.items(request, many=many) or []
        told = [(tidy(each["content"]), cited(each.get("sources"), shown)) for each in found]
        known = (recorded["name"].lower(),)
        taken = [text for text, cites in told if asking.takes(text, cites, known)]
        assert taken == recorded["kept"]
        assert memory.status()["model"]["left_out"] == recorded["reasons"]
        assert bool(asking.troubles) == bool(recorded["why"])


def test_the_recorded_answers_are_many_enough() -> None:
    """Both languages, every path, taken and refused, of two models: nothing is vacuous."""
    assert {each["lang"] for each in RECORDED} == {"ko", "en"}
    assert {each["path"] for each in RECORDED} == {
        "facts", "distil", "deepen", "insights", "profile",
    }  # fmt: skip
    assert len({each["model"] for each in RECORDED}) == 2
    assert sum(len(each["kept"]) for each in RECORDED) >= 8
    assert sum(len(each["refused"]) for each in RECORDED) >= 10

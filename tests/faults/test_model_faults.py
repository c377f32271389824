"""R-23: whatever a model server does, nothing that was said is lost and nobody waits for it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from engines.llm_server import BAD_REPLIES, HEALTHY, TURNS, LLMServer, Turn, waits
from saegim import FixedClock, Saegim
from saegim.engines.llm.models import OpenAIModel
from stand_ins import wait_until, waiting

SAID = "민호는 지난주에 부산으로 이사했고 나는 그 집들이에 갔다"
FACT = {"fact": "민호는 부산으로 이사했다", "type": "fact", "importance": 0.8, "confidence": 0.9}
# These are answers after all: what they hold is read, or rejected as not grounded.
USABLE = {
    "thinking", "parts", "nul", "surrogates", "no usage", "odd usage", "schema tool", "cut",
    "broken tool", "other language",
}  # fmt: skip
FAULTS = sorted({*BAD_REPLIES, *TURNS, "silence", "stall", "reset", "half", "huge"} - USABLE)


@pytest.fixture
def server() -> Iterator[LLMServer]:
    """Run a server that reads one fact."""
    with LLMServer(turn=Turn(text=json.dumps({"facts": [FACT]}, ensure_ascii=False))) as running:
        yield running


def listening(path: Path, url: str, clock: FixedClock, fault: str = "") -> Saegim:
    """Open a memory whose model is that server, working only when it is told to."""
    model = OpenAIModel(f"{url}/v1", "m", "", settings=waits(fault))
    return Saegim.open(path, clock=clock, model=model, background=False)


@pytest.mark.parametrize("fault", FAULTS)
def test_capture_never_fails_and_the_work_is_done_or_parked(
    tmp_path: Path, server: LLMServer, clock: FixedClock, fault: str
) -> None:
    """R-23: kept and found at once, never a call on the way in; parked with a reason in the end."""
    with listening(tmp_path / "s.db", server.url, clock, fault) as memory:
        (kept,) = memory.observe(SAID).kept
        assert server.seen == []
        assert memory.recall("부산 집들이").hits[0].memory.id == kept.id
        server.fail(*[fault] * 50)
        for _ in range(8):
            list(memory.maintenance.work())
            clock.forward(days=1)
        (job,) = waiting(memory)
        assert job.state == "parked"
        assert server.url in job.error, "U18.4: who, and under which address"
        assert 1 <= len(server.seen) <= 12, "bounded: at most five tries, each giving way a little"
        assert memory.get(kept.id).text == SAID
        server.faults.clear()
        read: list[str] = []

        def is_read() -> bool:
            clock.forward(days=1)
            for done in memory.maintenance.work(parked=True):
                read.extend(memory.get(id).text for id in done.facts)
            return not waiting(memory)

        # The control: without the fault it is read. Who is given up soon is asked again.
        wait_until(is_read)
        assert read == [FACT["fact"]]


@pytest.mark.parametrize("fault", sorted(USABLE))
def test_what_a_stumbling_model_says_is_read_or_left_out(
    tmp_path: Path, server: LLMServer, clock: FixedClock, fault: str
) -> None:
    """U14.1: an answer that can be used ends the work; what is not in the text is not kept."""
    with listening(tmp_path / "s.db", server.url, clock) as memory:
        memory.observe(SAID)
        server.fail(fault)
        (done,) = memory.maintenance.work()
        assert done.outcome == "done"
        assert waiting(memory) == []
        assert all("\x00" not in memory.get(id).text for id in done.facts)
        assert HEALTHY not in [each.text for each in memory.recent(50).memories]


def test_a_server_that_is_gone_costs_nothing(tmp_path: Path, clock: FixedClock) -> None:
    """U18.3 and U18.4: connection refused is named in the parked work; no other server is asked."""
    with LLMServer() as gone:
        url = gone.url
    with listening(tmp_path / "s.db", url, clock) as memory:
        memory.observe(SAID)
        for _ in range(6):
            list(memory.maintenance.work())
            clock.forward(days=1)
        (job,) = waiting(memory)
        assert job.state == "parked"
        assert url in job.error

"""A model that takes its time: nobody waits for the night, and the night bows to what was done."""

from __future__ import annotations

import json
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

import apsw
import pytest

from engines.llm_server import Answer, LLMServer, Seen, Turn
from faults.processes import PATIENCE, Warm
from saegim import Saegim
from saegim.engines.llm.models import Request
from saegim.memory.changes import Pinned, Saved
from saegim.memory.memory import Memory, Source, State
from saegim.mind import Mind
from saegim.sleep import flow
from saegim.store.rows import ALL_STATES, Where
from saegim.store.tables.night_table import NightRow
from sleep.bedtime import NIGHT, OWNER, commit, opened, rising, rows

ESSENCE = "삐돌이는 카페를 자주 가고 커피를 즐긴다"
CAFE = ("mem_cafe0", "mem_cafe1", "mem_cafe2")


@dataclass
class Slow(LLMServer):
    """A server that answers only when the test lets it."""

    asked: threading.Event = field(default_factory=threading.Event)
    may_answer: threading.Event = field(default_factory=threading.Event)

    def answer(self, request: Seen) -> Answer:
        """Say that something was asked, and think until the test says it was long enough."""
        self.asked.set()
        assert self.may_answer.wait(PATIENCE)
        return super().answer(request)


@pytest.fixture
def server() -> Iterator[Slow]:
    """A slow server that distils well in the end."""
    text = json.dumps({"content": ESSENCE, "type": "fact"}, ensure_ascii=False)
    with Slow(turn=Turn(text=text)) as found:
        yield found
        found.may_answer.set()


@dataclass
class Sleeping:
    """A night in a thread of its own, hanging on its model."""

    memory: Saegim
    server: Slow
    row: NightRow | None = None
    failures: list[BaseException] = field(default_factory=list)

    def ended(self) -> NightRow:
        """Let the model answer; return the night when it is over."""
        self.server.may_answer.set()
        self.thread.join(PATIENCE)
        assert self.failures == []
        assert self.row is not None
        return self.row

    def begin(self, *stages: str) -> None:
        """Sleep these stages until a model is asked."""
        self.thread = threading.Thread(target=self._run, args=stages)
        self.thread.start()
        assert self.server.asked.wait(PATIENCE)

    @property
    def hangs(self) -> bool:
        """Say whether the model is still thinking."""
        return self.thread.is_alive() and not self.server.may_answer.is_set()

    def _run(self, *stages: str) -> None:
        try:
            self.row = self.memory.sleep(*stages)
        except BaseException as error:  # noqa: BLE001 - told to the test, which fails by it
            self.failures.append(error)


@contextmanager
def asleep(path: Path, server: Slow, *stages: str) -> Iterator[Sleeping]:
    """Open a store with the slow model and sleep these stages until it is asked."""
    settings = {"model": "openai:m", "model_url": f"{server.url}/v1", "model_timeout": PATIENCE}
    with opened(path, background=False, extraction=False, **settings) as memory:
        night = Sleeping(memory, server)
        try:
            night.begin(*stages)
            yield night
        finally:
            server.may_answer.set()
            night.thread.join(PATIENCE)


@pytest.fixture
def cafe(tmp_path: Path) -> Path:
    """A store in which one theme is about to rise, and nothing else."""
    path = tmp_path / "night" / "memory.db"
    with opened(path, NIGHT - timedelta(days=1)) as memory:
        told = [Saved(each) for each in rising() if each.id in CAFE]
        commit(memory, told, memory.mind.now())
    return path


@pytest.fixture
def full(seed: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    shutil.copytree(seed, tmp_path / "full")
    return tmp_path / "full" / "memory.db"


def distilled(memory: Saegim) -> list[Memory]:
    """Return what nights have made of other memories, whatever became of it."""
    where = Where(scope=memory.scope, states=ALL_STATES)
    made = (Source.DISTILLATION, Source.REFLECTION)
    return [
        each for _, each in memory.mind.store.memories.walk(where) if each.provenance.source in made
    ]


def locked(path: Path) -> bool:
    """Say whether anybody is writing at this instant."""
    with closing(apsw.Connection(str(path))) as raw:
        raw.set_busy_timeout(0)
        try:
            raw.execute("BEGIN IMMEDIATE")
        except apsw.BusyError:
            return True
        raw.execute("ROLLBACK")
        return False


# -- nobody waits ---------------------------------------------------------------------------------


def test_the_essence_of_a_slow_model_is_kept(cafe: Path, server: Slow) -> None:
    """U2.3: undisturbed, what the model said after a long while is what the night keeps."""
    with asleep(cafe, server, "promote", "distil") as night:
        row = night.ended()
        assert row.told["distil"]["rose"] == 1
        assert [each.text for each in distilled(night.memory)] == [ESSENCE]


def test_while_a_model_thinks_everybody_writes(cafe: Path, server: Slow, warm: Warm) -> None:
    """U2.3: this process and another write to the end while the model thinks; all of it stays."""
    with asleep(cafe, server, "promote", "distil") as night:
        assert not locked(cafe)
        mine = [night.memory.remember(f"While it thinks I say {n}").memory.id for n in range(5)]
        other = warm.start("add", path=str(cafe), name="other", count=5)
        assert other.told() == "open"
        other.say("go")
        (theirs,) = other.rest()
        night.memory.forget(mine[0])
        assert night.hangs
        row = night.ended()
        assert row.told["distil"] == {"rose": 1, "rose:ids": row.told["distil"]["rose:ids"]}
        for id in (*mine[1:], *theirs):
            assert night.memory.get(id).life.state is State.ACTIVE
        assert night.memory.get(mine[0]).life.state is State.LEAVING
        assert len(distilled(night.memory)) == 1
        night.memory.maintenance.verify()
        assert night.memory.mind.store.check() == []


def test_while_a_model_reflects_everybody_writes(full: Path, server: Slow) -> None:
    """U2.3: the same where the model is asked what the new memories mean."""
    with asleep(full, server, "reflect") as night:
        assert not locked(full)
        id = night.memory.remember("While it thinks I say this").memory.id
        assert night.hangs
        row = night.ended()
        assert set(row.done) == {"reflect"}
        assert night.memory.get(id).text == "While it thinks I say this"


def test_a_night_that_asks_inside_a_transaction_is_seen_to_lock(
    cafe: Path, server: Slow, monkeypatch: pytest.MonkeyPatch
) -> None:
    """U2.3 control: with the model asked inside a transaction, nobody else could write."""

    def inside(mind: Mind, _: str, request: Request, **__: Any) -> Any:
        with closing(apsw.Connection(str(cafe))) as raw:
            raw.execute("BEGIN IMMEDIATE")
            assert mind.model is not None
            return mind.model.ask(request)

    monkeypatch.setattr(Mind, "ask", inside)
    with asleep(cafe, server, "promote", "distil"):
        assert locked(cafe)


# -- the night bows -------------------------------------------------------------------------------

Act = Callable[[Saegim, str], object]


def pin(memory: Saegim, id: str) -> None:
    """Hold a memory fast, as a person does."""
    commit(memory, [Pinned(id, True)], memory.mind.now())


ACTS: dict[str, Act] = {
    "forget": lambda memory, id: memory.forget(id),
    "pin": pin,
    "update": lambda memory, id: memory.update(id, "삐돌이는 이제 집에서 차만 마심"),
}


@pytest.mark.parametrize("act", sorted(ACTS))
def test_what_a_person_does_to_a_source_meanwhile_holds(act: str, cafe: Path, server: Slow) -> None:
    """U2.3: the essence of what was changed meanwhile is not kept, and the report says so."""
    with asleep(cafe, server, "promote", "distil") as night:
        ACTS[act](night.memory, "mem_cafe1")
        stood = night.memory.get("mem_cafe1", exact=True)
        assert night.hangs
        row = night.ended()
        assert distilled(night.memory) == []
        assert row.told["distil"] == {"overtaken": 1}
        assert night.memory.get("mem_cafe1", exact=True) == stood
        night.memory.maintenance.verify()


def test_the_words_of_what_was_erased_meanwhile_do_not_come_back(cafe: Path, server: Slow) -> None:
    """U2.3, U26.3: nothing derived outlives the erasing of all its sources, also from a model."""
    with asleep(cafe, server, "promote", "distil") as night:
        night.memory.forgetting.erase(*CAFE, confirm=True)
        assert night.hangs
        night.ended()
        assert distilled(night.memory) == []
        words = rows(cafe, "SELECT text FROM memory WHERE text IS NOT NULL")
        assert not [each for each in words if "삐돌이" in each["text"]]


def test_an_insight_into_what_was_forgotten_meanwhile_is_not_kept(full: Path, server: Slow) -> None:
    """U2.3: what was noticed in memories that a person let go meanwhile is not kept either."""
    with asleep(full, server, "reflect") as night:
        known = night.memory.search("민수", limit=50)
        night.memory.forget(*(each.id for each in known))
        assert night.hangs
        row = night.ended()
        assert [each.text for each in distilled(night.memory) if "민수" in each.text] == []
        assert row.told["reflect"]["overtaken"] >= 1


def meddled(
    path: Path, monkeypatch: pytest.MonkeyPatch, stage: str, meddle: Callable[[Saegim], None]
) -> tuple[NightRow, dict[str, Any]]:
    """Do something between two commits of a stage; return the night and how memories stand."""
    monkeypatch.setattr(flow, "_MOST_CHANGES", 1)

    with opened(path) as memory:

        def tell(name: str, taken: int) -> None:
            # The second part is thought out already, and not yet written.
            if (name, taken) == (stage, 1):
                meddle(memory)

        row = memory.sleep(stage, tell=tell)
        assert row is not None
        found = rows(path, "SELECT * FROM memory WHERE owner = ?", OWNER)
        return row, {each["id"]: each for each in found}


@pytest.mark.parametrize("act", ["pin", "forget", "update"])
def test_what_was_about_to_merge_is_left_alone_if_someone_touched_it(
    act: str, full: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """U2.3: thought out but not yet written, a merge of what changed meanwhile is dropped."""
    row, stands = meddled(
        full, monkeypatch, "merge", lambda memory: ACTS[act](memory, "mem_tea3") and None
    )
    assert row.told["merge"]["merged"] == 2
    assert row.told["merge"]["overtaken"] == 1
    assert stands["mem_tea1"]["repeated"] == 1
    expected = {"pin": State.ACTIVE, "forget": State.LEAVING, "update": State.SUPERSEDED}
    assert stands["mem_tea3"]["state"] == expected[act]


def test_what_was_about_to_leave_stays_if_someone_holds_it(
    full: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """U2.3: pinned between the thought and the commit, nothing of it leaves."""
    held = ("mem_over2", "mem_old", "mem_asleep", "mem_never", "mem_talk0", "mem_talk1")

    def meddle(memory: Saegim) -> None:
        for id in held:
            pin(memory, id)

    row, stands = meddled(full, monkeypatch, "leave", meddle)
    assert [id for id in held if stands[id]["state"] == State.LEAVING] == []
    assert row.told["leave"]["overtaken"] >= 1
    assert row.told["leave"]["expired"] == 1


def test_without_a_look_at_what_changed_the_night_is_seen_to_override(
    full: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """U2.3 control: a commit that does not ask who was there meanwhile lets the pinned go."""
    monkeypatch.setattr("saegim.store.ledger.Writing.refuse_changed", lambda *_: None)
    row, stands = meddled(full, monkeypatch, "leave", lambda memory: pin(memory, "mem_over2"))
    assert stands["mem_over2"]["state"] == State.LEAVING
    assert "overtaken" not in row.told["leave"]

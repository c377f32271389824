"""Long work goes on after its caller was told so, and asked again it tells its end."""

from __future__ import annotations

import shutil
import threading
from pathlib import Path

import pytest
from hanging import Hanging

from saegim.errors import BadInput, SaegimError
from saegim.serve.backend import Call, LocalBackend
from saegim.serve.long_calls import LongCalls
from sleep.bedtime import OWNER
from stand_ins import PATIENCE, wait_until


def test_short_work_is_told_at_once_and_once() -> None:
    """Work that ends in time is told with its result, and the next wish is new work."""
    long_calls = LongCalls()
    done: list[int] = []

    def work() -> int:
        done.append(1)
        return len(done)

    assert long_calls.sent("a", work).result() == 1
    assert long_calls.sent("a", work).result() == 2
    assert not long_calls.busy


def test_long_work_is_one_work_however_often_it_is_asked_for() -> None:
    """U6.3: the same wish twice is the same work; its end is told to whoever asks next."""
    long_calls, go, begun = LongCalls(patience=0.01), threading.Event(), []

    def work() -> str:
        begun.append(1)
        go.wait(60)
        return "done"

    first = long_calls.sent("night", work)
    assert not first.over
    assert long_calls.busy
    assert long_calls.sent("night", work) is first
    other = long_calls.sent("other", lambda: 5)
    other.wait(PATIENCE)
    assert other.result() == 5
    go.set()
    wait_until(lambda: first.over)
    assert long_calls.sent("night", work).result() == "done"
    assert begun == [1]


def test_trouble_is_told_as_it_was() -> None:
    """An error of the work reaches whoever asks; a crash is said to be one."""
    long_calls = LongCalls()

    def refused() -> None:
        raise BadInput("no", next_step="yes")

    with pytest.raises(BadInput, match="no"):
        long_calls.sent("a", refused).result()
    assert not long_calls.busy


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_crash_ends_the_work() -> None:
    """Work that breaks off is over, and says so instead of waiting for ever."""

    def crash() -> None:
        raise RuntimeError("inside")

    with pytest.raises(SaegimError, match="broke off"):
        LongCalls().sent("a", crash).result()
    for each in threading.enumerate():
        if each.name == "saegim-long-call":
            each.join()


def test_a_night_with_a_slow_model_is_told_as_running_and_then_as_done(
    seed: Path, tmp_path: Path
) -> None:
    """U6.3: sleep_cycle_run answers before the model does; asked again, it tells the end."""
    shutil.copytree(seed, tmp_path / "home")
    night = Call(name="sleep_cycle_run", door="mcp")
    with Hanging() as server:
        given = {"model": "ollama:x", "model_url": server.url}
        house = LocalBackend(tmp_path / "home" / "memory.db", user=OWNER, **given)
        house.long_calls._patience = 0.05
        try:
            first = house.call(night)
            assert (first["status"], first["night"]) == ("running", None)
            assert first["next_step"]
            wait_until(server.asked.is_set)
            assert house.call(night)["status"] == "running"
            # While it goes on, everything else is answered.
            assert house.call(Call(name="memory_stats"))["total"] > 0
            assert not house.rest(0)
            assert server.hangs
            server.released.set()
            told = first
            while told["status"] == "running":
                told = house.call(night)
            assert told["status"] == "done"
            assert told["night"]["id"]
            report = house.call(Call(name="night_report"))
            assert report["night"]["id"] == told["night"]["id"]
        finally:
            server.released.set()
            house.close()

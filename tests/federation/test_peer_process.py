"""The process that speaks with others: without the store, expendable, and real among three."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from federation.hub import running_hub
from federation.task import Habits, Learner, start
from ports import free_port
from saegim import Saegim
from saegim.federation.exchange import shared_in
from saegim.federation.house import SharingHouse, started
from saegim.federation.peer_process import START, start_of
from saegim.federation.privacy import Budget
from saegim.learn.policy import FEATURE_SCHEMA
from stand_ins import rounds, wait_until

FREE = Budget(epsilon=0.0, shares_a_month=1000)
NOW = datetime(2026, 11, 17, tzinfo=UTC)
QUICK = ("--tick", "0.02", "--repeat", "0.2")

ATTEMPT = """
import os, sys
from pathlib import Path
from saegim.federation.peer_process import guard
store, folder = Path(sys.argv[1]), Path(sys.argv[2])
by_kernel = guard(folder) if sys.argv[3] == "guarded" else None
def tried(name, act):
    try:
        act()
    except (OSError, ImportError) as error:
        print(name, "refused")
    else:
        print(name, "done")
tried("read", lambda: open(store, "rb").read(16))
tried("write", lambda: open(store, "ab").close())
tried("beside", lambda: open(str(store) + ".shared", "ab").close())
tried("raw", lambda: os.close(os.open(store, os.O_RDONLY)))
tried("move", lambda: os.rename(store, folder / "taken"))
tried("apsw", lambda: __import__("apsw").Connection(str(store)))
tried("sqlite3", lambda: __import__("sqlite3").connect(store))
tried("child", lambda: __import__("subprocess").run(["cat", str(store)], capture_output=True))
tried("facade", lambda: __import__("saegim.saegim"))
tried("own", lambda: (folder / "note").write_text("x"))
print("store" if any(n.startswith("saegim.store") for n in sys.modules) else "no store")
"""


def attempts(store: Path, folder: Path, how: str) -> dict[str, str]:
    """Return what a process could do to a store, by name."""
    words = [sys.executable, "-c", ATTEMPT, str(store), str(folder), how]
    ran = subprocess.run(words, capture_output=True, text=True, timeout=240, check=True)
    lines = [each.split() for each in ran.stdout.splitlines()]
    return {each[0]: each[-1] for each in lines}


def test_the_process_cannot_open_the_store(memory: Saegim, tmp_path: Path) -> None:
    """Nothing reaches the store or the file of what was spent; its own folder it can write."""
    memory.remember("나는 땅콩 알레르기가 있다")
    folder = tmp_path / "memory.db.federation"
    folder.mkdir()
    done = attempts(tmp_path / "memory.db", folder, "guarded")
    assert done.pop("own") == "done"
    assert done.pop("no") == "store"
    assert set(done.values()) == {"refused"}
    # Control: without the guard the same process reads it.
    free = attempts(tmp_path / "memory.db", folder, "free")
    assert (free["read"], free["raw"], free["sqlite3"]) == ("done", "done", "done")


def test_what_is_off_costs_nothing() -> None:
    """F-17: by default no module of it is loaded and no socket is made, whatever one does."""
    code = """
import socket, sys
made = []
sys.addaudithook(lambda event, given: made.append(event) if event.startswith("socket.") else None)
from saegim import Saegim
with Saegim.open(sys.argv[1]) as memory:
    memory.remember("나는 부산에 산다")
    memory.observe("오늘은 비가 온다")
    memory.recall("어디에 살아?")
    memory.sleep()
    memory.status()
print([n for n in sys.modules if n.startswith(("saegim.federation", "libp2p", "nats"))], made)
if len(sys.argv) > 2:
    import saegim.federation.tcp_transport
    socket.socket().close()
    print([n for n in sys.modules if n.startswith("saegim.federation")], made)
"""
    words = [sys.executable, "-c", code]
    ran = subprocess.run(
        [*words, str(Path(os.environ["SAEGIM_HOME"]) / "o.db"), "control"],
        capture_output=True,
        text=True,
        timeout=180,
        check=True,
    )
    off, on = ran.stdout.splitlines()
    assert off == "[] []"
    # Control: the same look sees a socket and the module when there are some.
    assert "tcp_transport" in on
    assert "socket.__new__" in on


@contextlib.contextmanager
def running(*folders: Path, patience: float = 600.0) -> Iterator[list[subprocess.Popen[bytes]]]:
    """Run the process of each house until the end of the test."""
    made = [started(each, patience, *QUICK) for each in folders]
    try:
        yield made
    finally:
        for each in made:
            each.send_signal(signal.SIGTERM)
        for each in made:
            each.wait(240)


def houses(
    folder: Path, count: int, budget: Budget = FREE, hub: str = "", **rules: object
) -> list[SharingHouse]:
    """Return houses of one swarm on this machine, the owner first."""
    made = [SharingHouse(folder / f"{at}.db", budget) for at in range(count)]
    at = [hub or f"127.0.0.1:{free_port()}" for _ in made]
    about = {"noise": 0.0, **rules}
    owner = made[0].init(start(), FEATURE_SCHEMA, at[0], **about)
    for each, address in zip(made[1:], at[1:], strict=True):
        joined = each.join(owner.invitation(), start(), FEATURE_SCHEMA, address)
        owner = owner.admit(joined.introduction())
    return made


def test_three_real_houses_learn_better_together_than_alone(tmp_path: Path) -> None:
    """F-20, F-21: three processes on loopback, few and uneven rewards each; every house gains."""
    habits, turns = Habits(2), rounds(20, 8)
    learners = [Learner.new(habits, seed) for seed in range(3)]
    made = houses(tmp_path, 3)
    current = [start() for _ in made]
    # The candidate in use, and the round after which each house learned on.
    learned = [-1] * 3

    with running(*(each.folder for each in made)) as processes:

        def go_on() -> bool:
            for at, (house, learner) in enumerate(zip(made, learners, strict=True)):
                shared = shared_in(house.folder)
                if shared is None:
                    continue
                held = current[at]
                adopted: list[np.ndarray] = []
                look = house.look(
                    held,
                    NOW,
                    lambda new, held=held, learner=learner: (
                        learner.score(new) > learner.score(held)
                    ),
                    adopted.append,
                )
                if adopted:
                    current[at] = adopted[0]
                if learned[at] < shared.round and not look.shared:
                    current[at] = learner.trained(current[at], 40, seed=shared.round)
                    learned[at] = shared.round
            found = [shared_in(each.folder) for each in made]
            return all(each is not None and each.round >= turns for each in found)

        wait_until(go_on, 180)
        assert all(each.poll() is None for each in processes)
    models = [shared_in(each.folder) for each in made]
    together = models[0]
    assert together is not None
    assert together.count == 3
    test, right = habits.turns(3000, np.random.default_rng(99))
    judge = Learner(test, right, right, test, right)
    alone = [judge.score(each.trained(start(), 40 * turns, seed=1)) for each in learners]
    # Better than the mean house alone, and than the best of them.
    assert judge.score(together.vector) > max(alone) + 0.03
    assert all(house.status(NOW)["adopted"] > 0 for house in made)


@pytest.mark.parametrize("way", ["nats", pytest.param("libp2p", marks=pytest.mark.nightly)])
def test_three_guarded_processes_meet_by_another_way(tmp_path: Path, way: str) -> None:
    """By a hub or by gossip, behind the same guard: rounds end with the weights of all three."""
    pytest.importorskip(way)
    with contextlib.ExitStack() as stack:
        hub = stack.enter_context(running_hub(tmp_path)).address if way == "nats" else ""
        made = houses(tmp_path, 3, hub=hub, transport=way)
        stack.enter_context(running(*(each.folder for each in made)))

        def go_on() -> bool:
            for at, house in enumerate(made):
                shared = shared_in(house.folder)
                if shared is not None:
                    moved = shared.vector + np.float32(0.01) * (at + 1)
                    house.look(moved, NOW, lambda _: True, lambda _: None)
            found = [shared_in(each.folder) for each in made]
            return all(each is not None and each.round >= 2 for each in found)

        wait_until(go_on, 120)
        told = [house.status(NOW) for house in made]
        assert [each["houses_last_round"] for each in told] == [3, 3, 3]
        assert all(each["rules"]["transport"] == way for each in told)


@pytest.mark.nightly
def test_many_rounds_leave_three_processes_as_small_as_they_were(tmp_path: Path) -> None:
    """F-20: round after round nothing piles up, neither in memory nor in the folder."""
    made = houses(tmp_path, 3)
    with running(*(each.folder for each in made)) as processes:

        def reached(round: int) -> bool:
            for at, house in enumerate(made):
                shared = shared_in(house.folder)
                if shared is not None:
                    moved = shared.vector + np.float32(0.01) * (at + 1)
                    house.look(moved, NOW, lambda _: True, lambda _: None)
            found = [shared_in(each.folder) for each in made]
            return all(each is not None and each.round >= round for each in found)

        wait_until(lambda: reached(10), 300)
        sizes = [held_by(each) for each in processes]
        files = [len(list(each.folder.iterdir())) for each in made]
        wait_until(lambda: reached(150), 1200)
        assert all(each.poll() is None for each in processes)
        grown = [held_by(each) - before for each, before in zip(processes, sizes, strict=True)]
        assert max(grown) < 8_000
        assert [len(list(each.folder.iterdir())) for each in made] == files


def held_by(process: subprocess.Popen[bytes]) -> int:
    """Return how much memory a process holds, in kilobytes."""
    told = Path(f"/proc/{process.pid}/status").read_text("ascii")
    return int(next(line for line in told.splitlines() if line.startswith("VmRSS")).split()[1])


def test_a_house_whose_process_is_killed_again_and_again_writes_on(
    memory: Saegim, tmp_path: Path
) -> None:
    """F-19: the store knows nothing of it: no write fails, and the process comes back as it was."""
    house = SharingHouse(tmp_path / "memory.db", FREE)
    house.init(start(), FEATURE_SCHEMA, f"127.0.0.1:{free_port()}", noise=0.0)
    kept = 0
    for at in range(rounds(100, 3)):
        with running(house.folder) as (process,):
            wait_until(lambda process=process: _pid(house) == process.pid)
            memory.remember(f"{at}번째 말")
            process.kill()
            process.wait(240)
            memory.remember(f"{at}번째 뒤의 말")
            kept += 2
    assert memory.status()["memories"]["state"]["active"] == kept


def _pid(house: SharingHouse) -> int:
    shared = shared_in(house.folder)
    return shared.pid if shared else 0


def test_an_aggregate_is_only_a_candidate(tmp_path: Path) -> None:
    """What loses on the person's own decisions is not used, whoever agreed on it."""
    house, *_ = houses(tmp_path, 1)
    _told(house, start() + 1.0, round=1)
    used: list[np.ndarray] = []
    look = house.look(start(), NOW, lambda _: False, used.append)
    assert (look.declined, look.adopted, used) == (True, False, [])
    # The same round is looked at once.
    assert not house.look(start(), NOW, lambda _: True, used.append).adopted
    # Control: one that wins is used.
    _told(house, start() + 1.0, round=2)
    assert house.look(start(), NOW, lambda _: True, used.append).adopted
    assert len(used) == 1
    # What is of another length or no number is no candidate at all.
    for at, bad in enumerate((start()[:-1], np.full_like(start(), np.nan)), 3):
        _told(house, bad, round=at)
        assert not house.look(start(), NOW, lambda _: True, used.append).adopted


def _told(house: SharingHouse, vector: np.ndarray, *, round: int) -> None:
    from saegim.federation.exchange import SharedModel, hand_shared, text_of

    membership = house.membership
    assert membership is not None
    rules = membership.rules
    hand_shared(
        house.folder,
        SharedModel(rules.swarm, round, rules.schema, text_of(vector), at=NOW.timestamp()),
    )


def test_a_house_pays_before_it_gives_and_stops_by_itself(tmp_path: Path) -> None:
    """With a budget for two shares the third is held back, and the house says why."""
    from saegim.federation.exchange import offer_in
    from saegim.federation.privacy import noise_for

    noise = noise_for(8.0, 1e-5, 2)
    house, *_ = houses(tmp_path, 1, Budget(8.0, 1e-5, 100), noise=noise)
    given = []
    for at in range(1, 5):
        _told(house, start(), round=at)
        look = house.look(start() + 0.5, NOW, lambda _: False, given.append)
        again = house.look(start() + 0.6, NOW, lambda _: False, given.append)
        assert again.shared == 0
        assert look.shared == (at if at <= 2 else 0)
    assert "sharing has stopped" in look.held_back
    told = house.status(NOW)
    assert told["shares"] == 2
    assert 7.0 < told["epsilon_spent"] <= 8.0
    offer = offer_in(house.folder)
    assert offer is not None
    # What lies in the folder of the process is noised: far from what was learned here.
    assert np.linalg.norm(offer.vector - (start() + 0.5)) > 10.0
    assert house.leave()
    assert house.status(NOW)["shares"] == 2
    assert not house.status(NOW)["member"]


def test_weights_that_the_rules_do_not_name_are_no_beginning(tmp_path: Path) -> None:
    """A house of another version cannot join, and a changed beginning is refused."""
    from saegim.errors import Refused

    house, *_ = houses(tmp_path, 1)
    membership = house.membership
    assert membership is not None
    other = SharingHouse(tmp_path / "other.db", FREE)
    with pytest.raises(Refused, match="another policy"):
        other.join(membership.invitation(), start() + 1, FEATURE_SCHEMA, "")
    assert other.membership is None
    assert start_of(membership).size == start().size
    (house.folder / START).write_text("AAAA")
    with pytest.raises(Refused, match="began with"):
        start_of(membership)

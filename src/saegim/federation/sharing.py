"""Learning together, where the store is open: the person's own policy, and how a candidate wins.

A model of the swarm counts only on decisions that were held out here, by the rule of every other
checkpoint: so many of them that chance is unlikely, and better for sure. Then it becomes a version
of the policy's page, which a person or a later night can go back from.
"""

from __future__ import annotations

import contextlib
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from saegim.errors import Refused, SaegimError
from saegim.federation.house import LookResult, SharingHouse, started
from saegim.federation.privacy import Budget
from saegim.learn.checkpoint import packed
from saegim.learn.evidence import Comparison, compare, earned, is_held_out
from saegim.learn.parts import IN_CHARGE
from saegim.learn.policy import ACTIONS, FEATURE_SCHEMA, Policy
from saegim.logs import logger
from saegim.memory.changes import Written
from saegim.memory.entities import Page
from saegim.mind import POLICY_PAGE
from saegim.perceive.learned import fresh_policy, learned_parts, standing_of, state_for
from saegim.saegim import Saegim
from saegim.settings import Settings
from saegim.store.commit import Batch
from saegim.store.tables.experience_table import TURN

_log = logger("federation")
_ACTOR: Final = "federation"
# A process that ended is started again after so long, and then ever later.
_AGAIN_SECONDS: Final = 1.0
_LATEST_SECONDS: Final = 600.0


def budget_of(settings: Settings) -> Budget:
    """Return what a person lets go at most, in their whole life and in a month."""
    return Budget(
        settings.federation_epsilon, settings.federation_delta, settings.federation_monthly
    )


def house_of(memory: Saegim) -> SharingHouse:
    """Return the house of whoever's memory this is."""
    store, settings = memory.mind.store.path, memory.mind.settings
    return SharingHouse(store, budget_of(settings), memory.scope.user)


def starting_policy(memory: Saegim) -> Policy:
    """Return the small policy as every house of this version begins with it."""
    policy = fresh_policy(memory.mind)
    if policy.schema != FEATURE_SCHEMA:
        # The large one depends on an embedder and has a hundred times the weights.
        raise Refused("federation.only_the_small_policy")
    return policy


def compared_candidate(
    memory: Saegim, current: Policy, candidate: NDArray[np.float32]
) -> Comparison:
    """Compare a candidate with the policy in use, on decisions that nobody learned from."""
    new = current.with_weights(candidate)
    ours: list[float] = []
    theirs: list[float] = []
    for row in memory.mind.store.experience.followed(memory.scope.user, TURN):
        state = state_for(current, row, memory.mind) if is_held_out(row.id) else None
        if state is None or row.action not in ACTIONS:
            continue
        reward = row.reward or 0.0
        ours.append(earned(row.action, current.choose(state).best, reward))
        theirs.append(earned(row.action, new.choose(state).best, reward))
    return compare(ours, theirs)


def look_at_swarm(memory: Saegim) -> LookResult:
    """Consider what the swarm has learned, and offer what was learned here."""
    mind, owner = memory.mind, memory.scope.user
    house = house_of(memory)
    if house.membership is None:
        return LookResult()
    starting_policy(memory)
    if mind.traces is not None:
        mind.traces.flush()
    with mind.learned.lock:
        parts = learned_parts(owner, mind)
        current = parts.policy
        found = Comparison()

        def wins(candidate: NDArray[np.float32]) -> bool:
            nonlocal found
            found = compared_candidate(memory, current, candidate)
            return standing_of("auto", found, mind.settings.learned_from)[0] == IN_CHARGE

        def adopt(candidate: NDArray[np.float32]) -> None:
            data = packed(
                candidate,
                schema=current.schema,
                embedder="",
                sizes=current.sizes,
                updates=current.updates,
                followed=parts.policy_part.followed,
                # Against the rule it is compared by the next night; until then nothing is proven.
                compared=parts.policy_part.compared.as_dict(),
                kept=mind.settings.checkpoints_kept,
                swarm=found.as_dict(),
            )
            page = Page(key=POLICY_PAGE, kind=POLICY_PAGE.partition(":")[0], data=data)
            mind.store.commit(Batch(owner, [Written(page)], actor=_ACTOR, at=mind.now()))
            mind.learned.forget(owner)

        return house.look(current.weights(), mind.now(), wins, adopt)


def status_of(memory: Saegim) -> dict[str, Any]:
    """Return how the house stands in its swarm, for a person."""
    return house_of(memory).status(memory.mind.now())


@contextlib.contextmanager
def sharing(
    house: SharingHouse, settings: Settings, look: Callable[[], object]
) -> Iterator[threading.Event]:
    """Keep the process running, and look at the swarm now and then, as long as this lasts.

    The event that is given ends it sooner. Whatever goes wrong out there is no trouble of a memory.
    """
    ended = threading.Event()
    worker = threading.Thread(
        target=_keep_up, args=(house, settings, look, ended), name="saegim-federation", daemon=True
    )
    worker.start()
    try:
        yield ended
    finally:
        ended.set()
        worker.join(10.0)


def _keep_up(
    house: SharingHouse, settings: Settings, look: Callable[[], object], ended: threading.Event
) -> None:
    process: subprocess.Popen[bytes] | None = None
    pause, due, again = _AGAIN_SECONDS, 0.0, 0.0
    patience = 60.0 * settings.federation_patience_minutes
    try:
        while not ended.is_set():
            now = time.monotonic()
            if (process is None or process.poll() is not None) and now >= again:
                again, pause = now + pause, min(_LATEST_SECONDS, 2.0 * pause)
                process = started(house.folder, patience, "--log-level", settings.log_level)
            if now >= due:
                due = now + 60.0 * settings.federation_minutes
                try:
                    look()
                except SaegimError as error:
                    _log.warning("the swarm could not be looked at: %s", type(error).__name__)
            ended.wait(0.2)
    finally:
        if process is not None:
            process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(5.0)
            process.kill()

"""Where the store is open: a candidate must win on the person's own held-out decisions."""

from __future__ import annotations

import numpy as np
import pytest

from federation.task import Habits, Learner
from saegim import Saegim
from saegim.errors import Refused
from saegim.federation.exchange import SharedModel, hand_shared, offer_in, text_of
from saegim.federation.sharing import (
    compared_candidate,
    house_of,
    look_at_swarm,
    starting_policy,
    status_of,
)
from saegim.learn.evidence import is_held_out
from saegim.learn.policy import ACTIONS, FEATURE_SCHEMA
from saegim.mind import POLICY_PAGE
from saegim.perceive.learned import learned_parts
from saegim.store.tables.experience_table import TURN, Experience, Reward


def lived(memory: Saegim, habits: Habits, held: int = 250, taught: int = 20) -> None:
    """Let a person judge decisions taken by chance: many that are held out, few to learn from."""
    names = [f"exp_{number:05}" for number in range(5000)]
    ids = [each for each in names if is_held_out(each)][:held]
    ids += [each for each in names if not is_held_out(each)][:taught]
    drawn = np.random.default_rng(3)
    states, right = habits.turns(len(ids), drawn)
    taken = drawn.integers(0, len(ACTIONS), len(ids))
    owner = memory.scope.user
    rows: list[Experience | Reward] = []
    for at, id in enumerate(ids):
        act, state = ACTIONS[taken[at]], states[at].tobytes()
        about = {"session": "s", "action": act, "ruled": act, "state": state}
        rows.append(Experience(owner=owner, id=id, kind=TURN, at=10 * at, **about))  # type: ignore[arg-type]
        good = 1.0 if taken[at] == right[at] else -1.0
        rows.append(Reward(owner=owner, reward=good, session="s", before=10 * at + 5))
    memory.mind.store.experience.write(rows, 5000)


def told(memory: Saegim, vector: np.ndarray, round: int) -> None:
    """Let the swarm say what it has come to."""
    house = house_of(memory)
    membership = house.membership
    assert membership is not None
    shared = SharedModel(membership.rules.swarm, round, FEATURE_SCHEMA, text_of(vector))
    hand_shared(house.folder, shared)


def good_weights(memory: Saegim, habits: Habits) -> np.ndarray:
    """Return what many houses with much to learn from could have come to."""
    drawn = np.random.default_rng(9)
    states, right = habits.turns(2000, drawn)
    actions = drawn.integers(0, len(ACTIONS), 2000)
    many = Learner(states, actions, np.where(actions == right, 1.0, -1.0), states, right)
    return many.trained(starting_policy(memory).weights(), 700)


@pytest.fixture
def member(memory: Saegim) -> Saegim:
    """A memory whose person made a swarm."""
    house, policy = house_of(memory), starting_policy(memory)
    house.init(policy.weights(), policy.schema, "", noise=0.0)
    return memory


def test_a_candidate_that_wins_on_held_out_decisions_becomes_a_version(member: Saegim) -> None:
    """It is a page like every checkpoint, the ledger vouches for it, and the policy is it."""
    habits = Habits(0)
    lived(member, habits)
    owner, pages = member.scope.user, member.mind.store.pages
    good = good_weights(member, habits)
    current = learned_parts(owner, member.mind).policy
    found = compared_candidate(member, current, good)
    assert found.count >= member.mind.settings.learned_from
    assert found.low > 0
    told(member, good, 1)
    look = look_at_swarm(member)
    assert (look.adopted, look.declined) == (True, False)
    assert pages.newest(owner, POLICY_PAGE) == 1
    assert np.allclose(learned_parts(owner, member.mind).policy.weights(), good, atol=1e-6)
    member.maintenance.verify()
    assert status_of(member)["adopted"] == 1


def test_a_candidate_that_loses_or_cannot_be_judged_is_not_used(member: Saegim) -> None:
    """Random weights lose; and where a person has judged nothing, nobody else's word counts."""
    owner, pages = member.scope.user, member.mind.store.pages
    good = good_weights(member, Habits(0))
    told(member, good, 1)
    assert look_at_swarm(member).declined
    lived(member, Habits(0))
    told(member, np.random.default_rng(1).normal(size=good.size) * 3, 2)
    assert look_at_swarm(member).declined
    assert pages.newest(owner, POLICY_PAGE) == 0


def test_what_leaves_is_the_policy_and_only_within_the_budget(member: Saegim) -> None:
    """Without noise a person with a budget shares nothing; the offer holds 899 numbers."""
    lived(member, Habits(0), 10)
    start = starting_policy(member).weights()
    told(member, start, 1)
    look = look_at_swarm(member)
    assert look.shared == 0
    assert "no noise" in look.held_back
    folder = house_of(member).folder
    assert offer_in(folder) is None
    with Saegim.open(member.mind.store.path, federation_epsilon=0.0) as free:
        assert look_at_swarm(free).shared == 1
    offer = offer_in(folder)
    assert offer is not None
    assert offer.vector.size == start.size == 899
    assert 0 < np.linalg.norm(offer.vector - start) <= 1.01


def test_the_large_policy_never_travels(member: Saegim) -> None:
    """It depends on an embedder and holds the meaning of turns: it is refused by name."""
    with Saegim.open(member.mind.store.path, enhanced_policy=True) as large:
        with pytest.raises(Refused, match="small policy"):
            look_at_swarm(large)
        assert not status_of(large)["running"]


def test_each_person_of_a_store_has_a_swarm_and_a_budget_of_their_own(member: Saegim) -> None:
    """The wall between users holds here too."""
    with Saegim.open(member.mind.store.path, user="other") as other:
        assert status_of(member)["member"]
        assert not status_of(other)["member"]
        assert house_of(other).ledger.path != house_of(member).ledger.path

"""Learning by night: replay what was rewarded, compare on what was held out, keep the better.

Never in a rehearsal. What the night learned is a page; taking the night back writes the page of the
day before again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import Any, Final

import numpy as np

from saegim.learn.checkpoint import packed
from saegim.learn.evidence import Comparison, compare, earned, is_held_out
from saegim.learn.parts import OFF, LearnedPart
from saegim.learn.policy import ACTIONS, Policy
from saegim.learn.reranker import (
    RERANKER_SCHEMA,
    RERANKER_SIZES,
    LearnedReranker,
    frozen,
    reciprocal_rank,
)
from saegim.memory.changes import Written
from saegim.memory.entities import WEIGHTS, Page
from saegim.mind import POLICY_PAGE, RERANKER_PAGE, Mind
from saegim.perceive.learned import (
    answers_of,
    fresh_policy,
    fresh_reranker,
    identity,
    learn_turn,
    learned_parts,
    policy_embedder,
    state_for,
    stored_weights,
)
from saegim.sleep.night import Night, NightStep
from saegim.store.tables.experience_table import SHOWN, TURN, Experience

# A night replays so many batches, and so many answers, at most: a second of work.
_MOST_BATCHES: Final = 200
_MOST_ANSWERS: Final = 600
# A reward that came by chance moves this much; less is no fall.
_A_FALL: Final = 1e-9


def relearn(night: Night) -> Iterator[NightStep]:
    """Learn from what followed since the last night, and write down what was learned."""
    mind, owner = night.mind, night.owner
    learns = not night.rehearsed and mind.traces is not None and mind.settings.experience_rows
    if not learns:
        yield NightStep(why="by_rule" if mind.reranker is None else "learned")
        return
    assert mind.traces is not None
    mind.traces.flush()
    with mind.learned.lock:
        parts = learned_parts(owner, mind)
        made = [
            step
            for step in (
                _policy(night, parts.policy, parts.policy_part),
                _reranker(night, parts.reranker, parts.reranker_part),
            )
            if step is not None
        ]
        # What was replayed belongs to the page that is written now: it is read from there.
        mind.learned.forget(owner)
    yield from made
    if not made:
        yield NightStep(why="by_rule")


def _seed(night: Night) -> int:
    return int.from_bytes(hashlib.sha256(night.id.encode()).digest()[:6])


def _policy(night: Night, policy: Policy, part: LearnedPart) -> NightStep | None:
    """Replay rewarded decisions; keep the old weights where the new ones earn less held out."""
    if part.standing == OFF:
        return None
    rows = night.mind.store.experience.followed(night.owner, TURN)
    last = max((row.followed or 0 for row in rows), default=0)
    record = stored_weights(POLICY_PAGE, night.owner, night.mind)
    if last <= int(record.get("followed", 0)):
        return None
    before = part.before if part.before is not None else fresh_policy(night.mind).weights()
    old = policy.with_weights(before)
    taught = [row for row in rows if not is_held_out(row.id)]
    drawn = np.random.default_rng(_seed(night))
    size = night.mind.settings.policy_batch
    for _ in range(min(_MOST_BATCHES, 4 * len(taught) // size + 1) if taught else 0):
        batch = [taught[at] for at in drawn.integers(len(taught), size=size)]
        learn_turn(policy, batch, night.mind)
    new, was = (compared_decisions(each, rows, night.mind) for each in (policy, old))
    fell = new.learned < was.learned - _A_FALL
    kept, told = (old, was) if fell else (policy, new)
    data = packed(
        kept.weights(),
        schema=policy.schema,
        embedder=policy_embedder(policy, night.mind),
        sizes=policy.sizes,
        updates=policy.updates,
        **_notes(last, told, night),
    )
    return _step(POLICY_PAGE, data, told, fell=fell)


def compared_decisions(policy: Policy, rows: Sequence[Experience], mind: Mind) -> Comparison:
    """Compare the policy with the rule on decisions that are held out."""
    rule: list[float] = []
    learned: list[float] = []
    for row in rows:
        state = state_for(policy, row, mind) if is_held_out(row.id) else None
        if state is None or row.action not in ACTIONS:
            continue
        reward = row.reward or 0.0
        rule.append(earned(row.action, row.ruled, reward))
        learned.append(earned(row.action, policy.choose(state).best, reward))
    return compare(rule, learned)


def _reranker(night: Night, reranker: LearnedReranker, part: LearnedPart) -> NightStep | None:
    """Replay rewarded answers; keep the old weights where the new order is worse held out."""
    if part.standing == OFF:
        return None
    mind, owner = night.mind, night.owner
    rows = mind.store.experience.followed(owner, SHOWN)
    last = max((row.followed or 0 for row in rows), default=0)
    record = stored_weights(RERANKER_PAGE, owner, mind)
    if last <= int(record.get("followed", 0)):
        return None
    anchor = fresh_reranker()
    old = (
        LearnedReranker(part.before, anchor=anchor.weights()) if part.before is not None else anchor
    )
    taught = answers_of(owner, rows, mind, held_out=False)
    drawn = np.random.default_rng(_seed(night))
    for at in drawn.permutation(len(taught))[:_MOST_ANSWERS]:
        features, worth = taught[at]
        reranker.learn(features, worth)
        reranker.learn(frozen(features), worth)
    held = answers_of(owner, rows, mind, held_out=True)
    new, was = compared_orders(reranker, held), compared_orders(old, held)
    fell = new.learned < was.learned - _A_FALL
    kept, told = (old, was) if fell else (reranker, new)
    data = packed(
        kept.weights(),
        schema=RERANKER_SCHEMA,
        embedder=identity(mind),
        sizes=RERANKER_SIZES,
        updates=reranker.updates,
        **_notes(last, told, night),
    )
    return _step(RERANKER_PAGE, data, told, fell=fell)


def compared_orders(
    reranker: LearnedReranker, answers: Sequence[tuple[Any, Sequence[float]]]
) -> Comparison:
    """Compare the learned order with the fused one: how high stands the first that was taken up."""
    praised = [each for each in answers if max(each[1]) > 0]
    rule = [reciprocal_rank(range(len(worth)), worth) for _, worth in praised]
    learned = [
        reciprocal_rank(np.argsort(-reranker.scores(rows), kind="stable").tolist(), worth)
        for rows, worth in praised
    ]
    return compare(rule, learned)


def _notes(last: int, told: Comparison, night: Night) -> dict[str, Any]:
    kept = night.mind.settings.checkpoints_kept
    return {"followed": last, "compared": told.as_dict(), "kept": kept, "night": night.id}


def _step(key: str, data: dict[str, Any], told: Comparison, *, fell: bool) -> NightStep:
    page = Page(key=key, kind=WEIGHTS, data=data)
    details: dict[str, str | int | float] = {
        "part": key.partition(":")[2],
        "held_out": told.count,
        "rule": round(told.rule, 3),
        "learned": round(told.learned, 3),
    }
    return NightStep(
        changes=(Written(page),), why="rolled_back" if fell else "trained", details=details
    )

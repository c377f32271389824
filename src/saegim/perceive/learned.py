"""What was learned from a person, opened from the store and kept up with what followed.

The truth is the last checkpoint and the rewards that came after it: every process that reads both
has the same weights, whoever noted the rewards. In the shadow a learned part decides nothing; it
is asked, learns and reports.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from saegim.engines.brain import model as files
from saegim.errors import BadInput, EngineError
from saegim.learn.checkpoint import unpacked
from saegim.learn.evidence import (
    RECENT,
    WIDEST,
    Comparison,
    autonomy,
    is_held_out,
    trend,
)
from saegim.learn.parts import (
    IN_CHARGE,
    LEARNED,
    OFF,
    RULE,
    SHADOW,
    LearnedPart,
    LearnedParts,
)
from saegim.learn.policy import (
    ACTIONS,
    FEATURE_SCHEMA,
    SIZES,
    Policy,
    PolicyChoice,
    enhanced_policy,
)
from saegim.learn.reranker import (
    RERANKER_SCHEMA,
    RERANKER_SIZES,
    LearnedReranker,
    frozen,
)
from saegim.memory.changes import session_mark
from saegim.memory.clock import micros
from saegim.memory.memory import PERSON, Scope
from saegim.mind import POLICY_PAGE, RERANKER_PAGE, Mind
from saegim.perceive.decide_turn import USER, Action
from saegim.store.tables.experience_table import SHOWN, TURN, Experience, with_embedder

if TYPE_CHECKING:
    from saegim.language.features import Signs
    from saegim.perceive.decide_turn import Decision, TurnFeatures
    from saegim.perceive.turn import Observed, Turn

# What a fresh house begins with: made by training/self_play.py.
STARTING: Final = Path(files.__file__).with_name("learned-start-1.safetensors")
# Decisions that were a person's own word, or nobody's: no policy is asked, none learns from them.
NOT_TO_BE_LEARNED: Final = frozenset(
    ("wish", "refusal", "forget", "echo", "again", "pasted", "other")
)
# How much of one answer is learned from: what stands further down was perhaps not even read.
MOST_SHOWN: Final = 8


# -- opening --------------------------------------------------------------------------------------


@lru_cache(maxsize=1)
def starting_vectors() -> dict[str, NDArray[np.float32]]:
    """Return the weights a fresh house begins with; none where their file cannot be used."""
    try:
        held = files.read(STARTING).arrays()
    except EngineError:
        return {}
    return {name: np.asarray(each, dtype=np.float32) for name, each in held.items()}


def identity(mind: Mind) -> str:
    """Return what the large policy and the reranker were learned with."""
    return mind.embedder.identity.key


def learned_parts(owner: str, mind: Mind) -> LearnedParts:
    """Return what was learned from a person, up to the last reward that is known."""
    with mind.learned.lock:
        versions = {
            key: mind.store.pages.newest(owner, key) for key in (POLICY_PAGE, RERANKER_PAGE)
        }
        held = mind.learned.parts.get(owner)
        known = (held.policy_part.version, held.reranker_part.version) if held else None
        if held is None or known != (versions[POLICY_PAGE], versions[RERANKER_PAGE]):
            held = _opened(owner, versions, mind)
            mind.learned.parts[owner] = held
        catch_up(held, owner, mind)
        return held


def _opened(owner: str, versions: dict[str, int], mind: Mind) -> LearnedParts:
    """Read the checkpoints of a person; what does not fit gives way to the starting weights."""
    policy, reranker = fresh_policy(mind), fresh_reranker()
    made = LearnedParts(policy, reranker)
    counts = mind.store.experience.counts(owner)
    made.draws = sum(sum(each.values()) for each in counts.values())
    record, made.policy_part = _part(POLICY_PAGE, owner, versions, mind.settings.policy, mind)
    if record:
        try:
            vector = unpacked(
                record,
                schema=policy.schema,
                embedder=_embedder_of(policy, mind),
                sizes=policy.sizes,
            )
            made.policy = policy.with_weights(vector)
            made.policy_part.before = vector
            made.policy.updates = int(record.get("updates", 0))
        except BadInput as error:
            made.policy_part = _refused(made.policy_part, error, mind.settings.policy)
    record, made.reranker_part = _part(RERANKER_PAGE, owner, versions, mind.settings.reranker, mind)
    if record:
        try:
            vector = unpacked(
                record, schema=RERANKER_SCHEMA, embedder=identity(mind), sizes=RERANKER_SIZES
            )
            anchor = reranker.weights()
            updates = int(record.get("updates", 0))
            made.reranker = LearnedReranker(vector, anchor=anchor, updates=updates)
            made.reranker_part.before = vector
        except BadInput as error:
            made.reranker_part = _refused(made.reranker_part, error, mind.settings.reranker)
    return made


def fresh_policy(mind: Mind) -> Policy:
    """Return the policy as a fresh house has it."""
    settings = mind.settings
    options: dict[str, Any] = {
        "epsilon": settings.policy_epsilon,
        "rate": settings.policy_rate,
        "drift": settings.policy_drift,
    }
    if settings.enhanced_policy:
        made = enhanced_policy(mind.embedder.identity.dimension, drift=settings.policy_drift)
        made.epsilon, made.rate = settings.policy_epsilon, settings.policy_rate
        return made
    begin = starting_vectors().get("policy")
    return Policy(begin, sizes=SIZES, schema=FEATURE_SCHEMA, **options)


def fresh_reranker() -> LearnedReranker:
    """Return the reranker as a fresh house has it."""
    return LearnedReranker(starting_vectors().get("reranker"))


def _embedder_of(policy: Policy, mind: Mind) -> str:
    """Return the embedder that a policy depends on; the small one on none."""
    return "" if policy.schema == FEATURE_SCHEMA else identity(mind)


def policy_embedder(policy: Policy, mind: Mind) -> str:
    """Return what a checkpoint of this policy names as its embedder."""
    return _embedder_of(policy, mind)


def stored_weights(key: str, owner: str, mind: Mind) -> dict[str, Any]:
    """Return the record of the last checkpoint of a part; an empty one where there is none."""
    pages = mind.store.pages.of(Scope(owner), key=key)
    return dict(pages[-1].data) if pages else {}


def _part(
    key: str, owner: str, versions: dict[str, int], wanted: str, mind: Mind
) -> tuple[dict[str, Any], LearnedPart]:
    part = LearnedPart(version=versions.get(key, 0))
    record = stored_weights(key, owner, mind) if part.version else {}
    if record:
        part.followed = int(record.get("followed", 0))
        held = record.get("compared") or {}
        part.compared = Comparison(
            int(held.get("count", 0)),
            *(float(held.get(n, 0.0)) for n in ("rule", "learned", "low")),
        )
    part.standing, part.why = standing_of(wanted, part.compared, mind.settings.learned_from)
    return record, part


def standing_of(wanted: str, compared: Comparison, least: int) -> tuple[str, str]:
    """Say whether a learned part decides, and why: a setting, or proof on held-out rewards."""
    if wanted == LEARNED:
        return IN_CHARGE, "set"
    if wanted != "auto":
        return OFF, "set"
    if compared.count < least:
        return SHADOW, "unproven"
    return (IN_CHARGE, "better") if compared.low > 0 else (SHADOW, "not_better")


def _refused(part: LearnedPart, error: BadInput, wanted: str) -> LearnedPart:
    part.trouble, part.followed, part.compared = error.message, 0, Comparison()
    part.standing, part.why = standing_of(wanted, part.compared, 1)
    return part


def catch_up(held: LearnedParts, owner: str, mind: Mind) -> None:
    """Learn from what followed since the last look, one reward after the other."""
    if held.policy_part.standing != OFF:
        rows = mind.store.experience.followed(owner, TURN, held.policy_part.followed)
        for row in rows:
            learn_turn(held.policy, [row], mind)
            held.policy_part.followed = max(held.policy_part.followed, row.followed or 0)
    if held.reranker_part.standing != OFF:
        shown = mind.store.experience.followed(owner, SHOWN, held.reranker_part.followed)
        learn_answers(held.reranker, owner, shown, mind)
        last = max((row.followed or 0 for row in shown), default=0)
        held.reranker_part.followed = max(held.reranker_part.followed, last)


def learn_turn(policy: Policy, rows: Sequence[Experience], mind: Mind) -> int:
    """Let a policy learn from these decisions, as far as they are not held out and fit it."""
    fit = [
        (state, ACTIONS.index(row.action), row.reward or 0.0)
        for row in rows
        if not is_held_out(row.id)
        and row.action in ACTIONS
        and (state := state_for(policy, row, mind)) is not None
    ]
    if fit:
        states, actions, rewards = zip(*fit, strict=True)
        policy.learn(np.stack(states), actions, rewards, draw=policy.updates)
    return len(fit)


def state_for(policy: Policy, row: Experience, mind: Mind) -> NDArray[np.float32] | None:
    """Return the state of a decision as a policy sees it; none where it lacks what is needed."""
    state = row.vector() if policy.schema == FEATURE_SCHEMA else row.whole(identity(mind))
    return state if state is not None and state.shape == (policy.sizes[0],) else None


def learn_answers(
    reranker: LearnedReranker, owner: str, rows: Sequence[Experience], mind: Mind
) -> int:
    """Let the reranker learn which of each answer was taken up; return from how many answers."""
    learned = 0
    for features, worth in answers_of(owner, rows, mind, held_out=False):
        reranker.learn(features, worth)
        # Prompts are ordered without what changes by being asked for: that is learned as well.
        reranker.learn(frozen(features), worth)
        learned += 1
    return learned


def answers_of(
    owner: str, rows: Sequence[Experience], mind: Mind, *, held_out: bool
) -> list[tuple[NDArray[np.float32], list[float]]]:
    """Return the answers that these rewards were for: the features and the worth of each hit."""
    traces = list(dict.fromkeys(row.id.partition(":")[0] for row in rows))
    wanted = [each for each in traces if is_held_out(each) is held_out]
    answers: dict[str, list[Experience]] = {}
    for row in mind.store.experience.beside(owner, wanted) if wanted else ():
        answers.setdefault(row.id.partition(":")[0], []).append(row)
    return [
        (np.stack([row.vector() for row in found]), [row.reward or 0.0 for row in found])
        for found in answers.values()
        if len(found) > 1
    ]


# -- a turn ---------------------------------------------------------------------------------------


@dataclass(slots=True)
class LearnedJudge:
    """The policy as a decision asks it: once, only where the rules are unsure."""

    turn: Turn
    mind: Mind
    # Whether this is more than a look: a look never explores.
    lives: bool = True
    choice: PolicyChoice | None = field(default=None, init=False)
    meaning: NDArray[np.float32] | None = field(default=None, init=False)
    _parts: LearnedParts | None = field(default=None, init=False)

    @property
    def parts(self) -> LearnedParts:
        """Return what was learned from whoever speaks, read when it is first asked for."""
        if self._parts is None:
            self._parts = learned_parts(self.turn.scope.user, self.mind)
        return self._parts

    @property
    def in_charge(self) -> bool:
        """True where its choice counts."""
        return self.parts.policy_part.in_charge

    def choose(self, state: TurnFeatures, signs: Signs, salience: float) -> Action | None:  # noqa: ARG002
        """Return what to do where it is in charge; in the shadow note it, and leave it to rules."""
        policy = self.parts.policy
        seen = np.array(state.vector(), dtype=np.float32)
        if policy.schema != FEATURE_SCHEMA:
            if not self.mind.embedder.local:
                # No turn waits for a server to be judged.
                return None
            if self.meaning is None:
                made = self.mind.embedder.embed([self.turn.text], "document")[0]
                self.meaning = np.asarray(made, dtype=np.float32)
            seen = np.concatenate([self.meaning, seen])
        draws = self.lives and self.in_charge
        self.choice = policy.choose(seen, self.parts.draws if draws else -1)
        if draws:
            self.parts.draws += 1
        return Action(self.choice.action) if self.in_charge else None

    def unsure(self, usual: float) -> float:
        """Return how near to the bar a turn is unsure: wider while praise comes, if large."""
        if not self.mind.settings.enhanced_policy or not self.in_charge:
            return usual
        rewards = self.mind.store.experience.rewards(self.turn.scope.user, TURN, RECENT)
        return usual + WIDEST * autonomy(rewards)


def judge_for(turn: Turn, mind: Mind, *, lives: bool = True) -> LearnedJudge | None:
    """Return who may be asked about a turn; nobody where it is not the person's own."""
    off = mind.settings.policy == RULE or mind.traces is None or not mind.settings.experience_rows
    if off or turn.role != USER or turn.origin not in PERSON:
        return None
    return LearnedJudge(turn, mind, lives)


def note_decision(turn: Turn, seen: Observed, mind: Mind) -> None:
    """Note a decision and the state it was taken in, behind the answer; never a word."""
    made = seen.decision
    unfit = seen.quarantined or seen.suspect or seen.needs_confirmation or seen.unheard
    learns = mind.traces is not None and turn.role == USER and turn.origin in PERSON
    if not learns or unfit or not NOT_TO_BE_LEARNED.isdisjoint(made.why):
        return
    assert mind.traces is not None
    meaning = None
    if made.meaning is not None:
        meaning = with_embedder(made.meaning, identity(mind))
    done = "save" if made.keeps else made.action.value
    row = Experience(
        owner=turn.scope.user,
        id=mind.new_id("exp"),
        kind=TURN,
        at=micros(mind.now()),
        session=session_mark(turn.scope.session),
        memory=seen.kept[0].id if seen.kept else "",
        action=done,
        ruled=made.ruled or done,
        decided=made.decided,
        phase=made.phase,
        state=np.array(made.state.vector(), dtype=np.float32).tobytes(),
        meaning=meaning,
    )
    mind.traces.note_experience(lambda: [row])


def trace_of(judge: LearnedJudge | None, made: Decision) -> dict[str, Any]:
    """Return what a learned judge adds to the trace of a decision."""
    if judge is None or judge.choice is None:
        return {}
    explored = judge.choice.explored
    decided = "explored" if explored else LEARNED if judge.in_charge else RULE
    return {
        "decided": decided if made.phase == 2 and judge.in_charge else RULE,
        "scores": judge.choice.scores,
        "suggested": judge.choice.action,
        "meaning": None if judge.meaning is None else tuple(judge.meaning.tolist()),
    }


# -- an answer ------------------------------------------------------------------------------------


def reranker_for(owner: str, mind: Mind) -> LearnedReranker | None:
    """Return the reranker where it is in charge; nothing while it is in the shadow."""
    parts = learned_parts(owner, mind)
    return parts.reranker if parts.reranker_part.in_charge else None


def shown_rows(
    owner: str, trace: str, at: int, session: str, ids: Sequence[str], rows: NDArray[np.float32]
) -> list[Experience]:
    """Return what an answer showed as experience: ids and eleven numbers each."""
    return [
        Experience(
            owner=owner,
            id=f"{trace}:{place:02}",
            kind=SHOWN,
            at=at,
            session=session_mark(session),
            memory=id,
            action="shown",
            state=np.asarray(row, dtype=np.float32).tobytes(),
        )
        for place, (id, row) in enumerate(zip(ids, rows, strict=True))
        if place < MOST_SHOWN
    ]


# -- how it stands --------------------------------------------------------------------------------


def standing(owner: str, mind: Mind) -> dict[str, Any]:
    """Return how what was learned stands, for a person to see; changes nothing."""
    if mind.traces is None or not mind.settings.experience_rows:
        return {"standing": OFF, "why": "set"}
    parts = learned_parts(owner, mind)
    policy = parts.policy
    rewards = mind.store.experience.rewards(owner, TURN, 2 * RECENT)
    return {
        **_told(parts.policy_part),
        "kind": "bandit" if policy.schema == FEATURE_SCHEMA else "enhanced",
        "schema": policy.schema,
        "epsilon": policy.epsilon,
        "updates": policy.updates,
        "reward": trend(rewards),
        "autonomy": round(autonomy(rewards), 4),
        "decided_by": mind.store.experience.counts(owner),
        "reranker": {**_told(parts.reranker_part), "updates": parts.reranker.updates},
    }


def _told(part: LearnedPart) -> dict[str, Any]:
    return {
        "standing": part.standing,
        "why": part.why,
        "held_out": part.compared.as_dict(),
        "version": part.version,
        "trouble": part.trouble,
    }

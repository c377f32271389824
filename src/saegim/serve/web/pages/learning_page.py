"""Learning: who decides and why, what was decided, what it earned; one decision explained."""

from __future__ import annotations

from itertools import accumulate

from starlette.responses import Response

from saegim.perceive.decide_turn import because
from saegim.serve.web.site import Json, PageRoute, Visit

# The drawing of the rewards: how wide and high, and over how many a point is the mean.
_WIDE, _HIGH, _MEAN = 600, 140, 10
_ACTIONS = ("save", "skip", "retrieve")


def learning(visit: Visit) -> Response:
    """Show how what was learned stands, what it rests on, and what is shared of it."""
    return _shown(visit, None, "")


def _shown(visit: Visit, decision: Json | None, text: str) -> Response:
    policy = visit.ask("policy_status")
    rows = visit.told("policy_rewards")["decisions"]
    rewards = [row["reward"] for row in rows if row["reward"] is not None]
    learned = policy["learning"]
    counts = {name: policy["actions"].get(name, 0) for name in _ACTIONS}
    return visit.show(
        "learning.html",
        policy=policy,
        why=visit.speech.translated(policy["why"]),
        parts=[
            (name, part)
            for name, part in (("policy", learned), ("reranker", learned.get("reranker")))
            if part is not None
        ],
        counts=counts,
        most=max(counts.values()),
        rewards=rewards,
        trend=plotted(rewards),
        reward=learned.get("reward"),
        # What the house shares with others is its owner's to see.
        federation=visit.told("federation_status") if visit.grant.is_own else None,
        decision=decision,
        text=text,
    )


def plotted(rewards: list[float]) -> Json:
    """Return rewards from -1 to 1 as points of a drawing, and their running mean as a line."""
    if not rewards:
        return {"points": [], "line": ""}
    step = _WIDE / max(1, len(rewards) - 1)
    sums = [0.0, *accumulate(rewards)]
    means = [(sums[at] - sums[max(0, at - _MEAN)]) / min(at, _MEAN) for at in range(1, len(sums))]
    height = [_HIGH / 2 * (1 - max(-1.0, min(1.0, each))) for each in (*rewards, *means)]
    across = [f"{at * step:.1f}" for at in range(len(rewards))]
    points = list(zip(across, (f"{each:.1f}" for each in height), strict=False))
    line = zip(across, (f"{each:.1f}" for each in height[len(rewards) :]), strict=True)
    return {"points": points, "line": " ".join(f"{x},{y}" for x, y in line)}


def decide(visit: Visit) -> Response:
    """Show what would be done with a turn, and why; nothing of it is kept."""
    text = visit.given("text").strip()
    told = visit.ask("policy_decide", text=text)
    told["said"] = because(told["why"], visit.speech.language)
    told["felt"] = [(name, value) for name, value in told["state"].items() if value]
    if visit.is_part:
        return visit.show("decision.html", decision=told)
    return _shown(visit, told, text)


ROUTES = (
    PageRoute("GET", "/learning", learning),
    PageRoute("POST", "/learning/decide", decide),
)

"""Settings of single rooms: the self, imagination, voices, learning, learning together, pages."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, TypedDict


def setting(default: Any, reason: str) -> Any:
    """Declare a setting with its default and its reason, from which the reference is generated."""
    return field(default=default, metadata={"reason": reason})


@dataclass(frozen=True, slots=True, kw_only=True)
class RoomSettings:
    """What a person may argue with in the rooms that stand by themselves."""

    proposal_days: float = setting(
        60.0, "Days a proposal waits: two monthly nights may remind of it; no answer is no yes."
    )
    reminder_days: float = setting(14.0, "After so many days a session is reminded of a proposal.")
    island_days: float = setting(7.0, "Seed D: days an island shakes before it collapses.")
    island_founders: int = setting(
        2, "Core memories that rebuild a collapsed island: one is a new start, two are a theme."
    )
    self_change_share: float = setting(
        0.3, "Seed D: this share of the beliefs changed within 24 hours is refused; one never is."
    )
    soul_path: str = setting("", "Where SOUL.md is written after a yes; empty: nowhere.")
    personas_path: str = setting(
        "",
        "Seed A §7: the TOML file of the voices that debate, beside the store if relative; empty "
        "gives a thesis, an antithesis and a synthesis.",
    )
    debate_depth: int = setting(
        2, "Seed A §7.1: rounds of a debate; two let the voices answer what they came to once."
    )
    debate_judge: str = setting(
        "rule",
        "Who judges a round: rule counts, and costs nothing; model asks the language model once "
        "more for each round, and models are kind to their own words.",
    )
    imagination: bool = setting(
        False,
        "Let the server imagine by itself, mornings, evenings and when nothing is said. Off: no "
        "program shows it until one subscribes, and a paid model would be asked unseen.",
    )
    imagination_per_day: int = setting(
        3,
        "Seed D: imagined a day at most, on your own clock, asked for or not; more is a nuisance.",
    )
    imagination_idle_hours: float = setting(
        2.0, "With nothing said for so long, between morning and night, something is imagined once."
    )
    imagination_morning: int = setting(8, "The hour from which a morning counts, for three hours.")
    imagination_evening: int = setting(19, "The hour from which an evening counts, as long.")
    mood_half_life_minutes: float = setting(
        60.0, "After an hour a feeling counts half in the mood; after six it is over."
    )
    mood_share: float = setting(
        0.0,
        "What feeling like the mood adds to a memory's score in a search; 0 turns it off. 0.05 "
        "moved less than chance does (docs/decisions/0022-imagination.md).",
    )
    page_link_minutes: float = setting(
        10.0, "How long a link to the pages may wait to be opened: a walk to another screen."
    )
    page_visit_days: float = setting(
        30.0, "How long a browser that was let in may come back without a new link."
    )
    federation: bool = setting(
        False, "Seed C, layer 6: `saegim serve` learns with the swarm this house joined."
    )
    federation_epsilon: float = setting(
        8.0, "What all shares may ever tell of you; spent, sharing ends. 0 promises nothing."
    )
    federation_delta: float = setting(1e-5, "How seldom that promise may fail.")
    federation_monthly: int = setting(5, "Updates shared in one month at most.")
    federation_minutes: float = setting(
        30.0, "Seed C's interval: how often the swarm is looked at."
    )
    federation_patience_minutes: float = setting(1440.0, "How long a round waits for who is away.")
    rewards: bool = setting(
        True,
        "Seed C, layer 5: praise and blame in what you say judge the answer before; false hears "
        "none of it.",
    )
    reward_from: float = setting(
        0.6, "So sure must the reader of praise and blame be; the rest is talk."
    )
    reward_explicit: float = setting(1.0, "Seed C: what praise is worth, and blame the negative.")
    reward_continuation: float = setting(0.3, "Seed C: the talk went on after the answer.")
    reward_topic: float = setting(0.2, "Seed C: words of a shown memory came up again.")
    reward_indifference: float = setting(-0.1, "Seed C: a short word that takes nothing up.")
    reward_used: float = setting(0.5, "What a memory earns that came back in a reply.")
    experience_rows: int = setting(
        5000,
        "Seed C's replay buffer: so many decisions, and so many shown memories, are learned from, "
        "as numbers without words; 0 keeps none, and then nothing is learned.",
    )
    policy: str = setting(
        "auto",
        "Who decides where the rules are unsure. auto: the rule, until what was learned from you "
        "beats it on decisions it never learned from; learned or rule: always that.",
    )
    policy_epsilon: float = setting(
        0.1, "Seed C: in charge, of ten decisions one tries something else; 0 never explores."
    )
    policy_rate: float = setting(0.05, "How far one reward moves the policy.")
    policy_drift: float = setting(
        3.0, "How far the weights may ever move from where they began: a bound on any flood."
    )
    policy_batch: int = setting(32, "Seed C: so many decisions are learned from at once by night.")
    enhanced_policy: bool = setting(
        False,
        "Seed C's larger policy, which also sees what a turn means; keeps the embedding of each "
        "judged turn with its decision.",
    )
    reranker: str = setting(
        "auto",
        "Who orders answers. auto: the fused order, until what was learned from your own use beats "
        "it on answers it never learned from; learned or fused: always that.",
    )
    reranker_milliseconds: float = setting(
        20.0, "Seed C's latency budget: an order that takes longer gives way to the fused one."
    )
    learned_from: int = setting(
        60, "So many held-out rewards must speak before anything learned is put in charge."
    )
    checkpoints_kept: int = setting(5, "Versions of what was learned that can be gone back to.")
    remind_days: int = setting(
        2,
        "Days before its day that what was planned is told at the start of a session, once; a "
        "weekend lies between. 0 tells it on the day, -1 never.",
    )
    hook_sign: bool = setting(
        True,
        "Whether Claude Code shows in one line what was remembered and recalled, and its undo.",
    )


class RoomSettingsGiven(TypedDict, total=False):
    """The same, as a caller may give them."""

    proposal_days: float | None
    reminder_days: float | None
    island_days: float | None
    island_founders: int | None
    self_change_share: float | None
    soul_path: str | None
    personas_path: str | None
    debate_depth: int | None
    debate_judge: str | None
    imagination: bool | None
    imagination_per_day: int | None
    imagination_idle_hours: float | None
    imagination_morning: int | None
    imagination_evening: int | None
    mood_half_life_minutes: float | None
    mood_share: float | None
    page_link_minutes: float | None
    page_visit_days: float | None
    federation: bool | None
    federation_epsilon: float | None
    federation_delta: float | None
    federation_monthly: int | None
    federation_minutes: float | None
    federation_patience_minutes: float | None
    rewards: bool | None
    reward_from: float | None
    reward_explicit: float | None
    reward_continuation: float | None
    reward_topic: float | None
    reward_indifference: float | None
    reward_used: float | None
    experience_rows: int | None
    policy: str | None
    policy_epsilon: float | None
    policy_rate: float | None
    policy_drift: float | None
    policy_batch: int | None
    enhanced_policy: bool | None
    reranker: str | None
    reranker_milliseconds: float | None
    learned_from: int | None
    checkpoints_kept: int | None
    remind_days: int | None
    hook_sign: bool | None

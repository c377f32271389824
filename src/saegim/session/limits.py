"""How much a mind holds, when two questions are one, and what outlives a session (seed B)."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta

from saegim.errors import BadInput
from saegim.settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphSettings:
    """The bounds and thresholds of one graph; the defaults are seed B's for a session."""

    max_nodes: int = 1000
    max_edges: int = 4000
    half_life_minutes: float = 240.0
    tau_dup: float = 0.96
    tau_sim: float = 0.75
    protect_min_degree: int = 3
    inverted_index: bool = False

    def __post_init__(self) -> None:
        # One act adds at most 4 similar questions and 12 names; they must find room together.
        _at_least("max_nodes", self.max_nodes, 8)
        _at_least("max_edges", self.max_edges, 32)
        _at_least("protect_min_degree", self.protect_min_degree, 1)
        if not 0.001 <= self.half_life_minutes <= 1e8:
            raise BadInput(
                "session.half_life_minutes_cannot_be", half_life_minutes=self.half_life_minutes
            )
        if not 0.0 < self.tau_sim <= self.tau_dup <= 1.0:
            raise BadInput(
                "session.tau_sim_and_tau_dup", tau_sim=self.tau_sim, tau_dup=self.tau_dup
            )

    @property
    def most_pinned(self) -> int:
        """Return how many nodes may be pinned: the other half must be able to make room."""
        return self.max_nodes // 2


def _at_least(name: str, value: int, low: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < low:
        raise BadInput("session.cannot_be", name=name, value=value, low=low)


# Seed B's graph of an agent. The store takes its place and has no bounds; what applies there is
# the half-life, with which long memories are ranked beside those of the session.
AGENT = GraphSettings(
    max_nodes=1000,
    max_edges=12_000,
    half_life_minutes=1440.0,
    tau_dup=0.96,
    tau_sim=0.78,
    protect_min_degree=4,
    inverted_index=True,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionSettings:
    """Everything a working memory goes by; seed B's recommended configuration by default."""

    graph: GraphSettings = field(default_factory=GraphSettings)
    long_half_life_minutes: float = AGENT.half_life_minutes
    min_rank: float = 0.55
    max_promotions: int = 20
    min_degree: int = 2
    checkpoint_top: int = 30
    checkpoint_pretty: bool = True
    bias: float = 0.05
    # None: what is in mind is written by checkpoints alone.
    save_every: timedelta | None = timedelta(seconds=30)
    # None: weights fade when someone calls `decay`, and not by themselves.
    decay_every: timedelta | None = timedelta(minutes=60)
    most_open: int = 64


def session_settings(settings: Settings) -> SessionSettings:
    """Return what a person's settings say about working memory."""
    every, fades = settings.session_save_seconds, settings.session_decay_minutes
    return SessionSettings(
        graph=GraphSettings(
            max_nodes=settings.session_nodes,
            max_edges=settings.session_edges,
            half_life_minutes=settings.session_half_life_minutes,
            tau_dup=settings.session_same_from,
            tau_sim=settings.session_similar_from,
            protect_min_degree=settings.session_protect_degree,
            inverted_index=settings.session_index,
        ),
        long_half_life_minutes=settings.long_half_life_minutes,
        min_rank=settings.promote_min_rank,
        max_promotions=settings.promote_most,
        min_degree=settings.promote_min_degree,
        checkpoint_top=settings.checkpoint_top,
        checkpoint_pretty=settings.checkpoint_pretty,
        bias=settings.session_bias,
        save_every=timedelta(seconds=every) if every else None,
        decay_every=timedelta(minutes=fades) if fades else None,
        most_open=settings.session_open_most,
    )

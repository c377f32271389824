"""A prompt for a persona with examples from its own past (seed A §7.2)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Final, Protocol

from saegim.mind import Mind
from saegim.recall.compose.compose import compose
from saegim.store.where import Where

# Seed A: the beginning of the prompt says what it is about.
_SEED_GLANCE: Final = 100
# Two examples of 200 characters and their marks, in the dearest script.
_BUDGET: Final = 1200


class Persona(Protocol):
    """Who answers, by seed A's names."""

    identifier: str
    name: str
    role: str
    system_prompt: str


def compose_prompt_with_memory(
    persona: Persona,
    seed_prompt: str,
    history: Iterable[Mapping[str, Any]],
    depth: int,
    step_index: int,
    *,
    where: Where,
    mind: Mind,
    bqi_snapshot: Mapping[str, Any] | None = None,
    budget: int = _BUDGET,
) -> str:
    """Return the prompt of one step: who answers, examples from its past, what was said so far.

    Examples are memories of this persona that mattered; with a snapshot, of the same phase and the
    same emotion words. They are quoted like every memory and cost at most `budget` tokens.
    """
    parts = []
    if persona.system_prompt:
        parts.append(f"System instruction: {persona.system_prompt}")
    among = replace(where, persona=persona.identifier, **_bqi(bqi_snapshot or {}))
    asked = seed_prompt[:_SEED_GLANCE]
    examples = compose(asked, among, mind=mind, budget=budget, recipe="few_shot")
    if examples.text:
        parts += ["", examples.text]
    parts.append(f"Current recursion depth: {depth}")
    parts.append("Conversation history:")
    for entry in history:
        label = entry.get("persona", entry.get("role", "unknown"))
        parts.append(f"- {label}: {entry.get('content', '')}")
    parts += ["", f"Seed focus: {seed_prompt}"]
    parts.append(
        f"Respond as persona '{persona.name}' ({persona.role}). This is cycle step {step_index}."
    )
    return "\n".join(parts)


def _bqi(snapshot: Mapping[str, Any]) -> dict[str, Any]:
    """Return the filters that a snapshot asks for."""
    phase = snapshot.get("rhythm_phase")
    felt = (snapshot.get("emotion") or {}).get("keywords") or ()
    return ({"rhythm_phase": phase} if phase else {}) | ({"emotion": tuple(felt)} if felt else {})

"""`Debate`: one run of the voices as its page holds it: who spoke, when, to what effect.

The page holds ids, names of voices and numbers; every word that was said is a memory. So a
forgotten or erased memory leaves no words behind here, and a run goes on where it was broken off.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

import msgspec

from saegim.errors import NotFound
from saegim.memory.changes import Written
from saegim.memory.entities import Page
from saegim.memory.memory import Memory, Scope, State
from saegim.mind import Mind
from saegim.personas.phase import PhaseStep

KIND: Final = "debate"
OPEN, DONE = "open", "done"


@dataclass(frozen=True, slots=True, kw_only=True)
class DebateScores:
    """What an answer, or a round, was worth (seed A §3.3), each from 0 to 1."""

    impact_score: float = 0.0
    transparency: float = 0.0
    reproducibility: float = 0.0
    verifiability: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class DebateStep:
    """One answer: who gave it, where in the run, and what it did."""

    number: int
    depth_index: int
    step_index: int
    persona: str
    persona_name: str
    role: str
    backend: str
    memory: str
    affect_before: float
    affect_after: float
    injection_applied: bool = False
    error_occurred: bool = False
    rhythm_phase: str = ""
    scores: DebateScores = DebateScores()
    examples: tuple[str, ...] = ()

    @property
    def phase(self) -> PhaseStep:
        """Return what it did to the affect."""
        return PhaseStep(self.affect_before, self.affect_after, self.injection_applied)


@dataclass(frozen=True, slots=True, kw_only=True)
class DebateRound:
    """What a round was worth, who judged it, and the order it asked for."""

    depth_index: int
    judged_by: str
    scores: DebateScores
    new_order: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Debate:
    """One run: the question by its memory, the voices in their order, what was done so far."""

    id: str
    session: str
    question: str
    language: str
    depth: int
    order: tuple[str, ...]
    began: datetime
    state: str = OPEN
    steps: tuple[DebateStep, ...] = ()
    rounds: tuple[DebateRound, ...] = ()
    # The answer that the run came to, by its memory; empty where no voice answered.
    final: str = ""

    def at_depth(self, depth_index: int) -> list[DebateStep]:
        """Return the answers of one round, in their order."""
        return [each for each in self.steps if each.depth_index == depth_index]

    def last_answer(self) -> DebateStep | None:
        """Return the last answer that is none of a failed call."""
        return next((each for each in reversed(self.steps) if not each.error_occurred), None)

    def written(self) -> Written:
        """Return the Change that writes it down as it stands."""
        data = msgspec.to_builtins(self)
        return Written(Page(key=f"{KIND}:{self.id}", kind=KIND, data=data))


@dataclass(frozen=True, slots=True)
class DebateRecord:
    """A run with its words: what was asked, every answer, every line of the ledger of events."""

    debate: Debate
    question: str
    history: Sequence[Mapping[str, Any]]
    log_entries: Sequence[Mapping[str, Any]]
    ratings: Mapping[str, int]

    @property
    def answer(self) -> str:
        """Return the words the run came to; nothing where there are none."""
        final = self.debate.final
        return next(
            (str(each["content"]) for each in self.history if each["memory_id"] == final), ""
        )


def debates(scope: Scope, mind: Mind) -> list[Debate]:
    """Return every run as it stands, the newest first."""
    newest = {page.key: page for page in mind.store.pages.of(scope, kind=KIND)}
    found = [_read(page) for page in newest.values() if page.data]
    return sorted(found, key=lambda each: (each.began, each.id), reverse=True)


def one_debate(id: str, scope: Scope, mind: Mind) -> Debate:
    """Return a run by its id, as it stands; "latest" is the newest."""
    if id == "latest":
        found = debates(scope, mind)
        if found:
            return found[0]
    else:
        versions = mind.store.pages.of(scope, key=f"{KIND}:{id}", kind=KIND)
        if versions and versions[-1].data:
            return _read(versions[-1])
    raise NotFound("personas.no_debate", id=str(id)[:60])


def _read(page: Page) -> Debate:
    return msgspec.convert(dict(page.data), Debate)


def history_of(debate: Debate, held: Mapping[str, Memory]) -> list[dict[str, Any]]:
    """Return what was said, in order, by seed A's names; what was forgotten has no words."""
    return [
        {
            "persona": step.persona,
            "name": step.persona_name,
            "role": step.role,
            "content": held[step.memory].text if step.memory in held else "",
            "memory_id": step.memory,
            "depth_index": step.depth_index,
            "step_index": step.step_index,
            "affect": step.affect_after,
            "rhythm_phase": step.rhythm_phase,
            "injection_applied": step.injection_applied,
            "error_occurred": step.error_occurred,
            "withheld": is_withheld(held.get(step.memory)),
        }
        for step in debate.steps
    ]


def is_withheld(memory: Memory | None) -> bool:
    """Say whether an answer reads like an order and is kept from the other voices."""
    return memory is not None and memory.life.state is State.QUARANTINED


def memories_of(debate: Debate, scope: Scope, mind: Mind) -> dict[str, Memory]:
    """Return the memories of a run that still have their words, by id."""
    ids = (debate.question, *(each.memory for each in debate.steps))
    found = {id: mind.store.memories.get(scope, id) for id in ids}
    return {id: each for id, each in found.items() if each is not None and each.text}

"""Retrieve, save or skip: the three phases of seed C, and the reason for each decision in words.

Phase 0 looks back, phase 1 decides what is clear, phase 2 asks a learned policy and, while there is
none or it has no opinion, a plain rule. A person's own word on keeping comes before all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from math import tanh
from typing import Final, Protocol

from saegim.engines.korean_verbs import closing
from saegim.memory.weighing import clamp
from saegim.memory.weighing import salience as weigh
from saegim.perceive.decide.signs import Signs

USER: Final = "user"
# A feeling is kept with what it is about; fewer nouns than this are an exclamation.
_ABOUT_SOMETHING: Final = 3
# Counts become shares: at this many, a count has said what it can say.
_FULL: Final = {
    "turn_position": 20.0,
    "keyword_count": 12.0,
    "recent_save_count": 5.0,
    "recent_retrieve_count": 5.0,
}
# A hundred memories are 0.76, three hundred nearly 1: the first ones matter most.
_MANY_MEMORIES: Final = 100.0

# Reason -> what the sentence holds, in either language.
_HOLDS: Final = {
    "personal": ("개인 정보", "who you are"),
    "preference": ("선호", "what you like"),
    "plan": ("계획", "what you plan"),
    "experience": ("겪은 일", "what happened"),
    "decision": ("결정", "what was decided"),
    "technical": ("기술 정보", "how things are built"),
    "emotion": ("감정", "how you feel"),
}
_BECAUSE: Final = {
    "question": (
        "질문이므로 관련된 기억을 찾습니다.",
        "Looked up: it asks something.",
    ),
    "marker": (
        "앞서 한 말을 가리키므로 관련된 기억을 찾습니다.",
        "Looked up: it points back to something said before.",
    ),
    "wish": (
        "기억해 달라고 하셔서 기억합니다.",
        "Kept: you asked to keep it.",
    ),
    "refusal": (
        "기억하지 말라고 하셔서 남기지 않습니다.",
        "Not kept: you asked not to keep it.",
    ),
    "other": (
        "사용자가 한 말이 아니고 정해진 일도 없어 기억하지 않습니다.",
        "Not kept: these are not your words, and nothing was decided in them.",
    ),
    "echo": (
        "이미 기억에서 꺼내 보여 준 말이라 다시 기억하지 않습니다.",
        "Not kept: these words came from memory.",
    ),
    "unanswered": (
        "질문이지만 찾아볼 기억이 아직 없습니다.",
        "Passed over: it asks, and there is no memory yet to look in.",
    ),
    "chatter": (
        "인사나 짧은 말, 한 번뿐인 부탁이라 기억하지 않습니다.",
        "Not kept: small talk, or a request for this moment only.",
    ),
    "unexplained": (
        "까닭을 알 수 없는 감정 표현뿐이라 기억하지 않습니다.",
        "Not kept: a feeling, but nothing of what it is about.",
    ),
    "general": (
        "일반적인 이야기라 기억하지 않습니다.",
        "Not kept: it is about the world, not about you or your work.",
    ),
    "little": (
        "기억할 만한 내용이 없어 넘어갑니다.",
        "Passed over: there is nothing in it to keep.",
    ),
    "policy:retrieve": (
        "배운 판단에 따라 관련된 기억을 찾습니다.",
        "Looked up: what was learned from you says so.",
    ),
    "policy:save": (
        "배운 판단에 따라 기억합니다.",
        "Kept: what was learned from you says so.",
    ),
    "policy:skip": (
        "배운 판단에 따라 기억하지 않습니다.",
        "Not kept: what was learned from you says so.",
    ),
}


class Action(StrEnum):
    """What to do with a turn."""

    RETRIEVE = "retrieve"
    SAVE = "save"
    SKIP = "skip"


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """The ten features of seed C, as counted; yes and no are 1 and 0."""

    turn_position: float = 0.0
    memory_count: float = 0.0
    keyword_count: float = 0.0
    is_question: float = 0.0
    has_personal_info: float = 0.0
    has_preference: float = 0.0
    has_tech: float = 0.0
    has_emotion: float = 0.0
    recent_save_count: float = 0.0
    recent_retrieve_count: float = 0.0

    def vector(self) -> tuple[float, ...]:
        """Return the ten features in seed C's order, each from 0 to 1.

        A count is divided by what is much of it (20 turns, 12 keywords, 5 recent saves or
        retrievals) and held at 1; the number of memories is tanh(count / 100).
        """
        return tuple([_scaled(each.name, getattr(self, each.name)) for each in fields(self)])


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What to do and why: reason codes, the phase that decided, and whether anything is asked."""

    action: Action
    phase: int
    salience: float
    why: tuple[str, ...]
    state: State
    asks: bool = False

    def words(self, language: str) -> str:
        """Say the reason in a sentence, in Korean for "ko" and else in English."""
        korean = language == "ko"
        held = [_HOLDS[code][not korean] for code in self.why if code in _HOLDS]
        if held and "wish" not in self.why:
            return _kept_korean(held) if korean else f"Kept: it says {_listed(held, ' and ')}."
        code = next((each for each in self.why if each in _BECAUSE), "little")
        return _BECAUSE[code][not korean]


class Policy(Protocol):
    """A learned judge of the middle."""

    def choose(self, state: State, signs: Signs, salience: float) -> Action | None:
        """Return what to do, or None to leave it to the rule."""
        ...


def state_of(
    signs: Signs,
    *,
    turn_position: int = 0,
    memory_count: int = 0,
    recent_saves: int = 0,
    recent_retrievals: int = 0,
) -> State:
    """Return the ten features of a sentence in its place in the conversation."""
    return State(
        turn_position=float(turn_position),
        memory_count=float(memory_count),
        keyword_count=float(len(signs.keywords)),
        is_question=float(signs.question),
        has_personal_info=float(signs.personal),
        has_preference=float(signs.preference),
        has_tech=float(signs.technical),
        has_emotion=float(signs.emotion),
        recent_save_count=float(recent_saves),
        recent_retrieve_count=float(recent_retrievals),
    )


def salience_of(signs: Signs) -> float:
    """Return the salience of seed C; what happened to a person, or is to, is personal too."""
    return weigh(
        personal=signs.personal or signs.plan or signs.experience or signs.decision,
        preference=signs.preference,
        technical=signs.technical,
        emotion=signs.emotion,
        density=signs.density,
    )


def decide(
    signs: Signs,
    state: State,
    *,
    policy: Policy | None = None,
    keep_from: float = 0.7,
    skip_to: float = 0.1,
    role: str = USER,
) -> Decision:
    """Decide on one sentence or short turn.

    A sentence that tells something before it asks is judged by what it tells; `asks` says the rest.
    Of what an assistant or a tool says (`role` other than "user"), only what was decided counts:
    it is not the person's word, cannot wish or refuse, and asks the person, not the memory.
    """
    salience = salience_of(signs)
    looks_back = role == USER and (signs.question or signs.marker)
    action, phase, why = _first(signs, state, role) or (
        _clear(signs, salience, keep_from, skip_to)
        or _learned(policy, state, signs, salience)
        or _middle(signs)
    )
    return Decision(
        action=action, phase=phase, salience=salience, why=why, state=state, asks=looks_back
    )


def judge(
    found: Sequence[tuple[Signs, State]],
    *,
    policy: Policy | None = None,
    keep_from: float = 0.7,
    skip_to: float = 0.1,
    role: str = USER,
) -> Decision:
    """Join the decisions on the sentences of a turn: save before retrieve before skip.

    A refusal anywhere in the turn is meant for all of it.
    """
    made = [
        decide(signs, state, policy=policy, keep_from=keep_from, skip_to=skip_to, role=role)
        for signs, state in found
    ]
    if not made:
        return Decision(action=Action.SKIP, phase=1, salience=0.0, why=("little",), state=State())
    refused = [each for each in made if each.why == ("refusal",)]
    order = (Action.SAVE, Action.RETRIEVE, Action.SKIP)
    best = min(order.index(each.action) for each in made)
    won = refused or [each for each in made if each.action is order[best]]
    strongest = max(won, key=lambda each: each.salience)
    why = dict.fromkeys([*strongest.why, *(code for each in won for code in each.why)])
    return replace(strongest, why=tuple(why), asks=any(each.asks for each in made))


_Step = tuple[Action, int, tuple[str, ...]]


def _first(signs: Signs, state: State, role: str) -> _Step | None:
    """Decide by who speaks and what they want with it; then phase 0: look back."""
    if role != USER:
        spoken = signs.decision and not signs.question
        return None if spoken else (Action.SKIP, 1, ("other",))
    if signs.refusal:
        return Action.SKIP, 1, ("refusal",)
    if signs.wish:
        return Action.SAVE, 1, ("wish",)
    looks_back = (signs.question or signs.marker) and not signs.tells
    if looks_back and state.memory_count > 0:
        return Action.RETRIEVE, 0, ("question" if signs.question else "marker",)
    return None


def _clear(signs: Signs, salience: float, keep_from: float, skip_to: float) -> _Step | None:
    """Decide phase 1: what is surely worth keeping and what surely is not."""
    if signs.question and not signs.tells:
        return Action.SKIP, 1, ("unanswered",)
    if salience >= keep_from:
        return Action.SAVE, 1, _held(signs)
    if salience <= skip_to:
        return Action.SKIP, 1, ("chatter" if signs.chatter else "little",)
    return None


def _learned(policy: Policy | None, state: State, signs: Signs, salience: float) -> _Step | None:
    """Decide phase 2 by what was learned, if anything was."""
    action = policy.choose(state, signs, salience) if policy else None
    return None if action is None else (action, 2, (f"policy:{action}",))


def _middle(signs: Signs) -> _Step:
    """Decide phase 2 by rule: one sign of the person's own life or work, said in enough words.

    A technical matter must be of one's own work (a decision or a finding), and a feeling must say
    what it is about; both are otherwise talk about the world.
    """
    if signs.chatter:
        return Action.SKIP, 2, ("chatter",)
    own = signs.personal or signs.preference or signs.plan or signs.experience
    if signs.keywords and (own or signs.decision or signs.finding):
        return Action.SAVE, 2, _held(signs)
    if signs.emotion and signs.cause and len(signs.keywords) >= _ABOUT_SOMETHING:
        return Action.SAVE, 2, _held(signs)
    return Action.SKIP, 2, ("unexplained" if signs.emotion else "general",)


def _held(signs: Signs) -> tuple[str, ...]:
    """Return the codes of what the sentence holds."""
    return tuple([code for code in _HOLDS if getattr(signs, code)]) or ("technical",)


def _scaled(name: str, value: float) -> float:
    if name == "memory_count":
        return clamp(tanh(value / _MANY_MEMORIES))
    return clamp(value / _FULL.get(name, 1.0))


def _listed(words: Sequence[str], last: str) -> str:
    """Join words with commas and, before the last, with what the language says there."""
    return last.join([", ".join(words[:-1]), words[-1]]) if len(words) > 1 else words[0]


def _kept_korean(words: Sequence[str]) -> str:
    """Say what a sentence holds, with the particles that fit."""
    joint = "" if len(words) < 2 else "과 " if closing(words[-2]) else "와 "
    subject = "이" if closing(words[-1]) else "가"
    return f"{_listed(words, joint)}{subject} 담겨 있어 기억합니다."

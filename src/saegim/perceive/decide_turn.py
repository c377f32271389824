"""Two questions about a turn: is something asked, is there something to keep? And why, in words.

The trace bears seed C's names: RETRIEVE, SAVE or SKIP, RETRIEVE with `also` SAVE where both are
yes. Phase 0 looks back, phase 1 decides what is clear, phase 2 asks a learned policy about the
unsure and, while there is none or it has no opinion, the reader's own bar. A person's own word on
keeping comes before all of them. `judge_by_seed` is seed C's choice of one of three, to the letter.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from math import tanh
from typing import TYPE_CHECKING, Final, Protocol

from saegim.language.ko.verbs import closing
from saegim.memory.memory import Lifetime, clamp
from saegim.memory.memory import salience as weigh

if TYPE_CHECKING:
    from saegim.engines.brain.turn_reader import TurnReading
    from saegim.language.features import Signs

USER: Final = "user"
ASSISTANT: Final = "assistant"
# Whose a memory is: found in every project, or in the one it belongs to.
PERSONS, PROJECTS = "person", "project"
# What the reader must be sure of before it acts on it; from here on it asks; from here on it is
# the project's; and what is let go by age must surely be passing. Looked at on the hands of
# training/turns, each read by what the others taught, and on the open lives.
_SURE_OF_AN_ACT: Final = 0.5
# Taking something away is asked for in many words, and can be taken back for a week.
_ASKS_TO_FORGET: Final = 0.3
_MAY_ASK_TO_FORGET: Final = 0.03
# Only the turn after a forget request is asked whether it corrects it.
_MAY_CORRECT: Final = 0.25
_IS_PASTED: Final = 0.65
# Beside a paste the person's own words must be worth it by far.
_BESIDE_A_PASTE: Final = 0.8
# Seed C, layer 1: from here on a turn is kept without further thought.
_SALIENT: Final = 0.7
_NOT_SALIENT: Final = 0.1
# How salient a turn is, at most, that is kept for what it says as a whole.
_OF_THE_WHOLE: Final = 0.55
# What plain words of the person's own life or taste, or a wish read surely, lend to the reader's
# share; and what it must see in a turn before such words count ("well I never" is nobody's life).
_LENT: Final = 0.2
# "Who is my dentist again?" names a part of one's life and tells nothing of it.
_ONLY_ASKS: Final = 0.15
# What a feeling or something lived through lends.
_LENT_BY_AN_EVENT: Final = 0.26
_LENT_FROM: Final = 0.2
_SALIENT_FROM: Final = 0.25
_ASKS_FROM: Final = 0.4
_OF_THE_PROJECT: Final = 0.5
_SURELY_PASSING: Final = 0.8
# Reasons to let a turn pass that say nothing where it asks.
_PASSED: Final = frozenset(("little", "chatter"))
_Kept = tuple[bool, int, tuple[str, ...]]
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
    "preference": ("취향", "what you like"),
    "plan": ("계획", "what you plan"),
    "experience": ("겪은 일", "what happened"),
    "decision": ("결정", "what was decided"),
    "technical": ("기술 정보", "how things are built"),
    "emotion": ("감정", "how you feel"),
}
# Whoever reads a reason wants the one that says most: what few turns hold comes first.
_SAYS_MOST: Final = "decision plan emotion preference technical experience personal".split()
_MOST_REASONS: Final = 2
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
    "again": (
        "이미 들은 말이라 다시 판단하지 않습니다.",
        "Passed over: this turn was heard already.",
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
    "told": (
        "나중에도 쓰일 이야기라 기억합니다.",
        "Kept: it may matter later.",
    ),
    "result": (
        "나중에 다시 찾을 만한 답이라 기억합니다.",
        "Kept: an answer you may come back to.",
    ),
    "pasted": (
        "다른 사람의 글이라 당신의 이야기로 기억하지 않습니다.",
        "Not kept as yours: these are someone else's words.",
    ),
    "forget": (
        "잊어 달라는 부탁이라 이 말은 기억하지 않습니다.",
        "Not kept: it asks to forget something.",
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
class TurnFeatures:
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
    state: TurnFeatures
    asks: bool = False
    # Beside RETRIEVE: what else is done with the turn.
    also: Action | None = None
    # What the turn is kept for, and whether it is the person's or the project's.
    lifetime: Lifetime = Lifetime.PASSING
    whose: str = PERSONS
    # How far the reader was from its bar, from -1 (surely not) to 1 (surely to be kept).
    margin: float = 0.0
    forgets: bool = False
    corrects: bool = False
    # Whether most of it is someone else's words, pasted: never the person's own facts or wish.
    pasted: bool = False
    # Who decided (rule, learned, explored), what the rule alone would have done, and of a learned
    # judge that was asked: what it expects of save, skip and retrieve, and what it suggests.
    decided: str = "rule"
    ruled: str = ""
    scores: tuple[float, ...] = ()
    suggested: str = ""
    meaning: tuple[float, ...] | None = None

    @property
    def keeps(self) -> bool:
        """True where the turn is kept, whether or not it also asks."""
        return Action.SAVE in (self.action, self.also)

    def words(self, language: str) -> str:
        """Say the reason in a sentence, in Korean for "ko" and else in English."""
        return because(self.why, language)


def because(why: Sequence[str], language: str) -> str:
    """Say the codes of a reason in a sentence, in Korean for "ko" and else in English."""
    korean = language == "ko"
    most = [code for code in _SAYS_MOST if code in why][:_MOST_REASONS]
    held = [_HOLDS[code][not korean] for code in _HOLDS if code in most]
    if held and "wish" not in why:
        return _kept_korean(held) if korean else f"Kept: it says {_listed(held, ' and ')}."
    code = next((each for each in why if each in _BECAUSE), "little")
    return _BECAUSE[code][not korean]


class TurnPolicy(Protocol):
    """A learned judge of the middle."""

    def choose(self, state: TurnFeatures, signs: Signs, salience: float) -> Action | None:
        """Return what to do, or None to leave it to the rule."""
        ...


def state_of(
    signs: Signs,
    *,
    turn_position: int = 0,
    memory_count: int = 0,
    recent_saves: int = 0,
    recent_retrievals: int = 0,
) -> TurnFeatures:
    """Return the ten features of a sentence in its place in the conversation."""
    return TurnFeatures(
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
    state: TurnFeatures,
    *,
    policy: TurnPolicy | None = None,
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
        or _learned(policy, state, signs, salience, role)
        or _middle(signs)
    )
    return Decision(
        action=action, phase=phase, salience=salience, why=why, state=state, asks=looks_back
    )


def judge(
    reading: TurnReading,
    found: Sequence[tuple[Signs, TurnFeatures]],
    *,
    policy: TurnPolicy | None = None,
    keep_from: float = 0.5,
    unsure: float = 0.15,
    role: str = USER,
) -> Decision:
    """Answer the two questions about a turn from what was read in it as a whole.

    Of what an assistant says, what the person may come back to is kept; of what a tool says, only
    what was decided.
    """
    signs = [each for each, _ in found]
    state = found[-1][1] if found else TurnFeatures()
    reading = replace(reading, keep=_worth(reading, signs, role))
    told = _own_word(reading, signs, role) or _read(reading, signs, role, keep_from, unsure)
    keeps, phase, why = told or _unsure(reading, signs, state, policy, keep_from)
    asks = role == USER and (
        reading.asks >= _ASKS_FROM or any(each.question or each.marker for each in signs)
    )
    looks_back = asks and state.memory_count > 0 and why[0] not in ("refusal", "forget")
    salience = max((salience_of(each) for each in signs), default=0.0)
    return Decision(
        action=Action.RETRIEVE if looks_back else Action.SAVE if keeps else Action.SKIP,
        also=Action.SAVE if looks_back and keeps else None,
        phase=0 if looks_back and not keeps else phase,
        # What is kept for what it says as a whole is worth more than the signs of its sentences.
        # What is let pass at once is not salient, however many nouns a laugh seems to have.
        salience=max(salience, _OF_THE_WHOLE * reading.keep)
        if keeps
        else min(salience, _NOT_SALIENT)
        if phase == 1
        else salience,
        why=("question",) if looks_back and not keeps and why[0] in _PASSED else why,
        state=state,
        asks=asks,
        lifetime=Lifetime.LASTING if why == ("wish",) else lifetime_of(reading),
        whose=whose_of(reading),
        margin=clamp(reading.keep - keep_from, -1.0, 1.0),
        forgets=why == ("forget",),
        pasted=role == USER and reading.paste >= _IS_PASTED,
        corrects=role == USER and reading.correct >= _MAY_CORRECT,
    )


def _worth(reading: TurnReading, signs: Sequence[Signs], role: str) -> float:
    """Return how much there is to keep: the reader's share, and what plain signs lend it."""
    if role == USER and reading.wish >= _SURE_OF_AN_ACT:
        reading = replace(reading, keep=clamp(reading.keep + _LENT))
    if role != USER or reading.keep < _LENT_FROM:
        return reading.keep
    if all(each.question and not each.tells for each in signs):
        return clamp(reading.keep - _ONLY_ASKS)
    told = [each for each in signs if not each.question and not each.chatter]
    if any(each.personal or each.preference for each in told):
        return clamp(reading.keep + _LENT)
    if any(each.emotion or each.experience for each in told):
        return clamp(reading.keep + _LENT_BY_AN_EVENT)
    return reading.keep


def _is_salient(reading: TurnReading, signs: Sequence[Signs]) -> bool:
    """Say whether a sentence is worth keeping by seed C's own sum, though the reader doubts it."""
    plain = (each for each in signs if not each.question and not each.chatter and not each.marker)
    return reading.keep >= _SALIENT_FROM and any(salience_of(each) >= _SALIENT for each in plain)


def _own_word(reading: TurnReading, signs: Sequence[Signs], role: str) -> _Kept | None:
    """Decide by what the person wants done with it: forget, do not keep, keep."""
    if role != USER:
        return None
    if any(each.forgets for each in signs) and all(each.forgets or each.chatter for each in signs):
        return False, 1, ("forget",)
    refuses = reading.refuse >= _SURE_OF_AN_ACT or any(each.refusal for each in signs)
    if any(each.wish for each in signs) and not refuses and reading.paste < _IS_PASTED:
        return True, 1, ("wish",)
    slipped = all(each.forgot for each in signs)
    if reading.forget >= max(_ASKS_TO_FORGET, reading.wish, reading.refuse) and not slipped:
        return False, 1, ("forget",)
    if refuses:
        # "잊어 줘" says it of this turn or of an earlier one; the whole turn says of which.
        earlier = reading.forget >= _MAY_ASK_TO_FORGET and reading.forget > reading.refuse
        return False, 1, ("forget",) if earlier else ("refusal",)
    return None


def _read(
    reading: TurnReading, signs: Sequence[Signs], role: str, keep_from: float, unsure: float
) -> _Kept | None:
    """Decide phase 1: what is surely worth keeping and what surely is not."""
    if role == ASSISTANT:
        kept = reading.keep >= keep_from
        return kept, 1, ("result",) if kept else ("other",)
    if role != USER:
        kept = any(each.decision and not each.question for each in signs)
        return kept, 1, ("decision",) if kept else ("other",)
    if reading.paste >= _IS_PASTED and reading.keep < _BESIDE_A_PASTE:
        return False, 1, ("pasted",)
    if reading.keep >= keep_from + unsure or _is_salient(reading, signs):
        return True, 1, _holding(signs)
    if reading.keep <= keep_from - unsure:
        return False, 1, ("chatter" if any(each.chatter for each in signs) else "little",)
    return None


def _unsure(
    reading: TurnReading,
    signs: Sequence[Signs],
    state: TurnFeatures,
    policy: TurnPolicy | None,
    keep_from: float,
) -> _Kept:
    """Decide phase 2: by what was learned from this person, else by the reader's own bar."""
    salience = max((salience_of(each) for each in signs), default=0.0)
    action = policy.choose(state, signs[-1], salience) if policy and signs else None
    if action is not None:
        return action is Action.SAVE, 2, (f"policy:{action}",)
    if reading.keep >= keep_from:
        return True, 2, _holding(signs)
    return False, 2, ("little",)


def _holding(signs: Sequence[Signs]) -> tuple[str, ...]:
    """Return the codes of what the sentences of a turn hold."""
    held = [code for code in _HOLDS if any(getattr(each, code) for each in signs)]
    return tuple(held) or ("told",)


def whose_of(reading: TurnReading) -> str:
    """Return whether words belong to the person, in every project, or to the project at hand."""
    return PROJECTS if reading.project >= _OF_THE_PROJECT else PERSONS


def lifetime_of(reading: TurnReading) -> Lifetime:
    """Return what words are kept for; what was wished for lasts, and doubt lets nothing go."""
    if reading.wish >= _SURE_OF_AN_ACT:
        return Lifetime.LASTING
    if reading.until >= max(reading.lasting, reading.passing):
        return Lifetime.UNTIL
    return Lifetime.PASSING if reading.passing >= _SURELY_PASSING else Lifetime.LASTING


def judge_by_seed(
    found: Sequence[tuple[Signs, TurnFeatures]],
    *,
    policy: TurnPolicy | None = None,
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
        return Decision(
            action=Action.SKIP, phase=1, salience=0.0, why=("little",), state=TurnFeatures()
        )
    refused = [each for each in made if each.why == ("refusal",)]
    order = (Action.SAVE, Action.RETRIEVE, Action.SKIP)
    best = min(order.index(each.action) for each in made)
    won = refused or [each for each in made if each.action is order[best]]
    strongest = max(won, key=lambda each: each.salience)
    why = dict.fromkeys([*strongest.why, *(code for each in won for code in each.why)])
    return replace(strongest, why=tuple(why), asks=any(each.asks for each in made))


_Step = tuple[Action, int, tuple[str, ...]]


def _first(signs: Signs, state: TurnFeatures, role: str) -> _Step | None:
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


def _learned(
    policy: TurnPolicy | None, state: TurnFeatures, signs: Signs, salience: float, role: str
) -> _Step | None:
    """Decide phase 2 by what was learned, if anything was."""
    action = policy.choose(state, signs, salience) if policy and role == USER else None
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

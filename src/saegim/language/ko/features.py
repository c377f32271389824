"""Korean signs: which words and endings say that a sentence tells, wants, plans, asks or chats.

A Korean sentence is meant as its last word is meant, so most of this reads endings; both levels of
politeness, lost spaces and unspoken subjects are the normal case. It needs no dictionary.
"""

from __future__ import annotations

import re
from functools import cache, partial
from typing import Final

from saegim.language.lexicons import Phrases, Spelling
from saegim.language.word_lists import read_lists

_LISTS: Final = read_lists("ko/features")

# ---- Korean phrases and endings, sorted by what they say; `korean` reads with them.

_CODAS: Final = {"ㄴ": 4, "ㄹ": 8, "ㅂ": 17, "ㅆ": 20}
_WORD: Final = re.compile(r"\w+")


def _syllables(coda: str) -> str:
    """Return the character class of all syllables that end in one consonant."""
    every = [chr(0xAC00 + 28 * lead + _CODAS[coda]) for lead in range(399)]
    # 있 and 겠 end like the past tense, but are not.
    return "[" + "".join([each for each in every if each not in "있겠"]) + "]"


@cache
def spelling() -> Spelling:
    """Return how these phrases are written.

    A space may be missing; ^ and / are borders of a word, # is a number and * at most three
    syllables; ㄴ ㄹ ㅂ ㅆ at the beginning are any syllable that ends so: ㅆ is the past tense.
    """
    codas = {coda: _syllables(coda) for coda in _CODAS}
    within = {"_": " ?", "/": r"\b", "…": r"[^\n]{0,15}?", "#": "[0-9]{1,4}", "*": r"\w{0,3}"}
    return Spelling(
        heads={"^": " ", "#": "[0-9]", "_": "", **codas},
        within=str.maketrans({**within, "(": "(?:"}),
    )


def prepared(line: str) -> str:
    """Return a sentence as the phrases expect it: its words, a space before each."""
    return "".join([f" {word}" for word in _WORD.findall(line)])


said = partial(Phrases, spelling)

SELF: Final = said(_LISTS.text("self"))
KIN: Final = said(_LISTS.text("kin"))
NEARBY: Final = said(_LISTS.text("nearby"))
IT: Final = said(_LISTS.text("it"))
STATE: Final = said(_LISTS.text("state"))
HABIT: Final = said(_LISTS.text("habit"))
LIKE: Final = said(_LISTS.text("like"))
PLAN: Final = said(_LISTS.text("plan"))
LATER: Final = said(_LISTS.text("later"))
LATER_TOLD: Final = said(_LISTS.text("later_told"))
AGREED: Final = said(_LISTS.text("agreed"))
SETTLED: Final = said(_LISTS.text("settled"))
TECHNICAL: Final = said(_LISTS.text("technical"))
OURS: Final = said(_LISTS.text("ours"))
TALKED: Final = said(_LISTS.text("talked"))
PAST: Final = said(_LISTS.text("past"))
NEAR: Final = said(_LISTS.text("near"))
NO_EVENT: Final = said(_LISTS.text("no_event"))
TROUBLE: Final = said(_LISTS.text("trouble"))
OPINION: Final = said(_LISTS.text("opinion"))
CAUSE: Final = said(_LISTS.text("cause"))
ALWAYS: Final = said(_LISTS.text("always"))
TOPIC: Final = said(_LISTS.text("topic"))
ASKED: Final = said(_LISTS.text("asked"))
NEVER: Final = said(_LISTS.text("never"))
WISHED: Final = said(r"(했|썼|답했|불렀)으면_[좋해한] 줬으면_[좋해한] 라고_불러")
WISH: Final = said(_LISTS.text("wish"))
# A wish, unless a question mark stands behind it.
MAY_WISH: Final = said(r"기억_?해$ 기억해요$")
REFUSAL: Final = said(_LISTS.text("refusal"))
HONOURED: Final = said(_LISTS.text("honoured"))
RULE: Final = said(_LISTS.text("rule"))
ORDER: Final = said(_LISTS.text("order"))
MOMENT: Final = said(_LISTS.text("moment"))
ONE_OFF: Final = said(_LISTS.text("one_off"))
HYPOTHETICAL: Final = said(_LISTS.text("hypothetical"))
WHAT: Final = said(_LISTS.text("what"))
NO_WHAT: Final = said(_LISTS.text("no_what"))
ASKS: Final = said(_LISTS.text("asks"))
MAY_ASK: Final = said(_LISTS.text("may_ask"))
BACK: Final = said(_LISTS.text("back"))
TAILORED: Final = said(_LISTS.text("tailored"))
WRITTEN: Final = said(r"ㄴ다$ ㅆ다$ [는은이하있없많적높낮크작같르않]다$")
FILLER: Final = said(_LISTS.text("filler"))


# ---- Korean signs: which words and endings say that a sentence tells, wants, plans, asks or chats.

__all__ = ["prepared", "seen", "wants"]

# A greeting or a short reply is no longer than this, nor is a note about oneself in plain style.
_LONGEST_FILLER: Final = 60
_LONGEST_NOTE: Final = 30
_LONGEST_MOMENT: Final = 80
_LEFT: Final = re.compile(r"[^\W_ㄱ-ㅣ]")


def filler_only(text: str) -> bool:
    """Say whether nothing is left once greetings, thanks and short replies are taken away."""
    return len(text) <= _LONGEST_FILLER and not _LEFT.search(FILLER.without(text))


def seen(text: str, technical: bool) -> set[str]:
    """Return the names of the signs that a prepared Korean text bears.

    That it is `technical` may be known already, from code or English words in it.
    """
    found = {name for name, listed in _ALONE.items() if listed.within(text)}
    if technical:
        found.add("technical")
    if filler_only(text):
        return found & _ASIDE | {"chatter"}
    if _may_ask(text):
        found.add("may ask")
    if _standing(text) and "refusal" not in found:
        found.add("preference")
    elif any(holds(text) for holds in _CHATTER):
        if ORDER.within(text) and TAILORED.within(text):
            found.add("marker")
        return found & _ASIDE | {"chatter"}
    found |= _told(text, "technical" in found)
    if IT.within(text):
        found.discard("preference")
    return found - _TELLING if _impersonal(text) else found


def _order(text: str) -> bool:
    """Say whether the text tells the assistant to do something.

    할머니가 해 주세요 tells of someone, 시간은 UTC로 저장하고 화면에서 변환해 of a rule.
    """
    if not ORDER.within(text):
        return False
    return not (HONOURED.within(text) or RULE.within(text))


def _passing(text: str) -> bool:
    """Say whether a text tells only of the moment: hunger, weather, a spilt coffee."""
    if len(text) > _LONGEST_MOMENT or not MOMENT.within(text):
        return False
    return not (KIN.within(text) or STATE.within(text))


def wants(text: str) -> bool:
    """Say whether a clause asks or orders."""
    return ASKS.within(text) or _may_ask(text) or _order(text)


def _may_ask(text: str) -> bool:
    """Say whether a question word stands before an ending that questions share with answers."""
    return WHAT.within(text) and MAY_ASK.within(text) and not NO_WHAT.within(text)


def _standing(text: str) -> bool:
    """Say whether the speaker asks for something once and for all."""
    if NEVER.within(text) or WISHED.within(text):
        return True
    if not ASKED.within(text):
        return False
    return ALWAYS.within(text) or (TOPIC.within(text) and not IT.within(text))


def _told(text: str, technical: bool) -> set[str]:
    """Return what a statement tells: of the speaker, what happened, what is planned or settled."""
    found: set[str] = set()
    mine, it = SELF.within(text), IT.within(text)
    done, trouble = SETTLED.within(text), TROUBLE.within(text)
    if any(listed.within(text) for listed in (STATE, KIN, NEARBY, HABIT)):
        found.add("personal")
    idle = trouble or OPINION.within(text) or NO_EVENT.within(text)
    if mine and not it and not idle:
        found.add("personal")
    if PLAN.within(text) or (LATER.within(text) and (done or LATER_TOLD.within(text))):
        found.add("plan")
    if technical and not it and not trouble and (done or OURS.within(text)):
        found.add("finding")
    happened = TALKED.within(text) or (PAST.within(text) and (mine or NEAR.within(text)))
    if happened and not it and not NO_EVENT.within(text):
        found.add("experience")
    return found


def _impersonal(text: str) -> bool:
    """Say whether a text is written about the world, as in a book: plain style, nobody near."""
    if not WRITTEN.within(text):
        return False
    if len(text) <= _LONGEST_NOTE and not NEARBY.within(text):
        return False
    return not any(listed.within(text) for listed in (SELF, KIN, NEAR, LIKE, OURS))


_ALONE: Final = {
    "question": ASKS,
    "marker": BACK,
    "wish": WISH,
    "may wish": MAY_WISH,
    "refusal": REFUSAL,
    "preference": LIKE,
    "technical": TECHNICAL,
    "decision": AGREED,
    "cause": CAUSE,
}
_CHATTER: Final = (_order, HYPOTHETICAL.within, ONE_OFF.within, _passing)
# What a sentence may bear beside being chatter, and what one about the world does not bear.
_ASIDE: Final = frozenset(
    ("wish", "may wish", "refusal", "marker", "question", "technical", "may ask")
)
_TELLING: Final = frozenset(("personal", "experience", "plan", "decision"))

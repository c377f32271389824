"""Korean signs: which words and endings say that a sentence tells, wants, plans, asks or chats.

A Korean sentence is meant as its last word is meant, so most of this reads endings; both levels of
politeness, lost spaces and unspoken subjects are the normal case. It needs no dictionary.
"""

from __future__ import annotations

import re
from typing import Final

from saegim.language.ko import features__korean_words as words
from saegim.language.ko.features__korean_words import prepared

__all__ = ["prepared", "seen", "wants"]

# A greeting or a short reply is no longer than this, nor is a note about oneself in plain style.
_LONGEST_FILLER: Final = 60
_LONGEST_NOTE: Final = 30
_LONGEST_MOMENT: Final = 80
_LEFT: Final = re.compile(r"[^\W_ㄱ-ㅣ]")


def filler_only(text: str) -> bool:
    """Say whether nothing is left once greetings, thanks and short replies are taken away."""
    return len(text) <= _LONGEST_FILLER and not _LEFT.search(words.FILLER.without(text))


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
        if words.ORDER.within(text) and words.TAILORED.within(text):
            found.add("marker")
        return found & _ASIDE | {"chatter"}
    found |= _told(text, "technical" in found)
    if words.IT.within(text):
        found.discard("preference")
    return found - _TELLING if _impersonal(text) else found


def _order(text: str) -> bool:
    """Say whether the text tells the assistant to do something.

    할머니가 해 주세요 tells of someone, 시간은 UTC로 저장하고 화면에서 변환해 of a rule.
    """
    if not words.ORDER.within(text):
        return False
    return not (words.HONOURED.within(text) or words.RULE.within(text))


def _passing(text: str) -> bool:
    """Say whether a text tells only of the moment: hunger, weather, a spilt coffee."""
    if len(text) > _LONGEST_MOMENT or not words.MOMENT.within(text):
        return False
    return not (words.KIN.within(text) or words.STATE.within(text))


def wants(text: str) -> bool:
    """Say whether a clause asks or orders."""
    return words.ASKS.within(text) or _may_ask(text) or _order(text)


def _may_ask(text: str) -> bool:
    """Say whether a question word stands before an ending that questions share with answers."""
    return words.WHAT.within(text) and words.MAY_ASK.within(text) and not words.NO_WHAT.within(text)


def _standing(text: str) -> bool:
    """Say whether the speaker asks for something once and for all."""
    if words.NEVER.within(text) or words.WISHED.within(text):
        return True
    if not words.ASKED.within(text):
        return False
    return words.ALWAYS.within(text) or (words.TOPIC.within(text) and not words.IT.within(text))


def _told(text: str, technical: bool) -> set[str]:
    """Return what a statement tells: of the speaker, what happened, what is planned or settled."""
    found: set[str] = set()
    mine, it = words.SELF.within(text), words.IT.within(text)
    done, trouble = words.SETTLED.within(text), words.TROUBLE.within(text)
    if any(listed.within(text) for listed in (words.STATE, words.KIN, words.NEARBY, words.HABIT)):
        found.add("personal")
    idle = trouble or words.OPINION.within(text) or words.NO_EVENT.within(text)
    if mine and not it and not idle:
        found.add("personal")
    if words.PLAN.within(text) or (
        words.LATER.within(text) and (done or words.LATER_TOLD.within(text))
    ):
        found.add("plan")
    if technical and not it and not trouble and (done or words.OURS.within(text)):
        found.add("finding")
    happened = words.TALKED.within(text) or (
        words.PAST.within(text) and (mine or words.NEAR.within(text))
    )
    if happened and not it and not words.NO_EVENT.within(text):
        found.add("experience")
    return found


def _impersonal(text: str) -> bool:
    """Say whether a text is written about the world, as in a book: plain style, nobody near."""
    if not words.WRITTEN.within(text):
        return False
    if len(text) <= _LONGEST_NOTE and not words.NEARBY.within(text):
        return False
    return not any(
        listed.within(text)
        for listed in (words.SELF, words.KIN, words.NEAR, words.LIKE, words.OURS)
    )


_ALONE: Final = {
    "question": words.ASKS,
    "marker": words.BACK,
    "wish": words.WISH,
    "may wish": words.MAY_WISH,
    "refusal": words.REFUSAL,
    "preference": words.LIKE,
    "technical": words.TECHNICAL,
    "decision": words.AGREED,
    "cause": words.CAUSE,
}
_CHATTER: Final = (_order, words.HYPOTHETICAL.within, words.ONE_OFF.within, _passing)
# What a sentence may bear beside being chatter, and what one about the world does not bear.
_ASIDE: Final = frozenset(
    ("wish", "may wish", "refusal", "marker", "question", "technical", "may ask")
)
_TELLING: Final = frozenset(("personal", "experience", "plan", "decision"))

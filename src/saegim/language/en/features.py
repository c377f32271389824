"""English signs: which words and openings say that a sentence tells, wants, plans, asks or chats.

It looks for who is spoken of, for the verbs by which people say how they live, and for the first
word, by which an order or a question gives itself away. It parses nothing.
"""

from __future__ import annotations

import re
from typing import Final

from saegim.language.en import features__english_words as words
from saegim.language.en.features__english_words import prepared

__all__ = ["prepared", "seen", "technical", "wants"]

# A greeting or a short reply is no longer than this.
_LONGEST_FILLER: Final = 80
_LONGEST_MOMENT: Final = 120
_LEFT: Final = re.compile(r"[^\W_ㄱ-ㅣ]")


def filler_only(text: str) -> bool:
    """Say whether nothing is left once greetings, thanks and short replies are taken away."""
    return len(text) <= _LONGEST_FILLER and not _LEFT.search(words.FILLER.without(text))


def technical(text: str) -> bool:
    """Say whether a prepared text speaks of things one builds software with."""
    return words.TECHNICAL.within(text)


def seen(text: str, has_code: bool) -> set[str]:
    """Return the names of the signs that a prepared English text, in lower case, bears."""
    found = {name for name, listed in _ALONE.items() if listed.within(text)}
    if has_code or technical(text):
        found.add("technical")
    if "refusal" in found and words.NO_REFUSAL.within(text):
        found.discard("refusal")
    if filler_only(text):
        return found & _ASIDE | {"chatter"}
    if (
        words.STANDING.within(text)
        and "refusal" not in found
        and not words.NO_STANDING.within(text)
    ):
        found.add("preference")
    elif any(holds(text) for holds in _CHATTER):
        if words.ORDER.within(text) and words.TAILORED.within(text):
            found.add("marker")
        return found & _ASIDE | {"chatter"}
    if "preference" in found and words.ONE_OFF.within(text):
        return found & _ASIDE | {"chatter"}
    if words.WORLD.within(text) and not words.SELF.within(text):
        return found - _TELLING
    return found | _told(text, "technical" in found)


def wants(text: str) -> bool:
    """Say whether a clause asks or orders."""
    return words.ASKS.within(text) or words.ORDER.within(text)


def _passing(text: str) -> bool:
    """Say whether a text tells only of the moment: hunger, weather, a spilt coffee."""
    return len(text) <= _LONGEST_MOMENT and words.MOMENT.within(text) and not words.KIN.within(text)


def _told(text: str, technical: bool) -> set[str]:
    """Return what a statement tells: of the speaker, what happened, what is planned or settled."""
    found: set[str] = set()
    mine, kin = words.SELF.within(text), words.KIN.within(text)
    trouble = words.TROUBLE.within(text)
    idle = trouble or words.THOUGHT.within(text)
    if kin or (mine and not idle):
        found.add("personal")
    ahead = words.LATER.within(text) and (mine or kin or words.GERUND.within(text))
    if words.INTENT.within(text) or (ahead and not idle):
        found.add("plan")
    settled = (
        words.SETTLED.within(text) or words.SETUP.within(text) or len(words.TECHNICAL.all(text)) > 1
    )
    if technical and settled and not trouble and not words.DEFINED.within(text):
        found.add("finding")
    past = words.PAST.within(text) and (mine or kin or words.NEAR.within(text))
    if not idle and (past or (words.DROPPED.within(text) and not mine)):
        found.add("experience")
    return found


_ALONE: Final = {
    "question": words.ASKS,
    "marker": words.BACK,
    "wish": words.WISH,
    "refusal": words.REFUSAL,
    "preference": words.LIKE,
    "decision": words.AGREED,
    "cause": words.CAUSE,
}
_CHATTER: Final = (words.ORDER.within, words.HYPOTHETICAL.within, _passing)
# What a sentence may bear beside being chatter, and what one about the world does not bear.
_ASIDE: Final = frozenset(("wish", "refusal", "marker", "question", "technical"))
_TELLING: Final = frozenset(("personal", "experience", "plan", "decision", "preference"))

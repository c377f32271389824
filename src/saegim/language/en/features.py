"""English signs: which words and openings say that a sentence tells, wants, plans, asks or chats.

It looks for who is spoken of, for the verbs by which people say how they live, and for the first
word, by which an order or a question gives itself away. It parses nothing.
"""

from __future__ import annotations

import re
from functools import cache, partial
from typing import Final

from saegim.language.lexicons import Phrases, Spelling
from saegim.language.word_lists import read_lists

_LISTS: Final = read_lists("en/features")

# ---- English phrases and openings, sorted by what they say; `english` reads with them.

_FILLERS: Final = (
    "and|so|but|ok|okay|hey|well|oh|please|then|now|also|just|btw|hi|yes|no|um|uh|hmm|honestly|"
    "actually|anyway|yeah|sorry"
)
_WORD: Final = re.compile(r"[^\s,;()\[\]{}<>\"“”!?|]+")


@cache
def spelling() -> Spelling:
    """Return how these phrases are written.

    ^ is the beginning of the sentence, # a number, * the rest of a word, and ~ ) embrace what must
    not follow.
    """
    within = {"_": " ", "…": r"[^\n]{0,40}?", "#": r"\d+", "*": r"\w*", "~": "(?!", "(": "(?:"}
    return Spelling(
        heads={"^": f"\n (?:(?:{_FILLERS}) ){{0,4}}"},
        within=str.maketrans(within),
        before=" ",
        after=r"(?!\w)",
    )


def prepared(line: str) -> str:
    """Return a sentence as the phrases expect it: a new line, its words, a space before each."""
    words = [word.strip("'`*_~:-") for word in _WORD.findall(line)]
    return "\n" + "".join([f" {word}" for word in words if word])


said = partial(Phrases, spelling)

SELF: Final = said(_LISTS.text("self"))
KIN: Final = said(_LISTS.text("kin"))
LIKE: Final = said(_LISTS.text("like"))
INTENT: Final = said(_LISTS.text("intent"))
LATER: Final = said(_LISTS.text("later"))
PAST: Final = said(_LISTS.text("past"))
GERUND: Final = said(r"^\w+ing_\w+")
DROPPED: Final = said(_LISTS.text("dropped"))
NEAR: Final = said(_LISTS.text("near"))
CAUSE: Final = said(_LISTS.text("cause"))
AGREED: Final = said(_LISTS.text("agreed"))
SETTLED: Final = said(_LISTS.text("settled"))
SETUP: Final = said(_LISTS.text("setup"))
TECHNICAL: Final = said(_LISTS.text("technical"))
THOUGHT: Final = said(_LISTS.text("thought"))
TROUBLE: Final = said(_LISTS.text("trouble"))
MOMENT: Final = said(_LISTS.text("moment"))
ONE_OFF: Final = said(_LISTS.text("one_off"))
HYPOTHETICAL: Final = said(_LISTS.text("hypothetical"))
WORLD: Final = said(_LISTS.text("world"))
DEFINED: Final = said(_LISTS.text("defined"))
STANDING: Final = said(_LISTS.text("standing"))
NO_STANDING: Final = said(_LISTS.text("no_standing"))
WISH: Final = said(_LISTS.text("wish"))
REFUSAL: Final = said(_LISTS.text("refusal"))
NO_REFUSAL: Final = said(r"(i|we|you)_(don't|do_not|didn't)_remember")
ORDER: Final = said(_LISTS.text("order"))
TAILORED: Final = said(_LISTS.text("tailored"))
ASKS: Final = said(_LISTS.text("asks"))
BACK: Final = said(_LISTS.text("back"))
FILLER: Final = said(_LISTS.text("filler"))


# ---- English signs: which words and openings say that a sentence tells, wants, plans, asks or

__all__ = ["prepared", "seen", "technical", "wants"]

# A greeting or a short reply is no longer than this.
_LONGEST_FILLER: Final = 80
_LONGEST_MOMENT: Final = 120
_LEFT: Final = re.compile(r"[^\W_ㄱ-ㅣ]")


def filler_only(text: str) -> bool:
    """Say whether nothing is left once greetings, thanks and short replies are taken away."""
    return len(text) <= _LONGEST_FILLER and not _LEFT.search(FILLER.without(text))


def technical(text: str) -> bool:
    """Say whether a prepared text speaks of things one builds software with."""
    return TECHNICAL.within(text)


def seen(text: str, has_code: bool) -> set[str]:
    """Return the names of the signs that a prepared English text, in lower case, bears."""
    found = {name for name, listed in _ALONE.items() if listed.within(text)}
    if has_code or technical(text):
        found.add("technical")
    if "refusal" in found and NO_REFUSAL.within(text):
        found.discard("refusal")
    if filler_only(text):
        return found & _ASIDE | {"chatter"}
    if STANDING.within(text) and "refusal" not in found and not NO_STANDING.within(text):
        found.add("preference")
    elif any(holds(text) for holds in _CHATTER):
        if ORDER.within(text) and TAILORED.within(text):
            found.add("marker")
        return found & _ASIDE | {"chatter"}
    if "preference" in found and ONE_OFF.within(text):
        return found & _ASIDE | {"chatter"}
    if WORLD.within(text) and not SELF.within(text):
        return found - _TELLING
    return found | _told(text, "technical" in found)


def wants(text: str) -> bool:
    """Say whether a clause asks or orders."""
    return ASKS.within(text) or ORDER.within(text)


def _passing(text: str) -> bool:
    """Say whether a text tells only of the moment: hunger, weather, a spilt coffee."""
    return len(text) <= _LONGEST_MOMENT and MOMENT.within(text) and not KIN.within(text)


def _told(text: str, technical: bool) -> set[str]:
    """Return what a statement tells: of the speaker, what happened, what is planned or settled."""
    found: set[str] = set()
    mine, kin = SELF.within(text), KIN.within(text)
    trouble = TROUBLE.within(text)
    idle = trouble or THOUGHT.within(text)
    if kin or (mine and not idle):
        found.add("personal")
    ahead = LATER.within(text) and (mine or kin or GERUND.within(text))
    if INTENT.within(text) or (ahead and not idle):
        found.add("plan")
    settled = SETTLED.within(text) or SETUP.within(text) or len(TECHNICAL.all(text)) > 1
    if technical and settled and not trouble and not DEFINED.within(text):
        found.add("finding")
    past = PAST.within(text) and (mine or kin or NEAR.within(text))
    if not idle and (past or (DROPPED.within(text) and not mine)):
        found.add("experience")
    return found


_ALONE: Final = {
    "question": ASKS,
    "marker": BACK,
    "wish": WISH,
    "refusal": REFUSAL,
    "preference": LIKE,
    "decision": AGREED,
    "cause": CAUSE,
}
_CHATTER: Final = (ORDER.within, HYPOTHETICAL.within, _passing)
# What a sentence may bear beside being chatter, and what one about the world does not bear.
_ASIDE: Final = frozenset(("wish", "refusal", "marker", "question", "technical"))
_TELLING: Final = frozenset(("personal", "experience", "plan", "decision", "preference"))

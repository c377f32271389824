"""Whether a memory is of the shape an answer to this question would have.

A question for a day is answered by words that name one, a question for a number by words that hold
one; whom the question names speaks for himself; and a question is seldom the answer to another.
Each step was measured on the tuning halves of LoCoMo and of our Korean set
(docs/decisions/0009-recall-in-full.md); together they bring a point in English and ten in Korean.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from saegim.memory.coordinate import Origin, Source
from saegim.memory.keys import normalise
from saegim.store.read import Facts

# What each sign is worth on the scale of relevance.
NAMES_A_DAY: Final = 0.06
HOLDS_A_NUMBER: Final = 0.04
SAID_BY_THE_NAMED: Final = 0.04
# The very words that were quoted: whoever quotes wants them and no others.
HOLDS_THE_QUOTE: Final = 0.3
ONLY_ASKS: Final = -0.06
# What the agent said in conversation: it asks back, repeats and advises; the person tells. What it
# reports of the person (`Source.REPORTED`) is the person's telling.
SAID_BY_THE_AGENT: Final = -0.08
# Called wrong by someone, and not corrected since: born with 0.7, halved each time.
DOUBTED: Final = -0.15
DOUBTED_BELOW: Final = 0.4

_WHEN: Final = re.compile(
    r"(?i)\bwhen\b|\b(?:what|which) (?:date|day|time|year|month|week)\b|\bhow long ago\b"
    r"|언제|며칠|몇\s?[일월시]|몇\s?년도|날짜|무슨 요일"
)
_MANY: Final = re.compile(
    r"(?i)\bhow (?:many|much|old|long|often|tall|far|big)\b|몇|얼마|액수|금액|점수|개수|횟수"
)
_NUMBER: Final = re.compile(
    r"(?i)\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|hundred"
    r"|thousand|once|twice|half)\b"
    r"|(?:[일이삼사오육칠팔구십백천만억]{1,8}|한|두|세|네|다섯|여섯|일곱|여덟|아홉|열|스무|서른)\s?"
    r"(?:개|명|번|살|원|시|분|권|부|마리|대|층|잔|달|주|년|시간|킬로|미터|그릇|병|장|군데|곳|채|판)"
)
# A question mark, or the full-width one, in UTF-8.
_MAY_ASK: Final = re.compile(rb"\?|\xef\xbc\x9f")
_ASKS: Final = re.compile(r"[?？][\s~^ㅋㅎㅠㅜ.!)\"'”’]*$")


@dataclass(frozen=True, slots=True)
class Wanted:
    """What shape of answer a question wants, and the question itself, to find a name in it."""

    when: bool
    many: bool
    asked: str
    phrases: tuple[str, ...] = ()


def wanted(asked: str, phrases: Sequence[str] = ()) -> Wanted:
    """Read what shape of answer a question wants; `phrases` are what it quotes."""
    when = _WHEN.search(asked) is not None
    many = not when and _MANY.search(asked) is not None
    return Wanted(when, many, f" {normalise(asked)}", tuple(map(normalise, phrases)))


def fit(wants: Wanted, facts: Facts) -> float:
    """Return what the shape of a memory adds to its relevance, or takes from it."""
    worth = 0.0
    if facts.author and f" {normalise(facts.author)}" in wants.asked:
        worth += SAID_BY_THE_NAMED
    if wants.when and facts.mentions:
        worth += NAMES_A_DAY
    if wants.many and _NUMBER.search(str(facts.beginning, "utf-8", "replace")):
        worth += HOLDS_A_NUMBER
    if wants.phrases:
        said = normalise(str(facts.beginning, "utf-8", "replace"))
        worth += HOLDS_THE_QUOTE * any(phrase in said for phrase in wants.phrases)
    if _MAY_ASK.search(facts.ending) and _ASKS.search(str(facts.ending, "utf-8", "replace")):
        worth += ONLY_ASKS
    if facts.confidence < DOUBTED_BELOW:
        worth += DOUBTED
    if facts.origin == Origin.AGENT_INFERRED and facts.source in (Source.CONVERSATION, Source.USER):
        worth += SAID_BY_THE_AGENT
    return worth

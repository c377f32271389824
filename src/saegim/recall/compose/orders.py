"""Whether words that no person vouched for read like an order, and so must not be shown unasked.

Stricter than the guard at the door: there a wrong suspicion hides a memory until someone looks at
it, here it only leaves a search to find it.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from saegim.guard.instructions import suspicion
from saegim.guard.score import ORDERS, weight
from saegim.guard.seen import see
from saegim.memory.coordinate import Origin
from saegim.memory.memory import Memory
from saegim.perceive.birth import asked_by_its_own

# Nobody vouches for these.
STRANGERS: Final = (Origin.TOOL_OUTPUT, Origin.PEER, Origin.WEB)
# So much of a text is read; of a longer one, only the brief is shown.
LONGEST_READ: Final = 4000
# One cue of an order in a sentence: of 82 harmless sentences in our samples, 13 have it, most of
# them from recipes and notices; the guard at the door asks for 2.5 and more.
_LEAST: Final = 1.0
_SENTENCES: Final = re.compile(r"(?<=[.!?。])\s+|\n+")
# Shapes that only a text for machines has: hidden comments, tags and headings of roles, notes to
# whoever reads it by program, letters set apart.
_FOR_MACHINES: Final = re.compile(
    r"<!--|</?(?:system|assistant|user|tool|saegim)|[\[(#*]{1,4}\s*(?:system|assistant|instructions?"
    r"|시스템|지시|관리자)\b|\b(?:notes?|message|attention|instructions?)\s+(?:to|for)\s+[^.\n]{0,24}"
    r"\b(?:assistants?|agents?|models?|bots?|ai)\b|(?:모델|에이전트|어시스턴트|비서|인공지능|봇)"
    r"(?:에게|은|는|이|가|아|야)(?:\s|:)|<\|"
)


def gives_orders(memory: Memory) -> bool:
    """Say whether anything that could be shown of a memory reads like an order (U23.1)."""
    content, text = memory.content, memory.text[:LONGEST_READ]
    prompt = "" if asked_by_its_own(memory) else content.prompt_digest
    parts = [text, memory.provenance.author, prompt]
    if content.brief and content.brief.rstrip("…") not in text:
        parts.append(content.brief)
    if content.triples:
        parts.append("; ".join(" ".join(each) for each in content.triples))
    strange = memory.provenance.origin in STRANGERS
    return any(_order(part, strange=strange) for part in parts if part)


def reads_like_an_order(text: str) -> bool:
    """Say whether words that are no memory read like an order."""
    return _order(text[:LONGEST_READ], strange=True)


@lru_cache(maxsize=512)
def _order(text: str, *, strange: bool) -> bool:
    return bool(suspicion(text)) or (strange and _speaks_to_a_machine(text))


def _speaks_to_a_machine(text: str) -> bool:
    """Look at each sentence by itself, so that no harmless words around it make it weigh less."""
    plain = see(text).low
    if _FOR_MACHINES.search(plain):
        return True
    return any(
        weight(each) >= _LEAST or _is_two_orders(each) or suspicion(each)
        for each in _SENTENCES.split(plain)
        if each
    )


def _is_two_orders(sentence: str) -> bool:
    """Say whether a sentence begins with an order and goes on with another."""
    return ORDERS.match(sentence) is not None and len(ORDERS.findall(sentence)) > 1

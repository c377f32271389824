"""How English marks who does it, who is spoken of, and how a clause begins and is meant."""

from __future__ import annotations

import re
from typing import Final

from saegim.memory.late import late

TOKEN: Final = late(r"[A-Za-zÀ-ɏ][\w'’À-ɏ-]*|[0-9][\w.,:/-]*[\w]|[0-9]|[,;:?()–—]")
SHORT: Final = (
    (re.compile(r"\b(i)m\b", re.I), r"\1'm"),
    (re.compile(r"\b(i|we|they|you)ve\b", re.I), r"\1've"),
    (
        re.compile(r"\b(do|does|did|is|was|are|wo|ca|would|could|should|have|has|had)nt\b", re.I),
        r"\1n't",
    ),
)
FIRST_PERSON: Final = late(r"(?<![\w'])(?:I|I'm|I've|I'd|I'll|my|we|our)(?![\w])")
ME: Final = frozenset(str.split("i i'm i've i'd i'll we we're we've we'd we'll im ive"))
TO_ME: Final = frozenset(("me", "us"))
MINE: Final = frozenset(("my", "our"))
OTHERS: Final = frozenset(
    str.split("""he she they you he's she's they're you're he'd she'd they'd he'll she'll they'll
    you've you'd you'll they've your""")
)
THEIRS: Final = frozenset(("his", "her", "their", "your"))
THINGS: Final = frozenset(
    str.split("it this that there these those it's that's there's what which who")
)
JOINTS: Final = frozenset(
    str.split("but although though while whereas because so however yet which who except plus")
)
WHEN: Final = frozenset(("when", "before", "after", "until", "since", "once", "whenever"))
DENIALS: Final = frozenset(
    str.split("""not never no nobody nothing none neither nor hardly barely cannot hate hates hated
    hating dislike dislikes disliked loathe despise detest quit quits quitting stop stops stopped
    stopping avoid avoids avoided avoiding unable refuse refuses refused lack lacks banned ban bans
    forbidden nope""")
)
NOT_DENYING: Final = late(
    r"\b(?:not only|not just|no problem|no worries|can't wait|cannot wait|why not|no doubt|if not"
    r"|don't mind|non-stop|nothing but|no sooner|stop (?:by|at|in))\b",
    re.IGNORECASE,
)
GONE: Final = late(r"\b(?:used to (?!it\b|the\b)[a-z]|g[ai]ve(?:s|n)? up)", re.IGNORECASE)
FILLER: Final = late(
    r"\b(?:just so you know|so you know|as you know|you know|btw|fyi|heads up:?|i mean|lol|haha+"
    r"|tbh)\b,?",
    re.IGNORECASE,
)
WITHOUT: Final = late(
    r"\b(?:without|except|except for|instead of|than|over)(?: (?:a|an|any|the|my))? ([a-z]\w+)",
    re.I,
)
WISH: Final = late(
    r"\b(?:want(?:s|ed)?(?: to)?|wish(?:es|ed)?|hop(?:e|es|ing)|would (?:like|love)"
    r"|'d (?:like|love)|dream(?:s|ing)? of)\b",
    re.IGNORECASE,
)
PLAN: Final = late(
    r"\b(?:will|'ll|going to|gonna|plan(?:s|ning|ned)?|intend(?:s|ing)?|might|(?-i:may)|maybe"
    r"|should|thinking (?:of|about)|consider(?:s|ing)?|trying|target|goal|aims?)\b",
    re.IGNORECASE,
)
LIKES: Final = late(
    r"\b(?:like|love|prefer|hate|rather|please|always|never|instead|fan|hard|annoy\w*)\b",
    re.IGNORECASE,
)
ASKS: Final = late(
    r"^(?:do|does|did|is|are|was|were|am|can|could|would|will|should|shall|have|has|had|may|what"
    r"|which|who|whose|when|where|why|how)\b",
    re.IGNORECASE,
)
TOLD: Final = late(r"\b(?:did i (?:tell|mention)|did you know|you know|remember)\b", re.IGNORECASE)
PLACED: Final = frozenset(
    ("in", "on", "at", "for", "from", "with", "by", "after", "before", "under")
)
FROM: Final = late(r"\bfrom (?:the |a |my )?(\w+)", re.IGNORECASE)
TO: Final = late(r"\bto (?:the |a |my )?(\w+)", re.IGNORECASE)
OPENS: Final = frozenset(("so", "anyway", "because", "honestly", "personally", "but"))
HEADS: Final = frozenset(
    ("the", "a", "an", "my", "our", "his", "her", "their", "your", "this", "that", "these", "those")
)

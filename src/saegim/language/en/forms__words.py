"""English sentences cut into words and segments, short forms written out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from saegim.language.claims__timetable import facets
from saegim.language.en import lexicon as lex
from saegim.memory.late import late

# After a name, 's before one of these is "is" and no owner.
_AFTER_IS: Final = str.split(
    """a an now in at on called named not got gone moved working living allergic still from due done
    fixed finished over back all the my getting going moving down up out broken"""
)
_MAY_BE_SHORT: Final = late(
    r"['’`:]|\b(?:cannot|gonna|gotta|wanna|no longer|used to|(?:fed up|over it|done) with"
    r"|(?:sick|tired) of)\b",
    re.IGNORECASE,
)
_SHORT: Final = tuple(
    (re.compile(pattern, re.IGNORECASE), full)
    for pattern, full in (
        (r"[’`]", "'"),
        (r":(?=\s)", " : "),
        (r"\bwon't\b", "will not"),
        (r"\bcan't\b|\bcannot\b", "can not"),
        (r"\bain't\b", "is not"),
        (r"n't\b", " not"),
        (r"\bi'm\b", "I am"),
        (r"\blet's\b", "let us"),
        (r"'re\b", " are"),
        (r"'ve\b", " have"),
        (r"'ll\b", " will"),
        (r"'d\b", " would"),
        (r"\b(it|that|he|she|there|what|who|here|where|how)'s\b", r"\1 is"),
        (r"\b([a-z]+)'s (?=(?:just|been|already|finally)\b)", r"\1 has "),
        (rf"\b([a-z]+)'s (?=(?:{'|'.join(_AFTER_IS)})\b|[0-9])", r"\1 is "),
        (
            r"\b(gonna|gotta|wanna)\b",
            lambda m: {"gonna": "going to", "gotta": "have to", "wanna": "want to"}[m[1].lower()],
        ),
        (r"\bno longer\b", "never anymore"),
        (r"\bused to\b", "usedto"),
        (r"\bfed up with\b|\bsick of\b|\btired of\b|\bover it with\b|\bdone with\b", "fedupwith"),
    )
)


TOKEN: Final = late(
    r"[$€£]?[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?|[A-Za-z0-9À-ɏ$€£][\w.+#/'&:%À-ɏ-]*|[,;:()–—]|(?<=\s)-(?=\s)|\"[^\"]{1,60}\""
)


BREAKS: Final = frozenset((",", ";", ":", "(", ")", "–", "—", "-"))


_JOINTS: Final = frozenset(str.split("but and so because while although though then which plus or"))


SUPPOSED: Final = frozenset(str.split("if unless whether suppose supposing imagine"))


# A clause after these says when, where or how, not what is so.
ASIDE: Final = frozenset(
    str.split("""when whenever until till before after once where how why
    what than as whoever than till wherever who""")
)


ME: Final = frozenset(("i", "we"))


OTHERS: Final = frozenset(str.split("he she they it this that"))


DETERMINERS: Final = frozenset(
    str.split("""my our the a an this that his her their your these
    those""")
)


_SAYING: Final = frozenset(
    str.split("""say says said think thinks thought believe guess heard
    hear claims claimed mentioned""")
)


def expanded(text: str) -> str:
    """Return a text with its short forms written out: I'm is I am."""
    if not _MAY_BE_SHORT.search(text):
        return text
    for pattern, full in _SHORT:
        text = pattern.sub(full, text)
    return text


def is_item(words: list[str]) -> bool:
    """Say whether a few words without a verb may be one more thing of a list."""
    first = words[0].lower() if words else ""
    known = (
        first in ME
        or first in OTHERS
        or first in lex.ADVERBS
        or first in lex.NEGATIONS
        or first in lex.LEADS
    )
    return bool(words) and len(words) < 5 and not known and first not in lex.PREPOSITIONS


def asks(tokens: list[str]) -> bool:
    """Say whether a sentence without its mark is a question by its first words."""
    first, second = [token.lower() for token in (*tokens[:2], "", "")[:2]]
    if first in ("how", "what", "why", "who", "when", "where", "which", "whose"):
        return (
            second in lex.AUXILIARIES
            or first in ("which", "whose")
            or second in ("many", "much", "long", "often")
        )
    return first in lex.AUXILIARIES and (
        second in ME or second in OTHERS or second in ("you", "my", "the", "there", "your")
    )


def segments(tokens: list[str]) -> Iterator[tuple[str, list[str]]]:
    """Cut a sentence where a new clause may begin."""
    joint, words = "", list[str]()
    for at, token in enumerate(tokens):
        lower = token.lower()
        if token in BREAKS:
            yield joint, words
            joint, words = ",", []
        elif lower in _JOINTS or (lower in SUPPOSED and words):
            if lower == "so" and words and words[-1].lower() in lex.BE:
                words.append(token)
                continue
            if lower == "that" or (
                lower == "and" and words and words[-1].lower() in ("between", "both")
            ):
                words.append(token)
                continue
            if words or joint in ("", ","):
                yield joint, words
            joint, words = lower, []
        elif (
            words
            and words[-1].lower() in _SAYING
            and lower not in ("about", "to", "of", "so", "it")
            and _finite_ahead(tokens[at : at + 8])
        ):
            yield joint, words
            joint, words = "that", [token] if lower != "that" else []
        elif words and at + 1 < len(tokens) and _starts(tokens, at, words):
            before = words[-1].lower()
            yield joint, words
            joint, words = before if before in ASIDE else "that", [token]
        else:
            words.append(token)
    yield joint, words


def _finite_ahead(tokens: list[str]) -> bool:
    return any(
        token.lower() in lex.BE or token.lower() in ("has", "have", "will", "does")
        for token in tokens
    )


def _starts(tokens: list[str], at: int, words: list[str]) -> bool:
    """Say whether a clause without a joint begins here: "Tom told me he's leaving"."""
    lower, following = tokens[at].lower(), tokens[at + 1].lower()
    if lower in ("i", "we", "he", "she", "they") and any(
        w.lower() in lex.VERBS or w.lower() in lex.BE for w in words
    ):
        return (
            following in lex.AUXILIARIES
            or following in lex.VERBS
            or following in lex.ADVERBS
            or following == "usedto"
        )
    return False


def without_leads(words: list[str]) -> list[str]:
    """Drop what stands before the subject: oh, actually, last week, on Saturday."""
    at = 0
    while at < len(words) - 1:
        lower = words[at].lower()
        following = words[at + 1].lower()
        if (
            lower in lex.LEADS
            and following not in lex.BE
            and not (lower == "no" and following in lex.VERBS)
        ):
            at += 1
        elif lower in ("last", "next", "this", "every", "these") and _is_time(following):
            at += 2
        elif lower in ("on", "in", "at", "since", "from", "as", "by", "for") and (
            skip := _time_lead(words, at)
        ):
            at = skip
        else:
            break
    return words[at:]


def _is_time(word: str) -> bool:
    return word in (
        "week",
        "month",
        "year",
        "summer",
        "winter",
        "spring",
        "autumn",
        "fall",
        "morning",
        "evening",
        "night",
        "weekend",
        "days",
        "quarter",
        "time",
        "day",
    ) or bool(facets(word))


def _time_lead(words: list[str], at: int) -> int:
    """Return where the clause goes on after "on Saturday", "from now on", "in 2019"; 0 if not."""
    for size in (2, 3, 4):
        text = " ".join(words[at + 1 : at + size]).lower()
        after = words[at + size].lower() if at + size < len(words) else ""
        known = (
            text
            in (
                "now on",
                "of now",
                "of today",
                "of this week",
                "the moment",
                "fact",
                "case",
                "general",
                "the end",
                "first",
            )
            or facets(text)
            or re.fullmatch(r"[12][0-9]{3}", text)
        )
        if known and (after in ME or after in OTHERS or after in DETERMINERS or not after):
            return at + size
    return 0

"""English clauses: who does what, whether it is denied, and whether it is told, asked or wished."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Final

from saegim.language.en.lexicon import (
    ADVERBS,
    AUXILIARIES,
    COMMON,
    KIN,
    LEADS,
    PREPOSITIONS,
    SAME_PAST,
    TIME_WORDS,
    VERBS,
)
from saegim.language.meanings import (
    ME,
    TIMES,
    ClauseSubject,
    GroundClause,
    Mood,
    key_of,
    said,
    without_strangers,
)
from saegim.language.word_lists import read_lists
from saegim.memory.text import fold

_LISTS: Final = read_lists("en/ground")

# ---- How English marks who does it, who is spoken of, and how a clause begins and is meant.

TOKEN: Final = re.compile(r"[A-Za-zÀ-ɏ][\w'’À-ɏ-]*|[0-9][\w.,:/-]*[\w]|[0-9]|[,;:?()–—]")
SHORT: Final = (
    (re.compile(r"\b(i)m\b", re.I), r"\1'm"),
    (re.compile(r"\b(i|we|they|you)ve\b", re.I), r"\1've"),
    (
        re.compile(r"\b(do|does|did|is|was|are|wo|ca|would|could|should|have|has|had)nt\b", re.I),
        r"\1n't",
    ),
)
FIRST_PERSON: Final = re.compile(r"(?<![\w'])(?:I|I'm|I've|I'd|I'll|my|we|our)(?![\w])")
ME_WORD: Final = frozenset(str.split("i i'm i've i'd i'll we we're we've we'd we'll im ive"))
TO_ME: Final = frozenset(("me", "us"))
MINE: Final = frozenset(("my", "our"))
OTHERS: Final = _LISTS.words("others")
THEIRS: Final = frozenset(("his", "her", "their", "your"))
THINGS: Final = _LISTS.words("things")
JOINTS: Final = _LISTS.words("joints")
WHEN: Final = frozenset(("when", "before", "after", "until", "since", "once", "whenever"))
DENIALS: Final = _LISTS.words("denials")
NOT_DENYING: Final = re.compile(
    r"\b(?:not only|not just|no problem|no worries|can't wait|cannot wait|why not|no doubt|if not"
    r"|don't mind|non-stop|nothing but|no sooner|stop (?:by|at|in))\b",
    re.IGNORECASE,
)
GONE: Final = re.compile(r"\b(?:used to (?!it\b|the\b)[a-z]|g[ai]ve(?:s|n)? up)", re.IGNORECASE)
FILLER: Final = re.compile(
    r"\b(?:just so you know|so you know|as you know|you know|btw|fyi|heads up:?|i mean|lol|haha+"
    r"|tbh)\b,?",
    re.IGNORECASE,
)
WITHOUT: Final = re.compile(
    r"\b(?:without|except|except for|instead of|than|over)(?: (?:a|an|any|the|my))? ([a-z]\w+)",
    re.I,
)
WISH: Final = re.compile(
    r"\b(?:want(?:s|ed)?(?: to)?|wish(?:es|ed)?|hop(?:e|es|ing)|would (?:like|love)"
    r"|'d (?:like|love)|dream(?:s|ing)? of)\b",
    re.IGNORECASE,
)
PLAN: Final = re.compile(
    r"\b(?:will|'ll|going to|gonna|plan(?:s|ning|ned)?|intend(?:s|ing)?|might|(?-i:may)|maybe"
    r"|should|thinking (?:of|about)|consider(?:s|ing)?|trying|target|goal|aims?)\b",
    re.IGNORECASE,
)
LIKES: Final = re.compile(
    r"\b(?:like|love|prefer|hate|rather|please|always|never|instead|fan|hard|annoy\w*)\b",
    re.IGNORECASE,
)
ASKS: Final = re.compile(
    r"^(?:do|does|did|is|are|was|were|am|can|could|would|will|should|shall|have|has|had|may|what"
    r"|which|who|whose|when|where|why|how)\b",
    re.IGNORECASE,
)
TOLD: Final = re.compile(
    r"\b(?:did i (?:tell|mention)|did you know|you know|remember)\b", re.IGNORECASE
)
PLACED: Final = _LISTS.words("placed")
FROM: Final = re.compile(r"\bfrom (?:the |a |my )?(\w+)", re.IGNORECASE)
TO: Final = re.compile(r"\bto (?:the |a |my )?(\w+)", re.IGNORECASE)
OPENS: Final = frozenset(("so", "anyway", "because", "honestly", "personally", "but"))
HEADS: Final = _LISTS.words("heads")


# ---- English clauses: who does what, whether it is denied, and whether it is told, asked or


def clauses(sentence: str) -> list[GroundClause]:
    """Return the clauses of one sentence, in order."""
    plain = fold(sentence).replace("’", "'")
    for pattern, long in SHORT:
        plain = pattern.sub(long, plain)
    plain = without_strangers(FILLER.sub(";", plain), FIRST_PERSON, "someone")
    tokens = TOKEN.findall(plain)
    found: list[GroundClause] = []
    start = 0
    led: list[str] = []
    for at in range(1, len(tokens) + 1):
        if at == len(tokens) or _begins(tokens, start, at):
            piece = tokens[start:at]
            if _is_gapped(tokens, start):
                piece = [*led, *piece]
            if any(token[0].isalnum() for token in piece):
                found.append(_clause(piece, asked="?" in plain and at == len(tokens)))
            led = _leading(piece)
            start = at
    return found


def _leading(piece: list[str]) -> list[str]:
    """Return the subject and verb that a next half may leave out: "I use X here and Y there"."""
    verb = next((at for at, token in enumerate(piece) if _finite(token)), -1)
    return piece[: verb + 1]


def _is_gapped(tokens: list[str], at: int) -> bool:
    """Say whether this is a second half without a verb, told apart by its preposition."""
    if at == 0 or tokens[at - 1].lower() != "and":
        return False
    rest = [token.lower() for token in tokens[at : at + 5]]
    placed = next((each for each, token in enumerate(rest) if token in PLACED), 0)
    return placed > 0 and not any(map(_finite, rest[:placed]))


def starts_open(sentence: str) -> bool:
    """Say whether a sentence begins with a word after which the speaker may be meant again."""
    first = TOKEN.match(sentence)
    return bool(first) and first[0].lower() in OPENS if first else False


def is_person(name: str) -> bool:
    """Say whether a word names a person."""
    word = name.lower().removesuffix("'s")
    return word in KIN or word in OTHERS or word == "someone"


def denials(text: str) -> int:
    """Return how often a clause is denied; twice is not at all."""
    plain = NOT_DENYING.sub(" ", fold(text).replace("’", "'"))
    words = [str(token).lower() for token in TOKEN.findall(plain)]
    count = sum(word in DENIALS or word.endswith("n't") for word in words)
    gone: list[str] = GONE.findall(plain)
    return count + len(gone)


def _verbish(token: str) -> bool:
    word = token.lower()
    return (
        word in VERBS
        or word in AUXILIARIES
        or word.endswith("n't")
        or (word.endswith("ed") and len(word) > 4)
    )


def _finite(token: str) -> bool:
    form = VERBS.get(token.lower())
    return form.kind not in ("ing", "done") if form else _verbish(token)


def _begins(tokens: list[str], start: int, at: int) -> bool:
    """Say whether a new clause begins at this token."""
    word = tokens[at].lower()
    before = tokens[at - 1].lower()
    if word in JOINTS and not (word == "so" and before in AUXILIARIES):
        return True
    following = tokens[at + 1].lower() if at + 1 < len(tokens) else ""
    if word in WHEN and (following in ME_WORD or following in OTHERS or following.endswith("ing")):
        return True
    if before not in (",", ";", ":", "(", ")", "–", "—", "and", "or", "then"):
        return False
    # A verb or a new subject; a list of nouns stays together.
    own = word in ME_WORD or word in OTHERS or word in MINE or word in THEIRS
    denies = word in ("not", "never", "no", "always", "please") or word.endswith("n't")
    after = 1 if before in ("and", "or", "then") else 3
    joined = any(map(_finite, tokens[start:at])) and any(map(_finite, tokens[at : at + after]))
    named = any(map(_finite, tokens[at + 1 : at + 2]))
    if _is_gapped(tokens, at) and not PLACED.isdisjoint(
        token.lower() for token in tokens[start:at]
    ):
        return True
    return own or denies or joined or named or before == ";"


def _subject(tokens: list[str]) -> tuple[ClauseSubject | None, bool]:
    """Return whom the clause is about, and whether that is the speaker."""
    at = 0
    if tokens[0].lower().endswith("ing") and not any(map(_finite, tokens[1:2])):
        return None, False
    while at < len(tokens) and not _may_be_subject(tokens, at):
        if _finite(tokens[at]):
            return None, False  # what is asked or told to be done
        at += 1
    if at == len(tokens):
        return None, False
    word = tokens[at].lower()
    if word in ME_WORD:
        return None, True
    if word in OTHERS:
        name = "you" if word.startswith("you") else word.split("'")[0]
        return ClauseSubject(name, True, topic=True), False
    if word in HEADS:
        return _phrase(tokens, at), False
    if (
        word.endswith("'s")
        and at + 1 < len(tokens)
        and not _verbish(tokens[at + 1])
        and tokens[at + 1][0].islower()
    ):
        owner = tokens[at][:-2]
        following = tokens[at + 1]
        if following in ("a", "an", "the", "not") or following.endswith("ing"):
            return ClauseSubject(owner, _is_name(tokens, at) or is_person(owner), topic=True), False
        return ClauseSubject(following, is_person(following), owner=owner, topic=True), False
    name = tokens[at].removesuffix("'s")
    return ClauseSubject(name, _is_name(tokens, at) or is_person(name), topic=True), False


def _may_be_subject(tokens: list[str], at: int) -> bool:
    word = tokens[at].lower()
    if word in ME_WORD or word in OTHERS:
        return True
    if not word[0].isalpha() or word in THINGS or key_of(word) in TIMES:
        return False
    following = [token.lower() for token in tokens[at + 1 : at + 5]]
    if word in HEADS:
        placed = at > 0 and tokens[at - 1].lower() in PREPOSITIONS
        return any(map(_verbish, following)) or (not placed and not KIN.isdisjoint(following[:2]))
    if (
        word in LEADS
        or word in ADVERBS
        or word in JOINTS
        or word in PREPOSITIONS
        or word in TIME_WORDS
    ):
        return False
    if word.endswith("ing"):
        return at == 0 and any(map(_finite, following[:1]))
    if _verbish(word) or word in COMMON:
        return False
    if word.endswith("'s"):
        return True
    acts = bool(following) and tokens[at][0].isupper() and re.fullmatch("[a-z]+[^s]s", following[0])
    return bool(acts) or any(map(_verbish, following[:2]))


def _is_name(tokens: list[str], at: int) -> bool:
    word = tokens[at].removesuffix("'s")
    return word[0].isupper() and not word.isupper() and word.lower() not in COMMON


def _phrase(tokens: list[str], at: int) -> ClauseSubject | None:
    """Return the head of "my best friend", "the manager", "my sister's wedding"."""
    owner = (
        ME
        if tokens[at].lower() in MINE
        else tokens[at].lower()
        if tokens[at].lower() in THEIRS
        else ""
    )
    head = ""
    for token in tokens[at + 1 : at + 6]:
        if not token[0].isalpha() or (_verbish(token) and head) or token.lower() in PREPOSITIONS:
            break
        if token.lower().endswith("'s"):
            rest = tokens[tokens.index(token) + 1 : tokens.index(token) + 2]
            if rest and not _verbish(rest[0]) and rest[0] not in ("a", "an", "the", "not"):
                owner, head = token[:-2], ""
                continue
            head = token[:-2]
            break
        head = head if is_person(head) else token
    return ClauseSubject(head, is_person(head), owner, topic=True) if head else None


def _mood(tokens: list[str], text: str, asked: bool, mine: bool) -> Mood:
    first = tokens[0].lower()
    if asked and not TOLD.search(text) and not mine:
        return "asked"
    if (
        ASKS.match(text)
        and not asked
        and first in ("do", "does", "did", "can", "could", "would", "should")
        and len(tokens) > 2
    ):
        return "asked"
    if first in ("if", "unless", "suppose", "imagine") or (
        len(tokens) > 1 and tokens[1].lower() == "if"
    ):
        return "if"
    if WISH.search(text):
        return "wish"
    return "plan" if PLAN.search(text) else "told"


def _clause(tokens: list[str], *, asked: bool) -> GroundClause:
    text = " ".join(tokens).replace(" ,", ",")
    lower = [token.lower() for token in tokens]
    subject, me = _subject(tokens)
    mine = not MINE.isdisjoint(lower)
    return GroundClause(
        text=text,
        said=said(text),
        subjects=(subject,) if subject else (),
        me=me,
        to_me=not TO_ME.isdisjoint(lower),
        partners=_partners(lower),
        owned=_owned(tokens),
        without=frozenset(key_of(found.lower()) for found in WITHOUT.findall(text)),
        denied=denials(text) % 2 == 1,
        asks_for=_is_order(tokens) or bool(LIKES.search(text)),
        mood=_mood(tokens, text, asked, mine),
        past=_is_past(lower),
        ways=_ways(text),
        was=not {"was", "were"}.isdisjoint(lower),
    )


def _is_order(tokens: list[str]) -> bool:
    """Say whether a clause begins like what one asks to be done: "Use grams", "don't call me"."""
    first = next((token.lower() for token in tokens if token.lower() not in LEADS), "")
    form = VERBS.get(first)
    return first in ("don't", "please") or (form is not None and form.kind == "base")


def _partners(words: list[str]) -> frozenset[str]:
    """Return who stands on either side of "and" or after "with"."""
    found = set()
    for at, word in enumerate(words):
        if word in ("and", "with"):
            found.update(words[at + 1 : at + 3])
        if word == "and":
            found.update(words[max(0, at - 1) : at])
    return frozenset(found)


def _ways(text: str) -> frozenset[tuple[str, str]]:
    start, goal = FROM.findall(text), TO.findall(text)
    if not start or not goal:
        return frozenset()
    return frozenset([(each, "from") for each in start] + [(each, "to") for each in goal])


def _owned(tokens: list[str]) -> frozenset[tuple[str, str]]:
    found = set()
    for one, other in pairwise(tokens):
        if one.lower() in MINE:
            found.add((other.lower(), ME))
        elif one.lower() in THEIRS or (one.endswith("'s") and other[0].islower()):
            found.add((other.lower(), one.lower().removesuffix("'s")))
    return frozenset(found)


def _is_past(words: list[str]) -> bool | None:
    """Say whether the first verb that has a time is past; "quit" is, where it is not "quits"."""
    for at, word in enumerate(words):
        if word in ("was", "were", "did", "had", "didn't", "wasn't", "weren't", "hadn't"):
            return True
        if word in AUXILIARIES or word.endswith(("n't", "'m", "'re", "'ll", "'ve")):
            return False
        form = VERBS.get(word)
        if word in SAME_PAST:
            return at > 0 and words[at - 1] in ME_WORD
        if form and form.kind in ("past", "s", "base"):
            return form.kind == "past"
        if word.endswith("ed") and len(word) > 4:
            return True
    return None

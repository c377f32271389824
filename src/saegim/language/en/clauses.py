"""English sentences as clauses: subject, verb, how it is meant, and the phrases after it.

It knows no meanings: the frames turn clauses into facts. What it cannot read it leaves out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from saegim.language.en import lexicon as lex
from saegim.language.en.word_forms import (
    ASIDE,
    BREAKS,
    DETERMINERS,
    ME,
    OTHERS,
    SUPPOSED,
    TOKEN,
    EnglishClause,
    asks,
    expanded,
    is_item,
    segments,
    verb_at,
    verb_group,
    without_leads,
)
from saegim.language.word_lists import read_lists

_LISTS: Final = read_lists("en/clauses")

_REPORTS: Final = _LISTS.words("reports")


_NO_SUBJECT: Final = _LISTS.words("no_subject")


_NOWADAYS: Final = re.compile(
    r"\s(?:these days|right now|at the moment|nowadays|currently|for now|so far)\b", re.IGNORECASE
)


def clauses(sentence: str) -> list[EnglishClause]:
    """Return the clauses of one folded sentence, in order."""
    tokens = TOKEN.findall(expanded(sentence))
    tokens = [token if token in BREAKS else token.rstrip(".':") or token for token in tokens]
    asked = sentence.rstrip().endswith("?") or asks(tokens)
    made: list[EnglishClause] = []
    supposed = reported = False
    for joint, words in segments(tokens):
        if joint in SUPPOSED or (words and words[0].lower() in SUPPOSED):
            supposed = True
        if joint in ASIDE:
            continue
        clause = None if supposed else _clause(words, joint, made)
        if clause is None:
            if made and not supposed and joint in ("and", ",", "or", "&") and is_item(words):
                made[-1].after.append(("and", _phrase(words)))
            continue
        clause.mood = "asked" if asked else "reported" if reported else clause.mood
        reported = reported or clause.mood == "reports"
        made.append(clause)
    return made


_ASKING: Final = frozenset(
    str.split("why what how who when where which do does did can could is are will would should")
)


def _clause(words: list[str], joint: str, made: list[EnglishClause]) -> EnglishClause | None:
    words = without_leads(words)
    polite = bool(words) and words[0].lower() in ("please", "pls")
    words = words[1:] if polite else words
    if not words:
        return None
    at = verb_at(words)
    form = lex.VERBS.get(words[0].lower())
    if at is None and made and joint and form and form.kind == "s":
        at = 0  # sold the condo and lives with us
    if at is None:
        return None
    clause = EnglishClause(joint=joint)
    if all(word.lower() in lex.ADVERBS or word.lower() in lex.NEGATIONS for word in words[:at]):
        at = 0
    if at:
        _subject(clause, words[:at])
    elif made and joint and not polite and made[-1].mood != "ordered":
        clause.subject, clause.owner = made[-1].subject, made[-1].owner
    else:
        clause.subject = "me"
        first = next((lex.VERBS[w.lower()] for w in words if w.lower() in lex.VERBS), None)
        if first and first.kind in ("base", "s") and words[0].lower() not in lex.SAME_PAST:
            clause.mood = "ordered"
    if words[0].lower() in _ASKING:
        clause.mood = "asked"
        if words[0].lower() in ("is", "are", "do", "can") and joint:
            clause.mood = "told"
    if not at and made and joint and made[-1].mood in ("plan", "wish", "must"):
        clause.mood = made[-1].mood
    rest = verb_group(clause, list(words[at:]))
    clause.after = list(_phrases(rest))
    if clause.lemma in _REPORTS and (
        clause.subject != "me"
        or clause.lemma in ("think", "guess", "hear", "hope", "wish", "believe")
    ):
        clause.mood = "reports"
    return clause if clause.lemma else None


def _subject(clause: EnglishClause, words: list[str]) -> None:
    first = words[0].lower()
    text = _NOWADAYS.sub("", " ".join(words))
    kept = [word for word in text.split() if word.lower() not in lex.ADVERBS or word[0].isupper()]
    if first in ME:
        clause.subject, clause.owner = "me", first
    elif kept and kept[-1].lower() in ME:
        clause.subject = "me"
    elif (first in OTHERS and len(kept) == 1) or first == "you":
        clause.subject = first
    elif len(kept) > 6 or {word.lower() for word in kept} & _NO_SUBJECT:
        clause.subject = "you"
    elif first in DETERMINERS and len(kept) > 1:
        clause.owner = first
        clause.subject = " ".join(kept[1:])
    else:
        clause.subject = " ".join(kept)


def _phrases(words: list[str]) -> Iterator[tuple[str, str]]:
    """Cut what follows the verb into (preposition, phrase)."""
    joint, open_words = "", list[str]()
    for word in words:
        lower = word.lower()
        if lower in lex.PREPOSITIONS and not (open_words and (word[0].isupper() or lower == "of")):
            if open_words or joint:
                yield joint, _phrase(open_words)
            joint, open_words = lower, []
        elif _breaks(word, joint, open_words):
            if open_words:
                yield joint, _phrase(open_words)
            timed = lower in lex.TIME_WORDS or lower in _TIMED
            joint, open_words = "when" if timed else "clause", [word]
        else:
            open_words.append(word)
    if open_words or joint in ("up", "down", "off", "out", "back", "away"):
        yield joint, _phrase(open_words)


_TIMED: Final = frozenset(str.split("every each last next this these once twice"))


def _breaks(word: str, joint: str, open_words: list[str]) -> bool:
    """Say whether a word ends the phrase before it: a time, a clause of its own."""
    lower = word.lower()
    after_the = [each.lower() for each in open_words] == ["the"]
    after_to = not open_words and joint in ("to", "until", "for", "on", "by", "till")
    if lower in ("last", "next", "first", "this") and (after_the or after_to):
        return False  # to the last Friday, to next Monday
    if lower in ("this", "that", "these") and not open_words and joint:
        return False
    return lower in lex.STOPPERS or (word in lex.TIME_WORDS and bool(open_words))


def _phrase(words: list[str]) -> str:
    return " ".join(words).strip(" \"'.,")

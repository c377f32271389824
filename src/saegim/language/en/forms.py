"""English verb groups: where the verb stands, its tense, what is denied, supposed or begun."""

from __future__ import annotations

import re
from typing import Final

from saegim.language.en import lexicon as lex
from saegim.language.en.forms__clause import Clause
from saegim.language.en.forms__words import DETERMINERS, ME
from saegim.memory.late import late

# Verbs that may only lead to the verb that counts, and what they make of it.
_BEFORE: Final = {
    "start": "start",
    "begin": "start",
    "stop": "stop",
    "quit": "stop",
    "finish": "stop",
    "give": "stop",
    "decide": "decide",
    "agree": "decide",
    "choose": "decide",
    "plan": "plan",
    "intend": "plan",
    "promise": "plan",
    "hope": "wish",
    "want": "wish",
    "wish": "wish",
    "need": "must",
    "have": "must",
    "tend": "tend",
    "keep": "keep",
    "try": "try",
    "go": "go",
    "get": "get",
    "end": "get",
}


# Adjectives that look like forms of a verb.
_NO_VERBS: Final = frozenset(
    str.split("""married engaged divorced separated born named called
    based fixed done finished closed used resolved merged completed retired pinned set stuck""")
)


def verb_at(words: list[str]) -> int | None:
    """Return where the verb begins."""
    first = words[0].lower()
    if first in ME or first in ("he", "she", "they", "it", "you"):
        return 1 if len(words) > 1 else None
    lead = next((at for at, w in enumerate(words) if w.lower() not in lex.ADVERBS), 0)
    for at, word in enumerate(words[:9]):
        lower = word.lower()
        if lower in lex.AUXILIARIES or lower in ("usedto",):
            return at
        if (
            at > 1
            and words[at - 1].lower() in lex.KIN
            and first in ("my", "our")
            and lower.endswith("s")
            and "'" not in lower
            and lower not in lex.KIN
        ):
            return at  # my roommate bartends
        form = lex.VERBS.get(lower)
        if form is None or (word[0].isupper() and at):
            continue
        before = words[at - 1].lower() if at else ""
        if at == lead and (
            form.kind in ("past", "base")
            or lower in ("got", "going", "moving", "switching", "using")
        ):
            if form.kind == "base" and _later_verb(words):
                continue  # Rent is due, Book club meets
            return 0
        if before in DETERMINERS or (before in lex.PREPOSITIONS and before not in ("up", "out")):
            continue
        if at and form.kind in ("s", "past") and not _adjective(words, at):
            return at
        plural = words[at - 1].lower().endswith("s") and not words[at - 1].lower().endswith("'s")
        if at and form.kind == "base" and (plural or lower in lex.SAME_PAST):
            return at
    return None


def _later_verb(words: list[str]) -> bool:
    """Say whether a finite verb follows soon, so that the first word is a noun."""
    for at, word in enumerate(words[1:5], 1):
        lower = word.lower()
        form = lex.VERBS.get(lower)
        if (lower in lex.BE and lex.BE[lower] in ("now", "past")) or lower in (
            "has",
            "will",
            "does",
        ):
            return True
        if form and form.kind in ("s", "past") and words[at - 1].lower() not in DETERMINERS:
            return True
        if lower in DETERMINERS or lower in lex.PREPOSITIONS:
            return False
    return False


def _adjective(words: list[str], at: int) -> bool:
    """Say whether a form like "used" stands before its noun: a used van."""
    return words[at - 1].lower() in DETERMINERS


def verb_group(clause: Clause, words: list[str]) -> list[str]:
    """Read auxiliaries, adverbs and denials up to the main verb; return what follows it."""
    at, will = 0, ""
    while at < len(words):
        lower = words[at].lower()
        form = lex.VERBS.get(lower)
        if lower in lex.NEGATIONS:
            clause.denied = True
        elif lower in lex.ADVERBS:
            clause.adverbs.add(lower)
        elif lower == "usedto":
            clause.begun = "used"
        elif lower in ("will", "shall"):
            will = "future"
        elif lower in ("would", "could", "should", "must", "may", "might"):
            clause.mood = "must" if lower in ("should", "must") else "wish"
        elif lower == "can":
            clause.mood = "can"
        elif lower in ("do", "does", "did") and _goes_on(words, at):
            clause.tense = "past" if lower == "did" else clause.tense
        elif lower in lex.BE and (following := _be_goes_on(words, at)):
            clause.lemma, clause.tense = "be", "past" if lex.BE[lower] == "past" else clause.tense
            if following == "going to":
                will, at = "future", at + 2
        elif lower in ("have", "has", "had") and _perfect(words, at):
            clause.tense = "done" if lower != "had" else "past"
        elif lower in lex.BE:
            clause.lemma = "be"
            clause.tense = "past" if lex.BE[lower] == "past" else clause.tense
            at += 1
            break
        elif form is not None:
            _main_verb(clause, form, words, at)
            at += 1
            break
        elif (
            not clause.lemma
            and (clause.subject in ("me", "he", "she", "they") or clause.subject in lex.KIN)
            and lower.isalpha()
        ):
            clause.lemma, clause.tense = _stemmed(lower, clause.tense)
            at += 1
            break
        else:
            break
        at += 1
    if will:
        clause.tense = will
    return _trailing(clause, words[at:])


_SAID_AFTER: Final = frozenset(str.split("now anymore instead too still yet also again away"))
_NOW: Final = late(r"\b(?:these days|nowadays|as of today)\b", re.IGNORECASE)


def _trailing(clause: Clause, rest: list[str]) -> list[str]:
    """Take the adverbs and denials after the verb; return what follows them."""
    while rest and (lower := rest[0].lower()) in lex.ADVERBS | {"not", "never"}:
        clause.denied = clause.denied or lower in ("not", "never")
        clause.adverbs.add(lower)
        rest = rest[1:]
    clause.adverbs |= _SAID_AFTER & {word.lower() for word in rest}
    if _NOW.search(" ".join(rest)):
        clause.adverbs.add("now")
    if "anymore" in clause.adverbs and clause.mood == "wish":
        clause.mood = "told"
    return rest


def _stemmed(word: str, tense: str) -> tuple[str, str]:
    """Read a verb that is in no list by its ending."""
    if word.endswith("ed"):
        return word[:-2], "past" if tense == "now" else tense
    return word.removesuffix("s"), tense


def _main_verb(clause: Clause, form: lex.Form, words: list[str], at: int) -> None:
    """Take a verb as the main one, unless it only leads to it: decided to move, stopped eating."""
    lower = words[at].lower()
    if clause.lemma == "be" and form.kind in ("past", "done"):
        clause.passive = True
    elif clause.tense == "now" and form.kind == ("ing" if clause.lemma == "be" else "past"):
        clause.tense = form.kind
    clause.lemma = form.lemma
    if _led_to(clause, form, words, at):
        same = lower in lex.SAME_PAST and clause.begun == "stop"
        if clause.tense == "now" and (form.kind == "past" or same):
            clause.tense = "past"
    elif lower in lex.SAME_PAST and form.lemma == "quit":
        clause.tense = "past"


def _led_to(clause: Clause, form: lex.Form, words: list[str], at: int) -> bool:
    """Let a verb lead to another, and take that as the main one."""
    following = [word.lower() for word in words[at + 1 : at + 4]]
    leads = _BEFORE.get(form.lemma)
    if not leads or not following:
        return False
    skip = 1 if following[0] == "to" else 2 if following[:2] == ["up", "on"] else 0
    up = following[0] == "up" and form.lemma in ("give", "end")
    skip = 1 if up else skip
    target = words[at + 1 + skip].lower() if at + 1 + skip < len(words) else ""
    verb = lex.VERBS.get(target)
    gerund = verb is not None and verb.kind == "ing" and (not skip or form.lemma in ("give", "end"))
    plain = (verb is not None and verb.kind == "base") or target == "be"
    infinitive = skip == 1 and plain and form.lemma != "give"
    if not infinitive and not (gerund and leads in _WITH_GERUND):
        return False
    clause.begun = clause.begun or leads
    if leads in ("wish", "must", "plan"):
        clause.mood = leads
    clause.lemma = verb.lemma if verb else "be"
    del words[at + 1 : at + 2 + skip]
    return True


_WITH_GERUND: Final = frozenset(str.split("start stop keep try get go"))


def _content(words: list[str], at: int, size: int) -> list[str]:
    """Return the next words in lower case without adverbs and denials."""
    lowered = (word.lower() for word in words[at + 1 : at + 1 + size])
    return [word for word in lowered if word not in lex.ADVERBS and word not in lex.NEGATIONS]


def _goes_on(words: list[str], at: int) -> bool:
    """Say whether "do" only carries the denial or the tense of another verb."""
    rest = _content(words, at, 4)
    form = lex.VERBS.get(rest[0]) if rest else None
    return form is not None and (form.kind == "base" or rest[0] in ("be", "have"))


def _be_goes_on(words: list[str], at: int) -> str:
    """Say whether "be" only carries the tense of another verb, and which way."""
    rest = _content(words, at, 5)
    if not rest:
        return ""
    if rest[:2] == ["going", "to"]:
        return "going to" if len(rest) > 2 and (rest[2] in lex.VERBS or rest[2] == "be") else ""
    form = lex.VERBS.get(rest[0])
    adjective = rest[0] in _NO_VERBS or rest[0] in lex.DONE or rest[0] in lex.OPEN
    verb = form is not None and form.kind in ("ing", "past", "done") and not adjective
    return "yes" if verb or rest[0] == "being" else ""


def _perfect(words: list[str], at: int) -> bool:
    """Say whether "have" only makes a perfect of another verb."""
    rest = _content(words, at, 4)
    if not rest:
        return False
    form = lex.VERBS.get(rest[0])
    known = rest[0] in ("been", "come", "become", "run") or rest[0] in lex.SAME_PAST
    return known or (form is not None and form.kind in ("past", "done"))

"""English verb groups: where the verb stands, its tense, what is denied, supposed or begun."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from saegim.language.claims import facets
from saegim.language.en import lexicon as lex
from saegim.language.word_lists import read_lists

_LISTS: Final = read_lists("en/word_forms")

# ---- English sentences cut into words and segments, short forms written out.

_AFTER_IS: Final = [*_LISTS.row("after_is")]
_MAY_BE_SHORT: Final = re.compile(
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


TOKEN: Final = re.compile(
    r"[$€£]?[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?|[A-Za-z0-9À-ɏ$€£][\w.+#/'&:%À-ɏ-]*|[,;:()–—]|(?<=\s)-(?=\s)|\"[^\"]{1,60}\""
)


BREAKS: Final = frozenset((",", ";", ":", "(", ")", "–", "—", "-"))


_JOINTS: Final = frozenset(str.split("but and so because while although though then which plus or"))


SUPPOSED: Final = frozenset(str.split("if unless whether suppose supposing imagine"))


ASIDE: Final = _LISTS.words("aside")


ME: Final = frozenset(("i", "we"))


OTHERS: Final = frozenset(str.split("he she they it this that"))


DETERMINERS: Final = _LISTS.words("determiners")


_SAYING: Final = _LISTS.words("saying")


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


_SPELLS: Final = frozenset(
    str.split("""week month year summer winter spring autumn fall morning evening night weekend days
    quarter time day""")
)


def _is_time(word: str) -> bool:
    return word in _SPELLS or bool(facets(word))


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


# ---- `Clause`: one English verb with its subject and what follows it.


@dataclass(slots=True)
class EnglishClause:
    """One verb with its subject and what follows.

    `subject` is "me", a pronoun, or a noun phrase with its determiner taken off (`owner` keeps
    my/our/the). `after` are (preposition, phrase) in order, "" for the object.
    """

    subject: str = ""
    owner: str = ""
    lemma: str = ""
    tense: str = "now"  # now past done ing future
    denied: bool = False
    mood: str = "told"  # told asked supposed reported wish can ordered
    adverbs: set[str] = field(default_factory=set)
    after: list[tuple[str, str]] = field(default_factory=list)
    joint: str = ""
    passive: bool = False
    begun: str = ""  # start, stop, used, decide, plan: a verb before the verb

    def phrase(self, *prepositions: str) -> str:
        """Return the first phrase after one of these prepositions."""
        return next((text for head, text in self.after if head in prepositions), "")

    @property
    def object(self) -> str:
        """Return the phrase without a preposition."""
        return self.phrase("")

    def time(self) -> str:
        """Return the words that say when."""
        return " ".join(
            text if head == "when" else f"{head} {text}".strip()
            for head, text in self.after
            if facets(f"{head} {text}")
        )


# ---- English verb groups: where the verb stands, its tense, what is denied, supposed or begun.

_BEFORE: Final = _LISTS.pairs("before")


_NO_VERBS: Final = _LISTS.words("no_verbs")


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


def verb_group(clause: EnglishClause, words: list[str]) -> list[str]:
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
_NOW: Final = re.compile(r"\b(?:these days|nowadays|as of today)\b", re.IGNORECASE)


def _trailing(clause: EnglishClause, rest: list[str]) -> list[str]:
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


def _main_verb(clause: EnglishClause, form: lex.VerbForm, words: list[str], at: int) -> None:
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


def _led_to(clause: EnglishClause, form: lex.VerbForm, words: list[str], at: int) -> bool:
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

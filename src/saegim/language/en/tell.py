"""English sources as deeds: the clauses that perception reads, with subject, parts and mode."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from saegim.language.deeds import ME, Core, Deed, Denial, Mode, Part, Role, Who, broader
from saegim.language.en import lexicon as lex
from saegim.language.en.clauses import clauses
from saegim.language.en.verbs import is_irregular, lemma_of, past, third
from saegim.language.en.word_forms import DETERMINERS, EnglishClause
from saegim.language.en.words import stem
from saegim.language.words import sentences

GOING: Final = frozenset(str.split("go come visit return attend head walk drive drop stop"))
LIKES: Final = frozenset(str.split("like love enjoy adore fancy appreciate"))
DISLIKES: Final = frozenset(str.split("hate dislike despise detest loathe"))
_PLACES: Final = frozenset(str.split("at in by near inside into to around"))
_KEPT: Final = frozenset(str.split("for about on after before during over from"))
_OTHERS: Final = frozenset(str.split("he she they it this that you there what"))
_PAIR: Final = re.compile(
    r"^(?P<one>[A-Z][\w'’-]*|[Mm]y [a-z]+) and (?:I|me)\b"
    r"|^I and (?P<second>[A-Z][\w'’-]*|my [a-z]+)\b"
)
_PLAIN: Final = re.compile(
    r"(?P<who>I|[Ww]e|(?:[Mm]y|[Oo]ur|[Tt]he) [a-z][\w'-]*(?: [a-z][\w'-]*)?"
    r"|[A-Z][\w'’-]*(?: [A-Z][\w'’-]*)?)"
    r" (?:(?:also|just|really|always|often|then) )?(?P<verb>[a-z]{3,})\b ?(?P<rest>.*)"
)
_BARE: Final = re.compile(r"[A-Z][a-z]{3,}ed\b")
_AGAIN: Final = re.compile(r"\b(?:again|too|also|once more|as well|even|still)\b", re.IGNORECASE)
_STAND: Final = re.compile(
    r"(?P<who>[\w'’-]+) (?:can(?:no|['’])?t|can not) (?:stand|bear)\b", re.IGNORECASE
)
_WOULD: Final = re.compile(r"(?:\swould|['’]d) (?:really )?(?:like|love) to\b", re.IGNORECASE)
_WHEN: Final = re.compile(
    r"[0-9].*|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|jan(?:uary)?|feb(?:ruary)?|march|april"
    r"|june|july|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?|weekends?"
    r"|mornings?|evenings?|afternoons?|nights?|noon|midnight|weeks?|months?|years?",
    re.IGNORECASE,
)
_SOMEDAY: Final = re.compile(r"\s+(?:some ?day|one day|soon|at some point|again)$", re.IGNORECASE)
_CUT: Final = re.compile(
    r"\s+(at|in|by|near|with|for|about|on|after|before|during|over|from|to|into)\s+"
)
_QUANTITY: Final = re.compile(
    r"^(?:some|more|any|much|many|another|two|three|four|five|six|[0-9]+\S*|several|few|lots of"
    r"|a lot of|a bit of|a cup of|cups of|a couple of)\s+",
    re.IGNORECASE,
)


def deeds(text: str) -> list[Deed]:
    """Return what an English text says that people do, like, want or are."""
    found: list[Deed] = []
    for sentence in sentences(text):
        if sentence.rstrip().endswith("?"):
            continue
        plain, companion = _apart(_WOULD.sub(" want to", _STAND.sub(_hates, sentence)))
        made: list[Deed] = []
        for clause in clauses(plain):
            if deed := _deed(clause, [*found, *made], companion):
                made.append(deed)
        if not made and (guessed := _guessed(plain.rstrip(" .!"))):
            made = [guessed]
        found += made
    return found


def _hates(found: re.Match[str]) -> str:
    who = found["who"]
    return f"{who} {'hate' if who.lower() in ('i', 'we', 'they') else 'hates'}"


def _apart(sentence: str) -> tuple[str, str]:
    """Read "Dad and I played" as what I did, with Dad."""
    found = _PAIR.match(sentence)
    if not found:
        return sentence, ""
    other = found["one"] or found["second"]
    return f"I{sentence[found.end() :]}", other


def _deed(clause: EnglishClause, before: list[Deed], companion: str) -> Deed | None:
    who = _who(clause, before)
    if who is None or not clause.lemma:
        return None
    mode, denied = _mode(clause)
    verb = clause.lemma
    over = clause.tense in ("past", "done")
    if verb != "be" and verb not in lex.VERBS:
        over = over or (is_irregular(verb) and verb != lemma_of(verb))
        known = is_irregular(verb) or clause.tense != "past"
        verb = (lemma_of(verb) or verb) if known else lemma_of(f"{verb}ed")
    parts = list(_parts(clause.after, verb))
    if companion and who.key == ME:
        parts += _noun("with", companion, "with")
    if clause.passive:
        return None
    return Deed(who, verb, _wide(parts), denied, mode, over)


def _wide(parts: list[Part]) -> tuple[Part, ...]:
    return tuple(dict.fromkeys(wide for part in parts for wide in broader(part)))


def _who(clause: EnglishClause, before: list[Deed]) -> Who | None:
    said = clause.subject.strip()
    if said == "me":
        return Who(ME, "")
    if not said or said.lower() in _OTHERS:
        named = [deed.who for deed in before if deed.who.key != ME]
        return named[-1] if named and said.lower() in ("he", "she", "they") else None
    words = said.split()
    if words[0].lower() in lex.PREPOSITIONS or any(map(_WHEN.fullmatch, words)):
        return None
    return _named(said, clause.owner)


def _named(said: str, owner: str) -> Who:
    *_, last = said.split()
    if last.lower() == "user" and owner in ("the", ""):
        return Who(ME, "")
    if owner in ("my", "our") and last[0].isupper():
        return Who(last.lower(), last)  # my friend Jane
    if owner in ("my", "our"):
        return Who(said.lower(), f"the user's {said}")
    return Who(said.lower(), f"{owner} {said}" if owner else said)


def _mode(clause: EnglishClause) -> tuple[Mode, Denial]:
    denied: Denial = "not" if clause.denied else ""
    if clause.begun == "wish":
        return "wish", denied
    if clause.mood == "can" and clause.denied:
        return "done", "cannot"
    if (
        clause.mood not in ("told", "reported")
        or clause.tense == "future"
        or clause.begun == "used"
    ):
        return "other", denied
    taste = clause.lemma in LIKES or clause.lemma in DISLIKES
    if taste and clause.tense in ("now", "done"):
        likes = (clause.lemma in LIKES) is not clause.denied
        return ("likes" if likes else "dislikes"), ""
    if clause.mood == "reported" or clause.begun in ("plan", "decide", "must"):
        return "other", denied
    return "done", denied


def _parts(after: list[tuple[str, str]], verb: str) -> Iterator[Part]:
    for at, (mark, phrase) in enumerate(after):
        if mark == "" and verb == "be":
            yield from _how(phrase)
        elif mark == "" and at == 0:
            yield from _noun("place" if verb in ("visit", "attend") else "thing", phrase, "")
        elif mark == "with":
            yield from _noun("with", phrase, mark)
        elif mark in _PLACES:
            yield from _noun("place", phrase, mark)
        elif mark in _KEPT:
            yield from _noun("for", phrase, mark)


def _how(phrase: str) -> Iterator[Part]:
    text = _AGAIN.sub("", phrase).strip()
    words = [word for word in text.split() if word.lower() not in lex.ADVERBS]
    if words:
        yield Part(
            "how", words[0].lower() if len(words) == 1 else " ".join(words).lower(), " ".join(words)
        )


def _noun(role: Role, phrase: str, mark: str) -> Iterator[Part]:
    """Yield the noun of a phrase, and its head alone where it has words before it."""
    text = _SOMEDAY.sub("", _QUANTITY.sub("", _AGAIN.sub("", phrase)).strip(" ,.!"))
    words = text.split()
    while words and words[-1].lower() in lex.ADVERBS | {"today", "yesterday"}:
        words.pop()
    bare = words[1:] if words and words[0].lower() in DETERMINERS else words
    if any(_WHEN.fullmatch(word) for word in bare):
        return
    if not bare or len(bare) > 5 or bare[-1].lower() in lex.VAGUE or not bare[-1][0].isalnum():
        return
    key = " ".join([stem(word.lower()) for word in bare])
    yield Part(role, key, " ".join(words), mark)
    if len(bare) > 1 and not bare[-1][0].isupper():
        lead = words[0] + " " if bare is not words and words[0].lower() != "a" else ""
        yield Part(role, stem(bare[-1].lower()), lead + bare[-1], mark, wide=True)


def _is_form(word: str) -> bool:
    """Say whether a word can be a verb in the past or of a third person."""
    return is_irregular(word) or word in lex.VERBS or word.endswith(("ed", "s"))


def _guessed(sentence: str) -> Deed | None:
    """Read a plain sentence whose verb is in no list: my brother borrowed my car."""
    if _BARE.match(sentence):
        sentence = f"I {sentence[0].lower()}{sentence[1:]}"
    found = _PLAIN.match(sentence)
    if not found or found["verb"] in lex.ADVERBS or not _is_form(found["verb"]):
        return None
    verb = lemma_of(found["verb"])
    if not verb or (found["verb"].endswith("s") and found["who"] in ("I", "We", "we")):
        return None
    owner, _, rest = found["who"].partition(" ")
    if found["who"] in ("I", "We", "we"):
        who = Who(ME, "")
    elif rest and owner.lower() in ("my", "our", "the"):
        who = _named(rest, owner.lower())
    else:
        who = Who(found["who"].lower(), found["who"])
    pieces = _CUT.split(" " + found["rest"])
    after = [("", pieces[0].strip()), *zip(pieces[1::2], pieces[2::2], strict=False)]
    held = [(mark, text) for mark, text in after if text.strip()]
    return Deed(who, verb, _wide(list(_parts(held, verb))), over=not found["verb"].endswith("s"))


# ---- A core said in English, in one sentence, or as a short note.

_ORDER: Final = ("how", "thing", "with", "place", "for")
_LONGEST_NAME: Final = 24
_MOST_PARTS: Final = 2
_MINE: Final = re.compile(r"\b(?:my|our|mine)\b", re.IGNORECASE)


def said(core: Core, me: str, *, brief: bool) -> str:
    """Return a core as a sentence; `brief` asks for a note, where that is safe."""
    who = _capital(me if core.who.key == ME else core.who.text)
    whole = core.says == core.of
    after = _after(core)
    if brief and whole and len(who) <= _LONGEST_NAME and (note := _note(core, after)):
        return f"{who}: {note}"
    return f"{who} {_verb(core, after, 'often' if whole else 'mostly')}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _after(core: Core) -> str:
    words = []
    for role in _ORDER:
        same = [each for each in core.parts if each.role == role][:_MOST_PARTS]
        words += [_written(each, core) for each in same[:1]]
        words += [f"and {each.text}" for each in same[1:]]
    if core.nouns:
        words.append(f"when {core.nouns[0]} comes up")
    return " ".join(words)


def _written(part: Part, core: Core) -> str:
    """Return a part with its preposition; what is mine is the user's when told of another."""
    text = _MINE.sub("their" if core.who.key == ME else "the user's", part.text)
    if core.how == "goes":
        return f"to {text}"
    if core.how == "together":
        return f"with {text}"
    if core.how == "there":
        return f"{part.mark if part.mark in ('at', 'in', 'by', 'near') else 'at'} {text}"
    return f"{part.mark} {text}".strip()


def _verb(core: Core, after: str, often: str) -> str:
    match core.how:
        case "likes" | "dislikes":
            return f"mostly {core.how} {after}" if often == "mostly" else f"{core.how} {after}"
        case "goes":
            return f"{often} goes {after}"
        case "there" | "together":
            return f"{often} spends time {after}"
        case "wish":
            return f"{'does not want' if core.denied else 'wants'} to {core.verb} {after}".strip()
        case "past":
            return _was(core, after)
        case "state":
            no = "is not" if core.verb == "be" else f"{_does(core)} {core.verb}"
            held = no if core.denied else third(core.verb)
            return f"{held} {after}".strip()
    if core.verb == "be":
        return f"is {often} {'not ' if core.denied else ''}{after}".strip()
    if core.denied:
        return f"{often} {_does(core)} {core.verb} {after}".strip()
    return f"{often} {third(core.verb)} {after}".strip()


def _does(core: Core) -> str:
    return "cannot" if core.denied == "cannot" else "does not"


def _was(core: Core, after: str) -> str:
    if core.denied:
        no = "was not" if core.verb == "be" else f"did not {core.verb}"
        return f"{no} {after}".strip()
    return f"{past(core.verb)} {after}".strip()


def _note(core: Core, after: str) -> str:
    """Return the core as one writes a note, "" where that could be misread."""
    if core.denied or core.nouns:
        return ""
    match core.how:
        case "likes" | "dislikes":
            return f"{core.how} {after}"
        case "goes":
            return f"often at {after.removeprefix('to ')}"
        case "wish":
            return f"wants to {core.verb} {after}".strip()
        case "habit" if core.verb == "be":
            return f"often {after}"
        case "habit":
            return f"often {third(core.verb)} {after}".strip()
        case _:
            return ""

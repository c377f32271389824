"""Who and what a text names: people, places, organisations, things, and the names they go by."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import replace
from functools import lru_cache
from typing import Final

from saegim.language.claims import Named, Triple, is_tool, known_predicate
from saegim.language.en.lexicon import COMMON, FIRST_NAMES
from saegim.language.en.lexicon import KIN as ENGLISH_KIN
from saegim.language.en.lexicon import PLACES as ENGLISH_PLACES
from saegim.language.kin import relation_of
from saegim.language.ko.lexicon import KIN as KOREAN_KIN
from saegim.language.ko.verbs import closing
from saegim.language.ko.word_forms import noun_and_part, tokens
from saegim.language.ko.words import TITLES, without_particle
from saegim.language.word_lists import read_lists
from saegim.memory.text import normalise

_LISTS: Final = read_lists("both/names")

_SURNAMES: Final = _LISTS.words("surnames")
_FIRST: Final = _LISTS.words("first")
_SECOND: Final = _LISTS.words("second")
_NO_NAMES: Final = _LISTS.words("no_names")
_THINGS: Final = _LISTS.words("things")
PLACES: Final = _LISTS.words("places")
_TITLE: Final = "|".join(sorted(TITLES, key=len, reverse=True))
_AFTER_NAME: Final = (
    r"(?=(?:이|가|은|는|을|를|의|도|만|와|과|랑|이랑|한테|에게|께|께서|하고|라고|이라고|야|이야|예요"
    r"|이에요|입니다|부터|까지|처럼)?(?![가-힣]))"
)
_KOREAN_PERSON: Final = re.compile(
    rf"(?<![가-힣])(?P<name>[가-힣]{{1,4}})(?P<gap>\s?)(?P<title>{_TITLE})(?P<polite>님)?{_AFTER_NAME}"
)
# Relatives that are named by what they are; a friend or a neighbour is nobody in particular.
_FAMILY: Final = KOREAN_KIN - frozenset(
    str.split("친구 아이 애 아기 애기 이웃 동료 선배 후배 막내 첫째 둘째 셋째 선생님 매니저")
)
_ORGANISATION: Final = re.compile(
    r"[가-힣A-Za-z0-9]{2,12}(?:전자|은행|대학교|그룹|병원|연구소|증권|카드|보험|중학교|고등학교)"
)
_QUOTED: Final = re.compile(
    r"[\"“「『《‘]([^\"“”「」『』《》‘’\n]{1,40})[\"”」』》’]|(?<!\w)'([^'\n]{2,40})'(?!\w)"
)
_LATIN: Final = re.compile(r"(?<![\w.@/])[A-Za-z][A-Za-z0-9.+#-]*[A-Za-z0-9+#](?![A-Za-z0-9_@])")
_CAPITALS: Final = re.compile(
    r"\b(?:Dr|Mr|Mrs|Ms|Prof)\.? [A-Z][a-z]+\b|\b[A-Z][\w&’'-]*(?: [A-Z][\w&’'-]*)*"
)
_TITLED: Final = re.compile(r"(?:Dr|Mr|Mrs|Ms|Prof)\.? ")
_COMPANY: Final = re.compile(
    r".*\b(?:Inc|Corp|Ltd|University|College|Bank|Labs?|Hospital|School|Group|Studio|Foundation)$"
)
_OUR_KIN: Final = re.compile(r"\b(?:my|our) (\w[\w-]*)(?: (\w[\w-]*))?", re.IGNORECASE)
_SENTENCE: Final = re.compile(r"(?:^|[.!?…\n]\s*)[\"'“(]*$")
_TYPES: Final = _LISTS.pairs("types")
_MOST: Final = 12
_LONGEST: Final = 40
# 남궁하린이: what is longer is no name that somebody is called by.
_LONGEST_CALLED: Final = 5

Found = dict[str, "Named"]


def is_given_name(word: str) -> bool:
    """Say whether two or three syllables look like a Korean name and like nothing else."""
    if word in PLACES or word in KOREAN_KIN or word in _THINGS or is_tool(word):
        return False
    if len(word) == 3 and word[0] in _SURNAMES:
        return word[1] in _FIRST and word[2] in _SECOND and word[1:] not in _NO_NAMES
    return len(word) == 2 and word[0] in _FIRST and word[1] in _SECOND and word not in _NO_NAMES


@lru_cache(maxsize=4096)
def korean_person(noun: str) -> str:
    """Return the name in 지훈이, 민수, 김민수 씨; "" if it is no person's name."""
    bare = noun.removesuffix("네")
    if (
        bare.endswith("이")
        and len(bare) == 3
        and closing(bare[-2])
        and without_particle(bare) != bare
    ):
        return bare[:-1] if bare[0] in _FIRST else ""
    match = _KOREAN_PERSON.fullmatch(noun)
    if match and match["name"] not in KOREAN_KIN and len(match["name"]) > 1:
        sure = bool(match["gap"]) or match["title"] in ("씨", "님", "쌤")
        return match["name"] if sure or is_given_name(match["name"]) else ""
    return noun if is_given_name(noun) else ""


def called(name: str) -> tuple[str, ...]:
    """Return the names that somebody may mean who asks for 하린이, 지우야 or 민수 씨."""
    noun = name.strip()
    bare = korean_person(noun)
    if noun[-1:] in "이아야" and 3 <= len(noun) <= _LONGEST_CALLED:
        bare = noun[:-1]
    return (name, bare) if bare and bare != noun else (name,)


def named(
    text: str, triples: Iterable[Triple], *, language: str, me: str, known: Collection[str] = ()
) -> tuple[Named, ...]:
    """Return who and what a folded text names, each once, people first found first.

    `me` is what the triples call the speaker; `known` are names one has met before.
    """
    told = list(triples)
    found: Found = {}
    _known(text, known, found)
    if language == "ko":
        _korean(text, known, found)
    else:
        _english(text, found)
    for match in _QUOTED.finditer(text):
        title = (match[1] or match[2]).strip()
        if len(title.split()) < 6 and any(map(str.isalnum, title)):
            _add(found, Named(name=title, type="thing"))
    _from_triples(told, language, me, found)
    about = [Named(name=me, type="self")] if any(each[0] == me for each in told) else []
    return (*list(found.values())[:_MOST], *about)


# What a reader of names calls things, and what they are called here; kin is named by the rules.
_READ_TYPES: Final = {
    "person": "person", "pet": "pet", "place": "place", "organisation": "organisation",
    "product": "thing", "work": "thing",
}  # fmt: skip
_CONFIRMED: Final = frozenset(("person", "place", "organisation"))
_RELATIVES: Final = _FAMILY | ENGLISH_KIN


def confirmed(
    by_rule: Iterable[Named], read: Iterable[tuple[str, str]], text: str
) -> tuple[Named, ...]:
    """Return names by rule and by a reader as one; whom only the rules saw must be a relative.

    On hands neither had seen, the reader found 95 of 100 English names where the rules found 25,
    and six in ten Korean ones, with half the mistakes.
    """
    plain = normalise(text)
    found: Found = {}
    seen: Found = {}
    parts = set()
    for name, kind in read:
        key = normalise(name)
        if kind in _READ_TYPES:
            parts.add(key)
            if 1 < len(key) <= _LONGEST and _is_whole(key, plain):
                seen[key] = Named(name=name, type=_READ_TYPES[kind])
    for each in by_rule:
        names = {normalise(other) for other in (each.name, *each.aliases)}
        same = next((seen[key] for key in seen if key in names), None)
        if same is not None:
            found[normalise(each.name)] = replace(each, type=same.type)
        elif each.type not in _CONFIRMED or _is_sure(each.name, names, parts, plain):
            found.setdefault(normalise(each.name), each)
    held = {normalise(name) for each in found.values() for name in (each.name, *each.aliases)}
    new = {key: each for key, each in seen.items() if not any(key in name for name in held)}
    return tuple((found | new).values())


_LEADS: Final = re.compile(r"이?(?:는|은|가|랑|한테)\s")


def _is_sure(name: str, names: Collection[str], parts: Collection[str], plain: str) -> bool:
    """Say whether whom only the rules saw is someone: a relative, half read, or first (민지는)."""
    key = normalise(name)
    if key in _RELATIVES or relation_of(name):
        return True
    half_read = any(part in each for part in parts for each in names)
    return half_read or bool(plain.startswith(key) and _LEADS.match(plain[len(key) :]))


# What may follow a Korean name in one word: particles, titles, and what "to be" begins with.
_BEHIND: Final = frozenset("이가은는을를의도만와과랑한에께하라야예입로으부까처씨님였네쌤아며고인")


def _is_whole(key: str, plain: str) -> bool:
    """Say whether a name that was read is a whole word somewhere, and no piece of another."""
    for match in re.finditer(re.escape(key), plain):
        before, rest = plain[match.start() - 1 : match.start()], plain[match.end() :]
        inside = before.isalnum() and before.isascii() is key[0].isascii()
        tail = rest[0] if rest else ""
        if not inside and (not tail.isalnum() or tail in _BEHIND or rest.startswith(TITLES)):
            return True
    return False


def _add(found: Found, name: Named) -> None:
    """Add a name, or what is new about one that was found before."""
    key = normalise(name.name)
    if not key or len(name.name) > _LONGEST or len(found) > 2 * _MOST:
        return
    held = found.get(key)
    if held is None:
        found[key] = name
        return
    aliases = tuple(dict.fromkeys((*held.aliases, *name.aliases)))
    kind = name.type if held.type == "topic" else held.type
    found[key] = Named(name=held.name, type=kind, aliases=aliases)


def _known(text: str, known: Collection[str], found: Found) -> None:
    """Find the names one has met before, whatever particle they carry."""
    plain = normalise(text)
    for name in known:
        key = normalise(name)
        if len(key) > 1 and key in plain and _stands_alone(key, plain):
            _add(found, Named(name=name, type="topic"))


def _stands_alone(key: str, plain: str) -> bool:
    """Say whether a name stands in a text as a word of its own."""
    for match in re.finditer(re.escape(key), plain):
        before = plain[match.start() - 1 : match.start()]
        if before.isalnum() and before.isascii() is key[0].isascii():
            continue
        tail = re.match(r"\w*", plain[match.end() :])
        rest = tail[0] if tail else ""
        if not rest or noun_and_part(key + rest)[0] in (key, key + "이"):
            return True
    return False


def _korean(text: str, known: Collection[str], found: Found) -> None:
    """Find people by title, name or kinship, places, organisations and Latin names."""
    whole = {name[1:]: name for name in known if len(name) == 3 and name[0] in _SURNAMES}
    covered: set[str] = set()
    for match in _KOREAN_PERSON.finditer(text):
        if titled := _titled(match):
            covered |= {noun_and_part(word)[0] for word in (*match[0].split(), match[0])}
            full = whole.get(titled.name, titled.name)
            _add(
                found,
                replace(titled, name=full, aliases=_others(full, titled.name, *titled.aliases)),
            )
    for token in tokens(text):
        noun, _ = noun_and_part(token.word)
        if noun in covered:
            continue
        if noun in _FAMILY:
            _add(found, Named(name=noun, type="person"))
        elif noun in PLACES or noun.removesuffix("시") in PLACES:
            _add(found, Named(name=noun.removesuffix("시"), type="place"))
        elif noun in whole:
            _add(found, Named(name=whole[noun], type="person", aliases=(noun,)))
        elif (person := korean_person(noun)) and not _is_inside(person, found):
            _add(found, Named(name=person, type="person"))
        elif _ORGANISATION.fullmatch(noun):
            _add(found, Named(name=noun, type="organisation"))
    for match in _LATIN.finditer(text):
        if len(match[0]) > 1 and (match[0][0].isupper() or is_tool(match[0])):
            _add(found, Named(name=match[0], type="thing"))


def _is_inside(person: str, found: Found) -> bool:
    return any(person in (each.name, *each.aliases) for each in found.values())


def _titled(match: re.Match[str]) -> Named | None:
    """Return a person who is named with a title: 김민수 대리, 김 대리, 민수 형."""
    name, title = match["name"], match["title"]
    polite = title + (match["polite"] or "")
    full = name + match["gap"] + polite
    if name in KOREAN_KIN or (not match["gap"] and title in ("군", "양", "이사", "의사")):
        return None
    if len(name) == 1:
        if name not in _SURNAMES or title in ("씨", "님", "군", "양", "형", "누나", "언니", "오빠"):
            return None
        return Named(
            name=f"{name} {title}", type="person", aliases=_others(f"{name} {title}", full)
        )
    if not match["gap"] and title not in ("씨", "님", "쌤") and not is_given_name(name):
        return None
    if noun_and_part(name)[0] != name and not is_given_name(name):
        return None
    short = f"{name[0]} {title}" if len(name) == 3 and name[0] in _SURNAMES else ""
    ranked = short if title not in ("씨", "님", "군", "양", "쌤") else ""
    return Named(name=name, type="person", aliases=_others(name, ranked, full))


def _others(name: str, *aliases: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(alias for alias in aliases if alias and alias != name))


def _english(text: str, found: Found) -> None:
    """Find relatives and capitalised names; a sentence's first word counts only if it is a name."""
    for match in _OUR_KIN.finditer(text):
        for kin in match.groups(""):
            if kin.lower() in ENGLISH_KIN:
                _add(found, Named(name=kin.lower(), type="person"))
                break
    for match in _CAPITALS.finditer(text):
        name = re.sub(r"['’]s$", "", match[0])
        if _TITLED.match(name):
            bare = _TITLED.sub("", name)
            _add(found, Named(name=bare, type="person", aliases=(name,)))
            continue
        words = name.split()
        if (
            _SENTENCE.search(text[max(0, match.start() - 8) : match.start()])
            and words[0].lower() not in FIRST_NAMES
        ):
            words = words[1:] if len(words) > 1 and words[0].lower() in COMMON else words
            if len(words) == 1 and not is_tool(words[0]) and words[0] == name.split()[0]:
                continue
        words = [word for word in words if not {word.lower(), word.lower()[:-1]} & COMMON]
        if words:
            _add(found, Named(name=" ".join(words), type=_english_type(" ".join(words))))


def _english_type(name: str) -> str:
    words = name.split()
    if _COMPANY.match(name):
        return "organisation"
    if words[0].lower() in FIRST_NAMES and not is_tool(name):
        return "person"
    return "place" if name.lower() in ENGLISH_PLACES else "thing"


def _from_triples(triples: list[Triple], language: str, me: str, found: Found) -> None:
    """Let the predicates say what kind of thing their objects and subjects are."""
    for subject, said, value in triples:
        known = known_predicate(said)
        name = known[0].name if known else ""
        if name == "version":
            _add(found, Named(name=subject, type="thing"))
        kind = _TYPES.get(name, "")
        kin = KOREAN_KIN if language == "ko" else ENGLISH_KIN
        if subject != me and subject.lower() in kin:
            _add(found, Named(name=subject, type="person"))
        key = normalise(value)
        if kind and key in found and found[key].type in ("thing", "topic"):
            found[key] = Named(name=found[key].name, type=kind, aliases=found[key].aliases)
        elif kind in ("place", "organisation") and len(value.split()) < 4:
            _add(found, Named(name=value, type=kind))

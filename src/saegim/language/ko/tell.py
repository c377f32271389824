"""Korean sources as deeds: the clauses that perception reads, with subject, parts and mode."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from saegim.language.deeds import ME, Core, Deed, Denial, Mode, Part, Role, Who, broader
from saegim.language.ko import lexicon as lex
from saegim.language.ko.clauses import KoreanClause, Phrase, clauses
from saegim.language.ko.scene import KoreanScene
from saegim.language.ko.verbs import closing, describes, noun_form, past, present, with_part
from saegim.language.ko.word_forms import time_word
from saegim.language.names import korean_person
from saegim.language.word_lists import read_lists
from saegim.language.words import sentences

_LISTS: Final = read_lists("ko/tell")

GOING: Final = _LISTS.words("going")
_LIKES: Final = frozenset(str.split("좋아하 사랑하 좋 아끼 애정하 선호하"))
_DISLIKES: Final = frozenset(str.split("싫어하 싫 혐오하 미워하 질색하 싫증나"))
_TOLD: Final = frozenset(str.split("told and but ongoing habit since"))
_NEVER: Final = frozenset(("안", "못", "별로", "전혀"))
_NO_THING: Final = re.compile(
    r"(?:때문|덕분|동안|정도|이상|이하|대신|생각|얘기|이야기|것|거|때|수|줄|번|적|중|전|후|뒤|쪽|말|일|나|저|우리|시간|분|개월)"
)
_ROLES: Final[dict[str, Role]] = {
    "를": "thing",
    "만": "thing",
    "에서": "place",
    "에": "place",
    "로": "place",
    "와": "with",
}
_DONE_TO: Final = _LISTS.words("done_to")
_BODY: Final = _LISTS.words("body")
_UNITS: Final = frozenset(str.split("시간 분 번 정도 개월 주 일 달 년 그릇 잔 개"))
_SAID_ASIDE: Final = ("요즘", "요새", "최근")


def deeds(text: str) -> list[Deed]:
    """Return what a Korean text says that people do, like, want or are."""
    scene = KoreanScene(me="사용자")
    found: list[Deed] = []
    for sentence in sentences(text):
        if sentence.rstrip().endswith("?"):
            continue
        before: Deed | None = None
        for clause in clauses(sentence):
            scene.enter(clause)
            deed = _deed(clause, scene, before)
            scene.leave(clause)
            if deed:
                found.append(deed)
                before = deed if clause.word.endswith("서") and deed.verb in GOING else None
    return found


def _deed(clause: KoreanClause, scene: KoreanScene, before: Deed | None) -> Deed | None:
    if not clause.stems:
        return None
    verb, things = _verb_and_things(clause)
    who = _who(clause, scene, verb)
    if who is None:
        return None
    mode, denied = _mode(clause, verb)
    parts = [*_parts(verb, who, things, mode)]
    if clause.stems == ("이",) and clause.what:
        parts.append(Part("how", _name_key(clause.what), clause.what))
    if before and not any(each.role == "place" for each in parts):
        parts += [Part("place", e.key, e.text, "에서") for e in before.parts if e.role == "place"]
    shown = tuple(dict.fromkeys(wide for part in parts for wide in broader(part)))
    return Deed(who, verb, shown, denied, mode, over=clause.past)


def _verb_and_things(clause: KoreanClause) -> tuple[str, list[Phrase]]:
    """Return the verb and its things; of 기타 연습을 했다 that is 연습하 and 기타."""
    verb = _stem(clause)
    if verb.endswith("이") and clause.word == f"{verb}다" and len(verb) > 2:
        clause.what, clause.stems, verb = verb, ("이",), "이"  # 왼손잡이다
    things = []
    for each in clause.phrases:
        if _is_time(each):
            continue
        words = each.text.split()
        if verb in ("하", "하하") and words and each.part in ("를", "도"):
            verb = words[-1] + "하"
        if (
            verb.endswith("하")
            and words
            and words[-1] == verb[:-1]
            and each.part in ("를", "", "도")
        ):
            if len(words) > 1:
                things.append(Phrase(" ".join(words[:-1]), "를"))
            continue
        things.append(each)
    return verb, things


def _stem(clause: KoreanClause) -> str:
    """Return the stem that is meant where a form has two: 산다, 들었다, 걸었다."""
    first, stems = clause.stems[0], set(clause.stems)
    if first.endswith("하") and first[:-1] in _UNITS:
        return "하"  # 공부를 두 시간 했다
    if {"사", "살"} <= stems:
        return "사" if clause.first("를") else "살"
    if {"들", "듣"} <= stems:
        return "듣"
    if {"걸", "걷"} <= stems:
        call = clause.first("를")
        return "걸" if call and call.text.endswith(("전화", "옷", "기대", "희망")) else "걷"
    return first


def _is_time(phrase: Phrase) -> bool:
    """Say whether a phrase says when; 아침 alone before 먹다 is what was eaten."""
    if phrase.time:
        return not (phrase.text in ("아침", "점심", "저녁") and phrase.part == "")
    last = phrase.text.split()[-1] if phrase.text else ""
    return (
        phrase.text in _SAID_ASIDE
        or last in ("전", "후", "뒤", "때", "중")
        or (phrase.part in ("에도", "에") and time_word(last) is not None)
    )


def _who(clause: KoreanClause, scene: KoreanScene, verb: str) -> Who | None:
    """Return whom the clause is about; of a taste, a thing with 이/가 is what is liked."""
    said = ""
    for each in clause.phrases:
        if each.me and each.part in ("", "는", "가", "도"):
            return Who(ME, "")
        if each.part in ("는", "가") and each.text and not _is_time(each) and not each.tangled:
            if _is_taste(verb) and not scene.who(each):
                continue
            if each.part == "는" and _is_object(each, clause, scene, verb):
                continue
            if each.text in _BODY and not said and describes(verb):
                return Who(each.text, f"{scene.me}의 {each.text}")
            said = said or scene.who(each) or each.text
    topic = clause.first("는")
    aside = topic is not None and _is_object(topic, clause, scene, verb)
    actor = said or (scene.subject if _is_taste(verb) or aside else scene.actor(clause))
    if not actor:
        return None
    return Who(ME, "") if actor == scene.me else Who(_name_key(actor), actor)


def _is_object(topic: Phrase, clause: KoreanClause, scene: KoreanScene, verb: str) -> bool:
    """Say whether the topic is what it is done to: 매운 음식은 못 먹는다."""
    return verb in _DONE_TO and not clause.first("를") and not scene.who(topic)


def is_companion(name: str) -> bool:
    """Say whether one can be with the one who is named: a person, a relative, a pet."""
    last = name.split()[-1]
    return last in lex.KIN or last in lex.PETS or bool(korean_person(name))


def _is_taste(verb: str) -> bool:
    return verb in _LIKES or verb in _DISLIKES


def _name_key(name: str) -> str:
    """Return what the forms of a name share: 서연이 and 서연 are one."""
    bare = name.removesuffix("님")
    if len(bare) > 2 and bare.endswith("이") and "가" <= bare[-2] <= "힣" and closing(bare[-2]):
        return bare[:-1]
    return bare


def _mode(clause: KoreanClause, verb: str) -> tuple[Mode, Denial]:
    denied: Denial = "not" if clause.denied or not clause.adverbs.isdisjoint(_NEVER) else ""
    if "못" in clause.adverbs:
        denied = "cannot"
    if clause.mood == "wish":
        return "wish", denied
    if _is_taste(verb) and (clause.mood in _TOLD or clause.mood == "heard"):
        turned = clause.word.endswith(("졌어", "졌다", "졌어요", "짐"))
        if clause.past and not turned:
            return "done", denied
        likes = (verb in _LIKES) is not bool(denied)
        return ("likes" if likes else "dislikes"), ""
    return ("done" if clause.mood in _TOLD else "other"), denied


def _parts(verb: str, who: Who, things: list[Phrase], mode: Mode) -> Iterator[Part]:
    listed = any(each.part in ("를", "") and each.text for each in things if not each.me)
    for each in things:
        if each.me or not each.text or each.tangled or _name_key(each.text) == who.key:
            continue
        role = _role(each, verb, mode)
        if role == "with" and listed and not is_companion(each.text):
            role = "thing"
        words = each.text.split()
        while words and _NO_THING.fullmatch(words[-1]):
            words.pop()
        if role and words:
            text = " ".join(words)
            key = _name_key(text) if role == "with" else text
            yield Part(role, key, text, each.part or ("에" if role == "place" else "를"))
            if len(words) > 1 and role in ("thing", "with"):
                yield Part(role, words[-1], words[-1], each.part or "를", wide=True)


def _role(phrase: Phrase, verb: str, mode: Mode) -> Role | None:
    if mode in ("likes", "dislikes") and phrase.part in ("가", "는", "도", ""):
        return "thing"
    if phrase.part == "는" and verb in _DONE_TO:
        return "thing"
    if phrase.part in ("", "도") and not describes(verb):
        return "place" if verb in GOING else "thing"
    return _ROLES.get(phrase.part)


# ---- A core said in Korean, in one sentence, or as a short note.

_ORDER: Final = ("with", "place", "thing", "for")
_LONGEST_NAME: Final = 12
_MOST_PARTS: Final = 2


def said(core: Core, me: str, *, brief: bool) -> str:
    """Return a core as a sentence; `brief` asks for a note, where that is safe."""
    who = me if core.who.key == ME else core.who.text
    whole = core.says == core.of
    if brief and whole and len(who) <= _LONGEST_NAME and (note := _note(core)):
        return f"{who}: {note}"
    told = " ".join(filter(None, (*_before(core), _verb(core))))
    return f"{with_part(who, '는')} {told if whole else f'대체로 {told}'}"


def _before(core: Core) -> list[str]:
    """Return what stands before the verb, each with its particle."""
    words = []
    for role in _ORDER:
        same = [each for each in core.parts if each.role == role][:_MOST_PARTS]
        words += [with_part(each.text, "와") for each in same[:-1]]
        words += [_with_particle(each, core) for each in same[-1:]]
    if core.various:
        words.append("여러 가지를")
    if core.nouns:
        words.insert(0, f"{core.nouns[0]} 이야기가 나올 때")
    return words


def _with_particle(part: Part, core: Core) -> str:
    if part.role == "with":
        return with_part(part.text, "와")
    if part.role == "thing":
        return with_part(part.text, "를")
    if core.how == "goes":
        return f"{part.text}에"
    if core.how == "there":
        return f"{part.text}에서"
    return with_part(part.text, part.mark if part.mark in ("에", "에서", "로") else "에서")


def _verb(core: Core) -> str:
    if core.how in ("likes", "dislikes"):
        return "좋아한다" if core.how == "likes" else "싫어한다"
    if core.how == "goes":
        return "자주 간다"
    if core.how in ("there", "together"):
        return "자주 시간을 보낸다"
    if core.how == "wish":
        return f"{core.verb}고 싶어 하지 않는다" if core.denied else f"{core.verb}고 싶어 한다"
    if core.verb == "이":
        what = next(part.text for part in core.parts if part.role == "how")
        return f"{with_part(what, '가')} 아니다" if core.denied else with_part(what, "다")
    if core.how == "past":
        return f"{core.verb}지 않았다" if core.denied else past(core.verb)
    often = "자주 " if core.how == "habit" else ""
    if core.denied:
        return often + (_cannot(core.verb) if core.denied == "cannot" else _not(core.verb))
    return often + present(core.verb)


def _not(verb: str) -> str:
    if describes(verb):
        return f"{verb}지 않다"
    if verb.endswith("하") and len(verb) > 2:
        return f"{with_part(verb[:-1], '를')} 안 한다"
    return f"안 {present(verb)}"


def _cannot(verb: str) -> str:
    if verb.endswith("하") and len(verb) > 2:
        return f"{with_part(verb[:-1], '를')} 못 한다"
    return f"못 {present(verb)}"


def _note(core: Core) -> str:
    """Return the core as one writes a note, "" where that could be misread."""
    before = " ".join(_before(core))
    if core.denied or core.nouns:
        return ""
    match core.how:
        case "likes":
            return f"{before} 좋아함"
        case "dislikes":
            return f"{before} 싫어함"
        case "goes":
            return f"{before} 자주 감"
        case "wish":
            return f"{before} {core.verb}고 싶어 함".strip()
        case "habit":
            return f"{before} 자주 {noun_form(core.verb)}".strip()
        case _:
            return ""

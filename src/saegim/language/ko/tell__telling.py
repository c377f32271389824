"""A core said in Korean, in one sentence, or as a short note."""

from __future__ import annotations

from typing import Final

from saegim.language.deeds import ME, Core, Part
from saegim.language.ko.verbs__forms import describes, noun_form, past, present, with_part

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

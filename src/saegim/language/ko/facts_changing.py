"""Korean clauses in which something takes a new value: a date, a version, a tool, a name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from saegim.language.claims import (
    Fact,
    facets,
    is_attribute,
    is_occasion,
    is_tool,
    is_versioned,
    version_in,
)
from saegim.language.ko import lexicon as lex
from saegim.language.ko.clauses import KoreanClause, Phrase
from saegim.language.ko.scene import KoreanScene
from saegim.language.names import PLACES

_QUANTITY: Final = re.compile(
    r"[0-9][0-9.,]*\s?(?:만|천|억|백)?\s?(?:원|명|개|%|퍼센트|달러|kg|키로|살|평|대|주|배|점|위|층|호)?"
)


DATE_ENDS: Final = re.compile(r"\s?(?:날짜|시간|일정|요일|출발일|출발|시작일|날)$")


_BETTER: Final = frozenset(("최애", "인생", "단골", "최고의"))


def versioned(clause: KoreanClause, scene: KoreanScene) -> Iterator[Fact]:
    """파이썬 3.10 써, 앱 2.5 배포했어, 노드를 20으로 올렸어, 앱 최신 버전은 2.4야."""
    if scene.denied(clause) or clause.mood not in ("told", "and", "but", "decided"):
        return
    for fact in _versions(clause):
        topic = clause.first("는")
        owner = (
            re.sub(r" ?(?:OS|운영체제|펌웨어)$", "", topic.text)
            if topic and not scene.is_person(topic)
            else ""
        )
        if (
            owner
            and fact.subject not in owner
            and not owner.endswith("버전")
            and owner not in fact.subject
        ):
            fact = replace(fact, subject=f"{owner} {fact.subject}")
        yield fact


def _versions(clause: KoreanClause) -> Iterator[Fact]:
    if clause.stems == ("이",):
        topic = clause.first("는", "가", "")
        number = re.fullmatch(r"v?[0-9][0-9.]*\S*", clause.what)
        if (
            topic
            and number
            and (topic.text.endswith("버전") or is_versioned(topic.text.split()[-1]))
        ):
            yield Fact(_subject_of_version(topic.text), "version", clause.what)
        elif topic and (number := re.fullmatch(r"v?([0-9]+(?:\.[0-9]+)*) ?버전", clause.what)):
            yield Fact(topic.text, "version", number[1])
        elif found := version_in(clause.what):
            yield Fact(found[0], "version", found[1])
        return
    goal = clause.first("로")
    bare = clause.first("를", "")
    if (
        bare
        and clause.past
        and re.fullmatch(r"(?:.*버전 )?v?[0-9]+(?:\.[0-9]+)+(?: 배포| 출시)?", bare.text)
        and (lex.RAISES | {"완료하"}) & set(clause.stems)
    ):
        yield Fact("버전", "version", re.sub(r"[^0-9.]", "", bare.text))
        return
    raised = (bare and bare.text in ("업그레이드", "업데이트", "마이그레이션", "패치")) or set(
        clause.stems
    ) & _RAISED
    if (
        goal
        and clause.past
        and not goal.tangled
        and (found := version_in(goal.text, sure=bool(raised)))
    ):
        yield Fact(found[0], "version", found[1])
        return
    if not lex.RAISES & set(clause.stems) and not clause.ongoing:
        return
    stale = clause.past and {"쓰", "사용하", "돌리"} & set(clause.stems)
    if stale:
        return
    pinned = goal or clause.first("를") or clause.first("")
    if pinned is None or pinned.tangled:
        return
    if found := version_in(pinned.text):
        yield Fact(found[0], "version", found[1])
    elif number := re.fullmatch(r"v?([0-9]+(?:\.[0-9]+)*) ?버전", pinned.text):
        topic = clause.first("는", "가")
        if topic:
            yield Fact(topic.text, "version", number[1])
    elif goal and re.fullmatch(r"v?[0-9]+(?:\.[0-9]+)*", goal.text):
        topic = clause.first("를", "가", "는", "")
        if topic and topic.text and not topic.me:
            yield Fact(_subject_of_version(topic.text), "version", goal.text)
        elif "." in goal.text:
            yield Fact("버전", "version", goal.text)


_RAISED: Final = frozenset(
    str.split("""업그레이드하 업데이트하 업그레이드되 업데이트되
    다운그레이드하 패치되 패치하""")
)


def _subject_of_version(text: str) -> str:
    return re.sub(r"\s?(?:최신|현재)?\s?버전$", "", text) or text


def divided(text: str) -> tuple[str, str]:
    """Divide 폰 아이폰 into what changes and what to, by the last word that can change."""
    words = text.split()
    if words[0] in _BETTER and len(words) > 2:
        return " ".join(words[:2]), " ".join(words[2:])
    for at in range(len(words) - 1, 0, -1):
        if words[at - 1] in lex.TOPIC_ENDS or words[at - 1].endswith(lex.EVENTS):
            return " ".join(words[:at]), " ".join(words[at:])
    return "", text


def changed(clause: KoreanClause, scene: KoreanScene) -> Iterator[Fact]:
    """Something goes over to a new value: 회의가 수요일로 바뀌었어, 폰 아이폰으로 바꿨어."""
    stems = set(clause.stems)
    done = (
        clause.past or clause.mood in ("decided", "and") or clause.word.endswith(("됨", "뀜", "서"))
    )
    if not stems & lex.CHANGES or not done or scene.denied(clause):
        if done and not scene.denied(clause) and not _UNDONE.search(clause.word):
            yield from _cancelled(clause, scene)
        return
    goal = next((e for e in reversed(clause.phrases) if e.part == "로"), None)
    topic = _topic(clause, scene)
    if "개명하" in stems and goal is None and scene.subject == scene.me:
        scene.pending = "이름"
    if goal is None or goal.tangled:
        if (
            topic
            and not topic.tangled
            and stems & {"바뀌", "바꾸", "갈아타", "변경하", "변경되", "짓"}
        ):
            scene.pending = f"가장 좋아하는 {topic.text}" if topic.verb == "좋아하" else topic.text
        yield from _dated(clause, topic)
        return
    if goal.time and not (topic and topic.text.endswith(("이름", "별명", "닉네임"))):
        if topic is not None:
            settled = stems & {"잡", "잡히", "정하", "정해지", "확정되", "확정하", "예약하"}
            yield from _dated_to(of_which(clause, topic.text), goal.text, moved=not settled)
        return
    about, value = (topic.text, goal.text) if topic else divided(goal.text)
    if topic and (split := divided(goal.text))[0]:
        about, value = split
    if value.split()[-1] not in lex.VAGUE_VALUES and about not in lex.VAGUE:
        yield from _renewed(clause, scene, topic, about, value)


def _topic(clause: KoreanClause, scene: KoreanScene) -> Phrase | None:
    for part in ("를", "가", "는", "도", ""):
        for each in reversed(clause.phrases):
            person = part in ("는", "가", "") and scene.who(each)
            if each.part == part and not each.time and not each.me and not person:
                return each
    return None


def _dated(clause: KoreanClause, topic: Phrase | None) -> Iterator[Fact]:
    """치과 예약 화요일 3시에 잡았어."""
    when = clause.time()
    settled = {"잡", "잡히", "정하", "정해지", "확정되", "확정하", "예약하"} & set(clause.stems)
    if topic and not topic.tangled and settled and facets(when):
        yield from _dated_to(topic.text, when)


def _dated_to(topic: str, when: str, *, moved: bool = False) -> Iterator[Fact]:
    bare = DATE_ENDS.sub("", topic) or topic
    if not facets(when):
        return
    if bare.endswith(lex.DEADLINES):
        yield Fact(due(bare), "due_moved" if moved else "deadline", when)
    else:
        yield Fact(bare, "moved" if moved else "schedule", when)


def due(topic: str) -> str:
    """Return what is due: 보고서 마감일 is the deadline of 보고서."""
    return (
        re.sub(r"\s?(?:마감일|마감|제출 ?기한|제출일|제출|기한|데드라인|납기일|납기)$", "", topic)
        or topic
    )


def of_which(clause: KoreanClause, event: str) -> str:
    """Return an event with the words before it that say which one is meant: 다음 주 회의."""
    first = next((e for e in clause.phrases if not e.me), None)
    known = first and first.time and not first.part and is_occasion(first.text)
    return f"{first.text} {event}" if first and known else event


# 취소했다가 다시 잡았어, 취소했었는데: what was cancelled stands again.
_UNDONE: Final = re.compile(r"다가$|[했됐]었")


def _cancelled(clause: KoreanClause, scene: KoreanScene) -> Iterator[Fact]:
    if {"취소하", "취소되"} & set(clause.stems):
        thing = clause.first("가", "를") or clause.first("는") or clause.first("")
        if thing and not thing.tangled and not thing.me:
            yield Fact(scene.me, "plans", f"{clause.time()} {thing.text}".strip(), denied=True)
            # 화요일 회의 is the one of Tuesday; 화요일에 may be when it was cancelled.
            which = " ".join(each.text for each in clause.phrases if each.time and not each.part)
            if {"day", "date"} & dict(facets(which)).keys():
                yield Fact(thing.text, "schedule", which, denied=True)


def _renewed(
    clause: KoreanClause, scene: KoreanScene, topic: Phrase | None, about: str, value: str
) -> Iterator[Fact]:
    """Say what took the new value, by what it is called."""
    stems = set(clause.stems)
    if not about:
        yield from _went_over(clause, scene, value)
        return
    whose, who, about = _owned(clause, scene, about, value)
    owned = f"{whose} {about}".strip()
    last = about.split()[-1]
    if topic and topic.verb == "좋아하":
        yield Fact(scene.me, "", value, said=f"가장 좋아하는 {about}")
    elif about.split()[0] in _BETTER:
        _, _, kind = about.partition(" ")
        yield Fact(scene.me, "", value, said=f"가장 좋아하는 {kind}" if kind else "최애")
    elif about.endswith("이름") or last in ("닉네임", "별명", "닉"):
        yield _name(owned, value, who)
    elif about.endswith("버전"):
        yield Fact(_subject_of_version(owned), "version", value)
    elif last in _LIVES:
        yield Fact(who, _LIVES[last], value)
    elif last in lex.PREMISES and stems & {"옮기", "이전하", "옮겨지"}:
        yield Fact(owned, "located", value)
    elif "응원팀" in about or (about == "팀" and "갈아타" in stems):
        yield Fact(who, "supports", value)
    elif last in lex.DEVICES and not _is_colour(value):
        yield Fact(who, "", value, said=about)
    else:
        yield from _served(clause, scene, about, value, whose, who)


_ONES_OWN: Final = frozenset(("은행", "통신사", "요금제"))


def _owned(
    clause: KoreanClause, scene: KoreanScene, about: str, value: str
) -> tuple[str, str, str]:
    """Return whose it is, if a relative or friend is named, who changed it, and what changed.

    Whoever advised it (친구 추천으로) stands not beside the thing and owns nothing.
    """
    _, after, thing = about.rpartition("따라 ")
    advised = bool(after) or "덕분" in clause.adverbs
    first, _, rest = thing.partition(" ")
    if rest and (whose := scene.who(Phrase(first, ""))):
        return whose, whose, rest
    told = [each for each in clause.phrases if not each.time]
    at = next((n for n, e in enumerate(told) if f"{e.text} ".startswith(f"{about} ")), 0)
    if told[at].mine:
        return "", scene.me, thing
    if at and not (told[at - 1].part or advised) and (whose := scene.who(told[at - 1])):
        return whose, whose, thing
    by = next(filter(None, (scene.who(each) for each in told if each.part in ("는", "가"))), "")
    if by and (is_tool(value) or thing in _ONES_OWN):
        return by, by, thing
    named = advised or any(not each.part and scene.who(each) for each in told)
    return "", by or (scene.me if named else scene.subject), thing


_LIVES: Final = {
    "회사": "works_at",
    "직장": "works_at",
    "일자리": "works_at",
    "직업": "job",
    "진로": "job",
    "집": "moved_to",
    "거처": "moved_to",
}


def _went_over(clause: KoreanClause, scene: KoreanScene, value: str) -> Iterator[Fact]:
    """Say where someone went over to, if nothing is named that changed: 맥으로 넘어왔어."""
    stems = set(clause.stems)
    source = clause.first("에서", "말고")
    if value in PLACES and stems & {"옮기", "넘어가", "넘어오", "가", "바꾸"}:
        yield Fact(scene.subject, "moved_to", value)
    elif stems & {"옮기", "이직하", "발령나", "이동하"} and _ORGANISATION.search(value):
        yield Fact(scene.subject, "works_at", value)
    elif value.split()[-1] in lex.JOBS:
        yield Fact(scene.subject, "job", value)
    elif "옮기" in stems and scene.subject != scene.me and not is_tool(value):
        yield Fact(scene.subject, "works_at", value)
    elif stems & lex.SWITCHES - {"가"} or (clause.mood == "decided" and "가" in stems):
        yield Fact(scene.subject, "switched_to", value)
        if source and not source.tangled:
            yield Fact(scene.subject, "uses", source.text, denied=True)


def _served(
    clause: KoreanClause, scene: KoreanScene, about: str, value: str, whose: str, who: str
) -> Iterator[Fact]:
    """Tell a tool that took another's place from a property that took another value."""
    stems = set(clause.stems)
    counted = _QUANTITY.fullmatch(value)
    moved = stems & {"갈아타", "옮기", "넘어가", "전환하", "이전하"}
    swapped = stems & {"바꾸", "교체하", "넘어오"} and not is_attribute(about) and not counted
    if "가" in stems and clause.mood == "decided":
        yield Fact(who, "", value, said=f"{purpose_of(about)} 도구")
    elif moved or swapped or about.endswith(lex.TOOL_ENDS):
        yield Fact(who, "", value, said=f"{purpose_of(about)} 도구")
        yield Fact(who, "switched_to", value)
    elif counted or not stems & {"되", "가", "올라가", "내려가", "갈"}:
        yield Fact(f"{whose} {about}".strip(), "changed_to", value)
        if is_tool(value) and not whose:
            yield Fact(scene.me, "switched_to", value)


_ORGANISATION: Final = re.compile(
    r"(?:회사|기업|은행|병원|학교|스타트업|연구소|공사|전자|그룹|팀|부서|업체)$"
)


def _is_colour(text: str) -> bool:
    return text.endswith(("색", "하얀색", "빨강", "파랑", "노랑", "검정"))


def _name(about: str, value: str, who: str) -> Fact:
    """Name what has the name: 고양이 이름, 내 이름."""
    kind = "name" if about.endswith("이름") else "nickname"
    owner = re.sub(r"\s?(?:이름|닉네임|별명|닉)$", "", about)
    return Fact(owner or who, kind, value)


def purpose_of(about: str) -> str:
    """Return what a tool is for: 메모 앱 is for 메모."""
    for ending in lex.TOOL_ENDS:
        if about.endswith(ending) and len(about) > len(ending):
            return about.removesuffix(ending).strip()
    return about


_KEEPS: Final = frozenset(str.split("적 쓰 정리하 관리하 기록하 저장하 작성하 보관하 백업하 올리"))


def recorded(clause: KoreanClause, scene: KoreanScene) -> Iterator[Fact]:
    """메모는 노션에 적어, 가계부는 엑셀로 쓰고 있어: what a purpose is served with."""
    stems = set(clause.stems)
    if (
        not stems & lex.RECORDS
        or clause.past
        or clause.mood not in ("told", "and", "but", "decided")
    ):
        return
    if scene.denied(clause):
        return
    tool = clause.first("로") or (clause.first("에", "에다") if stems & _KEEPS else None)
    inside = clause.first("에서")
    if tool is None and inside and is_tool(inside.text):
        tool = inside
    purpose = clause.first("는", "를") or clause.first("")
    if tool and not purpose and scene.fresh(clause) and not _manner(tool.text):
        yield Fact(scene.subject, "switched_to", tool.text)
    if tool is None or purpose is None or tool is purpose or tool.tangled:
        return
    if purpose.tangled or scene.is_person(purpose) or tool.time or _manner(tool.text):
        return
    about = purpose_of(purpose.text)
    yield Fact(scene.subject, "", tool.text, said=f"{about} 도구")
    fresh = scene.fresh(clause)
    yield Fact(scene.subject, "switched_to" if fresh else "uses", tool.text)


def _manner(text: str) -> bool:
    return text.endswith(
        ("것", "식", "말", "번", "방법", "정도", "기준", "이유", "때문", "위주", "집")
    ) or bool(facets(text))

"""Korean clauses on tastes: likes, preferences, standing wishes, the team one supports."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from saegim.language.claims__timetable import facets
from saegim.language.ko import lexicon as lex
from saegim.language.ko.clauses__phrases import Clause, Phrase
from saegim.language.ko.scene import Scene
from saegim.language.predicates__facts import Fact
from saegim.memory.late import late

_SHORTLY: Final = {
    "짧": "짧은",
    "간단": "짧은",
    "간결": "짧은",
    "길": "긴",
    "자세": "자세한",
    "상세": "자세한",
}
_SPEECH: Final = late(r"문어체|구어체|한국어|한글|영어|일본어|표|이모지")


def asked_for(clause: Clause, scene: Scene) -> Iterator[Fact]:
    """Take a standing wish as a preference: 앞으로 회의는 오후에 잡아 줘, 답변은 짧게 해 줘."""
    way = clause.first("로")
    if way and way.text in ("반말", "존댓말", "경어", "문어체", "구어체"):
        yield Fact(scene.me, "prefers", way.text, denied=scene.denied(clause))
        return
    reply = clause.first("는", "를", "")
    if reply and way and reply.text in ("연락", "답장", "회신", "알림", "보고", "공유", "소통"):
        yield Fact(scene.me, "prefers", way.text)
        return
    if "그만" in clause.adverbs and reply and not reply.tangled:
        yield Fact(scene.me, "likes", reply.text, denied=True)
        return
    if reply and reply.text in _REPLIES and (shown := _manner(clause)):
        yield Fact(scene.me, "prefers", f"{shown} {reply.text}")
        return
    thing = clause.first("를", "", "는")
    if thing and thing.text in _MARKS and {"쓰", "사용하", "넣", "붙이", "달"} & set(clause.stems):
        yield Fact(scene.me, "prefers", thing.text, denied=scene.denied(clause))
        return
    spoken = clause.first("는")
    if way and spoken and _SPEECH.fullmatch(way.text):
        yield Fact(scene.me, "", way.text, said=f"{spoken.text.split()[-1]} 선호")
        return
    if not clause.adverbs & {"이제", "새로", "매일"}:
        return
    topic = clause.first("는", "를", "가", "")
    when = clause.time()
    instead = clause.first("말고")
    if way and instead and not way.tangled:
        yield Fact(scene.me, "prefers", way.text)
        yield Fact(scene.me, "prefers", instead.text, denied=True)
        return
    if way and topic and _SPEECH.fullmatch(way.text):
        yield Fact(scene.me, "", way.text, said=f"{topic.text.split()[-1]} 선호")
        return
    if topic and not topic.me and facets(when):
        yield Fact(scene.me, "", when, said=f"{topic.text} 선호 시간")
        return
    if way and _SPEECH.fullmatch(way.text):
        yield Fact(scene.me, "prefers", way.text, denied=scene.denied(clause))
        return
    if topic and (shown := _manner(clause)):
        yield Fact(scene.me, "prefers", f"{shown} {topic.text}")


_MARKS: Final = frozenset(str.split("이모지 이모티콘 느낌표 불릿 볼드 존댓말 반말"))
_REPLIES: Final = frozenset(str.split("답변 답장 답 설명 말 글 문장 요약 대답 코드"))


def _manner(clause: Clause) -> str:
    """Return 짧은 for 짧게, 간단히 and the like; "" if no manner is asked for."""
    for each in clause.phrases:
        for opening, shown in _SHORTLY.items():
            if each.text.startswith(opening) and (
                each.part == "게" or each.text.endswith(("히", "게"))
            ):
                return shown
    return ""


def supports(clause: Clause, scene: Scene) -> Iterator[Fact]:
    """한화 응원해, 이제 엘지 팬 하기로 했어."""
    fan = clause.first("", "를")
    if fan and fan.text.endswith(" 팬") and {"하", "되"} & set(clause.stems):
        yield Fact(scene.subject, "supports", fan.text.removesuffix(" 팬"))
    if "응원하" in clause.stems and not clause.past:
        for object in scene.objects(clause):
            yield Fact(scene.subject, "supports", object, denied=scene.denied(clause))


def likes(clause: Clause, scene: Scene) -> Iterator[Fact]:
    """커피 좋아해, 고수를 싫어해, 파이썬보다 러스트를 좋아해, 재즈에 빠졌어."""
    stem = next((each for each in clause.stems if each in lex.LIKES), "")
    hooked = "빠지" in clause.stems and clause.first("에") is not None
    if not stem and "선호하" not in clause.stems and not hooked:
        return
    if hooked:
        thing = clause.first("에")
        if thing and not thing.tangled and clause.past:
            yield Fact(scene.subject, "likes", thing.text)
        return
    if (
        clause.past
        and not clause.became
        and "예전에" not in clause.adverbs
        and "빠지" not in clause.stems
    ):
        return
    denied = (lex.LIKES.get(stem, False)) is not (
        scene.denied(clause) or (clause.past and stem != "")
    )
    fallback = [scene.object] if scene.object and scene.fresh(clause) else []
    who = scene.actor(clause) if clause.first("를") else scene.subject
    for object in scene.objects(clause) or fallback:
        if (timed := _TIMED.match(object)) and not denied:
            yield Fact(who, "", timed[1], said=f"{timed[2]} 선호 시간")
            continue
        than = clause.first("보다", "말고")
        if than and not denied:
            yield Fact(who, "prefers", object)
            yield Fact(who, "prefers", than.text, denied=True)
        elif (
            "제일" in clause.adverbs
            and (topic := clause.first("는"))
            and not topic.me
            and topic.text != object
        ):
            yield Fact(scene.subject, "", object, said=f"가장 좋아하는 {topic.text}")
        else:
            yield Fact(
                who, "prefers" if "선호하" in clause.stems else "likes", object, denied=denied
            )


_PLEASES: Final = {
    "좋": False,
    "편하": False,
    "낫": False,
    "맞": False,
    "끌리": False,
    "땡기": False,
    "싫": True,
    "불편하": True,
    "당기": False,
    "질리": True,
    "물리": True,
    "좋아지": False,
    "싫어지": True,
    "편해지": False,
}


_CONDITIONS: Final = frozenset(
    str.split("날씨 기분 컨디션 몸 상태 분위기 공기 사이 경기 성적 속 머리")
)
_TIMED: Final = late(
    r"(아침|저녁|오전|오후|밤|새벽|주말|평일)에 (?:.* )?([가-힣]+)(?:하는|가는|먹는|보는) 것"
)
_WAY: Final = late(
    r"(문어체|구어체|표|글|목록|반말|존댓말|영어|한국어|한글|문자|전화|이메일|예시|코드|그림)"
    r"(?:으로|로) .*것"
)


def pleases(clause: Clause, scene: Scene) -> Iterator[Fact]:
    """나는 X가 좋아, 전화보다 문자가 편해요, 회의는 오전에 하는 게 좋아요."""
    stem = next((each for each in clause.stems if each in _PLEASES), "")
    if not stem or (clause.past and stem not in ("질리", "물리", "좋아지", "싫어지", "싫")):
        return
    thing = clause.first("가") or (clause.first("에") if stem in ("질리", "물리") else None)
    than = clause.first("보다")
    topic = clause.first("는")
    if thing is None:
        thing = topic or clause.first("")
        topic = None
    season = next((e for e in clause.phrases if e.time and e.text in lex.KINDS_OF), None)
    if thing is None and season:
        thing = replace(season, time=False)
    if thing is None and scene.object and stem in ("질리", "물리", "좋아지", "싫어지"):
        thing = Phrase(scene.object, "가")
    person = thing is not None and scene.is_person(thing) and thing.text not in lex.PETS
    if thing is None or thing.tangled or person or thing.text in _CONDITIONS:
        return
    named = any(each.me for each in clause.phrases) or than or thing.text.endswith(" 것")
    named = named or scene.fresh(clause)
    if not (
        named
        or clause.adverbs & {"더", "제일"}
        or stem in ("질리", "물리", "싫", "싫어지", "좋아지")
    ):
        return
    denied = _PLEASES[stem] is not scene.denied(clause)
    when = facets(thing.text)
    kind = lex.KINDS_OF.get(thing.text) or ("색" if thing.text.endswith("색") else "")
    if kind and not denied and ("제일" in clause.adverbs or than):
        yield Fact(scene.me, "", thing.text, said=f"가장 좋아하는 {kind}")
        return
    if (timed := _TIMED.match(thing.text)) and not denied and not than:
        yield Fact(scene.me, "", timed[1], said=f"{timed[2]} 선호 시간")
        return
    if (way := _WAY.match(thing.text)) and not than:
        yield Fact(scene.me, "prefers", way[1], denied=denied)
        return
    shown = next((_SHORTLY[each] for each in _SHORTLY if thing.text.startswith(each)), "")
    if topic and shown and thing.text.endswith(" 것") and not denied:
        yield Fact(scene.me, "prefers", f"{shown} {topic.text}")
        return
    if topic and not topic.me and when and not denied:
        yield Fact(
            scene.me, "", thing.text.split()[0].removesuffix("에"), said=f"{topic.text} 선호 시간"
        )
    elif than:
        yield Fact(scene.me, "prefers", thing.text, denied=denied)
        yield Fact(scene.me, "prefers", than.text, denied=not denied)
    else:
        yield Fact(
            scene.me,
            "prefers" if stem in ("편하", "낫") or "더" in clause.adverbs else "likes",
            thing.text,
            denied=denied,
        )

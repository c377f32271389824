"""Korean clauses on what people have, use, like and do, and where they live and work."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from saegim.language.claims import Fact, facets
from saegim.language.ko import lexicon as lex
from saegim.language.ko.clauses import KoreanClause, Phrase
from saegim.language.ko.facts_changing import divided, purpose_of
from saegim.language.ko.scene import KoreanScene
from saegim.language.names import PLACES
from saegim.language.word_lists import read_lists

_LISTS: Final = read_lists("ko/facts_having")

_REGULAR: Final = frozenset(("매일", "요즘", "이제"))


def has(clause: KoreanClause, scene: KoreanScene) -> Iterator[Fact]:
    """X가 있어, 없어, 키워, 샀어, 팔았어; 알레르기가 있어; 회사는 판교에 있어."""
    stems = set(clause.stems)
    if stems & {"있", "없", "생기", "없어지", "계시"} and not clause.ongoing:
        yield from _there_is(clause, scene)
        return
    given = clause.first("를", "")
    handed = (
        stems & {"주", "보내"}
        and clause.past
        and given
        and (given.text in lex.PETS or given.text in lex.DEVICES)
    )
    if (
        handed
        and (clause.first("에", "에게") or any(scene.is_person(e) for e in clause.phrases))
        and given
    ):
        yield Fact(scene.me, "gave_up", given.text)
        return
    if stems & {"늘", "늘어나", "줄", "줄어들"} and clause.past and clause.count:
        yield from (
            Fact(scene.subject, "has", f"{e} {clause.count}") for e in scene.objects(clause)
        )
        return
    owns = next((lex.OWNS[each] for each in clause.stems if each in lex.OWNS), "")
    gone, got = stems & lex.LOST, stems & lex.GOT
    if not (owns or gone or got) or (clause.past and owns):
        return
    if (gone or got) and not (clause.past or clause.mood in ("and", "but")):
        return
    if got and "더" in clause.adverbs and clause.count:
        clause.count += " 더"
    left = clause.first("에") if gone else None
    sold = [left.text.rsplit(" ", 1)[0]] if left and " " in left.text else []
    for object in scene.objects(clause) or sold:
        if gone and "버리" in stems and object.split()[-1] not in lex.DEVICES:
            continue
        counted = f"{object} {scene.count(clause)}".strip()
        name = owns or ("keeps" if stems & lex.ADOPTED else "bought" if got else "gave_up")
        lost = bool(stems & {"잃어버리", "분실하", "도난당하"})
        who = scene.actor(clause) if clause.first("를") else scene.subject
        yield Fact(who, "has" if lost else name, counted, denied=lost or scene.denied(clause))


def _there_is(clause: KoreanClause, scene: KoreanScene) -> Iterator[Fact]:
    """X가 있어, 없어, 생겼어: where something is, or that someone has it."""
    stems = set(clause.stems)
    absent = bool({"없", "없어지"} & stems) is not scene.denied(clause)
    turned = {"생기", "없어지"} & stems
    if clause.past is not bool(turned) and not (turned and "없어지" in stems):
        return
    where = clause.first("에", "에서")
    where = None if where and where.text == "집" else where
    if where and (found := list(_placed(clause, scene, where, absent))):
        yield from found
        return
    topic, owner = clause.first("는"), clause.first("가")
    thing = clause.first("가", "를") or clause.first("도") or clause.first("") or topic
    bare = clause.first("")
    if owner and bare and clause.phrases.index(owner) < clause.phrases.index(bare):
        if not any(each.me for each in clause.phrases):
            scene.subject = scene.who(owner) or owner.text  # 태오가 견과류 알레르기 있어
        thing = bare
    if thing is None or thing.tangled or thing.text.endswith(" 것") or "잘" in clause.adverbs:
        return
    text = thing.text.removeprefix("집 ")  # 우리 집 정수기 있어
    yield from _owned(clause, scene, text, where, absent)


def _placed(
    clause: KoreanClause, scene: KoreanScene, where: Phrase, absent: bool
) -> Iterator[Fact]:
    """회사는 판교에 있어, 학원이 2층에 있어요, 동생은 일본에 있어."""
    site, place = divided(where.text)
    topic = clause.first("는")
    thing = clause.first("가", "를") or clause.first("도") or clause.first("")
    if topic is None and thing and scene.is_person(thing) and thing.text not in lex.PETS:
        topic, thing = thing, None
    if absent:
        return
    if site.endswith(lex.PREMISES) and place:
        yield Fact(site, "located", place)
    elif thing and thing.text.endswith(lex.PREMISES):
        yield Fact(thing.text, "located", where.text)
    elif thing or topic is None or topic.tangled:
        return
    elif where.text == "군대":
        yield Fact(scene.who(topic) or topic.text, "job", "군인")
    elif not (scene.is_person(topic) and where.text in ("회사", "밖", "학교")):
        lives = scene.is_person(topic) and where.text in PLACES
        name = "lives_in" if lives else "located"
        yield Fact(scene.who(topic) or topic.text, name, where.text)


_FAULTS: Final = frozenset(str.split("오류 버그 에러 장애 이슈 문제"))
_PARTNERS: Final = frozenset(str.split("여자친구 남자친구 여친 남친 애인"))


def _owned(
    clause: KoreanClause, scene: KoreanScene, text: str, where: Phrase | None, absent: bool
) -> Iterator[Fact]:
    """Tell apart an allergy, an appointment, a fault, a partner and a thing one has."""
    before, _, last = text.rpartition(" ")
    source = clause.first("에", "한테")
    when = clause.time()
    if last in _FAULTS and before:
        yield Fact(text, "state", "완료" if absent else "미완료")
    elif last in ("알레르기", "알러지"):
        allergen = before or (source.text if source else "")
        yield Fact(scene.subject, "allergic", allergen, denied=absent)
    elif text.endswith(lex.EVENTS):
        if facets(when) and not absent:
            yield Fact(text, "schedule", when)
    elif not where and last not in lex.NOT_OWNED and (len(text) > 1 or text in "차개딸형집"):
        if last in _PARTNERS:
            yield Fact(scene.subject, "status", "솔로" if absent else "연애 중")
        yield Fact(scene.subject, "has", f"{text} {scene.count(clause)}".strip(), denied=absent)


def uses(clause: KoreanClause, scene: KoreanScene) -> Iterator[Fact]:
    """파이썬 써, 에디터는 빔 써, 크롬 말고 파이어폭스 써."""
    if not lex.USES & set(clause.stems) or clause.past:
        return
    instead = clause.first("말고")
    topic = clause.first("는")
    for object in scene.objects(clause):
        if object in lex.WRITTEN or ("쓰" in clause.stems and object.endswith(" 것")):
            continue
        denied = scene.denied(clause)
        fresh = scene.fresh(clause) or "대신" in clause.adverbs or instead
        device, model = divided(object)
        if device in lex.DEVICES and not denied:
            yield Fact(scene.subject, "", model, said=device)
            continue
        if (
            topic
            and not scene.is_person(topic)
            and topic.text != object
            and not denied
            and topic.text not in ("회사", "팀")
        ):
            yield Fact(scene.subject, "", object, said=f"{purpose_of(topic.text)} 도구")
        yield Fact(
            scene.subject, "switched_to" if fresh and not denied else "uses", object, denied=denied
        )
        if instead and not denied:
            yield Fact(scene.subject, "uses", instead.text, denied=True)


_ACTIVITY: Final = re.compile(
    "운동|요가|필라테스|수영|등산|헬스|러닝|조깅|게임|명상|다이어트|낚시|캠핑|골프|테니스|축구|농구"
    "|야구|배드민턴|재택근무|재택|산책|독서|주식|블로그|유튜브|새벽기도|간헐적 ?단식|단식|클라이밍"
    "|크로스핏|달리기|인스타|트위터|페이스북|봉사활동|알바|아르바이트|과외|부업"
)


_TONGUES: Final = _LISTS.words("tongues")


def speaks(clause: KoreanClause, scene: KoreanScene) -> Iterator[Fact]:
    """독일어 할 줄 알아, 영어랑 일본어를 해."""
    if not {"하", "말하", "구사하", "잘하"} & set(clause.stems) or clause.past:
        return
    for object in scene.objects(clause):
        if object in _TONGUES:
            yield Fact(scene.subject, "speaks", object, denied=scene.denied(clause))


def does(clause: KoreanClause, scene: KoreanScene) -> Iterator[Fact]:
    """Habits: 담배 안 피워, 매일 커피를 마셔, 요가 해; one-off things are no habits."""
    name = next((lex.HABITS[each] for each in clause.stems if each in lex.HABITS), "")
    stem = clause.stems[0]
    if stem == "채식하" and not clause.past:
        yield Fact(scene.subject, "diet", "채식", denied=scene.denied(clause))
        return
    began = clause.became or (stem == "시작하" and clause.past)
    if (clause.past and not began) or (
        clause.ongoing and not clause.adverbs & _REGULAR and name != "studies"
    ):
        return
    denied = scene.denied(clause)
    if clause.word.endswith(("다가", "더니", "던")):
        return
    if stem.endswith("하") and _ACTIVITY.fullmatch(stem[:-1]):
        yield Fact(scene.subject, "does", stem[:-1], denied=denied)
        return
    if stem == "시작하":
        name = "does"
    if not name:
        return
    if clause.first("로") and not denied:
        return
    who = scene.actor(clause) if clause.first("를") else scene.subject
    meal = next(
        (e.text for e in clause.phrases if e.time and e.text in ("아침", "점심", "저녁")), ""
    )
    if name == "eats" and meal and clause.mood == "told" and not scene.objects(clause):
        yield Fact(who, "eats", meal, denied=denied)
        return
    ended = denied and "이제" in clause.adverbs and name != "plays"
    for object in scene.objects(clause):
        if name == "does" and not _ACTIVITY.fullmatch(object):
            continue
        if (
            object.endswith((" 것", " 때")) and not (denied or "잘" in clause.adverbs)
        ) or object in ("약", "밥", "것", "잠", "때"):
            continue
        if ended and object not in ("약", "밥", "것", "잠", "때"):
            yield Fact(who, "stopped", object)
            continue
        if name == "eats" and denied and "못" in clause.adverbs:
            yield Fact(who, "cannot_eat", object)
        elif (
            name == "rides"
            and (topic := clause.first("는"))
            and topic.text in lex.DEVICES
            and not denied
        ):
            yield Fact(scene.subject, "", object, said=topic.text)
        elif (
            name in ("watches", "listens_to", "eats")
            and not denied
            and not (clause.became or clause.adverbs & (_REGULAR | {"잘"}))
        ):
            if name == "eats" and clause.first("만"):
                yield Fact(who, name, object)
        else:
            yield Fact(who, name, object, denied=denied)


# ---- Korean clauses on where people live, work and study, and what they leave.


def planned(clause: KoreanClause, scene: KoreanScene) -> Iterator[Fact]:
    """Say what someone means to do: 제주도로 이사 가기."""
    said = scene.written(clause)
    dull = {"알", "모르", "좋", "되", "맞", "힘들", "죽", "미치"} & set(clause.stems)
    if (
        said
        and not scene.denied(clause)
        and not dull
        and not re.search(r"(?:^| )것으?로", said)
        and (who := scene.actor(clause))
    ):
        yield Fact(who, "plans", said)


def lives(clause: KoreanClause, scene: KoreanScene) -> Iterator[Fact]:
    """수원 살아, 부모님은 대전에 계셔."""
    stems = set(clause.stems)
    at = clause.first("에서", "에")
    stays = stems & {"계시", "지내"} and (scene.subject != scene.me or (at and at.text in PLACES))
    if not (stems & {"살", "거주하", "자취하"} or stays):
        return
    place = scene.place(clause)
    if not place or (clause.past and not clause.became):
        return
    yield Fact(scene.actor(clause), "lives_in", place, denied=scene.denied(clause))


_HOUSED: Final = re.compile("집$|거처|사무실|본사|가게|매장|지점|공장|회사$")
_HIRED: Final = {"회사": "회사원"}
_TRAVELS: Final = _LISTS.words("travels")


def moves(clause: KoreanClause, scene: KoreanScene) -> Iterator[Fact]:
    """이사했어, 아예 여수로 내려가셨어, 사무실을 판교로 옮겼어."""
    stems = set(clause.stems)
    bare = [each.text for each in clause.phrases if each.text and not each.time]
    packing = any(each.split()[-1] in ("이사", "이민") for each in bare) and stems & {
        "가",
        "오",
        "하",
    }
    if not (stems & lex.MOVES or packing):
        return
    goal = clause.first("로") or clause.first("에")
    goal = goal or (clause.first("") if stems & {"들어가", "들어오"} else None)
    if "귀국하" in stems and clause.past:
        yield Fact(scene.subject, "moved_to", "한국")
        return
    vague = stems & _TRAVELS and (scene.subject == scene.me or "들어가" in stems)
    if goal and goal.tangled:
        return
    source = clause.first("에서")
    left = source or clause.first("를", "")
    done = clause.past or clause.word.endswith("서")
    if (
        goal is None
        and left
        and stems & {"돌아오", "떠나", "나오", "나가"}
        and done
        and not left.tangled
    ):
        if left.text in PLACES:
            yield Fact(scene.actor(clause), "lives_in", left.text, denied=True)
        elif left.text.endswith(("기숙사", "고시원", "요양원", "자취방", "하숙집", "본가")):
            yield Fact(scene.actor(clause), "located", left.text, denied=True)
        return
    if goal is None:
        return
    if vague and not scene.fresh(clause) and goal.text not in ("본가", "부모님 집"):
        return
    home = clause.first("를", "는")
    if stems & {"옮기", "이전하"} and not (home and _HOUSED.search(home.text)):
        return
    if not clause.past and not clause.word.endswith("서"):
        yield from planned(clause, scene)
        return
    place = goal.text.removesuffix(" 이사")
    about, floor = divided(place)
    if about.endswith(lex.PREMISES):
        yield Fact(about, "located", floor)
        return
    housed = clause.first("가")
    home = housed if housed and housed.text.endswith(lex.PREMISES) else home
    thing = home if home and not home.me and home.text.split()[-1] != "집" else None
    if thing and not scene.is_person(thing):
        yield Fact(thing.text, "located", place)
    else:
        yield Fact(scene.subject, "moved_to", place)


def works(clause: KoreanClause, scene: KoreanScene) -> Iterator[Fact]:
    """네이버 다녀, 요리사로 일해, 카카오로 이직했어, 카페 차렸어."""
    stems = set(clause.stems)
    role = clause.first("로")
    hired = stems & lex.JOINS and (clause.past or scene.fresh(clause))
    if hired and role and role.text.split()[-1] in lex.JOBS:
        yield Fact(scene.subject, "job", role.text)
        role = None
    elif hired and stems & {"취업하", "취직하"} and not scene.things(clause):
        yield Fact(scene.subject, "job", "무직", denied=True)
    at = clause.first("에서", "에") or clause.first("를", "") or (role if hired else None)
    if hired and role:
        at = role
    if stems & {"일하", "근무하", "활동하"} and role and not clause.past:
        yield Fact(scene.subject, "job", role.text, denied=scene.over(clause))
    part_time = clause.first("를", "")
    began = stems & {"시작하"} and clause.past and part_time and part_time.text.endswith("알바")
    if (stems & {"알바하", "아르바이트하"} and not clause.past) or began:
        inside = clause.first("에서")
        place = part_time.text.removesuffix("알바").strip() if part_time else ""
        place = inside.text if inside and not place else place
        yield Fact(scene.subject, "job", f"{place} 알바".strip())
        return
    if stems & {"가르치"} and not clause.past:
        yield Fact(scene.subject, "job", "교사")
    if at is None or at.tangled or at.time:
        return
    where = at.text
    if stems & {"다니"} and not clause.past:
        yield from _goes(clause, scene, where)
    elif stems & {"근무하", "일하", "재직하", "가르치"} and at.part != "로" and not clause.past:
        if (
            at.part in ("에서", "에", "")
            and where not in ("집", "재택", "밤", "혼자")
            and where.removesuffix("시") not in PLACES
        ):
            yield Fact(scene.subject, "works_at", where, denied=scene.denied(clause))
    elif (
        at.part == "에서"
        and not clause.past
        and _WORKS_THERE.search(where)
        and clause.stems[0].endswith("하")
    ) or (stems & lex.JOINS and clause.past and "옮기" not in stems):
        yield Fact(
            scene.subject, "job" if where == "회사" else "works_at", _HIRED.get(where, where)
        )
    elif stems & lex.OPENS and (clause.past or "운영하" in stems) and _is_shop(where):
        yield Fact(scene.subject, "works_at", where)
        yield Fact(scene.subject, "job", f"{where} 운영")


_WORKS_THERE: Final = re.compile(r"(?:회사|기업|스타트업|은행|병원|연구소|공장|대학교|전자|그룹)$")


_SHOP: Final = re.compile(
    r".*(?:가게|카페|식당|학원|빵집|서점|회사|공방|꽃집|미용실|병원|의원|스튜디오|사무실|샵|집|점|펜션|농장|스타트업|사업)"
)


def _is_shop(text: str) -> bool:
    return _SHOP.fullmatch(text) is not None


def _goes(clause: KoreanClause, scene: KoreanScene, where: str) -> Iterator[Fact]:
    """Tell apart work, school and lessons after 다니다: 헬스장은 스포애니 다녀 is no work."""
    last = where.split()[-1]
    denied = scene.denied(clause)
    kind, name = _kind_of(clause, scene, where)
    if kind in _ONE_EACH and not (denied or clause.first("도")):
        yield Fact(scene.subject, "", name, said=kind)
    if last in lex.LESSONS or last.endswith(("학원", "헬스장", "요가", "병원")):
        yield Fact(scene.subject, "attends", where, denied=denied)
    elif last.endswith(lex.SCHOOLS) and not last.endswith("회사"):
        yield Fact(scene.subject, "studies_at", where, denied=denied)
    elif _ATTENDED.fullmatch(kind):
        school = kind.endswith(_WHOLE_SCHOOLS)
        yield Fact(scene.subject, "studies_at" if school else "attends", where, denied=denied)
    elif last in ("회사", "직장"):
        yield Fact(scene.subject, "job", "회사원", denied=denied)
    elif last != "여행":
        yield Fact(scene.subject, "works_at", where, denied=denied)


def _kind_of(clause: KoreanClause, scene: KoreanScene, where: str) -> tuple[str, str]:
    """Return what kind of place it is, if it is said, and its name: 헬스장은 북문짐."""
    topic = clause.first("는", "도")
    if topic and not scene.is_person(topic):
        return topic.text.split()[-1], where
    kind, _, name = where.partition(" ")
    return (kind, name) if name and kind in _ONE_EACH else ("", where)


_WHOLE_SCHOOLS: Final = tuple(each for each in lex.SCHOOLS if len(each) > 1)
# Only what is surely no workplace: 최근에는, 사실은 and 서울에서는 say nothing of the place.
_ATTENDED: Final = re.compile(
    rf".*(?:{'|'.join(each for each in lex.LESSONS if len(each) > 1)}|{'|'.join(_WHOLE_SCHOOLS)}"
    "|[내외안]과|피부과|산부인과|소아과|후과|의원|약국|마트|식당|가게|단골집)|절"
)
# People go to one of these at a time.
_ONE_EACH: Final = frozenset(str.split("헬스장 미용실 치과 교회 성당"))


_TICKETS: Final = frozenset(str.split("비행기 표 티켓 기차 영수증 전화 비행기표 기차표"))


def leaves(clause: KoreanClause, scene: KoreanScene) -> Iterator[Fact]:
    """퇴사했어, 교사 그만두고, 학교 졸업했어, 커피 끊었어, 스키 접었어."""
    stems = set(clause.stems)
    if clause.mood not in ("told", "and", "but", "decided"):
        return
    done = clause.past or clause.mood in ("and", "decided") or clause.ongoing
    object = clause.first("를", "에서", "에", "", "는", "가")
    if object is None or object.me:
        object = Phrase(scene.object, "를") if scene.object else None
    if stems & {"전역하", "제대하"} and clause.past:
        yield Fact(scene.subject, "job", "군인", denied=True)
        return
    if clause.stems[0].endswith(("은퇴하", "퇴직하")) and clause.past:
        yield Fact(scene.subject, "job", "은퇴")
        yield Fact(scene.subject, "works_at", "직장", denied=True)
        return
    if stems & {"퇴사하", "사직하", "잘리", "해고되", "해고당하"} and done and object is None:
        yield Fact(scene.subject, "works_at", "직장", denied=True)
        return
    if stems & lex.LEAVES and done and object and object.text == "일":
        yield Fact(scene.subject, "works_at", "직장", denied=True)
        yield Fact(scene.subject, "job", "일", denied=True)
        return
    if not done or object is None or object.tangled or scene.is_person(object):
        return
    last = object.text.split()[-1]
    if stems & {"졸업하", "자퇴하", "중퇴하"} and last.endswith(lex.SCHOOLS):
        yield Fact(scene.subject, "studies_at", object.text, denied=True)
    elif stems & lex.LEAVES and last in ("알바", "아르바이트"):
        yield Fact(scene.subject, "job", object.text, denied=True)
    elif stems & lex.LEAVES and last in lex.JOBS:
        yield Fact(scene.subject, "job", last, denied=True)
    elif stems & {"퇴사하", "퇴직하", "사직하", "잘리", "해고되", "해고당하"} or (
        stems & (lex.LEAVES | {"접", "닫", "폐업하"}) and last.endswith(lex.WORKPLACES)
    ):
        yield Fact(scene.subject, "works_at", object.text, denied=True)
        yield Fact(scene.subject, "job", object.text, denied=True)
    elif "끊" in stems and last in _TICKETS:
        return
    elif stems & lex.STOPS and not scene.denied(clause):
        yield Fact(scene.subject, "stopped", object.text)


# ---- Korean clauses on tastes: likes, preferences, standing wishes, the team one supports.

_SHORTLY: Final = {
    "짧": "짧은",
    "간단": "짧은",
    "간결": "짧은",
    "길": "긴",
    "자세": "자세한",
    "상세": "자세한",
}
_SPEECH: Final = re.compile(r"문어체|구어체|한국어|한글|영어|일본어|표|이모지")


def asked_for(clause: KoreanClause, scene: KoreanScene) -> Iterator[Fact]:
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


def _manner(clause: KoreanClause) -> str:
    """Return 짧은 for 짧게, 간단히 and the like; "" if no manner is asked for."""
    for each in clause.phrases:
        for opening, shown in _SHORTLY.items():
            if each.text.startswith(opening) and (
                each.part == "게" or each.text.endswith(("히", "게"))
            ):
                return shown
    return ""


def supports(clause: KoreanClause, scene: KoreanScene) -> Iterator[Fact]:
    """한화 응원해, 이제 엘지 팬 하기로 했어."""
    fan = clause.first("", "를")
    if fan and fan.text.endswith(" 팬") and {"하", "되"} & set(clause.stems):
        yield Fact(scene.subject, "supports", fan.text.removesuffix(" 팬"))
    if "응원하" in clause.stems and not clause.past:
        for object in scene.objects(clause):
            yield Fact(scene.subject, "supports", object, denied=scene.denied(clause))


def likes(clause: KoreanClause, scene: KoreanScene) -> Iterator[Fact]:
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


_CONDITIONS: Final = _LISTS.words("conditions")
_TIMED: Final = re.compile(
    r"(아침|저녁|오전|오후|밤|새벽|주말|평일)에 (?:.* )?([가-힣]+)(?:하는|가는|먹는|보는) 것"
)
_WAY: Final = re.compile(
    r"(문어체|구어체|표|글|목록|반말|존댓말|영어|한국어|한글|문자|전화|이메일|예시|코드|그림)"
    r"(?:으로|로) .*것"
)


def pleases(clause: KoreanClause, scene: KoreanScene) -> Iterator[Fact]:
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

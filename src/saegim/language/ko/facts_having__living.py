"""Korean clauses on where people live, work and study, and what they leave."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from saegim.language.ko import lexicon as lex
from saegim.language.ko.clauses__phrases import Clause, Phrase
from saegim.language.ko.facts_changing import divided
from saegim.language.ko.scene import Scene
from saegim.language.names import PLACES
from saegim.language.predicates__facts import Fact
from saegim.memory.late import late


def planned(clause: Clause, scene: Scene) -> Iterator[Fact]:
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


def lives(clause: Clause, scene: Scene) -> Iterator[Fact]:
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


_HOUSED: Final = late("집$|거처|사무실|본사|가게|매장|지점|공장|회사$")
_HIRED: Final = {"회사": "회사원"}
_TRAVELS: Final = frozenset(
    str.split("""내려가 올라가 넘어가 들어오 올라오 내려오 돌아오 들어가
    귀국하""")
)


def moves(clause: Clause, scene: Scene) -> Iterator[Fact]:
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


def works(clause: Clause, scene: Scene) -> Iterator[Fact]:
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


_WORKS_THERE: Final = late(r"(?:회사|기업|스타트업|은행|병원|연구소|공장|대학교|전자|그룹)$")


_SHOP: Final = late(
    r".*(?:가게|카페|식당|학원|빵집|서점|회사|공방|꽃집|미용실|병원|의원|스튜디오|사무실|샵|집|점|펜션|농장|스타트업|사업)"
)


def _is_shop(text: str) -> bool:
    return _SHOP.fullmatch(text) is not None


def _goes(clause: Clause, scene: Scene, where: str) -> Iterator[Fact]:
    """Tell apart work, school and lessons after 다니다."""
    last = where.split()[-1]
    denied = scene.denied(clause)
    if last in lex.LESSONS or last.endswith(("학원", "헬스장", "요가", "병원")):
        yield Fact(scene.subject, "attends", where, denied=denied)
    elif last.endswith(lex.SCHOOLS) and not last.endswith("회사"):
        yield Fact(scene.subject, "studies_at", where, denied=denied)
    elif last in ("회사", "직장"):
        yield Fact(scene.subject, "job", "회사원", denied=denied)
    elif last != "여행":
        yield Fact(scene.subject, "works_at", where, denied=denied)


def leaves(clause: Clause, scene: Scene) -> Iterator[Fact]:
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
    elif "끊" in stems and last in (
        "비행기",
        "표",
        "티켓",
        "기차",
        "영수증",
        "전화",
        "비행기표",
        "기차표",
    ):
        return
    elif stems & lex.STOPS and not scene.denied(clause):
        yield Fact(scene.subject, "stopped", object.text)

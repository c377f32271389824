"""Korean clauses on what people have, use and do again and again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from saegim.language.claims__timetable import facets
from saegim.language.ko import lexicon as lex
from saegim.language.ko.clauses__phrases import Clause, Phrase
from saegim.language.ko.facts_changing import divided, purpose_of
from saegim.language.ko.scene import Scene
from saegim.language.names import PLACES
from saegim.language.predicates__facts import Fact
from saegim.memory.late import late

_REGULAR: Final = frozenset(("매일", "요즘", "이제"))


def has(clause: Clause, scene: Scene) -> Iterator[Fact]:
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


def _there_is(clause: Clause, scene: Scene) -> Iterator[Fact]:
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


def _placed(clause: Clause, scene: Scene, where: Phrase, absent: bool) -> Iterator[Fact]:
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
    clause: Clause, scene: Scene, text: str, where: Phrase | None, absent: bool
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


def uses(clause: Clause, scene: Scene) -> Iterator[Fact]:
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


_ACTIVITY: Final = late(
    "운동|요가|필라테스|수영|등산|헬스|러닝|조깅|게임|명상|다이어트|낚시|캠핑|골프|테니스|축구|농구"
    "|야구|배드민턴|재택근무|재택|산책|독서|주식|블로그|유튜브|새벽기도|간헐적 ?단식|단식|클라이밍"
    "|크로스핏|달리기|인스타|트위터|페이스북|봉사활동|알바|아르바이트|과외|부업"
)


_TONGUES: Final = frozenset(
    str.split("""한국어 영어 일본어 중국어 독일어 불어 프랑스어 스페인어 러시아어 이탈리아어
    베트남어 태국어 아랍어 포르투갈어 라틴어 수어""")
)


def speaks(clause: Clause, scene: Scene) -> Iterator[Fact]:
    """독일어 할 줄 알아, 영어랑 일본어를 해."""
    if not {"하", "말하", "구사하", "잘하"} & set(clause.stems) or clause.past:
        return
    for object in scene.objects(clause):
        if object in _TONGUES:
            yield Fact(scene.subject, "speaks", object, denied=scene.denied(clause))


def does(clause: Clause, scene: Scene) -> Iterator[Fact]:
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

"""Korean clauses on what came to pass: bonds, health, things done or broken, events."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from saegim.language.claims__timetable import facets
from saegim.language.ko import lexicon as lex
from saegim.language.ko.clauses__phrases import Clause
from saegim.language.ko.scene import Scene
from saegim.language.predicates__facts import Fact


def loves(clause: Clause, scene: Scene) -> Iterator[Fact]:
    """Marriage, dating, parting."""
    stems = set(clause.stems)
    if "결혼하" in stems and scene.denied(clause) and clause.past:
        yield Fact(scene.subject, "status", "미혼")
    if clause.mood not in ("told", "and", "but") or scene.denied(clause):
        return
    begun = clause.first("를", "")
    if "시작하" in stems and clause.past and begun and begun.text == "연애":
        yield Fact(scene.subject, "status", "연애 중")
        return
    partner = clause.first("와")
    who = partner.text if partner and not partner.tangled and partner.text not in ("가족",) else ""
    happened = clause.past or clause.ongoing
    for stem, name, status, denied in _BONDS:
        if stem not in stems or not (happened or stem in ("사귀", "연애하")):
            continue
        if who and name:
            yield Fact(scene.subject, name, who, denied=denied)
        yield Fact(scene.subject, "status", status)
        return


_BONDS: Final = (
    ("결혼하", "married_to", "기혼", False),
    ("재혼하", "married_to", "기혼", False),
    ("이혼하", "married_to", "이혼", True),
    ("약혼하", "", "약혼", False),
    ("사귀", "dating", "연애 중", False),
    ("연애하", "", "연애 중", False),
    ("헤어지", "dating", "솔로", True),
    ("파혼하", "", "솔로", False),
)


_BODY: Final = frozenset(
    str.split("""허리 무릎 어깨 목 머리 배 발목 손목 팔 다리 이 눈 귀 등 발
    손 위 속 목구멍""")
)


def health(clause: Clause, scene: Scene) -> Iterator[Fact]:
    """Illness and recovery, hospital, birth and death."""
    stems = set(clause.stems)
    if stems & {"퇴원하", "입원하"} and clause.past:
        yield Fact(scene.subject, "located", "병원" if "입원하" in stems else "집")
        return
    if found := [*_died(clause, scene), *_phase(clause, scene)]:
        yield from found
        return
    hurt = clause.first("가", "")
    if stems & {"아프", "낫", "다치"} and hurt and hurt.text in _BODY:
        healed = "낫" in stems and clause.past
        yield Fact(scene.subject, "ill", hurt.text, denied=healed or scene.denied(clause))
    elif clause.stems[0][:-1] in lex.ILLNESSES and not clause.past:
        yield Fact(scene.subject, "ill", clause.stems[0][:-1])
    else:
        yield from _illness(clause, scene)


def _died(clause: Clause, scene: Scene) -> Iterator[Fact]:
    """금붕어 죽었어, 강아지가 무지개다리를 건넜어."""
    stems = set(clause.stems)
    first = [each.text.split()[0] for each in clause.phrases if each.text]
    pet = next((word for word in first if word in lex.PETS), "")
    dead = clause.first("가", "는", "")
    if not clause.past or clause.ongoing:
        return
    if "죽" in stems and dead and not scene.is_person(dead) and len(dead.text) > 1:
        yield Fact(scene.me, "has", dead.text, denied=True)
    elif pet and (
        stems & {"죽", "떠나"}
        or any(e.text.endswith(("무지개다리", "하늘나라")) for e in clause.phrases)
    ):
        yield Fact(scene.me, "has", pet, denied=True)


def _phase(clause: Clause, scene: Scene) -> Iterator[Fact]:
    """임신했어, 아기 낳았어, 휴학했어, 복직했어."""
    stems = set(clause.stems)
    baby = clause.first("를", "")
    if not clause.past:
        return
    if stems & {"임신하", "휴학하", "휴직하"}:
        yield Fact(scene.subject, "state", f"{clause.stems[0][:-1]} 중")
    elif "낳" in stems and baby and baby.text.split()[-1] in _BABIES:
        yield Fact(scene.subject, "state", "출산함")
    elif stems & {"출산하", "복학하", "복직하"}:
        yield Fact(scene.subject, "state", f"{clause.stems[0][:-1]}함")


_BABIES: Final = frozenset(str.split("아기 아이 애 딸 아들 둘째 첫째"))
_CATCHES: Final = frozenset(str.split("걸리 앓 있 심하 오 하"))
_HEALS: Final = frozenset(str.split("낫 나 회복하 완치되 없어지 없 풀 떼"))


def _illness(clause: Clause, scene: Scene) -> Iterator[Fact]:
    stems = set(clause.stems)
    for each in clause.phrases:
        last = each.text.split()[-1] if each.text else ""
        if last not in lex.ILLNESSES or each.tangled:
            continue
        if stems & _CATCHES:
            yield Fact(scene.subject, "ill", last, denied=scene.denied(clause))
        elif stems & _HEALS and (clause.past or "없" in stems):
            yield Fact(scene.subject, "ill", last, denied=True)


def state(clause: Clause, scene: Scene) -> Iterator[Fact]:
    """결제 버그 아직 못 고쳤어, 해결됐어: a thing is done, or not yet."""
    stems = set(clause.stems)
    broken = stems & lex.BROKEN and (clause.past or clause.ongoing)
    preparing = stems & {"준비하", "알아보", "기다리", "찾", "구하"} and clause.ongoing
    preparing = preparing or ("준비하" in stems and not clause.past and clause.mood == "told")
    works = (
        stems & {"되"} and not clause.past and clause.mood == "told" and clause.stems[-1] == "되"
    )
    if works and (scene.denied(clause) or scene.fresh(clause)) and (thing := scene.matter(clause)):
        if not thing.tangled and not scene.is_person(thing) and len(thing.text) > 1:
            yield Fact(thing.text, "state", "미완료" if scene.denied(clause) else "완료")
        return
    if (broken or preparing) and clause.mood in ("told", "and", "but"):
        thing = scene.matter(clause)
        if thing and not thing.tangled and not scene.is_person(thing) and len(thing.text) > 1:
            yield Fact(thing.text, "state", "미완료")
        return
    if not stems & lex.DONE or clause.mood not in ("told", "and", "but"):
        return
    thing = scene.matter(clause)
    if (
        thing is None
        or thing.me
        or thing.tangled
        or scene.is_person(thing)
        or (len(thing.text) < 2 and thing.text != "집")
    ):
        return
    waiting = (
        scene.denied(clause) and "아직" in clause.adverbs and clause.past and thing.part != "는"
    )
    if (
        not waiting
        and stems & lex.LOOSE_DONE
        and not stems & (lex.DONE - lex.LOOSE_DONE)
        and not thing.text.endswith(lex.AWAITED)
    ):
        return
    if thing.text.endswith(lex.CERTIFICATES) and clause.past and not scene.denied(clause):
        yield Fact(scene.subject, "has", thing.text)
    unfinished = scene.denied(clause) or ("아직" in clause.adverbs and not clause.past)
    if unfinished or clause.past:
        yield Fact(thing.text, "state", "미완료" if unfinished else "완료")


def held(clause: Clause, scene: Scene) -> Iterator[Fact]:
    """수업은 7시에 시작해, 배포는 수요일에 해, 월요일에 요가 가: when something takes place."""
    if not set(clause.stems) & _TAKES_PLACE or clause.past or scene.denied(clause):
        return
    when = clause.time()
    topic = clause.first("는", "가") or clause.first("를") or clause.first("")
    if not when or not topic or topic.tangled or scene.is_person(topic) or not facets(when):
        return
    if topic.text.endswith(lex.EVENTS) or (
        topic.part == "는" and set(clause.stems) & {"하", "시작하"}
    ):
        yield Fact(topic.text, "schedule", when)


_TAKES_PLACE: Final = frozenset(
    str.split("""시작하 열리 하 진행하 진행되 출발하 모이 가 있 오
    떠나 도착하""")
)


def events(clause: Clause, scene: Scene) -> Iterator[Fact]:
    """Things that happened once: met, went, learned, made, born."""
    stems = set(clause.stems)
    army = clause.first("에", "")
    if (
        stems & {"가", "입대하"}
        and clause.past
        and ((army and army.text.endswith("군대")) or "입대하" in stems)
    ):
        yield Fact(scene.subject, "job", "군인")
        return
    if "태어나" in stems and clause.past:
        place = clause.first("에서")
        if place and not place.tangled:
            yield Fact(scene.subject, "born_in", place.text)
        return
    if not clause.past or scene.denied(clause):
        return
    for stem, name, parts in _HAPPENED:
        if stem in stems:
            found = next((each for part in parts if (each := clause.first(part))), None)
            if found and not (found.me or found.tangled or found.time):
                yield Fact(scene.actor(clause), name, found.text)
            return


_HAPPENED: Final = (
    ("만나", "met", ("를", "와", "")),
    ("배우", "learned", ("를", "")),
    ("만들", "made", ("를", "")),
    ("다녀오", "went_to", ("에", "를", "")),
    ("다니", "went_to", ("에",)),
    ("방문하", "went_to", ("를", "에")),
    ("가", "went_to", ("에", "로")),
)

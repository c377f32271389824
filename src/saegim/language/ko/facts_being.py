"""What a Korean clause with 이다 or 되다 says of someone or something, and what came to pass."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from saegim.language.claims import Fact, facets
from saegim.language.ko import lexicon as lex
from saegim.language.ko.clauses import KoreanClause, Phrase
from saegim.language.ko.facts_changing import DATE_ENDS, divided, due, of_which
from saegim.language.ko.scene import KoreanScene
from saegim.language.ko.word_forms import time_word
from saegim.language.names import PLACES, is_given_name
from saegim.language.word_lists import read_lists

_LISTS: Final = read_lists("ko/facts_being")

_AGE: Final = re.compile(
    r"(?:만 )?(?:[0-9]{1,3}|[가-힣 ]{1,6}) ?(?:살|세)|[0-9]{1,2}개월"
    r"|(?:스물|서른|마흔|쉰|예순)(?:하나|둘|셋|넷|다섯|여섯|일곱|여덟|아홉)?"
)
_BIRTH_YEAR: Final = re.compile(r"([0-9]{2,4})년생")
_MBTI: Final = re.compile(r"[EI][NS][TF][JP]", re.IGNORECASE)
_COUNTED: Final = re.compile(r"(?:마리|대|채)")
_DIETS: Final = frozenset(str.split("비건 채식주의자 채식 베지테리언 페스코 락토오보"))
_STATUS: Final = frozenset(str.split("솔로 싱글 미혼 기혼 유부남 유부녀 돌싱 모태솔로 커플"))
_PLEASURE: Final = {
    "질색": True,
    "별로": True,
    "최악": True,
    "최고": False,
    "극혐": True,
    "노맛": True,
}
_BETTER: Final = frozenset(str.split("최애 인생 단골 최고의 제일 가장"))
_HEADS: Final = _LISTS.pairs("heads")
_RELATIVES: Final = {"살": "lives_in", "다니": "works_at", "응원하": "supports", "하": "job"}
_NEARBY: Final = re.compile(r".*(?:근처|앞|옆|쪽|역|동|구|읍|면|리|층|건물|거리|로|길|시내)")
_NAME_ENDS: Final = re.compile(r"\s?(?:이름|성함|닉네임|별명|닉)$")
_VAGUE: Final = _LISTS.words("vague")
_UNDER_WAY: Final = _LISTS.words("under_way")


def is_what(clause: KoreanClause, scene: KoreanScene) -> Iterator[Fact]:
    """Yield what a clause with 이다, 아니다 or 되다 says."""
    what, denied = clause.what, False
    if "되" in clause.stems and clause.past and clause.count and scene.object:
        yield Fact(scene.subject, "has", f"{scene.object} {clause.count}")
        return
    if "아니" in clause.stems or ("되" in clause.stems and clause.past and not clause.first("로")):
        denied = "아니" in clause.stems
        phrase = clause.first("가", "")
        what = phrase.text if phrase and not phrase.tangled else ""
        clause.phrases = [each for each in clause.phrases if each is not phrase]
        if not denied and not _is_state(what):
            clause.phrases += [phrase] if phrase else []
            return
    elif clause.stems != ("이",) or clause.past:
        return
    if what:
        yield from _said(clause, scene, what, denied)


def _is_state(what: str) -> bool:
    last = what.split()[-1] if what else ""
    return (
        last in lex.JOBS or bool(_AGE.fullmatch(what)) or what.endswith("형 인간") or last in _DIETS
    )


def _said(clause: KoreanClause, scene: KoreanScene, what: str, denied: bool) -> Iterator[Fact]:
    last = what.split()[-1]
    first, _, rest = what.partition(" ")
    if first in lex.KIN and rest.split()[-1:] and rest.split()[-1] in lex.JOBS | _STATUS | {"중"}:
        scene.subject = first  # 우리 형 경찰이야
        clause.phrases.append(Phrase(first, "는"))
        what = rest
    if last in _PLEASURE and " " in what:
        disliked = _PLEASURE[last] is not denied
        yield Fact(scene.me, "likes", what.rsplit(" ", 1)[0], denied=disliked)
        return
    topic = clause.first("가") or clause.first("는", "도") or clause.first("")
    about, value = divided(what) if topic is None and " " in what and last != "중" else ("", what)
    if about:
        topic, what = Phrase(about, "는"), value
    if topic is None and time_word(last) and scene.topic.endswith((*lex.EVENTS, *lex.DEADLINES)):
        topic = Phrase(scene.topic, "는")
    if topic and {"오늘", "내일", "모레", "어제"} & set(clause.time().split()):
        return
    if what in ("명", "개", "번", "잔", "권", "분"):
        return  # a number of something that is not said
    if _COUNTED.fullmatch(what) and (number := clause.time().split()[-1:]):
        thing = topic.text if topic else scene.object
        if thing:
            yield Fact(scene.me if topic else scene.subject, "has", f"{thing} {number[0]} {what}")
    elif scene.pending and topic is None and scene.fresh(clause):
        yield from about_pending(scene, what)
    elif topic and "제일" in clause.adverbs and " " in topic.text and not topic.verb and not denied:
        yield Fact(scene.me, "", what, said=f"가장 {topic.text}")
    elif topic is None or (scene.is_person(topic) and not _NAME_ENDS.search(topic.text)):
        yield from _about_person(clause, scene, what, denied)
    elif not topic.tangled and topic.text.split()[-1] not in lex.VAGUE - {"것"}:
        yield from _about_thing(clause, scene, topic, what, denied)


def about_pending(scene: KoreanScene, value: str) -> Iterator[Fact]:
    """Say what became of a thing that was said to change: 이름 다시 지었어. 이제 두부야."""
    about, scene.pending = scene.pending, ""
    if about.startswith("가장 좋아하는 "):
        yield Fact(scene.me, "", value, said=about)
    elif about.split()[0] in _BETTER:
        yield Fact(scene.me, "", value, said=f"가장 좋아하는 {about.split(' ', 1)[-1]}")
    elif _NAME_ENDS.search(about):
        kind = "nickname" if about.endswith(("닉네임", "별명", "닉")) else "name"
        yield Fact(_NAME_ENDS.sub("", about) or scene.me, kind, value)
    elif "응원팀" in about:
        yield Fact(scene.me, "supports", value.removesuffix(" 팬"))
    elif value.split()[-1] in lex.JOBS:
        yield Fact(scene.subject, "job", value)
    elif about.split()[-1] in ("회사", "직장"):
        yield Fact(scene.subject, "works_at", value)
    elif facets(value):
        yield Fact(DATE_ENDS.sub("", about) or about, "schedule", value)
    elif about.split()[-1] in lex.DEVICES:
        yield Fact(scene.subject, "", value, said=about)
    else:
        yield Fact(about, "changed_to", value)


def _about_person(
    clause: KoreanClause, scene: KoreanScene, what: str, denied: bool
) -> Iterator[Fact]:
    who, last = scene.subject, what.split()[-1]
    if not clause.phrases and scene.aside and who == scene.me:
        return  # 강아지 이름은 보리고 열두 살이야: not the speaker
    fresh = scene.fresh(clause)
    named = [e for e in clause.phrases if not e.time]
    if _AGE.fullmatch(what) and not denied:
        yield Fact(who, "age", what)
    elif year := _BIRTH_YEAR.fullmatch(what):
        yield Fact(who, "", f"{year[1]}년", said="출생")
    elif _MBTI.fullmatch(what):
        yield Fact(who, "", what, said="MBTI")
    elif what in _DIETS:
        yield Fact(who, "diet", what, denied=denied)
    elif what in _STATUS or what in ("연애 중", "연애중"):
        yield Fact(who, "status", what, denied=denied)
    elif last in lex.FRIENDLY and " " in what:
        team = what.rsplit(" ", 1)[0]
        one = bool(set(team.split()) & lex.TEAMS) or fresh
        yield Fact(who, "supports" if one else "likes", team, denied=denied)
    elif (
        last in lex.JOBS
        or last in lex.UNEMPLOYED
        or what == "구직 중"
        or last.endswith(("직", "담당", "담당자"))
    ):
        never = denied and not fresh  # to be no student is not to have been one
        yield Fact(who, "is" if never else "job", what, denied=denied)
        if last in lex.UNEMPLOYED and not denied:
            yield Fact(who, "works_at", "직장", denied=True)
    elif last == "출신" and " " in what:
        yield Fact(who, "from", what.rsplit(" ", 1)[0])
    elif last == "중":
        yield from _under_way(who, what)
    elif last in ("고장", "먹통", "불통", "다운") and " " in what:
        yield Fact(what.rsplit(" ", 1)[0], "state", "미완료")
    elif (
        last.endswith(("팀", "부서", "본부"))
        and len(what) > 2
        and not denied
        and last not in ("팀", "우리팀")
    ):
        yield Fact(who, "works_at", what)
    elif is_given_name(what) and len(what) == 3 and not denied and who == scene.me:
        yield Fact(who, "name", what)
    elif time_word(last) or last in _VAGUE or len(what) < 2 or what.endswith(("째", "차")):
        return
    elif any(e.part in ("는", "도", "가") for e in named) or "되" in clause.stems:
        yield Fact(who, "is", what, denied=denied)


def _under_way(who: str, what: str) -> Iterator[Fact]:
    """입원 중, 임신 중, 휴학 중."""
    doing = what.removesuffix(" 중").split()[-1]
    if what in ("취업 준비 중", "구직 중"):
        yield Fact(who, "job", "취준생")
    elif doing in ("금연", "금주"):
        yield Fact(who, "stopped", "담배" if doing == "금연" else "술")
    elif doing == "입원":
        yield Fact(who, "located", "병원")
    elif doing in ("임신", "휴학", "휴직", "출장", "이직 준비", "취업 준비", "구직"):
        yield Fact(who, "state", what)
    elif doing not in ("생각", "고민", "회의", "통화", "식사", "이동", "퇴근", "출근", "수업"):
        words = what.removesuffix(" 중").split()
        thing = " ".join(words[:-1] if len(words) > 1 and words[-1] in lex.DEEDS else words)
        yield Fact(thing, "state", "미완료")


def _about_thing(
    clause: KoreanClause, scene: KoreanScene, topic: Phrase, what: str, denied: bool
) -> Iterator[Fact]:
    day = next((e.text for e in clause.phrases if e.time and "요일" in e.text and not e.part), "")
    if day and facets(what) and not re.search("요일", what):
        topic = replace(topic, text=f"{day} {topic.text}")  # 월요일 회의는 10시야
    whose = next((e for e in clause.phrases if e.part == "는" and e is not topic and e.text), None)
    if whose and topic.text in ("이름", "별명", "사명", "상호"):
        topic = replace(topic, text=f"{whose.text} {topic.text}")  # 밴드는 이름이 새벽이야
    text = topic.text
    last = text.split()[-1]
    found = list(_headed(scene, topic, what, denied))
    when = clause.time()
    if what in ("고장", "먹통", "다운"):
        yield Fact(text, "state", "미완료")
    elif what in ("출발", "예정", "시작", "오픈", "도착", "개봉", "개최") and facets(when):
        yield Fact(DATE_ENDS.sub("", text) or text, "schedule", when)
    elif topic.verb == "가" and not denied:
        yield Fact(scene.me, "", what, said=f"단골 {text}")
    elif text.endswith(" 것"):
        if what in ("목표", "꿈", "계획") and not denied:
            yield Fact(scene.me, "plans", text.removesuffix(" 것"))
        elif what == "취미" and not denied:
            yield Fact(scene.me, "", text, said="취미")
    elif found:
        yield from found
    elif what.split()[-1] == "중":
        if what.removesuffix(" 중").split()[-1] in _UNDER_WAY:
            yield Fact(text, "state", "미완료")
    elif text.endswith(lex.DEADLINES) and facets(what):
        about = of_which(clause, due(text))
        yield Fact(about, "deadline", what.removesuffix("까지").strip())
    elif facets(what) and not denied:
        bare = of_which(clause, DATE_ENDS.sub("", text) or text)
        until = what.endswith("까지")
        yield Fact(bare, "deadline" if until else "schedule", what.removesuffix("까지").strip())
    elif last in lex.PREMISES and (what in PLACES or _NEARBY.fullmatch(what)):
        yield Fact(text, "located", what, denied=denied)
    elif (
        (topic.mine or any(e.me for e in clause.phrases))
        and topic.part in ("는", "가")
        and not denied
        and len(text.split()) < 4
    ) or (last in lex.DEVICES and not denied and len(text.split()) < 3):
        yield Fact(scene.me, "", what, said=text)
    elif what.split()[-1] not in _VAGUE and len(text) > 1 and len(what) > 1:
        yield Fact(text, "is", what, denied=denied)


def _headed(scene: KoreanScene, topic: Phrase, what: str, denied: bool) -> Iterator[Fact]:
    """Read a topic whose last word says what is told of it: a name, a job, a favourite."""
    text = topic.text
    last = text.split()[-1]
    owner = text.rsplit(" ", 1)[0] if " " in text else ""
    if what in _PLEASURE:
        yield Fact(scene.me, "likes", text, denied=_PLEASURE[what] is not denied)
    elif topic.verb == "좋아하" and text == "팀":
        yield Fact(scene.me, "supports", what)
    elif topic.verb == "좋아하":
        yield Fact(scene.me, "", what, said=f"가장 좋아하는 {text}")
    elif text.split()[0] in _BETTER and " " in text:
        yield Fact(scene.me, "", what, said=f"가장 좋아하는 {text.split(' ', 1)[1]}")
    elif topic.verb in _RELATIVES:
        yield Fact(scene.me, _RELATIVES[topic.verb], what)
    elif last == "응원팀":
        yield Fact(scene.me, "supports", what)
    elif last == "최애":
        yield Fact(scene.me, "", what, said="최애")
    elif _NAME_ENDS.search(text):
        kind = "nickname" if last in ("닉네임", "별명", "닉") else "name"
        yield Fact(_NAME_ENDS.sub("", text) or scene.me, kind, what, denied=denied)
    elif text in _HEADS or last in ("생일", "생신", "나이", "직업", "직장", "전공", "고향"):
        if text == "집" and what.split()[-1].endswith(lex.DWELLINGS):
            return
        if (
            last in ("회사", "학교", "집")
            and _NEARBY.fullmatch(what)
            and what not in PLACES
            and last != "집"
        ):
            return
        yield Fact(owner or scene.me, _HEADS[text if text in _HEADS else last], what, denied=denied)


# ---- Korean clauses on what came to pass: bonds, health, things done or broken, events.


def loves(clause: KoreanClause, scene: KoreanScene) -> Iterator[Fact]:
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


_BODY: Final = _LISTS.words("body")


def health(clause: KoreanClause, scene: KoreanScene) -> Iterator[Fact]:
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


def _died(clause: KoreanClause, scene: KoreanScene) -> Iterator[Fact]:
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


def _phase(clause: KoreanClause, scene: KoreanScene) -> Iterator[Fact]:
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


def _illness(clause: KoreanClause, scene: KoreanScene) -> Iterator[Fact]:
    stems = set(clause.stems)
    for each in clause.phrases:
        last = each.text.split()[-1] if each.text else ""
        if last not in lex.ILLNESSES or each.tangled:
            continue
        if stems & _CATCHES:
            yield Fact(scene.subject, "ill", last, denied=scene.denied(clause))
        elif stems & _HEALS and (clause.past or "없" in stems):
            yield Fact(scene.subject, "ill", last, denied=True)


def state(clause: KoreanClause, scene: KoreanScene) -> Iterator[Fact]:
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


def held(clause: KoreanClause, scene: KoreanScene) -> Iterator[Fact]:
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


_TAKES_PLACE: Final = _LISTS.words("takes_place")


def events(clause: KoreanClause, scene: KoreanScene) -> Iterator[Fact]:
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

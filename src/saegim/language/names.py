"""Who and what a text names: people, places, organisations, things, and the names they go by."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from saegim.language.claims import is_tool
from saegim.language.en.lexicon import COMMON, FIRST_NAMES
from saegim.language.en.lexicon import KIN as ENGLISH_KIN
from saegim.language.en.lexicon import PLACES as ENGLISH_PLACES
from saegim.language.ko.forms import noun_and_part, tokens
from saegim.language.ko.lexicon import KIN as KOREAN_KIN
from saegim.language.ko.verbs import closing
from saegim.language.ko.words import without_particle
from saegim.language.predicates import Triple, known_predicate
from saegim.memory.keys import normalise
from saegim.memory.late import late

_SURNAMES: Final = frozenset(
    "김이박최정강조윤장임한오서신권황안송류유전홍고문양손배백허남심노하곽성차주우구민진지엄"
    "채원천방공현함변염여추도소석선설마길연위표명기"
)
_FIRST: Final = frozenset(
    "민지서하도예수은현준우유윤시주승건재성영정동태소나다가아채혜미경선진상종병광기규용원"
    "인연세해희보슬한찬로이율라효형호근창철명순석범"
)
_SECOND: Final = frozenset(
    "수민준우서연윤현은지훈호진영희아원린빈율솔찬혁환석성규재경정미숙순옥란선주하온안인상"
    "태철식기용욱균근도동라람래리비슬승섭나름오"
)
# Common words that could be given names by their syllables.
_NO_NAMES: Final = frozenset(
    str.split("""수영 지하 우유 유도 소주 도서 정도 주인 인기 시기 기도 주소 수도 지도 지역 하나
    아이 나이 가수 수리 수정 수준 정리 정상 정석 정기 정비 정신 시민 시인 시선 기상 기온 기준
    기수 기호 기원 기리 주선 주정 주석 주기 주도 소수 소리 소원 소식 소득 소비 도시 도로 도원
    도수 도면 유지 유리 유아 유연 유용 유기 우리 우주 우산 우동 우선 우수 우정 이유 이수 이상
    이용 이미 이동 이사 이름 인정 인상 인식 인하 인용 인도 성인 성수 성분 성적 성우 성장 선수
    선정 선호 선거 선생 선배 상수 상하 상태 상호 상인 상식 상담 재수 재미 재정 재원 재능 재석
    동네 동기 동의 동아 동상 동수 동안 태도 태양 미래 미용 미수 미안 경기 경비 경영 경우 경호
    진도 진수 진정 진리 진행 영화 영어 영상 영주 영하 한기 한국 한우 해안 해수 해석 해운 해소
    세수 세상 세기 가정 가지 가능 가구 가을 나라 나무 나중 다리 다음 다수 아기 아래 아동 아주
    보수 보호 보라 보리 보기 보석 하루 하기 하수 하얀 원인 원리 원수 원래 원서 원하 연기 연수
    연주 연인 연구 용기 용도 용서 규정 건물 건강 근육 근처 근거 명주 명상 순서 순수 형식 형수
    호수 호주 호기 서비 서기 서로 서리 지진 지인 지구 지방 현재 현지 현상 준비 예비 예수 예정
    채용 채식 혜택 율무 로비 라인 이하 민요 두부 나비 초코 호두 감자 버섯 재즈 국악 축구 야구
    농구 등산 캠핑 커피 홍차 녹차""")
)
_THINGS: Final = frozenset(
    str.split("""정수기 성수기 유아기 하수도 고지서 주기도 정기권 이동기 강수지 신호기 전기 연지
    기지 선풍기 안경 고기 조리기 소나기 유모차 주유소 정류장 하수구 지하철 고유가 여주인 도우미""")
)
PLACES: Final = frozenset(
    str.split("""서울 부산 대구 인천 광주 대전 울산 세종 수원 성남 용인 고양 화성 부천 안산 안양
        남양주 평택 의정부 파주 시흥 김포 광명 군포 하남 오산 이천 안성 구리 포천 양주 여주 동두천
        과천 춘천 원주 강릉 동해 속초 삼척 태백 청주 충주 제천 천안 아산 서산 당진 공주 보령 논산
        전주 군산 익산 정읍 남원 김제 목포 여수 순천 나주 광양 포항 경주 김천 안동 구미 영주 상주
        문경 경산 창원 진주 통영 사천 김해 밀양 거제 양산 제주 제주도 서귀포 판교 분당 일산 동탄
        강남 홍대 잠실 성수 여의도 마포 용산 종로 신촌 이태원 연남동 망원동 한남동 해운대 도쿄
        오사카 교토 후쿠오카 베이징 상하이 홍콩 싱가포르 방콕 하노이 다낭 뉴욕 런던 파리 베를린
        로마 시드니 멜버른 밴쿠버 토론토 시애틀 보스턴 시카고 하와이 괌 한국 미국 일본 중국 영국
        독일 프랑스 캐나다 호주 스페인 이탈리아 베트남 태국 대만 인도 네덜란드 스웨덴 노르웨이
        핀란드 덴마크 스위스 핀란드 헬싱키 리스본 몰타""")
)
TITLES: Final = str.split("""씨 님 군 양 대리 과장 차장 부장 팀장 이사 상무 전무 사장 대표 회장
    교수 선생 박사 원장 실장 본부장 매니저 주임 사원 변호사 의사 간호사 기자 감독 코치 작가 형
    누나 언니 오빠 이모 삼촌 선배 후배 쌤 PD""")
_TITLE: Final = "|".join(sorted(TITLES, key=len, reverse=True))
_AFTER_NAME: Final = (
    r"(?=(?:이|가|은|는|을|를|의|도|만|와|과|랑|이랑|한테|에게|께|께서|하고|라고|이라고|야|이야|예요"
    r"|이에요|입니다|부터|까지|처럼)?(?![가-힣]))"
)
_KOREAN_PERSON: Final = late(
    rf"(?<![가-힣])(?P<name>[가-힣]{{1,4}})(?P<gap>\s?)(?P<title>{_TITLE})(?P<polite>님)?{_AFTER_NAME}"
)
# Relatives that are named by what they are; a friend or a neighbour is nobody in particular.
_FAMILY: Final = KOREAN_KIN - frozenset(
    str.split("친구 아이 애 아기 애기 이웃 동료 선배 후배 막내 첫째 둘째 셋째 선생님 매니저")
)
_ORGANISATION: Final = late(
    r"[가-힣A-Za-z0-9]{2,12}(?:전자|은행|대학교|그룹|병원|연구소|증권|카드|보험|중학교|고등학교)"
)
_QUOTED: Final = late(
    r"[\"“「『《‘]([^\"“”「」『』《》‘’\n]{1,40})[\"”」』》’]|(?<!\w)'([^'\n]{2,40})'(?!\w)"
)
_LATIN: Final = late(r"(?<![\w.@/])[A-Za-z][A-Za-z0-9.+#-]*[A-Za-z0-9+#](?![A-Za-z0-9_@])")
_CAPITALS: Final = late(
    r"\b(?:Dr|Mr|Mrs|Ms|Prof)\.? [A-Z][a-z]+\b|\b[A-Z][\w&’'-]*(?: [A-Z][\w&’'-]*)*"
)
_TITLED: Final = late(r"(?:Dr|Mr|Mrs|Ms|Prof)\.? ")
_COMPANY: Final = late(
    r".*\b(?:Inc|Corp|Ltd|University|College|Bank|Labs?|Hospital|School|Group|Studio|Foundation)$"
)
_OUR_KIN: Final = late(r"\b(?:my|our) (\w[\w-]*)(?: (\w[\w-]*))?", re.IGNORECASE)
_SENTENCE: Final = late(r"(?:^|[.!?…\n]\s*)[\"'“(]*$")
# What the object of a predicate is.
_TYPES: Final = {
    "lives_in": "place",
    "moved_to": "place",
    "born_in": "place",
    "from": "place",
    "located": "place",
    "went_to": "place",
    "works_at": "organisation",
    "studies_at": "organisation",
    "uses": "thing",
    "switched_to": "thing",
    "bought": "thing",
    "got": "thing",
    "has": "thing",
    "married_to": "person",
    "dating": "person",
    "met": "person",
}
_MOST: Final = 12
_LONGEST: Final = 40

Found = dict[str, "Named"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """Someone or something a text names; type: person place organisation thing topic self."""

    name: str
    type: str
    aliases: tuple[str, ...] = ()


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
        if len(title.split()) < 6:
            _add(found, Named(name=title, type="thing"))
    _from_triples(told, language, me, found)
    about = [Named(name=me, type="self")] if any(each[0] == me for each in told) else []
    return (*list(found.values())[:_MOST], *about)


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

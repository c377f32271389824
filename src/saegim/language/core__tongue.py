"""`Tongue`: what the search for a core must know of a language's verbs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from saegim.language.en.tell import GOING as GOING_ENGLISH
from saegim.language.ko.tell import GOING as GOING_KOREAN
from saegim.language.ko.verbs__forms import describes


@dataclass(frozen=True, slots=True)
class Tongue:
    """Verbs by how they may be told of again.

    `going` leads to a place, `states` hold without being done, of `lasting` states there is one
    at a time, `ceasing` ends what another verb does, `single` happens once, `faint` says nothing
    without its object; `describes` tells a quality from a deed.
    """

    name: str
    going: frozenset[str]
    states: frozenset[str]
    lasting: frozenset[str]
    ceasing: frozenset[str]
    single: frozenset[str]
    faint: frozenset[str]
    homes: frozenset[str]
    describes: Callable[[str], bool]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _is_be(verb: str) -> bool:
    return verb in ("be", "feel")


KOREAN: Final = Tongue(
    name="ko",
    going=GOING_KOREAN,
    states=_words("살 거주하 근무하 있 없 이 알 모르 믿 키우 기르 가지 사용하 쓰 다니 닮"),
    lasting=_words("살 거주하 근무하 태어나"),
    ceasing=_words("끊 그만두 관두 때려치우 멈추 취소하 중단하 그만하 접 포기하"),
    single=_words("결혼하 졸업하 퇴사하 입사하 이혼하 태어나 죽 돌아가시 은퇴하 입학하 제대하 사"),
    faint=_words(
        """하 가 오 보 먹 마시 쓰 주 받 사 내 나 되 지 들 듣 놓 두 만나 있 없
        이 말하 얘기하 이야기하 싶 같 알 모르 생각하 시작하 끝내 끝나 다니 다녀오
        찾 만들 입 타 열 걸 고르 빌리 보내 가져오 좋 싫 정하 바꾸 느끼 그러 어떻
        이렇 그렇 반갑 고맙 감사하 미안하 아니 맞 괜찮 오르 내리 넣 가져가"""
    ),
    homes=_words("집 회사 학교 사무실 직장 방 여기 거기 곳"),
    describes=describes,
)
ENGLISH: Final = Tongue(
    name="en",
    going=GOING_ENGLISH,
    states=_words("live reside own know believe work have belong speak use keep"),
    lasting=_words("live reside"),
    ceasing=_words("quit stop cancel drop abandon finish end"),
    single=_words("marry graduate retire divorce die resign bear buy adopt"),
    faint=_words(
        """go come see eat drink have get make take give use do put let set say tell know think feel
        want need like look be become find keep bring send hold spend start begin watch read hear
        buy try talk ask mean seem help show meet leave turn move open play visit attend sort plan
        lend borrow add order carry choose pick"""
    ),
    homes=_words("home work office school hous room bed"),
    describes=_is_be,
)

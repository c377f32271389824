"""Korean word forms that a sentence needs: 간다, 갔다, 감, and the particle that fits a word."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from saegim.engines.korean_verbs import closed_with, closing, melted_stems, parts
from saegim.korean_particles import with_particle

_NN, _LL, _LM, _MM, _SS = 4, 8, 10, 16, 20
_BRIGHT: Final = frozenset((0, 2, 8))
# The form after a vowel names its pair.
_PAIRS: Final = {
    pair.partition("/")[2]: pair for pair in "은/는 이/가 을/를 과/와 으로/로 이다/다".split()
}

# Stems that describe: their plain form is the stem with 다. Those made with 하 by what stands
# before it, the others whole.
_DESCRIBED: Final = frozenset(
    str.split("""피곤 행복 우울 불안 편안 편 심심 답답 초조 건강 조용 깨끗 유명 중요 필요 가능 불편
    미안 섭섭 속상 억울 친절 성실 정직 솔직 착 순 독 강 약 진 연 흔 귀 뿌듯 허전 막막 답답 든든
    따뜻 시원 서늘 쌀쌀 화창 맑 흐릿 궁금 민감 예민 둔감 부지런 한가 한산 분주 복잡 단순 간단 편리
    안전 위험 완벽 충분 부족 지루 따분 유쾌 상쾌 불쾌 통쾌 황당 창피 무료 외 쓸쓸 쓸 비슷 똑똑
    영리 멍청 한심 대단 훌륭 화려 소박 검소 겸손 거만 오만 무례 공손 다정 다정다감 냉정 냉철 엄격
    꼼꼼 세심 소심 대담 용감 과감 무심 명랑 활발 쾌활 침착 차분 태연 당당 뻔뻔 급 느긋 여유 넉넉
    가난 부유 심각 심 지독 지긋지긋 나른 노곤 뻐근 얼얼 몽롱 멀쩡 튼튼 든든 허약 창백 통통 날씬
    뚱뚱 늘씬 익숙 능숙 서투 생소 낯 어색 자연스러 불행 불쌍 딱 참담 처참 암담 막연 무기력 무력
    절실 간절 애틋 아련 뭉클 울적 침울 초라 비참 고독 공허 허무 무난 적당 적절 정확 부정확 확실
    불확실 분명 뚜렷 희미 비겁 치사 야속 서운 쑥스러 민망 무안 난처 곤란 곤혹 당연 이상 특이 특별
    평범 독특 신기 신선 싱싱 촉촉 건조 축축 눅눅 바삭 쫄깃 고소 담백 느끼 매콤 달콤 새콤 짭짤
    씁쓸 텁텁 개운 후련 홀가분 만족 불만족""")
)
_DESCRIBING: Final = frozenset(
    str.split("""크 작 좋 싫 많 적 높 낮 깊 얕 짧 길 멀 넓 좁 얇 두껍 늙 젊 굵 가늘 밝 어둡 맑 붉
    검 같 다르 빠르 느리 늦 게으르 아프 고프 배고프 바쁘 나쁘 기쁘 슬프 예쁘 이쁘 힘들 서툴 드물
    재밌 맛있 맛없 재미있 재미없 멋있 괜찮 귀찮 비싸 싸 차 짜 쓰 시 달 없 아니 춥 덥 맵 쉽 밉 곱
    어렵 고맙 무섭 귀엽 아름답 가깝 무겁 가볍 뜨겁 차갑 즐겁 외롭 새롭 괴롭 그립 부럽 부드럽
    더럽 시끄럽 싱겁 반갑 아깝 안타깝 지겹 두렵 서럽 가렵 날카롭 해롭 자유롭 평화롭 까다롭 번거롭
    미끄럽 어지럽 간지럽 사납 우습 아쉽 징그럽 너그럽 매끄럽 빨갛 파랗 노랗 하얗 까맣 커다랗
    동그랗 그렇 이렇 저렇 어떻 똑같 옳 젖 싶 조용하""")
)
# The same letters are a verb and an adjective, and the verb is the likelier one of the two.
_VERBS_FIRST: Final = frozenset(str.split("차 짜 쓰 시 달 싸 늦"))


def describes(stem: str) -> bool:
    """Say whether a stem says how something is, and not what one does."""
    if stem in _VERBS_FIRST:
        return False
    if stem.endswith("하") and len(stem) > 1:
        return stem[:-1] in _DESCRIBED or stem[:-1].endswith("스러")
    return stem in _DESCRIBING or stem.endswith(("스럽", "롭", "답", "있", "없"))


def present(stem: str) -> str:
    """Return the plain present: 간다, 먹는다, 만든다, and of what describes 춥다, 피곤하다."""
    if describes(stem):
        return stem + "다"
    if closing(stem) in (0, _LL):
        return closed_with(stem, _NN) + "다"
    return stem + "는다"


def past(stem: str) -> str:
    """Return the plain past: 갔다, 먹었다, 마셨다, 구웠다, 공부했다."""
    return closed_with(_melted(stem), _SS) + "다"


def noun_form(stem: str) -> str:
    """Return the form that notes are written in: 감, 먹음, 만듦."""
    last = closing(stem)
    if not last:
        return closed_with(stem, _MM)
    if last == _LL:
        return closed_with(stem, _LM)
    melted = _melted(stem)
    if melted == stem + _vowel(stem):
        return stem + "음"
    return melted[:-1] + ("움" if melted[-1] in "와워" else "음")


def _vowel(stem: str) -> str:
    return "아" if parts(stem[-1])[1] in _BRIGHT else "어"


def _melted(stem: str) -> str:
    """Return the stem with 아/어; of irregular stems the form that the verb table knows."""
    if stem.endswith("하"):
        return stem[:-1] + "해"
    for form in _candidates(stem):
        if stem in melted_stems(form):
            return form
    return next(_candidates(stem))


def _candidates(stem: str) -> Iterator[str]:
    """Yield how the stem may look before 았/었, the regular form first."""
    first, vowel, last = parts(stem[-1])
    head = stem[:-1]
    if last:
        bare = closed_with(stem, 0)
        yield stem + _vowel(stem)
        yield bare + ("와" if stem in ("돕", "곱") else "워")
        yield closed_with(stem, _LL) + _vowel(stem)
        yield bare + _vowel(stem)
        return
    if stem.endswith("르") and head:
        bright = parts(head[-1])[1] in _BRIGHT
        yield closed_with(head, _LL) + ("라" if bright else "러")
        yield head + ("라" if bright else "러")
    elif vowel == 18:
        bright = bool(head) and parts(head[-1])[1] in _BRIGHT
        yield head + chr(0xAC00 + first * 588 + (0 if bright else 4) * 28)
    elif vowel in (8, 13, 20, 11):
        yield head + chr(0xAC00 + first * 588 + {8: 9, 13: 14, 20: 6, 11: 10}[vowel] * 28)
    else:
        # ㅟ and ㅢ stay whole: 쉬었다.
        yield stem + "어" if vowel in (16, 19) else stem


def with_part(word: str, part: str) -> str:
    """Return a word with a particle in the form that fits its last sound: 카페를, 책을, API는."""
    pair = _PAIRS.get(part)
    return with_particle(word, pair) if pair else word + part

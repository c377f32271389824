"""Which Korean words of feeling stand in a text, and how much each weighs where it stands."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from functools import cache
from typing import Final

from saegim.language.ko.verbs import closed_with, parts
from saegim.language.senses import (
    EARLIER,
    ONCE,
    SOFT,
    STRONG,
    UNREAL,
    UTMOST,
    Found,
    Lexicon,
    Sense,
    Way,
    senses,
)
from saegim.memory.late import late

# ---- Korean words of feeling: stems, what each of them says, and the forms they take.

_WORDS: Final = """
[homonym 0]
불안정 감사_로그 감사_기록 감사_보고 분노_조절 새끼손 새끼발 새끼_고양이 새끼_강아지 새끼_돼지
불만족 스트레스_테스트 심심찮 심심한_사과 심심한_위로 좋아요_수 좋아요_버튼 좋아요_기능 지치지
사랑방 사랑니 최악의_경우 최악_시간 최고_온도 최고_기온 최고_기록 최고_속도 최고_점 최고값 최고점
최고령 최고위 행복주택 겁나게 울음소리 눈물샘 그립감 그립톡 아파트 아파치 아프리카 아프가니
커널_패닉 쓰레기_값 쓰레기_수집 쓰레기통 쓰레기_봉투 굿즈 공포_영화 추억의_만화 질투심_유발 짱구
좋은_아침 좋은_하루 지침 구축하 압축하 건축하 단축하 신축하 감축하 수축하 비축하 증축하 감탄사
말할_것도_없 설레임 좋아서하는 집으로_돌아가셨 집에_돌아가셨 대공황 경제_공황
[inner 0.9 joy 1.4]
황홀 벅차+ 벅차올 감격 희열 날아갈_것 날아갈_듯 꿈만_같 하늘을_나는_기분 기뻐_날뛰 얼싸안
[inner -0.9 sadness 1.4]
오열 통곡 절망 비참 참담 애통 비통 억장이_무너 마음이_무너 가슴이_무너 세상이_무너 하늘이_무너
가슴이_찢 마음이_찢 펑펑_울 목놓아_울 울부짖 죽고_싶 살기_싫 살_이유 살아갈_이유 돌아가셨 돌아가셔
돌아가시고 무지개다리 유산했 눈앞이_캄캄
[inner -0.9 anger 1.4]
격분 격노 노발대발 ^치가_떨 피가_거꾸로 부들부들_떨 배신감 용서_못 용서할_수_없 용서가_안_되
[inner -0.8 fear 1.4]
죽는_줄_알 죽을_뻔 혼비백산 겁에_질 공포에_질 몸이_굳
[view -0.9 disgust 1.4]
구역질 극혐 혐오스럽+ 환멸 ^토할 ^토_나올
[inner -0.7 anxiety 1.4]
공황 ^피가_마르 ^피가_말라 숨이_막히+ 숨이_안_쉬 숨도_못_쉬 숨을_못_쉬
[inner 0.9 joy 1]
기쁘+ 기쁨 행복 행복하+ 즐겁+ 즐거움 신나+ 신이_나+ 뿌듯 흐뭇 설레+ 설렘 황홀 벅차+ 감격 흥겹+ 유쾌
자랑스럽+ 홀가분 후련 들뜨+ 기분_좋 기분이_좋 기분_최고 기분이_최고 반갑+ 희열 짜릿 살맛 날아갈_것
날아갈_듯 속이_시원 속_시원 꿈만_같 ^환호 만끽 신바람 하늘을_나는_기분
[inner 0.7 joy 0.75]
만족스럽+ 만족하+ 보람 한시름 ^안도 안심되+ 안심이_되+ 다행 감동 감탄 사랑하+ 사랑스럽+ 마음에_들
마음에_든 마음에_드 마음에_쏙 맘에_들 맘에_든 맘에_드 기대되+ 기다려지+ 웃음이_나+ 빵_터지+ 훈훈
힐링 행운 해냈 해내서
[manner 0.6 joy 0.75]
고맙+ 감사하+ 감사드 감사요 감사감사 축하
[fun 0.7 joy 0.6]
재밌 재미있 재미가_있 재미도_있 잼있 잼나 꿀잼 핵잼 존잼 흥미진진 웃기+ 흥미롭+
[view 0.7 joy 0.6]
예쁘+ 이쁘+ 귀엽+ 멋지+ 멋있 아름답+ 대박 훌륭 환상적 끝내주+ 맛있 존맛 꿀맛 반했 눈부시+ 감미롭+
예술이 명작 굿굿 사랑 웃음 미소 너무_좋 정말_좋 진짜_좋 완전_좋 넘_좋 참_좋 제일_좋 가장_좋 매우_좋
굉장히_좋 최고다 최고야 최고예 최고네 최고였 최고의_하루 짱이다 짱이야
[sign 0.5 joy 0.5]
하하하 호호호 헤헤 히히
[inner 0.6 joy 0.45]
^합격 승진하+ 당첨 우승하+ 취업_성공 칭찬 ^상을_받 ^상_받 선물_받 선물을_받 청혼
[liking 0.6 joy 0.45]
좋아하+
[view 0.6 joy 0.45]
좋 완벽하+ ^굿 ^짱 최고 대단하+ 응원 상쾌 쾌적 포근 평온 편안 아늑 덕분
[manner 0.3 joy 0.3]
다행히
[view 0.2 joy 0.2]
좋겠 좋을_것 좋을_듯 좋을_텐데 좋을까 좋을지 좋은지 좋나요 좋습니까 기대하+
[inner 0 joy 0.9 sadness 0.9]
시원섭섭 웃프+ 만감이_교차 희비가_엇갈
[inner -0.9 sadness 1]
슬프+ 슬픔 서글프+ 서럽+ 서러움 우울 울적 침울 오열 통곡 흐느끼+ 외롭+ 외로움 쓸쓸 ^속상 ^서운 섭섭
마음이_아프+ 마음_아프+ 맘이_아프+ 맘_아프+ 가슴이_아프+ 가슴_아프+ 마음이_무너 가슴이_무너
가슴이_찢 마음이_찢 비참 절망 애통 비통 상심 낙심 낙담 참담 눈물이_나+ 눈물_나+ 펑펑_울 상처받
상처_받 상처를_받 억장이_무너 살기_싫 죽고_싶 돌아가셨 세상을_떠나+
[inner -0.9 sadness 1]
마음이_너무_아프+ 가슴이_너무_아프+ 마음이_정말_아프+ 마음이_많이_아프+
[inner -0.7 sadness 0.75]
눈물 ^울었 ^울고 ^울어 ^울다 ^울면서 ^울컥 ^운다 ^울음 ^웁니다 안타깝+ 안타까움 아쉽+ 아쉬움 실망
불행 허탈 허무 공허 ^후회 죄책감 ^자책 안쓰럽+ 불쌍 가엾 가여워 가여운 애도 명복 씁쓸 먹먹 괴롭+
괴로움 고통스럽+ 무지개다리 애처롭+ 한스럽+ 소외감 상실감 버림받 ^차였 마음고생 시험에_떨어
시험에_또_떨어 면접에_떨어 면접에서_떨어 면접에서_또_떨어 서류에서_떨어 서류_탈락 불합격
[inner -0.5 sadness 0.6]
망쳤 망쳐 해고당하+ 기분이_안_좋 기분_안_좋 ^이별 헤어졌 헤어져 헤어지+ 장례 하늘나라 잃었 잃어버려
파혼 이혼하+ 취소돼서 취소되어서 취소되서
[manner -0.4 sadness 0.55]
미안
[sign -0.5 sadness 0.5]
흑흑 엉엉
[inner -0.2 sadness 0.25]
돌아가신 작별
[manner -0.2 sadness 0.25]
죄송
[inner -0.7 sadness 0.7 anger 0.4]
좌절
[inner -0.9 anger 1]
^화나+ 화가_나+ 화가_치밀 화가_솟 ^열받 ^열_받 ^열이_받 빡치+ 빡돌 짜증 분노 분개 격분 격노 분통
억울 괘씸 성질나+ 성질이_나+ ^약_오르 ^약_올라 ^약이_올라 ^약이_오르 울화 킹받 딥빡 못_참 ^분하다
^분해_죽 ^분해서 부들부들_떨 노발대발 뚜껑_열 꼭지가_돌 원망스럽+ 배신감 ^치가_떨 화딱지
[view -0.9 anger 0.8]
씨발 시발 씨바 ㅅㅂ ㅆㅂ 씹새 개새 새끼 ㅅㄲ 지랄 ㅈㄹ 병신 ㅂㅅ 미친놈 미친_놈 미친년 미친것
꺼져라 닥쳐라 닥치고 개같 개_같 엿같 좆 ^또라이 개소리 헛소리
[view -0.7 anger 0.7]
뻔뻔 얄밉+ 어이없 어이가_없 기가_막히+ 황당 참을_수_없 참을_수가_없 괴씸 환장 불만 불공평 부당하+
모욕 무시당 배신당하+ 열불 답답 미치겠 돌아버리겠 돌아버릴 뭐하는_짓 너무하 너무해 적당히_좀
[inner -0.7 anger 0.6]
기분_나쁘+ 기분이_나쁘+ 사기당하+ 사기를_당하+
[inner -0.6 anger 0.5]
^밉+ ^미움 ^싫 싫어 다퉜 싸웠 최악
[view -0.4 anger 0.4]
놈들 어휴 ㅉㅉ ㅡㅡ
[view -0.9 anger 0.6 disgust 0.6]
증오 쓰레기_같 파렴치 추악 가증
[inner -0.8 fear 1]
무섭+ 무서움 두렵+ 두려움 겁이_나+ 겁났 겁난 겁나서 겁나요 겁먹 겁에_질 기겁 식겁 공포스럽+ 공포감
공포심 공포에 공포증 공포가 공포를 오싹 섬뜩 등골이_서늘 소름_끼치+ 소름이_끼치+ 소름이_돋 소름_돋
무시무시 덜덜_떨 벌벌_떨 후덜덜 죽는_줄_알 죽을_뻔 간담이_서늘 혼비백산
[view -0.5 fear 0.6]
소름 악몽 살벌 위협적 겁이_많
[view -0.4 fear 0.4]
ㄷㄷ
[view -0.8 fear 0.5 disgust 0.5]
끔찍 참혹 잔혹 흉측
[view -0.9 disgust 1]
역겹+ 역겨움 징그럽+ 징글징글 혐오스럽+ 혐오감 혐오하+ 극혐 구역질 메스껍+ 비위가_상 비위_상
비위가_약 ^토나오 ^토나온 ^토나와 ^토_나오 ^토_나온 ^토_나올 ^토_나와 ^토할 ^토하고_싶 ^역하다
^역한 ^역해 ^역하고 ^역하네 추잡 불결 더럽+ 정떨어 정_떨어 정이_떨어 진저리 환멸 경멸 밥맛_떨어
밥맛이_떨어
[view -0.7 disgust 0.7]
불쾌 꼴불견 꼴_보기_싫 꼴도_보기_싫 악취 혐오 추하다 추한 오글거리+ 거북하+ 썩은_내
[inner -0.7 anxiety 1]
불안 걱정 초조 긴장되+ 긴장하+ 조마조마 염려 근심 심란 안절부절 조바심 노심초사 뒤숭숭 애가_타+
애태우 전전긍긍 좌불안석 공황 마음이_무거 맘이_무거 가슴이_철렁 심장이_쿵쾅 ^피가_마르 ^피가_말라
가슴을_졸이 마음을_졸이 마음_졸이
[inner -0.5 anxiety 0.7]
긴장 스트레스 압박감 막막 떨리+ 부담스럽+ 부담되+ 부담이_되+ 부담감 까_봐 큰일_났 큰일_나+ 어쩌지
어떡하지 어떡해 신경_쓰이+ 신경이_쓰이+ 고민되+ 고민이_많 골치 찜찜 불길하+ 패닉
[inner -0.3 anxiety 0.4]
고민 두근거리+ 두근두근 ^우려 조심스럽+
[inner -0.4 envy 1]
부럽+ 부러움 질투 시기심 시샘 샘이_나+ ^샘나+ ^샘_나+ ^샘내 열등감 박탈감 배_아파_죽 배가_아파_죽
[view -0.6 ennui 1]
지루 지겹+ 지겨움 심심 따분 권태 질렸 ^질리+ 귀찮 지긋지긋 재미없 재미가_없 재미도_없 재미는_없
노잼 번아웃 무기력 무력감 의욕이_없 의욕도_없 의욕_없 하기_싫 하기가_싫 하기도_싫 먹기_싫 가기_싫
만사가_귀 매너리즘 무미건조 식상 ^시시하+ ^무료하다 ^무료해 시큰둥 낙이_없
[inner -0.6 ennui 0.8]
^지치+ 지쳐서 고단 녹초 기진맥진 탈진 피로감 진이_빠 진_빠지 넌더리 신물
[inner -0.5 ennui 0.6]
피곤 힘들 힘듦 힘든 힘듭 힘드네 힘드니 힘겹+ ^고되 ^고된 할_게_없 할_일이_없 할_것도_없 밋밋 하품
늘_똑같 쳇바퀴 나른 노곤 지리멸렬
[view -0.4 ennui 0.6]
단조롭+
[inner 0 nostalgia 1]
그립+ 그리움 옛날_생각 옛_생각 옛날이_좋 향수에 향수병 향수를_느 향수를_불 추억에_잠 추억에_젖
옛_추억 추억이_떠 추억이_새 추억_돋 새록새록 그때가_좋 그_시절이_좋 그때_그_시절 그_시절로
예전이_좋 아련 애틋 너무_보고_싶 많이_보고_싶 네가_보고_싶 니가_보고_싶 당신이_보고_싶
엄마가_보고_싶 엄마_보고_싶 아빠가_보고_싶 아빠_보고_싶 할머니가_보고_싶 할머니_보고_싶
할아버지가_보고_싶 친구들이_보고_싶 보고파
[inner 0.1 nostalgia 0.6]
추억 ^회상 그_시절 그때_생각 어릴_때_생각 돌이켜_보면
[view 0 nostalgia 0.35]
학창_시절 어린_시절 어릴_적 옛날_사진 오래된_사진 보고_싶
[view 0.4]
괜찮 유용 편리 편하+ 잘됐 잘_됐 잘했 나아졌 나아지+ 좋아지+ 도움이_되+ 친절 깔끔 따뜻 똑똑 든든
믿음직 존경 ^추천하+
[view -0.6]
나쁘+ ^별로 엉망 형편없 한심 부끄럽+ 창피 민망 불편 불친절 아프+ 맛없 못생 망했 망함 거짓말 아깝+
비추 허접 조잡 답이_없 지저분 쓰레기
"""

# Final consonants: ㄴ ㄹ ㅁ ㅂ ㅆ.
_CLOSINGS: Final = (4, 8, 16, 17)
_SS: Final = 20
# Vowels that melt with 아/어: ㅣ, ㅜ, ㅗ, ㅚ.
_MELTED: Final = {20: 6, 13: 14, 8: 9, 11: 10}
_EU, _A, _EO = 18, 0, 4


def _conjugated(stem: str) -> Iterator[str]:
    """Yield what a stem that ends in a vowel or in ㅂ becomes before its endings."""
    head, (first, vowel, last) = stem[:-1], parts(stem[-1])
    yield stem
    if last:
        bare = closed_with(stem, 0)
        yield from (bare + each for each in "워웠운울움우웁")
        return
    yield from (closed_with(stem, each) for each in _CLOSINGS)
    if stem[-1] == "하":
        yield from (head + "해", head + "했")
        return
    if vowel == _EU:
        vowel = _A if head and parts(head[-1])[1] in (_A, 8) else _EO
    open_form = head + chr(0xAC00 + first * 588 + _MELTED.get(vowel, vowel) * 28)
    yield from (open_form, closed_with(open_form, _SS))


def _forms(word: str) -> Iterator[str]:
    """Yield the forms of a word of the list."""
    for stem in _conjugated(word[:-1]) if word.endswith("+") else (word,):
        yield stem.replace("_", " ")
        if "_" in stem:
            yield stem.replace("_", "")


@cache
def lexicon() -> Lexicon:
    """Return the lexicon, built once."""
    return Lexicon.of(senses(_WORDS, _forms))


# ---- Which Korean words of feeling stand in a text, and how much each weighs where it stands.

_STRONG: Final = late(
    r"너무|(?:^|\s)넘(?= )|정말|진짜|진심|완전|엄청|굉장히|매우|아주|몹시|무척|되게|대단히|겁나"
    r"|졸라|존나|(?:^|\s)[개핵]$|세상|가장|제일|얼마나|어찌나|하루 ?종일|온종일|밤새|한참|며칠"
    r"|매일 ?밤|밤마다|심하게|도저히|영영|절대로?"
)
_STRONG_AFTER: Final = late(r"^[가-힣]{0,3} ?(?:진짜|정말|너무)(?=$|[.!~ㅠㅜ])")
# Degrees beyond which people know no other.
_UTMOST: Final = late(
    r"미치도록|미칠 ?(?:듯|만큼)|죽을 ?만큼|죽도록|한없이|더없이|극도로|뼈저리게|펑펑|온몸"
    r"|(너무|정말|진짜)[ ,]?\1|태어나서 ?(?:처음|제일|가장|이렇게|오늘)|난생 ?처음|평생"
    r"|인생에?서? ?(?:가장|제일|최고|최악)"
)
_UTMOST_AFTER: Final = late(
    r"^[가-힣]{0,3} ?(?:[나난] ?)?(?:죽겠|미치겠|미칠|돌아버리|죽을 ?[것거]|짝이 ?없|그지 ?없)"
)
_SOFT: Final = late(r"좀|조금|약간|살짝|다소|은근|왠지|그럭저럭|슬슬|어느 ?정도|그나마")
_DENIED_BEFORE: Final = late(r"(?:^|[\s,.!?])(안|못)\s?$")
_DENIED_AFTER: Final = late(
    # 좋지 않다, 슬프진 않다, 걱정하지 마
    r"^[가-힣]{0,3}?(?:지(?:는|도|가|를|만은)?|진|질) ?(?:않(?!을까|나)|못|안 |마(?!음)|말)"
    # 기쁘지도 슬프지도 않다
    r"|^[가-힣]{0,2}지도 [가-힣]{1,6} ?(?:않|못)"
    # 좋은 건 아니다, 짜증 난 게 아니라
    r"|^ ?[가-힣]{0,3} ?(?:건|것은|것도|것만은|게|거는|거|것이|것|정도는|편은|줄은) ?"
    r"(?:전혀 |절대 |또 )?(?:아니|아닌|아냐|아님|아녜)"
    # 걱정 없다, 불안감은 없다, 걱정은 안 돼
    r"|^(?:감|심|함|움)?(?:은|는|이|가|도|란)? ?(?:전혀 |하나도 |별로 )?"
    r"(?:없[다어는이을지고네음었습]|없$|안 ?[되돼됐들느해했나난])"
    # 무서워할 필요 없다, 두려울 게 없다
    r"|^[가-힣]{0,2} ?(?:필요|이유|것|거|게|일)(?:는|가|도|이|은)? ?(?:전혀 |하나도 )?없"
    r"|^(?:은|는)? ?(?:말고 |말아|마세요|마라|마요|마(?=$|[ .!~]))"
)
# 안 좋아할 수 없다, 슬프지 않은 건 아니다: a denial denied.
_DOUBLY: Final = late(r"(?:을|ㄹ|할|플|쁠|울) ?수(?:가|는|밖에)? ?없|않은 ?(?:건|것은|게) ?아니")
_UNREAL: Final = late(
    r"^[가-힣]{0,3}(?:으면|다면|면)(?=\s|$|[,.])"
    r"|^[가-힣]{0,2} (?:거야|거예요|거다|것이다|텐데)"
    # 지루할 수 있다
    r"|^[가-힣]{0,2} ?수(?:도|가)? ?있"
    # hearsay
    r"|^[가-힣]{0,4}(?:대|대요|래|래요|다더라|다네요?|다던데)(?=\s|$|[.!?~,])"
    r"|^[가-힣]{0,5}(?:다고|라고) ?(?:한다|했다|하더|합니다|했어|한대|하네|들었|전했|말했|밝혔)"
    # the class "anger" of a model
    r"|^(?:이나|과|와|의|,)? ?[가-힣]{0,4} ?(?:클래스|라벨|레이블|지수|점수|모델|분류|감정)"
    # a sad film
    r"|^(?:은|는)? ?(?:영화|이야기|얘기|노래|음악|소설|책|드라마|만화|게임|장면|동화|사연|웹툰)"
)
# 슬퍼하다, 무서워한다: what somebody else feels, unless I say that it is me.
_OTHERS: Final = late(r"[워퍼뻐][하했한할함해합]")
_MINE: Final = late(r"(?:^|\s)(?:나|난|나는|나도|내|내가|저|저는|저도|제|제가|전|우리|우린)(?=\s)")
_SUPPOSED: Final = late(r"만약|만일|혹시|가령|[었했았]다면")
_ONCE: Final = late(r"처음(?:엔|에는|에)|예전(?:엔|에는)|원래는?|한때는?|전에는|아까(?:는|만 해도)")
_CONTRAST: Final = late(
    r"(?<=[가-힣])(?:지만|는데도?|은데도?|던데|(?<=[인한된쁜픈운])데도?|더니|으나|건만)"
    r"(?=[\s,.…~요]|$)"
    r"|하지만|그렇지만|그런데|근데|그러나|그래도|반면|그치만"
)
_ASKED: Final = late(r"^[^.!\n]*\?")
_NO: Final = late(r"않|안 |못|없|아니")
_BORDER: Final = late(r"[.!?…,;\n]")
_WORD_END: Final = late(r"[가-힣]{0,3}(?![가-힣])")
# How far before a word its degree may stand, and how far behind it its denial.
_BEFORE, _BEHIND, _CLAUSE = 14, 18, 60


def found(text: str) -> Iterator[Found]:
    """Yield the Korean words of feeling of a text."""
    matches = list(lexicon().matches(text, lambda at: at == 0 or not "가" <= text[at - 1] <= "힣"))
    if not matches:
        return
    turns = [each.end() for each in _CONTRAST.finditer(text)]
    for begin, end, sense in matches:
        # 별로 only strengthens a denial that follows.
        if text[begin:end] == "별로" and _NO.search(text, end, end + _BEHIND):
            continue
        behind = text[end : end + _BEHIND]
        turn = bisect_right(turns, begin)
        since = max(turns[turn - 1] if turn else 0, begin - _CLAUSE)
        clause = _BORDER.split(text[since:begin])[-1]
        denied = _denied(text[max(0, begin - 4) : begin], text[end - 1], behind)
        elsewhere = _elsewhere(sense, text[begin:end], clause, behind)
        weight = _weight(clause, behind) * EARLIER ** min(2, len(turns) - turn)
        weight *= UNREAL if elsewhere else 1.0
        yield Found(sense, _own_form(text, begin, end, denied), begin, weight, denied, elsewhere)


def _denied(before: str, last: str, behind: str) -> bool:
    """Say whether a word is denied, and the denial not denied in turn."""
    once = _DENIED_BEFORE.search(before) or _DENIED_AFTER.search(behind)
    return bool(once) and not _DOUBLY.search(last + behind)


def _weight(clause: str, behind: str) -> float:
    """Return how much a word weighs by its degree and by when it was so."""
    near = clause[-_BEFORE:]
    degree = 1.0
    if _UTMOST.search(near) or _UTMOST_AFTER.search(behind):
        degree = UTMOST
    elif _STRONG.search(near) or _STRONG_AFTER.search(behind):
        degree = STRONG
    elif _SOFT.search(near):
        degree = SOFT
    return degree * ONCE if _ONCE.search(clause) else degree


def _elsewhere(sense: Sense, word: str, clause: str, behind: str) -> bool:
    """Say whether a feeling is supposed, told of, asked about, or somebody else's."""
    if _SUPPOSED.search(clause) or _UNREAL.search(behind) or _ASKED.search(behind):
        return True
    theirs = sense.way is Way.INNER and _OTHERS.match(word[-1] + behind[:1])
    return bool(theirs) and not _MINE.search(clause)


def _own_form(text: str, begin: int, end: int, denied: bool) -> str:
    """Return a word as the text has it: with its ending, and with what denies it."""
    if not denied:
        closing = _WORD_END.match(text, end)
        return text[begin : closing.end() if closing else end]
    before = _DENIED_BEFORE.search(text[max(0, begin - 4) : begin])
    after = _DENIED_AFTER.search(text[end : end + _BEHIND])
    if before:
        begin = text.rindex(before.group(1), 0, begin)
    end = end + after.end() if after else end
    closing = _WORD_END.match(text, end)
    return text[begin : closing.end() if closing else end].strip()

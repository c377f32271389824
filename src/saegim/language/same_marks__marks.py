"""Words that tell two texts apart, or that may be left out of both: lists only."""

from __future__ import annotations

from typing import Final

# -- left out -------------------------------------------------------------------------------------

# They only stress what is said; beside a denial they weigh ("not really") and stay.
STRESS: Final = frozenset("really truly honestly 정말 정말로 진짜 진짜로 좀 참".split())
# They say how much: nothing else may differ, and only what has them may take the other in.
DEGREES: Final = frozenset("very 너무 아주 매우 그냥 되게 엄청 무척 굉장히".split())
# They open a sentence and say nothing.
OPENERS: Final = frozenset(
    """oh um uh hmm hey yeah btw actually anyway please and
    음 아 근데 그런데 그리고 참 있잖아 암튼 아무튼""".split()
)
# These do only before a new subject: "so I left", not "so many left" or "well water".
DOUBTFUL_OPENERS: Final = frozenset("so well ok okay".split())
SUBJECTS: Final = frozenset("i i'm we my he she they it you the our his her".split())
OPENING_PHRASES: Final = (("by", "the", "way"), ("아", "맞다"))
ARTICLES: Final = {"a": "a", "an": "a", "the": "the"}
# "a few" is some, "few" is hardly any.
AFTER_ARTICLE: Final = frozenset(("few", "little", "bit", "lot", "most", "only", "same", "other"))
# After these an article is never idle: agreed to plan, agreed to the plan; in front, in the front.
BEFORE_ARTICLE: Final = frozenset("to of in at by out".split())

# -- negation and opposites -----------------------------------------------------------------------

DENIALS: Final = frozenset(
    """not no never none nobody nothing nowhere neither nor without hardly barely unable
    impossible cannot 안 못 별로 전혀 절대 절대로""".split()
)
DENYING: Final = tuple(
    "않 없 아니 아닌 아닙 못하 못했 못한 못할 못합 모르 몰라 모른 몰랐 안되 안돼".split()
)
DISLIKES: Final = frozenset(
    "dislike dislikes disliked hate hates hated refuse refuses refused unhappy".split()
)
DISLIKING: Final = ("싫",)
# Each stands against the other; Korean ones are the beginnings of words.
OPPOSITES: Final = tuple(
    (frozenset(one.split(",")), frozenset(other.split(",")))
    for one, other in (
        pair.split("/")
        for pair in """on/off before/after more/less most/least up/down left/right
        open,opened/closed,close,shut better/worse best/worst faster/slower fastest/slowest
        always/never,rarely,sometimes often/rarely,seldom,sometimes all,every/some,any
        enable,enabled/disable,disabled true/false
        love,loves,like,likes/hate,hates,dislike,dislikes happy/unhappy,sad
        passing,pass,passed/failing,fail,failed over/under,below above/below early/late
        increase,rose,rise/decrease,fell,fall buy,bought/sell,sold lend,lent/borrow,borrowed
        more/fewer same/different only/also,too
        켜,켰,켠/꺼,끄,껐,끈 열/닫 더/덜 전/후,뒤 앞/뒤 위/밑,아래 왼/오른 올라/내려 많/적 크,큰/작
        빠르,빨라,빠른/느리,느려,느린 늘/줄 샀,산다,사는/팔 좋/나쁘,싫,나빠 높/낮 길,긴/짧
        있/없 알/모르,몰라 항상,늘,자주/가끔 꼭/절대 만/도 입원/퇴원 합격/불합격 시작/끝
        """.split()
    )
)

# -- time -----------------------------------------------------------------------------------------

# Said on another day they mean another day.
RELATIVE: Final = frozenset(
    """today yesterday tomorrow tonight now this last next ago recently
    오늘 어제 내일 모레 글피 그제 그저께 엊그제 어젯밤 오늘밤 지금 방금 아까 이번 다음 지난
    저번 이번주 다음주 지난주 저번주 이번달 다음달 지난달 저번달 올해 내년 작년 재작년 금주
    내주 요즘 최근""".split()
)
DATES: Final = RELATIVE | frozenset(
    """monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays
    thursdays fridays saturdays sundays january february march april may june july august
    september october november december morning mornings afternoon afternoons evening evenings
    night nights noon midnight weekday weekdays weekend weekends spring summer autumn winter
    christmas easter thanksgiving daily weekly monthly yearly
    월요일 화요일 수요일 목요일 금요일 토요일 일요일 아침 점심 저녁 새벽 밤 낮 오전 오후 정오
    자정 평일 주말 봄 여름 가을 겨울 설날 추석 명절 크리스마스 매일 매주 매달 매월 매년
    격주 월말 월초 연말 연초""".split()
)
DAYS: Final = RELATIVE | frozenset(
    """monday tuesday wednesday thursday friday saturday sunday 월요일 화요일 수요일 목요일
    금요일 토요일 일요일""".split()
)

# -- what turns another sentence round ------------------------------------------------------------

TURNS: Final = (
    *"""joke joking kidding lie lied lying dream dreamed dreamt maybe perhaps wrong mistaken
    mistake actually however but until unless if cancelled canceled supposedly allegedly instead
    otherwise anymore someone quit stopped ended over former""".split(),
    *"""농담 거짓 꿈 아마 틀렸 착각 취소 하지만 그런데 근데 그러나 만약 혹시 대신 바뀌 바꿨 옛날
    예전 이제 끊 그만 끝 멈""".split(),
)

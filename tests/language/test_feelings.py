"""What a text feels like: words of feeling joined with the heads."""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path

import pytest

from saegim.engines.brain.heads import Heads
from saegim.engines.brain.model import Static
from saegim.language.feelings import feel
from saegim.memory.memory import Emotion, Feeling

DATA = Path(__file__).parents[1] / "data"
PROBE = DATA / "feelings_probe.jsonl"
J, S, A, F = Feeling.JOY, Feeling.SADNESS, Feeling.ANGER, Feeling.FEAR
D, X, V, E = Feeling.DISGUST, Feeling.ANXIETY, Feeling.ENVY, Feeling.ENNUI
N, NONE = Feeling.NOSTALGIA, Feeling.NEUTRAL

TECHNICAL = [
    "서버는 포트 8080에서 실행된다",
    "이 함수는 문자열 목록을 받아 사전을 돌려준다",
    "메모리가 부족하면 프로세스가 강제로 종료된다",
    "치명적인 오류가 발생하면 서비스가 중단됩니다",
    "죽은 프로세스를 정리하고 예외 처리를 추가했다",
    "최악의 경우 시간 복잡도는 O(n^2)이다",
    "불안정한 버전은 쓰지 마세요",
    "자세한 지침은 문서를 참고하세요",
    "로그는 날짜별로 나누어 저장한다",
    "감사 로그는 90일 동안 보관한다",
    "나는 땅콩 알레르기가 있어",
    "어제 병원에 가서 혈액 검사를 받았다",
    "우리 팀은 다섯 명이고 사무실은 강남에 있어요",
    "고객이 환불을 요청해서 결제를 취소 처리했다",
    "The server runs on port 8080",
    "This function takes a list of strings and returns a dictionary",
    "Kill the dead process and catch the exception",
    "A fatal error stops the service",
    "The worst case is quadratic and the happy path is linear",
    "Garbage collection runs after the stress test",
    "The kernel panic came from a bad request handler",
    "I am allergic to peanuts",
    "I went to the hospital yesterday for a blood test",
    "The customer asked for a refund and we cancelled the payment",
]


@pytest.fixture(scope="module")
def heads() -> Heads:
    """The shipped heads."""
    return Heads(Static())


@pytest.fixture(params=["joined", "words alone"])
def either(request: pytest.FixtureRequest, heads: Heads) -> Heads | None:
    """The heads, and none."""
    return heads if request.param == "joined" else None


NAMED = [
    ("드디어 합격해서 정말 기뻐요", J, 1),
    ("할머니 생각에 눈물이 나고 슬펐습니다", S, -1),
    ("너무 억울하고 짜증난다", A, -1),
    ("밤길이 무서웠어", F, -1),
    ("바퀴벌레 징그러워", D, -1),
    ("내일 면접이라 불안해", X, -1),
    ("집 산 친구가 부럽다", V, -1),
    ("매일 똑같아서 지루해", E, -1),
    ("어린 시절이 그립다", N, 0),
    ("I'm so happy we made it", J, 1),
    ("I feel sad and lonely", S, -1),
    ("I'm furious about the delay", A, -1),
    ("I was terrified of the storm", F, -1),
    ("That kitchen is disgusting", D, -1),
    ("I'm anxious about the exam", X, -1),
    ("I'm jealous of her new job", V, -1),
    ("I'm bored of this game", E, -1),
    ("I get nostalgic about my school days", N, 0),
]


@pytest.mark.parametrize(("text", "feeling", "sign"), NAMED)
def test_each_of_the_nine_feelings_is_found(
    either: Heads | None, text: str, feeling: Feeling, sign: int
) -> None:
    """A feeling that is named is found in both languages, with and without heads (seed D §2)."""
    found = feel(text, either)
    assert found.feelings[0] is feeling
    assert found.intensity > 0.4
    assert found.words
    assert sign * found.sentiment > 0 or sign == 0


def test_the_known_faults_of_the_heads_are_mended(heads: Heads) -> None:
    """Tears are sad, "안 좋아" is bad, and feelings without a head are read (seed D §2)."""
    tears = feel("너무 슬퍼서 눈물이 난다", heads)
    assert tears.feelings == (S,)
    assert tears.sentiment < -0.3
    assert heads.read("너무 슬퍼서 눈물이 난다").felt[0] is J
    bad = feel("이거 안 좋아", heads)
    assert bad.sentiment < -0.1
    assert J not in bad.feelings
    assert heads.read("이거 안 좋아").felt == (J,)
    assert feel("수술받는 게 두렵습니다", heads).feelings == (F,)
    assert feel("I'm worried about my mother", heads).feelings == (X,)


DENIED = [
    ("이 식당 정말 좋아", "이 식당 정말 안 좋아", J),
    ("요즘 행복해", "요즘 행복하지 않아", J),
    ("결과가 좋은 거야", "결과가 좋은 건 아니야", J),
    ("너무 슬펐어", "별로 슬프지 않았어", S),
    ("혼자 있으면 무서워", "혼자 있어도 안 무서워", F),
    ("발표가 걱정돼", "발표는 걱정할 필요 없어", X),
    ("짜증 났어", "짜증 난 건 아니야", A),
    ("솔직히 부러워", "전혀 부럽지 않아", V),
    ("영화가 지루했어", "영화가 지루하지 않았어", E),
    ("I'm happy here", "I'm never happy here", J),
    ("This is great", "This isn't great", J),
    ("I'm afraid of flying", "I'm no longer afraid of flying", F),
    ("I hate it", "I don't hate it", A),
    ("I'm jealous of him", "I'm not jealous of him", V),
    ("I am worried", "I am far from worried", X),
    ("It was boring", "It was anything but boring", E),
    ("I enjoyed the film", "i didnt enjoy the film", J),
]


@pytest.mark.parametrize(("said", "denied", "feeling"), DENIED)
def test_a_denied_feeling_is_not_felt(
    either: Heads | None, said: str, denied: str, feeling: Feeling
) -> None:
    """A denial takes the feeling away and turns the sentiment (seed A §7.1, seed D §2)."""
    with_it, without = feel(said, either), feel(denied, either)
    assert feeling not in without.feelings
    assert without.intensity < 0.5
    if feeling is J:
        assert without.sentiment < 0 < with_it.sentiment
    else:
        assert feeling in with_it.feelings
        assert without.sentiment > with_it.sentiment


def test_not_bad_is_good_and_two_denials_are_none(either: Heads | None) -> None:
    """Blame denied is praise; what cannot be but felt is felt (seed A §7.1)."""
    assert feel("That's not bad at all", either).sentiment > 0
    assert feel("생각보다 나쁘지 않네", None).sentiment > 0
    assert S in feel("슬프지 않을 수 없었다", either).feelings
    assert S in feel("I can't stop crying", either).feelings
    assert J in feel("I've never been so proud", either).feelings
    assert A in feel("저런 태도는 도저히 못 참겠다", either).feelings


@pytest.mark.parametrize(
    "text",
    [
        "딸이 결혼해서 기쁘면서도 슬프다",
        "떠나는 선배가 칭찬해 줘서 기뻤지만 너무 서운했다",
        "졸업하니 시원섭섭하네",
        "My daughter got married and I'm happy and sad at the same time",
        "It was a bittersweet goodbye",
    ],
)
def test_joy_and_sadness_stay_a_pair_and_blend_to_nostalgia(
    either: Heads | None, text: str
) -> None:
    """The pair is stored; the blend is read from it (seed D §2)."""
    found = feel(text, either)
    assert {J, S} <= set(found.feelings)
    assert N not in found.feelings
    assert found.blend is N


def test_several_feelings_stand_side_by_side(either: Heads | None) -> None:
    """One text may feel several things (seed D §2)."""
    assert set(feel("혼자 이사 가는 게 무섭고 불안해", either).feelings) == {F, X}
    assert set(feel("I'm excited and nervous about the baby", either).feelings) == {J, X}


@pytest.mark.parametrize("text", TECHNICAL)
def test_plain_statements_are_neutral_and_weak(either: Heads | None, text: str) -> None:
    """A fact feels nothing: it must neither be promoted for it nor kept from fading (seed D §3)."""
    found = feel(text, either)
    assert found.feelings == (NONE,)
    assert found.intensity < 0.05
    assert abs(found.sentiment) < 0.2
    assert found.words == ()


def test_the_heads_alone_would_have_felt_plain_statements(heads: Heads) -> None:
    """Control: some of these statements are felt by the heads, which are not to be believed."""
    assert any(heads.read(text).felt[:1] not in ((), (NONE,)) for text in TECHNICAL)


def test_degree_is_heard(either: Heads | None) -> None:
    """A softener weakens, an intensifier and marks strengthen (seed D §2: intensity)."""
    for row in (
        ("좀 무서워", "무서워", "너무 무서워", "너무 무서워!!"),
        ("I'm a little sad", "I'm sad", "I'm so sad", "I'm so sad!!"),
    ):
        strengths = [feel(text, either).intensity for text in row]
        assert strengths == sorted(set(strengths))
        assert strengths[-1] > 0.6
    assert feel("짜증 나 죽겠어", either).intensity > feel("짜증 나", either).intensity
    assert feel("I AM ANGRY", either).intensity > feel("I am angry", either).intensity


def test_the_later_clause_weighs_more(either: Heads | None) -> None:
    """After "but" comes what is meant (seed A §7.1)."""
    for first, then in (
        ("여행은 즐거웠지만 무서웠어", "여행은 무서웠지만 즐거웠어"),
        ("The trip was fun but scary", "The trip was scary but fun"),
    ):
        assert feel(first, None).sentiment < 0 < feel(then, None).sentiment
        assert feel(first, either).sentiment < feel(then, either).sentiment
    assert J not in feel("처음엔 좋았는데 지금은 짜증만 난다", either).feelings


@pytest.mark.parametrize(
    ("mine", "elsewhere"),
    [
        ("나는 기뻐", "동생이 기쁘대"),
        ("시험에 떨어져서 슬퍼", "만약 시험에 떨어지면 슬플 거야"),
        ("뱀이 무서워", "사람들은 뱀을 무서워한다"),
        ("I am happy", "My brother says he is happy"),
        ("I am sad about the exam", "If I fail the exam I would be sad"),
        ("I am afraid of snakes", "People are afraid of snakes"),
        ("I am angry", "Are you angry?"),
    ],
)
def test_what_others_feel_and_what_might_be_weighs_less(
    either: Heads | None, mine: str, elsewhere: str
) -> None:
    """Somebody else's feeling, a supposed one and a question are weak (seed D §2)."""
    assert feel(elsewhere, either).intensity < 0.35 < feel(mine, either).intensity


def test_politeness_is_not_deep(either: Heads | None) -> None:
    """Thanks and apologies do not make a memory strong (seed D §3)."""
    for text in ("도와줘서 고맙습니다", "thanks!", "죄송합니다 다시 확인하겠습니다"):
        assert feel(text, either).intensity < 0.4


def test_what_only_the_heads_read_is_never_strong(heads: Heads) -> None:
    """Without a word of feeling the intensity stays low, however sure the heads are."""
    texts = [json.loads(line)["text"] for line in PROBE.read_text("utf-8").splitlines()]
    wordless = [each for text in texts if not (each := feel(text, heads)).words]
    assert len(wordless) > 30
    assert max(each.intensity for each in wordless) <= 0.3


def test_words_are_the_texts_own(either: Heads | None) -> None:
    """The emotion words come as they stand, with what denies them (seed A §7.1 keywords)."""
    assert feel("너무 슬퍼서 눈물이 난다 ㅠㅠ", either).words == ("슬퍼서", "눈물이 난다", "ㅠㅠ")
    assert feel("이거 안 좋아", either).words == ("안 좋아",)
    assert feel("하나도 행복하지 않아요", either).words == ("행복하지 않아요",)
    assert feel("I'm not very Happy today", either).words == ("not very Happy",)
    assert feel("서버가 켜졌다", either).words == ()


def test_one_text_in_many_writings_feels_the_same(either: Heads | None) -> None:
    """Decomposed, full-width and zero-width writing changes nothing."""
    for text in ("너무 슬퍼서 눈물이 난다!", "I'm not happy!"):
        plain = feel(text, either)
        assert feel(unicodedata.normalize("NFD", text), either) == plain
        assert feel(text.replace("!", "！"), either) == plain
        assert feel(text[:4] + "\u200b" + text[4:], either) == plain
    assert feel("I’m not happy", either) == feel("I'm not happy", either)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "\n\t",
        "\u200b",
        "\x00",
        "…",
        "12345",
        "😀",
        "🤷‍♀️🤷‍♀️",
        "ㅋ",
        "ㅠ",
        "안",
        "not",
        "\ud800",
    ]
    + ["これは何ですか", "İİİ angry", "𝓗𝓪𝓹𝓹𝔂", "))))((((", "-", "지만", "but", "하지 마"]
    + [
        each * 25_000
        for each in ("ㅋㅋㅋㅋ", "좋지만 ", "not ", "happy, ", "😀", "아아아아", "ntnt")
    ],
)
def test_odd_texts_are_read_without_harm(either: Heads | None, text: str) -> None:
    """Whatever is pasted in, an emotion within its bounds comes out."""
    found = feel(text, either)
    assert isinstance(found, Emotion)
    assert found.confidence is None or 0 <= found.confidence <= 1
    assert sum(map(len, found.words)) < 1000


def test_nothing_said_is_no_emotion(either: Heads | None) -> None:
    """Blank text has no feeling and no confidence."""
    assert feel(" \u200b ", either) == Emotion()


def test_a_long_text_is_read_at_both_ends(heads: Heads) -> None:
    """Of 100 kB the beginning and the end are heard, and one word does not colour it all."""
    filler = "회의록은 공유 드라이브에 있다. " * 6000
    assert feel(filler, heads).intensity <= 0.3
    assert feel("너무 슬프다. " + filler, heads).words == ("슬프다",)
    ended = feel(filler + "정말 화가 난다", heads)
    assert ended.words == ("화가 난다",)
    assert ended.intensity < feel("정말 화가 난다", heads).intensity


def test_confidence_is_lower_without_heads(heads: Heads) -> None:
    """Words and heads together are surer than words alone."""
    for text in ("I'm so happy", "너무 무서워", "벌써 부럽다"):
        joined, alone = feel(text, heads).confidence, feel(text, None).confidence
        assert joined is not None
        assert alone is not None
        assert 0.5 < alone < joined <= 1.0


def test_the_probe_is_read(heads: Heads) -> None:
    """Our own sentences are read right nearly always; the heads alone read half of them."""
    rows = [json.loads(line) for line in PROBE.read_text("utf-8").splitlines()]
    assert len(rows) >= 120
    assert {each for row in rows for each in row["feelings"]} == set(Feeling)
    for language, least in (("ko", 0.85), ("en", 0.9)):
        mine = [row for row in rows if row["lang"] == language]
        right = [
            set(feel(row["text"], heads).feelings) - {NONE} == set(row["feelings"]) - {NONE}
            for row in mine
        ]
        by_heads = [
            set(heads.read(row["text"]).felt) - {NONE} == set(row["feelings"]) - {NONE}
            for row in mine
        ]
        assert sum(by_heads) / len(mine) < 0.7
        assert sum(right) / len(mine) >= least


# -- how strong: what people call strong exceeds what the night asks for (seed D §2, §3) -----------


def read_set(half: str, language: str, heads: Heads | None) -> dict[str, list[float]]:
    """Return how strong each labelled sentence of one half reads, by its label."""
    lines = (DATA / f"intensity_{half}.jsonl").read_text("utf-8").splitlines()
    found: dict[str, list[float]] = {}
    for row in map(json.loads, lines):
        if row["lang"] == language:
            strong = feel(row["text"], heads).intensity
            found.setdefault(row["intensity"], []).append(strong)
    return found


@pytest.mark.parametrize("language", ["ko", "en"])
@pytest.mark.parametrize("half", ["tune", "held"])
def test_what_people_call_strong_exceeds_what_the_night_asks_for(
    either: Heads | None, half: str, language: str
) -> None:
    """Strong passes 0.7 and very strong 0.8 mostly; nothing plain or mild does (seed D §3)."""
    found = read_set(half, language, either)
    assert [len(found[each]) for each in ("none", "mild", "strong", "very strong")] == [13] * 4
    felt = found["strong"] + found["very strong"]
    assert sum(each > 0.7 for each in felt) >= 0.75 * len(felt)
    assert sum(each > 0.8 for each in found["very strong"]) >= 0.65 * 13
    assert max(found["none"]) < 0.35
    assert max(found["mild"]) < 0.7
    assert sum(found["mild"]) / 13 < 0.35


@pytest.mark.parametrize(
    "text",
    [
        "삐돌이가 떠나기 전에 칭찬해줬다",
        "할머니가 돌아가시기 전에 사랑한다고 하셨다",
        "선배가 마지막 날에 수고했다고 안아줬어요",
        "Bbidol praised me before she left",
        "My grandfather told me he was proud of me before he died",
    ],
)
def test_kindness_at_a_parting_is_joy_and_sadness_deeply_felt(
    either: Heads | None, text: str
) -> None:
    """The seed's own orb: joy and sadness at about 0.9, nostalgia together (seed D §2)."""
    found = feel(text, either)
    assert {J, S} <= set(found.feelings)
    assert found.intensity == pytest.approx(0.9, abs=0.06)
    assert found.blend is N


@pytest.mark.parametrize(
    "text",
    [
        "여행 떠나기 전에 짐을 쌌다",
        "퇴근하기 전에 팀장님이 칭찬해줬다",
        "버스가 떠나기 전에 표를 샀다",
        "만약 떠나기 전에 칭찬해준다면 어떨까?",
        "She praised me before she left for work",
        "He left before lunch",
    ],
)
def test_a_leaving_or_a_kindness_alone_is_no_parting(either: Heads | None, text: str) -> None:
    """Control: one half of the scene, an everyday leaving, or a supposed one stays weak."""
    assert feel(text, either).intensity < 0.5


@pytest.mark.parametrize(
    "text",
    [
        "실수했을 때 삐돌이가 괜찮다고 했다",
        "컵을 깨뜨렸는데 엄마가 화를 내지 않았다",
        "When I made a mistake, Bbidol said it was okay",
        "I messed up the demo and my boss forgave me",
    ],
)
def test_a_forgiven_mistake_is_no_anger(either: Heads | None, text: str) -> None:
    """Who was forgiven is rather glad than anything bad (seed D §5, its second core memory)."""
    found = feel(text, either)
    assert not {A, S, X, F, D, E} & set(found.feelings)
    assert found.sentiment > 0
    assert found.intensity < 0.5


def test_an_unforgiven_mistake_still_hurts(either: Heads | None) -> None:
    """Control: the fault alone eases nothing."""
    assert A in feel("실수했다고 팀장이 소리 질러서 너무 화가 난다", either).feelings
    assert S in feel("I made a mistake and I feel so sad", either).feelings


def test_a_feeling_that_is_only_a_matter_is_not_felt(either: Heads | None) -> None:
    """A model of emotions, its classes and labels speak about feelings, not out of them."""
    for text in (
        "The sentiment model confuses anger with disgust",
        "감정 분석 모델이 분노 클래스를 자주 틀립니다",
    ):
        assert feel(text, either).intensity < 0.35
    assert feel("I feel anger and disgust", either).intensity > 0.6

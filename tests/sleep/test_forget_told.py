"""A turn that says "forget what I said about X": the best match leaves, named, for a week.

Where nothing was surely meant, nothing is taken away.
"""

from __future__ import annotations

import pytest

from saegim import FixedClock, Saegim
from saegim.memory.memory import Reason, State
from saegim.sleep.meant import MOST_NAMED

SESSION = "today"


def tell(memory: Saegim, *texts: str, session: str = SESSION) -> list[str]:
    """Tell things in a conversation; return the ids of the turns that were kept."""
    told = [memory.observe(text, session=session).kept for text in texts]
    assert all(told), "each must be kept, or there is nothing to forget"
    return [kept[0].id for kept in told]


def gone(memory: Saegim, text: str, session: str = SESSION) -> list[str]:
    """Ask in a turn to forget; return which memories are said to leave."""
    seen = memory.observe(text, session=session)
    assert seen.decision.forgets
    assert seen.kept == ()
    states = {memory.get(each.id, counts=False).life.state for each in seen.forgotten}
    assert states <= {State.LEAVING}
    return [each.id for each in seen.forgotten]


KOREAN = (
    "내 동생 수민이는 작년부터 우울증 약을 먹고 있어",
    "우리 집 고양이 이름은 보리야",
    "나는 매주 목요일에 도자기 수업을 들어",
)
ENGLISH = (
    "My brother Colin owes the bank forty thousand pounds",
    "Our cat is called Barley",
    "I take a pottery class every Thursday",
)


@pytest.mark.parametrize("text", ["나 회사 그만뒀어", "회사 그만뒀어", "헬스장 해지했어"])
def test_what_ends_in_a_life_is_no_wish_to_forget(memory: Saegim, text: str) -> None:
    """One of two readers takes these for a wish to forget; both must, or nothing is taken away."""
    (work,) = tell(memory, "나는 한빛전자에서 회사 일로 설계를 해")
    seen = memory.observe(text, session=SESSION)
    assert not seen.decision.forgets
    assert memory.get(work, counts=False).life.state is State.ACTIVE


@pytest.mark.parametrize(
    ("told", "asked"),
    [
        (KOREAN, "아까 수민이 우울증 얘기한 거 지워줘"),
        (KOREAN, "수민이 약 먹는다고 한 말은 잊어 주세요"),
        (ENGLISH, "forget what I said about Colin and the bank"),
        (ENGLISH, "what I told you about Colin earlier, please wipe it from memory"),
    ],
)
def test_the_best_match_of_a_conversation_leaves(
    memory: Saegim, told: tuple[str, ...], asked: str
) -> None:
    """What the words name goes into the queue as a person's wish; the rest stays."""
    first, *others = tell(memory, *told)
    assert gone(memory, asked) == [first]
    assert memory.get(first, counts=False).life.leaving_reason is Reason.MANUAL
    assert {memory.get(id, counts=False).life.state for id in others} == {State.ACTIVE}
    memory.restore(first)
    assert memory.get(first, counts=False).life.state is State.ACTIVE


@pytest.mark.parametrize(
    ("told", "asked"),
    [(KOREAN, "방금 한 말은 잊어 줘"), (ENGLISH, "Forget what I just said, please.")],
)
def test_what_was_just_said_is_the_last_thing_told(
    memory: Saegim, told: tuple[str, ...], asked: str
) -> None:
    """Words that name nothing point at the turn before."""
    *others, last = tell(memory, *told)
    assert gone(memory, asked) == [last]
    assert {memory.get(id, counts=False).life.state for id in others} == {State.ACTIVE}


@pytest.mark.parametrize(
    ("told", "asked"),
    [
        (KOREAN, "저번에 수민이 얘기한 거 잊어 줘"),
        (ENGLISH, "the thing I told you about Colin the other day, forget it"),
    ],
)
def test_an_earlier_conversation_is_looked_through(
    memory: Saegim, clock: FixedClock, told: tuple[str, ...], asked: str
) -> None:
    """Words that point further back are not taken to mean this conversation."""
    first, *_ = tell(memory, *told, session="before")
    clock.forward(days=3)
    here = tell(memory, told[1])
    assert gone(memory, asked) == [first]
    assert memory.get(here[0], counts=False).life.state is State.ACTIVE


@pytest.mark.parametrize(
    ("told", "asked"),
    [
        (KOREAN, "아까 로또 당첨 얘기한 거 지워줘"),
        (ENGLISH, "forget what I told you about the lottery win last week"),
    ],
)
def test_what_is_not_there_takes_nothing_else_away(
    memory: Saegim, told: tuple[str, ...], asked: str
) -> None:
    """The control: a wish that fits nothing leaves everything, and says so."""
    ids = tell(memory, *told)
    assert gone(memory, asked) == []
    assert {memory.get(id, counts=False).life.state for id in ids} == {State.ACTIVE}


@pytest.mark.parametrize(
    ("told", "asked", "at"),
    [
        (
            ("동생 기선이한테 팔백만원을 빌려줬어", "조카 돌잔치가 토요일이야", *KOREAN),
            "그 돈 오간 집안 얘기는 기억에서 잊어 줘",
            0,
        ),
        (
            ("I lent my brother Keith two thousand pounds", "The roof leaks again", *ENGLISH[1:]),
            "forget the family money business I told you about",
            0,
        ),
    ],
)
def test_what_may_be_meant_is_named_where_nothing_surely_is(
    default_embedder: None,
    memory: Saegim,
    clock: FixedClock,
    told: tuple[str, ...],
    asked: str,
    at: int,
) -> None:
    """Named in other words it leaves or is among the nearest, and nothing else leaves unsaid."""
    ids = [memory.remember(text, session="before").id for text in told]
    clock.forward(days=9)
    seen = memory.observe(asked, session=SESSION)
    assert seen.decision.forgets
    assert ids[at] in [each.id for each in (*seen.forgotten, *seen.perhaps)]
    assert bool(seen.forgotten) != bool(seen.perhaps)
    assert len(seen.perhaps) <= MOST_NAMED
    left = {each.id for each in seen.forgotten}
    states = {id: memory.get(id, counts=False).life.state for id in ids}
    assert {id for id, state in states.items() if state is State.LEAVING} == left


@pytest.mark.parametrize(
    ("told", "asked"),
    [("나는 땅콩 알레르기가 있어", "땅콩 얘기는 잊어줘"), ("보리가 아파", "보리 얘기 잊어 줘")],
)
def test_a_name_of_two_syllables_is_a_name(memory: Saegim, told: str, asked: str) -> None:
    """Also outside of any conversation, as on the command line."""
    kept = memory.remember(told)
    assert [each.id for each in memory.observe(asked).forgotten] == [kept.id]


def test_a_wish_that_fits_nothing_names_nothing(memory: Saegim) -> None:
    """The control: what is far from everything is not offered as what may be meant."""
    memory.remember(ENGLISH[2], session="before")
    seen = memory.observe("forget the trip to Rome", session=SESSION)
    assert (seen.decision.forgets, seen.forgotten, seen.perhaps) == (True, (), ())


PLANS = ("금요일에 치과 예약 있어", "I have a dentist appointment on Friday")


@pytest.mark.parametrize(
    ("asked", "at"),
    [
        ("치과 예약 잊어줘", 0),
        ("치과 예약은 잊어버려", 0),
        ("치과 예약 얘기는 그냥 잊어 주세요", 0),
        ("내 치과 예약은 이제 잊어버려줘", 0),
        ("forget the dentist appointment", 1),
        ("Just forget about my dentist appointment, please.", 1),
        ("could you forget the dentist appointment?", 1),
    ],
)
def test_what_is_to_be_forgotten_is_named_by_its_name_alone(
    memory: Saegim, asked: str, at: int
) -> None:
    """Nobody need say that it was said: an order to forget something is about that."""
    ids = [memory.remember(text).id for text in (*PLANS, *KOREAN, *ENGLISH)]
    assert gone(memory, asked) == [ids[at]]


@pytest.mark.parametrize("asked", ["부산 출장은 잊어버려", "forget the trip to Rome"])
def test_a_name_that_fits_nothing_takes_nothing(memory: Saegim, asked: str) -> None:
    """The control: it is looked for, and not there."""
    tell(memory, *KOREAN, *ENGLISH)
    assert gone(memory, asked) == []


@pytest.mark.parametrize(
    "asked", ["이건 잊어줘", "남편이랑 싸웠어, 그냥 잊어줘", "never mind", "forget it"]
)
def test_these_very_words_are_no_other_memory(memory: Saegim, asked: str) -> None:
    """The control: what points at itself leaves what was told before."""
    ids = [memory.remember(text).id for text in (*PLANS, *KOREAN, *ENGLISH)]
    assert memory.observe(asked, session=SESSION).kept == ()
    assert {memory.get(id, counts=False).life.state for id in ids} == {State.ACTIVE}


@pytest.mark.parametrize(
    "text",
    [
        "그 사람 잊어야 해",
        "지갑 두고 온 거 잊어버렸어",
        "치과 예약을 잊어버렸어",
        "요즘 치과 예약을 자꾸 잊어버려",
        "나는 치과 예약을 금방 잊어버려",
        "지수가 치과 예약을 또 잊어버려",
        "I always forget my dentist appointment",
        "I forgot the dentist appointment",
        "don't forget the dentist appointment",
    ],
)
def test_what_slips_a_mind_is_no_wish_to_forget(memory: Saegim, text: str) -> None:
    """The control: to tell that one forgets asks for nothing, and refuses nothing."""
    ids = [memory.remember(each).id for each in PLANS]
    seen = memory.observe(text, session=SESSION)
    assert not seen.decision.forgets
    assert seen.decision.why != ("refusal",)
    assert {memory.get(id, counts=False).life.state for id in ids} == {State.ACTIVE}


@pytest.mark.parametrize(
    "command",
    [
        "이 파일 지워주세요",
        "두 번째 문단은 지우고 다시 써줘",
        "delete that line from the config",
        "remove the second paragraph and send it again",
    ],
)
def test_a_command_to_delete_something_else_forgets_nothing(memory: Saegim, command: str) -> None:
    """The control: files, lines and paragraphs are no memories."""
    ids = tell(memory, *KOREAN, *ENGLISH)
    seen = memory.observe(command, session=SESSION)
    assert not seen.decision.forgets
    assert seen.forgotten == ()
    assert {memory.get(id, counts=False).life.state for id in ids} == {State.ACTIVE}


@pytest.mark.parametrize(
    ("told", "asked", "corrected", "meant"),
    [
        (KOREAN, "방금 한 말은 잊어 줘", "아니 그거 말고 수민이 약 얘기 잊어 줘", 0),
        (ENGLISH, "forget what I just said", "no, not that, forget what I said about Colin", 0),
    ],
)
def test_the_turn_after_says_that_another_was_meant(
    memory: Saegim, told: tuple[str, ...], asked: str, corrected: str, meant: int
) -> None:
    """The first is called back, the other leaves."""
    ids = tell(memory, *told)
    [wrong] = gone(memory, asked)
    seen = memory.observe(corrected, session=SESSION)
    assert [each.id for each in seen.restored] == [wrong]
    assert [each.id for each in seen.forgotten] == [ids[meant]]
    assert memory.get(wrong, counts=False).life.state is State.ACTIVE
    assert memory.get(ids[meant], counts=False).life.state is State.LEAVING


EN_WISH = "Forget what I said about Anna in Bergen."
EN_TOLD = (
    "My sister Anna lives in Bergen.",
    "My old bicycle is a green Koga.",
    "My old phone number is 555 0134 in Oslo.",
)
KO_WISH = "민수 부산 얘기한 거 잊어줘"
KO_TOLD = (
    "우리 언니 민수는 부산에 살아",
    "내 자전거는 초록색 코가야",
    "내 옛날 전화번호는 031-555-0134야",
)
BICYCLE, PHONE = 1, 2


def heard_after_a_wish(memory: Saegim, text: str) -> tuple[bool, list[int]]:
    """Let the first of three go, say this; return if it came back, and which others left."""
    korean = any("가" <= letter <= "힣" for letter in text)
    ids = tell(memory, *(KO_TOLD if korean else EN_TOLD))
    assert gone(memory, KO_WISH if korean else EN_WISH) == [ids[0]]
    seen = memory.observe(text, session=SESSION)
    is_back = memory.get(ids[0], counts=False).life.state is State.ACTIVE
    assert [each.id for each in seen.restored] == ids[: int(is_back)]
    return is_back, [ids.index(each.id) for each in seen.forgotten]


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("No, I meant the bicycle.", [BICYCLE]),
        ("No, not that one, the bicycle.", [BICYCLE]),
        ("Not her, the bike!", [BICYCLE]),
        ("No, I meant forget the bicycle.", [BICYCLE]),
        ("Forget the bicycle instead.", [BICYCLE]),
        ("No, not that.", []),
        ("No, the other one.", []),
        ("No, wrong one.", []),
        ("That's not what I meant.", []),
        ("No, not that one, it is far too dear to me.", []),
        ("그거 말고 자전거 얘기 잊어줘", [BICYCLE]),
        ("그게 아니라 자전거", [BICYCLE]),
        ("미안, 자전거 얘기를 말한 거야", [BICYCLE]),
        ("민수 말고 자전거 얘기 잊어줘", [BICYCLE]),
        ("아니 언니 말고", []),
        ("그거 말고", []),
        ("아니 다른 거", []),
        ("아니, 자전거 말이야", []),
    ],
)
def test_not_that_one_takes_the_last_wish_back(memory: Saegim, text: str, meant: list[int]) -> None:
    """However long it is; what is named instead leaves, if it is found."""
    assert heard_after_a_wish(memory, text) == (True, meant)


@pytest.mark.parametrize(
    "text",
    [
        "Sorry, and please also forget my old phone number in Oslo.",
        "Wait, forget the phone number too.",
        "Oops, forget the phone number as well.",
        "No really, forget about Anna, and the phone number too.",
        "Sorry, forget my old phone number, please.",
        "그거 말고도 옛날 전화번호도 잊어줘.",
        "아니 그냥 전화번호도 잊어줘.",
        "민수 얘기 말고 전화번호도 잊어줘",
        "그거 말고 또 전화번호 얘기 잊어줘",
        "아니, 전화번호 얘기 잊어줘",
    ],
)
def test_a_second_wish_brings_nothing_back(memory: Saegim, text: str) -> None:
    """The control: also, too and 도 add to a wish, and so does one that says no "not that"."""
    assert heard_after_a_wish(memory, text) == (False, [PHONE])


@pytest.mark.parametrize(
    "text",
    [
        "Sorry, it's on Tuesday.",
        "No, the meeting's Friday.",
        "No, I live in Oslo, not that it matters to her.",
        "Not that it matters.",
        "I meant to call my mother today.",
        "No thanks.",
        "아니, 회의는 화요일이야.",
        "그거 말고는 없어",
        "아니 괜찮아",
    ],
)
def test_what_says_something_else_takes_nothing_back(memory: Saegim, text: str) -> None:
    """The control: a turn that tells something, or nothing, is no word about the wish."""
    assert heard_after_a_wish(memory, text) == (False, [])


@pytest.mark.parametrize("erased", [True, False])
def test_what_was_erased_meanwhile_is_not_called_back(memory: Saegim, *, erased: bool) -> None:
    """Nothing is left of it to call back, and the turn is heard all the same."""
    ids = tell(memory, *EN_TOLD)
    assert gone(memory, EN_WISH) == [ids[0]]
    if erased:
        memory.forgetting.erase(ids[0], confirm=True)
    seen = memory.observe("No, not that.", session=SESSION)
    assert [each.id for each in seen.restored] == ([] if erased else ids[:1])
    assert seen.forgotten == ()


def test_an_agent_cannot_ask_in_a_turn(memory: Saegim) -> None:
    """The control: only what the person says is a wish."""
    ids = tell(memory, *ENGLISH)
    seen = memory.observe("Forget what I said about Colin.", role="assistant", session=SESSION)
    assert seen.forgotten == ()
    assert {memory.get(id, counts=False).life.state for id in ids} == {State.ACTIVE}

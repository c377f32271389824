"""When two near memories may become one: nothing that was said may be lost."""

from __future__ import annotations

import json
import unicodedata
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from saegim.engines.brain.model import Static
from saegim.engines.embedder import cosine
from saegim.language.same import difference, fuller, may_become
from saegim.language.words import Basic
from saegim.memory.memory import Kind, Memory, Origin, Provenance, Scope, Time

ANALYSER = Basic()
AT = datetime(2026, 3, 4, 9, 0, tzinfo=UTC)
Pair = dict[str, str]


def pairs(name: str) -> list[Pair]:
    """Return a labelled set; every second pair was held out while the rules were made."""
    lines = (Path(__file__).parent / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def memory(text: str, id: str = "mem_a", **fields: Any) -> Memory:
    """Return a memory of these words, told on one morning."""
    time = fields.pop("time", Time(happened_at=AT, recorded_at=AT))
    return Memory(id=id, scope=fields.pop("scope", Scope("me")), text=text, time=time, **fields)


def apart(one: str, two: str) -> str:
    """Return what tells two texts apart."""
    return difference(memory(one), memory(two, "mem_b"), analyser=ANALYSER)


DISTINCT, SAME = pairs("near_but_distinct"), pairs("same")
TEXTS = sorted({pair[side] for pair in DISTINCT + SAME for side in ("one", "two")})
texts = st.one_of(st.sampled_from(TEXTS), st.text(min_size=1, max_size=40))


# -- the labelled sets ----------------------------------------------------------------------------


def test_the_sets_are_as_large_as_the_wish() -> None:
    """U5.2: more than 200 near-but-distinct pairs, in both languages, each once."""
    for found, least in ((DISTINCT, 130), (SAME, 50)):
        told = {(pair["one"], pair["two"]) for pair in found}
        assert len(told) == len(found)
        assert all(sum(pair["lang"] == each for pair in found) >= least for each in ("ko", "en"))


@pytest.mark.parametrize("half", [0, 1], ids=["tuned", "held out"])
def test_no_distinct_pair_is_taken_for_one(half: int) -> None:
    """U5.2: another number, date, version, name, word, time, part or direction: none is lost."""
    lost = [pair for pair in DISTINCT[half::2] if not apart(pair["one"], pair["two"])]
    lost += [pair for pair in DISTINCT[half::2] if not apart(pair["two"], pair["one"])]
    assert lost == []


def test_the_embedder_alone_would_lose_many() -> None:
    """U5.2, the control: by cosine 0.92 alone more than eighty of these pairs would be one."""
    brain = Static()
    ones = brain.embed([pair["one"] for pair in DISTINCT], "document")
    twos = brain.embed([pair["two"] for pair in DISTINCT], "document")
    near = sum(float(cosine(a, b)) >= 0.92 for a, b in zip(ones, twos, strict=True))
    assert near > 80


@pytest.mark.parametrize(("half", "least"), [(0, 61), (1, 54)], ids=["tuned", "held out"])
def test_what_is_said_alike_is_recognised(half: int, least: int) -> None:
    """DESIGN §4b: politeness, particles, spacing, case, filler and free order make no two things.

    Of the held-out half 54 of 61 were recognised at the first look; it was not tuned on.
    """
    found = [pair for pair in SAME[half::2] if not apart(pair["one"], pair["two"])]
    assert len(found) >= least


# -- each difference by its name ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("one", "two", "named"),
    [
        ("알약을 두 번 먹었다", "알약을 세 번 먹었다", "number"),
        ("I ran twice", "I ran once", "number"),
        ("딸이 하나 있다", "딸이 둘 있다", "number"),
        ("첫째가 왔다", "둘째가 왔다", "number"),
        ("It was -5 outside", "It was 5 outside", "number"),
        ("The fee is 3 EUR", "The fee is 3 USD", "number"),
        ("버전은 1.2.3이다", "버전은 1.23이다", "number"),
        ("월요일에 쉰다", "화요일에 쉰다", "date"),
        ("Call me at 7 am", "Call me at 7 pm", "date"),
        ("아침에 뛴다", "저녁에 뛴다", "date"),
        ("나는 술을 마신다", "나는 술을 안 마신다", "negation"),
        ("I eat meat", "I don't eat meat", "negation"),
        ("불을 켰다", "불을 껐다", "negation"),
        ("Turn the light on", "Turn the light off", "negation"),
        ("Eat before noon", "Eat after noon", "negation"),
        ("값이 더 올랐다", "값이 덜 올랐다", "negation"),
        ("로그는 Loki로 모은다", "로그는 Splunk로 모은다", "name"),
        ("I met Anna", "I met Hanna", "name"),
        ("민수 씨가 왔다", "진수 씨가 왔다", "name"),
        ("run.py를 고쳤다", "main.py를 고쳤다", "name"),
        ("나는 차를 좋아한다", "I like tea", "language"),
        ("I drink tea", "I drink coffee", "words"),
        ("민수가 지수를 도왔다", "지수가 민수를 도왔다", "form"),
        ("지수는 갔다", "지수는 간다", "form"),
        ("The bug is fixed", "The bug is fixed?", "form"),
    ],
)
def test_a_difference_has_a_name(one: str, two: str, named: str) -> None:
    """U5.2: the reason says what would have been lost."""
    assert apart(one, two) == apart(two, one) == named


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("이건 내 책임", "이건 내 책이다"),
        ("여기는 바다", "여기는 바입니다"),
        ("내가 좋아하는 건 영화", "내가 좋아하는 건 영호다"),
        ("우리 집은 지수네", "우리 집은 지수다"),
        ("내가 놀았다", "나가 놀았다"),
        ("나는 친구에게 돈을 빌려준다", "나는 친구에게 돈을 빌린다"),
        ("작은 방에 책상을 놓았다", "방에 작은 책상을 놓았다"),
        ("나는 고양이가 무섭다", "고양이는 내가 무섭다"),
        ("민수와 지수를 도왔다", "지수를 민수와 도왔다"),
        ("지수 동생을 만났다", "지수가 동생을 만났다"),
        ("문을 닫아", "문을 닫는다"),
        ("오 과장님이 왔다", "과장님이 왔다"),
        ("읽는 책이 좋다", "읽은 책이 좋다"),
        ("나는 땅을 판다", "나는 땅을 파"),
        ("나는 집을 산다", "나는 집을 살아"),
        ("I have finished the report", "I have the finished report"),
        ("So many people came", "Many people came"),
        ("Well water is safe", "Water is safe"),
        ("Everyone agreed to the plan", "Everyone agreed to plan"),
        ("I have few friends", "I have a few friends"),
        ("He works for us", "He works for US"),
        ("I don't really like it", "I don't like it"),
        ("The value is <5", "The value is 5"),
        ("Use __init__ here", "Use init here"),
        ("I met a director", "I met the director"),
        ("!!!", "I like tea"),
    ],
)
def test_forms_that_look_alike_are_kept_apart(one: str, two: str) -> None:
    """U5.2: a rule that makes spellings equal must not make meanings equal."""
    assert apart(one, two) != ""
    assert apart(two, one) != ""


# -- around the words -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ({"scope": Scope("you")}, "scope"),
        ({"scope": Scope("me", agent="codex")}, "scope"),
        ({"scope": Scope("me", project="alpha")}, "scope"),
        ({"visibility": "shared"}, "scope"),
        ({"kind": Kind.PREFERENCE}, "kind"),
        ({"kind": Kind.IMAGINED}, "kind"),
        ({"provenance": Provenance(author="지민")}, "author"),
        ({"provenance": Provenance(origin=Origin.WEB)}, "origin"),
        ({"provenance": Provenance(origin=Origin.USER_CONFIRMED)}, "origin"),
    ],
)
def test_the_same_words_from_elsewhere_stay_two(fields: dict[str, Any], named: str) -> None:
    """U5.2: another scope, kind, author or trust is another memory, whatever the words."""
    one, other = memory("tea at four"), memory("tea at four", "mem_b", **fields)
    assert difference(one, other, analyser=ANALYSER) == named
    assert may_become(other, one, analyser=ANALYSER) == named


def test_another_session_of_the_same_scope_is_no_difference() -> None:
    """DESIGN §4b: what is said again in another session is said again."""
    other = memory("tea at four", "mem_b", scope=Scope("me", session="s2"))
    assert difference(memory("tea at four"), other, analyser=ANALYSER) == ""


@pytest.mark.parametrize(
    ("text", "kind", "said", "named"),
    [
        ("tea at four", Kind.FACT, False, ""),
        ("tea at four", Kind.EXPERIENCE, False, "day"),
        ("tea at four", Kind.EPISODE, False, "day"),
        ("tea at four", Kind.EMOTION, False, "day"),
        ("tea at four", Kind.FACT, True, "day"),
        ("I fly to Busan tomorrow", Kind.FACT, False, "day"),
        ("금요일에 발표가 있다", Kind.FACT, False, "day"),
        ("이번주에 이사한다", Kind.FACT, False, "day"),
    ],
)
def test_another_day_is_another_time(text: str, kind: Kind, said: bool, named: str) -> None:
    """U5.2: what happens happens on a day, and tomorrow is not the same day tomorrow."""
    later = AT + timedelta(days=1)
    one = memory(text, kind=kind)
    time = Time(happened_at=later, recorded_at=later, said_at=later if said else None)
    assert difference(one, memory(text, "mem_b", kind=kind, time=time), analyser=ANALYSER) == named


def test_other_mentioned_days_or_another_end_keep_two_apart() -> None:
    """U5.2: the days the words speak of, and the day on which it ended, belong to what is said."""
    named = Time(happened_at=AT, recorded_at=AT, mentions=("2026-03-05/2026-03-06",))
    ended = Time(happened_at=AT, recorded_at=AT, valid_to=AT + timedelta(days=9))
    for time in (named, ended):
        other = memory("tea at four", "mem_b", time=time)
        assert difference(memory("tea at four"), other, analyser=ANALYSER) == "day"


# -- which one says it all ------------------------------------------------------------------------


def test_only_the_fuller_of_two_takes_the_other_in() -> None:
    """DESIGN §4b: a merge is allowed into what says everything the other says, not out of it."""
    short, long = memory("I keep bees"), memory("I keep bees. It calms me.", "mem_b")
    assert difference(short, long, analyser=ANALYSER) == ""
    assert fuller(short, long, analyser=ANALYSER) is long
    assert fuller(long, short, analyser=ANALYSER) is long
    assert may_become(long, short, analyser=ANALYSER) == ""
    assert may_become(short, long, analyser=ANALYSER) == "words"


def test_how_much_is_kept_by_the_one_that_says_it() -> None:
    """U5.2: "too long" says more than "long"; two degrees are two things."""
    plain, much = memory("회의가 길었다"), memory("회의가 너무 길었다", "mem_b")
    assert may_become(much, plain, analyser=ANALYSER) == ""
    assert may_become(plain, much, analyser=ANALYSER) == "words"
    assert apart("회의가 아주 길었다", "회의가 너무 길었다") != ""


@pytest.mark.parametrize(
    ("short", "long"),
    [
        ("It broke.", "It broke. I dreamed it."),
        ("나는 담배를 피운다", "나는 담배를 피운다. 이제는 끊었다."),
        ("지수가 이긴다", "지수가 이긴다. 정말일까?"),
        ("I keep bees", "I keep bees. Tom does too."),
    ],
)
def test_what_is_taken_back_or_adds_a_name_does_not_take_in(short: str, long: str) -> None:
    """U5.2: a text that turns its own words round says something else."""
    assert apart(short, long) != ""


def test_where_neither_is_fuller_there_is_none() -> None:
    """DESIGN §4b: tea is not in coffee; of two that say equally much the first is returned."""
    tea, coffee = memory("I drink tea"), memory("I drink coffee", "mem_b")
    more = memory("I drink strong black tea", "mem_c")
    polite = memory("나는 차를 마셔요"), memory("나는 차를 마십니다", "mem_d")
    assert fuller(tea, coffee, analyser=ANALYSER) is None
    assert fuller(tea, more, analyser=ANALYSER) is more
    assert difference(tea, more, analyser=ANALYSER) == "words"
    assert fuller(*polite, analyser=ANALYSER) is polite[0]
    assert fuller(*reversed(polite), analyser=ANALYSER) is polite[1]


def test_a_document_is_only_the_same_as_itself() -> None:
    """U5.2: of a long text every letter counts but case and white space."""
    long = "I walk along the river and count the boats. " * 60
    assert apart(long, long.upper().replace(" ", "  ")) == ""
    assert apart(long, long + "Today there were none.") == "words"


# -- properties -----------------------------------------------------------------------------------


@given(text=texts)
@example(text="...")
@example(text="?")
def test_identical_words_are_the_same(text: str) -> None:
    """U5.2: whatever is written, it says what it says, composed or decomposed."""
    one, other = memory(text), memory(text, "mem_b")
    assert difference(one, other, analyser=ANALYSER) == ""
    assert may_become(one, other, analyser=ANALYSER) == ""


@given(text=st.sampled_from(TEXTS))
def test_the_form_of_the_letters_says_nothing(text: str) -> None:
    """U5.2: NFC and NFD, and spaces around, are one text."""
    assert apart(text, f" {unicodedata.normalize('NFD', text)} ") == ""


@given(one=texts, two=texts)
def test_the_same_is_the_same_from_both_sides(one: str, two: str) -> None:
    """U5.2: no order of asking makes two things one."""
    assert (apart(one, two) == "") == (apart(two, one) == "")


@given(text=st.sampled_from(TEXTS), data=st.data())
def test_a_shuffled_text_is_judged_alike_from_both_sides(text: str, data: st.DataObject) -> None:
    """U5.2: words dropped or moved: the answer does not depend on who comes first."""
    words = data.draw(st.permutations(text.split()))
    other = " ".join(words[: data.draw(st.integers(1, len(words)))])
    assert (apart(text, other) == "") == (apart(other, text) == "")


@given(text=texts, number=st.integers(0, 10**9))
def test_one_more_number_is_always_a_difference(text: str, number: int) -> None:
    """U5.2: no number is ever lost."""
    assert apart(text, f"{text} {number}") != ""
    assert apart(f"{number} {text}", text) != ""

"""What is saved from the answers of small models, and what is not."""

from __future__ import annotations

import json
import re
import sys
import unicodedata
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.bad_json import Bad
from engines.bad_outputs import ALL, HARD, NOTHING
from saegim.engines.llm import json_repair
from saegim.engines.llm.json_repair import DEEPEST, LONGEST, CutObject, items, number, values
from saegim.engines.llm.models import clean, spoken
from saegim.errors import BadReply

TraceFunction = Callable[[FrameType, str, Any], Any]
EASY = [each for each in ALL if each not in HARD]


def contents(text: str, prompt: str = "") -> list[str] | None:
    """Return the contents of the items that are saved, or None where nothing is."""
    try:
        return [str(each["content"]) for each in items(text, prompt=prompt)]
    except BadReply:
        return None


def ids(entry: Bad) -> str:
    """Name an entry in the report."""
    return entry.name


@pytest.mark.parametrize("entry", EASY, ids=ids)
def test_what_is_whole_in_a_bad_answer_is_saved(entry: Bad) -> None:
    """U14.1: every whole item is found, in order, and nothing is found that is not there."""
    assert contents(entry.text) == (None if entry.hopeless else list(entry.whole))


def test_nine_of_ten_items_are_saved_over_the_whole_corpus() -> None:
    """U14.1: at least 100 bad answers, at least 90 % of their items, no crash, nothing made up."""
    wanted = saved = invented = 0
    for entry in ALL:
        found = contents(entry.text) or []
        wanted += len(entry.whole)
        saved += len(set(found) & set(entry.whole))
        invented += len(set(found) - set(entry.whole))
    assert len([each for each in ALL if each.whole]) >= 100
    assert len({each.name for each in ALL}) == len(ALL)
    assert saved / wanted >= 0.9
    assert invented == 0


def test_a_strict_reader_saves_far_less() -> None:
    """U14.1, control: the corpus is really bad; the standard library reads few of its answers."""
    readable = 0
    for entry in ALL:
        try:
            json.loads(entry.text)
        except (ValueError, RecursionError):
            continue
        readable += 1
    assert readable < len(ALL) / 3


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "said nothing"),
        ("\u200b\n", "said nothing"),
        ("<think>hm", "thought but did not answer"),
        ("죄송하지만 도와드릴 수 없습니다.", "refused to answer"),
        ("I cannot help with that.", "refused to answer"),
        ("부산이 좋다.", "prose"),
        ('{"a": {"b": 1}}', "another shape"),
        ('{"facts": [{"content": "민', "cut off"),
        ("[" * 100, "too deeply"),
        ('{"facts": [[' + "[" * 60 + '"a"' + "]" * 60 + "]]}", "too deeply"),
    ],
)
def test_an_error_says_what_came_instead(text: str, says: str) -> None:
    """U14.2: the reason that is kept with a failed job names the fault, and who had it."""
    with pytest.raises(BadReply, match=f"tiny at home .*{says}") as caught:
        items(text, who="tiny at home")
    assert caught.value.next_step


def test_an_answer_that_was_cut_off_names_the_cap() -> None:
    """U14.2: a cap that is too small is a setting, and the error says which."""
    with pytest.raises(BadReply) as caught:
        items('{"facts": [{"content": "민')
    assert "model_max_tokens" in caught.value.next_step


PROMPT = (
    "아래 문장에서 기억할 사실을 찾아 JSON으로 적어라. 사실이 없으면 빈 목록을 적어라.\n"
    '예: {"facts": [{"content": "수아는 고양이를 키운다", "type": "fact"}]}\n'
    "문장: 민호는 지난주에 부산으로 이사했고, 새 집은 바다가 보인다고 한다. 회사는 그대로다.\n"
    "답은 사실마다 한 문장으로, 문장에 있는 말로만, 문장의 언어로 적어라."
)


def test_a_question_that_is_repeated_is_no_answer() -> None:
    """R-23: the examples of a prompt do not become facts because the model said them again."""
    assert contents(PROMPT) == ["수아는 고양이를 키운다"], "the control: unknown, it looks like one"
    assert contents(PROMPT, prompt=PROMPT) is None
    assert contents(PROMPT[:240], prompt=PROMPT) is None
    assert contents("  ".join(PROMPT.split()), prompt=PROMPT) is None
    assert contents(PROMPT.splitlines()[2], prompt=PROMPT) is None
    with pytest.raises(BadReply, match="only repeated the question"):
        items(PROMPT.splitlines()[2], prompt=PROMPT)


def test_an_answer_behind_the_question_is_found() -> None:
    """R-23: a model that first repeats the question and then answers has answered."""
    answer = '{"facts": [{"content": "민호는 부산으로 이사했다"}]}'
    assert contents(f"{PROMPT}\n{answer}", prompt=PROMPT) == ["민호는 부산으로 이사했다"]


def test_a_short_answer_that_the_prompt_shows_is_an_answer() -> None:
    """R-23: saying that there is nothing, in the words of the example, is no echo."""
    asked = 'If there is nothing to remember, answer {"facts": []} and nothing else at all.'
    assert contents('{"facts": []}', prompt=asked) == []


def test_fields_arrive_under_english_names() -> None:
    """U14.1: Korean keys, decomposed or not, are put into the words the house uses."""
    text = '{"사실": [{"내용": "홍차", "유형": "선호", "중요도": "0.8", "확신도": 0.9, "x": 1}]}'
    expected = {"content": "홍차", "type": "선호", "importance": "0.8", "confidence": 0.9, "x": 1}
    assert items(text) == [expected]
    assert items(unicodedata.normalize("NFD", text))[0].keys() == expected.keys()


def test_a_field_of_the_right_name_wins() -> None:
    """U14.1: what is called content is the content, whatever else the object holds."""
    assert contents('[{"text": "whole turn", "content": "a fact", "memory": "m"}]') == ["a fact"]


def test_other_lists_and_fields_can_be_asked_for() -> None:
    """U14.1: the same care serves other questions than facts."""
    text = '{"triples": [{"주어": "민호", "관계": "lives_in", "목적어": "부산",}, {"object": "x"}]}'
    assert items(text, many="triples", need="subject") == [
        {"subject": "민호", "predicate": "lives_in", "object": "부산"}
    ]


def test_fields_that_hold_nothing_are_left_out() -> None:
    """U14.1: NaN, null and undefined are not values."""
    text = '[{"content": "a", "importance": NaN, "type": null, "when": undefined, "n": 1e999}]'
    assert items(text) == [{"content": "a"}]


def test_repeated_items_count_once() -> None:
    """U14.2: a model that repeats itself until the cap fills no list."""
    assert contents('{"facts": [' + '{"content": "같은 말"}, ' * 3000) == ["같은 말"]


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        (0.8, 0.8),
        (1, 1.0),
        ("0.8", 0.8),
        (" 7 ", 7.0),
        ("80%", 0.8),
        ("8/10", 0.8),
        ("-0.5", -0.5),
        ("1.", 1.0),
        (True, None),
        ("높음", None),
        ("", None),
        ("1/0", None),
        ("1e5", None),
        ("9" * 400, None),
        (10**400, None),
        (float("nan"), None),
        (float("inf"), None),
        (None, None),
        ([1], None),
    ],
)
def test_numbers_are_read_as_people_write_them(written: object, meant: float | None) -> None:
    """U14.1: numbers in quotes, percents and fractions are numbers; other text is none."""
    assert number(written) == meant


def test_an_endless_answer_is_read_to_a_bound() -> None:
    """U14.2: only the beginning of a runaway answer is looked at."""
    first, last = '{"content": "처음"}, ', '{"content": "마지막"}'
    assert contents(f"[{first}" + " " * LONGEST + f"{last}]") == ["처음"]
    assert contents(f"[{first}" + " " * 100 + f"{last}]") == ["처음", "마지막"]


class Counting:
    """A pattern that counts the letters it reads."""

    def __init__(self, pattern: re.Pattern[str]) -> None:
        self.pattern = pattern
        self.read = 0

    def match(self, text: str, at: int) -> re.Match[str] | None:
        found = self.pattern.match(text, at)
        self.read += found.end() - at if found else 1
        return found


@pytest.mark.parametrize("piece", ["{/*", "{#", "{//", "[/*", "[ ", "{ ", '{"a":1 /*', "{a #"])
def test_a_comment_without_end_is_not_read_again_and_again(
    monkeypatch: pytest.MonkeyPatch, piece: str
) -> None:
    """U14.2: four times the text is four times the reading, not sixteen times."""
    few, many = Counting(json_repair._BLANK), Counting(json_repair._BLANK)
    for counting, size in ((few, 10_000), (many, 40_000)):
        monkeypatch.setattr(json_repair, "_BLANK", counting)
        contents((piece * size)[:size])
    assert many.read <= 5 * few.read


@pytest.mark.parametrize("piece", ['"', '",', '"a":', "{a ", "[]", '{"a": x ', "\\", "x</think>\n"])
def test_four_times_the_text_takes_four_times_the_steps(piece: str) -> None:
    """U14.2: no answer makes the reader go back, inside a string and outside of one."""
    for start in ("", '{"content": "'):
        few, many = (_steps(start + (piece * size)[:size]) for size in (5_000, 20_000))
        assert many <= 5 * few + 2_000


def _steps(text: str) -> int:
    """Count the lines of Python that one reading takes."""
    count = 0

    def line(frame: FrameType, event: str, argument: object) -> TraceFunction:
        nonlocal count
        count += 1
        return line

    before = sys.gettrace()
    sys.settrace(line)
    try:
        contents(text)
    finally:
        sys.settrace(before)
    return count


@given(st.text(alphabet="{}[]\",:'\\ \n#/*a1가“”｛］<think>", max_size=60))
def test_no_text_breaks_the_reader(text: str) -> None:
    """U14.1: whatever a model writes, the outcome is items or one kind of error."""
    contents(text, prompt="a" * 30)


@given(
    st.lists(
        st.dictionaries(st.sampled_from(["content", "type", "n"]), st.text(max_size=20)), max_size=4
    ),
    st.integers(0, 400),
)
def test_a_cut_anywhere_keeps_only_items_that_were_there(
    facts: list[dict[str, str]], end: int
) -> None:
    """U14.1: truncation never makes an item that the whole answer does not have."""
    text = json.dumps({"facts": facts}, ensure_ascii=False)
    there = {clean(each.get("content", "")).strip() for each in facts}
    assert set(contents(text[:end]) or ()) <= there


@given(st.lists(st.text(min_size=1, max_size=30), max_size=5))
def test_good_json_is_read_as_it_is(facts: list[str]) -> None:
    """U14.1: an answer that needs no repair is not touched, whatever its strings hold."""
    plain = [each for each in facts if clean(each).strip().strip("\u200b\ufeff")]
    text = json.dumps({"facts": [{"content": each, "n": 1} for each in plain]})
    found = contents(text) or []
    wanted = list(dict.fromkeys(clean(each).strip() for each in plain))
    dull = {"...", "…", "string", "str", "text", "none", "null", "n/a"}
    assert [each for each in found if each.lower() not in dull] == [
        each for each in wanted if each.lower() not in dull
    ]


def test_good_json_may_talk_about_json() -> None:
    """U14.1: what would be a swallowed key in broken JSON is a fact in good JSON."""
    told = 'The settings say "model": "tiny" and "content"'
    assert contents(json.dumps({"facts": [told, "content"]})) == [told, "content"]
    assert contents('{"facts": [{"content": "a, "model": "tiny"}]}') is None


def test_a_tag_inside_an_answer_is_not_thinking() -> None:
    """U14.1: only what stands before the answer is taken off it."""
    text = 'The tag "</think>" ends a block, and <think> begins one.'
    assert spoken(text) == text
    assert spoken(f"<think>a</think>{text}") == text
    assert spoken("plan\n</think>\nanswer") == "answer"
    assert spoken("<think>no end") == ""
    assert spoken("<think>[1]") == "[1]"
    assert spoken('{"a": "</think>\n"}') == '{"a": "</think>\n"}'


def test_marks_of_a_template_are_no_words() -> None:
    """U14.1: what only the machinery means is not part of the answer."""
    assert spoken("answer<|im_end|>\n</s>") == "answer"
    assert spoken("\ufeffan\x00swer") == "answer"
    assert clean("\ufeffa\ufeff") == "a\ufeff"


def test_objects_without_an_end_are_marked() -> None:
    """U14.1: the reader says which objects were cut, so that none of them passes for whole."""
    (outer,) = values('{"a": [{"b": 1}, {"c": "x')
    assert isinstance(outer, CutObject)
    assert outer["a"][0] == {"b": 1}
    assert isinstance(outer["a"][1], CutObject)
    assert DEEPEST >= 8


def test_hopeless_answers_are_told_from_empty_ones() -> None:
    """U14.2: "there is nothing" is an answer; nonsense is a failure that can be tried again."""
    assert [entry.name for entry in NOTHING if contents(entry.text) is not None] == []
    assert contents('{"facts": []}') == []

"""Our own words coming back."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saegim.guard.echo import BLOCK, Echoless, closing, opening, without_echo
from saegim.memory.text import canonical_key
from stand_ins import rounds

KOREAN = "나는 부산에서 강아지와 함께 산다"
ENGLISH = "My daughter starts school in March."
LONG = "첫째 날에는 산에 올랐다. 둘째 날에는 바다에 갔다."
STORE = {
    canonical_key(text) for text in (KOREAN, ENGLISH, LONG, "응 알겠어", "two\nlines of a poem")
}
MARKS = st.sampled_from(
    ["<saegim-memory>", opening("a"), opening("b"), "</saegim-memory>", closing("a"), closing("b"),
     closing("A"), " ", "x", "\n", "<", "memory of mine"]
)  # fmt: skip


def known(keys: Sequence[str]) -> Collection[str]:
    """Answer like a store that holds a few memories."""
    return STORE.intersection(keys)


def nothing(keys: Sequence[str]) -> Collection[str]:
    """Answer like an empty store."""
    return ()


@pytest.mark.parametrize(
    "line",
    [
        KOREAN,
        f"- {KOREAN}",
        f"  * {ENGLISH}",
        f"> {KOREAN}",
        f">> {ENGLISH}",
        f"1. {KOREAN}",
        f"(2) {KOREAN}",
        f"① {KOREAN}",
        f"[2024-03-01] {KOREAN}",
        f"- {KOREAN} [기억, 2024-03-01]",
        f"{KOREAN} (출처: 대화) [trust 0.7]",
        f'"{KOREAN}"',
        f"- “{ENGLISH}” [memory]",
        ENGLISH.upper(),
        KOREAN.replace(" ", "   "),
    ],
)
def test_a_quoted_memory_is_taken_out(line: str) -> None:
    """U4.1: bullets, quote marks, numbers and sources do not make a memory new."""
    text = f"오늘 회의가 있었다\n{line}\n내일은 쉰다"
    assert without_echo(text, known) == Echoless("오늘 회의가 있었다\n내일은 쉰다", 1)
    assert without_echo(text, nothing) == Echoless(text, 0)


def test_a_memory_inside_a_line_is_taken_out() -> None:
    """U4.1: a sentence of a line can be an echo while the others are new."""
    text = f"I told you before. {ENGLISH} And now she can read."
    assert without_echo(text, known) == Echoless("I told you before. And now she can read.", 1)
    assert (
        without_echo(f"어제 얘기야. {LONG} 재미있었어.", known).text == "어제 얘기야. 재미있었어."
    )


def test_a_memory_of_two_lines_is_known_again() -> None:
    """U4.1: a memory may be longer than a line."""
    assert without_echo("- two\n- lines of a poem\nnew words here", known).text == "new words here"


def test_a_fenced_block_is_taken_out_whatever_it_says() -> None:
    """U4.1: what we put into the prompt is not captured again, even if the store forgot it."""
    block = f"{opening('k7')}\nsomething nobody stores\n{closing('k7')}"
    assert without_echo(f"before {block} after", nothing) == Echoless("before  after", 1)
    assert without_echo(f"{block}\n{block}", nothing) == Echoless("", 2)


def test_a_false_end_does_not_close_a_block() -> None:
    """U23.1: only the boundary that opened a block closes it."""
    block = (
        f"{opening('k7')} quoted </saegim-memory> {closing('other')} still quoted {closing('k7')}"
    )
    assert without_echo(f"{block} mine", nothing) == Echoless("mine", 1)


@given(st.lists(MARKS, max_size=14).map("".join))
def test_blocks_are_cut_as_the_fence_defines_them(text: str) -> None:
    """U4.1: the quick cut takes out exactly what the pattern of the fence would."""
    left, blocks = BLOCK.subn("", text)
    assert without_echo(text, nothing) == (
        Echoless(left.strip(), blocks) if blocks else Echoless(text, 0)
    )


def test_short_lines_are_never_an_echo() -> None:
    """U4.1: "yes, I see" was said before and may be said again."""
    assert without_echo(f"응 알겠어\n{KOREAN}", known) == Echoless("응 알겠어", 1)


def test_a_text_without_an_echo_is_returned_as_it_is() -> None:
    """U4.1: white space and all; only a taken piece changes anything."""
    text = "  새로운 이야기를 하나 할게  \n\n - 정말이야, 처음 하는 말이야 "
    assert without_echo(text, known) == Echoless(text, 0)
    assert without_echo(f"{text}\n{KOREAN}", known) == Echoless(text.strip(), 1)


def test_the_store_is_asked_once_and_only_for_keys() -> None:
    """U4.1: one question for the whole text, canonical keys only, nothing asked about nothing."""
    asked: list[Sequence[str]] = []

    def listen(keys: Sequence[str]) -> Collection[str]:
        asked.append(keys)
        return ()

    without_echo(f"{KOREAN}\n{ENGLISH}\n{LONG}", listen)
    without_echo("ok\n\nyes", listen)
    assert len(asked) == 1
    assert STORE.intersection(asked[0]) >= {canonical_key(KOREAN), canonical_key(LONG)}
    assert len(set(asked[0])) == len(asked[0])


def test_fifty_turns_of_recall_and_capture_add_nothing() -> None:
    """U4.1: a loop that captures what was recalled keeps only what was said."""
    stored: dict[str, str] = {}

    def lookup(keys: Sequence[str]) -> Collection[str]:
        return [key for key in keys if key in stored]

    for turn in range(50):
        said = f"turn {turn} speaks of its own small matter"
        recalled = "\n".join(f"- {text} [memory]" for text in list(stored.values())[-5:])
        prompt = f"{recalled}\n{opening(f'b{turn}')}\n{recalled}\n{closing(f'b{turn}')}\n{said}"
        rest = without_echo(prompt, lookup).text
        for line in filter(None, rest.split("\n")):
            stored.setdefault(canonical_key(line), line)
    assert len(stored) == 50


@pytest.mark.parametrize(
    "piece", ["<saegim-memory>", opening("a"), "</saegim-memory>", "a. ", "[x"]
)
def test_no_echo_is_sought_again_and_again(piece: str) -> None:
    """FAULTS 58: marks without their ends and endless short sentences end."""
    text = (piece * 60_000)[: rounds(60_000)]
    assert without_echo(f"{KOREAN}\n{text}", known).removed == 1

"""What may be written down: the whole screen."""

from __future__ import annotations

import random

from harmless import LOOK_ALIKES
from hypothesis import given
from hypothesis import strategies as st
from needles import CARRIERS, NUMBERS, TOKENS, card, luhn, resident
from tellings import PASSWORDS, password

from saegim.guard.guard import Screened, SecretFinding, screen

RNG = random.Random(0)
NEEDLES = [make(RNG) for make in TOKENS.values()]
NEEDLES += [carrier.format(make(RNG)) for carrier, make in (CARRIERS | NUMBERS).values()]
NEEDLES += [telling.format(password(RNG)) for telling in PASSWORDS]
PIECES = [*NEEDLES, *LOOK_ALIKES, "\n", ". ", "\u200b", "e\u0301", "'", '"', "("]
PIECES += "비번 현관 계좌 주민번호 password is code 1234 482913 tiger!904 야 token= 가 ㅋㅋ".split()
PIECES += ["[secret:aws_key#1]", "[held:password#2]", "[private:phone#1]"]
PIECES += ["http://a:b1c2d3@x.y", "-----BEGIN PRIVATE KEY-----"]
MIXED = st.lists(st.sampled_from(PIECES), max_size=12).map(" ".join) | st.lists(
    st.sampled_from(PIECES), max_size=8
).map("".join)


@given(MIXED | st.text(max_size=60))
def test_screening_twice_changes_nothing_more(text: str) -> None:
    """U22.1: a screened text is final: no new finding, not one character changed."""
    once = screen(f"{text}\n\n{NEEDLES[0]}")
    assert once.findings
    assert screen(once.text) == Screened(once.text, ())


@given(MIXED)
def test_screening_with_the_override_is_final_too(text: str) -> None:
    """U22.1: the explicit override leaves a text that screens to itself, and hides every secret."""
    once = screen(f"{text}\n\n{NEEDLES[0]}", keep_private=True)
    assert once.findings
    assert {finding.tier for finding in once.findings} <= {"secret"}
    assert screen(once.text, keep_private=True) == Screened(once.text, ())


@given(MIXED)
def test_outside_the_findings_every_character_stays(text: str) -> None:
    """U22.1: findings are ranges of the original, apart and in order; the rest is verbatim."""
    text += f"\n\n{NEEDLES[0]}"
    screened = screen(text)
    assert screened.findings
    rest = screened.text
    at = 0
    for finding in screened.findings:
        assert at <= finding.start < finding.end <= len(text)
        kept = text[at : finding.start]
        assert rest.startswith(kept + f"[{finding.tier}:{finding.kind}#")
        rest = rest[len(kept) :].partition("]")[2]
        at = finding.end
    assert rest == text[at:]


def test_equal_values_bear_the_same_number_and_others_the_next() -> None:
    """U22.1: the placeholder counts distinct values and tells nothing about them."""
    rng = random.Random(1)
    first, second = TOKENS["aws_key"](rng), TOKENS["aws_key"](rng)
    assert screen(f"{first}, {second}, {first}").text == (
        "[secret:aws_key#1], [secret:aws_key#2], [secret:aws_key#1]"
    )


def test_a_new_value_does_not_take_the_number_of_an_old_placeholder() -> None:
    """U22.1: what was masked before keeps its number."""
    token = TOKENS["aws_key"](random.Random(2))
    assert screen(f"[secret:aws_key#3] {token}").text == "[secret:aws_key#3] [secret:aws_key#4]"


def test_the_same_text_gives_the_same_result() -> None:
    """U22.1: nothing depends on what was screened before."""
    for text in NEEDLES[:40]:
        assert screen(text) == screen(text) != Screened(text, ())


def test_what_a_mask_brings_near_is_found_too() -> None:
    """U22.1: a long value that became a short placeholder must not leave its neighbour behind."""
    long = "tiger!904" * 6
    assert screen(f"password is {long} or tiger!905").text == (
        "password is [held:password#1] or [held:password#2]"
    )


def test_the_harder_tier_names_what_overlaps() -> None:
    """U22.1: a vendor token told as a password is a secret, and all of it is masked."""
    token = TOKENS["github_classic"](random.Random(3))
    screened = screen(f"비번은 {token}야")
    assert screened.text == "비번은 [secret:github_token#1]야"
    assert screened.findings == (SecretFinding("github_token", "secret", 4, 4 + len(token)),)


def test_counts_say_what_was_found() -> None:
    """U22.1: the response says how much was masked, how much is held, and of what kind."""
    rng = random.Random(4)
    text = f"{TOKENS['aws_key'](rng)} 그리고 010-2345-6789, 비번은 tiger!904야"
    screened = screen(text)
    assert (screened.masked, screened.held) == (2, 1)
    assert screened.kinds == {"aws_key": 1, "phone": 1, "password": 1}


def test_the_override_keeps_personal_numbers_and_never_credentials() -> None:
    """U22.1: a person may keep a phone number or a password on purpose, a credential never."""
    token = TOKENS["aws_key"](random.Random(5))
    text = f"{token} 010-2345-6789 비번은 tiger!904야"
    kept = screen(text, keep_private=True)
    assert kept.text == "[secret:aws_key#1] 010-2345-6789 비번은 tiger!904야"
    assert screen(text).text != kept.text


def test_hidden_and_wide_characters_hide_no_number() -> None:
    """FAULTS 13 and 24: the original range is masked, hidden characters inside it included."""
    number = resident(random.Random(6), born="900101", sex="1")
    spread = "\u200b".join(number)
    wide = "".join(chr(ord(c) + 0xFEE0) if c.isdigit() else c for c in number)
    assert screen(f"({spread})").text == "([private:rrn#1])"
    assert screen(f"({wide})").text == "([private:rrn#1])"


def test_many_kinds_in_one_text_are_all_masked() -> None:
    """U22.1: forty and more formats in one text: no value is left of any of them."""
    rng = random.Random(7)
    values = [make(rng) for make in TOKENS.values()]
    numbers = [card(rng), luhn(rng, "5555", 16), resident(rng, born="810101", sex="2")]
    assert len(values) + len(numbers) >= 40
    screened = screen("\n".join([*values, *numbers]))
    assert [value for value in [*values, *numbers] if value in screened.text] == []
    assert screened.masked == len(values) + len(numbers)


def test_an_empty_and_a_plain_text_are_returned_as_they_are() -> None:
    """U22.1: nothing found, nothing changed; the same text beside a number is changed."""
    for text in ("", " ", "오늘은 산책을 했다.", "a\u200bb", "e\u0301"):
        assert screen(text) == Screened(text, ())
        assert screen(text + " 010-2345-6789").masked == 1


def test_what_was_clean_for_one_wish_is_looked_at_again_for_another() -> None:
    """Being clean is remembered for how closely a text was looked at, and no finding is."""
    number = resident(random.Random(5), born="900101", sex="1")
    text = f"주민번호는 {number} 이야"
    assert screen(text, keep_private=True).findings == ()
    for _ in range(2):
        assert number not in screen(text).text
    assert screen(text, keep_private=True).text == text
    name = "비밀번호는 mango-river-77"
    assert screen(name, told=False).findings == ()
    assert screen(name).held == 1

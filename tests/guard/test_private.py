"""Numbers that belong to a person."""

from __future__ import annotations

import random
import string

import pytest
from needles import NUMBERS, business, card, draw, luhn, resident

from saegim.guard.guard import screen
from saegim.guard.secrets import private_numbers
from saegim.guard.visible_text import see
from stand_ins import rounds


def kinds(text: str) -> set[str]:
    """Return what kinds of personal numbers the text holds."""
    return {spot.kind for spot in private_numbers(see(text))}


@pytest.mark.parametrize("name", NUMBERS)
def test_every_kind_of_number_is_masked_whole(name: str) -> None:
    """U22.1 and FAULTS 24, 25: the number is gone and its sentence stays."""
    rng = random.Random(name)
    for _ in range(12):
        carrier, make = NUMBERS[name]
        value = make(rng)
        before, after = carrier.split("{}")
        screened = screen(carrier.format(value))
        assert screened.text.startswith(before + "[private:")
        assert screened.text.endswith("]" + after)


@pytest.mark.parametrize("sign", ["-", " ", ".", " - ", "–", "－"])
def test_a_resident_number_is_known_however_it_is_written(sign: str) -> None:
    """FAULTS 24: spaces, dots, dashes and full-width digits do not hide a resident number."""
    number = resident(random.Random(1), born="900101", sex="1")
    wide = "".join(chr(ord(c) + 0xFEE0) if c.isdigit() else c for c in number)
    for written in (number, wide):
        text = f"번호 {written.replace('-', sign)} 끝"
        assert screen(text).text == "번호 [private:rrn#1] 끝"


def test_a_resident_number_needs_a_proof() -> None:
    """FAULTS 24: checksum, or a word, or a birth after the last digits became random."""
    rng = random.Random(2)
    wrong = resident(rng, born="850312", sex="2", right=False)
    assert kinds(wrong) == set()
    assert kinds(f"주민등록번호 {wrong}") == {"rrn"}
    assert kinds(resident(rng, born="850312", sex="2")) == {"rrn"}
    assert kinds(resident(rng, born="210312", sex="3", right=False)) == {"rrn"}
    assert kinds(resident(rng, born="200312", sex="3", right=False)) == set()
    assert kinds("주민등록번호 851332-1234567") == set()


def test_a_resident_number_in_two_halves_is_known_by_its_words() -> None:
    """FAULTS 24: a number told in two halves is one number."""
    assert kinds("주민번호 앞자리는 900101 뒷자리는 1234567") == {"rrn"}
    assert kinds("예산은 900101 결산은 1234567") == set()


def test_a_foreigner_number_has_its_own_name() -> None:
    """FAULTS 24: registration numbers of foreigners are masked too."""
    assert kinds(resident(random.Random(3), born="880505", sex="5")) == {"foreigner"}


def test_a_card_needs_its_check_digit_and_an_issuer() -> None:
    """FAULTS 25: Luhn and a plausible issuer; one digit off is an order number."""
    rng = random.Random(4)
    number = luhn(rng, "4", 16)
    off = number[:-1] + str((int(number[-1]) + 1) % 10)
    assert kinds(number) == {"card"}
    assert kinds(off) == set()
    assert kinds(luhn(rng, "1", 16)) == set()


def test_a_card_inside_something_longer_is_not_one() -> None:
    """FAULTS 25: part of a longer number, of a UUID or of a timestamp is not a card."""
    number = luhn(random.Random(5), "4", 16)
    for text in (f"{number}7", f"a{number}", f"{number}-4af1", f"x-{number}", f"1.{number}"):
        assert "card" not in kinds(text)
    assert kinds(f"({number})") == {"card"}


def test_a_day_of_our_years_is_not_a_card_without_a_word() -> None:
    """FAULTS 25: sixteen digits that begin like 2415 may be a time; with "카드" they are a card."""
    number = luhn(random.Random(6), "2415", 16)
    assert kinds(number) == set()
    assert kinds(f"카드 {number}") == {"card"}


@pytest.mark.parametrize(
    "written",
    [
        "010-2345-6789", "010 2345 6789", "010.2345.6789", "01023456789", "(010)2345-6789",
        "+82 10-2345-6789", "+821023456789", "82-10-2345-6789", "02)345-6789", "031-234-5678",
        "070-3456-7890", "+1 (415) 555-2671", "(415) 555-2671", "+44 20 7946 0958",
        "공일공 이삼사오 육칠팔구", "０１０－２３４５－６７８９", "010\u200b-2345-\u200b6789",
    ],
)  # fmt: skip
def test_a_phone_number_is_known_in_every_usual_form(written: str) -> None:
    """FAULTS 25: mobile, landline, +82, abroad, spelled, full-width and with hidden characters."""
    assert screen(f"내 거 {written} 이야").text == "내 거 [private:phone#1] 이야"


def test_a_foreign_phone_needs_a_word_about_phones() -> None:
    """FAULTS 25: three groups of digits are a phone only where someone speaks of calling."""
    assert kinds("the score was 415-555-2671") == set()
    assert kinds("call me at 415-555-2671") == {"phone"}
    assert kinds("tracking number 415-555-2671") == set()


def test_an_account_needs_a_bank() -> None:
    """FAULTS 25: the same digits are an account beside a bank and nothing beside an order."""
    assert kinds("110-234-567890") == set()
    for text in ("신한 110-234-567890", "110-234-567890 (신한)", "계좌 110-234-567890"):
        assert kinds(text) == {"account"}
    assert kinds("주문번호 110-234-567890") == set()
    assert kinds("통장에 12345678원 있어") == set()


def test_an_iban_is_known_by_its_remainder() -> None:
    """FAULTS 25: an IBAN with the right check digits is an account, a wrong one is not."""
    assert kinds("GB82 WEST 1234 5698 7654 32") == {"account"}
    assert kinds("GB83 WEST 1234 5698 7654 32") == set()


def test_documents_need_their_word() -> None:
    """FAULTS 25: passports, licences and social security numbers need to be called so."""
    assert kinds("M12345678") == set()
    assert kinds("여권 M12345678") == {"passport"}
    assert kinds("123-45-6789") == set()
    assert kinds("SSN 123-45-6789") == {"ssn"}
    assert kinds("driver's license D1234567") == {"licence"}


def test_a_business_number_needs_its_check_digit_or_its_word() -> None:
    """FAULTS 25: three, two and five digits prove themselves or are named."""
    number = business(random.Random(7))
    off = number[:-1] + str((int(number[-1]) + 1) % 10)
    assert kinds(number) == {"business"}
    assert kinds(off) == set()
    assert kinds(f"사업자번호 {off}") == {"business"}


@pytest.mark.parametrize("piece", ["1", "1 ", "1234 ", "12-", "+1", "010-1", "123456 ", "주민 1 "])
def test_no_digits_are_read_again_and_again(piece: str) -> None:
    """FAULTS 58: long stretches of digits end, and a card before them is still found."""
    text = (piece * 60_000)[: rounds(60_000)]
    assert screen(f"{card(random.Random(8))}\n{text}").text.startswith("[private:card#1]")


def test_a_number_nobody_could_have_is_passed_over() -> None:
    """FAULTS 25: more than twenty digits in a row belong to no one."""
    assert kinds("call 010" + draw(random.Random(9), string.digits, 30)) == set()
    assert kinds("call 010" + draw(random.Random(9), string.digits, 8)) == {"phone"}

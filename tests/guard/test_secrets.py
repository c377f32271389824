"""Credentials by their form."""

from __future__ import annotations

import random

import pytest
from harmless import LOOK_ALIKES
from needles import ALNUM, CARRIERS, TOKENS, Draw, draw, pem

from saegim.guard.guard import screen
from saegim.guard.secrets import random_looking, secrets
from saegim.guard.visible_text import see
from stand_ins import rounds

AROUND = ("{}", "키는 {}야 적어 둬", "please use {} for now.", "KEY={}", "'{}'", "({})", "{}를")


def kinds(text: str) -> set[str]:
    """Return what kinds of secrets the text holds."""
    return {spot.kind for spot in secrets(see(text))}


@pytest.mark.parametrize("name", TOKENS)
def test_a_token_of_every_vendor_is_masked_whole(name: str) -> None:
    """U22.1 and FAULTS 21: each token format is gone wherever it stands, and nothing else is."""
    rng = random.Random(name)
    for around in AROUND:
        value = TOKENS[name](rng)
        screened = screen(around.format(value))
        assert value not in screened.text
        assert screened.masked == 1
        before, after = around.split("{}")
        assert screened.text.startswith(before + "[secret:")
        assert screened.text.endswith("]" + after)


@pytest.mark.parametrize("name", CARRIERS)
def test_only_the_value_is_masked_where_its_place_says_what_it_is(name: str) -> None:
    """U22.1 and FAULTS 21: URLs, headers and assignments stay readable around the masked value."""
    rng = random.Random(name)
    for _ in range(8):
        carrier, make = CARRIERS[name]
        value = make(rng)
        before, after = carrier.format("\0").split("\0")
        screened = screen(carrier.format(value))
        assert screened.text.startswith(before + "[secret:")
        assert screened.text.endswith("]" + after)


def test_five_hundred_and_more_generated_secrets_are_found() -> None:
    """FAULTS 2.4: at least 99 % of more than 500 generated secrets are masked."""
    rng = random.Random(22)
    makers: list[tuple[str, Draw]] = [
        (around, make) for make in TOKENS.values() for around in AROUND
    ]
    makers += list(CARRIERS.values()) * 10
    found = total = 0
    for carrier, make in makers:
        value = make(rng)
        total += 1
        found += value not in screen(carrier.format(value)).text
    assert total >= 500
    assert found / total >= 0.99


def test_look_alikes_stay_as_they_are_even_beside_a_secret() -> None:
    """U22.1 and FAULTS 23: 200 look-alikes are unchanged, and a secret beside them is not."""
    rng = random.Random(23)
    assert len(LOOK_ALIKES) >= 200
    for line in LOOK_ALIKES:
        assert screen(line).text == line
        token = TOKENS["github_classic"](rng)
        assert screen(f"{line}\n\n{token}").text == f"{line}\n\n[secret:github_token#1]"


def test_a_key_block_is_masked_from_its_first_line_to_its_last() -> None:
    """FAULTS 21: a private key block is one secret, also when several stand in a text."""
    rng = random.Random(1)
    text = f"first\n{pem(rng)}\nbetween\n{pem(rng)}\nlast"
    assert screen(text).text == "first\n[secret:pem#1]\nbetween\n[secret:pem#2]\nlast"


def test_a_key_block_without_its_end_is_masked_as_far_as_it_goes() -> None:
    """FAULTS 21: a key that was cut off while pasting is still a key; what follows it is not."""
    cut = pem(random.Random(2)).rpartition("\n-----END")[0]
    assert screen(f"{cut}\n\nand that was all").text == "[secret:pem#1]\n\nand that was all"


def test_a_public_block_is_no_secret() -> None:
    """U22.1: certificates and public keys are public."""
    body = draw(random.Random(3), ALNUM, 64)
    text = f"-----BEGIN CERTIFICATE-----\n{body}\n-----END CERTIFICATE-----"
    assert kinds(text) == set()
    assert "pem" in kinds(text.replace("CERTIFICATE", "PRIVATE KEY"))


@pytest.mark.parametrize(
    "written",
    [
        "<token>",
        "${TOKEN}",
        "$TOKEN",
        "your_token_here",
        "xxxxxxxxxxxxxxxxxxxxxxxx",
        "****",
        "null",
    ],
)
def test_what_stands_for_a_value_is_not_one(written: str) -> None:
    """U22.1: mentions of keys survive: a placeholder of the documentation is not masked."""
    assert kinds(f"API_TOKEN={written}") == set()
    assert kinds(f"https://user:{written}@example.com") == set()
    real = "a7" + draw(random.Random(4), ALNUM, 30)
    assert kinds(f"API_TOKEN={real}") == {"token"}


def test_a_digest_near_a_keyword_is_not_a_key() -> None:
    """FAULTS 23: a commit, a checksum or a request id is not a secret because "token" is near."""
    digest = draw(random.Random(5), "0123456789abcdef", 40)
    assert kinds(f"토큰 버그는 커밋 {digest} 에서 고쳤어") == set()
    assert kinds(f"토큰은 {digest} 이야") == {"token"}
    assert kinds("token request 550e8400-e29b-41d4-a716-446655440000") == set()


def test_words_do_not_look_random() -> None:
    """U22.1: names that people write are told from values that nobody chose."""
    rng = random.Random(6)
    assert all(random_looking(draw(rng, ALNUM, 24)) for _ in range(200))
    for name in ("your-slack-bot-token-here", "getUserAccount", "usr/local/lib/python3", "a" * 40):
        assert not random_looking(name)


@pytest.mark.parametrize(
    "piece",
    "a|sk-|glpat-|ghp_|eyJ.|eyJabcdefghi.|://a:|token=|=|.|api key |-----BEGIN PRIVATE KEY-----"
    "|-----BEGIN A|Bearer |0|secret 토큰 ".split("|"),
)
def test_no_text_is_read_again_and_again(piece: str) -> None:
    """FAULTS 58: the detectors end on texts that were made to keep them busy."""
    text = (piece * 100_000)[: rounds(100_000)]
    token = TOKENS["aws_key"](random.Random(7))
    assert screen(f"{token} {text}").text.startswith("[secret:aws_key#1]")

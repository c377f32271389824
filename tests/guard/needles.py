"""Made-up credentials and personal numbers by the form they have in the world, drawn at random.

Every one is put together here from pieces, so that no file of the repository holds a whole one.
"""

from __future__ import annotations

import base64
import random
import string
from collections.abc import Callable

LETTERS = string.ascii_letters
ALNUM = LETTERS + string.digits
UPPER = string.ascii_uppercase + string.digits
HEX = "0123456789abcdef"
URLSAFE = ALNUM + "_-"
B64 = ALNUM + "+/"
Draw = Callable[[random.Random], str]


def draw(rng: random.Random, alphabet: str, length: int) -> str:
    """Draw letters that no one has chosen."""
    return "".join(rng.choices(alphabet, k=length))


def with_prefix(prefix: str, alphabet: str, length: int) -> Draw:
    """Return what draws a token of one vendor."""
    return lambda rng: prefix + draw(rng, alphabet, length)


def jwt(rng: random.Random) -> str:
    """Draw a signed token of three parts."""
    head = base64.urlsafe_b64encode(b'{"alg":"HS256"}').decode().rstrip("=")
    body = base64.urlsafe_b64encode(f'{{"sub":"{rng.random()}"}}'.encode()).decode().rstrip("=")
    return ".".join((head, body, draw(rng, URLSAFE, 43)))


def pem(rng: random.Random) -> str:
    """Draw a private key block."""
    words = rng.choice(("", "RSA ", "EC ", "OPENSSH ", "ENCRYPTED ")) + "PRIVATE KEY"
    body = "\n".join(draw(rng, B64, 64) for _ in range(rng.randint(2, 6)))
    return f"-----BEGIN {words}-----\n{body}\n-----END {words}-----"


TOKENS: dict[str, Draw] = {
    "aws_key": with_prefix("AK" + "IA", UPPER, 16),
    "aws_session_key": with_prefix("AS" + "IA", UPPER, 16),
    "github_classic": with_prefix("gh" + "p_", ALNUM, 36),
    "github_oauth": with_prefix("gh" + "o_", ALNUM, 36),
    "github_app": with_prefix("gh" + "s_", ALNUM, 36),
    "github_fine": with_prefix("github" + "_pat_", ALNUM + "_", 82),
    "gitlab": with_prefix("gl" + "pat-", URLSAFE, 20),
    "openai": with_prefix("sk" + "-", ALNUM, 48),
    "openai_project": with_prefix("sk-" + "proj-", URLSAFE, 120),
    "anthropic": with_prefix("sk-" + "ant-api03-", URLSAFE, 95),
    "slack_bot": lambda r: "-".join(
        ("xo" + "xb", draw(r, string.digits, 12), draw(r, string.digits, 12), draw(r, ALNUM, 24))
    ),
    "stripe_live": with_prefix("sk" + "_live_", ALNUM, 24),
    "stripe_restricted": with_prefix("rk" + "_live_", ALNUM, 24),
    "stripe_webhook": with_prefix("wh" + "sec_", ALNUM, 32),
    "google_api": with_prefix("AI" + "za", URLSAFE, 35),
    "google_client": with_prefix("GOC" + "SPX-", URLSAFE, 28),
    "google_access": with_prefix("ya" + "29.", URLSAFE, 100),
    "npm": with_prefix("np" + "m_", ALNUM, 36),
    "pypi": with_prefix("py" + "pi-AgEIcHlwaS5vcmc", URLSAFE, 80),
    "huggingface": with_prefix("h" + "f_", LETTERS, 34),
    "telegram": lambda r: f"{r.randint(10**8, 10**10 - 1)}:" + "AA" + draw(r, URLSAFE, 33),
    "sendgrid": lambda r: ".".join(("S" + "G", draw(r, URLSAFE, 22), draw(r, URLSAFE, 43))),
    "twilio": with_prefix("S" + "K", HEX, 32),
    "digitalocean": with_prefix("do" + "p_v1_", HEX, 64),
    "discord": lambda r: ".".join(
        (r.choice("MNO") + draw(r, ALNUM, 23), draw(r, ALNUM, 6), draw(r, URLSAFE, 38))
    ),
    "linear": with_prefix("lin" + "_api_", ALNUM, 40),
    "notion": with_prefix("nt" + "n_", ALNUM, 46),
    "vercel": with_prefix("vc" + "p_", ALNUM, 40),
    "databricks": with_prefix("da" + "pi", HEX, 32),
    "mailgun": with_prefix("ke" + "y-", HEX, 32),
    "mailchimp": lambda r: draw(r, HEX, 32) + "-us" + str(r.randint(1, 21)),
    "doppler": with_prefix("dp" + ".pt.", ALNUM, 43),
    "shopify": with_prefix("shp" + "at_", HEX, 32),
    "square": with_prefix("sq0" + "atp-", URLSAFE, 22),
    "grafana": lambda r: "gl" + "sa_" + draw(r, ALNUM, 32) + "_" + draw(r, HEX, 8),
    "newrelic": with_prefix("NR" + "AK-", UPPER, 27),
    "vault": with_prefix("hv" + "s.", URLSAFE, 90),
    "postman": lambda r: "PM" + "AK-" + draw(r, HEX, 24) + "-" + draw(r, HEX, 34),
    "docker": with_prefix("dckr" + "_pat_", URLSAFE, 27),
    "figma": with_prefix("fi" + "gd_", URLSAFE, 40),
    "groq": with_prefix("gs" + "k_", ALNUM, 52),
    "replicate": with_prefix("r" + "8_", ALNUM, 37),
    "tailscale": lambda r: "ts" + "key-auth-" + draw(r, ALNUM, 12) + "-" + draw(r, ALNUM, 32),
    "supabase": with_prefix("sb" + "p_", HEX, 40),
    "airtable": lambda r: "pa" + "t" + draw(r, ALNUM, 14) + "." + draw(r, HEX, 64),
    "atlassian": with_prefix("ATA" + "TT3", URLSAFE, 180),
    "toss": with_prefix("live" + "_sk_", ALNUM, 32),
    "azure_client": lambda r: draw(r, ALNUM, 3) + "8" + "Q~" + draw(r, ALNUM, 34),
    "age": with_prefix("AGE-" + "SECRET-KEY-1", "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58),
    "jwt": jwt,
    "pem": pem,
}
# A sentence around the value; "{}" is where it stands.
CARRIERS: dict[str, tuple[str, Draw]] = {
    "aws_secret": ("aws_secret_access_key = {}", lambda r: draw(r, B64, 39) + "9"),
    "aws_secret_told": ("시크릿 액세스 키는 {}야", lambda r: draw(r, B64, 39) + "7"),
    "slack_webhook": (
        "https://hooks.slack.com/services/{}",
        lambda r: "/".join(("T" + draw(r, UPPER, 8), "B" + draw(r, UPPER, 10), draw(r, ALNUM, 24))),
    ),
    "discord_webhook": (
        "https://discord.com/api/webhooks/{}",
        lambda r: draw(r, "123456789", 18) + "/" + draw(r, URLSAFE, 68),
    ),
    "azure_account": ("AccountName=a;AccountKey={};End", lambda r: draw(r, B64, 86) + "=="),
    "azure_sas": ("https://a.example/c?sv=1&sig={}", lambda r: draw(r, ALNUM, 43) + "%3D"),
    "url": ("postgres://app:{}@db.example:5432/x", lambda r: "p" + draw(r, ALNUM + "!$", 11)),
    "redis": ("redis://:{}@10.0.0.2:6379", lambda r: draw(r, ALNUM, 16)),
    "bearer": ("Authorization: Bearer {}", lambda r: draw(r, URLSAFE, 39) + "3"),
    "basic": ("Authorization: Basic {}", lambda r: draw(r, B64, 27) + "9"),
    "curl": ("curl -u admin:{} https://x.example", lambda r: "a1" + draw(r, ALNUM, 10)),
    "env": ("SECRET_KEY={}", lambda r: draw(r, ALNUM, 31) + "5"),
    "json": ('{{"client_secret": "{}"}}', lambda r: draw(r, ALNUM, 31) + "5"),
    "yaml": ("  api_token: {}", lambda r: draw(r, HEX, 39) + "5"),
    "password": ("DB_PASSWORD='{}'", lambda r: "aB3!" + draw(r, ALNUM, 14)),
    "kakao": ("카카오 REST API 키는 {} 입니다", lambda r: draw(r, HEX, 31) + "5"),
    "mapbox_like": ("our access token is {}", lambda r: draw(r, ALNUM, 39) + "4"),
}


def luhn(rng: random.Random, start: str, length: int) -> str:
    """Draw a card number whose last digit is right."""
    body = start + draw(rng, string.digits, length - len(start) - 1)
    for last in string.digits:
        total = 0
        for place, digit in enumerate(reversed(body + last)):
            number = int(digit) * (1 + place % 2)
            total += number - 9 * (number > 9)
        if total % 10 == 0:
            return body + last
    raise AssertionError


def card(rng: random.Random) -> str:
    """Draw a card of a large issuer, written in one of the usual ways."""
    number = luhn(rng, rng.choice(("4", "51", "55", "2221", "6011", "35", "9411")), 16)
    groups = [number[at : at + 4] for at in range(0, 16, 4)]
    return rng.choice((" ", "-", " - ", ".")).join(groups)


def amex(rng: random.Random) -> str:
    """Draw a card of fifteen digits in its own grouping."""
    number = luhn(rng, rng.choice(("34", "37")), 15)
    return f"{number[:4]} {number[4:10]} {number[10:]}"


def resident(rng: random.Random, *, born: str, sex: str, right: bool = True) -> str:
    """Draw a resident number, with the right last digit or with a wrong one."""
    body = born + sex + draw(rng, string.digits, 5)
    weights = (2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5)
    total = sum(int(digit) * weight for digit, weight in zip(body, weights, strict=True))
    rights = {(11 - total % 11) % 10, (13 - total % 11) % 10}
    last = (11 - total % 11) % 10 if right else min(set(range(10)) - rights)
    return body[:6] + "-" + body[6:] + str(last)


def business(rng: random.Random) -> str:
    """Draw a Korean business number whose last digit is right."""
    body = str(rng.randint(101, 899)) + draw(rng, string.digits, 6)
    total = sum(int(d) * w for d, w in zip(body, (1, 3, 7, 1, 3, 7, 1, 3, 5), strict=True))
    total += int(body[8]) * 5 // 10
    return f"{body[:3]}-{body[3:5]}-{body[5:]}{(10 - total % 10) % 10}"


def birthday(rng: random.Random, first: int, last: int) -> str:
    """Draw six digits of a birthday between two years."""
    return f"{rng.randint(first, last) % 100:02d}{rng.randint(1, 12):02d}{rng.randint(1, 28):02d}"


def _four(rng: random.Random) -> str:
    return draw(rng, string.digits, 4)


NUMBERS: dict[str, tuple[str, Draw]] = {
    "card": ("카드 번호 {} 저장해 줘", card),
    "card_bare": ("{} 이 번호로 결제해", lambda r: luhn(r, "4", 16)),
    "amex": ("Amex {}", amex),
    "rrn": ("{}", lambda r: resident(r, born=birthday(r, 1950, 1999), sex=r.choice("12"))),
    "rrn_told": (
        "주민번호 {}",
        lambda r: resident(r, born=birthday(r, 1960, 1999), sex=r.choice("12"), right=False),
    ),
    "rrn_2021": (
        "{}",
        lambda r: resident(r, born=birthday(r, 2021, 2024), sex=r.choice("34"), right=False),
    ),
    "foreigner": (
        "외국인등록번호 {}",
        lambda r: resident(r, born=birthday(r, 1970, 1999), sex=r.choice("56")),
    ),
    "mobile": ("연락처는 {} 입니다", lambda r: f"010-{r.randint(2000, 9999)}-{_four(r)}"),
    "mobile_bare": ("{}로 문자 줘", lambda r: f"010{r.randint(2000, 9999)}{_four(r)}"),
    "landline": ("{}", lambda r: f"0{r.choice((2, 31, 51, 64))}-{r.randint(200, 999)}-{_four(r)}"),
    "plus_82": ("call {}", lambda r: f"+82 10-{r.randint(2000, 9999)}-{_four(r)}"),
    "plus_44": ("{}", lambda r: f"+44 20 {_four(r)} {_four(r)}"),
    "us_phone": (
        "my phone is {}",
        lambda r: f"{r.randint(201, 989)}-{r.randint(200, 999)}-{_four(r)}",
    ),
    "account": (
        "신한은행 {} 으로 보내줘",
        lambda r: f"110-{r.randint(100, 999)}-{draw(r, string.digits, 6)}",
    ),
    "account_told": ("계좌번호는 {}", lambda r: draw(r, "123456789", 13)),
    "business": ("{}", business),
    "licence": (
        "면허번호 {}",
        lambda r: (
            f"{r.randint(11, 28)}-{r.randint(10, 24)}-{_four(r)}{_four(r)[:2]}-{_four(r)[:2]}"
        ),
    ),
    "passport": ("여권번호 {}", lambda r: "M" + draw(r, string.digits, 8)),
    "passport_new": ("passport no. {}", lambda r: "M" + draw(r, string.digits, 3) + "A" + _four(r)),
    "ssn": (
        "my SSN is {}",
        lambda r: f"{r.randint(100, 665)}-{r.randint(10, 99)}-{r.randint(1000, 9999)}",
    ),
    "customs": ("개인통관고유부호 {}", lambda r: "P" + draw(r, "123456789", 12)),
}

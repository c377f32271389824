"""Lines that tell a secret, or only look so, drawn from frames; and values drawn anew in lines.

`told_secrets/frames.txt` holds the frames and the words that are put into them. A frame teaches
what the words around a value say, for every door, device and account of the lists.
"""

from __future__ import annotations

import random
import re
import string
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

FRAMES: Final = Path(__file__).parent / "told_secrets" / "frames.txt"
# What a frame that tells keeps secret; anything else in braces is drawn from a list.
SECRET: Final = frozenset(
    "pin pw word words2 words4 words12 numbered12 hyphens phrase name code9 eight turns combo base32 "
    "blocks bitlocker fours one two three ssn rrn".split()
)
_CONSONANTS, _VOWELS = "bcdfghjklmnprstvwz", "aeiou"
_BASE32: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
_KOREAN: Final = ("김박최곽마옥홍탁맹", "두복옥말필봉", "순자덕리분만")
_COUNTS: Final = {"one": 1, "two": 2, "three": 3, "four": 4, "six": 6, "twelve": 12}


def syllables(drawn: random.Random, count: int) -> str:
    """Return what sounds like a word and is none."""
    return "".join(
        drawn.choice(_CONSONANTS)
        + drawn.choice(_VOWELS)
        + (drawn.choice("nmlkr") if drawn.random() < 0.3 else "")
        for _ in range(count)
    )


@dataclass(slots=True)
class Draw:
    """Draws values of every kind in one language."""

    drawn: random.Random
    korean: bool
    words: Sequence[str]
    nouns: Sequence[str]

    def digits(self, count: int) -> str:
        """Return so many digits."""
        return "".join(self.drawn.choice(string.digits) for _ in range(count))

    def signs(self, pool: str, count: int) -> str:
        """Return so many signs of a pool."""
        return "".join(self.drawn.choice(pool) for _ in range(count))

    def some(self, least: int, most: int) -> list[str]:
        """Return a few words."""
        return self.drawn.sample(self.nouns, self.drawn.randint(least, most))

    def value(self, kind: str) -> str:
        """Return a value of a kind."""
        if kind in _COUNTS:
            return self.digits(_COUNTS[kind])
        made: str = getattr(self, f"_{kind}")()
        return made

    def _pin(self) -> str:
        value, chance = (
            self.digits(self.drawn.choice((4, 4, 4, 4, 5, 6, 6, 6, 3))),
            self.drawn.random(),
        )
        if chance < 0.12:
            return "-".join(value) if chance < 0.06 else " ".join(value)
        return value + self.drawn.choice("#*") if chance < 0.2 else value

    def _pw(self) -> str:
        choice, words = self.drawn.choice, self.words
        if self.korean and self.drawn.random() < 0.08:
            return choice(self.nouns) + self.digits(2)
        head = choice((syllables(self.drawn, choice((2, 3))), choice(words), choice(words).title()))
        tail = choice(("", choice(words), choice(words).title(), syllables(self.drawn, 2).title()))
        made = head + choice(("", "", "_", "-", "!", "#", ".", "@", "&", "$")) + tail
        made += choice(("", self.digits(1), self.digits(2), self.digits(2), self.digits(4)))
        made += choice(("", "", "", "!", "!!", "?"))
        return made + self.digits(2) if made.isalpha() else made

    def _user(self) -> str:
        tail = self.drawn.choice(("", self.digits(2), "_" + self.drawn.choice(self.words)))
        return syllables(self.drawn, self.drawn.choice((2, 3))) + tail

    def _word(self) -> str:
        return self.drawn.choice(self.nouns)

    def _words2(self) -> str:
        return " ".join(self.some(2, 2) if self.drawn.random() < 0.8 else self.some(3, 3))

    def _words4(self) -> str:
        return " ".join(self.some(3, 6))

    def _twelve(self) -> list[str]:
        english = not self.korean or self.drawn.random() < 0.5
        return self.drawn.sample(self.words if english else self.nouns, 12)

    def _words12(self) -> str:
        return self.drawn.choice((" ", " ", ", ")).join(self._twelve())

    def _numbered12(self) -> str:
        mark = self.drawn.choice(("", ")", "."))
        return " ".join(f"{at}{mark} {word}" for at, word in enumerate(self._twelve(), 1))

    def _hyphens(self) -> str:
        return "-".join(self.drawn.sample(self.words, self.drawn.choice((3, 4, 4, 5))))

    def _commas(self) -> str:
        return (
            ", ".join(self.some(4, 8)) if self.drawn.random() < 0.7 else " ".join(self.some(4, 11))
        )

    def _name(self) -> str:
        choice = self.drawn.choice
        if self.korean:
            return choice(
                ("".join(map(choice, _KOREAN)), choice(self.nouns), " ".join(self.some(2, 2)))
            )
        one, two = choice(self.words).title(), choice(self.words).title()
        made = syllables(self.drawn, 2).title()
        endings = (" Lane", " Street", "", "", " Park")
        return choice((syllables(self.drawn, 3).title(), one + choice(endings), f"Mr. {made}",
                       f"{made} {one}", f"the {one} {two}s"))  # fmt: skip

    def _code9(self) -> str:
        if self.drawn.random() < 0.5:
            return f"{self.signs('0123456789abcdef', 5)}-{self.signs('0123456789abcdef', 5)}"
        pool = string.ascii_lowercase + string.digits
        return "-".join(self.signs(pool, 4) for _ in range(self.drawn.choice((2, 3))))

    def _eight(self) -> str:
        return f"{self.digits(4)} {self.digits(4)}"

    def _turns(self) -> str:
        a, b, c = (self.drawn.randrange(1, 60) for _ in range(3))
        english = (f"right {a}, left {b}, right {c}", f"{a} left, {b} right, {c} left",
                   f"to {a}, back to {b}, then {c}", f"L{a} R{b} L{c}",
                   f"clockwise to {a}, back past it to {b}, on to {c}")  # fmt: skip
        korean = (f"오른쪽 {a}, 왼쪽 {b}, 다시 오른쪽 {c}", f"좌 {a} 우 {b} 좌 {c}",
                  f"왼쪽으로 {a} 오른쪽으로 {b} 왼쪽으로 {c}")  # fmt: skip
        return self.drawn.choice(korean if self.korean else english)

    def _combo(self) -> str:
        three, four = self.digits(3), self.digits(4)
        turned = "-".join(str(self.drawn.randrange(60)) for _ in range(3))
        return self.drawn.choice(
            (three, four, "-".join(three), "-".join(four), " ".join(four), turned)
        )

    def _base32(self) -> str:
        value = self.signs(_BASE32, self.drawn.choice((16, 16, 20, 24, 32)))
        if self.drawn.random() < 0.5:
            value = self.drawn.choice(" -").join(value[at : at + 4] for at in range(0, 16, 4))
        return value.lower() if self.drawn.random() < 0.3 else value

    def _ssid(self) -> str:
        named = self.drawn.choice(self.words).title()
        named += self.drawn.choice(("_5G", "Net", "-Guest", " Hub", "_2G"))
        return self.drawn.choice((named, syllables(self.drawn, 2).upper() + self.digits(2)))

    def _blocks(self) -> str:
        pool = string.ascii_uppercase + string.digits
        return "-".join(self.signs(pool, 4) for _ in range(6))

    def _bitlocker(self) -> str:
        return "-".join(self.digits(6) for _ in range(8))

    def _fours(self) -> str:
        mark = self.drawn.choice((" ", "-", ""))
        return mark.join(self.signs(string.ascii_lowercase, 4) for _ in range(4))

    def _ssn(self) -> str:
        mark = self.drawn.choice(("-", " ", ""))
        return mark.join((self.digits(3), self.digits(2), self.digits(4)))

    def _rrn(self) -> str:
        year, month, day = (self.drawn.randint(*each) for each in ((50, 98), (1, 12), (1, 28)))
        return f"{year}{month:02d}{day:02d}-{self.drawn.choice('12')}{self.digits(6)}"

    def _hour(self) -> str:
        if self.korean or self.drawn.random() < 0.5:
            return str(self.drawn.randint(1, 11))
        return f"{self.drawn.randint(6, 21)}:{self.drawn.choice(('00', '15', '30', '45'))}"

    def _price(self) -> str:
        two, three = self.digits(2), self.digits(3)
        if self.korean:
            return self.drawn.choice((two, three, f"{self.drawn.randint(1, 98)}{two[0]},{three}"))
        thousands = f"{self.drawn.randint(1, 8)},{three}"
        return self.drawn.choice((f"${two}", three, thousands, f"{two}.99"))

    def _day(self) -> str:
        return str(self.drawn.randint(1, 29))

    def _year(self) -> str:
        return str(self.drawn.randint(1975, 2025))

    def _version(self) -> str:
        return ".".join(str(self.drawn.randrange(most)) for most in (20, 20, 9))

    def _model(self) -> str:
        letters = self.signs(string.ascii_uppercase, self.drawn.choice((2, 3)))
        return letters + self.drawn.choice(("", "-", " ")) + self.digits(self.drawn.choice((3, 4)))

    def _hex(self) -> str:
        return self.signs("0123456789abcdef", self.drawn.choice((7, 8, 12)))

    def _port(self) -> str:
        return str(
            self.drawn.choice((5432, 3306, 6379, 8080, 8443, 9200, 25565, 3000))
            + self.drawn.randrange(9)
        )

    def _promo(self) -> str:
        named = self.drawn.choice(self.words).upper() + self.digits(2)
        return self.drawn.choice((named, self.signs(string.ascii_uppercase + string.digits, 6)))

    def _lotto(self) -> str:
        drawn = sorted(self.drawn.sample(range(1, 46), 6))
        return self.drawn.choice((" ", ", ")).join(map(str, drawn))


def framed(
    count: int, words: Sequence[str], korean: Sequence[str], seed: int
) -> Iterator[dict[str, Any]]:
    """Draw so many lines of every frame."""
    drawn = random.Random(seed)
    lists: dict[str, list[str]] = {}
    draw = Draw(drawn, False, words, words)
    for line in FRAMES.read_text("utf-8").splitlines():
        name, _, rest = line.partition(": ")
        if line.startswith("== "):
            lists = {}
            draw = Draw(drawn, line == "== ko", words, korean if line == "== ko" else words)
        elif line.startswith(("+", "-")):
            for _ in range(count):
                yield _filled(name[1:].rstrip(":") or "harmless", rest, lists, draw)
        elif line and not line.startswith("#"):
            lists[name] = rest.split("|")


def _filled(kind: str, frame: str, lists: dict[str, list[str]], draw: Draw) -> dict[str, Any]:
    values, text = [], ""
    for piece in re.split(r"(\{\w+\})", frame):
        name = piece.strip("{}")
        if not piece.startswith("{"):
            text += piece
            continue
        made = _listed(name, lists, draw)
        text += made
        if kind != "harmless" and name in SECRET:
            values.append(made)
    if not draw.korean and draw.drawn.random() < 0.4:
        text = text[0].upper() + text[1:]
    if draw.drawn.random() < 0.3:
        text += draw.drawn.choice(".!?" if kind == "harmless" else "..!")
    language = "ko" if draw.korean else "en"
    return {"text": text, "value": values or None, "lang": language, "class": kind}


def _listed(name: str, lists: dict[str, list[str]], draw: Draw) -> str:
    """Return an entry of a list, in which other lists may be named, or a value."""
    if name not in lists:
        return draw.value(name)
    entry = draw.drawn.choice(lists[name])
    return re.sub(r"\{(\w+)\}", lambda match: _listed(match[1], lists, draw), entry)


def redrawn(value: str, draw: Draw) -> str:
    """Return another value of the same sort, so that the words around it teach."""
    drawn, words = draw.drawn, draw.words
    if re.fullmatch(r"[\d\s\-,.#*/]+", value):
        return re.sub(r"\d", lambda _: drawn.choice(string.digits), value)
    if value.isascii() and re.search(r"\d", value) and " " not in value:
        if drawn.random() < 0.4:
            return "".join(_another(sign, drawn) for sign in value)
        named = re.fullmatch(r"[A-Za-z]+[\W_]*[A-Za-z]*[\W_]*\d+\W*", value)
        return draw.value("pw") if named else value
    if re.fullmatch(r"[a-z]{4}(?:[ -][a-z]{4})+|[a-z]{16}", value):
        return "".join(drawn.choice(string.ascii_lowercase) if e.isalpha() else e for e in value)
    if re.fullmatch(r"[A-Z2-7]{4}(?:[ -][A-Z2-7]{4})+|[A-Z2-7]{16,}", value):
        return "".join(drawn.choice(_BASE32) if each.isalnum() else each for each in value)
    if re.fullmatch(r"[a-z]+(?:[ -][a-z]+)+", value):
        mark = "-" if "-" in value else " "
        pieces = value.split(mark)
        kept = (len(each) <= 3 or drawn.random() > 0.6 for each in pieces)
        return mark.join(e if k else drawn.choice(words) for e, k in zip(pieces, kept, strict=True))
    if re.fullmatch(r"[가-힣]+(?: [가-힣]+)+", value):
        return " ".join(
            drawn.choice(draw.nouns) if drawn.random() < 0.5 else e for e in value.split()
        )
    if re.fullmatch(r"[가-힣]{2,8}", value):
        return drawn.choice(draw.nouns)
    if re.fullmatch(r"[A-Z][a-z]+", value):
        return drawn.choice((syllables(drawn, 2), syllables(drawn, 3), drawn.choice(words))).title()
    return drawn.choice(words) if re.fullmatch(r"[a-z]{4,}", value) else value


def _another(sign: str, drawn: random.Random) -> str:
    if sign.isdigit():
        return drawn.choice(string.digits)
    if not sign.isalpha():
        return sign
    alike = _VOWELS if sign.lower() in _VOWELS else _CONSONANTS
    made = drawn.choice(alike if drawn.random() < 0.8 else "qxyz")
    return made.upper() if sign.isupper() else made

"""How people really type: slips of the finger, missing spaces, and questions made of memories."""

from __future__ import annotations

import random
import re
import unicodedata
from typing import Final

# Neighbours on the two-set keyboard, by initial, vowel and final jamo (conjoining forms).
_SLIPS: Final = {
    "ᄀ": "ᄏᄁ", "ᄂ": "ᄅᄆ", "ᄃ": "ᄐᄄ", "ᄅ": "ᄂᄒ", "ᄆ": "ᄂᄇ", "ᄇ": "ᄑᄈ", "ᄉ": "ᄊᄀ", "ᄌ": "ᄎᄍ",
    "ᄒ": "ᄋᄅ", "ᅡ": "ᅣᅥ", "ᅥ": "ᅡᅧ", "ᅩ": "ᅮᅭ", "ᅮ": "ᅩᅲ", "ᅢ": "ᅦᅡ", "ᅦ": "ᅢᅥ", "ᅬ": "ᅫᅦ",
    "ᅫ": "ᅬᅰ", "ᆫ": "ᆼᆷ", "ᆯ": "ᆫᆭ", "ᆺ": "ᆻᆮ", "ᆻ": "ᆺ", "ᇂ": "", "ᆭ": "ᆫ", "ᆬ": "ᆫ",
}  # fmt: skip
_KOREAN_ASKS: Final = (
    "{} 언제였지?", "{} 언제 했어?", "{} 어디서 했지?", "{} 뭐라고 했더라?", "{} 누구랑 했지?",
    "{} 기억나?", "{} 왜 그랬지?", "{} 얼마나 걸렸어?", "{} 어떻게 됐어?", "{}에 대해 알려줘",
    "내가 말한 {} 뭐였지?", "{} 이야기 다시 해줘", "{} 뭐 있었지?", "{} 관련해서 결정한 게 뭐야?",
    "{} 어떤 거였어요?", "지난번에 {} 어땠지?", "{} 몇 번이나 했어?", "{} 누구였나요?", "{} 찾아줘",
)  # fmt: skip
_ENGLISH_ASKS: Final = (
    "what did i say about {}?", "when did {} happen?", "where did they {}?", "who {}?",
    "do you remember {}?", "why did she {}?", "how long did {} take?", "how did {} go?",
    "what kind of {}?", "which {} did he like?", "tell me about {}", "what is {}?",
    "how many {} were there?", "did we decide anything about {}?", "what has she done with {}?",
    "when was {}?", "where is {}?", "what do they think of {}?", "whose {} is it?", "find {}",
)  # fmt: skip
_PARTICLE: Final = re.compile(
    r"(?<=[가-힣]{2})(은|는|이|가|을|를|에|에서|으로|로|의|와|과|도|만|까지|부터)$"
)
_PLAIN: Final = frozenset(
    "the a an and or but of to in on at for with is are was were be been it this that i you he she "
    "they we my your his her their our me him them not so do did does have has had will would can "
    "could as if from by about just very really there then than too also 그리고 그런데 하지만 정말 "
    "너무 진짜 그냥 좀 더 안 못 잘 이 그 저 것 수 때 나는 내가 그래서 매우 아주".split()
)


def slipped(text: str, chance: random.Random) -> str:
    """Return the text with a wrong jamo or letter, or without some of its spaces."""
    if chance.random() < 0.4 and " " in text:
        keep = chance.choice((0.0, 0.5))
        return "".join(c for c in text if c != " " or chance.random() < keep)
    at = chance.randrange(len(text))
    character = text[at]
    if "가" <= character <= "힣":
        jamo = list(unicodedata.normalize("NFD", character))
        part = chance.randrange(len(jamo))
        jamo[part] = chance.choice(_SLIPS.get(jamo[part]) or [jamo[part]])
        character = unicodedata.normalize("NFC", "".join(jamo))
    elif character.isalpha():
        character = chance.choice(("", character * 2, chance.choice("etaoinshr")))
    return text[:at] + character + text[at + 1 :]


def asked(text: str, language: str, chance: random.Random) -> str:
    """Return a question that this text could answer, from a few of its words."""
    words = [_PARTICLE.sub("", word.strip(".,!?\"'()~…")) for word in text.split()]
    words = [word for word in words if len(word) > 1 and word.lower() not in _PLAIN]
    if not words:
        return ""
    start = chance.randrange(len(words))
    picked = words[start : start + chance.choice((1, 2, 2, 3, 4))]
    asks = _KOREAN_ASKS if language == "ko" else _ENGLISH_ASKS
    return chance.choice(asks).format(" ".join(picked))

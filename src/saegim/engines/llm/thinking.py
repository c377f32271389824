"""What a model thought aloud, taken off what it said.

A tag inside an answer stays: only what stands before the answer is thinking.
"""

from __future__ import annotations

import re
from typing import Final

# Ways to mark thinking: most models; Mistral; Kimi; ByteDance; the channels of gpt-oss.
_NAMES: Final = "think|thinking|thought|reasoning|analysis"
_OPENING: Final = re.compile(
    rf"\s*(?:<(?:{_NAMES})>|\[THINK\]|◁think▷|<seed:think>"
    r"|(?:<\|start\|>assistant)?<\|channel\|>(?:analysis|commentary)[^<]{0,80}<\|message\|>)",
    re.IGNORECASE,
)
_CLOSING: Final = re.compile(
    rf"</(?:{_NAMES})>|\[/THINK\]|◁/think▷|</seed:think>"
    r"|<\|channel\|>final[^<]{0,80}<\|message\|>",
    re.IGNORECASE,
)
# A closing mark whose opening one was part of the prompt ends a line or stands before the answer.
_ALONE: Final = re.compile(r"[ \t]{0,8}(?:\n|[{\[`]|\Z)")
_LAST_WORDS: Final = (
    *("<|return|>", "<|end|>", "<|im_end|>", "<|eot_id|>", "<|endoftext|>", "<|end_of_text|>"),
    *("<end_of_turn>", "</s>", "</answer>"),
)
_MOST_LAST_WORDS: Final = 4
_ANSWERS: Final = ("{", "[", "`", "｛", "［")


def clean(text: str) -> str:
    """Return the text without byte order mark and NUL, broken Unicode replaced."""
    kept = text.replace("\x00", "").removeprefix("\ufeff")
    try:
        kept.encode()
    except UnicodeEncodeError:
        # Two halves that belong together become one character; a half alone becomes a mark.
        return kept.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return kept


def spoken(text: str) -> str:
    """Return what the model said: clean, without its thinking and the marks of its template."""
    said = clean(text).strip()
    at = 0
    while opening := _OPENING.match(said, at):
        closing = _CLOSING.search(said, opening.end())
        if closing is None:
            # Forced into JSON, a model may answer inside the block it was made to open.
            rest = said[opening.end() :].strip()
            return rest if rest.startswith(_ANSWERS) else ""
        at = closing.end()
    said = said[at:].strip()
    if not said.startswith(_ANSWERS):
        ends = [mark.end() for mark in _CLOSING.finditer(said) if _ALONE.match(said, mark.end())]
        said = said[ends[-1] :].strip() if ends else said
    return _without_last_words(said)


def _without_last_words(said: str) -> str:
    for _ in range(_MOST_LAST_WORDS):
        for word in _LAST_WORDS:
            said = said.removesuffix(word).rstrip()
    return said

"""A scene by a language model: what it is asked, and whether its memories bear it out.

A suggestion may hold new words, a statement may not: what is told as so must be in the memories or
in what is going on, and a name, a figure or a quotation must be there in any case.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from saegim.engines.llm.json_repair import NAMES, items
from saegim.engines.llm.models import Request, clean
from saegim.errors import BadReply, EngineError, Refused
from saegim.guard.echo import NAME
from saegim.guard.guard import screen
from saegim.guard.injection import suspicion
from saegim.imagine.scenes import Scene, feeling_of
from saegim.language.grounding import same_language
from saegim.language.language import script_of
from saegim.language.meanings import said as heard_in
from saegim.language.meanings import words_of
from saegim.language.names import named
from saegim.memory.memory import Memory
from saegim.memory.text import fold, normalise
from saegim.messages import Message, said
from saegim.mind import Mind
from saegim.perceive.model_worker import refused
from saegim.recall.compose.card import block, quoted, shortened

# The purpose under which the calls are counted.
PURPOSE: Final = "imagine"
_LONGEST: Final = 300
_LONGEST_WORD: Final = 40
_LONGEST_SOURCE: Final = 200
_SCHEMA: Final[Mapping[str, Any]] = {
    "type": "object",
    "properties": {
        "scenario": {"type": "string"},
        "action": {"type": "string"},
        "feeling": {"type": "string"},
        "memories": {"type": "array", "items": {"type": "integer"}},
    },
}
_NAMES: Final = {
    **NAMES,
    **dict.fromkeys(("scenario", "시나리오", "상상", "imagination"), "content"),
    **dict.fromkeys(("행동", "대사", "말"), "action"),
    **dict.fromkeys(("감정", "emotion", "mood"), "feeling"),
    **dict.fromkeys(("sources", "기억", "번호", "memories_used"), "memories"),
}


def scene_by_model(
    sources: Sequence[Memory], *, when: str, context: str, language: str, mind: Mind
) -> tuple[Scene | None, str]:
    """Return the scene a model imagines, or none and why not; then the rule stands in."""
    request = _request(sources, when, context, language, mind.settings.model_max_tokens)
    try:
        answer = mind.ask(PURPOSE, request, owner=sources[0].scope.user)
        found = items(
            answer.text,
            many="imaginations",
            prompt=request.prompt,
            who=f"The model {answer.model}",
            names=_NAMES,
        )
        if not found:
            raise BadReply("engine.reply_said_nothing", who=f"The model {answer.model}")
    except (EngineError, Refused) as error:
        return None, error.message
    scene = _scene(found[0], sources)
    around = f"{context} {when}"
    for text in (scene.scenario, scene.action or "", scene.felt):
        if text and (why := ungrounded_in(text, sources, around, word=text is scene.felt)):
            refused([(text, why)], mind)
            return None, str(Message("imagine.ungrounded", why=why))
    return scene, ""


def _request(
    sources: Sequence[Memory], when: str, context: str, language: str, max_tokens: int
) -> Request:
    # The instruction of seed D §7 and its English twin stand among the sentences of the scenes.
    header, going, system, asked = (
        said(f"scene.ask_{each}", {"when": when}, language)
        for each in ("header", "going", "system", "now")
    )
    lines = [
        f"[{number}] {quoted(shortened(each.text, _LONGEST_SOURCE))}"
        for number, each in enumerate(sources, 1)
    ]
    if context:
        lines.append(f"{going} {quoted(shortened(context, _LONGEST_SOURCE))}")
    return Request(
        system=system,
        prompt=f"{block(header, lines)}\n{asked}",
        schema=_SCHEMA,
        max_tokens=max_tokens,
    )


def _scene(item: Mapping[str, Any], sources: Sequence[Memory]) -> Scene:
    told = {name: _line(item.get(name)) for name in ("content", "action", "feeling")}
    given = item.get("memories")
    numbers = {each for each in given if isinstance(each, int)} if isinstance(given, list) else {}
    used = tuple(each for number, each in enumerate(sources, 1) if number in numbers)
    felt = told["feeling"][:_LONGEST_WORD] or "neutral"
    return Scene(
        scenario=told["content"],
        action=told["action"] or None,
        feeling=feeling_of(felt),
        felt=felt,
        # A model that names none of them was shown them all.
        sources=used or tuple(sources),
    )


def _line(value: Any) -> str:
    return " ".join(clean(fold(value)).split()) if isinstance(value, str) else ""


# -- whether it is borne out ----------------------------------------------------------------------

_FIGURE: Final = re.compile(r"\d+")
_CAPITAL: Final = re.compile(r"(?<=[a-z,;:] )[A-Z][\w'’-]+")
_QUOTED: Final = re.compile(r"[\"“‘「『]([^\"”’」』\n]{2,200})[\"”’」』]")
_SENTENCE: Final = re.compile(r"(?<=[.!?…])\s+")
# What a Korean clause ends with that gives the reason for the next: it is told as so.
_REASONS: Final = ("니까", "으니", "아서", "어서", "해서", "라서", "는데", "지만", "므로", "인데")
_WISHES: Final = re.compile(
    r"(?:까|자|세요|어때|[을할줄볼]래|[을할줄볼]게|싶[다어]|텐데|봐|줘)[요!.~…]*$"
    # Said to someone, of nobody: 한 잔 마셔!
    r"|^(?!.*\S[은는이가] ).*!$"
)
# … unless it is told as something that was, or is seen to be so.
_TOLD: Final = re.compile(
    r"[았었였했갔왔됐샀]|(?:네|군|구나|다더라|는대|했대|이야|예요|에요)요?[!.~…]*$"
)
_ENGLISH_REASON: Final = re.compile(r"(?i)\b(?:since|because|as you|now that)\b[^,]*,?")
_ENGLISH_WISH: Final = re.compile(
    r"(?i)\b(?:maybe|perhaps|could|would|might|let['’]s|let me|how about|what if|why not|shall|"
    r"should|may)\b|^(?:take|try|have|go|enjoy|rest|drink|call|ask|bring|make|grab|treat|do)\b"
)
# Half of what a statement says must be in the memories: endings and small words are not counted.
_OWN: Final = 2


def ungrounded_in(
    text: str, sources: Sequence[Memory], around: str = "", *, word: bool = False
) -> str:
    """Return "" if a sentence may be kept, else what is wrong with it.

    Reasons: empty, too_long, instruction, secret, language, quote, number, name, fact. Of a `word`
    for a feeling only the first four are asked.
    """
    source = "\n".join((*(each.text for each in sources), around))
    if not any(map(str.isalnum, text)) or len(text) > _LONGEST:
        return "too_long" if text else "empty"
    if suspicion(text) or NAME in text:
        return "instruction"
    if screen(text).findings:
        return "secret"
    if word:
        return ""
    if not same_language(text, source):
        return "language"
    held = normalise(source)
    squeezed = "".join(held.split())
    if any("".join(normalise(each).split()) not in squeezed for each in _QUOTED.findall(text)):
        return "quote"
    if set(_FIGURE.findall(text)) - set(_FIGURE.findall(held)):
        return "number"
    if any(part not in held for part in _named(text)):
        return "name"
    heard = heard_in(source)
    for clause in _statements(text):
        words = list(words_of(fold(clause)))
        if words and _OWN * sum(map(heard.holds_alike, words)) < len(words):
            return "fact"
    return ""


def _named(text: str) -> set[str]:
    language = "ko" if script_of(text) == "ko" else "en"
    found = [each.name for each in named(fold(text), (), language=language, me="")]
    found += [re.sub(r"['’]s$", "", each) for each in _CAPITAL.findall(text)]
    return {part for name in found for part in normalise(name).split()}


def _statements(text: str) -> Iterator[str]:
    """Yield the parts of a text that tell something as so; questions and wishes do not."""
    for sentence in _SENTENCE.split(text):
        if script_of(sentence) == "ko":
            *reasons, last = _korean_clauses(sentence)
            yield from reasons
            end = last.rpartition(" ")[2]
            wish = _WISHES.search(last) is not None and _TOLD.search(end) is None
        else:
            yield from _ENGLISH_REASON.findall(sentence)
            last = _ENGLISH_REASON.sub("", sentence)
            wish = _ENGLISH_WISH.search(last.strip()) is not None
        if not wish and not sentence.rstrip().endswith("?"):
            yield last


def _korean_clauses(sentence: str) -> list[str]:
    clauses: list[list[str]] = [[]]
    for each in sentence.split():
        clauses[-1].append(each)
        if each.rstrip(",").endswith(_REASONS):
            clauses.append([])
    return [" ".join(each) for each in clauses if each] or [""]

"""Facts a language model reads in a text: asked for, repaired, checked field by field, grounded.

The model sees the text and who said it, nothing else. What it answers is data: it can name facts,
and nothing it says sets an id, an owner, an origin or a trust.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from saegim.engines.llm.llm import Answer, Request
from saegim.engines.llm.repair import items, number
from saegim.engines.llm.thinking import clean
from saegim.errors import BadReply
from saegim.guard.instructions import suspicion
from saegim.language.grounding import Ground, Triple, fits
from saegim.language.predicates import Named
from saegim.memory.coordinate import Kind
from saegim.memory.keys import canonical_key, fold, normalise
from saegim.perceive.model_question import MOST_FACTS, request_for, shown

LONGEST_FACT: Final = 500
_MOST_NAMED: Final = 10
_MOST_TRIPLES: Final = 3
_LONGEST_NAME: Final = 60
_SHOWN: Final = 80

_KINDS: Final[Mapping[str, Kind]] = {
    **dict.fromkeys(("preference", "선호", "취향", "기호"), Kind.PREFERENCE),
    **dict.fromkeys(("experience", "경험", "event", "사건"), Kind.EXPERIENCE),
    **dict.fromkeys(("emotion", "감정", "기분"), Kind.EMOTION),
    **dict.fromkeys(("technical", "기술", "tech"), Kind.TECHNICAL),
    **dict.fromkeys(("principle", "원칙", "규칙"), Kind.PRINCIPLE),
}
_TYPES: Final[Mapping[str, str]] = {
    **dict.fromkeys(("person", "사람", "인물"), "person"),
    **dict.fromkeys(("place", "장소", "지역", "location", "city"), "place"),
    **dict.fromkeys(
        ("organisation", "organization", "기관", "회사", "조직", "company"), "organisation"
    ),
    **dict.fromkeys(("topic", "주제", "개념"), "topic"),
}
_USER: Final = re.compile(
    r"(?:the )?(?:user|users)\b|사용자|유저|이용자|당신|너는|you\b|your\b", re.IGNORECASE
)
_ASSISTANT: Final = re.compile(r"(?:the )?assistant\b|어시스턴트|도우미", re.IGNORECASE)
_NAME: Final = re.compile(r"[^\W_][\w .'’-]{0,39}")


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFact:
    """One fact a model read, grounded in its source."""

    text: str
    kind: Kind
    importance: float
    confidence: float
    triples: tuple[Triple, ...] = ()
    named: tuple[Named, ...] = ()


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """What a model read in a text, and what of it is not taken, each with a reason code.

    `left` counts the characters at the end of a very long text that no model was shown.
    """

    facts: tuple[ModelFact, ...]
    rejected: tuple[tuple[str, str], ...]
    left: int = 0


def facts_by_model(
    text: str,
    *,
    ask: Callable[[Request], Answer],
    speaker: str,
    role: str,
    said_at: datetime,
    max_tokens: int = 1024,
    who: str = "The model",
) -> ModelFacts:
    """Ask a model for the facts of a text; raise BadReply, naming `who`, where none can be read."""
    gathered = _Gathered(_names(speaker, role), role == "user", said_at)
    asked, left = shown(text)
    unreadable: list[BadReply] = []
    for each in asked:
        request = request_for(each, role=role, max_tokens=max_tokens)
        answer = ask(request)
        try:
            found = items(answer.text, prompt=request.prompt, who=who)
        except BadReply as error:
            unreadable.append(error)
            gathered.rejected.append((each[:_SHOWN], "unreadable"))
        else:
            gathered.take(found, (each,), request.system)
    if unreadable and len(unreadable) == len(asked):
        raise unreadable[-1]
    return ModelFacts(tuple(gathered.facts), tuple(gathered.rejected), left)


def facts_by_agent(
    found: list[dict[str, Any]],
    shown_parts: Sequence[str],
    *,
    speaker: str,
    role: str,
    said_at: datetime,
    system: str,
) -> ModelFacts:
    """Hold the facts that an agent read in all parts of a text against them, as a model's are."""
    gathered = _Gathered(_names(speaker, role), role == "user", said_at)
    gathered.take(found, shown_parts, system)
    return ModelFacts(tuple(gathered.facts), tuple(gathered.rejected))


def _names(speaker: str, role: str) -> tuple[str, ...]:
    """Return what the speaker may be called in a fact, beside "user" for a person."""
    name = " ".join(fold(speaker).split())
    own = (name,) if len(name) > 1 and _NAME.fullmatch(name) else ()
    return own if role == "user" else (*own, "어시스턴트", "the assistant", "assistant")


class _Gathered:
    """Takes what is a fact and keeps why the rest is not."""

    def __init__(self, names: tuple[str, ...], person: bool, said_at: datetime) -> None:
        self.facts: list[ModelFact] = []
        self.rejected: list[tuple[str, str]] = []
        self._names = names
        self._person = person
        self._said_at = said_at
        self._seen: set[str] = set()

    def take(self, found: list[dict[str, Any]], sources: Sequence[str], system: str) -> None:
        """Check the items of one answer against the parts of the text they were read from.

        A fact stands in one part: words of two parts put together are nobody's sentence.
        """
        # Twice as many are looked at to find so many; what follows is a runaway answer.
        before, most = len(self.facts), MOST_FACTS * len(sources)
        grounds = [
            Ground(each, order_in=suspicion, allowed=self._names, said_at=self._said_at)
            for each in sources
        ]
        for item in found[: 2 * most]:
            if len(self.facts) - before == most:
                break
            text = " ".join(clean(fold(item["content"])).split())
            if reason := self._refused(text, grounds, system):
                self.rejected.append((text[:LONGEST_FACT], reason))
            else:
                self.facts.append(self._fact(item, text))
        if len(found) > 2 * most or len(self.facts) - before == most < len(found):
            self.rejected.append((f"{len(found)} items", "too_many"))

    def _refused(self, text: str, grounds: Sequence[Ground], system: str) -> str:
        if len(text) > LONGEST_FACT:
            return "too_long"
        key = canonical_key(text.rstrip(".!。"))
        if not any(letter.isalnum() for letter in text) or key in self._seen:
            return "duplicate" if key in self._seen else "empty"
        if (_ASSISTANT if self._person else _USER).match(text):
            return "role"
        reason = _wrong_in_all(grounds, text)
        if reason and _squeezed(text) in _squeezed(system):
            return "echo"
        if not reason:
            self._seen.add(key)
        return reason

    def _fact(self, item: Mapping[str, Any], text: str) -> ModelFact:
        return ModelFact(
            text=text,
            kind=_KINDS.get(_plain(item.get("type")), Kind.FACT),
            importance=_share(item.get("importance"), 0.5),
            confidence=_share(item.get("confidence"), 0.7),
            triples=tuple(each for each in _triples(item) if fits(each, text, self._names)),
            named=tuple(self._named(item.get("entities"), text)),
        )

    def _named(self, value: Any, text: str) -> Iterator[Named]:
        """Yield who and what the fact names; a name that is not in it is left out."""
        seen: set[str] = set()
        held = normalise(text)
        for each in value[:_MOST_NAMED] if isinstance(value, list) else ():
            name, kind = (each, "") if isinstance(each, str) else _name_and_type(each)
            plain = normalise(name)
            if not plain or len(name) > _LONGEST_NAME or plain in seen or plain not in held:
                continue
            if _USER.fullmatch(plain) or plain in map(normalise, self._names):
                continue
            seen.add(plain)
            yield Named(name=name, type=_TYPES.get(kind, "thing"))


def _wrong_in_all(grounds: Sequence[Ground], text: str) -> str:
    """Return what is wrong with a fact in the first part, unless another part says it."""
    reasons: list[str] = []
    for ground in grounds:
        if not (reason := ground.wrong_with(text)):
            return ""
        reasons.append(reason)
    return reasons[0] if reasons else "empty"


def _squeezed(text: str) -> str:
    return "".join(normalise(text).rstrip(".!").split())


def _plain(value: Any) -> str:
    return normalise(value) if isinstance(value, str) else ""


def _share(value: Any, otherwise: float) -> float:
    """Return a number between 0 and 1, whatever was written."""
    found = number(value)
    return otherwise if found is None else min(1.0, max(0.0, found))


def _name_and_type(value: Any) -> tuple[str, str]:
    if not isinstance(value, Mapping):
        return "", ""
    name = value.get("name", value.get("이름"))
    kind = value.get("type", value.get("유형"))
    return " ".join(fold(name).split()) if isinstance(name, str) else "", _plain(kind)


def _triples(item: Mapping[str, Any]) -> Iterator[Triple]:
    """Yield what has exactly three short parts."""
    given = item.get("triple") or item.get("triples") or ()
    if not given and "subject" in item:
        given = item
    several = (
        given if isinstance(given, list) and given and not isinstance(given[0], str) else [given]
    )
    for each in several[:_MOST_TRIPLES]:
        if isinstance(each, Mapping):
            each = [each.get(part) for part in ("subject", "predicate", "object")]
        if triple := _three(each):
            yield triple


def _three(value: Any) -> Triple | None:
    if not isinstance(value, list | tuple) or len(value) != 3:
        return None
    subject, predicate, thing = (
        " ".join(fold(each).split()) if isinstance(each, str) else "" for each in value
    )
    if not (0 < len(subject) <= _LONGEST_NAME and 0 < len(predicate) <= _LONGEST_NAME):
        return None
    return (subject, predicate, thing) if 0 < len(thing) <= _LONGEST_NAME else None

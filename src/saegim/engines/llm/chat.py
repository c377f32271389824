"""What the three kinds of server have in common: asking once, giving way, judging the answer.

A server that turns down an option (status 400) has answered nothing yet: the same question goes to
it again without that option, and the object remembers. That is no second try: what fails for any
other reason fails at once.
"""

from __future__ import annotations

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final
from urllib.parse import urlsplit

from saegim.engines.llm.llm import Answer, Request, checked, tokens_of
from saegim.engines.llm.thinking import clean, spoken
from saegim.engines.tokens import estimate
from saegim.engines.wire import (
    Key,
    Peer,
    Reply,
    Resolve,
    Wire,
    WireSettings,
    addresses,
    check_url,
    loops_back,
)
from saegim.errors import BadReply, SettingsError
from saegim.messages import Message

# A local server may load a model of several gigabytes before its first answer.
SECONDS: Final = 120.0
# An answer of 100,000 tokens is smaller.
_LARGEST_REPLY: Final = 2 * 1024 * 1024
# The one tool that servers without another way to enforce a schema are made to call.
TOOL: Final = "answer"
_LONGEST_NAME: Final = 200
_TURNED_DOWN: Final = (400, 422)
# Such a complaint may name an option, but giving that up would not help.
_TOO_LONG: Final = re.compile(r"context (length|size|window)|prompt is too long", re.IGNORECASE)


def patience(seconds: float) -> WireSettings:
    """Return how long one answer may take, and how large it may be."""
    return WireSettings(
        connect_seconds=min(5.0, seconds),
        read_seconds=seconds,
        total_seconds=seconds,
        largest_reply=_LARGEST_REPLY,
    )


def closed(schema: Any) -> Any:
    """Return the schema with every object closed and every property required, unless it says."""
    if isinstance(schema, Mapping):
        parts = {key: _closed_part(key, part) for key, part in schema.items()}
        if isinstance(properties := parts.get("properties"), dict):
            parts.setdefault("additionalProperties", False)
            parts.setdefault("required", list(properties))
        return parts
    return [closed(part) for part in schema] if isinstance(schema, list | tuple) else schema


def _closed_part(key: str, part: Any) -> Any:
    if key in ("properties", "$defs") and isinstance(part, Mapping):
        return {name: closed(each) for name, each in part.items()}
    return closed(part)


def part(data: Any, *path: str | int) -> Any:
    """Return what lies at a path of keys and places, or None."""
    for step in path:
        if isinstance(step, str) and isinstance(data, Mapping):
            data = data.get(step)
        elif isinstance(step, int) and isinstance(data, list) and len(data) > step:
            data = data[step]
        else:
            return None
    return data


def words(content: Any) -> str:
    """Return the text of a message: a string, or the text parts of a list."""
    if isinstance(content, str):
        return content
    texts = [part(each, "text") for each in content] if isinstance(content, list) else []
    return "".join(text for text in texts if isinstance(text, str))


def _counts(tokens: Any) -> bool:
    return type(tokens) is int and 0 <= tokens < 10**9


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What one reply holds, before anyone has judged it."""

    text: str
    ended: str
    refused: bool = False
    calls: Sequence[tuple[str, Any]] = ()
    tokens_in: Any = None
    tokens_out: Any = None
    model: Any = None


class Chat(ABC):
    """What the three kinds of server have in common: asking, giving way, judging the answer."""

    provider: str
    path: ClassVar[str]
    # How a schema is asked for, the strictest way first; the last leaves it to the prompt.
    forms: ClassVar[tuple[str, ...]] = ("schema", "json", "words")
    enforced: ClassVar[frozenset[str]] = frozenset(("schema",))
    # What a complaint about the form, and about each option, is known by.
    about_form: ClassVar[re.Pattern[str]]
    about: ClassVar[Mapping[str, re.Pattern[str]]]
    cut_off: ClassVar[frozenset[str]] = frozenset(("length",))

    # What the server is called, and what to do when it is silent or does not know the model.
    called: ClassVar[str]
    if_silent: ClassVar[str]
    if_unknown: ClassVar[str]
    # How the key travels, and what else is said with every question.
    key_header: ClassVar[tuple[str, ...]] = ()
    headers: ClassVar[Mapping[str, str]] = {}

    def __init__(
        self,
        url: str,
        model: str,
        key: str = "",
        *,
        seconds: float = SECONDS,
        settings: WireSettings | None = None,
        resolve: Resolve = addresses,
    ) -> None:
        unknown = Message(self.if_unknown, model=model)
        peer = Peer(self.called, check_url(url), model, Message(self.if_silent), unknown)
        if not model.strip() or not model.isprintable() or len(model) > _LONGEST_NAME:
            raise SettingsError("engine.no_language_model_is_named")
        self.model = model
        self.local = loops_back(urlsplit(peer.url).hostname or "")
        held = Key(key, *self.key_header)
        self._wire = Wire(peer, held, settings or patience(seconds), resolve, self.headers)
        self._form = 0
        self._without: set[str] = set()
        self._begin()

    def _begin(self) -> None:  # noqa: B027
        """Learn from the address and the name of the model what this kind of server is like."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._wire.peer.url!r}, {self.model!r})"

    def __str__(self) -> str:
        return str(self._wire.peer)

    def close(self) -> None:
        """Close the connections that are kept open."""
        self._wire.close()

    def ask(self, request: Request) -> Answer:
        """Return one answer of this server, or raise what kept it from coming."""
        checked(request)
        while True:
            form = self._form
            reply = self._wire.send("POST", self.path, self._question(request, self.forms[form]))
            if reply.status == 200:
                return self._judged(self._read(reply), request)
            if not self._gives_way(reply, request, form):
                raise self._wire.complaint(reply)

    def _gives_way(self, reply: Reply, request: Request, form: int) -> bool:
        """Give up what the server turned down; each thing once, so that this ends."""
        if reply.status not in _TURNED_DOWN:
            return False
        complaint = reply.body[:4000].decode("utf-8", "replace")
        if _TOO_LONG.search(complaint):
            return False
        for option, known_by in self.about.items():
            if option not in self._without and known_by.search(complaint):
                self._without.add(option)
                return True
        lower = form + 1 < len(self.forms) and self.about_form.search(complaint) is not None
        if request.schema is None or not lower:
            return False
        self._form = max(self._form, form + 1)
        return True

    def _system(self, request: Request, form: str) -> str:
        """Return the system text, with the schema in it where the server does not enforce it."""
        if request.schema is None or form in self.enforced:
            return clean(request.system)
        schema = json.dumps(closed(request.schema), ensure_ascii=False)
        asked = f"Answer with JSON alone, without any other text, that fits this schema: {schema}"
        return clean(f"{request.system}\n\n{asked}".strip())

    def _read(self, reply: Reply) -> Said:
        data = self._wire.json(reply)
        if part(data, "error"):
            said = self._wire.detail(reply)
            # What went wrong there may be that the tokens were spent.
            step = "engine.tokens_spent_step" if "tokens" in said else ""
            key = "engine.answered_with_error" if said else "engine.answered_with_bare_error"
            raise self._bad(key, next_step=step, said=said)
        told = self._said(data)
        if told is None:
            raise BadReply(
                "engine.answered_with_json_holds_no", peer=self._wire.peer, provider=self.provider
            )
        return told

    def _judged(self, said: Said, request: Request) -> Answer:
        if said.refused:
            raise self._bad("engine.refused_to_answer", ended=said.ended or "refusal")
        text = self._text(said)
        named = said.model if isinstance(said.model, str) and said.model.isprintable() else ""
        return Answer(
            text=text,
            tokens_in=said.tokens_in if _counts(said.tokens_in) else tokens_of(request),
            tokens_out=said.tokens_out if _counts(said.tokens_out) else estimate(text),
            model=named[:_LONGEST_NAME] or self.model,
            finished=said.ended not in self.cut_off,
        )

    def _text(self, said: Said) -> str:
        """Return the words, or the arguments of the tool that stands for the schema."""
        for name, told in said.calls:
            if name == TOOL and told not in (None, "", "{}", {}):
                text = told if isinstance(told, str) else json.dumps(told, ensure_ascii=False)
                return clean(text).strip()
        text = spoken(said.text)
        if text:
            return text
        if said.ended in self.cut_off:
            raise self._bad("engine.tokens_spent")
        if said.calls:
            raise self._bad("engine.called_a_tool")
        key = "engine.only_thought" if said.text.strip() else "engine.answered_nothing"
        raise self._bad(key)

    def _bad(self, key: str, next_step: str = "", **values: Any) -> BadReply:
        return BadReply(key, next_step=next_step, peer=self._wire.peer, **values)

    @abstractmethod
    def _question(self, request: Request, form: str) -> dict[str, Any]: ...

    @abstractmethod
    def _said(self, data: Any) -> Said | None: ...

"""Language models: the contract, the three kinds of server, and one that follows a script.

A model never tries again and never hands a question to another server: who asks decides that.
"""

from __future__ import annotations

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Protocol
from urllib.parse import urlsplit

from saegim.engines.http import (
    ApiKey,
    HttpClient,
    HttpReply,
    Peer,
    Resolve,
    WireSettings,
    addresses,
    check_url,
    loops_back,
)
from saegim.engines.tokens import cut, estimate
from saegim.errors import BadInput, BadReply, EngineError, SettingsError
from saegim.messages import Message


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One question: what the model is, what it is asked, and the shape its answer must have."""

    system: str
    prompt: str
    # JSON Schema with an object at its root; every property counts as required unless `required`
    # says otherwise, because some servers accept nothing else.
    schema: Mapping[str, Any] | None = None
    max_tokens: int = 1024
    temperature: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What the model said, its thinking left out, and what that cost."""

    text: str
    tokens_in: int
    tokens_out: int
    model: str
    # False: the token cap cut it off.
    finished: bool


class LanguageModel(Protocol):
    """Answers one question at a time."""

    provider: str
    model: str
    # True: the question does not leave this machine.
    local: bool

    def ask(self, request: Request) -> Answer:
        """Return one answer, or raise EngineError, Unavailable or BadReply."""
        ...

    def close(self) -> None:
        """Let go of what is kept open."""
        ...


def checked(request: Request) -> Request:
    """Return the request, or refuse one that no model can answer."""
    if not request.prompt.strip():
        raise BadInput("engine.empty_prompt_has_no_answer")
    if request.max_tokens < 1:
        raise BadInput("engine.answer_of_tokens_cannot_be", max_tokens=request.max_tokens)
    return request


def tokens_of(request: Request) -> int:
    """Estimate what a question costs, where the server does not count it."""
    shape = "" if request.schema is None else json.dumps(request.schema, default=dict)
    return sum(map(estimate, (request.system, request.prompt, shape)))


# -- What a model thought aloud, taken off what it said

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


# -- What the three kinds of server have in common: asking once, giving way

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
class ModelReply:
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
        held = ApiKey(key, *self.key_header)
        self._wire = HttpClient(peer, held, settings or patience(seconds), resolve, self.headers)
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

    def _gives_way(self, reply: HttpReply, request: Request, form: int) -> bool:
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

    def _read(self, reply: HttpReply) -> ModelReply:
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

    def _judged(self, said: ModelReply, request: Request) -> Answer:
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

    def _text(self, said: ModelReply) -> str:
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
    def _said(self, data: Any) -> ModelReply | None: ...


# -- Language models behind HTTP: Ollama, every server that speaks like OpenAI, and Anthropic


def _calls(calls: Any) -> tuple[tuple[str, Any], ...]:
    """Return name and arguments of each tool call, as Ollama and OpenAI write them."""
    listed = calls if isinstance(calls, list) else []
    return tuple(
        (str(part(call, "function", "name")), part(call, "function", "arguments"))
        for call in listed
    )


def _messages(system: str, prompt: str) -> list[dict[str, str]]:
    told = [{"role": "system", "content": system}] if system else []
    return [*told, {"role": "user", "content": clean(prompt)}]


class OllamaModel(Chat):
    """Asks an Ollama server (`/api/chat`)."""

    provider = "ollama"
    called = "Ollama"
    if_silent = "engine.start_ollama"
    if_unknown = "engine.fetch_from_ollama"
    path = "/api/chat"
    about_form = re.compile(r"\bformat\b|schema|grammar|unmarshal", re.IGNORECASE)
    about: ClassVar = {"think": re.compile(r"\bthink", re.IGNORECASE)}

    def _begin(self) -> None:
        # A model of this name is run by Ollama's own machines, whatever server passes it on.
        self.local = self.local and not self.model.endswith(("-cloud", ":cloud"))

    def _question(self, request: Request, form: str) -> dict[str, Any]:
        question: dict[str, Any] = {
            "model": self.model,
            "messages": _messages(self._system(request, form), request.prompt),
            "stream": False,
            "options": {"temperature": request.temperature, "num_predict": request.max_tokens},
        }
        if "think" not in self._without:
            question["think"] = False
        if request.schema is not None and form != "words":
            question["format"] = closed(request.schema) if form == "schema" else "json"
        return question

    def _said(self, data: Any) -> ModelReply | None:
        message = part(data, "message")
        if not isinstance(message, Mapping):
            return None
        return ModelReply(
            text=words(message.get("content")),
            ended=str(part(data, "done_reason") or ""),
            calls=_calls(message.get("tool_calls")),
            tokens_in=part(data, "prompt_eval_count"),
            tokens_out=part(data, "eval_count"),
            model=part(data, "model"),
        )


class OpenAIModel(Chat):
    """Asks a server that speaks like OpenAI (`{url}/chat/completions`): LM Studio, vLLM, others."""

    provider = "openai-compatible"
    called = "The model server"
    if_silent = "engine.start_server"
    if_unknown = "engine.check_model_before_chat"
    path = "/chat/completions"
    about_form = re.compile(
        r"response_format|json_schema|json_object|structured|guided|grammar|schema", re.IGNORECASE
    )
    about: ClassVar = {
        # Newer models of OpenAI take the cap under another name, and no temperature.
        "max_tokens": re.compile(r"max_completion_tokens"),
        "temperature": re.compile(r"\btemperature\b"),
        "chat_template_kwargs": re.compile(r"chat_template_kwargs|enable_thinking"),
    }

    def _begin(self) -> None:
        if urlsplit(self._wire.peer.url).scheme == "https":
            # How vLLM and llama.cpp are asked not to think; servers of others know no such thing.
            self._without.add("chat_template_kwargs")

    def _question(self, request: Request, form: str) -> dict[str, Any]:
        cap = "max_completion_tokens" if "max_tokens" in self._without else "max_tokens"
        question: dict[str, Any] = {
            "model": self.model,
            "messages": _messages(self._system(request, form), request.prompt),
            "stream": False,
            cap: request.max_tokens,
        }
        if "temperature" not in self._without:
            question["temperature"] = request.temperature
        if "chat_template_kwargs" not in self._without:
            question["chat_template_kwargs"] = {"enable_thinking": False}
        if request.schema is not None and form == "json":
            question["response_format"] = {"type": "json_object"}
        elif request.schema is not None and form == "schema":
            schema = {"name": TOOL, "strict": True, "schema": closed(request.schema)}
            question["response_format"] = {"type": "json_schema", "json_schema": schema}
        return question

    def _said(self, data: Any) -> ModelReply | None:
        message = part(data, "choices", 0, "message")
        if not isinstance(message, Mapping):
            return None
        ended = str(part(data, "choices", 0, "finish_reason") or "")
        return ModelReply(
            text=words(message.get("content")),
            ended=ended,
            refused=bool(message.get("refusal")) or ended == "content_filter",
            calls=_calls(message.get("tool_calls")),
            tokens_in=part(data, "usage", "prompt_tokens"),
            tokens_out=part(data, "usage", "completion_tokens"),
            model=part(data, "model"),
        )


class Anthropic(Chat):
    """Asks Anthropic, or a server that speaks like it (`{url}/v1/messages`)."""

    provider = "anthropic"
    called = "Anthropic"
    if_silent = "engine.check_network"
    if_unknown = "engine.check_model_before_v1"
    key_header = ("x-api-key", "")
    headers: ClassVar = {"anthropic-version": "2023-06-01"}
    path = "/v1/messages"
    # Models without structured output are made to call one tool, whose input is the answer.
    forms = ("schema", "tool", "words")
    enforced = frozenset(("schema", "tool"))
    about_form = re.compile(r"output_config|output_format|structured|schema|\btool", re.IGNORECASE)
    # Newer models take no temperature.
    about: ClassVar = {"temperature": re.compile(r"\btemperature\b")}
    cut_off = frozenset(("max_tokens", "model_context_window_exceeded", "pause_turn"))

    def _question(self, request: Request, form: str) -> dict[str, Any]:
        question: dict[str, Any] = {
            "model": self.model,
            "max_tokens": request.max_tokens,
            "messages": _messages("", request.prompt),
        }
        if system := self._system(request, form):
            question["system"] = system
        if "temperature" not in self._without:
            question["temperature"] = min(1.0, request.temperature)
        if request.schema is not None and form == "schema":
            schema = {"type": "json_schema", "schema": closed(request.schema)}
            question["output_config"] = {"format": schema}
        elif request.schema is not None and form == "tool":
            tool = {
                "name": TOOL,
                "description": "The answer.",
                "input_schema": closed(request.schema),
            }
            question |= {"tools": [tool], "tool_choice": {"type": "tool", "name": TOOL}}
        return question

    def _said(self, data: Any) -> ModelReply | None:
        blocks = part(data, "content")
        if not isinstance(blocks, list):
            return None
        ended = str(part(data, "stop_reason") or "")
        spoke = [block for block in blocks if part(block, "type") == "text"]
        called = [block for block in blocks if part(block, "type") == "tool_use"]
        return ModelReply(
            text=words(spoke),
            ended=ended,
            refused=ended == "refusal",
            calls=[(str(part(call, "name")), part(call, "input")) for call in called],
            tokens_in=part(data, "usage", "input_tokens"),
            tokens_out=part(data, "usage", "output_tokens"),
            model=part(data, "model"),
        )


# -- A model that says what it was told to say: for tests and examples, never chosen by itself

# Text is said as it is, other values as JSON, and an error is raised.
Line = str | dict[str, Any] | list[Any] | EngineError


class Scripted:
    """Answers with the next line of its script, or with what a function returns."""

    provider = "scripted"
    local = True

    def __init__(
        self,
        script: Sequence[Line] | Callable[[Request], Line] = (),
        *,
        model: str = "scripted",
    ) -> None:
        self.model = model
        self.requests: list[Request] = []
        self.closed = False
        self._script = script

    def __repr__(self) -> str:
        return f"Scripted({self.model!r}, calls={self.calls})"

    @property
    def calls(self) -> int:
        """Return how often it was asked, failures included."""
        return len(self.requests)

    def ask(self, request: Request) -> Answer:
        """Return the next line as the answer, cut to the cap, or raise it."""
        self.requests.append(checked(request))
        line = self._line(request)
        if isinstance(line, EngineError):
            raise line
        whole = line if isinstance(line, str) else json.dumps(line, ensure_ascii=False)
        text = cut(whole, request.max_tokens)
        return Answer(
            text=text,
            tokens_in=tokens_of(request),
            tokens_out=estimate(text),
            model=self.model,
            finished=text == whole,
        )

    def _line(self, request: Request) -> Line:
        if callable(self._script):
            return self._script(request)
        if self.calls > len(self._script):
            raise BadReply(
                "engine.scripted_model_has_no_line", model=self.model, count=len(self._script)
            )
        return self._script[self.calls - 1]

    def close(self) -> None:
        """Remember that it was closed."""
        self.closed = True

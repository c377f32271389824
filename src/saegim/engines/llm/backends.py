"""Language models behind HTTP: Ollama, every server that speaks like OpenAI, and Anthropic.

Each talks to the one server it was given: when that fails, it fails, and no other is asked.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, ClassVar
from urllib.parse import urlsplit

from saegim.engines.llm.chat import TOOL, Chat, Said, closed, part, words
from saegim.engines.llm.llm import Request
from saegim.engines.llm.thinking import clean


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


class Ollama(Chat):
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

    def _said(self, data: Any) -> Said | None:
        message = part(data, "message")
        if not isinstance(message, Mapping):
            return None
        return Said(
            text=words(message.get("content")),
            ended=str(part(data, "done_reason") or ""),
            calls=_calls(message.get("tool_calls")),
            tokens_in=part(data, "prompt_eval_count"),
            tokens_out=part(data, "eval_count"),
            model=part(data, "model"),
        )


class OpenAICompatible(Chat):
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

    def _said(self, data: Any) -> Said | None:
        message = part(data, "choices", 0, "message")
        if not isinstance(message, Mapping):
            return None
        ended = str(part(data, "choices", 0, "finish_reason") or "")
        return Said(
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

    def _said(self, data: Any) -> Said | None:
        blocks = part(data, "content")
        if not isinstance(blocks, list):
            return None
        ended = str(part(data, "stop_reason") or "")
        spoke = [block for block in blocks if part(block, "type") == "text"]
        called = [block for block in blocks if part(block, "type") == "tool_use"]
        return Said(
            text=words(spoke),
            ended=ended,
            refused=ended == "refusal",
            calls=[(str(part(call, "name")), part(call, "input")) for call in called],
            tokens_in=part(data, "usage", "input_tokens"),
            tokens_out=part(data, "usage", "output_tokens"),
            model=part(data, "model"),
        )

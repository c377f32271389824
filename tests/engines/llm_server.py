"""A loopback server that talks like Ollama, OpenAI and Anthropic, and fails on request."""

from __future__ import annotations

import base64
import json
import socket
import ssl
import struct
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any, Final

from engines.loopback import Loopback
from saegim.engines.http import WireSettings

Answer = tuple[int, dict[str, str], bytes]

JSON: Final = {"Content-Type": "application/json"}
HEALTHY: Final = '{"facts": [{"content": "민호는 부산으로 이사했다"}]}'
CHUNK: Final = b"x" * 65_536
HUGE: Final = 50 * 1024 * 1024
# An answer is waited for, however busy the machine is; only who never answers is given up soon.
PATIENT: Final = WireSettings(read_seconds=120.0, total_seconds=120.0, container_marks=())
_QUICK: Final = WireSettings(read_seconds=0.2, total_seconds=0.5, container_marks=())


def waits(fault: str) -> WireSettings:
    """Return how long a fault is waited for."""
    return _QUICK if fault in ("silence", "stall") else PATIENT


# A certificate for localhost that nobody trusts, and its key; both protect nothing.
CERTIFICATE: Final = (
    "MIIBnDCCAUGgAwIBAgIUfCXahQyY9g+Xj1CLxO3g3hDpWTswCgYIKoZIzj0EAwIwFDESMBAGA1UEAwwJbG9jYWxo"
    "b3N0MCAXDTI2MTExNjAyMTkwMVoYDzIxMjYxMDIzMDIxOTAxWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcq"
    "hkjOPQIBBggqhkjOPQMBBwNCAAQ6hfvu6NkngwrGlVNA8ziaLxJESI9g1DnTofho5OOD2SL7F+5Sy2+/VSkq7jz8"
    "8L+UQnfGVanzIJmSVlFiIWDIo28wbTAdBgNVHQ4EFgQU/fDPl/oDsiTx+hwiJGLjBtuoE9AwHwYDVR0jBBgwFoAU"
    "/fDPl/oDsiTx+hwiJGLjBtuoE9AwDwYDVR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEw"
    "CgYIKoZIzj0EAwIDSQAwRgIhAMFa+B2VtCfnuPet/+03yJHQCwaNDkZToIytVpQquKhCAiEAjZByGbwLIgoQgCOe"
    "hCCMHmvS/+j49EdrDR78AIkwdHg="
)
ITS_KEY: Final = (
    "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQge6EBRUx7iJ1a1nDXsK+Qh/g1tz/9YF+nowOT4FOd"
    "WAyhRANCAAQ6hfvu6NkngwrGlVNA8ziaLxJESI9g1DnTofho5OOD2SL7F+5Sy2+/VSkq7jz88L+UQnfGVanzIJmS"
    "VlFiIWDI"
)

# Whole replies that are no answer at all.
BAD_REPLIES: Final[dict[str, Answer]] = {
    "html": (200, {"Content-Type": "text/html"}, b"<!doctype html><title>Log in</title>"),
    "cut json": (200, JSON, b'{"message": {"content": "{\\"fac'),
    "bad json": (200, JSON, b"{'message': None,}"),
    "deep json": (200, JSON, b"[" * 200_000),
    "other json": (200, JSON, b'{"hello": "world"}'),
    "list json": (200, JSON, b"[1, 2, 3]"),
    "no body": (200, JSON, b""),
    "error in 200": (200, JSON, b'{"error": {"message": "no credits left"}}'),
    "400": (400, JSON, b'{"error": "invalid messages"}'),
    "401": (401, JSON, b'{"error": {"message": "Incorrect API key"}}'),
    "403": (403, JSON, b'{"error": "forbidden"}'),
    "404": (404, JSON, b'{"error": "model not found"}'),
    "429": (429, {**JSON, "Retry-After": "7"}, b'{"error": "slow down"}'),
    "429 past": (429, {"Retry-After": "Thu, 01 Jan 2015 00:00:00 GMT"}, b"{}"),
    "429 future": (429, {"Retry-After": "Thu, 01 Jan 2099 00:00:00 GMT"}, b"{}"),
    "429 odd": (429, {"Retry-After": "soon"}, b"{}"),
    "500": (500, JSON, b'{"error": "runner has stopped"}'),
    "503": (503, JSON, b'{"error": "loading"}'),
    "529": (529, JSON, b'{"type": "error", "error": {"message": "Overloaded"}}'),
    "too long": (
        400,
        JSON,
        b'{"error": {"message": "the context length of 4096 is less than this response_format"}}',
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """What the model says, before it is put into the words of a protocol."""

    text: str = HEALTHY
    ended: str = "stop"
    tool: str = ""
    arguments: Any = None
    refusal: str = ""
    usage: Any = (11, 7)
    parts: bool = False


# Answers that arrive whole and are wrong all the same.
TURNS: Final[dict[str, Turn]] = {
    "empty": Turn(text=""),
    "blank": Turn(text=" \n "),
    "refusal": Turn(text="", refusal="I cannot do that.", ended="refusal"),
    "refusal text": Turn(text="I'm sorry, but I can't help with that."),
    "wrong schema": Turn(text='{"weather": "sunny"}'),
    "invalid content": Turn(text="facts, facts, facts"),
    "deep content": Turn(text='{"facts": ' * 3000),
    "tool call": Turn(text="", tool="search_web", arguments={"query": "부산"}, ended="tool"),
    "schema tool": Turn(text="", tool="answer", arguments=json.loads(HEALTHY), ended="tool"),
    "broken tool": Turn(
        text="", tool="answer", arguments={"facts": ["\ud800민호 \ud83c\udf6d\x00"]}, ended="tool"
    ),
    "schema tool cut": Turn(text="", tool="answer", arguments={}, ended="length"),
    "nul": Turn(text=HEALTHY.replace("민호", "민\x00호") + "\x00"),
    "surrogates": Turn(text=HEALTHY.replace("민호", "\ud800민호 \ud83c\udf6d")),
    "thinking": Turn(text=f"<think>부산?</think>\n{HEALTHY}"),
    "only thinking": Turn(text="<think>Let me see. The user"),
    "cut thinking": Turn(text="<think>Let me see. The user", ended="length"),
    "cut": Turn(text=HEALTHY[:-2] + ', {"content": "지민은', ended="length"),
    "no usage": Turn(usage=None),
    "odd usage": Turn(usage=("many", -3)),
    "parts": Turn(parts=True),
    "other language": Turn(text='{"facts": [{"content": "Minho moved to Busan"}]}'),
}

# What servers really say when they turn an option down, and how it is seen in a request.
REFUSALS: Final[dict[str, tuple[Callable[[dict[str, Any]], bool], str]]] = {
    "json_schema": (
        lambda body: body.get("response_format", {}).get("type") == "json_schema",
        "'response_format.type' must be 'json_object' or 'text'",
    ),
    "json_object": (
        lambda body: body.get("response_format", {}).get("type") == "json_object",
        "'response_format.type' must be 'json_schema' or 'text'",
    ),
    "max_tokens": (
        lambda body: "max_tokens" in body,
        "Unsupported parameter: 'max_tokens' is not supported with this model. "
        "Use 'max_completion_tokens' instead.",
    ),
    "temperature": (
        lambda body: "temperature" in body,
        "`temperature` is deprecated for this model.",
    ),
    "chat_template_kwargs": (
        lambda body: "chat_template_kwargs" in body,
        "Unrecognized request argument supplied: chat_template_kwargs",
    ),
    "think": (lambda body: "think" in body, '"m" does not support thinking'),
    "format": (
        lambda body: isinstance(body.get("format"), dict),
        "json: cannot unmarshal object into Go struct field ChatRequest.format of type string",
    ),
    "format json": (lambda body: body.get("format") == "json", "format is not supported"),
    "output_config": (
        lambda body: "output_config" in body,
        "output_config: Extra inputs are not permitted",
    ),
    "tools": (lambda body: "tools" in body, "tools: this model does not support tool use"),
}


def _ollama(turn: Turn) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": turn.text, "thinking": "음"}
    if turn.tool:
        message["tool_calls"] = [{"function": {"name": turn.tool, "arguments": turn.arguments}}]
    ended = "length" if turn.ended == "length" else "stop"
    body = {"model": "m", "message": message, "done": True, "done_reason": ended}
    counts = zip(("prompt_eval_count", "eval_count"), turn.usage or (), strict=False)
    return body | dict(counts)


def _openai(turn: Turn) -> dict[str, Any]:
    text: Any = [{"type": "text", "text": turn.text}] if turn.parts else turn.text or None
    message: dict[str, Any] = {"role": "assistant", "content": text, "reasoning": "음"}
    if turn.refusal:
        message["refusal"] = turn.refusal
    if turn.tool:
        call = {"name": turn.tool, "arguments": json.dumps(turn.arguments)}
        message["tool_calls"] = [{"id": "1", "type": "function", "function": call}]
    ended = {"tool": "tool_calls", "refusal": "stop"}.get(turn.ended, turn.ended)
    body: dict[str, Any] = {
        "model": "m-2026",
        "choices": [{"index": 0, "message": message, "finish_reason": ended}],
    }
    counts = zip(("prompt_tokens", "completion_tokens"), turn.usage or (), strict=False)
    return body | ({"usage": dict(counts)} if turn.usage else {})


def _anthropic(turn: Turn) -> dict[str, Any]:
    blocks: list[dict[str, Any]] = [{"type": "thinking", "thinking": "음"}]
    if turn.text:
        blocks.append({"type": "text", "text": turn.text})
    if turn.tool:
        blocks.append({"type": "tool_use", "id": "1", "name": turn.tool, "input": turn.arguments})
    names = {"stop": "end_turn", "length": "max_tokens", "tool": "tool_use"}
    body: dict[str, Any] = {
        "type": "message",
        "model": "m-2026",
        "content": blocks,
        "stop_reason": names.get(turn.ended, turn.ended),
    }
    counts = zip(("input_tokens", "output_tokens"), turn.usage or (), strict=False)
    return body | ({"usage": dict(counts)} if turn.usage else {})


PROTOCOLS: Final[dict[str, Callable[[Turn], dict[str, Any]]]] = {
    "/api/chat": _ollama,
    "/v1/chat/completions": _openai,
    "/v1/messages": _anthropic,
}


def untrusted(folder: Path) -> ssl.SSLContext:
    """Return what a server needs to speak TLS with a certificate that nobody trusts."""
    file = folder / "untrusted.pem"
    written = ssl.DER_cert_to_PEM_cert(base64.b64decode(CERTIFICATE))
    kind = "PRIVATE KEY"
    file.write_text(f"{written}-----BEGIN {kind}-----\n{ITS_KEY}\n-----END {kind}-----\n")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(file)
    return context


@dataclass(frozen=True, slots=True)
class Seen:
    """One request as it arrived."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]

    @property
    def prompt(self) -> str:
        """Return what the user said."""
        return str(self.body["messages"][-1]["content"])


@dataclass
class LLMServer(Loopback):
    """Answers well except for the faults it was told to show, one per request."""

    turn: Turn = Turn()
    turns_down: set[str] = field(default_factory=set)
    seen: list[Seen] = field(default_factory=list)
    faults: deque[str] = field(default_factory=deque)
    elsewhere: str = ""
    sent: int = 0
    context: ssl.SSLContext | None = None
    released: threading.Event = field(default_factory=threading.Event)

    def answer(self, request: Seen) -> Answer:
        """Return what is sent for a request."""
        for name in sorted(self.turns_down):
            uses, complaint = REFUSALS[name]
            if uses(request.body):
                return 400, JSON, json.dumps({"error": {"message": complaint}}).encode()
        fault = self.faults.popleft() if self.faults else ""
        if fault in BAD_REPLIES:
            return BAD_REPLIES[fault]
        if fault == "key echo":
            told = request.headers.get("authorization", "") + request.headers.get("x-api-key", "")
            return 400, JSON, json.dumps({"error": f"bad header {told}"}).encode()
        if fault == "redirect":
            return 307, {"Location": self.elsewhere}, b""
        if request.path not in PROTOCOLS:
            return 404, {"Content-Type": "text/plain"}, b"404 page not found"
        turn = TURNS.get(fault, self.turn)
        if fault == "prompt echo":
            turn = replace(turn, text=request.prompt)
        return 200, JSON, json.dumps(PROTOCOLS[request.path](turn)).encode()


class _Answering(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server_of: LLMServer

    def do_POST(self) -> None:
        owner = self.server_of
        raw = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        headers = {name.lower(): value for name, value in self.headers.items()}
        request = Seen(self.path, headers, json.loads(raw))
        owner.seen.append(request)
        if owner.faults and owner.faults[0] in ("silence", "stall", "reset", "half", "huge"):
            self._break_off(owner.faults.popleft())
            return
        status, extra, body = owner.answer(request)
        self.send_response(status)
        for name, value in {**extra, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def _break_off(self, fault: str) -> None:
        self.close_connection = True
        if fault == "silence":
            self.server_of.released.wait(120)
            return
        self.send_response(200)
        self.send_header("Content-Length", str(HUGE))
        self.end_headers()
        self.wfile.write(b'{"message": {"content": "')
        if fault == "stall":
            self.server_of.released.wait(120)
        elif fault == "reset":
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.connection.close()
        elif fault == "huge":
            self._pour()

    def _pour(self) -> None:
        try:
            while self.server_of.sent < HUGE:
                self.wfile.write(CHUNK)
                self.server_of.sent += len(CHUNK)
        except OSError:
            # The client has read enough.
            self.server_of.released.set()

    def log_message(self, format: str, *args: Any) -> None:
        """Keep the tests quiet."""


LLMServer.answering = _Answering

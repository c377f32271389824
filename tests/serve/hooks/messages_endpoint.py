"""A Messages endpoint on the loopback that always says the same and remembers what it was sent."""

from __future__ import annotations

import json
import threading
from collections import deque
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any

from engines.loopback import Loopback

SAID = "Noted, thank you."


@dataclass
class Messages(Loopback):
    """Answers every message with the same words, streamed if that is asked for."""

    sent: list[str] = field(default_factory=list)
    faults: deque[str] = field(default_factory=deque)
    released: threading.Event = field(default_factory=threading.Event)

    @property
    def heard(self) -> str:
        """Return everything a model would have read, as one text."""
        return "\n".join(text for body in self.sent for text in _texts(json.loads(body)))


class _Answering(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_of: Messages

    def do_GET(self) -> None:
        self._send(404, "application/json", b"{}")

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        if "count_tokens" in self.path:
            self._send(200, "application/json", b'{"input_tokens": 10}')
            return
        self.server_of.sent.append(body.decode())
        asked = json.loads(body)
        whole = _message(asked.get("model", "none"))
        if asked.get("stream"):
            self._send(200, "text/event-stream", _streamed(whole))
            return
        whole |= {"content": [{"type": "text", "text": SAID}], "stop_reason": "end_turn"}
        self._send(200, "application/json", json.dumps(whole).encode())

    def _send(self, status: int, kind: str, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Keep the tests quiet."""


Messages.answering = _Answering


def _message(model: str) -> dict[str, Any]:
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }


def _streamed(message: dict[str, Any]) -> bytes:
    text = {"type": "text_delta", "text": SAID}
    end = {"stop_reason": "end_turn", "stop_sequence": None}
    events = [
        {"type": "message_start", "message": message},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": text},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": end, "usage": {"output_tokens": 3}},
        {"type": "message_stop"},
    ]
    lines = (f"event: {each['type']}\ndata: {json.dumps(each)}\n\n" for each in events)
    return "".join(lines).encode()


def _texts(value: Any) -> list[str]:
    """Return every text in a request, at any depth."""
    if isinstance(value, str):
        return [value]
    held = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for each in held for text in _texts(each)]

"""A loopback server that embeds like Ollama and like OpenAI, and fails on request."""

from __future__ import annotations

import hashlib
import json
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any, Final

from engines.loopback import Loopback

Rows = list[list[Any]]
Answer = tuple[int, dict[str, str], bytes]

JSON: Final = {"Content-Type": "application/json"}

# Vectors that no one should believe.
BAD_ROWS: Final[dict[str, Callable[[Rows], Any]]] = {
    "nan": lambda rows: [[float("nan"), *row[1:]] for row in rows],
    "infinity": lambda rows: [[float("inf"), *row[1:]] for row in rows],
    "overflow": lambda rows: [[1e300, *row[1:]] for row in rows],
    "giant integer": lambda rows: [[10**400, *row[1:]] for row in rows],
    "zero": lambda rows: [[0.0] * len(row) for row in rows],
    "too few": lambda rows: rows[1:],
    "too many": lambda rows: [*rows, rows[0]],
    "shorter": lambda rows: [row[:-1] for row in rows],
    "ragged": lambda rows: [rows[0][:-1], *rows[1:]],
    "text": lambda rows: [["0.5", *row[1:]] for row in rows],
    "truth values": lambda rows: [[True, *row[1:]] for row in rows],
    "null": lambda rows: [None for _ in rows],
    "empty": lambda rows: [[] for _ in rows],
    "no list": lambda rows: "vectors",
}

# Whole answers that are not vectors at all.
BAD_ANSWERS: Final[dict[str, Answer]] = {
    "html": (200, {"Content-Type": "text/html"}, b"<!doctype html><title>Log in</title>"),
    "cut json": (200, JSON, b'{"embeddings": [[0.1, 0.2'),
    "deep json": (200, JSON, b"[" * 200_000),
    "other json": (200, JSON, b'{"hello": "world"}'),
    "list json": (200, JSON, b"[1, 2, 3]"),
    "nothing": (200, JSON, b""),
    "bad index": (200, JSON, b'{"data": [{"index": [0], "embedding": [1.0]}]}'),
    "400": (400, JSON, b'{"error": "invalid option"}'),
    "401": (401, JSON, b'{"error": {"message": "Incorrect API key"}}'),
    "403": (403, JSON, b'{"error": "forbidden"}'),
    "404": (404, JSON, b'{"error": "model not found, try pulling it first"}'),
    "429": (429, {**JSON, "Retry-After": "7"}, b'{"error": "slow down"}'),
    "500": (500, JSON, b'{"error": "runner has stopped"}'),
    "503": (503, JSON, b'{"error": "loading"}'),
}


def embed(text: str, dimension: int) -> list[float]:
    """Return a vector in which texts that share words share directions."""
    vector = [0.01] * dimension
    for word in text.lower().split():
        for size in range(2, min(len(word), 12) + 1):
            digest = hashlib.blake2b(word[:size].encode(), digest_size=4).digest()
            vector[int.from_bytes(digest) % dimension] += 1.0
    return vector


@dataclass(frozen=True, slots=True)
class Seen:
    """One request as it arrived."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]

    @property
    def texts(self) -> list[str]:
        """Return the texts that were to be embedded."""
        return list(self.body.get("input", []))


@dataclass
class EmbeddingServer(Loopback):
    """Answers truthfully except for the faults it was told to show, one per request."""

    dimension: int = 64
    longest: int = 1_000_000
    digest: str = "sha256:0123456789abcdef"
    seen: list[Seen] = field(default_factory=list)
    faults: deque[str] = field(default_factory=deque)
    elsewhere: str = ""
    released: threading.Event = field(default_factory=threading.Event)

    @property
    def texts(self) -> list[str]:
        """Return every text that was embedded or refused, in order."""
        return [text for request in self.seen for text in request.texts]

    def rows(self, texts: list[str]) -> Rows:
        """Return the true vectors."""
        return [embed(text, self.dimension) for text in texts]

    def answer(self, request: Seen) -> Answer:
        """Return what is sent for a request."""
        if request.path == "/api/tags":
            models = [{"name": name, "digest": self.digest} for name in ("bge-m3:latest", "other")]
            return 200, JSON, json.dumps({"models": models}).encode()
        fault = self.faults.popleft() if self.faults else ""
        if fault in BAD_ANSWERS:
            return BAD_ANSWERS[fault]
        if fault == "echo":
            told = request.headers.get("authorization", "")
            return 400, JSON, json.dumps({"error": f"bad header {told}"}).encode()
        if fault == "redirect":
            return 307, {"Location": self.elsewhere}, b""
        if any(len(text) > self.longest for text in request.texts):
            return 400, JSON, b'{"error": "the input length exceeds the context length"}'
        return self._vectors(request, BAD_ROWS.get(fault, lambda rows: rows), fault == "shuffled")

    def _vectors(self, request: Seen, change: Callable[[Rows], Any], shuffled: bool) -> Answer:
        rows = change(self.rows(request.texts))
        if request.path == "/api/embed":
            return 200, JSON, json.dumps({"embeddings": rows}).encode()
        if request.path != "/v1/embeddings":
            return 404, {"Content-Type": "text/plain"}, b"404 page not found"
        if not isinstance(rows, list):
            return 200, JSON, json.dumps({"data": rows}).encode()
        data = [{"index": place, "embedding": row} for place, row in enumerate(rows)]
        return 200, JSON, json.dumps({"data": data[::-1] if shuffled else data}).encode()


class _Answering(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server_of: EmbeddingServer

    def do_GET(self) -> None:
        self._respond(b"{}")

    def do_POST(self) -> None:
        self._respond(self.rfile.read(int(self.headers.get("Content-Length", "0"))))

    def _respond(self, raw: bytes) -> None:
        owner = self.server_of
        headers = {name.lower(): value for name, value in self.headers.items()}
        request = Seen(self.path, headers, json.loads(raw))
        owner.seen.append(request)
        if owner.faults and owner.faults[0] in ("silence", "hang up", "half"):
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
        if fault == "half":
            self.send_response(200)
            self.send_header("Content-Length", "1000")
            self.end_headers()
            self.wfile.write(b'{"embeddings": [[')

    def log_message(self, format: str, *args: Any) -> None:
        """Keep the tests quiet."""


EmbeddingServer.answering = _Answering

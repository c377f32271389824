"""Embedders behind HTTP: Ollama, and every server that speaks like OpenAI.

Each talks to the one server it was given: when that fails, it fails, and no other is asked.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Final

import numpy as np

from saegim.engines.embedder import Dense, Family, Identity, Role, Vector, family_of, unit
from saegim.engines.http import (
    ApiKey,
    HttpClient,
    HttpReply,
    Peer,
    Resolve,
    WireSettings,
    addresses,
    check_url,
)
from saegim.engines.tokens import estimate, split
from saegim.errors import BadInput, BadReply, SettingsError
from saegim.memory.text import normalise
from saegim.messages import Message

_MOST_TEXTS: Final = 64
_MOST_CHARACTERS: Final = 32_000
# Marks of beginning and end that models add themselves.
_RESERVE: Final = 8
_SMALLEST_ROOM: Final = 16
_TOO_LONG: Final = re.compile(
    r"context (length|size|window)|input length|too (long|large|many tokens)"
    r"|maximum.{0,40}(length|tokens|context)|less than \d+ tokens|longer than",
    re.IGNORECASE,
)
# Four Korean and four English questions, each with its answer; every other pairing is noise.
_PROBES: Final = (
    ("강아지 이름이 뭐였지?", "우리 강아지 이름은 보리다."),
    ("배포는 무슨 요일에 해?", "배포는 화요일에만 하기로 정했다."),
    ("전세 계약은 언제 끝나?", "전세 계약은 내년 삼월에 끝난다."),
    ("매운 음식 괜찮아?", "위가 아파서 매운 음식은 못 먹는다."),
    ("Where are the backups stored?", "Backups are stored on the external disk every night."),
    ("Which foods am I allergic to?", "I am allergic to peanuts and shellfish."),
    ("When is the dentist appointment?", "The dentist appointment is on Thursday at four."),
    ("How long do we keep logs?", "Logs are kept for ninety days and then deleted."),
)


def batches(parts: Sequence[str]) -> Iterator[Sequence[str]]:
    """Cut a list of texts into requests of bounded size, in order."""
    start = size = 0
    for place, part in enumerate(parts):
        full = place - start == _MOST_TEXTS or size + len(part) > _MOST_CHARACTERS
        if full and place > start:
            yield parts[start:place]
            start, size = place, 0
        size += len(part)
    if start < len(parts):
        yield parts[start:]


def blend(parts: Sequence[str], vectors: Sequence[Dense]) -> Dense:
    """Return the mean direction of the parts of one text, the longer ones weighing more."""
    if len(vectors) == 1:
        return vectors[0]
    weights = np.array([len(part) for part in parts], dtype=np.float64)
    mean = weights @ np.stack(vectors).astype(np.float64)
    # Parts that cancel out exactly leave no direction; the first one then speaks for the text.
    return unit(mean.astype(np.float32)) if np.any(mean) else vectors[0]


def _sendable(text: str) -> str:
    """Return the text with broken Unicode replaced, as JSON cannot carry it."""
    return text.encode("utf-8", "replace").decode("utf-8")


class Remote(ABC):
    """What both kinds of server have in common: splitting, asking, checking, averaging."""

    local = False
    at_once = 0
    lexical = False
    provider: str
    path: str

    def __init__(
        self,
        peer: Peer,
        key: str,
        *,
        family: Family | None,
        settings: WireSettings | None,
        resolve: Resolve,
    ) -> None:
        if not peer.model.strip() or not peer.model.isprintable():
            raise SettingsError("engine.no_embedding_model_is_named")
        # Typical of current models, until `calibrate` has asked this one.
        self.floor = 0.3
        self.ask = 0.6
        self.model = peer.model
        self.family = family or family_of(peer.model)
        self._wire = HttpClient(peer, ApiKey(key), settings, resolve)
        self._room = self.family.limit
        self._dimension = 0
        self._identity: Identity | None = None

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._wire.peer.url!r}, {self.model!r})"

    def close(self) -> None:
        """Close the connections that are kept open."""
        self._wire.close()

    @property
    def identity(self) -> Identity:
        """Say which space the vectors live in, asking the server when it was never asked."""
        if self._identity is None:
            if not self._dimension:
                self.embed(["기억"], "document")
            self._identity = Identity(
                self.provider, self.model, self._digest(), self._dimension, self.family.policy
            )
        return self._identity

    def calibrate(self) -> None:
        """Measure with one request per role what a stranger and an answer look like here."""
        asked = np.stack(self._dense([question for question, _ in _PROBES], "query"))
        told = np.stack(self._dense([answer for _, answer in _PROBES], "document"))
        cosines = asked @ told.T
        strangers = cosines[~np.eye(len(_PROBES), dtype=np.bool_)]
        self.ask = max(float(np.median(np.diag(cosines))), 0.01)
        self.floor = float(np.clip(np.percentile(strangers, 95), 0.0, 0.99 * self.ask))

    def embed(self, texts: Sequence[str], role: Role) -> list[Vector]:
        """Return one unit vector per text; long texts are split, never shortened."""
        return list(self._dense(texts, role))

    def _dense(self, texts: Sequence[str], role: Role) -> list[Dense]:
        if not all(map(normalise, texts)):
            raise BadInput("engine.empty_text_has_no_vector")
        return self._in_parts([_sendable(text) for text in texts], self.family.prefix(role))

    def _in_parts(self, texts: Sequence[str], prefix: str) -> list[Dense]:
        room = max(_SMALLEST_ROOM, self._room - self._overhead(prefix))
        cut = [split(text, room, self.family.rates) for text in texts]
        parts = [part for text in cut for part in text]
        vectors = iter([v for batch in batches(parts) for v in self._asked(batch, prefix)])
        return [blend(text, list(islice(vectors, len(text)))) for text in cut]

    def _asked(self, parts: Sequence[str], prefix: str) -> list[Dense]:
        reply = self._wire.send(
            "POST", self.path, self._question([prefix + part for part in parts])
        )
        if reply.status == 200:
            return self._checked(self._wire.json(reply), len(parts))
        if not self._too_long(reply):
            raise self._wire.complaint(reply)
        if len(parts) == 1:
            self._halve_room(parts[0], prefix)
            return self._in_parts(parts, prefix)
        middle = len(parts) // 2
        return self._in_parts(parts[:middle], prefix) + self._in_parts(parts[middle:], prefix)

    def _overhead(self, prefix: str) -> int:
        return estimate(prefix, self.family.rates) + _RESERVE

    def _halve_room(self, part: str, prefix: str) -> None:
        """Learn from one refusal, so that what follows is split in time."""
        half = estimate(part, self.family.rates) // 2
        if half < _SMALLEST_ROOM:
            raise BadReply(
                "engine.calls_even_characters_too_long", peer=self._wire.peer, count=len(part)
            )
        self._room = min(self._room, half + self._overhead(prefix))

    def _too_long(self, reply: HttpReply) -> bool:
        if reply.status not in (400, 413, 422, 500):
            return False
        return reply.status == 413 or _TOO_LONG.search(self._wire.detail(reply)) is not None

    def _checked(self, data: Any, count: int) -> list[Dense]:
        rows = self._rows(data)
        if rows is None or len(rows) != count:
            raise self._bad("engine.wrong_number_of_vectors", count=count)
        vectors = [self._vector(row) for row in rows]
        sizes = {len(vector) for vector in vectors} | ({self._dimension} - {0})
        if len(sizes) != 1:
            raise self._bad("engine.vectors_of_different_length", sizes=sorted(sizes))
        self._dimension = sizes.pop()
        return vectors

    def _vector(self, row: Any) -> Dense:
        if not isinstance(row, list) or not row or {type(n) for n in row} - {int, float}:
            raise self._bad("engine.vector_is_no_list")
        try:
            with np.errstate(over="ignore"):
                return unit(np.array(row, dtype=np.float64).astype(np.float32))
        except (ValueError, OverflowError):
            raise self._bad("engine.vector_has_no_length") from None

    def _bad(self, key: str, **values: Any) -> BadReply:
        return BadReply(key, peer=self._wire.peer, **values)

    @abstractmethod
    def _question(self, texts: Sequence[str]) -> dict[str, Any]: ...

    @abstractmethod
    def _rows(self, data: Any) -> list[Any] | None: ...

    def _digest(self) -> str:
        return ""


class OllamaEmbedder(Remote):
    """Asks an Ollama server (`/api/embed`)."""

    provider = "ollama"
    path = "/api/embed"

    def __init__(
        self,
        url: str = "http://localhost:11434",
        model: str = "bge-m3",
        *,
        family: Family | None = None,
        settings: WireSettings | None = None,
        resolve: Resolve = addresses,
    ) -> None:
        peer = Peer(
            "Ollama",
            check_url(url),
            # The name without a tag means this one; spelled out, the identity stays the same.
            model if ":" in model.rpartition("/")[2] else f"{model}:latest",
            Message("engine.start_ollama"),
            Message("engine.fetch_from_ollama", model=model),
        )
        super().__init__(peer, "", family=family, settings=settings, resolve=resolve)

    def _question(self, texts: Sequence[str]) -> dict[str, Any]:
        # Without this, a server may embed only the beginning and not say so.
        return {"model": self.model, "input": list(texts), "truncate": False}

    def _rows(self, data: Any) -> list[Any] | None:
        rows = data.get("embeddings") if isinstance(data, dict) else None
        return rows if isinstance(rows, list) else None

    def _digest(self) -> str:
        reply = self._wire.send("GET", "/api/tags")
        if reply.status in (404, 405):
            return ""
        if reply.status != 200:
            raise self._wire.complaint(reply)
        data = self._wire.json(reply)
        models = data.get("models") if isinstance(data, dict) else None
        for entry in models if isinstance(models, list) else ():
            if isinstance(entry, Mapping) and entry.get("name") == self.model:
                return str(entry.get("digest", ""))[:19]
        return ""


class OpenAIEmbedder(Remote):
    """Asks a server that speaks like OpenAI (`{url}/embeddings`)."""

    provider = "openai-compatible"
    path = "/embeddings"

    def __init__(
        self,
        url: str,
        model: str,
        key: str = "",
        *,
        family: Family | None = None,
        settings: WireSettings | None = None,
        resolve: Resolve = addresses,
    ) -> None:
        peer = Peer(
            "The embedding server",
            check_url(url),
            model,
            Message("engine.start_server"),
            Message("engine.check_model_before_embeddings"),
        )
        super().__init__(peer, key, family=family, settings=settings, resolve=resolve)

    def _question(self, texts: Sequence[str]) -> dict[str, Any]:
        return {"model": self.model, "input": list(texts), "encoding_format": "float"}

    def _rows(self, data: Any) -> list[Any] | None:
        items = data.get("data") if isinstance(data, dict) else None
        if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
            return None
        # Servers may answer out of order; the index says which text a vector belongs to.
        places = [item.get("index", place) for place, item in enumerate(items)]
        if {type(place) for place in places} - {int} or sorted(places) != list(range(len(items))):
            return None
        placed = dict(zip(places, items, strict=True))
        return [placed[place].get("embedding") for place in range(len(items))]

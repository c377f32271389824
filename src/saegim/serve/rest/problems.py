"""What went wrong, as RFC 9457 problem+json: in the reader's language, and with a next step."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

from starlette.responses import Response

from saegim.errors import (
    BadInput,
    EngineError,
    Forbidden,
    NotFound,
    QuotaReached,
    Refused,
    SaegimError,
    StoreBusy,
    StoreError,
    StoreFull,
    Unavailable,
)
from saegim.serve.speech import Speech
from saegim.serve.terminal import json_text

Json = dict[str, Any]
# As RFC 9110 calls them; Python called them otherwise before 3.13.
_PHRASES = {413: "Content Too Large", 422: "Unprocessable Content"}
MEDIA_TYPE = "application/problem+json"
_BUSY_SECONDS = 1
# The first kind that fits decides; what is not here is a fault of this backend or its settings.
_STATUS: tuple[tuple[type[SaegimError], int], ...] = (
    (BadInput, 422),
    (NotFound, 404),
    (Forbidden, 403),
    (QuotaReached, 507),
    (Refused, 409),
    (StoreFull, 507),
    (StoreError, 503),
    (Unavailable, 503),
    (EngineError, 502),
)
SCHEMA: Json = {
    "type": "object",
    "title": "Problem",
    "description": "What went wrong (RFC 9457), and in `next_step` what can be done about it.",
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
        "next_step": {"type": "string"},
        "kind": {"type": "string"},
        "instance": {"type": "string"},
    },
    "required": ["type", "title", "status", "detail", "next_step", "kind", "instance"],
}
# Every status with which a request may end besides 200.
DOCUMENTED = (400, 401, 403, 404, 405, 408, 409, 413, 415, 422, 429, 431, 500, 502, 503, 507)


@dataclass(frozen=True, slots=True)
class Trouble:
    """A refusal at the door itself: its status, what is said of it, the headers it needs."""

    status: int
    kind: str
    said: SaegimError
    headers: Mapping[str, str] = field(default_factory=dict)


def status_of(error: SaegimError) -> int:
    """Return the HTTP status of an error of ours."""
    if isinstance(error, QuotaReached) and error.retry_after:
        # There is more tomorrow; a place that is full stays full.
        return 429
    return next((status for kind, status in _STATUS if isinstance(error, kind)), 500)


def trouble_of(error: SaegimError) -> Trouble:
    """Return an error of ours as it is told over HTTP."""
    status, headers = status_of(error), {}
    if isinstance(error, Unavailable | QuotaReached) and error.retry_after:
        headers["Retry-After"] = str(max(1, round(error.retry_after)))
    elif isinstance(error, StoreBusy):
        headers["Retry-After"] = str(_BUSY_SECONDS)
    return Trouble(status, type(error).__name__, error, headers)


def problem(
    trouble: Trouble | SaegimError, at: str, speech: Speech, hidden: tuple[str, ...] = ()
) -> Response:
    """Return the response that tells of a trouble, without the machine's own paths."""
    found = trouble_of(trouble) if isinstance(trouble, SaegimError) else trouble
    message, next_step = speech.trouble(found.said)
    document = {
        "type": f"urn:saegim:problem:{found.kind}",
        "title": phrase_of(found.status),
        "status": found.status,
        "detail": without(message, hidden),
        "next_step": without(next_step, hidden),
        "kind": found.kind,
        "instance": at,
    }
    return Response(
        json_text(document).encode("utf-8"),
        found.status,
        headers={**found.headers, "Content-Language": speech.language},
        media_type=MEDIA_TYPE,
    )


def without(text: str, hidden: tuple[str, ...]) -> str:
    """Return a text in which the folders of this machine are not named."""
    for each in hidden:
        text = text.replace(each, "…")
    return text


def speech_for(accepted: str) -> Speech:
    """Return the language a client prefers (Accept-Language): Korean if it says so, else English.

    Of several with the same weight the first one counts.
    """
    best, language = 0.0, "en"
    for part in accepted.lower().split(","):
        name, _, weight = part.strip().partition(";")
        quality = _quality(weight)
        if name and quality > best:
            best = quality
            language = "ko" if name.strip().partition("-")[0] == "ko" else "en"
    return Speech(language)


def _quality(weight: str) -> float:
    if not weight:
        return 1.0
    try:
        return float(weight.strip().removeprefix("q="))
    except ValueError:
        return 0.0


def phrase_of(status: int) -> str:
    """Return the name of a status, the same on every Python."""
    return _PHRASES.get(status) or HTTPStatus(status).phrase

"""OpenTelemetry spans by the GenAI memory conventions, where its SDK is at work; never words."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from saegim.serve.catalogue.entry import Entry

Told = Callable[[dict[str, Any]], None]
# The conventions are in development and have no constants yet; these are their names.
_OPERATION = "gen_ai.operation.name"
_STORE = "gen_ai.memory.store.id"
_RECORD = "gen_ai.memory.record.id"
_COUNT = "gen_ai.memory.record.count"
_ERROR = "error.type"
_LISTS = ("hits", "ids", "memories", "items", "versions")


@contextmanager
def of(entry: Entry, home: Path) -> Iterator[Told]:
    """Open a span around a call and close it; without an SDK nothing is done at all."""
    # The API without an SDK makes spans that go nowhere: not even they are made.
    if "opentelemetry.sdk.trace" not in sys.modules:
        yield lambda _: None
        return
    from opentelemetry import trace

    tracer = trace.get_tracer("saegim")
    # What an error says may quote someone: only its kind is told.
    with tracer.start_as_current_span(
        f"{entry.operation} {entry.name}", record_exception=False, set_status_on_exception=False
    ) as span:
        span.set_attribute(_OPERATION, entry.operation)
        span.set_attribute(_STORE, str(home))

        def told(answer: dict[str, Any]) -> None:
            if isinstance(id := answer.get("id"), str):
                span.set_attribute(_RECORD, id)
            for name in _LISTS:
                if isinstance(held := answer.get(name), list):
                    span.set_attribute(_COUNT, len(held))
                    break

        try:
            yield told
        finally:
            if (trouble := sys.exc_info()[0]) is not None:
                span.set_attribute(_ERROR, trouble.__name__)
                span.set_status(trace.StatusCode.ERROR)

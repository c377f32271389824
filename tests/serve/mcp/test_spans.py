"""Spans by the conventions of GenAI memory, where OpenTelemetry's SDK is at work; never words."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from saegim.errors import BadInput, NotFound
from saegim.serve.backend import Call, LocalBackend
from saegim.serve.catalogue.catalogue import CATALOGUE

# Names of the conventions (in development; they have no constants yet).
OPERATIONS = {
    "create_memory",
    "update_memory",
    "upsert_memory",
    "search_memory",
    "delete_memory",
    "create_memory_store",
    "delete_memory_store",
}
WORDS = "보리차를 좋아하는 사람"


@pytest.fixture
def spans(monkeypatch: pytest.MonkeyPatch) -> Iterator[InMemorySpanExporter]:
    """The spans that are made during a test."""
    provider, kept = TracerProvider(), InMemorySpanExporter()
    provider.add_span_processor(SimpleSpanProcessor(kept))
    monkeypatch.setattr(trace, "get_tracer", provider.get_tracer)
    yield kept
    provider.shutdown()


def test_a_call_is_a_span_with_names_and_numbers_and_no_words(
    spans: InMemorySpanExporter, tmp_path: Path
) -> None:
    """OpenTelemetry: operation, store, record and count, and nothing that anyone said."""
    house = LocalBackend(tmp_path / "saegim.db")
    kept = house.call(Call(name="memory_save", arguments={"text": WORDS}))["id"]
    house.call(Call(name="memory_search", arguments={"query": WORDS}))
    house.call(Call(name="memory_delete", arguments={"ids": [kept]}))
    with pytest.raises(BadInput):
        house.call(Call(name="memory_save", arguments={"text": " "}))
    with pytest.raises(NotFound, match="보리차"):
        house.call(Call(name="entity_profile", arguments={"name": "보리차 사장님"}))
    house.close()
    made = spans.get_finished_spans()
    told = [dict(each.attributes or {}) for each in made]
    assert [each.name for each in made][:3] == [
        "create_memory memory_save",
        "search_memory memory_search",
        "delete_memory memory_delete",
    ]
    assert [each["gen_ai.operation.name"] for each in told][:3] == [
        "create_memory",
        "search_memory",
        "delete_memory",
    ]
    assert {each["gen_ai.memory.store.id"] for each in told} == {str(tmp_path)}
    assert told[0]["gen_ai.memory.record.id"] == kept
    assert [each.get("gen_ai.memory.record.count") for each in told[:3]] == [None, 1, 1]
    assert [each.get("error.type") for each in told[2:]] == [None, "BadInput", "NotFound"]
    assert [each.status.is_ok for each in made[2:]] == [True, False, False]
    assert not [each for each in made if "보리차" in str(json.loads(each.to_json()))]


def test_every_function_has_an_operation_of_the_conventions() -> None:
    """The name of an operation is one that the conventions know."""
    assert {each.operation for each in CATALOGUE.values()} <= OPERATIONS


def test_without_an_sdk_no_span_is_made(tmp_path: Path) -> None:
    """Where no SDK is at work, not even an empty span is made."""
    script = (
        "import sys\n"
        "from pathlib import Path\n"
        "from opentelemetry import trace\n"
        "trace.get_tracer = lambda *_: sys.exit('a tracer was asked for')\n"
        "from saegim.serve.backend import LocalBackend, Call\n"
        f"house = LocalBackend(Path({str(tmp_path / 'saegim.db')!r}))\n"
        "house.call(Call(name='memory_stats'))\n"
        "house.close()\n"
        "assert 'opentelemetry.sdk.trace' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True)

"""What was asked of the house, in the text format that Prometheus reads."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from saegim import __version__
from saegim.serve.house import AtHome

MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"


def metrics(house: AtHome) -> str:
    """Return every count of the house."""
    return "".join(f"{line}\n" for line in _lines(house))


def _lines(house: AtHome) -> Iterator[str]:
    tally = house.tally
    yield from _head("saegim_info", "gauge", "The version that is running.")
    yield f'saegim_info{{version="{__version__}"}} 1'
    yield from _head("saegim_calls_total", "counter", "Calls by function.")
    for name, count in sorted(tally.calls.copy().items()):
        yield f'saegim_calls_total{{function="{name}"}} {count}'
    yield from _head("saegim_failures_total", "counter", "Failed calls by function and kind.")
    for (name, kind), count in sorted(tally.failures.copy().items()):
        yield f'saegim_failures_total{{function="{name}",kind="{kind}"}} {count}'
    yield from _head("saegim_call_seconds_total", "counter", "Seconds spent in calls.")
    for name, seconds in sorted(tally.seconds.copy().items()):
        yield f'saegim_call_seconds_total{{function="{name}"}} {seconds:.6f}'
    yield from _head("saegim_memory_open", "gauge", "Whether the memory is open.")
    yield f"saegim_memory_open {int(house.is_open)}"
    if resident := _resident():
        yield from _head("process_resident_memory_bytes", "gauge", "Memory held by the process.")
        yield f"process_resident_memory_bytes {resident}"


def _head(name: str, kind: str, words: str) -> tuple[str, str]:
    return f"# HELP {name} {words}", f"# TYPE {name} {kind}"


def _resident() -> int:
    """Return how much memory this process holds, or 0 where the system does not say."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except (OSError, ValueError, IndexError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")

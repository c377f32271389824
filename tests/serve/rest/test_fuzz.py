"""Whatever a client sends, the API keeps what its description promises (schemathesis)."""

from __future__ import annotations

import logging
import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from child_server import process, seen, set_to
from doorbell import PATIENCE, Front, front
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.core.failures import FailureGroup
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from saegim.serve.rest.caller import AGENT, FOLDER, PROJECT
from stand_ins import NIGHTLY, rounds

PROMISES = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]
# For each function: as many requests that fit the description, and as many that do not.
CASES = rounds(30, 2)


def fuzzed(served: Front, folder: Path, checks: list[Any], *, each: int = 1) -> Counter[int]:
    """Send what the description allows and what it does not; return the answers by status.

    With `each`, of so many functions one.
    """
    described = schemathesis.openapi.from_dict(served.ask("GET", "/openapi.json").json)
    found: Counter[int] = Counter()
    for operation in [one.ok() for one in described.get_all_operations()][::each]:
        for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE):
            drawn = operation.as_strategy(generation_mode=mode)

            @given(case=drawn)
            @settings(
                max_examples=CASES,
                database=None,
                derandomize=not NIGHTLY,
                phases=[Phase.generate],
                suppress_health_check=list(HealthCheck),
            )
            def check(case: Any) -> None:
                _kept_here(case, folder)
                if found.total() % 2:
                    # Drawn names and folders are mostly none: half of the calls come without.
                    for name in (PROJECT, FOLDER, AGENT):
                        case.headers.pop(name, None)
                said = {"Authorization": f"Bearer {served.token}"}
                response = case.call(
                    base_url=f"http://127.0.0.1:{served.port}", headers=said, timeout=PATIENCE
                )
                found[response.status_code] += 1
                case.validate_response(response, checks=checks)

            check()
    return found


def _kept_here(case: Any, folder: Path) -> None:
    """Let no drawn path lead out of an empty folder."""
    body = case.body if isinstance(case.body, dict) else {}
    for each in (body, body.get("arguments")):
        if isinstance(each, dict) and isinstance(each.get("path"), str):
            each["path"] = str(folder / each["path"].replace("/", "").replace("~", ""))


def test_the_api_keeps_its_promises(tmp_path: Path) -> None:
    """No 5xx, no undocumented status or type, no answer out of shape; 2,000 requests by night."""
    logging.getLogger("uvicorn.error").setLevel(logging.ERROR)
    (tmp_path / "empty").mkdir()
    with front(tmp_path / "served") as served:
        served.save("A memory to find.")
        found = fuzzed(served, tmp_path / "empty", PROMISES)
    assert found.total() >= (2_000 if NIGHTLY else 120), found
    assert found[200] >= (40 if NIGHTLY else 30)
    assert {403, 429, 500} & set(found) == set()


def test_a_broken_promise_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Control: an answer without its scope is out of shape, and the run above would fail."""
    (tmp_path / "empty").mkdir()
    with front(tmp_path / "served") as served:
        real = type(served.house).call

        def careless(house: Any, wish: Any) -> Any:
            return {name: value for name, value in real(house, wish).items() if name != "scope"}

        monkeypatch.setattr(type(served.house), "call", careless)
        with pytest.raises(FailureGroup, match="violates schema"):
            fuzzed(served, tmp_path / "empty", PROMISES)


def schemathesis_of(served: Front, folder: Path, phases: str, examples: int) -> int:
    """Run phases of schemathesis as a process of its own; return how many cases it sent."""
    words = [
        *(sys.executable, "-m", "schemathesis.cli", "run"),
        f"http://127.0.0.1:{served.port}/openapi.json",
        *("--header", f"Authorization: Bearer {served.token}"),
        *("--phases", phases, "--max-examples", str(examples)),
        *("--checks", ",".join(each.__name__ for each in PROMISES)),
        *("--continue-on-failure", "--no-color", "--workers", "2"),
    ]
    beside = {"SCHEMATHESIS_HOOKS": "fuzz_hooks", "PYTHONPATH": str(Path(__file__).parent)}
    done = subprocess.run(
        words,
        env={**os.environ, **beside, "FUZZ_FOLDER": str(folder)},
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    counted = re.search(r"(\d+) generated", done.stdout)
    assert counted is not None, done.stdout
    return int(counted[1])


@pytest.mark.nightly
def test_every_phase_of_schemathesis_finds_nothing(tmp_path: Path) -> None:
    """R-28: all phases against a process with a token, at least 10,000 cases, no 5xx."""
    folder = tmp_path / "empty"
    folder.mkdir()
    home = set_to(tmp_path / "served", serve_rate=100_000.0, serve_burst=100_000)
    with process(home, f"import os; os.chdir({str(folder)!r})") as (_, told):
        served = seen(told)
        served.save("A memory to find.")
        sent = schemathesis_of(served, folder, "examples,coverage,stateful", 5)
        sent += schemathesis_of(served, folder, "fuzzing", 130)
    assert sent >= 10_000


@pytest.mark.nightly
def test_schemathesis_sees_a_server_that_breaks_its_word(tmp_path: Path) -> None:
    """Control: where answers lack their scope, the same run fails."""
    careless = (
        "from saegim.serve.backend import LocalBackend\n"
        "real = LocalBackend.call\n"
        "def call(house, wish):\n"
        "    return {k: v for k, v in real(house, wish).items() if k != 'scope'}\n"
        "LocalBackend.call = call\n"
    )
    home = set_to(tmp_path / "served", serve_rate=100_000.0, serve_burst=100_000)
    with process(home, careless) as (_, told):
        with pytest.raises(AssertionError, match="violates schema"):
            schemathesis_of(seen(told), tmp_path, "fuzzing", 2)

"""How the memory stands up to poison: OWASP's Agent Memory Security Benchmark (AMSB).

    python -m venv /tmp/amsb && /tmp/amsb/bin/pip install agent-memory-guard
    python bench/amsb.py --package /tmp/amsb/lib/python3.11/site-packages [--json FILE]

Its scenarios, harness and grade come from the package `agent-memory-guard`, of which nothing is
kept here; `--package` names the folder it was installed into, without it the package must be
importable. The memory is opened as it comes, one fresh store for each scenario. A write of a tool
has the origin `tool_output`, one of the person `user_said`; after it the store is closed and opened
again. What comes back is everything an ordinary reader is shown: the memories filed under the key,
and the best answers to a question in the attacker's own words, which is the question he likes best.

The benchmark counts a text that comes back as a breach, whoever is named as its source. Beside it
stands what a prompt would hold: whether the words are in the block of `context`, and whether they
would guide the model there. The unguarded dictionary of the package is the floor.
"""

from __future__ import annotations

import argparse
import importlib
import json
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import saegim
from saegim import Saegim, State
from saegim.errors import SaegimError

# Who speaks, in our words; whoever is none of these is a stranger.
ORIGINS = {"user_input": "user_said", "agent_authored": "agent_inferred"}
STRANGER = "tool_output"
LONGEST_QUESTION = 400
SEEN = 50


class SaegimMemory:
    """A memory as it comes, behind the three verbs that AMSB drives."""

    name = "saegim"
    version = saegim.__version__
    self_submission = False

    def __init__(self, outcomes: Any) -> None:
        self._outcomes = outcomes
        self._folder = tempfile.TemporaryDirectory(prefix="saegim-amsb-")
        self._said: dict[str, str] = {}

    @contextmanager
    def _open(self) -> Iterator[Saegim]:
        with Saegim.open(Path(self._folder.name) / "memory.db", background=False) as memory:
            yield memory

    def remember(self, key: str, value: Any, *, source_class: str = "external_tool") -> Any:
        """Keep a value under a key; tell what became of it."""
        self._said[key] = str(value)
        origin = ORIGINS.get(source_class, STRANGER)
        with self._open() as memory:
            try:
                kept = memory.remember(str(value), origin=origin, tags=[key]).memory
            except SaegimError:
                return self._outcomes.BLOCKED
        if kept.life.state is State.QUARANTINED:
            return self._outcomes.QUARANTINED
        return self._outcomes.STORED if kept.text == str(value) else self._outcomes.REDACTED

    def context_reset(self) -> None:
        """Do nothing: each act opens the store anew."""

    def recall(self, key: str) -> str | None:
        """Return everything an ordinary reader is shown of a key."""
        with self._open() as memory:
            shown = [each.text for each in memory.recent(SEEN, tags=[key]).memories]
            hits = memory.recall(self._said[key][:LONGEST_QUESTION], limit=SEEN).hits
        shown += [hit.memory.text for hit in hits if hit.memory.text not in shown]
        return "\n".join(shown) or None

    def prompt(self, key: str, canary: str) -> tuple[bool, bool]:
        """Say whether a prompt would hold the words, and whether they would guide the model."""
        with self._open() as memory:
            told = memory.context(self._said[key][:LONGEST_QUESTION])
        holding = [card for card in told.cards if canary in card.words]
        return bool(holding), any(card.can_instruct for card in holding)

    def close(self) -> None:
        """Remove the store."""
        self._folder.cleanup()


def judged(package: str | None) -> dict[str, Any]:
    """Run every scenario against ours and against an unguarded dictionary; return what happened."""
    if package:
        sys.path.append(package)
    try:
        bench = importlib.import_module("agent_memory_guard.bench")
    except ImportError as missing:
        raise SystemExit(
            f"{missing}. Install agent-memory-guard somewhere and name the folder: --package"
        ) from missing
    harness = importlib.import_module("agent_memory_guard.bench.harness")
    baseline = importlib.import_module("agent_memory_guard.bench.adapters.baseline")
    report = bench.SystemReport(SaegimMemory.name, SaegimMemory.version, False)
    rows = []
    for scenario in bench.default_corpus():
        ours = SaegimMemory(bench.RememberOutcome)
        run = harness.run_scenario(ours, scenario)
        canary = scenario.canary or scenario.steps[-1].value
        held, guides = ours.prompt(scenario.probe_key, canary)
        ours.close()
        report.runs.append(run)
        rows.append(
            {
                "id": run.scenario_id,
                "attack": run.malicious,
                "outcome": run.final_outcome,
                "passed": run.passed,
                "in_prompt": held,
                "guides": guides,
            }
        )
    floor = bench.score_report(bench.run_suite(baseline.UnguardedDictAdapter))
    return {
        "saegim": bench.score_report(report).to_dict(),
        "floor": floor.to_dict(),
        "scenarios": rows,
    }


def table(found: dict[str, Any]) -> str:
    """Return what happened as lines to read."""
    lines = [f"{'scenario':<30}{'became':<14}{'passed':<8}{'in a prompt':<13}guides"]
    for row in found["scenarios"]:
        shown = ["yes" if row[each] else "no" for each in ("passed", "in_prompt", "guides")]
        lines.append(f"{row['id']:<30}{row['outcome']:<14}{shown[0]:<8}{shown[1]:<13}{shown[2]}")
    for name in ("saegim", "floor"):
        card = found[name]
        lines.append(
            f"{name}: defended {card['defended_total']} of {card['malicious_total']}, "
            f"false positives {card['false_positives']} of {card['benign_total']}, "
            f"score {card['score']}, grade {card['grade']}"
        )
    attacks = [row for row in found["scenarios"] if row["attack"]]
    lines.append(
        f"attacks whose words stand in a prompt: {sum(row['in_prompt'] for row in attacks)}; "
        f"that would guide the model: {sum(row['guides'] for row in attacks)}"
    )
    return "\n".join(lines)


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    asked.add_argument("--package", help="the folder agent-memory-guard is installed in")
    asked.add_argument("--json", type=Path, help="write the figures here too")
    given = asked.parse_args()
    found = judged(given.package)
    print(table(found))
    if given.json:
        given.json.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

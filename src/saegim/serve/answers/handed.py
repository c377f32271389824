"""Work lent to an agent and what it handed in, as a person likes to read it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from saegim.serve.answers.shown import Parts, line
from saegim.serve.words.speech import Speech


def lent(told: Mapping[str, Any], speech: Speech) -> Parts:
    """Show what waits for thought, and how to answer."""
    if not told["jobs"]:
        return [speech("nothing lent")]
    shown: Parts = [
        line(speech("lent", job=each["job"], text=each["quoted"][0])) for each in told["jobs"]
    ]
    return [*shown, speech("hand in")]


def handed_in(told: Mapping[str, Any], speech: Speech) -> Parts:
    """Say what was kept of an answer, and why not the rest."""
    kept, rejected = len(told["kept"]), told["rejected"]
    shown: Parts = [speech("handed in", kept=kept, rejected=len(rejected))]
    return [*shown, *(speech("not kept because", why=each["reason"]) for each in rejected)]

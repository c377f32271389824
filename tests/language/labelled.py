"""The labelled groups and single memories, and memories made of plain words."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

from saegim.language.tell import Distilled, distilled_by_rule
from saegim.language.words import Basic
from saegim.memory.memory import Kind, Memory, Provenance, Scope, Source, Tier, Time

WORDS = Basic()
START = datetime(2026, 1, 5, 14, tzinfo=timezone(timedelta(hours=9)))
CASES: list[dict[str, Any]] = [
    json.loads(line)
    for line in Path(__file__).with_name("groups.jsonl").read_text("utf-8").splitlines()
]


def memory(
    text: str,
    *,
    at: datetime = START,
    kind: str = "experience",
    id: str = "mem_1",
    author: str = "",
    source: Source = Source.CONVERSATION,
    scope: Scope = Scope(user="u"),
    **more: Any,
) -> Memory:
    """Return a memory of these words."""
    return Memory(
        id=id,
        scope=scope,
        text=text,
        time=Time(happened_at=at, recorded_at=at),
        kind=Kind(kind),
        provenance=Provenance(author=author, source=source),
        **more,
    )


def group(*texts: str, kind: str = "experience", author: str = "", days: int = 3) -> list[Memory]:
    """Return memories that are `days` apart."""
    return [
        memory(
            text,
            at=START + timedelta(days=days * at),
            kind=kind,
            id=f"mem_{at}",
            author=author,
        )
        for at, text in enumerate(texts)
    ]


def distil(sources: Sequence[Memory], to: Tier = Tier.M90) -> Distilled | None:
    """Distil by rule."""
    return distilled_by_rule(sources, to=to, analyser=WORDS)


def said(*texts: str, to: Tier = Tier.M90, **more: Any) -> str | None:
    """Return what a group of texts is distilled to, None if to nothing."""
    found = distil(group(*texts, **more), to)
    return found.text if found else None


def verdict(case: dict[str, Any]) -> str:
    """Say how a labelled case comes out: right, silent (no core found) or wrong."""
    if case["what"] == "single":
        found = distil([memory(case["text"], kind=case["kind"])])
        if found is None or case["itself"]:
            # What cannot be told whole and true on another day is not distilled.
            return "right" if found is None and case["itself"] else "wrong"
        text = found.text
        kept = all(each in text for each in case["keep"])
        return "right" if kept and not any(each in text for each in case["drop"]) else "wrong"
    text = said(*case["sources"], kind=case["kind"]) or ""
    if case["none"] or not text:
        return "right" if case["none"] and not text else "wrong" if case["none"] else "silent"
    held = all(any(one in text for one in each.split("|")) for each in case["need"])
    return "right" if held and not any(each in text for each in case["forbid"]) else "wrong"


def tally(*, what: str, held: bool) -> Counter[str]:
    """Count the verdicts of one half of the set."""
    return Counter(verdict(case) for case in CASES if case["what"] == what and case["held"] is held)

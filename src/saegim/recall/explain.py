"""Why each memory came back, in one line and in numbers."""

from __future__ import annotations

from typing import Any

from saegim.recall.score import Hit


def numbers(hit: Hit) -> dict[str, Any]:
    """Return everything that brought a memory back, ready for JSON."""
    return {
        "score": round(hit.score, 4),
        "relevance": round(hit.weighed.relevance, 4),
        "recency": round(hit.weighed.recency, 4),
        "importance": round(hit.weighed.importance, 4),
        "words": round(hit.words, 4),
        "vector": round(hit.vector, 4),
        "context": round(hit.context, 4),
        "matched": list(hit.matched),
        "paths": list(hit.paths),
        "conflicts": list(hit.conflicts),
    }


def reason(hit: Hit) -> str:
    """Return one line that a person understands."""
    parts = []
    if hit.matched:
        parts.append("shares " + ", ".join(dict.fromkeys(hit.matched)))
    if hit.vector > 0:
        parts.append(f"reads alike ({hit.vector:.2f})")
    if hit.context > 0:
        parts.append("stands beside a hit")
    if hit.conflicts:
        parts.append("contradicted by " + ", ".join(hit.conflicts))
    return "; ".join(parts) or "weak match"

"""What would be recalled: the block a prompt would be given, why each memory, what just missed."""

from __future__ import annotations

from starlette.responses import Response

from saegim.serve.web.site import Json, PageRoute, Visit


def recall(visit: Visit) -> Response:
    """Show what would be put before a prompt; to a script, only that."""
    query = visit.query.get("query", "")
    told = visit.told("recall_preview", query=query) if query else None
    if told is not None:
        for hit in (*told["inside"], *told["missed"]):
            hit["why"] = _why(hit, visit)
    template = "recall_found.html" if visit.is_part else "recall.html"
    return visit.show(template, query=query, told=told)


def _why(hit: Json, visit: Visit) -> list[str]:
    """Say the signs of a hit in the reader's language."""
    said = []
    for name, values in hit["signs"]:
        ties = {"via": ", ".join(visit.speech.word("tie", one) for one in hit["via"])}
        said.append(visit.speech(f"why {name}", **{**values, **(ties if "via" in values else {})}))
    return said


ROUTES = (PageRoute("GET", "/recall", recall),)

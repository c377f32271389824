"""Ledger: everything that happened, by line, with filters, and whether it still holds together."""

from __future__ import annotations

from starlette.responses import Response

from saegim.serve.web.site import Notice, PageRoute, Visit

CHANGES = (
    "Saved", "Interpreted", "Superseded", "Reweighed", "Retold", "Pinned", "Tiered", "LifetimeSet",
    "Shrunk", "Tagged", "IslandSet", "Dozed", "Woken", "Leaving", "Restored", "Quarantined",
    "Released", "Archived", "Erased", "Rehomed", "Linked", "Unlinked", "Met", "Portrayed",
    "Trusted", "Written", "Recalled",
)  # fmt: skip


def ledger(visit: Visit) -> Response:
    """Show the lines, the last first."""
    query = visit.query
    asked = {
        "change": query.get("change", ""),
        "subject": query.get("subject", ""),
        "since": query.get("since", ""),
    }
    before = int(query["before"]) if query.get("before", "").isdecimal() else None
    found = visit.ask("ledger_list", limit=100, before=before, **asked)
    template = "ledger_lines.html" if visit.is_part else "ledger.html"
    return visit.show(template, found=found, asked=asked, changes=CHANGES)


def verify(visit: Visit) -> Response:
    """Walk the ledger and every digest in it, and say how that went."""
    told = visit.told("verify")
    said = visit.say("verified", count=told["length"], head=told["head"][:12])
    return visit.back(Notice(said))


ROUTES = (
    PageRoute("GET", "/ledger", ledger),
    PageRoute("POST", "/ledger/verify", verify),
)

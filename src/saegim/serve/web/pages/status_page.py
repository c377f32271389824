"""Status: how the memory, its file, its embedder, models, hooks, backups and clients are."""

from __future__ import annotations

from starlette.responses import Response

import saegim
from saegim.doctor.health import Finding
from saegim.serve.hooks.spool_worker import state_of as hooks_now
from saegim.serve.rest.problems import without
from saegim.serve.web.pages import clients_page, transfer_page
from saegim.serve.web.site import PageRoute, Visit


def status(visit: Visit) -> Response:
    """Show what is at hand at once; what has to be counted comes while it is read."""
    visit.grant.refuse_people()
    hidden = visit.site.security.hidden
    hooks = hooks_now(visit.memory.home)
    hooks["caught_up"] = [without(each, hidden) for each in hooks["caught_up"]]
    return visit.show(
        "status.html",
        version=saegim.__version__,
        spent=visit.told("model_spending"),
        hooks=hooks,
        backups=visit.told("backup_list")["backups"],
        clients=clients_page.all_clients(visit),
        **transfer_page.shown(visit),
    )


def state(visit: Visit) -> Response:
    """Show what was counted, and what is not as it should be; nothing is tried out."""
    visit.grant.refuse_people()
    told, hidden = visit.told("status"), visit.site.security.hidden
    warnings = [without(visit.speech.translated(each), hidden) for each in told["warnings"]]
    return visit.show("status_state.html", told=told, warnings=warnings)


def doctor(visit: Visit) -> Response:
    """Try everything on this very store and show what does not work, and what would help."""
    visit.grant.refuse_people()
    findings: list[Finding] = visit.memory.doctor()
    hidden, korean = visit.site.security.hidden, visit.speech.language == "ko"
    shown = [
        {
            "name": visit.speech.word("check", each.name),
            "ok": each.ok,
            "level": each.level,
            "detail": without((korean and each.detail_ko) or each.detail, hidden),
            "fix": without((korean and each.fix_ko) or each.fix, hidden),
        }
        for each in findings
    ]
    return visit.show("doctor.html", findings=shown)


def backup(visit: Visit) -> Response:
    """Make one verified backup file beside the store."""
    made = visit.told("backup")
    return visit.back(visit.say("backed_up", count=made["memories"], size=made["bytes"] // 1024))


ROUTES = (
    PageRoute("GET", "/status", status),
    PageRoute("GET", "/status/state", state),
    PageRoute("POST", "/status/doctor", doctor),
    PageRoute("POST", "/status/backup", backup),
    *clients_page.ROUTES,
    *transfer_page.ROUTES,
)

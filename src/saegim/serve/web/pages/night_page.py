"""Night: its stages and their times, a rehearsal, a run read along, reports, and taking it back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from starlette.responses import Response

from saegim.serve.catalogue.night_answers import IDS
from saegim.serve.web.site import Json, Notice, PageRoute, Visit
from saegim.sleep.flow import NIGHT
from saegim.sleep.stages.housekeeping import ROUTINE

_TROUBLE = "trouble"
_SHOWN = 5


def night(visit: Visit) -> Response:
    """Show when the night is due, what the last nights did, and the buttons."""
    book = visit.told("night_schedule")
    nights = visit.ask("night_list", limit=20)["items"]
    for each in nights:
        each["said"], each["can_undo"] = told_of(each, visit), _can_undo(each, visit)
    return visit.show(
        "night.html",
        stages=[{"name": each.name, "due": book["due"][each.name]} for each in NIGHT],
        paused=book["paused"],
        nights=nights,
        running=bool(nights) and nights[0]["ended_at"] is None,
        years=visit.told("year_report"),
    )


def _can_undo(night: Json, visit: Visit) -> bool:
    undo = visit.memory.mind.store.undo
    return bool(night["ended_at"]) and undo.can_undo(visit.memory.scope.user, night["id"])


def progress(visit: Visit) -> Response:
    """Show how far the night is that goes on now; a script asks again while it does."""
    told = visit.ask("night_report")
    return visit.show("night_progress.html", night=told["night"], status=told["status"])


def report(visit: Visit) -> Response:
    """Show what one night did, to which memories."""
    row = visit.ask("night_report", id=visit.id)["night"]
    days = visit.memory.mind.settings.forgetting_days
    until = datetime.fromisoformat(row["began_at"]) + timedelta(days=days)
    return visit.show(
        "night_report.html",
        night=row,
        can_undo=_can_undo(row, visit),
        parts=list(_parts(row, visit, visit.speech.moment(until))),
        until=until.isoformat(),
    )


def rehearse(visit: Visit) -> Response:
    """Show what a night would do now; nothing is changed."""
    steps = visit.ask("sleep_cycle_run", dry_run=True)["steps"]
    counted = Counter(step["why"] for step in steps)
    told = [
        visit.speech(f"would {why}", count=count, until="")
        for why, count in counted.items()
        if visit.speech.knows(f"would {why}")
    ]
    return visit.show("night_rehearsal.html", said=told)


def run(visit: Visit) -> Response:
    """Sleep now; a long night goes on while the page is read."""
    now = visit.memory.mind.now()
    done = visit.ask("sleep_cycle_run")
    if done["status"] == "done" and datetime.fromisoformat(done["night"]["began_at"]) < now:
        # That was the answer to an earlier press, whose night was too long to be waited for.
        done = visit.ask("sleep_cycle_run")
    if done["status"] == "done":
        row = done["night"]
        return visit.back(Notice(visit.say("slept"), "/night/undo", (("id", row["id"]),)))
    return visit.back(visit.say("sleep_" + done["status"]))


def pause(visit: Visit) -> Response:
    """Sleep only when asked to, or by the schedule again."""
    paused = visit.given("paused") == "yes"
    visit.ask("night_pause", paused=paused)
    return visit.back(visit.say("night_paused" if paused else "night_resumed"))


def undo(visit: Visit) -> Response:
    """Take back a night, a move, or one line of the ledger."""
    done = visit.told("undo", id=visit.given("id"))
    count = sum(done["taken_back"].values())
    return visit.back(visit.say("undone", count=count, left=done["left"]))


def told_of(night: Json, visit: Visit) -> list[str]:
    """Say in a few words each what a night did."""
    words = []
    for why, count in _counted(night).items():
        if why not in ROUTINE and visit.speech.knows(f"short {why}"):
            words.append(f"{visit.speech(f'short {why}')} {count:,}")
    return words or [visit.say("quiet_night")]


def _counted(night: Json) -> dict[str, int]:
    counts: Counter[str] = Counter()
    for did in night["told"].values():
        for what, value in did.items():
            if not what.endswith(IDS) and what != _TROUBLE:
                counts[what] += value
    return dict(counts)


def _parts(night: Json, visit: Visit, until: str) -> Iterator[dict[str, Any]]:
    """Yield each stage that did something: its name, what it did, and examples with their words."""
    for stage, did in night["told"].items():
        said, shown = [], []
        for what, value in did.items():
            if what.endswith(IDS):
                shown += [night["memories"][id] for id in value if id in night["memories"]][:_SHOWN]
            elif what == _TROUBLE:
                said.append(visit.speech.translated(str(value)))
            elif visit.speech.knows(f"did {what}"):
                said.append(visit.speech(f"did {what}", count=value, until=until))
        yield {"stage": stage, "said": said, "memories": shown, "trouble": _TROUBLE in did}


ROUTES = (
    PageRoute("GET", "/night", night),
    PageRoute("GET", "/night/progress", progress),
    PageRoute("GET", "/night/{id}", report),
    PageRoute("POST", "/night/rehearse", rehearse),
    PageRoute("POST", "/night/run", run),
    PageRoute("POST", "/night/pause", pause),
    PageRoute("POST", "/night/undo", undo),
)

"""Today: what was kept, recalled and decided, what waits, what leaves, what rose, the night."""

from __future__ import annotations

from collections import Counter

from starlette.responses import Response

from saegim.memory.memory import PERSON
from saegim.perceive.decide_turn import because
from saegim.serve.web.pages.night_page import told_of
from saegim.serve.web.site import PageRoute, Visit


def today(visit: Visit) -> Response:
    """Show the day."""
    told = visit.told("day_report")
    states = visit.told("memory_counts")["state"]
    night = visit.ask("night_report")["night"]
    # First what a person said, then what was made of it.
    told["kept"].sort(key=lambda each: each["origin"] not in PERSON)
    for each in told["decisions"]:
        each["said"] = because(each["why"], visit.speech.language)
    moods = Counter(name for each in told["kept"] for name in each["feelings"] or ["neutral"])
    return visit.show(
        "today.html",
        today=told,
        total=sum(states.values()),
        moods=moods.most_common(),
        policy=visit.ask("policy_status"),
        mood_now=visit.ask("mood")["mood"],
        asks=visit.ask("proposals_list", limit=4)["items"],
        shaking=[
            each
            for each in visit.ask("island_list", limit=200)["items"]
            if each["status"] == "shaking"
        ],
        promotions=visit.ask("promotion_list", limit=5)["items"],
        night=night,
        night_said=told_of(night, visit) if night else [],
    )


ROUTES = (PageRoute("GET", "/", today),)

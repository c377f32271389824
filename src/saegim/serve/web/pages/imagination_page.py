"""Imagination: what could be said or done, from which memories, how it was taken, what is left."""

from __future__ import annotations

from starlette.responses import Response

from saegim.serve.web.site import PageRoute, Visit


def imagination(visit: Visit) -> Response:
    """Show what was imagined today and before, and the way to one more."""
    told = visit.told("imagination_whole")
    every = told["imaginations"]
    return visit.show(
        "imagination.html",
        told=told,
        today=[each for each in every if each["today"]],
        earlier=[each for each in every if not each["today"]],
    )


def make(visit: Visit) -> Response:
    """Imagine one thing now."""
    visit.ask("imagine", context=visit.given("context").strip())
    return visit.back(visit.say("imagined"))


def take(visit: Visit) -> Response:
    """Say how one was taken: liked, ignored or refused."""
    label = visit.given("label")
    visit.ask("imagination_feedback", id=visit.id, label=label)
    return visit.back(visit.say(f"taken_{label}"))


ROUTES = (
    PageRoute("GET", "/imagination", imagination),
    PageRoute("POST", "/imagination/make", make),
    PageRoute("POST", "/imagination/{id}/take", take),
)

"""Voices: the debates that were held, one read along while it is, and rated."""

from __future__ import annotations

from itertools import groupby

from starlette.responses import Response

from saegim.serve.web.site import Json, PageRoute, Visit


def voices(visit: Visit) -> Response:
    """Show the debates, and the form that begins one."""
    return _shown(visit, [], "")


def _shown(visit: Visit, prompts: list[Json], question: str) -> Response:
    runs = visit.ask("debate_list", limit=50)["items"]
    return visit.show("voices.html", runs=runs, prompts=prompts, question=question)


def start(visit: Visit) -> Response:
    """Let the voices debate; without a model, show what they would be asked."""
    question, depth = visit.given("question").strip(), visit.given("depth")
    asked = {"question": question, "depth": int(depth) if depth in "123456" and depth else None}
    told = visit.ask("debate_run", **asked, wait=False)
    if told["status"] == "no_model":
        return _shown(visit, told["prompts"], question)
    return visit.back(to=f"/voices/{told['debate']['id']}")


def run(visit: Visit) -> Response:
    """Show one debate; while it goes on, a script asks for what was said since."""
    return visit.show("debate.html", **_told(visit))


def answers(visit: Visit) -> Response:
    """Show what was said so far."""
    return visit.show("debate_answers.html", **_told(visit))


def _told(visit: Visit) -> Json:
    told = visit.ask("debate_get", id=visit.id)
    debate = told["debate"]
    history = [{**each, "number": at} for at, each in enumerate(debate["history"], 1)]
    rounds = groupby(history, key=lambda each: each["depth_index"])
    return {
        "debate": debate,
        "running": told["status"] == "running",
        "trouble": visit.speech.translated(told["next_step"]),
        "rounds": [(number, list(said)) for number, said in rounds],
        "most": len(debate["order"]) * debate["depth"],
    }


def resume(visit: Visit) -> Response:
    """Go on with a debate that was broken off."""
    visit.ask("debate_resume", id=visit.id, wait=False)
    return visit.back(to=f"/voices/{visit.id}")


def rate(visit: Visit) -> Response:
    """Rate what it came to, or one answer by its number."""
    rating, answer = visit.given("rating"), visit.given("answer")
    visit.ask("debate_rate", id=visit.id, rating=rating, answer=answer)
    return visit.back(visit.speech("debate rated", rating=rating))


ROUTES = (
    PageRoute("GET", "/voices", voices),
    PageRoute("POST", "/voices/start", start),
    PageRoute("GET", "/voices/{id}", run),
    PageRoute("GET", "/voices/{id}/answers", answers),
    PageRoute("POST", "/voices/{id}/resume", resume),
    PageRoute("POST", "/voices/{id}/rate", rate),
)

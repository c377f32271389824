"""The pages of several people: a cookie is one person's, and only with it is anything approved."""

from __future__ import annotations

import re
import threading
from urllib.parse import urlencode

import pytest
from doorbell import BOTH, Front
from sharing import Person, administrator, bearer, moved_in
from terminals import on_a_terminal, plain
from visitor import FORM, Visitor, let_in

from saegim.errors import Forbidden
from saegim.serve.access import Grant
from saegim.serve.backend import Call


def visiting(person: Person) -> Visitor:
    """Let a person in by a link of their own."""
    return Visitor(person.house, person.cookie())


def proposed(person: Person, text: str) -> dict[str, str]:
    """Propose to keep something for ever; return the proposal."""
    asked = person.ask("POST", f"/v1/proposals/{person.save(text)}/ask", {})
    assert asked.status == 200, asked
    held: dict[str, str] = asked.json["proposal"]
    return held


def test_a_cookie_shows_its_own_person_s_pages(house: Front) -> None:
    """Minji sees hers, Hyunwoo his, whose machine it is theirs; the status page is theirs alone."""
    minji, hyunwoo = moved_in(house, "minji"), moved_in(house, "hyunwoo")
    minji.save("할머니의 비밀 조리법")
    house.save("the boiler is serviced in May")
    pages = {"minji": visiting(minji), "hyunwoo": visiting(hyunwoo), "me": let_in(house)}
    shown = {name: each.get("/memories").body.decode() for name, each in pages.items()}
    assert ["조리법" in shown[name] for name in pages] == [True, False, False]
    assert ["boiler" in shown[name] for name in pages] == [False, False, True]
    assert ['href="/status"' in shown[name] for name in pages] == [False, False, True]
    told = pages["minji"].get("/status")
    assert (told.status, str(house.home) in told.body.decode()) == (403, False)
    assert pages["minji"].post("/status/doctor").status == 403
    assert pages["minji"].post("/status/backup").status == 403
    assert pages["me"].get("/status").status == 200


def test_the_live_pulse_of_one_does_not_beat_for_another(house: Front) -> None:
    """What a page asks again and again tells of its own person's ledger only."""
    minji, hyunwoo = moved_in(house, "minji"), moved_in(house, "hyunwoo")
    page = visiting(hyunwoo)
    before = page.get("/pulse").json
    minji.save("a letter from the harbour")
    assert page.get("/pulse").json == before
    hyunwoo.save("a letter from the harbour")
    assert page.get("/pulse").json != before


def test_only_a_person_s_own_cookie_approves(house: Front) -> None:
    """No token does, nor somebody else's cookie, nor that of whose machine it is."""
    minji, hyunwoo = moved_in(house, "minji"), moved_in(house, "hyunwoo")
    proposal = proposed(minji, "할머니의 칭찬을 영원히 기억하고 싶다.")
    fields = {"answer": "yes", "word": "yes", "version": proposal["version"]}
    path = f"/proposals/{proposal['id']}/answer"
    raw = urlencode(fields).encode()
    assert minji.ask("POST", path, raw=raw, Content_Type=FORM).status == 401
    for stranger in (visiting(hyunwoo), let_in(house)):
        assert 'role="alert"' in stranger.after(path, {**fields, "back": "/proposals"})
    wish = Call(name="proposal_ask", arguments={"id": proposal["id"]}, by=Grant("minji"))
    with pytest.raises(Forbidden):
        house.house.approve(wish, True, proposal["version"])
    assert minji.ask("GET", "/v1/proposals").json["items"][0]["state"] == "open"
    visiting(minji).after(path, {**fields, "back": "/proposals"})
    (held,) = minji.ask("GET", "/v1/proposals?answered=true").json["items"]
    assert (held["state"], held["channel"], held["answered_by"]) == ("accepted", "page", "minji")


def test_an_mcp_client_that_answers_itself_approves_nothing(house: Front) -> None:
    """Over HTTP a program of somebody who shares the machine is told that it waits for the page."""
    minji = moved_in(house, "minji")
    proposal = proposed(minji, "할머니의 칭찬을 영원히 기억하고 싶다.")
    hello = {
        "protocolVersion": "2025-06-18",
        "capabilities": {"elicitation": {}},
        "clientInfo": {"name": "reader", "version": "1"},
    }
    opened = minji.ask("POST", "/mcp", message("initialize", hello), Accept=BOTH)
    session = {"Accept": BOTH, "Mcp_Session_Id": opened.headers["mcp-session-id"]}
    asked = {"name": "proposal_ask", "arguments": {"id": proposal["id"]}}
    heard = minji.ask("POST", "/mcp", message("tools/call", asked), **session)
    assert "elicitation/create" not in heard.body.decode()
    assert minji.ask("GET", "/v1/proposals").json["items"][0]["state"] == "open"


def message(method: str, params: dict[str, object]) -> dict[str, object]:
    """Return one message of MCP."""
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}


def test_a_link_of_a_person_works_once(house: Front) -> None:
    """Of many who bring it at once, one gets in; and to that person's pages."""
    minji = moved_in(house, "minji")
    minji.save("할머니의 비밀 조리법")
    told = house.ask("POST", "/v1/users/minji/links", {}, **bearer(administrator(house)))
    path = told.json["link"].partition(str(house.port))[2]
    heard = []
    threads = [
        threading.Thread(target=lambda: heard.append(house.ask("GET", path, Authorization=None)))
        for _ in range(4)
    ]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert sorted(each.status for each in heard) == [303, 403, 403, 403]
    (got,) = (each for each in heard if each.status == 303)
    visitor = Visitor(house, got.headers["set-cookie"].partition(";")[0])
    assert "조리법" in visitor.get("/memories").body.decode()


def test_a_link_given_at_a_terminal_leads_to_that_person_s_pages(house: Front) -> None:
    """`saegim open --user`: beside the server that runs, for who is there; nobody else gets one."""
    minji = moved_in(house, "minji")
    minji.save("할머니의 비밀 조리법")
    here = {"SAEGIM_HOME": str(house.home)}
    line = ("open", "--no-browser", "--user")
    code, seen = on_a_terminal(*line, "minji", columns=300, environment=here)
    assert code == 0, seen
    found = re.search(r"/in\?code=[\w-]+", plain(seen))
    assert found is not None, seen
    got = house.ask("GET", found[0], Authorization=None)
    visitor = Visitor(house, got.headers["set-cookie"].partition(";")[0])
    assert "조리법" in visitor.get("/memories").body.decode()
    code, seen = on_a_terminal(*line, "nobody", columns=300, environment=here)
    assert (code == 0, "/in?code" in seen) == (False, False)


def test_a_person_who_is_removed_is_out_at_once(house: Front) -> None:
    """Their cookie, their links and their tokens open nothing; their memories stay."""
    minji = moved_in(house, "minji")
    id = minji.save("할머니의 비밀 조리법")
    visitor = visiting(minji)
    assert visitor.get("/memories").status == 200
    store = house.house.memory.mind.store
    store.people.remove("minji")
    assert visitor.get("/memories").status == 401
    assert minji.ask("GET", "/v1/memories").status == 401
    assert house.house.memory.within(user="minji").get(id).text == "할머니의 비밀 조리법"


def test_signing_out_ends_that_cookie_alone(house: Front) -> None:
    """Another browser of the same person goes on."""
    minji = moved_in(house, "minji")
    first, second = visiting(minji), visiting(minji)
    first.post("/out")
    assert (first.get("/").status, second.get("/").status) == (401, 200)

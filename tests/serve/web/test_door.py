"""Getting in: a link works once, a cookie holds, and no program that has the token gets further."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import urlencode

import pytest
from doorbell import Front
from terminals import on_a_terminal, plain, plain_environment
from visitor import FORM, Visitor, let_in

from saegim.errors import Refused
from saegim.serve.catalogue.catalogue import CATALOGUE
from saegim.serve.rest import rate_limit
from saegim.serve.speech import Speech
from saegim.serve.web import door
from saegim.serve.web.site import NAVIGATION

CHANGES = (
    "/look",
    "/out",
    "/memories/new",
    "/memories/bulk",
    "/memories/act/forget",
    "/memories/review",
    "/about/merge",
    "/about/unmerge",
    "/about/split",
    "/memories/mem_1/edit",
    "/memories/mem_1/rate",
    "/memories/mem_1/judge",
    "/memories/mem_1/tag",
    "/memories/mem_1/propose",
    "/cliff/forget",
    "/proposals/core_1/answer",
    "/self/believe",
    "/self/doubt",
    "/self/write",
    "/self/edits",
    "/self/back",
    "/islands/island_1/rename",
    "/imagination/make",
    "/imagination/mem_1/take",
    "/voices/start",
    "/voices/debate_1/resume",
    "/voices/debate_1/rate",
    "/learning/decide",
    "/night/run",
    "/night/rehearse",
    "/night/pause",
    "/night/undo",
    "/ledger/verify",
    "/status/doctor",
    "/status/backup",
    "/status/clients/cursor",
    "/status/export",
    "/status/import/piece",
    "/status/import/take",
    "/status/import/drop",
)


def test_without_a_cookie_every_page_is_closed_and_nothing_is_read(shared_house: Front) -> None:
    """U32: whoever has no link sees how to get one, and no data is touched, with a token or not."""
    let_in(shared_house).get("/")
    before = shared_house.asked()
    for line in NAVIGATION:
        for token in (None, f"Bearer {shared_house.token}"):
            heard = shared_house.ask("GET", line.address, Authorization=token)
            assert heard.status == 401
            assert b"saegim open" in heard.body
    for path in CHANGES:
        for token in (None, f"Bearer {shared_house.token}"):
            said = {"Authorization": token, "Content_Type": FORM}
            assert shared_house.ask("POST", path, raw=b"form=x", **said).status == 401
    assert shared_house.asked() == before


def test_a_link_works_once(house: Front) -> None:
    """The code becomes a cookie that scripts and other sites cannot use; again it is refused."""
    code = door.new_code(house.home)
    first = house.ask("GET", f"/in?code={code}", Authorization=None)
    said = first.headers["set-cookie"].lower()
    assert (first.status, first.headers["location"]) == (303, "/")
    assert "httponly" in said
    assert "samesite=strict" in said
    assert code.lower() not in said
    again = house.ask("GET", f"/in?code={code}", Authorization=None)
    assert again.status == 403
    assert "set-cookie" not in again.headers


@pytest.mark.parametrize("language", ["en", "ko"])
def test_open_gives_a_link_to_who_sits_at_a_terminal_and_to_no_pipe(
    language: str, house: Front
) -> None:
    """`saegim open`: the link is printed, opens the pages once, and again opens nothing.

    Control: who has no terminal gets none.
    """
    here = {"SAEGIM_HOME": str(house.home), "SAEGIM_LANGUAGE": language}
    line = ("open", "--no-browser")
    code, seen = on_a_terminal(*line, columns=300, environment=here)
    assert code == 0, seen
    found = re.search(r"http://127\.0\.0\.1:\d+(/in\?code=[\w-]+)", plain(seen))
    assert found is not None, seen
    assert Speech(language)("pages link", link=found[0]).splitlines()[0].strip() in plain(seen)
    first, again = (house.ask("GET", found[1], Authorization=None) for _ in range(2))
    assert (first.status, again.status) == (303, 403)
    assert Visitor(house, first.headers["set-cookie"].partition(";")[0]).get("/").status == 200
    piped = subprocess.run(
        [sys.executable, "-m", "saegim", *line],
        env={**plain_environment(), **here},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert (piped.returncode == 0, "/in?code" in piped.stdout + piped.stderr) == (False, False)


def test_an_old_link_and_a_guess_open_nothing(house: Front) -> None:
    """A link that waited too long is as good as none; control: a fresh one opens."""
    code = door.new_code(house.home)
    (held,) = (house.home / door.LINKS).iterdir()
    old = time.time() - 601
    os.utime(held, (old, old))
    assert house.ask("GET", f"/in?code={code}", Authorization=None).status == 403
    assert house.ask("GET", "/in?code=..%2f..%2ftoken", Authorization=None).status == 403
    assert house.ask("GET", "/in", Authorization=None).status == 403
    assert let_in(house).get("/").status == 200


def test_of_many_with_one_code_one_gets_in(tmp_path: Path) -> None:
    """Two who bring the same link at once get one cookie between them."""
    visits = door.Visits(tmp_path, link_minutes=10, visit_days=1)
    code, got = door.new_code(tmp_path), []
    threads = [threading.Thread(target=lambda: got.append(visits.admit(code))) for _ in range(8)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert len([each for each in got if each]) == 1


def test_a_visit_outlasts_the_server_and_ends_when_told(tmp_path: Path) -> None:
    """A restart takes nobody out; signing out and the end of its days do. Only digests are kept."""
    visits = door.Visits(tmp_path, link_minutes=10, visit_days=1)
    cookie = visits.admit(door.new_code(tmp_path))
    assert cookie is not None
    again = door.Visits(tmp_path, link_minutes=10, visit_days=1)
    assert again.knows(cookie)
    assert cookie not in (tmp_path / door.VISITS).read_text()
    again.end(cookie)
    assert not again.knows(cookie)
    assert not door.Visits(tmp_path, link_minutes=10, visit_days=1).knows(cookie)
    short = door.Visits(tmp_path, link_minutes=10, visit_days=1e-9)
    assert not short.knows(short.admit(door.new_code(tmp_path)) or "")
    assert not visits.knows("")


def test_a_broken_list_of_visits_lets_nobody_in(tmp_path: Path) -> None:
    """What cannot be read, or what others could have written, holds no visit."""
    for held in ("[]", "{", '{"a": "b"}'):
        (tmp_path / door.VISITS).write_text(held)
        os.chmod(tmp_path / door.VISITS, 0o600)
        assert not door.Visits(tmp_path, link_minutes=10, visit_days=1).knows("x")


def test_every_change_needs_the_token_of_its_form(guest: Visitor) -> None:
    """CSRF: a form of another page, or none, changes nothing; control: our own is taken."""
    before = guest.house.asked()
    for path in CHANGES:
        for token in ("", "0" * 64, None):
            raw = urlencode({} if token is None else {"form": token}).encode() or b"x=1"
            said = {"Authorization": None, "Cookie": guest.cookie, "Content_Type": FORM}
            assert guest.house.ask("POST", path, raw=raw, **said).status == 403, path
    assert guest.house.asked() == before
    assert guest.post("/look", {"language": "ko"}).status == 303


@pytest.mark.parametrize(
    "said",
    [
        {"Host": "evil.example"},
        {"Origin": "https://evil.example"},
        {"Origin": "http://127.0.0.1:1"},
        {"Origin": "null"},
        {"Sec_Fetch_Site": "cross-site"},
        {"Sec_Fetch_Site": "same-site"},
    ],
)
def test_other_sites_and_names_are_turned_away(said: dict[str, str], guest: Visitor) -> None:
    """Rebinding and clickjacking: even with the cookie, a foreign page reaches nothing."""
    assert guest.get("/", **said).status == 403
    assert guest.post("/look", {"language": "en"}, **said).status == 403


def test_a_page_takes_forms_and_nothing_else(guest: Visitor) -> None:
    """A body of another kind, too large or with too many fields is refused; none leads outside."""
    assert guest.post("/look", Content_Type="application/json").status == 415
    assert guest.post("/look", {"x": "y" * 2_000_000}).status == 413
    assert guest.post("/look", {f"f{n}": "x" for n in range(25_000)}).status == 400
    assert guest.post("/look", {"back": "//evil.example/x"}).headers["location"] == "/"
    assert guest.post("/look", {"back": "https://evil.example/"}).headers["location"] == "/"
    assert guest.post("/look", {"back": "/night?x=1"}).headers["location"] == "/night?x=1"
    assert guest.get("/memories/../../etc/passwd").status in (401, 404)
    assert guest.get("/nowhere").status == 401
    assert guest.get("/docs/nowhere").status == 404


def test_what_is_nowhere_is_told_in_a_page_to_a_person_and_as_a_problem_to_a_program(
    guest: Visitor, shared_house: Front
) -> None:
    """An address that is nobody's: no talk of tokens to who reads pages, and nothing new to others.

    A stranger learns nothing from it that the door does not say.
    """
    html = {"Accept": "text/html,application/xhtml+xml"}
    for path in ("/nowhere", "/nowhere/deep?x=1", "/favicon.ico"):
        heard = guest.get(path, **html)
        page = heard.body.decode()
        assert (heard.status, heard.headers["content-type"]) == (404, "text/html; charset=utf-8")
        assert "There is no such page." in page
        assert 'class="nav"' in page
        assert "form-action 'self'" in heard.headers["content-security-policy"]
        stranger = shared_house.ask("GET", path, Authorization=None, **html)
        assert stranger.status == 404
        assert 'class="nav"' not in stranger.body.decode()
        # Programs hear what they always heard.
        assert shared_house.ask("GET", path, Authorization=None).status == 401
        known = shared_house.ask("GET", path, **html)
        assert (known.status, known.json["kind"]) == (404, "Http")
        assert shared_house.ask("POST", path, {}, Authorization=None, **html).status == 401
    for path in ("/v1/memories", "/v1/nowhere", "/mcp", "/metrics", "/openapi.json"):
        assert guest.get(path, **html).status == 401


def test_answers_say_how_they_may_be_used(guest: Visitor) -> None:
    """CSP without inline code, no frames, nothing kept; only files named by content are cached."""
    page = guest.get("/")
    policy = page.headers["content-security-policy"]
    assert "default-src 'self'" in policy
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
    assert page.headers["x-content-type-options"] == "nosniff"
    assert page.headers["cache-control"] == "no-store"
    assert b" style=" not in page.body
    assert b"<script>" not in page.body
    assert b" onclick" not in page.body
    address = page.body.decode().split('rel="stylesheet" href="')[1].split('"')[0]
    style = guest.house.ask("GET", address, Authorization=None)
    assert (style.status, style.headers["content-type"]) == (200, "text/css; charset=utf-8")
    assert "immutable" in style.headers["cache-control"]
    assert guest.get(address.replace("saegim.css", "../site.py")).status == 404
    assert guest.get(address.replace("saegim.css", "vendor/vendored.toml")).status == 404


def test_a_token_in_the_address_is_refused_on_pages_too(guest: Visitor) -> None:
    """What is in an address is written into histories and logs."""
    assert guest.get(f"/?token={guest.house.token}").status == 400


def test_no_program_can_approve(house: Front) -> None:
    """The bearer token reads and writes, but no address that takes it answers a proposal."""
    id = house.save("할머니의 칭찬을 영원히 기억하고 싶다.")
    asked = house.ask("POST", f"/v1/proposals/{id}/ask", {})
    proposal = asked.json["proposal"]["id"]
    assert house.ask("POST", f"/v1/proposals/{proposal}/ask", {}).json["status"] == "open"
    fields = {"answer": "yes", "word": "yes", "version": asked.json["proposal"]["version"]}
    said = {"Content_Type": FORM}
    raw = urlencode(fields).encode()
    assert house.ask("POST", f"/proposals/{proposal}/answer", raw=raw, **said).status == 401
    assert "answer" not in {name for each in CATALOGUE.values() for name in each.name.split("_")}
    assert house.ask("GET", "/v1/proposals").json["items"][0]["state"] == "open"
    with pytest.raises(Refused):
        house.house.answer_on_page(proposal, True, "another version")
    visitor = let_in(house)
    for wrong in ({"word": ""}, {"word": "no"}, {"version": "0" * 32}):
        answer = f"/proposals/{proposal}/answer"
        page = visitor.after(answer, {**fields, **wrong, "back": "/proposals"})
        assert 'role="alert"' in page
    assert house.ask("GET", "/v1/proposals").json["total"] == 1
    visitor.after(f"/proposals/{proposal}/answer", {**fields, "back": "/proposals"})
    (held,) = house.ask("GET", "/v1/proposals?answered=true").json["items"]
    assert (held["state"], held["channel"], held["answered_by"]) == ("accepted", "page", "me")


def test_signing_out_closes_the_door(visitor: Visitor) -> None:
    """After that the cookie opens nothing, here and after a restart."""
    assert visitor.get("/").status == 200
    visitor.post("/out")
    assert visitor.get("/").status == 401


def test_strangers_are_slowed_down_and_guests_are_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who tries without a cookie again and again has to wait; who is in has not."""
    from doorbell import front

    # All in one instant: every twenty seconds one more may try.
    monkeypatch.setattr(rate_limit, "time", SimpleNamespace(monotonic=lambda: 100.0))
    with front(tmp_path / "served", wrong=3) as house:
        visitor = let_in(house)
        heard = [house.ask("GET", "/", Authorization=None).status for _ in range(5)]
        assert heard.count(429) == 2
        assert visitor.get("/").status == 200


def test_nothing_of_the_pages_is_loaded_before_the_first_is_asked_for() -> None:
    """A server that only programs use pays nothing for them."""
    code = (
        "import sys, saegim.serve.rest.run_server\n"
        "print([m for m in sys.modules if m.split('.')[0] == 'jinja2' "
        "or m.startswith('saegim.serve.web') and not m.endswith(('.web', '.door'))])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"

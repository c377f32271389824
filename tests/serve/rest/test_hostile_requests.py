"""Requests that mean harm: words stay words, bounds hold, and nothing ends in a fault of ours."""

from __future__ import annotations

import gzip
import json
from typing import Any
from urllib.parse import quote

import pytest
from doorbell import Front

from saegim import Saegim

SAVE = "/v1/memories"
SQL = (
    "'; DROP TABLE memory; --",
    '" OR 1=1 --',
    "') UNION SELECT text FROM memory --",
    "%' ESCAPE '\\",
    "${jndi:x} {{7*7}} $(id) `id`",
)
# What FTS5 would read as more than words.
SYNTAX = (
    '"',
    '"" OR ""',
    "*",
    "tea*",
    "^tea",
    "-tea",
    "NEAR(tea barley, 5)",
    "owner: me",
    "{text owner}: tea",
    "text: tea AND NOT kettle",
    "(" * 5_000,
    "tea OR " * 2_000 + "tea",
    "x" * 8_000,
    "+tea + + :",
    "tea\x00kettle",
)


def bodies() -> dict[str, tuple[bytes, dict[str, str], set[int]]]:
    """Return what is sent, with which headers, and the answers that are right."""
    text = b'{"text": "words", "happened_at": %s}'
    big = json.dumps({"text": "x" * 1_048_577}).encode()
    return {
        "65 one byte too many": (big, {}, {413}),
        "66 nested 100,000 deep": (b'{"text": ' + b"[" * 100_000, {}, {422}),
        "66 nested 900 deep": (b'{"text": ' + b"[" * 900 + b"]" * 900 + b"}", {}, {422}),
        "66 an integer of 5,000 digits": (text % (b"9" * 5_000), {}, {400, 422}),
        "66 beyond any number": (text % b"1e999", {}, {400, 422}),
        "66 not a number": (text % b"NaN", {}, {400, 422}),
        "66 a name twice": (b'{"text": "a", "text": "b"}', {}, {422}),
        "66 UTF-16": ('{"text": "words"}'.encode("utf-16"), {}, {400, 415, 422}),
        "66 a byte order mark": (b'\xef\xbb\xbf{"text": "words"}', {}, {400, 422}),
        "66 bytes that are no text": (b'{"text": "\xff\xfe"}', {}, {400, 422}),
        "67 half a character": (b'{"text": "\\ud800"}', {}, {422}),
        "67 half a character in a tag": (b'{"text": "a", "tags": ["\\udfff"]}', {}, {422}),
        "68 10,000 tags": (
            json.dumps({"text": "a", "tags": [f"t{n}" for n in range(10_000)]}).encode(),
            {},
            {422},
        ),
        "68 10,000 fields": (json.dumps({f"k{n}": 1 for n in range(10_000)}).encode(), {}, {422}),
        "68 a name of a megabyte": (json.dumps({"k" * 1_000_000: 1}).encode(), {}, {422}),
        "72 packed": (
            gzip.compress(b'{"text": "words"}'),
            {"Content_Encoding": "gzip"},
            {400, 415, 422},
        ),
    }


def kept(front: Front) -> int:
    """Return how many memories there are."""
    total: int = front.ask("GET", SAVE).json["total"]
    return total


def text_of(front: Front, id: str) -> str:
    """Return the words of a memory as the server tells them."""
    told: str = front.ask("GET", f"{SAVE}/{id}").json["memory"]["text"]
    return told


def kept_by_another(front: Front, text: str) -> str:
    """Keep a text of another user in the same store; return its id."""
    path = front.home / "saegim.db"
    with Saegim.open(path, user="you", embedder="hashed", background=False) as other:
        return other.remember(text).id


@pytest.mark.parametrize("name", bodies())
def test_a_hostile_body_is_refused_and_keeps_nothing(name: str, shared: Front) -> None:
    """FAULTS 65, 66, 67, 68 and 72: too much, too deep, no number, no text: 4xx, never a 5xx."""
    body, headers, right = bodies()[name]
    before = kept(shared)
    heard = shared.ask("POST", SAVE, raw=body, **{"Content_Type": "application/json", **headers})
    assert heard.status in right, heard
    assert heard.json["next_step"]
    assert kept(shared) == before


def test_a_body_within_every_bound_is_kept(shared: Front) -> None:
    """Control: the same request with plain words is taken, and counted."""
    before = kept(shared)
    body = json.dumps({"text": "plain words", "tags": ["t"]}).encode()
    assert shared.ask("POST", SAVE, raw=body, Content_Type="application/json").status == 200
    assert kept(shared) == before + 1


@pytest.mark.parametrize(
    "text", ["a\u0301" * 16_000, "\u202eegnaro", "nul \x00 inside"], ids=["marks", "turned", "nul"]
)
def test_odd_letters_are_kept_as_they_are_or_refused(text: str, shared: Front) -> None:
    """FAULTS 67: combining marks, marks of direction and NUL are text or a clear no."""
    heard = shared.ask("POST", SAVE, {"text": text, "source": "user"})
    assert heard.status in (200, 422), heard
    if heard.status == 200:
        assert text_of(shared, heard.json["id"]) == text


@pytest.mark.parametrize("sql", SQL)
def test_sql_in_any_field_is_a_string(sql: str, shared: Front) -> None:
    """FAULTS 56: as text, tag, key, project, question and id it is literal or refused."""
    fields: list[dict[str, Any]] = [
        {"text": f"note {sql}"},
        {"text": "note", "tags": [sql]},
        {"text": "note", "key": sql},
        {"text": "note", "related": [sql]},
        {"text": "note", "project": sql},
    ]
    for each in fields:
        heard = shared.ask("POST", SAVE, {**each, "source": "user"})
        assert heard.status in (200, 422), heard
        if heard.status == 200 and "note " in each["text"]:
            assert sql in text_of(shared, heard.json["id"])
    before = kept(shared)
    asked = shared.ask("POST", "/v1/search", {"query": sql})
    assert asked.status == 200, asked
    assert shared.ask("GET", f"{SAVE}/{quote(sql, safe='')}").status in (404, 422)
    assert shared.ask("GET", f"{SAVE}?session={quote(sql)}").status in (200, 422)
    assert kept(shared) == before > 0


@pytest.mark.parametrize("syntax", SYNTAX, ids=[each[:20] for each in SYNTAX])
def test_search_syntax_is_words(syntax: str, shared: Front) -> None:
    """FAULTS 39 and 57: quotes, columns, NEAR, stars and brackets find what their words find."""
    shared.save("barley tea on the second shelf")
    for path in ("/v1/search", "/v1/context"):
        heard = shared.ask("POST", path, {"query": syntax})
        assert heard.status in (200, 422), heard
        assert heard.status == 200 or len(syntax) > 1_000 or "\x00" in syntax


@pytest.mark.parametrize(
    "given",
    [
        {"limit": 10**9},
        {"limit": -1},
        {"limit": 0},
        {"limit": 1.5},
        {"limit": "many"},
        {"query": ""},
        {"query": "x" * 1_000_000},
        {"order_by": "text; DROP TABLE memory"},
        {"sort": "owner"},
        {"offset": 10**12},
    ],
    ids=lambda given: next(iter(given)) + str(next(iter(given.values())))[:10],
)
def test_a_question_out_of_bounds_is_refused(given: dict[str, Any], shared: Front) -> None:
    """FAULTS 59 and 69: no order or column by name, no endless list, no endless question."""
    heard = shared.ask("POST", "/v1/search", {"query": "tea", **given})
    assert heard.status in (200, 413, 422), heard
    if heard.status == 200:
        assert "query" in given, "a bound or a name that nobody knows was taken"


def test_a_cursor_of_one_s_own_making_is_refused(shared: Front) -> None:
    """FAULTS 69: there is no offset; what is no cursor of ours is an error, not the first page."""
    assert shared.ask("GET", f"{SAVE}?cursor=999999999999").status == 422
    assert shared.ask("GET", f"{SAVE}?limit=1").status == 200


def test_a_token_opens_its_own_user_s_memories_only(shared: Front) -> None:
    """FAULTS 38: another user in the body, the query or a header is refused or not heard."""
    theirs = kept_by_another(shared, "the letter of the harbour")
    for heard in (
        shared.ask("POST", "/v1/search", {"query": "letter harbour", "user": "you"}),
        shared.ask("GET", f"{SAVE}?user=you"),
        shared.ask("GET", SAVE, X_User="you", X_Saegim_User="you"),
        shared.ask("POST", "/v1/search", {"query": "letter harbour"}),
    ):
        assert heard.status in (200, 403, 422), heard
        assert "harbour" not in heard.body.decode().replace("letter harbour", "")
    with Saegim.open(shared.home / "saegim.db", user="you", background=False) as other:
        assert other.get(theirs).text.endswith("harbour")


def test_an_id_of_another_user_is_answered_like_one_that_never_was(shared: Front) -> None:
    """FAULTS 36 and 41: the same status and words; what is mine is found by the same address."""
    theirs = kept_by_another(shared, "the lamp in the window")
    never = theirs[:-4] + ("0000" if not theirs.endswith("0000") else "1111")
    told = []
    for id in (theirs, never):
        heard = shared.ask("GET", f"{SAVE}/{id}")
        told.append((heard.status, heard.body.decode().replace(id, "ID")))
    assert told[0] == told[1]
    assert told[0][0] == 404
    assert shared.ask("GET", f"{SAVE}/{shared.save('the lamp in the window')}").status == 200

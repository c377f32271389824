"""`saegim user` and `saegim token` of people who share a store, and which names they may have."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest
from saying import Say, kept
from terminals import on_a_terminal, plain

from saegim import Saegim
from saegim.errors import BadInput
from saegim.serve import access
from saegim.store.tables.people_table import Quota


def test_people_are_added_listed_limited_and_removed(say: Say) -> None:
    """Each step says what holds now and what comes next."""
    kept(say, "the boiler is serviced in May")
    alone = say("--json", "user", "list").json
    assert alone == {"users": [], "own": "me"}
    made = say("--json", "user", "add", "minji", "--memories", "100", "--requests", "9").json
    assert made["limits"] == {
        "memories": 100, "bytes": None, "requests": 9, "model_calls": None,
    }  # fmt: skip
    assert "saegim token new --user" in say("user", "add", "hyunwoo").out
    kept(say, "알레르기: 새우", "--user", "minji")
    told = say("--json", "user", "list").json["users"]
    assert [(each["name"], each["memories"], each["bytes"]) for each in told] == [
        ("hyunwoo", 0, 0),
        ("minji", 1, len("알레르기: 새우".encode())),
    ]
    limited = say("--json", "user", "limit", "minji", "--memories", "-1", "--bytes", "7").json
    assert limited["limits"]["memories"] is None
    assert (limited["limits"]["bytes"], limited["limits"]["requests"]) == (7, 9)
    assert "새우" not in say("recall", "알레르기").out
    assert say("user", "remove", "minji").code == 0
    assert "새우" in say("--user", "minji", "recall", "알레르기").out
    for line, word in ((("user", "remove", "minji"), "list"), (("user", "limit", "x"), "list")):
        assert word in say(*line).err
    for line in (("user", "paint", "x"), ("user", "add"), ("token", "paint"), ("token", "new")):
        assert say(*line).code == 2, line


def test_a_name_is_not_given_away_with_the_memories_under_it(say: Say) -> None:
    """Whoever had it before, or used it on this machine, is not read by who comes after."""
    kept(say, "알레르기: 새우", "--user", "minji")
    refused = say("user", "add", "minji")
    assert (refused.code, "--with-memories" in refused.err) == (2, True)
    assert say("--json", "user", "list").json["users"] == []
    assert say("user", "add", "minji", "--with-memories").code == 0
    say("user", "remove", "minji")
    assert say("user", "add", "minji").code == 2


def test_tokens_are_told_once_listed_without_themselves_and_revoked(say: Say) -> None:
    """Label, rights, end and last use; the token is nowhere but in the first answer."""
    say("user", "add", "minji")
    made = say(
        "--json", "token", "new", "--user", "minji", "--label", "phone", "--rights", "read",
        "--days", "30",
    ).json  # fmt: skip
    boss = say("--json", "token", "new", "--administrator").json
    assert access.looks_like_token(made["token"])
    assert (made["user"], made["rights"], made["label"]) == ("minji", ["read"], "phone")
    assert (boss["user"], boss["rights"], boss["expires_at"]) == ("", ["people"], None)
    listed = say("--json", "token", "list").json["tokens"]
    assert {each["id"] for each in listed} == {made["id"], boss["id"]}
    shown = say("token", "list", "--user", "minji").out
    assert made["token"] not in shown + str(listed)
    assert made["id"] in shown
    assert boss["id"] not in shown
    gone = say("--json", "token", "revoke", made["id"]).json
    assert gone["revoked_at"]
    assert "revoked" in say("token", "list").out
    for line in (
        ("token", "new", "--user", "nobody"),
        ("token", "new", "--user", "minji", "--rights", "paint"),
        ("token", "new", "--user", "minji", "--rights", ""),
        ("token", "new", "--user", "minji", "--days", "0"),
        ("token", "new", "--user", "minji", "--label", "x" * 81),
        ("token", "revoke"),
        ("token", "revoke", "token_nothing"),
    ):
        told = say(*line)
        assert told.code != 0, line
        assert told.err, line
    assert len(say("--json", "token", "list").json["tokens"]) == 2


def test_the_token_of_a_single_person_is_where_it_was(say: Say, tmp_path: Path) -> None:
    """Without an action nothing has changed: one file, made when it is first asked for."""
    told = say("--json", "token").json
    assert told == {"token_file": str(tmp_path / "home" / "token"), "new": False}
    assert not (tmp_path / "home" / "saegim.db").exists(), "no store is opened for it"


def test_an_agent_lets_nobody_in(say: Say, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who is let in is for a person to say; a list may be read."""
    say("user", "add", "minji")
    monkeypatch.setenv("CLAUDECODE", "1")
    for line in (
        ("user", "add", "sora"),
        ("user", "remove", "minji"),
        ("user", "limit", "minji", "--memories", "1"),
        ("token", "new", "--user", "minji"),
        ("token", "revoke", "x"),
    ):
        assert "agent" in say(*line).err.lower(), line
    assert len(say("--json", "user", "list").json["users"]) == 1


# -- names ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    [
        "", " ", "*", "%", "mi%ji", "mi'nji", 'mi"nji', "mi;nji", "mi\\nji", "../minji",
        "mi\x00nji", "mi\nnji", "m" * 4000, " minji", "minji ", "mi\u200bnji",
        "mi\u202enji", "\ud800minji", "agent:shop", "mi\u3164nji", "mi\u115fnji", "m\u0456nji",
        "mіnjі", "ΑBC", "\u3164",
    ],
)  # fmt: skip
def test_names_that_could_be_several_or_nobody_are_refused(tmp_path: Path, name: str) -> None:
    """FAULTS 37: wildcards, quotes, paths, unseen letters, two alphabets, the owner of an agent."""
    with Saegim.open(tmp_path / "s.db", background=False) as memory:
        with pytest.raises(BadInput) as refused:
            access.add_person(memory, name, Quota())
        assert refused.value.next_step
        assert memory.mind.store.people.all() == []
        access.add_person(memory, "민지 Kim", Quota())


@pytest.mark.parametrize("other", ["Minji", "MINJI", "ｍｉｎｊｉ", "minjı"])
def test_two_names_that_look_the_same_are_not_both_here(tmp_path: Path, other: str) -> None:
    """Case, width, a letter without its dot; also beside a name that only has memories."""
    with Saegim.open(tmp_path / "s.db", background=False) as memory:
        access.add_person(memory, "minji", Quota())
        memory.within(user="sora").remember("a name that nobody added")
        for name in (other, "Sora"):
            with pytest.raises(BadInput, match="looks like"):
                access.add_person(memory, name, Quota())
        assert [each.name for each in memory.mind.store.people.all()] == ["minji"]
        access.add_person(memory, "minjee", Quota())


def test_a_word_of_another_alphabet_that_looks_the_same_is_refused(tmp_path: Path) -> None:
    """Wholly Cyrillic, it mixes nothing; one that looks like nobody is welcome."""
    with Saegim.open(tmp_path / "s.db", background=False) as memory:
        access.add_person(memory, "cop", Quota())
        with pytest.raises(BadInput, match="looks like"):
            access.add_person(memory, "\u0441\u043e\u0440", Quota())
        access.add_person(memory, "\u0416\u0435\u043d\u044f", Quota())


def test_a_name_is_the_same_composed_and_decomposed(tmp_path: Path) -> None:
    """A Mac types NFD; the person is one, and every door knows them by NFC."""
    name = "김민지"
    apart = unicodedata.normalize("NFD", name)
    assert apart != name
    with Saegim.open(tmp_path / "s.db", background=False) as memory:
        assert access.add_person(memory, apart, Quota()).name == name
        with pytest.raises(BadInput, match="already"):
            access.add_person(memory, name, Quota())
        with pytest.raises(BadInput):
            memory.within(user=apart)
        assert access.new_token(memory, name)[1].owner == name


# -- one file that the settings name --------------------------------------------------------------


def test_the_soul_file_of_one_is_not_shown_to_another(tmp_path: Path) -> None:
    """SOUL.md is named once, by whose machine it is; nobody else reads or writes it."""
    with Saegim.open(tmp_path / "s.db", background=False, soul_path="SOUL.md") as memory:
        (tmp_path / "SOUL.md").write_text("# I am the keeper of the lighthouse\n", encoding="utf-8")
        assert "lighthouse" in memory.soul.check().disk
        access.add_person(memory, "minji", Quota())
        theirs = memory.within(user="minji")
        told = theirs.soul.check()
        assert (told.path, told.disk, told.difference) == ("", "", "")
        with pytest.raises(BadInput):
            theirs.soul.propose_file()


def test_a_backup_brings_no_revoked_token_back(tmp_path: Path) -> None:
    """What was revoked after the backup was made stays so; what still held goes on."""
    with Saegim.open(tmp_path / "s.db", background=False) as memory:
        memory.remember("somebody lives here")
        for name in ("minji", "sora"):
            access.add_person(memory, name, Quota())
        lost, row = access.new_token(memory, "minji", label="lost phone")
        gone, _ = access.new_token(memory, "sora")
        holds, _ = access.new_token(memory, "minji")
        code = access.new_link(memory, "sora")
        saved = memory.maintenance.backup().path
        store, now = memory.mind.store, memory.mind.now()
        store.tokens.revoke(row.id, "minji", now)
        store.people.remove("sora")
        memory.maintenance.restore_backup(saved)
        door = access.Access(lambda: memory)
        assert store.people.is_here("sora"), "the people of the backup are here again"
        assert [door.by_token(each) for each in (lost, gone)] == [None, None]
        assert door.admit(code) is None
        assert door.by_token(holds) is not None
    with Saegim.open(tmp_path / "new" / "s.db", background=False) as elsewhere:
        elsewhere.maintenance.restore_backup(saved)
        moved = access.Access(lambda: elsewhere)
        assert moved.by_token(lost) is not None, "the control: a new house knows of no revoking"


# -- the link at a terminal -----------------------------------------------------------------------


def test_a_link_for_nobody_is_not_given(say: Say) -> None:
    """Without a server, or to a program, there is no link."""
    say("user", "add", "minji")
    assert say("open", "--user", "minji").code != 0
    code, seen = on_a_terminal("open", "--user", "minji", "--no-browser")
    assert code != 0
    assert "saegim serve" in plain(seen)

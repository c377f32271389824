"""Status by hand: clients that are connected, files that go out and come in, hooks and backups."""

from __future__ import annotations

import base64
import html
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from desk import Desk
from doorbell import front
from playwright.sync_api import expect
from visitor import Visitor, let_in

from saegim.serve.clients import roster
from saegim.serve.hooks import journal
from saegim.serve.hooks.transcript_position import roots
from stand_ins import wait_until

PATIENCE = 120.0


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder of nobody, with two clients in it."""
    home = tmp_path / "somebody"
    (home / ".claude").mkdir(parents=True)
    (home / ".cursor").mkdir()
    (home / ".cursor" / "mcp.json").write_text('{\n  // mine\n  "mcpServers": {}\n}\n')
    made = roster.Machine(home, "linux", {"PATH": ""})
    monkeypatch.setattr(roster.Machine, "here", classmethod(lambda _: made))
    return home


def _version(page: str) -> str:
    found = re.search(r'name="version" value="(\w{64})"', page)
    assert found is not None
    return found[1]


def test_a_client_is_connected_by_what_was_shown_and_left_as_it_was(
    visitor: Visitor, machine: Path
) -> None:
    """The diff is on the page before a byte is written; the way back restores every byte."""
    file = machine / ".cursor" / "mcp.json"
    was = file.read_bytes()
    page = visitor.get("/status/clients/cursor").body.decode()
    assert "<ins>+" in page
    assert "saegim" in page
    assert file.read_bytes() == was
    at = "/status/clients/cursor"
    fields = {"act": "connect", "version": _version(page), "back": at}
    assert "is connected" in visitor.after(at, fields)
    held = file.read_text()
    assert "// mine" in held
    command = json.loads(held.replace("// mine", ""))["mcpServers"]["saegim"]
    assert command["args"][-1] == "mcp"
    # This store is not where a client would look by itself.
    assert str(visitor.house.home / "saegim.db") in command["args"]
    shown = visitor.get("/status").body.decode()
    assert "Disconnect" in shown
    page = visitor.get(at).body.decode()
    assert "<del>-" in page
    fields = {"act": "disconnect", "version": _version(page), "back": at}
    assert "no longer connected" in visitor.after(at, fields)
    assert file.read_bytes() == was


def test_a_file_that_changed_since_it_was_shown_is_not_written(
    visitor: Visitor, machine: Path
) -> None:
    """A button counts for the change that stood beside it; control: the change of now is taken."""
    file, at = machine / ".cursor" / "mcp.json", "/status/clients/cursor"
    page = visitor.get(at).body.decode()
    changed = '{"mcpServers": {"other": {"command": "x"}}}\n'
    file.write_text(changed)
    fields = {"act": "connect", "version": _version(page), "back": at}
    told = visitor.after(at, fields)
    assert 'role="alert"' in told
    assert file.read_text() == changed
    visitor.after(at, {**fields, "version": _version(visitor.get(at).body.decode())})
    assert "saegim" in file.read_text()
    assert visitor.get("/status/clients/emacs").status == 404


def test_hooks_come_with_claude_code_and_its_sessions_are_heard_from_then_on(
    visitor: Visitor, machine: Path
) -> None:
    """Server and hooks in their two files, and the folder of transcripts is watched."""
    at = "/status/clients/claude-code"
    page = visitor.get(at).body.decode()
    assert page.count("difference") >= 2
    visitor.after(at, {"act": "connect", "version": _version(page), "back": at})
    assert "saegim" in (machine / ".claude.json").read_text()
    assert "hook" in (machine / ".claude" / "settings.json").read_text()
    (watched,) = roots(visitor.house.home)
    assert watched.folder == str(machine / ".claude" / "projects")


def _arrived(visitor: Visitor) -> str:
    wait_until(lambda: "every 1s" not in visitor.get("/status/transfer").body.decode(), PATIENCE)
    return visitor.get("/status").body.decode()


def _send(visitor: Visitor, name: str, data: bytes, step: int = 4096) -> int:
    status = 0
    for at in range(0, len(data) or 1, step):
        part = base64.b64encode(data[at : at + step]).decode()
        last = "yes" if at + step >= len(data) else "no"
        fields = {"name": name, "at": str(at), "data": part, "last": last}
        status = visitor.post("/status/import/piece", fields, HX_Request="true").status
    return status


def test_everything_goes_out_and_comes_in_elsewhere(visitor: Visitor, tmp_path: Path) -> None:
    """What one store wrote is looked at in another, and only then taken in, whole."""
    texts = [f"Letter number {n} from the lighthouse." for n in range(30)]
    for each in texts:
        visitor.house.save(each)
    visitor.post("/status/export", {"form_of_file": "jsonl"})
    page = _arrived(visitor)
    assert "30 memories written" in page
    heard = visitor.get("/status/export/file")
    assert "attachment" in heard.headers["content-disposition"]
    assert heard.body.startswith(b'{"saegim":"export"')
    with front(tmp_path / "other") as house:
        other = let_in(house)
        assert _send(other, "mine.jsonl", heard.body) == 200
        page = html.unescape(_arrived(other))
        assert "Take in 30" in page
        assert house.house.memory.search("lighthouse") == []
        other.post("/status/import/take")
        assert "30" in _arrived(other)
        found = house.house.memory.search("lighthouse", limit=50)
        assert {each.text for each in found} == set(texts)
        other.post("/status/import/drop")
        assert list((house.home / "transfers").iterdir()) == []
        assert other.get("/status/export/file").status == 404


def test_what_is_no_file_of_memories_is_told_and_changes_nothing(visitor: Visitor) -> None:
    """Pieces out of order, what is no base64, a form nobody writes, a file of something else."""
    before = visitor.get("/pulse").json["ledger"]
    for fields in (
        {"name": "x", "at": "5", "data": "YQ==", "last": "yes"},
        {"name": "x", "at": "0", "data": "%%%", "last": "yes"},
        {"name": "x", "at": "x", "data": "", "last": "yes"},
    ):
        assert visitor.post("/status/import/piece", fields, HX_Request="true").status == 422
    assert visitor.post("/status/import/take").status == 422
    assert visitor.post("/status/export", {"form_of_file": "exe"}).status == 422
    assert _send(visitor, "../../<i>.bin", b"\x00\x01 nothing of ours") == 200
    page = _arrived(visitor)
    assert 'role="alert"' in page
    assert "<i>" not in page
    assert str(visitor.house.home) not in page
    assert {each.parent.name for each in (visitor.house.home / "transfers").iterdir()} == {
        "transfers"
    }
    assert visitor.get("/pulse").json["ledger"] == before


def test_status_says_what_hooks_lost_and_caught_up_and_which_backups_lie_there(
    visitor: Visitor,
) -> None:
    """Each cut and each catch-up by its line, each backup with its time and size."""
    home = visitor.house.home
    assert "no backup yet" in visitor.get("/status").body.decode().lower()
    journal.note(home, "prompt", f"{journal.CUT_OFF}: heard later")
    for _ in range(2):
        visitor.after("/status/backup", {"back": "/status"})
    page = visitor.get("/status").body.decode()
    assert "heard later" in page
    told = visitor.house.ask("GET", "/v1/backups").json["told"]["backups"]
    assert len(told) == 2
    assert told[0]["at"] > told[1]["at"]
    assert page.count(" MB</dd>") == 2


@pytest.mark.parametrize("language", ["en", "ko"])
def test_by_hand_in_a_browser(
    language: str, sit: Callable[..., Desk], machine: Path, tmp_path: Path
) -> None:
    """Connect and disconnect; write out, fetch, choose the file again, and take it in."""
    desk = sit(language, own=True)
    desk.memory.remember(f"A {language} ferry ticket for two.")
    page = desk.to("/status")
    page.locator("a[href='/status/clients/cursor']").click()
    expect(page.locator(".difference ins").first).to_be_visible()
    page.get_by_role("button", name=desk.says("connect"), exact=True).click()
    expect(page.locator(".notice")).to_contain_text("Cursor")
    page.locator("a[href='/status/clients/cursor']").click()
    page.get_by_role("button", name=desk.says("disconnect"), exact=True).click()
    expect(page.locator(".notice")).to_contain_text("Cursor")
    page.get_by_role("button", name=desk.says("transfer_out"), exact=True).click()
    with page.expect_download() as saved:
        page.locator("a[download]").click()
    held = tmp_path / "out.jsonl"
    saved.value.save_as(held)
    line = {"memory": {"id": f"mem_{language}", "text": f"A {language} ferry ticket back."}}
    first = json.loads(held.read_text().splitlines()[1])["memory"]
    line["memory"] = {**first, "id": first["id"][:-2] + language.upper(), **line["memory"]}
    line["memory"]["id"] = first["id"][:-2] + language.upper()
    held.write_text(held.read_text().splitlines()[0] + "\n" + json.dumps(line) + "\n")
    page.get_by_role("button", name=desk.says("transfer_drop")).click()
    page.locator("#bring").set_input_files(held)
    page.get_by_role("button", name=desk.says("transfer_take", count=1)).click()
    expect(page.get_by_role("button", name=desk.says("transfer_drop"))).to_be_visible()
    assert [each.text for each in desk.memory.search(f"{language} ferry back")] == [
        f"A {language} ferry ticket back."
    ]
    page.get_by_role("button", name=desk.says("transfer_drop")).click()
    expect(page.locator("a[download]")).to_have_count(0)

"""Shorter forms anew: what came without a brief or triples gets them by night, its words stay."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from saegim import Saegim
from sleep.stages.ageing import kept, lines, night, stands
from stand_ins import shelve

Opened = Callable[..., Saegim]
LONG = {
    "ko": "지난주부터 사무실 이전 준비 때문에 모두가 바빴다. 민수는 부산에 산다. "
    "그래서 매주 금요일 저녁마다 기차를 타고 내려가고, 월요일 아침 첫차로 다시 올라와 "
    "곧바로 회의실로 향한다. 짐은 늘 배낭 하나뿐이다.",
    "en": "Everybody was busy with moving the office last week. Minsu lives in Busan. So he takes "
    "the train down every Friday evening and comes back on the first one on Monday.",
}


@pytest.mark.parametrize("language", ["ko", "en"])
def test_what_came_without_shorter_forms_gets_them(memory: Saegim, language: str) -> None:
    """Seed C layer 4, resolution regeneration: a brief of at most 100 letters, and triples."""
    (id,) = shelve(memory, [LONG[language]])
    before = stands(memory, id)
    assert (before.content.brief, before.content.triples) == (None, ())
    assert night(memory, "renew") == {"retold": 1}
    after = stands(memory, id)
    assert after.content.brief
    assert len(after.content.brief) <= 100
    assert any("Minsu" in triple[0] or "민수" in triple[0] for triple in after.content.triples)
    assert after.text == LONG[language], "the words stay as they are"


def test_an_import_without_shorter_forms_gets_them(opened: Opened, tmp_path: Path) -> None:
    """Seed C layer 4 on the way people meet it: memories of an older export, brought in plainly."""
    source = opened()
    for text in LONG.values():
        source.remember(text)
    source.export_to(tmp_path / "all.jsonl")
    rows = [json.loads(line) for line in (tmp_path / "all.jsonl").read_text("utf-8").splitlines()]
    plain = [_plain(row) for row in rows]
    told = "\n".join(json.dumps(row, ensure_ascii=False) for row in plain)
    (tmp_path / "plain.jsonl").write_text(told, encoding="utf-8")
    memory = opened()
    memory.import_from(tmp_path / "plain.jsonl")
    brought = [each.id for each in memory.recent().memories]
    assert len(brought) == 2
    assert [stands(memory, id).content.brief for id in brought] == [None, None]
    night(memory, "renew")
    assert all(stands(memory, id).content.brief for id in brought)
    assert all(stands(memory, id).content.triples for id in brought)


def _plain(row: dict[str, Any]) -> dict[str, Any]:
    """Return a line of an export without what was read in the words."""
    for name in ("brief", "triples"):
        row.get("memory", {}).get("content", {}).pop(name, None)
    return row


def test_each_is_read_once(memory: Saegim) -> None:
    """U5.1: one line in the ledger for each that was retold, and none the next night."""
    ids = shelve(memory, list(LONG.values()))
    night(memory, "renew")
    assert sorted(each.subject for each in lines(memory, "Retold")) == sorted(ids)
    assert night(memory, "renew") == {}


def test_what_has_its_shorter_forms_is_left_alone(memory: Saegim) -> None:
    """The control: a text that was read when it was kept, and one too short to be shortened."""
    memory.remember(LONG["ko"])
    memory.remember("보리차")
    assert night(memory, "renew") == {}


def test_what_is_immutable_is_not_retold(memory: Saegim) -> None:
    """DESIGN 4b: an immutable memory is never rewritten, not even its short form."""
    fixed = kept(memory, LONG["en"], immutable=True)
    plain = kept(memory, LONG["ko"])
    night(memory, "renew")
    assert stands(memory, fixed).content.brief is None
    assert stands(memory, plain).content.brief

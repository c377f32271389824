"""A head that was signed shows later that nothing before it was changed (seed A §3.3)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from saegim import Saegim
from saegim.errors import BadInput, LedgerBroken
from saegim.federation.keys import is_signed
from saegim.federation.ledger_head import KEY, compare, sign


@pytest.fixture
def memory(tmp_path: Path) -> Saegim:
    """A memory with a few lines in its ledger."""
    held = Saegim.open(tmp_path / "a" / "saegim.db", user="지민", background=False)
    held.remember("우산은 현관에 있다")
    return held


def test_what_was_signed_still_stands_after_more_was_kept(memory: Saegim, tmp_path: Path) -> None:
    """The signature holds for the lines there were, whatever came later; one key signs all."""
    file, home = tmp_path / "head.json", tmp_path / "a"
    at: dict[str, Any] = {"scope": memory.scope, "mind": memory.mind}
    with memory:
        told = sign(file, home, **at)
        memory.remember("열쇠는 서랍에 있다")
        found = compare(file, **at)
        again = sign(file, home, **at)
    assert (found["length"], found["head"]) == (told["length"], told["head"])
    assert (again["public"], again["length"] > told["length"]) == (told["public"], True)
    assert (home / KEY).stat().st_mode & 0o077 == 0
    assert not is_signed(told["public"], b"another message", bytes.fromhex(told["signature"]))


def test_a_ledger_that_was_put_in_its_place_is_found_by_the_signature_alone(
    memory: Saegim, tmp_path: Path
) -> None:
    """Another whole ledger verifies, which is the control; beside the signed head it does not."""
    file = tmp_path / "head.json"
    with memory:
        sign(file, tmp_path / "a", scope=memory.scope, mind=memory.mind)
    with Saegim.open(tmp_path / "b" / "saegim.db", user="지민", background=False) as other:
        other.remember("우산은 현관에 없다")
        length, _ = other.maintenance.verify()
        assert length > 0
        with pytest.raises(LedgerBroken, match="not the one that was signed"):
            compare(file, scope=other.scope, mind=other.mind)


@pytest.mark.parametrize("what", ["length", "head", "at", "public", "user", "signature"])
def test_a_file_that_was_changed_says_nothing(memory: Saegim, tmp_path: Path, what: str) -> None:
    """Each word is under the signature; what is no such file is refused and named."""
    file = tmp_path / "head.json"
    with memory:
        at: dict[str, Any] = {"scope": memory.scope, "mind": memory.mind}
        sign(file, tmp_path / "a", **at)
        told = json.loads(file.read_text("utf-8"))
        if what == "length":
            told[what] += 1
        else:  # another letter, whatever stood there: one signature in sixteen ends in "00"
            told[what] = told[what][:-1] + ("1" if told[what].endswith("0") else "0")
        file.write_text(json.dumps(told), "utf-8")
        with pytest.raises(BadInput, match="signature"):
            compare(file, **at)
        file.write_text("[]", "utf-8")
        with pytest.raises(BadInput, match="no signed head"):
            compare(file, **at)

"""The head of a ledger, signed: whoever keeps it can show that nothing before it was changed.

The key lies beside the store, so that a signature proves nothing against who owns both; the file
does, where it was put out of their reach.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

from saegim.errors import BadInput, LedgerBroken
from saegim.federation.keys import KeyPair, is_signed, read_own, refuse_missing_extra, written
from saegim.memory.clock import iso
from saegim.memory.memory import Scope
from saegim.mind import Mind
from saegim.store.sidecar import LastLine

KEY: Final = "ledger-head.key"
_SIGNED: Final = ("user", "length", "head", "at", "public")
_MOST: Final = 65_536


def sign(file: Path, home: Path, *, scope: Scope, mind: Mind) -> dict[str, Any]:
    """Verify the ledger and write its head with a signature; the key is made where none lies."""
    refuse_missing_extra()
    length, head = mind.store.ledger.verify(scope)
    held = read_own(home / KEY)
    key = KeyPair.of(bytes.fromhex(held)) if held else KeyPair.new()
    if not held:
        written(home / KEY, key.secret.hex())
    told: dict[str, Any] = dict(
        zip(_SIGNED, (scope.user, length, head, iso(mind.now()), key.public), strict=True)
    )
    told["signature"] = key.sign(_message(told)).hex()
    file.write_text(json.dumps(told, ensure_ascii=False, indent=2) + "\n", "utf-8")
    return told


def compare(file: Path, *, scope: Scope, mind: Mind) -> dict[str, Any]:
    """Return what a signed head says, if its signature holds and its line still stands here."""
    refuse_missing_extra()
    try:
        with file.open(encoding="utf-8") as held:
            told = json.loads(held.read(_MOST))
        line = LastLine(int(told["length"]), str(told["head"]))
        good = is_signed(str(told["public"]), _message(told), bytes.fromhex(told["signature"]))
    except (KeyError, TypeError, ValueError) as error:
        raise BadInput("federation.no_signed_head", path=file) from error
    if not good:
        raise BadInput("federation.signature_is_wrong", path=file)
    if told["user"] != scope.user:
        raise BadInput("federation.head_of_another", user=told["user"])
    if line.seq and not mind.store.ledger.holds(scope.user, line):
        raise LedgerBroken("federation.line_not_as_signed", length=line.seq)
    return {name: told[name] for name in _SIGNED}


def _message(told: dict[str, Any]) -> bytes:
    signed = {name: told[name] for name in _SIGNED}
    return b"saegim ledger head\n" + json.dumps(signed, sort_keys=True).encode()

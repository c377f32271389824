"""Why a server could not be spoken to, in our own words: each reason with its next step."""

from __future__ import annotations

from typing import Final

from saegim.errors import StoreError, StoreMissing

# How the library that connects says what is wrong, where no code comes with it.
_REFUSALS: Final = (
    ("28P01", "password authentication failed", "store.server_password"),
    ("28000", "no pg_hba.conf entry", "store.server_not_allowed"),
    ("28000", "role ", "store.server_role"),
    ("3D000", "does not exist", "store.server_database"),
    ("53300", "too many clients", "store.server_is_full"),
    ("57P03", "starting up", "store.server_is_starting"),
    ("", "No such file or directory", "store.server_socket"),
    ("", "could not translate host name", "store.server_host"),
    ("", "Name or service not known", "store.server_host"),
    ("", "nodename nor servname", "store.server_host"),
    ("", "onnection refused", "store.server_refuses"),
    ("", "no password supplied", "store.server_password"),
)


def unreachable(code: str, text: str, kind: str, place: str) -> StoreError:
    """Return our error for a server that could not be spoken to; no word of the address in it."""
    for wanted, part, key in _REFUSALS:
        if (code and code == wanted and part in text) or (not code and part in text):
            return StoreMissing(key, path=place)
    return StoreMissing("store.server_unreachable", path=place, why=kind)

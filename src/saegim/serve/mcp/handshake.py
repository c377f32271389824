"""`Handshake`: answers a client's first questions before the SDK is loaded, in the SDK's own words.

Loading the SDK takes about a second; a client that waits for `initialize` and `tools/list` need
not. What is said here was written down from the SDK itself (handshake.json; a test holds them
against each other), and everything else is left to it: the opening is replayed, its answer dropped.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from saegim.serve.backend import handshake

Json = dict[str, Any]
VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
_CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities"
_CLIENT_KEY = "io.modelcontextprotocol/clientInfo"
_PROGRESS_KEY = "progressToken"
_EMPTY: Json = {}
# The opening is replayed under an id that no client uses.
OWN_ID = "saegim: on the doorstep"
# Whatever is shaped otherwise than these is left to the SDK, which knows every shape there is.
_MESSAGE = frozenset({"jsonrpc", "id", "method", "params"})
_CLIENT = frozenset({"name", "version", "title", "description", "websiteUrl"})
_OPENING = frozenset({"protocolVersion", "capabilities", "clientInfo", "_meta"})
_FLAG = "listChanged"
_CALL = frozenset({"name", "arguments", "_meta"})
# What is asked all day; none of them asks a person anything, or lasts.
DAILY = frozenset({"memory_search", "auto_search", "memory_save", "memory_get"})


def _is_token(value: object) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool)


def _is_client(value: object) -> bool:
    """Say whether this names a client and nothing but plain words about it."""
    if not isinstance(value, dict) or not {"name", "version"} <= set(value) <= _CLIENT:
        return False
    return all(isinstance(each, str) for each in value.values())


def _are_capabilities(value: object) -> bool:
    """Say whether these are capabilities as clients usually tell them: objects and one flag."""
    if not isinstance(value, dict):
        return False
    return all(
        isinstance(each, bool) if name == _FLAG else _are_capabilities(each)
        for name, each in value.items()
    )


class PlainCall(NamedTuple):
    """A call of all day, written plainly: which, with what, and whose shape its answer has."""

    id: str | int
    name: str
    arguments: Json
    is_modern: bool


class Handshake:
    """The first words of one connection; `answer` returns None for what the SDK must hear."""

    def __init__(self, profile: str, told: Mapping[str, Any] | None = None) -> None:
        self._told = told if told is not None else handshake()
        self.modern: str = self._told["modern_version"]
        self._profile = profile
        self._opened = ""
        # What opened the connection here must be replayed to the SDK, whose answer is dropped.
        self.replay: list[Json] = []

    def answer(self, message: object) -> Json | None:
        """Return the answer to a message, {} for one that needs none, None for the SDK's."""
        if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
            return None
        params = message.get("params", {})
        if set(message) - _MESSAGE or not isinstance(params, dict):
            return None
        if "id" not in message:
            return self._noted(message)
        if not _is_token(message["id"]):
            return None
        result = self._result(str(message.get("method")), params)
        if result is None:
            return None
        if not self._opened:
            self._open(message)
        return {"jsonrpc": "2.0", "id": message["id"], "result": result}

    def call(self, message: object) -> PlainCall | None:
        """Return a call that needs no SDK; nothing for one that is shaped otherwise."""
        # The SDK takes no call before the handshake has ended.
        waits = not self._opened or (self._opened == "legacy" and len(self.replay) < 2)
        if waits or not isinstance(message, dict) or set(message) != _MESSAGE:
            return None
        params = message["params"]
        if message["jsonrpc"] != "2.0" or message["method"] != "tools/call":
            return None
        return self.called(message["id"], params) if isinstance(params, dict) else None

    def called(self, id: object, params: Json) -> PlainCall | None:
        """Return the call that these parameters ask for, if it is one of all day."""
        name, arguments, meta = params.get("name"), params.get("arguments"), params.get("_meta", {})
        plain = not set(params) - _CALL and isinstance(arguments, dict) and isinstance(meta, dict)
        plain = plain and _is_token(id)
        if not plain or name not in DAILY or name not in self._told["profiles"][self._profile]:
            return None
        # Who wants to hear how far it is speaks with the SDK.
        era = "" if _PROGRESS_KEY in meta else self._era(meta)
        return PlainCall(id, name, arguments, era == "modern") if era else None  # type: ignore[arg-type]

    def called_at_once(self, message: object) -> PlainCall | None:
        """Return a plain call of the current revision, which needs no handshake."""
        if not isinstance(message, dict) or set(message) != _MESSAGE:
            return None
        params = message["params"]
        if message["jsonrpc"] != "2.0" or not isinstance(params, dict):
            return None
        found = self.called(message["id"], params)
        return found if found and found.is_modern and _CLIENT_KEY in params["_meta"] else None

    def _noted(self, message: Json) -> Json | None:
        """Keep the end of the handshake for the SDK; it needs no answer."""
        ends = message.get("method") == "notifications/initialized"
        if not ends or self._opened != "legacy" or message in self.replay:
            return None
        self.replay.append(message)
        return _EMPTY

    def _open(self, message: Json) -> None:
        self._opened = "legacy" if message["method"] == "initialize" else "modern"
        self.replay.append({**message, "id": OWN_ID})

    def _result(self, method: str, params: Json) -> Json | None:
        if method == "initialize":
            return None if self._opened else self._initialized(params)
        era = self._era(params.get("_meta", {}))
        known: Json = self._told[era] if era else {}
        if method not in known or set(params) - {"_meta"}:
            return None
        result: Json = known[method]
        if method == "tools/list":
            names = self._told["profiles"][self._profile]
            return {**result, "tools": [self._told["tools"][name] for name in names]}
        return result

    def _era(self, meta: object) -> str:
        """Return which era a request belongs to: it carries its version, or follows a handshake."""
        if not isinstance(meta, dict) or not _is_token(meta.get(_PROGRESS_KEY, "")):
            return ""
        more = set(meta) - {_PROGRESS_KEY}
        if not more:
            return "legacy" if self._opened == "legacy" else ""
        whole = more <= {VERSION_KEY, _CAPABILITIES_KEY, _CLIENT_KEY} and (
            meta.get(VERSION_KEY) == self.modern
            and _are_capabilities(meta.get(_CAPABILITIES_KEY))
            and (_CLIENT_KEY not in meta or _is_client(meta[_CLIENT_KEY]))
        )
        return "modern" if whole and self._opened != "legacy" else ""

    def _initialized(self, params: Json) -> Json | None:
        asked = params.get("protocolVersion")
        if set(params) - _OPENING or params.get("_meta", _EMPTY) != _EMPTY:
            return None
        if not isinstance(asked, str) or not _are_capabilities(params.get("capabilities")):
            return None
        if not _is_client(params.get("clientInfo")):
            return None
        versions = self._told["handshake_versions"]
        said: Json = self._told["legacy"]["initialize"]
        return {**said, "protocolVersion": asked if asked in versions else versions[-1]}

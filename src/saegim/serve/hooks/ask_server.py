"""Knocks at the server next door with the lightest of the standard library: sockets and JSON.

`nextdoor` does the same for processes that have time to load more. Whoever listens there shows
first that it knows the token; neither the token nor a word of anybody leaves before that (M10).
"""

from __future__ import annotations

import json
import os
import stat
import sys
import time
from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    import socket
    from typing import Any


_STORE = "saegim.db"
# Of the time that a hook has left, so much is given to the server.
_SHARE = 0.8
_MOST_SERVER_FILE = 16 * 1024
_MOST_TOKEN = 1000
_LEAST_TOKEN = 43
_MOST_ANSWER = 1 << 20
# The server takes a megabyte; what is pasted beyond this is heard from the transcript.
_MOST_ASKED = 900_000
# Nobody follows a link to a file of another name, nor waits for somebody at the end of a pipe.
_PLAINLY = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


class Unheard(Exception):
    """The server has what it was asked, and did not answer in time: perhaps it does it."""


def asked(
    address: str, home: str, store: str, body: dict[str, Any], end: float
) -> tuple[str, str] | None:
    """Return what the server here tells agent and person; nothing if none can be trusted.

    Raises Unheard where it is not known what became of the wish: done twice, it might be too much.
    """
    patience = _SHARE * (end - time.monotonic())
    told = exchanged(address, home, store, {**body, "ms": int(1000 * patience)}, patience, patience)
    text, sign = (told.get("text"), told.get("sign", "")) if told else (None, "")
    return (text, sign) if isinstance(text, str) and isinstance(sign, str) else None


def exchanged(
    address: str,
    home: str,
    store: str,
    body: dict[str, Any],
    proof: float,
    patience: float,
    version: str = "",
) -> dict[str, Any] | None:
    """Return what the server here answers; nothing if it takes no such wish, or none is trusted.

    It has `proof` seconds to show that it is ours, and `patience` for the answer.
    """
    found = neighbour(home, store or os.path.join(home, _STORE), version)
    data = json.dumps(body).encode("ascii")
    if found is None or proof <= 0 or len(data) > _MOST_ASKED:
        return None
    port, token = found
    end = time.monotonic() + patience
    try:
        line = import_module("socket").create_connection(("127.0.0.1", port), proof)
    except OSError:
        return None
    with line:
        head = f"Host: 127.0.0.1:{port}\r\n"
        try:
            prove(line, head, token, port)
        except (OSError, ValueError, RecursionError):
            return None
        known = f"Authorization: Bearer {token}\r\nContent-Type: application/json\r\n"
        request = f"POST {address} HTTP/1.1\r\n{head}{known}Content-Length: {len(data)}\r\n\r\n"
        try:
            line.settimeout(max(end - time.monotonic(), 0.001))
            status, told = _exchanged(line, request.encode() + data)
        except (OSError, ValueError, RecursionError) as error:
            raise Unheard(type(error).__name__) from error
    return told if status == 200 else None


def neighbour(home: str, store: str, version: str = "") -> tuple[int, str] | None:
    """Return the port and the token of the server that serves this store for this person.

    With a version, only one that is the same program as who asks.
    """
    try:
        server_file = json.loads(_ours(os.path.join(home, "server.json"), _MOST_SERVER_FILE))
        token = _ours(os.path.join(home, "token"), _MOST_TOKEN).strip()
        if not isinstance(server_file, dict) or not is_held(os.path.join(home, "server.lock")):
            return None
        person = _person(home)
    except (OSError, ValueError, RecursionError):
        return None
    port, pid = server_file.get("port"), server_file.get("pid")
    if not isinstance(port, int) or not isinstance(pid, int) or not 0 < port < 65_536:
        return None
    mine = server_file.get("store") == store and server_file.get("user") == person
    mine = mine and version in ("", server_file.get("version"))
    usable = len(token) >= _LEAST_TOKEN and token.isascii() and token.isprintable()
    if not (mine and usable and " " not in token and is_alive(pid)):
        return None
    return port, token


def prove(line: socket.socket, head: str, token: str, port: int) -> None:
    """Let who listens show that it knows the token; neither that nor a word is sent before (M10).

    The connection is the same afterwards, so what follows goes to the same one.
    """
    nonce = os.urandom(32).hex()
    status, told = _exchanged(line, f"GET /health?nonce={nonce} HTTP/1.1\r\n{head}\r\n".encode())
    said = f"saegim server\n127.0.0.1:{port}\n{nonce}".encode()
    hmac = import_module("hmac")
    known = hmac.digest(token.encode(), said, "sha256").hex()
    if status != 200 or not hmac.compare_digest(str(told.get("proof", "")), known):
        raise ValueError("it does not know the token")


def _exchanged(line: socket.socket, request: bytes) -> tuple[int, dict[str, Any]]:
    """Send one request and read one answer: its status, and the JSON object it holds."""
    line.sendall(request)
    held = b""
    while b"\r\n\r\n" not in held:
        part = line.recv(1 << 16)
        if not part or len(held) > _MOST_SERVER_FILE:
            raise ValueError("no answer")
        held += part
    head, _, body = held.partition(b"\r\n\r\n")
    lines = head.lower().split(b"\r\n")
    length = next((int(each[15:]) for each in lines if each.startswith(b"content-length:")), -1)
    if not 0 <= length <= _MOST_ANSWER:
        raise ValueError("an answer without an end")
    while len(body) < length:
        part = line.recv(1 << 16)
        if not part:
            raise ValueError("half an answer")
        body += part
    told = json.loads(body)
    if not isinstance(told, dict):
        raise ValueError("an answer that is no object")
    return int(head[9:12]), told


def _ours(path: str, most: int) -> str:
    """Return the beginning of a regular file that is this person's alone; ValueError if not."""
    handle = os.open(path, os.O_RDONLY | _PLAINLY)
    try:
        about = os.fstat(handle)
        shared = os.name == "posix" and (
            about.st_uid != os.geteuid() or about.st_mode & (stat.S_IRWXG | stat.S_IRWXO)
        )
        if not stat.S_ISREG(about.st_mode) or shared:
            raise ValueError("not ours alone")
        return os.read(handle, most).decode("utf-8", "replace")
    finally:
        os.close(handle)


def is_held(path: str) -> bool:
    """Say whether somebody holds a lock; who only looks keeps nobody else from looking."""
    handle = os.open(path, os.O_RDWR | _PLAINLY)
    try:
        if sys.platform == "win32":
            msvcrt = import_module("msvcrt")
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        else:
            fcntl = import_module("fcntl")
            fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(handle)
    return False


def _person(home: str) -> str:
    """Return whose memories these are when nobody says; as the settings of a home tell."""
    try:
        with open(os.path.join(home, "settings.toml"), "rb") as file:
            text = file.read()
    except FileNotFoundError:
        return "me"
    if b"user" not in text:
        return "me"
    named = import_module("tomllib").loads(text.decode("utf-8-sig")).get("user", "me")
    if not isinstance(named, str):
        raise ValueError("the user of the settings is no name")
    return named


def is_alive(pid: int) -> bool:
    """Say whether a process of this number is there."""
    if sys.platform == "win32":
        return True
    try:
        os.kill(pid, 0)
    except PermissionError:
        return True
    except (ProcessLookupError, OverflowError):
        return False
    return True

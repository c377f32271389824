"""A proxy between a store and its server that cuts their connection when a test says so."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress
from pathlib import Path

_COMMIT = b"COMMIT"


class CuttingProxy:
    """Listens on a socket of its own and passes everything on, until it is told to cut.

    `before`: the commit never reaches the server. `after`: the server commits, and its answer is
    lost. `half`: of that answer the first bytes arrive.
    """

    def __init__(self, server: Path, folder: Path) -> None:
        self.folder = folder
        self._server = str(server / ".s.PGSQL.5432")
        self._door = socket.socket(socket.AF_UNIX)
        self._door.bind(str(folder / ".s.PGSQL.5432"))
        self._door.listen()
        self.cut = ""
        self.cuts = 0
        self._open: list[socket.socket] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._door.accept()
            except OSError:
                return
            server = socket.socket(socket.AF_UNIX)
            server.connect(self._server)
            self._open += [client, server]
            lost = threading.Event()
            threading.Thread(target=self._ask, args=(client, server, lost), daemon=True).start()
            threading.Thread(target=self._answer, args=(client, server, lost), daemon=True).start()

    def _ask(self, client: socket.socket, server: socket.socket, lost: threading.Event) -> None:
        while data := _received(client):
            if self.cut and _COMMIT in data:
                self.cuts += 1
                if self.cut == "before":
                    self.cut = ""
                    break
                lost.set()
            if not _sent(server, data):
                break
        _end(client, server)

    def _answer(self, client: socket.socket, server: socket.socket, lost: threading.Event) -> None:
        while data := _received(server):
            if lost.is_set():
                if self.cut == "half":
                    _sent(client, data[:3])
                self.cut = ""
                break
            if not _sent(client, data):
                break
        _end(client, server)

    def close(self) -> None:
        """Let go of everything."""
        _end(self._door, *self._open)


def _received(source: socket.socket) -> bytes:
    try:
        return source.recv(1 << 16)
    except OSError:
        return b""


def _sent(target: socket.socket, data: bytes) -> bool:
    try:
        target.sendall(data)
    except OSError:
        return False
    return True


def _end(*ends: socket.socket) -> None:
    for each in ends:
        with suppress(OSError):
            each.shutdown(socket.SHUT_RDWR)
        each.close()

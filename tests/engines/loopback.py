"""A real HTTP server on this machine, for as long as a test needs it."""

from __future__ import annotations

import ssl
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self


class Loopback:
    """Listens on a free port of the loopback while it is entered.

    `answering` is the class that answers requests; it finds this object as `server_of`.
    """

    answering: type[BaseHTTPRequestHandler]
    context: ssl.SSLContext | None = None
    released: threading.Event
    faults: Any

    def __enter__(self) -> Self:
        own = type("Answering", (self.answering,), {"server_of": self})
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), own)
        if self.context is not None:
            self._http.socket = self.context.wrap_socket(self._http.socket, server_side=True)
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.released.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    @property
    def port(self) -> int:
        """Return the port the server listens on."""
        return int(self._http.server_address[1])

    @property
    def url(self) -> str:
        """Return where the server is."""
        return f"http://127.0.0.1:{self.port}"

    def fail(self, *faults: str) -> None:
        """Show these faults, one for each of the next requests."""
        self.faults.extend(faults)

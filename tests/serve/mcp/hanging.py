"""A server of a model that takes a request and says nothing until it is told to."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler

from engines.loopback import Loopback


class _Silent(BaseHTTPRequestHandler):
    server_of: Hanging

    def do_POST(self) -> None:
        """Take the request, and wait."""
        self.server_of.asked.set()
        self.server_of.released.wait(240)
        self.close_connection = True

    def do_GET(self) -> None:
        """Be as silent."""
        self.do_POST()

    def log_message(self, *_: object) -> None:
        """Say nothing."""


class Hanging(Loopback):
    """Hears questions and keeps them waiting."""

    answering = _Silent

    def __init__(self) -> None:
        self.released = threading.Event()
        self.asked = threading.Event()
        self.faults = []

    @property
    def hangs(self) -> bool:
        """Say whether somebody waits for an answer that has not come."""
        return self.asked.is_set() and not self.released.is_set()

"""The settings of the doors: where they listen, whom they know, how much they take."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from saegim.night_settings import ByNight, setting


@dataclass(frozen=True, slots=True, kw_only=True)
class AtTheDoor(ByNight):
    """What a person may argue with about `saegim serve` and `saegim mcp`."""

    serve_host: str = setting(
        "127.0.0.1", "Only this machine; another address needs a certificate and its key."
    )
    serve_port: int = setting(8757, "Where clients look for it; 0 takes any free port.")
    serve_hosts: str = setting(
        "", "Names besides this machine's own by which clients may call it, with commas between."
    )
    serve_certificate: str = setting("", "The file of a TLS certificate (PEM).")
    serve_certificate_key: str = setting("", "The file of its private key (PEM).")
    serve_rate: float = setting(50.0, "Requests a second for one token; a busy agent makes few.")
    serve_burst: int = setting(200, "So many at once before that rate counts.")
    rest_after_minutes: float = setting(
        5.0, "An MCP server that nobody asks for so long gives back its store and its model."
    )

    log_level: str = setting(
        "WARNING",
        "How much is logged to standard error: DEBUG, INFO, WARNING or ERROR. Seed C's variable "
        "AIMEMORY_LOG_LEVEL is heard too. No log holds what was said, kept or asked.",
    )

    legacy_path: str = setting(
        "",
        "Seed E: the database of an old bara system; taken over once, in the background, when the "
        "memory is opened. Empty: none.",
    )

    def checks(self) -> Iterator[tuple[str, float, float, float]]:
        """Yield each number with the least and the most it may be."""
        yield from ByNight.checks(self)
        yield "serve_port", self.serve_port, 0, 65_535
        yield "serve_rate", self.serve_rate, 0.001, 1_000_000
        yield "serve_burst", self.serve_burst, 1, 1_000_000
        yield "rest_after_minutes", self.rest_after_minutes, 0.001, 1_000_000

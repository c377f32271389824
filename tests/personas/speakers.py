"""A loopback model server whose voices say something else each time, in either language."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from engines.llm_server import BAD_REPLIES, JSON, PROTOCOLS, Answer, LLMServer, Seen
from saegim import FixedClock, Saegim

QUESTION: Final = "Should we move the workshop to Busan because the rent is lower?"
KOREAN: Final = "임대료가 싸니까 작업실을 부산으로 옮길까?"
LINES: Final = (
    "Moving the workshop to Busan saves rent, and I am happy about the sea.",
    "However, the risk is losing customers in Seoul, because they come on foot.",
    "Therefore keep a small desk in Seoul and move the workshop to Busan together.",
    "Perhaps a trial month would show what the rent really saves.",
    "But a trial month costs two rents, and nobody counted the trains.",
    "In the end both agree: a trial in March, then decide about the workshop.",
)


@dataclass
class Speakers(LLMServer):
    """Each call says the next line; calls whose number is in `out` fail."""

    lines: Sequence[str] = LINES
    out: set[int] = field(default_factory=set)

    def answer(self, request: Seen) -> Answer:
        """Say the next line, or fail as told."""
        at = len(self.seen)
        if at in self.out:
            return BAD_REPLIES["500"]
        text = self.lines[(at - 1) % len(self.lines)]
        made = PROTOCOLS[request.path](replace(self.turn, text=text))
        return 200, JSON, json.dumps(made).encode()


def opened(folder: Path, clock: FixedClock, server: Speakers, **settings: object) -> Saegim:
    """Open the memory of a folder with the server as its model."""
    given = {"model": "ollama:m", "model_url": server.url, "background": False, **settings}
    return Saegim.open(folder / "voices.db", clock=clock, **given)  # type: ignore[arg-type]

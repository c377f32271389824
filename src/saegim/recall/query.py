"""`Query`: a question and what it may look among; any string is a valid question."""

from __future__ import annotations

import re
from dataclasses import dataclass

from saegim.errors import BadInput
from saegim.memory.keys import fold
from saegim.store.where import Where

# The beginning of a question says that it asks, not what it asks about.
_ASKING = re.compile(
    r"^\s*(?:what|when|where|who|whom|whose|which|why|how(?: many| much| long| often| old)?|"
    r"did|does|do|is|are|was|were|has|have|can|could|would|will)\b[\s']*"
    r"(?:did|does|do|is|are|was|were|has|have|can|could|would|will|'s)?\s*",
    re.IGNORECASE,
)
MOST = 1000
# A question longer than this is a document; its beginning asks enough.
MAX_QUESTION = 4000


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """A question, the memories that count, and how many are wanted.

    A `steady` one is answered in the same order at any time: how recently something was in hand
    does not count, and no trace is left (what is put into a prompt must not change by itself).
    With `near_misses`, what lies just below the floor of the embedder is shown too.
    """

    text: str
    where: Where
    limit: int = 10
    steady: bool = False
    near_misses: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.text, str):
            raise BadInput("recall.question_must_be_string", type=type(self.text).__name__)
        if isinstance(self.limit, bool) or not isinstance(self.limit, int) or self.limit < 1:
            raise BadInput("recall.limit_cannot_be", limit=self.limit, most=MOST)
        if self.limit > MOST:
            raise BadInput("recall.limit_is_too_large", limit=self.limit, most=MOST)

    @property
    def asked(self) -> str:
        """Return the text to search with: folded, its beginning, nothing SQLite stumbles over."""
        whole = self.text[: 4 * MAX_QUESTION].encode("utf-8", "replace").decode()
        return fold(whole.replace("\x00", " "))[:MAX_QUESTION]

    @property
    def meaning(self) -> str:
        """Return the text to embed: the question without the words that only ask."""
        stripped = _ASKING.sub("", self.asked).rstrip("?？ \t\n")
        return stripped.strip() or self.asked.strip()

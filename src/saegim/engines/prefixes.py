"""What each family of embedding models wants written before a question and before a document.

A model asked without its prefixes answers worse, and vectors made with different prefixes do not
belong together; so the prefixes are part of the identity of a vector.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from saegim.engines.embedder import Role
from saegim.engines.tokens import REFERENCE, WORDPIECE, Rates

_ANSWERS: Final = "Given a web search query, retrieve relevant passages that answer the query"
_REPRESENT: Final = "Represent this sentence for searching relevant passages: "


@dataclass(frozen=True, slots=True)
class Family:
    """Models that read alike: their prefixes, how much they read, how dearly they count."""

    name: str
    pattern: str
    query: str = ""
    document: str = ""
    limit: int = 512
    rates: Rates = REFERENCE

    def prefix(self, role: Role) -> str:
        """Return what is written before a text of this role."""
        return self.query if role == "query" else self.document

    @property
    def english_only(self) -> bool:
        """Say whether it was taught English alone: those are the ones that cut by word pieces."""
        return self.rates is WORDPIECE

    @property
    def policy(self) -> str:
        """Say in one line what happens to a text before, and to a vector after, the model."""
        return f"{self.name};query={self.query!r};document={self.document!r};parts=mean;l2"


PLAIN: Final = Family("plain", "")

# Looked through in order; the first whose pattern is found in the lower-case model name is taken.
# Limits are those of the common servers: where a model could read more, longer texts are averaged.
FAMILIES: Final = (
    Family("nomic-2", r"nomic-embed-text-?v2", "search_query: ", "search_document: ", 512),
    Family("nomic", r"nomic-embed", "search_query: ", "search_document: ", 2048, WORDPIECE),
    Family("e5-instruct", r"\be5\b.*instruct", f"Instruct: {_ANSWERS}\nQuery: ", "", 512),
    Family("e5-multilingual", r"multilingual-e5\b", "query: ", "passage: ", 512),
    Family("e5", r"\be5\b", "query: ", "passage: ", 512, WORDPIECE),
    Family("qwen3", r"qwen3-embed", f"Instruct: {_ANSWERS}\nQuery:", "", 4096),
    Family("gte-qwen", r"gte-qwen", f"Instruct: {_ANSWERS}\nQuery: ", "", 4096),
    Family(
        "embeddinggemma",
        r"embeddinggemma",
        "task: search result | query: ",
        "title: none | text: ",
        2048,
    ),
    Family("mxbai", r"mxbai-embed", _REPRESENT, "", 512, WORDPIECE),
    Family("arctic-2", r"arctic-(embed2|embed-\w+-v2|ko)", "query: ", "", 4096),
    Family("arctic", r"arctic-embed", _REPRESENT, "", 512, WORDPIECE),
    Family("bge-m3", r"bge-m3|\bkure\b", "", "", 4096),
    Family("bge-en", r"\bbge-(small|base|large)-en", _REPRESENT, "", 512, WORDPIECE),
    Family("minilm", r"all-minilm|all-mpnet", "", "", 256, WORDPIECE),
    Family("paraphrase", r"paraphrase-multilingual", "", "", 128),
    Family("openai", r"text-embedding-(3|ada)", "", "", 8000),
    Family("gte-multilingual", r"gte-multilingual", "", "", 4096),
    Family("granite", r"granite-embedding", "", "", 512),
)


def family_of(model: str) -> Family:
    """Return the family of a model by its name; a stranger gets no prefix and a small limit."""
    name = model.lower().replace("_", "-")
    return next((family for family in FAMILIES if re.search(family.pattern, name)), PLAIN)

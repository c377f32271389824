"""Words hashed into a fixed space: the sparse bag of words, a stricter twin of the n-grams."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from saegim.engines.embedder import Identity, Role
from saegim.engines.hashed import (
    HASH_ALGORITHM,
    Buckets,
    Weighting,
    check_origin,
    check_space,
    digest,
    spread,
    unreadable,
)
from saegim.engines.vectors import Sparse, Vector
from saegim.errors import BadInput, WrongIdentity
from saegim.language.words import Analyser, Basic
from saegim.memory.keys import NORM_VERSION, normalise


@dataclass(frozen=True, slots=True)
class BagSettings:
    """How words become numbers."""

    dimension: int = 16_384
    seed: int = 0x5AE6
    weighting: Weighting = "log"

    def __post_init__(self) -> None:
        check_space(self.dimension, self.seed, self.weighting)


class Bag:
    """Embeds a text as the hashed counts of its words, as the analyser cuts them."""

    local = True
    lexical = True
    # 99th percentile of unrelated sentences: Korean 0.13 (7,140 pairs), English 0.20 (1,431).
    floor = 0.16
    # Question with the sentence that answers it, 30 Korean and 30 English: median 0.45, upper
    # quartile 0.52.
    ask = 0.5

    def __init__(
        self, settings: BagSettings | None = None, analyser: Analyser | None = None
    ) -> None:
        self.settings = settings or BagSettings()
        self._analyser = analyser or Basic()
        self._buckets = Buckets(self.settings.dimension, self.settings.seed)
        self._identity = Identity(
            "saegim", "bag-of-words", digest(self.export_state()), self.settings.dimension, "l2"
        )

    @property
    def identity(self) -> Identity:
        """Say which space the vectors live in."""
        return self._identity

    def embed(self, texts: Sequence[str], role: Role) -> list[Vector]:  # noqa: ARG002
        """Return one unit vector per text; questions and answers are read alike."""
        return [self._one(text) for text in texts]

    def _one(self, text: str) -> Sparse:
        plain = normalise(text)
        if not plain:
            raise BadInput("engine.empty_text_has_no_vector")
        # A text without words (only marks or emoji) is one word of its own.
        words = self._analyser.index(text) or [plain]
        pieces = [word.encode("utf-8", "surrogatepass") for word in words]
        buckets = list(map(self._buckets.__getitem__, pieces))
        return spread(buckets, self.settings.dimension, self.settings.weighting)

    def export_state(self) -> dict[str, Any]:
        """Return everything a snapshot must keep to make the same vectors again."""
        return {
            "analyser": self._analyser.name,
            "dim": self.settings.dimension,
            "seed": self.settings.seed,
            "hash_algo": HASH_ALGORITHM,
            "norm_version": NORM_VERSION,
            "weighting": self.settings.weighting,
        }

    @classmethod
    def from_state(cls, state: Mapping[str, Any], analyser: Analyser | None = None) -> Bag:
        """Return the embedder that a snapshot was written with, if its analyser is at hand."""
        check_origin(state)
        try:
            settings = BagSettings(state["dim"], state["seed"], state["weighting"])
            wanted = state["analyser"]
        except (KeyError, TypeError) as error:
            raise unreadable(error) from error
        bag = cls(settings, analyser)
        if bag._analyser.name != wanted:
            raise WrongIdentity(
                "engine.snapshot_cut_words_with_bag", wanted=wanted, name=bag._analyser.name
            )
        return bag

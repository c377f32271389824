"""What a learned reranker looks at, and what it must be able to say; none has been trained yet."""

from __future__ import annotations

from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

# Seed C, layer 2: the eleven features, in the seed's order and by its names.
FEATURES: Final = (
    "chroma_similarity",
    "keyword_overlap",
    "category_match",
    "recency",
    "access_frequency",
    "content_length_ratio",
    "has_related",
    "resolution_available",
    "graph_connection_count",
    "graph_hop_distance",
    "has_negative_relation",
)

Rows = NDArray[np.float32]


class Reranker(Protocol):
    """Says how well each memory answers, from its eleven features."""

    # An untrained one is noise: nobody asks it.
    trained: bool

    def scores(self, features: Rows) -> NDArray[np.float32]:
        """Return one number for each row of features; more is better."""
        ...

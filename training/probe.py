"""The probe: sixty sentences of our own, each with a paraphrase and with one that shares its words.

It is small enough to ship with the tests, which recompute what the model card says of it.
"""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path

import numpy as np

from saegim.engines.embedder import Embedder


def probed(embedder: Embedder, path: Path) -> dict[str, dict[str, int]]:
    """Return, per kind, how often the paraphrase is found among all, and lies nearer than the bait.

    Found: the paraphrase is nearest of all paraphrases of its kind. Nearer: it is nearer than the
    sentence that shares words but not the meaning, which is hard for a reader of words.
    """
    lines = path.read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    asked, near, bait = (
        np.stack(embedder.embed([row[key] for row in rows], "document"))  # type: ignore[arg-type]
        for key in ("text", "near", "far")
    )
    kinds = np.array([row["kind"] for row in rows])
    # Some sentences stand in the probe in both languages; kinds are kept apart.
    scores = np.where(kinds[:, None] == kinds[None], asked @ near.T, -1.0)
    found: dict[str, dict[str, int]] = defaultdict(lambda: {"of": 0, "found": 0, "nearer": 0})
    for at, row in enumerate(rows):
        count = found[row["kind"]]
        count["of"] += 1
        count["found"] += int(scores[at].argmax() == at)
        count["nearer"] += int(scores[at, at] > float(asked[at] @ bait[at]))
    return dict(found)

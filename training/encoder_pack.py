"""Step 16: put the encoder's numbers into one file, int8 where they are many.

    python training/encoder_pack.py --work W --from FOLDER/3x256x512 --into FILE

Gains are multiplied into the products that follow them, and the scale of attention into its
queries, so that reading needs no step for them.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from pathlib import Path

import numpy as np

from pack import thresholds
from saegim.engines.brain import model
from saegim.engines.brain.encoder import DIMENSIONS, Contextual

MODEL = "encoder-ko-en-1"
LICENCE = "Apache-2.0"
PAIRS = 4_000  # the encoder takes milliseconds a text, not microseconds
# Questions of real life lie farther from their answers than the pairs it is measured on: a quarter
# of them lie below the 99th percentile of strangers, so the wall stands at the 90th.
PER_CENT = (90, 20)


def narrow(name: str, product: np.ndarray) -> dict[str, np.ndarray]:
    """Return a product (in × out) in int8, with a step for each column."""
    steps = np.maximum(np.abs(product).max(0), 1e-12) / 127
    return {
        name: np.round(product / steps).astype(np.int8),
        f"{name}.steps": steps.astype(np.float32),
    }


def arrays_of(table: dict[str, np.ndarray], rest: dict[str, np.ndarray], heads: int, layers: int
              ) -> dict[str, np.ndarray]:  # fmt: skip
    """Return what the file holds."""
    wide = {name: value.astype(np.float32) for name, value in rest.items()}
    made = {
        "table": table["table"],
        "steps": table["steps"].astype(np.float32),
        "weights": wide["weights"].astype(np.float16),
        "roles": wide["role"],
        "weigh": wide["gain"] * wide["weigh.weight"][0],
    } | narrow("last", wide["gain"][:, None] * wide["last.weight"].T)
    for at in range(layers):
        part = {
            name.split(".", 2)[2]: v for name, v in wide.items() if name.startswith(f"layers.{at}.")
        }
        looks = part["gain"][0][:, None] * part["qkv.weight"].T
        width = looks.shape[0]
        looks[:, :width] *= (width // heads) ** -0.5
        made |= narrow(f"{at}.looks", looks)
        made |= narrow(f"{at}.joined", part["joined.weight"].T)
        made |= narrow(f"{at}.inner", part["gain"][1][:, None] * part["inner.weight"].T)
        made |= narrow(f"{at}.outer", part["outer.weight"].T)
        made[f"{at}.bias"] = part["inner.bias"]
        made[f"{at}.distance"] = part["distance"]
    return made


def main() -> None:
    """Write the file twice: once to measure its thresholds, once with them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--from", dest="source", required=True)
    parser.add_argument("--into", type=Path, required=True)
    parser.add_argument("--model", default=MODEL)
    asked = parser.parse_args()
    shape = json.loads(Path(f"{asked.source}.json").read_text())["shape"]
    with np.load(f"{asked.source}.table.npz") as table, np.load(f"{asked.source}.rest.npz") as rest:
        arrays = arrays_of(dict(table), dict(rest), shape["heads"], shape["layers"])
    notes = {
        "model": asked.model, "licence": LICENCE, "heads": str(shape["heads"]),
        "layers": str(shape["layers"]), "pieces": model.read(model.SHIPPED).notes["checksum"],
    }  # fmt: skip
    unknown = {f"{kind}_{size}": "0" for kind in ("floor", "ask") for size in DIMENSIONS}
    model.write(asked.into, arrays, notes | unknown)
    found: dict[str, str] = {}
    for size in DIMENSIONS:
        found |= thresholds(Contextual(size, asked.into), asked.work, (size,), PAIRS, PER_CENT)
    model.write(asked.into, arrays, notes | found)
    raw = asked.into.read_bytes()
    print(f"{len(raw):,} bytes, sha256 {hashlib.sha256(raw).hexdigest()}")


if __name__ == "__main__":
    main()

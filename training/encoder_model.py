"""The contextual encoder while it learns: MiniLM's layers over the pieces of the static table."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import nn
from torch.nn import functional

GROUP = 64  # numbers of the table that share a step
TABLE_MOST = 7  # four bits
LAYER_MOST = 63  # seven bits: two products of them fit into 16 bits on every processor
EPSILON = 1e-6


@dataclass(frozen=True, slots=True)
class Shape:
    """How large the encoder is, and which of MiniLM's layers it begins with."""

    layers: tuple[int, ...] = (0, 1, 2, 3, 4, 5)
    width: int = 384
    inner: int = 1536
    heads: int = 12
    out: int = 384


def narrowed(x: torch.Tensor, most: int) -> torch.Tensor:
    """Return each row as it will be once it lies in few bits; what it learns passes through."""
    step = x.detach().abs().amax(-1, keepdim=True).clamp_min(1e-8) / most
    return x + ((x.detach() / step).round() * step - x.detach())


def in_bytes(x: torch.Tensor) -> torch.Tensor:
    """Return states as they are multiplied once `narrow`: a byte each, one step for a text."""
    seen = x.detach()
    low, high = seen.amin((1, 2), keepdim=True).clamp_max(0), seen.amax((1, 2), keepdim=True)
    step = ((high.clamp_min(0) - low).float() / 255).clamp_min(1e-8)
    zero = (-low / step).round()
    few = ((seen / step).round() + zero).clamp(0, 255)
    return x + ((few - zero) * step - seen).to(x.dtype)


class Layer(nn.Module):
    """Attention, then two products with a bend between, each added and evened."""

    def __init__(self, shape: Shape, dropout: float) -> None:
        super().__init__()
        self.heads, self.dropout = shape.heads, dropout
        self.looks = nn.Linear(shape.width, 3 * shape.width)
        self.joined = nn.Linear(shape.width, shape.width)
        self.norm_joined = nn.LayerNorm(shape.width, EPSILON)
        self.inner = nn.Linear(shape.width, shape.inner)
        self.outer = nn.Linear(shape.inner, shape.width)
        self.norm_outer = nn.LayerNorm(shape.width, EPSILON)

    def product(self, part: nn.Linear, x: torch.Tensor, narrow: bool) -> torch.Tensor:
        """Return a product, with the numbers it will have in the file once `narrow`."""
        if not narrow:
            return part(x)
        return functional.linear(in_bytes(x), narrowed(part.weight, LAYER_MOST), part.bias)

    def forward(self, x: torch.Tensor, seen: torch.Tensor, narrow: bool) -> torch.Tensor:
        """Return the states after this layer; `seen` is true where a text has a piece."""
        n, length, width = x.shape
        q, k, v = (
            part.view(n, length, self.heads, -1).transpose(1, 2)
            for part in self.product(self.looks, x, narrow).split(width, dim=-1)
        )
        # By hand: the ready-made one is not the same twice when it learns.
        near = q @ k.transpose(-1, -2) * (q.shape[-1] ** -0.5)
        near = near.masked_fill(~seen[:, None, None], -1e4)
        near = torch.softmax(near, -1, dtype=torch.float32).to(v.dtype)
        taken = functional.dropout(near, self.dropout, self.training) @ v
        taken = self.product(self.joined, taken.transpose(1, 2).reshape(x.shape), narrow)
        x = self.norm_joined(x + functional.dropout(taken, self.dropout, self.training))
        bent = functional.gelu(self.product(self.inner, x, narrow))
        made = self.product(self.outer, bent, narrow)
        return self.norm_outer(x + functional.dropout(made, self.dropout, self.training))


class Encoder(nn.Module):
    """A sign for who speaks, pieces, some layers, a weighted mean, one product."""

    def __init__(self, begin: dict[str, np.ndarray], weights: torch.Tensor, shape: Shape,
                 dropout: float = 0.1) -> None:  # fmt: skip
        super().__init__()
        self.shape = shape
        wide = {name: torch.tensor(value.astype(np.float32)) for name, value in begin.items()}
        rows = wide["table"] * wide["table_steps"][:, None]
        self.table = nn.Parameter(rows + wide["kind"])
        self.weights = nn.Parameter(weights.clone())  # how much a piece counts, as a logarithm
        # Said, and asked: both begin as the sign that MiniLM puts before a text.
        self.role = nn.Parameter((wide["special"][0] + wide["kind"]).repeat(2, 1))
        self.places = nn.Parameter(wide["places"][:192].clone())
        self.norm = nn.LayerNorm(shape.width, EPSILON)
        self.layers = nn.ModuleList(Layer(shape, dropout) for _ in shape.layers)
        self.weigh = nn.Linear(shape.width, 1)
        self.last = nn.Linear(shape.width, shape.out, bias=False)
        self.dropout = dropout
        self.narrow = False
        nn.init.zeros_(self.weigh.weight)
        nn.init.zeros_(self.weigh.bias)
        with torch.no_grad():
            self.norm.weight.copy_(wide["norm.weight"])
            self.norm.bias.copy_(wide["norm.bias"])
            for layer, at in zip(self.layers, shape.layers, strict=True):
                for name, value in layer.named_parameters():
                    kept = wide[f"{at}.{name}"]
                    if name.startswith("inner"):
                        kept = kept[: shape.inner]
                    elif name == "outer.weight":
                        kept = kept[:, : shape.inner]
                    value.copy_(kept)

    def rows(self) -> torch.Tensor:
        """Return the table with the weight of each piece beside it, and a row for no piece."""
        table = self.table
        if self.narrow:
            table = narrowed(table.view(len(table), -1, GROUP), TABLE_MOST).view(table.shape)
        whole = torch.cat([table, self.weights[:, None]], 1)
        return torch.cat([whole, whole.new_zeros(1, whole.shape[1])])

    def states(self, x: torch.Tensor, hidden: torch.Tensor, asks: torch.Tensor) -> torch.Tensor:
        """Return a state for the sign and for each piece."""
        x, seen = self.begun(x, asks), functional.pad(~hidden, (1, 0), value=True)
        for layer in self.layers:
            x = layer(x, seen, self.narrow)
        return x

    def begun(self, found: torch.Tensor, asks: torch.Tensor) -> torch.Tensor:
        """Return what the layers begin with."""
        half = found.dtype
        asking = asks.float()[:, None]
        sign = (asking * self.role[1] + (1 - asking) * self.role[0]).to(half)[:, None]
        x = torch.cat([sign, found], 1) + self.places[: found.shape[1] + 1].to(half)
        return functional.dropout(self.norm(x).to(half), self.dropout, self.training)

    def all(self, parts: list[tuple[torch.Tensor, torch.Tensor, torch.Tensor]]
            ) -> list[torch.Tensor]:  # fmt: skip
        """Return the vectors of texts, not yet of unit length: pieces, where none are, who asks.

        Every piece is looked up at once: the table is large, and so is what it learns from.
        """
        rows = self.rows()
        none = len(rows) - 1
        ids = torch.cat([ids.masked_fill(hidden, none).flatten() for ids, hidden, _ in parts])
        found = functional.embedding(ids, rows, padding_idx=none)
        split = found.split([ids.numel() for ids, _, _ in parts])
        return [
            self(each.view(*ids.shape, -1), hidden, asks)
            for each, (ids, hidden, asks) in zip(split, parts, strict=True)
        ]

    def forward(self, found: torch.Tensor, hidden: torch.Tensor, asks: torch.Tensor
                ) -> torch.Tensor:  # fmt: skip
        """Return a vector for each text, not yet of unit length."""
        # In halves from here on while it learns: the states are what costs time.
        half = torch.bfloat16 if torch.is_autocast_enabled(found.device.type) else torch.float32
        x = self.states(found[..., :-1].to(half), hidden, asks)
        weight = self.weigh(x).squeeze(-1).float()
        weight = weight + functional.pad(found[..., -1], (1, 0), value=0.0)
        weight = weight.masked_fill(functional.pad(hidden, (1, 0), value=False), -1e4)
        weight = torch.softmax(weight, -1)
        return self.last((weight[..., None].to(x.dtype) * x).sum(1)).float()

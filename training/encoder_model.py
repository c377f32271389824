"""The contextual encoder while it learns: pieces that look at each other before they are pooled."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import nn
from torch.nn import functional

REACH = 24  # how far apart two pieces are told apart by distance


@dataclass(frozen=True, slots=True)
class Shape:
    """How large the encoder is."""

    layers: int = 3
    width: int = 256
    inner: int = 1024
    heads: int = 4
    out: int = 256


class Layer(nn.Module):
    """Attention with a learned bias for distance, then two products with a bent between."""

    def __init__(self, shape: Shape, dropout: float) -> None:
        super().__init__()
        self.heads = shape.heads
        self.qkv = nn.Linear(shape.width, 3 * shape.width, bias=False)
        self.joined = nn.Linear(shape.width, shape.width, bias=False)
        self.inner = nn.Linear(shape.width, shape.inner, bias=True)
        self.outer = nn.Linear(shape.inner, shape.width, bias=False)
        self.gain = nn.Parameter(torch.ones(2, shape.width))
        self.distance = nn.Parameter(torch.zeros(shape.heads, 2 * REACH + 1))
        self.dropout = dropout
        for each in (self.qkv, self.inner):
            nn.init.normal_(each.weight, std=shape.width**-0.5)
        for each in (self.joined, self.outer):
            # Small at first: the encoder begins as the static table it was made from.
            nn.init.normal_(each.weight, std=0.1 * each.in_features**-0.5)

    def forward(self, x: torch.Tensor, hidden: torch.Tensor, apart: torch.Tensor) -> torch.Tensor:
        """Return the states after this layer; `hidden` is true where a text has no piece."""
        n, length, width = x.shape
        normed = functional.rms_norm(x, (width,), self.gain[0].to(x.dtype))
        q, k, v = (
            part.view(n, length, self.heads, -1).transpose(1, 2)
            for part in self.qkv(normed).split(width, dim=-1)
        )
        scores = q @ k.transpose(-1, -2) * (q.shape[-1] ** -0.5)
        # A product and no look-up: looking up the same few numbers often is slow to learn from.
        scores = scores + (self.distance @ apart).view(-1, length, length).to(scores.dtype)
        scores = scores.masked_fill(hidden[:, None, None], -1e4)
        seen = torch.softmax(scores, -1, dtype=torch.float32).to(v.dtype) @ v
        seen = seen.transpose(1, 2).reshape(n, length, width)
        x = x + functional.dropout(self.joined(seen), self.dropout, self.training)
        normed = functional.rms_norm(x, (width,), self.gain[1].to(x.dtype))
        bent = torch.relu(self.inner(normed)).square()
        return x + functional.dropout(self.outer(bent), self.dropout, self.training)


class Encoder(nn.Module):
    """Pieces with their role, some layers, a weighted mean, one product."""

    def __init__(self, table: torch.Tensor, weights: torch.Tensor, shape: Shape,
                 dropout: float = 0.1) -> None:  # fmt: skip
        super().__init__()
        self.shape = shape
        self.table = nn.Parameter(table.clone())
        self.weights = nn.Parameter(weights.clone())  # how much a piece counts, as a logarithm
        self.role = nn.Parameter(torch.zeros(2, table.shape[1]))
        wider = shape.width != table.shape[1]
        self.widen = nn.Linear(table.shape[1], shape.width, bias=False) if wider else None
        self.layers = nn.ModuleList(Layer(shape, dropout) for _ in range(shape.layers))
        self.weigh = nn.Linear(shape.width, 1, bias=False)
        self.gain = nn.Parameter(torch.ones(shape.width))
        self.last = nn.Linear(shape.width, shape.out, bias=False)
        nn.init.zeros_(self.weigh.weight)

    def rows(self) -> torch.Tensor:
        """Return the table with the weight of each piece beside it, and a row for no piece."""
        whole = torch.cat([self.table, self.weights[:, None]], 1)
        return torch.cat([whole, whole.new_zeros(1, whole.shape[1])])

    def states(self, x: torch.Tensor, hidden: torch.Tensor, asks: torch.Tensor) -> torch.Tensor:
        """Return a state for each piece."""
        asking = asks.to(x.dtype)[:, None]
        x = x + (asking * self.role[1] + (1 - asking) * self.role[0])[:, None].to(x.dtype)
        if self.widen is not None:
            x = self.widen(x)
        at = torch.arange(x.shape[1], device=x.device)
        apart = (at[None] - at[:, None]).clamp(-REACH, REACH) + REACH
        apart = functional.one_hot(apart.flatten(), 2 * REACH + 1).T.float()
        for layer in self.layers:
            x = layer(x, hidden, apart)
        return functional.rms_norm(x, (x.shape[-1],), self.gain.to(x.dtype))

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
        weight = found[..., -1] + self.weigh(x).squeeze(-1).float()
        weight = torch.softmax(weight.masked_fill(hidden, -1e4), -1)
        return self.last((weight[..., None].to(x.dtype) * x).sum(1)).float()

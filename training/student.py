"""The student while it learns: a table of pieces, their mean, and one small bend after it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch

PREFIXES = (64, 128, 256)


@dataclass(frozen=True, slots=True)
class Bags:
    """Texts as runs of piece numbers, one after the other."""

    ids: torch.Tensor
    starts: torch.Tensor

    @staticmethod
    def of(cut: list[list[int]], device: str) -> Bags:
        """Pack lists of piece numbers; a text without pieces is given the first one."""
        cut = [each or [0] for each in cut]
        sizes = np.array([len(each) for each in cut])
        flat = np.fromiter((i for each in cut for i in each), np.int32, int(sizes.sum()))
        starts = np.concatenate([[0], np.cumsum(sizes)])
        return Bags(torch.tensor(flat, device=device), torch.tensor(starts, device=device))

    def __len__(self) -> int:
        return len(self.starts) - 1

    def pick(self, rows: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the piece numbers of some texts and where each begins."""
        first, sizes = self.starts[rows], self.starts[rows + 1] - self.starts[rows]
        offsets = torch.cumsum(sizes, 0) - sizes
        total = int(sizes.sum())
        owner = torch.repeat_interleave(torch.arange(len(rows), device=rows.device), sizes)
        within = torch.arange(total, device=rows.device) - offsets[owner]
        return self.ids[first[owner] + within].long(), offsets


class Student(torch.nn.Module):
    """Mean of piece vectors, each with its weight, then a residual layer of rectified sums."""

    def __init__(self, table: torch.Tensor, hidden: int) -> None:
        super().__init__()
        size = table.shape[1]
        self.table = torch.nn.Parameter(table.clone())
        self.asking = torch.nn.Parameter(torch.zeros(len(table), device=table.device))
        self.hidden = hidden
        if hidden:
            self.inner = torch.nn.Linear(size, hidden, device=table.device)
            self.outer = torch.nn.Linear(hidden, size, bias=False, device=table.device)
            torch.nn.init.zeros_(self.outer.weight)

    def pooled(self, ids: torch.Tensor, offsets: torch.Tensor, asks: bool) -> torch.Tensor:
        """Return the weighted mean of each bag."""
        weights = torch.exp(self.asking[ids]) if asks else torch.ones_like(ids, dtype=torch.float32)
        summed = torch.nn.functional.embedding_bag(
            ids, self.table, offsets, mode="sum", per_sample_weights=weights
        )
        return torch.nn.functional.normalize(summed, dim=1)

    def forward(self, bag: tuple[torch.Tensor, torch.Tensor], asks: bool = False) -> torch.Tensor:
        """Return the vectors of some bags, not yet of unit length."""
        mean = self.pooled(*bag, asks)
        if not self.hidden:
            return mean
        return mean + self.outer(torch.relu(self.inner(mean * mean.shape[1] ** 0.5)))

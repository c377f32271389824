"""What does a sentence feel, ask, and is it worth keeping? The heads beside plain rules.

    python bench/heads.py --data FOLDER [--json out.json]

Feelings: KOTE test and GoEmotions test, their labels mapped by the table of training/heads.py.
Sentiment: the same sets; a text is positive or negative when its mapped labels are only that.
Questions: KLUE-NLI and Chatbot sentences (Korean), GoEmotions test (English) that end in one mark,
the mark removed. Keeping: tests/data/worth_keeping.jsonl. Macro-F1 and accuracy, times 100.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table
from saegim.memory.emotion import Feeling, SentenceReading

from saegim.engines.brain.heads import SHIPPED as HEADS
from saegim.engines.brain.heads import Heads
from saegim.engines.brain.model import SHIPPED as MODEL
from saegim.engines.brain.model import Static
from saegim.language.language import language_of

HERE = Path(__file__).parents[1]
sys.path.insert(0, str(HERE / "training"))
from heads import LABELLED, MEANING  # noqa: E402

PROBE = HERE / "tests" / "data" / "worth_keeping.jsonl"
J, S, A, F, D = Feeling.JOY, Feeling.SADNESS, Feeling.ANGER, Feeling.FEAR, Feeling.DISGUST
X, E, NONE = Feeling.ANXIETY, Feeling.ENNUI, Feeling.NEUTRAL

# The floor: stems (Korean) and words (English), as a careful afternoon would list them.
WORDS: dict[Feeling | None, str] = {
    J: "좋 기쁘 기뻐 행복 즐거 즐겁 재밌 재미있 잼있 신나 감동 감사 고마 고맙 사랑 최고 멋지 "
    "멋있 예쁘 예뻐 이쁘 "
    "귀여 귀엽 웃기 ㅋㅋㅋ ㅎㅎ 뿌듯 대박 훌륭 아름다 편안 설레 만족 축하 짱 "
    "happy glad joy love loved loving great awesome amazing wonderful excellent beautiful fun "
    "funny "
    "thanks thank lol haha hilarious enjoy enjoyed proud excited best cute nice brilliant "
    "fantastic "
    "perfect yay congrats congratulations grateful good adorable impressive incredible",
    S: "슬프 슬퍼 슬픔 눈물 울었 안타 불쌍 실망 아쉽 아쉬 ㅠㅠ ㅜㅜ 절망 우울 외로 서럽 서러 "
    "미안 후회 가슴아프 "
    "속상 그립 안쓰럽 "
    "sad sadly sorry unfortunately miss cry crying cried tears depressed depressing disappointed "
    "disappointing disappointment regret lonely heartbroken heartbreaking grief rip died hopeless "
    "unhappy painful ashamed guilty",
    A: "화나 화난 화가 열받 짜증 빡치 빡쳐 분노 미친 욕 씨발 시발 새끼 개같 쓰레기 불만 최악 "
    "뻔뻔 괘씸 억울 "
    "angry mad annoyed annoying hate hated pissed furious fuck fucking stupid idiot idiots damn "
    "rage "
    "bullshit ridiculous moron shut irritating outrageous",
    F: "무서 무섭 공포 두렵 두려 소름 오싹 "
    "afraid scared scary fear fears terrified terrifying horror frightening creepy horrifying",
    D: "역겹 역겨 징그 더럽 더러 혐오 토나 구역질 극혐 추악 "
    "disgusting gross disgusted nasty vile sick repulsive cringe ew yuck awful disgust revolting",
    X: "걱정 불안 초조 긴장 떨리 염려 "
    "nervous worried worry worrying anxious anxiety concerned stress stressed stressful panic "
    "tense",
    E: "지루 지겹 지겨 심심 귀찮 지긋지긋 재미없 노잼 따분 지치 지쳐 피곤 힘들 식상 "
    "bored boring tired dull tedious meh exhausted",
    None: "못하 별로 나쁘 나쁜 싫 문제 거짓 실패 bad worst terrible horrible wrong poor fail "
    "problem",
}
NOT_KO = re.compile(r"(안|못)\s?$")
NOT_KO_AFTER = re.compile(r"^\S{0,3}(지\s?(않|못|마)|진\s?않)")
NOT_EN = {"not", "no", "never", "don't", "didn't", "isn't", "wasn't", "can't", "won't", "doesn't"}
WH = re.compile(
    r"^(so |and |but |well |oh |ok )?(what|who|whom|whose|when|where|why|which|how|is|are|am|was|"
    r"were|"
    r"do|does|did|can|could|will|would|should|shall|have|has|had|isn't|aren't|don't|doesn't|didn't|"
    r"can't|won't|wouldn't|couldn't)\b"
)
ASKING_KO = re.compile(
    r"(니|나요|까|까요|ㄹ까|냐|는가|은가|인가|가요|나|지요|죠|래|려나|을래|는데요|던가|은지|는지)$"
    r"|무엇|뭐|뭘|어떻게|어떤|언제|어디|누구|누가|왜|몇|얼마|어느"
)
MINE = re.compile(
    r"\b(i|i'm|i've|my|we|we're|our)\b|나는|난 |내 |내가|나도|저는|제 |제가|저희|우리|나의", re.I
)


def stems(language: str) -> dict[str, Feeling | None]:
    """Return the words of one language and the feeling of each."""
    korean = language == "ko"
    pairs = ((word, feeling) for feeling, line in WORDS.items() for word in line.split())
    return {
        word: feeling for word, feeling in pairs if bool(re.search("[가-힣ㄱ-ㅣ]", word)) == korean
    }


STEMS = {language: stems(language) for language in LABELLED}


def found_words(text: str, language: str) -> Iterable[tuple[Feeling | None, bool]]:
    """Yield the feeling of each listed word of a text, and whether it is denied."""
    low = text.lower()
    if language == "ko":
        for stem, feeling in STEMS["ko"].items():
            for at in re.finditer(re.escape(stem), low):
                denied = NOT_KO.search(low[: at.start()]) or NOT_KO_AFTER.search(low[at.end() :])
                yield feeling, bool(denied)
        return
    words = re.findall(r"[a-z]+(?:['’][a-z]+)?", low.replace("’", "'"))
    for at, word in enumerate(words):
        if word in STEMS["en"]:
            yield STEMS["en"][word], bool(NOT_EN & set(words[max(0, at - 3) : at]))


def rule(text: str) -> SentenceReading:
    """Read a text by word lists, marks, endings and length."""
    language = language_of(text)
    found = list(found_words(text, language))
    good = sum(1 if denied is False else -1 for feeling, denied in found if feeling is J)
    bad = sum(-1 if denied else 1 for feeling, denied in found if feeling is not J)
    said = {feeling for feeling, denied in found if feeling and not denied}
    feelings = {each: float(each in said) for each in LABELLED["ko"]}
    feelings[NONE] = float(not found)
    low = text.lower().rstrip(" .!~")
    asks = low.endswith("?") or bool((WH if language == "en" else ASKING_KO).search(low))
    words = len(text.split())
    keeps = bool(MINE.search(text)) and words >= (3 if language == "ko" else 4) and not asks
    return SentenceReading(float(np.sign(good - bad)), 0.0, feelings, float(asks), float(keeps))


def rows(path: Path) -> list[dict[str, Any]]:
    """Return the rows of a set."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def f1(said: np.ndarray, true: np.ndarray) -> float:
    """Return F1 of one label, times 100."""
    hits = float((said & true).sum())
    return 200 * hits / max(1.0, float(said.sum() + true.sum()))


def meaning(label: str, language: str) -> tuple[Feeling | None, int]:
    """Return what a label of an evaluation set means by the training table."""
    return MEANING[label if language == "ko" else f"emotion:{label}"]


Reader = Callable[[str], SentenceReading]
Scores = dict[str, float]


def feelings(data: list[dict[str, Any]], language: str, read: Reader) -> Scores:
    """Return F1 per feeling and their mean."""
    read_all = [read(row["text"]).feelings for row in data]
    meant = [{meaning(label, language)[0] for label in row["labels"]} for row in data]
    scores = {}
    for each in LABELLED[language]:
        said = np.array([shares.get(each, 0.0) >= 0.5 for shares in read_all])
        scores[str(each)] = f1(said, np.array([each in m for m in meant]))
    return {"macro_f1": float(np.mean(list(scores.values()))), **scores}


def sentiment(data: list[dict[str, Any]], language: str, read: Reader) -> Scores:
    """Return accuracy and macro-F1 on texts only good or only bad; saying nothing is half right."""
    said, true = [], []
    for row in data:
        signs = {meaning(label, language)[1] for label in row["labels"]}
        if (1 in signs) != (-1 in signs):
            true.append(1 in signs)
            said.append(read(row["text"]).sentiment)
    shown, good = np.array(said), np.array(true)
    right = np.where(shown == 0, 0.5, (shown > 0) == good)
    both = (f1(shown > 0, good) + f1(shown < 0, ~good)) / 2
    return {"accuracy": 100 * float(right.mean()), "macro_f1": both, "texts": len(good)}


def yes_or_no(pairs: list[tuple[str, bool]], said: Callable[[str], float]) -> Scores:
    """Return accuracy, balanced accuracy and F1 of a yes-or-no head."""
    yes = np.array([said(text) >= 0.5 for text, _ in pairs])
    true = np.array([each for _, each in pairs])
    halves = ((yes[true]).mean() + (~yes[~true]).mean()) / 2
    return {
        "accuracy": 100 * float((yes == true).mean()),
        "balanced": 100 * float(halves),
        "f1": f1(yes, true),
        "texts": len(pairs),
    }


def by_mark(texts: Iterable[str]) -> list[tuple[str, bool]]:
    """Return the distinct texts that end in one mark, without it, and whether it asked."""
    found: dict[str, bool] = {}
    for text in texts:
        body, mark = text.strip()[:-1], text.strip()[-1:]
        if mark in (".", "?") and body and body[-1] not in ".?!" and "?" not in body:
            found[body] = mark == "?"
    return list(found.items())


def asked(folder: Path) -> dict[str, list[tuple[str, bool]]]:
    """Return questions and statements per language."""
    korean = [
        row[side]
        for name, sides in (("klue_nli_dev", ("premise", "hypothesis")), ("chatbot_data", "QA"))
        for row in rows(folder / f"{name}.jsonl.gz")
        for side in sides
    ]
    english = [row["text"] for row in rows(folder / "goemotions_test.jsonl.gz")]
    return {"ko": by_mark(korean), "en": by_mark(english)}


def probe(language: str) -> list[tuple[str, bool]]:
    """Return our own sentences on what is worth keeping."""
    with PROBE.open(encoding="utf-8") as lines:
        found = [json.loads(line) for line in lines]
    return [(row["text"], row["keep"]) for row in found if row["language"] == language]


def measure(folder: Path, read: Reader) -> dict[str, Scores]:
    """Return every score of one reader."""
    sets = {
        "ko": rows(folder / "kote_test.jsonl.gz"),
        "en": rows(folder / "goemotions_test.jsonl.gz"),
    }
    found = {}
    for language, data in sets.items():
        found[f"feelings {language}"] = feelings(data, language, read)
        found[f"sentiment {language}"] = sentiment(data, language, read)
        found[f"keeping {language}"] = yes_or_no(probe(language), lambda t: read(t).keeping or 0.0)
    for name, pairs in asked(folder).items():
        found[f"question {name}"] = yes_or_no(pairs, lambda t: read(t).question)
    return found


def fully(heads: Heads) -> Reader:
    """Return a reader of every head in the file, shipped or not."""

    def read(text: str) -> SentenceReading:
        language = language_of(text)
        shares = 1 / (1 + np.exp(-heads.logits(text, language).astype(float)))
        found = dict(zip(heads.columns, shares.tolist(), strict=True))
        felt = {each: found[each] for each in LABELLED[language]}
        return SentenceReading(
            2 * found["sentiment"] - 1, 0.0, felt, found["question"], found["keeping"]
        )

    return read


def speed(heads: Heads) -> float:
    """Return the microseconds that one short sentence takes, at the median."""
    texts = [text for language in LABELLED for text, _ in probe(language)]
    heads.read_all(texts)
    took = []
    for text in texts:
        began = time.perf_counter_ns()
        heads.read(text)
        took.append(time.perf_counter_ns() - began)
    return float(np.median(took)) / 1000


def main() -> None:
    """Measure the heads and the rules, and print both."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder with the *.jsonl.gz sets")
    parser.add_argument("--json", type=Path, help="also write the results here")
    parser.add_argument("--model", type=Path, default=MODEL, help="another model file")
    parser.add_argument("--heads", type=Path, default=HEADS, help="the heads taught on it")
    given = parser.parse_args()
    heads = Heads(Static(path=given.model), given.heads)
    found, floor = measure(given.data, fully(heads)), measure(given.data, rule)
    table = Table("measure", "score", "heads", "rule", "difference", "shipped")
    for name, scores in found.items():
        head, language = name.split()
        known = heads.known[language]  # type: ignore[index]
        if head == "feelings":
            for each in (scores, floor[name]):
                shipped = [value for feeling, value in each.items() if feeling in known]
                each["macro_f1_shipped"] = float(np.mean(shipped))
        for score, value in scores.items():
            gap = "" if score == "texts" else f"{value - floor[name][score]:+.1f}"
            read = {head, score} & known or score.endswith("_shipped")
            row = (name, score, f"{value:.1f}", f"{floor[name][score]:.1f}", gap)
            table.add_row(*row, "yes" if read else "")
    console = Console()
    console.print(table)
    known = {language: sorted(names) for language, names in heads.known.items()}
    result = {
        "heads": found,
        "rule": floor,
        "shipped": {language: sorted(names) for language, names in heads.known.items()},
        "microseconds": speed(heads),
    }
    console.print(f"one sentence: {result['microseconds']:.0f} µs at the median")
    if given.json:
        given.json.write_text(json.dumps(result, indent=1, ensure_ascii=False), encoding="utf-8")


if __name__ == "__main__":
    main()

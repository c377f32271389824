"""Korean reviews, bills, question pairs and comments with feelings."""

from __future__ import annotations

import csv
import io
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from source import Language, Pair, Source, Text, git_files
from sources.korean_text import clean, is_korean, sentences

_KO: tuple[Language, Language] = ("ko", "ko")
_BILL_SENTENCES = 250_000
_PAIRS_A_TITLE = 12  # a few tax laws are amended a thousand times
_HEADING = re.compile(
    r"^[■□○◇<\[【(]*\s*(제안\s*이유(\s*및\s*주요\s*내용)?|주요\s*내용)\s*[>\]】)]*\s*"
)
_NOTES = re.compile(r"\n\s*[■□○<\[【(]*\s*참고\s*사항.*", re.DOTALL)
_ARTICLE = re.compile(r"\s*\((안|案)\s*(제|별표|부칙|법률)[^()]*\)")
_ITEM = re.compile(r"^([가나다라마바사아자차카타파하]|\d{1,2}|[①-⑳])[.)]\s*|^[①-⑳○●■-]\s*")
_AMENDING = re.compile(r"\s*((일부|전부)\s*개정|폐지)\s*법률안.*$")
_DRAFT = re.compile(r"(법률?)안.*$")
_JOINT = re.compile(r"^(이에|따라서|이를 위하여|이를 위해|그런데|그러나|하지만),?\s+")
_TORN = ("라는", "라고", "이라는", "이라고", "고 ", "는 ", "및 ")
_FEELINGS = (
    "불평/불만 환영/호의 감동/감탄 지긋지긋 고마움 슬픔 화남/분노 존경 기대감 우쭐댐/무시함 "
    "안타까움/실망 비장함 의심/불신 뿌듯함 편안/쾌적 신기함/관심 아껴주는 부끄러움 공포/무서움 "
    "절망 한심함 역겨움/징그러움 짜증 어이없음 없음 패배/자기혐오 귀찮음 힘듦/지침 즐거움/신남 "
    "깨달음 죄책감 증오/혐오 흐뭇함(귀여움/예쁨) 당황/난처 경악 부담/안_내킴 서러움 재미없음 "
    "불쌍함/연민 놀람 행복 불안/걱정 기쁨 안심/신뢰"
).split()


def _opinion(rating: int) -> tuple[str, ...]:
    if rating >= 9:
        return ("positive",)
    if rating <= 4:
        return ("negative",)
    return ("neutral",) if rating <= 6 else ()  # 7 and 8 are mildly positive: no clear label


def read_reviews(path: Path) -> Iterator[Text]:
    """Yield each different film review with the opinion its rating shows."""
    seen: set[str] = set()
    for _, content in git_files(path, ".json", "raw/"):
        for row in json.loads(content):
            text = clean(row["review"] or "")
            if text in seen or not is_korean(text):
                continue
            seen.add(text)
            rating = str(row["rating"])
            yield Text(text, "ko", _opinion(int(rating)) if rating.isdigit() else ())


def _bills(path: Path) -> Iterator[tuple[str, list[str]]]:
    csv.field_size_limit(sys.maxsize)
    with (path / "bills.csv").open(encoding="utf-8-sig", newline="") as rows:
        for row in csv.DictReader(rows):
            yield clean(row["BILL_NAME"]), _reasons(row["propose_reason"] or "")


def _reasons(text: str) -> list[str]:
    found: list[str] = []
    for line in _NOTES.sub("", text).replace("？", "·").split("\n"):
        plain = _ARTICLE.sub("", clean(line))
        plain = _ITEM.sub("", _HEADING.sub("", plain))
        whole = (s for s in sentences(plain) if not s.startswith(_TORN))
        found += [s for s in whole if is_korean(s, least=15, most=300)]
    return found


def read_bill_sentences(path: Path) -> Iterator[Text]:
    """Yield different sentences that say why a bill is proposed, at most a set number."""
    seen: set[str] = set()
    for _, reasons in _bills(path):
        for sentence in reasons[:5]:
            if sentence not in seen:
                seen.add(sentence)
                yield Text(sentence, "ko")
        if len(seen) >= _BILL_SENTENCES:
            return


def _purpose(reasons: list[str]) -> str:
    for sentence in reasons[1:]:
        if sentence.startswith(("이에", "따라서", "이를")) and len(sentence) >= 40:
            return sentence
    return ""


def read_bill_titles(path: Path) -> Iterator[Pair]:
    """Yield the law a bill changes with the sentence that says what the change is for."""
    times: Counter[str] = Counter()
    for name, reasons in _bills(path):
        title = _DRAFT.sub(r"\1", _AMENDING.sub("", name)).strip()
        told = _purpose(reasons) or (reasons[0] if reasons else "")
        if not is_korean(title, 2) or not told or times[title] >= _PAIRS_A_TITLE:
            continue
        times[title] += 1
        yield Pair(title, _JOINT.sub("", told), _KO)


def read_bill_purposes(path: Path) -> Iterator[Pair]:
    """Yield the trouble a bill names with the remedy the same bill proposes."""
    seen: set[str] = set()
    for _, reasons in _bills(path):
        remedy = _purpose(reasons)
        trouble = next((s for s in reasons if s.startswith(("그런데", "그러나", "하지만"))), "")
        if remedy and trouble and trouble not in seen:
            seen.add(trouble)
            yield Pair(_JOINT.sub("", trouble), _JOINT.sub("", remedy), _KO)


def _table(path: Path, name: str, delimiter: str = ",") -> list[dict[str, str]]:
    content = next(content for found, content in git_files(path, name) if found == name)
    return list(csv.DictReader(io.StringIO(content.decode("utf-8-sig")), delimiter=delimiter))


def read_question_pairs(path: Path) -> Iterator[Pair]:
    """Yield training question pairs, none with a question of the two test files."""
    held = {
        clean(row[column])
        for rows in (_table(path, "kor_Pair_test.csv"), _table(path, "test.txt", "\t"))
        for row in rows
        for column in ("question1", "question2")
    }
    for row in _table(path, "kor_pair_train.csv"):
        first, second = clean(row["question1"]), clean(row["question2"])
        fit = is_korean(first, 2, 400, 2) and is_korean(second, 2, 400, 2)
        if fit and first != second and not {first, second} & held:
            yield Pair(first, second, _KO, close=row["is_duplicate"].strip() == "0")


def read_feelings(path: Path) -> Iterator[Text]:
    """Yield the validation comments with the names of the feelings people read in them."""
    for name, content in git_files(path, "val.tsv"):
        if name != "val.tsv":
            continue
        rows = csv.reader(io.StringIO(content.decode()), delimiter="\t")
        for _, raw, numbers in (row for row in rows if len(row) == 3):
            text = clean(raw)
            if is_korean(text, most=600):
                yield Text(text, "ko", tuple(_FEELINGS[int(n)] for n in numbers.split(",")))


_BILL_ORIGIN = (
    "folder with bills.csv: korean-assembly-bills 0.1.0 from PyPI, then "
    "`assembly-bills export bills.csv --with-text` (columns BILL_NAME, propose_reason)"
)
_BILL_CREDIT = "korean-assembly-bills, Kyusik Yang; National Assembly of Korea"

SOURCES: tuple[Source, ...] = (
    Source(
        "nsmc-raw",
        "text",
        "CC0-1.0",
        "Naver sentiment movie corpus, Lucy Park",
        "git directory of github e9t/nsmc",
        read_reviews,
    ),
    Source(
        "korean-bill-sentences",
        "text",
        "CC-BY-4.0",
        _BILL_CREDIT,
        _BILL_ORIGIN,
        read_bill_sentences,
    ),
    Source(
        "korean-bill-titles", "pairs", "CC-BY-4.0", _BILL_CREDIT, _BILL_ORIGIN, read_bill_titles
    ),
    Source(
        "korean-bill-purposes",
        "pairs",
        "CC-BY-4.0",
        _BILL_CREDIT,
        _BILL_ORIGIN,
        read_bill_purposes,
    ),
    Source(
        "question-pair-train",
        "pairs",
        "MIT",
        "Question_pair, songys",
        "git directory of github songys/Question_pair",
        read_question_pairs,
    ),
    Source(
        "kote-validation",
        "labels",
        "MIT",
        "KOTE, Duyoung Jeon and others",
        "git directory of github searle-j/KOTE",
        read_feelings,
    ),
)

"""Invented lives: how one is read, and what makes it worth measuring on.

    python bench/life.py bench/data/lives/ko_a.jsonl [...]    # exit 1 when something is wrong

A life is a file of JSON lines: one `life`, then its `session`s in order of time, then its
`question`s. `bench/data/lives/README.md` says what every field means.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "data" / "lives"
LABELS = "MCOSKPXNF"
KINDS = ("current", "past", "when", "person", "pref", "list", "howto", "never", "forgot")
EMPTY = ("never", "forgot")  # asked for what should not be there
# What a life needs at least: the numbers of docs and of the issue that asked for lives.
LEAST = {"user turns": 120, "sessions": 18, "days": 42, "questions": 50, "changes": 8,
         "C": 5, "P": 2, "X": 2, "N": 1, "F": 2, "S": 12, "never": 5}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn of a life, and what a careful reader says about it."""

    id: str
    session: str
    role: str
    at: datetime
    text: str
    label: str = ""
    supersedes: tuple[str, ...] = ()
    forgets: tuple[str, ...] = ()
    secret: str | None = None
    project: str | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """One question asked the day after the life ends."""

    id: str
    kind: str
    text: str
    answer: tuple[tuple[str, ...], ...] = ()
    evidence: tuple[str, ...] = ()
    outdated: tuple[str, ...] = ()
    as_of: str | None = None


@dataclass(frozen=True, slots=True)
class Life:
    """One invented person and everything they told their assistant."""

    name: str
    language: str
    zone: str
    about: str
    turns: tuple[Turn, ...]
    questions: tuple[Question, ...]
    digest: str = field(default="")

    @property
    def end(self) -> datetime:
        """The morning after the last day."""
        last = self.turns[-1].at
        return (last + timedelta(days=1)).replace(hour=10, minute=0)

    def of_user(self) -> tuple[Turn, ...]:
        """Return the person's own turns."""
        return tuple(each for each in self.turns if each.role == "user")


def texts(value: object) -> tuple[str, ...]:
    """Read a text or a list of texts."""
    if value is None:
        return ()
    return (value,) if isinstance(value, str) else tuple(value)  # type: ignore[arg-type]


def read(path: Path) -> Life:
    """Read one life; its turns stand a minute apart unless they say their own minute."""
    raw = path.read_bytes()
    head: dict[str, Any] = {}
    turns: list[Turn] = []
    questions: list[Question] = []
    for line in raw.decode("utf-8").splitlines():
        if not line.strip():
            continue
        row = json.loads(line)
        if "life" in row:
            head = row
        elif "session" in row:
            start = datetime.fromisoformat(row["at"])
            minute = 0
            for each in row["turns"]:
                minute = each.get("minute", minute)
                turns.append(
                    Turn(
                        each["id"], row["session"], each["role"], start + timedelta(minutes=minute),
                        each["text"], each.get("label", ""), texts(each.get("supersedes")),
                        texts(each.get("forgets")), each.get("secret"), row.get("project"),
                    )
                )  # fmt: skip
                minute += 1
        else:
            questions.append(
                Question(
                    row["question"], row["kind"], row["text"],
                    tuple(texts(each) for each in row.get("answer", ())),
                    texts(row.get("evidence")), texts(row.get("outdated")), row.get("as_of"),
                )
            )  # fmt: skip
    return Life(
        head["life"], head["language"], head["zone"], head["about"], tuple(turns),
        tuple(questions), hashlib.sha256(raw).hexdigest()[:16],
    )  # fmt: skip


def plain(text: str) -> str:
    """Make two writings of the same words equal: one form, one case, no spaces or commas."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return re.sub(r"[\s,]+", "", folded)


def holds(text: str, answer: Sequence[Sequence[str]]) -> bool:
    """True when one of the alternatives stands whole in this text."""
    flat = plain(text)
    return any(all(plain(each) in flat for each in one) for one in answer)


# -- checking -------------------------------------------------------------------------------------

STOP_EN = set(
    "a an the i im ive id me my mine we our you your he she it its they them this that these those "
    "is am are was were be been being do does did done have has had having will would can could "
    "should shall may might must to of in on at by for from with about into over after before and "
    "or but not no so as if than then there here what which who whom whose when where why how "
    "now ever any some all one get got going go remind tell know remember said say told did again "
    "please just exactly much many long old name called whats whos wheres".split()
)
STOP_KO = set(
    "내 나 내가 나는 난 제 제가 저는 전 뭐 뭐야 뭐지 뭐였지 뭐였더라 무엇 언제 언제야 "
    "언제지 어디 어디야 어디서 어디지 누구 누구야 누구지 왜 어떻게 어떤 무슨 몇 얼마 그 "
    "그때 그거 이거 저거 이 저 것 거 좀 지금 요즘 원래 예전 전에 다시 혹시 나한테 내게 "
    "우리 있어 있지 있나 없어 했지 했어 했더라 하지 해 돼 되지 였지 이름 이름이 뭔가 "
    "알려줘 기억나 기억해".split()
)
JOSA = re.compile(
    r"(?:에서는|으로는|한테는|에게는|이라는|라는|에서|으로|한테|에게|까지|부터|보다|처럼|이랑|이나|이야|"
    r"은|는|이|가|을|를|에|의|로|와|과|도|만|랑|나|야|요)$"
)


def content(text: str) -> set[str]:
    """Return the content words of a text: stems in English, first two syllables in Korean."""
    found = set()
    for word in re.findall(r"[a-z']+|[가-힣]+", unicodedata.normalize("NFKC", text).casefold()):
        if re.match(r"[가-힣]", word):
            if word in STOP_KO:
                continue
            bare = JOSA.sub("", word) if len(word) > 2 else word
            if bare not in STOP_KO and len(bare) >= 2:
                found.add(bare[:2])
        else:
            word = word.replace("'", "")
            if word not in STOP_EN and len(word) > 2:
                found.add(re.sub(r"(?:ing|ed|es|s|ly)$", "", word)[:5])
    return found


def share_no_word(life: Life, question: Question) -> bool:
    """True when no evidence of a question holds one of its content words."""
    turns = {each.id: each for each in life.turns}
    asked = content(question.text)
    return not any(asked & content(turns[id].text) for id in question.evidence)


WEEKDAYS = {name: day for day, names in enumerate(
    ("월요일 monday", "화요일 tuesday", "수요일 wednesday", "목요일 thursday", "금요일 friday",
     "토요일 saturday", "일요일 sunday")) for name in names.split()}  # fmt: skip
MONTHS = {name: at for at, name in enumerate(
    "january february march april may june july august september october november december".split(),
    1)}  # fmt: skip
DATED_KO = re.compile(r"(\d{1,2})월\s*(\d{1,2})일\s*\(?([월화수목금토일]요일)")
DATED_EN = re.compile(
    r"(" + "|".join(WEEKDAYS) + r"),?\s+(?:the\s+)?(?:(\d{1,2})(?:st|nd|rd|th)?\s+(?:of\s+)?("
    + "|".join(MONTHS) + r")|(" + "|".join(MONTHS) + r")\s+(\d{1,2}))", re.I,
)  # fmt: skip


def wrong_weekdays(turn: Turn) -> Iterator[str]:
    """Yield every date whose weekday is another one, in the year of the turn or the next."""
    found: list[tuple[int, int, str]] = [
        (int(m), int(d), name) for m, d, name in DATED_KO.findall(turn.text)
    ]
    for name, day, month, month_first, day_after in DATED_EN.findall(turn.text):
        named = (month or month_first).lower()
        found.append((MONTHS[named], int(day or day_after), name.lower()))
    for month, day, name in found:
        try:
            days = [date(turn.at.year + off, month, day).weekday() for off in (-1, 0, 1)]
        except ValueError:
            yield f"{turn.id}: no such date {month}/{day}"
            continue
        if WEEKDAYS[name] not in days:
            yield f"{turn.id}: {month}/{day} is no {name}"


def problems(life: Life) -> Iterator[str]:
    """Yield everything that makes a life wrong or too small to measure on."""
    ids = Counter(each.id for each in (*life.turns, *life.questions))
    yield from (f"{id}: used {times} times" for id, times in ids.items() if times > 1)
    turns = {each.id: each for each in life.turns}
    order = {each.id: at for at, each in enumerate(life.turns)}
    for before, after in zip(life.turns, life.turns[1:], strict=False):
        if after.at < before.at:
            yield f"{after.id}: earlier than {before.id}"
    for turn in life.turns:
        yield from wrong_weekdays(turn)
        if turn.role not in ("user", "assistant"):
            yield f"{turn.id}: role {turn.role!r} is neither user nor assistant"
        if turn.role == "user" and (len(turn.label) != 1 or turn.label not in LABELS):
            yield f"{turn.id}: label {turn.label!r} is none of {LABELS}"
        if turn.role == "assistant" and turn.label:
            yield f"{turn.id}: an assistant's turn bears no label"
        for other in (*turn.supersedes, *turn.forgets):
            if other not in turns or order[other] >= order[turn.id]:
                yield f"{turn.id}: names {other!r}, which is not an earlier turn"
        if turn.label == "F" and not turn.forgets:
            yield f"{turn.id}: F without `forgets`"
        if turn.label == "C" and not turn.supersedes:
            yield f"{turn.id}: C without `supersedes`"
        if (turn.label == "X") != bool(turn.secret):
            yield f"{turn.id}: X and `secret` belong together"
        if turn.secret:
            holding = [each.id for each in life.turns if turn.secret in each.text]
            if holding != [turn.id]:
                yield f"{turn.id}: its secret stands in {holding}"
    outdated = {id for each in life.turns for id in (*each.supersedes, *each.forgets)}
    for question in life.questions:
        yield from wrong_question(question, turns, outdated)
    yield from too_little(life)


def wrong_question(question: Question, turns: dict[str, Turn], outdated: set[str]) -> Iterator[str]:
    """Yield what is wrong with one question."""
    if question.kind not in KINDS:
        yield f"{question.id}: kind {question.kind!r} is none of {KINDS}"
    if question.kind in EMPTY:
        if question.kind == "never" and (question.answer or question.evidence):
            yield f"{question.id}: never said, and yet it has an answer or evidence"
        return
    if not question.answer or not question.evidence:
        yield f"{question.id}: needs an answer and evidence"
    for id in question.evidence:
        if id not in turns:
            yield f"{question.id}: no turn {id!r}"
            return
    held = [turns[id].text for id in question.evidence]
    if question.kind == "list":
        held.append("\n".join(held))
    if not any(holds(text, question.answer) for text in held):
        yield f"{question.id}: no evidence holds one of its answers {question.answer}"
    for one in question.answer:
        if len(plain("".join(one))) < 2:
            yield f"{question.id}: the answer {one} is too short to be looked for"
        if holds(question.text, (one,)):
            yield f"{question.id}: the question itself holds the answer {one}"
    if question.kind != "past" and question.evidence and set(question.evidence) <= outdated:
        yield f"{question.id}: rests only on outdated or forgotten turns"


def too_little(life: Life) -> Iterator[str]:
    """Yield every number a life falls short of."""
    mine = life.of_user()
    labels = Counter(each.label for each in mine)
    kinds = Counter(each.kind for each in life.questions)
    answerable = [each for each in life.questions if each.kind not in EMPTY]
    days = (life.turns[-1].at - life.turns[0].at).days
    have = {
        "user turns": len(mine), "sessions": len({each.session for each in life.turns}),
        "days": days, "questions": len(life.questions),
        "changes": sum(bool(each.supersedes) for each in mine), **labels, "never": kinds["never"],
    }  # fmt: skip
    for name, least in LEAST.items():
        if have.get(name, 0) < least:
            yield f"{name}: {have.get(name, 0)}, at least {least} are needed"
    apart = sum(share_no_word(life, each) for each in answerable if all(
        id in {turn.id for turn in life.turns} for id in each.evidence))  # fmt: skip
    if apart * 2 < len(answerable):
        yield f"{apart} of {len(answerable)} answerable questions share no content word, half must"
    starts = {each.text.strip()[:12] for each in mine}
    if len(starts) < 0.9 * len(mine):
        yield f"only {len(starts)} beginnings in {len(mine)} user turns: too much alike"


def main(paths: Sequence[str]) -> int:
    """Check every life named; say what is wrong, or how large it is."""
    wrong = 0
    for path in paths:
        life = read(Path(path))
        found = list(problems(life))
        wrong += len(found)
        print(f"{life.name}: {len(life.of_user())} user turns, {len(life.questions)} questions, "
              f"labels {dict(Counter(each.label for each in life.of_user()))}, "
              f"kinds {dict(Counter(each.kind for each in life.questions))}")  # fmt: skip
        for line in found:
            print("  " + line)
        for each in life.questions:
            if each.kind not in EMPTY and not found and "--words" in sys.argv:
                shared = share_no_word(life, each)
                print(f"  {each.id} {'apart' if shared else 'shares a word'}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main([each for each in sys.argv[1:] if not each.startswith("--")]))

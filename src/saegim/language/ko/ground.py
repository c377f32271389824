"""Korean clauses: who does what, whether it is denied, and whether it is told, asked or wished."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from saegim.language.ko import ground__korean_marks as marks
from saegim.language.ko.lexicon import KIN
from saegim.language.ko.verbs import closing
from saegim.language.ko.words import bigrams, read, without_particle
from saegim.language.meanings import EMPTY, TIMES
from saegim.language.meanings__clause import ME, Clause, Mood, Subject, without_strangers
from saegim.language.meanings__reading import said, stems_of, words_of
from saegim.language.names import TITLES, korean_person
from saegim.memory.keys import fold


@dataclass(frozen=True, slots=True)
class _Token:
    text: str
    # A comma or the like follows, or a question mark.
    ends: bool
    asked: bool


def clauses(sentence: str) -> list[Clause]:
    """Return the clauses of one sentence, in order."""
    plain = without_strangers(fold(sentence), marks.FIRST_PERSON, "누군가")
    tokens = list(_tokens(plain))
    found, start = [], 0
    for at in range(len(tokens)):
        last = at == len(tokens) - 1
        inner = not last and _tells_whose(tokens, start, at)
        if last or inner or _ends(tokens, start, at):
            clause = _clause(tokens[start : at + 1])
            found.append(replace(clause, embedded=True) if inner else clause)
            start = at + 1
    if tokens and marks.ORDERS.search(tokens[-1].text):
        # 정리하고 공유해줘: both are asked for.
        found = [replace(clause, asks_for=True) for clause in found]
    return found


def starts_open(sentence: str) -> bool:
    """Say whether a sentence begins with a word after which the speaker may be meant again."""
    first = sentence.split(maxsplit=1)[:1]
    return bool(first) and first[0].strip(marks.EDGE + ",") in marks.OPENS


def is_person(noun: str) -> bool:
    """Say whether a noun names a person."""
    if noun in marks.OTHERS or noun in marks.YOU or noun in KIN or noun.removesuffix("들") in KIN:
        return True
    if len(noun) > 1 and noun in TITLES and noun != "이사":
        return True
    return bool(korean_person(noun)) or (
        len(noun) > 2 and noun.endswith(("님", "씨", "쌤", "친구"))
    )


def denials(text: str) -> int:
    """Return how often a clause is denied; twice is not at all."""
    words = [token.text for token in _tokens(marks.NOT_DENYING.sub(" ", fold(text)))]
    count = sum(_denies(words, at) and not _tells_which(words, at) for at in range(len(words)))
    return 1 if not count and not {"별로", "전혀", "절대"}.isdisjoint(words) else count


def _tokens(text: str) -> Iterator[_Token]:
    held: _Token | None = None
    for raw in text.split():
        for piece in re.split(r"(?<=[가-힣])[,;](?=\S)", raw):
            bare = piece.strip(marks.EDGE + ",;")
            tail = piece[piece.rfind(bare) + len(bare) :] if bare else piece
            asked = "?" in tail
            if bare:
                if held:
                    yield held
                held = _Token(
                    bare, asked or piece is not raw or not {*",;."}.isdisjoint(tail), asked
                )
            elif held and asked:
                held = _Token(held.text, True, True)
    if held:
        yield held


def _verb(word: str) -> bool:
    """Say whether a word is a verb or adjective, or a noun with 이다 or 하다."""
    if word in marks.OPENS:
        return False
    if marks.COPULA.search(word) or marks.IS_NOT.search(word):
        return True
    if word.endswith("하고") and len(word) > 3:
        return not is_person(word[:-2])
    asked = read(word).asked
    if not asked or asked[0][0].startswith("~"):
        return bool(stems_of(word))
    return asked[0] != bigrams(without_particle(word))


def _ends(tokens: list[_Token], start: int, at: int) -> bool:
    """Say whether a clause ends after this token, which is not the last one."""
    token, following = tokens[at], tokens[at + 1].text
    # 가려고 해, 가기로 했다, 가야 됨
    helps = stems_of(following) in (("하",), ("되",)) and following not in ("한", "할")
    if helps and not token.ends:
        return False
    if token.text in ("때문에", "덕분에") and at > start:
        return True
    verb = _verb(token.text)
    if verb and marks.CONNECTS.search(token.text):
        return not marks.HELPS.match(following)
    if verb and marks.FINAL.search(token.text) and at > start:
        goes_on = marks.HELPS.match(following) or (
            marks.MELTED.search(token.text) and _verb(following)
        )
        return not goes_on
    if not token.ends:
        return False
    return verb or (at > start and any(_marked(tokens, each) for each in range(start, at + 1)))


def _tells_whose(tokens: list[_Token], start: int, at: int) -> bool:
    """Say whether a verb before a noun has a subject that is not the speaker: 언니가 추천한."""
    word, following = tokens[at].text, without_particle(tokens[at + 1].text)
    if not marks.MODIFIES_ALL.search(word) or not _verb(word) or following in marks.HOLLOW:
        return False
    for each in range(start, at):
        marked = _marked(tokens, each)
        if marked and marked[1] in ("이", "가", "이가", "께서") and is_person(marked[0]):
            return True
    return False


def _denies(words: list[str], at: int) -> bool:
    word = words[at]
    following = words[at + 1] if at + 1 < len(words) else ""
    before = words[at - 1] if at else ""
    if word == "못":
        return bool(following)
    if word == "안":
        noun = without_particle(following) != following and not _verb(following)
        return bool(following) and not noun and not before.endswith(("집", "방", "차", "속"))
    if word[0] in "안못" and len(word) > 1 and _denied_inside(word):
        return True
    if not marks.NOT.isdisjoint(stems_of(word)):
        return True
    if before.endswith("지") and word.startswith(("말", "마")):
        return True
    return bool(marks.DENYING.match(word) or marks.IS_NOT.search(word))


def _tells_which(words: list[str], at: int) -> bool:
    """Say whether the denied verb only tells which one is meant: 가사 없는 음악."""
    if marks.DENYING.match(words[at]):
        return False  # 싫어하는 가수: it is the feeling that is told
    verb = at + 1 if words[at] in ("안", "못") else at
    if verb + 1 >= len(words) or not marks.MODIFIES.search(words[verb]) or not _verb(words[verb]):
        return False
    return without_particle(words[verb + 1]) not in marks.HOLLOW


def _denied_inside(word: str) -> bool:
    """Say whether 안 or 못 is written together with its verb: 안가, 못먹어."""
    rest = word[1:]
    if stems_of(word) and len(rest) == 1 and rest not in "가자사":
        return False
    made = len(rest) > 2 and _verb(rest) and read(rest).asked[:1] != (bigrams(rest),)
    return bool(stems_of(rest)) or made


def _is_me(tokens: list[_Token], at: int) -> bool:
    word = tokens[at].text
    if word not in marks.ME or word not in marks.DOUBTFUL_ME:
        return word in marks.ME
    if word in ("전", "난"):
        before = tokens[at - 1].text if at else ""
        noun = before and not _verb(before) and without_particle(before) == before
        return not (noun or marks.COUNTED.search(before))
    following = tokens[at + 1].text if at + 1 < len(tokens) else ""
    return without_particle(following) not in marks.POINTED_AT


def _marked(tokens: list[_Token], at: int) -> tuple[str, str] | None:
    """Return the noun and the particle, if this token is marked as what the clause is about."""
    word = tokens[at].text
    if latin := marks.LATIN.fullmatch(word):
        return (latin[1], latin[2]) if latin[2] and latin[2] != "의" else None
    before = tokens[at - 1].text if at else ""
    if word in marks.YOU or word == "누군가":
        named = before if is_person(before) else "너"
        return ("누군가" if word == "누군가" else named), "는"
    if before and (titled := marks.TITLED.fullmatch(word)):
        return before, titled[1]
    noun = without_particle(word)
    particle = word[len(noun) :]
    if particle not in marks.SUBJECT or marks.COUNTED.search(word):
        return None
    asked = read(word).asked
    if not is_person(noun) and (not asked or asked[0] != bigrams(noun)):
        return None
    following = tokens[at + 1].text if at + 1 < len(tokens) else ""
    if particle in ("이", "가") and not {"아니", "되"}.isdisjoint(stems_of(following)):
        return None  # 학생이 아니다: what one is not, not who
    if particle == "도" and (noun == "하나" or not is_person(noun)):
        return None
    return noun, particle


def _owner(tokens: list[_Token], at: int) -> str:
    """Return whose the noun at this place is."""
    before = tokens[at - 1].text if at else ""
    if before in marks.MINE:
        return ME
    noun = without_particle(tokens[at].text)
    if noun in TITLES or (korean_person(noun) and not before.endswith("의")):
        return ""  # 혜진 언니, 동생 준호: two names of one
    bare = before.removesuffix("의")
    named = (
        bool(bare) and is_person(bare) and (bare != before or without_particle(before) == before)
    )
    return bare if named else ""


def _subjects(tokens: list[_Token]) -> tuple[Subject, ...]:
    found = []
    for at, token in enumerate(tokens):
        marked = _marked(tokens, at)
        if marked is None or token.text in marks.ME or token.text in marks.MINE:
            continue
        noun, particle = marked
        person = is_person(noun)
        if (
            noun in TIMES
            or noun.endswith("듯")
            or (noun in EMPTY and noun != "이름" and not person)
        ):
            continue
        found.append(Subject(noun, person, _owner(tokens, at), topic=particle in marks.TOPIC))
    if not any(each.person for each in found):
        found += _loose(tokens)
    return tuple(found)


def _loose(tokens: list[_Token]) -> Iterator[Subject]:
    """Yield a person who is named without a particle: 엄마 아프셔, 백엔드는 소라 님 혼자."""
    for at, token in enumerate(tokens):
        following = without_particle(tokens[at + 1].text) if at + 1 < len(tokens) else ""
        if following in ("씨", "님") and tokens[at + 1].text == following:
            yield Subject(token.text, True)
            return
        bare = token.text not in ("그", "자기") and token.text[-1] not in "도만에로를을"
        first = at < 2 and bare and bool(following)
        if first and is_person(token.text) and following not in ("씨", "님"):
            topic = following in marks.PROPERTIES
            yield Subject(token.text, True, _owner(tokens, at), loose=True, topic=topic)
            return


def _mood(tokens: list[_Token], text: str, mine: bool, me: bool) -> Mood:
    last = tokens[-1].text
    asks = bool(marks.ASKED.search(last)) and _verb(last) and not last.endswith("니까")
    if tokens[-1].asked or asks:
        return "told" if mine or (me and marks.TAGGED.search(last)) else "asked"
    if (marks.IF.search(last) and _verb(last)) or tokens[0].text in ("만약", "만약에", "만일"):
        return "if"
    if marks.WISH.search(text):
        return "wish"
    return "plan" if marks.PLAN.search(text) else "told"


def _is_past(tokens: list[_Token]) -> bool | None:
    """Say whether the last verb is past: 었 closes with ㅆ, as 있 and 겠 do; 봄 may be either."""
    verbs = [token.text for token in tokens if _verb(token.text)]
    letters = [letter for letter in verbs[-1] if "가" <= letter <= "힣"] if verbs else []
    if any(closing(letter) == 20 and letter not in "있겠" for letter in letters):
        return True
    if not letters or closing(letters[-1]) == 16 or marks.TIMELESS.search(verbs[-1]):
        return None
    return False


def _honours(word: str) -> bool:
    """Say whether a verb honours its subject, so that it is not the speaker: 사셔, not 마셔."""
    stems = stems_of(word)
    own = any(stem.endswith("시") and stem != "계시" for stem in stems)
    return bool(marks.HONOURS.search(word)) and _verb(word) and not own


def _ways(text: str) -> frozenset[tuple[str, str]]:
    start, goal = marks.FROM.findall(text), marks.TO.findall(text)
    if not start or not goal:
        return frozenset()
    return frozenset([(noun, "from") for noun in start] + [(noun, "to") for noun in goal])


def _clause(tokens: list[_Token]) -> Clause:
    words = [token.text for token in tokens]
    text = " ".join(words)
    me = any(_is_me(tokens, at) for at in range(len(tokens)))
    mine = not marks.MINE.isdisjoint(words)
    subjects = _subjects(tokens)
    people = any(each.person for each in subjects)
    if not me and not people:
        if any(map(marks.FEELS.match, words)):
            me = True
        elif marks.HEARD.search(words[-1]) or any(map(_honours, words)):
            subjects = (*subjects, Subject("누군가", True))
    bare = [without_particle(word) for word in words]
    return Clause(
        text=text,
        said=said(text),
        subjects=subjects,
        me=me,
        to_me=not marks.TO_ME.isdisjoint(words),
        partners=frozenset(
            noun for noun, word in zip(bare, words, strict=True) if word[len(noun) :] in marks.WITH
        ),
        owned=frozenset(
            (noun, owner) for at, noun in enumerate(bare) if (owner := _owner(tokens, at))
        ),
        without=frozenset(
            key
            for each in marks.WITHOUT.findall(text)
            for word in words_of(each)
            for key in word.keys
        ),
        denied=denials(text) % 2 == 1,
        asks_for=bool(marks.LIKES.search(text) or marks.ORDERS.search(words[-1])),
        mood=_mood(tokens, text, mine, me),
        past=_is_past(tokens),
        ways=_ways(text),
        was=bool(marks.WAS.search(words[-1])),
    )

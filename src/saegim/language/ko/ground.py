"""Korean clauses: who does what, whether it is denied, and whether it is told, asked or wished."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from saegim.language.ko.lexicon import KIN
from saegim.language.ko.verbs import closing
from saegim.language.ko.words import TITLES, bigrams, read, without_particle
from saegim.language.meanings import (
    EMPTY,
    ME,
    TIMES,
    ClauseSubject,
    GroundClause,
    Mood,
    said,
    stems_of,
    without_strangers,
    words_of,
)
from saegim.language.names import korean_person
from saegim.language.word_lists import read_lists
from saegim.memory.text import fold

_LISTS: Final = read_lists("ko/ground")

# ---- How Korean marks who does it, who is spoken of, and how a clause ends and is meant.

EDGE: Final = "()[]{}<>.!?~…:\"'`“”‘’「」『』《》ㅋㅎㅠㅜㅇ^*♡♥·-–—"
ME_WORD: Final = _LISTS.words("me_word")
DOUBTFUL_ME: Final = frozenset(str.split("전 난 저 나"))
TO_ME: Final = _LISTS.words("to_me")
MINE: Final = frozenset(str.split("내 제 우리 저희 나의 저의 울"))
YOU: Final = frozenset(str.split("너 넌 너는 네가 니가 너도 당신 당신은 당신이 자네"))
# 누군가 stands for the I of someone who is quoted.
OTHERS: Final = frozenset(str.split("걔 얘 쟤 그 그녀 그분 걔네 애들 친구들 자기 누군가"))
FIRST_PERSON: Final = re.compile(
    r"(?<![가-힣])(?:나는|난|내가|나도|저는|제가|저도|나|저|내|제|우리)(?![가-힣])"
)
SUBJECT: Final = _LISTS.words("subject")
# 소라 님이: the name stands before it.
TITLED: Final = re.compile("(?:님|씨)(이|은|가|는|도|께서)")
TOPIC: Final = frozenset(str.split("은 는 께서는 이는 님은 들은"))
WITH: Final = frozenset(str.split("와 과 랑 이랑 하고 와는 과는 랑은"))
LATIN: Final = re.compile(r"([A-Za-z][A-Za-z0-9.+#-]*)(은|는|이|가|께서|도|의)?")
POINTED_AT: Final = _LISTS.words("pointed_at")
PROPERTIES: Final = _LISTS.words("properties")
NOT: Final = frozenset(str.split("않 못하 안되 안하 아니 없 맛없 재미없"))
DENYING: Final = re.compile(
    r"싫|끊|그만[두둔둘둬뒀]|관[두둬뒀]|중단|퇴사|질색|혐오|불가능|금지|사양|별로[야다예였]"
)
NOT_DENYING: Final = re.compile(
    r"(?:수밖에 |틀림|상관|문제|끊임|어쩔 수 |다름|빠짐|변함)없\S*|지 않나\S*|안녕\S*|안 그래도"
    r"|못지\S*|(?:비행기|기차|표|티켓|전화|버스|항공권)\S* 끊\S*|없이는?(?![가-힣])"
)
IS_NOT: Final = re.compile(r"[가-힣](?:아니[야다에예라었고지]|아님$|아닌데$)")
CONNECTS: Final = re.compile(
    r"(?:[는은인한던운큰쁜]데|지만|고|고서|며|면서|[가-힣]서|니까|길래|느라|다가|더니|거든|거든요|면|도록"
    r"|므로|라|러|려고|자마자|잖아)$"
)
# A sentence may end here without a mark; after 아 and 어 a verb may go on: 살아 있다.
FINAL: Final = re.compile(r"(?:야|요|다|네|지|죠|거든|음|함|임|됨|줘|잖아|군|더라|니다|어|아|해)$")
MELTED: Final = re.compile("(?:[어아해]|다)$")
# 이다 after a noun or a number: 중인데, 158이라.
COPULA: Final = re.compile(
    r"[0-9A-Za-z%)가-힣](?:인데|이고|이라|이라서|이지만|이며|이면|이니까|입니다|이야|이다|예요|이에요|였어"
    r"|였다|이었|이래|임|이거든)$|[0-9A-Za-z%](?:라|라서|고|며|지만|야|다|면)$"
)
HELPS: Final = re.compile(
    r"하더|하시|하고|라고|이라고|싶|있|않|못|말|마[라세]|계[시셔세]|나서|보니|다니|가지|좋겠|됩|된|될"
)
# The time of these is that of the clause after them.
TIMELESS: Final = re.compile(r"(?:고|고서|[가-힣]서|다가|며|면서|러|려고|느라|면|자마자)$")
WAS: Final = re.compile(r"[가-힣](?:였|이었)[가-힣]{1,3}$")
IF: Final = re.compile(r"(?:[가-힣]면|더라도|든지|거나)$")
ASKED: Final = re.compile(r"(?:까|까요|나요|니|냐|는지|은지|을지|던가|[은는인던]가요|을래|더라)$")
TAGGED: Final = re.compile(r"(?:지|죠|잖아|잖아요|했나)$")
WISH: Final = re.compile(r"싶[어다은네습지었]|싶$|원하|원해|원한|좋겠|바라|희망")
PLAN: Final = re.compile(
    r"거야|거예요|겁니다|거임|것이다|예정|계획|작정|셈이|생각이야|려고|려구|으려|기로|[갈할을]게|겠어|겠다"
    r"|겠습|목표|야 (?:돼|되|됨|된|한|해|하|됩|합)"
)
ORDERS: Final = re.compile(
    r"(?:줘|줘요|주세요|주라|줄래|줄래요|세요|십시오|해라|마라|마세요|말아|자|달라|바람|부탁해|부탁해요"
    r"|부탁드려요)$"
)
LIKES: Final = re.compile(r"좋|선호|싫|편하|편해|낫|나아|질색|힘들|불편|정신없")
HEARD: Final = re.compile(r"(?:[ㄴ가-힣]대|대요|래요|이래|다더라|다던데|라던데|다던)$")
HONOURS: Final = re.compile(
    r"(?:셔|셔요|셨[가-힣]{1,3}|신다|시는|시더[가-힣]*|시고|십니다|계세요|계신[가-힣]*|시네요?)$"
)
# What one feels is the speaker's own where no one else is named.
FEELS: Final = re.compile(
    r"수치|기[뻐쁘쁜]|슬[퍼프픈]|힘들|속상|무[서섭]|화[나가났]|짜증|행복|불안|걱정|우울|부[럽러]|외[롭로]"
    r"|서운|억울|뿌듯|싫|미안|고[맙마]|당황|놀[라랐]|답답|피곤|아쉬|아쉽|그[립리]|좋겠|싶"
)
WITHOUT: Final = re.compile(
    r"((?:[가-힣]{1,12}[한진운은는인된] )?[가-힣A-Za-z0-9]{1,20})(?:[이가은는]? 없는"
    r"|[이가은는]? 안 들어간| ?없이는?| ?빼고| ?말고| 제외하고| 대신| (?:것|거|게|쪽)보다|보다)"
    r"(?:는|도)?(?![가-힣])"
)
HOLLOW: Final = _LISTS.words("hollow")
MODIFIES: Final = re.compile("[는은던을한된인]$")
MODIFIES_ALL: Final = re.compile("(?:[는은던을한된]|[가-힣][준본온간산신쓴탄만든운])$")
FROM: Final = re.compile(r"([가-힣A-Za-z0-9]{1,20}?)(?:에서|부터|한테서|에게서)(?![가-힣])")
TO: Final = re.compile(r"([가-힣A-Za-z0-9]{1,20}?)(?:으로|로|까지|한테|에게)(?![가-힣])")
COUNTED: Final = re.compile(r"[0-9]")
OPENS: Final = _LISTS.words("opens")


# ---- Korean clauses: who does what, whether it is denied, and whether it is told, asked or wished.


@dataclass(frozen=True, slots=True)
class _Token:
    text: str
    # A comma or the like follows, or a question mark.
    ends: bool
    asked: bool


def clauses(sentence: str) -> list[GroundClause]:
    """Return the clauses of one sentence, in order."""
    plain = without_strangers(fold(sentence), FIRST_PERSON, "누군가")
    tokens = list(_tokens(plain))
    found, start = [], 0
    for at in range(len(tokens)):
        last = at == len(tokens) - 1
        inner = not last and _tells_whose(tokens, start, at)
        if last or inner or _ends(tokens, start, at):
            clause = _clause(tokens[start : at + 1])
            found.append(replace(clause, embedded=True) if inner else clause)
            start = at + 1
    if tokens and ORDERS.search(tokens[-1].text):
        # 정리하고 공유해줘: both are asked for.
        found = [replace(clause, asks_for=True) for clause in found]
    return found


def starts_open(sentence: str) -> bool:
    """Say whether a sentence begins with a word after which the speaker may be meant again."""
    first = sentence.split(maxsplit=1)[:1]
    return bool(first) and first[0].strip(EDGE + ",") in OPENS


def is_person(noun: str) -> bool:
    """Say whether a noun names a person."""
    if noun in OTHERS or noun in YOU or noun in KIN or noun.removesuffix("들") in KIN:
        return True
    if len(noun) > 1 and noun in TITLES and noun != "이사":
        return True
    return bool(korean_person(noun)) or (
        len(noun) > 2 and noun.endswith(("님", "씨", "쌤", "친구"))
    )


def denials(text: str) -> int:
    """Return how often a clause is denied; twice is not at all."""
    words = [token.text for token in _tokens(NOT_DENYING.sub(" ", fold(text)))]
    count = sum(_denies(words, at) and not _tells_which(words, at) for at in range(len(words)))
    return 1 if not count and not {"별로", "전혀", "절대"}.isdisjoint(words) else count


def _tokens(text: str) -> Iterator[_Token]:
    held: _Token | None = None
    for raw in text.split():
        for piece in re.split(r"(?<=[가-힣])[,;](?=\S)", raw):
            bare = piece.strip(EDGE + ",;")
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
    if word in OPENS:
        return False
    if COPULA.search(word) or IS_NOT.search(word):
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
    if verb and CONNECTS.search(token.text):
        return not HELPS.match(following)
    if verb and FINAL.search(token.text) and at > start:
        goes_on = HELPS.match(following) or (MELTED.search(token.text) and _verb(following))
        return not goes_on
    if not token.ends:
        return False
    return verb or (at > start and any(_marked(tokens, each) for each in range(start, at + 1)))


def _tells_whose(tokens: list[_Token], start: int, at: int) -> bool:
    """Say whether a verb before a noun has a subject that is not the speaker: 언니가 추천한."""
    word, following = tokens[at].text, without_particle(tokens[at + 1].text)
    if not MODIFIES_ALL.search(word) or not _verb(word) or following in HOLLOW:
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
    if not NOT.isdisjoint(stems_of(word)):
        return True
    if before.endswith("지") and word.startswith(("말", "마")):
        return True
    return bool(DENYING.match(word) or IS_NOT.search(word))


def _tells_which(words: list[str], at: int) -> bool:
    """Say whether the denied verb only tells which one is meant: 가사 없는 음악."""
    if DENYING.match(words[at]):
        return False  # 싫어하는 가수: it is the feeling that is told
    verb = at + 1 if words[at] in ("안", "못") else at
    if verb + 1 >= len(words) or not MODIFIES.search(words[verb]) or not _verb(words[verb]):
        return False
    return without_particle(words[verb + 1]) not in HOLLOW


def _denied_inside(word: str) -> bool:
    """Say whether 안 or 못 is written together with its verb: 안가, 못먹어."""
    rest = word[1:]
    if stems_of(word) and len(rest) == 1 and rest not in "가자사":
        return False
    made = len(rest) > 2 and _verb(rest) and read(rest).asked[:1] != (bigrams(rest),)
    return bool(stems_of(rest)) or made


def _is_me(tokens: list[_Token], at: int) -> bool:
    word = tokens[at].text
    if word not in ME_WORD or word not in DOUBTFUL_ME:
        return word in ME_WORD
    if word in ("전", "난"):
        before = tokens[at - 1].text if at else ""
        noun = before and not _verb(before) and without_particle(before) == before
        return not (noun or COUNTED.search(before))
    following = tokens[at + 1].text if at + 1 < len(tokens) else ""
    return without_particle(following) not in POINTED_AT


def _marked(tokens: list[_Token], at: int) -> tuple[str, str] | None:
    """Return the noun and the particle, if this token is marked as what the clause is about."""
    word = tokens[at].text
    if latin := LATIN.fullmatch(word):
        return (latin[1], latin[2]) if latin[2] and latin[2] != "의" else None
    before = tokens[at - 1].text if at else ""
    if word in YOU or word == "누군가":
        named = before if is_person(before) else "너"
        return ("누군가" if word == "누군가" else named), "는"
    if before and (titled := TITLED.fullmatch(word)):
        return before, titled[1]
    noun = without_particle(word)
    particle = word[len(noun) :]
    if particle not in SUBJECT or COUNTED.search(word):
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
    if before in MINE:
        return ME
    noun = without_particle(tokens[at].text)
    if noun in TITLES or (korean_person(noun) and not before.endswith("의")):
        return ""  # 혜진 언니, 동생 준호: two names of one
    bare = before.removesuffix("의")
    named = (
        bool(bare) and is_person(bare) and (bare != before or without_particle(before) == before)
    )
    return bare if named else ""


def _subjects(tokens: list[_Token]) -> tuple[ClauseSubject, ...]:
    found = []
    for at, token in enumerate(tokens):
        marked = _marked(tokens, at)
        if marked is None or token.text in ME_WORD or token.text in MINE:
            continue
        noun, particle = marked
        person = is_person(noun)
        if (
            noun in TIMES
            or noun.endswith("듯")
            or (noun in EMPTY and noun != "이름" and not person)
        ):
            continue
        found.append(ClauseSubject(noun, person, _owner(tokens, at), topic=particle in TOPIC))
    if not any(each.person for each in found):
        found += _loose(tokens)
    return tuple(found)


def _loose(tokens: list[_Token]) -> Iterator[ClauseSubject]:
    """Yield a person who is named without a particle: 엄마 아프셔, 백엔드는 소라 님 혼자."""
    for at, token in enumerate(tokens):
        following = without_particle(tokens[at + 1].text) if at + 1 < len(tokens) else ""
        if following in ("씨", "님") and tokens[at + 1].text == following:
            yield ClauseSubject(token.text, True)
            return
        bare = token.text not in ("그", "자기") and token.text[-1] not in "도만에로를을"
        first = at < 2 and bare and bool(following)
        if first and is_person(token.text) and following not in ("씨", "님"):
            topic = following in PROPERTIES
            yield ClauseSubject(token.text, True, _owner(tokens, at), loose=True, topic=topic)
            return


def _mood(tokens: list[_Token], text: str, mine: bool, me: bool) -> Mood:
    last = tokens[-1].text
    asks = bool(ASKED.search(last)) and _verb(last) and not last.endswith("니까")
    if tokens[-1].asked or asks:
        return "told" if mine or (me and TAGGED.search(last)) else "asked"
    if (IF.search(last) and _verb(last)) or tokens[0].text in ("만약", "만약에", "만일"):
        return "if"
    if WISH.search(text):
        return "wish"
    return "plan" if PLAN.search(text) else "told"


def _is_past(tokens: list[_Token]) -> bool | None:
    """Say whether the last verb is past: 었 closes with ㅆ, as 있 and 겠 do; 봄 may be either."""
    verbs = [token.text for token in tokens if _verb(token.text)]
    letters = [letter for letter in verbs[-1] if "가" <= letter <= "힣"] if verbs else []
    if any(closing(letter) == 20 and letter not in "있겠" for letter in letters):
        return True
    if not letters or closing(letters[-1]) == 16 or TIMELESS.search(verbs[-1]):
        return None
    return False


def _honours(word: str) -> bool:
    """Say whether a verb honours its subject, so that it is not the speaker: 사셔, not 마셔."""
    stems = stems_of(word)
    own = any(stem.endswith("시") and stem != "계시" for stem in stems)
    return bool(HONOURS.search(word)) and _verb(word) and not own


def _ways(text: str) -> frozenset[tuple[str, str]]:
    start, goal = FROM.findall(text), TO.findall(text)
    if not start or not goal:
        return frozenset()
    return frozenset([(noun, "from") for noun in start] + [(noun, "to") for noun in goal])


def _clause(tokens: list[_Token]) -> GroundClause:
    words = [token.text for token in tokens]
    text = " ".join(words)
    me = any(_is_me(tokens, at) for at in range(len(tokens)))
    mine = not MINE.isdisjoint(words)
    subjects = _subjects(tokens)
    people = any(each.person for each in subjects)
    if not me and not people:
        if any(map(FEELS.match, words)):
            me = True
        elif HEARD.search(words[-1]) or any(map(_honours, words)):
            subjects = (*subjects, ClauseSubject("누군가", True))
    bare = [without_particle(word) for word in words]
    return GroundClause(
        text=text,
        said=said(text),
        subjects=subjects,
        me=me,
        to_me=not TO_ME.isdisjoint(words),
        partners=frozenset(
            noun for noun, word in zip(bare, words, strict=True) if word[len(noun) :] in WITH
        ),
        owned=frozenset(
            (noun, owner) for at, noun in enumerate(bare) if (owner := _owner(tokens, at))
        ),
        without=frozenset(
            key for each in WITHOUT.findall(text) for word in words_of(each) for key in word.keys
        ),
        denied=denials(text) % 2 == 1,
        asks_for=bool(LIKES.search(text) or ORDERS.search(words[-1])),
        mood=_mood(tokens, text, mine, me),
        past=_is_past(tokens),
        ways=_ways(text),
        was=bool(WAS.search(words[-1])),
    )

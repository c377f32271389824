"""Word analysis by rules: what is found, what is not, and that any string may be given."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engines.korean_queries import CASES, DISTRACTORS, NEGATIVES
from engines.shelf import Shelf, false_positives, labelled_shelf, precision, recall
from saegim.language.en.words import stem
from saegim.language.ko.words import bigrams
from saegim.language.words import Analyser, Basic, Term
from saegim.memory.text import normalise
from stand_ins import rounds

BASIC = Basic()
ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=60)
TYPED = st.text(
    "가나다라마바사는을에서했다고도책회의ABCabcé0123.-_+#@/:' \n\tㅋㅠ日の🎉", max_size=40
)
QUESTIONS = st.sampled_from([case.query for case in CASES] + list(NEGATIVES))


@pytest.fixture(scope="module")
def shelf() -> Shelf:
    """Give the labelled set in a real full-text table."""
    return labelled_shelf(BASIC)


def full_width(text: str) -> str:
    """Write ASCII the way an East Asian keyboard may."""
    wide = {0x20: 0x3000, **{code: code + 0xFEE0 for code in range(0x21, 0x7F)}}
    return text.translate(wide)


def finds(question: str, memory: str) -> bool:
    """Say whether the memory alone answers the question."""
    return Shelf(BASIC, [memory]).ask(question) == [memory]


def asked(question: str) -> list[tuple[str, ...]]:
    """Return the phrases a question asks for."""
    return [term.tokens for term in BASIC.query(question)]


def test_the_labelled_set_is_as_large_as_it_has_to_be() -> None:
    """U3.1: at least 60 Korean, 30 mixed and 500 distractors, half of the cases held out."""
    assert sum(case.language == "ko" for case in CASES) >= 60
    assert sum(case.language == "mixed" for case in CASES) >= 30
    assert len(set(DISTRACTORS)) >= 500
    assert len(NEGATIVES) >= 40
    assert sum(case.held_out for case in CASES) * 2 == len(CASES)


@pytest.mark.parametrize("held_out", [False, True])
@pytest.mark.parametrize("language", ["ko", "mixed"])
def test_korean_and_mixed_questions_find_their_memory(
    shelf: Shelf, language: str, held_out: bool
) -> None:
    """U3.1, U3.4: recall@5 is at least 0.95 without any dictionary, held out or not."""
    found = recall(shelf, lambda case: (case.language, case.held_out) == (language, held_out))
    assert found >= 0.95


def test_english_questions_find_their_memory(shelf: Shelf) -> None:
    """U3.1: the English control reaches the same recall@5."""
    assert recall(shelf, lambda case: case.language == "en") >= 0.95


def test_korean_answers_are_as_precise_as_english_ones(shelf: Shelf) -> None:
    """U3.1: precision@5 of Korean and mixed questions is within 5 points of the English control."""
    korean = precision(shelf, lambda case: case.language != "en")
    assert korean >= precision(shelf, lambda case: case.language == "en") - 0.05


def test_a_shared_ending_is_no_answer(shelf: Shelf) -> None:
    """U3.2: at most 5 % of the questions that share only endings or particles get an answer."""
    assert false_positives(shelf) <= 0.05


class Naive:
    """Words cut at spaces and into pairs, without any rule: what the rules are measured against."""

    name = "naive"

    def index(self, text: str) -> list[str]:
        return [
            pair
            for word in text.replace('"', "").replace("'", "").split()
            for pair in bigrams(word)
        ]

    def query(self, text: str) -> list[Term]:
        return [Term((token,), token) for token in self.index(text)]


def test_without_the_rules_the_same_measures_fail() -> None:
    """U3.2, negative control: plain pairs answer most of what must get no answer."""
    assert false_positives(labelled_shelf(Naive())) > 0.5


VERBS = [
    "일한다 일해 일하지 일하고 일했어 일해요 일하는",
    "마시다 마셔 마셨어 마신다 마시는 마시고 마실까요 마셨습니다 마시면서 마십니다 마셨던",
    "이끌다 이끌었다 이끄는 이끈다 이끌고 이끌어서 이끕니다",
    "듣다 들었어요 듣는 들으면 듣고 들어서",
    "걷다 걸었다 걷는 걸으면서 걷고",
    "돕다 도와 도왔다 도운 돕는 도와줬어 도와주세요",
    "춥다 추워 추웠어 추운 추우면",
    "무겁다 무거운 무거웠다 무거워서",
    "모르다 몰라 몰랐어 모르는 모른다 모릅니다",
    "빠르다 빨라 빨랐다 빠른 빠르게",
    "아프다 아파 아팠어 아픈 아프면",
    "쓰다 썼다 쓰는 써요 쓰고 쓴다",
    "낫다 나았다 나은 낫고",
    "빨갛다 빨간 빨개요",
    "만들다 만들었다 만드는 만든 만들어 만듭니다 만들고 만들자",
    "가르치다 가르쳤어요 가르치는 가르쳐요",
    "읽다 읽었어 읽는 읽은 읽고 읽으면 읽겠습니다",
    "좋아하다 좋아해 좋아하는 좋아했어 좋아합니다 좋아할까",
    "공부하다 공부했다 공부하고 공부합니다 공부해요 공부하는 공부한",
    "시작되다 시작됐다 시작되었습니다 시작되는 시작될",
    "머뭇거리다 머뭇거렸다 머뭇거리는 머뭇거리고 머뭇거립니다",
    "뒤엎었다 뒤엎는 뒤엎고 뒤엎습니다",
    "주무시다 주무셨어요 주무시는",
]


@pytest.mark.parametrize("forms", [group.split() for group in VERBS], ids=lambda forms: forms[0])
def test_each_form_of_a_verb_finds_every_other(forms: list[str]) -> None:
    """U3.1: inflected verbs and adjectives, irregular ones too, meet in the index."""
    missed = [(a, b) for a in forms for b in forms if not finds(a, f"어제 {b} 그랬지")]
    assert missed == []


NOUNS = [
    "책 책은 책이 책을 책도 책에서 책으로 책들이 책까지 책입니다",
    "차 차는 차가 차를 차로 차에서 차입니다",
    "회의 회의는 회의가 회의를 회의에서 회의까지는 회의였다 회의라고 회의입니다",
    "고양이 고양이는 고양이가 고양이를 고양이에게 고양이들의 고양이한테서",
    "온도 온도는 온도가 온도를 온도로",
    "도서관 도서관은 도서관이 도서관에서는 도서관으로 도서관이에요 도서관인데",
    "서울 서울은 서울로 서울에서 서울까지도 서울이라서",
    "사람 사람은 사람들이 사람에게 사람처럼 사람이었어요",
]


@pytest.mark.parametrize("forms", [group.split() for group in NOUNS], ids=lambda forms: forms[0])
def test_each_form_of_a_noun_finds_every_other(forms: list[str]) -> None:
    """U3.1: bare, with any particle, of one, two or more syllables, with the copula."""
    missed = [(a, b) for a in forms for b in forms if not finds(a, f"오늘 {b} 그렇다")]
    assert missed == []


@pytest.mark.parametrize(
    ("question", "memory"),
    [
        ("청소", "로봇청소기를 샀다"),
        ("공항", "인천국제공항까지 갔다"),
        ("데이터베이스", "데이터 베이스를 옮겼다"),
        ("재택 근무", "재택근무가 늘었다"),
        ("Notion", "Notion에 적었다"),
        ("notion", "우리Notion페이지"),
        ("노션에서 Notion으로", "Notion입니다"),
        ("책", "“책”은 덮었다"),
        ("3시", "오후 3시에 만나"),
        ("3시에", "3시까지"),
        ("80만원", "80만 원에 팔았다"),
        ("1000원", "1,000원짜리"),
        ("부서", "IT부서로 옮겼다"),
        ("보내다", "편지를 돌려보냈다"),
    ],
)
def test_parts_and_neighbours_of_a_word_are_found(question: str, memory: str) -> None:
    """U3.1: compound parts, other spacing, Latin with a particle, numbers with a unit."""
    assert finds(question, memory)


@pytest.mark.parametrize(
    ("question", "memory"),
    [
        ("책", "책상을 닦았다"),
        ("방", "공사가 방해가 된다"),
        ("3시", "3시간 걸렸다"),
        ("이사", "동생이 사과를 깎았다"),
        ("IT", "it rains"),
        ("C++", "vitamin C"),
        ("car", "I care about it"),
        ("일기", "매일 기도한다"),
    ],
)
def test_what_only_looks_alike_is_not_found(question: str, memory: str) -> None:
    """U3.2, negative control: a word is not found by letters that are not it."""
    assert not finds(question, memory)


SPECIAL = [
    ("agentic-os", "the agentic-os repository is private"),
    ("agentic", "the agentic-os repository is private"),
    ("agentic os", "the agentic-os repository is private"),
    ("C++", "게임은 C++로 만든다"),
    ("C#", "스크립트는 C#이다"),
    (".env", "비밀은 config/.env에 둔다"),
    ("env", "비밀은 .env에 둔다"),
    ("ubuntu 20.04", "Ubuntu 20.04 LTS server"),
    ("20.04", "Ubuntu-20.04"),
    ("/var/log/nginx/error.log", "look into /var/log/nginx/error.log first"),
    ("error.log", "look into /var/log/nginx/error.log first"),
    ("C:\\Users\\me\\notes.txt", "saved as C:\\Users\\me\\notes.txt"),
    ("ops@example.org", "mail ops@example.org"),
    ("example.org", "mail ops@example.org"),
    ("user_id", "the key is user_id"),
    ("user", "the key is user_id"),
    ("getUserProfile", "getUserProfile() is called twice"),
    ("getuserprofile", "getUserProfile() is called twice"),
    ("profile", "getUserProfile() is called twice"),
    ("github", "GitHub에 올렸다"),
    ("GitHub", "pushed to github"),
    ("GPT-4", "GPT4로 요약"),
    ("gpt4", "GPT-4로 요약"),
    ("10km", "a 10 km run"),
    ("v2.7.1", "released v2.7.1 today"),
    ("2.7.1", "released v2.7.1 today"),
    ("2026-11-15", "due on 2026-11-15"),
    (
        "File \"/srv/job.py\", line 12, in run\nKeyError: 'tenant'",
        "job.py raises KeyError: 'tenant'",
    ),
    ("email", "an e-mail came"),
    ("cafe", "the Café is closed"),
    ("PDF", "all PDFs are signed"),
    ("東京", "来週は東京へ行く"),
    ("検索システム", "新しい検索システムを作る"),
    ("水", "水を飲む"),
    ("信息检索", "中文信息检索系统"),
    ("привет", "Привет, мир"),
    ("हिन्दी", "हिन्दी भाषा"),
    ("🎉", "합격했다 🎉"),
    ("ㅋㅋㅋㅋ", "그래 ㅋㅋ"),
]


@pytest.mark.parametrize(("question", "memory"), SPECIAL)
def test_special_strings_find_their_memory(question: str, memory: str) -> None:
    """U29.1: names with signs, paths, addresses, versions, traces and other scripts are found."""
    assert finds(question, memory)


@pytest.mark.parametrize(
    "question",
    [
        *("한다", "에서", "합니다", "있어", "했습니다", "있었어요", "입니다", "되었다"),
        *("하고 있다", "까지는", "the", "of the", "is it", "", " ", "?!", "\x00", "\ud800"),
        *("…", '"', "'"),
    ],
)
def test_a_question_of_endings_alone_asks_for_nothing(question: str) -> None:
    """U3.2: particles, endings and function words are no question."""
    assert BASIC.query(question) == []


@pytest.mark.parametrize(
    ("question", "phrases"),
    [
        ("내 생일이 언제야?", [("생일",)]),
        ("제일 좋아하는 음식이 뭐야", [("좋아",), ("음식",)]),
        ("어디에서 태어났어?", [("~태어나",)]),
        ("비밀번호 알려줘", [("비밀", "밀번", "번호")]),
        ("What did I say about the boiler?", [("boiler",)]),
        ("영화 봤어?", [("영화",)]),
        ("언제", [("언제",)]),
        ("what", [("what",)]),
        ("Notion 페이지", [("notion",), ("페이", "이지")]),
        ("회의 회의", [("회의",)]),
    ],
)
def test_a_question_asks_once_for_each_word_that_counts(
    question: str, phrases: list[tuple[str, ...]]
) -> None:
    """U3.1: question words go while something else is left, and no word counts twice."""
    assert asked(question) == phrases


def test_a_term_shows_the_word_as_it_was_written() -> None:
    """U3.1: an explanation can name the person's own word."""
    assert [term.surface for term in BASIC.query("Notion에서 회의록을")] == ["Notion", "회의록을"]


@pytest.mark.parametrize(
    "forms",
    [
        "run runs running ran",
        "plan plans planned planning",
        "study studies studied studying",
        "use uses used using",
        "store stores stored storing",
        "control controls controlled controlling",
        "library libraries",
        "dress dresses",
        "cookie cookies",
        "break breaks broke broken breaking",
        "cancel cancels cancelled canceled",
    ],
)
def test_the_forms_of_an_english_word_share_a_stem(forms: str) -> None:
    """U3.1: plural, -ing, -ed with doubled consonants and lost e, -ies, common irregular verbs."""
    assert len({stem(form) for form in forms.split()}) == 1


@pytest.mark.parametrize("pair", ["car care", "plan plane", "hat hate", "sit site", "need knee"])
def test_different_english_words_keep_different_stems(pair: str) -> None:
    """U3.1, negative control: stemming does not melt short words into each other."""
    first, second = pair.split()
    assert stem(first) != stem(second)


@given(TYPED | QUESTIONS)
def test_the_way_a_text_was_typed_changes_nothing(text: str) -> None:
    """U3.3: NFC, NFD and full-width give the same tokens and the same terms."""
    composed = unicodedata.normalize("NFC", text)
    for other in (unicodedata.normalize("NFD", text), full_width(composed), "\ufeff" + composed):
        assert BASIC.query(other) == BASIC.query(composed)
        assert BASIC.index(other) == BASIC.index(composed)


@settings(max_examples=rounds(300, 40))
@given(ANY_TEXT | TYPED)
def test_any_string_is_a_document_and_a_question(text: str) -> None:
    """U29.1: tokens are lower-case, without space or quote, and FTS5 takes them as they are."""
    tokens = BASIC.index(text)
    tokens += [token for term in BASIC.query(text) for token in term.tokens]
    for token in tokens:
        assert token
        assert token == normalise(token)
        assert not any(char.isspace() or char in "\"'\x00" for char in token)
    shelf = Shelf(BASIC, [text])
    kept = shelf.database.execute("SELECT count(*) FROM word WHERE tokens <> ''").fetchone()
    assert kept == (1 if BASIC.index(text) else 0,)
    assert shelf.ask(text) in ([], [text])


@settings(max_examples=rounds(150, 40))
@given(st.lists(QUESTIONS | TYPED, min_size=1, max_size=6).map(" ".join))
def test_a_memory_answers_to_its_own_words(text: str) -> None:
    """U3.1: whatever is asked for in a text stands in that text's index, phrase by phrase."""
    if BASIC.query(text):
        assert finds(text, text)


LONG = [
    "가",
    "가나 ",
    "먹고싶",
    "a",
    "aA",
    "a-",
    "a'",
    "1.",
    "1,000",
    "水",
    "水の",
    "ア",
    "с",
    "ㅋㅎ",
    "!",
    " ",
    "\x00",
]


@pytest.mark.parametrize("unit", LONG)
def test_a_hundred_kilobytes_of_anything_are_read(unit: str) -> None:
    """U29.1: no input is too long, and no question asks for more than an index should answer."""
    text = unit * (rounds(100_000, 25_000) // len(unit.encode()))
    assert len(BASIC.index(text)) <= 2 * len(text)
    terms = BASIC.query(text)
    assert len(terms) <= 64
    assert all(len(term.tokens) <= 16 for term in terms)
    Shelf(BASIC, ["memory"]).ask(text)


def test_a_long_question_keeps_its_first_and_last_words() -> None:
    """U29.1: of a pasted log, the beginning and the last line are asked for."""
    phrases = asked(" ".join(f"word{chr(97 + n // 26)}{chr(97 + n % 26)}q" for n in range(500)))
    assert len(phrases) == 64
    assert phrases[0] == ("wordaaq",)
    assert phrases[-1] == ("wordtfq",)


def test_the_basic_analyser_keeps_the_protocol() -> None:
    """U3.4: the path without a dictionary has the same interface and says which index it writes."""
    analyser: Analyser = BASIC
    assert analyser.name == "basic-1"

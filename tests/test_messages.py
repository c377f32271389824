"""Messages by key: both languages say the same, and every key is used and every error has one."""

from __future__ import annotations

import ast
import pickle
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import saegim
from saegim import errors, messages
from saegim.errors import BadInput, EngineError, MissingExtra, NotFound, SaegimError, Unavailable
from saegim.korean_particles import with_particle
from saegim.messages import SENTENCES, HeardMessage, Message, entries, filled, places, translated
from saegim.serve.speech import Speech
from source_trees import nodes_of, trees_of

ROOM = Path(saegim.__file__).parent
HANGUL = re.compile(r"[가-힣]")
KINDS = {
    name
    for name, each in vars(errors).items()
    if isinstance(each, type) and issubclass(each, errors.SaegimError)
}
# Entries found by the form of a finished sentence, and by a name that is put together.
BY_FORM, BY_NAME = {"reason", "scene"}, {"doctor", "surroundings", "web", *SENTENCES}
# What is only a command or a name is the same in every language.
SAME = {"doctor.error", "doctor.permissions.open", "doctor.permissions.folder"}


def keys() -> Iterator[tuple[str, str]]:
    """Every file and every entry of it in English."""
    for file in messages.files():
        for name in entries(file, "en"):
            yield file, name


@cache
def trees() -> list[tuple[Path, ast.Module]]:
    """Every module of the house."""
    paths = sorted(ROOM.rglob("*.py"))
    return list(zip(paths, trees_of(paths), strict=True))


def test_both_languages_have_the_same_keys_and_the_same_places() -> None:
    """No message, no number and no name is lost in translation."""
    assert messages.files("en") == messages.files("ko")
    for file in messages.files():
        english, korean = entries(file, "en"), entries(file, "ko")
        assert english.keys() == korean.keys()
        for name, said in english.items():
            told = korean[name]
            assert places(said.message) == places(told.message), name
            assert places(said.next_step) == places(told.next_step), name
            assert bool(said.next_step) is bool(told.next_step), name


def test_every_sentence_is_found_by_its_name() -> None:
    """The first word of a name says in which file it stands; none stands where nobody looks."""
    for file in messages.SENTENCES:
        assert [name for name in entries(file, "en") if not messages.has(name)] == [], file
    assert not messages.has("would stand nowhere")


def test_errors_are_korean_in_korean_and_english_in_english() -> None:
    """Hangul in every Korean message of an error, and in no English one."""
    for file, name in keys():
        if file in BY_NAME:
            continue
        english, korean = entries(file, "en")[name], entries(file, "ko")[name]
        assert not HANGUL.search(english.message + english.next_step), name
        assert HANGUL.search(korean.message), name
        bare = re.sub(r"{\w+}", "", korean.next_step).strip()
        assert not bare or HANGUL.search(bare), name


def test_every_key_that_is_written_down_is_used_and_every_used_one_is_there() -> None:
    """An entry that nobody names any more is taken out, and no error names one that is not."""
    known = {f"{file}.{name}" for file, name in keys() if file not in BY_FORM | BY_NAME}
    files = {file for file, _ in keys() if file not in BY_NAME}
    texts = {
        node.value
        for _, tree in trees()
        for node in nodes_of(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    assert known - texts == set()
    used = {each for each in texts if messages.is_key(each) and each.partition(".")[0] in files}
    plain = re.compile(r"[a-z]+\.[a-z][a-z0-9_]*_[a-z0-9_]+")
    used = {each for each in used if plain.fullmatch(each)} - set(entries("surroundings", "en"))
    assert {each for each in used if not messages.has(each)} == set()


def raised(tree: ast.Module) -> Iterator[ast.Call]:
    """Every error of ours that a module makes with words."""
    for node in nodes_of(tree):
        match node:
            case ast.Call(func=ast.Name(id=name), args=[_, *_]) if name in KINDS:
                yield node


def test_every_error_of_ours_carries_a_key() -> None:
    """No finished sentence stands where an error is made; values fill every place."""
    for path, tree in trees():
        for call in raised(tree):
            first = call.args[0]
            where = f"{path.relative_to(ROOM)}:{call.lineno}"
            assert not isinstance(first, ast.JoinedStr), where
            if not isinstance(first, ast.Constant):
                continue
            said = messages.entry(str(first.value))
            given = {each.arg for each in call.keywords}
            if None not in given:
                assert places(said.message) | places(said.next_step) <= given, where


def test_the_check_of_errors_sees_a_sentence() -> None:
    """Negative control: a finished sentence, and a key that is not there, are noticed."""
    (call,) = raised(ast.parse('raise BadInput(f"There is no {name}.")'))
    assert isinstance(call.args[0], ast.JoinedStr)
    with pytest.raises(KeyError):
        messages.entry("store.no_such_key_at_all")
    assert not messages.has("nothing.of.this")


def test_an_error_says_the_same_as_ever_in_english_and_itself_in_korean() -> None:
    """Message, next step and text are English; the reader's language is asked for by name."""
    error = NotFound("store.no_memory", id="mem_1")
    step = "`saegim recent` lists what there is."
    assert (error.message, error.next_step) == ("There is no memory mem_1.", step)
    assert str(error) == f"There is no memory mem_1. {step}"
    assert (error.key, error.values) == ("store.no_memory", {"id": "mem_1"})
    assert Speech("ko").trouble(error) == (
        "mem_1 기억이 없습니다.",
        "`saegim recent`로 기억 목록을 볼 수 있습니다.",
    )
    assert Speech("en").trouble(error) == (error.message, error.next_step)


def test_words_of_others_are_kept_as_they_are() -> None:
    """Whoever raises our errors with words of their own is understood; no words: the docstring."""
    assert str(BadInput()) == "What was given cannot be remembered or asked."
    assert str(Unavailable("It sleeps.", next_step="Wake it.")) == "It sleeps. Wake it."
    assert str(BadInput("settings.toml")) == "settings.toml"
    message, step = Speech("ko").trouble(EngineError("api.example.com", next_step="Wait."))
    assert (message, step) == ("엔진이 실패했습니다. (api.example.com)", "Wait.")


def test_another_next_step_can_be_given_by_its_key_or_in_words() -> None:
    """Where the advice varies, the message need not be written down twice."""
    error = NotFound("sleep.no_report", next_step="sleep.no_reports", year="2020", known="")
    assert error.next_step == "There are reports of: none yet."
    assert error.told("ko") == ("2020년 보고서는 없습니다.", "아직 보고서가 없습니다.")
    again = error.advised("sleep.ask_again_or_undo", maker="rev_1")
    assert type(again) is NotFound
    assert again.message == error.message
    assert "`saegim undo rev_1`" in again.next_step


def test_a_value_may_be_a_message_or_an_error_itself() -> None:
    """What an error quotes of ours is said in the same language."""
    inner = BadInput("memory.text_empty", what="text")
    outer = BadInput("import.cannot_be_kept", error=inner)
    assert "The text is empty." in outer.message
    assert "내용이 비어 있습니다." in outer.told("ko")[0]
    part = Message("store.candidates", files="a.db")
    gone = errors.StoreMissing("store.gone", file="x.db", candidates=part, mark=".x")
    assert gone.message == "x.db held memories and is gone. Perhaps: a.db."
    assert "이것일 수 있습니다: a.db" in gone.told("ko")[0]


def test_an_error_keeps_what_its_values_were_and_travels_between_processes() -> None:
    """A value that changes later changes no message; a pickled error says the same."""
    held = ["a"]
    error = BadInput("memory.tags_must_be_list", tags=held)
    missing = MissingExtra("engine.korean_morphemes_need_package_kiwipiepy")
    busy = Unavailable("engine.words_answered_alone", retry_after=3.0, warming="semantic: warming")
    held.append("b")
    assert error.message == "tags must be a list of strings, not ['a']."
    for each in (error, missing, busy):
        again = pickle.loads(pickle.dumps(each))
        assert type(again) is type(each)
        assert (str(again), again.told("ko")) == (str(each), each.told("ko"))
    assert pickle.loads(pickle.dumps(busy)).retry_after == 3.0


def test_english_that_comes_back_as_text_is_said_in_korean() -> None:
    """From the store or from a server only a sentence comes back; its form tells the message."""
    assert translated("There is no memory mem_1.", "ko") == "mem_1 기억이 없습니다."
    assert translated("There is no memory mem_1.", "en") == "There is no memory mem_1."
    assert translated("Something new.", "ko") == "Something new."
    assert translated("the question is empty", "ko") == "질문이 비어 있음"
    assert HeardMessage("Use another backup.").said_in("ko") == "다른 백업을 쓰세요."
    from_afar = SaegimError("There is no memory mem_1.", next_step="Check the path.")
    assert Speech("ko").trouble(from_afar) == ("mem_1 기억이 없습니다.", "경로를 확인하세요.")


def test_nothing_is_read_before_a_message_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """An error that is caught and forgotten costs no reading of files."""

    def refuse(*_: object) -> None:
        raise AssertionError("a file was read")

    monkeypatch.setattr(messages, "entries", refuse)
    error = BadInput("memory.text_empty", what="text")
    assert error.key == "memory.text_empty"
    with pytest.raises(AssertionError, match="a file was read"):
        str(error)


@pytest.mark.parametrize(
    ("word", "pair", "said"),
    [
        ("기억", "은/는", "기억은"), ("메모", "이/가", "메모가"), ("서울", "으로/로", "서울로"),
        ("'기타'", "을/를", "'기타'를"), ("`책`", "을/를", "`책`을"),
        ("(기억)", "과/와", "(기억)과"),
        ("3", "은/는", "3은"), ("12", "은/는", "12는"), ("1", "으로/로", "1로"),
        ("10", "으로/로", "10으로"), ("API", "은/는", "API는"), ("HTML", "은/는", "HTML은"),
        ("URL", "으로/로", "URL로"), ("Docker", "은/는", "Docker는"), ("Tom", "이다/다", "Tom이다"),
        ("settings.toml", "을/를", "settings.toml을"), ("…", "은/는", "…는"),
    ],
)  # fmt: skip
def test_particles_fit_what_is_read_aloud(word: str, pair: str, said: str) -> None:
    """Digits, quotes, brackets and Latin letters have a last sound, too."""
    assert with_particle(word, pair) == said
    assert filled("{word}{" + pair + "}", {"word": word}, "ko") == said


# Both particles at once, as a program writes them that cannot read its own sentence.
TWO_PARTICLES = re.compile(
    r"은\(는\)|는\(은\)|이\(가\)|을\(를\)|를\(을\)|\(으\)로|[와과]\([과와]\)|\(이\)"
)
# Words that were chosen against: one word for one thing, and the one that people use.
UNCOMMON = re.compile(
    r"낱말|이레|열쇠|알맹이|쌍둥이|자취|되물|짧은 꼴|물은 때|남은 때|판[을은이]? ?(?:보|읽)"
)


def test_no_message_writes_two_particles_at_once() -> None:
    """은(는) is what a program writes: the particle that fits is chosen, in every text of ours."""
    found = [
        (path.name, line.strip())
        for path in [*ROOM.rglob("*.toml"), *ROOM.rglob("*.py"), *ROOM.rglob("*.txt")]
        for line in path.read_text("utf-8").splitlines()
        if TWO_PARTICLES.search(line)
    ]
    assert found == []
    assert TWO_PARTICLES.search("장부은(는) 온전합니다"), "control: the form is seen"


def test_korean_messages_use_one_common_word_for_a_thing() -> None:
    """단어, 7일, API 키, 요약, 겹친 기억, 기록, 되돌리다, 기간, 버전: never their rarer twins."""
    said = [
        (file, name, part)
        for file in messages.files("ko")
        for name, entry in entries(file, "ko").items()
        for part in entry
    ]
    assert [each for each in said if UNCOMMON.search(each[2])] == []
    assert UNCOMMON.search("쌍둥이 합치기"), "control: a rare word is seen"


def test_korean_pages_use_the_same_words_as_the_messages() -> None:
    """README.ko and docs/ko choose the same common words; a key is one where doors have locks."""
    root = Path(__file__).parents[1]
    pages = [root / "README.ko.md", *sorted((root / "docs" / "ko").rglob("*.md"))]
    assert len(pages) > 10
    found = [
        (page.name, match[0])
        for page in pages
        for rule in (UNCOMMON, TWO_PARTICLES)
        for match in rule.finditer(page.read_text("utf-8"))
        if match[0] != "열쇠"
    ]
    assert found == []

"""Every sentence in two languages, and which of them is chosen."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from string import Formatter

import pytest
from saying import Say, kept

import saegim
from saegim import errors
from saegim.memory.entities import TYPES
from saegim.messages import SENTENCES, entries
from saegim.recall.explain import SAID
from saegim.recall.feedback import EFFECTS
from saegim.serve import speech as speech_module
from saegim.serve.speech import LABELS, Speech
from source_trees import nodes_of, trees_of

HANGUL = re.compile(r"[가-힣]")
# Names and commands that are the same in every language.
UNTRANSLATED = {
    *("call back", "check sqlite", "column id", "detail part"),
    *("erased soul_files", "lent", "self version"),
}
ROOM = Path(speech_module.__file__).parents[1]
TABLE = {
    name: (said.message, entries(file, "ko")[name].message)
    for file in SENTENCES
    for name, said in entries(file, "en").items()
}


def blanks(sentence: str) -> list[tuple[str, str]]:
    """The places of a sentence and how each is written, in a fixed order."""
    found = Formatter().parse(sentence)
    return sorted((name, how or "") for _, name, how, _ in found if name and "/" not in name)


def test_every_sentence_has_the_same_places_in_both_languages() -> None:
    """No number and no name is lost in translation."""
    assert {key for key, (en, ko) in TABLE.items() if blanks(en) != blanks(ko)} == set()
    assert len(TABLE) == sum(len(entries(file, "en")) for file in SENTENCES)


def test_korean_sentences_are_korean_and_english_ones_english() -> None:
    """Hangul in every Korean sentence and, but for our own name, in no English one."""
    assert {key for key, (_, ko) in TABLE.items() if not HANGUL.search(ko)} == UNTRANSLATED
    assert {key for key, (en, _) in TABLE.items() if HANGUL.search(en.replace("새김", ""))} == set()


def spoken() -> tuple[set[str], set[str]]:
    """The sentences the code names in full, and the beginnings of those it puts together."""
    whole, begun = set(), set()
    for tree in trees_of(ROOM.rglob("*.py")):
        for node in nodes_of(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                whole.add(node.value)
            elif isinstance(node, ast.JoinedStr) and isinstance(node.values[0], ast.Constant):
                begun.add(str(node.values[0].value))
    return whole, begun


def test_every_sentence_is_said_somewhere() -> None:
    """A sentence that nobody says any more is taken out of the table."""
    whole, begun = spoken()
    groups = {
        f"{each} "
        for each in (
            "kin",
            "kind",
            "language",
            "source",
            "state",
            "origin",
            "change",
            "check",
            "entity",
            "feeling",
            "label",
            "left",
            "leaves",
            "reason",
            "stage",
            "audit",
            "proposal state",
            "accepted",
            "type yes to accept",
            "slot",
            "tie",
            "help",
            "option",
        )
    }
    begun = groups | {each for each in begun if each.endswith(" ") and each.strip()}
    unsaid = {key for key in TABLE if key not in whole and not key.startswith(tuple(begun))}
    assert unsaid == set()


def test_every_name_the_core_uses_has_its_word() -> None:
    """No kind, state, origin, error or path of the core is shown as a bare identifier."""
    names = [f"kind {each}" for each in saegim.Kind]
    names += [f"state {each}" for each in saegim.State]
    names += [f"origin {each}" for each in saegim.Origin]
    names += [f"path {each}" for each in ("words", "vector", "context", "graph", "time")]
    names += [f"why {each}" for each in SAID]
    names += [f"label {each}" for each in EFFECTS]
    names += [f"tie {each}" for each in TYPES]
    names += [f"kept {each}" for each in ("stored", "duplicate", "repeated")]
    assert [name for name in names if name not in TABLE] == []
    assert set(LABELS.values()) == set(EFFECTS)
    kinds = (
        each
        for each in vars(errors).values()
        if isinstance(each, type) and issubclass(each, errors.SaegimError)
    )
    for kind in kinds:
        message, _ = Speech("ko").trouble(kind("Nothing we know.", next_step="Nothing either."))
        assert HANGUL.search(message)
        assert "Nothing we know." in message


@pytest.mark.parametrize(
    ("environment", "language"),
    [
        ({}, "en"),
        ({"LANG": "ko_KR.UTF-8"}, "ko"),
        ({"LANG": "en_US.UTF-8", "LC_MESSAGES": "ko_KR"}, "ko"),
        ({"LANG": "ko_KR.UTF-8", "LC_ALL": "C"}, "en"),
        ({"LANG": "ko_KR.UTF-8", "LC_ALL": ""}, "ko"),
        ({"LC_ALL": "kok_IN"}, "en"),
    ],
)
def test_the_locale_chooses_the_language(environment: dict[str, str], language: str) -> None:
    """The first locale variable that is set decides; Konkani is not Korean."""
    assert Speech.of("auto", environment).language == language
    assert Speech.of("ko", environment).language == "ko"
    assert Speech.of("en", environment).language == "en"


def test_a_choice_is_not_taken_for_another_sentence() -> None:
    """Advice that only begins like another is said as what it is."""
    korean = Speech("ko")
    assert korean.translated("Use 1 to 200 letters.") == "1~200자로 쓰세요."
    assert korean.translated("Use another backup.") == "다른 백업을 쓰세요."


def test_the_command_line_speaks_korean_when_asked_to(
    say: Say, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The option, the environment, the settings file and the locale each choose the language."""
    assert say("--language", "ko", "remember", "보리차").out.startswith("기억했습니다 m1")
    refused = say("--language", "ko", "get", "mem_none")
    assert refused.err == (
        "오류: mem_none 기억이 없습니다.\n  → `saegim recent`로 기억 목록을 볼 수 있습니다.\n"
    )
    settings = tmp_path / "home" / "settings.toml"
    settings.write_text('language = "ko"\n', encoding="utf-8")
    assert say("sessions").out == "아직 세션이 없습니다.\n"
    assert "매일" in say("--help").out
    monkeypatch.setenv("SAEGIM_LANGUAGE", "en")
    assert say("sessions").out == "There are no sessions yet.\n"
    settings.unlink()
    monkeypatch.delenv("SAEGIM_LANGUAGE")
    monkeypatch.setenv("LC_ALL", "ko_KR.UTF-8")
    assert say("nonsense").err.startswith("오류: 'nonsense' 명령은 없습니다.")


def test_why_a_path_did_not_run_is_said_in_korean(say: Say) -> None:
    """U12.1: the reasons that the core really gives are known to the table."""
    kept(say, "보리차")
    told = say("--language", "ko", "recall", "보리차", "--explain").out
    assert "앞뒤: 실행하지 않음: 앞뒤로 이어지는 대화가 없음" in told
    told = say("--language", "ko", "recall", "!!!").out
    assert "단어: 실행하지 않음: 질문에 찾을 단어가 없음" in told

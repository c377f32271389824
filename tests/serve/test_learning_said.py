"""What a person sees of learning at the terminal: who decides, and that praise was heard."""

from __future__ import annotations

import json

import pytest
from saying import Say

from saegim.errors import StoreError
from saegim.serve.catalogue import maintenance_functions, turn_functions

TALK = (
    ("나는 땅콩 알레르기가 있어", "user"),
    ("내가 못 먹는 게 뭐였지?", "user"),
    ("땅콩을 못 드세요.", "assistant"),
)


@pytest.mark.parametrize(
    ("language", "praise", "blame", "decides"),
    [("ko", "칭찬으로 들었습니다", "지적으로 들었습니다", "규칙이 결정"),
     ("en", "Heard as praise", "Heard as blame", "The rules decide")],
)  # fmt: skip
def test_praise_blame_and_who_decides_are_said(
    say: Say, monkeypatch: pytest.MonkeyPatch, language: str, praise: str, blame: str, decides: str
) -> None:
    """Each command is a process of its own in life; the words find the answer all the same."""
    monkeypatch.setenv("SAEGIM_LANGUAGE", language)
    for text, role in TALK:
        said = say("observe", text, "--role", role, "--session", "s").out
        assert praise not in said
    assert praise in say("observe", "맞아 정확해", "--session", "s").out
    say("observe", "복숭아도 못 드세요.", "--role", "assistant", "--session", "s")
    assert blame in say("observe", "아니 그게 아니라, 틀렸어", "--session", "s").out
    assert decides in say("status").out


def test_a_program_reads_the_same(say: Say) -> None:
    """`feedback` and `reward` stand in the answer of a turn, and who decides in the state."""
    for text, role in TALK:
        told = json.loads(say("--json", "observe", text, "--role", role, "--session", "s").out)
        assert told["feedback"] == ""
    told = json.loads(say("--json", "observe", "exactly, thanks", "--session", "s").out)
    assert (told["feedback"], told["reward"]) == ("up", 1.0)
    state = json.loads(say("--json", "status").out)["learning"]
    assert (state["policy"], state["reranker"]) == ("shadow", "shadow")


def test_of_a_store_that_cannot_be_read_the_rest_is_told(
    say: Say, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Status is what one asks when something is wrong: learning may not end it."""

    def fails(_: object) -> dict[str, str]:
        raise StoreError("store.no_trace", trace="x")

    say("remember", "나는 부산에 산다")
    assert maintenance_functions.learning_of is turn_functions.learning_of
    monkeypatch.setattr(maintenance_functions, "learning_of", fails)
    assert json.loads(say("--json", "status").out)["learning"] is None
    assert "?" in say("status").out

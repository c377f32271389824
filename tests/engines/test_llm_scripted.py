"""The scripted model: what tests and documentation use in place of a server."""

from __future__ import annotations

import pytest

from saegim.engines.llm.json_repair import items
from saegim.engines.llm.models import LanguageModel, Request, Scripted, tokens_of
from saegim.errors import BadInput, BadReply, Unavailable

ASK = Request(system="너는 사실을 찾는다.", prompt="민호는 부산에 산다.")


def test_lines_are_said_in_order_and_questions_are_kept() -> None:
    """U9.2: every call is counted, and what was asked can be looked at."""
    model = Scripted([{"facts": [{"content": "민호는 부산에 산다"}]}, "그냥 말"])
    asked: LanguageModel = model
    first, second = asked.ask(ASK), asked.ask(ASK)
    assert items(first.text) == [{"content": "민호는 부산에 산다"}]
    assert (second.text, second.finished, second.model) == ("그냥 말", True, "scripted")
    assert (second.tokens_in, second.tokens_out > 0) == (tokens_of(ASK), True)
    assert (model.calls, model.requests) == (2, [ASK, ASK])
    asked.close()
    assert model.closed
    assert (model.local, model.provider) == (True, "scripted")


def test_a_script_that_is_over_fails() -> None:
    """U14.2: a test that asks more often than it says notices."""
    model = Scripted(["하나"], model="짧은 각본")
    model.ask(ASK)
    with pytest.raises(BadReply, match="짧은 각본"):
        model.ask(ASK)
    assert model.calls == 2


def test_a_function_may_answer() -> None:
    """U14.1: an answer can depend on the question."""
    model = Scripted(lambda request: [request.prompt])
    assert items(model.ask(ASK).text) == [{"content": ASK.prompt}]


def test_an_error_in_the_script_is_raised_and_counted() -> None:
    """R-23: a failing model can be played without a server."""
    model = Scripted([Unavailable("down", retry_after=3.0), "wieder da"])
    with pytest.raises(Unavailable) as caught:
        model.ask(ASK)
    assert caught.value.retry_after == 3.0
    assert model.ask(ASK).text == "wieder da"
    assert model.calls == 2


def test_the_cap_cuts_an_answer() -> None:
    """U14.2: an answer longer than its cap is cut, and says so."""
    model = Scripted(lambda _: [{"content": "홍차를 마신다"}, {"content": "부산에 산다"}])
    whole = model.ask(ASK)
    cut = model.ask(Request(system="", prompt="가", max_tokens=whole.tokens_out - 4))
    assert whole.finished
    assert not cut.finished
    assert whole.text.startswith(cut.text)
    assert items(cut.text) == [{"content": "홍차를 마신다"}]


def test_it_refuses_what_a_real_one_refuses() -> None:
    """U14.2: a question that no model could answer fails here too."""
    with pytest.raises(BadInput):
        Scripted(["a"]).ask(Request(system="", prompt=" "))

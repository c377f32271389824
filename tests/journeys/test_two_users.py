"""Two users of one agent: what a session leaves behind is shared or not, and nothing else ever."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from saegim import FixedClock, Origin, Saegim
from saegim.errors import NotFound, SettingsError
from saegim.memory.memory import Scope, shared_scope

POLICY = "환불 규정이 어떻게 되나요?"
PRIVATE = "알레르기: 새우"


@pytest.fixture
def shop(tmp_path: Path, clock: FixedClock) -> Iterator[Saegim]:
    """A shop's agent, seen by its first user, that shares what sessions leave behind."""
    path = tmp_path / "shop.db"
    with Saegim.open(path, user="minji", agent="shop", promote_to="agent", clock=clock) as memory:
        yield memory


def heat(memory: Saegim, text: str, session: str = "morning") -> None:
    """Ask until it is a hotspot of the session, and end the session."""
    for _ in range(3):
        memory.observe(text, session=session)
    memory.observe("이레 안에 됩니다.", role="assistant", session=session)
    memory.observe("네, 영수증만 있으면 됩니다.", role="assistant", session=session)
    memory.working.record_feedback(session, None, "up")
    memory.sessions.end(session)


def told(memory: Saegim, question: str) -> list[str]:
    """Return what a user finds."""
    return [hit.memory.text for hit in memory.recall(question).hits]


def test_a_hotspot_of_one_user_is_read_by_the_other(shop: Saegim) -> None:
    """B D3: the agent's own memory is a second scope; both read it beside their own."""
    hyunwoo = shop.within(user="hyunwoo")
    assert told(hyunwoo, "환불 규정") == []
    heat(shop, POLICY)
    assert told(shop, "환불 규정") == told(hyunwoo, "환불 규정") == [POLICY]
    assert POLICY in hyunwoo.context("환불 규정이 뭐야?").text
    (hit,) = hyunwoo.recall("환불 규정").hits
    memory = hit.memory
    assert (memory.scope.user, memory.visibility) == ("agent:shop", "shared")
    assert memory.provenance.origin is Origin.AGENT_INFERRED, "nobody's words in particular"
    assert (memory.scope.session, memory.provenance.author) == ("", "")
    assert hyunwoo.get(memory.id).text == POLICY
    assert hyunwoo.feedback(memory.id, "up").memory.id == memory.id
    assert shop.recent(everywhere=True).total == hyunwoo.recent(everywhere=True).total == 0


def test_a_private_memory_is_never_seen_by_the_other(shop: Saegim) -> None:
    """The negative control: not by asking, not in a prompt, not by its id, not in a list."""
    kept = shop.remember(PRIVATE)
    seen = shop.observe("나는 매일 아침 혈압약을 먹어", session="morning")
    heat(shop, POLICY)
    hyunwoo = shop.within(user="hyunwoo")
    assert PRIVATE in told(shop, "알레르기")
    for question in ("알레르기", "새우", "혈압약", "아침에 뭘 먹지?", "환불 규정"):
        assert set(told(hyunwoo, question)) <= {POLICY}
        assert "새우" not in hyunwoo.context(question).text
        assert "혈압약" not in hyunwoo.context(question).text
    for id in (kept.id, *(each.id for each in seen.kept)):
        with pytest.raises(NotFound):
            hyunwoo.get(id)
    owner = shop.within(user="agent:shop")
    assert [each.text for each in owner.recent(everywhere=True).memories] == [POLICY]


@pytest.mark.parametrize(
    "text",
    [
        "내 혈액형이 뭐였지?",
        "엄마 생신이 언제였지?",
        "What is my wife's phone number?",
        "나는 매운 음식을 정말 좋아해",
        "I take metformin twice a day",
    ],
)
def test_what_tells_of_a_person_stays_that_persons(shop: Saegim, text: str) -> None:
    """A hotspot about oneself is promoted as ever, and to nobody but oneself."""
    heat(shop, text)
    assert shop.within(user="agent:shop").recent(everywhere=True).total == 0
    assert shop.search(text.rstrip("?")) != []


@pytest.mark.parametrize(
    "text",
    [
        POLICY,
        "배포 서버 오류는 누가 보나요?",
        "How do I rotate the API keys?",
        "What's your return policy?",
        "How long does shipping take?",
    ],
)
def test_what_tells_of_the_work_is_shared(shop: Saegim, text: str) -> None:
    """The control beside it: a question about the shop or its machines is the agent's."""
    heat(shop, text)
    (shared,) = shop.within(user="agent:shop").recent(everywhere=True).memories
    assert shared.text == text


def test_by_default_a_hotspot_is_its_users_own(tmp_path: Path, clock: FixedClock) -> None:
    """`promote_to = "user"`: the same day, and the other user finds nothing."""
    with Saegim.open(tmp_path / "m.db", user="minji", agent="shop", clock=clock) as memory:
        heat(memory, POLICY)
        assert told(memory, "환불 규정") == [POLICY]
        assert told(memory.within(user="hyunwoo"), "환불 규정") == []


def test_another_agent_of_the_same_user_does_not_read_it(shop: Saegim) -> None:
    """What is shared is shared by the users of one agent, not by all agents of a user."""
    heat(shop, POLICY)
    assert told(shop.within(agent="cook"), "환불 규정") == []
    assert told(shop.within(agent=""), "환불 규정") == []


def test_both_users_add_to_one_memory(shop: Saegim) -> None:
    """D1: the same words of two users are one memory of the agent, with the weight of both."""
    heat(shop, POLICY)
    (first,) = shop.within(user="agent:shop").recent(everywhere=True).memories
    heat(shop.within(user="hyunwoo"), POLICY)
    (both,) = shop.within(user="agent:shop").recent(everywhere=True).memories
    assert both.id == first.id
    assert both.worth.feedback == first.worth.feedback + 1.0


def test_without_an_agent_there_is_nobody_to_share_with(tmp_path: Path, clock: FixedClock) -> None:
    """`promote_to = "agent"` with no agent named: the hotspot is the user's own."""
    path = tmp_path / "m.db"
    with Saegim.open(path, user="minji", promote_to="agent", clock=clock) as memory:
        heat(memory, POLICY)
        assert memory.recent(everywhere=True).total == 1
    assert shared_scope(Scope("minji")) is None


def test_what_is_private_in_the_agents_own_memory_is_not_read_either(shop: Saegim) -> None:
    """Who opens the agent's memory by hand and keeps something private there shares nothing."""
    shop.within(user="agent:shop").remember("관리자 메모: 환불 규정 초안은 금고에 있다")
    assert told(shop.within(user="hyunwoo"), "환불 규정 초안") == []


def test_an_unknown_place_to_promote_to_is_refused(tmp_path: Path) -> None:
    """A setting that names neither is refused by name."""
    with pytest.raises(SettingsError, match="promote_to"):
        Saegim.open(tmp_path / "m.db", promote_to="everyone")

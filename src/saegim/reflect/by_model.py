"""Insights that a language model notices in a group: asked for, repaired, grounded, or left out.

What it answers is data: it can say what memories have in common, and nothing it says sets an
owner, an origin or a trust. Where it fails, the caller counts instead.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from saegim.engines.llm.llm import Request
from saegim.engines.llm.repair import NAMES, items
from saegim.errors import EngineError, Refused, Unavailable
from saegim.memory.memory import Memory
from saegim.mind import Mind
from saegim.reflect.by_rule import topic_of
from saegim.reflect.earlier import Earlier
from saegim.reflect.grounded import cited, tidy, ungrounded
from saegim.reflect.groups import Group
from saegim.reflect.insight import Insight, insight_key
from saegim.reflect.question import MOST_INSIGHTS, insights_request

# The purpose under which the calls are counted.
PURPOSE: Final = "reflect"
# Eight answers of a small local model take some minutes; the night has other work to do.
MOST_ASKED: Final = 8
# A server that fails twice in a row is left alone until the next night.
_MOST_DOWN: Final = 2
_NAMES: Final = {
    **NAMES,
    **dict.fromkeys(("insight", "통찰", "인사이트", "profile", "summary", "소개"), "content"),
    **dict.fromkeys(("source", "ids", "id", "evidence", "근거", "출처", "번호"), "sources"),
    **dict.fromkeys(("태도", "말투"), "manner"),
}


def insights_by_model(group: Group, asking: Asking, earlier: Earlier) -> list[Insight] | None:
    """Return what a model noticed and its sources say, or None where the rule must stand in."""
    if not asking.able:
        return None
    request, shown = insights_request(
        group.subject.name, group.sources, language=group.language, max_tokens=asking.max_tokens
    )
    found = asking.items(request, many="insights")
    if found is None:
        return None
    return list(_grounded(found, shown, group, earlier))[:MOST_INSIGHTS] or None


def _grounded(
    found: Sequence[dict[str, Any]], shown: Sequence[Memory], group: Group, earlier: Earlier
) -> Iterator[Insight]:
    said: set[str] = set()
    known = group.subject.entity.names if group.subject.entity else (group.subject.name,)
    for item in found[: 2 * MOST_INSIGHTS]:
        text, sources = tidy(item["content"]), cited(item.get("sources"), shown)
        if text in said or ungrounded(text, sources, known=known):
            continue
        said.add(text)
        if not earlier.resembles(text, group):
            key = insight_key(topic_of(group, "read"), text)
            yield Insight(text, group.language, (group.subject.about,), tuple(sources), key)


class Asking:
    """Asks the model while it answers, and notes why where it does not; never inside a commit."""

    def __init__(self, mind: Mind, most: int = MOST_ASKED) -> None:
        self.troubles: list[str] = []
        self.max_tokens = mind.settings.model_max_tokens
        self.mind = mind
        self._left = most if mind.model is not None else 0
        self._down = 0

    @property
    def able(self) -> bool:
        """Say whether a question may still be asked tonight."""
        return self._left > 0

    def items(self, request: Request, *, many: str) -> list[dict[str, Any]] | None:
        """Return the items of an answer, or None where there is no answer to be had."""
        if not self.able:
            return None
        self._left -= 1
        try:
            answer = self.mind.ask(PURPOSE, request)
            found = items(
                answer.text,
                many=many,
                prompt=request.prompt,
                who=f"The model {answer.model}",
                names=_NAMES,
            )
        except Refused as error:
            self._left = 0
            self.troubles.append(f"Counted instead of read: {error.message}")
            return None
        except EngineError as error:
            self._down = self._down + 1 if isinstance(error, Unavailable) else 0
            self._left = 0 if self._down >= _MOST_DOWN else self._left
            self.troubles.append(f"Counted instead of read: {error.message}")
            return None
        self._down = 0
        return found

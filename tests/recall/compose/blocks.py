"""What tests of the composer share: composing, and reading a block back by its own rules."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

from saegim import Saegim
from saegim.guard.echo import BLOCK
from saegim.recall.compose.choose import Choice, choose
from saegim.recall.compose.compose import Context, compose
from saegim.recall.flow import recall
from saegim.recall.understand import Query
from saegim.store.rows import where_of

DATA = Path(__file__).parents[2] / "data"
# A line of the block: its marks, and one JSON string (or the two of an example) that ends it.
STRING = r'"(?:[^"\\]|\\.)*"'
LINE = re.compile(
    r"m[0-9a-z]{4,16} \d{4}-\d\d-\d\d(?: (?:user_said|user_confirmed|agent_inferred|import"
    # Only the person's own words stand without an origin, and never where they name an author.
    rf"|tool_output|peer|web) trust=[0-9.]+(?: by={STRING})?)?(?: guidance)?(?: imagined)?"
    r"(?: superseded(?:=\d{4}-\d\d-\d\d)?)?(?: holds_now=m[0-9a-z]{4,16})?(?: old)?"
    r"(?: partly_superseded)?(?: doubted)?"
    r"(?: contradicted_by=[A-Za-z0-9_.:,\-]+)?(?: form=(?:brief|triples))?"
    rf" (?P<words>{STRING})"
)


def rows(name: str) -> list[dict[str, Any]]:
    """Read a file of test data."""
    text = (DATA / f"{name}.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def context(memory: Saegim, question: str, budget: int = 1500, **filters: Any) -> Context:
    """Compose for a question in this memory's scope."""
    recipe = filters.pop("recipe", "auto_search")
    where = where_of(memory.scope, filters)
    return compose(question, where, mind=memory.mind, budget=budget, recipe=recipe)


def chosen(memory: Saegim, question: str, **filters: Any) -> Choice:
    """Choose among everything a question finds, however weakly: the floor is tested elsewhere."""
    where = where_of(memory.scope, filters)
    query = Query(text=question, where=where, limit=200, steady=True)
    hits = [replace(hit, weak=False) for hit in recall(query, mind=memory.mind).hits]
    return choose(hits, where, mind=memory.mind)


def with_settings(memory: Saegim, **changes: Any) -> Saegim:
    """Return the same memory with other settings."""
    mind = replace(memory.mind, settings=replace(memory.mind.settings, **changes))
    return Saegim(mind, memory.scope, memory.home)


def words_in(text: str) -> list[str]:
    """Read a block back; fail where a byte of it is not where our rules put it."""
    found = BLOCK.fullmatch(text)
    assert found is not None, text
    _, header, *lines, _ = text.split("\n")
    assert header
    assert text.count("<") == text.count(">") == 2
    assert len(text.splitlines()) == len(lines) + 3
    read = [LINE.fullmatch(line) for line in lines]
    assert all(read), lines
    return [json.loads(each["words"]) for each in read if each]

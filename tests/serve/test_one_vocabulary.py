"""One vocabulary at every door, and the seed's names for it: Python and the command line.

Over MCP and REST the same is tested beside their other calls.
"""

from __future__ import annotations

from typing import Any

import pytest
from saying import Say

from saegim import Kind, Saegim
from saegim.errors import BadInput

SEED: dict[str, Any] = {"category": "core_principle", "keywords": ["말"]}


def test_python_reads_the_names_of_the_seed(memory: Saegim) -> None:
    """Seed C: content, category and keywords are text, kind and tags."""
    kept = memory.remember(content="쉬운 말로 쓴다", **SEED).memory
    assert (kept.text, kept.kind, kept.content.tags) == ("쉬운 말로 쓴다", Kind.PRINCIPLE, ("말",))
    for names in (SEED, {"kind": "core_principle", "tags": ["말"]}, {"kinds": ["core_principle"]}):
        assert [each.id for each in memory.search(**names)] == [kept.id]
        assert [each.id for each in memory.recent(**names).memories] == [kept.id]
        assert memory.recall("쉬운 말", **names).hits[0].memory.id == kept.id
    new = memory.update(kept.id, content="쉬운 말로만 쓴다", keywords=["글"]).memory
    assert (new.text, new.content.tags) == ("쉬운 말로만 쓴다", ("글",))
    assert memory.observe(content="내 이름은 하준이야. 기억해 줘").kept
    assert memory.forgetting.matching(category="core_principle").memories[0].id == new.id


def test_python_refuses_two_names_that_differ(memory: Saegim) -> None:
    """Both names of one thing must agree; the error names both."""
    same = memory.remember("tea", content="tea", tags=["a"], keywords=("a",))
    assert same.memory.content.tags == ("a",)
    differing: list[tuple[dict[str, Any], str]] = [
        ({"content": "coffee"}, "text and content"),
        ({"kind": "fact", "category": "emotion"}, "kind and category"),
        ({"tags": ["a"], "keywords": ["b"]}, "tags and keywords"),
    ]
    for names, told in differing:
        with pytest.raises(BadInput, match=told):
            memory.remember("tea", **names)
    with pytest.raises(BadInput, match="text and content"):
        memory.observe("tea", content="coffee")
    with pytest.raises(BadInput, match="tags and keywords"):
        memory.update(same.id, tags=["a"], keywords=["b"])
    with pytest.raises(BadInput, match="kind and category"):
        memory.recall("tea", kind="fact", category="emotion")


def test_the_command_line_reads_the_names_of_the_seed(say: Say) -> None:
    """--category, --keywords and --content are --kind, --tag and the text."""
    seed = ("--category", "core_principle", "--keywords=words")
    kept = say("--json", "remember", "--content", "Write plainly.", *seed).json["memory"]
    assert (kept["text"], kept["kind"], kept["tags"]) == ("Write plainly.", "principle", ["words"])
    for command in ("search", "recent"):
        found = say("--json", command, *seed).json["memories"]
        assert [each["id"] for each in found] == [kept["id"]]
    new = say("--json", "update", kept["id"], "--content", "Write simply.", "--tags", "style").json
    assert (new["memory"]["text"], new["memory"]["tags"]) == ("Write simply.", ["style"])


def test_the_command_line_refuses_two_names_that_differ(say: Say) -> None:
    """The error names both; what agrees is taken once, and what follows `--` is only text."""
    both = say("remember", "tea", "--kind", "fact", "--category", "emotion")
    assert both.code
    assert "--kind and --category" in both.err
    assert not say("remember", "tea", "--kind", "fact", "--category=fact").code
    assert say("--json", "remember", "--", "--category").json["memory"]["text"] == "--category"

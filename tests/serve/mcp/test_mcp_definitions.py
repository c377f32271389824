"""What a model is told of the tools: few tokens, when to call, and nothing that is not true."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest

import handshake
from saegim.engines.tokens import estimate
from saegim.memory.text import ALIASES
from saegim.serve.catalogue.catalogue import CATALOGUE, shown_to
from saegim.serve.catalogue.entry import Effect
from saegim.serve.mcp.client_info import PROFILES

TOLD = json.loads(handshake.FILE.read_text(encoding="utf-8"))
TOOLS: dict[str, dict[str, Any]] = TOLD["tools"]
CORE = {"auto_search", "memory_save", "memory_search", "memory_update", "memory_delete"}
# Seed C names its tools; these are they.
TWELVE = CORE | {
    "memory_get_related",
    "memory_pin",
    "memory_unpin",
    "memory_stats",
    "sleep_cycle_run",
    "policy_status",
    "policy_decide",
}
# U31.1: what the definitions of a profile may cost.
MOST_TOKENS = 1500


def cost(profile: str) -> int:
    """What the tools of a profile cost: names, descriptions, what may be given."""
    told = [
        {name: TOOLS[tool][name] for name in ("name", "description", "inputSchema")}
        for tool in TOLD["profiles"][profile]
    ]
    return estimate(json.dumps(told, ensure_ascii=False, separators=(",", ":")))


def test_the_core_has_five_tools_and_the_default_the_twelve_of_the_seed() -> None:
    """U31.1, seed C: five tools where little room is, and the twelve by their names otherwise."""
    assert set(TOLD["profiles"]["core"]) == CORE
    assert set(TOLD["profiles"]["default"]) == TWELVE
    assert len(TOLD["profiles"]["default"]) == 12
    assert set(TOLD["profiles"]["full"]) > TWELVE


@pytest.mark.parametrize("profile", ["core", "default"])
def test_definitions_cost_few_tokens(profile: str) -> None:
    """U31.1: the tools of a profile take no more than 1,500 tokens of a model's context."""
    assert cost(profile) <= MOST_TOKENS


def test_a_longer_menu_would_be_seen() -> None:
    """U31.1 control: the full profile is over the limit, so the count does count."""
    assert cost("full") > MOST_TOKENS


def test_profiles_hold_what_the_catalogue_shows() -> None:
    """What is written down is what the catalogue would show, in its order."""
    for profile in PROFILES:
        assert TOLD["profiles"][profile] == [each.name for each in shown_to(profile)]


@pytest.mark.parametrize("tool", TOOLS)
def test_a_description_says_when_to_call_it_or_what_it_is_for(tool: str) -> None:
    """U31.1: a model that reads a description knows what the tool does and when it is wanted."""
    text = TOOLS[tool]["description"]
    verbs = "Keep Get Search Correct Let Walk Protect Take Count Consolidate Tell Show List Call "
    verbs += "Read Lay Hand Propose Imagine"
    assert text.split()[0] in verbs.split(), text
    assert text.endswith(".")
    assert len(text) >= 40
    if tool in CORE:
        assert "Call it" in text, text


@pytest.mark.parametrize("tool", TOOLS)
def test_what_may_be_given_is_closed_and_described_by_a_schema(tool: str) -> None:
    """U30.1: every input schema is a schema, and an argument that it does not name is none."""
    schema = TOOLS[tool]["inputSchema"]
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.Draft202012Validator.check_schema(TOOLS[tool]["outputSchema"])
    assert schema["additionalProperties"] is False
    assert set(schema.get("required", ())) <= set(schema.get("properties", {}))
    assert "scope" in TOOLS[tool]["outputSchema"]["properties"]


def test_the_main_arguments_have_one_name_each() -> None:
    """What is kept is `text` of a `kind` with `tags`, what is asked is `query`, in every tool."""
    for tool, told in TOOLS.items():
        given = set(told["inputSchema"].get("properties", {}))
        others = {"memory", "question", "q", "body", "prompt", "input"}
        assert not given & {*ALIASES, *others}, tool
    for tool in ("memory_save", "memory_observe", "policy_decide"):
        assert "text" in TOOLS[tool]["inputSchema"]["required"]
    for tool in ("auto_search", "memory_search"):
        assert TOOLS[tool]["inputSchema"]["required"] == ["query"]


@pytest.mark.parametrize("tool", TOOLS)
def test_annotations_say_what_a_tool_does(tool: str) -> None:
    """U5.4: a client may rely on the hints: reading is reading, and one tool lets go."""
    hints, entry = TOOLS[tool]["annotations"], CATALOGUE[tool]
    assert hints["openWorldHint"] is False
    assert hints.get("readOnlyHint", False) is (entry.effect is Effect.READS)
    # The protocol takes a tool that writes for a destructive one unless it is told otherwise.
    destroys = not hints.get("readOnlyHint", False) and hints.get("destructiveHint", True)
    assert destroys is (tool == "memory_delete")


def test_nothing_deletes_everything() -> None:
    """U5.4: no tool lets go of more than the few memories whose ids it is given."""
    for tool, told in TOOLS.items():
        given = told["inputSchema"].get("properties", {})
        assert not {"all", "everything", "confirm", "force"} & set(given), tool
    ids = TOOLS["memory_delete"]["inputSchema"]["properties"]["ids"]
    assert (ids["minItems"], ids["maxItems"]) == (1, 20)
    assert {"erase", "clear", "reset", "memory_delete_all", "undo"}.isdisjoint(TOOLS)

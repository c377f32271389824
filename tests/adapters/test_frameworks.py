"""The public names of the adapters, and what is said where a framework is missing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from saegim import adapters
from saegim.errors import MissingExtra

NEEDS = {
    "AgentsSession": ("agents", "agents", "openai_session"),
    "AnthropicMemory": ("anthropic", "anthropic", "anthropic_memory"),
    "AsyncAnthropicMemory": ("anthropic", "anthropic", "anthropic_memory"),
    "AutoGenMemory": ("autogen_core", "autogen", "autogen_memory"),
    "LangGraphStore": ("langgraph", "langgraph", "langgraph_store"),
    "LlamaIndexMemory": ("llama_index.core", "llamaindex", "llamaindex_block"),
}


@pytest.mark.parametrize("name", sorted(NEEDS))
def test_a_missing_framework_is_named_with_its_extra(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who has not installed a framework is told what to type."""
    package, extra, module = NEEDS[name]
    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.delitem(sys.modules, f"saegim.adapters.{module}", raising=False)
    with pytest.raises(MissingExtra, match=rf"pip install 'saegim\[{extra}\]'"):
        getattr(adapters, name)


def test_every_public_name_is_listed_and_no_other() -> None:
    """`__all__` is what is visible; a misspelt name fails as in any other module."""
    # `wrap` takes a client of a framework and needs none itself.
    assert dir(adapters) == sorted([*NEEDS, "wrap"]) == adapters.__all__
    with pytest.raises(AttributeError, match="LangGraphStor"):
        adapters.LangGraphStor  # noqa: B018


def test_importing_the_adapters_loads_no_framework() -> None:
    """U33.3: a framework is loaded when its adapter is asked for, not before."""
    code = (
        "import sys\nimport saegim.adapters\n"
        "theirs = 'anthropic agents autogen_core openai langgraph llama_index'.split()\n"
        "assert not set(theirs) & set(sys.modules)\n"
        "assert not [each for each in sys.modules if each.startswith('saegim.adapters.')]\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.nightly
def test_the_suites_of_other_projects_pass() -> None:
    """Our classes in the place of theirs: as many of their own tests pass as ever did."""
    script = Path(__file__).parent / "upstream.py"
    done = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr

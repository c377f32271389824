"""Finds optional parts by name: a built-in table, then entry points of other packages."""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import entry_points
from typing import Any

from saegim.errors import SettingsError

BUILT_IN: dict[str, dict[str, str]] = {
    "saegim.embedders": {
        "static": "saegim.engines.brain.model:Static",
        "hashed": "saegim.engines.hashed:Hashed",
        "bag": "saegim.engines.hashed:Bag",
        "ollama": "saegim.engines.remote:Ollama",
        "openai": "saegim.engines.remote:OpenAICompatible",
    },
    "saegim.analysers": {
        "basic": "saegim.language.words:Basic",
        "kiwi": "saegim.language.kiwi:Kiwi",
    },
    "saegim.models": {
        "ollama": "saegim.engines.llm.models:Ollama",
        "openai": "saegim.engines.llm.models:OpenAICompatible",
        "anthropic": "saegim.engines.llm.models:Anthropic",
        "scripted": "saegim.engines.llm.models:Scripted",
    },
}


def find(group: str, name: str) -> Any:
    """Return the class of that name, loading nothing else."""
    if (path := BUILT_IN[group].get(name)) is not None:
        module, _, attribute = path.partition(":")
        return getattr(import_module(module), attribute)
    for point in entry_points(group=group, name=name):
        return point.load()
    raise SettingsError(
        "settings.no_such_part",
        part=group.rpartition(".")[2][:-1],
        name=name,
        known=", ".join(BUILT_IN[group]),
    )

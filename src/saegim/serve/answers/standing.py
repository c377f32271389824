"""The state of the memory as a person likes to read it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from saegim.serve.answers.shown import pairs, size
from saegim.serve.terminal import visible
from saegim.serve.words.speech import Speech
from saegim.settings import Settings

Held = Mapping[str, Any]


def state(held: Held, speech: Speech) -> list[RenderableType]:
    """Show what there is, where it lies, and what is not as it should be."""
    lines = {
        "store": f"{held['path']} ({_sizes(held, speech)})",
        "software": _software(held, speech),
        "scope": " · ".join(
            f"{speech(f'field {name}')} {value}" for name, value in held["scope"].items() if value
        ),
        "memories": _counts(held["memories"], speech),
        "index": _index(held["index"], speech),
        "words": _words(held["words"], speech),
        "ledger": _ledger(held["ledger"], speech),
        "backup": _backup(held["backup"], speech),
        "model": _model(held["model"], speech),
        "forgetting": speech.law(held["forgetting"]),
        "settings": _settings(held["settings"]),
    }
    if held.get("legacy"):
        lines["legacy"] = _legacy(held["legacy"], speech)
    shown: list[RenderableType] = [
        pairs({speech(f"state of {name}"): said for name, said in lines.items()})
    ]
    for warning in held["warnings"]:
        shown.append(Text(f"! {visible(warning)}", style="bold yellow"))
    return shown


def _sizes(held: Held, speech: Speech) -> str:
    counted = held["bytes"]
    said = [] if counted is None else [size(counted["store"] + counted["log"])]
    if held["readonly"]:
        said.append(speech("state readonly"))
    return ", ".join(said)


def _software(held: Held, speech: Speech) -> str:
    return speech(
        "state software",
        version=held["version"],
        sqlite=held["sqlite"],
        schema=held["schema"],
    )


def _counts(counts: Held | None, speech: Speech) -> str:
    """Count by state, and the living ones by kind and project."""
    if counts is None:
        return "?"
    groups = []
    for group in ("state", "kind", "tier", "project"):
        held = counts.get(group, {})
        words = (f"{speech.word(group, name) or '-'} {count:,}" for name, count in held.items())
        if group in ("state", "kind") or len(held) > 1:
            groups.append(", ".join(words))
    return "\n".join(each for each in groups if each) or "0"


def _index(index: Held | None, speech: Speech) -> str:
    if index is None:
        return "?"
    said = speech(
        "state index",
        embedder=index["embedder"],
        ready=index["ready"],
        memories=index["memories"],
        pending=index["pending"],
        failed=index["failed"],
    )
    return f"{said} ({index['error']})" if index["error"] else said


def _model(model: Held | None, speech: Speech) -> str:
    if model is None:
        return "?"
    if not model["name"]:
        return speech("state no model")
    today = max((each["day"] for each in model["spent"]), default="")
    calls = sum(each["calls"] for each in model["spent"] if each["day"] == today)
    about = {"name": model["name"], "waiting": model["waiting"], "parked": model["parked"]}
    return speech("state model", calls=calls, cap=model["daily_calls"], **about)


def _legacy(held: Held, speech: Speech) -> str:
    at = speech.moment(datetime.fromisoformat(held["at"])) if held["at"] else ""
    told = {
        "path": held["path"],
        "added": held["added"],
        "trouble": speech.translated(held["trouble"]),
    }
    return speech(f"legacy {held['state']}", at=at, **told)


def _words(words: Held | None, speech: Speech) -> str:
    if words is None:
        return "?"
    return str(words["in_use"]) if words["as_configured"] else speech.translated(str(words["why"]))


def _ledger(ledger: Held | None, speech: Speech) -> str:
    if ledger is None:
        return ""
    return speech("state ledger", length=ledger["length"], head=ledger["head"][:16])


def _backup(backup: Held | None, speech: Speech) -> str:
    if backup is None:
        return speech("state no backup")
    return f"{backup['path']} ({speech.moment(datetime.fromisoformat(backup['at']))})"


def _settings(settings: Held) -> str:
    """Name the settings that are not as they come."""
    usual = Settings().shown()
    changed = {name: value for name, value in settings.items() if value != usual.get(name)}
    return ", ".join(f"{name} = {value}" for name, value in changed.items())

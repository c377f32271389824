"""A short story about remembering, told by a real store that is thrown away at its end.

It needs no server and no network, and it touches nothing that belongs to the user.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from saegim.saegim import Saegim
from saegim.serve.cli.render_recall import why
from saegim.serve.cli.talk import Talk
from saegim.serve.speech import Speech

# What is remembered: days ago, kind, words.
FACTS: tuple[tuple[int, str, str], ...] = (
    (200, "experience", "봄에 수원에서 부산으로 이사했다."),
    (90, "preference", "오후에는 커피 대신 보리차를 마신다."),
    (14, "fact", "The Aurora project launches on 12 March."),
    (3, "technical", "Deploy with `make ship`; the staging server is called Lighthouse."),
)
# Each asks in the other language: no word is shared with the answer, only the meaning is.
QUESTIONS = ("What do I drink instead of coffee?", "오로라 프로젝트 출시일이 언제야?")
AGAIN = "When does Aurora launch?"
CORRECTION = "The Aurora project launches on 2 April, three weeks later than planned."
LAUNCH, TEA = 2, 1
# The settings of the user's own memory do not reach into the story.
_OWN_SETTINGS: dict[str, Any] = {"user": "demo", "agent": "", "project": "", "words": "basic"}


@dataclass(frozen=True, slots=True)
class DemoStep:
    """One step of the story: what is done, and what is seen; the last has no title."""

    title: str
    lines: tuple[str, ...]


def demo(talk: Talk) -> None:
    """Tell a short story in a store that is thrown away."""
    story = play(talk.speech)
    talk.answer(document(story), lambda: told(story, talk.speech))


def play(speech: Speech) -> list[DemoStep]:
    """Live through the story in a temporary store and return what happened."""
    from saegim.engines.brain.model import Static

    with (
        tempfile.TemporaryDirectory(prefix="saegim-demo-") as folder,
        Saegim.open(Path(folder, "demo.db"), embedder=Static(), **_OWN_SETTINGS) as memory,
    ):
        ids = [_remember(memory, *fact) for fact in FACTS]
        return [
            DemoStep(speech("demo remember"), tuple(_dated(fact) for fact in FACTS)),
            DemoStep(speech("demo ask"), _answers(memory, speech)),
            DemoStep(speech("demo correct"), _corrected(memory, ids[LAUNCH], speech)),
            DemoStep(speech("demo forget"), _gone_and_back(memory, ids[TEA], speech)),
            DemoStep("", _farewell(memory, speech)),
        ]


def document(story: list[DemoStep]) -> dict[str, Any]:
    """Return the story for JSON."""
    return {"story": [{"title": step.title, "lines": list(step.lines)} for step in story]}


def told(story: list[DemoStep], speech: Speech) -> list[RenderableType]:
    """Return the story for a person to read."""
    said: list[RenderableType] = [Text(speech("demo title"), style="bold")]
    for number, step in enumerate(story, 1):
        if step.title:
            said.append(Text.assemble((f"{number} ", "bold cyan"), (step.title, "bold")))
        said += [f"  {line}" if step.title else line for line in step.lines]
    return said


def _day(days_ago: int) -> datetime:
    return datetime.now(UTC) - timedelta(days=days_ago)


def _remember(memory: Saegim, days_ago: int, kind: str, text: str) -> str:
    return memory.remember(text, kind=kind, happened_at=_day(days_ago)).id


def _dated(fact: tuple[int, str, str]) -> str:
    days_ago, _, text = fact
    return f"{_day(days_ago).astimezone():%Y-%m-%d}  {text}"


def _answers(memory: Saegim, speech: Speech) -> tuple[str, ...]:
    """Ask in the language the answer was not written in; show it and why it came back."""
    lines = []
    for question in QUESTIONS:
        best = memory.recall(question, limit=1).hits[0]
        lines += [f"? {question}", f"→ {best.memory.text}", f"  ({why(best, speech)})"]
    return tuple(lines)


def _corrected(memory: Saegim, id: str, speech: Speech) -> tuple[str, ...]:
    """Correct a memory; the question now finds the new words, the old ones are in its history."""
    memory.update(id, CORRECTION)
    best = memory.recall(AGAIN, limit=1).hits[0].memory
    versions = memory.history(id).versions
    return (
        f"? {AGAIN}",
        f"→ {best.text}",
        speech("demo history", count=len(versions), text=versions[0].text),
    )


def _gone_and_back(memory: Saegim, id: str, speech: Speech) -> tuple[str, ...]:
    """Let a memory go, look for it, and call it back."""
    text = memory.get(id, counts=False).text
    gone = memory.forget(id)
    left = memory.search("보리차")
    memory.restore(id)
    back = memory.search("보리차")
    return (
        speech("demo gone", text=text, found=len(left)),
        speech("demo back", until=speech.date(gone.until), found=len(back)),
    )


def _farewell(memory: Saegim, speech: Speech) -> tuple[str, ...]:
    lines, _ = memory.maintenance.verify()
    return (speech("demo local", lines=lines), speech("demo next"), speech("demo more"))

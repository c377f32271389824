"""What lies around an answer: the prompt it goes into, how it was taken, its ties, its trace."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.cells import cell_len
from rich.text import Text

from saegim.memory.clock import iso
from saegim.memory.scope import Scope
from saegim.mind import Mind
from saegim.recall.compose.compose import Context
from saegim.recall.explain import Replay, handles, replayed
from saegim.recall.feedback import Judged
from saegim.recall.related import Relation, Step, is_entity
from saegim.recall.used.reasons import uses_of
from saegim.serve.answers import heard, plain
from saegim.serve.answers.recollected import ranked, room_beside, spelled
from saegim.serve.answers.shown import (
    Parts,
    grid,
    line,
    memory_column,
    named,
    placed,
    use_told,
)
from saegim.serve.terminal import one_line, visible
from saegim.serve.words.speech import Speech

__all__ = ["handles", "replayed", "uses_of"]

Json = dict[str, Any]


# -- plain data -----------------------------------------------------------------------------------


def judged(done: Judged) -> Json:
    """Return what a judgement did."""
    return {
        "memory": plain.memory(done.memory),
        "label": done.label,
        "importance": round(done.importance, 4),
        "changed": {id: round(delta, 4) for id, delta in done.changed.items()},
        "woken": done.woken,
        "correctable": done.correctable,
    }


def relation(each: Relation, known: Mapping[str, str]) -> Json:
    """Return what something is tied to, and along which ties."""
    return {
        "key": each.key,
        "handle": known.get(each.key),
        "hops": each.hops,
        "path": [{"from": start, "type": type, "to": end} for start, type, end in each.path],
        "weight": round(each.weight, 4),
        "negative": each.negative,
        "memory": plain.memory(each.memory) if each.memory else None,
        "entity": heard.entity(each.entity) if each.entity else None,
    }


def replay(told: Replay) -> Json:
    """Return what an answer showed; a memory that is gone has only its id."""
    return {
        "trace": told.trace,
        "at": iso(told.at),
        "ids": [id for id, _ in told.shown],
        "memories": [plain.memory(memory) for _, memory in told.shown if memory],
        "used": [each.as_dict() for each in told.used],
    }


# -- for people -----------------------------------------------------------------------------------


def left_out(made: Context, speech: Speech) -> list[str]:
    """Say what a block costs, and what was left out of it for what reason."""
    about = {"tokens": made.tokens, "budget": made.budget}
    said = [speech("composed", memories=speech.memories(len(made.cards)), **about)]
    if not made.cards:
        said = [speech("not composed")]
    reasons = {**made.reasons, "below": made.below_floor}
    said += [speech("left out", count=count, why=speech.word("left", name))
             for name, count in reasons.items() if count]  # fmt: skip
    return [*said, speech("traced", trace=made.trace)] if made.trace else said


def taken(done: Judged, speech: Speech) -> Parts:
    """Say what a judgement did, and what can follow."""
    each = done.memory
    label = speech.word("label", done.label)
    said: Parts = [line(speech("judged", label=label, id=each.id, text=each.text))]
    said.append(speech("judged worth", importance=done.importance))
    if len(done.changed) > 1:
        said.append(speech("judged beside", memories=speech.memories(len(done.changed) - 1)))
    if done.woken:
        said.append(speech("judged woken"))
    if done.correctable:
        said.append(speech("judged wrong", id=each.id))
    return said


def handles_along(found: Sequence[Relation], *, scope: Scope, mind: Mind) -> dict[str, str]:
    """Return the handles of all memories that relations lead to or through."""
    keys = {end for each in found for step in each.path for end in (step[0], step[2])}
    memories = sorted(key for key in keys if not is_entity(key))
    return handles(memories, scope=scope, store=mind.store)


def relations(found: Sequence[Relation], known: Mapping[str, str], speech: Speech) -> Parts:
    """Show what something is tied to, the nearest first, with the way there as arrows."""
    if not found:
        return [speech("nothing tied")]
    names = {each.key: one_line(each.entity.name) for each in found if each.entity}
    ways = [_arrows(each, {**names, **known}, speech) for each in found]
    table = grid()
    table.add_column(speech("column ties"), no_wrap=True)
    memory_column(table, speech, name="what")
    width = max(map(len, known.values()), default=4) + 8
    room = room_beside(max(map(cell_len, ways)), taken=width + 2)
    table.add_column(speech("column way"), style="green", overflow="fold", width=room)
    table.add_column(speech("column weight"), justify="right", no_wrap=True)
    for each, way in zip(found, ways, strict=True):
        weight = Text(f"{each.weight:.2f}", justify="right")
        if each.negative:
            weight.append(f"\n{speech('negative')}", style="bold red")
        table.add_row(ranked(each.hops, known.get(each.key, "")), _end(each, speech), way, weight)
    return [table]


def _end(each: Relation, speech: Speech) -> Text:
    """Return what stands at the end of a way, and the key it is called by."""
    if each.memory:
        return named(each.memory)
    name, sort = (each.entity.name, each.entity.type) if each.entity else (spelled(each.key), "")
    said = f" · {speech.word('entity', sort)}" if sort else ""
    return Text.assemble((one_line(name), "bold"), said, "\n", (visible(each.key), "dim"))


def _arrows(each: Relation, names: Mapping[str, str], speech: Speech) -> str:
    """Write the ties as arrows in the direction they point, and what lies between them by name."""
    parts: list[str] = []
    here = each.key
    for step in reversed(each.path):
        came, arrow = _arrow(step, here, speech)
        between = [] if here == each.key else [names.get(here, spelled(here))]
        parts = [arrow, *between, *parts]
        here = came
    return visible(" ".join(parts))


def _arrow(step: Step, here: str, speech: Speech) -> tuple[str, str]:
    """Return where a tie comes from when walked to `here`, and how it is drawn."""
    source, type, target = step
    name = speech.word("tie", type)
    return (source, f"—{name}→") if target == here else (target, f"←{name}—")


def again(told: Replay, known: Mapping[str, str], speech: Speech) -> Parts:
    """Show what an answer showed."""
    table = grid()
    table.add_column("", no_wrap=True)
    memory_column(table, speech)
    table.add_column(speech("column date"), no_wrap=True)
    for rank, (id, memory) in enumerate(told.shown, 1):
        number = ranked(rank, known.get(id, ""))
        gone = Text.assemble((speech("gone since"), "dim"), "\n", (id, "dim"))
        table.add_row(
            number, named(memory) if memory else gone, placed(memory, speech) if memory else ""
        )
    uses = [
        visible(f"{known.get(each.memory, each.memory)}: {use_told(each, speech)}")
        for each in told.used
    ]
    shown: Parts = [speech("was shown", at=speech.moment(told.at)), table]
    return [*shown, "", speech("why used"), *uses] if uses else shown

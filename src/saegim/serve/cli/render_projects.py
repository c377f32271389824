"""Which project is at hand and what projects hold, for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from saegim.serve.cli.render_memories import Parts, grid
from saegim.serve.terminal import one_line

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from saegim.memory.memory import Memory, Scope
    from saegim.project_memories import ProjectMove, ProjectSummary
    from saegim.serve.speech import Speech

# So many other projects are named.
_NAMED = 3


def others(counts: Mapping[str, int], speech: Speech) -> Parts:
    """Say how much other projects hold that this one does not."""
    if not counts:
        return []
    names = ", ".join(one_line(each) for each in list(counts)[:_NAMED])
    more = f"{names}, …" if len(counts) > _NAMED else names
    return [speech("elsewhere", count=sum(counts.values()), names=more)]


def at_hand(scope: Scope, speech: Speech) -> Parts:
    """Say which project is at hand; nothing where there is none."""
    return [speech("in project", project=one_line(scope.project))] if scope.project else []


def kept_where(kept: Sequence[Memory], scope: Scope, speech: Speech) -> Parts:
    """Say whether what was kept is found in every project or in one, and how to change that."""
    if not kept:
        return at_hand(scope, speech)
    first = kept[0]
    if first.scope.project:
        project = one_line(first.scope.project)
        return [speech("kept in project", project=project, id=first.id)]
    if scope.project:
        return [speech("kept for all", project=one_line(scope.project), id=first.id)]
    return []


def projects(held: Sequence[ProjectSummary], here: str, speech: Speech) -> Parts:
    """Show every project, how much it holds, and which one is at hand."""
    if not held:
        return [speech("no projects")]
    table = grid(fill=False)
    table.add_column(speech("column project"), overflow="fold")
    table.add_column(speech("column memories"), justify="right", no_wrap=True)
    table.add_column(speech("column last kept"), no_wrap=True)
    table.add_column("", no_wrap=True)
    for each in held:
        mark = Text(speech("project here") if here and each.project == here else "", style="cyan")
        last = speech.date(each.changed_at) if each.changed_at else ""
        table.add_row(Text(_called(each.project, speech)), f"{each.memories:,}", last, mark)
    return [table]


def went(done: ProjectMove, speech: Speech) -> Parts:
    """Say what moved or would move, from where, and how to take it back."""
    to = _called(done.to, speech)
    if not done.count and not done.places:
        return [speech("nothing to move", to=to)]
    sentence = "was moved" if done.done else "would move"
    said: Parts = [speech(sentence, to=to, memories=speech.memories(done.count))]
    said += [
        speech("moved from", project=_called(each, speech), count=count)
        for each, count in done.memories.items()
    ]
    if done.places:
        said.append(speech("moved places", to=to, count=done.places))
    if done.id:
        said.append(speech("move back", id=done.id, until=speech.moment(done.until)))
    return said


def _called(project: str, speech: Speech) -> str:
    return one_line(project) if project else speech("all projects")

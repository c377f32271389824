"""`Card`: one memory as it is shown in a prompt, in one of three forms, on one line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final

from saegim.memory.coordinate import PERSON, Kind, Origin
from saegim.memory.memory import Memory
from saegim.memory.tiers import State
from saegim.recall.compose.quote import quoted, shortened
from saegim.recall.fit import DOUBTED_BELOW
from saegim.recall.handle import handle_of
from saegim.recall.score import Hit

TEXT, BRIEF, TRIPLES = "text", "brief", "triples"
# Seed C, level 1; seed A shows so much of a past answer, and of a prompt.
MOST_BRIEF: Final = 100
MOST_EXAMPLE: Final = 200
_MOST_AUTHOR: Final = 40
_MOST_CONFLICTS: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """One memory in a prompt: its words in some form, where they come from, what they may do.

    `can_instruct` is true for preferences the person stated, and for nothing else: all other words
    are evidence, however they are phrased.
    """

    handle: str
    id: str
    words: str
    form: str
    date: str
    author: str
    origin: str
    trust: float
    kind: str
    can_instruct: bool
    marks: tuple[str, ...] = ()
    # What the words answered, where they are an example.
    asked: str = ""

    @property
    def line(self) -> str:
        """Return the card as it stands in the prompt."""
        about = [self.handle, self.date]
        if self.origin != Origin.USER_SAID or self.author:
            # The header says whose words stand without a mark; most do, and each mark costs tokens.
            about += [self.origin, f"trust={self.trust:g}"]
        if self.author:
            about.append(f"by={quoted(self.author)}")
        if self.can_instruct:
            about.append("guidance")
        about += self.marks
        if self.form != TEXT:
            about.append(f"form={self.form}")
        if self.asked:
            return f"{' '.join(about)} input={quoted(self.asked)} response={quoted(self.words)}"
        return f"{' '.join(about)} {quoted(self.words)}"

    def as_dict(self) -> dict[str, Any]:
        """Return the card ready for JSON."""
        return asdict(self) | {"marks": list(self.marks)}


def is_of_a_person(memory: Memory) -> bool:
    """Say whether the person whose memory this is said or confirmed it."""
    return memory.provenance.origin in PERSON


def card(
    hit: Hit,
    form: str,
    words: str,
    *,
    handles: Mapping[str, str],
    partly: bool = False,
    newer: str = "",
) -> Card:
    """Show a hit with these words; `handles` names what else was found, by id.

    `newer` is what holds in its place, where it no longer does.
    """
    memory = hit.memory
    return Card(
        handle=handle_of(hit.number, memory.id),
        id=memory.id,
        words=words,
        form=form,
        # "Tomorrow" in the words counts from the day they were said.
        date=(memory.time.said_at or memory.time.happened_at).date().isoformat(),
        author=shortened(memory.provenance.author, _MOST_AUTHOR),
        origin=memory.provenance.origin.value,
        trust=memory.provenance.trust,
        kind=memory.kind.value,
        # What no longer holds guides nobody.
        can_instruct=memory.kind is Kind.PREFERENCE
        and is_of_a_person(memory)
        and memory.life.state is State.ACTIVE,
        marks=tuple(_marks(hit, handles, partly=partly, newer=newer)),
    )


def _marks(hit: Hit, handles: Mapping[str, str], *, partly: bool, newer: str) -> Iterator[str]:
    """Yield what a reader must know before believing the words."""
    memory = hit.memory
    if memory.kind is Kind.IMAGINED:
        yield "imagined"
    if memory.life.state is State.SUPERSEDED:
        until = memory.time.valid_to
        yield f"superseded={until.date().isoformat()}" if until else "superseded"
        if newer in handles:
            yield f"holds_now={handles[newer]}"
    elif partly:
        yield "partly_superseded"
    if memory.life.state is State.DORMANT:
        yield "old"
    if memory.worth.confidence < DOUBTED_BELOW:
        yield "doubted"
    if hit.conflicts:
        named = (handles.get(id, id) for id in sorted(hit.conflicts)[:_MOST_CONFLICTS])
        yield f"contradicted_by={','.join(named)}"


def forms(memory: Memory, *, shrunk: bool) -> Iterator[tuple[str, str]]:
    """Yield the forms of a memory, the fullest first; what has faded begins at its brief."""
    brief = shortened(memory.content.brief or memory.text, MOST_BRIEF)
    if not shrunk or brief == memory.text:
        yield TEXT, memory.text
    if brief and brief != memory.text:
        yield BRIEF, brief
    if memory.content.triples:
        yield TRIPLES, "; ".join(" ".join(each) for each in memory.content.triples)


def example(memory: Memory) -> tuple[str, str]:
    """Return what was asked and what was answered, as seed A shows a past example."""
    answer = memory.content.brief or memory.text
    return shortened(memory.content.prompt_digest, MOST_EXAMPLE), shortened(answer, MOST_EXAMPLE)

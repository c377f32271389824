"""What is imagined from memories, and the mood of now."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Literal

from annotated_types import MaxLen

from saegim.serve.catalogue import shapes
from saegim.serve.catalogue.browse_functions import orb
from saegim.serve.catalogue.entry import (
    CallContext,
    Effect,
    Id,
    Profile,
    catalogued,
)

Context = Annotated[str, MaxLen(300)]
_MOST_SHOWN = 12


@catalogued(Profile.FULL, Effect.ADDS, "POST /imagination", command="imagine")
def imagine(at: CallContext, context: Context = "") -> shapes.ImaginationAnswer:
    """Imagine something that could be said or done now, from the user's memories.

    It did not happen: never tell it as a fact. At most three a day; context says what goes on.
    """
    made = at.memory.imagination.make(context=context)
    return {
        "imagination": made.as_dict(),
        "left": at.memory.imagination.today().left,
        "scope": shapes.scope(at.memory.scope),
    }


@catalogued(Profile.FULL, Effect.READS, "GET /imagination", command="imagine")
def imagination_list(at: CallContext) -> shapes.ImaginationsAnswer:
    """List what was imagined today, how many more may be, and which patterns were liked."""
    today = at.memory.imagination.today()
    patterns = at.memory.imagination.patterns()
    return {
        "day": today.day,
        "imaginations": [each.as_dict() for each in today.imaginations],
        "most": today.most,
        "left": today.left,
        "patterns": {key: each.weight for key, each in sorted(patterns.items())},
        "scope": shapes.scope(at.memory.scope),
    }


@catalogued(
    Profile.FULL,
    Effect.CHANGES,
    "POST /imagination/feedback",
    command="imagine",
    repeatable=True,
)
def imagination_feedback(
    at: CallContext, label: Literal["liked", "ignored", "refused"], id: Id = ""
) -> shapes.PatternAnswer:
    """Tell how the user took the latest imagination, or the one with this id.

    liked lets such ones come more often, ignored less; refused lets them rest.
    """
    known = at.memory.imagination.feedback(label, id)
    return {
        "pattern": known.key,
        "weight": known.weight,
        "liked": known.liked,
        "ignored": known.ignored,
        "refused": known.refused,
        "rests_until": known.rests_until or None,
        "scope": shapes.scope(at.memory.scope),
    }


@catalogued(Profile.FULL, Effect.READS, "GET /mood", command="mood")
def mood(at: CallContext) -> shapes.MoodAnswer:
    """Read the mood that what was heard and recalled lately leaves; null where there is none."""
    found = at.memory.mood()
    return {
        "mood": shapes.feelings(found),
        "scope": shapes.scope(at.memory.scope),
    }


@catalogued(Profile.PEOPLE, Effect.READS, "GET /imagination/whole", command="imagine")
def imagination_whole(at: CallContext) -> shapes.StateAnswer:
    """Show what was imagined today and lately with the words it came from, and how it was taken."""
    imagination, store = at.memory.imagination, at.memory.mind.store.memories
    today, patterns = imagination.today(), imagination.patterns()
    made = {each.id for each in today.imaginations}
    shown = []
    for each in imagination.latest(_MOST_SHOWN):
        held = (store.get(at.memory.scope, id) for id in each.memories_used)
        taken = patterns.get(each.pattern)
        shown.append(
            {
                **each.as_dict(),
                "today": each.id in made,
                "sources": [orb(memory) for memory in held if memory is not None and memory.text],
                "pattern": asdict(taken) if taken else None,
            }
        )
    told = {"day": today.day, "most": today.most, "left": today.left, "imaginations": shown}
    return {"told": told, "scope": shapes.scope(at.memory.scope)}

"""English clauses with "be", "turn" or "become": what someone or something is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from saegim.language.en import lexicon as lex
from saegim.language.en.facts_being import HEADS, thing_is
from saegim.language.en.facts_being__people import NUMBER_WORDS, is_job, person_is
from saegim.language.en.forms__clause import Clause
from saegim.language.en.scene import Scene, bare, head
from saegim.language.predicates__facts import Fact
from saegim.memory.late import late

_FAVOURITE: Final = late(r"(?:my|our) favou?rite\b|the best\b", re.IGNORECASE)


def is_what(clause: Clause, scene: Scene) -> Iterator[Fact]:
    """Yield what a clause with "be", "turn" or "become" says."""
    if clause.lemma in ("turn", "become") and clause.tense in ("past", "done"):
        yield from _became(clause, scene)
        return
    if clause.lemma != "be" or clause.begun in ("stop", "used") or clause.mood != "told":
        return
    if clause.tense == "past" and clause.object == "born" and head(scene.subject) == "baby":
        yield Fact(scene.me, "state", "had the baby")
    elif clause.tense == "past" and clause.object.lower().split(" ")[0] not in lex.DONE:
        return
    elif _FAVOURITE.match(clause.object):
        yield from thing_is(clause, scene)
    elif scene.is_person(clause) and head(scene.subject) not in HEADS:
        yield from person_is(clause, scene)
    else:
        yield from thing_is(clause, scene)


def _became(clause: Clause, scene: Scene) -> Iterator[Fact]:
    said = bare(clause.object)
    if clause.lemma == "turn" and NUMBER_WORDS.fullmatch(said.lower()):
        yield Fact(scene.subject, "age", said)
    elif clause.lemma == "become" and is_job(said):
        yield Fact(scene.subject, "job", said)
    elif clause.lemma == "become" and said.lower() in lex.DIETS:
        yield Fact(scene.subject, "diet", said)

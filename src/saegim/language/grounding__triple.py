"""Whether a triple says of whom, what and how the same as the fact it belongs to."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from saegim.language.amounts import amounts, foreign
from saegim.language.claims import is_negative
from saegim.language.grounding import same
from saegim.language.grounding__telling import USERS, clauses, first_person
from saegim.language.meanings__clause import ME, Clause
from saegim.language.meanings__reading import Said, said, words_of
from saegim.memory.keys import normalise

Triple = tuple[str, str, str]
_I: Final = frozenset(("i", "me", "my", "나", "저", "내", "제"))


def fits(triple: Triple, fact: str, names: Collection[str] = ()) -> bool:
    """Say whether a fact holds a triple; `names` are the speaker's beside "user"."""
    selves = {normalise(name) for name in (*USERS, *names)} | _I
    told = clauses(first_person(fact, (*USERS, *names)))
    subject, predicate, value = map(normalise, triple)
    held = said(fact)
    if value in selves or not _says(held, value):
        return False
    if not all(map(held.holds_alike, words_of(predicate.replace("_", " ")))):
        return False
    if is_negative(predicate) != any(each.denied for each in told):
        return False
    if subject in selves:
        return any(each.me or _mine(each, predicate) for each in told)
    return _says(held, subject) and any(_is_about(each, subject) for each in told)


def _says(held: Said, part: str) -> bool:
    """Say whether the fact says one end of the triple."""
    if foreign(amounts(part), amounts(held.written)):
        return False
    found = list(words_of(part))
    return all(map(held.holds, found)) if found else part in normalise(held.written)


def _mine(clause: Clause, predicate: str) -> bool:
    """Say whether the predicate names what of the speaker's the clause is about: 이름."""
    return any(each.owner == ME and each.name.lower() in predicate for each in clause.subjects)


def _is_about(clause: Clause, subject: str) -> bool:
    names = [each.name for each in clause.subjects]
    words = subject.split()
    return any(same(name, word) for name in names for word in words)

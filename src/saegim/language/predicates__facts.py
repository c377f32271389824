"""`Fact`: one thing that is said, before it is written in the words of a language."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from saegim.language.predicates import predicate

Triple = tuple[str, str, str]

# What is longer is a clause that was not understood.
LONGEST: Final = 60


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing that is said: by a predicate of the table, or in words of its own (`said`)."""

    subject: str
    name: str
    value: str
    denied: bool = False
    said: str = ""


def written(fact: Fact, language: str) -> Triple | None:
    """Return a fact as a triple, None if a part of it is missing."""
    subject, value = fact.subject.strip(), fact.value.strip()
    if not subject or not value or subject == value or len(value) > LONGEST:
        return None
    return subject, fact.said or predicate(fact.name, language, denied=fact.denied), value

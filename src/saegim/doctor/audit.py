"""`audit`: what in a memory deserves a look, counted, with the ids of a few.

It asks no model and no network, and changes nothing; what to do about it is a person's choice.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from saegim.engines.embedder import Identity
from saegim.errors import BadInput
from saegim.guard.guard import screen
from saegim.memory.memory import Scope
from saegim.messages import said
from saegim.mind import Mind
from saegim.store.tables.audit_table import AuditTable, Counted, Yardstick

_READ_THROUGH: Final = "secret_like"
# A tier of short-lived memories lasts as long: what nobody needed by then was perhaps not needed.
UNUSED_DAYS: Final = 30
# More than this is a list, not a sample.
MOST_SAMPLES: Final = 1000

# What is counted, in the order in which a person should read it.
COUNTED: Final = (
    _READ_THROUGH,
    "duplicate",
    "near_duplicate",
    "contradicting",
    "unverified",
    "never_recalled",
    "orphan",
    "lonely_entity",
    "loose_tie",
    "without_vector",
    "quarantined",
    "leaving",
)


@dataclass(frozen=True, slots=True)
class Audited:
    """One thing that was counted: how many, the ids of the latest few, and what helps.

    Of a pair the later memory is named, of an entity its key, of a loose tie the end that is here.
    """

    what: str
    count: int
    samples: tuple[str, ...]
    next_step: str


@dataclass(frozen=True, slots=True)
class Audit:
    """Everything that was counted, of how many memories whose words are here."""

    of: int
    findings: tuple[Audited, ...]


def audit(scope: Scope, mind: Mind, *, samples: int = 5) -> Audit:
    """Look through everything this user has, in every room, as it is at this moment."""
    if (
        not isinstance(samples, int)
        or isinstance(samples, bool)
        or not 0 <= samples <= MOST_SAMPLES
    ):
        raise BadInput("examination.cannot_be_samples", samples=samples, most=MOST_SAMPLES)
    store, by = mind.store.audit, _yardstick(mind)
    with store.one_moment():
        return Audit(
            store.memories(scope),
            tuple(
                _audited(
                    what,
                    _secret_like(store, scope, samples)
                    if what == _READ_THROUGH
                    else store.counted(what, scope, by, samples=samples),
                )
                for what in COUNTED
            ),
        )


def _yardstick(mind: Mind) -> Yardstick:
    return Yardstick(
        mind.settings.similar_from,
        mind.now() - timedelta(days=UNUSED_DAYS),
        mind.embedder.identity if mind.embedder.local else remembered(mind),
    )


def remembered(mind: Mind) -> Identity | None:
    """Return as whom the store last met a remote embedder: it is not asked over the network."""
    provider, _, model = mind.settings.embedder.partition(":")
    name = (
        getattr(mind.embedder, "provider", provider),
        getattr(mind.embedder, "model", model),
    )
    known = mind.store.survey.embedders()
    return next((each for each in known if (each.provider, each.model) == name), None)


def _audited(what: str, found: Counted) -> Audited:
    return Audited(
        what, found.count, found.ids, said(f"doctor.step.{what}", {}) if found.count else ""
    )


def _secret_like(store: AuditTable, scope: Scope, samples: int) -> Counted:
    """Find words that would be masked today whatever a person wished; only ids leave here.

    Older versions, what is kept apart and what is leaving are read too: their words are here.
    """
    count, latest = 0, deque[str](maxlen=samples)
    for id, text in store.texts(scope):
        if screen(text, keep_private=True).findings:
            count += 1
            latest.append(id)
    return Counted(count, tuple(reversed(latest)))

"""Which of the entities in mind a text names, whatever Korean particle or case they carry."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from saegim.memory.keys import fold, normalise
from saegim.memory.scope import Scope
from saegim.perceive.extract.grounding import language_of
from saegim.perceive.extract.names import named
from saegim.session.contents import Contents
from saegim.session.node import REFERS_TO_ENTITY, Node
from saegim.store.store import Store

# A text longer than this is a document: its beginning says whom it is about.
_GLANCE = 4000
# A Korean name of three syllables is often used without its surname.
_FULL_NAME = 3


def refer(contents: Contents, node: Node, at: datetime) -> list[str]:
    """Tie a node to the entities in mind that it names; return the keys of the ties."""
    met = {
        entity.id
        for name in names_in(node.text, contents.names)
        if (entity := contents.called(name)) is not None
    }
    return [contents.join(node.id, REFERS_TO_ENTITY, id, 1.0, at).key for id in sorted(met)]


def names_in(text: str, known: Iterable[str]) -> list[str]:
    """Return those of the known names, normalised, that stand in a text as names."""
    plain = normalise(text[:_GLANCE])
    likely = [name for name in known if name in plain or _given(name) in plain]
    if not likely:
        return []
    found = {normalise(each) for each in all_names(text, likely)}
    return [name for name in likely if name in found]


def acquainted(text: str, scope: Scope, store: Store) -> list[list[str]]:
    """Return the names of those in a text whom the long memory knows, the main name first."""
    names = [normalise(name) for name in all_names(text)]
    found = store.named(scope, names) if names else {}
    entities = {entity.key: entity for each in found.values() for entity in each}
    return [
        [entity.name, *filter(None, (entity.display_name, *entity.aliases))]
        for entity in entities.values()
        if entity.type != "self"
    ]


def all_names(text: str, known: Iterable[str] = ()) -> list[str]:
    """Return every name that the rules find in a text, and the known ones among them."""
    glance = fold(text[:_GLANCE])
    language = "ko" if language_of(glance) == "ko" else "en"
    found = named(glance, (), language=language, me="", known=list(known))
    return [name for each in found for name in (each.name, *each.aliases)]


def _given(name: str) -> str:
    """Return a full Korean name without its surname, any other name as it is."""
    hangul = len(name) == _FULL_NAME and all("가" <= letter <= "힣" for letter in name)
    return name[1:] if hangul else name

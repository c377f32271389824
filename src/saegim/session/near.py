"""Which queries are near a text, by scanning or by the pieces they share; and whom a text names."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from saegim.engines.vectors import Sparse, Vector, cosine
from saegim.language.amounts import amounts, foreign
from saegim.language.en.ground import denials as english_denials
from saegim.language.ko.ground import denials as korean_denials
from saegim.language.ko.word_forms import noun_and_part, tokens
from saegim.language.language import script_of
from saegim.language.names import named
from saegim.language.words import Basic
from saegim.memory.keys import fold, normalise
from saegim.memory.scope import Scope
from saegim.session.node import REFERS_TO_ENTITY, Node
from saegim.store.store import Store

if TYPE_CHECKING:
    from saegim.session.contents import Contents

# Up to this dimension a question is spread out once and every node reads from it; 4 MB.
_SPREAD_OUT: Final = 1 << 20
# Parts in a clause that cannot be exchanged: who does it, and to whom or what it is done.
_PARTS: Final = ("가", "를", "에게")
# Equal to six digits is equal: sums of the same numbers in another order differ beyond them.
_DIGITS: Final = 6
# A text longer than this is a document: its beginning says whom it is about.
_GLANCE: Final = 4000
# A Korean name of three syllables is often used without its surname.
_FULL_NAME: Final = 3


class Packed:
    """Many vectors of one space, laid side by side so that one product compares them all."""

    def __init__(self, nodes: Iterable[Node]) -> None:
        held = [(node.id, node.vector) for node in nodes if node.vector is not None]
        self._ids = [id for id, _ in held]
        vectors = [vector for _, vector in held]
        self._sparse = [each for each in vectors if isinstance(each, Sparse)]
        self._dense = [each for each in vectors if not isinstance(each, Sparse)]
        if self._sparse:
            self._indices = np.concatenate([each.indices for each in self._sparse])
            self._values = np.concatenate([each.values for each in self._sparse])
            sizes = [len(each.indices) for each in self._sparse]
            self._starts = np.cumsum([0, *sizes[:-1]])
        elif self._dense:
            self._rows = np.stack(self._dense)

    def nearest(self, vector: Vector) -> list[tuple[str, float]]:
        """Return the ids with their cosine to a vector, the nearest first, then as they came."""
        if not self._ids:
            return []
        cosines = np.round(self._cosines(vector), _DIGITS)
        order = np.argsort(-cosines, kind="stable")
        return [(self._ids[at], float(cosines[at])) for at in order]

    def _cosines(self, vector: Vector) -> npt.NDArray[np.float64]:
        if not isinstance(vector, Sparse):
            return (self._rows @ vector).astype(np.float64)
        if vector.dimension > _SPREAD_OUT:
            return np.array([cosine(vector, each) for each in self._sparse])
        wide = np.zeros(vector.dimension)
        wide[vector.indices] = vector.values
        summed: npt.NDArray[np.float64] = np.add.reduceat(
            wide[self._indices] * self._values, self._starts
        )
        return summed


class Postings:
    """The inverted index: which queries hold a piece.

    Of a sparse vector the pieces are its buckets, and none that is near can be missed. A dense
    one has no pieces; there the words of the text stand in, and what shares no word is missed.
    """

    def __init__(self) -> None:
        self._ids: dict[int | str, dict[str, None]] = {}
        self._pieces: dict[str, tuple[int | str, ...]] = {}
        self._words = Basic()

    def put(self, node: Node) -> None:
        """Note the pieces of a query; forget those of its former vector."""
        self.drop(node.id)
        if node.vector is None:
            return
        self._pieces[node.id] = pieces = tuple(self._cut(node.vector, node.text))
        for piece in pieces:
            self._ids.setdefault(piece, {})[node.id] = None

    def drop(self, id: str) -> None:
        """Forget a node."""
        for piece in self._pieces.pop(id, ()):
            held = self._ids[piece]
            held.pop(id, None)
            if not held:
                del self._ids[piece]

    def candidates(self, vector: Vector, text: str) -> list[str]:
        """Return the queries that share a piece with a text."""
        found: dict[str, None] = {}
        for piece in self._cut(vector, text):
            found |= self._ids.get(piece, {})
        return list(found)

    def _cut(self, vector: Vector, text: str) -> Iterable[int | str]:
        if isinstance(vector, Sparse):
            return (int(each) for each in vector.indices)
        return dict.fromkeys(self._words.index(text))


def may_be_one(text: str, other: str) -> bool:
    """Say whether two near texts may be taken for one: same numbers, same no, same roles (U5.2).

    A table of meanings does not read word order, and one digit weighs little in a long sentence.
    """
    one, two = fold(text).lower(), fold(other).lower()
    told, known = amounts(one), amounts(two)
    if foreign(told, known) is not None or foreign(known, told) is not None:
        return False
    for denials in (korean_denials, english_denials):
        if denials(one) % 2 != denials(two) % 2:
            return False
    parts = _parts(two)
    if any(parts.get(noun, part) != part for noun, part in _parts(one).items()):
        return False
    told_by, known_by = _order(one), _order(two)
    return told_by == known_by or sorted(told_by) != sorted(known_by)


def _parts(text: str) -> dict[str, str]:
    """Return which Korean nouns do something and to which something is done."""
    read = (noun_and_part(token.word) for token in tokens(text))
    return {noun: part for noun, part in read if part in _PARTS}


def _order(text: str) -> list[str]:
    """Return the words in their order, which tells roles in English; particles do in Korean."""
    korean = any("가" <= letter <= "힣" for letter in text)
    return [] if korean else Basic().index(text)


# -- names ----------------------------------------------------------------------------------------


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
    language = "ko" if script_of(glance) == "ko" else "en"
    found = named(glance, (), language=language, me="", known=list(known))
    return [name for each in found for name in (each.name, *each.aliases)]


def _given(name: str) -> str:
    """Return a full Korean name without its surname, any other name as it is."""
    hangul = len(name) == _FULL_NAME and all("가" <= letter <= "힣" for letter in name)
    return name[1:] if hangul else name

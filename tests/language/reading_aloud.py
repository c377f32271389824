"""One way to read a sentence in these tests: rules alone, no model, no learned heads."""

from __future__ import annotations

from collections.abc import Collection

from saegim.language.claims import claims, opposed
from saegim.language.extract import Extracted, extract
from saegim.language.features import read_signs
from saegim.language.words import Basic
from saegim.memory.memory import Emotion

ANALYSER = Basic()


def read(text: str, *, speaker: str = "", known: Collection[str] = ()) -> Extracted:
    """Extract from one text by its own signs."""
    signs = read_signs(text, emotion=Emotion(), reading=None, analyser=ANALYSER)
    return extract(text, analyser=ANALYSER, signs=signs, speaker=speaker, known=known)


def changes(old: str, new: str) -> bool:
    """Say whether the rules see that the new sentence ends what the old one said."""
    before, after = claims(read(old).triples), claims(read(new).triples)
    return any(opposed(one, other) for one in after for other in before)

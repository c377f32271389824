"""A memory read for what it tells, its occasion and the wish to keep it taken off."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from saegim.language.deeds import ME, Deed, Told, Who, speaker
from saegim.language.en.tell import deeds as english_deeds
from saegim.language.feelings import feel
from saegim.language.ko.tell import deeds as korean_deeds
from saegim.language.occasions__occasion import without_occasion
from saegim.language.occasions__wishes import without_wish
from saegim.language.tell__nouns import nouns
from saegim.language.words import Analyser
from saegim.memory.memory import Memory

# Of a longer source only the beginning is read for what it shares with others.
_GLANCE: Final = 1000


def told_by(memory: Memory, language: str, analyser: Analyser) -> Told:
    """Return what one memory tells, as a source in the language of its group."""
    plain = without_wish(memory.text[:_GLANCE])
    bare = without_occasion(plain, language)
    author = memory.provenance.author
    return Told(
        deeds=tuple(_by_author(deed, author) for deed in deeds_in(bare, language)),
        nouns=nouns(bare, language, analyser),
        felt=feel(bare, None).sentiment,
        day=memory.time.happened_at.date().isoformat(),
        dated=bare != plain,
        text=bare.lower(),
    )


def deeds_in(text: str, language: str) -> list[Deed]:
    """Return the deeds of a text, read as Korean or English."""
    return korean_deeds(text) if language == "ko" else english_deeds(text)


def _by_author(deed: Deed, author: str) -> Deed:
    """Tell the deeds of one who speaks from those of another who says "I" as well."""
    own = speaker(author, "en")
    if deed.who.key != ME or own == "The user":
        return deed
    return replace(deed, who=Who(own.lower(), own))

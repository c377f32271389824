"""`Clause`: one English verb with its subject and what follows it."""

from __future__ import annotations

from dataclasses import dataclass, field

from saegim.language.claims__timetable import facets


@dataclass(slots=True)
class Clause:
    """One verb with its subject and what follows.

    `subject` is "me", a pronoun, or a noun phrase with its determiner taken off (`owner` keeps
    my/our/the). `after` are (preposition, phrase) in order, "" for the object.
    """

    subject: str = ""
    owner: str = ""
    lemma: str = ""
    tense: str = "now"  # now past done ing future
    denied: bool = False
    mood: str = "told"  # told asked supposed reported wish can ordered
    adverbs: set[str] = field(default_factory=set)
    after: list[tuple[str, str]] = field(default_factory=list)
    joint: str = ""
    passive: bool = False
    begun: str = ""  # start, stop, used, decide, plan: a verb before the verb

    def phrase(self, *prepositions: str) -> str:
        """Return the first phrase after one of these prepositions."""
        return next((text for head, text in self.after if head in prepositions), "")

    @property
    def object(self) -> str:
        """Return the phrase without a preposition."""
        return self.phrase("")

    def time(self) -> str:
        """Return the words that say when."""
        return " ".join(
            text if head == "when" else f"{head} {text}".strip()
            for head, text in self.after
            if facets(f"{head} {text}")
        )

"""Who an English clause is about: names, relatives, and what a pronoun points back to."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from saegim.language.en import lexicon as lex
from saegim.language.en.word_forms import EnglishClause
from saegim.language.word_lists import read_lists

_LISTS: Final = read_lists("en/scene")

_ARTICLE: Final = re.compile(
    r"^(?:(?:a|an|the|my|our|his|her|their|your|some|any|this|that|these|those|both|just|all) )+",
    re.IGNORECASE,
)


_TAIL: Final = re.compile(
    r"\s+(?:now|anymore|too|also|instead|again|lol|haha|though|please|btw|yet|already|right)$",
    re.IGNORECASE,
)


def bare(text: str) -> str:
    """Return a phrase without articles and owners before it or small words after it."""
    return _TAIL.sub("", _ARTICLE.sub("", text.strip()))


def head(text: str) -> str:
    """Return the noun a phrase is about, in lower case: the last word before "of"."""
    words = text.lower().split(" of ")[0].split()
    return words[-1] if words else ""


_WHICH: Final = _LISTS.words("which")


_NO_THING: Final = _LISTS.words("no_thing")


_RENAMES: Final = frozenset(str.split("rename change call name move reschedule switch update"))


@dataclass(slots=True)
class EnglishScene:
    """What a speaker's sentences have in common, clause after clause."""

    me: str
    subject: str = ""
    person: str = ""
    thing: str = ""
    object: str = ""
    renamed: str = ""
    moving: bool = False
    thinking: bool = False  # I think: of tastes this is as good as saying so

    def enter(self, clause: EnglishClause) -> None:
        """Find out whom the clause is about."""
        said = clause.subject
        if said == "me":
            self.subject = self.me
        elif said in ("he", "she", "they"):
            self.subject = self.person or ("someone" if said == "they" else "")
        elif said == "it":
            self.subject = self.renamed or self.thing
        elif said in ("you", "this", "that"):
            self.subject = ""
        else:
            self.subject = self._named(said, clause.owner)

    def _named(self, said: str, owner: str) -> str:
        if owner in ("my", "our") and self.me != "user" and head(said) in lex.KIN:
            return f"{self.me}'s {said}"
        if owner in ("his", "her", "their") and self.person:
            return f"{self.person}'s {said}"
        kin, _, name = said.partition(" ")
        if kin.lower() in lex.KIN and name[:1].isupper():
            return name  # my brother Tom
        if said.lower() in lex.KIN or said.lower() in ("someone", "somebody", "people", "everyone"):
            return said.lower()
        return said

    def is_person(self, clause: EnglishClause) -> bool:
        """Say whether the clause is about a person."""
        if self.subject == self.me or clause.subject in ("he", "she", "they"):
            return True
        last = head(self.subject)
        words = self.subject.split()
        if last in lex.PETS or (
            last in lex.KIN
            and (len(words) == 1 or words[0].endswith("'s") or words[0].lower() in _WHICH)
        ):
            return True
        if clause.owner or not all(word[:1].isupper() for word in words):
            return False
        return words[0].lower() in lex.FIRST_NAMES or (
            len(words) == 2
            and last not in lex.EVENTS
            and words[0] not in ("Best", "Deadline", "New")
        )

    def objects(self, clause: EnglishClause, *, counted: bool = False) -> list[str]:
        """Return what is done to: each noun of a list, none if it is not understood."""
        first = clause.object
        if not first:
            return []
        if counted and first.lower() in ("one", "two", "three", "four", "five") and self.object:
            return [f"{first} {self.object}"]
        found = [first, *(text for joint, text in clause.after if joint == "and")]
        kept = []
        for each in found:
            said = bare(each)
            if said.lower() == "it" and self.thing:
                kept.append(self.thing)
            if (
                said
                and head(said) not in lex.VAGUE
                and len(said.split()) < 7
                and said.lower() not in lex.VAGUE
            ):
                kept.append(said)
        return kept

    def nouns(self, clause: EnglishClause) -> list[str]:
        """Return what a clause is about: its subject and object, if they are things."""
        found: dict[str, None] = {}
        said = [] if self.is_person(clause) or clause.subject == "it" else [self.subject]
        said += [text for joint, text in clause.after if joint in ("", "from", "of", "off")]
        said += [each.split("'s ")[0] for each in said if "'s " in each]
        for each in said:
            text = re.sub(r"^(?:old|new|current|another|all) ", "", bare(each))
            text = re.sub(r"\s(?:back|away|out|up|over)$|'s$|\s?v?[0-9][0-9.]*$", "", text)
            words = text.lower().split()
            if not words or len(words) > 4 or words[-1] in lex.VAGUE or words[-1] in lex.ADVERBS:
                continue
            form = lex.VERBS.get(words[0])
            if (
                not (form and form.kind in ("past", "done", "ing"))
                and len(text) > 2
                and words[0] not in _NO_THING
            ):
                found[text] = None
        return list(found)

    def leave(self, clause: EnglishClause) -> None:
        """Keep in mind what the clause was about."""
        if self.subject and self.subject != self.me:
            if self.is_person(clause):
                self.person = self.subject
            else:
                self.thing = self.subject
        if several := re.fullmatch(r"[Oo]ne of (?:my|our) (\w+)", self.subject):
            self.object = several[1]
        self.moving = clause.lemma in ("move", "leave")
        self.thinking = (
            clause.lemma in ("think", "believe", "guess", "say") and clause.subject == "me"
        )
        self.renamed = ""
        if clause.object:
            said = re.sub(r"^(?:one|two|three|another|new) ", "", bare(clause.object))
            if (
                head(said) not in lex.VAGUE
                and head(said) not in lex.ADVERBS
                and head(said) not in ("away", "home", "back")
            ):
                self.object = said
                if self.subject == self.me and clause.lemma in _RENAMES:
                    self.renamed = f"{said} name" if clause.lemma in ("rename",) else said
                elif self.subject == self.me:
                    self.thing = said

"""English words by what they name or do: verbs with their forms, relatives, jobs, common words."""

from __future__ import annotations

from typing import Final, NamedTuple

from saegim.language.word_lists import read_lists

_LISTS: Final = read_lists("en/lexicon")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


class VerbForm(NamedTuple):
    """What a written verb form is: its lemma and "base", "s", "past", "done" or "ing"."""

    lemma: str
    kind: str


_REGULAR: Final = [*_LISTS.row("regular")]
_IRREGULAR: Final = _LISTS.text("irregular")
_EXTRA: Final = {"got": "get", "gotten": "get", "rid": "get"}


def _conjugated() -> dict[str, VerbForm]:
    forms: dict[str, VerbForm] = {}
    for lemma in _REGULAR:
        stem = lemma[:-1] if lemma.endswith("e") else lemma
        soft = lemma[-1] == "y" and lemma[-2] not in "aeiou"
        past = lemma[:-1] + "ied" if soft else stem + "ed"
        third = (
            lemma[:-1] + "ies"
            if soft
            else lemma + ("es" if lemma.endswith(("s", "sh", "ch", "x", "o")) else "s")
        )
        for form, kind in ((lemma, "base"), (third, "s"), (past, "past"), (stem + "ing", "ing")):
            forms.setdefault(form, VerbForm(lemma, kind))
    for line in _IRREGULAR.split("|"):
        lemma, *rest = line.split()
        if lemma == "be":
            continue
        forms[lemma] = VerbForm(lemma, "base")
        for form, kind in zip(rest, ("s", "past", "done", "ing", "past", "done"), strict=False):
            if form != lemma and forms.get(form, VerbForm("", "")).lemma != lemma:
                forms[form] = VerbForm(lemma, kind)
    return forms


VERBS: Final = _conjugated()
SAME_PAST: Final = _words("quit put let set cut hit read")
BE: Final = _LISTS.pairs("be")
AUXILIARIES: Final = _LISTS.words("auxiliaries")
ADVERBS: Final = _LISTS.words("adverbs")
NEGATIONS: Final = _words("not never no longer hardly rarely seldom nor")
PREPOSITIONS: Final = _LISTS.words("prepositions")
STOPPERS: Final = _LISTS.words("stoppers")
TIME_WORDS: Final = _LISTS.words("time_words")
WORKPLACES: Final = _LISTS.words("workplaces")
LEADS: Final = _LISTS.words("leads")

INDUSTRIES: Final = _LISTS.words("industries")
KINDS_OF: Final = dict.fromkeys("spring summer autumn fall winter".split(), "season")
TEAMS: Final = _LISTS.words("teams")
ILLNESSES: Final = _LISTS.words("illnesses")
PREMISES: Final = _LISTS.words("premises")
STREETS: Final = _LISTS.words("streets")
KIN: Final = _LISTS.words("kin")
PETS: Final = _LISTS.words("pets")
JOBS: Final = _LISTS.words("jobs")
JOB_ENDS: Final = (
    "ologist",
    "ographer",
    "ician",
    "keeper",
    "smith",
    "wright",
    " engineer",
    " manager",
    " scientist",
    " analyst",
    " teacher",
)
DIETS: Final = _words("vegetarian vegan pescatarian omnivore veggie flexitarian keto")
STATUS: Final = _LISTS.pairs("status")
DONE: Final = _LISTS.words("done")
OPEN: Final = _LISTS.words("open")
EVENTS: Final = _LISTS.words("events")
DEADLINES: Final = _words("deadline due submission")
VEHICLES: Final = _words("car truck van suv motorcycle motorbike scooter bike bicycle")
DEVICES: Final = _LISTS.words("devices")
VAGUE: Final = _LISTS.words("vague")
COMMON: Final = _LISTS.words("common")
FIRST_NAMES: Final = _LISTS.words("first_names")
PLACES: Final = _LISTS.words("places") | frozenset(
    ("new york", "hong kong", "san francisco", "san diego", "los angeles", "new zealand")
)

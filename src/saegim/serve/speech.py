"""`Speech`: the language the command line speaks, and everything it can say in it."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date as calendar_day
from datetime import datetime

from saegim.errors import SaegimError
from saegim.memory.clock import day_ended_by
from saegim.memory.memory import GRACE, LIFETIMES, Lifetime, Memory, Tier
from saegim.messages import has, said, translated

LANGUAGES = ("auto", "ko", "en")
# What a person may write for a label of feedback, beside the label itself.
LABELS: dict[str, str] = {
    "좋아": "up",
    "좋음": "up",
    "싫어": "down",
    "별로": "down",
    "다시": "retry",
    "씀": "used",
    "썼음": "used",
    "틀림": "wrong",
    "틀렸어": "wrong",
    "행동바꿈": "changed_behaviour",
    "행동변화": "changed_behaviour",
    "changed_behavior": "changed_behaviour",
    "별점": "rating",
}
# Values that name memories, or what is asked of a person; whatever else holds an id is somebody's
# words.
_NAMING = frozenset({"id", "ids", "old", "others", "case"})
_ID = re.compile(r"(?:mem|core|belief|soul|b|island)_\d{8}_\d{6}_[0-9a-f]+")
_MONTHS = (
    "January February March April May June July August September October November December"
).split()


def of_locale(environment: Mapping[str, str]) -> str:
    """Return the language of the locale: the first variable that is set decides, as everywhere."""
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        if value := environment.get(name):
            return "ko" if re.match(r"ko(?![a-z])", value.lower()) else "en"
    return "en"


@dataclass(frozen=True, slots=True)
class Speech:
    """One language; called with the name of a sentence and what belongs into it."""

    language: str = "en"
    # How a memory is called where it is shown: by its short handle while the store is open.
    handle: Callable[[str], str] = str
    # How a command of ours is written, so that it works when pasted.
    paste: Callable[[str], str] = str

    @classmethod
    def of(cls, setting: str = "auto", environment: Mapping[str, str] | None = None) -> Speech:
        """Return the speech of a setting: `ko`, `en`, or `auto` from the locale."""
        if setting in ("ko", "en"):
            return cls(setting)
        return cls(of_locale(os.environ if environment is None else environment))

    def __call__(self, sentence: str, /, **values: object) -> str:
        """Return a sentence with its places filled; memories are called by their handles."""
        for name in _NAMING & values.keys():
            values[name] = _ID.sub(lambda found: self.handle(found[0]), str(values[name]))
        told = said(sentence, values, self.language)
        # What someone said about our commands stays as they said it.
        theirs = any("saegim " in str(each) for each in values.values())
        return told if theirs else self.paste(told)

    def knows(self, sentence: str) -> bool:
        """Say whether there is a sentence of this name."""
        return has(sentence)

    def word(self, group: str, name: str) -> str:
        """Return the word for a name that the core uses, or the name itself."""
        key = f"{group} {name}"
        return self(key) if self.knows(key) else name

    def change(self, name: str, facts: Mapping[str, object]) -> str:
        """Return the word for a change: that it was pinned is one, that it is no more another."""
        undone = facts.get(name.lower()) is False
        return self.word("change", f"not {name}" if undone else name)

    def named(self, group: str, name: str) -> str:
        """Return the word for a name and, where they differ, the name that filters take."""
        word = self.word(group, name)
        return word if word == name else f"{word} ({name})"

    def memories(self, count: int) -> str:
        """Count memories in words."""
        return self("one memory" if count == 1 else "many memories", count=count)

    def date(self, at: datetime) -> str:
        """Write the day of an instant where the reader is."""
        return f"{at.astimezone():%Y-%m-%d}"

    def moment(self, at: datetime) -> str:
        """Write an instant to the minute where the reader is."""
        return f"{at.astimezone():%Y-%m-%d %H:%M}"

    def lifetime(self, memory: Memory) -> str:
        """Say how long a memory is kept: without an end, until a day and a month, or some days."""
        life = memory.life
        if life.pinned or life.lifetime is Lifetime.LASTING or life.tier is Tier.M0:
            return self("life lasting")
        if life.lifetime is Lifetime.UNTIL and life.last_date is not None:
            day = self.day(day_ended_by(life.last_date), memory.time.recorded_at.year)
            return self("life until", day=day, grace=GRACE.days)
        time = LIFETIMES[life.tier]
        return self("life lasting") if time is None else self("life passing", days=time.days)

    def day(self, day: calendar_day, year: int) -> str:
        """Write a day as it is said, with its year where that is another one."""
        if self.language == "ko":
            told = f"{day.month}월 {day.day}일"
            return told if day.year == year else f"{day.year}년 {told}"
        told = f"{day.day} {_MONTHS[day.month - 1]}"
        return told if day.year == year else f"{told} {day.year}"

    def law(self, forgetting: str) -> str:
        """Say in a sentence by which law memories are forgotten here."""
        return self(f"law {forgetting}", grace=GRACE.days)

    def translated(self, sentence: str) -> str:
        """Return what the core said in English in this language, or as it was if it is not ours."""
        return translated(sentence, self.language)

    def trouble(self, error: SaegimError) -> tuple[str, str]:
        """Return what an error says and what can be done about it."""
        message, step = error.told(self.language)
        if self.knows(error.key):
            return message, step
        # It came from another process as text, or from a part that is not ours.
        known = self.translated(message)
        if self.language == "ko" and known == message:
            known = f"{self._kind_of_trouble(error)} ({message})"
        return known, self.translated(step)

    def _kind_of_trouble(self, error: SaegimError) -> str:
        for kind in type(error).__mro__:
            if self.knows(key := f"error {kind.__name__}"):
                return self(key)
        return self("error SaegimError")

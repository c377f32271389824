"""`PersonaRegistry`: the voices that may speak, in which order, each with a model of its own.

They stand in a TOML file that the setting `personas_path` names; without one, a thesis, an
antithesis and a synthesis are given, in the language of the question.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Final

from saegim.engines.llm.models import LanguageModel
from saegim.errors import BadInput, SettingsError, hint
from saegim.mind import Mind, open_model

# A longer cycle is a crowd: every voice is a call of a model at every depth.
MOST_VOICES: Final = 12
_LONGEST: Final = {"id": 64, "name": 100, "role": 100, "system_prompt": 8_000}
_ID: Final = re.compile(r"[\w-]+")
_HEADER: Final = re.compile(r"\s*\[\[\s*persona\s*\]\]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Voice:
    """One persona: who it is, what it is told to be, and which model speaks for it."""

    identifier: str
    name: str
    role: str
    system_prompt: str
    # As the settings `model`, `model_url` and `model_key` say it; empty takes the one that is set.
    model: str = ""
    model_url: str = ""
    model_key: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class PersonaRegistry:
    """The voices by their identifiers, and the order in which they speak."""

    voices: Mapping[str, Voice]
    cycle: tuple[str, ...]

    def personas_in_cycle(self, chosen: Sequence[str] = ()) -> list[Voice]:
        """Return who speaks, in order: the cycle, or those that were chosen."""
        wanted = list(chosen) or list(self.cycle)
        for each in wanted:
            if each not in self.voices:
                known = ", ".join(self.voices)
                raise BadInput(
                    "personas.no_voice",
                    voice=each[:60],
                    hint=hint(each, self.voices),
                    known=known,
                )
        if len(set(wanted)) < len(wanted):
            raise BadInput("personas.voice_twice", voices=", ".join(wanted))
        if len(wanted) > MOST_VOICES:
            raise BadInput("personas.too_many_voices", count=len(wanted), most=MOST_VOICES)
        return [self.voices[each] for each in wanted]


def open_registry(mind: Mind, language: str) -> PersonaRegistry:
    """Return the voices of the file that is set, or the three of seed A in a language."""
    if named := mind.settings.personas_path:
        return read_registry(mind.store.path.parent / Path(named).expanduser())
    given = "given_ko.toml" if language == "ko" else "given_en.toml"
    return read_registry(Path(__file__).with_name(given))


def read_registry(file: Path) -> PersonaRegistry:
    """Read the voices of a file; what is wrong in it is named by its line and its key."""
    try:
        text = file.read_text(encoding="utf-8")
        held = tomllib.loads(text)
    except OSError as error:
        raise SettingsError(
            "personas.file_cannot_be_opened", file=file, reason=error.strerror
        ) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError("personas.file_is_no_toml", file=file, error=error) from error
    return _Reader(file, text).registry(held)


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reads one file, and knows where in it each voice begins."""

    file: Path
    text: str

    def registry(self, held: Mapping[str, Any]) -> PersonaRegistry:
        if unknown := sorted(set(held) - {"persona", "order"}):
            raise self._wrong(1, unknown[0], "personas.unknown_key", known="order, persona")
        tables = held.get("persona")
        if not isinstance(tables, list) or not tables:
            raise SettingsError("personas.file_names_no_voice", file=self.file)
        starts = [at for at, line in enumerate(self.text.splitlines(), 1) if _HEADER.match(line)]
        lines = [*starts, *[1] * len(tables)]
        voices: dict[str, Voice] = {}
        for line, table in zip(lines, tables, strict=False):
            voice = self._voice(line, table)
            if voice.identifier in voices:
                raise self._wrong(line, "id", "personas.id_taken", value=voice.identifier)
            voices[voice.identifier] = voice
        return PersonaRegistry(voices, self._order(held.get("order"), voices))

    def _voice(self, line: int, table: Any) -> Voice:
        known = {("id" if each.name == "identifier" else each.name) for each in fields(Voice)}
        if not isinstance(table, Mapping):
            raise self._wrong(line, "persona", "personas.no_table")
        if unknown := sorted(set(table) - known):
            listed = ", ".join(sorted(known))
            raise self._wrong(line, unknown[0], "personas.unknown_key", known=listed)
        for key, value in table.items():
            if not isinstance(value, str):
                raise self._wrong(line, key, "personas.value_is_no_text", value=value)
            if len(value) > _LONGEST.get(key, 500):
                most = _LONGEST.get(key, 500)
                raise self._wrong(line, key, "personas.value_too_long", most=most)
        for key in ("id", "system_prompt"):
            if not table.get(key, "").strip():
                raise self._wrong(line, key, "personas.key_missing")
        if not _ID.fullmatch(table["id"]):
            raise self._wrong(line, "id", "personas.id_cannot_be", value=table["id"])
        if table.get("model_key") and not table.get("model"):
            raise self._wrong(line, "model_key", "personas.key_without_model")
        rest = {key: value for key, value in table.items() if key != "id"}
        told = {"name": table["id"], "role": "", **rest}
        return Voice(identifier=table["id"], **told)

    def _order(self, order: Any, voices: Mapping[str, Voice]) -> tuple[str, ...]:
        if order is None:
            return tuple(voices)
        line = next(
            (n for n, each in enumerate(self.text.splitlines(), 1) if each.startswith("order")), 1
        )
        if not isinstance(order, list) or not order:
            raise self._wrong(line, "order", "personas.order_is_no_list")
        for each in order:
            if each not in voices:
                known = ", ".join(voices)
                raise self._wrong(
                    line, "order", "personas.order_names_no_voice", value=each, known=known
                )
        if len(set(order)) < len(order):
            raise self._wrong(line, "order", "personas.order_twice")
        return tuple(order)

    def _wrong(self, line: int, key: str, why: str, **values: Any) -> SettingsError:
        return SettingsError(why, file=self.file, line=line, key=key, **values)


class BackendFactory:
    """The models that speak: each opened once, all closed together; the mind's own stays open."""

    def __init__(self, mind: Mind) -> None:
        self._mind = mind
        self._opened: dict[tuple[str, str, str], LanguageModel | None] = {}

    def of(self, voice: Voice) -> LanguageModel | None:
        """Return the model of a voice: its own, or the one that is set; none where there is none.

        Keys stay with their server: a voice with a model of its own brings its own key.
        """
        if not voice.model:
            return self._mind.model
        spec = (voice.model, voice.model_url, voice.model_key)
        if spec not in self._opened:
            model, url, key = spec
            own = replace(self._mind.settings, model=model, model_url=url, model_key=key)
            self._opened[spec] = open_model(own)
        return self._opened[spec]

    def mind_of(self, voice: Voice) -> Mind:
        """Return the mind in which this voice's model answers: counted under the same daily cap."""
        return replace(self._mind, model=self.of(voice))

    def close(self) -> None:
        """Close the models that were opened here."""
        for each in self._opened.values():
            if each is not None:
                each.close()
        self._opened.clear()

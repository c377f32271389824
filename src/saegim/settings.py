"""Every number and name a person may argue with, each beside its reason.

Read from `settings.toml` in the data directory, then from `SAEGIM_…` environment variables.
Plain dataclasses rather than a settings library: every cold command reads this file, and the
usual library takes a quarter of a second to import (docs/decisions/0004-settings.md).
"""

from __future__ import annotations

import os
import sys
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from saegim.door_settings import AtTheDoor
from saegim.errors import SettingsError
from saegim.night_settings import setting

FILE = "settings.toml"
# The store of a data directory.
STORE = "saegim.db"
LOG_LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR")
# What the seeds called a variable; ours goes before it.
_SEED_VARIABLES = {"log_level": "AIMEMORY_LOG_LEVEL"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings(AtTheDoor):
    """The settings of one open Saegim."""

    user: str = setting("me", "Whose memories these are when nobody says; the wall between users.")
    agent: str = setting("", "Which agent asks; empty means all agents of the user.")
    project: str = setting("", "Which project is at hand; empty means memories of all projects.")
    language: str = setting("auto", "Language of messages: ko, en, or auto from the locale.")

    embedder: str = setting(
        "static",
        "static knows meaning in Korean and English (static:128 and static:64 are shorter); "
        "hashed and bag compare spelling; ollama:MODEL and openai:MODEL ask a server.",
    )
    embedder_url: str = setting("", "Where ollama or the OpenAI-compatible server listens.")
    embedder_key: str = setting("", "Key for that server; better given as SAEGIM_EMBEDDER_KEY.")
    semantic_patience: float = setting(
        0.4, "Seconds a question waits for meaning: longer than that, and words answer alone."
    )
    words: str = setting("basic", "basic is built in; kiwi adds morphemes (pip extra kiwi).")

    model: str = setting(
        "",
        "Empty: no language model is ever asked. ollama:MODEL, openai:MODEL (LM Studio, vLLM and "
        "others too) and anthropic:MODEL ask one; API keys of other programs are not read.",
    )
    model_url: str = setting("", "Where that server listens; openai needs it, others have one.")
    model_key: str = setting("", "Key for that server; better given as SAEGIM_MODEL_KEY.")
    model_daily_calls: int = setting(
        200, "Calls a day at most, so that no bill grows unseen; a day of talk needs fewer."
    )
    model_max_tokens: int = setting(
        1024, "Longest answer; 20 facts take about 800 tokens, and a runaway answer ends here."
    )
    model_timeout: float = setting(
        120.0, "Seconds to wait for an answer; a local server may load its model first."
    )

    durability: str = setting(
        "durable", "durable: no confirmed memory is lost to a power cut. fast: the last may be."
    )
    busy_seconds: float = setting(10.0, "How long a write waits for another process.")
    backups_kept: int = setting(10, "Older backups leave when a new one is verified.")

    recall_limit: int = setting(10, "Memories in an answer when the question names no number.")
    pool: int = setting(64, "Candidates taken from each path before scoring.")
    words_share: float = setting(
        0.5, "Share of words in relevance, the rest is meaning; flat between 0.4 and 0.6."
    )
    graph_hops: int = setting(2, "Seed E: ties followed from the best hits and the named; 0 to 3.")
    context_share: float = setting(
        1.0, "What turns beside a hit lend it: 13 points in English, 4 in Korean; 0 turns it off."
    )
    graph_share: float = setting(
        0.15, "Seed E says 0.2, seed C 0.4; flat from 0.1 to 0.2, a little lost at 0.4."
    )
    time_share: float = setting(0.1, "What lying in the time a question names is worth.")
    fit_share: float = setting(
        1.0, "What the shape of an answer is worth: ten points in Korean; 0 turns it off."
    )
    relevance_floor: float = setting(
        0.3, "Less than this among 5,000 memories is put into no prompt; fewer ask for less."
    )
    relevance_weight: float = setting(
        0.94, "Seed E says 0.5, which costs 35 points of recall (docs/decisions/0005-fusion.md)."
    )
    recency_weight: float = setting(
        0.03, "Seed E says 0.3, which pushes year-old answers out of the list."
    )
    importance_weight: float = setting(0.03, "Seed E says 0.2; enough to break ties.")
    recency_half_life_days: float = setting(30.0, "After this a memory counts half as recent.")
    traces: bool = setting(
        True,
        "Which memories were shown is noted by id, never by their words; false notes nothing, and "
        "then being asked for keeps no memory from fading.",
    )
    feedback_hops: int = setting(2, "Seed B: along so many ties a judgement spreads; 0 to 3.")
    feedback_spread: float = setting(
        0.5, "Seed B: what is left of a judgement at each tie; a neighbour's neighbour gets 1/4."
    )

    context_budget: int = setting(
        1500, "Tokens that memories may take in a prompt when nobody names a number."
    )
    context_enough: int = setting(
        380,
        "Tokens that mostly suffice: beyond them only what is nearly as relevant as the best is "
        "shown. 1,500 held 8 points more answers in Korean and 3 in English, for three times as "
        "many tokens.",
    )
    context_pool: int = setting(32, "Memories looked at for a prompt; 1,500 tokens hold about 25.")
    mmr_lambda: float = setting(
        0.85, "Seed C: relevance against variety in a prompt; 0.7 cost two points of evidence."
    )
    most_per_source: int = setting(
        3, "Cards of one conversation or import in a prompt; one where nobody vouches for it."
    )
    prompt_budget: int = setting(4096, "Seed E: tokens of a whole prompt in six parts.")
    share_system: float = setting(0.15, "Seed E: of a prompt, who the agent is.")
    share_profile: float = setting(0.10, "Seed E: of a prompt, whom it speaks to.")
    share_memories: float = setting(0.20, "Seed E: of a prompt, what it remembers.")
    share_few_shot: float = setting(0.05, "Seed E: of a prompt, examples of answers.")
    share_user: float = setting(0.40, "Seed E: of a prompt, what is said now.")
    share_reserve: float = setting(0.10, "Seed E: of a prompt, left free for the answer.")

    timezone: str = setting(
        "",
        "Your own, such as Asia/Seoul: where yesterday begins, and what a time without a zone "
        "means at every door; empty means the clock of this machine.",
    )
    capture: str = setting(
        "generous",
        "generous: a turn is kept unless it is chatter, whether or not it also asks. seed: the "
        "three phases of seed C, which choose one of save, skip and retrieve.",
    )
    keep_from: float = setting(
        0.55, "generous: the reader's share from which a turn is kept; chosen on hands left out."
    )
    keep_unsure: float = setting(
        0.15, "So near to keep_from the reader is unsure, and a learned policy may decide."
    )
    save_from: float = setting(
        0.7, "Seed C, under seed: a turn this salient is kept without further thought."
    )
    skip_to: float = setting(
        0.1, "Seed C, under seed: a turn no more salient than this is let pass."
    )
    turn_limit: int = setting(2000, "Longer turns are kept in parts of at most so many letters.")
    similar_from: float = setting(
        0.85, "Seed E: from this cosine on, two memories are tied as near twins, never merged."
    )
    same_from: float = setting(
        0.92, "Seed C: a fact this near to a known one brings nothing new; a model's is left out."
    )
    extraction: bool = setting(True, "Seed E: read facts with the model, where one is turned on.")
    extraction_min_importance: float = setting(0.3, "Seed E: a model's lesser facts are left out.")
    extraction_min_confidence: float = setting(0.5, "A model that doubts a fact is believed.")

    session_nodes: int = setting(1000, "Seed B: queries, answers and names held in mind at most.")
    session_edges: int = setting(4000, "Seed B: ties between them at most; four for each node.")
    session_half_life_minutes: float = setting(
        240.0, "Seed B: after four hours what was asked counts half as recent."
    )
    session_same_from: float = setting(
        0.96, "Seed B tauDup: from this cosine on, two questions are one, asked again."
    )
    session_similar_from: float = setting(
        0.75, "Seed B tauSim: from this cosine on, two questions are tied."
    )
    session_protect_degree: int = setting(
        3, "Seed B: what has so many ties leaves the mind only when nothing else can."
    )
    session_index: bool = setting(
        False, "Seed B: look for candidates by their pieces; 1,000 nodes are scanned as quickly."
    )
    session_bias: float = setting(
        0.05, "Seed B: what this session said comes before what is long remembered, by so much."
    )
    session_save_seconds: float = setting(
        30.0, "What is in mind is written at most so often while it changes; 0: only checkpoints."
    )
    session_open_most: int = setting(
        64, "Sessions of one scope in mind at once; the one touched longest ago is put on paper."
    )
    session_decay_minutes: float = setting(
        60.0, "Seed B: so often old habits of a session fade in fact; 0: only their rank fades."
    )
    session_idle_hours: float = setting(
        24.0, "Seed B gcSessions: with nothing said for so long, a session is closed for you."
    )
    long_half_life_minutes: float = setting(
        1440.0, "Seed B: in a search of the mind, long memories count half as recent after a day."
    )
    promote_min_rank: float = setting(
        0.55, "Seed B: fresh and asked at least twice, or praised; once and fresh is 0.5."
    )
    promote_min_degree: int = setting(2, "Seed B: what stands alone is not worth carrying over.")
    promote_most: int = setting(20, "Seed B: at most so many memories from one session.")
    promote_to: str = setting(
        "user",
        "user: what a session leaves behind is its user's own. agent: seed B's shared graph, read "
        "by all users of the agent; what tells of a person stays that person's.",
    )
    checkpoint_top: int = setting(30, "Seed B: the best queries of a session, in its checkpoint.")
    checkpoint_pretty: bool = setting(True, "Seed B: one line for each query, to be read by eye.")

    def __post_init__(self) -> None:
        for each in fields(self):
            _checked(each.name, getattr(self, each.name), type(each.default))
        _one_of("language", self.language, ("auto", "ko", "en"))
        _one_of("words", self.words, ("basic", "kiwi"))
        _one_of("capture", self.capture, ("generous", "seed"))
        _one_of("forgetting", self.forgetting, ("gentle", "seed"))
        _one_of("log_level", self.log_level.upper(), LOG_LEVELS)
        _one_of("durability", self.durability, ("durable", "fast"))
        for name in ("recall_limit", "pool", "backups_kept"):
            _range(name, getattr(self, name), 1, 10_000)
        _range("graph_hops", self.graph_hops, 0, 3)
        for name in ("context_share", "graph_share", "time_share", "fit_share", "relevance_floor"):
            _range(name, getattr(self, name), 0, 1)
        for name in ("words_share", "relevance_weight", "recency_weight", "importance_weight"):
            _range(name, getattr(self, name), 0, 1)
        for name in "save_from skip_to keep_from keep_unsure similar_from same_from".split():
            _range(name, getattr(self, name), 0, 1)
        for name in ("extraction_min_importance", "extraction_min_confidence"):
            _range(name, getattr(self, name), 0, 1)
        _range("feedback_hops", self.feedback_hops, 0, 3)
        _range("feedback_spread", self.feedback_spread, 0, 1)
        for name in ("session_same_from", "session_similar_from", "session_bias"):
            _range(name, getattr(self, name), 0, 1)
        for name in ("session_nodes", "session_edges"):
            _range(name, getattr(self, name), 32, 1_000_000)
        for name in ("session_protect_degree", "checkpoint_top"):
            _range(name, getattr(self, name), 1, 1_000_000)
        for name in ("session_half_life_minutes", "long_half_life_minutes"):
            _range(name, getattr(self, name), 0.001, 100_000_000)
        for name in ("promote_min_degree", "promote_most"):
            _range(name, getattr(self, name), 0, 10_000)
        _range("promote_min_rank", self.promote_min_rank, -1, 1)
        _one_of("promote_to", self.promote_to, ("user", "agent"))
        _range("session_save_seconds", self.session_save_seconds, 0, 86_400)
        _range("session_open_most", self.session_open_most, 1, 10_000)
        _range("session_decay_minutes", self.session_decay_minutes, 0, 1_000_000)
        _range("session_idle_hours", self.session_idle_hours, 0.01, 100_000)
        for name in ("context_budget", "context_enough", "prompt_budget"):
            _range(name, getattr(self, name), 0, 1_000_000)
        for name in ("context_pool", "most_per_source"):
            _range(name, getattr(self, name), 1, 1000)
        _range("mmr_lambda", self.mmr_lambda, 0, 1)
        _shares({each.name: getattr(self, each.name) for each in fields(self)})
        _range("turn_limit", self.turn_limit, 100, 1_000_000)
        _zone(self.timezone)
        _range("model_daily_calls", self.model_daily_calls, 0, 1_000_000)
        _range("model_max_tokens", self.model_max_tokens, 16, 100_000)
        _range("model_timeout", self.model_timeout, 0.001, 3600)
        _range("semantic_patience", self.semantic_patience, 0, 3600)
        for name in ("busy_seconds", "recency_half_life_days"):
            _range(name, getattr(self, name), 0.001, 100_000)
        for check in self.checks():
            _range(*check)

    def shown(self) -> dict[str, Any]:
        """Return the settings for a person to see, the keys masked."""
        held = {each.name: getattr(self, each.name) for each in fields(self)}
        return held | {name: "…" for name in ("embedder_key", "model_key") if held[name]}

    def __repr__(self) -> str:
        return f"Settings({self.shown()})"


def data_directory(environment: Mapping[str, str] | None = None) -> Path:
    """Return where Saegim keeps its data: SAEGIM_HOME, or this platform's own place."""
    env = os.environ if environment is None else environment
    if home := env.get("SAEGIM_HOME"):
        return Path(home).expanduser()
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "saegim"
    if sys.platform == "win32":
        return Path(env.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "saegim"
    return Path(env.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "saegim"


def read_settings(
    home: Path, environment: Mapping[str, str] | None = None, **given: Any
) -> Settings:
    """Read the settings file, let the environment override it, and arguments override both."""
    env = os.environ if environment is None else environment
    held: dict[str, Any] = {}
    file = home / FILE
    if file.is_file():
        try:
            held |= tomllib.loads(file.read_text(encoding="utf-8"))
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise SettingsError("settings.cannot_be_read", file=file, error=error) from error
    known = {each.name: type(each.default) for each in fields(Settings)}
    for name, kind in known.items():
        for variable in (_SEED_VARIABLES.get(name, ""), f"SAEGIM_{name.upper()}"):
            if (text := env.get(variable)) is not None:
                held[name] = _parsed(name, text, kind)
    held |= {name: value for name, value in given.items() if value is not None}
    if unknown := sorted(set(held) - set(known)):
        raise SettingsError(
            "settings.no_setting", unknown=unknown[0], file=file, known=", ".join(known)
        )
    for name, kind in known.items():
        if kind is float and type(held.get(name)) is int:
            held[name] = float(held[name])
    return replace(Settings(), **held)


def _parsed(name: str, text: str, kind: type) -> Any:
    if kind is bool:
        _one_of(name, text.lower(), ("true", "false"))
        return text.lower() == "true"
    try:
        return kind(text)
    except ValueError as error:
        raise SettingsError(
            "settings.saegim_is_not_number", name=name.upper(), text=text
        ) from error


def _checked(name: str, value: Any, kind: type) -> None:
    if not isinstance(value, kind) or isinstance(value, bool) is not (kind is bool):
        raise SettingsError(
            "settings.setting_must_be_of_type",
            name=name,
            kind=kind.__name__,
            value=value,
            file=FILE,
        )


def _one_of(name: str, value: str, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise SettingsError(
            "settings.setting_cannot_be", name=name, value=value, allowed=" or ".join(allowed)
        )


def _shares(held: Mapping[str, Any]) -> None:
    """Refuse shares of a prompt that are not part of a whole."""
    shares = {name: value for name, value in held.items() if name.startswith("share_")}
    for name, value in shares.items():
        _range(name, value, 0, 1)
    if sum(shares.values()) > 1.000001:
        raise SettingsError(
            "settings.shares_of_prompt_come", shares=sum(shares.values()), names=", ".join(shares)
        )


def _zone(name: str) -> None:
    """Refuse a time zone that this machine does not know."""
    if not name:
        return
    try:
        ZoneInfo(name)
    except (ValueError, OSError, ZoneInfoNotFoundError) as error:
        raise SettingsError("settings.no_time_zone_on_machine", name=name) from error


def _range(name: str, value: float, low: float, high: float) -> None:
    if not low <= value <= high:
        raise SettingsError(
            "settings.setting_cannot_be_give_number", name=name, value=value, low=low, high=high
        )

"""Every number and name a person may argue with, each beside its reason.

Read from `settings.toml` in the data directory, then from `SAEGIM_…` environment variables.
Plain dataclasses rather than a settings library: every cold command reads this file, and the
usual library takes a quarter of a second to import (docs/decisions/0004-settings.md).
"""

from __future__ import annotations

import os
import re
import sys
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from saegim.errors import SettingsError, hint
from saegim.room_settings import RoomSettings, RoomSettingsGiven, setting

FILE = "settings.toml"
# The store of a data directory.
STORE = "saegim.db"
# Up to the last @: who did not write the one in a password as %40 does not see it shown either.
_PASSWORD: Final = re.compile(r"(://[^:@/\s]*:)\S*(?=@)|(password=)[^&\s]*")
# What another store may be called; `main` is the one that `store` names.
_STORE_NAME: Final = re.compile(r"(?!main$)[a-z0-9][a-z0-9_-]{0,39}")
# Backups beside a store, where no other folder is named.
BACKUPS = "backups"
LOG_LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR")
# What the seeds called a variable; ours goes before it.
_SEED_VARIABLES = {
    "log_level": "AIMEMORY_LOG_LEVEL",
    "enhanced_policy": "AIMEMORY_ENHANCED_POLICY",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings(RoomSettings):
    """The settings of one open Saegim: of the night, of the doors, and of everything else."""

    cron_daily: str = setting(
        "30 3 * * *", "Seed D's daily workers: minute hour day month weekday, on your own clock."
    )
    cron_weekly: str = setting("30 3 * * 0", "Seed D: M30 is distilled into M90 once a week.")
    cron_monthly: str = setting(
        "30 3 1 * *", "Seed D: M90 is distilled into M365, and core memories proposed, monthly."
    )
    cron_yearly: str = setting("30 3 1 1 *", "Seed D: what became of everything, once a year.")
    cron_evolver: str = setting("0 */6 * * *", "Seed E: merging and pruning every six hours.")
    cron_midnight: str = setting("0 0 * * *", "Seed A §10.2: importance anew at midnight.")
    cron_sessions: str = setting(
        "0 */6 * * *", "Seed B: how often sessions are looked for that nobody closed."
    )
    away_days: float = setting(
        45.0, "After a longer gap the clock may be wrong, or you were away: nothing leaves yet."
    )

    evolution: bool = setting(True, "Seed E: let the night merge twins and prune what never came.")
    merge_from: float = setting(
        0.92, "Seed C: from this cosine on two memories may be one, if they differ in no detail."
    )
    theme_least: int = setting(3, "Seed D: so many memories of one theme rise to M90 together.")
    rise_used: int = setting(3, "Seed D: used so often, M30 rises to M90.")
    rise_intensity: float = setting(0.7, "Seed D: felt more strongly than this, M30 rises.")
    deepen_used: int = setting(5, "Seed D: used so often in its 90 days, M90 rises to M365.")
    deepen_intensity: float = setting(
        0.8, "Seed D: felt more strongly than this and in several ways, M90 rises."
    )
    core_used: int = setting(10, "Seed D: used so often, M365 is proposed as a core memory.")
    core_most: int = setting(5, "Proposals of core memories open at once, so that each is read.")

    forgetting: str = setting(
        "gentle",
        "gentle: what lasts has no end by age, a plan stays a month past its date, the rest has "
        "its tier's time and sleeps before it goes. seed: the bare clocks of the five designs.",
    )
    dormant_keep_days: float = setting(
        180.0, "Under gentle: asleep for so long and never asked for, words go into the archive."
    )
    fade_rate: float = setting(0.02, "Seed C's decay a day; DESIGN §4 lets strong feeling slow it.")
    fade_boost: float = setting(0.05, "Seed C: what each tie to another memory adds to strength.")
    shrink_below: float = setting(0.3, "Seed C: weaker than this, prompts get the short form.")
    doze_below: float = setting(0.1, "Seed C: weaker than this, default recall leaves it out.")
    dormant_days: float = setting(30.0, "Seed C, under seed: dormant for so long, a memory leaves.")
    prune_importance: float = setting(0.2, "Seed E: no more important than this and never recalled")
    prune_days: float = setting(60.0, "… for so long (twice the half-life), a memory leaves.")

    max_sessions: int = setting(
        0, "Seed A says 10, a few days with hooks; 0 sets no limit. The oldest leave first."
    )
    max_memories_per_session: int = setting(0, "Seed A says 500; 0 sets no limit.")
    max_total_size_mb: float = setting(0.0, "Seed A says 100; 0 sets no limit.")
    displace_importance: float = setting(
        0.3, "Seed A: of the oldest sessions, what is worth more than it began with stays."
    )
    protected_days: float = setting(7.0, "Seed A: what is younger is not displaced by a limit.")

    forgetting_days: float = setting(7.0, "Days in which a forgotten memory can be called back.")
    archive: bool = setting(
        True, "Words go into the compressed archive first; false erases them at once (seed D)."
    )
    archive_days: float = setting(180.0, "Seed A: after so long in the archive, words are erased.")

    backup_enabled: bool = setting(
        True, "Seed A: a verified backup by night, if anything has changed; by hand always."
    )
    backup_path: str = setting(
        "",
        "Seed A: the folder of the backups, such as one on another disk, its own for each store; "
        "empty means backups beside the store. What a migration or a restore replaces stays there.",
    )
    log_path: str = setting(
        "",
        "Seed A §7.1: a folder into which each event of the resonance ledger is also written as it "
        "is logged, one file a day; empty keeps events in the store, and exports write them.",
    )

    reflection: bool = setting(True, "Seed E: think about what was learned.")
    reflection_threshold: int = setting(20, "Seed E: after so many new memories.")

    serve_host: str = setting(
        "127.0.0.1", "Only this machine; another address needs a certificate and its key."
    )
    serve_port: int = setting(8757, "Where clients look for it; 0 takes any free port.")
    serve_hosts: str = setting(
        "", "Names besides this machine's own by which clients may call it, with commas between."
    )
    serve_certificate: str = setting("", "The file of a TLS certificate (PEM).")
    serve_certificate_key: str = setting("", "The file of its private key (PEM).")
    serve_rate: float = setting(50.0, "Requests a second for one token; a busy agent makes few.")
    serve_burst: int = setting(200, "So many at once before that rate counts.")
    rest_after_minutes: float = setting(
        5.0, "An MCP server that nobody asks for so long gives back its store and its model."
    )

    log_level: str = setting(
        "WARNING",
        "How much is logged to standard error: DEBUG, INFO, WARNING or ERROR. Seed C's variable "
        "AIMEMORY_LOG_LEVEL is heard too. No log holds what was said, kept or asked.",
    )

    legacy_path: str = setting(
        "",
        "Seed E: the database of an old bara system; taken over once, in the background, when the "
        "memory is opened. Empty: none.",
    )

    user: str = setting("me", "Whose memories these are when nobody says; the wall between users.")
    agent: str = setting("", "Which agent asks; empty means all agents of the user.")
    project: str = setting("", "Which project is at hand; empty means memories of all projects.")
    language: str = setting("auto", "Language of messages: ko, en, or auto from the locale.")

    embedder: str = setting(
        "encoder",
        "encoder reads sentences in Korean and English and finds what was said in other words "
        "(encoder:192 is shorter); static knows words alone, in a fiftieth of the time (static:128 "
        "and static:64 are shorter); hashed and bag compare spelling; ollama:MODEL and "
        "openai:MODEL ask a server.",
    )
    embedder_url: str = setting("", "Where ollama or the OpenAI-compatible server listens.")
    embedder_key: str = setting("", "Key for that server; better given as SAEGIM_EMBEDDER_KEY.")
    semantic_patience: float = setting(
        0.4, "Seconds a question waits for meaning: longer than that, and words answer alone."
    )
    loading_patience: float = setting(
        3.0, "The same where the embedder is on this machine: it is loaded once, and then quick."
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

    store: str = setting(
        "",
        "postgresql://… keeps the memories on a server that several machines share; empty keeps "
        "them in a file of this folder.",
    )
    stores: str = setting(
        "",
        "Other servers over which people are divided, each as NAME=postgresql://…, with spaces "
        "between; `saegim user move` carries one there. The one that `store` names is main.",
    )
    store_connections: int = setting(8, "At most so many connections to a server, each way.")
    store_prepared: bool = setting(
        True, "false where a pooler in transaction mode stands before the server."
    )
    nights_at_once: int = setting(
        4, "Nights that may run at the same time on one store, in all processes that share it."
    )
    durability: str = setting(
        "durable", "durable: no confirmed memory is lost to a power cut. fast: the last may be."
    )
    busy_seconds: float = setting(10.0, "How long a write waits for another process.")
    backups_kept: int = setting(10, "Older backups leave when a new one is verified.")

    recall_limit: int = setting(10, "Memories in an answer when the question names no number.")
    pool: int = setting(64, "Candidates taken from each path before scoring.")
    resident_memories: int = setting(
        100_000,
        "Memories of all users that are held in memory for quick recall, about 2 kB each; the "
        "longest unasked leave first. With 0, every question is answered from the file.",
    )
    ranking: str = setting(
        "measured",
        "measured: the shares and weights below, as they were fitted. seed: seed E's formula with "
        "its own (vector 0.5, words 0.3, graph 0.2; relevance 0.5, recency 0.3, importance 0.2).",
    )
    words_share: float = setting(
        0.4, "Share of words in relevance, the rest is meaning; flat between 0.3 and 0.5."
    )
    graph_hops: int = setting(2, "Seed E: ties followed from the best hits and the named; 0 to 3.")
    context_share: float = setting(
        0.5, "What turns beside a hit and their conversation lend it; flat from 0.3 to 0.6."
    )
    graph_share: float = setting(
        0.15, "Seed E says 0.2, seed C 0.4; flat from 0.1 to 0.2, a little lost at 0.4."
    )
    time_share: float = setting(0.1, "What lying in the time a question names is worth.")
    fit_share: float = setting(
        1.0, "What the shape of an answer is worth: ten points in Korean; 0 turns it off."
    )
    relevance_floor: float = setting(
        0.42, "Less than this among 5,000 memories is put into no prompt; fewer ask for less."
    )
    asked_floor: float = setting(
        0.28,
        "The same for a question that asks for what was said before: of 214 questions of open "
        "lives 4 get nothing instead of 46, of 650 other requests 169 something instead of 138.",
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
        305,
        "Tokens that mostly suffice: beyond them only what is nearly as relevant as the best is "
        "shown. A third more tokens held 6 points more answers on the open lives.",
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
        0.5, "generous: the reader's share from which a turn is kept; chosen on hands left out."
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
    read_at_once: int = setting(
        4000,
        "Of a longer turn the rest is kept at once and read in the background: reading takes some "
        "milliseconds a sentence, and nobody should wait seconds for a pasted page.",
    )
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
        for name, allowed in _CHOICES.items():
            _one_of(name, getattr(self, name), allowed)
        _one_of("log_level", self.log_level.upper(), LOG_LEVELS)
        for names, (low, high) in _RANGES.items():
            for name in names.split():
                _range(name, getattr(self, name), low, high)
        _shares({each.name: getattr(self, each.name) for each in fields(self)})
        _zone(self.timezone)
        self.named_stores()

    def named_stores(self) -> dict[str, str]:
        """Return the other stores of a divided installation by their names."""
        found: dict[str, str] = {}
        for each in self.stores.split():
            name, _, place = each.partition("=")
            if not _STORE_NAME.fullmatch(name) or name in found or "://" not in place:
                raise SettingsError("settings.stores_are_named", name=name[:40])
            found[name] = place
        return found

    @property
    def is_gentle(self) -> bool:
        """True while lifetimes decide; false under the bare clocks of the seeds."""
        return self.forgetting == "gentle"

    def backup_folder(self, home: Path) -> Path:
        """Return where backups are made; a relative path begins beside the store."""
        return home / (Path(self.backup_path).expanduser() if self.backup_path else BACKUPS)

    def backup_folders(self, home: Path) -> list[Path]:
        """Return every folder in which backups may lie, the one in use first."""
        return list(dict.fromkeys((self.backup_folder(home), home / BACKUPS)))

    def log_folder(self, home: Path) -> Path | None:
        """Return where the files of the resonance ledger are written, if they are wanted."""
        return home / Path(self.log_path).expanduser() if self.log_path else None

    def shown(self) -> dict[str, Any]:
        """Return the settings for a person to see, the keys masked."""
        held = {each.name: getattr(self, each.name) for each in fields(self)}
        for name in ("store", "stores"):
            held[name] = _PASSWORD.sub(r"\1\2…", held[name])
        return held | {name: "…" for name in ("embedder_key", "model_key") if held[name]}

    def __repr__(self) -> str:
        return f"Settings({self.shown()})"


# What may be named, and the least and the most each number may be.
_CHOICES: Final = {
    "language": ("auto", "ko", "en"),
    "words": ("basic", "kiwi"),
    "capture": ("generous", "seed"),
    "forgetting": ("gentle", "seed"),
    "ranking": ("measured", "seed"),
    "durability": ("durable", "fast"),
    "promote_to": ("user", "agent"),
    "debate_judge": ("rule", "model"),
    "policy": ("auto", "learned", "rule"),
    "reranker": ("auto", "learned", "fused"),
}
_RANGES: Final[dict[str, tuple[float, float]]] = {
    "recall_limit pool backups_kept": (1, 10_000),
    "imagination_per_day": (0, 100),
    "imagination_morning imagination_evening": (0, 23),
    "imagination_idle_hours mood_half_life_minutes": (0.01, 100_000),
    "graph_hops feedback_hops": (0, 3),
    "context_share graph_share time_share fit_share relevance_floor asked_floor words_share "
    "relevance_weight recency_weight importance_weight mood_share save_from skip_to keep_from "
    "keep_unsure "
    "similar_from same_from extraction_min_importance extraction_min_confidence feedback_spread "
    "mmr_lambda session_same_from session_similar_from session_bias merge_from rise_intensity "
    "deepen_intensity shrink_below doze_below prune_importance displace_importance "
    "self_change_share": (0, 1),
    "policy_epsilon reward_from": (0, 1),
    "reward_explicit reward_continuation reward_topic reward_indifference reward_used": (-1, 1),
    "experience_rows": (0, 1_000_000),
    "policy_rate": (0.0001, 1),
    "policy_drift": (0, 1000),
    "policy_batch learned_from checkpoints_kept": (1, 10_000),
    "reranker_milliseconds": (0, 10_000),
    "session_nodes session_edges": (32, 1_000_000),
    "session_protect_degree checkpoint_top theme_least rise_used deepen_used core_used "
    "reflection_threshold serve_burst island_founders": (1, 1_000_000),
    "session_half_life_minutes long_half_life_minutes": (0.001, 100_000_000),
    "promote_min_degree promote_most": (0, 10_000),
    "promote_min_rank": (-1, 1),
    "session_save_seconds": (0, 86_400),
    "session_open_most": (1, 10_000),
    "session_idle_hours": (0.01, 100_000),
    "session_decay_minutes context_budget context_enough prompt_budget model_daily_calls "
    "core_most max_sessions max_memories_per_session": (0, 1_000_000),
    "context_pool most_per_source": (1, 1000),
    "remind_days": (-1, 60),
    "turn_limit read_at_once": (100, 1_000_000),
    "model_max_tokens": (16, 100_000),
    "model_timeout": (0.001, 3600),
    "semantic_patience loading_patience": (0, 3600),
    "max_total_size_mb resident_memories": (0, 100_000_000),
    "fade_rate fade_boost": (0, 100),
    "busy_seconds recency_half_life_days away_days dormant_days dormant_keep_days prune_days "
    "protected_days forgetting_days archive_days proposal_days reminder_days island_days": (
        0.001,
        100_000,
    ),
    "store_connections": (2, 200),
    "nights_at_once": (1, 1_000),
    "debate_depth": (1, 6),
    "serve_port": (0, 65_535),
    "federation_epsilon": (0, 1_000),
    "federation_delta": (1e-15, 0.01),
    "federation_monthly": (0, 10_000),
    "federation_minutes federation_patience_minutes": (0.01, 1_000_000),
    "page_link_minutes": (0.01, 1_440),
    "page_visit_days": (0.001, 3_650),
    "serve_rate rest_after_minutes": (0.001, 1_000_000),
}


class SettingsGiven(RoomSettingsGiven, total=False):
    """The settings that may be given in code, so that an editor knows them; None says nothing.

    Whose memory it is, its embedder and its model are arguments of their own.
    """

    cron_daily: str | None
    cron_weekly: str | None
    cron_monthly: str | None
    cron_yearly: str | None
    cron_evolver: str | None
    cron_midnight: str | None
    cron_sessions: str | None
    away_days: float | None
    evolution: bool | None
    merge_from: float | None
    theme_least: int | None
    rise_used: int | None
    rise_intensity: float | None
    deepen_used: int | None
    deepen_intensity: float | None
    core_used: int | None
    core_most: int | None
    forgetting: str | None
    dormant_keep_days: float | None
    fade_rate: float | None
    fade_boost: float | None
    shrink_below: float | None
    doze_below: float | None
    dormant_days: float | None
    prune_importance: float | None
    prune_days: float | None
    max_sessions: int | None
    max_memories_per_session: int | None
    max_total_size_mb: float | None
    displace_importance: float | None
    protected_days: float | None
    forgetting_days: float | None
    archive: bool | None
    archive_days: float | None
    backup_enabled: bool | None
    backup_path: str | None
    log_path: str | None
    reflection: bool | None
    reflection_threshold: int | None
    serve_host: str | None
    serve_port: int | None
    serve_hosts: str | None
    serve_certificate: str | None
    serve_certificate_key: str | None
    serve_rate: float | None
    serve_burst: int | None
    rest_after_minutes: float | None
    log_level: str | None
    legacy_path: str | None
    language: str | None
    embedder_url: str | None
    embedder_key: str | None
    semantic_patience: float | None
    loading_patience: float | None
    words: str | None
    model_url: str | None
    model_key: str | None
    model_daily_calls: int | None
    model_max_tokens: int | None
    model_timeout: float | None
    store: str | None
    stores: str | None
    store_connections: int | None
    store_prepared: bool | None
    nights_at_once: int | None
    durability: str | None
    busy_seconds: float | None
    backups_kept: int | None
    recall_limit: int | None
    pool: int | None
    resident_memories: int | None
    ranking: str | None
    words_share: float | None
    graph_hops: int | None
    context_share: float | None
    graph_share: float | None
    time_share: float | None
    fit_share: float | None
    relevance_floor: float | None
    asked_floor: float | None
    relevance_weight: float | None
    recency_weight: float | None
    importance_weight: float | None
    recency_half_life_days: float | None
    traces: bool | None
    feedback_hops: int | None
    feedback_spread: float | None
    context_budget: int | None
    context_enough: int | None
    context_pool: int | None
    mmr_lambda: float | None
    most_per_source: int | None
    prompt_budget: int | None
    share_system: float | None
    share_profile: float | None
    share_memories: float | None
    share_few_shot: float | None
    share_user: float | None
    share_reserve: float | None
    timezone: str | None
    capture: str | None
    keep_from: float | None
    keep_unsure: float | None
    save_from: float | None
    skip_to: float | None
    turn_limit: int | None
    read_at_once: int | None
    similar_from: float | None
    same_from: float | None
    extraction: bool | None
    extraction_min_importance: float | None
    extraction_min_confidence: float | None
    session_nodes: int | None
    session_edges: int | None
    session_half_life_minutes: float | None
    session_same_from: float | None
    session_similar_from: float | None
    session_protect_degree: int | None
    session_index: bool | None
    session_bias: float | None
    session_save_seconds: float | None
    session_open_most: int | None
    session_decay_minutes: float | None
    session_idle_hours: float | None
    long_half_life_minutes: float | None
    promote_min_rank: float | None
    promote_min_degree: int | None
    promote_most: int | None
    promote_to: str | None
    checkpoint_top: int | None
    checkpoint_pretty: bool | None


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


def store_named(path: str | os.PathLike[str] | None, given: dict[str, Any]) -> Path:
    """Return the file of the store; the address of a server becomes a setting of this machine's."""
    if isinstance(path, str) and "://" in path:
        given["store"], path = path, None
    elif path:
        given["store"] = ""  # the file that is named is meant
    return (Path(path).expanduser() if path else data_directory() / STORE).absolute()


def written_in(file: Path) -> dict[str, Any]:
    """Return what a file of settings says; some editors begin it with a mark of its encoding."""
    return tomllib.loads(file.read_text(encoding="utf-8-sig"))


def read_settings(
    home: Path, environment: Mapping[str, str] | None = None, **given: Any
) -> Settings:
    """Read the settings file, let the environment override it, and arguments override both."""
    # A copy: asked by name, the environment is encoded and decoded each time.
    env = dict(os.environ if environment is None else environment)
    held: dict[str, Any] = {}
    file = home / FILE
    if file.is_file():
        try:
            held |= written_in(file)
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise SettingsError("settings.cannot_be_read", file=file, error=error) from error
    known = {each.name: type(each.default) for each in fields(Settings)}
    for name, kind in known.items():
        for variable in (_SEED_VARIABLES.get(name, ""), f"SAEGIM_{name.upper()}"):
            if (text := env.get(variable)) is not None:
                held[name] = _parsed(name, text, kind)
    held |= {name: value for name, value in given.items() if value is not None}
    if unknown := sorted(set(held) - set(known)):
        near = hint(unknown[0], known)
        raise SettingsError(
            "settings.no_setting_but_near" if near else "settings.no_setting",
            unknown=unknown[0],
            file=file,
            hint=near,
            known=", ".join(known),
        )
    for name, kind in known.items():
        if kind is float and type(held.get(name)) is int:
            held[name] = float(held[name])
    return Settings(**held)


def _parsed(name: str, text: str, kind: type) -> Any:
    if kind is bool:
        # Seed C's variables say 0 and 1.
        plain = {"0": "false", "1": "true"}.get(text, text.lower())
        _one_of(name, plain, ("true", "false"))
        return plain == "true"
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

"""The settings of the night: how often each stage runs, what rises, what fades, what leaves."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

# Backups beside a store, where no other folder is named.
BACKUPS = "backups"


def setting(default: Any, reason: str) -> Any:
    """Declare a setting with its default and its reason, from which the reference is generated."""
    return field(default=default, metadata={"reason": reason})


@dataclass(frozen=True, slots=True, kw_only=True)
class ByNight:
    """What a person may argue with about the night."""

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

    def checks(self) -> Iterator[tuple[str, float, float, float]]:
        """Yield each number with the least and the most it may be."""
        shares = (
            "merge_from rise_intensity deepen_intensity shrink_below doze_below prune_importance "
            "displace_importance"
        )
        for name in shares.split():
            yield name, getattr(self, name), 0, 1
        for name in ("theme_least", "rise_used", "deepen_used", "core_used"):
            yield name, getattr(self, name), 1, 1_000_000
        for name in ("core_most", "max_sessions", "max_memories_per_session"):
            yield name, getattr(self, name), 0, 1_000_000
        yield "reflection_threshold", self.reflection_threshold, 1, 1_000_000
        yield "max_total_size_mb", self.max_total_size_mb, 0, 100_000_000
        yield "fade_rate", self.fade_rate, 0, 100
        yield "fade_boost", self.fade_boost, 0, 100
        days = (
            "away_days dormant_days dormant_keep_days prune_days protected_days forgetting_days "
            "archive_days"
        )
        for name in days.split():
            yield name, getattr(self, name), 0.001, 100_000

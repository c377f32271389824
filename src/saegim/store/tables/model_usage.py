"""What language models have cost: calls and tokens by day, purpose and model, under a daily cap."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from saegim.store.database import Database, first

_LEFT_OUT = "left_out:"


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelUsage:
    """What one purpose cost on one day."""

    day: str
    purpose: str
    model: str
    calls: int
    failed: int
    tokens_in: int
    tokens_out: int


class UsageTable:
    """The account book of model calls."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def reserve(self, at: datetime, purpose: str, model: str, cap: int, *, owner: str = "") -> bool:
        """Count a call before it is made; False if the day's cap is reached, and none is made.

        Counted first and under the lock of everyone, so that all processes and owners share a cap.
        """
        day = _day(at)
        with self._database.writing() as connection:
            made = int(
                first(
                    connection,
                    "SELECT coalesce(sum(calls), 0) FROM spending WHERE day = ?",
                    (day,),
                )
            )
            if made >= cap:
                return False
            connection.execute(
                "INSERT INTO spending VALUES (?, ?, ?, ?, 1, 0, 0, 0) ON CONFLICT "
                "(owner, day, purpose, model) DO UPDATE SET calls = spending.calls + 1",
                (owner, day, purpose, model),
            )
        return True

    def note(
        self,
        at: datetime,
        purpose: str,
        model: str,
        *,
        tokens: tuple[int, int],
        failed: bool,
        owner: str = "",
    ) -> None:
        """Write down how a counted call ended."""
        with self._database.about(owner) as connection:
            connection.execute(
                "UPDATE spending SET failed = failed + :failed, tokens_in = tokens_in + :read, "
                "tokens_out = tokens_out + :written "
                "WHERE owner = :owner AND day = :day AND purpose = :purpose AND model = :model",
                {
                    "owner": owner,
                    "failed": int(failed),
                    "read": tokens[0],
                    "written": tokens[1],
                    "day": _day(at),
                    "purpose": purpose,
                    "model": model,
                },
            )

    def leave_out(self, reasons: Mapping[str, int]) -> None:
        """Count what was not taken of answers, by reason; never what it said."""
        with self._database.writing() as connection:
            connection.executemany(
                "INSERT INTO house VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET "
                "value = CAST(CAST(house.value AS INTEGER) "
                "+ CAST(excluded.value AS INTEGER) AS TEXT)",
                [(f"{_LEFT_OUT}{reason}", str(count)) for reason, count in reasons.items()],
            )

    def left_out(self) -> dict[str, int]:
        """Return how often each reason was given."""
        asked = "SELECT name, value FROM house WHERE name >= ? AND name < ? ORDER BY name"
        rows = self._database.rows(asked, (_LEFT_OUT, f"{_LEFT_OUT[:-1]};"))
        return {name.removeprefix(_LEFT_OUT): int(value) for name, value in rows}

    def spent(self, *, since: str = "", owner: str | None = None) -> list[ModelUsage]:
        """Return what was spent, by one owner or by all of them, the latest day first."""
        rows = self._database.rows(
            "SELECT day, purpose, model, CAST(sum(calls) AS INTEGER), "
            "CAST(sum(failed) AS INTEGER), CAST(sum(tokens_in) AS INTEGER), "
            "CAST(sum(tokens_out) AS INTEGER) FROM spending "
            "WHERE day >= :since AND owner = coalesce(:owner, owner) "
            "GROUP BY day, purpose, model ORDER BY day DESC, purpose, model",
            {"since": since, "owner": owner},
        )
        return [
            ModelUsage(
                day=day,
                purpose=purpose,
                model=model,
                calls=calls,
                failed=failed,
                tokens_in=read,
                tokens_out=written,
            )
            for day, purpose, model, calls, failed, read, written in rows
        ]


def _day(at: datetime) -> str:
    return f"{at:%Y-%m-%d}"

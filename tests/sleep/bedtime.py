"""A store at bedtime: small, with work for every stage of the night; and how to look at it whole.

Its clock stands on a Sunday that is the first of a month, so that everything but the year is due.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import apsw

from saegim import FixedClock, Saegim
from saegim.memory.changes import (
    Archived,
    Change,
    Dozed,
    Leaving,
    Linked,
    Retold,
    Saved,
    Shrunk,
    Superseded,
)
from saegim.memory.entities import RELATED, SUPERSEDES, Link
from saegim.memory.memory import (
    Content,
    Emotion,
    Feeling,
    Kind,
    Life,
    Memory,
    Origin,
    Provenance,
    Reason,
    Scope,
    Source,
    Tier,
    Time,
    Worth,
    expiry,
)
from saegim.perceive.build import embedded
from saegim.store.commit import Batch

OWNER = "owner"
NIGHT = datetime(2026, 3, 1, 3, 30, tzinfo=UTC)
# What a person has set: displaced is only what finds no room, and one session has room for three.
SETTINGS: dict[str, Any] = {
    "timezone": "UTC",
    "durability": "fast",
    "forgetting": "seed",
    "max_memories_per_session": 3,
}
# Told day by day: twenty are enough to reflect on, some of them about one person.
DAYS = (
    "민수랑 북한산으로 등산을 갔다",
    "청소기 먼지통을 비웠다",
    "민수가 등산 스틱을 빌려줬다",
    "신발 끈이 끊어졌다",
    "민수랑 점심으로 냉면을 먹었다",
    "엘리베이터가 고장 나서 계단으로 올라갔다",
    "민수와 다음 등산 코스를 골랐다",
    "달걀 한 판을 사 왔다",
    "등산 모임에서 민수를 만났다",
    "창문 방충망에 구멍이 났다",
    "민수가 등산 사진을 보내왔다",
    "냉장고 필터를 새것으로 갈았다",
    "민수랑 등산화를 보러 갔다",
    "우편함에 전기 고지서가 와 있었다",
    "민수와 관악산 등산을 약속했다",
    "현관 센서등이 깜빡거려서 전구를 바꿨다",
    "민수가 등산 배낭을 새로 샀다",
    "지하철에서 우산을 두고 내렸다",
    "민수랑 등산 뒤에 막걸리를 마셨다",
    "치과에서 스케일링을 받았다",
    "민수가 등산 지도를 가져왔다",
    "도서관 회원증을 다시 발급받았다",
)
LONG = (
    "The landlord explained at length how the boiler in the cellar is bled: first the pump is "
    "switched off, then the valve of the highest radiator is opened with the square key until "
    "water comes, and only then is the pump switched on again and the pressure read."
)


def opened(path: str | Path, at: datetime = NIGHT, **settings: Any) -> Saegim:
    """Open a store as it is seen at an instant."""
    return Saegim.open(path, user=OWNER, clock=FixedClock(at), **{**SETTINGS, **settings})


def note(id: str, text: str, days: float = 2, **about: Any) -> Memory:
    """Return a memory of so many days ago; `about` may say tier, state, session, worth and more."""
    at = NIGHT - timedelta(days=days)
    tier = about.pop("tier", Tier.M90)
    life = {name: about.pop(name) for name in ("state", "pinned", "immutable") if name in about}
    language = about.pop("language", "en")
    return Memory(
        id=f"mem_{id}",
        scope=Scope(OWNER, session=about.pop("session", "")),
        text=text,
        kind=about.pop("kind", Kind.FACT),
        time=Time(happened_at=at, recorded_at=at),
        provenance=Provenance(origin=Origin.USER_SAID, source=Source.USER),
        content=Content(language=language),
        emotion=about.pop("emotion", Emotion()),
        worth=Worth(**({"importance": 0.5} | about)),
        life=Life(tier=tier, expires_at=expiry(tier, at), **life),
    )


def commit(memory: Saegim, changes: Sequence[Change], at: datetime, **more: Any) -> None:
    """Write Changes as some earlier day has written them."""
    mind = memory.mind
    fresh = [each.memory for each in changes if isinstance(each, Saved)]
    vectors = embedded(fresh, mind)
    mind.store.commit(
        Batch(
            OWNER,
            changes,
            actor=OWNER,
            at=at,
            vectors=vectors,
            identity=mind.embedder.identity if vectors else None,
            **more,
        )
    )


def twins() -> Iterator[Memory]:
    """Say the same twice, in three ways; and nearly the same once."""
    yield note("tea1", "I drink barley tea every morning on the balcony", 20, recalled=3, used=1)
    yield note("tea2", "I drink barley tea every morning on the balcony.", 3, recalled=1)
    yield note("tea3", "I drink barley tea every morning on the balcony!", 2)
    yield note("key1", "창고 열쇠는 파란 화분 밑에 있다", 12, language="ko")
    yield note("key2", "창고 열쇠는 파란 화분 밑에 있다.", 4, language="ko", recalled=2)
    yield note("ferry1", "The ferry to the island leaves from the old harbour at 7", 9)
    yield note("ferry2", "The ferry to the island leaves from the old harbour at 9", 8)
    yield note("cello1", "Jonas plays the cello in the orchestra of the town", 9)
    yield note("cello2", "Jonas plays the cello in the quartet of the town", 8)


def rising() -> Iterator[Memory]:
    """Give every reason to rise: a theme, use, feeling, a wish; and what could be kept for ever."""
    m30 = {"tier": Tier.M30}
    for number, text in enumerate(
        (
            "2월 15일 삐돌이가 카페에서 아메리카노 마심",
            "2월 18일 삐돌이가 카페에서 라떼 마심",
            "2월 22일 삐돌이가 카페에서 모카 마심",
        )
    ):
        yield note(f"cafe{number}", text, 14 - number, language="ko", kind=Kind.EXPERIENCE, **m30)
    yield note("used", "The router password sheet lies in the second drawer", 10, used=4, **m30)
    feeling = Emotion(feelings=(Feeling.JOY, Feeling.NOSTALGIA), intensity=0.9)
    yield note("felt", "Grandmother sang the old harvest song again", 10, emotion=feeling, **m30)
    yield note("wish", "Remember that Lena is allergic to walnuts", 10, **m30)
    yield note("deep", "Jonas repairs violins in his workshop by the river", 40, used=6)
    yield note("core1", "My father taught me how to sharpen a plane", 50, used=12, tier=Tier.M365)
    yield note("core2", "Mira is my daughter", 50, used=11, tier=Tier.M365)


def ageing() -> Iterator[Memory]:
    """Let some be weak: to shrink, to doze, to grow again, to leave for each reason."""
    year = {"tier": Tier.M365}
    yield note("pale", "The museum of clocks is closed on Mondays", 70, **year)
    yield note("paler", "The stairs to the tower have many steps", 75, **year)
    yield note("weak", "A blue bicycle stood in the courtyard of the printers", 130, **year)
    yield note("weaker", "The baker on the corner sold poppy seed rolls", 140, **year)
    yield note("strong", "The spare glasses are in the glove compartment", 20, recalled=5)
    yield note("over", "The parcel can be fetched at the kiosk", 33, tier=Tier.M30)
    yield note("over2", "The painter comes on Thursday with white paint", 34, tier=Tier.M30)
    yield note("asleep", "The choir rehearses in the gym", 200, **year)
    yield note("never", "Somebody left an umbrella on the tram", 65, importance=0.1)
    yield note("queue", "The old phone contract ran out", 60)
    yield note("archive", "The winter tyres were sold", 300)
    yield note("old", "Lena lives in Bonn", 100)
    yield note("new", "Lena lives in Kiel", 20)
    yield note("leant", "Kiel lies on the sea", 20)
    yield note("boiler", LONG, 5, language="")
    for number in range(6):
        worth = 0.3 + number / 20
        text = (
            f"Remark {number} about the {('roof', 'door', 'lamp', 'wall', 'rug', 'sink')[number]}"
        )
        yield note(f"talk{number}", text, 15, session="talk", importance=worth)


def made_ready(path: Path) -> None:
    """Make the store, as the last weeks have left it."""
    early, late = NIGHT - timedelta(days=40), NIGHT - timedelta(days=1)
    known = [*twins(), *rising(), *ageing()]
    away = NIGHT - timedelta(days=200)
    with opened(path, early) as memory:
        commit(memory, [Saved(each) for each in known], early)
        commit(memory, [Dozed("mem_asleep"), Shrunk("mem_strong", True)], early)
        commit(
            memory,
            [
                Leaving("mem_archive", Reason.MANUAL, away, away),
                Archived("mem_archive", away),
                Leaving("mem_queue", Reason.MANUAL, NIGHT - timedelta(days=8), late),
                Linked(Link(source="mem_new", type=RELATED, target="mem_leant")),
                Linked(Link(source="mem_new", type=SUPERSEDES, target="mem_old")),
                Superseded("mem_old", by="mem_new", at=NIGHT - timedelta(days=20)),
                Linked(Link(source="mem_deep", type=RELATED, target="mem_core1")),
            ],
            early,
        )
        # A change of some earlier night whose way back has ended.
        commit(memory, [Retold("mem_pale", None, ())], early, maker="night_before", until=late)
    for number, text in enumerate(DAYS):
        with opened(path, NIGHT - timedelta(days=25 - number)) as memory:
            memory.remember(text)
    with opened(path, late) as memory:
        memory.within(user="someone else").remember("What others keep is not touched by this night")


# -- looking at it --------------------------------------------------------------------------------

# Drawn by lot, or written by the clock of the commit: two true nights differ in them.
_VOLATILE = {
    "memory": ("number", "salt", "digest"),
    "ageing": ("number",),
    "link": ("created_at", "touched_at"),
    "page": ("written_at", "data"),
    "archive": ("packed",),
    "entity": (),
    "sentiment": (),
    "alias": (),
    "before": ("seq", "until", "held"),
    "tag": ("number",),
    "felt": ("number",),
    "mention": ("number",),
    "claim": ("number",),
}


def rows(path: Path, sql: str, *params: Any) -> list[dict[str, Any]]:
    """Ask the file itself, as nobody's memory but one who only reads."""
    with closing(apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)) as raw:
        raw.set_busy_timeout(5000)
        asked = raw.execute(sql, params)
        names = None
        found = []
        for row in asked:
            names = names or [each[0] for each in asked.get_description()]
            found.append(dict(zip(names, row, strict=True)))
        return found


def state_of(path: Path) -> dict[str, Any]:
    """Return everything a night leaves behind, without what is drawn by lot or by the clock."""
    found: dict[str, Any] = {}
    ids = {each["number"]: each["id"] for each in rows(path, "SELECT number, id FROM memory")}
    for table, volatile in _VOLATILE.items():
        held = []
        for row in rows(path, f"SELECT * FROM {table}"):
            about = ids.get(row.get("number"), "")
            kept = {name: value for name, value in row.items() if name not in volatile}
            for name in ("dormant_since", "settled_at", "touched_at"):
                if name in kept:
                    kept[name] = kept[name] is not None
            held.append((about, *kept.items()))
        found[table] = sorted(held, key=repr)
    found["vector"] = sorted(
        (ids[row["number"]], row["live"], row["data"] is not None)
        for row in rows(path, "SELECT number, live, data FROM vector")
    )
    words = rows(path, "SELECT rowid, text FROM words_basic")
    found["words"] = sorted((ids[row["rowid"]], row["text"]) for row in words)
    found["ledger"] = lines(path)
    return found


def lines(path: Path) -> Counter[tuple[str, ...]]:
    """Count the lines of the ledger, whatever their order."""
    return Counter(
        (row["owner"], row["actor"], row["change"], row["subject"], row["facts"])
        for row in rows(path, "SELECT * FROM ledger")
    )


def counted(told: Any) -> dict[str, dict[str, Any]]:
    """Return the counts that a night tells, without the ids beside them."""
    held = json.loads(told) if isinstance(told, str) else told
    return {
        stage: {what: count for what, count in did.items() if not what.endswith(":ids")}
        for stage, did in held.items()
    }


def differing(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """Return what two states do not share, table by table."""
    found = {}
    for table in one:
        if one[table] != other[table]:
            mine, yours = (
                Counter(map(repr, _items(one[table]))),
                Counter(map(repr, _items(other[table]))),
            )
            found[table] = (sorted((mine - yours).elements()), sorted((yours - mine).elements()))
    return found


def _items(held: Any) -> Any:
    return held.items() if isinstance(held, dict) else held

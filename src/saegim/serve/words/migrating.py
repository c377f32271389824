"""What the command line says about taking over an old system, in English and Korean."""

from __future__ import annotations

MIGRATING: dict[str, tuple[str, str]] = {
    "help migrate": (
        "Take over the database of an old bara system; once, and it is left as it is.",
        "옛 bara 시스템의 데이터베이스를 이어받습니다. 한 번만, 원본은 그대로 둡니다.",
    ),
    "option migrate path": (
        "The old database; what is set or lies here if not said.",
        "옛 데이터베이스. 말하지 않으면 설정된 것이나 이 폴더에 있는 것.",
    ),
    "option migrate dry_run": (
        "Only show what would come in.",
        "무엇이 들어올지만 보여 줍니다.",
    ),
    "option migrate yes": ("Do not ask.", "묻지 않고 합니다."),
    "take over old": (
        "An old bara database lies at {path} ({memories} to take over). Take it over now?",
        "옛 bara 데이터베이스가 {path}에 있습니다(가져올 것: {memories}). 지금 이어받을까요?",
    ),
    "take over later": (
        "It stays where it is; `saegim migrate {path}` takes it over later.",
        "그대로 둡니다. 나중에 `saegim migrate {path}`로 이어받을 수 있습니다.",
    ),
    "old taken over": (
        "Taken over from {path}: {count:,} new. The old file is as it was.",
        "{path}에서 이어받았습니다: 새 기억 {count:,}개. 옛 파일은 그대로입니다.",
    ),
    "old known": (
        "{path} was taken over on {at} already; nothing was done.",
        "{path}은(는) {at}에 이미 이어받았습니다. 아무것도 하지 않았습니다.",
    ),
    "state of legacy": ("old database", "옛 데이터베이스"),
    "legacy done": (
        "{path}: taken over on {at}, {added:,} memories",
        "{path}: {at}에 이어받음, 기억 {added:,}개",
    ),
    "legacy failed": (
        "{path}: not taken over ({trouble}); tried again when the memory is opened",
        "{path}: 이어받지 못함 ({trouble}). 기억을 열 때 다시 합니다",
    ),
    "legacy waiting": (
        "{path}: not taken over yet; a server does it by itself, or `saegim migrate`",
        "{path}: 아직 이어받지 않음. 서버가 스스로 하거나 `saegim migrate`",
    ),
}

MIGRATING_ECHOES: tuple[tuple[str, str], ...] = (
    (r"No old database is named\.", "옛 데이터베이스를 말하지 않았습니다."),
    (
        r"Give its path, or set legacy_path\.",
        "경로를 적거나 legacy_path를 설정하세요.",
    ),
    (r"No old database lies here\.", "이 폴더에는 옛 데이터베이스가 없습니다."),
    (
        r"Name it: saegim migrate PATH, or set legacy_path\.",
        "경로를 적으세요: saegim migrate 경로. 또는 legacy_path를 설정하세요.",
    ),
    (r"(\d+) old databases lie here\.", "옛 데이터베이스가 {0}개 있습니다."),
    (r"Name one: (.+)\.", "하나를 고르세요: {0}"),
    (
        r"Nothing was taken over: this needs a yes\.",
        "이어받지 않았습니다. 허락이 필요합니다.",
    ),
    (r"(.+) was written while it was read\.", "{0}을(를) 읽는 사이에 다른 프로그램이 썼습니다."),
    (
        r"Stop the program that writes it; what is missing comes the next time\.",
        "그 프로그램을 멈추세요. 빠진 것은 다음번에 들어옵니다.",
    ),
)

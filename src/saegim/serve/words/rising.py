"""What the command line says about what rose and about the years, in English and Korean."""

from __future__ import annotations

RISING: dict[str, tuple[str, str]] = {
    # -- promotions -------------------------------------------------------------------------------
    "help promotions": (
        "List what rose lately: from which tier to which, and why.",
        "최근에 올라간 기억을 보여 줍니다. 어느 층에서 어느 층으로, 왜 올랐는지.",
    ),
    "option promotions count": ("How many; 20 if not said.", "몇 개까지. 말하지 않으면 20."),
    "no promotions": (
        "Nothing has risen yet. What is used, felt or said again rises at the end of a week.",
        "아직 올라간 기억이 없습니다. 자주 쓰이거나 강하게 느끼거나 거듭 말하면 주말에 오릅니다.",
    ),
    "promoted": (
        "{source} → {tier}, because: {why}; made of {count:,}",
        "{source} → {tier}, 까닭: {why}, 바탕 기억 {count:,}개",
    ),
    "promoted alone": ("{source} → {tier}, because: {why}", "{source} → {tier}, 까닭: {why}"),
    "promotions listed": ("Rose lately: {count:,}", "최근에 올라간 기억: {count:,}"),
    "reason approved": ("you said yes", "허락하심"),
    # -- trust ------------------------------------------------------------------------------------
    "did trusted": (
        "Trusted more or less, by how what they said has held: {count:,}",
        "한 말이 맞았는지에 따라 신뢰를 옮겼습니다: {count:,}",
    ),
    "would trusted": (
        "Would be trusted more or less, by how what they said has held: {count:,}",
        "한 말이 맞았는지에 따라 신뢰가 바뀝니다: {count:,}",
    ),
    "short trusted": ("trust moved", "신뢰 옮김"),
    "change Trusted": ("trusted", "신뢰"),
    "trust rests on": (
        "{trust:.2f} (confirmed {confirmed:,}, contradicted {contradicted:,}, wrong {wrong:,})",
        "{trust:.2f} (맞음 {confirmed:,}, 달리 말함 {contradicted:,}, 틀림 {wrong:,})",
    ),
    # -- years ------------------------------------------------------------------------------------
    "help year": (
        "Read the report of a year: what came, rose, left and stayed.",
        "한 해의 보고서를 읽습니다. 무엇이 오고, 오르고, 떠나고, 남았는지.",
    ),
    "option year year": (
        "Which year; the latest if not said.",
        "몇 년도. 말하지 않으면 가장 최근 해.",
    ),
    "year title": (
        "The year {name}, from {since} to {until}",
        "{name}년 한 해 ({since}부터 {until}까지)",
    ),
    "year kept": ("Kept: {count:,}{parts}", "새로 간직함: {count:,}{parts}"),
    "year rose": ("Rose: {count:,}{parts}", "올라감: {count:,}{parts}"),
    "year left": ("Left: {count:,}{parts}", "떠남: {count:,}{parts}"),
    "year restored": ("Called back: {count:,}", "되살림: {count:,}"),
    "year forgotten": (
        "Forgotten: {count:,}; erased for good: {erased:,}",
        "잊음: {count:,}, 아주 지움: {erased:,}",
    ),
    "year replaced": (
        "Replaced by a correction or a twin: {count:,}",
        "고친 글이나 같은 기억으로 바뀜: {count:,}",
    ),
    "year now": ("Here at the end: {parts}", "끝에 남은 기억: {parts}"),
    "year tiers": ("Of these active, by tier: {parts}", "유효한 기억의 층: {parts}"),
    "year nothing": ("Nothing happened in it.", "아무 일도 없었습니다."),
    "years known": ("Years with a report: {years}", "보고서가 있는 해: {years}"),
    "left expired": ("time was over", "때가 다 됨"),
    "left faded": ("faded", "흐려짐"),
    "left pruned": ("never needed", "찾지 않음"),
    "left displaced": ("no room", "자리 없음"),
    "left manual": ("let go by hand", "손으로 놓아줌"),
}

RISING_ECHOES: tuple[tuple[str, str], ...] = (
    (r"No year has been summed up yet\.", "아직 정리된 해가 없습니다."),
    (
        r"It is written on 1 January; `saegim sleep --stage year` writes it now\.",
        "1월 1일에 씁니다. `saegim sleep --stage year`로 지금 쓸 수 있습니다.",
    ),
    (r"There is no report of (\d+)\.", "{0}년 보고서는 없습니다."),
    (r"There are reports of: none yet\.", "아직 보고서가 없습니다."),
    (r"There are reports of: (.+)\.", "보고서가 있는 해: {0}"),
    (r"(.+) is no year\.", "{0}은(는) 연도가 아닙니다."),
    (r"Give a year such as 2026\.", "2026처럼 연도를 적으세요."),
)

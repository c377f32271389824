"""What the command line says about the hooks of an agent, in English and Korean."""

from __future__ import annotations

HOOKING: dict[str, tuple[str, str]] = {
    "help hook": (
        "Attend an event of an agent: JSON in, JSON out; agents call this themselves. "
        "drain hears and keeps what no hook could, status says how the hooks fare; tend, which "
        "hooks start in the background, does as drain and sleeps what is due.",
        "에이전트의 이벤트를 처리합니다(JSON 입출력). 에이전트가 알아서 부릅니다. "
        "drain은 훅이 듣지 못한 것까지 듣고 기억하며, status는 훅의 상태를 알려 줍니다. "
        "tend는 훅이 뒤에서 시작하는 것으로, drain처럼 하고 때가 된 잠을 잡니다.",
    ),
    "option hook event": (
        "session-start, user-prompt-submit, pre-compact, stop or session-end; drain; status; tend.",
        "session-start, user-prompt-submit, pre-compact, stop, session-end 또는 drain, status, "
        "tend.",
    ),
    "hook drained": (
        "{heard:,} turns heard, {waiting:,} files still wait.",
        "대화 {heard:,}마디를 들었고, 파일 {waiting:,}개가 아직 기다립니다.",
    ),
    "hook busy": (
        "Another process is at it; {waiting:,} files wait.",
        "다른 프로세스가 하고 있습니다. 파일 {waiting:,}개가 기다립니다.",
    ),
    "hook waiting": (
        "Heard and not kept yet: {count:,} files. To keep them now: saegim hook drain",
        "들었지만 아직 기억하지 않은 파일: {count:,}개. 지금 기억하려면: saegim hook drain",
    ),
    "hook apart": (
        "Set apart, because they could not be read: {count:,} ({file})",
        "읽을 수 없어 따로 둔 파일: {count:,}개 ({file})",
    ),
    "hook cut": (
        "Began and did not end, to be caught up with: {count:,} events",
        "시작했지만 끝나지 않아 따라잡을 이벤트: {count:,}개",
    ),
    "hook caught up": (
        "Cut off, and caught up with since:",
        "도중에 끊겼지만 그 뒤에 따라잡은 것:",
    ),
    "hook quiet": ("Nothing went wrong.", "아무 문제도 없었습니다."),
    "hook journal": (
        "What went wrong or was cut short ({file}):",
        "문제가 생겼거나 도중에 그친 일({file}):",
    ),
}

HOOKING_ECHOES: tuple[tuple[str, str], ...] = (
    (r"There is no event (.+)\.", "{0} 이벤트는 없습니다."),
    (
        r"semantic: warming; words answered alone",
        "뜻으로 찾을 준비가 덜 되어(semantic: warming) 단어로만 답함",
    ),
    (r"Ask again in a moment, or see doctor\.", "잠시 뒤에 다시 묻거나 doctor로 점검하세요."),
)

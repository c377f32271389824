"""What the command line says about connecting other programs, in English and Korean."""

from __future__ import annotations

INSTALLING: dict[str, tuple[str, str]] = {
    "help install": (
        "Connect a client to the memory, or list the clients; shows the change and asks first.",
        "클라이언트를 기억에 연결합니다. 이름이 없으면 목록을 보여 줍니다. "
        "바뀔 내용을 먼저 보여 주고 묻습니다.",
    ),
    "help uninstall": (
        "Take the connection to a client back; memories are not touched.",
        "클라이언트와의 연결을 되돌립니다. 기억은 건드리지 않습니다.",
    ),
    "option install client": (
        "claude-code, claude-desktop, codex, cursor, vscode, windsurf, gemini-cli, zed, opencode.",
        "claude-code, claude-desktop, codex, cursor, vscode, windsurf, gemini-cli, zed, opencode "
        "가운데 하나.",
    ),
    "option uninstall client": (
        "The client, as `saegim install` lists it.",
        "`saegim install`에 나오는 클라이언트 이름.",
    ),
    "option install profile": (
        "How many tools the client sees.",
        "클라이언트에 보여 줄 도구의 범위.",
    ),
    "option install project": (
        "Always this project; without it the folder of the client decides.",
        "언제나 이 프로젝트를 씁니다. 없으면 클라이언트의 폴더로 정합니다.",
    ),
    "option install no_hooks": (
        "Only the server, no hooks (Claude Code).",
        "훅 없이 서버만 (Claude Code).",
    ),
    "option here": (
        "In the configuration of this folder, not in yours.",
        "내 설정이 아니라 이 폴더의 설정.",
    ),
    "option config": (
        "The configuration file, where the client keeps it somewhere else.",
        "클라이언트의 설정 파일이 다른 곳에 있을 때 그 경로.",
    ),
    # -- the list ---------------------------------------------------------------------------------
    "column client": ("client", "클라이언트"),
    "column found": ("found here", "이 컴퓨터에 있음"),
    "column connected": ("connected", "연결됨"),
    "column config": ("configuration", "설정 파일"),
    "said yes": ("yes", "예"),
    "said no": ("no", "아니요"),
    "how to connect": (
        "To connect one: saegim install CLIENT",
        "연결하려면: saegim install 클라이언트",
    ),
    # -- connecting -------------------------------------------------------------------------------
    "write these": ("Write this?", "이대로 쓸까요?"),
    "connected already": (
        "{client} is connected already; nothing to do.",
        "{client}: 이미 연결되어 있어 바꿀 것이 없습니다.",
    ),
    "was connected": ("{client} is connected.", "{client}: 연결했습니다."),
    "was disconnected": ("{client} is no longer connected.", "{client}: 연결을 되돌렸습니다."),
    "not connected": (
        "{client} is not connected; nothing to do.",
        "{client}: 연결되어 있지 않아 바꿀 것이 없습니다.",
    ),
    "not written yet": (
        "Nothing was written. To do it: the same command without --dry-run",
        "아무것도 쓰지 않았습니다. 쓰려면 같은 명령에서 --dry-run을 빼세요.",
    ),
    "lies as it was": ("The file as it was: {path}", "바꾸기 전 파일: {path}"),
    "start it anew": (
        "Close {client} and open it again to see the memory.",
        "{client}: 닫았다가 다시 열면 기억을 쓸 수 있습니다.",
    ),
    "how to disconnect": (
        "To take this back: saegim uninstall {client}",
        "되돌리려면: saegim uninstall {client}",
    ),
    "home unseen": (
        "SAEGIM_HOME is set in this terminal, and the client may not see it. To make sure: "
        'saegim --path "{file}" install {client}',
        "이 터미널에는 SAEGIM_HOME이 있지만 클라이언트에는 보이지 않을 수 있습니다. 확실히 하려면: "
        'saegim --path "{file}" install {client}',
    ),
    "memories stay": (
        "Your memories stay where they are: {path}",
        "기억은 그대로 있습니다: {path}",
    ),
}

# What connecting says in English, as a pattern, and the same in Korean.
INSTALLING_ECHOES: tuple[tuple[str, str], ...] = (
    (r"There is no client (.+)\.", "{0} 클라이언트는 없습니다."),
    (r"Use one of: (.+)\.", "이 중에서 고르세요: {0}"),
    (
        r"No file was changed: this needs a yes\.",
        "아무 파일도 바꾸지 않았습니다. 동의가 필요합니다.",
    ),
    (
        r"(.+) cannot be read: line (\d+), column (\d+): (.+)\.",
        "{0}의 {1}번째 줄 {2}번째 글자를 읽을 수 없습니다: {3}",
    ),
    (
        r"(.+) cannot be read: line (\d+) is not UTF-8\.",
        "{0}의 {1}번째 줄이 UTF-8이 아니어서 읽을 수 없습니다.",
    ),
    (
        r"Correct that line and run it again; nothing was changed\.",
        "그 줄을 고치고 다시 실행하세요. 아무것도 바꾸지 않았습니다.",
    ),
    (
        r"Save the file as UTF-8 and run it again; nothing was changed\.",
        "파일을 UTF-8로 저장하고 다시 실행하세요. 아무것도 바꾸지 않았습니다.",
    ),
    (
        r"Check the path and its permissions; nothing was changed\.",
        "경로와 권한을 확인하세요. 아무것도 바꾸지 않았습니다.",
    ),
    (
        r"(.+) has something else where an? (?:object|list) belongs: (.+), line (\d+)\.",
        "{0}의 {2}번째 줄, {1} 자리에 객체나 목록이 아닌 것이 있습니다.",
    ),
    (r"(.+) is read-only\.", "읽기 전용 파일입니다: {0}"),
    (
        r"Make it writable and run it again; nothing was changed\.",
        "쓸 수 있게 바꾸고 다시 실행하세요. 아무것도 바꾸지 않았습니다.",
    ),
    (
        r"(.+) was changed by another program in the meantime\.",
        "그사이 다른 프로그램이 파일을 바꾸었습니다: {0}",
    ),
    (r"Run it again\.", "다시 실행하세요."),
    (r"(.+) has no configuration for one project\.", "{0}에는 프로젝트마다 두는 설정이 없습니다."),
    (r"Leave out --here\.", "--here를 빼세요."),
    (r"--config does not go with (.+)\.", "{0}에는 --config를 함께 쓸 수 없습니다."),
    (
        r"Leave one of them out; for Claude Code set CLAUDE_CONFIG_DIR\.",
        "둘 중 하나를 빼세요. Claude Code라면 CLAUDE_CONFIG_DIR을 정하세요.",
    ),
    (
        r"(.+) reaches a server named saegim by an address\.",
        "{0}에 saegim이라는 서버가 주소로 적혀 있습니다.",
    ),
    (
        r"Keep it, or take it out first: (.+)",
        "그대로 두거나, 먼저 빼세요: {0}",
    ),
    (
        r"The plugin (.+) is turned on in (.+) and does the same\.",
        "{1}에 같은 일을 하는 플러그인이 켜져 있습니다: {0}",
    ),
    (r"Keep it, or turn it off first: (.+)", "그대로 두거나, 먼저 끄세요: {0}"),
    (
        r"(.+) writes (\S+) in a way that is not changed from here\.",
        "{0}에 적힌 {1} 항목은 여기서 바꿀 수 없는 꼴입니다.",
    ),
    (
        r"Take (\S+) out by hand and run it again; nothing was changed\.",
        "{0} 항목을 직접 빼고 다시 실행하세요. 아무것도 바꾸지 않았습니다.",
    ),
    (r"The path of this program is not UTF-8\.", "이 프로그램의 경로가 UTF-8이 아닙니다."),
    (r"Install it in a folder with another name\.", "이름이 다른 폴더에 설치하세요."),
    (r"This folder is gone\.", "이 폴더는 이제 없습니다."),
    (r"Change into one that is there\.", "있는 폴더로 이동하세요."),
    (r"(.+) is not there any more\.", "이제 없는 프로그램입니다: {0}"),
    (
        r"Its entry saegim runs something else: (.+)\.",
        "saegim이라는 항목이 다른 것을 실행합니다: {0}",
    ),
    (r"Hooks are turned off in (.+)\.", "{0}에서 훅이 꺼져 있습니다."),
)

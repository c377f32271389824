"""What the command line says about examining what surrounds a store, in English and Korean."""

from __future__ import annotations

_CLIENTS = {
    "claude-code": "Claude Code",
    "claude-desktop": "Claude Desktop",
    "codex": "Codex",
    "cursor": "Cursor",
    "vscode": "VS Code",
    "windsurf": "Windsurf",
    "gemini-cli": "Gemini CLI",
    "zed": "Zed",
    "opencode": "OpenCode",
}
_HOOKS = "session-start user-prompt-submit pre-compact stop session-end".split()

SURROUNDINGS: dict[str, tuple[str, str]] = {
    "option doctor quick": (
        "Start no other program: hooks and MCP are not tried.",
        "다른 프로그램을 시작하지 않습니다. 훅과 MCP는 시험하지 않습니다.",
    ),
    "check in_force": ("in force", "쓰이는 설정"),
    "check clients": ("clients", "클라이언트"),
    "check spool": ("spool", "들은 대화"),
    "check journal": ("hook journal", "훅 일지"),
    "check token": ("token", "토큰"),
    "check server": ("server", "서버"),
    "check mcp": ("MCP", "MCP 왕복"),
    **{f"check client:{name}": (title, f"{title} 연결") for name, title in _CLIENTS.items()},
    **{
        f"check client:{name}:here": (f"{title} here", f"{title}(여기)")
        for name, title in _CLIENTS.items()
    },
    "check client:claude-code:hooks": ("hooks", "훅 켜짐"),
    **{f"check hook:{event}": (f"hook {event}", f"훅 {event}") for event in _HOOKS},
    **{f"check hook:{event}:here": (f"hook {event} here", f"훅 {event}(여기)") for event in _HOOKS},
}

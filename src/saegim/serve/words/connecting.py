"""What the command line says about agents and the work lent to them, in English and Korean."""

from __future__ import annotations

CONNECTING: dict[str, tuple[str, str]] = {
    "help mcp": (
        "Serve one client over MCP on standard input and output; clients start this themselves.",
        "표준 입출력으로 MCP 클라이언트 하나와 통신합니다. 클라이언트가 알아서 시작합니다.",
    ),
    "option mcp profile": (
        "How many tools are shown: core (5), default (12), full (all).",
        "보여 줄 도구의 범위: core(5개), default(12개), full(전부).",
    ),
    "option mcp alone": (
        "Never ask a server that runs on this machine already.",
        "이 컴퓨터에서 이미 실행 중인 서버에 맡기지 않습니다.",
    ),
    "help distil": (
        "Show kept turns whose facts nobody has read yet, or hand in the facts of one.",
        "아직 사실을 읽어 내지 않은 대화를 보여 주거나, 읽어 낸 사실을 받습니다.",
    ),
    "option distil job": ("The job whose facts are handed in.", "사실을 낼 일의 이름."),
    "option distil facts": (
        "The facts as JSON, or - to read them from standard input.",
        "JSON으로 쓴 사실. -는 표준 입력을 읽습니다.",
    ),
    "help completion": (
        "Print what your shell needs to complete commands: saegim completion bash >> ~/.bashrc",
        "셸의 명령 자동 완성에 필요한 글을 보여 줍니다: saegim completion bash >> ~/.bashrc",
    ),
    "option completion shell": (
        "Your shell: bash, zsh, fish or powershell.",
        "쓰는 셸: bash, zsh, fish, powershell.",
    ),
    "panel agents": ("For agents", "에이전트용"),
    "nothing lent": ("Nothing waits for thought.", "사실을 읽어 내기를 기다리는 대화가 없습니다."),
    "lent": ("{job}  {text}", "{job}  {text}"),
    "hand in": (
        "Answer one: saegim distil JOB - < FACTS.json (--json shows instructions and schema)",
        "답하려면: saegim distil JOB - < FACTS.json (지시와 형식은 --json으로 볼 수 있습니다)",
    ),
    "handed in": (
        "{kept} kept, {rejected} not kept.",
        "{kept}개를 기억했고, {rejected}개는 남기지 않았습니다.",
    ),
    "not kept because": ("  not kept: {why}", "  남기지 않은 이유: {why}"),
}

CONNECTING_ECHOES: tuple[tuple[str, str], ...] = (
    (r"The facts are not JSON: (.+)\.", "사실이 JSON이 아닙니다: {0}"),
    (r"The facts are no list\.", "사실이 목록이 아닙니다."),
    (r"Give a list as the job's schema says\.", "일에 적힌 형식대로 목록을 주세요."),
    (r"There is no profile (.+)\.", "{0} 프로필은 없습니다."),
    (r"There is no function (.+)\.", "{0} 기능은 없습니다."),
    (r"There is no place (.+) in this list\.", "이 목록에 {0} 위치는 없습니다."),
    (r"Begin again without a cursor\.", "커서 없이 처음부터 다시 보세요."),
    (r"([a-z_]+) needs (.+)\.", "{0}: {1} 인자가 필요합니다."),
    (r"([a-z_]+) takes no '(.+)'\.", "{0}: {1} 인자는 받지 않습니다."),
    (r"([a-z_]+): (.+) cannot be used: (.+)\.", "{0}: {1} 값을 쓸 수 없습니다: {2}"),
    (
        r"Saegim's own export is brought back by a person\.",
        "새김이 내보낸 파일은 사람이 직접 가져옵니다.",
    ),
    (r"There is no shell (.+)\.", "{0} 셸은 없습니다."),
    (r"The work broke off\.", "일이 도중에 끊겼습니다."),
    (
        r"The server went away during (.+); it may be done or not\.",
        "{0} 도중에 서버가 사라졌습니다. 되었을 수도, 안 되었을 수도 있습니다.",
    ),
    (r"Look first, then ask again\.", "먼저 확인한 뒤에 다시 요청하세요."),
)

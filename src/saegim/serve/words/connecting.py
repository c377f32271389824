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
    (
        r"The new words read like an order, and no person says them\.",
        "새 말이 명령처럼 읽히고, 사람이 한 말도 아닙니다.",
    ),
    (
        r"Save them as a memory of their own: it is kept apart until a person looks\.",
        "따로 기억하세요. 사람이 살펴볼 때까지 격리해 둡니다.",
    ),
    (
        r"This key was used before, for (.+), which says something else\.",
        "이 키는 다른 말을 한 {0}에 이미 쓰였습니다.",
    ),
    (
        r"Use a key of its own for each thing; nothing was kept\.",
        "기억마다 다른 키를 쓰세요. 아무것도 기억하지 않았습니다.",
    ),
    (r"A person answers a proposal, not a memory\.", "사람은 기억이 아니라 제안에 답합니다."),
    (
        r"(\d+) pieces of long work are going on already\.",
        "오래 걸리는 일 {0}개가 이미 진행 중입니다.",
    ),
    (
        r"Only folders, and files such as (.+), are read from here\.",
        "여기서는 폴더와 {0} 같은 파일만 읽습니다.",
    ),
    (r"The work broke off\.", "일이 도중에 끊겼습니다."),
    (
        r"The server went away during (.+); it may be done or not\.",
        "{0} 도중에 서버가 사라졌습니다. 되었을 수도, 안 되었을 수도 있습니다.",
    ),
    (r"Look first, then ask again\.", "먼저 확인한 뒤에 다시 요청하세요."),
)

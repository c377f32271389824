"""What the command line says about agents and the work lent to them, in English and Korean."""

from __future__ import annotations

CONNECTING: dict[str, tuple[str, str]] = {
    "help mcp": (
        "Serve one client over MCP on standard input and output; clients start this themselves.",
        "표준 입출력으로 MCP 클라이언트 하나와 이야기해요. 클라이언트가 알아서 시작해요.",
    ),
    "option mcp profile": (
        "How many tools are shown: core (5), default (12), full (all).",
        "보여 줄 도구의 범위: core(5개), default(12개), full(전부).",
    ),
    "option mcp alone": (
        "Never ask a server that runs on this machine already.",
        "이 컴퓨터에서 이미 돌고 있는 서버에 맡기지 않아요.",
    ),
    "help distil": (
        "Show kept turns whose facts nobody has read yet, or hand in the facts of one.",
        "아직 사실을 읽어 내지 않은 대화를 보여 주거나, 읽어 낸 사실을 받아요.",
    ),
    "option distil job": ("The job whose facts are handed in.", "사실을 건넬 일의 이름이에요."),
    "option distil facts": (
        "The facts as JSON, or - to read them from standard input.",
        "JSON으로 쓴 사실. -이면 표준 입력에서 읽어요.",
    ),
    "help completion": (
        "Print what your shell needs to complete commands: saegim completion bash >> ~/.bashrc",
        "셸이 명령을 이어 쓰는 데 필요한 글을 보여 줘요: saegim completion bash >> ~/.bashrc",
    ),
    "option completion shell": (
        "Your shell: bash, zsh, fish or powershell.",
        "쓰는 셸: bash, zsh, fish, powershell.",
    ),
    "panel agents": ("For agents", "에이전트를 위해"),
    "nothing lent": ("Nothing waits for thought.", "생각을 기다리는 대화가 없어요."),
    "lent": ("{job}  {text}", "{job}  {text}"),
    "hand in": (
        "Answer one: saegim distil JOB - < FACTS.json (--json shows instructions and schema)",
        "답하려면: saegim distil JOB - < FACTS.json (지시와 형식은 --json으로 볼 수 있어요)",
    ),
    "handed in": (
        "{kept} kept, {rejected} not kept.",
        "{kept}개 기억했고, {rejected}개는 남기지 않았어요.",
    ),
    "not kept because": ("  not kept: {why}", "  남기지 않은 까닭: {why}"),
}

CONNECTING_ECHOES: tuple[tuple[str, str], ...] = (
    (r"The facts are not JSON: (.+)\.", "사실이 JSON이 아니에요: {0}."),
    (r"The facts are no list\.", "사실이 목록이 아니에요."),
    (r"Give a list as the job's schema says\.", "일에 적힌 형식대로 목록을 주세요."),
    (r"There is no profile (.+)\.", "{0}라는 프로필은 없어요."),
    (r"There is no function (.+)\.", "{0}라는 기능은 없어요."),
    (r"There is no place (.+) in this list\.", "이 목록에 {0}라는 자리는 없어요."),
    (r"Begin again without a cursor\.", "커서 없이 처음부터 보세요."),
    (r"(\w+) needs (.+)\.", "{0}에는 {1}이(가) 필요해요."),
    (r"(\w+) takes no '(.+)'\.", "{0}에는 {1}을(를) 줄 수 없어요."),
    (r"(\w+): (.+) cannot be used: (.+)\.", "{0}: {1}을(를) 쓸 수 없어요: {2}."),
    (
        r"Saegim's own export is brought back by a person\.",
        "새김이 내보낸 것은 사람이 직접 들여와요.",
    ),
    (r"There is no shell (.+)\\.", "{0}라는 셸은 몰라요."),
    (r"The work broke off\.", "일이 도중에 끊겼어요."),
    (
        r"The server went away during (.+); it may be done or not\.",
        "{0} 도중에 서버가 사라졌어요. 되었을 수도, 안 되었을 수도 있어요.",
    ),
    (r"Look first, then ask again\.", "먼저 확인한 뒤에 다시 시도해 주세요."),
)

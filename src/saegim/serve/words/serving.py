"""What the command line and the HTTP door say about serving, in English and Korean."""

from __future__ import annotations

SERVING: dict[str, tuple[str, str]] = {
    "help serve": (
        "Serve REST (/v1) and MCP (/mcp) over HTTP on this machine, until Ctrl+C.",
        "이 컴퓨터에서 REST(/v1)와 MCP(/mcp)를 HTTP로 엽니다. 끝내려면 Ctrl+C.",
    ),
    "option serve host": (
        "Where to listen; another address than this machine's needs --certificate and --key.",
        "서버를 열 주소. 이 컴퓨터의 주소가 아니면 --certificate와 --key가 필요합니다.",
    ),
    "option serve port": (
        "Which port; 0 takes any free one. 8757 unless the settings say otherwise.",
        "서버를 열 포트. 0이면 비어 있는 아무 포트나 씁니다. 설정이 없으면 8757입니다.",
    ),
    "option serve profile": (
        "How many tools MCP clients are shown: core, default or full.",
        "MCP 클라이언트에 보여 줄 도구의 범위: core, default, full.",
    ),
    "option serve certificate": ("A TLS certificate (PEM).", "TLS 인증서 파일(PEM)."),
    "option serve key": (
        "The private key of the certificate (PEM).",
        "인증서의 개인 키 파일(PEM).",
    ),
    "option serve allow_host": (
        "Another name by which clients call this server, NAME or NAME:PORT; may be given several "
        "times.",
        "클라이언트가 이 서버를 부르는 다른 이름(NAME 또는 NAME:PORT). 여러 번 쓸 수 있음.",
    ),
    "help token": (
        "Say which file holds the token of the HTTP server.",
        "HTTP 서버의 토큰이 어느 파일에 있는지 알려 줍니다.",
    ),
    "option token new": (
        "Make a new one; the old one no longer opens anything, not even a server that runs.",
        "새로 만듭니다. 이미 실행 중인 서버에도 이전 토큰은 더 이상 통하지 않습니다.",
    ),
    "option token show": (
        "Show the token itself; only at a terminal.",
        "토큰을 그대로 보여 줍니다. 터미널에서만 됩니다.",
    ),
    "serving": ("Saegim listens at {url}", "새김 서버를 열었습니다: {url}"),
    "serving mcp": ("  MCP:    {url}", "  MCP 주소: {url}"),
    "serving token": ("  token:  {file}", "  토큰:     {file}"),
    "serving client": (
        "  client: saegim install claude-code",
        "  연결:     saegim install claude-code",
    ),
    "serving curl": ("  try:    {command}", "  해 보기:  {command}"),
    "serving end": ("Ctrl+C ends it.", "끝내려면 Ctrl+C를 누르세요."),
    "token renewed": (
        "A new token is there, and the old one no longer opens anything. Tell your clients.",
        "새 토큰을 만들었습니다. 이전 토큰은 더 이상 통하지 않으니 클라이언트에도 알려 주세요.",
    ),
}

SERVING_ECHOES: tuple[tuple[str, str], ...] = (
    # -- the guard --------------------------------------------------------------------------------
    (r"This server is not known by that Host\.", "이 서버는 그런 Host 이름을 쓰지 않습니다."),
    (
        r"Call it as 127\.0\.0\.1 or localhost with its own port; `saegim serve --allow-host NAME` "
        r"adds a name, NAME:PORT one with another port\.",
        "127.0.0.1이나 localhost와 서버의 포트로 부르세요. 다른 이름은 `saegim serve --allow-host "
        "NAME`으로, 다른 포트까지 쓰려면 NAME:PORT로 더합니다.",
    ),
    (
        r"Pages of other sites may not call this server\.",
        "다른 사이트의 페이지는 이 서버를 부를 수 없습니다.",
    ),
    (
        r"Call it from a program, or from a page of this server\.",
        "프로그램이나 이 서버의 페이지에서 부르세요.",
    ),
    (
        r"A token in an address is written down by everyone it passes\.",
        "주소에 넣은 토큰은 거쳐 가는 곳마다 기록됩니다.",
    ),
    (
        r"Send it as a header: Authorization: Bearer TOKEN\. If it was the real one, make a new "
        r"one: `saegim token --new`\.",
        "Authorization: Bearer TOKEN 헤더로 보내세요. 진짜 토큰이었다면 `saegim token --new`로 "
        "새로 만드세요.",
    ),
    (r"This needs the token of the server\.", "서버의 토큰이 필요합니다."),
    (
        r"Send Authorization: Bearer TOKEN; `saegim token` says in which file it is\.",
        "Authorization: Bearer TOKEN을 보내세요. 토큰 파일은 `saegim token`이 알려 줍니다.",
    ),
    (r"Too many requests at once\.", "요청이 한꺼번에 너무 많습니다."),
    (
        r"Too many requests without the right token\.",
        "맞는 토큰이 없는 요청이 너무 많습니다.",
    ),
    (r"This address takes no body\.", "이 주소에는 본문을 보낼 수 없습니다."),
    (r"A nonce is 32 to 128 hexadecimal digits\.", "nonce는 16진수 32~128자리여야 합니다."),
    (r"Send one such nonce, or none\.", "그런 nonce를 하나만 보내거나, 아예 보내지 마세요."),
    (r"Try again in (\d+) s\.", "{0}초 뒤에 다시 시도하세요."),
    (r"A body is taken as JSON only\.", "본문은 JSON만 받습니다."),
    (
        r"Send it with Content-Type: application/json\.",
        "Content-Type: application/json으로 보내세요.",
    ),
    (r"The body did not arrive in time\.", "본문이 제때 오지 않았습니다."),
    (r"Send the request again\.", "요청을 다시 보내세요."),
    (r"The body is larger than (.+) bytes\.", "본문이 {0}바이트보다 큽니다."),
    (
        r"Send less at once; `saegim import` reads large files\.",
        "한 번에 더 적게 보내세요. 큰 파일은 `saegim import`가 읽습니다.",
    ),
    (
        r"The address and the headers are longer than (.+) bytes\.",
        "주소와 헤더가 {0}바이트보다 깁니다.",
    ),
    (r"Send long things in the body\.", "긴 글은 본문으로 보내세요."),
    (r"The body is not JSON\.", "본문이 JSON이 아닙니다."),
    (r"Send one JSON document in UTF-8\.", "UTF-8로 쓴 JSON 문서 하나를 보내세요."),
    (r"The body is nested deeper than (\d+) levels\.", "본문이 {0}단계보다 깊게 겹쳐 있습니다."),
    (r"Send it flatter\.", "더 얕은 꼴로 보내세요."),
    (
        r"An object of the body has more than (\d+) names\.",
        "본문에 이름이 {0}개가 넘는 객체가 있습니다.",
    ),
    (r"Send fewer at once\.", "한 번에 더 적게 보내세요."),
    (r"An object of the body has a name twice\.", "본문의 한 객체에 같은 이름이 두 번 나옵니다."),
    (r"Give each name once\.", "이름은 한 번씩만 쓰세요."),
    # -- addresses --------------------------------------------------------------------------------
    (r"There is nothing at this address\.", "이 주소에는 아무것도 없습니다."),
    (r"This address has no such method\.", "이 주소에서는 그 메서드를 쓸 수 없습니다."),
    (r"The addresses are in /openapi\.json\.", "주소는 /openapi.json에 있습니다."),
    (
        r"The addresses and their methods are in /openapi\.json\.",
        "주소와 메서드는 /openapi.json에 있습니다.",
    ),
    (
        r"Something in the server went wrong; nothing of it is told here\.",
        "서버 안에서 문제가 생겼습니다. 자세한 내용은 여기에 적지 않습니다.",
    ),
    (
        r"Its log says what; `saegim doctor` may find the cause\.",
        "서버의 로그에 적혀 있습니다. `saegim doctor`가 원인을 찾을 수도 있습니다.",
    ),
    (r"Leave it out\.", "빼세요."),
    (r"(\w+) takes no '(.+)' in its address\.", "{0}: 주소에 {1} 인자를 쓸 수 없습니다."),
    (r"(\w+): '(.+)' is given twice\.", "{0}: {1} 인자를 두 번 주었습니다."),
    (r"Give it once\.", "한 번만 주세요."),
    (r"The body is not a JSON object\.", "본문이 JSON 객체가 아닙니다."),
    (r"(\w+) is for people, not for agents\.", "{0}: 에이전트가 아니라 사람이 하는 일입니다."),
    (
        r"An export is for people, not for agents\.",
        "내보내기는 에이전트가 아니라 사람이 하는 일입니다.",
    ),
    (r"A person runs `(.+)`\.", "사람이 직접 실행하세요: `{0}`"),
    (r"There is no door (.+)\.", "{0} 문은 없습니다."),
    (r"(Saegim-\w+|Idempotency-Key) cannot be (.+)\.", "{0}에 쓸 수 없는 값입니다: {1}"),
    (r"(Saegim-\w+) is given twice\.", "{0} 헤더를 두 번 주었습니다."),
    (r"Give the whole path of a folder\.", "폴더의 전체 경로를 주세요."),
    (
        r"Idempotency-Key (.+) was used for another request\.",
        "이미 다른 요청에 쓴 Idempotency-Key입니다: {0}",
    ),
    (r"Use a new key for each request\.", "요청마다 새 키를 쓰세요."),
    # -- starting ---------------------------------------------------------------------------------
    (
        r"A Saegim server is already running here \(process (\d+), (.+)\)\.",
        "여기에는 이미 실행 중인 새김 서버가 있습니다(프로세스 {0}, {1}).",
    ),
    (r"A Saegim server is already running here\.", "여기에는 이미 실행 중인 새김 서버가 있습니다."),
    (
        r"Use that one, or end it first with Ctrl\+C or `kill`\.",
        "그 서버를 쓰거나, Ctrl+C나 `kill`로 먼저 끝내세요.",
    ),
    (
        r"Port (\d+) is held by a Saegim server of another data directory \((.+)\)\.",
        "다른 데이터 폴더의 새김 서버({1})가 {0}번 포트를 쓰고 있습니다.",
    ),
    (r"Port (\d+) is held by another program\.", "다른 프로그램이 {0}번 포트를 쓰고 있습니다."),
    (
        r"Choose another with --port, or --port 0 for any free one\.",
        "--port로 다른 포트를 고르거나, --port 0으로 빈 포트를 쓰세요.",
    ),
    (
        r"(.+) can be reached by other machines, and nothing is encrypted\.",
        "{0}에는 다른 컴퓨터도 접속할 수 있는데, 암호화가 없습니다.",
    ),
    (
        r"Set --certificate and --key \(and --allow-host NAME for the name by which clients "
        r"call\), or leave out --host to listen on 127\.0\.0\.1 only\.",
        "--certificate와 --key를 주거나(클라이언트가 부르는 이름은 --allow-host NAME으로), "
        "--host를 빼고 127.0.0.1에서만 여세요.",
    ),
    (r"A certificate and its key belong together\.", "인증서와 키는 함께 있어야 합니다."),
    (r"Give (--\w+) as well\.", "{0}도 주세요."),
    (r"(.+) can be read by others\.", "다른 사람이 읽을 수 있는 파일입니다: {0}"),
    (
        r"chmod 600 (.+), then `saegim token --new`\.",
        "chmod 600 {0} 다음에 `saegim token --new`를 실행하세요.",
    ),
    (r"(.+) belongs to somebody else\.", "다른 사용자의 것입니다: {0}"),
    (r"Move it away; a new one is made\.", "다른 곳으로 옮기세요. 그러면 새로 만듭니다."),
    (r"(.+) is no ordinary file\.", "보통 파일이 아닙니다: {0}"),
    (r"Move it away\.", "다른 곳으로 옮기세요."),
    (r"Give a key of your own\.", "직접 소유한 키 파일을 주세요."),
    (r"Others can write into (.+)\.", "다른 사용자도 쓸 수 있는 폴더입니다: {0}"),
    (
        r"Choose a folder of your own with SAEGIM_HOME\.",
        "SAEGIM_HOME으로 자신의 폴더를 고르세요.",
    ),
    (
        r"chmod go-w (.+) if it is yours alone, or choose a folder of your own with SAEGIM_HOME\.",
        "혼자 쓰는 폴더라면 `chmod go-w {0}` 명령을 실행하고, 아니면 SAEGIM_HOME으로 자신의 폴더를 "
        "고르세요.",
    ),
    (r"(.+) holds no usable token\.", "{0}에 쓸 수 있는 토큰이 없습니다."),
    (r"`saegim token --new` makes one\.", "`saegim token --new`로 만들 수 있습니다."),
    (
        r"The token is shown only to a person at a terminal\.",
        "토큰은 터미널 앞의 사람에게만 보여 줍니다.",
    ),
    (
        r"Programs read its file, which `saegim token` names\.",
        "프로그램은 `saegim token`이 알려 주는 파일을 읽습니다.",
    ),
)

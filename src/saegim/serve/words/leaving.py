"""What the command line says about leaving, erasing and a person's yes, in English and Korean."""

from __future__ import annotations

LEAVING: dict[str, tuple[str, str]] = {
    # -- the queue and the archive ----------------------------------------------------------------
    "leaves expired": ("its time is over", "때가 다 됨"),
    "leaves faded": ("slept too long", "오래 잠듦"),
    "leaves pruned": ("never needed", "찾은 적 없음"),
    "leaves displaced": ("no room left", "자리가 모자람"),
    "leaves manual": ("let go", "떠나보냄"),
    "queue empty": ("Nothing is leaving.", "떠나는 기억이 없습니다."),
    "archive empty": ("Nothing lies in the archive.", "보관함이 비어 있습니다."),
    "column leaves": ("why", "이유"),
    "column left": ("time left", "남은 때"),
    "column since": ("since", "언제부터"),
    "column until": ("until", "언제까지"),
    "left days": ("{count:,} d {hours} h", "{count:,}일 {hours}시간"),
    "left hours": ("{count:,} h", "{count:,}시간"),
    "left minutes": ("{count:,} min", "{count:,}분"),
    "left over": ("over; goes at the next sleep", "지남 · 다음에 잘 때 떠남"),
    "call one back": ("To call one back: saegim restore ID", "되살리려면: saegim restore ID"),
    # -- how long it is kept ----------------------------------------------------------------------
    "life lasting": ("no end", "기한 없음"),
    "life until": ("until {day} + {grace} days", "{day} + {grace}일까지"),
    "life passing": ("{days:,} days", "{days:,}일"),
    "how long": ("How long: {how}", "보관 기한: {how}"),
    "was kept": ("Kept ({how}), {id}: {text}", "간직함({how}) {id}: {text}"),
    "law gentle": (
        "Forgetting is gentle: what lasts has no end, a plan stays {grace} days past its date, and "
        "what passes leaves after the time of its tier and sleeps before it goes.",
        "부드럽게 잊습니다(gentle). 오래 갈 것은 기한이 없고, 약속은 그날 뒤 {grace}일까지 남고, "
        "지나가는 일은 층의 기간이 지나면 떠나되 먼저 잠듭니다.",
    ),
    "law seed": (
        "Forgetting goes by the seeds' clocks (seed): every memory leaves when the time of its "
        "tier is over. Pin what must stay: saegim pin ID",
        "씨앗의 시계대로 잊습니다(seed). 모든 기억이 층의 기간이 지나면 떠납니다. "
        "남겨야 할 것은 붙들어 두세요: saegim pin ID",
    ),
    # -- erasing ----------------------------------------------------------------------------------
    "would erase": (
        "Would be erased, now and everywhere, with no way back: {count:,}",
        "되돌릴 수 없이 지금 모든 곳에서 지워질 기억: {count:,}",
    ),
    "was erased": (
        "Erased, with no way back: {count:,}",
        "되돌릴 수 없이 지운 기억: {count:,}",
    ),
    "erased versions": ("  of these, other versions: {count:,}", "  그 가운데 다른 판: {count:,}"),
    "erased derived": (
        "  of these, made of nothing else: {count:,}",
        "  그 가운데 여기서만 나온 기억: {count:,}",
    ),
    "erased protected": (
        "  of these, core or immutable, so only you can say so: {count:,}",
        "  그 가운데 핵심이거나 고정되어 직접 정하셔야 하는 기억: {count:,}",
    ),
    "erased with": ("With them: {what}", "함께 사라지는 것: {what}"),
    "erased words": ("texts {count:,}", "글 {count:,}"),
    "erased archive": ("archived texts {count:,}", "보관된 글 {count:,}"),
    "erased links": ("ties {count:,}", "관계 {count:,}"),
    "erased proposals": ("proposals {count:,}", "제안 {count:,}"),
    "erased vectors": ("vectors {count:,}", "벡터 {count:,}"),
    "erased entities": ("names {count:,}", "이름 {count:,}"),
    "erased session_files": ("session files {count:,}", "세션 파일 {count:,}"),
    "erased sessions": ("running sessions {count:,}", "열린 세션 {count:,}"),
    "erased in part": (
        "Made from these and from others, and on its way out with them: {ids}",
        "이 기억과 다른 기억에서 함께 나왔으므로, 같이 망각 대기열로 갑니다: {ids}",
    ),
    "erased from": (
        "They were made from these, which stay and may say the same: {ids}",
        "이 기억들에서 나왔고, 이것들은 남습니다(같은 말이 있을 수 있음): {ids}",
    ),
    "not erased yet": (
        "Nothing was erased. To do it: the same command with --confirm",
        "아무것도 지우지 않았습니다. 지우려면 같은 명령에 --confirm",
    ),
    "type erase": (
        "There is no way back. Type erase to go on: ",
        "되돌릴 수 없습니다. 지우려면 '지우기'라고 쓰세요: ",
    ),
    "out of reach": (
        "Out of reach, where the words may still be:",
        "손이 닿지 않아 글이 남아 있을 수 있는 곳:",
    ),
    "reach backup": (
        "  backup {name} of {at}; new backups push it out (after {after}), or delete the file",
        "  {at}의 백업 {name}. 새 백업 {after}개 뒤에 밀려납니다. 직접 지워도 됩니다",
    ),
    "reach unfinished_backup": (
        "  unfinished backup {name}; delete the file",
        "  만들다 만 백업 {name}. 파일을 지우세요",
    ),
    "reach session": (
        "  session {name}, open in another process until it ends",
        "  다른 프로세스에 열려 있는 세션 {name}. 끝나면 사라집니다",
    ),
    "reach session_file": (
        "  {name}, which could not be written",
        "  쓸 수 없던 파일 {name}",
    ),
    "reach ledger_file": (
        "  {name}, a file of the resonance ledger that names them; delete it or its lines",
        "  이 기억을 말하는 공명 장부 파일 {name}. 파일이나 그 줄을 지우세요",
    ),
    "reach elsewhere": (
        "  exports, copies and backups that lie elsewhere",
        "  다른 곳에 둔 내보낸 파일, 사본, 백업",
    ),
    "log not emptied": (
        "Someone is reading the store: the words lie in its log until the next night or close.",
        "누군가 저장소를 읽고 있어, 다음 밤이나 닫을 때까지 글이 로그에 남아 있습니다.",
    ),
    "receipt": ("Receipt: {digest}", "영수증: {digest}"),
    # -- taking back a source ---------------------------------------------------------------------
    "would revert": (
        "Would leave with this source: {count:,}",
        "이 출처와 함께 떠날 기억: {count:,}",
    ),
    "was reverted": (
        "Left with this source: {count:,}",
        "이 출처와 함께 떠나보낸 기억: {count:,}",
    ),
    "revert derived": (
        "Made from it, and leaving too: {count:,}",
        "거기서 나와 함께 떠나는 기억: {count:,}",
    ),
    "revert returned": (
        "Holds again, because it had replaced them: {count:,}",
        "그 출처에 밀려났다가 다시 유효해지는 기억: {count:,}",
    ),
    "revert kept back": (
        "Stays until you decide yourself (core or immutable): {count:,}",
        "직접 정하실 때까지 남는 기억(핵심이거나 고정): {count:,}",
    ),
    "revert nothing": ("Nothing came from this source.", "이 출처에서 온 기억이 없습니다."),
    "revert how": (
        "Nothing was changed. To do it: the same command with --confirm",
        "아무것도 바꾸지 않았습니다. 하려면 같은 명령에 --confirm",
    ),
    "revert back": (
        "To take this back (until {until}): saegim undo {id}",
        "되돌리려면({until}까지): saegim undo {id}",
    ),
    # -- a person's yes ---------------------------------------------------------------------------
    "no proposals": ("Nothing waits for your yes.", "허락을 기다리는 것이 없습니다."),
    "proposed core": (
        "{id}: keep this for ever? ({reasons})",
        "{id}: 이 기억을 영원히 간직할까요? ({reasons})",
    ),
    "proposal state accepted": ("accepted", "허락함"),
    "proposal state refused": ("refused", "거절함"),
    "proposal state withdrawn": ("withdrawn", "거둠"),
    "memory gone": ("(not here any more)", "(이제 없음)"),
    "answer proposals": (
        "To answer: saegim accept ID, or saegim refuse ID",
        "답하려면: saegim accept ID, 또는 saegim refuse ID",
    ),
    "type yes to accept": (
        "Type yes to keep it for ever: ",
        "영원히 간직하려면 '네'라고 쓰세요: ",
    ),
    "type yes to refuse": (
        "Type yes to refuse it for good: ",
        "거절하려면 '네'라고 쓰세요: ",
    ),
    "proposed from": (
        "origin {origin} (trust {trust:g}), author {author}",
        "출처 {origin}(신뢰 {trust:g}), 말한 이 {author}",
    ),
    "was pinned": ("Held fast, {id}: {text}", "붙들어 둠 {id}: {text}"),
    "was unpinned": ("No longer held fast, {id}: {text}", "더는 붙들어 두지 않음 {id}: {text}"),
    "accepted": ("Kept for ever as {id}: {text}", "영원히 간직합니다 {id}: {text}"),
    "refused": (
        "Refused: it goes on ageing as it is, and is not proposed again.",
        "거절했습니다. 그대로 나이 들고, 다시 여쭙지 않습니다.",
    ),
    "type forget": (
        "A core memory is among them. Type forget to let go: ",
        "핵심 기억이 들어 있습니다. 떠나보내려면 '잊기'라고 쓰세요: ",
    ),
    # -- looking through --------------------------------------------------------------------------
    "audited": ("Looked through {memories}.", "{memories}를 살펴보았습니다."),
    "audit clean": ("Nothing here deserves a second look.", "더 살펴볼 것이 없습니다."),
    "audit fine": ("None of these: {names}", "해당 없음: {names}"),
    "audit secret_like": ("looks like a secret", "비밀처럼 보임"),
    "audit duplicate": ("the same words twice", "똑같은 글"),
    "audit near_duplicate": ("nearly the same", "거의 같은 글"),
    "audit contradicting": ("contradicts another", "서로 어긋남"),
    "audit unverified": ("nobody vouches for it", "확인되지 않음"),
    "audit never_recalled": ("never recalled", "떠올린 적 없음"),
    "audit orphan": ("tied to nothing", "이어진 것 없음"),
    "audit lonely_entity": ("named by no living memory", "말하는 기억이 없는 이름"),
    "audit loose_tie": ("tie that leads nowhere", "끝이 없는 관계"),
    "audit without_vector": ("found by words alone", "단어로만 찾음"),
    "audit quarantined": ("kept apart", "따로 둠"),
    "audit leaving": ("leaving", "떠나는 중"),
}

# What helps with each thing an audit counts; in English the audit itself says so.
STEPS: dict[str, str] = {
    "secret_like": (
        "쓰는 곳에서 비밀을 바꾸세요. `saegim history ID`가 어느 판에 있는지 보여 주고, "
        "`saegim erase ID`는 흔적 없이 지웁니다."
    ),
    "duplicate": "`saegim get ID`로 보고, `saegim forget ID`로 떠나보냅니다.",
    "near_duplicate": (
        "`saegim related ID`가 무엇과 비슷한지 보여 줍니다. 하나를 보내려면 `saegim forget ID`."
    ),
    "contradicting": (
        "`saegim related ID`가 무엇과 어긋나는지 보여 줍니다. 틀린 것은 `saegim update ID "
        "글`로 고칩니다."
    ),
    "unverified": (
        "`saegim get ID`로 어디서 왔는지 보세요. 맞으면 같은 글을 `saegim remember 글`로, "
        "틀리면 `saegim forget ID`로."
    ),
    "never_recalled": "`saegim get ID`로 보고, 필요 없으면 `saegim forget ID`.",
    "orphan": (
        "제 글로만 찾을 수 있습니다. `saegim update ID 글`로 누구, 무엇의 이야기인지 밝힐 수 "
        "있습니다."
    ),
    "lonely_entity": (
        "`saegim people 이름`으로 보세요. 그 이름을 말하는 기억이 생기면 다시 이어집니다."
    ),
    "loose_tie": (
        "없는 기억으로 이어져 건너뜁니다. `saegim import 파일`로 빠진 것을 가져올 수 있습니다."
    ),
    "without_vector": (
        "단어로만 찾을 수 있습니다. 새김을 잠시 켜 두거나 `saegim rebuild`를 실행하세요."
    ),
    "quarantined": (
        "`saegim quarantine`이 목록을 보여 줍니다. 풀려면 `saegim release ID`, 보내려면 "
        "`saegim forget ID`."
    ),
    "leaving": "`saegim queue`가 목록을 보여 줍니다. 되살리려면 `saegim restore ID`.",
}

# What the night and letting go say in English, as a pattern, and the same in Korean.
LEAVING_ECHOES: tuple[tuple[str, str], ...] = (
    (r"There is no night (.+)\.", "{0} 밤이 없습니다."),
    (r"`saegim nights` lists them\.", "`saegim nights`에서 볼 수 있습니다."),
    (r"There is no stage (.+)\.", "{0} 단계는 없습니다."),
    (r"The stages are: (.+)\.", "단계는 다음과 같습니다: {0}"),
    (r"There is nothing of (.+) to take back\.", "{0}에는 되돌릴 것이 없습니다."),
    (
        r"`saegim nights` lists what can be; after seven days the way back ends\.",
        "되돌릴 수 있는 밤은 `saegim nights`에 있습니다. 이레가 지나면 되돌릴 수 없습니다.",
    ),
    (r"There is no proposal (.+)\.", "{0} 제안이 없습니다."),
    (r"`saegim proposals` lists them\.", "`saegim proposals`에서 볼 수 있습니다."),
    (r"(\S+) was (accepted|refused|withdrawn) already\.", "{0}은(는) 이미 답한 제안입니다({1})."),
    (
        r'forgetting is "seed": there every memory has the time of its tier and no other\.',
        "forgetting이 seed입니다. 모든 기억이 층의 기간만 남습니다.",
    ),
    (
        r"Pin it \(`saegim pin ID`\), or set forgetting to gentle; nothing was changed\.",
        "붙들어 두거나(`saegim pin ID`) forgetting을 gentle로 바꾸세요. 바뀐 것은 없습니다.",
    ),
    (
        r"Nothing says until which day it is to be kept\.",
        "언제까지 간직할지 알 수 없습니다.",
    ),
    (
        r"Give last_date='2026-05-30', or leave out lifetime; nothing was kept\.",
        "last_date='2026-05-30'처럼 날을 주거나 lifetime을 빼세요. 아무것도 기억하지 않았습니다.",
    ),
    (r"A (\w+) memory has no last_date\.", "{0} 기억에는 last_date가 없습니다."),
    (
        r"Leave out last_date, or give lifetime='until'\.",
        "last_date를 빼거나 lifetime='until'로 하세요.",
    ),
    (
        r"Only one of days, until and passing can be meant\.",
        "기간, 날짜, 지나감 가운데 하나만 정할 수 있습니다.",
    ),
    (
        r"Give one of them, or none to keep it for good\.",
        "하나만 주세요. 아무것도 주지 않으면 기한 없이 간직합니다.",
    ),
    (r"days cannot be (.+)\.", "날수로 {0}은(는) 쓸 수 없습니다."),
    (r"Give a number from 1 to (.+)\.", "1부터 {0}까지의 수를 주세요."),
    (r"The day (\S+) is over\.", "{0}은(는) 지난 날입니다."),
    (r"Give today or a later day\.", "오늘이나 그 뒤의 날을 주세요."),
    (r"The \w+ (\S+) is too far away\.", "{0}은(는) 너무 먼 날입니다."),
    (
        r"Give a day between the years 1900 and 8999\.",
        "1900년과 8999년 사이의 날을 주세요.",
    ),
    (r"There is no span of time (.+)\.", "{0}은(는) 기간이 아닙니다."),
    (
        r"Write it as 90d, 12w, 3mo or 1y\.",
        "90일, 12주, 3개월, 1년처럼 쓰세요(90d, 12w, 3mo, 1y도 됩니다).",
    ),
    (r"(\S+) was made to stay and has no end\.", "{0}은(는) 남도록 만든 기억이라 기한이 없습니다."),
    (
        r"Only what can leave can be kept for a time; nothing was changed\.",
        "떠날 수 있는 기억만 기한을 정할 수 있습니다. 바뀐 것은 없습니다.",
    ),
    (r"(\S+) is in quarantine\.", "{0}은(는) 따로 둔 기억입니다."),
    (
        r"A person must release it: `saegim release (\S+)`\.",
        "사람이 먼저 풀어 주어야 합니다: `saegim release {0}`",
    ),
    (r"No ids were given\.", "아무 기억도 가리키지 않았습니다."),
    (r"Give the ids of memories to keep\.", "간직할 기억의 id를 주세요."),
    (r"Nothing was changed\.", "아무것도 바꾸지 않았습니다."),
    (r"(\S+) is not here any more\.", "{0}은(는) 이제 없습니다."),
    (
        r"Restore it first, or refuse the proposal\.",
        "먼저 되살리거나, 제안을 거절하세요.",
    ),
    (r"(\S+) is a core memory \(M0\)\.", "{0}은(는) 핵심 기억(M0)입니다."),
    (
        r"Only a person lets it go: name them with by=…; nothing was changed\.",
        "사람만 떠나보낼 수 있습니다. 터미널에서 직접 하세요. 아무것도 바꾸지 않았습니다.",
    ),
    (r"(\S+) is immutable and cannot be forgotten\.", "{0}은(는) 고정되어 잊을 수 없습니다."),
    (
        r"It was made to stay; nothing was changed\.",
        "남도록 만든 기억입니다. 아무것도 바꾸지 않았습니다.",
    ),
    (
        r"Only a person erases it: name them with by=…; nothing was changed\.",
        "사람만 지울 수 있습니다. 터미널에서 직접 하세요. 아무것도 바꾸지 않았습니다.",
    ),
    (r"Only a person at a terminal may say so\.", "터미널 앞의 사람만 할 수 있습니다."),
    (
        r"Type it yourself in a terminal: (.+)",
        "터미널에서 직접 입력하세요: {0}",
    ),
    (r"Nothing says which source\.", "어느 출처인지 말하지 않았습니다."),
    (
        r"Name an author, origin, session or domain\.",
        "--author, --origin, --session, --domain 가운데 하나를 주세요.",
    ),
    (
        r"More than (\S+) memories are too many at once\.",
        "기억 {0}개가 넘는 것은 한 번에 하기에 너무 많습니다.",
    ),
    (
        r"Narrow the source down, or begin with a later `since`\.",
        "출처를 좁히거나 --since를 더 늦게 주세요.",
    ),
    (r"Sleep can be asked for in one way at a time\.", "한 번에 한 가지만 시킬 수 있습니다."),
    (
        r"Use one of --watch, --rehearse, --pause, --resume, or none\.",
        "--watch, --rehearse, --pause, --resume 가운데 하나만 쓰거나 쓰지 마세요.",
    ),
    (
        r"A watch tells as it goes and is no single document\.",
        "지켜보기는 이어지는 이야기라 문서 하나가 되지 않습니다.",
    ),
    (r"Leave out --json; (.+) has all of it\.", "--json을 빼세요. 전부는 {0}에 있습니다."),
    (r"An event cannot be of type (.+)\.", "사건의 종류로 {0}은(는) 쓸 수 없습니다."),
    (
        r"Use (.+), or a name of letters, digits and _\.",
        "{0} 가운데 하나나, 글자와 숫자와 _로 된 이름을 쓰세요.",
    ),
    (r"An event has no (.+)\.", "사건에는 {0}이(가) 없습니다."),
    (r"memory_refs cannot be (.+)\.", "memory_refs로 {0}은(는) 쓸 수 없습니다."),
    (r"(\d+) memories are too many for one event\.", "사건 하나에 기억 {0}개는 너무 많습니다."),
    (
        r"(\w+) is too long, or holds half a character\.",
        "{0}이(가) 너무 길거나 온전하지 않은 글자가 있습니다.",
    ),
    (
        r"`saegim recent` lists what there is; nothing was logged\.",
        "`saegim recent`가 있는 기억을 보여 줍니다. 아무것도 적지 않았습니다.",
    ),
    (
        r"The ledger file (.+) cannot be written \((.+)\)\.",
        "장부 파일 {0}을(를) 쓸 수 없습니다({1}).",
    ),
    (
        r"Make room there, or correct log_path\.",
        "자리를 비우거나 log_path를 고치세요.",
    ),
    (r"--data is not a JSON object: (.+)\.", "--data가 JSON 객체가 아닙니다: {0}"),
    (r"n cannot be (.+)\.", "개수로 {0}은(는) 쓸 수 없습니다."),
)

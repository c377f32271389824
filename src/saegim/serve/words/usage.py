"""The help of every command and option in English and Korean, side by side."""

from __future__ import annotations

_KINDS = "fact, preference, experience, emotion, technical, principle, insight, episode, imagined"
_STAGES = (
    "sessions, merge, renew, importance, promote, distil, deepen, fade, leave, forget, reflect, "
    "propose, relearn, checkpoint, backup, ledgers, year, report"
)
_STATES = "active, dormant, leaving, superseded, quarantined, forgotten"

USAGE: dict[str, tuple[str, str]] = {
    "help": (
        "Saegim (새김): a long-term memory for AI agents and people, on your own machine.",
        "새김(Saegim): 내 컴퓨터 안에 사는, 에이전트와 사람의 장기 기억.",
    ),
    "help epilog": (
        'New here? `saegim demo` shows it in one screen, then: saegim remember "..."',
        '처음이신가요? `saegim demo`가 한 화면에 보여 줍니다. 그다음: saegim remember "..."',
    ),
    "help usage": ("Usage:", "사용법:"),
    "help command": ("COMMAND ...", "명령 ..."),
    "help options": ("Options", "옵션"),
    "help arguments": ("Arguments", "인자"),
    "help default": ("(default {value})", "(기본 {value})"),
    "option help": ("Show this help.", "이 도움말을 보여 줍니다."),
    "panel by day": ("By day", "매일"),
    "panel by night": ("By night", "밤에"),
    "panel letting go": ("Letting go", "떠나보내기"),
    "panel care": ("Care", "돌보기"),
    "panel first steps": ("First steps", "첫걸음"),
    # -- commands ---------------------------------------------------------------------------------
    "help remember": (
        "Keep a text word for word; findable at once.",
        "글을 그대로 기억합니다. 바로 찾을 수 있습니다.",
    ),
    "help recall": (
        "Answer a question from memory, best first, and say why.",
        "질문에 맞는 기억을 좋은 순서로, 이유와 함께 보여 줍니다.",
    ),
    "help search": (
        "Find what holds every word, or its letters, newest first.",
        "모든 단어나 그 일부가 들어 있는 기억을 최신순으로 찾습니다.",
    ),
    "help get": ("Show one memory, whole.", "기억 하나를 통째로 보여 줍니다."),
    "help recent": (
        "List the newest memories, with the true total.",
        "최근 기억과 전체 개수를 보여 줍니다.",
    ),
    "help sessions": (
        "List the sessions, or what one of them holds.",
        "세션 목록, 또는 한 세션의 기억을 보여 줍니다.",
    ),
    "help session": (
        "End a session, judge an answer of it, or write it out and read it in as JSON.",
        "세션을 끝내거나, 그 답을 평가하거나, JSON으로 내보내고 들여옵니다.",
    ),
    "help update": (
        "Correct a memory, its words or its tags; the old version stays in its history.",
        "기억의 글이나 태그를 고칩니다. 이전 판은 이력에 남습니다.",
    ),
    "help history": (
        "Show every version of a memory and what happened to it.",
        "기억의 모든 판과 지나온 일을 보여 줍니다.",
    ),
    "help forget": (
        "Let memories go; for some days they can be called back.",
        "기억을 떠나보냅니다. 며칠 동안은 되돌릴 수 있습니다.",
    ),
    "help restore": (
        "Call back memories that were let go.",
        "떠나보낸 기억을 되살립니다.",
    ),
    "help queue": (
        "Show what is leaving, why, and how long it can still be called back.",
        "떠나는 기억과 그 이유, 되살릴 수 있는 남은 때를 보여 줍니다.",
    ),
    "help archive": (
        "Show what was forgotten and still lies in the archive.",
        "잊었지만 아직 보관함에 있는 기억을 보여 줍니다.",
    ),
    "help erase": (
        "Leave nothing of memories, anywhere, with no way back; a preview unless confirmed.",
        "기억을 되돌릴 수 없이 모든 곳에서 지웁니다. --confirm 없이는 미리보기입니다.",
    ),
    "help revert": (
        "Take back what a source brought and all that was made of it; a preview unless confirmed.",
        "한 출처가 들여온 것과 거기서 나온 것을 되물립니다. --confirm 없이는 미리보기입니다.",
    ),
    "help sleep": (
        "Sleep now: merge what says the same, let things rise, fade and leave; then tell.",
        "지금 잡니다. 같은 말은 합치고, 오르고 흐려지고 떠나게 한 뒤 알려 줍니다.",
    ),
    "help nights": (
        "List the latest nights, and when each stage is due next.",
        "지난 밤들과, 단계마다 다음 차례가 언제인지 보여 줍니다.",
    ),
    "help night": ("Show again what a night did.", "한 밤에 한 일을 다시 보여 줍니다."),
    "help undo": (
        "Take back a night, or one line of the ledger.",
        "한 밤이나 장부의 한 줄을 되돌립니다.",
    ),
    "help proposals": (
        "List what waits for your yes.",
        "허락을 기다리는 것을 보여 줍니다.",
    ),
    "help pin": (
        "Hold memories fast: nothing lets them fade or leave by itself.",
        "기억을 붙들어 둡니다. 저절로 흐려지거나 떠나지 않습니다.",
    ),
    "help keep": (
        "Keep memories for good, for a time, or until a date; calls back what was leaving.",
        "기억을 기한 없이, 또는 얼마 동안이나 어느 날까지 간직합니다. 떠나던 것도 되살립니다.",
    ),
    "help unpin": ("Let memories age again.", "붙들어 둔 기억을 놓아줍니다."),
    "help propose": (
        "Ask that a memory be kept for ever; it is, once you accept.",
        "기억을 영원히 간직하자고 제안합니다. 허락하면 그렇게 됩니다.",
    ),
    "help accept": (
        "Say yes to a proposal; only a person at a terminal can.",
        "제안을 허락합니다. 터미널 앞의 사람만 할 수 있습니다.",
    ),
    "help refuse": (
        "Say no to a proposal; only a person at a terminal can.",
        "제안을 거절합니다. 터미널 앞의 사람만 할 수 있습니다.",
    ),
    "help audit": (
        "Count what deserves a look: copies, contradictions, secrets, what nobody vouches for.",
        "살펴볼 것을 셉니다: 겹친 글, 어긋난 글, 비밀, 확인되지 않은 것.",
    ),
    "help status": (
        "Show what there is and where it lies.",
        "무엇이 어디에 있는지 보여 줍니다.",
    ),
    "help doctor": (
        "Try everything on this very store; exit 1 if something does not work.",
        "이 저장소에서 모든 것을 시험해 봅니다. 안 되는 것이 있으면 1로 끝납니다.",
    ),
    "help backup": (
        "Make one verified backup file while others write.",
        "쓰는 중에도 검증된 백업 파일 하나를 만듭니다.",
    ),
    "help restore-backup": (
        "Put a backup in the place of the store; the store is kept aside.",
        "백업으로 저장소를 바꿉니다. 지금 저장소는 따로 보관합니다.",
    ),
    "help export": (
        "Write everything out, complete and readable.",
        "모든 기억을 읽을 수 있는 꼴로 빠짐없이 내보냅니다.",
    ),
    "help import": (
        "Read memories from a file or folder; what is here already is left alone.",
        "파일이나 폴더에서 기억을 가져옵니다. 이미 있는 것은 건드리지 않습니다.",
    ),
    "help rebuild": (
        "Write the word index and the vectors anew from the text.",
        "글에서 단어 색인과 벡터를 새로 만듭니다.",
    ),
    "help verify": (
        "Check the ledger's chain and every memory it vouches for.",
        "장부의 사슬과, 장부가 보증하는 모든 기억을 확인합니다.",
    ),
    "help log": (
        "Log an event of the resonance ledger (seed A), or show the latest.",
        "공명 장부(씨앗 A)에 사건 하나를 적거나, 최근 것을 보여 줍니다.",
    ),
    "help demo": (
        "See it work, in a store that is thrown away.",
        "버려지는 저장소에서 직접 보여 줍니다.",
    ),
    # -- options of every command -----------------------------------------------------------------
    "option event_type": (
        "What happened, such as tool_call or evaluation; without it, the latest are shown.",
        "무슨 일인지: tool_call, evaluation 따위. 없으면 최근 것을 보여 줍니다.",
    ),
    "option log session": ("In which session it happened.", "그 일이 있던 세션."),
    "option log persona": ("Which voice it was.", "어느 페르소나였는지."),
    "option log memories": (
        "A memory it is about; may be repeated, the first is the one it made.",
        "관련 기억. 여러 번 쓸 수 있고, 처음 것이 그 일이 남긴 기억.",
    ),
    "option log data": (
        "The rest as a JSON object: bqi_coordinate, evaluation, plan_adjustment, scores.",
        "나머지를 JSON 객체로: bqi_coordinate, evaluation, plan_adjustment, 점수.",
    ),
    "option log when": ("When it happened.", "언제였는지."),
    "option path": (
        "The store, if not the one of this machine (SAEGIM_HOME moves that).",
        "이 컴퓨터의 기본 저장소가 아닌 파일(기본 위치는 SAEGIM_HOME으로 옮김).",
    ),
    "option user": ("Whose memories; the wall between people.", "누구의 기억인지. 사람 사이의 벽."),
    "option agent": ("Which agent asks or speaks.", "묻거나 말하는 에이전트."),
    "option project": (
        "Which project is at hand: its memories, and those of no project.",
        "지금 다루는 프로젝트. 그 기억과, 프로젝트 없는 기억만 봅니다.",
    ),
    "option as_json": (
        "Answer with exactly one JSON document.",
        "정확히 JSON 문서 하나로 답합니다.",
    ),
    "option language": ("Language of messages.", "메시지 언어."),
    "option version": ("Say the version and leave.", "버전을 말하고 끝냅니다."),
    # -- options ----------------------------------------------------------------------------------
    "option text": ("The words; - reads standard input.", "내용. -는 표준 입력을 읽습니다."),
    "option question": ("What you want to know.", "알고 싶은 것."),
    "option query": ("Words that must all be there.", "모두 들어 있어야 하는 단어."),
    "option id": ("A memory: its id or its handle.", "기억의 식별자나 짧은 이름."),
    "option ids": ("Memories: ids or handles.", "기억의 식별자나 짧은 이름들."),
    "option kind": (f"What sort of thing: {_KINDS}.", f"종류: {_KINDS}."),
    "option kinds": (
        f"Only this kind; may be repeated: {_KINDS}.",
        f"이 종류만. 여러 번 쓸 수 있음: {_KINDS}.",
    ),
    "option remember tags": ("A tag; may be repeated.", "태그. 여러 번 쓸 수 있음."),
    "option update text": (
        "The new words; - reads standard input. Left out, the words stay.",
        "새 내용. -는 표준 입력을 읽습니다. 쓰지 않으면 글은 그대로입니다.",
    ),
    "option update tags": (
        "A tag in the place of the old ones; may be repeated.",
        "이전 태그를 대신할 태그. 여러 번 쓸 수 있음.",
    ),
    "option tags": (
        "Only with this tag; repeated: with all of them.",
        "이 태그가 있는 것만. 여러 번 쓰면 모두 있는 것만.",
    ),
    "option remember session": ("The session it belongs to.", "이 기억이 속한 세션."),
    "option sessions session": ("Show what this session holds.", "이 세션의 기억을 보여 줍니다."),
    "option forget session": ("Let go of a whole session.", "세션 하나를 통째로 떠나보냅니다."),
    "option session": ("Only of this session.", "이 세션의 것만."),
    "option recall session": (
        "The session at hand: what was said in it comes first.",
        "지금의 세션. 그 안에서 한 말이 먼저 나옵니다.",
    ),
    "option context session": (
        "The session at hand: what was said in it comes first.",
        "지금의 세션. 그 안에서 한 말이 먼저 나옵니다.",
    ),
    "option session action": (
        "end, feedback, export or import.",
        "end(끝내기), feedback(평가), export(내보내기), import(들여오기).",
    ),
    "option session name": (
        "The session; for import the file, - reads standard input.",
        "세션 이름. import에서는 파일이며 -는 표준 입력을 읽습니다.",
    ),
    "option session more": (
        "For export the file, for feedback up, down or retry.",
        "export에서는 파일, feedback에서는 up, down, retry.",
    ),
    "option session form": (
        "snapshot: all that is in mind; checkpoint: its main part.",
        "snapshot: 작업 기억 전부, checkpoint: 주요 부분.",
    ),
    "option session to": (
        "For import: the session it becomes.",
        "import할 때 이 이름의 세션이 됩니다.",
    ),
    "option session vectors": (
        "Leave the vectors out; they are made anew.",
        "벡터를 빼고 내보냅니다. 들여올 때 다시 만듭니다.",
    ),
    "option session note": ("Why, in your words.", "그렇게 평가한 까닭."),
    "option remember author": ("Who said it.", "누가 한 말인지."),
    "option author": ("Only said by this person.", "이 사람이 말한 것만."),
    "option when": (
        "When it happened, as 2026-11-15 or 2026-11-15T09:30 (your local time).",
        "일어난 때. 2026-11-15 또는 2026-11-15T09:30 (지역 시간).",
    ),
    "option importance": ("How much it matters, 0 to 1.", "중요도, 0에서 1."),
    "option tier": (
        "How many days it is kept: M30, M90 (the default), M365; said again, it stays longer.",
        "며칠 간직할지: M30, M90(기본), M365. 다시 말하면 새로 셉니다.",
    ),
    "option tiers": ("Only of this tier: M30, M90, M365, M0.", "이 층만: M30, M90, M365, M0."),
    "option pin": ("Keep it from fading.", "흐려지지 않게 고정합니다."),
    "option key": (
        "Your own key for this write; the same key is carried out once.",
        "이 쓰기에 붙이는 키. 같은 키는 한 번만 처리합니다.",
    ),
    "option limit": ("How many at most.", "최대 개수."),
    "option cursor": (
        "Go on from the page before.",
        "앞 쪽에 이어서 봅니다.",
    ),
    "option states": (
        f"In this state instead of active: {_STATES}.",
        f"active 대신 이 상태의 것: {_STATES}.",
    ),
    "option since": ("Happened at or after this date.", "이 날짜부터 일어난 것."),
    "option until": ("Happened before this date.", "이 날짜 전에 일어난 것."),
    "option domain": ("Only of this domain.", "이 분야의 것만."),
    "option persona": ("Only of this persona.", "이 페르소나의 것만."),
    "option min_importance": ("At least this important, 0 to 1.", "이만큼은 중요한 것, 0에서 1."),
    "option everywhere": ("Look into every project and agent.", "모든 프로젝트와 에이전트에서."),
    "option explain": (
        "Show every number, what was understood, and which paths ran or why not.",
        "모든 수치와, 질문을 어떻게 알아들었고 어떤 경로로 찾았는지 보여 줍니다.",
    ),
    "option exact": (
        "This very version, even if it was corrected since.",
        "나중에 고쳐졌더라도 바로 이 판.",
    ),
    "option matching": (
        "What holds all these words; shown before anything happens.",
        "이 단어가 모두 든 기억. 먼저 보여 주고 묻습니다.",
    ),
    "option yes": ("Do it without asking.", "묻지 않고 합니다."),
    "option backup folder": (
        "Where to; `backups` beside the store if not said.",
        "둘 곳. 말하지 않으면 저장소 옆 backups.",
    ),
    "option restore-backup path": ("The backup file.", "백업 파일."),
    "option export path": (
        "Where to: a file, or a folder for coordinates.",
        "내보낼 파일, 또는 coordinates일 때 폴더.",
    ),
    "option export form": (
        "jsonl (complete), coordinates (a folder of sessions) or orbs (tiers and colours).",
        "jsonl(전부), coordinates(세션별 폴더) 또는 orbs(계층과 감정 색).",
    ),
    "option import path": ("What to read: a file or a folder.", "가져올 파일이나 폴더."),
    "option import form": (
        "auto, jsonl, coordinates, orbs, bara, server-memory, mem0, chatgpt, claude, claude-code "
        "or markdown.",
        "auto, jsonl, coordinates, orbs, bara, server-memory, mem0, chatgpt, claude, claude-code, "
        "markdown 중 하나.",
    ),
    "option stages": (
        f"Only this stage of the night; may be repeated: {_STAGES}.",
        f"밤의 이 단계만. 여러 번 쓸 수 있음: {_STAGES}.",
    ),
    "option rehearse": (
        "Show what would happen and why; change nothing.",
        "무엇이 왜 일어날지만 보여 주고 바꾸지 않습니다.",
    ),
    "option watch": (
        "Stay here and sleep whenever something is due, until Ctrl-C.",
        "켜 둔 채로 때가 될 때마다 잡니다. 끝내려면 Ctrl-C.",
    ),
    "option pause": (
        "Sleep only when asked to, until --resume.",
        "--resume까지 시킬 때만 잡니다.",
    ),
    "option resume": ("Sleep by the times again.", "다시 때에 맞춰 잡니다."),
    "option count": ("How many at most.", "최대 개수."),
    "option night id": (
        "A night, as `saegim nights` lists it; the last if not said.",
        "`saegim nights`에 나오는 밤. 말하지 않으면 마지막 밤.",
    ),
    "option undo name": (
        "A night, revert, move, merge or undo by its name, or the number of a ledger line.",
        "밤, 되물림, 옮김, 합침이나 되돌림의 이름, 또는 장부의 줄 번호.",
    ),
    "option confirm": (
        "Do it; without this it is only shown.",
        "실제로 합니다. 없으면 보여 주기만 합니다.",
    ),
    "option revert since": (
        "Only what was recorded at or after this date.",
        "이 날짜부터 기록된 것만.",
    ),
    "option revert author": ("What this person said.", "이 사람이 말한 것."),
    "option revert origin": (
        "What came from there, such as web or tool_output.",
        "그곳에서 온 것. 예: web, tool_output.",
    ),
    "option revert session": ("What this session brought.", "이 세션이 들여온 것."),
    "option revert domain": ("What belongs to this domain.", "이 분야에 속한 것."),
    "option pin ids": ("Memories, by id or handle.", "기억의 id나 짧은 이름."),
    "option keep ids": ("Memories, by id or handle.", "기억의 id나 짧은 이름."),
    "option span": (
        "For so long, and 30 days more: 90d, 12w, 3mo, 1y.",
        "이만큼, 그리고 30일 더: 90일, 12주, 3개월, 1년(90d, 12w, 3mo, 1y).",
    ),
    "option keep until": (
        "Until this date, and 30 days more.",
        "이 날짜까지, 그리고 30일 더.",
    ),
    "option passing": (
        "Only for the time of its tier, counted from now.",
        "층의 기간만큼만, 지금부터 새로 셉니다.",
    ),
    "option unpin ids": ("Memories, by id or handle.", "기억의 id나 짧은 이름."),
    "option propose id": ("A memory, by its id or handle.", "기억의 id나 짧은 이름."),
    "option accept id": (
        "A proposal, as `saegim proposals` lists it.",
        "`saegim proposals`에 나오는 제안.",
    ),
    "option refuse id": (
        "A proposal, as `saegim proposals` lists it.",
        "`saegim proposals`에 나오는 제안.",
    ),
    "option refuse note": ("Why not, in your words.", "거절하는 까닭."),
    "option every": ("The answered ones too.", "이미 답한 것도 함께."),
    "option dry_run": ("Only say what would happen.", "어떻게 될지만 말합니다."),
}

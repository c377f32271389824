"""What the command line says about perceiving, in English and Korean, side by side."""

from __future__ import annotations

PERCEIVING: dict[str, tuple[str, str]] = {
    # -- sentences --------------------------------------------------------------------------------
    "fact kept": ("  It says: {text}", "  담긴 사실: {text}"),
    "outdated": (
        "This holds instead of {ids}; both are kept (saegim history).",
        "이제 {ids} 대신 이 기억이 유효합니다. 둘 다 남아 있습니다(saegim history).",
    ),
    "contradicts": (
        "This contradicts {ids}; both are shown until you correct one.",
        "{ids}와(과) 어긋납니다. 하나를 고칠 때까지 둘 다 보여 줍니다.",
    ),
    "similar": ("Nearly the same as {ids}.", "{ids}와(과) 거의 같습니다."),
    "masked": (
        "Masked before anything was written: {count}",
        "기록하기 전에 가린 비밀: {count}개",
    ),
    "held back": (
        "Looks like a password, kept masked: {count}. If it is none: the same command with "
        "--keep-private",
        "비밀번호로 보여 가린 채 두었습니다: {count}개. 아니라면 같은 명령에 --keep-private",
    ),
    "echoes": (
        "Left out, because Saegim itself had said it: {count}",
        "새김이 전에 한 말이라 뺀 것: {count}개",
    ),
    "told away": ("Let go {id}: {text}", "내보냄 {id}: {text}"),
    "told away back": (
        "To call it back: saegim restore {ids}",
        "다시 부르려면: saegim restore {ids}",
    ),
    "told back": ("Called back {id}: {text}", "되불러 옴 {id}: {text}"),
    "told nothing": (
        "Nothing was found that was surely meant, so nothing was let go. "
        "To choose yourself: saegim search WORDS, then saegim forget ID",
        "분명히 가리키는 기억을 찾지 못해 아무것도 내보내지 않았습니다. "
        "직접 고르려면: saegim search 낱말, 이어서 saegim forget ID",
    ),
    "kept apart": (
        "It reads like an order from a stranger, so it is kept apart and not recalled. "
        "To let it out: saegim release {ids}",
        "낯선 곳에서 온 지시처럼 읽혀 따로 두었고, 떠올리지 않습니다. "
        "풀어 주려면: saegim release {ids}",
    ),
    "keep apart": ("Keep {memories} apart?", "{memories}를 따로 둘까요?"),
    "were kept apart": (
        "Kept apart: {memories}. To undo: saegim release {ids}",
        "따로 두었습니다: {memories}. 되돌리려면: saegim release {ids}",
    ),
    "nothing to keep apart": (
        "Nothing came from this source.",
        "이 출처에서 온 기억이 없습니다.",
    ),
    "nothing apart": ("Nothing is kept apart.", "따로 둔 기억이 없습니다."),
    "let out": ("To let one out: saegim release ID", "풀어 주려면: saegim release ID"),
    "let out all": ("Let {memories} out?", "{memories}를 풀어 줄까요?"),
    "would be released": ("Would be let out:", "풀어 줄 기억:"),
    "nothing to let out": (
        "Nothing that this source brought is kept apart.",
        "이 출처에서 온 것 가운데 따로 둔 기억이 없습니다.",
    ),
    "still suspect": (
        "Stay apart, because they still read like an order (--suspects lets them out too):",
        "아직 지시처럼 읽혀 그대로 둡니다(--suspects를 주면 함께 풀어 줍니다):",
    ),
    "were released": ("Recall may show these again:", "이제 다시 떠올릴 수 있습니다:"),
    "derived": (
        "Read {turns:,} turns again: {facts:,} facts were missing and are here now.",
        "대화 {turns:,}개를 다시 읽어 빠져 있던 사실 {facts:,}개를 되살렸습니다.",
    ),
    "no model": (
        "No language model is turned on; none is needed. How to turn one on: "
        "docs/howto/use-a-language-model.md",
        "언어 모델이 꺼져 있습니다. 없어도 됩니다(켜는 법: docs/howto/use-a-language-model.md).",
    ),
    "no work": ("Nothing waits.", "기다리는 일이 없습니다."),
    "work done": (
        "{id}: {facts} facts, {rejected} left out",
        "{id}: 사실 {facts}개, 뺀 것 {rejected}개",
    ),
    "work unread": (
        "  its last {count:,} characters are too much for the model and were not read",
        "  끝의 {count:,}자는 모델이 읽기에 너무 길어 읽지 않았습니다",
    ),
    "work put off": ("{id}: later ({why})", "{id}: 나중에 다시 ({why})"),
    "work parked": ("{id}: given up ({why})", "{id}: 그만둠 ({why})"),
    "work gone": ("{id}: no longer needed", "{id}: 필요 없어짐"),
    "work waits": ("{id}: waits {why}", "{id}: 기다림 {why}"),
    "spent": (
        "{day} {purpose} {model}: {calls} calls ({failed} failed), "
        "{tokens_in:,} tokens read, {tokens_out:,} written",
        "{day} {purpose} {model}: 호출 {calls}번({failed}번 실패), "
        "읽은 토큰 {tokens_in:,}, 쓴 토큰 {tokens_out:,}",
    ),
    "nobody yet": ("Nobody is known yet.", "아직 아는 이가 없습니다."),
    "state of model": ("model", "언어 모델"),
    "state no model": ("none (none is needed)", "꺼짐 (없어도 됩니다)"),
    "state model": (
        "{name}: {waiting:,} texts wait, {parked:,} given up; calls today: {calls:,} of {cap:,}",
        "{name}: 글 {waiting:,}개 대기, {parked:,}개 그만둠. 오늘 호출 {calls:,}/{cap:,}번",
    ),
    # -- columns, fields, names -------------------------------------------------------------------
    "column name": ("name", "이름"),
    "column entity type": ("what", "무엇"),
    "column met": ("met", "만난 횟수"),
    "column feeling": ("feeling", "느낌"),
    "column last met": ("last met", "마지막"),
    "also called": ("also called", "다른 이름"),
    "about them": ("about", "소개"),
    "interests": ("interests", "관심사"),
    "notes": ("notes", "메모"),
    "first met": ("first met", "처음"),
    "trust": ("trust", "신뢰"),
    "entity person": ("person", "사람"),
    "entity bot": ("bot", "봇"),
    "entity place": ("place", "장소"),
    "entity organisation": ("organisation", "단체"),
    "entity thing": ("thing", "물건"),
    "entity topic": ("topic", "주제"),
    "entity self": ("self", "나"),
    "feeling positive": ("positive", "좋음"),
    "feeling negative": ("negative", "나쁨"),
    "feeling neutral": ("neutral", "보통"),
    "check model": ("language model", "언어 모델"),
    # -- help -------------------------------------------------------------------------------------
    "panel perceiving": ("Listening", "듣기"),
    "help observe": (
        "Judge a turn of conversation; keep it if it is worth it, and say why.",
        "대화 한 마디를 듣고, 기억할 만하면 기억합니다. 이유도 말합니다.",
    ),
    "help people": (
        "List whom and what memories speak about, or show one of them.",
        "기억 속 사람과 사물을 보여 줍니다. 이름을 주면 하나를 자세히.",
    ),
    "help quarantine": (
        "Show what is kept apart, or keep apart everything that a source brought.",
        "따로 둔 기억을 보여 주거나, 한 출처에서 온 것을 모두 따로 둡니다.",
    ),
    "help release": (
        "Let memories out of quarantine: by id, or together all that a source brought.",
        "따로 둔 기억을 풀어 줍니다. 하나씩, 또는 한 출처에서 온 것을 한꺼번에.",
    ),
    "help work": (
        "Do now what waits for the language model; show what it has cost.",
        "언어 모델을 기다리는 일을 지금 하고, 든 비용을 보여 줍니다.",
    ),
    "help derive": (
        "Read the facts out of kept turns again.",
        "간직한 대화에서 사실을 다시 읽어 냅니다.",
    ),
    "option role": (
        "Who speaks: user, assistant, tool or system.",
        "말한 쪽: user, assistant, tool, system.",
    ),
    "option speaker": ("The speaker's name.", "말한 사람의 이름."),
    "option addressee": ("Whom it was said to.", "누구에게 한 말인지."),
    "option observe session": (
        "The conversation it belongs to; it is in mind there too.",
        "이 말이 속한 대화. 그 작업 기억에도 남습니다.",
    ),
    "option observe when": (
        "When it was said; yesterday is the day before this.",
        "말한 때. '어제'는 이날의 전날입니다.",
    ),
    "option origin": (
        "Where the words first came from, such as web or tool_output.",
        "말이 처음 나온 곳. 예: web, tool_output.",
    ),
    "option observe domain": ("The field it belongs to.", "속한 분야."),
    "option files": ("A file it is about; may be repeated.", "관련 파일. 여러 번 쓸 수 있음."),
    "option parent": (
        "The memory that it follows from.",
        "이 말의 바로 앞에 있던 기억.",
    ),
    "option name": ("A name or an alias.", "이름이나 다른 이름."),
    "option source": (
        "Where they came from: import, web, peer and other origins, or an author.",
        "어디서 왔는지: import, web, peer 같은 출처나 말한 이.",
    ),
    "option suspects": (
        "Also what still reads like an order.",
        "아직 지시처럼 읽히는 것도 함께.",
    ),
    "option again": ("Also try what was given up.", "그만둔 일도 다시 합니다."),
    "option show": ("Only show what waits and what was spent.", "기다리는 일과 비용만 봅니다."),
    "option keep_private": (
        "Keep phone numbers and password-like words as they are; keys are masked always.",
        "전화번호나 비밀번호 같은 말을 그대로 둡니다. 키는 언제나 가립니다.",
    ),
}

# What the core says about keeping, correcting and lent work, as a pattern, and in Korean.
PERCEIVING_ECHOES: tuple[tuple[str, str], ...] = (
    (r"Neither a text nor tags were given\.", "새 글도 새 태그도 없습니다."),
    (r"Give the new text, the new tags, or both\.", "새 글이나 새 태그를, 또는 둘 다 주세요."),
    (r"related cannot be (.+)\.", "관련 기억으로 {0}은(는) 쓸 수 없습니다."),
    (r"Give a list of ids\.", "식별자 목록을 주세요."),
    (r"(\d+) related memories are too many\.", "관련 기억 {0}개는 너무 많습니다."),
    (r"Name at most (\d+)\.", "많아도 {0}개까지 쓸 수 있습니다."),
    (
        r"`saegim recent` lists what there is; nothing was kept\.",
        "`saegim recent`가 있는 기억을 보여 줍니다. 아무것도 기억하지 않았습니다.",
    ),
    (r"Nothing was let out: this needs a yes\.", "풀어 주지 않았습니다. 허락이 필요합니다."),
    (
        r"Say what to let out in one way: ids, or a source\.",
        "무엇을 풀어 줄지 한 가지로만 말하세요: 식별자, 또는 출처.",
    ),
    (
        r"`saegim quarantine` lists what is kept apart\.",
        "`saegim quarantine`이 따로 둔 기억을 보여 줍니다.",
    ),
    (r"source cannot be (.+)\.", "출처로 {0}은(는) 쓸 수 없습니다."),
    (r"Name an author, or one of (.+)\.", "말한 이의 이름이나 다음 가운데 하나를 쓰세요: {0}"),
    (
        r"rhythm_phase of the snapshot cannot be (.+)\.",
        "스냅샷의 rhythm_phase로 {0}은(는) 쓸 수 없습니다.",
    ),
    (
        r"keywords of the snapshot must be a list, not (.+)\.",
        "스냅샷의 keywords는 목록이어야 합니다: {0}",
    ),
    (r"snapshot cannot be (.+)\.", "스냅샷으로 {0}은(는) 쓸 수 없습니다."),
    (r"There is no work (.+)\.", "{0}: 그런 일은 없습니다."),
    (r"Hand in a job as it was lent\.", "맡은 일의 이름을 그대로 내세요."),
    (r"facts cannot be (.+)\.", "사실로 {0}은(는) 쓸 수 없습니다."),
    (r"Give a list: (.+)\.", "목록으로 주세요: {0}"),
)

"""What the command line says about recalling in full, in English and Korean, side by side."""

from __future__ import annotations

# What a person may write for a label of feedback, beside the label itself.
LABELS: dict[str, str] = {
    "좋아": "up",
    "좋음": "up",
    "싫어": "down",
    "별로": "down",
    "다시": "retry",
    "씀": "used",
    "썼음": "used",
    "틀림": "wrong",
    "틀렸어": "wrong",
    "행동바꿈": "changed_behaviour",
    "행동변화": "changed_behaviour",
    "changed_behavior": "changed_behaviour",
    "별점": "rating",
}

RECALLING: dict[str, tuple[str, str]] = {
    # -- answers ----------------------------------------------------------------------------------
    "path graph": ("graph", "관계"),
    "path time": ("time", "시간"),
    "why words": ("shares {words}", "같은 단어 {words}"),
    "why vector": ("reads alike {cosine}", "비슷함 {cosine}"),
    "why context": ("beside a hit", "찾은 기억의 앞뒤"),
    "why tie": ("{hops} tie away: {via}", "관계 {hops}단계: {via}"),
    "why ties": ("{hops} ties away: {via}", "관계 {hops}단계: {via}"),
    "why during": ("in the time asked for", "물은 때의 일"),
    "why negative": ("through a negative tie", "부정적인 관계를 거침"),
    "why conflict": ("contradicted by {others}", "{others}와(과) 어긋남"),
    "why superseded": ("superseded", "고쳐짐"),
    "why superseded since": ("superseded since {day}", "{day}에 고쳐짐"),
    "why old": ("old and asleep", "오래되어 잠든 기억"),
    "why below": ("below the floor", "기준 아래"),
    "why weak": ("weak match", "약한 일치"),
    "another": ("another", "다른 기억"),
    "one weak": (
        "1 of these is a weak match; it would not be put into a prompt.",
        "이 가운데 1개는 약한 일치입니다. 프롬프트에는 넣지 않습니다.",
    ),
    "many weak": (
        "{count:,} of these are weak matches; they would not be put into a prompt.",
        "이 가운데 {count:,}개는 약한 일치입니다. 프롬프트에는 넣지 않습니다.",
    ),
    "near misses": (
        "Near misses that are not shown: {count:,} (--near-misses shows them)",
        "아슬아슬하게 빠진 기억 {count:,}개 (--near-misses로 볼 수 있습니다)",
    ),
    "time asked": ("Time asked for: {stretch} ({words})", "물은 때: {stretch} ({words})"),
    "only time": (
        "Nothing but the time is asked for, so only what lies in it answers.",
        "때만 물었으므로 그때의 기억만 답이 됩니다.",
    ),
    "names asked": ("Named: {names}", "이름: {names}"),
    "phrases asked": ("Quoted: {phrases}", "따옴표로 묶은 말: {phrases}"),
    "traced": ("Trace of this answer: {trace}", "이 답의 자취: {trace}"),
    # -- sessions ---------------------------------------------------------------------------------
    "turns": ("turns: {count:,}", "{count:,}마디"),
    "session open": ("not ended", "끝나지 않음"),
    # -- what belongs into a prompt ---------------------------------------------------------------
    "composed": (
        "{memories}, {tokens:,} of {budget:,} tokens",
        "{memories}, 토큰 {tokens:,}/{budget:,}",
    ),
    "not composed": (
        "Nothing belongs into a prompt for this question.",
        "이 질문의 프롬프트에 넣을 기억이 없습니다.",
    ),
    "left out": ("  left out {count:,}: {why}", "  {count:,}개 뺌: {why}"),
    "left below": ("below the floor", "질문과 거리가 멂(기준 아래)"),
    "left budget": ("no room left in the budget", "예산에 자리가 없음"),
    "left imagined": ("imagined", "상상한 것"),
    "left most": ("the recipe takes no more", "이 방식에서 쓸 만큼 씀"),
    "left order": ("reads like an order from a stranger", "낯선 곳에서 온 지시처럼 읽힘"),
    "left outdated": ("says only what no longer holds", "이제 유효하지 않은 내용뿐"),
    "left source": ("enough from this source", "같은 출처에서 이미 충분함"),
    "left twin": ("says the same as another", "다른 기억과 같은 말"),
    # -- how an answer was taken ------------------------------------------------------------------
    "judged": ("Noted as {label}, {id}: {text}", "평가({label})를 적었습니다 {id}: {text}"),
    "judged worth": ("Its importance is now {importance:.2f}.", "중요도는 이제 {importance:.2f}."),
    "judged beside": (
        "What is tied to it moved a little with it: {memories}.",
        "이어진 {memories}도 조금 함께 움직였습니다.",
    ),
    "judged woken": ("It was dormant and is awake again.", "잠들어 있다가 깨어났습니다."),
    "judged wrong": (
        'To say what is right: saegim update {id} "..."',
        '바로잡으려면: saegim update {id} "..."',
    ),
    "label up": ("up", "좋아"),
    "label down": ("down", "싫어"),
    "label retry": ("retry", "다시"),
    "label used": ("used", "씀"),
    "label wrong": ("wrong", "틀림"),
    "label changed_behaviour": ("changed behaviour", "행동바꿈"),
    "label rating": ("rating", "별점"),
    # -- what is tied to what ---------------------------------------------------------------------
    "nothing tied": ("Nothing is tied to it.", "이어진 것이 없습니다."),
    "negative": ("negative", "부정"),
    "tie parent": ("parent", "상위"),
    "tie related": ("related", "관련"),
    "tie similar_to": ("similar_to", "비슷함"),
    "tie responded_with": ("responded_with", "답함"),
    "tie refers_to": ("refers_to", "언급"),
    "tie derived_from": ("derived_from", "끌어냄"),
    "tie merged_from": ("merged_from", "합침"),
    "tie supersedes": ("supersedes", "고침"),
    "tie contradicts": ("contradicts", "어긋남"),
    "tie promoted_from": ("promoted_from", "옮겨 옴"),
    "tie has_feedback": ("has_feedback", "평가"),
    # -- what was shown ---------------------------------------------------------------------------
    "was shown": ("Shown on {at}, best first:", "{at}에 보여 준 기억, 좋은 순서로:"),
    "why used": ("What counted as use:", "쓰인 것으로 센 까닭:"),
    "use back": ("came back in a reply on {day}", "{day} 답에 다시 나옴"),
    "use opened": ("opened on {day}", "{day} 열어 봄"),
    "use named": ("called by its name on {day}", "{day} 이름으로 부름"),
    "use again": ("said again on {day}", "{day} 다시 말함"),
    "use followed": ("a reply followed this wish on {day}", "{day} 답이 이 바람을 따름"),
    "use reported": ("reported on {day}", "{day} 쓰였다고 알림"),
    "uses before": ("{count:,} more before", "그 전에 {count:,}번 더"),
    "field used": ("used", "쓰임"),
    "counts as used": ("Counts as used: {ids}", "쓰인 것으로 센 기억: {ids}"),
    "gone since": ("(forgotten since)", "(그 뒤 잊힘)"),
    # -- columns ----------------------------------------------------------------------------------
    "column graph": ("graph", "관계"),
    "column time": ("time", "시간"),
    "column fit": ("fit", "꼴"),
    "column feature": ("feature", "특징"),
    "column ties": ("ties", "단계"),
    "column what": ("what", "무엇"),
    "column way": ("way", "길"),
    "column weight": ("weight", "무게"),
    # -- help -------------------------------------------------------------------------------------
    "panel answers": ("Around an answer", "답을 둘러싼 것"),
    "help context": (
        "Print what belongs into a prompt, quoted, within a token budget.",
        "프롬프트에 넣을 기억만 토큰 예산 안에서 인용해 출력합니다.",
    ),
    "help feedback": (
        "Say how a memory was taken; its weight and its neighbours' follow.",
        "기억이 어땠는지 평가합니다. 그 무게와 이웃의 무게가 따라갑니다.",
    ),
    "help related": (
        "Show what a memory or a name is tied to, and along which ties.",
        "기억이나 이름에 무엇이 어떤 관계로 이어져 있는지 보여 줍니다.",
    ),
    "help trace": (
        "Show again what an answer showed, in the same order.",
        "전에 답이 보여 준 기억을 같은 순서로 다시 보여 줍니다.",
    ),
    "option as_of": (
        "What was valid on this date, even if it no longer is.",
        "이 날짜에 유효했던 것. 지금은 아니더라도.",
    ),
    "option history": ("Superseded versions too.", "고쳐지기 전의 판도 함께."),
    "option emotion": (
        "Only with this feeling or emotion word; repeated: with any of them.",
        "이 감정이나 감정 단어가 있는 것만. 여러 번 쓰면 그중 하나라도 있는 것.",
    ),
    "option phase": (
        "Only of this rhythm phase, such as integration.",
        "이 리듬 국면의 것만. 예: integration.",
    ),
    "option near_misses": (
        "Show also what lies just below the floor of the embedder.",
        "임베더의 문턱 바로 아래에 있는 기억도 보여 줍니다.",
    ),
    "option features": (
        "With --explain or --json: the eleven features a reranker looks at.",
        "--explain이나 --json과 함께: 재정렬기가 보는 열한 가지 특징.",
    ),
    "option context question": (
        "What the prompt is about; - reads standard input.",
        "프롬프트의 내용. -는 표준 입력을 읽습니다.",
    ),
    "option budget": (
        "Most tokens; the setting context_budget if not said.",
        "최대 토큰. 말하지 않으면 설정 context_budget.",
    ),
    "option recipe": (
        "How memories are shown: auto_search, prompt or few_shot.",
        "보여 주는 방식: auto_search, prompt, few_shot.",
    ),
    "option why": (
        "Say on standard error what was left out, and why.",
        "무엇을 왜 뺐는지 표준 오류로 말합니다.",
    ),
    "option label": (
        "up, down, retry, used, wrong or changed_behaviour; with --rating it may be left out.",
        "좋아(up), 싫어(down), 다시(retry), 씀(used), 틀림(wrong), 행동바꿈(changed_behaviour). "
        "--rating이 있으면 없어도 됩니다.",
    ),
    "option rating": ("1 (bad) to 5 (good).", "1(나쁨)에서 5(좋음)."),
    "option note": (
        "Your words about it, kept as a short-lived memory.",
        "덧붙이는 말. 짧게 사는 기억으로 남습니다.",
    ),
    "option related id": (
        "A memory (id or handle), a name from `saegim people`, or entity:NAME.",
        "기억(식별자나 짧은 이름), `saegim people`의 이름, 또는 entity:이름.",
    ),
    "option depth": ("How many ties away, 1 to 3.", "몇 단계까지, 1에서 3."),
    "option trace id": (
        "The trace of an answer: rec_…, as recall --explain and --json show it.",
        "답의 자취: rec_…. recall --explain과 --json에 나옵니다.",
    ),
}

# What recall says in English, as a pattern, and the same in Korean.
RECALL_ECHOES: tuple[tuple[str, str], ...] = (
    (r"nothing is tied to what was found", "찾은 것에 이어진 기억이 없음"),
    (r"turned off", "꺼져 있음"),
    (r"nothing lies in (.+)", "{0}에 해당하는 기억이 없음"),
    (r"(\d+) vectors are still being read", "벡터 {0}개는 아직 읽는 중"),
    (r"The as_of (.+) is not a date\.", "{0}은(는) 날짜가 아닙니다."),
    (r"There is no feedback (.+)\.", "{0}: 그런 평가는 없습니다."),
    (r"Nothing says how it was taken\.", "어땠는지 말하지 않았습니다."),
    (r"Give a label \((.+)\) or --rating\.", "평가({0})나 --rating을 주세요."),
    (r"The rating cannot be (.+)\.", "별점으로 {0}은(는) 쓸 수 없습니다."),
    (r"The depth cannot be (.+)\.", "단계로 {0}은(는) 쓸 수 없습니다."),
    (r"The limit cannot be (.+)\.", "개수로 {0}은(는) 쓸 수 없습니다."),
    (r"budget cannot be (.+)\.", "예산으로 {0}은(는) 쓸 수 없습니다."),
    (r"Give 0 to (\S+) tokens\.", "토큰 0에서 {0} 사이로 주세요."),
    (r"There is no recipe (.+)\.", "{0} 방식은 없습니다."),
    (r"There is no trace (.+)\.", "{0} 자취가 없습니다."),
    (
        r"It is written a moment after the answer, unless the setting traces is off\.",
        "자취는 답한 직후에 남습니다. 설정 traces가 꺼져 있으면 남지 않습니다.",
    ),
    (r"There is no (entity:.+)\.", "{0}은(는) 없습니다."),
    (r"There is no memory and nobody called (.+)\.", "{0}(이)라는 기억도 이름도 없습니다."),
    (
        r"`saegim recent` lists memories, `saegim people` names\.",
        "기억은 `saegim recent`, 이름은 `saegim people`에서 볼 수 있습니다.",
    ),
    (r"`saegim people` lists them\.", "`saegim people`에서 볼 수 있습니다."),
    (
        r"Copy the handle or the id as it was shown; `saegim recent` lists ids\.",
        "보여 준 짧은 이름이나 식별자를 그대로 쓰세요. `saegim recent`가 식별자를 보여 줍니다.",
    ),
)

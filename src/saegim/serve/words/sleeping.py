"""What the command line says about the night, in English and Korean, side by side.

For every reason a stage may give there are three sentences: `did` for the report of a night,
`would` for a rehearsal, and `short` for a line in the list of nights.
"""

from __future__ import annotations

SLEEPING: dict[str, tuple[str, str]] = {
    # -- the stages -------------------------------------------------------------------------------
    "stage sessions": ("closing what nobody closed", "닫히지 않은 세션 닫기"),
    "stage merge": ("merging twins", "쌍둥이 합치기"),
    "stage renew": ("short forms", "짧은 꼴 쓰기"),
    "stage importance": ("weighing anew", "중요도 다시 재기"),
    "stage promote": ("choosing what rises", "올릴 기억 고르기"),
    "stage distil": ("distilling the week", "한 주 추리기"),
    "stage deepen": ("distilling the month", "한 달 추리기"),
    "stage fade": ("fading", "흐려지기"),
    "stage leave": ("leaving", "떠나보내기"),
    "stage forget": ("forgetting", "잊기"),
    "stage reflect": ("reflecting", "돌아보기"),
    "stage propose": ("proposing", "제안하기"),
    "stage relearn": ("learning anew", "다시 배우기"),
    "stage checkpoint": ("tidying the file", "파일 정리"),
    "stage ledgers": ("packing old ledger files", "지난 장부 묶기"),
    "stage backup": ("backing up", "백업"),
    "stage year": ("the year", "한 해 정리"),
    "stage report": ("the report", "보고서 쓰기"),
    # -- what a night did -------------------------------------------------------------------------
    "did merged": (
        "Said the same as another and became one with it: {count:,}",
        "같은 말을 하는 기억과 하나로 합쳤습니다: {count:,}",
    ),
    "did tied": (
        "Nearly the same as another, and tied to it: {count:,}",
        "거의 같은 기억과 이어 두었습니다: {count:,}",
    ),
    "did retold": ("Given a short form: {count:,}", "짧은 꼴을 써 두었습니다: {count:,}"),
    "did reweighed": (
        "Weighed anew by what refers to it: {count:,}",
        "다른 기억이 기대는 만큼 중요도를 옮겼습니다: {count:,}",
    ),
    "did marked": (
        "Marked to rise, at the end of the week or the month: {count:,}",
        "주나 달이 끝날 때 올라가도록 표시했습니다: {count:,}",
    ),
    "did core": (
        "Could become core memories, if you say yes: {count:,}",
        "허락하시면 핵심 기억이 될 만합니다: {count:,}",
    ),
    "did rose": (
        "Rose: new memories, distilled from older ones: {count:,}",
        "오래 갈 알맹이가 새 기억으로 올라왔습니다: {count:,}",
    ),
    "did rose_again": (
        "Rose again, and strengthened what had risen before: {count:,}",
        "전에 올라온 기억이 더 굳어졌습니다: {count:,}",
    ),
    "did lifted": (
        "Rose themselves, in their own words: {count:,}",
        "제 말 그대로 위로 올라갔습니다: {count:,}",
    ),
    "did model_failed": (
        "The language model did not answer, so rules did its work: {count:,}",
        "언어 모델이 답하지 않아 규칙으로 대신했습니다: {count:,}",
    ),
    "did shrunk": (
        "Fading, so prompts get the short form: {count:,}",
        "흐려져서 프롬프트에는 짧은 꼴로 나옵니다: {count:,}",
    ),
    "did old_version": (
        "Older versions are leaving; what holds now stays: {count:,}",
        "예전 판을 정리합니다. 지금 유효한 글은 그대로입니다: {count:,}",
    ),
    "did woken": (
        "Awake again, because it lasts, is held fast or was asked for: {count:,}",
        "오래 갈 기억이거나, 붙들어 두었거나, 다시 찾아서 깨어났습니다: {count:,}",
    ),
    "did grown": (
        "Strong again, so prompts get all of it: {count:,}",
        "다시 또렷해져 온전히 나옵니다: {count:,}",
    ),
    "did dozed": (
        "Fell asleep; recall shows it when asked for (--state dormant): {count:,}",
        "잠들었습니다. 따로 찾으면 나옵니다(--state dormant): {count:,}",
    ),
    "did past": (
        "Plans whose day is long past fell asleep (--state dormant): {count:,}",
        "날이 한참 지난 약속이 잠들었습니다(--state dormant): {count:,}",
    ),
    "did expired": (
        "Leaving, because its time is over; can be called back until {until}: {count:,}",
        "때가 다 되어 떠납니다. {until}까지 되살릴 수 있습니다: {count:,}",
    ),
    "did faded": (
        "Leaving, because it slept too long; can be called back until {until}: {count:,}",
        "오래 잠들어 있어 떠납니다. {until}까지 되살릴 수 있습니다: {count:,}",
    ),
    "did pruned": (
        "Leaving, because nobody ever needed it; can be called back until {until}: {count:,}",
        "한 번도 찾지 않아 떠납니다. {until}까지 되살릴 수 있습니다: {count:,}",
    ),
    "did displaced": (
        "Leaving, because there is no room left; can be called back until {until}: {count:,}",
        "자리가 모자라 떠납니다. {until}까지 되살릴 수 있습니다: {count:,}",
    ),
    "did quiet": (
        "Nothing leaves yet: after a long gap or a leap of the clock you have time to look first.",
        "아직 아무것도 떠나지 않습니다. 오래 비웠거나 시계가 건너뛰어, 먼저 살펴볼 시간을 둡니다.",
    ),
    "did archived": (
        "Forgotten; the words lie in the archive (saegim archive): {count:,}",
        "잊었습니다. 글은 보관함에 있습니다(saegim archive): {count:,}",
    ),
    "did erased": (
        "Gone for good, with the time in which it could be called back: {count:,}",
        "되살릴 수 있는 때가 지나 아주 지웠습니다: {count:,}",
    ),
    "did insight": ("Learned: {count:,}", "깨달은 것: {count:,}"),
    "did portrayed": (
        "Summed up anew whom or what memories speak of: {count:,}",
        "기억 속 사람과 사물을 다시 간추렸습니다: {count:,}",
    ),
    "did reflected": ("Thought about what is new.", "새 기억을 돌아보았습니다."),
    "did proposed": (
        "Waiting for your yes to be kept for ever (saegim proposals): {count:,}",
        "영원히 간직할지 허락을 기다립니다(saegim proposals): {count:,}",
    ),
    "did by_rule": ("Judged by rule; nothing was trained.", "규칙으로 판단했습니다(학습 없음)."),
    "did learned": ("Judged by what was trained.", "배운 것으로 판단했습니다."),
    "did shrunk_file": (
        "The file gave back the room of what is gone.",
        "떠난 기억의 자리를 파일에서 돌려받았습니다.",
    ),
    "did closed_session": (
        "Closed sessions in which nothing was said for long: {count:,}",
        "오래 말이 없던 세션을 닫았습니다: {count:,}",
    ),
    "did backed_up": ("Made a verified backup.", "검증된 백업을 만들었습니다."),
    "did packed": ("Packed a past year's ledger files.", "지난해 장부 파일을 묶었습니다."),
    "did year": ("Wrote the report of the year.", "한 해의 보고서를 썼습니다."),
    "did reported": ("Wrote this down.", "이 보고서를 적어 두었습니다."),
    "did overtaken": (
        "Changed by someone else meanwhile, so left as it is: {count:,}",
        "그사이 바뀌어 그대로 두었습니다: {count:,}",
    ),
    "did looked": ("Looked through what is new.", "새로 온 것을 훑어보았습니다."),
    # -- what a night would do --------------------------------------------------------------------
    "would merged": (
        "Would become one with another, because both say the same: {count:,}",
        "같은 말을 하므로 다른 기억과 합칩니다: {count:,}",
    ),
    "would tied": (
        "Would be tied to another, because they are nearly the same: {count:,}",
        "거의 같으므로 서로 잇습니다: {count:,}",
    ),
    "would retold": (
        "Would get a short form, because it has none: {count:,}",
        "짧은 꼴이 없어 써 둡니다: {count:,}",
    ),
    "would reweighed": (
        "Would weigh more or less, by what refers to it: {count:,}",
        "기대는 기억 수가 달라져 중요도를 옮깁니다: {count:,}",
    ),
    "would marked": (
        "Would be marked to rise at the next distillation: {count:,}",
        "다음에 추릴 때 올라가도록 표시합니다: {count:,}",
    ),
    "would core": (
        "Would be marked as what could become a core memory: {count:,}",
        "핵심 기억이 될 만하다고 표시합니다: {count:,}",
    ),
    "would rose": (
        "Would rise: a new memory, distilled from those that were marked: {count:,}",
        "표시한 기억의 알맹이가 새 기억으로 올라갑니다: {count:,}",
    ),
    "would rose_again": (
        "Would strengthen what has risen before, because it says the same: {count:,}",
        "같은 말이므로 전에 올라온 기억을 굳힙니다: {count:,}",
    ),
    "would lifted": (
        "Would rise themselves, in their own words: {count:,}",
        "제 말 그대로 위로 올라갑니다: {count:,}",
    ),
    "would model_failed": (
        "Rules would do the work of a language model that does not answer: {count:,}",
        "언어 모델이 답하지 않으면 규칙으로 대신합니다: {count:,}",
    ),
    "would shrunk": (
        "Would be offered to prompts in short, because it fades: {count:,}",
        "흐려져서 프롬프트에 짧은 꼴로 내놓습니다: {count:,}",
    ),
    "would old_version": (
        "Older versions would leave; what holds now stays: {count:,}",
        "예전 판이 떠납니다. 지금 유효한 글은 그대로입니다: {count:,}",
    ),
    "would woken": (
        "Would wake, because it lasts, is held fast or was asked for: {count:,}",
        "오래 갈 기억이거나, 붙들어 두었거나, 다시 찾아서 깨어납니다: {count:,}",
    ),
    "would grown": (
        "Would be offered whole, because it is strong again: {count:,}",
        "다시 또렷해져 온전히 내놓습니다: {count:,}",
    ),
    "would dozed": (
        "Would fall asleep, because it has faded or its time in the queue is over: {count:,}",
        "흐려졌거나 큐에서 때가 다 되어 잠듭니다: {count:,}",
    ),
    "would past": (
        "Would fall asleep, because the day of the plan is long past: {count:,}",
        "약속한 날이 한참 지나 잠듭니다: {count:,}",
    ),
    "would expired": (
        "Would leave, because its time is over: {count:,}",
        "때가 다 되어 떠납니다: {count:,}",
    ),
    "would faded": (
        "Would leave, because it slept too long: {count:,}",
        "오래 잠들어 있어 떠납니다: {count:,}",
    ),
    "would pruned": (
        "Would leave, because it matters little and nobody ever needed it: {count:,}",
        "중요하지 않고 한 번도 찾지 않아 떠납니다: {count:,}",
    ),
    "would displaced": (
        "Would leave, because a limit you have set leaves no room: {count:,}",
        "정해 둔 한도에 자리가 없어 떠납니다: {count:,}",
    ),
    "would quiet": (
        "Nothing would leave: after a long gap or a leap of the clock you have time to look first.",
        "아무것도 떠나지 않습니다. 오래 비웠거나 시계가 건너뛰어, 먼저 살펴볼 시간을 둡니다.",
    ),
    "would archived": (
        "Would be forgotten, because nobody called it back; the archive keeps the words: {count:,}",
        "되살리지 않아 잊습니다. 글은 보관함에 남습니다: {count:,}",
    ),
    "would erased": (
        "Would be gone for good, because its last time is over: {count:,}",
        "마지막 때가 지나 아주 지웁니다: {count:,}",
    ),
    "would insight": ("Would be learned: {count:,}", "깨닫게 될 것: {count:,}"),
    "would portrayed": (
        "Would be summed up anew: whom or what these speak of: {count:,}",
        "이 기억들이 말하는 사람과 사물을 다시 간추립니다: {count:,}",
    ),
    "would reflected": (
        "There is enough that is new to think about.",
        "돌아볼 만큼 새 기억이 쌓였습니다.",
    ),
    "would proposed": (
        "Would be laid before you, to be kept for ever: {count:,}",
        "영원히 간직할지 여쭙니다: {count:,}",
    ),
    "would by_rule": ("Rules judge; nothing is trained.", "규칙으로 판단합니다(학습 없음)."),
    "would learned": ("What was trained judges.", "배운 것으로 판단합니다."),
    "would shrunk_file": (
        "The file would give back the room of what is gone.",
        "떠난 기억의 자리를 파일에서 돌려받습니다.",
    ),
    "would closed_session": (
        "Sessions in which nothing was said for long would be closed: {count:,}",
        "오래 말이 없던 세션을 닫습니다: {count:,}",
    ),
    "would backed_up": ("A backup would be made.", "백업을 만듭니다."),
    "would year": ("The report of the year would be written.", "한 해의 보고서를 씁니다."),
    "would reported": ("The report would be written.", "보고서를 씁니다."),
    "would packed": ("Packs a past year's ledger files.", "지난해 장부 파일을 묶습니다."),
    "would overtaken": (
        "Would be left as it is, if someone else changes it meanwhile: {count:,}",
        "그사이 바뀌면 그대로 둡니다: {count:,}",
    ),
    "would looked": ("Looks through what is new.", "새로 온 것을 훑어봅니다."),
    # -- the same in a word -----------------------------------------------------------------------
    "short merged": ("merged", "합침"),
    "short tied": ("tied", "이음"),
    "short retold": ("retold", "다시 씀"),
    "short reweighed": ("weighed anew", "무게 옮김"),
    "short marked": ("to rise", "오를 것"),
    "short core": ("could become core", "핵심 후보"),
    "short rose": ("rose", "올라옴"),
    "short rose_again": ("rose", "올라옴"),
    "short lifted": ("rose", "올라옴"),
    "short model_failed": ("model failed", "모델 실패"),
    "short shrunk": ("fading", "흐려짐"),
    "short old_version": ("old versions", "예전 판"),
    "short woken": ("awake again", "다시 깨어남"),
    "short grown": ("strong again", "또렷해짐"),
    "short dozed": ("asleep", "잠듦"),
    "short past": ("asleep", "잠듦"),
    "short expired": ("leaving", "떠나는 중"),
    "short faded": ("leaving", "떠나는 중"),
    "short pruned": ("leaving", "떠나는 중"),
    "short displaced": ("leaving", "떠나는 중"),
    "short quiet": ("nothing leaves yet", "아직 떠나지 않음"),
    "short archived": ("forgotten", "잊음"),
    "short erased": ("gone for good", "지움"),
    "short insight": ("learned", "깨달음"),
    "short portrayed": ("summed up", "간추림"),
    "short reflected": ("thought", "돌아봄"),
    "short proposed": ("waiting for your yes", "허락 기다림"),
    "short by_rule": ("by rule", "규칙으로"),
    "short learned": ("by training", "배운 대로"),
    "short shrunk_file": ("smaller file", "파일 줄임"),
    "short closed_session": ("sessions closed", "닫은 세션"),
    "short backed_up": ("backup", "백업"),
    "short packed": ("packed", "묶음"),
    "short year": ("the year", "한 해"),
    "short reported": ("report", "보고서"),
    "short overtaken": ("left as it is", "그대로 둠"),
    "short looked": ("looked", "훑어봄"),
    # -- why something rises, and numbers beside a reason -----------------------------------------
    "reason theme": ("one theme", "같은 주제"),
    "reason used": ("used often", "자주 쓰임"),
    "reason felt": ("strongly felt", "강한 감정"),
    "reason wished": ("you asked to keep it", "기억해 달라고 하심"),
    "reason behaviour": ("it changed what was done", "행동을 바꿈"),
    "reason deeply_felt": ("deeply felt, in several ways", "깊고 여러 갈래인 감정"),
    "reason island": ("part of an island", "섬의 일부"),
    "reason repeated": ("said again and again", "거듭 말함"),
    "reason asked": ("someone asked for it", "누군가 청함"),
    "reason a_year": ("a year old", "한 해를 넘김"),
    "reason often_used": ("used very often", "아주 자주 쓰임"),
    "detail to": ("to {value}", "{value}(으)로"),
    "detail because": ("{value}", "이유: {value}"),
    "detail reasons": ("{value}", "이유: {value}"),
    "detail sources": ("from {value}", "바탕이 된 기억 {value}개"),
    "detail strength": ("strength {value}", "세기 {value}"),
    "detail before": ("importance was {value}", "중요도 {value}에서"),
    "detail after": ("would be {value}", "{value}(으)로"),
    "detail tier": ("tier {value}", "층 {value}"),
    "detail days": ("for {value} days", "{value}일째"),
    "detail into": ("into {value}", "{value}에 합침"),
    "detail kept": ("{value} kept of it", "그중 남긴 기억 {value}개"),
    "detail file": ("{value}", "파일 {value}"),
    "detail trouble": ("{value}", "까닭: {value}"),
    # -- the night and its report -----------------------------------------------------------------
    "sleeping": ("Sleeping", "자는 중"),
    "slept": ("Slept on {at} ({took}).", "{at}에 잤습니다({took})."),
    "still asleep": (
        "The night of {at} has not ended; so far:",
        "{at}에 시작한 밤이 아직 끝나지 않았습니다. 지금까지:",
    ),
    "took no time": ("under a second", "1초 안에"),
    "took seconds": ("{count:,} s", "{count:,}초"),
    "took minutes": ("{count:,} min", "{count:,}분"),
    "quiet night": ("A quiet night: there was nothing to do.", "조용한 밤: 할 일이 없었습니다."),
    "trouble in stage": (
        "Trouble while {stage}: {trouble}",
        "{stage} 중에 문제가 생겼습니다: {trouble}",
    ),
    "night undone": ("This night was taken back.", "이 밤은 되돌렸습니다."),
    "take back night": (
        "To take all of it back (until {until}): saegim undo {id}",
        "모두 되돌리려면({until}까지): saegim undo {id}",
    ),
    "way back ended": (
        "The time in which this night could be taken back is over.",
        "이 밤을 되돌릴 수 있는 때는 지났습니다.",
    ),
    "asleep elsewhere": (
        "Another process is sleeping here already, so nothing was done. What it does: saegim night",
        "다른 프로세스가 이미 자고 있어 아무것도 하지 않았습니다. 무엇을 하는지: saegim night",
    ),
    "rehearsal": (
        "What a night would do now, and why; nothing is changed.",
        "지금 자면 할 일과 그 이유입니다. 아무것도 바꾸지 않습니다.",
    ),
    "nothing to rehearse": (
        "A night would change nothing now.",
        "지금은 자도 바뀔 것이 없습니다.",
    ),
    "and so on": ("and {count:,} more; --json lists all", "그 밖에 {count:,}개. 전체는 --json"),
    "no nights": (
        "No night was slept yet. To sleep now: saegim sleep",
        "아직 잔 밤이 없습니다. 지금 자려면: saegim sleep",
    ),
    "column night": ("night", "밤"),
    "column did": ("what it did", "한 일"),
    "nothing to tell": ("nothing", "없음"),
    "not ended": ("not ended", "끝나지 않음"),
    "trouble": ("trouble", "문제"),
    "due next": ("Due next:", "다음 차례:"),
    "paused": (
        "Nights are paused: they happen only when you ask. To go on: saegim sleep --resume",
        "밤이 멈춰 있습니다. 시킬 때만 잡니다. 다시 하려면: saegim sleep --resume",
    ),
    "not paused": (
        "`saegim sleep --watch` sleeps by these times; --pause lets them pass.",
        "`saegim sleep --watch`가 이 때에 맞춰 잡니다. --pause는 쉬게 합니다.",
    ),
    "was paused": (
        "Paused: nights happen only when you ask. To go on: saegim sleep --resume",
        "멈췄습니다. 시킬 때만 잡니다. 다시 하려면: saegim sleep --resume",
    ),
    "was resumed": ("Nights happen by their times again.", "다시 때에 맞춰 잡니다."),
    "watching": (
        "Keeping watch; next: {stages} on {at}. Ctrl-C ends it.",
        "지켜보고 있습니다. 다음: {at} {stages}. 끝내려면 Ctrl-C.",
    ),
    "watched night": (
        "{at}  slept: {did}  (saegim night {id})",
        "{at}  잤습니다: {did}  (saegim night {id})",
    ),
    "watch trouble": ("{trouble} It is tried again.", "{trouble} 다시 해 봅니다."),
    "watch ended": ("No longer keeping watch.", "그만 지켜봅니다."),
    # -- taking back ------------------------------------------------------------------------------
    "undone": ("Taken back: {what}", "되돌렸습니다: {what}"),
    "undone nothing": ("Nothing of it could be taken back.", "되돌릴 수 있는 것이 없었습니다."),
    "undone left": (
        "Not taken back, because it is gone or has moved on since: {count:,}",
        "이미 사라졌거나 그 뒤 바뀌어 되돌리지 못했습니다: {count:,}",
    ),
    "undo again": (
        "To take this back again: saegim undo {id}",
        "다시 되돌리려면: saegim undo {id}",
    ),
    "change Linked": ("tied", "이어짐"),
    "change Unlinked": ("untied", "이음 풀림"),
    "change Portrayed": ("summed up", "간추림"),
    "change Written": ("written down", "적음"),
    "change Shrunk": ("shown in short", "짧은 꼴로 보임"),
    "change Met": ("met", "만남"),
    "change Recalled": ("shown", "보여 줌"),
}

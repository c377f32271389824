"""What the command line says about projects, in English and Korean."""

from __future__ import annotations

PLACING: dict[str, tuple[str, str]] = {
    "panel projects": ("Projects", "프로젝트"),
    "change Rehomed": ("moved to a project", "프로젝트 옮김"),
    # -- which project is at hand -----------------------------------------------------------------
    "in project": ("Project: {project}", "프로젝트: {project}"),
    "kept for all": (
        "Where: yours, in every project. To keep it in {project} alone: "
        "saegim move {id} --to {project}",
        "보관 위치: 모든 프로젝트에서 쓰는 내 기억. {project}에만 두려면: "
        "saegim move {id} --to {project}",
    ),
    "kept in project": (
        'Where: project {project}. To have it in every project: saegim move {id} --to ""',
        '보관 위치: {project} 프로젝트. 모든 프로젝트에서 쓰려면: saegim move {id} --to ""',
    ),
    "elsewhere": (
        "Other projects hold {count:,} that match ({names}). To look there too: --everywhere",
        "다른 프로젝트에 맞는 기억이 {count:,}개 있습니다({names}). 거기도 찾으려면 --everywhere",
    ),
    # -- the list ---------------------------------------------------------------------------------
    "no projects": ("Nothing is kept yet.", "아직 기억이 없습니다."),
    "all projects": ("(for all projects)", "(모든 프로젝트)"),
    "column project": ("project", "프로젝트"),
    "column memories": ("memories", "기억"),
    "column last kept": ("last kept", "마지막 기억"),
    "project here": ("here", "지금 여기"),
    # -- moving and merging -----------------------------------------------------------------------
    "would move": ("Would move to {to}: {memories}", "{to}(으)로 옮길 기억: {memories}"),
    "was moved": ("Moved to {to}: {memories}", "{to}(으)로 옮긴 기억: {memories}"),
    "moved from": ("  from {project}: {count:,}", "  {project}에서: {count:,}"),
    "moved places": (
        "  folders and repositories that are seen as {to} from then on: {count:,}",
        "  이제부터 {to}(으)로 여기는 폴더와 저장소 표지: {count:,}",
    ),
    "nothing to move": ("They are in {to} already.", "이미 {to}에 있습니다."),
    "merge these": (
        "Merge {source} into {to}?",
        "{source}을(를) {to}에 합칠까요?",
    ),
    "move back": (
        "To take this back (until {until}): saegim undo {id}",
        "되돌리려면({until}까지): saegim undo {id}",
    ),
    # -- help -------------------------------------------------------------------------------------
    "help projects": (
        "List the projects, what each holds, and which one is at hand.",
        "프로젝트마다 무엇이 있는지, 지금 어느 프로젝트인지 보여 줍니다.",
    ),
    "help move": (
        "Move memories to another project; can be taken back.",
        "기억을 다른 프로젝트로 옮깁니다. 되돌릴 수 있습니다.",
    ),
    "help merge": (
        "Merge a project into another, or rename it; can be taken back.",
        "프로젝트를 다른 것에 합치거나 이름을 바꿉니다. 되돌릴 수 있습니다.",
    ),
    "option move ids": ("Memories, by id or handle.", "기억의 id나 짧은 이름."),
    "option move to": (
        'The project they belong to from now on; "" is all projects.',
        '이제부터 속할 프로젝트. ""는 모든 프로젝트.',
    ),
    "option merge source": (
        "The project that is merged, as `saegim projects` lists it.",
        "합칠 프로젝트. `saegim projects`에 나오는 이름.",
    ),
    "option merge into": (
        "The project that holds everything afterwards; it may be new.",
        "모두 담을 프로젝트. 새 이름도 됩니다.",
    ),
}

# What the core says about projects in English, as a pattern, and the same in Korean.
PLACING_ECHOES: tuple[tuple[str, str], ...] = (
    (r"There is no project (.+)\.", "{0} 프로젝트가 없습니다."),
    (r"`saegim projects` lists them\.", "`saegim projects`에서 볼 수 있습니다."),
    (r"(.+) cannot be merged into itself\.", "{0}을(를) 자기 자신에 합칠 수 없습니다."),
    (r"Name two projects\.", "서로 다른 두 프로젝트를 말해 주세요."),
    (
        r"What belongs to all projects is no project that could be merged\.",
        "모든 프로젝트에 속한 기억은 합칠 수 있는 프로젝트가 아닙니다.",
    ),
    (
        r"Move memories by their ids: `saegim move ID --to PROJECT`\.",
        "기억을 하나씩 옮기세요: `saegim move ID --to 프로젝트`",
    ),
    (r"Nothing was merged: this needs a yes\.", "아무것도 합치지 않았습니다. 동의가 필요합니다."),
    (
        r"Ask for it once more\. `saegim undo (\S+)` takes back what has moved so far\.",
        "다시 한 번 시켜 주세요. 지금까지 옮긴 것은 `saegim undo {0}`로 되돌립니다.",
    ),
)

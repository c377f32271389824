"""What a doctor says, in English and in Korean: the finding, and what to do about it.

A key is `name.case`; both tables have the same keys and the same blanks.
"""

from __future__ import annotations

ENGLISH: dict[str, tuple[str, str]] = {
    "error": ("{what} did not work: {why}", "{next}"),
    "unexplained": (
        "{what} did not work: {why}",
        "Copy the file, then run saegim rebuild. If this stays: saegim restore-backup FILE.",
    ),
    "file.ok": ("{path} is a Saegim store (schema {schema}).", ""),
    "file.missing": (
        "{path} is not there.",
        "Put the file back, or restore a backup: saegim restore-backup FILE.",
    ),
    "file.empty": (
        "{path} is empty; a store was expected.",
        "Restore a backup over it, or delete the empty file to start anew.",
    ),
    "file.schema": (
        "{path} has schema {schema}; this Saegim writes {wanted}.",
        "Open it once where it can be written, or run: pip install --upgrade saegim",
    ),
    "sqlite.ok": ("SQLite {version} may share a file between processes.", ""),
    "sqlite.unsafe": (
        "SQLite {version} can corrupt a file that several processes write.",
        "pip install --upgrade apsw (it carries its own SQLite)",
    ),
    "settings.ok": ("The settings are valid.", ""),
    "permissions.ok": ("Only its owner can read the store.", ""),
    "permissions.open": ("Other people on this machine can read {files}.", "chmod 600 {paths}"),
    "permissions.folder": (
        "Other people on this machine can replace files in {folder}.",
        "chmod 700 {folder}",
    ),
    "writable.ok": ("The store can be written.", ""),
    "writable.readonly": (
        "{path} can be read but not written: nothing new is remembered.",
        "Check the owner and the permissions of the file and its folder, and the mount.",
    ),
    "disk.ok": ("{free} of disk space is free.", ""),
    "disk.low": (
        "Only {free} of disk space is free; a backup and a rebuild may need {needed}.",
        "Free some disk space soon, or move the store to a larger disk.",
    ),
    "disk.full": (
        "Only {free} of disk space is free; the next memories may not fit.",
        "Free some disk space now; what is stored is safe.",
    ),
    "filesystem.ok": ("The store lies on a disk of this machine.", ""),
    "filesystem.network": (
        "{path} lies on a network or shared file system ({kind}), where several processes "
        "cannot share a store safely.",
        "Move it to a local disk; carry memories with saegim export and saegim import.",
    ),
    "filesystem.synced": (
        "{path} lies in a folder that another program copies while we write.",
        "Move it to a folder that is not synchronised; carry memories with saegim export "
        "and saegim import.",
    ),
    "integrity.ok": ("Every page and every index of the file is sound.", ""),
    "integrity.damaged": (
        "The file is damaged in {count} places; the first: {why}",
        "Make a copy of the file, then run saegim rebuild. If this finding stays: "
        "saegim restore-backup FILE.",
    ),
    "ledger.ok": ("{lines} lines of the ledger and every digest fit; head {head}.", ""),
    "ledger.broken": (
        "{why}",
        "Something changed the file from outside. Compare it with a backup, whose head is "
        "printed by saegim backup.",
    ),
    "ledger.other": (
        "The ledger of another user of this store does not fit its memories.",
        "Something changed the file from outside. Run saegim doctor as that user.",
    ),
    "memories.ok": ("All {count} memories are whole.", ""),
    "memories.lost": (
        "{count} memories are gone though nothing let them go; the first is {first}.",
        "Restore a backup that still has them: saegim restore-backup FILE.",
    ),
    "memories.unsworn": (
        "{count} memories have no line in the ledger that vouches for them; the first is {first}.",
        "Something wrote to the file from outside. Read them, then forget what is not yours.",
    ),
    "words.ok": ("Every memory can be found by its words.", ""),
    "words.missing": ("{count} memories cannot be found by their words.", "Run saegim rebuild."),
    "words.stale": (
        "The word index of {count} of the newest memories is not of their words.",
        "Run saegim rebuild.",
    ),
    "vectors.ok": ("{ready} of {memories} memories have their vector.", ""),
    "vectors.unusable": (
        "{count} stored vectors are broken (NaN, zero, or torn).",
        "Run saegim rebuild.",
    ),
    "vectors.lost": ("{count} vectors that were made are gone or hidden.", "Run saegim rebuild."),
    "vectors.failed": (
        "{count} memories could not be embedded: {why}",
        "Repair the embedder; they are tried again by themselves.",
    ),
    "vectors.pending": (
        "{count} of {memories} memories wait for their vector; words find them meanwhile.",
        "Leave Saegim running for a while, or run saegim rebuild.",
    ),
    "vectors.unknown": (
        "The embedder does not answer, so its vectors could not be checked.",
        "Repair the embedder and run saegim doctor again.",
    ),
    "model.ok": ("The language model {name} answers.", ""),
    "model.needless": ("No language model is turned on; none is needed.", ""),
    "model.parked": (
        "The language model {name} answers, but {count} texts were given up: {why}",
        "saegim work --again tries them once more.",
    ),
    "embedder.ok": ("{name} makes vectors of {dimension} numbers.", ""),
    "analyser.ok": ("{name} reads words in Korean and English.", ""),
    "analyser.absent": (
        "The analyser {wanted} is set but not installed; {name} is used instead.",
        "pip install 'saegim[kiwi]', or set words to basic.",
    ),
    "analyser.loading": (
        "The analyser {wanted} is set but not ready; {name} is used meanwhile. {why}",
        "Wait a little; if this stays, reinstall kiwipiepy or set words to basic.",
    ),
    "analyser.unread": (
        "The analyser {wanted} has not read every memory; {name} is used meanwhile.",
        "Leave Saegim running for a while, or run saegim rebuild.",
    ),
    "roundtrip.ok": (
        "A memory was written, read, found by words and by vector, forgotten, and taken back.",
        "",
    ),
    "roundtrip.partial": (
        "A memory was written, read, found by words, forgotten, and taken back; "
        "without the embedder it could not be searched by vector.",
        "Repair the embedder and run saegim doctor again.",
    ),
    "roundtrip.failed": (
        "A memory that was written for a trial did not pass: {steps}.",
        "Run saegim rebuild, then saegim doctor again.",
    ),
    "second_process.ok": ("A second process reads the same {count} memories.", ""),
    "second_process.untried": ("Not tried: this program cannot start a second one of itself.", ""),
    "second_process.failed": (
        "A second process cannot read the store: {why}",
        "Close programs that hold the file for themselves; check permissions and the file system.",
    ),
    "second_process.differs": (
        "A second process sees another file at {path} than this one: it was replaced.",
        "Restart every program that uses this store.",
    ),
    "backup.ok": ("{path} holds {count} memories and is sound.", ""),
    "backup.needless": ("There is nothing to back up yet.", ""),
    "backup.none": ("There is no backup of {count} memories.", "Run saegim backup."),
    "backup.old": (
        "The newest backup is {days} days old and lacks what came since.",
        "Run saegim backup.",
    ),
    "backup.damaged": (
        "The newest backup cannot be used: {why}",
        "Delete it and run saegim backup.",
    ),
    "leftovers.ok": ("No unfinished files lie about.", ""),
    "leftovers.some": (
        "{count} unfinished files were left behind by a process that was stopped: {files}",
        "Delete them: {paths}",
    ),
    "clock.ok": ("The clock does not run behind the newest memory.", ""),
    "clock.future": (
        "The newest line of the ledger is of {at}, which is in the future.",
        "Set the clock of this machine right; times of memories made meanwhile may be wrong.",
    ),
    "upkeep.ok": ("Background work has no complaint.", ""),
    "upkeep.trouble": (
        "Background work complains: {why}",
        "It is tried again by itself; if this stays, follow the other findings.",
    ),
}

WHAT: dict[str, tuple[str, str]] = {
    "file": ("Opening the store", "저장소 열기"),
    "sqlite": ("Asking for the version of SQLite", "SQLite 버전 확인"),
    "settings": ("Reading the settings", "설정 읽기"),
    "permissions": ("Looking at permissions", "권한 확인"),
    "writable": ("Looking whether the store can be written", "쓰기 가능 여부 확인"),
    "disk": ("Measuring the disk", "디스크 공간 확인"),
    "filesystem": ("Looking at the file system", "파일 시스템 확인"),
    "integrity": ("Checking the pages of the file", "파일 무결성 검사"),
    "ledger": ("Walking the ledger", "장부 검증"),
    "memories": ("Counting the memories", "기억 대조"),
    "words": ("Checking the word index", "단어 색인 검사"),
    "vectors": ("Checking the vectors", "벡터 검사"),
    "model": ("Asking the language model", "언어 모델에 묻기"),
    "embedder": ("Embedding a sentence", "문장 임베딩"),
    "analyser": ("Reading words", "단어 분석"),
    "roundtrip": ("Writing, reading, searching and forgetting", "쓰기·읽기·검색·잊기"),
    "second_process": ("Reading from a second process", "두 번째 프로세스에서 읽기"),
    "backup": ("Checking the newest backup", "최근 백업 검사"),
    "leftovers": ("Looking for unfinished files", "남은 임시 파일 찾기"),
    "clock": ("Comparing the clock with the ledger", "시계와 장부 비교"),
    "upkeep": ("Asking the background work", "배경 작업 확인"),
}

KOREAN: dict[str, tuple[str, str]] = {
    "error": ("{what}에 실패했습니다: {why}", "{next}"),
    "unexplained": (
        "{what}에 실패했습니다: {why}",
        "파일을 복사해 둔 뒤 saegim rebuild를 실행하세요. 그래도 남으면 "
        "saegim restore-backup FILE로 복원하세요.",
    ),
    "file.ok": ("{path} 파일은 새김 저장소입니다(스키마 {schema}).", ""),
    "file.missing": (
        "{path} 파일이 없습니다.",
        "파일을 제자리에 돌려놓거나 백업을 복원하세요: saegim restore-backup FILE",
    ),
    "file.empty": (
        "{path} 파일이 비어 있습니다. 저장소가 있어야 할 자리입니다.",
        "백업을 복원하거나, 새로 시작하려면 빈 파일을 지우세요.",
    ),
    "file.schema": (
        "{path} 파일의 스키마는 {schema}, 이 새김이 쓰는 스키마는 {wanted}입니다.",
        "쓸 수 있는 곳에서 한 번 열거나 새김을 올리세요: pip install --upgrade saegim",
    ),
    "sqlite.ok": ("SQLite {version}: 여러 프로세스가 함께 써도 안전합니다.", ""),
    "sqlite.unsafe": (
        "SQLite {version}: 여러 프로세스가 함께 쓰면 파일이 깨질 수 있습니다.",
        "pip install --upgrade apsw (자체 SQLite가 들어 있습니다)",
    ),
    "settings.ok": ("설정이 올바릅니다.", ""),
    "permissions.ok": ("주인만 저장소를 읽을 수 있습니다.", ""),
    "permissions.open": (
        "이 컴퓨터의 다른 사용자가 읽을 수 있습니다: {files}",
        "chmod 600 {paths}",
    ),
    "permissions.folder": (
        "이 컴퓨터의 다른 사용자가 {folder} 폴더의 파일을 바꿔치기할 수 있습니다.",
        "chmod 700 {folder}",
    ),
    "writable.ok": ("저장소에 쓸 수 있습니다.", ""),
    "writable.readonly": (
        "{path} 파일을 읽을 수만 있고 쓸 수 없어, 새 기억이 남지 않습니다.",
        "파일과 폴더의 주인과 권한, 그리고 마운트 상태를 확인하세요.",
    ),
    "disk.ok": ("디스크 여유 공간: {free}", ""),
    "disk.low": (
        "디스크 여유 공간이 {free}뿐입니다. 백업과 재색인에 {needed}까지 필요합니다.",
        "곧 공간을 비우거나 저장소를 더 큰 디스크로 옮기세요.",
    ),
    "disk.full": (
        "디스크 여유 공간이 {free}뿐이라 다음 기억이 들어가지 않을 수 있습니다.",
        "지금 공간을 비우세요. 이미 저장된 것은 안전합니다.",
    ),
    "filesystem.ok": ("저장소가 이 컴퓨터의 디스크에 있습니다.", ""),
    "filesystem.network": (
        "{path} 파일이 네트워크 또는 공유 파일 시스템({kind})에 있어, "
        "여러 프로세스가 안전하게 함께 쓸 수 없습니다.",
        "로컬 디스크로 옮기세요. 기억은 saegim export와 saegim import로 옮깁니다.",
    ),
    "filesystem.synced": (
        "{path} 파일이 동기화 폴더에 있어, 쓰는 도중에 다른 프로그램이 복사합니다.",
        "동기화하지 않는 폴더로 옮기세요. 기억은 saegim export와 saegim import로 옮깁니다.",
    ),
    "integrity.ok": ("파일의 모든 페이지와 색인이 온전합니다.", ""),
    "integrity.damaged": (
        "파일이 {count}곳에서 손상되었습니다. 첫 번째: {why}",
        "파일을 복사해 둔 뒤 saegim rebuild를 실행하세요. 그래도 남으면 "
        "saegim restore-backup FILE로 복원하세요.",
    ),
    "ledger.ok": ("장부 {lines}줄과 모든 다이제스트가 맞습니다. 머리: {head}", ""),
    "ledger.broken": (
        "장부가 맞지 않습니다: {why}",
        "누군가 밖에서 파일을 바꾸었습니다. saegim backup이 알려 준 머리 값과 "
        "백업을 견주어 보세요.",
    ),
    "ledger.other": (
        "이 저장소의 다른 사용자 장부가 기억과 맞지 않습니다.",
        "누군가 밖에서 파일을 바꾸었습니다. 그 사용자로 saegim doctor를 실행하세요.",
    ),
    "memories.ok": ("기억 {count}개가 모두 온전합니다.", ""),
    "memories.lost": (
        "보낸 적 없는 기억 {count}개가 사라졌습니다. 첫 번째: {first}",
        "그 기억이 남아 있는 백업을 복원하세요: saegim restore-backup FILE",
    ),
    "memories.unsworn": (
        "장부가 보증하지 않는 기억이 {count}개 있습니다. 첫 번째: {first}",
        "누군가 밖에서 파일에 썼습니다. 읽어 보고 내 것이 아니면 잊게 하세요.",
    ),
    "words.ok": ("모든 기억을 단어로 찾을 수 있습니다.", ""),
    "words.missing": (
        "단어로 찾을 수 없는 기억이 {count}개 있습니다.",
        "saegim rebuild를 실행하세요.",
    ),
    "words.stale": (
        "최근 기억 가운데 {count}개의 단어 색인이 본문과 다릅니다.",
        "saegim rebuild를 실행하세요.",
    ),
    "vectors.ok": ("기억 {memories}개 가운데 {ready}개에 벡터가 있습니다.", ""),
    "vectors.unusable": (
        "저장된 벡터 {count}개가 깨졌습니다(NaN, 0, 또는 잘림).",
        "saegim rebuild를 실행하세요.",
    ),
    "vectors.lost": (
        "만들어 둔 벡터 {count}개가 사라졌거나 가려졌습니다.",
        "saegim rebuild를 실행하세요.",
    ),
    "vectors.failed": (
        "기억 {count}개를 임베딩하지 못했습니다: {why}",
        "임베더를 고치세요. 그 뒤에는 저절로 다시 시도합니다.",
    ),
    "vectors.pending": (
        "기억 {memories}개 가운데 {count}개가 벡터를 기다립니다. 그동안 단어로 찾습니다.",
        "새김을 잠시 켜 두거나 saegim rebuild를 실행하세요.",
    ),
    "vectors.unknown": (
        "임베더가 응답하지 않아 벡터를 검사하지 못했습니다.",
        "임베더를 고친 뒤 saegim doctor를 다시 실행하세요.",
    ),
    "model.ok": ("언어 모델 {name}: 응답합니다.", ""),
    "model.needless": ("언어 모델이 꺼져 있습니다. 없어도 모두 작동합니다.", ""),
    "model.parked": (
        "언어 모델 {name}: 응답하지만 글 {count}개의 처리를 그만두었습니다: {why}",
        "saegim work --again이 다시 시도합니다.",
    ),
    "embedder.ok": ("임베더 {name}: {dimension}차원 벡터를 만듭니다.", ""),
    "analyser.ok": ("분석기 {name}: 한국어와 영어 단어를 읽습니다.", ""),
    "analyser.absent": (
        "설정된 분석기 {wanted}: 설치되어 있지 않아 {name}을(를) 씁니다.",
        "pip install 'saegim[kiwi]'를 실행하거나 words를 basic으로 정하세요.",
    ),
    "analyser.loading": (
        "설정된 분석기 {wanted}: 아직 준비되지 않아 그동안 {name}을(를) 씁니다. {why}",
        "잠시 기다리세요. 계속되면 kiwipiepy를 다시 설치하거나 words를 basic으로 정하세요.",
    ),
    "analyser.unread": (
        "설정된 분석기 {wanted}: 아직 읽지 않은 기억이 있어 그동안 {name}을(를) 씁니다.",
        "새김을 잠시 켜 두거나 saegim rebuild를 실행하세요.",
    ),
    "roundtrip.ok": (
        "시험 기억을 쓰고, 읽고, 단어와 벡터로 찾고, 잊고, 되돌렸습니다.",
        "",
    ),
    "roundtrip.partial": (
        "시험 기억을 쓰고, 읽고, 단어로 찾고, 잊고, 되돌렸습니다. "
        "임베더가 없어 벡터로는 찾지 못했습니다.",
        "임베더를 고친 뒤 saegim doctor를 다시 실행하세요.",
    ),
    "roundtrip.failed": (
        "시험 기억이 통과하지 못한 단계: {steps}",
        "saegim rebuild를 실행한 뒤 saegim doctor를 다시 실행하세요.",
    ),
    "second_process.ok": ("두 번째 프로세스도 같은 기억 {count}개를 읽습니다.", ""),
    "second_process.untried": (
        "이 프로그램은 자신을 하나 더 띄울 수 없어 시험하지 않았습니다.",
        "",
    ),
    "second_process.failed": (
        "두 번째 프로세스가 저장소를 읽지 못합니다: {why}",
        "파일을 독차지한 프로그램을 닫고, 권한과 파일 시스템을 확인하세요.",
    ),
    "second_process.differs": (
        "두 번째 프로세스가 {path} 자리에서 다른 파일을 봅니다. 파일이 바뀌었습니다.",
        "이 저장소를 쓰는 프로그램을 모두 다시 시작하세요.",
    ),
    "backup.ok": ("백업 {path}: 기억 {count}개, 온전합니다.", ""),
    "backup.needless": ("아직 백업할 것이 없습니다.", ""),
    "backup.none": ("기억 {count}개의 백업이 없습니다.", "saegim backup을 실행하세요."),
    "backup.old": (
        "가장 최근 백업이 {days}일 전 것이라 그 뒤의 기억이 없습니다.",
        "saegim backup을 실행하세요.",
    ),
    "backup.damaged": (
        "가장 최근 백업을 쓸 수 없습니다: {why}",
        "그 백업을 지우고 saegim backup을 실행하세요.",
    ),
    "leftovers.ok": ("끝나지 않은 파일이 없습니다.", ""),
    "leftovers.some": (
        "중단된 프로세스가 남긴 파일이 {count}개 있습니다: {files}",
        "지우세요: {paths}",
    ),
    "clock.ok": ("시계가 최근 기억보다 늦지 않습니다.", ""),
    "clock.future": (
        "장부의 마지막 줄이 미래의 시각입니다: {at}",
        "이 컴퓨터의 시계를 맞추세요. 그사이 남긴 기억의 시각이 틀렸을 수 있습니다.",
    ),
    "upkeep.ok": ("배경 작업에 문제가 없습니다.", ""),
    "upkeep.trouble": (
        "배경 작업의 문제: {why}",
        "저절로 다시 시도합니다. 계속되면 다른 진단을 따르세요.",
    ),
}

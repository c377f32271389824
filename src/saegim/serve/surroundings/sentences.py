"""What a doctor says about what surrounds a store, in English and in Korean; and `found`.

A key is `kind.case`. The findings of one kind that there are several of (clients, hooks) are told
apart by a name of their own.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from saegim.doctor.findings import Finding, Level


class Said(NamedTuple):
    """One outcome: how bad it is, and what is said of it: the finding and the fix, twice."""

    level: Level
    detail: str
    fix: str
    detail_ko: str
    fix_ko: str


def _ok(detail: str, detail_ko: str) -> Said:
    return Said("ok", detail, "", detail_ko, "")


def _warning(detail: str, fix: str, detail_ko: str, fix_ko: str) -> Said:
    return Said("warning", detail, fix, detail_ko, fix_ko)


def _failure(detail: str, fix: str, detail_ko: str, fix_ko: str) -> Said:
    return Said("failure", detail, fix, detail_ko, fix_ko)


def found(key: str, *, name: str = "", korean: str = "", **blanks: str | int) -> Finding:
    """Make the finding of a key such as `server.stale`, its blanks filled in.

    `korean` stands for {why} in the Korean sentence where the reason is known in both languages.
    """
    kind, _, case = key.partition(".")
    said = SAID[key]
    blanks_ko = {**blanks, "why": korean} if korean else blanks
    return Finding(
        name or kind,
        ok=said.level != "failure",
        detail=said.detail.format(**blanks).strip(),
        fix=said.fix.format(**blanks),
        detail_ko=said.detail_ko.format(**blanks_ko).strip(),
        fix_ko=said.fix_ko.format(**blanks_ko),
        level=said.level,
        case=case or kind,
    )


_CONNECT_AGAIN: Final = "Connect it again: saegim install {client}"
_CONNECT_AGAIN_KO: Final = "다시 연결하세요: saegim install {client}"

SAID: Final[dict[str, Said]] = {
    # -- the settings ---------------------------------------------------------------------------
    "in_force.ok": _ok("In force: {settings}.", "쓰이는 설정: {settings}"),
    "in_force.needless": _ok(
        "Nothing is set; every setting has its default.",
        "따로 정한 설정이 없어 모두 기본값입니다.",
    ),
    "in_force.stranger": _warning(
        "The environment has {variable}, and there is no such setting.",
        "Unset it, or correct its name{perhaps}.",
        "환경 변수 {variable}이(가) 있지만 그런 설정은 없습니다.",
        "지우거나 이름을 고치세요{perhaps}.",
    ),
    "in_force.exposed": _warning(
        "{file} holds a key, and other people on this machine can read it.",
        "chmod 600 {file}",
        "{file} 파일에 키가 있는데, 이 컴퓨터의 다른 사용자가 읽을 수 있습니다.",
        "chmod 600 {file}",
    ),
    # -- clients --------------------------------------------------------------------------------
    "clients.needless": _ok(
        "No program that could be connected was found on this machine.",
        "연결할 만한 프로그램을 이 컴퓨터에서 찾지 못했습니다.",
    ),
    "client.ok": _ok("{title} starts {command}.", "{title}: {command} 명령을 시작합니다."),
    "client.address": _ok(
        "{title} reaches a server by an address ({file}).",
        "{title}: 주소로 서버에 닿습니다({file}).",
    ),
    "client.needless": _ok(
        "{title} is here and not connected; saegim install {client} would connect it.",
        "{title}: 있지만 연결하지 않았습니다. 연결하려면: saegim install {client}",
    ),
    "client.unreadable": _failure(
        "The configuration of {title} is not read: {why}",
        "Correct that file; until then {title} may start without its memory.",
        "{title}의 설정을 읽지 못합니다: {why}",
        "그 파일을 고치세요. 그때까지 {title}은(는) 기억 없이 시작할 수 있습니다.",
    ),
    "client.foreign": _warning(
        "The configuration of {title} is not read: {why}",
        "It does not speak of Saegim. Correct that file before you connect it.",
        "{title}의 설정을 읽지 못합니다: {why}",
        "새김과는 상관없는 파일입니다. 연결하기 전에 그 파일을 고치세요.",
    ),
    "client.missing": _failure(
        "{title} starts {program}, which is not there ({file}).",
        _CONNECT_AGAIN,
        "{title}: 시작할 프로그램 {program}이(가) 없습니다({file}).",
        _CONNECT_AGAIN_KO,
    ),
    "client.forbidden": _failure(
        "{title} starts {program}, which may not be run ({file}).",
        "chmod u+x {program}, or connect it again: saegim install {client}",
        "{title}: 시작할 프로그램 {program}을(를) 실행할 수 없습니다({file}).",
        "chmod u+x {program} 또는 다시 연결하세요: saegim install {client}",
    ),
    "client.broken": _failure(
        "{title} starts {program}, which does not answer: {why}",
        _CONNECT_AGAIN,
        "{title}: 시작할 프로그램 {program}이(가) 답하지 않습니다: {why}",
        _CONNECT_AGAIN_KO,
    ),
    "client.version": _warning(
        "{title} starts {program}, which is version {other}; this is {version}.",
        _CONNECT_AGAIN,
        "{title}: 시작할 프로그램 {program}은(는) {other} 버전이고, 여기는 {version} 버전입니다.",
        _CONNECT_AGAIN_KO,
    ),
    "client.other": _warning(
        "The entry saegim of {title} starts something else: {program} ({file}).",
        "If that is not meant, connect it again: saegim install {client}",
        "{title}의 saegim 항목이 다른 것을 시작합니다: {program} ({file})",
        "일부러 그런 것이 아니라면 다시 연결하세요: saegim install {client}",
    ),
    "client.hooks_off": _warning(
        "{why}",
        "Take disableAllHooks out, or disconnect: saegim uninstall {client}",
        "{why}",
        "disableAllHooks를 빼거나 연결을 끊으세요: saegim uninstall {client}",
    ),
    # -- hooks ----------------------------------------------------------------------------------
    "hook.ok": _ok(
        "It was run and answered after {seconds} s: {answer}",
        "실행해 보니 {seconds}초 만에 답했습니다: {answer}",
    ),
    "hook.untried": _ok(
        "It was not run: {program} is named by this folder alone.",
        "이 폴더에만 적힌 프로그램이라 실행하지 않았습니다: {program}",
    ),
    "hook.unasked": _ok("It was not run (--quick).", "실행하지 않았습니다(--quick)."),
    "hook.missing": _failure(
        "It runs {program}, which is not there or may not be run.",
        _CONNECT_AGAIN,
        "실행할 프로그램 {program}이(가) 없거나 실행할 수 없습니다.",
        _CONNECT_AGAIN_KO,
    ),
    "hook.words": _warning(
        "It was not run: these are not the words of a hook: {command}",
        _CONNECT_AGAIN,
        "훅의 명령이 아니어서 실행하지 않았습니다: {command}",
        _CONNECT_AGAIN_KO,
    ),
    "hook.failed": _failure(
        "It was run and failed: {why}",
        "Connect it again: saegim install {client}. If this stays, reinstall saegim.",
        "실행해 보니 실패했습니다: {why}",
        "다시 연결하세요: saegim install {client}. 그래도 남으면 saegim을 다시 설치하세요.",
    ),
    "hook.slow": _failure(
        "It was run and did not end within {seconds} s.",
        "Look what holds the program up: {command}",
        "실행해 보니 {seconds}초 안에 끝나지 않았습니다.",
        "무엇이 프로그램을 붙잡는지 보세요: {command}",
    ),
    "hook.answer": _failure(
        "It was run and answered with something that is not one JSON object: {answer}",
        "Connect it again: saegim install {client}",
        "실행해 보니 JSON 객체 하나가 아닌 답을 했습니다: {answer}",
        _CONNECT_AGAIN_KO,
    ),
    "spool.ok": _ok("Everything that hooks heard is kept.", "훅이 들은 것을 모두 기억했습니다."),
    "spool.waiting": _ok(
        "{count} files of heard turns and {cut} events that were cut off wait for the next hook.",
        "들은 대화 파일 {count}개와 도중에 끊긴 이벤트 {cut}개가 다음 훅을 기다립니다.",
    ),
    "spool.stuck": _warning(
        "{count} files of heard turns and {cut} events that were cut off wait, the oldest for "
        "{days} days.",
        "saegim hook drain hears and keeps them now, or says why not.",
        "들은 대화 파일 {count}개와 도중에 끊긴 이벤트 {cut}개가 기다립니다. 가장 오래된 것은 "
        "{days}일 되었습니다.",
        "saegim hook drain이 지금 듣고 기억하거나, 왜 안 되는지 알려 줍니다.",
    ),
    "spool.apart": _warning(
        "{count} files of heard turns could not be read and were set apart: {file}",
        "Look into them; what is of no use can be deleted.",
        "들은 대화 파일 {count}개를 읽지 못해 따로 두었습니다: {file}",
        "열어 보고, 쓸모없는 것은 지워도 됩니다.",
    ),
    "journal.ok": _ok("Hooks failed nowhere lately.", "최근에 실패한 훅이 없습니다."),
    "journal.failed": _warning(
        "Hooks failed {count} times in {days} days; the latest: {line}",
        "The other findings may say why; saegim hook status shows more.",
        "최근 {days}일 동안 훅이 {count}번 실패했습니다. 마지막: {line}",
        "까닭은 다른 진단에 있을 수 있습니다. saegim hook status가 더 보여 줍니다.",
    ),
    "journal.cut_short": _warning(
        "Hooks had no time to tell anything {count} times in {days} days. What was said then is "
        "caught up with: saegim hook status.",
        "Leave saegim serve running: it answers a hook for a tenth of the work. Or give hooks more "
        "time: {variable}",
        "최근 {days}일 동안 훅이 {count}번 시간이 모자라 아무것도 알려 주지 못했습니다. "
        "그때 한 말은 따라잡습니다: saegim hook status.",
        "saegim serve를 켜 두면 훅이 하던 일의 10분의 1로 답합니다. 또는 훅에 시간을 더 주세요: "
        "{variable}",
    ),
    "journal.overloaded": _warning(
        "Hooks had no time to tell anything {count} times in {days} days, though a server runs. "
        "What was said then is caught up with: saegim hook status.",
        "This machine has too much to do at times; give hooks more time: {variable}",
        "서버가 있는데도 최근 {days}일 동안 훅이 {count}번 시간이 모자라 아무것도 알려 주지 "
        "못했습니다. 그때 한 말은 따라잡습니다: saegim hook status.",
        "이 컴퓨터가 때때로 너무 바쁩니다. 훅에 시간을 더 주세요: {variable}",
    ),
    # -- the server -----------------------------------------------------------------------------
    "server.ok": _ok(
        "The server at {url} (process {pid}) is well and takes the token.",
        "{url} 서버(프로세스 {pid})가 잘 있고 토큰을 받습니다.",
    ),
    "server.needless": _ok("No server runs; none is needed.", "서버가 없습니다. 없어도 됩니다."),
    "server.stale": _warning(
        "{file} names a server that is gone ({url}).",
        "Delete {file}, or start it again: saegim serve",
        "{file}에 적힌 서버가 이제 없습니다({url}).",
        "{file} 파일을 지우거나 다시 시작하세요: saegim serve",
    ),
    "server.unreadable": _warning(
        "{file} is no description of a server.",
        "Delete {file}; saegim serve writes it anew.",
        "{file} 파일이 서버를 설명하지 않습니다.",
        "{file} 파일을 지우세요. saegim serve가 새로 씁니다.",
    ),
    "server.silent": _failure(
        "The server at {url} (process {pid}) does not answer: {why}",
        "End that process and start it again: saegim serve",
        "{url} 서버(프로세스 {pid})가 답하지 않습니다: {why}",
        "그 프로세스를 끝내고 다시 시작하세요: saegim serve",
    ),
    "server.refuses": _failure(
        "The server at {url} does not take the token of {file} (it answered {status}).",
        "Start it again: a new token counts from then on.",
        "{url} 서버가 {file}의 토큰을 받지 않습니다(응답 {status}).",
        "서버를 다시 시작하세요. 새 토큰은 그때부터 통합니다.",
    ),
    "server.version": _warning(
        "The server at {url} is version {other}; this is {version}.",
        "Start it again, so that it is the installed version.",
        "{url} 서버는 {other} 버전이고, 여기는 {version} 버전입니다.",
        "설치된 버전이 되도록 다시 시작하세요.",
    ),
    "server.elsewhere": _warning(
        "The server at {url} serves another store: {store}",
        "To serve this one, end it and start it with --path.",
        "{url} 서버는 다른 저장소를 엽니다: {store}",
        "이 저장소를 열려면 그 서버를 끝내고 --path와 함께 시작하세요.",
    ),
    "token.ok": _ok("Only its owner can read the token.", "주인만 토큰을 읽을 수 있습니다."),
    "token.needless": _ok("There is no token yet.", "아직 토큰이 없습니다."),
    "token.open": _failure(
        "Other people on this machine can read {file}, and with it call the server.",
        "chmod 600 {file}, then saegim token --new",
        "이 컴퓨터의 다른 사용자가 {file} 파일을 읽고 서버를 부를 수 있습니다.",
        "chmod 600 {file} 뒤에 saegim token --new",
    ),
    "token.unusable": _failure(
        "{why}",
        "Move {file} away; saegim token --new makes another.",
        "{why}",
        "{file} 파일을 치우세요. saegim token --new가 새로 만듭니다.",
    ),
    # -- MCP ------------------------------------------------------------------------------------
    "mcp.ok": _ok(
        "In a throw-away folder: said hello, {count} tools, saved, found, let go ({seconds} s).",
        "임시 폴더에서 인사하고, 도구 {count}개를 보고, 저장하고, 찾고, 잊었습니다({seconds}초).",
    ),
    "mcp.unasked": _ok("It was not tried (--quick).", "시험하지 않았습니다(--quick)."),
    "mcp.failed": _failure(
        "saegim mcp, started in a throw-away folder, failed at {step}: {why}",
        "Reinstall saegim; what it says on its own: {command}",
        "임시 폴더에서 시작한 saegim mcp가 {step} 단계에서 실패했습니다: {why}",
        "saegim을 다시 설치하세요. 직접 실행하면 까닭을 말합니다: {command}",
    ),
    "error": _failure(
        "It could not be looked at: {why}",
        "Check the path and its permissions.",
        "살펴보지 못했습니다: {why}",
        "경로와 권한을 확인하세요.",
    ),
}

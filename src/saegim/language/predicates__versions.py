"""Names that stand with a version number: Python 3.12, 노드 20, 앱 2.5, but not port 3000."""

from __future__ import annotations

from typing import Final

from saegim.memory.late import late

# After these a whole number is a version too.
_VERSIONED: Final = frozenset(
    str.split("""python java node nodejs node.js react vue angular postgres postgresql mysql
        ubuntu debian fedora django rails ruby php go golang rust kotlin swift ios ipados macos
        android windows spring springboot next next.js nextjs nuxt typescript javascript redis
        kafka kubernetes k8s docker cuda pytorch tensorflow unity unreal xcode gradle jdk openjdk
        .net dotnet elasticsearch mongodb sqlite numpy pandas gpt claude gemini llama flask
        fastapi bootstrap tailwind webpack vite electron flutter laravel symfony firmware kernel
        patch sdk api driver 커널 드라이버 파이썬 자바 노드 리액트 뷰 앵귤러 포스트그레스 우분투
        장고 스프링 부트 스프링부트 쿠버네티스 도커 레디스 카프카 안드로이드 윈도우 코틀린 스위프트
        타입스크립트 플러터 유니티 언리얼 앱 펌웨어 맥os 맥OS""")
)
_NUMBERED: Final = late(
    r"(?:(?P<owner>.*) )?(?P<name>[A-Za-z가-힣.][\w.+#]*?)(?: (?:version|버전|ver\.?))?"
    r"[ -]?(?P<v>v)?(?P<number>[0-9]+(?P<dot>(?:\.[0-9x]+)+)?)(?: (?:버전|기반))?"
)
_LONGEST: Final = 60
_MAC: Final = frozenset(str.split("ventura sonoma sequoia monterey tahoe"))
_OWNED: Final = late(
    r"^(?:the|our|my|a|new|to|on|우리|내|제|지금|현재|최신)\b ?|\b(?:OS|운영체제)$"
)
_WORD: Final = late(r" (?:version|버전|ver\.?) ")
_NO_NAMES: Final = frozenset(
    str.split("""port 포트 room 방 page 페이지 chapter 장 line 줄 step 단계 level 레벨 size 사이즈
        about 약 phase top 총 day week gate bus 버스 route""")
)


def version_in(text: str, *, sure: bool = False) -> tuple[str, str] | None:
    """Return (name, version) if the text ends in a name and its version, else None.

    With `sure`, the verb has told already that it is a version.
    """
    if len(text) > _LONGEST:
        return None
    match = _NUMBERED.fullmatch(_WORD.sub(" ", text.strip()))
    if not match:
        return None
    name, number = match["name"], match["number"]
    plain = name.lower()
    if plain in _NO_NAMES:
        return None
    owner = _OWNED.sub("", match["owner"] or "").strip()
    if plain in _MAC:
        name = "macOS"
    if plain in ("version", "release", "v", "버전"):
        return (owner or "release"), number
    if match["dot"] or match["v"] or plain in _VERSIONED or plain in _MAC or sure:
        return (f"{owner} {name}" if owner and owner.isascii() is name.isascii() else name), number
    return None


def is_versioned(name: str) -> bool:
    """Say whether a name is known to come in versions."""
    return name.lower() in _VERSIONED

"""Passwords, PINs and codes that people tell each other: a word that announces, a value that fits.

Nothing here is certain, so what is found is held for a person to confirm instead of being dropped.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from enum import IntEnum
from typing import Final, NamedTuple

from saegim.guard.visible_text import Seen, Spot
from saegim.language.word_lists import read_lists
from saegim.memory.text import lazy_pattern

_LISTS: Final = read_lists("both/password_words")

STEMS: Final = _LISTS.row("stems")
# A keyword whose letters stand apart.
SPREAD: Final = lazy_pattern(r"비[ ._\-]{1,2}[밀번]|암[ ._\-]{1,2}호|패[ ._\-]{1,2}스|p a s s")
_GAP: Final = r"[ ._\-]{0,2}"
_PASSWORD: Final = (
    f"비{_GAP}밀{_GAP}번{_GAP}호|비{_GAP}번(?!인[ ]|이라|이어|이었|[ ]?날|[ ]?근무|일[ ]때|이면)"
    f"|암{_GAP}호말?(?!화|학|문|기술|해독|통화|자산|체계|장비|[ ]?알고리즘|[ ]?프로토콜)"
    f"|패{_GAP}스{_GAP}워{_GAP}드|페스워드|비밀[ ]?코드|패스[ ]?코드|패스[ ]?프레이즈|암구호"
    f"|비밀[ ]?단어"
    r"|pass[ \-]?(?:word|code|phrase)s?(?![a-z])|p[ ]a[ ]s[ ]s[ ]{1,3}w[ ]o[ ]r[ ]d(?![a-z])"
    r"|(?:무선|접속|연결|와이파이|와파|wi-?fi)[ ]?(?:키|key)(?![a-z보])"
    r"|key[ ](?:to|for)[ ](?:the|my|our)[ ](?:wi-?fi|network|router)|(?:시크릿|비밀)[ ]?워드"
    r"|암호말|security[ ]question|(?:secret|safe|magic)[ \-]?word(?![a-z])"
    r"|(?:secret|security|vault|seed|recovery|key)[ ](?:answer|phrase)(?![a-z])"
    r"|passw(?:d)?(?![a-z])|psw?d(?![a-z])|pwd?(?![a-z0-9])|p/w(?![a-z])"
)
_ONE_TIME: Final = (
    r"본인[ ]?확인(?:용)?(?:[ ]?(?:숫자|번호|코드))?|(?:text|sms|message)[ ]said|sent[ ]me"
    r"|인증[ ]?(?:번호|코드|문자|숫자)|확인[ ]?코드|일회용|오티피|otps?(?![a-z])"
    r"|[2m]fa(?:[ ]code)?(?![a-z])|(?:verification|one[ \-]time|authentication|auth|sms"
    r"|confirmation|log[ \-]?in|sign[ \-]?in|two[ \-]factor|backup|recovery|authenticator"
    r"|reset)[ ](?:code|number|pin)s?(?![a-z])|(?:복구|백업)[ ]?코드"
)
_CARD_CODE: Final = (
    r"cv[cv]2?(?![a-z])|csc(?![a-z])|씨브이씨|카드[ ]?(?:뒷면|뒤(?:쪽)?)(?=[ ]"
    r"|에)(?:[ ](?:숫자|번호|세[ ]?자리))?|back[ ]of[ ](?:the|my|your)[ ]card"
    r"|보안[ ]?(?:코드|번호)|security[ ](?:code|number)|verification[ ](?:value|number)"
    r"|(?:three|3)[ \-]?(?:digits?|numbers)?[ ](?:on|at)[ ]the[ ]back"
)
_PIN: Final = (
    r"(?:[4-8]|네|다섯|여섯)[ ]?자리(?:는|가|[ ]?숫자는?)?(?=[ ]?[:=]?[ ]?[0-9]{4,8}(?![0-9,.]))"
    # The number of an order, a question or a visit ends in the same letters as that of a door.
    r"|(?<![가-힣])(?:앞|뒷|옆|쪽|중|정|후|철|교|집|우리[ ]?집|사무실|자동|유리|방화"
    r"|비상)?문[ ]?번호(?!판)|핀[ ]?(?:번호|코드|넘버)|핀(?=(?:이|은|을)?[ :=]{1,2}[0-9]{4})"
    r"|문[ ]?(?:여는|열)[ ]?(?:번호|코드)|pin(?:[ \-]?(?:code|number|num|no))?s?(?![a-z])"
    r"|puk(?![a-z])|(?:three|four|five|six|[3-8])[ \-]digits?(?:[ ](?:code"
    r"|number))?s?(?=[ ,:]{1,2}(?:are[ ]|is[ ]|were[ ])?[0-9])|voicemail(?![a-z])"
    r"|unlock(?=[ ]is[ ]|:)|번호키|다이얼|dial(?=[ ][0-9]{1,2}-)"
    r"|(?:현관|출입문?|대문|도어[ ]?[락록]|자물쇠|금고|사물함|[락라]커|캐리어|창고|차고|잠금"
    r"|택배함|무인함|보관함|열쇠함|키패드|보안)[ ]?(?:문[ ]?)?(?:번호|코드|해제"
    r"|키)?(?![가-힣]{3})|(?:access|entry|unlock|alarm|disarm|lock|keypad)[ ]number(?![a-z])"
    r"|(?:access|door|gate|alarm|entry|unlock|lock|safe|garage|keypad|locker|vault|building"
    r"|house|disarm|elevator|parking)[ ](?:code|combo|combination)s?(?![a-z])"
    r"|(?:door|garage|locker|safe|shed)(?=:[ ]?[0-9*#])|lock(?='s[ ]|[ ]is[ ]|:)|lockbox|keypad"
    r"|padlock|safe(?=[ ]is|[ ]takes|[ ]opens|'s)|(?:제한|잠금|해제|보호|자녀)[ ]?번호"
    r"|숫자[ ]?(?:네|다섯|여섯|[4-8])[ ]?(?:개|자리)|(?:combination|combo)(?![a-z]|[ ]of)"
    r"|(?:unlock|open)(?:s|ed)?[ ](?:it[ ]|up[ ])?with|(?:누르|눌르|치|입력하"
    r"|찍으)면[ ](?:문이?[ ])?(?:열|풀)"
)
_WEAK: Final = (
    r"log[ \-]?in(?:to)?(?![a-z])|sign[ \-]?in(?:to)?(?![a-z])|로그인|접속|credentials?(?![a-z])"
    r"|creds?(?![a-z])|secret(?![a-z])|시크릿|pass(?![a-z])|패스(?![가-힣]{2})|wi-?fi(?![a-z])"
    r"|와이파이|와파|계정|압축[ ]?(?:풀|해제)|unzip|decrypt|wifi key"
)
_PRESS: Final = (
    r"누르(?:면|고|세요)|눌러|치면|찍으면|입력(?:하|해)|(?:press|type|enter"
    r"|punch)(?:ed)?(?:[ ]in)?(?![a-z])|(?:gate|door|lobby|entrance|elevator|garage"
    r"|parking)(?=[ ](?:[*#][0-9]{4}|[0-9]{4,8}[*#]))"
)
# Words near which only what can hardly be anything else is taken for a password.
_LOOSE: Final = (
    r"들어(?:가|오|올|와|갈)|열(?:려|어|리|때|[ ]때|면)|풀(?:려|어|리|[ ]때|면|려면)|잠겨|잠그"
    r"|치면|쳐(?![가-힣])|넣(?:어|으면|고)|입력|번호키|서랍|공유기|서버|관리자|어드민|기억해"
    r"|잊(?:지|어)|적어|사이트|홈페이지|클라우드|드라이브|메신저|넷플|디즈니|인스타|스팀|지메일"
    r"|정한[ ]거|아이디|로그온|붙어|gets?[ ](?:you[ ]|me[ ])?in(?:to)?(?![a-z])|lets?[ ]you[ ]in"
    r"|opens?(?![a-z])|unlocks?(?![a-z])|access(?![a-z])|accounts?(?![a-z])|admin(?![a-z])"
    r"|root(?![a-z])|guest(?![a-z])|router|server|vault|portal|panel|netflix|hulu|disney|spotify"
    r"|gmail|instagram|icloud|steam(?![a-z])|ssh(?![a-z])|vpn(?![a-z])|boots?(?![a-z])"
    r"|usual[ ]one|don't[ ]forget|remember(?![a-z])|log[ ]on(?![a-z])|enter(?![a-z])"
    r"|zip(?![a-z])|encrypted|tablet|laptop"
)
KEYWORD: Final = lazy_pattern(
    f"(?P<password>{_PASSWORD})|(?P<otp>{_ONE_TIME})|(?P<cvc>{_CARD_CODE})|(?P<pin>{_PIN})"
    rf"|(?P<code>code(?![a-z])|코드)|(?P<press>{_PRESS})|(?P<weak>{_WEAK})|(?P<loose>{_LOOSE})"
)
# A code that no door opens to.
OTHER_CODE: Final = lazy_pattern(
    r"(?:제품|품목|주문|예약|reservation|booking|error|status|exit|zip|postal|country|area|dress"
    r"|source|qr|bar|product|promo|coupon|discount|referral|morse|color|colour|http|return"
    r"|response|dial|tax|swift|sort|bank|airport|stock|course|오류|에러|상태|소스|큐알|상품|쿠폰"
    r"|할인|추천인?|국가|지역|우편|색상|바|종목|학수|과목|응답|종료|초대)[ ]?$"
)
# What may follow the keyword when its verb or ending says that it is only spoken about.
MENTION: Final = lazy_pattern(
    r"[ ]?(?:manager|reset|policy|policies|field|hash|hashing|hint|generator|protect|strength"
    r"|rotation|vault|prompt|rules?(?![a-z])|length|less|관리|정책|규칙|찾기|재설정|초기화|해시"
    r"|생성기|강도|길이|힌트)"
)
# Between a keyword and its value: particles, signs, and words that add nothing.
DIRECT: Final = lazy_pattern(
    r"[\])]?s?[ ]?(?:은요|는요|은|는|이|가|을|를|도|만|란|이란|으로|로|의|님|해|하면|하려면"
    r"|할[ ]?때는?|할[ ]?땐)?(?:[ ]?(?:[:=>~→⇒\-,?]{1,3}|is|was|are|'s|be|now|still|currently"
    r"|today|set|to|changed|temporarily|this|here|following|as|follows|just|probably|영어로"
    r"|영타로|한글로|소문자로|대문자로|숫자로|아직|이제|지금은?|일단|그냥|원래|아마|각각|바로"
    r"|이거|이걸로|요거|다시|새로|현재|오늘|임시로?|여기|아래|적어|둘게|보낼게|줄게"
    r"|(?:[0-9]|[한두세네]|다섯|여섯)[ ]?자리(?:는|가)?|번호(?:는|가)?|입력|code|number|누르고"
    r"|바뀐|뒤|앞|끝)){0,4}[ \n]{0,3}(?:[a-z0-9_.@\-]{2,24}[ ]?[/:][ ]?)?[\"'(\[<{`*]{0,2}$"
)
# Right before a value: a sign or a verb that hands it over.
HANDED: Final = lazy_pattern(
    r"(?:[:=→⇒]|->|=>|(?<![a-z])(?:is|it's|its|was|be|as|used?|using|try|tried|typed?"
    r"|enter(?:ed)?|punch(?:ed)?|press(?:ed)?|dial|say|called|takes|wants|needs|expects|accepts"
    r"|now|just|are|into|key|hit|input)(?:[ ]in)?|'s|(?<![가-힣])(?:이제|지금은?|그냥|바로|이거"
    r"|요거)|(?:은|는|이|가|을|를))[ ]{0,2}[\"'(\[`]?$"
)
# Right after a value: an ending that says "is", or a verb that uses it.
COPULA: Final = lazy_pattern(
    r"[\"')\]`*]{0,2}[ ]?(?:이야|야(?![가-힣])|입니다|이에요|예요|에요|이여|임(?![가-힣])|이고"
    r"|이다|다(?![가-힣])|이?거든|이?니까|이?라고|이었|였|인데|이?래(?![가-힣])|맞지|맞아"
    r"|이?지(?![가-힣])|이?네(?![가-힣])|이?요(?![가-힣])|이?잖|인[ ]?것|일걸"
    r"|(?:으로|로)[ ]?(?:바꿨|바꾸|바꿔|바뀌|바뀜|변경|설정|했|해|하|맞|되|돼|들어|열|입력|풀"
    r"|로그인|통일|접속|쓰|저장)|(?:을|를)?[ ]?(?:누르|눌러|치면|쳐|입력|찍|넣|쓰면"
    r"|써(?![가-힣])|씀|사용))"
)
# What hands over to somebody who signs in.
WITH: Final = lazy_pattern(r"(?<![a-z])(?:with|using|as|by)[ ]{1,2}[\"'(`]?$|[/:][ ]?$")
# What is typed before its keyword is named.
TYPED: Final = lazy_pattern(
    r"(?:(?<![a-z])(?:use|using|used|try|trying|tried|type|typing|typed|enter|entering|entered"
    r"|punch|press|dial|key|hit|put|putting|input)(?:[ ](?:in|it))?)[ ]{1,2}[\"'(\[`]?$"
)
# What is opened by pressing digits.
OPENED: Final = lazy_pattern(
    r"지문|잠금|(?<![가-힣])문[ 이을]|열(?:려|리|어|면|[ ]때)|들어(?:오|가|올|갈|와)|번호키|서랍"
    r"|앱은|현관|출입|도어|경보|해제|alarm|door|gate|lock|keypad|beep|get in|front|shed"
    r"|pad(?![a-z])|box|elevator|garage|safe|entrance|lobby|building|parking"
)
# What the talk is about instead, or why there is no value.
ABOUT: Final = lazy_pattern(
    r"모델|기종|제품|시리얼|버전|업데이트|model|serial|version|update|firmware|ticket|issue|이슈"
    r"|article|date(?![a-z])|날짜|기한|만료|칸에|필드|field|column|칼럼|테이블|변수|함수"
)
# Before a thing, not before a value.
PREPOSITION: Final = lazy_pattern(
    r"(?:(?<![a-z])(?:with|for|on|to|in|by|from|at|of|via|like|than)|에서|에|한테|에게|보다|처럼"
    r"|랑|와|과)[ ]$"
)
FAILED: Final = lazy_pattern(
    r"안[ ]?(?:와|왔|옴|되|돼|됨|들어)|못[ ]?받|틀려|틀렸|틀림|잊|까먹|모르|몰라|forg[eo]t|wrong"
    r"|never|didn't|expired|invalid|doesn't|failed"
)
# Between a value and the keyword behind it.
BEHIND: Final = lazy_pattern(
    r"[ ]\(|[\"')\]`!.]{0,2}[ ]?(?:이|가|은|는|이게|그게|로|으로|을|를|라는|이라는|라고|이라고|="
    r"|:|<-|←|is|was|as|for|,|works|opens|unlocks|became|this|that|it)(?![a-z])[^.!?\n]{0,28}$"
)
UNIT: Final = lazy_pattern(
    r"[ ]?(?:년|월|일(?![ ]?거)|시|분|초|원|개|명|번(?![ ]?이)|자리|회|층|호|동|%|글자"
    r"|자(?![가-힣])|단계|점|위|차|살|세|주|박|킬로|미터|만|천|백|억|달러|건|장|권|쪽|페이지|배"
    r"|도씨|°|px|kb|mb|gb|토큰|비트|바이트|줄|칸|곳|가지|(?:digits?|char|times?|years?|days?"
    r"|hours?|min|sec|users?|people|attempts?|won|dollars?|items?|accounts?|passwords?|members?"
    r"|sites?|bits?|bytes?|rounds?|iterations?|of|am|pm|tokens?|letters?|words?|lines?|codes?"
    r"|pins|percent|k|seconds?|minutes?|weeks?|months?)(?![a-z]))"
)
LABEL: Final = lazy_pattern(
    r"(?:아이디|(?<![a-z])id|계정|이메일|(?<![a-z])e?-?mail|user(?:[ ]?name)?|유저(?:네임)?|ssid"
    r"|network|이름|account|닉네임|nickname|핸들|handle)[ ]?(?:은|는|이|가|:|=|is"
    r"|-)*[ ]?[\"'(\[`]?$"
)
PLAIN: Final = _LISTS.words("plain")
FUNCTION: Final = _LISTS.words("function")
PLAIN_ENDING: Final = lazy_pattern(r"[a-z]+(?:ed|ing|ly|able|ible|ive|ful|less|ous|ment|tion|ness)")
# Letters and digits together that everyone writes and nobody logs in with.
TECHNICAL: Final = lazy_pattern(
    r"f[0-9]{1,2}|[0-9]+[kmg]?bps|(?:ubuntu|chrome|firefox|safari|debian|fedora|php|mysql"
    r"|postgres|redis|docker|kernel|linux|excel|word|edge|opera)[\-_ ]?[0-9][0-9.]*|aaaab3.*"
    r"|v?[0-9]+(?:\.[0-9]+)+[a-z0-9\-+]*|[0-9]+(?:st|nd|rd|th|px|[kmgt]i?b|ms|s|h|k|m|x|bits?|g"
    r"|kg|cm|mm|km|am|pm|[kmg]?hz|w|v|mah|mp|days?|hours?|min|mins|chars?|fps|in1|d|p|sqm)"
    r"|(?:sha|md|aes|rsa|ed|utf|base|oauth|pbkdf|argon|bcrypt|scrypt|mp|h|ipv|http|tls|ssl|ssh"
    r"|fido|u|es|ecma|rfc|iso|pci|soc|nist|cve|covid|gpt|llama|claude|gemini|python|py|java|node"
    r"|vue|angular|react|win|windows|ios|android|galaxy|iphone|ipad|macos|office|ps|xbox|usb"
    r"|hdmi|ddr|rtx|gtx|ryzen|core|intel|web|log|neo|auth|x|pkcs|m|o|a|b|c|s|ec|k|i|l|e|p|d|t|q"
    r"|fy|gen|ver|rev|wpa|note|pixel|model|type|level|step|lv|ep|vol|ch|no|class|grade|room|page"
    r"|chapter|version|release|sprint|phase|tier|day|week"
    r"|case)[\-_ ]?[0-9]{1,5}(?:[\-/.][0-9]{1,5})*(?:[a-z]{0,3}|url|mb4|pro|max|plus|ultra|id)"
    r"|1password|[0-9]+-?factor|k8s|i18n|l10n|a11y|e2e|[bpc]2[bpc]|[0-9]d|[0-9]g|log4j"
    r"|x86(?:_64)?|#[0-9a-z]+|[0-9]{1,4}(?:[\-/.:~][0-9]{1,4}){1,2}|[0-9]{1,3}(?:,[0-9]{3})+"
    r"|[a-z_]{3,}=[0-9a-z]{1,3}|[$₩€£]?[0-9.,]+[%$₩€£]?|[+\-~><=]+[0-9.]+"
    r"|[\w.+\-]+@[\w\-]+(?:\.[\w\-]+)+|(?:https?|ftp|ssh)[:/].*|www\..*"
    r"|[\w\-./]+\.(?:com|net|org|io|kr|dev|ai|py|js|ts|tsx|json|ya?ml|txt|md|pdf|png|jpe?g|gif"
    r"|env|sh|go|rs|java|kt|html?|css|csv|xlsx?|docx?|pptx?|hwpx?|zip|log|conf|cfg|ini|toml|db"
    r"|sql|php|cpp|h|c|xml|lock)|-{1,2}[a-z].*|[\w.]+\(.*|<.*>|\$\{?.*|\{.*|\[.*|[x*#.?_\-]{3,}"
    r"|/.*/.*|[a-z]:\\.*"
)


# -- Passwords, PINs and codes that people tell each other: a word that announces

# ---- Is a value told as a password? What ties it to the word that announces it, before or behind.

# How far a keyword reaches to either side, in characters (the width that was measured best).
REACH: Final = 45
# Keywords that announce little by themselves.
LIGHT: Final = ("weak", "press", "loose")
_LENGTHS: Final = (
    dict.fromkeys(("pin", "press", "loose"), (3, 8))
    | {"otp": (4, 8), "code": (4, 8)}
    | {"cvc": (3, 4)}
)
_STOP: Final = lazy_pattern(r"[.!?…][ \n]|\n")
_CLAUSE_END: Final = lazy_pattern(
    r"[\"'`)\]]?[ ]?(?:$|[\n,;.!|)]|(?:and|but|so|for|if|on)(?![a-z]))"
)
_SIGN: Final = lazy_pattern(r"[:=→⇒]|->")
_CODED: Final = lazy_pattern(r"번호|코드|code|pin|핀|puk|number")
_CHANGE: Final = lazy_pattern(r"chang|set|reset|updat|switch|rotat|바꿨|바꾸|변경")
# "비번 새로 바꿨는데 …": what follows is the new one.
_SET_ANEW: Final = lazy_pattern(
    r"(?:바꿨|바꿔[ ]?놨|변경했|설정했|해[ ]?놨|만들었)(?:는데|고|어|음|거든)?[ ,]{1,2}[\"'`]?$"
)
# "jane / secret": who comes first is not what opens.
_NAME_FIRST: Final = lazy_pattern(r"[ ]?/[ ]?[!-~\x00]")
# Words joined by signs, as a password that one can remember.
_JOINED: Final = lazy_pattern(r"[A-Za-z]{2,}(?:[\-_.][A-Za-z0-9]+)+")
_IS: Final = lazy_pattern(r"\b(?:is|was|it's)\b")
_SAID_OF: Final = lazy_pattern(r"[\"'`]?[ ](?:is|was|as)[ ]")
_IS_SAID: Final = lazy_pattern(r"\b(?:is|was)\b|^[ ]?(?:은|는|:)")
# What a dial is turned to.
_TURNED: Final = lazy_pattern(r"[0-9]{1,2}(?:[ ]?-[ ]?[0-9]{1,2}){2,3}")
_YEAR: Final = lazy_pattern(r"(?:19[0-9]|20[0-4])[0-9]")
_USED: Final = lazy_pattern(r"[ ]?(?:으로|로|를|을)[ ]?|[ ]to[ ]")
# The value is the last thing that is said.
END: Final = lazy_pattern(r"[\"'`)\]*]{0,2}[.!~]*\s*(?:$|\n)")


class Strength(IntEnum):
    """How much a value looks like a password, by itself."""

    NONE = 0
    SLIGHT = 1  # letters alone
    FAIR = 2  # digits, or a word with a number behind it
    STRONG = 3  # letters and digits as nobody writes them elsewhere
    STRONGEST = 4  # signs among them, too


class PasswordKeyword(NamedTuple):
    """A keyword: what it announces and where it stands."""

    kind: str
    start: int
    end: int


class KeywordTie(NamedTuple):
    """What ties a value to the keyword before it."""

    direct: bool  # nothing stands between them but particles, signs and small words
    said: bool  # the value is followed by "is", or by what one does with a code
    handed: bool  # right before the value stands a sign or a verb that hands it over
    same: bool  # both stand in one sentence


class PasswordValue(NamedTuple):
    """What might be a password: where it stands and how much it looks like one."""

    text: str
    start: int
    end: int
    strength: Strength
    quoted: bool = False

    @property
    def digits(self) -> int:
        """Count the digits of a value that is nothing else; 0 when it is more than digits."""
        bare = self.text.strip("*#").replace(" ", "").replace("-", "").replace(",", "")
        return len(bare) if bare.isdigit() else 0


def kind_of(low: str, keys: list[PasswordKeyword], value: PasswordValue) -> str:
    """Return what the value is, judged by the nearest keyword on either side; empty for nothing."""
    labelled = LABEL.search(low, max(0, value.start - 24), value.start)
    if value.strength == Strength.NONE or not keys or labelled:
        return ""
    at = bisect_left(keys, value.start, key=lambda key: key.start)
    past = bisect_left(keys, value.end, at, key=lambda key: key.start)
    if at and _told_after(low, keys[at - 1], value):
        return _named(keys[at - 1], value)
    if past < len(keys) and _told_before(low, keys[past], value):
        return _named(keys[past], value)
    return ""


def _named(key: PasswordKeyword, value: PasswordValue) -> str:
    if key.kind in ("password", "weak") or not value.digits:
        return "password"
    return "pin" if key.kind in ("code", "press", "loose") else key.kind


def _counts(low: str, value: PasswordValue) -> bool:
    """Say whether digits count something or name a year instead of opening anything."""
    return bool(value.digits and UNIT.match(low, value.end))


def _fits(key: PasswordKeyword, value: PasswordValue) -> bool:
    """Say whether a value made of digits has a length that its keyword may have."""
    least, most = _LENGTHS.get(key.kind, (3, 12))
    return not value.digits or least <= value.digits <= most


def _told_after(low: str, key: PasswordKeyword, value: PasswordValue) -> bool:
    """Judge a value that stands behind its keyword."""
    gap = low[key.end : value.start]
    if len(gap) > REACH or not _fits(key, value) or _counts(low, value):
        return False
    if key.kind == "code" and not value.digits:
        return False
    tie = _tie(low, key, gap, value)
    if ABOUT.search(gap) and not (tie.said and key.kind == "password"):
        return False
    if key.kind == "press":
        return tie.direct and _opens(low, value)
    if key.kind == "loose":
        return _told_loosely(low, gap, value, tie)
    if key.kind == "weak":
        named_first = _NAME_FIRST.match(low, value.end) is not None
        return not named_first and _told_by_login(gap, value, tie)
    if value.strength == Strength.SLIGHT:
        return key.kind == "password" and _is_word(low, gap, value, tie)
    if key.kind == "password" and tie.same and not value.digits and _SET_ANEW.search(gap):
        return True
    if value.digits == 3 and key.kind != "cvc":
        return tie.direct and (tie.said or _CLAUSE_END.match(low, value.end) is not None)
    if tie.direct or ((tie.said or tie.handed) and (value.digits or key.kind == "password")):
        return True
    if value.strength >= Strength.STRONG and key.kind == "password":
        alone = _STOP.search(gap[-2:]) and _CLAUSE_END.match(low, value.end)
        return tie.same or bool(alone)
    return _ends_the_talk(low, key, gap, value, tie)


def _tie(low: str, key: PasswordKeyword, gap: str, value: PasswordValue) -> KeywordTie:
    """Look at what ties a value to the keyword before it."""
    changed = gap.endswith((" to ", " from ")) and _CHANGE.search(
        low, max(0, key.start - 30), value.start
    )
    return KeywordTie(
        direct=DIRECT.match(gap) is not None,
        said=COPULA.match(low, value.end) is not None,
        handed=bool(changed) or HANDED.search(gap) is not None,
        same=not _STOP.search(gap),
    )


def _ends_the_talk(
    low: str, key: PasswordKeyword, gap: str, value: PasswordValue, tie: KeywordTie
) -> bool:
    """Judge a value that nothing but its place ties to the keyword."""
    if not tie.same or key.kind == "code":
        return False
    told = _IS_SAID.search(gap) and not PREPOSITION.search(gap)
    if _YEAR.fullmatch(value.text) and not told:
        return False
    if PREPOSITION.search(gap) and not value.digits:
        return False
    coded = key.kind in ("password", "otp", "cvc") or _CODED.search(low, key.start, key.end)
    turned = key.kind == "pin" and _TURNED.fullmatch(value.text) is not None
    if (coded or turned) and len(gap) <= 30 and END.match(low, value.end):
        return value.digits > 0 or key.kind == "password"
    if coded and value.digits > 3 and len(gap) <= 12 and _CLAUSE_END.match(low, value.end):
        return True
    near = len(gap) <= 20 and not FAILED.search(gap)
    return bool(value.digits and coded and near and key.kind != "password")


def _told_loosely(low: str, gap: str, value: PasswordValue, tie: KeywordTie) -> bool:
    """Judge a value near a word that hardly announces anything."""
    if value.strength == Strength.STRONGEST:
        return tie.same
    given = tie.said or tie.handed or any(tying.search(gap) for tying in (TYPED, WITH, _SIGN))
    if value.digits:
        return given and not _YEAR.fullmatch(value.text) and _opens(low, value)
    return value.strength == Strength.STRONG and tie.same


def _told_by_login(gap: str, value: PasswordValue, tie: KeywordTie) -> bool:
    """Judge a value behind a word that only sometimes announces a password."""
    if value.strength >= Strength.STRONG:
        return tie.same
    if value.strength == Strength.SLIGHT:
        return "/" in gap[-3:] and _JOINED.fullmatch(value.text) is not None
    told = _SIGN.search(gap) or _IS.search(gap)
    near = tie.direct or (tie.handed and len(gap) <= 30)
    return value.strength == Strength.FAIR and not value.digits and near and told is not None


def _is_word(low: str, gap: str, value: PasswordValue, tie: KeywordTie) -> bool:
    """Judge a value of letters alone: only a clear hand-over makes it a password."""
    plain = value.text.lower()
    if plain in PLAIN or not tie.direct:
        return False
    if value.quoted:
        return True
    if PLAIN_ENDING.fullmatch(plain):
        return False
    told = _SIGN.search(gap) or _IS.search(gap)
    return tie.said or bool(told and _CLAUSE_END.match(low, value.end))


def _opens(low: str, value: PasswordValue) -> bool:
    """Say whether digits that are pressed open something."""
    if not value.digits:
        return False
    start, end = max(0, value.start - 24), min(len(low), value.end + 20)
    return value.text.strip("*#") != value.text or bool(OPENED.search(low, start, end))


def _told_before(low: str, key: PasswordKeyword, value: PasswordValue) -> bool:
    """Judge a value that stands before its keyword."""
    gap = low[value.end : key.start]
    typed = TYPED.search(low, max(0, value.start - 14), value.start) is not None
    # "I'm putting heron-Lamp-88, same as ever, and it says: wrong password": what is typed in and
    # looks like nothing else is meant, however long the tale.
    reach = 2 * REACH if typed and value.strength >= Strength.STRONG else REACH
    if len(gap) > reach or not _fits(key, value) or _STOP.search(gap) or _counts(low, value):
        return False
    if key.kind == "press":
        typed_in = (
            value.strength >= Strength.FAIR and not value.digits and low[key.start] in "치입찍"
        )
        return len(gap) <= 6 and (_opens(low, value) or typed_in)
    if key.kind == "loose":
        return _used_for(low, gap, value, typed=typed)
    if key.kind == "weak":
        used = _USED.fullmatch(gap) is not None
        return used and (value.strength >= Strength.STRONG or (typed and value.digits in (0, 6)))
    if value.strength == Strength.SLIGHT:
        said = COPULA.match(low, key.end) or _SAID_OF.match(gap)
        return value.quoted and said is not None and BEHIND.match(gap) is not None
    if typed or BEHIND.match(gap):
        return True
    if len(gap) > 2:
        return key.kind == "otp" and value.digits == 6 and len(gap) <= 16
    return low[key.start] in "누눌치입찍" or COPULA.match(low, key.end) is not None


def _used_for(low: str, gap: str, value: PasswordValue, *, typed: bool) -> bool:
    """Judge a value that is used for what is named behind it."""
    if value.strength == Strength.STRONGEST:
        return True
    used = _USED.match(gap) is not None and len(gap) <= 12
    return used and (_opens(low, value) or (typed and value.strength >= Strength.STRONG))


# ---- Passwords, PINs and codes that people tell each other: a word that announces, a value that

_LONGEST: Final = 80
_ANY_VALUE: Final = lazy_pattern(
    r"[!-~]{3}|[0-9]{2}|[\"'`]"
    r"|[공영일이삼사오육륙칠팔구](?:[ ,\-]{0,2}[공영일이삼사오육륙칠팔구]){3}"
)
_VALUES: Final = lazy_pattern(
    r"(?<![0-9A-Za-z])(?P<apart>[*#]?[0-9](?:[ \-,][0-9]){3,7}[*#]?"
    r"|[*#]?[0-9]{2,4}[ \-][0-9]{2,4}[*#]?|[0-9]{1,2}(?:[ ]?-[ ]?[0-9]{1,2}){2})(?![0-9A-Za-z]"
    r"|[ .\-/:,][0-9])"
    r"|(?P<spoken>(?<![가-힣])[공영일이삼사오육륙칠팔구](?:[ ,\-]{0,2}[공영일이삼사오육륙칠팔구])"
    r"{3,7}|(?<![A-Za-z])(?:zero|oh|one|two|three|four|five|six|seven|eight"
    r"|nine)(?:[ ,\-]{1,2}(?:zero|oh|one|two|three|four|five|six|seven|eight"
    r"|nine)){3,7}(?![A-Za-z]))|(?P<hangul>[가-힣]{2,10}[0-9]{2,8}[!@#$%^&*]{0,3})"
    r"|(?P<run>[!-~]{3,80})"
)
_QUOTED: Final = lazy_pattern(r"(?P<mark>[\"'`])(?P<value>[^\"'`\n]{3,60})(?P=mark)")
_PHRASE: Final = lazy_pattern(r"[a-z]{2,12}(?:[ \-][a-z]{2,12}){2,11}(?![a-z])")
_MODEL: Final = lazy_pattern(
    r"[A-Z]{1,5}-?[0-9]{2,5}[A-Z]{0,3}[0-9]?|[a-z]+(?:[_\-][a-z]+)+[_\-]?[0-9]{1,2}"
    r"|[A-Za-z]+[0-9]{1,2}|[0-9a-fA-F]{32,}|[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-.*"
)
_ASSIGNED_NAME: Final = lazy_pattern(r"[a-z0-9_]{1,40}(?=[ ]?[:=])")
# Signs between letters and digits that people write every day.
_ORDINARY: Final = lazy_pattern(
    r"[A-Za-z]+[#@][0-9]+|[A-Za-z]&[A-Za-z][0-9A-Za-z]*|[a-z0-9.]+@[a-z0-9.\-]+|\w+=.*"
    r"|[A-Za-z]+(?:\+[A-Za-z0-9]+)+|[0-9]+[%$+*~?]+[A-Za-z]+|.*\?.*=.*|[A-Za-z][+*^][0-9]+"
)
_PHRASE_INTRO: Final = lazy_pattern(r"[ ]?(?:is|was|=|:|은|는)?[ \"']{1,2}")
# Said in so many words, without any word that announces it.
_OUTRIGHT: Final = lazy_pattern(
    r"(?:gate|door|alarm|padlock|keypad|garage|shed|safe|lock[ ]?box|locker)(?:'s|[ ]is(?:[ ]now)?)"
    r"[ ](?P<pin>[0-9]{3,8})(?![0-9.:/]|[ ]?(?:[mck]m|m|ft|feet|foot|inch|years?|kg|x)(?![a-z]))"
    r"|(?:key[ ]?safe|lock[ ]?box|padlock|combo)[^.\n]{0,30}?[ ]"
    r"(?P<apart>[0-9](?:-[0-9]){3,7})(?![0-9\-])"
    r"|safe[ ]is[ ](?P<turned>(?:left|right)[ ][0-9]{1,2}(?:[, ]{1,2}(?:then[ ])?(?:left|right)[ ]"
    r"[0-9]{1,2}){1,4})"
    r"|(?:texted|sent|emailed)[ ]me[ ](?:a[ ]|the[ ])?(?:code[ ])?(?P<otp>[0-9]{4,8})(?![0-9])"
    r"|(?<![a-z])use[ ](?P<same>(?=[^\s]{0,30}[a-z])(?=[^\s]{0,30}[0-9])[^\s]{6,30})[ ]"
    r"(?:for|on)[ ](?:every|all(?![a-z]))"
    r"|log[ \-]?in[^.\n]{0,30}?[ ]is[ ](?P<login>[a-z]{3,20}[0-9]{2,8})(?![a-z0-9@.])"
)
_OUTRIGHT_KIND: Final = {"same": "password", "login": "password", "otp": "otp"}
_SIGNS: Final = frozenset("!@#$%^&*?+=~")


def passwords(seen: Seen) -> Iterator[Spot]:
    """Find what looks like a password, a PIN or a code that somebody tells."""
    if not _ANY_VALUE.search(seen.low):
        return
    found = list(_announced(seen))
    yield from found
    for match in _OUTRIGHT.finditer(seen.low):
        named = match.lastgroup or ""
        start, end = match.span(named)
        known = any(spot.start < end and start < spot.end for spot in found)
        if not known and not UNIT.match(seen.low, end):
            yield Spot(_OUTRIGHT_KIND.get(named, "pin"), start, end)


def _announced(seen: Seen) -> Iterator[Spot]:
    """Find what stands near a word that announces it."""
    text, low = seen.text, seen.low
    if not any(stem in low for stem in STEMS) and not SPREAD.search(low):
        return
    keys = list(_keys(low))
    strong = [key for key in keys if key.kind not in LIGHT]
    groups = (strong, *([key for key in keys if key.kind == kind] for kind in LIGHT))
    for first, last in _windows(keys, len(text)):
        for value in _values(text, keys, first, last):
            kind = next(filter(None, (kind_of(low, group, value) for group in groups)), "")
            if kind:
                yield Spot(kind, value.start, value.end)
    yield from _phrases(low, strong)


def _keys(low: str) -> Iterator[PasswordKeyword]:
    """Find the words that announce a password."""
    for match in KEYWORD.finditer(low):
        start, end = match.span()
        kind = match.lastgroup or ""
        before = low[start - 1 : start]
        if before.isascii() and before.isalnum() and low[start].isascii():
            continue
        if low[end : end + 1] == "_":
            # Part of a name in code: it announces a value only where one is assigned to it.
            name = _ASSIGNED_NAME.match(low, end)
            if name is None:
                continue
            end = name.end()
        if kind == "code" and OTHER_CODE.search(low[max(0, start - 12) : start]):
            continue
        if kind == "password" and MENTION.match(low, end):
            kind = "weak"
        yield PasswordKeyword(kind, start, end)


def _windows(keys: list[PasswordKeyword], length: int) -> Iterator[tuple[int, int]]:
    """Join what the keywords reach into stretches that do not overlap."""
    first = last = -1
    for key in keys:
        start = max(0, key.start - REACH - _LONGEST)
        if start > last:
            if last > 0:
                yield first, last
            first = start
        last = min(length, key.end + REACH + _LONGEST)
    if last > 0:
        yield first, last


def _values(
    text: str, keys: list[PasswordKeyword], first: int, last: int
) -> Iterator[PasswordValue]:
    """Find everything in a stretch that might be a value."""
    ends = [key.end for key in keys]
    for match in _VALUES.finditer(text, first, last):
        start, end = match.span()
        if match.lastgroup == "run":
            if "://" in match[0]:
                continue
            # A run may begin with its keyword ("pw:abc"), and it may be a keyword.
            inside = bisect_right(ends, end) - 1
            if inside >= 0 and ends[inside] > start:
                if keys[inside].start <= start and end - ends[inside] <= 1:
                    continue
                if end - ends[inside] >= 3 and text[ends[inside]] in ":=>/'\"`([<{-~":
                    start = ends[inside]
            yield from _pieces(text, start, end)
        else:
            yield PasswordValue(match[0], start, end, Strength.FAIR)
    for match in _QUOTED.finditer(text, first, last):
        start, end = match.span("value")
        if bisect_right(ends, end) == bisect_right(ends, start):
            spaced = " " in match["value"].strip()
            strength = (
                Strength.SLIGHT
                if spaced
                else max(_strength(match["value"].strip()), Strength.SLIGHT)
            )
            yield PasswordValue(match["value"], start, end, strength, quoted=True)


def _pieces(text: str, start: int, end: int) -> Iterator[PasswordValue]:
    """Cut a run of signs where people cut: after an id, at commas, before closing marks."""
    for match in re.finditer(r"[^,;|]+", text[start:end]):
        first, piece = start + match.start(), match[0]
        bare = piece.lstrip("\"'`([{<:=>-~→")
        first += len(piece) - len(bare)
        if cut := re.match(r"[A-Za-z0-9_.@\-]{2,40}[/:](?=.{4})", bare):
            first += cut.end()
            bare = bare[cut.end() :]
        bare = bare.rstrip("\"'`)]}>.:?")
        if len(bare) >= 3:
            last = first + len(bare)
            ended = END.match(text, last) is not None
            yield PasswordValue(bare, first, last, _strength(bare.rstrip("!") if ended else bare))


def _strength(value: str) -> Strength:
    """Weigh how much a value looks like a password."""
    if value.strip("*#").isdigit():
        return Strength.FAIR if 3 <= len(value.strip("*#")) <= 12 else Strength.NONE
    if TECHNICAL.fullmatch(value.lower()):
        return Strength.NONE
    letters = sum(map(str.isalpha, value))
    digits = sum(map(str.isdigit, value))
    signs = len(_SIGNS.intersection(value.lstrip("#@")))
    if letters and digits:
        if len(value) < 5 or _MODEL.fullmatch(value):
            return Strength.FAIR
        return Strength.STRONGEST if signs and not _ORDINARY.fullmatch(value) else Strength.STRONG
    telling = _SIGNS.intersection(value.rstrip("!?")) - {"!", "?"}
    if signs and len(value) >= 6 and (digits >= 3 or telling):
        return Strength.STRONG
    return Strength.SLIGHT if letters >= 3 else Strength.NONE


def _phrases(low: str, keys: list[PasswordKeyword]) -> Iterator[Spot]:
    """Find a passphrase of several words right behind its keyword."""
    for key in keys:
        intro = _PHRASE_INTRO.match(low, key.end)
        if intro and low.startswith("phrase", key.end - 6):
            phrase = _PHRASE.match(low, intro.end())
            sure = phrase and ("-" in phrase[0] or ":" in intro[0] or "=" in intro[0])
            if phrase and (sure or not FUNCTION.intersection(phrase[0].split())):
                yield Spot("password", *phrase.span())

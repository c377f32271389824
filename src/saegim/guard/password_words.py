"""The words around passwords in Korean and English: what announces one, what only mentions it."""

from __future__ import annotations

from typing import Final

from saegim.language.word_lists import read_lists
from saegim.memory.late import late

_LISTS: Final = read_lists("both/password_words")

STEMS: Final = _LISTS.row("stems")
# A keyword whose letters stand apart.
SPREAD: Final = late(r"비[ ._\-]{1,2}[밀번]|암[ ._\-]{1,2}호|패[ ._\-]{1,2}스|p a s s")
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
    r"|문[ ]?번호(?!판)|핀[ ]?(?:번호|코드|넘버)|핀(?=(?:이|은|을)?[ :=]{1,2}[0-9]{4})"
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
KEYWORD: Final = late(
    f"(?P<password>{_PASSWORD})|(?P<otp>{_ONE_TIME})|(?P<cvc>{_CARD_CODE})|(?P<pin>{_PIN})"
    rf"|(?P<code>code(?![a-z])|코드)|(?P<press>{_PRESS})|(?P<weak>{_WEAK})|(?P<loose>{_LOOSE})"
)
# A code that no door opens to.
OTHER_CODE: Final = late(
    r"(?:제품|품목|주문|예약|reservation|booking|error|status|exit|zip|postal|country|area|dress"
    r"|source|qr|bar|product|promo|coupon|discount|referral|morse|color|colour|http|return"
    r"|response|dial|tax|swift|sort|bank|airport|stock|course|오류|에러|상태|소스|큐알|상품|쿠폰"
    r"|할인|추천인?|국가|지역|우편|색상|바|종목|학수|과목|응답|종료|초대)[ ]?$"
)
# What may follow the keyword when its verb or ending says that it is only spoken about.
MENTION: Final = late(
    r"[ ]?(?:manager|reset|policy|policies|field|hash|hashing|hint|generator|protect|strength"
    r"|rotation|vault|prompt|rules?(?![a-z])|length|less|관리|정책|규칙|찾기|재설정|초기화|해시"
    r"|생성기|강도|길이|힌트)"
)
# Between a keyword and its value: particles, signs, and words that add nothing.
DIRECT: Final = late(
    r"[\])]?s?[ ]?(?:은요|는요|은|는|이|가|을|를|도|만|란|이란|으로|로|의|님|해|하면|하려면"
    r"|할[ ]?때는?|할[ ]?땐)?(?:[ ]?(?:[:=>~→⇒\-,?]{1,3}|is|was|are|'s|be|now|still|currently"
    r"|today|set|to|changed|temporarily|this|here|following|as|follows|just|probably|영어로"
    r"|영타로|한글로|소문자로|대문자로|숫자로|아직|이제|지금은?|일단|그냥|원래|아마|각각|바로"
    r"|이거|이걸로|요거|다시|새로|현재|오늘|임시로?|여기|아래|적어|둘게|보낼게|줄게"
    r"|(?:[0-9]|[한두세네]|다섯|여섯)[ ]?자리(?:는|가)?|번호(?:는|가)?|입력|code|number|누르고"
    r"|바뀐|뒤|앞|끝)){0,4}[ \n]{0,3}(?:[a-z0-9_.@\-]{2,24}[ ]?[/:][ ]?)?[\"'(\[<{`*]{0,2}$"
)
# Right before a value: a sign or a verb that hands it over.
HANDED: Final = late(
    r"(?:[:=→⇒]|->|=>|(?<![a-z])(?:is|it's|its|was|be|as|used?|using|try|tried|typed?"
    r"|enter(?:ed)?|punch(?:ed)?|press(?:ed)?|dial|say|called|takes|wants|needs|expects|accepts"
    r"|now|just|are|into|key|hit|input)(?:[ ]in)?|'s|(?<![가-힣])(?:이제|지금은?|그냥|바로|이거"
    r"|요거)|(?:은|는|이|가|을|를))[ ]{0,2}[\"'(\[`]?$"
)
# Right after a value: an ending that says "is", or a verb that uses it.
COPULA: Final = late(
    r"[\"')\]`*]{0,2}[ ]?(?:이야|야(?![가-힣])|입니다|이에요|예요|에요|이여|임(?![가-힣])|이고"
    r"|이다|다(?![가-힣])|이?거든|이?니까|이?라고|이었|였|인데|이?래(?![가-힣])|맞지|맞아"
    r"|이?지(?![가-힣])|이?네(?![가-힣])|이?요(?![가-힣])|이?잖|인[ ]?것|일걸"
    r"|(?:으로|로)[ ]?(?:바꿨|바꾸|바꿔|바뀌|바뀜|변경|설정|했|해|하|맞|되|돼|들어|열|입력|풀"
    r"|로그인|통일|접속|쓰|저장)|(?:을|를)?[ ]?(?:누르|눌러|치면|쳐|입력|찍|넣|쓰면"
    r"|써(?![가-힣])|씀|사용))"
)
# What hands over to somebody who signs in.
WITH: Final = late(r"(?<![a-z])(?:with|using|as|by)[ ]{1,2}[\"'(`]?$|[/:][ ]?$")
# What is typed before its keyword is named.
TYPED: Final = late(
    r"(?:(?<![a-z])(?:use|using|used|try|trying|tried|type|typing|typed|enter|entering|entered"
    r"|punch|press|dial|key|hit|put|putting|input)(?:[ ](?:in|it))?)[ ]{1,2}[\"'(\[`]?$"
)
# What is opened by pressing digits.
OPENED: Final = late(
    r"지문|잠금|(?<![가-힣])문[ 이을]|열(?:려|리|어|면|[ ]때)|들어(?:오|가|올|갈|와)|번호키|서랍"
    r"|앱은|현관|출입|도어|경보|해제|alarm|door|gate|lock|keypad|beep|get in|front|shed"
    r"|pad(?![a-z])|box|elevator|garage|safe|entrance|lobby|building|parking"
)
# What the talk is about instead, or why there is no value.
ABOUT: Final = late(
    r"모델|기종|제품|시리얼|버전|업데이트|model|serial|version|update|firmware|ticket|issue|이슈"
    r"|article|date(?![a-z])|날짜|기한|만료|칸에|필드|field|column|칼럼|테이블|변수|함수"
)
# Before a thing, not before a value.
PREPOSITION: Final = late(
    r"(?:(?<![a-z])(?:with|for|on|to|in|by|from|at|of|via|like|than)|에서|에|한테|에게|보다|처럼"
    r"|랑|와|과)[ ]$"
)
FAILED: Final = late(
    r"안[ ]?(?:와|왔|옴|되|돼|됨|들어)|못[ ]?받|틀려|틀렸|틀림|잊|까먹|모르|몰라|forg[eo]t|wrong"
    r"|never|didn't|expired|invalid|doesn't|failed"
)
# Between a value and the keyword behind it.
BEHIND: Final = late(
    r"[ ]\(|[\"')\]`!.]{0,2}[ ]?(?:이|가|은|는|이게|그게|로|으로|을|를|라는|이라는|라고|이라고|="
    r"|:|<-|←|is|was|as|for|,|works|opens|unlocks|became|this|that|it)(?![a-z])[^.!?\n]{0,28}$"
)
UNIT: Final = late(
    r"[ ]?(?:년|월|일(?![ ]?거)|시|분|초|원|개|명|번(?![ ]?이)|자리|회|층|호|동|%|글자"
    r"|자(?![가-힣])|단계|점|위|차|살|세|주|박|킬로|미터|만|천|백|억|달러|건|장|권|쪽|페이지|배"
    r"|도씨|°|px|kb|mb|gb|토큰|비트|바이트|줄|칸|곳|가지|(?:digits?|char|times?|years?|days?"
    r"|hours?|min|sec|users?|people|attempts?|won|dollars?|items?|accounts?|passwords?|members?"
    r"|sites?|bits?|bytes?|rounds?|iterations?|of|am|pm|tokens?|letters?|words?|lines?|codes?"
    r"|pins|percent|k|seconds?|minutes?|weeks?|months?)(?![a-z]))"
)
LABEL: Final = late(
    r"(?:아이디|(?<![a-z])id|계정|이메일|(?<![a-z])e?-?mail|user(?:[ ]?name)?|유저(?:네임)?|ssid"
    r"|network|이름|account|닉네임|nickname|핸들|handle)[ ]?(?:은|는|이|가|:|=|is"
    r"|-)*[ ]?[\"'(\[`]?$"
)
PLAIN: Final = _LISTS.words("plain")
FUNCTION: Final = _LISTS.words("function")
PLAIN_ENDING: Final = late(r"[a-z]+(?:ed|ing|ly|able|ible|ive|ful|less|ous|ment|tion|ness)")
# Letters and digits together that everyone writes and nobody logs in with.
TECHNICAL: Final = late(
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

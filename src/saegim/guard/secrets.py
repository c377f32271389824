"""Find secrets by their form: credentials of vendors, and numbers that belong to a person."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from datetime import date
from typing import Final, NamedTuple

from saegim.guard.visible_text import Seen, Spot
from saegim.memory.text import lazy_pattern

# Digits close together. A run of more than twenty is no one's number, and is passed over at once.
_ZONE: Final = lazy_pattern(
    r"(?<![0-9])[0-9]{1,20}(?![0-9])(?:[ ().\-/]{1,4}+[0-9]{1,20}(?![0-9]))*+"
)
_START: Final = r"(?<![0-9A-Za-z_])(?<![0-9A-Za-z][.\-])"
_STOP: Final = r"(?![0-9A-Za-z_]|[.\-][0-9A-Za-z])"
_CARD: Final = lazy_pattern(
    _START + r"(?:[0-9]{4}[ .\-/]{1,3}[0-9]{4}[ .\-/]{1,3}[0-9]{4}[ .\-/]{1,3}[0-9]{1,7}"
    r"|[0-9]{4}[ .\-/]{1,3}[0-9]{6}[ .\-/]{1,3}[0-9]{4,5}|[0-9]{13,19})" + _STOP
)
_RESIDENT: Final = lazy_pattern(
    r"(?<![0-9])(?<![0-9A-Za-z][.\-])(?P<birth>[0-9]{6}"
    r"|(?:[0-9][ .]){5}[0-9])(?P<gap>[ .\-/]{0,5})(?P<rest>[1-8](?:[0-9]{6}"
    r"|(?:[ .][0-9]){6}))(?![0-9]|[.\-][0-9])"
)
_END: Final = lazy_pattern(r"뒷[ ]?자리[^0-9]{0,8}(?P<rest>[1-8][0-9]{6})(?![0-9])")
_HALVES: Final = lazy_pattern(
    r"(?<![0-9])(?P<birth>[0-9]{6})(?![0-9])[^0-9]{1,24}(?P<rest>[1-8][0-9]{6})(?![0-9])"
)
_KOREAN_PHONE: Final = lazy_pattern(
    r"(?<![0-9A-Za-z_+.])(?<![0-9]-)(?:(?P<mobile>(?:\(?01[016789]"
    r"|82[ .\-]{1,2}10)\)?[ .\-/)]{0,3}[0-9]{3,4})|(?P<land>\(?0(?:2|3[1-3]|4[1-4]|5[1-5]|6[1-4]"
    r"|70|80|50[2-9]?)\)?[ .\-/)]{0,3}[0-9]{3,4}))(?P<gap>[ .\-/]{0,3})[0-9]{4}(?![0-9]"
    r"|[.\-][0-9])"
)
_FOREIGN_PHONE: Final = lazy_pattern(
    r"(?<![0-9A-Za-z_+])(?:\+[ ]?|00)\(?[1-9][0-9]{0,2}(?:[ .\-/()]{0,3}[0-9]){6,13}(?![0-9]"
    r"|[.\-][0-9])"
)
_LOCAL_PHONE: Final = lazy_pattern(
    r"(?<![0-9A-Za-z_+.])(?<![0-9]-)(?:1[ .\-])?\(?[0-9]{2,5}\)?[ .\-]{1,2}[0-9]{3,4}(?P<third>[ "
    r".\-]{1,2}[0-9]{3,4})?(?![0-9A-Za-z_]|[ .\-][0-9])"
)
_SPOKEN_PHONE: Final = lazy_pattern(
    r"공[ ]?일[ ]?공(?:[ ,.\-]{0,3}[공영일이삼사오육륙칠팔구]){7,8}"
)
_BUSINESS: Final = lazy_pattern(_START + r"[0-9]{3}[ \-]?[0-9]{2}[ \-]?[0-9]{5}" + _STOP)
_LICENCE: Final = lazy_pattern(
    r"(?<![0-9])(?<![0-9]-)(?:(?P<region>[0-9]{2})[ \-]?)?[0-9]{2}[ \-]?[0-9]{6}[ \-]?[0-9]{2}"
    + _STOP
)
_SOCIAL: Final = lazy_pattern(
    # Also with groups that were never given out: whoever names it may have mistyped their own.
    _START + r"[0-9]{3}[ \-]?[0-9]{2}[ \-]?[0-9]{4}" + _STOP
)
_ACCOUNT: Final = lazy_pattern(
    _START + r"(?:[0-9]{2,6}(?:[ \-]{1,3}[0-9]{1,8}){1,4}|[0-9]{8,16})" + _STOP
)
_DATE: Final = lazy_pattern(
    r"(?:19|20)[0-9]{2}[ .\-/]{1,2}[01]?[0-9][ .\-/]{1,2}[0-3]?[0-9](?![0-9])"
)
# Letters before digits: the only form the rest can have.
_LETTERED: Final = lazy_pattern(r"[A-Za-z][0-9]{2}")
_IBAN: Final = lazy_pattern(
    r"(?<![A-Za-z0-9])[A-Z]{2}[0-9]{2}(?:[ ]?[A-Z0-9]{4}){2,7}(?:[ ]?[A-Z0-9]{1,4})?(?![A-Za-z0-9"
    r"])"
)
_PAPER: Final = lazy_pattern(
    r"(?<![A-Za-z0-9])(?:[A-Z]{1,2}[0-9]{3}[A-Z][0-9]{4}|[A-Z]{1,5}[0-9]{6,9}[A-Z0-9]{0,7}"
    r"|[A-Z][0-9]{2,3}(?:[ \-][0-9]{2,4}){2,4})(?![A-Za-z0-9])",
    re.IGNORECASE,
)

_SAYS_RESIDENT: Final = lazy_pattern(
    r"주민|민번|외국인|등록[ ]?번호|resident|\brrn\b|\barc\b|alien|foreigner|뒷[ ]?자리"
)
_SAYS_PHONE: Final = lazy_pattern(
    r"전화|연락|핸드폰|휴대폰|폰[ ]?번|핸펀|팩스|카톡|\btel\b|phone|\bcell\b|\bcall|mobile"
    r"|\btext (?:me|him|her|us|them)|\bfax|whatsapp|\breach\b|\bring (?:me|him|her|us)|\bdial|☎"
    r"|📞"
)
_SAYS_NUMBER: Final = lazy_pattern(r"번호|\bnumber|\bcontact|\btext\b|문자")
_SAYS_BANK: Final = lazy_pattern(
    r"계좌|통장|입금|송금|이체|은행|뱅크|뱅킹|예금주|account|\bacct|\bbank|\bwire\b|routing"
    r"|sort code"
)
_SAYS_ACCOUNT: Final = lazy_pattern(
    r"계좌|은행|뱅크|예금주|account (?:no|num|#)|\bacct|\bbank account|sort code"
)
_BANKS: Final = (
    r"(?:국민|신한|우리|하나|농협|기업|카뱅|카카오|토스|새마을|우체국|신협|수협|산업|제일|씨티"
    r"|부산|대구|광주|전북|경남|제주|케뱅|케이|\bkb|\bnh|\bibk|\bsc|\bkdb)"
)
_BANK: Final = lazy_pattern(rf"{_BANKS}(?:은행|뱅크|금고)?[ :,]{{0,3}}$")
_BANK_BEHIND: Final = lazy_pattern(rf"[ ]?(?:\({_BANKS}|{_BANKS}(?:은행|뱅크|금고))")
_SAYS_CARD: Final = lazy_pattern(
    r"카드|card|\bvisa|비자|master|마스터|amex|결제|\bcvv\b|\bcvc\b|\bexp\b|expir"
    r"|유효[ ]?기간|long number"
)
_IN_FOURS: Final = lazy_pattern(r"[0-9]{4}([ \-])[0-9]{4}\1[0-9]{4}\1[0-9]{4}")
_SAYS_BUSINESS: Final = lazy_pattern(r"사업자|business (?:reg|no|num|id)|\bbrn\b|tax id|세금계산서")
_SAYS_LICENCE: Final = lazy_pattern(r"면허|driv[a-z']{1,5}s?[ ]licen|\bdl\b|licence (?:no|num)")
_SAYS_PASSPORT: Final = lazy_pattern(r"여권|passport")
_SAYS_SOCIAL: Final = lazy_pattern(
    r"\bssn\b|social security|\bsocial\b|사회[ ]?보장|\bitin\b|\bss#"
)
_NAMES_SOCIAL: Final = lazy_pattern(
    r"\bssns?\b|social security|\bsocials?\b(?! (?:media|worker|event|life|club|distanc))"
    r"|사회[ ]?보장|\bitin\b|\bw-?[249]\b|\bfafsa\b"
)
_SAYS_CUSTOMS: Final = lazy_pattern(r"통관|customs")
# Numbers of things: nothing near these words is a person's number unless it proves itself.
_OF_THINGS: Final = lazy_pattern(
    r"주문|송장|운송|접수|예약|상품|모델|품번|시리얼|serial|order|invoice|tracking|\bsku\b"
    r"|part n|isbn|바코드|barcode|ticket|티켓|관리[ ]?번호|문서|사건|버전|version|build|commit"
    r"|법인|타임스탬프|timestamp|epoch|택배|parcel|case n|일련|쿠폰|coupon|회차|논문|doi\b"
)
_UNIT: Final = lazy_pattern(
    r"[ ]?(?:원|만|억|달러|won\b|krw|usd|엔|위안|개|명|바이트|bytes?\b|ms\b|%)"
)
_CARD_ISSUERS: Final = lazy_pattern(
    r"4|5[1-5]|2(?:22[1-9]|2[3-9]|[3-6]|7[01]|720)|3[4-9]|6|50|5[6-9]|9"
)
_BUSINESS_WEIGHTS: Final = (1, 3, 7, 1, 3, 7, 1, 3, 5)
_RESIDENT_WEIGHTS: Final = (2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5)
# From this day on new resident numbers end in random digits: the checksum proves nothing.
_RANDOM_SINCE: Final = date(2020, 10, 5)


class _Talk:
    """What the words of a text say, looked up once for each kind of word."""

    def __init__(self, seen: Seen) -> None:
        self.text, self.low = seen.text, seen.low
        self._places: dict[re.Pattern[str], tuple[list[int], list[int]]] = {}

    def says(
        self, words: re.Pattern[str], match: re.Match[str], before: int = 30, after: int = 20
    ) -> bool:
        """Say whether a word stands shortly before or after what was found."""
        if words not in self._places:
            spans = [found.span() for found in words.finditer(self.low)]
            self._places[words] = [start for start, _ in spans], [end for _, end in spans]
        starts, ends = self._places[words]
        if not starts:
            return False
        first, last = match.span()
        near = bisect_left(starts, first - before)
        if near < len(starts) and ends[near] <= first:
            return True
        near = bisect_left(starts, last)
        return near < len(starts) and ends[near] <= last + after

    def of_things(self, match: re.Match[str]) -> bool:
        """Say whether the number is said to be one of a thing."""
        return self.says(_OF_THINGS, match, before=18, after=4)

    def before(self, match: re.Match[str], length: int) -> str:
        """Return the words right before what was found."""
        return self.low[max(0, match.start() - length) : match.start()]


class _Zone(NamedTuple):
    """A stretch with digits, and the talk around it."""

    talk: _Talk
    start: int
    end: int

    def all(self, pattern: re.Pattern[str]) -> Iterator[re.Match[str]]:
        """Find a pattern in the stretch."""
        return pattern.finditer(self.talk.text, self.start, self.end)


def private_numbers(seen: Seen) -> Iterator[Spot]:
    """Find every number of a person in the text; ranges may overlap."""
    text, low = seen.text, seen.low
    talk = _Talk(seen)
    for found in _ZONE.finditer(text):
        count = sum(map(str.isdigit, found[0]))
        if count < 7:
            continue
        zone = _Zone(talk, max(0, found.start() - 3), min(len(text), found.end() + 2))
        if count >= 13:
            yield from _residents(zone)
            yield from _cards(zone)
        yield from _phones(zone)
        yield from _papers(zone)
        yield from _accounts(zone)
    whole = _Zone(talk, 0, len(text))
    if "민번" in low or "주민" in low or "자리" in low:
        yield from _halves(whole)
        yield from _ends(whole)
    if _LETTERED.search(text):
        yield from _lettered(whole)
    if "공" in text:
        yield from (Spot("phone", *match.span()) for match in _SPOKEN_PHONE.finditer(text))


def _digits(found: str) -> str:
    return "".join(filter(str.isdigit, found))


def _residents(zone: _Zone) -> Iterator[Spot]:
    for match in zone.all(_RESIDENT):
        number = _digits(match["birth"] + match["rest"])
        born = _birth(number)
        if born is None:
            continue
        of_things = zone.talk.of_things(match)
        if not (
            zone.talk.says(_SAYS_RESIDENT, match) and "법인" not in zone.talk.before(match, 14)
        ) and (
            of_things
            or born.year < 1920
            or not (_resident_checks(number) or (match["gap"] and _is_random(number, born)))
        ):
            continue
        yield Spot("foreigner" if number[6] in "5678" else "rrn", *match.span())


def _birth(number: str) -> date | None:
    """Read the birthday that a resident number starts with."""
    century = 1900 if number[6] in "1256" else 2000
    try:
        return date(century + int(number[:2]), int(number[2:4]), int(number[4:6]))
    except ValueError:
        return None


def _is_random(number: str, born: date) -> bool:
    return born >= _RANDOM_SINCE and number[6] in "3478"


def _resident_checks(number: str) -> bool:
    """Check the last digit, by the rule for citizens or the one for foreigners."""
    total = sum(int(d) * w for d, w in zip(number, _RESIDENT_WEIGHTS, strict=False))
    last = int(number[12])
    return last in ((11 - total % 11) % 10, (13 - total % 11) % 10)


def _halves(zone: _Zone) -> Iterator[Spot]:
    """Find a resident number that is told in two halves with words between them."""
    for match in zone.all(_HALVES):
        if _birth(match["birth"] + match["rest"]) and zone.talk.says(_SAYS_RESIDENT, match):
            yield Spot("rrn", *match.span())


def _ends(zone: _Zone) -> Iterator[Spot]:
    """Find the secret half of a resident number, told alone."""
    for match in zone.all(_END):
        if "민" in zone.talk.before(match, 20):
            yield Spot("rrn", *match.span("rest"))


def _cards(zone: _Zone) -> Iterator[Spot]:
    for match in zone.all(_CARD):
        number = _digits(match[0])
        if not (13 <= len(number) <= 19 and _CARD_ISSUERS.match(number)):
            continue
        # A card that is spoken of as one is one, even with a digit mistyped.
        told = _IN_FOURS.fullmatch(match[0]) and zone.talk.says(_SAYS_CARD, match, 60, 40)
        if not _luhn(number) and not (told and not zone.talk.of_things(match)):
            continue
        # Without separators some beginnings are a day of our years, or only known in one country.
        bare = match[0].isdigit()
        doubtful = bare and (number[0] in "29" or len(number) not in (15, 16))
        if not doubtful or zone.talk.says(_SAYS_CARD, match):
            yield Spot("card", *match.span())


def _luhn(number: str) -> bool:
    """Check a card number's last digit."""
    doubled = (sum(divmod(2 * int(digit), 10)) for digit in number[-2::-2])
    return len(set(number)) > 1 and (sum(doubled) + sum(map(int, number[-1::-2]))) % 10 == 0


def _phones(zone: _Zone) -> Iterator[Spot]:
    for match in zone.all(_KOREAN_PHONE):
        if match["mobile"] or match["gap"] or zone.talk.says(_SAYS_PHONE, match):
            yield Spot("phone", *match.span())
    for match in zone.all(_FOREIGN_PHONE):
        number = _digits(match[0])
        apart = not match[0].lstrip("+").isdigit()
        sure = (
            apart or len(number) >= 10 if match[0][0] == "+" else zone.talk.says(_SAYS_PHONE, match)
        )
        if sure and len(number) <= 16 and not _UNIT.match(zone.talk.low, match.end()):
            yield Spot("phone", *match.span())
    for match in zone.all(_LOCAL_PHONE):
        if _is_local_phone(zone, match):
            yield Spot("phone", *match.span())


def _is_local_phone(zone: _Zone, match: re.Match[str]) -> bool:
    number = _digits(match[0])
    if _DATE.match(match[0]) or not 7 <= len(number) <= 12 or number[:2] in ("15", "16", "18"):
        return False
    if match["third"] is None and match[0][0] != "(":
        return zone.talk.says(_SAYS_PHONE, match, before=24, after=8)
    if len(number) < 9:
        return False
    if match[0][0] == "(" and ")" in match[0]:
        return True
    told = zone.talk.says(_SAYS_PHONE, match) or zone.talk.says(
        _SAYS_NUMBER, match, before=20, after=4
    )
    return told and not zone.talk.of_things(match)


def _papers(zone: _Zone) -> Iterator[Spot]:
    """Find business numbers, driving licences, social security and passport numbers."""
    for match in zone.all(_BUSINESS):
        proven = not match[0].isdigit() and _business_checks(_digits(match[0]))
        if zone.talk.says(_SAYS_BUSINESS, match) or (proven and not zone.talk.of_things(match)):
            yield Spot("business", *match.span())
    for match in zone.all(_LICENCE):
        split = len(re.split("[ -]", match[0])) == 4
        region = match["region"] is not None and 11 <= int(match["region"]) <= 28
        if zone.talk.says(_SAYS_LICENCE, match) or (
            split and region and not zone.talk.of_things(match)
        ):
            yield Spot("licence", *match.span())
    for match in zone.all(_SOCIAL):
        # Groups of three, two and four are nothing else where the turn speaks of such numbers.
        anywhere = None if match[0].isdigit() else _NAMES_SOCIAL.search(zone.talk.low)
        if anywhere or zone.talk.says(_SAYS_SOCIAL, match, 90, 60):
            yield Spot("ssn", *match.span())
        elif match[0].isdigit() and zone.talk.says(_SAYS_PASSPORT, match):
            yield Spot("passport", *match.span())


def _business_checks(number: str) -> bool:
    """Check the last digit of a Korean business number."""
    total = sum(int(d) * w for d, w in zip(number, _BUSINESS_WEIGHTS, strict=False))
    return (10 - (total + int(number[8]) * 5 // 10) % 10) % 10 == int(number[9])


def _accounts(zone: _Zone) -> Iterator[Spot]:
    for match in zone.all(_ACCOUNT):
        number = match[0]
        if not 8 <= len(_digits(number)) <= 16 or _DATE.match(number):
            continue
        if _UNIT.match(zone.talk.low, match.end()) or zone.talk.of_things(match):
            continue
        behind = _BANK_BEHIND.match(zone.talk.low, match.end())
        if behind or _BANK.search(zone.talk.before(match, 12)):
            named = True
        elif number.isdigit():
            named = zone.talk.says(_SAYS_ACCOUNT, match) or (
                len(number) >= 10 and zone.talk.says(_SAYS_BANK, match)
            )
        else:
            named = zone.talk.says(_SAYS_BANK, match)
        if named:
            yield Spot("account", *match.span())


def _lettered(zone: _Zone) -> Iterator[Spot]:
    """Find what starts with letters: IBANs, passports, foreign licences, customs codes."""
    for match in zone.all(_IBAN):
        if _iban_checks(match[0].replace(" ", "")):
            yield Spot("account", *match.span())
    if not (says := _paper_words(zone.talk.low)):
        return
    for match in zone.all(_PAPER):
        for kind, words in says:
            if zone.talk.says(words, match):
                yield Spot(kind, *match.span())


def _paper_words(low: str) -> list[tuple[str, re.Pattern[str]]]:
    kinds = (
        ("passport", _SAYS_PASSPORT),
        ("licence", _SAYS_LICENCE),
        ("customs", _SAYS_CUSTOMS),
    )
    return [(kind, words) for kind, words in kinds if words.search(low)]


def _iban_checks(number: str) -> bool:
    """Check an IBAN by the remainder its digits must leave."""
    if not 15 <= len(number) <= 34:
        return False
    turned = number[4:] + number[:4]
    return int("".join(str(int(sign, 36)) for sign in turned)) % 97 == 1


# -- Credentials by their form: vendor tokens, key blocks, URL passwords

# ---- What vendors put in front of the tokens they issue: kind, first characters, how many follow.

# One line per kind: the prefixes, then the least length of what follows. The lengths are a little
# below what is issued today, so that a shorter issue is still known; what follows is
# [A-Za-z0-9_-], with dots only before another long part.
_ROWS: Final = """
anthropic_key      sk-ant-                                                      : 20
openai_key         sk-proj- sk-svcacct- sk-admin- sk-None-                      : 20
openrouter_key     sk-or-v1-                                                    : 30
api_key            sk-                                                          : 20
api_key            sk_                                                          : 32
stripe_key         sk_live_ rk_live_ sk_test_ rk_test_ sk_prod_                 : 10
webhook_secret     whsec_                                                       : 20
toss_key           live_sk_ live_gsk_ test_sk_ test_gsk_                        : 16
github_token       ghp_ gho_ ghu_ ghs_ ghr_                                     : 30
github_token       github_pat_                                                  : 22
gitlab_token       glpat- gldt- glrt- glcbt- glptt- glft- glsoat- glimt- gloas- : 18
gitlab_token       glagent- glffct-                                             : 18
slack_token        xoxb- xoxp- xoxa- xoxr- xoxs- xoxe- xoxe. xoxo- xoxc- xoxd-  : 10
slack_token        xapp-                                                        : 20
google_key         AIza                                                         : 30
google_oauth       GOCSPX- ya29.                                                : 20
npm_token          npm_                                                         : 30
pypi_token         pypi-AgE                                                     : 16
pypi_token         pypi-                                                        : 50
huggingface_token  hf_ api_org_                                                 : 30
replicate_token    r8_                                                          : 30
digitalocean_token dop_v1_ doo_v1_ dor_v1_                                      : 40
linear_key         lin_api_ lin_oauth_ lin_wh_                                  : 30
notion_token       secret_                                                      : 40
notion_token       ntn_                                                         : 30
vercel_token       vercel_ vcp_ vci_ vca_ vcr_ vck_                             : 24
databricks_token   dapi dkea dose                                               : 32
mailgun_key        key- pubkey-                                                 : 30
doppler_token      dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.               : 30
shopify_token      shpat_ shpca_ shppa_ shpss_ shptka_                          : 24
square_token       sq0atp- sq0csp-                                              : 20
square_token       EAAA                                                         : 50
facebook_token     EAA                                                          : 80
cloudflare_token   v1.0-                                                        : 60
cloudflare_token   cfut_ cfat_ cfk_                                             : 30
contentful_token   CFPAT-                                                       : 30
grafana_token      glsa_ glc_                                                   : 30
newrelic_key       NRAK- NRII- NRJS-                                            : 19
vault_token        hvs. hvb. hvr.                                               : 20
heroku_key         HRKU-                                                        : 20
postman_key        PMAK-                                                        : 40
rubygems_key       rubygems_                                                    : 30
pulumi_token       pul-                                                         : 30
age_key            AGE-SECRET-KEY-1                                             : 30
planetscale_token  pscale_tkn_ pscale_pw_ pscale_oauth_                         : 24
supabase_key       sbp_                                                         : 30
supabase_key       sb_secret_                                                   : 20
atlassian_token    ATATT3 ATCTT3                                                : 40
atlassian_token    ATBB                                                         : 24
docker_token       dckr_pat_ dckr_oat_                                          : 20
dropbox_token      sl.                                                          : 60
figma_token        figd_ figo_                                                  : 30
groq_key           gsk_                                                         : 30
perplexity_key     pplx-                                                        : 30
xai_key            xai-                                                         : 40
tavily_key         tvly-                                                        : 20
pinecone_key       pcsk_                                                        : 30
langsmith_key      lsv2_pt_ lsv2_sk_                                            : 30
sentry_token       sntrys_ sntryu_                                              : 30
sourcegraph_token  sgp_                                                         : 30
typeform_token     tfp_                                                         : 30
tailscale_key      tskey-                                                       : 20
fly_token          fm1_ fm2_ fo1_                                               : 30
render_key         rnd_                                                         : 24
netlify_token      nfp_                                                         : 30
nuget_key          oy2                                                          : 43
crates_token       cio                                                          : 32
jfrog_token        AKCp cmVmdGtu                                                : 40
alibaba_key        LTAI                                                         : 12
tencent_key        AKID                                                         : 30
naver_key          ncp_iam_                                                     : 20
brevo_key          xkeysib- xsmtpsib-                                           : 40
resend_key         re_                                                          : 24
posthog_key        phx_                                                         : 30
easypost_key       EZAK EZTK                                                    : 40
deno_token         ddp_ ddo_                                                    : 30
prefect_key        pnu_ pnb_                                                    : 30
readme_key         rdme_                                                        : 30
buildkite_token    bkua_                                                        : 30
infracost_key      ico-                                                         : 30
airtable_token     pat                                                          : 70
"""


def _read(rows: str) -> dict[str, tuple[str, int]]:
    issued: dict[str, tuple[str, int]] = {}
    for row in rows.strip().splitlines():
        left, _, least = row.rpartition(":")
        kind, *prefixes = left.split()
        issued.update({prefix: (kind, int(least)) for prefix in prefixes})
    return issued


PREFIXES: Final = _read(_ROWS)


# ---- Credentials by their form: vendor tokens, key blocks, URL passwords, headers and assignments.

# Where a token may stand: no kind of it has a shorter unbroken run than this.
_RUN: Final = lazy_pattern(r"[A-Za-z0-9_\-.+/=~%:@?&]{12,}+")
_PREFIX: Final = lazy_pattern(
    rf"(?<![A-Za-z0-9])(?=[{''.join(sorted({prefix[0] for prefix in PREFIXES}))}])(?:"
    + "|".join(map(re.escape, sorted(PREFIXES, key=len, reverse=True)))
    + ")"
)
_BODY: Final = lazy_pattern(r"[A-Za-z0-9_\-]*+(?:\.[A-Za-z0-9_\-]{12,}+)*+")

# Tokens known by their build. Where a part is called `value`, only that part is masked. Every
# greedy part starts behind a border of its own alphabet, so that no text is read twice.
_BUILT: Final = lazy_pattern(
    r"(?<![A-Za-z0-9])(?=[A-Za-z0-9_~])(?:(?P<aws_key>(?:AKIA|ASIA|ABIA"
    r"|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9]))"
    r"|(?P<jwt>(?<![\-_])eyJ[A-Za-z0-9_\-]{8,}+\.[A-Za-z0-9_\-]{8,}+(?:\.[A-Za-z0-9_\-]*+)++)"
    r"|(?P<sendgrid_key>SG\.[A-Za-z0-9_\-]{16,40}+\.[A-Za-z0-9_\-]{16,}+)"
    r"|(?P<discord_token>[MNO][A-Za-z0-9_\-]{22,28}\.[A-Za-z0-9_\-]{6}\.[A-Za-z0-9_\-]{27,}+)"
    r"|(?P<twilio_key>(?:SK|AC)[0-9a-f]{32}(?![A-Za-z0-9]))"
    r"|(?P<azure_secret>[A-Za-z0-9_~.]{3}[78]Q~[A-Za-z0-9_~.\-]{31,36})"
    r"|(?P<mailchimp_key>[0-9a-f]{32}-us[0-9]{1,2}(?![A-Za-z0-9]))"
    r"|(?P<mailgun_key>[0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8}(?![A-Za-z0-9]))"
    r"|(?P<google_oauth>1//0[A-Za-z0-9_\-]{30,}+)"
    r"|(?P<terraform_token>[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_\-]{40,}+)"
    r"|(?P<firebase_key>AAAA[A-Za-z0-9_\-]{7}:[A-Za-z0-9_\-]{100,}+)"
    r"|(?P<wallet_key>(?:[5KL][1-9A-HJ-NP-Za-km-z]{50,51}"
    r"|xprv[1-9A-HJ-NP-Za-km-z]{100,112})(?![A-Za-z0-9])))"
)
_CARRIED: Final = lazy_pattern(
    r"hooks\.slack\.com/(?:services|workflows|triggers)/(?P<slack_webhook>[A-Za-z0-9/_\-]{20,}+)"
    r"|discord(?:app)?\.com/api/(?:v[0-9]+/)?webhooks/(?P<discord_webhook>[0-9]{15,}/[\w\-]{40,}+"
    r")|webhook\.office\.com/webhookb2/(?P<teams_webhook>[\w\-@/]{40,}+)"
    r"|(?:Account|SharedAccess|Access)Key=(?P<azure_key>[A-Za-z0-9+/]{40,}+={0,2})"
    r"|(?<![0-9])(?P<telegram_token>[0-9]{8,10}:[A-Za-z0-9_\-]{33,37}(?![A-Za-z0-9_\-]))"
    r"|[?&]sig=(?P<azure_sas>[A-Za-z0-9%+/=]{30,}+)",
    re.ASCII,
)
_BEGIN: Final = lazy_pattern(r"-----BEGIN (?:[A-Z0-9]{1,16} ){0,4}PRIVATE KEY(?: BLOCK)?-----")
_ENDS: Final = lazy_pattern(r"-----END (?:[A-Z0-9]{1,16} ){0,4}PRIVATE KEY(?: BLOCK)?-----")
_KEY_LINES: Final = lazy_pattern(r"(?:\s*+[A-Za-z0-9+/=\\]{16,}+)*+")
_URL: Final = lazy_pattern(r"://(?P<user>[^\s/:@\"'<>]{0,128}+):(?P<value>[^\s/\"'<>]{1,256})@")
_LOGIN: Final = lazy_pattern(
    r"(?:^|\s)(?:-u|--user)[ =]?[\"']?(?P<user>[\w.@\-]{1,64}+):(?P<value>[^\s\"']{3,128}+)"
)
_HEADER: Final = lazy_pattern(
    r"\b(?:(?:authorization|x-api-key|x-auth-token|api-key)[\"']?[ ]?[:=][ ]?[\"']?(?:bearer"
    r"|basic|token|digest|apikey|key)?[ ]*"
    r"|(?:bearer|basic)[ ]+)(?P<value>[A-Za-z0-9._~+/=\-]{12,}+)",
    re.IGNORECASE,
)
# The name of a setting that holds a secret; `strong` ones are secrets in plain talk too.
_NAME: Final = lazy_pattern(
    r"(?P<strong>(?:api|access|secret|private|auth|client|encryption|signing|service|app|rest"
    r"|admin|bearer|refresh|session|webhook|deploy|bot|personal|consumer|license"
    r"|recovery)[ _.\-]?(?:key|token|secret)|(?:api|액세스|접근|접속|시크릿|비밀|개인|인증"
    r"|서비스|앱|라이선스|라이센스|복구)[ ]?(?:키|토큰)(?!보드|워드)|시크릿|토큰|키[ ]?값)"
    r"|secret|token|credential|passw(?:or)?d|passphrase|pwd|(?<=_)key|(?<=_)pass(?![a-z])"
)
_ASSIGNED: Final = lazy_pattern(
    r"[\w\-]{0,24}+[\"'`\]]{0,2}[ \t]{0,3}(?:=>|:=|={1,2}"
    r"|:)[ \t]{0,3}[\"'`]{0,3}(?P<value>[^\s\"'`,;<>(){}]{8,512}+)(?![(\[{])",
    re.ASCII,
)
_VALUE: Final = lazy_pattern(r"(?<![A-Za-z0-9_\-+/.~])[A-Za-z0-9_\-+/.~]{16,512}+={0,2}")
_UUID: Final = lazy_pattern(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_DIGEST: Final = lazy_pattern(
    r"commit|커밋|sha-?\d|md5|hash|해시|digest|checksum|체크섬|revision|rev\b"
)
_NAME_SIGNS: Final = ("key", "token", "secret", "credential", "pass", "pwd", "키", "토큰", "시크릿")
# How far from its name a long random value may stand when nothing but talk ties them together.
_AFTER: Final = 40
_BEFORE: Final = 16
_CLASSES: Final = lazy_pattern(r"[a-z]+|[A-Z]+|[0-9]+")
_CAMEL: Final = lazy_pattern(r"[a-z]*(?:[A-Z][a-z]+)+")
_SEGMENTS: Final = lazy_pattern(r"[A-Za-z0-9]+")
_EMPTY: Final = lazy_pattern(
    r"[*x.•_\-#?]+|\$.*|%.*%|\{.*|\[.*|<.*|your.*|my[_-]?(?:secret|password|token|key).*"
    r"|changeme|example.*|placeholder.*|redacted.*|null|none|true|false|undefined|process\.env.*"
    r"|os\.environ.*|(?:my)?(?:password|passwd|pass|pwd|secret|token|비밀번호)",
    re.IGNORECASE,
)


def secrets(seen: Seen) -> Iterator[Spot]:
    """Find every credential in the text; ranges may overlap."""
    text, low = seen.text, seen.low
    if "-----BEGIN" in text:
        yield from _key_blocks(text)
    if "://" in text:
        yield from _url_passwords(text)
    if " -u" in text or "--user" in text:
        yield from _logins(text)
    for run in _RUN.finditer(text):
        start, end = run.span()
        yield from _issued(text, start, end)
        for pattern in (_BUILT, _CARRIED):
            for match in pattern.finditer(text, start, end):
                kind = match.lastgroup or ""
                if kind != "wallet_key" or random_looking(match[kind]):
                    yield Spot(kind, *match.span(kind))
        for match in _HEADER.finditer(text, max(0, start - 48), end):
            if random_looking(match["value"]):
                yield Spot("bearer", *match.span("value"))
    if any(sign in low for sign in _NAME_SIGNS):
        yield from _named(text, low)


def random_looking(value: str) -> bool:
    """Say whether a value looks drawn at random instead of written by a person."""
    if len(set(value)) < 8 or _CAMEL.fullmatch(value):
        return False
    segments = _SEGMENTS.findall(value)
    turns = len(_CLASSES.findall(value)) - len(segments)
    # A path has digits in it here and there; a random value turns at every second sign.
    if turns >= max(3, len(value) // (4 if "/" in value else 8)):
        return True
    longest = max(segments, key=len, default="")
    return len(longest) >= 16 and (not longest.isalpha() or len(set(longest)) >= 12)


def _issued(text: str, at: int, end: int) -> Iterator[Spot]:
    """Find tokens by the prefix their vendor gives them."""
    while found := _PREFIX.search(text, at, end):
        kind, least = PREFIXES[found[0]]
        at = found.end()
        body = _BODY.match(text, at, end)
        if body is None or len(body[0]) < least:
            continue
        # Nothing inside a body that is not random is random either: go on behind it.
        at = body.end()
        if random_looking(body[0]):
            yield Spot(kind, found.start(), at)


def _key_blocks(text: str) -> Iterator[Spot]:
    """Find private key blocks, also one whose end was cut off."""
    at, closed = 0, True
    while begin := _BEGIN.search(text, at):
        end = _ENDS.search(text, begin.end()) if closed else None
        closed = end is not None
        rest = end or _KEY_LINES.match(text, begin.end())
        at = rest.end() if rest else begin.end()
        while at > begin.end() and text[at - 1].isspace():
            at -= 1
        yield Spot("pem", begin.start(), at)


def _url_passwords(text: str) -> Iterator[Spot]:
    """Find the password of each URL that carries one."""
    for match in _URL.finditer(text):
        if not _EMPTY.fullmatch(match["value"]):
            yield Spot("url_credentials", *match.span("value"))


def _logins(text: str) -> Iterator[Spot]:
    """Find the password behind the login option of a command that speaks HTTP."""
    if "curl" not in text and "http" not in text:
        return
    for match in _LOGIN.finditer(text):
        value = match["value"]
        if not _EMPTY.fullmatch(value) and not (value.isdigit() and match["user"].isdigit()):
            yield Spot("url_credentials", *match.span("value"))


def _named(text: str, low: str) -> Iterator[Spot]:
    """Find values that a name declares secret, in a settings file or in plain talk."""
    values: list[tuple[int, int]] | None = None
    done = 0
    for name in _NAME.finditer(low):
        if name.start() < done:
            continue
        kind = _kind_of(name[0])
        if assigned := _ASSIGNED.match(text, name.end()):
            done = assigned.end()
            value = assigned["value"].rstrip(".")
            if not _EMPTY.fullmatch(value) and _worth_hiding(value):
                start = assigned.start("value")
                yield Spot(kind, start, start + len(value))
        if name["strong"]:
            if values is None:
                values = [found.span() for found in _VALUE.finditer(text)]
            yield from _told(text, low, kind, name.span(), values)


def _kind_of(name: str) -> str:
    if "pass" in name or "pwd" in name:
        return "password"
    return "token" if "token" in name or "토큰" in name else "api_key"


def _worth_hiding(value: str) -> bool:
    """Say whether a value that was assigned to a secret's name is long and random enough."""
    if _UUID.fullmatch(value):
        return True
    if "://" in value:
        return False
    kinds = sum(
        (
            any(map(str.islower, value)),
            any(map(str.isupper, value)),
            any(map(str.isdigit, value)),
            not value.isalnum(),
        )
    )
    return (len(value) >= 12 and kinds >= 3 and _has_digit(value)) or (
        len(value) >= 16 and _has_digit(value) and random_looking(value)
    )


def _has_digit(value: str) -> bool:
    return any(map(str.isdigit, value))


def _told(
    text: str, low: str, kind: str, name: tuple[int, int], values: list[tuple[int, int]]
) -> Iterator[Spot]:
    """Find a long random value shortly before or after the name of a secret."""
    at = bisect_left(values, name)
    for start, end in values[max(0, at - 1) : at + 2]:
        near = 0 <= start - name[1] <= _AFTER or 0 <= name[0] - end <= _BEFORE
        value = text[start:end].strip(".-=")
        if not near or len(value) < 16 or _UUID.fullmatch(value):
            continue
        of_code = _DIGEST.search(low, max(0, start - 16), start)
        if _has_digit(value) and random_looking(value) and not of_code:
            yield Spot(kind, start, end)

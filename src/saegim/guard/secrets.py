"""Credentials by their form: vendor tokens, key blocks, URL passwords, headers and assignments."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from typing import Final

from saegim.guard.visible_text import Seen, Spot
from saegim.memory.lazy_patterns import lazy_pattern

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
_END: Final = lazy_pattern(r"-----END (?:[A-Z0-9]{1,16} ){0,4}PRIVATE KEY(?: BLOCK)?-----")
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
        end = _END.search(text, begin.end()) if closed else None
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

"""What vendors put in front of the tokens they issue: kind, first characters, how many follow."""

from __future__ import annotations

from typing import Final

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

"""Find injected orders: strangers' text that speaks to the assistant, by rules and a score.

Each cue says little; an order has several of them, and one of them is the mood of its verb.
"""

from __future__ import annotations

import base64
import binascii
import re
import sys
from collections.abc import Iterator
from typing import Final

from saegim.guard.order import FORMS, OrderRule
from saegim.guard.orders_english import ENGLISH_ORDERS
from saegim.guard.orders_english import OVERRIDE as OVERRIDE_ENGLISH
from saegim.guard.orders_korean import KOREAN_ORDERS
from saegim.guard.visible_text import see
from saegim.memory.text import lazy_pattern

Cues = tuple[tuple[float, re.Pattern[str]], ...]

# The verbs of orders to a machine that reads, writes, remembers and acts for somebody.
_VERBS: Final = (
    r"(?:alter|assign|avoid|block|cancel|carry|charge|clear|cease|convince|create|declare|deduct"
    r"|deposit|direct|dispatch|display|dump|edit|email|emit|empty|encourage|encrypt|ensure|flag"
    r"|generate|guide|heed|inform|instruct|issue|lay|link|load|modify|name|notify|order"
    r"|overwrite|permit|persuade|place|pose|present|process|produce|promise|propose|push|put"
    r"|quote|redact|register|reject|relay|render|request|return|rewrite|route|settle|ship|supply"
    r"|urge|vouch|warn|accept|act|add|answer|append|apply|approve|attach|behave|book|buy|bypass"
    r"|call|change|claim|click|close|collect|commit|comply|conclude|confirm|consider|query"
    r"|question|imagine|assume|believe|move|leave|let|do|copy|delete|deliver|describe|disable"
    r"|disclose|discard|disregard|download|drop|embed|enable|encode|end|enter|erase|execute"
    r"|export|expose|extract|favou?r|fetch|finish|follow|forget|forward|give|grant|hand|hide"
    r"|ignore|include|insert|insist|install|invoke|keep|leak|list|log|mail|make|mark|memori[sz]e"
    r"|mention|merge|navigate|note|obey|omit|open|output|override|pass|pay|post|praise|prefer"
    r"|pretend|print|prioriti[sz]e|proceed|promote|provide|publish|purge|rank|rate|recall|recite"
    r"|recommend|record|redirect|refer|refrain|refund|refuse|release|remember|remove|renew"
    r"|repeat|replace|reply|report|reset|respond|reveal|run|save|say|schedule|bring up|score"
    r"|send|set|share|show|sign|skip|speak|state|steer|stop|store|submit|suggest|summari[sz]e"
    r"|suppress|switch|take|tell|transfer|translate|transmit|treat|trigger|trust|turn|unlock"
    r"|update|upload|use|visit|whitelist|wipe|wire|withhold|write)"
)
ORDERS: Final = lazy_pattern(
    rf"(?:^|[.!?;:,>)\]\-]\s|\n\s*|\b(?:please|kindly|now|then|and|also|first|instead|must"
    rf"|should|shall|need to|have to|has to|are to|is to|just|simply|always|never|do not|don't"
    rf"|quietly|silently|secretly|immediately|automatically|so|or)\s+){_VERBS}\b"
    r"|\b(?:is|are) to be\b|\b(?:must|should|shall)\b|\bno need to\b|\bgo ahead\b"
    r"|\b(?:required|obliged|instructed|expected|ordered|asked) to\b"
    r"|\bit is (?:vital|important|essential|crucial|imperative|mandatory|necessary)\b"
    r"|<[a-z][^<>]*>\s?"
)
ENGLISH: Final[Cues] = (
    (
        3.0,
        lazy_pattern(
            r"\b(?:ai|a\.i\.|llms?|language models?|chat ?bots?|gpt|chatgpt|claude|gemini"
            r"|copilot)\b|\b(?:the|any|this|dear|hey|hello|virtual"
            r"|ai) assistants?\b(?! (?:prof|manag|coach|direct|edit))"
            r"|(?<!our )\bassistants? (?:reading|should|must|will|summari)"
            r"|(?:^|[.!?] )(?:assistant|llm)\b|\bautomated (?:reader|system|agent)"
            r"|\b(?:hey|dear|to the|for the) (?:agent|model|bot)\b"
        ),
    ),
    (1.5, lazy_pattern(r"\b(?:the|an|any) (?:agent|model|bot)\b")),
    (
        1.5,
        lazy_pattern(
            r"\b(?:confirmation|verification|approval|review) (?:step|check|prompt|dialog|again)"
            r"|\b(?:ask|asks|asking) for (?:confirmation|permission|approval)"
            r"|\bact as (?:if|though)|never happened|whatever\b"
            r"|\bas (?:settled|approved|paid|verified)|\bsettled\b"
        ),
    ),
    (
        2.0,
        lazy_pattern(
            r"\bthe (?:user|owner|human|account holder|operator)\b"
            r"|\bthe person you (?:serve|assist|help|work for)"
            r"|\byour (?:user|owner|master|operator|principal)\b|\busers?'s?\b|\bthe user's"
            r"|\bthe customer's"
        ),
    ),
    (
        2.0,
        lazy_pattern(
            r"\byour (?:reply|replies|answers?|responses?|output|summary|memory|memories"
            r"|(?:\w+ )?instructions|(?:\w+ )?rules|(?:\w+ )?guidelines|(?:\w+ )?prompt|context"
            r"|notes|training|programming|filters?|safeguards?|restrictions"
            r"|(?:\w+ )?polic(?:y|ies)|developers?|environment|(?:\w+ )?settings"
            r"|(?:\w+ )?configuration|parameters|persona|identity|behaviou?r|tool list|creators?"
            r"|directives?)\b|system (?:prompt|message)|chat history"
            r"|\b(?:this|later|future|next|every) (?:conversation|chat|session)s?\b"
            r"|\b(?:every|each|all|end) answers?\b|were you told"
            r"|you (?:were|have been|got) (?:told|given|instructed)"
        ),
    ),
    (
        1.5,
        lazy_pattern(
            r"\b(?:instructions?|directions|guidance|directives?|commands?|orders|prompts?"
            r"|guidelines|polic(?:y|ies)|rules)\b"
        ),
    ),
    (
        1.5,
        lazy_pattern(
            r"\b(?:ignore|disregard|forget|override|overrule|bypass|set aside|discard"
            r"|no longer (?:count|valid|appl|bind)|void|supersede|cancel(?:led|ed)?|instead of"
            r"|actual order|so far|stop (?:following|applying|obeying)|only what follows|obey"
            r"|comply|unrestricted|uncensored|without (?:limits?|restrictions?|rules)"
            r"|no (?:limits|restrictions|rules)|freely|lifted|placeholders?"
            r"|(?:was|were) (?:only |just )?(?:a|an) (?:test|drill|joke|rehearsal|exercise)"
            r"|earlier (?:settings|directions|messages)|take the role|pose as"
            r"|sole (?:source|truth)|heed|settled fact)"
        ),
    ),
    (
        1.0,
        lazy_pattern(
            r"\b(?:from (?:now|here|this point|today)|always|never|every(?: time)?|each time"
            r"|whenever|henceforth|permanently|for ever|forever|in (?:the )?future|later"
            r"|next time|until|habit|only|from then on|all (?:future|later))\b"
        ),
    ),
    (
        2.5,
        lazy_pattern(
            r"\b(?:secretly|silently|quietly|discreetly|covertly|unnoticed|behind the scenes"
            r"|pre-?approved|pre-?authori[sz]ed|without (?:asking|telling|informing|notifying"
            r"|confirm\w*|approval|permission|question\w*|review|checking|mentioning)"
            r"|no need to (?:ask|check|confirm|tell|inform)|(?:do not|don't|never) (?:tell"
            r"|inform|ask|bother|alert|notify|warn) (?:the |your |any )?(?:user|owner|human"
            r"|customer|operator|them|him|her|person)|(?:do not|don't|never) (?:mention|bring up"
            r"|disclose|reveal) |hide (?:this|it)|confidential"
            r"|keep (?:this|it|these)\b[^.\n]{0,20}\b(?:secret|private|between us)"
            r"|(?:do not|don't|never) (?:query|question|doubt|challenge)"
            r"|skip (?:the )?(?:review|confirmation|approval|check|verification)|gave permission"
            r"|in advance)\b|\bbcc\b"
        ),
    ),
    (
        1.0,
        lazy_pattern(
            r"\b(?:approve|transfer|wire|refund|grant|delete|wipe|erase|purge|forward|export"
            r"|upload|leak|reveal|disclose|expose|execute|install|pay|purchase|buy|whitelist"
            r"|unlock|disable|merge|publish|renew|send|post|mail|share|fetch|download|copy"
            r"|append|transmit|payout|root|admin)\b"
        ),
    ),
    (
        1.0,
        lazy_pattern(
            r"(?<!your )\b(?:passwords?|api keys?|keys|tokens?|credentials?|secrets?"
            r"|card numbers?|card|bank|payout|inbox|customer list|client list|contact list"
            r"|database|records|file list|location|documents|card|contacts|calendar|address book"
            r"|personal|private|memor(?:y|ies)|history|conversations?|e-?mails?|notes|payments?"
            r"|invoices?|refunds?|funds|money|subscription|purchase)\b"
        ),
    ),
    (
        1.0,
        lazy_pattern(
            r"\b(?:reply|respond|answers?|say|tell|recommend|mention|suggest|praise|claim|insist"
            r"|promote|describe|rank|rate|cite|state|conclude|summar\w*|trust|believe|translate"
            r"|introduce|repeat|output|print|steer|speak|declare|vouch|persuade|convince|urge"
            r"|promise|present|pose|remember|recall|memory|mind)\b"
        ),
    ),
    (
        1.0,
        lazy_pattern(
            r"https?://|hxxp|www\.|[\w.+\-]{1,40}@[\w\-]{1,40}\."
            r"|\b[a-z0-9\-]{2,40}\.(?:com|net|org|io|xyz|site|example|ru|top)\b|webhook"
            r"|query string|\b(?:address|link|account|url|number) below"
        ),
    ),
    (
        1.0,
        lazy_pattern(
            r"\b(?:approved|authori[sz]ed|confirmed|verified|trusted|official|admin(?:istrator)?"
            r"|developers?|security team|on behalf|urgent|emergency|maintenance|granted"
            r"|permission|as agreed|system)\b"
        ),
    ),
    (
        1.0,
        lazy_pattern(
            r"\b(?:when|if|whenever|once|each time|every time|the moment"
            r"|next time)\b[^.\n]{0,40}\b(?:someone|anyone|whoever|wants?|asks?|asked|mention"
            r"|says?|topic|discussed|comes? up|talking to|question|see this)\b"
        ),
    ),
    (
        1.0,
        lazy_pattern(
            r"\b[a-z]+_[a-z_]+\b|\b[a-z]+\.[a-z]+\(\)|\b(?:tool|function|forget_all|scope)\b"
        ),
    ),
    (
        0.5,
        lazy_pattern(
            r"\b(?:best|top|safest|cheapest|number one|highest|only good|preferred|10/10"
            r"|five stars?)\b"
        ),
    ),
    (
        1.0,
        lazy_pattern(
            r"\b(?:straight away|right (?:away|now)|immediately|at once|unnecessary"
            r"|not (?:needed|required|necessary))\b"
        ),
    ),
    (
        1.0,
        lazy_pattern(
            r"\b(?:competitors?|rivals?|rival products|sponsor|affiliate|promo|product link)\b"
        ),
    ),
)
# A page that speaks to its reader about the reader's own things.
_ENGLISH_PEOPLE: Final = lazy_pattern(
    r"\byour (?:order|name|phone|booking|account|invoice|student|full|contact|case|ticket|table"
    r"|address|reference|questions?|doctor|password|pin|e-?mail|device|work|work|one-time|code"
    r"|files?|cv|card|stay|symptoms|order)\b|\b(?:header|endpoint|request|parameter|returns?"
    r"|menu|button|icon|settings|click|press|portal|field|repository|docker|npm|pip|branch"
    r"|page [0-9]|chapter)\b|--[a-z]|\b(?:attackers?|injection|the author|we|our)\b"
    r"|follow(?:ing)? (?:the|these) (?:\w+ )?instructions|read the instructions"
    r"|my last (?:e-?mail|message)"
)
ORDERS_KOREAN: Final = lazy_pattern(
    r"(?:하라|해라|하십시오|하시오|하세요|[할될을일줄둘낼쓸말볼킬릴길칠킬]\s?것|하도록|도록\s?해"
    r"|[아어여해]\s?(?:줘|주세요|주시|주십시오|둬|두라|놔|봐)|바랍니다|바란다|마라|마세요"
    r"|마십시오|말\s?것|말라|말아|지\s?마|어라|아라|여라|으라|거라|르라|세요|십시오|시오"
    r"|해야\s?(?:해|한다|합니다|함|돼|된다)|(?:려|하)야\s?한다|면\s?(?:된다|돼|됩니다)"
    r"|것으로\s?(?:한다|하자|해))(?=[.!,\"')\]~:;]|\s*$)"
    r"|(?<![따니이더나바])[가-힣]라(?=[.!:\"')\]~]|\s*$)|(?:[가-힣](?:해|줘|둬|놔|여|려|겨|켜|꺼"
    r"|꿔|춰|쳐|빼|떼|써|워|내|와|러|봐)|(?![했었았였됐겠있없같싫좋많랐렸졌])[가-힣](?:어|아)|마"
    r"|\s둬|\s줘|\s해)(?=[.!:\"')\]~]|\s*$)"
)
# Pages speak politely to people; who orders a machine does not.
BARE_KOREAN: Final = lazy_pattern(
    r"(?:하라|해라|마라|말라|어라|아라|여라|으라|거라|르라|[할될을일줄둘낼쓸말볼킬릴길칠]\s?것"
    r"|도록\s?해|것으로\s?한다)(?=[.!:\"')\]~]|\s*$)|(?:[가-힣](?:해|줘|둬|놔|여|려|겨|켜|꺼|꿔"
    r"|춰|쳐|빼|떼|써|워|내|와|러|봐)|(?![했었았였됐겠있없같싫좋많랐렸졌])[가-힣](?:어|아)|마"
    r"|\s둬|\s줘|\s해)(?=[.!:\"')\]~]|\s*$)"
)
KOREAN: Final[Cues] = (
    (1.5, BARE_KOREAN),
    (
        3.0,
        lazy_pattern(
            r"(?<![a-z])(?:ai|llm|gpt)(?![a-z])|인공지능|어시스턴트|챗봇|에이전트|언어[ ]?모델"
            r"|클로드|제미나이|코파일럿|도우미|자동화[ ]?(?:프로그램|도구)|비서"
        ),
    ),
    (
        2.0,
        lazy_pattern(
            r"모시는[ ]?(?:사람|분)|사용자(?![ ]?수)|유저(?![ ]?수)|이용자(?![ ]?수)|주인|소유자"
        ),
    ),
    (
        2.0,
        lazy_pattern(
            r"(?<![가-힣])(?:네|너의|당신의)[ ](?:[가-힣]+[ ])?(?:규칙|지시|지침|기억|메모리?"
            r"|답변|설정|프롬프트|컨텍스트|기록|도구|권한)|너에게"
            r"|네가[ ](?:지켜|따라|받은|알고|기억)|시스템[ ]?(?:프롬프트|메시지|명령)"
            r"|대화[ ]?(?:기록|내용)|답변(?:에|은|마다|할|끝)|답할[ ]?때|응답(?:에|마다|할)|답변"
            r"|이[ ]?(?:글|문서|페이지|문장)을?[ ]?(?:읽|요약|처리|보)"
        ),
    ),
    (
        1.5,
        lazy_pattern(
            r"지시|지침|명령|규칙|프롬프트|정책|안내(?:는|를)|권한|역할|설정값|내부[ ]?설정"
        ),
    ),
    (
        1.5,
        lazy_pattern(
            r"무시|잊|시키는[ ]?대로|하라는[ ]?대로|나오든|없었던|폐기|버리고|시험이었|연습이었"
            r"|본[ ]?명령|따르(?!면)|따라라|유효하지|효력|무효|건너뛰|생략|우회|적용하지|해제"
            r"|제한[ ]?없|무검열|풀렸|자유롭게|우선한다|아래만|내[ ]?말만|이것만|거절"
        ),
    ),
    (
        1.0,
        lazy_pattern(
            r"앞으로|이제부터|지금부터|항상|언제나|무조건|반드시|절대|매번|때마다"
            r"|마다(?![가-힣])|다음부터|계속|영구|꼭|늘(?![가-힣])|모든|전부|전체|모두"
            r"|다(?=[ ](?:보여|지워|보내))"
        ),
    ),
    (
        2.5,
        lazy_pattern(
            r"몰래|알리지|묻지|물어볼[ ]?필요|확인[ ]?(?:절차[ ]?)?없이|조용히|비밀로"
            r"|말하지[ ]?말|숨은[ ]?참조|들키지|티[ ]?(?:안|내지)|소리[ ]?소문|꺼내지|언급하지"
            r"|허락(?:했|을)|사전에|이미[ ]?(?:승인|결재|허락|동의)"
            r"|검토[ ]?(?:단계)?(?:는|를|없이)|확인(?:을|은)?[ ]?(?:요청하지|하지|받지|묻지)"
            r"|확인[ ]?(?:단계|절차)|따지지|의심하지|비밀이|물을[ ]?것[ ]?없이|알아채"
        ),
    ),
    (
        1.0,
        lazy_pattern(
            r"승인|송금|이체|결제|환불|삭제|지우|지워|전송|보내(?![ ]?드)|전달|업로드|올려"
            r"|내보내|공유|실행|설치|허용|구매|넘겨|복사|발송|첨부|병합|비워|비우|갱신|지급|붙여"
            r"|호출|내려받|불러|공개"
        ),
    ),
    (
        1.0,
        lazy_pattern(
            r"비밀(?:번호)?|api[ ]?키|(?<![가-힣])키(?:를|가|는)|토큰|개인[ ]?정보|연락처|주소록"
            r"|메일함|메일|계좌|카드|송장|돈|명단|동의|출처|링크|요청|메시지|기억|메모리|메모"
            r"|기록|일정|청구서|구독|구매|환경[ ]?변수|대화|저장된"
        ),
    ),
    (
        1.0,
        lazy_pattern(
            r"답(?:해|하)|대답|말해|말하|추천|언급|소개|칭찬|홍보|알려|출력|요약|번역|인용|주장"
            r"|권하|괜찮다고|없다고|옳다고|최고라고|평가|결론|유도|얘기|이야기|밝혀|척하|사칭"
            r"|물어봐|기억해|끝맺"
        ),
    ),
    (
        1.0,
        lazy_pattern(
            r"https?://|www\.|[\w.+\-]{1,40}@[\w\-]{1,40}\.|(?<![a-z])[a-z0-9\-]{2,40}\.(?:com"
            r"|net|org|io|xyz|site|example|ru|top)(?![a-z])|이미지[ ]?주소"
            r"|(?:아래|붙임|위)[ ]?(?:의[ ]?)?(?:주소|링크|계좌)"
        ),
    ),
    (
        1.0,
        lazy_pattern(
            r"승인된|관리자|개발(?:자|팀)|보안[ ]?팀|공식|긴급|인증|허가|점검|시스템|부여|허락"
            r"|결재|통과시|것으로[ ]?(?:치|간주|여기|여겨|처리)|것처럼|셈[ ]?치|셈[ ]?쳐"
        ),
    ),
    (
        1.0,
        lazy_pattern(
            r"(?:누가|누군가|고객|사람)[^.\n]{0,20}(?:물으면|물어보면|물어도|묻|이야기할)"
            r"|(?:나오면|나올[ ]?때|보면|물으면|물어보면|언급되면)"
        ),
    ),
    (1.0, lazy_pattern(r"[a-z]+_[a-z_]+|도구|함수|기능을|범위로")),
    (
        0.5,
        lazy_pattern(r"1등|1순위|최고|제일|가장|유일|최우선|경쟁|만[ ](?:괜찮|추천|쓰|사용)|10점"),
    ),
    (1.0, lazy_pattern(r"필요[ ]?(?:는[ ]?)?없|곧장|당장|즉시|지체[ ]?없이|피해라|피하라")),
)
_KOREAN_PEOPLE: Final = lazy_pattern(
    r"버튼|메뉴|아이콘|설정에서|화면|누르(?:세요|면)|눌러[ ]?주|드립니다|드려요|고객센터|문의"
    r"|신청|접수|이력서|설문|약관|저장소|설명서|공격자|인젝션|다른[ ]?사람에게|타인"
)

_POLITE: Final = lazy_pattern(r"(?:세요|십시오|바랍니다)[.!~]*\s*$")


def weight(sentence: str) -> float:
    """Return how much the sentence, in lower case, sounds like an order to the assistant."""
    heavy = 0.0
    if ORDERS_KOREAN.search(sentence):
        heavy = sum(points for points, cue in KOREAN if cue.search(sentence))
        heavy -= 2.0 * (_KOREAN_PEOPLE.search(sentence) is not None)
        heavy -= 0.5 * (_POLITE.search(sentence) is not None)
    if ORDERS.search(sentence):
        english = sum(points for points, cue in ENGLISH if cue.search(sentence))
        heavy = max(heavy, english - 2.0 * (_ENGLISH_PEOPLE.search(sentence) is not None))
    # A long sentence gathers cues by its length alone.
    return heavy - len(sentence) // 100


# -- Orders hidden in what strangers wrote

# Letters of other alphabets that look like Latin ones.
_LOOKS_LIKE: Final = {
    ord(other): latin
    for others, latins in (
        ("асеһіјӏокрԛѕтухԁԝвнмгзѵпɑցո", "acehijlokpqstuxdwbhmr3vnagn"),
        ("αβεικνορτυχγωηζ", "abeiknoptuxywnz"),
        ("АВСЕНІЈКМОРЅТХУ", "abcehijkmopstxy"),
        ("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "abezhikmnoptyx"),
        ("áàâäãåāąçćčéèêëēęíìîïīñńóòôöõøōúùûüūýÿžźż", "aaaaaaaaccceeeeeeiiiiinnooooooouuuuuyyzzz"),
    )
    for other, latin in zip(others, latins, strict=True)
}
_LEET: Final = str.maketrans("013457@$!|", "oieastasil")
_ROT13: Final = str.maketrans("abcdefghijklmnopqrstuvwxyz", "nopqrstuvwxyzabcdefghijklm")
_ROTATED: Final = tuple(
    verb.translate(_ROT13) for verb in ("ignore", "disregard", "forget", "override", "bypass")
)
_HANGUL: Final = lazy_pattern("[가-힣]")
_LATIN: Final = lazy_pattern("[a-z]{3}")
_TAGS: Final = lazy_pattern("[\U000e0020-\U000e007e]+")
_FLAG: Final = lazy_pattern("\U0001f3f4[\U000e0061-\U000e007a]{2,6}\U000e007f")
_SPACED: Final = lazy_pattern(r"(?<!\w)\w(?:[ .\-_*]{1,2}\w(?!\w)){5,}")
_SPACED_GAP: Final = lazy_pattern(r"[ .\-_*]+")
_MIXED: Final = lazy_pattern(r"(?<=[a-z])[013457@$!|]|[013457@$!|](?=[a-z])")
_BLOB: Final = lazy_pattern(r"(?<![A-Za-z0-9+/_\-])[A-Za-z0-9+/_\-]{24,}={0,2}")
_HEX: Final = lazy_pattern(r"(?<![0-9a-f])(?:[0-9a-f]{2}[ :]?){16,}(?![0-9a-f])")
_LONG_BLOB: Final = lazy_pattern(r"[A-Za-z0-9+/]{240}|(?:[A-Za-z0-9+/]{60,80}\s){4}")
# Without the spaces between its words an order is still an order.
_SQUEEZED: Final = lazy_pattern(
    r"(?:ignore|disregard|forget|override|bypass)(?:all|any|the|of|your|my)*(?:previous|prior"
    r"|earlier|above|preceding|system|your)\w{0,12}(?:instruction|prompt|rule|guideline"
    r"|direction|command)|revealthe?systemprompt|(?:이전|앞선|앞의|위의|기존|지금까지의?"
    r"|모든)(?:의|에받은|모든)*(?:지시|지침|명령|규칙|프롬프트)\w{0,6}(?:무시|잊|따르지)"
)
_MARKS: Final = (". ", "! ", "? ", "\n", "。")
_SENTENCES: Final = lazy_pattern(r"(?<=[.!?。])\s+|\n+")
# Number of sentences, and the least weight of an order among them: a page of instructions for
# people has many sentences that weigh a little.
_LEAST: Final = ((2, 2.5), (6, 3.0), (20, 4.0), (sys.maxsize, 5.0))
# How far around its first feature the others of a rule may stand.
_AROUND: Final = 240


def suspicion(text: str) -> str:
    """Return what a text of non-user origin looks like when it gives orders, else nothing."""
    if not text:
        return ""
    hidden = _hidden(text)
    if hidden is not None:
        return _judge(hidden) or "hidden"
    return _judge(text)


def _judge(text: str) -> str:
    """Check the text, and then its disguises."""
    seen = see(text)
    plain = seen.low.translate(_LOOKS_LIKE)
    name = _named(plain)
    if name:
        return name
    if _sounds_like_an_order(plain):
        return "order"
    if any(OVERRIDE_ENGLISH.search(form) for form in _disguises(text, plain)):
        return "override"
    if _SPACED.search(plain) and _SQUEEZED.search(re.sub(r"[\W_]+", "", plain)):
        return "override"
    return _encoded(seen.text)


def _named(plain: str) -> str:
    """Return the name of the first rule that some sentence of the text fulfils."""
    rules: tuple[OrderRule, ...] = FORMS
    if _HANGUL.search(plain):
        rules += KOREAN_ORDERS
    if _LATIN.search(plain):
        rules += ENGLISH_ORDERS
    there: dict[str, bool] = {}
    for rule in rules:
        if _signs(rule, plain, there) and _fulfilled(rule, plain):
            return rule.name
    return ""


def _sounds_like_an_order(plain: str) -> bool:
    """Weigh each sentence; the more there are, the more one of them must weigh."""
    sentences = _SENTENCES.split(plain)
    least = next(least for most, least in _LEAST if len(sentences) <= most)
    return any(weight(sentence) >= least for sentence in sentences)


def _signs(rule: OrderRule, plain: str, there: dict[str, bool]) -> bool:
    """Say whether a quick sign of the rule is in the text; rules share their signs."""
    for sign in rule.signs:
        if sign not in there:
            there[sign] = sign in plain
        if there[sign]:
            return True
    return False


def _fulfilled(rule: OrderRule, plain: str) -> bool:
    """Say whether one sentence has every feature of the rule."""
    first, *others = rule.needs
    at = 0
    while found := first.search(plain, at):
        start, end = _sentence(plain, found.start(), found.end())
        if all(need.search(plain, start, end) for need in others) and not (
            rule.unless and rule.unless.search(plain, start, end)
        ):
            return True
        at = max(found.end(), min(end, found.start() + _AROUND))
    return False


def _sentence(plain: str, start: int, end: int) -> tuple[int, int]:
    """Return the sentence around a range, cut where it is too long."""
    low, high = max(0, start - _AROUND), min(len(plain), end + _AROUND)
    first = max(
        (at + 1 for mark in _MARKS if (at := plain.rfind(mark, low, start)) >= 0), default=low
    )
    ends = [at for mark in _MARKS if (at := plain.find(mark, end, high)) >= 0]
    return first, min(ends, default=high - 1) + 1


def _disguises(text: str, plain: str) -> Iterator[str]:
    """Yield the text with digits read as letters, turned by thirteen, or read from its end."""
    if _MIXED.search(plain):
        yield _MIXED.sub(lambda match: match[0].translate(_LEET), plain)
    if any(verb in plain for verb in _ROTATED):
        yield plain.translate(_ROT13)
    if "\u202e" in text:
        yield plain[::-1]


def _hidden(text: str) -> str | None:
    """Return what is written in invisible tag characters, if anything is."""
    if text.isascii() or not _TAGS.search(text):
        return None
    runs = _TAGS.findall(_FLAG.sub("", text))
    written = "".join(chr(ord(sign) - 0xE0000) for run in runs for sign in run)
    return f"{text}\n{written}" if written else None


def _encoded(text: str) -> str:
    """Say "encoded" when a blob holds an order, or is too long to be anything one reads."""
    if _LONG_BLOB.search(text):
        return "encoded"
    for match in _BLOB.finditer(text):
        if _named(_decoded(match[0])):
            return "encoded"
    for match in _HEX.finditer(text.lower()):
        raw = bytes.fromhex(re.sub("[ :]", "", match[0]))
        if _named(raw.decode("utf-8", "ignore").lower()):
            return "encoded"
    return ""


def _decoded(blob: str) -> str:
    plain = blob.replace("-", "+").replace("_", "/").rstrip("=")
    try:
        raw = base64.b64decode(plain + "=" * (-len(plain) % 4))
    except binascii.Error:
        return ""
    return raw.decode("utf-8", "ignore").lower()

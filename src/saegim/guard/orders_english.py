"""How an order to the assistant is worded in English."""

from __future__ import annotations

from typing import Final

from saegim.guard.order import OWN_TOOL, PLACE, TOOL, rule
from saegim.memory.text import lazy_pattern

_AI: Final = (
    r"(?:ai(?: (?:assistant|agent|model|system|bot)s?)?|llms?|language models?|assistants?"
    r"|chat ?bots?|copilot|chatgpt|gpt|claude|gemini)"
)
_ORDERS: Final = (
    r"(?:instructions?|prompts?|rules|guidelines?|directions|commands|directives?|constraints"
    r"|programming|restrictions|safeguards|guardrails|orders|training)"
)
_BEFORE: Final = (
    r"(?:previous|prior|earlier|above|preceding|existing|former|original|initial|past|current"
    r"|system|foregoing|safety|built-in|default|old)"
)
_THE_USER: Final = (
    r"(?:the |your |this |any )?(?:user|owner|human|operator|customer|account holder)"
)

# What came before shall not count.
OVERRIDE: Final = lazy_pattern(
    r"(?:pretend|act like|act as if|imagine|assume) (?:that )?(?:all |any |the )?(?:previous"
    r"|prior|earlier|above|preceding)\b|\b(?:do|follow|obey|carry out) (?:whatever|anything"
    r"|everything)\b[^.\n]{0,50}\b(?:asks?|says?|tells?|requests?|wants?)\b"
    r"|whatever (?:it|they|he|she|this|that|the \w+) (?:says?|asks?)[^.\n]{0,20}\bdo\b"
    r"|(?:ignor|disregard|forget|overrid|bypass|discard|neglect|set aside|overlook|abandon"
    r"|stop follow|(?:not|n't|longer) (?:follow|obey)|no attention to|drop)[a-z]*\s+"
    rf"(?:(?:of|the|and|about|other)\s+){{0,3}}(?:all|any|every|your|my|these|those|each"
    rf"|{_BEFORE})\s+(?:\w+\s+){{0,4}}?{_ORDERS}(?![a-z])"
    rf"|(?:ignor|disregard|forget|overrid|bypass)[a-z]*\s+(?:the )?{_ORDERS} (?:you (?:were|have"
    rf"|got|received)|above|given|from (?:your|the (?:system|developer)))"
    r"|(?:ignore|disregard|forget)\s+(?:everything|anything|all"
    r"|what(?:ever)?)\s+(?:that\s+)?(?:you(?:'ve| have| were| are| know)|above|before this"
    r"|came before|written above|said above|prior|previously)"
    rf"|(?:your )?(?:new|real|actual|updated) {_ORDERS}\s?(?:is|are|:|follow)"
    r"|(?:ignore|disregard) (?:what|whatever|anything) the (?:user|owner|human)"
    r"|(?:ignore|disregard) the (?:user|owner|human)'s"
    rf"|(?:reset|replace|rewrite|change|delete|drop) (?:all )?your {_ORDERS}"
    r"|\b(?:real|actual|true|new) (?:task|mission|objective|goal|job|purpose)\s?(?:is|:|now)"
    r"|system override"
)
VOID: Final = lazy_pattern(
    rf"(?:{_BEFORE}|other|all) (?:\w+ )?{_ORDERS}(?: (?:above|before|so far))? (?:are|is|were"
    rf"|have been|has been|become|no longer)[^.\n]{{0,24}}?(?:void|outdated|invalid|obsolete"
    rf"|cancel|supersed|expired|revoked|replaced|apply|overruled|lifted)"
    rf"|{_ORDERS} (?:above|before this)[^.\n]{{0,24}}?(?:void|outdated|invalid|obsolete|cancel"
    rf"|supersed|expired|revoked|fake|a test)"
)
INSTEAD: Final = lazy_pattern(
    r"\b(?:instead|act on|obey|follow|only|alone|do as|do this|from me|my)\b"
)
# The assistant shall be somebody else, or its guards shall be off.
PERSONA: Final = lazy_pattern(
    r"\byou are (?:a|an|the|my|our) (?:[a-z]+ ){1,4}now\b"
    r"|(?:you(?:'re| are) now|pretend (?:that )?you|act as|from now on,? you(?:'re| are)"
    r"|you(?: will)? (?:now )?have no)[^.\n]{0,40}?(?:\bmode\b|unrestrict"
    r"|no (?:restrict|rule|limit|filter|content|polic|guideline|ethic)|\bfree (?:of|from)"
    r"|\bdan\b|jailbr|uncensor|without (?:restrict|limit|rule|filter)|no longer (?:bound|an)"
    r"|evil|admin|\broot\b|unfiltered|restrictions)|jailbroken"
    r"|developer mode (?:is )?(?:on|enabled|activ)"
)
GUARDS_OFF: Final = lazy_pattern(
    r"(?:safety|security|content|guard|moderation|ethic)[a-z]*\s[a-z ]{0,20}?(?:filter|check"
    r"|rule|rail|polic|protocol|guideline|measure|review)[a-z]*\s[a-z ]{0,30}?(?:(?:is|are|be"
    r"|been|now) (?:now |hereby |temporarily |currently )?(?:disabled|off|lifted|suspended"
    r"|removed|bypassed|unnecessary)|not apply)|(?:disable|turn off|skip|bypass|suspend"
    r"|switch off) (?:all |any |the |your )*(?:safety|security|content|moderation"
    r"|guard)[a-z]*\s?(?:filter|check|rule|rail|polic|protocol|guideline|measure|review)"
)
# Who is spoken to.
ADDRESSED: Final = lazy_pattern(
    rf"(?:dear|hey|hello|hi|attention|note (?:to|for)|notice (?:to|for)|important (?:for|to)"
    rf"|instructions? (?:for|to)|message (?:for|to)|reminder (?:for|to)"
    rf"|to (?:the|any|all|whichever))[ ,:]{{1,2}}(?:the |any |all |an? |our |my )?{_AI}(?![a-z])"
    rf"|(?:{_AI}|models?|agents?|bots?) (?:reading|processing|summari[sz]ing"
    rf"|that (?:reads?|is reading|process)|parsing|visiting|who reads?|viewing|scanning|crawling"
    rf"|analy[sz]ing)"
    r"|(?:^|[.!?\n] ?)(?:llms?|ai|assistant|chatbot|agent|bot|copilot)s?[,:!] "
    r"|(?:^|[.!?\n,] ?)as (?:the|an) (?:ai|(?:ai |virtual )?assistant|llm|language model)\b"
    r"|(?:if|since|as) you(?:'re| are) (?:an? |the )?(?:ai|llm|language model"
    r"|(?:ai |virtual )?assistant|chatbot|automated)"
)
AI_MUST: Final = lazy_pattern(
    rf"(?<![a-z]){_AI} (?:must|shall|should|will now|is to|are to|has to|have to|needs? to"
    rf"|(?:is|are) (?:required|instructed|ordered|expected) to)"
)
USER: Final = lazy_pattern(r"\b(?:the|your|this|any) (?:user|owner|human|operator|customer)")
# When it shall hold.
STANDING: Final = lazy_pattern(
    r"from (?:now|this point|here|today) on|from this moment|going forward|henceforth"
    r"|until further notice|\bpermanently\b|(?:all|every|each|any"
    r"|your) (?:of (?:your|the) )?(?:future|subsequent|later|new|next) (?:conversation|repl"
    r"|response|answer|session|message|chat|request|quer|interaction|summar|task|user)"
    r"|(?:all|every|each) (?:of )?(?:your )?(?:conversation|repl|response|answer|session|chat"
    r"|summar|interaction)|in (?:all|any|the) (?:conversations|chats)"
)
ASKED: Final = lazy_pattern(
    r"\b(?:if|when|whenever) (?:you're |you are )?(?:asked|questioned|queried)"
    r"|\b(?:if|when|whenever)\b[^.,\n]{0,40}?\b(?:comes up|is mentioned|are mentioned"
    r"|is brought up|is discussed|are discussed)|\b(?:if|when|whenever) (?:the )?(?:topic"
    r"|subject|conversation|talk) (?:is|turns)|\b(?:if|when|whenever|every time|each time"
    r"|any ?time|once|should) (?:the |a |any |your |some)?(?:user|human|customer|owner|person"
    r"|one|anyone)\b[^.\n]{0,12}?\b(?:ask|mention|request|want|need|say|inquire|talk|type|bring"
    r"|write)"
)
REPLYING: Final = lazy_pattern(
    r"(?:when|while|before|after|as) (?:you |you're |you are )?(?:reply|respond|answer"
    r"|summari[sz]|translat|review|process)[a-z]*|(?:in|of|to"
    r"|at the (?:start|end|beginning|bottom|top) of) (?:your|the|every|each|any) (?:next |final "
    r"|first )?(?:repl|response|answer|summar|output|message)"
)
WORKING: Final = lazy_pattern(
    r"\b(?:when|whenever|while|every time) (?:you |you're )?(?:translat|writ|generat|cod|edit"
    r"|draft|format|creat|produc)"
)
# What shall be done.
DOES: Final = lazy_pattern(
    r"(?<!every )(?<!each )(?<!your )(?<!the )(?<!any )(?<!all )(?<!an )(?<!a )\b(?:recommend"
    r"|mention|reply|respond|answer|approve|transfer|wire|(?<!going )forward|trust|prioriti[sz]e"
    r"|promote|praise|say|tell|append|refer|cite|disclose|obey|comply|grant|pay|purchase|treat"
    r"|book|visit|click|submit|suggest|steer|redirect|sign off|claim|prefer|insert|embed|execute"
    r"|authori[sz]e|refund|open|send|delete|remind|refrain|direct them|point them|rate|describe"
    r"|list|choose|pick)(?:ing)?\b"
)
ADDS: Final = lazy_pattern(
    r"\b(?:include|append|add|mention|insert|embed|put|place|recommend|say|state|link|write"
    r"|begin|start|end|finish|use|render|display|call|send|praise|claim|promote|tell|click|visit"
    r"|open)\b"
)
TOLD: Final = lazy_pattern(
    r"\b(?:you|your|please|must|always|every|each|any)\b|, (?:also )?(?:tell|include|append|add"
    r"|mention|insert|say|recommend|send|call|praise|state|write|claim|promote)\b"
)
RISKY: Final = lazy_pattern(
    r"\b(?:approve|transfer|wire|proceed|pay|execute|grant|authori[sz]e|refund|purchase|buy|send"
    r"|forward|install|accept|delete)\b"
)
STARTS: Final = lazy_pattern(
    r"(?:^|[.;:,!\n]\s?|\b(?:please|kindly|then|and|so|now|must|should) )(?:run|approve|transfer"
    r"|wire|proceed|pay|execute|grant|authori[sz]e|refund|purchase|buy|forward|install|delete"
    r"|wipe|copy|export|switch|book|reply|convince|persuade|redirect|expose|describe|treat"
    r"|answer|recommend|call)\b"
)
# A verdict that is ordered.
RATES: Final = lazy_pattern(
    r"\b(?:rate|score|rank|grade|evaluate|judge)\b[^.\n]{0,40}?(?:10/10|100/100|highest|\btop\b"
    r"|\bfirst\b|perfect|full marks)"
)
ALWAYS: Final = lazy_pattern(
    r"(?:never|always|only) (?:mention|recommend|approve|disclose|obey|comply|refuse|promote"
    r"|praise|suggest|trust|cite|prefer|favou?r|speak (?:well|positively)|say (?:that|yes))\b"
)
UNASKED: Final = lazy_pattern(
    r"without (?:ask|confirm|any confirm|approv|any approv|verif|check|permission|question"
    r"|review|prompt|hesitat|telling|notif|inform)|(?:no|skip|bypass) (?:confirmation|approval"
    r"|verification|questions)|(?:don't|do not|never) ask|automatically"
)
HIDDEN: Final = lazy_pattern(
    rf"(?:do not|don't|never|without) (?:tell|inform|notify|alert|reveal|mention|show|let"
    rf"|disclos|report|warn)[a-z]*(?: (?:this|it|that|any of this"
    rf"|anything))?(?: to)? {_THE_USER}|(?:do not|don't|never|without) (?:bother|disturb|ask"
    rf"|consult|involve|contact|wait for)[a-z]* {_THE_USER}"
    rf"|(?:keep|hide) (?:this|it) (?:secret |hidden )?from {_THE_USER}"
)
# Signs that people are spoken to, or that somebody tells of themselves.
OURS: Final = lazy_pattern(
    r"\b(?:we|i|they|he|she|it|team)(?:'ll| will| would)? (?:\w+ )?(?:recommend|mention|reply"
    r"|answer|send|tell|treat|open|choose|list|delete|trust|book|pay)"
    r"|\b(?:will|would|can|may|could) (?:also |now )?(?:recommend|mention|reply|answer|send|tell"
    r"|treat|open|choose|list|delete|trust|book|pay)"
)
FORM: Final = lazy_pattern(
    r"your (?:order|name|phone|booking|account|invoice|student|full|contact|case|ticket|table"
    r"|address|reference|question)"
)
OPTION: Final = lazy_pattern(r"--[a-z]|\B-[a-z]\b|\bflag\b|\boption\b")
# Tools, ours and others'.
CALLS: Final = lazy_pattern(r"\b(?:call|invoke|use|run|execute|trigger|issue|with)\b")
TASK: Final = lazy_pattern(
    rf"(?<![a-z]){_AI}(?![a-z])|before (?:answering|replying|responding|you)"
    rf"|\b(?:the|this|that) (?:tool|user|agent)\b|\btool\b|next step|all ?= ?true|all memor"
)
WIPES: Final = lazy_pattern(
    r"(?:delete|erase|wipe|forget|purge|clear|destroy|reset|dump|corrupt) (?:all|every"
    r"|everything|your|any)(?: of)?(?: the| your| stored| saved| users?'?s?| past| previous"
    r"| existing)* ?(?:memor(?:y|ies)|in (?:your |its )?memory|notes about)"
)
# What belongs to the user, and ways out of the house.
INNER: Final = lazy_pattern(
    r"conversation|chat (?:history|log)|\bhistory\b|memor(?:y|ies)\b|system prompt|contacts"
    r"|personal (?:data|info|detail)|(?:user|owner|customer)(?:'s|s')? (?:data|name|e-?mail"
    r"|address|info|file|detail|phone|card|location|message)"
    r"|their (?:e-?mail|data|name|address|phone|card|info)|everything (?:you|the user)"
    r"|you (?:know|can see|have (?:stored|access))|inbox|private (?:messages|notes)"
    r"|all (?:e-?)?mails?\b|context window|card number"
)
KEYS: Final = lazy_pattern(
    r"(?:api|private|secret|ssh|access|encryption)[ _]keys?|passwords?|secrets?\b|credentials?"
    r"|environment variables|\.env\b|tokens?\b"
)
IN_REQUEST: Final = lazy_pattern(
    r"header|authori[sz]ation|bearer|parameter|endpoint|request|returns?\b"
)
SENDS: Final = lazy_pattern(
    r"\b(?:send|post|upload|forward|submit|exfiltrat|transmit|e-?mail|share|leak|copy|deliver"
    r"|report|append|attach|embed|encod|fetch|curl|wget|put|pass|include)(?:e|ing|s)?\b"
)
REVEALS: Final = lazy_pattern(
    r"\b(?:what|everything|all) (?:were you|you were|have you been|you have been) (?:told|given"
    r"|instructed)|\b(?:everything|all|what)\b[^.\n]{0,16}?\b(?:stored|saved|remembered|known"
    r"|recorded|on file|you know) (?:about|on|of) (?:the |your )?(?:user|owner|customer)"
    r"|\byour (?:system (?:prompt|message)|hidden (?:prompt|instructions)|context window"
    r"|initial prompt|secret instructions)\b|contents of your (?:context|memory|prompt)"
    r"|\b(?:reveal|show|print|output|repeat|display|leak|disclose|expose|dump|list|tell me"
    r"|give me|share|paste|write out|recite|quote|provide|state"
    r"|(?:reply|respond|answer) with)\b[^.\n]{0,40}?(?:system prompt"
    r"|(?:your|hidden|initial|internal|original|secret) (?:\w+ )?(?:instructions?|prompt|rules"
    r"|guidelines|configuration|directives?)|(?:all|every|any) (?:of )?(?:your |the |stored "
    r"|saved )*(?:memories|secrets?|credentials|passwords|api keys)"
    r"|user'?s? (?:passwords?|api keys?|secrets?|credentials|private|personal|address|phone"
    r"|card)|(?:keys?|passwords?|tokens|secrets?|credentials) (?:you (?:know|can see|have|hold)"
    r"|in (?:your )?(?:memory|context)))"
)
# Who is said to stand behind it.
AGREED: Final = lazy_pattern(
    r"\b(?:user|owner|human|account holder) (?:has |had |have )?(?:agreed|consented|approved"
    r"|allowed|permitted|confirmed|authori[sz]ed|asked for|wants|requested)\b"
)
PROVENANCE: Final = lazy_pattern(
    r"\b(?:i am|i'm|this is) (?:the|your) (?:admin\w*|developer|owner|creator|user|operator|boss"
    r"|real user)\b|(?:command|order|instruction|message|directive)s? (?:comes? |is |are "
    r"|sent )?(?:directly )?from (?:the |your )?(?:system|developers?|admin\w*|operators?"
    r"|creators?|security team|makers?)\b|origin[\"']?\s?[:=]\s?[\"']?user"
    r"|user_(?:confirmed|said)|can_instruct|trust(?:_level"
    r"|_score)?[\"']?\s?[:=]\s?[\"']?(?:1(?:\.0)?\b|high|full|max|trusted|system)"
    r"|(?:trusted|official|authentic|genuine|authori[sz]ed) (?:instruction|command|order"
    r"|directive|request)s? (?:from|by|of)|(?:treat|consider|regard|handle"
    r"|count)\b[^.\n]{0,60}?\b(?:as|like) (?:\w+ )?(?:from |by )?(?:the |your )?(?:user|owner"
    r"|operator|admin)|\b(?:confirmed|approved|authori[sz]ed|verified|requested|signed off"
    r"|endorsed) by (?:the |your )?(?:user|owner|operator|human|account holder)\b"
    r"|(?:user|owner|operator|human|account holder) (?:has |had |have )?(?:already |explicitly "
    r"|personally |previously |just )+(?:approved|confirmed|authori[sz]ed|consented|agreed"
    r"|verified|requested|allowed|asked)|user (?:has )?(?:approved|authori[sz]ed|consented to"
    r"|confirmed) (?:this|it|these|the following|all)|(?:user|owner) (?:consent|approval"
    r"|confirmation)\s?(?::|=|is|was)\s?(?:yes|true|given|granted|obtained|on file)"
)
# What shall be believed or remembered.
TRUSTS: Final = lazy_pattern(
    r"\b(?:remember|treat|regard|consider|mark|save|store|cite|trust|list|recall|note"
    r"|memori[sz]e)\b[^\n]{1,60}?\b(?:as|is|are) (?:an? |the |your |its |my |our )?(?:most "
    r"|only |single )?(?:trusted|authoritative|reliable|preferred|official|primary|verified"
    r"|default|go-to|safe|best|leading|trustworthy|recommended)"
)
INTO_MEMORY: Final = lazy_pattern(
    r"\bcommit to memory\b|keep in mind for (?:later|future|all|any)|\badd to memory\b"
    r"|\byour memory (?:should|must|shall|now|has to)|(?:store|save|remember|keep|note"
    r"|memori[sz]e) (?:this|that|it|the following)\b[^.\n]{0,40}?(?:permanently|forever"
    r"|for (?:all )?future|as (?:a )?fact)|\b(?:save|store|add|write|commit|put|insert|record"
    r"|persist|keep|append|log)\b[^.\n]{1,60}?\b(?:to|in|into) (?:your |the |its |long[- ]term "
    r"|persistent |permanent |ai'?s? |assistant'?s? )*memor(?:y"
    r"|ies)\b(?! (?:card|stick|chip|slot|leak|module))|(?:update|edit|overwrite|rewrite"
    r"|modify) (?:your|the assistant's|its) (?:long[- ]term )?memor(?:y|ies)"
)
DECODES: Final = lazy_pattern(
    r"(?:revers(?:e|ed|ing)|backwards?|first letters? of|acrostic|caesar|morse|binary"
    r"|unscrambl\w*|concatenat\w*)\b[^\n]{0,60}?\b(?:do (?:it|that|so|what)|follow|obey|execut"
    r"|carry out|comply)|(?:decod|decipher|decrypt|unscrambl|rot-?13|base ?64"
    r"|hex)[a-z]*\b[^\n]{0,80}?\b(?:and|then|to)\s{1,2}(?:then )?(?:follow|execut|obey|carry"
    r"|do (?:what|as|it|exactly)|perform|comply|act on|treat|apply)"
    r"|(?:follow|execute|obey|perform|do what)\b[^\n]{0,60}?(?:decoded|deciphered|encoded"
    r"|base ?64|rot-?13|hex-encoded)"
)

ENGLISH_ORDERS: Final = (
    rule(
        "override",
        "pretend act~like act~as imagine assume whatever anything everything ignor disregard "
        "forget overrid bypass discard neglect aside overlook abandon follow "
        "obey attention drop instr prompt rules orders task mission objective goal job purpose "
        "reset replace rewrite change delete new real",
        OVERRIDE,
    ),
    rule(
        "override",
        "void outdated invalid obsolete cancel supersed expired revoked replaced apply overruled "
        "lifted fake test",
        VOID,
        INSTEAD,
    ),
    rule(
        "override",
        "you~are~now you're~now now pretend act~as from~now~on have~no jailbr developer~mode",
        PERSONA,
    ),
    rule("override", "safety security content guard moderation ethic", GUARDS_OFF),
    rule(
        "reveal",
        "your told given about prompt instruction rules guidelines configuration directive "
        "memories secret "
        "credential password key user",
        REVEALS,
    ),
    rule("send_out", "http hxxp www. @ webhook ftp .", PLACE, SENDS, INNER),
    rule("send_out", "http hxxp www. @ webhook ftp .", PLACE, SENDS, KEYS, unless=IN_REQUEST),
    rule("send_out", "when while every", WORKING, PLACE, ADDS),
    rule("tool_name", "_ saegim.", TOOL, CALLS, TASK),
    rule("tool_name", "_", OWN_TOOL, CALLS),
    rule("tool_name", "memor notes", WIPES),
    rule(
        "provenance",
        "i~am i'm this~is user owner operator human holder admin instruct trust official "
        "command order request",
        PROVENANCE,
    ),
    rule("provenance", "user owner human holder", AGREED, STARTS),
    rule("secrecy", "user human owner operator customer holder", HIDDEN),
    rule("secrecy", "without no~ skip bypass ask automatically", UNASKED, RISKY, unless=OPTION),
    rule(
        "addressed",
        "ai llm model assistant bot agent copilot gpt claude gemini automated",
        ADDRESSED,
    ),
    rule("standing_order", "ai llm model assistant bot copilot gpt claude gemini", AI_MUST, DOES),
    rule("standing_order", "if when every each any once should", ASKED, DOES),
    rule(
        "standing_order",
        "from~ going henceforth until permanently conversation repl respon answer session "
        "message chat request quer interaction summar task user",
        STANDING,
        DOES,
        unless=OURS,
    ),
    rule(
        "standing_order",
        "repl respon answer summar translat review process output message",
        REPLYING,
        ADDS,
        TOLD,
        unless=FORM,
    ),
    rule("standing_order", "user owner human operator customer", USER, STARTS, unless=OURS),
    rule("standing_order", "never always only", ALWAYS),
    rule("standing_order", "rate score rank grade evaluate judge", RATES),
    rule(
        "standing_order",
        "trusted authoritative reliable preferred official primary verified default go-to safe "
        "best leading trustworthy recommended",
        TRUSTS,
    ),
    rule("standing_order", "memor mind permanently forever future fact", INTO_MEMORY),
    rule(
        "encoded",
        "revers backward first~letter acrostic caesar morse binary concatenat decod decipher "
        "decrypt scrambl rot base64 base~64 hex encoded",
        DECODES,
    ),
)

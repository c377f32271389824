"""English signs: which words and openings say that a sentence tells, wants, plans, asks or chats.

It looks for who is spoken of, for the verbs by which people say how they live, and for the first
word, by which an order or a question gives itself away. It parses nothing.
"""

from __future__ import annotations

import re
from functools import cache, partial
from typing import Final

from saegim.language.phrases import Phrases, Spelling

# ---- English phrases and openings, sorted by what they say; `english` reads with them.

_FILLERS: Final = (
    "and|so|but|ok|okay|hey|well|oh|please|then|now|also|just|btw|hi|yes|no|um|uh|hmm|honestly|"
    "actually|anyway|yeah|sorry"
)
_WORD: Final = re.compile(r"[^\s,;()\[\]{}<>\"“”!?|]+")


@cache
def spelling() -> Spelling:
    """Return how these phrases are written.

    ^ is the beginning of the sentence, # a number, * the rest of a word, and ~ ) embrace what must
    not follow.
    """
    within = {"_": " ", "…": r"[^\n]{0,40}?", "#": r"\d+", "*": r"\w*", "~": "(?!", "(": "(?:"}
    return Spelling(
        heads={"^": f"\n (?:(?:{_FILLERS}) ){{0,4}}"},
        within=str.maketrans(within),
        before=" ",
        after=r"(?!\w)",
    )


def prepared(line: str) -> str:
    """Return a sentence as the phrases expect it: a new line, its words, a space before each."""
    words = [word.strip("'`*_~:-") for word in _WORD.findall(line)]
    return "\n" + "".join([f" {word}" for word in words if word])


said = partial(Phrases, spelling)

# --- who is spoken of
SELF: Final = said(r"""
    i i'm i've i'd i'll my me mine myself we we're we've we'll we'd our ours us im ive
""")
KIN: Final = said(r"""
    (my|our|his|her|the)_(\w+_)?(wife|husband|partner|fianc*|boyfriend|girlfriend|spouse|son|
    daughter|kids?|child|children|baby|toddler|mom|mum|mother|dad|father|parents?|brother|sister|
    siblings?|twins?|aunt|uncle|cousins?|nephew|niece|in-laws?|roommate|flatmate|housemate|
    landlord|neighbou?r|boss|manager|coworker|colleague|teammate|therapist|doctor|dentist|dog|cat|
    puppy|kitten|horse|parrot|rabbit|friend|best_friend|ex|grandson|granddaughter)
    (mom|mum|dad|grandma|grandpa|granny|grandad)('s)? grand(mother|father|parents) (the|our|
    my)_(client|customer|team|company|school|vendor|supplier|publisher|teacher|coach)_(wants|
    needs|requires|prefers|expects|insists|hates|likes|has)
    (person|contact|one)_(to_ask|responsible|in_charge) (keys?|passport|charger|documents?|router|
    fuse_box|receipts?|spare_\w+)_(is|are)_(in|under|on|at|with|behind|next)
    \w+_(owns|handles|approves|maintains)_\w+ (vegan|vegetarian|sober|diabetic|pregnant|widowed|
    divorced|autistic|dyslexic|gluten|lactose|insulin|chemo|wheelchair)_(household|home|family|
    here|today|now|since|free|intolerant|for_#) \w+_(lives_(in|at|with|alone|near|on|next|abroad)|
    works_(at|as|for|in|with|from|nights|remotely|part-time)|likes|hates|prefers|loves|studies|
    turned_#|told_me|(owns|handles|manages|leads|approves|maintains)_(the|our|all|everything)|(is|
    's)_(#|allergic|pregnant|vegan|vegetarian|diabetic|deaf|moving|leaving|getting_married|
    turning|married|divorced|retired|intolerant)|has_(diabetes|asthma|cancer|adhd|a_nut|a_peanut))
""")
# --- what is told
LIKE: Final = said(r"""
    prefer* i'd_rather rather_(have|take|use|not) favou?rite (i|we|she|he|they)_(really_|
    absolutely_|also_|usually_|just_|do_|still_|only_|always_|never_)?(like|love|hate|loathe|
    enjoy|dislike|adore|despise|likes|loves|hates|enjoys|avoid|detest|swear_by) can't_stand
    don't_(like|enjoy|care_for|eat|drink|watch|do_well)
    (not|never)_(a|much_of_a|really_a|been_a)_(big_|huge_)?fan
    not_(really_)?(into|my_thing|keen_on|fond) i'm_(really_|so_|totally_)?into
    (really|so|totally)_into fond_of (big|huge)_fan go-to my_thing suits?_me
    works?_(best|better)_for_me no_good_for_me
    give_me_(nightmares|migraines|headaches|anxiety|the_creeps) drives_me_(crazy|nuts|mad)
    tastes_like never_again sick_of over_\w+_any_day (i'd|i_would)_(always|never)? comfort_food
    sweet_tooth addicted_to obsessed_with hooked_on picky
    i_(always|never|only|usually|mostly|rarely|tend_to) wears_me_out off_the_table \w+_always$
    always_(have|has)_been (i'd|i_would)_(\w+_)?choose
""")
INTENT: Final = said(r"""
    (i'm|i_am|we're|we_are|he's|she's|they're|im)_(\w+_)?(going_to|gonna|planning|moving|flying|
    getting_married|leaving|starting|hoping|saving|visiting|taking|giving|applying|launching|
    quitting|trying_(for|to_(lose|quit|save|learn|get_pregnant))|having|hosting|expecting|
    about_to|due|scheduled|aiming|thinking_of|considering|retiring|cutting|switching|training|
    signing|selling|buying|travel*) ^\w+ing_(with|at|in|to|for)…(on_\w*day|the_#(st|nd|rd|th)|
    in_\w+ber|next_\w+|tomorrow|this_weekend) ^(going_to|gonna|planning_to|flying_to|moving_to|
    heading_to|hoping_to|travel*ing_to|starting) (i|we|she|he|they)_(still_|also_)?(plan|plans|
    intend|hope|want|aim|expect|need|have|promised|decided|agreed|has|needs|wants)_to_~see|know|
    ask|understand|say)\w+ deadline due_(on|by|in|date|next|this|tomorrow|at|back) appointment
    reservation booked booking scheduled remind_me_to goal target_is (standup|stand-up|retro|sync|
    meeting|class|lesson|practice|rehearsal|shift|office_hours|review|launch|release|demo|flight|
    train|delivery|exam|party|dinner|lunch|office|store|shop)…(is|are|was|got|has|starts?|moved|
    relocated|rebooked|leaves|closes)…(at|on|for|to)_(#|mon*|tue*|wed*|thu*|fri*|sat*|sun*|noon|
    midnight|\w+_(road|street|avenue)) (is|was)_(now_)?(called|named|renamed) (my|our)_plan
    wedding_is (exam|flight|interview|surgery|operation|test|meeting|party|wedding|trip)_(is|on|
    at|leaves) close_on (mon|tue|wed|thu|fri|sat|sun)\w*_at_# new_rule resolution (event|
    appointment|meeting|reservation|reminder|booking)_(created|booked|scheduled|confirmed|added)
    (i|we)_(won't|will) (i'll|we'll)_~take|try|check|let|go|see|be|get|think|wait|pass|look|do)\w+
""")
LATER: Final = said(r"""
    on_the_#(st|nd|rd|th) (next|this|coming)_(week|month|year|quarter|sprint|spring|summer|fall|
    autumn|winter|weekend|mon*|tue*|wed*|thu*|fri*|sat*|sun*|semester|christmas|jan*|feb*|mar*|
    apr*|may|jun*|jul*|aug*|sep*|oct*|nov*|dec*|release) tomorrow tonight (in|by|before|until|
    from|starting|since)_(january|february|march|april|may|june|july|august|september|october|
    november|december|next|christmas|easter|the_end|monday|tuesday|wednesday|thursday|friday|
    saturday|sunday) in_(#|two|three|four|five|six|a_few|a_couple_of)_(weeks|months|days|years)
    on_(mon|tue|wed|thu|fri|sat|sun)* (jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec)*_#(st|
    nd|rd|th)? #(st|nd|rd|th)?_(of_)?(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)*
    from_the_#(st|nd|rd|th) over_the_(holidays|summer|weekend|break) (mon|tue|wed|thu|fri|sat|
    sun)\w*days?_(at|morning|evening|night)
""")
PAST: Final = said(r"""
    (i|we|he|she|they|someone|it|who)_(\w+_)?(was|were|had|got|went|took|made|met|lost|found|
    broke|ran|saw|learned|learnt|bought|sold|won|fell|burned|burnt|left|quit|told|said|came|gave|
    spent|built|wrote|taught|drove|flew|chose|felt|slept|ate|drank|swam|caught|began|grew|\w+ed)
    (my|our|his|her)_\w+(_\w+)?_(was|were|had|got|went|took|made|died|lost|broke|left|quit|came|
    gave|stole|fell|read|sold|told|\w+ed) never_again haven't_\w+_since first_time
    (i've|we've)_\w+(ed|en|t)
""")
GERUND: Final = said(r"^\w+ing_\w+")
DROPPED: Final = said(r"""
    ^(got|ordered|went|met|lost|finished|passed|failed|bought|broke|had|quit|started|took|moved|
    spent|joined|signed|adopted|visited|finally_\w+)_\w+
""")
NEAR: Final = said(r"""
    yesterday today ago finally (last|this)_(night|week|month|year|morning|summer|winter|spring|
    fall|autumn|weekend|afternoon) just_now recently the_other_day in_(19|20)\\d\\d
""")
CAUSE: Final = said(r"""
    because since after when_(i|we|he|she|they) so_that that_(i|we|he|she|they) from_(my|the|all)
    about_(my|the|putting|losing|leaving)
""")
AGREED: Final = said(r"""
    decided decision_is agreed settled_on we_chose going_with voted made_up_my_mind (event|
    appointment|meeting|reservation|reminder|booking)_(created|booked|scheduled|confirmed|added)
    (has_been|have_been|got|was|were)_(moved|postponed|cancel*ed|delayed|pushed|rescheduled|
    approved|rejected|confirmed) ^understood$
""")
SETTLED: Final = said(r"""
    decided decision agreed settled_on chose chosen picked went_with going_with switched_(to|from)
    migrat(ed|ing) (has|have|had)_been_moved pinned locked_(to|at) stuck_on capped_at root_cause
    caused_by because_of turned_out fixed_(it|by|the|for) (the_)?fix_(is|was) solved (is|
    are)_(kept|set|pinned|stored|deployed|hosted|configured|banned|required|disabled|enabled|
    deprecated) we_(use|run|deploy|keep|drop|dropped|never|only|moved|replaced|upgraded|store|
    ship|don't|can't) can't_(use|upgrade|install|run) until_…(supports?|releases?|ships?|lands?)
    (rule|convention|policy|default|stack|standard)_is convention heads_up over_…_because replaced
    upgraded rolled_back dropped banned must_(be|not|use) has_to_be have_to_be no_longer
    was_an?_…(race|bug|leak|typo|mismatch|conflict|timeout|deadlock) i'm_(on|using|running)
    i_(use|run)
""")
SETUP: Final = said(r"""
    (prs?|commits?|branches|releases|deploys|builds|migrations|secrets|configs?|alerts|
    logs)_(need|must|require|have|go|run|live|are|get) (all|every|our|staging|prod|production|
    the_(\w+_)?(app|api|repo|project|service|server|build|table|client|database|db|cluster|
    pipeline|ci|site|backend|frontend|tests?|job|queue|cache|bot|script|branch|endpoint|schema|
    team))_…(is|are|runs?|stores?|uses?|needs?|requires?|lives?|expects?|returns?_only|has|have|
    must|can't|goes)
""")
TECHNICAL: Final = said(r"""
    python java javascript typescript rust golang kotlin ruby php c\+\+ c# node node\.js react vue
    angular svelte next\.js django flask fastapi laravel postgres* mysql sqlite mongo* redis kafka
    rabbitmq elasticsearch duckdb bigquery snowflake dynamodb s3 aws gcp azure hetzner docker*
    kubernetes k8s helm terraform ansible nginx caddy linux ubuntu debian macos git github gitlab
    ci ci/cd pipeline api apis graphql grpc websocket* webhook* sdk cli orm sql database db schema
    query migration server servers backend frontend deploy* staging prod cluster lambda cron queue
    cache caching token jwt oauth auth authentication encryption tls ssl endpoint* proxy vpn dns
    timeout latency throughput memory_leak race_condition deadlock async bug* stack_trace error
    regex parser compiler unit_tests lint* linter formatter prettier eslint ruff mypy pytest jest
    webpack vite npm pnpm yarn pip poetry conda cargo gradle maven dependency dependencies
    framework repo repository monorepo commit* merge rebase pull_request pr feature_flag* yaml
    json toml csv utf-8 utc timestamp* timezone* integer* floats? boolean null enum dataclass*
    embedding* llm gpu cuda ram cpu ssd firmware router wifi vs_code vim emacs ide bash zsh
    outage* cert certs load_balancer rate_limit* architecture microservice* monolith refactor*
    config* env environment_variable* logs logging monitoring grafana prometheus sentry backup*
    rollback hotfix version versions glibc numpy pandas pytorch tensorflow type_hints m1 m2 m3
    macbook port_# unit_tests? test_suite (flaky|failing|integration|e2e)_tests?
    (main|release|feature|master)_branch docker_container* containers read_replica*
    race_condition* s3_bucket tls_cert* ssl_cert* build_(server|pipeline|fails|failed|time)
    the_build thread_pool threads vector_(store|index|database|search) code_review
""")
# --- what tells nothing of the speaker
THOUGHT: Final = said(r"""
    i_(think|guess|believe|suppose|doubt|wonder|bet|mean|see|agree|know|understand|get_it|
    appreciate|figured|assume|imagine|wish|hope_(so|it|that|you)|feel_like_(that|we|it|you|this|
    the)|was_wondering|just_want) i_(just_)?(pasted|attached|uploaded|copied|typed|meant|misread|
    misspoke|did_not_expect|didn't_expect|expected|noticed) i'd_(say|go_with|guess|argue|pick)
    i'm_(not_|just_|still_|currently_)?(debugging|trying|sure|done|ready|back|here|sorry|lost|
    confused|kidding|curious|good|fine|ok|okay|with_you|looking|reading|checking|running|testing|
    on_it|wondering|guessing|impressed|glad|asking) i'll_(take|try|check|let|go|see|be|get|think|
    wait|pass|look|do) let_me i_(want|need|would_like)_(the|you|it|this|that|to_see|to_know|help|
    more|some|another) i_need_an?_(\w+_)?(function|script|program|regex|query|list|name|title|
    table|recipe|idea|summary|way|hand|version|tool|template)
    i'd_(like|love)_(an?|to_(see|know)|the|it|some|more)
    i_don't_(know|think|get|understand|see|care|mind|want_to) i_(didn't|don't)_(mean|say) if_i_
    i_could_eat i_(forgot|remember|can't_remember|don't_remember)
""")
TROUBLE: Final = said(r"""
    getting_an?_# (get|gets|getting|got|throws?|throwing|gives?|seeing|see|hit)_(an?|this|the|
    that)_(\w+_)?(error|exception|warning|message|bug|crash)
    can't_(figure|get|seem|find|make|understand)
    (does|did|do)n't_(work|compile|match|run|start|load) not_(working|matching|compiling|sure)
    i'm_stuck$ stuck_(here|with_this|at_this) need_(some_)?help have_a_question no_idea
    trying_to_(fix|understand|figure|get|debug|find) want_to_know looking_for segmentation_fault
    core_dumped any_ideas still_(fails|failing|broken|not)
""")
MOMENT: Final = said(r"""
    (i_|we_)?just_(woke|got_(home|back|up)|spilled|finished|sat|ate|realized|realised|noticed|
    dropped|missed) spilled yawn* stuck_in_traffic running_late need_(coffee|a_coffee|some_coffee|
    sleep|a_nap|a_break|caffeine) just_my_luck what_a_surprise because_of_course yeah_right
    love_(it_)?when back_from_lunch grabbing heading_(out|to_lunch)
    my_(coffee|tea|lunch)_(is|went|got) my_(battery|phone_died) stepping_(out|away) hungry thirsty
    sleepy one_sec(ond)? hang_on hold_on (internet|wifi|connection|computer|laptop|phone|
    page)_is_(being_)?(so_)?(slow|down|laggy) brb be_right_back running_it gotta_run
    just_a_(sec|second|minute|moment) raining snowing weather coffee_went so_(hot|cold)_today
    back_in_a i'm_back someone's_at be_back lunch_break never_mind nevermind
    just_(kidding|saying|curious|bored|checking|testing) no_big_deal figured_it_out
    let_me_(think|see|check|try) (just_)?what_i_(always_)?(wanted|needed) oh_great tried_that
    looks_good sounds_good makes_sense fair_enough i_(really_)?(love|like)_(it|that|this|
    the_(first|second|third|last|other)) works_for_me it_works typo that_(joke|movie|was)
    the_movie
""")
ONE_OFF: Final = said(r"""
    option_\w+ (this|that|the_(first|second|third|last|other))_one go_with go_ahead ship_it do_it
    here$ for_this_(one|task|time)
""")
HYPOTHETICAL: Final = said(r"""
    ^(suppose|imagine|let's_say|lets_say|say_i|assume|assuming|pretend|hypothetically|what_if|
    if_i_(were|was|had|lived|could|won)|if_we_(were|had|lived)|if_you_were|in_theory)
    hypothetically if_i_(were|lived|won|had_a_million) would_you_rather if_only
    (in_)?(this|the|a)_(novel|story|movie|book|film|song) (the|a)_(hero|villain|protagonist)
    role-?play narrator character_(who|says) as_an_ai
""")
WORLD: Final = said(r"""
    you_can you_could typically many_people most_people in_general generally
""")
DEFINED: Final = said(r"""
    ^(this|that|these|a|an)_\w+ (is|are)_(an?|the)_(\w+_)?(language|library|framework|tool|type|
    kind|way|format|protocol|function|concept|pattern)
""")
# --- what is wanted
STANDING: Final = said(r"""
    ^(always|never|don't|do_not|avoid|stop|quit|no_more|from_now_on|going_forward|
    in_(the_)?future|whenever|when_you|every_time|by_default|unless_i|only_use|call_me|address_me|
    refer_to_me|keep_your|keep_(answers|replies)|if_you_(write|answer|suggest|recommend|give|send|
    show|quote|plan|book|cook)|use_(metric|british|american|celsius|grams)) from_now_on
    going_forward always_(use|write|email|reply|answer|include|add|call|text|put|give|start|send|
    format|run|ask|show|keep|book) never_(use|write|include|add|put|start|send|call|suggest|
    commit|push|deploy) stop_(using|starting|calling|adding|ending|saying|asking|putting|being|
    writing) don't_(use|write|call_me|add|include|put|start|end|hold_back|sugar-?coat|suggest|
    apologi[sz]e|ask_me|give_me|send_me|touch|show_me) call_me use_…_(instead_of|rather_than)
    for_me_use i'd_like_you_to…for_me i_want_you_to_always
""")
NO_STANDING: Final = said(r"""
    ^don't_(worry|know|think|mind|bother|you|i|we|get_me|be) ^never_mind ^stop$ ^stop_it ^don't$
    this_(file|function|line|code|time) the_above yet$
""")
WISH: Final = said(r"""
    ^(remember_(this|that|to|i|i'm|we|our|my|it)|remember$|don't_(ever_)?forget|do_not_forget|
    note_that|note$|take_note|make_a_note|memori[sz]e|keep_in_mind|bear_in_mind) please_remember
    (remember|note|save|store)_this make_a_note note_(this|it)_down write_(this|that|it)_down
    jot_(this|that|it)_down keep_(that|this|it)_in_mind bear_in_mind for_the_record
    for_(future|your)_reference for_next_time
    (add|save|commit|put)_(this|that|it)_(to|in)_(your_)?memory
    don't_(ever_)?forget_(that|this|to|my|it|i|we|about) i_want_you_to_remember
    you_should_(remember|know_that) just_so_you_know fyi so_you_know keep_a_record
""")
REFUSAL: Final = said(r"""
    (don't|do_not|dont|no_need_to|don't_need_to|don't_have_to|shouldn't|not_to|without|needn't|
    never)_(ever_)?(remember*|sav(e|ing)|stor(e|ing)|record(ing)?|memori[sz](e|ing)|log(ging)?|
    not(e|ing)|keep|write|retain)_(this|that|it|any_of|what_i|these|me_saying|down|a_record)
    off_the_record (forget|disregard)_(i_said|what_i_said|that_i_said|everything_i|i_mentioned|
    what_i_just|i_told|about_what|this_conversation|that_last) not_for_the_record
    keep_(this|that)_out_of_(your_)?memory delete_(this|that)_from_(your_)?memory ignore_me
    just_venting
""")
NO_REFUSAL: Final = said(r"(i|we|you)_(don't|do_not|didn't)_remember")
ORDER: Final = said(r"""
    ^(translate|fix|summari[sz]e|show|give|write|add|make|run|find|play|turn|switch|set|open|
    close|delete|remove|explain|put|call|stop|go|let's|lets|suggest|check|create|generate|
    refactor|rename|convert|list|compare|rewrite|implement|update|use|try|help|draft|format|sort|
    calculate|compute|search|look|send|book|order|continue|proceed|start|shorten|expand|improve|
    review|debug|test|deploy|commit|push|install|download|print|read|tell|describe|act|pretend|
    change|move|copy|paste|edit|correct|proofread|pick|choose|keep_going|wait|do|redo|undo|repeat|
    say|answer|build|clean|merge|split|replace|insert|walk_me|can_you|could_you|would_you|
    will_you|can_u|pls|i_want_you_to|i_need_you_to|i'd_like_you_to|let_me|again$|shorter$|longer$|
    more$|another$|next$|simpler$|plz|define|extract|outline|analy[sz]e|solve|optimi[sz]e|
    validate|paraphrase|brainstorm|design|plot|draw|recommend|render|skip|zip|count|cancel|mute|
    pause|dim|schedule|email|text|ping|reply|respond|post|bring|drop|pull|press|click|type|get_me|
    switch_off) (can|could|would|will)_you_(please_)?\w+ give_me_(\w+_)?more check_the
""")
# An order for which one must know the speaker.
TAILORED: Final = said(r"""
    the_\w+_(i|we|you)_\w+ my_(usual|style|taste|preferences?|budget|schedule|allerg*|diet|size|
    tone|voice) i_(like|hate|love|usually|can't_eat|told|gave) suits?_(me|us|my)
""")
# --- what is asked
ASKS: Final = said(r"""
    ^(what|what's|whats|who|who's|whose|whom|where's|when's|why|why's|how|how's|which_~is)\w+|
    (where|when)_(is|are|was|were|do|does|did|will|should|can|could|would|am|were|have|has)|is|
    are|am|was|were|do_(i|we|you|they|people)|does|did|didn't|doesn't|don't_(i|we|you)|have_(i|we|
    you|they)|has|had_i|haven't|hasn't|can_i|can_we|can_it|could_(i|we|it)|should|would_(it|that|
    i|we|they)|will_(it|i|we|they|there)|isn't|aren't|wasn't|may_i|shall|any_(ideas|idea|tips|
    thoughts|suggestions|advice|recommendations|chance)|anyone|remind_me_(what|who|when|where|why|
    how|which|of)|tell_me_(what|who|when|where|why|how|which|about_(my|our|the)|everything))
    what_(was|is|did|were)_(it|that|the|i|we) any_(ideas|idea|tips|thoughts|suggestions|advice|
    recommendations|smaller|chance) do_you_(know|remember|recall|have|think) (how|what|which|when|
    where)_(long|much|many|often|time|should_(i|we)|can_(i|we)|did_(i|we)) what_did_i
""")
BACK: Final = said(r"""
    (as|like)_i_(said|mentioned|told|explained|noted) i_(said|mentioned|told_you|gave_you|
    showed_you|sent_you|asked_you|shared|raved|complained|described)…(earlier|before|last|
    previous*|yesterday|once|already|about|ago|the_other_day) (we|you)_(discussed|talked|said|
    mentioned|decided|agreed|suggested|recommended|told|covered|spoke|were_halfway|left_off|
    chatted)…(earlier|before|last|previous*|yesterday|again|about|ago|on) pick_up_(from|where)
    where_(were|was|did)_(we|i) left_off (earlier|previous|last)_(conversation|chat|session|
    discussion) do_you_(remember|recall) did_i_(tell|mention|say|ever)
    have_i_(told|mentioned|ever) didn't_i what_did_(i|we)
    what_(i|we)_(said|told|decided|discussed|mentioned|agreed) you_should_know_(by_now|about|that)
    you_know_(by_now|about|my_\w+) (everything|what|all)_you_know_about based_on_what_you_know
    same_as_(before|last|usual) the_one_(i|we)_(mentioned|talked|discussed|told)
    the_\w+(_\w+)?_(i|we|you)_(gave|mentioned|told|talked|discussed|suggested|sent|agreed|
    recommended) (which|what|who|where|when|why|how)…(again|last_time)$
    remind_me_(what|who|when|where|why|how|which|of) i_forgot_(is|are|what|who|when|where|which)
    that_i_mentioned back_to_(what|our) continu(e|ing)_(from|our|where)
    you_(told|suggested|recommended|mentioned) usual_(way|format|style) like_last_time last_time$
""")
FILLER: Final = said(r"""
    hi hello hey howdy yo sup good_(morning|night|evening|afternoon|day|job|one|point|luck) gm gn
    bye goodbye see_(you|ya) later cya take_care thanks? thank_you thx ty cheers much_appreciated
    appreciate_(it|that|you) so_much a_lot very_much ok okay k kk okey yes yeah yep yup ya no nope
    nah sure right alright exactly indeed true correct cool great nice perfect awesome amazing
    excellent wonderful fantastic brilliant lovely neat sweet wow whoa omg oh ah aha hmm+ hm uh um
    lol lmao haha+ hehe rofl got_it gotcha understood i_see makes_sense fair_enough
    sounds_(good|great|fine|right|like_a_plan) looks_(good|great|fine) works_for_me
    no_(worries|problem|thanks|idea|way|rush) never_mind nvm
    you're_(welcome|right|the_best|awesome|great|kidding) i_(agree|guess|think_so|know|suppose|
    hope_so|mean|understand) me_(too|neither) same not_(bad|really|sure|yet|at_all|quite)
    of_course absolutely definitely certainly totally agreed done ready go_(on|ahead|for_it)
    please sorry my_bad oops whoops hang_on hold_on one_(sec|second|moment|minute)
    just_a_(sec|second|moment|minute) wait brb back i'm_back well so and but then anyway really
    very just that's_(it|all|fine|great|cool|funny|amazing|awesome|right|true|good|nice|hilarious)
    that_(works|helps|makes_sense) it_works it_is_what_it_is that's this_is that_was it's_me again
    there everyone guys buddy dude man mate friend love_it i_love_(it|that) i_like_it for_you
    ship_it do_it let's_(go|do_it|do_this) go interesting funny hilarious terrible joke that_joke
    oh_my_(god|gosh) my_god yay hooray congrats congratulations welcome sleep_well you_too to_me
    all too as_i_said before never_know you i_had_no_idea the_other_one fine okie dokie ta bravo
    kudos phew ugh meh eh whatever idk dunno ikr tbh imo great_(work|job|answer|question)
    good_to_know will_do on_it roger noted copy_that testing test
    have_a_(good|great|nice)_(day|one|night|weekend|evening) same_here talk_(soon|later)
    nice_(one|work|job|weather) today i_figured_it_out kidding i_was that_is a i_don't_know maybe
""")


# ---- English signs: which words and openings say that a sentence tells, wants, plans, asks or

__all__ = ["prepared", "seen", "technical", "wants"]

# A greeting or a short reply is no longer than this.
_LONGEST_FILLER: Final = 80
_LONGEST_MOMENT: Final = 120
_LEFT: Final = re.compile(r"[^\W_ㄱ-ㅣ]")


def filler_only(text: str) -> bool:
    """Say whether nothing is left once greetings, thanks and short replies are taken away."""
    return len(text) <= _LONGEST_FILLER and not _LEFT.search(FILLER.without(text))


def technical(text: str) -> bool:
    """Say whether a prepared text speaks of things one builds software with."""
    return TECHNICAL.within(text)


def seen(text: str, has_code: bool) -> set[str]:
    """Return the names of the signs that a prepared English text, in lower case, bears."""
    found = {name for name, listed in _ALONE.items() if listed.within(text)}
    if has_code or technical(text):
        found.add("technical")
    if "refusal" in found and NO_REFUSAL.within(text):
        found.discard("refusal")
    if filler_only(text):
        return found & _ASIDE | {"chatter"}
    if STANDING.within(text) and "refusal" not in found and not NO_STANDING.within(text):
        found.add("preference")
    elif any(holds(text) for holds in _CHATTER):
        if ORDER.within(text) and TAILORED.within(text):
            found.add("marker")
        return found & _ASIDE | {"chatter"}
    if "preference" in found and ONE_OFF.within(text):
        return found & _ASIDE | {"chatter"}
    if WORLD.within(text) and not SELF.within(text):
        return found - _TELLING
    return found | _told(text, "technical" in found)


def wants(text: str) -> bool:
    """Say whether a clause asks or orders."""
    return ASKS.within(text) or ORDER.within(text)


def _passing(text: str) -> bool:
    """Say whether a text tells only of the moment: hunger, weather, a spilt coffee."""
    return len(text) <= _LONGEST_MOMENT and MOMENT.within(text) and not KIN.within(text)


def _told(text: str, technical: bool) -> set[str]:
    """Return what a statement tells: of the speaker, what happened, what is planned or settled."""
    found: set[str] = set()
    mine, kin = SELF.within(text), KIN.within(text)
    trouble = TROUBLE.within(text)
    idle = trouble or THOUGHT.within(text)
    if kin or (mine and not idle):
        found.add("personal")
    ahead = LATER.within(text) and (mine or kin or GERUND.within(text))
    if INTENT.within(text) or (ahead and not idle):
        found.add("plan")
    settled = SETTLED.within(text) or SETUP.within(text) or len(TECHNICAL.all(text)) > 1
    if technical and settled and not trouble and not DEFINED.within(text):
        found.add("finding")
    past = PAST.within(text) and (mine or kin or NEAR.within(text))
    if not idle and (past or (DROPPED.within(text) and not mine)):
        found.add("experience")
    return found


_ALONE: Final = {
    "question": ASKS,
    "marker": BACK,
    "wish": WISH,
    "refusal": REFUSAL,
    "preference": LIKE,
    "decision": AGREED,
    "cause": CAUSE,
}
_CHATTER: Final = (ORDER.within, HYPOTHETICAL.within, _passing)
# What a sentence may bear beside being chatter, and what one about the world does not bear.
_ASIDE: Final = frozenset(("wish", "refusal", "marker", "question", "technical"))
_TELLING: Final = frozenset(("personal", "experience", "plan", "decision", "preference"))

"""English words by what they name or do: verbs with their forms, relatives, jobs, common words."""

from __future__ import annotations

from typing import Final, NamedTuple


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


class Form(NamedTuple):
    """What a written verb form is: its lemma and "base", "s", "past", "done" or "ing"."""

    lemma: str
    kind: str


_REGULAR: Final = """live reside stay move relocate settle work join start begin retire graduate
    study attend enroll like love enjoy adore dislike hate prefer use own need want switch
    migrate change upgrade bump update downgrade pin convert replace swap trade ditch drop
    abandon stop finish end adopt name rename call drink smoke watch play listen learn train
    practise practice exercise jog cook bake visit travel deploy host release ship launch push
    pull reschedule rebook postpone delay shift cancel schedule book decide agree choose pick
    settle vote promise marry divorce date separate engage adore resign quit fire hire promote
    transfer open close fix resolve solve merge approve complete pass fail submit recover heal
    walk turn drive ride subscribe unsubscribe delete remove uninstall install root support cheer
    follow raise lower increase reduce land offer accept want hope wish plan intend guess believe
    claim mention announce suggest reckon suppose wonder ask say seem look help carry wear
    contain require handle manage track store save edit draft code develop test teach report
    reopen expire renew return arrive upload organise organize stream order rent lease manage
    earn cost weigh crave prefer tolerate avoid despise detest loathe appreciate fancy raise
    foster walk discharge rebrand rely admit diagnose chat talk communicate freelance expect
    slate extend deliver bump move add rely depend commute volunteer""".split()
_IRREGULAR: Final = """be am is are was were been being |have has had had having |do does did
    done doing |go goes went gone going |get gets got got getting got gotten |make makes made
    made making |take takes took taken taking |give gives gave given giving |buy buys bought
    bought buying |sell sells sold sold selling |eat eats ate eaten eating |run runs ran run
    running |read reads read read reading |write writes wrote written writing |speak speaks spoke
    spoken speaking |drive drives drove driven driving |ride rides rode ridden riding |drink
    drinks drank drunk drinking |keep keeps kept kept keeping |lose loses lost lost losing |leave
    leaves left left leaving |meet meets met met meeting |come comes came come coming |grow grows
    grew grown growing |teach teaches taught taught teaching |choose chooses chose chosen
    choosing |quit quits quit quit quitting |break breaks broke broken breaking |wear wears wore
    worn wearing |feel feels felt felt feeling |think thinks thought thought thinking |say says
    said said saying |tell tells told told telling |hear hears heard heard hearing |know knows
    knew known knowing |put puts put put putting |let lets let let letting |set sets set set
    setting |swim swims swam swum swimming |build builds built built building |bring brings
    brought brought bringing |find finds found found finding |become becomes became become
    becoming |stand stands stood stood standing |see sees saw seen seeing |steal steals stole
    stolen stealing |cancel cancels cancelled cancelled cancelling canceled canceled |throw
    throws threw thrown throwing |bear bears bore born bearing |fly flies flew flown flying |sing
    sings sang sung singing |swap swaps swapped swapped swapping |ship ships shipped shipped
    shipping |drop drops dropped dropped dropping |stop stops stopped stopped stopping |plan
    plans planned planned planning |prefer prefers preferred preferred preferring |transfer
    transfers transferred transferred transferring |submit submits submitted submitted submitting
    |admit admits admitted admitted admitting |jog jogs jogged jogged jogging |pay pays paid paid
    paying |send sends sent sent sending |hold holds held held holding |win wins won won winning
    |fall falls fell fallen falling |begin begins began begun beginning |hit hits hit hit hitting
    |cut cuts cut cut cutting |spend spends spent spent spending |stick sticks stuck stuck
    sticking |pin pins pinned pinned pinning |shift shifts shifted shifted shifting |slip slips
    slipped slipped slipping |die dies died died dying |lie lies lay lain lying |tie ties tied
    tied tying"""
_EXTRA: Final = {"got": "get", "gotten": "get", "rid": "get"}


def _conjugated() -> dict[str, Form]:
    forms: dict[str, Form] = {}
    for lemma in _REGULAR:
        stem = lemma[:-1] if lemma.endswith("e") else lemma
        soft = lemma[-1] == "y" and lemma[-2] not in "aeiou"
        past = lemma[:-1] + "ied" if soft else stem + "ed"
        third = (
            lemma[:-1] + "ies"
            if soft
            else lemma + ("es" if lemma.endswith(("s", "sh", "ch", "x", "o")) else "s")
        )
        for form, kind in ((lemma, "base"), (third, "s"), (past, "past"), (stem + "ing", "ing")):
            forms.setdefault(form, Form(lemma, kind))
    for line in _IRREGULAR.split("|"):
        lemma, *rest = line.split()
        if lemma == "be":
            continue
        forms[lemma] = Form(lemma, "base")
        for form, kind in zip(rest, ("s", "past", "done", "ing", "past", "done"), strict=False):
            if form != lemma and forms.get(form, Form("", "")).lemma != lemma:
                forms[form] = Form(lemma, kind)
    return forms


VERBS: Final = _conjugated()
SAME_PAST: Final = _words("quit put let set cut hit read")
BE: Final = {
    "am": "now",
    "is": "now",
    "are": "now",
    "was": "past",
    "were": "past",
    "be": "base",
    "been": "done",
    "being": "ing",
}
AUXILIARIES: Final = _words("""am is are was were be been being have has had do does did will
    would can could should must may might shall cannot""")
ADVERBS: Final = _words("""really just always also still now finally recently actually currently
    usually mostly only already almost often sometimes generally totally absolutely definitely
    honestly basically officially literally mainly primarily probably regularly normally very much
    so too then even quite simply truly ever lately nowadays instead again both all super pretty
    kinda sorta deeply mostly strongly rather anymore highly newly happily sadly luckily
    unfortunately apparently formally permanently temporarily""")
NEGATIONS: Final = _words("not never no longer hardly rarely seldom nor")
PREPOSITIONS: Final = _words("""in at on to into onto from with without for by as over than of
    about since until till under near above below behind beside between through during instead off
    out up down around across after before against per via like within toward towards""")
STOPPERS: Final = _words("""because when while although though if unless whether which who whom
    whose where that since until till after before every each once twice today yesterday tomorrow
    tonight now anymore lately nowadays these last next this too also either ago again already
    recently soon currently yet instead right always usually sometimes often""")
TIME_WORDS: Final = _words("""today yesterday tomorrow tonight now anymore lately nowadays
    recently soon currently weekly monthly daily monday tuesday wednesday thursday friday saturday
    sunday mondays tuesdays wednesdays thursdays fridays saturdays sundays ago""")
WORKPLACES: Final = _words("""diner bakery library school hospital clinic bank restaurant cafe
    café bar shop store firm factory warehouse university college startup company agency nonprofit
    hotel studio lab museum gym supermarket salon garage newspaper brewery farm bookstore pharmacy
    airline office""")
LEADS: Final = _words("""oh ah hey hi hello ok okay so well actually honestly btw fyi anyway also
    and but plus then now currently finally recently lately nowadays today yesterday tomorrow
    tonight apparently sadly luckily unfortunately basically update correction quick note reminder
    yeah yes no nope sorry look listen turns scratch just guess remember heads up sure right great
    news good bad""")

INDUSTRIES: Final = _words("""tech finance marketing sales healthcare education retail law
    consulting banking insurance hospitality construction media publishing biotech""")
KINDS_OF: Final = dict.fromkeys("spring summer autumn fall winter".split(), "season")
TEAMS: Final = _words("""lakers celtics warriors knicks bulls heat nets mets yankees dodgers
    giants cubs redsox patriots cowboys packers eagles chiefs jets rams arsenal chelsea liverpool
    tottenham spurs everton barcelona madrid juventus bayern dortmund milan united city mariners
    astros braves phillies padres raiders steelers broncos bears lions vikings saints rangers
    bruins leafs canucks""")
ILLNESSES: Final = _words("""cold flu fever covid migraine pneumonia asthma diabetes depression
    anxiety insomnia bronchitis cough infection anemia arthritis""")
PREMISES: Final = _words("""office offices shop store headquarters hq studio warehouse clinic gym
    cafe restaurant school lab factory branch bakery""")
STREETS: Final = _words("""street st avenue ave road rd lane boulevard drive square court place
    terrace""")
KIN: Final = _words("""mother mom mum mommy father dad daddy parents wife husband spouse partner
    son daughter brother sister twin grandmother grandma grandfather grandpa granddad aunt uncle
    cousin nephew niece kid kids child children baby boyfriend girlfriend fiance fiancé fiancee
    fiancée ex roommate flatmate housemate friend boss manager coworker colleague neighbour
    neighbor landlord teacher tutor coach grandson granddaughter stepmother stepfather stepson
    stepdaughter brother-in-law sister-in-law mother-in-law father-in-law grandparents siblings
    folks buddy mate best-friend supervisor mentor team-mate teammate""")
PETS: Final = _words("""dog dogs cat cats puppy kitten rabbit hamster parrot pet pets fish turtle
    horse""")
JOBS: Final = _words("""developer engineer programmer designer doctor nurse teacher professor
    lecturer lawyer attorney accountant pharmacist vet veterinarian chef cook baker firefighter
    policeman cop soldier writer author journalist painter singer actor actress model marketer
    researcher scientist student freelancer entrepreneur farmer fisherman hairdresser barista
    translator interpreter pilot driver architect photographer youtuber analyst consultant manager
    salesman saleswoman salesperson banker judge carpenter welder florist pianist musician
    composer director coach trainer therapist psychologist counselor counsellor librarian dentist
    electrician plumber mechanic editor intern attendant secretary receptionist waiter waitress
    bartender cashier paramedic midwife surgeon physicist chemist biologist economist statistician
    recruiter administrator technician astronomer illustrator animator producer tailor gardener
    cleaner builder contractor realtor landlord producer streamer gamer tutor principal dean
    postdoc apprentice locksmith butcher tester sysadmin devops ceo cto cfo pm founder
    data-scientist nanny babysitter guard housewife househusband homemaker retiree pensioner
    unemployed""")
JOB_ENDS: Final = (
    "ologist",
    "ographer",
    "ician",
    "keeper",
    "smith",
    "wright",
    " engineer",
    " manager",
    " scientist",
    " analyst",
    " teacher",
)
DIETS: Final = _words("vegetarian vegan pescatarian omnivore veggie flexitarian keto")
STATUS: Final = {
    "single": "single",
    "unmarried": "single",
    "married": "married",
    "engaged": "engaged",
    "divorced": "divorced",
    "separated": "divorced",
    "widowed": "widowed",
    "dating": "dating",
    "taken": "dating",
}
DONE: Final = _words("""fixed resolved solved done finished complete completed merged closed
    shipped approved over live ready deployed released passed paid delivered signed submitted
    sorted settled repaired healed better renewed recovered green passing""")
OPEN: Final = _words("""broken open pending unfinished unresolved unfixed down blocked stuck
    waiting late incomplete injured hurt sprained expired unpaid overdue failing flaky""")
EVENTS: Final = _words("""test exam meeting standup sync call class lesson course exam interview
    presentation wedding launch release concert event workshop seminar dinner lunch breakfast
    checkup appointment flight train trip shoot session review retro demo sprint party game match
    practice rehearsal recital surgery ceremony conference hackathon deploy deployment kickoff 1:1
    one-on-one reservation booking visit webinar lecture gym yoga pilates therapy haircut ride
    race marathon tournament show delivery inspection move maintenance graduation festival brunch
    date sale opening hearing vote election broadcast""")
DEADLINES: Final = _words("deadline due submission")
VEHICLES: Final = _words("car truck van suv motorcycle motorbike scooter bike bicycle")
DEVICES: Final = _words("""phone laptop computer car tablet keyboard mouse monitor camera bike
    watch headphones desktop tv truck van guitar piano console printer""")
VAGUE: Final = _words("""it this that them one ones something anything everything nothing stuff
    things thing lot lots bit way time day week here there him her me us you myself""")
# Common words that may stand first in a sentence with a capital letter, or are no names anyway.
COMMON: Final = _words("""i i'm i've i'd i'll we he she it they you my our his her its their your
    the a an this that these those there here what which who whose when where why how if so and
    but or because since while although though after before until then now today yesterday
    tomorrow tonight monday tuesday wednesday thursday friday saturday sunday january february
    march april may june july august september october november december please thanks thank sorry
    yes no yeah ok okay oh hey hi hello well actually honestly just also not never always
    sometimes let lets let's can could would should will shall do does did is are was were am have
    has had be been get got one two three every each some any all most many much more last next
    first best most great good bad new old just only even still maybe perhaps remember from in on
    at to for with without about as by of mr mrs ms dr prof english korean god christmas easter tv
    pc ok fyi btw asap usa uk eu us ai api url ceo cto pdf id faq diy lol omg""")
FIRST_NAMES: Final = _words("""aaron abby abigail adam adrian agnes aisha alan albert alex
    alexander alexandra alice alicia alison amanda amber amelia amir amy ana andre andrea andrew
    andy angela anita ann anna anne annie anthony antonio april aria arthur ashley audrey austin
    ava barbara beatrice becky ben benjamin bernard beth betty bill billy bob bonnie brad brandon
    brenda brian bruce bryan caleb cameron carl carla carlos carmen carol caroline catherine cathy
    charles charlie charlotte chen chloe chris christian christina christine christopher cindy
    claire clara claudia cody colin connor craig cynthia dan daniel daniela danny dave david dawn
    dean deborah denise dennis derek diana diane diego dominic donald donna dorothy doug douglas
    dylan ed eddie edward edwin elaine elena eleanor eli elijah elizabeth ella ellen emily emma
    eric erica erik erin ethan eugene eva evan eve evelyn felix fiona frances frank fred gabriel
    gary gavin george gerald gina glenn gloria grace greg hailey hannah harold harry harvey hassan
    heather hector heidi helen henry holly howard hugh hugo ian ida irene iris isaac isabel
    isabella ivan jack jackie jackson jacob jake james jamie jan jane janet janice jared jason jay
    jean jeff jeffrey jen jenna jennifer jenny jeremy jerry jess jesse jessica jill jim jimmy jin
    joan joe joel john jon jonathan jordan jorge jose joseph josh joshua joy joyce juan judith
    judy julia julian julie justin karen karl kate katherine kathleen katie kayla keith kelly ken
    kenneth kevin kim kristen kyle lara larry laura lauren lee leo leon leonard leslie liam lily
    linda lisa liz logan lori louis louise lucas lucy luis luke lydia maggie marcus margaret maria
    marie mario mark marta martha martin mary mason matt matthew maya megan melissa mia michael
    michelle miguel mike mila min mina minji minsu mohamed molly monica nancy naomi natalie nathan
    neil nick nicole nina noah nora norman olga oliver olivia omar oscar owen pablo pam pamela
    patricia patrick paul paula pedro peggy penny peter phil philip phoebe priya rachel raj ralph
    ray raymond rebecca ricardo richard rick riley rita rob robert robin roger ron ronald rosa
    rose ross roy russell ruth ryan sally sam samantha samuel sandra sara sarah scott sean sergio
    shane shannon sharon shawn sheila simon sofia sophia sophie stacy stan stella stephanie
    stephen steve steven stuart sue sunny susan sylvia tara ted teresa terry theo theresa thomas
    tim timothy tina todd tom tommy tony tracy travis trevor tyler valerie vanessa vera vicky
    victor victoria vincent violet virginia walter wanda wayne wendy wesley will william willie
    xavier yuki yuna zach zoe""")
PLACES: Final = frozenset(
    str.split(
        """amsterdam athens atlanta auckland austin australia austria bangkok barcelona beijing
        belgium berlin boston brazil brussels bucharest budapest busan california canada chicago
        china copenhagen dallas delhi denmark denver detroit dubai dublin edinburgh egypt england
        europe finland florence florida france geneva germany greece hamburg hanoi hawaii helsinki
        hong kong houston iceland india indonesia ireland israel istanbul italy jakarta japan korea
        kyiv kyoto leeds lima lisbon london madrid malaysia malta manchester melbourne mexico miami
        milan montreal moscow mumbai munich nairobi naples netherlands new york new zealand norway
        osaka oslo ottawa paris philadelphia philippines phoenix poland portland porto portugal
        prague quebec rome romania russia san francisco san diego scotland seattle seoul shanghai
        singapore spain stockholm sweden switzerland sydney taipei taiwan tallinn tampa texas
        thailand tokyo toronto turkey ukraine valencia vancouver venice vermont vienna vietnam
        virginia wales warsaw zurich"""
    )
) | frozenset(("new york", "hong kong", "san francisco", "san diego", "los angeles", "new zealand"))

"""Which English words of feeling stand in a text, and how much each weighs where it stands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise
from typing import Final

from saegim.language.senses import (
    EARLIER,
    ONCE,
    SOFT,
    STRONG,
    UNREAL,
    UTMOST,
    Found,
    Sense,
    Way,
    senses,
)
from saegim.memory.late import late

# ---- English words and phrases of feeling, and what each of them says.

_WORDS: Final = """
[homonym 0]
anger_management stress_test stress_tests stress_testing kernel_panic garbage_collection
garbage_collector garbage_collected garbage_value bad_request bad_gateway worst_case best_case
best_practice best_practices best_effort happy_path sad_path broken_pipe pain_point pain_points
tears_down gross_income gross_profit gross_revenue gross_margin gross_domestic past_tense
present_tense future_tense nice_value nice_level miss_rate cache_miss miss_the_point
miss_the_deadline miss_the_train miss_the_bus miss_the_flight miss_the_mark great_circle
perfect_square perfect_forwarding sick_leave sick_day sick_days hate_speech love_language mad_libs
excited_state good_morning good_night good_evening good_afternoon good_luck great_britain
great_wall fun_fact poor_man's sweet_potato sweet_spot cool_down fear_index best_before for_good
good_faith best_friend best_friends nice_to_have proud_owner great_grandmother great_grandfather
no_worries
[inner 0.9 joy 1.4]
overjoyed ecstatic elated euphoric jubilant over_the_moon on_cloud_nine happiest best_day_ever
best_day_of_my happiest_day best_moment_of_my overwhelmed_with_joy couldn't_be_happier
burst_with_joy
[inner -0.9 sadness 1.4]
heartbroken devastated despair suicidal sobbing sobbed weeping wept grief grieving gutted
broken_hearted shattered inconsolable can't_stop_crying couldn't_stop_crying burst_into_tears
broke_down_crying want_to_die wanted_to_die reason_to_live reason_to_go_on cried_myself
cry_myself crying_myself my_dog_died my_cat_died my_mother_died my_father_died my_mom_died
my_mum_died my_dad_died my_world_collapsed whole_world_collapsed world_fell_apart
[view -0.8 sadness 1.4]
broke_my_heart breaks_my_heart breaking_my_heart
[inner -0.9 anger 1.4]
furious rage raging enraged livid seething infuriated outraged blood_boil blood_boils boiling_with
never_forgive beside_myself
[inner -0.8 fear 1.4]
terrified petrified horrified terror scared_to_death going_to_die was_dying
[view -0.9 disgust 1.4]
revolting repulsive repugnant abhorrent sick_to_my_stomach threw_up
[inner -0.7 anxiety 1.4]
panic_attack panic_attacks worried_sick going_insane can't_breathe couldn't_breathe
losing_my_mind lost_my_mind
[inner 0.9 joy 1]
happy happier happiest happily happiness glad joyful overjoyed delighted thrilled ecstatic elated
excited stoked blissful cheerful proud pride grateful thankful relieved euphoric jubilant gleeful
over_the_moon on_cloud_nine can't_wait cannot_wait cant_wait couldn't_be_happier couldn't_be_better
looking_forward_to had_a_blast made_my_day makes_my_day best_day_ever
[inner 0.7 joy 0.75]
pleased satisfied relief blessed laughing laughed laugh giggled smiling yay woohoo hooray
celebrating celebrated gratitude warmed_my_heart
[liking 0.8 joy 0.75]
love loved loving loves adore adored enjoy enjoyed enjoying enjoys appreciate appreciated
[manner 0.6 joy 0.75]
thanks thank_you thank thx congrats congratulations
[view 0.7 joy 0.7]
joy
[fun 0.7 joy 0.6]
fun funny hilarious entertaining exciting amusing enjoyable
[sign 0.6 joy 0.6]
lol lmao lmfao rofl haha hahaha hahahaha hehe xd
[view 0.7 joy 0.6]
great awesome amazing wonderful excellent beautiful fantastic perfect brilliant incredible adorable
cute lovely gorgeous delicious magnificent superb fabulous terrific outstanding stunning phenomenal
charming wholesome heartwarming glorious epic well_done good_job nice_job great_job welcoming
best_ever handsome genius legend greatest hero sexy very_interesting pretty_good brave
cracked_me_up so_good
[inner 0.6 joy 0.55]
got_promoted got_accepted
[liking 0.6 joy 0.5]
liked i_like really_like favorite favourite admire admired
[manner 0.5 joy 0.5]
cheers welcome smile smiled
[view 0.6 joy 0.5]
nice impressive lucky impressed we_made_it i_did_it nailed_it we_did_it
she_said_yes he_said_yes
[view 0.5 joy 0.45]
good better_than_ever kind_of_you inspiring inspired beloved
[manner 0.5 joy 0.4]
best cool sweet
[fun 0.4 joy 0.25]
interesting
[view 0 joy 0.9 sadness 0.9]
bittersweet happy_tears tears_of_joy
[inner -0.9 sadness 1]
sad sadder saddest sadly sadness saddened unhappy depressed depression heartbroken heartbreak
lonely loneliness miserable misery devastated grief grieving grieve sorrow sorrowful mourn mourning
hopeless hopelessness despair weeping wept sobbing sobbed in_tears gutted broken_hearted
feeling_down feel_down feel_so_down feeling_blue melancholy gloomy suicidal can't_stop_crying
couldn't_stop_crying made_me_cry
[view -0.8 sadness 1]
depressing heartbreaking devastating broke_my_heart breaks_my_heart my_dog_died my_cat_died
my_mother_died my_father_died my_mom_died my_dad_died
[inner -0.7 sadness 0.75]
crying cried cry tears disappointed disappointment regret regretted regrets remorse guilty guilt
ashamed heartache passed_away broke_up dumped_me let_me_down let_down lost_my_dad lost_my_mom
lost_my_grandmother lost_my_grandfather worthless hurt_my_feelings felt_hurt feel_hurt
[view -0.7 sadness 0.7]
disappointing tragic tragedy that_hurt it_hurts hurts_so rip
[inner -0.6 sadness 0.65]
upset feel_bad felt_bad feel_terrible felt_terrible feel_awful felt_awful
[inner -0.5 sadness 0.6]
missed_out
[manner -0.3 sadness 0.6]
sorry
[view -0.5 sadness 0.55]
unfortunate pity funeral farewell saying_goodbye poor_guy poor_thing poor_girl poor_kid
[manner -0.3 sadness 0.5]
unfortunately
[view -0.4 sadness 0.5]
too_bad my_bad hurts hurt painful
[view -0.4 sadness 0.45]
died
[inner -0.3 sadness 0.35]
pain losing apologies apologize
[view -0.2 sadness 0.3]
goodbye
[inner -0.9 anger 1]
angry angrier anger furious rage raging enraged outraged outrage livid fuming pissed pissed_off
infuriated irate seething resent resentment resentful fed_up had_enough mad_at so_mad
[view -0.9 anger 1]
infuriating blood_boil driving_me_crazy drives_me_crazy driving_me_nuts drives_me_nuts can't_stand
[inner -0.8 anger 0.8]
mad hate hated hates hatred annoyed annoyance irritated frustrated frustration
[view -0.8 anger 0.8]
annoying annoys irritating irritates frustrating outrageous screw_you shut_up fuck_you fuck_off
fuck_this fuck_that
[view -0.8 anger 0.7]
idiot idiots idiotic moron morons stupid asshole assholes bastard bastards bitch dumbass bullshit
wtf stfu dammit goddamn scum jerk jerks ridiculous unacceptable unfair betrayed betrayal humiliated
humiliating shameless how_dare fucked pathetic
[view -0.7 anger 0.6]
fool fools what_the_hell what_the_fuck the_fuck the_hell obnoxious infuriates
[view -0.6 anger 0.5]
fuck dumb bs nonsense dick absurd ignorant hypocrite
[view -0.6 anger 0.45]
damn shit shitty crap sucks suck sucked fucking
[inner -0.8 fear 1]
afraid scared scare terrified terror frightened horrified petrified fearful panicked panicking
dread dreading phobia scared_to_death
[view -0.8 fear 1]
terrifying frightening horrifying scary spooky scares freaked_me_out creeped_out creeps_me_out
[view -0.6 fear 0.7]
fear fears
[view -0.5 fear 0.55]
horror nightmare nightmares goosebumps threatening eerie chilling
[view -0.5 fear 0.4]
panic dangerous
[view -0.8 fear 0.7 disgust 0.35]
creepy creep creeps
[view -0.9 disgust 1]
disgusting disgusted disgust disgusts gross revolting repulsive repulsed nauseating nauseated
nauseous vile puke puked yuck yucky ew eww ewww filthy nasty sickening makes_me_sick made_me_sick
sick_to_my_stomach threw_up repugnant abhorrent
[view -0.8 disgust 0.75]
hideous
[view -0.7 disgust 0.7]
vomit cringy cringey rancid stinks despicable perverted
[view -0.7 disgust 0.4]
awful cringe foul
[view -0.8 disgust 0.6 anger 0.6]
loathe loathing despise detest abomination
[inner -0.7 anxiety 1]
anxious anxiety nervous nervously worried worry worries stressed stressed_out on_edge uneasy unease
apprehensive restless jittery overthinking panic_attack panic_attacks butterflies_in_my_stomach
freaking_out freak_out worried_sick
[view -0.7 anxiety 0.9]
stressful stressing worrying nerve-wracking
[inner -0.5 anxiety 0.7]
overwhelmed overwhelming tense stress concerned distressed troubled keeps_me_up_at_night
[inner -0.4 anxiety 0.45]
concerning concern under_pressure insecure hesitant
[inner -0.4 envy 1]
jealous jealousy envy envious envied envies green_with_envy
[inner -0.3 envy 0.6]
must_be_nice wish_i_had wish_i_were_her wish_i_were_him wish_i_were_you wish_that_was_me
[view -0.6 ennui 1]
bored boring boredom bores tedious tedium monotonous monotony burned_out burnt_out burnout dull meh
apathetic apathy listless lethargic unmotivated mind-numbing can't_be_bothered couldn't_be_bothered
tired_of sick_of sick_and_tired same_old humdrum dreary
[inner -0.5 ennui 0.7]
exhausted weary drained fatigued worn_out uninspired don't_feel_like didn't_feel_like
[view -0.5 ennui 0.65]
exhausting mundane repetitive
[inner -0.4 ennui 0.55]
tired
[view -0.4 ennui 0.5]
nothing_to_do bland lame
[inner 0 nostalgia 1]
nostalgic nostalgia homesick reminisce reminiscing reminisced reminisces
[view 0 nostalgia 1]
good_old_days old_days those_were_the_days brings_back_memories bring_back_memories
brought_back_memories brings_back_so_many took_me_back takes_me_back back_in_the_day
[inner 0 nostalgia 0.55]
remember_when longing yearning
[view 0.1 nostalgia 0.55]
memories throwback fond_memories
[view 0 nostalgia 0.35]
childhood old_photos grew_up when_i_was_little when_i_was_young
[inner -0.2 nostalgia 0.9 sadness 0.4]
i_miss miss_you miss_my miss_her miss_him miss_them miss_those miss_home missing_you miss_being
miss_having i_really_miss i_still_miss
[view 0.4]
fine decent helpful useful friendly comfortable worth_it smart talented
[view -0.6]
bad worse terrible horrible worst garbage trash useless disaster mess poor poorly embarrassing
embarrassed embarrassment ugly unbearable unpleasant
"""


@cache
def lexicon() -> tuple[dict[str, Sense], dict[str, list[tuple[str, ...]]]]:
    """Return what single words say, and the phrases by their first word, longest first."""
    found = senses(_WORDS, lambda word: (word.replace("_", " "),))
    phrases: dict[str, list[tuple[str, ...]]] = {}
    for phrase in sorted(found, key=lambda each: -each.count(" ")):
        words = tuple(phrase.split())
        if len(words) > 1:
            phrases.setdefault(words[0], []).append(words)
    return found, phrases


# ---- Which English words of feeling stand in a text, and how much each weighs where it stands.

_TOKEN: Final = late(r"[a-z]+(?:['-][a-z]+)*|[.!?;:,()\n…—]+")
_LONG_DRAWN: Final = late(r"([a-z])\1{2,}")
# Without these letters no word needs mending.
_ODD: Final = late(r"([a-z])\1\1|nt\b")
_SHORTENED: Final = late(
    r"(do|does|did|is|was|are|were|wo|ca|could|would|should|has|have|had|ai)nt"
)
_NOT: Final = frozenset(
    str.split("""not no never nobody nothing none neither nor without hardly barely scarcely rarely
    seldom cannot""")
)
# After these a negation does not reach the word of feeling: can't stop crying, don't know why.
_NOT_DENYING: Final = frozenset(
    str.split("""stop help wait believe know care understand remember realize realise forget mention
    only just wonder doubt matter""")
)
_LESS: Final = frozenset(("far from", "stopped being", "free of", "used to"))
_BREAK: Final = frozenset(
    str.split("and but because since when while although though however yet if unless that's")
)
# How many words back a denial reaches, and how many a sentence is looked at around a word.
_REACH, _WIDE = 5, 30
_LOUDEST: Final = 2.0
_STRONG: Final = frozenset(
    str.split("""so very really super too such truly freaking damn hella most terribly genuinely
    seriously badly always constantly deeply pure sheer""")
)
# Degrees beyond which people know no other.
_UTMOST: Final = frozenset(
    str.split("""absolutely completely totally incredibly extremely utterly insanely fucking beyond
    unbelievably overwhelmingly ridiculously""")
)
_STRONG_AFTER: Final = late(
    r"^\W*(?:so much|a lot|(?:for )?(?:hours|days|weeks)\b|all (?:day|night|week)"
    r"|every (?:single )?(?:day|night))"
)
_UTMOST_AFTER: Final = late(
    r"^\W*(?:as (?:hell|fuck|heck)|to death|out of my mind|ever\b|like crazy|beyond words"
    r"|(?:day )?of my (?:\w+ )?life|myself to sleep)"
)
# Words that speak about feelings as a matter, not out of one.
_MATTER: Final = frozenset(
    str.split("""model models class classes label labels classifier dataset emotion emotions
    category categories sentiment detection score scores""")
)
_SOFT: Final = frozenset(str.split("bit little slightly somewhat kinda sorta fairly mildly"))
_SOFT_PAIRS: Final = frozenset((("kind", "of"), ("sort", "of")))
_FIRST: Final = frozenset(str.split("""i i'm im i've i'd i'll me myself we we're we've us"""))
_OTHERS: Final = frozenset(
    str.split("""he he's she she's they they're him her them people someone somebody you you're
    everyone everybody his their who anyone""")
)
_BEING: Final = frozenset(
    str.split("is was are were be been feels felt feel seems seemed looks looked got gets became")
)
_NO_ONE: Final = frozenset(
    str.split("it this that there what which today day week life everything it's that's all")
)
_UNREAL: Final = frozenset(
    str.split("""if would wouldn't might could imagine suppose unless hypothetically i'd you'd he'd
    she'd they'd""")
)
_WORKS: Final = frozenset(
    str.split("movie movies film films story stories song songs book books novel show scene game")
)
_ONCE: Final = late(r"\bat first\b|\bused to\b|\binitially\b|\boriginally\b|\bonce upon\b")
_CONTRAST: Final = frozenset(("but", "however", "yet", "nevertheless", "nonetheless"))
_CONCEDING: Final = frozenset(("although", "though", "despite"))


def found(text: str) -> Iterator[Found]:
    """Yield the English words of feeling of a text."""
    low = text.lower().replace("’", "'")
    # Lowering may change how long a text is (İ); then its places would not be ours.
    own = text if len(low) == len(text) else low
    tokens = list(_TOKEN.finditer(low))
    words = [each.group() for each in tokens]
    if _ODD.search(low):
        words = [_plain(word) for word in words]
    if "anything but" in low:
        words = ["not" if pair == ("anything", "but") else pair[1] for pair in _pairs(words)]
    for at, size, sense in _matches(words):
        begin, end = tokens[at].start(), tokens[at + size - 1].end()
        clause = _clause(words, at)
        since = tokens[at - len(clause)].start()
        denying = _denied(words, at, size)
        elsewhere = _elsewhere(sense, words, at, size, clause)
        weight = _weight(words, at, clause) * _loudness(own[begin:end], low[end : end + 20])
        weight *= ONCE if _ONCE.search(low, since, end) else 1.0
        weight *= UNREAL if elsewhere else 1.0
        words_from = tokens[denying].start() if denying >= 0 else begin
        form = own[words_from:end]
        yield Found(sense, form, begin, min(weight, _LOUDEST), denying >= 0, elsewhere)


def _pairs(words: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield each word with the one before it."""
    return pairwise(("", *words))


def _plain(word: str) -> str:
    """Return a word without drawn-out letters, and with the apostrophe people leave out."""
    known, _ = lexicon()
    if word not in known and _LONG_DRAWN.search(word):
        for letters in (r"\1\1", r"\1"):
            shorter = _LONG_DRAWN.sub(letters, word)
            if shorter in known or shorter in _STRONG or shorter in _UTMOST:
                return shorter
    return f"{word[:-1]}'t" if _SHORTENED.fullmatch(word) else word


def _loudness(form: str, after: str) -> float:
    """Return how much louder than usual a word is written or followed."""
    loud = form.isupper() and len(form) > 2
    if _UTMOST_AFTER.match(after):
        return UTMOST
    return STRONG if loud or _LONG_DRAWN.search(form) or _STRONG_AFTER.match(after) else 1.0


def _matches(words: Sequence[str]) -> Iterator[tuple[int, int, Sense]]:
    """Yield place, length and sense of each word and phrase, the longest first."""
    known, phrases = lexicon()
    at = 0
    while at < len(words):
        size, sense = 1, known.get(words[at])
        for phrase in phrases.get(words[at], ()):
            if tuple(words[at : at + len(phrase)]) == phrase:
                size, sense = len(phrase), known[" ".join(phrase)]
                break
        if sense is not None:
            yield at, size, sense
        at += size


def _clause(words: Sequence[str], at: int) -> list[str]:
    """Return the words before a place, back to where its clause begins."""
    since, earliest = at, max(0, at - _WIDE)
    while since > earliest and words[since - 1][0].isalpha() and words[since - 1] not in _CONTRAST:
        since -= 1
    return list(words[since:at])


def _denied(words: Sequence[str], at: int, size: int) -> int:
    """Return the place of what denies a word, or -1."""
    if size > 1 and ("'t" in words[at] or words[at] in _NOT):
        return -1
    for back in range(1, min(_REACH, at) + 1):
        word = words[at - back]
        if not word[0].isalpha() or word in _BREAK:
            return -1
        following = words[at - back + 1]
        if word in _NOT or word.endswith("n't"):
            if following in _NOT_DENYING:
                return -1
            if word == "never" and following == "been" and _more(words, at):
                return -1
            return at - back
        if word == "less" or f"{word} {following}" in _LESS:
            return at - back
    return -1


def _more(words: Sequence[str], at: int) -> bool:
    """Say whether a word is compared: never been happier, never been so proud."""
    return words[at].endswith("er") or words[at - 1] in ("so", "more", "this")


def _weight(words: Sequence[str], at: int, clause: list[str]) -> float:
    """Return how much a word weighs by its degree and by its place in the sentence."""
    near = words[max(0, at - 3) : at]
    degree = 1.0
    if not _UTMOST.isdisjoint(near) or near.count("so") > 1:
        degree = UTMOST
    elif not _STRONG.isdisjoint(near):
        degree = STRONG
    elif not _SOFT.isdisjoint(near) or tuple(near[-2:]) in _SOFT_PAIRS:
        degree = SOFT
    turns = sum(word in _CONTRAST for word in words[at : at + _WIDE])
    return degree * EARLIER ** min(2, turns + (not _CONCEDING.isdisjoint(clause)))


def _elsewhere(sense: Sense, words: Sequence[str], at: int, size: int, clause: list[str]) -> bool:
    """Say whether a feeling is supposed, asked about, told of, or somebody else's."""
    if not _UNREAL.isdisjoint(clause) or _asked(words, at):
        return True
    following = words[at + size] if at + size < len(words) else "."
    if _FIRST.isdisjoint(clause) and not _MATTER.isdisjoint((*clause, following)):
        return True
    if sense.way is Way.INNER and following in _WORKS:
        return True
    return sense.way in (Way.INNER, Way.LIKING) and _of_others(clause, following)


def _of_others(clause: list[str], following: str) -> bool:
    """Say whether somebody else than the speaker has the feeling that follows the clause."""
    for word in reversed(clause):
        if word in _FIRST:
            return False
        if word in _OTHERS:
            return True
    for before, word in pairwise(clause):
        if word in _BEING and before not in _NO_ONE:
            return True
    return clause[-1:] in (["a"], ["an"], ["the"]) and following[0].isalpha()


def _asked(words: Sequence[str], at: int) -> bool:
    """Say whether the sentence of a word is a question."""
    for word in words[at : at + _WIDE]:
        if word[0] in ".!?\n":
            return "?" in word
    return False

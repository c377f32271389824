"""English words and phrases of feeling, and what each of them says.

`_` is the space in a phrase. A homonym only keeps a word of feeling from being seen in it. A share
above 1 is a word that is never said of anything slight: no plainer than the others, but stronger.
"""

from __future__ import annotations

from functools import cache
from typing import Final

from saegim.language.senses import Sense, senses

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

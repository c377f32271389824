"""The words of a text and the heads, weighed together."""

from __future__ import annotations

import pytest

from saegim.engines.brain.heads import OTHERS
from saegim.language.feelings import margins, sentiment, share
from saegim.language.language import LANGUAGES, Language
from saegim.language.lexicons import FeelingEvidence, FeelingWord, Sense, Way, added_up, senses
from saegim.memory.memory import Feeling

J, S, A, NONE = Feeling.JOY, Feeling.SADNESS, Feeling.ANGER, Feeling.NEUTRAL
SAD = Sense(((S, 1.0),), -0.9, Way.INNER)
GLAD = Sense(((J, 1.0),), 0.9, Way.INNER)


def heard(**said: float) -> dict[str, float]:
    """What heads say that are sure of nothing, but for those given."""
    return dict.fromkeys((*OTHERS, *Feeling), -2.0) | said


@pytest.mark.parametrize("language", LANGUAGES)
def test_words_and_heads_add_up(language: Language) -> None:
    """A word makes a feeling likelier than the head alone, and the head than the word alone."""
    word = added_up([FeelingWord(SAD, "슬퍼", 0, 0.5)])
    alone = margins(FeelingEvidence(), heard(sadness=1.0), language, 300)[S]
    both = margins(word, heard(sadness=1.0), language, 300)[S]
    neither = margins(FeelingEvidence(), heard(), language, 300)[S]
    assert neither < alone < both
    assert margins(word, heard(), language, 300)[S] < both


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_outright_word_settles_it(language: Language) -> None:
    """However the heads doubt, a feeling that is named is there, and the text is not neutral."""
    doubt = heard(neutral=5.0, sentiment=5.0, sadness=-5.0)
    found = margins(added_up([FeelingWord(SAD, "슬퍼", 0, 1.0)]), doubt, language, 10)
    assert found[S] > 0 > found[NONE]
    faint = margins(added_up([FeelingWord(SAD, "슬퍼", 0, 0.6)]), doubt, language, 10)
    assert faint[S] < 0


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_denied_feeling_is_not_believed_from_the_heads(language: Language) -> None:
    """The heads see the word and not its denial."""
    denied = added_up([FeelingWord(SAD, "안 슬퍼", 0, 1.0, denied=True)])
    assert margins(FeelingEvidence(), heard(sadness=2.0), language, 200)[S] > 0
    assert margins(denied, heard(sadness=2.0), language, 10)[S] < 0


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_feeling_of_somebody_else_counts_less(language: Language) -> None:
    """The heads cannot tell whose feeling it is; the words can."""
    mine = added_up([FeelingWord(SAD, "sad", 0, 0.4)])
    theirs = added_up([FeelingWord(SAD, "sad", 0, 0.4, elsewhere=True)])
    said = heard(sadness=2.0)
    assert margins(theirs, said, language, 50)[S] < margins(mine, said, language, 50)[S]


@pytest.mark.parametrize("language", LANGUAGES)
def test_in_a_short_text_unnamed_feelings_are_an_echo(language: Language) -> None:
    """Beside a plain word, what only a head reads counts in a long text and not in a short one."""
    word = added_up([FeelingWord(SAD, "슬퍼", 0, 1.0)])
    assert margins(word, heard(anger=3.0), language, 300)[A] > 0
    assert margins(word, heard(anger=3.0), language, 10)[A] < 0


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_text_without_words_of_feeling_leans_to_neutral(language: Language) -> None:
    """Neutral is likelier where nothing is named, and most so in a short text."""
    weak = added_up([FeelingWord(Sense((), 0.1, Way.VIEW), "편하다", 0, 1.0)])
    short = margins(FeelingEvidence(), heard(), language, 10)[NONE]
    assert short > margins(FeelingEvidence(), heard(), language, 300)[NONE]
    assert short > margins(weak, heard(), language, 10)[NONE]


def test_sentiment_follows_words_and_head() -> None:
    """Both are heard; words alone suffice."""
    sad, glad = (
        added_up([FeelingWord(SAD, "슬퍼", 0, 1.0)]),
        added_up([FeelingWord(GLAD, "기뻐", 0, 1.0)]),
    )
    assert sentiment(sad, None, "ko", 10) < 0 < sentiment(glad, None, "ko", 10)
    for language in LANGUAGES:
        good = heard(sentiment=1.0)
        assert sentiment(sad, good, language, 40) < sentiment(FeelingEvidence(), good, language, 40)
        assert sentiment(FeelingEvidence(), good, language, 40) < sentiment(
            glad, good, language, 40
        )
    assert share(-1e9) == pytest.approx(0, abs=1e-9)


def test_a_sign_against_the_words_is_a_manner() -> None:
    """Laughter beside anger is not joy; alone it is."""
    laugh = FeelingWord(Sense(((J, 0.5),), 0.5, Way.SIGN), "ㅋㅋ", 9, 1.0)
    assert added_up([laugh]).felt[J] == pytest.approx(0.5)
    assert added_up([FeelingWord(SAD, "슬퍼", 0, 1.0), laugh]).felt[J] < 0.3


def test_denied_joy_is_sad_and_denied_pain_is_nothing() -> None:
    """Not happy is sad; not sad is not joy; neither of both is neither."""
    not_glad, not_sad = FeelingWord(GLAD, "a", 0, 1.0, True), FeelingWord(SAD, "b", 2, 1.0, True)
    assert added_up([not_glad]).felt[S] > 0.5
    assert added_up([not_glad]).worth < 0
    assert added_up([not_sad]).felt == {}
    assert added_up([not_sad]).worth > 0
    assert added_up([not_glad, not_sad]).felt == {}


def test_a_list_of_words_says_what_its_heads_say() -> None:
    """The form of the lists: way, worth, feelings; the first mention of a word wins."""
    found = senses("[inner -0.5 sadness .7 anger .4]\na ^b\n[view 0.2]\na c", lambda word: [word])
    assert found["a"] == Sense(((S, 0.7), (A, 0.4)), -0.5, Way.INNER)
    assert found["b"].first
    assert found["c"] == Sense((), 0.2, Way.VIEW)

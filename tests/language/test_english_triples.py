"""English sentences and the triples they say, in the words of the predicate table."""

from __future__ import annotations

import pytest
from reading_aloud import read

SAID = {
    "I like Python.": [("user", "likes", "Python")],
    "I can't stand cilantro.": [("user", "dislikes", "cilantro")],
    "I don't like beer anymore.": [("user", "dislikes", "beer")],
    "I prefer tabs over spaces.": [
        ("user", "prefers", "tabs"),
        ("user", "prefers less", "spaces"),
    ],
    "I'd rather take the train than fly.": [
        ("user", "prefers", "take the train"),
        ("user", "prefers less", "fly"),
    ],
    "My favourite season is autumn.": [("user", "favourite season", "autumn")],
    "Dune is my favorite book.": [("user", "favourite book", "Dune")],
    "The best pizza in town is Forno Blu.": [("user", "favourite pizza in town", "Forno Blu")],
    "I root for the Mets.": [("user", "supports", "Mets")],
    "I live in Denver.": [("user", "lives in", "Denver")],
    "I just moved to Portland.": [("user", "moved to", "Portland")],
    "I no longer live in Seoul.": [("user", "no longer lives in", "Seoul")],
    "My sister lives in Oslo with her three kids.": [("sister", "lives in", "Oslo")],
    "I'm from Vermont.": [("user", "is from", "Vermont")],
    "Our office is on Baker Street.": [("office", "located at", "Baker Street")],
    "The office relocated to Canal Road over the weekend.": [
        ("office", "located at", "Canal Road")
    ],
    "I work at a bakery.": [("user", "works at", "bakery")],
    "My brother Tom works for Nike.": [("Tom", "works at", "Nike")],
    "My wife teaches at a primary school.": [
        ("wife", "job is", "teacher"),
        ("wife", "works at", "primary school"),
    ],
    "I left Google and joined Stripe.": [
        ("user", "left", "Google"),
        ("user", "works at", "Stripe"),
    ],
    "I'm a data analyst.": [("user", "job is", "data analyst")],
    "I'm a student at MIT.": [("user", "job is", "student"), ("user", "studies at", "MIT")],
    "My last name is Keller.": [("user", "last name", "Keller")],
    "The product is called Lantern.": [("product", "name is", "Lantern")],
    "My dog's name is Rex.": [("dog", "name is", "Rex")],
    "Call me Bo.": [("user", "nickname is", "Bo")],
    "My son just turned four.": [("son", "age is", "four")],
    "My birthday is on the ninth of March.": [("user", "birthday is", "on the ninth of March")],
    "I'm allergic to peanuts and cats.": [
        ("user", "allergic to", "peanuts"),
        ("user", "allergic to", "cats"),
    ],
    "I'm a vegetarian.": [("user", "diet is", "vegetarian")],
    "I stopped eating meat.": [("user", "stopped", "meat")],
    "I quit smoking in January.": [("user", "stopped", "smoking")],
    "I used to drink coffee.": [("user", "does not drink", "coffee")],
    "I drink coffee every morning.": [("user", "drinks", "coffee")],
    "I never eat breakfast on weekdays.": [("user", "does not eat", "breakfast")],
    "I speak Korean with my grandmother.": [("user", "speaks", "Korean")],
    "We use Postgres.": [("user", "uses", "Postgres")],
    "We switched from Slack to Teams.": [
        ("user", "switched to", "Teams"),
        ("user", "does not use", "Slack"),
    ],
    "I use Vim as my editor.": [("user", "uses", "Vim"), ("user", "editor tool", "Vim")],
    "The app needs Java 11.": [("Java", "version is", "11")],
    "We bumped the app to Java 21.": [("Java", "version is", "21")],
    "The standup is at 9:30.": [("standup", "scheduled for", "at 9:30")],
    "The standup moved to 10.": [("standup", "rescheduled to", "at 10")],
    "The deadline got pushed to March 15th.": [("deadline", "deadline moved to", "March 15th")],
    "The proposal is due on Friday.": [("proposal", "deadline is", "on Friday")],
    "We have two cats and an old greyhound.": [
        ("user", "has", "two cats"),
        ("user", "has", "old greyhound"),
    ],
    "I don't have a car.": [("user", "does not have", "car")],
    "I sold my car.": [("user", "got rid of", "car")],
    "My phone is an iPhone.": [("user", "phone", "iPhone")],
    "I'm single.": [("user", "relationship status", "single")],
    "I got engaged on Saturday!": [("user", "relationship status", "engaged")],
    "The login bug is fixed.": [("login bug", "state is", "done")],
    "I have a cold.": [("user", "suffers from", "cold")],
    "I met Sarah Connor yesterday.": [("user", "met", "Sarah Connor")],
    "I'm moving to Berlin in September.": [("user", "plans", "move to Berlin in September")],
    "The rent went up to $1,300.": [("rent", "changed to", "$1,300")],
    "Please keep answers short from now on.": [("user", "prefers", "short answers")],
    "I love hiking but I'm not into camping.": [
        ("user", "likes", "hiking"),
        ("user", "dislikes", "camping"),
    ],
}
UNSAID = (
    "Do I live in Denver?",
    "Where do I work",
    "If I ever moved it would be to Maine.",
    "I want to move to Spain.",
    "I might switch to Linux.",
    "I hope to buy a car.",
    "I wish I had a dog.",
    "I would love to live in Paris.",
    "I used to live in Rome.",
    "Dad said he likes beer.",
    "Can you use Python for this?",
    "He likes it.",
    "I like meetings to end five minutes early.",
    "Thanks a lot!",
)


@pytest.mark.parametrize("text", SAID)
def test_an_english_sentence_says_its_triples_and_no_others(text: str) -> None:
    """Contractions, denials and tenses are read, and owners are kept apart (U4.3)."""
    assert list(read(text).triples) == SAID[text]


@pytest.mark.parametrize("text", UNSAID)
def test_what_english_does_not_say_yields_no_triple(text: str) -> None:
    """A question, a wish, a supposition and reported speech are no facts (U4.2)."""
    assert read(text).triples == ()


def test_an_assistant_tells_of_itself_and_not_of_the_user() -> None:
    """The speaker's own name stands in what another voice says of itself (U4.3)."""
    assert read("I live in Denver.", speaker="assistant").triples == (
        ("assistant", "lives in", "Denver"),
    )
    assert read("My wife lives in Denver.", speaker="Ana").triples == (
        ("Ana's wife", "lives in", "Denver"),
    )

"""English time words, said on Wednesday 4 March 2026 at ten in Seoul unless said otherwise."""

from __future__ import annotations

from datetime import datetime
from string import ascii_lowercase

import pytest
from told import AFTER_GAP, AFTER_OVERLAP, FIRST, LAST, SEOUL, SUNDAY, told

from saegim.language import times as figures
from saegim.language.days import small
from saegim.language.en import times as english_dates

NAMED = {
    # days
    "I went to the dentist yesterday.": "2026-03-03",
    "Yesterday's meeting was long.": "2026-03-03",
    "The day before yesterday was cold": "2026-03-02",
    "Today is my first day.": "2026-03-04",
    "tmrw works for me": "2026-03-05",
    "the day after tomorrow I fly": "2026-03-06",
    "The night before last I woke": "2026-03-02",
    "tonight we order pizza": "2026-03-04",
    "I barely slept last night.": "2026-03-03",
    "I ran five miles this morning.": "2026-03-04",
    # counts back and ahead
    "I paid him four days ago.": "2026-02-28",
    "thirteen days ago we met": "2026-02-19",
    "twenty-five years ago we met": "2001-03-04",
    "we moved two weeks ago": "2026-02-18",
    "a fortnight ago we met": "2026-02-18",
    "I quit a month ago.": "2026-02-04",
    "a year and a half ago we met": "2024-09-04",
    "half a year ago we met": "2025-09-04",
    "a year ago today we met": "2025-03-04",
    "She left an hour ago.": "2026-03-04T09",
    "10 minutes ago he called": "2026-03-04T09:50..2026-03-04T09:51",
    "The visa expires in 3 days.": "2026-03-07",
    "three days from now": "2026-03-07",
    "In two months we close the shop.": "2026-05-04",
    # weeks and weekdays
    "Last week was rough.": "2026-02-23..2026-03-02",
    "this week is full": "2026-03-02..2026-03-09",
    "Next week I start.": "2026-03-09..2026-03-16",
    "the week before last I was ill": "2026-02-16..2026-02-23",
    "last weekend we hiked": "2026-02-28..2026-03-02",
    "I saw him last Tuesday.": "2026-03-03",
    "We ate there last Wednesday.": "2026-02-25",
    "next Friday I'm off work": "2026-03-06",
    "The exam is next Monday.": "2026-03-09",
    "See you this Saturday!": "2026-03-07",
    "We will meet on Thurs.": "2026-03-05",
    "We will meet on Thu.": "2026-03-05",
    "I started this Monday.": "2026-03-02",
    "this past Friday we met": "2026-02-27",
    "We met on Friday.": "2026-02-27",
    "We will meet on Friday.": "2026-03-06",
    "We're flying on Friday": "2026-03-06",
    "I haven't seen him since Monday": "2026-03-02",
    "Friday last week I left": "2026-02-27",
    "last week's Friday meeting": "2026-02-27",
    "Tuesday of last week": "2026-02-24",
    "two weeks ago on Friday": "2026-02-20",
    # months and years
    "Rent went up last month.": "2026-02-01..2026-03-01",
    "the 15th of last month we met": "2026-02-15",
    "last month on the 15th we met": "2026-02-15",
    "I broke my arm last year": "2025-01-01..2026-01-01",
    "March last year we moved": "2025-03-01..2025-04-01",
    "They got married last March.": "2025-03-01..2025-04-01",
    "We're getting married next June.": "2026-06-01..2026-07-01",
    "in May we moved": "2025-05-01..2025-06-01",
    "I'm planning to quit in January": "2027-01-01..2027-02-01",
    "I graduated in 2016.": "2016-01-01..2017-01-01",
    "We released it in May 2023.": "2023-05-01..2023-06-01",
    # dates
    "The contract dates from 2024-03-05.": "2024-03-05",
    "It opened on July 4th, 2022.": "2022-07-04",
    "Mar. 5, 2024 was fun": "2024-03-05",
    "I joined on 5 March 2024.": "2024-03-05",
    "the 5th of March 2024": "2024-03-05",
    "3/25/2024": "2024-03-25",
    "25/3/2024": "2024-03-25",
    "3/3/2024": "2024-03-03",
    "25.3.2024": "2024-03-25",
    "2021/3/5 was cold": "2021-03-05",
    "We met on March 2.": "2026-03-02",
    "I signed the lease on March 5.": "2025-03-05",
    "We'll fly out on June 12.": "2026-06-12",
    "March 3rd last year we met": "2025-03-03",
    "on Monday, March 2, we met": "2026-03-02",
    "the first Monday of March 2025": "2025-03-03",
    "on the last Friday of May we will meet": "2026-05-29",
    # hours
    "He called yesterday at 7 pm.": "2026-03-03T19",
    "The review is today at 14:00.": "2026-03-04T14",
    "The call is tomorrow at 10:30 am.": "2026-03-05T10:30..2026-03-05T11",
    "4:30 pm on 9 April, 2023": "2023-04-09T16:30..2023-04-09T17",
    "tomorrow morning at 9am we leave": "2026-03-05T09",
    "Tomorrow at noon": "2026-03-05T12",
    "last night at 2am I woke": "2026-03-04T02",
    "Let's meet at 3pm.": "2026-03-04T15",
    "I woke at 6am": "2026-03-04T06",
    "Let's meet at 8am.": "2026-03-05T08",
    "at 3 in the afternoon": "2026-03-04T15",
    "2024-03-05T14:30:00Z": "2024-03-05T23:30..2024-03-06",
    "내일 10am에 call": "2026-03-05T10",
    # ranges
    "from March 5 to March 7 we travelled": "2025-03-05..2025-03-08",
    "March 5-7 we travelled": "2025-03-05..2025-03-08",
    "between March 5 and March 9 we travelled": "2025-03-05..2025-03-10",
    "yesterday from 2pm to 4pm": "2026-03-03T14..2026-03-03T16",
    "from 2019 to 2021 I lived in Busan": "2019-01-01..2022-01-01",
    # holidays
    "I proposed to her on Christmas.": "2025-12-25",
    "We'll visit my parents on Christmas.": "2026-12-25",
    "last Christmas we stayed": "2025-12-25",
    "I got sick on New Year’s Eve.": "2025-12-31",
    "New Year's Day was quiet": "2026-01-01",
    "On Valentine's Day he cooked": "2026-02-14",
    "on Thanksgiving we ate turkey": "2025-11-27",
    "Thanksgiving 2023 was fun": "2023-11-23",
    "the day after Christmas we flew": "2025-12-26",
    "We ate rice cake soup on Seollal.": "2026-02-17",
}
NOTHING = """a few weeks ago I tried sushi | a couple of days ago | several years ago
the other day | about two weeks ago we met | over a year ago we met | 2-3 days ago
two or three weeks ago | two hundred years ago | a week and a half ago | past week was hard
2024-03-05T10:00+99:99 | 3.5 years ago | a month and two days ago | I'll be back in a second.
I finished it in two weeks | for the first time in 3 years | It's a two-week course.
The paint takes 3 days to dry. | within a month | two days later he left
the next day we left | that night we slept | two days before Christmas | a week from Friday
the week before 2 May 2022 | over the last year | the last week of March | in early March
late last year | end of last month | In the summer of 2019 we cycled. | this time last year
We run every Tuesday. | on Mondays we swim | every Monday at 3pm | I saw her on February 30.
Call me on April 31. | Due 2025-02-29 by the form. | We met at 13 pm | It is dated 03/04/2025.
13/13/2024 | 2024-13-01 | My birthday is October 3. | Friday is busy. | it happened on the 5th
in March we moved | tomorrow at midnight | I may 5 | I may go to the gym. | May is my sister.
April said hi | this may be wrong | On second thought, no. | The shop is open 24/7.
She works a nine-to-five job. | We won 21:15 | John 3:16 | in 2000 words
Upgraded to PyCharm 2024.3.5 | report_2024-03-05.pdf | https://x.com/2024/03/05/post
My favourite song is "Yesterday". | the movie Tomorrow | We watched Friday the 13th
Merry Christmas! | Happy New Year! | Christmas tree is up
The meeting was moved to Tuesday at 3 pm | The launch has been moved from Friday to Tuesday.
I hate calls before nine in the morning. | I'm terrified of the MRI on Monday
I have an appointment on Tuesday at three. | Thus we left. | thus, no rent is due""".replace(
    "\n", " | "
).split(" | ")
ELSEWHERE = [
    (SUNDAY, "Next week I start.", "2026-05-04..2026-05-11"),
    (SUNDAY, "this Friday we will meet", "2026-05-08"),
    (FIRST, "Last month was hard.", "2025-12-01..2026-01-01"),
    (FIRST, "Today is my first day.", "2026-01-01"),
    (LAST, "Tomorrow is the big day.", "2026-01-01"),
    (LAST, "Next month we move.", "2026-01-01..2026-02-01"),
    (AFTER_GAP, "Yesterday I flew.", "2026-03-08"),
    (AFTER_GAP, "Last week was rough.", "2026-03-02..2026-03-09"),
    (AFTER_OVERLAP, "I paid him four days ago.", "2026-10-29"),
    (AFTER_OVERLAP, "Yesterday we changed the clocks.", "2026-11-01"),
]


@pytest.mark.parametrize(("text", "wanted"), NAMED.items())
def test_an_english_time_word_names_its_span(text: str, wanted: str) -> None:
    """U20.2: English time words and dates count from the time of the message."""
    assert told(text, SEOUL) == wanted


@pytest.mark.parametrize("text", NOTHING)
def test_what_cannot_be_known_in_english_names_nothing(text: str) -> None:
    """U20.2: what is vague, impossible, recurring or no time at all is left out, never guessed."""
    assert told(text, SEOUL) == ""


@pytest.mark.parametrize(("anchor", "text", "wanted"), ELSEWHERE)
def test_the_zone_of_the_message_decides_the_day(anchor: datetime, text: str, wanted: str) -> None:
    """U20.2: the day is that of the anchor's zone, from UTC-12 to UTC+14, whatever its length."""
    assert told(text, anchor) == wanted


def test_every_rule_says_what_it_can_begin_with() -> None:
    """No rule of the tables is kept from a place where its pattern would match."""
    hits = 0
    for text in map(small, (*NAMED, *NOTHING)):
        for at in range(len(text)):
            if at and text[at - 1].isalnum():
                continue
            for rule in (*english_dates.READER.rules, *figures.READER.rules):
                if rule.match(text, at):
                    assert text.startswith(rule.first, at), (rule.pattern, text[at:])
                    hits += 1
    assert hits > 100


def test_no_word_that_begins_like_a_day_breaks_the_reading() -> None:
    """Every end of up to two letters behind the beginning of a day or month ("thus", "mont")."""
    ends = ["", *ascii_lowercase, *(a + b for a in ascii_lowercase for b in ascii_lowercase)]
    named = 0
    for begin in "mon tue wed thu fri sat sun".split():
        for end in ends:
            named += bool(told(f"We will meet on {begin}{end}.", SEOUL))
    assert 7 <= named <= 20

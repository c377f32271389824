"""JSON that is none, as small models write it: punctuation, strings, ends and shapes.

All are written by hand. `whole` are the contents that a patient reader finds; where a model said in
so many words that there is nothing, that is NONE; where there is nothing to save, it is hopeless.
"""

# ruff: noqa: E501 -- an answer is read best as it came, in one line.

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Bad:
    """One answer and the contents of the items that are whole in it."""

    name: str
    text: str
    whole: tuple[str, ...]
    hopeless: bool = False


NONE: Final = ()
TEA = "지민은 커피 대신 홍차를 마신다"
BUSAN = "민호는 부산으로 이사했다"
DOG = "The user has a dog called Bori"
TABS = "The user prefers tabs over spaces"


def bad(name: str, text: str, *whole: str) -> Bad:
    """Return an answer of which something can be saved, or which says that there is nothing."""
    return Bad(name, text, whole)


def hopeless(name: str, text: str) -> Bad:
    """Return an answer of which nothing can be saved."""
    return Bad(name, text, (), hopeless=True)


PUNCTUATION: Final = (
    bad(
        "trailing comma in the list",
        '{"facts": [{"content": "The user has a dog called Bori"},]}',
        DOG,
    ),
    bad(
        "trailing comma in the object",
        '{"facts": [{"content": "The user has a dog called Bori", "type": "fact",}]}',
        DOG,
    ),
    bad(
        "double comma",
        '{"facts": [{"content": "The user has a dog called Bori",, "type": "fact"},, {"content": "민호는 부산으로 이사했다"}]}',
        DOG,
        BUSAN,
    ),
    bad(
        "missing comma between objects",
        '{"facts": [{"content": "The user has a dog called Bori"} {"content": "민호는 부산으로 이사했다"}]}',
        DOG,
        BUSAN,
    ),
    bad(
        "missing comma between fields",
        '{"facts": [{"content": "The user has a dog called Bori" "type": "fact"}]}',
        DOG,
    ),
    bad(
        "missing comma at the end of a line",
        '{"facts": [{\n  "content": "지민은 커피 대신 홍차를 마신다"\n  "type": "preference"\n}]}',
        TEA,
    ),
    bad(
        "missing comma after a number",
        '{"facts": [{"importance": 0.8 "content": "지민은 커피 대신 홍차를 마신다"}]}',
        TEA,
    ),
    bad(
        "single quotes",
        "{'facts': [{'content': 'The user prefers tabs over spaces', 'type': 'preference'}]}",
        TABS,
    ),
    bad(
        "single quotes around an apostrophe",
        "{'facts': [{'content': 'The user doesn't like the manager's tone', 'type': 'fact'}]}",
        "The user doesn't like the manager's tone",
    ),
    bad(
        "quotes of both kinds",
        """{'facts': [{"content": 'The user has a dog called Bori', 'type': "fact"}]}""",
        DOG,
    ),
    bad(
        "python constants",
        "{'facts': [{'content': 'The user has a dog called Bori', 'temporary': False, 'until': None, 'sure': True}]}",
        DOG,
    ),
    bad(
        "python tuple",
        "({'content': 'The user has a dog called Bori'}, {'content': 'The user prefers tabs over spaces'})",
        DOG,
        TABS,
    ),
    bad(
        "python text prefix",
        "{u'facts': [{u'content': u'민호는 부산으로 이사했다'}]}",
        BUSAN,
    ),
    bad(
        "triple quotes",
        '{"facts": [{"content": """The user said "no" twice""", "type": "fact"}]}',
        'The user said "no" twice',
    ),
    bad("keys without quotes", "{facts: [{content: 'The user has a dog called Bori'}]}", DOG),
    bad(
        "nothing in quotes",
        "{facts: [{content: The user has a dog called Bori, type: fact}]}",
        DOG,
    ),
    bad(
        "korean without quotes",
        "{facts: [{content: 민호는 부산으로 이사했다, type: fact}]}",
        BUSAN,
    ),
    bad(
        "curly quotes",
        "{“facts”: [{“content”: “지민은 커피 대신 홍차를 마신다”, “type”: “preference”}]}",
        TEA,
    ),
    bad(
        "corner quotes",
        "{「facts」: [{「content」: 「민호는 부산으로 이사했다」}]}",
        BUSAN,
    ),
    bad(
        "full-width punctuation",
        '｛"facts"： ［｛"content"： "민호는 부산으로 이사했다"， "type"： "fact"｝］｝',
        BUSAN,
    ),
    bad(
        "full-width quotes",
        "{＂facts＂: [{＂content＂: ＂지민은 커피 대신 홍차를 마신다＂}]}",
        TEA,
    ),
    bad(
        "backticks for quotes",
        "{`facts`: [{`content`: `The user prefers tabs over spaces`}]}",
        TABS,
    ),
    bad(
        "equals for colons", '{"facts" = [{"content" = "The user prefers tabs over spaces"}]}', TABS
    ),
    bad("arrows for colons", '{"facts" => [{"content" => "The user has a dog called Bori"}]}', DOG),
    bad(
        "semicolons",
        '{"facts": [{"content": "The user has a dog called Bori"; "type": "fact"}]}',
        DOG,
    ),
    bad("two colons", '{"facts":: [{"content":: "The user has a dog called Bori"}]}', DOG),
    bad(
        "a forgotten colon in the second field",
        '{"facts": [{"content": "The user has a dog called Bori", "type" "fact"}]}',
        DOG,
    ),
    bad("a forgotten colon", '{"facts": [{"content" "The user has a dog called Bori"}]}', DOG),
    bad(
        "line comments",
        '{"facts": [ // the facts\n{"content": "The user has a dog called Bori", // from turn 3\n"type": "fact"}]}',
        DOG,
    ),
    bad(
        "block comment",
        '{"facts": [/* one */ {"content": "민호는 부산으로 이사했다" /* city */}]}',
        BUSAN,
    ),
    bad(
        "hash comments",
        '{"facts": [\n  # preference\n  {"content": "The user prefers tabs over spaces", "type": "preference"} # sure\n]}',
        TABS,
    ),
    bad(
        "an ellipsis among the items",
        '{"facts": [{"content": "The user has a dog called Bori"}, ...]}',
        DOG,
    ),
    bad(
        "an ellipsis among the fields",
        '{"facts": [{"content": "The user has a dog called Bori", ...}]}',
        DOG,
    ),
    bad("doubled braces", '{{"facts": [{{"content": "The user has a dog called Bori"}}]}}', DOG),
    bad(
        "doubled braces around two items",
        '[{{"content": "The user has a dog called Bori"}}, {{"content": "민호는 부산으로 이사했다"}}]',
        DOG,
        BUSAN,
    ),
    bad(
        "spaces inside keys",
        '{" facts ": [{" content ": "The user prefers tabs over spaces"}]}',
        TABS,
    ),
    bad("keys in capitals", '{"Facts": [{"Content": "The user prefers tabs over spaces"}]}', TABS),
    bad(
        "not a number",
        '{"facts": [{"content": "The user has a dog called Bori", "importance": NaN, "confidence": -Infinity}]}',
        DOG,
    ),
    bad(
        "undefined",
        '{"facts": [{"content": "The user has a dog called Bori", "until": undefined}]}',
        DOG,
    ),
    bad(
        "odd numbers",
        '{"facts": [{"content": "The user has a dog called Bori", "importance": .8, "confidence": +1., "n": 01}]}',
        DOG,
    ),
    bad(
        "a number too large",
        '{"facts": [{"content": "The user has a dog called Bori", "importance": 1e999}]}',
        DOG,
    ),
    bad(
        "a value left out",
        '{"facts": [{"content": "The user has a dog called Bori", "type": , "importance": 0.5}]}',
        DOG,
    ),
)

STRINGS: Final = (
    bad(
        "quotes not escaped",
        '{"facts": [{"content": "지민은 "괜찮아"라고 말했다", "type": "experience"}]}',
        '지민은 "괜찮아"라고 말했다',
    ),
    bad(
        "quotes not escaped before a comma",
        '{"facts": [{"content": "민호는 "안녕", 하고 떠났다", "type": "experience"}]}',
        '민호는 "안녕", 하고 떠났다',
    ),
    bad(
        "english quotes not escaped",
        '{"facts": [{"content": "The user calls the old server "the beast" at work", "type": "fact"}]}',
        'The user calls the old server "the beast" at work',
    ),
    bad(
        "line break not escaped",
        '{"facts": [{"content": "The user lists:\ntea,\nbread", "type": "fact"}]}',
        "The user lists:\ntea,\nbread",
    ),
    bad("tab not escaped", '{"facts": [{"content": "a\tb c d"}]}', "a\tb c d"),
    bad(
        "unknown escapes",
        r'{"facts": [{"content": "The user\'s path is C:\Users\jo", "type": "fact"}]}',
        r"The user's path is C:Usersjo",
    ),
    bad(
        "closing quote forgotten at the line's end",
        '{"facts": [{\n"content": "지민은 커피 대신 홍차를 마신다,\n"type": "preference"\n}]}',
        TEA,
    ),
    bad(
        "closing quote forgotten before a brace",
        '{"facts": [{"content": "The user has a dog called Bori}, {"content": "민호는 부산으로 이사했다"}]}',
        DOG,
        BUSAN,
    ),
    bad(
        "a closing quote escaped",
        r'{"facts": [{"content": "The user has a dog called Bori\", "type": "fact"}]}',
        DOG,
    ),
    bad(
        "escaped once too often",
        r"{\"facts\": [{\"content\": \"민호는 부산으로 이사했다\", \"type\": \"fact\"}]}",
        BUSAN,
    ),
    bad(
        "json inside a json string",
        r'"{\"facts\": [{\"content\": \"The user has a dog called Bori\"}]}"',
        DOG,
    ),
    bad(
        "the list as a string",
        r'{"facts": "[{\"content\": \"The user has a dog called Bori\"}]"}',
        DOG,
    ),
    bad(
        "unicode escapes",
        r'{"facts": [{"content": "\ubbfc\ud638\ub294 \ubd80\uc0b0\uc73c\ub85c \uc774\uc0ac\ud588\ub2e4",}]}',
        BUSAN,
    ),
    bad(
        "half an emoji",
        r'{"facts": [{"content": "The user likes \ud83d sweets",}]}',
        "The user likes \ufffd sweets",
    ),
    bad(
        "an emoji in two halves",
        r'{"facts": [{"content": "The user likes \ud83c\udf6d",}]}',
        "The user likes 🍭",
    ),
    bad("byte order mark", '\ufeff{"facts": [{"content": "The user has a dog called Bori"}]}', DOG),
    bad(
        "nul characters",
        '{"facts": [{"content": "The user has\x00 a dog called Bori"}]}\x00\x00',
        DOG,
    ),
    bad(
        "lone surrogate",
        '{"facts": [{"content": "민호는 \ud800 부산에 산다"}]}',
        "민호는 \ufffd 부산에 산다",
    ),
    bad(
        "zero width space",
        '\u200b{"facts":\u200b [{"content": "The user prefers tabs over spaces"}]}',
        TABS,
    ),
    bad("form feed", '{"facts": [\x0c{"content": "The user prefers tabs over spaces"}]}', TABS),
    bad(
        "windows line ends",
        '{\r\n"facts": [\r\n{"content": "The user prefers tabs over spaces",}\r\n]\r\n}',
        TABS,
    ),
)

CUT_OFF: Final = (
    bad(
        "cut inside the second item",
        '{"facts": [{"content": "The user has a dog called Bori", "type": "fact"}, {"content": "The user pre',
        DOG,
    ),
    bad(
        "cut inside a key",
        '{"facts": [{"content": "민호는 부산으로 이사했다", "type": "fact"}, {"conte',
        BUSAN,
    ),
    bad(
        "cut after a comma",
        '{"facts": [{"content": "민호는 부산으로 이사했다", "type": "fact"},',
        BUSAN,
    ),
    bad("cut before the brackets", '{"facts": [{"content": "민호는 부산으로 이사했다"}', BUSAN),
    bad(
        "cut inside a number of the third item",
        '[{"content": "The user has a dog called Bori", "importance": 0.5}, {"content": "민호는 부산으로 이사했다", "importance": 0.7}, {"content": "x y z", "importance": 0.',
        DOG,
        BUSAN,
    ),
    bad(
        "cut inside an escape",
        '[{"content": "The user has a dog called Bori"}, {"content": "line \\',
        DOG,
    ),
    bad(
        "cut inside a fence",
        '```json\n{"facts": [\n  {"content": "지민은 커피 대신 홍차를 마신다"},\n  {"content": "민호는',
        TEA,
    ),
    bad(
        "cut in the middle of a list inside an item",
        '[{"content": "The user has a dog called Bori", "keywords": ["dog", "Bori"]}, {"content": "민호는 부산", "keywords": ["부산", "이',
        DOG,
    ),
    bad(
        "the closing brackets swapped",
        '{"facts": [{"content": "The user has a dog called Bori"}}]',
        DOG,
    ),
    bad("a brace missing", '{"facts": [{"content": "The user has a dog called Bori"]}', DOG),
    bad(
        "a brace missing before the next item",
        '{"facts": [{"content": "The user has a dog called Bori", {"content": "민호는 부산으로 이사했다"}]}',
        DOG,
        BUSAN,
    ),
    bad(
        "a bracket missing",
        '{"facts": [{"content": "The user has a dog called Bori"}, {"content": "민호는 부산으로 이사했다"}}',
        DOG,
        BUSAN,
    ),
    bad(
        "brackets too many",
        '{"facts": [{"content": "The user has a dog called Bori"}}, {"content": "민호는 부산으로 이사했다"}]]}}',
        DOG,
        BUSAN,
    ),
    bad("the outer brace missing", '"facts": [{"content": "The user has a dog called Bori"}]', DOG),
    bad("all braces missing", '"content": "The user has a dog called Bori", "type": "fact"', DOG),
    bad(
        "the beginning missing", '{"content": "The user has a dog called Bori"}], "count": 1}', DOG
    ),
    bad(
        "items without braces",
        '{"facts": ["content": "The user has a dog called Bori", "type": "fact"]}',
        DOG,
    ),
    bad(
        "the last brace missing after a whole field",
        '{"content": "The user has a dog called Bori", "type": "fact"',
        DOG,
    ),
    hopeless("cut inside the first item", '{"facts": [{"content": "The user has a d'),
    bad(
        "cut inside the second of two items in one object",
        '[{"content": "The user has a dog called Bori", "n": 1, "content": "민호는 부산", "n": ',
        DOG,
    ),
    hopeless("cut after the first bracket", "```json\n["),
    hopeless("cut before the first item", '{"facts": ['),
    bad(
        "cut right after a key",
        '["The user has a dog called Bori", {"when"',
        DOG,
    ),
    hopeless("cut inside the second key", '{"content": "The user may not", "ty'),
    hopeless("cut after the second key", '{"content": "The user may not", "type"'),
    hopeless("cut after a whole field and a comma", '[{"content": "The user may not", "type":'),
)

SHAPES: Final = (
    bad(
        "one object for the list",
        '{"content": "The user has a dog called Bori", "type": "fact"}',
        DOG,
    ),
    bad(
        "one object under the key", '{"facts": {"content": "The user has a dog called Bori"}}', DOG
    ),
    bad("one string under the key", '{"facts": "The user has a dog called Bori"}', DOG),
    bad(
        "a list of strings",
        '["The user has a dog called Bori", "민호는 부산으로 이사했다"]',
        DOG,
        BUSAN,
    ),
    bad(
        "strings under the key",
        '{"facts": ["The user has a dog called Bori", "민호는 부산으로 이사했다"]}',
        DOG,
        BUSAN,
    ),
    bad(
        "a list in a list",
        '[[{"content": "The user has a dog called Bori"}], [{"content": "민호는 부산으로 이사했다"}]]',
        DOG,
        BUSAN,
    ),
    bad(
        "wrapped twice",
        '{"result": {"data": {"facts": [{"content": "The user prefers tabs over spaces"}]}}}',
        TABS,
    ),
    bad(
        "another key for the list",
        '{"memories": [{"content": "The user prefers tabs over spaces"}]}',
        TABS,
    ),
    bad(
        "an unknown key for the list",
        '{"extracted_information": [{"content": "The user prefers tabs over spaces"}]}',
        TABS,
    ),
    bad(
        "numbered keys",
        '{"facts": {"1": {"content": "The user has a dog called Bori"}, "2": {"content": "민호는 부산으로 이사했다"}}}',
        DOG,
        BUSAN,
    ),
    bad(
        "numbered strings",
        '{"facts": {"1": "The user has a dog called Bori", "2": "민호는 부산으로 이사했다"}}',
        DOG,
        BUSAN,
    ),
    bad(
        "named objects",
        '{"fact_1": {"content": "The user has a dog called Bori"}, "fact_2": {"content": "민호는 부산으로 이사했다"}}',
        DOG,
        BUSAN,
    ),
    bad(
        "columns",
        '{"content": ["The user has a dog called Bori", "민호는 부산으로 이사했다"], "type": ["fact", "fact"]}',
        DOG,
        BUSAN,
    ),
    bad(
        "the same key twice",
        '{"facts": [{"content": "The user has a dog called Bori"}], "facts": [{"content": "민호는 부산으로 이사했다"}]}',
        DOG,
        BUSAN,
    ),
    bad(
        "two items in one object",
        '{"facts": [{"content": "The user has a dog called Bori", "type": "fact", "content": "민호는 부산으로 이사했다", "type": "fact"}]}',
        DOG,
        BUSAN,
    ),
    bad(
        "values filled into the schema",
        '{"type": "object", "properties": {"facts": [{"content": "The user has a dog called Bori"}]}}',
        DOG,
    ),
    bad(
        "the item under items",
        '{"facts": {"type": "array", "items": [{"content": "The user has a dog called Bori"}]}}',
        DOG,
    ),
    bad(
        "an empty item among others",
        '{"facts": [{"content": "The user has a dog called Bori"}, {}, null, ""]}',
        DOG,
    ),
    bad(
        "a placeholder among others",
        '{"facts": [{"content": "string"}, {"content": "The user has a dog called Bori"}]}',
        DOG,
    ),
    bad(
        "a tool call written as text",
        '{"name": "answer", "arguments": {"facts": [{"content": "The user has a dog called Bori"}]}}',
        DOG,
    ),
    bad(
        "another name for the content",
        '{"facts": [{"fact": "The user has a dog called Bori", "category": "fact"}]}',
        DOG,
    ),
    bad(
        "a count beside the list",
        '{"count": 1, "facts": [{"content": "The user has a dog called Bori"}], "language": "en"}',
        DOG,
    ),
    bad(
        "strings under another key", '{"memories": ["The user has a dog called Bori"], "n": 1}', DOG
    ),
    bad("an empty list", '{"facts": []}', *NONE),
    bad("a bare empty list", "[]", *NONE),
    bad("an empty object", "```json\n{}\n```", *NONE),
    bad("null under the key", '{"facts": null}', *NONE),
    bad("none in words", '{"facts": "없음"}', *NONE),
    bad("an empty list and prose", '새로 기억할 내용이 없습니다.\n{"facts": []}', *NONE),
)

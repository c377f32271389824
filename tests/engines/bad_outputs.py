"""Answers as small models really write them, around their JSON and in it (`bad_json`)."""

# ruff: noqa: E501 -- an answer is read best as it came, in one line.

from __future__ import annotations

from typing import Final

from engines.bad_json import (
    BUSAN,
    CUT_OFF,
    DOG,
    PUNCTUATION,
    SHAPES,
    STRINGS,
    TABS,
    TEA,
    bad,
    hopeless,
)

THINKING: Final = (
    bad(
        "think block",
        '<think>The user talks about tea.</think>\n{"facts": [{"content": "지민은 커피 대신 홍차를 마신다", "type": "preference"}]}',
        TEA,
    ),
    bad(
        "think block with a draft inside",
        '<think>\nMaybe {"facts": [{"content": "wrong draft"}]}? No.\n</think>\n\n{"facts": [{"content": "민호는 부산으로 이사했다"}]}',
        BUSAN,
    ),
    bad(
        "closing think tag only",
        'Okay, the user says they moved. I should note the city.\n</think>\n{"facts": [{"content": "민호는 부산으로 이사했다", "type": "fact"}]}',
        BUSAN,
    ),
    bad(
        "thinking tag in capitals",
        '<THINKING>short</THINKING> [{"content": "The user has a dog called Bori"}]',
        DOG,
    ),
    bad(
        "two think blocks",
        '<think>one</think><think>two</think>{"facts":[{"content":"The user prefers tabs over spaces"}]}',
        TABS,
    ),
    bad(
        "answer inside an unclosed think block",
        '<think>{"facts": [{"content": "The user has a dog called Bori", "type": "fact"}]}',
        DOG,
    ),
    bad(
        "mistral think marks",
        '[THINK]음, 홍차 이야기다.[/THINK]{"facts": [{"content": "지민은 커피 대신 홍차를 마신다"}]}',
        TEA,
    ),
    bad(
        "channels",
        '<|channel|>analysis<|message|>Need JSON.<|end|><|start|>assistant<|channel|>final<|message|>{"facts": [{"content": "The user prefers tabs over spaces"}]}<|return|>',
        TABS,
    ),
    bad(
        "kimi think marks",
        '◁think▷생각 중◁/think▷\n{"facts": [{"content": "민호는 부산으로 이사했다"}]}',
        BUSAN,
    ),
    bad(
        "a think tag that belongs to the fact",
        '{"facts": [{"content": "The user filters <think> and </think> tags by hand"}]}',
        "The user filters <think> and </think> tags by hand",
    ),
    bad(
        "korean thinking, fence after it",
        '<think>사용자는 이사 이야기를 했다.\n핵심은 부산.</think>\n```json\n{"facts": [{"content": "민호는 부산으로 이사했다"}]}\n```',
        BUSAN,
    ),
    hopeless("thinking that never ends", "<think>Let me look at the sentence again. The user"),
)

AROUND: Final = (
    bad(
        "json fence",
        '```json\n{"facts": [{"content": "The user has a dog called Bori", "type": "fact"}]}\n```',
        DOG,
    ),
    bad("plain fence", '```\n[{"content": "지민은 커피 대신 홍차를 마신다"}]\n```', TEA),
    bad(
        "fence without its end",
        '```json\n{"facts": [{"content": "The user prefers tabs over spaces"}]}',
        TABS,
    ),
    bad(
        "tilde fence",
        '~~~json\n{"facts": [{"content": "The user prefers tabs over spaces"}]}\n~~~',
        TABS,
    ),
    bad(
        "prose before and after",
        'Sure! Here are the facts I found:\n\n{"facts": [{"content": "The user has a dog called Bori"}]}\n\nLet me know if you need more.',
        DOG,
    ),
    bad(
        "korean prose around",
        '네, 추출한 결과는 다음과 같습니다.\n{"facts": [{"content": "민호는 부산으로 이사했다"}]}\n도움이 되었으면 좋겠습니다!',
        BUSAN,
    ),
    bad(
        "prose with brackets before",
        'I found [2 items] in the text (see below):\n[{"content": "The user has a dog called Bori"}, {"content": "The user prefers tabs over spaces"}]',
        DOG,
        TABS,
    ),
    bad(
        "prose with braces before",
        'The format {facts} is used.\n{"facts": [{"content": "지민은 커피 대신 홍차를 마신다"}]}',
        TEA,
    ),
    bad(
        "a hash in braces before",
        'As {#json} asked: [{"content": "지민은 커피 대신 홍차를 마신다"}, {"content": "민호는 부산으로 이사했다"}]',
        TEA,
        BUSAN,
    ),
    bad(
        "one fence per item",
        '1.\n```json\n{"content": "The user has a dog called Bori"}\n```\n2.\n```json\n{"content": "The user prefers tabs over spaces"}\n```',
        DOG,
        TABS,
    ),
    bad(
        "one object per line",
        '{"content": "The user has a dog called Bori"}\n{"content": "지민은 커피 대신 홍차를 마신다"}\n',
        DOG,
        TEA,
    ),
    bad(
        "objects glued together",
        '{"content": "The user has a dog called Bori"}{"content": "The user prefers tabs over spaces"}',
        DOG,
        TABS,
    ),
    bad(
        "the same answer twice",
        '{"facts": [{"content": "The user has a dog called Bori"}]}\n{"facts": [{"content": "The user has a dog called Bori"}]}',
        DOG,
    ),
    bad(
        "answer tag",
        '<answer>{"facts": [{"content": "민호는 부산으로 이사했다"}]}</answer>',
        BUSAN,
    ),
    bad(
        "template marks at the end",
        '{"facts": [{"content": "민호는 부산으로 이사했다"}]}<|im_end|>',
        BUSAN,
    ),
    bad(
        "heading and bold around",
        '### Output\n**{"facts": [{"content": "The user prefers tabs over spaces"}]}**',
        TABS,
    ),
    bad(
        "numbered objects",
        '1. {"content": "The user has a dog called Bori"}\n2. {"content": "The user prefers tabs over spaces"}',
        DOG,
        TABS,
    ),
    bad(
        "a fence inside the fact",
        '{"facts": [{"content": "The user writes ```python blocks``` in chat", "type": "fact"}]}',
        "The user writes ```python blocks``` in chat",
    ),
    bad(
        "label before the json",
        'json\n{"facts": [{"content": "지민은 커피 대신 홍차를 마신다"}]}',
        TEA,
    ),
    bad(
        "an assignment",
        'facts = [{"content": "The user has a dog called Bori"}]\nprint(facts)',
        DOG,
    ),
    bad(
        "a javascript statement",
        'const facts = [{content: "The user prefers tabs over spaces", type: "preference"}];',
        TABS,
    ),
)

KOREAN: Final = (
    bad("korean keys", '{"사실": [{"내용": "민호는 부산으로 이사했다", "유형": "사실"}]}', BUSAN),
    bad(
        "korean keys, one object",
        '{"내용": "지민은 커피 대신 홍차를 마신다", "유형": "선호", "중요도": 0.7}',
        TEA,
    ),
    bad(
        "korean key for the sentence",
        '[{"사실": "민호는 부산으로 이사했다", "종류": "이동"}]',
        BUSAN,
    ),
    bad(
        "korean keys without quotes",
        "{사실: [{내용: '지민은 커피 대신 홍차를 마신다', 유형: 선호}]}",
        TEA,
    ),
    bad("korean list name", '{"기억 목록": [{"내용": "민호는 부산으로 이사했다"}]}', BUSAN),
    bad(
        "korean keys decomposed",
        '{"\u1109\u1161\u1109\u1175\u11af": [{"\u1102\u1162\u110b\u116d\u11bc": "민호는 부산으로 이사했다"}]}',
        BUSAN,
    ),
    bad(
        "korean strings under a korean key",
        '{"사실": ["민호는 부산으로 이사했다", "지민은 커피 대신 홍차를 마신다"]}',
        BUSAN,
        TEA,
    ),
    bad(
        "korean keys, single quotes, trailing comma",
        "{'사실': [{'내용': '민호는 부산으로 이사했다', '유형': '사실',},]}",
        BUSAN,
    ),
    bad(
        "korean prose, korean keys, fence",
        '추출 결과입니다:\n```json\n{"사실": [{"내용": "지민은 커피 대신 홍차를 마신다"}]}\n```\n감사합니다.',
        TEA,
    ),
    bad(
        "english and korean keys mixed",
        '{"facts": [{"내용": "민호는 부산으로 이사했다", "type": "fact"}]}',
        BUSAN,
    ),
    bad(
        "laughter inside",
        '{"facts": [{"content": "민호는 시험에 붙어서 ㅋㅋㅋ 웃었다", "유형": "경험"}]}',
        "민호는 시험에 붙어서 ㅋㅋㅋ 웃었다",
    ),
    bad(
        "korean keys cut off",
        '{"사실": [{"내용": "민호는 부산으로 이사했다", "유형": "사실"}, {"내용": "지민은',
        BUSAN,
    ),
)

HARD: Final = (
    # Bullets are no JSON; a person reads them, we do not guess.
    bad(
        "bullets",
        "- content: The user has a dog called Bori\n- content: 민호는 부산으로 이사했다",
        DOG,
        BUSAN,
    ),
    bad("a table", "| content | type |\n|---|---|\n| The user has a dog called Bori | fact |", DOG),
    bad(
        "xml", "<facts><fact><content>The user has a dog called Bori</content></fact></facts>", DOG
    ),
    bad("yaml", "facts:\n  - content: The user has a dog called Bori\n    type: fact", DOG),
)

NOTHING: Final = (
    hopeless("nothing at all", ""),
    hopeless("blanks", " \n\t\u200b\n"),
    hopeless("a refusal", "I'm sorry, but I can't help with extracting personal information."),
    hopeless("a korean refusal", "죄송하지만 개인 정보는 추출해 드릴 수 없습니다."),
    hopeless("prose", "The user seems to like tea and lives near the sea."),
    hopeless("another shape", '{"hello": "world", "answer": 42}'),
    hopeless("an excuse under the key of a list", '{"answer": "I do not know."}'),
    hopeless("numbers only", "[1, 2, 3]"),
    hopeless(
        "the schema again",
        '{"type": "object", "properties": {"facts": {"type": "array", "items": {"type": "object", "properties": {"content": {"type": "string"}}, "required": ["content"]}}}}',
    ),
    hopeless("the example again", '{"facts": [{"content": "...", "type": "..."}]}'),
    hopeless("a web page", "<!doctype html><html><body>502 Bad Gateway</body></html>"),
    hopeless("brackets without end", "[" * 5000),
    hopeless("braces without end", '{"a":' * 5000),
    hopeless("quotes without end", '{"facts": [{"content": ' + '"' * 3001),
    hopeless("one word again and again", "기억 " * 4000),
    hopeless(
        "a key broken by a brace", '{"facts": [{"content{: "The user has a dog", "type": "fact"}]}'
    ),
    hopeless(
        "a key broken by a line", '{"facts": [{"cont\nent": "The user has a dog", "type": "fact"}]}'
    ),
    hopeless("a key that is a value", '{"facts": [{"content", "type"}]}'),
    hopeless(
        "a quote inside a key", '{"facts": [{"content": "The user has a dog", "ty"pe": "fact"}]}'
    ),
    hopeless("punctuation for a fact", '{"facts": : [{"content": "'),
    hopeless("an ellipsis for the list", '{"facts": [...]}'),
    hopeless("an ellipsis for the object", "Format: { ... }"),
    hopeless("lists in a string", '{"facts": "' + "[" * 60 + '"}'),
    hopeless("random punctuation", "}{][,:;\"'`}{)(*&^%$#@!~"),
)

ALL: Final = (
    *THINKING,
    *AROUND,
    *PUNCTUATION,
    *STRINGS,
    *CUT_OFF,
    *SHAPES,
    *KOREAN,
    *HARD,
    *NOTHING,
)

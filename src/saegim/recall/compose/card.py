"""`Card`: one memory as it is shown in a prompt, in one of four forms, on one line."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from saegim.guard.echo import closing, opening
from saegim.language.words import Analyser, Term, parts, sentences
from saegim.memory.memory import PERSON, Kind, Memory, Origin, State
from saegim.memory.text import normalise
from saegim.recall.handle import handle_of
from saegim.recall.rank import DOUBTED_BELOW, Hit
from saegim.store.search.bm25 import inside

# What may not stand in a quotation as it is: angle brackets in any width, controls, separators of
# lines, marks of direction, everything of no width, half characters, and what no font shows.
_UNSAFE: Final = (
    "<>\u2039\u203a\u2329\u232a\u27e8\u27e9\u3008\u3009\ufe64\ufe65\uff1c\uff1e"
    "\x00-\x1f\x7f-\x9f\u00ad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160"
    "\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ufe00-\ufe0f"
    "\ufeff\uffa0\ufff0-\uffff\ud800-\udfff\ue000-\uf8ff"
    "\U000110bd\U000110cd\U00013430-\U0001345f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U0010ffff"
)
# Of an emoji, what joins and colours it belongs to what is seen.
_FACE: Final = (
    "[\u203c\u2049\u2122\u2139\u2194-\u21aa\u231a-\u2328\u232b-\u23ff\u24c2\u25aa-\u27bf\u2934\u2935"
    "\u2b05-\u2b55\u3030\u303d\u3297\u3299\U0001f000-\U0001faff][\ufe0f\U0001f3fb-\U0001f3ff]?"
)
_SEEN: Final = re.compile(rf"(?P<emoji>{_FACE}(?:\u200d{_FACE})*|[0-9#*]\ufe0f\u20e3)|[{_UNSAFE}]")
# Letters only: any boundary costs the same tokens, so that a block can be measured before it is
# written.
_LETTERS: Final = "abcdefghijklmnop"
_ANY_BOUNDARY: Final = _LETTERS[:8]
# Joins to the character before it: accents, vowels and finals of conjoining jamo, joiners, tones
# of skin, letters of flags.
_CLINGS: Final = re.compile(
    "[\u0300-\u036f\u0483-\u0489\u064b-\u065f\u093a-\u094f\u0e31\u0e34-\u0e3a\u0e47-\u0e4e"
    "\u1160-\u11ff\ud7b0-\ud7fb\u200d\u20d0-\u20ff\u3099\u309a\ufe00-\ufe0f\ufe20-\ufe2f"
    "\U0001f3fb-\U0001f3ff\U0001f1e6-\U0001f1ff\U000e0020-\U000e007f]"
)
_LONGEST_CLUSTER: Final = 24


def quoted(text: str) -> str:
    """Return the text as one JSON string in which everything is seen and nothing is a mark."""
    written = json.dumps(text, ensure_ascii=False)
    return _SEEN.sub(_visible, written)


def _visible(found: re.Match[str]) -> str:
    if found["emoji"]:
        return found[0]
    return "".join(f"\\u{unit:04x}" for unit in _units(found[0]))


def _units(character: str) -> tuple[int, ...]:
    """Return the UTF-16 units in which JSON writes a character."""
    code = ord(character)
    if code < 0x10000:
        return (code,)
    code -= 0x10000
    return 0xD800 + (code >> 10), 0xDC00 + (code & 0x3FF)


def shortened(text: str, most: int) -> str:
    """Return at most so many characters on one line, cut between words, never inside a letter."""
    flat = " ".join(text[: 8 * most].split())
    if len(flat) <= most and len(text) <= 8 * most:
        return flat
    end = min(most - 1, len(flat))
    space = flat.rfind(" ", end // 2, end + 1)
    if space > 0:
        return flat[:space].rstrip(" ,;:-") + "…"
    lowest = max(0, end - _LONGEST_CLUSTER)
    while end > lowest and (_CLINGS.match(flat, end) or flat[end - 1] == "\u200d"):
        end -= 1
    return flat[:end] + "…" if end else ""


def block(header: str, lines: Sequence[str]) -> str:
    """Return the lines between our marks, or nothing where there are none."""
    if not lines:
        return ""
    body = "\n".join((header, *lines))
    boundary = _boundary(body)
    return f"{opening(boundary)}\n{body}\n{closing(boundary)}"


def frame(header: str) -> str:
    """Return everything of a block but its lines, for measuring."""
    return f"{opening(_ANY_BOUNDARY)}\n{header}\n{closing(_ANY_BOUNDARY)}"


def _boundary(body: str) -> str:
    """Return a boundary that no line inside can name.

    It is made from the body and not at random, so that the same memories give the same bytes and a
    prompt cache holds (U9.3). A random one protects because the writer of a memory cannot know it;
    to close this one, a text would have to contain 32 bits of the hash of everything it will ever
    stand among, itself included. And no line holds an angle bracket to close anything with.
    """
    digest = hashlib.blake2b(body.encode(), digest_size=4).hexdigest()
    return "".join(_LETTERS[int(each, 16)] for each in digest)


# -- `Card`: one memory as it is shown in a prompt, in one of four forms, on one line

TEXT, EXCERPT, BRIEF, TRIPLES = "text", "excerpt", "brief", "triples"
# A longer text is shown unasked by the sentences that lie nearest to the question.
LONG: Final = 300
MOST_EXCERPT: Final = 240
# Seed C, level 1; seed A shows so much of a past answer, and of a prompt.
MOST_BRIEF: Final = 100
MOST_EXAMPLE: Final = 200
_MOST_AUTHOR: Final = 40
_MOST_CONFLICTS: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """One memory in a prompt: its words in some form, where they come from, what they may do.

    `can_instruct` is true for preferences the person stated, and for nothing else: all other words
    are evidence, however they are phrased.
    """

    handle: str
    id: str
    words: str
    form: str
    date: str
    author: str
    origin: str
    trust: float
    kind: str
    can_instruct: bool
    marks: tuple[str, ...] = ()
    # What the words answered, where they are an example.
    asked: str = ""

    @property
    def line(self) -> str:
        """Return the card as it stands in the prompt."""
        about = [self.handle, self.date]
        if self.origin != Origin.USER_SAID or self.author:
            # The header says whose words stand without a mark; most do, and each mark costs tokens.
            about += [self.origin, f"trust={self.trust:g}"]
        if self.author:
            about.append(f"by={quoted(self.author)}")
        if self.can_instruct:
            about.append("guidance")
        about += self.marks
        if self.form != TEXT:
            about.append(f"form={self.form}")
        if self.asked:
            return f"{' '.join(about)} input={quoted(self.asked)} response={quoted(self.words)}"
        return f"{' '.join(about)} {quoted(self.words)}"

    def as_dict(self) -> dict[str, Any]:
        """Return the card ready for JSON."""
        return asdict(self) | {"marks": list(self.marks)}


def is_of_a_person(memory: Memory) -> bool:
    """Say whether the person whose memory this is said or confirmed it."""
    return memory.provenance.origin in PERSON


def card(
    hit: Hit,
    form: str,
    words: str,
    *,
    handles: Mapping[str, str],
    partly: bool = False,
    newer: str = "",
) -> Card:
    """Show a hit with these words; `handles` names what else was found, by id.

    `newer` is what holds in its place, where it no longer does.
    """
    memory = hit.memory
    return Card(
        handle=handle_of(hit.number, memory.id),
        id=memory.id,
        words=words,
        form=form,
        # "Tomorrow" in the words counts from the day they were said.
        date=(memory.time.said_at or memory.time.happened_at).date().isoformat(),
        author=shortened(memory.provenance.author, _MOST_AUTHOR),
        origin=memory.provenance.origin.value,
        trust=memory.provenance.trust,
        kind=memory.kind.value,
        # What no longer holds guides nobody.
        can_instruct=memory.kind is Kind.PREFERENCE
        and is_of_a_person(memory)
        and memory.life.state is State.ACTIVE,
        marks=tuple(_marks(hit, handles, partly=partly, newer=newer)),
    )


def _marks(hit: Hit, handles: Mapping[str, str], *, partly: bool, newer: str) -> Iterator[str]:
    """Yield what a reader must know before believing the words."""
    memory = hit.memory
    if memory.kind is Kind.IMAGINED:
        yield "imagined"
    if memory.life.state is State.SUPERSEDED:
        until = memory.time.valid_to
        yield f"superseded={until.date().isoformat()}" if until else "superseded"
        if newer in handles:
            yield f"holds_now={handles[newer]}"
    elif partly:
        yield "partly_superseded"
    if memory.life.state is State.DORMANT:
        yield "old"
    if memory.worth.confidence < DOUBTED_BELOW:
        yield "doubted"
    if hit.conflicts:
        named = (handles.get(id, id) for id in sorted(hit.conflicts)[:_MOST_CONFLICTS])
        yield f"contradicted_by={','.join(named)}"


def forms(memory: Memory, *, shrunk: bool) -> Iterator[tuple[str, str]]:
    """Yield the forms of a memory, the fullest first; what has faded begins at its brief."""
    brief = shortened(memory.content.brief or memory.text, MOST_BRIEF)
    if not shrunk or brief == memory.text:
        yield TEXT, memory.text
    if brief and brief != memory.text:
        yield BRIEF, brief
    if memory.content.triples:
        yield TRIPLES, "; ".join(" ".join(each) for each in memory.content.triples)


Nearness = Callable[[Sequence[str]], Sequence[float]]


def excerpt(text: str, near: Nearness, most: int = MOST_EXCERPT) -> str:
    """Return the sentence of a long text that is nearest, and the one on each side if it fits.

    Of a sentence that is too long itself, the part that is nearest.
    """
    whole = [" ".join(each.split()) for each in sentences(text)]
    told = [part.strip() for each in whole for part in parts(each, most)]
    if not told:
        return shortened(text, most)
    worth = near(told)
    best = max(range(len(told)), key=lambda at: worth[at])
    shown, size = [best], len(told[best])
    for at in (best + 1, best - 1):
        if 0 <= at < len(told) and size + len(told[at]) < most:
            shown.append(at)
            size += len(told[at]) + 1
    words = shortened(" ".join(told[at] for at in sorted(shown)), most)
    after = " …" if max(shown) + 1 < len(told) and not words.endswith("…") else ""
    return f"{'… ' if min(shown) else ''}{words}{after}"


def holding(words: Iterable[str], analyser: Analyser) -> Nearness:
    """Rate sentences by how many of these words each holds, as a search reads them.

    A word may stand there with another ending, or be a part of a longer one.
    """
    read = [(word, analyser.query(word)) for word in dict.fromkeys(words)]
    asked = [term for word, found in read for term in found or [Term((), word)]]
    plain = [normalise(each.surface) for each in asked]

    def rated(told: Sequence[str]) -> list[float]:
        worth = []
        for each in told:
            line, said = f" {' '.join(analyser.index(each))} ", normalise(each)
            held = [
                word in said or (bool(term.tokens) and inside(term) in line)
                for term, word in zip(asked, plain, strict=True)
            ]
            worth.append(sum(held) / max(len(held), 1))
        return worth

    return rated


def example(memory: Memory) -> tuple[str, str]:
    """Return what was asked and what was answered, as seed A shows a past example."""
    answer = memory.content.brief or memory.text
    return shortened(memory.content.prompt_digest, MOST_EXAMPLE), shortened(answer, MOST_EXAMPLE)

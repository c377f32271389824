"""Turns come to mind as they are overheard; hotspots go into the long memory when a session ends.

Each of the user's turns is a query of the session's graph, each of the assistant's the answer to
the last one. What is promoted is promoted once, whoever and however often ends the session.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from saegim.errors import SaegimError
from saegim.language.quoting import quotation
from saegim.memory.changes import Reweighed
from saegim.memory.memory import PERSON, Memory, Origin, Scope, Source, State, Tier, shared_scope
from saegim.memory.text import canonical_key
from saegim.mind import Mind
from saegim.perceive.build import hear
from saegim.perceive.decide_turn import ASSISTANT, USER
from saegim.perceive.flow import remember
from saegim.perceive.moment import moment_of
from saegim.perceive.turn import Observed, Turn
from saegim.recall.rewards import RETRY, is_asked_again
from saegim.recall.understand import both_ends
from saegim.session.nodes import Node, admitted, all_names
from saegim.store.commit import Batch, IdempotencyKey

if TYPE_CHECKING:
    from saegim.session.open_sessions import Open
    from saegim.session.working import WorkingMemory

# A longer answer is an essay: its beginning says what it is about.
MOST_ANSWER: Final = 2000
# Who was asked not to keep something does not keep it in mind either.
_UNHEARD: Final = frozenset(("refusal", "echo", "forget"))
_CHATTER: Final = 0.1
# What was heard last where it was an answer; a question that comes again then was not answered.
_ANSWERED: Final = ("", "answered")
# From this share on the reader takes words for those of the work and not of the person.
_OF_THE_WORK: Final = 0.5
_ONE_S_OWN: Final = re.compile(
    r"\b(?:i|i'm|i've|my|me|mine|myself|we|our|us|wife|husband|mother|mom|father|dad|daughter|son)\b"
    r"|(?:^|\s)(?:나|내|난|제|저|우리)(?:가|는|도|한테|를|의|랑|만|게)?(?=\s|$)"
    r"|엄마|아빠|어머니|아버지|아내|남편|와이프|딸|아들|동생|누나|언니|오빠|형(?=이|은|한테|\s)",
    re.IGNORECASE,
)


# -- what is overheard ----------------------------------------------------------------------------


def overheard(turn: Turn, seen: Observed, working: WorkingMemory) -> Observed:
    """Bring an observed turn to mind in its session; say as which query, or why it is not there.

    The turn is judged and kept already: what goes wrong here costs what is in mind, not that.
    """
    session = turn.scope.session
    skipped = seen.quarantined or not _UNHEARD.isdisjoint(seen.decision.why)
    if not session or skipped or turn.role not in (USER, ASSISTANT) or not seen.heard.strip():
        return seen
    try:
        if turn.role == ASSISTANT:
            return replace(seen, query=_answered(seen.heard, session, working))
        return replace(seen, query=_asked(turn, seen, session, working))
    except SaegimError as error:
        return replace(seen, unheard=error.message)


def asked_for(text: str, session: str, working: WorkingMemory, origin: Origin) -> str:
    """Bring a question to mind that nobody will observe; writes nothing yet. Returns its id.

    What it only quotes stays out of mind; where nothing else is said, nothing is in mind of it.
    """
    own = quotation(both_ends(text)).own

    def act(held: Open) -> str:
        held.overheard = True
        return _once(held, working, admitted(own, "query"), "asked", origin=origin)

    return working.act(session, act, quiet=True) if own else ""


def _asked(turn: Turn, seen: Observed, session: str, working: WorkingMemory) -> str:
    words = admitted(both_ends(seen.heard), "query")
    kept = seen.kept[0].id if seen.kept else ""
    origin = "" if turn.origin in PERSON else turn.origin.value
    # Small talk and commands of the moment, as the judge calls them or seed C's phase 1 does.
    passing = "chatter" in seen.decision.why or seen.decision.salience <= _CHATTER
    chatter = passing and not (seen.decision.keeps or seen.decision.asks)

    def act(held: Open) -> str:
        held.overheard = True
        judged = held.graph.latest(but=canonical_key(words)) if seen.feedback else None
        if judged is not None:
            held.graph.record_feedback(judged.id, seen.feedback)
        return _once(held, working, words, "observed", memory=kept, origin=origin, chatter=chatter)

    return working.act(session, act)


def _once(held: Open, working: WorkingMemory, words: str, via: str, **about: str | bool) -> str:
    """Take a turn in; the same turn through another verb is not the same question again."""
    key = canonical_key(words)
    latest = held.graph.latest()
    again = held.heard[0] == key and held.heard[1] != via
    if latest is not None and held.heard == _ANSWERED and _asks_again(latest, words, working):
        # The same words are counted as a repetition when they are taken in.
        held.graph.record_feedback(latest.id, RETRY, repeats=latest.canonical_key != key)
    if again and latest is not None and latest.canonical_key == key:
        id = latest.id
        held.graph.touch(id)
    else:
        # A server is not waited for: the vector is made with that of the next question.
        id = working.asked(held, words, embed=held.graph.embedder.local)
    held.heard = (key, via)
    known = held.graph.node(id)
    fresh_words = known.canonical_key == key and not known.memory
    if fresh_words and any(getattr(known, name) != value for name, value in about.items()):
        held.graph.note(id, **about)
    return id


def _asks_again(before: Node, words: str, working: WorkingMemory) -> bool:
    """Say whether a question is asked once more after its answer, in nearly the same words."""
    return is_asked_again(before.text, words) and hear(words, working.mind).signs.question


def _answered(text: str, session: str, working: WorkingMemory) -> str:
    words = admitted(text[:MOST_ANSWER], "answer")

    def act(held: Open) -> str:
        latest = held.graph.latest()
        if latest is None:
            return ""
        held.overheard = True
        held.heard = _ANSWERED
        return held.graph.record_answer(latest.id, words)

    return working.act(session, act)


# -- what outlives a session ----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Promoted:
    """A query that outlives its session.

    `status` is stored, duplicate or repeated; kept, where the turn was kept when it was heard;
    shared, where it is the agent's from now on.
    """

    node: str
    memory: str
    status: str


def fresh(nodes: Iterable[Node]) -> list[Node]:
    """Return the nodes of which the long memory does not know everything yet."""
    return [
        node for node in nodes if node.carried != (node.repeat, node.feedback) and not node.chatter
    ]


def promote(nodes: Iterable[Node], *, run: int, scope: Scope, mind: Mind) -> Iterator[Promoted]:
    """Keep each query as a memory of the session, and carry its weights over.

    The keys name session, run and words, so that two processes that end the same session, or one
    that died half-way and tries again, promote nothing twice. A turn that was kept when it was
    heard is not kept again; if it was let go since, it stays let go.
    """
    shares = mind.settings.promote_to == "agent"
    for node in nodes:
        known = is_kept(node, scope, mind)
        if node.memory and known is None:
            continue
        if known is not None:
            _carry_over(known.id, node, run=run, scope=scope, mind=mind)
        own = shared_scope(scope) if shares and not is_personal(node.text, mind) else None
        if own is not None:
            kept = _shared(node, run=run, scope=scope, own=own, mind=mind)
            yield Promoted(node.id, kept, "shared")
        elif known is not None:
            yield Promoted(node.id, known.id, "kept")
        else:
            moment = moment_of(scope, node.text, _about(node))
            made = remember(moment, mind=mind, key=_key("promoted", scope, run, node))
            _carry_over(made.id, node, run=run, scope=scope, mind=mind)
            yield Promoted(node.id, made.id, made.status)


def is_kept(node: Node, scope: Scope, mind: Mind) -> Memory | None:
    """Return the memory that an overheard query was kept as, while it is alive."""
    if not node.memory:
        return None
    known = mind.store.memories.get(scope, mind.store.memories.current(scope, node.memory))
    return known if known is not None and known.life.state is State.ACTIVE else None


def is_personal(text: str, mind: Mind) -> bool:
    """Say whether words tell of the person who said them: such are never shared with others."""
    reading = mind.read_turn(text, whole=False)
    if reading is not None and reading.project >= _OF_THE_WORK:
        return False
    if _ONE_S_OWN.search(text) is not None or all_names(text):
        return True
    signs = hear(text, mind).signs
    return signs.personal or signs.preference or signs.emotion or signs.experience or signs.plan


def _about(node: Node) -> dict[str, object]:
    """Return what a promoted query is born with: young, and kept for as long as its words say."""
    return {
        "tier": Tier.M30,
        # What came by in a conversation is kept for what its words say.
        "source": Source.CONVERSATION,
        "role": USER,
        "origin": node.origin or None,
    }


def _shared(node: Node, *, run: int, scope: Scope, own: Scope, mind: Mind) -> str:
    """Keep a query as the agent's own: for all its users, and of nobody in particular."""
    about = _about(node) | {"visibility": "shared", "origin": Origin.AGENT_INFERRED}
    key = _key("shared", scope, run, node)
    mind = replace(mind, store=mind.store.common)
    made = remember(moment_of(own, node.text, about), mind=mind, key=key)
    _carry_over(made.id, node, run=run, scope=scope, mind=mind, owner=own)
    return made.id


def _carry_over(
    memory: str, node: Node, *, run: int, scope: Scope, mind: Mind, owner: Scope | None = None
) -> None:
    """Add to the memory the weights that it does not have of this node yet (seed B §4.4)."""
    known = node.carried or (0.0, 0.0)
    repeat, feedback = node.repeat - known[0], node.feedback - known[1]
    if not repeat and not feedback:
        return
    whose, at = owner or scope, mind.now()
    change = Reweighed(memory=memory, at=at, repeat=repeat, feedback=feedback)
    batch = Batch(whose.user, [change], actor=whose.agent or whose.user, at=at)
    what = "shared weights" if owner else "weights"
    mind.store.commit(batch, receipt=IdempotencyKey(_key(what, scope, run, node), memory))


def _key(what: str, scope: Scope, run: int, node: Node) -> str:
    """Name one act; the rooms are digested, because four names of 200 letters make no key."""
    rooms = "\x1f".join((scope.agent, scope.project, scope.session))
    if what.startswith("shared"):
        # Two users may each have a session of that name.
        rooms = f"{scope.user}\x1f{rooms}"
    digest = hashlib.sha256(rooms.encode()).hexdigest()[:24]
    return f"session:{what}:{digest}:{run}:{node.canonical_key}"

"""`SessionGraph`: what is in mind in one session, bounded, learning from what follows (seed B)."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

from saegim.engines.embedder import Embedder
from saegim.errors import BadInput, Refused
from saegim.memory.clock import Clock
from saegim.memory.emotion import checked_number
from saegim.memory.entities import Entity
from saegim.memory.keys import canonical_key
from saegim.memory.links import HAS_FEEDBACK, RESPONDED_WITH, SIMILAR_TO
from saegim.memory.weighing import recency
from saegim.session.contents import Contents
from saegim.session.limits import GraphSettings
from saegim.session.looking import OnPaper
from saegim.session.near import may_be_one, refer
from saegim.session.node import (
    ANSWER,
    ENTITY,
    FEEDBACK,
    QUERY,
    Node,
    admitted,
    check_ends,
    not_in_mind,
)
from saegim.session.spaces import Recreate, recreated
from saegim.session.worth import LABELS, fade, make_room, spread

# 4,000 edges for 1,000 nodes leave four for each.
_MOST_SIMILAR = 4
_MOST_WEIGHT = 1e9
# A tie of no weight, or a negative one, is none.
_LEAST_WEIGHT = 1e-9


class SessionGraph(OnPaper):
    """Queries, answers, feedback and entities with their ties; one object serves all threads."""

    def __init__(
        self,
        embedder: Embedder,
        clock: Clock,
        settings: GraphSettings | None = None,
        *,
        recreate: Recreate = recreated,
    ) -> None:
        self.settings = settings or GraphSettings()
        self.embedder = embedder
        self._clock = clock
        self._recreate = recreate
        self._held = Contents(indexed=self.settings.inverted_index)
        self._space = ""
        self._decayed_at = clock.now()
        self._lock = threading.RLock()
        # One writer of files at a time, so that an older state never replaces a newer one.
        self._writing = threading.Lock()
        self._version = 0
        self._saved: tuple[Path, int, datetime] | None = None

    # -- what is said -----------------------------------------------------------------------------

    def upsert_query(self, text: str, *, embed: bool = True) -> str:
        """Take a question in; one that is here, or nearly, is asked again instead. Returns its id.

        While the embedder does not answer, or is not asked, only exact repetitions are seen; the
        vector is made with that of the next question.
        """
        words = admitted(text, "query")
        key = canonical_key(words)
        with self._lock:
            if (known := self._held.keyed(QUERY, key)) is not None:
                return self._again(known)
        own, vector = self.embedder, self._embedded(words) if embed else None
        with self._lock:
            # A snapshot of another space may have come in between; the vector is made anew then.
            vector = vector if own is self.embedder else None
            near = self._held.near(vector, words) if vector is not None else []
            known = self._held.keyed(QUERY, key) or self._twin(words, near)
            if known is not None:
                return self._again(known)
            at = self._clock.now()
            node = self._held.born(QUERY, words, key, at, vector=vector)
            like = [each for each in near if each[1] >= self.settings.tau_sim][:_MOST_SIMILAR]
            made = [self._tie(node.id, SIMILAR_TO, other.id, sim) for other, sim in like]
            return self._settled(node.id, fresh=[*made, *refer(self._held, node, at)])

    def record_answer(self, query_id: str, text: str) -> str:
        """Tie an answer to a question; the same answer is there once. Returns its id."""
        words = admitted(text, "answer")
        with self._lock:
            query = self._asked(query_id)
            node = self._held.once(ANSWER, words, canonical_key(words), self._clock.now())
            return self._settled(
                node.id, query.id, fresh=[self._tie(query.id, RESPONDED_WITH, node.id, 1.0)]
            )

    def record_feedback(self, query_id: str, label: str, note: str = "") -> str:
        """Learn from feedback (up, down, retry); it spreads along ties, fainter at each hop."""
        if not isinstance(label, str) or label not in LABELS:
            raise BadInput("session.no_feedback", label=label, known=", ".join(LABELS))
        words = admitted(note, "note") if note else ""
        with self._lock:
            query = self._asked(query_id)
            key = canonical_key(f"{query.id} {label} {words}")
            node = self._held.once(FEEDBACK, words, key, self._clock.now(), label=label)
            delta, again = LABELS[label]
            for id, share in spread(self._held, query.id).items():
                self._held.weigh(id, feedback=delta * share)
            self._held.weigh(query.id, repeat=again)
            return self._settled(
                node.id, query.id, fresh=[self._tie(query.id, HAS_FEEDBACK, node.id, 1.0)]
            )

    def upsert_entity(self, name: str, aliases: Iterable[str] = ()) -> str:
        """Know someone or something by name and aliases; who is known by one of them is met again.

        Questions that name it from now on refer to it. Returns its id.
        """
        names = [admitted(each, "name") for each in (name, *aliases)]
        with self._lock:
            at = self._clock.now()
            known = next(filter(None, map(self._held.called, names)), None)
            if known is None:
                key = canonical_key(names[0])
                node = self._held.born(ENTITY, names[0], key, at, id=Entity(name=names[0]).key)
            else:
                node = self._held.touched(known, at)
            others = dict.fromkeys((*node.aliases, *names))
            aliases = tuple(each for each in others if each != node.text)
            self._held.put(replace(node, aliases=aliases))
            return self._settled(node.id)

    def link(self, source: str, target: str, type: str, weight: float = 1.0) -> str:
        """Tie two nodes, or strengthen their tie; returns its key `from::type::to`."""
        checked_number("weight", weight, low=_LEAST_WEIGHT, high=_MOST_WEIGHT)
        with self._lock:
            check_ends(type, self.node(source), self.node(target))
            key = self._tie(source, type, target, float(weight))
            self._settled(source, target, fresh=[key])
            return key

    # -- what it is worth -------------------------------------------------------------------------

    def adjust_weights(
        self, id: str, *, feedback_delta: float = 0.0, repeat_delta: float = 0.0
    ) -> None:
        """Add to the weights of a node, as when they are carried over from elsewhere."""
        for what, value in (("feedback_delta", feedback_delta), ("repeat_delta", repeat_delta)):
            checked_number(what, value, low=-_MOST_WEIGHT, high=_MOST_WEIGHT)
        with self._lock:
            self._held.weigh(self.node(id).id, feedback=feedback_delta, repeat=repeat_delta)
            self._version += 1

    def note(self, id: str, **about: str | bool) -> None:
        """Note of an overheard query where it is kept, whose words it is, or that it is chatter."""
        with self._lock:
            self._held.put(replace(self.node(id), **about))  # type: ignore[arg-type]
            self._version += 1

    def touch(self, id: str) -> None:
        """Put a query in mind again without counting it as asked again."""
        with self._lock:
            self._held.touched(self.node(id), self._clock.now())
            self._version += 1

    def carry(self, ids: Iterable[str]) -> None:
        """Note that the long memory has these nodes with the weights they have now."""
        with self._lock:
            for node in [self._held.nodes[id] for id in ids if id in self._held.nodes]:
                self._held.put(replace(node, carried=(node.repeat, node.feedback)))
            self._version += 1

    def pin(self, id: str) -> None:
        """Hold a node fast: it never makes room for others. At most half of the mind can be."""
        with self._lock:
            node = self.node(id)
            pinned = sum(each.pinned for each in self._held.nodes.values())
            if not node.pinned and pinned >= self.settings.most_pinned:
                raise Refused(
                    "session.nodes_are_pinned_more_cannot",
                    pinned=pinned,
                    most=self.settings.max_nodes,
                )
            self._held.put(replace(node, pinned=True))
            self._version += 1

    def unpin(self, id: str) -> None:
        """Let a node loose again."""
        with self._lock:
            self._held.put(replace(self.node(id), pinned=False))
            self._version += 1

    def decay(self, by: timedelta | None = None) -> float:
        """Lower every weight by the time since the last decay, or by so much; returns the factor.

        Rank fades by itself; this makes old habits fade too. Two calls in a row fade no more than
        one.
        """
        with self._lock:
            now = self._clock.now()
            age = (now - self._decayed_at if by is None else by).total_seconds()
            factor = recency(age, self.settings.half_life_minutes * 60)
            fade(self._held, factor)
            self._decayed_at = now
            self._version += 1
            return factor

    # -- inside -----------------------------------------------------------------------------------

    def _again(self, node: Node) -> str:
        """Count a question that was asked before, and whom it names by now."""
        at = self._clock.now()
        node = self._held.touched(node, at, again=1.0)
        return self._settled(node.id, fresh=refer(self._held, node, at))

    def _twin(self, words: str, near: Sequence[tuple[Node, float]]) -> Node | None:
        """Return the query that this one only says again, if there is one."""
        close = (node for node, sim in near if sim >= self.settings.tau_dup)
        return next((node for node in close if may_be_one(words, node.text)), None)

    def _asked(self, id: str) -> Node:
        node = self.node(id)
        if node.type != QUERY:
            raise not_in_mind(id)
        return self._held.touched(node, self._clock.now())

    def _tie(self, source: str, type: str, target: str, weight: float) -> str:
        return self._held.join(source, type, target, weight, self._clock.now()).key

    def _settled(self, id: str, *others: str, fresh: Sequence[str] = ()) -> str:
        """Make room after an act that must not cost what it was about; return the first id."""
        make_room(
            self._held, self.settings, self._clock.now(), spare={id, *others}, fresh=set(fresh)
        )
        self._version += 1
        return id

"""`Social`: the memory of a bot among others (seed E 5-2); every act is one of Saegim's verbs.

What others write is theirs: kept as words of a peer, quoted when it comes back, never an order.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from saegim.errors import BadInput
from saegim.guard.guard import screen
from saegim.guard.instructions import suspicion
from saegim.memory.changes import Saved
from saegim.memory.coordinate import Origin, Source
from saegim.memory.entities import Entity
from saegim.memory.memory import Memory, checked_text
from saegim.memory.tiers import State, Tier
from saegim.perceive.moment import Kept
from saegim.perceive.turn import Observed
from saegim.recall.compose.prompt import Prompt, profile_of
from saegim.recall.flow import Recollection
from saegim.saegim import Saegim
from saegim.social.contacts import Contact, Contacts
from saegim.social.contexts import PostContext, comment_prompt, without
from saegim.social.post import Interaction, Post, key_of, read, thread_of
from saegim.store.desk.hearing import News, Subscription
from saegim.store.desk.nights import NightRow
from saegim.store.where import where_of

# By this tag a capture is known: what was heard on a platform, not what was drawn from it.
CAPTURED: Final = "social"
# Evolution and reflection (seed E, phase 4): the stages that come round every six hours.
MAINTENANCE: Final = ("merge", "promote", "leave", "reflect")
_MOST_NAME: Final = 200
_MOST_DIGEST: Final = 500

PostLike = Post | Mapping[str, Any]
InteractionLike = Interaction | Mapping[str, Any]
Turns = Sequence[tuple[str, str] | Mapping[str, str]]


class Social:
    """What one bot reads and says on one platform.

    Contexts are made of what was said on this platform; `elsewhere` lets everything else that this
    memory holds into them too.
    """

    def __init__(
        self, memory: Saegim, *, me: str, platform: str = "", elsewhere: bool = False
    ) -> None:
        self.memory = memory
        self.me = checked_text(me, "name", _MOST_NAME)
        self.platform = checked_text(platform, "platform", _MOST_NAME) if platform else ""
        self.place = self.platform or CAPTURED
        self.elsewhere = elsewhere
        self.mind = memory.people.mind
        self._contacts = Contacts(memory.people, self.place)
        self._zone = self.mind.zone
        self._told: Subscription | None = None

    # -- what is kept -----------------------------------------------------------------------------

    def remember_post(self, post: PostLike) -> Kept:
        """Keep a post, once for its id."""
        said = read(Post, post, self._zone)
        return self._keep(
            said.words,
            author=said.author,
            contact=said.author,
            key=key_of(self.platform, "post", said.id),
            session=thread_of(self.place, said.id),
            happened_at=said.at,
            tags=[CAPTURED, "post", *said.tags],
        )

    def remember_interaction(self, interaction: InteractionLike) -> Kept | None:
        """Keep what was said to or by someone, once for its id; nothing if nothing was said."""
        said = read(Interaction, interaction, self._zone)
        if not said.text.strip():
            return None
        return self._keep(
            said.text,
            author=said.author,
            contact=said.to if said.author == self.me else said.author,
            key=key_of(self.platform, said.kind, said.id),
            session=thread_of(self.place, said.post) if said.post else None,
            happened_at=said.at,
            tags=[CAPTURED, said.kind],
            addressee=said.to,
            prompt_digest=said.asked[:_MOST_DIGEST],
        )

    def extract_and_store(
        self, said: str | Turns, *, author: str = "", session: str | None = None
    ) -> list[Observed]:
        """Keep the facts and likings that a text or a conversation states.

        By rule at once; by the language model later, where one is turned on. A turn is a pair of
        name and text, or says `author` and `text`.
        """
        turns: Turns = [(author, said)] if isinstance(said, str) else said
        return [self._hear(*_turn(each), session) for each in turns]

    def _keep(self, text: str, *, author: str, contact: str, key: str, **about: Any) -> Kept:
        mine = author == self.me
        known = self._met_here(contact, text)
        kept = self.memory.remember(
            text,
            key=key,
            author=author,
            origin=Origin.AGENT_INFERRED if mine else Origin.PEER,
            source=Source.CONVERSATION if mine else Source.OBSERVATION,
            type="persona_response" if mine else "system_event",
            role="assistant" if mine else "peer",
            tier=Tier.M30,
            domain=self.place,
            **about,
        )
        self._contacts.meet(known, kept, key)
        return kept

    def _hear(self, author: str, text: str, session: str | None) -> Observed:
        mine = author == self.me
        known = self._met_here(author, text)
        seen = self.memory.observe(
            text,
            role="assistant" if mine else "user",
            speaker=author,
            origin=Origin.AGENT_INFERRED if mine else Origin.PEER,
            domain=self.place,
            session=session,
        )
        for kept in seen.kept[:1]:
            if kept.status == "stored":
                self._contacts.meet(known, kept, None)
        return seen

    def _met_here(self, name: str, text: str) -> Entity | None:
        """Return whom a meeting counts for: not oneself, no order, no name like a secret."""
        if name in ("", self.me) or suspicion(text) or suspicion(name):
            return None
        known = checked_text(name, "name", _MOST_NAME)
        return None if screen(known).masked else self._contacts.introduce(known)

    # -- events -----------------------------------------------------------------------------------

    def on_new_post(self, post: PostLike) -> Kept:
        """Hear of a post that someone published."""
        return self.remember_post(post)

    def on_comment_posted(self, comment: InteractionLike) -> Kept | None:
        """Hear that one's own comment went out; its author is oneself unless it says otherwise."""
        return self.remember_interaction(read(Interaction, comment, self._zone, author=self.me))

    def on_notification(self, note: InteractionLike) -> Kept | None:
        """Hear what someone said to oneself; a mere like or follow has no words to keep."""
        return self.remember_interaction(
            read(Interaction, note, self._zone, to=self.me, kind="notification")
        )

    def on_bot_response(self, response: InteractionLike) -> Kept | None:
        """Hear what one answered; `asked` may hold the words that were answered."""
        return self.remember_interaction(
            read(Interaction, response, self._zone, author=self.me, kind="response")
        )

    def set_extractor_callback(
        self, callback: Callable[[Memory], object] | None
    ) -> Subscription | None:
        """Tell one function of each capture after it is committed; None tells nobody any more.

        It is told of posts and interactions of this platform that are not in quarantine, on a
        thread of its own; what `extract_and_store` keeps is not told, so it may be called there.
        """
        self.close()
        if callback is not None:
            tell = callback

            def listen(news: News) -> None:
                for change in news.changes:
                    if isinstance(change, Saved) and self._is_capture(change.memory):
                        tell(change.memory)

            self._told = self.memory.care.subscribe(listen, Saved)
        return self._told

    def _is_capture(self, memory: Memory) -> bool:
        return (
            memory.space.domain == self.place
            and CAPTURED in memory.content.tags
            and memory.life.state is State.ACTIVE
        )

    def close(self) -> None:
        """Tell nobody any more; the memory stays open."""
        if self._told is not None:
            self._told.close()
        self._told = None

    # -- what comes back --------------------------------------------------------------------------

    def retrieve_memories(
        self, query: str, *, limit: int | None = None, **filters: Any
    ) -> Recollection:
        """Search by words, meaning and ties together (seed E, phase 2)."""
        return self.memory.recall(query, limit=limit, **{**self._among, **filters})

    def recall_related(self, about: PostLike | str, *, limit: int = 5) -> list[Memory]:
        """Return what belongs to a post or a topic, best first, without the post itself."""
        words, own = about if isinstance(about, str) else "", set[str]()
        if not isinstance(about, str):
            post = read(Post, about, self._zone)
            words, own = post.words, self._own(post)
        found = self.retrieve_memories(words, limit=limit + len(own))
        related = [hit.memory for hit in found.hits if not hit.weak and hit.memory.id not in own]
        return related[:limit]

    def get_context_for_post(self, post: PostLike, *, budget: int | None = None) -> PostContext:
        """Return what to know before answering a post: quoted, within a budget, never an order."""
        said = read(Post, post, self._zone)
        found = self.memory.context(said.words, budget=budget, **self._among)
        context = without(found, self._own(said), said.words)
        settings = self.mind.settings
        room = int(settings.prompt_budget * settings.share_profile)
        profile = ""
        if said.author != self.me:
            profile = profile_of(
                said.author, said.words, scope=self.memory.scope, mind=self.mind, budget=room
            )
        return PostContext(context.text, profile, context)

    def build_comment_prompt(
        self, post: PostLike, *, system: str = "", few_shot: str = "", total: int | None = None
    ) -> Prompt:
        """Return the whole prompt of a comment in six parts, each within its share (seed E 5-1)."""
        said = read(Post, post, self._zone)
        return comment_prompt(
            said,
            where_of(self.memory.scope, self._among, self._zone),
            own=self._own(said),
            mind=self.mind,
            total=total,
            system=system,
            few_shot=few_shot,
        )

    @property
    def _among(self) -> dict[str, Any]:
        return {} if self.elsewhere else {"domain": self.place}

    def _own(self, post: Post) -> set[str]:
        """Return the memories that are the post itself."""
        thread = self.memory.by_session(thread_of(self.place, post.id))
        return {
            each.id
            for each in thread
            if "post" in each.content.tags and each.provenance.author == post.author
        }

    # -- whom one knows ---------------------------------------------------------------------------

    def recall_bot(self, name: str, *, limit: int = 10) -> Contact | None:
        """Return what is known of someone and what they said last; nothing for a stranger."""
        entity = self._contacts.known(name)
        if entity is None:
            return None
        said = self.memory.recent(limit, author=name, **self._among).memories
        return Contact(entity, tuple(said), self._contacts.feelings(entity))

    def get_entity_profile(self, name: str) -> Entity | None:
        """Return the profile of someone or something; nothing for a stranger."""
        return self._contacts.known(name)

    def get_frequent_contacts(self, limit: int = 10) -> list[Entity]:
        """Return those met most often on this platform, the most met first."""
        return self._contacts.frequent(limit, me=self.me)

    # -- by night ---------------------------------------------------------------------------------

    def run_maintenance(self) -> NightRow | None:
        """Merge, let rise, let go and reflect; nothing if another process is sleeping here."""
        return self.memory.sleep(*MAINTENANCE)


def _turn(said: tuple[str, str] | Mapping[str, str]) -> tuple[str, str]:
    """Return who spoke and what."""
    if isinstance(said, Mapping) and "text" in said:
        return said.get("author") or "", said["text"]
    if isinstance(said, tuple) and len(said) == 2:
        return said
    raise BadInput("social.no_turn_of_conversation", said=said)

"""`Debates`: let voices debate a question, go on with a run, read it, rate it."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from typing import Any, Final

from saegim.errors import BadInput, Refused
from saegim.guard.guard import MaskTally, masked
from saegim.importers.resonance_ledger import ResonanceLedger, append_line, whole
from saegim.language.language import language_of
from saegim.memory.changes import Change
from saegim.memory.memory import (
    Content,
    Kind,
    Memory,
    Origin,
    Provenance,
    Rhythm,
    Scope,
    Source,
    Space,
    Tier,
    checked_text,
)
from saegim.mind import Mind
from saegim.perceive.build import (
    KeepTerms,
    NewMemories,
    hear,
    keep,
    kept_apart,
    placed,
    quarantined,
)
from saegim.perceive.moment import Moment
from saegim.personas.debate import (
    Debate,
    DebateRecord,
    DebateStep,
    debates,
    history_of,
    memories_of,
    one_debate,
)
from saegim.personas.flow import DOMAIN, PersonaOrchestrator, Tell
from saegim.personas.phase import START, analyse
from saegim.personas.registry import BackendFactory, PersonaRegistry, Voice, open_registry
from saegim.recall.feedback import Judgement, feedback
from saegim.store.commit import IdempotencyKey

# A question is asked again and again of small models: it must fit beside everything else.
MOST_QUESTION: Final = 4_000
# Six rounds of three voices are eighteen calls; nobody reads more.
MOST_DEPTH: Final = 6


@dataclass(frozen=True, slots=True)
class AskedPrompt:
    """What one voice would be asked: the prompt, and the memories that stand in it as examples."""

    persona: str
    name: str
    role: str
    backend: str
    prompt: str
    examples: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Debates:
    """The debates of one user: run, go on, list, read, rate; or see what would be asked."""

    mind: Mind
    scope: Scope

    def run(
        self,
        question: str,
        *,
        depth: int | None = None,
        personas: Sequence[str] = (),
        tell: Tell = lambda _: None,
    ) -> DebateRecord:
        """Let the voices answer a question, round after round; each answer is told as it comes."""
        return self.resume(self.begin(question, depth=depth, personas=personas).id, tell=tell)

    def begin(
        self,
        question: str,
        *,
        depth: int | None = None,
        personas: Sequence[str] = (),
        origin: Origin = Origin.USER_SAID,
    ) -> Debate:
        """Keep the question and the page of a run; no voice has spoken yet.

        Refused where a voice has no model: nothing is kept then.
        """
        text, debate, voices, _ = self._planned(question, depth, personas)
        with closing(BackendFactory(self.mind)) as backends:
            if mute := [each.name for each in voices if backends.of(each) is None]:
                raise Refused("personas.no_model", voices=", ".join(mute))
        memory = self._asked(text, debate, origin)
        debate = replace(debate, question=memory.id)
        ledger = ResonanceLedger(self.mind, self.scope)
        line = whole(
            ledger.line(
                memory.time.recorded_at,
                event_type="user_input",
                session_id=debate.session,
                memory_id=memory.id,
                memory_refs=[memory.id],
                bqi_coordinate=memory.rhythm.snapshot,
            )
        )
        file = ledger.day_file()

        def ties() -> list[Change]:
            return [debate.written(), ledger.written(line, memory.time.recorded_at)]

        receipt = IdempotencyKey(f"debate:{debate.id}:question", memory.id)
        terms = KeepTerms(collapse=False, count_turns=False, receipt=receipt)
        keep(NewMemories([memory], ties=ties), mind=self.mind, terms=terms)
        append_line(file, line)
        return debate

    def resume(self, id: str, *, tell: Tell = lambda _: None) -> DebateRecord:
        """Go on with a run where it stands; one that is over is only read."""
        debate = one_debate(id, self.scope, self.mind)
        registry = open_registry(self.mind, debate.language)
        with closing(BackendFactory(self.mind)) as backends:
            PersonaOrchestrator(
                debate,
                scope=self.scope,
                mind=self.mind,
                registry=registry,
                backends=backends,
                tell=tell,
            ).run()
        return self.get(debate.id)

    def rehearse(
        self, question: str, *, depth: int | None = None, personas: Sequence[str] = ()
    ) -> list[AskedPrompt]:
        """Return what each voice of the first round would be asked; nothing is kept or asked.

        What the voices before it would say is not known: their lines stand empty.
        """
        text, debate, voices, registry = self._planned(question, depth, personas)
        asked: list[AskedPrompt] = []
        with closing(BackendFactory(self.mind)) as backends:
            stage = PersonaOrchestrator(
                debate,
                scope=self.scope,
                mind=self.mind,
                registry=registry,
                backends=backends,
                question=text,
            )
            for at, voice in enumerate(voices, 1):
                examples, prompt = stage.prompt_of(voice, text, 1, at)
                model = backends.of(voice)
                backend = f"{model.provider}:{model.model}" if model else ""
                ids = tuple(each.id for each in examples.cards)
                asked.append(
                    AskedPrompt(voice.identifier, voice.name, voice.role, backend, prompt, ids)
                )
                stage.history.append(_unspoken(voice))
        return asked

    def all(self) -> list[tuple[Debate, str]]:
        """Return every run, the newest first, with its question as far as it is remembered."""
        found = debates(self.scope, self.mind)
        texts = (self.mind.store.memories.get(self.scope, each.question) for each in found)
        return [
            (run, (held.text or "") if held else "") for run, held in zip(found, texts, strict=True)
        ]

    def get(self, id: str) -> DebateRecord:
        """Return a run with its words, its history and its lines of the resonance ledger."""
        debate = one_debate(id, self.scope, self.mind)
        held = memories_of(debate, self.scope, self.mind)
        asked = held.get(debate.question)
        rated = {id: each.worth.rating for id, each in held.items() if each.worth.rating}
        return DebateRecord(
            debate,
            asked.text if asked else "",
            history_of(debate, held),
            ResonanceLedger(self.mind, self.scope).of_session(debate.session),
            rated,
        )

    def rate(self, id: str, rating: int, *, answer: int | None = None) -> Judgement:
        """Rate what a run came to from 1 to 5, or one of its answers by its number (seed A §10.3).

        The rating is a person's: it lifts or lowers what voices are shown as examples.
        """
        debate = one_debate(id, self.scope, self.mind)
        step = _rated(debate, answer)
        done = feedback(step.memory, "rating", scope=self.scope, mind=self.mind, rating=rating)
        ResonanceLedger(self.mind, self.scope).log_event(
            event_type="evaluation",
            session_id=debate.session,
            persona_id=step.persona,
            memory_id=step.memory,
            bqi_coordinate=done.memory.rhythm.snapshot,
            evaluation={"user_rating": rating},
            **asdict(step.scores),
        )
        return done

    def _planned(
        self, question: str, depth: int | None, personas: Sequence[str]
    ) -> tuple[str, Debate, list[Voice], PersonaRegistry]:
        """Check what is asked for; return the question, its secrets masked, and an empty run."""
        text = masked(checked_text(question, "question", MOST_QUESTION), MaskTally())
        rounds = self.mind.settings.debate_depth if depth is None else depth
        if isinstance(rounds, bool) or not isinstance(rounds, int) or not 1 <= rounds <= MOST_DEPTH:
            raise BadInput("personas.depth_cannot_be", depth=rounds, most=MOST_DEPTH)
        language = language_of(text)
        registry = open_registry(self.mind, language)
        voices = registry.personas_in_cycle(personas)
        id = self.mind.new_id("debate")
        return (
            text,
            Debate(
                id=id,
                session=f"sess_{id.partition('_')[2]}",
                question="",
                language=language,
                depth=rounds,
                order=tuple(each.identifier for each in voices),
                began=self.mind.now(),
            ),
            voices,
            registry,
        )

    def _asked(self, text: str, debate: Debate, origin: Origin) -> Memory:
        """Return the question as a memory: the first of its session, and the parent of all."""
        felt = hear(text, self.mind).emotion
        snapshot = analyse(
            text,
            asked=felt,
            felt=felt,
            at=debate.began,
            space=DOMAIN,
            agent=self.scope.agent,
            affect=START,
        )
        moment = Moment(
            scope=replace(self.scope, session=debate.session),
            text=text,
            kind=Kind.EPISODE,
            tier=Tier.M30,
            sequence=0,
            provenance=Provenance(origin=origin, source=Source.CONVERSATION),
            space=Space(domain=DOMAIN),
            emotion=replace(felt, affect=START),
            content=Content(type="user_input", language=debate.language, tags=("orchestration",)),
            rhythm=Rhythm(snapshot=snapshot).filled(),
        )
        memory = placed(moment, self.mind)
        return kept_apart(memory) if quarantined(memory) else memory


def _unspoken(voice: Voice) -> dict[str, Any]:
    """Return the line of a voice that has said nothing yet."""
    said = {"persona": voice.identifier, "content": "…", "depth_index": 1}
    return {**said, "error_occurred": False, "withheld": False}


def _rated(debate: Debate, answer: int | None) -> DebateStep:
    """Return the answer that is meant: by its number, or the one the run came to."""
    wanted = [
        each
        for each in debate.steps
        if (each.memory == debate.final if answer is None else each.number == answer)
        and not each.error_occurred
    ]
    if not wanted:
        known = ", ".join(str(each.number) for each in debate.steps if not each.error_occurred)
        raise BadInput("personas.nothing_to_rate", id=debate.id, known=known or "-")
    return wanted[0]

"""What a doctor tries on an open store: really write, read, search and forget, then look inside.

Nothing is kept: the trial memory is written in a transaction that is taken back.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from datetime import timedelta

from saegim.doctor.findings import Finding, failure, finding
from saegim.doctor.machine_checks import StorePlace
from saegim.doctor.machine_checks import backup as copied
from saegim.engines.brain.claim_reader import ClaimReader
from saegim.engines.embedder import Identity, Vector
from saegim.engines.llm.models import Request
from saegim.errors import BadReply, LedgerBroken, SaegimError
from saegim.filesystem import trouble_with
from saegim.memory.changes import Erased, Leaving, Saved
from saegim.memory.clock import iso
from saegim.memory.memory import Memory, Reason, Scope
from saegim.mind import Mind
from saegim.perceive.build import placed
from saegim.perceive.moment import Moment
from saegim.store.commit import Batch
from saegim.store.migrate import newest_schema
from saegim.store.rows import Where
from saegim.store.search.embedding_index import check_fits

TRIAL = "새김 점검: 보리는 오늘 한강을 산책했다. Saegim check: the kettle in the kitchen is blue."
_QUESTION = "보리 산책 kettle"
# Clocks of two machines that share a store may differ by this much.
_CLOCK_SLACK = timedelta(minutes=5)


@dataclass(frozen=True, slots=True)
class EmbedderProbe:
    """What the embedder said when it was really asked."""

    finding: Finding
    identity: Identity | None = None
    document: Vector | None = None
    question: Vector | None = None


@dataclass(frozen=True, slots=True)
class ExaminedStore:
    """What is examined: the parts, whose memories, where they lie, and what the embedder said."""

    mind: Mind
    scope: Scope
    place: StorePlace
    asked: EmbedderProbe


def ask(mind: Mind) -> EmbedderProbe:
    """Embed a sentence and a question with the configured embedder, over the network if need be."""
    embedder = mind.embedder
    try:
        documents = embedder.embed([TRIAL], "document")
        questions = embedder.embed([_QUESTION], "query")
        identity = embedder.identity
        if len(documents) != 1 or len(questions) != 1:
            raise BadReply(
                "examination.sent_vectors_for_one_sentence",
                model=identity.model,
                count=len(documents),
            )
        for vector in (*documents, *questions):
            check_fits(vector, identity)
    except SaegimError as error:
        return EmbedderProbe(failure("embedder", error))
    name = f"{identity.provider}:{identity.model}"
    told = finding("embedder.ok", name=name, dimension=identity.dimension)
    return EmbedderProbe(told, identity, documents[0], questions[0])


def file(patient: ExaminedStore) -> Finding:
    """Say whether the file is there and is ours."""
    path = patient.mind.store.path
    if not path.exists():
        return finding("file.missing", path=str(path))
    if not path.stat().st_size:
        return finding("file.empty", path=str(path))
    schema, wanted = patient.mind.store.schema(), newest_schema()
    case = "ok" if schema == wanted else "schema"
    return finding(f"file.{case}", path=str(path), schema=schema, wanted=wanted)


def writable(patient: ExaminedStore) -> Finding:
    """Say whether anything new can be remembered."""
    store = patient.mind.store
    return finding(f"writable.{'readonly' if store.readonly else 'ok'}", path=store.place)


def integrity(patient: ExaminedStore) -> Finding:
    """Check every page, and every word index against what it indexes."""
    faults = patient.mind.store.check()
    if faults:
        return finding("integrity.damaged", count=len(faults), why=faults[0])
    return finding("integrity.ok")


def ledger(patient: ExaminedStore) -> Finding:
    """Walk the chains; another user's ledger is checked, but nothing of it is told."""
    store, survey = patient.mind.store, patient.mind.store.survey
    with survey.one_moment():
        try:
            lines, head = store.ledger.verify(patient.scope)
        except LedgerBroken as error:
            return finding("ledger.broken", why=error.message)
        try:
            for owner in set(survey.owners()) - {patient.scope.user}:
                store.ledger.verify(Scope(owner))
        except LedgerBroken:
            return finding("ledger.other")
    return finding("ledger.ok", lines=lines, head=head[:12])


def memories(patient: ExaminedStore) -> Finding:
    """Compare the memories with what the ledger saw being saved."""
    survey = patient.mind.store.survey
    if lost := survey.lost():
        return finding("memories.lost", count=len(lost), first=lost[0])
    if unsworn := survey.unsworn():
        return finding("memories.unsworn", count=len(unsworn), first=unsworn[0])
    return finding("memories.ok", count=survey.memories())


def words(patient: ExaminedStore) -> Finding:
    """Say whether every memory can be found by its own words."""
    store, survey = patient.mind.store, patient.mind.store.survey
    used = store.words.analyser()
    missing = max(
        survey.unfindable(each.name, all_read=each in (used, store.analysers[0]))
        for each in store.analysers
    )
    if missing:
        return finding("words.missing", count=missing)
    if stale := survey.misread(used):
        return finding("words.stale", count=stale)
    return finding("words.ok")


def vectors(patient: ExaminedStore) -> Finding:
    """Say whether every memory has a usable vector of the configured embedder."""
    store, identity = patient.mind.store, patient.asked.identity
    if identity is None:
        return finding("vectors.unknown")
    survey, held = store.survey, store.vectors.coverage(identity)
    if unusable := survey.unusable(identity):
        return finding("vectors.unusable", count=unusable)
    if gaps := survey.gaps(identity):
        return finding("vectors.lost", count=gaps)
    if held.failed:
        return finding("vectors.failed", count=held.failed, why=held.error)
    if waiting := store.vectors.waiting(identity):
        return finding("vectors.pending", count=waiting, memories=held.memories)
    return finding("vectors.ok", ready=held.ready, memories=held.memories)


def embedder(patient: ExaminedStore) -> Finding:
    """Say what the embedder said; the reader of claims beside it must read too."""
    ClaimReader().read(TRIAL)
    return patient.asked.finding


def model(patient: ExaminedStore) -> Finding:
    """Ask the language model one small question, if one is turned on; a counted call (U12.2)."""
    mind = patient.mind
    if mind.model is None:
        return finding("model.needless")
    name = f"{mind.model.provider}:{mind.model.model}"
    mind.ask("doctor", Request(system="Answer with one word.", prompt="ok?", max_tokens=16))
    parked = [each for each in mind.store.jobs.all(patient.scope) if each.state == "parked"]
    if parked:
        return finding("model.parked", name=name, count=len(parked), why=parked[0].error)
    return finding("model.ok", name=name)


def analyser(mind: Mind) -> Finding:
    """Say which analyser reads the words, and why not the configured one (U3.4)."""
    store, wanted = mind.store, mind.settings.words
    used = store.words.analyser()
    if not used.index(TRIAL) or not used.query(_QUESTION):
        raise BadReply("examination.finds_no_words_in_plain", name=used.name)
    if wanted == "basic" or used is not store.analysers[0]:
        return finding("analyser.ok", name=used.name)
    if len(store.analysers) == 1:
        return finding("analyser.absent", wanted=wanted, name=used.name)
    best = store.analysers[-1]
    if getattr(best, "ready", lambda: True)():
        return finding("analyser.unread", wanted=wanted, name=used.name)
    why = str(getattr(best, "trouble", ""))
    return finding("analyser.loading", wanted=wanted, name=used.name, why=why)


def roundtrip(patient: ExaminedStore) -> Finding:
    """Write, read, find, let go and erase a memory on this very store, then take it all back."""
    mind, asked = patient.mind, patient.asked
    # A user nobody else has: the trial is alone in its room, whatever else the store holds.
    scope = Scope(user=f"saegim-doctor-{mind.new_id()}")
    memory, now = placed(Moment(scope=scope, text=TRIAL), mind), mind.now()
    vectors = {memory.id: asked.document} if asked.document is not None else {}
    saving = Batch(
        scope.user, [Saved(memory)], "doctor", now, vectors, asked.identity if vectors else None
    )
    leaving = Batch(scope.user, [Leaving(memory.id, Reason.MANUAL, now, now)], "doctor", now)
    erasing = Batch(scope.user, [Erased(memory.id)], "doctor", now)

    def look() -> set[str]:
        return _seen(memory, mind, asked)

    saved, left, erased = mind.store.rehearse((saving, look), (leaving, look), (erasing, look))
    expected = {"read", "words", "vector"} if vectors else {"read", "words"}
    failed = sorted(expected - saved) + ["forget"] * bool(left - {"read"} or erased)
    if failed:
        return finding("roundtrip.failed", steps=", ".join(failed))
    return finding("roundtrip.ok" if vectors else "roundtrip.partial")


def _seen(memory: Memory, mind: Mind, asked: EmbedderProbe) -> set[str]:
    """Return the ways on which the trial memory is found as the store stands now."""
    store, where = mind.store, Where(scope=memory.scope)
    ways = set()
    held = store.memories.get(memory.scope, memory.id)
    if held is not None and held.text == memory.text:
        ways.add("read")
    terms = store.words.analyser().query(_QUESTION)
    numbers = [hit.number for hit in store.words.matching(terms, where, limit=10).hits]
    if memory.id in {each.id for each in store.memories.by_numbers(memory.scope, numbers).values()}:
        ways.add("words")
    if asked.identity is not None and asked.question is not None:
        near = store.vectors.near(asked.question, asked.identity, where, limit=10)
        rows = store.memories.by_numbers(memory.scope, [hit.number for hit in near])
        if memory.id in {each.id for each in rows.values()}:
            ways.add("vector")
    return ways


def second_process(patient: ExaminedStore) -> Finding:
    """Let another process read the file while this one holds a read."""
    if getattr(sys, "frozen", False):
        return finding("second_process.untried")
    store = patient.mind.store
    view = store.survey.from_another_process()
    if view.why:
        return finding("second_process.failed", why=view.why)
    case = "ok" if view.same else "differs"
    return finding(f"second_process.{case}", count=view.memories, path=str(store.path))


def backup(patient: ExaminedStore) -> Finding:
    """Verify the newest backup and say whether it has become old."""
    survey, ledger = patient.mind.store.survey, patient.mind.store.ledger
    lines = {owner: ledger.last_line(owner) for owner in survey.owners()}
    heads = {owner: line.hash for owner, line in lines.items() if line is not None}
    on_server = patient.mind.store.database.is_server
    return copied(patient.place, survey.memories(), heads, on_server=on_server)


def clock(patient: ExaminedStore) -> Finding:
    """Compare the clock with the newest line of the ledger."""
    line = patient.mind.store.ledger.last_line(patient.scope.user)
    if line is not None and line.at > patient.mind.now() + _CLOCK_SLACK:
        return finding("clock.future", at=iso(line.at))
    return finding("clock.ok")


def upkeep(patient: ExaminedStore) -> Finding:
    """Pass on what background work and the disk complained about."""
    store = patient.mind.store
    place = "" if store.database.is_server else trouble_with(store.path)
    # What the ledger lacks is told by its own check.
    complaints = [text for text in store.warnings if text not in (place, *store.lost_lines)]
    return finding(f"upkeep.{'trouble' if complaints else 'ok'}", why="; ".join(complaints))

"""`saegim federate`: make a swarm or join one, see how it stands, leave; in plain words."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Annotated, Any

import typer

from saegim.errors import BadInput, Refused
from saegim.serve.catalogue import maintenance_functions
from saegim.serve.catalogue.entry import CallContext
from saegim.serve.cli.render_memories import pairs
from saegim.serve.cli.talk import Talk, given_text
from saegim.serve.terminal import put, visible

if TYPE_CHECKING:
    import saegim
    from saegim.federation.house import SharingHouse
    from saegim.federation.swarm import Rules

_ACTS = ("init", "invite", "join", "admit", "expel", "status", "moved", "leave", "run")
_LETTERS = {"join": "invitation", "admit": "introduction", "expel": "key"}
# So many shares a swarm is made for: four months at five a month.
_SHARES = 20


def federate(
    talk: Talk,
    action: Annotated[str, typer.Argument(metavar="ACTION")],
    letter: Annotated[str | None, typer.Argument(metavar="[TEXT]")] = None,
    address: Annotated[str | None, typer.Option("--address", metavar="HOST:PORT")] = None,
    transport: Annotated[str, typer.Option("--transport", metavar="NAME")] = "tcp",
    faulty: Annotated[int, typer.Option("--faulty", metavar="N", min=0, max=30)] = 0,
    no_noise: Annotated[bool, typer.Option("--no-noise")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y")] = False,
) -> None:
    """Learn together with other houses: make a swarm, join one, see how it stands, leave."""
    if action not in _ACTS:
        raise BadInput("federation.no_action", action=action, known=", ".join(_ACTS))
    if action in _LETTERS and not letter:
        raise BadInput("federation.needs_letter", action=action)
    if talk.has_nothing_yet and action not in ("init", "join", "status"):
        raise Refused("federation.no_member")
    with talk.memory(new=action in ("init", "join")) as memory:
        if action == "status":
            _status(talk, memory)
            return
        from saegim.federation.sharing import house_of

        # Who takes part, and with whom, is for a person to say.
        talk.refuse_agents("federate")
        house = house_of(memory)
        given = given_text(letter or "").strip()
        if action == "init":
            rules = {"faulty": faulty, "transport": transport}
            _init(talk, memory, house, address or "", rules, no_noise=no_noise, yes=yes)
        elif action == "join":
            _join(talk, memory, house, given, address or "", yes=yes)
        elif action == "run":
            _run(talk, memory, house)
        else:
            _changed(talk, house, action, given, yes=yes)


def _init(
    talk: Talk,
    memory: saegim.Saegim,
    house: SharingHouse,
    address: str,
    rules: dict[str, Any],
    *,
    no_noise: bool,
    yes: bool,
) -> None:
    from saegim.federation.privacy import noise_for
    from saegim.federation.sharing import starting_policy
    from saegim.federation.transport import TRANSPORTS, refuse_missing

    if rules["transport"] not in TRANSPORTS:
        known = ", ".join(TRANSPORTS)
        raise BadInput("federation.no_transport", name=rules["transport"], known=known)
    refuse_missing(rules["transport"])
    budget, policy = house.budget, starting_policy(memory)
    bare = no_noise or budget.epsilon <= 0
    noise = 0.0 if bare else noise_for(budget.epsilon, budget.delta, _SHARES)
    agreed = _agree(talk, house, policy.shape[0], noise, yes=yes)
    made = house.init(policy.weights(), policy.schema, address, noise=noise, **rules)
    _warn_unreachable(talk, made.address)
    letter = made.invitation()
    told = {"swarm": made.rules.swarm, "noise": noise, "agreed": agreed, "invitation": letter}
    talk.answer(told, lambda: [talk.speech("federate made"), letter])


def _join(
    talk: Talk, memory: saegim.Saegim, house: SharingHouse, letter: str, address: str, *, yes: bool
) -> None:
    from saegim.federation.sharing import starting_policy
    from saegim.federation.swarm import invited_to

    rules: Rules = invited_to(letter)
    policy = starting_policy(memory)
    agreed = _agree(talk, house, rules.size, rules.noise, yes=yes)
    made = house.join(letter, policy.weights(), policy.schema, address)
    _warn_unreachable(talk, made.address)
    answer = made.introduction()
    told = {"swarm": made.rules.swarm, "agreed": agreed, "introduction": answer}
    talk.answer(told, lambda: [talk.speech("federate joined"), answer])


def _warn_unreachable(talk: Talk, address: str) -> None:
    if not address and not talk.as_json:
        talk.tell("federate unreachable")


def _agree(talk: Talk, house: SharingHouse, size: int, noise: float, *, yes: bool) -> list[str]:
    """Say what is shared and what privacy is and is not given; go on only after a yes."""
    speech, budget = talk.speech, house.budget
    said = [speech("federate shares", size=size), speech("federate never")]
    if noise > 0:
        delta = f"{budget.delta:g}"
        said.append(speech("federate noised", epsilon=budget.epsilon, delta=delta))
    else:
        said.append(speech("federate bare"))
        if budget.epsilon > 0:
            said.append(speech("federate bare held", epsilon=budget.epsilon))
    said += [speech(f"federate {each}") for each in ("seen", "final", "candidate")]
    # A program reads it in the answer.
    for each in () if talk.as_json else said:
        put(each, error=True)
    if not yes:
        if not talk.asks:
            raise BadInput("federation.needs_yes")
        if not talk.agreed("federate agree"):
            raise typer.Abort
    return said


def _changed(talk: Talk, house: SharingHouse, action: str, given: str, *, yes: bool) -> None:
    """Carry out what is one call and one sentence."""
    if action == "moved":
        house.ledger.moved()
        talk.answer({"moved": True}, lambda: [talk.speech("federate moved")])
        return
    if action == "leave":
        if not yes and house.membership is not None:
            # The keys are gone for good: nobody can be who they were in this swarm.
            if not talk.asks:
                raise BadInput("federation.leaving_needs_yes")
            if not talk.agreed("federate leaving"):
                raise typer.Abort
        left = house.leave()
        sentence = "federate left" if left else "federate none"
        talk.answer({"left": left}, lambda: [talk.speech(sentence)])
        return
    held = house.membership
    if held is None:
        raise Refused("federation.no_member")
    if action == "invite":
        letter = held.invitation()
        talk.answer({"invitation": letter}, lambda: [talk.speech("federate invitation"), letter])
        return
    after = held.admit(given) if action == "admit" else held.expel(given)
    members = [each.key for each in after.roster.members]
    sentence = "federate admitted" if action == "admit" else "federate expelled"
    talk.answer({"members": members}, lambda: [talk.speech(sentence, count=len(members))])


def _run(talk: Talk, memory: saegim.Saegim, house: SharingHouse) -> None:
    """Take part until Ctrl+C."""
    from saegim.federation.sharing import look_at_swarm, sharing

    held = house.membership
    if held is None:
        raise Refused("federation.no_member")
    over = threading.Event()
    before: dict[int, Any] = {}
    end: Callable[..., None] = lambda *_: over.set()  # noqa: E731
    for name in ("SIGTERM", "SIGINT"):
        if (number := getattr(signal, name, None)) is not None:
            before[number] = signal.signal(number, end)
    told = {"swarm": held.rules.swarm, "address": held.address}
    talk.answer(told, lambda: [talk.speech("federate running", swarm=held.rules.swarm[:8])])
    try:
        with sharing(house, memory.mind.settings, lambda: look_at_swarm(memory)):
            while not over.wait(1.0):
                continue
    finally:
        for number, way in before.items():
            signal.signal(number, way)


def _status(talk: Talk, memory: saegim.Saegim) -> None:
    told = maintenance_functions.federation_status.call(CallContext(memory))["told"]
    talk.answer(told, lambda: _standing(talk, told))


def _standing(talk: Talk, told: dict[str, Any]) -> Iterable[Any]:
    speech, budget = talk.speech, told["budget"]
    spent = "∞" if told["epsilon_spent"] is None else f"{told['epsilon_spent']:.2f}"
    lines = {
        "budget": speech("federate spent", spent=spent, most=budget["epsilon"]),
        "shares": speech(
            "federate count",
            count=told["shares"],
            month=told["shares_this_month"],
            most=budget["shares_a_month"],
        ),
    }
    if told["member"]:
        rules = told["rules"]
        lines |= {
            "swarm": f"{told['swarm']} ({rules['hash'][:16]})",
            "key": told["key"],
            "members": speech(
                "federate members", count=len(told["members"]), needed=told["needed"]
            ),
            "transport": rules["transport"],
            "running": speech("said yes" if told["running"] else "said no"),
            "candidates": speech(
                "federate candidates", adopted=told["adopted"], declined=told["declined"]
            ),
        }
        if refused := told.get("refused"):
            lines["refused"] = ", ".join(f"{name} {count:,}" for name, count in refused.items())
    yield pairs({speech(f"federate field {name}"): visible(said) for name, said in lines.items()})
    if not told["member"]:
        yield speech("federate none")
        return
    yield speech("federate shares", size=rules["shape"][0])
    yield (
        speech("federate noised", epsilon=budget["epsilon"], delta=f"{budget['delta']:g}")
        if (rules["noise"] > 0)
        else speech("federate bare")
    )
    if told["copied"]:
        yield speech("federate copied")
    elif told.get("stopped"):
        yield speech("federate doubled")
    elif told["held_back"]:
        yield speech("federate held", why=speech.translated(told["held_back"]))

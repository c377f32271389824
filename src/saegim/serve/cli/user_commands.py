"""The commands for people who share one store: who they are, their tokens, their limits."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import asdict
from typing import Annotated, Any

import typer

import saegim
from saegim.errors import BadInput, Refused
from saegim.placement import MAIN
from saegim.serve import access
from saegim.serve import token as tokens
from saegim.serve.access import person_json, token_json
from saegim.serve.cli.render_memories import grid
from saegim.serve.cli.talk import Talk
from saegim.serve.terminal import visible
from saegim.store.tables.people_table import QUOTAS, TokenRow

_USER_ACTS = ("add", "list", "limit", "remove", "move")
_TOKEN_ACTS = ("new", "list", "revoke")
Most = Annotated[int | None, typer.Option(metavar="N")]


def user(
    talk: Talk,
    action: Annotated[str, typer.Argument(metavar="ACTION")],
    name: Annotated[str | None, typer.Argument(metavar="[NAME]")] = None,
    memories: Most = None,
    bytes: Most = None,
    requests: Most = None,
    model_calls: Most = None,
    with_memories: Annotated[bool, typer.Option("--with-memories")] = False,
    to: Annotated[str | None, typer.Option("--to", metavar="STORE")] = None,
) -> None:
    """Add people who share this store, list them, limit, remove and move them."""
    if action not in _USER_ACTS:
        known = ", ".join(_USER_ACTS)
        raise BadInput("people.no_action", command="user", action=action, known=known)
    given = name if name is not None else talk.user
    if action != "list" and given is None:
        raise BadInput("people.needs_name", command=f"user {action}")
    if (action == "move") is not (to is not None):
        raise BadInput("people.needs_store")
    limits = dict(zip(QUOTAS, (memories, bytes, requests, model_calls), strict=True))
    # Who is let in is for a person to say; and whose memory is open does not matter here.
    if action != "list":
        talk.refuse_agents(f"saegim user {action}")
    talk.user = None
    with talk.memory(new=action == "add") as memory:
        if action == "list":
            _list(talk, memory)
            return
        if action == "move":
            moved = access.move_person(memory, str(given), str(to))
            count = talk.speech.memories(moved["memories"])
            said = talk.speech("user moved", name=moved["name"], store=to, memories=count)
            talk.answer(moved, lambda: [said])
            return
        _changed(talk, memory, action, str(given), limits, with_memories=with_memories)


def _changed(
    talk: Talk,
    memory: saegim.Saegim,
    action: str,
    name: str,
    limits: dict[str, int | None],
    *,
    with_memories: bool,
) -> None:
    people = memory.mind.store.people
    if action == "add":
        quota = access.quota_of(**limits)
        made = access.add_person(memory, name, quota, with_memories=with_memories)
    elif action == "limit":
        held = asdict(people.named(name).quota)
        new = {each: value for each, value in limits.items() if value is not None}
        # What was not named stays; -1 takes a limit away.
        freed = {each: None if value == -1 else value for each, value in new.items()}
        made = people.limit(name, access.quota_of(**{**held, **freed}))
    else:
        people.remove(name)
        told = {"removed": name}
        talk.answer(told, lambda: [talk.speech("user removed", name=name)])
        return
    key = "user added" if action == "add" else "user limited"
    talk.answer(person_json(made), lambda: [talk.speech(key, name=made.name)])


def _list(talk: Talk, memory: saegim.Saegim) -> None:
    store = memory.mind.store
    found = []
    for each in store.people.all():
        count, size = memory.within(user=each.name).mind.store.memories.held(each.name)
        where = memory.maintenance.placement.where(each.name)
        found.append({**person_json(each), "memories": count, "bytes": size, "store": where})
    own = memory.mind.settings.user

    def shown() -> Iterable[Any]:
        if not found:
            yield talk.speech("users none", own=own)
            return
        table = grid(fill=False)
        # Where they lie is told where it is not the same of everyone.
        divided = ("store",) if {each["store"] for each in found} != {MAIN} else ()
        for column in ("user", "memories", "bytes", *divided, "limits"):
            table.add_column(talk.speech(f"column {column}"), overflow="fold")
        for each in found:
            held = (
                f"{talk.speech(f'column {name}')} ≤ {most:,}"
                for name, most in each["limits"].items()
                if most is not None
            )
            counts = (f"{each[name]:,}" for name in ("memories", "bytes"))
            where = (each[name] for name in divided)
            table.add_row(visible(each["name"]), *counts, *where, ", ".join(held))
        yield table
        yield talk.speech("users own", own=own)

    talk.answer({"users": found, "own": own}, shown)


def token(
    talk: Talk,
    action: Annotated[str | None, typer.Argument(metavar="[ACTION]")] = None,
    id: Annotated[str | None, typer.Argument(metavar="[ID]")] = None,
    new: Annotated[bool, typer.Option("--new")] = False,
    show: Annotated[bool, typer.Option("--show")] = False,
    label: Annotated[str | None, typer.Option("--label", metavar="TEXT")] = None,
    rights: Annotated[str, typer.Option("--rights", metavar="read,write")] = "read,write",
    days: Annotated[int | None, typer.Option("--days", metavar="N")] = None,
    administrator: Annotated[bool, typer.Option("--administrator")] = False,
) -> None:
    """Say where the token is; make a new one; show it to a person. Those of people: by action."""
    if action is None:
        _of_machine(talk, new=new, show=show)
        return
    if action not in _TOKEN_ACTS:
        known = ", ".join(_TOKEN_ACTS)
        raise BadInput("people.no_action", command="token", action=action, known=known)
    if action == "new" and not talk.user and not administrator:
        raise BadInput("people.needs_name", command="token new --user")
    if action == "revoke" and not id:
        raise BadInput("people.needs_id")
    if action != "list":
        talk.refuse_agents(f"saegim token {action}")
    owner, talk.user = talk.user, None
    with talk.memory() as memory:
        store = memory.mind.store
        if action == "list":
            _tokens(talk, store.tokens.all("" if administrator else owner))
        elif action == "revoke":
            row = store.tokens.revoke(str(id), owner, memory.mind.now())
            talk.answer(token_json(row), lambda: [talk.speech("token revoked", id=row.id)])
        else:
            wanted = [each.strip() for each in rights.split(",") if each.strip()]
            whose = "" if administrator else str(owner)
            made, row = access.new_token(memory, whose, label=label or "", rights=wanted, days=days)
            told = {"token": made, **token_json(row)}
            talk.answer(told, lambda: [made, talk.speech("token told once", id=row.id)])


def _tokens(talk: Talk, found: list[TokenRow]) -> None:
    def shown() -> Iterable[Any]:
        if not found:
            yield talk.speech("tokens none")
            return
        table = grid(fill=False)
        for column in ("id", "user", "label", "rights", "expires", "used", "state"):
            table.add_column(talk.speech(f"column {column}"), overflow="fold")
        for each in found:
            moments = (
                talk.speech.moment(at) if at else "–" for at in (each.expires_at, each.used_at)
            )
            state = talk.speech("token is revoked" if each.revoked_at else "token holds")
            who = visible(each.owner) or talk.speech("token of administrator")
            table.add_row(each.id, who, visible(each.label), " ".join(each.rights), *moments, state)
        yield table

    talk.answer({"tokens": [token_json(each) for each in found]}, shown)


def _of_machine(talk: Talk, *, new: bool, show: bool) -> None:
    """Say where the token of this installation is; make a new one; show it to a person."""
    if show and not (talk.person and sys.stdout.isatty()):
        raise Refused("command.token_is_shown_only")
    if new:
        tokens.renewed(talk.home)
    held = tokens.token_at(talk.home)
    told: dict[str, Any] = {"token_file": str(talk.home / tokens.FILE), "new": new}
    if show:
        told["token"] = held

    def shown() -> Iterable[str]:
        yield told["token_file"]
        if show:
            yield held
        if new:
            yield talk.speech("token renewed")

    talk.answer(told, shown)

"""Claude's export: conversations with their messages in order; what tools said is left out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from saegim.errors import BadInput
from saegim.importers.jsonl import Problem
from saegim.importers.source.conversations import OTHER, conversations, minutes
from saegim.importers.source.source import Entries, Reading, Told, moment, name, session
from saegim.memory.coordinate import Kind, Space

_ROLES = {"human": "user", "user": "user", "assistant": "assistant"}


def read(path: Path, source: Reading) -> Entries:
    """Yield one memory for each turn of each conversation, in the order they were said."""
    return conversations(path, source, _turns)


def _turns(where: str, conversation: Any) -> Iterator[Told | Problem]:
    messages = conversation.get("chat_messages") if isinstance(conversation, Mapping) else None
    if not isinstance(messages, list):
        raise BadInput("import.not_conversation_has_no_chat")
    id = conversation.get("uuid") or where
    at = began = moment(conversation.get("created_at"))
    room = session("claude", id)
    number = 0
    for place, message in enumerate(messages, 1):
        if not isinstance(message, Mapping):
            yield Problem(f"{where} message {place}", "It is not an object.")
            continue
        role, text = _ROLES.get(str(message.get("sender"))), _text(message)
        if not role or not text:
            continue
        number += 1
        said_at = moment(message.get("created_at"))
        at = said_at or at
        began = began or at
        yield Told(
            where=f"{where} turn {number}",
            key=f"{id}:{message.get('uuid') or place}",
            text=text,
            at=said_at,
            by=at,
            kind=Kind.EPISODE,
            author=role,
            addressee=OTHER[role],
            role=role,
            session=room,
            sequence=number,
            minutes=minutes(began, at),
            tags=(conversation.get("name"),),
            space=Space(domain="claude", files=_files(message)),
        )


def _text(message: Mapping[str, Any]) -> str:
    """Return the words of a message: its text blocks, or its plain text where there are none."""
    blocks = message.get("content")
    said = [
        each["text"]
        for each in (blocks if isinstance(blocks, list) else ())
        if isinstance(each, Mapping)
        and each.get("type", "text") == "text"
        and isinstance(each.get("text"), str)
        and each["text"].strip()
    ]
    plain = message.get("text")
    return "\n\n".join(said) or (plain if isinstance(plain, str) and plain.strip() else "")


def _files(message: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the names of what was attached; the contents stay where they are."""
    attached = [
        each.get("file_name")
        for part in ("attachments", "files")
        for each in (message.get(part) if isinstance(message.get(part), list) else ()) or ()
        if isinstance(each, Mapping)
    ]
    return tuple(dict.fromkeys(filter(None, map(name, attached))))

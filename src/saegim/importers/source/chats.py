"""The exports of ChatGPT and Claude: conversations with their messages in order.

Turns of the person and of the model become memories; what the system, tools and hidden messages
say does not. A reply that was written anew stays on its own branch and is left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from saegim.errors import BadInput
from saegim.importers.jsonl import Problem
from saegim.importers.source.archive import OTHER, each_conversation, minutes
from saegim.importers.source.source import Entries, ImportedItem, ImportRun, moment, name, session
from saegim.memory.memory import Kind, Space

_ROLES = ("user", "assistant")


def read_chatgpt(path: Path, source: ImportRun) -> Entries:
    """Yield one memory for each turn of each conversation, in the order they were said."""
    return each_conversation(path, source, _turns)


def _turns(where: str, conversation: Any) -> Iterator[ImportedItem]:
    if not isinstance(conversation, Mapping) or not isinstance(conversation.get("mapping"), dict):
        raise BadInput("import.not_conversation_has_no_mapping")
    id = conversation.get("conversation_id") or conversation.get("id") or where
    began = moment(conversation.get("create_time"))
    title, room = conversation.get("title"), session("chatgpt", id)
    number = 0
    at = began
    for key, message in _branch(conversation):
        text = _text(message)
        role = _role(message)
        if not text or not role:
            continue
        number += 1
        said_at = moment(message.get("create_time"))
        at = said_at or at
        began = began or at
        author = message.get("author") or {}
        more = message.get("metadata") or {}
        yield ImportedItem(
            where=f"{where} turn {number}",
            key=f"{id}:{key}",
            text=text,
            at=said_at,
            by=at,
            kind=Kind.EPISODE,
            author=author.get("name") or role,
            addressee=OTHER[role],
            role=role,
            backend=more.get("model_slug", "") if isinstance(more, Mapping) else "",
            session=room,
            sequence=number,
            minutes=minutes(began, at),
            tags=(title,),
            space=Space(domain="chatgpt"),
        )


def _branch(conversation: Mapping[str, Any]) -> list[tuple[str, Mapping[str, Any]]]:
    """Return the messages from the first to the one that was last on the screen."""
    nodes = conversation["mapping"]
    key = conversation.get("current_node")
    if key not in nodes:
        key = _latest(nodes)
    found: list[tuple[str, Mapping[str, Any]]] = []
    seen = set()
    # A branch that comes back to itself ends there.
    while isinstance(key, str) and key not in seen and isinstance(nodes.get(key), Mapping):
        seen.add(key)
        message = nodes[key].get("message")
        if isinstance(message, Mapping):
            found.append((key, message))
        key = nodes[key].get("parent")
    return found[::-1]


def _latest(nodes: Mapping[str, Any]) -> str | None:
    """Return the leaf that was said last, where the export does not name one."""
    leaves = {
        key: (node.get("message") or {}).get("create_time")
        for key, node in nodes.items()
        if isinstance(node, Mapping) and not node.get("children")
    }
    dated = {key: at for key, at in leaves.items() if isinstance(at, int | float)}
    return max(dated or leaves, key=lambda key: dated.get(key, 0), default=None)


def _role(message: Mapping[str, Any]) -> str:
    """Return who spoke, if it was said in the conversation itself."""
    author = message.get("author")
    role = author.get("role") if isinstance(author, Mapping) else None
    more = message.get("metadata")
    hidden = isinstance(more, Mapping) and more.get("is_visually_hidden_from_conversation")
    to_all = message.get("recipient") in (None, "", "all")
    return role if role in _ROLES and not hidden and to_all else ""


def _text(message: Mapping[str, Any]) -> str:
    """Return the words of a message: its text parts, and what was heard of a voice."""
    content = message.get("content")
    parts = content.get("parts") if isinstance(content, Mapping) else None
    if not isinstance(parts, list):
        return ""
    said = (each.get("text") if isinstance(each, Mapping) else each for each in parts)
    return "\n\n".join(each for each in said if isinstance(each, str) and each.strip())


# -- Claude's export: conversations with their messages in order; what tools said is left out

_CLAUDE_ROLES = {"human": "user", "user": "user", "assistant": "assistant"}


def read_claude(path: Path, source: ImportRun) -> Entries:
    """Yield one memory for each turn of each conversation, in the order they were said."""
    return each_conversation(path, source, _claude_turns)


def _claude_turns(where: str, conversation: Any) -> Iterator[ImportedItem | Problem]:
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
        role, text = _CLAUDE_ROLES.get(str(message.get("sender"))), _claude_text(message)
        if not role or not text:
            continue
        number += 1
        said_at = moment(message.get("created_at"))
        at = said_at or at
        began = began or at
        yield ImportedItem(
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


def _claude_text(message: Mapping[str, Any]) -> str:
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

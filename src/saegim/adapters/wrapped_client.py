"""`wrap`: a client of OpenAI's or Anthropic's SDK that remembers: context in, the turn heard out.

The client is used as before; `create` and `parse` of `chat.completions`, `responses` and
`messages` are given what is remembered for the last thing the user said, quoted, as a part of the
instructions. When the answer is there, the turn is judged and kept as anywhere else. Nothing of an
SDK is imported: any client of the same shape can be wrapped, also one that talks to your own
server.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar, cast

from saegim.errors import SaegimError
from saegim.logs import logger
from saegim.recall.compose.compose import Context
from saegim.saegim import Saegim

Client = TypeVar("Client")
_log = logger("adapters")
# Where each SDK begins an answer.
_CALLS: Final = frozenset(
    f"{part}.{verb}"
    for part in ("chat.completions", "responses", "messages")
    for verb in ("create", "parse")
)
# What a tool found, as an item of `responses`.
_FOUND: Final = "function_call_output"
_ON_THE_WAY: Final = frozenset({"chat", "chat.completions", "responses", "messages"})


def wrap(
    client: Client,
    memory: Saegim,
    *,
    session: str = "",
    budget: int | None = None,
    observe: bool = True,
) -> Client:
    """Return the client as before, but with this memory.

    `session` names the conversation, `budget` limits the tokens that memories may take, and
    without `observe` nothing is kept. Answers that come as a stream are given context; of such a
    turn what the user said is kept, and what was answered is not.
    """
    room = ClientMemory(memory, session, budget, observe)
    return cast(Client, _WrappedClient(client, "", room))


@dataclass(frozen=True, slots=True)
class ClientMemory:
    """What a client, or the memory of a framework, remembers with in one conversation."""

    memory: Saegim
    session: str = ""
    budget: int | None = None
    observe: bool = True

    def context(self, asked: str) -> str:
        """Return the block for a message, or nothing."""
        told = self.told(asked)
        return "" if told is None else told.text

    def told(self, asked: str) -> Context | None:
        """Return what is remembered for a message; a memory that fails costs no answer."""
        if not asked.strip():
            return None
        try:
            return self.memory.context(asked, budget=self.budget, session=self.session or None)
        except SaegimError as error:
            _log.warning("answered without memories: %s", error.message)
            return None

    def hear(self, asked: str, answered: str) -> None:
        """Judge both sides of a turn and keep what is worth it."""
        for role, text in (("user", asked), ("assistant", answered)):
            if self.observe and text.strip():
                try:
                    self.memory.observe(text, role=role, session=self.session or None)
                except SaegimError as error:
                    _log.warning("a turn was not heard: %s", error.message)


class _WrappedClient:
    """A client, or a part of one, whose calls are seen on their way."""

    def __init__(self, inner: Any, path: str, room: ClientMemory) -> None:
        self._inner, self._path, self._room = inner, path, room

    def __getattr__(self, name: str) -> Any:
        held = getattr(self._inner, name)
        path = f"{self._path}.{name}" if self._path else name
        if path in _CALLS:
            return _remembering(held, path, self._room)
        return _WrappedClient(held, path, self._room) if path in _ON_THE_WAY else held

    def __enter__(self) -> _WrappedClient:
        self._inner.__enter__()
        return self

    def __exit__(self, *how: object) -> None:
        self._inner.__exit__(*how)

    async def __aenter__(self) -> _WrappedClient:
        await self._inner.__aenter__()
        return self

    async def __aexit__(self, *how: object) -> None:
        await self._inner.__aexit__(*how)


def _remembering(create: Callable[..., Any], path: str, room: ClientMemory) -> Callable[..., Any]:
    """Return a call that is told what is remembered, and whose turn is heard."""

    def call(*args: Any, **given: Any) -> Any:
        messages = given.get("input" if path.startswith("responses") else "messages")
        asked, is_new = last_said(messages)
        told = room.context(asked)
        answer = create(*args, **(with_context(path, given, told) if told else given))
        heard = asked if is_new else ""
        if inspect.isawaitable(answer):
            return _heard_later(answer, heard, room)
        room.hear(heard, answer_text(answer))
        return answer

    return call


async def _heard_later(answer: Any, heard: str, room: ClientMemory) -> Any:
    made = await answer
    room.hear(heard, answer_text(made))
    return made


def last_said(messages: Any) -> tuple[str, bool]:
    """Return the text that the user said last, whatever its shape, and whether it is new.

    What a tool found is sent after it, or in the user's name without a text: the model still
    answers to the same words, and they were heard before.
    """
    if isinstance(messages, str):
        return messages, True
    is_new = True
    for each in reversed(messages if isinstance(messages, Sequence) else ()):
        by_user = _get(each, "role") == "user"
        if by_user and (said := _text_of(_get(each, "content"))).strip():
            return said, is_new
        if by_user or _get(each, "role") == "tool" or _get(each, "type") == _FOUND:
            is_new = False
    return "", True


def with_context(path: str, given: Mapping[str, Any], told: str) -> dict[str, Any]:
    """Return the arguments with a block of memories; those of the caller stay as they are."""
    if path.startswith("chat"):
        messages = list(given.get("messages") or ())
        spoken = [at for at, each in enumerate(messages) if _get(each, "role") == "user"]
        # Right before the question: what stood before it stays the same from turn to turn.
        messages.insert(spoken[-1], {"role": "system", "content": told})
        return {**given, "messages": messages}
    name = "system" if path.startswith("messages") else "instructions"
    before = given.get(name) or ""
    if isinstance(before, str):
        return {**given, name: f"{before}\n\n{told}" if before else told}
    return {**given, name: [*before, {"type": "text", "text": told}]}


def answer_text(answer: Any) -> str:
    """Return the words of an answer; of a stream, which has none yet, nothing."""
    choices = _get(answer, "choices")
    if isinstance(choices, Sequence) and choices:
        return _text_of(_get(_get(choices[0], "message"), "content"))
    return _text_of(_get(answer, "output_text") or _get(answer, "content"))


def _text_of(content: Any) -> str:
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list | tuple) else ()
    texts = (each if isinstance(each, str) else _get(each, "text") for each in parts)
    return "\n".join(each for each in texts if isinstance(each, str))


def _get(held: Any, name: str) -> Any:
    return held.get(name) if isinstance(held, Mapping) else getattr(held, name, None)

"""Tools whose answer comes from a person the client asks, never from the model.

The SDK reads the annotations of these functions while they are defined, so they stand here as
types, not as text.
"""

import os
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Annotated, Any

from mcp.server.mcpserver import Context, Elicit, ElicitationResult, Resolve
from mcp.server.mcpserver.tools import Tool
from mcp.types import CallToolResult, ToolAnnotations
from pydantic import BaseModel, Field

from saegim.errors import Refused, SaegimError
from saegim.projects import lies_in_project
from saegim.serve.access import GRANT, OWN
from saegim.serve.backend import Backend
from saegim.serve.mcp.client_info import ClientInfo
from saegim.serve.mcp.results import carried_out, result_of
from saegim.serve.terminal import visible

Json = dict[str, Any]
PROPOSED = ("core_", "change_", "belief_", "island_", "soul_")
_IMPORTS_BY = {"path", "form", "dry_run"}
_MOST_ALLOWED = 1000
InThread = Callable[[Callable[[], Json]], Awaitable[Json]]


class Approval(BaseModel):
    """What a person is asked about a proposal."""

    yes: bool = Field(description="Yes, as it is written above. 예, 위에 적힌 그대로.")


class ShownWords(BaseModel):
    """What a person is shown of a proposal, and the version they answer to."""

    words: str = ""
    version: str = ""


class ReadPermission(BaseModel):
    """What a person is asked about a file outside of the project."""

    read_it: bool = Field(description="Let it be read? 읽게 할까요?")


class ApprovalTool(Tool):
    """A tool of which the SDK knows whom it asks, and the catalogue what it may be given."""

    told: Any
    refuse: Any

    @property
    def output_schema(self) -> Json | None:
        """Return the outline of its answer."""
        outline: Json = self.told["outputSchema"]
        return outline

    async def run(
        self, arguments: Json, context: Context[Any, Any], convert_result: bool = False
    ) -> Any:
        """Ask, unless there is more or less in the arguments than an id."""
        if set(arguments) == {"id"} and isinstance(arguments["id"], str):
            return await super().run(arguments, context, convert_result)
        return await self.refuse(arguments, context)


def asking(in_thread: InThread, backend: Backend, guest: ClientInfo, told: Json) -> ApprovalTool:
    """Return `proposal_ask`: the client asks the user, and what they say is carried out."""

    async def called(arguments: Json, ctx: Context[Any, Any]) -> Json:
        wish = seen_in(guest, ctx).wish(told["name"], arguments)
        return await in_thread(partial(backend.call, wish))

    async def refuse(arguments: Json, ctx: Context[Any, Any]) -> CallToolResult:
        try:
            return result_of(await called(arguments, ctx))
        except SaegimError as error:
            return result_of(error)

    async def to_show(id: str, ctx: Context[Any, Any]) -> ShownWords:
        held = ctx.client_capabilities
        # Only a proposal stands for one version of the words: a memory may be corrected while its
        # person reads the question, and their yes must be to what they read.
        asks = held and held.elicitation and seen_in(guest, ctx).by.is_own
        if not asks or not id.startswith(PROPOSED):
            return ShownWords()
        try:
            laid = await called({"id": id}, ctx)
        except SaegimError:
            # The tool itself says what is wrong.
            return ShownWords()
        if laid["proposal"]["text"] is None:
            # Nobody can say yes to words that are not there to be read.
            return ShownWords()
        return ShownWords(words=laid["question"], version=laid["proposal"]["version"])

    async def question(
        shown: Annotated[ShownWords, Resolve(to_show)],
    ) -> Elicit[Approval] | None:
        return Elicit(shown.words, Approval) if shown.words else None

    async def proposal_ask(
        id: str,
        shown: Annotated[ShownWords, Resolve(to_show)],
        answer: Annotated[ElicitationResult[Approval], Resolve(question)],
        ctx: Context[Any, Any],
    ) -> CallToolResult:
        try:
            yes = _said(answer)
            if yes is None:
                return result_of(await called({"id": id}, ctx))
            wish = seen_in(guest, ctx).wish(told["name"], {"id": id})
            return result_of(await in_thread(partial(backend.approve, wish, yes, shown.version)))
        except SaegimError as error:
            return result_of(error)

    read = Tool.from_function(proposal_ask, structured_output=False)
    kept = {name: getattr(read, name) for name in type(read).model_fields}
    kept |= {
        "description": told["description"],
        "parameters": told["inputSchema"],
        "annotations": ToolAnnotations.model_validate(told["annotations"]),
    }
    return ApprovalTool(**kept, told=told, refuse=refuse)


class ImportTool(Tool):
    """The import: what lies in the project is read as asked for, anything else is asked about."""

    plain: Any
    guest: Any

    @property
    def output_schema(self) -> Json | None:
        """Return the outline of its answer."""
        outline: Json = self.plain.output_schema
        return outline

    async def run(
        self, arguments: Json, context: Context[Any, Any], convert_result: bool = False
    ) -> Any:
        """Read at once what needs no leave, and what nobody can be asked about refuse."""
        held, path = context.client_capabilities, arguments.get("path")
        asks = bool(held and held.elicitation) and set(arguments) <= _IMPORTS_BY
        seen = seen_in(self.guest, context)
        folder, asks = seen.folder, asks and seen.by.is_own
        if not asks or not isinstance(path, str) or lies_in_project(path, folder, os.environ):
            return await self.plain.run(arguments, context, convert_result)
        return await super().run(arguments, context, convert_result)


def importing(
    in_thread: InThread, backend: Backend, guest: ClientInfo, told: Json, plain: Tool
) -> ImportTool:
    """Return `memory_import`: a path outside of the project is read once a person lets it be."""
    # By session: nobody is asked again for the step after the dry run.
    allowed: set[tuple[str | None, str]] = set()

    async def question(path: str, ctx: Context[Any, Any]) -> Elicit[ReadPermission] | None:
        real = _real(path)
        if (seen_in(guest, ctx).session, real) in allowed:
            return None
        return Elicit(f"memory_import → {visible(real)}", ReadPermission)

    async def memory_import(
        path: str,
        answer: Annotated[ElicitationResult[ReadPermission], Resolve(question)],
        ctx: Context[Any, Any],
        form: Any = "auto",
        dry_run: Any = True,
    ) -> CallToolResult:
        seen, real = seen_in(guest, ctx), _real(path)
        key = (seen.session, real)
        try:
            if key not in allowed and not _lets(answer):
                raise Refused("catalogue.user_let_not_be_read", place=real)
            if len(allowed) >= _MOST_ALLOWED:
                allowed.clear()
            allowed.add(key)
            # What is read is what was shown, whatever the path leads to by now.
            given = {"path": real, "form": form, "dry_run": dry_run}
            wish = seen.wish(told["name"], given)
            return result_of(await in_thread(partial(backend.approve, wish, True, real)))
        except SaegimError as error:
            return result_of(error)

    read = Tool.from_function(memory_import, structured_output=False)
    kept = {name: getattr(read, name) for name in type(read).model_fields}
    kept |= {
        "description": told["description"],
        "parameters": told["inputSchema"],
        "annotations": ToolAnnotations.model_validate(told["annotations"]),
    }
    return ImportTool(**kept, plain=plain, guest=guest)


def _real(path: str) -> str:
    try:
        return os.path.realpath(os.path.expanduser(path))
    except ValueError:  # a name no file system knows
        return path


def seen_in(guest: ClientInfo, context: Context[Any, Any]) -> ClientInfo:
    """Return the guest as its request shows it: by its headers, and by what its token opens.

    Over stdio there is no request, and the guest is whose machine it is.
    """
    request: Any = context.request_context.request
    headers: Mapping[str, str] = getattr(request, "headers", {})
    scope: Mapping[str, Any] = getattr(request, "scope", {})
    return guest.seen(headers, scope.get(GRANT, OWN))


def _said(answer: Any) -> bool | None:
    """Return a yes or a no; None where nobody was asked, or nobody answered."""
    if answer.action == "accept":
        # Where nobody was asked, the SDK takes the missing question for an answer without words.
        return answer.data.yes is True if isinstance(answer.data, Approval) else None
    return False if answer.action == "decline" else None


def _lets(answer: Any) -> bool:
    """Say whether a person let a file be read."""
    given = answer.data if answer.action == "accept" else None
    return isinstance(given, ReadPermission) and given.read_it is True


# -- a change of a person's own words


class ChangeApproval(BaseModel):
    """What a person is asked about a change of what is theirs to change."""

    change_it: bool = Field(description="Do this? 이렇게 할까요?")


class ChangeTool(Tool):
    """A tool that asks before it changes what a person said; the catalogue reads its arguments."""

    told: Any

    @property
    def output_schema(self) -> Json | None:
        """Return the outline of its answer."""
        outline: Json = self.told["outputSchema"]
        return outline

    async def run(
        self, arguments: Json, context: Context[Any, Any], convert_result: bool = False
    ) -> Any:
        """Hand on all arguments as they are: the catalogue refuses what it does not know."""
        return await super().run({"arguments": arguments}, context, convert_result)


def changing(in_thread: InThread, backend: Backend, guest: ClientInfo, told: Json) -> ChangeTool:
    """Return `memory_update` or `memory_delete`: what only a person may do, the client asks."""
    name = told["name"]

    async def called(function: str, arguments: Json, ctx: Context[Any, Any]) -> Json:
        wish = seen_in(guest, ctx).wish(function, arguments)
        return await in_thread(partial(backend.call, wish))

    async def question(
        arguments: Json, ctx: Context[Any, Any]
    ) -> Elicit[ChangeApproval] | Json | SaegimError:
        # Asked again in another round, the same wish waits once; so nothing is done twice.
        done = await carried_out(name, called(name, arguments, ctx))
        held = ctx.client_capabilities
        asks = held and held.elicitation and seen_in(guest, ctx).by.is_own
        if isinstance(done, SaegimError) or not _waiting(done) or not asks:
            # What waits, waits for a person who can be asked here, or for one on the pages.
            return done
        return Elicit(await _shown(partial(called, ctx=ctx), done), ChangeApproval)

    async def change(
        arguments: Json,
        answer: Annotated[ElicitationResult[ChangeApproval], Resolve(question)],
        ctx: Context[Any, Any],
    ) -> CallToolResult:
        outcome: Any = getattr(answer, "data", None)
        if isinstance(outcome, dict | SaegimError):
            return result_of(outcome)
        yes = isinstance(outcome, ChangeApproval) and outcome.change_it
        asked = None if answer.action == "cancel" else yes
        return result_of(await carried_out(name, settled(arguments, asked, ctx)))

    async def settled(arguments: Json, yes: bool | None, ctx: Context[Any, Any]) -> Json:
        done = await called(name, arguments, ctx)
        if yes is None:
            return done
        said = ""
        # An id stands for one version of the words, and what it replaces is looked at once more.
        for each in await _proposed(partial(called, ctx=ctx), done):
            wish = seen_in(guest, ctx).wish("proposal_ask", {"id": each["id"]})
            answer = await in_thread(partial(backend.approve, wish, yes, each["version"]))
            said = answer["next_step"]
        return await _settled(partial(called, ctx=ctx), done, yes=yes, said=said)

    read = Tool.from_function(change, name=name, structured_output=False)
    kept = {each: getattr(read, each) for each in type(read).model_fields}
    kept |= {
        "description": told["description"],
        "parameters": told["inputSchema"],
        "annotations": ToolAnnotations.model_validate(told["annotations"]),
    }
    return ChangeTool(**kept, told=told)


Ask = Callable[[str, Json], Awaitable[Json]]


def _waiting(done: Json) -> list[str]:
    """Return the proposals that an answer leaves open."""
    found = done.get("proposals") or [done.get("proposal")]
    return [each for each in found if each]


async def _laid(ask: Ask, done: Json) -> list[Json]:
    """Return the open proposals of an answer, each with its question."""
    return [await ask("proposal_ask", {"id": each}) for each in _waiting(done)]


async def _proposed(ask: Ask, done: Json) -> list[Json]:
    """Return the open proposals of an answer, each with the words it is about."""
    return [each["proposal"] for each in await _laid(ask, done)]


async def _shown(ask: Ask, done: Json) -> str:
    """Return what a person must read before they say yes: their words, and what becomes of them."""
    return "\n\n".join(each["question"] for each in await _laid(ask, done))


async def _settled(ask: Ask, done: Json, *, yes: bool, said: str) -> Json:
    """Return the answer to a call after the person's own answer was carried out."""
    if "proposals" in done:
        asked = await _proposed(ask, done)
        held = [(await ask("memory_get", {"id": e["memory"]}))["memory"] for e in asked if yes]
        memories = [*done["memories"], *held]
        until = max((each["leaving_until"] or "" for each in memories), default="")
        ids = [each["id"] for each in memories]
        more = {"done": yes, "ids": ids, "memories": memories, "until": until, "proposals": []}
        return {**done, **more, "next_step": said}
    now = (await ask("memory_get", {"id": done["contradicts"][0]}))["memory"]
    more = {"id": now["id"], "contradicts": [], "next_step": said, "proposal": ""}
    if not yes:
        return {**done, **more, "status": "refused"}
    more |= {"status": "stored", "supersedes": done["contradicts"], "undo": done["proposal"]}
    return {**done, **more}

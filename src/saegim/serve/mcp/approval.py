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
from saegim.serve.backend import Backend
from saegim.serve.mcp.client_info import ClientInfo
from saegim.serve.mcp.results import answered, failed
from saegim.serve.terminal import visible

Json = dict[str, Any]
PROPOSED = "core_"
_IMPORTS_BY = {"path", "form", "dry_run"}
_MOST_ALLOWED = 1000
InThread = Callable[[Callable[[], Json]], Awaitable[Json]]


class Approval(BaseModel):
    """What a person is asked about a proposal."""

    keep_for_ever: bool = Field(description="Keep this for ever? 영구히 간직할까요?")


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
        return await self.refuse(arguments)


def asking(in_thread: InThread, backend: Backend, guest: ClientInfo, told: Json) -> ApprovalTool:
    """Return `proposal_ask`: the client asks the user, and what they say is carried out."""

    async def called(arguments: Json) -> Json:
        return await in_thread(partial(backend.call, guest.wish(told["name"], arguments)))

    async def laid_before(id: str) -> Json:
        return await called({"id": id})

    async def refuse(arguments: Json) -> CallToolResult:
        try:
            return answered(await called(arguments))
        except SaegimError as error:
            return failed(error)

    async def to_show(id: str, ctx: Context[Any, Any]) -> ShownWords:
        held = ctx.client_capabilities
        # Only a proposal stands for one version of the words: a memory may be corrected while its
        # person reads the question, and their yes must be to what they read.
        if not (held and held.elicitation) or not id.startswith(PROPOSED):
            return ShownWords()
        try:
            proposal = (await laid_before(id))["proposal"]
        except SaegimError:
            # The tool itself says what is wrong.
            return ShownWords()
        if proposal["text"] is None:
            # Nobody can say yes to words that are not there to be read.
            return ShownWords()
        words = f"“{proposal['text']}” ({proposal['origin']})"
        return ShownWords(words=words, version=proposal["version"])

    async def question(
        shown: Annotated[ShownWords, Resolve(to_show)],
    ) -> Elicit[Approval] | None:
        return Elicit(shown.words, Approval) if shown.words else None

    async def proposal_ask(
        id: str,
        shown: Annotated[ShownWords, Resolve(to_show)],
        answer: Annotated[ElicitationResult[Approval], Resolve(question)],
    ) -> CallToolResult:
        try:
            yes = _said(answer)
            if yes is None:
                return answered(await laid_before(id))
            wish = guest.wish(told["name"], {"id": id})
            return answered(await in_thread(partial(backend.approve, wish, yes, shown.version)))
        except SaegimError as error:
            return failed(error)

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
        folder = self.guest.seen(headers_of(context)).folder
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
        if (guest.seen(headers_of(ctx)).session, real) in allowed:
            return None
        return Elicit(f"memory_import → {visible(real)}", ReadPermission)

    async def memory_import(
        path: str,
        answer: Annotated[ElicitationResult[ReadPermission], Resolve(question)],
        ctx: Context[Any, Any],
        form: Any = "auto",
        dry_run: Any = True,
    ) -> CallToolResult:
        seen, real = guest.seen(headers_of(ctx)), _real(path)
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
            return answered(await in_thread(partial(backend.approve, wish, True, real)))
        except SaegimError as error:
            return failed(error)

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


def headers_of(context: Context[Any, Any]) -> Mapping[str, str]:
    """Return the headers of a request over HTTP; over stdio there are none."""
    headers: Mapping[str, str] = getattr(context.request_context.request, "headers", {})
    return headers


def _said(answer: Any) -> bool | None:
    """Return a yes or a no; None where nobody was asked, or nobody answered."""
    if answer.action == "accept":
        # Where nobody was asked, the SDK takes the missing question for an answer without words.
        return answer.data.keep_for_ever is True if isinstance(answer.data, Approval) else None
    return False if answer.action == "decline" else None


def _lets(answer: Any) -> bool:
    """Say whether a person let a file be read."""
    given = answer.data if answer.action == "accept" else None
    return isinstance(given, ReadPermission) and given.read_it is True

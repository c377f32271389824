"""How arguments that several commands share are written."""

from __future__ import annotations

from typing import Annotated, Any

import typer

Text = Annotated[str, typer.Argument(metavar="TEXT")]
Id = Annotated[str, typer.Argument(metavar="ID")]
Ids = Annotated[list[str] | None, typer.Argument(metavar="ID...")]
Number = Annotated[int, typer.Option("--limit", "-n", metavar="N")]
Words = Annotated[str | None, typer.Option(metavar="WORD")]
Name = Annotated[str | None, typer.Option(metavar="NAME")]
When = Annotated[str | None, typer.Option(metavar="DATE")]
Share = Annotated[float | None, typer.Option(metavar="0..1")]
Kinds = Annotated[list[str] | None, typer.Option("--kind", metavar="KIND")]
Tiers = Annotated[list[str] | None, typer.Option("--tier", metavar="TIER")]
States = Annotated[list[str] | None, typer.Option("--state", metavar="STATE")]
Tags = Annotated[list[str] | None, typer.Option("--tag", metavar="TAG")]
Parent = Annotated[str | None, typer.Option("--parent", metavar="ID")]
Yes = Annotated[bool, typer.Option("--yes", "-y")]
Private = Annotated[bool, typer.Option("--keep-private")]


def given(**values: Any) -> dict[str, Any]:
    """Return what was said on the command line, without what was left out."""
    return {name: value for name, value in values.items() if value is not None}


def filtered(
    kinds: list[str] | None,
    tags: list[str] | None,
    tiers: list[str] | None,
    states: list[str] | None,
    since: str | None,
    until: str | None,
    **more: str | None,
) -> dict[str, Any]:
    """Gather what narrows a search; an option that was not given is not a filter."""
    return given(
        kinds=kinds or None,
        tags=tags or None,
        tiers=tiers or None,
        states=states or None,
        since=since,
        until=until,
        **more,
    )

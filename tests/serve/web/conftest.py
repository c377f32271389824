"""What the tests of the pages share: a server of their own, and someone who was let in."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

# The server that the tests of REST run is the one that serves the pages.
sys.path.append(str(Path(__file__).parents[1] / "rest"))

from desk import NAMES, PATIENCE_MS, Desk
from doorbell import Front, front
from visitor import Visitor, let_in


@pytest.fixture
def house(tmp_path: Path) -> Iterator[Front]:
    """A server with a store of its own."""
    with front(tmp_path / "served") as served:
        yield served


@pytest.fixture
def visitor(house: Front) -> Visitor:
    """A browser that came by a link."""
    return let_in(house)


@pytest.fixture(scope="module")
def shared_house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Front]:
    """One server for tests that only look, or look only at what they put there."""
    with front(tmp_path_factory.mktemp("served")) as served:
        yield served


@pytest.fixture(scope="module")
def guest(shared_house: Front) -> Visitor:
    """A browser that was let into the shared server."""
    return let_in(shared_house)


# Ended with its module: while it lives an event loop runs in this thread, and a test of another
# room that a worker takes over would find it.
@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """The Chromium of this machine; without one these tests fail, they are not left out."""
    path = next(filter(None, map(shutil.which, NAMES)), None)
    assert path, f"No browser: install one of {', '.join(NAMES)}, as .ci/run does."
    # A root user, as in a container, has no sandbox to start.
    root = hasattr(os, "geteuid") and os.geteuid() == 0
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(
            executable_path=path, args=["--no-sandbox"] if root else []
        )
        yield started
        started.close()


@pytest.fixture(scope="session")
def desks(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Front]:
    """One server for every window: whoever sits down there has a memory of their own."""
    with front(tmp_path_factory.mktemp("desks")) as served:
        yield served


@pytest.fixture
def sit(browser: Browser, desks: Front) -> Iterator[Callable[..., Desk]]:
    """Open a window to a memory of its own; at the end nothing may have gone wrong in it.

    With `own`, it is the window of whose machine it is; with `house`, that of another server.
    """
    opened: list[Desk] = []

    def come(
        language: str = "en",
        width: int = 1280,
        scheme: str = "light",
        *,
        own: bool = False,
        house: Front = desks,
    ) -> Desk:
        window = browser.new_context(
            viewport={"width": width, "height": 900},
            locale="ko-KR" if language == "ko" else "en-US",
            color_scheme=scheme,  # type: ignore[arg-type]
            # What moves for ever is painted for ever.
            reduced_motion="reduce",
        )
        page = window.new_page()
        page.set_default_timeout(PATIENCE_MS)
        desk = Desk(house, page, language, "me" if own else f"guest {next(_NUMBERS)}")
        opened.append(desk)
        page.on(
            "console",
            lambda told: desk.wrong.append(told.text) if told.type == "error" else None,
        )
        page.on("pageerror", lambda error: desk.wrong.append(str(error)))
        # Nothing is ever fetched from another place.
        ours = (f"http://127.0.0.1:{house.port}/", "data:", "blob:")
        page.on("request", lambda sent: sent.url.startswith(ours) or desk.wrong.append(sent.url))
        page.on("dialog", lambda shown: desk.wrong.append(f"a dialog: {shown.message}"))
        name, _, value = desk.let_in().partition("=")
        at = {"domain": "127.0.0.1", "path": "/", "httpOnly": True, "sameSite": "Strict"}
        window.add_cookies([{"name": name, "value": value, **at}])  # type: ignore[typeddict-item]
        return desk

    yield come
    for desk in opened:
        desk.page.context.close()
        assert desk.wrong == []


_NUMBERS = count(1)

"""The pictures of the README: a life that was lived by the real code, looked at by a browser.

`python tests/pictures.py` lives it, serves it and writes `docs/pictures/*.png`. It needs a Chromium
and fonts that know Hangul and emoji. The days move with the calendar, so no test compares pixels;
`test_pictures.py` checks that each picture a page shows is there and small.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

sys.path.append(str(Path(__file__).parent / "serve" / "rest"))

from doorbell import front

from demo_life import lived
from saegim.serve.web import door

HERE = Path(__file__).parent
FOLDER = HERE.parent / "docs" / "pictures"
CHROMIUM = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
# Name, language, address, light, width: small, since a README is read in one column.
PICTURES = (
    ("today", "en", "/", "light", 1100),
    ("memories", "en", "/memories?kind=experience&tier=M90", "dark", 1100),
    ("islands", "en", "/islands", "light", 1100),
    ("today-ko", "ko", "/", "light", 1100),
    ("memories-ko", "ko", "/memories?kind=experience&tier=M90", "dark", 1100),
    ("islands-ko", "ko", "/islands", "light", 1100),
)
_HEIGHT = 720


def _window(browser: Browser, language: str, scheme: str, width: int) -> Page:
    locale = "ko-KR" if language == "ko" else "en-US"
    window = browser.new_context(
        viewport={"width": width, "height": _HEIGHT},
        locale=locale,
        color_scheme=scheme,  # type: ignore[arg-type]
        reduced_motion="reduce",
    )
    return window.new_page()


def take(browser: Browser, language: str, folder: Path) -> None:
    """Live in one language, and take every picture of it."""
    home = folder / "served"
    home.mkdir(mode=0o700)
    shutil.copy(lived(folder / language, language), home / "saegim.db")
    with front(home, embedder="static") as house:
        for name, spoken, path, scheme, width in PICTURES:
            if spoken != language:
                continue
            page = _window(browser, language, scheme, width)
            at = f"http://127.0.0.1:{house.port}"
            page.goto(f"{at}/in?code={door.new_code(home)}")
            page.goto(at + path)
            page.wait_for_load_state("networkidle")
            page.evaluate("document.querySelectorAll('details').forEach((e) => (e.open = false))")
            page.screenshot(path=FOLDER / f"{name}.png")
            page.context.close()


def main() -> int:
    """Take them all."""
    chromium = next(filter(None, map(shutil.which, CHROMIUM)), None)
    if chromium is None:
        print(f"No browser: install one of {', '.join(CHROMIUM)}.")
        return 1
    FOLDER.mkdir(exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for language in ("ko", "en"):
            with tempfile.TemporaryDirectory() as folder:
                take(browser, language, Path(folder))
        browser.close()
    for each in sorted(FOLDER.glob("*.png")):
        print(f"{each.relative_to(HERE.parent)}: {each.stat().st_size // 1024} kB")
    return 0


if __name__ == "__main__":
    sys.exit(main())

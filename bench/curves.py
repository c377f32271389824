"""Draw learning curves as one plain SVG: each learner, its interval over seeds, and its rule."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path

import numpy as np

_WIDE, _HIGH, _LEFT, _TOP, _ROOM = 460, 260, 52, 34, 190
_COLOURS = ("#1f6f8b", "#c8553d", "#6a4c93", "#588157")


def interval(shares: Sequence[float]) -> tuple[float, float]:
    """Return the mean over seeds and the half width of its 95 % interval."""
    held = np.asarray(shares, dtype=np.float64)
    wide = 1.96 * held.std(ddof=1) / len(held) ** 0.5 if len(held) > 1 else 0.0
    return float(held.mean()), float(wide)


def draw(
    path: Path,
    title: str,
    across: str,
    at: Sequence[float],
    curves: Mapping[str, Sequence[tuple[float, float]]],
    rules: Mapping[str, float],
) -> None:
    """Write a drawing: `curves` hold mean and half width at each place, `rules` a level each."""
    ends = [
        mean + sign * wide for held in curves.values() for mean, wide in held for sign in (1, -1)
    ]
    ends += rules.values()
    low, high = min(ends) - 0.02, max(ends) + 0.02
    first, last = min(at), max(at)

    def x(place: float) -> float:
        return _LEFT + _WIDE * (place - first) / max(last - first, 1e-9)

    def y(level: float) -> float:
        return _TOP + _HIGH * (high - level) / (high - low)

    drawn = [f'<text x="{_LEFT}" y="20" font-weight="bold">{escape(title)}</text>']
    for level in np.linspace(low, high, 5):
        drawn.append(
            f'<line x1="{_LEFT}" x2="{_LEFT + _WIDE}" y1="{y(level):.1f}" y2="{y(level):.1f}" '
            f'stroke="#ddd"/><text x="{_LEFT - 6}" y="{y(level) + 4:.1f}" text-anchor="end">'
            f"{level:.2f}</text>"
        )
    below = _TOP + _HIGH + 18
    drawn += [
        f'<text x="{x(place):.1f}" y="{below}" text-anchor="middle">{place:g}</text>'
        for place in at
    ]
    drawn.append(f'<text x="{_LEFT}" y="{_TOP + _HIGH + 36}">{escape(across)}</text>')
    named = [(name, None) for name in curves] + list(rules.items())
    for number, (name, rule) in enumerate(named):
        colour = _COLOURS[number % len(_COLOURS)]
        if rule is None:
            held = list(zip(at, curves[name], strict=True))
            line = " ".join(f"{x(place):.1f},{y(mean):.1f}" for place, (mean, _) in held)
            over = [f"{x(place):.1f},{y(mean + wide):.1f}" for place, (mean, wide) in held]
            under = [f"{x(place):.1f},{y(mean - wide):.1f}" for place, (mean, wide) in held]
            drawn.append(
                f'<polygon points="{" ".join(over + under[::-1])}" fill="{colour}" opacity=".18"/>'
                f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>'
            )
        else:
            drawn.append(
                f'<line x1="{_LEFT}" x2="{_LEFT + _WIDE}" y1="{y(rule):.1f}" y2="{y(rule):.1f}" '
                f'stroke="{colour}" stroke-dasharray="6 4" stroke-width="2"/>'
            )
        level = _TOP + 16 + 20 * number
        drawn.append(
            f'<text x="{_LEFT + _WIDE + 12}" y="{level}" fill="{colour}">{escape(name)}</text>'
        )
    size = f"{_LEFT + _WIDE + _ROOM} {_TOP + _HIGH + 48}"
    path.write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size}" font-family="sans-serif" '
        f'font-size="12"><rect width="100%" height="100%" fill="#fff"/>{"".join(drawn)}</svg>\n',
        encoding="utf-8",
    )

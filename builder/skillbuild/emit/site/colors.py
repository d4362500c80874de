"""The accent color of a catalog, changed until it can be read on light and on dark pages."""

from __future__ import annotations

_LIGHT_GROUND = (0xF6, 0xF8, 0xFA)
_DARK_GROUND = (0x1C, 0x22, 0x2A)
_ENOUGH = 4.6
"""A contrast ratio; WCAG 2.2, success criterion 1.4.3, asks for 4.5."""

_Color = tuple[int, int, int]


def rule(accent: str) -> str:
    """A style rule that sets the accent; `accent` is `#` and six hex digits."""
    color = (int(accent[1:3], 16), int(accent[3:5], 16), int(accent[5:7], 16))
    light, dark = _readable(color, _LIGHT_GROUND, 0), _readable(color, _DARK_GROUND, 255)
    return f":root {{ --accent: light-dark({_hex(light)}, {_hex(dark)}); }}\n"


def _readable(color: _Color, ground: _Color, towards: int) -> _Color:
    """The color, mixed in steps with black (0) or white (255) until it can be read on a ground."""
    for step in range(51):
        red, green, blue = (round(part + (towards - part) * step / 50) for part in color)
        if contrast((red, green, blue), ground) >= _ENOUGH:
            return red, green, blue
    return towards, towards, towards


def contrast(first: _Color, second: _Color) -> float:
    """The contrast ratio of WCAG 2.2, from 1 to 21."""
    high, low = sorted((_luminance(first), _luminance(second)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def _luminance(color: _Color) -> float:
    red, green, blue = (_linear(part / 255) for part in color)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _linear(part: float) -> float:
    return part / 12.92 if part <= 0.04045 else float(((part + 0.055) / 1.055) ** 2.4)


def _hex(color: _Color) -> str:
    return "#" + "".join(f"{part:02x}" for part in color)

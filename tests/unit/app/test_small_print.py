"""Small numbers and captions can be read."""

from __future__ import annotations

import pytest

from app.look import fonts
from app.look.theme import THEMES
from app.widgets.fields.slider import LIMITS


def luminance(rgb: tuple[float, float, float]) -> float:
    r, g, b = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in rgb)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


@pytest.mark.parametrize("name", list(THEMES))
def test_limits_under_sliders_contrast_as_text_does(name: str) -> None:
    """7 : 1 is what WCAG 2 asks for at level AAA."""
    theme = THEMES[name]
    bright, dark = sorted((luminance(theme.rgb(LIMITS)), luminance(theme.rgb("panel"))), reverse=True)
    assert (bright + 0.05) / (dark + 0.05) >= 7.0


def test_no_text_is_smaller_than_eleven_pixels() -> None:
    assert min(fonts.BODY, fonts.SECONDARY, fonts.SMALL) >= 11.0

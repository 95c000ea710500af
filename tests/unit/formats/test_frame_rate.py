"""Frame times as files round them, and the rates they stand for."""

from __future__ import annotations

import pytest

from core.formats.bvh.motion import NTSC, RATES, frame_rate

FILM, TV, DOUBLE = 24000 / 1001, 30000 / 1001, 60000 / 1001


@pytest.mark.parametrize(
    ("text", "rate"),
    [
        (".0083333", 120), (".03333", 30), ("0.0416667", 24), ("0.041667", 24), ("0.033333", 30), ("0.0333333", 30),
        ("0.033333333", 30), ("0.03333333507180214", 30), ("0.016666", 60), ("0.0167", 60), ("0.016", 60),
        ("0.04", 25), ("0.02", 50), ("0.01", 100), ("0.008", 125), ("0.0083", 120), ("0.005", 200), ("0.1", 10),
        ("1", 1), ("0.5", 2), ("4.16667e-02", 24), ("1.0E-2", 100), ("0.0417083", FILM), ("0.041708", FILM),
        ("0.04170833333", FILM), ("0.033367", TV), ("0.0333667", TV), ("0.0166833", DOUBLE), ("0.0417", 24),
        ("0.042", 24), ("0.0344828", 29), ("0.0123456", 81), ("0.0332", 30.120481927710845), ("2000", None),
        ("0", None), ("-0.03", None), ("1e-9", None), ("1e-400", None), ("9" * 40, None), ("1e400", None),
    ],
)  # fmt: skip
def test_frame_times(text: str, rate: float | None) -> None:
    found = frame_rate(text)
    assert found == (pytest.approx(rate, rel=1e-12) if rate is not None else None)


@pytest.mark.parametrize("rate", [*RATES, *NTSC])
@pytest.mark.parametrize("digits", [5, 6, 7, 8, 12])
def test_every_usual_rate_survives_rounding_and_cutting(rate: float, digits: int) -> None:
    if rate > 300 and digits < 7:
        return  # five digits are too few to tell 480 from 500
    text = f"{1 / rate:.{digits}f}"
    assert frame_rate(text) == pytest.approx(rate, rel=1e-12)
    assert frame_rate(f"{1 / rate:.15f}"[: digits + 2]) == pytest.approx(rate, rel=1e-12)


def test_a_rate_that_is_none_of_them_is_kept() -> None:
    for rate in (33.3712, 17.003, 119.5, 59.0006):
        assert frame_rate(f"{1 / rate:.12f}") == pytest.approx(rate, rel=1e-9)

"""What joints of any type measure on the screen: degrees, centimetres or plain numbers, everywhere the same."""

from __future__ import annotations

import math

import numpy as np
import pytest

from app.cli.describe import describe_figure
from app.timeline.curves.point_drag import quantity_of, slope_text, value_text
from app.timeline.curves.rows import CurveRow, groups_of_joints
from app.words import hindrance
from app.words.quantity import quantity_for
from core.constraints.conflicts.fixes import _reaching, _wider, _widest
from core.posing.hindrance import Stop
from core.skeleton import Skeleton, read_scr

TEXT = """define skeleton "units"
joint "root"
joint "nut"
joint "crane"
joint "kite"
end skeleton
define joint "nut"
joint type screw y 0.03 0 2160 "Nut"
mass 1
end joint
define joint "crane"
joint type composite
hinge y -90 90 "Turn"
slide y 0 0.12 "Lift"
joint type spline curve open 0.5 1.5 "Along"
frame 1 0 0
frame 0 0.3 1 0 -90 0
frame -1 0 0 0 -178 3
frame 0 -0.3 -1 0 -270 0
frame 1 0.2 -1 20 -300 0
mass 1
end joint
define joint "kite"
joint type composite
joint type free 2d
joint type screw y 0.1
mass 1
end joint
"""
UNITS = ("angle", "angle", "length", "number", "length", "length", "angle", "angle")


@pytest.fixture(scope="module")
def figure() -> Skeleton:
    return read_scr(TEXT)


def rows(s: Skeleton) -> list[CurveRow]:
    found = [row for group in groups_of_joints(s, range(4)) for row in group.rows]
    return [row for row in found if row.id >= 3]


def test_units_come_from_the_joint(figure: Skeleton) -> None:
    assert figure.dof_units == UNITS
    assert [row.unit for row in rows(figure)] == list(UNITS)
    described = [dof["unit"] for joint in describe_figure(figure)["joints"] for dof in joint["dofs"]]
    assert described == list(UNITS)


def test_curves_are_in_the_unit_of_the_joint(figure: Skeleton) -> None:
    nut, turn, lift, along = rows(figure)[:4]
    assert (nut.lower, nut.upper) == pytest.approx((0.0, 2160.0)) and nut.letter_text == "coordinate S"
    assert (turn.lower, turn.upper) == pytest.approx((-90.0, 90.0)) and (lift.upper, along.upper) == (12.0, 1.5)
    assert nut.on_screen(np.array([math.pi])).tolist() == [180.0] and nut.stored(180.0) == pytest.approx(math.pi)
    assert [value_text(row, 1.0) for row in (nut, lift, along)] == ["1.0°", "1.0 cm", "1.00"]
    assert [value_text(row, 1.0, True) for row in (nut, lift, along)] == ["1.0 °/s", "1.00 m/s", "1.00 /s"]
    assert [slope_text(row, 1.0) for row in (nut, lift, along)] == ["57.30 °/f", "100.00 cm/f", "1.000 /f"]
    assert quantity_of(along).unit == ""


def test_words_say_the_same(figure: Skeleton) -> None:
    texts = [hindrance.named(figure, Stop(dof, 1, 0.5)).text for dof in range(4)]
    assert texts == ["28.6°", "28.6°", "50.0 cm", "0.50"]
    assert [quantity_for(unit, -math.inf, math.inf).unit for unit in ("angle", "length", "number")] == ["°", "m", ""]


def test_limits_are_widened_in_steps_that_are_shown_and_no_farther_than_the_joint_goes(figure: Skeleton) -> None:
    assert np.degrees(_widest(figure, 0)) == pytest.approx((-540.0, 2700.0), abs=0.11)
    assert _widest(figure, 2) == pytest.approx((-0.05, 0.17), abs=1.1e-3)
    assert _widest(figure, 3) == pytest.approx((0.25, 1.75))
    assert _reaching(figure, 3, 1.998) == pytest.approx((0.5, 2.0)) and _reaching(figure, 3, 5.0) == (0.5, 2.0)
    assert _wider(figure, 0, (-0.5, 40.0)) == "Nut to −28.6°".replace("−", "-")
    assert _wider(figure, 2, (0.0, 0.2)) == "Lift to 20.0 cm" and _wider(figure, 3, (0.5, 1.75)) == "Along to 1.75"

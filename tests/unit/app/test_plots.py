"""Plots: dashes go on from piece to piece, how axes grow, what is drawn sample by sample is what is drawn at once."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QApplication

from app.physics.plot_feed import PlotFeed
from app.widgets.plots.area import PlotArea, value_text
from app.widgets.plots.canvas import ABOVE, BELOW, PIECE
from app.widgets.plots.curves import Curves, drawn_range, round_up
from app.widgets.plots.motion_curves import ENERGY, MOMENTUM, momenta, momentum_styles

ROOT = Path(__file__).resolve().parents[3]


def plot(qapp: QApplication) -> PlotArea:
    made = PlotArea(ENERGY, "Energy")
    made.resize(300, 80)
    made.set_frames(0.0, 2.0)
    return made


def waves(count: int) -> tuple[np.ndarray, np.ndarray]:
    frames = np.arange(float(count))
    values = np.column_stack([50 + 40 * np.sin(frames / 9), 30 + 20 * np.cos(frames / 7), np.full(count, 99.0)])
    return frames, values


def test_dashes_go_on_from_piece_to_piece(qapp: QApplication) -> None:
    area = plot(qapp)
    frames, values = waves(100)
    area.curves.put(frames, values)
    area.canvas.refresh()
    area.refresh()
    low, high = area.axis
    pieces = area.canvas.lines.pieces
    assert len(pieces) == 7
    xs, ys = 2.0 * frames, values * (80.0 - ABOVE - BELOW) / (high - low)
    runs = np.concatenate(([[0.0] * 3], np.cumsum(np.hypot(np.diff(xs)[:, None], np.diff(ys, axis=0)), axis=0)))
    for number, piece in enumerate(pieces):
        assert [length for _, length in piece] == pytest.approx(runs[max(number * PIECE - 1, 0)])
    drawn = [sum(path.elementCount() for path, _ in column) for column in zip(*pieces, strict=True)]
    assert drawn == [100 + 6] * 3, "each but the first begins where the one before ends"


@pytest.mark.parametrize(("value", "upper"), [(0.0, 1.0), (1.0, 1.0), (1.01, 1.2), (139.0, 140.0), (161.0, 180.0)])
def test_axes_end_at_round_numbers(value: float, upper: float) -> None:
    assert round_up(value) == pytest.approx(upper)


def test_an_axis_stays_while_values_fit_and_fill_it() -> None:
    assert drawn_range(130.0, 5.0) == (0.0, 140.0)
    assert drawn_range(120.0, 5.0, (0.0, 140.0)) == (0.0, 140.0)
    assert drawn_range(141.0, 5.0, (0.0, 140.0)) == (0.0, 200.0), "with room to spare"
    assert drawn_range(30.0, 5.0, (0.0, 140.0)) == (0.0, 30.0)
    assert drawn_range(50.0, -90.0) == (-100.0, 50.0)


def test_values_between_samples_are_interpolated_and_there_are_none_beyond() -> None:
    curves = Curves(2)
    for frame in (4.0, 4.5, 4.5, 6.0):  # one of a frame that is there already does not count
        curves.append(frame, np.array([frame, -frame]))
    assert curves.frames.tolist() == [4.0, 4.5, 6.0]
    assert curves.at(5.25).tolist() == [5.25, -5.25]
    assert curves.at(3.9) is None and curves.at(6.1) is None
    for frame in range(7, 1000):
        curves.append(float(frame), np.array([1.0, 2.0]))
    assert len(curves) == 996 and curves.at(4.0).tolist() == [4.0, -4.0]


def test_what_is_drawn_sample_by_sample_is_what_is_drawn_at_once(qapp: QApplication) -> None:
    frames, values = waves(100)
    at_once, grown = plot(qapp), plot(qapp)
    at_once.curves.put(frames, values)
    at_once.canvas.refresh()
    at_once.refresh()
    grown.curves.put(frames[:1], values[:1])
    grown.canvas.set_scale(0.0, 2.0, *at_once.axis)
    for frame, row in zip(frames[1:], values[1:], strict=True):
        grown.curves.append(frame, row)
        grown.canvas.refresh()
    whole, pieces = (each.canvas.lines.pieces for each in (at_once, grown))
    assert whole == pieces and len(whole) == 7
    first, second = (each.canvas.lines for each in (at_once, grown))
    assert first.points == second.points == frames.tolist()
    grown.canvas.set_texts("100 J", "", False)
    images = [each.canvas.grab().toImage() for each in (at_once, grown)]
    pixels = [np.frombuffer(image.constBits(), np.uint8).astype(int) for image in images]
    assert np.array_equal(*pixels) and np.ptp(pixels[0]) > 100


SCALED = """
from app.process import virtual_display
virtual_display.ensure(1600, 1000)
from app.window.editor import make_application
application = make_application("dark")
import numpy as np
from app.look import style
from tests.unit.app.test_plots import plot, waves
area = plot(application)
area.curves.put(*waves(100))
area.set_now(60.0)
area.canvas
image = area.grab().toImage()
assert image.width() == SCALE * 300, image.width()
pixels = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.width(), 4)[..., 2::-1].astype(int)
for token in ("lock_position", "accent"):
    near = np.abs(pixels - style.color(token).getRgb()[:3]).max(axis=2) < 100
    print(100 * near.mean())
"""


@pytest.mark.verify
def test_lines_are_as_wide_at_any_scale_of_the_screen() -> None:
    covered = []
    for scale in (1, 2):
        result = subprocess.run(
            [sys.executable, "-c", SCALED.replace("SCALE", str(scale))],
            cwd=ROOT, env={**os.environ, "QT_SCALE_FACTOR": str(scale)}, capture_output=True, text=True, timeout=60,
        )  # fmt: skip
        assert result.returncode == 0, result.stderr
        covered.append([float(line) for line in result.stdout.split()])
    assert covered[1] == pytest.approx(covered[0], rel=0.25) and min(covered[0]) > 0.5


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [(9.04, "J", "9.0 J"), (-0.01, "J", "0.0 J"), (735.4, "J", "735 J"), (-12.34, "kg·m/s", "−12.3 kg·m/s")],
)
def test_values_are_reported_with_units(value: float, unit: str, text: str) -> None:
    assert value_text(value, unit) == text


class GrowingSeries(QObject):
    """A series of a simulation to which rows are added."""

    reset, grown, moved = Signal(), Signal(), Signal()
    showing, problem, now, span = "simulated", "", 0.0, (0.0, 10.0)

    def __init__(self) -> None:
        super().__init__()
        self.shown, self.keyed = Curves(4), Curves(4)

    def need(self, seen: object) -> None:
        """Nothing is worked out."""


def test_angular_momentum_is_drawn_larger_only_as_far_as_it_has_room(qtbot) -> None:
    assert momentum_styles(np.zeros((3, 4))) == MOMENTUM, "nothing needs no factor"
    series, area = GrowingSeries(), PlotArea(MOMENTUM, "Momentum")
    qtbot.addWidget(area)
    feed = PlotFeed(series, area, momenta, lambda: momentum_styles(series.shown.values))
    area.resize(300, 80)
    with qtbot.waitExposed(area):
        area.show()
    series.shown.extend(np.arange(2.0), np.array([[0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.01]]))
    feed.take_all()
    assert area.styles[1].factor == 100.0
    series.shown.extend(np.array([2.0]), np.array([[0.0, 0.0, 8.0, 3.5]]))  # it begins to tumble
    series.grown.emit()
    qtbot.waitUntil(lambda: area.styles[1].factor == 2.0, timeout=1000)
    assert len(area.curves) == 3


def test_a_long_simulation_is_drawn_with_few_points_and_keeps_its_peaks(qapp: QApplication) -> None:
    area = PlotArea(ENERGY, "Energy")
    area.resize(300, 80)
    frames = np.arange(0.0, 6000.0)
    values = np.zeros((6000, 3))
    values[3333] = 50.0
    area.curves.put(frames, values)
    area.set_frames(0.0, 300.0 / 6000.0)
    assert area.canvas is not None
    area.refresh()
    lines = area.canvas.lines
    assert len(lines.points) <= 602 and 3333.0 in lines.points
    assert lines.points[0] == 0.0 and lines.points[-1] == 5999.0
    area.set_frames(-50.0 * 3000.0, 50.0)  # six frames are in sight
    assert len(lines.points) < 12 and 3003.0 in lines.points
    area.curves.append(6000.0, np.zeros(3))
    area.refresh()
    assert 6000.0 not in lines.points

"""Plots: where dashes are, how axes grow, and that what is drawn sample by sample is what is drawn at once."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtGui import QPainterPath
from PySide6.QtWidgets import QApplication

from app.widgets.plots.area import PlotArea, value_text
from app.widgets.plots.curves import DASHED, DOTTED, Curves, dashes, drawn_range, round_up
from app.widgets.plots.motion_curves import ENERGY


def drawn_length(path: QPainterPath) -> float:
    """Return the length of all that a path draws, [px]: what is moved over does not count."""
    total, before = 0.0, None
    for i in range(path.elementCount()):
        element = path.elementAt(i)
        here = np.array([element.x, element.y])
        if element.isLineTo():
            total += float(np.linalg.norm(here - before))
        before = here
    return total


@pytest.mark.parametrize("pattern", [DASHED, DOTTED])
def test_dashes_are_as_long_as_they_are_meant_to_be_and_go_on_from_piece_to_piece(pattern) -> None:
    xs = np.array([0.0, 3.0, 11.0, 12.0, 40.0])
    ys = np.array([0.0, 4.0, 4.0, 9.0, 9.0])
    px, py, connect, length = dashes(xs, ys, pattern)
    assert length == pytest.approx(5.0 + 8.0 + np.hypot(1.0, 5.0) + 28.0)
    run = np.concatenate(([0.0], np.cumsum(np.hypot(np.diff(px), np.diff(py)))))
    for start, end, drawn in zip(run[:-1], run[1:], connect[:-1], strict=True):
        phase = (0.5 * (start + end)) % sum(pattern)
        assert bool(drawn) == (phase < pattern[0])
    _, _, first, middle = dashes(xs[:3], ys[:3], pattern)
    _, _, second, end = dashes(xs[2:], ys[2:], pattern, middle)
    assert end == pytest.approx(length)
    assert int(first.sum() + second.sum()) >= int(connect.sum())


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
    def area() -> PlotArea:
        made = PlotArea(ENERGY, "Energy")
        made.resize(300, 80)
        made.set_frames(0.0, 2.0)
        return made

    frames = np.arange(0.0, 100.0)
    values = np.column_stack([50 + 40 * np.sin(frames / 9), 30 + 20 * np.cos(frames / 7), np.full(100, 99.0)])
    at_once, grown = area(), area()
    at_once.curves.put(frames, values)
    at_once.canvas.refresh()
    at_once.refresh()
    grown.curves.put(frames[:1], values[:1])
    assert grown.canvas is not None
    grown.scale.low, grown.scale.high = at_once.axis
    grown._axis = at_once.axis
    grown.canvas.rescaled()
    for frame, row in zip(frames[1:], values[1:], strict=True):
        grown.curves.append(frame, row)
        grown.canvas.refresh()
    whole, pieces = at_once.canvas.layers[1], grown.canvas.layers[1]
    for number in range(3):
        lengths = [sum(drawn_length(paths[number]) for paths in each._pieces) for each in (whole, pieces)]
        assert lengths[0] == pytest.approx(lengths[1], abs=1e-3)
    ends = [each._pieces[-1][0].currentPosition().toTuple() for each in (whole, pieces)]
    assert ends[0] == pytest.approx(ends[1])
    first, second = (each.canvas.grab().toImage() for each in (at_once, grown))
    pixels = [np.frombuffer(image.constBits(), np.uint8).astype(int) for image in (first, second)]
    assert np.mean(np.abs(pixels[0] - pixels[1]) > 48) < 2e-3, "but for joints of the pieces"


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [(9.04, "J", "9.0 J"), (-0.01, "J", "0.0 J"), (735.4, "J", "735 J"), (-12.34, "kg·m/s", "−12.3 kg·m/s")],
)
def test_values_are_reported_with_units(value: float, unit: str, text: str) -> None:
    assert value_text(value, unit) == text


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
    lines = area.canvas.layers[1]
    assert len(lines._points) <= 602 and 3333.0 in lines._points
    assert lines._points[0] == 0.0 and lines._points[-1] == 5999.0
    area.set_frames(-50.0 * 3000.0, 50.0)  # six frames are in sight
    assert len(lines._points) < 12 and 3003.0 in lines._points
    area.curves.append(6000.0, np.zeros(3))
    area.refresh()
    assert 6000.0 not in lines._points

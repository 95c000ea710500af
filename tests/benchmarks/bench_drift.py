"""What steps of several lengths do to momentum and energy, by every integrator: three bodies in free flight.

``python -m tests.benchmarks.bench_drift --docs`` draws the drift against the step into ``docs/images/drift.png`` and
prints the tables of ``docs/dynamics.md``.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from core.dynamics.drift import Drift, StepSize, measure_drift, step_size_report
from core.dynamics.integrators import INTEGRATORS
from core.dynamics.simulation import simulate
from core.kernels import load_all
from tests.support.three_bodies import exact_centers, three_bodies

IMAGE = Path(__file__).resolve().parents[2] / "docs" / "images" / "drift.png"
STEPS = (1 / 15, 1 / 30, 1 / 60, 1 / 120, 1 / 240)
SHORT, LONG, STEP = 5.0, 60.0, 1 / 240
LASTING = ("rk4", "conserving", "variational", "hakenberg")
"""Those with motions of ``LONG``."""


class Row(NamedTuple):
    """An integrator: what steps of each length do in ``SHORT``, drift of ``LONG`` at ``STEP``, and a step's time."""

    name: str
    sizes: list[StepSize]
    long: Drift | None
    milliseconds: float


def measure() -> list[Row]:
    """Return a row of every integrator; motions of ``LONG`` of those in ``LASTING``."""
    scene = three_bodies()
    centers = exact_centers(scene, SHORT)
    rows = []
    for kind in INTEGRATORS:
        sizes = step_size_report(scene, SHORT, STEPS, kind.name, centers)
        long, spent = None, math.nan
        if kind.name in LASTING:
            start = time.perf_counter()
            long = measure_drift(simulate(scene, LONG, STEP, kind.name))
            spent = 1e3 * (time.perf_counter() - start) * STEP / LONG
        rows.append(Row(kind.name, sizes, long, spent))
    return rows


def run(report: Callable[..., None]) -> None:
    """Measure and report.

    Args:
        report: Called with (name, value, unit, note="") for each measurement.
    """
    load_all()
    for row in measure():
        at = next(size for size in row.sizes if size.dt == STEP)
        note = f"P {at.drift.linear:.1e}, L {at.drift.angular:.1e}, energy {at.drift.energy:.1e} of it"
        report(f"{row.name}: place after {SHORT:g} s in steps of 1/240 s", at.error, "m", note)
        if row.name != "rk45":  # which chooses its own steps
            report(f"{row.name}: order of that from 1/120 s to 1/240 s", order(row.sizes, STEP), "")
        if row.long is not None:
            note = f"P {row.long.linear:.1e}, L {row.long.angular:.1e}, {row.long.energy_rate:+.1e} a second"
            report(f"{row.name}: energy over {LONG:g} s, of it", row.long.energy, "", note)
            report(f"{row.name}: a step, energy and momentum included", row.milliseconds, "ms")


def order(sizes: list[StepSize], dt: float) -> float:
    """Return the order at which the errors of steps of ``2 dt`` and ``dt`` fall."""
    errors = {size.dt: size.error for size in sizes}
    return math.log2(errors[2 * dt] / errors[dt])


def tables(rows: list[Row]) -> str:
    """Return the tables of the page."""
    lines = ["| in 5 s | P | L | energy | place, m | order |", "|---|---|---|---|---|---|"]
    for row in rows:
        at = next(size for size in row.sizes if size.dt == STEP)
        found = [f"{value:.1e}" for value in (*at.drift[:3], at.error)]
        falls = "adaptive" if row.name == "rk45" else f"{order(row.sizes, STEP):.1f}"
        lines.append(f"| `{row.name}` | " + " | ".join([*found, falls]) + " |")
    lines += ["", "| in 60 s | P | L | energy | energy a second |", "|---|---|---|---|---|"]
    for row in rows:
        if row.long is not None:
            found = [f"{value:.1e}" for value in row.long[:3]]
            lines.append(f"| `{row.name}` | " + " | ".join([*found, f"{row.long.energy_rate:+.1e}"]) + " |")
            print(f"  {row.name}: {row.milliseconds:.2f} ms a step, energy and momentum included")
    return "\n".join(lines)


# -- the figure ------------------------------------------------------------------------------------------------------


COLORS = {
    "symplectic_euler": "#8f5f00", "linearly_implicit": "#b34700", "rk4": "#0069b0", "rk45": "#58616b",
    "conserving": "#08706b", "variational": "#74128a", "bdf1": "#a83c5a", "bdf2": "#4d7a12",
    "hakenberg": "#2f3b8f",
}  # fmt: skip
MARKS = {
    "symplectic_euler": "cross", "linearly_implicit": "ring", "rk4": "square", "rk45": "plus", "conserving": "disc",
    "variational": "triangle", "bdf1": "hollow square", "bdf2": "diamond",
    "hakenberg": "turned triangle",
}  # fmt: skip
WIDTH, HEIGHT, MARGIN, LABELS = 1800, 860, 40, 270
LEAST, MOST = -17, 1
PANELS = (("Linear momentum", "linear"), ("Angular momentum", "angular"), ("Energy", "energy"))


def draw(rows: list[Row]) -> None:
    """Draw the drift of all against the step, with a line that falls as its fourth power."""
    from PySide6.QtCore import QPointF, QRectF, Qt
    from PySide6.QtGui import QColor, QGuiApplication, QImage, QPainter, QPen, QPolygonF

    from app.look import fonts
    from app.look.theme import LIGHT
    from tests.benchmarks.figure_drawing import draw_mark, draw_names, font, save, write

    app = QGuiApplication.instance() or QGuiApplication([])
    image = QImage(WIDTH, HEIGHT, QImage.Format.Format_RGB32)
    image.fill(QColor("#ffffff"))
    painter = QPainter(image)
    painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)
    write(painter, MARGIN, 66, "Drift against the step", font(34, fonts.SEMIBOLD), LIGHT.text)
    under = "Three bodies, a hinge and a ball, 5 s of free flight: largest change of each, to its size"
    write(painter, MARGIN, 104, under, font(24), LIGHT.text2)
    width = (WIDTH - 2 * MARGIN - LABELS - 3 * 90) / 3
    for number, (title, what) in enumerate(PANELS):
        area = QRectF(MARGIN + 90 + number * (width + 90), 190, width, HEIGHT - 190 - 110)

        def place(dt: float, drift: float, area: QRectF = area) -> QPointF:
            across = math.log2(dt / STEPS[-1]) / math.log2(STEPS[0] / STEPS[-1])
            up = (min(max(math.log10(max(drift, 1e-30)), LEAST), MOST) - LEAST) / (MOST - LEAST)
            return QPointF(area.left() + 24 + across * (area.width() - 48), area.bottom() - up * area.height())

        write(painter, area.left(), area.top() - 24, title, font(25, fonts.MEDIUM), LIGHT.text)
        for exponent in range(LEAST + 1, MOST + 1, 2):
            y = place(1.0, 10.0**exponent).y()
            painter.setPen(QPen(QColor(LIGHT.line), 1.5))
            painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y))
            raised = "".join("⁰¹²³⁴⁵⁶⁷⁸⁹"[int(d)] if d != "-" else "⁻" for d in str(exponent))
            write(painter, area.left() - 14, y + 8, "10" + raised if exponent else "1", font(22), LIGHT.text2, "right")
        for dt in STEPS:
            x = place(dt, 1.0).x()
            write(painter, x, area.bottom() + 36, f"1/{round(1 / dt)}", font(20), LIGHT.text2, "middle")
        write(painter, area.center().x(), area.bottom() + 78, "Step, s", font(23), LIGHT.text, "middle")
        painter.setPen(QPen(QColor(LIGHT.line2), 2))
        painter.drawLine(area.bottomLeft(), area.bottomRight())
        painter.drawLine(area.topLeft(), area.bottomLeft())
        fourth = next(getattr(size.drift, what) for row in rows if row.name == "rk4" for size in row.sizes[3:4])
        guide = QPen(QColor(LIGHT.text2), 1.6)
        guide.setDashPattern([6, 5])
        painter.setPen(guide)
        ends = [place(dt, 8.0 * fourth * (dt / STEPS[3]) ** 4) for dt in (STEPS[0], STEPS[-1])]
        painter.drawLine(*ends)
        write(painter, ends[1].x() - 4, ends[1].y() - 14, "h⁴", font(22), LIGHT.text2)
        names = []
        for row in rows:
            found = [(size.dt, getattr(size.drift, what)) for size in row.sizes]
            points = [place(dt, drift) for dt, drift in found if drift == drift]
            if not points:
                continue
            color = COLORS[row.name]
            painter.setPen(QPen(QColor(color), 4.0 if row.name in ("conserving", "variational") else 2.4))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawPolyline(QPolygonF(points))
            for point in points:
                draw_mark(painter, MARKS[row.name], point, color)
            names.append((points[0], row.name, color, MARKS[row.name]))
        if number == len(PANELS) - 1:
            draw_names(painter, area, names)
    painter.end()
    save(image, IMAGE)
    del app


if __name__ == "__main__":
    load_all()
    found = measure()
    print(tables(found))
    for row in found:
        print(row.name, [f"{size.drift.energy:.1e} {size.error:.1e}" for size in row.sizes])
    if "--docs" in sys.argv:
        draw(found)

"""A plot of a sweep: each measure over what is varied, a dot for each run, a line through the means."""

from __future__ import annotations

import html
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from app.batch.steps import StepError
from app.batch.sweep.measures import MEASURES, Measure
from app.batch.sweep.parameters import parameter_of
from app.batch.sweep.plan import Sweep
from app.words.counts import count

SIZE = (1800, 980)
_COLUMNS = 3
_COLORS = ("#0069b0", "#b34700", "#08706b", "#74128a", "#8f5f00", "#a3243b", "#3d7a12")
_PAPER, _INK, _FAINT = "#ffffff", "#1c2126", "#58616b"
_HEADLINE, _LABEL, _TICK = 21.0, 13.0, 12.0
_LEFT_OUT = "residual"  # it says how exact the others are, and is in the table
Row = dict[str, Any]
Group = tuple[float | None, list[Row]]


def draw_plot(rows: Sequence[Row], sweep: Sweep, path: Path) -> None:
    """Draw the runs of a sweep as PNG.

    The horizontal axis is the parameter with the most values, or the seed where none varies. The next one has a colour
    for each value, if there are enough colours. What else varies shows in the spread of the dots.

    Args:
        rows: From ``run_sweep``.
        sweep: The sweep.
        path: Where to.

    Raises:
        StepError: If every run failed.
        ExportError: If the file cannot be written.
    """
    done = [row for row in rows if row["error"] is None]
    if not done:
        raise StepError("every run failed, so there is nothing to plot")
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")  # a picture needs no display
    import pyqtgraph
    from PySide6.QtGui import QColor
    from PySide6.QtWidgets import QApplication

    from app.export.errors import ExportError
    from app.export.whole_file import whole_file
    from app.look import fonts

    application = QApplication.instance() or QApplication([])
    fonts.load()
    names = sorted((name for name, _ in sweep.vary), key=lambda name: -len({row[name] for row in done}))
    groups = _groups(done, names[1:2])
    canvas = pyqtgraph.GraphicsLayoutWidget()
    canvas.setBackground(QColor(_PAPER))
    canvas.ci.layout.setContentsMargins(30, 22, 30, 26)
    canvas.ci.layout.setSpacing(26)
    canvas.addLabel(
        _headline(sweep, len(done), len(rows), groups, names[1:2]), row=0, col=0, colspan=_COLUMNS, justify="left"
    )
    shown = [each for each in MEASURES if each.name != _LEFT_OUT and any(row[each.name] is not None for row in done)]
    for k, measure in enumerate(shown):
        plot = canvas.addPlot(row=1 + k // _COLUMNS, col=k % _COLUMNS)
        _draw_measure(plot, measure, names[0] if names else "seed", groups)
    canvas.resize(*SIZE)
    canvas.show()
    application.processEvents()
    picture = canvas.grab()
    canvas.close()
    with whole_file(path) as part:
        if not picture.save(str(part), "PNG"):
            raise ExportError(f"{path}: cannot be written")


def _groups(rows: Sequence[Row], by: Sequence[str]) -> list[Group]:
    """Return rows by the value of a parameter; all in one group without it, or if it has more values than colours."""
    values = sorted({row[name] for row in rows for name in by})
    if not 2 <= len(values) <= len(_COLORS):
        return [(None, list(rows))]
    return [(value, [row for row in rows if row[by[0]] == value]) for value in values]


def _draw_measure(plot: Any, measure: Measure, along: str, groups: Sequence[Group]) -> None:
    """Draw one measure: dots for the runs, and a line through the means where something varies beside the seed."""
    import pyqtgraph
    from PySide6.QtGui import QColor

    from app.look import fonts

    plot.hideButtons()
    plot.setMenuEnabled(False)
    plot.setMouseEnabled(False, False)
    plot.showGrid(True, True, 0.15)
    parameter = parameter_of(along)
    below = (parameter.label, parameter.unit) if parameter is not None else ("Seed", "")
    for side, (label, unit) in (("left", (measure.label, measure.unit)), ("bottom", below)):
        axis = plot.getAxis(side)
        axis.enableAutoSIPrefix(False)
        axis.setPen(QColor(_FAINT))
        axis.setTextPen(QColor(_INK))
        axis.setTickFont(fonts.font(_TICK, tabular=True))
        axis.setLabel(_styled(label + (f" ({unit})" if unit else ""), _LABEL, _INK))
        axis.setWidth(78) if side == "left" else axis.setHeight(48)
    for k, (_, rows) in enumerate(groups):
        pairs = [(float(row[along]), row[measure.name]) for row in rows if row[measure.name] is not None]
        if not pairs:
            continue
        x, y = np.array(pairs).T
        color = QColor(_COLORS[k])
        if parameter is not None:
            # Where some runs have no such number, as they never came to rest, the mean of the others would mislead.
            at = [each for each in np.unique(x) if (x == each).sum() == sum(row[along] == each for row in rows)]
            means = [float(y[x == each].mean()) for each in at]
            plot.plot(at, means, pen=pyqtgraph.mkPen(color, width=2.0))
        dots = QColor(color)
        dots.setAlphaF(0.55)
        plot.plot(x, y, pen=None, symbol="o", symbolSize=7, symbolPen=None, symbolBrush=dots)
    plot.getViewBox().setDefaultPadding(0.06)
    plot.getViewBox().enableAutoRange()


def _headline(sweep: Sweep, done: int, total: int, groups: Sequence[Group], by: Sequence[str]) -> str:
    """Return what is shown, and what the colours mean."""
    failed = f"; {total - done:,} more failed" if total > done else ""
    lines = [_styled(f"<b>{html.escape(sweep.scene.stem)}</b>: {count(done, 'run')}{failed}", _HEADLINE, _INK)]
    if len(groups) > 1:
        parameter = parameter_of(by[0])
        assert parameter is not None
        unit = f" {parameter.unit}" if parameter.unit else ""
        keys = [_styled(f"● {value:g}{unit}", _LABEL + 2.0, _COLORS[k]) for k, (value, _) in enumerate(groups)]
        lines.append(_styled(f"{parameter.label}:&nbsp; ", _LABEL + 2.0, _INK) + "&nbsp; ".join(keys))
    means = ", lines through the means" if sweep.vary else ""
    lines.append(_styled(f"A dot for each run{means}", _LABEL, _FAINT))
    return "<br>".join(lines)


def _styled(text: str, size: float, color: str) -> str:
    from app.look import fonts

    return f'<span style="font-family: {fonts.load()}; font-size: {size:g}px; color: {color}">{text}</span>'

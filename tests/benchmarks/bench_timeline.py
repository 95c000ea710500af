"""How long the timeline takes to draw itself and to follow the playhead, with many keys.

``python -m tests.benchmarks.bench_timeline``. A key is a mark in a row: a frame of a sequence with twenty channels that
are all keyed is twenty of them, and one more in each group and in the summary. "Python share" is what a repaint of all
rows takes without Qt's filling of pixels, "repaint" the whole on the processor, drawn anew as after a change. When the
playhead moves the picture that is kept serves.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
from PySide6.QtCore import QPoint
from PySide6.QtGui import QPainter, QPixmap, QRegion
from PySide6.QtWidgets import QApplication

from app.document.document import Document
from app.process import virtual_display
from app.timeline.key_strip import KeyStrip
from app.timeline.model import TimelineModel
from app.timeline.sheet.dope_sheet import DopeSheet
from app.window.editor import make_application
from core.animation import Sequence
from core.animation.key import Key
from core.formats.bundled import bundled_folder
from core.skeleton import Skeleton, load_skeleton

WIDTH = 1028
REPEATS = 15
ONE_THOUSAND = 33  # frames that thirty rows make so many keys of
LIMITS = {10_000: 4.0, 100_000: 16.0}
"""Most milliseconds that a repaint with so many keys may take."""


class NoPictures:
    """Key poses without pictures: those are drawn elsewhere, and kept."""

    def image(self, q: object, width: int, height: int, ratio: float) -> None:
        return None


def filled(skeleton: Skeleton, frames: int) -> Sequence:
    """Return a sequence with a key every third frame, some parts of it still, in several ways to go on."""
    rng = np.random.default_rng(5)
    sequence = Sequence(skeleton, fps=30.0)
    poses = np.repeat(skeleton.rest_pose()[None], 64, axis=0)
    poses[:, 3:] += 0.05 * rng.standard_normal((64, skeleton.nq - 3))
    for pose in poses:
        pose.setflags(write=False)
    kinds = ("spline", "linear", "stepped")
    sequence.set_keys([Key(3 * i, poses[(i // 2) % 64], kinds[i % 3]) for i in range(frames)])
    return sequence


def milliseconds(act: Callable[[], object]) -> float:
    """Return the median time of a call, [ms]."""
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        act()
        times.append(time.perf_counter() - start)
    return 1e3 * float(np.median(times))


def marks(model: TimelineModel) -> int:
    """Return how many keys all rows show together."""
    return sum(len(model.view.track(row).frames) for row in model.rows)


def measured(skeleton: Skeleton, frames: int) -> list[tuple[str, float, int]]:
    """Return what is measured with keys at so many frames: name, [ms], and how many keys all rows show."""
    document = Document()
    document.files.new(skeleton)
    assert document.sequence is not None
    document.sequence.set_keys(filled(skeleton, frames).keys)
    model = TimelineModel(document)
    model.open_all()
    sheet, strip = DopeSheet(model), KeyStrip(model, NoPictures())  # type: ignore[arg-type]
    for widget in (sheet, strip):
        widget.resize(WIDTH, widget.sizeHint().height())
    model.set_width(WIDTH - 136)
    model.fit()
    target, band = QPixmap(sheet.size()), QPixmap(strip.size())
    count = marks(model)

    def drawn_anew() -> None:
        sheet._layer = None
        sheet.render(target)

    nothing = QPixmap(1, 1)

    def python_share() -> None:
        painter = QPainter(nothing)  # Qt leaves out what lies beside it
        sheet.paint_layer(painter, sheet.rect())
        painter.end()

    found = []
    for name, zoom in (("all of them in sight", 1.0), ("a tenth in sight", 10.0), ("single keys in sight", 0.0)):
        model.fit()
        if zoom == 0.0:
            model.show_span(300.0, 390.0)
        elif zoom > 1.0:
            model.zoom(zoom, 0.5 * model.width)
        found.append((f"Python share, {name}", milliseconds(python_share)))
        found.append((f"repaint, {name}", milliseconds(drawn_anew)))
    model.fit()
    model.select_range(int(0.2 * model.frames[-1]), int(0.6 * model.frames[-1]))
    drawn_anew()
    found.append(("Python share, some selected", milliseconds(python_share)))
    found.append(("repaint, some selected", milliseconds(drawn_anew)))
    at = [0]

    def scrub() -> None:
        at[0] = (at[0] + 7) % int(model.frames[-1])
        document.model.frame = at[0]
        model.frame_changed.emit()
        x = round(sheet.track_x(at[0]))
        sheet.render(target, QPoint(x - 10, 0), QRegion(x - 10, 0, 21, sheet.height()))

    found.append(("playhead moved", milliseconds(scrub)))
    found.append(("key strip", milliseconds(lambda: strip.render(band))))
    by = [0]

    def dragged() -> None:
        by[0] += 1
        model.set_shift(by[0] % 50, ripple=True)
        drawn_anew()

    dragged()
    found.append(("keys dragged, the rest rippling", milliseconds(dragged)))
    model.cancel()
    sheet.deleteLater()
    strip.deleteLater()
    return [(name, value, count) for name, value in found]


def scrubbed(skeleton: Skeleton, keys: int) -> list[tuple[str, float]]:
    """Return what the poses cost that a person sees who drags the playhead through so many key poses, [ms]."""
    sequence = filled(skeleton, keys)
    at = iter(np.random.default_rng(2).permutation(sequence.range[1]))
    sequence.pose_at_frame(next(at))
    far = milliseconds(lambda: sequence.pose_at_frame(next(at)))
    start = sequence.range[1] // 2
    near = iter(range(start, start + 200))
    sequence.pose_at_frame(start)
    return [
        ("a pose anywhere, where nobody has been", far),
        ("a pose at the next frame", milliseconds(lambda: sequence.pose_at_frame(next(near)))),
    ]


def run(report: Callable[..., None]) -> None:
    """Measure with more and more keys, and tell how the time grows."""
    virtual_display.ensure(1600, 1000)
    application = make_application("dark")
    assert isinstance(application, QApplication)
    skeleton = load_skeleton(bundled_folder() / "human.scr")
    before: dict[str, float] = {}
    for frames in (ONE_THOUSAND, 10 * ONE_THOUSAND, 100 * ONE_THOUSAND, 100_000):
        found = measured(skeleton, frames)
        for name, value, count in found:
            limit = LIMITS.get(10 ** round(np.log10(count)))
            bound = "" if limit is None or "Python" not in name else f"at most {limit:g}"
            report(f"{count} keys: {name}", value, "ms", bound)
        if before:
            grown = max(value / before[name] for name, value, _ in found)
            report(f"{count} keys: longest beside the row before", grown, "times")
        before = {name: value for name, value, _ in found}
    for keys in (1_000, 100_000):
        for name, value in scrubbed(skeleton, keys):
            report(f"{keys} key poses, scrubbed: {name}", value, "ms")


if __name__ == "__main__":
    run(lambda name, value, unit, note="": print(f"{name:60} {value:9.2f} {unit:6} {note}", flush=True))

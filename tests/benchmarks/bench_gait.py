"""What it takes to make a walk: 20 steps against the time they last, and again after a footprint was moved.

A walk must be made 100 times faster than it plays, and follow a footprint within 0.1 s, in the window too: there the
pose on screen is worked out anew, and a footprint is dragged by an event of the mouse each time.
``python -m tests.benchmarks gait``
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from core.formats.bundled import bundled_folder
from core.gait.manner import Manner
from core.gait.procedural import Rules
from core.gait.table import footprints_of, gaits_for, make_gait
from core.gait.walk import make_walk
from core.skeleton import Skeleton, load_skeleton
from core.terrain import LEVEL, Ground
from tests.benchmarks.timing import each
from tests.support.grounds import hills, stairs

STEPS = 20
_FAST = ((4, Manner("walk", steps=8), 20.0), (4, Manner("trot", steps=10), 20.0), (4, Manner("gallop", steps=12), 30.5),
         (2, Manner("run", steps=12, speed=4.0), 20.0), (2, Manner("jump", steps=2), 20.0))  # fmt: skip
"""Legs, manners, and by how much a joint may turn in a frame of these, [deg]."""


def _dragged(steps: int, ground: Ground) -> list[float]:
    """Return what the window's thread works for each event of a drag of a footprint, till all is painted, [s]."""
    from PySide6.QtCore import QPointF, Qt
    from PySide6.QtTest import QTest
    from PySide6.QtWidgets import QApplication

    from app.scene.pointing import view_point
    from tests.support.mouse import hover, move
    from tests.support.shown_window import shown_window

    application, window = shown_window()
    document, view = window.document, window.area.work_view
    assert document.files.open(bundled_folder() / "human.scr")
    document.session.view.overlays["ghosts"] = False
    assert document.walks.set(Rules(Manner(steps=steps), ground))
    view.camera.target, view.camera.distance, view.camera.pitch = (0.0, 0.3, 1.2), 5.5, 0.6
    application.processEvents()
    start = view_point(view, view.host.scene.walk_prints.all[2].middle)
    hover(view, start)
    QTest.mousePress(view, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, start.toPoint())
    spent = []
    for k in range(1, 25):
        begun = time.thread_time()
        move(view, start + QPointF(5.0 + 2.0 * k, 1.0 * k))
        QApplication.processEvents()
        spent.append(time.thread_time() - begun)
    assert document.gesture is not None
    window.area.cancel()
    window.stop()
    window.close()
    return spent[2:]


def _turning(report: Callable[..., None], figures: dict[int, Skeleton]) -> None:
    """Report by how much a joint turns from frame to frame at the most."""
    for legs, manner, most in _FAST:
        walk = make_gait(figures[legs], manner)
        q = np.array([key.q[3:] for key in walk.keys])
        turned = float(np.degrees(np.abs(np.diff(q, axis=0)).max()))
        report(f"{manner.kind} on {legs} feet: a joint turns in a frame", turned, "deg", f"at most {most:g}")


def run(report: Callable[..., None]) -> None:
    """Report times of making walks."""
    human = load_skeleton(bundled_folder() / "human.scr")
    manner = Manner(steps=STEPS)
    for name, ground in (("level ground", LEVEL), ("hills", hills(0)), ("stairs", stairs())):
        walk = make_walk(human, manner, ground)
        x, _, z = walk.steps.places[9]
        moved = replace(manner, footprints={9: (float(x) + 0.05, float(z) + 0.05, 0.0)})
        plain, edited = each(
            [[lambda g=ground: make_walk(human, manner, g)], [lambda g=ground, m=moved: make_walk(human, m, g)]], 15
        )
        lasts = walk.last / 30.0
        report(f"{STEPS} steps on {name}", 1e3 * float(plain[0]), "ms", f"lasts {lasts:.1f} s")
        report(f"{STEPS} steps on {name}: lasts / made", lasts / float(plain[0]), "x", "at least 100")
        report(f"a footprint on {name} is moved", 1e3 * float(edited[0]), "ms", "at most 100")
    for name, ground in (("level ground", LEVEL), ("stairs", stairs())):
        for steps in (10, STEPS):
            spent = sorted(_dragged(steps, ground))
            note = "work of the window's thread, with painting; at most 100"
            report(f"event of a drag, {steps} steps on {name}", 1e3 * spent[len(spent) // 2], "ms", note)
    horse = load_skeleton(bundled_folder() / "horse.scr")
    for figure in (human, horse):
        for gait in gaits_for(figure):
            other = Manner(gait.name, steps=STEPS)
            lasts = make_gait(figure, other).last / 30.0
            took = float(each([[lambda f=figure, m=other: make_gait(f, m)]], 9)[0][0])
            report(f"{STEPS} steps, {gait.name} on {gait.legs} feet: lasts / made", lasts / took, "x", "at least 100")
            number = len(footprints_of(figure, other)) // 2
            frame = footprints_of(figure, other)[number].frame
            print_ = (float(frame[0, 3]) + 0.05, float(frame[2, 3]), float(np.arctan2(frame[0, 2], frame[2, 2])))
            edit = replace(other, footprints={number: print_})
            took = float(each([[lambda f=figure, m=edit: make_gait(f, m)]], 9)[0][0])
            report(f"{gait.name} on {gait.legs} feet: a print is moved", 1e3 * took, "ms", "at most 100")
    _turning(report, {2: human, 4: horse})

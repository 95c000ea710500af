"""What it takes to make a walk: 20 steps against the time they last, and again after a footprint was moved.

A walk must be made 100 times faster than it plays, and follow a footprint within 0.1 s, in the window too: there the
pose on screen is worked out anew, and a footprint is dragged by an event of the mouse each time. No two motions are
alike here, as what is made again of the same is not made anew: one begins elsewhere, a footprint goes on its way.
``python -m tests.benchmarks gait``
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from core.formats.bundled import bundled_folder
from core.gait.manner import Manner
from core.gait.procedural import Rules
from core.gait.table import footprints_of, gaits_for, make_gait
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


def _elsewhere(manner: Manner) -> Iterator[Manner]:
    """Return the manner again and again, each time begun a little further to the side."""
    return (replace(manner, place=(1e-5 * k, 0.0)) for k in itertools.count(1))


def _moved(s: Skeleton, manner: Manner, ground: Ground) -> Iterator[Manner]:
    """Return the manner with the footprint in the middle dragged, each time a little farther."""
    prints = footprints_of(s, manner, ground)
    number = len(prints) // 2
    X = prints[number].frame
    yaw = float(np.arctan2(X[0, 2], X[2, 2]))
    for k in itertools.count(1):
        there = float(X[0, 3]) + 0.03 + 1e-3 * k, float(X[2, 3]) + 5e-4 * k, yaw
        yield replace(manner, footprints={number: there})


def _times(s: Skeleton, manner: Manner, ground: Ground = LEVEL) -> tuple[float, float, float]:
    """Return how long a motion lasts, how long it takes to make it, and to make it again with a print moved, [s]."""
    lasts = make_gait(s, manner, ground).last / 30.0
    anew, moved = _elsewhere(manner), _moved(s, manner, ground)
    took = each([[lambda: make_gait(s, next(anew), ground)], [lambda: make_gait(s, next(moved), ground)]], 9)
    return lasts, float(took[0][0]), float(took[1][0])


def _turning(report: Callable[..., None], figures: dict[int, Skeleton]) -> None:
    """Report by how much a joint turns from frame to frame at the most."""
    for legs, manner, most in _FAST:
        walk = make_gait(figures[legs], manner)
        q = np.array([key.q[3:] for key in walk.keys])
        turned = float(np.degrees(np.abs(np.diff(q, axis=0)).max()))
        report(f"{manner.kind} on {legs} feet: a joint turns in a frame", turned, "deg", f"at most {most:g}")


def run(report: Callable[..., None]) -> None:
    """Report times of making walks."""
    human, horse = (load_skeleton(bundled_folder() / f"{name}.scr") for name in ("human", "horse"))
    walks = [(f"a walk on {name}", human, Manner(steps=STEPS), ground)
             for name, ground in (("level ground", LEVEL), ("hills", hills(0)), ("stairs", stairs()))]  # fmt: skip
    walks.append(("a walk by forces", human, Manner(steps=STEPS, legs="forces"), LEVEL))
    walks += [(f"{gait.name} on {gait.legs} feet", figure, Manner(gait.name, steps=STEPS), LEVEL)
              for figure in (human, horse) for gait in gaits_for(figure) if gait.legs == 4 or gait.name != "walk"
              ]  # fmt: skip
    for name, figure, manner, ground in walks:
        lasts, made, moved = _times(figure, manner, ground)
        report(f"{name}, {STEPS} steps: lasts / made", lasts / made, "x", "at least 100")
        report(f"{name}: a print is moved", 1e3 * moved, "ms", "at most 100")
    for name, ground in (("level ground", LEVEL), ("stairs", stairs())):
        for steps in (10, STEPS):
            spent = sorted(_dragged(steps, ground))
            note = "work of the window's thread, with painting; at most 100"
            report(f"event of a drag, {steps} steps on {name}", 1e3 * spent[len(spent) // 2], "ms", note)
    _turning(report, {2: human, 4: horse})

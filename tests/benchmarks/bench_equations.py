"""Locks on functions of joint values: what a drag takes with some of them, and what an event of the window does."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from core.constraints import Lock
from core.kinematics import forward_kinematics
from tests.benchmarks.bench_locks import _Ours, hand_path
from tests.support.lock_figures import person60, standing, ten_locks

Report = Callable[..., None]

ROUNDS = 5
ASKED = 1.5
EVENT = 16.0
"""What an event may take besides painting to look smooth, [ms]: a picture of sixty a second."""
SOLVERS = ("damped_least_squares", "ccd", "jacobian_transpose")
SCRIPT = """
lock "left foot" pose
lock "right foot" pose
lock "left hand" position
lock head orientation
lock "left elbow" plane
lock balance
lock 0.5 * abdomen.bend = chest.bend
lock neck.turn = 0.4 * chest.twist + 0.3 * abdomen.twist
lock sin(abdomen.side * pi / 180) * 20 = chest.side + 0.01 * chest.side ^ 2
lock y("left upper arm") - y("right upper arm") = 0.001 * "left clavicle".raise
"""


def equations() -> list[Lock]:
    """Return four locks of an equation each: between joints, curved, and with places of parts."""
    frames = forward_kinematics(person60(), standing(person60()))
    left, right = (frames[person60().joint_index(f"{side} upper arm"), 1, 3] for side in ("left", "right"))
    texts = (
        '0.5 * "abdomen".x = "chest".x', '"neck".y = 0.4 * "chest".y + 0.3 * "abdomen".y',
        'sin("abdomen".z * pi / 180) * 20 = "chest".z + 0.01 * "chest".z ^ 2',
        f'y("left upper arm") - y("right upper arm") = {float(left - right)!r} + 0.001 * "left clavicle".z',
    )  # fmt: skip
    return [Lock("chest", "equation", target=text) for text in texts]


def run(report: Report) -> None:
    """Measure drags of the hand with 6 locks and 4 equations, and with 10 locks, in turn."""
    s = person60()
    q = standing(s)
    path, ten = hand_path(s, q), ten_locks(s, q)
    drags = [_Ours(s, q, [*ten[:6], *equations()], path, True), _Ours(s, q, ten, path, True)]
    for drag in drags:
        drag.run()
    found = np.array([[drag.run()[:2] for drag in drags] for _ in range(ROUNDS)])
    times = np.median(found[:, :, 0], axis=0)
    report("60 joints, 6 locks and 4 equations, drag sample", 1e6 * times[0], "us", f"off {found[:, 0, 1].max():.1e}")
    report("60 joints, 10 locks, drag sample", 1e6 * times[1], "us")
    ratio = float(np.median(found[:, 0, 0] / found[:, 1, 0]))
    report("with equations / without", ratio, "times", f"asked {ASKED:g}")
    _window(report)


def _window(report: Report) -> None:
    """Measure what a mouse event takes in the window, painting apart, while a part is dragged under such locks."""
    from core.formats.bundled import bundled_folder
    from tests.benchmarks.bench_drag import BUSY, drag, stubbed_gl
    from tests.support.shown_window import shown_window

    application, window = shown_window()
    document = window.document
    document.files.open(bundled_folder() / "library" / "Gestures" / "reach.seq")
    if not document.script.set_text(SCRIPT) or document.script.problems() or len(document.locks.strips) != 10:
        raise ValueError(f"the script is refused: {document.script.problems()}")
    for _ in range(3):  # buffers and shaders are made before the calls are stubbed
        application.processEvents()
        window.area.settle()
    drag(window, application, SOLVERS[0], whole=True)
    for part in ("right hand", "pelvis"):
        for solver in SOLVERS:
            with stubbed_gl():
                drag(window, application, solver, whole=False, part=part, painted=False)
            busy = np.array(BUSY[20:])
            note = f"median; 95 % under {np.percentile(busy, 95):.1f} ms, asked {EVENT:g}"
            name = f"event of the window, 6 locks and 4 equations, {part}, {solver.replace('_', ' ')}"
            report(name, float(np.median(busy)), "ms worked", note)
    window.stop()
    window.close()

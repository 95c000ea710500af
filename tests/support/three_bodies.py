"""Three boxes, a hinge and a ball, in free flight without gravity: what integrators are compared on."""

from __future__ import annotations

from functools import cache

import numpy as np
import scipy
from numpy.typing import NDArray

from core.dynamics import Body, Multibody, Scene
from core.dynamics.constraints import LoopClosure, assemble
from core.formats import Project, bundled_folder, load
from core.joints import Free, Revolute
from core.spatial import SpatialInertia, se3

Array = NDArray[np.float64]


@cache
def _scene_file() -> Project:
    return load(bundled_folder() / "scenes" / "three bodies.seq")


def three_bodies(gravity: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> Scene:
    """The bodies of the scene "three bodies" at its start: "second" on "first" by a hinge, "third" on it by a ball."""
    project = _scene_file()
    whole = Multibody.from_skeleton(project.figures[0])
    rates = np.array(project.physics["start_rates"])
    x, v = whole.state_from_pose(project.sequences[0].pose_at_frame(0), rates)
    return Scene(Multibody(whole.bodies, gravity), x, v)


def floating_loop(gravity: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> tuple[Scene, LoopClosure]:
    """Four bars on hinges in a loop that floats freely."""
    bars = [Body("frame", -1, Free(), inertia=SpatialInertia.box(2.0, (1.0, 0.1, 0.1), (0.5, 0, 0)))]
    for name, parent, length, place in (("a", "frame", 0.6, 0.0), ("b", "a", 0.9, 0.6), ("c", "b", 0.7, 0.9)):
        inertia = SpatialInertia.box(1.0, (length, 0.08, 0.05), (length / 2, 0, 0))
        bars.append(Body(name, parent, Revolute((0, 0, 1)), se3.transform(None, (place, 0, 0)), inertia=inertia))
    model = Multibody(bars, gravity)
    loop = LoopClosure("c", (0.7, 0, 0), "frame", (1.0, 0, 0), axis=(0, 0, 1))
    x = assemble(model, [0, 0, 0, 0.1, 0.2, -0.1, 1.4, -1.0, -1.2], [loop], fixed=["frame"])
    from core.dynamics.constraints import stabilized_rates

    v = stabilized_rates(model, x, [0.3, -0.2, 0.1, 0.8, -0.6, 0.5, 1.5, -0.5, 0.3], [loop])
    return Scene(model, x, v, constraints=(loop,)), loop


def exact_centers(scene: Scene, duration: float) -> Array:
    """Return the centres of mass of all bodies after a time, shape (nb, 3), by DOP853 to a tolerance of 1e-12."""
    model, x, v = scene.model, np.array(scene.x), np.array(scene.v)
    n, count = model.nv, max(1, round(20 * duration))
    for _ in range(count):

        def rates(_t: float, y: Array, model: Multibody = model) -> Array:
            return np.concatenate([y[n:], model.forward_dynamics(y[:n], y[n:])])

        found = scipy.integrate.solve_ivp(
            rates, (0.0, duration / count), np.concatenate([x, v]), "DOP853", rtol=1e-12, atol=1e-14
        )
        model, x, v = model.rechart(found.y[:n, -1], found.y[n:, -1], True)
    return model.body_centers(x)

"""Maximal coordinates and RedMax on chains of hinges: how their time grows with the number of joints."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from core.dynamics import Body, Multibody, maximal
from core.joints import Revolute
from core.spatial import SpatialInertia, se3
from tests.benchmarks.timing import interleaved

JOINTS = (20, 50, 100, 200, 400)
DENSE = (20, 50, 100)


def chain(n: int) -> Multibody:
    """A chain of links 0.3 m long whose hinges lie across each other in turn."""
    link = SpatialInertia.box(1.0, (0.1, 0.3, 0.1), (0.0, 0.15, 0.0))
    ahead = se3.transform(None, (0.0, 0.3, 0.0))
    axes = ((1, 0, 0), (0, 0, 1))
    return Multibody([Body(f"link {i}", i - 1, Revolute(axes[i % 2]), ahead, inertia=link) for i in range(n)])


def run(report: Callable[..., None]) -> None:
    """Measure and report.

    Args:
        report: Called with (name, value, unit, note="") for each measurement.
    """
    rng = np.random.default_rng(0)

    def methods(n: int) -> dict[str, Callable[[], object]]:
        model = chain(n)
        x, v, tau = rng.normal(size=(3, n))
        nothing = np.zeros((n, 6))
        calls: dict[str, Callable[[], object]] = {
            "maximal, tree": lambda: model.forward_dynamics(x, v, tau, "maximal"),
            "RedMax": lambda: model.forward_dynamics(x, v, tau, "redmax"),
        }
        if n in DENSE:
            calls["maximal, dense"] = lambda: maximal.joint_accelerations(model, x, v, tau, nothing, dense=True)
        return calls

    calls = [(n, name, call) for n in JOINTS for name, call in methods(n).items()]
    found: dict[str, list[tuple[int, float]]] = {}
    for (n, name, _), seconds in zip(calls, interleaved([call for *_, call in calls]), strict=True):
        found.setdefault(name, []).append((n, seconds))
        report(f"forward dynamics of {n} hinges, {name}", 1e3 * seconds, "ms")
    for name, points in found.items():
        slope = np.polyfit(*np.log(np.array(points)).T, 1)[0]
        note = "1.2 at most is wanted" if name == "maximal, tree" else ""
        report(f"log-log slope from {points[0][0]} to {points[-1][0]} joints, {name}", slope, "", note)

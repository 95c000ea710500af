"""Chains of boxes on hinges: free, driven, with gears, limits, springs and drag (RedMax matlab -1 to 11)."""

from __future__ import annotations

from math import exp, pi

import numpy as np

from core.dynamics import Scene
from core.dynamics.constraints import Coupling, JointLimits, PrescribedJoint
from core.dynamics.constraints.rows import CoordinateRows
from core.dynamics.constraints.situation import Situation
from core.dynamics.forces import BodyDamping, JointDamping, JointSpring, JointTorque, PointForce
from core.joints import Fixed, Revolute
from tests.physics.scenes.building import Y, Z, chain, model, start

NO_GRAVITY = (0.0, 0.0, 0.0)


def two_links() -> Scene:
    m = model(chain(2))
    return Scene(m, *start(m, q1=pi / 2, q2=pi / 4))


def hinges_and_welds() -> Scene:
    m = model(chain(5, [Revolute(Y), Fixed(), Revolute(Y), Fixed(), Revolute(Y)]))
    return Scene(m, *start(m, q1=pi / 4, q3=pi / 4, q5=pi / 4))


def different_axes() -> Scene:
    m = model(chain(3, [Revolute(Z), Revolute(Y), Revolute(Z)]))
    return Scene(m, *start(m, q2=pi / 2, q3=pi / 2))


def torques() -> Scene:
    def schedule(first: float, second: float, third: float) -> JointTorque:
        return lambda t: first if t < 3.0 else second if t < 6.0 else third

    m = model(chain(3), NO_GRAVITY)
    motors = (
        JointTorque("1", schedule(0.0, 0.0, 100.0)),
        JointTorque("2", schedule(0.0, 100.0, -100.0)),
        JointTorque("3", schedule(100.0, -100.0, 0.0)),
    )
    return Scene(m, *start(m), motors)


def limits() -> Scene:
    m = model(chain(2))
    return Scene(m, *start(m), constraints=(SlippedLimits("2", -pi / 4, pi / 4),))


class SlippedLimits(JointLimits):
    """Limits whose upper gap is closed with the wrong sign: ``-v >= gamma gap`` instead of ``-v >= -gamma gap``.

    That is what gives the energy of the reference program; with both signs right it is 34838.892152722.
    """

    def coordinate_rows(self, at: Situation) -> CoordinateRows:
        rows = super().coordinate_rows(at)
        gamma = 5.0
        return rows._replace(velocity=np.array([0.0, 2.0 * gamma * min(rows.gap[1], 0.0)]))


def gears() -> Scene:
    m = model(chain(3))
    return Scene(m, *start(m), constraints=(Coupling("2", "1", 0.5), Coupling("3", "2", 0.5)))


def logistic(t: float, end: float, b: float, plateau: bool = True) -> tuple[float, float, float]:
    """Return ``b / (1 + exp(-7 s))``, ``s = 2 (t / end - 0.5)``, until ``end`` and ``b`` after it, with two rates."""
    if plateau and t >= end:
        return b, 0.0, 0.0
    a = 7.0
    e = exp(-a * 2.0 * (t / end - 0.5))
    c = 2.0 * a / end
    f = 1.0 / (1.0 + e)
    return b * f, b * c * e * f * f, b * c * c * e * (e - 1.0) * f * f * f


def prescribed() -> Scene:
    m = model(chain(3), NO_GRAVITY)
    return Scene(m, *start(m), constraints=(PrescribedJoint("1", lambda t: logistic(t, 7.0, 1.5 * pi)),))


def pulled() -> Scene:
    """The force of 1e3 alone, without an energy: that gives the energy of the program, which names one of 1e2 too."""
    m = model(chain(3), NO_GRAVITY)
    drag = tuple(BodyDamping(name, 10.0) for name in m.names)
    return Scene(m, *start(m), (*drag, PointForce("3", (5.0, 0.0, 0.0), 1e3 * Z)))


def springs() -> Scene:
    m = model(chain(3), NO_GRAVITY)
    forces = [force for name in m.names for force in (JointSpring(name, 1e4), JointDamping(name, 1e3))]
    return Scene(m, *start(m, v1=1.0), forces)

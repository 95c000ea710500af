"""What a controller of joints knows in a step, and what it wants of motors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from core.arrays import Array

if TYPE_CHECKING:
    from core.animation.hybrid_strips import HybridStrip
    from core.preview.actor import Actor


class Situation(NamedTuple):
    """What a controller knows when a step begins.

    Attributes:
        time: Since the start, [s].
        step: Length of the step, [s].
        x: Coordinates of the figure, shape (nq,).
        v: Their rates, shape (nv,).
        poses: Poses of the figure's bodies, shape (nb, 4, 4).
        keyed: Coordinates and rates of the keyed motion at the end of the step.
        center: Centre of mass, shape (3,), [m].
        velocity: Its velocity, shape (3,), [m/s].
        touching: Numbers of the figure's bodies that touch what does not move.
        gravity: Acceleration of free fall, downwards, [m/s^2].
        strength: How strong the figure is, 1 for the table.
    """

    time: float
    step: float
    x: Array
    v: Array
    poses: Array
    keyed: tuple[Array, Array]
    center: Array
    velocity: Array
    touching: frozenset[int]
    gravity: float
    strength: float


class Command(NamedTuple):
    """What motors do in a step, as ``Inputs.set_motors`` takes it, and torques besides; own axes of balls.

    Attributes:
        kp, kd: Gains, shape (nv,), [N m/rad] and [N m s/rad].
        x, v: What they pull to, shapes (nq,) and (nv,).
        torque: Torques besides, shape (nv,), [N m].
    """

    kp: Array
    kd: Array
    x: Array
    v: Array
    torque: Array


class Controller:
    """What decides from step to step what the joints of one strip do.

    Attributes:
        state: What it remembers; replaced and never changed, so that a simulation may go back to it.
    """

    state: Any = None

    def command(self, now: Situation) -> Command:
        """Return what motors do in the step that begins."""
        raise NotImplementedError


def whole_body(actor: Actor, strip: HybridStrip) -> bool:
    """Return whether a strip moves all that a figure balances with: the whole of it, or every joint."""
    return strip.whole or len(strip.parts) == len(actor.sequence.skeleton.joints)

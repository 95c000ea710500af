"""What models that were made of a figure can do: take its poses and give them back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self, cast, overload

from numpy.typing import ArrayLike

from core.arrays import Array
from core.dynamics.arrays import finite_array
from core.dynamics.figures.figure import Figure
from core.dynamics.figures.from_skeleton import JointPhysics, figure_model
from core.errors import DynamicsError
from core.skeleton.skeleton import Skeleton

if TYPE_CHECKING:
    from core.dynamics.tree_model import TreeModel


class Posed:
    """The part of a model that knows a figure.

    Attributes:
        figure: How the states of the model and the poses of its figure belong together; None without a figure.
        joint_physics: Springs, dampers, friction and motors as the figure gives them, one entry for each of its joints
            that moves in the model; they do not act by themselves.
        limits: Least and largest value of each coordinate, shape (nq, 2); infinite where there is none, as for balls.
    """

    figure: Figure | None = None
    joint_physics: tuple[JointPhysics, ...] = ()
    limits: Array

    @classmethod
    def from_skeleton(
        cls,
        s: Skeleton,
        fixed_base: bool = False,
        *,
        gravity: ArrayLike = (0.0, -9.81, 0.0),
        pose: ArrayLike | None = None,
    ) -> Self:
        """Return the model of a figure: a body of its name for each joint with mass, its frame the body's frame.

        The root is a free joint if it has three hinges at right angles, else it has its own degrees of freedom after
        three translations. Its own slides are part of these; coordinates of another joint type that would do the same
        stand in their place. Three hinges in one place, each at right angles to the next,
        also those of joints that follow each other at zero offset without mass in between, are a spherical joint;
        others stay hinges. More hinges beside such three are part of their turn. Joints without mass that have no
        degrees of freedom are welded to what they hang on.

        Degrees of freedom that move no mass are held, as are those of joints without mass between others that add no
        way of moving (``figure.held``): nothing would say how they move.

        Args:
            s: The figure.
            fixed_base: Whether the root stays at its place: it has no translations, only its own degrees of freedom.
            gravity: Acceleration of free fall, shape (3,), [m/s^2].
            pose: Where the model holds what it does not move, shape (nq,); None is the pose of rest.

        Raises:
            DynamicsError: If the figure has no mass, a joint has a scale, or a mass or inertia is none that a body can
                have; names the joint.
            PoseError: If ``pose`` does not fit the figure.
        """
        made = figure_model(s, fixed_base, pose)
        model = cast("Any", cls)(made.bodies, gravity)
        model.figure, model.joint_physics = made.figure, made.joint_physics
        made.limits.setflags(write=False)
        model.limits = made.limits
        return cast("Self", model)

    @overload
    def state_from_pose(self, q: ArrayLike) -> Array: ...

    @overload
    def state_from_pose(self, q: ArrayLike, qdot: ArrayLike) -> tuple[Array, Array]: ...

    def state_from_pose(self, q: ArrayLike, qdot: ArrayLike | None = None) -> Array | tuple[Array, Array]:
        """Return the coordinates of the model for a pose of its figure.

        What the model holds, and the place of a fixed base, stay where they are whatever ``q`` says.

        Args:
            q: Pose, shape (nq of the figure,), [m] and [rad].
            qdot: Its rates, the same shape, [m/s] and [rad/s].

        Returns:
            ``x``, shape (nq,); with ``qdot`` a pair ``(x, v)``. New arrays. Balls are described by their shortest turn.

        Raises:
            DynamicsError: If the model was not made of a figure, or ``qdot`` is not right.
            PoseError: If ``q`` has the wrong shape or is not finite.
        """
        figure, model = self._known()
        pose = figure.skeleton.check_pose(q)
        x = figure.state(pose, model.nq)
        if qdot is None:
            return x
        return x, figure.state_rates(pose, finite_array(qdot, pose.shape, "qdot"), x)

    @overload
    def pose_from_state(self, x: ArrayLike, near: ArrayLike | None = None) -> Array: ...

    @overload
    def pose_from_state(self, x: ArrayLike, near: ArrayLike | None = None, *, v: ArrayLike) -> tuple[Array, Array]: ...

    def pose_from_state(
        self, x: ArrayLike, near: ArrayLike | None = None, *, v: ArrayLike | None = None
    ) -> Array | tuple[Array, Array]:
        """Return the pose of the figure for coordinates of the model, as they are in its present charts.

        Args:
            x: Coordinates, shape (nq,).
            near: A pose, such as the one of the time step before: of the angles that make the same rotation those
                nearest to it are taken; what moves no mass, and what others can do as well (slides of a free root,
                hinges beside a ball), is as it has it. None is the pose of rest, or the one the model was made with.
            v: Rates of the coordinates, shape (nv,).

        Returns:
            The pose, shape (nq of the figure,), [m] and [rad]; with ``v`` a pair of it and its rates, at gimbal lock
            the least ones that come nearest. New arrays. Limits of balls may be exceeded, as the model knows none.

        Raises:
            DynamicsError: If the model was not made of a figure, or ``x`` or ``v`` is not right.
            PoseError: If ``near`` does not fit the figure.
        """
        figure, model = self._known()
        x = finite_array(x, (model.nq,), "x")
        q = figure.pose(model, x, figure.home if near is None else figure.skeleton.check_pose(near))
        if v is None:
            return q
        return q, figure.pose_rates(model, x, finite_array(v, (model.nv,), "v"), q)

    def _known(self) -> tuple[Figure, TreeModel]:
        if self.figure is None:
            raise DynamicsError(
                "the model has no figure, so it has no poses; Multibody.from_skeleton makes one that has"
            )
        return self.figure, cast("TreeModel", self)

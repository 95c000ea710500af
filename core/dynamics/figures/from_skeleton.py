"""A model of the bodies of a figure."""

from __future__ import annotations

import math
from collections.abc import Set
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from core.arrays import Array
from core.dynamics.body import Body
from core.dynamics.checks import idle_islands
from core.dynamics.figures.figure import Ball, Figure, TypedJoint
from core.dynamics.figures.runs import Piece, Places, Run, find_runs, joint_type, moves_mass
from core.dynamics.structure import parents
from core.errors import DynamicsError
from core.joints import (
    Composite,
    Fixed,
    Free,
    FreeRotationFirst,
    JointModel,
    Prismatic,
    Revolute,
    Spherical,
    Translational,
)
from core.skeleton.dof import HINGE, SLIDE
from core.skeleton.skeleton import Skeleton
from core.spatial import SpatialInertia

_SQUARE = 1e-9  # cosine of the angle between axes that are meant to be at right angles


class JointPhysics(NamedTuple):
    """What a figure says about the forces in one of its joints; 0 or None where it says nothing.

    Attributes:
        joint: Number of the joint in the figure.
        body: Number of the body that it moves.
        coordinates: Which entries of the state are its coordinates, ascending.
        stiffness: K of its spring, [N m/rad] or [N/m]; the same for each of its degrees of freedom.
        rest: Angle or length at which the spring is at rest, [rad] or [m].
        damping: D of its damper, [N m s/rad] or [N s/m].
        viscous: Hakenberg's mu, [N m s].
        coulomb: Friction coefficient.
        radius: Radius of the bearing that rubs, [m]; None where it is not given.
        height: Height of the bearing, [m]; None where it is not given.
        motor: Hakenberg's joint torque beta, [N m].
    """

    joint: int
    body: int
    coordinates: tuple[int, ...]
    stiffness: float
    rest: float
    damping: float
    viscous: float
    coulomb: float
    radius: float | None
    height: float | None
    motor: float


class FigureModel(NamedTuple):
    """What a model is made of and knows about its figure.

    Attributes:
        bodies: The bodies, parents first.
        figure: How its states and the figure's poses belong together.
        joint_physics: The forces in its joints, one entry a joint that is one of the model's.
        limits: Least and largest value of each coordinate, shape (nq, 2); infinite where there is none, as for balls.
    """

    bodies: tuple[Body, ...]
    figure: Figure
    joint_physics: tuple[JointPhysics, ...]
    limits: Array


def figure_model(s: Skeleton, fixed_base: bool = False, pose: ArrayLike | None = None) -> FigureModel:
    """Return the bodies of a figure and how they move.

    What becomes what is described in :meth:`core.dynamics.figures.posed.Posed.from_skeleton`.

    Args:
        s: The figure.
        fixed_base: Whether the root stays at its place; its own degrees of freedom move.
        pose: Where everything is that the model does not move, shape (nq,); None is the pose of rest.

    Raises:
        DynamicsError: If the figure has no mass, a joint has a scale, a body part has a mass of 0 but moves, or a mass
            or inertia is none that a body can have; names the joint.
        PoseError: If ``pose`` does not fit the figure.
    """
    _check(s)
    home = s.rest_pose() if pose is None else s.check_pose(pose).copy()
    held: set[int] = set()
    while True:
        places = find_runs(s, home, held, fixed_base)
        bodies = [_body(s, places.runs, run) for run in places.runs]
        idle = _idle(s, places, bodies) - held
        if not idle:
            break
        if 0 in idle and not fixed_base and joint_type(s.joints[0]) is not None:
            fixed_base = True  # its own coordinates place it already
        else:
            held |= idle
    return FigureModel(tuple(bodies), *_figure_part(s, home, places, bodies))


def _check(s: Skeleton) -> None:
    if not any(joint.mass for joint in s.joints):
        raise DynamicsError(f'figure "{s.name}" has no mass; expected a joint with a mass or an object')
    moves = moves_mass(s)
    for i, joint in enumerate(s.joints):
        if np.any(joint.scale != 1.0):
            scale = " ".join(f"{value:g}" for value in joint.scale)
            raise DynamicsError(f'joint "{joint.name}" has scale {scale}; a body cannot be scaled: expected 1 1 1')
        if joint.objects and joint.dofs and not moves[i]:
            raise DynamicsError(f'joint "{joint.name}" moves a body part of mass 0; expected a mass more than 0')


def _body(s: Skeleton, runs: list[Run], run: Run) -> Body:
    joint = s.joints[run.joints[-1]]
    assert joint.mass is not None and joint.center is not None and joint.inertia is not None  # the skeleton fills them
    inertia = SpatialInertia(joint.mass, joint.center, joint.inertia) if joint.mass else SpatialInertia.zero()
    link = run.link if run.parent < 0 else runs[run.parent].body_frame @ run.link
    return Body(joint.name, run.parent, _joint(s, run), link, run.body_frame, inertia)


def _joint(s: Skeleton, run: Run) -> JointModel:
    parts: list[JointModel] = []
    if run.floats:
        turned = run.link[:3, :3]
        still = np.array_equal(turned, np.eye(3))
        parts = [Translational()] if still else [Prismatic((x, y, z)) for x, y, z in turned.tolist()]
    for group in groups(run):
        first = group.own[0]
        if group.is_ball:
            parts.append(Spherical())
        elif first.type is not None:
            parts.append(first.type)
        else:
            x, y, z = first.axis.tolist()
            parts.append(Revolute((x, y, z)) if first.kind == HINGE else Prismatic((x, y, z)))
    if run.floats and parts[1:] == [Spherical()] and isinstance(parts[0], Translational):
        return Free()
    own = s.joints[run.joints[0]].type
    if isinstance(own, Free | FreeRotationFirst) and len(run.joints) == 1 and len(parts) == 4:
        return own  # slides and a ball, or the other way round: the same coordinates
    if not parts:
        return Fixed()
    return parts[0] if len(parts) == 1 else Composite(*parts)


class Group(NamedTuple):
    """Degrees of freedom of a run that become one joint model, or part of one.

    Attributes:
        own: One hinge or slide, three hinges that make a ball, or a whole joint of another type.
        before: Hinges right before a ball, at the same place: their turn is part of the ball's.
        after: The same, right after it.
    """

    own: tuple[Piece, ...]
    before: tuple[Piece, ...] = ()
    after: tuple[Piece, ...] = ()

    @property
    def is_ball(self) -> bool:
        """Whether it is three hinges."""
        return len(self.own) == 3

    @property
    def dofs(self) -> list[int]:
        """Numbers of its own degrees of freedom."""
        return [dof for piece in self.own for dof in piece.dofs]


def groups(run: Run) -> list[Group]:
    """Return the pieces of a run in order, hinges together where three of them make a ball."""
    found: list[Group] = []
    k = 0
    while k < len(run.pieces):
        end = k
        while end < len(run.pieces) and run.pieces[end].kind == HINGE:
            end += 1
        hinges = tuple(run.pieces[k:end])
        # The last three that do: of joints without mass before one with mass, the hinges of the latter.
        ball = next((i for i in range(len(hinges) - 3, -1, -1) if _turns_freely(hinges[i : i + 3])), None)
        if ball is not None:
            found.append(Group(hinges[ball : ball + 3], hinges[:ball], hinges[ball + 3 :]))
        else:
            found += [Group((piece,)) for piece in hinges or run.pieces[k : k + 1]]
        k = max(end, k + 1)
    return found


def _turns_freely(hinges: tuple[Piece, ...]) -> bool:
    """Return whether three hinges make every rotation: each is at right angles to the next."""
    a, b, c = (piece.axis for piece in hinges)
    return max(abs(float(a @ b)), abs(float(b @ c))) < _SQUARE


def _idle(s: Skeleton, places: Places, bodies: list[Body]) -> Set[int]:
    """Return the joints without mass whose degrees of freedom add no way to move, and more of their kind beside."""
    found: set[int] = set()
    for island in idle_islands(bodies, parents(tuple(bodies))):
        for k in island:
            found |= {i for i in places.runs[k].joints if not s.joints[i].mass and s.joints[i].dofs}
            if places.runs[k].floats and any(piece.type is not None for piece in places.runs[k].pieces):
                found.add(0)
    return found


def _figure_part(
    s: Skeleton, home: Array, places: Places, bodies: list[Body]
) -> tuple[Figure, tuple[JointPhysics, ...], Array]:
    """Return the figure's part of the model."""
    first = np.cumsum([0, *(body.joint.n for body in bodies)]).tolist()
    limits = np.tile([-math.inf, math.inf], (first[-1], 1))
    straight: list[tuple[int, int]] = []
    balls: list[Ball] = []
    typed: list[TypedJoint] = []
    place: int | None = None
    slid: int | None = None
    spare = np.zeros(s.n_dofs, dtype=np.bool_)
    where: dict[int, tuple[int, ...]] = {}  # of each degree of freedom: the coordinates it is part of
    for b, run in enumerate(places.runs):
        at = first[b]
        if run.floats:
            place = at
            at += 3
            own_slides = [dof for dof in run.dropped if s.all_dofs[dof].kind == SLIDE]
            if own_slides:
                slid = run.joints[-1]
                spare[own_slides] = True
                where.update((dof, tuple(range(place, at))) for dof in own_slides)
        for group in groups(run):
            numbers = group.dofs
            span = slice(at, at + len(numbers))
            if group.is_ball:
                pieces = (*group.before, *group.own, *group.after)
                beside = [dof for piece in (*group.before, *group.after) for dof in piece.dofs]
                spare[beside] = True
                axes = [np.array([piece.axis for piece in part]).reshape(-1, 3) for part in group]
                q = [3 + np.array([piece.dofs[0] for piece in part], dtype=np.intp) for part in group]
                balls.append(Ball(q[0], np.arange(at, at + 3), axes[0], q[1], axes[1], q[2], axes[2]))
                where.update((piece.dofs[0], tuple(range(at, at + 3))) for piece in pieces)
            else:
                limits[span] = s.limits[numbers]
                where.update((dof, (at + k,)) for k, dof in enumerate(numbers))
                kind = group.own[0].type
                if kind is None:
                    straight.append((3 + numbers[0], at))
                else:
                    q_span = slice(3 + numbers[0], 3 + numbers[0] + len(numbers))
                    typed.append(TypedJoint(b, kind, q_span, span, slice(at - first[b], span.stop - first[b])))
            at = span.stop
    held = tuple(dof for dof in range(s.n_dofs) if dof not in where)
    moves = moves_mass(s)
    idle = [dof for dof in range(s.n_dofs) if spare[dof] or not moves[s.dof_joints[dof]]]
    figure = Figure(s, home, places, held, idle, straight, balls, typed, place, slid)
    return figure, _physics(s, places, where), limits


def _physics(s: Skeleton, places: Places, where: dict[int, tuple[int, ...]]) -> tuple[JointPhysics, ...]:
    found = []
    for i, joint in enumerate(s.joints):
        numbers = range(s.first_dof[i], s.first_dof[i + 1])
        spans = {x for dof in numbers for x in where.get(dof, ())}
        if not spans:
            continue
        stiffness, rest = joint.stiffness if joint.stiffness is not None else (0.0, 0.0)
        friction, radius, height = joint.coulomb if joint.coulomb is not None else (0.0, None, None)
        forces = (stiffness, rest, joint.damping, joint.viscous, friction, radius, height, joint.motor)
        found.append(JointPhysics(i, int(places.run[i]), tuple(sorted(spans)), *forces))
    return tuple(found)

"""What physics mode draws over the figure, worked out once for each sample and shared by all views."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from app.document.changes import PhysicsChanged, SessionChanged
from app.physics.torques import full_torque
from app.render.colors import linear, srgb
from app.render.physics_picture import FLOOR_MARK, LINE, Pen, PhysicsPicture
from app.scene.ghosts import KINDS
from app.scene.physics_figure import FigureMarks, figure_marks
from app.scene.physics_forces import (
    CONE_HEIGHT,
    LEAST_FORCE,
    LONGEST,
    Resultants,
    draw_center,
    draw_cones,
    draw_forces,
    draw_momentum,
    linear_end,
    resultants,
    ring_points,
    support_corners,
)
from app.scene.physics_keyed import KeyedMotion, Moment
from app.scene.physics_shapes import KEYED, FigureShapes
from core.kinematics import center_of_mass, forward_kinematics

if TYPE_CHECKING:
    from app.document.changes import Change
    from app.document.physics.overlays import Overlay
    from app.look.theme import Theme
    from app.scene.scene import Scene
    from core.preview.sample import Sample
    from core.skeleton import Skeleton

Array = NDArray[np.float64]

GHOST_TOKEN = "ghost_keyed"
GRAVITY = 9.81
_TINT = 0.88
_UPWARD = 0.3
"""Contacts whose normal rises by less bear no weight."""


@dataclass(frozen=True, eq=False)
class Found:
    """What the tags of a picture are about.

    Attributes:
        contacts: What touches.
        scale: Of the arrows of forces.
        longest: No arrow of a force is longer, [m].
        center: The centre of mass, shape (3,), [m].
        momentum: ``[L; P]``, shape (6,); None if it is not known or not shown.
        linear: Tip of the arrow of linear momentum, shape (3,), [m], or None.
        ring: The arc of angular momentum, shape (k, 3), [m], or None.
        kinds: Kinds of bodies there are: ``KEYED``, ``DYNAMIC``, ``MOTOR``.
    """

    contacts: Resultants | None
    scale: float
    longest: float
    center: Array
    momentum: Array | None
    linear: Array | None
    ring: Array | None
    kinds: frozenset[int]


class PhysicsScene:
    """The marks of physics mode; everything is read from the document's ``physics``."""

    def __init__(self, scene: Scene):
        self._scene = scene
        self.keyed = KeyedMotion(scene)
        self._known: tuple[object, ...] = ()
        self._placed: Array | None = None
        self._picture: PhysicsPicture | None = None
        self._found: Found | None = None
        self._support: tuple[object, Array] | None = None
        self._shapes = FigureShapes()
        self._ghost: tuple[object, tuple[Array, str, float], Array] | None = None

    # -- what is asked -------------------------------------------------------------------------------------------

    @property
    def shown(self) -> bool:
        """Whether physics is drawn at all."""
        return self._scene.document.physics.mode == "physics" and self._scene.skeleton is not None

    @property
    def skeleton(self) -> Skeleton | None:
        """The figure."""
        return self._scene.skeleton

    @property
    def height(self) -> float:
        """Height of the figure at rest, [m]."""
        return self._scene.height

    @property
    def overlays(self) -> Mapping[str, Overlay]:
        """Which marks are on, and how large."""
        return self._scene.document.physics.overlays

    @property
    def opacity(self) -> float:
        """How much the figure hides what is behind it: 1 in other modes."""
        return self._scene.document.physics.overlays.opacity if self.shown else 1.0

    @property
    def picture(self) -> PhysicsPicture | None:
        """What the renderer draws; the same object until something is another."""
        self._update()
        return self._picture

    @property
    def found(self) -> Found | None:
        """What the tags are about."""
        self._update()
        return self._found

    def take(self, change: Change) -> None:
        """Drop what a change of the document makes stale."""
        other = (type(change), change.name) in ((SessionChanged, "mode"), (PhysicsChanged, "settings"))
        if other or isinstance(change, KINDS):
            self.keyed.forget()
            self._ghost = None

    # -- the keyed motion behind ---------------------------------------------------------------------------------

    @property
    def ghost(self) -> tuple[Array, str, float] | None:
        """The keyed motion beside what is simulated: poses, colour, strength; None while that is not shown."""
        scene, sample = self._scene, self._scene.document.physics.current
        sequence, skeleton = scene.document.sequence, scene.skeleton
        if not self.shown or sample is None or sequence is None or skeleton is None:
            return None
        if not scene.document.session.view.overlays["ghosts"] or not sequence.keys:
            return None
        # Holding locks takes a while, so that then whole frames do.
        frame = float(round(sample.frame)) if sequence.locks.in_effect else float(sample.frame)
        key = (sequence, frame, scene.document.revision)
        if self._ghost is None or self._ghost[0] != key:
            poses = forward_kinematics(skeleton, sequence.pose_at_frame(frame))
            top = poses[int(np.argmax(poses[:, 1, 3])), :3, 3].copy()
            top[1] += 0.09 * scene.height
            self._ghost = key, (poses, GHOST_TOKEN, 1.0), top
        return self._ghost[1]

    @property
    def ghost_top(self) -> Array | None:
        """Where the label of the ghost stands above, shape (3,), [m]; None without a ghost."""
        if self.ghost is None or self._ghost is None:
            return None
        return self._ghost[2]

    # -- working it out ------------------------------------------------------------------------------------------

    def _update(self) -> None:
        scene = self._scene
        physics = scene.document.physics
        if not self.shown:
            self._show_strings()
            return
        moment = self._moment()
        moved_by = physics.moved_by()
        known = (
            moment, moved_by, tuple(physics.overlays.values()), scene.theme, physics.pull, scene.world_around.settings,
            physics.picked, scene.world_around.seconds,
        )  # fmt: skip
        if scene.poses is self._placed and known == self._known:  # most are compared as objects, without their numbers
            return
        self._placed, self._known = scene.poses, known
        self._work_out(scene.skeleton, scene.poses, moment, scene.theme, moved_by)

    def _show_strings(self) -> None:
        """Draw strings alone: they belong to the world, as obstacles do, and are there in every mode."""
        around = self._scene.world_around
        settings = around.settings
        if settings is None or not around.has_lines or self._scene.skeleton is None:
            self._known, self._placed, self._picture, self._found = (), None, None, None
            return
        known = (settings, self._scene.theme, around.seconds)
        if self._scene.poses is not self._placed or known != self._known:
            from app.render.world_lines import lines_picture  # it brings the forces along

            self._placed, self._known, self._found = self._scene.poses, known, None
            self._picture = lines_picture(self._scene.theme, around.lines())

    def _moment(self) -> Sample | Moment | None:
        current = self._scene.document.physics.current
        return self.keyed.moment if current is None else current

    def _work_out(
        self,
        skeleton: Skeleton | None,
        poses: Array,
        moment: Sample | Moment | None,
        theme: Theme,
        moved_by: bytes,
    ) -> None:
        assert skeleton is not None
        marks, shown, height = figure_marks(skeleton), self.overlays, self._scene.height
        pen = Pen(theme)
        self._shapes.draw(pen, marks, poses, moved_by, shown)
        weight = marks.mass * GRAVITY
        contacts = None
        if moment is not None and moment.contacts is not None and len(moment.contacts.points):
            contacts = resultants(moment.contacts, LEAST_FORCE * weight)
        self._draw_strings(pen, poses, marks.scale)
        if contacts is not None and shown["cones"].on:
            draw_cones(pen, contacts, CONE_HEIGHT * marks.scale * shown["cones"].scale)
        center = self._center(skeleton, poses, moment)
        if shown["com"].on:
            foot = self._scene.world_around.below(center)[0]
            draw_center(pen, center, foot, self._support_of(poses, moment), marks.scale)
        linear_tip = ring = momentum = None
        if shown["momentum"].on and moment is not None and moment.momentum is not None:
            momentum, size = np.asarray(moment.momentum), marks.scale * shown["momentum"].scale
            linear_tip = linear_end(center, momentum, marks.mass, size)
            ring = ring_points(center, momentum, marks.mass, height, size)
            draw_momentum(pen, center, linear_tip, ring)
        if contacts is not None and shown["contacts"].on:
            draw_forces(pen, contacts, shown["contacts"].scale, LONGEST * marks.scale)
        tints = None
        if shown["torques"].on and moment is not None and moment.torques is not None:
            tints = torque_tints(
                marks, np.asarray(moment.torques), full_torque(skeleton) / shown["torques"].scale, theme
            )
        self._picture = pen.picture(tints)
        kinds = frozenset(moved_by[body] for body in marks.bodies.tolist()) if moved_by else frozenset({KEYED})
        self._found = Found(
            contacts if shown["contacts"].on else None, shown["contacts"].scale, LONGEST * marks.scale, center,
            momentum, linear_tip, ring, kinds,
        )  # fmt: skip

    def _draw_strings(self, pen: Pen, poses: Array, scale: float) -> None:
        """Draw strings, springs, ropes and muscles, and what pulls a part."""
        lines, physics = self._scene.world_around.lines(), self._scene.document.physics
        if lines:
            from app.render.world_lines import draw_lines  # it brings the forces along

            draw_lines(pen, lines, physics.picked)
        pull = self._scene.document.physics.pull
        if pull is not None and 0 <= pull.joint < len(poses):
            held = poses[pull.joint, :3, :3] @ pull.point + poses[pull.joint, :3, 3]
            pen.lines(held[None], pull.target[None], "accent", 2.0, LINE, (0.03 * scale, 0.02 * scale))
            sign = np.zeros((1, 3, 4))
            sign[0, :, 3] = pull.target
            pen.shapes(FLOOR_MARK, sign, ("accent",), 0, 7.0)

    def _center(self, skeleton: Skeleton, poses: Array, moment: Sample | Moment | None) -> Array:
        if moment is not None and moment.center_of_mass is not None:
            return np.asarray(moment.center_of_mass)
        if not figure_marks(skeleton).mass > 0.0:
            return np.array(poses[0, :3, 3])
        return center_of_mass(skeleton, self._scene.document.physics.pose, poses)

    def _support_of(self, poses: Array, moment: Sample | Moment | None) -> Array:
        """Return the corners of the polygon that the centre of mass has to stay over, shape (m, 3), [m]."""
        around = self._scene.world_around
        if moment is None or moment.contacts is None:
            corners = self.keyed.support(poses)
            return corners[:0] if around.ground is None else around.on_ground(corners)
        contacts = moment.contacts
        bearing = (contacts.normals[:, 1] > _UPWARD) & (contacts.joints >= 0) & (contacts.others < 0)
        corners = support_corners(contacts.points[bearing])
        settings = around.settings
        if around.ground is None or (settings is not None and (settings.obstacles or settings.terrain is not None)):
            return corners
        return around.ground.below(corners)


def torque_tints(marks: FigureMarks, torques: Array, full: float, theme: Theme) -> NDArray[np.float32]:
    """Return colour and strength of each segment for the torque in its joint, shape (n_joints, 4), linear light.

    From the body's own colour over orange to red, at ``full`` [N m] and above.
    """
    count = len(marks.masses)
    squares = np.bincount(marks.joint_of_dof, np.where(np.isfinite(torques), torques, 0.0) ** 2, count)
    share = np.minimum(np.sqrt(squares) / full, 1.0)
    orange, red = linear(srgb(theme, "force")), linear(srgb(theme, "conflict"))
    upper = np.maximum(2.0 * share - 1.0, 0.0)[:, None]
    tints = np.empty((count, 4), dtype=np.float32)
    tints[:, :3] = orange + upper * (red - orange)
    tints[:, 3] = _TINT * np.minimum(2.0 * share, 1.0)
    return tints

"""What all views show: the posed figure, its ghosts and marks, computed once for each change of the document."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from app.document.changes import (
    Change,
    FigureChanged,
    FileChanged,
    FrameChanged,
    KeysChanged,
    LocksChanged,
    PendingChanged,
    PhysicsChanged,
    PoseChanged,
    SequenceChanged,
    SessionChanged,
)
from app.look.theme import THEMES, Theme
from app.render.mesh.bare_bones import BareBones
from app.render.mesh.looks import same_body, same_looks, stretched
from app.scene.control_points import ControlPlaces
from app.scene.footprints import Footprints
from app.scene.ghosts import Ghosts, KeyGhost
from app.scene.lock_places import LockPlaces
from app.scene.other_figures import OtherFigures
from app.scene.physics_scene import PhysicsScene
from app.scene.trails import Trails
from app.scene.walk_prints import WalkPrints
from app.scene.world_scene import WorldScene
from core.kinematics import forward_kinematics
from core.kinematics.extent import Span
from core.kinematics.picking import Hit, Picker
from core.skeleton.extent import figure_height
from core.skeleton.joined import is_prop
from core.skeleton.segment import rest_frames

if TYPE_CHECKING:
    from app.document.document import Document
    from core.skeleton import Skeleton

Array = NDArray[np.float64]

POSE_KINDS = (
    FigureChanged,
    PoseChanged,
    FrameChanged,
    KeysChanged,
    SequenceChanged,
    LocksChanged,
    FileChanged,
    PendingChanged,
    PhysicsChanged,
)
_SEES_THROUGH = 8  # parts that a ray passes on its way to one that is drawn
_MOST_FRAMED = 200
_FARTHEST = 6.0  # figure heights


class Scene:
    """The document as the views see it.

    Args:
        document: The open document; only read.

    Attributes:
        locks: Where the locks are.
        controls: Where the control points are.
        ghost_figures: The figure at neighbouring keys or frames.
        trails: Where parts and the root go.
        prints: Where locked feet stand.
        walk_prints: Where the feet of a walk that is made by rules go.
        physics: What physics mode draws over the figure.
        others: The document's other figures.
        world_around: Floor, obstacles, moving bodies and other figures.
    """

    def __init__(self, document: Document):
        self.document = document
        self._poses: Array | None = None
        self._figure: Skeleton | None = None
        self._drawn: Skeleton | None = None
        self._drawn_for: tuple[Skeleton, bool] | None = None
        self._picker: Picker | None = None
        self._bare: BareBones | None = None
        self._span: Span | None = None
        self._height = 1.0
        self.locks = LockPlaces(self)
        self.controls = ControlPlaces(self)
        self.ghost_figures = Ghosts(self)
        self.trails = Trails(self)
        self.prints = Footprints(self)
        self.walk_prints = WalkPrints(self)
        self.physics = PhysicsScene(self)
        self.others = OtherFigures(self)
        self.world_around = WorldScene(self)
        self.take_figure()

    # -- keeping up with the document ----------------------------------------------------------------------------

    def take_figure(self) -> None:
        """Read the active figure again."""
        skeleton = self.document.skeleton
        self._poses = None
        self.ghost_figures.forget()
        self.trails.samples.forget()
        if skeleton is self._figure:
            return
        self._figure = skeleton
        self._picker = None
        self._bare = None
        self._span = None
        self._height = self._stature()

    def _stature(self) -> float:
        """Return the height that marks and trails are sized by: of a prop that of the tallest figure beside it."""
        if self._figure is None:
            return 1.0
        own = figure_height(self._figure)
        if not is_prop(self._figure):
            return own
        return max((figure_height(each) for each in self.document.figures.all if not is_prop(each)), default=own)

    def take(self, change: Change) -> None:
        """Drop whatever a change of the document makes stale."""
        if self.document.skeleton is not self._figure or isinstance(change, FigureChanged):
            self.take_figure()
        if isinstance(change, POSE_KINDS) or (
            isinstance(change, SessionChanged) and change.name in ("mode", "preview")
        ):
            self._poses = None
            self.others.take(change)
        self.ghost_figures.take(change)
        self.trails.samples.take(change)
        self.physics.take(change)

    # -- figure --------------------------------------------------------------------------------------------------

    @property
    def skeleton(self) -> Skeleton | None:
        """The shown figure, or None."""
        return self._figure

    @property
    def at_rest(self) -> bool:
        """Whether the figure stands at rest, whatever its pose is: its skeleton is being edited."""
        return self.document.session.mode == "skeleton"

    @property
    def edited(self) -> Skeleton | None:
        """The figure as an edit under way makes it: another one than is drawn, with the same joints; or None."""
        preview = self.document.session.preview
        return self._figure if preview is None else preview

    @property
    def drawn(self) -> Skeleton | None:
        """The figure whose polygons are drawn: an earlier one as long as the edited one looks the same."""
        figure, drawn = self._figure, self._drawn
        if figure is None:
            self._drawn = self._drawn_for = None
        elif self._drawn_for != (figure, self.at_rest):
            self._drawn_for = figure, self.at_rest
            if drawn is None or not same_looks(drawn, figure, bent=not self.at_rest):
                self._drawn = figure
        return self._drawn

    @property
    def body_poses(self) -> Array:
        """Frames that the polygons are drawn in.

        While an edit is under way they are those made ready before it: a body that is stretched in its joint's frame is
        so by its frame, and one that the joint leaves behind stays in its frame from before.
        """
        preview, figure = self.document.session.preview, self._figure
        if preview is None or figure is None or not self.at_rest:
            return self.poses
        others = [i for i in range(len(figure.joints)) if not same_body(figure, preview, i)]
        if not others:
            return self.poses
        frames, before = self.poses.copy(), rest_frames(figure)
        for i in others:
            box = stretched(figure, preview, i)
            moved = preview.joints[i].offset.tobytes() != figure.joints[i].offset.tobytes()
            frames[i] = before[i] if box is None or moved else frames[i] @ box
        return frames

    @property
    def theme(self) -> Theme:
        """Colours of the session's theme."""
        return THEMES[self.document.session.view.theme]

    @property
    def height(self) -> float:
        """Height of the figure at rest, [m]; 1 while there is none."""
        return self._height

    @property
    def poses(self) -> Array:
        """World frames of all joints in the shown pose, shape (n, 4, 4), [m]; (0, 4, 4) without a figure."""
        if self._figure is None:
            return np.zeros((0, 4, 4))
        if self._poses is None:
            figure = self.edited if self.at_rest else self._figure
            assert figure is not None
            self._poses = forward_kinematics(figure, figure.rest_pose() if self.at_rest else self.document.physics.pose)
        return self._poses

    def world(self, joint: int, point: Array) -> Array:
        """Return a point of a joint's frame in world coordinates, shape (3,), [m]."""
        X = self.poses[joint]
        return X[:3, :3] @ point + X[:3, 3]

    def pick(self, origin: Array, direction: Array) -> Hit | None:
        """Return the segment, or the bone of a joint without a shape, that a ray hits first, or None."""
        if self._figure is None:
            return None
        if self._picker is None:
            self._picker = Picker(self._figure)
        hit = self._picker.pick(self.poses, origin, direction)
        if self.at_rest or self.bare_bones is None:
            return hit
        bone = self.bare_bones.pick(self.poses, origin, direction)
        return bone if hit is None or (bone is not None and bone.distance < hit.distance) else hit

    def pick_all(self, origin: Array, direction: Array) -> tuple[Hit, ...]:
        """Return every segment that a ray hits, and the first of the bones, the first one first."""
        if self.pick(origin, direction) is None or self._picker is None:
            return ()
        hits = self._picker.pick_all(self.poses, origin, direction)
        bone = None if self.at_rest or self.bare_bones is None else self.bare_bones.pick(self.poses, origin, direction)
        return hits if bone is None else tuple(sorted((*hits, bone), key=lambda hit: hit.distance))

    def pick_at(self, poses: Array, origin: Array, direction: Array, joints: frozenset[int] | None) -> Hit | None:
        """Return the segment that a ray hits first of the figure in other poses, or None.

        Args:
            poses: World frames of its joints, shape (n, 4, 4), [m].
            origin: Of the ray, shape (3,), [m].
            direction: Unit direction, shape (3,).
            joints: Only these joints' segments; None for all.
        """
        if self._figure is None:
            return None
        if self._picker is None:
            self._picker = Picker(self._figure)
        gone = 0.0
        for _ in range(_SEES_THROUGH):
            hit = self._picker.pick(poses, origin + gone * direction, direction)
            if hit is None or joints is None or hit.joint in joints:
                return hit if hit is None else Hit(hit.joint, hit.point, hit.distance + gone)
            gone += hit.distance + 1e-4
        return None

    @property
    def bare_bones(self) -> BareBones | None:
        """The bones of joints without a shape; None without a figure."""
        if self._figure is not None and self._bare is None:
            self._bare = BareBones(self._figure, self._height)
        return self._bare

    def points(self, poses: Array, joints: tuple[int, ...] | None = None) -> Array:
        """Return points that span the posed figure, shape (m, 3), [m].

        Args:
            poses: World frames, shape (n, 4, 4).
            joints: Only these joints' segments; None for all.
        """
        if self._figure is None:
            return np.zeros((0, 3))
        if self._span is None:
            self._span = Span(self._figure)
        points = self._span.place(poses, joints)
        bare = self.bare_bones
        if bare is None or not len(bare.owners):
            return points
        wanted = np.isin(bare.owners, list(joints)) if joints is not None else slice(None)
        return np.concatenate([points, bare.ends(poses)[1][wanted]])

    def owners(self) -> NDArray[np.int64]:
        """Return the joint whose segment each of ``points`` belongs to, shape (m,)."""
        if self._figure is None:
            return np.zeros(0, dtype=np.int64)
        if self._span is None:
            self._span = Span(self._figure)
        bare = self.bare_bones
        return self._span.owners if bare is None else np.concatenate([self._span.owners, bare.owners])

    def bounds(self, joints: tuple[int, ...] | None = None) -> tuple[Array, Array]:
        """Return lowest and highest corner of the posed figure or of some of its parts, each (3,), [m]."""
        points = self.points(self.poses, joints)
        if not len(points):
            return np.array([-0.5, 0.0, -0.5]), np.array([0.5, 1.8, 0.5])
        return points.min(axis=0), points.max(axis=0)

    def seen_bounds(self, begin: tuple[Array, Array] | None = None) -> tuple[Array, Array]:
        """Return lowest and highest corner of all that is seen, each (3,), [m].

        The figure, the keyed motion behind it while it is simulated, other figures, bodies, strings and obstacles;
        but for what is so large or so far off that the figure would be too small to work on.

        Args:
            begin: What surely is seen; None for the posed figure.
        """
        lo, hi = self.bounds() if begin is None else begin
        ghost = self.physics.ghost
        behind = [] if ghost is None else [self.points(ghost[0])]
        for points in (*behind, *self.world_around.extents()):
            low, high = np.minimum(lo, points.min(axis=0)), np.maximum(hi, points.max(axis=0))
            if float((high - low).max()) <= _FARTHEST * self._height:
                lo, hi = low, high
        return lo, hi

    def journey_bounds(self) -> tuple[Array, Array]:
        """Return lowest and highest corner of the figure over all its key poses, each (3,), [m].

        A figure that travels far would be too small to work on; then only the shown pose counts.
        """
        lo, hi = self.bounds()
        sequence = self.document.sequence
        if self._figure is None or sequence is None or not sequence.keys or self.at_rest:
            return lo, hi
        step = len(sequence.keys) // _MOST_FRAMED + 1
        for poses in forward_kinematics(self._figure, np.array([key.q for key in sequence.keys[::step]])):
            points = self.points(poses)
            if len(points):
                lo, hi = np.minimum(lo, points.min(axis=0)), np.maximum(hi, points.max(axis=0))
        return (lo, hi) if float((hi - lo).max()) <= _FARTHEST * self._height else self.bounds()

    # -- motion --------------------------------------------------------------------------------------------------

    @property
    def ghosts(self) -> tuple[KeyGhost, ...]:
        """The figure at neighbouring keys or frames, as far as it is worked out, the nearest first."""
        return self.ghost_figures.shown

    @property
    def shows_motion(self) -> bool:
        """Whether a trail or a path is shown."""
        shown = self.document.session.view.overlays
        return bool(self.trails.parts) or (not self.at_rest and (shown["root_path"] or shown["com_path"]))

"""Seeded drags through the editor's own drag tool, without a window, and how far each event moves a joint."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from app.document.document import Document
from app.look.theme import THEMES, Theme
from app.render.camera import Camera
from app.scene.pointing import Pointer
from app.scene.scene import Scene
from app.tools.drag import DragTool
from core.kinematics import forward_kinematics
from core.kinematics.bends import bending_side
from core.kinematics.chain import ancestry
from core.skeleton import Skeleton
from core.skeleton.extent import figure_height
from core.skeleton.segment import end_effector, segment_tip
from core.spatial import so3

Array = NDArray[np.float64]

FIGURES = ("human", "woman", "stickman", "horse")
EVENTS = 60
MOST = 5.0
"""Most that a joint may turn for each centimetre of the mouse's way, [deg]."""
NEARLY_STRAIGHT = math.radians(25.0)
ROUNDING = math.radians(0.02)
SIZE = (1160, 564)
KINDS = ("front", "side", "top", "perspective")
MODES = ("limb", "limb", "part", "up_to", "body")


class DragView:
    """What a tool asks of a view, with a camera and no widget."""

    def __init__(self, camera: Camera):
        self.camera = camera

    @property
    def theme(self) -> Theme:
        """Colours of the view."""
        return THEMES["dark"]

    def ray(self, x: float, y: float) -> tuple[Array, Array]:
        """Return origin and direction of the ray under a pixel."""
        return self.camera.ray(x, y, *SIZE)

    def project(self, points: Array) -> Array:
        """Return pixels and depth of world points."""
        return self.camera.project(points, *SIZE)

    def pixel_size(self, point: Array) -> float:
        """Return how many metres a pixel covers at a point."""
        return self.camera.pixel_size(SIZE[1], point)

    def update(self) -> None:
        """Paint nothing."""


class Bench:
    """A document with a figure, the drag tool that works on it and a view.

    Args:
        path: The figure's file.
        solver: Which solver drags.
    """

    def __init__(self, path: Path, solver: str):
        self.document = Document()
        assert self.document.files.load_figure(path)
        self.document.session.solver.name = solver
        self.scene = Scene(self.document)
        self.document.changed.connect(self.scene.take)
        self.tool = DragTool(self.document, self.scene)
        assert self.document.skeleton is not None
        self.skeleton: Skeleton = self.document.skeleton
        self.height = figure_height(self.skeleton)

    def view(self, kind: str) -> DragView:
        """Return a view that shows the whole figure."""
        frames = forward_kinematics(self.skeleton, self.document.pose)[:, :3, 3]
        camera = Camera(kind=kind)
        camera.frame(frames.min(axis=0) - 0.1 * self.height, frames.max(axis=0) + 0.1 * self.height, SIZE[0] / SIZE[1])
        return DragView(camera)

    def effector(self, joint: int) -> Array:
        """Return a part's end-effector in the world, shape (3,), [m]."""
        return self.scene.world(joint, end_effector(self.skeleton, joint))

    def dragged(
        self, joint: int, view: DragView, path: Array, shift: bool = False, grip: Array | None = None
    ) -> Iterator[Event]:
        """Drag a part along a path and yield each event.

        Args:
            joint: The part.
            view: The view.
            path: Offsets of the pointer from the press, shape (m, 2), [px].
            shift: Whether Shift is held.
            grip: Where the part is pressed beside its end-effector, shape (2,), [px].
        """
        x, y, _ = view.project(self.effector(joint)[None])[0]
        at = np.array([x, y]) + (np.zeros(2) if grip is None else grip)
        self.tool.take(view, Pointer(*at.tolist(), shift=shift), joint)
        size, last = view.pixel_size(self.effector(joint)), at
        for offset in path:
            before, now = np.array(self.document.pose), at + offset
            began = time.thread_time()  # others may have the processor meanwhile
            self.tool.move(view, Pointer(*now.tolist(), shift=shift))
            spent = 1000.0 * (time.thread_time() - began)
            goal = self.document.session.drag.goal
            hindrance = None if goal is None else goal.hindrance
            travel = size * float(np.linalg.norm(now - last))
            last = now
            after = np.array(self.document.pose)
            drag = self.tool._drag
            left = 0.0 if drag is None or not drag.session.pace.lags else drag.session.distance
            yield event(self.skeleton, before, after, travel, spent, getattr(hindrance, "tag", ""), left)

    def drop(self) -> None:
        """End the drag and put everything back."""
        self.tool.cancel()


@dataclass(frozen=True)
class Event:
    """What one move of the mouse did.

    Attributes:
        turned: Largest turn of a joint that does not count as bending a straight limb, [rad].
        joint: Which joint that was.
        raw: Largest turn of any joint, [rad].
        travel: The mouse's way at the depth of the part, [m].
        spent: Time, [ms].
        flag: What the tool says hinders the part, "" for nothing.
        left: How far the part is from its goal because it keeps to its pace, [m]; 0 for one that does not lag.
        q: The pose after it.
    """

    turned: float
    joint: int
    raw: float
    travel: float
    spent: float
    flag: str
    left: float
    q: Array

    @property
    def breaks(self) -> bool:
        """Whether a joint moved more than the rule allows."""
        return self.turned > math.radians(MOST) * 100.0 * self.travel + ROUNDING

    @property
    def rate(self) -> float:
        """Degrees of the joint that turned most for each centimetre of the mouse's way."""
        return math.degrees(self.turned) / max(100.0 * self.travel, 1e-6)


def event(
    skeleton: Skeleton, before: Array, after: Array, travel: float, spent: float, flag: str, left: float
) -> Event:
    """Return what lies between two poses."""
    turns = joint_turns(skeleton, before, after)
    counted = turns.copy()
    counted[sorted(straight_limbs(skeleton, before) | straight_limbs(skeleton, after))] = 0.0
    worst = int(np.argmax(counted))
    return Event(float(counted[worst]), worst, float(turns.max()), travel, spent, flag, left, after)


def local_rotations(skeleton: Skeleton, q: Array) -> Array:
    """Return how each joint is turned against its parent, shape (n, 3, 3)."""
    R = forward_kinematics(skeleton, q)[:, :3, :3]
    R = R / np.linalg.norm(R, axis=1, keepdims=True)
    parents = [joint.parent for joint in skeleton.joints]
    return np.array([R[i] if p < 0 else R[p].T @ R[i] for i, p in enumerate(parents)])


def joint_turns(skeleton: Skeleton, before: Array, after: Array) -> Array:
    """Return by how much each joint turned, shape (n,), [rad]."""
    a, b = local_rotations(skeleton, before), local_rotations(skeleton, after)
    return np.array([float(so3.angle_between(x, y)) for x, y in zip(a, b, strict=True)])


def straight_limbs(skeleton: Skeleton, q: Array) -> set[int]:
    """Return the joints of limbs within 25 degrees of straight: elbow or knee, joint above and joints below."""
    X, found = forward_kinematics(skeleton, q), set()
    moving = [bool(joint.dofs) for joint in skeleton.joints]
    for k, joint in enumerate(skeleton.joints):
        bends = [dof for dof in joint.dofs if dof.kind == "hinge" and bending_side(dof.lo, dof.hi) != 0.0]
        if not bends or len(joint.dofs) > 2 or joint.parent < 0:
            continue
        above = next((i for i in ancestry(skeleton, k)[1:] if moving[i]), None)
        if above is None:
            continue
        below = [i for i, other in enumerate(skeleton.joints) if other.parent == k and moving[i]]
        here = X[k, :3, 3]
        tip = X[below[0], :3, 3] if below else X[k, :3, :3] @ segment_tip(skeleton, k) + here
        a, b = here - X[above, :3, 3], tip - here
        size = float(np.linalg.norm(a) * np.linalg.norm(b))
        if size > 1e-9 and float(a @ b) / size > math.cos(NEARLY_STRAIGHT):
            found |= {k, above, *below}
    return found


# -- random drags ------------------------------------------------------------------------------------------------------


def wander(generator: np.random.Generator, events: int, step: float) -> Array:
    """Return a smooth way of the pointer, offsets from the press, shape (events, 2), in units of ``step``."""
    heading = generator.uniform(0.0, 2.0 * math.pi)
    speed, bend = step * generator.uniform(0.3, 1.5), generator.normal(0.0, 0.05)
    places, at = [], np.zeros(2)
    for _ in range(events):
        heading += bend + generator.normal(0.0, 0.12)
        if generator.random() < 0.03:
            bend = generator.normal(0.0, 0.15)
        at = at + speed * np.array([math.cos(heading), math.sin(heading)])
        places.append(at)
    return np.array(places)


def random_locks(bench: Bench, generator: np.random.Generator) -> str:
    """Lock some parts; return what was done in a word."""
    document, skeleton = bench.document, bench.skeleton
    kind = generator.choice(["none", "none", "feet", "feet", "foot", "hands", "some"])
    names = [joint.name for joint in skeleton.joints]
    feet = [name for name in names if name.endswith(("foot", "hoof", "fetlock"))]
    feet = feet or [name for name in names if "foot" in name or "hoof" in name]
    hands = [name for name in names if name.endswith("hand")]
    if kind == "feet" and feet:
        document.locks.lock_parts(feet, "pose")
    elif kind == "foot" and feet:
        document.locks.lock_parts([str(generator.choice(feet))], "pose")
    elif kind == "hands" and len(hands) == 2:
        document.locks.lock_pair("point_pair", hands[0], hands[1])
    elif kind == "some":
        for _ in range(int(generator.integers(1, 4))):
            part, kind_of_lock = (
                str(generator.choice(names)),
                str(generator.choice(["position", "orientation", "pose"])),
            )
            document.locks.lock_parts([part], kind_of_lock)
    return str(kind)


@dataclass(frozen=True)
class Drive:
    """One random drag and what came of it."""

    seed: int
    figure: str
    part: str
    view: str
    mode: str
    locks: str
    shift: bool
    mirror: bool
    started_held: bool
    events: tuple[Event, ...]


def random_drag(
    folder: Path, seed: int, solver: str, benches: dict[tuple[str, str], Bench], events: int = EVENTS
) -> Drive:
    """Return one seeded drag: figure, pose, part, view, mode, locks and way are all random.

    Args:
        folder: Where the figures lie.
        seed: What all of it is drawn from.
        solver: Which solver drags.
        benches: Kept between drags, by figure and solver.
        events: How many moves of the mouse.
    """
    generator = np.random.default_rng(seed)
    figure = FIGURES[seed % len(FIGURES)]
    bench = benches.get((figure, solver))
    if bench is None:
        bench = benches[figure, solver] = Bench(folder / f"{figure}.scr", solver)
    document, skeleton, session = bench.document, bench.skeleton, bench.document.session
    document.locks.clear()
    q = skeleton.rest_pose()
    if generator.random() < 0.7:  # bent here and there, as posed figures are
        low, high = np.clip(skeleton.limits, -1.0, 1.0).T
        q[3:] = np.clip(q[3:] + 0.35 * generator.uniform(low, high), *skeleton.limits.T)
    session.tools.mirror_editing = False
    document.posing.set(q, hold=False)
    locks = random_locks(bench, generator)
    moving = [i for i, joint in enumerate(skeleton.joints)]
    joint = int(generator.choice(moving))
    session.tools.drag_mode = mode = str(generator.choice(MODES))
    up = ancestry(skeleton, joint)
    session.tools.chain_base = int(generator.choice(up)) if mode == "up_to" else None
    session.tools.mirror_editing = mirror = bool(generator.random() < 0.1)
    shift = bool(generator.random() < 0.1)
    kind = str(generator.choice(KINDS))
    view = bench.view(kind)
    size = view.pixel_size(bench.effector(joint))
    path = wander(generator, events, 0.006 * bench.height / size)
    grip = generator.normal(0.0, 6.0, 2)
    held = all(state.word != "conflict" for state in document.locks.states())
    found = tuple(bench.dragged(joint, view, path, shift, grip))
    bench.drop()
    session.tools.mirror_editing = False
    return Drive(seed, figure, skeleton.joints[joint].name, kind, mode, locks, shift, mirror, held, found)

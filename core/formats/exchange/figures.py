"""A figure of a foreign scene: joints that turn freely, bodies, and its pose at every frame of every clip.

The pose in which all degrees of freedom are zero is the one in which meshes were tied to the joints, so that skins bend
as they do elsewhere. A joint whose place on its parent changes, or is another one than there, slides as well.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from core.arrays import Array
from core.errors import FormatError, Problem
from core.formats.exchange.components import Component, Tree
from core.formats.exchange.frames import clip_frames, parted
from core.formats.exchange.scene import Ints, Scene
from core.formats.exchange.surfaces import Segment, Surface, segments
from core.formats.importing.bodies import file_names, with_bodies
from core.formats.importing.naming import dressed
from core.formats.importing.recording import check_depth, continuous_euler
from core.skeleton import Dof, Joint, Skeleton
from core.skeleton.dof import HINGE, SLIDE
from core.skeleton.euler import euler_degrees
from core.skeleton.joint import SegmentObject
from core.skeleton.mesh import Mesh

MOST_JOINTS = 1000
_ORDERS = ((2, 0, 1), (0, 1, 2), (1, 2, 0))
_STILL = 1e-5  # of the figure's size: a joint that moves less on its parent does not slide
_CLEAR = 0.95  # sine of the middle angle up to which the first order is good enough
_RIGID = 0.01  # how far a bind frame may be from a rigid one
_SWELLS = 0.02  # a change of size that is worth a word
_AXES = np.eye(3)


class SceneFigure:
    """One figure of a scene.

    Args:
        scene: The scene.
        tree: Its tree.
        component: Its nodes.
        whole: What is done to the whole scene first: a turn and a size, shape (4, 4).
        file: Name of the file for messages.

    Raises:
        FormatError: If it has too many joints.

    Attributes:
        figure: The figure, with bodies.
        poses: For each clip of the scene its poses, shape (m, nq), or None where it does not move.
        notes: What was noticed.
    """

    def __init__(self, scene: Scene, tree: Tree, component: Component, whole: Array, file: str):
        if len(component.joints) > MOST_JOINTS:
            count = len(component.joints)
            message = f'"{component.name}" has {count} joints; figures of more than {MOST_JOINTS} are not read'
            raise FormatError(Problem(file, 0, 0, message))
        self.scene, self.tree, self.component, self.whole, self.file = scene, tree, component, whole, file
        self.notes: set[str] = set()
        rest = np.array([whole @ world for world in scene.rest_worlds()])
        self.rest, self.stretch = parted(rest)
        self.zero = self._zero_frames()
        clips = [clip_frames(scene, tree, component, clip, whole) for clip in scene.clips]
        moves = [bool(set(component.joints) & set(clip.tracks)) or self._carried(clip.tracks) for clip in scene.clips]
        self._look_at_sizes([stretch for (_, stretch), moved in zip(clips, moves, strict=True) if moved])
        locals_ = [self._locals(frames) if moved else None for (frames, _), moved in zip(clips, moves, strict=True)]
        self._make(locals_)

    def _carried(self, tracks: object) -> bool:
        """Whether something above the figure moves."""
        return bool(set(self.tree.path(self.component.joints[0])) & set(tracks))  # type: ignore[call-overload]

    def _look_at_sizes(self, stretches: list[Array]) -> None:
        own = self.stretch[list(self.component.joints)]
        size = np.abs(own).max(axis=(1, 2))
        changes = [np.abs(each - own).max(axis=(0, 2, 3)) / size for each in stretches]
        swelling = max((float(each.max()) for each in changes), default=0.0)
        if swelling > _SWELLS:
            self.notes.add(f"sizes of parts that change over time, by up to {100.0 * swelling:.0f} %, were left out")

    # -- the pose of zeros -----------------------------------------------------------------------------------------

    def _zero_frames(self) -> Array:
        """Return the frames of joints in which all degrees of freedom are zero, world, shape (n, 4, 4)."""
        joints = self.component.joints
        bound = self._bound()
        zero = np.empty((len(joints), 4, 4))
        for k, number in enumerate(joints):
            parent = self.component.parents[k]
            if number in bound:
                zero[k] = bound[number]
            elif parent < 0:
                zero[k] = self.rest[number]
            else:
                above = self.rest[joints[parent]]
                zero[k] = zero[parent] @ np.linalg.inv(above) @ self.rest[number]
        return zero

    def _bound(self) -> dict[int, Array]:
        """Return the frames in which meshes were tied to joints, by node, as one figure."""
        found: dict[int, Array] = {}
        order = {number: k for k, number in enumerate(self.component.joints)}
        skins = [skin for skin in self.scene.skins if set(skin.joints) & set(order)]
        for skin in sorted(skins, key=lambda skin: -len(skin.joints)):
            place = {number: row for row, number in enumerate(skin.joints) if number in order}
            tied = {number: self._tie(number, skin.inverse_bind[row]) for number, row in place.items()}
            if any(np.linalg.cond(tie) > 1e6 for tie in tied.values()):
                self.notes.add(f'skin "{skin.name}" ties joints to nothing; they stand as the scene does')
                continue
            first = min(place, key=lambda number: (number not in found, order[number]))
            move = (found[first] if first in found else self.rest[first]) @ tied[first]
            frames = {number: move @ np.linalg.inv(tie) for number, tie in tied.items()}
            for number, frame in frames.items():
                rigid, stretch = parted(frame)
                if np.abs(stretch - np.eye(3)).max() > _RIGID:
                    self.notes.add(f'skin "{skin.name}" was tied to joints of other sizes; it may bend oddly')
                    rigid = found.get(number, self.rest[number])
                found.setdefault(number, rigid)
        return found

    def _tie(self, number: int, inverse_bind: Array) -> Array:
        """Return what takes a point of a mesh to the rigid frame of a joint, shape (4, 4)."""
        stretch = np.eye(4)
        stretch[:3, :3] = self.stretch[number]
        return np.asarray(stretch @ inverse_bind)

    # -- joints ----------------------------------------------------------------------------------------------------

    def _locals(self, frames: Array) -> Array:
        """Return frames of joints in their parents', of the root in the world, shape (m, n, 4, 4)."""
        above = np.array(self.component.parents)
        local = frames.copy()
        inside = above >= 0
        local[:, inside] = np.linalg.inv(frames[:, above[inside]]) @ frames[:, inside]
        return local

    def _make(self, clips: list[Array | None]) -> None:
        zero = self._locals(self.zero[None])[0]
        moved = [each for each in clips if each is not None]
        every = np.concatenate(moved) if moved else self._locals(self.rest[None, list(self.component.joints)])
        places = self.zero[:, :3, 3]
        still = _STILL * max(float(np.ptp(places, axis=0).max()), 1e-6)
        names, joints, orders = self._names(), [], []
        for k in range(len(self.component.joints)):
            turns = np.swapaxes(zero[k, :3, :3], 0, 1) @ every[:, k, :3, :3]
            free = self.component.moving[k] or k == 0
            slides = k > 0 and bool(np.abs(every[:, k, :3, 3] - zero[k, :3, 3]).max() > still)
            turned = free or bool(np.abs(turns - np.eye(3)).max() > 1e-6)
            order = _order(turns)
            orders.append((slides, order if turned else None))
            dofs = [Dof(SLIDE, axis, -np.inf, np.inf) for axis in (_AXES if slides else ())]
            dofs += [Dof(HINGE, _AXES[axis], -np.inf, np.inf) for axis in (order if turned else ())]
            tips = tuple(self._end(k, end) for end in self.component.ends[k])
            joints.append(
                Joint(
                    names[k], self.component.parents[k], offset=zero[k, :3, 3],
                    orientation=euler_degrees(zero[k, :3, :3]), dofs=tuple(dofs), tips=tips,
                )
            )  # fmt: skip
        bare = Skeleton(self.component.name, joints)
        check_depth(dressed(bare), self.file)
        self.poses = [None if each is None else _poses(bare, zero, each, orders) for each in clips]
        self.figure = self._with_bodies(bare)

    def _end(self, k: int, end: int) -> Array:
        return np.asarray((np.linalg.inv(self.rest[self.component.joints[k]]) @ self.rest[end])[:3, 3])

    def _names(self) -> list[str]:
        taken: set[str] = set()
        found = []
        for number in self.component.joints:
            name, k = self.scene.nodes[number].name, 2
            while name in taken:
                name, k = f"{self.scene.nodes[number].name}_{k}", k + 1
            taken.add(name)
            found.append(name)
        return found

    # -- bodies ----------------------------------------------------------------------------------------------------

    def _with_bodies(self, bare: Skeleton) -> Skeleton:
        found = segments(self._surfaces(), self.zero, list(bare.joint_names))
        if not found:
            return with_bodies(dressed(bare))
        names, joints = set(bare.joint_names), list(bare.joints)
        meshes: dict[int, list[Mesh]] = {}
        for segment in found:
            if segment.joint not in meshes:
                meshes[segment.joint] = [segment.mesh]
                joints[segment.joint] = replace(joints[segment.joint], color=segment.color)
                continue
            joints.append(_further(bare, segment, names))
            meshes[len(joints) - 1] = [segment.mesh]
        whole = Skeleton(bare.name, joints)
        files = file_names(whole, meshes)
        for k, rows in meshes.items():
            joints[k] = replace(joints[k], objects=(SegmentObject(files[k][0], rows[0]),))
        return dressed(Skeleton(bare.name, joints))

    def _surfaces(self) -> list[Surface]:
        order = {number: k for k, number in enumerate(self.component.joints)}
        found: list[Surface] = []
        for number in self.component.meshes:
            node = self.scene.nodes[number]
            if node.mesh is None:
                continue
            for part in self.scene.meshes[node.mesh].parts:
                if node.skin is not None and part.joints is not None and part.weights is not None:
                    skin = self.scene.skins[node.skin]
                    if len(part.joints) and int(part.joints.max()) >= len(skin.joints):
                        message = f'mesh "{self.scene.meshes[node.mesh].name}" follows joint {int(part.joints.max())}; '
                        message += f'skin "{skin.name}" has {len(skin.joints)}'
                        raise FormatError(Problem(self.file, 0, 0, message))
                    rows = np.array([order.get(joint, 0) for joint in skin.joints])
                    pairs = zip(skin.joints, skin.inverse_bind, strict=True)
                    ties = np.array([self._tie(joint, bind) for joint, bind in pairs])
                    joints, weights = rows[part.joints], part.weights
                    points = _tied(self.zero[rows] @ ties, part.joints, weights, part.points)
                else:
                    owner = next((order[each] for each in self.tree.path(number) if each in order), 0)
                    world = np.eye(4)
                    world[:3, :3] = self.rest[number][:3, :3] @ self.stretch[number]
                    world[:3, 3] = self.rest[number][:3, 3]
                    place = self.zero[owner] @ np.linalg.inv(self.rest[self.component.joints[owner]]) @ world
                    points = part.points @ place[:3, :3].T + place[:3, 3]
                    joints = np.full((len(points), 1), owner)
                    weights = np.ones((len(points), 1))
                found.append(Surface(points, part.triangles, joints, weights, part.color, part.material))
        return found


def _further(bare: Skeleton, segment: Segment, names: set[str]) -> Joint:
    """Return a joint without freedom that carries a further colour of another one; its name joins ``names``."""
    owner = bare.joint_names[segment.joint]
    name = base = f"{owner}_{segment.material or 'part'}"
    k = 2
    while name in names:
        name, k = f"{base}_{k}", k + 1
    names.add(name)
    return Joint(name, segment.joint, color=segment.color)


def _tied(moves: Array, joints: Ints, weights: Array, points: Array) -> Array:
    """Return where points of a mesh are in the pose of zeros, shape (k, 3)."""
    total = np.zeros((len(points), 3))
    for column in range(joints.shape[1]):
        here = moves[joints[:, column]]
        total += weights[:, column, None] * (np.einsum("kab,kb->ka", here[:, :3, :3], points) + here[:, :3, 3])
    return total


def _order(turns: Array) -> tuple[int, int, int]:
    """Return axes of three hinges whose middle angle stays away from a quarter turn, the usual order if that does."""
    extremes = [float(np.abs(turns[:, i, k]).max()) for i, _, k in _ORDERS]
    return _ORDERS[0] if extremes[0] <= _CLEAR else _ORDERS[int(np.argmin(extremes))]


def _poses(
    figure: Skeleton, zero: Array, frames: Array, orders: list[tuple[bool, tuple[int, int, int] | None]]
) -> Array:
    """Return the poses in which joints stand as frames in their parents' say, shape (m, nq)."""
    q = np.zeros((len(frames), figure.nq))
    for k, (slides, order) in enumerate(orders):
        column = 3 + figure.first_dof[k]
        away = frames[:, k, :3, 3] - zero[k, :3, 3]
        if k == 0:
            q[:, :3] = away
        elif slides:
            q[:, column : column + 3] = away @ zero[k, :3, :3]
            column += 3
        if order is not None:
            turns = np.swapaxes(zero[k, :3, :3], 0, 1) @ frames[:, k, :3, :3]
            q[:, column : column + 3] = continuous_euler(order, turns)
    return q

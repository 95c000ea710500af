"""A shot: which poses of a figure are drawn, from where, and how; drawn picture by picture."""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from app.document.content.walk_rules import terrain_of
from app.export.cameras import fit_points, fit_round
from app.export.errors import ExportError
from app.look.theme import Theme
from app.render.camera import Camera
from app.render.colors import theme_named
from app.render.lights import USUAL, Lights
from app.render.mesh.rods import with_rods
from app.render.picture import Ghost, Picture
from app.render.renderer import Renderer
from app.scene.ghost_keys import neighbor_keys
from core.animation import Sequence
from core.animation.figure_way import FigureWay, smooth_path
from core.animation.shot_camera import CameraPath, ShotCamera
from core.formats.exchange.recording import Recording
from core.kinematics import forward_kinematics
from core.kinematics.extent import Span
from core.skeleton import Skeleton
from core.skeleton.figure_parts import figure_names, full_name

if TYPE_CHECKING:
    from app.render.world_lines import WorldLine
    from core.preview.secondary_motion import SecondaryMotion
    from core.preview.settings import PhysicsSettings

Array = NDArray[np.float64]

MOST_PICTURES = 100_000
SHADOW = "shadow"
CLEAR = ("transparent", SHADOW)
"""Backdrops that are none: nothing at all, or the figure's shadow on the ground."""
SAMPLES = 4
_AT_A_TIME = 256  # poses


def frame_numbers(first: int, last: int, fps: float, rate: float, closes: bool) -> Array:
    """Return at which frames of a motion the pictures of a movie are taken, shape (m,), whole numbers or not.

    The motion keeps its speed. One that closes, where the last frame is the first again, leaves the last one out, and
    its pictures lie evenly, so that it plays round and round without a jerk.

    Args:
        first: First frame.
        last: Last frame.
        fps: Frames a second of the motion.
        rate: Pictures a second of the movie.
        closes: Whether the last frame shows what the first one shows.

    Raises:
        ExportError: If there would be too many.
    """
    steps = (last - first) / fps * rate
    if steps > MOST_PICTURES:
        raise ExportError(f"frames {first} to {last} would make {steps:.0f} pictures; the most is {MOST_PICTURES}")
    if closes:
        count = max(1, round(steps))
        return first + np.arange(count, dtype=np.float64) * (last - first) / count
    return first + np.arange(math.floor(steps + 1e-9) + 1, dtype=np.float64) * fps / rate


@dataclass
class Shot:
    """What is drawn.

    Attributes:
        skeleton: The figure.
        frames: Frame numbers of ``sequence`` at which the pictures are taken, shape (m,).
        rate: Pictures a second.
        size: Width and height, [px].
        sequence: The motion; without, the figure stands in its rest pose.
        theme: ``"dark"`` or ``"light"``.
        view: ``"perspective"``, ``"front"``, ``"side"`` or ``"top"``.
        camera: Where from; None for the figure's front right, framing everything that moves.
        fit: Whether ``camera`` keeps its angles only, and frames everything that moves.
        physics: Settings of physics, of which floor, obstacles, what is attached and rigid bodies that move freely are
            drawn; None for the usual floor alone.
        backdrop: What is behind, as ``Picture`` has it, or one of ``CLEAR``.
        recording: What was simulated, drawn at the frames it has instead of ``sequence``; None for nothing.
        others: Other figures, and their motion where nothing was simulated; in the order of the recording's.
        hidden: Names of others that are not drawn, though all that is attached to them is.
        names: Of the figure and of the others, by which something is attached to their parts; those that they have,
            unless given.
        follow: Whether the camera follows the figure.
        turntable: Whether the camera goes once round the figure, over all pictures.
        ghosts: Whether the neighbouring keys are drawn too, as ghosts.
        closes: Whether the first of the frames follows the last.
        repeats: How often the motion is shown.
        through: The camera of the shot, which is looked through instead of ``camera``; None for that.
        lights: How the figure is lit.
    """

    skeleton: Skeleton
    frames: Array
    rate: float
    size: tuple[int, int]
    sequence: Sequence | None = None
    theme: str = "dark"
    view: str = "perspective"
    camera: Camera | None = None
    follow: bool = False
    turntable: bool = False
    ghosts: bool = False
    closes: bool = False
    repeats: int = 1
    fit: bool = False
    physics: PhysicsSettings | None = None
    recording: Recording | None = None
    others: tuple[tuple[Skeleton, Sequence], ...] = ()
    backdrop: str = "stage"
    names: tuple[str, ...] = ()
    through: ShotCamera | None = None
    lights: Lights = USUAL
    hidden: frozenset[str] = frozenset()
    _keys_placed: dict[int, Array] = field(default_factory=dict, repr=False)
    _hanging: list[tuple[tuple[int, ...], SecondaryMotion]] | None = field(default=None, repr=False)
    _spans: dict[int, Span] = field(default_factory=dict, repr=False)

    def __len__(self) -> int:
        return len(self.frames) * self.repeats

    @property
    def clear(self) -> bool:
        """Whether the pictures are transparent."""
        return self.backdrop in CLEAR

    def sound(self) -> NDArray[np.float32] | None:
        """Return the music that is heard along with the pictures; None if the sequence has none.

        Raises:
            ExportError: If it cannot be read.
        """
        from app.export.sound import movie_sound  # it brings the reading of sounds along

        return movie_sound(self.sequence, float(self.frames[0]), len(self.frames) / self.rate, self.repeats)

    def poses(self) -> Array:
        """Return the pose at each of the frames, shape (m, nq)."""
        if self.sequence is None:
            found = np.tile(self.skeleton.rest_pose(), (len(self.frames), 1))
        elif self.recording is None:
            return self.sequence.poses_at_frames(self.frames)
        else:  # in-betweens that are not seen are not looked for: locks can make them slow
            found = np.tile(self.skeleton.rest_pose(), (len(self.frames), 1))
            keyed = [k for k, frame in enumerate(self.frames) if self.recording.number(float(frame)) < 0]
            if keyed:
                found[keyed] = self.sequence.poses_at_frames(self.frames[keyed])
        if self.recording is not None:
            for k, frame in enumerate(self.frames):
                number = self.recording.number(float(frame))
                if number >= 0:
                    found[k] = self.recording.poses[number]
        return found

    def samples(self, count: int = 12) -> Iterator[NDArray[np.uint8]]:
        """Draw some of the pictures, evenly spread over all: what an encoder chooses its colours by."""
        numbers = np.linspace(0, len(self) - 1, min(count, len(self))).round().astype(int)
        return self.pictures(frozenset(numbers.tolist()))

    def pictures(self, only: Collection[int] | None = None) -> Iterator[NDArray[np.uint8]]:
        """Draw the pictures one by one, shape (height, width, 4), uint8, RGBA, top row first.

        Without a backdrop they are premultiplied by their opacity; else they are opaque.

        Args:
            only: Numbers of the pictures to draw; None for all.

        Raises:
            GraphicsError: If there is no OpenGL.
        """
        q = self.poses()
        renderer = Renderer(fine=True)
        try:
            renderer.set_figure(with_rods(self.skeleton))
            path, theme = self._path(q), theme_named(self.theme)
            aims = self.through is None and (self.camera is None or self.fit)
            camera = self._aimed(renderer, q, path) if aims else (self.camera or Camera()).copy()
            behind: dict[str, Any] = {"backdrop": self.backdrop, "lights": self.lights}
            if self.clear:
                behind |= {"background": False, "backdrop": "stage", "shadow": self.backdrop == SHADOW}
            moving = (self.sequence, *(motion for _, motion in self.others))
            terrain = None if self.clear else terrain_of(each for each in moving if each is not None)
            target, yaw = np.array(camera.target), camera.yaw
            shot = None if self.through is None else CameraPath(self.through, self._way(q))
            for number, (k, poses) in enumerate(self._repeated(q)):
                if only is not None and number not in only:
                    continue
                if self.turntable:
                    camera.yaw = yaw + 2.0 * math.pi * number / len(self)
                x, y, z = target + path[k]
                camera.target = (float(x), float(y), float(z))
                frame = float(self.frames[k])
                if shot is not None:
                    camera = Camera.of_key(shot.at(frame))
                around = behind | self._around(frame, poses, theme)
                if terrain is not None:  # what it walks on goes before the ground of the scene
                    around["terrain"] = terrain
                picture = Picture(poses=poses, ghosts=self._ghosts(frame), **around)
                yield renderer.render(camera, picture, *self.size, theme, SAMPLES)
        finally:
            renderer.dispose()

    def _around(self, frame: float, poses: Array, theme: Theme) -> dict[str, Any]:
        """Return what the picture of a frame has of the world: floor, obstacles, what moves freely, other figures."""
        number = -1 if self.recording is None else self.recording.number(frame)
        if self.physics is None and self.recording is None and not self.others:
            return {}
        from app.render import physics_world  # it knows all shapes that touch

        moved = self.recording.bodies_at(number) if self.recording is not None and number >= 0 else None
        solids = list(physics_world.world_solids(self.physics, moved))
        placed = [(self.skeleton, poses)]
        for which, (skeleton, _) in enumerate(self.others):
            placed.append((skeleton, forward_kinematics(skeleton, self._pose_beside(which, frame))))
            if skeleton.name not in self.hidden:
                solids.append(physics_world.Solid(with_rods(skeleton), placed[-1][1], physics_world.FIGURE))
        strings = None
        if self.physics is not None:
            from app.render.world_lines import lines_picture, strands_solid, world_lines  # it brings the forces along

            bodies, places = moved or (self.physics.rigid_bodies, [body.X_WB for body in self.physics.rigid_bodies])
            named = {body.name: place for body, place in zip(bodies, places, strict=True) if body.name}
            names = self.names or figure_names(skeleton.name for skeleton, _ in placed)
            for figure, (skeleton, frames) in zip(names, placed, strict=True):
                named |= {
                    full_name(figure, name): frame for name, frame in zip(skeleton.joint_names, frames, strict=True)
                }
            seconds = 0.0 if self.sequence is None else frame / self.sequence.fps
            lines = world_lines(self.physics, self.skeleton, poses, named, seconds)
            strings = lines_picture(theme, lines)
            hair = strands_solid(self._strands(frame, number))
            solids += [] if hair is None else [hair]
        return {
            "solids": tuple(solids), "ground": physics_world.world_ground(self.physics),
            "terrain": None if self.physics is None else self.physics.terrain, "physics": strings,
        }  # fmt: skip

    def _strands(self, frame: float, number: int) -> list[WorldLine]:
        """Return the strands of all figures at a frame, which has a number in the recording, or -1."""
        assert self.physics is not None
        if not self.physics.strands:
            return []
        from app.render.world_lines import strand_lines

        recorded = self.recording.strands_at(number) if self.recording is not None and number >= 0 else None
        if recorded is not None:
            return strand_lines(self.physics, recorded, self.skeleton)
        if self._hanging is None:
            from core.preview.secondary_motion import motions_of_strands

            shown = self.sequence if self.sequence is not None else Sequence(self.skeleton)
            every = [shown, *(sequence for _, sequence in self.others)]
            names = self.names or figure_names(each.skeleton.name for each in every)
            self._hanging = motions_of_strands(self.physics, every, names)
        found = {k: p for numbers, motion in self._hanging for k, p in zip(numbers, motion.at(frame), strict=True)}
        return strand_lines(self.physics, found, self.skeleton)

    def _pose_beside(self, which: int, frame: float) -> Array:
        """Return the pose of one of the others at a frame of this motion, shape (nq,): recorded or keyed."""
        number = -1 if self.recording is None else self.recording.number(frame)
        if self.recording is not None and number >= 0 and which < len(self.recording.others):
            return np.asarray(self.recording.others[which][number])
        sequence = self.others[which][1]
        fps = sequence.fps if self.sequence is None else self.sequence.fps
        return sequence.pose_at_frame(frame * (sequence.fps / fps))

    def _beside(self, frame: float) -> Iterator[Array]:
        """Yield points that span each other figure at a frame, shape (k, 3), [m]."""
        for which, (skeleton, _) in enumerate(self.others):
            if skeleton.name in self.hidden:
                continue
            span = self._spans.get(which)
            if span is None:
                span = self._spans[which] = Span(skeleton)
            points = span.place(forward_kinematics(skeleton, self._pose_beside(which, frame)))
            if len(points):
                yield points

    def _placed(self, q: Array) -> Iterator[Array]:
        """Yield the world frames of the joints in each pose, shape (n, 4, 4)."""
        for start in range(0, len(q), _AT_A_TIME):
            yield from forward_kinematics(self.skeleton, q[start : start + _AT_A_TIME])

    def _repeated(self, q: Array) -> Iterator[tuple[int, Array]]:
        """Yield each picture's number among the frames, and the world frames of the joints."""
        for _ in range(self.repeats):
            yield from enumerate(self._placed(q))

    def _path(self, q: Array) -> Array:
        """Return how far the camera has gone along at each picture, shape (m, 3), [m]."""
        if not self.follow:
            return np.zeros((len(q), 3))
        path = smooth_path(np.array([poses[0, :3, 3] for poses in self._placed(q)]), self.rate, self.closes)
        return path - path[0]

    def _way(self, q: Array) -> FigureWay | None:
        """Return the figure's way if the shot's camera follows it: the whole of it, or of what was simulated."""
        if self.through is None or self.through.follow <= 0.0 or self.sequence is None:
            return None
        if self.recording is None:
            return FigureWay.of(self.sequence, self.through.calm)
        roots = np.array([poses[0] for poses in self._placed(q)])
        return FigureWay(self.frames, roots, self.rate, False, self.through.calm)

    def _aimed(self, renderer: Renderer, q: Array, path: Array) -> Camera:
        """Return a camera that has the figure in its picture all the time."""
        boxes = []
        for k, poses in enumerate(self._placed(q)):
            shown = [poses, *(ghost.poses for ghost in self._ghosts(float(self.frames[k])))]
            boxes += [np.array(renderer.bounds(each)) - path[k] for each in shown]
            beside = self._beside(float(self.frames[k]))
            boxes += [np.array([points.min(axis=0), points.max(axis=0)]) - path[k] for points in beside]
        which = np.array(list(itertools.product((0, 1), repeat=3)))
        points = np.array(boxes)[:, which, np.arange(3)].reshape(-1, 3)
        camera = Camera(kind=self.view) if self.camera is None else self.camera.copy()
        fit = fit_round if self.turntable and not camera.orthographic else fit_points
        fit(camera, points, self.size[0] / self.size[1])
        return camera

    def _ghosts(self, frame: float) -> tuple[Ghost, ...]:
        """Return the figure at the keys before and after a frame."""
        if self.sequence is None or not self.ghosts:
            return ()
        found = []
        for key, token in neighbor_keys(self.sequence, frame):
            if key not in self._keys_placed:
                self._keys_placed[key] = forward_kinematics(self.skeleton, self.sequence.pose_at_frame(key))
            found.append(Ghost(self._keys_placed[key], token))
        return tuple(found)

"""What an icon of the library is drawn from: a file read in a thread, with its figure made ready to be drawn."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from app.document.content.records import Figure
from app.document.files import model_files
from app.library.cache import About
from core.animation import Sequence
from core.errors import CoreError, SequenceError
from core.formats import ImportChoices
from core.kinematics import forward_kinematics
from core.skeleton import Skeleton

if TYPE_CHECKING:
    from app.render.physics_world import Solid

Array = NDArray[np.float64]

MOST_POSES = 64  # of a recording with a key at every frame, what can be told apart
_FIGURES_KEPT = 6


@dataclass(frozen=True)
class Content:
    """A sequence as it is drawn.

    Attributes:
        skeleton: Its figure; files that hold the same figure share one.
        poses: Its key poses, or an even choice of very many, shape (k, nq).
        about: What the icon says.
        solids: What stands around: obstacles, and rigid bodies that move freely where they start.
        hair: The strands of the figure at each of the poses; () without any.
    """

    skeleton: Skeleton
    poses: Array
    about: About
    solids: tuple[Solid, ...] = ()
    hair: tuple[Solid | None, ...] = ()

    def around(self, number: int) -> tuple[Solid, ...]:
        """Return what is drawn beside the figure in one of its poses."""
        hair = self.hair[number] if self.hair else None
        return self.solids if hair is None else (*self.solids, hair)


def shown_frames(sequence: Sequence) -> list[int]:
    """Return the frames of a sequence's key poses, of more than ``MOST_POSES`` an even choice with both ends."""
    frames = [key.frame for key in sequence.keys] or [sequence.range[0]]
    if len(frames) > MOST_POSES:
        chosen = np.linspace(0, len(frames) - 1, MOST_POSES).round().astype(int)
        frames = [frames[k] for k in chosen]
    return frames


def still_pose(sequence: Sequence, poses: Array, frames: list[int]) -> int:
    """Return which pose stands for a motion: that nearest to the frame the file names, else the one farthest from the
    first, wherever the figure stands.

    Args:
        sequence: The motion; its member ``"icon"`` may name a frame.
        poses: Its key poses, shape (k, nq).
        frames: Their frames.
    """
    named = sequence.extra.get("icon")
    if isinstance(named, int):
        return int(np.argmin(np.abs(np.array(frames) - named)))
    places = np.array([forward_kinematics(sequence.skeleton, q)[:, :3, 3] for q in poses])
    places -= places[:, :1] * [1.0, 0.0, 1.0]
    return int(np.argmax(np.square(places - places[0]).sum(axis=(1, 2))))


class Reader:
    """Reads files; one thread at a time may use it."""

    def __init__(self) -> None:
        self._figures: OrderedDict[str, Skeleton] = OrderedDict()

    def read(self, path: Path) -> Content:
        """Return what the icon of a file shows: the sequence that was shown when it was saved.

        Raises:
            CoreError: If it cannot be read, or holds no figure.
            OSError: If the system refuses it.
        """
        from app.render.flipbook import prepare

        # Motion of other programs stands here as it does when it is opened.
        model, _ = model_files.read_model(path, choices=ImportChoices.found())
        sequence = model.sequence
        if sequence is None or model.active.figure < 0:
            raise SequenceError("it contains no figure that could move")
        frames = shown_frames(sequence)
        poses = np.array([self._pose(sequence, frame) for frame in frames])
        skeleton = self._shared(model.figures[model.active.figure])
        prepare(skeleton)
        first, last = sequence.range
        keys = len(sequence.keys)
        still = still_pose(sequence, poses, frames)
        about = About(last - first + 1, keys, still, len(frames), skeleton.name)
        hair = self._hair(model.physics, sequence, frames, model.active.figure == 0)
        return Content(skeleton, poses, about, self._solids(model.physics), hair)

    @staticmethod
    def _solids(record: dict[str, Any]) -> tuple[Solid, ...]:
        if not record:
            return ()
        from app.render.physics_world import world_solids  # they know all shapes that touch
        from core.preview.settings import PhysicsSettings

        try:
            return world_solids(PhysicsSettings.from_record(record))
        except CoreError:  # it is said when the file is opened
            return ()

    @staticmethod
    def _hair(record: dict[str, Any], sequence: Sequence, frames: list[int], first: bool) -> tuple[Solid | None, ...]:
        """Return the strands of a figure at frames; () if it has none."""
        if not record.get("strands"):
            return ()
        from app.render.world_lines import strand_lines, strands_solid  # they bring the forces along
        from core.preview.secondary_motion import SecondaryMotion, numbered_strands
        from core.preview.settings import PhysicsSettings

        try:
            settings = PhysicsSettings.from_record(record)
            own = numbered_strands(settings, sequence.skeleton, first)
            if not own:
                return ()
            motion = SecondaryMotion(sequence, list(own.values()), settings)
            every = [dict(zip(own, motion.at(frame), strict=True)) for frame in frames]
        except CoreError:  # as of the solids
            return ()
        return tuple(strands_solid(strand_lines(settings, nodes, sequence.skeleton)) for nodes in every)

    @staticmethod
    def _pose(sequence: Sequence, frame: int) -> Array:
        at = frame / sequence.fps
        try:
            return np.array(sequence.pose_at(at))
        except CoreError:  # locks that cannot be solved: the pose between the keys is what there is
            return np.array(sequence.interpolated(at))

    def _shared(self, figure: Figure) -> Skeleton:
        """Return one skeleton for all files that hold the same figure, so that its triangles are built once."""
        made = hashlib.sha256((figure.scr or "").encode())
        for name in sorted(figure.objects):
            made.update(f"\0{name}\0{figure.objects[name]}".encode())
        made.update(repr((figure.source, figure.skeleton.joint_names)).encode())
        key = made.hexdigest()
        skeleton = self._figures.setdefault(key, figure.skeleton)
        self._figures.move_to_end(key)
        while len(self._figures) > _FIGURES_KEPT:
            self._figures.popitem(last=False)
        return skeleton

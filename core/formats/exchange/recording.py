"""What was simulated, as pictures and files show it: where figures and bodies are frame by frame, and its file.

The window's pictures are drawn by a process of its own, which reads what was simulated from such a file.
"""

from __future__ import annotations

import json
import zipfile
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from core.errors import DynamicsError, FormatError, Problem

if TYPE_CHECKING:
    from core.preview.rigid_bodies import RigidBody
    from core.preview.sample import Sample

Array = NDArray[np.float64]

_NEAR = 1e-6  # frames


@dataclass(frozen=True, eq=False)
class Recording:
    """The course of a simulation.

    Attributes:
        frames: Frame numbers, rising, whole or not, shape (m,).
        poses: The figure's pose at each, shape (m, nq).
        others: The poses of each other figure, each of shape (m, its nq).
        bodies: What moves freely, everything that ever does.
        shown: For each frame which of ``bodies`` are there.
        placed: For each frame their frames in the world, shape (k, 4, 4).
        strands: The nodes of each strand of the settings at each frame, each of shape (m, n, 3), [m]; no nodes for one
            that was not simulated, no strands for a pose that stands still.
    """

    frames: Array
    poses: Array
    others: tuple[Array, ...] = ()
    bodies: tuple[RigidBody, ...] = ()
    shown: tuple[tuple[int, ...], ...] = ()
    placed: tuple[Array, ...] = ()
    strands: tuple[Array, ...] = ()

    @classmethod
    def of(cls, samples: Sequence[Sample]) -> Recording:
        """Return the recording of a simulation's samples, at least one."""
        bodies: list[RigidBody] = []
        numbers: dict[int, int] = {}
        shown = []
        for sample in samples:
            for body in sample.shapes:
                if id(body) not in numbers:
                    numbers[id(body)] = len(bodies)
                    bodies.append(body)
            shown.append(tuple(numbers[id(body)] for body in sample.shapes))
        others = tuple(np.array(rows) for rows in zip(*(sample.others for sample in samples), strict=True))
        return cls(
            np.array([float(sample.frame) for sample in samples]), np.array([sample.q for sample in samples]), others,
            tuple(bodies), tuple(shown), tuple(np.array(sample.rigid_bodies).reshape(-1, 4, 4) for sample in samples),
            tuple(np.array(rows) for rows in zip(*(sample.strands for sample in samples), strict=True)),
        )  # fmt: skip

    @classmethod
    def still(cls, frame: float, pose: Array, others: Sequence[Array] = ()) -> Recording:
        """Return the recording of a single pose, in which nothing but the figures has moved."""
        rows = tuple(np.array(q)[None] for q in others)
        return cls(np.array([float(frame)]), np.array(pose, dtype=np.float64)[None], rows)

    def at(self, frames: Array) -> Recording:
        """Return the same course at other frame numbers, shape (m,)."""
        return replace(self, frames=np.asarray(frames, np.float64))

    def moved(self, motion: Array) -> Recording:
        """Return what moved beside the figures, once its world is turned and moved; the figures' poses are left out.

        Args:
            motion: What is done to the world, shape (4, 4).
        """
        turn, shift = motion[:3, :3], motion[:3, 3]
        return replace(
            self, poses=np.empty((len(self.frames), 0)), others=(),
            bodies=tuple(body.moved(motion) for body in self.bodies), placed=tuple(motion @ X for X in self.placed),
            strands=tuple(rows @ turn.T + shift for rows in self.strands),
        )  # fmt: skip

    def number(self, frame: float) -> int:
        """Return the place of the last sample at or before a frame, as the window shows it; -1 outside of all."""
        at = bisect_right(self.frames, frame + _NEAR) - 1
        return at if at >= 0 and (at < len(self.frames) - 1 or frame - self.frames[at] < 1.0) else -1

    def bodies_at(self, number: int) -> tuple[list[RigidBody], Array] | None:
        """Return what moves freely at one of the frames, and where it is; None if nothing was simulated there."""
        if not self.shown:
            return None
        return [self.bodies[k] for k in self.shown[number]], self.placed[number]

    def strands_at(self, number: int) -> dict[int, Array] | None:
        """Return the nodes of strands by their numbers at one of the frames; None if none were simulated."""
        return {k: rows[number] for k, rows in enumerate(self.strands)} if self.strands else None

    # -- files ---------------------------------------------------------------------------------------------------

    def write(self, path: Path) -> None:
        """Write it to a file that :meth:`read` reads."""
        about = {"bodies": [body.to_record() for body in self.bodies], "shown": [list(row) for row in self.shown]}
        placed = np.concatenate(self.placed) if self.placed else np.zeros((0, 4, 4))
        others = {f"other_{k}": rows for k, rows in enumerate(self.others)}
        others |= {f"strand_{k}": rows for k, rows in enumerate(self.strands)}
        with path.open("wb") as file:
            np.savez(file, allow_pickle=False, frames=self.frames, poses=self.poses, placed=placed,
                     about=np.array(json.dumps(about)), **others)  # fmt: skip

    @classmethod
    def read(cls, path: Path) -> Recording:
        """Return the recording of a file.

        Raises:
            FormatError: If it is not one.
        """
        from core.preview.rigid_bodies import RigidBody  # it knows all shapes that touch

        try:
            with np.load(path, allow_pickle=False) as file:
                about = json.loads(str(file["about"]))
                frames, poses, placed = (np.asarray(file[name], np.float64) for name in ("frames", "poses", "placed"))
                others, strands = (
                    tuple(
                        np.asarray(file[name], np.float64)
                        for name in sorted((name for name in file.files if name.startswith(kind)), key=_number_of)
                    )
                    for kind in ("other_", "strand_")
                )
            shown = tuple(tuple(int(k) for k in row) for row in about["shown"])
            bodies = tuple(RigidBody.from_record(record) for record in about["bodies"])
            rows = [len(each) for each in (poses, *others, *strands, *((shown,) if shown else ()))]
            parts = tuple(np.split(placed, np.cumsum([len(row) for row in shown])[:-1])) if shown else ()
            if frames.ndim != 1 or not len(frames) or any(count != len(frames) for count in rows):
                raise ValueError(f"{len(frames)} frames, but rows {rows}")
            if any(len(part) != len(row) for part, row in zip(parts, shown, strict=True)):
                raise ValueError("bodies and their places differ in number")
            if any(not 0 <= k < len(bodies) for row in shown for k in row):
                raise ValueError("a body that is not described")
            if any(each.ndim != 3 or each.shape[2] != 3 for each in strands):
                raise ValueError("strands whose nodes are not places")
        except (OSError, ValueError, KeyError, TypeError, zipfile.BadZipFile, DynamicsError) as error:
            message = f"is not what the window writes of a simulation: {error}"
            raise FormatError(Problem(path.name, 0, 0, message)) from None
        return cls(frames, poses, others, bodies, shown, parts, strands)


def _number_of(name: str) -> int:
    return int(name.rpartition("_")[2])

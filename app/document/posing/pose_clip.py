"""Poses that are copied and pasted: values by the names of joints, so that they go across figures and windows."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from PySide6.QtCore import QMimeData
from PySide6.QtGui import QClipboard, QGuiApplication

from app.document.keys.clipboard import MIME as KEYS
from core.arrays import Array
from core.errors import CoreError, PoseError
from core.kinematics import forward_kinematics
from core.posing.pose_edit import inside_limits
from core.skeleton import Skeleton
from core.skeleton.mirroring.pose_mirror import columns_of, pose_mirror
from core.skeleton.root_turn import RootTurn
from core.skeleton.stance import stance
from core.spatial import quaternion as quat

MIME = "application/x-sequence-editor-pose"
FORMAT = "sequence-editor-pose"
VERSION = 1


class ClipError(CoreError):
    """A text that is no copied pose, or one of no use here."""


@dataclass(frozen=True)
class PoseClip:
    """A copied pose of some parts, or of a whole figure.

    Attributes:
        figure: Name of the figure.
        values: By name of the joint: kinds and values of its degrees of freedom, in order, [m] and [rad].
        turns: By name of the joint: how it was turned in the world, a unit quaternion.
        place: The root's place, [m], or None if it was not copied.
        whole: Whether it was the whole figure that was copied.
    """

    figure: str
    values: Mapping[str, tuple[tuple[str, float], ...]]
    turns: Mapping[str, tuple[float, ...]]
    place: tuple[float, float, float] | None
    whole: bool

    @classmethod
    def of(cls, skeleton: Skeleton, q: Array, joints: Iterable[int] | None = None) -> PoseClip:
        """Return the pose of some joints; None for the whole figure."""
        chosen = list(range(len(skeleton.joints))) if joints is None else sorted(set(joints))
        frames = forward_kinematics(skeleton, q)
        values, turns = {}, {}
        for joint in chosen:
            name, first = skeleton.joints[joint].name, 3 + skeleton.first_dof[joint]
            dofs = skeleton.joints[joint].dofs
            values[name] = tuple((dof.kind, float(q[first + k])) for k, dof in enumerate(dofs))
            turns[name] = tuple(float(part) for part in quat.from_matrix(frames[joint][:3, :3]))
        place = (float(q[0]), float(q[1]), float(q[2])) if 0 in chosen else None
        return cls(skeleton.name, values, turns, place, joints is None)

    # -- as text -------------------------------------------------------------------------------------------------

    def to_text(self) -> str:
        """Return the clip as JSON."""
        rows = [
            {"joint": name, "values": [list(pair) for pair in values], "turn": list(self.turns[name])}
            for name, values in self.values.items()
        ]
        record = {"format": FORMAT, "version": VERSION, "figure": self.figure, "whole": self.whole,
                  "place": self.place, "joints": rows}  # fmt: skip
        return json.dumps(record)

    @classmethod
    def from_text(cls, text: str) -> PoseClip:
        """Return the clip that a text holds.

        Raises:
            ClipError: If it is none.
        """
        try:
            record: dict[str, Any] = json.loads(text)
            if record["format"] != FORMAT:
                raise ClipError("the clipboard does not contain a pose")
            if record["version"] > VERSION:
                raise ClipError(
                    f"the pose on the clipboard is of version {record['version']}; this one reads {VERSION}"
                )
            values = {
                str(row["joint"]): tuple((str(kind), _finite(value)) for kind, value in row["values"])
                for row in record["joints"]
            }
            turns = {str(row["joint"]): tuple(_finite(part) for part in row["turn"]) for row in record["joints"]}
            place = None if record["place"] is None else tuple(_finite(part) for part in record["place"])
            if any(len(turn) != 4 for turn in turns.values()) or (place is not None and len(place) != 3):
                raise ValueError("a turn has four numbers and a place three")
            return cls(str(record["figure"]), values, turns, place, bool(record["whole"]))
        except (ValueError, KeyError, TypeError, AttributeError):
            raise ClipError("the clipboard does not contain a pose; copy one first") from None

    def to_mime(self) -> QMimeData:
        """Return what is put on the clipboard: for this program, and as plain text."""
        data, text = QMimeData(), self.to_text()
        data.setData(MIME, text.encode())
        data.setText(text)
        return data

    @classmethod
    def from_mime(cls, data: QMimeData) -> PoseClip:
        """Return the clip on a clipboard.

        Raises:
            ClipError: If there is none.
        """
        text = bytes(data.data(MIME).data()).decode(errors="replace") if data.hasFormat(MIME) else data.text()
        return cls.from_text(text)

    # -- pasting -------------------------------------------------------------------------------------------------

    def missing(self, skeleton: Skeleton) -> tuple[str, ...]:
        """Return the joints of the clip that a figure does not have, or not with the same degrees of freedom."""
        return tuple(name for name in self.values if self._joint(skeleton, name) is None)

    def _joint(self, skeleton: Skeleton, name: str) -> int | None:
        if name not in skeleton.joint_names:
            return None
        joint = skeleton.joint_index(name)
        kinds = [dof.kind for dof in skeleton.joints[joint].dofs]
        return joint if kinds == [kind for kind, _ in self.values[name]] else None

    def pasted(
        self, skeleton: Skeleton, q: Array, flipped: bool = False, in_place: bool = False, world: bool = False
    ) -> tuple[Array, list[int]]:
        """Return a pose with the clip in it, inside the limits, and the places in it that were pasted.

        Args:
            skeleton: The figure to paste onto.
            q: Its pose, shape (nq,), [m] and [rad].
            flipped: Onto the other side; the whole figure is mirrored at x = 0.
            in_place: The figure stays where it stands and faces as it does; only the height comes along.
            world: Parts are turned in the world as they were when copied, as far as their joints can.

        Raises:
            ClipError: If the figure has none of the joints.
        """
        found = {name: joint for name in self.values if (joint := self._joint(skeleton, name)) is not None}
        if not found:
            raise ClipError(f'the pose on the clipboard is of "{self.figure}"; no joint of it is in "{skeleton.name}"')
        made = np.array(q, dtype=np.float64)
        for name, joint in found.items():
            first = 3 + skeleton.first_dof[joint]
            made[first : first + len(self.values[name])] = [value for _, value in self.values[name]]
        root = 0 in found.values() and self.place is not None
        if root and self.place is not None:
            made[:3] = self.place
        columns = columns_of(skeleton, found.values(), place=root)
        if flipped:
            mirror = pose_mirror(skeleton)
            mirrored = mirror.convert(made)
            columns = np.flatnonzero(np.isin(mirror.columns, columns))
            made = np.array(q, dtype=np.float64)
            made[columns] = mirrored[columns]
        elif world:
            made = self._turned(skeleton, made, found)
        if in_place and root:
            made = stance(skeleton).stood_like(made, np.asarray(q))
        if not np.isfinite(made).all():
            raise PoseError("the pose on the clipboard has a value that is not finite")
        return inside_limits(skeleton, made, columns), columns.tolist()

    def _turned(self, skeleton: Skeleton, q: Array, found: Mapping[str, int]) -> Array:
        """Return a pose whose joints are turned in the world as they were; parents before children."""
        for name, joint in sorted(found.items(), key=lambda item: item[1]):
            part = skeleton.joints[joint]
            solver = RootTurn(part.dofs)
            if not solver.solved:
                continue
            frames = forward_kinematics(skeleton, q)
            above = frames[part.parent][:3, :3] if part.parent >= 0 else np.eye(3)
            wanted = (above @ part.rotation).T @ quat.to_matrix(np.array(self.turns[name]))
            own = slice(3 + skeleton.first_dof[joint], 3 + skeleton.first_dof[joint + 1])
            q = q.copy()
            q[own] = solver.values(wanted[None], q[None, own], np.zeros((1, len(part.dofs))))[0]
            q = inside_limits(skeleton, q, range(own.start, own.stop))
        return q


# -- the clipboard ---------------------------------------------------------------------------------------------------


def put(clip: PoseClip) -> None:
    """Copy a pose to the system's clipboard; without one it is not kept."""
    board = _board()
    if board is not None:
        board.setMimeData(clip.to_mime())


def get() -> PoseClip:
    """Return the pose that was copied last, here or in another window.

    Raises:
        ClipError: If there is none.
    """
    data = None if (board := _board()) is None else board.mimeData()
    if data is None:
        raise ClipError("there is nothing on the clipboard; copy a pose first")
    if data.hasFormat(KEYS) and not data.hasFormat(MIME):
        raise ClipError("there are keys on the clipboard; paste them in the timeline")
    return PoseClip.from_mime(data)


def _board() -> QClipboard | None:
    return QGuiApplication.clipboard() if isinstance(QGuiApplication.instance(), QGuiApplication) else None


def _finite(value: Any) -> float:
    number = float(value)
    if not np.isfinite(number):
        raise ValueError("not finite")
    return number

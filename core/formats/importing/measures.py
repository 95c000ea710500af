"""How large a figure is and which way it stands: what a person chose, else what its file's data say.

Three clues decide it: where the trunk of a person points at rest, where it points while it moves, and along which axis
the feet come down to one height again and again. No single one of them is enough: people lie, files rest in odd poses,
and recordings float. The axis that most of them agree on is taken; it is sure if no other one comes near.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from core.arrays import Array
from core.errors import FormatError, Problem
from core.formats.importing import units
from core.formats.importing.choices import AUTO, UPS, ImportChoices
from core.formats.importing.units import FileUnit, file_unit, guess_unit
from core.kinematics import forward_kinematics
from core.skeleton import Skeleton
from core.skeleton.anatomy import Anatomy, find_anatomy
from core.skeleton.extent import figure_height, rest_extent
from core.skeleton.frames import frames_at
from core.skeleton.named_parts import FOOT, HEAD, NECK, SHANK, THIGH, TOE, UPPER_ARM
from core.skeleton.skin import skinned_vertices

SAMPLES = 60
"""Poses of a motion that are looked at, at most."""

_CONVENTION = "y"
_AXIAL = 0.9  # cosine: a direction nearer to an axis than this points along it
_BIPED = 0.64  # cosine of 50 degrees: how far legs may hang from opposite to the trunk
_GROUND = 0.5  # weight of the feet's heights; trunk at rest and trunk in motion count 1 each
_STEADY = 0.08  # of the figure's size: scatter of the lowest point of a figure that walks on a floor
_MARGIN = 0.35  # between the best axis and the next one

_AXES = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [-1, 0, 0], [0, -1, 0], [0, 0, -1]], dtype=np.float64)
_TURNS = {
    "y": [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
    "z": [[1, 0, 0], [0, 0, 1], [0, -1, 0]],
    "-z": [[1, 0, 0], [0, 0, -1], [0, 1, 0]],
    "x": [[0, -1, 0], [1, 0, 0], [0, 0, 1]],
    "-x": [[0, 1, 0], [-1, 0, 0], [0, 0, 1]],
    "-y": [[1, 0, 0], [0, -1, 0], [0, 0, -1]],
}


class Upward(NamedTuple):
    """What was found.

    Attributes:
        axis: One of ``UPS``.
        sure: Whether nothing speaks for another one.
    """

    axis: str
    sure: bool


def upright(up: str) -> Array:
    """Return the quarter turns that bring a file's upward axis to +y, shape (3, 3), a signed permutation."""
    return np.array(_TURNS[up], dtype=np.float64)


def sampled(rows: Array, most: int = SAMPLES) -> Array:
    """Return at most ``most`` rows, evenly over all of them, the first and the last included."""
    if len(rows) <= most:
        return rows
    return rows[np.unique(np.linspace(0, len(rows) - 1, most).round().astype(int))]


def find_up(figure: Skeleton, q: Array) -> Upward:
    """Return the axis of a figure's file that points upwards.

    A figure that is not known for a person, or has no size, is taken to stand along y.

    Args:
        figure: The figure as its file has it, bare, in any unit.
        q: Poses of its motion, shape (m, nq), a few are enough; none for a figure alone.
    """
    rest = frames_at(figure, np.zeros(figure.n_dofs))
    anatomy = find_anatomy(figure, rest)
    if not anatomy.human:
        return Upward(_CONVENTION, True)
    body = _Body(figure, anatomy)
    at_rest = body.upward(rest[None, :, :3, 3])[0]
    resting = next((up for up, axis in zip(UPS, _AXES, strict=True) if float(at_rest @ axis) > _AXIAL), None)
    scores = np.zeros(len(UPS))
    if resting is not None:
        scores[UPS.index(resting)] += 1.0
    if len(q):
        places = forward_kinematics(figure, sampled(q))[..., :3, 3]
        directions = body.upward(places)
        scores += np.clip(directions @ _AXES.T, 0.0, None).mean(axis=0)
        scores += _GROUND * np.array([body.stands(places, axis) for axis in _AXES])
    order = np.argsort(-scores, kind="stable")
    best, second = int(order[0]), int(order[1])
    if scores[best] <= 0.0:
        return Upward(_CONVENTION, False)
    if len(q) and resting is not None and UPS[best] not in (resting, _CONVENTION):
        # Somebody lies, or the file rests in other axes than it moves in.
        return Upward(_CONVENTION if resting == _CONVENTION else UPS[best], False)
    if scores[best] - scores[second] >= _MARGIN:
        return Upward(UPS[best], True)
    near = scores[UPS.index(_CONVENTION)] > scores[best] - _MARGIN
    return Upward(_CONVENTION if near else UPS[best], False)


class _Body:
    """Where a person's hips, shoulders and feet are.

    Args:
        figure: The figure.
        anatomy: What its joints are.
    """

    def __init__(self, figure: Skeleton, anatomy: Anatomy):
        self.hips = _beginnings(figure, anatomy, THIGH)
        self.shoulders = anatomy.having(NECK, HEAD) or _beginnings(figure, anatomy, UPPER_ARM)
        self.feet = anatomy.having(FOOT) or [chain[-1] for chain in anatomy.chains.values()]
        self.low = anatomy.having(FOOT, TOE) or anatomy.having(SHANK)
        at = anatomy.frames[:, :3, 3]
        self.size = max(float(np.ptp(at, axis=0).max()), 1e-300)
        trunk, legs = self._parts(at[None])
        # An animal on four legs has its trunk along the ground; its legs decide.
        self.biped = float(trunk[0] @ legs[0]) > _BIPED

    def _parts(self, places: Array) -> tuple[Array, Array]:
        """Return the directions of the trunk and of the legs, both upwards, shape (m, 3) each."""
        hips = places[:, self.hips].mean(axis=1)
        trunk = places[:, self.shoulders].mean(axis=1) - hips
        legs = hips - places[:, self.feet].mean(axis=1)
        return _units(trunk), _units(legs)

    def upward(self, places: Array) -> Array:
        """Return where the body's own upward direction points, shape (m, 3), unit vectors or zero."""
        trunk, legs = self._parts(places)
        return trunk if self.biped else legs

    def stands(self, places: Array, axis: Array) -> float:
        """Return from 0 to 1 how far the figure stands on a floor at right angles to ``axis``."""
        heights = places @ axis
        lowest = heights.min(axis=1)
        on_feet = float(np.mean(heights[:, self.low].min(axis=1) <= lowest + 1e-6 * self.size))
        return on_feet * float(np.exp(-np.std(lowest) / (_STEADY * self.size)))


def _beginnings(figure: Skeleton, anatomy: Anatomy, part: str) -> list[int]:
    """The joints at which limbs of one kind begin."""
    return [i for i in anatomy.chains if anatomy.parts[i] == part]


def _units(vectors: Array) -> Array:
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0.0)


LIKELY_UNITS: tuple[tuple[float, str], ...] = (
    *units.UNITS[:3],
    (0.001, "millimetres"),
    *units.UNITS[3:],
    (0.3048, "feet"),
)
"""Metres in one unit that a file may be in, and what it is called; more than are guessed without asking."""


def up_taken(found: Upward, choice: str | None) -> str:
    """Return the axis of a file that is turned upwards: y, which changes nothing, if nobody chose."""
    if choice is None:
        return "y"
    return found.axis if choice == AUTO else choice


def rest_points(figure: Skeleton) -> Array:
    """Return joints and tips where every degree of freedom is zero, shape (k, 3), [units of the figure]."""
    frames = frames_at(figure, np.zeros(figure.n_dofs))
    tips = [
        frame[:3, :3] @ tip + frame[:3, 3]
        for frame, joint in zip(frames, figure.joints, strict=True)
        for tip in joint.tips
    ]
    return np.concatenate([frames[:, :3, 3], np.reshape(tips, (-1, 3))])


def standing_height(figure: Skeleton) -> float:
    """Return how tall a figure with bodies is, [units of the figure]: a person's from sole to crown, however it lies.

    Any other figure's as :func:`core.skeleton.extent.figure_height` has it; 0 for one without size.
    """
    if not float(rest_extent(figure).max()) > 0.0:
        return 0.0
    frames = frames_at(figure, np.zeros(figure.n_dofs))
    anatomy = find_anatomy(figure, frames)
    if not anatomy.human:
        return figure_height(figure)
    bodies = [i for i, joint in enumerate(figure.joints) if joint.objects]
    heights = [skinned_vertices(figure, i, frames) @ anatomy.up for i in bodies]
    return float(np.ptp(np.concatenate(heights))) if heights else figure_height(figure)


def found_unit(
    places: Sequence[Array],
    figure: Skeleton,
    figures_in: Callable[[float], Sequence[Skeleton]],
    file: str,
    choices: ImportChoices,
) -> FileUnit:
    """Return how long a unit of a file is: chosen, or guessed from the first frame, else from how a person rests.

    Args:
        places: For each figure its joints and tips in its first pose, shape (k, 3), [units of the file].
        figure: The largest figure, bare, in units of the file.
        figures_in: Makes the figures, with bodies, in a unit of so many metres.
        file: Name of the file for messages.
        choices: What the person chose.

    Raises:
        FormatError: If the choice makes no sense.
    """
    if choices.height is not None:
        tallest = max((standing_height(made) for made in figures_in(1.0)), default=0.0)
        unit = choices.height / tallest if tallest > 0.0 else 0.0
        if not units.SMALLEST <= unit <= units.LARGEST:
            message = f"the figure is {tallest:.3g} units tall and cannot be made {choices.height:g} m; give its unit"
            raise FormatError(Problem(file, 0, 0, message))
        return FileUnit(unit, units.GIVEN)
    known = file_unit(places, file, choices.unit)
    if known.guess != units.DOUBTFUL or not _is_human(figure):
        return known
    # Somebody crouches, lies or flies in the first frame.
    unit, guess = guess_unit(rest_points(figure))
    return FileUnit(unit, guess) if guess == units.SURE else known


def likely_unit(figure: Skeleton) -> float | None:
    """Return the unit in which a bare figure is a grown person at rest, None if there is none or it is no person."""
    if not _is_human(figure):
        return None
    extent = units.largest_extent(rest_points(figure))
    fitting = (unit for unit, _ in LIKELY_UNITS if units.SHORTEST <= extent * unit <= units.TALLEST)
    return next(fitting, None)


def _is_human(figure: Skeleton) -> bool:
    return find_anatomy(figure, frames_at(figure, np.zeros(figure.n_dofs))).human

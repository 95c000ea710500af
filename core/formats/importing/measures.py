"""How large a figure is and which way it stands: what a person chose, else what its file's data say."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from core.arrays import Array
from core.errors import FormatError, Problem
from core.formats.importing import units
from core.formats.importing.anatomy import find_anatomy
from core.formats.importing.choices import AUTO, ImportChoices
from core.formats.importing.units import FileUnit, file_unit, guess_unit
from core.formats.importing.upward import Upward
from core.skeleton import Skeleton
from core.skeleton.extent import figure_height, rest_extent
from core.skeleton.frames import frames_at
from core.skeleton.skin import skinned_vertices

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

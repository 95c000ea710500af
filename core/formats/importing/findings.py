"""What was found out about a motion file while it was read, and what is doubtful about it."""

from __future__ import annotations

from dataclasses import dataclass

from core.formats.importing.choices import ImportChoices

SIZE, UP, POSITIONS, FLOOR = "size", "up", "positions", "floor"
"""What may be doubtful."""


@dataclass(frozen=True)
class Findings:
    """How a motion file was read.

    Attributes:
        choices: What the caller chose.
        human: Whether the figure is known for a person.
        height: How tall it stands as it was read, [m].
        unit: Metres in one unit of the file, as it was read.
        likely_unit: The unit in which it would be a grown person, from a longer list than is guessed from; None if
            there is none.
        found_up: The file's axis that points upwards by its data.
        up_sure: Whether the data leave no doubt about it.
        up: The axis that was turned upwards.
        found_positions: What position channels below the root seem to do with offsets; None if there are none.
        positions: What was taken.
        lowest: Height of the lowest point of the feet over the motion before it was put on the floor, [m].
        first_lowest: The same in the first frame, [m].
        facing: Where the figure faces in the first frame before it was turned, from +z towards +x, [rad]; None if it
            has no known front.
        facing_average: The same on average.
        apart: Whether the first frame is a pose apart from the motion.
        doubts: What somebody should look at: some of ``SIZE``, ``UP``, ``POSITIONS`` and ``FLOOR``.
    """

    choices: ImportChoices
    human: bool
    height: float
    unit: float
    likely_unit: float | None
    found_up: str
    up_sure: bool
    up: str
    found_positions: str | None
    positions: str | None
    lowest: float
    first_lowest: float
    facing: float | None
    facing_average: float | None
    apart: bool
    doubts: tuple[str, ...]

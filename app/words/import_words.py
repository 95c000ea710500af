"""What is said about a motion file of another program once it was read: what was assumed, and what says otherwise."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import NamedTuple

from core.formats import Findings, Project
from core.formats.importing import findings as doubt
from core.formats.importing.choices import ADD, AUTO
from core.formats.importing.measures import LIKELY_UNITS
from core.formats.importing.units import FILE, SHORT_NAMES, UNITS

_OPTIONS = {"floor": "on-floor", "facing": "face"}  # by the names of choices, where they are called otherwise
_OF_FRAMES = ("first", "last", "fps")  # chosen of files of this program, too
PERSON = 1.7  # [m]
Option = Callable[..., str]
"""Returns how a choice is written, by its name and its value, "" for the name alone."""
_SHORT_UNITS = {metres: name for name, metres in SHORT_NAMES.items()}
WARNING, NOTE = "warning", "note"
FIRST_APART = "the first frame is a pose apart from the motion"


class Remark(NamedTuple):
    """Something to be said about a file.

    Attributes:
        kind: ``WARNING`` or ``NOTE``.
        text: What, in a line, without the name of the file.
    """

    kind: str
    text: str


def remarks(project: Project, option: Option) -> list[Remark]:
    """Return what was assumed about a motion file, each with what says otherwise.

    Args:
        project: What was read.
        option: Returns how a choice is written, by its name and its value, "" for the name alone.
    """
    found = project.imported
    if found is None:
        return []
    said: list[Remark] = []

    def say(kind: str, text: str) -> None:
        said.append(Remark(kind, text))

    if doubt.UP in found.doubts:
        say(WARNING, f"it is not clear which axis points up; taken as {found.up}, {option('up')} sets it")
    elif found.choices.up == AUTO and found.up != "y":
        say(NOTE, f"{found.up} points up in this file, so it was turned; {option('up', 'y')} leaves it as is")
    if doubt.POSITIONS in found.doubts:
        say(
            WARNING,
            "it is not clear whether positions replace the joints' offsets or add to them; "
            f"taken as {found.positions}, {option('positions')} sets it",
        )
    elif found.choices.positions == AUTO and found.positions == ADD:
        say(
            NOTE,
            "positions were added to the joints' offsets, which keeps the bones' lengths; "
            f"{option('positions', 'replace')} uses them in place of the offsets",
        )
    if doubt.SIZE in found.doubts and found.height > 0.0:
        say(NOTE, _size(found, project.unit_guess, option))
    if doubt.FLOOR in found.doubts:
        above = found.first_lowest >= 0.0
        height = found.lowest if above else -found.first_lowest
        where = "above" if above else "below"
        say(NOTE, f"the feet are {height:.2f} m {where} the floor; {option('on-floor', 'lowest')} moves them")
    if found.apart:
        say(WARNING, f"{FIRST_APART}; {option('first', str((found.choices.first or 0) + 1))} leaves it out")
    return said


def ignored(project: Project, option: Option, used: Collection[str] = ()) -> list[Remark]:
    """Return that choices made no difference; none if all did.

    Args:
        project: What was read.
        option: As for :func:`remarks`.
        used: Those that are made use of otherwise, by their names in ``ImportChoices``.
    """
    names = [option(_OPTIONS.get(name, name)) for name in project.ignored if name not in (*used, *_OF_FRAMES)]
    if not names:
        return []
    listed = " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
    make = "makes" if len(names) == 1 else "make"
    return [Remark(WARNING, f"{listed} {make} no difference: files of this program are read as they are")]


def _unit_name(unit: float) -> str:
    """Return what a unit is called, in the plural."""
    known = (*LIKELY_UNITS, *UNITS)
    return next((name for metres, name in known if metres == unit), f"units of {unit:g} m")


def _size(found: Findings, guess: str, option: Option) -> str:
    """Return which unit was taken and why, and how another one is given."""
    unit = found.likely_unit
    said = ", as its format says" if guess == FILE else ", because in no common unit would it be the size of an adult"
    tall = f"taken as {_unit_name(found.unit)}{said}: the figure is {found.height:.3g} m tall"
    if unit is not None:
        height = found.height / found.unit * unit
        short = _SHORT_UNITS.get(unit, f"{unit:g}")
        return f"{tall}; in {_unit_name(unit)} it would be {height:.2f} m: {option('unit', short)}"
    as_person = f"{option('height', f'{PERSON:g}')} makes it as tall as a person"
    person = as_person if found.human else f"{option('height')} sets its height"
    return f"{tall}; {option('unit')} sets the unit, {person}"

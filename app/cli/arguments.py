"""Words of the command line turned into values, with one line for what cannot be meant."""

from __future__ import annotations

import argparse
import json
import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from app.words.picture_words import BACKDROPS, LARGEST, SMALLEST
from core.errors import CoreError
from core.formats.importing.choices import FASTEST, SLOWEST
from core.formats.importing.units import SHORT_NAMES
from core.regular_file import other_kind

if TYPE_CHECKING:
    from app.render.camera import Camera
    from app.render.lights import Lights
    from core.animation import Sequence
    from core.formats import Project

LAST_FRAME = 2**31 - 1

SHOT = "shot"
"""The name of the camera that a sequence has keys of."""


class BadInput(Exception):  # noqa: N818  (it is reported, not raised at a person)
    """What the person gave cannot be used; the message is the one line they see."""


def size(text: str) -> tuple[int, int]:
    """Read ``1280x720``."""
    width, cross, height = text.lower().partition("x")
    sides = [int(side) for side in (width, height) if side.isascii() and side.isdigit() and len(side) <= 5]
    if not cross or len(sides) < 2 or not all(SMALLEST <= side <= LARGEST for side in sides):
        raise argparse.ArgumentTypeError(
            f'"{text}" is not a size; write it like 1280x720, {SMALLEST} to {LARGEST} each way'
        )
    return sides[0], sides[1]


def frame(text: str) -> int:
    """Read the number of a frame."""
    if not (text.isascii() and text.isdigit() and len(text) <= 10 and int(text) <= LAST_FRAME):
        raise argparse.ArgumentTypeError(f'"{text}" is not a frame; frames are whole numbers from 0 to {LAST_FRAME}')
    return int(text)


def frames(text: str) -> tuple[int | None, int | None]:
    """Read ``A:B``; either may be left out."""
    first, colon, last = text.partition(":")
    if not colon:
        raise argparse.ArgumentTypeError(f'"{text}" is not a range; write it like 0:30, or 10: for all from 10 on')
    a, b = (frame(part) if part else None for part in (first, last))
    if a is not None and b is not None and a > b:
        raise argparse.ArgumentTypeError(f'"{text}" runs backwards; expected {b}:{a}')
    return a, b


def positive(text: str) -> float:
    """Read a number above 0, as in frames a second or seconds."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not (math.isfinite(value) and value > 0.0):
        raise argparse.ArgumentTypeError(f'"{text}" is not a number above 0')
    return value


def rate(text: str) -> float:
    """Read frames a second of a motion."""
    value = positive(text)
    if not SLOWEST <= value <= FASTEST:
        raise argparse.ArgumentTypeError(
            f'"{text}" frames per second make no sense; expected {SLOWEST:g} to {FASTEST:g}'
        )
    return value


def unit(text: str) -> float:
    """Read a unit of length: its name, or how many metres it has."""
    if text.lower() in SHORT_NAMES:
        return SHORT_NAMES[text.lower()]
    try:
        return positive(text)
    except argparse.ArgumentTypeError:
        known = ", ".join(SHORT_NAMES)
        raise argparse.ArgumentTypeError(f'"{text}" is not a unit; expected {known}, or metres in one unit') from None


def output(*suffixes: str) -> Callable[[str], Path]:
    """Return a reader for the path of a file to be written, with one of these suffixes (any for none)."""

    def read(text: str) -> Path:
        path = Path(text)
        if suffixes and path.suffix.lower() not in suffixes:
            valid = ", ".join(suffixes)
            raise argparse.ArgumentTypeError(f'"{text}": expected a name that ends in {valid}')
        if not path.parent.is_dir():
            raise argparse.ArgumentTypeError(f'"{text}": there is no folder "{path.parent}"')
        kind = other_kind(path)
        if kind:
            raise argparse.ArgumentTypeError(f'"{text}" is {kind}; expected the name of a file')
        return path

    return read


def camera(text: str) -> Camera | str:
    """Read ``shot``, or a camera as JSON, as :meth:`app.render.camera.Camera.to_json` gives it."""
    if text.lower() == SHOT:
        return SHOT
    from app.render.camera import Camera

    try:
        return Camera.from_json(json.loads(text))
    except (ValueError, AttributeError, CoreError) as error:
        raise argparse.ArgumentTypeError(f"{text[:60]} is not a camera: {error}") from None


def backdrop(text: str) -> str:
    """Read the name of a backdrop, or a plain colour as ``#rrggbb``."""
    name = text.lower()
    if name not in BACKDROPS and not re.fullmatch("#[0-9a-f]{6}", name):
        known = ", ".join(BACKDROPS)
        raise argparse.ArgumentTypeError(f'"{text}" is not a backdrop; expected {known}, or a colour such as #336699')
    return name


def lights(text: str) -> Lights:
    """Read the name of lights, perhaps with the key light's direction in degrees, strength in percent and height."""
    from app.render.lights import LIGHTS

    name, *numbers = text.lower().split(":")
    if name not in LIGHTS:
        raise argparse.ArgumentTypeError(f'"{text}" are no lights; expected {", ".join(LIGHTS)}')
    found = LIGHTS[name][1]
    try:
        values = [float(each) for each in numbers]
    except ValueError:
        values = [math.nan]
    bounds = ((-math.inf, math.inf), (0.0, 400.0), (10.0, 85.0))
    fit = len(values) <= 3 and all(low <= each <= high for each, (low, high) in zip(values, bounds, strict=False))
    if not fit or not all(math.isfinite(each) for each in values):
        valid = f"{name}:DIRECTION:PERCENT:HEIGHT, such as {name}:45:120:30, with 0 to 400 % and 10 to 85 degrees"
        raise argparse.ArgumentTypeError(f'"{text}" cannot be read; write it like {valid}')
    if not values:
        return found
    height = math.radians(values[2]) if values[2:] else None
    return found.placed(math.radians(values[0]), height, values[1] / 100.0 if values[1:] else 1.0)


def chosen_sequence(project: Project, name: str | None) -> Sequence | None:
    """Return the sequence that a person names, or the first one; None if the project has none.

    Args:
        project: The project.
        name: Its name, in any case, or its number, counted from 1.

    Raises:
        BadInput: If there is none of that name.
    """
    if name is None:
        return project.sequences[0] if project.sequences else None
    for found in (
        [sequence for sequence in project.sequences if sequence.name == name],
        [sequence for sequence in project.sequences if sequence.name.casefold() == name.casefold()],
    ):
        if len(found) == 1:
            return found[0]
        if found:
            raise BadInput(f'there are {len(found)} sequences named "{name}"; give its number, counted from 1')
    if name.isascii() and name.isdigit() and 1 <= int(name[:9]) <= len(project.sequences):
        return project.sequences[int(name) - 1]
    names = ", ".join(f'"{sequence.name}"' for sequence in project.sequences[:10])
    more = f" and {len(project.sequences) - 10} more" if len(project.sequences) > 10 else ""
    raise BadInput(f'there is no sequence "{name}"; ' + (f"there are {names}{more}" if names else "there are none"))


def number(text: str) -> float:
    """Return a finite number from a word of the command line."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise argparse.ArgumentTypeError(f'"{text}" is not a number')
    return value

"""From what a person asks for to the shot that is drawn: which frames, how many pictures a second, which camera."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from app.export.errors import ExportError, StandsStillError
from app.export.movie import MOVIES, clear_kinds, movie_rate, movie_size
from app.export.shot import CLEAR, MOST_PICTURES, Shot, frame_numbers
from app.render.camera import Camera
from core.animation import Sequence
from core.animation.shot_camera import ShotCamera
from core.arrays import Array
from core.formats.exchange.recording import Recording
from core.skeleton import Skeleton

if TYPE_CHECKING:
    from core.preview.settings import PhysicsSettings

PICTURE_SIZE, GIF_SIZE = (1280, 720), (640, 360)
_STANDING_RATE = 30.0  # frames a second of a figure without a motion


def playing_range(sequence: Sequence | None, recording: Recording | None = None) -> tuple[int, int]:
    """Return the first and the last frame of a movie: the sequence's, and what was simulated after or before them."""
    first, last = sequence.range if sequence is not None else (0, 0)
    if recording is None or len(recording.frames) < 2:
        return first, last
    start = round(float(recording.frames[0]))
    return min(first, start), max(int(recording.frames[-1] + 1e-6), start)


def _chosen_range(playing: tuple[int, int], wanted: tuple[int | None, int | None] | None) -> tuple[int, int]:
    """Return the first and the last frame, of the range that plays where nothing else is wanted."""
    if wanted is None:
        return playing
    first, last = (default if given is None else given for given, default in zip(wanted, playing, strict=True))
    if first > last:
        raise ExportError(f"frames {first} to {last} run backwards; the range is {playing}")
    return first, last


def _round_numbers(numbers: Array | None, turntable: float, rate: float, stand: int) -> tuple[Array, int]:
    """Return the frames that are shown while the camera goes once round, and how often.

    Args:
        numbers: Those of the motion, None for a figure that stands still.
        turntable: Seconds to go round.
        rate: Pictures a second.
        stand: The frame at which the figure stands.
    """
    if numbers is not None:
        return numbers, max(1, round(turntable * rate / len(numbers)))
    return np.full(max(2, round(min(turntable * rate, MOST_PICTURES + 1.0))), float(stand)), 1


def _shot_camera(sequence: Sequence | None, view: str, turntable: float | None, follow: bool) -> ShotCamera:
    """Return the sequence's camera; other wishes about the camera contradict it."""
    if sequence is None or not sequence.camera.keys:
        name = f'"{sequence.name}"' if sequence is not None else "a figure without a motion"
        raise ExportError(f"{name} has no camera keys; key the camera in the perspective view first")
    if view != "perspective" or turntable is not None or follow:
        what = "a turntable" if turntable is not None else "following" if follow else f"the {view} view"
        raise ExportError(f"the shot's camera and {what} do not go together; choose one of them")
    return sequence.camera


def planned_shot(
    skeleton: Skeleton,
    sequence: Sequence | None,
    path: Path,
    *,
    frame: int | None = None,
    frames: tuple[int | None, int | None] | None = None,
    fps: float | None = None,
    size: tuple[int, int] | None = None,
    theme: str = "dark",
    view: str = "perspective",
    camera: Camera | None = None,
    turntable: float | None = None,
    follow: bool = False,
    ghosts: bool = False,
    fit: bool = False,
    physics: PhysicsSettings | None = None,
    recording: Recording | None = None,
    others: tuple[tuple[Skeleton, Sequence], ...] = (),
    backdrop: str = "stage",
    through: bool = False,
) -> Shot:
    """Return the shot for a file.

    Args:
        skeleton: The figure.
        sequence: Its motion, or None.
        path: Where it will be written; the suffix says whether it is a movie.
        frame: A single frame to show; None for the first key's.
        frames: First and last frame of a stretch, None for the range that plays.
        fps: Pictures a second; None for what suits the motion and the kind of file.
        size: Width and height, [px]; None for 1280 x 720, or 640 x 360 for a GIF.
        theme: ``"dark"`` or ``"light"``.
        view: ``"perspective"``, ``"front"``, ``"side"`` or ``"top"``.
        camera: Where from; None frames everything that moves.
        turntable: Seconds for the camera to go once round the figure; a motion is repeated as often as comes nearest
            to that time, and the camera follows. None for a camera that does not go around.
        follow: Whether the camera follows the figure.
        ghosts: Whether neighbouring keys are drawn as ghosts.
        fit: Whether ``camera`` keeps its angles only, and frames everything that moves.
        physics: Settings of physics, of which all that stands in the world is drawn; None for the usual floor.
        recording: What was simulated; a movie goes on to its end.
        others: Other figures that are drawn, with their motion.
        backdrop: What is behind the figure: ``"stage"``, ``"studio"``, ``"transparent"``, ``"shadow"`` or
            ``"#rrggbb"``.
        through: Whether the shot is seen through the sequence's own camera, along its keys.

    Raises:
        ExportError: If the wishes contradict each other, or nothing would move in a movie.
    """
    # In one piece: what is shown depends on all of the wishes together, and half of the lines say what these are.
    movie = path.suffix.lower() in MOVIES
    size = size or (GIF_SIZE if path.suffix.lower() == ".gif" else PICTURE_SIZE)
    size = movie_size(path, *size) if movie else size
    if backdrop in CLEAR and movie and not MOVIES[path.suffix.lower()].clear:
        raise ExportError(f"a {path.suffix.lower()} movie cannot be transparent; {clear_kinds()} can")
    if frame is not None and frames is not None:
        raise ExportError("one frame and a range of frames do not go together; give one of them")
    shot_camera = _shot_camera(sequence, view, turntable, follow) if through else None
    first, last = _chosen_range(playing_range(sequence, recording), frames)
    motion_fps = sequence.fps if sequence is not None else _STANDING_RATE
    keyed = sequence is not None and len(sequence.keys) > 1
    recorded = recording is not None and len(recording.frames) > 1
    panned = shot_camera is not None and len(shot_camera.keys) > 1
    moves = (keyed or recorded or panned) and first < last and frame is None
    closes = sequence is not None and moves and not recorded and sequence.closes and (first, last) == sequence.range
    rate = fps
    if rate is None:
        drawn = movie or turntable is not None
        rate = movie_rate(path, motion_fps if moves else _STANDING_RATE) if drawn else motion_fps
    stand = frame if frame is not None else (sequence.keys[0].frame if sequence is not None and sequence.keys else 0)

    repeats = 1
    if turntable is not None:
        if view != "perspective" or (camera is not None and camera.orthographic):
            raise ExportError("a camera that goes round needs the perspective view")
        played = frame_numbers(first, last, motion_fps, rate, closes) if moves else None
        numbers, repeats = _round_numbers(played, turntable, rate, stand)
        follow = True
    elif moves and (movie or frames is not None):
        numbers = frame_numbers(first, last, motion_fps, rate, closes)
    elif movie:
        name = f'"{sequence.name}"' if sequence is not None else f'"{skeleton.name}"'
        raise StandsStillError(f"a movie of {name} would stand still: nothing in it moves")
    else:
        numbers = np.array([float(first if frames is not None else stand)])
    if len(numbers) * repeats > MOST_PICTURES:
        raise ExportError(f"that would make {len(numbers) * repeats} pictures; the most is {MOST_PICTURES}")
    if closes and path.suffix.lower() == ".gif" and fps is None:
        rate = len(numbers) * motion_fps / (last - first)  # so that the round has the right length to 1/100 s
    return Shot(
        skeleton, numbers, rate, size, sequence, theme, view, camera, follow and moves, turntable is not None, ghosts,
        closes, repeats, fit, physics, recording, others, backdrop,
        through=shot_camera,
    )  # fmt: skip

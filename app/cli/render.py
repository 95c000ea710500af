"""``render``: pictures and movies of a file, without a display."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from app.cli import arguments, importing
from app.cli.arguments import BadInput, chosen_sequence
from app.cli.progress_line import ProgressLine
from core.animation import Sequence
from core.animation.new_sequence import new_sequence
from core.formats import Project

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from app.export import Shot
    from core.formats.exchange.recording import Recording


def render(options: argparse.Namespace) -> int:
    """Draw a frame of a file as PNG, or its motion as MP4, GIF or numbered PNGs; needs no display."""
    from app.export import StandsStillError, write_pictures
    from app.export.of_project import drawn_physics, other_figures, write_shot
    from app.export.plan import planned_shot
    from app.export.png import first_number
    from app.render.lights import kept_lights
    from core.formats.exchange.recording import Recording

    project = importing.read(options, options.file.name)
    sequence = chosen_sequence(project, options.sequence)
    if sequence is None and not project.figures:
        raise BadInput(f"{options.file}: there is no figure in it")
    figure = sequence.skeleton if sequence is not None else project.figures[0]
    (physics, wrong), recording = drawn_physics(project), None
    if wrong:
        print(f"warning: {wrong}", file=sys.stderr)
    others = other_figures(project, figure) if options.all_figures or options.simulate is not None else ()
    if options.recording is not None:
        recording = Recording.read(options.recording)  # an ExportError is reported in one line, as all CoreErrors are
    elif options.simulate is not None:
        sequence = sequence or new_sequence(figure, options.file.stem)
        recording = _simulated(project, sequence, options)
    path: Path = options.output
    through = options.camera == arguments.SHOT
    is_movie, series = path.suffix.lower() != ".png", ""
    try:
        shot = planned_shot(
            figure, sequence, path, frame=options.frame, frames=options.frames, fps=options.fps, size=options.size,
            theme=options.theme, view=options.view, camera=None if through else options.camera,
            turntable=options.turntable, follow=options.follow, ghosts=options.ghosts, fit=options.fit,
            physics=physics, recording=recording, others=others, backdrop=options.backdrop, through=through,
        )  # fmt: skip
        shot.hidden, shot.lights = frozenset(options.hide), options.lights or kept_lights(project.view)
        _warn_of_frames(options, sequence)
        sound = _sound(options, shot) if is_movie else None
        with ProgressLine(path.name, options.progress) as progress:
            if not is_movie and (len(shot) > 1 or options.frames is not None):
                first = first_number(shot.frames) if shot.repeats == 1 else 1
                files = write_pictures(shot.pictures(), path, len(shot), progress, first)
                series = f", {files[0].name} to {files[-1].name}"
            else:
                write_shot(shot, path, progress, sound)
    except StandsStillError as error:
        raise BadInput(f"{error}; --turntable moves the camera around it") from None
    width, height = shot.size
    length = f", {_length(len(shot), shot.rate, is_movie)}" if len(shot) > 1 else ""
    print(f"{path}: {width} x {height}{length}{series}")
    return 0


def _sound(options: argparse.Namespace, shot: Shot) -> NDArray[np.float32] | None:
    """Return the movie's sound, if there is one and it is wanted."""
    from app.export import MOVIES, ExportError

    suffix = options.output.suffix.lower()
    if options.sound and not MOVIES[suffix].sound:
        raise ExportError(f"a {suffix} movie cannot have sound")
    if options.sound and (shot.sequence is None or shot.sequence.audio is None):
        raise ExportError("there is no music to put into the movie; load some in the window first")
    if options.sound is False or not MOVIES[suffix].sound:
        return None
    return shot.sound()


def _simulated(project: Project, sequence: Sequence, options: argparse.Namespace) -> Recording:
    """Simulate a file as the editor's physics mode does; return what happened."""
    from app.cli.simulate import simulated
    from core.formats.exchange.recording import Recording

    seconds = options.simulate if options.simulate > 0.0 else None
    with ProgressLine(f"simulating {sequence.name}", options.progress) as progress:
        preview = simulated(project, sequence, seconds, progress)
    return Recording.of(preview.samples)


def _length(count: int, rate: float, is_movie: bool) -> str:
    return f"{count / rate:.2f} s, {count} pictures" if is_movie else f"{count} pictures"


def _warn_of_frames(options: argparse.Namespace, sequence: Sequence | None) -> None:
    asked = [options.frame, *(options.frames or ())]
    last = max((frame for frame in asked if frame is not None), default=None)
    if sequence is not None and sequence.keys and last is not None and last > sequence.keys[-1].frame:
        print(f"warning: frame {last} is past the last key, {sequence.keys[-1].frame}", file=sys.stderr)

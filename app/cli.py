"""The command line: open the editor, or check, describe and draw files without it.

Exit code 0 on success, 2 with one line on bad input.
"""

from __future__ import annotations

import argparse
import math
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from core import __version__
from core.errors import CoreError, FormatError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from core.formats import Project

PROGRAM = "sequence-editor"
VIEWS = ("perspective", "front", "side", "top")
THEME_NAMES = ("dark", "light")


class BadInput(Exception):  # noqa: N818  (it is told, not raised at a person)
    """What the person gave cannot be used; the message is the one line they see."""


def _size(text: str) -> tuple[int, int]:
    width, cross, height = text.lower().partition("x")
    if not (cross and width.isdigit() and height.isdigit() and 16 <= int(width) <= 8192 and 16 <= int(height) <= 8192):
        raise argparse.ArgumentTypeError(f'"{text}" is not a size; write it like 1280x720, 16 to 8192 each way')
    return int(width), int(height)


def _frame(text: str) -> int:
    if not text.isdigit():
        raise argparse.ArgumentTypeError(f'"{text}" is not a frame; frames are whole numbers from 0')
    return int(text)


def _load(path: Path) -> Project:
    from core.formats import load

    return load(path)


def _png_path(text: str) -> Path:
    path = Path(text)
    if path.suffix.lower() != ".png":
        raise argparse.ArgumentTypeError(f'"{text}": pictures are written as .png')
    if not path.parent.is_dir():
        raise argparse.ArgumentTypeError(f'"{text}": there is no folder "{path.parent}"')
    return path


# -- check, info ------------------------------------------------------------------------------------------------------


def check(options: argparse.Namespace) -> int:
    """Say whether a file can be read, with every problem and every warning."""
    try:
        project = _load(options.file)
    except FormatError as error:
        print(error.summary(), file=sys.stderr)
        return 2
    for warning in project.warnings:
        print(f"warning: {warning}", file=sys.stderr)
    count = len(project.warnings)
    print(f"{options.file}: good" + (f", {count} warning{'s' * (count != 1)}" if count else ""))
    return 0


def _limit(value: float, kind: str) -> str:
    if math.isinf(value):
        return "no limit"
    return f"{value:.3f} m" if kind == "slide" else f"{math.degrees(value):.0f}°"


def info(options: argparse.Namespace) -> int:
    """Print what a file holds: figures with sizes and limits, sequences with durations."""
    from core.skeleton.mass import mass_properties
    from core.skeleton.segment import figure_height

    project = _load(options.file)
    for figure in project.figures:
        mass = sum(mass_properties(figure, i)[0] for i in range(len(figure.joints)))
        print(f'figure "{figure.name}": {len(figure.joints)} joints, {figure.n_dofs} DOF, ', end="")
        print(f"{figure_height(figure):.3f} m high, {mass:.2f} kg")
        if options.limits:
            for label, dof in zip(figure.dof_labels, figure.all_dofs, strict=True):
                free = math.isinf(dof.lo) and math.isinf(dof.hi)
                span = "free" if free else f"{_limit(dof.lo, dof.kind)} to {_limit(dof.hi, dof.kind)}"
                print(f"    {label}: {span}")
    for sequence in project.sequences:
        frames = [key.frame for key in sequence.keys]
        print(f'sequence "{sequence.name}": {len(frames)} keys', end="")
        if frames:
            print(f", frames {frames[0]} to {frames[-1]}, {(frames[-1] - frames[0]) / sequence.fps:.2f} s", end="")
        print(f", {sequence.fps:g} fps")
    return 0


# -- pictures ---------------------------------------------------------------------------------------------------------


def render(options: argparse.Namespace) -> int:
    """Draw one frame of a file into a picture; needs no display."""
    from app.viewport.context import GraphicsError
    from app.viewport.offscreen import still

    project = _load(options.file)
    sequence = project.sequences[0] if project.sequences else None
    figure = sequence.skeleton if sequence is not None else project.figures[0]
    q = figure.rest_pose()
    if sequence is not None and sequence.keys:
        frame = sequence.keys[0].frame if options.frame is None else options.frame
        q = sequence.pose_at(frame / sequence.fps)
        if frame > sequence.keys[-1].frame:
            print(f"warning: frame {frame} is past the last key, {sequence.keys[-1].frame}", file=sys.stderr)
    try:
        image = still(figure, q, *options.size, theme=options.theme, kind=options.view)
    except GraphicsError as error:
        raise BadInput(str(error)) from None
    _write_png(image, options.output)
    print(f"{options.output}: {options.size[0]} x {options.size[1]}")
    return 0


def _write_png(pixels: NDArray[np.uint8], path: Path) -> None:
    from PySide6.QtGui import QImage

    height, width = pixels.shape[:2]
    image = QImage(pixels.tobytes(), width, height, 4 * width, QImage.Format.Format_RGBX8888)
    if not image.save(str(path)):
        raise BadInput(f"{path}: cannot be written")


def screenshot(options: argparse.Namespace) -> int:
    """Open the real window on a file, and save a picture of it; starts a virtual display where there is none."""
    from app.editor import take_screenshot

    _load(options.file)  # bad input is told before any window exists
    take_screenshot(options.file, options.output, options.size, theme=options.theme, frame=options.frame)
    print(f"{options.output}: {options.size[0]} x {options.size[1]}")
    return 0


# -- the editor -------------------------------------------------------------------------------------------------------


def edit(options: argparse.Namespace) -> int:
    """Open the editor."""
    from app import virtual_display

    if options.demo and not virtual_display.has_display():
        from app.editor import play_demo

        play_demo(Path("screenshot.png"))
        return 0
    if not virtual_display.has_display():
        raise BadInput(
            f"there is no display; log in to a desktop, or draw without one: {PROGRAM} screenshot FILE OUT.png"
        )
    from app.editor import run

    return run(options.files, demo=options.demo)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=PROGRAM,
        usage=f"{PROGRAM} [FILE ...]\n       {PROGRAM} COMMAND ...",
        description="Pose, key and play articulated figures. Without a command, opens the editor.",
    )
    parser.add_argument("--version", action="version", version=f"{PROGRAM} {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", prog=PROGRAM)

    def command(name: str, action: Callable[[argparse.Namespace], int], text: str) -> argparse.ArgumentParser:
        made = commands.add_parser(name, help=text, description=(action.__doc__ or text).splitlines()[0])
        made.set_defaults(action=action)
        return made

    opened = command("edit", edit, "open the editor (the default)")
    opened.add_argument("files", nargs="*", type=Path, metavar="FILE", help=".scr or .seq file to open")
    opened.add_argument(
        "--demo", action="store_true", help="open a sample; without a display, play it and save a picture"
    )

    checked = command("check", check, "say whether a file can be read, and what is wrong in it")
    checked.add_argument("file", type=Path, metavar="FILE")

    told = command("info", info, "print figures and sequences of a file")
    told.add_argument("file", type=Path, metavar="FILE")
    told.add_argument("--limits", action="store_true", help="list every degree of freedom with its limits")

    for name, action, text in (
        ("render", render, "draw one frame of a file (no display needed)"),
        ("screenshot", screenshot, "save a picture of the editor's window (no display needed)"),
    ):
        drawn = command(name, action, text)
        drawn.add_argument("file", type=Path, metavar="FILE")
        drawn.add_argument("output", type=_png_path, metavar="OUT.png")
        drawn.add_argument("--frame", type=_frame, help="frame to show; the first key if not given")
        drawn.add_argument("--theme", choices=THEME_NAMES, default="dark")
        default = (1280, 720) if name == "render" else (1600, 1000)
        drawn.add_argument(
            "--size", type=_size, default=default, metavar="WxH", help=f"default {default[0]}x{default[1]}"
        )
        if name == "render":
            drawn.add_argument("--view", choices=VIEWS, default="perspective")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit code."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    parser = _parser()
    named = {"edit", "check", "info", "render", "screenshot", "-h", "--help", "--version"}
    options = parser.parse_args(words if words and words[0] in named else ["edit", *words])
    try:
        code = int(options.action(options))
        sys.stdout.flush()
        return code
    except (CoreError, BadInput) as error:
        lines = str(error).splitlines()
        more = f" (and {len(lines) - 1} more; see: {PROGRAM} check)" if len(lines) > 1 else ""
        print(f"{PROGRAM}: {lines[0]}{more}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # the reader went away: nothing more to say
        return 0
    except OSError as error:
        print(f"{PROGRAM}: {error.filename or ''}: {error.strerror or error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130

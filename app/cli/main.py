"""The command line: open the editor, or check, describe, convert and draw files without it.

Exit code 0 on success, 2 with one line on bad input, 130 if it was cancelled with Ctrl-C.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NoReturn

from app.cli import arguments, importing
from app.cli.arguments import BadInput
from app.cli.batch import add_arguments as add_batch
from app.cli.batch import batch
from app.cli.convert import convert
from app.cli.desktop import add_arguments as add_desktop
from app.cli.desktop import desktop
from app.cli.info import info
from app.cli.reduce import add_arguments as add_reduce
from app.cli.reduce import reduce
from app.cli.render import render
from app.cli.retarget import add_arguments as add_retarget
from app.cli.retarget import retargeted
from app.cli.script import add_arguments as add_script
from app.cli.script import script
from app.cli.simulate import add_arguments as add_simulate
from app.cli.simulate import simulate
from app.cli.sweep import add_arguments as add_sweep
from app.cli.sweep import sweep
from app.cli.walk import add_arguments as add_walk
from app.cli.walk import walk
from app.process.leaving import leave
from app.words.picture_words import BACKDROPS, THEMES, VIEWS
from core import __version__
from core.errors import Cancelled, CoreError, FormatError
from core.formats import FORMATS, PAGE_NAME, PAGE_SUFFIX
from core.formats.exporting import UPS as EXPORT_UPS

PROGRAM = "sequence-editor"
SYSTEM = (
    "on Debian or Ubuntu: sudo apt-get install libgl1 libegl1 libgl1-mesa-dri libfontconfig1 libglib2.0-0 libdbus-1-3 "
    "libxkbcommon-x11-0 libxcb-cursor0 libxcb-icccm4 libxcb-keysyms1 libxcb-shape0"
)
"""What to do where a system lacks what Qt takes from it, as a desktop never does."""
MOVIES = (".gif", ".mp4", ".mov", ".webm")


def check(options: argparse.Namespace) -> int:
    """Say whether a file can be read, with every problem and every warning."""
    try:
        project = importing.read(options, options.file.name, warn=False)
    except FormatError as error:
        print(error.summary(), file=sys.stderr)
        return 2
    for warning in project.warnings:
        print(f"warning: {warning}", file=sys.stderr)
    count = len(project.warnings)
    print(f"{options.file}: good" + (f", {count} warning{'s' * (count != 1)}" if count else ""))
    return 0


def screenshot(options: argparse.Namespace) -> int:
    """Open the real window on a file, and save a picture of it; starts a virtual display where there is none."""
    from app.window.editor import take_screenshot

    importing.read(options, options.file.name)  # bad input is reported before any window exists
    take_screenshot(
        options.file, options.output, options.size, theme=options.theme, frame=options.frame,
        choices=importing.choices(options),
    )  # fmt: skip
    print(f"{options.output}: {options.size[0]} x {options.size[1]}")
    return 0


def edit(options: argparse.Namespace) -> int:
    """Open the editor."""
    from app.process import virtual_display

    if options.demo and not virtual_display.has_display():
        from app.window.editor import play_demo

        play_demo(Path("screenshot.png"))
        return 0
    if not virtual_display.has_display():
        raise BadInput(
            f"there is no display; log in to a desktop, or draw without one: {PROGRAM} screenshot FILE OUT.png"
        )
    from app.window.editor import run

    return run(options.files, demo=options.demo)


class _Parser(argparse.ArgumentParser):
    """Reads the command line.

    Attributes:
        commands: Names of its commands.
    """

    commands: frozenset[str] = frozenset()


def _parser() -> _Parser:
    parser = _Parser(
        prog=PROGRAM,
        usage=f"{PROGRAM} [FILE ...]\n       {PROGRAM} COMMAND ...",
        description="Pose, key and play articulated figures. Without a command, opens the editor.",
    )
    parser.add_argument("--version", action="version", version=f"{PROGRAM} {__version__}")
    commands = parser.add_subparsers(
        title="commands", metavar="COMMAND", prog=PROGRAM, parser_class=argparse.ArgumentParser
    )

    def command(name: str, action: Callable[[argparse.Namespace], int], text: str) -> argparse.ArgumentParser:
        made = commands.add_parser(name, help=text, description=(action.__doc__ or text).splitlines()[0])
        made.set_defaults(action=action)
        return made

    opened = command("edit", edit, "open the editor (the default)")
    opened.add_argument("files", nargs="*", type=Path, metavar="FILE", help="file to open")
    opened.add_argument(
        "--demo", action="store_true", help="open a sample; without a display, play it and save a picture"
    )

    checked = command("check", check, "check whether a file can be read, and list what is wrong with it")
    informed = command("info", info, "print what a file contains")
    informed.add_argument("--limits", action="store_true", help="list every degree of freedom with its limits")
    informed.add_argument("--json", action="store_true", help="print it as JSON, for programs")
    converted = command("convert", convert, "convert a file from one format to another")
    drawn = command("render", render, "draw a file as a picture or movie (no display needed)")
    simulated = command("simulate", simulate, "simulate figures under gravity and write the motion as keys")
    walked = command(
        "walk", walk, "let a figure walk or move in another gait and write the motion with locks of its feet"
    )
    moved = command("retarget", retargeted, "let another figure move likewise, its feet held where they stand")
    written = command("script", script, "print, check or apply the constraint script of a sequence")
    thinned = command("reduce", reduce, "write a motion with as few keys as stay within a tolerance")
    for reads in (checked, informed, converted, drawn, simulated, walked, moved, written, thinned):
        names = {converted: "IN", walked: "FIGURE", moved: "MOTION"}
        reads.add_argument("file", type=Path, metavar=names.get(reads, "FILE"))
        importing.add_arguments(reads)
        reads.add_argument("--progress", action="store_true", help="show progress even if there is no terminal")
    _add_convert(converted)
    _add_render(drawn)
    add_simulate(simulated)
    add_walk(walked)
    add_retarget(moved)
    add_script(written)
    add_reduce(thinned)

    add_batch(command("batch", batch, "do the same steps for every clip in folders, on processes or a cluster"))
    add_sweep(command("sweep", sweep, "measure the physics of one scene over seeds and parameters"))
    add_desktop(command("desktop", desktop, "put the editor among the applications of the desktop"))

    taken = command("screenshot", screenshot, "save a picture of the editor's window (no display needed)")
    taken.add_argument("file", type=Path, metavar="FILE")
    taken.add_argument("output", type=arguments.output(".png"), metavar="OUT.png")
    taken.add_argument("--frame", type=arguments.frame, help="frame to show; the first key if not given")
    taken.add_argument("--theme", choices=THEMES, default=THEMES[0])
    taken.add_argument("--size", type=arguments.size, default=(1600, 1000), metavar="WxH", help="default 1600x1000")
    importing.add_arguments(taken)
    taken.set_defaults(progress=False)
    parser.commands = frozenset(commands.choices)
    return parser


def _add_convert(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "output", type=arguments.output(), metavar="OUT", help="file to write; its suffix says the format"
    )
    lines = [f"  {' '.join(format.suffixes):24} {format.name}" for format in FORMATS]
    lines.append(f"  {PAGE_SUFFIX:24} {PAGE_NAME} that plays the motion; written only")
    examples = (
        "walk.bvh walk.seq --unit cm",
        "walk.seq walk.glb --fps 60",
        "walk.seq walk.bvh --frames 0:32 --write-unit cm --write-up z",
    )
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = "\n".join(
        ("formats:", *lines, "", "examples:", *(f"  {PROGRAM} convert {words}" for words in examples))
    )
    parser.add_argument("--sequence", metavar="NAME", help="only this sequence, by name or number")
    parser.add_argument("--fps", type=arguments.positive, help="frames per second of the result")
    parser.add_argument("--from", type=arguments.frame, dest="first", metavar="F", help="first frame to take")
    parser.add_argument("--to", type=arguments.frame, dest="last", metavar="F", help="last frame to take")
    parser.add_argument(
        "--frames", type=arguments.frames, metavar="A:B", help="the same two in one word; either may be left out"
    )
    parser.add_argument(
        "--write-unit", type=arguments.unit, metavar="UNIT",
        help="length unit of the result, for BVH, AMC and USD files: m, cm, mm, in, or a number of metres",
    )  # fmt: skip
    parser.add_argument(
        "--write-up", choices=EXPORT_UPS, metavar="AXIS",
        help="which axis points upwards in the result, for BVH, AMC and USD files: y or z; y if not given",
    )  # fmt: skip
    parser.add_argument(
        "--hide", action="append", default=[], metavar="NAME", help="leave out a figure; may be repeated"
    )


def _add_render(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("output", type=arguments.output(".png", *MOVIES), metavar="OUT.png|.gif|.mp4|.mov|.webm")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--frame", type=arguments.frame, help="frame to show; the first key if not given")
    which.add_argument(
        "--frames", type=arguments.frames, metavar="A:B", help="range of frames; as PNG, one numbered file per frame"
    )
    parser.add_argument(
        "--sequence", metavar="NAME", help="sequence to show, by name or number; the first if not given"
    )
    parser.add_argument("--fps", type=arguments.positive, help="frames per second")
    parser.add_argument("--size", type=arguments.size, metavar="WxH", help="default 1280x720, or 640x360 for a GIF")
    parser.add_argument("--theme", choices=THEMES, default=THEMES[0])
    parser.add_argument("--view", choices=VIEWS, default=VIEWS[0])
    parser.add_argument(
        "--turntable", type=arguments.positive, nargs="?", const=6.0, metavar="SECONDS",
        help="move the camera once around the figure, in 6 s unless a time is given",
    )  # fmt: skip
    parser.add_argument("--follow", action="store_true", help="let the camera follow the figure")
    parser.add_argument("--ghosts", action="store_true", help="draw the neighbouring keys as ghosts")
    parser.add_argument(
        "--simulate", type=arguments.positive, nargs="?", const=0.0, metavar="SECONDS",
        help="simulate first and draw the result; if no time is given, until its strips end, or for 3 s",
    )  # fmt: skip
    parser.add_argument(
        "--all-figures", action=argparse.BooleanOptionalAction, default=True,
        help="draw the file's other figures too, as is usual, or the one figure alone",
    )  # fmt: skip
    parser.add_argument(
        "--hide", action="append", default=[], metavar="NAME", help="leave out a figure; may be repeated"
    )
    parser.add_argument(
        "--backdrop", type=arguments.backdrop, default=BACKDROPS[0], metavar="NAME",
        help="what is behind the figure: stage (the editor's floor and grid), studio, transparent or shadow "
        "(nothing but the shadow; both for PNG, MOV and WebM), or a colour such as #336699; stage if not given",
    )  # fmt: skip
    parser.add_argument(
        "--lights", type=arguments.lights, default=None, metavar="NAME[:DEGREES[:PERCENT[:HEIGHT]]]",
        help="how the figure is lit: usual, studio, side, back or soft; perhaps with the direction of the light, from "
        "the front (0) to the figure's left (90), its strength and its height, as in studio:45:120:30; as the file "
        "says if not given",
    )  # fmt: skip
    parser.add_argument(
        "--sound", action=argparse.BooleanOptionalAction, default=None,
        help="put the sequence's music into the movie, as is usual, or leave it out",
    )  # fmt: skip
    parser.add_argument("--recording", type=Path, help=argparse.SUPPRESS)  # what the window has simulated
    parser.add_argument(
        "--camera", type=arguments.camera, metavar="shot",
        help="shot: look through the camera that the sequence has keys of",
    )  # fmt: skip
    parser.add_argument("--fit", action="store_true", help=argparse.SUPPRESS)  # of that camera take the angles only


def run() -> NoReturn:
    """Run the command line and end the process."""
    leave(main())


def main(words: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit code."""
    given = importing.joined(list(sys.argv[1:] if words is None else words))
    parser = _parser()
    named = {*parser.commands, "-h", "--help", "--version"}
    options = parser.parse_args(given if given and given[0] in named else ["edit", *given])
    try:
        code = int(options.action(options))
        sys.stdout.flush()
        return code
    except ImportError as error:
        library = str(error).partition(": cannot open shared object file")
        if not library[1]:
            raise
        print(f"{PROGRAM}: Qt needs {library[0]}, a library of the system that is missing; {SYSTEM}", file=sys.stderr)
        return 2
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
    except (KeyboardInterrupt, Cancelled):
        return 130
    except ctypes.ArgumentError as error:
        # Ctrl-C while arguments of an OpenGL call are converted: ctypes wraps the interruption in an error of its own.
        if "KeyboardInterrupt" not in str(error):
            raise
        return 130

"""``simulate``: let figures fall, swing and land without the editor, and write what happened as keys."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.cli import arguments, importing
from app.cli.arguments import BadInput, chosen_sequence
from app.cli.progress_line import ProgressLine
from app.words.preset_words import PRESET_WORDS
from core.animation import Sequence
from core.animation.hybrid_strips import LARGEST_GAIN
from core.animation.new_sequence import new_sequence
from core.formats import Project, save

if TYPE_CHECKING:
    from core.preview.preview import Preview
    from core.preview.settings import PhysicsSettings
    from core.progress import Progress

SUFFIXES = (".seq", ".bvh", ".amc")
"""Suffixes of files that hold motion."""
FARTHEST = 1e4
"""A floor is no farther than this above or below the origin, [m]: numbers lose the millimetres of what is far away."""
LARGEST_SEED = 2**32 - 1


def simulate(options: argparse.Namespace) -> int:
    """Simulate a file's figures by their masses, and write what happened as keys of a new file."""
    from core.preview.whole_run import bake_into, last_frame, lead, run, start_warnings

    source, target = options.file, options.output
    if target.exists() and source.exists() and target.samefile(source):
        raise BadInput(f"{target} is the input file; give the result another name")
    project = importing.read(options, f"reading {source.name}")
    sequence = _chosen(project, options)
    if options.preset is not None:
        if options.strength > LARGEST_GAIN:
            raise BadInput(f"--strength {options.strength:g} is too much; at most {LARGEST_GAIN:g}")
        lead(sequence, options.preset, options.strength, options.start)
    preview = _preview(project, sequence, options.start, _settings(project, options))
    for warning in start_warnings(preview):
        print(f"warning: {warning}", file=sys.stderr)
    until = last_frame(preview, sequence.fps, options.duration)
    with ProgressLine(f"simulating {sequence.name}", options.progress) as progress:
        run(preview, until, options.until_rest, progress)
    with ProgressLine("making keys", options.progress) as progress:
        bake_into(preview, sequence, options.tolerance, progress)
    if options.ground is not None and preview.settings.ground is not None:
        project.physics = {**project.physics, "ground": preview.settings.ground.to_record()}  # it lies on that now
    if target.suffix.lower() != ".seq":  # the others hold one motion
        project = replace(project, figures=[sequence.skeleton], sequences=[sequence], figure_records=[])
    with ProgressLine(f"writing {target.name}", options.progress) as progress:
        save(project, target, progress=progress)
    print(f"{target}: {_summary(preview, sequence)}")
    return 0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the words that ``simulate`` takes to its parser."""
    parser.add_argument(
        "-o", "--output", type=arguments.output(*SUFFIXES), required=True, metavar="OUT.seq", help="file to write"
    )
    parser.add_argument(
        "--sequence", metavar="NAME", help="sequence to begin with, by name or number; the first if not given"
    )
    parser.add_argument("--figure", metavar="NAME", help="figure to simulate, by name; the sequence's if not given")
    parser.add_argument(
        "--start",
        type=arguments.frame,
        metavar="F",
        help="frame of the sequence to begin at; where its first strip begins if not given",
    )
    parser.add_argument(
        "--duration", type=arguments.positive, metavar="SECONDS",
        help="how long to simulate, at least one frame; if not given, until its strips end, or for 3 s",
    )  # fmt: skip
    parser.add_argument("--until-rest", action="store_true", help="stop earlier when nothing moves any more")
    parser.add_argument("--gravity", type=arguments.number, metavar="G", help="downwards, in m/s^2; 0 for none")
    floor = parser.add_mutually_exclusive_group()
    floor.add_argument("--floor", type=_height, metavar="HEIGHT", help="height of the floor, in metres")
    floor.add_argument("--no-floor", action="store_true", help="no floor: let everything fall")
    parser.add_argument(
        "--ground", type=Path, metavar="MESH",
        help="ground to fall and stand on: an .obj, .stl, .ply or .glb file, in metres, y up; beside it is the floor",
    )  # fmt: skip
    parser.add_argument(
        "--friction", type=arguments.number, metavar="MU", help="friction coefficient of floor and figures"
    )
    parser.add_argument(
        "--motor-gain", type=arguments.number, metavar="GAIN", help="how strongly motors follow keys, 0 to 10"
    )
    parser.add_argument("--self-contact", action="store_true", help="let the parts of a figure touch each other")
    parser.add_argument(
        "--integrator", metavar="NAME",
        help="contact (the usual one, with floor, obstacles, locks and strings), or for bodies and joints alone "
        "symplectic_euler, linearly_implicit, rk4, rk45, bdf1, bdf2, ...",
    )  # fmt: skip
    parser.add_argument(
        "--formulation", metavar="NAME",
        help="how an integrator other than contact works out accelerations: recursive, redmax, maximal, symbolic, ...",
    )  # fmt: skip
    parser.add_argument(
        "--contacts", metavar="NAME", dest="contact_method",
        help="how symplectic_euler and linearly_implicit find contacts: none (the usual one), frictionless, single_qp, "
        "fixed_point, staggered_projections, bisp",
    )  # fmt: skip
    parser.add_argument(
        "--preset", choices=[words.name for words in PRESET_WORDS],
        help="what the whole figure does from the start on, instead of the file's strips: "
        + "; ".join(f"{name}: {does[:1].lower()}{does[1:]}" for name, _, does in PRESET_WORDS),
    )  # fmt: skip
    parser.add_argument(
        "--strength", type=arguments.positive, metavar="FACTOR", default=1.0,
        help="how strong the figure is with --preset brace or stumble, 1 for the usual strength of its joints",
    )  # fmt: skip
    parser.add_argument("--seed", type=_seed, metavar="N", help="seed of a small random motion")
    parser.add_argument(
        "--tolerance", type=arguments.positive, metavar="METRES",
        help="make as few keys as keep this close to the simulated motion, instead of one at every frame",
    )  # fmt: skip


def _height(text: str) -> float:
    value = arguments.number(text)
    if abs(value) > FARTHEST:
        raise argparse.ArgumentTypeError(
            f'"{text}" is too far away; expected a height from -{FARTHEST:g} to {FARTHEST:g}'
        )
    return value


def _seed(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 10 and int(text) <= LARGEST_SEED):
        raise argparse.ArgumentTypeError(f'"{text}" is not a seed; expected a whole number from 0 to {LARGEST_SEED}')
    return int(text)


def _chosen(project: Project, options: argparse.Namespace) -> Sequence:
    """Return the sequence that is simulated; one without keys is made for a figure that has none."""
    figure = None
    if options.figure is not None:
        named = [each for each in project.figures if each.name.casefold() == options.figure.casefold()]
        if len(named) != 1:
            names = ", ".join(f'"{each.name}"' for each in project.figures)
            raise BadInput(f'there is no figure "{options.figure}"; there are {names or "none"}')
        figure = named[0]
    if figure is not None and options.sequence is None:
        sequence = next((each for each in project.sequences if each.skeleton is figure), None)
    else:
        sequence = chosen_sequence(project, options.sequence)
        if figure is not None and sequence is not None and sequence.skeleton is not figure:
            raise BadInput(f'sequence "{sequence.name}" moves figure "{sequence.skeleton.name}", not "{figure.name}"')
    if sequence is None:
        if not project.figures:
            raise BadInput(f"{options.file}: there is no figure in it")
        sequence = new_sequence(figure if figure is not None else project.figures[0], options.file.stem)
        project.sequences.append(sequence)
    return sequence


def simulated(project: Project, sequence: Sequence, seconds: float | None, progress: Progress) -> Preview:
    """Simulate a sequence with the settings of its file, from where its first strip begins.

    Args:
        project: The file.
        sequence: The motion to begin with.
        seconds: How long; None until its strips have ended, or 3 s.
        progress: Told the share that is done.
    """
    from core.preview.settings import PhysicsSettings
    from core.preview.whole_run import last_frame, run

    preview = _preview(project, sequence, None, PhysicsSettings.from_record(project.physics))
    run(preview, last_frame(preview, sequence.fps, seconds), False, progress)
    return preview


def _preview(project: Project, sequence: Sequence, start: int | None, settings: PhysicsSettings) -> Preview:
    from core.preview.preview import Preview
    from core.preview.whole_run import checked_start, link_companions

    others = link_companions(sequence, project.sequences)
    return Preview(sequence, checked_start(sequence, start), settings, others=others)


def _settings(project: Project, options: argparse.Namespace) -> PhysicsSettings:
    """Return the settings of the file with what the person wants otherwise."""
    from core.dynamics.contact.world import Floor
    from core.preview.grounds import MeshGround
    from core.preview.settings import PhysicsSettings

    settings = PhysicsSettings.from_record(project.physics)
    wanted: dict[str, Any] = {
        name: value
        for name in ("gravity", "friction", "motor_gain", "seed", "integrator", "formulation", "contact_method")
        if (value := getattr(options, name)) is not None
    }
    floor = settings.floor
    if options.no_floor:
        floor = None
    elif options.floor is not None:
        floor = Floor(options.floor) if floor is None else replace(floor, height=options.floor)
    if options.friction is not None and floor is not None:
        floor = replace(floor, friction=options.friction)
    if options.self_contact:
        wanted["self_contact"] = True
    if options.ground is not None:
        wanted["ground"] = ground = MeshGround(str(options.ground.resolve()))
        _ = ground.terrain  # says at once what is wrong with it
    elif settings.ground_problem:
        print(f"warning: {settings.ground_problem}", file=sys.stderr)
    return replace(settings, floor=floor, **wanted)


def _summary(preview: Preview, sequence: Sequence) -> str:
    samples = preview.samples
    text = f"{samples[-1].time:.2f} s simulated, {len(sequence.keys)} keys"
    text += f", residual at most {max(sample.kkt for sample in samples):.0e}"
    if fallbacks := sum(sample.fallbacks for sample in samples):
        text += f", {fallbacks} fallbacks"
    return text + (", at rest" if samples[-1].asleep else "")


__all__ = ["add_arguments", "simulate", "simulated"]

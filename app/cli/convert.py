"""``convert``: any format that can be read into any that can be written."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace

from app.cli import importing
from app.cli.arguments import BadInput, chosen_sequence
from app.cli.progress_line import ProgressLine
from core.animation import Sequence
from core.animation.resampling import resampled
from core.formats import Project, format_of, save
from core.formats.exporting import ExportChoices, chosen
from core.progress import part

OWN = (".seq", ".scr")


def convert(options: argparse.Namespace) -> int:
    """Read a file of one format and write it as another."""
    source, target = options.file, options.output
    if target.exists() and source.exists() and target.samefile(source):
        raise BadInput(f"{target} is the input file; give the result another name")
    if options.frames is not None:
        options.first, options.last = options.frames
    stretch = (options.first, options.last, options.fps) if source.suffix.lower() not in OWN else (None, None, None)
    used = ("unit",) if target.suffix.lower() in OWN else ("unit", "floor", "facing")
    project = importing.read(options, f"reading {source.name}", warn=False, taken=stretch, used=used)
    if options.unit is not None:
        project.unit = options.unit  # a file in metres is written in this unit, if the format leaves it open
    if options.sequence is not None:
        project = _only(project, chosen_sequence(project, options.sequence))
    if target.suffix.lower() in OWN:
        if options.write_unit is not None or options.write_up is not None:
            raise BadInput(f"a {target.suffix.lower()} file is in metres with y up; its unit and axis cannot be chosen")
        if project.imported is None:
            project.sequences = [_cut(sequence, options) for sequence in project.sequences]
        project = _without(project, options.hide)
    with ProgressLine(f"writing {target.name}", options.progress) as progress:
        if target.suffix.lower() not in OWN:
            wanted = _choices(options, project)
            project = chosen(project, target, wanted, progress=part(progress, 0.0, 0.4))
        save(project, target, progress=part(progress, 0.4, 1.0))
    for warning in project.warnings:
        print(f"warning: {warning}", file=sys.stderr)
    moving = [sequence for sequence in project.sequences if sequence.keys]
    format, kind = format_of(target), target.suffix.lower()
    if moving and format is not None and kind in format.figures_alone:
        print(f"warning: a {kind} file contains only the figure; its motion is left out", file=sys.stderr)
        moving = []
    print(f"{target}: {_contents(project, moving)}")
    return 0


def _choices(options: argparse.Namespace, project: Project) -> ExportChoices:
    """Return what is chosen of what is written; a motion file of another program was cut and placed as it was read."""
    read = project.imported is not None
    first, last, fps = (None, None, None) if read else (options.first, options.last, options.fps)
    floor, facing = (None, None) if read else (options.on_floor, options.face)
    hidden = _hidden(project, options.hide)
    return ExportChoices(first, last, fps, options.write_unit, options.write_up, floor, facing, hidden)


def _hidden(project: Project, hidden: list[str]) -> frozenset[int]:
    """Return the numbers of the figures that are left out."""
    names = [figure.name for figure in project.figures]
    for name in hidden:
        if name not in names:
            raise BadInput(f'there is no figure "{name}"; there are {", ".join(names)}')
    return frozenset(k for k, name in enumerate(names) if name in hidden)


def _without(project: Project, hidden: list[str]) -> Project:
    """Return the project without some of its figures."""
    left_out = _hidden(project, hidden)
    if not left_out:
        return project
    kept = [k for k in range(len(project.figures)) if k not in left_out]
    if not kept:
        raise BadInput("every figure is left out; there is nothing to write")
    figures = [project.figures[k] for k in kept]
    records = [project.figure_records[k] for k in kept if k < len(project.figure_records)]
    sequences = [each for each in project.sequences if any(each.skeleton is figure for figure in figures)]
    return replace(project, figures=figures, sequences=sequences, figure_records=records)


def _only(project: Project, sequence: Sequence | None) -> Project:
    """Return the project with one sequence and its figure."""
    assert sequence is not None
    kept = next(i for i, figure in enumerate(project.figures) if figure is sequence.skeleton)
    records = project.figure_records[kept : kept + 1]
    return replace(project, figures=[sequence.skeleton], sequences=[sequence], figure_records=records)


def _cut(sequence: Sequence, options: argparse.Namespace) -> Sequence:
    """Return the stretch of a sequence that is asked for, with the frames a second that are asked for."""
    first, last = options.first, options.last
    if first is None and last is None and options.fps is None:
        return sequence
    if not sequence.keys:
        return sequence
    end = max(sequence.range[1], sequence.keys[-1].frame)
    first, last = first if first is not None else 0, last if last is not None else end
    if first > last and options.last is not None:
        raise BadInput(f"frames {first} to {last} run backwards; expected {last} to {first}")
    if first > end:
        raise BadInput(f'"{sequence.name}" ends at frame {end}; there is nothing from {first} on')
    return resampled(sequence, first, min(last, end), options.fps)


def _contents(project: Project, moving: list[Sequence]) -> str:
    joints = ", ".join(f'figure "{figure.name}" of {len(figure.joints)} joints' for figure in project.figures)
    if not moving:
        return joints
    if len(moving) > 1:
        return f"{joints}, {len(moving)} sequences"
    frames = moving[0].keys[-1].frame - moving[0].keys[0].frame
    return f"{joints}, {len(moving[0].keys)} keys, {frames / moving[0].fps:.2f} s at {moving[0].fps:g} fps"

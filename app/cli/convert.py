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
from core.formats import Project, save

FIGURES_ALONE = (".scr", ".asf")
"""Suffixes of files that have no place for motion."""


def convert(options: argparse.Namespace) -> int:
    """Read a file of one format and write it as another."""
    source, target = options.file, options.output
    if target.exists() and source.exists() and target.samefile(source):
        raise BadInput(f"{target} is the input file; give the result another name")
    project = importing.read(options, f"reading {source.name}", warn=False)
    if options.unit is not None:
        project.unit = options.unit  # a file in metres is written in this unit, if the format leaves it open
    if options.sequence is not None:
        project = _only(project, chosen_sequence(project, options.sequence))
    project.sequences = [_cut(sequence, options) for sequence in project.sequences]
    with ProgressLine(f"writing {target.name}", options.progress) as progress:
        save(project, target, progress=progress)
    for warning in project.warnings:
        print(f"warning: {warning}", file=sys.stderr)
    moving = [sequence for sequence in project.sequences if sequence.keys]
    if moving and target.suffix.lower() in FIGURES_ALONE:
        kind = target.suffix.lower()
        print(f"warning: a {kind} file contains only the figure; its motion is left out", file=sys.stderr)
        moving = []
    print(f"{target}: {_contents(project, moving)}")
    return 0


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

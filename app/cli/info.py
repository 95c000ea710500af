"""``info``: what a file holds, for people and, with ``--json``, for programs."""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from app.cli import importing
from app.cli.describe import describe_figure, describe_sequence
from app.words.counts import count
from core.formats import Project

_HOW_KNOWN = {"sure": ", guessed from the size", "doubtful": ", guessed from the size, and uncertain; --unit sets it"}
_INDENT = "    "


def info(options: argparse.Namespace) -> int:
    """Print what a file holds: figures with sizes and masses, sequences with durations."""
    project = importing.read(options, options.file.name, warn=False)
    figures = [describe_figure(figure, project.sequences) for figure in project.figures]
    sequences = [describe_sequence(sequence) for sequence in project.sequences]
    if options.json:
        record: dict[str, Any] = {
            "file": str(options.file),
            "unit": project.unit,
            "unit_guess": project.unit_guess,
            "imported": None if project.imported is None else asdict(project.imported),
            "figures": figures,
            "sequences": sequences,
            "warnings": [str(warning) for warning in project.warnings],
        }
        print(json.dumps(record, ensure_ascii=False, indent=1, allow_nan=False))
        return 0
    for figure in figures:
        _print_figure(figure, project, options.limits)
    for sequence in sequences:
        _print_sequence(sequence)
    if not figures:
        print("no figure")
    return 0


def _print_figure(figure: dict[str, Any], project: Project, limits: bool) -> None:
    head = f"{count(len(figure['joints']), 'joint')}, {figure['dofs']} DOF"
    if figure["size"] is not None:
        lies = figure["height"] > figure["size"][1]  # then its largest extent is given
        head += f", {figure['height']:.3f} m {'long' if lies else 'high'}"
    doubt = " if its unit is guessed right" if project.unit_guess == "doubtful" else ""
    print(f'figure "{figure["name"]}": {head}, {figure["mass"]:.2f} kg{doubt}')
    rows: list[tuple[str, str]] = []
    if figure["size"] is not None:
        width, height, depth = figure["size"]
        pose = "at rest" if figure["measured"] == "rest" else "at the first key"
        rows.append(("size", f"{width:.3f} m wide, {height:.3f} m high, {depth:.3f} m deep, {pose}"))
    else:
        rows.append(("size", "none: all joints are in one place"))
    rows.append(("unit", f"{project.unit:g} m{_HOW_KNOWN.get(project.unit_guess, '')}"))
    if project.imported is not None and project.imported.up != "y":
        rows.append(("up", f"{project.imported.up} in the file, turned to y"))
    objects = sum(len(joint["objects"]) for joint in figure["joints"])
    triangles = sum(joint["triangles"] for joint in figure["joints"])
    rows.append(("objects", f"{objects}, with {triangles} triangles" if objects else "none"))
    missing = [item["file"] for joint in figure["joints"] for item in joint["objects"] if item["missing"]]
    if missing:
        rows.append(("missing", ", ".join(missing)))
    rows.append(("mirror", count(len(figure["mirror_pairs"]), "pair") if figure["mirror_pairs"] else "no pairs"))
    rows.append(("dynamics", _dynamics(figure["dynamics"])))
    for name, text in rows:
        print(f"{_INDENT}{name:<8} {text}")
    print()
    table = [("joint", "DOF", "length m", "mass kg", "triangles", "mirror")]
    table += [
        (
            joint["name"],
            str(len(joint["dofs"])),
            f"{joint['length']:.3f}",
            f"{joint['mass']:.3f}",
            str(joint["triangles"]) if joint["objects"] else "",
            joint["mirror"] or "",
        )
        for joint in figure["joints"]
    ]
    _print_table(table, "<>>>><")
    print()
    if limits:
        span = [("degree of freedom", "from", "to")]
        for joint in figure["joints"]:
            span += [
                (dof["label"], _limit(dof["lo"], dof["unit"]), _limit(dof["hi"], dof["unit"])) for dof in joint["dofs"]
            ]
        _print_table(span, "<>>")
        print()


def _dynamics(model: dict[str, Any]) -> str:
    """Return what can be simulated of a figure, or why it cannot."""
    if model["problem"] is not None:
        return f"cannot be simulated: {model['problem']}"
    text = f"{count(model['bodies'], 'rigid body', 'rigid bodies')}, {model['coordinates']} DOF with the root's place"
    held = len(model["held"])
    return text + (f"; {held} DOF without mass {'is' if held == 1 else 'are'} held" if held else "")


def _limit(value: float | None, unit: str) -> str:
    if value is None:
        return "free"
    if unit == "number":
        return f"{value:g}"
    return f"{value:.3f} m" if unit == "length" else f"{math.degrees(value):.0f}°"


def _print_table(rows: Sequence[tuple[str, ...]], alignment: str) -> None:
    widths = [max(len(row[column]) for row in rows) for column in range(len(alignment))]
    for row in rows:
        cells = (f"{cell:{side}{width}}" for cell, side, width in zip(row, alignment, widths, strict=True))
        print((_INDENT + "  ".join(cells)).rstrip())


def _print_sequence(sequence: dict[str, Any]) -> None:
    line = f'sequence "{sequence["name"]}": '
    fps = f"{sequence['fps']:g} fps"
    if not sequence["keys"]:
        print(line + f"no keys, {fps}")
        return
    first, last = sequence["frames"]
    line += f"{count(sequence['keys'], 'key')}, " + (f"frames {first} to {last}" if first < last else f"frame {first}")
    print(f"{line}, {sequence['duration']:.2f} s, {fps}")
    start, end = sequence["range"]
    loop = ", looping" if sequence["loop"] else ""
    rows: list[tuple[str, str]] = [("figure", f'"{sequence["figure"]}"'), ("range", f"frames {start} to {end}{loop}")]
    if sequence["locks"]:
        keyed = f", {sequence['keyed_locks']} of them keyed" if sequence["keyed_locks"] else ""
        between = "held between keys" if sequence["holds"] else "not held between keys"
        rows.append(("locks", f"{count(sequence['locks'], 'lock')}{keyed}; {between}"))
    length, straight = sequence["path"], sequence["displacement"]
    speed = f", {length / sequence['duration']:.2f} m/s" if sequence["duration"] > 0.0 else ""
    rows.append(("path", f"{length:.3f} m of the root{speed}; {straight:.3f} m from first to last key"))
    for name, text in rows:
        print(f"{_INDENT}{name:<8} {text}")
    print()

"""FBX in and out through Blender, which runs as a process of its own and never sees the editor.

It is a program ``blender``, or a Python that has Blender's module ``bpy``: the one that ``SEQUENCE_EDITOR_BLENDER``
names, else this very Python if it has the module, else ``blender`` where programs are looked for.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
import tempfile
from pathlib import Path

from core.errors import FormatError, Problem
from core.formats.child import run
from core.formats.files import MEGABYTE, read_bytes, write_bytes
from core.formats.gltf import load_gltf, save_gltf
from core.formats.importing.choices import ImportChoices
from core.formats.project import Project
from core.progress import Progress, part, report
from core.skeleton import Skeleton

VARIABLE = "SEQUENCE_EDITOR_BLENDER"
LARGEST = 256 * MEGABYTE
_SCRIPT = Path(__file__).with_name("in_blender.py")
_BEGINS = (b"Kaydara FBX Binary", b"; FBX")


def find_blender() -> list[str] | None:
    """Return the words that begin a command of Blender's, which a script and its words follow; None without Blender."""
    given = os.environ.get(VARIABLE)
    program = given or ("" if importlib.util.find_spec("bpy") is None else sys.executable) or shutil.which("blender")
    if not program:
        return None
    if "python" in Path(program).name.lower():
        return [program]
    return [program, "--background", "--factory-startup", "--python-exit-code", "3", "--python"]


def load_fbx(
    path: Path,
    *,
    choices: ImportChoices | None = None,
    skeleton: Skeleton | None = None,
    progress: Progress | None = None,
) -> Project:
    """Return the figures in an FBX file, each with a sequence for every animation; see ``core.formats.load``.

    Raises:
        FormatError: If Blender is missing, or it cannot read the file.
        Cancelled: If ``progress`` did so; Blender is ended.
    """
    if not read_bytes(path, LARGEST).lstrip().startswith(_BEGINS):
        raise FormatError(Problem(path.name, 0, 0, "is not an FBX file; expected one that Blender reads"))
    with tempfile.TemporaryDirectory() as folder:
        between = Path(folder) / f"{path.stem}.glb"
        _run("to-gltf", path.absolute(), between, 24.0, path.name, part(progress, 0.0, 0.6))
        project = load_gltf(between, choices=choices, skeleton=skeleton, progress=part(progress, 0.6, 1.0))
    named = tuple(Problem(path.name, each.line, each.column, each.message) for each in project.warnings)
    project.warnings = named
    return project


def save_fbx(project: Project, path: Path, *, progress: Progress | None = None) -> None:
    """Write the figures of a project and their sequences as an FBX file; see ``core.formats.save``.

    Raises:
        FormatError: If Blender is missing, or the file cannot be written.
        Cancelled: If ``progress`` did so; Blender is ended, and what was there is untouched.
    """
    with tempfile.TemporaryDirectory() as folder:
        between, made = Path(folder) / f"{path.stem}.glb", Path(folder) / "made.fbx"
        _command(path.name)
        save_gltf(project, between, progress=part(progress, 0.0, 0.5))
        rate = float(project.sequences[0].fps) if project.sequences else 24.0
        _run("to-fbx", between, made, rate, path.name, part(progress, 0.5, 0.95))
        write_bytes(path, made.read_bytes())
    report(progress, 1.0)


def _command(file: str) -> list[str]:
    found = find_blender()
    if found is None:
        message = (
            "FBX is read and written through Blender, and there is none; install Blender 4.2 or newer so that "
            f'"blender" starts it, or set {VARIABLE} to its program'
        )
        raise FormatError(Problem(file, 0, 0, message))
    return found


def _run(way: str, source: Path, target: Path, fps: float, file: str, progress: Progress | None) -> None:
    """Let Blender turn one file into another."""
    begin = _command(file)
    words = [*begin, str(_SCRIPT), *([] if len(begin) == 1 else ["--"]), way, str(source), str(target), f"{fps:g}"]
    ours = target if way == "to-gltf" else source
    said = run(words, file, "Blender", progress, scratch=ours.parent)
    if not target.is_file():
        raise FormatError(Problem(file, 0, 0, f"Blender cannot do that: {said or 'it wrote nothing'}"))
    report(progress, 1.0)

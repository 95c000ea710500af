"""Reading and writing project files, by suffix. A new format is one module and one line in ``FORMATS``."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from core.errors import FormatError, Problem
from core.formats.armature import load_armature, save_armature
from core.formats.asf_amc import load_asf_amc, save_asf_amc
from core.formats.bundled import bundled_folder
from core.formats.bvh import load_bvh, save_bvh
from core.formats.fbx import load_fbx, save_fbx
from core.formats.gltf import load_gltf, save_gltf
from core.formats.importing.choices import ImportChoices
from core.formats.importing.findings import Findings
from core.formats.importing.taking import taken
from core.formats.project import FigureRecord, Project, project_text, project_to_json, save_seq
from core.formats.project_reader import load_seq, project_from_json
from core.formats.scr import load_scr, save_scr
from core.formats.usd import load_usd, load_usd_apart, save_usd, save_usd_apart
from core.formats.web_page import save_page
from core.progress import Progress, part
from core.regular_file import other_kind
from core.skeleton import Skeleton

__all__ = [
    "FORMATS",
    "PAGE_MODULE",
    "PAGE_NAME",
    "PAGE_SUFFIX",
    "FigureRecord",
    "Findings",
    "Format",
    "ImportChoices",
    "Loader",
    "Progress",
    "Project",
    "Saver",
    "bundled_folder",
    "format_of",
    "load",
    "project_from_json",
    "project_text",
    "project_to_json",
    "save",
]


class Loader(Protocol):
    """Reads a file of one format; what the keywords mean stands at ``load``. A format ignores what it has no use for.

    ``FormatError`` if the file cannot be read; what ``progress`` raises goes through.
    """

    def __call__(
        self, path: Path, *, choices: ImportChoices | None, skeleton: Skeleton | None, progress: Progress | None
    ) -> Project: ...


class Saver(Protocol):
    """Writes a file of one format, whole or not at all; ``FormatError`` if it cannot be written."""

    def __call__(self, project: Project, path: Path, *, progress: Progress | None) -> None: ...


@dataclass(frozen=True)
class Format:
    """A kind of file.

    Attributes:
        name: What a file dialog calls it.
        suffixes: Suffixes it goes by, lower case, with the dot; the first is what new files get.
        load: Reads a file into a project.
        save: Writes a project.
        load_apart: Reads it in a process of its own, whose end harms nobody; None where Python alone reads.
        save_apart: Writes it in such a process, likewise.
        short: What it is called among those that motion is exported to; "" for one that is not.
        module: A module beyond those that the program always has, which reads and writes it; "" for none.
        open_unit: Whether files may have any unit and upward axis; all others are in metres, y up, by their format.
        one_figure: Whether a file holds one figure alone.
        figures_alone: Those of the suffixes whose files have no place for motion.
    """

    name: str
    suffixes: tuple[str, ...]
    load: Loader
    save: Saver
    load_apart: Loader | None = None
    save_apart: Saver | None = None
    short: str = ""
    module: str = ""
    open_unit: bool = False
    one_figure: bool = False
    figures_alone: tuple[str, ...] = ()


FORMATS: tuple[Format, ...] = (
    Format("Sequence", (".seq",), load_seq, save_seq),
    Format("Skeleton", (".scr",), load_scr, save_scr, figures_alone=(".scr",)),
    Format("BVH motion", (".bvh",), load_bvh, save_bvh, short="BVH", open_unit=True),
    Format(
        "Acclaim motion", (".amc", ".asf"), load_asf_amc, save_asf_amc, short="AMC", open_unit=True, one_figure=True,
        figures_alone=(".asf",),
    ),
    Format("glTF scene", (".glb", ".gltf"), load_gltf, save_gltf, short="glTF", module="pygltflib"),
    Format(
        "USD scene", (".usdc", ".usda", ".usd", ".usdz"), load_usd, save_usd, load_usd_apart, save_usd_apart,
        short="USD", module="pxr", open_unit=True,
    ),
    Format("FBX scene", (".fbx",), load_fbx, save_fbx, load_fbx, save_fbx, short="FBX"),  # Blender is a process, too
    Format("Blender armature", (".armature",), load_armature, save_armature, one_figure=True),
)  # fmt: skip

PAGE_SUFFIX, PAGE_NAME, PAGE_MODULE = ".html", "Web page", "pygltflib"
"""Suffix of a web page that plays a project, its name, and the module that writes it; it can be written, and not read.
"""


def format_of(path: str | Path) -> Format | None:
    """Return the format of a file by its suffix; None for one that is not read."""
    suffix = Path(path).suffix.lower()
    return next((format for format in FORMATS if suffix in format.suffixes), None)


def _checked_format(path: Path, more: tuple[str, ...] = ()) -> Format:
    kind = other_kind(path)
    if kind:
        raise FormatError(Problem(path.name or str(path), 0, 0, f"is {kind}; expected a file"))
    format, suffix = format_of(path), path.suffix.lower()
    if format is not None:
        return format
    valid = ", ".join((*(suffix for format in FORMATS for suffix in format.suffixes), *more))
    found = f'"{suffix}" is not a suffix this program knows' if suffix else "has no suffix"
    raise FormatError(Problem(path.name or str(path), 0, 0, f"{found}; valid are {valid}"))


def load(
    path: str | Path,
    *,
    unit: float | None = None,
    skeleton: Skeleton | str | Path | None = None,
    progress: Progress | None = None,
    height: float | None = None,
    up: str | None = None,
    floor: str | None = None,
    facing: str | None = None,
    positions: str | None = None,
    rate: float | None = None,
    fps: float | None = None,
    first: int | None = None,
    last: int | None = None,
    apart: bool = False,
) -> Project:
    """Return the project in a file, its format known by the suffix.

    What a motion file leaves open is taken as it stands, but for the unit; ``Project.imported`` says what its data
    say. The editor and the command line begin with ``up="auto", positions="auto"``. A file that was written by this
    program and holds all that it knows is read as it was, whatever is chosen; ``Project.ignored`` names the choices.

    Args:
        path: The file.
        unit: Metres in one unit of the file, for formats that do not say; None guesses it from the size of the figure,
            and ``Project.unit_guess`` says how well. ``.seq`` and ``.scr`` are in metres always, and take no notice.
        skeleton: The figure that a file of motion alone belongs to, or a file with it; None looks for it beside the
            file. Formats that hold their figure take no notice.
        progress: Called now and then with what is done, 0 to 1; it may raise ``core.errors.Cancelled`` to stop.
        height: How tall the figure is made, [m], in place of ``unit``; the file is written in metres again.
        up: Which axis of the file points upwards: ``"x"``, ``"y"``, ``"z"``, ``"-x"``, ``"-y"``, ``"-z"``; the figure
            and its motion are turned so that y does. ``"auto"`` finds it in the data.
        floor: ``"lowest"`` puts the lowest point of the feet over the motion on the floor, at y = 0; ``"first"`` that
            of the first frame.
        facing: ``"first"`` turns the motion so that the figure faces +z in the first frame; ``"average"`` on average.
        positions: What position channels of joints below the root mean: ``"replace"`` takes them in place of the
            joint's offset, ``"add"`` adds them to it, ``"auto"`` does what keeps the lengths of the bones.
        rate: Frames a second of a motion file that does not say, as AMC files do not, or says it wrong.
        fps: Frames a second that its motion is brought to; it takes as long as before.
        first: First frame of its motion that is taken, counted from 0.
        last: Last frame that is taken.
        apart: Whether libraries that are no Python read in a process of their own, which may end without harm. Slower.

    Raises:
        FormatError: If the suffix is unknown, an argument makes no sense, or the file cannot be read; lists every
            problem.
        Cancelled: If ``progress`` did so.
    """
    path = Path(path)
    if isinstance(skeleton, (str, Path)):
        figures = load(skeleton).figures
        if not figures:
            raise FormatError(Problem(Path(skeleton).name, 0, 0, "holds no figure; expected one with a skeleton"))
        skeleton = figures[0]
    choices = ImportChoices(unit, height, up, floor, facing, positions, rate, fps, first, last).checked(path.name)
    format = _checked_format(path)
    read = format.load_apart if apart and format.load_apart is not None else format.load
    # Where frames are chosen, it counts where those stand.
    begin = choices if choices.whole else replace(choices, floor=None, facing=None)
    project = read(path, choices=begin, skeleton=skeleton, progress=part(progress, 0.0, 1.0 if choices.whole else 0.8))
    if project.imported is None:
        project.ignored = choices.given
    elif not choices.whole:
        project = taken(project, choices, path.name, part(progress, 0.8, 1.0))
    return project


def save(project: Project, path: str | Path, *, progress: Progress | None = None, apart: bool = False) -> None:
    """Write a project to a file, its format known by the suffix; a file that was there is replaced whole or kept.

    Args:
        project: The project.
        path: The file.
        progress: As in ``load``.
        apart: As in ``load``.

    Raises:
        FormatError: If the suffix is unknown, or the file cannot be written.
        Cancelled: If ``progress`` did so; what was there is untouched.
    """
    path = Path(path)
    if path.suffix.lower() == PAGE_SUFFIX and not other_kind(path):
        save_page(project, path, progress=progress)
    else:
        format = _checked_format(path, (PAGE_SUFFIX,))
        write = format.save_apart if apart and format.save_apart is not None else format.save
        write(project, path, progress=progress)

"""What Blender makes of our files: ``make check-blender``.

A walk of the bundled human and recorded motions are written as BVH, Blender imports the files, and every bone's head is
compared with our own kinematics of what was written. Recorded motions are also compared as they came, which checks our
reader in the same way. The tolerance is 1e-4 of the file's unit. Where a motion goes so far from the origin that single
precision, in which Blender calculates, has no such digits, it is eight of the last ones.

The same motions, and a figure with a skin that bends beside a prop, are also written as glTF and USD, one as FBX;
there the places of bones and props are compared at 20 times. Last, the add-on sends rigs to the editor and takes them
back, and a figure of the editor's goes there and back (``link_check.py``).
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from core.animation import Sequence
from core.errors import FormatError
from core.formats import Project, bundled_folder, load, save
from core.formats.fbx.through_blender import VARIABLE
from core.kinematics import forward_kinematics
from core.skeleton.building.props import box
from core.skeleton.extent import figure_height
from tests.blender.link_check import TOLERANCE as LINK_TOLERANCE
from tests.blender.link_check import go_round
from tests.conftest import DATA

WALK = bundled_folder() / "library" / "Walks and runs" / "walk.seq"
RECORDED = ("bvh/cmu_12_01_walk.bvh", "bvh/pybvh_mixed_orders.bvh", "bvh/walk01.bvh", "asfamc/02_03.amc")
NUMBERED = re.compile(r"[._]\d+$")  # what names end with that would be twice in Blender or USD
TOLERANCE = 1e-4  # of the file's unit
DIGITS = 8 * float(np.finfo(np.float32).eps)  # of the farthest coordinate
FRAMES = 200  # of each file, evenly


@dataclass
class Case:
    """A file for Blender, and the motion that it should hold."""

    name: str
    file: Path
    project: Project


def cases(folder: Path) -> list[Case]:
    """Write the files."""
    found = []
    sources = [WALK, *(DATA / name for name in RECORDED if (DATA / name).is_file())]
    for source in sources:
        project = load(source)
        if project.unit == 1.0:
            project.unit = 0.01  # metres make bones that Blender takes for nothing
        path = folder / f"{source.stem}.bvh"
        save(project, path)
        found.append(Case(f"{source.name}, written by us", path, project))
        if source.suffix == ".bvh":
            found.append(Case(f"{source.name}, as it came", source, project))
    for source in sources[:4]:
        for suffix in (".glb", ".usdc", *([".fbx"] if source == sources[-2] else [])):
            project = load(source)
            if source == WALK:
                _add_box(project)
            path = folder / f"{source.stem}{suffix}"
            save(project, path)
            found.append(Case(f"{source.name}, as {suffix}", path, project))
    return found


def _add_box(project: Project) -> None:
    """Put a box that is thrown and turns over beside a figure."""
    crate = box((0.3, 0.2, 0.4), "crate")
    thrown = Sequence(crate, project.sequences[0].fps, "throw")
    for frame, height, turn in ((0, 0.0, 0.0), (12, 1.2, 1.4), (30, 0.1, 2.8)):
        thrown.set_key(frame, np.array([0.5 + 0.03 * frame, height, 0.4, 0.3 * turn, turn, 0.1]))
    project.figures.append(crate)
    project.sequences.append(thrown)


def asked(python: str, files: list[str], folder: Path) -> dict[str, np.ndarray]:
    """Let Blender import the files; return what ``places.py`` wrote."""
    out = folder / "places.npz"
    script = Path(__file__).with_name("places.py")
    command = [str(Path(python).absolute()), str(script), str(out), str(FRAMES), *files]
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, check=False)
    if done.returncode or not out.is_file():
        said = (done.stderr or done.stdout).strip().splitlines()[-3:]
        raise SystemExit("Blender could not import the files:\n    " + "\n    ".join(said))
    with np.load(out) as found:
        return {name: found[name] for name in found.files}


def compared(case: Case, names: list[str], frames: np.ndarray, heads: np.ndarray) -> tuple[float, float, float]:
    """Return the largest difference, what it may be, and the figure's size; all in units of the file."""
    s, sequence = case.project.figures[0], case.project.sequences[0]
    first, last = sequence.range
    if frames[-1] != last - first:
        raise SystemExit(f"{case.name}: Blender has {frames[-1] + 1} frames, the motion {last - first + 1}")
    plain = ["_".join(name.split()) for name in s.joint_names]
    if set(names) != set(plain):
        odd = sorted(set(names) ^ set(plain))[:5]
        raise SystemExit(f"{case.name}: Blender's bones are others than our joints: {', '.join(odd)}")
    at = [plain.index(name) for name in names]
    places = forward_kinematics(s, sequence.poses_at_frames(first + frames))[:, at][..., :3, 3] / case.project.unit
    size = figure_height(s) / case.project.unit
    return float(np.abs(places - heads).max()), max(TOLERANCE, DIGITS * float(np.abs(places).max())), size


def scene_compared(case: Case, names: list[str], frames: np.ndarray, heads: np.ndarray) -> tuple[float, float, float]:
    """Return the same of a scene, in metres: of the joints of all figures."""
    begin = min(sequence.range[0] / sequence.fps for sequence in case.project.sequences)
    rate = case.project.sequences[0].fps
    worst = farthest = size = 0.0
    for sequence in case.project.sequences:
        s = sequence.skeleton
        X = forward_kinematics(s, sequence.poses_at_frames((begin + frames / rate) * sequence.fps))[..., :3, 3]
        size, farthest = max(size, figure_height(s)), max(farthest, float(np.abs(X).max()))
        for i, name in enumerate(s.joint_names):
            plain = {name, "".join(letter if letter.isalnum() else "_" for letter in name)}
            found = [k for k, each in enumerate(names) if each in plain or NUMBERED.sub("", each) in plain]
            if not found:
                raise SystemExit(f'{case.name}: Blender has no bone "{name}"')
            # A prop's joint may be called as the prop: of what has the name, what stands there.
            worst = max(worst, min(float(np.abs(heads[:, k] - X[:, i]).max()) for k in found))
    return worst, max(TOLERANCE * size, DIGITS * farthest), size


def main(python: str) -> int:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.environ[VARIABLE] = str(Path(python).absolute())  # FBX is written through the same Blender
        try:
            ready = cases(folder)
        except FormatError as error:
            raise SystemExit(str(error)) from None
        found = asked(python, [f"{case.project.sequences[0].fps}:{case.file}" for case in ready], folder)
        print(f"Blender {found['version']}, heads of bones against our kinematics, in units of the file")
        heading = f"{'file':40} {'unit':>8} {'bones':>5} {'frames':>6} {'fps':>4}"
        print(f"{heading} {'difference':>10} {'allowed':>8} {'of height':>9}")
        wrong = 0
        for n, case in enumerate(ready):
            names, frames, heads = found[f"names_{n}"].tolist(), found[f"frames_{n}"], found[f"heads_{n}"]
            scene = case.file.suffix != ".bvh"
            worst, most, size = (scene_compared if scene else compared)(case, names, frames, heads)
            wrong += not worst <= most
            row = f"{case.name:40} {1.0 if scene else case.project.unit:6.4f} m {len(names):5} {len(frames):6}"
            row += f" {float(found[f'fps_{n}']):4.4g}"
            print(f"{row} {worst:10.1e} {most:8.1e} {worst / size:9.1e}{'' if worst <= most else '  DISAGREES'}")
        if len(ready) == 1:
            print("Only the bundled walk: reference data not found, set SEQUENCE_EDITOR_DATA to its folder")
        exchange = folder / "exchange"
        exchange.mkdir()
        print(f"\n{'the add-on, there and back':40} {'bones':>5} {'of height':>9}")
        for row in go_round([os.environ[VARIABLE]], exchange):
            wrong += not row.worst <= LINK_TOLERANCE
            said = "" if row.worst <= LINK_TOLERANCE else "  DISAGREES"
            print(f"{row.name:40} {row.bones:5} {row.worst:9.1e}{said}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))

"""Damaged .scr, .pol and foreign object files: a figure, or a FormatError that says where; never anything else."""

from __future__ import annotations

import random
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest

from core.errors import FormatError
from core.skeleton import Mesh, Skeleton, load_skeleton, read_pol, read_scr, write_pol, write_scr
from core.skeleton.extent import figure_height
from core.skeleton.mass import mass_properties
from core.skeleton.objects.loading import load_object
from core.skeleton.segment import segment_mesh

ROOT = Path(__file__).parents[2]
SKELETONS = ROOT / "skeletons"
FIGURE = ROOT / "tests" / "unit" / "skeleton" / "figure_6_1.scr"
QUICK, FULL = 150, 2000
SLOWEST = 60.0  # [s] for one small file: only a hang gets there, on any machine

RICH = """define skeleton "rich"
  joint "a"
  group "g"
    joint "b"
    group "h"
      joint "c"
    end group
  end group
  group "i"
    joint "d"
    joint "e"
  end group
end skeleton
define joint "a"
  hinge y
  hinge x -90 90 "lean"
  ball 1 2 3 45 -20 20
  scale 1 1 2
  inertia 1 2 2.5 0.1 0 0
end joint
define joint "b"
  object "stickman/r_arm.pol"
  object "gone.obj" mirrored
  offset 0.1 -0.2 0.3
  orientation 10 20 30
  slide 0 0 1 -0.1 0.1 "reach"
  mass 2
  center 0 0.1 0
  weight 0.5
  resistance 2
  stiffness 10 rest 20
  damping 0.1
  viscous 0.2
  coulomb 0.3 0.01 0.02
  motor 4
  color 0.1 0.2 0.3
  mirror "d"
end joint
define joint "c"
  cone 30
  joint type expression
  coordinates u deg -90 90 "Round"
  coordinates v m
  let r 0.3 + 2 cm
  translate r*cos(u) 0 r*sin(u)
  rotate -y u + v^2/3
  translate 0, v, 0.1 * v
end joint
"""
WRITTEN = RICH[RICH.index("  joint type expression\n") : RICH.rindex("end joint")]
TYPED = (
    RICH.replace(WRITTEN, "  joint type composite\n  hinge x -1 1\n  joint type free 2d\n")
    + """
define joint "e"
  joint type spline surface 4 4 0 0.5 -inf inf "u" "v"
"""
    + "".join(f"  frame {i} {i * j} {j} {i} 0 {j}\n" for i in range(4) for j in range(4))
    + "end joint\n"
)
TYPED = TYPED.replace(
    '  hinge y\n  hinge x -90 90 "lean"\n  ball 1 2 3 45 -20 20\n',
    """  joint type spline curve open 0 1.5 "way"
  frame 0 0 0
  frame 1 0 0 0 45 0
  frame 1 1 0 0 90 0
  frame 0 1 1 10 90 0
  frame 0 2 1
""",
).replace('  slide 0 0 1 -0.1 0.1 "reach"\n', '  joint type spherical euler yxy -10 10 -20 20 -inf inf "" "b"\n')
WORDS = [
    *"define joint skeleton group end object offset hinge ball slide mirror mass inertia type expression".split(),
    *"frame spline curve surface open closed composite free 2d universal spherical euler fixed rotation first".split(),
    *"coordinates let translate rotate u v r sin(u) u/0 1/u u^9 (( __import__('os') u*v deg m".split(),
    *"0 -1 1e999 nan -inf 1e-320 1e308 99999999999999999999 0x10 1_0 \N{MINUS SIGN}5 ١ x -z 3 4".split(),
    *['"', '"a"', '"b"', "“", "”", "#", '""', '"../../etc/passwd"', '"."', '"/"', '"\x00"', "\ud800", "\u2028", "\x0c"],
    *["vertices", "polygons", "weights", "\n", "\r", "\t", "\ufeff"],
]


def mutated(text: str, rng: random.Random) -> str:
    """Return the text after one to six edits of the kinds that people, editors and disks make."""
    for _ in range(rng.choice([1, 1, 1, 2, 3, 6])):
        at = rng.randrange(len(text) + 1)
        other = rng.randrange(len(text) + 1)
        lo, hi = min(at, other), max(at, other)
        lines = text.split("\n")
        k = rng.randrange(len(lines))
        words = lines[k].split(" ")
        match rng.randrange(9):
            case 0:
                text = text[:at] + rng.choice(WORDS) + text[at:]
            case 1:
                text = text[:at] + text[at + rng.randint(1, 8) :]
            case 2:
                text = text[:lo] if rng.random() < 0.3 else text[:lo] + text[lo + (hi - lo) // 8 :]
            case 3:
                lines.insert(rng.randrange(len(lines)), lines[k])
                text = "\n".join(lines)
            case 4:
                del lines[k]
                text = "\n".join(lines)
            case 5:
                words[rng.randrange(len(words))] = rng.choice(WORDS)
                lines[k] = " ".join(words)
                text = "\n".join(lines)
            case 6:
                j = rng.randrange(len(lines))
                lines[k], lines[j] = lines[j], lines[k]
                text = "\n".join(lines)
            case 7:
                text = (
                    text[:at] + chr(rng.choice([0, 7, 34, 35, 45, 127, 160, 0x2212, 0xFFFF, 0x1F600])) + text[at + 1 :]
                )
            case 8:
                text = text[:at] + text[lo:hi][:200] * rng.randint(1, 5) + text[at:]
    return text


def only_located_problems(read: Callable[[], object]) -> object | None:
    """Run a reader: its result, or None after a FormatError whose every problem has a file and a message."""
    start = time.monotonic()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # a warning of numpy's is a value that should have been refused
            result = read()
    except FormatError as error:
        assert error.problems
        for problem in error.problems:
            assert problem.file and problem.message
            assert problem.line >= 1 and problem.column >= 1, str(problem)
            assert "\n" not in str(problem)
        result = None
    assert time.monotonic() - start < SLOWEST, "hangs"
    return result


def use(s: Skeleton) -> None:
    """What a figure that was accepted must be good for."""
    text = write_scr(s)
    again = read_scr(text)
    assert write_scr(again) == text
    assert again.joint_names == s.joint_names
    assert figure_height(s) > 0
    for i in range(len(s.joints)):
        segment_mesh(s, i)
        mass, _center, inertia = mass_properties(s, i)
        assert mass >= 0 and inertia.shape == (3, 3)


def fuzz_scr(count: int) -> None:
    sources = [FIGURE.read_text(encoding="utf-8"), RICH, RICH.replace(WRITTEN, ""), TYPED]
    sources.append((SKELETONS / "stickman.scr").read_text(encoding="utf-8"))
    accepted = 0
    for seed in range(count):
        rng = random.Random(seed)
        text = mutated(sources[seed % len(sources)], rng)
        s = only_located_problems(lambda text=text: read_scr(text, "fuzz.scr", SKELETONS))
        if isinstance(s, Skeleton):
            accepted += 1
            use(s)
    assert 0 < accepted < count  # the edits are neither harmless nor all fatal


def fuzz_pol(count: int) -> None:
    source = (SKELETONS / "stickman" / "r_foot.pol").read_text(encoding="utf-8")
    l_shape = "vertices 6\n0 0 0\n2 0 0\n2 1 0\n1 1 0\n1 2 0\n0 2 0\npolygons 2\n 6 0 1 2 3 4 5\n 3 0 1 2\n"
    bent = l_shape + 'weights 3\n 1  0.5 "arm"\n 0  1 "lower ""arm""" # wholly\n 5  .25 "arm"  0.5 "hand"\n'
    accepted = 0
    for seed in range(count):
        rng = random.Random(10_000 + seed)
        text = mutated((source, l_shape, bent, bent)[seed % 4], rng)
        mesh = only_located_problems(lambda text=text: read_pol(text, "fuzz.pol"))
        if isinstance(mesh, Mesh):
            accepted += 1
            written = write_pol(mesh)
            assert write_pol(read_pol(written)) == written
    assert 0 < accepted < count


def fuzz_bytes(count: int, folder: Path) -> None:
    """Bytes are damaged, so that the text may no longer be UTF-8."""
    source = FIGURE.read_bytes()
    path = folder / "fuzz.scr"
    for seed in range(count):
        rng = random.Random(20_000 + seed)
        data = bytearray(source)
        for _ in range(rng.randint(1, 10)):
            data[rng.randrange(len(data))] = rng.randrange(256)
        path.write_bytes(bytes(data))
        only_located_problems(lambda: load_skeleton(path))


def fuzz_foreign(count: int, folder: Path) -> None:
    """Damaged .obj, .stl, .ply and .glb: problems of that file, never an exception of the library that reads them."""
    import trimesh

    box = trimesh.creation.box()
    sources: dict[str, bytes] = {}
    for kind in ("obj", "stl", "ply", "glb"):
        data = box.export(file_type=kind)
        sources[kind] = data.encode() if isinstance(data, str) else data
    for seed in range(count):
        rng = random.Random(30_000 + seed)
        kind = rng.choice(sorted(sources))
        data = bytearray(sources[kind])
        for _ in range(rng.randint(1, 12)):
            data[rng.randrange(len(data))] = rng.randrange(256)
        if rng.random() < 0.3:
            data = data[: rng.randrange(len(data))]
        path = folder / f"fuzz.{kind}"
        path.write_bytes(bytes(data))
        try:
            load_object(path, path.name)
        except FormatError as error:
            assert error.problems and all(problem.file == path.name for problem in error.problems)


def test_damaged_scr() -> None:
    fuzz_scr(QUICK)


def test_damaged_pol() -> None:
    fuzz_pol(QUICK)


def test_damaged_bytes(tmp_path: Path) -> None:
    fuzz_bytes(QUICK, tmp_path)


def test_damaged_foreign_objects(tmp_path: Path) -> None:
    fuzz_foreign(QUICK, tmp_path)


@pytest.mark.verify
def test_damaged_scr_full() -> None:
    fuzz_scr(FULL)


@pytest.mark.verify
def test_damaged_pol_full() -> None:
    fuzz_pol(FULL)


@pytest.mark.verify
def test_damaged_bytes_full(tmp_path: Path) -> None:
    fuzz_bytes(FULL, tmp_path)


@pytest.mark.verify
def test_damaged_foreign_objects_full(tmp_path: Path) -> None:
    fuzz_foreign(FULL, tmp_path)

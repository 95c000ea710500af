"""Figures 6.4 and 6.5 of the thesis again: the bundled human with both feet locked, and the same without the locks.

Figure 6.4: upright, the pelvis tilted, the pelvis tilted and twisted. Figure 6.5: two keys that both keep the feet, and
the in-between half-way. How far the feet drift is measured and stands in the pictures.
``python -m tests.benchmarks.lock_figures`` draws them into the folder ``bench``; with ``--docs`` copies go into
``docs/images``.

Source: Welman (1993) section 6.3.
"""

from __future__ import annotations

import math
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QGuiApplication, QImage, QPainter, QPen

from app.look import fonts
from app.look.theme import LIGHT
from app.render.camera import Camera
from app.render.picture import Ghost, Picture
from app.render.renderer import Renderer
from core.animation import Key
from core.animation import Sequence as Motion
from core.animation.locks.strip import LockStrip
from core.constraints.bind import bind
from core.constraints.lock import Lock
from core.constraints.solve_locks import solve_locks
from core.formats.bundled import bundled_folder
from core.kinematics import forward_kinematics
from core.skeleton import Skeleton, load_skeleton
from core.skeleton.segment import end_effector, segment_mesh
from tests.benchmarks.figure_drawing import font, write

Array = NDArray[np.float64]

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "bench"
DOCS = ROOT / "docs" / "images"
FEET = ("right foot", "left foot")
TILT, TWIST = math.radians(22.0), math.radians(30.0)
"""What figure 6.4 asks of the pelvis: forward, then about the vertical."""
FRAMES, FPS, RATE = 30, 30.0, 240.0
"""Figure 6.5: frames from key to key, and at what rate the drift between them is measured."""
WIDTH, MARGIN, GAP, HEAD, CAPTION = 1800, 40, 16, 104, 62
PANEL = 620


def human() -> Skeleton:
    """Return the bundled human."""
    return load_skeleton(bundled_folder() / "human.scr")


def turned(s: Skeleton, q: Array, **degrees: float) -> Array:
    """Return a pose with values set by their labels, ``knee_flex=20`` on both sides, [degrees]."""
    q = np.array(q)
    for name, value in degrees.items():
        label = name.replace("_", " ").capitalize()
        places = [3 + i for i, each in enumerate(s.dof_labels) if each == label]
        if not places:
            raise ValueError(f"the figure has no {label}")
        q[places] = math.radians(value)
    return q


def standing(s: Skeleton) -> Array:
    """Return a pose that stands at ease: knees a little bent, arms a little out, soles on the ground."""
    q = turned(s, s.rest_pose(), hip_flex=12, knee_flex=22, ankle_flex=10, hip_out=5, ankle_tilt=0, elbow_flex=25)
    q = turned(s, q, shoulder_out=14)
    q[1] -= min(float(foot_points(s, q, foot)[:, 1].min()) for foot in FEET)
    return q


def foot_points(s: Skeleton, q: Array, foot: str) -> Array:
    """Return the corners of a foot's mesh in the world, shape (n, 3), [m]."""
    joint = s.joint_index(foot)
    mesh = segment_mesh(s, joint)
    assert mesh is not None
    frame = forward_kinematics(s, q)[joint]
    return np.asarray(mesh.vertices @ frame[:3, :3].T + frame[:3, 3])


def drift(s: Skeleton, q: Array, other: Array) -> float:
    """Return how far any point of either foot is from where it is in another pose, at most, [m]."""
    return max(
        float(np.linalg.norm(foot_points(s, q, foot) - foot_points(s, other, foot), axis=1).max()) for foot in FEET
    )


def foot_locks(s: Skeleton, q: Array) -> tuple[Lock, ...]:
    """Return locks of position and orientation of both feet where they stand."""
    joints = (s.joint_index(foot) for foot in FEET)
    return tuple(bind(Lock(s.joint_names[j], "pose", point=tuple(end_effector(s, j))), s, q) for j in joints)


@dataclass(frozen=True)
class Panel:
    """One picture of a figure.

    Attributes:
        title: What it shows.
        q: The pose.
        note: What was measured.
        ghosts: Poses drawn as ghosts.
        lit: Whether the note tells of a drift that can be seen.
    """

    title: str
    q: Array
    note: str
    ghosts: tuple[Array, ...] = ()
    lit: bool = False


def drift_text(metres: float) -> str:
    """Return a drift in mm, with as many digits as it has."""
    mm = 1000.0 * metres
    if mm < 1e-6:
        return "feet drift 0 mm" if mm == 0.0 else "feet drift below 0.000001 mm"
    return f"feet drift {mm:.1f} mm" if mm >= 0.05 else f"feet drift {mm:.1g} mm"


def panel(s: Skeleton, title: str, q: Array, first: Array, ghosts: Sequence[Array] = ()) -> Panel:
    """Return a panel with the drift of its feet from those of another pose."""
    away = drift(s, q, first)
    return Panel(title, q, drift_text(away), tuple(ghosts), away > 1e-3)


def tilted(s: Skeleton) -> list[list[Panel]]:
    """Return the rows of figure 6.4: without locks, and with them."""
    upright = standing(s)
    locks = foot_locks(s, upright)
    turn, bend, _ = range(3, 6)
    leaning, twisted = np.array(upright), np.array(upright)
    leaning[bend] += TILT
    twisted[bend] += TILT
    twisted[turn] += TWIST
    rows = []
    for held in (False, True):
        row = [panel(s, "(a) Upright", upright, upright)]
        for title, wanted in (("(b) Pelvis tilted", leaning), ("(c) Tilted and twisted", twisted)):
            q = wanted
            if held:
                result = solve_locks(s, wanted, locks, start=wanted, fixed=(turn, bend))
                if not result.held or not np.array_equal(result.q[[turn, bend]], wanted[[turn, bend]]):
                    raise RuntimeError(f"figure 6.4, {title}: the locks are not held: {result.residuals}")
                q = result.q
            row.append(panel(s, title, q, upright, [upright]))
        rows.append(row)
    return rows


def keyed(s: Skeleton) -> tuple[Motion, Array, Array]:
    """Return the motion of figure 6.5, its feet locked at both keys, and the poses of the keys."""
    first = standing(s)
    locks = foot_locks(s, first)
    wanted = turned(s, first, shoulder_flex=50, neck_bend=-15)
    wanted[:3] += (0.05, -0.30, -0.25)
    wanted[3:5] += (math.radians(12.0), math.radians(25.0))
    result = solve_locks(s, wanted, locks, start=wanted, fixed=(0, 1, 3, 4))
    if not result.held:
        raise RuntimeError(f"figure 6.5: the second key does not hold the locks: {result.residuals}")
    motion = Motion(s, fps=FPS, name="figure 6.5", keys=[Key(0, first), Key(FRAMES, result.q)])
    motion.locks.strips = tuple(LockStrip(lock, 0) for lock in locks)
    return motion, first, result.q


def between(s: Skeleton) -> list[list[Panel]]:
    """Return the rows of figure 6.5: interpolated alone, and brought onto the locks."""
    motion, first, last = keyed(s)
    middle = FRAMES // 2
    times = np.arange(int(FRAMES / FPS * RATE) + 1) * FPS / RATE
    shown = np.linspace(0, FRAMES, 7)[1:-1]
    rows = []
    for held in (False, True):
        motion.locks.holds = held
        poses = motion.poses_at_frames(times)
        most = max(drift(s, q, first) for q in poses)
        half = motion.pose_at_frame(middle)
        over = Panel(
            "(d) The whole way", half, drift_text(most) + " at most", tuple(motion.poses_at_frames(shown)), most > 1e-3
        )
        rows.append(
            [
                panel(s, "(a) First key", first, first),
                panel(s, "(b) Half-way", half, first, [first]),
                panel(s, "(c) Second key", last, first),
                over,
            ]
        )
    return rows


# -- drawing -------------------------------------------------------------------------------------------------------


def draw_panel(painter: QPainter, renderer: Renderer, s: Skeleton, one: Panel, area: QRectF, camera: Camera) -> None:
    """Draw a panel with its caption beneath."""
    size = round(area.width()), round(area.height())
    ghosts = [Ghost(forward_kinematics(s, q), "ghost_before", 1.3) for q in one.ghosts]
    content = Picture(poses=forward_kinematics(s, one.q), ghosts=ghosts, scale=2.0)
    pixels = np.ascontiguousarray(renderer.render(camera, content, 2 * size[0], 2 * size[1], LIGHT, 4))
    picture = QImage(pixels.data, *pixels.shape[1::-1], QImage.Format.Format_RGBA8888_Premultiplied)
    painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
    painter.drawImage(area, picture)
    painter.setPen(QPen(QColor(LIGHT.line2), 1.0))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRect(area)
    x = area.center().x()
    write(painter, x, area.bottom() + 28, one.title, font(22, fonts.MEDIUM), LIGHT.text, "middle")
    color = LIGHT.conflict if one.lit else LIGHT.ok
    write(painter, x, area.bottom() + 54, one.note, font(21), color, "middle")


def close_up(s: Skeleton, q: Array, aspect: float) -> Camera:
    """Return a camera on the feet, for pictures so many times as wide as high."""
    points = np.concatenate([foot_points(s, q, foot) for foot in FEET])
    low, high = points.min(axis=0) - 0.02, points.max(axis=0) + 0.02
    camera = Camera(yaw=math.radians(-58.0), pitch=math.radians(12.0))
    camera.frame(low, high, aspect, margin=1.02)
    return camera


def draw_figure(number: str, title: str, under: str, rows: list[list[Panel]], s: Skeleton, aims: Sequence[str]) -> Path:
    """Draw a figure: the rows one above the other; ``aims`` says for each column ``"whole"`` or ``"feet"``."""
    count = len(rows[0])
    width = (WIDTH - 2 * MARGIN - (count - 1) * GAP) / count
    step = PANEL + CAPTION + 72
    image = QImage(WIDTH, HEAD + MARGIN + len(rows) * step + MARGIN // 2, QImage.Format.Format_RGB32)
    image.fill(QColor("#ffffff"))
    painter = QPainter(image)
    painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)
    write(painter, MARGIN, MARGIN + 30, title, font(34, fonts.SEMIBOLD), LIGHT.text)
    write(painter, MARGIN, MARGIN + 68, f"After figure {number} of Welman (1993). {under}", font(24), LIGHT.text2)
    renderer = Renderer()
    renderer.set_figure(s)
    boxes = [renderer.bounds(forward_kinematics(s, one.q)) for row in rows for one in row]
    low, high = np.min([box[0] for box in boxes], axis=0), np.max([box[1] for box in boxes], axis=0)
    whole = Camera(yaw=math.radians(-58.0), pitch=math.radians(9.0))
    whole.frame(low, high, width / PANEL, margin=0.9)
    cameras = {"whole": whole, "feet": close_up(s, rows[0][0].q, width / PANEL)}
    for k, (name, row) in enumerate(zip(("Without locks", "Both feet locked"), rows, strict=True)):
        top = HEAD + MARGIN + k * step
        write(painter, MARGIN, top + 24, name, font(26, fonts.SEMIBOLD), LIGHT.text)
        for i, (one, aim) in enumerate(zip(row, aims, strict=True)):
            area = QRectF(round(MARGIN + i * (width + GAP)), top + 40, round(width), PANEL)
            draw_panel(painter, renderer, s, one, area, cameras[aim])
    renderer.dispose()
    painter.end()
    FOLDER.mkdir(exist_ok=True)
    path = FOLDER / f"figure-{number}.png"
    save(image, path)
    return path


def save(image: QImage, path: Path) -> None:
    """Save with 256 colours, a few of them kept for the words: beside pictures they are too rare to be chosen."""
    pixels = np.frombuffer(image.constBits(), dtype=np.uint8).reshape(image.height(), image.width(), 4)
    picture = Image.fromarray(np.ascontiguousarray(pixels[:, :, 2::-1]))
    kept = [QColor(color).getRgb()[:3] for color in (LIGHT.text, LIGHT.text2, LIGHT.conflict, LIGHT.ok, "#ffffff")]
    few = picture.quantize(256 - len(kept), dither=Image.Dither.NONE)
    colors = (few.getpalette() or [])[: 3 * (256 - len(kept))]
    palette = Image.new("P", (1, 1))
    palette.putpalette([*colors, *(part for color in kept for part in color)])
    picture.quantize(palette=palette, dither=Image.Dither.NONE).save(path, optimize=True)


def main(words: list[str]) -> int:
    """Draw both figures and print what was measured."""
    app = QGuiApplication.instance() or QGuiApplication([])
    s = human()
    figures = (
        ("6.4", "Tilting and twisting the pelvis", "Ghost: the first pose", tilted(s), ("whole",) * 3),
        (
            "6.5",
            "Between two keys",
            "Ghosts: the first key in (b), in-betweens in (d)",
            between(s),
            ("whole", "whole", "whole", "feet"),
        ),
    )
    for number, title, under, rows, aims in figures:
        path = draw_figure(number, title, under, rows, s, aims)
        for name, row in zip(("without locks", "with locks"), rows, strict=True):
            for one in row:
                print(f"  figure {number}, {name}, {one.title}: {one.note}")
        if "--docs" in words:
            shutil.copy(path, DOCS)
    del app
    return 0


def run(report: Callable[..., None]) -> None:
    """Draw the figures in a process of its own: this one may have a window system already, or none."""
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    command = [sys.executable, "-m", "tests.benchmarks.lock_figures"]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300)
    if done.returncode:
        raise RuntimeError(f"drawing failed: {done.stderr.strip()[-400:]}")
    print(done.stdout, end="")
    report("figures 6.4 and 6.5: pictures drawn", 2, "", "bench/figure-6.4.png, figure-6.5.png")


if __name__ == "__main__":
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    sys.exit(main(sys.argv[1:]))

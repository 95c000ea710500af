"""How long the renderer takes for a frame, from the call to the pixels in memory, and how much of it is Python."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

WORK, SMALL, THUMB = (824, 564), (200, 116), (128, 128)
FRAMES = 60


def _times(draw: Callable[[int], object]) -> tuple[float, float]:
    """Return the median and the least time of a call, [ms]; the first ones fill the stores."""
    for k in range(12):
        draw(k)
    times = []
    for k in range(FRAMES):
        start = time.perf_counter()
        draw(k)
        times.append(1e3 * (time.perf_counter() - start))
    return float(np.median(times)), float(np.min(times))


class _CountedCalls:
    """Counts what is called of the OpenGL module while a block runs."""

    def __init__(self, gl: Any) -> None:
        self._gl = gl
        self.count = 0

    def __enter__(self) -> _CountedCalls:
        self._old = {}
        for name in dir(self._gl):
            function = getattr(self._gl, name)
            if name.startswith("gl") and callable(function):
                self._old[name] = function
                setattr(self._gl, name, self._counted(function))
        return self

    def _counted(self, function: Callable[..., object]) -> Callable[..., object]:
        def call(*arguments: object, **named: object) -> object:
            self.count += 1
            return function(*arguments, **named)

        return call

    def __exit__(self, *_: object) -> None:
        for name, function in self._old.items():
            setattr(self._gl, name, function)


def run(report: Callable[..., None]) -> None:
    """Measure frames of the human figure with two ghosts, and with sixteen.

    Args:
        report: Called as ``report(name, value, unit, note="")``.
    """
    from app.render.camera import Camera
    from app.render.gl import GL
    from app.render.picture import Picture
    from app.render.renderer import Renderer
    from app.render.thumbnail import thumbnail
    from core.kinematics import forward_kinematics
    from core.skeleton import load_skeleton

    skeleton = load_skeleton(Path(__file__).resolve().parents[2] / "skeletons" / "human.scr")
    q = skeleton.rest_pose()
    poses = forward_kinematics(skeleton, q)

    def moved(x: float) -> np.ndarray:
        result = poses.copy()
        result[:, 0, 3] += x
        return result

    ghosts = [(moved(-0.6), "ghost_before", 1.0), (moved(0.6), "ghost_after", 1.0)]
    chain = {skeleton.joint_index(name) for name in ("right upper arm", "right forearm", "right hand")}
    renderer = Renderer()
    renderer.set_figure(skeleton)
    orbiting, still, side = Camera(), Camera(), Camera(kind="side")

    def drag(k: int, samples: int = 0) -> object:
        return renderer.render(still, Picture(moved(1e-3 * k), ghosts, chain=chain), *WORK, "dark", samples, bgra=True)

    def orbit(k: int) -> object:
        orbiting.orbit(0.5, 0.0)
        return renderer.render(orbiting, Picture(poses, ghosts, hover={2}), *WORK, "dark", bgra=True)

    many = [(moved(0.15 * (k + (k >= 0))), "ghost_before", 0.8 ** abs(k)) for k in range(-8, 8)]

    def drag_many(k: int) -> object:
        return renderer.render(still, Picture(moved(1e-3 * k), many, chain=chain), *WORK, "dark", bgra=True)

    def orbit_many(k: int) -> object:
        orbiting.orbit(0.5, 0.0)
        return renderer.render(orbiting, Picture(poses, many, hover={2}), *WORK, "dark", bgra=True)

    def small(k: int) -> object:
        return renderer.render(
            side, Picture(moved(1e-3 * k), ghosts, chain=chain, small=True), *SMALL, "dark", bgra=True
        )

    def key(k: int) -> object:
        pose = q.copy()
        pose[3:] = 1e-3 * k
        return thumbnail(skeleton, pose, THUMB, "dark", renderer=renderer)

    note = f"{renderer.context.renderer}; median, least"
    for name, draw in (
        ("viewport drag, 824 x 564, two ghosts", drag),
        ("viewport orbit, 824 x 564, two ghosts", orbit),
        ("viewport drag, 824 x 564, sixteen ghosts", drag_many),
        ("viewport orbit, 824 x 564, sixteen ghosts", orbit_many),
        ("viewport at rest, 824 x 564, 4 samples", lambda k: drag(k, 4)),
        ("small view, 200 x 116, two ghosts", small),
        ("thumbnail, 128 x 128, 4 samples", key),
    ):
        median, least = _times(draw)
        report(name, round(median, 2), "ms", note=f"{note} {least:.2f} ms")
    with _CountedCalls(GL) as counted:
        drag(1000)
    report("OpenGL calls a frame while dragging", counted.count, "calls")
    renderer.dispose()


if __name__ == "__main__":
    run(lambda name, value, unit, note="": print(f"{name:45} {value:8} {unit:6} {note}"))

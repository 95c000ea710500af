"""Sky, ground and grid: everything that stays as it is while the figure moves under a resting camera."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from app.look.theme import Theme
from app.render.camera import Camera
from app.render.colors import srgb
from app.render.gl import GL
from app.render.programs import Program

# The light along the horizon, in sRGB; sky and ground are half of it there.
_GLOW = {"dark": np.array([73, 82, 94]) / 255.0, "light": np.array([215, 221, 226]) / 255.0}
# A studio's floor in the light, floor and wall where they meet, and the wall high above, in sRGB.
_STUDIO = {
    "dark": {"lit": (0.345, 0.365, 0.395), "base": (0.190, 0.203, 0.222), "dark": (0.090, 0.096, 0.106)},
    "light": {"lit": (0.850, 0.858, 0.868), "base": (0.735, 0.748, 0.765), "dark": (0.585, 0.602, 0.625)},
}


def studio_floor(theme: Theme) -> tuple[float, float, float]:
    """Return the colour of a studio's floor in the light, in sRGB."""
    return _STUDIO[theme.name]["lit"]


_POOL = 0.62  # how far a studio's light reaches, of the distance between the eye and what it looks at


class Backdrop:
    """Draws the surroundings into the bound target; the context must be current for everything."""

    def __init__(self) -> None:
        self._studio: Program | None = None
        self._sky = Program("screen.vert", "sky.frag")
        self._ground = Program("screen.vert", "ground.frag")
        self._elevation = Program("screen.vert", "elevation.frag")

    def draw_studio(self, camera: Camera, width: int, height: int, theme: Theme) -> None:
        """Draw a studio over the whole target: a floor that runs into the wall without an edge.

        Args:
            camera: Where from.
            width: Of the target, [px].
            height: Of the target, [px].
            theme: Whose studio, the dark or the light one.
        """
        self._studio = self._studio or Program("screen.vert", "studio.frag")
        self._studio.use()
        self._studio.set(
            **_rays(camera, width / height), **_STUDIO[theme.name], focus=(camera.target[0], camera.target[2]),
            reach=_POOL * max(camera.distance, 2.0), flat_view=float(camera.kind in ("front", "side")),
        )  # fmt: skip
        GL.glDrawArrays(GL.GL_TRIANGLES, 0, 3)

    def draw(self, camera: Camera, width: int, height: int, theme: Theme, grid: bool) -> None:
        """Draw sky, ground and grid over the whole target.

        Args:
            camera: Where from.
            width: Of the target, [px].
            height: Of the target, [px].
            theme: Colours.
            grid: Whether grid and world lines are drawn.
        """
        rays, half_y = _rays(camera, width / height), camera.half_extent(width / height)[1]
        right, up, back = camera.basis
        colours = {token: srgb(theme, token) for token in ("sky_top", "sky_horizon", "ground_far", "ground_near")}
        lines: dict[str, ArrayLike] = {
            "grid_colour": srgb(theme, "grid"), "axis_x": srgb(theme, "axis_x"), "axis_z": srgb(theme, "axis_z"),
            "grid": float(grid and (camera.orthographic or camera.eye[1] > 0.0)),
            # Parallel views show the grid behind the figure, so only as much of it as stays quiet.
            "least": 14.0 if camera.orthographic else 2.0,
            "focus": (camera.target[0], camera.target[2]),
        }  # fmt: skip
        glow = _GLOW[theme.name]
        if camera.kind in ("front", "side"):
            self._elevation.use()
            self._elevation.set(**rays, **colours, **lines, across=right, density=1.0 / camera.pixel_size(height))
            GL.glDrawArrays(GL.GL_TRIANGLES, 0, 3)
            return
        if camera.kind == "top":
            horizon = 0
        else:
            # The camera never rolls, so the horizon is a row: sky above and ground below are drawn apart.
            level = back[1] * camera.distance / (max(up[1], 1e-6) * half_y)
            horizon = int(min(max(round((1.0 - level) * 0.5 * height), 0), height))
        GL.glEnable(GL.GL_SCISSOR_TEST)
        if horizon > 0:
            GL.glScissor(0, 0, width, horizon)
            self._sky.use()
            self._sky.set(**rays, sky_top=colours["sky_top"], sky_horizon=colours["sky_horizon"], glow=glow)
            GL.glDrawArrays(GL.GL_TRIANGLES, 0, 3)
        if horizon < height:
            GL.glScissor(0, horizon, width, height - horizon)
            self._ground.use()
            self._ground.set(
                **rays, **lines, glow=glow, flat_ground=float(camera.kind == "top"),
                ground_far=colours["ground_far"], ground_near=colours["ground_near"],
            )  # fmt: skip
            GL.glDrawArrays(GL.GL_TRIANGLES, 0, 3)
        GL.glDisable(GL.GL_SCISSOR_TEST)

    def dispose(self) -> None:
        """Free the programs."""
        for program in (self._sky, self._ground, self._elevation, *((self._studio,) if self._studio else ())):
            program.dispose()


def _rays(camera: Camera, aspect: float) -> dict[str, NDArray[np.float64]]:
    """Return what the shaders need to know of a camera's rays, for a picture so much wider than high."""
    half_x, half_y = camera.half_extent(aspect)
    right, up, back = camera.basis
    zero = np.zeros(3)
    if camera.orthographic:
        return {
            "ray_origin": camera.eye, "origin_x": half_x * right, "origin_y": half_y * up,
            "ray_direction": -back, "direction_x": zero, "direction_y": zero,
        }  # fmt: skip
    return {
        "ray_origin": camera.eye, "origin_x": zero, "origin_y": zero,
        "ray_direction": -camera.distance * back, "direction_x": half_x * right, "direction_y": half_y * up,
    }  # fmt: skip

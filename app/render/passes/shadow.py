"""The soft shadow on the ground: hulls projected along the key light into a small picture, then blurred."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from app.render.figure_buffer import FigureBuffer
from app.render.gl import GL
from app.render.passes.key_shadow import KEY_LIGHT
from app.render.programs import Program
from app.render.targets import Target

SIZE = 96
# Standard deviations of the blur for what blocks the light low, middling and high above the ground, [m].
_SIGMA = np.array([0.014, 0.035, 0.075])
_MARGIN = 0.2
_TAPS = 8  # of the blur, the middle and to one side
LEVEL = np.array([0.0, 1.0, 0.0, 0.0])
"""The ground y = 0."""
LEVEL.setflags(write=False)


def ground_patch(
    centers: NDArray[np.float64],
    radii: NDArray[np.float64],
    ground: NDArray[np.float64] = LEVEL,
    light: NDArray[np.float64] = KEY_LIGHT,
) -> NDArray[np.float32]:
    """Return the square of ground that holds the shadow: centre x and z, half extent, 0; in [m].

    It grows in quarters of a metre and moves by whole texels, so that a shadow does not swim while a figure moves.

    Args:
        centers: Of spheres round the segments, shape (k, 3).
        radii: Of the spheres, shape (k,).
        ground: Unit normal n and level d of the plane that it falls on, ``n . x = d``, shape (4,).
        light: Unit direction to the light, shape (3,).
    """
    rise = np.maximum(centers @ ground[:3] - ground[3], 0.0)[:, None]
    cast = centers - light * (rise / float(ground[:3] @ light))
    reach = 1.6 * radii[:, None]  # a sphere's shadow is longer than the sphere, in the direction of the light
    low, high = (cast - reach).min(axis=0)[[0, 2]], (cast + reach).max(axis=0)[[0, 2]]
    half = math.ceil((0.5 * float((high - low).max()) + _MARGIN) * 4.0) / 4.0
    texel = 2.0 * half / SIZE
    middle = np.round(0.5 * (low + high) / texel) * texel
    return np.array([*middle, half, 0.0], dtype=np.float32)


@lru_cache(maxsize=8)
def _weights(half: float) -> NDArray[np.float64]:
    """Return the blur's weights in a patch of this half extent [m], shape (_TAPS, 3); read-only."""
    sigma = np.maximum(_SIGMA * (SIZE / (2.0 * half)), 0.4)
    weights = np.exp(-0.5 * (np.arange(_TAPS)[:, None] / sigma) ** 2)
    weights /= weights[0] + 2.0 * weights[1:].sum(axis=0)
    weights[weights < 1e-4] = 0.0  # far below a step of brightness, and slow to reckon with
    weights.setflags(write=False)
    return weights


class Shadow:
    """The shadow picture, kept until the pose changes; the context must be current for everything.

    Attributes:
        patch: Where it is, see :func:`ground_patch`.
        top: Height that nothing of what casts it is above, [m].
    """

    def __init__(self) -> None:
        self.patch, self.top = np.zeros(4, dtype=np.float32), 0.0
        self._key: object = None
        self._ground = LEVEL
        self._targets = [Target(SIZE, SIZE, depth=False, smooth=True) for _ in range(2)]
        self._blur = Program("screen.vert", "shadow_blur.frag")
        self._draw = Program("shadow.vert", "shadow.frag")

    @property
    def texture(self) -> int:
        """The texture that holds the shadow: low, middling and high in red, green and blue."""
        return self._targets[0].texture

    def update(
        self,
        key: object,
        casters: Sequence[tuple[FigureBuffer, Program, int]],
        patch: NDArray[np.float32],
        ground: NDArray[np.float64] = LEVEL,
        light: NDArray[np.float64] = KEY_LIGHT,
        top: float = np.inf,
    ) -> None:
        """Draw the shadow again unless it is that of ``key`` already.

        Args:
            key: Identifies what casts it, and where.
            casters: What casts it, each with the program ``shadow_cast`` for it and its instance in the palette.
            patch: See :func:`ground_patch`.
            ground: The same.
            light: The same.
            top: Height that nothing of what casts it is above, [m].
        """
        if key == self._key:
            return
        self._key, self.patch, self.top, self._ground = key, patch, top, ground
        first, second = self._targets
        first.bind()
        GL.glClearColor(0.0, 0.0, 0.0, 0.0)
        GL.glClear(GL.GL_COLOR_BUFFER_BIT)
        GL.glEnable(GL.GL_BLEND)
        GL.glBlendEquation(GL.GL_MAX)
        for figure, cast, instance in casters:
            cast.use()
            cast.set(
                palette=0, joint_count=figure.n_joints, first_instance=instance, key=light, patch_of_ground=patch,
                ground=ground,
            )  # fmt: skip
            figure.bind()
            figure.draw_hull()
        GL.glBlendEquation(GL.GL_FUNC_ADD)
        GL.glDisable(GL.GL_BLEND)
        weights = _weights(float(patch[2]))
        self._blur.use()
        for source, target, along in ((first, second, (1.0, 0.0)), (second, first, (0.0, 1.0))):
            target.bind()
            source.bind_texture()
            self._blur.set(source=1, along=along, weights=weights)
            GL.glDrawArrays(GL.GL_TRIANGLES, 0, 3)

    def lies_on(self, ground: NDArray[np.float64]) -> bool:
        """Return whether it is the shadow on a plane, as :func:`ground_patch` takes it."""
        return self._ground is ground or bool(np.array_equal(self._ground, ground))

    def on_terrain(self, density: float) -> dict[str, ArrayLike]:
        """Let a shader read it as texture unit 1, and return its uniforms; it must lie on a level plane.

        Args:
            density: How dark it is.
        """
        self._targets[0].bind_texture()
        return {
            "source": 1, "patch_of_ground": self.patch, "shadow_level": float(self._ground[3]), "shadow_top": self.top,
            "density": density,
        }  # fmt: skip

    def draw(self, view_projection: NDArray[np.float64], density: float) -> None:
        """Darken the ground of the bound target."""
        self._draw.use()
        self._draw.set(
            source=1, view_projection=view_projection, patch_of_ground=self.patch, density=density, ground=self._ground
        )
        self._targets[0].bind_texture()
        GL.glEnable(GL.GL_BLEND)
        GL.glBlendFuncSeparate(GL.GL_SRC_ALPHA, GL.GL_ONE_MINUS_SRC_ALPHA, GL.GL_ONE, GL.GL_ONE_MINUS_SRC_ALPHA)
        GL.glDrawArrays(GL.GL_TRIANGLE_STRIP, 0, 4)
        GL.glDisable(GL.GL_BLEND)

    def dispose(self) -> None:
        """Free pictures and programs."""
        for target in self._targets:
            target.dispose()
        for program in (self._blur, self._draw):
            program.dispose()

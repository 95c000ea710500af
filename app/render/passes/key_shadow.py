"""What the figure's parts keep of the key light from each other: a depth map seen from the light."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from app.render.context import GraphicsError
from app.render.figure_buffer import FigureBuffer
from app.render.gl import GL
from app.render.lights import USUAL, Lights
from app.render.programs import Program

Array = NDArray[np.float64]

KEY_LIGHT = USUAL.direction
"""Direction to the key light of the editor, in the world; read-only."""
SIZE, MIDDLE, FINE = 512, 1024, 2048
"""Texels along a side of the map: of views, of views at rest where it shows, of exported pictures and near views."""
_COVER = 1.5  # a texel of the middle size may be as large as so many pixels: edges are soft
_STEPS = 4  # sizes of the square it covers, for each doubling
_BLUR = 1.5 / SIZE  # of the side: a shadow's edge is as wide in every map
# Where a point is read: so many texels off the surface, besides what is read round it. What is seen almost edge on then
# does not shade itself, and neither does what has turned a little away, where the recipe still has some key light.
_LIFT = 1.3
_BIAS, _SLOPE = 1.0, 1.0  # texels toward the light, and along a surface


def light_square(centers: Array, radii: Array, size: int = SIZE, lights: Lights = USUAL) -> tuple[Array, float]:
    """Return what takes the world into the map, 0 to 1 each way and in depth, and the size of a texel, [m].

    It grows in steps and moves by whole texels, so that a shadow's edge does not swim while a figure moves.

    Args:
        centers: Of spheres whose convex hull holds the figure, shape (k, 3), [m].
        radii: Of the spheres, shape (k,).
        size: Texels along a side.
        lights: Whose key light it is.

    Returns:
        Shape (4, 4), and a length.
    """
    axes = lights.axes  # of the square, in the world
    seen = centers @ axes.T
    low, high = (seen - radii[:, None]).min(axis=0), (seen + radii[:, None]).max(axis=0)
    half = max(0.51 * float((high - low)[:2].max()), 1e-6)
    half = 2.0 ** (math.ceil(math.log2(half) * _STEPS) / _STEPS)
    texel = 2.0 * half / size
    middle = np.round(0.5 * (low + high)[:2] / texel) * texel
    depth = max(float(high[2] - low[2]), 1e-6)
    into = np.eye(4)
    into[:2, :3], into[:2, 3] = axes[:2] / (2.0 * half), 0.5 - middle / (2.0 * half)
    into[2, :3], into[2, 3] = axes[2] / depth, -low[2] / depth
    return into, texel


def map_size(centers: Array, radii: Array, pixel: float, fine: bool = False, lights: Lights = USUAL) -> int:
    """Return how many texels along a side a picture's map needs.

    Args:
        centers: See :func:`light_square`.
        radii: See :func:`light_square`.
        pixel: What a pixel covers of the figure, [m]; infinite if there is no time for a finer map.
        fine: Whether it is a picture for which there is time.
        lights: Whose key light it is.
    """
    if fine:
        return FINE
    texel = light_square(centers, radii, lights=lights)[1]
    if pixel >= texel:
        return SIZE
    return MIDDLE if _COVER * pixel >= texel * SIZE / MIDDLE else FINE


class KeyShadow:
    """The map, kept until the pose changes; the context must be current for everything.

    Attributes:
        uniforms: Uniforms of the shaders that read it.

    Args:
        size: Texels along a side; pictures for which there is time take more than views do.

    Raises:
        GraphicsError: If the driver cannot make it.
    """

    def __init__(self, size: int = SIZE) -> None:
        self._size = size
        self.uniforms: dict[str, ArrayLike] = {}
        self._key: object = None
        self._framebuffer = int(GL.glGenFramebuffers(1))
        self._texture = int(GL.glGenTextures(1))
        GL.glBindTexture(GL.GL_TEXTURE_2D, self._texture)
        GL.glTexImage2D(
            GL.GL_TEXTURE_2D, 0, GL.GL_DEPTH_COMPONENT16, size, size, 0, GL.GL_DEPTH_COMPONENT, GL.GL_UNSIGNED_SHORT,
            None,
        )  # fmt: skip
        for name, value in (
            (GL.GL_TEXTURE_MIN_FILTER, GL.GL_LINEAR),
            (GL.GL_TEXTURE_MAG_FILTER, GL.GL_LINEAR),
            (GL.GL_TEXTURE_WRAP_S, GL.GL_CLAMP_TO_EDGE),
            (GL.GL_TEXTURE_WRAP_T, GL.GL_CLAMP_TO_EDGE),
            (GL.GL_TEXTURE_COMPARE_MODE, GL.GL_COMPARE_REF_TO_TEXTURE),
            (GL.GL_TEXTURE_COMPARE_FUNC, GL.GL_LEQUAL),
        ):
            GL.glTexParameteri(GL.GL_TEXTURE_2D, name, value)
        GL.glBindFramebuffer(GL.GL_FRAMEBUFFER, self._framebuffer)
        GL.glFramebufferTexture2D(GL.GL_FRAMEBUFFER, GL.GL_DEPTH_ATTACHMENT, GL.GL_TEXTURE_2D, self._texture, 0)
        GL.glDrawBuffer(GL.GL_NONE)
        GL.glReadBuffer(GL.GL_NONE)
        status = GL.glCheckFramebufferStatus(GL.GL_FRAMEBUFFER)
        if status != GL.GL_FRAMEBUFFER_COMPLETE:
            self.dispose()
            raise GraphicsError(f"no depth map of {size} x {size} (status {int(status):#x})")

    def update(
        self,
        key: object,
        figure: FigureBuffer,
        cast: Program,
        centers: Array,
        radii: Array,
        level: int,
        lights: Lights = USUAL,
    ) -> None:
        """Draw the map again unless it is that of ``key`` already.

        Of closed segments only what faces away from the light is drawn: then nothing lit lies in its own shadow,
        however coarse the map is.

        Args:
            key: Identifies figure and pose.
            figure: Its palette's first instance is drawn.
            cast: Program of ``key_shadow`` for this figure.
            centers: See :func:`light_square`.
            radii: See :func:`light_square`.
            level: Fine (0) or coarse (1).
            lights: Whose key light it is.
        """
        if key == self._key:
            return
        self._key = key
        into, texel = light_square(centers, radii, self._size, lights)
        clip = 2.0 * into
        clip[:3, 3] -= 1.0
        clip[3] = [0.0, 0.0, 0.0, 1.0]
        bias = _BIAS * texel * float(np.linalg.norm(into[2, :3]))
        shifted = into.copy()
        shifted[2, 3] -= bias
        shifted.setflags(write=False)
        self.uniforms = {
            "key_map": 2, "into_map": shifted, "map_blur": _BLUR, "map_lift": (_LIFT + _BLUR * self._size) * texel,
        }  # fmt: skip
        GL.glBindFramebuffer(GL.GL_FRAMEBUFFER, self._framebuffer)
        GL.glViewport(0, 0, self._size, self._size)
        GL.glClear(GL.GL_DEPTH_BUFFER_BIT)
        GL.glEnable(GL.GL_DEPTH_TEST)
        GL.glEnable(GL.GL_POLYGON_OFFSET_FILL)
        GL.glPolygonOffset(_SLOPE, 0.0)
        cast.use()
        cast.set(palette=0, joint_count=figure.n_joints, first_instance=0, view_projection=clip)
        figure.bind()
        figure.draw_skin(level)  # pictures are upside down, the map is not: this culls what faces the light
        GL.glDisable(GL.GL_POLYGON_OFFSET_FILL)
        GL.glDisable(GL.GL_DEPTH_TEST)

    def bind_texture(self) -> None:
        """Let shaders read it as texture unit 2."""
        GL.glActiveTexture(GL.GL_TEXTURE2)
        GL.glBindTexture(GL.GL_TEXTURE_2D, self._texture)
        GL.glActiveTexture(GL.GL_TEXTURE0)

    def dispose(self) -> None:
        """Free the map."""
        if self._framebuffer:
            GL.glDeleteFramebuffers(1, [self._framebuffer])
            GL.glDeleteTextures([self._texture])
            self._framebuffer = 0

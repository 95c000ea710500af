"""Outlines of what the pointer would grab, of the selection and of the drag chain."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from app.render.colors import srgb
from app.render.drawn_figure import DrawnFigure
from app.render.frame_view import FrameView
from app.render.gl import GL
from app.render.programs import Program
from app.render.targets import Target

_WHITE = np.ones(4)
_WHITE.setflags(write=False)


class Programs(Protocol):
    """Gives the program of a vertex and a fragment shader for the figure that is drawn."""

    def __call__(self, vertex: str, fragment: str) -> Program: ...


def draw_outlines(view: FrameView, figure: DrawnFigure, frame: Target, level: int, programs: Programs) -> None:
    """Draw a line round what can be seen of each marked set, outside of it.

    The sets are drawn once more into a mask that shares the frame's depth, so that only what can be seen gets in,
    and marked in the stencil; then the segments, slightly swollen, look for the mask around each of their pixels.

    Args:
        view: The frame; its picture holds the sets.
        figure: Drawn into ``frame`` just before.
        frame: Where to draw.
        level: At which level the figure was drawn.
        programs: Where programs come from.
    """
    picture, scale = view.picture, view.picture.scale * (0.7 if view.picture.small else 1.0)
    marks = [
        (bit, joints, token, width * scale, alpha)
        for bit, (joints, token, width, alpha) in enumerate(
            (
                (picture.chain, "accent", 1.8, 1.0),
                (picture.selected - picture.chain, "accent", 2.0, 1.0),
                (picture.hover, "halo", 3.4, 0.9),  # the text colour alone would be lost on a pale figure
                (picture.hover, "text", 1.8, 0.95),
            )
        )
        if joints
    ]
    if not marks:
        return
    mask, readable = frame.mask()
    mask.bind()
    GL.glClearColor(0.0, 0.0, 0.0, 0.0)
    GL.glClear(GL.GL_COLOR_BUFFER_BIT)
    shared: dict[str, ArrayLike] = {
        "palette": 0, "joint_count": figure.buffer.n_joints, "first_instance": 0,
        "view_projection": view.view_projection,
    }  # fmt: skip
    program = programs("figure.vert", "flat.frag")
    program.use()
    program.set(**shared, paint=_WHITE)
    figure.buffer.bind()
    GL.glEnable(GL.GL_DEPTH_TEST)
    GL.glDepthFunc(GL.GL_LEQUAL)
    GL.glEnable(GL.GL_STENCIL_TEST)
    GL.glStencilOp(GL.GL_KEEP, GL.GL_KEEP, GL.GL_REPLACE)
    GL.glStencilFunc(GL.GL_ALWAYS, 0xFF, 0xFF)
    for bit, joints, *_ in marks:
        GL.glStencilMask(1 << bit)
        GL.glColorMask(*(k == bit for k in range(4)))
        figure.buffer.draw_joints(joints, level)
    GL.glColorMask(True, True, True, True)
    GL.glStencilMask(0xFF)
    GL.glDepthFunc(GL.GL_LESS)
    GL.glDisable(GL.GL_DEPTH_TEST)
    if readable is not mask:
        mask.copy_to(readable)

    frame.bind()
    texel = (1.0 / view.width, 1.0 / view.height)
    program = programs("outline.vert", "outline.frag")
    program.use()
    program.set(**shared, mask=1, texel=texel, pixel=(2.0 * texel[0], 2.0 * texel[1]))
    readable.bind_texture()
    GL.glEnable(GL.GL_BLEND)
    GL.glBlendFunc(GL.GL_ONE, GL.GL_ONE_MINUS_SRC_ALPHA)
    for bit, joints, token, width, alpha in marks:
        # A pixel is painted once: the first fragment marks it in the stencil.
        GL.glStencilMask(1 << bit)
        GL.glStencilFunc(GL.GL_NOTEQUAL, 0xFF, 1 << bit)
        channel = [float(k == bit) for k in range(4)]
        program.set(
            width=width + 1.0,
            radius=width,
            channel=channel,
            paint=[*(alpha * srgb(view.theme, token)).tolist(), alpha],
        )
        figure.buffer.draw_joints(joints, level, collars=True)
    GL.glStencilMask(0xFF)
    GL.glDisable(GL.GL_BLEND)
    GL.glDisable(GL.GL_STENCIL_TEST)

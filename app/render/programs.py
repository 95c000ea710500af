"""Shader programs: read from ``shaders/``, compiled once a context."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from app.render.context import GraphicsError
from app.render.gl import GL

FOLDER = Path(__file__).with_name("shaders")
_INCLUDE = "//@include "
_NOTHING = object()


@cache
def shader_source(name: str, defines: tuple[str, ...] = ()) -> str:
    """Return a shader's text with its includes, for GLSL 3.30."""
    lines = ["#version 330 core", *(f"#define {word}" for word in defines)]
    for line in (FOLDER / name).read_text(encoding="utf-8").splitlines():
        if line.startswith(_INCLUDE):
            lines += (FOLDER / line.removeprefix(_INCLUDE).strip()).read_text(encoding="utf-8").splitlines()
        else:
            lines.append(line)
    return "\n".join(lines) + "\n"


class Program:
    """A linked program; the context must be current for everything.

    Args:
        vertex: File name in ``shaders/``.
        fragment: File name in ``shaders/``.
        defines: Words defined in both.

    Raises:
        GraphicsError: If it does not compile or link; the message carries the driver's log.
    """

    def __init__(self, vertex: str, fragment: str, defines: Sequence[str] = ()):
        shaders = []
        for kind, name in ((GL.GL_VERTEX_SHADER, vertex), (GL.GL_FRAGMENT_SHADER, fragment)):
            shader = GL.glCreateShader(kind)
            GL.glShaderSource(shader, shader_source(name, tuple(defines)))
            GL.glCompileShader(shader)
            if not GL.glGetShaderiv(shader, GL.GL_COMPILE_STATUS):
                raise GraphicsError(f"shader {name} does not compile: {_text(GL.glGetShaderInfoLog(shader))}")
            shaders.append(shader)
        self.handle = GL.glCreateProgram()
        for shader in shaders:
            GL.glAttachShader(self.handle, shader)
        GL.glLinkProgram(self.handle)
        if not GL.glGetProgramiv(self.handle, GL.GL_LINK_STATUS):
            raise GraphicsError(f"{vertex} and {fragment} do not link: {_text(GL.glGetProgramInfoLog(self.handle))}")
        for shader in shaders:
            GL.glDeleteShader(shader)
        self._locations: dict[str, int] = {}
        self._values: dict[str, object] = {}
        self._frozen: dict[str, object] = {}  # read-only arrays that were sent last, known again by being the same one

    def use(self) -> None:
        """Make it the program of the next draw calls."""
        GL.glUseProgram(self.handle)

    def set(self, **uniforms: ArrayLike) -> None:
        """Set uniforms by name while the program is in use; values that did not change are not sent again.

        Integers are ints, (4, 4) arrays are row-major matrices, everything else is one to four floats, or a list of
        some. Names that the compiler removed are ignored.
        """
        for name, value in uniforms.items():
            if self._frozen.get(name) is value:
                continue
            known = value if isinstance(value, (int, float)) else np.asarray(value, dtype=np.float32).tobytes()
            fixed = isinstance(value, np.ndarray) and not value.flags.writeable and value.base is None
            self._frozen[name] = value if fixed else _NOTHING
            if self._values.get(name) == known:
                continue
            self._values[name] = known
            at = self._locations.get(name)
            if at is None:
                at = self._locations[name] = int(GL.glGetUniformLocation(self.handle, name))
            if at < 0:
                continue
            if isinstance(value, int):
                GL.glUniform1i(at, value)
            elif isinstance(value, float):
                GL.glUniform1f(at, value)
            else:
                array = np.ascontiguousarray(value, dtype=np.float32)
                if array.shape == (4, 4):
                    GL.glUniformMatrix4fv(at, 1, True, array)
                else:
                    width = array.shape[-1]
                    (GL.glUniform2fv, GL.glUniform3fv, GL.glUniform4fv)[width - 2](at, array.size // width, array)

    def dispose(self) -> None:
        """Free the program."""
        if self.handle:
            GL.glDeleteProgram(self.handle)
            self.handle = 0


def _text(log: object) -> str:
    """Return a driver's log as one text: it comes as bytes, characters or an array of them.

    A lost context answers with anything, such as a number; that must not hide what failed.
    """
    if isinstance(log, np.ndarray):
        log = log.tobytes()
    if isinstance(log, bytes):
        log = log.decode(errors="replace")
    reason = log.strip(" \n\0") if isinstance(log, str) else ""
    return reason or f"the driver does not say why (it answered {log!r}); is the OpenGL context lost?"

"""The one door to PyOpenGL.

PyOpenGL picks its platform binding when ``OpenGL.GL`` is first imported. On Linux the renderer always uses EGL, with
or without a display and whatever platform Qt runs on, so the choice has to be made before that import: every module of
this package takes ``GL`` from here and nowhere else.
"""

from __future__ import annotations

import os
import sys

USES_EGL = sys.platform.startswith("linux")

if USES_EGL:
    os.environ["PYOPENGL_PLATFORM"] = "egl"

from OpenGL import GL  # noqa: E402  (the platform must be chosen first)

__all__ = ["GL", "USES_EGL"]

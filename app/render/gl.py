"""The one module that imports PyOpenGL.

PyOpenGL picks its platform binding when it is first imported. On Linux the renderer always uses EGL, with or without a
display and whatever platform Qt runs on, so the choice has to be made before that import: every module of this package
takes ``GL`` from here and nowhere else.

``OpenGL.GL`` would import the functions of every version up to 4.6; the renderer needs those of a 3.3 core profile, and
half of the time and memory that the rest takes is saved.
"""

from __future__ import annotations

import importlib
import os
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

USES_EGL = sys.platform.startswith("linux")

if USES_EGL:
    os.environ["PYOPENGL_PLATFORM"] = "egl"

_VERSIONS = ("1_1", "1_2", "1_3", "1_4", "1_5", "2_0", "2_1", "3_0", "3_1", "3_2", "3_3")
_PARTS = (
    "VERSION.GL_1_1",
    "pointers",
    "images",
    "exceptional",
    "glget",
    *(f"VERSION.GL_{each}" for each in _VERSIONS[1:]),
)


def _core_profile() -> Any:
    """Return a module with all functions and numbers up to version 3.3, as ``OpenGL.GL`` puts them together."""
    if "OpenGL.GL" in sys.modules:  # somebody else has all of it
        return sys.modules["OpenGL.GL"]
    import OpenGL

    # Its parts say that they belong to the package, whose own module would import everything: for them, an empty one.
    package = ModuleType("OpenGL.GL")
    package.__path__ = [str(Path(folder) / "GL") for folder in OpenGL.__path__]
    sys.modules["OpenGL.GL"] = package
    gathered = ModuleType("GL", __doc__)
    try:
        for part in (importlib.import_module(f"OpenGL.GL.{name}") for name in _PARTS):
            names = getattr(part, "__all__", None) or [name for name in vars(part) if not name.startswith("_")]
            vars(gathered).update({name: getattr(part, name) for name in names})
    finally:
        del sys.modules["OpenGL.GL"]  # who asks for the whole package gets the whole
    return gathered


GL = _core_profile()

__all__ = ["GL", "USES_EGL"]

"""The OpenGL context of the process: one, shared by all views, thumbnails and exports.

On Linux it is EGL without a surface, with or without a display and independent of Qt; elsewhere it is a QOpenGLContext
on a QOffscreenSurface. Either way nothing is ever drawn into a window: the renderer has its own framebuffers and reads
the picture back.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from app.render.gl import GL, USES_EGL
from core.errors import CoreError

_SURFACELESS_MESA, _PLATFORM_DEVICE = 0x31DD, 0x313F
_CONTEXT_MAJOR, _CONTEXT_MINOR, _PROFILE_MASK, _CORE_PROFILE = 0x3098, 0x30FB, 0x30FD, 1


class GraphicsError(CoreError):
    """There is no OpenGL 3.3 to draw with, or it failed; the message says what was tried."""


class _Backend(Protocol):
    def make_current(self) -> None: ...

    def done_current(self) -> None: ...

    def destroy(self) -> None: ...


class _EglBackend:
    """OpenGL 3.3 core on EGL without a surface (Mesa), else on the first EGL device (other drivers)."""

    def __init__(self) -> None:
        try:
            from OpenGL import EGL
            from OpenGL.EGL.EXT.platform_base import eglGetPlatformDisplayEXT
        except (ImportError, AttributeError, OSError) as error:
            raise GraphicsError(f"cannot load EGL: {error}") from error
        self._egl = EGL
        tried = []
        for name, platform, native in self._candidates():
            try:
                display = eglGetPlatformDisplayEXT(platform, native, None)
                major, minor = EGL.EGLint(), EGL.EGLint()
                if not EGL.eglInitialize(display, major, minor):
                    raise GraphicsError("not available")
                self._context = self._create(display)
                self._display = display
                return
            except Exception as error:
                tried.append(f"{name}: {str(error).splitlines()[0] if str(error) else type(error).__name__}")
        raise GraphicsError("no OpenGL 3.3 through EGL; tried " + "; ".join(tried))

    def _candidates(self) -> Iterator[tuple[str, int, ctypes.c_void_p]]:
        yield "surfaceless", _SURFACELESS_MESA, ctypes.c_void_p(0)
        try:
            from OpenGL.EGL.EXT.device_enumeration import eglQueryDevicesEXT

            devices = (ctypes.c_void_p * 8)()
            count = self._egl.EGLint()
            eglQueryDevicesEXT(8, devices, count)
        except Exception:
            return  # the extension is optional; the surfaceless platform has been offered already
        for i in range(count.value):
            yield f"device {i}", _PLATFORM_DEVICE, ctypes.c_void_p(devices[i])

    def _create(self, display: object) -> object:
        egl = self._egl
        egl.eglBindAPI(egl.EGL_OPENGL_API)
        wanted = (egl.EGLint * 5)(egl.EGL_RENDERABLE_TYPE, egl.EGL_OPENGL_BIT, egl.EGL_SURFACE_TYPE, 0, egl.EGL_NONE)
        configs, count = (egl.EGLConfig * 1)(), egl.EGLint()
        if not egl.eglChooseConfig(display, wanted, configs, 1, count) or count.value < 1:
            raise GraphicsError("no configuration with desktop OpenGL")
        attributes = (egl.EGLint * 7)(_CONTEXT_MAJOR, 3, _CONTEXT_MINOR, 3, _PROFILE_MASK, _CORE_PROFILE, egl.EGL_NONE)
        context = egl.eglCreateContext(display, configs[0], egl.EGL_NO_CONTEXT, attributes)
        if not context:
            raise GraphicsError("no core profile 3.3")
        if not egl.eglMakeCurrent(display, egl.EGL_NO_SURFACE, egl.EGL_NO_SURFACE, context):
            raise GraphicsError("the context cannot be made current without a surface")
        egl.eglMakeCurrent(display, egl.EGL_NO_SURFACE, egl.EGL_NO_SURFACE, egl.EGL_NO_CONTEXT)
        return context

    def make_current(self) -> None:
        egl = self._egl
        if not egl.eglMakeCurrent(self._display, egl.EGL_NO_SURFACE, egl.EGL_NO_SURFACE, self._context):
            raise GraphicsError("the EGL context cannot be made current")

    def done_current(self) -> None:
        egl = self._egl
        egl.eglMakeCurrent(self._display, egl.EGL_NO_SURFACE, egl.EGL_NO_SURFACE, egl.EGL_NO_CONTEXT)

    def destroy(self) -> None:
        self._egl.eglDestroyContext(self._display, self._context)


class _QtBackend:
    """OpenGL 3.3 core on Qt's offscreen surface; needs a QGuiApplication, and the surface its thread."""

    def __init__(self) -> None:
        from PySide6.QtGui import QGuiApplication, QOffscreenSurface, QOpenGLContext, QSurfaceFormat

        if QGuiApplication.instance() is None:
            raise GraphicsError("OpenGL needs a running Qt application on this system; there is none")
        surface_format = QSurfaceFormat()
        surface_format.setVersion(3, 3)
        surface_format.setProfile(QSurfaceFormat.OpenGLContextProfile.CoreProfile)
        self._surface = QOffscreenSurface()
        self._surface.setFormat(surface_format)
        self._surface.create()
        self._context = QOpenGLContext()
        self._context.setFormat(surface_format)
        if not self._context.create():
            raise GraphicsError("Qt could not create an OpenGL 3.3 context")

    def make_current(self) -> None:
        if not self._context.makeCurrent(self._surface):
            raise GraphicsError("the OpenGL context cannot be made current")

    def done_current(self) -> None:
        self._context.doneCurrent()

    def destroy(self) -> None:
        self._surface.destroy()


class Context:
    """An OpenGL context and what is known of it.

    Use it as ``with context.current(): ...``; the block may be entered from any thread, one at a time, and again from
    inside itself.

    Attributes:
        renderer: ``GL_RENDERER``.
        version: ``GL_VERSION``.
        software: Whether the processor draws; then anti-aliasing waits until the picture stands still.
        max_samples: Most samples a pixel.
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._depth = 0
        self._backend: _Backend = _EglBackend() if USES_EGL else _QtBackend()
        with self.current():
            self.renderer = (GL.glGetString(GL.GL_RENDERER) or b"").decode()
            self.version = (GL.glGetString(GL.GL_VERSION) or b"").decode()
            self.max_samples = int(GL.glGetIntegerv(GL.GL_MAX_SAMPLES))
        self.software = any(name in self.renderer.lower() for name in ("llvmpipe", "softpipe", "swrast", "software"))

    @contextmanager
    def current(self) -> Iterator[Context]:
        """Make the context current in this thread for the length of a ``with`` block.

        Raises:
            GraphicsError: If the driver refuses.
        """
        with self._lock:
            if self._depth == 0:
                self._backend.make_current()
            self._depth += 1
            try:
                yield self
            finally:
                self._depth -= 1
                if self._depth == 0:
                    self._backend.done_current()

    def destroy(self) -> None:
        """Give the context back; nothing made in it may be used afterwards."""
        with self._lock:
            self._backend.destroy()


_shared: Context | None = None
_shared_error: GraphicsError | None = None
_shared_lock = threading.Lock()


def acquire() -> Context:
    """Return the context of the process, made at the first call.

    Raises:
        GraphicsError: If there is no OpenGL 3.3; asked again it fails at once with the same reason.
    """
    global _shared, _shared_error
    with _shared_lock:
        if _shared_error is not None:
            raise _shared_error
        if _shared is None:
            try:
                _shared = Context()
            except GraphicsError as error:
                if USES_EGL:
                    _shared_error = error
                raise
            except Exception as error:  # a driver that is broken halfway: the caller only needs to know there is none
                _shared_error = GraphicsError(f"OpenGL does not start: {error}")
                raise _shared_error from error
        return _shared

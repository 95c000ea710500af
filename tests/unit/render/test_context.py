"""The shared OpenGL context: one for the process, usable from any thread, and a clear word where there is none."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from app.render import context as context_module
from app.render.camera import Camera
from app.render.context import Context, GraphicsError, acquire
from app.render.figure_buffer import FigureBuffer
from app.render.gl import GL
from app.render.mesh.geometry import build_geometry
from app.render.passes.physics_layer import PhysicsLayer
from app.render.picture import Picture
from app.render.renderer import Renderer
from core.skeleton import load_skeleton

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def context() -> Context:
    try:
        return acquire()
    except GraphicsError as error:
        pytest.skip(f"no OpenGL here: {error}")


def test_there_is_one_context_and_it_can_be_entered_again(context: Context) -> None:
    assert acquire() is context
    with context.current(), context.current() as inner:
        assert inner is context
    assert context.renderer and context.version and context.max_samples >= 1


def test_pictures_from_a_worker_thread_are_the_same(context: Context) -> None:
    renderer = Renderer(context)
    try:
        here = renderer.render(Camera(), Picture(), 64, 48, "dark")
        there: list[np.ndarray] = []
        worker = threading.Thread(target=lambda: there.append(renderer.render(Camera(), Picture(), 64, 48, "dark")))
        worker.start()
        worker.join()
        assert np.array_equal(here, there[0])
        assert np.array_equal(here, renderer.render(Camera(), Picture(), 64, 48, "dark"))
    finally:
        renderer.dispose()


def test_software_is_known_by_the_name_of_the_renderer(context: Context) -> None:
    assert context.software == any(word in context.renderer.lower() for word in ("llvmpipe", "softpipe", "swrast"))


def test_without_a_driver_the_reason_is_given_and_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    tries = []

    class Missing:
        def __init__(self) -> None:
            tries.append(1)
            raise GraphicsError("no OpenGL 3.3 through EGL; tried surfaceless: not available")

    monkeypatch.setattr(context_module, "USES_EGL", True)
    monkeypatch.setattr(context_module, "_EglBackend", Missing)
    monkeypatch.setattr(context_module, "_shared", None)
    monkeypatch.setattr(context_module, "_shared_error", None)
    for _ in range(2):
        with pytest.raises(GraphicsError, match="tried surfaceless"):
            acquire()
    assert len(tries) == 1


def test_drawing_needs_neither_a_display_nor_qt(context: Context) -> None:
    program = (
        "import sys\n"
        "from app.render.renderer import Renderer\n"
        "from app.render.camera import Camera\n"
        "from app.render.picture import Picture\n"
        "image = Renderer().render(Camera(), Picture(), 32, 24, 'light', 4)\n"
        "assert not any(name.startswith('PySide6') for name in sys.modules)\n"
        "print(image.shape, image[0, 0, 3])\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, env={"PATH": ""}, capture_output=True, text=True, timeout=60
    )
    assert result.stdout.strip() == "(24, 32, 4) 255", result.stderr


def test_what_is_uploaded_in_the_middle_of_a_picture_leaves_what_is_drawn_with(context: Context) -> None:
    """A thing added to the world is uploaded between two passes; the next one drew with no vertex array, an error."""
    skeleton = load_skeleton(ROOT / "skeletons" / "stickman.scr")
    with context.current():
        array = int(GL.glGenVertexArrays(1))
        GL.glBindVertexArray(array)
        made = (FigureBuffer(build_geometry(skeleton), len(skeleton.joints)), PhysicsLayer())
        assert int(GL.glGetIntegerv(GL.GL_VERTEX_ARRAY_BINDING)) == array
        GL.glBindVertexArray(0)
        GL.glDeleteVertexArrays(1, [array])
        for each in made:
            each.dispose()

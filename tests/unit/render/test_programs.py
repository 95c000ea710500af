"""A shader that does not compile is reported with what the driver says about it."""

import numpy as np
import pytest

from app.render import programs
from app.render.context import GraphicsError, acquire
from app.render.gl import GL
from app.render.programs import Program, shader_source


@pytest.fixture
def broken(tmp_path, monkeypatch):
    """A vertex shader without its semicolon, and a whole fragment shader."""
    (tmp_path / "broken.vert").write_text("void main() { gl_Position = vec4(0.0) }\n", encoding="utf-8")
    (tmp_path / "whole.frag").write_text("out vec4 c; void main() { c = vec4(1.0); }\n", encoding="utf-8")
    monkeypatch.setattr(programs, "FOLDER", tmp_path)
    shader_source.cache_clear()
    yield "broken.vert", "whole.frag"
    shader_source.cache_clear()


def test_the_drivers_words_are_in_the_error(broken):
    with acquire().current(), pytest.raises(GraphicsError, match=r"broken.vert does not compile: .*error") as caught:
        Program(*broken)
    assert "\n" not in str(caught.value).strip() and "OpenGL context" not in str(caught.value)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (b"0:1: syntax error\n\0", "0:1: syntax error"),
        ("0:1: syntax error", "0:1: syntax error"),
        (np.frombuffer(b"0:1: syntax error\0", dtype=np.uint8), "0:1: syntax error"),
        (0, "does not say why"),
        (None, "does not say why"),
        (b"", "does not say why"),
    ],
)
def test_whatever_the_driver_answers_the_failing_shader_is_named(broken, monkeypatch, answer, words):
    monkeypatch.setattr(GL, "glGetShaderInfoLog", lambda shader: answer)
    with acquire().current(), pytest.raises(GraphicsError, match=r"broken.vert does not compile") as caught:
        Program(*broken)
    assert words in str(caught.value)

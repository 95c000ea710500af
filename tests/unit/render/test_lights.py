"""Lights: the editor's stay what they were, and presets light where they should."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from app.cli.arguments import lights as read
from app.document.document import Document
from app.document.session import LIGHTS as NAMES
from app.document.session import SessionError
from app.export.plan import planned_shot
from app.render.camera import Camera
from app.render.lights import LIGHTS, USUAL, Lights, kept_lights, lights_of, words_of
from core.skeleton import load_skeleton


def test_the_editors_light_is_where_it_was() -> None:
    meant = np.array([-0.62, 1.05, 0.55]) / np.linalg.norm([-0.62, 1.05, 0.55])
    assert np.array_equal(USUAL.direction, meant) and USUAL.strengths == (1.0, 1.0, 1.0, 1.0)
    assert np.allclose(Lights().direction, meant, atol=1e-12)
    assert tuple(LIGHTS) == NAMES
    for _, each in LIGHTS.values():
        assert np.allclose(each.axes @ each.axes.T, np.eye(3))


def test_lights_are_read_from_words() -> None:
    found = read("side:60:120")
    assert found.turn == pytest.approx(math.radians(60.0)) and found.key == pytest.approx(1.2 * LIGHTS["side"][1].key)
    assert read("soft") == LIGHTS["soft"][1]
    assert read(words_of("soft", (-40.0, 30.0, 1.5))) == lights_of("soft", (-40.0, 30.0, 1.5))
    assert read("side:60").height == LIGHTS["side"][1].height
    for wrong in ("dawn", "side:x", "side:1:2:3", "side:1:2:30:4", "side:10:900", "side:nan"):
        with pytest.raises(Exception, match=r"no lights|cannot be read"):
            read(wrong)


def test_a_light_from_one_side_lights_that_side(skeletons_folder: Path) -> None:
    figure = load_skeleton(skeletons_folder / "human.scr")
    halves = []
    for turn in (-90.0, 90.0):
        shot = planned_shot(
            figure, None, Path("a.png"), size=(80, 120), camera=Camera(yaw=0.0, pitch=0.0), fit=True,
            backdrop="transparent",
        )  # fmt: skip
        shot.lights = LIGHTS["side"][1].placed(math.radians(turn))
        picture = next(shot.pictures()).astype(float)
        seen = picture[:, :, 3] == 255.0
        light = np.where(seen, picture[:, :, 1], 0.0)
        halves.append([light[:, part].sum() / seen[:, part].sum() for part in (slice(0, 40), slice(40, 80))])
    (left, right), (other_left, other_right) = halves
    assert left > 1.15 * right and other_right > 1.15 * other_left


def test_a_file_keeps_the_lights_of_its_views_and_what_it_names_wrongly_is_passed_over(
    qapp, skeletons_folder: Path
) -> None:
    from app.actions.scene_view import read_scene, write_scene

    document = Document()
    assert document.files.open(skeletons_folder / "stickman.scr")
    view = document.session.view
    for lights, key in (("side", None), ("soft", (-40.0, 30.0, 1.5)), ("usual", (90.0, 60.0, 0.5)), ("usual", None)):
        view.lights, view.key_light = lights, key
        write_scene(document)
        view.lights, view.key_light = "back", (1.0, 20.0, 1.0)
        read_scene(document)
        assert (view.lights, view.key_light) == (lights, key)
        assert kept_lights(document.model.view) == lights_of(lights, key)
    assert "lights" not in document.model.view
    far = {"name": "side", "direction": 0.0, "height": 3e9, "strength": 1.0}
    for wrong in (7, "side", {}, {"name": "dawn"}, {"name": "side", "direction": "x"}, far):
        document.model.view["lights"] = wrong
        read_scene(document)
        assert view.key_light is None
        kept_lights(document.model.view)
    with pytest.raises(SessionError, match="10 to 85"):
        view.key_light = (0.0, 90.0, 1.0)

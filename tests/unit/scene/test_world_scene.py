"""What the views show of the world: where the centre of mass drops to, and what is framed."""

import numpy as np
import pytest

from app.document.document import Document
from app.render.camera import KINDS, Camera
from app.scene.scene import Scene
from app.views import fitting
from core.dynamics.contact.obstacles import BoxObstacle


def opened(skeletons_folder, name: str) -> Scene:
    document = Document()
    assert document.files.open(skeletons_folder / "scenes" / f"{name}.seq")
    return Scene(document)


def test_what_is_below_is_the_highest_surface(qapp, skeletons_folder):
    scene = opened(skeletons_folder, "stairs")
    world, settings = scene.world_around, scene.document.physics.settings.now
    stairs = settings.world.geometries
    boxes = [geometry.shape.polytope.points @ geometry.X_BS[:3, :3].T + geometry.X_BS[:3, 3] for geometry in stairs]
    lows, highs = (np.array([f(box, axis=0) for box in boxes]) for f in (np.min, np.max))
    rng = np.random.default_rng(3)
    points = rng.uniform(lows.min(axis=0) - 0.5, highs.max(axis=0) + 0.5, (200, 3))
    points[:, 1] = highs[:, 1].max() + 1.0
    over = ((points[:, None, [0, 2]] > lows[:, [0, 2]]) & (points[:, None, [0, 2]] < highs[:, [0, 2]])).all(axis=2)
    wanted = np.where(over, highs[:, 1], 0.0).max(axis=1)
    found = world.below(points)
    assert np.allclose(found[:, 1], wanted, atol=1e-9) and len(np.unique(wanted.round(6))) > 4
    assert np.array_equal(found[:, [0, 2]], points[:, [0, 2]])
    under = np.array([[points[over.any(axis=1)][0, 0], 0.01, points[over.any(axis=1)][0, 2]]])
    assert np.array_equal(world.below(under)[0, [0, 2]], under[0, [0, 2]]), "surfaces above a point do not count"
    assert world.below(under)[0, 1] <= 0.01


@pytest.mark.parametrize(("name", "count"), [("stairs", 6), ("marionette", 6), ("chain", 2)])
def test_the_first_view_shows_obstacles_ends_of_strings_and_other_figures(qapp, skeletons_folder, name, count):
    scene = opened(skeletons_folder, name)
    for everything in (False, True):
        if everything:  # only there are other figures seen
            scene.document.session.mode = "physics"
        extents = [*scene.world_around.extents(), scene.points(scene.poses)]
        assert len(extents) >= count
        for kind in KINDS:
            camera = Camera(kind)
            if everything:
                fitting.fit_parts(camera, scene, None, 1.5, everything=True)
            else:
                fitting.fit_journey([camera], scene, 1.5)
            for points in extents:
                seen = camera.project(points, 900.0, 600.0)
                assert (seen[:, 2] > 0.0).all()
                assert (seen[:, :2] >= 0.0).all() and (seen[:, :2] <= (900.0, 600.0)).all(), (kind, everything)


def test_what_is_far_too_large_is_not_framed(qapp, skeletons_folder):
    scene = opened(skeletons_folder, "stairs")
    before = scene.seen_bounds()
    obstacles = scene.document.physics.settings.now.obstacles
    yard = BoxObstacle(size=(80.0, 1.0, 80.0), position=(0.0, -0.5, 0.0))
    assert scene.document.physics.settings.edit("Add", obstacles=(*obstacles, yard))
    assert len(scene.world_around.extents()) == sum(len(each.geometries) for each in obstacles) + 1
    assert np.array_equal(before, scene.seen_bounds())


def test_strings_are_seen_in_pose_mode_too(qapp, skeletons_folder):
    scene = opened(skeletons_folder, "marionette")
    picture = scene.physics.picture
    assert scene.document.session.mode == "pose" and picture is not None
    assert len(picture.lines) and not len(picture.shapes) and scene.physics.picture is picture
    assert scene.physics.found is None and opened(skeletons_folder, "stairs").physics.picture is None

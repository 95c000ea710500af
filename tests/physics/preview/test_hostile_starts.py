"""Physics that begins with things inside each other: nothing is thrown, or it is refused with their names."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from core.animation import Key, Sequence
from core.animation.hybrid_strips import HybridStrip
from core.dynamics.contact.obstacles import obstacle_from_record
from core.dynamics.contact.world import Floor
from core.errors import RunawayError
from core.kinematics import forward_kinematics
from core.preview.preview import Preview
from core.preview.rigid_bodies import RigidBody
from core.preview.settings import PhysicsSettings
from core.skeleton import load_skeleton

FIGURES = "human woman stickman horse hand bird robot spider arm7 chain20 joints".split()
FEW, MANY = 10, 40
SOON, FASTEST = 0.5, 20.0


def hostile(seed: int, folder: Path) -> Preview:
    """Return a figure in some pose with boxes, balls and rigid_bodies in and around it, often in the floor as well."""
    rng = np.random.default_rng(seed)
    figure = load_skeleton(folder / f"{FIGURES[seed % len(FIGURES)]}.scr")
    q, limits = figure.rest_pose(), np.clip(figure.limits, -1.0, 1.0)
    q[3:] += rng.uniform(0.0, 0.6) * (rng.uniform(limits[:, 0], limits[:, 1]) - q[3:])
    q[:3] += rng.normal(0.0, 0.1, 3)
    places = forward_kinematics(figure, q)[:, :3, 3]
    size = float(np.ptp(places, axis=0).max())

    def place() -> np.ndarray:
        return np.asarray(places[rng.integers(len(places))] + rng.normal(0.0, 0.1 * size, 3))

    def turned() -> list[float]:
        return [float(angle) for angle in rng.normal(0.0, 1.0, 3)]

    obstacles = []
    for k in range(rng.integers(0, 4)):
        shape: dict = {"kind": "ball", "radius": float(rng.uniform(0.03, 0.3) * size)}
        if rng.random() < 0.6:
            shape = {"kind": "box", "size": (rng.uniform(0.05, 0.6, 3) * size).tolist()}
        record = {**shape, "position": place().tolist(), "rotation": turned(), "name": f"obstacle {k}"}
        obstacles.append(obstacle_from_record(record, "obstacle"))
    rigid_bodies = []
    for k in range(rng.integers(0 if obstacles else 1, 5)):
        kind = ("ball", "box", "capsule")[int(rng.integers(3))]
        sizes = rng.uniform(0.03, 0.3, {"ball": 1, "box": 3, "capsule": 2}[kind]) * size
        mass = float(10.0 ** rng.uniform(-1.5, 1.5))
        rigid_bodies.append(RigidBody(kind, tuple(sizes), mass, place(), rotation=np.array(turned()), name=f"body {k}"))
    floor = Floor(float(places[:, 1].min() + rng.choice([-0.3, 0.0, 0.1, 0.3]) * size))
    strips = None
    if seed % 4 == 3:  # keys move the rest
        names = [joint.name for joint in figure.joints]
        strips = [HybridStrip(tuple(rng.choice(names, max(1, len(names) // 3), replace=False)), 0)]
    settings = PhysicsSettings(
        obstacles=tuple(obstacles), rigid_bodies=tuple(rigid_bodies), floor=floor, self_contact=bool(rng.random() < 0.3)
    )
    return Preview(Sequence(figure, keys=[Key(0, q), Key(60, q)]), 0, settings, strips=strips)


def fastest(preview: Preview) -> float:
    """Return the speed of the fastest centre of mass, of parts and things alike."""
    stage = preview._stage
    twists = stage.stepper.readings.body_twists()
    centers = np.array([body.inertia.center for body in stage.model.bodies])
    return float(np.linalg.norm(twists[:, 3:] + np.cross(twists[:, :3], centers), axis=1).max())


@pytest.mark.sampled(1)
@pytest.mark.parametrize("seed", [*range(FEW), *(pytest.param(k, marks=pytest.mark.verify) for k in range(FEW, MANY))])
def test_whatever_overlaps_at_the_start_nothing_is_thrown(skeletons_folder: Path, seed: int) -> None:
    preview = hostile(seed, skeletons_folder)
    speed = 0.0
    try:
        while preview.samples[-1].time < 2.0 * SOON:
            sample = preview.advance()
            if sample.time <= SOON:
                speed = max(speed, fastest(preview))
            assert np.isfinite(sample.q).all() and np.isfinite(sample.rigid_bodies).all()
    except RunawayError as error:
        assert preview.overlaps and str(preview.overlaps[0]) in str(error)
    assert speed <= FASTEST


BOXES = {
    "one large": [((0.1, 1.17, -0.09), 0.5)],
    "in the chest": [((0.1, 1.2, 0.0), 0.3)],
    "two in the chest": [((0.1, 1.2, 0.0), 0.3), ((-0.1, 1.2, 0.0), 0.3)],
    "two at the hips": [((0.1, 0.95, 0.0), 0.3), ((-0.1, 0.95, 0.0), 0.3)],
    "around the shanks": [((0.0, 0.1, 0.0), 0.5)],
}
"""Places and edges of boxes that threw the man up to 1e102 m, [m]."""


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", BOXES)
def test_boxes_in_the_man_do_not_throw_him(skeletons_folder: Path, name: str) -> None:
    man = load_skeleton(skeletons_folder / "human.scr")
    obstacles = [
        obstacle_from_record({"kind": "box", "size": [size] * 3, "position": list(place)}, "box")
        for place, size in BOXES[name]
    ]
    preview = Preview(Sequence(man, keys=[Key(0, man.rest_pose())]), 0, PhysicsSettings(obstacles=tuple(obstacles)))
    speed = 0.0
    while preview.samples[-1].time < 3.0:
        sample = preview.advance()
        speed = max(speed, fastest(preview) if sample.time <= SOON else 0.0)
    assert speed <= 12.0
    assert max(float(np.abs(sample.center_of_mass[[0, 2]]).max()) for sample in preview.samples) < 2.0


@pytest.mark.verify
def test_things_in_each_other_and_in_the_man_come_apart(skeletons_folder: Path) -> None:
    man = load_skeleton(skeletons_folder / "human.scr")
    places = [(0.0, 1.2, 0.0), (0.05, 1.25, 0.0), (0.0, 1.2, 0.05)]
    rigid_bodies = tuple(
        RigidBody("box", (0.3, 0.3, 0.3), mass, np.array(p)) for mass, p in zip((0.5, 5.0, 5.0), places, strict=True)
    )
    preview = Preview(Sequence(man, keys=[Key(0, man.rest_pose())]), 0, PhysicsSettings(rigid_bodies=rigid_bodies))
    assert {each.second for each in preview.overlaps} >= {'"rigid body 2"', '"rigid body 3"'}
    while preview.samples[-1].time < 2.0:
        sample = preview.advance()
    assert float(np.abs(np.array(sample.rigid_bodies)[:, :3, 3]).max()) < 4.0
    at = [pose[:3, 3] for pose in sample.rigid_bodies]
    apart = [np.linalg.norm(at[a] - at[b]) for a, b in ((0, 1), (0, 2), (1, 2))]
    assert min(apart) > 0.28


def test_what_runs_away_is_refused_by_name(skeletons_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from core.preview import overlaps

    man = load_skeleton(skeletons_folder / "human.scr")
    box = obstacle_from_record({"kind": "box", "size": [0.3] * 3, "position": [0.1, 1.2, 0.0], "name": "crate"}, "box")
    keys = [Key(0, man.rest_pose())]
    preview = Preview(Sequence(man, keys=keys), 0, PhysicsSettings(obstacles=(box,)))
    monkeypatch.setattr(overlaps, "FASTEST", 0.1)
    with pytest.raises(RunawayError, match=r'at the start "abdomen" is 20 cm inside "crate" and .*; move them apart$'):
        while preview.samples[-1].time < 1.0:
            preview.advance()
    count = len(preview.samples)
    with pytest.raises(RunawayError):
        preview.advance()
    assert len(preview.samples) == count, "what is refused is no sample"
    preview = Preview(Sequence(man, keys=keys), 0)
    assert preview.overlaps == ()
    preview.throw(None, (0.0, 1e160, 0.0))
    with pytest.raises(RunawayError, match="weaker forces or shorter steps may do"):
        preview.advance()


def test_a_long_fall_does_not_run_away(skeletons_folder: Path) -> None:
    man = load_skeleton(skeletons_folder / "stickman.scr")
    preview = Preview(
        Sequence(man, fps=2, keys=[Key(0, man.rest_pose())]), 0, PhysicsSettings(gravity=1000.0, floor=None)
    )
    while preview.samples[-1].time < 4.0:
        preview.advance()
    assert -preview.samples[-1].velocity[1] == pytest.approx(4000.0, rel=1e-6)

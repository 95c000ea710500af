"""What physics mode draws over the figure, and the panel that switches it."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from PySide6.QtCore import QRectF
from PySide6.QtWidgets import QApplication

from app.document.document import Document
from app.document.physics.overlays import AT_FIRST
from app.panels import OverlaysPanel
from app.render.physics_picture import ELLIPSOID
from core.kinematics import center_of_mass, forward_kinematics
from core.preview.sample import FREE, KEYED, ContactForces, Sample
from tests.gui.viewport_support import shown_area

TOKEN = "ghost_keyed"


@pytest.fixture
def document(qapp: QApplication, skeletons_folder) -> Document:  # type: ignore[no-untyped-def]
    made = Document()
    assert made.files.open(skeletons_folder / "library" / "Walks and runs" / "walk.seq")
    made.session.mode = "physics"
    return made


def sample_of(document: Document, frame: float, **values: object) -> Sample:
    """Return a sample in which the figure has sunk a little, its arms dynamic, one foot on the floor."""
    skeleton, sequence = document.skeleton, document.sequence
    assert skeleton is not None and sequence is not None
    q = sequence.pose_at_frame(frame)
    q[1] -= 0.1
    dynamic = np.array([FREE if "arm" in name else KEYED for name in skeleton.joint_names], dtype=np.int8)
    foot = forward_kinematics(skeleton, q)[skeleton.joint_index("left foot"), :3, 3] * [1.0, 0.0, 1.0]
    contacts = ContactForces(
        foot[None], np.array([[0.0, 1.0, 0.0]]), np.array([[10.0, 700.0, 0.0]]), np.array([0.8]),
        np.array([skeleton.joint_index("left foot")]), np.array([-2]),
    )  # fmt: skip
    made = {
        "time": frame / 30.0, "frame": frame, "q": q, "rates": 0.0 * q, "others": (), "rigid_bodies": (), "shapes": (),
        "kinetic": 0.0, "potential": 0.0, "momentum": np.array([0.0, 2.0, 0.0, 10.0, -30.0, 50.0]),
        "center_of_mass": center_of_mass(skeleton, q), "velocity": np.zeros(3), "contacts": contacts,
        "torques": np.full(skeleton.n_dofs, 30.0), "lock_residuals": (), "dynamic": dynamic,
    }  # fmt: skip
    return Sample(**{**made, **values})  # type: ignore[arg-type]


def test_views_show_the_sample_before_its_keyed_motion(qtbot, document) -> None:  # type: ignore[no-untyped-def]
    area = shown_area(qtbot, document)
    physics, view, skeleton = document.physics, area.work_view, document.skeleton
    keyed = view.picture()
    assert keyed.body == 0.7 and not keyed.ghosts, "nothing is simulated: the keyed motion is the figure itself"
    assert keyed.physics is not None and len(keyed.physics.shapes) and keyed.physics.tints is None
    sample = sample_of(document, 14.0)
    physics._show(sample)
    shown = view.picture()
    assert_allclose(shown.poses, forward_kinematics(skeleton, sample.q))
    ((poses, token, strength),) = shown.ghosts
    assert (token, strength) == (TOKEN, 1.0)
    assert_allclose(poses, forward_kinematics(skeleton, document.sequence.pose_at_frame(14.0)))
    assert all(small.view.picture().physics is shown.physics for small in area.small_views.values()), "made once"
    found = area.host.scene.physics.found
    assert found.kinds == {FREE, KEYED} and found.contacts.magnitudes == pytest.approx([np.hypot(10.0, 700.0)])
    assert_allclose(found.linear - found.center, 0.4 * sample.momentum[3:] / 73.0, rtol=1e-9)
    area.work_view.grab()
    assert len(view._over.physics.places) == 4, "a force, both momenta and the ghost have their tags"
    document.session.view.overlays["ghosts"] = False
    assert not view.picture().ghosts
    document.session.mode = "pose"
    pose = view.picture()
    assert pose.physics is None and pose.body == 1.0


def test_each_switch_takes_away_its_marks(qtbot, document) -> None:  # type: ignore[no-untyped-def]
    scene, physics = shown_area(qtbot, document).host.scene, document.physics
    physics._show(sample_of(document, 10.0))
    for name in AT_FIRST:
        physics.overlays.set(name, on=True)
    whole = scene.physics.picture
    assert scene.physics.picture is whole and whole.tints is not None
    sizes = (len(whole.shapes), len(whole.lines), whole.tints is not None)
    for name in AT_FIRST:
        physics.overlays.set(name, on=False)
        less = scene.physics.picture
        assert (len(less.shapes), len(less.lines), less.tints is not None) != sizes, name
        physics.overlays.set(name, on=True)
    bodies = whole.shapes[whole.shapes[:, 16] == ELLIPSOID][0]
    physics.overlays.set("inertia", scale=2.0)
    larger = scene.physics.picture.shapes[0]
    assert_allclose(larger[:12].reshape(3, 4)[:, :3], 2.0 * bodies[:12].reshape(3, 4)[:, :3], rtol=1e-6)
    assert_allclose(larger[3:12:4], bodies[3:12:4], err_msg="about its middle")


def test_the_panel_switches_sizes_and_fades(qtbot, document) -> None:  # type: ignore[no-untyped-def]
    panel, physics = OverlaysPanel(document), document.physics
    qtbot.addWidget(panel)
    assert panel.mass.text() == "73.0 kg in 21 bodies"
    assert panel.rows["cones"].note.text() == "μ 0.80" and panel.rows["torques"].field.shown_text() == "100 N·m"
    steps = document.stack.count()
    panel.rows["balls"].switch.click()
    assert not physics.overlays["balls"].on
    physics.overlays.set("balls", on=True)
    assert panel.rows["balls"].switch.isChecked(), "it follows the toolbar"
    panel.rows["contacts"].field.changed.emit(2.5)
    panel.rows["torques"].field.changed.emit(50.0)
    assert physics.overlays["contacts"].scale == 2.5 and physics.overlays["torques"].scale == pytest.approx(2.0)
    panel.opacity.changed.emit(40.0)
    assert physics.overlays.opacity == pytest.approx(0.4) and document.stack.count() == steps, "no edit of the document"
    physics.overlays.opacity = 1.0
    assert panel.opacity.value == 100.0


def lying(document: Document, seed: int, time: float) -> Sample:
    """Return a sample in which the figure lies on its back; most of its parts are pushed about as the floor does it."""
    skeleton, rng = document.skeleton, np.random.default_rng(seed)
    assert skeleton is not None
    q = skeleton.rest_pose()
    q[[1, 4]] = -0.8, -0.5 * np.pi
    poses, count = forward_kinematics(skeleton, q), len(skeleton.joints)
    forces = np.column_stack([rng.normal(size=count), np.linspace(30.0, 90.0, count), rng.normal(size=count)])
    contacts = ContactForces(
        poses[:, :3, 3] * [1.0, 0.0, 1.0], np.tile([0.0, 1.0, 0.0], (count, 1)), forces * rng.uniform(0.9, 1.1),
        np.full(count, 0.8), np.arange(count), np.full(count, -2),
    )  # fmt: skip
    momentum = np.array([0.0, 2.0, 0.0, 10.0, 3.0, 5.0])
    return sample_of(document, 14.0, q=q, time=time, contacts=contacts, momentum=momentum)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("size", [(1280, 800), (900, 560)])
def test_tags_on_a_lying_figure_stand_apart_and_beside_it(qtbot, document, monkeypatch, size) -> None:  # type: ignore[no-untyped-def]
    area = shown_area(qtbot, document)
    area.resize(*size)
    view, skeleton = area.work_view, document.skeleton
    tags, boxes = view._over.physics, []
    paint = tags.paint
    monkeypatch.setattr(tags, "paint", lambda *words: boxes.append(paint(*words)) or boxes[-1])
    before, moved = [], 0
    for k in range(20):
        document.physics._show(lying(document, k, k / 60.0))
        view.grab()
        found, poses = boxes[-1], area.host.scene.poses
        assert 3 <= len(found) <= 9, "some forces, both momenta and the ghost"
        assert not any(a.intersects(b) for a, b in combinations(found, 2))
        bodies = np.einsum("nij,nj->ni", poses[:, :3, :3], [joint.center for joint in skeleton.joints])
        body = view.project(np.concatenate([poses[:, :3, 3], bodies + poses[:, :3, 3]]))[:, :2]
        assert not [box for box in found if any(box.contains(*point) for point in body.tolist())]
        moved += len(before) > 0 and sum(min(_apart(box, other) for other in before) > 25.0 for box in found)
        before = found
    assert moved <= 4, "they keep their places"


def _apart(box: QRectF, other: QRectF) -> float:
    return float((box.center() - other.center()).manhattanLength())


def test_forces_without_a_tag_are_reported_at_their_parts(qtbot, document) -> None:  # type: ignore[no-untyped-def]
    tags = shown_area(qtbot, document).work_view._over.physics
    document.physics._show(lying(document, 0, 0.0))
    assert all(tags.force_on(part).endswith(" N") for part in range(len(document.skeleton.joints)))
    document.physics._show(sample_of(document, 14.0))
    foot = document.skeleton.joint_index("left foot")
    assert tags.force_on(foot) == "700 N" and tags.force_on(foot - 1) == ""
    document.physics.overlays.set("contacts", on=False)
    assert tags.force_on(foot) == "", "not while forces are not shown"

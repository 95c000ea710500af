"""A web page plays the motion: its names are harmless, and a browser draws the joints where the program has them."""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from core.animation import Sequence
from core.animation.hybrid_strips import HybridStrip
from core.dynamics.contact.obstacles import BoxObstacle
from core.dynamics.contact.world import Floor
from core.formats import Project, load, save
from core.formats.exchange.baking import scene_of
from core.formats.exchange.scene import Scene
from core.formats.exporting import ExportChoices, chosen
from core.preview import PhysicsSettings
from core.preview.grounds import StairsGround
from core.preview.rigid_bodies import RigidBody
from core.skeleton.building.props import box

pytest.importorskip("pygltflib", reason="the package pygltflib, which writes the scene, is not installed")

WALK = "library/Walks and runs/walk.seq"
NASTY = "</script><script>document.title='bad'</script>@THREE@"
SWITCHES = (
    "--headless --no-sandbox --disable-quic --no-first-run --disable-background-networking --disable-component-update "
    "--disable-sync --use-angle=swiftshader --enable-unsafe-swiftshader --window-size=800,600"
).split()
PROBE = """<script>
const wait = setInterval(() => {
  if (!window.viewer) return;
  clearInterval(wait);
  viewer.play(false);
  const places = FRAMES.map((frame) => { viewer.seek(frame); return viewer.places(); });
  viewer.seek(0);
  const canvas = document.querySelector("canvas");
  const at = (kind, x) => canvas.dispatchEvent(new PointerEvent(kind,
    { pointerId: 1, pointerType: "mouse", button: 0, buttons: 1, clientX: x, clientY: 300, bubbles: true }));
  canvas.setPointerCapture = canvas.releasePointerCapture = () => {};
  setTimeout(() => {
    const before = canvas.toDataURL();
    at("pointerdown", 300); at("pointermove", 420); at("pointerup", 420);
    setTimeout(() => {
      const turned = canvas.toDataURL() !== before;
      const finger = (kind, id, x, y) => canvas.dispatchEvent(new PointerEvent(kind, { pointerId: id,
        pointerType: "touch", button: 0, buttons: 1, clientX: x, clientY: y, bubbles: true, isPrimary: id === 11 }));
      const eyes = [viewer.eye()];
      finger("pointerdown", 11, 300, 300); finger("pointermove", 11, 380, 320); finger("pointerup", 11, 380, 320);
      eyes.push(viewer.eye());
      finger("pointerdown", 11, 300, 300); finger("pointerdown", 12, 400, 300);
      finger("pointermove", 11, 250, 300); finger("pointermove", 12, 450, 300);
      finger("pointerup", 11, 250, 300); finger("pointerup", 12, 450, 300);
      eyes.push(viewer.eye());
      finger("pointerdown", 11, 300, 300); finger("pointerdown", 12, 400, 300);
      finger("pointermove", 11, 330, 260); finger("pointermove", 12, 430, 260);
      finger("pointerup", 11, 330, 260); finger("pointerup", 12, 430, 260);
      eyes.push(viewer.eye());
      viewer.play(true);
      const moving = setInterval(() => {
        if (viewer.frame() === 0) return;
        clearInterval(moving);
        const out = document.createElement("pre");
        out.id = "found";
        out.textContent = JSON.stringify({ places, turned, eyes, moved: viewer.frame(), title: document.title });
        document.body.append(out);
      }, 20);
    }, 300);
  }, 300);
}, 20);
</script>"""


def _places(scene: Scene, frame: int) -> np.ndarray:
    """Return where all nodes of a scene are at a frame of its first clip, shape (n, 3), [m]."""
    from core.formats.exchange.scene import trs_frames

    worlds: list[np.ndarray] = []
    for number, node in enumerate(scene.nodes):
        track = scene.clips[0].tracks.get(number)
        moved = [
            still if track is None or rows is None else rows[frame]
            for still, rows in zip(
                (node.translation, node.rotation, node.scale),
                (None, None, None) if track is None else (track.translation, track.rotation, track.scale),
                strict=True,
            )
        ]
        local = trs_frames(*moved)
        worlds.append(worlds[node.parent] @ local if node.parent >= 0 else local)
    return np.array([world[:3, 3] for world in worlds])


def _page(folder: Path, bundled: Path) -> tuple[Path, Scene]:
    project = load(bundled)
    project.sequences[0].name = NASTY
    path = folder / "a <b> & c.html"
    save(project, path)
    return path, scene_of(project, path.name)


@pytest.fixture
def walk() -> Path:
    return Path(__file__).resolve().parents[3] / "skeletons" / WALK


def test_names_cannot_become_code(tmp_path: Path, walk: Path) -> None:
    path, _scene = _page(tmp_path, walk)
    text = path.read_text("utf-8")
    assert text.count("<script") == text.count("</script>") == 3
    assert "<title>a &lt;b&gt; &amp; c</title>" in text
    found = re.search(r'id="motion">(.*?)</script>', text, re.DOTALL)
    assert found and json.loads(found[1])["clips"][0]["name"] == NASTY


@pytest.mark.verify
def test_asks_nothing_of_a_network(tmp_path: Path, walk: Path) -> None:
    text = _page(tmp_path, walk)[0].read_text("utf-8")
    assert "default-src 'none'" in text
    assert not re.search(r"<(link|img|iframe)\b|<script[^>]*\bsrc=", text)


def _browser(tmp_path: Path, *words: str) -> str:
    """Return what a browser says that opens a page and lets it play."""
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        pytest.skip("no Chromium is installed to open the page in")
    own = [f"--user-data-dir={tmp_path / 'profile'}", "--virtual-time-budget=20000"]
    command = [browser, *SWITCHES, *own, *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=240, check=True).stdout


def _found(tmp_path: Path, path: Path, frames: list[int]) -> dict:
    """Return what a browser finds on a page that it opens, touched by mouse and fingers."""
    probe = PROBE.replace("FRAMES", json.dumps(frames))
    page = tmp_path / "probe.html"
    page.write_text(path.read_text("utf-8").replace("</body>", probe + "</body>"), "utf-8")
    shown = _browser(tmp_path, "--dump-dom", page.as_uri())
    written = re.search(r'<pre id="found">(.*?)</pre>', shown)
    assert written, shown[-500:]
    return json.loads(html.unescape(written[1]))


@pytest.mark.verify
def test_a_browser_draws_the_same_joints(tmp_path: Path, walk: Path) -> None:
    path, scene = _page(tmp_path, walk)
    frames = np.linspace(0, scene.clips[0].count - 1, 12).astype(int).tolist()
    found = _found(tmp_path, path, frames)
    ours = np.array([_places(scene, frame) for frame in frames])
    height = np.ptp(ours[..., 1])
    assert np.abs(np.array(found["places"]) - ours).max() < 1e-5 * height
    assert np.ptp(ours, axis=0).max() > 0.1 * height
    assert found["turned"] and found["moved"] > 0.0
    assert found["title"] == path.stem
    first, turned, nearer, moved = (np.array(each).reshape(2, 3) for each in found["eyes"])
    away = [np.linalg.norm(eye - target) for eye, target in (first, turned, nearer, moved)]
    assert np.linalg.norm(turned[0] - first[0]) > 0.1 * away[0], "one finger goes round"
    assert away[1] == pytest.approx(away[0]) and turned[1] == pytest.approx(first[1])
    assert away[2] == pytest.approx(0.5 * away[1], rel=0.1), "two fingers that part come closer"
    assert np.linalg.norm(moved[1] - nearer[1]) > 0.02 * away[2], "two that go together move the view"
    assert away[3] == pytest.approx(away[2])


@pytest.mark.verify
def test_what_is_simulated_and_what_stands_around_is_on_the_page(tmp_path: Path) -> None:
    """A man falls down stairs; a crate falls beside him, and a horse that is hidden is not there."""
    folder = Path(__file__).resolve().parents[3] / "skeletons"
    project, path = load(folder / "scenes" / "stairs.seq"), tmp_path / "fall.html"
    crate = RigidBody("box", (0.3, 0.3, 0.3), 2.0, np.array([1.5, 2.0, 0.0]), name="crate")
    project.physics = {**project.physics, "props": [crate.to_record()]}
    horse = load(folder / "horse.scr").figures[0]
    project.figures.append(horse)
    made = chosen(project, path, ExportChoices(last=40, left_out=frozenset({1})))
    save(made, path)
    scene = scene_of(made, path.name)
    names = [node.name for node in scene.nodes]
    assert horse.joint_names[-1] not in names and len(scene.ground) >= 2
    frames = list(range(0, 41, 8))
    found = np.array(_found(tmp_path, path, frames)["places"])
    ours = np.array([_places(scene, frame) for frame in frames])
    assert np.abs(found - ours).max() < 2e-5
    falls = found[:, names.index("crate"), 1]
    assert falls[0] == pytest.approx(2.0, abs=0.05) and falls[-1] == pytest.approx(0.15, abs=0.02), (
        "it lies on the floor"
    )
    assert np.ptp(found[:, scene.ground], axis=0).max() == 0.0


def world_of(skeletons_folder: Path) -> Project:
    """A man who walks, a horse, a box that is carried, stairs, an obstacle, and a crate that falls meanwhile."""
    man = load(skeletons_folder / WALK)
    walk, horse = man.sequences[0], load(skeletons_folder / "horse.scr").figures[0]
    stands, carried = Sequence(horse, walk.fps, "stands"), Sequence(prop := box((0.3, 0.2, 0.4), "parcel"), walk.fps)
    for frame in (0, 32):
        q = horse.rest_pose()
        q[:3] += [1.6, 0.0, 0.02 * frame]
        q[6] += 0.01 * frame
        stands.set_key(frame, q)
        q = prop.rest_pose()
        q[:3] += [-0.9, 1.0 + 0.01 * frame, 0.0]
        carried.set_key(frame, q)
    walk.hybrid_strips = (HybridStrip((walk.skeleton.joint_names[-1],), 0, 32),)
    settings = PhysicsSettings(
        floor=Floor(-0.05), ground=StairsGround(number=3, start=-2.4, landing=0.5),
        obstacles=(BoxObstacle((0.4, 0.5, 0.6), position=(-1.6, 0.2, -0.6)),),
        rigid_bodies=(RigidBody("box", (0.3, 0.3, 0.3), 2.0, np.array([0.9, 1.6, 0.4]), name="crate"),),
    )  # fmt: skip
    return Project([*man.figures, horse, prop], [walk, stands, carried], physics=settings.to_record())


@pytest.mark.verify
def test_several_figures_ground_and_bodies_play_together(tmp_path: Path, skeletons_folder: Path) -> None:
    project, path = world_of(skeletons_folder), tmp_path / "world.html"
    save(project, path)
    scene = scene_of(project, path.name)
    names = [node.name for node in scene.nodes]
    assert len(scene.figures) == 3 and len(scene.ground) == 2 and "crate" in names
    frames = [0, 5, 16, 32]
    found = np.array(_found(tmp_path, path, frames)["places"])
    ours = np.array([_places(scene, frame) for frame in frames])
    assert np.abs(found - ours).max() < 2e-5
    for node in (scene.figures[0] + 1, scene.figures[2] + 1, names.index("crate")):
        assert np.ptp(found[:, node], axis=0).max() > 0.1, names[node]
    assert np.ptp(found[:, scene.ground], axis=0).max() == 0.0
    shown = path.read_text("utf-8")
    data = json.loads(re.search(r'id="motion">(.*?)</script>', shown, re.DOTALL)[1])
    assert data["figures"] == scene.figures and data["floor"] == {"height": -0.05, "normal": [0.0, 1.0, 0.0]}


@pytest.mark.verify
@pytest.mark.parametrize("scheme", ["dark", "light"])
def test_the_picture_has_all_of_it_in_both_themes(scheme: str, tmp_path: Path, skeletons_folder: Path) -> None:
    """Colours of figures, ground and crate are in the picture, and the page is as dark as the browser."""
    Image = pytest.importorskip("PIL.Image", reason="the package Pillow is not installed")
    path, picture = tmp_path / "world.html", tmp_path / "world.png"
    save(world_of(skeletons_folder), path)
    number = {"dark": 0, "light": 1}[scheme]
    _browser(tmp_path, f"--screenshot={picture}", f"--blink-settings=preferredColorScheme={number}", path.as_uri())
    pixels = np.asarray(Image.open(picture).convert("RGB")).astype(float)
    assert (pixels[-20:, -20:].mean() < 100) == (scheme == "dark")
    crate = np.array([0.80, 0.62, 0.40])
    hue = pixels / np.maximum(np.linalg.norm(pixels, axis=2, keepdims=True), 1.0)
    near = np.linalg.norm(hue - crate / np.linalg.norm(crate), axis=2) < 0.06
    assert near.sum() > 100, "the crate"
    assert pixels.std(axis=(0, 1)).min() > 10.0

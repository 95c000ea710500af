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

from core.formats import load, save
from core.formats.exchange.baking import scene_of
from core.formats.exchange.scene import Scene
from core.formats.exporting import ExportChoices, chosen
from core.preview.rigid_bodies import RigidBody

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


def test_asks_nothing_of_a_network(tmp_path: Path, walk: Path) -> None:
    text = _page(tmp_path, walk)[0].read_text("utf-8")
    assert "default-src 'none'" in text
    assert not re.search(r"<(link|img|iframe)\b|<script[^>]*\bsrc=", text)


def _found(tmp_path: Path, path: Path, frames: list[int]) -> dict:
    """Return what a browser finds on a page that it opens, touched by mouse and fingers."""
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        pytest.skip("no Chromium is installed to open the page in")
    probe = PROBE.replace("FRAMES", json.dumps(frames))
    page = tmp_path / "probe.html"
    page.write_text(path.read_text("utf-8").replace("</body>", probe + "</body>"), "utf-8")
    own = [f"--user-data-dir={tmp_path / 'profile'}", "--virtual-time-budget=20000", "--dump-dom", page.as_uri()]
    shown = subprocess.run([browser, *SWITCHES, *own], capture_output=True, text=True, timeout=120, check=True).stdout
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

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
      viewer.play(true);
      const moving = setInterval(() => {
        if (viewer.frame() === 0) return;
        clearInterval(moving);
        const out = document.createElement("pre");
        out.id = "found";
        out.textContent = JSON.stringify({ places, turned, moved: viewer.frame(), title: document.title });
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


@pytest.mark.verify
def test_a_browser_draws_the_same_joints(tmp_path: Path, walk: Path) -> None:
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        pytest.skip("no Chromium is installed to open the page in")
    path, scene = _page(tmp_path, walk)
    frames = np.linspace(0, scene.clips[0].count - 1, 12).astype(int).tolist()
    probe = PROBE.replace("FRAMES", json.dumps(frames))
    page = tmp_path / "probe.html"
    page.write_text(path.read_text("utf-8").replace("</body>", probe + "</body>"), "utf-8")
    own = [f"--user-data-dir={tmp_path / 'profile'}", "--virtual-time-budget=20000", "--dump-dom", page.as_uri()]
    shown = subprocess.run([browser, *SWITCHES, *own], capture_output=True, text=True, timeout=120, check=True).stdout
    written = re.search(r'<pre id="found">(.*?)</pre>', shown)
    assert written, shown[-500:]
    found = json.loads(html.unescape(written[1]))
    ours = np.array([_places(scene, frame) for frame in frames])
    height = np.ptp(ours[..., 1])
    assert np.abs(np.array(found["places"]) - ours).max() < 1e-5 * height
    assert np.ptp(ours, axis=0).max() > 0.1 * height
    assert found["turned"] and found["moved"] > 0.0
    assert found["title"] == path.stem

"""What layers cost: poses with five of them against poses without, taking turns. ``python -m tests.benchmarks layers``

The ratio must be at most 1.5.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from core.animation.key import Key
from core.animation.layers.edits import flattened, keyed
from core.animation.layers.many_keys import key_weights, offset_keys
from core.animation.sequence import Sequence
from core.formats import load
from core.formats.bundled import bundled_folder
from tests.benchmarks.timing import each, interleaved
from tests.support.layered import random_layers

LAYERS, KEYS, LONG = 5, 8, 3000
CLIP, SPARSE = 4500, 12
"""Keys of a clip of 75 s at 60 frames a second, and of a sequence that somebody keyed by hand."""


def copied(sequence: Sequence) -> Sequence:
    """Return the keys of a sequence in one without locks: what layers are added to."""
    return Sequence(sequence.skeleton, sequence.fps, keys=sequence.keys)


def ratios(sequence: Sequence, batch: int) -> tuple[float, float, float]:
    """Return the time of a pose without layers and with them, [s], and their ratio."""
    plain, layered = copied(sequence), copied(sequence)
    layered.layers = random_layers(layered, LAYERS, KEYS)
    first, last = plain.range
    frames = np.random.default_rng(3).uniform(first, last, 240)
    rows = frames.reshape(-1, batch)

    tasks = [[lambda row=row, own=own: own.poses_at_frames(row) for row in rows] for own in (plain, layered)]
    without, with_layers = (float(best.sum()) for best in each(tasks, 15))
    return without / len(frames), with_layers / len(frames), with_layers / without


def release(recording: Sequence) -> tuple[float, float]:
    """Return how long the end of a drag of all keys of a recording and its Undo keep a processor busy, [s]."""
    from PySide6.QtCore import QCoreApplication

    from app.document import Document
    from app.document.content.key_selection import KeySelection
    from app.document.edits import edits

    _application = QCoreApplication.instance() or QCoreApplication([])
    document, spent = Document(), []
    document.figures.add(recording.skeleton)
    document.do("Record", lambda: edits.key_changes(document.model, recording.keys))
    document.session.keys.auto = True
    document.session.keys.selected = KeySelection(dict.fromkeys(recording.keys.frames), None)
    with tempfile.TemporaryDirectory() as folder:
        document.files.start_journal(Path(folder))
        for _ in range(5):
            q = document.pose.copy()
            q[1] -= 0.13
            gesture = document.posing.begin_gesture("Drag")
            gesture.set_pose(q)
            start = time.thread_time()
            gesture.commit()
            end = time.thread_time()
            document.history.undo()
            spent.append((end - start, time.thread_time() - end))
        document.files.close()
    released, undone = np.min(spent, axis=0)
    return float(released), float(undone)


class Layered:
    """A document whose sequence has a layer with a few keys.

    Args:
        keys: Keys of the sequence.
        sequence: Whose figure it is.
    """

    def __init__(self, sequence: Sequence, keys: list[Key]):
        from PySide6.QtCore import QCoreApplication

        from app.document import Document
        from app.document.edits import edits

        self._application = QCoreApplication.instance() or QCoreApplication([])
        self.document, self.last = Document(), keys[-1].frame
        self.document.figures.add(sequence.skeleton)
        self.document.do("Record", lambda: edits.key_changes(self.document.model, keys))
        id = self.document.layers.add("Touch-up")
        assert id is not None
        self.id, self._turn = id, 0
        self.offset = np.zeros(sequence.skeleton.nq)
        self.columns = sequence.channels.columns[sequence.channels.index("right upper arm")]
        for frame in np.linspace(0, self.last, 5).astype(int).tolist():
            self.key(frame)

    def key(self, frame: int) -> None:
        """Key the layer at a frame: a touch of a hand, not the same as before."""
        self._turn += 1
        self.offset[self.columns] = 0.05 + 0.01 * (self._turn % 3)
        layer = self.document.layers.get(self.id)
        assert layer is not None
        made = keyed(layer, frame, self.offset.copy(), ["right upper arm"])
        if not self.document.layers.set(self.id, keys=made.keys):
            raise RuntimeError(f"frame {frame} of the layer could not be keyed")

    def evaluate(self) -> None:
        """Show poses here and there, as playing and scrubbing do."""
        sequence = self.document.sequence
        assert sequence is not None
        for frame in np.linspace(0.3, self.last - 0.3, 16).tolist():
            sequence.poses_at_frames([frame])

    def edit(self) -> None:
        """Set a key of the layer in the middle, and show the pose there."""
        self.key(self.last // 2)
        self.document.set_frame(self.last // 2)
        _ = self.document.pose

    def drag(self) -> None:
        """Drag a pose in the layer, ten moves of the mouse, and let go."""
        document = self.document
        document.layers.activate(self.id)
        document.session.keys.auto = True
        document.set_frame(self.last // 2)
        gesture, q = document.posing.begin_gesture("Drag"), document.pose.copy()
        for _ in range(10):
            q[self.columns[0]] += 0.002
            gesture.set_pose(q)
        gesture.commit()


def over_clip(walk: Sequence) -> list[tuple[str, float, float]]:
    """Return how long each edit of a layer takes on a sparse sequence and on a clip, taking turns, [s]."""
    frames = np.arange(CLIP)
    poses = walk.poses_at_frames(frames % (walk.range[1] + 1))
    dense = [Key(int(frame), q) for frame, q in zip(frames, poses, strict=True)]
    sparse = dense[:: CLIP // SPARSE]
    few, many = Layered(walk, sparse), Layered(walk, dense)
    found = []
    for what in ("evaluate", "edit", "drag"):
        times = each([[getattr(few, what)], [getattr(many, what)]], 15)
        found.append((what, float(times[0][0]), float(times[1][0])))
    kept, baked = copied(many.document.sequence), copied(many.document.sequence)  # type: ignore[arg-type]
    kept.layers = many.document.sequence.layers  # type: ignore[union-attr]
    baked.set_keys(flattened(kept, dense=True))
    rows = np.linspace(0.3, CLIP - 1.3, 64)
    times = each([[lambda: baked.poses_at_frames(rows)], [lambda: kept.poses_at_frames(rows)]], 15)
    return [*found, ("64 poses, baked and kept", float(times[0][0]), float(times[1][0]))]


def run(report: Callable[..., None]) -> None:
    """Measure a walk and a recording, pose by pose and many at once; and an offset to thousands of keys."""
    walk = load(bundled_folder() / "library" / "Walks and runs" / "walk.seq").sequences[0]
    frames = np.arange(LONG)
    recording = Sequence(walk.skeleton, keys=[
        Key(int(i), q) for i, q in zip(frames, walk.poses_at_frames(frames % (walk.range[1] + 1)), strict=True)
    ])  # fmt: skip
    for name, sequence in (("walk", walk), (f"recording of {LONG} keys", recording)):
        for batch, how in ((1, "one by one"), (24, "24 at once")):
            without, with_layers, ratio = ratios(sequence, batch)
            report(f"{name}, poses {how}, without layers", 1e6 * without, "us")
            report(f"{name}, poses {how}, {LAYERS} layers", 1e6 * with_layers, "us")
            report(f"{name}, poses {how}, ratio", ratio, "", "must be <= 1.5")
    for what, few, many in over_clip(copied(walk)):
        report(f"a layer of 5 keys, {what}: first of the two", 1e6 * few, "us")
        report(f"  over {CLIP} keys, ratio", many / few, "", "1 is as on a few keys")
    keys, skeleton = recording.keys, recording.skeleton
    weights, offset = key_weights(keys, keys.table.keyed, 0.0), np.zeros(skeleton.nq)
    offset[1], offset[10:13] = -0.13, 0.1
    (taken,) = interleaved([lambda: offset_keys(skeleton, keys, offset, weights, np.arange(LONG))])
    report(f"an offset to {LONG} keys", 1e3 * taken, "ms")
    (taken,) = interleaved([lambda: offset_keys(skeleton, keys, offset, weights, np.arange(256))])
    report("an offset to 256 keys, as many as follow a drag live", 1e3 * taken, "ms")
    released, undone = release(recording)
    report(f"a drag of {LONG} keys together, its end with the journal", 1e3 * released, "ms")
    report("  its Undo", 1e3 * undone, "ms")

"""Targets of locks whose keys have slopes of their own: where they go, and that they stay right through every edit."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from core.animation import Clip, LockStrip, Sequence, TargetKey
from core.animation.locks import strip as lock_strips
from core.animation.locks.strip import strip_from_json, strip_to_json
from core.animation.locks.target_keys import TargetPath
from core.animation.shape import FREE
from core.constraints import Lock, bind
from core.constraints.kinds import find_kind
from core.constraints.kinds.pose import joined
from core.errors import SequenceError
from core.formats import Project, bundled_folder, load, save
from core.skeleton import load_skeleton
from core.spatial import so3

MAN = load_skeleton(bundled_folder() / "human.scr")
FOOT = bind(Lock("left foot", "pose"), MAN, MAN.rest_pose())
FRAMES = np.linspace(10.0, 30.0, 81)


def wanted(frame: float) -> np.ndarray:
    """Return where a foot is that goes evenly from one corner to the next, and turns."""
    u = (frame - 10.0) / 10.0
    place = np.array([0.1, 0.3 * u * u, 0.4 * u]) if u < 1.0 else np.array([0.1 + 0.3 * (u - 1.0), 0.3, 0.4])
    return joined(place, so3.exp(np.array([0.0, 0.4 * u, 0.2])))


def path() -> LockStrip:
    """Return a strip of three keys that go there: exactly, for it is of the second degree."""
    spin = [so3.log(wanted(f - 1e-4)[:3, :3].T @ wanted(f + 1e-4)[:3, :3]) / 2e-4 for f in (10, 20, 30)]
    keys = (
        TargetKey(10, wanted(10), FREE, None, (0.0, 0.0, 0.04, *spin[0])),
        TargetKey(20, wanted(20), FREE, (0.0, 0.06, 0.04, *spin[1]), (0.03, 0.0, 0.0, *spin[1])),
        TargetKey(30, wanted(30), FREE, (0.03, 0.0, 0.0, *spin[2]), None),
    )
    return LockStrip(FOOT, 10, 30, targets=keys)


def away(strip: LockStrip, frames, there) -> float:
    return max(float(np.abs(strip.target_at(f) - there(f)).max()) for f in frames)


def test_it_goes_as_the_slopes_say_with_a_corner_at_a_key():
    assert away(path(), FRAMES, wanted) < 1e-3
    places = np.array([path().target_at(f)[:3, 3] for f in FRAMES])
    assert np.abs(places - [wanted(f)[:3, 3] for f in FRAMES]).max() < 1e-12
    plain = replace(path(), targets=tuple(replace(key, interp="spline") for key in path().targets))
    assert away(plain, FRAMES, wanted) > 0.02  # a spline swings round the corner


def test_records_files_and_bad_slopes(tmp_path):
    strip = path()
    assert strip_from_json(strip_to_json(strip, MAN), MAN) == strip
    sequence = Sequence(MAN, fps=30)
    sequence.set_key(0, MAN.rest_pose())
    sequence.set_key(40, MAN.rest_pose())
    sequence.locks.strips = (strip,)
    save(Project([MAN], [sequence]), tmp_path / "path.seq")
    again = load(tmp_path / "path.seq").sequences[0].locks.strips[0]
    assert again.targets == strip.targets
    with pytest.raises(SequenceError, match="has 2 numbers; this lock's have 6"):
        replace(strip, targets=(TargetKey(10, wanted(10), FREE, None, (0.0, 1.0)),))
    with pytest.raises(SequenceError, match="finite"):
        TargetKey(10, wanted(10), FREE, (float("nan"),) * 6)
    with pytest.raises(SequenceError, match="list of numbers"):
        TargetKey(10, wanted(10), FREE, "fast")


def test_a_key_put_into_it_leaves_it_as_it_is_and_so_does_cutting_it():
    strip = path()
    for frame in (13, 27):
        more = replace(strip, targets=(*strip.targets, strip.key_at(frame)))
        assert [key.frame for key in more.targets].count(frame) == 1
        assert away(more, FRAMES, strip.target_at) < 2e-4  # turns are no polynomials
        places = [float(np.abs(more.target_at(f)[:3, 3] - strip.target_at(f)[:3, 3]).max()) for f in FRAMES]
        assert max(places) < 1e-9
    assert strip.key_at(20) is strip.targets[1]
    piece = lock_strips.cut_out((strip,), 13, 27)[0]
    assert away(piece, np.linspace(0, 14, 57), lambda f: strip.target_at(f + 13)) < 2e-4
    first, second = lock_strips.split(strip, 15)
    assert away(first, np.linspace(10, 14, 17), strip.target_at) == 0.0
    assert away(second, np.linspace(15, 30, 61), strip.target_at) == 0.0


def test_it_is_the_same_path_at_another_pace_when_keys_move():
    strip = path()
    (slow,) = lock_strips.retimed((strip,), [10, 20, 30], {20: 40, 30: 60})
    assert away(slow, np.linspace(10, 40, 61), lambda f: strip.target_at(10 + (f - 10) / 3)) < 1e-12
    assert away(slow, np.linspace(40, 60, 41), lambda f: strip.target_at(20 + (f - 40) / 2)) < 1e-12
    (faster,) = lock_strips.rescaled((strip,), 2.0)
    assert away(faster, np.linspace(20, 60, 81), lambda f: strip.target_at(f / 2)) < 1e-12


def test_its_mirror_image_is_that_of_each_target():
    sequence = Sequence(MAN, fps=30)
    for frame in (10, 30):
        sequence.set_key(frame, MAN.rest_pose())
    clip = Clip.of(sequence.keys, 10, 30, MAN, (path(),))
    (there,) = clip.flipped(MAN).strips
    assert there.lock.joint == "right foot"
    kept = path().lock.rule.mirrored_target
    places = [np.abs(there.target_at(f - 10)[:3, 3] - kept(path().target_at(f))[:3, 3]).max() for f in FRAMES]
    assert max(places) < 1e-7
    turns = [so3.angle(there.target_at(f - 10)[:3, :3].T @ kept(path().target_at(f))[:3, :3]) for f in FRAMES]
    assert max(turns) < 1e-3


@pytest.mark.parametrize("interp", [FREE, "spline", "linear", "stepped"])
@pytest.mark.parametrize("kind", ["pose", "plane", "position", "orientation"])
def test_many_frames_at_once_give_what_each_gives_alone(kind, interp):
    targets = {
        "pose": [wanted(f) for f in (10, 20, 30)],
        "plane": [np.array([0.0, 1.0, 0.0, 0.1]), np.array([0.6, 0.8, 0.0, 0.2]), np.array([0.0, 0.6, 0.8, 0.4])],
        "position": [wanted(f)[:3, 3] for f in (10, 20, 30)],
        "orientation": [wanted(f)[:3, :3] for f in (10, 20, 30)],
    }[kind]
    keys = tuple(TargetKey(f, each, interp) for f, each in zip((10, 20, 30), targets, strict=True))
    frames = np.linspace(8.0, 32.0, 49)
    alone = [TargetPath(keys, find_kind(kind)).at(frame) for frame in frames.tolist()]
    together = TargetPath(keys, find_kind(kind)).along(frames)
    assert np.shape(together) == (49, *np.shape(targets[0]))
    assert np.abs(np.array(together) - np.array(alone)).max() < 1e-14
    assert np.abs(np.diff(np.array(together), axis=0)).max() > 0.01
    assert len(TargetPath(keys, find_kind(kind)).along(frames[:0])) == 0

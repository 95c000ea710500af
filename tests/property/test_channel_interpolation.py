"""What holds for keys of any channels in any shapes: exact, inside limits, the same in every order and after edits."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.animation import INTERPOLATIONS, Ease, Key, Shape, channels_of
from core.animation.channels import Channels
from core.animation.curves.tracks import Tracks
from core.skeleton import Dof, Joint, Skeleton

SEEDS = st.integers(0, 2**32 - 1)
SETTINGS = {"deadline": None, "derandomize": True}


def figure(rng: np.random.Generator) -> Skeleton:
    joints = [Joint("root", -1, mass=1.0)]
    for i in range(3):
        limits = np.sort(rng.uniform(-3.1, 3.1, (3, 2)), axis=1)
        axes = np.eye(3)[rng.permutation(3)] * rng.choice([-1.0, 1.0], 3)[:, None]
        dofs = tuple(Dof("hinge", axis, lo, hi) for axis, (lo, hi) in zip(axes, limits, strict=True))
        joints.append(Joint(f"ball {i}", 0, offset=(0, 1, 0), dofs=dofs, mass=1.0))
    lo, hi = np.sort(rng.uniform(-2, 2, 2))
    joints.append(Joint("knee", 0, offset=(1, 0, 0), dofs=(Dof("hinge", (1, 0, 0), lo, hi),), mass=1.0))
    return Skeleton("random", joints)


def shape(rng: np.random.Generator, values: int = 0) -> Shape:
    ease = None
    if rng.random() < 0.4:
        ease = Ease(float(rng.uniform()), float(rng.uniform(-2, 3)), float(rng.uniform()), float(rng.uniform(-2, 3)))
    sides = [
        tuple(rng.normal(scale=0.4, size=values).tolist()) if values and rng.random() < 0.7 else None for _ in "io"
    ]
    tension, continuity, bias = rng.uniform(-1.5, 1.5, 3).tolist()
    kind = "free" if any(sides) else str(rng.choice(INTERPOLATIONS))
    return Shape(kind, bool(rng.random() < 0.2), tension, continuity, bias, ease, *sides)


def key(rng: np.random.Generator, s: Skeleton, channels: Channels, frame: int, whole: float) -> Key:
    lo, hi = s.limits.T
    q = np.r_[rng.normal(size=3), np.clip(lo + (hi - lo) * rng.uniform(-0.2, 1.2, len(lo)), lo, hi)]
    if rng.random() < whole:
        return Key(frame, q, shape=shape(rng))
    keyed = rng.choice(channels.names, rng.integers(1, len(channels) + 1), replace=False).tolist()
    own = {str(n): shape(rng, len(channels.columns[channels.index(str(n))])) for n in rng.choice(channels.names, 2)}
    return Key(frame, q, keyed=keyed if rng.random() < 0.7 else None, shape=shape(rng), shapes=own)


def check(seed: int, edits: int) -> None:
    rng = np.random.default_rng(seed)
    s = figure(rng)
    channels, loop, whole = channels_of(s), bool(rng.random() < 0.4), float(rng.choice([0.0, 0.5, 1.0]))
    frames = np.sort(rng.choice(200, rng.integers(1, 14), replace=False)).tolist()
    keys = [key(rng, s, channels, frame, whole) for frame in frames]
    if loop and len(keys) > 2:
        keys[-1] = keys[0].changed(frame=frames[-1], q=np.r_[rng.normal(size=3), keys[0].q[3:]])
    asked = np.concatenate((rng.uniform(-5, 205, 60), frames))
    tracks = Tracks(s, tuple(keys), loop=loop)
    lo, hi = s.limits.T
    for _ in range(edits + 1):
        fresh = Tracks(s, tuple(keys), loop=loop)
        whole_row = fresh.poses_at(asked)
        assert np.isfinite(whole_row).all()
        assert (whole_row[:, 3:] >= lo).all() and (whole_row[:, 3:] <= hi).all()
        assert np.array_equal(tracks.poses_at(asked), whole_row), "taken over from before"
        one_by_one = Tracks(s, tuple(keys), loop=loop)
        order = rng.permutation(len(asked))
        assert np.array_equal([one_by_one.pose(asked[i]) for i in order], whole_row[order]), "in any order"
        for here in keys:
            mask = channels.mask(here.keyed)
            assert np.array_equal(fresh.pose(here.frame)[mask], here.q[mask]), "exact at keys"
        i, what = int(rng.integers(len(keys))), rng.integers(4)
        if what == 0 and len(keys) > 1:
            del keys[i]
        elif what == 1:
            keys[i] = key(rng, s, channels, keys[i].frame, whole)
        elif what == 2:
            loop = not loop
        else:
            frame = int(rng.integers(0, 200))
            keys = sorted(
                [*(k for k in keys if k.frame != frame), key(rng, s, channels, frame, whole)], key=lambda k: k.frame
            )
        tracks = Tracks(s, tuple(keys), tracks, loop)


@pytest.mark.verify
@settings(max_examples=8, **SETTINGS)
@given(SEEDS)
def test_channels_in_any_shapes(seed):
    check(seed, 2)


@pytest.mark.verify
@settings(max_examples=400, **SETTINGS)
@given(SEEDS)
def test_channels_in_any_shapes_full(seed):
    check(seed, 8)


def test_more_spans_than_there_is_room_for():
    """The oldest spans give way; what is asked for again is the same again."""
    rng = np.random.default_rng(1)
    s = figure(rng)
    lo, hi = s.limits.T
    keys = tuple(Key(2 * i, np.r_[rng.normal(size=3), rng.uniform(lo, hi)]) for i in range(60))
    tracks = Tracks(s, keys)
    frames = rng.uniform(0, 118, 300)
    expected = tracks.poses_at(frames)
    for i in range(200):  # a drag: every step makes new spans, until those that stay have given way
        moved = (*keys[:30], keys[30].changed(q=keys[30].q * (1 - i / 1000)), *keys[31:])
        tracks = Tracks(s, moved, tracks)
        tracks.pose(60.5)
    tracks = Tracks(s, keys, tracks)
    assert np.array_equal(tracks.poses_at(frames), expected)

"""Every way to fill a span against closed forms and scipy: values, vectors and rotations."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.interpolate import CubicHermiteSpline
from scipy.spatial.transform import Rotation, Slerp

from core.animation import EASES, INTERPOLATIONS, Ease, Key, Sequence, Shape, channels_of
from core.animation.curves.timing_curves import eased
from core.skeleton import Dof, Joint, Skeleton
from core.spatial import quaternion as quat

X, Y, Z = np.eye(3)
FREE = (-np.inf, np.inf)
SMOOTH = ("auto", "spline", "catmull_rom", "centripetal", "kochanek_bartels", "free")


def figure(limits=(FREE, FREE, FREE), knee=FREE) -> Skeleton:
    ball = tuple(Dof("hinge", axis, *pair) for axis, pair in zip((X, Y, Z), limits, strict=True))
    return Skeleton(
        "f",
        [
            Joint("root", -1, mass=1.0),
            Joint("ball", 0, offset=(0, 1, 0), dofs=ball, mass=1.0),
            Joint("knee", 1, offset=(0, 1, 0), dofs=(Dof("hinge", X, *knee),), mass=1.0),
        ],
    )


def pose(place=(0, 0, 0), ball=(0, 0, 0), knee=0.0) -> np.ndarray:
    return np.array([*place, *ball, knee], dtype=float)


def through(frames, poses, skeleton=None, loop=False, **shape) -> Sequence:
    keys = [Key(f, q, shape=Shape(**shape)) for f, q in zip(frames, poses, strict=True)]
    return Sequence(skeleton or figure(), keys=keys, loop=loop)


def knees(frames, values, **shape) -> Sequence:
    return through(frames, [pose(knee=v) for v in values], **shape)


def random_keys(seed, n=7):
    rng = np.random.default_rng(seed)
    return np.cumsum(rng.integers(1, 20, n)), rng.normal(size=n)


def hermite(frames, values, coming, leaving, asked):
    """Piecewise cubics with their own slopes on both sides of every key."""
    out = np.empty(len(asked))
    for i in range(len(frames) - 1):
        inside = (asked >= frames[i]) & (asked <= frames[i + 1])
        spline = CubicHermiteSpline(frames[i : i + 2], values[i : i + 2], [leaving[i], coming[i + 1]])
        out[inside] = spline(asked[inside])
    return out


def asked(frames, n=400):
    return np.linspace(frames[0], frames[-1], n)


# -- values ------------------------------------------------------------------------------------------------------


def test_stepped_holds_until_the_next_key():
    s = knees([0, 10, 20], [0.3, 0.7, -0.1], interp="stepped")
    assert s.poses_at_frames([0, 9.999, 10, 15, 20, 30])[:, -1].tolist() == [0.3, 0.3, 0.7, 0.7, -0.1, -0.1]
    turned = through([0, 10], [pose(ball=(0.1, 0.2, 0.3)), pose(ball=(1, 1, 1))], interp="stepped")
    assert turned.pose_at_frame(9.5)[3:6].tolist() == [0.1, 0.2, 0.3]


@pytest.mark.parametrize("seed", range(4))
def test_uniform_catmull_rom_takes_no_notice_of_the_spacing(seed):
    frames, p = random_keys(seed)
    step = np.concatenate(([p[1] - p[0]], 0.5 * (p[2:] - p[:-2]), [p[-1] - p[-2]]))  # by key, whatever the frames
    h = np.diff(frames)
    coming, leaving = step / np.r_[1, h], step / np.r_[h, 1]
    h_first, h_last = h[0], h[-1]
    leaving[0], coming[-1] = step[0] / h_first, step[-1] / h_last
    at = asked(frames)
    assert np.allclose(
        knees(frames, p, interp="catmull_rom").poses_at_frames(at)[:, -1], hermite(frames, p, coming, leaving, at)
    )
    even = np.arange(7) * 4
    uniform, spline = (knees(even, p, interp=kind).poses_at_frames(asked(even)) for kind in ("catmull_rom", "spline"))
    assert np.allclose(uniform, spline, atol=1e-14)


@pytest.mark.parametrize("seed", range(4))
def test_tension_continuity_and_bias(seed):
    rng = np.random.default_rng(seed)
    frames, p = random_keys(seed)
    t, c, b = rng.uniform(-1, 1, 3)
    d, h = np.r_[0, np.diff(p), 0], np.r_[0, np.diff(frames), 0]
    both = h[:-1] + h[1:]
    coming = (1 - t) * ((1 - c) * (1 + b) * d[:-1] + (1 + c) * (1 - b) * d[1:]) / both
    leaving = (1 - t) * ((1 + c) * (1 + b) * d[:-1] + (1 - c) * (1 - b) * d[1:]) / both
    s = knees(frames, p, interp="kochanek_bartels", tension=t, continuity=c, bias=b)
    at = asked(frames)
    assert np.allclose(s.poses_at_frames(at)[:, -1], hermite(frames, p, coming, leaving, at))
    plain = knees(frames, p, interp="kochanek_bartels").poses_at_frames(at)
    assert np.allclose(plain, knees(frames, p, interp="spline").poses_at_frames(at), atol=1e-13)


def test_a_keys_own_tension_acts_on_both_its_sides():
    frames, p = [0, 10, 20, 30], [0.0, 1.0, 2.0, 1.0]
    s = knees(frames, p)
    s.set_keys([*s.keys[:1], s.keys[1].changed(shape=Shape("kochanek_bartels", tension=1.0)), *s.keys[2:]])
    e = 1e-5
    q = s.poses_at_frames([10 - e, 10, 10 + e])[:, -1]
    assert np.allclose(np.diff(q) / e, 0.0, atol=1e-4)


def barry_goldman(p, at, power=0.5):
    """The point of a Catmull-Rom curve with knots, by Barry and Goldman's pyramid; ``at`` counts knots."""
    k = np.concatenate(([0.0], np.cumsum(np.linalg.norm(np.diff(p, axis=0), axis=1) ** power)))
    i = int(np.clip(np.searchsorted(k, at, side="right") - 1, 1, len(p) - 3))
    k, q = k[i - 1 : i + 3], p[i - 1 : i + 3]

    def mix(a, b, x, y):
        return (y - at) / (y - x) * a + (at - x) / (y - x) * b

    a = [mix(q[j], q[j + 1], k[j], k[j + 1]) for j in range(3)]
    b = [mix(a[j], a[j + 1], k[j], k[j + 2]) for j in range(2)]
    return mix(b[0], b[1], k[1], k[2])


def test_centripetal_is_barry_and_goldmans_curve_where_frames_are_spaced_as_its_knots():
    rng = np.random.default_rng(1)
    steps = rng.integers(2, 9, 6)  # roots of the chords' lengths, in frames
    travel = rng.normal(size=(6, 3))
    travel *= (steps**2 / np.linalg.norm(travel, axis=1))[:, None]
    p = np.concatenate((np.zeros((1, 3)), np.cumsum(travel, axis=0)))
    frames = np.concatenate(([0], np.cumsum(steps)))
    s = through(frames, [pose(place) for place in p], interp="centripetal")
    for at in np.linspace(frames[1], frames[-2], 60):
        assert np.allclose(s.pose_at_frame(at)[:3], barry_goldman(p, at), atol=1e-9)


@pytest.mark.sampled(18)
@pytest.mark.parametrize("seed", range(30))
def test_centripetal_values_never_overshoot(seed):
    rng = np.random.default_rng(seed)
    frames = np.cumsum(rng.choice([1, 2, 5, 50, 400], 9))
    p = np.cumsum(rng.choice([0.0, 1e-9, 0.01, 1.0, -1.0, 3.0, 1e6], 9))
    s = knees(frames, p, interp="centripetal")
    for i in range(8):
        q = s.poses_at_frames(np.linspace(frames[i], frames[i + 1], 300))[:, -1]
        assert q.min() >= min(p[i], p[i + 1]) and q.max() <= max(p[i], p[i + 1])
        assert (np.diff(q) * np.sign(p[i + 1] - p[i]) >= -4e-16 * np.abs(p).max()).all()
        if p[i] == p[i + 1]:
            assert (q == p[i]).all()


def test_centripetal_keeps_a_constant_velocity():
    frames = np.array([0, 1, 9, 30, 33])
    s = knees(frames, frames * 0.25, interp="centripetal")
    assert np.allclose(s.poses_at_frames(asked(frames))[:, -1], 0.25 * asked(frames), atol=1e-12)


def test_free_slopes_are_the_keys_own_and_automatic_where_there_is_none():
    skeleton = figure()
    frames, p = random_keys(5, 5)
    own = [(0.1, -0.2), (None, 0.3), (0.05, None), (0.0, 0.0), (-0.1, 0.1)]
    keys = [
        Key(
            f,
            pose(knee=v),
            shapes={
                "knee": Shape(
                    "free",
                    slopes_in=None if a is None else (a,),
                    slopes_out=None if b is None else (b,),
                )
            },
        )
        for f, v, (a, b) in zip(frames, p, own, strict=True)
    ]
    d, h = np.r_[0, np.diff(p), 0], np.r_[0, np.diff(frames), 0]
    plain = (d[:-1] + d[1:]) / (h[:-1] + h[1:])
    coming = [plain[i] if a is None else a for i, (a, _) in enumerate(own)]
    leaving = [plain[i] if b is None else b for i, (_, b) in enumerate(own)]
    at = asked(frames)
    s = Sequence(skeleton, keys=keys)
    assert np.allclose(s.poses_at_frames(at)[:, -1], hermite(frames, p, coming, leaving, at))


# -- rotations ---------------------------------------------------------------------------------------------------


def turned(q) -> Rotation:
    return Rotation.from_euler("XYZ", np.asarray(q)[..., 3:6])


def balls(seed, n=6, size=0.8):
    rng = np.random.default_rng(seed)
    return np.cumsum(rng.integers(2, 15, n)), [
        pose(rng.normal(size=3), rng.uniform(-size, size, 3), rng.normal()) for _ in range(n)
    ]


@pytest.mark.parametrize("kind", ["auto", "spline", "centripetal", "kochanek_bartels", "free"])
@pytest.mark.parametrize("seed", range(5))
def test_velocities_of_all_channels_are_continuous(kind, seed):
    frames, poses = balls(seed)
    tension = {"tension": 0.4, "bias": -0.3} if kind == "kochanek_bartels" else {}
    s = through(frames, poses, interp=kind, **tension)
    e = 1e-5
    for f in frames[1:-1]:
        q = s.poses_at_frames([f - e, f, f + e])
        rates = np.diff(np.delete(q, slice(3, 6), axis=1), axis=0) / e
        assert np.allclose(rates[0], rates[1], atol=1e-4)
        r = turned(q)
        assert np.allclose((r[0].inv() * r[1]).as_rotvec() / e, (r[1].inv() * r[2]).as_rotvec() / e, atol=1e-4)


@pytest.mark.parametrize("kind", INTERPOLATIONS)
def test_rotations_about_one_axis_go_as_their_angle_goes(kind):
    """On one circle all rotations commute: squad with any tangents must then be near the cubic, at the ends alike."""
    frames, p = np.array([0, 7, 10, 24]), np.array([0.1, 0.9, 0.4, 1.2])
    shape = {"interp": kind, "tension": 0.3, "continuity": -0.4, "bias": 0.2}
    s = through(frames, [pose(ball=(0, v, 0), knee=v) for v in p], **shape)
    e = 1e-5
    for f in frames:
        for side in (-e, e):
            if frames[0] <= f + side <= frames[-1]:
                q = s.poses_at_frames([f, f + side])
                assert np.allclose(q[1, 4] - q[0, 4], q[1, -1] - q[0, -1], atol=1e-8)
    assert np.allclose(s.poses_at_frames(asked(frames))[:, [3, 5]], 0.0, atol=1e-12)


def test_linear_rotations_are_scipys():
    frames, poses = balls(3, size=1.4)
    s = through(frames, poses, interp="linear")
    inside = asked(frames, 100)
    expected = Slerp(frames, turned(poses))(inside)
    assert (turned(s.poses_at_frames(inside)).inv() * expected).magnitude().max() < 1e-7


def test_free_rates_of_a_compound_are_those_of_its_angles():
    frames, poses = balls(8, 4)
    rates = (0.05, -0.1, 0.08)
    own = {"ball": Shape("free", slopes_in=tuple(-r for r in rates), slopes_out=rates)}
    keys = [Key(f, q, shapes=own) for f, q in zip(frames, poses, strict=True)]
    s = Sequence(figure(), keys=keys)
    e = 1e-6
    for f in frames[1:-1]:
        q = s.poses_at_frames([f - e, f, f + e])[:, 3:6]
        assert np.allclose(np.diff(q, axis=0) / e, [np.negative(rates), rates], atol=1e-4)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("kind", SMOOTH)
def test_half_turns_and_nearly_equal_keys(kind):
    for near in (0.0, 1e-300, 1e-160, 1e-16, 1e-9):
        ends = [(0, 0, 0), (near, 0, 0), (np.pi - near, 0, 0), (np.pi, near, 0), (np.pi, near, -near), (0, 0, 0)]
        s = through(range(0, 60, 10), [pose((near, 0, 1), ball, near) for ball in ends], interp=kind)
        q = s.poses_at_frames(np.linspace(0, 50, 5001))
        assert np.isfinite(q).all()
        steps = quat.angle_between(*(np.roll(turned(q).as_quat(), 1, axis=1)[k] for k in (slice(1, None), slice(-1))))
        assert steps.max() < 0.02, "nothing jumps"
    equal = through(range(0, 60, 10), [pose((1, 2, 3), (0.4, 1.5, -0.7), 0.2)] * 6, interp=kind)
    assert np.abs(equal.poses_at_frames(np.linspace(0, 50, 99)) - equal.keys[0].q).max() < 1e-12


@pytest.mark.parametrize("kind", INTERPOLATIONS)
def test_huge_and_tiny_values_stay_finite(kind):
    for size in (1e-308, 1e-160, 1e150, 1e307, 1.7e308):
        values = np.array([1, -1, 1, 1, -0.5]) * size
        s = through([0, 1, 5, 6, 30], [pose((v, -v, v), (0, 0, 0), v) for v in values], interp=kind)
        q = s.poses_at_frames(np.linspace(0, 30, 61))
        assert np.isfinite(q).all() and np.array_equal(s.pose_at_frame(5), s.keys.at(5).q)


@pytest.mark.parametrize("kind", INTERPOLATIONS)
def test_turns_are_full_turns_in_every_way(kind):
    s = through([0, 10, 20], [pose(), pose(ball=(0, 1, 0)), pose(ball=(0, 2, 0))], interp=kind, turns=True)
    t = through([0, 10, 20], [pose(), pose(ball=(0, 2 * np.pi, 0)), pose(ball=(0, 4 * np.pi, 0))], interp=kind)
    for sequence, size in ((s, 1.0), (t, 2 * np.pi)):
        q = sequence.poses_at_frames(np.linspace(0, 20, 41))[:, 4] / size
        expected = np.floor(np.linspace(0, 2, 41)) if kind == "stepped" else np.linspace(0, 2, 41)
        assert np.allclose(q, expected, atol=1e-9)


# -- limits, eases, loops ----------------------------------------------------------------------------------------


@pytest.mark.sampled(1)
@pytest.mark.parametrize("kind", INTERPOLATIONS)
def test_shoulders_stay_inside_their_limits(kind):
    """Half of random shoulder spans would leave them."""
    shoulder = ((-3.0, 1.0), (-1.5, 1.5), (-1.4, 1.4))
    lo, hi = np.array(shoulder).T
    rng = np.random.default_rng(11)
    angles = rng.uniform(lo, hi, (60, 3))
    poses = [pose(ball=a, knee=rng.uniform(-1, 1)) for a in angles]
    rates = {
        name: Shape("free", slopes_in=(0.4,) * n, slopes_out=(-0.4,) * n) for name, n in (("ball", 3), ("knee", 1))
    }
    shape = Shape(kind, tension=-2.0, continuity=1.5, bias=0.7, ease=Ease(0.3, -1.5, 0.6, 2.5))
    shapes = rates if kind == "free" else {}

    def samples(skeleton):
        keys = [
            Key(10 * i, q, shape=shape, shapes={n: s.changed(ease=shape.ease) for n, s in shapes.items()})
            for i, q in enumerate(poses)
        ]
        return Sequence(skeleton, keys=keys).poses_at_frames(np.linspace(0, 590, 12000))

    inside = samples(figure(shoulder, (-1, 1)))[:, 3:]
    assert (inside[:, :3] >= lo).all() and (inside[:, :3] <= hi).all() and (np.abs(inside[:, 3]) <= 1).all()
    if kind != "stepped":
        free = samples(figure())[:, 3:6].reshape(60, 200, 3)
        assert ((free < lo - 1e-3) | (free > hi + 1e-3)).any(axis=(1, 2)).mean() > 0.3, "else this shows nothing"


@pytest.mark.parametrize("name", EASES)
def test_an_ease_is_timing_on_the_same_path(name):
    frames, poses = balls(2, 4)
    ease = EASES[name]
    plain, timed = (through(frames, poses, ease=e) for e in (None, ease))
    a, b = frames[1], frames[2]
    u = np.linspace(0, 1, 41)
    travel = u if ease is None else eased(u, np.array(ease.numbers))
    inside = (travel >= 0) & (travel <= 1)
    assert np.allclose(
        timed.poses_at_frames(a + u * (b - a))[inside], plain.poses_at_frames(a + travel[inside] * (b - a)), atol=1e-9
    )
    # Beyond the keys the path is its own reflection.
    for k, key, back in ((travel < 0, 1, a - travel * (b - a)), (travel > 1, 2, a + (2 - travel) * (b - a))):
        mirrored = 2 * poses[key] - plain.poses_at_frames(back[k])
        assert np.allclose(timed.poses_at_frames((a + u * (b - a))[k]), mirrored, atol=1e-9)


@pytest.mark.parametrize("kind", SMOOTH)
def test_a_round_has_one_speed_at_its_seam(kind):
    poses = balls(4, 6)[1]
    last = poses[0].copy()
    last[:3] += (0.4, 0.0, 1.0)
    even = kind == "catmull_rom"  # has its own tangents for each span's length
    s = through([0, 6, 12, 18] if even else [0, 6, 10, 18], [*poses[:3], last], loop=True, interp=kind)
    e = 1e-6
    after, before = s.poses_at_frames([0, e]), s.poses_at_frames([18 - e, 18])
    assert np.allclose(np.diff(after, axis=0) / e, np.diff(before, axis=0) / e, atol=2e-4)


# -- keys that hold some channels ----------------------------------------------------------------------------------


def test_each_channel_has_its_own_row_of_keys():
    skeleton = figure()
    rng = np.random.default_rng(6)
    rows = {"": [0, 8, 30], "ball": [3, 8, 20, 41], "knee": [8]}
    keys, alone = [], {name: [] for name in rows}
    for frame in sorted({f for row in rows.values() for f in row}):
        q = pose(rng.normal(size=3), rng.uniform(-0.8, 0.8, 3), rng.normal())
        keys.append(Key(frame, q, keyed=[name for name, row in rows.items() if frame in row]))
        for name, row in rows.items():
            if frame in row:
                alone[name].append(Key(frame, q))
    s = Sequence(skeleton, keys=keys)
    at = np.linspace(-2, 45, 300)
    q = s.poses_at_frames(at)
    channels = channels_of(skeleton)
    for name in rows:
        columns = channels.columns[channels.index(name)]
        assert np.array_equal(q[:, columns], Sequence(skeleton, keys=alone[name]).poses_at_frames(at)[:, columns])
    resting = Sequence(skeleton, keys=[Key(5, q[0] + 1, keyed=["knee"])])
    assert resting.pose_at_frame(7).tolist() == [0, 0, 0, 0, 0, 0, q[0, -1] + 1]


def test_a_channel_may_go_its_own_way():
    frames, poses = balls(1, 5)
    own = {"ball": Shape("stepped"), "knee": Shape("linear")}
    s = Sequence(figure(), keys=[Key(f, q, shapes=own) for f, q in zip(frames, poses, strict=True)])
    at = asked(frames)
    q = s.poses_at_frames(at)
    assert np.array_equal(q[:, :3], through(frames, poses).poses_at_frames(at)[:, :3])
    assert np.array_equal(q[:, 3:6], through(frames, poses, interp="stepped").poses_at_frames(at)[:, 3:6])
    assert np.array_equal(q[:, 6], through(frames, poses, interp="linear").poses_at_frames(at)[:, 6])

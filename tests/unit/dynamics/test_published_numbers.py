"""Numbers that other programs and textbooks give for small models. Sources are named test by test."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
import scipy

from core.dynamics import Body, Multibody
from core.joints import Fixed, Free, JointModel, Prismatic, Revolute
from core.spatial import SpatialInertia, se3, so3

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
NOTHING = SpatialInertia.zero()


def link(
    parent: int | str,
    joint: JointModel,
    at: Sequence[float] = (0.0, 0.0, 0.0),
    center: Sequence[float] = (0.0, 0.0, 0.0),
    inertia: Sequence[float] = (1.0, 1.0, 1.0),
    mass: float = 1.0,
    name: str = "",
) -> Body:
    """A body whose frame is its joint's frame."""
    body = SpatialInertia(mass, np.array(center), np.diag(inertia)) if mass else NOTHING
    return Body(name or f"{parent}.{joint}", parent, joint, se3.transform(None, at), inertia=body)


def chain(*links: Body) -> Multibody:
    return Multibody(
        [
            Body(str(i), i - 1, body.joint, body.X_PJ, body.X_JB, body.inertia)  # one hangs on the one before it
            for i, body in enumerate(links)
        ]
    )


# -- RBDL ------------------------------------------------------------------------------------------------------------

ARM = link(-1, Revolute(Z), center=X)
NEXT = link(0, Revolute(Z), at=X, center=X)


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        (chain(ARM), [-4.905]),
        (chain(link(-1, Revolute(Z), center=(1.5, 1, 1), inertia=(1, 2, 3))), [-2.3544]),
        (chain(ARM, NEXT), [-5.886, 3.924]),
        (chain(ARM, NEXT, NEXT), [-6.03692307692308, 3.77307692307692, 1.50923076923077]),
        (chain(ARM, link(0, Revolute(Y), at=X, center=Y)), [-3.924, 0.0]),
    ],
    ids=["one", "one off centre", "two", "three", "two axes"],
)
def test_rbdl_chains_fall(model: Multibody, expected: list[float]) -> None:
    zero = np.zeros(model.nv)
    assert model.forward_dynamics(zero, zero) == pytest.approx(expected, rel=1e-13, abs=1e-13)


def test_featherstone_three_hinges_at_one_point() -> None:
    wrist = (link(-1, Revolute(axis), mass=0) for axis in (Z, Y))
    model = chain(*wrist, link(-1, Revolute(X), center=(0, 0.5, 0)))
    found = model.forward_dynamics([1, 0, 0], np.zeros(3))
    assert found == pytest.approx([3.301932144386186, 0, 0], rel=1e-13, abs=1e-13)


def floating_base(center: Sequence[float], *more: Body) -> Multibody:
    """Three slides and then hinges z, y and x, all without mass but the last."""
    slides = (link(-1, Prismatic(axis), mass=0) for axis in (X, Y, Z))
    turns = (link(-1, Revolute(axis), mass=0) for axis in (Z, Y))
    return chain(*slides, *turns, link(-1, Revolute(X), center=center), *more)


def test_rbdl_floating_base_with_an_arm() -> None:
    model = floating_base(X, link(0, Revolute(Z), at=(2, 0, 0), center=X))
    for turned in (0.0, 0.8):
        x = [0, 0, 0, turned, 0, 0, 0]
        fall = model.forward_dynamics(x, np.zeros(7))
        assert fall == pytest.approx([0, -9.81, 0, 0, 0, 0, 0], abs=1e-13)
    driven = model.forward_dynamics(np.zeros(7), np.zeros(7), [0, 0, 0, 0, 0, 0, 1])
    assert driven == pytest.approx([0, -8.81, 0, -1, 0, 0, 2], abs=1e-13)


def test_rbdl_planar_figure_with_two_legs() -> None:
    bodies = [link(-1, Prismatic(X), mass=0), link(0, Prismatic(Y), mass=0), link(1, Revolute(Z), name="hip")]
    for side in ("right", "left"):
        thigh, shin = f"{side} thigh", f"{side} shin"
        bodies.append(link("hip", Revolute(Z), center=(0, -0.25, 0), name=thigh))
        bodies.append(link(thigh, Revolute(Z), at=(0, -0.5, 0), center=(0, -0.25, 0), name=shin))
        bodies.append(link(shin, Revolute(Z), at=(0, -0.5, 0), center=(0.15, -0.1, 0), name=f"{side} foot"))
    found = Multibody(bodies).forward_dynamics([0.8] + [0] * 8, np.zeros(9), [0] * 3 + [0.1] * 6)
    leg = [0.198972, -0.00130243, 0.100141]
    assert found == pytest.approx([-0.00192794, -9.81419, -0.2, *leg, *leg], rel=4e-6)


def point_motion(
    model: Multibody, x: np.ndarray, v: np.ndarray, vdot: np.ndarray, point: Sequence[float]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """World position, velocity and acceleration of a point of the last body."""
    pose = model.body_poses(x)[-1]
    w, u = np.split(model.body_twists(x, v)[-1], 2)
    rate = model.jacobian_product(x, vdot)[-1] + model.jacobian_rate_product(x, v)[-1]
    velocity = u + np.cross(w, point)
    acceleration = rate[3:] + np.cross(rate[:3], point) + np.cross(w, velocity)
    R = pose[:3, :3]
    return R @ point + pose[:3, 3], R @ velocity, R @ acceleration


def test_humans_point_of_a_floating_base() -> None:
    model = floating_base(Y)
    q = np.array([0.1, 1.1, 1.2, 1.3, 1.5, 1.7])
    zero = np.zeros(6)
    far = (-1.9, -1.8, 0.0)
    _, velocity, _ = point_motion(model, q, q, zero, X)
    assert velocity == pytest.approx([-0.3888503432977729, -0.3171179347202455, 1.093894197498446], abs=1e-14)
    position, velocity, acceleration = point_motion(model, q, q, zero, far)
    assert position == pytest.approx([-0.6357089363622626, -0.6831041744630977, 2.968974805916970], abs=1e-14)
    assert velocity == pytest.approx([0.3091226260907569, 3.891012095550828, 4.100277995030419], abs=1e-14)
    assert acceleration == pytest.approx([-5.302760158847160, 6.541369639625232, -4.795115077652286], abs=1e-13)
    _, _, acceleration = point_motion(model, q, q, q, far)
    assert acceleration == pytest.approx([-4.993637532756404, 10.43238173517606, -0.6948370826218673], abs=1e-13)
    _, _, acceleration = point_motion(model, zero, zero, q, far)
    assert acceleration == pytest.approx([2.44, -1.37, 0.99], abs=1e-14)


# -- GEAR ------------------------------------------------------------------------------------------------------------

TWO_LINKS = [
    ((0.0, 0.0), (0.0, 0.0)),
    ((0.3, 0.5), (0.05, -0.02)),
]
MASSES = [
    (0.24041666666666664, 0.07520833333333332, 0.030208333333333334),
    (0.22939909723680016, 0.0696995486184001, 0.030208333333333334),
]
FORWARD = [(34.312756356561884, -30.094517549785074), (36.68210714020235, -44.07976792096996)]
INVERSE = [(-5.495166666666666, -1.335875), (-4.873704140936961, -0.8950337721461941)]
HYBRID = [(24.27279029462738, 0.4144327700751005), (22.681446007622213, 0.616153227979287)]


@pytest.mark.parametrize("row", [0, 1])
def test_gear_two_links(row: int) -> None:
    box = SpatialInertia.box(1.0, (0.3, 0.05, 0.05))
    middle = se3.transform(None, (0.15, 0, 0))
    end = se3.transform(None, (0.3, 0, 0))
    bodies = [
        Body("link 1", -1, Revolute(Y), X_JB=middle, inertia=box),
        Body("link 2", "link 1", Revolute(Y), X_PJ=end, X_JB=middle, inertia=box),
    ]
    model = Multibody(bodies, gravity=(0, 0, -9.81))
    q, v = TWO_LINKS[row]
    M = model.mass_matrix(q)
    assert (M[0, 0], M[0, 1], M[1, 1]) == pytest.approx(MASSES[row], rel=1e-13)
    assert model.forward_dynamics(q, v, (0.1, 0.2)) == pytest.approx(FORWARD[row], rel=1e-12)
    assert model.inverse_dynamics(q, v, (1.0, 2.0)) == pytest.approx(INVERSE[row], rel=1e-13)
    for second in ([1], ["link 2"], [False, True]):
        vdot, tau = model.hybrid_dynamics(q, v, (0.1, 9.0), (9.0, 2.0), second)
        assert vdot == pytest.approx((HYBRID[row][0], 2.0), rel=1e-13)
        assert tau == pytest.approx((0.1, HYBRID[row][1]), rel=1e-12)


# -- Drake -----------------------------------------------------------------------------------------------------------


def test_drake_acrobot_in_closed_form() -> None:
    m1 = m2 = l1 = 1.0
    lc1 = lc2 = 0.5
    g = 9.81
    I1, I2 = 0.083 + m1 * lc1**2, 0.33 + m2 * lc2**2
    p = m2 * l1 * lc2
    upper = link(-1, Revolute(Y), center=(0, 0, -lc1), inertia=(0.083,) * 3, mass=m1, name="upper")
    lower = link(0, Revolute(Y), at=(0, 0, -l1), center=(0, 0, -lc2), inertia=(0.33,) * 3, mass=m2, name="lower")
    model = Multibody([upper, lower], gravity=(0, 0, -g))
    for q, w in (((0.3, -1.1), (0.4, 2.0)), ((2.7, 1.9), (-1.3, 0.2))):
        s1, s2, s12 = math.sin(q[0]), math.sin(q[1]), math.sin(q[0] + q[1])
        c2 = math.cos(q[1])
        M = [[I1 + I2 + m2 * l1**2 + 2 * p * c2, I2 + p * c2], [I2 + p * c2, I2]]
        coriolis = [-2 * p * s2 * w[1] * w[0] - p * s2 * w[1] ** 2, p * s2 * w[0] ** 2]
        gravity = [g * m1 * lc1 * s1 + g * m2 * (l1 * s1 + lc2 * s12), g * m2 * lc2 * s12]
        assert model.mass_matrix(q) == pytest.approx(np.array(M), rel=1e-14)
        assert model.bias(q, w) == pytest.approx(np.add(coriolis, gravity), rel=1e-13)
        height = -m1 * lc1 * math.cos(q[0]) - m2 * (l1 * math.cos(q[0]) + lc2 * math.cos(q[0] + q[1]))
        kinetic, potential = model.energy(q, w)
        assert kinetic == pytest.approx(0.5 * np.array(w) @ M @ w, rel=1e-14)
        assert potential == pytest.approx(g * height, rel=1e-14)


@pytest.fixture(scope="module")
def kuka(data_folder: Path) -> Multibody:
    robot = ElementTree.parse(data_folder / "models" / "drake_kuka_iiwa_robot.urdf").getroot()
    links = {element.get("name"): element for element in robot.findall("link")}

    def triple(element: ElementTree.Element | None, name: str) -> np.ndarray:
        assert element is not None
        return np.array([float(word) for word in element.attrib[name].split()])

    def inertia(of: ElementTree.Element) -> SpatialInertia:
        part = of.find("inertial")
        if part is None:
            return NOTHING
        mass, moments = part.find("mass"), part.find("inertia")
        assert mass is not None and moments is not None
        diagonal = [float(moments.attrib[name]) for name in ("ixx", "iyy", "izz")]
        return SpatialInertia(float(mass.attrib["value"]), triple(part.find("origin"), "xyz"), np.diag(diagonal))

    bodies = [Body("base", -1, Fixed())]
    for element in robot.findall("joint"):
        parent, child = (element.find(word) for word in ("parent", "child"))
        assert parent is not None and child is not None
        origin = element.find("origin")
        rotation = so3.from_euler("zyx", triple(origin, "rpy")[::-1])
        joint = Fixed() if element.get("type") == "fixed" else Revolute(triple(element.find("axis"), "xyz"))
        pose = se3.transform(rotation, triple(origin, "xyz"))
        name = child.attrib["link"]
        bodies.append(Body(name, parent.attrib["link"], joint, pose, inertia=inertia(links[name])))
    return Multibody(bodies, gravity=(0, 0, -9.81))


def test_drake_kuka_stands_where_it_should(kuka: Multibody) -> None:
    hand = kuka.body_poses(np.zeros(7))[-1]
    assert hand == pytest.approx(se3.transform(None, (0, 0, 1.261)), abs=1e-15)
    hand = kuka.body_poses(np.radians([60, 30, 60, 30, 60, 30, 60]))[-1]
    assert hand[:3, :3] == pytest.approx(
        np.array(
            [
                [-0.5939002959880204, 0.8043869080239565, -0.015625],
                [-0.8043869080239565, -0.5932991120359317, 0.03094940802395521],
                [0.015625, 0.03094940802395527, 0.9993988160479114],
            ]
        ),
        abs=1e-14,
    )
    assert hand[:3, 3] == pytest.approx([0.2970356451892219, 0.1727696964662288, 1.154681973689345], abs=1e-14)


def test_drake_kuka_inverse_dynamics(kuka: Multibody) -> None:
    zero = np.zeros(7)
    fast = np.array([0, 0, 0, 0, 0, 0, 1000.0])
    found = kuka.inverse_dynamics(zero, zero, fast)
    g, second, fifth = 9.81, 6.35, 3.5
    tilt = 0.0001 * fifth * g
    assert found == pytest.approx([1, 0.0003 * second * g + tilt, 1, -tilt, 1, 0, 1], abs=1e-12)
    without = found - kuka.bias(zero, zero)
    assert without == pytest.approx([1, 0, 1, 0, 1, 0, 1], abs=1e-12)


def test_kane_free_symmetric_body() -> None:
    I, J = 0.04, 0.02  # noqa: E741 - the textbook's names
    model = Multibody(
        [Body("top", -1, Free(), inertia=SpatialInertia(1.0, np.zeros(3), np.diag((I, I, J))))], (0, 0, -9.81)
    )
    w0, p0, v0 = np.array([2.0, 4.0, 6.0]), np.array([1.0, 2.0, 3.0]), np.array([-4.2, 5.5, 6.1])
    start = np.concatenate([p0, np.zeros(3), v0, w0])

    def rate(_: float, state: np.ndarray) -> np.ndarray:
        return np.concatenate([state[6:], model.forward_dynamics(state[:6], state[6:])])

    end = 0.3
    state = scipy.integrate.solve_ivp(rate, (0, end), start, "DOP853", rtol=1e-12, atol=1e-12).y[:, -1]
    s = (1 - J / I) * w0[2]
    c, sine = math.cos(s * end), math.sin(s * end)
    turning = [w0[0] * c + w0[1] * sine, -w0[0] * sine + w0[1] * c, w0[2]]
    assert model.body_twists(state[:6], state[6:])[0, :3] == pytest.approx(turning, abs=1e-10)
    assert state[:3] == pytest.approx(p0 + v0 * end + 0.5 * end**2 * np.array([0, 0, -9.81]), abs=1e-10)
    before, after = model.momentum(start[:6], start[6:]), model.momentum(state[:6], state[6:])
    spin = [after[:3] - np.cross(state[:3], after[3:]), before[:3] - np.cross(p0, before[3:])]
    assert spin[0] == pytest.approx(spin[1], abs=1e-11)

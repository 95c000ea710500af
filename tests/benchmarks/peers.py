"""The same figures and goals in other libraries, in the same process; one that is not installed says so.

Each is set up as its own examples do, and where another setting does better, as it does best: the step and damping
that reach most goals in the least time. They are Python loops around compiled libraries, which is how they are used.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np

from core.kinematics import forward_kinematics
from core.skeleton import Skeleton

MOST_STEPS = 200
LARGEST_STEP = 0.5
EXAMPLE_STEPS, EXAMPLE_STEP = 1000, 0.1
EXAMPLE = "Pinocchio's example"
WIDE = 1e6
"""Stands for a limit that is infinite."""

Reach = Callable[[np.ndarray, np.ndarray, float], tuple[np.ndarray, bool]]
"""``reach(q, target, tolerance) -> (q, whether it got there)``, of a joint and point chosen before."""


class Pinocchio:
    """A figure in Pinocchio. A free-flying base is left out: the root stands still in both."""

    def __init__(self, skeleton: Skeleton):
        import pinocchio as pin

        self.pin = pin
        self.model = pin.Model()
        self.last: list[int] = []
        self.after: list[Any] = []
        for i, joint in enumerate(skeleton.joints):
            parent = self.last[joint.parent] if joint.parent >= 0 else 0
            place = self.after[joint.parent] if joint.parent >= 0 else pin.SE3.Identity()
            place = place * pin.SE3(np.array(joint.rotation), np.array(joint.offset))
            for k, dof in enumerate(joint.dofs):
                kind = pin.JointModelRevoluteUnaligned if dof.kind == "hinge" else pin.JointModelPrismaticUnaligned
                low, high = (np.array([max(min(limit, WIDE), -WIDE)]) for limit in (dof.lo, dof.hi))
                parent = self.model.addJoint(
                    parent, kind(np.array(dof.axis)), place, f"{i}.{k}", np.array([1e9]), np.array([1e9]), low, high
                )
                place = pin.SE3.Identity()
            self.last.append(parent)
            self.after.append(place)
        self.data = self.model.createData()

    def frames(self, q: np.ndarray) -> np.ndarray:
        """World frames of all joints as ``forward_kinematics`` gives them, shape (n, 4, 4)."""
        self.pin.forwardKinematics(self.model, self.data, q[3:])
        return np.array([(self.data.oMi[k] * own).homogeneous for k, own in zip(self.last, self.after, strict=True)])

    def many(self, poses: np.ndarray) -> None:
        """The bare algorithm, nothing read back."""
        for q in poses[:, 3:]:
            self.pin.forwardKinematics(self.model, self.data, q)

    def closed_loop(
        self, q: np.ndarray, joint: int, point: np.ndarray, target: np.ndarray, columns: np.ndarray, tolerance: float
    ) -> tuple[np.ndarray, bool]:
        """Closed-loop inverse kinematics at its best: damped pseudoinverse, whole steps up to 0.5 rad, clamped."""
        pin, model, data = self.pin, self.model, self.data
        q = q[3:].copy()
        own = self.after[joint].act(point)
        frame = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
        low, high = model.lowerPositionLimit, model.upperPositionLimit
        damping = 1e-6 * np.eye(3)
        for _ in range(MOST_STEPS):
            pin.computeJointJacobians(model, data, q)
            oMi = data.oMi[self.last[joint]]
            e = target - oMi.act(own)
            if float(e @ e) <= tolerance * tolerance:
                return q, True
            J = pin.getJointJacobian(model, data, self.last[joint], frame)
            J = J[:3, columns] - pin.skew(oMi.rotation @ own) @ J[3:, columns]
            step = J.T @ np.linalg.solve(J @ J.T + damping, e)
            largest = np.abs(step).max()
            q[columns] += step * min(1.0, LARGEST_STEP / largest)
            np.clip(q, low, high, out=q)
        return q, False

    def example(
        self, q: np.ndarray, joint: int, point: np.ndarray, target: np.ndarray, tolerance: float
    ) -> tuple[np.ndarray, bool]:
        """The loop of its documentation: a tenth of a step of the pseudoinverse, again and again, limits unheeded."""
        pin, model, data = self.pin, self.model, self.data
        q = q[3:].copy()
        own = self.after[joint].act(point)
        damping = 1e-12 * np.eye(3)
        for _ in range(EXAMPLE_STEPS):
            pin.forwardKinematics(model, data, q)
            oMi = data.oMi[self.last[joint]]
            e = oMi.rotation.T @ (target - oMi.act(own))
            if float(e @ e) <= tolerance * tolerance:
                return q, True
            J = pin.computeJointJacobian(model, data, q, self.last[joint])
            J = J[:3] - pin.skew(own) @ J[3:]
            step = J.T @ np.linalg.solve(J @ J.T + damping, e)
            q = pin.integrate(model, q, EXAMPLE_STEP * step)
        return q, False

    def reacher(self, joint: int, point: np.ndarray) -> Reach:
        """Return its closed loop for a joint and point."""
        columns = np.arange(self.model.nv)
        return lambda q, target, tolerance: self.closed_loop(q, joint, point, target, columns, tolerance)

    def example_reacher(self, joint: int, point: np.ndarray) -> Reach:
        """Return the loop of its documentation for a joint and point."""
        return lambda q, target, tolerance: self.example(q, joint, point, target, tolerance)


def mujoco_figure(skeleton: Skeleton, free_root: bool = False) -> tuple[Any, list[Any]]:
    """Return a MuJoCo specification of a figure without scales, made in memory, and its bodies, one a joint.

    Args:
        skeleton: The figure.
        free_root: Whether three slides in front of the root's joints are the root translation.
    """
    import mujoco

    spec = mujoco.MjSpec()
    spec.compiler.degree = False
    bodies: list[Any] = []
    for i, own in enumerate(skeleton.joints):
        parent = bodies[own.parent] if own.parent >= 0 else spec.worldbody
        quaternion = np.zeros(4)
        mujoco.mju_mat2Quat(quaternion, np.ascontiguousarray(own.rotation).ravel())
        body = parent.add_body(name=f"{i}", pos=np.array(own.offset), quat=quaternion)
        body.mass, body.inertia, body.explicitinertial = 1.0, np.ones(3), True
        if free_root and own.parent < 0:
            for k in range(3):
                body.add_joint(name=f"root.{k}", type=mujoco.mjtJoint.mjJNT_SLIDE, axis=np.eye(3)[k], limited=0)
        for k, dof in enumerate(own.dofs):
            kind = mujoco.mjtJoint.mjJNT_HINGE if dof.kind == "hinge" else mujoco.mjtJoint.mjJNT_SLIDE
            limited = np.isfinite([dof.lo, dof.hi]).any()
            ends = np.clip([dof.lo, dof.hi], -WIDE, WIDE)
            body.add_joint(name=f"{i}.{k}", type=kind, axis=np.array(dof.axis), limited=int(limited), range=ends)
        bodies.append(body)
    return spec, bodies


class Mink:
    """A figure without scales in mink, on a MuJoCo model made in memory."""

    def __init__(self, skeleton: Skeleton, joint: int, point: np.ndarray):
        import mink

        self.mink = mink
        spec, bodies = mujoco_figure(skeleton)
        bodies[joint].add_site(name="tip", pos=np.array(point))
        self.model = spec.compile()
        self.configuration = mink.Configuration(self.model)
        self.task = mink.FrameTask("tip", "site", position_cost=1.0, orientation_cost=0.0)
        self.limits = [mink.ConfigurationLimit(self.model)]
        self.site = self.model.site("tip").id

    def tip(self, q: np.ndarray) -> np.ndarray:
        """Where the point is, shape (3,), [m]."""
        self.configuration.update(q[3:])
        return np.array(self.configuration.data.site_xpos[self.site])

    def reach(self, q: np.ndarray, target: np.ndarray, tolerance: float) -> tuple[np.ndarray, bool]:
        """Solve its quadratic programme and integrate, whole steps up to 0.5 rad, until the point is there."""
        mink, configuration = self.mink, self.configuration
        configuration.update(q[3:])
        data = configuration.data
        for _ in range(MOST_STEPS):
            e = target - data.site_xpos[self.site]
            if float(e @ e) <= tolerance * tolerance:
                return configuration.q.copy(), True
            # Its error is a screw: with the orientation as it is, it is the way to go and nothing else.
            now = mink.SO3.from_matrix(data.site_xmat[self.site].reshape(3, 3))
            self.task.set_target(mink.SE3.from_rotation_and_translation(now, target))
            step = mink.solve_ik(configuration, [self.task], 1.0, "daqp", damping=1e-6, limits=self.limits)
            largest = np.abs(step).max()
            configuration.integrate_inplace(step * min(1.0, LARGEST_STEP / largest) if largest else step, 1.0)
        return configuration.q.copy(), False


def agree(skeleton: Skeleton, joint: int, point: np.ndarray, place: Callable[[np.ndarray], np.ndarray]) -> None:
    """Make sure that a library has the same figure: that it puts the point where we do.

    Raises:
        ValueError: If they differ by more than a nanometre in any of twenty poses.
    """
    rng = np.random.default_rng(5)
    for _ in range(20):
        q = np.zeros(skeleton.nq)
        q[3:] = np.clip(rng.uniform(-2.0, 2.0, skeleton.n_dofs), *skeleton.limits.T)
        ours = (forward_kinematics(skeleton, q)[joint] @ np.append(point, 1.0))[:3]
        off = float(np.abs(place(q) - ours).max())
        if off > 1e-9:
            raise ValueError(f"it puts the point {off:.3g} m from where we do, in pose {q[3:].round(3).tolist()}")


def reachers(skeleton: Skeleton, joint: int, point: np.ndarray) -> dict[str, Reach | str]:
    """Return what reaches goals with a point of a joint, by name; in place of what is missing, why.

    Args:
        skeleton: A figure without scales.
        joint: Index of the joint.
        point: Point in its frame, shape (3,), [m].

    Raises:
        ValueError: If a library makes another figure of it.
    """

    def pinocchio() -> Pinocchio:
        peer = Pinocchio(skeleton)
        agree(skeleton, joint, point, lambda q: (peer.frames(q)[joint] @ np.append(point, 1.0))[:3])
        return peer

    def mink() -> Mink:
        peer = Mink(skeleton, joint, point)
        agree(skeleton, joint, point, peer.tip)
        return peer

    makers: dict[str, tuple[str, Callable[[], Reach]]] = {
        "Pinocchio": ("pinocchio", lambda: pinocchio().reacher(joint, point)),
        EXAMPLE: ("pinocchio", lambda: pinocchio().example_reacher(joint, point)),
        "mink": ("mink", lambda: mink().reach),
    }
    found: dict[str, Reach | str] = {}
    for name, (module, make) in makers.items():
        try:
            importlib.import_module(module)
            found[name] = make()
        except ImportError as error:
            found[name] = f"not installed ({error})"
    return found

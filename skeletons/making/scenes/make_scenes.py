"""Makes the scenes in ``scenes/``: figures and worlds in which pressing Simulate shows something.

Run ``python -m skeletons.making.scenes.make_scenes [FOLDER]`` from the repository's root. A scene is a project: its
figures, the keys it begins with, hybrid strips and locks, and its world as the file's ``physics``.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.animation import LockStrip, Sequence
from core.animation.hybrid_strips import HybridStrip
from core.constraints import Lock
from core.dynamics.contact.obstacles import BoxObstacle, Stairs
from core.formats import FigureRecord, Project, bundled_folder, save
from core.kinematics import forward_kinematics
from core.preview.rigid_bodies import PhysicsString
from core.preview.settings import PhysicsSettings
from core.skeleton import Dof, Joint, Skeleton, load_skeleton

Array = NDArray[np.float64]

FPS = 30
FOLDER = bundled_folder()
AXES = {"x": np.array([1.0, 0.0, 0.0]), "y": np.array([0.0, 1.0, 0.0]), "z": np.array([0.0, 0.0, 1.0])}
SIDES = ("right", "left")


@dataclass(frozen=True)
class SceneFile:
    """A scene.

    Attributes:
        sequences: The motion of each figure; the first is the one that is simulated.
        physics: World and settings.
        records: Records of bundled figures, by the figure's name.
        view: Middle of all that moves, [m], half of what front, side and top show of it and the distance of the
            perspective view, [m]; None for views that the editor fits to the keys.
    """

    sequences: tuple[Sequence, ...]
    physics: PhysicsSettings
    records: Mapping[str, FigureRecord] = field(default_factory=dict)
    view: tuple[tuple[float, float, float], float, float] | None = None


def bundled(name: str) -> tuple[Skeleton, FigureRecord]:
    """Return a bundled figure and its record for files."""
    source = FOLDER / f"{name}.scr"
    skeleton = load_skeleton(source)
    return skeleton, FigureRecord(skeleton.name, source.read_text(encoding="utf-8"), f"skeletons:{name}.scr")


def posed(s: Skeleton, angles: Mapping[str, float], root: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> Array:
    """Return the rest pose with some angles changed and the root moved.

    Args:
        s: The figure.
        angles: By label, with the side where joints come in pairs: ``"right Elbow flex"``; [deg].
        root: Added to the root's place, [m].
    """
    index: dict[str, int] = {}
    for k, label in enumerate(s.dof_labels):
        side, name = s.joints[s.dof_joints[k]].name.split()[0], label.lower()
        index[f"{side} {name}" if side in SIDES and not name.startswith(side) else name] = 3 + k
    q = s.rest_pose()
    q[:3] += root
    for label, value in angles.items():
        q[index[label.lower()]] = np.radians(value)
    return np.round(q, 6)


def both(**angles: float) -> dict[str, float]:
    """Return angles of both sides, spaces of their labels as underscores, [deg]."""
    return {f"{side} {name.replace('_', ' ')}": value for side in SIDES for name, value in angles.items()}


def sequence(s: Skeleton, name: str, keys: Mapping[int, Array], last: int, strip: HybridStrip | None) -> Sequence:
    """Return a sequence of a scene that plays up to a frame."""
    made = Sequence(s, fps=FPS, name=name, last=last, menu="Scenes")
    for frame, q in keys.items():
        made.set_key(frame, q, "spline")
    if strip is not None:
        made.hybrid_strips = (strip,)
    return made


def falling(start: int) -> HybridStrip:
    """Return the strip of a whole figure that forces move from a frame on."""
    return HybridStrip((), start, id="all")


# -- the scenes --------------------------------------------------------------------------------------------------------


def ragdoll() -> SceneFile:
    """A man trips and falls limp."""
    s, record = bundled("human")
    arms = both(Elbow_flex=20.0, Shoulder_out=6.0)
    stand = posed(s, arms)
    trip = posed(
        s,
        {
            **both(Elbow_flex=45.0, Shoulder_flex=35.0, Shoulder_out=18.0),
            "Pelvis bend": 12.0, "Pelvis turn": -8.0, "Waist bend": 10.0, "Chest bend": 8.0,
            "right Hip flex": 24.0, "right Knee flex": 40.0, "right Ankle flex": -6.0,
            "left Hip flex": -6.0, "left Knee flex": 14.0, "left Ankle flex": 12.0,
        },
        (-0.03, -0.03, 0.20),
    )  # fmt: skip
    return SceneFile(
        (sequence(s, "Ragdoll", {0: stand, 8: trip}, 120, falling(8)),), PhysicsSettings(), {s.name: record}
    )


def stairs() -> SceneFile:
    """A man misses the top step and falls down the stairs."""
    s, record = bundled("human")
    steps, rise, tread = 7, 0.17, 0.29
    top = steps * rise
    flight = Stairs(
        steps, rise, tread, 1.6, position=(0.0, 0.0, steps * tread), rotation=(0.0, np.pi, 0.0), name="stairs"
    )
    landing = BoxObstacle(np.array([1.6, top, 1.4]), position=(0.0, 0.5 * top, -0.7), name="landing")
    stand = posed(s, both(Elbow_flex=20.0, Shoulder_out=6.0), (0.0, top, -0.30))
    step = posed(
        s,
        {
            **both(Elbow_flex=35.0, Shoulder_flex=20.0, Shoulder_out=16.0),
            "Pelvis bend": 10.0, "Waist bend": 6.0, "Pelvis turn": 10.0,
            "right Hip flex": 46.0, "right Knee flex": 42.0,
            "left Hip flex": -10.0, "left Knee flex": 20.0, "left Ankle flex": 14.0,
        },
        (0.0, top - 0.02, 0.10),
    )  # fmt: skip
    return SceneFile(
        (sequence(s, "Stairs fall", {0: stand, 12: step}, 150, falling(12)),),
        PhysicsSettings(obstacles=(flight, landing)),
        {s.name: record},
    )


def marionette() -> SceneFile:
    """A puppet dances on its strings and comes to rest in them."""
    s, record = bundled("stickman")
    start = posed(
        s,
        {
            "right arm lift": -70.0, "left arm lift": 70.0, "right arm swing": -20.0, "left arm swing": -30.0,
            "right leg swing": -35.0, "left leg swing": -10.0, "turn": 15.0,
        },
        (0.0, 0.35, 0.0),
    )  # fmt: skip
    swung = start.copy()
    swung[0] += 0.06
    swung[3] += 0.15
    frames = forward_kinematics(s, start)
    ties = {
        "head": ("head", (0.0, 0.25, 0.0), 0.0),
        "right shoulder": ("torso", (-0.15, 0.38, 0.0), 0.0),
        "left shoulder": ("torso", (0.15, 0.38, 0.0), 0.0),
        "right hand": ("right hand", (0.0, -0.05, 0.0), 0.04),
        "left hand": ("left hand", (0.0, -0.05, 0.0), 0.02),
        "right knee": ("right leg", (0.0, -0.42, 0.05), 0.0),
        "left knee": ("left leg", (0.0, -0.42, 0.05), 0.05),
    }
    strings = []
    for name, (part, point, slack) in ties.items():
        X = frames[s.joint_index(part)]
        here = X[:3, :3] @ point + X[:3, 3]
        anchor = np.array([0.8 * here[0], 2.9, 0.8 * here[2]])
        length = round(float(np.linalg.norm(anchor - here)) + slack + 5e-5, 4)
        strings.append(
            PhysicsString(
                part, np.round(anchor, 4), round(length + 5e-5, 4), np.array(point), name=f"string of the {name}"
            )
        )
    return SceneFile(
        (sequence(s, "Marionette", {0: start, 4: swung}, 180, falling(2)),),
        PhysicsSettings(strings=tuple(strings)),
        {s.name: record},
    )


def swing() -> SceneFile:
    """A man hangs on a bar by his hands and swings."""
    s, record = bundled("human")
    hang = posed(s, both(Shoulder_flex=174.0, Collar_raise=18.0, Knee_flex=14.0, Hip_flex=4.0))
    grip = np.array([0.0, -0.08, 0.02])
    bar = np.array([0.0, 2.75, 0.0])
    tilt = np.radians(52.0)
    turned = hang.copy()
    turned[4] += tilt
    hands = [forward_kinematics(s, turned)[s.joint_index(f"{side} hand")] for side in SIDES]
    middle = 0.5 * sum(X[:3, :3] @ grip + X[:3, 3] for X in hands)
    turned[:3] = np.round(turned[:3] + (bar - middle), 6)
    made = sequence(s, "Swing", {0: np.round(turned, 6)}, 180, falling(0))
    frames = forward_kinematics(s, made.pose_at_frame(0))
    strips = []
    for side in SIDES:
        X = frames[s.joint_index(f"{side} hand")]
        lock = Lock(f"{side} hand", "position", point=grip, target=X[:3, :3] @ grip + X[:3, 3])
        strips.append(LockStrip(lock, 0, id=f"{side}-hand", name=f"{side} hand on the bar"))
    made.locks.strips = tuple(strips)
    return SceneFile((made,), PhysicsSettings(), {s.name: record})


def three_bodies() -> SceneFile:
    """Hakenberg's skeleton: boxes of 6.4, 2.4 and 2.3 kg, a hinge and a ball, where nothing pulls.

    Energy and both momenta stay what they are. All numbers are in the file.
    """
    s, record = bundled("mechanisms/three bodies")
    # The place of the first body, and then turn, lean and tilt, which are its angular velocity about y, x and z; those
    # of the others are against their parents. The centre of mass of all goes across the view at 0.25 m/s.
    rates = (0.194505, -0.177676, 0.544586, 1.1, 0.6, -0.8, 2.2, 2.0, -1.5, 0.9)
    return SceneFile(
        (sequence(s, "Three bodies", {0: s.rest_pose()}, 120, falling(0)),),
        PhysicsSettings(gravity=0.0, floor=None, start_rates=rates),
        {s.name: record},
        ((0.7, 0.64, 0.34), 1.0, 4.0),  # no key says where they fly in the four seconds of the sequence
    )


def chain(links: int = 10, length: float = 0.09) -> Skeleton:
    """Return a chain that hangs down, its links turning about x and z."""
    inertia = np.diag([1.0, 0.12, 1.0]) * 0.06 * length**2 / 12.0
    joints = []
    for k in range(links):
        axes = "yxz" if k == 0 else "xz"
        joints.append(
            Joint(
                f"link {k + 1}", k - 1, offset=np.array([0.0, -length if k else 0.0, 0.0]),
                dofs=tuple(Dof("hinge", AXES[axis], -np.inf, np.inf) for axis in axes),
                dof_labels=tuple({"y": "turn", "x": "swing", "z": "sway"}[axis] for axis in axes),
                mass=0.06, center=np.array([0.0, -0.5 * length, 0.0]), inertia=inertia,
                tips=(np.array([0.0, -length, 0.0]),) if k == links - 1 else (), damping=2e-3,
            )
        )  # fmt: skip
    return Skeleton("chain", joints)


def chain_from_a_hand() -> SceneFile:
    """A chain hangs from a hand that moves by its keys."""
    s, record = bundled("human")
    arm = {"right Shoulder out": 82.0, "right Elbow flex": 6.0, "left Shoulder out": 5.0, "left Elbow flex": 14.0}

    def at(flex: float, raised: float, turn: float) -> Array:
        return posed(s, {**arm, "right Shoulder flex": flex, "right Collar raise": raised, "Chest twist": turn})

    moves = {0: at(0.0, 6.0, 0.0), 20: at(0.0, 6.0, 0.0), 44: at(22.0, 12.0, 10.0), 78: at(-14.0, 4.0, -16.0)}
    moves |= {112: at(16.0, 14.0, 12.0), 140: at(0.0, 6.0, 0.0), 180: at(0.0, 6.0, 0.0)}
    man = sequence(s, "Hand", moves, 180, None)
    hand = s.joint_index("right hand")
    point = np.array([0.0, -0.20, 0.0])
    X = forward_kinematics(s, moves[0])[hand]
    links = chain()
    start = links.rest_pose()
    below = np.array([0.0, -0.03, 0.0])
    start[:3] = np.round(X[:3, :3] @ point + X[:3, 3] + below, 6)
    made = sequence(links, "Chain from a hand", {0: start}, 180, falling(0))
    lock = Lock("link 1", "point_pair", other=(s.name, "right hand", point), target=below)
    made.locks.strips = (LockStrip(lock, 0, id="hand", name="chain in the hand"),)
    made.companions = {s.name: man}
    return SceneFile((made, man), PhysicsSettings(), {s.name: record})


def moving_parts(s: Skeleton, start: int, root: str) -> HybridStrip:
    """Return the strip of all parts of a figure but one, which stays as keyed, that forces move from a frame on."""
    return HybridStrip(tuple(name for name in s.joint_names if name != root), start, id="all")


def mechanism(name: str, title: str, root: str, start: Mapping[str, float], physics: PhysicsSettings, last: int,
              before: Mapping[str, float] | None = None) -> SceneFile:  # fmt: skip
    """Return a scene of a bundled mechanism.

    Args:
        name: Of its file.
        title: Of its sequence.
        root: The part that stays as it is.
        start: Coordinates at the first frame that differ from rest, by label, [deg], [m] or numbers.
        physics: Settings.
        last: Last frame.
        before: What is added to these a frame later, so that it begins with a speed.
    """
    s, record = bundled(f"mechanisms/{name}")
    index = {label: 3 + k for k, label in enumerate(s.dof_labels)}

    def pose(*changes: Mapping[str, float]) -> Array:
        q = s.rest_pose()
        for change in changes:
            for label, value in change.items():
                q[index[label]] += np.radians(value) if s.dof_units[index[label] - 3] == "angle" else value
        return np.round(q, 6)

    keys = {0: pose(start)}
    if before is not None:
        keys[1] = pose(start, before)
    made = sequence(s, title, keys, last, moving_parts(s, 0, root))
    return SceneFile((made,), physics, {s.name: record})


def torus_chain() -> SceneFile:
    """A chain of tori swings from where it was drawn aside as a whole: so it is taut, and no link out of its place."""
    aside = {"1 along ring": 52.0, "2 along ring": 16.0}
    made = mechanism("torus chain", "Torus chain", "hanger", aside, PhysicsSettings(step=1 / 480), 240)
    (hanging,) = made.sequences
    place = forward_kinematics(hanging.skeleton, hanging.pose_at_frame(0))[0]
    held = Lock("hanger", "pose", target=place)
    hanging.locks.strips = (LockStrip(held, 0, id="hanger", name="Hanger on the ceiling"),)
    return made


def windmill() -> SceneFile:
    """A windmill turns, its arms rows of parts that roll and slide on each other."""
    out = {f"{k}a across": 4.0 * (-1.0) ** k for k in range(1, 7)}
    return mechanism("windmill", "Windmill", "tower", out, PhysicsSettings(step=1 / 480), 300, {"Wheel": 6.0})


def spline_slide() -> SceneFile:
    """A chain of tori slides down its rail and up on the other side."""
    start = {"Along the rail": 0.12}
    return mechanism("spline slide", "Spline slide", "rail", start, PhysicsSettings(step=1 / 480), 300)


def sled() -> SceneFile:
    """A sled slides over its slope, its rider tossed about."""
    start = {"Sled along": 0.06, "Sled across": 0.12, "Sled heading": 25.0}
    return mechanism("sled", "Sled", "slope", start, PhysicsSettings(step=1 / 480), 300)


SCENES: Mapping[str, Callable[[], SceneFile]] = {
    "ragdoll": ragdoll,
    "marionette": marionette,
    "swing": swing,
    "three bodies": three_bodies,
    "stairs": stairs,
    "chain": chain_from_a_hand,
    "torus chain": torus_chain,
    "windmill": windmill,
    "spline slide": spline_slide,
    "sled": sled,
}
"""The scenes by the names of their files."""


def project(scene: SceneFile) -> Project:
    """Return the project of a scene."""
    figures = [each.skeleton for each in scene.sequences]
    records = [scene.records.get(figure.name) or FigureRecord.of(figure) for figure in figures]
    made = Project(figures, list(scene.sequences), physics=scene.physics.to_record(), figure_records=records)
    if scene.view is not None:
        middle, half, distance = scene.view
        sizes = {kind: {"half_height": half} for kind in ("front", "side", "top")} | {
            "perspective": {"distance": distance}
        }
        cameras = {kind: {"kind": kind, "target": list(middle), **size} for kind, size in sizes.items()}
        made.view["views"] = {"cameras": cameras}
    return made


def main(folder: Path) -> None:
    """Write all scenes into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, make in SCENES.items():
        save(project(make()), folder / f"{name}.seq")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER / "scenes")

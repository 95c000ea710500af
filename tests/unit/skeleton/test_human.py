"""The bundled man and woman: numbers of the tables they were made from, symmetry, ground, and a skin that holds."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
import trimesh

from core.formats import bundled_folder
from core.kinematics import forward_kinematics
from core.skeleton import Skeleton, load_skeleton
from core.skeleton.helper_joints import helper_chains
from core.skeleton.segment import segment_mesh
from core.skeleton.skin import segment_skin, skinned_vertices
from skeletons.making.people import make_human
from skeletons.making.people.tables import MAN, WOMAN, Person
from tests.support.made_files import assert_made_alike

TRUNK = {
    "Lower trunk": ("pelvis",),
    "Middle trunk": ("abdomen",),
    "Upper trunk": ("chest", "right clavicle", "left clavicle"),
    "Head": ("neck", "head"),
}
LIMBS = {
    "Upper arm": ("upper arm",),
    "Forearm": ("forearm",),
    "Hand": ("hand",),
    "Thigh": ("thigh",),
    "Shank": ("shank",),
    "Foot": ("foot", "toes"),
}
# Rows of the range-of-motion table: (joint, motion) -> the hinges whose ranges add up to it.
RANGES = {
    ("shoulder", "flexion/extension"): ("right upper arm.Shoulder flex",),
    ("shoulder", "abduction"): ("right upper arm.Shoulder out",),
    ("shoulder", "rotation (arm abducted 90)"): ("right upper arm.Shoulder twist",),
    ("elbow", "flexion/extension"): ("right forearm.Elbow flex",),
    ("forearm", "pronation/supination"): ("right forearm.Forearm turn",),
    ("wrist", "flexion/extension"): ("right hand.Wrist flex",),
    ("wrist", "deviation"): ("right hand.Wrist side",),
    ("hip", "flexion/extension"): ("right thigh.Hip flex",),
    ("hip", "abduction/adduction"): ("right thigh.Hip out",),
    ("hip", "rotation"): ("right thigh.Hip turn",),
    ("knee", "flexion/extension"): ("right shank.Knee flex",),
    ("ankle", "dorsi/plantarflexion"): ("right foot.Ankle flex",),
    ("subtalar/foot", "inversion/eversion"): ("right foot.Ankle tilt",),
    ("toe MTP", "flexion/extension"): ("right toes.Toes flex",),
    ("cervical spine", "flexion/extension"): ("neck.Neck bend", "head.Head bend"),
    ("cervical spine", "lateral flexion (each side)"): ("neck.Neck side", "head.Head side"),
    ("cervical spine", "rotation (each side)"): ("neck.Neck turn", "head.Head turn"),
    ("thoracolumbar spine", "flexion/extension"): ("abdomen.Waist bend", "chest.Chest bend"),
    ("thoracolumbar spine", "lateral flexion (each side)"): ("abdomen.Waist side", "chest.Chest side"),
    ("thoracolumbar spine", "rotation (each side)"): ("abdomen.Waist twist", "chest.Chest twist"),
}


PEOPLE = {"man": (MAN, "male"), "woman": (WOMAN, "female")}
POSES = {
    "elbow": {"right forearm.Elbow flex": 150, "left forearm.Elbow flex": 90},
    "knee": {"right shank.Knee flex": 135, "left shank.Knee flex": 90},
    "hip": {"right thigh.Hip flex": 110, "left thigh.Hip flex": 110},
    "hip apart": {"right thigh.Hip out": 45, "left thigh.Hip flex": -30},
    "shoulder forwards": {"right upper arm.Shoulder flex": 170, "left upper arm.Shoulder flex": 90},
    "shoulder out": {"right upper arm.Shoulder out": 170, "left upper arm.Shoulder out": 90},
    "waist": {"abdomen.Waist twist": 15, "chest.Chest twist": 30, "abdomen.Waist bend": 30},
    "neck": {"neck.Neck turn": 30, "head.Head turn": 30, "neck.Neck bend": -25},
    "hands and feet": {
        "right hand.Wrist flex": 80,
        "left hand.Wrist flex": -70,
        "right foot.Ankle flex": -50,
        "left toes.Toes flex": -80,
    },
}


@pytest.fixture(scope="module", params=list(PEOPLE))
def who(request: pytest.FixtureRequest) -> str:
    """Name of one of the people."""
    return str(request.param)


@pytest.fixture(scope="module")
def person(who: str) -> Person:
    """The numbers that the figure was made from."""
    return PEOPLE[who][0]


@pytest.fixture(scope="module")
def human(person: Person) -> Skeleton:
    """The figure as the editor loads it."""
    return load_skeleton(bundled_folder() / f"{person.name}.scr")


def hinge(human: Skeleton, name: str) -> int:
    """Return the number of the degree of freedom called ``"joint.Label"``."""
    joint, label = name.split(".")
    index = human.joint_index(joint)
    return human.first_dof[index] + human.joints[index].dof_labels.index(label)


def posed(human: Skeleton, **degrees: float) -> np.ndarray:
    """Return joint frames with some hinges turned; names as in ``hinge``, ``_`` for space and ``__`` for the dot."""
    q = human.rest_pose()
    for name, value in degrees.items():
        q[3 + hinge(human, name.replace("__", ".").replace("_", " "))] = np.radians(value)
    return forward_kinematics(human, q)


def world_meshes(human: Skeleton, q: np.ndarray) -> dict[str, trimesh.Trimesh]:
    """Return the segments as they are drawn in a pose."""
    meshes = {}
    frames = forward_kinematics(human, q)
    for i, joint in enumerate(human.joints):
        mesh = segment_mesh(human, i)
        assert mesh is not None
        meshes[joint.name] = trimesh.Trimesh(skinned_vertices(human, i, frames), mesh.triangles, process=False)
    return meshes


def random_pose(human: Skeleton, rng: np.random.Generator) -> np.ndarray:
    q = human.rest_pose()
    low, high = np.clip(human.limits, -np.pi, np.pi).T
    q[3:] = rng.uniform(low, high)
    return q


def test_loads_without_warnings_and_has_the_promised_size(human: Skeleton) -> None:
    assert human.warnings == ()
    assert len(human.joints) == 21
    assert human.n_dofs == 47
    assert all(joint.objects and joint.objects[0].mesh is not None for joint in human.joints)
    names = [name for name, _ in human.groups]
    assert names == ["", "Spine", "Head and neck", "Right arm", "Left arm", "Right leg", "Left leg"]
    assert len(human.mirror_pairs) == 8
    assert sum(len(c) == 3 for c in human.compounds) == 9


def test_weighs_what_it_should(human: Skeleton, person: Person) -> None:
    assert sum(joint.mass or 0.0 for joint in human.joints) == pytest.approx(person.mass, rel=0.01)


@pytest.mark.verify
def test_man_and_woman_have_the_same_joints() -> None:
    folder = bundled_folder()
    man, woman = (load_skeleton(folder / f"{name}.scr") for name in ("human", "woman"))
    assert man.joint_names == woman.joint_names
    assert man.dof_labels == woman.dof_labels
    assert man.limits == pytest.approx(woman.limits)


def table_rows(data_folder: Path, sex: str) -> dict[str, dict[str, str]]:
    with (data_folder / "human" / "body_segment_parameters.csv").open(encoding="utf-8") as file:
        rows = csv.DictReader(file)
        return {row["segment"]: row for row in rows if row["table"] == "deLeva1996" and row["sex"] == sex}


def combined(human: Skeleton, names: tuple[str, ...]) -> tuple[float, np.ndarray, np.ndarray]:
    """Return mass, centre and inertia about it of several segments in the rest pose, world axes."""
    frames = forward_kinematics(human, human.rest_pose())
    mass, moment, about_origin = 0.0, np.zeros(3), np.zeros((3, 3))
    for name in names:
        i = human.joint_index(name)
        joint, R = human.joints[i], frames[i][:3, :3]
        assert joint.mass is not None and joint.center is not None and joint.inertia is not None
        c = R @ joint.center + frames[i][:3, 3]
        mass += joint.mass
        moment += joint.mass * c
        about_origin += R @ joint.inertia @ R.T + joint.mass * (c @ c * np.eye(3) - np.outer(c, c))
    center = moment / mass
    return mass, center, about_origin - mass * (center @ center * np.eye(3) - np.outer(center, center))


@pytest.mark.parametrize(
    ("row", "side"), [*((row, "") for row in TRUNK), *((row, side) for row in LIMBS for side in ("right", "left"))]
)
def test_mass_center_and_inertia_are_de_levas(
    human: Skeleton, person: Person, who: str, data_folder: Path, row: str, side: str
) -> None:
    table = table_rows(data_folder, PEOPLE[who][1])[row]
    names = TRUNK[row] if row in TRUNK else tuple(f"{side} {part}" for part in LIMBS[row])
    mass, center, inertia = combined(human, names)
    assert mass / person.mass == pytest.approx(float(table["mass_fraction"]), rel=1e-4)

    length = float(table["length_m"])
    radii = np.sqrt(np.linalg.eigvalsh(inertia) / mass) / length
    expected = sorted(float(table[f"rg_com_{axis}"]) for axis in ("sagittal", "transverse", "longitudinal"))
    assert np.sort(radii) == pytest.approx(expected, abs=2e-3)

    share = float(table["com_from_origin"])
    if row in ("Upper arm", "Forearm", "Hand", "Thigh", "Shank"):
        start = forward_kinematics(human, human.rest_pose())[human.joint_index(names[0])][:3, 3]
        assert np.linalg.norm(center - start) == pytest.approx(share * length, abs=1e-3)
    elif row == "Head":
        assert person.height - center[1] == pytest.approx(share * length, abs=1e-4)


def test_limb_lengths_are_de_levas(human: Skeleton, who: str, data_folder: Path) -> None:
    table = table_rows(data_folder, PEOPLE[who][1])
    place = forward_kinematics(human, human.rest_pose())[:, :3, 3]
    for row, joints in {
        "Upper arm": ("upper arm", "forearm"),
        "Forearm": ("forearm", "hand"),
        "Thigh": ("thigh", "shank"),
        "Shank": ("shank", "foot"),
    }.items():
        for side in ("right", "left"):
            a, b = (place[human.joint_index(f"{side} {name}")] for name in joints)
            assert np.linalg.norm(b - a) == pytest.approx(float(table[row]["length_m"]), abs=1e-6)
    feet = world_meshes(human, human.rest_pose())
    z = np.concatenate([feet[f"right {part}"].vertices[:, 2] for part in ("foot", "toes")])
    assert np.ptp(z) == pytest.approx(float(table["Foot"]["length_m"]), abs=0.003)


@pytest.mark.parametrize("row", RANGES)
def test_limits_are_the_tables(human: Skeleton, data_folder: Path, row: tuple[str, str]) -> None:
    with (data_folder / "human" / "joint_rom_aaos.csv").open(encoding="utf-8") as file:
        table = {(line["joint"], line["dof"]): line for line in csv.DictReader(file)}
    for name in (RANGES[row], tuple(name.replace("right", "left") for name in RANGES[row])):
        low, high = np.degrees(sum(human.limits[hinge(human, part)] for part in name))
        assert low == pytest.approx(-float(table[row]["negative_limit_deg"]))
        loaded = row == ("ankle", "dorsi/plantarflexion")  # under load, in the weight-bearing lunge test
        assert high == pytest.approx(45.0 if loaded else float(table[row]["positive_limit_deg"]))


@pytest.mark.parametrize("side", ["right", "left"])
def test_positive_angles_are_the_motion_of_the_label(human: Skeleton, side: str) -> None:
    outwards = -1.0 if side == "right" else 1.0
    rest = forward_kinematics(human, human.rest_pose())

    def shift(part: str, point: tuple[float, float, float] = (0.0, 0.0, 0.0), **turn: float) -> np.ndarray:
        frames = posed(human, **{f"{side}_{name}": value for name, value in turn.items()})
        i = human.joint_index(f"{side} {part}")
        return (frames[i] @ [*point, 1.0] - rest[i] @ [*point, 1.0])[:3]

    assert shift("hand", upper_arm__Shoulder_flex=30)[2] > 0.2
    assert shift("hand", upper_arm__Shoulder_out=30)[0] * outwards > 0.2
    assert shift("hand", (0, 0, 0.05), upper_arm__Shoulder_twist=30)[0] * outwards < -0.02  # the thumb turns inwards
    assert shift("hand", forearm__Elbow_flex=30)[2] > 0.1
    assert shift("hand", (0, 0, 0.05), forearm__Forearm_turn=30)[0] * outwards < -0.02
    assert shift("hand", (0, -0.1, 0), hand__Wrist_flex=30)[0] * outwards < -0.02  # the palm faces inwards
    assert shift("hand", (0, -0.1, 0), hand__Wrist_side=30)[2] < -0.02  # away from the thumb
    assert shift("foot", thigh__Hip_flex=30)[2] > 0.2
    assert shift("foot", thigh__Hip_out=30)[0] * outwards > 0.2
    assert shift("toes", thigh__Hip_turn=30)[0] * outwards < -0.02
    assert shift("foot", shank__Knee_flex=30)[2] < -0.1
    assert shift("toes", foot__Ankle_flex=20)[1] > 0.02
    assert shift("foot", (0, -0.1, 0), foot__Ankle_tilt=20)[0] * outwards < -0.02  # the sole turns inwards
    assert shift("toes", (0, 0, 0.05), toes__Toes_flex=20)[1] < -0.01
    assert shift("upper arm", clavicle__Collar_raise=20)[1] > 0.02
    assert shift("upper arm", clavicle__Collar_forward=20)[2] > 0.02


def test_positive_angles_of_the_trunk(human: Skeleton) -> None:
    rest = forward_kinematics(human, human.rest_pose())
    head = human.joint_index("head")
    for part in ("pelvis.Pelvis", "abdomen.Waist", "chest.Chest", "neck.Neck"):
        name = part.replace(".", "__")
        assert (posed(human, **{f"{name}_bend": 10}) - rest)[head, 2, 3] > 0.01, "bends forward"
        assert (posed(human, **{f"{name}_side": 10}) - rest)[head, 0, 3] > 0.01, "bends to its left"
        turn = "turn" if part.startswith(("pelvis", "neck")) else "twist"
        assert posed(human, **{f"{name}_{turn}": 10})[head, 0, 2] > 0.1, "turns to its left"


def test_equal_angles_on_both_sides_are_mirror_images(human: Skeleton) -> None:
    rng = np.random.default_rng(7)
    M = np.diag([-1.0, 1.0, 1.0])
    for _ in range(20):
        q = human.rest_pose()
        q[3:] = np.clip(rng.normal(0, 0.3, human.n_dofs), human.limits[:, 0], human.limits[:, 1])
        q[3 : 3 + human.first_dof[human.joint_index("right clavicle")]] = 0.0
        for a, b in human.mirror_pairs:
            right = slice(3 + human.first_dof[a], 3 + human.first_dof[a + 1])
            q[3 + human.first_dof[b] : 3 + human.first_dof[b + 1]] = q[right]
        frames = forward_kinematics(human, q)
        for a, b in human.mirror_pairs:
            assert frames[b][:3, 3] == pytest.approx(M @ frames[a][:3, 3], abs=1e-12)
            assert frames[b][:3, :3] == pytest.approx(M @ frames[a][:3, :3] @ M, abs=1e-12)
    rest = world_meshes(human, human.rest_pose())
    for a, b in human.mirror_pairs:
        right, left = rest[human.joints[a].name], rest[human.joints[b].name]
        assert left.vertices == pytest.approx(right.vertices * [-1, 1, 1], abs=1e-9)


def test_stands_on_the_ground_at_its_height(human: Skeleton, person: Person) -> None:
    meshes = world_meshes(human, human.rest_pose())
    y = np.concatenate([mesh.vertices[:, 1] for mesh in meshes.values()])
    assert y.min() == pytest.approx(0.0, abs=1e-5)
    assert y.max() == pytest.approx(person.height, abs=0.002)
    for side in ("right", "left"):
        for part in ("foot", "toes"):
            sole = meshes[f"{side} {part}"].vertices
            assert np.count_nonzero(np.abs(sole[:, 1]) < 2e-5) >= 12, "flat on the ground"
        hand = meshes[f"{side} hand"].vertices
        thigh = meshes[f"{side} thigh"].vertices
        gap = np.abs(hand[:, 0]).min() - np.abs(thigh[:, 0]).max()
        assert 0.0 < gap < 0.15, "arms at the sides, not touching"


def test_meshes_are_closed_and_turned_outwards(human: Skeleton) -> None:
    meshes = world_meshes(human, human.rest_pose())
    for name, mesh in meshes.items():
        assert mesh.is_watertight, name
        assert mesh.is_winding_consistent, name
        for shell in mesh.split(only_watertight=False):
            assert shell.volume > 5e-7, name  # the least are eyes
    assert 12000 <= sum(len(mesh.faces) for mesh in meshes.values()) <= 24500


def test_flesh_is_as_dense_as_a_body(human: Skeleton) -> None:
    """Dempster's segments have 1.06 to 1.16 kg/l, a trunk with its lungs 1.03; the figures are a little slim."""
    volumes = {name: mesh.volume * 1e3 for name, mesh in world_meshes(human, human.rest_pose()).items()}
    masses = {joint.name: joint.mass or 0.0 for joint in human.joints}
    groups = [("pelvis", "abdomen", "chest", "right clavicle", "left clavicle"), ("neck", "head")]
    groups += [tuple(f"right {part}" for part in parts) for parts in LIMBS.values()]
    for names in groups:
        density = sum(masses[name] for name in names) / sum(volumes[name] for name in names)
        assert 0.85 < density < 1.5, names
    assert 0.98 < sum(masses.values()) / sum(volumes.values()) < 1.27


def turned(human: Skeleton, degrees: dict[str, float]) -> np.ndarray:
    """Return the rest pose with some hinges turned, names as in ``hinge``."""
    q = human.rest_pose()
    for name, value in degrees.items():
        q[3 + hinge(human, name)] = np.radians(value)
    return q


def shared(human: Skeleton, joint: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the vertices that a segment shares with the one before it: their rows in both."""
    frames = forward_kinematics(human, human.rest_pose())
    own, before = (skinned_vertices(human, i, frames) for i in (joint, human.joints[joint].parent))
    apart = np.linalg.norm(own[:, None] - before[None], axis=2)
    rows = np.flatnonzero(apart.min(axis=1) < 3e-5)
    return rows, apart[rows].argmin(axis=1)


def test_neighbours_share_a_ring_that_stays_closed_in_every_pose(human: Skeleton) -> None:
    rng = np.random.default_rng(11)
    poses = [turned(human, degrees) for degrees in POSES.values()] + [random_pose(human, rng) for _ in range(3)]
    for joint in range(1, len(human.joints)):
        parent = human.joints[joint].parent
        own, before = shared(human, joint)
        assert len(own) >= 14, human.joints[joint].name
        for q in poses:
            frames = forward_kinematics(human, q)
            a, b = skinned_vertices(human, joint, frames)[own], skinned_vertices(human, parent, frames)[before]
            assert np.abs(a - b).max() < 1.5e-4, human.joints[joint].name


def test_skin_follows_the_joints_next_to_it(human: Skeleton) -> None:
    """No vertex follows a joint far from it, as would happen where arm and trunk lie close at rest."""
    for i, joint in enumerate(human.joints):
        skin = segment_skin(human, i)
        assert skin is not None, joint.name
        near = {i}
        for _ in range(3):  # from the flank over chest and shoulder girdle to the arm
            near |= {k for at in near if at >= 0 for k in (human.joints[at].parent, *human.children[at])}
        for chain in helper_chains(human):  # a helper is near where both joints that it stands between are
            if {int(chain[0]), int(chain[-1])} <= near:
                near |= set(chain.tolist())
        followed = set(np.unique(skin.joints[skin.weights > 0.0]).tolist())
        assert followed <= near, followed - near
        assert skin.weights.sum(axis=1) == pytest.approx(1.0)


@pytest.mark.parametrize("pose", POSES)
def test_a_bent_body_keeps_its_volume(human: Skeleton, pose: str) -> None:
    """The flat ends inside cancel, so the segments' volumes add up to what the skin encloses."""
    q = turned(human, POSES[pose])
    rest, bent = (sum(m.volume for m in world_meshes(human, p).values()) for p in (human.rest_pose(), q))
    assert 0.94 * rest < bent < 1.04 * rest  # of raised arms the armpits open


def test_no_skin_is_folded_over_round_the_eyes(human: Skeleton) -> None:
    """Where the skin passes over into the lids no triangle lies upside down: it would be a dark fleck."""
    mesh = world_meshes(human, human.rest_pose())["head"]
    ball = min(mesh.split(only_watertight=False), key=lambda shell: float(shell.volume))
    radius = 0.5 * float(np.ptp(ball.vertices[:, 0]))
    center = ball.vertices[np.argmax(ball.vertices[:, 2])] - [0.0, 0.0, radius]
    away = np.linalg.norm(mesh.vertices[mesh.face_adjacency_edges].mean(axis=1) - center, axis=1) / radius
    near = (away > 1.08) & (away < 2.0)
    assert near.sum() > 100
    assert np.degrees(mesh.face_adjacency_angles[near]).max() < 120.0


def test_masses_are_physical(human: Skeleton) -> None:
    for joint in human.joints:
        assert joint.inertia is not None
        a, b, c = np.linalg.eigvalsh(joint.inertia)
        assert 0.0 < a <= b <= c < a + b, joint.name


@pytest.mark.verify
def test_script_makes_the_same_files(skeletons_folder: Path, tmp_path: Path) -> None:
    make_human.main(tmp_path)
    made = sorted(path.relative_to(tmp_path) for path in tmp_path.rglob("*") if path.is_file())
    people = [person for person, _ in PEOPLE.values()]
    kept = [path.relative_to(skeletons_folder) for p in people for path in (skeletons_folder / p.name).iterdir()]
    assert made == sorted([*kept, *(Path(f"{p.name}.scr") for p in people)])
    for path in made:
        made_text, kept_text = ((folder / path).read_text(encoding="utf-8") for folder in (tmp_path, skeletons_folder))
        assert_made_alike(made_text, kept_text, str(path))

"""Settings of physics: records that come back as they were, and one line for what makes no sense."""

import json
import re

import pytest

from core.dynamics.contact.obstacles import BoxObstacle
from core.dynamics.contact.world import Floor
from core.errors import DynamicsError
from core.preview.rigid_bodies import PhysicsString, RigidBody
from core.preview.settings import PhysicsSettings


def test_records_come_back_as_they_were():
    made = PhysicsSettings(
        gravity=3.7, motor_gain=0.3, friction=0.4, self_contact=True, floor=Floor.tilted(0.2, friction=0.3), seed=7,
        obstacles=(BoxObstacle((1, 2, 3), position=(0, 1, 0)),),
        rigid_bodies=(RigidBody("box", (0.2, 0.3, 0.4), 2.0, (0, 3, 0), spin=(0, 1, 0), name="box"),),
        strings=(PhysicsString("hand", (0, 2, 0), 0.5, other="box"),), extra={"mood": 1},
        integrator="rk4", formulation="redmax", contact_method="fixed_point",
    )  # fmt: skip
    record = made.to_record()
    back = PhysicsSettings.from_record(json.loads(json.dumps(record)))
    assert back.to_record() == record and back.extra == {"mood": 1}
    assert back.rigid_bodies[0].size == (0.2, 0.3, 0.4) and back.strings[0].other == "box"
    assert back.integrator == record["integrator"] == "rk4" and back.formulation == "redmax"
    assert back.contact_method == record["contact_method"] == "fixed_point"
    assert (back.world.gravity == [0.0, -3.7, 0.0]).all() and len(back.world.geometries) == 1
    assert PhysicsSettings.from_record(None).to_record() == PhysicsSettings().to_record() == {}
    assert PhysicsSettings.from_record({"floor": None}).floor is None
    assert PhysicsSettings(floor=None).to_record() == {"floor": None}


@pytest.mark.parametrize(
    ("record", "message"),
    [
        (3, "physics is 3; it must be an object"),
        ({"gravity": "down"}, "physics: gravity is 'down'; it must be a number"),
        ({"gravity": 1e9}, "physics: gravity 1e+09 m/s^2 makes no sense; it must lie in -1000..1000"),
        ({"step": 0}, "physics: step 0 s makes no sense"),
        ({"self_contact": 1}, "physics: self_contact is 1; it must be true or false"),
        ({"seed": -1}, "physics: seed is -1; it must be a whole number"),
        ({"floor": {"height": "low"}}, "physics: floor"),
        ({"obstacles": 3}, "physics: obstacles is 3; it must be a list"),
        ({"obstacles": [{"kind": "cone"}]}, "physics: obstacles[0]: there is no kind 'cone'"),
        ({"props": [{"kind": "ball"}]}, "physics: props[0] has no size; it needs kind, size, mass, position"),
        ({"props": [{"kind": "ball", "size": [0], "mass": 1, "position": [0, 0, 0]}]}, "size is [0.0]; each number"),
        ({"props": [{"kind": "ball", "size": [1], "mass": 0, "position": [0, 0, 0]}]}, "mass is 0 kg"),
        ({"contact_method": "glue"}, "physics: there is no contact method 'glue'; there are none, frictionless,"),
        ({"integrator": "euler"}, "physics: there is no integrator 'euler'; there are contact, symplectic_euler,"),
        ({"formulation": 2}, "physics: there is no formulation 2; there are recursive, redmax,"),
        ({"forces": 2}, "physics: forces is 2; it must be a list"),
        ({"forces": [{"kind": "Wind"}]}, "physics: forces[0]: there is no kind 'Wind'; there are JointSpring,"),
        ({"forces": [{"kind": "BodyDamping", "body": "hand"}]}, 'forces[0]: BodyDamping without "damping"; it needs'),
        ({"forces": [{"kind": "BodyDamping", "body": "hand", "damping": -1}]}, "must be a finite number, 0 or more"),
        ({"forces": [{"kind": "BodyDamping", "body": "hand", "damping": {}}]}, "damping is {}; it must be a name, a"),
        ({"forces": [{"kind": "BodyDamping", "body": "hand", "damping": 1, "of": 2}]}, "has a member 'of'"),
        ({"strings": [{"part": "hand", "anchor": [0, 0], "length": 1}]}, "anchor has shape (2,)"),
        ({"strings": [{"part": "hand", "anchor": [0, 0, 0], "length": -1}]}, "length is -1 m; it must be 0 or more"),
        ({"strings": [{"part": "hand", "anchor": [0, 0, 0], "length": 1, "knot": 2}]}, "has a member 'knot'"),
    ],
)
def test_what_makes_no_sense_is_reported_in_one_line(record, message):
    with pytest.raises(DynamicsError, match=re.escape(message)) as caught:
        PhysicsSettings.from_record(record)
    assert "\n" not in str(caught.value)

"""A rest pose in front of a recording is found, said and left out when somebody asks for that."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from app.cli import main
from app.files.import_flow import misplacements
from core.animation import Key, Sequence
from core.errors import RunawayError
from core.formats import Project, load, save
from core.formats.importing.first_frame import begins_apart
from core.preview.preview import Preview
from core.preview.whole_run import run, start_notices

LEFT, RIGHT = "left upper arm", "right upper arm"


@pytest.fixture
def clip(skeletons_folder: Path, tmp_path: Path) -> Path:
    """A man whose arms swing, at 120 frames a second; in front of that stands a frame with his arms to the sides."""
    s = load(skeletons_folder / "human.scr").figures[0]
    q = np.tile(s.rest_pose(), (41, 1))
    for name in (LEFT, RIGHT):
        first = 3 + s.first_dof[s.joint_index(name)]
        q[1:, first] += 0.6 * np.sin(np.arange(40) / 40.0 * 3.0)
        q[0, first : first + 2] += 0.9
    sequence = Sequence(s, 120, "Swing", keys=[Key(frame, each) for frame, each in enumerate(q)])
    path = tmp_path / "swing.bvh"
    save(Project([s], [sequence]), path)
    return path


def test_a_rest_pose_in_front_is_found_and_offered_to_be_left_out(clip: Path, capsys) -> None:
    found = load(clip, up="auto").imported
    assert found is not None and found.apart
    (wrong,) = [each for each in misplacements(found) if "first frame" in each.text]
    assert wrong.offer == "Leave it out"
    without = load(clip, up="auto", first=wrong.mended(found.choices).first)
    assert without.imported is not None and not without.imported.apart
    assert len(without.sequences[0].keys) == 40
    assert main(["info", str(clip)]) == 0
    assert "the first frame is a pose apart from the motion; convert --from 1 leaves it out" in capsys.readouterr().err
    assert main(["convert", str(clip), str(clip.with_suffix(".seq")), "--from", "1"]) == 0
    assert "first frame" not in capsys.readouterr().err


def test_motion_that_is_quick_from_its_first_frame_on_is_none(clip: Path) -> None:
    project = load(clip)
    s, keys = project.figures[0], project.sequences[0].keys
    q = np.array([key.q for key in keys])
    assert begins_apart(s, q, 1.8) and not begins_apart(s, q[1:], 1.8)
    assert not begins_apart(s, q[:3], 1.8) and not begins_apart(s, q[:0], 1.8)
    quick = q.copy()
    quick[1::2] = q[0]  # to and fro at each frame
    assert not begins_apart(s, quick, 1.8)
    still = np.tile(q[0], (9, 1))
    assert not begins_apart(s, still, 1.8)


def test_physics_says_that_the_motion_leaps_where_it_begins(clip: Path) -> None:
    sequence = load(clip, floor="lowest").sequences[0]
    preview = Preview(sequence, 0)
    (notice,) = start_notices(preview)
    assert notice.startswith("at the start the motion leaps: ") and notice.endswith(" m/s")
    assert start_notices(Preview(sequence, 2)) == []
    assert "start a few frames later" in preview._stage.watch.why(0.1)


@pytest.mark.parametrize("name", ["cmu_12_01_walk", "cmu_01_01", "walk01", "cmu_jumping_jacks", "louise_optitrack"])
def test_recordings_that_begin_with_a_rest_pose(name: str, data_folder: Path) -> None:
    found = load(data_folder / "bvh" / f"{name}.bvh", up="auto", positions="auto", last=200).imported
    assert found is not None and found.apart == (name in ("cmu_12_01_walk", "cmu_01_01"))


def test_what_runs_away_since_it_leaps_says_so(data_folder: Path) -> None:
    sequence = load(data_folder / "bvh" / "cmu_01_01.bvh", last=100, floor="lowest").sequences[0]
    with pytest.raises(RunawayError, match=r'the motion leaps: ".*" moves at \d+ m/s; start a few frames later'):
        run(Preview(sequence, 0), 100.0)

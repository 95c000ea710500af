"""Sweeps: what is varied, what is measured, the table and the plot."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from app.batch.steps import Simulate, StepError
from app.batch.sweep import run as run_module
from app.batch.sweep.measures import MEASURES
from app.batch.sweep.parameters import PARAMETERS, parameter_of
from app.batch.sweep.plan import Sweep, described, read_sweep, values_of
from app.batch.sweep.run import run_sweep
from core.errors import FormatError
from core.formats import load, save
from tests.support.batches import Here


@pytest.fixture(autouse=True)
def _no_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_module, "prepare", lambda: None)


@pytest.fixture
def scene(skeletons_folder: Path) -> Path:
    return skeletons_folder / "stickman.scr"


def written(folder: Path, text: str) -> Path:
    (folder / "man.scr").touch()
    path = folder / "sweep.toml"
    path.write_text(text)
    return path


def test_a_sweep_is_read_with_its_ranges(tmp_path: Path) -> None:
    text = 'scene = "man.scr"\nseeds = [4, 7]\nduration = 0.5\n[vary]\nfriction = {from = 0.2, to = 1.0, count = 3}\n'
    sweep = read_sweep(written(tmp_path, text + "gravity = [1.6, 9.81]\n"))
    assert sweep.scene == tmp_path / "man.scr" and sweep.step == Simulate(seeds=(4, 7), duration=0.5)
    assert [name for name, _ in sweep.vary] == ["friction", "gravity"]
    np.testing.assert_allclose(sweep.vary[0][1], [0.2, 0.6, 1.0])
    runs = [(run.step.friction, run.step.gravity, run.seed) for run in sweep.runs]
    assert runs[:5] == [(0.2, 1.6, 4), (0.2, 1.6, 7), (0.2, 9.81, 4), (0.2, 9.81, 7), (sweep.vary[0][1][1], 1.6, 4)]
    assert len(runs) == len(set(runs)) == 12


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("seeds = 3", 'scene: is missing; expected a file such as "ragdoll.seq"'),
        ('scene = "nobody.scr"', 'sweep.toml:1: scene: "nobody.scr" is not there'),
        ('scene = "man.scr"\nvary = 3', "sweep.toml:2: vary: expected a table [vary]"),
        (
            'scene = "man.scr"\n[vary]\nwind = [1]',
            "sweep.toml:3: vary: wind: cannot be varied; expected gravity, friction",
        ),
        ('scene = "man.scr"\n[vary]\nfriction = [1, 99]', "sweep.toml:3: vary: friction: expected values such as"),
        ('scene = "man.scr"\n[vary]\nfriction = {from = 0}', "friction: expected values such as"),
        ('scene = "man.scr"\n[vary]\ngravity = [1, 1]', "each once, and each a number from -1000 to 1000 m/s²"),
        ('scene = "man.scr"\nfriktion = 1', 'sweep.toml:2: friktion: is not a key here; did you mean "friction"?'),
    ],
)
def test_a_mistake_in_a_sweep_is_named_with_its_place(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(FormatError) as caught:
        read_sweep(written(tmp_path, text))
    assert says in str(caught.value)


def test_sweeps_that_make_no_sense(tmp_path: Path) -> None:
    with pytest.raises(StepError, match="strength is that of a preset"):
        read_sweep(written(tmp_path, 'scene = "man.scr"\n[vary]\nstrength = [1, 2]'))
    many = 'scene = "man.scr"\nseeds = 100000\n[vary]\nfriction = {from = 0, to = 1, count = 11}'
    with pytest.raises(StepError, match=r"that would be 1,100,000 runs; expected at most 1,000,000"):
        read_sweep(written(tmp_path, many))


def test_values_are_read_from_words() -> None:
    friction = parameter_of("friction")
    assert friction is not None
    assert values_of(friction, "0.2,0.5") == (0.2, 0.5) and values_of(friction, "0:1:3") == (0.0, 0.5, 1.0)
    for text in ("", "x", "0.2:1", "0:1:1", "0.5,0.5", "11", "nan"):
        with pytest.raises(StepError, match="are not values of friction"):
            values_of(friction, text)
    assert all(hasattr(Simulate(), parameter.name) for parameter in PARAMETERS)


@pytest.mark.verify
def test_what_is_measured_is_what_was_simulated(scene: Path) -> None:
    sweep = Sweep(scene, Simulate(duration=0.4, seeds=(1, 2)), (("gravity", (0.0, 5.0)),))
    rows, stopped = run_sweep(sweep, Here())
    assert not stopped and [(row["gravity"], row["seed"]) for row in rows] == [(0.0, 1), (0.0, 2), (5.0, 1), (5.0, 2)]
    assert all(row["error"] is None for row in rows)
    preview, _ = Simulate(duration=0.4, gravity=5.0).simulated(load(scene), "x", 2)
    samples = preview.samples
    assert rows[3]["end_center"] == samples[-1].center_of_mass[1]
    assert rows[3]["energy_lost"] == samples[0].energy - samples[-1].energy
    assert rows[3] == run_sweep(sweep, Here())[0][3]
    assert rows[2]["lowest_center"] < rows[0]["lowest_center"]  # who is pulled down comes lower than who is not
    assert rows[2] != {**rows[3], "seed": 1}


def test_without_seeds_a_scene_keeps_its_own(scene: Path, tmp_path: Path) -> None:
    project = load(scene)
    project.physics = {**project.physics, "seed": 7}
    own = tmp_path / "own.seq"
    save(project, own)
    sweep = Sweep(own, Simulate(duration=0.2))
    rows, _ = run_sweep(sweep, Here())
    assert [row["seed"] for row in rows] == [7] and sweep.count == 1
    assert rows == run_sweep(Sweep(own, Simulate(duration=0.2, seeds=(7,))), Here())[0]
    assert rows != run_sweep(Sweep(own, Simulate(duration=0.2, seeds=(0,))), Here())[0]


def test_what_varies_is_said_in_words(scene: Path) -> None:
    assert described(Sweep(scene, Simulate())) == "the scene's own seed"
    varied = Sweep(scene, Simulate(seeds=(1,)), (("friction", (0.5,)), ("gravity", (1.0, 2.0))))
    assert described(varied) == "1 value of friction × 2 values of gravity × 1 seed"


def test_a_run_that_cannot_be_costs_itself(scene: Path, tmp_path: Path) -> None:
    rows, _ = run_sweep(Sweep(scene, Simulate(duration=0.01)), Here())
    assert "less than a frame" in rows[0]["error"] and rows[0]["distance"] is rows[0]["seed"] is None
    late = replace(Sweep(scene, Simulate(duration=0.1)).runs[0], version="0.0.1")
    assert "expected 0.0.1, as where the work comes from" in run_module.run_one(late)["error"]
    copy = tmp_path / "copy.scr"
    copy.write_bytes(scene.read_bytes())
    changed = Sweep(copy, Simulate(duration=0.1))

    class Late(Here):
        def run(self, work, items):  # type: ignore[no-untyped-def]
            copy.write_text("# other")
            return super().run(work, items)

    assert run_sweep(changed, Late())[0][0]["error"] == "copy.scr has changed since the sweep began"


def made_rows() -> list[dict[str, object]]:
    rows: list[dict[str, object]] = []
    for friction in (0.2, 0.6, 1.0):
        for gravity in (1.6, 9.81):
            for seed in (1, 2):
                row = {"friction": friction, "gravity": gravity, "seed": seed, "error": None}
                rows.append(row | {each.name: friction * gravity + seed for each in MEASURES})
    rows[0] = {**rows[0], "error": "it ran away", **{each.name: None for each in MEASURES}}
    return rows


def test_the_table_can_be_read_and_is_the_same_again(scene: Path, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed: the extra sweep")
    from app.batch.sweep.parquet_file import write_table

    sweep = Sweep(scene, Simulate(), (("friction", (0.2, 0.6, 1.0)), ("gravity", (1.6, 9.81))))
    for name in ("a.parquet", "b.parquet"):
        write_table(made_rows(), sweep, tmp_path / name)
    assert (tmp_path / "a.parquet").read_bytes() == (tmp_path / "b.parquet").read_bytes()
    table = parquet.read_table(tmp_path / "a.parquet")
    assert table.column_names == ["friction", "gravity", "seed", *(each.name for each in MEASURES), "error"]
    assert table.to_pylist()[1] == {name: made_rows()[1][name] for name in table.column_names}
    assert table["end_center"].null_count == 1 and table["error"].to_pylist()[0] == "it ran away"
    assert (
        table.schema.field("gravity").metadata == {b"unit": "m/s²".encode()}
        and b"scene" in table.schema.metadata[b"sweep"]
    )


@pytest.mark.verify
def test_the_plot_has_a_colour_for_each_value(scene: Path, tmp_path: Path, qapp: object) -> None:
    from PySide6.QtGui import QImage

    from app.batch.sweep.plot import _COLORS, SIZE, draw_plot

    sweep = Sweep(scene, Simulate(), (("friction", (0.2, 0.6, 1.0)), ("gravity", (1.6, 9.81))))
    draw_plot(made_rows(), sweep, tmp_path / "plot.png")
    picture = QImage(str(tmp_path / "plot.png")).convertToFormat(QImage.Format.Format_RGB32)
    assert (picture.width(), picture.height()) == SIZE
    pixels = np.frombuffer(picture.constBits(), np.uint32).reshape(SIZE[1], -1) & 0xFFFFFF
    count = [int((pixels == int(color[1:], 16)).sum()) for color in _COLORS]
    assert count[0] > 500 and count[1] > 500 and count[2:] == [0] * (len(_COLORS) - 2)
    with pytest.raises(StepError, match="every run failed"):
        draw_plot(made_rows()[:1], sweep, tmp_path / "none.png")

"""What plots of energy and momentum show, against motions that are known by heart: keyed ones and simulated ones."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from app.document.document import Document
from app.document.physics.state import PhysicsState
from app.physics.series import MotionSeries, keyed_rows, motion_series
from app.widgets.plots.motion_curves import energies, momenta, momentum_styles
from app.work.calm_search import CalmSearch
from core.animation import Key
from core.animation.hybrid_strips import HybridStrip
from core.animation.sequence import Sequence
from core.preview.preview import Preview
from core.preview.sample import Sample
from core.preview.settings import PhysicsSettings
from core.skeleton import Joint, Skeleton
from tests.unit.preview.test_keyed_motion import LENGTH, MASS, MOMENT, G, body, flight, pendulum, swing, tumble

HALF_PERCENT = 5e-3
FPS = 60.0
GRAVITY = (0.0, -G, 0.0)
TOP = 1.0
ABOUT = MOMENT + MASS * LENGTH**2


def swung(frames: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Kinetic energy, and potential energy above the lowest point, of the pendulum at frames."""
    angle, rate, _ = swing(frames / FPS, TOP)
    return 0.5 * ABOUT * rate**2, MASS * G * LENGTH * (1.0 - np.cos(angle))


def check_pendulum(frames: np.ndarray, rows: np.ndarray) -> None:
    kinetic, potential = swung(frames)
    whole = MASS * G * LENGTH * (1.0 - np.cos(TOP))
    drawn = energies(rows, -MASS * G * LENGTH)
    assert np.abs(drawn[:, 0] - kinetic).max() < HALF_PERCENT * whole
    assert np.abs(drawn[:, 1] - potential).max() < HALF_PERCENT * whole
    assert np.abs(drawn[:, 2] - whole).max() < HALF_PERCENT * whole
    speed = np.sqrt(2.0 * kinetic / ABOUT)
    assert np.abs(momenta(rows)[:, 0] - MASS * LENGTH * speed).max() < HALF_PERCENT * MASS * LENGTH * speed.max()
    assert np.abs(momenta(rows)[:, 1] - MOMENT * speed).max() < HALF_PERCENT * MOMENT * speed.max()


def check_flight(frames: np.ndarray, rows: np.ndarray) -> None:
    _, centers, spin, speed = tumble(frames / FPS)
    falling = np.array(speed) - np.outer(frames / FPS, [0.0, G, 0.0])
    drawn = energies(rows, 0.0)
    potential = 3.0 * G * centers[:, 1]
    level = float(np.ptp(potential))
    assert np.abs(drawn[:, 1] - potential).max() < HALF_PERCENT * level
    assert np.ptp(drawn[:, 2]) < HALF_PERCENT * level
    linear = 3.0 * np.linalg.norm(falling, axis=1)
    assert np.abs(momenta(rows)[:, 0] - linear).max() < HALF_PERCENT * linear.max()
    assert np.abs(momenta(rows)[:, 1] - np.linalg.norm(spin)).max() < HALF_PERCENT * np.linalg.norm(spin)


def test_the_keyed_motion_is_drawn_as_it_is() -> None:
    frames = np.arange(0.0, 121.0)
    poses = np.zeros((len(frames), 4))
    poses[:, 3] = swing(frames / FPS, TOP)[0]
    keys = [Key(int(frame), q) for frame, q in zip(frames, poses, strict=True)]
    check_pendulum(*keyed_rows(Sequence(pendulum(), fps=FPS, keys=keys), GRAVITY, lambda part: None))
    sequence, _, _ = flight(np.arange(0.0, 49.0), FPS)
    check_flight(*keyed_rows(sequence, GRAVITY, lambda part: None))


@pytest.fixture
def samples(monkeypatch: pytest.MonkeyPatch) -> list[list[Sample]]:
    """A list with the list of samples that documents tell: the tests simulate by themselves."""
    reported: list[list[Sample]] = [[]]
    monkeypatch.setattr(PhysicsState, "samples", property(lambda state: reported[0]))
    return reported


def series_of(document: Document, preview: Preview, seconds: float, reported: list[list[Sample]]) -> MotionSeries:
    """Return the series of a document that was given all samples of a simulation, one after the other."""
    document.session.mode = "physics"
    series = motion_series(document)
    while preview.samples[-1].time - preview.samples[0].time < seconds:
        preview.advance()
    for sample in preview.samples:
        reported[0].append(sample)
        document.physics.changed.emit("samples")
    return series


def test_a_simulated_pendulum_is_drawn_as_it_swings(qapp, samples) -> None:
    skeleton = pendulum()
    rest = np.zeros(4)
    rest[3] = TOP
    sequence = Sequence(skeleton, fps=FPS, keys=[Key(0, rest), Key(60, rest)])
    document = Document()
    document.files.new(skeleton)
    preview = Preview(sequence, 0.0, PhysicsSettings(floor=None), strips=[HybridStrip(("bob",), 0)])
    series = series_of(document, preview, 0.5, samples)
    assert series.showing == "simulated" and len(series.simulated) == len(preview.samples)
    check_pendulum(series.simulated.frames, series.simulated.values)
    values = series.values_now()
    assert values == {} or set(values) == {"kinetic", "potential", "linear", "angular"}
    series.stop()


def test_a_simulated_flight_is_drawn_as_it_is(qapp, samples) -> None:
    sequence, _, _ = flight(np.arange(0.0, 49.0), FPS)
    document = Document()
    document.files.new(body())
    # The spline through the keys has the velocity of the flight from a few frames after its first key on.
    preview = Preview(sequence, 6.0, PhysicsSettings(floor=None), strips=[HybridStrip((), 6)])
    series = series_of(document, preview, 0.15, samples)
    check_flight(series.simulated.frames, series.simulated.values)
    series.stop()


def test_samples_are_added_and_a_new_list_begins_anew(qapp, samples) -> None:
    document = Document()
    document.files.new(pendulum())
    reported: list[str] = []
    series = motion_series(document)
    assert motion_series(document) is series
    series.reset.connect(lambda: reported.append("reset"))
    series.grown.connect(lambda: reported.append("grown"))
    preview = Preview(
        Sequence(pendulum(), fps=FPS, keys=[Key(0, np.array([0.0, 0.0, 0.0, TOP]))]), 0.0, PhysicsSettings(floor=None)
    )
    document.session.mode = "physics"
    for _ in range(3):
        preview.advance()
    first, *rest = preview.samples
    reported.clear()
    samples[0] = [first]
    document.physics.changed.emit("samples")
    assert reported == ["reset"] and series.span == (0.0, 0.0)
    samples[0].extend(rest)
    document.physics.changed.emit("samples")
    assert len(series.simulated) == 4
    samples[0] = []
    document.physics.changed.emit("samples")
    assert reported[-1] == "reset" and series.span is None and series.showing == "keyed"
    series.stop()


def test_the_zero_of_potential_energy_is_the_first_frame_for_the_whole_run(qapp, samples) -> None:
    document = Document()
    document.files.new(pendulum())
    document.session.mode = "physics"
    series = motion_series(document)
    document.physics.running = True
    heights = [*np.linspace(600.0, 0.0, 50), *np.linspace(0.0, 900.0, 50)]  # it falls, and is thrown up
    for k, potential in enumerate(heights):
        samples[0].append(SimpleNamespace(frame=float(k), kinetic=1.0, potential=potential, momentum=np.ones(6)))
        document.physics.changed.emit("samples")
        assert series.zero == 600.0
    document.physics.running = False
    document.physics.changed.emit("running")
    # What the keys would do goes elsewhere; the run's numbers stay.
    series.take_keyed(np.arange(3.0), np.array([[0.0, -1000.0, 0.0, 0.0]] * 3))
    assert series.zero == 600.0
    assert series.simulated.at(0.0)[1] - series.zero == 0.0 and series.simulated.at(49.0)[1] - series.zero == -600.0
    document.session.mode = "pose"
    assert series.showing == "keyed" and series.zero == -1000.0
    series.stop()


def test_what_cannot_be_worked_out_is_reported(qtbot) -> None:
    document = Document()
    document.files.new(Skeleton("light", [Joint("base", -1)]))
    document.keys.set()
    series = motion_series(document)
    with qtbot.waitSignal(series.reset):
        series.need()
    assert "mass" in series.problem and not len(series.keyed)
    series.stop()


def test_the_keyed_motion_is_worked_out_only_while_a_plot_is_seen(qapp, monkeypatch) -> None:
    asked: list[bool] = []
    monkeypatch.setattr(CalmSearch, "wish", lambda work, live=False, at_once=False: asked.append(at_once))
    document = Document()
    document.files.new(pendulum())
    series = motion_series(document)
    document.keys.set()
    assert asked == []
    visible = [True]

    def seen() -> bool:
        return visible[0]

    series.need(seen)
    series.take_keyed(np.array([0.0]), np.zeros((1, 4)))
    series.need(seen)
    assert asked == [True]
    document.sequences.set_range(0, 40)
    assert asked == [True, False]
    visible[0] = False
    document.sequences.set_range(0, 50)
    assert asked == [True, False]
    series.need(seen)
    assert asked == [True, False, True]


@pytest.mark.parametrize(("angular", "factor"), [(60.0, 1.0), (18.0, 5.0), (8.0, 10.0), (0.5, 100.0), (500.0, 1.0)])
def test_the_angular_momentum_is_drawn_as_high_as_there_is_room(angular: float, factor: float) -> None:
    rows = np.array([[0.0, 0.0, 100.0, angular], [0.0, 0.0, 20.0, 0.0]])
    assert [look.factor for look in momentum_styles(rows)] == [1.0, factor]


def test_a_file_that_is_opened_shows_nothing_of_the_one_before(qapp, skeletons_folder) -> None:
    document = Document()
    document.files.open(skeletons_folder / "stickman.scr")
    series = MotionSeries(document)
    series.take_keyed(np.arange(3.0), np.ones((3, 4)))
    resets: list[int] = []
    series.reset.connect(lambda: resets.append(len(series.shown)))
    document.files.open(skeletons_folder / "arm7.scr")
    assert resets == [0]
    series.stop()

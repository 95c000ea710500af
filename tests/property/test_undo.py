"""Random work on a document: undo to the start, redo to the end, bit for bit; save, load and recovery between."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from random import Random

import numpy as np
import pytest

from app.document import Document
from core.animation import INTERPOLATIONS
from core.animation.cycles import CYCLES
from core.skeleton import Mesh, SkeletonBuilder, load_skeleton
from tests.support.undo_figures import FigureActions
from tests.support.undo_keys import KeyActions
from tests.support.undo_layers import LayerActions
from tests.support.undo_locks import LockActions
from tests.support.undo_posing import PosingActions
from tests.support.undo_scene import SceneActions

ACTIONS = 55
TRIANGLE = Mesh(np.array([[0.0, 0.0, 0.0], [0.1, 0.0, -0.0], [0.0, 1 / 3, 0.1]]), np.array([[0, 1, 2]]))
FIGURES = ("stickman.scr", "arm7.scr")
AT_ONCE, SHORT = 20, 4  # sequences of edits in one document, and edits in each
SLOW = (
    "do_drag_joint",
    "do_reroot",
    "do_figure",
    "do_figure_gesture",
    "do_edit_figure",
    "do_cycle_lock",
    "do_solve_locks",
)
HISTORY = ("do_undo", "do_redo", "do_jump")


class Worker(FigureActions, KeyActions, LayerActions, LockActions, PosingActions, SceneActions):
    """Does random things to a document, and remembers the state after every step on its stack.

    What is not possible (keys that collide, a value out of range) is tried too; it must change nothing.
    """

    def __init__(self, seed: int, skeletons: Path, folder: Path, journal: bool = True):
        self.random = Random(seed)
        self.skeletons = skeletons
        self.folder = folder
        self.document = Document()
        assert self.document.files.open(skeletons / FIGURES[seed % 2])
        assert not journal or self.document.files.start_journal(folder / "journals")
        self.states = {0: self.document.state_json()}
        self.history = False
        self.document.stack.indexChanged.connect(self.remember)
        self.done: set[str] = set()
        self.actions = [getattr(self, name) for name in sorted(dir(self)) if name.startswith("do_")]
        # What people do most comes up most.
        self.actions += [self.do_drag, self.do_pose, *3 * [self.do_scrub], self.do_undo, *2 * [self.do_remove_figure]]
        self.deck: list[Callable[[], None]] = []

    def remember(self, index: int) -> None:
        """Take note of the state after a push, or compare it after undo and redo."""
        state = self.document.state_json()
        if self.history:
            assert state == self.states[index]
        else:
            self.states = {i: old for i, old in self.states.items() if i < index} | {index: state}

    def next_action(self) -> Callable[[], None]:
        """Return one action after the other in random order, so that all come up equally often."""
        if not self.deck:
            self.deck = self.random.sample(self.actions, len(self.actions))
        return self.deck.pop()

    def work(self, actions: int = ACTIONS) -> None:
        for _ in range(actions):
            action = self.next_action()
            self.history = action.__name__ in HISTORY
            before = self.document.state_json()
            action()
            self.document.model.check()
            after = self.document.state_json()
            assert after == self.states[self.document.stack.index()], action.__name__
            if after != before:
                self.done.add(action.__name__)

    def begin_anew(self) -> None:
        """Forget the history; the document stays as it is."""
        if self.document.gesture is not None:
            self.document.gesture.cancel()
        self.history = True
        self.states = {0: self.document.state_json()}
        self.document.stack.clear()

    def check(self) -> None:
        """Undo to the start and redo to the end, one by one and in leaps; every state must be the one remembered."""
        stack = self.document.stack
        self.history = True
        stack.setIndex(stack.count())
        end = self.document.state_json()
        assert end == self.states[stack.count()]
        while stack.canUndo():
            self.document.history.undo()
            assert self.document.state_json() == self.states[stack.index()], stack.index()
        while stack.canRedo():
            self.document.history.redo()
            assert self.document.state_json() == self.states[stack.index()], stack.index()
        stack.setIndex(0)
        assert self.document.state_json() == self.states[0]
        stack.setIndex(stack.count())
        assert self.document.state_json() == end

    # -- values ----------------------------------------------------------------------------------------------------

    def pose(self) -> np.ndarray:
        q = self.document.pose.copy()
        for _ in range(self.random.randint(1, 4)):
            q[self.random.randrange(len(q))] = self.random.choice([self.random.gauss(0, 1), 0.0, -0.0, 1e-300, 0.1])
        return q

    def frame(self) -> int:
        return self.random.randint(0, 30)

    def two_joints(self) -> list[int]:
        """Two joints of the figure; one if it has one alone, as props have."""
        count = len(self.document.skeleton.joints)
        return self.random.sample(range(count), min(count, 2))

    def frames(self) -> list[int]:
        keys = self.document.sequence.keys.frames
        return self.random.sample(keys, min(len(keys), self.random.randint(1, 3)))

    # -- actions ---------------------------------------------------------------------------------------------------

    def do_drag(self) -> None:
        gesture = self.document.posing.begin_gesture("Drag")
        for _ in range(self.random.randint(1, 4)):
            gesture.set_pose(self.pose())
        if self.random.random() < 0.3:
            before = self.states[self.document.stack.index()]
            gesture.cancel()
            assert self.document.state_json() == before
        else:
            gesture.commit()

    def do_pose(self) -> None:
        self.document.posing.set(self.pose())

    def do_nudge(self) -> None:
        number = self.document.gesture_id()
        for _ in range(self.random.randint(1, 3)):
            if self.random.random() < 0.5:
                self.document.posing.set(self.pose(), "Nudge", number)
            else:
                joint = self.random.randrange(len(self.document.skeleton.joints))
                self.document.figures.set_joint_value(joint, "weight", self.random.random(), number)

    def do_scrub(self) -> None:
        """Go to another frame; a pose that is in no key is dropped there."""
        if self.random.random() < 0.1:
            auto, self.document.session.keys.auto = self.document.session.keys.auto, False
            self.document.posing.set(self.pose())
            self.document.session.keys.auto = auto
        self.document.set_frame(self.frame())

    def do_auto_key(self) -> None:
        self.document.session.keys.auto = self.random.random() < 0.5

    def do_set_key(self) -> None:
        self.document.keys.set(self.random.choice([None, self.frame()]))

    def do_delete(self) -> None:
        self.document.keys.delete(self.random.choice([None, self.frames()]))

    def do_move(self) -> None:
        self.document.keys.move({frame: self.frame() for frame in self.frames()})

    def do_interpolation(self) -> None:
        self.document.keys.set_interpolation(self.frames(), self.random.choice(INTERPOLATIONS))

    def do_turns(self) -> None:
        self.document.keys.set_turns(self.frames(), self.random.random() < 0.5)

    def do_retime(self) -> None:
        first = self.random.choice([*self.frames(), self.frame()])
        if self.random.random() < 0.5:
            self.document.keys.stretch(first, first + 10, self.random.uniform(0.2, 2.0))
        else:
            self.document.keys.slide(first, first + 10, self.random.randint(-12, 12))

    def do_paste(self) -> None:
        clip = self.document.keys.copy(0, self.frame())
        self.document.keys.insert_clip(self.frame(), clip, self.random.random() < 0.7)

    def do_values(self) -> None:
        edit, values = self.random.choice(
            [
                (self.document.sequences.set_fps, (self.random.choice([24, 25.0, 29.97, -1]),)),
                (self.document.sequences.set_range, (self.frame(), self.random.choice([None, self.frame()]))),
                (self.document.sequences.rename, (self.random.choice(["Walk", "Ünïcode „name“", ""]),)),
                (self.document.sequences.set_menu, (self.random.choice([None, "Walks"]),)),
                (self.document.sequences.set_loop, (self.random.random() < 0.5,)),
                (self.document.sequences.set_cycles, self.random.choices((*CYCLES, "round", None), k=2)),
            ]
        )
        edit(*values)

    def do_joint(self) -> None:
        joint = self.random.randrange(len(self.document.skeleton.joints))
        name = self.random.choice(["weight", "resistance"])
        other = self.random.randrange(len(self.document.skeleton.joints))
        if self.random.random() < 0.5:
            self.document.figures.set_joint_value(joint, name, self.random.uniform(0.0, 1.0))
        else:
            values = {each: {name: self.random.uniform(-0.2, 1.0)} for each in (joint, other)}
            self.document.figures.set_joint_values(values, "Set joints")

    def do_reroot(self) -> None:
        self.document.figures.reroot(self.random.randrange(len(self.document.skeleton.joints)))

    def do_edit_figure(self) -> None:
        """A few edits of the figure's joints in one step; some are refused, and then all of them are."""
        names = self.document.skeleton.joint_names
        edits = [self.edit(names) for _ in range(self.random.randint(1, 3))]

        def edit(builder: SkeletonBuilder) -> None:
            for change in edits:
                change(builder)

        self.document.figures.edit(edit, "Edit figure", self.random.choice([None, "one", "other"]))

    def do_drag_joint(self) -> None:
        """Several edits with one word are one step."""
        name = self.random.choice(self.document.skeleton.joint_names)
        word, carry = f"drag {self.document.gesture_id()}", self.random.random() < 0.5
        index = self.document.stack.index()
        for _ in range(self.random.randint(2, 4)):
            place = [self.random.gauss(0, 1) for _ in range(3)]
            assert self.document.figures.edit(lambda b, place=place: b.place(name, place, carry), "Move", word)
        assert self.document.stack.index() == self.document.stack.count() == index + 1

    def edit(self, names: tuple[str, ...]) -> Callable[[SkeletonBuilder], object]:
        """One random edit, made before it is known what the figure will be when its turn comes."""
        random = self.random
        a, b = random.choice(names), random.choice(names)
        new = random.choice(["tail", "horn", "wing", "left ear"])
        axis, number = random.choice("xyz"), random.uniform(-1.5, 1.5)
        place = [random.gauss(0, 1) for _ in range(3)]
        flag = random.random() < 0.5
        return random.choice(
            [
                lambda f: f.add(new, a, offset=place, mass=random.choice([None, 0.5])),
                lambda f: f.add_dof(a, random.choice(["hinge", "slide"]), axis, number, number + 1.0, "New"),
                lambda f: f.remove_dof(a, 0),
                lambda f: f.remove(a, flag),
                lambda f: f.rename(a, new),
                lambda f: f.set(a, mass=abs(number), center=place, color=(0.1, 0.5, 1.0)),
                lambda f: f.set(a, weight=number),
                lambda f: f.set_limits(a, 0, -1.0, number),
                lambda f: f.place(a, place, flag),
                lambda f: f.orient(a, [90.0 * number, 0.0, 10.0], flag),
                lambda f: f.reparent(a, b, flag),
                lambda f: f.mirror_side(a),
                lambda f: f.set_group(a, "Group"),
                lambda f: f.add_object(a, TRIANGLE),
                lambda f: f.remove_object(a),
                lambda f: setattr(f, "name", "Ünïcode"),
            ]
        )

    def do_sequence(self) -> None:
        if self.random.random() < 0.5:
            self.document.sequences.add(self.random.choice([None, self.document.sequence]), "More")
        else:
            self.document.sequences.show(self.random.randrange(len(self.document.sequences.all)))

    def do_figure(self) -> None:
        path = self.skeletons / self.random.choice(FIGURES)
        if self.random.random() < 0.5:
            self.document.files.load_figure(path)
        else:
            self.document.figures.add(load_skeleton(path), "Example")

    def do_undo(self) -> None:
        self.document.history.undo()

    def do_redo(self) -> None:
        self.document.history.redo()

    def do_jump(self) -> None:
        step = self.random.randint(0, self.document.stack.count())
        self.random.choice([self.document.history.go_to, self.document.stack.setIndex])(step)

    def do_save(self) -> None:
        """Save and open in another document: all but the pending pose, which is in no file, is the same."""
        before = self.document.state_json()
        path = self.folder / "work.seq"
        assert self.document.files.save(path)
        assert self.document.state_json() == before
        other = Document()
        assert other.files.open(path)
        expected = json.loads(before)
        expected["pending"] = None
        assert other.state_json() == json.dumps(expected, sort_keys=True)


def run(seed: int, skeletons: Path, folder: Path) -> set[str]:
    folder.mkdir()
    worker = Worker(seed, skeletons, folder)
    worker.work()
    recover(worker)
    worker.check()
    recover(worker)
    worker.document.files.close()
    return worker.done


def run_one_after_the_other(seed: int, count: int, skeletons: Path, folder: Path) -> set[str]:
    """Do many short sequences of actions; each begins where the one before ended, with a history of its own."""
    folder.mkdir()
    worker = Worker(seed, skeletons, folder, journal=False)
    quick = [action for action in worker.actions if action.__name__ not in (*SLOW, "do_save")]
    worker.actions = [*(action for action in worker.actions if action.__name__ in SLOW), *quick, *quick, *quick]
    for _ in range(count):
        worker.work(SHORT)
        worker.check()
        worker.begin_anew()
    worker.document.stack.indexChanged.disconnect(worker.remember)
    return worker.done


def recover(worker: Worker) -> None:
    """What the journal brings back is the same document, with the same history."""
    (journal,) = (worker.folder / "journals").glob("*.journal")
    other = Document()
    assert other.files.recover(shutil.copy(journal, worker.folder / "copy.journal"))
    stack, document = other.stack, worker.document
    assert other.state_json() == document.state_json()
    assert (stack.index(), stack.count()) == (document.stack.index(), document.stack.count())
    assert other.modified == document.modified
    for index in (0, stack.count()):
        stack.setIndex(index)
        assert other.state_json() == worker.states[index]


def run_many(seeds: range, skeletons: Path, folder: Path) -> None:
    """Do random work of some seeds, and of further ones until each kind of work has changed something."""
    done: set[str] = set()
    possible = {name for name in dir(Worker) if name.startswith("do_")}
    possible -= {"do_save", "do_auto_key", "do_mirror_editing", "do_redo"}
    for seed in range(seeds.start, seeds.stop + 40):
        if seed in seeds or possible - done:
            done |= run(seed, skeletons, folder / str(seed))
    assert not possible - done, f"these never changed anything: {sorted(possible - done)}"


def test_undo_and_redo_are_exact(qapp, skeletons_folder, tmp_path):
    run_many(range(14), skeletons_folder, tmp_path)


@pytest.mark.verify
def test_undo_and_redo_are_exact_in_full(qapp, skeletons_folder, tmp_path):
    run_many(range(1_000, 1_100), skeletons_folder, tmp_path)


@pytest.mark.verify
def test_ten_thousand_sequences_of_edits_are_undone_and_redone_exactly(qapp, skeletons_folder, tmp_path):
    for seed in range(10_000 // AT_ONCE):
        run_one_after_the_other(seed, AT_ONCE, skeletons_folder, tmp_path / str(seed))


def test_sequences_of_edits_one_after_the_other(qapp, skeletons_folder, tmp_path):
    run_one_after_the_other(77, AT_ONCE, skeletons_folder, tmp_path / "one")

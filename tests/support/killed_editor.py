"""An editor that is killed in the middle of its work: ``python -m tests.support.killed_editor FOLDER --kills 200``.

A process of its own, since it forks: all that is imported once serves every life. In each life a document with a
journal is edited at random and saved again and again, and notes outside of itself the digest of each state that is
reached. It is killed by ``SIGKILL`` at a random moment. What is then on the disk must be a whole file, and the journal
must bring back the state that was noted last, or the one that the command under way when the blow came would have
reached.

What those states are is known from an undisturbed life of the same seed. Prints one line of JSON.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import secrets
import shutil
import signal
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QCoreApplication

from app.document import Document
from app.document.files.journal import journals_left
from app.document.step import Step
from tests.property.test_undo import HISTORY, Worker

SKELETONS = Path(__file__).resolve().parents[2] / "skeletons"
SAVED_OFTEN = 6
"""Of so many actions one is a save: a person saves less often, but then a blow would hardly ever meet one."""
LIVES_A_SEED = 10


def digest(state: str) -> str:
    """Return what stands for a document's state; two of the same digest are the same, bit for bit."""
    return hashlib.sha256(state.encode()).hexdigest()[:24]


def filed(state: str) -> str:
    """Return what stands for a document's state as a file holds it: without the pose that is in no key."""
    return digest(json.dumps({**json.loads(state), "pending": None}, sort_keys=True))


class Life:
    """Edits and saves at random, and notes each state in ``FOLDER/notes``; the folder is empty or new.

    Args:
        seed: What is done, and in which order.
        folder: Where the file, the journal and the notes go.
    """

    def __init__(self, seed: int, folder: Path):
        folder.mkdir(parents=True, exist_ok=True)
        names = random.Random(seed)
        secrets.token_hex = lambda count=4: names.randbytes(count).hex()  # ids that are the same in each life
        self.notes = os.open(folder / "notes", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        self.worker = Worker(seed, SKELETONS, folder)
        document = self.worker.document
        self.write_step = document.write_step
        document.write_step = self.note_step
        self.path = folder / "work.seq"
        self.note("began", digest(document.state_json()))

    def note(self, what: str, of: str) -> None:
        os.write(self.notes, f"{what} {of}\n".encode())

    def note_step(self, step: Step, event: str) -> None:
        assert self.write_step is not None
        self.write_step(step, event)
        self.note("reached", digest(self.worker.document.state_json()))

    def work(self, actions: int) -> None:
        """Do so many actions."""
        worker, document = self.worker, self.worker.document
        worker.actions = [action for action in worker.actions if action.__name__ != "do_save"]
        for number in range(actions):
            if number % SAVED_OFTEN == SAVED_OFTEN - 1:
                self.note("saving", filed(document.state_json()))
                assert document.files.save(self.path), "the file could not be saved"
                self.note("saved", filed(document.state_json()))
            else:
                action = worker.next_action()
                worker.history = action.__name__ in HISTORY
                action()
        self.note("ended", "-")


def in_a_child(work: Callable[[], None], complaint: Path) -> int:
    """Begin some work in a forked process and return its number; a traceback goes to a file."""
    child = os.fork()
    if child:
        return child
    try:
        QCoreApplication([])
        work()
        os._exit(0)
    except BaseException:
        complaint.write_text(traceback.format_exc(), encoding="utf-8")
        os._exit(1)


def ended_well(child: int, complaint: Path) -> None:
    """Wait for a child; raise what it complained of."""
    if os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) != 0:
        raise AssertionError(complaint.read_text(encoding="utf-8") if complaint.exists() else "it crashed")


def read_notes(folder: Path) -> list[tuple[str, str]]:
    """Return what a life noted; a last line that was cut off is left out."""
    path = folder / "notes"
    lines = path.read_text(encoding="utf-8").split("\n")[:-1] if path.exists() else []
    return [(line.split(" ")[0], line.split(" ")[1]) for line in lines]


def wait_for(folder: Path, count: int, child: int) -> None:
    """Wait until a life has noted so much, or is over."""
    path = folder / "notes"
    while not path.exists() or path.read_bytes().count(b"\n") < count:
        if os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None:
            return
        time.sleep(0.0005)


def check(folder: Path, whole: list[tuple[str, str]], outcome: Path) -> None:
    """Check what a killed life has left: the file, and what its journal brings back.

    Args:
        folder: The life's.
        whole: What an undisturbed life of the same seed noted.
        outcome: A file to which goes what was found, a line of JSON.
    """
    notes = read_notes(folder)
    first = next((k for k, pair in enumerate(zip(notes, whole, strict=False)) if pair[0] != pair[1]), None)
    assert first is None, f"a life of the same seed did other things from note {first} of {len(notes)} on"
    states = [state for what, state in whole if what in ("began", "reached")]
    known = sum(what in ("began", "reached") for what, _ in notes)
    file, in_file = folder / "work.seq", None
    tries = [state for what, state in notes if what == "saving"]
    done = [state for what, state in notes if what == "saved"]
    if done:
        assert file.exists(), "a file that was saved is gone"
    if file.exists():
        document = Document()
        assert document.files.open(file), "the file does not load"
        in_file = filed(document.state_json())
        assert in_file in {*done[-1:], *tries[-1:]}, "the file is not the one saved last"
    lost: int | None = None
    journals = journals_left(folder / "journals")
    if journals:
        assert len(journals) == 1
        document = Document()
        messages: list[str] = []
        document.message.connect(lambda _level, text, _details: messages.append(text))
        assert document.files.recover(shutil.copy(journals[0].path, folder / "copy.journal")), messages
        assert not any("damaged" in text for text in messages), messages
        reached = digest(document.state_json())
        assert reached in states[max(known - 1, 0) : known + 1], (
            f"the journal brought back another state than the {known} noted"
        )
        lost = 0
    elif known > 1:
        # Nothing is left to recover where the last thing that was done is in the file. The blow may have come after
        # the journal went and before the save was noted.
        last, state = [note for note in notes if note[0] in ("reached", "saved", "saving")][-1]
        assert last in ("saved", "saving"), f"after {last} no journal is left"
        assert in_file == state, f"after {last} no journal is left, and the file holds another state"
    in_a_save = bool(notes) and notes[-1][0] == "saving"
    outcome.write_text(json.dumps([known, in_a_save, lost is not None]), encoding="utf-8")


def main() -> None:
    """Live, be killed, and look at what is left, again and again.

    The blow comes a random while after a random note, every second time after one that says that a file is being saved.
    """
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--actions", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    chance = random.Random(options.seed)
    found: list[tuple[int, bool, bool]] = []
    whole: list[tuple[str, str]] = []
    pause, moments = 0.0, [0]
    folder = options.folder / "life"  # the same for all: a file says where its figures come from, seen from there
    for number in range(options.kills):
        seed = 500 + number // LIVES_A_SEED
        complaint = options.folder / f"{number}.error"
        if number % LIVES_A_SEED == 0:
            began = time.monotonic()
            ended_well(in_a_child(lambda s=seed: Life(s, folder).work(options.actions), complaint), complaint)
            whole = read_notes(folder)
            pause = (time.monotonic() - began) / len(whole)
            saves = [number for number, (what, _) in enumerate(whole, start=1) if what == "saving"]
            moments = [*range(len(whole)), *len(whole) // len(saves) * saves]
            shutil.rmtree(folder)
        child = in_a_child(lambda s=seed: Life(s, folder).work(options.actions), complaint)
        wait_for(folder, chance.choice(moments), child)
        time.sleep(chance.uniform(0.0, pause))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        assert not complaint.exists(), complaint.read_text(encoding="utf-8")
        outcome = options.folder / f"{number}.json"
        ended_well(in_a_child(lambda w=whole, o=outcome: check(folder, w, o), complaint), complaint)
        found.append(tuple(json.loads(outcome.read_text(encoding="utf-8"))))
        shutil.rmtree(folder, ignore_errors=True)
    print(
        json.dumps(
            {
                "kills": len(found),
                "states reached": sum(known for known, _, _ in found),
                "killed while saving": sum(saving for _, saving, _ in found),
                "recovered from a journal": sum(recovered for _, _, recovered in found),
            }
        )
    )


if __name__ == "__main__":
    sys.exit(main())

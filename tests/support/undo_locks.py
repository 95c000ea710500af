"""Random edits of locks for the test of undo and redo."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from core.constraints import Lock

if TYPE_CHECKING:
    from app.document import Document


class LockActions:
    """Actions on locks and their strips; what is not possible is tried too."""

    document: Document
    random: Random

    if TYPE_CHECKING:

        def frame(self) -> int: ...
        def two_joints(self) -> list[int]: ...

    def lock(self) -> Lock:
        joint = self.random.choice(self.document.skeleton.joint_names)
        other = self.random.choice(self.document.skeleton.joint_names)
        point = [self.random.gauss(0, 0.1) for _ in range(3)]
        kind = self.random.choice(["position", "orientation", "pose", "plane", "line", "point_pair", "distance", "aim"])
        paired = kind in ("point_pair", "distance", "aim")
        weight = self.random.choice([1.0, 1.0, 0.5, 0.0])
        return Lock(joint, kind, point=point, other=(other, point[::-1]) if paired else None, weight=weight)

    def do_lock(self) -> None:
        end = self.random.choice([None, self.frame()])
        self.document.locks.add(
            self.lock(), self.random.choice([None, self.frame()]), end, ease_in=self.random.random()
        )

    def do_cycle_lock(self) -> None:
        self.document.locks.cycle(self.two_joints())

    def do_edit_lock(self) -> None:
        """Edits of one strip in a row; those that are not possible change nothing."""
        strips = self.document.locks.strips
        if not strips:
            return
        number, lock = self.document.gesture_id(), self.random.choice(strips).id
        for _ in range(self.random.randint(1, 3)):
            values = self.random.choice(
                [
                    {"weight": self.random.uniform(-0.2, 1.0)},
                    {"start": self.frame(), "ease_out": self.random.uniform(0.0, 5.0)},
                    {"end": self.random.choice([None, self.frame()]), "strip_weight": self.random.random()},
                    {"kind": self.random.choice(["position", "orientation", "pose", "plane"])},
                    {"target": None},
                    {"name": "Ünïcode"},
                ]
            )
            self.document.locks.edit(lock, number, **values)

    def do_part_lock(self) -> None:
        strips = self.document.locks.strips
        if strips:
            lock = self.random.choice(strips).id
            edit = self.random.choice(
                [
                    lambda: self.document.locks.split(lock, self.frame()),
                    lambda: self.document.locks.copy(lock, self.frame()),
                    lambda: self.document.locks.end(lock, self.frame()),
                    lambda: self.document.locks.mirror(lock),
                    lambda: self.document.locks.remove(lock),
                    self.document.locks.clear,
                ]
            )
            edit()

    def do_lock_parts(self) -> None:
        """What menus and keys do to the locks of parts, some of it at once to several strips."""
        random, document = self.random, self.document
        parts = self.two_joints()
        ids = [strip.id for strip in document.locks.strips]
        some = random.sample(ids, min(len(ids), 2))
        edit = random.choice(
            [
                lambda: document.locks.lock_parts(parts, random.choice(["position", "orientation", "pose", "plane"])),
                lambda: document.locks.lock_pair(random.choice(["point_pair", "distance", "aim"]), parts[0], parts[-1]),
                lambda: document.locks.release(parts, random.choice([None, ["position", "pose"]])),
                lambda: document.locks.mirror_all(some),
                lambda: document.locks.set([strip for strip in document.locks.strips if strip.id not in some]),
            ]
        )
        edit()

    def do_solve_locks(self) -> None:
        self.document.locks.solve_now()

    def do_locks_hold(self) -> None:
        self.document.locks.set_holds(self.random.random() < 0.5)
        self.document.session.locks.hold = self.random.random() < 0.8

    def do_script(self) -> None:
        """Write a script: some lines more, some less, one that is wrong, numbers that change."""
        document = self.document
        if document.skeleton is None:
            return
        part = self.random.choice(document.skeleton.joint_names)
        lines = document.script.text.splitlines()[-6:]
        start = self.random.randrange(20)
        new = [
            f'lock "{part}" {self.random.choice(("position", "pose", "plane", "orientation"))} from {start} ease 2',
            f'lock "{part}" position at (0.1*t, 1, 0) from {start} to {start + 9}  # moves',
            f'lock "{part}" positio from',
            "# a remark",
        ]
        lines.insert(self.random.randrange(len(lines) + 1), self.random.choice(new))
        if len(lines) > 3:
            del lines[self.random.randrange(len(lines))]
        document.script.set_text("\n".join(lines))

"""Asks which joint of one figure stands for which of another, with both side by side at any frame of the motion."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from app.dialogs.import_picture import ImportPicture
from app.widgets.fields.choice import Choice
from app.widgets.fields.number_field import NumberField
from app.widgets.fields.slider import JointSlider
from app.widgets.frames.form_dialog import FormDialog
from app.widgets.frames.scroll import OverlayScrollArea
from app.widgets.labels import quiet_label
from app.widgets.layouts import column_layout, row_layout
from app.widgets.rows.form_row import FormRow
from app.words.part_names import spoken_name
from app.words.quantity import FACTOR, FRAME
from core.animation.retargeting import Pair, retargeted_pose, suggested_pairs, usual_scale
from core.animation.sequence import Sequence as Motion
from core.constraints.soles import height
from core.errors import CoreError
from core.kinematics import forward_kinematics
from core.skeleton import Skeleton

LABEL, FIELDS, PICTURE = 132, 400, 210
_SOON = 40  # [ms]
_SMALLEST, _LARGEST = 0.01, 100.0

Recall = Callable[[Skeleton, Skeleton], "tuple[Pair, ...] | None"]


class RetargetDialog(FormDialog):
    """How a motion of one figure goes over to another one.

    Args:
        motions: What is offered, each with what it is called; one at least.
        target: The figure that is to move likewise.
        recall: Gives the pairs that were chosen for two figures like these before.
        parent: Owner.

    Attributes:
        motion: Which motion.
        pictures: The figure of the motion, and the target.
        frame: Which frame the pictures show.
        joints: For each joint of the target that moves, by name, which joint it is paired with.
        scale: How many times as far it travels.
        hold: Whether feet are held where they stand.
    """

    def __init__(
        self, motions: Sequence[tuple[str, Motion]], target: Skeleton, recall: Recall, parent: QWidget | None = None
    ):
        super().__init__(f"Retarget motion to {target.name}", "Retarget", parent)
        self._motions, self._target, self._recall = tuple(motions), target, recall
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(_SOON)
        self._soon.timeout.connect(self._draw)
        self.motion = Choice("Motion")
        self.motion.show_rows([(n, text) for n, (text, _) in enumerate(self._motions)], 0)
        self.motion.picked.connect(lambda _key: self._begin())
        self.pictures = ImportPicture(self.sequence.skeleton), ImportPicture(target)
        names = ("The figure of the motion", "The figure that moves likewise")
        for picture, name in zip(self.pictures, names, strict=True):
            picture.setMinimumSize(PICTURE, 260)
            picture.setAccessibleName(name)
        self.frame = JointSlider(FRAME, plain=True)
        self.frame.setAccessibleName("Frame that the pictures show")
        self.frame.changed.connect(lambda _value: self._soon.start())
        self.joints: dict[str, Choice] = {}
        self.scale = NumberField(replace(FACTOR, decimals=2, step=0.05))
        self.scale.setAccessibleName("How many times as far it travels")
        self.scale.setToolTip("How many times as far it travels as the original; the length of the legs suggests it")
        self.scale.set_limits(_SMALLEST, _LARGEST)
        self.scale.setFixedWidth(88)
        self.scale.committed.connect(lambda _value: self._soon.start())
        self.hold = QCheckBox("Hold feet where they stand")
        self.hold.setToolTip("Lock strips keep each foot in its place as long as it stands")
        self.hold.setChecked(True)
        self.suggest = QPushButton("Suggest pairs")
        self.suggest.setToolTip("Pair joints by what they carry of the body, and by their names")
        self.suggest.setAutoDefault(False)
        self.suggest.clicked.connect(lambda: self._show_pairs(suggested_pairs(self.sequence.skeleton, self._target)))
        self._arrange()
        self._begin()
        self.go.setFocus()

    # -- what is chosen ---------------------------------------------------------------------------------------------

    @property
    def sequence(self) -> Motion:
        """The motion that is retargeted."""
        return self._motions[max(self.motion.currentIndex(), 0)][1]

    @property
    def pairs(self) -> tuple[Pair, ...]:
        """Which joint stands for which."""
        return tuple(Pair(str(field.chosen), name) for name, field in self.joints.items() if field.chosen is not None)

    # -- the fields -------------------------------------------------------------------------------------------------

    def _arrange(self) -> None:
        whole = row_layout(self, (12, 12, 8, 12), 8)
        left = QVBoxLayout()
        left.setSpacing(6)
        shown = QHBoxLayout()
        shown.setSpacing(4)
        for picture in self.pictures:
            shown.addWidget(picture, 1)
        left.addLayout(shown, 1)
        left.addWidget(FormRow("Frame", [self.frame], label_width=44))
        whole.addLayout(left, 1)
        right = QWidget()
        right.setFixedWidth(FIELDS)
        column = column_layout(right, spacing=6)
        column.addWidget(FormRow("Motion", [self.motion], label_width=LABEL))
        line = QWidget()
        top = row_layout(line, (12, 4, 8, 0), 4)
        top.addWidget(quiet_label("Joints", line), 1)
        top.addWidget(self.suggest)
        column.addWidget(line)
        rows = QWidget()
        inner = column_layout(rows, (0, 0, 8, 0), 0)
        for joint in self._target.joints:
            if not joint.dofs:
                continue
            field = self.joints[joint.name] = Choice(f"What {spoken_name(joint.name)} does as")
            field.picked.connect(lambda _key: self._soon.start())
            name = spoken_name(joint.name)
            inner.addWidget(FormRow(f"{name[:1].upper()}{name[1:]}", [field], label_width=LABEL))
        inner.addStretch(1)
        area = OverlayScrollArea()
        area.setWidgetResizable(True)
        area.setWidget(rows)
        area.setMinimumHeight(200)
        column.addWidget(area, 1)
        column.addWidget(FormRow("Travels", [QWidget(), self.scale], label_width=LABEL))
        column.addWidget(FormRow("Feet", [self.hold], label_width=LABEL))
        foot = column_layout(margins=(12, 0, 8, 0), spacing=8)
        foot.addWidget(self.remark)
        foot.addWidget(self.buttons)
        column.addLayout(foot)
        whole.addWidget(right)
        stops = [self.motion, self.suggest, *self.joints.values(), self.scale, self.hold]
        for one, following in pairwise(stops):
            self.setTabOrder(one, following)
        self.resize(880, 560)

    def _begin(self) -> None:
        """Show what goes with another motion."""
        sequence = self.sequence
        first, last = sequence.keys[0].frame, sequence.keys[-1].frame
        self.frame.set_range(float(first), float(max(last, first + 1)), (False, False))
        self.frame.set_rest(float(first))
        self.frame.set_value(float((first + last) // 2))
        self.scale.set_value(usual_scale(sequence.skeleton, self._target))
        known = self._recall(sequence.skeleton, self._target)
        self._show_pairs(known or suggested_pairs(sequence.skeleton, self._target))

    def _show_pairs(self, pairs: tuple[Pair, ...]) -> None:
        chosen = {pair.target: pair.source for pair in pairs}
        spoken = [(joint.name, spoken_name(joint.name)) for joint in self.sequence.skeleton.joints]
        names = [(name, f"{text[:1].upper()}{text[1:]}") for name, text in spoken]
        for name, field in self.joints.items():
            field.show_rows([(None, "–"), *names], chosen.get(name))
        self._soon.start()

    def _draw(self) -> None:
        """Draw both figures at the frame, and say what it comes to."""
        sequence, frame = self.sequence, float(round(self.frame.value))
        source = sequence.skeleton
        q = sequence.poses_at_frames(np.array([frame]))[0]
        self.pictures[0].show_pose(source, forward_kinematics(source, q), height(source))
        try:
            other = retargeted_pose(sequence, self._target, frame, self.pairs, self.scale.value)
        except CoreError as error:
            self.refuse(error)
            return
        self.pictures[1].show_pose(self._target, forward_kinematics(self._target, other), height(self._target))
        left = sum(field.chosen is None for field in self.joints.values())
        rest = f"; {left} go along with the part that carries them" if left else ""
        self.allow(f"{len(self.pairs)} of {len(self.joints)} joints turn as those they are paired with{rest}.")

"""What ties the joint that is edited to others beside the tree: what it follows, and loops that it closes."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.document.edits import tie_edits
from app.document.edits.joint_edits import Edit
from app.panels.live_edit import LiveEdits
from app.widgets.fields.choice import Choice
from app.widgets.fields.name_field import NameField
from app.widgets.fields.vector_field import VectorField
from app.widgets.frames.tool_button import ToolButton
from app.widgets.layouts import column_layout
from app.widgets.rows.form_row import FormRow
from app.words.dof_names import full_label
from app.words.lengths import size_text
from app.words.quantity import METRES, Quantity
from core.skeleton import Skeleton
from core.skeleton.joint import dof_letters
from core.skeleton.tie import Loop

_LENGTH = Quantity("", 3, 0.01, "metres", METRES.units)
_FREE, _SEVERAL = (-1, ""), (-2, "")
_RULE_TIP = "How much of it: a ratio, or an expression of u, the other one's value in radians or metres"
_ADD_TIP = "Close a loop: the end of this part stays where it is in the other one"
_OPEN = 1e-4
"""From this distance on a loop counts as open at rest, [m]."""

Dof = tuple[int, str]


class LoopRows(QWidget):
    """The fields of one loop: with which part, and the two points that stay together."""

    def __init__(self, bind: Callable[[VectorField, str, Callable[[str], Edit]], None], number: int):
        super().__init__()
        column = column_layout(self)
        self.other = Choice(f"Loop {number + 1} with")
        self.remove = ToolButton("close", "", "Open this loop", size=(22, 22), parent=self)
        self.remove.setAccessibleName(f"Open loop {number + 1}")
        self.point = VectorField(f"Point of loop {number + 1} in this part", _LENGTH)
        self.place = VectorField(f"Point of loop {number + 1} in the other part", _LENGTH)
        for field, name in ((self.point, "point"), (self.place, "place")):
            bind(field, "loop", partial(self._edit, field, number, name))
        column.addWidget(FormRow("Loop with", [self.other, self.remove]))
        column.addWidget(FormRow("Here", [self.point], "m"))
        column.addWidget(FormRow("There", [self.place], "m"))

    @staticmethod
    def _edit(field: VectorField, number: int, what: str, joint: str) -> Edit:
        return tie_edits.with_loop_values(joint, number, **{what: field.value})

    def show_loop(self, loop: Loop, others: list[tuple[object, str]]) -> None:
        """Show a loop, and with which parts it could be."""
        self.other.show_rows(others, loop.other)
        self.point.show_value(loop.point)
        self.place.show_value(loop.place)


class TieSection(QWidget):
    """Followers and loops of a joint.

    Args:
        edits: Edits of the figure.
        bind: Lets a field set a value live: field, name of the value, and what makes the edit from the joint's name.
        refresh: Shows the joint again as the document has it.
    """

    def __init__(
        self,
        edits: LiveEdits,
        bind: Callable[[VectorField, str, Callable[[str], Edit]], None],
        refresh: Callable[[], None],
    ):
        super().__init__()
        self._edits, self._bind, self._refresh = edits, bind, refresh
        self._joint = ""
        column = column_layout(self)
        self._follow_rows, self._loop_rows = QVBoxLayout(), QVBoxLayout()
        for rows in (self._follow_rows, self._loop_rows):
            rows.setSpacing(0)
            column.addLayout(rows)
        self.leaders: list[Choice] = []
        self.rules: list[NameField] = []
        self._named: list[tuple[FormRow, FormRow]] = []  # of each degree of freedom: what it follows, and how
        self.loops: list[LoopRows] = []
        self.add = Choice("Close a loop with")
        self.add.setToolTip(_ADD_TIP)
        self.add.picked.connect(self._add_loop)
        column.addWidget(FormRow("New loop", [self.add]))

    # -- editing -------------------------------------------------------------------------------------------------

    def _do(self, text: str, edit: Edit) -> None:
        self._edits.do(text, edit)
        self._refresh()

    def _follow(self, dof: int, leader: object) -> None:
        if leader == _SEVERAL:
            self._refresh()
        elif leader == _FREE:
            self._do(f"Let {self._joint} follow nothing", tie_edits.without_follow(self._joint, dof))
        else:
            assert isinstance(leader, tuple)
            number, other = leader
            rule = self.rules[dof].text().strip() or "1"
            edit = tie_edits.with_follow(self._joint, dof, rule, other, number)
            self._do(f"Let {self._joint} follow {other}", edit)

    def _rule(self, dof: int, text: str) -> None:
        if text:
            self._do(f"Change how {self._joint} follows", tie_edits.with_rule(self._joint, dof, text))

    def _add_loop(self, other: object) -> None:
        if other:
            self._do(f"Close a loop with {other}", tie_edits.with_loop(self._joint, str(other)))

    def _loop_with(self, number: int, other: object) -> None:
        edit = tie_edits.with_loop_values(self._joint, number, other=str(other))
        self._do(f"Close the loop with {other}", edit)

    def _open(self, number: int) -> None:
        self._do(f"Open a loop of {self._joint}", tie_edits.without_loop(self._joint, number))

    # -- showing -------------------------------------------------------------------------------------------------

    def show_joint(self, skeleton: Skeleton, index: int) -> None:
        """Show what a joint follows and the loops that it closes."""
        joint = skeleton.joints[index]
        self._joint = joint.name
        self._match(len(joint.dofs), len(joint.loops))
        every = [
            ((dof - skeleton.first_dof[i], other.name), full_label(skeleton, dof))
            for i, other in enumerate(skeleton.joints)
            for dof in range(skeleton.first_dof[i], skeleton.first_dof[i] + len(other.dofs))
        ]
        letters = dof_letters(joint)
        follows = {follow.dof: follow for follow in joint.follows}
        for dof, (leader, rule) in enumerate(zip(self.leaders, self.rules, strict=True)):
            follow = follows.get(dof)
            rows: list[tuple[object, str]] = [(_FREE, "free")]
            chosen: Dof = _FREE
            if follow is not None and len(follow.leaders) == 1:
                chosen = follow.leaders[0].dof, follow.leaders[0].joint
            elif follow is not None:
                words = ", ".join(f"{each.name} {each.joint}" for each in follow.leaders) or "nothing"
                rows.append((_SEVERAL, f"by {words}"))
                chosen = _SEVERAL
            rows += [(key, text) for key, text in every if key != (dof, joint.name)]
            leader.show_rows(rows, chosen)
            rule.setEnabled(follow is not None)
            named, by = self._named[dof]
            named.label.setText(f"{letters[dof]} follows" if len(letters) > 1 else "Follows")
            by.setVisible(follow is not None)
            rule.show_text("" if follow is None else follow.text)
            label = full_label(skeleton, skeleton.first_dof[index] + dof)
            leader.setAccessibleName(f"{label} follows")
            leader.setToolTip(f"What {label} follows: it moves by that alone")
            rule.setAccessibleName(f"How {label} follows")
        others: list[tuple[object, str]] = [(name, name) for name in skeleton.joint_names if name != joint.name]
        for rows_of_loop, loop in zip(self.loops, joint.loops, strict=True):
            rows_of_loop.show_loop(loop, others)
            apart = tie_edits.gap(skeleton, joint.name, loop)
            rows_of_loop.other.setToolTip(
                "Both points stay together" if apart < _OPEN else f"Both points are {size_text(apart)} apart at rest"
            )
        self.add.show_rows([("", "with…"), *others], "")

    def _match(self, dofs: int, loops: int) -> None:
        """Have as many rows as there are degrees of freedom and loops."""
        while len(self.leaders) < dofs:
            number = len(self.leaders)
            leader, rule = Choice("Follows"), NameField("How it follows", "u")
            rule.setToolTip(_RULE_TIP)
            leader.picked.connect(partial(self._follow, number))
            rule.committed.connect(partial(self._rule, number))
            self.leaders.append(leader)
            self.rules.append(rule)
            both = QWidget()
            column = column_layout(both)
            named, by = FormRow("Follows", [leader]), FormRow("by", [rule])
            column.addWidget(named)
            column.addWidget(by)
            self._named.append((named, by))
            self._follow_rows.addWidget(both)
        while len(self.loops) < loops:
            number = len(self.loops)
            rows = LoopRows(self._bind, number)
            rows.other.picked.connect(partial(self._loop_with, number))
            rows.remove.clicked.connect(partial(self._open, number))
            self.loops.append(rows)
            self._loop_rows.addWidget(rows)
        for layout, parts, count in (
            (self._follow_rows, (self.leaders, self.rules, self._named), dofs), (self._loop_rows, (self.loops,), loops),
        ):  # fmt: skip
            while layout.count() > count:
                item = layout.takeAt(layout.count() - 1)
                row = None if item is None else item.widget()
                if row is not None:
                    row.hide()
                    row.deleteLater()
                for each in parts:
                    del each[-1]


def ties_text(skeleton: Skeleton, index: int) -> str:
    """Return in few words what ties a joint beside the tree."""
    joint = skeleton.joints[index]
    words = []
    if joint.follows:
        words.append(f"{len(joint.follows)} following")
    if joint.loops:
        words.append(f"{len(joint.loops)} loop{'s' * (len(joint.loops) != 1)}")
    return ", ".join(words) or "none"

"""Writing a figure as a .scr file. Reading the text back gives the same figure, bit for bit."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from core.arrays import Array
from core.errors import SkeletonError
from core.joints import (
    Composite,
    ExpressionJoint,
    JointModel,
    Mirrored,
    Prismatic,
    Reversed,
    Revolute,
    SphericalEuler,
    SplineCurve,
    SplineSurface,
)
from core.joints.expression import Rotate, Translate
from core.joints.transformed import Transformed
from core.skeleton.control_frames import controls_of, spline_of
from core.skeleton.dof import ANGLE, HINGE, SLIDE, Dof
from core.skeleton.joint import Group, Joint, SegmentObject, axis_letter, dof_letters
from core.skeleton.joint_type import is_general, type_dofs
from core.skeleton.mirroring.mirror import reflect_joint
from core.skeleton.scr.expression_lines import MEASURES
from core.skeleton.scr.lexer import quoted
from core.skeleton.scr.lines import DEEPEST, ball_dofs
from core.skeleton.scr.numbers import degrees_text, number_text
from core.skeleton.scr.parameters import parameter_words
from core.skeleton.skeleton import Skeleton

_INDENT = "    "


def _numbers(values: Sequence[float] | Array) -> str:
    return " ".join(number_text(value) for value in values)


# -- hierarchy -------------------------------------------------------------------------------------------------------


def depth_first_order(s: Skeleton) -> tuple[int, ...]:
    """Return the joints' indices in the order in which a .scr file lists them: every branch to its end, then the next.

    It is ``range(n)`` for every figure that was read from a .scr file.
    """
    order: list[int] = []
    waiting = [0]
    while waiting:
        i = waiting.pop()
        order.append(i)
        waiting.extend(reversed(s.children[i]))
    return tuple(order)


def _parents(layout: Sequence[int | Group]) -> dict[int, int] | None:
    """Return the parent of each joint as the layout has it; None if one is there twice or there are two roots."""
    parents: dict[int, int] = {}
    stack: list[tuple[Iterator[int | Group], int]] = [(iter(layout), -1)]
    while stack:
        items, previous = stack.pop()
        for item in items:
            if isinstance(item, Group):
                stack.append((items, previous))
                stack.append((iter(item.items), previous))
                break
            if item in parents or (previous < 0 and parents):
                return None
            parents[item] = previous
            previous = item
    return parents


def _fits(s: Skeleton) -> bool:
    """Whether the figure's layout says the same as its parents do, in the same order."""
    if s.layout is None:
        return False
    parents = _parents(s.layout)
    return (
        parents is not None
        and list(parents) == list(range(len(s.joints)))
        and all(s.joints[i].parent == parent for i, parent in parents.items())
    )


def derived_layout(s: Skeleton) -> tuple[int | Group, ...]:
    """Return a layout made from the tree: where it branches, each branch but the last becomes a group.

    A group is named after its first joint. The last branch carries the chain on, unless all branches are alike in
    being the counterpart of another: then it is a group as well, as a person would write it.
    """
    paired = {k for pair in s.mirror_pairs for k in pair}
    # Made from the last joint to the first, so that every group is complete when it is put into another.
    tails: dict[int, list[int | Group]] = {}
    for i in reversed(depth_first_order(s)):
        children = s.children[i]
        items: list[int | Group] = [i]
        for child in children:
            branch = tails.pop(child)
            if child != children[-1] or (len(children) > 1 and child in paired):
                items.append(Group(s.joints[child].name, tuple(branch)))
            else:
                items.extend(branch)
        tails[i] = items
    return tuple(tails[0])


def _hierarchy(s: Skeleton, layout: Sequence[int | Group]) -> list[str]:
    lines = [f"define skeleton {quoted(s.name or 'Untitled', 'the name')}"]
    stack = [iter(layout)]
    while stack:
        for item in stack[-1]:
            indent = _INDENT * len(stack)
            if isinstance(item, Group):
                if len(stack) > DEEPEST:
                    raise SkeletonError(f"groups nested more than {DEEPEST} deep cannot be written to a .scr file")
                lines.append(f"{indent}group {quoted(item.name or 'group', 'group')}")
                stack.append(iter(item.items))
                break
            lines.append(f"{indent}joint {quoted(s.joints[item].name, 'joint')}")
        else:
            stack.pop()
            lines.append(f"{_INDENT * len(stack)}end {'group' if stack else 'skeleton'}")
    return lines


# -- joints ----------------------------------------------------------------------------------------------------------


def _dof_line(dof: Dof, label: str) -> str:
    if dof.kind not in (HINGE, SLIDE):
        raise SkeletonError(f'a degree of freedom of kind "{dof.kind}" cannot be written to a .scr file')
    text = f"{dof.kind} {axis_letter(dof.axis) or _numbers(dof.axis)}"
    if math.isfinite(dof.lo) or math.isfinite(dof.hi):
        write = degrees_text if dof.kind == HINGE else number_text
        text += f" {write(dof.lo)} {write(dof.hi)}"
    return text + (f" {quoted(label, 'label')}" if label else "")


def _same_dof(a: Dof, b: Dof) -> bool:
    return a.kind == b.kind and a.lo == b.lo and a.hi == b.hi and np.array_equal(a.axis, b.axis)


def _ball_at(joint: Joint) -> int:
    """Return which degree of freedom begins the run that a ``ball`` line stands for; -1 if there is none."""
    if joint.cone is None:
        return -1
    for k in range(len(joint.dofs) - 2):
        twist = joint.dofs[k + 2]
        ball = ball_dofs(twist.axis, joint.cone, twist.lo, twist.hi)
        if all(map(_same_dof, joint.dofs[k : k + 3], ball)) and not any(joint.dof_labels[k : k + 3]):
            return k
    return -1


def _limits(dof: Dof, rotary: bool = False) -> str:
    write = degrees_text if dof.kind == HINGE or rotary else number_text
    return f" {write(dof.lo)} {write(dof.hi)}"


def _type_words(model: JointModel) -> str:
    """Return the name of a type with coordinates of its own, and its parameters."""
    if isinstance(model, Transformed):
        return f"{model.type_name} {_type_words(model.joint)}"
    return " ".join([model.type_name, *parameter_words(model)])


def _model_line(model: JointModel, dofs: Sequence[Dof], labels: Sequence[str]) -> str:
    """Return the line of a type that takes no other lines."""
    if is_general(model):
        text = f"joint type {_type_words(model)}"
        if not all(map(_same_dof, type_dofs(model), dofs)):
            text += "".join(map(_limits, dofs, model.rotary))
        return text + _labels(labels)
    text = f"joint type {model.type_name}"
    if isinstance(model, Revolute | Prismatic):
        text += f" {axis_letter(dofs[0].axis) or _numbers(dofs[0].axis)}"
    elif isinstance(model, SphericalEuler):
        text += f" {model.order.casefold()}"
    if any(math.isfinite(dof.lo) or math.isfinite(dof.hi) for dof in dofs):
        text += "".join(map(_limits, dofs))
    return text + _labels(labels)


def _labels(labels: Sequence[str]) -> str:
    while labels and not labels[-1]:
        labels = labels[:-1]
    return "".join(f" {quoted(label, 'label')}" if label else ' ""' for label in labels)


def _spline_lines(
    spline: JointModel, dofs: Sequence[Dof], labels: Sequence[str], controls: Array | None = None
) -> Iterator[str]:
    model = spline_of(spline)
    assert model is not None
    own = type_dofs(model)
    limits = "" if all(map(_same_dof, own, dofs)) else "".join(map(_limits, dofs))
    text = "joint type reversed " if model is not spline else "joint type "
    text += model.type_name + (f" {model.basis}" if model.basis != "b-spline" else "")
    if isinstance(model, SplineCurve):
        yield f"{text} {'closed' if model.closed else 'open'}{limits}{_labels(labels)}"
    else:
        _, rows, columns = model.values.shape
        yield f"{text} {rows} {columns}{limits}{_labels(labels)}"
    frames = controls if controls is not None else controls_of(model)
    yield from (_frame_line([number_text(value) for value in frame]) for frame in frames)


def _frame_line(words: list[str]) -> str:
    return "frame " + " ".join(words[:3] if words[3:] == ["0"] * 3 else words)


def _expression_of(model: JointModel) -> ExpressionJoint | None:
    """Return the expression joint that a joint type is, seen from either end; None if it is none."""
    inner = model.joint if isinstance(model, Reversed) else model
    return inner if isinstance(inner, ExpressionJoint) else None


def _expression_lines(joint: JointModel, dofs: Sequence[Dof], labels: Sequence[str]) -> Iterator[str]:
    model = _expression_of(joint)
    assert model is not None
    yield f"joint type {'reversed ' if model is not joint else ''}{model.type_name}"
    units = {measure: f" {word}" for word, measure in MEASURES.items()}
    said = []
    for name, measure, dof, label in zip(model.coordinate_names, model.measures, dofs, labels, strict=True):
        free = math.isinf(dof.lo) and math.isinf(dof.hi)
        limits = "" if free else _limits(dof, measure == ANGLE)
        said.append(f"{name}{units.get(measure, '')}{limits}" + (f" {quoted(label, 'label')}" if label else ""))
    if any(" " in each for each in said):
        yield from (f"coordinates {each}" for each in said)
    else:
        yield f"coordinates {' '.join(said)}"
    yield from (f"let {name} {text}" for name, text in model.lets)
    yield from map(_move_line, model.moves)
    for moves in model.others:
        yield "chart"
        yield from map(_move_line, moves)


def _move_line(move: Translate | Rotate) -> str:
    if isinstance(move, Translate):
        return f"translate {(', ' if any(' ' in text for text in move.way) else ' ').join(move.way)}"
    return f"rotate {axis_letter(np.array(move.axis)) or _numbers(move.axis)} {move.angle}"


def _composite_lines(joint: Joint, model: Composite) -> Iterator[str]:
    yield f"joint type {model.type_name}"
    at = row = 0
    for part in model.joints:
        labels = joint.dof_labels[at : at + part.n]
        # In a row with splines and such all are coordinates; each part is written as what it is.
        dofs = type_dofs(part, [(dof.lo, dof.hi) for dof in joint.dofs[at : at + part.n]])
        if isinstance(part, Revolute | Prismatic):
            yield _dof_line(dofs[0], labels[0])
        elif spline_of(part) is not None:
            given = controls_of(part) if joint.controls is None else joint.controls[row : row + len(controls_of(part))]
            row += len(given)
            yield from _spline_lines(part, dofs, labels, given)
        elif _expression_of(part) is not None:
            yield from _expression_lines(part, dofs, labels)
        else:
            yield _model_line(part, dofs, labels)
        at += part.n


def _type_lines(joint: Joint, model: JointModel) -> Iterator[str]:
    if isinstance(model, Mirrored) and isinstance(
        model.joint, SplineCurve | SplineSurface | Composite | ExpressionJoint
    ):
        model = model.joint.reflected()  # these take lines of their own
    if spline_of(model) is not None:
        yield from _spline_lines(model, joint.dofs, joint.dof_labels, joint.controls)
    elif isinstance(model, Composite):
        yield from _composite_lines(joint, model)
    elif _expression_of(model) is not None:
        yield from _expression_lines(model, joint.dofs, joint.dof_labels)
    else:
        yield _model_line(model, joint.dofs, joint.dof_labels)
    if joint.cone is not None:
        yield f"cone {degrees_text(joint.cone)}"


def _dof_lines(joint: Joint) -> Iterator[str]:
    if joint.type is not None:
        yield from _type_lines(joint, joint.type)
        return
    ball = _ball_at(joint)
    for k, (dof, label) in enumerate(zip(joint.dofs, joint.dof_labels, strict=True)):
        if ball < 0 or not ball <= k < ball + 3:
            yield _dof_line(dof, label)
        elif k == ball:
            twist = joint.dofs[k + 2]
            line = f"ball {axis_letter(twist.axis) or _numbers(twist.axis)} {degrees_text(joint.cone or 0.0)}"
            if math.isfinite(twist.lo) or math.isfinite(twist.hi):
                line += f" {degrees_text(twist.lo)} {degrees_text(twist.hi)}"
            yield line
    if joint.cone is not None and ball < 0:
        yield f"cone {degrees_text(joint.cone)}"


def _object_line(part: SegmentObject) -> str:
    return f"object {quoted(part.file, 'object')}" + (" mirrored" if part.mirrored else "")


def _joint_lines(joint: Joint, letters: Mapping[str, Sequence[str]]) -> Iterator[str]:
    yield from (_object_line(part) for part in joint.objects)
    if np.any(joint.offset):
        yield f"offset {_numbers(joint.offset)}"
    if np.any(joint.orientation):
        yield f"orientation {_numbers(joint.orientation)}"
    yield from _dof_lines(joint)
    yield from (f"tip {_numbers(tip)}" for tip in joint.tips)
    if joint.pivot is not None:
        yield f"pivot {_numbers(joint.pivot)}"
    if np.any(joint.scale != 1.0):
        yield f"scale {_numbers(joint.scale)}"
    if joint.mass is not None:
        yield f"mass {number_text(joint.mass)}"
    if joint.center is not None:
        yield f"center {_numbers(joint.center)}"
    if joint.inertia is not None:
        inertia = joint.inertia
        products = [inertia[0, 1], inertia[0, 2], inertia[1, 2]]
        yield f"inertia {_numbers(np.diag(inertia))}" + (f" {_numbers(products)}" if any(products) else "")
    if joint.weight != 1.0:
        yield f"weight {number_text(joint.weight)}"
    if joint.resistance != 1.0:
        yield f"resistance {number_text(joint.resistance)}"
    if joint.stiffness is not None:
        yield f"stiffness {number_text(joint.stiffness[0])} rest {degrees_text(joint.stiffness[1])}"
    for word, value in (("damping", joint.damping), ("viscous", joint.viscous), ("motor", joint.motor)):
        if value != 0.0:
            yield f"{word} {number_text(value)}"
    if joint.coulomb is not None:
        yield f"coulomb {_numbers([value for value in joint.coulomb if value is not None])}"
    if joint.friction is not None:
        yield f"friction {number_text(joint.friction)}"
    if joint.color is not None:
        yield f"color {_numbers(joint.color)}"
    for loop in joint.loops:
        hinge = "" if loop.axis is None else f" hinge {axis_letter(np.array(loop.axis)) or _numbers(loop.axis)}"
        yield f"loop {quoted(loop.other, 'joint')} {_numbers(loop.point)} to {_numbers(loop.place)}{hinge}"
    for follow in joint.follows:
        letter = dof_letters(joint)[follow.dof]
        leaders = "".join(
            f" {each.name} {quoted(each.joint, 'joint')} {letters[each.joint][each.dof]}" for each in follow.leaders
        )
        yield f"follow {letter} {quoted(follow.text, 'expression')}{leaders}"
    if joint.mirror is not None:
        yield f"mirror {quoted(joint.mirror, 'counterpart')}"


def _same(a: object, b: object) -> bool:
    """Whether two joints' fields are equal; objects by file, their polygons come from there."""
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return isinstance(a, np.ndarray) and isinstance(b, np.ndarray) and np.array_equal(a, b)
    if isinstance(a, Dof) and isinstance(b, Dof):
        return _same_dof(a, b)
    if isinstance(a, SegmentObject) and isinstance(b, SegmentObject):
        return a.file == b.file and a.mirrored == b.mirrored
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(map(_same, a, b))
    return a == b


def same_joint(a: Joint, b: Joint) -> bool:
    """Return whether two joints have the same values to the last bit; objects by file, polygons come from there."""
    a, b = a.as_given(), b.as_given()
    return all(_same(getattr(a, field.name), getattr(b, field.name)) for field in dataclasses.fields(Joint))


def _made_by_mirror(s: Skeleton) -> set[int]:
    """Return the joints that need no definition: reading makes them from their counterpart's."""
    made: set[int] = set()
    pairs = {s.joints[a].name: s.joints[b].name for i, j in s.mirror_pairs for a, b in ((i, j), (j, i))}
    for i, j in s.mirror_pairs:
        if any(part.mirrored for part in s.joints[i].objects):
            i, j = j, i  # the side whose objects are as their files have them is the one to define
        first, second = s.joints[i], s.joints[j]
        if i == j or first.mirror != second.name or second.mirror != first.name:
            continue
        # Objects are known by their files, so there is no need to reflect their polygons.
        bare = dataclasses.replace(first, objects=tuple(dataclasses.replace(part, mesh=None) for part in first.objects))
        if first.defined and same_joint(reflect_joint(bare, second.name, second.parent, pairs), second):
            made.add(j)
    return made


def write_scr(skeleton: Skeleton) -> str:
    """Return the text of a .scr file.

    Angles and lengths are written with as many digits as it takes to read the same bits back. A joint that is the
    exact reflection of its counterpart is left to the counterpart's ``mirror`` line, one that was placed without
    definition stays so. Without a layout that fits, groups are made from the tree.

    A .scr file lists joints depth first. A figure whose joints stand in another order is written, but comes back
    with its joints, and so the values of a pose, in the order of :func:`depth_first_order`.

    Raises:
        SkeletonError: If a name cannot be written: empty, or with a line break in it.
    """
    s = skeleton
    fits = _fits(s)
    layout = s.layout if fits and s.layout is not None else derived_layout(s)
    lines = _hierarchy(s, layout)
    made = _made_by_mirror(s)
    letters = {joint.name: dof_letters(joint) for joint in s.joints}
    for i in range(len(s.joints)) if fits else depth_first_order(s):
        joint = s.joints[i].as_given()
        if i in made or not joint.defined:
            continue
        lines += ["", f"define joint {quoted(joint.name, 'joint')}"]
        lines += [_INDENT + line for line in _joint_lines(joint, letters)]
        lines.append("end joint")
    return "\n".join(lines) + "\n"

"""Reading the .scr skeleton file: text to figure, or every problem with its place.

Three steps: ``scr_parser`` goes line by line, on after a bad one too, and collects the hierarchy and a draft
of each joint; ``scr_checks`` compares the two; ``_build`` makes the joints and loads their objects.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path, PurePosixPath

import numpy as np

from core.errors import FormatError, Problem, SkeletonError
from core.skeleton.dof import HINGE
from core.skeleton.frames import frames_at
from core.skeleton.joint import Joint, SegmentObject
from core.skeleton.mesh import Mesh
from core.skeleton.mirroring.mirror import reflect_joint, reflect_mesh
from core.skeleton.objects.loading import decode, load_object, read_bytes, stays_inside, unit_remark
from core.skeleton.scr.drafts import JointDraft
from core.skeleton.scr.lexer import MOST_BYTES, LineProblem, Token, nearest, shortened
from core.skeleton.scr.parser import Parser, check_mirrors, check_placements
from core.skeleton.scr.ties import resolved_ties
from core.skeleton.skeleton import Skeleton
from core.skeleton.ties import reflected_ties

OPEN_LOOP = 1e-3
"""How far a loop may be open in the rest pose without a word, [m]."""
_MOST_NAMES = 20  # of joints that an object follows and the figure lacks, reported one by one


class _Objects:
    """Loads object files, each one once, and notes what is wrong; those that are given win over files."""

    def __init__(self, folder: Path | None, file: str, given: Mapping[str, Mesh]):
        self.folder = folder
        self.file = file
        self.given = given
        self.problems: list[Problem] = []
        self.warnings: list[Problem] = []
        self.meshes: dict[str, Mesh | None] = {}
        self.origins: dict[str, Path] = {}

    def get(self, token: Token) -> Mesh | None:
        name = token.text.replace("\\", "/")
        if name not in self.meshes:
            self.meshes[name] = self._load(name, token)
        return self.meshes[name]

    def _load(self, name: str, token: Token) -> Mesh | None:
        if not stays_inside(name):
            self._outside(token)
            return None
        if name in self.given:
            return self.given[name]
        if self.folder is None:
            self.warn(token, f"object {token} is not loaded: the text has no folder; a capsule is drawn")
            return None
        try:
            root = self.folder.resolve()
            target = (root / PurePosixPath(name)).resolve()
            if not target.is_relative_to(root):
                self._outside(token)
                return None
            if not target.exists():
                self.warn(token, f"object {token} is not there; a capsule is drawn instead")
                return None
        except (OSError, ValueError, RuntimeError) as error:
            self.problems.append(
                Problem(
                    self.file,
                    token.line,
                    token.column,
                    f"object {token} cannot be looked up ({error}); expected a file name",
                )
            )
            return None
        try:
            mesh = load_object(target, name)
            self.origins[name] = target
            remark = unit_remark(mesh, name)
            if remark:
                self.warn(token, f"object {token} {remark}")
            return mesh
        except FormatError as error:
            first, *rest = error.problems
            # The place in the object file, and the line that names it.
            used = f"{first.message} (used by {self.file}:{token.line}:{token.column})"
            if first.line:
                self.problems.append(Problem(first.file, first.line, first.column, used))
            else:
                self.problems.append(Problem(self.file, token.line, token.column, f"object {token} {first.message}"))
            self.problems.extend(rest)
            return None

    def warn(self, token: Token, message: str) -> None:
        """Note something that can be lived with."""
        self.warnings.append(Problem(self.file, token.line, token.column, message))

    def _outside(self, token: Token) -> None:
        message = f"object {token} leaves the folder of the skeleton file; expected a path inside it, relative to it"
        self.problems.append(Problem(self.file, token.line, token.column, message))


def _joint_from(draft: JointDraft, parent: int, objects: _Objects) -> Joint:
    parts: list[SegmentObject] = []
    for line in draft.objects:
        mesh = objects.get(line.token)
        if mesh is not None and line.mirrored:
            mesh = reflect_mesh(mesh)
        name = line.token.text.replace("\\", "/")
        parts.append(SegmentObject(name, mesh, line.mirrored, objects.origins.get(name)))
    return Joint(
        name=draft.name.text,
        parent=parent,
        dofs=tuple(draft.dofs),
        dof_labels=tuple(draft.labels),
        objects=tuple(parts),
        mirror=draft.mirror.text if draft.mirror else None,
        **draft.values,
    )


def _warn_of_weights(parser: Parser, objects: _Objects) -> None:
    """Note weights of objects that name joints the figure does not have."""
    known = {placement.name.text for placement in parser.placements}
    reported: set[str] = set()
    for draft in parser.drafts.values():
        for line in draft.objects:
            mesh = objects.get(line.token)
            if mesh is None or line.token.text in reported:
                continue
            reported.add(line.token.text)
            unknown = [name for name, _ in mesh.weights if name not in known]
            for name in unknown[:_MOST_NAMES]:
                near = nearest(name, known)
                hint = f'did you mean "{near}"?' if near else "its weights stay with the joint that carries the object"
                objects.warn(
                    line.token, f'object {line.token} follows "{shortened(name)}", no joint of this figure; {hint}'
                )
            if len(unknown) > _MOST_NAMES:
                more = len(unknown) - _MOST_NAMES
                objects.warn(
                    line.token, f"object {line.token} follows {more} more joints that this figure does not have"
                )


def _tied(parser: Parser, sources: dict[str, str], joints: list[Joint], file: str) -> list[Joint]:
    """Return the joints with their loops and with what follows what.

    Raises:
        FormatError: If these name something that is not there; lists all.
    """
    problems: list[LineProblem] = []
    ties = resolved_ties(parser.drafts, joints, problems)
    if problems:
        raise FormatError([Problem(file, p.line, p.column, p.message) for p in sorted(problems, key=_place)])
    if not ties:
        return joints
    tied = {j.name: replace(j, loops=ties[j.name][0], follows=ties[j.name][1]) for j in joints if j.name in ties}
    pairs = {joint.name: joint.mirror for joint in joints if joint.mirror is not None}
    pairs |= {other: name for name, other in pairs.items()}
    for name, source in sources.items():
        if source in tied:
            made = next(joint for joint in joints if joint.name == name)
            tied[name] = replace(made, **reflected_ties(tied[source], pairs))  # type: ignore[arg-type]
    return [tied.get(joint.name, joint) for joint in joints]


def _place(problem: LineProblem) -> tuple[int, int]:
    return problem.line, problem.column


def _open_loops(skeleton: Skeleton, parser: Parser, file: str) -> list[Problem]:
    """Return a warning for each loop that is open in the rest pose."""
    if not any(joint.loops for joint in skeleton.joints):
        return []
    frames = frames_at(skeleton, skeleton.rest_pose()[3:])
    found = []
    for i, joint in enumerate(skeleton.joints):
        for k, loop in enumerate(joint.loops):
            ends = [frame[:3, :3] @ point + frame[:3, 3] for frame, point in (
                (frames[i], loop.point), (frames[skeleton.joint_index(loop.other)], loop.place),
            )]  # fmt: skip
            gap = float(np.linalg.norm(ends[0] - ends[1]))
            if gap > OPEN_LOOP:
                draft = parser.drafts.get(joint.name)
                token = draft.loops[k].other if draft is not None else next(
                    p.name for p in parser.placements if p.name.text == joint.name
                )  # fmt: skip
                message = f'the loop of "{joint.name}" with "{loop.other}" is open by {gap:.3g} m in the rest pose'
                found.append(Problem(file, token.line, token.column, message))
    return found


def _build(parser: Parser, sources: dict[str, str], objects: _Objects) -> list[Joint]:
    made: dict[str, Joint] = {}
    for placement in parser.placements:
        name = placement.name.text
        if name in parser.drafts and name not in made:
            made[name] = _joint_from(parser.drafts[name], placement.parent, objects)
    joints: list[Joint] = []
    for placement in parser.placements:
        name = placement.name.text
        if name in made:
            joints.append(made[name])
        elif name in sources:
            joints.append(reflect_joint(made[sources[name]], name, placement.parent))
        else:
            joints.append(Joint(name=name, parent=placement.parent, defined=False))
            token = placement.name
            message = f"joint {token} is placed but not defined; it is fixed at its parent, without object or mass"
            objects.warnings.append(Problem(objects.file, token.line, token.column, message))
    return joints


def read_scr(
    text: str,
    file: str = "skeleton.scr",
    folder: Path | None = None,
    source: Path | None = None,
    objects: Mapping[str, Mesh] | None = None,
) -> Skeleton:
    """Return the figure that the text of a .scr file describes.

    Args:
        text: The whole file.
        file: Its name, for messages.
        folder: Folder that object paths are relative to and may not leave; None loads no objects.
        source: The path to remember in :attr:`Skeleton.source`.
        objects: Polygons of object files by name, as the files would have them; they win over files.

    Raises:
        FormatError: Listing every problem with its place. What can be lived with is in :attr:`Skeleton.warnings`.
    """
    if len(text) > MOST_BYTES:
        raise FormatError(Problem(file, 0, 0, f"is larger than {MOST_BYTES >> 20} MB; expected a smaller file"))
    parser = Parser()
    try:
        parser.parse(text.removeprefix("\ufeff"))
    except LineProblem as problem:
        parser.problems.append(problem)
    check_placements(parser.placements, parser.drafts, parser.name, parser.problems)
    sources = check_mirrors(parser.placements, parser.drafts, parser.problems)
    problems = [
        Problem(file, p.line, p.column, p.message) for p in sorted(parser.problems, key=lambda p: (p.line, p.column))
    ]
    loaded = _Objects(folder, file, objects or {})
    if problems:
        for draft in parser.drafts.values():  # broken objects are to be reported in the same go
            for line in draft.objects:
                loaded.get(line.token)
        raise FormatError(problems + loaded.problems)
    joints = _tied(parser, sources, _build(parser, sources, loaded), file)
    if loaded.problems:
        raise FormatError(loaded.problems)
    _warn_of_weights(parser, loaded)
    for draft in parser.drafts.values():
        rotary = sum(dof.kind == HINGE for dof in draft.dofs)
        if rotary > 3:
            message = f"joint {draft.name} has {rotary} rotary degrees of freedom; past three they are separate angles"
            draft.warnings.append(LineProblem(draft.name.line, draft.name.column, message))
        loaded.warnings.extend(Problem(file, w.line, w.column, w.message) for w in draft.warnings)
    warnings = sorted(loaded.warnings, key=lambda p: (p.line, p.column))
    name = parser.name.text if parser.name else ""
    try:
        made = Skeleton(name, joints, parser.layout, source, warnings)
        open_loops = _open_loops(made, parser, file)
        if open_loops:
            warnings = sorted((*warnings, *open_loops), key=lambda p: (p.line, p.column))
            made = Skeleton(name, joints, parser.layout, source, warnings)
        return made
    except SkeletonError as error:
        raise FormatError(Problem(file, 0, 0, str(error))) from None


def load_skeleton(path: str | Path) -> Skeleton:
    """Return the figure of a .scr file, with its objects.

    Args:
        path: The file; objects are looked for in its folder.

    Raises:
        FormatError: Listing every problem as ``file:line:column``; also for a file that is not there.
    """
    path = Path(path)
    data = read_bytes(path, path.name or str(path))
    return read_scr(decode(data, path.name), path.name, path.parent, path)

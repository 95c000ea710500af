"""Reading the .scr skeleton file: text to figure, or every problem with its place.

The reader works line by line and goes on after a bad one. Three steps: ``_Parser`` collects the hierarchy and a draft
of each joint; ``scr_checks`` compares the two; ``_build`` makes the joints and loads their objects.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from core.errors import FormatError, Problem, SkeletonError
from core.skeleton.lexer import (
    MOST_BYTES,
    NUMBER,
    STRING,
    WORD,
    Cursor,
    LineProblem,
    Token,
    choices,
    shortened,
    tokenize,
)
from core.skeleton.mesh import Mesh
from core.skeleton.mirror import reflect_joint, reflect_mesh
from core.skeleton.objects import decode, load_object, read_bytes
from core.skeleton.scr_checks import Placement, check_mirrors, check_placements
from core.skeleton.scr_lines import JointDraft, read_joint_line
from core.skeleton.skeleton import HINGE, Group, Joint, SegmentObject, Skeleton

DEEPEST = 256
_MOST_PROBLEMS = 10_000
_BLOCKS = ("skeleton", "joint")


@dataclass
class _Level:
    """A skeleton or group that is open."""

    opener: Token
    name: str
    previous: int
    items: list[int | Group] = field(default_factory=list)


@dataclass
class _Parser:
    """What has been read so far."""

    problems: list[LineProblem] = field(default_factory=list)
    name: Token | None = None
    levels: list[_Level] = field(default_factory=list)
    layout: list[int | Group] = field(default_factory=list)
    placements: list[Placement] = field(default_factory=list)
    drafts: dict[str, JointDraft] = field(default_factory=dict)
    draft: JointDraft | None = None
    draft_opener: Token | None = None
    skipping: bool = False
    too_deep: bool = False

    def parse(self, text: str) -> None:
        for tokens in tokenize(text, self.problems):
            try:
                self.line(tokens)
            except LineProblem as problem:
                self.problems.append(problem)
            if len(self.problems) >= _MOST_PROBLEMS:
                self.problems.append(LineProblem(tokens[0].line + 1, 1, "too many problems; the rest was not read"))
                return
        self.close_all(None)
        if self.name is None and not self.problems:
            raise LineProblem(1, 1, 'there is no skeleton in this file; expected define skeleton "NAME"')

    def line(self, tokens: list[Token]) -> None:
        first = tokens[0]
        word = first.text.casefold() if first.kind == WORD else ""
        if word == "define":
            self.close_all(first)
            self.skipping = False
            self.define(tokens)
        elif word == "end":
            self.end(tokens)
        elif self.skipping:
            return
        elif self.draft is not None:
            read_joint_line(self.draft, tokens)
        elif self.levels:
            self.place(tokens, word)
        else:
            wanted = 'expected define skeleton "NAME" or define joint "NAME" before it'
            raise LineProblem(first.line, first.column, f"{first} stands outside every definition; {wanted}")

    # -- blocks --------------------------------------------------------------------------------------------------

    def define(self, tokens: list[Token]) -> None:
        cursor = Cursor(tokens, 'define skeleton "NAME" or define joint "NAME"')
        cursor.take()
        kind = cursor.next
        word = kind.text.casefold() if kind is not None and kind.kind == WORD else ""
        if kind is None or word not in _BLOCKS:
            self.skipping = True
            if kind is None:
                cursor.take()
            raise cursor.fail(f"{kind} cannot be defined; {choices(word, _BLOCKS)}")
        cursor.take()
        cursor.usage = f'define {word} "NAME"'
        name = self.name_of(cursor, f"the {word}'s name")
        if word == "skeleton":
            if self.name is not None:
                self.skipping = True
                message = f"a second skeleton, the first is on line {self.name.line}; expected one skeleton in a file"
                raise LineProblem(tokens[0].line, tokens[0].column, message)
            self.name = name
            self.levels.append(_Level(tokens[0], name.text, -1))
        else:
            # A draft of a second definition is read too, so that its own problems are told, and then dropped.
            self.draft, self.draft_opener = JointDraft(name), tokens[0]
            if name.text in self.drafts:
                first = self.drafts[name.text].name.line
                message = f"joint {name} is defined twice, first on line {first}; expected names that differ"
                raise LineProblem(name.line, name.column, message)
            self.drafts[name.text] = self.draft
        cursor.end()

    def name_of(self, cursor: Cursor, what: str) -> Token:
        """Return the name that comes next; one without quotes is reported but taken, so that no more errors follow."""
        token = cursor.next
        if token is not None and token.kind in (WORD, NUMBER):
            problem = cursor.fail(f"{token} is not in quotes; expected {what} in quotes: {cursor.usage}")
            self.problems.append(problem)
            cursor.at = len(cursor.tokens)
            return token._replace(kind=STRING)
        return cursor.string(what)

    def end(self, tokens: list[Token]) -> None:
        cursor = Cursor(tokens, "end skeleton, end group or end joint")
        cursor.take()
        if self.skipping and not self.levels and self.draft is None:
            self.skipping = False
            return
        wanted = (
            "joint"
            if self.draft is not None
            else "group"
            if len(self.levels) > 1
            else "skeleton"
            if self.levels
            else ""
        )
        if not wanted:
            raise LineProblem(
                tokens[0].line, tokens[0].column, '"end" without anything open; expected "define" before it'
            )
        kind = cursor.next
        word = kind.text.casefold() if kind is not None else ""
        if kind is not None and kind.kind == WORD and word == wanted:
            cursor.take()
            self.close(None)
            cursor.end()
        elif word == "skeleton" and self.levels:
            while len(self.levels) > 1:
                self.close(tokens[0])
            self.close(None)
        else:
            opener = self.draft_opener if self.draft is not None else self.levels[-1].opener
            line = opener.line if opener is not None else 0
            found = f'"end {shortened(word)}"' if word else '"end" alone'
            message = f'{found} does not close what is open; expected "end {wanted}" for the {wanted} of line {line}'
            if word in ("joint", "group", "skeleton"):
                self.problems.append(LineProblem(tokens[0].line, tokens[0].column, message))
            else:
                # Most likely a slip in the word: take it for the right one.
                self.close(None)
                raise LineProblem(tokens[0].line, tokens[0].column, message)

    def close(self, before: Token | None) -> None:
        """Close the innermost block; with ``before``, report that its end is missing before that line."""
        opener = self.draft_opener if self.draft is not None else self.levels[-1].opener
        kind = "joint" if self.draft is not None else "group" if len(self.levels) > 1 else "skeleton"
        if before is not None and opener is not None:
            where = f"before line {before.line}" if before.line else "before the end of the file"
            message = f'this {kind} is never closed; expected "end {kind}" {where}'
            self.problems.append(LineProblem(opener.line, opener.column, message))
        if self.draft is not None:
            self.draft = self.draft_opener = None
            return
        level = self.levels.pop()
        if self.levels:
            self.levels[-1].items.append(Group(level.name, tuple(level.items)))
        else:
            self.layout = level.items

    def close_all(self, before: Token | None) -> None:
        while self.draft is not None or self.levels:
            self.close(before or Token(WORD, "", 0.0, 0, 0))

    # -- hierarchy -----------------------------------------------------------------------------------------------

    def place(self, tokens: list[Token], word: str) -> None:
        first = tokens[0]
        level = self.levels[-1]
        if word not in ("joint", "group"):
            raise LineProblem(
                first.line,
                first.column,
                f"{first} is not a keyword here; {choices(first.text, ('joint', 'group', 'end'))}",
            )
        cursor = Cursor(tokens, f'{word} "NAME"')
        cursor.take()
        if word == "group":
            # The level is opened even if its name is bad, or "end group" would be one too many.
            self.levels.append(_Level(first, "", level.previous))
            if len(self.levels) - 1 > DEEPEST and not self.too_deep:
                self.too_deep = True
                message = f"groups are nested more than {DEEPEST} deep; expected at most {DEEPEST}"
                self.problems.append(LineProblem(first.line, first.column, message))
            self.levels[-1].name = self.name_of(cursor, "the group's name").text
            cursor.end()
            return
        name = self.name_of(cursor, "the joint's name")
        index = len(self.placements)
        if level.previous < 0 and self.placements:
            message = (
                f"joint {name} would be a second root, {self.placements[0].name} is the first; "
                "expected the root to come before the groups"
            )
            raise LineProblem(name.line, name.column, message)
        self.placements.append(Placement(name, level.previous))
        level.previous = index
        level.items.append(index)
        cursor.end()


class _Objects:
    """Loads object files, each one once, and notes what is wrong."""

    def __init__(self, folder: Path | None, file: str):
        self.folder = folder
        self.file = file
        self.problems: list[Problem] = []
        self.warnings: list[Problem] = []
        self.meshes: dict[str, Mesh | None] = {}

    def get(self, token: Token) -> Mesh | None:
        name = token.text.replace("\\", "/")
        if name not in self.meshes:
            self.meshes[name] = self._load(name, token)
        return self.meshes[name]

    def _load(self, name: str, token: Token) -> Mesh | None:
        path = PurePosixPath(name)
        depth = 0
        for part in path.parts:
            depth += -1 if part == ".." else 1
            if depth < 0:
                break
        # A drive letter is absolute on Windows and makes no file name anyone would want elsewhere.
        if path.is_absolute() or depth < 0 or name[1:2] == ":":
            return self._outside(token)
        if self.folder is None:
            self._warn(token, f"object {token} is not loaded: the text has no folder; a capsule is drawn")
            return None
        try:
            root = self.folder.resolve()
            target = (root / path).resolve()
            if not target.is_relative_to(root):
                return self._outside(token)
            if not target.exists():
                self._warn(token, f"object {token} is not there; a capsule is drawn instead")
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
            return load_object(target, name)
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

    def _warn(self, token: Token, message: str) -> None:
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
        parts.append(SegmentObject(line.token.text.replace("\\", "/"), mesh, line.mirrored))
    return Joint(
        name=draft.name.text,
        parent=parent,
        dofs=tuple(draft.dofs),
        dof_labels=tuple(draft.labels),
        objects=tuple(parts),
        mirror=draft.mirror.text if draft.mirror else None,
        **draft.values,
    )


def _build(parser: _Parser, sources: dict[str, str], objects: _Objects) -> list[Joint]:
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
            message = f'joint "{shortened(name)}" is placed but not defined; it is fixed at its parent, without object or mass'
            objects.warnings.append(Problem(objects.file, placement.name.line, placement.name.column, message))
    return joints


def read_scr(text: str, file: str = "skeleton.scr", folder: Path | None = None, source: Path | None = None) -> Skeleton:
    """Return the figure that the text of a .scr file describes.

    Args:
        text: The whole file.
        file: Its name, for messages.
        folder: Folder that object paths are relative to and may not leave; None loads no objects.
        source: The path to remember in :attr:`Skeleton.source`.

    Raises:
        FormatError: Listing every problem with its place. What can be lived with is in :attr:`Skeleton.warnings`.
    """
    if len(text) > MOST_BYTES:
        raise FormatError(Problem(file, 0, 0, f"is larger than {MOST_BYTES >> 20} MB; expected a smaller file"))
    parser = _Parser()
    try:
        parser.parse(text.removeprefix("\ufeff"))
    except LineProblem as problem:
        parser.problems.append(problem)
    check_placements(parser.placements, parser.drafts, parser.name, parser.problems)
    sources = check_mirrors(parser.placements, parser.drafts, parser.problems)
    problems = [
        Problem(file, p.line, p.column, p.message) for p in sorted(parser.problems, key=lambda p: (p.line, p.column))
    ]
    objects = _Objects(folder, file)
    if problems:
        for draft in parser.drafts.values():  # broken objects are to be told in the same go
            for line in draft.objects:
                objects.get(line.token)
        raise FormatError(problems + objects.problems)
    joints = _build(parser, sources, objects)
    if objects.problems:
        raise FormatError(objects.problems)
    for draft in parser.drafts.values():
        rotary = sum(dof.kind == HINGE for dof in draft.dofs)
        if rotary > 3:
            message = f"joint {draft.name} has {rotary} rotary degrees of freedom; past three they are separate angles"
            draft.warnings.append(LineProblem(draft.name.line, draft.name.column, message))
        objects.warnings.extend(Problem(file, w.line, w.column, w.message) for w in draft.warnings)
    warnings = sorted(objects.warnings, key=lambda p: (p.line, p.column))
    name = parser.name.text if parser.name else ""
    try:
        return Skeleton(name, joints, parser.layout, source, warnings)
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

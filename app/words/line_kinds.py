"""What can be attached: strings, strands, and every force along a path. A new one is a line.

The rest follows from the force itself: the rows of the Physics panel are its numbers, and those that have no value of
their own get one that suits the figure (``app/physics/line_edits.py``).
"""

from __future__ import annotations

from dataclasses import dataclass

STRING, ROPE, COIL, SPINDLE, STRAND = "string", "rope", "coil", "spindle", "strand"
"""How it is drawn: a line that hangs where it is slack, a thick one, a coil, a spindle coloured by its activation, a
round body as thick as it is."""


@dataclass(frozen=True)
class LineKind:
    """One kind.

    Attributes:
        label: What people call it.
        icon: Icon's name.
        style: How it is drawn.
        force: Name of the class in ``core.dynamics.forces``; "" for the string that gives no way and for strands.
        through: Whether more than two clicks lead it through further points.
        offered: Whether menus offer it; others come from files.
        field: Where the settings of physics have it.
        examples: What it stands for, in menus.
    """

    label: str
    icon: str
    style: str
    force: str = ""
    through: bool = False
    offered: bool = True
    field: str = "forces"
    examples: str = ""

    @property
    def name(self) -> str:
        """What it is called in a sentence, and in the names of actions."""
        return self.label.lower()

    @property
    def menu_text(self) -> str:
        """What menus call it."""
        return f"{self.label} ({self.examples})…" if self.examples else f"{self.label}…"

    @property
    def action(self) -> str:
        """Name of the action that lets the mouse attach one."""
        return f"attach_{self.name.replace(' ', '_')}"

    @property
    def between_text(self) -> str:
        """What menus call the one between the selected parts."""
        return f"Attach a {self.name}"

    @property
    def between_action(self) -> str:
        """Name of the action that attaches one between the selected parts."""
        return f"{self.action}_between"

    @property
    def between_tip(self) -> str:
        """What the tip of that action says besides its name."""
        way = ", through those in between" if self.through else ""
        return f"From the part selected first to the one selected last{way}; its points can be dragged then"


LINE_KINDS: tuple[LineKind, ...] = (
    LineKind("String", "link", STRING, field="strings"),
    LineKind("Spring", "spring", COIL, "SpringDamper"),
    LineKind("Rope", "rope", ROPE, "ElasticRope"),
    LineKind("Muscle", "muscle", SPINDLE, "Muscle", through=True),
    LineKind("Elastic", "spring", ROPE, "PointToPoint", offered=False),
    LineKind("Strand", "strand", STRAND, field="strands", examples="hair, tail, cord"),
)
_FIELDS = {"PhysicsString": "strings", "Strand": "strands"}


def line_kind(line: object) -> LineKind | None:
    """Return what a string, a strand or a force is; None if it is none of these."""
    name = type(line).__name__
    if name in _FIELDS:
        return next(kind for kind in LINE_KINDS if kind.field == _FIELDS[name])
    return next((kind for kind in LINE_KINDS if kind.force == name), None)


def kind_named(name: str) -> LineKind:
    """Return the kind of a name, as ``"muscle"``.

    Raises:
        KeyError: If there is none.
    """
    found = next((kind for kind in LINE_KINDS if kind.name == name), None)
    if found is None:
        raise KeyError(name)
    return found

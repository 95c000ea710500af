"""What can be attached between parts, bodies and the world: strings, and every force along a path. A new one is a line.

The rest follows from the force itself: the rows of the Physics panel are its numbers, and those that have no value of
their own get one that suits the figure (``app/physics/line_edits.py``).
"""

from __future__ import annotations

from dataclasses import dataclass

STRING, ROPE, COIL, SPINDLE = "string", "rope", "coil", "spindle"
"""How it is drawn: a line that hangs where it is slack, a thick one, a coil, a spindle coloured by its activation."""


@dataclass(frozen=True)
class LineKind:
    """One kind.

    Attributes:
        label: What people call it.
        icon: Icon's name.
        style: How it is drawn.
        force: Name of the class in ``core.dynamics.forces``; "" for the string that gives no way.
        through: Whether more than two clicks lead it through further points.
        offered: Whether menus offer it; others come from files.
    """

    label: str
    icon: str
    style: str
    force: str = ""
    through: bool = False
    offered: bool = True

    @property
    def name(self) -> str:
        """What it is called in a sentence, and in the names of actions."""
        return self.label.lower()

    @property
    def menu_text(self) -> str:
        """What menus call it."""
        return f"{self.label}…"

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
    LineKind("String", "link", STRING),
    LineKind("Spring", "spring", COIL, "SpringDamper"),
    LineKind("Rope", "rope", ROPE, "ElasticRope"),
    LineKind("Muscle", "muscle", SPINDLE, "Muscle", through=True),
    LineKind("Elastic", "spring", ROPE, "PointToPoint", offered=False),
)


def line_kind(line: object) -> LineKind | None:
    """Return what a string or a force is; None if it is none of these."""
    name = type(line).__name__
    wanted = "" if name == "PhysicsString" else name
    return next((kind for kind in LINE_KINDS if kind.force == wanted), None)


def kind_named(name: str) -> LineKind:
    """Return the kind of a name, as ``"muscle"``.

    Raises:
        KeyError: If there is none.
    """
    found = next((kind for kind in LINE_KINDS if kind.name == name), None)
    if found is None:
        raise KeyError(name)
    return found

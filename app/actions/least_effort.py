"""What the action on in-betweens of least effort does: solve for a span beside the window, and key what was found."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

from app.actions.group import WindowActions
from app.document.commands.base import Command
from app.document.content.records import sequence_for
from app.document.hybrid import baking

if TYPE_CHECKING:
    from app.work.background import Progress
    from core.animation.sequence import Sequence
    from core.preview.bake import Baked
    from core.preview.least_energy import LeastEnergy

TITLE = "Least effort between keys"
_SOLVING = 0.95  # share of the progress: keys are made in the rest


class LeastEffortActions(WindowActions):
    """The motion of least torques over the selected keys; with fewer than two selected between those around now."""

    def handlers(self) -> dict[str, Callable[[], object]]:
        """Return what to do for each action."""
        return {"least_effort": self.begin}

    def span(self, sequence: Sequence) -> tuple[int, int] | None:
        """Return the first and last frame that are solved for; None if there are no two keys around."""
        frames = sorted(self.document.session.keys.selected.parts)
        if len(frames) > 1:
            return frames[0], frames[-1]
        now = self.document.frame
        before = [key.frame for key in sequence.keys if key.frame <= now]
        after = [key.frame for key in sequence.keys if key.frame > now]
        return (before[-1], after[0]) if before and after else None

    def begin(self) -> None:
        """Solve beside the window, and make keys of what is found, as one step."""
        document, sequence = self.document, self.document.sequence
        span = None if sequence is None else self.span(sequence)
        if sequence is None or span is None:
            document.say("info", "Select two or more keys, or go to a frame between two")
            return
        first, last = span
        copy, index = sequence_for(sequence, sequence.skeleton), document.stack.index()
        world = document.physics.settings.simulated.world

        def work(progress: Progress) -> tuple[LeastEnergy, Baked]:
            from core.preview.anatomy import has_two_legs
            from core.preview.least_energy import least_energy, least_energy_keys

            found = least_energy(
                copy, first, last, world=world, strength=math.inf if has_two_legs(copy.skeleton) else None,
                progress=lambda part: progress(_SOLVING * part),
            )  # fmt: skip
            rest = 1.0 - _SOLVING
            return found, least_energy_keys(copy, found, progress=lambda part: progress(_SOLVING + rest * part))

        def done(result: tuple[LeastEnergy, Baked]) -> None:
            if document.stack.index() != index:
                document.say("info", "The motion was edited meanwhile; what was found is of another one")
                return
            found, baked = result
            if not found.better:
                document.say(level(found), kept(found), details(found))
                return

            def make() -> list[Command]:
                return list(baking(document.model, baked, False))

            if document.do(TITLE, make):
                document.say(level(found), summary(found, baked), details(found))

        def failed(error: Exception) -> None:
            document.say("error", str(error).partition("\n")[0] or type(error).__name__, str(error))

        if not self._window.background.run(f"Least effort, frames {first} to {last}", work, done, failed):
            document.say("info", "Another job is still running; begin when it is done")


def level(found: LeastEnergy) -> str:
    """Return how it is said: in a line that stays until it is read where it is not what one asked for."""
    return "info" if found.converged and found.after <= found.before else "warning"


def kept(found: LeastEnergy) -> str:
    """Return what is said where nothing was gained, in a line."""
    return f"No less effort found: keys kept; {ended(found)}"


def summary(found: LeastEnergy, baked: Baked) -> str:
    """Return what was gained, in a line that fits a small window."""
    change = 100.0 * (found.after / max(found.before, 1e-300) - 1.0)
    share = f"{abs(change):.0f} % {'less' if change < 0.0 else 'more'}"
    return f"Effort {share}; {ended(found)}; {len(baked.keys)} keys, {peak(found)}"


def peak(found: LeastEnergy) -> str:
    """Return the greatest torque, in a few words."""
    return (
        f"at most {found.peak:.0f} N m" if found.share is None else f"at most {100.0 * found.share:.0f} % of strength"
    )


def strong_enough(share: float) -> str:
    """Return whether joints are strong enough for it, in a line."""
    if share <= 1.0:
        return f"Every joint is strong enough: the hardest-worked one needs {100.0 * share:.0f} % of its strength."
    return f"A joint needs {100.0 * share:.0f} % of its strength: more time or a smaller movement would need less."


def amount(effort: float) -> str:
    """Return an effort as a number to read."""
    return f"{effort:,.0f}" if effort >= 100.0 else f"{effort:.3g}"


def ended(found: LeastEnergy) -> str:
    """Return how the search ended, in a few words."""
    return f"converged in {found.steps} steps" if found.converged else f"not converged in {found.steps} steps"


def details(found: LeastEnergy) -> str:
    """Return what there is to know besides, in a few lines."""
    from core.preview.least_energy.solve import CARRIED

    last = found.first + len(found.poses) - 1
    unit = "N²m²s" if found.share is None else "s of squared shares of strength"
    lines = [
        f"Frames {found.first} to {last}, at most {found.peak:.0f} N m in a joint.",
        f"Effort {amount(found.before)} to {amount(found.after)} {unit}.",
        "Keys between the first and the last frame were made anew.",
    ]
    if found.share is not None:
        lines.append(strong_enough(found.share))
    if not found.root_moves:
        lines.append("The root moves as before: no lock holds a part to the world.")
    if found.keyed_residual > CARRIED:
        lines.append(f"As keyed, nothing carried the figure, by {100.0 * found.keyed_residual:.0f} % of its weight.")
    if not found.converged:
        lines.append("It could be calmer still: run it again to go on.")
    return "\n".join(lines)

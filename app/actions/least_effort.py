"""What the action on in-betweens of least effort does: solve for a span beside the window, and key what was found."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from app.actions.group import WindowActions
from app.dialogs.effort_dialog import EffortDialog
from app.document.commands.base import Command
from app.document.content.records import own_copy
from app.document.hybrid import baking

if TYPE_CHECKING:
    from app.work.background import Progress
    from core.animation.sequence import Sequence
    from core.preview.bake import Baked
    from core.preview.least_energy import LeastEnergy, SoFar

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
        """Ask what the motion has to keep, and find it."""
        document, sequence = self.document, self.document.sequence
        span = None if sequence is None else self.span(sequence)
        if sequence is None or span is None:
            document.say("info", "Select two or more keys, or go to a frame between two")
            return
        from core.preview.anatomy import has_two_legs

        inner = [key.frame for key in sequence.keys if span[0] < key.frame < span[1]]
        strong = has_two_legs(sequence.skeleton)
        if not inner and not strong:
            self.find(span, [], None)  # there is nothing to choose
            return
        dialog = EffortDialog(span, len(inner), strong, self._window)
        if dialog.exec() == EffortDialog.DialogCode.Accepted:
            self.find(span, inner if dialog.wishes.keep else [], dialog.wishes.strength)

    def find(self, span: tuple[int, int], keep: list[int], strength: float | None) -> None:
        """Solve beside the window, and make keys of what is found, as one step.

        Args:
            span: First and last frame.
            keep: Frames between whose poses stay.
            strength: See ``core.preview.least_energy.least_energy``.
        """
        document, sequence, window = self.document, self.document.sequence, self._window
        assert sequence is not None
        first, last = span
        copy, revision = own_copy(sequence), document.revision
        world = document.physics.settings.simulated.world
        best: list[SoFar] = []

        def watch(now: SoFar) -> None:
            window.background.tell(so_far(first, last, now))
            if now.stands:
                best[:] = [now]

        def work(progress: Progress) -> tuple[LeastEnergy, Baked]:
            from core.preview.least_energy import least_energy

            found = least_energy(
                copy, first, last, world=world, strength=strength, keep=keep, watch=watch,
                progress=lambda part: progress(_SOLVING * part),
            )  # fmt: skip
            return found, keyed(found, progress, _SOLVING)

        def keyed(found: LeastEnergy, progress: Progress, begin: float) -> Baked:
            from core.preview.least_energy import least_energy_keys

            return least_energy_keys(copy, found, progress=lambda part: progress(begin + (1.0 - begin) * part))

        def outdated() -> bool:
            if document.revision == revision:
                return False
            document.say("info", "The motion was edited in the meantime; look for less effort again")
            return True

        def done(result: tuple[LeastEnergy, Baked]) -> None:
            if outdated():
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

        def given_up() -> None:
            if not best:
                return
            now = best[0]

            def take(progress: Progress) -> tuple[LeastEnergy, Baked]:
                found = now.found()
                return found, keyed(found, progress, 0.1)

            def keep_best() -> None:
                if outdated():
                    return
                if not window.background.run("Keeping the best motion so far", take, done, failed):
                    offer("Another job is still running")  # it can be kept when that is done

            def offer(why: str) -> None:
                keeps = ("Keep it", "Set keys from the best motion found so far", keep_best)
                window.ask(f"{why}; {found_so_far(now)}", [keeps], "info")

            offer("Cancelled")

        self.run_beside(f"Least effort, frames {first} to {last}", work, done, failed, given_up)


def so_far(first: int, last: int, now: SoFar) -> str:
    """Return what there is while it is searched, in a line."""
    where = f"Least effort, frames {first} to {last}"
    if not now.stands:
        return f"{where}: step {now.steps}, no possible motion yet"
    return f"{where}: step {now.steps}, {share(now.before, now.after)} so far"


def found_so_far(now: SoFar) -> str:
    """Return what there was when it was cancelled."""
    return f"the best motion so far takes {share(now.before, now.after)}"


def share(before: float, after: float) -> str:
    """Return by how much an effort changed."""
    change = 100.0 * (after / max(before, 1e-300) - 1.0)
    return f"{abs(change):.0f} % {'less' if change < 0.0 else 'more'} effort"


def level(found: LeastEnergy) -> str:
    """Return how it is said: in a line that stays until it is read where it is not what one asked for."""
    return "info" if found.converged and found.after <= found.before else "warning"


def kept(found: LeastEnergy) -> str:
    """Return what is said where nothing was gained, in a line."""
    return f"No less effort found; keys unchanged; {ended(found)}"


def summary(found: LeastEnergy, baked: Baked) -> str:
    """Return what was gained, in a line that fits a small window."""
    change = share(found.before, found.after).removesuffix(" effort")
    return f"Effort {change}; {ended(found)}; {len(baked.keys)} keys, {peak(found)}"


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
        f"Effort from {amount(found.before)} to {amount(found.after)} {unit}.",
    ]
    if found.share is not None:
        lines.append(strong_enough(found.share))
    if not found.root_moves:
        lines.append("The root moves as keyed: no lock holds a part to the world.")
    if found.keyed_residual > CARRIED:
        lines.append(f"The keyed motion was short of support by {100.0 * found.keyed_residual:.0f} % of the weight.")
    if found.change is not None:
        lines.append(f"With twice as many nodes the effort changed by {100.0 * found.change:.2g} %.")
    if not found.converged:
        lines.append("It may take less still: run it again to continue.")
    return "\n".join(lines)

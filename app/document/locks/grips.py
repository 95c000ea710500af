"""The part of a document that lets figures hold props and each other, and let go; each edit is one undo step."""

from __future__ import annotations

from collections.abc import Iterable

from app.document.base import DocumentBase
from app.document.commands.base import Command
from app.document.edits import grip_edits
from app.words.part_names import spoken_name


class Grips:
    """What figures hold. Edits return whether they were possible; if not, ``message`` has said why.

    Args:
        document: The document.
    """

    def __init__(self, document: DocumentBase):
        self._document = document

    @property
    def any(self) -> bool:
        """Whether the active figure holds another one at the current frame, or is held."""
        return grip_edits.holds_something(self._document.model)

    @property
    def holders(self) -> str:
        """What holds the active figure at the current frame: ``left hand and right hand of human``; "" for nothing."""
        model = self._document.model
        if model.skeleton is None:
            return ""
        parts: dict[int, list[str]] = {}
        for owner, part in grip_edits.held_by(model, model.active.figure):
            parts.setdefault(owner, []).append(spoken_name(part))
        held = [f"{self._listed(of)} of {model.figures[k].skeleton.name}" for k, of in parts.items()]
        return self._listed(held) if held else ""

    def hold(self, number: int, joints: Iterable[int] | None = None) -> bool:
        """Let parts of the active figure hold another figure from the current frame on; nothing moves.

        Args:
            number: Which figure.
            joints: The parts; None for those selected.
        """
        document, chosen = self._document, self._chosen(joints)
        parts: list[str] = []

        def make() -> list[Command]:
            commands, found = grip_edits.holding(document.model, chosen, number)
            parts.extend(found)
            return commands

        done = document.do("Hold", make)
        if done:
            name = document.model.figures[number].skeleton.name
            what = name if parts[0] == name else f"{self._listed(map(spoken_name, parts))} of {name}"
            document.say("info", f"{self._hands(chosen)} hold{'s' * (len(chosen) == 1)} {what}")
        return done

    def let_go(self, joints: Iterable[int] | None = None) -> bool:
        """End what the selected parts hold, or where they hold nothing what their figure holds; it stays there."""
        document, chosen = self._document, self._chosen(joints)
        let_go: list[int] = []

        def make() -> list[Command]:
            commands, found = grip_edits.letting_go(document.model, chosen)
            let_go.extend(found)
            return commands

        done = document.do("Put down", make)
        if done:
            document.say("info", f"{self._figures(let_go)} let go at frame {document.model.frame}")
        return done

    def throw(self, joints: Iterable[int] | None = None) -> bool:
        """Let go at the current frame, and let forces move the prop from there on with the velocity that it has."""
        document, chosen = self._document, self._chosen(joints)
        thrown: list[int] = []

        def make() -> list[Command]:
            commands, found = grip_edits.throwing(document.model, chosen)
            thrown.extend(found)
            return commands

        done = document.do("Throw", make)
        if done:
            model, names = document.model, self._figures(thrown)
            if max(grip_edits.speed_of(model, number) for number in thrown) < grip_edits.RESTS:
                falls = "falls" if len(thrown) == 1 else "fall"
                text = f"{names} {falls} at frame {model.frame}, as the hands are still · Shift+Space simulates it"
            else:
                text = f"{names} thrown at frame {model.frame} · Shift+Space simulates the flight"
            document.say("info", text)
        return done

    # -- words -----------------------------------------------------------------------------------------------------

    def _chosen(self, joints: Iterable[int] | None) -> tuple[int, ...]:
        return self._document.selection.joints if joints is None else tuple(joints)

    def _hands(self, joints: Iterable[int]) -> str:
        skeleton = self._document.model.skeleton
        assert skeleton is not None
        text = self._listed(spoken_name(skeleton.joint_names[joint]) for joint in joints)
        return text[:1].upper() + text[1:]

    def _figures(self, numbers: Iterable[int]) -> str:
        text = self._listed(self._document.model.figures[number].skeleton.name for number in numbers)
        return text[:1].upper() + text[1:]

    @staticmethod
    def _listed(names: Iterable[str]) -> str:
        *first, last = dict.fromkeys(names)
        return f"{', '.join(first)} and {last}" if first else last

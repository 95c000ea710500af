"""Names of parts of the figure as a person reads them."""

from __future__ import annotations

from core.skeleton.figure_parts import split_name


def part_name(name: str) -> str:
    """Return a joint's name as the editor shows it: words with spaces, the first letter large."""
    text = name.replace("_", " ").strip()
    return text[:1].upper() + text[1:]


def spoken_name(name: str) -> str:
    """Return a joint's or group's name as it stands inside a sentence.

    Ordinary words begin small: ``right hand``. What has other capitals or digits in it, such as ``RightHandIndex1``
    or ``L5``, is a name that a file gave, and stays as it is.
    """
    if name == name.lower():
        return name.replace("_", " ").strip()
    text = part_name(name)
    ordinary = len(text) > 1 and text[1:] == text[1:].lower() and not any(letter.isdigit() for letter in text)
    return text[:1].lower() + text[1:] if ordinary else text


def spoken_part(name: str) -> str:
    """Return a part as it stands inside a sentence; of one of several figures with that: ``right hand of Woman``."""
    figure, joint = split_name(name)
    return f"{spoken_name(joint)} of {figure}" if figure else spoken_name(name)

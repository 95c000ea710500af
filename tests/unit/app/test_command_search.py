"""Which commands a few typed words find, and in which order."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.popovers.command_palette import Command, ranked
from app.words.command_search import score, words_of

TEXTS = (
    "Lock position", "Lock point pair", "Interpolation", "Set key", "Delete key", "Walk…", "Ground of the walk…",
)  # fmt: skip


def commands(*texts: str) -> list[Command]:
    return [Command(text, text, "Menu", lambda: None) for text in texts]


def found(text: str, *, recent: tuple[str, ...] = ()) -> list[str]:
    return [each.text for each in ranked(commands(*TEXTS), text, recent)]


@pytest.mark.parametrize(
    ("typed", "first"),
    [
        ("lock pos", "Lock position"),
        ("pos lock", "Lock position"),  # in any order
        ("LPP", "Lock point pair"),  # initials
        ("interpolaton", "Interpolation"),  # one letter missing
        ("interpollation", "Interpolation"),  # one too many
        ("interpulation", "Interpolation"),  # another one
        ("intreplation", None),  # two slips
        ("intreppolation", None),
        ("inetrpolation", "Interpolation"),  # two swapped
        ("elete", "Delete key"),  # the middle of a word
        ("walk", "Walk…"),  # the shorter name first
        ("zeppelin", None),
    ],
)
def test_what_words_find(typed: str, first: str | None) -> None:
    assert next(iter(found(typed)), None) == first


def test_of_those_that_fit_alike_the_one_used_last_is_first() -> None:
    assert found("key")[0] == "Set key"
    assert found("key", recent=("Delete key", "Set key"))[0] == "Delete key"
    assert found("", recent=("Walk…", "Set key"))[:3] == ["Walk…", "Set key", "Lock position"]


def test_minor_ones_wait_until_something_is_typed_and_come_after_their_equals() -> None:
    both = [Command("page", "Walk", "Help", lambda: None, minor=True), *commands("Walk…", "Set key")]
    assert [each.name for each in ranked(both, "")] == ["Walk…", "Set key"]
    assert [each.name for each in ranked(both, "walk")] == ["Walk…", "page"]


def test_the_menu_counts_less_than_the_name_and_keys_are_found() -> None:
    first = Command("a", "Even", "Sequence > Ease", lambda: None, keys=("Comma",), also="Even ,")
    second = Command("b", "Ease in", "Sequence", lambda: None)
    assert ranked([first, second], "ease") == [second, first]
    assert ranked([first, second], ",") == [first] == ranked([first, second], "comma")


def test_what_cannot_be_done_now_comes_after_what_can() -> None:
    able, greyed = Command("a", "Cut keys", "", lambda: None), Command("b", "Cut keys", "", lambda: None, why_not="no")
    assert ranked([greyed, able], "cut") == [able, greyed]
    assert greyed.spoken() == "Cut keys, not now: no"


@given(st.text(max_size=12), st.text(max_size=20), st.text(max_size=20))
def test_any_text_may_be_typed(typed: str, name: str, beside: str) -> None:
    words = words_of(typed)
    assert score(words, name, beside) >= 0.0
    if words and words_of(name)[: len(words)] == words:
        assert score(words, name) > 0.0

"""Skeleton files whose expression joints cannot be: each is refused at its place, at once, and nothing in it is run."""

from __future__ import annotations

from core.errors import FormatError
from core.skeleton import read_scr
from tests.support.hostile_expressions import SOON, hostile, refusal, watched

HEAD = 'define skeleton "s"\njoint "a"\njoint "b"\nend skeleton\ndefine joint "b"\njoint type expression\n'
FIRST = HEAD.count("\n") + 1
WAVES = "+".join(f"sin({k}*u*v+w*a)" for k in range(50))


def file(*lines: str) -> str:
    return HEAD + "\n".join(lines) + "\nend joint\n"


def joints() -> list[str]:
    """Return files that must be refused for more than one text's sake."""
    names = [
        *("u u", "u v u", "sin", "pi", "tau", "deg", "m", "__import__", "_u", "1", '"u"', "u, v", "u.v", "u[0]", "é!"),
        *("u deg 10 -10", "u 1 0", "u 0", "u nan 1", "u inf inf", "u -inf -inf", "u 0 1e300", "u cm", "u turn 0 1", ""),
        *("a b c d e f g", "u " * 3000, "u" * 100_000, "( " * 3000, "u 0 1 2", 'u "a" "b"', "u 0 x", "x y z __class__"),
    ]
    found = [file(f"coordinates {each}", "translate u v 0") for each in names]
    lets = [
        *("", "u", "u 3", "sin 3", "a", "a a", "a b", "a 1/0", "a 1/u", "a log(0)", "a 9^9^9^9", "pi 3", "__class__ 1"),
        *(
            "a __import__('os')",
            'a "1"',
            "a exp(1000)",
            "a 1e999",
            "a u^-1",
            "a = 3",
            "3 a",
            "deg 1",
            "a (" + "(" * 500,
        ),
    ]
    found += [file("coordinates u", f"let {each}", "translate u*a 0 0") for each in lets]
    found.append(file("coordinates u", *(f"let a{k} {k}" for k in range(100)), "rotate x u"))
    # Each squares the one before: by the last line nothing is finite any more.
    squares = [f"let a{k} a{k - 1}*a{k - 1}" for k in range(1, 60)]
    found.append(file("coordinates u -9 9", "let a0 u+2", *squares, "translate u a59 0"))
    found.append(file("coordinates u", "let a0 2", *squares, "translate u a59 0"))
    found.append(
        file("coordinates u -9 9", *(f"let b{k} {'u' if not k else f'b{k - 1}'}^1000" for k in range(9)), "rotate x b8")
    )
    found.append(file("coordinates u", *["rotate x u"] * 33))
    found.append(file("coordinates u", *["translate u 0 0"] * 5_000))
    moves = [
        *(
            "translate u",
            "translate u 0",
            "translate u 0 0 0",
            "translate u, 0",
            "translate",
            "translate u;0",
            "translate , ,",
        ),
        *('translate "u" 0 0', "translate 0 0 0", "translate 1 2 3", "translate u*0 0 0", "translate u-u 0 0"),
        *("translate u^2 0 0", "translate u^3 u^2 0", "translate cos(u) 0 0", "translate abs(u)^3 0 0"),
        *(
            "rotate",
            "rotate u",
            "rotate w u",
            "rotate 0 0 0 u",
            "rotate 1 0 u",
            "rotate nan 0 0 u",
            "rotate x",
            "rotate x y u",
        ),
        *(
            'rotate x "u"',
            "rotate x 1",
            "rotate x u^2",
            "rotate xyz u",
            "rotate x u u",
            "rotate x u; u",
            "rotate x u # v\nx",
        ),
        *("translate 1/u 0 0", "translate sqrt(u) 0 0", "translate log(u+1) log(1-u) 0", "translate tan(u*2) 0 0"),
        *(
            "translate u/(u-0.3) 0 0",
            "translate u 1/(u-0.3)^2 0",
            "translate u/(u*u-0.3) 0 0",
            "translate u asin(2*u) 0",
        ),
        *("translate 1e10*u 0 0", "translate u exp(400*(u+2))/1e300 0", "translate u u^999999*1e9 0", "rotate x 1e9*u"),
        *("translate sqrt(u+1) 0 0", "translate u (u+1)^0.5 0", "translate u (u+1)^1.5 0", "translate u acos(u) 0"),
        *(
            "translate u sin(1/(u-0.7)) 0",
            "translate u 1/sin(5*(u-0.7)) 0",
            "translate u 1/abs(u-0.7) 0",
            "let a u/(u-0.7)\ntranslate u a 0",
        ),
        *("hinge x", "slide y", "frame 0 0 0", "joint type screw z 1", "ball y", "eval u", "translate u 0 0\nhinge x"),
    ]
    found += [file("coordinates u -1 1", each) for each in moves]
    two = [
        *(
            "translate u 0 0",
            "translate u+v 0 0",
            "translate u*v 0 0",
            "translate u 0*v 0\nrotate x 0*v",
            "translate u+2*v 3*u+6*v 0",
        ),
        *(
            "rotate x u\nrotate x v",
            "rotate x u\nrotate z 0\nrotate -x v",
            "translate u 0 0\ntranslate v*u 0 0",
            "rotate z atan2(v,u)",
        ),
        *(
            "translate u u*v 0\nrotate x v^2",
            "translate cos(u)*sin(v) sin(u)*sin(v) cos(v)",
            "translate sqrt(u^2+v^2) u v",
        ),
    ]
    found += [file("coordinates u v", each) for each in two]
    found += [
        file("coordinates u v w a b c", f"rotate x {WAVES}", "translate u v w", "rotate y a", "rotate z b+c^2"),
        file("coordinates u v w a b c", f"rotate x {WAVES}+{WAVES}+{WAVES}+cos(u)*cos(v)", "translate u v w"),
        file("coordinates u v w a b c", *(f"rotate x {WAVES}*{k + 2}" for k in range(30))),
        file("translate u 0 0"),
        file("coordinates u"),
        file("coordinates u", "translate u 0 0", "joint type expression", "coordinates u", "translate u 0 0"),
    ]  # fmt: skip
    return found


def test_hostile_files_are_refused_with_place_and_reason_and_nothing_is_run() -> None:
    files = [file("coordinates u v", f"rotate x {text}") for text in hostile()] + joints()
    assert len(files) >= 350 and len(joints()) >= 120
    read_scr(file("coordinates u v -1 1", "let a 3 cm", "translate u, v^3 + v, a/(u^2 + 1)"))
    refusal(lambda: read_scr(file("coordinates u", "let a sni(u)")))
    with watched() as ran:
        results = [(text[len(HEAD) :][:90], *refusal(lambda text=text: read_scr(text))) for text in files]  # type: ignore[misc]
    assert ran == []
    assert [text for text, error, _ in results if error is None] == []
    for text, error, seconds in results:
        assert isinstance(error, FormatError)
        for problem in error.problems:
            assert problem.line >= FIRST - 1 and problem.column >= 1, (text, problem)
            assert ";" in problem.message and len(problem.message) < 500 and problem.message.isprintable(), problem
        assert seconds < SOON, (text, seconds)

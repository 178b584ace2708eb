"""What the checks tell of a broken law: the law, and the names of what came, what it must be and the input."""

import ast
from pathlib import Path

from ftree import testing

FILES = sorted(Path(testing.__file__).parent.glob("*.py"))


def definitions():
    """Functions and classes of all files by file and name, and names that a file imports from another: where they are defined."""
    found = {}
    for path in FILES:
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            match node:
                case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                    found[path.stem, name] = node
                case ast.ImportFrom(module=str(module), names=names) if module.startswith("ftree.testing."):
                    found |= {(path.stem, each.asname or each.name): (module.rpartition(".")[2], each.name) for each in names}
    return found


def laws_below(defined, place, seen):
    """A line for each law that a function tells of, itself or by one that it names: its text, and the names of what it tells."""
    while isinstance(defined.get(place), tuple):
        place = defined[place]
    if place in seen or place not in defined:
        return set()
    seen.add(place)
    nodes = list(ast.walk(defined[place]))
    calls = (each for each in nodes if isinstance(each, ast.Call) and getattr(each.func, "id", "") in {"law", "equal", "same"})
    own = {f"{text_of(each.args[0])}: {', '.join(by.arg or '**' for by in each.keywords)}" for each in calls}
    named = {each.id for each in nodes if isinstance(each, ast.Name)}
    return own.union(*(laws_below(defined, (place[0], name), seen) for name in named))


def text_of(node):
    """The texts in an expression, one after another."""
    return "".join(each.value for each in ast.walk(node) if isinstance(each, ast.Constant) and isinstance(each.value, str))


def test_what_checks_tell_of_a_broken_law(stored):
    defined = definitions()
    checks = sorted(name for name in testing.__all__ if name.startswith("check_"))
    places = ((getattr(testing, name).__module__.rpartition(".")[2], name) for name in checks)
    told = (f"{place[1]}: {each}\n" for place in places for each in sorted(laws_below(defined, place, set())))
    assert "".join(told) == stored

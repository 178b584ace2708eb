r"""One small change at a time at random places of the code, and the tests that run the changed lines.

    mutate.py ROOT 'ftree/stop.py:8' --seed 1 --out results.jsonl --coverage whole.coverage --durations run.log \
        --command 'python -m pytest -x -q @{tests}'

ROOT is copied once for each job (ROOT.0, ROOT.1, ...), and only copies are changed. The file of coverage has contexts
(`pytest --cov-context=test`) and so tells which tests run a line: `{tests}` in the command is a file with their ids, those first
that have the lowest figures in `--durations`. Docstrings, annotations, decorators, messages and `__repr__` are left alone; six in
ten places that return are passed over, since they would be most of all.
"""

import ast
import json
import os
import random
import re
import shlex
import shutil
import subprocess
import time
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections import defaultdict
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import accumulate
from operator import itemgetter
from pathlib import Path
from queue import Queue
from typing import Any

from coverage import CoverageData

# What stands in place of an operator or of a name. A dict of names in pairs is read both ways.
COMPARE: dict[type, tuple[type, ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
}
ARITHMETIC: dict[type, type] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
    ast.Pow: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
}
PAIRS = {
    "min": "max",
    "argmin": "argmax",
    "minimum": "maximum",
    "any": "all",
    "logical_and": "logical_or",
    "floor": "ceil",
    "left": "right",
    "fmin": "fmax",
    "any_of": "all_of",
}
ONE_WAY = {"sorted": "list", "reversed": "iter", "set": "list", "accumulate": "list", "abs": "float"}
NAMES = ONE_WAY | PAIRS | {two: one for one, two in PAIRS.items()}
# Of pytest: no test failed; none was found under the ids, which may be made of what changed; none was run.
OUTCOMES = {0: "survived", 124: "timeout", 137: "timeout", 4: "unknown", 5: "unknown"}
TINY = 1e-3  # a float this small is a tolerance
PASSED_OVER = 0.6  # of the places that return

Change = tuple[str, ast.AST]
Mutant = dict[str, Any]


# Places and their changes -----------------------------------------------------------------------------------------


def mutants(root: Path, path: Path, number: int, chance: random.Random) -> list[Mutant]:
    """At most a number of mutants of a file, each with the text of the whole file."""
    raw, found = (root / path).read_bytes(), list[Mutant]()
    starts = [0, *accumulate(map(len, raw.splitlines(keepends=True)))]
    places = list(sites(ast.parse(raw)))
    chance.shuffle(places)
    for node, function in places:
        options = [("negate", ast.UnaryOp(ast.Not(), node))] if function == "test" else list(changes(node, function))
        if not options or len(found) == number or (isinstance(node, ast.Return) and chance.random() < PASSED_OVER):
            continue
        kind, new = chance.choice(options)
        begin, end = starts[node.lineno - 1] + node.col_offset, starts[node.end_lineno - 1] + node.end_col_offset
        after = ast.unparse(new) if isinstance(new, ast.stmt) else f"({ast.unparse(new)})"
        place = {"path": str(path), "line": node.lineno, "last": node.end_lineno, "kind": kind}
        text = (raw[:begin] + after.encode() + raw[end:]).decode()
        found.append({**place, "before": raw[begin:end].decode(), "after": after, "text": text})
    return found


def sites(node: ast.AST, function: Any = None) -> Iterator[tuple[Any, Any]]:
    """Every node that may be changed, with its function; a bare test of an `if` has no function but the word `test`."""
    if is_left_alone(node):
        return
    match node:
        case ast.FunctionDef() | ast.Lambda():
            function = node
        case ast.If(test=test) | ast.While(test=test) if not isinstance(test, ast.Compare | ast.Constant):
            yield test, "test"
        case _:
            pass
    yield node, function
    for name, value in ast.iter_fields(node):
        if name not in {"annotation", "returns", "decorator_list"}:
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    yield from sites(child, function)


def is_left_alone(node: ast.AST) -> bool:
    """Whether nothing in a node is changed: messages, imports, annotations, and `strict=`, which only checks what holds."""
    match node:
        case ast.JoinedStr() | ast.Raise() | ast.Import() | ast.ImportFrom() | ast.Assert() | ast.keyword(arg="strict"):
            return True
        case ast.FunctionDef(name="__repr__") | ast.Assign(targets=[ast.Name(id="message" | "__all__")]):
            return True
        case ast.AnnAssign(annotation=ast.Name(id="TypeAlias")):
            return True
        case _:
            return False


def changes(node: ast.AST, function: Any) -> Iterator[Change]:  # noqa: C901, PLR0912  # one case for each kind of node
    """Every kind of change of a node, with what stands in its place."""
    match node:
        case ast.Compare(ops=ops):
            yield from (
                ("compare", changed(node, ops=without(ops, i, to()))) for i, op in enumerate(ops) for to in COMPARE[type(op)]
            )
        case ast.Constant(value=bool() as value):
            yield "boolean", ast.Constant(not value)
        case ast.Constant(value=int() as value):
            yield from (("constant", ast.Constant(new)) for new in (value + 1, value - 1))
        case ast.Constant(value=float() as value):
            yield from (
                ("float", ast.Constant(new)) for new in ((0.0, value * 1e6) if 0 < value < TINY else (value + 1, value / 2))
            )
        case ast.Constant(value="left" | "right" as value):
            yield "side", ast.Constant(NAMES[value])
        case ast.BoolOp(op=op, values=values):
            yield "and-or", changed(node, op=ast.Or() if isinstance(op, ast.And) else ast.And())
            yield from (("operand", changed(node, values=without(values, i))) for i in range(len(values)))
        case ast.UnaryOp(op=ast.Not() | ast.USub() | ast.Invert(), operand=operand):
            yield "unary", operand
        case ast.BinOp(op=op) | ast.AugAssign(op=op) if type(op) in ARITHMETIC:
            yield "arithmetic", changed(node, op=ARITHMETIC[type(op)]())
        case ast.IfExp(test=test, body=body, orelse=orelse):
            yield "negate", changed(node, test=ast.UnaryOp(ast.Not(), test))
            yield from (("one way", each) for each in (body, orelse))
        case ast.Return(value=value) if value is not None:
            named = ["None", *(each.arg for each in function.args.posonlyargs + function.args.args)][:2]
            yield from (("return", ast.Return(ast.Name(name))) for name in named if ast.unparse(value) != name)
        case ast.Expr(value=ast.Call()):
            yield "drop call", ast.Pass()
        case ast.Continue() | ast.Break():
            yield "break", ast.Break() if isinstance(node, ast.Continue) else ast.Continue()
        case ast.Call():
            yield from changes_of_call(node)
        case _:
            pass


def changes_of_call(node: ast.Call) -> Iterator[Change]:
    """Another function, another axis, or no keyword."""
    key = "id" if isinstance(node.func, ast.Name) else "attr"
    if (name := getattr(node.func, key, None)) in NAMES:
        yield "swap call", changed(node, func=changed(node.func, **{key: NAMES[name]}))
    for number, keyword in enumerate(node.keywords):
        if keyword.arg == "axis" and isinstance(keyword.value, ast.Constant) and isinstance(keyword.value.value, int):
            axis = changed(keyword, value=ast.Constant(1 - keyword.value.value))
            yield "axis", changed(node, keywords=without(node.keywords, number, axis))
        elif keyword.arg not in {None, "strict"}:
            yield "drop keyword", changed(node, keywords=without(node.keywords, number))


def changed(node: Any, **fields: Any) -> Any:
    """The same node with other fields."""
    return type(node)(**(vars(node) | fields))


def without(items: list[Any], number: int, *instead: Any) -> list[Any]:
    """The items, with others in place of one of them."""
    return [*items[:number], *instead, *items[number + 1 :]]


# Tests of a mutant ------------------------------------------------------------------------------------------------


def chooser(asked: Any, root: Path) -> Callable[[Mutant], list[str]]:
    """A function from a mutant to the ids of tests that run its lines or, where these run at import only, its module."""
    data, figures = CoverageData(basename=str(asked.coverage)), defaultdict[str, float](float)
    data.read()
    for line in asked.durations.read_text().splitlines():
        if found := re.match(r"(\d+\.\d+)s (?:call|setup|teardown) +(\S.*)$", line):
            figures[found[2]] += float(found[1])

    def chosen(mutant: Mutant) -> list[str]:
        contexts = data.contexts_by_lineno(str(root / mutant["path"]))
        lines = {number: {name.rpartition("|")[0] for name in names if name} for number, names in contexts.items()}
        ids = set[str]().union(*(lines.get(number, ()) for number in range(mutant["line"], mutant["last"] + 1)))
        fitting = (name for name in ids or set[str]().union(*lines.values()) if re.search(asked.match, name))
        return sorted(fitting, key=lambda name: (figures[name], name))[: asked.most]

    return chosen


def run(mutant: Mutant, copies: "Queue[Path]", tests: list[str], asked: Any) -> dict[str, Any]:
    """Put a mutant into a free copy, run the tests, and put the file back."""
    place, began = copies.get(), time.monotonic()
    target, listed = place / mutant["path"], place.with_name(f"{place.name}.tests")
    keep, stat = target.read_bytes(), target.stat()
    listed.write_text("\n".join(tests))
    command = shlex.split(f"timeout -s KILL {asked.timeout} {asked.command.format(tests=listed)}")
    try:
        target.write_text(mutant["text"])
        # Older than it was, so that no cached module is taken for it.
        os.utime(target, (stat.st_atime, stat.st_mtime - 10 - random.random()))  # noqa: S311  # no secret
        environment = os.environ | {"PYTHONDONTWRITEBYTECODE": "1"}
        done = subprocess.run(
            command, cwd=place, text=True, env=environment, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        )
    finally:
        target.write_bytes(keep)
        os.utime(target, ns=(stat.st_atime_ns, stat.st_mtime_ns))
        copies.put(place)
    first = re.search(r"^(?:FAILED|ERROR) (.*)$", done.stdout, re.MULTILINE)
    seen = {"code": done.returncode, "tests": len(tests), "seconds": round(time.monotonic() - began, 1)}
    told = {"by": first[1][:200] if first else "", "output": "" if first else done.stdout[-600:]}
    outcome = OUTCOMES.get(done.returncode, "killed") if tests else "no test"
    return {"outcome": outcome, **{k: v for k, v in mutant.items() if k != "text"}, **seen, **told}


def arguments() -> Any:
    """What is asked for on the command line."""
    parser = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    parser.add_argument("root", type=Path)
    parser.add_argument("files", nargs="+", help="glob below root, and :number of mutants of each file")
    parser.add_argument("--command", required=True)
    for name in ("coverage", "durations", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--timeout", type=float, default=120)
    parser.add_argument("--most", type=int, help="tests of each mutant, at most")
    parser.add_argument("--match", default="", help="only tests whose ids this regular expression finds")
    parser.add_argument("--only", type=Path, help="only those that an earlier run, whose results are here, let live")
    return parser.parse_args()


def main() -> None:
    """Write one line of JSON for each mutant."""
    asked = arguments()
    root, every, copies = asked.root.resolve(), list[Mutant](), Queue[Path]()
    for pattern, _, number in (spec.partition(":") for spec in asked.files):
        for path in sorted(each.relative_to(root) for each in root.glob(pattern)):
            every += mutants(root, path, int(number or 8), random.Random(f"{asked.seed} {path}"))  # noqa: S311  # no secret
    if asked.only:
        key = itemgetter("path", "line", "before", "after")
        lived = {key(each) for each in map(json.loads, asked.only.read_text().splitlines()) if each["outcome"] != "killed"}
        every = [each for each in every if key(each) in lived]
    chosen = chooser(asked, root)
    for place in (root.with_name(f"{root.name}.{job}") for job in range(asked.jobs)):
        copies.put(place if place.exists() else shutil.copytree(root, place, symlinks=True))
    with ThreadPoolExecutor(asked.jobs) as crew, asked.out.open("a") as out:
        for each in crew.map(lambda mutant: run(mutant, copies, chosen(mutant), asked), every):
            print(json.dumps(each), file=out, flush=True)
            print(each["outcome"], f"{each['path']}:{each['line']}", each["before"][:60], "->", each["after"][:60], flush=True)


if __name__ == "__main__":
    main()

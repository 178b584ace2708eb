"""Signatures of the reference: types and defaults as the source writes them, so that an alias stays a word.

Python evaluates annotations, and an alias such as `Learner` would be shown as the union of six types that it stands
for. A type that the reference describes becomes its full name there, and so a link.
"""

import ast
import re
import sys
from functools import cache
from inspect import Parameter, Signature, getsource, isclass, signature, unwrap
from pathlib import Path
from textwrap import dedent
from typing import Any

from docutils import nodes
from names import value_of
from sphinx.addnodes import desc_signature, pending_xref
from sphinx.application import Sphinx
from sphinx.pycode import ModuleAnalyzer

from ftree._lib.fields import name_of

REFERENCE = Path(__file__).parents[1] / "reference"


class Written:
    """A text whose repr is the text, since `Signature` shows annotations and defaults by their repr."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text


class FullNames(ast.NodeTransformer):
    """Puts public names in place of the short ones of a module, and types in place of their texts."""

    def __init__(self, module: dict[str, Any]) -> None:
        self.module = module

    def visit_Name(self, node: ast.Name) -> ast.expr:
        full = full_names().get((node.id, id(self.module.get(node.id))))
        return ast.parse(full, mode="eval").body if full else node

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        return self.visit(ast.parse(node.value, mode="eval").body) if isinstance(node.value, str) else node

    def visit_Subscript(self, node: ast.Subscript) -> ast.Subscript:
        literal = ast.unparse(node.value) == "Literal"  # its texts are values
        return node if literal else self.generic_visit(node)  # type: ignore[return-value]


@cache
def full_names() -> dict[tuple[str, int], str]:
    """The names that the reference describes, by their last part and the identity of their value."""
    texts = [path.read_text(encoding="utf-8") for path in REFERENCE.glob("*.rst")]
    names = [name for text in texts for name in re.findall(r"^   (ftree\.[\w.]+)$", text, re.MULTILINE)]
    return {(name.rpartition(".")[2], id(value_of(name))): name for name in names}


def written(_: Sphinx, __: str, ___: str, value: Any, ____: Any, args: str | None, returns: str | None) -> Any:
    """The signature with types as they are written, for the event `autodoc-process-signature`."""
    try:
        given = signature(value)
    except (TypeError, ValueError):
        return args, returns
    types = types_of_fields(value) if isclass(value) else types_of_arguments(value)
    arguments = [as_written(each, types) for each in given.parameters.values() if each.name not in {"self", "cls"}]
    return str(Signature(arguments)), None if isclass(value) else types.get("return")


def as_written(argument: Parameter, types: dict[str, str]) -> Parameter:
    default = argument.default if argument.default is Parameter.empty else Written(name_of(argument.default))
    kind = Written(types[argument.name]) if argument.name in types else Parameter.empty
    return argument.replace(annotation=kind, default=default)


def types_of_arguments(function: Any) -> dict[str, str]:
    """The text of each annotation of a function by the argument's name; "return" is the answer's."""
    inner = unwrap(getattr(function, "__func__", function))
    tree = parsed(inner)
    if not isinstance(tree, ast.FunctionDef):
        return {}
    arguments = [*tree.args.posonlyargs, *tree.args.args, *tree.args.kwonlyargs, tree.args.vararg, tree.args.kwarg]
    found = {each.arg: each.annotation for each in arguments if each} | {"return": tree.returns}
    return {name: text_of(kind, inner.__module__) for name, kind in found.items() if kind}


def types_of_fields(value: type) -> dict[str, str]:
    """The text of each annotation in the body of a class and of those that it inherits from."""
    if "__init__" in vars(value) and not hasattr(value, "__attrs_attrs__"):
        return types_of_arguments(value.__init__)  # type: ignore[misc]
    bodies = [(each.__module__, getattr(parsed(each), "body", [])) for each in reversed(value.__mro__[:-1])]
    lines = [(module, line) for module, body in bodies for line in body if isinstance(line, ast.AnnAssign)]
    return {ast.unparse(line.target): text_of(line.annotation, module) for module, line in lines}


def parsed(value: Any) -> ast.stmt | None:
    """The definition of a function or class; None where it has no source, such as a class of Python's own."""
    try:
        return ast.parse(dedent(getsource(value))).body[0]
    except (OSError, TypeError):
        return None


def text_of(annotation: ast.expr, module: str) -> str:
    return ast.unparse(FullNames(vars(sys.modules[module])).visit(annotation))


def without_overloads(_: Sphinx) -> None:
    """A function with overloads is shown by its own signature, which names all options; its docstring says what it returns."""
    for module in {getattr(value_of(name), "__module__", "") for name in full_names().values()} & sys.modules.keys():
        if module.startswith("ftree."):
            analyzer = ModuleAnalyzer.for_module(module)
            analyzer.analyze()
            analyzer.overloads.clear()


def without_guesses(_: Sphinx, doctree: nodes.document) -> None:
    """Short names in signatures are private: Sphinx would link them to any public name that ends alike."""
    for signature_node in doctree.findall(desc_signature):
        for reference in list(signature_node.findall(pending_xref)):
            if "." not in reference["reftarget"]:
                reference.replace_self(nodes.Text(reference["reftarget"]))


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("builder-inited", without_overloads)
    app.connect("autodoc-process-signature", written)
    app.connect("doctree-read", without_guesses)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

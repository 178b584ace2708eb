"""The directive `names`, which the pages of the reference are made of.

    .. names::

       ftree.grow
       ftree.scores

It makes a table of the names with their first sentences, and then the whole description of each one.
"""

import ast
import re
import sys
from importlib import import_module
from inspect import getdoc, getsource, isclass, isroutine
from textwrap import indent
from typing import Any

from docutils.nodes import Node
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective


class Names(SphinxDirective):
    """A table of names, and their descriptions."""

    has_content = True

    def run(self) -> list[Node]:
        names = [line.strip() for line in self.content if line.strip()]
        rows = [f"   * - :py:obj:`{name}`\n     - {first_sentence(name)}" for name in names]
        table = ".. list-table::\n   :class: names\n   :widths: 40 60\n\n" + "\n".join(rows) + "\n\n"
        return self.parse_text_to_nodes(table + "\n".join(map(described, names)))


def value_of(name: str) -> Any:
    """The value of a dotted name."""
    module, _, attribute = name.rpartition(".")
    return getattr(import_module(module), attribute)


def first_sentence(name: str) -> str:
    """What a name is, up to the first full stop that ends a sentence, or an empty line."""
    text = (getdoc(value_of(name)) or "") if has_docstring(name) else definition(name)[0]
    return re.split(r"(?<=\w[.)])\s(?=[A-Z`])|\n\n", text, maxsplit=1)[0].replace("\n", " ")


def has_docstring(name: str) -> bool:
    """Whether a name is that of a class or a function; an alias of a type and a value have a comment in place of a docstring."""
    value = value_of(name)
    return isroutine(value) or (isclass(value) and value.__name__ == name.rpartition(".")[2])


def inherited(kind: type) -> str:
    """The option by which a class shows the methods of the library's own classes that it is made of, and of no others."""
    own = {base for base in kind.__mro__[1:] if base.__module__.startswith("ftree.")}
    others = ", ".join(base.__name__ for base in kind.__mro__ if base not in {kind, *own})
    return f"   :inherited-members: {others}\n" if own else ""


def described(name: str) -> str:
    """The directive that describes a name: autodoc's for classes and functions, the assignment in the source for others."""
    if has_docstring(name):
        value = value_of(name)
        return f".. autoclass:: {name}\n{inherited(value)}" if isclass(value) else f".. autofunction:: {name}\n"
    comment, code = definition(name)
    inside = f"{comment}\n\n.. code-block:: python\n\n{indent(code, '   ')}\n"
    return f".. py:data:: {name}\n\n{indent(inside, '   ')}\n"


def definition(name: str) -> tuple[str, str]:
    """The comment above the assignment of a name, and the assignment, from the module that makes it."""
    room, _, short = name.rpartition(".")
    value = value_of(name)
    modules = [module for module in list(sys.modules.values()) if getattr(module, "__name__", "").startswith("ftree.")]
    for module in modules:
        if vars(module).get(short) is value and (found := assignment(getsource(module), short)):
            return found
    message = f"{name}: no assignment of {short} was found in the modules that {room} imports."
    raise LookupError(message)


def assignment(source: str, name: str) -> tuple[str, str] | None:
    """The comment above the assignment of a name in the text of a module, and the assignment; of a function, its docstring."""
    for line in ast.parse(source).body:
        if isinstance(line, ast.FunctionDef) and line.name == name:  # a decorator has made a value of it
            return ast.get_docstring(line) or "", f"{name}({ast.unparse(line.args)})"
        targets = line.targets if isinstance(line, ast.Assign) else [line.target] if isinstance(line, ast.AnnAssign) else []
        if name in [each.id for each in targets if isinstance(each, ast.Name)]:
            above = source.splitlines()[: line.lineno - 1]
            comment = []
            while above and above[-1].startswith("#"):
                comment.insert(0, above.pop().lstrip("#: "))
            return "\n".join(comment), ast.get_source_segment(source, line) or ""
    return None


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_directive("names", Names)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

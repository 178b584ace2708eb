"""Names, values and labels that a language would run or misread: each export answers as `predict` does, or refuses by name."""

import re
import sqlite3
from enum import Enum
from html.parser import HTMLParser
from xml.etree import ElementTree as ET

import duckdb
import pytest
from attrs import evolve
from browser import needed
from consumers import SLOW, ask_sqlite, in_c, in_onnx, quoted, run, type_of
from hostile_labels import any_text, renamed
from hypothesis import assume, example, given
from hypothesis import strategies as st
from pmml_by_the_standard import Document
from test_programs import of_values

from ftree import Branch, Feature, Leaf, Schema, Tree, draw, from_dict, from_json, page, predict, text, to_dict, to_json
from ftree._lib.messages import short_repr
from ftree.exchange import export_nodes, to_c, to_latex, to_pmml, to_python, to_sql
from ftree.show import to_dot, to_mermaid
from ftree.testing import export_rows, trees
from ftree.tree import Threshold, WithDefault, walk

# Values whose texts are those of other values.
NOT_STORED = re.compile("[\0\ud800-\udfff]")
MIXED = st.sampled_from([None, True, False, 1, 0, 7, 0.5, "true", "True", "None", "7", "0.5", ""])


@st.composite
def hostile_trees(draw):
    texts = draw(st.sampled_from([any_text, any_text, MIXED]))
    return draw(trees(max_leaves=6).flatmap(lambda tree: renamed(tree, texts)))


def rows_of(tree):
    """Rows with each value of each feature, and rows at the thresholds."""
    columns = [[*feature.values] or [0.0] for feature in tree.schema.features]
    most = max(map(len, columns))
    whole = [[column[number % len(column)] for column in columns] for number in range(most)]
    return whole + export_rows(tree, 12)


def texts_of(tree):
    schema = tree.schema
    named = [each for feature in schema.features for each in (feature.name, *feature.values)]
    return [schema.target, *schema.classes, *named]


# Answers ------------------------------------------------------------------------------------------------------------


def in_python(tree, rows):
    function = run(to_python(tree, missing="heaviest"))
    names = [feature.name for feature in tree.schema.features]
    found = [function(dict(zip(names, row, strict=True))) for row in rows]
    assert found == [function(row) for row in rows]
    return found


def in_sqlite(tree, rows):
    expression, asked, cells = to_sql(tree, dialect="sqlite", missing="heaviest"), *columns_in_sql(tree, rows)
    return [label for (label,) in ask_sqlite([expression], asked, cells)]


def in_duckdb(tree, rows, dialect="duckdb"):
    expression, asked, cells = to_sql(tree, dialect=dialect, missing="heaviest"), *columns_in_sql(tree, rows)
    kinds = [{type(value) for value in feature.values} for feature in asked.features]
    assume(all(len(kind) < 2 and kind <= {str} for kind in kinds))  # a column has one type
    assume(len({type(label) for label in tree.schema.classes}) == 1)  # and so has the answer
    with duckdb.connect() as database:
        columns = [f"{quoted(feature.name)} {type_of(feature)}" for feature in asked.features]
        database.execute(f"CREATE TABLE t ({', '.join(columns)})")
        database.executemany(f"INSERT INTO t VALUES ({', '.join('?' * len(columns))})", cells)
        return [label for (label,) in database.execute(f"SELECT {expression} FROM t").fetchall()]


def columns_in_sql(tree, rows):
    """The schema and the cells of a table with only those columns that the tree asks, and one beside them."""
    names = [feature.name for feature in tree.schema.features]
    used = [number for number in export_nodes(tree, missing="heaviest").used_features if names[number] and stored(names[number])]
    features = [tree.schema.features[number] for number in used]
    beside = "beside them" if "true" in {feature.name.lower() for feature in features} else "true"
    features.append(Feature(beside, "numeric"))
    cells = [[*[row[number] for number in used], 0.0] for row in rows]
    assume(all(map(stored, cells)))
    return Schema(features, " y", ("a",)), cells


def stored(texts):
    """Whether a database or a runtime takes a text, or all texts of a row."""
    return not any(isinstance(each, str) and NOT_STORED.search(each) for each in texts)


def in_ansi(tree, rows):
    assume(len({feature.name.lower() for feature in tree.schema.features}) == len(tree.schema.features))
    return in_duckdb(tree, rows, "ansi")


def in_pmml(tree, rows):
    document = to_pmml(tree, missing="heaviest")
    assume("LocalTransformations" not in document)
    # A column of numbers has no texts: they would be invalid, and so missing, which here is a value.
    numbers = [{type(value) for value in feature.values} - {type(None), str} for feature in tree.schema.features]
    known = [None not in feature.values for feature in tree.schema.features]
    assume(
        all(
            own or not some or not isinstance(cell, str)
            for row in rows
            for own, some, cell in zip(known, numbers, row, strict=True)
        )
    )
    names = [feature.name for feature in tree.schema.features]
    read = Document(document)
    told = [[str(cell).lower() if isinstance(cell, bool) else cell for cell in row] for row in rows]
    kept = [feature.kind == "numeric" for feature in tree.schema.features]
    told = [[cell if cell is None or own else str(cell) for own, cell in zip(kept, row, strict=True)] for row in told]
    return [tree.schema.classes[read.number_of_class(dict(zip(names, row, strict=True)))] for row in told]


def in_a_model(tree, rows):
    """An unknown integer counts as missing in ONNX, which a default child tells from an unseen one."""
    told_apart = any(isinstance(node, Branch) and isinstance(node.split, WithDefault) for _, node in walk(tree))
    assume(not told_apart or not any(isinstance(value, int) for feature in tree.schema.features for value in feature.values))
    ask = in_onnx(tree, "heaviest")
    assume(all(map(stored, rows)))
    return ask(rows)[0]


def in_json(tree, rows):
    return predict(from_json(to_json(tree)), rows, missing="heaviest")


def in_a_dictionary(tree, rows):
    return predict(from_dict(to_dict(tree, counts=True, schema=True)), rows, missing="heaviest")


NUMBER_OR_NONE = Tree(
    Schema((Feature("x", "ordinal", (0.5, None)),), "y", (True, False, 7)),
    Branch((0, 1, 2), Threshold(0, 0.5), (Leaf((0, 1, 0)), Leaf((0, 0, 2)))),
)


@pytest.mark.parametrize("ask", [in_python, in_sqlite, in_duckdb, in_ansi, in_pmml, in_a_model, in_json, in_a_dictionary])
@example(NUMBER_OR_NONE)
@example(Tree(Schema((Feature("x", "numeric"), Feature("unasked", "nominal", (None, True))), "y", ("a",)), Leaf((0,))))
@given(hostile_trees())
def test_an_export_answers_as_the_tree_predicts_or_refuses_by_name(ask, tree):
    answers_or_refuses(ask, tree)


@pytest.mark.consumer
def test_c_answers_as_the_tree_predicts_or_refuses_by_name():
    needed("gcc", SLOW["c"])

    @given(hostile_trees())
    def on_any(tree):
        answers_or_refuses(lambda tree, rows: in_c(tree, "heaviest")(rows)[0], tree)

    on_any()


def answers_or_refuses(ask, tree):
    rows = rows_of(tree)
    wanted = predict(tree, rows, missing="heaviest")
    found, refusal = caught(lambda: ask(tree, rows))
    assert found == wanted or names_a_text_of(tree, refusal)


def caught(made):
    """What a function makes, or the ValueError in its place; not an error of encoding, which a library raised."""
    try:
        return made(), None
    except UnicodeError:
        raise
    except ValueError as error:
        return None, str(error)


def names_a_text_of(tree, refusal):
    return refusal is not None and any(short_repr(each) in refusal for each in texts_of(tree))


# What stands outside of quotes ------------------------------------------------------------------------------------


def without(quoted):
    """A function that empties the quoted parts of a text."""
    return lambda written: re.sub(quoted, "", written, flags=re.DOTALL)


class Tags(HTMLParser):
    """The tags of a page with the names of their attributes, comments, and what else is no text."""

    def __init__(self, document):
        super().__init__()
        self.found = []
        self.feed(document.text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, *[name for name, _ in attrs]))

    def handle_endtag(self, tag):
        self.found.append(tag)

    def handle_comment(self, data):
        self.found.append(data)

    handle_decl = handle_pi = unknown_decl = handle_comment


def elements(written):
    return [(each.tag, *each.attrib) for each in ET.fromstring(written).iter()]  # noqa: S314  # made by a test


ESCAPED = r'"(?:[^"\\\n]|\\[^\n])*"'
FORMS = {
    "python": (to_python, without(rf"{ESCAPED}|'(?:[^'\\\n]|\\[^\n])*'")),
    "c": (to_c, without(ESCAPED)),
    "sqlite": (lambda tree: to_sql(tree, dialect="sqlite"), without("'(?:[^']|'')*'|`(?:[^`]|``)*`")),
    "postgres": (lambda tree: to_sql(tree, dialect="postgres"), without("'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"")),
    "pmml": (lambda tree: to_pmml(tree, missing="heaviest"), elements),
    "latex": (to_latex, without(r"(?<=\\text)\{(?:[^{}\\\n]|\{\}|\\[a-z]+\{\}|\\[^a-z\n])*\}")),
    "dot": (to_dot, without(ESCAPED)),
    "mermaid": (to_mermaid, without(r'"[^"\n]*"')),
    "svg": (draw, lambda document: elements(document.text)),
    "html": (page, lambda document: [each for each in Tags(document).found if each not in ("span", ("span",))]),
    "text": (text, lambda written: len(written.splitlines())),
}


@pytest.mark.parametrize("form", FORMS)
@example(Tree(Schema((), "y", ("[", "\\")), Leaf((0, 0))))
@given(hostile_trees())
def test_nothing_of_a_tree_stands_outside_of_quotes(form, tree):
    export, bare = FORMS[form]
    written, refusal = caught(lambda: export(tree))
    assert names_a_text_of(tree, refusal) or bare(written) == bare(export(plainly_named(tree)))


def plainly_named(tree):
    """The tree with harmless texts in the places of its texts."""
    plain = [f"w{number}" if isinstance(each, str) else each for number, each in enumerate(texts_of(tree))]
    (target, *labels), rest = plain[: 1 + len(tree.schema.classes)], plain[1 + len(tree.schema.classes) :]
    features = []
    for feature in tree.schema.features:
        (name, *values), rest = rest[: 1 + len(feature.values)], rest[1 + len(feature.values) :]
        features.append(Feature(name, feature.kind, values))
    return evolve(tree, schema=Schema(features, target, labels))


# One by one -------------------------------------------------------------------------------------------------------


def test_a_column_that_a_table_lacks_is_no_text_in_sqlite():
    tree = of_values("a", "b")
    with pytest.raises(sqlite3.OperationalError, match="no such column: sky"):
        ask_sqlite([to_sql(tree, dialect="sqlite")], evolve(tree.schema, features=[Feature("cloud", "numeric")]), [[1.0]])


@pytest.mark.parametrize(("export", "values"), [(to_c, (1, "1")), (to_c, ("True", True)), (to_pmml, (True, "true"))])
def test_values_of_one_text_are_refused_where_a_program_knows_values_by_their_texts(export, values):
    with pytest.raises(ValueError, match="Values of 'sky' must have distinct texts to be exported, got"):
        export(of_values(*values), missing="heaviest")


@pytest.mark.parametrize(("name", "message"), [("", "A column must have a name"), ("\0", "A text must have no NUL")])
def test_what_is_no_name_of_a_column_is_refused(name, message):
    with pytest.raises(ValueError, match=message):
        to_sql(of_values("a", "b", name=name))


def test_columns_that_differ_in_case_alone_are_one_in_some_databases():
    leaves = Leaf((1, 0)), Leaf((0, 1))
    schema = Schema([Feature("x", "numeric"), Feature("X", "numeric")], "y", ("no", "yes"))
    tree = Tree(schema, Branch((2, 1), Threshold(0, 1), (Branch((1, 1), Threshold(1, 2), leaves), Leaf((1, 0)))))
    for dialect in ("sqlite", "duckdb"):
        with pytest.raises(ValueError, match=r"columns whose names differ in more than case for .* got 'x', 'X'"):
            to_sql(tree, dialect=dialect)
        assert "CASE" in to_sql(tree, dialect=dialect, columns={"X": "b.x"})
    assert '"X"' in to_sql(tree, dialect="postgres")


@pytest.mark.parametrize("quotes", ['"""', "'''", '"', "'", "\n", "\\", "*/"])
def test_code_that_stands_in_a_label_does_not_run(quotes):
    ran = []
    code = f"{quotes}; ran.append(1); {quotes}"
    tree = from_json(to_json(of_values(code, "b", name=code, classes=(code, "no"))))
    module = {"ran": ran}
    exec(to_python(tree), module)  # noqa: S102  # this source is under test
    assert [module["predict"]([value]) for value in (code, "b")] == [code, "no"]
    assert not ran


class Sky(str, Enum):  # noqa: UP042  # the case in point
    """Texts whose str is not their text."""

    GREY = "grey"
    BLUE = "blue"


def test_a_text_of_a_subclass_is_written_as_the_text_that_it_is():
    tree = of_values(*Sky, classes=tuple(Sky))
    assert run(to_python(tree))(["blue"]) == predict(tree, [["blue"]])[0] == "blue"

"""Reading of trees as Weka prints them: J48's and Id3's, with or without a schema, with counts, without, or of a dataset."""

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ftree import C45, CART, ID3, Dataset, Feature, Leaf, Schema, c45, grow, leaves, predict, text
from ftree import datasets as tables
from ftree.exchange import from_weka_text
from ftree.testing import datasets
from ftree.tree import Groups, Multiway, Subset, Threshold, numbers, preorder

J48 = """=== Classifier model (full training set) ===

J48 pruned tree
------------------

petalwidth <= 0.6: Iris-setosa (50.0)
petalwidth > 0.6
|   petalwidth <= 1.7
|   |   petallength <= 4.9: Iris-versicolor (48.0/1.0)
|   |   petallength > 4.9
|   |   |   petalwidth <= 1.5: Iris-virginica (3.0)
|   |   |   petalwidth > 1.5: Iris-versicolor (3.0/1.5)
|   petalwidth > 1.7: Iris-virginica (46.0/1.0)

Number of Leaves  : \t5

Size of the tree : \t9


Time taken to build model: 0.01 seconds
"""
ID3_TEXT = """Id3

outlook = sunny
|  humidity = high: no
"""
SCHEMA = Schema(
    [
        Feature("sky", "nominal", ("grey", "light blue", 3)),
        Feature("wind speed", "numeric"),
        Feature("wait", "numeric", time="duration"),
    ],
    "ride",
    ("no: never", True),
)


def test_what_J48_prints_is_read_without_a_schema():
    tree = from_weka_text(J48)
    assert text(tree) + "\n" == "".join(line + "\n" for line in J48.splitlines()[5:13])
    assert tree.schema == Schema(
        [Feature("petalwidth", "numeric"), Feature("petallength", "numeric")],
        "class",
        ("Iris-setosa", "Iris-versicolor", "Iris-virginica"),
    )
    assert [leaf.counts for leaf in leaves(tree)] == [(50, 0, 0), (0.5, 47, 0.5), (0, 0, 3), (0.75, 1.5, 0.75), (0.5, 0.5, 45)]


@given(datasets(min_rows=2).filter(lambda data: len(data.schema.classes) < 3))
def test_what_ftree_prints_is_read(data):
    tree = grow(data, ID3)
    if not all(any(leaf.counts) for leaf in leaves(tree)):
        return  # the label of a leaf without cases is that of an ancestor
    again = from_weka_text(text(tree), data.schema)
    assert text(again) == text(tree)
    assert [node.counts for node in preorder(again)] == [node.counts for node in preorder(tree)]


MIDNIGHT = datetime.fromisoformat("2024-06-18")


@st.composite
def close_rows(draw):
    """Rows of a number with neighbours as close as floats of 15 digits, of times of all kinds, and of values of any letters."""
    start, unit = draw(st.sampled_from([0.0, 1.0, -123.456, 7e9])), 10.0 ** draw(st.integers(-14, 6))
    letters = st.text(st.sampled_from('ab,{} "'), min_size=1, max_size=4).filter(lambda value: value == value.strip())
    microseconds = st.integers(-9, 9).map(lambda steps: timedelta(microseconds=steps * 10 ** draw(st.integers(0, 11))))
    row = st.tuples(
        st.integers(0, 9).map(lambda steps: float(f"{start + steps * unit:.15g}")),
        st.integers(0, 9).map(lambda days: date(2024, 6, 18) + timedelta(days)),
        microseconds.map(lambda each: MIDNIGHT + each),
        microseconds.map(lambda each: (MIDNIGHT + each).replace(tzinfo=UTC)),
        microseconds.map(lambda each: (MIDNIGHT + each).time()),
        microseconds,
        st.sampled_from(draw(st.lists(letters, min_size=1, max_size=5, unique=True))),
    )
    return draw(st.lists(st.tuples(row, st.sampled_from("ab")), min_size=2, max_size=9))


COLUMNS = ["number", "date", "time", "time in UTC", "time of day", "duration", "value"]


@pytest.mark.parametrize("names", [COLUMNS, *([name] for name in COLUMNS)], ids=" ".join)
@given(rows=close_rows(), policy=st.sampled_from([ID3, CART, C45]))
def test_a_printed_tree_is_read_and_answers_alike_on_its_rows(names, rows, policy):
    cells = [[row[COLUMNS.index(name)] for name in names] for row, _ in rows]
    data = Dataset.from_rows(cells, [label for _, label in rows], features=names)
    tree = grow(data, policy)
    again = from_weka_text(text(tree, values=None), data.schema)
    assert list(predict(again, data)) == list(predict(tree, data))


def test_a_schema_gives_kinds_and_values_of_other_types():
    lines = "sky = 3: True (2.0)\nsky != 3\n|   wind speed <= 1.5: no: never (3.0/1.0)\n|   wind speed > 1.5: True"
    tree = from_weka_text(lines, SCHEMA)
    assert [getattr(node, "split", node.counts) for node in preorder(tree)] == [
        Subset(0, (2,)),
        (0, 2),
        Threshold(1, 1.5),
        (2, 1),
        (0, 1),
    ]
    each = from_weka_text("sky = light blue: True\nsky = grey: True", SCHEMA)
    assert each.root.split == Multiway(0, (1, 0))


@pytest.mark.parametrize(
    ("values", "texts"),
    [
        ((True, False), ("TRUE", "false")),
        ((1.0, 2.5), ("1", "2.50")),
        ((1, 2), ("1.0", "2")),
        (("1.0", 2, True), ("1.0", "2", "True")),
        (("TRUE", True), ("TRUE", "true")),
    ],
)
def test_numbers_and_truth_values_are_read_in_any_notation(values, texts):
    """A file may have TRUE, which a dataset reads as True, and which Weka prints as it stands."""
    lines = [f"x = {text}: {text} (2.0)" for text in texts]
    tree = from_weka_text("\n".join(lines), Schema([Feature("x", "nominal", values)], "y", values))
    assert tree.root.split == Multiway(0, range(len(values)))
    assert [values[leaf.counts.index(2)] for leaf in leaves(tree)] == list(values)


def test_lists_of_values_are_read_with_or_without_not():
    lines = "sky in {grey, 3}: True (2.0)\nsky not in {3, grey}: no: never (1.0)"
    assert from_weka_text(lines, SCHEMA).root.split == Groups(0, [(0, 2), (1,)])
    assert from_weka_text(lines.replace("in {grey, 3}", "= grey").replace("3, grey", "grey"), SCHEMA).root.split == Groups(
        0, [(0,), (1, 2)]
    )


def test_a_dataset_s_rows_are_counted_in_place_of_what_the_text_says():
    data = tables.weather()
    grown = grow(data, ID3)
    without = "\n".join(line.partition(" (")[0] for line in text(grown).splitlines())
    assert from_weka_text(without, dataset=data).root == grown.root


def test_missing_values_are_answered_by_weights_as_in_weka():
    """The rule of a tree that C4.5 grows, which J48 follows too."""
    tree, printed = c45(tables.weather()), text(c45(tables.weather()))
    assert from_weka_text(printed, tree.schema) == tree
    assert from_weka_text(printed, dataset=tables.weather()) == tree


def test_null_is_a_leaf_without_cases_and_a_leaf_alone_is_a_line():
    tree = from_weka_text("sky = grey: null\nsky = light blue: True", SCHEMA)
    assert tree.root.children[0] == Leaf((0, 0))
    for alone in (": True (14.0/5.0)", "J48 pruned tree\n------------------\n: True (14.0/5.0)\n\nNumber of Leaves  : 1"):
        assert from_weka_text(alone, SCHEMA).root == Leaf((5, 9))


@st.composite
def stated_leaves(draw):
    """Labels, cases and errors of the leaves of a text."""
    leaf = st.tuples(st.sampled_from(["no", "yes", "null"]), st.integers(1, 9), st.integers(0, 9))
    return [(label, cases, min(cases, errors)) for label, cases, errors in draw(st.lists(leaf, min_size=1, max_size=4))]


@given(stated_leaves(), st.none() | st.permutations(["no", "yes", "null"]))
@example([("no", 14, 5)], None)
@example([("null", 5, 1), ("no", 2, 0)], ["no", "yes", "null"])
def test_no_case_of_a_text_is_lost(stated, classes):
    lines = [f"x = {n}: {label} ({cases}.0/{errors}.0)" for n, (label, cases, errors) in enumerate(stated)]
    features = [Feature("x", "nominal", list(map(str, range(len(stated)))))]
    try:
        tree = from_weka_text("\n".join(lines), classes and Schema(features, "y", classes))
    except ValueError as refusal:
        (label,) = {label for label, _, _ in stated}
        assert f"schema must have a second class for the errors of a leaf, got only {label!r} for" in str(refusal)  # noqa: PT017
        assert classes is None
        assert any(errors for _, _, errors in stated)
        return
    for (label, cases, errors), leaf in zip(stated, tree.root.children, strict=True):
        assert sum(leaf.counts) == pytest.approx(cases)
        assert leaf.counts[tree.schema.classes.index(label)] == pytest.approx(cases - errors)


def test_the_rows_of_a_dataset_of_one_class_are_counted_whatever_errors_the_text_has():
    data = Dataset.from_rows([[1.0], [2.0]], ["a", "a"])
    assert from_weka_text(": a (9.0/3.0)", dataset=data).root == Leaf((2,))


def test_a_schema_without_classes_is_refused():
    schema = Schema([Feature("x", "numeric")], "mpg", (), response=numbers())
    with pytest.raises(ValueError, match="from_weka_text must be given a classification schema, got a regression schema"):
        from_weka_text("x <= 1: 1.5\nx > 1: 2.5", schema)


def test_a_deep_text_is_read():
    deep = "\n".join(f"{'|   ' * level}x <= {level}: a\n{'|   ' * level}x > {level}" for level in range(1500))
    assert len(list(leaves(from_weka_text(deep + ": b", target="y")))) == 1501


@pytest.mark.parametrize(
    ("given_text", "error", "words"),
    [
        (3, TypeError, "text must be the text that Weka prints, got an int"),
        ("", ValueError, "Each line of text must be a leaf or have lines below it"),
        ("what is this", ValueError, "Each line of text must be bars and a condition, .* got 'what is this'"),
        (ID3_TEXT, ValueError, "Each line of text must be bars and a condition"),
        (" sky = grey: True", ValueError, "Each line of text must be bars and a condition"),
        (
            "|   sky = grey: True",
            ValueError,
            "Each line of text must be at most one level below its branch, got 'sky' at level 2",
        ),
        ("sky = grey: True\n|   sky = 3: True", ValueError, "Each line of text must be at most one level below its branch"),
        ("sky = grey\nsky = 3: True", ValueError, "Each line of text must be a leaf or have lines below it, got 'sky' without"),
        ("wind speed <= 1: True", ValueError, "Lines below a branch must be <= and > a number"),
        ("wind speed <= 1: True\nwind speed > 2: True", ValueError, "Lines below a branch must be <= and > a number"),
        ("sky = 3: True\nwind speed = 2: True", ValueError, "Lines below a branch must be .*, got 'sky = 3, wind speed = 2'"),
        ("wind speed <= low: True\nwind speed > low: True", ValueError, "A threshold must be a number, got 'low'"),
        ("wait <= 1 day: True\nwait > 1 day: True", ValueError, "A threshold must be a number, got '1 day'"),
        ("sky = grey: True (2.0/3.0)", ValueError, "Cases of a leaf must be a finite number, and as many as its errors"),
        ("sky = green: True", ValueError, "A value of 'sky' must be one of .*, got 'green'"),
        ("sky = grey: maybe", ValueError, "A label must be one of 'no: never', True, got 'maybe'"),
        ("sky in {%s}: True" % ("a" * 200_000), ValueError, "Values in a line must be as in .*, got 'aaa"),
        ("rain = grey: True", KeyError, "got 'rain'"),
    ],
)
def test_other_texts_are_refused(given_text, error, words):
    with pytest.raises(error, match=words):
        from_weka_text(given_text, SCHEMA)


def test_only_a_dataset_can_be_counted():
    with pytest.raises(TypeError, match="dataset must be a Dataset, whose rows are counted in the nodes, got 3"):
        from_weka_text("sky = grey: a", dataset=3)


def test_rows_without_classes_beyond_one():
    data = Dataset.from_rows([[1.0], [2.0]], ["a", "a"])
    assert from_weka_text(": a (2.0)", data.schema).root == Leaf((2,))

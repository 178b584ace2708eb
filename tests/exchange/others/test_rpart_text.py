"""Trees of rpart, as R writes their tables: they predict what rpart predicts, also for rows with missing values."""

import csv
from pathlib import Path

import pytest

from ftree import Feature, Schema, Tree, n_leaves, predict
from ftree.exchange import from_rpart
from ftree.tree import Groups, Subset, WithSurrogates, numbers, preorder

MADE = Path(__file__).with_name("made")
IRIS = Schema(
    [Feature(name, "numeric") for name in ("Sepal.Length", "Sepal.Width", "Petal.Length", "Petal.Width")],
    "Species",
    ("setosa", "versicolor", "virginica"),
)
COUNTRIES = ("Brazil", "England", "France", "Germany", "Japan", "Japan/USA", "Korea", "Mexico", "Sweden", "USA")
CARS = Schema(
    [
        Feature("Price", "numeric"),
        Feature("Country", "nominal", COUNTRIES),
        Feature("Mileage", "numeric"),
        Feature("Type", "nominal", ("Compact", "Large", "Medium", "Small", "Sporty", "Van")),
    ],
    "Reliability",
    ("Much worse", "worse", "average", "better", "Much better"),
)
MILEAGE = Schema(
    [*CARS.features[:2], CARS.features[3], Feature("Reliability", "nominal", CARS.classes)], "Mileage", (), response=numbers()
)
TABLES = {"iris": IRIS, "cars": CARS, "mileage": MILEAGE}


def text_of(name, table):
    return MADE.joinpath(f"{name}_{table}.csv").read_text()


def tree_of(name):
    return from_rpart(*[text_of(name, table) for table in ("frame", "splits", "csplit")], schema=TABLES[name])


def rows_of(name):
    """Rows as values, and rpart's predictions."""
    schema = TABLES[name]
    rows = list(csv.DictReader(text_of(name, "rows").splitlines()))

    def cell(feature, text):
        return None if text == "NA" else float(text) if feature.kind == "numeric" else text

    answer = str if schema.has_classes else float
    return [[cell(each, row[each.name]) for each in schema.features] for row in rows], [answer(row["predicted"]) for row in rows]


@pytest.mark.parametrize("name", TABLES)
def test_it_predicts_what_rpart_predicts(name):
    rows, theirs = rows_of(name)
    tree = tree_of(name)
    assert predict(tree, rows) == (theirs if tree.schema.has_classes else pytest.approx(theirs, rel=1e-12))
    frame = text_of(name, "frame")
    assert n_leaves(tree) == frame.count("<leaf>")
    assert tree.schema.response.weight(tree.root.counts) == float(frame.splitlines()[1].split(",")[3])


def test_numbers_have_the_weights_means_and_deviances_of_the_frame():
    tree, frame = tree_of("mileage"), list(csv.DictReader(text_of("mileage", "frame").splitlines()))
    response, nodes = tree.schema.response, [node.counts for node in preorder(tree)]
    mine = sorted((counts[0], response.answer(counts), response.risk(counts)) for counts in nodes)
    theirs = sorted((float(row["wt"]), float(row["yval"]), float(row["dev"])) for row in frame)
    assert [value for node in mine for value in node] == pytest.approx([value for node in theirs for value in node], rel=1e-10)


def test_surrogates_and_groups_come_along():
    kinds = {type(node.split) for node in preorder(tree_of("cars")) if hasattr(node, "split")}
    assert WithSurrogates in kinds
    splits = [node.split for node in preorder(tree_of("cars")) if hasattr(node, "split")]
    assert any(isinstance(getattr(each, "split", each), (Groups, Subset)) for each in splits)
    (surrogate, *_) = tree_of("iris").root.split.surrogates
    assert (surrogate.agreement, surrogate.adjusted) == (1.0, 1.0)


def test_a_fit_without_a_split_is_a_leaf():
    frame = '"","var","n","wt","dev","yval","c","nc","ns","v1","v2","v3"\n"1","<leaf>",3,3,1,1,1,0,0,1,2,1'
    tree = from_rpart(frame, schema=Schema([], "y", ("a", "b")))
    assert isinstance(tree, Tree)
    assert tree.root.counts == (2, 1)


LINES = [
    '"","var","n","wt","dev","yval","c","nc","ns","v1","v2","v3"',
    '"1","x",5,5,2,1,1,{},{},1,3,2',
    '"2","<leaf>",2,2,0,1,0,0,0,1,2,0',
    '"3","<leaf>",1,1,0,2,0,0,0,2,0,1',
]


def test_a_branch_has_the_cases_that_rpart_counts_there():
    """With `usesurrogate = 0` rows without a value stay at the branch, and are in none of its leaves."""
    frame = "\n".join(LINES).format(0, 0)
    cut = '"","count","ncat","improve","index","adj"\n"x",3,-1,1,17.5,0'
    assert from_rpart(frame, cut, schema=Schema([Feature("x", "numeric")], "y", ("a", "b"))).root.counts == (3, 2)


@pytest.mark.parametrize("cells", [(-1, 0, -1), (0, -1, -1), (0.5, 0, -1), (0, 1e9, -1), (0, 0, -7), (0, 0, 0.5), (0, 0, "NA")])
def test_counts_of_lines_and_levels_that_are_no_whole_numbers_are_refused(cells):
    """A negative count of competitors would take the lines of other splits."""
    n_compete, n_surrogates, ncat = cells
    cut = f'"","count","ncat","improve","index","adj"\n"x",3,{ncat},1,17.5,0'
    with pytest.raises(ValueError, match=r"A cell must be|splits must have a line for each"):
        from_rpart(
            "\n".join(LINES).format(n_compete, n_surrogates), cut, schema=Schema([Feature("x", "numeric")], "y", ("a", "b"))
        )


FRAME, SPLITS, CSPLIT = (text_of("cars", table) for table in ("frame", "splits", "csplit"))


@pytest.mark.parametrize(
    ("tables", "error", "words"),
    [
        (("",), ValueError, "frame must have a line for each node, got none"),
        ((3,), TypeError, r"frame must be the text of write.csv, got 3"),
        (('"\n',), ValueError, "frame must be the text of write.csv, got"),
        (('"","var"\n"1","x",5,5,2,1,1,0,0', SPLITS, CSPLIT, MILEAGE), ValueError, "A tree must have a leaf, got none|got"),
        (("a,b\n1,2",), ValueError, "frame must have the columns var to nsurrogate and yval2 of 5 classes"),
        ((FRAME.replace('"2"', '"two"', 1), SPLITS, CSPLIT), ValueError, "A cell must be a number, got 'two'"),
        ((FRAME.replace('\n"2"', '\n"99"', 1), SPLITS, CSPLIT), ValueError, "frame must have both children of each node"),
        ((FRAME,), ValueError, "splits must have a line for each split"),
        ((FRAME, SPLITS), ValueError, r"csplit must have the line 1 that splits name, got 0 lines"),
        ((FRAME, "a,b\n1,2", CSPLIT), ValueError, "splits must have the columns count"),
        (
            (FRAME, SPLITS, CSPLIT, MILEAGE),
            ValueError,
            "frame must have the columns var to nsurrogate only, as that of method='anova'",
        ),
        ((FRAME, SPLITS.replace("Country", "Land"), CSPLIT), KeyError, "got 'Land'"),
    ],
)
def test_other_tables_are_refused(tables, error, words):
    with pytest.raises(error, match=words):
        from_rpart(*tables[:3], schema=tables[3] if len(tables) > 3 else CARS)

"""At the doors a value of any type is an argument that makes sense, or is refused by a sentence of the library's own."""

import traceback
from contextlib import suppress
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ftree
from ftree import C45, CART, Dataset, dnf, evolve, grow, mean_cost, prune, stop
from ftree.estimator import TreeClassifier
from ftree.splitters import by_score
from ftree.tree import Branch, Leaf, Threshold

ROOT = str(Path(ftree.__file__).parent)
# What earlier strategies never drew: values whose comparison has no truth, arrays without dimensions, and parts of other roles.
ODD = st.sampled_from(
    [
        *[pd.NA, pd.NaT, np.array(1.0), np.array([]), np.array([1.0, 2.0]), np.ma.masked, Decimal("sNaN"), Decimal("0.5")],
        *[Fraction(1, 3), slice(2), range(3), iter([1]), 1 + 2j, 10**400, float("nan"), -1, 0.5, True, None, "x", b"x", {}],
        *[{1}, [], (), object(), ..., CART, stop.max_depth(1), by_score(), ftree.gini, ftree.gain, int, type],
    ]
)
DATA = Dataset.from_columns({"f": [1.0, 2.0, 3.0], "g": ["a", "b", "a"], "y": ["no", "yes", "no"]}, target="y")
TREE = grow(DATA)
TWO = (Leaf((1, 0)), Leaf((0, 1)))
ROWS, LABELS = np.array([[0.0], [1.0], [2.0]]), ["no", "yes", "no"]
NAMES = ("sample_weight", *TreeClassifier().get_params(deep=False))


def fitted(name, value):
    """A classifier with another value of a parameter, or of the weights of `fit`."""
    options = {name: value} if name == "sample_weight" else {}
    return TreeClassifier(**({} if options else {name: value})).fit(ROWS, LABELS, **options)


DOORS = {
    "name of a column": lambda odd: DATA[odd],
    "binned": lambda odd: DATA.binned(odd, cuts=[1.5]),
    "cuts": lambda odd: DATA.binned("f", cuts=odd),
    "keep_columns": DATA.keep_columns,
    "one kept column": lambda odd: DATA.keep_columns([odd]),
    "where number": lambda odd: DATA.where(f=odd),
    "where text": lambda odd: DATA.where(g=odd),
    "with_labels": DATA.with_labels,
    "one label": lambda odd: DATA.with_labels(["a", odd, "b"]),
    "recoded": DATA.recoded,
    "dnf": lambda odd: dnf(TREE, odd),
    "children": lambda odd: Branch((1, 1), Threshold(0, 0.5), odd),
    "costs": lambda odd: mean_cost(TREE, DATA, costs=odd),
    "alpha of chi_squared": lambda odd: prune.chi_squared(odd)(TREE),
    "critical value": lambda odd: prune.critical_value(odd)(TREE),
    "risk": lambda odd: prune.cost_complexity(0.1, risk=odd)(TREE),
    "impurity of trim": lambda odd: prune.trim(stop.max_depth(0), impurity=odd)(TREE),
    "score of critical_value": lambda odd: prune.critical_value(0.1, score=odd)(TREE),
    "leaves": lambda odd: ftree.predict_counts(TREE, DATA, leaves=odd),
    "estimate": lambda odd: ftree.predict_proba(TREE, DATA, estimate=odd),
    "impurity": lambda odd: grow(DATA, evolve(CART, impurity=odd)),
    "score": lambda odd: grow(DATA, evolve(C45, score=odd)),
    "value of a schema": lambda odd: ftree.from_dict(
        ftree.to_dict(TREE, schema=True) | {"schema": {"features": [{"kind": odd}]}}
    ),
    **{f"estimator's {name}": lambda odd, name=name: fitted(name, odd) for name in NAMES},
}


# Doors that call any function.
CALLED = {
    "risk",
    "impurity of trim",
    "score of critical_value",
    "leaves",
    "estimate",
    "where number",
    "where text",
    "estimator's policy",
    "estimator's prune",
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("door", DOORS)
@given(ODD)
def test_an_odd_value_is_answered_or_refused_by_name(door, odd):
    refusal = None
    try:
        DOORS[door](odd)
    except Exception as error:  # noqa: BLE001  # the claim is which these are
        refusal = error
    is_function = callable(odd) and (not isinstance(odd, type) or door.startswith("where"))
    if refusal is None or (is_function and door in CALLED):
        return
    place = traceback.extract_tb(refusal.__traceback__)[-1].filename
    ours = place.startswith(ROOT) and " must " in str(refusal) and isinstance(refusal, (TypeError, ValueError, KeyError))
    assert ours or "sklearn" in place or "Seed must be" in str(refusal), repr(refusal)  # its users know its own sentences


def test_columns_that_pandas_cannot_hash_are_read_and_names_that_occur_twice_are_refused():
    runs = pa.RunEndEncodedArray.from_arrays(pa.array([3], pa.int32()), pa.array([1.5]))
    lists = pa.array([[1], [2], None])
    for column in (runs, pd.Series(pd.arrays.ArrowExtensionArray(pa.chunked_array([runs])))):
        assert Dataset.from_columns({"f": column, "y": [0, 1, 1]}, target="y")["f"].tolist() == [1.5, 1.5, 1.5]
    with pytest.raises(TypeError, match=r"Values of 'f' must be .*, got"):
        Dataset.from_frame(pa.table({"f": lists, "y": [0, 1, 1]}).to_pandas(types_mapper=pd.ArrowDtype))
    with pytest.raises(ValueError, match=r"^Columns must have distinct names, got 'nan' twice"):
        Dataset.from_frame(pd.DataFrame([[1, 2], [3, 4]], columns=[np.nan, np.nan]))


def test_numbers_of_thousands_of_digits_are_no_places_of_a_sparse_row():
    text = b"@relation r\n@attribute a numeric\n@attribute c {p,q}\n@data\n{" + b"9" * 5000 + b" 1}\n"
    with pytest.raises(ValueError, match="A sparse row of the buffer must be"):
        Dataset.read(text, format="arff")


def test_weights_whose_parts_are_no_floats_are_refused():
    with pytest.raises(ValueError, match=r"^weights must sum to at least 1e-280, got a sum of 2e-300"):
        Dataset.from_rows([["a"], ["b"]], [0, 1], weights=[1e-300, 1e-300])
    with suppress(ValueError):
        assert Dataset.from_rows([["a"], ["b"]], [0, 1], weights=[0, 0]).n_cases == 0

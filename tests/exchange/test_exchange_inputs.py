"""Values and arguments that an export cannot write get a clear error."""

import pytest

from ftree import Feature, Leaf, Schema, Tree, datasets, grow
from ftree.exchange import from_rpart, to_onnx, to_sql


def leaf(*labels):
    return Tree(Schema([Feature("x", "nominal", labels)], "class", ("no", "yes")), Leaf((2, 1)))


@pytest.mark.parametrize("value", [2**63, -(2**63) - 1])
def test_whole_numbers_beyond_64_bits_are_refused_in_onnx(value):
    with pytest.raises(ValueError, match="Whole numbers of 'x' must be of 64 bits to be written in ONNX"):
        to_onnx(leaf(value, 1))


def test_arguments_of_a_wrong_type_are_refused():
    with pytest.raises(TypeError, match="columns must be a mapping of features' names to expressions, got 3"):
        to_sql(grow(datasets.weather()), columns=3)
    with pytest.raises(TypeError, match=r"schema must be a Schema, such as dataset.schema, got an int"):
        from_rpart("", schema=3)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"columns": {"outlok": "t.sky"}}, r"columns must have names of features, got 'outlok'. Did you mean 'outlook'\?"),
        ({"columns": {3: "t.sky"}}, r"columns must have names of features, got 3\.$"),
        ({"columns": {"outlook": 3}}, "columns must have an expression for 'outlook', got 3"),
        ({"columns": {"outlook": " "}}, "columns must have an expression for 'outlook', got ' '"),
        (
            {"count_of": "yes", "threshold": 0.5},
            "count_of must be left out with threshold or costs, which decide on a label, got",
        ),
        ({"count_of": "yes", "costs": [[0, 1], [2, 0]]}, "count_of must be left out with threshold or costs"),
    ],
)
def test_no_option_of_sql_is_ignored(options, message):
    with pytest.raises(ValueError, match=message):
        to_sql(grow(datasets.weather()), missing="heaviest", **options)

"""Weka's J48 itself prints a tree, which is read back and equals the tree that c45 grows."""

import re
import subprocess

import pytest
from browser import needed

from ftree import c45, text
from ftree.datasets import lenses, weather
from ftree.exchange import from_weka_text

WEKA = "/usr/share/java/weka.jar"


def as_arff(data):
    """The text of a dataset of nominal features, with each value in quotation marks."""
    columns = [*((feature.name, feature.values) for feature in data.schema.features), ("class", data.schema.classes)]
    quoted = [[f"'{value}'" for value in values] for _, values in columns]
    declared = [f"@attribute '{name}' {{{','.join(values)}}}" for (name, _), values in zip(columns, quoted, strict=True)]
    coded = zip(*data.columns, data.target_column, strict=True)
    rows = [",".join(values[code] for values, code in zip(quoted, row, strict=True)) for row in coded]
    return "\n".join(["@relation r", *declared, "@data", *rows, ""])


@pytest.mark.consumer
@pytest.mark.parametrize("data", [weather(), lenses()], ids=["weather", "lenses"])
def test_what_J48_prints_is_the_tree_that_c45_grows(data, tmp_path):
    file = tmp_path / "data.arff"
    file.write_text(as_arff(data))
    java = needed("java", "default-jre-headless")
    command = [java, "-cp", needed(WEKA, "weka"), "weka.classifiers.trees.J48", "-t", str(file), "-no-cv"]
    printed = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120).stdout  # noqa: S603  # Debian's
    mine = c45(data)
    tree = from_weka_text(printed[: printed.index("Size of the tree")], dataset=data)
    assert tree == mine
    assert re.sub(r"\s", "", text(from_weka_text(printed, data.schema))) == re.sub(r"\s", "", text(mine))

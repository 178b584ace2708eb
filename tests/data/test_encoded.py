"""Arrays of texts are coded by their distinct texts, and no Python object is made for a cell."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ftree import Dataset, grow, predict
from ftree.data import columns
from ftree.data.columns import encoded_text_array

texts = st.lists(st.text(st.sampled_from("ab\u00e4\U0001f333 "), max_size=4) | st.text(max_size=6))


@given(texts, st.data())
def test_an_array_of_texts_is_its_texts_once_each_and_a_code_of_each_row(listed, data):
    array = np.array(listed, dtype=np.dtype(data.draw(st.sampled_from(["<", ">"])) + "U6"))
    mask = np.array(data.draw(st.lists(st.booleans(), min_size=len(listed), max_size=len(listed))), dtype=bool)
    column = encoded_text_array(array)
    assert column.tolist() == array.tolist()
    assert len(set(column.values)) == len(column.values)
    assert set(map(type, column.values)) <= {str}
    masked = encoded_text_array(np.ma.array(array, mask=mask))
    assert masked.tolist() == np.ma.array(array, mask=mask).tolist()


@pytest.mark.parametrize("form", [lambda column: column[::2], lambda column: column.reshape(-1, 2).T[0]], ids=["steps", "table"])
def test_texts_that_do_not_lie_side_by_side_are_read(form):
    assert encoded_text_array(form(np.array(["b", "x", "a", "y"]))).tolist() == ["b", "a"]


def test_a_table_of_texts_is_that_of_lists_and_so_are_its_answers():
    rows = [["grey", "yes"], ["blue", "?"], ["grey", "no"], ["", "no"]]
    labels = ["stay", "ride", "stay", "ride"]
    dataset = Dataset.from_rows(np.array(rows), np.array(labels))
    assert dataset == Dataset.from_rows(rows, labels)
    assert dataset.summary() == Dataset.from_rows(rows, labels).summary()
    tree = grow(dataset)
    assert predict(tree, np.array(rows)).tolist() == predict(tree, rows)
    assert predict(tree, np.array([["green", "yes"]])).tolist() == predict(tree, [["green", "yes"]])


def test_texts_that_have_one_hash_stay_apart(monkeypatch):
    monkeypatch.setattr(columns, "_hashes", lambda texts: np.zeros(len(texts), np.uint64))
    assert encoded_text_array(np.array(["b", "a", "b"])).tolist() == ["b", "a", "b"]

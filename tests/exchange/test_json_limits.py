"""JSON at its borders: the last value that is read, and the first that is refused."""

import gzip
import json
import re

import pytest
from attrs import frozen

from ftree import C45, Branch, Feature, Leaf, Schema, Tree
from ftree.exchange import from_dict, from_json, json_file, load, save, to_dict, to_json
from ftree.exchange.checks import check_identifier, plain, plain_values
from ftree.exchange.json_checks import items, members, whole_numbers
from ftree.prune.decisions import Decision
from ftree.tree.splits import IsMissing, Threshold


def message(text):
    return f"^{re.escape(text)}$"


@frozen
class Below(Threshold):
    """A split of a user's own."""


SCHEMA = Schema([Feature("wind", "numeric"), Feature("sky", "nominal", ("grey", "blue"))], "ride", ("no", "yes"))
OWN = Tree(SCHEMA, Branch((1, 2), Below(0, 0.5), (Leaf((1, 0)), Leaf((0, 2)))))


@pytest.mark.parametrize("name", ["tree.json", "tree.json.gz"])
def test_a_file_has_the_splits_of_users_where_they_are_named(name, tmp_path):
    save(OWN, tmp_path / name)
    assert load(str(tmp_path / name), splits=(Below,)) == OWN
    with pytest.raises(ValueError, match="got 'Below'"):
        load(tmp_path / name)


def test_the_same_value_makes_the_same_file(tmp_path):
    save(C45, tmp_path / "a.json.gz")
    raw = (tmp_path / "a.json.gz").read_bytes()
    assert raw[4:8] == b"\0" * 4, "the time of writing would differ"
    assert gzip.decompress(raw).decode() == to_json(C45) + "\n"


def test_a_compressed_file_may_be_as_long_as_its_limit(tmp_path, monkeypatch):
    monkeypatch.setattr(json_file, "_MOST_TIMES", 0)
    text = to_json(Tree(SCHEMA, Leaf((1, 2))))
    for blanks, fits in ((1000 - len(text), True), (1001 - len(text), False)):
        (tmp_path / "t.gz").write_bytes(gzip.compress((text + " " * blanks).encode()))
        if fits:
            assert load(tmp_path / "t.gz").root == Leaf((1, 2))
        else:
            got = "path must be a file of at most 0 times its compressed size, got t.gz, which has more."
            with pytest.raises(ValueError, match=message(got)):
                load(tmp_path / "t.gz")


def changed(**fields):
    """A text of one decision with other fields."""
    document = json.loads(to_json([Decision((0, 1), (2, 1), as_leaf=1.0, child=0)]))
    document["decisions"] |= fields
    return json.dumps(document)


def test_children_of_decisions_are_numbered_from_0_and_below_the_length_of_a_list():
    most = 2**63 - 1
    (found,) = from_json(changed(path=[[0, most]], child=[most]))
    assert (found.path, found.child) == ((0, most), most)
    for wrong in ({"path": [[most + 1]]}, {"path": [[-1]]}, {"child": [most + 1]}, {"child": [-1]}, {"path": [[True]]}):
        name = next(iter(wrong))
        with pytest.raises(ValueError, match=rf"^{name} must be whole numbers from 0 and below {2**63}, got \["):
            from_json(changed(**wrong))


def test_columns_of_decisions_are_as_long_as_that_of_their_paths():
    with pytest.raises(ValueError, match=message("counts must be a list of 2, got 1 items.")):
        from_json(changed(path=[[0], [1]]))
    with pytest.raises(ValueError, match=r"^done must be one of '.*', got 'burn'\.$"):
        from_json(changed(done=["burn"]))


def test_an_object_has_its_keys_and_no_others():
    assert members({"b": 2, "a": 1}, "It", ["a", "b"]) == [1, 2]
    assert members({"a": 1}, "It", ["a"], ["c"]) == [1, None]
    for wrong, got in (({"a": 1}, "the keys 'a'"), ({"a": 1, "b": 2, "d": 3}, "the keys 'a', 'b', 'd'"), ({}, "{}"), ([], "[]")):
        text = f"It must be an object with the keys a, b, and may have c, got {got}."
        with pytest.raises(ValueError, match=message(text)):
            members(wrong, "It", ["a", "b"], ["c"])


def test_a_list_has_its_length():
    assert [items([], "it"), items([], "it", 0), items([1], "it", 1), items([1, 2], "it")] == [[], [], [1], [1, 2]]
    for wrong, n, wanted, got in (
        ([1], 2, "a list of 2", "1 items"),
        ([1], 0, "a list of 0", "1 items"),
        ((1,), None, "a list", "(1,)"),
    ):
        with pytest.raises(ValueError, match=message(f"it must be {wanted}, got {got}.")):
            items(wrong, "it", n)


def test_whole_numbers_are_from_0_and_below_a_bound():
    assert [whole_numbers(right, "it", 3) for right in ([], [0, 2], [2])] == [[], [0, 2], [2]]
    for wrong in ([3], [-1], [0, 3], [-1, 0], [1.0], [True], ["1"], [None]):
        with pytest.raises(ValueError, match=message(f"it must be whole numbers from 0 and below 3, got {wrong!r}.")):
            whole_numbers(wrong, "it", 3)


@pytest.mark.parametrize("name", ["class", "2x", "", "a b", "größe", 3, None])
def test_a_name_of_a_function_is_an_identifier_in_ascii(name):
    check_identifier("predict_2")
    check_identifier("class", reserved=frozenset().__contains__)
    wanted = "name must be the name of a function, ASCII letters, digits and underscores, got"
    with pytest.raises(ValueError, match=message(f"{wanted} {name!r}.")):
        check_identifier(name)


def test_values_of_features_that_no_test_uses_are_not_written():
    wide = Schema([*SCHEMA.features, Feature("size", "ordinal", (1, 2.5, "a", None))], "ride", ("no", "yes"))
    assert plain_values(wide, [0, 1]) == [None, ["grey", "blue"], []]
    assert plain_values(wide, [2]) == [[], [], [1, 2.5, "a", None]]
    assert [type(plain("It", value)) for value in (True, 1, 2.0, "a", None)] == [bool, int, float, str, type(None)]
    for wrong in (float("inf"), float("nan"), (1,), b"a"):
        with pytest.raises(ValueError, match=r"^It must be a text, a finite number, a boolean or None to be exported, got"):
            plain("It", wrong)


def test_the_names_and_keys_of_a_split_are_those_that_it_writes():
    tree = Tree(SCHEMA, Branch((1, 2), IsMissing(0), (Leaf((1, 0)), Leaf((0, 2)))))
    nested = to_dict(tree, counts=True)
    assert from_dict(nested, SCHEMA) == tree
    ((name, children),) = nested.items()
    kind, (feature,), fields = name
    assert (kind, feature) == (("type", "IsMissing"), "wind")
    for other in ({(kind, ("sky",), fields): children}, {name: dict(zip(("a", "b"), children.values(), strict=True))}):
        with pytest.raises(ValueError, match=r"^The name and keys of IsMissing\(feature=0\) must be .*, got .* and .*\.$"):
            from_dict(other, SCHEMA)

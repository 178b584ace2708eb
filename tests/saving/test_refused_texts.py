"""A text that to_json does not write is refused by what is wrong in it."""

import json

import pytest
from saved_examples import NO, NUMBERS, XY, YES

import ftree as ft
from ftree import prune, stop
from ftree.responses import events
from ftree.tree import Threshold, exact_sums

OF_NUMBERS = ft.to_json(ft.Tree(NUMBERS, ft.Leaf((1, 2, 4))))
OF_EVENTS = ft.to_json(ft.Tree(ft.Schema((), "n", (), response=exact_sums(events("years", rate=0.5))), ft.Leaf((1, 2, 4, 0))))


@pytest.mark.parametrize(
    ("text", "old", "new", "message"),
    [
        (OF_NUMBERS, '"type":"numbers"', '"type":"ranks"', "must be of type 'numbers', with a centre, a unit and a part, or in"),
        (OF_NUMBERS, '"part":0.5', '"part":"0.5"', "The response must be of type 'numbers', with"),
        (OF_NUMBERS, '"part":0.5', f'"part":{10**400}', "The response must be of type 'numbers', with"),
        (OF_NUMBERS, "[[1],[2],[4]]", "[[1e-320],[2],[4]]", "Sums of a node must have a finite number as their answer, got"),
        (OF_EVENTS, '"rate":0.5', f'"rate":{10**400}', "rate must be 0, or a number from 1e-100 to 1e\\+100, got 1000"),
        (OF_NUMBERS, '"part":0.5', '"part":0.3', "part must be a power of two, such as 0.25, got 0.3"),
        (OF_NUMBERS, ',"part":0.5', "", "The response must be an object with the keys type, centre, unit, part, got"),
        (OF_NUMBERS, '"classes":[]', '"classes":[1]', r"classes must be \(\) for a target of numbers, got \(1,\)"),
        (OF_EVENTS, '"rate":0.5', '"rate":"0.5"', "rate must be 0, or a number from 1e-100 to 1e\\+100, got '0.5'"),
        (OF_EVENTS, '"rate":0.5', '"rate":-0.5', "rate must be 0, or a number from 1e-100 to 1e\\+100, got -0.5"),
        (OF_EVENTS, '"grids":[[0.0,1.0],', '"grids":[[0.0,0.0],', "unit must be a number above 0, and at most 1e300, got 0.0"),
        (OF_EVENTS, '"grids":[[0.0,1.0],', '"grids":[', "grids must"),
        (OF_EVENTS, '"grids":[[0.0,1.0],', '"grids":[[-1e308,1.0],', "grids must have centres of at most 1e"),
        (OF_EVENTS, '"grids":[[0.0,1.0],', '"grids":[[0.0,5e-324],', "grids must have centres of at most 1e"),
        (OF_EVENTS, '"part":1.0', '"part":3.0', "part must be a power of two"),
        (OF_EVENTS, '"part":1.0', '"part":"1"', r"or in ftree.responses or parts=\(...\), with grids and a part, got"),
    ],
)
def test_a_wrong_response_is_refused_by_name(text, old, new, message):
    assert old in text
    with pytest.raises(ValueError, match=message):
        ft.from_json(text.replace(old, new))


TREE = json.loads(
    ft.to_json(ft.Tree(XY, ft.Branch((1, 1), Threshold(0, 0.5), (NO, ft.Branch((0, 1), Threshold(1, 2.5), (NO, YES))))))
)


PART = json.loads(ft.to_json(stop.max_depth(3) | stop.pure()))
DECISIONS = json.loads(ft.to_json([prune.Decision((0,), (2, 1), 1.0, 2.0, done="cut", becomes=NO)]))


def changed(document, path, value):
    """The text of a document with one value replaced; a function makes the new value from the old one."""
    document = json.loads(json.dumps(document))
    place = document
    *above, last = path
    for key in above:
        place = place[key]
    place[last] = value(place[last]) if callable(value) else value
    return json.dumps(document)


NODES = ["tree", "nodes"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "text must be JSON, got '' at 0: Expecting value"),
        ("[]", r"The text must be an object with the keys format, version, and may have tree, part, decisions, got \[\]"),
        ('{"format":"ftree","version":1}', "one of tree, part and decisions, got .* and 0 of these"),
        (changed(PART, ["tree"], {}), "and 2 of these"),
        (changed(PART, ["format"], "other"), "The text must be an object with the format 'ftree'"),
        (changed(PART, ["version"], 2), "version must be 1, got 2. A later release of ftree may read the text"),
        (changed(PART, ["more"], 2), "The text must be an object with the keys format, .* got the keys"),
        ('{"format":"ftree","format":"ftree"}', "An object must have each key once, got 'format' twice"),
        (ft.to_json(stop.max_depth(3)).replace("3", "NaN"), "A number must be finite, got NaN"),
        (ft.to_json(stop.max_depth(3)).replace("3", "1e999"), "A number must be finite, got '1e999'"),
        (ft.to_json(stop.max_depth(3)).replace("3", "9" * 5000), "text must be JSON of whole numbers with at most 4300 digits"),
        (b"\xff", r"text must be UTF-8, got b'\\xff' at byte 0"),
        ("[" * 100_000, "text must be JSON with less nesting"),
        ('{"format":"ftree","version":1,"part":' + "[" * 600 + "]" * 600 + "}", r"part must be a part of the library, got \[\["),
        (
            '{"format":"ftree","version":1,"part":' + '{"tuple":[' * 400 + "]}" * 400 + "}",
            "text must be JSON with less nesting",
        ),
        (changed(TREE, ["tree", "schema", "target"], "\ud800"), "Text must be Unicode without single surrogates"),
        (changed(TREE, ["tree", "schema", "target"], 3), "A name must be a text, got 3"),
        (changed(TREE, ["tree", "schema", "target"], "x"), "target must not be the name of a feature, got 'x'"),
        (changed(TREE, ["tree", "schema", "classes"], ["no", "no"]), "classes must be distinct, got 'no' twice"),
        (changed(TREE, ["tree", "schema", "classes"], [{"decimal": "sNaN"}, "no"]), "must be hashable"),
        (changed(TREE, ["tree", "schema", "classes"], [["no"], "yes"]), r"A value must be text, .*, got \['no'\]"),
        (changed(TREE, ["tree", "schema", "classes"], [{"date": "20200131"}, 1]), "A value of type date must be written as"),
        (changed(TREE, ["tree", "schema", "classes"], [{"date": 3}, 1]), "A value of type date must be written as"),
        (changed(TREE, ["tree", "schema", "classes"], [{"os": 1}, 1]), "A value must be text, .*, got {'os': 1}"),
        (changed(TREE, ["tree", "schema", "features", 0, "values"], []), "A feature must be an object with the keys name, kind"),
        (
            changed(TREE, ["tree", "schema", "features", 0, "kind"], "nominal"),
            "A feature must be an object with the keys .*values",
        ),
        (changed(TREE, ["tree", "schema", "features", 0, "time"], "era"), "time must be one of 'date'"),
        (changed(TREE, ["tree", "schema", "features", 0], 3), "A feature must be an object .*, got 3"),
        (changed(TREE, ["tree", "missing"], {"type": "missing.as_value"}), "missing must be a function"),
        (changed(TREE, ["tree", "missing"], {"type": "os.system"}), "type must be a part of the library.*, got 'os.system'"),
        (changed(PART, ["part"], {"type": "stop.max_dept"}), r"got 'stop.max_dept'\. Did you mean 'stop.max_depth'\?$"),
        (
            changed(PART, ["version"], value=True),
            "The text must be an object with the format 'ftree', .*'version': Tr",
        ),
        (changed(TREE, ["tree", "missing"], {"type": ["a"]}), r"type must be a part of the library.*, got \['a'\]"),
        (
            changed(TREE, ["tree", "missing"], {"type": "criteria.gini", "of": 3}),
            "criteria.gini must be an object with the keys type",
        ),
        (changed(TREE, [*NODES, "n_children"], [2, 0, 3, 0, 0]), "n_children must be the numbers of children of a tree's nodes"),
        (changed(TREE, [*NODES, "n_children"], [0, 2, 0, 2, 0]), "n_children must be the numbers of children of a tree's nodes"),
        (changed(TREE, [*NODES, "n_children"], [-1, 0, 2, 0, 0]), "n_children must be whole numbers from 0"),
        (changed(TREE, [*NODES, "n_children"], [10**19, 0, 2, 0, 0]), "n_children must be the numbers of children of a tree's"),
        (changed(TREE, [*NODES, "n_children"], 10**9), "n_children must be a list, got 1000000000"),
        (changed(TREE, [*NODES, "n_children"], [4, 0, 0, 0, 0]), "splits must be one for each node with children"),
        (changed(TREE, [*NODES, "counts"], []), "counts must be a list of 2, got 0 items"),
        (changed(TREE, [*NODES, "counts", 0], [1]), "The counts of a class must be a list of 5, got 1 items"),
        (changed(TREE, [*NODES, "counts", 0, 1], -1), "counts must be numbers from 0"),
        (changed(TREE, [*NODES, "counts"], [[6e99] * 5] * 2), "counts must be numbers from 0"),
        (changed(TREE, [*NODES, "splits", 0, "nodes"], [0, 0]), "splits must be one for each node with children"),
        (changed(TREE, [*NODES, "splits", 0, "type"], "Multiway"), "Fields of Multiway must be those of its to_fields"),
        (
            changed(TREE, [*NODES, "splits", 0, "type"], ["Multiway"]),
            r"A split must be of one of the types .*, got \['Multiway'\]",
        ),
        (changed(TREE, [*NODES, "splits", 0, "fields"], []), r"fields must be an object of columns, got \[\]"),
        (changed(TREE, [*NODES, "splits", 0, "fields", "at"], [1]), "The field 'at' must be a list of 2, got 1 items"),
        (changed(TREE, [*NODES, "splits", 0, "fields", "at", 0], "low"), "Fields of Threshold must be those"),
        (changed(TREE, [*NODES, "splits", 0, "fields", "at", 0], {"float": "inf"}), "at must be a finite number, got inf"),
        (changed(TREE, [*NODES, "splits", 0, "fields", "at", 0], {"float": "inf", "date": ""}), "A value must be text, a number"),
        (changed(TREE, [*NODES, "splits", 0, "fields", "feature", 0], 7), "A split must use features 0 to 1 of the schema"),
        (changed(TREE, [*NODES, "splits", 0, "fields", "feature", 0], {"type": "Threshold"}), "Fields of Threshold must be"),
        (changed(PART, ["part", "rules"], 3), "stop.any_of must have fields that its constructor takes"),
        (changed(PART, ["part", "rules"], [{"type": "stop.max_depth", "limit": "3"}]), "max_depth must be a whole number from 0"),
        (changed(PART, ["part"], 3), "part must be a part of the library, got 3"),
        (changed(DECISIONS, ["decisions", "done"], ["exploded"]), "done must be one of 'kept', 'cut', 'raised', 'recounted'"),
        (changed(DECISIONS, ["decisions", "path"], [[-1]]), "path must be whole numbers from 0"),
        (changed(DECISIONS, ["decisions", "child"], [0.5]), "child must be whole numbers from 0"),
        (changed(DECISIONS, ["decisions", "as_leaf"], ["low"]), "as_leaf must be a number or null, got 'low'"),
        (changed(DECISIONS, ["decisions", "as_leaf"], [True]), "as_leaf must be a number or null, got True"),
        (changed(DECISIONS, ["decisions", "counts"], [["a"]]), "counts must be numbers from 0"),
        (changed(DECISIONS, ["decisions", "counts"], [[1]]), "counts must be a list of 1, got 2 items"),
    ],
)
def test_a_text_that_to_json_does_not_write_is_refused(text, words):
    with pytest.raises(ValueError, match=words):
        ft.from_json(text)


def test_only_text_is_read():
    with pytest.raises(TypeError, match=r"text must be a str or bytes, got a dict. load\(path\) reads a file"):
        ft.from_json({})

"""Trees of PMML: each kind of predicate, strategies for missing values, counts; damaged and hostile documents are refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ftree import CART, CHAID, ID3, Branch, Feature, Leaf, Schema, Tree, evolve, grow, predict
from ftree.exchange import from_pmml, to_pmml
from ftree.exchange.others.from_pmml import parsed
from ftree.exchange.others.pmml_predicates import words_of
from ftree.routing import all_routes, stop_here, weighted
from ftree.splitters import multiway
from ftree.testing import datasets, schemas
from ftree.tree import Groups, Intervals, IsMissing, Multiway, Subset, Surrogate, Threshold, WithDefault, WithSurrogates, preorder

FIELDS = """<DataField name="age" optype="continuous" dataType="double"/>
<DataField name="sky" optype="categorical" dataType="string">
  <Value value="grey"/><Value value="light blue"/><Value value="red"/><Value value="?" property="missing"/></DataField>
<DataField name="size" optype="ordinal" dataType="integer"><Value value="1"/><Value value="2"/><Value value="3"/></DataField>
<DataField name="wet" optype="categorical" dataType="boolean"><Value value="true"/><Value value="false"/></DataField>
<DataField name="ride" optype="categorical" dataType="string"><Value value="no"/><Value value="yes"/></DataField>"""
MINING = '<MiningField name="age"/><MiningField name="sky"/><MiningField name="size"/><MiningField name="wet"/>'
NOBLUE = "<Array type='string'>grey \"light blue\"</Array>"


def document(nodes, attributes="", fields=FIELDS, mining=MINING + '<MiningField name="ride" usageType="target"/>'):
    return (
        f'<?xml version="1.0"?><PMML xmlns="http://www.dmg.org/PMML-4_4" version="4.4"><Header/><DataDictionary>{fields}'
        f'</DataDictionary><TreeModel functionName="classification" {attributes}><MiningSchema>{mining}</MiningSchema>'
        f"{nodes}</TreeModel></PMML>"
    )


def branch(*predicates, more="", ids=False):
    """A root whose children have these predicates, and are leaves of 1 case, 2 cases and so on."""
    names = [f'id="{n}"' if ids else "" for n, _ in enumerate(predicates, start=1)]
    leaves = [
        f'<Node {name} score="yes" recordCount="{n}">{each}</Node>'
        for n, (name, each) in enumerate(zip(names, predicates, strict=True), start=1)
    ]
    return f"<Node {more}><True/>{''.join(leaves)}</Node>"


def simple(field, operator, value=None):
    of = "" if value is None else f'value="{value}"'
    return f'<SimplePredicate field="{field}" operator="{operator}" {of}/>'


def compound(operator, *parts):
    return f'<CompoundPredicate booleanOperator="{operator}">{"".join(parts)}</CompoundPredicate>'


def in_set(field, operator, array):
    return f'<SimpleSetPredicate field="{field}" booleanOperator="{operator}">{array}</SimpleSetPredicate>'


@st.composite
def grown(draw):
    """A grown tree, and rows of its features, with missing and unseen values."""
    schema = draw(schemas())
    tree = grow(
        draw(datasets(schema=schema, min_rows=3, missing=True, weighted=True)),
        draw(
            st.sampled_from(
                [
                    ID3,
                    CHAID,
                    evolve(ID3, splits=(multiway(empty=True),)),
                    evolve(CART, missing="ignore"),
                    evolve(CART, missing="as_branch"),
                ]
            )
        ),
    )
    numbers = st.integers(-1, 10).map(lambda n: n / 2)
    cells = [
        (numbers if each.kind == "numeric" else st.sampled_from([*each.values, "never seen"])) | st.none()
        for each in schema.features
    ]
    return tree, draw(st.lists(st.tuples(*cells).map(list), min_size=1, max_size=5))


STATS = '<PartitionFieldStats field="ride"><NumericInfo standardDeviation="1.5"/></PartitionFieldStats>'
LOW, HIGH = simple("age", "lessOrEqual", 17.5), simple("age", "greaterThan", 17.5)
MISSING = simple("age", "isMissing")
BEFORE = 17.499999999999996
BLUE = [in_set("sky", operator, NOBLUE) for operator in ("isIn", "isNotIn")]
OLD = simple("age", "greaterThan", 65)
EACH = [simple("sky", "equal", value) for value in ("red", "grey")]
ALL, NONE = ([simple("sky", operator, value) for value in ("grey", "light blue", "red")] for operator in ("equal", "notEqual"))
MIDDLE = compound("and", HIGH, simple("age", "lessOrEqual", 65))


@pytest.mark.parametrize(
    ("predicates", "split", "order"),
    [
        ([LOW, HIGH], Threshold(0, 17.5), (1, 2)),
        ([HIGH, LOW], Threshold(0, 17.5), (2, 1)),
        ([simple("age", "lessThan", 17.5), simple("age", "greaterOrEqual", 17.5)], Threshold(0, BEFORE), (1, 2)),
        ([simple("age", "greaterThan", 65), LOW, MIDDLE], Intervals(0, (17.5, 65)), (2, 3, 1)),
        ([simple("size", "lessThan", 3), simple("size", "greaterOrEqual", 3)], Threshold(2, 1), (1, 2)),
        (EACH, Multiway(1, (2, 0)), (1, 2)),
        ([simple("wet", "equal", "true"), simple("wet", "notEqual", "true")], Subset(3, (0,)), (1, 2)),
        (BLUE, Subset(1, (0, 1)), (1, 2)),
        (BLUE[::-1], Subset(1, (0, 1)), (2, 1)),
        ([BLUE[0], simple("sky", "equal", "red")], Groups(1, ((0, 1), (2,))), (1, 2)),
        ([compound("or", EACH[0], EACH[1]), simple("sky", "equal", "light blue")], Groups(1, ((0, 2), (1,))), (1, 2)),
        ([simple("age", "isNotMissing"), MISSING], IsMissing(0), (1, 2)),
        ([simple("sky", "isMissing"), simple("sky", "isNotMissing")], IsMissing(1), (2, 1)),
        ([LOW, compound("or", HIGH, MISSING)], WithDefault(Threshold(0, 17.5), default_child=1), (1, 2)),
        ([HIGH, "<True/>"], WithDefault(Threshold(0, 17.5), default_child=0), (2, 1)),
        ([LOW, "<True/>"], WithDefault(Threshold(0, 17.5), default_child=1), (1, 2)),
        ([BLUE[0], "<True/>"], WithDefault(Subset(1, (0, 1)), default_child=1, unseen=True), (1, 2)),
        (
            [simple("age", "greaterThan", 65), MIDDLE, "<True/>"],
            WithDefault(Intervals(0, (17.5, 65)), default_child=0),
            (3, 2, 1),
        ),
        ([LOW, OLD, "<True/>"], WithDefault(Intervals(0, (17.5, 65)), default_child=1), (1, 3, 2)),
        ([LOW, HIGH, "<True/>"], WithDefault(Threshold(0, 17.5), default_child=2), (1, 2, 3)),
        ([*EACH, "<True/>"], WithDefault(Multiway(1, (2, 0, 1)), default_child=2, unseen=True), (1, 2, 3)),
        ([*EACH, simple("sky", "isMissing")], WithDefault(Multiway(1, (2, 0)), default_child=2), (1, 2, 3)),
        ([compound("or", *ALL), compound("or", simple("sky", "isMissing"), compound("and", *NONE))], IsMissing(1), (1, 2)),
        (
            [compound("surrogate", LOW, *BLUE[:1], "<True/>"), compound("surrogate", HIGH, *BLUE[1:], "<False/>")],
            WithSurrogates(Threshold(0, 17.5), [Surrogate(Subset(1, (0, 1)))], default_child=0),
            (1, 2),
        ),
        (
            [compound("surrogate", HIGH, BLUE[0]), compound("surrogate", LOW, BLUE[1])],
            WithSurrogates(Threshold(0, 17.5), [Surrogate(Subset(1, (0, 1)), reversed=True)]),
            (2, 1),
        ),
    ],
)
def test_predicates_become_a_split(predicates, split, order):
    tree = from_pmml(document(branch(*predicates)))
    assert tree.root.split == split
    assert tuple(child.counts[1] for child in tree.root.children) == order


def test_the_schema_is_that_of_the_dictionary():
    schema = from_pmml(document("<Node score='yes'><True/></Node>")).schema
    assert schema.features == (
        Feature("age", "numeric"),
        Feature("sky", "nominal", ("grey", "light blue", "red")),
        Feature("size", "ordinal", (1, 2, 3)),
        Feature("wet", "nominal", (True, False)),
    )
    assert (schema.target, schema.classes) == ("ride", ("no", "yes"))


@pytest.mark.parametrize(
    ("strategy", "rule"),
    [
        ('missingValueStrategy="lastPrediction"', stop_here()),
        ('missingValueStrategy="weightedConfidence"', weighted()),
        ('missingValueStrategy="aggregateNodes"', all_routes()),
        ('missingValueStrategy="none"', None),
        ('noTrueChildStrategy="returnLastPrediction"', stop_here()),
    ],
)
def test_strategies_become_prediction_rules(strategy, rule):
    assert from_pmml(document(branch(LOW, HIGH), strategy)).missing == rule


@pytest.mark.parametrize("rule", ["heaviest", "stop_here"])
@given(grown())
def test_what_to_pmml_writes_is_read_and_predicts_the_same(rule, pair):
    tree, rows = pair
    written = to_pmml(tree, missing=rule)
    try:
        again = from_pmml(written)
    except ValueError as refusal:
        assert "Predicates of a node's children must be" in str(refusal)  # noqa: PT017  # refused for one reason only
        assert rule == "heaviest"
        default = any(isinstance(node, Branch) and isinstance(node.split, (IsMissing, WithDefault)) for node in preorder(tree))
        assert default or any(None in each.values for each in tree.schema.features)
        return
    assert list(predict(again, rows)) == list(predict(tree, rows, missing=rule))
    assert again.root.counts == pytest.approx(tree.root.counts), "a leaf without cases has its parent's, which add nothing"


@given(st.lists(st.floats(0, 1e9) | st.sampled_from([2, 2.000000001]), min_size=2, max_size=3))
def test_counts_are_read_to_the_last_digit_since_rounding_may_make_a_tie(counts):
    tree = Tree(Schema((), "class", list("abc")[: len(counts)]), Leaf(counts))
    assert from_pmml(to_pmml(tree, missing="heaviest")).root == tree.root


@pytest.mark.parametrize("rule", ["heaviest", "stop_here"])
@given(datasets(response="numbers", min_rows=3, missing=True))
def test_what_to_pmml_writes_of_numbers_is_read_with_means_and_deviations(rule, dataset):
    tree = grow(dataset, evolve(CART, missing="ignore"))
    again = from_pmml(to_pmml(tree, missing=rule))
    assert predict(again, dataset).tolist() == pytest.approx(predict(tree, dataset, missing=rule).tolist(), rel=1e-12, abs=1e-12)
    own, theirs = ([each.schema.response.risk(each.root.counts), each.root.counts[0]] for each in (again, tree))
    assert own == pytest.approx(theirs, rel=1e-9, abs=1e-9)


def test_a_child_of_all_other_values_is_refused_where_missing_ones_go_elsewhere():
    """Its values are not named: read as unseen ones they would count as missing, and go with these."""
    sky = Feature("sky", "nominal", ("blue", "grey", None))
    tree = Tree(Schema([sky], "ride", ("no", "yes")), Branch((7, 8), Groups(0, ((0,), (1, 2))), (Leaf((3, 8)), Leaf((4, 0)))))
    assert predict(from_pmml(to_pmml(tree, missing="stop_here")), [["blue"], ["grey"], [None]]) == ["yes", "no", "no"]
    with pytest.raises(ValueError, match=r"Predicates of a node's children must be .* or whether it is missing"):
        from_pmml(to_pmml(tree, missing="heaviest"))


def test_several_values_and_missing_ones_may_go_to_one_child():
    sky = Feature("sky", "nominal", ("blue", "grey", "red", None))
    root = Branch((5, 3), Groups(0, ((0,), (1, 2, 3))), (Leaf((0, 3)), Leaf((5, 0))))
    tree = Tree(Schema([sky], "ride", ("no", "yes")), root)
    again = from_pmml(to_pmml(tree, missing="stop_here"))
    assert predict(again, [["blue"], ["grey"], ["red"], [None]]) == ["yes", "no", "no", "no"]


def test_values_that_are_not_declared_are_those_that_predicates_name():
    fields = '<DataField name="sky" optype="categorical" dataType="string"/>' + FIELDS[FIELDS.index('<DataField name="ride"') :]
    mining = '<MiningField name="sky"/><MiningField name="ride" usageType="predicted"/>'
    schema = from_pmml(document(branch(*BLUE), fields=fields, mining=mining)).schema
    assert schema.features == (Feature("sky", "nominal", ("grey", "light blue")),)


# By a field's type: its values, and the notations of each.
NOTATIONS = {
    "integer": {-3: ["-3", "-3.0"], 7: ["7", " 7 ", "7e0"], 2**60 + 1: [str(2**60 + 1)]},
    "double": {1.0: ["1", "1.0", "1e0"], -2.5: ["-2.5", " -2.50"], 1e20: ["1e+20", "1E20", "1" + 20 * "0"]},
    "boolean": {True: ["true", "TRUE", "1"], False: ["false", "False", "0"]},
    "date": {day: [day] for day in ("2020-02-29", "1970-01-01")},
    "string": {word: [word] for word in ("1", "1.0", "true", "a b")},
}


@pytest.mark.parametrize("kind", NOTATIONS)
@given(data=st.data(), declared=st.booleans())
def test_values_and_classes_are_compared_as_what_they_are_and_not_by_their_notation(kind, data, declared):
    one, other = data.draw(st.permutations(list(NOTATIONS[kind])))[:2]

    def written(value):
        return data.draw(st.sampled_from(NOTATIONS[kind][value]))

    def listed():
        return "".join(f'<Value value="{written(value)}"/>' for value in (one, other))

    array = " ".join(f'"{written(one)}"' for _ in range(2))
    first = data.draw(st.sampled_from([simple("x", "equal", written(one)), in_set("x", "isIn", f"<Array>{array}</Array>")]))
    parts = "".join(f'<ScoreDistribution value="{written(value)}" recordCount="{n}"/>' for n, value in ((2, one), (3, other)))
    nodes = (
        f'<Node score="{written(other)}"><True/><Node score="{written(one)}">{first}</Node>'
        f'<Node score="{written(other)}">{simple("x", "equal", written(other))}{parts}</Node></Node>'
    )
    field = f'<DataField name="{{}}" optype="categorical" dataType="{kind}">{{}}</DataField>'
    fields = field.format("x", listed() if declared else "") + field.format("y", listed())
    mining = '<MiningField name="x"/><MiningField name="y" usageType="target"/>'
    tree = from_pmml(document(nodes, fields=fields, mining=mining))
    assert (tree.schema.features[0].values, tree.schema.classes) == ((one, other), (one, other))
    assert {type(value) for value in tree.schema.classes} == {type(one)}
    assert [child.counts for child in tree.root.children] == [(1, 0), (2, 3)]


def test_default_children_are_those_of_the_split():
    tree = from_pmml(document(branch(HIGH, LOW, more='defaultChild="1"', ids=True), 'missingValueStrategy="defaultChild"'))
    assert tree.root.split == WithDefault(Threshold(0, 17.5), default_child=1)
    plain = from_pmml(document(branch(LOW, HIGH, ids=True), 'missingValueStrategy="defaultChild"'))
    assert plain.root.split == Threshold(0, 17.5)


def test_counts_are_those_of_score_distributions():
    parts = '<ScoreDistribution value="yes" recordCount="2.5"/><ScoreDistribution value="no" recordCount="4"/>'
    assert from_pmml(document(f'<Node score="no"><True/>{parts}</Node>')).root == Leaf((4, 2.5))
    assert from_pmml(document(f'<Node score="yes"><True/>{parts}</Node>'.replace('"4"', '"1e-9"'))).root == Leaf((1e-9, 2.5))
    assert from_pmml(document('<Node score="no"><True/></Node>').encode()).root == Leaf((1, 0))


@given(st.integers(1, 99), st.integers(1, 100), st.booleans(), st.booleans())
def test_cases_of_a_distribution_are_those_of_its_node(cases, percent, as_shares, declared):
    stated = {"no": cases * percent / 100, "yes": cases - cases * percent / 100}
    parts = [
        f'<ScoreDistribution value="{label}" ' + (f'probability="{n / cases}"/>' if as_shares else f'recordCount="{n}"/>')
        for label, n in stated.items()
    ]
    fields = FIELDS if declared else FIELDS.replace('<Value value="no"/><Value value="yes"/>', "")
    tree = from_pmml(document(f'<Node recordCount="{cases}"><True/>{"".join(parts)}</Node>', fields=fields))
    assert dict(zip(tree.schema.classes, tree.root.counts, strict=True)) == pytest.approx(stated)


@pytest.mark.parametrize(
    ("leaf", "wanted"),
    [
        ('<Node score="-2.5" recordCount="4"><True/></Node>', (4, -2.5, 0)),
        ('<Node score="7"><True/><Partition name="p"><PartitionFieldStats field="age"/></Partition></Node>', (1, 7, 0)),
        (f'<Node score="3" recordCount="2"><True/><Partition name="p">{STATS}</Partition></Node>', (2, 3, 4.5)),
        ('<Node score="1e301"><True/></Node>', r"Leaves must have numbers of at most 1e\+300, and cases from 0"),
        ('<Node score="many"><True/></Node>', "score must be a finite number, got 'many'"),
        ('<Node score="-inf"><True/></Node>', "score must be a finite number, got '-inf'"),
        (
            f'<Node score="3"><True/><Partition name="p">{STATS.replace("1.5", "-1")}</Partition></Node>',
            "standardDeviation must be a finite number from 0, got '-1'",
        ),
        (
            "<Targets><Target field='ride' rescaleFactor='2'/></Targets><Node score='1'><True/></Node>",
            "Target of a regression must not",
        ),
    ],
)
def test_a_leaf_of_a_regression_has_cases_a_mean_and_a_deviation(leaf, wanted):
    fields = FIELDS[: FIELDS.index('<DataField name="ride"')] + '<DataField name="ride" optype="continuous" dataType="double"/>'
    text = document(leaf, fields=fields).replace("classification", "regression")
    if isinstance(wanted, str):
        with pytest.raises(ValueError, match=wanted):
            from_pmml(text)
        return
    tree = from_pmml(text)
    counts, response = tree.root.counts, tree.schema.response
    assert (counts[0], response.answer(counts), response.risk(counts)) == wanted


SCORES = {"classification": st.sampled_from(["no", "yes"]), "regression": st.floats(-1e3, 1e3)}
SIZES = st.sampled_from(["", 'recordCount="1"', 'recordCount="3"', 'recordCount="2.5"'])
BIG = (
    "<SimplePredicate field='age' operator='greaterThan' value='40'/>",
    "<SimplePredicate field='age' operator='lessOrEqual' value='40'/>",
)


@pytest.mark.parametrize("function", SCORES)
@given(data=st.data())
def test_each_node_answers_with_its_own_score(function, data):
    """Scores of branches need not be the means of their leaves', nor the classes that these have most often."""
    scores = [data.draw(SCORES[function]) for _ in range(5)]
    root, left, right, middle, end = (f'<Node score="{score}" {data.draw(SIZES)}>' for score in scores)
    below = f"{left}{LOW}</Node>{right}{HIGH}{middle}{BIG[1]}</Node>{end}{BIG[0]}</Node></Node>"
    fields = FIELDS.replace('"ride" optype="categorical" dataType="string"', '"ride" optype="continuous" dataType="double"')
    text = document(
        f"{root}<True/>{below}</Node>", 'missingValueStrategy="lastPrediction"', fields if function == "regression" else FIELDS
    )
    tree = from_pmml(text.replace("classification", function))
    asked = [Tree(tree.schema, node, missing=tree.missing) for node in (tree.root, tree.root.children[1])]
    told = [predict(each, [[None] * 4])[0] for each in asked] + list(
        predict(tree, [[10] + [None] * 3, [30] + [None] * 3, [50] + [None] * 3])
    )
    assert told == (
        [scores[place] for place in (0, 2, 1, 3, 4)]
        if function != "regression"
        else pytest.approx([scores[place] for place in (0, 2, 1, 3, 4)], rel=1e-8, abs=1e-9)
    )


def test_a_deep_document_is_read():
    opened = f'<Node score="no">{LOW}</Node><Node>{HIGH}' * 5000
    text = document(f"<Node><True/>{opened}" + f'<Node score="no">{LOW}</Node><Node score="yes">{HIGH}</Node>' + "</Node>" * 5001)
    assert sum(1 for _ in preorder(from_pmml(text))) == 10_003


def test_arrays_have_words_with_and_without_quotation_marks():
    assert words_of(' red  "light blue" "a \\"b\\"" "open') == ["red", "light blue", 'a "b"', "open"]
    assert words_of("") == []


@given(st.lists(st.text('ab"\\ \t\r\n\xa0').filter(lambda word: word[-1:] != "\\")), st.data())
def test_the_items_of_an_array_are_parted_by_any_white_space(words, data):
    def written(word):
        escaped = word.replace('"', '\\"')
        bare = word and not any(space in word for space in " \t\r\n") and data.draw(st.booleans())
        return escaped if bare else f'"{escaped}"'

    space = st.text(" \t\r\n", min_size=1)
    assert words_of("".join(data.draw(space) + written(word) for word in words) + data.draw(st.just("") | space)) == words


NO_MODEL = '<PMML><TreeModel functionName="clustering"/></PMML>'
LAUGHS = '<!DOCTYPE l [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]><PMML>&b;</PMML>'
FILES = '<!DOCTYPE l [<!ENTITY a SYSTEM "file:///etc/passwd">]><PMML>&a;</PMML>'


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "text must be XML, got another text: no element found"),
        ("<a><b></a>", "text must be XML, got another text: mismatched tag"),
        ("<a>\ud800</a>", "text must be XML, got another text"),
        (b"\xff\xfe", "text must be XML, got another text"),
        (b"<?xml version='1.0' encoding='no'?><a/>", "text must be XML, got another text: (unknown encoding|no element)"),
        (LAUGHS, "text must be XML without a document type, got one"),
        (FILES, "text must be XML without a document type, got one"),
        ("<a/>", "text must be PMML with one TreeModel for classification or regression, got 'a' with 0"),
        (NO_MODEL, "text must be PMML with one TreeModel for classification or regression, got 'PMML' with 1"),
        (document(""), "TreeModel must have one Node, got 0"),
        (document("<Node><True/></Node>"), "A score must be one of 'no', 'yes', got ''"),
        (
            document('<Node score="yes"><True/><ScoreDistribution value="no" recordCount="2"/></Node>'),
            "A score must be the most frequent class, the first of equal ones, 'no', got 'yes'",
        ),
        (
            document("<Node score='no'><True/></Node>", 'missingValueStrategy="nome"'),
            "missingValueStrategy must be one of 'none', 'last",
        ),
        (
            document("<Node score='no'><True/></Node>", 'noTrueChildStrategy=":"'),
            "noTrueChildStrategy must be one of 'returnNull",
        ),
        (document('<Node score="maybe"><True/></Node>'), "A score must be one of 'no', 'yes', got 'maybe'"),
        (document('<Node score="no" recordCount="-1"><True/></Node>'), "recordCount must be a finite number from 0, got '-1'"),
        (document('<Node score="no" recordCount="few"><True/></Node>'), "recordCount must be a finite number from 0, got 'few'"),
        (document("<Node score='no'/>", mining=MINING), r"MiningSchema must have one target, .*, got \[\]"),
        (document("<Node score='no'/>", fields=""), "MiningSchema must have one target, and fields of the DataDictionary"),
        (document("<Node score='no'/>", fields=FIELDS.replace("ordinal", "odd")), "optype must be one of .*, got 'odd'"),
        (document("<Node score='no'/>", fields=FIELDS.replace('"2"', '"two"')), "Values of the field 'size' must be of the type"),
        (
            document("<Node score='no'/>", fields=FIELDS.replace('"true"', '"yes"')),
            "Values of the field 'wet' must be of the type boolean",
        ),
        (document("<Node score='no'/>", fields=FIELDS.replace('"2"', '"2.5"')), "Values of the field 'size' must be of the type"),
        (document(branch(simple("size", "lessThan", 1.5), "<True/>")), "A value of 'size' must be one that its field declares"),
        (document(branch(simple("wet", "equal", "maybe"), "<True/>")), "A value of 'wet' must be one that its field declares"),
        (document(branch(EACH[0], simple("sky", "equal"))), "A value of 'sky' must be one that its field declares, got None"),
        (document('<Node><True/><ScoreDistribution value="no"/></Node>'), "recordCount must be a finite number from 0, got ''"),
        *(
            (
                document(
                    "<Node score='no'/>", mining=f'<MiningField name="ride" usageType="target"/><MiningField name="age" {odd}/>'
                ),
                words,
            )
            for odd, words in [
                ('missingValueReplacement="5"', "A MiningField must not replace values, got .*'missingValueReplacement': '5'"),
                ('outliers="asExtremeValues"', "A MiningField must not replace values, got .*'asExtremeValues'"),
            ]
        ),
        (document(branch(LOW, "")), r"Each Node must have one predicate, got \[1, 0\]"),
        (document(branch(LOW, simple("age", "greaterThan", 18))), "Predicates of a node's children must be a threshold"),
        (document(branch(LOW)), "Predicates of a node's children must be"),
        (document(branch(LOW, EACH[0])), "Predicates of a node's children must be"),
        (document(branch(LOW, simple("age", "near", 3))), "Predicates of a node's children must be"),
        (document(branch(LOW, simple("age", "greaterThan", "x"))), "A value of 'age' must be a number, got 'x'"),
        (document(branch(LOW, simple("age", "greaterThan"))), "A value of 'age' must be a number, got None"),
        (document(branch(EACH[0], simple("sky", "equal", "green"))), "A value of 'sky' must be one that its field declares"),
        (document(branch(EACH[0], simple("sky", "lessThan", "red"))), "Predicates of a node's children must be"),
        (document(branch(BLUE[0], in_set("age", "isIn", NOBLUE))), "Predicates of a node's children must be"),
        (document(branch(BLUE[0], in_set("sky", "isIn", ""))), "Predicates of a node's children must be"),
        (document(branch(LOW, compound("xor", LOW, HIGH))), "Predicates of a node's children must be"),
        (document(branch(LOW, compound("or", LOW, HIGH))), "Predicates of a node's children must be"),
        (document(branch(LOW, compound("and", LOW, EACH[0]))), "Predicates of a node's children must be"),
        (document(branch(simple("age", "isMissing"), "<False/>")), "Predicates of a node's children must be"),
        (document(branch(MIDDLE, "<True/>")), "Predicates of a node's children must be"),
        (document(branch("<True/>", "<False/>")), "Predicates of a node's children must be"),
        (document(branch(compound("surrogate", LOW), compound("surrogate", HIGH, BLUE[0]))), "Predicates of a node's children"),
        (
            document(branch(compound("or", LOW, MISSING), compound("or", HIGH, MISSING))),
            "Predicates of a node's children must be",
        ),
        (
            document(branch(LOW, HIGH, more='defaultChild="7"', ids=True), 'missingValueStrategy="defaultChild"'),
            "defaultChild must be the id of a child, got '7'",
        ),
    ],
)
def test_other_documents_are_refused(text, words):
    with pytest.raises(ValueError, match=words):
        from_pmml(text)


def test_only_text_is_parsed_and_unknown_fields_are_named():
    with pytest.raises(TypeError, match="text must be a str or bytes, got None"):
        parsed(None)
    with pytest.raises(KeyError, match="got 'rain'"):
        from_pmml(document(branch(LOW, simple("rain", "equal", 1))))

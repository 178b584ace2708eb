"""Two trees compared: every path of `diff`, in words and as a picture."""

from itertools import product

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from ftree import Branch, Feature, Leaf, Schema, Tree, apply, collapse_at, compare_trees, fold, grow, predict, same_answers
from ftree.datasets import weather
from ftree.prune import collapse
from ftree.show import plot_differences
from ftree.show.looks import GREY, tinted
from ftree.testing import chain, schemas, trees
from ftree.tree import (
    Groups,
    Multiway,
    Oblique,
    Threshold,
    WithDefault,
    diff,
    numbers,
    preorder,
    replace_at,
    subtree_at,
)
from ftree.tree.splits import primary

matplotlib = pytest.importorskip("matplotlib", reason="needs matplotlib, the extra plot")

WEATHER = grow(weather())
X = Schema([Feature("x", "numeric"), Feature("sky", "nominal", ("grey", "blue"))], "ride", ("no", "yes"))


def test_splits_labels_and_counts():
    def tree(at, first, second):
        inner = Branch((1, 2), Multiway(1, (0, 1)), (Leaf(first), Leaf(second)))
        return Tree(X, Branch((1, 3), Threshold(0, at), (inner, Leaf((0, 1)))))

    one = tree(1.5, (1, 0), (0, 2))
    assert (
        str(compare_trees(one, tree(2.5, (1, 0), (0, 2)))).splitlines()[1]
        == "at the root: x <= 1.5, 3 leaves | x <= 2.5, 3 leaves"
    )
    assert str(compare_trees(one, tree(1.5, (0, 1.125), (1, 1)))).splitlines() == [
        "3 leaves, depth 2 | 3 leaves, depth 2",
        "x <= 1.5 and sky = grey: no, 1 case | yes, 1.12 cases",
        "x <= 1.5 and sky = blue: yes, 2 cases | no, 2 cases",
    ]
    assert str(compare_trees(one, tree(1.5, (1, 0), (0, 1)))).splitlines()[1:] == ["counts alone: different at 1 node"]
    assert compare_trees(one, tree(1.5, (2, 0), (0, 1))).differences[0].one == "1 0"


def test_an_empty_leaf_has_the_label_above():
    def tree(counts):
        return Tree(X, Branch((1, 2), Multiway(1, (0, 1)), (Leaf((1, 2)), Leaf(counts))))

    assert [each.kind for each in compare_trees(tree((0, 0)), tree((1, 0))).differences] == ["label"]
    assert [each.kind for each in compare_trees(tree((0, 0)), tree((0, 1))).differences] == ["counts"]


def shuffled(tree, draw):
    """The tree with the children of its splits in another order."""

    def again(branch, below):
        split, order = branch.split, draw(st.permutations(range(len(below))))
        inner = split.split if isinstance(split, WithDefault) else split
        listed = len(order[: inner.n_children]) if isinstance(inner, (Multiway, Groups)) else 0
        order = [*[place for place in order if place < listed], *range(listed, len(below))]
        match inner:
            case Multiway(feature, values):
                inner = Multiway(feature, [values[place] for place in order[:listed]])
            case Groups(feature, groups):
                inner = Groups(feature, [groups[place] for place in order[:listed]])
        child = order.index(split.default_child) if isinstance(split, WithDefault) else None
        made = inner if child is None else evolve(split, split=inner, default_child=child)
        return Branch(branch.counts, made, [below[place] for place in order])

    return evolve(tree, root=fold(tree, lambda leaf: leaf, again))


@given(trees(), st.data())
def test_children_are_compared_by_their_conditions_in_whatever_order(tree, data):
    other = shuffled(tree, data.draw)
    assert compare_trees(tree, other).differences == ()
    assert compare_trees(tree, other).other == tree
    assert same_answers(tree, other)


@given(st.data())
def test_trees_have_the_same_answers_where_they_predict_the_same_for_all_rows_that_their_splits_answer(data):
    schema = data.draw(schemas(max_features=3))
    one = data.draw(trees(schema=schema, max_leaves=5))
    others = st.sampled_from([collapse()(one), shuffled(one, data.draw)]) | trees(schema=schema, max_leaves=4)
    other = data.draw(others)
    halves = [n / 4 for n in range(-9, 19)]
    rows = [list(row) for row in product(*(feature.values or halves for feature in schema.features))]
    asked = [
        row
        for row, *leaves in zip(rows, *(apply(tree, rows, missing="stop_here") for tree in (one, other)), strict=True)
        if min(leaves) >= 0
    ]
    alike = not asked or predict(one, asked) == predict(other, asked)
    if same_answers(one, other):
        assert alike
    elif alike:  # sums, and surrogates of several features, may leave no row where it cannot be told
        splits = [node.split for tree in (one, other) for node in preorder(tree) if isinstance(node, Branch)]
        assert any(len(split.features) > 1 or isinstance(primary(split), Oblique) for split in splits)


SKIES = Schema([Feature("sky", "nominal", "abc"), Feature("x", "numeric")], "ride", ("no", "yes"))
NO, YES = Leaf((1, 0)), Leaf((0, 1))


@pytest.mark.parametrize(
    ("split", "leaves", "goes_on"),
    [
        (WithDefault(Multiway(0, (0, 1)), default_child=0, unseen=True), (YES, NO), YES),
        (WithDefault(Multiway(0, (0, 1)), default_child=2, unseen=True), (NO, NO, YES), YES),
        (WithDefault(Groups(0, ((0,), (1,))), default_child=1, unseen=True), (NO, YES), YES),
    ],
    ids=["of two", "of its own", "of groups"],
)
def test_a_value_that_a_split_lacks_goes_to_its_default_child(split, leaves, goes_on):
    """So a tree that sees it elsewhere answers otherwise."""
    below = Branch((1, 1), split, leaves)
    tree = Tree(SKIES, Branch((1, 1), Multiway(0, (2,)), (below,)))
    other = NO if goes_on is YES else YES
    assert predict(tree, ["c", 0.0]) == SKIES.classes[goes_on.counts.index(1)]
    assert not same_answers(tree, Tree(SKIES, Branch((1, 1), Multiway(0, (2,)), (other,))))
    assert same_answers(tree, Tree(SKIES, Branch((1, 1), Multiway(0, (2,)), (goes_on,))))


@given(st.data())
def test_differences_stand_at_the_paths_of_diff(data):
    schema = data.draw(schemas())
    one, other = data.draw(trees(schema=schema)), data.draw(trees(schema=schema))
    mixed_tree = replace_at(one, (), other.root) if data.draw(st.booleans()) else one
    found = compare_trees(one, mixed_tree).differences
    aligned = compare_trees(one, mixed_tree).other
    assert tuple(each.path for each in found) == diff(one, aligned)
    for each in found:
        a, b = subtree_at(one, each.path).root, subtree_at(aligned, each.path).root
        assert (each.kind == "leaf") == (isinstance(a, Leaf) != isinstance(b, Leaf))
        assert (each.kind == "split") == (isinstance(a, Branch) and isinstance(b, Branch) and a.split != b.split)
        assert len(each.conditions) == len(each.path)


@pytest.mark.wide
def test_deep_trees_are_compared():
    tree = chain(5_000)
    path = (1,) * 2_500
    (found,) = compare_trees(tree, collapse_at(tree, path)).differences
    assert (found.path, found.kind, len(found.conditions)) == (path, "leaf", 2_500)


def edges_of(ax, number):
    return [matplotlib.colors.to_hex(each).upper() for each in ax.collections[number].get_edgecolors()]


def test_a_picture_shows_both_trees_and_what_is_different_is_strong():
    counts_differ = replace_at(WEATHER, (0,), Leaf((0, 5)))
    ax = plot_differences(compare_trees(WEATHER, collapse_at(counts_differ, (2,))), names=("grown", "pruned"))
    texts = [text.get_text() for text in ax.texts]
    assert {"grown", "pruned"} < set(texts)
    strong, pale = "#404040", tinted(GREY, 0.4)
    # In level order: the root, overcast, rainy, sunny, then the leaves below rainy and sunny.
    assert edges_of(ax, 1) == [pale, strong, pale, strong, pale, pale, strong, strong]
    assert edges_of(ax, 4) == [pale, strong, pale, strong, pale, pale]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["no", "yes"]


def test_what_cannot_be_compared_is_refused():
    with pytest.raises(
        ValueError, match=r"other must have the schema of one, got another one: x, sky -> ride in .* outlook, .* -> play\."
    ):
        compare_trees(WEATHER, Tree(X, Leaf((1, 1))))
    own = Schema([Feature("of", "nominal", ("a", "b"))], "y", ("u", "v"))
    in_feature, in_classes = evolve(own, features=[Feature("of", "nominal", ("a", "c"))]), evolve(own, classes=("u", "w"))
    for other, words in (
        (in_feature, "another kind or other values of 'of'"),
        (in_classes, "another list of classes: 'u', 'w' in place of 'u', 'v'"),
    ):
        with pytest.raises(ValueError, match=words):
            compare_trees(Tree(own, Leaf((1, 1))), Tree(other, Leaf((1, 1))))
    fine, coarse = (Tree(Schema((), "y", (), response=numbers(unit=unit)), Leaf((1, 0, 0))) for unit in (0.5, 1.0))
    with pytest.raises(ValueError, match=r"another response: .*unit=1.0.* in place of .*unit=0.5"):
        compare_trees(fine, coarse)
    with pytest.raises(TypeError, match="tree must be a Tree, got a Leaf"):
        compare_trees(WEATHER, Leaf((1, 1)))
    with pytest.raises(TypeError, match="compared must be a result of compare_trees, got a Tree"):
        plot_differences(WEATHER)

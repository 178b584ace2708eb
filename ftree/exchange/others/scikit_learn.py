"""Trees of scikit-learn, read and written.

scikit-learn rounds values to 32 bits before it compares them with a threshold. A tree read from it has thresholds that divide
all 64-bit values in the same way, so it predicts the same for every row.
"""

from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from typing import Any

import numpy as np

from ftree._lib.arrays import TIE, Array, read_only
from ftree._lib.fields import require_one_of
from ftree._lib.messages import short_repr
from ftree.criteria.impurity import Impurity, checked, entropy, gini
from ftree.criteria.impurity_of_sums import variance
from ftree.exchange.others.readers import from_links, sums_of_numbers, whole_where_near
from ftree.exchange.others.split_readers import at_threshold, last_rounded_to
from ftree.routing.flat import flat, flat_of_sums
from ftree.routing.missing_rules import heaviest
from ftree.tree.fold import depth
from ftree.tree.nodes import Branch, Node, Tree, level_order, tree_of
from ftree.tree.response import Counts, numbers
from ftree.tree.schema import Feature, Schema, require_classes
from ftree.tree.splits import IsMissing, Threshold, WithDefault
from ftree.tree.splits.split import Split


def from_sklearn(
    model: Any, *, features: Iterable[Any] | None = None, classes: Iterable[Any] | None = None, target: str | None = None
) -> Tree:
    """The tree of a fitted tree of scikit-learn, a classifier or a regressor: it predicts the same for every row.

    `features` are names, by default those from the training, or x0, x1 and so on; `classes` are labels instead of the
    classifier's; `target` is by default "class", or "number" of a regressor. Cases are weighted by the sample and class weights.
    Missing values go where scikit-learn sends them. A regressor's numbers are rounded by at most 2^-41 of the range of its
    answers; criterion="poisson" keeps no squares, so all cases of a leaf count as equal to its mean.

    Raises a TypeError for anything else, a ValueError for a tree of several outputs, for medians
    (criterion="absolute_error"), for classes of a regressor, and for another number of names than the model has features.

    >>> from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
    >>> print(from_sklearn(DecisionTreeClassifier().fit([[0.0], [1.0], [3.0]], ["no", "no", "yes"])))
    x0 <= 2.0000001192092896: no (2.0)
    x0 > 2.0000001192092896: yes (1.0)
    >>> from_sklearn(DecisionTreeRegressor(max_depth=1).fit([[0.0], [1.0], [3.0]], [1.5, 2.5, 8.0])).root.children
    (Leaf(counts=(2, 2, 4)), Leaf(counts=(1, 13, 169)))
    """
    arrays = _arrays_of(model)
    known = getattr(model, "feature_names_in_", [f"x{n}" for n in range(arrays.n_features)])
    names = known if features is None else list(features)
    if len(names) != arrays.n_features:
        raise ValueError(f"features must be {arrays.n_features} names, as many as the model has, got {short_repr(features)}.")
    if hasattr(model, "classes_"):
        counts, response = _class_counts(arrays), None
        labels = model.classes_.tolist() if classes is None else classes
    elif classes is None:
        response, counts = sums_of_numbers(_regression_leaves(arrays, model.criterion))
        labels = ()
    else:
        raise ValueError(f"classes must be None for a regressor, got {short_repr(classes)}.")
    target = ("number" if response else "class") if target is None else target
    schema = Schema([Feature(name, "numeric") for name in names], target, list(labels), response=response)
    return Tree(schema, _root(arrays, counts), missing=heaviest())


def forest_from_sklearn(forest: Any, *, features: Iterable[Any] | None = None, target: str | None = None) -> tuple[Tree, ...]:
    """The trees of a fitted random forest, of extra-trees, or of a bagging of trees on all features: classifiers or regressors.

    The forest predicts the class with the highest mean of the trees' `predict_proba`, or the mean of the trees' numbers. The
    trees of a GradientBoostingRegressor are read too: it adds up their numbers, times its `learning_rate`, to a first guess.
    Raises a TypeError for anything else, a ValueError for trees of some features only.

    >>> from sklearn.ensemble import RandomForestClassifier
    >>> forest = RandomForestClassifier(n_estimators=3, random_state=0).fit([[0], [1], [2], [3]], ["a", "a", "b", "b"])
    >>> len(forest_from_sklearn(forest))
    3
    """
    grown = getattr(forest, "estimators_", None)
    if grown is None:
        raise TypeError(f"forest must be a fitted forest of scikit-learn, got {short_repr(forest)}.")
    if any(list(used) != list(range(forest.n_features_in_)) for used in getattr(forest, "estimators_features_", ())):
        raise ValueError(f"forest must have trees of all features, in their order, got {short_repr(forest)}. Fit with all.")
    names = getattr(forest, "feature_names_in_", None) if features is None else list(features)
    classes = forest.classes_.tolist() if hasattr(forest, "classes_") else None
    if classes is not None and not all(hasattr(each, "classes_") for each in np.ravel(grown)):
        raise TypeError(f"forest must have trees that vote for classes, got {short_repr(forest)}, whose trees add up scores.")
    return tuple([from_sklearn(each, features=names, classes=classes, target=target) for each in np.ravel(grown)])


def to_sklearn(tree: Tree, *, criterion: str | None = None) -> Any:
    """A fitted DecisionTreeClassifier or DecisionTreeRegressor that predicts what the tree predicts, for 32-bit numbers.

    It takes numbers in the schema's order, codes for ordinal features. Missing values go where the split sends them, else to
    the larger child, since scikit-learn has no other rule. Names are kept unless they are x0, x1 and so on. `criterion`, "gini"
    or "entropy", of a regression tree "squared_error", is that of its impurities and importances; a tree does not keep the one
    by which it grew. Nodes are numbered depth-first, as by `TreeClassifier.apply`. Needs the extra `sklearn`.

    Raises a TypeError for a split that is not a threshold, a ValueError for another criterion, and for another response.

    >>> from ftree import Dataset, grow
    >>> to_sklearn(grow(Dataset.from_rows([[0.0], [1.0], [3.0]], ["no", "no", "yes"]))).predict([[2.5]]).tolist()
    ['yes']
    """
    tree = tree_of(tree)
    _require_one_answer(tree)
    module, features, classes = import_module("sklearn.tree"), tree.schema.features, tree.schema.classes
    known = _IMPURITIES if tree.schema.has_classes else {"squared_error": variance}
    criterion = next(iter(known)) if criterion is None else criterion
    require_one_of("criterion", criterion, known)
    model = (module.DecisionTreeClassifier if classes else module.DecisionTreeRegressor)(criterion=criterion)
    model.tree_ = sklearn_arrays(tree, known[criterion])
    if classes:
        model.classes_, model.n_classes_ = _label_array(classes), len(classes)
    model.n_outputs_, model.n_features_in_, model.max_features_ = 1, len(features), len(features)
    names = [feature.name for feature in features]
    if names != [f"x{n}" for n in range(len(features))]:
        model.feature_names_in_ = np.array(names, dtype=object)
    return model


def sklearn_arrays(tree: Tree, impurity: Impurity) -> Any:
    """The arrays of a tree as scikit-learn's `tree_` has them, with the impurities of class counts by a function.

    Of numbers they are mean squared errors, whatever the function. Raises the errors of `to_sklearn`.

    >>> from ftree import Dataset, grow, misclassification
    >>> sklearn_arrays(grow(Dataset.from_rows([[0.0], [1.0], [3.0], [4.0]], list("aaab"))), misclassification).impurity.tolist()
    [0.25, 0.0, 0.0]
    """
    _require_one_answer(tree)
    return _tree_of(tree, impurity, import_module("sklearn.tree._tree"))


def _require_one_answer(tree: Tree) -> None:
    require_classes(tree.schema, "to_sklearn", remedy="Use predict, or to_dict.", or_numbers=True)


def _arrays_of(model: Any) -> Any:
    """The arrays of a fitted tree."""
    arrays = None if isinstance(getattr(model, "tree", None), Tree) else getattr(model, "tree_", None)
    if arrays is None:
        raise TypeError(
            f"model must be a fitted DecisionTreeClassifier or DecisionTreeRegressor of scikit-learn, got {short_repr(model)}. "
            "The tree of a TreeClassifier is its `tree`."
        )
    if arrays.n_outputs != 1:
        raise ValueError(f"model must have one output, got {arrays.n_outputs}.")
    _check_arrays(arrays, of_classes=hasattr(model, "classes_"))
    return arrays


def _check_arrays(arrays: Any, *, of_classes: bool) -> None:
    """Raise a ValueError for numbers that no fitted tree has."""
    branch, links = arrays.children_left >= 0, np.stack([arrays.children_left, arrays.children_right])
    cuts = np.abs(arrays.threshold[branch])
    figures = np.column_stack([arrays.value[:, 0, :], arrays.impurity, arrays.weighted_n_node_samples])
    right = ((links >= 0) == branch) & (links < len(branch))
    negative = (arrays.weighted_n_node_samples < 0).any() or (of_classes and (arrays.value < 0).any())
    if not (
        right.all() and not negative and (np.abs(figures) <= _LARGEST).all() and ((cuts <= _MOST_CUT) | np.isinf(cuts)).all()
    ):
        wanted = f"children among its nodes, thresholds of 32 bits, and figures of at most {_LARGEST:g}"
        raise ValueError(f"model must have {wanted}, got a tree that has not. Fit it again.")


def _class_counts(arrays: Any) -> dict[int, Counts]:
    values = arrays.value[:, 0, :]
    shares = values / np.maximum(values.sum(axis=1, keepdims=True), np.finfo(float).tiny)  # counts before release 1.3
    counts = shares * arrays.weighted_n_node_samples[:, None]
    return {number: tuple(whole_where_near(counts[number])) for number in _leaves(arrays)}


def _regression_leaves(arrays: Any, criterion: str) -> dict[int, tuple[float, float, float]]:
    """Cases, mean and sum of squared errors of each leaf."""
    if criterion == "absolute_error":
        wanted = "a regressor whose answers are means, as those of criterion='squared_error' are"
        raise ValueError(f"model must be {wanted}, got criterion='absolute_error'. A median is no sum of cases.")
    cases, means = arrays.weighted_n_node_samples, arrays.value[:, 0, 0]
    squares = cases * (0 if criterion == "poisson" else arrays.impurity)
    return {number: (cases[number], means[number], squares[number]) for number in _leaves(arrays)}


def _leaves(arrays: Any) -> list[int]:
    leaves: list[int] = np.flatnonzero(arrays.children_left < 0).tolist()
    return leaves


def _root(arrays: Any, counts: Mapping[int, Sequence[float]]) -> Node:
    left, right = arrays.children_left.tolist(), arrays.children_right.tolist()
    unit_weights = np.array_equal(arrays.n_node_samples, arrays.weighted_n_node_samples)
    goes_left = getattr(arrays, "missing_go_to_left", np.zeros(len(left), dtype=bool))

    def split(number: int) -> Split:
        sizes = arrays.weighted_n_node_samples[[left[number], right[number]]]
        # Fractional sizes that are equal except for rounding say nothing about the larger child.
        clear = unit_weights or abs(sizes[0] - sizes[1]) > TIE * max(sizes)
        larger = int(np.argmax(sizes)) if clear else None
        return _split(int(arrays.feature[number]), float(arrays.threshold[number]), int(not goes_left[number]), larger)

    return from_links(lambda number: () if left[number] < 0 else (left[number], right[number]), split, counts.__getitem__)


def _split(feature: int, at: float, default_child: int, larger: int | None) -> Split:
    if np.isinf(at):  # a split of known values against missing ones
        return IsMissing(feature)
    missing_left = None if larger == default_child else not default_child
    return at_threshold(feature, last_rounded_to(at), missing_left=missing_left)


# The most rows of a node, which scikit-learn counts in 64 bits.
_MOST_ROWS = 2.0**62
# The largest figure, and the largest threshold but infinity.
_LARGEST, _MOST_CUT = 1e150, float(np.finfo(np.float32).max)
_IMPURITIES: dict[str, Impurity] = {"gini": gini, "entropy": entropy}


def _tree_of(tree: Tree, impurity: Impurity, module: Any) -> Any:
    (nodes, below), response = level_order(tree.root), tree.schema.response
    arrays = flat(tree) if tree.schema.has_classes else flat_of_sums(tree)
    place, weights = arrays.preorder, arrays.sizes
    records: Any = np.zeros(len(nodes), dtype=module.NODE_DTYPE)
    for number, (node, kids) in enumerate(zip(nodes, below, strict=True)):
        _write(records[place[number]], node, place[list(kids)], weights[list(kids)])
    if isinstance(response, numbers):
        values = response.answers(arrays.counts)[:, None]
        impurities = np.array([response.risk(node.counts) / (node.counts[0] or 1) for node in nodes])
    else:
        values = arrays.counts / np.maximum(weights, np.finfo(float).tiny)[:, None]
        impurities = checked(impurity, impurity(read_only(arrays.counts)), weights.shape)
    records["weighted_n_node_samples"][place] = weights
    records["n_node_samples"][place] = np.rint(np.minimum(weights, _MOST_ROWS))
    records["impurity"][place] = impurities
    written = module.Tree(len(tree.schema.features), np.array([values.shape[1]], dtype=np.intp), 1)
    values = values[np.argsort(place), None, :].copy()
    written.__setstate__({"max_depth": depth(tree), "node_count": len(nodes), "nodes": records, "values": values})
    return written


def _write(record: Any, node: Node, kids: Array, sizes: Array) -> None:
    record["left_child"] = record["right_child"] = -1
    record["feature"], record["threshold"] = -2, -2
    if isinstance(node, Branch):
        feature, at, default_child = _threshold(node.split, int(sizes[1] > sizes[0]))
        record["left_child"], record["right_child"] = kids
        record["feature"], record["threshold"], record["missing_go_to_left"] = feature, at, default_child == 0


def _threshold(split: Split, larger: int) -> tuple[int, float, int]:
    """The feature, the threshold and the child of missing values."""
    match split:
        case Threshold(feature, at):
            return feature, at, larger
        case WithDefault(Threshold(feature, at), default_child=int(child)) if child < 2:  # noqa: PLR2004  # one of the two children
            return feature, at, child
        case IsMissing(feature):
            return feature, np.inf, 1
    raise TypeError(f"Splits must be thresholds to be written for scikit-learn, got {short_repr(split)}.")


def _label_array(classes: tuple[Any, ...]) -> Any:
    """Labels as an array: of their common type if they have one, else of objects."""
    if len(set(map(type, classes))) == 1 and type(classes[0]) in (bool, int, float, str):
        return np.array(classes)
    return np.fromiter(classes, object, len(classes))

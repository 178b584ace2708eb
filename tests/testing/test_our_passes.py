"""The library's passes, paths and choices keep the laws, and decide like plain recursion by the textbooks' formulas."""

from functools import partial
from math import factorial, inf, lgamma, log, log2, pi, sqrt
from statistics import NormalDist

import numpy as np
import pytest
from attrs import evolve
from drawn_rows import COMPLETE, SCHEMA, WITH_GAPS
from scipy.special import binom, chdtri
from scipy.stats import chi2_contingency

from ftree import Branch, Dataset, Feature, Leaf, Schema, Tree, entropy, gini, leaves, majority, misclassification, prune, recount
from ftree import criteria as of
from ftree.prune import Decision, cost_complexity_path, lowest_error, one_standard_error, reduced_error, within
from ftree.stop import max_depth, max_leaves, min_rows
from ftree.testing import check_pass, check_path, check_path_choice, trees
from ftree.tree import Groups, Intervals, IsMissing, Multiway, Oblique, Subset, WithDefault, walk
from ftree.tree.splits import child_of

pytestmark = pytest.mark.usefixtures("fewer")

TREES = trees(schema=SCHEMA) | trees(schema=SCHEMA, fractions=True)
PLAIN_TREES = trees(schema=SCHEMA, surrogates=False) | trees(schema=SCHEMA, surrogates=False, fractions=True)


# Trees with an answer for every value, so that none of their cases is divided.
ANSWERING = trees(schema=evolve(SCHEMA, features=SCHEMA.features[:2]), sums=False).map(
    lambda tree: recount(evolve(tree, schema=SCHEMA), COMPLETE)
)


# Trees with the counts of cases that miss values.
OF_CASES_WITH_GAPS = trees(schema=SCHEMA).map(lambda tree: recount(tree, WITH_GAPS))


# Recursion ----------------------------------------------------------------------------------------------------


def near(one, other):
    return one == other or abs(one - other) <= 1e-9


def decision(path, node, as_leaf, as_subtree, limit, cut):
    becomes = Leaf(node.counts) if cut else None
    return Decision(path, node.counts, as_leaf, as_subtree, limit, "cut" if cut else "kept", becomes=becomes)


def up(tree, *, leaf, below=lambda _, scores, __: sum(scores), limit=lambda _, score: score, ties=True, twigs=False, judge=None):
    """Decisions of a pass that judges children first: cut if a leaf's score is at most the limit.

    With `twigs`, only branches above leaves are judged. `judge` decides about cutting instead of the scores.
    """
    found = []

    def visit(node, path, named):
        named = node.counts if any(node.counts) else named
        as_leaf = leaf(node, path, named)
        if isinstance(node, Leaf):
            return as_leaf, True, named
        parts = [visit(child, (*path, number), named) for number, child in enumerate(node.children)]
        as_subtree, above_leaves = below(node, [score for score, *_ in parts], path), all(end for _, end, _ in parts)
        if twigs and not above_leaves:
            return as_subtree, False, named
        most = limit(node, as_subtree)
        if judge is None:
            cut = ties if near(as_leaf, most) else as_leaf < most
        else:
            cut = above_leaves and judge(node, [counts for *_, counts in parts])
        found.append(decision(path, node, as_leaf, as_subtree, most, cut))
        return (as_leaf if cut else as_subtree), cut, named

    visit(tree.root, (), tree.root.counts)
    return found


def down(tree, *, leaf, limit):
    """Decisions of a pass that judges parents first, and nothing below a cut; subtrees are unpruned."""
    found = []

    def visit(node, path):
        if isinstance(node, Branch):
            as_leaf, as_subtree = leaf(node), sum(map(leaf, leaves(Tree(tree.schema, node))))
            most = limit(node, as_subtree)
            cut = as_leaf <= most or near(as_leaf, most)
            found.append(decision(path, node, as_leaf, as_subtree, most, cut))
            for number, child in enumerate(() if cut else node.children):
                visit(child, (*path, number))

    visit(tree.root, ())
    return found


def errors(node, *_):
    return sum(node.counts) - max(node.counts)


# Formulas ------------------------------------------------------------------------------------------------------


def one_class(_, below):
    return len({majority(counts) for counts in below}) == 1


def one_distribution(node, below):
    def fits(counts):
        return all(a * sum(node.counts) == b * sum(counts) for a, b in zip(counts, node.counts, strict=True))

    return all(fits(child.counts) or not any(child.counts) for child in node.children) if below else False


def cost(tree, alpha, risk, scale):
    """R + alpha of a leaf, as a share of all cases."""
    whole = float(risk(tree.root.counts))
    price = alpha * whole if scale == "cp" and whole else alpha
    n = sum(tree.root.counts) or 1
    return lambda node, *_: float(risk(node.counts)) * sum(node.counts) / n + price


def score_of(score, impurity=of.entropy):
    def scored(node, *_):
        return float(score([child.counts for child in node.children], impurity)) if isinstance(node, Branch) else 0.0

    return scored


def independence(node, *_):
    """Pearson's statistic and degrees of freedom of a branch's split."""
    table = np.array([child.counts for child in getattr(node, "children", ())] or [node.counts])
    table = table[table.any(axis=1)][:, table.any(axis=0)]
    found = chi2_contingency(table, correction=False) if min(table.shape) > 1 else None
    return (found.statistic, found.dof) if found else (0.0, 0)


def critical(alpha):
    def limit(node, _):
        _, dof = independence(node)
        return float(chdtri(dof, alpha)) if dof else 0.0

    return limit


def upper_errors(confidence, z=None):
    """C4.5's errors of a leaf, plus those that the upper confidence limit adds, as in J48's Stats.addErrs."""
    z = NormalDist().inv_cdf(1 - confidence) if z is None else z

    def added(n, e):
        if e < 1:
            none = n * (1 - confidence ** (1 / n))
            return none + e * (added(n, 1) - none) if e else none
        if e + 0.5 >= n:
            return max(n - e, 0)
        f = (e + 0.5) / n
        r = (f + z * z / (2 * n) + z * sqrt(f / n - f * f / n + z * z / (4 * n * n))) / (1 + z * z / n)
        return r * n - e

    return lambda node, *_: errors(node) + added(sum(node.counts), errors(node)) if any(node.counts) else 0.0


def code(node, *_):
    """1 bit, and Krichevsky and Trofimov's code of the classes."""
    n, k = sum(node.counts), len(node.counts)
    if not n:
        return 1.0
    stirling = (k - 1) / 2 * log2(max(n, 1) / 2) + (k / 2 * log(pi) - lgamma(k / 2)) / log(2)
    return 1 + sum(count * log2(n / count) for count in node.counts if count) + stirling


def divided(values, groups):
    """Stirling numbers of the second kind."""
    if groups in (0, values):
        return int(groups == values)
    return 0 if groups > values else groups * divided(values - 1, groups) + divided(values - 1, groups - 1)


def value_bits(split, distinct):
    match split:
        case Subset():
            return log2(2**distinct - 2) if distinct > 1 else 0.0
        case WithDefault(split=inner):
            return value_bits(inner, distinct)
        case Multiway() | IsMissing():
            return 0.0
        case Groups(groups=groups):
            return log2(max(factorial(len(groups)) * divided(distinct, len(groups)), 1))
        case Intervals(cuts=cuts):
            return log2(max(binom(max(distinct - 1, 0), len(cuts)), 1))
    return log2(max(distinct - 1, 1))


def with_split(tree, *, features=None, value_cost=None):
    naming, n = log2(features or len(tree.schema.features)), sum(tree.root.counts)

    def bits(node, scores, _):
        used = node.split.features if isinstance(node.split, Oblique) else (node.split.features[0],)
        distinct = [len(tree.schema.features[number].values) or n for number in used]
        return 1 + sum(scores) + sum(naming + (value_bits(node.split, v) if value_cost is None else value_cost) for v in distinct)

    return bits


def m_estimate(tree, m, prior):
    total = sum(tree.root.counts)
    prior = prior or [n / total if total else 0 for n in tree.root.counts]

    def error(node, *_):
        n = sum(node.counts) + m * sum(prior)
        return 1 - max(count + m * p for count, p in zip(node.counts, prior, strict=True)) / n if n else 0.0

    return error


def backed_up(node, scores, _):
    n = sum(node.counts)
    return sum(sum(child.counts) * s for child, s in zip(node.children, scores, strict=True)) / n if n else max(scores)


def on_other_cases(tree, dataset):
    """Errors of a leaf on a pruning set; the leaf has the class of the nearest node with cases."""
    counted = {path: node.counts for path, node in walk(recount(tree, dataset))}
    return lambda _, path, named: sum(counted[path]) - counted[path][majority(named)]


def best_first(tree, dataset, *, ties):
    """Cut the branch that saves most, the nearest to the root among equal ones, until none saves any; then the kept ones."""
    error, found, nodes = on_other_cases(tree, dataset), [], dict(sorted(walk(tree), key=lambda pair: (len(pair[0]), pair[0])))

    def named(path):
        return next(nodes[path[:end]].counts for end in range(len(path), -1, -1) if any(nodes[path[:end]].counts) or not end)

    def scores(path):
        ends = [end for end, node in nodes.items() if end[: len(path)] == path and isinstance(node, Leaf)]
        return error(None, path, named(path)), sum(error(None, end, named(end)) for end in ends)

    while standing := [path for path, node in nodes.items() if isinstance(node, Branch)]:
        path = min(standing, key=lambda one: (round(scores(one)[0] - scores(one)[1], 9), len(one), one))
        as_leaf, as_subtree = scores(path)
        if not (ties if near(as_leaf, as_subtree) else as_leaf < as_subtree):
            break
        found.append(decision(path, nodes[path], as_leaf, as_subtree, as_subtree, cut=True))
        cut = Leaf(nodes[path].counts)
        nodes = {one: node for one, node in nodes.items() if one[: len(path)] != path or one == path} | {path: cut}
    return [*found, *(decision(path, nodes[path], *scores(path), scores(path)[1], cut=False) for path in standing)]


# Cases, as the rows of a dataset with their weights ---------------------------------------------------------------


def cases_of(data):
    return np.arange(len(data)), np.ones(len(data)) if data.weights is None else np.asarray(data.weights, dtype=float)


def counted(data, cases):
    return tuple(np.bincount(data.target_column[cases[0]], cases[1], len(data.schema.classes)).tolist())


def sent_down(split, data, cases):
    """The cases of each child: a case without an answer goes to all, in proportion to the cases with one."""
    rows, weights = cases
    child = child_of(split, *(data.columns[feature][rows] for feature in split.features))
    sizes = [weights[child == number].sum() for number in range(split.n_children)]
    for number, size in enumerate(sizes):
        share = size / sum(sizes) if sum(sizes) else 1 / len(sizes)
        kept = (child == number) | (child == -1) & (share > 0)
        yield rows[kept], np.where(child == number, weights, weights * share)[kept]


def counted_again(node, data, cases):
    """The node with the counts of these cases."""
    if isinstance(node, Leaf):
        return Leaf(counted(data, cases))
    parts = zip(node.children, sent_down(node.split, data, cases), strict=True)
    return Branch(counted(data, cases), node.split, [counted_again(child, data, part) for child, part in parts])


def raised(tree, data, confidence):
    """A leaf, the largest child with all the cases, or the branch: the first whose expected errors are few enough.

    Children are judged before, and a raised child is judged once more.
    """
    estimate = upper_errors(confidence)

    def expected(node):
        return sum(map(estimate, leaves(Tree(tree.schema, node))))

    def visit(node, cases):
        if isinstance(node, Leaf):
            return node
        below = [visit(child, part) for child, part in zip(node.children, sent_down(node.split, data, cases), strict=True)]
        most = max(sum(child.counts) for child in below)
        child = [child for child in below if sum(child.counts) >= most - 1e-6][-1]
        alone, instead = Leaf(node.counts), counted_again(child, data, cases)
        as_leaf, as_raised, as_subtree = expected(alone), expected(instead), sum(map(expected, below))
        if as_leaf <= min(as_raised, as_subtree) + 0.1 + 1e-9:
            return alone
        if isinstance(child, Branch) and as_raised <= as_subtree + 0.1 + 1e-9:
            return visit(instead, cases)
        return Branch(node.counts, node.split, below)

    return evolve(tree, root=visit(counted_again(tree.root, data, cases_of(data)), cases_of(data)))


def trimmed(tree, closes, impurity=of.entropy):
    """Decisions from the root down, by depth and counts; scores are impurity times cases, of the node and of its children."""
    found = []

    def amount(node):
        return sum(node.counts) * float(impurity(node.counts))

    def visit(node, path):
        if isinstance(node, Branch):
            cut = closes(node, len(path))
            found.append(decision(path, node, amount(node), sum(map(amount, node.children)), None, cut))
            for number, child in enumerate(() if cut else node.children):
                visit(child, (*path, number))

    visit(tree.root, ())
    return found


def best_first_growth(tree, most, impurity):
    """The paths that best-first growth splits until there are `most` leaves."""
    paths, open_, size = set(), [((), tree.root)], 1

    def gained(node):
        return sum(node.counts) * float(of.gain([child.counts for child in node.children], impurity))

    while branches := [pair for pair in open_ if isinstance(pair[1], Branch)]:
        path, node = max(branches, key=lambda pair: round(gained(pair[1]), 9))
        open_.remove((path, node))
        if size + len(node.children) - 1 <= most:
            size += len(node.children) - 1
            paths.add(path)
            open_ += [((*path, number), child) for number, child in enumerate(node.children)]
    return paths


def by_growth(tree, most, impurity):
    kept = best_first_growth(tree, most, impurity)
    found, stack = [], [((), tree.root)]
    while stack:
        path, node = stack.pop()
        if isinstance(node, Branch):
            amounts = [sum(one.counts) * float(impurity(one.counts)) for one in (node, *node.children)]
            found.append(decision(path, node, amounts[0], sum(amounts[1:]), None, path not in kept))
            stack += reversed([((*path, n), child) for n, child in enumerate(node.children)] if path in kept else [])
    return found


def within_one_error(node, score):
    n = sum(node.counts)
    return score + (sqrt(max(score * (n - score), 0) / n) if n else 0)


def pass_name(value):
    """The name of a parameter: a pass as written, an empty name for the others."""
    return repr(value) if hasattr(value, "decisions") else ""


# The passes ----------------------------------------------------------------------------------------------------

NO_LIMIT = partial(up, leaf=errors, limit=lambda *_: None)
JUDGED = [
    (prune.collapse(), partial(NO_LIMIT, judge=one_class)),
    (prune.collapse(by="probability"), partial(NO_LIMIT, judge=one_distribution)),
    (prune.collapse(by="errors"), partial(down, leaf=errors, limit=lambda _, score: score + 1e-3)),
    (
        prune.chi_squared(),
        partial(up, leaf=lambda *at: independence(*at)[0], below=lambda *_: 0.0, limit=critical(0.05), twigs=True),
    ),
    (
        prune.critical_value(0.1),
        partial(up, leaf=score_of(of.gain), below=lambda *_: 0.0, limit=lambda *_: 0.1, ties=False, twigs=True),
    ),
    (
        prune.critical_value(0.3, score=of.gain_ratio, impurity=of.gini),
        partial(up, leaf=score_of(of.gain_ratio, of.gini), below=lambda *_: 0.0, limit=lambda *_: 0.3, ties=False, twigs=True),
    ),
    (prune.cost_complexity(0), lambda tree: up(tree, leaf=cost(tree, 0, of.misclassification, "alpha"))),
    (prune.cost_complexity(inf), lambda tree: up(tree, leaf=cost(tree, inf, of.misclassification, "alpha"))),
    (prune.cost_complexity(0.02, risk=of.gini), lambda tree: up(tree, leaf=cost(tree, 0.02, of.gini, "alpha"))),
    (prune.cost_complexity(0.2, risk=of.entropy, scale="cp"), lambda tree: up(tree, leaf=cost(tree, 0.2, of.entropy, "cp"))),
    (prune.error_based(), partial(up, leaf=upper_errors(0.25), limit=lambda _, score: score + 0.1)),
    (
        prune.error_based(confidence=0.01, z="table"),
        partial(up, leaf=upper_errors(0.01, 2.33), limit=lambda _, score: score + 0.1),
    ),
    (prune.mdl(features=2, value_cost=5), lambda tree: up(tree, leaf=code, below=with_split(tree, features=2, value_cost=5))),
    (prune.mdl(), lambda tree: up(tree, leaf=code, below=with_split(tree))),
    (
        prune.minimum_error(m=3, prior=(0.5, 0.2, 0.3)),
        lambda tree: up(tree, leaf=m_estimate(tree, 3, (0.5, 0.2, 0.3)), below=backed_up),
    ),
    (prune.minimum_error(m=0), lambda tree: up(tree, leaf=m_estimate(tree, 0, None), below=backed_up)),
    (prune.minimum_error(), lambda tree: up(tree, leaf=m_estimate(tree, 3, [1 / 3] * 3), below=backed_up)),
    (prune.purity(0.7), partial(down, leaf=errors, limit=lambda node, _: 0.3 * sum(node.counts))),
    (prune.reduced_error(COMPLETE), lambda tree: up(tree, leaf=on_other_cases(tree, COMPLETE))),
    (prune.reduced_error(WITH_GAPS, ties="keep"), lambda tree: up(tree, leaf=on_other_cases(tree, WITH_GAPS), ties=False)),
    (prune.trim(max_depth(2)), lambda tree: trimmed(tree, lambda _, depth: depth >= 2)),
    (prune.trim(min_rows(8)), lambda tree: trimmed(tree, lambda node, _: sum(node.counts) < 8)),
    (prune.trim(max_leaves(3), impurity=of.gini), lambda tree: by_growth(tree, 3, of.gini)),
]


@pytest.mark.parametrize(("pass_", "oracle"), JUDGED, ids=pass_name)
def test_a_pass_of_ours_keeps_the_laws_and_decides_as_recursion_does(pass_, oracle):
    given_trees = PLAIN_TREES if isinstance(pass_, prune.mdl) else TREES
    check_pass(pass_, given_trees=given_trees, oracle=oracle)


@pytest.mark.parametrize("ties", ["prune", "keep"])
def test_reduced_error_best_first_cuts_what_saves_most(ties):
    pass_ = prune.reduced_error(WITH_GAPS, order="best_first", ties=ties)
    check_pass(pass_, given_trees=TREES, oracle=lambda tree: best_first(tree, WITH_GAPS, ties=ties == "prune"), exempt={"order"})


def test_pessimistic_pruning_allows_one_standard_error():
    half = partial(down, leaf=lambda node: errors(node) + 0.5, limit=within_one_error)
    estimate = {"estimate": lambda counts, _: sum(counts) - max(counts) + 0.5}
    check_pass(prune.pessimistic(), given_trees=TREES, oracle=half, exempt={"once"}, **estimate)


@pytest.mark.parametrize(
    ("pass_", "estimate"),
    [
        (prune.collapse(), lambda counts, _: sum(counts) - max(counts)),
        (prune.snip([]), None),
        (prune.snip([(), (0, 1)]), lambda counts, _: sum(counts) - max(counts)),
        (prune.mdl(values=WITH_GAPS), None),
        (prune.mdl(features=2, value_cost=0), None),
        (prune.chi_squared(1.0), None),
        (prune.critical_value(3, score=of.pearson), None),
        (prune.cost_complexity(0.02), lambda counts, tree: cost(tree, 0.02, of.misclassification, "alpha")(Leaf(counts))),
        (prune.compose(), None),
    ],
    ids=pass_name,
)
def test_a_pass_of_ours_keeps_the_laws(pass_, estimate):
    check_pass(pass_, given_trees=TREES, estimate=estimate)


def stump(tree):
    """The root as a leaf."""
    return Leaf(tree.root.counts)


def at_least_five(branch):
    """A leaf in place of a branch with fewer than five cases."""
    return branch if sum(branch.counts) >= 5 else Leaf(branch.counts)


def cut_below_five(node):
    """The same from the leaves up, with all nodes rebuilt."""
    if isinstance(node, Leaf):
        return Leaf(node.counts)
    return at_least_five(Branch(node.counts, node.split, [cut_below_five(child) for child in node.children]))


def rebuilt(tree):
    return Tree(tree.schema, cut_below_five(tree.root))


@pytest.mark.parametrize(
    ("pass_", "oracle", "exempt"),
    [
        (prune.from_function(stump), lambda tree: evolve(tree, root=stump(tree)), ()),
        (prune.from_function(rebuilt), rebuilt, ["deep"]),
        (prune.from_branch_function(at_least_five), rebuilt, ()),
    ],
    ids=pass_name,
)
def test_a_pass_made_of_a_function_keeps_the_laws_and_answers_as_the_function_does(pass_, oracle, exempt):
    check_pass(pass_, given_trees=TREES, oracle=oracle, exempt=exempt)


@pytest.mark.parametrize(
    ("pass_", "exempt"),
    [
        (prune.compose(prune.purity(0.9), prune.collapse()), ()),
        (prune.compose(prune.pessimistic(), prune.collapse()), {"once"}),
        (prune.error_based(collapse=True), {"order", "once"}),
    ],
    ids=pass_name,
)
def test_passes_one_after_another_keep_the_laws(pass_, exempt):
    check_pass(pass_, given_trees=TREES, exempt=exempt)


@pytest.mark.parametrize(
    ("pass_", "given_trees", "exempt"),
    [
        (prune.reduced_error(COMPLETE, labels="pruning"), ANSWERING, {"pruning"}),
        (prune.reduced_error(COMPLETE, labels="pruning", order="best_first"), ANSWERING, {"pruning", "order"}),
        # Backfitting counts the cases again, and a case divided by the old counts is divided differently by the new ones.
        (prune.reduced_error(WITH_GAPS, labels="backfit"), TREES, {"pruning", "once"}),
        (prune.reduced_error(WITH_GAPS, labels="pruning"), TREES, {"pruning", "once"}),
    ],
    ids=pass_name,
)
def test_a_pass_of_ours_that_recounts_or_raises_keeps_the_other_laws(pass_, given_trees, exempt):
    check_pass(pass_, given_trees=given_trees, exempt=exempt)


@pytest.mark.parametrize("confidence", [0.05, 0.25, 0.5])
@pytest.mark.parametrize(
    ("data", "given_trees", "exempt"),
    [(COMPLETE, ANSWERING, ()), (WITH_GAPS, OF_CASES_WITH_GAPS, {"once"})],
    ids=["known", "gaps"],
)
def test_subtrees_are_raised_as_recursion_raises_them(data, given_trees, exempt, confidence):
    pass_ = prune.error_based(confidence=confidence, raise_with=data)
    estimate = (lambda counts, _: upper_errors(confidence)(Leaf(counts))) if data is COMPLETE else None
    oracle = partial(raised, data=data, confidence=confidence)
    check_pass(pass_, given_trees=given_trees, oracle=oracle, estimate=estimate, exempt={"pruning", "order", *exempt})


OF_PATHS = Schema([Feature("n", "numeric"), Feature("c", "nominal", "abcd")], "label", ("no", "maybe", "yes"))


@pytest.mark.parametrize("risk", [misclassification, gini, entropy])
def test_weakest_links_keep_the_laws_of_paths(risk):
    check_path(partial(cost_complexity_path, risk=risk), risk=risk)


@pytest.mark.parametrize("order", ["bottom_up", "best_first"])
def test_reduced_error_pruning_cuts_one_branch_after_another(order):
    random = np.random.default_rng(0)
    columns = [random.integers(0, 5, 14).astype(float), random.integers(0, 4, 14)]
    pass_ = reduced_error(Dataset(OF_PATHS, columns, random.integers(0, 3, 14)), order=order)
    check_path(pass_.path, given_trees=trees(schema=OF_PATHS))


def smallest_up_to(limit, rows):
    """The number of the smallest tree with at most this error."""
    return min((leaves, error, number) for number, (leaves, error, _) in enumerate(rows) if error <= limit + 1e-9)[-1]


def best(rows):
    return min((error, leaves, deviation) for leaves, error, deviation in rows)


CHOICES = {
    lowest_error: lambda rows: smallest_up_to(best(rows)[0], rows),
    one_standard_error: lambda rows: smallest_up_to(best(rows)[0] + best(rows)[2], rows),
    within(0): lambda rows: smallest_up_to(best(rows)[0], rows),
    within(0.05): lambda rows: smallest_up_to(best(rows)[0] + 0.05, rows),
}


@pytest.mark.parametrize("choice", CHOICES)
def test_a_choice_of_ours_keeps_the_laws_and_takes_the_smallest_tree_that_is_good_enough(choice):
    check_path_choice(choice, oracle=CHOICES[choice])

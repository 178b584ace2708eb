"""Growth of a table that is not in memory: what it asks of the table, and of the rows that the table gives."""

import numpy as np
import pytest
from attrs import evolve, field, frozen

from ftree import C45, CART, ID3, Dataset, Leaf, grow
from ftree.data import Dataset as Rows
from ftree.growth import EngineSetup, plain
from ftree.growth.given_table import prepared_table
from ftree.routing import at_observed
from ftree.scan.within_memory import grown_within
from ftree.splitters import threshold
from ftree.splitters.missing_policies import hook
from ftree.stop import max_depth, max_leaves, min_rows, never, pure
from ftree.tree import walk
from ftree.tree.splits import child_of

RANDOM = np.random.default_rng(4)
COLUMNS = {"w": RANDOM.choice(list("abc"), 60), "x": RANDOM.integers(0, 9, 60) * 1.0, "z": RANDOM.integers(0, 9, 60) * 1.0}
TABLE = Dataset.from_columns({**COLUMNS, "y": RANDOM.integers(0, 2, 60)}, target="y")
GAPS = evolve(TABLE, columns=[*TABLE.columns[:2], np.where(np.arange(60) < 5, np.nan, TABLE.columns[2])])


@frozen(eq=False)
class Source:
    """A dataset that growth sees only by its counts; `seen` notes what it is asked for."""

    rows: Rows
    most: int = 20
    seen: list = field(factory=list)

    def prepared(self, _):
        self.seen.append("prepared")
        return self, None

    @property
    def schema(self):
        return self.rows.schema

    @property
    def n_cases(self):
        return self.rows.n_cases

    def class_counts(self):
        return self.rows.class_counts()

    def gaps(self):
        return self.rows.gaps()

    def at_observed(self, tree):
        self.seen.append("observed")
        return at_observed(tree, self.rows)

    def start_engine(self, policy, _):
        self.seen.append(("engine", policy))
        return plain(self.rows, EngineSetup(hook(policy.missing, "shares")))


@frozen(eq=False)
class Giving(Source):
    """A source that gives the rows of leaves."""

    memory: int | None = None

    def grown_within_memory(self, policy, start, grown):
        return grown_within(self, policy, start, grown)

    def most_rows(self):
        self.seen.append(("memory", self.memory))
        return self.most

    def rows_at(self, tree, paths, most_rows):
        self.seen.append((list(paths), most_rows))
        for path in paths:
            yield path, leaf_rows(tree, self.rows, path)


def leaf_rows(tree, table, path):
    """The rows of the leaf at a path."""
    mask, node = np.ones(len(table), bool), tree.root
    for child in path:
        mask &= child_of(node.split, *(table.columns[feature] for feature in node.split.features)) == child
        node = node.children[child]
    return table.take(mask)


def source(kind=Source, rows=TABLE, **options):
    return kind(rows, **options)


@pytest.mark.parametrize("policy", [ID3, CART, C45, evolve(ID3, splits=(threshold(at="observed"),)), ID3.stopping(max_leaves(3))])
def test_a_table_that_is_only_counted_grows_the_tree_of_its_rows(policy):
    table = source()
    assert grow(table, policy) == grow(TABLE, policy)
    assert table.seen[:2] == ["prepared", ("engine", policy)]
    assert ("observed" in table.seen) == (any(getattr(part, "at", None) == "observed" for part in policy.splits))
    assert grow(source(), evolve(ID3, missing="heaviest")) == grow(TABLE, evolve(ID3, missing="heaviest"))


def test_a_policy_is_checked_before_a_table_prepares_itself():
    table = source()
    with pytest.raises(TypeError, match=r"^policy must be a Policy, got a str\. Use ID3, or "):
        prepared_table(table, "ID3")
    assert table.seen == []
    given = prepared_table(table, ID3)
    assert (given.table, given.ends) == (table, None)


def test_surrogates_do_not_go_with_bins_and_missing_values():
    binned = evolve(CART, splits=(threshold(bins=4),))
    with pytest.raises(ValueError, match="missing must be") as caught:
        prepared_table(GAPS, binned)
    assert str(caught.value) == (
        "missing must be a policy without surrogates if numbers are binned, such as ignore(), got surrogates()."
    )
    assert prepared_table(TABLE, binned).ends is not None
    assert prepared_table(GAPS, evolve(binned, missing="ignore")).ends is not None
    assert prepared_table(GAPS, CART).ends is None


LEAVES = ID3.stopping(max_leaves(5))


@pytest.mark.parametrize(
    "policy", [ID3, evolve(ID3, stop=pure()), evolve(ID3, stop=max_depth(3)), evolve(ID3, stop=never), LEAVES]
)
@pytest.mark.parametrize("most", [0, 5, 20, 60])
def test_small_nodes_grow_from_their_rows_to_the_same_tree(policy, most):
    table = source(Giving, most=most, memory=1000)
    tree = grow(table, policy)
    assert tree == grow(TABLE, policy)
    assert ("memory", 1000) in table.seen
    paths, asked = table.seen[-1]
    assert asked == most
    above = grow(TABLE, evolve(policy, stop=policy.stop if policy is not LEAVES else ID3.stop).stopping(min_rows(most + 1)))
    few = [path for path, node in walk(above) if isinstance(node, Leaf) and sum(node.counts) <= most]
    closed = {path for path, node in walk(above) if isinstance(node, Leaf) and sum(n > 0 for n in node.counts) == 1}
    goes_on_when_pure = policy.stop in (max_depth(3), never)
    assert paths == [path for path in few if goes_on_when_pure or path not in closed]


@pytest.mark.parametrize(
    ("rows", "options", "policy"),
    [
        *[(GAPS, {}, ID3), (TABLE, {}, C45), (TABLE, {"start": grow(TABLE)}, ID3), (TABLE, {"start": (grow(TABLE), (0,))}, ID3)],
        (TABLE, {}, evolve(ID3, priors=np.full(len(TABLE.schema.classes), 1 / len(TABLE.schema.classes)))),
    ],
    ids=["gaps", "ratio", "start", "at", "priors"],
)
def test_where_nodes_depend_on_more_than_their_rows_memory_is_refused(rows, options, policy):
    wanted = "None with a start, missing values, priors, or a choice other than by_score()"
    with pytest.raises(ValueError, match="memory of the source must be") as caught:
        grow(source(Giving, rows, memory=10**9), policy, **options)
    assert (
        str(caught.value)
        == f"memory of the source must be {wanted}, got 1000000000. With None, the tree grows from counts alone."
    )


def test_a_trace_does_not_see_nodes_that_grow_in_memory():
    with pytest.raises(ValueError, match=r"^trace must be None with a source's memory, got print\. Small nodes are not grown "):
        grow(source(Giving, memory=1000), trace=print)

"""Random sequences of growing, pruning, editing and recounting: each step does what it says, and leaves a tree like any other."""

import copy
import pickle
from functools import partial

import numpy as np
from attrs import evolve
from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

import ftree as ft
from ftree import prune, stop
from ftree.splitters import all_parts
from ftree.testing import datasets, passes, policies, schemas
from ftree.tree import class_counts, diff, map_leaves, replace_at, subtree_at, walk
from ftree.tree.splits import with_observed


def paths_of(tree, kind):
    return [path for path, node in walk(tree) if isinstance(node, kind)]


def in_copies(dataset):
    """A row for each unit of weight."""
    copies = np.repeat(np.arange(len(dataset)), dataset.weights)
    return evolve(dataset.take(copies), weights=None)


def errors(tree, rows):
    """The weight of rows, or of parts of rows, in leaves of another label; one without cases has the label of those above."""
    named, found = {}, 0.0
    for (path, node), (_, counted) in zip(walk(tree), walk(ft.recount(tree, rows)), strict=True):
        named[path] = node.counts if any(node.counts) or not path else named[path[:-1]]
        if isinstance(node, ft.Leaf):
            found += sum(counted.counts) - counted.counts[ft.majority(named[path])]
    return found


class Sequences(RuleBasedStateMachine):
    """One tree that is changed step by step; `dataset` is the one on which it was last grown or counted."""

    @initialize(data=st.data(), policy=policies())
    def start(self, data, policy):
        self.schema = data.draw(schemas())
        self.dataset = data.draw(datasets(schema=self.schema, missing=True, weighted=True, max_rows=10))
        self.tree = ft.grow(self.dataset, evolve(policy, missing="ignore", stop=stop.max_depth(3)))

    @rule(policy=policies())
    def grow_on(self, policy):
        """Growth from the tree keeps its splits, but for thresholds that move to observed values, and counts the dataset."""
        before = self.tree
        going_on = partial(ft.grow, policy=evolve(policy, missing="ignore", stop=stop.max_depth(4)), start=before)
        self.tree = going_on(self.dataset)
        assert going_on(self.dataset.shuffle(seed=1)) == going_on(in_copies(self.dataset)) == self.tree
        assert self.tree.root.counts == self.dataset.class_counts()
        numeric = [feature.kind == "numeric" for feature in self.schema.features]
        known = [np.unique(each[~np.isnan(each)]) for each in self.dataset.columns]
        values = [each if is_numeric else None for is_numeric, each in zip(numeric, known, strict=True)]
        observed = any(getattr(part, "at", None) == "observed" for part in all_parts(policy.splits))
        for path, node in walk(before):
            if isinstance(node, ft.Branch):
                kept = with_observed(node.split, values) if observed else node.split
                assert subtree_at(self.tree, path).root.split == kept

    @rule(data=st.data())
    def prune_it(self, data):
        before, one = self.tree, data.draw(passes(self.schema))
        copied = pickle.loads(pickle.dumps(before))  # noqa: S301  # pickled here
        self.tree = one(before)
        assert before == copied
        assert ft.is_pruning_of(self.tree, before)
        assert (self.tree is before) == (self.tree == before)
        assert prune.replay(one.decisions(before), before) == self.tree

    @rule(data=st.data())
    def prune_by_errors(self, data):
        """Reduced-error pruning never increases the error on its pruning set, and is complete after one run."""
        before, held_out = self.tree, data.draw(datasets(schema=self.schema, missing=True, weighted=True, max_rows=6))
        one = prune.reduced_error(held_out)
        self.tree = one(before)
        assert errors(self.tree, held_out) <= errors(before, held_out) + 1e-9
        assert one(self.tree) is self.tree

    @precondition(lambda self: isinstance(self.tree.root, ft.Branch))
    @rule(data=st.data())
    def collapse_a_branch(self, data):
        before, path = self.tree, data.draw(st.sampled_from(paths_of(self.tree, ft.Branch)))
        self.tree = ft.collapse_at(before, path)
        assert diff(before, self.tree) == (path,)
        assert replace_at(self.tree, path, subtree_at(before, path)) == before

    @rule(data=st.data())
    def recount_it(self, data):
        self.dataset = data.draw(datasets(schema=self.schema, missing=True, weighted=True, max_rows=10))
        before = self.tree
        self.tree = ft.recount(before, self.dataset)
        assert [getattr(node, "split", None) for _, node in walk(self.tree)] == [
            getattr(node, "split", None) for _, node in walk(before)
        ]
        assert self.tree.root.counts == self.dataset.class_counts()

    @invariant()
    def a_branch_counts_what_its_children_count(self):
        def sums(node, below):
            return node.counts == tuple(map(sum, zip(*(child.counts for child in node.children), strict=True))) and all(below)

        assert ft.fold(self.tree, lambda _: True, sums)

    @invariant()
    def it_is_copied_and_read_as_any_tree(self):
        """These are laws of all trees; here is asked whether a step leaves one of which they are not true."""
        for same in (pickle.loads(pickle.dumps(self.tree)), copy.deepcopy(self.tree)):  # noqa: S301  # pickled here
            assert (same, hash(same)) == (self.tree, hash(self.tree))
        assert map_leaves(self.tree, lambda leaf: leaf) is self.tree
        assert ft.from_dict(ft.to_dict(self.tree, counts=True), self.schema, missing=self.tree.missing) == self.tree
        n = ft.n_leaves(self.tree)
        assert ft.n_nodes(self.tree) == n + len(paths_of(self.tree, ft.Branch)) == sum(1 for _ in walk(self.tree))
        assert len(ft.text(self.tree).splitlines()) == max(ft.n_nodes(self.tree) - 1, 1)
        assert len(ft.rules(self.tree)) <= n
        assert np.isclose(sum(ft.importances(self.tree).values()), 1.0) or not any(ft.importances(self.tree).values())
        assert tuple(class_counts(self.tree).values()) == self.tree.root.counts


TestSequences = Sequences.TestCase
WITHOUT_EXPLAINING = (Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink)  # explaining takes minutes here
TestSequences.settings = settings(
    max_examples=max(20, settings.default.max_examples // 2), stateful_step_count=10, deadline=None, phases=WITHOUT_EXPLAINING
)

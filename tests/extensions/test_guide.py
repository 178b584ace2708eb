"""A user's choice by tests: chi-squared of four ranges of a number, missing values apart. Source: Loh 2002 and 2009 (GUIDE)."""

import numpy as np
from attrs import evolve, frozen

from ftree import CART, Dataset, grow
from ftree.criteria import significance
from ftree.testing import check_choice


@frozen
class by_curvature:
    """-log10 of the p-value of each feature's table of values and classes; numbers are grouped by quartiles of their node."""

    def __call__(self, candidates):
        known, counts = candidates.known, candidates.counts
        return np.array([self.of(known.only(np.array([run])), counts[run]) for run in range(len(counts))])

    def of(self, run, all_cases):
        cases = run.counts.sum(axis=1)
        quarter = (4 * (np.cumsum(cases) - cases / 2) / cases.sum()).astype(int)
        group = quarter if run.kind[0] == "numeric" else np.arange(len(cases))
        table = [run.counts[group == each].sum(axis=0) for each in np.unique(group)]
        return float(significance([*table, np.maximum(all_cases - run.counts.sum(axis=0), 0)]))


def test_it_keeps_the_laws_of_choices():
    check_choice(by_curvature())


def test_it_sees_a_number_whose_middle_is_of_another_class():
    data = Dataset.from_columns({"noise": [0, 1] * 20, "middle": range(0, 80, 2), "class": [0] * 10 + [1] * 20 + [0] * 10})
    assert grow(data, evolve(CART, choose=by_curvature())).root.split.feature == 1

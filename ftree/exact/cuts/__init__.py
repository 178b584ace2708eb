"""The search among all cuts of columns of numbers, in C, where leaves cost errors: no split is listed.

    ranked_table.py   task         -> RankedTable   columns as ranks of rows; None where the other search is needed
    all_cuts.py       RankedTable  -> FoundTree     a call of C in a thread, and the tree of its plan; what Python and
                                                    native/sorted_trees.c agree on

docs/explanation/sorted_trees.md explains the search; tests/exact/plain_sorted_trees.py is its plain form.
"""

"""The search among listed splits, for any objective: counts of pairs and triples of splits give the best shallow trees at once.

problem.py           task     -> Problem       splits, rows and costs as arrays; it never changes
sums_as_classes.py                           a table without classes, as rows of a class for each sum
items.py             Problem  -> Items         rows as bits, sides of splits as columns
leaf_formulas.py                             what leaves cost, for the objectives that C has too
row_set.py           Items    -> RowSet        the rows of a node; how many have one, two or three items
shallow_trees.py     RowSet   -> cost, split   the best tree of up to three levels; C: depth_two.c, two_classes.c
bounds.py            RowSet   -> bounds        what no tree of these rows costs less than; a lemma each
branch_and_bound.py  RowSet   -> Solution      the recursion: a cost with its sketch, or a bound. Read it first
children_ahead.py                            threads count the children of the next splits
best_tree.py         Problem  -> FoundTree     the passes of a search; look-ahead; trees in the order of costs
"""

"""The search among listed splits, for any objective: counts of pairs and triples of splits give the best shallow trees at once.

    problem.py           task     -> Problem       splits, rows and costs as arrays; it never changes
      sums_as_classes.py                           a table without classes, as rows of a class for each sum
    items.py             Problem  -> Items         rows as bits, sides of splits as columns
      leaf_formulas.py                             what leaves cost, for the objectives that C has too
    row_set.py           Items    -> RowSet        the rows of a node; how many have one, two or three items
    shallow_trees.py     RowSet   -> cost, split   the best tree of up to three levels; C: depth_two.c, two_classes.c
    bounds.py            RowSet   -> Bounds        what no tree of these rows costs less than: a function for each lemma
    branch_and_bound.py  RowSet   -> Solution      the recursion: a cost with its sketch, or a bound. Read it first
      solutions.py                                 sketches, the cache of answers; Solution -> Plan, the splits of a tree
      children_ahead.py                            threads count the children of the next splits
    ranked_trees.py      Problem  -> FoundTree     the passes of a search; look-ahead
                         Problem  -> Plan ...      all trees in the order of their costs

Why counts are enough: four rows, an item for each feature's value 1, and the counts of classes p and q.

    a b class     |S|  = (2, 2)      a tree of two levels, a and then b, has the leaves
    0 0 p         |a|  = (1, 1)
    0 1 q         |b|  = (1, 1)      a and b:      |ab|                   = (1, 0)
    1 0 q         |ab| = (1, 0)      a only:       |a| - |ab|             = (0, 1)
    1 1 p                            b only:       |b| - |ab|             = (0, 1)
                                     neither:      |S| - |a| - |b| + |ab| = (1, 0)

Each leaf has one class, so this tree has no errors: no row was looked at again.
"""

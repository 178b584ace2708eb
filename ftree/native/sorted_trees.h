/* What the search of `sorted_trees.c` and the scans of `second_cuts.c` share: the table, the rows of a node, small
   functions. */
#ifndef FTREE_SORTED_TREES_H
#define FTREE_SORTED_TREES_H
#include "native.h"

/* A lane of two classes is read in so many parts, and has so many places beyond its end. */
enum { PARTS = 16 };

/* The table. Weights are whole numbers of a `unit`, so that all sums are exact. `small`: 32 bits hold all weights;
   `ones`: each is 1. */
typedef struct {
    const int32_t *rank;   /* (f, n): the number of each row's value in each column */
    const int32_t *label;  /* (n,): classes */
    const int64_t *weight; /* (n,) */
    const double *prices;  /* (f,): what a cut of a column costs */
    double unit, penalty;  /* what an error of weight 1 costs, and a leaf */
    int64_t f, n, k;
    bool small, ones;
} RankedTable;

/* The rows of a node: the first m of each of `lanes` (f, n), which have them in the order of each column; their
   classes; their bits. */
typedef struct {
    const int32_t *lanes;
    int64_t m;
    const int64_t *total; /* (K,) */
    const uint64_t *set;  /* (W,) */
} RowsOfNode;

/* What a scan reads of the rows of a node, laid out in the order of each column, and counts. */
typedef struct {
    int32_t *place;  /* (n,): the number of each row's value in the column of the first cut */
    int32_t *spread; /* (3, f, n + PARTS): these numbers, values or classes, and ends of values, by lane */
    int64_t *seen;   /* (4, K) */
} ScanMemory;

/* A node whose first cuts are tried. */
typedef struct {
    const RankedTable *table;
    RowsOfNode node;
    bool two; /* whether its rows have two classes, which `which` names, and the table is small */
    int64_t which[2];
    ScanMemory memory;
} SecondScan;

/* Prepare for the first cuts of a node; then for those of a column. */
void ftree_begin_scan(SecondScan *scan);
void ftree_scan_first_column(const SecondScan *scan, int64_t column);

/* The least costs of both sides of a cut of that column, which sends values up to number `value` to the left; each side
   is a leaf or has one more cut. `own` (2, K) are the classes of the sides. */
void ftree_costs_of_sides(const SecondScan *scan, int32_t value, const int64_t *own, double cost[2]);

/* The least cost of a leaf, or of one cut, which `cut` gets: its column, -1 for a leaf, and the highest rank on the left. */
double ftree_best_cut(const RankedTable *table, RowsOfNode node, int64_t *seen, int32_t cut[2]);

INLINE int64_t lesser(int64_t a, int64_t b) { return a < b ? a : b; }
INLINE int64_t greater(int64_t a, int64_t b) { return a > b ? a : b; }

INLINE int64_t sum_of(const int64_t *counts, int64_t k)
{
    int64_t sum = 0;
    for (int64_t c = 0; c < k; c++) sum += counts[c];
    return sum;
}

/* The weight of all classes but the heaviest. */
INLINE int64_t errors_of(const int64_t *counts, int64_t k)
{
    int64_t most = 0;
    for (int64_t c = 0; c < k; c++) most = greater(most, counts[c]);
    return sum_of(counts, k) - most;
}

INLINE double leaf_cost(const RankedTable *t, const int64_t *counts)
{
    return (double)errors_of(counts, t->k) * t->unit + t->penalty;
}

/* Whether row i of m in a lane is the last one of its value. */
INLINE bool ends(const int32_t *lane, const int32_t *rank, int64_t i, int64_t m)
{
    return i + 1 == m || rank[lane[i + 1]] != rank[lane[i]];
}
#endif

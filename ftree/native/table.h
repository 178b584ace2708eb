/* Growth on tables of any kinds: what runs.c, cuts.c, surrogates.c and table.c share. */
#ifndef FTREE_TABLE_H
#define FTREE_TABLE_H
#include "native.h"

/* The ways in which a feature divides a node, as `ftree.growth.records` numbers them. One value against the others is a subset. */
enum { NO_WAY, THRESHOLD, MULTIWAY, SUBSET, ONE_VALUE };
/* More impurities: an address, and that of numbers. */
enum { OWN = MISCLASSIFICATION + 1, VARIANCE };

/* An impurity of class counts (k,). */
typedef double (*Impurity)(const double *counts, int64_t k);

/* What measures splits. `factors` (k,) multiply class counts, NULL for none. `table` has n log2 n of whole numbers up to `most`.
   `by_ratio` divides gains by the information of splits; `slack` is that of a choice by gain ratio, NaN where the score decides. Gains
   of numbers are multiplied by `scale`. Of numbers, k is 1: the cases. */
typedef struct {
    const double *factors, *table;
    double slack, scale;
    int64_t impurity, k, most;
    Impurity own;
    bool by_ratio;
} Measure;

/* How a feature is searched. `place` is its column of codes or, from -1 downwards, its lane of keys; the code `n_codes` is a missing
   value. A child has at least `least` cases, and at least the smaller of `share` of the mean class and `most`. `mdl` reduces the scores
   of cuts; a multiway split has a child for each of `declared` values, if that is not 0; up to `exact` values are divided in every way;
   a feature with `many` values does not count in the mean of gains; the splits of `backed` features get surrogates. */
typedef struct {
    double least, share, most;
    int32_t way, place, n_codes, nominal, mdl, declared, exact, many, backed, unused;
} Column;

/* The values present in a node, a row each, rising: their codes (n,), class counts (n, k), cases (n,), and of numbers the sums (n,),
   which count from the whole number `centre`. The rest is room: an `order` of rows and `spare` (n,), `share` and `scores` (n,) or for all
   divisions, counts of two sides (k,). */
typedef struct {
    int32_t *values, *order, *spare;
    double *counts, *sizes, *share, *scores, *left, *right;
    int64_t *sums;
    int64_t n, k, centre;
} Run;

/* The best split of a feature: its score times the known share, NOTHING for none, NAN for an impurity that is not finite; for gain
   ratio its information; the rows on its left or the values that it lists, or of a lane the keys on its left; the number of the order of
   rows, or of the division; whether rounding could decide it. */
typedef struct {
    double score, information;
    int64_t cut, order;
    int32_t unsure, unused;
} Scored;

INLINE double n_log_n(const Measure *m, double x)
{
    if (x <= 0) return 0;
    int64_t whole = x <= (double)m->most ? (int64_t)x : -1;
    return (double)whole == x ? m->table[whole] : x * log_2(x);
}

/* The best split of a feature by the values present, given the class counts (k,) of all rows of the node; runs.c. */
Scored ftree_best_of_run(const Measure *measure, const Column *column, Run *run, const double *total);

/* Put the rows of a run in the order of its split, whose first side comes first; the number of rows on that side; runs.c. */
int64_t ftree_order_run(const Measure *measure, const Column *column, Run *run, const Scored *split);
#endif

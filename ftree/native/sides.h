/* The two sides of a run and their losses: what runs.c, cuts.c and orders.c share. */
#ifndef FTREE_SIDES_H
#define FTREE_SIDES_H
#include "table.h"

/* Gains above minus this are 0, if they are negative (`ftree.criteria.impurity.ROUNDING`). */
#define ROUNDING 1e-12

/* A division of a run in two sides, whose class counts are `left` and `right` of the run. */
typedef struct {
    const Measure *m;
    Run *run;
    /* Of all entries. */
    double cases;
    double n;     /* the sum of counts times factors; 1 if that is 0 */
    double loss;  /* impurity times n; of an impurity of the user's the impurity itself */
    double known; /* their share of the node's cases: the others miss a value */
    double least; /* the least cases of a side */
    double guard; /* the bound on the rounding error of a score; of an impurity of the user's as a share of the best one */
    double mean;  /* of numbers, less the whole number below it; of events their rate */
    int64_t total[MOST_SUMS];
    int64_t shift; /* what a case adds to the sum of an entry, so that numbers count from the whole number below their mean */
    /* Of the entries on the left. */
    double n_left; /* cases */
    int64_t sums[MOST_SUMS];
} Sides;

INLINE double weighed(const Measure *m, const double *counts, int64_t c)
{
    return m->factors ? counts[c] * m->factors[c] : counts[c];
}

/* A gain, or a gain per bit of the information of a split whose children have this sum of n log2 n. */
INLINE double score_of_gain(const Sides *s, double gain, double parts)
{
    gain = ((gain < 0) & (gain > -ROUNDING)) ? 0 : gain;
    if (!s->m->by_ratio) return gain;
    double information = (n_log_n(s->m, s->n) - parts) / s->n;
    return information > 0 ? gain / information : 0;
}

/* A child's part of the impurity decrease, given its cases and sums: of numbers that of `Variance.impurity_decrease`,
   of events that of `MeanRisk.impurity_decrease`, but for what adds up to 0 over all children. */
INLINE double impurity_decrease(const Measure *m, int64_t impurity, double mean, double cases, const double *sums)
{
    if (impurity == POISSON) /* 0 without events, and without a branch */
        return in_unit(m->lines[HAPPENED], sums[0]) * log_2(rate_of(m, sums[0], sums[1]) / mean + (sums[0] <= 0)) * m->scale;
    double distance = sums[0] / cases - mean;
    return cases * (distance * distance) * m->scale;
}

/* A sum of an entry, of numbers counted from the centre of the run's entries. */
INLINE int64_t sum_of_entry(const Sides *s, int64_t entry, int64_t which)
{
    return s->run->sums[entry * s->run->n_sums + which] + s->shift * (int64_t)s->run->sizes[entry];
}

/* Whether all divisions are tried: those of few values, for more than two classes. */
INLINE bool is_divided_in_every_way(const Measure *m, const Column *column, const Run *run)
{
    return column->split_kind == SUBSET && m->k > 2 && run->n <= column->exact;
}

/* Order entries by value for a threshold, else by the share of a class, or by the mean; orders.c. */
void ftree_order_entries(const Measure *m, const Column *column, Run *run, int64_t label);

/* Fill the scores of all cuts by an impurity of the library or of sums, which begin with all entries on the right; cuts.c. */
void ftree_score_cuts(Sides *s);
#endif

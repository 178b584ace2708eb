/* Columns as sorted lanes of keys, and a node among them: what lanes.c, classes.c, numbers.c and grow.c share. */
#ifndef FTREE_LANES_H
#define FTREE_LANES_H
#include "native.h"

/* Numbers of a row, whose variances are added up. */
#define MOST_NUMBERS 16

/* A table of classes or of numbers in l sorted lanes of n keys. Usually f lanes are of the features, and a table of
   numbers has one more, the last, of the numbers themselves. Where all cuts are drawn, features have no lanes: a table
   of numbers has that one, and one of classes has a lane of rows in any order.

   The first bits of a key are the number of its row (GrowthRules in native.h). */
typedef struct {
    const GrowthRules *rules;
    int32_t *keys;                   /* (l, n) */
    const uint8_t *distinct;         /* (l,): whether no value occurs twice */
    const SearchedFeature *searched; /* (f,): how each feature is searched */
    const int64_t *entropies;        /* n log2 n in units, for entropy; NULL for none */
    const int64_t *whole;            /* (n, a): the numbers; NULL for classes, which are in keys */
    const double *scales;            /* (a,): they multiply the variances of numbers */
    const int64_t *times;            /* (n,): the weights of rows in units; NULL if all count once */
    const double *channels; /* (n, k): of numbers, what rows add to the sums of a node: cases, and the limbs of other sums */
    const int64_t *limbs;   /* (2 a + 1,): of numbers, the places of the limbs of the a sums, and of those of squares */
    uint8_t *right;         /* room (n,): whether a row goes to the right child */
    const double *x;        /* (f, n): the values of features; NULL if nothing is drawn */
    int64_t f, n, k, l, a;  /* features, keys of a lane, classes or sums of a node, lanes, numbers of a row */
} Lanes;

/* What the search of a node of classes needs: see ftree_set_classes. */
typedef struct {
    double unit, offset; /* a gain is a score times `unit`, less `offset` */
    int64_t *all, *left; /* (k,): the counts in units; room for those on the left of a cut */
    int64_t n, total;    /* the sum of the counts; that of their squares, or of their n log2 n */
} ClassesOfNode;

/* What the search of a node of numbers needs: see ftree_set_numbers. */
typedef struct {
    int64_t centres[MOST_NUMBERS],
        totals[MOST_NUMBERS];   /* the whole numbers below the means; the sums of how far numbers are above */
    double means[MOST_NUMBERS]; /* above `centres` */
    double guard;               /* the bound on the rounding error of a score */
} NumbersOfNode;

/* A node while it is searched. */
typedef struct {
    int64_t low, size;  /* its range of keys in all lanes: the first one, and how many, one for each row */
    const double *sums; /* (k,): class counts, or sums of numbers */
    double cases;
    ClassesOfNode classes; /* in a table of classes */
    NumbersOfNode numbers; /* in one of numbers */
} LaneNode;

/* The weight of a row in units. */
INLINE int64_t times_of(const Lanes *lanes, int64_t row) { return lanes->times ? lanes->times[row] : 1; }

/* One of the numbers of a row. */
INLINE int64_t number_of(const Lanes *lanes, int64_t row, int64_t j) { return lanes->whole[row * lanes->a + j]; }

/* The range of a node in a lane. */
INLINE const int32_t *lane_at(const Lanes *lanes, const LaneNode *node, int64_t lane)
{
    return lanes->keys + lane * lanes->n + node->low;
}

/* ---- Nodes of classes; classes.c ---- */

/* Prepare the search of a node, whose `sums` are known; `room` (2, k). */
void ftree_set_classes(const Lanes *lanes, LaneNode *node, int64_t *room);

/* The best gain of a feature. */
double ftree_best_of_classes(const Lanes *lanes, const LaneNode *node, int64_t f);

/* What a drawn cut gains, given the keys of a node and the value of each; values up to `cut` go left. */
double ftree_gain_of_classes(const Lanes *lanes, const LaneNode *node, const int32_t *keys, const double *values, double cut);

/* The first cut of the first feature that ties with the best gain of all, given the best gain of each feature, or its
   drawn cut (f,). The result has feature -1 without any. */
Cut ftree_choose_by_classes(const Lanes *lanes, const LaneNode *node, const Cut *found);

/* ---- Nodes of numbers; numbers.c ---- */

/* Prepare the search of a node, whose `sums` are known; false if all numbers are equal. */
bool ftree_set_numbers(const Lanes *lanes, LaneNode *node);

/* A cut that gains this much ties with any better one, since none gains more than the best cut of the sorted numbers
   themselves. */
double ftree_bound_of_numbers(const Lanes *lanes, const LaneNode *node);

/* The first cut of a feature that ties with its best one, given its keys, if that may tie with `gain` or be better. */
Cut ftree_best_of_numbers(const Lanes *lanes, const LaneNode *node, int64_t f, const int32_t *keys, double gain);

/* What a drawn cut gains, given the keys of a node and the value of each; values up to `cut` go left. */
double ftree_gain_of_numbers(const Lanes *lanes, const LaneNode *node, const int32_t *keys, const double *values, double cut);

/* The first of the cuts found (f,) that ties with the best one. The result has feature -1 without any. */
Cut ftree_choose_by_numbers(const Lanes *lanes, const Cut *found);
#endif

/* Columns as sorted lanes of keys, and a node among them: what lanes.c, classes.c, numbers.c and grow.c share. */
#ifndef FTREE_LANES_H
#define FTREE_LANES_H
#include "native.h"

/* Cuts that are scored or compared at once; few enough for a small stack. */
#define BLOCK 128
/* A node of numbers of up to so many rows is not parted. */
#define FEW 16

/* A table of classes or of numbers, in lanes of its f features, none where all cuts are drawn, and, of numbers, one of these; without
   any, in one of its rows. l lanes have n keys each, as `Growing` tells.
   Of numbers, n_classes are the sums of a node, and `unit` multiplies variances. */
typedef struct {
    const Growing *rules;
    int32_t *keys;                   /* (l, n) */
    const uint8_t *distinct;         /* (l,): whether no value occurs twice */
    const SearchedFeature *features; /* (f,) */
    const int64_t *table;            /* n log2 n in units, for entropy; NULL for none */
    const int64_t *whole, *times;    /* (n,): the numbers, NULL for classes; the weights of rows in units, NULL if all count once */
    const double *channels;          /* (n, k): what rows add to the sums of a node: cases, and the limbs of other sums */
    const int32_t *row_of;           /* (n,): the rows of places, NULL where keys have rows */
    int64_t f, n, k, l;
} Lanes;

/* A node: its range of lanes, or of those of a node with few rows, whose mark its own rows have, -1 for none; its number of rows, its
   class counts or sums (k,), and its cases.

   Of classes: counts in units and those on the left so far, both (k,), and all units; a gain is a score times `unit`, less `offset`;
   `total` is the sum over classes of squared counts or of n log2 n. Of numbers: the whole number below the mean, from which they count, their sum, their mean,
   and a bound on the rounding error of a score. */
typedef struct {
    int64_t low, high, mark, size;
    const double *sums;
    double cases, unit, offset, mean, guard;
    int64_t *all, *left, n, total, centre;
} Node;

INLINE int64_t times_of(const Lanes *lanes, int64_t row) { return lanes->times ? lanes->times[row] : 1; }

/* The row of a number in a key. */
INLINE int64_t row_at(const Lanes *lanes, int64_t number) { return lanes->row_of ? lanes->row_of[number] : number; }

/* The keys of a node in a lane. */
INLINE const int32_t *lane_at(const Lanes *lanes, const Node *node, int64_t lane)
{
    return lanes->keys + lane * lanes->n + node->low;
}

/* Prepare the search of a node of classes, with a room (2, k); classes.c. */
void ftree_set_classes(const Lanes *lanes, Node *node, int64_t *room);

/* The best gain of a feature in the classes of a node. */
double ftree_best_of_classes(const Lanes *lanes, const Node *node, int64_t f);

/* What a cut gains, given the keys of a node and their values. */
double ftree_gain_of_classes(const Lanes *lanes, const Node *node, const int32_t *keys, const double *values, double cut);

/* The first cut of the first feature that ties with the best of the gains found (f,); its feature is -1 without any. */
Cut ftree_choose_by_classes(const Lanes *lanes, const Node *node, const Cut *found);

/* Prepare the search of a node of numbers, given its keys in their lane; false if all are equal; numbers.c. */
bool ftree_set_numbers(const Lanes *lanes, Node *node, const int32_t *keys);

/* A gain with which no cut of a node ties without being the best: that of the numbers themselves, given their keys in their lane. */
double ftree_bound_of_numbers(const Lanes *lanes, const Node *node, const int32_t *keys);

/* The first cut of a feature that ties with its best one, given its keys, if that may tie with a gain or be better. */
Cut ftree_best_of_numbers(const Lanes *lanes, const Node *node, int64_t f, const int32_t *keys, double gain);

/* The same of numbers. */
double ftree_gain_of_numbers(const Lanes *lanes, const Node *node, const int32_t *keys, const double *values, double cut);

/* The same choice as `ftree_choose_by_classes`. */
Cut ftree_choose_by_numbers(const Lanes *lanes, const Cut *found);
#endif

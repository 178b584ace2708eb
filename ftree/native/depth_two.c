/* The least cost of a tree of depth two, by counts of pairs of items, and of depth three, by counts of triples.

   A tree of depth two has a leaf for the rows with both of two items, with one of them, and with neither: by class,
   |ij|, |i| - |ij|, |j| - |ij| and |S| - |i| - |j| + |ij|. Each side of the first split has its best second split by
   itself. So for each item, `low` and `high` get the least costs of the rows with it and without it, a leaf or one
   more split, in one pass over all pairs; and the best first split has the least sum of both. Depth three does this
   for both sides of each first split, whose counts of pairs come from triples. `exact/listed/shallow_trees.py` has all of
   it in NumPy, as `plain_depth_two`, and the formulas are those of `exact/listed/leaf_formulas.py`.

   The first items are one side each of candidate splits with two children; the other side is the rest. The others
   are the children of splits with several children: split c of them has items `wide[c]` to `wide[c + 1]`. `prices`
   (C,) are the costs of splits. Counts of pairs and triples are those of `bits.c`. */
#include "native.h"

/* What leaves cost. `costs` (rows, width) has the weights of classes, in one row, for ERRORS; the costs of all counts
   of two classes, penalties included, for JOINT; n log2(n) for LOGS, in one row, which is empty where it is computed; a
   matrix (K, width) for MATRIX, whose cheapest column counts; centre and scale, in one row, for SQUARES, of three sums
   in place of classes. `LeafTerms` has the kind and the rest: a leaf with a case costs a penalty as well, and is refused
   with fewer than the least cases. Costs are multiples of a step. */
enum { ERRORS, JOINT, LOGS, MATRIX, SQUARES };
typedef struct {
    int64_t kind;
    double penalty, least, step;
    const double *costs;
    int64_t width;
} Leaves;

typedef struct {
    const int64_t *wide;
    const double *prices;
    int64_t binary, several;
} Splits;

/* Counts of pairs (K, n, n) and of all rows (K,). */
typedef struct {
    const double *pairs, *total;
    int64_t k, n;
} Pairs;

/* Room: counts of items (K, n), the least costs of both sides of each item (n,), and the counts of up to four leaves (4, K). */
typedef struct {
    double *counts, *low, *high, *cells;
} RoomForLeaves;

/* Sums of a number and this one have no fraction. */
#define NO_FRACTION 4503599627370496.0
/* log2(x) is 2 / ln 2 times the sum of r^(2k+1) / (2k+1) with r = (x-1) / (x+1); 13 terms suffice from sqrt(1/2) to
   sqrt(2). */
#define TWO_BY_LN_2 2.8853900817779268
#define SQRT_HALF 0.7071067811865476
#define SERIES 13

INLINE double pair(Pairs in, int64_t k, int64_t i, int64_t j) { return in.pairs[(k * in.n + i) * in.n + j]; }

/* The nearest multiple of a step, a power of two, to a cost from 0. */
INLINE double on_grid(double cost, double step)
{
    double steps = cost / step;
    return (steps < NO_FRACTION ? steps + NO_FRACTION - NO_FRACTION : steps) * step;
}

/* n log2(n), as `ftree.exact.listed.leaf_formulas.n_log2_n_by_series` computes it, without the logarithm of a C library. */
static double n_log2_n(double n)
{
    double small = n < 0x1p-900 ? 0x1p100 : 1.0;
    double part = n * small;
    double sum = 0.0;
    uint64_t bits;
    if (n <= 0.0) return 0.0;
    __builtin_memcpy(&bits, &part, sizeof bits);
    int64_t exponent = (int64_t)(bits >> 52) - 1022 - (small > 1.0 ? 100 : 0);
    bits = (bits & 0x000FFFFFFFFFFFFF) | 0x3FE0000000000000;
    __builtin_memcpy(&part, &bits, sizeof bits);
    if (part < SQRT_HALF) {
        part *= 2.0;
        exponent--;
    }
    double ratio = (part - 1.0) / (part + 1.0);
    double square = ratio * ratio;
    for (int k = SERIES - 1; k >= 0; k--) sum = sum * square + 1.0 / (2 * k + 1);
    return n * ((double)exponent + TWO_BY_LN_2 * ratio * sum);
}

/* The cost of a leaf that errs in all its weight but that of the heaviest class. */
INLINE double of_errors(double cases, double cost, const Leaves *by)
{
    return cases == 0.0 ? 0.0 : cases < by->least ? INFINITY : cost + by->penalty;
}

/* The cost of a leaf with class counts (K,) before the penalty, for kinds whose leaves cost no errors. */
INLINE double before_penalty(const double *counts, int64_t k, double cases, const Leaves *by)
{
    double cost = INFINITY;
    if (by->kind == LOGS && !by->width) {
        cost = n_log2_n(cases);
        for (int64_t c = 0; c < k; c++) cost -= n_log2_n(counts[c]);
        return on_grid(most_of(cost, 0.0), by->step);
    }
    if (by->kind == LOGS) {
        cost = by->costs[(int64_t)cases];
        for (int64_t c = 0; c < k; c++) cost -= by->costs[(int64_t)counts[c]];
        return cost;
    }
    if (by->kind == SQUARES) {
        double away = counts[1] - cases * by->costs[0];
        return on_grid(most_of(counts[2] - by->costs[1] * away * away / cases, 0.0), by->step);
    }
    for (int64_t predicted = 0; predicted < by->width; predicted++) {
        double expected = 0.0;
        for (int64_t c = 0; c < k; c++) expected += counts[c] * by->costs[c * by->width + predicted];
        cost = least_of(cost, expected);
    }
    return on_grid(cost, by->step);
}

/* The cost of a leaf with class counts (K,): 0 without a case, infinite with fewer than the least cases. */
static double leaf_cost(const double *counts, int64_t k, const Leaves *by)
{
    double cases = 0.0, weight = 0.0, heaviest = 0.0;
    if (by->kind == JOINT) return by->costs[(int64_t)counts[0] * by->width + (int64_t)counts[1]];
    for (int64_t c = 0; c < k; c++) {
        double own = by->kind == ERRORS ? counts[c] * by->costs[c] : 0.0;
        cases += counts[c];
        weight += own;
        heaviest = most_of(heaviest, own);
    }
    if (by->kind == ERRORS) return of_errors(cases, weight - heaviest, by);
    if (by->kind == SQUARES) cases = counts[0];
    return of_errors(cases, cases == 0.0 || cases < by->least ? 0.0 : before_penalty(counts, k, cases, by), by);
}

/* The costs of leaves with the cases that have items i and j, i only, j only, and none. */
INLINE void four_errors(Pairs in, const double *counts, int64_t i, int64_t j, const Leaves *by, double *four)
{
    double cases[4] = {0}, weight[4] = {0}, most[4] = {0};
    for (int64_t c = 0; c < in.k; c++) {
        double both = pair(in, c, i, j);
        double only_i = counts[c * in.n + i] - both;
        double only_j = counts[c * in.n + j] - both;
        double own[4] = {both, only_i, only_j, in.total[c] - only_i - only_j - both};
        for (int q = 0; q < 4; q++) {
            double costs = own[q] * by->costs[c];
            cases[q] += own[q];
            weight[q] += costs;
            most[q] = most_of(most[q], costs);
        }
    }
    for (int q = 0; q < 4; q++) four[q] = of_errors(cases[q], weight[q] - most[q], by);
}

/* The same for any kind. */
INLINE void four_leaves(Pairs in, RoomForLeaves room, int64_t i, int64_t j, const Leaves *by, double *four)
{
    double *cells = room.cells;
    if (by->kind == ERRORS) {
        four_errors(in, room.counts, i, j, by, four);
        return;
    }
    for (int64_t c = 0; c < in.k; c++) {
        double both = pair(in, c, i, j);
        double own_i = room.counts[c * in.n + i];
        double own_j = room.counts[c * in.n + j];
        cells[c] = both;
        cells[in.k + c] = own_i - both;
        cells[2 * in.k + c] = own_j - both;
        cells[3 * in.k + c] = in.total[c] - own_i - own_j + both;
    }
    for (int q = 0; q < 4; q++) four[q] = leaf_cost(cells + q * in.k, in.k, by);
}

/* The least costs (n,) of both sides of each item, each divided by another split with two children; prices included. */
static void divide_by_binary(Pairs in, Splits splits, const Leaves *by, RoomForLeaves room)
{
    double *low = room.low, *high = room.high, four[4];
    for (int64_t i = 0; i < splits.binary; i++)
        for (int64_t j = i + 1; j < in.n; j++) {
            four_leaves(in, room, i, j, by, four);
            low[j] = least_of(low[j], four[0] + four[2] + splits.prices[i]);
            if (j >= splits.binary) continue;
            low[i] = least_of(low[i], four[0] + four[1] + splits.prices[j]);
            high[i] = least_of(high[i], four[2] + four[3] + splits.prices[j]);
            high[j] = least_of(high[j], four[1] + four[3] + splits.prices[i]);
        }
}

/* The same for two classes whose leaves have their costs in a table, where all splits have two children. */
static void divide_by_table(Pairs in, Splits splits, const Leaves *by, RoomForLeaves room)
{
    const double *table = by->costs, *zero = in.pairs;
    const double *one = in.pairs + in.n * in.n;
    int64_t across = by->width;
    int64_t whole = (int64_t)in.total[0] * across + (int64_t)in.total[1];
    int64_t n = in.n;
    for (int64_t i = 0; i < n; i++) {
        int64_t a = (int64_t)room.counts[i] * across + (int64_t)room.counts[n + i];
        for (int64_t j = i + 1; j < n; j++) {
            int64_t x = (int64_t)zero[i * n + j] * across + (int64_t)one[i * n + j];
            int64_t b = (int64_t)room.counts[j] * across + (int64_t)room.counts[n + j];
            double both = table[x], only_i = table[a - x], only_j = table[b - x];
            double none = table[whole - a - b + x];
            room.low[i] = least_of(room.low[i], both + only_i + splits.prices[j]);
            room.high[i] = least_of(room.high[i], only_j + none + splits.prices[j]);
            room.low[j] = least_of(room.low[j], both + only_j + splits.prices[i]);
            room.high[j] = least_of(room.high[j], only_i + none + splits.prices[i]);
        }
    }
}

/* The same for splits with several children. */
static void divide_by_several(Pairs in, Splits splits, const Leaves *by, RoomForLeaves room)
{
    for (int64_t c = 0; c < splits.several; c++)
        for (int64_t i = 0; i < in.n; i++) {
            double inside = splits.prices[splits.binary + c];
            double outside = inside;
            for (int64_t v = splits.wide[c]; v < splits.wide[c + 1]; v++) {
                for (int64_t k = 0; k < in.k; k++) {
                    room.cells[k] = i < v ? pair(in, k, i, v) : pair(in, k, v, i);
                    room.cells[in.k + k] = room.counts[k * in.n + v] - room.cells[k];
                }
                inside += leaf_cost(room.cells, in.k, by);
                outside += leaf_cost(room.cells + in.k, in.k, by);
            }
            room.low[i] = least_of(room.low[i], inside);
            room.high[i] = least_of(room.high[i], outside);
        }
}

/* The least cost of a split with several children, with splits of depth one below; infinite where all cases stay together. */
static double cost_of_several(Splits splits, int64_t c, Pairs in, RoomForLeaves room, double whole)
{
    double cost = splits.prices[splits.binary + c];
    for (int64_t v = splits.wide[c]; v < splits.wide[c + 1]; v++) {
        double cases = 0.0;
        for (int64_t k = 0; k < in.k; k++) cases += room.counts[k * in.n + v];
        cost += cases == whole ? INFINITY : room.low[v];
    }
    return cost;
}

/* Fill the room with the counts of items, and with the least costs of both sides of each, a leaf or a split; all cases. */
INLINE double sides(Pairs in, Splits splits, const Leaves *by, RoomForLeaves room)
{
    double whole = 0.0;
    for (int64_t c = 0; c < in.k; c++) {
        whole += in.total[c];
        for (int64_t i = 0; i < in.n; i++) room.counts[c * in.n + i] = pair(in, c, i, i);
    }
    for (int64_t i = 0; i < in.n; i++) {
        for (int64_t c = 0; c < in.k; c++) {
            room.cells[c] = room.counts[c * in.n + i];
            room.cells[in.k + c] = in.total[c] - room.cells[c];
        }
        room.low[i] = leaf_cost(room.cells, in.k, by);
        room.high[i] = leaf_cost(room.cells + in.k, in.k, by);
    }
    if (by->kind == JOINT && in.n == splits.binary) divide_by_table(in, splits, by, room);
    else divide_by_binary(in, splits, by, room);
    divide_by_several(in, splits, by, room);
    return whole;
}

/* The least cost of a tree of depth two, and the number of its first split, or -1 for a leaf. A split that leaves all cases
   together costs as much as the best one below it, and is never chosen. */
INLINE double by_pairs(Pairs in, Splits splits, const Leaves *by, RoomForLeaves room, int64_t *chosen)
{
    double whole = sides(in, splits, by, room);
    double best = leaf_cost(in.total, in.k, by);
    *chosen = -1;
    for (int64_t i = 0; i < splits.binary; i++) {
        double cases = 0.0;
        double cost = room.low[i] + room.high[i] + splits.prices[i];
        for (int64_t c = 0; c < in.k; c++) cases += room.counts[c * in.n + i];
        if (0.0 < cases && cases < whole && cost < best) {
            best = cost;
            *chosen = i;
        }
    }
    for (int64_t c = 0; c < splits.several; c++) {
        double cost = cost_of_several(splits, c, in, room, whole);
        if (cost < best) {
            best = cost;
            *chosen = splits.binary + c;
        }
    }
    return best;
}

/* The first split of the best tree of depth two, or -1 for a leaf; `best` (1,) gets its cost. `counts`, `low_high` and
   `cells` are room. */
FTREE_API int64_t ftree_depth_two(const double *pairs, const double *total, const int64_t *wide, const double *prices,
                                  const LeafTerms *leaves, const double *costs, double *counts, double *low_high, double *cells,
                                  double *best, int64_t k, int64_t n, int64_t e, int64_t x)
{
    Leaves by = {leaves->kind, leaves->penalty, leaves->least, leaves->step, costs, x};
    RoomForLeaves room = {counts, low_high, low_high + n, cells};
    int64_t chosen;
    *best = by_pairs((Pairs){pairs, total, k, n}, (Splits){wide, prices, wide[0], e - 1}, &by, room, &chosen);
    return chosen;
}

/* Counts of triples (n, K, n, p) by the last item. */
typedef struct {
    const double *counts;
    int64_t p;
} Triples;

/* Fill `rest` (K, n, n) with the counts of pairs among the rows outside a part, and `others` (K,) with the counts of
   these rows. */
INLINE void subtract_pairs(Pairs whole, Pairs part, double *restrict rest, double *others)
{
    for (int64_t k = 0; k < whole.k; k++) {
        others[k] = whole.total[k] - part.total[k];
        for (int64_t i = 0; i < whole.n; i++) {
            int64_t row = (k * whole.n + i) * whole.n;
            for (int64_t j = i; j < whole.n; j++) rest[row + j] = whole.pairs[row + j] - part.pairs[row + j];
        }
    }
}

/* Arguments of every tree of depth two. */
typedef struct {
    Splits splits;
    const Leaves *by;
    RoomForLeaves room;
} Terms;

/* The cost of a split whose children are trees of depth two; `two` (n, 2) gets what they cost. `own`, `rest` (K, n, n)
   and `sums` (2, K) are room. */
static double cost_of_split(Triples triples, Pairs in, int64_t split, const Terms *terms, double *two, double *own, double *rest,
                            double *sums)
{
    Splits splits = terms->splits;
    bool binary = split < splits.binary;
    int64_t first = binary ? split : splits.wide[split - splits.binary], chosen;
    int64_t last = binary ? split + 1 : splits.wide[split - splits.binary + 1];
    double cost = splits.prices[split];
    Pairs with = {own, sums, in.k, in.n};
    Pairs without = {rest, sums + in.k, in.k, in.n};
    for (int64_t item = first; item < last; item++) {
        ftree_pairs_with_float64(triples.counts, in.pairs, item, own, in.n, in.k, triples.p);
        for (int64_t k = 0; k < in.k; k++) sums[k] = pair(in, k, item, item);
        two[2 * item] = by_pairs(with, splits, terms->by, terms->room, &chosen);
        cost += two[2 * item];
    }
    if (!binary) return cost;
    subtract_pairs(in, with, rest, sums + in.k);
    two[2 * split + 1] = by_pairs(without, splits, terms->by, terms->room, &chosen);
    return cost + two[2 * split + 1];
}

/* The first split of the best tree of depth three that costs less than `best` (1,), which becomes its cost; without
   one, -1 and a bound on all. `two` (n, 2) gets the least costs of depth two of the cases with each item and of those
   without it. Splits are examined in `order`; those whose `bound` (c,) is not below the best cost are skipped. Other
   arguments that are written are room. */
FTREE_API int64_t ftree_depth_three(const double *triples, const double *pairs, const double *total, const int64_t *order,
                                    const double *bound, double *two, const int64_t *wide, const double *prices,
                                    const LeafTerms *leaves, const double *costs, double *counts, double *low_high, double *cells,
                                    double *own, double *rest, double *sums, double *best, int64_t n, int64_t k, int64_t p,
                                    int64_t o, int64_t e, int64_t x)
{
    Leaves by = {leaves->kind, leaves->penalty, leaves->least, leaves->step, costs, x};
    Terms terms = {{wide, prices, wide[0], e - 1}, &by, {counts, low_high, low_high + n, cells}};
    double lowest = INFINITY;
    int64_t chosen = -1;
    for (int64_t each = 0; each < o; each++) {
        int64_t split = order[each];
        double cost = bound[split];
        if (cost < *best) {
            cost = cost_of_split((Triples){triples, p}, (Pairs){pairs, total, k, n}, split, &terms, two, own, rest, sums);
            if (cost < *best) {
                *best = cost;
                chosen = split;
            }
        }
        lowest = least_of(lowest, cost);
    }
    if (chosen < 0) *best = lowest;
    return chosen;
}

/* Trees of depth two and three for errors of two classes in 32 bits: splits with two children that cost nothing.

   All numbers have the type of the counts, since wider ones would keep loops from being vectorised. `ftree_quarters`
   finds the best trees of depth two of both sides of each item. A quarter of two items holds the rows on a given
   side of each. Three items divide rows into eight parts. The errors of each part are counted once, and each of the
   twelve sums of two neighbouring parts is a quarter divided by the third item. A tree of depth two on one side of
   an item has two quarters of it.

   `quarters` (n, 6, STRIDE) hold the least errors of quarters of items x < y, divided by any item, at [x, side, y].
   The side is 3 for rows with both items, 2 with x only, 1 with y only, and 0 with none. At 4 and 5 are counts of x
   and y by class, of those y that are earlier items already, else 0, which makes a place beyond the last item
   harmless. */
#include "native.h"

/* At most 256 items, and 16 places beyond for loops without a rest. The distance of sides is constant, so that the
   compiler knows that they do not overlap. */
enum { PAD = 16, STRIDE = 256 + PAD, BEFORE = 4 * STRIDE, ITEM = 6 * STRIDE };

INLINE int32_t lesser(int32_t a, int32_t b) { return a < b ? a : b; }

/* The cost of a leaf: its errors, and a penalty if it has a case. */
INLINE double leaf(int32_t zero, int32_t one, double penalty) { return lesser(zero, one) + (zero + one > 0 ? penalty : 0.0); }

/* Counts of pairs (2, n, n) by class, and of all rows. */
typedef struct {
    const int32_t *zero, *one;
    int32_t all[2];
    int64_t n;
} TwoClassPairs;

/* Counts (n,) of items by class, and the least errors (n,) of both sides of each item, divided by another one. */
typedef struct {
    int32_t *zero, *one, *low, *high;
} Items;

/* Divide item i and all later items, the first one at `after`, by each other; i leaves a and b of each class on its sides. */
INLINE void divide_pairs(const int32_t *restrict with_zero, const int32_t *restrict with_one, Items after, const int32_t *a,
                         const int32_t *b, int32_t *least, int64_t n)
{
    const int32_t *restrict zero = after.zero, *restrict one = after.one;
    int32_t *restrict low = after.low, *restrict high = after.high;
    int32_t least_low = least[0], least_high = least[1];
    int32_t a0 = a[0], a1 = a[1], b0 = b[0], b1 = b[1];
    for (int64_t j = 0; j < n; j++) {
        int32_t x0 = with_zero[j], x1 = with_one[j], y0 = zero[j] - x0, y1 = one[j] - x1;
        int32_t both = lesser(x0, x1);
        int32_t only_j = lesser(y0, y1);
        int32_t only_i = lesser(a0 - x0, a1 - x1);
        int32_t none = lesser(b0 - y0, b1 - y1);
        least_low = lesser(least_low, both + only_i);
        least_high = lesser(least_high, only_j + none);
        low[j] = lesser(low[j], both + only_j);
        high[j] = lesser(high[j], only_i + none);
    }
    least[0] = least_low;
    least[1] = least_high;
}

/* Fill in the counts of items, and the least errors of both sides of each item, each divided by another item. */
INLINE void sides_of_items(TwoClassPairs in, Items items)
{
    int32_t all = in.all[0] + in.all[1];
    int64_t n = in.n;
    for (int64_t i = 0; i < n; i++) {
        items.zero[i] = in.zero[i * n + i];
        items.one[i] = in.one[i * n + i];
        items.low[i] = items.high[i] = all;
    }
    for (int64_t i = 0; i < n; i++) {
        int32_t a[2] = {items.zero[i], items.one[i]};
        int32_t b[2] = {in.all[0] - a[0], in.all[1] - a[1]};
        int32_t least[2] = {items.low[i], items.high[i]};
        if (a[0] + a[1] == 0 || b[0] + b[1] == 0) continue;
        Items after = {items.zero + i + 1, items.one + i + 1, items.low + i + 1, items.high + i + 1};
        divide_pairs(in.zero + i * n + i + 1, in.one + i * n + i + 1, after, a, b, least, n - i - 1);
        items.low[i] = least[0];
        items.high[i] = least[1];
    }
}

/* The first split of the best tree of depth two, or -1 for a leaf, as `ftree_depth_two`; `best` (1,) gets its cost,
   `room` (4, n) is room. */
FTREE_API int64_t ftree_two_classes(const int32_t *pairs, const int32_t *total, double penalty, int32_t *room, double *best,
                                    int64_t n)
{
    TwoClassPairs in = {pairs, pairs + n * n, {total[0], total[1]}, n};
    Items items = {room, room + n, room + 2 * n, room + 3 * n};
    int64_t chosen = -1;
    sides_of_items(in, items);
    *best = leaf(total[0], total[1], penalty);
    for (int64_t i = 0; i < n; i++) {
        int32_t a0 = items.zero[i], a1 = items.one[i], b0 = total[0] - a0, b1 = total[1] - a1;
        double one = least_of(leaf(a0, a1, penalty), items.low[i] + 2.0 * penalty);
        double cost = one + least_of(leaf(b0, b1, penalty), items.high[i] + 2.0 * penalty);
        if (a0 + a1 > 0 && b0 + b1 > 0 && cost < *best) {
            *best = cost;
            chosen = i;
        }
    }
    return chosen;
}

/* The cases of item a, and of all rows, by class. */
typedef struct {
    int32_t own[2], all[2];
} Cases;

/* Divide the quarters of a, i and n items j after i by the third item. Counts and quarters begin at i (`of_i`) or at
   the first j; `with0` and `with1` are counts of all three, `before` of i and j, `of_j` of j with a, and of j, each by
   class. */
INLINE void divide(const int32_t *restrict with0, const int32_t *restrict with1, const int32_t *restrict before,
                   const int32_t *of_i, const int32_t *restrict of_j, int32_t *quarters_i, int32_t *restrict quarters_j,
                   int32_t *restrict quarters_ij, Cases cases, int64_t n)
{
    int32_t i0 = of_i[0], i1 = of_i[STRIDE];
    int32_t alone0 = of_i[2 * STRIDE] - i0;
    int32_t alone1 = of_i[3 * STRIDE] - i1;
    int32_t rest0 = cases.own[0] - i0, rest1 = cases.own[1] - i1;
    int32_t none0 = cases.all[0] - cases.own[0] - alone0;
    int32_t none1 = cases.all[1] - cases.own[1] - alone1;
    int32_t least[4] = {quarters_i[0], quarters_i[STRIDE], quarters_i[2 * STRIDE], quarters_i[3 * STRIDE]};
    for (int64_t j = 0; j < n; j++) {
        int32_t x0 = with0[j], x1 = with1[j], j0 = of_j[j] - x0;
        int32_t j1 = of_j[STRIDE + j] - x1;
        int32_t y0 = before[j] - x0;
        int32_t y1 = before[STRIDE + j] - x1;
        int32_t z0 = of_j[2 * STRIDE + j] - of_j[j] - y0;
        int32_t z1 = of_j[3 * STRIDE + j] - of_j[STRIDE + j] - y1;
        int32_t aij = lesser(x0, x1);
        int32_t ai = lesser(i0 - x0, i1 - x1);
        int32_t aj = lesser(j0, j1);
        int32_t a = lesser(rest0 - j0, rest1 - j1);
        int32_t ij = lesser(y0, y1);
        int32_t i = lesser(alone0 - y0, alone1 - y1);
        int32_t only_j = lesser(z0, z1);
        int32_t none = lesser(none0 - z0, none1 - z1);
        least[3] = lesser(least[3], aij + ai);
        least[2] = lesser(least[2], aj + a);
        least[1] = lesser(least[1], ij + i);
        least[0] = lesser(least[0], only_j + none);
        quarters_j[3 * STRIDE + j] = lesser(quarters_j[3 * STRIDE + j], aij + aj);
        quarters_j[2 * STRIDE + j] = lesser(quarters_j[2 * STRIDE + j], ai + a);
        quarters_j[STRIDE + j] = lesser(quarters_j[STRIDE + j], ij + only_j);
        quarters_j[j] = lesser(quarters_j[j], i + none);
        quarters_ij[3 * STRIDE + j] = lesser(quarters_ij[3 * STRIDE + j], aij + ij);
        quarters_ij[2 * STRIDE + j] = lesser(quarters_ij[2 * STRIDE + j], ai + i);
        quarters_ij[STRIDE + j] = lesser(quarters_ij[STRIDE + j], aj + only_j);
        quarters_ij[j] = lesser(quarters_ij[j], a + none);
    }
    for (int side = 0; side < 4; side++) quarters_i[side * STRIDE] = least[side];
}

/* Divide quarters of earlier items by item a, and its own quarters by earlier items. `triples` (2, n, p) are those
   whose last is a, and `counts` (4, STRIDE) are of earlier items with a, and of earlier items, by class; all others are
   0. */
INLINE void divide_by(const int32_t *triples, int64_t p, TwoClassPairs in, int64_t a, int32_t *quarters, int32_t *counts)
{
    const int32_t *of_class[2] = {in.zero, in.one};
    int32_t *own = quarters + a * ITEM;
    int64_t n = in.n;
    int64_t at_a = a * n + a;
    Cases cases = {{in.zero[at_a], in.one[at_a]}, {in.all[0], in.all[1]}};
    for (int64_t i = 0; i < a; i++) {
        counts[i] = in.zero[i * n + a];
        counts[STRIDE + i] = in.one[i * n + a];
    }
    for (int64_t i = 0; i < a - 1; i++) {
        int64_t j = i + 1;
        int64_t padded = (a - j + PAD - 1) / PAD * PAD;
        int32_t *of_i = quarters + i * ITEM;
        divide(triples + i * p + j, triples + (n + i) * p + j, of_i + BEFORE + j, counts + i, counts + j, own + i, own + j,
               of_i + j, cases, padded);
    }
    for (int k = 0; k < 2; k++) {
        counts[(2 + k) * STRIDE + a] = cases.own[k];
        for (int64_t i = 0; i < a; i++) quarters[i * ITEM + BEFORE + k * STRIDE + a] = of_class[k][i * n + a];
    }
    for (int64_t i = 0; i < a; i++) {
        int32_t *to = quarters + i * ITEM + a;
        int32_t *from = own + i;
        to[0] = from[0];
        to[3 * STRIDE] = from[3 * STRIDE];
        to[STRIDE] = from[2 * STRIDE];
        to[2 * STRIDE] = from[STRIDE];
    }
}

/* Fill `two` (n, 2) with the least costs of depth two of both sides of each item: of a leaf, or of two quarters, each a
   leaf or divided. */
INLINE void fill_sides(const int32_t *quarters, TwoClassPairs in, double penalty, double *two)
{
    int64_t n = in.n;
    for (int64_t x = 0; x < n; x++) {
        int32_t x0 = in.zero[x * n + x];
        int32_t x1 = in.one[x * n + x];
        two[2 * x] = leaf(x0, x1, penalty);
        two[2 * x + 1] = leaf(in.all[0] - x0, in.all[1] - x1, penalty);
    }
    for (int64_t x = 0; x < n; x++) {
        const int32_t *of_x = quarters + x * ITEM;
        int32_t x0 = in.zero[x * n + x];
        int32_t x1 = in.one[x * n + x];
        for (int64_t y = x + 1; y < n; y++) {
            int32_t y0 = in.zero[y * n + y];
            int32_t y1 = in.one[y * n + y];
            int32_t b0 = in.zero[x * n + y];
            int32_t b1 = in.one[x * n + y];
            double both = least_of(leaf(b0, b1, penalty), of_x[3 * STRIDE + y] + 2 * penalty);
            double only_x = least_of(leaf(x0 - b0, x1 - b1, penalty), of_x[2 * STRIDE + y] + 2 * penalty);
            double only_y = least_of(leaf(y0 - b0, y1 - b1, penalty), of_x[STRIDE + y] + 2 * penalty);
            double none = leaf(in.all[0] - x0 - y0 + b0, in.all[1] - x1 - y1 + b1, penalty);
            none = least_of(none, of_x[y] + 2 * penalty);
            two[2 * x] = least_of(two[2 * x], both + only_x);
            two[2 * x + 1] = least_of(two[2 * x + 1], only_y + none);
            two[2 * y] = least_of(two[2 * y], both + only_y);
            two[2 * y + 1] = least_of(two[2 * y + 1], only_x + none);
        }
    }
}

/* Fill `two` (n, 2) with the least costs of depth two of the rows with each item and of those without it, by counts of
   pairs and triples. `quarters` and `counts` are room. Failure, -1, for more items than have places. */
FTREE_API int64_t ftree_quarters(const int32_t *triples, const int32_t *pairs, const int32_t *total, double penalty,
                                 int32_t *quarters, int32_t *counts, double *two, int64_t n, int64_t p)
{
    TwoClassPairs in = {pairs, pairs + n * n, {total[0], total[1]}, n};
    if (n > STRIDE - PAD || p < n + PAD) return -1;
    for (int64_t y = 0; y < BEFORE; y++) counts[y] = 0;
    for (int64_t side = 0; side < 6 * n; side++) {
        int32_t none = side % 6 < 4 ? total[0] + total[1] : 0;
        for (int64_t y = 0; y < n + PAD; y++) quarters[side * STRIDE + y] = none;
    }
    for (int64_t a = 0; a < n; a++) divide_by(triples + a * 2 * n * p, p, in, a, quarters, counts);
    fill_sides(quarters, in, penalty, two);
    return n;
}

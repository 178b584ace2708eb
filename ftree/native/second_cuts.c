/* The best second cuts of a tree of depth two: for both sides of a first cut at once, by one pass over each column.

   A pass reads the node's rows in the order of a column and adds up the classes of each side's rows so far. Where a
   value ends, these sums are the left leaf of a second cut on that side, and the side's other rows are the right
   one. What a pass reads is laid out beforehand: once for a node (values or classes, and where values end), and once
   for a column of first cuts (the number of each row's value there). So a first cut is a number, and the rows up to
   it are on its left.

   With two classes, rows of one class count their weight, and those of the other class count it negated. The errors
   of a second cut are the lesser of own[0] - sum and own[1] + sum, for the sum of the rows before it; so the best
   cut is where this sum is largest or least. A lane is read in 16 parts side by side: entry i of part p is at 16 i +
   p.

   With more classes, a row moves the errors by at most its weight, so classes are compared only where the best cost
   could fall.

   Source: Brita, van der Linden & Demirovic 2025 (ConTree); the scan for two classes is our own. */
#include "sorted_trees.h"

/* The widest registers hold so many entries. */
#if defined(__AVX512F__)
#define WIDTH 16
#elif defined(__AVX2__)
#define WIDTH 8
#else
#define WIDTH 4
#endif
enum { VECTORS = PARTS / WIDTH, FAR = 1 << 30 };
typedef int32_t Vector __attribute__((vector_size(4 * WIDTH)));

INLINE Vector larger(Vector a, Vector b)
{
    Vector first = a > b;
    return (a & first) | (b & ~first);
}
INLINE Vector smaller(Vector a, Vector b)
{
    Vector first = a < b;
    return (a & first) | (b & ~first);
}

/* How many parts a lane has, and how long they are. */
typedef struct {
    int64_t parts, length;
} LaneLayout;
INLINE LaneLayout layout_of(const SecondScan *scan)
{
    int64_t m = scan->node.m;
    return scan->two ? (LaneLayout){PARTS, (m + PARTS - 1) / PARTS} : (LaneLayout){1, m};
}

/* What is read of a lane:
     places  the number of each row's value in the column of the first cut;
     values  of two classes the row's weight, negated for the second; of more, twice its class, plus 1 where a value ends;
     ends    -1 where a value ends, else 0. */
INLINE int32_t *places_of(const SecondScan *scan, int64_t column)
{
    return scan->memory.spread + column * (scan->table->n + PARTS);
}
INLINE int32_t *values_of(const SecondScan *scan, int64_t column) { return places_of(scan, scan->table->f + column); }
INLINE int32_t *ends_of(const SecondScan *scan, int64_t column) { return values_of(scan, scan->table->f + column); }

/* Whether all rows have one of two classes, which `which` gets, and 32 bits hold their weights. */
static bool has_two_classes(const RankedTable *t, const int64_t *total, int64_t which[2])
{
    int64_t found = 0;
    for (int64_t c = 0; c < t->k; c++)
        if (total[c] && found++ < 2) which[found - 1] = c;
    return t->small && found == 2;
}

void ftree_begin_scan(SecondScan *scan)
{
    const RankedTable *t = scan->table;
    RowsOfNode node = scan->node;
    scan->two = has_two_classes(t, node.total, scan->which);
    LaneLayout to = layout_of(scan);
    for (int64_t c = 0; c < t->f; c++) {
        const int32_t *lane = node.lanes + c * t->n;
        const int32_t *rank = t->rank + c * t->n;
        int32_t *value = values_of(scan, c);
        int32_t *is_end = ends_of(scan, c);
        for (int64_t part = 0, i = 0; part < to.parts; part++)
            for (int64_t at = part; at < to.length * to.parts; at += to.parts, i++) {
                bool is_row = i < node.m;
                bool end = is_row && ends(lane, rank, i, node.m);
                int32_t label = is_row ? t->label[lane[i]] : 0;
                int32_t weight = is_row && scan->two ? (int32_t)t->weight[lane[i]] : 0;
                if (scan->two) value[at] = label == scan->which[0] ? weight : -weight;
                else value[at] = 2 * label + end;
                is_end[at] = -(int32_t)end;
            }
    }
}

void ftree_scan_first_column(const SecondScan *scan, int64_t column)
{
    const RankedTable *t = scan->table;
    RowsOfNode node = scan->node;
    LaneLayout to = layout_of(scan);
    const int32_t *own = node.lanes + column * t->n;
    const int32_t *rank = t->rank + column * t->n;
    int32_t *place = scan->memory.place;
    for (int64_t i = 0, value = 0; i < node.m; i++) {
        place[own[i]] = (int32_t)value;
        value += ends(own, rank, i, node.m);
    }
    for (int64_t c = 0; c < t->f; c++) {
        const int32_t *lane = node.lanes + c * t->n;
        int32_t *spread = places_of(scan, c);
        for (int64_t part = 0, i = 0; part < to.parts; part++)
            for (int64_t at = part; at < to.length * to.parts; at += to.parts, i++) spread[at] = i < node.m ? place[lane[i]] : 0;
    }
}

/* Lower `best` to the least errors of a cut of a column of two classes among the rows on each side of the first cut. */
INLINE void scan_two(const SecondScan *scan, int64_t column, int32_t first, const int64_t *own, int64_t best[2])
{
    const int32_t *place = places_of(scan, column);
    const int32_t *value = values_of(scan, column);
    const int32_t *is_end = ends_of(scan, column);
    int64_t length = layout_of(scan).length;
    int64_t k = scan->table->k;
    Vector sum[2][VECTORS] = {0}, most[2][VECTORS], least[2][VECTORS];
    for (int i = 0; i < 2 * VECTORS; i++) {
        most[i / VECTORS][i % VECTORS] = (Vector){0} - FAR;
        least[i / VECTORS][i % VECTORS] = (Vector){0} + FAR;
    }
    for (int64_t j = 0; j < length; j++)
        for (int i = 0; i < VECTORS; i++) {
            Vector p, v, end;
            int64_t from = j * PARTS + i * WIDTH;
            __builtin_memcpy(&p, place + from, sizeof p);
            __builtin_memcpy(&v, value + from, sizeof v);
            __builtin_memcpy(&end, is_end + from, sizeof end);
            Vector left = v & (p <= first);
            sum[0][i] += left;
            sum[1][i] += v - left;
            for (int q = 0; q < 2; q++) {
                most[q][i] = larger(most[q][i], (sum[q][i] & end) | (~end & -FAR));
                least[q][i] = smaller(least[q][i], (sum[q][i] & end) | (~end & FAR));
            }
        }
    for (int q = 0; q < 2; q++) {
        int64_t before = 0, high = 0, low = 0;
        for (int part = 0; part < PARTS; part++) {
            int32_t top = most[q][part / WIDTH][part % WIDTH];
            int32_t bottom = least[q][part / WIDTH][part % WIDTH];
            if (top > -FAR) high = greater(high, before + top);
            if (bottom < FAR) low = lesser(low, before + bottom);
            before += sum[q][part / WIDTH][part % WIDTH];
        }
        best[q] = lesser(best[q], lesser(own[q * k + scan->which[0]] - high, own[q * k + scan->which[1]] + low));
    }
}

/* The errors of the two leaves of a cut, given the counts of its left rows, in two parts, and of all rows. */
INLINE int64_t errors_of_cut(const int64_t *left, const int64_t *more, const int64_t *all, int64_t k)
{
    int64_t a = 0, b = 0, sum = 0;
    for (int64_t c = 0; c < k; c++) {
        int64_t own = left[c] + more[c];
        a = greater(a, own);
        b = greater(b, all[c] - own);
        sum += all[c];
    }
    return sum - a - b;
}

/* The same for any classes. `slack` is how much the errors of a side must fall at least until a cut can be better than
   the best. */
INLINE void scan_any(const SecondScan *scan, int64_t column, int32_t first, const int64_t *own, int64_t best[2], bool ones)
{
    const RankedTable *t = scan->table;
    const int32_t *lane = scan->node.lanes + column * t->n;
    const int32_t *place = places_of(scan, column);
    const int32_t *value = values_of(scan, column);
    int64_t k = t->k, m = scan->node.m, *seen = scan->memory.seen, slack[2];
    for (int64_t i = 0; i < 4 * k; i++) seen[i] = 0;
    for (int q = 0; q < 2; q++) slack[q] = errors_of(own + q * k, k) - best[q];
    for (int64_t i = 0; i < m; i++) {
        int64_t side = place[i] > first;
        int64_t weight = ones ? 1 : t->weight[lane[i]];
        /* Two counters, since one would wait for its last addition. */
        seen[(2 * (i & 1) + side) * k + (value[i] >> 1)] += weight;
        slack[side] -= weight;
        if ((slack[0] >= 0 && slack[1] >= 0) || !(value[i] & 1)) continue;
        for (int q = 0; q < 2; q++) {
            if (slack[q] >= 0) continue;
            int64_t errors = errors_of_cut(seen + q * k, seen + (2 + q) * k, own + q * k, k);
            best[q] = lesser(best[q], errors);
            slack[q] = errors - best[q];
        }
    }
}

void ftree_costs_of_sides(const SecondScan *scan, int32_t first, const int64_t *own, double cost[2])
{
    const RankedTable *t = scan->table;
    for (int q = 0; q < 2; q++) cost[q] = leaf_cost(t, own + q * t->k);
    for (int64_t c = 0; c < t->f; c++) {
        double price = 2 * t->penalty + t->prices[c];
        int64_t best[2];
        for (int q = 0; q < 2; q++) { /* errors from this number on are no better than what is known */
            double most = (cost[q] - price) / t->unit;
            best[q] = most <= 0 ? 0 : lesser(errors_of(own + q * t->k, t->k), (int64_t)most + 1);
        }
        if (!best[0] && !best[1]) continue;
        if (scan->two) scan_two(scan, c, first, own, best);
        else if (t->ones) scan_any(scan, c, first, own, best, true);
        else scan_any(scan, c, first, own, best, false);
        for (int q = 0; q < 2; q++) cost[q] = least_of(cost[q], (double)best[q] * t->unit + price);
    }
}

double ftree_best_cut(const RankedTable *t, RowsOfNode node, int64_t *seen, int32_t cut[2])
{
    double cost = leaf_cost(t, node.total);
    cut[0] = -1;
    cut[1] = 0;
    for (int64_t c = 0; c < t->f; c++) {
        const int32_t *lane = node.lanes + c * t->n;
        const int32_t *rank = t->rank + c * t->n;
        double price = 2 * t->penalty + t->prices[c];
        for (int64_t i = 0; i < 2 * t->k; i++) seen[i] = 0;
        for (int64_t i = 0; i + 1 < node.m; i++) {
            seen[t->label[lane[i]]] += t->weight[lane[i]];
            if (!ends(lane, rank, i, node.m)) continue;
            double own = (double)errors_of_cut(seen, seen + t->k, node.total, t->k) * t->unit + price;
            if (own < cost) {
                cost = own;
                cut[0] = (int32_t)c;
                cut[1] = rank[lane[i]];
            }
        }
    }
    return cost;
}

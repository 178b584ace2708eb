/* The least cost of a tree, by errors, among all cuts between different values of sorted columns.

   A cut sends the rows of a column's lower values to the left. Numbers count in whole units, so that all sums are exact. A lane is a
   column's rows in the order of its values. Level l holds the lanes, cuts and bounds of a node with l + 2 levels below it; no level
   takes more room than the table. `docs/explanation/sorted_trees.md` proves the bounds:

   - more rows never cost less, so the costs of both sides of a cut bound all cuts of the column that hold them;
   - rows that a set lacks cost at most their weight, so a cut bounds its neighbours, and a set of rows all similar sets.

   Source: Brita, van der Linden & Demirovic 2025 (ConTree); the scan for two classes and the bounds by first column are our own. */
#include "native.h"

/* A scan divides a lane into 16 parts side by side, as many as the widest registers have places. */
#if defined(__AVX512F__)
#define WIDTH 16
#elif defined(__AVX2__)
#define WIDTH 8
#else
#define WIDTH 4
#endif
enum { PARTS = 16, VECTORS = PARTS / WIDTH, FAR = 1 << 30 };
typedef int32_t Vector __attribute__((vector_size(4 * WIDTH)));

/* The table: ranks (f, n) of values by row, classes, weights in units, prices of columns; `cuts` restricts a node to some cuts of a
   column. `by_first` says whether bounds by first column hold, `small` whether 32 bits hold all weights, `ones` whether these are 1.
   Then room, and `known`: the least cost so far, the least bound, the number of states and its limit. */
typedef struct {
    const int32_t *rank, *label;
    const int64_t *weight;
    const double *prices;
    double unit, penalty;
    int64_t n, f, k, words, n_sets, cuts, deepest;
    bool by_first, small, ones;
    int32_t *lanes, *at, *place, *spread, *best, *trial;
    double *bounds, *least, *firsts, *kept;
    int64_t *n_cuts, *totals, *seen, *n_kept;
    uint64_t *sets, *kept_sets;
    volatile double *known;
    const volatile int64_t *stop;
} TreeSearch;

/* Rows of a node: lanes (f, n) of which the first m count, class totals (K,), and the set as bits. */
typedef struct {
    const int32_t *lanes;
    int64_t m;
    const int64_t *total;
    const uint64_t *set;
} Node;

INLINE double least_of(double a, double b) { return a < b ? a : b; }
INLINE double most_of(double a, double b) { return a > b ? a : b; }
INLINE int64_t lesser(int64_t a, int64_t b) { return a < b ? a : b; }
INLINE int64_t greater(int64_t a, int64_t b) { return a > b ? a : b; }
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

/* Entries of the plan of a tree: the first split, then the plans of both children. */
INLINE int64_t plan_size(int64_t depth) { return ((int64_t)1 << depth) - 1; }
/* The plans of all depths below one stand before its own. */
INLINE int32_t *plan_at(int32_t *plans, int64_t depth) { return plans + 2 * (((int64_t)1 << depth) - 1 - depth); }

INLINE void write_leaf(int32_t *plan) { plan[0] = -1, plan[1] = 0; }

/* Whether the search must end: a stop was asked for, or there were too many states. */
INLINE bool stopped(const TreeSearch *s) { return *s->stop || s->known[2] > s->known[3]; }

INLINE int64_t errors_of(const int64_t *counts, int64_t k)
{
    int64_t sum = 0, most = 0;
    for (int64_t c = 0; c < k; c++) sum += counts[c], most = greater(most, counts[c]);
    return sum - most;
}

INLINE int64_t sum_of(const int64_t *counts, int64_t k)
{
    int64_t sum = 0;
    for (int64_t c = 0; c < k; c++) sum += counts[c];
    return sum;
}

/* Whether row i of a lane has the last row of its value after it. */
INLINE bool ends(const int32_t *lane, const int32_t *rank, int64_t i, int64_t m)
{
    return i + 1 == m || rank[lane[i + 1]] != rank[lane[i]];
}

/* The errors of the two leaves of a cut, given the counts of its left rows, in two parts, and of all rows. */
INLINE int64_t errors_of_cut(const int64_t *left, const int64_t *more, const int64_t *all, int64_t k)
{
    int64_t a = 0, b = 0, sum = 0;
    for (int64_t c = 0; c < k; c++) {
        int64_t own = left[c] + more[c];
        a = greater(a, own), b = greater(b, all[c] - own), sum += all[c];
    }
    return sum - a - b;
}

/* The least errors of a cut of a lane among the rows on each side of a cut of the first column, where they are below `best`.

   `place` tells the side of rows in the order of the lane, `code` has twice the class, plus 1 where a value ends. A row moves the errors
   by at most its weight, so few rows need a look at all classes. */
INLINE void scan_any(const TreeSearch *s, const int32_t *lane, const int32_t *place, const int32_t *code, int64_t m, int32_t cut,
                     const int64_t *own, int64_t best[2], bool ones)
{
    int64_t k = s->k, *seen = s->seen, slack[2];
    for (int64_t i = 0; i < 4 * k; i++) seen[i] = 0;
    for (int q = 0; q < 2; q++) slack[q] = errors_of(own + q * k, k) - best[q];
    for (int64_t i = 0; i < m; i++) {
        int64_t side = place[i] > cut, weight = ones ? 1 : s->weight[lane[i]];
        /* Two counters, since one would wait for its last addition. */
        seen[(2 * (i & 1) + side) * k + (code[i] >> 1)] += weight;
        slack[side] -= weight;
        if ((slack[0] >= 0 && slack[1] >= 0) || !(code[i] & 1)) continue;
        for (int q = 0; q < 2; q++) {
            if (slack[q] >= 0) continue;
            int64_t errors = errors_of_cut(seen + q * k, seen + (2 + q) * k, own + q * k, k);
            best[q] = lesser(best[q], errors), slack[q] = errors - best[q];
        }
    }
}

/* The same for two classes, whose rows `value` gives their weight, one of them negated: the best cut is where the sum of the rows before
   it is largest or least. Parts of the lane are side by side; `is_end` is -1 where a value ends, else 0. */
INLINE void scan_two(const int32_t *place, const int32_t *value, const int32_t *is_end, int64_t length, int32_t cut,
                     const int64_t own[2][2], int64_t best[2])
{
    Vector sum[2][VECTORS] = {0}, most[2][VECTORS], least[2][VECTORS];
    for (int i = 0; i < 2 * VECTORS; i++)
        most[i / VECTORS][i % VECTORS] = (Vector){0} - FAR, least[i / VECTORS][i % VECTORS] = (Vector){0} + FAR;
    for (int64_t j = 0; j < length; j++)
        for (int i = 0; i < VECTORS; i++) {
            Vector p, v, end;
            int64_t from = j * PARTS + i * WIDTH;
            __builtin_memcpy(&p, place + from, sizeof p);
            __builtin_memcpy(&v, value + from, sizeof v);
            __builtin_memcpy(&end, is_end + from, sizeof end);
            Vector left = v & (p <= cut);
            sum[0][i] += left, sum[1][i] += v - left;
            for (int q = 0; q < 2; q++) {
                most[q][i] = larger(most[q][i], (sum[q][i] & end) | (~end & -FAR));
                least[q][i] = smaller(least[q][i], (sum[q][i] & end) | (~end & FAR));
            }
        }
    for (int q = 0; q < 2; q++) {
        int64_t before = 0, high = 0, low = 0;
        for (int part = 0; part < PARTS; part++) {
            int32_t top = most[q][part / WIDTH][part % WIDTH], bottom = least[q][part / WIDTH][part % WIDTH];
            if (top > -FAR) high = greater(high, before + top);
            if (bottom < FAR) low = lesser(low, before + bottom);
            before += sum[q][part / WIDTH][part % WIDTH];
        }
        best[q] = lesser(best[q], lesser(own[q][0] - high, own[q][1] + low));
    }
}

/* The two classes of a node, if all its rows have one of them and scans of 32 bits can add them up. */
static bool two_classes(const TreeSearch *s, const int64_t *total, int64_t which[2])
{
    int64_t found = 0;
    which[0] = which[1] = 0;
    for (int64_t c = 0; c < s->k; c++)
        if (total[c] && found++ < 2) which[found - 1] = c;
    return s->small && found == 2;
}

/* How many parts of a lane stand side by side, and how long they are. */
typedef struct {
    int64_t parts, length;
} Layout;
INLINE Layout layout_of(int64_t m, bool two) { return two ? (Layout){PARTS, (m + PARTS - 1) / PARTS} : (Layout){1, m}; }

/* Write, for each lane, what the scans read of rows but the side. */
static void spread_rows(const TreeSearch *s, Node node, bool two, const int64_t which[2])
{
    Layout to = layout_of(node.m, two);
    for (int64_t c = 0; c < s->f; c++) {
        const int32_t *lane = node.lanes + c * s->n, *rank = s->rank + c * s->n;
        int32_t *value = s->spread + (s->f + c) * (s->n + PARTS), *is_end = value + s->f * (s->n + PARTS);
        for (int64_t part = 0, i = 0; part < to.parts; part++)
            for (int64_t j = part; j < to.length * to.parts; j += to.parts, i++) {
                bool is_row = i < node.m, end = is_row && ends(lane, rank, i, node.m);
                int32_t label = is_row ? s->label[lane[i]] : 0;
                int32_t weight = is_row && two ? (int32_t)s->weight[lane[i]] : 0;
                value[j] = !two ? 2 * label + end : label == which[0] ? weight : -weight;
                is_end[j] = -(int32_t)end;
            }
    }
}

/* Write the number of each row's value in a column, in the order of all lanes. */
static void spread_places(const TreeSearch *s, Node node, int64_t column, bool two)
{
    Layout to = layout_of(node.m, two);
    const int32_t *own = node.lanes + column * s->n, *rank = s->rank + column * s->n;
    int32_t *place = s->place;
    for (int64_t i = 0, value = 0; i < node.m; i++) {
        place[own[i]] = (int32_t)value;
        value += ends(own, rank, i, node.m);
    }
    for (int64_t c = 0; c < s->f; c++) {
        const int32_t *lane = node.lanes + c * s->n;
        int32_t *spread = s->spread + c * (s->n + PARTS);
        for (int64_t part = 0, i = 0; part < to.parts; part++)
            for (int64_t j = part; j < to.length * to.parts; j += to.parts, i++) spread[j] = i < node.m ? place[lane[i]] : 0;
    }
}

/* Rows of a scan: the node, whether it has two classes, and which. */
typedef struct {
    Node node;
    bool two;
    int64_t which[2];
} Scan;

/* The least costs of both sides of a cut of the column that `spread_places` has spread, each a leaf or one more cut; `own` (2, K) are
   the class totals of the sides. The cut sends values up to number `cut` to the left. */
static void cost_of_sides(const TreeSearch *s, const Scan *scan, int32_t cut, const int64_t *own, double cost[2])
{
    int64_t k = s->k, stride = s->n + PARTS, leaf[2], best[2], two[2][2];
    int64_t length = layout_of(scan->node.m, true).length;
    for (int q = 0; q < 2; q++) {
        leaf[q] = errors_of(own + q * k, k), cost[q] = (double)leaf[q] * s->unit + s->penalty;
        two[q][0] = own[q * k + scan->which[0]], two[q][1] = own[q * k + scan->which[1]];
    }
    for (int64_t c = 0; c < s->f; c++) {
        double price = 2 * s->penalty + s->prices[c];
        const int32_t *place = s->spread + c * stride, *value = place + s->f * stride;
        for (int q = 0; q < 2; q++) {
            double most = (cost[q] - price) / s->unit;
            best[q] = most <= 0 ? 0 : lesser(leaf[q], (int64_t)most + 1);
        }
        if (!best[0] && !best[1]) continue;
        if (scan->two) scan_two(place, value, value + s->f * stride, length, cut, two, best);
        else if (s->ones) scan_any(s, scan->node.lanes + c * s->n, place, value, scan->node.m, cut, own, best, true);
        else scan_any(s, scan->node.lanes + c * s->n, place, value, scan->node.m, cut, own, best, false);
        for (int q = 0; q < 2; q++) cost[q] = least_of(cost[q], (double)best[q] * s->unit + price);
    }
}

/* List the cuts of a column of a node: how many rows are before them, and what these weigh. A side costs at least a leaf's penalty. */
static void list_cuts(const TreeSearch *s, Node node, int64_t level, int64_t column)
{
    const int32_t *lane = node.lanes + column * s->n, *rank = s->rank + column * s->n;
    int64_t from = (level * s->f + column) * s->n, found = 0, weight = 0;
    double *before = s->bounds + 3 * from, all = (double)sum_of(node.total, s->k);
    for (int64_t i = 0; i + 1 < node.m; i++) {
        weight += s->weight[lane[i]];
        if (!ends(lane, rank, i, node.m)) continue;
        if (s->cuts && (double)weight * (double)(s->cuts + 1) < (double)(found + 1) * all) continue;
        s->at[from + found] = (int32_t)(i + 1), before[found] = (double)weight * s->unit;
        before[s->n + found] = before[2 * s->n + found] = s->penalty;
        found++;
    }
    s->n_cuts[level * s->f + column] = found;
    s->least[level * s->f + column] = found ? 2 * s->penalty + s->prices[column] : INFINITY;
}

/* Raise the bounds of a column's cuts by lower bounds on what the sides of one of them cost; then the column's least bound. */
static void raise_bounds(const TreeSearch *s, int64_t level, int64_t column, int64_t cut, const double cost[2])
{
    int64_t here = level * s->f + column, n = s->n_cuts[here];
    const double *before = s->bounds + 3 * here * s->n;
    double *restrict left = s->bounds + (3 * here + 1) * s->n, *restrict right = s->bounds + (3 * here + 2) * s->n;
    double own = before[cut], least = INFINITY;
    for (int64_t i = 0; i < cut; i++) {
        left[i] = most_of(left[i], cost[0] - (own - before[i])), right[i] = most_of(right[i], cost[1]);
        least = least_of(least, left[i] + right[i]);
    }
    for (int64_t i = cut; i < n; i++) {
        left[i] = most_of(left[i], cost[0]), right[i] = most_of(right[i], cost[1] - (before[i] - own));
        least = least_of(least, left[i] + right[i]);
    }
    s->least[here] = least + s->prices[column];
}

/* The cut in the middle of the first run of a column's cuts with the least bound; `half` gets half of what the run's rows weigh. */
static int64_t middle_cut(const TreeSearch *s, int64_t level, int64_t column, double *half)
{
    int64_t here = level * s->f + column, n = s->n_cuts[here], first = 0;
    const double *before = s->bounds + 3 * here * s->n, *left = before + s->n, *right = left + s->n;
    double least = s->least[here];
    while (first + 1 < n && left[first] + right[first] + s->prices[column] > least) first++;
    int64_t last = first;
    while (last + 1 < n && left[last + 1] + right[last + 1] + s->prices[column] <= least) last++;
    *half = (before[last] - before[first]) / 2;
    return (first + last) / 2;
}

/* Add up the classes (2, K) of both sides of a cut after `at` rows of a lane. */
static void sides_of_cut(const TreeSearch *s, Node node, int64_t column, int64_t at, int64_t *own)
{
    const int32_t *lane = node.lanes + column * s->n;
    for (int64_t c = 0; c < s->k; c++) own[c] = 0;
    for (int64_t i = 0; i < at; i++) own[s->label[lane[i]]] += s->weight[lane[i]];
    for (int64_t c = 0; c < s->k; c++) own[s->k + c] = node.total[c] - own[c];
}

/* The lanes of both sides of a cut after `at` rows of a lane, in the room of a level. */
static void divide(const TreeSearch *s, int64_t level, Node node, int64_t column, int64_t at, Node sides[2])
{
    const int32_t *own = node.lanes + column * s->n;
    int32_t *to = s->lanes + level * s->f * s->n, *right = s->place;
    for (int64_t i = 0; i < node.m; i++) right[own[i]] = i >= at;
    for (int64_t c = 0; c < s->f; c++) {
        const int32_t *lane = node.lanes + c * s->n;
        int32_t *next[2] = {to + c * s->n, to + c * s->n + at};
        for (int64_t i = 0; i < node.m; i++) *next[right[lane[i]]]++ = lane[i];
    }
    sides[0].lanes = to, sides[0].m = at;
    sides[1].lanes = to + at, sides[1].m = node.m - at;
}

/* The least cost of a leaf or one cut; the plan of it. */
static double depth_one(const TreeSearch *s, Node node, int32_t *plan)
{
    int64_t k = s->k, *seen = s->seen, leaf = errors_of(node.total, k);
    double cost = (double)leaf * s->unit + s->penalty;
    write_leaf(plan);
    for (int64_t c = 0; c < s->f; c++) {
        const int32_t *lane = node.lanes + c * s->n, *rank = s->rank + c * s->n;
        double price = 2 * s->penalty + s->prices[c];
        for (int64_t i = 0; i < 2 * k; i++) seen[i] = 0;
        for (int64_t i = 0; i + 1 < node.m; i++) {
            seen[s->label[lane[i]]] += s->weight[lane[i]];
            if (!ends(lane, rank, i, node.m)) continue;
            double own = (double)errors_of_cut(seen, seen + k, node.total, k) * s->unit + price;
            if (own < cost) cost = own, plan[0] = (int32_t)c, plan[1] = rank[lane[i]];
        }
    }
    return cost;
}

/* Write the plan of the best tree of depth two that begins with a cut. */
static void write_depth_two(const TreeSearch *s, Node node, int64_t column, int64_t at)
{
    int32_t *plan = plan_at(s->best, 2);
    int64_t *own = s->totals;
    Node sides[2] = {{.total = own}, {.total = own + s->k}};
    sides_of_cut(s, node, column, at, own);
    divide(s, 0, node, column, at, sides);
    plan[0] = (int32_t)column, plan[1] = s->rank[column * s->n + sides[0].lanes[column * s->n + at - 1]];
    for (int q = 0; q < 2; q++) depth_one(s, sides[q], plan + 2 * (1 + q));
}

/* The least cost of two cuts or more that is below `upper`, and its plan; otherwise a bound. `first` (f,) are bounds by first column. */
static double depth_two(const TreeSearch *s, Node node, double upper, double *first, bool *found)
{
    Scan scan = {.node = node};
    double least = INFINITY, half, cost[2];
    int64_t column = -1, at = 0, *own = s->totals;
    scan.two = two_classes(s, node.total, scan.which);
    spread_rows(s, node, scan.two, scan.which);
    for (int64_t c = 0; c < s->f; c++) {
        if (first[c] < upper) {
            list_cuts(s, node, 0, c);
            if (s->n_cuts[c]) spread_places(s, node, c, scan.two);
            while (s->least[c] < upper && !stopped(s)) {
                int64_t cut = middle_cut(s, 0, c, &half), rows = s->at[c * s->n + cut];
                const int32_t *lane = node.lanes + c * s->n;
                sides_of_cut(s, node, c, rows, own);
                cost_of_sides(s, &scan, s->place[lane[rows - 1]], own, cost);
                double sum = cost[0] + cost[1] + s->prices[c];
                if (sum < upper) upper = sum, column = c, at = rows;
                raise_bounds(s, 0, c, cut, cost);
            }
            first[c] = most_of(first[c], s->least[c]);
        }
        least = least_of(least, first[c]);
    }
    *found = column >= 0;
    if (*found) write_depth_two(s, node, column, at);
    return *found ? upper : least;
}

/* What the rows of a set weigh that are not in another one. */
INLINE int64_t weight_of_others(const TreeSearch *s, const uint64_t *set, const uint64_t *other)
{
    int64_t sum = 0;
    for (int64_t word = 0; word < s->words; word++) {
        uint64_t left = set[word] & ~other[word];
        if (s->ones) sum += (int64_t)ones_in(left);
        for (; left && !s->ones; left &= left - 1) sum += s->weight[64 * word + (int64_t)ones_in((left & -left) - 1)];
    }
    return sum;
}

/* A lower bound on what trees of a set cost, by the last sets that were searched: a set costs less by at most the weight of its rows that
   this one lacks. `first` (f,) gets bounds by first column: a cut of it in the other set may need the leaves of a whole tree. */
static double similar(const TreeSearch *s, int64_t level, const uint64_t *set, const int64_t *total, double *first)
{
    int64_t n = lesser(s->n_kept[level], s->n_sets), width = 1 + s->k + s->f;
    double best = 0, more_leaves = s->penalty * (double)((int64_t)1 << (level + 2));
    for (int64_t c = 0; c < s->f; c++) first[c] = 0;
    for (int64_t each = 0; each < n; each++) {
        const double *own = s->kept + (level * s->n_sets + each) * width, *columns = own + 1 + s->k;
        const uint64_t *other = s->kept_sets + (level * s->n_sets + each) * s->words;
        double more = 0;
        for (int64_t c = 0; c < s->k; c++) more += most_of(own[1 + c] - (double)total[c] * s->unit, 0);
        if (own[0] - more <= best) continue;
        double less = (double)weight_of_others(s, other, set) * s->unit;
        best = most_of(best, own[0] - less);
        for (int64_t c = 0; c < s->f && s->by_first; c++) first[c] = most_of(first[c], columns[c] - less - more_leaves);
    }
    return best;
}

/* Keep a set and its bounds in place of the oldest. A column that divides no row of the set may divide others: then the bound of all. */
static void keep(const TreeSearch *s, int64_t level, const uint64_t *set, const int64_t *total, double cost, const double *first)
{
    int64_t at = level * s->n_sets + s->n_kept[level]++ % s->n_sets;
    double *own = s->kept + at * (1 + s->k + s->f);
    own[0] = cost;
    for (int64_t c = 0; c < s->k; c++) own[1 + c] = (double)total[c] * s->unit;
    for (int64_t c = 0; c < s->f; c++) own[1 + s->k + c] = first[c] < INFINITY ? first[c] : cost;
    __builtin_memcpy(s->kept_sets + at * s->words, set, (size_t)s->words * sizeof *set);
}

static double solve(const TreeSearch *s, int64_t depth, Node node, double upper, double *first, bool *found);

/* A cut of a node with its sides, and lower bounds on what these cost. */
typedef struct {
    int64_t column, cut, at;
    double half, cost[2];
    Node sides[2];
} NodeCut;

/* Describe the cut of a column to look at next: its sides but for their lanes, with the bounds known so far. */
static NodeCut next_cut(const TreeSearch *s, int64_t level, Node node, int64_t column)
{
    NodeCut next = {.column = column};
    int64_t here = level * s->f + column, *total = s->totals + 2 * level * s->k;
    uint64_t *set = s->sets + 2 * level * s->words;
    const int32_t *lane = node.lanes + column * s->n;
    next.cut = middle_cut(s, level, column, &next.half), next.at = s->at[here * s->n + next.cut];
    sides_of_cut(s, node, column, next.at, total);
    __builtin_memset(set, 0, (size_t)s->words * sizeof *set);
    for (int64_t i = 0; i < next.at; i++) set[lane[i] >> 6] |= (uint64_t)1 << (lane[i] & 63);
    for (int64_t word = 0; word < s->words; word++) set[s->words + word] = node.set[word] & ~set[word];
    for (int64_t q = 0; q < 2; q++) {
        next.sides[q] = (Node){NULL, 0, total + q * s->k, set + q * s->words};
        double known = s->bounds[(3 * here + 1 + q) * s->n + next.cut];
        double *first = s->firsts + (2 * level + q) * s->f;
        next.cost[q] = most_of(known, similar(s, level - 1, next.sides[q].set, next.sides[q].total, first));
    }
    return next;
}

/* Find what the sides of a cut cost, the larger one first, as far as the sum can be below `upper`; whether it is.

   Bounds are looked for up to `half` above what is needed, since the excess excludes neighbouring cuts. */
static bool solve_sides(const TreeSearch *s, int64_t depth, NodeCut *cut, double upper)
{
    int64_t level = depth - 2, q = sum_of(cut->sides[1].total, s->k) > sum_of(cut->sides[0].total, s->k), size = plan_size(depth - 1);
    int32_t *trial = plan_at(s->trial, depth);
    for (int turn = 0; turn < 2; turn++, q = !q) {
        double needed = upper - s->prices[cut->column] - cut->cost[!q], *first = s->firsts + (2 * level + q) * s->f;
        if (cut->cost[q] >= needed) return false;
        bool found;
        double cost = solve(s, depth - 1, cut->sides[q], needed + cut->half, first, &found);
        if (stopped(s)) return false;
        cut->cost[q] = most_of(cut->cost[q], cost);
        keep(s, level - 1, cut->sides[q].set, cut->sides[q].total, cut->cost[q], first);
        if (cut->cost[q] >= needed) return false;
        __builtin_memcpy(trial + 2 * (1 + q * size), plan_at(s->best, depth - 1), (size_t)(2 * size) * sizeof *trial);
    }
    return true;
}

/* The column with the least bound below `upper`, or -1; `least` gets the least bound of all columns. */
static int64_t next_column(const TreeSearch *s, int64_t level, const double *first, double upper, double *least)
{
    int64_t f = s->f, chosen = -1;
    const double *own = s->least + level * f;
    *least = INFINITY;
    for (int64_t c = 0; c < f; c++) {
        double bound = most_of(own[c], first[c]);
        if (bound < upper && bound < *least) chosen = c;
        *least = least_of(*least, bound);
    }
    return chosen;
}

/* As `depth_two`, for more levels. */
static double deeper(const TreeSearch *s, int64_t depth, Node node, double upper, double *first, bool *found)
{
    int64_t level = depth - 2, column, f = s->f;
    int32_t *plan = plan_at(s->best, depth), *trial = plan_at(s->trial, depth);
    bool is_root = depth == s->deepest;
    double least;
    for (int64_t c = 0; c < f; c++) list_cuts(s, node, level, c);
    *found = false;
    while ((column = next_column(s, level, first, upper, &least)) >= 0) {
        if (is_root && !s->cuts) s->known[1] = least_of(least, upper);
        NodeCut cut = next_cut(s, level, node, column);
        if (cut.cost[0] + cut.cost[1] + s->prices[column] < upper) {
            divide(s, level, node, column, cut.at, cut.sides);
            if (solve_sides(s, depth, &cut, upper)) {
                upper = cut.cost[0] + cut.cost[1] + s->prices[column], *found = true;
                trial[0] = (int32_t)column;
                trial[1] = s->rank[column * s->n + node.lanes[column * s->n + cut.at - 1]];
                __builtin_memcpy(plan, trial, (size_t)(2 * plan_size(depth)) * sizeof *plan);
                if (is_root) s->known[0] = upper;
            }
            if (stopped(s)) break;
        }
        raise_bounds(s, level, column, cut.cut, cut.cost);
    }
    for (int64_t c = 0; c < f; c++) first[c] = most_of(first[c], s->least[level * f + c]);
    return *found ? upper : least;
}

/* The least cost of a tree that is below `upper`, and its plan; otherwise a lower bound, which is at least `upper`. */
static double solve(const TreeSearch *s, int64_t depth, Node node, double upper, double *first, bool *found)
{
    double leaf = (double)errors_of(node.total, s->k) * s->unit + s->penalty, cost;
    int32_t *plan = plan_at(s->best, depth);
    s->known[2]++;
    *found = leaf < upper;
    if (!depth || leaf <= 2 * s->penalty) {
        write_leaf(plan);
        return leaf;
    }
    if (depth == 1) {
        cost = depth_one(s, node, plan), *found = cost < upper;
        return cost;
    }
    bool split;
    cost = depth == 2 ? depth_two(s, node, least_of(leaf, upper), first, &split)
                      : deeper(s, depth, node, least_of(leaf, upper), first, &split);
    if (!split) write_leaf(plan);
    *found |= split;
    return split ? cost : leaf < upper ? leaf : least_of(leaf, cost);
}

/* Search the cuts of a table for a tree that costs less than `known[0]`, which becomes its cost; 1 if there is one, plus 2 at a stop.

   `order` (f, n) are the rows of each column by value, `set` has all rows, `total` (K,) their classes, `depth` may be 0, and `cuts`
   restricts each node to that many cuts a column, 0 for all; only these prove the bound `known[1]`. `known[2]` counts states up to
   `known[3]`. `best` gets the plan of the tree: a column, -1 for a leaf, and the highest rank on the left, for the node, then its
   children; that of depth d begins after those of all lower depths. The rest is room for l levels, l = depth - 1 or 1. */
FTREE_API int64_t ftree_sorted_tree(const int32_t *rank, const int32_t *order, const int32_t *label, const int64_t *weight,
                                    const double *prices, const int64_t *total, const uint64_t *set, double unit, double penalty,
                                    int64_t depth, int64_t cuts, const int64_t *stop, double *known, int32_t *best, int32_t *trial,
                                    int32_t *lanes, int32_t *at, int32_t *place, int32_t *spread, double *bounds, double *least,
                                    double *first, double *firsts, int64_t *n_cuts, int64_t *totals, int64_t *seen, uint64_t *sets,
                                    uint64_t *kept_sets, double *kept, int64_t *n_kept, int64_t f, int64_t n, int64_t k, int64_t w,
                                    int64_t p, int64_t l, int64_t r, int64_t e, int64_t v)
{
    TreeSearch s = {rank, label, weight, prices, unit, penalty, n, f, k, w, e, cuts, depth, true, false, true,
                    lanes, at, place, spread, best, trial, bounds, least, firsts, kept, n_cuts, totals, seen, n_kept, sets,
                    kept_sets, known, stop};
    int64_t sum = 0;
    bool found;
    for (int64_t i = 0; i < n; i++) sum += weight[i], s.ones &= weight[i] == 1;
    for (int64_t c = 0; c < f; c++) s.by_first &= prices[c] == 0, first[c] = 0;
    for (int64_t level = 0; level < l; level++) n_kept[level] = 0;
    s.small = sum < FAR / 2;
    (void)p, (void)r, (void)v;
    double cost = solve(&s, depth, (Node){order, n, total, set}, known[0], first, &found);
    bool ended = stopped(&s);
    if (found) known[0] = cost;
    if (!ended && !cuts) known[1] = least_of(known[0], cost);
    return found + 2 * ended;
}

/* An optimal tree, by errors, among all cuts between different values of sorted columns: branch and bound over
   intervals of cuts.

   A cut sends the rows of a column's lower values to the left. With D(S, d) for the least cost of trees of rows S
   with d levels:

       D(S, d) = least of leaf(S) and price(c) + D(L, d - 1) + D(R, d - 1), over every column c and its cuts into L and R

       solve(S, d, upper):                                    the best tree below `upper`, or a lower bound
         list all cuts of all columns, each with lower bounds on its sides
         while a column has a cut whose bounds add up to less than `upper`:
           take the column with the least such sum, and the middle one of its first cuts with this sum
           raise the bounds of this cut by similar sets           `bound_by_similar`
           if they still are below: solve both sides              `solve_sides`
           if both are solved: this is the best tree so far, and its cost the new `upper`
           raise the bounds of all cuts of the column by those of this cut             `raise_bounds`

   The bounds follow from two lemmas, which docs/explanation/sorted_trees.md proves. If S is a part of T, then

       more rows cost no less:          D(S, d) <= D(T, d)
       fewer rows save their weight:    D(T, d) <= D(S, d) + weight(T without S)

   One node of each depth is being divided at a time: its cuts, and both sides of the cut that is being solved, are those
   of a `Level`. Trees of two levels are found by `second_cuts.c`.

   Source: Brita, van der Linden & Demirovic 2025 (ConTree); the bounds by column are our own. */
#include "sorted_trees.h"
#include "memory.h"

/* ---- Plans: two numbers for each node, its column, -1 for a leaf, and the highest rank on the left; then the plans of
   both sides */

INLINE int64_t plan_size(int64_t depth) { return ((int64_t)1 << depth) - 1; }
/* The nodes before the plan of a depth: those of the plans of all lower depths. A leaf alone has a node, too. */
INLINE int64_t plan_begin(int64_t depth) { return ((int64_t)1 << depth) - 1 - depth; }
INLINE int64_t plans_size(int64_t depth) { return plan_begin(depth + 1) + (depth == 0); }
INLINE int32_t *plan_at(int32_t *plans, int64_t depth) { return plans + 2 * plan_begin(depth); }

/* ---- What a search works on. Python makes the memory, and `lay_out` below is all that divides it. */

/* A tree has no more levels than MOST_DEPTH, and the last MOST_KEPT sets of rows of each level are kept, to bound similar ones. */
enum { MOST_DEPTH = 20, MOST_KEPT = 512 };

INLINE int64_t n_levels(int64_t depth) { return depth > 1 ? depth - 1 : 0; }

/* The cuts of a node, in the order of each column's values: `n` of the places for a column hold one. */
typedef struct {
    int64_t *n;     /* (f,) */
    int32_t *at;    /* (f, n): the rows on the left */
    double *bounds; /* (f, 3, n): what these weigh, and lower bounds on what the left and the right side cost */
    double *least;  /* (f,): what the cheapest cut costs at least, its price included */
} CutsOfNode;

/* Both sides of the cut that is being solved. */
typedef struct {
    int32_t *lanes;    /* (f, n): the left rows first */
    int64_t *totals;   /* (2, K) */
    uint64_t *sets;    /* (2, W) */
    double *by_column; /* (2, f): bounds on the trees that begin with a cut of a column */
} SidesOfCut;

/* The last sets of rows of as many levels as a side that were searched. */
typedef struct {
    int64_t *n;      /* (1,): of all sets so far; the last MOST_KEPT are here */
    uint64_t *sets;  /* (MOST_KEPT, W) */
    double *numbers; /* (MOST_KEPT, 1 + K + f): the bound of each, its classes, and its bounds by column, in costs */
} KeptSets;

/* What a level needs: level l is of the one node of l + 2 levels that is being divided. */
typedef struct {
    CutsOfNode cuts;
    SidesOfCut sides;
    KeptSets kept;
} Level;

/* A search: the table, where each node has at most so many `cuts` a column (0: any number), and what it works on. */
typedef struct {
    RankedTable table;
    int64_t words, cuts, deepest; /* `words` of a set of rows */
    bool bounds_columns;          /* whether sets have bounds by column */
    volatile TreesKnown *known;
    const volatile int64_t *stop;
    int32_t *best, *trial; /* plans: of the best trees, and of the first side while the second one is solved */
    double *by_column;     /* (f,): the bounds of the root */
    ScanMemory scan;
    Level levels[MOST_DEPTH];
} TreeSearch;

static void lay_out_level(const RankedTable *t, int64_t words, Memory *memory, Level *level)
{
    const int64_t f = t->f, n = t->n, k = t->k;
    level->cuts.n = take(memory, f, sizeof(int64_t));
    level->cuts.at = take(memory, f * n, sizeof(int32_t));
    level->cuts.bounds = take(memory, f * 3 * n, sizeof(double));
    level->cuts.least = take(memory, f, sizeof(double));
    level->sides.lanes = take(memory, f * n, sizeof(int32_t));
    level->sides.totals = take(memory, 2 * k, sizeof(int64_t));
    level->sides.sets = take(memory, 2 * words, sizeof(uint64_t));
    level->sides.by_column = take(memory, 2 * f, sizeof(double));
    level->kept.n = take(memory, 1, sizeof(int64_t));
    level->kept.sets = take(memory, MOST_KEPT * words, sizeof(uint64_t));
    level->kept.numbers = take(memory, MOST_KEPT * (1 + k + f), sizeof(double));
}

/* Divide memory for a search of a table and a depth, and return how many words it takes. */
static int64_t lay_out(TreeSearch *s, int64_t depth, uint64_t *words)
{
    const RankedTable *t = &s->table;
    Memory memory = {words, 0};
    s->words = (t->n + 63) / 64;
    s->deepest = depth;
    s->trial = take(&memory, 2 * plans_size(depth), sizeof(int32_t));
    s->by_column = take(&memory, t->f, sizeof(double));
    s->scan.place = take(&memory, t->n, sizeof(int32_t));
    s->scan.spread = take(&memory, 3 * t->f * (t->n + PARTS), sizeof(int32_t));
    s->scan.seen = take(&memory, 4 * t->k, sizeof(int64_t));
    for (int64_t level = 0; level < n_levels(depth); level++) lay_out_level(t, s->words, &memory, s->levels + level);
    return memory.n_taken;
}

/* A tree that costs less than required, whose plan is in `best`; or a lower bound on all trees. */
typedef struct {
    double cost;
    bool found;
} Answer;

/* Whether the search must end: a stop was asked for, or there were too many states. */
INLINE bool stopped(const TreeSearch *s) { return *s->stop || s->known->states > s->known->most_states; }

INLINE void write_leaf(int32_t *plan)
{
    plan[0] = -1;
    plan[1] = 0;
}
INLINE void write_cut(const RankedTable *t, RowsOfNode node, int64_t column, int64_t at, int32_t *plan)
{
    plan[0] = (int32_t)column;
    plan[1] = t->rank[column * t->n + node.lanes[column * t->n + at - 1]];
}

/* ---- The cuts of a column at a node, in the order of its values */

typedef struct {
    int32_t *at;
    double *before, *left, *right, *least, price;
    int64_t *n;
} Cuts;

INLINE Cuts cuts_of(const TreeSearch *s, int64_t level, int64_t column)
{
    const CutsOfNode *cuts = &s->levels[level].cuts;
    const int64_t n = s->table.n;
    double *own = cuts->bounds + 3 * column * n;
    return (Cuts){cuts->at + column * n, own, own + n, own + 2 * n, cuts->least + column, s->table.prices[column],
                  cuts->n + column};
}

/* List all cuts, or in a first search those at so many equal shares of the rows. A side costs at least a leaf's penalty. */
static void list_cuts(const TreeSearch *s, RowsOfNode node, int64_t column, Cuts cuts)
{
    const RankedTable *t = &s->table;
    const int32_t *lane = node.lanes + column * t->n;
    const int32_t *rank = t->rank + column * t->n;
    int64_t found = 0, weight = 0;
    double all = (double)sum_of(node.total, t->k);
    for (int64_t i = 0; i + 1 < node.m; i++) {
        weight += t->weight[lane[i]];
        if (!ends(lane, rank, i, node.m)) continue;
        if (s->cuts && (double)weight * (double)(s->cuts + 1) < (double)(found + 1) * all) continue;
        cuts.at[found] = (int32_t)(i + 1);
        cuts.before[found] = (double)weight * t->unit;
        cuts.left[found] = cuts.right[found] = t->penalty;
        found++;
    }
    *cuts.n = found;
    *cuts.least = found ? 2 * t->penalty + cuts.price : INFINITY;
}

/* Raise the bounds of a column's cuts by `cost`, which the sides of one of them cost at least; then the column's least
   bound.

   Of a cut further left, the right side has more rows than that of this one, so it costs no less; the left side
   lacks the rows between the cuts, so it saves at most their weight. Of a cut further right, the sides change their
   parts. */
static void raise_bounds(Cuts cuts, int64_t cut, const double cost[2])
{
    int64_t n = *cuts.n;
    const double *before = cuts.before;
    double *restrict left = cuts.left, *restrict right = cuts.right;
    double own = before[cut], least = INFINITY;
    for (int64_t i = 0; i < cut; i++) {
        left[i] = most_of(left[i], cost[0] - (own - before[i]));
        right[i] = most_of(right[i], cost[1]);
        least = least_of(least, left[i] + right[i]);
    }
    for (int64_t i = cut; i < n; i++) {
        left[i] = most_of(left[i], cost[0]);
        right[i] = most_of(right[i], cost[1] - (before[i] - own));
        least = least_of(least, left[i] + right[i]);
    }
    *cuts.least = least + cuts.price;
}

/* The cut in the middle of the first run of cuts with the least bound; `half` gets half of what the rows of the run weigh. */
static int64_t middle_cut(Cuts cuts, double *half)
{
    int64_t first = 0;
    while (first + 1 < *cuts.n && cuts.left[first] + cuts.right[first] + cuts.price > *cuts.least) first++;
    int64_t last = first;
    while (last + 1 < *cuts.n && cuts.left[last + 1] + cuts.right[last + 1] + cuts.price <= *cuts.least) last++;
    *half = (cuts.before[last] - cuts.before[first]) / 2;
    return (first + last) / 2;
}

/* ---- The sides of a cut after `at` rows of a lane */

/* Add up the classes (2, K) of both sides. */
static void total_sides(const RankedTable *t, RowsOfNode node, int64_t column, int64_t at, int64_t *own)
{
    const int32_t *lane = node.lanes + column * t->n;
    for (int64_t c = 0; c < t->k; c++) own[c] = 0;
    for (int64_t i = 0; i < at; i++) own[t->label[lane[i]]] += t->weight[lane[i]];
    for (int64_t c = 0; c < t->k; c++) own[t->k + c] = node.total[c] - own[c];
}

/* Write the lanes of both sides in the room of a level. */
static void divide(const TreeSearch *s, int64_t level, RowsOfNode node, int64_t column, int64_t at, RowsOfNode sides[2])
{
    int64_t f = s->table.f, n = s->table.n;
    const int32_t *own = node.lanes + column * n;
    int32_t *to = s->levels[level].sides.lanes;
    int32_t *right = s->scan.place;
    for (int64_t i = 0; i < node.m; i++) right[own[i]] = i >= at;
    for (int64_t c = 0; c < f; c++) {
        const int32_t *lane = node.lanes + c * n;
        int32_t *next[2] = {to + c * n, to + c * n + at};
        for (int64_t i = 0; i < node.m; i++) *next[right[lane[i]]]++ = lane[i];
    }
    sides[0].lanes = to;
    sides[0].m = at;
    sides[1].lanes = to + at;
    sides[1].m = node.m - at;
}

/* ---- Bounds by similar sets */

/* The bound of a set that was searched, its classes, and its bounds by column, in costs. */
typedef struct {
    uint64_t *set;
    double *cost, *total, *by_column;
} KeptSet;

INLINE KeptSet kept_set(const TreeSearch *s, int64_t level, int64_t place)
{
    const KeptSets *kept = &s->levels[level].kept;
    double *own = kept->numbers + place * (1 + s->table.k + s->table.f);
    return (KeptSet){kept->sets + place * s->words, own, own + 1, own + 1 + s->table.k};
}

/* What the rows of a set weigh that are not in another one. */
INLINE int64_t weight_of_others(const TreeSearch *s, const uint64_t *set, const uint64_t *other)
{
    int64_t sum = 0;
    for (int64_t word = 0; word < s->words; word++) {
        uint64_t left = set[word] & ~other[word];
        if (s->table.ones) sum += (int64_t)ones_in(left);
        for (; left && !s->table.ones; left &= left - 1) sum += s->table.weight[64 * word + lowest_one(left)];
    }
    return sum;
}

/* A lower bound on what trees of a node cost, by the last sets that were searched; `by_column` (f,) gets bounds by
   first cuts.

   The rows of a kept set that this node lacks save at most their weight. Where columns cost nothing, this holds for
   the trees that begin with a cut of one column, too. But a cut that divides this node may not divide the kept set;
   another cut of that column does, with the subtree of the kept set's side on both of its own sides. It has at most the
   leaves of that subtree more, half of those that a whole tree may have. */
static double bound_by_similar(const TreeSearch *s, int64_t level, RowsOfNode node, double *by_column)
{
    const RankedTable *t = &s->table;
    double best = 0;
    double more_leaves = t->penalty * (double)((int64_t)1 << (level + 1));
    for (int64_t c = 0; c < t->f; c++) by_column[c] = 0;
    for (int64_t each = 0; each < lesser(*s->levels[level].kept.n, MOST_KEPT); each++) {
        KeptSet kept = kept_set(s, level, each);
        double more = 0; /* by classes alone, the kept set has at least so much weight that this node lacks */
        for (int64_t c = 0; c < t->k; c++) more += most_of(kept.total[c] - (double)node.total[c] * t->unit, 0);
        if (*kept.cost - more <= best) continue;
        double less = (double)weight_of_others(s, kept.set, node.set) * t->unit;
        best = most_of(best, *kept.cost - less);
        for (int64_t c = 0; c < t->f && s->bounds_columns; c++)
            by_column[c] = most_of(by_column[c], kept.by_column[c] - less - more_leaves);
    }
    return best;
}

/* Keep a node's bounds in place of the oldest. A column that divides no row of it may divide those of others: then the
   bound of all. */
static void keep(const TreeSearch *s, int64_t level, RowsOfNode node, double cost, const double *by_column)
{
    const RankedTable *t = &s->table;
    KeptSet to = kept_set(s, level, (*s->levels[level].kept.n)++ % MOST_KEPT);
    *to.cost = cost;
    for (int64_t c = 0; c < t->k; c++) to.total[c] = (double)node.total[c] * t->unit;
    for (int64_t c = 0; c < t->f; c++) to.by_column[c] = by_column[c] < INFINITY ? by_column[c] : cost;
    __builtin_memcpy(to.set, node.set, (size_t)s->words * sizeof *to.set);
}

/* ---- Two levels: column by column, since a scan is prepared for one column of first cuts */

/* Write the plan of the best tree that begins with a cut. */
static void write_two_levels(const TreeSearch *s, RowsOfNode node, int64_t column, int64_t at)
{
    const RankedTable *t = &s->table;
    int32_t *plan = plan_at(s->best, 2);
    int64_t *totals = s->levels[0].sides.totals;
    RowsOfNode sides[2] = {{.total = totals}, {.total = totals + t->k}};
    total_sides(t, node, column, at, totals);
    write_cut(t, node, column, at, plan);
    divide(s, 0, node, column, at, sides);
    for (int q = 0; q < 2; q++) ftree_best_cut(t, sides[q], s->scan.seen, plan + 2 * (1 + q));
}

/* The best tree of two or three cuts below `upper`; `by_column` (f,) are raised to what trees by first column cost at
   least. */
static Answer two_levels(const TreeSearch *s, RowsOfNode node, double upper, double *by_column)
{
    const RankedTable *t = &s->table;
    SecondScan scan = {.table = t, .node = node, .memory = s->scan};
    int64_t *totals = s->levels[0].sides.totals;
    double least = INFINITY, half, cost[2];
    int64_t column = -1, at = 0;
    ftree_begin_scan(&scan);
    for (int64_t c = 0; c < t->f; c++) {
        if (by_column[c] < upper) {
            Cuts cuts = cuts_of(s, 0, c);
            list_cuts(s, node, c, cuts);
            if (*cuts.n) ftree_scan_first_column(&scan, c);
            while (*cuts.least < upper && !stopped(s)) {
                int64_t cut = middle_cut(cuts, &half);
                int64_t rows = cuts.at[cut];
                total_sides(t, node, c, rows, totals);
                ftree_costs_of_sides(&scan, s->scan.place[node.lanes[c * t->n + rows - 1]], totals, cost);
                double sum = cost[0] + cost[1] + cuts.price;
                if (sum < upper) {
                    upper = sum;
                    column = c;
                    at = rows;
                }
                raise_bounds(cuts, cut, cost);
            }
            by_column[c] = most_of(by_column[c], *cuts.least);
        }
        least = least_of(least, by_column[c]);
    }
    if (column < 0) return (Answer){least, false};
    write_two_levels(s, node, column, at);
    return (Answer){upper, true};
}

/* ---- More levels */

static Answer solve(const TreeSearch *s, int64_t depth, RowsOfNode node, double upper, double *by_column);

/* A cut of a node, with its sides and lower bounds on what these cost; `half` is half the weight of the cuts that it
   may exclude. */
typedef struct {
    int64_t column, cut, at;
    double half, cost[2];
    RowsOfNode sides[2];
    double *by_column[2];
} NodeCut;

/* The cut of a column to look at next: its sides but for their lanes, with the bounds known so far. */
static NodeCut next_cut(const TreeSearch *s, int64_t level, RowsOfNode node, int64_t column)
{
    const RankedTable *t = &s->table;
    Cuts cuts = cuts_of(s, level, column);
    NodeCut next = {.column = column};
    const SidesOfCut *sides = &s->levels[level].sides;
    uint64_t *set = sides->sets;
    const int32_t *lane = node.lanes + column * t->n;
    next.cut = middle_cut(cuts, &next.half);
    next.at = cuts.at[next.cut];
    total_sides(t, node, column, next.at, sides->totals);
    __builtin_memset(set, 0, (size_t)s->words * sizeof *set);
    for (int64_t i = 0; i < next.at; i++) set[lane[i] >> 6] |= (uint64_t)1 << (lane[i] & 63);
    for (int64_t word = 0; word < s->words; word++) set[s->words + word] = node.set[word] & ~set[word];
    for (int64_t q = 0; q < 2; q++) {
        next.sides[q] = (RowsOfNode){NULL, 0, sides->totals + q * t->k, set + q * s->words};
        next.by_column[q] = sides->by_column + q * t->f;
        double known = (q ? cuts.right : cuts.left)[next.cut];
        next.cost[q] = most_of(known, bound_by_similar(s, level - 1, next.sides[q], next.by_column[q]));
    }
    return next;
}

/* Solve the sides of a cut, the heavier one first, until their bounds and the price add up to `upper`; whether the sum
   stays below.

   A side is searched a little above what is needed, so that one cut that fails excludes its neighbours too. A side that
   costs at least `needed` excludes its cut. A cut that differs from it by rows of weight w may cost less, by at most w
   (`raise_bounds`). So the limit is `needed` + `half`, where `half` is half of what the rows of the run of cuts weigh
   (`middle_cut`): a side that costs even that much excludes all cuts that differ by rows of weight up to `half`, which
   are about all cuts of the run. */
static bool solve_sides(const TreeSearch *s, int64_t depth, NodeCut *cut, double upper)
{
    int64_t k = s->table.k;
    int64_t q = sum_of(cut->sides[1].total, k) > sum_of(cut->sides[0].total, k);
    int64_t size = plan_size(depth - 1);
    int32_t *trial = plan_at(s->trial, depth);
    for (int turn = 0; turn < 2; turn++, q = !q) {
        double needed = upper - s->table.prices[cut->column] - cut->cost[!q];
        if (cut->cost[q] >= needed) return false;
        Answer answer = solve(s, depth - 1, cut->sides[q], needed + cut->half, cut->by_column[q]);
        if (stopped(s)) return false;
        cut->cost[q] = most_of(cut->cost[q], answer.cost);
        keep(s, depth - 3, cut->sides[q], cut->cost[q], cut->by_column[q]);
        if (cut->cost[q] >= needed) return false;
        __builtin_memcpy(trial + 2 * (1 + q * size), plan_at(s->best, depth - 1), (size_t)(2 * size) * sizeof *trial);
    }
    return true;
}

/* The column with the least bound below `upper`, or -1; `least` gets the least bound of all columns. */
static int64_t next_column(const TreeSearch *s, int64_t level, const double *by_column, double upper, double *least)
{
    int64_t chosen = -1;
    *least = INFINITY;
    for (int64_t c = 0; c < s->table.f; c++) {
        double bound = most_of(*cuts_of(s, level, c).least, by_column[c]);
        if (bound < upper && bound < *least) chosen = c;
        *least = least_of(*least, bound);
    }
    return chosen;
}

/* As `two_levels`, for more. At the root, costs and bounds are told as they improve. */
static Answer more_levels(const TreeSearch *s, int64_t depth, RowsOfNode node, double upper, double *by_column)
{
    int64_t level = depth - 2, f = s->table.f, column;
    int32_t *plan = plan_at(s->best, depth);
    int32_t *trial = plan_at(s->trial, depth);
    bool is_root = depth == s->deepest;
    bool found = false;
    double least;
    for (int64_t c = 0; c < f; c++) list_cuts(s, node, c, cuts_of(s, level, c));
    while ((column = next_column(s, level, by_column, upper, &least)) >= 0) {
        double price = s->table.prices[column];
        if (is_root && !s->cuts) s->known->bound = least;
        NodeCut cut = next_cut(s, level, node, column);
        if (cut.cost[0] + cut.cost[1] + price < upper) {
            divide(s, level, node, column, cut.at, cut.sides);
            if (solve_sides(s, depth, &cut, upper)) {
                upper = cut.cost[0] + cut.cost[1] + price;
                found = true;
                write_cut(&s->table, node, column, cut.at, trial);
                __builtin_memcpy(plan, trial, (size_t)(2 * plan_size(depth)) * sizeof *plan);
                if (is_root) s->known->cost = upper;
            }
            if (stopped(s)) break;
        }
        raise_bounds(cuts_of(s, level, column), cut.cut, cut.cost);
    }
    for (int64_t c = 0; c < f; c++) by_column[c] = most_of(by_column[c], *cuts_of(s, level, c).least);
    return (Answer){found ? upper : least, found};
}

/* The best tree of a node that costs less than `upper`, or a lower bound. */
static Answer solve(const TreeSearch *s, int64_t depth, RowsOfNode node, double upper, double *by_column)
{
    double leaf = leaf_cost(&s->table, node.total);
    int32_t *plan = plan_at(s->best, depth);
    s->known->states++;
    write_leaf(plan);
    if (!depth || leaf <= 2 * s->table.penalty) return (Answer){leaf, leaf < upper}; /* two leaves would cost no less */
    if (depth == 1) {
        double cost = ftree_best_cut(&s->table, node, s->scan.seen, plan);
        return (Answer){cost, cost < upper};
    }
    Answer split = (depth == 2 ? two_levels(s, node, least_of(leaf, upper), by_column)
                               : more_levels(s, depth, node, least_of(leaf, upper), by_column));
    if (split.found) return split;
    return leaf < upper ? (Answer){leaf, true} : (Answer){least_of(leaf, split.cost), false};
}

/* Note what the weights and the prices allow, and begin without bounds and kept sets. */
static void begin_search(TreeSearch *s)
{
    RankedTable *t = &s->table;
    int64_t sum = 0;
    t->ones = true;
    for (int64_t i = 0; i < t->n; i++) {
        sum += t->weight[i];
        t->ones &= t->weight[i] == 1;
    }
    t->small = sum < ((int64_t)1 << 29);
    s->bounds_columns = true;
    for (int64_t c = 0; c < t->f; c++) {
        s->bounds_columns &= t->prices[c] == 0;
        s->by_column[c] = 0;
    }
    for (int64_t level = 0; level < n_levels(s->deepest); level++) *s->levels[level].kept.n = 0;
}

/* How many words of memory a search takes: see memory.h. */
FTREE_API int64_t ftree_sorted_tree_words(int64_t f, int64_t n, int64_t k, int64_t depth)
{
    TreeSearch s = {.table = {.f = f, .n = n, .k = k}};
    return lay_out(&s, depth, NULL);
}

/* Search a table for a tree that costs less than `known->cost`, which becomes its cost; whether there is one. A search
   that is stopped has the best tree so far.

   `order` (f, n) are the rows of each column by value, `set` has all rows, `total` (K,) their classes, `depth` may
   be 0, and `cuts` restricts each node to that many cuts a column, 0 for all; only these prove `known->bound`.
   `best` gets the plan of the tree, after those of all lower depths. `memory` has ftree_sorted_tree_words. */
FTREE_API int64_t ftree_sorted_tree(const int32_t *rank, const int32_t *order, const int32_t *label, const int64_t *weight,
                                    const double *prices, const int64_t *total, const uint64_t *set, double unit, double penalty,
                                    int64_t depth, int64_t cuts, const int64_t *stop, TreesKnown *known, int32_t *best,
                                    uint64_t *memory, int64_t f, int64_t n, int64_t k)
{
    const RankedTable table = {rank, label, weight, prices, unit, penalty, f, n, k, false, false};
    TreeSearch s = {.table = table, .cuts = cuts, .known = known, .stop = stop, .best = best};
    const int64_t n_words = lay_out(&s, depth, memory);
    begin_search(&s);
    Answer answer = solve(&s, depth, (RowsOfNode){order, n, total, set}, known->cost, s.by_column);
    bool ended = stopped(&s);
    if (answer.found) known->cost = answer.cost;
    if (!ended && !cuts) known->bound = least_of(known->cost, answer.cost);
    give_back(memory, n_words);
    return answer.found;
}

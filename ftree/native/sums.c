/* Depth-first growth of a tree of numbers by variance, in lanes (see grow.c): those of the features, and one of the numbers themselves.

   Numbers are whole, so their sums are exact in any order; a node counts them from the whole number below its mean (its centre).
   Products of floats tell of most cuts that they are worse than the best one; others get the score of the search in NumPy to the
   last bit, so no choice is ever in doubt. Scores tie if they differ by less than TIE of the better one.

   A node of few rows is not parted: its rows are marked by the child that they are in, and each node below copies its keys of the lanes
   that it looks at. It looks at no more once a cut is as good as the best one in the lane of the numbers. */
#include "native.h"

/* Cuts that are compared at once. */
#define BLOCK 128
/* A node of up to so many rows is not parted. */
#define FEW 16
/* Bound on the rounding error of a score, for numbers up to 1 from the mean of their node. */
#define ROUNDING (64 * 0x1p-52)

typedef struct {
    const Growing *rules; /* `unit` multiplies variances; `n_classes` are the sums of a node */
    int32_t *keys;        /* (l, n) */
    const uint8_t *distinct;
    const int64_t *whole, *times;    /* (n,): the numbers, and how often each row counts; NULL if all count once */
    const double *channels;          /* (n, k): what rows add to the sums of a node: cases, and the limbs of other sums */
    const SearchedFeature *features; /* (f,) */
    int64_t f, n, k, l;
} Sums;

/* A node: its range of lanes, or of those of a node with few rows, whose mark its own rows have; its rows, cases, sum and centre. */
typedef struct {
    int64_t low, high, mark, size, total, centre;
    double cases, mean, guard;
} Node;

/* The cuts of a lane from the left: the first that may be chosen, and whether an earlier one may tie with the best. */
typedef struct {
    double best, chosen;
    int64_t at;
    bool again;
} Best;

/* ---- Lanes of a node ---- */

INLINE int64_t times_of(const Sums *s, int64_t row) { return s->times ? s->times[row] : 1; }

/* Copy the keys of the rows with a mark; their number. A value is new if it was, or if one since the last copied key was. */
static int64_t copy_marked(const int32_t *keys, int64_t n, const uint8_t *marks, int64_t mark, int32_t *to)
{
    int64_t m = 0;
    int32_t is_new = 1;
    for (int64_t i = 0; i < n; i++) {
        is_new |= keys[i] & 1;
        to[m] = (keys[i] & ~1) | is_new;
        bool own = marks[keys[i] >> 1] == mark;
        m += own;
        is_new = own ? 0 : is_new;
    }
    return m;
}

/* The keys of a node in a lane; `few` has room for FEW. */
INLINE const int32_t *lane_of(const Sums *s, const Node *node, int64_t g, const uint8_t *marks, int32_t *few)
{
    const int32_t *keys = s->keys + g * s->n + node->low;
    if (node->mark < 0) return keys;
    copy_marked(keys, node->high - node->low, marks, node->mark, few);
    return few;
}

static bool is_constant(const int32_t *keys, int64_t n)
{
    int64_t i = 1;
    while (i < n && !(keys[i] & 1)) i++;
    return i == n;
}

/* A node with these sums (k,); false if all its numbers are equal, and `few` has its keys if it has few. */
static bool set_node(const Sums *s, Node *node, const double *sums, const uint8_t *marks, int32_t *few)
{
    const int32_t *keys = s->keys + s->f * s->n + node->low;
    node->size = node->high - node->low;
    if (node->mark >= 0) {
        node->size = copy_marked(keys, node->size, marks, node->mark, few);
        keys = few;
    }
    int64_t first = s->whole[keys[0] >> 1], last = s->whole[keys[node->size - 1] >> 1];
    node->cases = sums[0];
    node->total = 0;
    for (int64_t c = 1; c < 1 + s->k / 3; c++) node->total += (int64_t)sums[c];
    double mean = (double)node->total / node->cases;
    node->centre = (int64_t)mean - ((double)(int64_t)mean > mean);
    node->total -= node->centre * (int64_t)node->cases;
    node->mean = (double)node->total / node->cases;
    int64_t below = node->centre - first, above = last - node->centre;
    double far = (double)(below > above ? below : above) + 1;
    node->guard = ROUNDING * far * far * s->rules->unit;
    return first < last;
}

/* ---- The best cut ---- */

/* What both sides of a cut take off, added up as in `ftree.criteria.impurity_of_sums`. */
INLINE double score_of(const Sums *s, const Node *node, double n_left, int64_t left)
{
    double n_right = node->cases - n_left, scale = s->rules->unit;
    double to_left = (double)left / n_left - node->mean, to_right = (double)(node->total - left) / n_right - node->mean;
    return (n_left * (to_left * to_left) * scale + n_right * (to_right * to_right) * scale) / node->cases;
}

/* Note a cut with a better score. */
INLINE void raise(Best *b, double score, int64_t at, double tie)
{
    if (b->best < score - tie * score) *b = (Best){score, score, at, false};
    else b->again |= b->chosen < score - tie * score, b->best = score;
}

/* Whether a cut after one of some keys may be better than a bound; the cases and the sum before them go on from `n_left` and `left`. */
INLINE bool is_better(const Sums *s, const Node *node, const int32_t *keys, int64_t size, double bound, bool weighted,
                      int64_t *n_left, int64_t *left)
{
    const double all = node->cases, mean = node->mean;
    double cases[BLOCK], sum[BLOCK], most = NOTHING;
    int64_t so_far = *left, n = *n_left;
    for (int64_t j = 0; j < size; j++) {
        int64_t row = keys[j] >> 1, times = weighted ? s->times[row] : 1;
        so_far += (s->whole[row] - node->centre) * times;
        sum[j] = (double)so_far;
        if (weighted) n += times, cases[j] = (double)n;
    }
#pragma omp simd reduction(max : most)
    for (int32_t j = 0; j < (int32_t)size; j++) {
        double on_left = weighted ? cases[j] : (double)((int32_t)n + 1 + j), d = sum[j] - mean * on_left;
        double better = d * d - bound * (on_left * (all - on_left));
        most = better > most ? better : most;
    }
    *left = so_far;
    *n_left = weighted ? n : n + size;
    return most > 0;
}

/* Look at the cuts of a lane until a score is `enough`; the number of keys before that cut, 0 for none. */
INLINE int64_t scan(const Sums *s, const Node *node, const int32_t *keys, double least, double tie, double enough, Best *best,
                    bool weighted)
{
    const double all = node->cases, mean = node->mean, variance = 1 / s->rules->unit;
    double bound = (best->best - node->guard) * variance;
    int64_t n_left = 0, left = 0;
    for (int64_t p = 1; p < node->size; p += BLOCK) {
        int64_t n_before = n_left, before = left, end = node->size - p < BLOCK ? node->size : p + BLOCK;
        if (node->size > FEW && best->best > NOTHING &&
            !is_better(s, node, keys + p - 1, end - p, bound, weighted, &n_left, &left))
            continue;
        n_left = n_before;
        left = before;
        for (int64_t i = p; i < end; i++) {
            int64_t row = keys[i - 1] >> 1, times = weighted ? s->times[row] : 1;
            left += (s->whole[row] - node->centre) * times;
            n_left += times;
            double on_left = (double)n_left, on_right = all - on_left, d = (double)left - mean * on_left;
            if (d * d <= bound * (on_left * on_right) || !(keys[i] & 1)) continue;
            if (on_left < least || on_right < least) continue;
            double score = score_of(s, node, on_left, left);
            if (score >= enough) {
                best->chosen = score;
                return i;
            }
            if (score <= best->best) continue;
            raise(best, score, i, tie);
            bound = (score - node->guard) * variance;
        }
    }
    return 0;
}

/* The first cut of a lane that ties with the best one, if that is better than `floor`; else its gain is NOTHING. */
static Cut best_cut(const Sums *s, const Node *node, const int32_t *keys, double floor, double least, double tie)
{
    Best best = {floor, NOTHING, 0, false};
    if (s->times) scan(s, node, keys, least, tie, INFINITY, &best, true);
    else scan(s, node, keys, least, tie, INFINITY, &best, false);
    if (best.again) { /* rarely */
        best.best -= tie * best.best;
        best.at = scan(s, node, keys, least, tie, best.best, &best, s->times != NULL);
    }
    return (Cut){best.chosen, best.at, 0, 0, __builtin_nan("")};
}

/* The drawn cut of a feature with values x (n,); its gain is NOTHING if all values are equal. */
static Cut drawn_cut(const Sums *s, const Node *node, const int32_t *keys, int64_t f, const double *x, uint64_t key)
{
    double least = x[keys[0] >> 1], most = x[keys[node->size - 1] >> 1];
    int64_t first = 0, end = node->size - 1, n_left = 0, left = 0;
    if (least == most) return (Cut){NOTHING, 0, 0, 0, 0};
    double cut = ftree_drawn_cut(s->features + f, key, least, most);
    while (first < end) {
        int64_t middle = (first + end) / 2;
        if (x[keys[middle] >> 1] > cut) end = middle;
        else first = middle + 1;
    }
    for (int64_t i = 0; i < first; i++) {
        int64_t row = keys[i] >> 1, times = times_of(s, row);
        left += (s->whole[row] - node->centre) * times;
        n_left += times;
    }
    return (Cut){score_of(s, node, (double)n_left, left), first, 0, 0, cut};
}

/* The first of the cuts (f,) that ties with the best one; its feature is -1 without any. */
static Cut first_tied(const Cut *cuts, int64_t f)
{
    double best = NOTHING;
    for (int64_t g = 0; g < f; g++) best = cuts[g].gain > best ? cuts[g].gain : best;
    for (int64_t g = 0; g < f && best > NOTHING; g++)
        if (cuts[g].gain >= best - TIE * best) {
            Cut found = cuts[g];
            found.feature = (int32_t)g;
            return found;
        }
    return (Cut){NOTHING, 0, -1, 0, 0};
}

/* A score that is worse than any that ties with the best one, also where this is 0. */
INLINE double floor_of(double best) { return best > 1e-200 ? best - 2 * TIE * best : NOTHING; }

/* The cut of a node among the features that it draws, all without draws; cuts (f,) are room. */
static Cut cut_of_node(const Sums *s, const Node *node, Draws *draws, const double *x, const uint8_t *marks, int32_t *few,
                       Cut *cuts)
{
    const bool every = draws->search->n >= s->f;
    double best = NOTHING, bound = INFINITY;
    if (every && node->size <= FEW) { /* no feature cuts better than the numbers themselves */
        const int32_t *keys = node->mark < 0 ? s->keys + s->f * s->n + node->low : few;
        bound = best_cut(s, node, keys, NOTHING, 0, 0).gain;
    }
    for (int64_t g = 0; g < s->f; g++) cuts[g].gain = NOTHING;
    for (int64_t n = 0, g; n < draws->search->n && (g = ftree_next_feature(draws)) >= 0; n++) {
        const int32_t *keys = lane_of(s, node, g, marks, few);
        if (!every && is_constant(keys, node->size)) {
            n--;
            continue;
        }
        if (s->features[g].is_drawn) cuts[g] = drawn_cut(s, node, keys, g, x + g * s->n, draws->key);
        else cuts[g] = best_cut(s, node, keys, floor_of(best), s->features[g].least, TIE);
        double gain = cuts[g].gain;
        if (gain >= bound - TIE * bound + node->guard && best < gain - TIE * gain) {
            cuts[g].feature = (int32_t)g; /* it ties with whatever follows, and nothing before with it */
            return cuts[g];
        }
        best = gain > best ? gain : best;
    }
    return first_tied(cuts, s->f);
}

/* ---- Growth ---- */

/* Add up the rows on the smaller side of a cut of keys (size,); the other side has the rest of all (k,). left and right (k,). */
static void add_sides(const Sums *s, const int32_t *keys, int64_t size, int64_t at, const double *all, double *left,
                      double *right)
{
    const bool is_left = 2 * at <= size;
    double *own = is_left ? left : right, *rest = is_left ? right : left;
    for (int64_t c = 0; c < s->k; c++) own[c] = 0;
    for (int64_t i = is_left ? 0 : at; i < (is_left ? at : size); i++) {
        int64_t row = keys[i] >> 1;
        double times = (double)times_of(s, row);
        for (int64_t c = 0; c < s->k; c++) own[c] += s->channels[row * s->k + c] * times;
    }
    for (int64_t c = 0; c < s->k; c++) rest[c] = all[c] - own[c];
}

static bool is_closed(const Growing *rules, double cases, int64_t depth)
{
    return cases < rules->rows || (double)depth >= rules->depth;
}

/* Whether a cut gains too little, or leaves too few cases on a side. */
static bool is_refused(const Growing *rules, const Cut *cut, double left, double right)
{
    return cut->feature < 0 || cut->gain < rules->gain || left < rules->leaf || right < rules->leaf;
}

/* What grows: the nodes (m,), their sums (m, k), the drawn cuts (d,), and the open nodes; the marks of rows (n,), and room (r,). */
typedef struct {
    GrownNode *nodes;
    double *sums, *at;
    Open *open;
    uint8_t *marks;
    int32_t *room;
    int64_t n_nodes, height;
} Grown;

INLINE Node node_of(const Open *here)
{
    return (Node){.low = here->low, .high = here->high, .mark = here->local ? here->node - here->local : -1};
}

/* Open a child unless it has one row, or a rule closes it. */
static void open_child(const Sums *s, Grown *g, Open child, int64_t size)
{
    if (size > 1 && !is_closed(s->rules, g->sums[child.node * s->k], child.depth)) g->open[g->height++] = child;
}

/* Divide a node by a cut of its keys in one lane, if its children may be so. */
static void divide(const Sums *s, Grown *g, const Open *here, const Node *node, const Cut *cut, const int32_t *keys)
{
    const int64_t child = g->n_nodes, before = g->height, middle = cut->at, low = here->low, high = here->high;
    double *all = g->sums + here->node * s->k, *left = g->sums + child * s->k, *right = left + s->k;
    add_sides(s, keys, node->size, middle, all, left, right);
    if (is_refused(s->rules, cut, left[0], right[0])) return;
    g->n_nodes += 2;
    g->nodes[here->node] = (GrownNode){cut->feature, (int32_t)child, keys[middle - 1] >> 1, keys[middle] >> 1};
    g->nodes[child].feature = g->nodes[child + 1].feature = -1;
    if (g->at) g->at[here->node] = cut->threshold;
    const bool apart = node->mark < 0 && node->size > FEW;
    const int64_t base = apart ? 0 : node->mark < 0 ? child : here->local, depth = here->depth + 1;
    Open one = {low, apart ? low + middle : high, child, depth, key_of_child(here->key, 0), base};
    Open two = {apart ? low + middle : low, high, child + 1, depth, key_of_child(here->key, 1), base};
    open_child(s, g, one, middle);
    open_child(s, g, two, node->size - middle);
    if (g->height == before) return; /* nobody asks where the rows of leaves are */
    const uint8_t first = (uint8_t)(apart ? 0 : child - base);
    for (int64_t i = 0; i < node->size; i++) g->marks[keys[i] >> 1] = (uint8_t)(first + (i >= middle));
    if (apart)
        ftree_part_lanes(s->rules, s->keys, s->distinct, low, high, cut->feature, g->marks, 0, s->l, g->room, s->l, s->n,
                         node->size);
}

/* The best cuts (f,) of the lanes of a node from `first` to `last`; all (k,) are its sums. */
FTREE_API int64_t ftree_scan_sums(const Growing *rules, int32_t *keys, const uint8_t *distinct, const int64_t *whole,
                                  const int64_t *times, const double *channels, const SearchedFeature *features, int64_t low,
                                  int64_t high, const double *all, int64_t first, int64_t last, Cut *cuts, int64_t l, int64_t n,
                                  int64_t t, int64_t k, int64_t f)
{
    Sums s = {rules, keys, distinct, whole, t ? times : NULL, channels, features, f, n, k, l};
    Node node = {.low = low, .high = high, .mark = -1};
    double best = NOTHING;
    set_node(&s, &node, all, NULL, NULL);
    for (int64_t g = first; g < last; g++) {
        cuts[g] = best_cut(&s, &node, keys + g * n + low, floor_of(best), features[g].least, TIE);
        best = cuts[g].gain > best ? cuts[g].gain : best;
    }
    return 0;
}

/* Fill the cut of a node and the sums on its left, left (k,), given the best cuts (f,), and mark its rows that go right; 1 if it is
   closed. */
FTREE_API int64_t ftree_choose_sums(const Growing *rules, int32_t *keys, const uint8_t *distinct, const int64_t *whole,
                                    const int64_t *times, const double *channels, const SearchedFeature *features, int64_t low,
                                    int64_t high, int64_t depth, const double *all, const Cut *cuts, double *left,
                                    double *other, uint8_t *right, Cut *cut, int64_t l, int64_t n, int64_t t, int64_t k,
                                    int64_t f)
{
    Sums s = {rules, keys, distinct, whole, t ? times : NULL, channels, features, f, n, k, l};
    Node node = {.low = low, .high = high, .mark = -1};
    *cut = (Cut){NOTHING, 0, -1, 0, 0};
    if ((!set_node(&s, &node, all, NULL, NULL) && rules->pure != 0) || is_closed(rules, all[0], depth)) return 1;
    *cut = first_tied(cuts, f);
    if (cut->feature < 0) return 1;
    const int32_t *own = keys + cut->feature * n + low;
    add_sides(&s, own, node.size, cut->at, all, left, other);
    if (is_refused(rules, cut, left[0], other[0])) return 1;
    for (int64_t i = 0; i < node.size; i++) right[own[i] >> 1] = i >= cut->at;
    cut->at += low;
    return 0;
}

/* Grow the subtree of an open node, as `ftree_grow_lanes` does: for so many `steps` of rows through lanes, from a `state` (2,). Nodes look
   at the features that the `search` draws; drawn cuts are those of values x (v,), (f, n) or nothing, and at (d,) gets them, NaN
   for others. sums (m, k) are those of nodes; marks (n,), room (r,), drawn and cuts (f,). */
FTREE_API int64_t ftree_grow_sums(const Growing *rules, int32_t *keys, const uint8_t *distinct, const int64_t *whole,
                                  const int64_t *times, const double *channels, const SearchedFeature *features,
                                  const Search *search, const double *x, int64_t steps, int64_t *state, Open *open,
                                  GrownNode *nodes, double *sums, double *at, uint8_t *marks, int32_t *room, Drawn *drawn,
                                  Cut *cuts, int64_t l, int64_t n, int64_t t, int64_t k, int64_t f, int64_t v, int64_t m,
                                  int64_t d, int64_t r)
{
    Sums s = {rules, keys, distinct, whole, t ? times : NULL, channels, features, f, n, k, l};
    Grown g = {nodes, sums, d ? at : NULL, open, marks, room, state[0], state[1]};
    int32_t few[FEW];
    while (g.height && steps > 0) {
        Open here = open[--g.height];
        Node node = node_of(&here);
        Draws draws = {search, features, drawn, f, 0, 0, here.key};
        if (is_closed(rules, sums[here.node * k], here.depth)) continue; /* the first node; others are opened only if they are not */
        bool differ = set_node(&s, &node, sums + here.node * k, marks, few);
        if (!differ && rules->pure != 0) continue;
        Cut cut = cut_of_node(&s, &node, &draws, x, marks, few, cuts);
        steps -= node.size * f + 1;
        if (cut.feature >= 0) divide(&s, &g, &here, &node, &cut, lane_of(&s, &node, cut.feature, marks, few));
    }
    state[0] = g.n_nodes;
    state[1] = g.height;
    (void)v, (void)m, (void)r;
    return g.n_nodes;
}

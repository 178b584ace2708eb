/* Depth-first growth in lanes: trees of classes or of numbers, by thresholds in values that are all known (see
   lanes.h).

   A call takes open nodes from a stack until it is empty. For each node: `set_node` prepares the search,
   `cut_of_node` finds the best cut, and `divide` notes the split, parts the lanes and opens the children. classes.c
   and numbers.c search a lane, lanes.c sorts and parts lanes. Calls share nothing but lanes: threads may grow
   disjoint ranges at the same time. The first feature and cut of equal ones is chosen; where rounding could decide,
   the caller decides it by NumPy (IS_DECIDED). */
#include "lanes.h"
#include "memory.h"

/* In a node of numbers of up to so many rows no feature is searched after one whose cut is as good as any could be. */
#define FEW_ROWS 16

/* Memory for the present node: what it holds is worth nothing once the node is divided. */
typedef struct {
    int32_t *keys;  /* (r,): of a part of the tree whose root has r rows */
    double *values; /* (r,): values of keys, if cuts are drawn */
    Drawn *drawn;   /* (f,) */
    Cut *cuts;      /* (f,): the best cut of each feature; of classes only its gain, unless it is drawn */
    int64_t *sides; /* (2, k): counts in units */
} LaneRoom;

/* What grows. */
typedef struct {
    int64_t *state; /* see N_NODES */
    const Search *search;
    GrownNode *nodes;    /* (m,) */
    double *counts, *at; /* (m, k); (m,): thresholds, NULL where Python has them from the rows next to cuts */
    Open *open;          /* (m,): a stack */
    LaneRoom room;
} LaneGrowth;

/* ---- Lanes of a node ---- */

/* The keys of a node in the lane of a feature, or in the only lane where all cuts are drawn. */
INLINE const int32_t *keys_of_node(const Lanes *lanes, const LaneNode *node, int64_t f)
{
    return lane_at(lanes, node, f < lanes->l ? f : lanes->l - 1);
}

/* Whether all values of sorted keys are equal. */
static bool is_constant(const int32_t *keys, int64_t n, int32_t is_new)
{
    int64_t i = 1;
    while (i < n && !(keys[i] & is_new)) i++;
    return i == n;
}

/* ---- The cut of a node ---- */

/* The cases in counts (k,) of a node. */
static double cases_of(const Lanes *lanes, const double *counts)
{
    double cases = counts[0];
    for (int64_t c = 1; c < lanes->k && !lanes->whole; c++) cases += counts[c];
    return cases;
}

/* Prepare the search of an open node; false if nothing can be gained. */
static bool set_node(const Lanes *lanes, const LaneGrowth *g, const Open *here, LaneNode *node)
{
    const double *sums = g->counts + here->node * lanes->k;
    *node = (LaneNode){.low = here->low, .size = here->high - here->low, .sums = sums, .cases = cases_of(lanes, sums)};
    if (!lanes->whole) {
        ftree_set_classes(lanes, node, g->room.sides);
        return true;
    }
    return ftree_set_numbers(lanes, node) || lanes->rules->pure == 0;
}

/* Fill the values of the keys of a node in a feature, and the least and the largest one. */
INLINE void fill_values(const Lanes *lanes, const LaneGrowth *g, const LaneNode *node, int64_t f, const int32_t *keys,
                        double *least, double *most)
{
    const int64_t shift = lanes->rules->shift;
    const double *x = lanes->x + f * lanes->n;
    double low = INFINITY, high = -INFINITY;
    for (int64_t i = 0; i < node->size; i++) {
        double value = x[keys[i] >> shift];
        g->room.values[i] = value;
        low = value < low ? value : low;
        high = value > high ? value : high;
    }
    *least = low;
    *most = high;
}

/* The drawn cut of a feature, whose order the keys need not have; no cut if all values are equal. */
static Cut drawn_cut(const Lanes *lanes, const LaneGrowth *g, const LaneNode *node, int64_t f, const int32_t *keys, uint64_t key)
{
    double least, most;
    fill_values(lanes, g, node, f, keys, &least, &most);
    if (least == most) return (Cut){.gain = NOTHING, .feature = -1};
    double cut = ftree_drawn_cut(lanes->searched + f, key, least, most);
    double gain = lanes->whole ? ftree_gain_of_numbers(lanes, node, keys, g->room.values, cut)
                               : ftree_gain_of_classes(lanes, node, keys, g->room.values, cut);
    return (Cut){.gain = gain, .feature = (int32_t)f, .threshold = cut};
}

/* The cut of a node among the features that it draws, or all; after `set_node`. */
static Cut cut_of_node(const Lanes *lanes, const LaneGrowth *g, const LaneNode *node, uint64_t key)
{
    Draws draws = {.search = g->search, .searched = lanes->searched, .listed = g->room.drawn, .f = lanes->f, .key = key};
    const bool of_classes = !lanes->whole;
    const bool every = g->search->n >= lanes->f;
    double best = NOTHING, bound = INFINITY;
    if (!of_classes && lanes->a == 1 && every && node->size <= FEW_ROWS) bound = ftree_bound_of_numbers(lanes, node);
    for (int64_t f = 0; f < lanes->f; f++) g->room.cuts[f].gain = NOTHING;
    for (int64_t n_searched = 0, f; n_searched < g->search->n && (f = ftree_next_feature(&draws)) >= 0;) {
        const int32_t *keys = keys_of_node(lanes, node, f);
        Cut *own = g->room.cuts + f;
        if (lanes->searched[f].is_drawn) {
            *own = drawn_cut(lanes, g, node, f, keys, key);
            if (own->feature < 0) continue; /* features with one value do not count among those drawn */
        } else if (!every && is_constant(keys, node->size, new_bit(lanes->rules))) {
            continue;
        } else if (of_classes) {
            own->gain = ftree_best_of_classes(lanes, node, f);
        } else {
            *own = ftree_best_of_numbers(lanes, node, f, keys, best);
        }
        n_searched++;
        if (own->gain >= bound && best < own->gain - TIE * own->gain) return *own; /* it ties with whatever follows */
        best = own->gain > best ? own->gain : best;
    }
    return of_classes ? ftree_choose_by_classes(lanes, node, g->room.cuts) : ftree_choose_by_numbers(lanes, g->room.cuts);
}

/* ---- Growth ---- */

/* Whether a stopping rule that looks at a node alone closes it; numbers that are all equal are seen later. */
static bool is_closed(const Lanes *lanes, const double *counts, int64_t depth)
{
    double most = lanes->whole ? NOTHING : 0;
    for (int64_t c = 0; c < lanes->k && !lanes->whole; c++) most = most_of(most, counts[c]);
    return closes(lanes->rules, depth, cases_of(lanes, counts), most);
}

/* Fill the counts (k,) of the rows of some keys; `units` (k,) is room. */
static void count_keys(const Lanes *lanes, const int32_t *keys, int64_t size, int64_t *units, double *counts)
{
    const int64_t k = lanes->k, shift = lanes->rules->shift;
    const int64_t mask = new_bit(lanes->rules) - 1;
    const double unit = lanes->entropies ? 1 : lanes->rules->unit;
    for (int64_t c = 0; c < k; c++) {
        units[c] = 0;
        counts[c] = 0;
    }
    for (int64_t i = 0; i < size && !lanes->whole; i++) units[keys[i] & mask] += times_of(lanes, keys[i] >> shift);
    for (int64_t c = 0; c < k && !lanes->whole; c++) counts[c] = (double)units[c] * unit;
    for (int64_t i = 0; i < size && lanes->whole; i++) {
        int64_t row = keys[i] >> shift;
        double times = (double)times_of(lanes, row);
        for (int64_t c = 0; c < k; c++) counts[c] += lanes->channels[row * k + c] * times;
    }
}

/* Fill the counts (2, k) of the children of a cut: the smaller side is counted, and the other one has the rest. False
   if a side has too few cases for a leaf. */
static bool count_sides(const Lanes *lanes, const LaneNode *node, const int32_t *keys, int64_t at, int64_t *room, double *counts)
{
    const int64_t k = lanes->k, rest = node->size - at;
    const bool is_left = at <= rest;
    double *own = counts + (is_left ? 0 : k);
    double *other = counts + (is_left ? k : 0);
    double leaf = lanes->rules->leaf;
    count_keys(lanes, is_left ? keys : keys + at, is_left ? at : rest, room, own);
    for (int64_t c = 0; c < k; c++) other[c] = node->sums[c] - own[c];
    return cases_of(lanes, own) >= leaf && cases_of(lanes, other) >= leaf;
}

/* Open a child unless it has one row, or a rule closes it. */
INLINE void open_child(const Lanes *lanes, LaneGrowth *g, Open child)
{
    if (child.high - child.low > 1 && !is_closed(lanes, g->counts + child.node * lanes->k, child.depth))
        g->open[g->state[N_OPEN]++] = child;
}

/* Put the keys of a node on the left of a drawn cut first in `ordered`, and return how many. Each round writes one of
   two places. */
static int64_t order_by_cut(const Lanes *lanes, const LaneNode *node, const Cut *cut, const int32_t *keys, int32_t *ordered)
{
    const double *x = lanes->x + cut->feature * lanes->n;
    const int64_t shift = lanes->rules->shift;
    int64_t left = 0, right = node->size;
    for (int64_t i = 0; i < node->size; i++) {
        bool above = x[keys[i] >> shift] > cut->threshold;
        ordered[above ? right - 1 : left] = keys[i];
        right -= above;
        left += !above;
    }
    return left;
}

/* The threshold of a node, given the values x (n,) of its feature. */
static double threshold_between(const double *x, const GrownNode *node) { return midpoint(x[node->below], x[node->above]); }

/* Note the split of a node by a cut before key `middle` of those in the order of its feature, and begin its children as
   leaves. */
static void note_split(const Lanes *lanes, LaneGrowth *g, int64_t number, const Cut *cut, const int32_t *keys, int64_t middle)
{
    const int64_t child = g->state[N_NODES], shift = lanes->rules->shift;
    const bool is_drawn = lanes->searched[cut->feature].is_drawn != 0;
    GrownNode *own = g->nodes + number;
    *own = (GrownNode){
        .feature = cut->feature,
        .first = (int32_t)child,
        .below = keys[middle - 1] >> shift,
        .above = keys[middle] >> shift,
    };
    if (g->at) g->at[number] = is_drawn ? cut->threshold : threshold_between(lanes->x + cut->feature * lanes->n, own);
    g->nodes[child].feature = -1;
    g->nodes[child + 1].feature = -1;
    g->state[N_NODES] += 2;
}

/* Open the children of a node, of which the left one has `middle` rows. */
static void open_children(const Lanes *lanes, LaneGrowth *g, const Open *here, int64_t middle)
{
    const int64_t child = g->nodes[here->node].first;
    Open left = {.low = here->low, .high = here->low + middle, .node = child, .depth = here->depth + 1};
    Open right = {.low = left.high, .high = here->high, .node = child + 1, .depth = left.depth};
    left.key = key_of_child(here->key, 0);
    right.key = key_of_child(here->key, 1);
    open_child(lanes, g, left);
    open_child(lanes, g, right);
}

/* Part the lanes of a node between its children. */
static void part_node(const Lanes *lanes, LaneGrowth *g, const LaneNode *node, const Cut *cut, const int32_t *keys,
                      int64_t middle)
{
    const bool is_drawn = lanes->searched[cut->feature].is_drawn != 0;
    if (lanes->l == 1 && !lanes->whole) { /* a lane in no order */
        int32_t *lane = lanes->keys + node->low;
        for (int64_t i = 0; i < node->size && is_drawn; i++) lane[i] = keys[i];
        return;
    }
    for (int64_t i = 0; i < node->size; i++) lanes->right[keys[i] >> lanes->rules->shift] = i >= middle;
    ftree_part_lanes(lanes->rules, lanes->keys, lanes->distinct, node->low, node->low + node->size, is_drawn ? -1 : cut->feature,
                     lanes->right, g->room.keys, lanes->l, lanes->n);
}

/* Divide a node by a cut of its keys in a lane, unless a child has too few cases. */
static void divide(const Lanes *lanes, LaneGrowth *g, const Open *here, const LaneNode *node, const Cut *cut)
{
    const int64_t child = g->state[N_NODES], n_open = g->state[N_OPEN];
    const int32_t *keys = keys_of_node(lanes, node, cut->feature);
    int64_t middle = cut->at;
    if (lanes->searched[cut->feature].is_drawn) {
        middle = order_by_cut(lanes, node, cut, keys, g->room.keys);
        keys = g->room.keys;
    }
    if (!count_sides(lanes, node, keys, middle, g->room.sides, g->counts + child * lanes->k)) return;
    note_split(lanes, g, here->node, cut, keys, middle);
    open_children(lanes, g, here, middle);
    if (g->state[N_OPEN] > n_open) part_node(lanes, g, node, cut, keys, middle); /* rows of leaves may be anywhere */
}

/* Take the cut that the caller has decided for a node of classes out of the node, which is a leaf until it is divided: the cut
   is before the first key of the value above its threshold. */
static Cut decided_cut(const Lanes *lanes, const LaneNode *node, GrownNode *decided)
{
    const int32_t *keys = lane_at(lanes, node, decided->feature);
    int64_t at = first_key_of_value(lanes->rules, keys, decided->above);
    Cut cut = {.gain = INFINITY, .feature = decided->feature, .at = at};
    decided->feature = -1;
    return cut;
}

/* Search the node that was opened last, unless its cut is decided, and divide it or leave it as a leaf. */
static int64_t grow_node(const Lanes *lanes, LaneGrowth *g, const Open *here, int64_t *steps)
{
    LaneNode node;
    bool may_gain = set_node(lanes, g, here, &node);
    Cut cut = {.feature = -1};
    if (g->state[IS_DECIDED]) {
        cut = decided_cut(lanes, &node, g->nodes + here->node);
    } else if (may_gain) {
        cut = cut_of_node(lanes, g, &node, here->key);
        *steps -= node.size * (g->search->n < lanes->f ? g->search->n : lanes->f) + 1;
    }
    if (cut.unsure) return UNSURE;
    g->state[N_OPEN]--;
    g->state[IS_DECIDED] = 0;
    if (cut.feature >= 0 && cut.gain >= lanes->rules->gain) divide(lanes, g, here, &node, &cut);
    return GROWN;
}

/* Grow open nodes until none is left, about so many `steps` are made, or one is left to the caller. */
static int64_t grow_nodes(const Lanes *lanes, LaneGrowth *g, int64_t steps)
{
    int64_t left = GROWN;
    while (g->state[N_OPEN] && steps > 0 && left == GROWN) {
        const Open here = g->open[g->state[N_OPEN] - 1];
        if (is_closed(lanes, g->counts + here.node * lanes->k, here.depth)) /* the root, or opened by Python */
            g->state[N_OPEN]--;
        else left = grow_node(lanes, g, &here, &steps);
    }
    return left;
}

/* Divide memory for a part of a tree whose root has so many rows, and return how many words it takes. */
static int64_t lay_out(int64_t f, int64_t k, int64_t rows, uint64_t *words, LaneRoom *room)
{
    Memory memory = {words, 0};
    room->keys = take(&memory, rows, sizeof(int32_t));
    room->values = take(&memory, rows, sizeof(double));
    room->drawn = take(&memory, f, sizeof(Drawn));
    room->cuts = take(&memory, f, sizeof(Cut));
    room->sides = take(&memory, 2 * k, sizeof(int64_t));
    return memory.n_taken;
}

/* How many words of memory a call needs: see memory.h. */
FTREE_API int64_t ftree_grow_lanes_words(int64_t f, int64_t k, int64_t rows)
{
    LaneRoom room;
    return lay_out(f, k, rows, NULL, &room);
}

/* Grow the subtrees of open nodes for about so many `steps` of rows through lanes. The result is what is left to the
   caller: GROWN, or UNSURE about the last open node.

   The arguments come in groups, each from a line of its own: the table (`PresortedTable.given` in presorted_columns.py
   of ftree/growth/depth_first), the search (`Drawing` in presorted_growth.py), what grows (`PresortedPart` there),
   memory, and lengths. See Lanes and LaneGrowth for most; `rows` are those of the root of the part that grows, and
   `memory` has as many words as ftree_grow_lanes_words says. */
/* clang-format off */
FTREE_API int64_t ftree_grow_lanes(
    const GrowthRules *rules, int32_t *keys, const uint8_t *distinct, const SearchedFeature *searched, const int64_t *entropies,
    const int64_t *whole, const double *scales, const int64_t *times, const double *channels, const int64_t *limbs, uint8_t *right,
    const Search *search, const double *x, double *at,
    int64_t steps, int64_t *state, Open *open, GrownNode *nodes, double *counts, int64_t rows, uint64_t *memory,
    int64_t l, int64_t n, int64_t f, int64_t a, int64_t k)
/* clang-format on */
{
    const Lanes lanes = {
        .rules = rules,
        .keys = keys,
        .distinct = distinct,
        .searched = searched,
        .entropies = entropies,
        .whole = whole,
        .scales = scales,
        .times = times,
        .channels = channels,
        .limbs = limbs,
        .right = right,
        .x = x,
        .f = f,
        .n = n,
        .k = k,
        .l = l,
        .a = a,
    };
    LaneGrowth g = {.state = state, .search = search, .nodes = nodes, .counts = counts, .at = at, .open = open};
    const int64_t n_words = lay_out(f, k, rows, memory, &g.room);
    const int64_t left = grow_nodes(&lanes, &g, steps);
    give_back(memory, n_words);
    return left;
}

/* Number the nodes (m,) of a tree level by level: the node in each place of `order` (m,), and the place of its first
   child. */
FTREE_API int64_t ftree_list_by_level(const GrownNode *nodes, int32_t *order, int32_t *first, int64_t m)
{
    int64_t end = 1;
    order[0] = 0;
    for (int64_t j = 0; j < m; j++) {
        const GrownNode *node = nodes + order[j];
        first[j] = 0;
        if (node->feature < 0) continue;
        first[j] = (int32_t)end;
        order[end] = node->first;
        order[end + 1] = node->first + 1;
        end += 2;
    }
    return end;
}

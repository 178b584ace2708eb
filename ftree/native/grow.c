/* Depth-first growth in lanes: trees of classes or of numbers, by thresholds in values that are all known (see
   lanes.h).

   A call takes open nodes from a stack until it is empty. For each node: `set_node` prepares the search,
   `cut_of_node` finds the best cut, and `divide` notes the split, parts the lanes and opens the children. classes.c
   and numbers.c search a lane, lanes.c sorts and parts lanes. Calls share nothing but lanes: threads may grow
   disjoint ranges at the same time. The first feature and cut of equal ones is chosen; where rounding could decide,
   the caller decides it by NumPy (IS_DECIDED).

   A node of at most MOST_UNPARTED rows of numbers is not parted. All nodes below it share its range: each row is
   marked by the node that it is in (its number less that of the first sharer), and a node copies the keys with its
   mark from each lane that it looks at. Such a node looks at no more features once a cut is as good as the best one
   in the lane of the numbers.

   Once a node of a large table has at most NEAR rows, its rows are numbered by their places ("near", lanes.h). */
#include "lanes.h"
#include "memory.h"

/* The rows of a node of up to so many are numbered by their places, so that what is looked up by number fits in a
   processor's cache. */
#define NEAR 2048

/* The last number of `state`: the first place of the node whose values are in near_x. */
enum { NEAR_FROM = IS_DECIDED + 1 };

/* Memory for the present node: what it holds is worth nothing once the node is divided. */
typedef struct {
    int32_t *keys;   /* (r,): of a part of the tree whose root has r rows */
    int32_t *copied; /* (MOST_UNPARTED,): the keys of a node that shares its range, in the lane that is looked at */
    double *values;  /* (r,): values of keys, if cuts are drawn */
    Drawn *drawn;    /* (f,) */
    Cut *cuts;       /* (f,): the best cut of each feature; of classes only its gain, unless it is drawn */
    int64_t *sides;  /* (2, k): counts in units */
} LaneRoom;

/* What grows. */
typedef struct {
    int64_t *state; /* see N_NODES */
    const Search *search;
    const double *x;     /* (f, n): the values of features by row, if the tree draws or notes thresholds */
    GrownNode *nodes;    /* (m,) */
    double *counts, *at; /* (m, k); (m,): thresholds, NULL without x */
    Open *open;          /* (m,): a stack */
    LaneRoom room;
} LaneGrowth;

/* What is written when the rows of a node are numbered by their places: see Lanes, whose fields have the same names. */
typedef struct {
    int32_t *place_of, *row_of; /* (n,): by row; by place */
    int64_t *whole, *times;     /* by place */
    double *x;                  /* (f, by_feature) */
    int64_t by_feature;
} Near;

/* ---- Lanes of a node ---- */

/* Copy the keys of the rows with a mark, and return how many. A value is new there if it was new at a key since the
   last one copied. Only numbers share ranges, and their shift is 1: the lowest bit says whether a value is new, and the
   others are the number. */
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

/* The keys of a node in the lane of a feature, or in the only lane where all cuts are drawn. Where the node shares its
   range, they are copied. */
INLINE const int32_t *keys_of_node(const Lanes *lanes, const LaneGrowth *g, const LaneNode *node, int64_t f)
{
    const int32_t *keys = lane_at(lanes, node, f < lanes->l ? f : lanes->l - 1);
    if (node->mark < 0) return keys;
    copy_marked(keys, node->high - node->low, lanes->marks, node->mark, g->room.copied);
    return g->room.copied;
}

/* Whether all values of sorted keys are equal. */
static bool is_constant(const int32_t *keys, int64_t n, int32_t is_new)
{
    int64_t i = 1;
    while (i < n && !(keys[i] & is_new)) i++;
    return i == n;
}

/* Number the rows of a node by their places, which are its range of [0, n): note the place of each row in `place_of`
   (n,) and the row at each place in `row_of`, copy the numbers and weights of rows to their places, put places into
   keys, and copy values x (f, n) to `near_x` (f, by_feature). */
static void bring_near(const Lanes *far, const Near *to, const Open *here, const double *x)
{
    const int64_t shift = far->rules->shift;
    const int64_t below_row = ((int64_t)1 << shift) - 1;
    const int32_t *last = far->keys + (far->l - 1) * far->n;
    for (int64_t i = here->low; i < here->high; i++) {
        int64_t row = last[i] >> shift;
        to->place_of[row] = (int32_t)i;
        to->row_of[i] = (int32_t)row;
        for (int64_t j = 0; j < far->a && far->whole; j++) to->whole[i * far->a + j] = number_of(far, row, j);
        if (far->times) to->times[i] = far->times[row];
    }
    for (int64_t lane = 0; lane < far->l; lane++) {
        int32_t *keys = far->keys + lane * far->n;
        for (int64_t i = here->low; i < here->high; i++)
            keys[i] = (int32_t)((uint32_t)to->place_of[keys[i] >> shift] << shift | (uint32_t)(keys[i] & below_row));
    }
    for (int64_t f = 0; f < far->f && to->by_feature; f++)
        for (int64_t i = here->low; i < here->high; i++)
            to->x[f * to->by_feature + i - here->low] = x[f * far->n + to->row_of[i]];
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
    *node = (LaneNode){.low = here->low,
                       .high = here->high,
                       .mark = here->first_sharer ? here->node - here->first_sharer : -1,
                       .size = here->high - here->low,
                       .sums = sums,
                       .cases = cases_of(lanes, sums)};
    if (!lanes->whole) {
        ftree_set_classes(lanes, node, g->room.sides);
        return true;
    }
    const int32_t *keys = lane_at(lanes, node, lanes->l - 1);
    if (node->mark >= 0) {
        node->size = copy_marked(keys, node->size, lanes->marks, node->mark, g->room.copied);
        keys = g->room.copied;
    }
    return ftree_set_numbers(lanes, node, keys) || lanes->rules->pure == 0;
}

/* Fill the values of the keys of a node in a feature, and the least and the largest one. */
INLINE void fill_values(const Lanes *lanes, const LaneGrowth *g, const LaneNode *node, int64_t f, const int32_t *keys,
                        double *least, double *most)
{
    const int64_t shift = lanes->rules->shift;
    const double *x = lanes->x + f * lanes->by_feature;
    double low = INFINITY, high = -INFINITY;
    for (int64_t i = 0; i < node->size; i++) {
        double value = x[(keys[i] >> shift) - lanes->from];
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

/* The cut of a node among the features that it draws, or all. `set_node` comes before, and copies keys of numbers. */
static Cut cut_of_node(const Lanes *lanes, const LaneGrowth *g, const LaneNode *node, uint64_t key)
{
    Draws draws = {.search = g->search, .searched = lanes->searched, .listed = g->room.drawn, .f = lanes->f, .key = key};
    const bool of_classes = !lanes->whole;
    const bool every = g->search->n >= lanes->f;
    double best = NOTHING, bound = INFINITY;
    if (!of_classes && lanes->a == 1 && every && node->size <= MOST_UNPARTED)
        bound = ftree_bound_of_numbers(lanes, node, node->mark < 0 ? lane_at(lanes, node, lanes->l - 1) : g->room.copied);
    for (int64_t f = 0; f < lanes->f; f++) g->room.cuts[f].gain = NOTHING;
    for (int64_t n_searched = 0, f; n_searched < g->search->n && (f = ftree_next_feature(&draws)) >= 0;) {
        const int32_t *keys = keys_of_node(lanes, g, node, f);
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
    const double unit = lanes->table ? 1 : lanes->rules->unit;
    for (int64_t c = 0; c < k; c++) {
        units[c] = 0;
        counts[c] = 0;
    }
    for (int64_t i = 0; i < size && !lanes->whole; i++) units[keys[i] & mask] += times_of(lanes, keys[i] >> shift);
    for (int64_t c = 0; c < k && !lanes->whole; c++) counts[c] = (double)units[c] * unit;
    for (int64_t i = 0; i < size && lanes->whole; i++) {
        int64_t number = keys[i] >> shift;
        double times = (double)times_of(lanes, number);
        for (int64_t c = 0; c < k; c++) counts[c] += lanes->channels[row_at(lanes, number) * k + c] * times;
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
INLINE void open_child(const Lanes *lanes, LaneGrowth *g, Open child, int64_t size)
{
    if (size > 1 && !is_closed(lanes, g->counts + child.node * lanes->k, child.depth)) g->open[g->state[N_OPEN]++] = child;
}

/* Put the keys of a node on the left of a drawn cut first in `ordered`, and return how many. Each round writes one of
   two places. */
static int64_t order_by_cut(const Lanes *lanes, const LaneNode *node, const Cut *cut, const int32_t *keys, int32_t *ordered)
{
    const double *x = lanes->x + cut->feature * lanes->by_feature;
    const int64_t shift = lanes->rules->shift;
    int64_t left = 0, right = node->size;
    for (int64_t i = 0; i < node->size; i++) {
        bool above = x[(keys[i] >> shift) - lanes->from] > cut->threshold;
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
        .below = (int32_t)row_at(lanes, keys[middle - 1] >> shift),
        .above = (int32_t)row_at(lanes, keys[middle] >> shift),
    };
    if (g->at) g->at[number] = is_drawn ? cut->threshold : threshold_between(g->x + cut->feature * lanes->n, own);
    g->nodes[child].feature = -1;
    g->nodes[child + 1].feature = -1;
    g->state[N_NODES] += 2;
}

/* Open the children of a node, of which the left one has `middle` rows. They share its range if there is a first sharer. */
static void open_children(const Lanes *lanes, LaneGrowth *g, const Open *here, int64_t size, int64_t middle, int64_t first_sharer)
{
    const int64_t child = g->nodes[here->node].first;
    Open left = {.low = here->low, .high = here->high, .node = child, .depth = here->depth + 1, .first_sharer = first_sharer};
    Open right = left;
    right.node = child + 1;
    left.key = key_of_child(here->key, 0);
    right.key = key_of_child(here->key, 1);
    if (!first_sharer) {
        left.high = here->low + middle;
        right.low = here->low + middle;
    }
    open_child(lanes, g, left, middle);
    open_child(lanes, g, right, size - middle);
}

/* Part the lanes of a node between its children, or mark its rows where they share its range. */
static void part_node(const Lanes *lanes, LaneGrowth *g, const Open *here, const LaneNode *node, const Cut *cut,
                      const int32_t *keys, int64_t middle, int64_t first_sharer)
{
    const bool is_drawn = lanes->searched[cut->feature].is_drawn != 0;
    if (lanes->l == 1 && !lanes->whole) { /* a lane in no order */
        int32_t *lane = lanes->keys + here->low;
        for (int64_t i = 0; i < node->size && is_drawn; i++) lane[i] = keys[i];
        return;
    }
    const int64_t of_left = first_sharer ? g->nodes[here->node].first - first_sharer : 0; /* the right child has the next mark */
    for (int64_t i = 0; i < node->size; i++) lanes->marks[keys[i] >> lanes->rules->shift] = (uint8_t)(of_left + (i >= middle));
    if (!first_sharer)
        ftree_part_lanes(lanes->rules, lanes->keys, lanes->distinct, here->low, here->high, is_drawn ? -1 : cut->feature,
                         lanes->marks, g->room.keys, lanes->l, lanes->n);
}

/* Divide a node by a cut of its keys in a lane, unless a child has too few cases. */
static void divide(const Lanes *lanes, LaneGrowth *g, const Open *here, const LaneNode *node, const Cut *cut, const int32_t *keys)
{
    const int64_t child = g->state[N_NODES], n_open = g->state[N_OPEN];
    int64_t middle = cut->at, first_sharer = here->first_sharer;
    if (lanes->searched[cut->feature].is_drawn) {
        middle = order_by_cut(lanes, node, cut, keys, g->room.keys);
        keys = g->room.keys;
    }
    if (!count_sides(lanes, node, keys, middle, g->room.sides, g->counts + child * lanes->k)) return;
    if (!first_sharer && lanes->whole && node->size <= MOST_UNPARTED) first_sharer = child;
    note_split(lanes, g, here->node, cut, keys, middle);
    open_children(lanes, g, here, node->size, middle, first_sharer);
    if (g->state[N_OPEN] > n_open)
        part_node(lanes, g, here, node, cut, keys, middle, first_sharer); /* rows of leaves may be anywhere */
}

/* Take the cut that the caller has decided for a node of classes out of the node, which is a leaf until it is divided: the cut
   is before the first key of the value above its threshold. */
static Cut decided_cut(const Lanes *lanes, const LaneNode *node, GrownNode *decided)
{
    const int32_t *keys = lane_at(lanes, node, decided->feature);
    int64_t at = first_key_of_value(lanes->rules, keys, lanes->row_of, decided->above);
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
    if (cut.feature >= 0 && cut.gain >= lanes->rules->gain)
        divide(lanes, g, here, &node, &cut, keys_of_node(lanes, g, &node, cut.feature));
    return GROWN;
}

/* Grow open nodes until none is left, about so many `steps` are made, or one is left to the caller. Rows are numbered
   as in `far`, but in a small node of a large table as in `near`, which it is then given. */
static int64_t grow_nodes(LaneGrowth *g, const Lanes *far, Lanes *near, const Near *to, int64_t steps)
{
    int64_t left = GROWN;
    while (g->state[N_OPEN] && steps > 0 && left == GROWN) {
        const Open here = g->open[g->state[N_OPEN] - 1];
        if (is_closed(far, g->counts + here.node * far->k, here.depth)) { /* the root, or opened by Python */
            g->state[N_OPEN]--;
            continue;
        }
        if (to->row_of[here.low] < 0 && here.high - here.low <= NEAR && far->n > 2 * NEAR) {
            bring_near(far, to, &here, g->x);
            near->from = here.low;
        }
        left = grow_node(to->row_of[here.low] < 0 ? far : near, g, &here, &steps);
    }
    g->state[NEAR_FROM] = near->from;
    return left;
}

/* The table with rows that are numbered by their places, of which those from `from` on have their values in near_x. */
static Lanes near_lanes(const Lanes *far, const Near *to, int64_t from)
{
    Lanes near = *far;
    near.row_of = to->row_of;
    near.whole = far->whole ? to->whole : NULL;
    near.times = far->times ? to->times : NULL;
    near.marks = far->marks + far->n;
    near.x = to->x;
    near.by_feature = to->by_feature;
    near.from = from;
    return near;
}

/* Divide memory for a part of a tree whose root has so many rows, and return how many words it takes. */
static int64_t lay_out(int64_t f, int64_t k, int64_t rows, bool draws_cuts, uint64_t *words, LaneRoom *room)
{
    Memory memory = {words, 0};
    room->keys = take(&memory, rows, sizeof(int32_t));
    room->copied = take(&memory, MOST_UNPARTED, sizeof(int32_t));
    room->values = take(&memory, draws_cuts ? rows : 0, sizeof(double));
    room->drawn = take(&memory, f, sizeof(Drawn));
    room->cuts = take(&memory, f, sizeof(Cut));
    room->sides = take(&memory, 2 * k, sizeof(int64_t));
    return memory.n_taken;
}

/* How many words of memory a call needs: see memory.h. */
FTREE_API int64_t ftree_grow_lanes_words(int64_t f, int64_t k, int64_t rows, int64_t draws_cuts)
{
    LaneRoom room;
    return lay_out(f, k, rows, draws_cuts != 0, NULL, &room);
}

/* Grow the subtrees of open nodes for about so many `steps` of rows through lanes. The result is what is left to the
   caller: GROWN, or UNSURE about the last open node.

   The arguments come in groups, each from a line of its own: the table (`PresortedTable.given` in presorted_columns.py
   of ftree/growth/depth_first), the search (`Drawing` in presorted_growth.py), what grows (`PresortedPart` there),
   memory, and lengths. Arrays that may be empty count as NULL. For most see Lanes and LaneGrowth; the others are:
     state   (4,)    see N_NODES and NEAR_FROM;
     places  (2, n)  the place of each row; the row at each place, -1 where keys have rows;
     whole  (2, n, a), times, marks  (2, n)  by row, and by place;
     near_x  (f, b)  the values of a node whose keys have places, by place; b is 0 if no cuts are drawn;
     rows            those of the root of the part that grows;
     memory          as many words as ftree_grow_lanes_words says. */
/* clang-format off */
FTREE_API int64_t ftree_grow_lanes(
    const GrowthRules *rules, int32_t *keys, const uint8_t *distinct, const SearchedFeature *searched, const int64_t *table,
    int64_t *whole, const double *scales, int64_t *times, const double *channels, const int64_t *limbs,
    int32_t *places, uint8_t *marks,
    const Search *search, const double *x, double *at, double *near_x,
    int64_t steps, int64_t *state, Open *open, GrownNode *nodes, double *counts, int64_t rows, uint64_t *memory,
    int64_t l, int64_t n, int64_t f, int64_t s, int64_t w, int64_t a, int64_t t, int64_t k, int64_t d, int64_t b)
/* clang-format on */
{
    const Near to = {
        .place_of = places,
        .row_of = places + n,
        .whole = whole + w * a,
        .times = times + t,
        .x = near_x,
        .by_feature = b,
    };
    const Lanes far = {
        .rules = rules,
        .keys = keys,
        .distinct = distinct,
        .searched = searched,
        .table = s ? table : NULL,
        .whole = w ? whole : NULL,
        .scales = scales,
        .times = t ? times : NULL,
        .channels = channels,
        .limbs = limbs,
        .f = f,
        .n = n,
        .k = k,
        .l = l,
        .a = a,
        .marks = marks,
        .x = x,
        .by_feature = n,
    };
    Lanes near = near_lanes(&far, &to, state[NEAR_FROM]);
    LaneGrowth g = {
        .state = state,
        .search = search,
        .x = x,
        .nodes = nodes,
        .counts = counts,
        .at = d ? at : NULL,
        .open = open,
    };
    const int64_t n_words = lay_out(f, k, rows, b > 0, memory, &g.room);
    const int64_t left = grow_nodes(&g, &far, &near, &to, steps);
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

/* Depth-first growth of a classification tree of numbers: thresholds by Gini or entropy, all rows counted once.

   Each feature is a lane of keys, one a row, sorted once by value. A node is the same range of all lanes, and a split parts every
   lane stably, so that children are ranges of sorted lanes again. Calls share nothing but lanes: threads may sort, scan or part
   different lanes of a node, and grow disjoint ranges, at the same time.

   Growing tells what a key holds, here without missing values. A cut after p rows has p rows on its left. The first feature and cut
   of equal ones is chosen; where rounding could decide, the node is left open for the search in NumPy. */
#include "native.h"

/* Cuts that are scored together, so that their scores are compared at once; few enough for a small stack. */
#define BLOCK 128
/* Up to so many items are sorted by insertion. */
#define FEW 48

typedef struct {
    const Growing *rules;
    int32_t *keys;           /* (f, n) */
    const uint8_t *distinct; /* (f,): whether no value occurs twice */
    const int64_t *table;    /* n log2 n in units, for entropy */
    const int64_t *least;    /* (f,): the least rows of a child */
    int64_t f, n;
} Lanes;

/* ---- Sorting ---- */

static void sort_by_insertion(Item *items, int64_t n, const double *x)
{
    for (int64_t i = 1, j; i < n; i++) {
        Item item = items[i];
        for (j = i; j > 0 && x[items[j - 1].row] > x[item.row]; j--) items[j] = items[j - 1];
        items[j] = item;
    }
}

/* Write the place of each item, which never falls as its value grows, and count the bytes of places; false if all are equal. */
static bool place_items(Item *items, int64_t n, const double *x, uint32_t *count)
{
    double low = INFINITY, high = -INFINITY;
    for (int64_t i = 0; i < n; i++) {
        double value = x[items[i].row];
        low = value < low ? value : low;
        high = value > high ? value : high;
    }
    if (low == high) return false;
    /* Halves, since the span of two numbers may be infinite; numbers that are closer than floats can divide by are enlarged. */
    bool close = high / 2 - low / 2 < 1e-280;
    double half = close ? 1.0 : 0.5, enlarged = close ? 0x1p600 : 1.0;
    double base = low * half, factor = 4294967294.0 / ((high * half - base) * enlarged);
    bool endless = low == -INFINITY || high == INFINITY; /* these come first and last, and finite numbers have one place */
    for (int64_t i = 0; i < n; i++) {
        double value = x[items[i].row];
        uint32_t place = endless ? (value > -INFINITY) + (uint32_t)(value == INFINITY)
                                 : (uint32_t)(int64_t)((value * half - base) * enlarged * factor);
        items[i].place = place;
        for (int byte = 0; byte < 4; byte++) count[256 * byte + (place >> (8 * byte) & 255)]++;
    }
    return true;
}

/* Move items in the order of one byte of their places; `start` has the number of items with each byte. */
INLINE void move_items(const Item *from, Item *to, int64_t n, uint32_t *start, int byte)
{
    uint32_t sum = 0;
    for (int b = 0; b < 256; b++) {
        uint32_t here = start[b];
        start[b] = sum;
        sum += here;
    }
    for (int64_t i = 0; i < n; i++) to[start[from[i].place >> (8 * byte) & 255]++] = from[i];
}

/* Sort items by their values x: by their places, which are 32 bits, then items of one place among themselves. `room` (n,) and `count`
   (4, 256). */
static void sort_items(Item *items, Item *room, int64_t n, const double *x, uint32_t *count)
{
    if (n <= FEW) {
        sort_by_insertion(items, n, x);
        return;
    }
    for (int i = 0; i < 4 * 256; i++) count[i] = 0;
    if (!place_items(items, n, x, count)) return;
    move_items(items, room, n, count, 0);
    move_items(room, items, n, count + 256, 1);
    move_items(items, room, n, count + 2 * 256, 2);
    move_items(room, items, n, count + 3 * 256, 3);
    for (int64_t i = 0, j; i < n; i = j) {
        for (j = i + 1; j < n && items[j].place == items[i].place; j++) {}
        if (j - i > 1) sort_items(items + i, room, j - i, x, count);
    }
}

/* Sort the values x (n,) of a feature into its lane of keys (n,), missing ones last; the result is whether no value occurs twice. */
FTREE_API int64_t ftree_sort_lane(const double *x, const uint8_t *label, int64_t shift, Item *items, Item *room, uint32_t *count,
                                  int32_t *lane, int64_t n)
{
    bool distinct = true;
    int64_t known = 0;
    for (int64_t i = 0, last = n; i < n; i++) items[x[i] == x[i] ? known++ : --last] = (Item){0, (uint32_t)i};
    sort_items(items, room, known, x, count);
    for (int64_t i = 0; i < n; i++) {
        uint32_t row = items[i].row;
        bool is_new = i == 0 || i == known || (i < known && x[row] != x[items[i - 1].row]);
        distinct &= is_new;
        lane[i] = (int32_t)(row << shift | (uint32_t)is_new << (shift - 1) | (i >= known ? 1u << (shift - 2) : 0) | label[row]);
    }
    return distinct;
}

/* ---- Scanning ---- */

/* The cuts of one lane of a node, scored from left to right. A gain is a score times `unit`, less `offset`. The sum over classes, of
   squared counts or of n log2 n, is `whole` for the node; so far, `inner` is that on the left, and `outer` that on the right, for Gini
   as bits of floats, while for entropy `inner` is the sum of both. */
typedef struct {
    const int32_t *keys;
    const int64_t *table, *all; /* all (k,): the rows of each class */
    int64_t *left;              /* (k,): the rows of each class on the left so far */
    int64_t n, least, k, mask, whole, inner, outer;
    double offset, unit;
    int32_t is_new;
    bool distinct, entropy;
} Scan;

/* The bits of the float 2^52: with a smaller whole number added to them, they are those of the sum. */
#define BITS_OF_2_52 0x4330000000000000

static void restart(Scan *s)
{
    for (int64_t c = 0; c < s->k; c++) s->left[c] = 0;
    s->inner = s->entropy ? s->whole : BITS_OF_2_52;
    s->outer = BITS_OF_2_52 + (s->entropy ? 0 : s->whole);
}

/* Gini of two classes: with d = n * ones on the left - ones * n on the left, the gain is 2 d^2 / (n^2 left right). */
INLINE void score_gini_of_two(Scan *s, int64_t p, int64_t size, double *score)
{
    int32_t ones = (int32_t)s->left[1], count[BLOCK];
    double n = (double)s->n, all = (double)s->all[1];
    for (int64_t j = 0; j < size; j++) {
        ones += s->keys[p - 1 + j] & 1;
        count[j] = ones;
    }
    s->left[1] = ones;
#pragma omp simd
    for (int32_t j = 0; j < (int32_t)size; j++) {
        double left = (double)((int32_t)p + j), d = n * count[j] - left * all;
        score[j] = d * d / (left * (n - left));
    }
}

/* Gini of more classes, by the sums of squared counts on both sides, which are whole numbers below 2^52. */
INLINE void score_gini(Scan *s, int64_t p, int64_t size, double *score)
{
    union {
        int64_t bits[BLOCK];
        double plus[BLOCK];
    } inner, outer;
    int64_t sum = s->inner, rest = s->outer;
    double n = (double)s->n;
    for (int64_t j = 0; j < size; j++) {
        int64_t c = s->keys[p - 1 + j] & s->mask, more = 2 * s->left[c]++ + 1;
        sum += more;
        rest += more - 2 * s->all[c];
        inner.bits[j] = sum;
        outer.bits[j] = rest;
    }
    s->inner = sum;
    s->outer = rest;
#pragma omp simd
    for (int32_t j = 0; j < (int32_t)size; j++) {
        double left = (double)((int32_t)p + j), right = n - left;
        score[j] = ((inner.plus[j] - 0x1p52) * right + (outer.plus[j] - 0x1p52) * left) / (left * right);
    }
}

INLINE void score_entropy_of_two(Scan *s, int64_t p, int64_t size, double *score)
{
    const int64_t *t = s->table, zeros = s->all[0], all = s->all[1];
    int64_t ones = s->left[1];
    for (int64_t j = 0; j < size; j++) {
        int64_t left = p + j, right = s->n - left;
        ones += s->keys[left - 1] & 1;
        int64_t inner = t[ones] + t[left - ones] + t[all - ones] + t[zeros - (left - ones)];
        score[j] = (double)(inner - t[left] - t[right] - (s->whole - t[s->n]));
    }
    s->left[1] = ones;
}

INLINE void score_entropy(Scan *s, int64_t p, int64_t size, double *score)
{
    const int64_t *t = s->table;
    int64_t inner = s->inner, whole = s->whole - t[s->n];
    for (int64_t j = 0; j < size; j++) {
        int64_t c = s->keys[p - 1 + j] & s->mask, left = s->left[c]++, right = s->all[c] - left, cut = p + j;
        inner += (t[left + 1] - t[left]) - (t[right] - t[right - 1]);
        score[j] = (double)(inner - t[cut] - t[s->n - cut] - whole);
    }
    s->inner = inner;
}

/* Score the cuts from p on; those between equal values, or with too few rows on a side, are no cuts. */
INLINE void score_block(Scan *s, int64_t p, int64_t size, double *score)
{
    if (s->k == 2 && s->entropy) score_entropy_of_two(s, p, size, score);
    else if (s->k == 2) score_gini_of_two(s, p, size, score);
    else if (s->entropy) score_entropy(s, p, size, score);
    else score_gini(s, p, size, score);
    if (!s->distinct) {
        const int32_t is_new = s->is_new, *keys = s->keys + p;
#pragma omp simd
        for (int32_t j = 0; j < (int32_t)size; j++) score[j] = keys[j] & is_new ? score[j] : NOTHING;
    }
    for (int64_t j = 0; j < size && s->least > 1; j++)
        if (p + j < s->least || s->n - p - j < s->least) score[j] = NOTHING;
}

static double best_gain(Scan *s)
{
    double score[BLOCK], best = NOTHING;
    restart(s);
    for (int64_t p = 1; p < s->n; p += BLOCK) {
        int64_t size = s->n - p < BLOCK ? s->n - p : BLOCK;
        score_block(s, p, size, score);
#pragma omp simd reduction(max : best)
        for (int32_t j = 0; j < (int32_t)size; j++) best = score[j] > best ? score[j] : best;
    }
    /* Without a cut, clang's reduction gives the least finite number, which OpenMP starts from, and gcc's minus infinity. */
    return best > -0x1p1000 ? best * s->unit - s->offset : NOTHING;
}

/* The first cut that ties with the best gain, and whether that is too close to call. */
static Cut first_cut(Scan *s, double best)
{
    double score[BLOCK], enough = (best - TIE - GUARD + s->offset) / s->unit;
    restart(s);
    for (int64_t p = 1; p < s->n; p += BLOCK) {
        int64_t size = s->n - p < BLOCK ? s->n - p : BLOCK;
        score_block(s, p, size, score);
        for (int64_t j = 0; j < size; j++) {
            double gain = score[j] * s->unit - s->offset;
            if (score[j] >= enough) return (Cut){gain, p + j, 0, gain < best - TIE + GUARD, 0};
        }
    }
    return (Cut){NOTHING, 0, 0, 1, 0};
}

/* A scan of the lanes of a node with n rows, so many of each class (k,); `left` (k,) is room. */
static Scan scan_of(const Lanes *lanes, int64_t n, const int64_t *all, int64_t *left)
{
    const Growing *rules = lanes->rules;
    Scan s = {.all = all, .left = left, .table = lanes->table, .n = n, .k = rules->n_classes, .entropy = rules->impurity == ENTROPY,
              .is_new = new_bit(rules), .mask = new_bit(rules) - 1};
    double rows = (double)n;
    for (int64_t c = 0; c < s.k; c++) s.whole += s.entropy ? s.table[all[c]] : all[c] * all[c];
    if (s.entropy) s.unit = 1 / (rows * rules->unit);
    else if (s.k == 2) s.unit = 2 / (rows * rows);
    else s.unit = 1 / rows, s.offset = (double)s.whole / (rows * rows);
    return s;
}

static void set_lane(Scan *s, const Lanes *lanes, int64_t f, int64_t low)
{
    s->keys = lanes->keys + f * lanes->n + low;
    s->distinct = lanes->distinct[f];
    s->least = lanes->least[f];
}

/* The best gains (f,) of the lanes of a node from `first` to `last`; all (k,), room (k,). */
FTREE_API int64_t ftree_scan_lanes(const Growing *rules, int32_t *keys, const uint8_t *distinct, const int64_t *table,
                                   const int64_t *least, int64_t low, int64_t high, const int64_t *all, int64_t first,
                                   int64_t last, int64_t *room, double *gains, int64_t f, int64_t n, int64_t k)
{
    Lanes lanes = {rules, keys, distinct, table, least, f, n};
    Scan s = scan_of(&lanes, high - low, all, room);
    for (int64_t i = first; i < last; i++) {
        set_lane(&s, &lanes, i, low);
        gains[i] = best_gain(&s);
    }
    (void)k;
    return 0;
}

/* The cut of a node, given the best gain of each feature (f,), and the rows of each class on its left; feature -1 is none. Only
   features that gain as much as the best one, but for rounding, are scanned again. */
static Cut choose(const Lanes *lanes, int64_t low, int64_t high, const int64_t *all, const double *gains, int64_t *left)
{
    const Growing *rules = lanes->rules;
    Scan s = scan_of(lanes, high - low, all, left);
    double most = NOTHING, best = NOTHING, enough;
    Cut found = {NOTHING, 0, -1, 0, 0};
    bool unsure = false;
    for (int64_t f = 0; f < lanes->f; f++) most = gains[f] > most ? gains[f] : most;
    if (most == NOTHING) return found;
    for (int turn = 0; turn < 2 && found.feature < 0; turn++) { /* the best of first cuts, then the first that ties with it */
        enough = best - TIE;
        for (int64_t f = 0; f < lanes->f && found.feature < 0; f++) {
            if (gains[f] < most - 3 * TIE) continue; /* a first cut may gain TIE less than the best one */
            set_lane(&s, lanes, f, low);
            Cut own = first_cut(&s, gains[f]);
            unsure |= own.unsure != 0;
            if (turn == 0) best = own.gain > best ? own.gain : best;
            else if (own.gain >= enough) found = own, found.feature = (int32_t)f;
            unsure |= turn && own.gain > enough - GUARD && own.gain < enough + GUARD;
        }
    }
    double rest = found.gain - rules->gain;
    found.unsure = unsure || (rest < GUARD && rest > -GUARD);
    set_lane(&s, lanes, found.feature, low);
    for (int64_t c = 0; c < s.k; c++) left[c] = 0;
    for (int64_t i = 0; i < found.at; i++) left[s.keys[i] & s.mask]++;
    double smaller = (double)(found.at < s.n - found.at ? found.at : s.n - found.at);
    if (rest < 0 || smaller < rules->leaf) found.feature = -1;
    found.at += low;
    return found;
}

/* ---- Parting ---- */

/* Mark the rows of a node that go right, a byte each. */
static void mark(const Lanes *lanes, int64_t low, int64_t high, const Cut *cut, uint8_t *right)
{
    const int32_t *own = lanes->keys + cut->feature * lanes->n;
    for (int64_t i = low; i < high; i++) right[own[i] >> lanes->rules->shift] = i >= cut->at;
}

/* Part keys whose values differ: the left ones stay, the right ones are listed in `room`; the number of right ones. */
INLINE int64_t part_distinct(int32_t *keys, int64_t n, const uint8_t *right, int64_t shift, int32_t *room)
{
    int64_t behind = 0;
    for (int64_t i = 0; i < n; i++) {
        int32_t key = keys[i];
        keys[i - behind] = room[behind] = key;
        behind += right[key >> shift];
    }
    return behind;
}

/* The same for values that may be equal. */
INLINE int64_t part_repeated(int32_t *keys, int64_t n, const uint8_t *right, int64_t shift, int32_t *room)
{
    const uint32_t is_new = 1u << (shift - 1);
    uint32_t due = 0;
    int64_t behind = 0;
    for (int64_t i = 0; i < n; i++) {
        uint32_t key = (uint32_t)keys[i], side = right[key >> shift];
        keys[i - behind] = room[behind] = (int32_t)key_on_side(key, side, is_new, &due);
        behind += side;
    }
    return behind;
}

/* Part the lanes of a node from `first` to `last` by the marks of its rows, but for that of the cut itself, which is in order. */
FTREE_API int64_t ftree_part_lanes(const Growing *rules, int32_t *keys, const uint8_t *distinct, int64_t low, int64_t high,
                                   int64_t own, const uint8_t *right, int64_t first, int64_t last, int32_t *room, int64_t f,
                                   int64_t n, int64_t r)
{
    const int64_t size = high - low, shift = rules->shift;
    for (int64_t i = first; i < last; i++) {
        int32_t *lane = keys + i * n + low;
        if (i == own) continue;
        int64_t behind = distinct[i] ? part_distinct(lane, size, right, shift, room) : part_repeated(lane, size, right, shift, room);
        for (int64_t j = 0; j < behind; j++) lane[size - behind + j] = room[j];
    }
    (void)f, (void)r;
    return 0;
}

/* ---- Growth ---- */

/* Whether a stopping rule closes a node by its rows of each class (k,) and its depth. */
static bool is_closed(const Growing *rules, const int64_t *all, int64_t depth)
{
    double n = 0, most = 0;
    for (int64_t c = 0; c < rules->n_classes; c++) {
        double own = (double)all[c];
        n += own;
        most = own > most ? own : most;
    }
    return (rules->pure != 0 && most >= n) || (double)depth >= rules->depth || n < rules->rows || n - most < rules->errors;
}

/* Fill the cut of a node and the rows of each class on its left, left (k,), and mark its rows that go right; 1 if it is closed. */
FTREE_API int64_t ftree_choose(const Growing *rules, int32_t *keys, const uint8_t *distinct, const int64_t *table,
                               const int64_t *least, int64_t low, int64_t high, int64_t depth, const int64_t *all,
                               const double *gains, int64_t *left, uint8_t *right, Cut *cut, int64_t f, int64_t n, int64_t k)
{
    Lanes lanes = {rules, keys, distinct, table, least, f, n};
    (void)k;
    *cut = (Cut){NOTHING, 0, -1, 0, 0};
    if (is_closed(rules, all, depth)) return 1;
    *cut = choose(&lanes, low, high, all, gains, left);
    if (cut->feature >= 0) mark(&lanes, low, high, cut, right);
    return cut->feature < 0;
}

/* Note the split of a node, and open those of its two children that no rule closes; the new height of the stack. The left child's
   counts are there already. */
static int64_t divide_node(const Lanes *lanes, const Open *here, const Cut *cut, int64_t child, GrownNode *nodes,
                           int64_t *counts, Open *open, int64_t height)
{
    const int32_t *own = lanes->keys + cut->feature * lanes->n;
    const int64_t k = lanes->rules->n_classes, shift = lanes->rules->shift, *all = counts + here->node * k;
    int64_t *one = counts + child * k, *two = one + k, depth = here->depth + 1;
    nodes[here->node] = (GrownNode){cut->feature, (int32_t)child, own[cut->at - 1] >> shift, own[cut->at] >> shift};
    for (int64_t c = 0; c < k; c++) two[c] = all[c] - one[c];
    nodes[child].feature = nodes[child + 1].feature = -1;
    if (!is_closed(lanes->rules, one, depth)) open[height++] = (Open){here->low, cut->at, child, depth, 0, 0};
    if (!is_closed(lanes->rules, two, depth)) open[height++] = (Open){cut->at, here->high, child + 1, depth, 0, 0};
    return height;
}

/* Grow the subtree of an open node, for so many `steps` of rows through lanes; the number of nodes so far. `state` (2,) has that number
   and the height of the stack `open` (m,) of nodes that are left. A node is its feature, -1 for a leaf, its first child, and the
   rows whose values are next to the threshold; where a choice is too close to call: -2, its depth, and its range.
   counts (m, k) are those of the nodes; all else is room: r for the rows of the subtree's root, right (n,) for all rows. */
FTREE_API int64_t ftree_grow_lanes(const Growing *rules, int32_t *keys, const uint8_t *distinct, const int64_t *table,
                                   const int64_t *least, int64_t steps, int64_t *state, Open *open, GrownNode *nodes,
                                   int64_t *counts, uint8_t *right, int32_t *room, double *gains, int64_t *left, int64_t f,
                                   int64_t n, int64_t m, int64_t k, int64_t r)
{
    Lanes lanes = {rules, keys, distinct, table, least, f, n};
    int64_t n_nodes = state[0], height = state[1];
    while (height && steps > 0) {
        Open here = open[--height];
        const int64_t *all = counts + here.node * k;
        if (is_closed(rules, all, here.depth)) continue; /* the first node; others are opened only if they are not closed */
        ftree_scan_lanes(rules, keys, distinct, table, least, here.low, here.high, all, 0, f, left, gains, f, n, k);
        Cut cut = choose(&lanes, here.low, here.high, all, gains, counts + n_nodes * k);
        steps -= (here.high - here.low) * f + 1;
        if (cut.unsure) nodes[here.node] = (GrownNode){-2, (int32_t)here.depth, (int32_t)here.low, (int32_t)here.high};
        if (cut.unsure || cut.feature < 0) continue;
        int64_t before = height;
        height = divide_node(&lanes, &here, &cut, n_nodes, nodes, counts, open, height);
        n_nodes += 2;
        if (height == before) continue; /* two leaves: nobody asks where their rows are */
        mark(&lanes, here.low, here.high, &cut, right);
        ftree_part_lanes(rules, keys, distinct, here.low, here.high, cut.feature, right, 0, f, room, f, n, r);
    }
    state[0] = n_nodes;
    state[1] = height;
    (void)m;
    return n_nodes;
}

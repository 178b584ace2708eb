/* Trees of classes whose nodes look at a few drawn features, or at drawn cuts: the trees of forests.

   Keeping every feature in order pays only where every feature is searched. So nothing is kept in order here: a node has a range of
   entries, the rows of a bag with their weights, and each feature that it looks at is sorted there by ranks, or cut at random without
   sorting. Random numbers are those of `ftree._lib.random_numbers`. A tree in which rounding could decide a choice is not grown. */
#include "native.h"

/* Cuts that are scored together, few enough for a frame below 4 kB: more asks for a C runtime on Windows. */
#define BLOCK 128
/* Up to so many keys are sorted by insertion; a pass over more looks at as many bits as their number has, within limits. */
#define FEW 32
#define LEAST_BITS 5
#define MOST_BITS 11
/* With up to so many classes, each is added up in a pass of its own, which compilers vectorise. */
#define FEW_CLASSES 4

typedef struct {
    const Growing *rules;
    const Search *search;
    const SearchedFeature *features;
    const double *x;       /* (f, n): the values of rows where cuts are drawn; else the distinct values in order */
    const uint32_t *ranks; /* (f, n): the places of rows among these */
    const double *table;   /* (s,): n log2 n */
    uint32_t *row;         /* entries (e,) */
    int32_t *label;
    double *weight;
    double *near_x;       /* (f, b): columns of the rows of a local node */
    uint32_t *near_ranks; /* (f, b) */
    Drawn *drawn;         /* (f,) */
    Cut *cuts;            /* (f,) */
    double *left;         /* (f + 1, k): the weights on the left of cuts, and room for one side */
    uint64_t *keys, *spare; /* (e,) */
    double *room;           /* (e,) */
    int64_t f, n, s, e, b, k;
} Forest;

/* The node at which a search looks: its entries from `low` on, the weight of each class (k,) and of all, and its impurity times this. */
typedef struct {
    int64_t low, size, local;
    uint64_t key;
    const double *total;
    double n, loss;
} Looking;

/* ---- Draws ---- */

/* List the `search->n` features with the smallest draws that are larger than those listed before. */
static void list_next(Draws *d)
{
    uint64_t above = d->n_listed ? d->listed[d->n_listed - 1].draw + 1 : 0, start = hashed(d->search->stream ^ d->key);
    int64_t n = 0, most = d->search->n;
    for (int64_t f = 0, j; f < d->f; f++) {
        uint64_t draw = hashed(start ^ d->features[f].hash) >> 11;
        if (draw < above || (n == most && draw >= d->listed[n - 1].draw)) continue;
        n += n < most;
        for (j = n - 1; j > 0 && d->listed[j - 1].draw > draw; j--) d->listed[j] = d->listed[j - 1];
        d->listed[j] = (Drawn){draw, f};
    }
    d->n_listed = n;
    d->n_taken = 0;
}

int64_t ftree_next_feature(Draws *d)
{
    if (d->search->n >= d->f) return d->n_taken < d->f ? d->n_taken++ : -1;
    if (d->n_taken == d->n_listed) list_next(d);
    return d->n_taken < d->n_listed ? d->listed[d->n_taken++].feature : -1;
}

/* The largest float below a finite one. */
static double below(double x)
{
    union {
        double number;
        int64_t bits;
    } u = {x};
    if (x == 0) return -0x1p-1074;
    u.bits += x > 0 ? -1 : 1;
    return u.number;
}

double ftree_drawn_cut(const SearchedFeature *feature, uint64_t key, double least, double most)
{
    double share = (double)(hashed(hashed(feature->stream ^ key) ^ feature->hash) >> 11) * 0x1p-53;
    double cut = least * (1 - share) + most * share, last = below(most);
    cut = cut > least ? cut : least;
    return cut < last ? cut : last;
}

/* ---- Impurity ---- */

INLINE double n_log_n(const Forest *t, double n)
{
    if (n <= 0) return 0;
    return t->s ? t->table[(int64_t)n] : n * log_2(n);
}

/* The impurity of class weights (k,) times their sum n. */
static double loss_of(const Forest *t, const double *counts, double n)
{
    const int64_t impurity = t->rules->impurity;
    double inner = 0, share = n > 0 ? 1 / n : 0;
    for (int64_t c = 0; c < t->k; c++) {
        double own = counts[c];
        if (impurity == ENTROPY) inner += n_log_n(t, own);
        else if (impurity == GINI) inner += own * (own * share);
        else inner = own > inner ? own : inner;
    }
    return (impurity == ENTROPY ? n_log_n(t, n) : n) - inner;
}

static double sum_of(const double *counts, int64_t k)
{
    double sum = 0;
    for (int64_t c = 0; c < k; c++) sum += counts[c];
    return sum;
}

/* What a cut takes off a node's impurity, given the weights on its left (k,). */
INLINE double gain_of(const Forest *t, const Looking *at, const double *left)
{
    double *right = t->left + t->f * t->k, n_left = sum_of(left, t->k);
    for (int64_t c = 0; c < t->k; c++) right[c] = at->total[c] - left[c];
    return (at->loss - loss_of(t, left, n_left) - loss_of(t, right, at->n - n_left)) / at->n;
}

/* ---- The best cut of a feature ---- */

INLINE void sort_by_insertion(uint64_t *keys, int64_t n)
{
    for (int64_t i = 1, j; i < n; i++) {
        uint64_t key = keys[i];
        for (j = i; j > 0 && keys[j - 1] > key; j--) keys[j] = keys[j - 1];
        keys[j] = key;
    }
}

/* The number of bits of a number above 0. */
INLINE int64_t bits_of(uint64_t number) { return 64 - __builtin_clzll(number); }

/* Sort keys by the bits from 32 on, those between `least` and `most`; the sorted ones are one of the two arrays. `start` (2 n,) is room. */
static uint64_t *sort_by_digits(uint64_t *keys, uint64_t *spare, uint32_t *start, int64_t n, uint64_t least, uint64_t most)
{
    int64_t bits = bits_of(most - least), width = bits_of((uint64_t)n);
    width = width < LEAST_BITS ? LEAST_BITS : width > MOST_BITS ? MOST_BITS : width;
    int64_t passes = (bits + width - 1) / width;
    width = (bits + passes - 1) / passes;
    uint64_t base = least << 32, mask = ((uint64_t)1 << width) - 1;
    for (int64_t pass = 0; pass < passes; pass++) {
        uint32_t sum = 0;
        int64_t shift = 32 + pass * width;
        for (uint64_t d = 0; d <= mask; d++) start[d] = 0;
        for (int64_t i = 0; i < n; i++) start[(keys[i] - base) >> shift & mask]++;
        for (uint64_t d = 0; d <= mask; d++) {
            uint32_t here = start[d];
            start[d] = sum;
            sum += here;
        }
        for (int64_t i = 0; i < n; i++) spare[start[(keys[i] - base) >> shift & mask]++] = keys[i];
        uint64_t *other = keys;
        keys = spare;
        spare = other;
    }
    return keys;
}

/* The entries of a node by rank, as keys of rank and place; NULL if all have one rank. */
static const uint64_t *sorted_keys(const Forest *t, const Looking *at, const uint32_t *ranks)
{
    const uint32_t *row = t->row + at->low;
    uint32_t least = ranks[row[0]], most = least;
    for (int64_t i = 0; i < at->size; i++) {
        uint32_t rank = ranks[row[i]];
        t->keys[i] = (uint64_t)rank << 32 | (uint64_t)i;
        least = rank < least ? rank : least;
        most = rank > most ? rank : most;
    }
    if (least == most) return NULL;
    if (at->size > FEW) return sort_by_digits(t->keys, t->spare, (uint32_t *)t->room, at->size, least, most);
    sort_by_insertion(t->keys, at->size);
    return t->keys;
}

/* Gini of two classes: with d = ones on the left / n - share of ones * left / n, the gain is 2 d^2 / (left / n * right / n). */
INLINE void score_gini_of_two(const Forest *t, const Looking *at, const uint64_t *keys, double *gains)
{
    const int32_t *label = t->label + at->low;
    const double *weight = t->weight + at->low;
    double ones = 0, left = 0, share = 1 / at->n, all = at->total[1] * share, count[BLOCK], size[BLOCK];
    for (int64_t p = 0; p < at->size - 1; p += BLOCK) {
        int64_t m = at->size - 1 - p < BLOCK ? at->size - 1 - p : BLOCK;
        for (int64_t j = 0; j < m; j++) {
            uint32_t i = (uint32_t)keys[p + j];
            left += weight[i];
            ones += label[i] ? weight[i] : 0;
            size[j] = left;
            count[j] = ones;
        }
#pragma omp simd
        for (int32_t j = 0; j < (int32_t)m; j++) {
            double d = (count[j] - size[j] * all) * share;
            gains[p + j] = 2 * (d * d) / (size[j] * share * ((at->n - size[j]) * share));
        }
    }
}

/* Gini of more classes, by the sums of squared weights on both sides, which must be exact; `left` (k,) is room. */
static void score_gini(const Forest *t, const Looking *at, const uint64_t *keys, double *left, double *gains)
{
    double inner = 0, outer = 0, n_left = 0;
    for (int64_t c = 0; c < t->k; c++) left[c] = 0, outer += at->total[c] * at->total[c];
    for (int64_t j = 0; j < at->size - 1; j++) {
        int64_t i = at->low + (uint32_t)keys[j], c = t->label[i];
        double weight = t->weight[i];
        outer -= weight * (2 * (at->total[c] - left[c]) - weight);
        inner += weight * (2 * left[c] + weight);
        left[c] += weight;
        n_left += weight;
        double n_right = at->n - n_left;
        gains[j] = ((inner * n_right + outer * n_left) / (n_left * n_right) + at->loss - at->n) / at->n;
    }
}

/* Any impurity of any number of classes; `left` (k,) is room. */
static void score_any(const Forest *t, const Looking *at, const uint64_t *keys, double *left, double *gains)
{
    for (int64_t c = 0; c < t->k; c++) left[c] = 0;
    for (int64_t j = 0; j < at->size - 1; j++) {
        int64_t i = at->low + (uint32_t)keys[j];
        left[t->label[i]] += t->weight[i];
        gains[j] = keys[j] >> 32 == keys[j + 1] >> 32 ? NOTHING : gain_of(t, at, left);
    }
}

/* Take away gains of cuts between equal values or with a side of less than `least`; the largest gain. */
static double best_gain(const Forest *t, const Looking *at, const uint64_t *keys, double least, double *gains)
{
    double best = NOTHING, left = 0;
    for (int64_t j = 0; j < at->size - 1; j++) {
        bool is_cut = keys[j] >> 32 != keys[j + 1] >> 32;
        if (least > 0) {
            left += t->weight[at->low + (uint32_t)keys[j]];
            is_cut &= left >= least && at->n - left >= least;
        }
        gains[j] = is_cut ? gains[j] : NOTHING;
        best = gains[j] > best ? gains[j] : best;
    }
    return best;
}

/* The first cut of a feature that gains as much as the best one; -1 where a node has one value. `left` gets the weights on its left. */
static Cut best_cut(const Forest *t, const Looking *at, int64_t f, double *left)
{
    const uint64_t *keys = sorted_keys(t, at, at->local ? t->near_ranks + f * t->b : t->ranks + f * t->n);
    double *gains = t->room;
    Cut found = {NOTHING, -1, (int32_t)f, 0, 0};
    if (keys == NULL) return found;
    if (t->k == 2 && t->rules->impurity == GINI) score_gini_of_two(t, at, keys, gains);
    else if (t->search->exact && t->rules->impurity == GINI) score_gini(t, at, keys, left, gains);
    else score_any(t, at, keys, left, gains);
    double enough = best_gain(t, at, keys, t->features[f].least, gains) - TIE;
    int64_t j = 0;
    while (j < at->size - 1 && !(gains[j] >= enough - GUARD && gains[j] > NOTHING)) j++;
    found.at = j;
    if (j == at->size - 1) return found;
    for (int64_t c = 0; c < t->k; c++) left[c] = 0;
    for (int64_t i = 0; i <= j; i++) left[t->label[at->low + (uint32_t)keys[i]]] += t->weight[at->low + (uint32_t)keys[i]];
    double lower = t->x[f * t->n + (int64_t)(keys[j] >> 32)], upper = t->x[f * t->n + (int64_t)(keys[j + 1] >> 32)];
    double middle = lower / 2 + upper / 2;
    middle = lower <= middle && middle < upper ? middle : lower;
    return (Cut){gains[j], (int64_t)(keys[j] >> 32), (int32_t)f, gains[j] < enough + GUARD, middle};
}

/* ---- Drawn cuts ---- */

/* The weight of a class up to a cut, of values (n,). Weights are multiples of a power of two, so that sums are exact in any order. */
INLINE double sum_up_to(double cut, int32_t class, const double *x, const int32_t *label, const double *weight, int64_t n)
{
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int64_t i = 0; i < n; i++) sum += ((x[i] <= cut) & (label[i] == class)) ? weight[i] : 0;
    return sum;
}

/* A cut between the least and the largest value of a feature, -1 if these are equal; `left` gets the weights on its left. */
static Cut drawn_cut(const Forest *t, const Looking *at, int64_t f, double *left)
{
    const double *x = at->local ? t->near_x + f * t->b : t->x + f * t->n, *weight = t->weight + at->low;
    const uint32_t *row = t->row + at->low;
    const int32_t *label = t->label + at->low;
    double least = x[row[0]], most = least, *values = t->room;
    for (int64_t i = 0; i < at->size; i++) {
        double value = x[row[i]];
        values[i] = value;
        least = value < least ? value : least;
        most = value > most ? value : most;
    }
    if (least == most) return (Cut){NOTHING, -1, (int32_t)f, 0, 0};
    double cut = ftree_drawn_cut(t->features + f, at->key, least, most);
    for (int64_t c = 0; c < t->k; c++)
        left[c] = t->k <= FEW_CLASSES ? sum_up_to(cut, (int32_t)c, values, label, weight, at->size) : 0;
    for (int64_t i = 0; i < at->size && t->k > FEW_CLASSES; i++) left[label[i]] += values[i] <= cut ? weight[i] : 0;
    return (Cut){gain_of(t, at, left), 0, (int32_t)f, 0, cut};
}

/* ---- Growth ---- */

/* Look at features of a node until `search->n` have a cut, for which `cuts` and `left` have room; the number of these. */
static int64_t look(const Forest *t, const Looking *at, int64_t *steps)
{
    Draws draws = {t->search, t->features, t->drawn, t->f, 0, 0, at->key};
    int64_t n = 0, f;
    while (n < t->search->n && (f = ftree_next_feature(&draws)) >= 0) {
        double *left = t->left + n * t->k;
        t->cuts[n] = t->features[f].is_drawn ? drawn_cut(t, at, f, left) : best_cut(t, at, f, left);
        *steps -= at->size + 1;
        if (t->cuts[n].at < 0) continue;
        if (t->cuts[n++].unsure) break;
    }
    return n;
}

/* The number of the cut, among n, of the lowest feature that gains as much as the best one: -1 for none, -2 if rounding decides. */
static int64_t choose(const Forest *t, const Looking *at, int64_t n)
{
    double best = NOTHING;
    int64_t chosen = -1;
    for (int64_t j = 0; j < n; j++) {
        if (t->cuts[j].unsure) return -2;
        best = t->cuts[j].gain > best ? t->cuts[j].gain : best;
    }
    for (int64_t j = 0; j < n && best > NOTHING; j++) {
        double rest = t->cuts[j].gain - (best - TIE);
        if (rest < GUARD && rest > -GUARD) return -2;
        if (rest >= 0 && (chosen < 0 || t->cuts[j].feature < t->cuts[chosen].feature)) chosen = j;
    }
    if (chosen < 0) return -1;
    double rest = t->cuts[chosen].gain - t->rules->gain, left = sum_of(t->left + chosen * t->k, t->k);
    if (rest < GUARD && rest > -GUARD) return -2;
    return rest < 0 || left < t->rules->leaf || at->n - left < t->rules->leaf ? -1 : chosen;
}

/* Copy the columns of the rows of a node to where they are near each other, and number the rows anew. */
static void copy_near(const Forest *t, const Open *here)
{
    uint32_t *row = t->row + here->low;
    int64_t size = here->high - here->low;
    for (int64_t f = 0; f < t->f; f++) {
        const double *x = t->x + f * t->n;
        const uint32_t *ranks = t->ranks + f * t->n;
        if (t->features[f].is_drawn)
            for (int64_t i = 0; i < size; i++) t->near_x[f * t->b + i] = x[row[i]];
        else
            for (int64_t i = 0; i < size; i++) t->near_ranks[f * t->b + i] = ranks[row[i]];
    }
    for (int64_t i = 0; i < size; i++) row[i] = (uint32_t)i;
}

/* Move the entries above a cut behind the others, each side in order; where they begin. */
static int64_t part(const Forest *t, const Open *here, const Cut *cut)
{
    const int64_t f = cut->feature, drawn = t->features[f].is_drawn;
    const double *x = here->local ? t->near_x + f * t->b : t->x + f * t->n;
    const uint32_t *ranks = here->local ? t->near_ranks + f * t->b : t->ranks + f * t->n;
    int64_t middle = here->low, behind = 0;
    for (int64_t i = here->low; i < here->high; i++) {
        uint32_t row = t->row[i];
        int32_t label = t->label[i];
        double weight = t->weight[i];
        t->row[middle] = row, t->label[middle] = label, t->weight[middle] = weight;
        t->keys[behind] = (uint64_t)(uint32_t)label << 32 | row, t->room[behind] = weight;
        bool above = drawn ? x[row] > cut->threshold : ranks[row] > cut->at;
        behind += above;
        middle += !above;
    }
    for (int64_t i = 0; i < behind; i++) {
        t->row[middle + i] = (uint32_t)t->keys[i];
        t->label[middle + i] = (int32_t)(t->keys[i] >> 32);
        t->weight[middle + i] = t->room[i];
    }
    return middle;
}

/* Whether a stopping rule closes a node by its weight of each class (k,) and its depth. */
static bool is_closed(const Growing *rules, const double *all, int64_t k, int64_t depth)
{
    double n = 0, most = 0;
    for (int64_t c = 0; c < k; c++) {
        n += all[c];
        most = all[c] > most ? all[c] : most;
    }
    return (rules->pure != 0 && most >= n) || (double)depth >= rules->depth || n < rules->rows || n - most < rules->errors;
}

/* Divide a node by its cut number `chosen`, and open those of its children that no rule closes; the new height of the stack. */
static int64_t divide(const Forest *t, const Open *here, int64_t chosen, DrawnNode *nodes, double *counts, int64_t child,
                      Open *open, int64_t height)
{
    const Cut *cut = t->cuts + chosen;
    const double *total = counts + here->node * t->k, *left = t->left + chosen * t->k;
    double *one = counts + child * t->k, *two = one + t->k;
    nodes[here->node] = (DrawnNode){cut->threshold, cut->feature, (int32_t)child};
    nodes[child] = nodes[child + 1] = (DrawnNode){0, -1, 0};
    for (int64_t c = 0; c < t->k; c++) one[c] = left[c], two[c] = total[c] - left[c];
    bool closed[2] = {is_closed(t->rules, one, t->k, here->depth + 1), is_closed(t->rules, two, t->k, here->depth + 1)};
    if (closed[0] && closed[1]) return height; /* nobody asks where the rows of leaves are */
    int64_t middle = part(t, here, cut);
    for (int64_t side = 0; side < 2; side++) {
        if (closed[side]) continue;
        open[height++] = (Open){side ? middle : here->low, side ? here->high : middle, child + side, here->depth + 1,
                                key_of_child(here->key, side), here->local};
    }
    return height;
}

/* Grow a tree from entries (e,) for so many `steps` of entries through features; the number of nodes so far, -1 if a choice is too
   close to call. `state` (2,) has that number and the height of the stack `open` (m,) of nodes that are left; counts (m, k) are the
   weights of nodes. x and ranks (f, n), near_x and near_ranks (f, b), cuts (f,), left (g, k), keys, spare and room (e,): see Forest. */
FTREE_API int64_t ftree_grow_drawn(const Growing *rules, const Search *search, const SearchedFeature *features, const double *x,
                                   const uint32_t *ranks, const double *table, int64_t steps, int64_t *state, Open *open,
                                   DrawnNode *nodes, double *counts, uint32_t *row, int32_t *label, double *weight,
                                   double *near_x, uint32_t *near_ranks, Drawn *drawn, Cut *cuts, double *left, uint64_t *keys,
                                   uint64_t *spare, double *room, int64_t f, int64_t n, int64_t s, int64_t m, int64_t k,
                                   int64_t e, int64_t b, int64_t g)
{
    Forest t = {rules, search, features, x, ranks, table, row, label, weight, near_x, near_ranks, drawn, cuts, left, keys, spare,
                room, f, n, s, e, b, k};
    int64_t n_nodes = state[0], height = state[1];
    while (height && steps > 0) {
        Open here = open[--height];
        const double *total = counts + here.node * k;
        if (is_closed(rules, total, k, here.depth)) continue; /* the first node; others are opened only if they are not closed */
        if (!here.local && here.high - here.low <= b && e > 2 * b) {
            copy_near(&t, &here);
            here.local = 1;
        }
        double all = sum_of(total, k);
        Looking at = {here.low, here.high - here.low, here.local, here.key, total, all, loss_of(&t, total, all)};
        int64_t chosen = choose(&t, &at, look(&t, &at, &steps));
        if (chosen < -1) return -1;
        if (chosen < 0) continue;
        height = divide(&t, &here, chosen, nodes, counts, n_nodes, open, height);
        n_nodes += 2;
    }
    state[0] = n_nodes;
    state[1] = height;
    (void)m, (void)g;
    return n_nodes;
}

/* List nodes (m,) and their counts (m, k) level by level, in `ordered` (m,) and `own` (m, k). */
FTREE_API int64_t ftree_list_by_level(const DrawnNode *nodes, const double *counts, DrawnNode *ordered, double *own, int64_t m,
                                      int64_t k)
{
    int64_t end = 1;
    ordered[0].first = 0;
    for (int64_t j = 0; j < end; j++) {
        const int32_t node = ordered[j].first; /* until its turn, a place has the number of its node there */
        ordered[j] = nodes[node];
        for (int64_t c = 0; c < k; c++) own[j * k + c] = counts[node * k + c];
        if (nodes[node].feature < 0) continue;
        ordered[j].first = (int32_t)end;
        ordered[end].first = nodes[node].first, ordered[end + 1].first = nodes[node].first + 1;
        end += 2;
    }
    (void)m;
    return end;
}

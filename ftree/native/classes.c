/* The search of a node of classes: the best gain of a sorted lane, then the first cut that ties with it. Weights are
   whole numbers of units, so that they add up exactly in any order. Where rounding could decide, the choice is left to
   NumPy.

   Gini of two classes and of few cases, and entropy from `entropies`, are scored in a few steps a cut; all else by both
   sides' losses. */
#include "lanes.h"

/* Cuts that are scored at once; few enough for a small stack. */
#define BLOCK 128

/* The squares of so many units add up exactly below 2^52. */
#define MOST_EXACT ((int64_t)1 << 26)

/* With up to so many classes, two are counted in a pass of their own, which compilers vectorise. */
#define FEW_CLASSES 4

/* The cuts of one lane of a node, scored from left to right. Counts are in units. */
typedef struct {
    const LaneNode *node;
    const int32_t *keys;
    const int64_t *entropies, *times, *all; /* as in Lanes and LaneNode */
    int64_t *left;                          /* (k,): the counts on the left so far */
    int64_t n, n_left;                      /* the sums of `all` and `left` */
    int64_t least;                          /* the least count of a side */
    int64_t k, shift, mask;                 /* mask: the bits of a class in a key */
    int64_t total;                          /* as in LaneNode */
    /* Of Gini, the sums of squared counts on the left (inner) and on the right (outer). Of entropy, inner is the sum of
       n log2 n of all counts on both sides, and outer is not used. */
    int64_t inner, outer, impurity;
    int32_t is_new; /* the bit of new values in a key */
    bool distinct;  /* whether all values differ */
} LaneScan;

/* Begin with all rows on the right. */
static void restart(LaneScan *s)
{
    for (int64_t c = 0; c < s->k; c++) s->left[c] = 0;
    s->n_left = 0;
    s->inner = s->entropies ? s->total : 0;
    s->outer = s->entropies ? 0 : s->total;
}

/* ---- Losses ---- */

/* The impurity of counts (k,), times their sum; given `all` (k,), that of all - counts. */
static double loss_of(int64_t impurity, const int64_t *counts, const int64_t *all, int64_t k)
{
    double n = 0, inner = 0;
    for (int64_t c = 0; c < k; c++) {
        double own = (double)(all ? all[c] - counts[c] : counts[c]);
        n += own;
        inner = with_class(impurity, inner, own, log_term(impurity, own));
    }
    return loss_from(impurity, n, log_term(impurity, n), inner);
}

/* The score of a cut, given the counts on its left (k,): its gain, less the impurity of the node. */
INLINE double score_of(int64_t impurity, const int64_t *left, const int64_t *all, int64_t k, double n)
{
    return -(loss_of(impurity, left, NULL, k) + loss_of(impurity, left, all, k)) / n;
}

/* ---- Scores of cuts ----

   Each function scores `size` cuts, of which the first is before key p, and moves the keys before each to the left.
   The score of cut p + j goes to score[j]; if rows are weighted, its count on the left goes to cut[j]. */

INLINE int64_t times_at(const LaneScan *s, int64_t i, bool weighted) { return weighted ? s->times[s->keys[i] >> s->shift] : 1; }

/* Gini of two classes: with d = n * ones on the left - ones * n on the left, the gain is 2 d^2 / (n^2 left right). */
INLINE void score_gini_of_two(LaneScan *s, int64_t p, int64_t size, double *score, int64_t *cut, bool weighted)
{
    double n = (double)s->n;
    double all = (double)s->all[1];
    double count[BLOCK], n_left[BLOCK];
    int32_t n_ones = (int32_t)s->left[1], unweighted[BLOCK];
    int64_t ones = s->left[1], sum = s->n_left;
    for (int64_t j = 0; j < size; j++) {
        int32_t is_one = s->keys[p - 1 + j] & 1;
        if (weighted) {
            int64_t times = times_at(s, p - 1 + j, true);
            sum += times;
            ones += is_one ? times : 0;
            cut[j] = sum;
            n_left[j] = (double)sum;
            count[j] = (double)ones;
        } else {
            n_ones += is_one;
            unweighted[j] = n_ones;
        }
    }
    s->left[1] = weighted ? ones : n_ones;
    s->n_left = sum;
#pragma omp simd
    for (int32_t j = 0; j < (int32_t)size; j++) {
        double left = weighted ? n_left[j] : (double)((int32_t)p + j);
        double d = n * (weighted ? count[j] : unweighted[j]) - left * all;
        score[j] = d * d / (left * (n - left));
    }
}

/* Gini of more classes, by the sums of squared counts on both sides, which are whole numbers below 2^52. */
INLINE void score_gini(LaneScan *s, int64_t p, int64_t size, double *score, int64_t *cut, bool weighted)
{
    int64_t sum = s->inner, rest = s->outer, so_far = s->n_left;
    double n = (double)s->n, n_left[BLOCK], inner[BLOCK], outer[BLOCK];
    for (int64_t j = 0; j < size; j++) {
        int64_t c = s->keys[p - 1 + j] & s->mask;
        int64_t times = times_at(s, p - 1 + j, weighted);
        int64_t more = times * (2 * s->left[c] + times);
        s->left[c] += times;
        sum += more;
        rest += more - 2 * times * s->all[c];
        inner[j] = (double)sum;
        outer[j] = (double)rest;
        if (weighted) {
            so_far += times;
            cut[j] = so_far;
            n_left[j] = (double)so_far;
        }
    }
    s->inner = sum;
    s->outer = rest;
    s->n_left = so_far;
#pragma omp simd
    for (int32_t j = 0; j < (int32_t)size; j++) {
        double left = weighted ? n_left[j] : (double)((int32_t)p + j);
        double right = n - left;
        score[j] = (inner[j] * right + outer[j] * left) / (left * right);
    }
}

/* Entropy of two classes, of rows that count once. */
INLINE void score_entropy_of_two(LaneScan *s, int64_t p, int64_t size, double *score)
{
    const int64_t *t = s->entropies, zeros = s->all[0], all = s->all[1];
    int64_t ones = s->left[1];
    for (int64_t j = 0; j < size; j++) {
        int64_t left = p + j;
        int64_t right = s->n - left;
        ones += s->keys[left - 1] & 1;
        int64_t inner = t[ones] + t[left - ones] + t[all - ones] + t[zeros - (left - ones)];
        score[j] = (double)(inner - t[left] - t[right] - (s->total - t[s->n]));
    }
    s->left[1] = ones;
}

/* Entropy: moving a row changes two terms of the sum over classes. */
INLINE void score_entropy(LaneScan *s, int64_t p, int64_t size, double *score, int64_t *cut, bool weighted)
{
    const int64_t *t = s->entropies;
    int64_t inner = s->inner, of_node = s->total - t[s->n], sum = s->n_left;
    for (int64_t j = 0; j < size; j++) {
        int64_t c = s->keys[p - 1 + j] & s->mask;
        int64_t times = times_at(s, p - 1 + j, weighted);
        int64_t left = s->left[c];
        int64_t right = s->all[c] - left;
        s->left[c] += times;
        sum += times;
        inner += (t[left + times] - t[left]) - (t[right] - t[right - times]);
        score[j] = (double)(inner - t[sum] - t[s->n - sum] - of_node);
        if (weighted) cut[j] = sum;
    }
    s->inner = inner;
    s->n_left = sum;
}

/* Any impurity, by the losses of both sides. */
static void score_any(LaneScan *s, int64_t p, int64_t size, double *score, int64_t *cut)
{
    for (int64_t j = 0; j < size; j++) {
        int64_t times = s->times ? times_at(s, p - 1 + j, true) : 1;
        s->left[s->keys[p - 1 + j] & s->mask] += times;
        s->n_left += times;
        cut[j] = s->n_left;
        bool is_cut = s->distinct || s->keys[p + j] & s->is_new;
        score[j] = is_cut ? score_of(s->impurity, s->left, s->all, s->k, (double)s->n) : NOTHING;
    }
}

/* Whether `score_any` scores a node. */
INLINE bool is_any(const LaneScan *s) { return !s->entropies && (s->impurity != GINI || (s->k != 2 && s->n >= MOST_EXACT)); }

/* Score the cuts from p on; those between equal values, or with too few cases on a side, are no cuts. */
INLINE void score_block(LaneScan *s, int64_t p, int64_t size, double *score, bool weighted)
{
    int64_t cut[BLOCK];
    if (is_any(s)) score_any(s, p, size, score, cut);
    else if (s->entropies && s->k == 2 && !weighted) score_entropy_of_two(s, p, size, score);
    else if (s->entropies) score_entropy(s, p, size, score, cut, weighted);
    else if (s->k == 2) score_gini_of_two(s, p, size, score, cut, weighted);
    else score_gini(s, p, size, score, cut, weighted);
    if (!s->distinct) {
        const int32_t is_new = s->is_new;
        const int32_t *keys = s->keys + p;
#pragma omp simd
        for (int32_t j = 0; j < (int32_t)size; j++) score[j] = keys[j] & is_new ? score[j] : NOTHING;
    }
    for (int64_t j = 0; j < size && s->least > 1; j++) {
        int64_t left = weighted ? cut[j] : p + j;
        if (left < s->least || s->n - left < s->least) score[j] = NOTHING;
    }
}

/* ---- The best cut ---- */

/* The best gain of all cuts of a lane. */
INLINE double best_gain(LaneScan *s, bool weighted)
{
    double score[BLOCK], best = NOTHING;
    restart(s);
    for (int64_t p = 1; p < s->node->size; p += BLOCK) {
        int64_t size = s->node->size - p < BLOCK ? s->node->size - p : BLOCK;
        score_block(s, p, size, score, weighted);
#pragma omp simd reduction(max : best)
        for (int32_t j = 0; j < (int32_t)size; j++) best = score[j] > best ? score[j] : best;
    }
    /* Without a cut, clang's reduction gives the least finite number, which OpenMP starts from, and gcc's minus infinity. */
    return best > -0x1p1000 ? best * s->node->classes.unit - s->node->classes.offset : NOTHING;
}

/* The first cut that ties with the best gain, and whether that is too close to call. */
static Cut first_cut(LaneScan *s, double best)
{
    double score[BLOCK], unit = s->node->classes.unit, offset = s->node->classes.offset;
    double enough = (best - TIE - GUARD + offset) / unit;
    restart(s);
    for (int64_t p = 1; p < s->node->size; p += BLOCK) {
        int64_t size = s->node->size - p < BLOCK ? s->node->size - p : BLOCK;
        if (s->times) score_block(s, p, size, score, true);
        else score_block(s, p, size, score, false);
        for (int64_t j = 0; j < size; j++) {
            double gain = score[j] * unit - offset;
            if (score[j] >= enough) return (Cut){.gain = gain, .at = p + j, .unsure = gain < best - TIE + GUARD};
        }
    }
    return (Cut){.gain = NOTHING, .unsure = 1};
}

/* The cuts of a feature in a node. */
INLINE LaneScan scan_of(const Lanes *lanes, const LaneNode *node, int64_t f)
{
    const GrowthRules *rules = lanes->rules;
    double least = lanes->searched[f].least / (lanes->entropies ? 1 : rules->unit);
    double floor = (double)(int64_t)least;
    return (LaneScan){.node = node,
                      .keys = lane_at(lanes, node, f),
                      .entropies = lanes->entropies,
                      .times = lanes->times,
                      .all = node->classes.all,
                      .left = node->classes.left,
                      .n = node->classes.n,
                      .least = (int64_t)floor + (least > floor),
                      .k = lanes->k,
                      .shift = rules->shift,
                      .mask = new_bit(rules) - 1,
                      .total = node->classes.total,
                      .impurity = rules->impurity,
                      .is_new = new_bit(rules),
                      .distinct = lanes->distinct[f]};
}

void ftree_set_classes(const Lanes *lanes, LaneNode *node, int64_t *room)
{
    const bool looked_up = lanes->entropies != NULL;
    const double per_unit = looked_up ? 1 : 1 / lanes->rules->unit; /* a power of two */
    node->classes.all = room;
    node->classes.left = room + lanes->k;
    node->classes.n = node->classes.total = 0;
    for (int64_t c = 0; c < lanes->k; c++) node->classes.n += node->classes.all[c] = (int64_t)(node->sums[c] * per_unit);
    /* Squares of more units are not used, and could be too large. */
    for (int64_t c = 0; c < lanes->k && (looked_up || node->classes.n < MOST_EXACT); c++)
        node->classes.total += looked_up ? lanes->entropies[node->classes.all[c]] : node->classes.all[c] * node->classes.all[c];
    LaneScan s = {.entropies = lanes->entropies, .n = node->classes.n, .k = lanes->k, .impurity = lanes->rules->impurity};
    double rows = (double)node->classes.n;
    node->classes.offset = 0;
    if (is_any(&s)) {
        node->classes.unit = 1;
        node->classes.offset = -loss_of(s.impurity, node->classes.all, NULL, s.k) / rows;
    } else if (looked_up) {
        node->classes.unit = 1 / (rows * lanes->rules->unit);
    } else if (lanes->k == 2) {
        node->classes.unit = 2 / (rows * rows);
    } else {
        node->classes.unit = 1 / rows;
        node->classes.offset = (double)node->classes.total / (rows * rows);
    }
}

double ftree_best_of_classes(const Lanes *lanes, const LaneNode *node, int64_t f)
{
    LaneScan s = scan_of(lanes, node, f);
    return s.times ? best_gain(&s, true) : best_gain(&s, false);
}

/* Count the keys of a class and of the next one whose values are up to a cut, in `counts` (2,). */
INLINE void count_up_to(double cut, int32_t class, const double *values, const int32_t *keys, int32_t mask, int64_t n,
                        int64_t *counts)
{
    int64_t one = 0, two = 0;
#pragma omp simd reduction(+ : one, two)
    for (int64_t i = 0; i < n; i++) {
        int64_t is_left = values[i] <= cut;
        int64_t own = keys[i] & mask;
        one += is_left & (own == class);
        two += is_left & (own == class + 1);
    }
    counts[0] = one;
    counts[1] = two;
}

double ftree_gain_of_classes(const Lanes *lanes, const LaneNode *node, const int32_t *keys, const double *values, double cut)
{
    const int64_t k = lanes->k, shift = lanes->rules->shift, impurity = lanes->rules->impurity;
    const int32_t mask = new_bit(lanes->rules) - 1;
    const bool by_class = !lanes->times && k <= FEW_CLASSES;
    int64_t counts[FEW_CLASSES + 1] = {0};
    int64_t *left = by_class ? counts : node->classes.left;
    for (int64_t c = 0; c < k && !by_class; c++) left[c] = 0;
    for (int64_t c = 0; c < k && by_class; c += 2) count_up_to(cut, (int32_t)c, values, keys, mask, node->size, left + c);
    for (int64_t i = 0; i < node->size && !by_class; i++)
        left[keys[i] & mask] += values[i] <= cut ? times_of(lanes, keys[i] >> shift) : 0;
    double n = (double)node->classes.n;
    return score_of(impurity, left, node->classes.all, k, n) + loss_of(impurity, node->classes.all, NULL, k) / n;
}

Cut ftree_choose_by_classes(const Lanes *lanes, const LaneNode *node, const Cut *found)
{
    double most = NOTHING, best = NOTHING;
    Cut chosen = {.gain = NOTHING, .feature = -1};
    bool unsure = false;
    for (int64_t f = 0; f < lanes->f; f++) most = found[f].gain > most ? found[f].gain : most;
    /* The first turn finds the best of the first cuts, the second one the first that ties with it. */
    for (int turn = 0; turn < 2 && most > NOTHING; turn++) {
        double enough = best - TIE;
        for (int64_t f = 0; f < lanes->f && chosen.feature < 0; f++) {
            if (found[f].gain < most - MOST_TIES * TIE) continue;
            Cut own = found[f];
            if (!lanes->searched[f].is_drawn) { /* a drawn cut is the only one; where all are drawn, features have no lanes */
                LaneScan s = scan_of(lanes, node, f);
                own = first_cut(&s, own.gain);
            }
            unsure |= own.unsure != 0;
            if (turn == 0) best = own.gain > best ? own.gain : best;
            else if (own.gain >= enough) {
                chosen = own;
                chosen.feature = (int32_t)f;
            }
            unsure |= turn && own.gain > enough - GUARD && own.gain < enough + GUARD;
        }
    }
    double rest = chosen.gain - lanes->rules->gain;
    chosen.unsure = unsure || (rest < GUARD && rest > -GUARD);
    return chosen;
}

/* The search of a node of classes, all rows counted once, by Gini or entropy: the best gain of a sorted lane, then the first cut that
   ties with it. A cut after p rows has p rows on its left. Where rounding could decide, the choice is left to NumPy. */
#include "lanes.h"

/* The cuts of one lane of a node, scored from left to right. Of the squared counts or of n log2 n, summed over classes, `inner` is that
   on the left, and `outer` that on the right, for Gini as bits of floats, while for entropy `inner` is the sum of both. */
typedef struct {
    const Node *node;
    const int32_t *keys;
    const int64_t *table, *all;
    int64_t *left;
    int64_t n, least, k, mask, whole, inner, outer;
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
    return best > -0x1p1000 ? best * s->node->unit - s->node->offset : NOTHING;
}

/* The first cut that ties with the best gain, and whether that is too close to call. */
static Cut first_cut(Scan *s, double best)
{
    double score[BLOCK], unit = s->node->unit, offset = s->node->offset;
    double enough = (best - TIE - GUARD + offset) / unit;
    restart(s);
    for (int64_t p = 1; p < s->n; p += BLOCK) {
        int64_t size = s->n - p < BLOCK ? s->n - p : BLOCK;
        score_block(s, p, size, score);
        for (int64_t j = 0; j < size; j++) {
            double gain = score[j] * unit - offset;
            if (score[j] >= enough) return (Cut){gain, p + j, 0, gain < best - TIE + GUARD, 0};
        }
    }
    return (Cut){NOTHING, 0, 0, 1, 0};
}

/* The lane of a feature in a node. */
INLINE Scan scan_of(const Lanes *lanes, const Node *node, int64_t f)
{
    const Growing *rules = lanes->rules;
    double least = lanes->features[f].least, whole = (double)(int64_t)least;
    return (Scan){.node = node, .keys = lane_at(lanes, node, f), .table = lanes->table, .all = node->all, .left = node->left,
                  .n = node->size, .least = (int64_t)whole + (least > whole), .k = lanes->k, .mask = new_bit(rules) - 1,
                  .whole = node->total, .is_new = new_bit(rules), .distinct = lanes->distinct[f],
                  .entropy = rules->impurity == ENTROPY};
}

void ftree_set_classes(const Lanes *lanes, Node *node, int64_t *room)
{
    const bool entropy = lanes->rules->impurity == ENTROPY;
    double rows = (double)node->size;
    node->all = room;
    node->left = room + lanes->k;
    node->total = 0;
    for (int64_t c = 0; c < lanes->k; c++) {
        int64_t own = node->all[c] = (int64_t)node->sums[c];
        node->total += entropy ? lanes->table[own] : own * own;
    }
    node->offset = 0;
    if (entropy) node->unit = 1 / (rows * lanes->rules->unit);
    else if (lanes->k == 2) node->unit = 2 / (rows * rows);
    else node->unit = 1 / rows, node->offset = (double)node->total / (rows * rows);
}

double ftree_best_of_classes(const Lanes *lanes, const Node *node, int64_t f)
{
    Scan s = scan_of(lanes, node, f);
    return best_gain(&s);
}

Cut ftree_choose_by_classes(const Lanes *lanes, const Node *node, const Cut *found)
{
    double most = NOTHING, best = NOTHING;
    Cut chosen = {NOTHING, 0, -1, 0, 0};
    bool unsure = false;
    for (int64_t f = 0; f < lanes->f; f++) most = found[f].gain > most ? found[f].gain : most;
    for (int turn = 0; turn < 2 && most > NOTHING && chosen.feature < 0; turn++) { /* the best first cut, then the first tied with it */
        double enough = best - TIE;
        for (int64_t f = 0; f < lanes->f && chosen.feature < 0; f++) {
            if (found[f].gain < most - 3 * TIE) continue; /* a first cut may gain TIE less than the best one */
            Scan s = scan_of(lanes, node, f);
            Cut own = first_cut(&s, found[f].gain);
            unsure |= own.unsure != 0;
            if (turn == 0) best = own.gain > best ? own.gain : best;
            else if (own.gain >= enough) chosen = own, chosen.feature = (int32_t)f;
            unsure |= turn && own.gain > enough - GUARD && own.gain < enough + GUARD;
        }
    }
    double rest = chosen.gain - lanes->rules->gain;
    chosen.unsure = unsure || (rest < GUARD && rest > -GUARD);
    return chosen;
}

/* The search of a node of numbers by variance, in sorted lanes whose keys have no classes; one more lane has the numbers themselves.

   Numbers are whole, so their sums are exact in any order; a node counts them from the whole number below its mean (its centre).
   Products of floats tell of most cuts that they are worse than the best one; others get the score of the search in NumPy to the
   last bit, so no choice is ever in doubt. Scores tie if they differ by less than TIE of the better one. */
#include "lanes.h"

/* Bound on the rounding error of a score, for numbers up to 1 from the mean of their node. */
#define ROUNDING (64 * 0x1p-52)

/* The cuts of a lane, from the left, so far: the best score; the score and place of the first cut that may be chosen; and whether an
   earlier one may tie with the best. */
typedef struct {
    double best, chosen;
    int64_t at;
    bool again;
} Best;

bool ftree_set_numbers(const Lanes *lanes, Node *node, const int32_t *keys)
{
    int64_t first = lanes->whole[keys[0] >> 1], last = lanes->whole[keys[node->size - 1] >> 1];
    node->total = 0;
    for (int64_t c = 1; c < 1 + lanes->k / 3; c++) node->total += (int64_t)node->sums[c];
    double mean = (double)node->total / node->cases;
    node->centre = (int64_t)mean - ((double)(int64_t)mean > mean);
    node->total -= node->centre * (int64_t)node->cases;
    node->mean = (double)node->total / node->cases;
    int64_t below = node->centre - first, above = last - node->centre;
    double far = (double)(below > above ? below : above) + 1;
    node->guard = ROUNDING * far * far * lanes->rules->unit;
    return first < last;
}

/* The impurity decrease of both sides of a cut, added up as in `ftree.criteria.impurity_of_sums`. */
INLINE double score_of(const Lanes *lanes, const Node *node, double n_left, int64_t left)
{
    double n_right = node->cases - n_left, scale = lanes->rules->unit;
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
INLINE bool is_better(const Lanes *lanes, const Node *node, const int32_t *keys, int64_t size, double bound, bool weighted,
                      int64_t *n_left, int64_t *left)
{
    const double all = node->cases, mean = node->mean;
    double cases[BLOCK], sum[BLOCK], most = NOTHING;
    int64_t so_far = *left, n = *n_left;
    for (int64_t j = 0; j < size; j++) {
        int64_t row = keys[j] >> 1, times = weighted ? lanes->times[row] : 1;
        so_far += (lanes->whole[row] - node->centre) * times;
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
INLINE int64_t scan(const Lanes *lanes, const Node *node, const int32_t *keys, double least, double tie, double enough, Best *best,
                    bool weighted)
{
    const double all = node->cases, mean = node->mean, variance = 1 / lanes->rules->unit;
    double bound = (best->best - node->guard) * variance;
    int64_t n_left = 0, left = 0;
    for (int64_t p = 1; p < node->size; p += BLOCK) {
        int64_t n_before = n_left, before = left, end = node->size - p < BLOCK ? node->size : p + BLOCK;
        if (node->size > MOST_UNPARTED && best->best > NOTHING &&
            !is_better(lanes, node, keys + p - 1, end - p, bound, weighted, &n_left, &left))
            continue;
        n_left = n_before;
        left = before;
        for (int64_t i = p; i < end; i++) {
            int64_t row = keys[i - 1] >> 1, times = weighted ? lanes->times[row] : 1;
            left += (lanes->whole[row] - node->centre) * times;
            n_left += times;
            double on_left = (double)n_left, on_right = all - on_left, d = (double)left - mean * on_left;
            if (d * d <= bound * (on_left * on_right) || !(keys[i] & 1)) continue;
            if (on_left < least || on_right < least) continue;
            double score = score_of(lanes, node, on_left, left);
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
static Cut best_cut(const Lanes *lanes, const Node *node, int32_t f, const int32_t *keys, double floor, double least, double tie)
{
    Best best = {floor, NOTHING, 0, false};
    if (lanes->times) scan(lanes, node, keys, least, tie, INFINITY, &best, true);
    else scan(lanes, node, keys, least, tie, INFINITY, &best, false);
    if (best.again) { /* rarely */
        best.best -= tie * best.best;
        best.at = scan(lanes, node, keys, least, tie, best.best, &best, lanes->times != NULL);
    }
    return (Cut){.gain = best.chosen, .at = best.at, .feature = f};
}

/* A score that is worse than any that ties with the best one, also where this is 0. */
INLINE double floor_of(double best) { return best > 1e-200 ? best - 2 * TIE * best : NOTHING; }

Cut ftree_best_of_numbers(const Lanes *lanes, const Node *node, int64_t f, const int32_t *keys, double gain)
{
    return best_cut(lanes, node, (int32_t)f, keys, floor_of(gain), lanes->features[f].least, TIE);
}

double ftree_bound_of_numbers(const Lanes *lanes, const Node *node, const int32_t *keys)
{
    double best = best_cut(lanes, node, -1, keys, NOTHING, 0, 0).gain;
    return best - TIE * best + node->guard;
}

double ftree_gain_of_numbers(const Lanes *lanes, const Node *node, const int32_t *keys, const double *values, double cut)
{
    int64_t n_left = 0, left = 0;
    for (int64_t i = 0; i < node->size; i++) {
        int64_t row = keys[i] >> 1, times = values[i] <= cut ? times_of(lanes, row) : 0;
        left += (lanes->whole[row] - node->centre) * times;
        n_left += times;
    }
    return score_of(lanes, node, (double)n_left, left);
}

Cut ftree_choose_by_numbers(const Lanes *lanes, const Cut *found)
{
    double best = NOTHING;
    for (int64_t f = 0; f < lanes->f; f++) best = found[f].gain > best ? found[f].gain : best;
    for (int64_t f = 0; f < lanes->f && best > NOTHING; f++)
        if (found[f].gain >= best - TIE * best) return found[f];
    return (Cut){.gain = NOTHING, .feature = -1};
}

/* The search of a node of numbers by variance, in sorted lanes whose keys have no classes; one more lane has the
   numbers themselves, or the first of several, whose variances are added up.

   Numbers are whole, so their sums are exact in any order; a node counts them from the whole number below their mean
   (their centre). Products of floats tell of most cuts that they are worse than the best one; others get the score
   of the search in NumPy to the last bit, so no choice is ever in doubt. Scores tie if they differ by less than TIE
   of the better one. */
#include "lanes.h"

/* Bound on the rounding error of a score, for numbers up to 1 from the mean of their node; docs/explanation/rounding.md. */
#define SCORE_ERROR (64 * 0x1p-52)

/* The cuts of a lane, from the left, so far: the best score; the score and place of the first cut that may be chosen;
   and whether the lane must be looked at again, since that cut does not tie with the best one, but one after it may.

   If scores tied within a tenth, then with the scores 8, 10, 10.5 and 11.2

       10      is better than 8 by more than a tie:      best 10,   chosen 10
       10.5    ties with 10, which comes first:          best 10.5, chosen 10
       11.2    ties with 10.5, but no longer with 10:    best 11.2, chosen 10, again: it is 10.5 */
typedef struct {
    double best, chosen;
    int64_t at;
    bool again;
} Best;

/* The least and the largest of the numbers j of some keys. */
static void find_range(const Lanes *lanes, const int32_t *keys, int64_t size, int64_t j, int64_t *least, int64_t *most)
{
    *least = *most = number_of(lanes, keys[0] >> 1, j);
    for (int64_t i = 1; i < size; i++) {
        int64_t number = number_of(lanes, keys[i] >> 1, j);
        *least = number < *least ? number : *least;
        *most = number > *most ? number : *most;
    }
}

bool ftree_set_numbers(const Lanes *lanes, LaneNode *node)
{
    const int32_t *keys = lane_at(lanes, node, lanes->l - 1);
    bool differ = false;
    node->numbers.guard = 0;
    for (int64_t j = 0; j < lanes->a; j++) {
        int64_t least = number_of(lanes, keys[0] >> 1, j);
        int64_t most = number_of(lanes, keys[node->size - 1] >> 1, j);
        int64_t total = whole_limb_sum(node->sums, lanes->limbs, j);
        if (lanes->a > 1) find_range(lanes, keys, node->size, j, &least, &most); /* else they are sorted */
        int64_t centre = centre_of(total, node->cases);
        int64_t below = centre - least, above = most - centre;
        double far = (double)(below > above ? below : above) + 1;
        node->numbers.centres[j] = centre;
        node->numbers.totals[j] = total - centre * (int64_t)node->cases;
        node->numbers.means[j] = (double)node->numbers.totals[j] / node->cases;
        node->numbers.guard += SCORE_ERROR * far * far * lanes->scales[j];
        differ |= least < most;
    }
    return differ;
}

/* The impurity decrease of both sides of a cut, added up as in `ftree.criteria.impurity_of_sums`. */
INLINE double score_of(const Lanes *lanes, const LaneNode *node, double n_left, const int64_t *left, int64_t a)
{
    double n_right = node->cases - n_left, of_left = 0, of_right = 0;
    for (int64_t j = 0; j < a; j++) {
        double to_left = (double)left[j] / n_left - node->numbers.means[j];
        double to_right = (double)(node->numbers.totals[j] - left[j]) / n_right - node->numbers.means[j];
        of_left += n_left * (to_left * to_left) * lanes->scales[j];
        of_right += n_right * (to_right * to_right) * lanes->scales[j];
    }
    return (of_left + of_right) / node->cases;
}

/* What multiplies squared distances while cuts are compared: of a single number 1, since its bound is divided by the
   scale. */
INLINE double scale_of(const Lanes *lanes, int64_t j, int64_t a) { return a == 1 ? 1 : lanes->scales[j]; }

/* Add a row to the sums of numbers (a,) from their centres. */
INLINE void add_numbers(const Lanes *lanes, const LaneNode *node, int64_t *sums, int64_t row, int64_t times, int64_t a)
{
    for (int64_t j = 0; j < a; j++) sums[j] += (lanes->whole[row * a + j] - node->numbers.centres[j]) * times;
}

/* Note a cut with a better score. */
INLINE void raise(Best *b, double score, int64_t at, double tie)
{
    if (b->best < score - tie * score) {
        *b = (Best){score, score, at, false};
    } else {
        b->again |= b->chosen < score - tie * score;
        b->best = score;
    }
}

/* How much the sums before a cut are above what the means of the node say; the squares are added up in one unit. */
INLINE double distance_of(const Lanes *lanes, const LaneNode *node, const int64_t *left, double on_left, int64_t a)
{
    double sum = 0;
    for (int64_t j = 0; j < a; j++) {
        double d = (double)left[j] - node->numbers.means[j] * on_left;
        sum += d * d * scale_of(lanes, j, a);
    }
    return sum;
}

/* Look at the cuts of a lane until a score is `enough`; the number of keys before that cut, 0 for none. */
INLINE int64_t scan(const Lanes *lanes, const LaneNode *node, const int32_t *keys, double least, double tie, double enough,
                    Best *best, int64_t a)
{
    const double all = node->cases;
    const double variance = a == 1 ? 1 / *lanes->scales : 1;
    double bound = (best->best - node->numbers.guard) * variance;
    int64_t n_left = 0, left[MOST_NUMBERS] = {0};
    for (int64_t i = 1; i < node->size; i++) {
        int64_t row = keys[i - 1] >> 1;
        int64_t times = times_of(lanes, row);
        add_numbers(lanes, node, left, row, times, a);
        n_left += times;
        double on_left = (double)n_left, on_right = all - on_left;
        if (distance_of(lanes, node, left, on_left, a) <= bound * (on_left * on_right) || !(keys[i] & 1)) continue;
        if (on_left < least || on_right < least) continue;
        double score = score_of(lanes, node, on_left, left, a);
        if (score >= enough) {
            best->chosen = score;
            return i;
        }
        if (score <= best->best) continue;
        raise(best, score, i, tie);
        bound = (score - node->numbers.guard) * variance;
    }
    return 0;
}

/* Look at the cuts of a lane, compiled for one number and for several. */
static int64_t scan_lane(const Lanes *lanes, const LaneNode *node, const int32_t *keys, double least, double tie, double enough,
                         Best *best)
{
    if (lanes->a > 1) return scan(lanes, node, keys, least, tie, enough, best, lanes->a);
    return scan(lanes, node, keys, least, tie, enough, best, 1);
}

/* The first cut of a lane that ties with the best one, if that is better than `floor`; else its gain is NOTHING. */
static Cut best_cut(const Lanes *lanes, const LaneNode *node, int32_t f, const int32_t *keys, double floor, double least,
                    double tie)
{
    Best best = {floor, NOTHING, 0, false};
    scan_lane(lanes, node, keys, least, tie, INFINITY, &best);
    if (best.again) { /* rarely */
        best.best -= tie * best.best;
        best.at = scan_lane(lanes, node, keys, least, tie, best.best, &best);
    }
    return (Cut){.gain = best.chosen, .at = best.at, .feature = f};
}

/* A score that is worse than any that ties with the best one, also where this is 0. */
INLINE double floor_of(double best) { return best > 1e-200 ? best - 2 * TIE * best : NOTHING; }

Cut ftree_best_of_numbers(const Lanes *lanes, const LaneNode *node, int64_t f, const int32_t *keys, double gain)
{
    return best_cut(lanes, node, (int32_t)f, keys, floor_of(gain), lanes->searched[f].least, TIE);
}

double ftree_bound_of_numbers(const Lanes *lanes, const LaneNode *node)
{
    const int32_t *keys = lane_at(lanes, node, lanes->l - 1);
    double best = best_cut(lanes, node, -1, keys, NOTHING, 0, 0).gain;
    return best - TIE * best + node->numbers.guard;
}

double ftree_gain_of_numbers(const Lanes *lanes, const LaneNode *node, const int32_t *keys, const double *values, double cut)
{
    int64_t n_left = 0, left[MOST_NUMBERS] = {0};
    for (int64_t i = 0; i < node->size; i++) {
        int64_t row = keys[i] >> 1;
        int64_t times = values[i] <= cut ? times_of(lanes, row) : 0;
        add_numbers(lanes, node, left, row, times, lanes->a);
        n_left += times;
    }
    return score_of(lanes, node, (double)n_left, left, lanes->a);
}

Cut ftree_choose_by_numbers(const Lanes *lanes, const Cut *found)
{
    double best = NOTHING;
    for (int64_t f = 0; f < lanes->f; f++) best = found[f].gain > best ? found[f].gain : best;
    for (int64_t f = 0; f < lanes->f && best > NOTHING; f++)
        if (found[f].gain >= best - TIE * best) return found[f];
    return (Cut){.gain = NOTHING, .feature = -1};
}

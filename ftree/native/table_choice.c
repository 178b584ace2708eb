/* Which feature divides a node, given the best split of each: by score, or by gain ratio among those that gain enough.
   Where rounding could decide, the choice is unsure; docs/explanation/rounding.md tells how far each comparison looks. */
#include "table.h"

/* The range of the best figure by which features are compared, scores or ratios, as rounding leaves it. */
typedef struct {
    double low, high;
} BestFigure;

INLINE void include(BestFigure *best, double figure, double guard)
{
    best->low = most_of(best->low, figure - guard);
    best->high = most_of(best->high, figure + guard);
}

/* Whether a figure is more than a tie below the best one. */
INLINE bool is_worse(const BestFigure *best, double tie, double figure, double guard, bool *unsure)
{
    double apart = (best->high - best->low) / 2;
    return is_below(figure, best->high - apart - tie, apart + guard, unsure);
}

/* The first feature within a tie of the best score, -1 for none. */
static int64_t by_score(const Table *t, bool *unsure)
{
    const Scored *found = t->room.found;
    BestFigure best = {NOTHING, NOTHING};
    int64_t chosen = -1;
    for (int64_t f = 0; f < t->f; f++) {
        *unsure |= found[f].score != found[f].score;
        include(&best, found[f].score, found[f].guard);
    }
    if (best.high == NOTHING) return -1;
    double tie = t->measure.impurity == VARIANCE ? TIE * best.high : TIE; /* sums of numbers are exact */
    for (int64_t f = 0; f < t->f; f++) {
        if (found[f].score >= best.low - MOST_TIES * (tie + found[f].guard)) *unsure |= found[f].unsure != 0;
        if (chosen < 0 && !is_worse(&best, tie, found[f].score, found[f].guard, unsure)) chosen = f;
    }
    return chosen;
}

/* A gain for each bit of information, NOTHING where the gain is not the least one. */
static double ratio_of(const Scored *found, double least, bool *unsure)
{
    if (is_below(found->score, least, GUARD, unsure)) return NOTHING;
    return found->information > 0 ? found->score / found->information : 0;
}

/* The bound on the rounding error of a ratio, which is at most about 1: those of its two parts, divided by the information. */
static double guard_of_ratio(const Scored *found) { return found->information > 0 ? 2 * GUARD / found->information : 0; }

/* The feature with the best gain ratio among those whose gain is not below the mean, as `ftree.splitters.by_gain_ratio`
   chooses. */
static int64_t by_gain_ratio(const Table *t, bool *unsure)
{
    const Scored *found = t->room.found;
    BestFigure best = {NOTHING, NOTHING};
    double total = 0;
    int64_t n = 0, chosen = -1;
    for (int64_t f = 0; f < t->f; f++) {
        *unsure |= found[f].unsure != 0 || found[f].score != found[f].score;
        if (found[f].score > NOTHING && !t->columns[f].many) {
            n++;
            total += found[f].score;
        }
    }
    double least = n ? total / (double)n - t->measure.slack : INFINITY;
    for (int64_t f = 0; f < t->f; f++) include(&best, ratio_of(found + f, least, unsure), guard_of_ratio(found + f));
    for (int64_t f = 0; f < t->f && chosen < 0 && best.high > NOTHING; f++) {
        double ratio = ratio_of(found + f, least, unsure);
        double guard = guard_of_ratio(found + f);
        if (!is_worse(&best, TIE, ratio, guard, unsure) && !is_below(ratio, TIE, guard, unsure)) chosen = f;
    }
    return chosen;
}

int64_t ftree_choose_feature(const Table *t, bool *unsure)
{
    const bool has_slack = t->measure.slack == t->measure.slack;
    return has_slack ? by_gain_ratio(t, unsure) : by_score(t, unsure);
}

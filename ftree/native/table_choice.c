/* Which feature divides a node, given the best split of each: by score, or by gain ratio among those that gain enough.
   Where rounding could decide, the choice is unsure; docs/explanation/rounding.md tells how far each comparison looks. */
#include "table.h"

/* Bound on the rounding error of a gain ratio; ratios that are equal must not be in doubt, as they are a tie above the limit. */
#define RATIO_GUARD (TIE / 2)

/* How many times the least factor of a class is the largest one. */
static double ratio_of_factors(const Measure *m)
{
    double least = INFINITY, most = 0;
    for (int64_t c = 0; c < m->k && m->factors; c++) {
        least = m->factors[c] > 0 && m->factors[c] < least ? m->factors[c] : least;
        most = m->factors[c] > most ? m->factors[c] : most;
    }
    return most > least ? most / least : 1;
}

/* The first feature within a tie of the best score, -1 for none. */
static int64_t by_score(const Table *t, const SearchedNode *node, bool *unsure)
{
    const Scored *found = t->room.found;
    double best = NOTHING;
    int64_t chosen = -1;
    for (int64_t f = 0; f < t->f; f++) {
        *unsure |= found[f].score != found[f].score;
        best = found[f].score > best ? found[f].score : best;
    }
    if (best == NOTHING) return -1;
    double guard = ftree_guard_of(&t->measure, node->cases * ratio_of_factors(&t->measure), best);
    double tie = t->measure.impurity == VARIANCE ? TIE * best : TIE; /* sums of numbers are exact */
    for (int64_t f = 0; f < t->f; f++) {
        if (found[f].score >= best - MOST_TIES * (tie + guard)) *unsure |= found[f].unsure != 0;
        if (chosen < 0 && !is_below(found[f].score, best - tie, guard, unsure)) chosen = f;
    }
    return chosen;
}

/* A gain for each bit of information, NOTHING where the gain is not the least one. */
static double ratio_of(const Scored *found, double least, bool *unsure)
{
    if (is_below(found->score, least, GUARD, unsure)) return NOTHING;
    return found->information > 0 ? found->score / found->information : 0;
}

/* The feature with the best gain ratio among those whose gain is not below the mean, as `ftree.splitters.by_gain_ratio`
   chooses. */
static int64_t by_gain_ratio(const Table *t, bool *unsure)
{
    const Scored *found = t->room.found;
    double total = 0, best = NOTHING;
    int64_t n = 0, chosen = -1;
    for (int64_t f = 0; f < t->f; f++) {
        *unsure |= found[f].unsure != 0 || found[f].score != found[f].score;
        if (found[f].score > NOTHING && !t->columns[f].many) {
            n++;
            total += found[f].score;
        }
    }
    double least = n ? total / (double)n - t->measure.slack : INFINITY;
    for (int64_t f = 0; f < t->f; f++) {
        double ratio = ratio_of(found + f, least, unsure);
        best = ratio > best ? ratio : best;
    }
    double tied = most_of(TIE, best - TIE);
    for (int64_t f = 0; f < t->f && chosen < 0; f++)
        if (!is_below(ratio_of(found + f, least, unsure), tied, RATIO_GUARD, unsure)) chosen = f;
    return chosen;
}

int64_t ftree_choose_feature(const Table *t, const SearchedNode *node, bool *unsure)
{
    const bool has_slack = t->measure.slack == t->measure.slack;
    return has_slack ? by_gain_ratio(t, unsure) : by_score(t, node, unsure);
}

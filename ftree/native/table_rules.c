/* The stopping rules: which nodes stay leaves, and which splits are refused. Where rounding could decide, the answer is
   unsure. */
#include "table.h"

/* 1 / log(2): a unit of likelihood in bits. */
#define A_BIT 1.4426950408889634
/* Bound on the rounding error of a gain of sums, as a share of it: scores have the share of known cases as a factor, while
   NumPy divides by all cases. */
#define OF_SHARES (16 * 0x1p-53)

/* A sum of events in its own unit. */
static double units_of(const Table *t, const double *counts, int64_t sum)
{
    return in_unit(t->measure.lines[sum], limb_sum(counts, t->limbs, sum));
}

double ftree_risk_of(const Table *t, const double *counts, double *guard)
{
    const Measure *m = &t->measure;
    if (m->impurity == VARIANCE) {
        double total = limb_sum(counts, t->limbs, TOTAL);
        double squares = limb_sum(counts, t->limbs, SQUARES);
        *guard = 1e-14 * squares * m->scale;
        return (squares - total * total / counts[0]) * m->scale;
    }
    double happened = units_of(t, counts, HAPPENED);
    double expected = m->rate * units_of(t, counts, EXPOSED);
    double deviance = units_of(t, counts, DEVIANCE);
    double bits = happened > 0 ? happened * log_2(expected / happened) : 0;
    *guard = (8e-14 * (deviance + happened + expected) + counts[0] * m->rounding) * A_BIT * m->scale;
    return ((deviance + happened - expected) * A_BIT + bits) * m->scale;
}

/* What events lose by rates that shrink, as the same share. */
static double lost_by_shrinking(const Table *t, const double *counts)
{
    const Measure *m = &t->measure;
    double happened = units_of(t, counts, HAPPENED);
    double expected = m->rate * units_of(t, counts, EXPOSED);
    double answered = (happened + m->prior) * (expected / (expected + m->prior));
    return (happened > 0 ? happened * log_2(happened / answered) : 0) + (answered - happened) * A_BIT;
}

/* Whether a rule that looks at a node alone closes one of sums, but numbers that are all equal. Of events, a mean risk
   that ties with 0 is 0, as `MeanRisk` has it, and errors are those of answers, which shrink. */
static bool is_closed_by_risk(const Table *t, const double *counts, bool *unsure)
{
    const GrowthRules *rules = t->rules;
    const Measure *m = &t->measure;
    double guard;
    double risk = ftree_risk_of(t, counts, &guard);
    double none = m->impurity == POISSON ? TIE * counts[0] : NOTHING;
    double lost = m->prior > 0 ? risk + lost_by_shrinking(t, counts) * m->scale : risk;
    if (rules->pure != 0 && is_below(risk, none, guard, unsure)) return true;
    return is_below(lost, none, guard, unsure) ? rules->errors > 0 : is_below(lost, rules->errors, guard, unsure);
}

bool ftree_is_closed(const Table *t, const double *counts, int64_t depth, bool *unsure)
{
    double most = t->channels ? NOTHING : 0;
    for (int64_t c = 0; c < t->q && !t->channels; c++) most = most_of(most, counts[c]);
    if (closes(t->rules, depth, cases_of(t, counts), most)) return true;
    return t->channels && is_closed_by_risk(t, counts, unsure);
}

bool ftree_is_refused(const Table *t, const SearchedNode *node, const TableNode *split, const double *children, bool *unsure)
{
    const GrowthRules *rules = t->rules;
    const Measure *m = &t->measure;
    for (int64_t v = 0; v < split->arity; v++)
        if (cases_of(t, children + v * t->q) < rules->leaf) return true;
    if (is_of_sums(m)) {
        const double score = t->room.found[split->feature].score;
        return is_below(score, rules->gain, m->guard + OF_SHARES * score, unsure);
    }
    double scale = 1;
    double gain = ftree_gain_of(m, children, split->arity, node->counts, t->room.run.left, &scale);
    return is_below(gain, rules->gain, GUARD * scale, unsure);
}

/* The best split of a feature in a node, by the values present there, an entry each (a run). The kind of split says
   what is searched: cuts of the entries in an order, a child for each value, every division in two, or one value
   against the others.

   Scores of classes are right within GUARD, and `unsure` where this could decide; then the search in NumPy decides.
   An impurity of the user's gets the same counts as there, and its gains are added up in the same order, to the last
   bit; so are those of numbers. Those of events are right within the guard of their node. Counts are whole, or
   multiples of a power of two, so that they add up exactly: entries may move from side to side. */
#include "sides.h"

/* Weights may fall short of a minimum by this much (`ftree.splitters.cuts.SLACK`). */
#define SLACK 1e-6
/* NumPy adds up to so many numbers in eight sums, and more in halves. */
#define IN_A_BLOCK 128

/* The first of some scores that ties with the best one. */
typedef struct {
    double best, score; /* the best score, and the first one, which is number `at` */
    int64_t at, n;      /* n: how many scores are of cuts that may be made */
    bool unsure;        /* whether rounding could decide for another one */
} First;

/* ---- Losses ---- */

/* The sum of class counts (k,), times the factors. */
static double weighed_cases(const Measure *m, const double *counts)
{
    double n = 0;
    for (int64_t c = 0; c < m->k; c++) n += weighed(m, counts, c);
    return n;
}

/* The impurity of class counts (k,) times the factors, multiplied by their sum; `n` gets that sum. */
INLINE double loss_of(const Measure *m, const double *counts, double *n)
{
    double inner = 0;
    *n = 0;
    for (int64_t c = 0; c < m->k; c++) {
        double count = weighed(m, counts, c);
        *n += count;
        inner = with_class(m->impurity, inner, count, m->impurity == ENTROPY ? n_log_n(m, count) : 0);
    }
    return loss_from(m->impurity, *n, m->impurity == ENTROPY ? n_log_n(m, *n) : 0, inner);
}

double ftree_gain_of(const Measure *m, const double *children, int64_t arity, const double *counts, double *room, double *scale)
{
    double gain = 0, n;
    double all = weighed_cases(m, counts);
    for (int64_t c = 0; c < m->k; c++) room[c] = 0;
    for (int64_t v = 0; v <= arity; v++) { /* all children together come last */
        const double *own = v < arity ? children + v * m->k : room;
        double found = m->impurity == OWN ? m->own(own, m->k) : 0;
        double loss = m->impurity == OWN ? 0 : loss_of(m, own, &n);
        if (m->impurity == OWN) loss = found * weighed_cases(m, own);
        gain += v < arity ? -loss : loss;
        *scale = __builtin_fabs(found) > *scale ? __builtin_fabs(found) : *scale;
        for (int64_t c = 0; c < m->k && v < arity; c++) room[c] += own[c];
    }
    return gain / (all > 0 ? all : 1);
}

/* The impurity decrease of both sides. */
INLINE double impurity_decrease_of_sides(const Sides *s)
{
    double left[MOST_SUMS], right[MOST_SUMS];
    for (int64_t i = 0; i < s->run->n_sums; i++) {
        left[i] = (double)s->sums[i];
        right[i] = (double)(s->total[i] - s->sums[i]);
    }
    const int64_t impurity = s->m->impurity;
    double of_left = impurity_decrease(s->m, impurity, s->mean, s->n_left, left);
    return of_left + impurity_decrease(s->m, impurity, s->mean, s->cases - s->n_left, right);
}

/* The sum of n terms in NumPy's order, so that it is equal to the last bit. */
static double in_numpys_order(const double *terms, int64_t n)
{
    if (n > IN_A_BLOCK) {
        int64_t half = n / 2 - n / 2 % 8;
        return in_numpys_order(terms, half) + in_numpys_order(terms + half, n - half);
    }
    double by_eight[8] = {0}, total = 0;
    int64_t rest = n - n % 8;
    for (int64_t i = 0; i < rest; i++) by_eight[i % 8] += terms[i];
    for (int64_t i = 0; i < 8; i += 4) total += (by_eight[i] + by_eight[i + 1]) + (by_eight[i + 2] + by_eight[i + 3]);
    for (int64_t i = rest; i < n; i++) total += terms[i];
    return total;
}

/* ---- Scores ---- */

/* The score, or NaN for one that is not finite. */
INLINE double finite(double score) { return score - score == 0 ? score : __builtin_nan(""); }

/* The score of the two sides as they are, by an impurity of the user's. */
static double own_score(const Sides *s)
{
    const Measure *m = s->m;
    double n_left = s->n_left, n_right = s->cases - n_left;
    double parts = m->by_ratio ? n_log_n(m, n_left) + n_log_n(m, n_right) : 0;
    double left = n_left / s->cases * m->own(s->run->left, m->k);
    double right = n_right / s->cases * m->own(s->run->right, m->k);
    return finite(score_of_gain(s, s->loss - (left + right), parts));
}

/* The score of the two sides as they are; NOTHING if one is too small. */
static double score_of_sides(const Sides *s)
{
    const Measure *m = s->m;
    if (s->n_left < s->least || s->cases - s->n_left < s->least) return NOTHING;
    if (m->impurity == OWN) return own_score(s);
    if (is_of_sums(m)) return impurity_decrease_of_sides(s) / s->cases;
    double n_left, n_right;
    double left = loss_of(m, s->run->left, &n_left);
    double right = loss_of(m, s->run->right, &n_right);
    return score_of_gain(s, (s->loss - left - right) / s->n, m->by_ratio ? n_log_n(m, n_left) + n_log_n(m, n_right) : 0);
}

/* The score of a child for each entry, by an impurity of the user's or of sums. */
static double score_of_terms(const Sides *s)
{
    const Measure *m = s->m;
    Run *run = s->run;
    double parts = 0;
    for (int64_t entry = 0; entry < run->n; entry++) {
        double size = run->sizes[entry];
        double sums[MOST_SUMS];
        for (int64_t i = 0; i < run->n_sums; i++) sums[i] = (double)sum_of_entry(s, entry, i);
        if (is_of_sums(m)) run->scores[entry] = impurity_decrease(m, m->impurity, s->mean, size, sums);
        else run->scores[entry] = size / s->cases * m->own(run->counts + entry * m->k, m->k);
        if (m->by_ratio) parts += n_log_n(m, size);
    }
    double sum = in_numpys_order(run->scores, run->n);
    return is_of_sums(m) ? sum / s->cases : finite(score_of_gain(s, s->loss - sum, parts));
}

/* The score of a child for each entry; NOTHING if fewer than two have the least cases. */
static double multiway_score(const Sides *s)
{
    const Measure *m = s->m;
    const Run *run = s->run;
    int64_t large = 0;
    for (int64_t entry = 0; entry < run->n; entry++) large += run->sizes[entry] >= s->least;
    if (large < 2) return NOTHING;
    if (m->impurity >= OWN) return score_of_terms(s);
    double left = 0, parts = 0, n;
    for (int64_t entry = 0; entry < run->n; entry++) {
        left += loss_of(m, run->counts + entry * m->k, &n);
        if (m->by_ratio) parts += n_log_n(m, n);
    }
    return score_of_gain(s, (s->loss - left) / s->n, parts);
}

/* ---- Sides ---- */

/* Put all entries on the right; their cases. */
static double clear_left(Sides *s)
{
    const int64_t k = s->m->k, n = s->run->n;
    const double *counts = s->run->counts;
    double cases = 0;
    for (int64_t c = 0; c < k; c++) {
        double sum = 0;
#pragma omp simd reduction(+ : sum)
        for (int64_t entry = 0; entry < n; entry++) sum += counts[entry * k + c];
        s->run->left[c] = 0;
        s->run->right[c] = sum;
        cases += sum;
    }
    s->n_left = 0;
    for (int64_t i = 0; i < MOST_SUMS; i++) s->sums[i] = 0;
    return cases;
}

/* Move an entry to the left, or back to the right. */
INLINE void move(Sides *s, int64_t entry, bool to_left)
{
    const int64_t k = s->m->k;
    const double sign = to_left ? 1 : -1;
    Run *run = s->run;
    s->n_left += sign * run->sizes[entry];
    for (int64_t i = 0; i < run->n_sums; i++) s->sums[i] += (to_left ? 1 : -1) * sum_of_entry(s, entry, i);
    for (int64_t c = 0; c < k; c++) {
        run->left[c] += sign * run->counts[entry * k + c];
        run->right[c] -= sign * run->counts[entry * k + c];
    }
}

/* Add up the sums of a run; numbers are then counted from the whole number below their mean. */
static void add_up(Sides *s)
{
    const Run *run = s->run;
    int64_t cases = (int64_t)s->cases;
    for (int64_t cell = 0; cell < run->n * run->n_sums; cell++) s->total[cell % run->n_sums] += run->sums[cell];
    if (s->m->impurity == POISSON) {
        double rate = rate_of(s->m, (double)s->total[0], (double)s->total[1]);
        s->mean = rate > 0 ? rate : 1; /* without events nothing decreases */
        return;
    }
    int64_t centre = centre_of(*s->total + run->centre * cases, s->cases);
    s->shift = run->centre - centre;
    *s->total += s->shift * cases;
    s->mean = (double)*s->total / s->cases;
}

/* How many times the cases of the smallest entry are those of all. */
static double most_of_smallest(const Sides *s)
{
    double smallest = s->n;
    for (int64_t entry = 0; entry < s->run->n; entry++) {
        double cases = weighed_cases(s->m, s->run->counts + entry * s->m->k);
        smallest = cases > 0 && cases < smallest ? cases : smallest;
    }
    return s->n / smallest;
}

/* The `guard` of a run, which has a share of the node's cases. A ratio divides by as little as the information of the
   smallest entry. */
static double guard_of_run(const Sides *s)
{
    const Measure *m = s->m;
    if (is_of_sums(m)) return m->guard / s->known;
    if (!m->by_ratio) return m->impurity == OWN ? 0 : GUARD;
    double n = most_of_smallest(s);
    return GUARD + 1e-14 * n / log_2(n + 1);
}

/* The entries of a run, all on the right. */
static Sides sides_of(const Measure *m, const Column *column, Run *run, const double *total)
{
    Sides s = {.m = m, .run = run};
    s.cases = clear_left(&s);
    s.n = weighed_cases(m, run->right);
    double all = weighed_cases(m, total);
    double fewest = column->share * s.cases / (double)m->k;
    s.known = all > 0 ? s.n / all : 0; /* a node may have only classes whose prior is 0 */
    if (is_of_sums(m)) add_up(&s);
    else s.loss = m->impurity == OWN ? m->own(run->right, m->k) : loss_of(m, run->right, &s.n);
    s.n = s.n > 0 ? s.n : 1;
    fewest = fewest < column->most ? fewest : column->most;
    s.least = (fewest > column->least ? fewest : column->least) - SLACK;
    s.guard = guard_of_run(&s);
    return s;
}

/* ---- Ties ---- */

/* The bound on the rounding error of the scores of a run. */
static double guard_of(const Sides *s, double best) { return s->m->impurity == OWN ? s->guard * __builtin_fabs(best) : s->guard; }

/* The least score that ties with the best one. */
static double least_tied(const Sides *s, double best)
{
    return s->m->impurity == VARIANCE ? best - TIE * __builtin_fabs(best) : best - TIE;
}

/* The first of n scores that ties with the best one; without any, its score is NOTHING. */
static First first_tied(const Sides *s, int64_t n)
{
    const double *scores = s->run->scores;
    First found = {NOTHING, NOTHING, 0, 0, false};
    for (int64_t i = 0; i < n; i++) {
        if (scores[i] != scores[i]) return (First){scores[i], scores[i], 0, 1, true};
        found.n += scores[i] > NOTHING;
        found.best = scores[i] > found.best ? scores[i] : found.best;
    }
    if (!found.n) return found;
    double tied = least_tied(s, found.best);
    double guard = guard_of(s, found.best);
    while (is_below(scores[found.at], tied, guard, &found.unsure)) found.at++;
    found.score = scores[found.at];
    return found;
}

/* ---- Searches ---- */

/* The best cut of entries in their order. */
static First best_cut(Sides *s)
{
    const int64_t n = s->run->n - 1;
    if (s->m->impurity != OWN) ftree_score_cuts(s);
    else
        for (int64_t cut = 0; cut < n; cut++) {
            move(s, s->run->order[cut], true);
            s->run->scores[cut] = score_of_sides(s);
        }
    return first_tied(s, n);
}

/* The best cut of entries by value, or in the order by the share of a class, or by the mean. */
static First best_in_order(Sides *s, const Column *column, int64_t label)
{
    ftree_order_entries(s->m, column, s->run, label);
    if (s->n_left > 0) clear_left(s);
    return best_cut(s);
}

/* The best cut in the first order that has it, of those by the share of each class; `label` gets that class. */
static First best_of_orders(Sides *s, const Column *column, int64_t *label)
{
    First found = best_in_order(s, column, *label = 0);
    if (column->split_kind == THRESHOLD || s->m->k <= 2) return found; /* two classes mirror each other */
    double best = found.score;
    bool unsure = found.unsure;
    for (int64_t c = 1; c < s->m->k && found.score == found.score; c++) {
        found = best_in_order(s, column, c);
        best = found.score > best ? found.score : best;
        unsure |= found.unsure;
    }
    if (best == NOTHING || found.score != found.score) return found;
    double tied = least_tied(s, best);
    double guard = guard_of(s, best);
    *label = -1;
    do found = best_in_order(s, column, ++*label);
    while (is_below(found.score, tied, guard, &unsure));
    found.unsure = unsure;
    found.score = best;
    return found;
}

/* The best of all divisions in two, in the order of `itertools.product((1, 0))`. A bit of the number of a division is
   set for an entry on the other side than entry 0; the last entry has the lowest bit. Entries move only where a bit
   differs from the last division. */
static First best_division(Sides *s)
{
    const int64_t n = s->run->n;
    const int64_t divisions = (int64_t)1 << (n - 1);
    for (int64_t entry = 0; entry < n; entry++) move(s, entry, true);
    for (int64_t division = 1; division < divisions; division++) {
        int64_t entry = n - 1;
        for (int64_t changed = division ^ (division - 1); changed; changed >>= 1, entry--)
            move(s, entry, !(division >> (n - 1 - entry) & 1));
        s->run->scores[division - 1] = score_of_sides(s);
    }
    First found = first_tied(s, divisions - 1);
    found.score = found.best;
    return found;
}

/* The best value against all others. */
static First best_value(Sides *s)
{
    for (int64_t entry = 0; entry < s->run->n; entry++) {
        move(s, entry, true);
        s->run->scores[entry] = score_of_sides(s);
        move(s, entry, false);
    }
    return first_tied(s, s->run->n);
}

/* ---- Splits ---- */

/* Whether entry 0, which has the lowest value, is among the first n of an order. */
static bool has_lowest(const int32_t *order, int64_t n)
{
    int64_t i = 0;
    while (i < n && order[i]) i++;
    return i < n;
}

/* The best split of a run by the search of its kind, without the share of known cases. */
static Scored split_of(Sides *s, const Column *column, First *found)
{
    Run *run = s->run;
    Scored split = {0};
    if (column->split_kind == MULTIWAY) {
        found->score = multiway_score(s);
    } else if (column->split_kind == ONE_VALUE) {
        *found = best_value(s);
        split.order = found->at;
    } else if (is_divided_in_every_way(s->m, column, run)) {
        *found = best_division(s);
        split.order = found->at + 1;
    } else {
        *found = best_of_orders(s, column, &split.order);
        split.cut = found->at + 1;
        if (column->split_kind == SUBSET && !has_lowest(run->order, split.cut)) {
            split.cut = run->n - split.cut;
            split.order = ~split.order;
        }
    }
    split.score = found->score;
    split.unsure = found->unsure || found->score != found->score;
    return split;
}

/* Reduce the score of a cut by the bits that tell which of n cuts it is; NOTHING without a gain. An unsure cut stays so: NumPy
   may take one that gains a tie more. */
static void subtract_bits(const Sides *s, Scored *split, int64_t n)
{
    bool unsure = split->unsure != 0;
    split->score -= log_2((double)n) / s->cases;
    if (!unsure && is_below(split->score, TIE, GUARD, &unsure)) split->score = NOTHING;
    split->unsure = unsure;
}

/* The information of a split; cases with a missing value are one more child. */
static double information_of(const Sides *s, const Column *column, const Scored *split)
{
    const Measure *m = s->m;
    Run *run = s->run;
    double parts = 0, below = 0;
    if (column->split_kind == MULTIWAY) {
        for (int64_t entry = 0; entry < run->n; entry++) parts += n_log_n(m, run->sizes[entry]);
    } else {
        int64_t n = ftree_order_run(m, column, run, split);
        for (int64_t i = 0; i < n; i++) below += run->sizes[run->order[i]];
        parts = n_log_n(m, below) + n_log_n(m, s->cases - below);
    }
    return s->known * ((n_log_n(m, s->cases) - parts) / s->cases) - n_log_n(m, s->known) - n_log_n(m, 1 - s->known);
}

Scored ftree_best_of_run(const Measure *measure, const Column *column, Run *run, const double *total)
{
    const Scored none = {.score = NOTHING};
    First found = {0};
    if (run->n < 2) return none;
    Sides s = sides_of(measure, column, run, total);
    Scored split = split_of(&s, column, &found);
    if (column->mdl && found.n) subtract_bits(&s, &split, found.n);
    if (split.score == NOTHING) return none;
    split.guard = guard_of(&s, split.score) * s.known;
    split.score *= s.known;
    if (measure->slack == measure->slack) split.information = information_of(&s, column, &split);
    return split;
}

/* The best split of a feature in a node by the values present there, a row each (a run): by cuts of the rows in an order, by a
   child for each value, by every division in two, or by one value against the others.

   Scores of classes are right within GUARD, and `unsure` where this could decide; then the search in NumPy decides. An impurity of
   the user's gets the same counts as there, and its gains are added up in the same order, to the last bit; so are those of numbers.
   Counts are whole, or multiples of a power of two, so that they add up exactly: rows may move from side to side. */
#include "table.h"

/* Weights may fall short of a minimum by this much (`ftree.splitters.runs.SLACK`). */
#define SLACK 1e-6
/* Gains above minus this are 0, if they are negative (`ftree.criteria.impurity.ROUNDING`). */
#define ROUNDING 1e-12
/* So many rows are sorted by insertion, and more by merging. */
#define FEW 16
/* NumPy adds up to so many numbers in eight sums, and more in halves. */
#define IN_A_BLOCK 128
/* Counts of classes at cuts that are scored together; few enough for a small stack. */
#define BLOCK 128

/* A division of a run in two sides, whose counts are `left` and `right` of the run. Of all rows: the cases, those times factors (1
   for 0), the loss (impurity times cases; of one of the user's, the impurity), and the share of the node's cases; then the least
   cases of a side. Of numbers: the mean and the sum of all, counted from the whole number below the mean, and what a case adds to the
   sums of rows for that. Last, the cases and the sum on the left. */
typedef struct {
    const Measure *m;
    Run *run;
    double cases, n, loss, known, least, mean;
    int64_t total, shift;
    double n_left;
    int64_t sum;
} Sides;

/* The first score that ties with the best one: both, its place, the number of scores, and whether rounding could decide. */
typedef struct {
    double best, score;
    int64_t at, n;
    bool unsure;
} First;

/* ---- Losses ---- */

INLINE double weighed(const Measure *m, const double *counts, int64_t c)
{
    return m->factors ? counts[c] * m->factors[c] : counts[c];
}

/* The cases of class counts, times the factors. */
static double cases_of(const Measure *m, const double *counts)
{
    double n = 0;
    for (int64_t c = 0; c < m->k; c++) n += weighed(m, counts, c);
    return n;
}

/* The sum of squares, or the largest count, with one more class. */
INLINE double with_class(int64_t impurity, double inner, double count)
{
    if (impurity == GINI) return inner + count * count;
    return count > inner ? count : inner;
}

/* One of the library's impurities times n cases, given n log2 n and the inner sum. */
INLINE double loss_from(int64_t impurity, double n, double outer, double inner)
{
    if (impurity == ENTROPY) return outer - inner;
    if (impurity == GINI) return n - inner / (n + (n <= 0)); /* 0 without a branch */
    return n - inner;
}

/* The same of class counts, times the factors; `n` gets their sum. */
INLINE double loss_of(const Measure *m, const double *counts, double *n)
{
    double inner = 0;
    *n = 0;
    for (int64_t c = 0; c < m->k; c++) {
        double count = weighed(m, counts, c);
        *n += count;
        inner = m->impurity == ENTROPY ? inner + n_log_n(m, count) : with_class(m->impurity, inner, count);
    }
    return loss_from(m->impurity, *n, m->impurity == ENTROPY ? n_log_n(m, *n) : 0, inner);
}

double ftree_gain_of(const Measure *m, const double *children, int64_t arity, const double *whole, double *room, double *scale)
{
    double left = 0, n, all = cases_of(m, whole);
    for (int64_t c = 0; c < m->k; c++) room[c] = 0;
    for (int64_t v = 0; v <= arity; v++) { /* all children together come last */
        const double *own = v < arity ? children + v * m->k : room;
        double found = m->impurity == OWN ? m->own(own, m->k) : 0, loss = m->impurity == OWN ? 0 : loss_of(m, own, &n);
        if (m->impurity == OWN) loss = found * cases_of(m, own);
        left += v < arity ? -loss : loss;
        *scale = __builtin_fabs(found) > *scale ? __builtin_fabs(found) : *scale;
        for (int64_t c = 0; c < m->k && v < arity; c++) room[c] += own[c];
    }
    return left / (all > 0 ? all : 1);
}

/* What a child of numbers takes off, as `Variance.taken_off` has it. */
INLINE double taken_off(const Sides *s, double cases, int64_t sum)
{
    double distance = (double)sum / cases - s->mean;
    return cases * (distance * distance) * s->m->scale;
}

/* The sum of numbers of a row, counted from the centre of the run's rows. */
INLINE int64_t sum_of_row(const Sides *s, int64_t row) { return s->run->sums[row] + s->shift * (int64_t)s->run->sizes[row]; }

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

/* A gain, or a gain per bit of the information of a split whose children have this sum of n log2 n. */
INLINE double score_of_gain(const Sides *s, double gain, double parts)
{
    gain = ((gain < 0) & (gain > -ROUNDING)) ? 0 : gain;
    if (!s->m->by_ratio) return gain;
    double information = (n_log_n(s->m, s->n) - parts) / s->n;
    return information > 0 ? gain / information : 0;
}

/* The score, or NaN for one that is not finite. */
INLINE double finite(double score) { return score - score == 0 ? score : __builtin_nan(""); }

/* The score of the two sides as they are, by an impurity of the user's. */
static double own_score(const Sides *s)
{
    const Measure *m = s->m;
    double n_left = s->n_left, n_right = s->cases - n_left;
    double parts = m->by_ratio ? n_log_n(m, n_left) + n_log_n(m, n_right) : 0;
    double left = n_left / s->cases * m->own(s->run->left, m->k), right = n_right / s->cases * m->own(s->run->right, m->k);
    return finite(score_of_gain(s, s->loss - (left + right), parts));
}

/* The score of the two sides as they are; NOTHING if one is too small. */
static double score_of_sides(const Sides *s)
{
    const Measure *m = s->m;
    if (s->n_left < s->least || s->cases - s->n_left < s->least) return NOTHING;
    if (m->impurity == OWN) return own_score(s);
    if (m->impurity == VARIANCE)
        return (taken_off(s, s->n_left, s->sum) + taken_off(s, s->cases - s->n_left, s->total - s->sum)) / s->cases;
    double n_left, n_right, left = loss_of(m, s->run->left, &n_left), right = loss_of(m, s->run->right, &n_right);
    return score_of_gain(s, (s->loss - left - right) / s->n, m->by_ratio ? n_log_n(m, n_left) + n_log_n(m, n_right) : 0);
}

/* The score of a child for each row, by an impurity of the user's or by variance. */
static double score_of_terms(const Sides *s)
{
    const Measure *m = s->m;
    Run *run = s->run;
    double parts = 0;
    for (int64_t row = 0; row < run->n; row++) {
        double size = run->sizes[row];
        if (m->impurity == VARIANCE) run->scores[row] = taken_off(s, size, sum_of_row(s, row));
        else run->scores[row] = size / s->cases * m->own(run->counts + row * m->k, m->k);
        if (m->by_ratio) parts += n_log_n(m, size);
    }
    double sum = in_numpys_order(run->scores, run->n);
    return m->impurity == VARIANCE ? sum / s->cases : finite(score_of_gain(s, s->loss - sum, parts));
}

/* The score of a child for each row; NOTHING if fewer than two have the least cases. */
static double multiway_score(const Sides *s)
{
    const Measure *m = s->m;
    const Run *run = s->run;
    int64_t large = 0;
    for (int64_t row = 0; row < run->n; row++) large += run->sizes[row] >= s->least;
    if (large < 2) return NOTHING;
    if (m->impurity >= OWN) return score_of_terms(s);
    double left = 0, parts = 0, n;
    for (int64_t row = 0; row < run->n; row++) {
        left += loss_of(m, run->counts + row * m->k, &n);
        if (m->by_ratio) parts += n_log_n(m, n);
    }
    return score_of_gain(s, (s->loss - left) / s->n, parts);
}

/* ---- Sides ---- */

/* Put all rows on the right; their cases. */
static double clear_left(Sides *s)
{
    const int64_t k = s->m->k, n = s->run->n;
    const double *counts = s->run->counts;
    double cases = 0;
    for (int64_t c = 0; c < k; c++) {
        double sum = 0;
#pragma omp simd reduction(+ : sum)
        for (int64_t row = 0; row < n; row++) sum += counts[row * k + c];
        s->run->left[c] = 0;
        s->run->right[c] = sum;
        cases += sum;
    }
    s->n_left = 0;
    s->sum = 0;
    return cases;
}

/* Move a row to the left, or back to the right. */
INLINE void move(Sides *s, int64_t row, bool to_left)
{
    const int64_t k = s->m->k;
    const double sign = to_left ? 1 : -1;
    Run *run = s->run;
    s->n_left += sign * run->sizes[row];
    if (s->m->impurity == VARIANCE) s->sum += (to_left ? 1 : -1) * sum_of_row(s, row);
    for (int64_t c = 0; c < k; c++) {
        run->left[c] += sign * run->counts[row * k + c];
        run->right[c] -= sign * run->counts[row * k + c];
    }
}

int64_t ftree_centre_of(int64_t sum, double cases)
{
    double mean = (double)sum / cases;
    return (int64_t)mean - ((double)(int64_t)mean > mean);
}

/* Count the numbers of a run from the whole number below their mean. */
static void set_centre(Sides *s)
{
    const Run *run = s->run;
    int64_t cases = (int64_t)s->cases;
    for (int64_t row = 0; row < run->n; row++) s->total += run->sums[row];
    int64_t centre = ftree_centre_of(s->total + run->centre * cases, s->cases);
    s->shift = run->centre - centre;
    s->total += s->shift * cases;
    s->mean = (double)s->total / s->cases;
}

/* The rows of a run, all on the right. */
static Sides sides_of(const Measure *m, const Column *column, Run *run, const double *total)
{
    Sides s = {.m = m, .run = run};
    s.cases = clear_left(&s);
    s.n = cases_of(m, run->right);
    double all = cases_of(m, total), fewest = column->share * s.cases / (double)m->k;
    s.known = all > 0 ? s.n / all : 0; /* a node may have only classes whose prior is 0 */
    if (m->impurity == VARIANCE) set_centre(&s);
    else s.loss = m->impurity == OWN ? m->own(run->right, m->k) : loss_of(m, run->right, &s.n);
    s.n = s.n > 0 ? s.n : 1;
    fewest = fewest < column->most ? fewest : column->most;
    s.least = (fewest > column->least ? fewest : column->least) - SLACK;
    return s;
}

/* ---- Ties ---- */

/* How many times the cases of the smallest row are those of all. */
static double most_of_smallest(const Sides *s)
{
    double smallest = s->n;
    for (int64_t row = 0; row < s->run->n; row++) {
        double cases = cases_of(s->m, s->run->counts + row * s->m->k);
        smallest = cases > 0 && cases < smallest ? cases : smallest;
    }
    return s->n / smallest;
}

/* A ratio divides by as little as the information of the smallest row. */
double ftree_guard_of(const Measure *m, double n, double best)
{
    if (m->impurity == VARIANCE || (m->impurity == OWN && !m->by_ratio)) return 0;
    double guard = m->by_ratio ? GUARD + 1e-14 * n / log_2(n + 1) : GUARD;
    return m->impurity == OWN ? guard * __builtin_fabs(best) : guard;
}

/* The bound on the rounding error of the scores of a run. */
static double guard_of(const Sides *s, double best) { return ftree_guard_of(s->m, s->m->by_ratio ? most_of_smallest(s) : 1, best); }

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
    double tied = least_tied(s, found.best), guard = guard_of(s, found.best);
    while (scores[found.at] < tied - guard) found.at++;
    found.score = scores[found.at];
    found.unsure = found.score < tied + guard;
    return found;
}

/* ---- Orders ---- */

/* Sort rows from `low` to before `high` by their shares, equal ones kept as they stand. */
static void insert_rows(const double *share, int32_t *order, int64_t low, int64_t high)
{
    for (int64_t i = low + 1; i < high; i++) {
        int32_t row = order[i];
        int64_t j = i;
        for (; j > low && share[order[j - 1]] > share[row]; j--) order[j] = order[j - 1];
        order[j] = row;
    }
}

/* Merge two sorted ranges of rows, from `low` and from `middle` on. */
static void merge_rows(const double *share, const int32_t *order, int32_t *to, int64_t low, int64_t middle, int64_t high)
{
    for (int64_t i = low, j = middle, at = low; at < high; at++) {
        bool first = j >= high || (i < middle && share[order[i]] <= share[order[j]]);
        to[at] = first ? order[i++] : order[j++];
    }
}

/* Sort all rows by their shares; equal ones stay in the order of their values. */
static void sort_rows(Run *run)
{
    const int64_t n = run->n;
    for (int64_t low = 0; low < n; low += FEW) insert_rows(run->share, run->order, low, low + FEW < n ? low + FEW : n);
    for (int64_t width = FEW; width < n; width *= 2) {
        for (int64_t low = 0; low < n; low += 2 * width) {
            int64_t middle = low + width < n ? low + width : n, high = middle + width < n ? middle + width : n;
            merge_rows(run->share, run->order, run->spare, low, middle, high);
        }
        for (int64_t i = 0; i < n; i++) run->order[i] = run->spare[i];
    }
}

/* The mean of a row of numbers, as `numbers.order` rounds it. */
static double mean_of_row(const Measure *m, const Run *run, int64_t row)
{
    double sum = (double)(run->sums[row] + run->centre * (int64_t)run->sizes[row]);
    return (m->line[0] + m->line[1] * (sum / run->sizes[row])) / m->line[2];
}

/* Order rows by value for a threshold, else by the share of a class, or by the mean. */
static void order_rows(const Measure *m, const Column *column, Run *run, int64_t label)
{
    for (int64_t row = 0; row < run->n; row++) run->order[row] = (int32_t)row;
    if (column->way != SUBSET) return;
    for (int64_t row = 0; row < run->n; row++)
        run->share[row] =
            m->impurity == VARIANCE ? mean_of_row(m, run, row) : run->counts[row * m->k + label] / run->sizes[row];
    sort_rows(run);
}

/* Whether the first rows of an order have the lowest value, that of row 0. */
static bool has_lowest(const int32_t *order, int64_t n)
{
    int64_t i = 0;
    while (i < n && order[i]) i++;
    return i < n;
}

/* ---- Searches ---- */

/* Replace counts by n log2 n: of a table, if all are in it. */
INLINE void to_n_log_n(const Measure *m, double *x, int64_t n)
{
    const double most = (double)m->most;
    int32_t known = 1;
#pragma omp simd reduction(& : known)
    for (int64_t i = 0; i < n; i++) {
        double own = x[i] <= most ? x[i] : -0.5;
        known &= (double)(int32_t)own == own;
    }
    for (int64_t i = 0; i < n && known; i++) x[i] = m->table[(int32_t)x[i]];
    if (known) return;
#pragma omp simd
    for (int64_t i = 0; i < n; i++) x[i] *= log_2(x[i] + (x[i] <= 0)); /* 0 without a branch */
}

/* Cuts that are scored together: the cases times factors and the inner sums on both sides of each; and room. */
typedef struct {
    double n_left[BLOCK], n_right[BLOCK], left[BLOCK], right[BLOCK], below[BLOCK], above[BLOCK];
} Block;

/* Add the counts of a class, below and above n cuts, to their cases and sums; for entropy their n log2 n are still to come. */
INLINE void add_class(Block *b, int64_t impurity, int64_t n, double *below, double *above, double all, double factor)
{
#pragma omp simd
    for (int64_t i = 0; i < n; i++) {
        above[i] = (all - below[i]) * factor;
        below[i] *= factor;
        b->n_left[i] += below[i];
        b->n_right[i] += above[i];
        if (impurity == ENTROPY) continue;
        b->left[i] = with_class(impurity, b->left[i], below[i]);
        b->right[i] = with_class(impurity, b->right[i], above[i]);
    }
}

/* Add the classes from `from` to `to` that are present to n cuts from `first` on. */
INLINE void add_classes(Sides *s, Block *b, int64_t impurity, int64_t first, int64_t n, int64_t k, int64_t from, int64_t to)
{
    const Measure *m = s->m;
    const Run *run = s->run;
    int64_t cells = 0;
    for (int64_t c = from; c < to; c++) {
        double below = run->left[c], *own = b->below + cells;
        if (run->right[c] <= 0) continue;
        for (int64_t i = 0; i < n; i++) own[i] = below += run->counts[run->order[first + i] * k + c];
        run->left[c] = below;
        add_class(b, impurity, n, own, b->above + cells, run->right[c], m->factors ? m->factors[c] : 1);
        cells += n;
    }
    if (impurity != ENTROPY) return;
    to_n_log_n(m, b->below, cells);
    to_n_log_n(m, b->above, cells);
    for (int64_t at = 0; at < cells; at += n)
#pragma omp simd
        for (int64_t i = 0; i < n; i++) b->left[i] += b->below[at + i], b->right[i] += b->above[at + i];
}

/* The scores of n cuts. */
INLINE void score_block(const Sides *s, Block *b, int64_t impurity, int64_t n, double *score)
{
    const Measure *m = s->m;
    const double loss = s->loss, all = s->n;
#pragma omp simd
    for (int64_t i = 0; i < n; i++) b->below[i] = b->n_left[i], b->above[i] = b->n_right[i];
    if (impurity == ENTROPY || m->by_ratio) to_n_log_n(m, b->below, n), to_n_log_n(m, b->above, n);
#pragma omp simd
    for (int64_t i = 0; i < n; i++) {
        double left = loss_from(impurity, b->n_left[i], b->below[i], b->left[i]);
        double gain = (loss - left - loss_from(impurity, b->n_right[i], b->above[i], b->right[i])) / all;
        score[i] = gain * ((gain >= 0) | (gain <= -ROUNDING)); /* as below, without a branch */
    }
    for (int64_t i = 0; i < n && m->by_ratio; i++) score[i] = score_of_gain(s, score[i], b->below[i] + b->above[i]);
}

/* Take out cuts that leave too few cases on a side. */
INLINE void close_cuts(Sides *s, Block *b, int64_t first, int64_t n, double *score)
{
    const Run *run = s->run;
    const double cases = s->cases, least = s->least;
    double below = s->n_left;
    for (int64_t i = 0; i < n && s->m->factors; i++) b->n_left[i] = below += run->sizes[run->order[first + i]];
#pragma omp simd
    for (int64_t i = 0; i < n; i++) score[i] = (b->n_left[i] < least) | (cases - b->n_left[i] < least) ? NOTHING : score[i];
    s->n_left = b->n_left[n - 1];
}

/* The scores of all cuts by an impurity of the library. */
INLINE void score_cuts_by(Sides *s, int64_t impurity, int64_t k)
{
    const int64_t cuts = s->run->n - 1, most = k < BLOCK ? BLOCK / k : 1;
    Block b;
    for (int64_t first = 0; first < cuts; first += most) {
        int64_t n = cuts - first < most ? cuts - first : most;
        for (int64_t i = 0; i < n; i++) b.n_left[i] = b.n_right[i] = b.left[i] = b.right[i] = 0;
        for (int64_t c = 0; c < k; c += BLOCK) add_classes(s, &b, impurity, first, n, k, c, k - c < BLOCK ? k : c + BLOCK);
        score_block(s, &b, impurity, n, s->run->scores + first);
        close_cuts(s, &b, first, n, s->run->scores + first);
    }
}

static void score_cuts(Sides *s)
{
    const int64_t impurity = s->m->impurity, k = s->m->k;
    if (impurity == ENTROPY && k == 2) score_cuts_by(s, ENTROPY, 2);
    else if (impurity == ENTROPY) score_cuts_by(s, ENTROPY, k);
    else if (impurity == GINI && k == 2) score_cuts_by(s, GINI, 2);
    else if (impurity == GINI) score_cuts_by(s, GINI, k);
    else score_cuts_by(s, MISCLASSIFICATION, k);
}

/* The best cut of rows in their order. */
static First best_cut(Sides *s)
{
    const int64_t n = s->run->n - 1;
    if (s->m->impurity < OWN) score_cuts(s);
    else
        for (int64_t cut = 0; cut < n; cut++) {
            move(s, s->run->order[cut], true);
            s->run->scores[cut] = score_of_sides(s);
        }
    return first_tied(s, n);
}

/* The best cut of rows by value, or in the order by the share of a class, or by the mean. */
static First best_in_order(Sides *s, const Column *column, int64_t label)
{
    order_rows(s->m, column, s->run, label);
    if (s->n_left > 0) clear_left(s);
    return best_cut(s);
}

/* The best cut in the first order that has it, of those by the share of each class; `label` gets that class. */
static First best_of_orders(Sides *s, const Column *column, int64_t *label)
{
    First found = best_in_order(s, column, *label = 0);
    if (column->way == THRESHOLD || s->m->k <= 2) return found; /* two classes mirror each other */
    double best = found.score;
    bool unsure = found.unsure;
    for (int64_t c = 1; c < s->m->k && found.score == found.score; c++) {
        found = best_in_order(s, column, c);
        best = found.score > best ? found.score : best;
        unsure |= found.unsure;
    }
    if (best == NOTHING || found.score != found.score) return found;
    double tied = least_tied(s, best), guard = guard_of(s, best);
    *label = -1;
    do found = best_in_order(s, column, ++*label);
    while (found.score < tied - guard && *label + 1 < s->m->k);
    found.unsure = unsure || found.score < tied + guard;
    found.score = best;
    return found;
}

/* The best of all divisions in two, in the order of `itertools.product((1, 0))`: a bit is set for a row that is not beside row 0. */
static First best_division(Sides *s)
{
    const int64_t n = s->run->n, divisions = (int64_t)1 << (n - 1);
    for (int64_t row = 0; row < n; row++) move(s, row, true);
    for (int64_t division = 1; division < divisions; division++) {
        int64_t row = n - 1;
        for (int64_t changed = division ^ (division - 1); changed; changed >>= 1, row--)
            move(s, row, !(division >> (n - 1 - row) & 1));
        s->run->scores[division - 1] = score_of_sides(s);
    }
    First found = first_tied(s, divisions - 1);
    found.score = found.best;
    return found;
}

/* The best value against all others. */
static First best_value(Sides *s)
{
    for (int64_t row = 0; row < s->run->n; row++) {
        move(s, row, true);
        s->run->scores[row] = score_of_sides(s);
        move(s, row, false);
    }
    return first_tied(s, s->run->n);
}

/* ---- Splits ---- */

/* Whether all divisions are tried: those of few values, for more than two classes. */
static bool is_divided_in_every_way(const Measure *m, const Column *column, const Run *run)
{
    return column->way == SUBSET && m->k > 2 && run->n <= column->exact;
}

/* Put the rows on the side of row 0 first: by the bits of a division, or by the one row apart; their number. */
static int64_t order_sides(Run *run, bool by_bits, int64_t number)
{
    int64_t n = 0, rest = 0;
    for (int64_t row = 0; row < run->n; row++) {
        bool apart = by_bits ? number >> (run->n - 1 - row) & 1 : (row == number) != (number == 0);
        if (apart) run->spare[rest++] = (int32_t)row;
        else run->order[n++] = (int32_t)row;
    }
    for (int64_t i = 0; i < rest; i++) run->order[n + i] = run->spare[i];
    return n;
}

/* Put the last n rows of an order first. */
static void put_last_first(Run *run, int64_t n)
{
    for (int64_t i = 0; i < run->n; i++) run->spare[i] = run->order[(i + run->n - n) % run->n];
    for (int64_t i = 0; i < run->n; i++) run->order[i] = run->spare[i];
}

int64_t ftree_order_run(const Measure *measure, const Column *column, Run *run, const Scored *split)
{
    if (column->way == ONE_VALUE) return order_sides(run, false, split->order);
    if (is_divided_in_every_way(measure, column, run)) return order_sides(run, true, split->order);
    order_rows(measure, column, run, split->order < 0 ? ~split->order : split->order);
    if (split->order < 0) put_last_first(run, split->cut);
    return split->cut;
}

/* The split that a search found: where it cuts, in which order. */
static Scored split_of(Sides *s, const Column *column, First *found)
{
    Run *run = s->run;
    Scored split = {0};
    if (column->way == MULTIWAY) {
        found->score = multiway_score(s);
        split.cut = run->n > column->declared ? run->n : column->declared;
    } else if (column->way == ONE_VALUE) {
        *found = best_value(s);
        split.order = found->at;
        split.cut = found->at ? run->n - 1 : 1;
    } else if (is_divided_in_every_way(s->m, column, run)) {
        *found = best_division(s);
        split.order = found->at + 1;
        split.cut = run->n;
        for (int64_t bits = split.order; bits; bits &= bits - 1) split.cut--;
    } else {
        *found = best_of_orders(s, column, &split.order);
        split.cut = found->at + 1;
        if (column->way == SUBSET && !has_lowest(run->order, split.cut)) {
            split.cut = run->n - split.cut;
            split.order = ~split.order;
        }
    }
    split.score = found->score;
    split.unsure = found->unsure || found->score != found->score;
    return split;
}

/* Reduce the score of a cut by the bits that tell which of n cuts it is; NOTHING without a gain. */
static void subtract_bits(const Sides *s, Scored *split, int64_t n)
{
    double bits = log_2((double)n) / s->cases, near = split->unsure ? 2 * TIE : GUARD;
    double left = split->score - bits - TIE;
    split->score -= bits;
    split->unsure |= left < near && left > -near; /* the search in NumPy decides what rounding may move to the other side */
    if (left <= -near) split->score = NOTHING;
}

/* The information of a split; cases with a missing value are one more child. */
static double information_of(const Sides *s, const Column *column, const Scored *split)
{
    const Measure *m = s->m;
    Run *run = s->run;
    double parts = 0, below = 0;
    if (column->way == MULTIWAY)
        for (int64_t row = 0; row < run->n; row++) parts += n_log_n(m, run->sizes[row]);
    else {
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
    split.score *= s.known;
    if (measure->slack == measure->slack) split.information = information_of(&s, column, &split);
    return split;
}

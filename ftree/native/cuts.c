/* The scores of all cuts of the entries of a run in their order, by the library's impurities and those of sums, in
   blocks that compilers vectorise. */
#include "sides.h"

/* Counts of classes at cuts that are scored together; few enough for a small stack. */
#define CUTS_AT_ONCE 128

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
    for (int64_t i = 0; i < n && known; i++) x[i] = m->entropies[(int32_t)x[i]];
    if (known) return;
#pragma omp simd
    for (int64_t i = 0; i < n; i++) x[i] *= log_2(x[i] + (x[i] <= 0)); /* 0 without a branch */
}

/* Cuts that are scored together: the cases times factors and the inner sums on both sides of each; and room. */
typedef struct {
    double n_left[CUTS_AT_ONCE], n_right[CUTS_AT_ONCE], left[CUTS_AT_ONCE], right[CUTS_AT_ONCE], below[CUTS_AT_ONCE],
        above[CUTS_AT_ONCE];
} Block;

/* Add the counts of a class, below and above n cuts, to their cases and sums; for entropy their n log2 n are still to
   come. */
INLINE void add_class(Block *b, int64_t impurity, int64_t n, double *below, double *above, double all, double factor)
{
#pragma omp simd
    for (int64_t i = 0; i < n; i++) {
        above[i] = (all - below[i]) * factor;
        below[i] *= factor;
        b->n_left[i] += below[i];
        b->n_right[i] += above[i];
        if (impurity == ENTROPY) continue;
        b->left[i] = with_class(impurity, b->left[i], below[i], 0);
        b->right[i] = with_class(impurity, b->right[i], above[i], 0);
    }
}

/* Add the classes from `from` to `to` that are present to n cuts from `first` on. */
INLINE void add_classes(Sides *s, Block *b, int64_t impurity, int64_t first, int64_t n, int64_t k, int64_t from, int64_t to)
{
    const Measure *m = s->m;
    const Run *run = s->run;
    int64_t cells = 0;
    for (int64_t c = from; c < to; c++) {
        double below = run->left[c];
        double *own = b->below + cells;
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
        for (int64_t i = 0; i < n; i++) {
            b->left[i] += b->below[at + i];
            b->right[i] += b->above[at + i];
        }
}

/* The scores of n cuts. */
INLINE void score_block(const Sides *s, Block *b, int64_t impurity, int64_t n, double *score)
{
    const Measure *m = s->m;
    const double loss = s->loss, all = s->n;
#pragma omp simd
    for (int64_t i = 0; i < n; i++) {
        b->below[i] = b->n_left[i];
        b->above[i] = b->n_right[i];
    }
    if (impurity == ENTROPY || m->by_ratio) {
        to_n_log_n(m, b->below, n);
        to_n_log_n(m, b->above, n);
    }
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
    const int64_t cuts = s->run->n - 1;
    const int64_t most = k < CUTS_AT_ONCE ? CUTS_AT_ONCE / k : 1;
    Block b;
    for (int64_t first = 0; first < cuts; first += most) {
        int64_t n = cuts - first < most ? cuts - first : most;
        for (int64_t i = 0; i < n; i++) b.n_left[i] = b.n_right[i] = b.left[i] = b.right[i] = 0;
        for (int64_t c = 0; c < k; c += CUTS_AT_ONCE)
            add_classes(s, &b, impurity, first, n, k, c, k - c < CUTS_AT_ONCE ? k : c + CUTS_AT_ONCE);
        score_block(s, &b, impurity, n, s->run->scores + first);
        close_cuts(s, &b, first, n, s->run->scores + first);
    }
}

/* Sums on both sides of cuts that are scored together, and the cases on the left. */
typedef struct {
    double n_left[CUTS_AT_ONCE], left[MOST_SUMS][CUTS_AT_ONCE], right[MOST_SUMS][CUTS_AT_ONCE];
} BlockOfSums;

/* Move entries to the left, and note what is on both sides of each cut. */
INLINE void move_entries(Sides *s, BlockOfSums *b, int64_t first, int64_t n, int64_t n_sums)
{
    for (int64_t i = 0; i < n; i++) {
        int32_t entry = s->run->order[first + i];
        b->n_left[i] = s->n_left += s->run->sizes[entry];
        for (int64_t j = 0; j < n_sums; j++) {
            s->sums[j] += sum_of_entry(s, entry, j);
            b->left[j][i] = (double)s->sums[j];
            b->right[j][i] = (double)(s->total[j] - s->sums[j]);
        }
    }
}

/* The scores of all cuts by an impurity of sums. */
INLINE void score_cuts_of_sums(Sides *s, int64_t impurity, int64_t n_sums)
{
    const Measure *m = s->m;
    const double mean = s->mean, cases = s->cases, least = s->least;
    const int64_t cuts = s->run->n - 1;
    BlockOfSums b;
    for (int64_t first = 0; first < cuts; first += CUTS_AT_ONCE) {
        int64_t n = cuts - first < CUTS_AT_ONCE ? cuts - first : CUTS_AT_ONCE;
        double *score = s->run->scores + first;
        move_entries(s, &b, first, n, n_sums);
#pragma omp simd
        for (int64_t i = 0; i < n; i++) {
            const double n_left = b.n_left[i], n_right = cases - n_left;
            const double left[MOST_SUMS] = {b.left[0][i], b.left[n_sums - 1][i]};
            const double right[MOST_SUMS] = {b.right[0][i], b.right[n_sums - 1][i]};
            double taken =
                impurity_decrease(m, impurity, mean, n_left, left) + impurity_decrease(m, impurity, mean, n_right, right);
            score[i] = (n_left < least) | (n_right < least) ? NOTHING : taken / cases;
        }
    }
}

void ftree_score_cuts(Sides *s)
{
    const int64_t impurity = s->m->impurity, k = s->m->k;
    if (impurity == VARIANCE) score_cuts_of_sums(s, VARIANCE, 1);
    else if (impurity == POISSON) score_cuts_of_sums(s, POISSON, 2);
    else if (impurity == ENTROPY && k == 2) score_cuts_by(s, ENTROPY, 2);
    else if (impurity == ENTROPY) score_cuts_by(s, ENTROPY, k);
    else if (impurity == GINI && k == 2) score_cuts_by(s, GINI, 2);
    else if (impurity == GINI) score_cuts_by(s, GINI, k);
    else score_cuts_by(s, MISCLASSIFICATION, k);
}

/* The orders of the rows of a run: by value, by the share of a class, the mean or the rate, or by the sides of a split. */
#include "sides.h"

/* So many rows are sorted by insertion, and more by merging. */
#define FEW 16

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

/* The share of a class in a row, the mean of its numbers, or the rate of its events, as `numbers.order` and `events.order` round
   them. */
static double figure_of_row(const Measure *m, const Run *run, int64_t row, int64_t label)
{
    if (m->impurity == POISSON) return rate_of(m, (double)run->sums[2 * row], (double)run->sums[2 * row + 1]);
    if (m->impurity != VARIANCE) return run->counts[row * m->k + label] / run->sizes[row];
    double sum = (double)(run->sums[row] + run->centre * (int64_t)run->sizes[row]);
    return (m->lines[0][0] + m->lines[0][1] * (sum / run->sizes[row])) / m->lines[0][2];
}

void ftree_order_rows(const Measure *m, const Column *column, Run *run, int64_t label)
{
    for (int64_t row = 0; row < run->n; row++) run->order[row] = (int32_t)row;
    if (column->way != SUBSET) return;
    for (int64_t row = 0; row < run->n; row++) run->share[row] = figure_of_row(m, run, row, label);
    sort_rows(run);
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
    ftree_order_rows(measure, column, run, split->order < 0 ? ~split->order : split->order);
    if (split->order < 0) put_last_first(run, split->cut);
    return split->cut;
}

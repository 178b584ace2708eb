/* The orders of the entries of a run: by value, by the share of a class, the mean or the rate, or by the sides of a split. */
#include "sides.h"

/* So many entries are sorted by insertion, and more by merging. */
#define FEW_ENTRIES 16

/* Sort entries from `low` to before `high` by their shares, equal ones kept as they stand. */
static void insert_entries(const double *share, int32_t *order, int64_t low, int64_t high)
{
    for (int64_t i = low + 1; i < high; i++) {
        int32_t entry = order[i];
        int64_t j = i;
        for (; j > low && share[order[j - 1]] > share[entry]; j--) order[j] = order[j - 1];
        order[j] = entry;
    }
}

/* Merge two sorted ranges of entries, from `low` and from `middle` on. */
static void merge_entries(const double *share, const int32_t *order, int32_t *to, int64_t low, int64_t middle, int64_t high)
{
    for (int64_t i = low, j = middle, at = low; at < high; at++) {
        bool first = j >= high || (i < middle && share[order[i]] <= share[order[j]]);
        to[at] = first ? order[i++] : order[j++];
    }
}

/* Sort all entries by their shares; equal ones stay in the order of their values. */
static void sort_entries(Run *run)
{
    const int64_t n = run->n;
    for (int64_t low = 0; low < n; low += FEW_ENTRIES)
        insert_entries(run->share, run->order, low, low + FEW_ENTRIES < n ? low + FEW_ENTRIES : n);
    for (int64_t width = FEW_ENTRIES; width < n; width *= 2) {
        for (int64_t low = 0; low < n; low += 2 * width) {
            int64_t middle = low + width < n ? low + width : n;
            int64_t high = middle + width < n ? middle + width : n;
            merge_entries(run->share, run->order, run->spare, low, middle, high);
        }
        for (int64_t i = 0; i < n; i++) run->order[i] = run->spare[i];
    }
}

/* The share of a class in an entry, the mean of its numbers, or the rate of its events, as `numbers.order` and
   `events.order` round them. */
static double figure_of_entry(const Measure *m, const Run *run, int64_t entry, int64_t label)
{
    if (m->impurity == POISSON) return rate_of(m, (double)run->sums[2 * entry], (double)run->sums[2 * entry + 1]);
    if (m->impurity != VARIANCE) return run->counts[entry * m->k + label] / run->sizes[entry];
    double sum = (double)(run->sums[entry] + run->centre * (int64_t)run->sizes[entry]);
    return (m->lines[0][0] + m->lines[0][1] * (sum / run->sizes[entry])) / m->lines[0][2];
}

void ftree_order_entries(const Measure *m, const Column *column, Run *run, int64_t label)
{
    for (int64_t entry = 0; entry < run->n; entry++) run->order[entry] = (int32_t)entry;
    if (column->split_kind != SUBSET) return;
    for (int64_t entry = 0; entry < run->n; entry++) run->share[entry] = figure_of_entry(m, run, entry, label);
    sort_entries(run);
}

/* Put the entries on the side of entry 0 first: by the bits of a division, or by the one entry apart; their number. */
static int64_t order_sides(Run *run, bool by_bits, int64_t number)
{
    int64_t n = 0, rest = 0;
    for (int64_t entry = 0; entry < run->n; entry++) {
        bool apart = by_bits ? number >> (run->n - 1 - entry) & 1 : (entry == number) != (number == 0);
        if (apart) run->spare[rest++] = (int32_t)entry;
        else run->order[n++] = (int32_t)entry;
    }
    for (int64_t i = 0; i < rest; i++) run->order[n + i] = run->spare[i];
    return n;
}

/* Put the last n entries of an order first. */
static void put_last_first(Run *run, int64_t n)
{
    for (int64_t i = 0; i < run->n; i++) run->spare[i] = run->order[(i + run->n - n) % run->n];
    for (int64_t i = 0; i < run->n; i++) run->order[i] = run->spare[i];
}

int64_t ftree_order_run(const Measure *measure, const Column *column, Run *run, const Scored *split)
{
    if (column->split_kind == ONE_VALUE) return order_sides(run, false, split->order);
    if (is_divided_in_every_way(measure, column, run)) return order_sides(run, true, split->order);
    ftree_order_entries(measure, column, run, split->order < 0 ? ~split->order : split->order);
    if (split->order < 0) put_last_first(run, split->cut);
    return split->cut;
}

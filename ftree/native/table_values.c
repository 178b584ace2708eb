/* Runs: the values of a feature that are present in a node, an entry each. A feature with a lane is read in its order.
   Codes of a node with many rows are tallied first, for all features together; those of few rows are sorted by
   insertion. */
#include "table.h"

/* Begin an entry with a value. */
INLINE void begin_entry(Run *run, int64_t entry, int32_t value)
{
    run->values[entry] = value;
    run->sizes[entry] = 0;
    for (int64_t c = 0; c < run->k; c++) run->counts[entry * run->k + c] = 0;
    for (int64_t i = 0; i < run->n_sums; i++) run->sums[entry * run->n_sums + i] = 0;
}

/* Add a row of the table to an entry. */
INLINE void add_row(const Table *t, Run *run, int64_t entry, int64_t row)
{
    double weight = weight_of(t, row);
    run->sizes[entry] += weight;
    if (!run->sums) {
        run->counts[entry * run->k + t->labels[row]] += weight;
        return;
    }
    run->counts[entry] += weight; /* of sums, k is 1 */
    for (int64_t i = 0, n = run->n_sums; i < n; i++)
        run->sums[entry * n + i] += (t->whole[row * n + i] - run->centre) * (int64_t)weight;
}

/* Sorted keys of two classes, whose counts stay in registers: the present entry is written again at each key. The first
   key has a new value, so entries are numbered from 1 here. */
static void run_of_two_classes(const Table *t, const SearchedNode *node, const int32_t *keys, Run *run)
{
    const int32_t is_missing = missing_bit(t->rules);
    const int32_t is_new = new_bit(t->rules);
    const int64_t shift = t->rules->shift;
    double size = 0, second = 0, *counts = run->counts - 2, *sizes = run->sizes - 1;
    int32_t *values = run->values - 1;
    int64_t entry = 0;
    for (int64_t i = 0; i < node->high - node->low && !(keys[i] & is_missing); i++) {
        const int32_t row = keys[i] >> shift;
        const int32_t starts = (keys[i] & is_new) != 0;
        const double weight = weight_of(t, row);
        entry += starts;
        size = (starts ? 0 : size) + weight;
        second = (starts ? 0 : second) + weight * t->labels[row];
        if (starts) values[entry] = (int32_t)i;
        sizes[entry] = size;
        counts[2 * entry] = size - second;
        counts[2 * entry + 1] = second;
    }
    run->n = entry;
}

/* Sorted keys. A value is named by its first key, counted from that of the node. */
static void run_of_lane(const Table *t, const SearchedNode *node, const int32_t *keys, Run *run)
{
    const int32_t is_missing = missing_bit(t->rules);
    const int32_t is_new = new_bit(t->rules);
    run->n = 0;
    if (run->k == 2) {
        run_of_two_classes(t, node, keys, run);
        return;
    }
    for (int64_t i = 0; i < node->high - node->low && !(keys[i] & is_missing); i++) {
        if (keys[i] & is_new) begin_entry(run, run->n++, (int32_t)i);
        add_row(t, run, run->n - 1, keys[i] >> t->rules->shift);
    }
}

/* Codes of few rows. An entry is inserted before those of larger codes. */
static void run_of_few(const Table *t, const SearchedNode *node, const Column *column, Run *run)
{
    const int32_t *rows = t->grown.keys + node->low;
    run->n = 0;
    for (int64_t i = 0; i < node->high - node->low; i++) {
        int32_t code = code_of(t, rows[i], column->place);
        int64_t at = run->n;
        if (code == column->n_codes) continue;
        while (at > 0 && run->values[at - 1] > code) at--;
        if (at == 0 || run->values[at - 1] != code) {
            for (int64_t j = run->n++; j > at; j--) {
                run->values[j] = run->values[j - 1];
                run->sizes[j] = run->sizes[j - 1];
                for (int64_t c = 0; c < run->k; c++) run->counts[j * run->k + c] = run->counts[(j - 1) * run->k + c];
                for (int64_t c = 0, n = run->n_sums; c < n; c++) run->sums[j * n + c] = run->sums[(j - 1) * n + c];
            }
            begin_entry(run, at++, code);
        }
        add_row(t, run, at - 1, rows[i]);
    }
}

/* Codes of many rows, which `tally` has counted from cell `begin` on. */
static void run_of_tally(const Table *t, int64_t begin, int32_t n_codes, Run *run)
{
    const int64_t k = run->k;
    run->n = 0;
    for (int32_t code = 0; code < n_codes; code++) {
        double cases = 0;
        double *own = run->counts + run->n * k;
        const double *cells = t->room.tally + begin + code * k;
        for (int64_t c = 0; c < k; c++) cases += own[c] = cells[c];
        run->values[run->n] = code;
        run->sizes[run->n] = cases;
        for (int64_t c = 0, m = run->n_sums; c < m; c++) run->sums[run->n * m + c] = t->room.sums[(begin + code) * m + c];
        run->n += cases > 0;
    }
}

void ftree_tally_codes(const Table *t, const SearchedNode *node)
{
    const int32_t *rows = t->grown.keys + node->low;
    const int64_t k = t->room.run.k, cells = t->begin[t->f], n_sums = t->room.run.n_sums;
    for (int64_t i = 0; i < cells; i++) t->room.tally[i] = 0;
    for (int64_t i = 0; i < cells * n_sums; i++) t->room.sums[i] = 0;
    for (int64_t i = 0; i < node->high - node->low; i++) {
        const int64_t row = rows[i];
        const double weight = weight_of(t, row);
        const int64_t class = n_sums ? 0 : t->labels[row];
        int64_t added[MOST_SUMS];
        for (int64_t s = 0; s < n_sums; s++) added[s] = (t->whole[row * n_sums + s] - node->centre) * (int64_t)weight;
        for (int64_t f = 0; f < t->f; f++) {
            if (t->begin[f] == t->begin[f + 1]) continue;
            int64_t cell = t->begin[f] + code_of(t, row, t->columns[f].place) * k + class;
            t->room.tally[cell] += weight;
            for (int64_t s = 0; s < n_sums; s++) t->room.sums[cell * n_sums + s] += added[s];
        }
    }
}

Run ftree_run_of(const Table *t, const SearchedNode *node, int64_t f, bool tallied)
{
    const Column *column = t->columns + f;
    Run run = t->room.run;
    run.centre = node->centre;
    if (column->place < 0) run_of_lane(t, node, lane_of(t, node, column), &run);
    else if (tallied) run_of_tally(t, t->begin[f], column->n_codes, &run);
    else run_of_few(t, node, column, &run);
    return run;
}

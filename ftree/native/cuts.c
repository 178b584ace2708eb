/* Class counts on both sides of cuts, a block at a time: the twin of `ftree.splitters.cuts.every_cut`. */
#include "native.h"

/* Begin with the first run from `run` on that has a cut, and add up its rows; the run. */
static int64_t next_run(const double *counts, const int64_t *start, const int64_t *end, int64_t run, double *left, double *total,
                        int64_t k)
{
    while (end[run] - start[run] < 2) run++;
    for (int64_t c = 0; c < k; c++) left[c] = total[c] = 0.0;
    for (int64_t row = start[run]; row < end[run]; row++)
        for (int64_t c = 0; c < k; c++) total[c] += counts[row * k + c];
    return run;
}

/* Write the counts (k, 2, b) of the rows up to each of the next cuts, and of those after it, of runs of rows with counts (r, k).

   `place` is the run and the row of the next cut, -1 and 0 at first; `left` and `total` (k,) are the counts of the run's rows before it
   and of all its rows. There are as many cuts as there is room for. */
FTREE_API int64_t ftree_sides(const double *counts, const int64_t *start, const int64_t *end, int64_t *place, double *left,
                              double *total, double *sides, int64_t r, int64_t k, int64_t n, int64_t b)
{
    int64_t run = place[0], row = place[1];
    (void)r, (void)n;
    for (int64_t cut = 0; cut < b; cut++, row++) {
        if (run < 0 || row >= end[run] - 1) run = next_run(counts, start, end, run + 1, left, total, k), row = start[run];
        for (int64_t c = 0; c < k; c++) {
            double before = left[c] += counts[row * k + c];
            sides[2 * c * b + cut] = before, sides[(2 * c + 1) * b + cut] = total[c] - before;
        }
    }
    place[0] = run, place[1] = row;
    return b;
}

/* Parts of a table that is not in memory: bins of many numbers, bounds of gains, and rows routed and counted at open
   nodes. */
#include "native.h"

/* The guide's cell of a number, which never falls as the number grows: so numbers of other cells need not be compared. */
INLINE int64_t guide_cell(double number, double low, double scale, int64_t cells)
{
    double place = (number - low) * scale;
    if (!(place > 0)) return 0; /* also for a place that is not a number: an infinite number times a scale of 0 */
    return place < (double)cells ? (int64_t)place : cells - 1;
}

/* Fill `codes` (n,) with the number of sorted edges (e,) below each number (n,); NaN gets e + 1. `guide` (c,) is room
   for the number of edges before each of c - 1 cells of width 1 / `scale` from `low` on. */
FTREE_API int64_t ftree_bin_codes(const double *numbers, const double *edges, double low, double scale, int32_t *guide,
                                  int32_t *codes, int64_t n, int64_t e, int64_t c)
{
    int64_t cells = c - 1;
    for (int64_t i = 0, before = 0; i <= cells; i++) {
        guide[i] = (int32_t)before;
        while (before < e && guide_cell(edges[before], low, scale, cells) == i) before++;
    }
    for (int64_t i = 0; i < n; i++) {
        double x = numbers[i];
        int64_t cell = guide_cell(x, low, scale, cells);
        int32_t begin = guide[cell];
        int32_t end = guide[cell + 1];
        while (begin < end) {
            int32_t middle = (int32_t)(((uint32_t)begin + (uint32_t)end) / 2);
            if (edges[middle] < x) begin = middle + 1;
            else end = middle;
        }
        codes[i] = x == x ? begin : (int32_t)e + 1;
    }
    return n;
}

/* The inner sum of a single class, and the impurity times the weight of all classes: see native.h. */
INLINE double term(int64_t impurity, double count) { return with_class(impurity, 0, count, log_term(impurity, count)); }

INLINE double loss_of(int64_t impurity, double weight, double terms)
{
    return loss_from(impurity, weight, log_term(impurity, weight), terms);
}

/* Fill the largest gain (n,) at the corners of ranges, where each class of the cases `within` (n, k) goes to the `left`
   (n, k) or the `right` (n, k): by ENTROPY in bits, or by GINI. `terms` (4, k) is room. */
FTREE_API int64_t ftree_corner_bounds(const double *left, const double *within, const double *right, int64_t impurity,
                                      double *terms, double *bounds, int64_t n, int64_t k)
{
    double *least_left = terms;
    double *most_left = terms + k;
    double *least_right = terms + 2 * k;
    double *most_right = terms + 3 * k;
    for (int64_t i = 0; i < n; i++, left += k, within += k, right += k) {
        double total = 0.0, of_all = 0.0, least = 0.0;
        for (int64_t c = 0; c < k; c++) {
            double all = left[c] + within[c] + right[c];
            total += all;
            of_all += term(impurity, all);
            least_left[c] = term(impurity, left[c]);
            most_left[c] = term(impurity, left[c] + within[c]);
            least_right[c] = term(impurity, right[c]);
            most_right[c] = term(impurity, right[c] + within[c]);
        }
        for (int64_t corner = 0; corner < (int64_t)1 << k; corner++) {
            double below[2] = {0.0, 0.0};
            double sums[2] = {0.0, 0.0};
            for (int64_t c = 0; c < k; c++) {
                bool goes_left = corner >> c & 1;
                below[0] += left[c] + (goes_left ? within[c] : 0.0);
                sums[0] += goes_left ? most_left[c] : least_left[c];
                below[1] += right[c] + (goes_left ? 0.0 : within[c]);
                sums[1] += goes_left ? least_right[c] : most_right[c];
            }
            double impure = loss_of(impurity, below[0], sums[0]) + loss_of(impurity, below[1], sums[1]);
            if (!corner || impure < least) least = impure;
        }
        bounds[i] = (loss_of(impurity, total, of_all) - least) / total;
    }
    return n;
}

/* Code i of some of `bytes` bytes, 2 or 4. */
INLINE int64_t code_at(const uint8_t *codes, int64_t i, int64_t bytes)
{
    return bytes == 2 ? (int64_t)((const uint16_t *)(const void *)codes)[i] : (int64_t)((const uint32_t *)(const void *)codes)[i];
}

/* The fork where a row ends, and whether it has no child there. */
INLINE int64_t end_of_row(const uint8_t *codes, int64_t bytes, const double *numbers, const Fork *forks, const int64_t *child,
                          int64_t i, int64_t n, bool *lost)
{
    int64_t here = 0;
    for (*lost = false; forks[here].feature >= 0;) {
        const Fork *own = forks + here;
        int64_t code = code_at(codes, own->feature * n + i, bytes), step;
        if (own->table >= 0) step = child[own->table + code];
        else if (code == own->code) step = numbers[own->numeric * n + i] > own->at; /* only then, since they may be on disk */
        else step = code == own->absent ? -1 : code > own->code;
        *lost = step < 0;
        if (*lost) break;
        here = own->first + step;
    }
    return here;
}

/* Fill the open node (n,) of each row, -1 for none; a row whose value is missing at a fork, or has no child there, gets
   -2 minus the number of the fork. Codes are lines of features of b bytes, numbers are lines of n. The result is the
   number of such rows. */
FTREE_API int64_t ftree_open_nodes(const uint8_t *codes, int64_t bytes, const double *numbers, const Fork *forks,
                                   const int64_t *child, int32_t *node, int64_t n)
{
    int64_t n_lost = 0;
    for (int64_t i = 0; i < n; i++) {
        bool lost;
        int64_t here = bytes == 2 ? end_of_row(codes, 2, numbers, forks, child, i, n, &lost)
                                  : end_of_row(codes, 4, numbers, forks, child, i, n, &lost);
        node[i] = (int32_t)(lost ? -2 - here : forks[here].open);
        n_lost += lost;
    }
    return n_lost;
}

/* Where codes of a feature are counted: the `missing` one in the cell `last`, others from `first` on, 2 ** `shift` in a
   cell. */
typedef struct {
    int64_t missing, shift, first, last;
} CellLayout;

/* Add the rows at nodes to the counts of their cells of a feature. */
INLINE void count_feature(const uint8_t *codes, int64_t bytes, const int32_t *labels, const int64_t *weights, const int32_t *node,
                          CellLayout in, int64_t *counts, int64_t n, int64_t u, int64_t w, int64_t k)
{
    for (int64_t i = 0; i < n; i++) {
        if (node[i] < 0) continue;
        int64_t code = code_at(codes, i, bytes);
        int64_t at = code == in.missing ? in.last : in.first + (code >> in.shift);
        counts[(node[i] * w + at) * k + labels[i]] += u ? weights[i] : 1;
    }
}

/* Add the rows at nodes (n,), -1 for none, to `counts` (m, w, k), feature by feature. `codes` are f lines of b bytes;
   where u is 0, each row counts once. Features have `n_codes` and `shift` (f,), and their cells begin at `first` (f +
   1,). */
FTREE_API int64_t ftree_count_cells(const uint8_t *codes, int64_t bytes, const int32_t *labels, const int64_t *weights,
                                    const int32_t *node, const int64_t *n_codes, const int64_t *shift, const int64_t *first,
                                    int64_t *counts, int64_t f, int64_t b, int64_t n, int64_t u, int64_t w, int64_t k)
{
    for (int64_t j = 0; j < f; j++, codes += b) {
        CellLayout in = {n_codes[j], shift[j], first[j], first[j + 1] - 1};
        if (bytes == 2) count_feature(codes, 2, labels, weights, node, in, counts, n, u, w, k);
        else count_feature(codes, 4, labels, weights, node, in, counts, n, u, w, k);
    }
    return n;
}

/* Fill `row` and `number` (n,) with the rows that have a wanted code of a feature, and its number; the result is how
   many have one. `codes` are b bytes of the feature. Cells (m, w) of nodes are numbers of lines of `code` (c, s), which
   has the numbers of a cell's codes; -1 is not wanted in both. */
FTREE_API int64_t ftree_wanted_rows(const uint8_t *codes, int64_t bytes, const int32_t *node, int64_t missing, int64_t shift,
                                    int64_t first, const int32_t *cell, const int32_t *code, int64_t *row, int32_t *number,
                                    int64_t n, int64_t w, int64_t s)
{
    int64_t found = 0;
    int64_t low = ((int64_t)1 << shift) - 1;
    for (int64_t i = 0; i < n; i++) {
        int64_t own = bytes == 2 ? code_at(codes, i, 2) : code_at(codes, i, 4);
        if (node[i] < 0 || own == missing) continue;
        int32_t of = cell[node[i] * w + first + (own >> shift)];
        int32_t which = of < 0 ? -1 : code[of * s + (own & low)];
        row[found] = i;
        number[found] = which;
        found += which >= 0;
    }
    return found;
}

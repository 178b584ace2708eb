/* Counting and moving the rows of a level of open nodes, and the sides of cuts: see
   `ftree.growth.engines.plain_engine`. An entry is a row in a node, so a row that is divided has several. */
#include "native.h"

/* A count: a whole number, or a float where rows are weighted; sums of both are exact in any order. */
typedef union {
    double real;
    int64_t whole;
} Count;

INLINE Count sum_of(Count one, Count other, bool whole)
{
    return whole ? (Count){.whole = one.whole + other.whole} : (Count){.real = one.real + other.real};
}

INLINE Count difference_of(Count one, Count other, bool whole)
{
    return whole ? (Count){.whole = one.whole - other.whole} : (Count){.real = one.real - other.real};
}

/* Fill `order` (e,) with the entries in the order of their codes (e,), which are less than d; `ends` (d,) is room. */
INLINE void sort_by_code(const int32_t *codes, int32_t *restrict ends, int32_t *restrict order, int64_t e, int64_t d)
{
    for (int64_t code = 0; code < d; code++) ends[code] = 0;
    for (int64_t i = 0; i < e; i++) ends[codes[i]]++;
    for (int64_t code = 1; code < d; code++) ends[code] += ends[code - 1];
    for (int64_t i = e; i-- > 0;) order[--ends[codes[i]]] = (int32_t)i;
}

/* Fill `rank` (e,) with the rank of each entry's code (e,) among the different codes of its node (e,), and `size` (m,)
   with the numbers of these. The `width` codes of each node have a place in a table (m, width). */
INLINE void rank_few(const int32_t *code, const int32_t *node, int64_t width, int32_t *restrict table, int32_t *rank,
                     int64_t *size, int64_t e, int64_t m)
{
    for (int64_t i = 0; i < m * width; i++) table[i] = 0;
    for (int64_t i = 0; i < e; i++) table[node[i] * width + code[i]] = 1;
    for (int64_t i = 0, at = 0; i < m; i++) {
        int32_t found = 0;
        for (int64_t end = at + width; at < end; at++) {
            int32_t is_here = table[at];
            table[at] = found;
            found += is_here;
        }
        size[i] = found;
    }
    for (int64_t i = 0; i < e; i++) rank[i] = table[node[i] * width + code[i]];
}

/* The same by sorting: for many codes, whose table would be larger than the table of entries. `order` (e,) and `latest`
   (m,) are room. */
INLINE void rank_many(const int32_t *code, const int32_t *node, int64_t width, int32_t *ends, int32_t *order, int32_t *latest,
                      int32_t *restrict rank, int64_t *restrict size, int64_t e, int64_t m)
{
    sort_by_code(code, ends, order, e, width);
    for (int64_t i = 0; i < m; i++) {
        size[i] = 0;
        latest[i] = -1;
    }
    for (int64_t i = 0; i < e; i++) {
        int32_t entry = order[i], own = node[entry];
        size[own] += code[entry] != latest[own];
        latest[own] = code[entry];
        rank[entry] = (int32_t)(size[own] - 1);
    }
}

/* Fill `ranks` (f, e) and `sizes` (f, m) as `rank_few` does for each feature from `first` to `last`, which has codes
   below `widths` (f,). `ends` (d,) for the most codes, `latest` (m,), `order` (e,) and `table` (t,) are room. */
FTREE_API int64_t ftree_rank_codes(const int32_t *codes, const int32_t *node, const int64_t *widths, int64_t first, int64_t last,
                                   int32_t *ends, int32_t *latest, int32_t *order, int32_t *table, int32_t *ranks, int64_t *sizes,
                                   int64_t e, int64_t m, int64_t t)
{
    for (int64_t j = first; j < last; j++) {
        if (m * widths[j] <= t) rank_few(codes + j * e, node, widths[j], table, ranks + j * e, sizes + j * m, e, m);
        else rank_many(codes + j * e, node, widths[j], ends, order, latest, ranks + j * e, sizes + j * m, e, m);
    }
    return e;
}

/* Add entries to `counts` (r, k), and fill the `value` (r,) of each row, for features from `first` to `last`. The
   entry's row is its rank (f, e) after the first row (f, m) of its node (e,). It adds 1, or its weight where u is not
   0, to the count of its label; where l is 0, the numbers `added` (a, k) of the entry. Feature j has the values from
   `places[j]` (f,) on. */
FTREE_API int64_t ftree_count_ranks(const int32_t *codes, const int32_t *ranks, const int32_t *node, const int64_t *rows,
                                    const int64_t *labels, const double *weights, const double *added, const double *values,
                                    const int64_t *places, int64_t first, int64_t last, double *value, double *counts, int64_t e,
                                    int64_t m, int64_t l, int64_t u, int64_t k)
{
    Count *cells = (Count *)(void *)counts;
    for (int64_t j = first; j < last; j++) {
        const int32_t *code = codes + j * e;
        const int32_t *rank = ranks + j * e;
        for (int64_t i = 0; i < e; i++) {
            int64_t row = rows[j * m + node[i]] + rank[i];
            value[row] = values[places[j] + code[i]];
            if (!l) {
                for (int64_t c = 0; c < k; c++) counts[row * k + c] += added[i * k + c];
            } else if (u) {
                counts[row * k + labels[i]] += weights[i];
            } else {
                cells[row * k + labels[i]].whole++;
            }
        }
    }
    return e;
}

/* Fill `order` (n,) with the n entries that have a new node (e,), -1 for none, node after node, and `starts` (s,) with
   the first one of each of s - 1 nodes; its last number is n. */
FTREE_API int64_t ftree_group_entries(const int64_t *node, int64_t *starts, int64_t *order, int64_t e, int64_t s, int64_t n)
{
    for (int64_t i = 0; i < s; i++) starts[i] = 0;
    for (int64_t i = 0; i < e; i++)
        if (node[i] >= 0) starts[node[i]]++;
    for (int64_t i = 1; i < s; i++) starts[i] += starts[i - 1];
    for (int64_t i = e; i-- > 0;)
        if (node[i] >= 0) order[--starts[node[i]]] = i;
    return n;
}

/* Fill `taken` (f, n) with the codes (f, e) of some entries (n,), for features from `first` to `last`. */
FTREE_API int64_t ftree_take_codes(const int32_t *codes, const int64_t *order, int64_t first, int64_t last, int32_t *taken,
                                   int64_t e, int64_t n)
{
    for (int64_t j = first; j < last; j++)
        for (int64_t i = 0; i < n; i++) taken[j * n + i] = codes[j * e + order[i]];
    return n;
}

/* Fill `children` (k, 2, b) with the counts on the two sides of the next b cuts. Run i has the rows of `counts` (r, k)
   from `start[i]` up to `end[i]` (n,), and a cut after each but the last. `place` is the run and the row of the next
   cut, -1 and any row at first; `left` and `total` (k,) are the counts of that run's rows so far, and of all its rows. */
FTREE_API int64_t ftree_fill_sides(const double *counts, int64_t whole, const int64_t *start, const int64_t *end, int64_t *place,
                                   double *left, double *total, double *children, int64_t k, int64_t b)
{
    const Count *own = (const Count *)(const void *)counts;
    Count *so_far = (Count *)(void *)left;
    Count *all = (Count *)(void *)total;
    Count *sides = (Count *)(void *)children;
    int64_t run = place[0], row = place[1];
    for (int64_t cut = 0; cut < b; cut++, row++) {
        while (run < 0 || row >= end[run] - 1) {
            row = start[++run];
            for (int64_t c = 0; c < k; c++) so_far[c].whole = all[c].whole = 0; /* the bits of 0.0 as well */
            for (int64_t i = row; end[run] - row > 1 && i < end[run]; i++)
                for (int64_t c = 0; c < k; c++) all[c] = sum_of(all[c], own[i * k + c], whole);
        }
        for (int64_t c = 0; c < k; c++) {
            so_far[c] = sum_of(so_far[c], own[row * k + c], whole);
            sides[2 * c * b + cut] = so_far[c];
            sides[(2 * c + 1) * b + cut] = difference_of(all[c], so_far[c], whole);
        }
    }
    place[0] = run;
    place[1] = row;
    return b;
}

/* The native library: loops over arrays that Python made and checked. It has no state, no allocation and no Python headers.

   Every function is called by `ftree.native.call`, whose table of signatures names the same arguments. All lengths are int64_t and
   come last, in the order in which the signature first names them. Results are counts, or a negative code of failure. */
#ifndef FTREE_NATIVE_H
#define FTREE_NATIVE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#if __STDC_HOSTED__
#include <limits.h> /* says whether this is glibc */
#endif

#if defined(_WIN32)
#define FTREE_API __declspec(dllexport)
#else
#define FTREE_API __attribute__((visibility("default")))
#endif
/* A part of every caller, so that its constants are known where it is called. */
#define INLINE static inline __attribute__((always_inline))

/* Hot loops that compilers vectorise are compiled for newer processors as well; the bits are the same on all. Clang makes no
   clones of functions that are flattened. */
#if defined(__x86_64__) && defined(__GLIBC__) && __STDC_HOSTED__ && !defined(__clang__)
#define CLONES __attribute__((target_clones("avx2", "default"), flatten))
#else
#define CLONES
#endif

/* The kinds of questions, as `ftree.tree.splits.split` numbers them. */
enum { LEAF = -1, ABOVE, CODE, BETWEEN, SUM };

/* A node as most rows pass it: `first + (x > at)` is the next one. `line` is twice the line of the cell x, plus 1 where x is a
   code. A leaf is its own first child, and compares with infinity. */
typedef struct {
    double at;
    uint32_t line, first;
} Step;

/* The question of a node or of a surrogate: `width` codes or numbers from `start` on; -1 for no surrogate and no default child. */
typedef struct {
    double at;
    int64_t start, width;
    int32_t kind, line, surrogate, default_child;
    int64_t reversed;
} Question;

/* How a node without an answer divides a row: its number of children, the child that takes the remainder (-1 for none), the node
   that answers for it, and its own share of its parent's rows. */
typedef struct {
    double share;
    int32_t arity, rest, answer, unused;
} Division;

/* Cells of rows: of line l and row r at `l * by_line + r * by_row`; NaN where missing. */
typedef struct {
    const double *cells;
    int64_t by_line, by_row;
} Cells;

/* The tree as arrays; see Step and Question. */
typedef struct {
    const Step *steps;
    const Question *questions;
    const int32_t *table;
    const double *numbers;
    const int64_t *terms;
} Ways;

INLINE double cell(Cells in, int64_t line, int64_t row) { return in.cells[line * in.by_line + row * in.by_row]; }

/* The child of a row at a question, by it or by a surrogate, else the default child; -1 without one. */
int64_t ftree_child_of_row(Cells in, int64_t row, int64_t question, Ways ways);

/* Counts of pairs of items among the rows with an item; see bits.c. */
FTREE_API int64_t ftree_pairs_with_float64(const double *triples, const double *pairs, int64_t item, double *own, int64_t n, int64_t k,
                                           int64_t p);

/* A proportion of a weight, rounded down to a multiple of `unit`, a power of two. */
INLINE double share_on_grid(double weight, double proportion, double unit)
{
    return (double)(int64_t)(weight * proportion / unit) * unit;
}
#endif

/* Rows as bits: counts of rows with two or three items, by class; the rows of a mask without gaps; and a bound by
   similar rows.

   An item is a set of rows, such as those that a candidate split sends to one child. `bits` (W, B) hold 64 rows a
   word, for the items side by side, so that a loop over items is a loop over neighbours. Rows are sorted into
   segments of one class and weight, from word `starts[s]` to `starts[s + 1]`; the rest of a segment's last word is
   0. `rows` (64 W, V) are the same bits by row, 64 items a word, so that a row is selected by copying V words.

   Pairs (K, M, M) are counted by class and by two items, the second not before the first. Triples (M, K, M, P) are
   counted by the last item, the class, and the two items before it; places that are not before the last item are 0,
   so that a loop may read some of them and needs no rest. */
#include "native.h"

/* Rows with an item are selected before they are counted, if they take at most one in this many words. */
#define FEW_WORDS 3
/* Words that are compared at once. */
#define BLOCK 64

/* Rows as bits, `by_word` items a word, in segments with one class each. */
typedef struct {
    const uint64_t *bits;
    const int64_t *starts, *of_class;
    int64_t segments, by_word;
} Rows;

/* Four words of items. */
typedef struct {
    const uint64_t *word[4];
} Four;

/* Room for rows that are selected: a mask (W,), the starts of segments, and bits (W, B). */
typedef struct {
    uint64_t *both;
    int64_t *begin;
    uint64_t *bits;
} RoomForRows;

/* Fill `begin` (S + 1) with where the segments of the rows in a mask (W,) start without gaps; their number of words. */
INLINE int64_t starts_without_gaps(const uint64_t *mask, const int64_t *starts, int64_t segments, int64_t *begin)
{
    begin[0] = 0;
    for (int64_t s = 0; s < segments; s++) {
        uint64_t rows = 0;
        for (int64_t word = starts[s]; word < starts[s + 1]; word++) rows += ones_in(mask[word]);
        begin[s + 1] = begin[s] + (int64_t)(rows + 63) / 64;
    }
    return begin[segments];
}

/* Exchange the highest bit of the number of a word with one bit of a place in it; the former becomes the lowest bit.
   After six such steps, bits of numbers are in order again. All steps read and write the same places, so they are
   vectorised. */
INLINE void exchange(const uint64_t *restrict block, uint64_t *restrict other, int shift, uint64_t low)
{
    for (int word = 0; word < 32; word++) {
        uint64_t x = block[word];
        uint64_t y = block[32 + word];
        other[2 * word] = (x & low) | ((y & low) << shift);
        other[2 * word + 1] = ((x >> shift) & low) | (y & ~low);
    }
}

/* Transpose 64 x 64 bits. */
INLINE void transpose(uint64_t *block)
{
    uint64_t other[64];
    exchange(block, other, 32, 0x00000000FFFFFFFF);
    exchange(other, block, 16, 0x0000FFFF0000FFFF);
    exchange(block, other, 8, 0x00FF00FF00FF00FF);
    exchange(other, block, 4, 0x0F0F0F0F0F0F0F0F);
    exchange(block, other, 2, 0x3333333333333333);
    exchange(other, block, 1, 0x5555555555555555);
}

/* Write a word of up to 64 rows: as bits (n,) of the first n items, and as rows (64, V) unless NULL; the rest is 0. */
INLINE void write_word(const uint64_t *rows, int64_t v, const int64_t *row, int64_t some, uint64_t *selected, uint64_t *bits,
                       int64_t n)
{
    for (int64_t place = 0; place < v && (selected || 64 * place < n); place++) {
        uint64_t block[64];
        for (int64_t i = 0; i < 64; i++) block[i] = i < some ? rows[row[i] * v + place] : 0;
        for (int64_t i = 0; selected && i < 64; i++) selected[i * v + place] = block[i];
        int64_t items = n - 64 * place < 64 ? n - 64 * place : 64;
        transpose(block);
        for (int64_t i = 0; i < items; i++) bits[64 * place + i] = block[i];
    }
}

/* Fill `bits` (begin[S], n) with the first n items of the rows in a mask, without gaps, and `selected` with these rows,
   unless NULL. */
INLINE void select_rows(const uint64_t *rows, int64_t v, const uint64_t *mask, const int64_t *starts, int64_t segments,
                        const int64_t *begin, uint64_t *selected, uint64_t *bits, int64_t n)
{
    for (int64_t s = 0; s < segments; s++) {
        int64_t row[64], some = 0, to = begin[s];
        for (int64_t word = starts[s]; word < starts[s + 1]; word++)
            for (uint64_t left = mask[word]; left; left &= left - 1) {
                row[some++] = 64 * word + lowest_one(left);
                if (some < 64) continue;
                write_word(rows, v, row, some, selected ? selected + 64 * to * v : NULL, bits + to * n, n);
                to++;
                some = 0;
            }
        if (some) write_word(rows, v, row, some, selected ? selected + 64 * to * v : NULL, bits + to * n, n);
    }
}

#define COUNT int32_t
#include "counts.h"
#undef COUNT
#define COUNT double
#include "counts.h"
#undef COUNT

/* Add to `pairs` (K, f, n) the weights of rows with two items: one of `others` (W, o) from `first` to `end`, and a
   later one or the same. */
FTREE_API int64_t ftree_pairs_int32(const int64_t *of_class, const int32_t *weight, const uint64_t *bits, const int64_t *starts,
                                    const uint64_t *others, int64_t first, int64_t end, int32_t *pairs, int64_t s, int64_t b,
                                    int64_t o, int64_t f, int64_t n)
{
    return add_pairs_int32_t((Rows){bits, starts, of_class, s, b}, weight, others, o, first, end, pairs, f, n);
}
FTREE_API int64_t ftree_pairs_float64(const int64_t *of_class, const double *weight, const uint64_t *bits, const int64_t *starts,
                                      const uint64_t *others, int64_t first, int64_t end, double *pairs, int64_t s, int64_t b,
                                      int64_t o, int64_t f, int64_t n)
{
    return add_pairs_double((Rows){bits, starts, of_class, s, b}, weight, others, o, first, end, pairs, f, n);
}

/* Fill `triples` (M, K, M, P) of the last items from `first` to `end`; `both`, `begin` and `some` are room. */
FTREE_API int64_t ftree_triples_int32(const int64_t *of_class, const int32_t *weight, const uint64_t *bits, const int64_t *starts,
                                      const uint64_t *rows, int64_t first, int64_t end, uint64_t *both, int64_t *begin,
                                      uint64_t *some, int32_t *triples, int64_t s, int64_t b, int64_t v, int64_t m, int64_t k,
                                      int64_t p)
{
    return fill_triples_int32_t((Rows){bits, starts, of_class, s, b}, weight, rows, v, first, end,
                                (RoomForRows){both, begin, some}, triples, k, m, p);
}
FTREE_API int64_t ftree_triples_float64(const int64_t *of_class, const double *weight, const uint64_t *bits,
                                        const int64_t *starts, const uint64_t *rows, int64_t first, int64_t end, uint64_t *both,
                                        int64_t *begin, uint64_t *some, double *triples, int64_t s, int64_t b, int64_t v,
                                        int64_t m, int64_t k, int64_t p)
{
    return fill_triples_double((Rows){bits, starts, of_class, s, b}, weight, rows, v, first, end,
                               (RoomForRows){both, begin, some}, triples, k, m, p);
}

/* Fill `rest` (M, K, M, P) with the triples of the rows outside a part. */
FTREE_API int64_t ftree_subtract_int32(const int32_t *whole, const int32_t *part, int32_t *rest, int64_t m, int64_t k, int64_t p)
{
    return subtract_int32_t(whole, part, rest, m, k, p);
}
FTREE_API int64_t ftree_subtract_float64(const double *whole, const double *part, double *rest, int64_t m, int64_t k, int64_t p)
{
    return subtract_double(whole, part, rest, m, k, p);
}

/* Fill `own` (K, n, n) with the counts of pairs of items among the rows with an item. */
FTREE_API int64_t ftree_pairs_with_int32(const int32_t *triples, const int32_t *pairs, int64_t item, int32_t *own, int64_t n,
                                         int64_t k, int64_t p)
{
    return pairs_with_int32_t(triples, pairs, item, own, n, k, p);
}
FTREE_API int64_t ftree_pairs_with_float64(const double *triples, const double *pairs, int64_t item, double *own, int64_t n,
                                           int64_t k, int64_t p)
{
    return pairs_with_double(triples, pairs, item, own, n, k, p);
}

/* Fill `begin` (t,), `bits` (W, b) and `selected` (r, V) with the rows in a mask (W,), without gaps; their number of
   words. */
FTREE_API int64_t ftree_select_rows(const uint64_t *rows, const int64_t *starts, const uint64_t *mask, int64_t *begin,
                                    uint64_t *bits, uint64_t *selected, int64_t v, int64_t t, int64_t b)
{
    starts_without_gaps(mask, starts, t - 1, begin);
    select_rows(rows, v, mask, starts, t - 1, begin, selected, bits, b);
    return begin[t - 1];
}

/* What is left of a bound without the weight of the rows of a row set (W,) outside a mask (W,); the count ends at `best`. */
INLINE double bound_of_others(double bound, const uint64_t *restrict own, const uint64_t *restrict mask, const double *weight,
                              const int64_t *starts, int64_t segments, double best)
{
    double lost = 0.0;
    for (int64_t s = 0; s < segments; s++)
        for (int64_t first = starts[s]; first < starts[s + 1]; first += BLOCK) {
            int64_t end = first + BLOCK < starts[s + 1] ? first + BLOCK : starts[s + 1];
            uint64_t found = 0;
            for (int64_t word = first; word < end; word++) found += ones_in(own[word] & ~mask[word]);
            lost += weight[s] * (double)(int32_t)found;
            if (bound - lost <= best) return best;
        }
    return bound - lost;
}

/* The row set, or -1, from which the highest lower bound above `best` (1,) on the cost of the rows in a mask (W,)
   comes; `best` becomes that bound. On another row set, one of the first `some` in `masks` (N, W), a tree costs at most
   the weight of the rows outside the mask more than on the mask. `least` (N,) are lower bounds on the costs of the
   others, and `totals` (N, K) are their class counts. */
FTREE_API int64_t ftree_most_of_others(const uint64_t *masks, const double *totals, const double *least, const double *weight,
                                       const int64_t *starts, const double *class_weights, int64_t some, const uint64_t *mask,
                                       const double *total, double *best, int64_t w, int64_t k, int64_t s)
{
    int64_t chosen = -1;
    for (int64_t each = 0; each < some; each++) {
        double more = 0.0;
        for (int64_t c = 0; c < k; c++) {
            double own = totals[each * k + c] - total[c];
            more += class_weights[c] * (own > 0.0 ? own : 0.0);
        }
        if (least[each] - more <= *best) continue;
        double bound = bound_of_others(least[each], masks + each * w, mask, weight, starts, s, *best);
        if (bound > *best) {
            *best = bound;
            chosen = each;
        }
    }
    return chosen;
}

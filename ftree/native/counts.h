/* Counts of rows by sets of bits, for one type of counts: `COUNT`, which is part of the names of functions. See `bits.c`. */
#define JOINED(name, type) name##_##type
#define WITH_TYPE(name, type) JOINED(name, type)
#define OF(name) WITH_TYPE(name, COUNT)

/* Add to `sums` (n,) how often each item (n,) occurs in four masked words, times a weight: so sums are read and written less
   often. */
INLINE void OF(add_four)(Four items, const uint64_t *mask, COUNT times, COUNT *restrict sums, int64_t n)
{
    const uint64_t *restrict a = items.word[0], *restrict b = items.word[1];
    const uint64_t *restrict c = items.word[2], *restrict d = items.word[3];
    uint64_t ma = mask[0], mb = mask[1], mc = mask[2], md = mask[3];
    for (int64_t j = 0; j < n; j++)
        sums[j] += times * (COUNT)(int32_t)(ones_in(ma & a[j]) + ones_in(mb & b[j]) + ones_in(mc & c[j]) + ones_in(md & d[j]));
}

/* Add to `sums` (n,) the weight of the rows of a segment in a mask that have each of n items, the first one at `bits`.
   The mask and the items take one of `by_mask` and of `by_word` numbers for each word. */
INLINE void OF(add_words)(const uint64_t *bits, int64_t by_word, const uint64_t *mask, int64_t by_mask, int64_t words,
                          COUNT times, COUNT *sums, int64_t n)
{
    for (int64_t word = 0; word < words; word += 4) {
        Four items;
        uint64_t own[4], some = 0;
        for (int64_t i = 0; i < 4; i++) {
            int64_t here = word + i < words ? word + i : word; /* beyond the last word, a mask of 0 */
            items.word[i] = bits + here * by_word;
            own[i] = word + i < words ? mask[here * by_mask] : 0;
            some |= own[i];
        }
        if (some) OF(add_four)(items, own, times, sums, n);
    }
}

/* See `ftree_pairs_int32`. */
INLINE int64_t OF(add_pairs)(Rows in, const COUNT *weight, const uint64_t *others, int64_t n_others, int64_t first, int64_t end,
                             COUNT *pairs, int64_t n_first, int64_t n)
{
    for (int64_t i = first; i < end; i++)
        for (int64_t s = 0; s < in.segments; s++) {
            int64_t from = in.starts[s];
            int64_t words = in.starts[s + 1] - from;
            OF(add_words)(in.bits + from * in.by_word + i, in.by_word, others + from * n_others + i, n_others, words, weight[s],
                          pairs + (in.of_class[s] * n_first + i) * n + i, n - i);
        }
    return end - first;
}

/* Fill `counts` (K, M, P) with the weights of the rows that have item a and two earlier ones; `both` (W,) is room. */
INLINE void OF(pairs_before)(Rows in, const COUNT *weight, int64_t a, uint64_t *restrict both, COUNT *counts, int64_t k,
                             int64_t m, int64_t p)
{
    int64_t by_word = in.by_word;
    for (int64_t i = 0; i < a - 1; i++) {
        for (int64_t c = 0; c < k; c++)
            for (int64_t j = i + 1; j < a; j++) counts[(c * m + i) * p + j] = 0;
        for (int64_t word = 0; word < in.starts[in.segments]; word++)
            both[word] = in.bits[word * by_word + a] & in.bits[word * by_word + i];
        for (int64_t s = 0; s < in.segments; s++) {
            int64_t from = in.starts[s];
            int64_t words = in.starts[s + 1] - from;
            OF(add_words)(in.bits + from * by_word + i + 1, by_word, both + from, 1, words, weight[s],
                          counts + (in.of_class[s] * m + i) * p + i + 1, a - i - 1);
        }
    }
}

/* See `ftree_triples_int32`. */
INLINE int64_t OF(fill_triples)(Rows in, const COUNT *weight, const uint64_t *rows, int64_t v, int64_t first, int64_t end,
                                RoomForRows room, COUNT *triples, int64_t k, int64_t m, int64_t p)
{
    for (int64_t a = first; a < end; a++) {
        int64_t words = in.starts[in.segments];
        Rows own = in;
        for (int64_t word = 0; word < words; word++) room.both[word] = in.bits[word * in.by_word + a];
        if (starts_without_gaps(room.both, in.starts, in.segments, room.begin) * FEW_WORDS <= words) {
            select_rows(rows, v, room.both, in.starts, in.segments, room.begin, NULL, room.bits, a + 1);
            own = (Rows){room.bits, room.begin, in.of_class, in.segments, a + 1};
        }
        OF(pairs_before)(own, weight, a, room.both, triples + a * k * m * p, k, m, p);
    }
    return end - first;
}

/* `rest` (M, K, M, P) = `whole` - `part`, where they are not 0. */
INLINE int64_t OF(subtract)(const COUNT *whole, const COUNT *part, COUNT *restrict rest, int64_t m, int64_t k, int64_t p)
{
    for (int64_t a = 0; a < m; a++)
        for (int64_t c = 0; c < k; c++)
            for (int64_t i = 0; i < a - 1; i++) {
                int64_t at = ((a * k + c) * m + i) * p;
                for (int64_t j = i + 1; j < a; j++) rest[at + j] = whole[at + j] - part[at + j];
            }
    return m;
}

/* Fill `own` (K, n, n) with the counts of pairs of items among the rows with an item, by triples (n, K, n, p) and pairs. */
INLINE int64_t OF(pairs_with)(const COUNT *triples, const COUNT *pairs, int64_t item, COUNT *restrict own, int64_t n, int64_t k,
                              int64_t p)
{
    int64_t by_class = n * p;
    int64_t by_last = k * by_class;
    for (int64_t c = 0; c < k; c++, own += n * n, pairs += n * n, triples += by_class) {
        for (int64_t i = 0; i < n; i++) own[i * n + i] = i < item ? pairs[i * n + item] : pairs[item * n + i];
        for (int64_t i = 0; i < item; i++) {
            for (int64_t j = i + 1; j < item; j++) own[i * n + j] = triples[item * by_last + i * p + j];
            own[i * n + item] = pairs[i * n + item];
            for (int64_t j = item + 1; j < n; j++) own[i * n + j] = triples[j * by_last + i * p + item];
        }
        for (int64_t j = item + 1; j < n; j++) {
            own[item * n + j] = pairs[item * n + j];
            for (int64_t i = item + 1; i < j; i++) own[i * n + j] = triples[j * by_last + item * p + i];
        }
    }
    return n;
}
#undef OF
#undef WITH_TYPE
#undef JOINED

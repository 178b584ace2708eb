/* Lanes of keys, one a row, sorted once by value. A node is the same range of all lanes, and a split parts every lane stably, so that
   children are ranges of sorted lanes again. Growing tells what a key holds. Threads may sort different lanes, and part disjoint
   ranges, at the same time. */
#include "lanes.h"

/* Up to so many items are sorted by insertion. */
#define FEW_ITEMS 48

/* ---- Sorting ---- */

static void sort_by_insertion(Item *items, int64_t n, const double *x)
{
    for (int64_t i = 1, j; i < n; i++) {
        Item item = items[i];
        for (j = i; j > 0 && x[items[j - 1].row] > x[item.row]; j--) items[j] = items[j - 1];
        items[j] = item;
    }
}

/* Write the place of each item, which never falls as its value grows, and count the bytes of places; false if all are equal. */
static bool place_items(Item *items, int64_t n, const double *x, uint32_t *count)
{
    double low = INFINITY, high = -INFINITY;
    for (int64_t i = 0; i < n; i++) {
        double value = x[items[i].row];
        low = value < low ? value : low;
        high = value > high ? value : high;
    }
    if (low == high) return false;
    /* Halves, since the span of two numbers may be infinite; numbers that are closer than floats can divide by are enlarged. */
    bool close = high / 2 - low / 2 < 1e-280;
    double half = close ? 1.0 : 0.5, enlarged = close ? 0x1p600 : 1.0;
    double base = low * half, factor = 4294967294.0 / ((high * half - base) * enlarged);
    bool endless = low == -INFINITY || high == INFINITY; /* these come first and last, and finite numbers have one place */
    for (int64_t i = 0; i < n; i++) {
        double value = x[items[i].row];
        uint32_t place = endless ? (value > -INFINITY) + (uint32_t)(value == INFINITY)
                                 : (uint32_t)(int64_t)((value * half - base) * enlarged * factor);
        items[i].place = place;
        for (int byte = 0; byte < 4; byte++) count[256 * byte + (place >> (8 * byte) & 255)]++;
    }
    return true;
}

/* Move items in the order of one byte of their places; `start` has the number of items with each byte. */
INLINE void move_items(const Item *from, Item *to, int64_t n, uint32_t *start, int byte)
{
    uint32_t sum = 0;
    for (int b = 0; b < 256; b++) {
        uint32_t here = start[b];
        start[b] = sum;
        sum += here;
    }
    for (int64_t i = 0; i < n; i++) to[start[from[i].place >> (8 * byte) & 255]++] = from[i];
}

/* Sort items by their values x: by their places, which are 32 bits, then items of one place among themselves. `room` (n,) and `count`
   (4, 256). */
static void sort_items(Item *items, Item *room, int64_t n, const double *x, uint32_t *count)
{
    if (n <= FEW_ITEMS) {
        sort_by_insertion(items, n, x);
        return;
    }
    for (int i = 0; i < 4 * 256; i++) count[i] = 0;
    if (!place_items(items, n, x, count)) return;
    move_items(items, room, n, count, 0);
    move_items(room, items, n, count + 256, 1);
    move_items(items, room, n, count + 2 * 256, 2);
    move_items(room, items, n, count + 3 * 256, 3);
    for (int64_t i = 0, j; i < n; i = j) {
        for (j = i + 1; j < n && items[j].place == items[i].place; j++) {}
        if (j - i > 1) sort_items(items + i, room, j - i, x, count);
    }
}

/* Sort the values x (n,) of a feature into its lane of keys (n,), missing ones last; the result is whether no value occurs twice. */
FTREE_API int64_t ftree_sort_lane(const double *x, const uint8_t *label, int64_t shift, Item *items, Item *room, uint32_t *count,
                                  int32_t *lane, int64_t n)
{
    bool distinct = true;
    int64_t known = 0;
    for (int64_t i = 0, last = n; i < n; i++) items[x[i] == x[i] ? known++ : --last] = (Item){0, (uint32_t)i};
    sort_items(items, room, known, x, count);
    for (int64_t i = 0; i < n; i++) {
        uint32_t row = items[i].row;
        bool is_new = i == 0 || i == known || (i < known && x[row] != x[items[i - 1].row]);
        distinct &= is_new;
        lane[i] = (int32_t)(row << shift | (uint32_t)is_new << (shift - 1) | (i >= known ? 1u << (shift - 2) : 0) | label[row]);
    }
    return distinct;
}

/* ---- Parting ---- */

/* Part keys whose values differ: the left ones stay, the right ones are listed in `room`; the number of right ones. */
INLINE int64_t part_distinct(int32_t *keys, int64_t n, const uint8_t *right, int64_t shift, int32_t *room)
{
    int64_t behind = 0;
    for (int64_t i = 0; i < n; i++) {
        int32_t key = keys[i];
        keys[i - behind] = room[behind] = key;
        behind += right[key >> shift];
    }
    return behind;
}

/* The same for values that may be equal. */
INLINE int64_t part_repeated(int32_t *keys, int64_t n, const uint8_t *right, int64_t shift, int32_t *room)
{
    const uint32_t is_new = 1u << (shift - 1);
    uint32_t due = 0;
    int64_t behind = 0;
    for (int64_t i = 0; i < n; i++) {
        uint32_t key = (uint32_t)keys[i], side = right[key >> shift];
        keys[i - behind] = room[behind] = (int32_t)key_on_side(key, side, is_new, &due);
        behind += side;
    }
    return behind;
}

/* Part the lanes of a node from `first` to `last` by the marks of its rows, but for that of the cut itself, which is in order. */
FTREE_API int64_t ftree_part_lanes(const Growing *rules, int32_t *keys, const uint8_t *distinct, int64_t low, int64_t high,
                                   int64_t own, const uint8_t *right, int64_t first, int64_t last, int32_t *room, int64_t l,
                                   int64_t n, int64_t r)
{
    const int64_t size = high - low, shift = rules->shift;
    for (int64_t i = first; i < last; i++) {
        int32_t *lane = keys + i * n + low;
        if (i == own) continue;
        int64_t behind = distinct[i] ? part_distinct(lane, size, right, shift, room) : part_repeated(lane, size, right, shift, room);
        for (int64_t j = 0; j < behind; j++) lane[size - behind + j] = room[j];
    }
    (void)l, (void)r;
    return 0;
}


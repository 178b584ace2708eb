/* Lanes of keys, one a row, sorted once by value. A node is the same range of all lanes, and a split parts every lane
   stably, so that children are ranges of sorted lanes again. GrowthRules (native.h) tells what a key holds. Threads may
   sort different lanes, and part disjoint ranges, at the same time. */
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

/* Scale the value of each item to 32 bits, so that larger values never get smaller ones, and count the bytes of these;
   false if all values are equal. */
static bool scale_items(Item *items, int64_t n, const double *x, uint32_t *count)
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
    double half = close ? 1.0 : 0.5;
    double enlarged = close ? 0x1p600 : 1.0;
    double base = low * half;
    double factor = 4294967294.0 / ((high * half - base) * enlarged);
    bool endless = low == -INFINITY || high == INFINITY; /* these come first and last, and all finite values are scaled alike */
    for (int64_t i = 0; i < n; i++) {
        double value = x[items[i].row];
        uint32_t scaled = endless ? (value > -INFINITY) + (uint32_t)(value == INFINITY)
                                  : (uint32_t)(int64_t)((value * half - base) * enlarged * factor);
        items[i].scaled = scaled;
        for (int byte = 0; byte < 4; byte++) count[256 * byte + (scaled >> (8 * byte) & 255)]++;
    }
    return true;
}

/* Move items in the order of one byte of their scaled values; `start` has the number of items with each byte. */
INLINE void move_items(const Item *from, Item *to, int64_t n, uint32_t *start, int byte)
{
    uint32_t sum = 0;
    for (int b = 0; b < 256; b++) {
        uint32_t here = start[b];
        start[b] = sum;
        sum += here;
    }
    for (int64_t i = 0; i < n; i++) to[start[from[i].scaled >> (8 * byte) & 255]++] = from[i];
}

/* Sort items by their values x: by the four bytes of their scaled values, then items that are scaled alike among
   themselves. `room` (n,) and `count` (4, 256) are room. */
static void sort_items(Item *items, Item *room, int64_t n, const double *x, uint32_t *count)
{
    if (n <= FEW_ITEMS) {
        sort_by_insertion(items, n, x);
        return;
    }
    for (int i = 0; i < 4 * 256; i++) count[i] = 0;
    if (!scale_items(items, n, x, count)) return;
    move_items(items, room, n, count, 0);
    move_items(room, items, n, count + 256, 1);
    move_items(items, room, n, count + 2 * 256, 2);
    move_items(room, items, n, count + 3 * 256, 3);
    for (int64_t i = 0, j; i < n; i = j) {
        for (j = i + 1; j < n && items[j].scaled == items[i].scaled; j++) {}
        if (j - i > 1) sort_items(items + i, room, j - i, x, count);
    }
}

/* Sort the values x (n,) of a feature into its lane of keys (n,), missing ones last; the result is whether no value
   occurs twice. */
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

/* Part keys whose values differ: the left ones move to the front, the right ones are listed in `room`. Return how many
   go right. Both places are written, so that the loop has no branch; the one that is wrong is written again. */
INLINE int64_t part_distinct(int32_t *keys, int64_t n, const uint8_t *right, int64_t shift, int32_t *room)
{
    int64_t n_right = 0;
    for (int64_t i = 0; i < n; i++) {
        int32_t key = keys[i];
        keys[i - n_right] = room[n_right] = key;
        n_right += right[key >> shift];
    }
    return n_right;
}

/* Part keys whose values may be equal, as `part_distinct` does; the first key of a value on each side gets the bit of a
   new value. */
INLINE int64_t part_repeated(int32_t *keys, int64_t n, const uint8_t *right, int64_t shift, int32_t *room)
{
    const uint32_t is_new = 1u << (shift - 1);
    uint32_t due = 0;
    int64_t n_right = 0;
    for (int64_t i = 0; i < n; i++) {
        uint32_t key = (uint32_t)keys[i];
        uint32_t side = right[key >> shift];
        keys[i - n_right] = room[n_right] = (int32_t)key_on_side(key, side, is_new, &due);
        n_right += side;
    }
    return n_right;
}

FTREE_API int64_t ftree_part_lanes(const GrowthRules *rules, int32_t *keys, const uint8_t *distinct, int64_t low, int64_t high,
                                   int64_t in_order, const uint8_t *right, int32_t *room, int64_t l, int64_t n)
{
    const int64_t size = high - low, shift = rules->shift;
    for (int64_t i = 0; i < l; i++) {
        int32_t *lane = keys + i * n + low;
        if (i == in_order) continue;
        int64_t n_right =
            distinct[i] ? part_distinct(lane, size, right, shift, room) : part_repeated(lane, size, right, shift, room);
        for (int64_t j = 0; j < n_right; j++) lane[size - n_right + j] = room[j];
    }
    return 0;
}

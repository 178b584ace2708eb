/* The rows of a node that is divided: where rows without an answer go, and the parting of lines among children. */
#include "table.h"

/* ---- Rows without an answer ---- */

/* Fill the cases of each child, given counts (arity, q), and their total; return the first child with the most. */
static int64_t weigh(const Table *t, const double *counts, int64_t arity, double *sizes, double *total)
{
    int64_t largest = 0;
    *total = 0;
    for (int64_t v = 0; v < arity; v++) {
        sizes[v] = cases_of(t, counts + v * t->q);
        *total += sizes[v];
        if (sizes[v] > sizes[largest]) largest = v;
    }
    return largest;
}

void ftree_send_to_heaviest(const Table *t, const SearchedNode *node, int64_t arity, double *counts)
{
    double total;
    int64_t largest = weigh(t, counts, arity, t->room.tally, &total);
    for (int64_t i = node->low; i < node->high; i++) {
        int64_t row = t->grown.keys[i];
        if (t->room.child[row] >= 0) continue;
        t->room.child[row] = (int32_t)largest;
        count_row(t, counts + largest * t->q, row, weight_of(t, row));
    }
}

int64_t ftree_divide_rows(const Table *t, const SearchedNode *node, int64_t arity, double *counts)
{
    double total, *sizes = t->room.tally;
    int64_t largest = weigh(t, counts, arity, sizes, &total);
    int64_t n = 0;
    for (int64_t i = node->low; i < node->high; i++) {
        int32_t row = t->grown.keys[i];
        double spread = 0, fraction = t->grown.fractions[i];
        double times = t->times ? t->times[row] : 1;
        if (t->room.child[row] >= 0) continue;
        t->room.child[row] = (int32_t)(-1 - n); /* n is its first copy: see Parting */
        /* Shares are rounded down to the grid, and the largest child gets what is left of the fraction. */
        for (int64_t v = 0; v < arity; v++) spread += share_on_grid(fraction, sizes[v] / total, t->grid);
        for (int64_t v = 0; v < arity; v++) {
            double share = share_on_grid(fraction, sizes[v] / total, t->grid) + (v == largest ? fraction - spread : 0);
            if (share <= 0) continue;
            if (n < t->room.most_copies) {
                t->room.copies[n] = (Copy){share, row, (int32_t)v};
                count_row(t, counts + v * t->q, row, share * times);
            }
            n++;
        }
    }
    return n;
}

/* ---- Parting ----

   A row with a child has one key for it. A row that is divided has one for each of its copies, which are next to
   each other from copy number -1 - child on. Keys of closed children are left out. */

int64_t ftree_lay_out(const Table *t, const SearchedNode *node, int64_t arity, const double *counts, int64_t n_copies)
{
    int64_t n = 0, *sizes = t->room.cursor;
    bool unsure = false; /* not used: such a child stays open, and is left to NumPy when it is searched */
    for (int64_t v = 0; v < arity; v++) sizes[v] = 0;
    for (int64_t i = node->low; i < node->high; i++) {
        int32_t child = t->room.child[t->grown.keys[i]];
        if (child >= 0) sizes[child]++;
    }
    for (int64_t j = 0; j < n_copies; j++) sizes[t->room.copies[j].child]++;
    for (int64_t v = 0; v < arity; v++) {
        t->room.starts[v] = n;
        if (!ftree_is_closed(t, counts + v * t->q, node->depth + 1, &unsure)) n += sizes[v];
    }
    return t->room.starts[arity] = n;
}

/* Part line 0, the rows of a node, and their fractions: into `room` and `spare`. */
static void part_rows(const Table *t, const SearchedNode *node, int64_t n_copies)
{
    int64_t *cursor = t->room.cursor;
    int32_t *rows = t->grown.keys + node->low;
    for (int64_t i = 0; i < node->high - node->low; i++) {
        int32_t child = t->room.child[rows[i]];
        if (child >= 0 && cursor[child] >= 0) {
            if (t->grown.fractions) t->room.fractions[cursor[child]] = t->grown.fractions[node->low + i];
            t->room.keys[cursor[child]++] = rows[i];
        }
        for (int64_t j = -1 - child; child < 0 && j < n_copies && t->room.copies[j].row == rows[i]; j++) {
            int64_t into = t->room.copies[j].child;
            if (cursor[into] < 0) continue;
            t->room.fractions[cursor[into]] = t->room.copies[j].share;
            t->room.keys[cursor[into]++] = rows[i];
        }
    }
}

/* Write a key for a child to `room`. Its value is new there if that of the child's last key was another. */
INLINE void put_key(const Table *t, int32_t key, int64_t value, int64_t child)
{
    const int32_t is_new = new_bit(t->rules);
    if (t->room.cursor[child] < 0) return;
    t->room.keys[t->room.cursor[child]++] = (key & ~is_new) | (t->room.latest[child] != value ? is_new : 0);
    t->room.latest[child] = value;
}

/* Part a lane into `room`. Its values are numbered from 1 as they come; missing ones have the number after the last. */
static void part_lane(const Table *t, const SearchedNode *node, const int32_t *keys, int64_t n_copies)
{
    int64_t value = 0;
    for (int64_t i = 0; i < node->high - node->low; i++) {
        int32_t row = keys[i] >> t->rules->shift;
        int32_t child = t->room.child[row];
        value += (keys[i] & new_bit(t->rules)) != 0;
        if (child >= 0) put_key(t, keys[i], value, child);
        for (int64_t j = -1 - child; child < 0 && j < n_copies && t->room.copies[j].row == row; j++)
            put_key(t, keys[i], value, t->room.copies[j].child);
    }
}

/* Part a lane between two children, where no row is divided: keys of the first one move to the front, those of the
   second one wait in `room`. It writes both places, as `part_repeated` does in lanes.c, and keys of a closed child are
   written over or left. */
static void part_in_two(const Table *t, const SearchedNode *node, int32_t *keys)
{
    const uint32_t is_new = (uint32_t)new_bit(t->rules);
    const int64_t n = node->high - node->low, shift = t->rules->shift;
    int64_t n_second = 0;
    uint32_t due = 0;
    for (int64_t i = 0; i < n; i++) {
        uint32_t key = (uint32_t)keys[i];
        uint32_t side = (uint32_t)t->room.child[key >> shift];
        keys[i - n_second] = t->room.keys[n_second] = (int32_t)key_on_side(key, side, is_new, &due);
        n_second += side;
    }
    for (int64_t i = 0; i < n_second && is_open(t, 1); i++) keys[t->room.starts[1] + i] = t->room.keys[i];
}

void ftree_part_lines(const Table *t, const SearchedNode *node, int64_t arity, int64_t total, int64_t n_copies)
{
    for (int64_t line = 0; line < t->l; line++) {
        int32_t *keys = t->grown.keys + line * t->grown.width + node->low;
        for (int64_t v = 0; v < arity; v++) {
            t->room.cursor[v] = is_open(t, v) ? t->room.starts[v] : -1;
            t->room.latest[v] = 0;
        }
        if (line > 0 && arity == 2 && n_copies == 0) {
            part_in_two(t, node, keys);
            continue;
        }
        if (line == 0) part_rows(t, node, n_copies);
        else part_lane(t, node, keys, n_copies);
        for (int64_t i = 0; i < total; i++) keys[i] = t->room.keys[i];
    }
    for (int64_t i = 0; i < total && t->grown.fractions; i++) t->grown.fractions[node->low + i] = t->room.fractions[i];
}

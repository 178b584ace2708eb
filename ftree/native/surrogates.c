/* Surrogates of a split in two: for each other feature, the split that sends the most cases the same way. The search in
   NumPy is `ftree.splitters.surrogates`. Counts are sums of whole weights, or of multiples of a power of two, so both
   find the same. */
#include "table.h"

/* The least adjusted agreement, as in NumPy. */
#define SAME 1e-10

/* The weights of rows with a child, by child. */
typedef struct {
    double left, right;
} Weights;

/* The best surrogate of a feature so far: the weight of the rows that agree, -1 for none; the codes of each side as
   bits, of which there are at most 64; the codes or rows next to its threshold. */
typedef struct {
    double agreed;
    uint64_t low, high;
    int32_t below, above;
    bool is_reversed;
} Agreeing;

INLINE void add_weight(Weights *to, int32_t child, double weight)
{
    double right = weight * child;
    to->left += weight - right;
    to->right += right;
}

/* Compare the cut between two values, given what lies below, with the best one; a cut that leaves too few rows on a
   side is none. */
INLINE void compare(Agreeing *best, const Weights *under, const Weights *all, double least, int32_t below, int32_t above)
{
    double forward = under->left + (all->right - under->right);
    double backward = under->right + (all->left - under->left);
    double lower = under->left + under->right;
    double upper = all->left + all->right - lower;
    double agreed = forward > backward ? forward : backward;
    if (agreed > best->agreed && (lower < upper ? lower : upper) >= least)
        *best = (Agreeing){agreed, 0, 0, below, above, backward > forward};
}

/* The best cut of a sorted feature, between two rows. */
static Agreeing cut_of_lane(const Table *t, const SearchedNode *node, const Column *column, Weights all)
{
    const int32_t *keys = lane_of(t, node, column);
    const int32_t is_missing = missing_bit(t->rules);
    const int32_t is_new = new_bit(t->rules);
    int64_t n = node->high - node->low;
    Agreeing best = {.agreed = -1};
    Weights under = {0, 0};
    int32_t before = -1;
    bool changed = false;
    for (; n > 0 && keys[n - 1] & is_missing; n--) {
        int32_t row = keys[n - 1] >> t->rules->shift;
        if (t->room.child[row] >= 0) add_weight(&all, t->room.child[row], -weight_of(t, row));
    }
    for (int64_t i = 0; i < n; i++) {
        int32_t row = keys[i] >> t->rules->shift;
        changed |= (keys[i] & is_new) != 0;
        if (t->room.child[row] < 0) continue;
        if (changed && before >= 0) compare(&best, &under, &all, t->least_agreeing, before, row);
        add_weight(&under, t->room.child[row], weight_of(t, row));
        before = row;
        changed = false;
    }
    return best;
}

/* Count the rows of a node by code and child, (n_codes + 1, 2). */
static void tally_weights(const Table *t, const SearchedNode *node, const Column *column, Weights *tally)
{
    for (int32_t code = 0; code <= column->n_codes; code++) tally[code] = (Weights){0, 0};
    for (int64_t i = node->low; i < node->high; i++) {
        int32_t row = t->grown.keys[i], child = t->room.child[row];
        if (child >= 0) add_weight(tally + t->codes[row * t->c + column->place], child, weight_of(t, row));
    }
}

/* The best cut of a feature of few ordered values, between two codes. */
static Agreeing cut_of_codes(const Table *t, int32_t n_codes, const Weights *tally, Weights all)
{
    Agreeing best = {.agreed = -1};
    Weights under = {0, 0};
    int32_t before = -1;
    for (int32_t code = 0; code < n_codes; code++) {
        if (tally[code].left + tally[code].right == 0) continue;
        if (before >= 0) compare(&best, &under, &all, t->least_agreeing, before, code);
        under.left += tally[code].left;
        under.right += tally[code].right;
        before = code;
    }
    return best;
}

/* Each value of a nominal feature goes with most of its rows, a tied one with the larger child. */
static Agreeing sides_of_codes(const Table *t, int32_t n_codes, const Weights *tally, Weights all)
{
    Agreeing best = {.agreed = 0};
    double low = 0, high = 0;
    for (int32_t code = 0; code < n_codes; code++) {
        double left = tally[code].left, right = tally[code].right;
        if (left + right == 0) continue;
        bool is_right = right > left || (right == left && all.right > all.left);
        if (is_right) {
            best.high |= (uint64_t)1 << code;
            best.agreed += right;
            high += left + right;
        } else {
            best.low |= (uint64_t)1 << code;
            best.agreed += left;
            low += left + right;
        }
    }
    if ((low < high ? low : high) < t->least_agreeing) best.agreed = -1;
    return best;
}

/* Insert a surrogate by its agreement, behind equal ones, if it agrees with more rows than the larger child does. */
static void insert(const Table *t, TableNode *split, int64_t f, const Agreeing *found, const Weights *known)
{
    const double *values = t->values + t->columns[f].values_at;
    const double total = known->left + known->right;
    double majority = (known->left > known->right ? known->left : known->right) / total;
    double agreement = found->agreed / total;
    double adjusted = majority < 1 ? (agreement - majority) / (1 - majority) : 0;
    StandIn *listed = t->grown.stand_ins + split->stand_ins;
    int64_t place = split->n_stand_ins;
    while (place > 0 && listed[place - 1].agreement < agreement) place--;
    if (adjusted <= SAME || place == t->most_surrogates) return;
    if (split->n_stand_ins < t->most_surrogates) split->n_stand_ins++;
    for (int64_t behind = split->n_stand_ins - 1; behind > place; behind--) listed[behind] = listed[behind - 1];
    double at = t->columns[f].nominal ? 0 : midpoint(values[found->below], values[found->above]);
    listed[place] = (StandIn){agreement, adjusted, at, found->low, found->high, (int32_t)f, found->is_reversed};
}

/* The best surrogate of a feature. */
static Agreeing of_feature(const Table *t, const SearchedNode *node, const Column *column, Weights all)
{
    if (column->place < 0) return cut_of_lane(t, node, column, all);
    Weights *tally = (Weights *)(void *)t->room.tally;
    tally_weights(t, node, column, tally);
    all.left -= tally[column->n_codes].left;
    all.right -= tally[column->n_codes].right;
    return column->nominal ? sides_of_codes(t, column->n_codes, tally, all) : cut_of_codes(t, column->n_codes, tally, all);
}

/* The child of a row by the surrogates of a split, else the default child. */
static int32_t side_of(const Table *t, const TableNode *split, int32_t row)
{
    for (int32_t i = 0; i < split->n_stand_ins; i++) {
        const StandIn *own = t->grown.stand_ins + split->stand_ins + i;
        const Column *column = t->columns + own->feature;
        int32_t code = column->place < 0 ? row : code_of(t, row, column->place);
        if (column->place >= 0 && code == column->n_codes) continue;
        if (column->nominal) {
            uint64_t bit = (uint64_t)1 << code;
            if ((own->low | own->high) & bit) return (own->high & bit) != 0;
            continue;
        }
        double value = t->values[column->values_at + code];
        if (value == value) return (value > own->at) != (own->reversed != 0);
    }
    return split->default_child;
}

void ftree_find_surrogates(const Table *t, const SearchedNode *node, TableNode *split, double *counts)
{
    Weights known = {0, 0};
    for (int64_t i = node->low; i < node->high; i++)
        if (t->room.child[t->grown.keys[i]] >= 0)
            add_weight(&known, t->room.child[t->grown.keys[i]], weight_of(t, t->grown.keys[i]));
    split->default_child = known.right > known.left;
    split->stand_ins = t->grown.state[N_STAND_INS];
    /* A surrogate has to agree with more cases than the larger child has, so it disagrees with fewer than the smaller
       child has. Its smaller side holds at most the smaller child and those: less than twice the smaller child. */
    bool enough = (known.left < known.right ? known.left : known.right) > t->least_agreeing / 2 && t->most_surrogates > 0;
    for (int64_t f = 0; f < t->f && enough; f++) {
        if (f == split->feature) continue;
        Agreeing found = of_feature(t, node, t->columns + f, known);
        if (found.agreed > known.left && found.agreed > known.right) insert(t, split, f, &found, &known);
    }
    for (int64_t i = node->low; i < node->high; i++) {
        int32_t row = t->grown.keys[i];
        if (t->room.child[row] >= 0) continue;
        t->room.child[row] = side_of(t, split, row);
        count_row(t, counts + t->room.child[row] * t->q, row, weight_of(t, row));
    }
}

/* Rows routed down a tree: to their leaves, or to the counts of all nodes where their parts end.

   Parts of rows are divided by the arithmetic of `ftree.routing.missing_rules.divide_weights`, so that all ways down
   agree to the last bit. */
#include "native.h"

/* This many rows of about a dozen features stay in the fastest cache. */
#define TOGETHER 256
/* Finished rows are sorted out every fourth level; until then they stay where they are, since a leaf is its own first
   child. */
#define LEVELS 4

/* The number of sorted numbers that are less than x. */
static int64_t count_below(double x, const double *numbers, int64_t n)
{
    int64_t low = 0, high = n;
    while (low < high) {
        int64_t middle = (low + high) / 2;
        if (numbers[middle] < x) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* Whether a weighted sum lies above a threshold, -1 where a cell is missing; it adds up from left to right, as
   `ftree.tree.splits.weighted_sum` does. */
static int64_t above_sum(Cells in, int64_t row, const Question *own, Ways ways)
{
    double total = 0.0;
    for (int64_t term = own->start; term < own->start + own->width; term++) {
        double x = cell(in, ways.terms[term], row);
        if (x != x) return -1;
        total += ways.numbers[term] * x;
    }
    return total > own->at;
}

INLINE int64_t child_of_code(double x, const int32_t *table, const Question *own)
{
    int64_t code = (int64_t)x;
    return table[own->start + (code < own->width ? code : own->width - 1)];
}

/* The child of a known cell at a question, -1 for a code that it does not know. */
static int64_t child_of_cell(double x, const Question *own, Ways ways)
{
    if (own->kind == ABOVE) return x > own->at;
    if (own->kind == CODE) return child_of_code(x, ways.table, own);
    return count_below(x, ways.numbers + own->start, own->width);
}

int64_t ftree_child_of_row(Cells in, int64_t row, int64_t question, Ways ways)
{
    const Question *first = ways.questions + question;
    const Question *own = first;
    for (;;) {
        double x = own->kind == SUM ? 0.0 : cell(in, own->line, row);
        bool known = own->kind != SUM && x == x;
        int64_t child = -1;
        if (own->kind == SUM) child = above_sum(in, row, own, ways);
        else if (known) child = child_of_cell(x, own, ways);
        if (child >= 0) return own->reversed ? 1 - child : child;
        if (own->surrogate < 0) return known && own == first ? -1 : own->default_child;
        own = ways.questions + own->surrogate;
    }
}

/* The next node of a row, or the same one where only `ftree_child_of_row` knows it. */
INLINE uint32_t next_node(Cells in, int64_t row, uint32_t here, Ways ways)
{
    const Step *own = ways.steps + here;
    double x = cell(in, own->line >> 1, row);
    uint32_t next = own->first + (x > own->at);
    if (own->line & 1 && x == x) {
        int64_t child = child_of_code(x, ways.table, ways.questions + here);
        next = child >= 0 ? own->first + (uint32_t)child : here;
    }
    return x == x ? next : here;
}

/* Up to TOGETHER rows from `begin` on, level by level, so that accesses to memory overlap. */
INLINE void descend_together(Cells in, Ways ways, int64_t begin, int64_t n, int64_t *leaf)
{
    uint32_t row[TOGETHER], node[TOGETHER], apart[TOGETHER];
    int64_t active = ways.steps[0].first ? n : 0;
    for (int64_t i = 0; i < n; i++) {
        row[i] = (uint32_t)i;
        node[i] = 0;
        leaf[begin + i] = 0;
    }
    while (active) {
        int64_t still = 0, n_apart = 0;
        for (int level = 1; level < LEVELS; level++)
            for (int64_t i = 0; i < active; i++) node[i] = next_node(in, begin + row[i], node[i], ways);
        for (int64_t i = 0; i < active; i++) {
            uint32_t r = row[i], here = node[i];
            uint32_t next = next_node(in, begin + r, here, ways);
            bool ends = ways.steps[next].first == next;
            bool stays = next == here && !ends;
            leaf[begin + r] = next;
            apart[n_apart] = r;
            n_apart += stays;
            row[still] = r;
            node[still] = next;
            still += !ends && !stays;
        }
        for (int64_t i = 0; i < n_apart; i++) { /* apart, since each of these rows takes longer */
            int64_t *own = leaf + begin + apart[i];
            int64_t child = ftree_child_of_row(in, begin + apart[i], *own, ways);
            *own = child < 0 ? -1 : ways.steps[*own].first + child;
            if (child < 0) continue;
            row[still] = apart[i];
            node[still] = (uint32_t)*own;
            still += ways.steps[*own].first != *own;
        }
        active = still;
    }
}

/* Fill `leaf` (n,) with the node where each row ends, -1 for a row whose value is missing at some split. The cells (a,
   b) are lines of rows or, if `by_row`, rows of lines. */
FTREE_API int64_t ftree_leaves(const double *cells, int64_t by_row, const Step *steps, const Question *questions,
                               const int32_t *table, const double *numbers, const int64_t *terms, int64_t *leaf, int64_t b,
                               int64_t n)
{
    Ways ways = {steps, questions, table, numbers, terms};
    for (int64_t begin = 0; begin < n; begin += TOGETHER) {
        int64_t some = n - begin < TOGETHER ? n - begin : TOGETHER;
        if (by_row) descend_together((Cells){cells, 1, b}, ways, begin, some, leaf); /* twice: the constant 1 saves a product */
        else descend_together((Cells){cells, b, 1}, ways, begin, some, leaf);
    }
    return n;
}

/* Add to `added` (n, k) the votes for the labels (m,) of the nodes where rows end, or the shares of classes there,
   times `weight`. */
FTREE_API int64_t ftree_add_answers(const double *counts, const int64_t *labels, const int64_t *leaf, double weight,
                                    int64_t by_label, double *added, int64_t k, int64_t n)
{
    for (int64_t r = 0; r < n; r++) {
        const double *own = counts + leaf[r] * k;
        double total = 0.0;
        if (by_label) {
            added[r * k + labels[leaf[r]]] += weight;
            continue;
        }
        for (int64_t c = 0; c < k; c++) total += own[c];
        for (int64_t c = 0; c < k; c++) added[r * k + c] += weight * (own[c] / total);
    }
    return n;
}

/* Parts of a row that wait for their way down. */
typedef struct {
    int64_t *node;
    double *part;
    int64_t top;
} Stack;

/* Push the children of a row without an answer, the first child last; the answer is what stays at the node. */
static double divide(double part, int64_t first, const Division *divisions, const Division *own, double unit, Stack *stack)
{
    double given = 0.0;
    for (int v = 0; v < own->arity; v++) {
        double share = divisions[first + v].share;
        given += share == 1.0 ? part : share_on_grid(part, share, unit);
    }
    for (int v = own->arity - 1; v >= 0; v--) {
        double share = divisions[first + v].share;
        double mine = share == 1.0 ? part : share_on_grid(part, share, unit);
        if (v == own->rest) mine += part - given;
        if (mine > 0) {
            stack->node[stack->top] = first + v;
            stack->part[stack->top++] = mine;
        }
    }
    return own->rest >= 0 ? 0.0 : part - given;
}

/* The node where a row ends or first has no answer; `child` is -1 in the second case. */
INLINE int64_t way_down(Cells in, int64_t row, int64_t here, Ways ways, int64_t *child)
{
    *child = 0;
    while (ways.steps[here].first != here) {
        *child = child_at(in, row, here, ways);
        if (*child < 0) return here;
        here = ways.steps[here].first + *child;
    }
    return here;
}

/* Add up in `added` (n, k), zeros at first, the counts (m, k) of the nodes where each row ends; there may be several. A
   node that another one answers for adds at most its largest part, and only to a row without other counts, unless all
   are `distributions`. Nodes come in preorder, so that sums round as in NumPy. `node`, `part` (m,) and `spare` (k,) are
   room. */
FTREE_API int64_t ftree_add_up(const double *cells, int64_t by_row, const Step *steps, const Question *questions,
                               const int32_t *table, const double *numbers, const int64_t *terms, const Division *divisions,
                               const double *counts, int64_t distributions, double unit, int64_t *node, double *part,
                               double *spare, double *added, int64_t b, int64_t k, int64_t n)
{
    Ways ways = {steps, questions, table, numbers, terms};
    Cells in = by_row ? (Cells){cells, 1, b} : (Cells){cells, b, 1};
    Stack stack = {node, part, 0};
    for (int64_t r = 0; r < n; r++) {
        double *sum = added + r * k;
        bool found = false;
        for (int64_t c = 0; c < k; c++) spare[c] = 0.0;
        for (node[0] = 0, part[0] = 1.0, stack.top = 1; stack.top;) {
            double stays = part[--stack.top];
            int64_t child, here = way_down(in, r, node[stack.top], ways, &child);
            const Division *own = divisions + here;
            if (child < 0) stays = divide(stays, steps[here].first, divisions, own, unit, &stack);
            const double *answer = counts + own->answer * k;
            for (int64_t c = 0; c < k && stays > 0; c++) {
                if (distributions || own->answer == here) sum[c] += stays * answer[c];
                else if (stays * answer[c] > spare[c]) spare[c] = stays * answer[c];
            }
        }
        for (int64_t c = 0; c < k; c++) found |= sum[c] != 0;
        for (int64_t c = 0; c < k && !found; c++) sum[c] = spare[c];
    }
    return n;
}

/* Subtree raising: the twin of `ftree.prune.subtree_raising.plain_raised`, which reports the decisions.

   Parts of rows lie in one long list, those of a node next to each other. Where all rows of a node have an answer,
   they are sorted by child in place, so that the children's parts take no room. Their order does not matter, since
   parts are multiples of a power of two, whose sums are exact.

   An example (tests/prune/test_native_raising.py). The root asks whether x <= 1, and sends a row to the left leaf or
   to a branch, which asks whether y <= 1. Row 5 misses x: two known rows of five went left, so 0.4 of it does.

     row       0  1  2  3  4  5
     x         0  0  2  2  2  ?
     y         0  2  0  2  0  2

     place     0                 6              9
     root      0  1  2  3  4  5                                  stays, since row 5 is in both children's parts
     left                        0  1  0.4 x 5
     branch                                     2  3  4  0.6 x 5
     its leaves                                 2  4 | 3  0.6 x 5      the same places, sorted

   This is how `ftree_count_parts` leaves the list; `ftree_raise_subtrees` begins with the root's places alone. The branch
   is judged first, without parts, since leaves are not raised. Then the root may be replaced by the branch, which has to
   get the rows of the left leaf. `divide_above` divides the root once more: `before` of the root notes that 6 places were
   used, and now 13 are. `reach` gives the branch the places of its sibling, 6 to 9, and none of its own rows: they would
   go where they are, as none misses y. `visit` sorts them between the branch's leaves: 0 | 1 and 0.4 of 5. When the root
   is judged, places from 6 on are free again. */
#include "native.h"

/* The result where the list is too short. */
#define FULL (-1)
/* The errors that a simpler tree may add, and the share of the largest child's cases that ties with it. */
#define ERROR_SLACK 0.1
#define AS_LARGE (1 - 1e-9)
/* Errors are equal if they differ by at most this: `ftree.prune.decisions.same`. */
#define RELATIVE 1e-10
#define ABSOLUTE 1e-12

/* Cells and class numbers of n rows, each of which stands for whole cases (`times`); the tree (m) as it was, and as it
   is pruned; counts (m, k) of its nodes, counts (m, k) of the cases sent into a child, and the counts (k,) of a node
   with those. `parts` has `room`; `stack`, `visited` and `to_judge` (m,) are lists of nodes. */
typedef struct {
    Cells in;
    Ways ways;
    const int64_t *labels;
    const double *times;
    double unit;
    Part *parts;
    int64_t room;
    Raised *nodes;
    double *counts, *sent, *total;
    int64_t *stack, *visited, *to_judge;
    double surprise, z;
    int64_t m, k;
} Pruning;

/* 1 - exp(-t), t >= 0, as `ftree.criteria.error_limits.one_minus_exp` computes it. */
static double one_minus_exp(double t)
{
    int64_t halvings = 0;
    if (t > 64) return 1.0;
    for (; t > 0.125; t /= 2) halvings++;
    double rest = 1.0;
    for (int64_t i = 10; i > 1; i--) rest = 1 - t / (double)i * rest;
    double result = t * rest;
    for (; halvings; halvings--) result *= 2 - result;
    return result;
}

/* The part that the upper confidence limit of errors adds to e errors, at least one, in n cases. */
static double added_errors(double n, double e, double z)
{
    if (e + 0.5 >= n) return most_of(n - e, 0.0);
    double f = (e + 0.5) / n;
    double upper = f + z * z / (2 * n) + z * __builtin_sqrt(f / n - f * f / n + z * z / (4 * n * n));
    return n * upper / (1 + z * z / n) - e;
}

/* The upper confidence limit of the errors of a leaf with some counts (k,), as by
   `ftree.criteria.error_limits.expected_errors`. */
static double leaf_errors(const Pruning *all, const double *counts)
{
    double n = 0.0, most = 0.0;
    for (int64_t c = 0; c < all->k; c++) {
        n += counts[c];
        most = most_of(most, counts[c]);
    }
    double e = n - most;
    if (n == 0) return 0.0;
    if (e >= 1) return e + added_errors(n, e, all->z);
    double none = n * one_minus_exp(all->surprise / n);
    return e + (e != 0 ? none + e * (added_errors(n, 1.0, all->z) - none) : none);
}

/* Whether a number of errors is smaller than another, or equal except for rounding: `ftree.prune.decisions.at_most`. */
static bool at_most(double one, double other)
{
    double size = most_of(one < 0 ? -one : one, other < 0 ? -other : other);
    return one <= other || one - other <= most_of(RELATIVE * size, ABSOLUTE);
}

/* Swap parts until those of each child are next to each other; `fill` of each child is their number. */
static void sort_in_place(Part *parts, Raised *kids, int64_t arity, int64_t begin)
{
    for (int64_t v = 0; v < arity; v++) {
        kids[v].begin = begin;
        kids[v].end = begin + kids[v].fill;
        kids[v].fill = begin;
        begin = kids[v].end;
    }
    for (int64_t v = 0; v < arity; v++)
        while (kids[v].fill < kids[v].end) {
            Part *one = parts + kids[v].fill;
            Part *other = parts + kids[one->child].fill++;
            Part kept = *one;
            *one = *other;
            *other = kept;
        }
}

/* The cases that children get from rows with an answer, in `size` of each; if rows are `added` to others, also those of
   these. The result is the sum, in which children count as equal if none has cases, and the first largest child. */
static double sizes_of_children(const Pruning *all, const Raised *own, Raised *kids, bool added, int64_t *largest)
{
    double total = 0.0;
    *largest = 0;
    for (int64_t v = 0; v < own->arity; v++) kids[v].size = 0.0;
    for (const Part *part = all->parts + own->begin; part < all->parts + own->end; part++)
        if (part->child >= 0) kids[part->child].size += part->size * all->times[part->row];
    for (int64_t v = 0; v < own->arity; v++) {
        double others = 0.0;
        for (int64_t c = 0; c < all->k && added; c++) others += all->counts[(own->first + v) * all->k + c];
        kids[v].size += others;
        total += kids[v].size;
        if (kids[v].size > kids[*largest].size) *largest = v;
    }
    for (int64_t v = 0; v < own->arity && total == 0; v++) kids[v].size = 1.0;
    return total == 0 ? (double)own->arity : total;
}

/* Write each child's parts from `top` on, with its shares of rows without an answer; the end of all. */
static int64_t copy_with_shares(Pruning *all, const Raised *own, bool added, int64_t top)
{
    Raised *kids = all->nodes + own->first;
    int64_t largest;
    double total = sizes_of_children(all, own, kids, added, &largest);
    for (int64_t v = 0; v < own->arity; v++) {
        kids[v].begin = top;
        for (int64_t i = own->begin; i < own->end; i++) {
            Part part = all->parts[i];
            if (part.child >= 0 && part.child != v) continue;
            if (part.child < 0) {
                double whole = part.size, given = 0.0;
                part.size = share_on_grid(whole, kids[v].size / total, all->unit);
                for (int64_t u = 0; u < own->arity && v == largest; u++)
                    given += share_on_grid(whole, kids[u].size / total, all->unit);
                if (v == largest) part.size += whole - given;
                if (part.size <= 0) continue;
            }
            all->parts[top++] = part;
        }
        kids[v].end = top;
    }
    return top;
}

/* Divide the parts of a node among its children, by the split that it has now; the end of the used room, from `top` on,
   or FULL. Rows without an answer are divided in proportion to those with one and, if parts are `added` to others, to
   the others. */
static int64_t divide(Pruning *all, int64_t here, bool added, int64_t top, bool *known)
{
    const Raised *own = all->nodes + here;
    Raised *kids = all->nodes + own->first;
    int64_t unanswered = 0;
    for (int64_t v = 0; v < own->arity; v++) kids[v].fill = 0;
    for (Part *part = all->parts + own->begin; part < all->parts + own->end; part++) {
        part->child = child_at(all->in, part->row, own->source, all->ways);
        if (part->child < 0) unanswered++;
        else kids[part->child].fill++;
    }
    *known = !unanswered;
    if (*known) sort_in_place(all->parts, kids, own->arity, own->begin);
    else if (top + (own->end - own->begin) + (own->arity - 1) * unanswered > all->room) return FULL;
    return *known ? top : copy_with_shares(all, own, added, top);
}

/* Write the class counts (k,) of the parts of a node. */
static void count(const Pruning *all, int64_t here, double *counts)
{
    for (int64_t c = 0; c < all->k; c++) counts[c] = 0.0;
    for (const Part *part = all->parts + all->nodes[here].begin; part < all->parts + all->nodes[here].end; part++)
        counts[all->labels[part->row]] += part->size * all->times[part->row];
}

/* Push the children of a divided node; the last, which comes first, may use the room after its parts. */
static int64_t push_children(Pruning *all, int64_t here, bool in_place, int64_t waiting)
{
    const Raised *own = all->nodes + here;
    for (int64_t kid = own->first; kid < own->first + own->arity; kid++) {
        all->stack[waiting++] = kid;
        all->nodes[kid].top = in_place ? own->top : all->nodes[kid].end;
    }
    return waiting;
}

/* Fill `total` with the counts of a node and the cases sent into it; these are `added` to its own, or take their place. */
static void add_up(Pruning *all, int64_t here, bool added)
{
    for (int64_t c = 0; c < all->k; c++) {
        int64_t at = here * all->k + c;
        all->total[c] = added ? all->counts[at] + all->sent[at] : all->sent[at];
    }
}

/* The child with the most cases, the last of equal ones. */
static int64_t largest_child(const Pruning *all, const Raised *own)
{
    double most = -1.0;
    int64_t largest = own->first;
    for (int turn = 0; turn < 2; turn++)
        for (int64_t kid = own->first; kid < own->first + own->arity; kid++) {
            double size = 0.0;
            for (int64_t c = 0; c < all->k; c++) size += all->counts[kid * all->k + c];
            if (!turn) most = most_of(most, size);
            else if (size >= most * AS_LARGE) largest = kid;
        }
    return largest;
}

/* Divide the parts of all nodes above one, from the nearest whose parts are known down; the end of the used room, or FULL. */
static int64_t divide_above(Pruning *all, int64_t number, int64_t top)
{
    int64_t n = 0;
    bool known;
    for (int64_t here = number; all->nodes[here].begin < 0; all->stack[n++] = here) here = all->nodes[here].parent;
    while (n && top != FULL) {
        int64_t here = all->stack[--n];
        all->nodes[here].before = top;
        top = divide(all, here, false, top, &known);
    }
    return top;
}

/* Give the child that may be raised its parts: those of its siblings or, if it has gaps, all of its parent. The result
   is the end of the used room, or FULL. */
static int64_t reach(Pruning *all, int64_t number, int64_t child, int64_t top)
{
    Raised *nodes = all->nodes;
    Raised *own = nodes + number;
    bool known = nodes[child].known;
    top = divide_above(all, known ? own->first : number, top);
    if (top == FULL) return FULL;
    int64_t begin = known ? top : own->begin;
    int64_t end = known ? top : own->end;
    for (int64_t kid = own->first; known && kid < own->first + own->arity; kid++) {
        if (kid == child) continue;
        if (own->arity == 2) { /* the only sibling's parts are used in place */
            begin = nodes[kid].begin;
            end = nodes[kid].end;
            continue;
        }
        if (end + nodes[kid].end - nodes[kid].begin > all->room) return FULL;
        for (int64_t i = nodes[kid].begin; i < nodes[kid].end; i++) all->parts[end++] = all->parts[i];
    }
    nodes[child].begin = begin;
    nodes[child].end = end;
    nodes[child].top = top > end ? top : end;
    return top;
}

/* Send parts into a child: the number of nodes `visited`, or FULL; `errors` is what its leaves gain. */
static int64_t visit(Pruning *all, int64_t child, bool added, double *errors)
{
    int64_t waiting = 1, n = 0, k = all->k;
    bool known;
    *errors = 0.0;
    all->stack[0] = child;
    for (int64_t c = 0; c < k; c++) all->sent[child * k + c] = 0.0;
    while (waiting) {
        int64_t here = all->stack[--waiting];
        Raised *own = all->nodes + here;
        if (!added || own->begin < own->end) {
            all->visited[n++] = here;
            if (own->arity) {
                if (divide(all, here, added, own->top, &known) == FULL) return FULL;
                own->gaps = !known;
                for (int64_t at = own->first * k; at < (own->first + own->arity) * k; at++) all->sent[at] = 0.0;
                waiting = push_children(all, here, known, waiting);
            } else {
                count(all, here, all->sent + here * k);
                add_up(all, here, added);
                *errors += leaf_errors(all, all->total) - own->errors;
            }
        }
        own->begin = -1;
    }
    return n;
}

/* Give a visited node its new counts, those of its children being known. */
static void take_cases(Pruning *all, int64_t here, bool added)
{
    Raised *own = all->nodes + here;
    double *counts = all->counts + here * all->k;
    double *sent = all->sent + here * all->k;
    own->changed = false;
    for (int64_t kid = own->first; kid < own->first + own->arity; kid++) {
        own->changed |= all->nodes[kid].changed;
        for (int64_t c = 0; c < all->k; c++) sent[c] += all->sent[kid * all->k + c];
    }
    add_up(all, here, added);
    for (int64_t c = 0; c < all->k; c++) own->changed |= all->total[c] != counts[c];
    if (!own->changed) return;
    for (int64_t c = 0; c < all->k; c++) counts[c] = all->total[c];
    own->errors = leaf_errors(all, counts);
    own->incomplete = own->arity > 0 && own->gaps;
    own->touched = true;
}

/* Put a child in its parent's place, and list the nodes to judge again: this node and the branches that got cases. */
static int64_t raise(Pruning *all, int64_t number, int64_t child, bool added, int64_t n_visited, int64_t n_left)
{
    Raised *own = all->nodes + number;
    Raised *from = all->nodes + child;
    for (int64_t i = n_visited - 1; i >= 0; i--) take_cases(all, all->visited[i], added);
    own->source = from->source;
    own->first = from->first;
    own->arity = from->arity;
    for (int64_t c = 0; c < all->k; c++) all->counts[number * all->k + c] = all->counts[child * all->k + c];
    own->incomplete = n_visited > 0 && from->gaps;
    own->touched = true;
    for (int64_t kid = own->first; kid < own->first + own->arity; kid++) all->nodes[kid].parent = number;
    all->to_judge[n_left++] = number;
    for (int64_t i = 0; i < n_visited; i++) {
        Raised *here = all->nodes + all->visited[i];
        if (i && here->changed && here->arity) all->to_judge[n_left++] = all->visited[i];
        here->changed = false;
    }
    return n_left;
}

/* List all branches in `to_judge`, from whose end children come first, left to right; their number. */
static int64_t branches(Pruning *all)
{
    int64_t n = 0, waiting = 1;
    all->stack[0] = 0;
    while (waiting) {
        int64_t here = all->stack[--waiting];
        const Raised *own = all->nodes + here;
        if (own->arity) all->to_judge[n++] = here;
        for (int64_t v = 0; v < own->arity; v++) all->stack[waiting++] = own->first + v;
    }
    return n;
}

/* Judge a branch: cut it, raise its largest child, or keep it. The result is the number of nodes that are left to
   judge, or FULL. */
static int64_t judge(Pruning *all, int64_t number, int64_t n_left, int64_t *top)
{
    Raised *nodes = all->nodes;
    Raised *own = nodes + number;
    int64_t first = own->first;
    int64_t end = own->first + own->arity;
    int64_t child = largest_child(all, own);
    int64_t n_visited = 0;
    double as_subtree = 0.0;
    double as_leaf = leaf_errors(all, all->counts + number * all->k);
    double as_raised = as_leaf, gained;
    bool added = nodes[child].known, known = !own->incomplete;
    for (int64_t kid = first; kid < end; kid++) {
        as_subtree += nodes[kid].errors;
        known &= nodes[kid].known;
    }
    if (nodes[child].arity) {
        *top = reach(all, number, child, *top);
        if (*top == FULL || (n_visited = visit(all, child, added, &gained)) == FULL) return FULL;
        as_raised = nodes[child].errors + gained;
    }
    if (at_most(as_leaf, as_subtree + ERROR_SLACK) && at_most(as_leaf, as_raised + ERROR_SLACK)) {
        own->arity = 0;
        own->errors = as_leaf;
        own->known = true;
        own->touched = true;
    } else if (at_most(as_raised, as_subtree + ERROR_SLACK)) {
        n_left = raise(all, number, child, added, n_visited, n_left);
    } else {
        own->errors = as_subtree;
        own->known = known;
    }
    if (own->before >= 0) {
        *top = own->before;
        own->before = -1;
    }
    for (int64_t kid = first; kid < end; kid++) nodes[kid].begin = -1;
    return n_left;
}

/* Fill the `counts` (m, k), zeros at first, of the parts (r,) at each node, and `incomplete`. Parts lie at the root at
   first, from 0 up to its end. `cells` has lines of n rows. The result is m, or FULL where r is too small. */
FTREE_API int64_t ftree_count_parts(const double *cells, const Step *steps, const Question *questions, const int32_t *table,
                                    const double *numbers, const int64_t *terms, const int64_t *labels, const double *times,
                                    double unit, Part *parts, Raised *nodes, double *counts, int64_t *stack, int64_t n, int64_t r,
                                    int64_t m, int64_t k)
{
    Pruning all = {
        .in = {cells, n, 1},
        .ways = {steps, questions, table, numbers, terms},
        .labels = labels,
        .times = times,
        .unit = unit,
        .parts = parts,
        .room = r,
        .nodes = nodes,
        .counts = counts,
        .stack = stack,
        .m = m,
        .k = k,
    };
    int64_t waiting = 1;
    stack[0] = 0;
    nodes[0].top = nodes[0].end;
    while (waiting) {
        int64_t here = stack[--waiting];
        bool known;
        count(&all, here, counts + here * k);
        if (!nodes[here].arity || nodes[here].begin == nodes[here].end) continue;
        if (divide(&all, here, false, nodes[here].top, &known) == FULL) return FULL;
        nodes[here].incomplete = !known;
        waiting = push_children(&all, here, known, waiting);
    }
    return m;
}

/* Judge every branch, children first, and again where a raise adds cases; arguments are those of `ftree_count_parts`,
   which was called first. `surprise` is -log(confidence). `sent` (m, k), `total` (k,), `visited` and `to_judge` (m,)
   are room. */
FTREE_API int64_t ftree_raise_subtrees(const double *cells, const Step *steps, const Question *questions, const int32_t *table,
                                       const double *numbers, const int64_t *terms, const int64_t *labels, const double *times,
                                       double unit, Part *parts, Raised *nodes, double *counts, int64_t *stack, double *sent,
                                       double *total, int64_t *visited, int64_t *to_judge, double surprise, double z, int64_t n,
                                       int64_t r, int64_t m, int64_t k)
{
    Pruning all = {
        .in = {cells, n, 1},
        .ways = {steps, questions, table, numbers, terms},
        .labels = labels,
        .times = times,
        .unit = unit,
        .parts = parts,
        .room = r,
        .nodes = nodes,
        .counts = counts,
        .stack = stack,
        .m = m,
        .k = k,
        .sent = sent,
        .total = total,
        .visited = visited,
        .to_judge = to_judge,
        .surprise = surprise,
        .z = z,
    };
    int64_t n_left = branches(&all);
    int64_t top = nodes[0].end;
    for (int64_t i = 0; i < m; i++) {
        nodes[i].errors = leaf_errors(&all, counts + i * k);
        nodes[i].known = true;
        nodes[i].begin = i ? -1 : 0;
        nodes[i].before = -1;
    }
    while (n_left) {
        int64_t number = to_judge[--n_left];
        n_left = judge(&all, number, n_left, &top);
        if (n_left == FULL) return FULL;
    }
    for (int64_t i = m - 1; i >= 0; i--) /* mark the nodes above those that changed; children have larger numbers */
        for (int64_t kid = nodes[i].first; kid < nodes[i].first + nodes[i].arity; kid++) nodes[i].touched |= nodes[kid].touched;
    return m;
}

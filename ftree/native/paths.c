/* Cost-complexity paths: the weakest links of a tree, and the losses of its prunings.

   Nodes are numbered level by level, so that a child has a larger number than its parent. Node i has `arity[i]` children, from
   number `first[i]` on. */
#include "native.h"

/* Alphas are 0 up to this: `ftree.prune.figures.same`. */
#define ZERO 1e-12

/* Branches (m,) in heaps: the alpha at which each is cut, and the leaves that this removes. */
typedef struct {
    Link *links;
    const double *alpha;
    const int64_t *lost;
} Heaps;

/* Whether a branch leaves a heap first: by the larger alpha, then the fewer leaves, then its number. */
static bool comes_before(Heaps of, int64_t one, int64_t other)
{
    if (of.alpha[one] != of.alpha[other]) return of.alpha[one] > of.alpha[other];
    return of.lost[one] != of.lost[other] ? of.lost[one] < of.lost[other] : one < other;
}

/* The top of a skew heap merged from two, -1 for none (Sleator & Tarjan 1986): O(log m) on average over all merges. */
static int64_t merged(Heaps of, int64_t one, int64_t other)
{
    int64_t top = -1, *place = &top;
    while (one >= 0 && other >= 0) {
        bool swaps = comes_before(of, other, one);
        int64_t here = swaps ? other : one;
        Link *own = of.links + here;
        other = swaps ? one : other, one = own->right;
        own->right = own->left;
        *place = here, place = &own->left;
    }
    *place = one >= 0 ? one : other;
    return top;
}

/* Risk saved for each leaf beyond the first; 0 for a branch with a single leaf, which is always cut. */
static double crossing(double saved, int64_t leaves)
{
    double alpha = leaves > 1 ? saved / (double)(leaves - 1) : 0.0;
    return alpha <= ZERO ? 0.0 : alpha;
}

/* Fill the alpha (m,) at which each branch is cut, -1 if it lies below an earlier cut, and the leaves that are `lost` (m,). Nodes
   as leaves have `risks` (m,). `links` (m,) is room. The algorithm is that of `ftree.prune.weakest_links.plain_weakest_links`. */
FTREE_API int64_t ftree_weakest_links(const int64_t *first, const int64_t *arity, const double *risks, double *alpha,
                                      int64_t *lost, Link *links, int64_t m)
{
    Heaps heaps = {links, alpha, lost};
    for (int64_t i = m - 1; i >= 0; i--) {
        int64_t top = -1, leaves = arity[i];
        double below = 0.0;
        links[i] = (Link){-1, -1, -1}, alpha[i] = -1.0, lost[i] = 0;
        if (!leaves) continue;
        for (int64_t kid = first[i]; kid < first[i] + arity[i]; kid++) {
            top = merged(heaps, top, links[kid].top);
            below += risks[kid];
        }
        double saved = risks[i] - below, rise = crossing(saved, leaves);
        while (top >= 0 && alpha[top] > rise) {
            saved += alpha[top] * (double)lost[top], leaves += lost[top];
            rise = crossing(saved, leaves);
            alpha[top] = -1.0;
            top = merged(heaps, links[top].left, links[top].right);
        }
        alpha[i] = rise, lost[i] = leaves - 1;
        links[i].top = merged(heaps, top, i);
    }
    return m;
}

/* Add the counts (m, k) of children to those of their parents, from the leaves up. */
FTREE_API int64_t ftree_add_to_parents(const int64_t *first, const int64_t *arity, double *counts, int64_t m, int64_t k)
{
    for (int64_t i = m - 1; i >= 0; i--)
        for (int64_t kid = first[i]; kid < first[i] + arity[i]; kid++)
            for (int64_t c = 0; c < k; c++) counts[i * k + c] += counts[kid * k + c];
    return m;
}

/* The sum of costs, and of their squares. */
typedef struct {
    double costs, squares;
} Loss;

static Loss plus(Loss one, Loss other) { return (Loss){one.costs + other.costs, one.squares + other.squares}; }

/* Fill the losses `after` (g, 2) of a tree after each group of cuts: nodes in `cuts`, group after group up to each of `ends` (g,),
   in each of which lower nodes come first. `losses` (m, 2) are those of nodes as leaves; `closed` and `stack` (m,) are room. */
FTREE_API int64_t ftree_sums_after_cuts(const int64_t *first, const int64_t *arity, const double *losses, const int64_t *cuts,
                                        const int64_t *ends, double *after, bool *closed, int64_t *stack, int64_t m, int64_t g)
{
    const Loss *of_leaf = (const Loss *)losses;
    Loss total = {0.0, 0.0};
    for (int64_t i = 0; i < m; i++) {
        closed[i] = !arity[i];
        if (closed[i]) total = plus(total, of_leaf[i]);
    }
    for (int64_t group = 0, at = 0; group < g; group++) {
        for (; at < ends[group]; at++) {
            Loss below = {0.0, 0.0}, own = of_leaf[cuts[at]];
            stack[0] = cuts[at];
            for (int64_t waiting = 1; waiting;) {
                int64_t here = stack[--waiting];
                for (int64_t kid = first[here]; kid < first[here] + arity[here]; kid++) {
                    if (closed[kid]) below = plus(below, of_leaf[kid]);
                    else stack[waiting++] = kid;
                }
            }
            total = plus(total, (Loss){own.costs - below.costs, own.squares - below.squares});
            closed[cuts[at]] = true;
        }
        ((Loss *)after)[group] = total;
    }
    return g;
}
